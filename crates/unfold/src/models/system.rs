//! Calls of the operating system by number. Who waits at a futex has its address in
//! a cell of its own, which those who wake look at.

use super::{EAGAIN, EINVAL, ETIMEDOUT};
use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::Facts;
use crate::facts::objects::{ObjectId, ObjectKey, ThreadPart};
use crate::interruptions::Fate;
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::{Mode, Noting};
use crate::threads::ThreadId;
use crate::validity::Seen;
use formula::TermId;

/// `FUTEX_PRIVATE_FLAG` and `FUTEX_CLOCK_REALTIME`.
const FLAGS: u128 = 128 | 256;

/// `FUTEX_BITSET_MATCH_ANY`.
const ALL_BITS: u128 = 0xffff_ffff;

/// A thread that may wait at the futex at hand.
struct Waiter {
    place: ObjectId,
    /// Whether it does, and is still to be chosen.
    is_left: TermId,
}

impl Facts {
    /// Where a thread waits, and for which bits. Those who wake look for all of them.
    fn futex_parts(&mut self, thread: ThreadId, word: u64) -> (ObjectId, ObjectId) {
        let key = ObjectKey::Thread(thread, ThreadPart::FutexPlace);
        if self.objects.find(&key).is_none() {
            self.objects.note_news();
        }
        let place = self.thread_object(thread, ThreadPart::FutexPlace, word);
        let bits = self.thread_object(thread, ThreadPart::FutexBits, 4);
        (place, bits)
    }

    fn may_wait_at_futex(&self, thread: ThreadId) -> bool {
        let key = ObjectKey::Thread(thread, ThreadPart::FutexPlace);
        self.objects.find(&key).is_some()
    }
}

