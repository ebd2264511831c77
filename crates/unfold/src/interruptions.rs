//! What may happen to a thread before its next step, whatever that is: the handler of a
//! signal runs, or the thread ends because it was asked to and may be ended anywhere.
//!
//! Whether it does is a variable of its own at each place where that may be a step;
//! whoever replays a run is told. A handler that runs is a call at that place.

use crate::compute::words;
use crate::facts::objects::{ObjectId, ObjectKey, SignalPart, ThreadPart};
use crate::models::EINTR;
use crate::models::call_back::CallBack;
use crate::pass::{Flow, Frame, Pass, State};
use crate::{Error, calls::Reply};
use formula::{Sort, TermId};
use library::{Cancellation, Entry, Function, Keys, Process, Semaphore, Thread, Time, Verifier};

// Flags of actions.
const WITH_INFORMATION: u128 = 4;
const RESTART: u128 = 0x1000_0000;
const SEVERAL_AT_ONCE: u128 = 0x4000_0000;
const ONCE_ONLY: u128 = 0x8000_0000;

/// Tells the calls of handlers apart from others that an instruction makes.
const FIRST_CALL: u32 = 1000;

/// Something that may happen to a thread before a step.
#[derive(Clone, Copy, Debug)]
pub struct Interruption {
    /// The execution and its part; none at the end of the thread.
    pub before: Option<(usize, u32)>,
    /// Whether it does.
    pub condition: TermId,
    pub what: Interrupted,
}

#[derive(Clone, Copy, Debug)]
pub enum Interrupted {
    /// The thread ends, as it was asked to.
    Leaves,
    /// The handler of a signal runs; then the call that the thread is in fails where
    /// the condition holds.
    BySignal { number: u32, fails: TermId },
}

/// Before what something may happen.
#[derive(Clone, Copy)]
struct Before {
    /// The part of the execution at hand; none at the end of the thread.
    part: Option<u32>,
    fate: Fate,
}

/// What becomes of a call that a handler has interrupted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    GoesOn,
    /// It may fail, unless the action says that it goes on.
    MayFail,
    /// It may fail in any case.
    NeverRestarts,
}

impl<'p> Pass<'p> {
    /// Whether anything may happen to the thread at hand.
    fn may_be_interrupted(&self, state: &State) -> bool {
        state.atomic.is_none() && (self.options.surroundings.signals > 0 || self.may_end_anywhere())
    }

    fn asynchronous_key(&self) -> ObjectKey {
        ObjectKey::Thread(self.threads.current(), ThreadPart::Asynchronous)
    }

    /// Whether the thread at hand may be one that is ended anywhere.
    fn may_end_anywhere(&self) -> bool {
        self.may_be_cancelled() && self.facts.objects.find(&self.asynchronous_key()).is_some()
    }

    fn asynchronous_object(&mut self) -> ObjectId {
        if self.facts.objects.find(&self.asynchronous_key()).is_none() {
            self.facts.objects.note_news();
        }
        let thread = self.threads.current();
        self.facts
            .thread_object(thread, ThreadPart::Asynchronous, 1)
    }

    /// Whether the thread may be ended anywhere, as it has said last.
    pub(crate) fn is_asynchronous(&mut self, state: &State) -> TermId {
        let (object, always) = (self.asynchronous_object(), self.truth());
        let flag = self.read_at(state, None, object, 0, 1, always);
        self.terms.is_nonzero(flag)
    }

    pub(crate) fn set_asynchronous(&mut self, state: &mut State, is_on: bool) {
        let (object, always) = (self.asynchronous_object(), self.truth());
        let flag = self.terms.constant(8, u128::from(is_on));
        self.write_at(state, None, object, 0, 1, always, flag);
    }

    /// Before an access to memory.
    pub(crate) fn interrupt_access(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        address: TermId,
    ) -> Result<Flow, Error> {
        if !self.may_be_interrupted(state) {
            return Ok(Flow::Next);
        }
        let objects = self.objects_in(address);
        let mut is_step = objects.iter().any(|object| self.is_elsewhere(*object));
        let known: Vec<ObjectId> = objects.into_iter().collect();
        let is_known = self.is_any_published(state, &known);
        is_step |= self.terms.as_bool(is_known) != Some(false);
        if !is_step {
            return Ok(Flow::Next);
        }
        let before = Before {
            part: Some(0),
            fate: Fate::GoesOn,
        };
        let (flow, _) = self.interrupt(state, frame, before)?;
        Ok(flow)
    }

