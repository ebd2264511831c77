//! Threads that are asked to end, and the places where they do. Whether a thread was
//! asked is a cell of its own, which is there only for those whom somebody asks.

use super::EINVAL;
use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::Facts;
use crate::facts::objects::{ObjectId, ObjectKey, ThreadPart};
use crate::pass::{Flow, Frame, Pass, State};
use crate::threads::ThreadId;
use crate::validity::Seen;
use formula::TermId;
use library::{Cancellation, CancellationPoint, Entry};

impl Facts {
    /// Whether a thread was asked to end. It is kept only for threads that are.
    fn cancelled_object(&mut self, thread: ThreadId) -> ObjectId {
        let key = ObjectKey::Thread(thread, ThreadPart::Cancelled);
        if self.objects.find(&key).is_none() {
            self.objects.note_news();
        }
        self.thread_object(thread, ThreadPart::Cancelled, 1)
    }
}

impl<'p> Pass<'p> {
    /// The rest of the model; handlers are a matter of jumps.
    pub(super) fn cancel_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Cancellation,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Cancellation::Cancel => self.cancel(state, frame, call),
            Cancellation::SetState => {
                let new = self.constant_argument(frame, call, 0)? & 0xffff_ffff;
                if new > 1 {
                    return self.reply(EINVAL);
                }
                let (immune, always) = (self.immune_object(), self.truth());
                let old = self.read_at(state, None, immune, 0, 1, always);
                let old = self.terms.resize(old, 32);
                let reply = self.tell_old(state, frame, call, old)?;
                let new = self.terms.constant(8, new);
                self.write_at(state, None, immune, 0, 1, always, new);
                Ok(reply)
            }
            Cancellation::SetType => {
                let new = self.constant_argument(frame, call, 0)? & 0xffff_ffff;
                if new > 1 {
                    return self.reply(EINVAL);
                }
                let old = self.is_asynchronous(state);
                let (one, zero) = (self.int(1), self.int(0));
                let old = self.terms.ite(old, one, zero);
                let reply = self.tell_old(state, frame, call, old)?;
                self.set_asynchronous(state, new == 1);
                Ok(reply)
            }
            _ => Ok(Reply::Nothing),
        }
    }

    fn immune_object(&mut self) -> ObjectId {
        let thread = self.threads.current();
        self.facts.thread_object(thread, ThreadPart::Immune, 1)
    }

    /// Stores what was set before, if anybody wants to know.
    fn tell_old(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        old: TermId,
    ) -> Result<Reply, Error> {
        let place = self.argument(call, 1);
        let is_null = words::is_zero(&mut self.terms, place);
        match self.terms.as_bool(is_null) {
            Some(true) => {}
            Some(false) => {
                if self.store(state, frame, place, 4, &[((0, 4), old)], 0)? == Flow::Dead {
                    return Ok(Reply::Never);
                }
            }
            None => return Err(self.unsupported(frame, "a pointer that may be null or not")),
        }
        self.reply(0)
    }

    fn cancel(&mut self, state: &mut State, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let mut functions = self.program.functions.values();
        if functions.any(|function| library::is_of_cpp(&function.symbol)) {
            // Destructors would have to run.
            return Err(self.unsupported(frame, "pthread_cancel in C++"));
        }
        let handle = self.argument(call, 0);
        let threads = self.threads_behind(handle);
        let nowhere = Targets {
            list: Vec::new(),
            valid: self.truth(),
            seen: Seen::AtStep,
            only_where: None,
        };
        let is_step = !self.prologue.is_alone();
        let Ok(position) = self.begin_step(state, frame, &nowhere, 0, 0, is_step) else {
            return Ok(Reply::Never);
        };
        if self.expect_thread(state, position, &threads) == Flow::Dead {
            return Ok(Reply::Never);
        }
        for (condition, thread) in threads {
            if thread != self.threads.current() {
                let fate = self.facts.thread_object(thread, ThreadPart::Fate, 1);
                let fate = self.read_at(state, position, fate, 0, 1, condition);
                let is_joined = words::is_number(&mut self.terms, fate, super::thread::JOINED);
                let fine = self.terms.not(is_joined);
                let fine = self.terms.implies(condition, fine);
                if self.expect(state, Check::Misuse, position, fine) == Flow::Dead {
                    return Ok(Reply::Never);
                }
            }
            let object = self.facts.cancelled_object(thread);
            let one = self.terms.constant(8, 1);
            self.write_at(state, position, object, 0, 1, condition, one);
        }
        self.reply(0)
    }

    /// Whether somebody may ask the thread at hand to end.
    pub(crate) fn may_be_cancelled(&self) -> bool {
        let key = ObjectKey::Thread(self.threads.current(), ThreadPart::Cancelled);
        self.facts.objects.find(&key).is_some()
    }

    /// Whether the thread at hand was asked to end and is to do so.
    pub(crate) fn must_leave(&mut self, state: &State, position: Option<usize>) -> TermId {
        if !self.may_be_cancelled() {
            return self.terms.bool(false);
        }
        let always = self.truth();
        let object = self.facts.cancelled_object(self.threads.current());
        let asked = self.read_at(state, position, object, 0, 1, always);
        let is_asked = self.terms.is_nonzero(asked);
        let immune = self.immune_object();
        let immune = self.read_at(state, None, immune, 0, 1, always);
        let listens = words::is_zero(&mut self.terms, immune);
        self.terms.and(is_asked, listens)
    }

    /// Ends the thread where the condition holds; `Dead` if no path goes on.
    pub(crate) fn give_in(
        &mut self,
        state: &mut State,
        frame: &Frame,
        condition: TermId,
    ) -> Result<Flow, Error> {
        if self.terms.as_bool(condition) == Some(false) {
            return Ok(Flow::Next);
        }
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, condition);
        if self.terms.as_bool(path.guard) != Some(false) {
            let (immune, always) = (self.immune_object(), self.truth());
            let one = self.terms.constant(8, 1);
            self.write_at(&mut path, None, immune, 0, 1, always, one);
            let word = self.word();
            let cancelled = self.terms.constant(word, u128::MAX >> (128 - word));
            self.exit_thread(&mut path, frame, cancelled)?;
        }
        let goes_on = self.terms.not(condition);
        state.guard = self.terms.and(state.guard, goes_on);
        Ok(match self.terms.as_bool(state.guard) {
            Some(false) => Flow::Dead,
            _ => Flow::Next,
        })
    }

    /// A place where threads may end, before the function does what it does.
    pub(super) fn pass_cancellation_point(
        &mut self,
        state: &mut State,
        frame: &Frame,
        entry: &Entry,
    ) -> Result<Flow, Error> {
        let Some(point) = library::cancellation_point(entry.name) else {
            return Ok(Flow::Next);
        };
        let mut functions = self.program.functions.values();
        if !functions.any(|f| f.body.is_none() && f.symbol == "pthread_cancel") {
            return Ok(Flow::Next);
        }
        match point {
            CancellationPoint::Unknown => {
                let what = format!("{} in a program that cancels threads", entry.name);
                Err(self.unsupported(frame, what))
            }
            CancellationPoint::Within => Ok(Flow::Next),
            CancellationPoint::Step => {
                let mut position = None;
                if !self.prologue.is_alone() {
                    match self.may_be_cancelled() {
                        true => position = Some(self.position(frame, state, 0)),
                        false => self.unnoticed_step(frame, state),
                    }
                }
                let must_leave = self.must_leave(state, position);
                self.give_in(state, frame, must_leave)
            }
        }
    }
}