impl<'p> Pass<'p> {
    pub(crate) fn system_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let number = self.constant_argument(frame, call, 0)?;
        let is_wide = self.program.target.pointer_bytes == 8;
        match (number, is_wide) {
            (202, true) | (240, false) => self.futex(state, frame, call),
            (186, true) | (224, false) => {
                let number = 1000 + u128::from(self.threads.current().as_u32());
                self.reply(number)
            }
            (39, true) | (20, false) => self.reply(1000),
            (24, true) | (158, false) => self.reply(0),
            (324, true) | (375, false) if self.constant_argument(frame, call, 1)? != 0 => {
                self.reply(0)
            }
            _ => Err(self.unsupported(frame, format!("the system call {number}"))),
        }
    }

    fn futex(&mut self, state: &mut State, frame: &mut Frame, call: &Call) -> Result<Reply, Error> {
        let operation = self.constant_argument(frame, call, 2)? & 0xffff_ffff & !FLAGS;
        let bits = match operation {
            9 | 10 => self.constant_argument(frame, call, 6)? & ALL_BITS,
            _ => ALL_BITS,
        };
        if bits == 0 {
            let (always, error) = (self.truth(), self.int(EINVAL));
            self.set_errno(state, always, error);
            return Ok(Reply::Return(self.failure()));
        }
        match operation {
            0 | 9 => self.wait_at_futex(state, frame, call, bits),
            1 | 10 => {
                let Ok(position) = self.begin_futex_step(state, frame, None, 0) else {
                    return Ok(Reply::Never);
                };
                let (_, count) = self.wake(state, frame, position, call, bits)?;
                Ok(Reply::Return(count))
            }
            3 | 4 => self.requeue(state, frame, call, operation == 4),
            _ => {
                let what = format!("the operation {operation} on a futex");
                Err(self.unsupported(frame, what))
            }
        }
    }

    /// -1.
    fn failure(&mut self) -> TermId {
        let word = self.word();
        self.terms.constant(word, u128::MAX >> (128 - word))
    }

    /// Begins a step that has to do with a futex, and may look at its word.
    fn begin_futex_step(
        &mut self,
        state: &mut State,
        frame: &Frame,
        word: Option<&Targets>,
        part: u32,
    ) -> Result<Option<usize>, Flow> {
        let nowhere = Targets {
            list: Vec::new(),
            valid: self.truth(),
            seen: Seen::AtStep,
            only_where: None,
        };
        let is_step = !self.prologue.is_alone();
        let targets = word.unwrap_or(&nowhere);
        self.begin_step(state, frame, targets, 4, part, is_step)
    }

    fn futex_word(&mut self, frame: &Frame, call: &Call) -> Result<Targets, Error> {
        let address = self.argument(call, 1);
        let mut targets = self.resolve(frame, address, 4, false)?;
        targets.seen = Seen::AtStep;
        Ok(targets)
    }

    fn read_futex_word(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
    ) -> TermId {
        let mode = Mode {
            is_write: false,
            is_atomic: true,
        };
        self.note_targets(state, position, targets, 4, mode);
        let whole: Part = (0, 4);
        let values = self.while_noting(Noting::Silent, |pass| {
            pass.load_from(state, position, targets, &[whole])
        });
        match values.first() {
            Some(value) => *value,
            None => self.int(0),
        }
    }

    fn wait_at_futex(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
        bits: u128,
    ) -> Result<Reply, Error> {
        let limit = self.argument(call, 4);
        let is_untimed = words::is_zero(&mut self.terms, limit);
        let Some(is_untimed) = self.terms.as_bool(is_untimed) else {
            return Err(self.unsupported(frame, "a time limit that may be null or not"));
        };
        let size = self.program.target.pointer_bytes;
        let address = self.argument(call, 1);
        let (place, bits_place) = self.facts.futex_parts(self.threads.current(), size);
        let word = self.futex_word(frame, call)?;
        let Ok(position) = self.begin_futex_step(state, frame, Some(&word), 0) else {
            return Ok(Reply::Never);
        };
        let value = self.read_futex_word(state, position, &word);
        let expected = self.number(call, 3, 32);
        let waits = self.terms.equal(value, expected);
        self.write_at(state, position, place, 0, size, waits, address);
        let bits = self.int(bits);
        self.write_at(state, position, bits_place, 0, 4, waits, bits);
        if !self.options.surroundings.spurious_wakeups {
            self.findings.note_omission(Omission::SpuriousWakeups);
        }
        let differs = self.terms.not(waits);
        let (failure, error) = (self.failure(), self.int(EAGAIN));
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, waits);
        let woken = match self.terms.as_bool(path.guard) {
            Some(false) => None,
            _ => self.leave_futex(&mut path, frame, is_untimed)?,
        };
        state.guard = self.terms.and(state.guard, differs);
        self.set_errno(state, differs, error);
        let is_changed = self.terms.as_bool(state.guard) != Some(false);
        match woken {
            Some(result) if is_changed => {
                *state = self.merge(path, state.clone(), frame)?;
                Ok(Reply::Return(self.terms.ite(waits, result, failure)))
            }
            Some(result) => {
                *state = path;
                Ok(Reply::Return(result))
            }
            None if is_changed => Ok(Reply::Return(failure)),
            None => Ok(Reply::Never),
        }
    }

    /// The second step of a wait; `None` if nobody gets beyond it.
    fn leave_futex(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        is_untimed: bool,
    ) -> Result<Option<TermId>, Error> {
        let size = self.program.target.pointer_bytes;
        let (place, _) = self.facts.futex_parts(self.threads.current(), size);
        let Some(fails) = self.interrupt_wait(state, frame, 1, Fate::MayFail)? else {
            return Ok(None);
        };
        if self.terms.as_bool(fails) != Some(false) {
            let what = "a wait at a futex that a signal may end";
            return Err(self.unsupported(frame, what));
        }
        let Ok(position) = self.begin_futex_step(state, frame, None, 1) else {
            return Ok(None);
        };
        let always = self.truth();
        let still = self.read_at(state, position, place, 0, size, always);
        let is_waiting = self.terms.is_nonzero(still);
        let is_woken = self.terms.not(is_waiting);
        let may_be_spurious = self.options.surroundings.spurious_wakeups;
        if is_untimed && !may_be_spurious {
            let step = (position, 1);
            if self.wait_until(state, frame, step, is_woken, Vec::new()) == Flow::Dead {
                return Ok(None);
            }
        }
        let word = self.word();
        let nowhere = self.terms.constant(word, 0);
        self.write_at(state, position, place, 0, size, is_waiting, nowhere);
        if is_untimed {
            return Ok(Some(nowhere));
        }
        let mut is_late = is_waiting;
        if may_be_spurious {
            let chosen = self.times_out(frame);
            is_late = self.terms.and(is_late, chosen);
        }
        let (failure, error) = (self.failure(), self.int(ETIMEDOUT));
        self.set_errno(state, is_late, error);
        Ok(Some(self.terms.ite(is_late, failure, nowhere)))
    }

    /// Wakes those who wait, as many as the call says. Returns who is left, and how
    /// many were woken.
    fn wake(
        &mut self,
        state: &mut State,
        frame: &Frame,
        position: Option<usize>,
        call: &Call,
        bits: u128,
    ) -> Result<(Vec<Waiter>, TermId), Error> {
        let size = self.program.target.pointer_bytes;
        let address = self.argument(call, 1);
        let bits = self.int(bits);
        let mut waiters = Vec::new();
        for number in 0..self.facts.threads.count() {
            let thread = ThreadId::from_u32(number as u32);
            if thread == self.threads.current() || !self.facts.may_wait_at_futex(thread) {
                continue;
            }
            let (place, bits_place) = self.facts.futex_parts(thread, size);
            let always = self.truth();
            let there = self.read_at(state, position, place, 0, size, always);
            let wanted = self.read_at(state, position, bits_place, 0, 4, always);
            let common = self.terms.bit_and(wanted, bits);
            let is_meant = self.terms.is_nonzero(common);
            let is_here = self.terms.equal(there, address);
            let is_anywhere = self.terms.is_nonzero(there);
            let is_left = self.terms.all(&[is_here, is_anywhere, is_meant]);
            waiters.push(Waiter { place, is_left });
        }
        let most = self.constant_argument(frame, call, 3)? & 0xffff_ffff;
        let chosen = self.choose_waiters(state, frame, position, &mut waiters, most)?;
        let word = self.word();
        let (nowhere, one) = (self.terms.constant(word, 0), self.terms.constant(word, 1));
        let mut count = nowhere;
        for (waiter, is_chosen) in waiters.iter().zip(chosen) {
            self.write_at(state, position, waiter.place, 0, size, is_chosen, nowhere);
            let more = self.terms.add(count, one);
            count = self.terms.ite(is_chosen, more, count);
        }
        Ok((waiters, count))
    }

    /// Which of those who wait are taken, at most so many.
    fn choose_waiters(
        &mut self,
        state: &mut State,
        frame: &Frame,
        position: Option<usize>,
        waiters: &mut [Waiter],
        most: u128,
    ) -> Result<Vec<TermId>, Error> {
        let never = self.terms.bool(false);
        let mut chosen = vec![never; waiters.len()];
        if most >= waiters.len() as u128 {
            for (waiter, is_chosen) in waiters.iter_mut().zip(&mut chosen) {
                *is_chosen = std::mem::replace(&mut waiter.is_left, never);
            }
            return Ok(chosen);
        }
        let (zero, one) = (self.int(0), self.int(1));
        for _ in 0..most {
            // Those who are left are numbered in the order of threads.
            let last = waiters.len() as u128 - 1;
            let range = formula::Range::from_unsigned(32, 0..=last);
            let choice = self.terms.new_variable_in("waiter", range);
            self.threads.note_input(frame, choice);
            let mut before = zero;
            for (waiter, is_chosen) in waiters.iter_mut().zip(&mut chosen) {
                let is_number = self.terms.equal(before, choice);
                let is_this = self.terms.and(waiter.is_left, is_number);
                let more = self.terms.add(before, one);
                before = self.terms.ite(waiter.is_left, more, before);
                *is_chosen = self.terms.or(*is_chosen, is_this);
                let is_other = self.terms.not(is_this);
                waiter.is_left = self.terms.and(waiter.is_left, is_other);
            }
            let nobody = words::is_zero(&mut self.terms, before);
            let in_range = self.terms.unsigned_less(choice, before);
            let fine = self.terms.or(nobody, in_range);
            if self.demand(state, position, fine) == Flow::Dead {
                return Ok(chosen);
            }
        }
        Ok(chosen)
    }

    fn requeue(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        compares: bool,
    ) -> Result<Reply, Error> {
        let size = self.program.target.pointer_bytes;
        let word = match compares {
            true => Some(self.futex_word(frame, call)?),
            false => None,
        };
        let Ok(position) = self.begin_futex_step(state, frame, word.as_ref(), 0) else {
            return Ok(Reply::Never);
        };
        if let Some(word) = &word {
            let value = self.read_futex_word(state, position, word);
            let expected = self.number(call, 6, 32);
            let is_same = self.terms.equal(value, expected);
            if self.terms.as_bool(is_same) != Some(true) {
                let differs = self.terms.not(is_same);
                return self.requeue_if(state, frame, (position, call), differs);
            }
        }
        let (woken, moved) = self.requeue_now(state, frame, (position, call), size)?;
        let both = self.terms.add(woken, moved);
        Ok(Reply::Return(if compares { both } else { woken }))
    }

    /// Requeues unless the word has changed.
    fn requeue_if(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (position, call): (Option<usize>, &Call),
        differs: TermId,
    ) -> Result<Reply, Error> {
        let size = self.program.target.pointer_bytes;
        let mut path = state.clone();
        let is_same = self.terms.not(differs);
        path.guard = self.terms.and(path.guard, is_same);
        let (woken, moved) = self.requeue_now(&mut path, frame, (position, call), size)?;
        let both = self.terms.add(woken, moved);
        state.guard = self.terms.and(state.guard, differs);
        let (failure, error) = (self.failure(), self.int(EAGAIN));
        self.set_errno(state, differs, error);
        *state = self.merge(path, state.clone(), frame)?;
        Ok(Reply::Return(self.terms.ite(differs, failure, both)))
    }

    /// How many were woken, and how many wait elsewhere from now on.
    fn requeue_now(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (position, call): (Option<usize>, &Call),
        size: u64,
    ) -> Result<(TermId, TermId), Error> {
        let (mut left, woken) = self.wake(state, frame, position, call, ALL_BITS)?;
        let most = self.constant_argument(frame, call, 4)? & 0xffff_ffff;
        if most != 0 && most < left.len() as u128 {
            return Err(self.unsupported(frame, "a futex that only some are moved away from"));
        }
        let chosen = self.choose_waiters(state, frame, position, &mut left, most)?;
        let to = self.argument(call, 5);
        let word = self.word();
        let (mut moved, one) = (self.terms.constant(word, 0), self.terms.constant(word, 1));
        for (waiter, is_chosen) in left.iter().zip(chosen) {
            self.write_at(state, position, waiter.place, 0, size, is_chosen, to);
            let more = self.terms.add(moved, one);
            moved = self.terms.ite(is_chosen, more, moved);
        }
        Ok((woken, moved))
    }
}