    /// Before the end of a thread, or of the process.
    pub(crate) fn interrupt_end(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
    ) -> Result<Flow, Error> {
        if self.options.surroundings.signals == 0 || state.atomic.is_some() {
            return Ok(Flow::Next);
        }
        let before = Before {
            part: None,
            fate: Fate::GoesOn,
        };
        let (flow, _) = self.interrupt(state, frame, before)?;
        Ok(flow)
    }

    /// While a call waits, before that step of it: `None` if no path goes on, else when
    /// it fails for being interrupted.
    pub(crate) fn interrupt_wait(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        part: u32,
        fate: Fate,
    ) -> Result<Option<TermId>, Error> {
        let never = self.terms.bool(false);
        if self.options.surroundings.signals == 0 || state.atomic.is_some() {
            return Ok(Some(never));
        }
        let before = Before {
            part: Some(part),
            fate,
        };
        let (flow, fails) = self.interrupt(state, frame, before)?;
        Ok(match flow {
            Flow::Dead => None,
            Flow::Next => Some(fails),
        })
    }

    /// Before a call of a library function: `None` if no path goes on, else when it
    /// fails for being interrupted.
    pub(crate) fn interrupt_call(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        entry: &Entry,
    ) -> Result<Option<TermId>, Error> {
        let never = self.terms.bool(false);
        if !self.may_be_interrupted(state) || !is_step(entry.function) {
            return Ok(Some(never));
        }
        let fate = match entry.function {
            Function::Semaphore(Semaphore::Wait | Semaphore::TimedWait) => Fate::MayFail,
            Function::Time(Time::Sleep) => Fate::NeverRestarts,
            _ => Fate::GoesOn,
        };
        let before = Before {
            part: Some(0),
            fate,
        };
        let (flow, fails) = self.interrupt(state, frame, before)?;
        Ok(match flow {
            Flow::Dead => None,
            Flow::Next => Some(fails),
        })
    }

    fn interrupt(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        before: Before,
    ) -> Result<(Flow, TermId), Error> {
        let mut all_fails = self.terms.bool(false);
        let is_start = before.part == Some(0);
        if is_start && self.may_end_anywhere() && self.leave_anywhere(state, frame)? == Flow::Dead {
            return Ok((Flow::Dead, all_fails));
        }
        for round in 0..self.options.surroundings.signals {
            for number in 1..=64 {
                let key = ObjectKey::Signal(number, SignalPart::Handler);
                if self.facts.objects.find(&key).is_none() {
                    continue;
                }
                let part = before.part.map_or(0, |part| part + 1);
                let index = FIRST_CALL * (part + 1) + 64 * round + number;
                let (flow, fails) = self.signal_arrives(state, frame, (number, index), before)?;
                if flow == Flow::Dead {
                    return Ok((Flow::Dead, all_fails));
                }
                all_fails = self.terms.or(all_fails, fails);
            }
        }
        self.whereabouts.go_to(frame.function, frame.inst);
        Ok((Flow::Next, all_fails))
    }

