//! Threads: create, join, exit, detach.

use super::{EBUSY, ETIMEDOUT};
use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::Facts;
use crate::facts::objects::{ObjectId, ObjectKey, ThreadPart};
use crate::pass::{Flow, Frame, Pass, Start, State, Value};
use crate::races::Noting;
use crate::threads::{Creation, ThreadId};
use crate::validity::Seen;
use formula::TermId;
use library::Thread;

// What becomes of a thread.
pub(super) const JOINED: u128 = 1;

const DETACHED: u128 = 2;

impl Facts {
    /// Whether a thread has ended. It is kept only for threads that are asked.
    pub(crate) fn ended_object(&mut self, thread: ThreadId) -> ObjectId {
        let key = ObjectKey::Thread(thread, ThreadPart::Ended);
        if self.objects.find(&key).is_none() {
            self.objects.note_news();
        }
        self.thread_object(thread, ThreadPart::Ended, 1)
    }
}

impl<'p> Pass<'p> {
    pub(crate) fn thread_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Thread,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Thread::Create => {
                let fate = self.attribute(state, frame, call, (1, 0))?;
                let (start, argument) = (self.argument(call, 2), self.argument(call, 3));
                self.create(state, frame, call, start, argument, fate)
            }
            Thread::Join => self.join(state, frame, call, self.program.target.pointer_bytes),
            Thread::TryJoin => self.join_now(state, frame, call, EBUSY),
            Thread::TimedJoin => self.join_now(state, frame, call, ETIMEDOUT),
            Thread::Exit => {
                let width = self.word();
                let value = self.number(call, 0, width);
                self.exit_thread(state, frame, value)
            }
            Thread::SelfId => {
                let me = self.me();
                let width = self.word();
                Ok(Reply::Return(self.terms.resize(me, width)))
            }
            Thread::Detach => self.detach(state, frame, call),
            Thread::Equal => {
                let (a, b) = (self.argument(call, 0), self.argument(call, 1));
                let equal = self.terms.equal(a, b);
                let bit = self.terms.to_bit(equal);
                Ok(Reply::Return(self.terms.resize(bit, 32)))
            }
            Thread::AttrInit => self.init_attributes(state, frame, call),
            Thread::AttrSet(attribute) => self.set_attribute(state, frame, call, attribute),
            Thread::AttrGet(attribute) => self.get_attribute(state, frame, call, attribute),
            Thread::AttrSetScope => Ok(self.set_scope(call)),
            Thread::AttrSetStackSize => Ok(self.set_stack_size(call)),
            Thread::Yield | Thread::AttrDestroy | Thread::AttrOther | Thread::Hint => self.reply(0),
        }
    }

    pub(crate) fn create(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
        start: TermId,
        argument: TermId,
        fate: TermId,
    ) -> Result<Reply, Error> {
        if self.prologue.is_alone() {
            if !frame.is_only_path {
                // Sharing must begin where there is only one path.
                self.facts.alone_until = Some(self.prologue.last_only());
                return Err(Error::Again);
            }
            self.begin_sharing(state);
        }
        let functions = self.functions_behind(start);
        let address = self.argument(call, 0);
        let size = self.program.target.pointer_bytes;
        let mut place = self.resolve(frame, address, size, true)?;
        place.seen = Seen::AtStep;
        let Ok(Some(position)) = self.begin_step(state, frame, &place, size, 0, true) else {
            return Ok(Reply::Never);
        };
        self.note_sync(Some(position));
        let known: Vec<TermId> = functions.iter().map(|(when, _)| *when).collect();
        let is_function = self.terms.any(&known);
        if self.expect(state, Check::Memory, Some(position), is_function) == Flow::Dead {
            return Ok(Reply::Never);
        }
        self.hand_over(state, argument);
        let word = self.word();
        let mut handle = None;
        for (condition, function) in functions {
            let instance = self.instance(frame, state, 0);
            let thread = self.facts.threads.thread(instance, function);
            self.check_thread_count(frame)?;
            let number = u128::from(thread.as_u32()) + 1;
            let number = self.terms.constant(word, number);
            handle = Some(match handle {
                None => number,
                Some(other) => self.terms.ite(condition, number, other),
            });
            let creation = Creation {
                thread: self.threads.current(),
                position,
                condition: self.terms.and(state.guard, condition),
            };
            if self.terms.as_constant(fate) != Some(0) {
                let object = self.facts.thread_object(thread, ThreadPart::Fate, 1);
                let is_detached = words::is_number(&mut self.terms, fate, 1);
                let value = self.terms.constant(8, DETACHED);
                let position = Some(position);
                self.write_at(state, position, object, 0, 1, is_detached, value);
            }
            self.note_begin(state, position, thread, condition);
            self.note_seen(thread, argument);
            let guard = self.truth();
            let params = &self.program.functions[function].params;
            let arguments = match params.first() {
                None => Vec::new(),
                Some(param) => {
                    let width = self.width_of(&param.ty);
                    vec![Value::Term(self.terms.resize(argument, width))]
                }
            };
            let blocked = self.blocked(state);
            self.threads.enqueue(Start {
                thread,
                function,
                arguments,
                creation: Some(creation),
                guard,
                memory: self.prologue.snapshot().clone(),
                blocked,
            });
        }
        if let Some(handle) = handle {
            let always = self.truth();
            let whole: Part = (0, size);
            self.store_to(state, Some(position), &place, &[(whole, handle)], always);
        }
        let so_far = self.work().thread.positions[position].accesses.len();
        self.models
            .creations
            .set(self.threads.current(), position, so_far);
        self.reply(0)
    }

    /// Threads that a handle may stand for.
    pub(super) fn threads_behind(&mut self, handle: TermId) -> Vec<(TermId, ThreadId)> {
        let count = self.facts.threads.count() as u128;
        let few = self.values.few(&self.terms, handle);
        let numbers: Vec<u128> = match few {
            Some(few) => few
                .iter()
                .copied()
                .filter(|n| (1..=count).contains(n))
                .collect(),
            None => (1..=count).collect(),
        };
        let mut found = Vec::new();
        for number in numbers {
            let condition = words::is_number(&mut self.terms, handle, number);
            if self.terms.as_bool(condition) != Some(false) {
                found.push((condition, ThreadId::from_u32(number as u32 - 1)));
            }
        }
        found
    }

    /// Where a join puts the thread's result. Null means that nobody wants it.
    fn place_of_result(&mut self, frame: &Frame, call: &Call, size: u64) -> Result<Targets, Error> {
        let address = self.argument(call, 1);
        let mut place = self.resolve(frame, address, size, true)?;
        self.shadows.note_taken(!place.list.is_empty());
        let is_null = words::is_zero(&mut self.terms, address);
        place.valid = self.terms.or(place.valid, is_null);
        place.seen = Seen::AtStep;
        Ok(place)
    }

    pub(crate) fn join(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        size: u64,
    ) -> Result<Reply, Error> {
        if self.prologue.is_alone() {
            return self.join_alone(state);
        }
        let handle = self.argument(call, 0);
        let threads = self.threads_behind(handle);
        let place = self.place_of_result(frame, call, size)?;
        let Ok(Some(position)) = self.begin_step(state, frame, &place, size, 0, true) else {
            return Ok(Reply::Never);
        };
        self.note_sync(Some(position));
        let must_leave = self.must_leave(state, Some(position));
        if self.give_in(state, frame, must_leave)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        if self.expect_thread(state, Some(position), &threads) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let width = 8 * size as u32;
        let mut result = self.terms.constant(width, 0);
        let mut found = Vec::new();
        let bytes = self.program.target.pointer_bytes;
        for (condition, thread) in threads {
            if thread == self.threads.current() {
                let fine = self.terms.not(condition);
                if self.expect(state, Check::Misuse, Some(position), fine) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                continue;
            }
            found.push(condition);
            let object = self.facts.thread_object(thread, ThreadPart::Fate, 1);
            let fate = self.read_at(state, Some(position), object, 0, 1, condition);
            let is_joinable = words::is_zero(&mut self.terms, fate);
            let mut when = self.terms.and(state.guard, condition);
            if self.options.checks.has(Check::Misuse) {
                // Nobody waits for a thread that must not be joined.
                when = self.terms.and(when, is_joinable);
            }
            self.work().thread.positions[position]
                .joins
                .push((when, thread));
            let fine = self.terms.implies(condition, is_joinable);
            if self.expect(state, Check::Misuse, Some(position), fine) == Flow::Dead {
                return Ok(Reply::Never);
            }
            let joined = self.terms.constant(8, JOINED);
            self.write_at(state, Some(position), object, 0, 1, condition, joined);
            let object = self.facts.thread_object(thread, ThreadPart::Result, bytes);
            let value = self.read_at(state, Some(position), object, 0, bytes, condition);
            let value = self.terms.resize(value, width);
            result = self.terms.ite(condition, value, result);
        }
        let any = self.terms.any(&found);
        self.note_pointer(&place, result);
        let whole: Part = (0, size);
        // Until it is possible, there is nothing to race with.
        self.while_noting(Noting::Unforeseen, |pass| {
            pass.while_tracking(|pass| {
                pass.store_to(state, Some(position), &place, &[(whole, result)], any);
            });
        });
        self.reply(0)
    }

    /// Joins a thread that has ended already.
    fn join_now(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        otherwise: u128,
    ) -> Result<Reply, Error> {
        if self.prologue.is_alone() {
            return self.join_alone(state);
        }
        let handle = self.argument(call, 0);
        let threads = self.threads_behind(handle);
        let size = self.program.target.pointer_bytes;
        let place = self.place_of_result(frame, call, size)?;
        let Ok(Some(position)) = self.begin_step(state, frame, &place, size, 0, true) else {
            return Ok(Reply::Never);
        };
        self.note_sync(Some(position));
        let must_leave = self.must_leave(state, Some(position));
        if self.give_in(state, frame, must_leave)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        if self.expect_thread(state, Some(position), &threads) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let width = self.word();
        let mut result = self.terms.constant(width, 0);
        let mut joined = Vec::new();
        for (condition, thread) in threads {
            let mut fine = self.terms.not(condition);
            if thread != self.threads.current() {
                let object = self.facts.thread_object(thread, ThreadPart::Fate, 1);
                let fate = self.read_at(state, Some(position), object, 0, 1, condition);
                let is_joinable = words::is_zero(&mut self.terms, fate);
                fine = self.terms.implies(condition, is_joinable);
            }
            if self.expect(state, Check::Misuse, Some(position), fine) == Flow::Dead {
                return Ok(Reply::Never);
            }
            if thread == self.threads.current() {
                continue;
            }
            let object = self.facts.ended_object(thread);
            let ended = self.read_at(state, Some(position), object, 0, 1, condition);
            let has_ended = self.terms.is_nonzero(ended);
            let condition = self.terms.and(condition, has_ended);
            joined.push(condition);
            let object = self.facts.thread_object(thread, ThreadPart::Fate, 1);
            let fate = self.terms.constant(8, JOINED);
            self.write_at(state, Some(position), object, 0, 1, condition, fate);
            let object = self.facts.thread_object(thread, ThreadPart::Result, size);
            let value = self.read_at(state, Some(position), object, 0, size, condition);
            result = self.terms.ite(condition, value, result);
        }
        let is_joined = self.terms.any(&joined);
        self.acquires(state, Some(position), is_joined);
        self.note_pointer(&place, result);
        let whole: Part = (0, size);
        self.while_noting(Noting::Unforeseen, |pass| {
            pass.while_tracking(|pass| {
                pass.store_to(state, Some(position), &place, &[(whole, result)], is_joined);
            });
        });
        let (zero, otherwise) = (self.int(0), self.int(otherwise));
        Ok(Reply::Return(self.terms.ite(is_joined, zero, otherwise)))
    }

    /// Says that the thread at hand has ended, if anybody asks.
    pub(crate) fn note_end(&mut self, state: &mut State, position: usize) {
        let key = ObjectKey::Thread(self.threads.current(), ThreadPart::Ended);
        if let Some(object) = self.facts.objects.find(&key) {
            let (always, one) = (self.truth(), self.terms.constant(8, 1));
            self.write_at(state, Some(position), object, 0, 1, always, one);
        }
    }

    pub(crate) fn exit_thread(
        &mut self,
        state: &mut State,
        frame: &Frame,
        value: TermId,
    ) -> Result<Reply, Error> {
        if self.run_cleanup(state, frame, value)? {
            return Ok(Reply::Never);
        }
        let mut ended = state.clone();
        self.end_all_locals(&mut ended, frame);
        ended.atomic = None;
        self.work().ended.push((ended, value));
        Ok(Reply::Never)
    }

    pub(crate) fn detach(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let handle = self.argument(call, 0);
        let nowhere = Targets {
            list: Vec::new(),
            valid: self.truth(),
            seen: Seen::AtOnce,
            only_where: None,
        };
        let is_step = !self.prologue.is_alone();
        let Ok(position) = self.begin_step(state, frame, &nowhere, 0, 0, is_step) else {
            return Ok(Reply::Never);
        };
        let (mut fates, mut fine) = (Vec::new(), Vec::new());
        for (condition, thread) in self.threads_behind(handle) {
            let object = self.facts.thread_object(thread, ThreadPart::Fate, 1);
            let fate = self.read_at(state, position, object, 0, 1, condition);
            let is_joinable = words::is_zero(&mut self.terms, fate);
            fine.push(self.terms.and(condition, is_joinable));
            fates.push((condition, object));
        }
        let fine = self.terms.any(&fine);
        if self.expect(state, Check::Misuse, position, fine) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let detached = self.terms.constant(8, DETACHED);
        for (condition, fate) in fates {
            self.write_at(state, position, fate, 0, 1, condition, detached);
        }
        self.reply(0)
    }

    /// A join of what is no thread goes wrong.
    pub(super) fn expect_thread(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        threads: &[(TermId, ThreadId)],
    ) -> Flow {
        let known: Vec<TermId> = threads.iter().map(|(condition, _)| *condition).collect();
        let is_thread = self.terms.any(&known);
        self.expect(state, Check::Misuse, position, is_thread)
    }

    /// Before there is another thread, there is none to join.
    fn join_alone(&mut self, state: &mut State) -> Result<Reply, Error> {
        let never = self.terms.bool(false);
        self.expect(state, Check::Misuse, None, never);
        Ok(Reply::Never)
    }
}
