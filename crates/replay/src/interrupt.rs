//! What may happen to a thread before its next step, whatever that is: the handler of a
//! signal runs, or the thread ends because it was asked to and may be ended anywhere.
//!
//! Each is a step of its own, chosen by the driver. A handler is called where the
//! thread is; when it returns, the thread goes on, or the call that it was in fails.

use crate::calls::LibraryCall;
use crate::event::Effect;
use crate::footprint::Look;
use crate::image::Code;
use crate::inputs::{Domain, Execution, Incident, InputKind, Inputs, NoInput, Request};
use crate::kernel::Action;
use crate::machine::{Machine, Stop};
use crate::models::Site;
use crate::thread::{Life, Pending, Phase, Polled, Then, Thread};
use crate::value::Value;
use crate::violation::ViolationKind;
use ir::{Callee, Op};
use library::{Descriptors, Entry, Function, Semaphore, Time};

// Flags of actions.
const WITH_INFORMATION: u32 = 4;
const RESTART: u32 = 0x1000_0000;
const SEVERAL_AT_ONCE: u32 = 0x4000_0000;
const ONCE_ONLY: u32 = 0x8000_0000;

/// What becomes of a call that a handler has interrupted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interrupted {
    /// It goes on if the action says so, and else may fail.
    MayFail,
    /// It may fail, whatever the action says.
    NeverRestarts,
}

impl<'a> Machine<'a> {
    /// What may happen to a thread before its next step.
    pub(crate) fn interruptions(&self, thread: &Thread) -> Vec<Incident> {
        let mut found = Vec::new();
        let may_leave = thread.is_asynchronous && thread.must_leave();
        let may_arrive = thread.arrivals < self.config.surroundings.signals;
        if !(may_leave || may_arrive) || !self.is_interruptible(thread) {
            return found;
        }
        let phase = thread.frame().map(|frame| &frame.phase);
        if may_leave && phase == Some(&Phase::Start) {
            found.push(Incident::Leave);
        }
        if may_arrive {
            let call = self.interruptible_call(thread);
            for (number, action) in self.deliverable(thread) {
                let mut add = |fails| found.push(Incident::Signal { number, fails });
                add(false);
                let may_fail = match call {
                    Some(Interrupted::MayFail) => action.flags & RESTART == 0,
                    Some(Interrupted::NeverRestarts) => true,
                    None => false,
                };
                if may_fail {
                    add(true);
                }
            }
        }
        found
    }

    /// Whether a thread is where something may happen to it: before an access to memory,
    /// before a library function or while that waits, or before its end. To look at what
    /// comes between would be of no use: it is as before or after.
    fn is_interruptible(&self, thread: &Thread) -> bool {
        if thread.atomic_depth > 0 || thread.is_atomic_start {
            return false;
        }
        let Some(frame) = thread.frame() else {
            return matches!(thread.life, Life::Ending(_));
        };
        let is_between = matches!(
            frame.phase,
            Phase::Start
                | Phase::Waiting { .. }
                | Phase::AtFutex
                | Phase::Holding(_)
                | Phase::Polling(_)
        );
        let body = self.image.body(frame.function);
        let inst = body.and_then(|body| {
            let inst = *body.blocks[frame.block].insts.get(frame.index)?;
            Some(&body.insts[inst].op)
        });
        is_between
            && matches!(
                inst,
                Some(
                    Op::Load { .. }
                        | Op::Store { .. }
                        | Op::Rmw { .. }
                        | Op::CompareExchange { .. }
                        | Op::Call { .. }
                )
            )
    }

    /// Signals that have a handler and that the thread has not blocked.
    fn deliverable(&self, thread: &Thread) -> impl Iterator<Item = (u32, &Action)> {
        self.footprint.note(Look::Rest);
        let blocked = thread.blocked;
        let actions = self.kernel.actions.iter();
        let actions = actions.filter(move |(number, action)| {
            action.handler.low_bits() > 1 && blocked & 1 << (**number - 1) == 0
        });
        actions.map(|(number, action)| (*number, action))
    }

    /// Whether a signal could come to the help of a thread that waits, if more were
    /// allowed to arrive.
    pub(crate) fn may_be_helped(&self, thread: &Thread) -> bool {
        self.config.surroundings.signals > 0 && self.deliverable(thread).next().is_some()
    }