    /// The thread ends here, or goes on.
    fn leave_anywhere(&mut self, state: &mut State, frame: &Frame) -> Result<Flow, Error> {
        let leaves = self.terms.new_variable("leaves", Sort::Bool);
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, leaves);
        let is_asynchronous = self.is_asynchronous(state);
        if self.terms.as_bool(is_asynchronous) == Some(false)
            || self.terms.as_bool(path.guard) == Some(false)
        {
            return Ok(Flow::Next);
        }
        let position = match self.prologue.is_alone() {
            true => None,
            false => Some(self.position(frame, &mut path, 0)),
        };
        let must_leave = self.must_leave(&path, position);
        let fine = self.terms.and(must_leave, is_asynchronous);
        if self.demand(&mut path, position, fine) == Flow::Next {
            self.note_interruption(frame, Some(0), path.guard, Interrupted::Leaves);
            let always = self.truth();
            self.give_in(&mut path, frame, always)?;
        }
        let goes_on = self.terms.not(leaves);
        state.guard = self.terms.and(state.guard, goes_on);
        Ok(match self.terms.as_bool(state.guard) {
            Some(false) => Flow::Dead,
            _ => Flow::Next,
        })
    }

    fn note_interruption(
        &mut self,
        frame: &Frame,
        part: Option<u32>,
        condition: TermId,
        what: Interrupted,
    ) {
        let before = part.map(|part| (frame.execution, part));
        self.work().trail.interruptions.push(Interruption {
            before,
            condition,
            what,
        });
    }

    fn arrivals_object(&mut self) -> ObjectId {
        let thread = self.threads.current();
        self.facts.thread_object(thread, ThreadPart::Arrivals, 4)
    }

    /// When a signal could arrive in the thread at hand, were there no limit: it has a
    /// handler and is not blocked. Also the handler.
    fn is_deliverable(
        &mut self,
        state: &State,
        frame: &Frame,
        number: u32,
    ) -> Result<(TermId, TermId), Error> {
        let [handler, ..] = self.action_objects(number);
        let size = self.program.target.pointer_bytes;
        if self.is_visible(handler, 0, size) {
            let what = "the action of a signal that changes while there are other threads";
            return Err(self.unsupported(frame, what));
        }
        let always = self.truth();
        let handler = self.read_at(state, None, handler, 0, size, always);
        let functions = self.functions_behind(handler);
        let any: Vec<TermId> = functions.iter().map(|(when, _)| *when).collect();
        let is_handler = self.terms.any(&any);
        let blocked = self.blocked(state);
        let bit = self.terms.constant(64, 1 << (number - 1));
        let bit = self.terms.bit_and(blocked, bit);
        let is_open = words::is_zero(&mut self.terms, bit);
        Ok((self.terms.and(is_handler, is_open), handler))
    }

    /// Whether something could let the thread at hand go on that waits at a step.
    pub(crate) fn may_be_released(
        &mut self,
        state: &State,
        frame: &Frame,
        position: usize,
    ) -> TermId {
        let mut reasons = Vec::new();
        if self.may_end_anywhere() {
            let must_leave = self.must_leave(state, Some(position));
            let is_asynchronous = self.is_asynchronous(state);
            reasons.push(self.terms.and(must_leave, is_asynchronous));
        }
        // If nobody can tell, that is said where signals arrive.
        reasons.extend(self.may_be_helped(state, frame).ok());
        self.terms.any(&reasons)
    }

    /// Whether some signal could come to the help of the thread at hand.
    fn may_be_helped(&mut self, state: &State, frame: &Frame) -> Result<TermId, Error> {
        let mut reasons = Vec::new();
        if self.options.surroundings.signals > 0 {
            for number in 1..=64 {
                let key = ObjectKey::Signal(number, SignalPart::Handler);
                if self.facts.objects.find(&key).is_some() {
                    reasons.push(self.is_deliverable(state, frame, number)?.0);
                }
            }
        }
        Ok(self.terms.any(&reasons))
    }

    /// The handler of a signal runs here, or does not; also when the call that the
    /// thread is about to make fails after it.
    fn signal_arrives(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        (number, index): (u32, u32),
        before: Before,
    ) -> Result<(Flow, TermId), Error> {
        let never = self.terms.bool(false);
        let (is_deliverable, handler) = self.is_deliverable(state, frame, number)?;
        let (object, always) = (self.arrivals_object(), self.truth());
        let arrivals = self.read_at(state, None, object, 0, 4, always);
        let most = self.int(u128::from(self.options.surroundings.signals));
        let is_within = self.terms.unsigned_less(arrivals, most);
        let allowed = self.terms.and(is_deliverable, is_within);
        if self.terms.as_bool(allowed) == Some(false) {
            return Ok((Flow::Next, never));
        }
        let chosen = self.terms.new_variable("signal", Sort::Bool);
        let happens = self.terms.and(chosen, allowed);
        let [_, during, flags] = self.action_objects(number);
        let flags = self.read_at(state, None, flags, 0, 4, always);
        let during = self.read_at(state, None, during, 0, 8, always);
        let Some(flags) = self.terms.as_constant(flags) else {
            return Err(self.unsupported(frame, "flags of a signal that are not constant"));
        };
        if flags & WITH_INFORMATION != 0 {
            let what = "a handler with SA_SIGINFO that would run here";
            return Err(self.unsupported(frame, what));
        }
        if flags & ONCE_ONLY != 0 {
            let what = "a handler with SA_RESETHAND that would run here";
            return Err(self.unsupported(frame, what));
        }
        let may_fail = match before.fate {
            Fate::GoesOn => false,
            Fate::MayFail => flags & RESTART == 0,
            Fate::NeverRestarts => true,
        };
        let fails = match may_fail {
            true => {
                let fails = self.terms.new_variable("fails", Sort::Bool);
                self.terms.and(fails, happens)
            }
            false => never,
        };
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, happens);
        let what = Interrupted::BySignal { number, fails };
        self.note_interruption(frame, before.part, path.guard, what);
        if !self.prologue.is_alone() {
            self.unnoticed_step(frame, &mut path);
        }
        let blocked_before = self.blocked(&path);
        let mut blocked = self.terms.bit_or(blocked_before, during);
        if flags & SEVERAL_AT_ONCE == 0 {
            let bit = self.terms.constant(64, 1 << (number - 1));
            blocked = self.terms.bit_or(blocked, bit);
        }
        self.set_blocked(&mut path, blocked);
        let one = self.int(1);
        let more = self.terms.add(arrivals, one);
        self.write_at(&mut path, None, object, 0, 4, always, more);
        let word = self.word();
        let back = CallBack {
            function: handler,
            arguments: vec![self.terms.constant(word, u128::from(number))],
            has_result: false,
            index,
            condition: always,
        };
        let is_only_path = std::mem::replace(&mut frame.is_only_path, false);
        let returned = self.call_back(path, frame, &back)?;
        frame.is_only_path = is_only_path;
        let goes_on = self.terms.not(happens);
        state.guard = self.terms.and(state.guard, goes_on);
        let is_else = self.terms.as_bool(state.guard) != Some(false);
        match returned {
            Some((mut path, _)) => {
                self.set_blocked(&mut path, blocked_before);
                *state = match is_else {
                    true => self.merge(path, state.clone(), frame)?,
                    false => path,
                };
                Ok((Flow::Next, fails))
            }
            None if is_else => Ok((Flow::Next, never)),
            None => Ok((Flow::Dead, never)),
        }
    }

    /// A call that fails where the condition holds, and else does what it does.
    pub(crate) fn fail_if_interrupted(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (entry, call): (&Entry, &crate::calls::Call),
        fails: TermId,
    ) -> Result<Option<(State, TermId)>, Error> {
        if self.terms.as_bool(fails) == Some(false) {
            return Ok(None);
        }
        let left = match entry.name {
            "nanosleep" => Some(1),
            "clock_nanosleep" => Some(3),
            _ => None,
        };
        if let Some(index) = left {
            let place = self.argument(call, index);
            if self.terms.as_constant(place) != Some(0) {
                let what = "what is left of a sleep that was interrupted";
                return Err(self.unsupported(frame, what));
            }
        }
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, fails);
        let goes_on = self.terms.not(fails);
        state.guard = self.terms.and(state.guard, goes_on);
        let word = self.word();
        let result = match entry.name {
            "clock_nanosleep" => self.terms.constant(word, EINTR),
            "sleep" => self.number(call, 0, word),
            _ => {
                let (always, error) = (self.truth(), self.int(EINTR));
                self.set_errno(&mut path, always, error);
                self.terms.constant(word, u128::MAX >> (128 - word))
            }
        };
        Ok(Some((path, result)))
    }

    /// Joins what an interrupted call and others return.
    pub(crate) fn merge_interrupted(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (path, result): (State, TermId),
        reply: Reply,
        fails: TermId,
    ) -> Result<Reply, Error> {
        let word = self.word();
        Ok(match reply {
            Reply::Return(other) => {
                let other = self.terms.resize(other, word);
                *state = self.merge(path, state.clone(), frame)?;
                Reply::Return(self.terms.ite(fails, result, other))
            }
            Reply::Nothing => {
                *state = self.merge(path, state.clone(), frame)?;
                Reply::Return(result)
            }
            Reply::Never => {
                *state = path;
                Reply::Return(result)
            }
        })
    }
}

/// Whether a call may be a step. If it turns out to be none, whatever is to happen
/// before it happens before the next one.
fn is_step(function: Function) -> bool {
    match function {
        Function::Thread(op) => matches!(
            op,
            Thread::Create | Thread::Join | Thread::TryJoin | Thread::TimedJoin | Thread::Detach
        ),
        Function::Process(op) => matches!(
            op,
            Process::Abort
                | Process::Sort
                | Process::Search
                | Process::RandR
                | Process::AtExit
                | Process::CxaAtExit
        ),
        Function::Cancellation(op) => matches!(op, Cancellation::Cancel | Cancellation::Test),
        Function::Verifier(op) => {
            matches!(op, Verifier::AtomicBegin | Verifier::NondetMemory)
        }
        Function::Time(op) => op != Time::Difference,
        Function::Keys(op) => matches!(op, Keys::Create | Keys::Delete),
        Function::Math(_) | Function::Bits(_) | Function::Jumps(_) | Function::Unsupported => false,
        _ => true,
    }
}
