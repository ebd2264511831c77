//! Verification functions, the end of the process, atomic operations as calls,
//! output, time and what else of the standard library is simple.

use crate::Error;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::known::ThreadPart;
use crate::omissions::Way;
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use ir::{RmwOp, Type};
use library::{Atomic, NondetType, Process, Time, Verifier};

impl<'p> Pass<'p> {
    pub fn verifier_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Verifier,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Verifier::Nondet(ty) => self.nondet(frame, ty, call),
            Verifier::NondetMemory => self.nondet_memory(state, frame, call),
            Verifier::Assume => {
                let value = self.raw_argument(call, 0);
                let fails = self.is_zero(value);
                match self.stop(state, fails) {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => {
                        let holds = self.terms.not(fails);
                        self.learn(state, frame, holds);
                        Ok(Reply::Nothing)
                    }
                }
            }
            Verifier::SpinEnd if !call.args.is_empty() => {
                let value = self.raw_argument(call, 0);
                let fails = self.is_zero(value);
                match self.stop(state, fails) {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => Ok(Reply::Nothing),
                }
            }
            Verifier::Assert => {
                let value = self.raw_argument(call, 0);
                let fails = self.is_zero(value);
                match self.violate(state, Check::Assert, fails) {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => Ok(Reply::Nothing),
                }
            }
            Verifier::Error => {
                let always = self.truth();
                self.violate(state, Check::Assert, always);
                Ok(Reply::Never)
            }
            Verifier::Conversion => {
                if self.options.checks.has(Check::Conversion) {
                    let always = self.truth();
                    self.notice(state, Check::Conversion, always);
                }
                Ok(Reply::Nothing)
            }
            Verifier::AtomicBegin => {
                self.enter_atomic(state, frame);
                Ok(Reply::Nothing)
            }
            Verifier::AtomicEnd => {
                self.leave_atomic(state);
                Ok(Reply::Nothing)
            }
            Verifier::LoopBound | Verifier::LoopBegin | Verifier::SpinStart | Verifier::SpinEnd => {
                Ok(Reply::Nothing)
            }
        }
    }

    fn nondet(&mut self, frame: &Frame, ty: NondetType, call: &Call) -> Result<Reply, Error> {
        let Some(result) = &call.result else {
            return Ok(Reply::Nothing);
        };
        let width = self.width_of(result);
        let word = self.word();
        let (bits, is_signed) = match ty {
            NondetType::Bool => (1, false),
            // Numbers out of nowhere are no addresses of objects, whatever they are.
            NondetType::Pointer => (width, false),
            NondetType::Float | NondetType::Double => (width, false),
            NondetType::Char | NondetType::SignedChar => (8, true),
            NondetType::UnsignedChar => (8, false),
            NondetType::Short => (16, true),
            NondetType::UnsignedShort => (16, false),
            NondetType::Int => (32, true),
            NondetType::UnsignedInt => (32, false),
            NondetType::Long | NondetType::SignedSizeT => (word, true),
            NondetType::UnsignedLong | NondetType::SizeT => (word, false),
            NondetType::LongLong => (64, true),
            NondetType::UnsignedLongLong => (64, false),
            NondetType::Int128 => (128, true),
            NondetType::UnsignedInt128 => (128, false),
        };
        let value = self.input(frame, "nondet", bits.min(width));
        Ok(Reply::Return(if is_signed {
            self.terms.resize_signed(value, width)
        } else {
            self.terms.resize(value, width)
        }))
    }

    // The process.

    /// The process comes to a sudden end: a step after which there are no others.
    fn abort_at(&mut self, state: &mut State, frame: &Frame) -> Reply {
        let never = self.terms.bool(false);
        let position = if self.is_alone {
            None
        } else {
            Some(self.position(frame, state, 0))
        };
        self.demand(state, position, never);
        Reply::Never
    }

    /// Main returns.
    pub fn end_process(&mut self, state: &mut State) -> Result<(), Error> {
        let mut frame = self.bare_frame();
        if self.run_handlers(state, &mut frame)? {
            self.end_process_at(state, &frame);
        }
        Ok(())
    }

    pub fn process_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Process,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Process::Abort => Ok(self.abort_at(state, frame)),
            Process::Exit | Process::ExitNow | Process::QuickExit => {
                // The section is left for good.
                state.atomic = None;
                if op == Process::Exit && !self.run_handlers(state, frame)? {
                    return Ok(Reply::Never);
                }
                self.end_process_at(state, frame);
                Ok(Reply::Never)
            }
            Process::AtExit | Process::CxaAtExit => self.register_handler(state, frame, op, call),
            Process::AssertFail => {
                let always = self.truth();
                self.violate(state, Check::Assert, always);
                Ok(Reply::Never)
            }
            Process::PureVirtual => {
                let always = self.truth();
                self.violate(state, Check::Memory, always);
                Ok(Reply::Never)
            }
            Process::ErrnoLocation => {
                let object = self.thread_object(self.thread, ThreadPart::Errno, 4);
                Ok(Reply::Return(self.address(object, 0)))
            }
            Process::GetEnv => {
                let word = self.word();
                Ok(Reply::Return(self.terms.constant(word, 0)))
            }
            Process::SetLocale => {
                let choice = self.input(frame, "locale", 1);
                let fails = self.terms.is_one(choice);
                let word = self.word();
                let null = self.terms.constant(word, 0);
                let name = self.locale_name();
                Ok(Reply::Return(self.terms.ite(fails, null, name)))
            }
            Process::GetPid => self.reply(1000),
            Process::GetTid => {
                let number = 1000 + u128::from(self.thread.as_u32());
                self.reply(number)
            }
            Process::SystemValue => {
                let value = self.input(frame, "environment", 16);
                let value = self.terms.resize(value, 64);
                let one = self.terms.constant(64, 1);
                Ok(Reply::Return(self.terms.add(value, one)))
            }
            Process::Signal | Process::SeedRand => self.reply(0),
            Process::Rand => {
                let value = self.input(frame, "random", 31);
                Ok(Reply::Return(self.terms.resize(value, 64)))
            }
            Process::Abs => {
                let value = self.raw_argument(call, 0);
                let width = self.terms.width(value);
                let zero = self.terms.constant(width, 0);
                let negative = self.terms.signed_less(value, zero);
                let negated = self.terms.neg(value);
                if self.options.checks.has(Check::Overflow) {
                    let least = self.terms.constant(width, 1 << (width - 1));
                    let overflow = self.terms.equal(value, least);
                    self.notice(state, Check::Overflow, overflow);
                }
                Ok(Reply::Return(self.terms.ite(negative, negated, value)))
            }
            Process::Sort | Process::Search => self.sort_model(state, frame, op, call),
            Process::RandR => {
                let value = self.input(frame, "random", 31);
                let value = self.terms.resize(value, 32);
                let seed = self.argument(call, 0);
                match self.store(state, frame, seed, 4, &[((0, 4), value)], 0)? {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => Ok(Reply::Return(value)),
                }
            }
        }
    }

    pub fn set_errno(&mut self, state: &mut State, condition: TermId, error: TermId) {
        if self.terms.as_bool(condition) == Some(false) {
            return;
        }
        let object = self.thread_object(self.thread, ThreadPart::Errno, 4);
        self.write_at(state, None, object, 0, 4, condition, error);
    }

    pub fn time_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Time,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.program.target.pointer_bytes;
        match op {
            Time::Sleep => self.reply(0),
            Time::Clock => {
                let value = self.input(frame, "clock", 31);
                Ok(Reply::Return(self.terms.resize(value, 64)))
            }
            Time::Time => {
                let value = self.input(frame, "time", 31);
                let value = self.terms.resize(value, 64);
                let address = self.argument(call, 0);
                let is_null = self.is_zero(address);
                if self.terms.as_bool(is_null) == Some(false) {
                    let stored = self.terms.resize(value, 8 * word as u32);
                    let parts = [((0, word), stored)];
                    if self.store(state, frame, address, word, &parts, 0)? == Flow::Dead {
                        return Ok(Reply::Never);
                    }
                }
                Ok(Reply::Return(value))
            }
            Time::GetTimeOfDay => self.store_time(state, frame, call, op, 0),
            Time::ClockGetTime => {
                let is_c11 = self.program.functions[call.function].symbol == "timespec_get";
                let reply = self.store_time(state, frame, call, op, usize::from(!is_c11))?;
                Ok(match reply {
                    // Which clock it is: also the answer.
                    Reply::Return(_) if is_c11 => Reply::Return(self.number(call, 1, 32)),
                    other => other,
                })
            }
            Time::ClockGetResolution => self.store_time(state, frame, call, op, 1),
            Time::Difference => {
                let args = [self.raw_argument(call, 0), self.raw_argument(call, 1)];
                let width = self.terms.width(args[0]);
                Ok(Reply::Return(self.on_constants(&args, 64, |times| {
                    let shift = 128 - width;
                    let signed = |time: u128| (time << shift) as i128 >> shift;
                    let difference = signed(times[0]) - signed(times[1]);
                    u128::from((difference as f64).to_bits())
                })))
            }
        }
    }

    /// Stores seconds and a fraction, unless the pointer is null.
    fn store_time(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        op: Time,
        index: usize,
    ) -> Result<Reply, Error> {
        let word = self.program.target.pointer_bytes;
        let width = self.word();
        let address = self.argument(call, index);
        if self.terms.as_constant(address) == Some(0) {
            return self.reply(0);
        }
        let (seconds, fraction) = if op == Time::ClockGetResolution {
            (self.terms.constant(width, 0), self.terms.constant(width, 1))
        } else {
            let seconds = self.input(frame, "seconds", 31);
            let (bits, limit) = match op {
                Time::GetTimeOfDay => (20, 999_999),
                _ => (29, 999_999_999),
            };
            let fraction = self.input(frame, "fraction", bits);
            let fraction = self.terms.resize(fraction, width);
            let limit = self.terms.constant(width, limit);
            let fraction = self.read_modify_write(RmwOp::UnsignedMin, fraction, limit);
            (self.terms.resize(seconds, width), fraction)
        };
        let parts = [((0, word), seconds), ((word, word), fraction)];
        match self.store(state, frame, address, 2 * word, &parts, 0)? {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => self.reply(0),
        }
    }

    // Atomic operations that are calls.

    pub fn atomic_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Atomic,
        call: &Call,
    ) -> Result<Reply, Error> {
        let pointer_bytes = self.program.target.pointer_bytes;
        let size_of = |ty: Option<&Type>| ty.map_or(4, |ty| ty.bytes(pointer_bytes));
        let argument_size = |index: usize| size_of(call.args.get(index).map(|arg| &arg.ty));
        let rmw = match op {
            Atomic::ThreadFence | Atomic::SignalFence => return Ok(Reply::Nothing),
            Atomic::IsLockFree => {
                let size = self.number(call, 0, 64);
                let fits: Vec<TermId> = [1, 2, 4, 8]
                    .into_iter()
                    .map(|fine| self.is(size, fine))
                    .collect();
                let fits = self.terms.any(&fits);
                let bit = self.terms.to_bit(fits);
                return Ok(Reply::Return(self.terms.resize(bit, 32)));
            }
            Atomic::LoadSized => {
                let size = size_of(call.result.as_ref());
                let address = self.argument(call, 0);
                let loaded = self.load(state, frame, address, size, &[(0, size)], 0)?;
                return Ok(match loaded {
                    Ok(words) => {
                        self.lose(words[0].1, Way::LibraryReads);
                        Reply::Return(words[0].0)
                    }
                    Err(_) => Reply::Never,
                });
            }
            Atomic::StoreSized | Atomic::FlagClear => {
                let size = if op == Atomic::FlagClear {
                    1
                } else {
                    argument_size(1)
                };
                let address = self.argument(call, 0);
                let value = if op == Atomic::FlagClear {
                    self.terms.constant(8, 0)
                } else {
                    self.number(call, 1, 8 * size as u32)
                };
                let parts = [((0, size), value)];
                return Ok(match self.store(state, frame, address, size, &parts, 0)? {
                    Flow::Dead => Reply::Never,
                    Flow::Next => Reply::Nothing,
                });
            }
            Atomic::FlagTestAndSet | Atomic::ExchangeSized => RmwOp::Exchange,
            Atomic::FetchAdd => RmwOp::Add,
            Atomic::FetchSub => RmwOp::Sub,
            Atomic::FetchAnd => RmwOp::And,
            Atomic::FetchOr => RmwOp::Or,
            Atomic::FetchXor => RmwOp::Xor,
            Atomic::FetchNand => RmwOp::Nand,
            Atomic::Load
            | Atomic::Store
            | Atomic::Exchange
            | Atomic::CompareExchange
            | Atomic::CompareExchangeSized => {
                return self.generic_atomic(state, frame, op, call);
            }
        };
        let is_flag = op == Atomic::FlagTestAndSet;
        let size = if is_flag { 1 } else { argument_size(1) };
        let width = 8 * size as u32;
        let operand = if is_flag {
            self.terms.constant(8, 1)
        } else {
            self.number(call, 1, width)
        };
        let address = self.argument(call, 0);
        let targets = self.resolve(frame, address, size, true)?;
        let Ok(position) = self.begin_access(state, frame, &targets, size, 0) else {
            return Ok(Reply::Never);
        };
        let old = self.load_from(state, position, &targets, &[(0, size)])[0];
        let new = self.read_modify_write(rmw, old, operand);
        let always = self.truth();
        self.store_to(state, position, &targets, &[((0, size), new)], always);
        Ok(Reply::Return(old))
    }
}
