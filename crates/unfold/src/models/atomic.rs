//! Atomic operations as calls, on objects of any size.

use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply, split};
use crate::compute::words;
use crate::models::strings::text::Together;
use crate::omissions::Way;
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::{Mode, Noting};
use formula::TermId;
use ir::{Ordering, RmwOp, Type};
use library::Atomic;

/// Bytes of a block, at most.
pub(super) const MAX_BYTES: u64 = 4096;

impl<'p> Pass<'p> {
    /// An argument that is a constant length.
    pub(crate) fn constant_length(
        &mut self,
        frame: &Frame,
        call: &Call,
        index: usize,
    ) -> Result<u64, Error> {
        let word = self.word();
        let len = self.number(call, index, word);
        match self.terms.as_constant(len) {
            Some(len) if len <= u128::from(MAX_BYTES) => Ok(len as u64),
            _ => Err(self.unsupported(frame, "a block of this length")),
        }
    }

    /// Adds an object of known size to a step and reads it; `None` if no path goes
    /// on.
    fn take_object(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        address: TermId,
        size: u64,
        mode: Mode,
    ) -> Result<Option<(Targets, Vec<TermId>)>, Error> {
        let targets = self.resolve(frame, address, size, mode.is_write)?;
        if self.open(state, frame, together, &targets, size) == Flow::Dead {
            return Ok(None);
        }
        let always = self.truth();
        self.require_room(together, &targets, 0, size, always);
        self.note_targets(state, together.position, &targets, size, mode);
        let values = self.while_noting(Noting::Silent, |pass| {
            pass.load_from(state, together.position, &targets, &split(size))
        });
        Ok(Some((targets, values)))
    }

    fn plan_parts(
        &mut self,
        together: &mut Together,
        targets: &Targets,
        parts: &[Part],
        values: &[TermId],
        condition: TermId,
    ) {
        for ((at, size), value) in parts.iter().zip(values) {
            self.plan_write(together, targets, *at, *size, condition, *value);
        }
    }

    /// `__atomic_load(size, object, result, order)` and its relatives.
    pub(crate) fn generic_atomic(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Atomic,
        call: &Call,
    ) -> Result<Reply, Error> {
        let is_sized = op == Atomic::CompareExchangeSized;
        let size = match call.args.get(2) {
            Some(desired) if is_sized => desired.ty.bytes(self.program.target.pointer_bytes),
            _ => self.constant_length(frame, call, 0)?,
        };
        let parts = split(size);
        let always = self.truth();
        let first = usize::from(!is_sized);
        let object = self.argument(call, first);
        let other = self.argument(call, first + 1);
        let mut together = Together::default();
        let together_ref = &mut together;
        let is_load = op == Atomic::Load;
        let mode = Mode {
            is_write: !is_load,
            is_atomic: true,
        };
        let object = self.take_object(state, frame, together_ref, object, size, mode)?;
        let Some((object, current)) = object else {
            return Ok(Reply::Never);
        };
        let is_target = matches!(
            op,
            Atomic::Load | Atomic::CompareExchange | Atomic::CompareExchangeSized
        );
        let mode = match is_target {
            true => Mode::WRITE,
            false => Mode::READ,
        };
        let other = self.take_object(state, frame, together_ref, other, size, mode)?;
        let Some((other, given)) = other else {
            return Ok(Reply::Never);
        };
        let mut result = None;
        match op {
            Atomic::Load => self.plan_parts(together_ref, &other, &parts, &current, always),
            Atomic::Store => self.plan_parts(together_ref, &object, &parts, &given, always),
            Atomic::Exchange => {
                let old = self.argument(call, 3);
                let old = self.take_object(state, frame, together_ref, old, size, Mode::WRITE)?;
                let Some((old, _)) = old else {
                    return Ok(Reply::Never);
                };
                self.plan_parts(together_ref, &old, &parts, &current, always);
                self.plan_parts(together_ref, &object, &parts, &given, always);
            }
            _ => {
                let equal: Vec<TermId> = (current.iter().zip(&given))
                    .map(|(a, b)| self.terms.equal(*a, *b))
                    .collect();
                let is_equal = self.terms.all(&equal);
                let desired = if is_sized {
                    let value = self.number(call, 2, 8 * size as u32);
                    let slice = |(at, len): &Part| {
                        let low = 8 * *at as u32;
                        self.terms.extract(value, low + 8 * *len as u32 - 1, low)
                    };
                    parts.iter().map(slice).collect()
                } else {
                    let desired = self.argument(call, 3);
                    let read =
                        self.take_object(state, frame, together_ref, desired, size, Mode::READ)?;
                    match read {
                        Some((_, values)) => values,
                        None => return Ok(Reply::Never),
                    }
                };
                let differs = self.terms.not(is_equal);
                self.plan_parts(together_ref, &object, &parts, &desired, is_equal);
                self.plan_parts(together_ref, &other, &parts, &current, differs);
                result = Some(self.terms.to_bit(is_equal));
            }
        }
        let carry_out = |pass: &mut Self| pass.carry_out(state, together);
        if self.while_noting(Noting::Silent, carry_out) == Flow::Dead {
            return Ok(Reply::Never);
        }
        Ok(match result {
            Some(bit) => Reply::Return(self.terms.resize(bit, 32)),
            None => Reply::Nothing,
        })
    }

    /// The memory order that a fence is given; none if it orders nothing.
    fn order_argument(&mut self, frame: &Frame, call: &Call) -> Result<Option<Ordering>, Error> {
        let order = self.number(call, 0, 32);
        Ok(match self.terms.as_constant(order) {
            Some(0) => None,
            Some(1 | 2) => Some(Ordering::Acquire),
            Some(3) => Some(Ordering::Release),
            Some(4) => Some(Ordering::AcquireRelease),
            Some(5) => Some(Ordering::SequentiallyConsistent),
            _ => return Err(self.unsupported(frame, "a memory order that is no constant")),
        })
    }

    pub(crate) fn atomic_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Atomic,
        call: &Call,
    ) -> Result<Reply, Error> {
        if !matches!(
            op,
            Atomic::ThreadFence | Atomic::SignalFence | Atomic::IsLockFree
        ) {
            // It is an instruction wherever there is one.
            self.refuse_if_weak(frame, "a call of an atomic operation")?;
        }
        let pointer_bytes = self.program.target.pointer_bytes;
        let size_of = |ty: Option<&Type>| ty.map_or(4, |ty| ty.bytes(pointer_bytes));
        let argument_size = |index: usize| size_of(call.args.get(index).map(|arg| &arg.ty));
        let rmw = match op {
            Atomic::SignalFence => return Ok(Reply::Nothing),
            Atomic::ThreadFence => {
                if self.is_weak()
                    && let Some(order) = self.order_argument(frame, call)?
                {
                    self.fence(state, frame, order);
                }
                return Ok(Reply::Nothing);
            }
            Atomic::IsLockFree => {
                let size = self.number(call, 0, 64);
                let fits: Vec<TermId> = [1, 2, 4, 8]
                    .into_iter()
                    .map(|fine| words::is_number(&mut self.terms, size, fine))
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