    /// The library function that a thread is about to call, or is in.
    fn library_at(&self, thread: &Thread) -> Option<&'static Entry> {
        let frame = thread.frame()?;
        let body = self.image.body(frame.function)?;
        let inst = *body.blocks[frame.block].insts.get(frame.index)?;
        match &body.insts[inst].op {
            Op::Call {
                callee: Callee::Direct(function),
                ..
            } => self.image.library(*function),
            _ => None,
        }
    }

    fn interruptible_call(&self, thread: &Thread) -> Option<Interrupted> {
        let phase = &thread.frame()?.phase;
        match (self.library_at(thread)?.function, phase) {
            (Function::Semaphore(Semaphore::Wait | Semaphore::TimedWait), _) => {
                Some(Interrupted::MayFail)
            }
            (Function::Time(Time::Sleep), _)
            | (Function::Descriptors(Descriptors::Poll), Phase::Polling(_)) => {
                Some(Interrupted::NeverRestarts)
            }
            (Function::Descriptors(_), Phase::Holding(Some(_))) => Some(Interrupted::MayFail),
            // Whoever was woken has not been interrupted.
            (_, Phase::AtFutex) => {
                self.footprint.note(Look::Rest);
                let mut waiters = self.futex_waiters.iter();
                waiters
                    .any(|waiter| waiter.thread == thread.id)
                    .then_some(Interrupted::MayFail)
            }
            _ => None,
        }
    }

    /// Lets something happen before the next step of a thread, if the driver wants it;
    /// returns whether it does. If the step has to wait, something must.
    pub(crate) fn interrupt(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
    ) -> Result<bool, Stop> {
        let found = self.interruptions(thread);
        if found.is_empty() {
            return Ok(false);
        }
        let wait = thread.pending.wait.clone();
        let goes_on = self.is_possible(thread.id, &wait)
            || thread.must_leave() && self.may_leave(thread.id, &wait);
        let mut choices: Vec<Option<Incident>> = Vec::new();
        choices.extend(goes_on.then_some(None));
        choices.extend(found.into_iter().map(Some));
        let Some(chosen) = self.choose_interruption(thread, inputs, &choices)? else {
            return Ok(false);
        };
        thread.pending = Pending::default();
        match chosen {
            Incident::Leave => {
                self.record_interruption(thread, "end", "as asked".to_owned());
                let call = LibraryCall {
                    function: self.image.program.main,
                    args: Vec::new(),
                    result: None,
                    result_type: None,
                    allow: true,
                };
                let mut site = Site {
                    thread,
                    inputs,
                    call: &call,
                };
                self.give_in(&mut site)?;
            }
            Incident::Signal { number, fails } => self.signal_arrives(thread, number, fails)?,
        }
        Ok(true)
    }

    fn choose_interruption(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        choices: &[Option<Incident>],
    ) -> Result<Option<Incident>, Stop> {
        let counter = self.counter.as_deref();
        let is_over = thread.frames.is_empty();
        let is_due = |execution: Option<&Execution>| match execution {
            None => is_over,
            Some(execution) => {
                is_over || counter.is_some_and(|counter| counter.is_up_to(execution))
            }
        };
        let current = counter.and_then(|counter| counter.current(thread));
        let execution = current.map(|current| Execution {
            thread: thread.id,
            function: current.function,
            inst: current.inst,
            count: current.number,
            part: current.steps,
        });
        let index = match inputs.interruption(thread.id, &is_due) {
            Some(wanted) => {
                let mut choices = choices.iter();
                choices
                    .position(|choice| *choice == wanted)
                    .ok_or_else(|| {
                        let what = "cannot be interrupted as it should be, or has to wait";
                        NoInput(format!("thread {} {what}", thread.id))
                    })? as u128
            }
            None if choices.len() == 1 => 0,
            None => inputs.choose(&Request {
                thread: thread.id,
                kind: InputKind::Interruption,
                domain: Domain::Below(choices.len() as u64),
                location: self.location(thread),
                site: None,
                asker: None,
                homes: Vec::new(),
                execution,
                origins: Vec::new(),
                interruptions: choices.to_vec(),
            })?,
        };
        if choices.len() > 1 {
            let domain = Domain::Below(choices.len() as u64);
            let kind = InputKind::Interruption;
            self.footprint.note(Look::Input(kind, domain, index));
            self.note_answer(thread.id, kind, index);
        }
        Ok(choices.get(index as usize).copied().flatten())
    }

    fn record_interruption(&mut self, thread: &Thread, verb: &'static str, place: String) {
        if self.trace.is_some() {
            let result = String::new();
            let effect = Effect::Synchronise {
                verb,
                place,
                result,
            };
            self.record(thread, effect);
        }
    }

    /// The handler of a signal is called.
    fn signal_arrives(
        &mut self,
        thread: &mut Thread,
        number: u32,
        fails: bool,
    ) -> Result<(), Stop> {
        let Some(action) = self.kernel.actions.get(&number).cloned() else {
            return Ok(());
        };
        if action.flags & WITH_INFORMATION != 0 {
            return Err(self.unsupported(thread, "a handler with SA_SIGINFO that would run here"));
        }
        let Some(Code::Function(handler)) = self.image.code_at(action.handler.low_bits()) else {
            let message = "the handler of a signal is no function";
            return Err(self.violated(thread, ViolationKind::InvalidPointer, message));
        };
        let name = self.image.program.functions[handler].name.clone();
        self.record_interruption(thread, "signal", format!("{}: {name}", signal_name(number)));
        if action.flags & ONCE_ONLY != 0 {
            self.kernel.actions.remove(&number);
        }
        if fails {
            self.abandon_call(thread);
        }
        let before = thread.blocked;
        thread.blocked |= action.blocked;
        if action.flags & SEVERAL_AT_ONCE == 0 {
            thread.blocked |= 1 << (number - 1);
        }
        thread.arrivals += 1;
        let argument = Value::Bits(u64::from(number));
        self.push_call(thread, handler, &[argument], Then::Unblock(before))
    }

    /// The call that a thread is in will fail when the handler has returned.
    fn abandon_call(&mut self, thread: &mut Thread) {
        let phase = thread.frame().map(|frame| frame.phase.clone());
        match phase {
            Some(Phase::Holding(Some(file))) if self.image.can_close => {
                self.kernel.descriptors.release(file);
            }
            Some(Phase::Polling(watched)) if self.image.can_close => {
                for one in watched {
                    if let Polled::End(end) = one.what {
                        let file = crate::descriptors::File::End(end);
                        self.kernel.descriptors.release(file);
                    }
                }
            }
            Some(Phase::AtFutex) => {
                let id = thread.id;
                self.futex_waiters.retain(|waiter| waiter.thread != id);
            }
            _ => {}
        }
        if let Some(frame) = thread.frames.last_mut() {
            frame.phase = Phase::Interrupted;
        }
    }
}

fn signal_name(number: u32) -> String {
    let known = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        6 => "SIGABRT",
        10 => "SIGUSR1",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        17 => "SIGCHLD",
        _ => return format!("signal {number}"),
    };
    known.to_owned()
}
