//! Where threads meet without a lock: barriers, semaphores, once controls.

use super::{EAGAIN, EINVAL, ETIMEDOUT};
use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::known::{SyncKind, SyncPart};
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::Noting;
use formula::TermId;
use library::{Barrier, Once, Semaphore};

const EOVERFLOW: u128 = 75;
/// Barriers of glibc are for fewer threads than this.
const TOO_MANY: u128 = 0x7fff_ffff;
const MAX_COUNT: u128 = 0x7fff_ffff;
/// What one thread gets from `pthread_barrier_wait`.
const SERIAL_THREAD: u128 = 0xffff_ffff;

/// States of a once control.
const FRESH: u128 = 0;
const RUNNING: u128 = 1;
const DONE: u128 = 2;

impl<'p> Pass<'p> {
    pub fn barrier_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Barrier,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Barrier::AttrInit => return self.init_attributes(state, frame, call),
            Barrier::AttrSet(attribute) => {
                return self.set_attribute(state, frame, call, attribute);
            }
            Barrier::AttrGet(attribute) => {
                return self.get_attribute(state, frame, call, attribute);
            }
            Barrier::AttrDestroy => return self.reply(0),
            _ => {}
        }
        let targets = self.sync_targets(frame, call, 0, SyncKind::Barrier)?;
        let zero = self.int(0);
        match op {
            Barrier::Init => {
                let needed = self.number(call, 2, 32);
                let constant = self.terms.as_constant(needed);
                if constant.is_some_and(|needed| needed == 0 || needed >= TOO_MANY) {
                    return self.reply(EINVAL);
                }
                let may_be_zero = self.terms.range(needed).contains(0);
                if may_be_zero || self.upper_bound(needed) >= TOO_MANY {
                    let what = "a barrier for a number of threads that may be zero or too large";
                    return Err(self.unsupported(frame, what));
                }
                let mut values = vec![(SyncPart::Needed, needed), (SyncPart::Arrived, zero)];
                for thread in self.threads_with(&targets, SyncPart::Waiting) {
                    values.push((SyncPart::Waiting(thread), zero));
                }
                return self.make_sync(state, frame, &targets, &values);
            }
            Barrier::Destroy => {
                return self.destroy_sync(state, frame, &targets, &[SyncPart::Arrived], true);
            }
            _ => {}
        }
        let mine = SyncPart::Waiting(self.thread);
        let threads = self.threads_with(&targets, SyncPart::Waiting);
        let mut parts = vec![SyncPart::Life, SyncPart::Needed, SyncPart::Arrived, mine];
        parts.extend(threads.iter().map(|thread| SyncPart::Waiting(*thread)));
        let Ok(position) = self.begin_sync(state, frame, &[(&targets, &parts)], 0) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, &targets, true) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let one = self.int(1);
        let needed = self.read_part(state, position, &targets, SyncPart::Needed);
        let arrived = self.read_part(state, position, &targets, SyncPart::Arrived);
        let now = self.terms.add(arrived, one);
        let is_last = self.terms.unsigned_less_equal(needed, now);
        let must_wait = self.terms.not(is_last);
        let count = self.terms.ite(is_last, zero, now);
        let always = self.truth();
        self.write_part(state, position, &targets, SyncPart::Arrived, always, count);
        for thread in threads {
            if thread != self.thread {
                let part = SyncPart::Waiting(thread);
                self.write_part(state, position, &targets, part, is_last, zero);
            }
        }
        self.write_part(state, position, &targets, mine, must_wait, one);
        // Leaving is a step of its own, except for the last to arrive.
        let guard = state.guard;
        state.guard = self.terms.and(guard, must_wait);
        if self.terms.as_bool(state.guard) != Some(false) {
            let flow = match self.begin_waiting(state, frame, &[(&targets, &[mine])], 1, true) {
                Err(flow) => flow,
                Ok(position) => {
                    let waiting = self.read_part(state, position, &targets, mine);
                    let released = self.is_zero(waiting);
                    let step = (position, 1);
                    match self.note_wait(state, frame, step, released, Vec::new()) {
                        Some(position) => self.demand(state, Some(position), released),
                        // Nobody else uses the barrier.
                        None => {
                            let stays = self.terms.not(released);
                            let stays = self.terms.and(stays, must_wait);
                            self.stop(state, stays)
                        }
                    }
                }
            };
            if flow == Flow::Dead && self.terms.as_bool(is_last) == Some(false) {
                return Ok(Reply::Never);
            }
        }
        state.guard = guard;
        let serial = self.int(SERIAL_THREAD);
        Ok(Reply::Return(self.terms.ite(is_last, serial, zero)))
    }

    pub fn semaphore_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Semaphore,
        call: &Call,
    ) -> Result<Reply, Error> {
        let targets = self.sync_targets(frame, call, 0, SyncKind::Semaphore)?;
        match op {
            Semaphore::Init => {
                let count = self.number(call, 2, 32);
                return self.make_semaphore(state, frame, &targets, count);
            }
            Semaphore::Destroy => {
                if self.options.checks.has(Check::Misuse) {
                    self.omissions.insert(Omission::SemaphoresInUse);
                }
                return self.destroy_sync(state, frame, &targets, &[], true);
            }
            _ => {}
        }
        let parts = [SyncPart::Life, SyncPart::Count];
        let may_wait = op == Semaphore::Wait;
        let uses: [(&Targets, &[SyncPart]); 1] = [(&targets, &parts)];
        let Ok(position) = self.begin_waiting(state, frame, &uses, 0, may_wait) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, &targets, true) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let count = self.read_part(state, position, &targets, SyncPart::Count);
        let (zero, one, failed) = (self.int(0), self.int(1), self.int(0xffff_ffff));
        let is_positive = self.terms.is_nonzero(count);
        let fewer = self.terms.sub(count, one);
        let (done, new, error) = match op {
            Semaphore::Wait => {
                let step = (position, 0);
                if self.wait_until(state, frame, step, is_positive, Vec::new()) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                (self.truth(), fewer, EAGAIN)
            }
            Semaphore::TryWait => (is_positive, fewer, EAGAIN),
            Semaphore::TimedWait => (is_positive, fewer, ETIMEDOUT),
            Semaphore::Post => {
                let full = self.is(count, MAX_COUNT);
                let more = self.terms.add(count, one);
                (self.terms.not(full), more, EOVERFLOW)
            }
            _ => {
                let address = self.argument(call, 1);
                let place = self.resolve(frame, address, 4, true)?;
                if self.expect(state, Check::Memory, position, place.valid) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                let always = self.truth();
                let whole: Part = (0, 4);
                self.store_to(state, position, &place, &[(whole, count)], always);
                return self.reply(0);
            }
        };
        self.write_part(state, position, &targets, SyncPart::Count, done, new);
        let refused = self.terms.not(done);
        let error = self.int(error);
        self.set_errno(state, refused, error);
        Ok(Reply::Return(self.terms.ite(done, zero, failed)))
    }

    /// Too great a value is refused, and nothing is made of it.
    fn make_semaphore(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        count: TermId,
    ) -> Result<Reply, Error> {
        let most = self.int(MAX_COUNT);
        let is_fine = self.terms.unsigned_less_equal(count, most);
        let values = [(SyncPart::Count, count)];
        let reply = self.make_sync_where(state, frame, targets, &values, is_fine)?;
        if self.terms.as_bool(is_fine) == Some(true) || matches!(reply, Reply::Never) {
            return Ok(reply);
        }
        let (refused, invalid) = (self.terms.not(is_fine), self.int(EINVAL));
        self.set_errno(state, refused, invalid);
        let (zero, failed) = (self.int(0), self.int(0xffff_ffff));
        Ok(Reply::Return(self.terms.ite(is_fine, zero, failed)))
    }

    pub fn once_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Once,
        call: &Call,
    ) -> Result<Reply, Error> {
        let targets = self.sync_targets(frame, call, 0, SyncKind::Once)?;
        match op {
            Once::Once => {}
            Once::GuardAcquire => return self.acquire_guard(state, frame, &targets),
            Once::GuardRelease => return self.leave_guard(state, frame, &targets, DONE),
            Once::GuardAbort => return self.leave_guard(state, frame, &targets, FRESH),
        }
        let parts = [SyncPart::Count];
        let Ok(position) = self.begin_waiting(state, frame, &[(&targets, &parts)], 0, true) else {
            return Ok(Reply::Never);
        };
        let progress = self.read_part(state, position, &targets, SyncPart::Count);
        let running = self.is(progress, RUNNING);
        let possible = self.terms.not(running);
        let step = (position, 0);
        if self.wait_until(state, frame, step, possible, Vec::new()) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let done = self.is(progress, DONE);
        let fresh = self.terms.not(done);
        let value = self.int(RUNNING);
        self.write_part(state, position, &targets, SyncPart::Count, fresh, value);
        let routine = self.argument(call, 1);
        let functions = self.functions_behind(routine);
        let [(_, function)] = functions.as_slice() else {
            return Err(self.unsupported(frame, "a once control with several routines"));
        };
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, fresh);
        let mut result = None;
        if self.terms.as_bool(path.guard) != Some(false) {
            let inner = Call {
                function: *function,
                args: Vec::new(),
                result: None,
                index: 0,
            };
            let is_only_path = frame.is_only_path;
            frame.is_only_path &= self.terms.as_bool(fresh) == Some(true);
            let execution = frame.execution;
            let returned = self.call_function(path, frame, &inner)?;
            frame.is_only_path = is_only_path;
            frame.execution = execution;
            if let Some((mut path, _)) = returned
                && let Ok(position) = self.begin_sync(&mut path, frame, &[(&targets, &parts)], 1)
            {
                let always = self.truth();
                let value = self.int(DONE);
                self.write_part(
                    &mut path,
                    position,
                    &targets,
                    SyncPart::Count,
                    always,
                    value,
                );
                result = Some(path);
            }
        }
        let mut rest = state.clone();
        rest.guard = self.terms.and(rest.guard, done);
        let merged = match (result, self.terms.as_bool(rest.guard)) {
            (Some(path), Some(false)) => path,
            (Some(path), _) => self.merge(path, rest, frame)?,
            (None, Some(false)) => return Ok(Reply::Never),
            (None, _) => rest,
        };
        *state = merged;
        self.reply(0)
    }

    /// Asks whether a static variable of C++ has to be initialised.
    fn acquire_guard(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<Reply, Error> {
        let parts = [SyncPart::Count];
        let Ok(position) = self.begin_waiting(state, frame, &[(targets, &parts)], 0, true) else {
            return Ok(Reply::Never);
        };
        let progress = self.read_part(state, position, targets, SyncPart::Count);
        let running = self.is(progress, RUNNING);
        let possible = self.terms.not(running);
        let step = (position, 0);
        if self.wait_until(state, frame, step, possible, Vec::new()) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let is_fresh = self.is(progress, FRESH);
        let value = self.int(RUNNING);
        self.write_part(state, position, targets, SyncPart::Count, is_fresh, value);
        let (zero, one) = (self.int(0), self.int(1));
        Ok(Reply::Return(self.terms.ite(is_fresh, one, zero)))
    }

    /// The initialisation is done, or was given up. Compilers look at the guard's
    /// first byte before they call.
    fn leave_guard(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        progress: u128,
    ) -> Result<Reply, Error> {
        let mut is_noticed = false;
        for target in &targets.list {
            let object = self.part_object(target, SyncPart::Count);
            is_noticed |= self.is_visible(object, 0, 4);
        }
        if !is_noticed && !self.is_alone {
            self.touch(frame, state);
        }
        let Ok(position) = self.begin_step(state, frame, targets, 1, 0, is_noticed) else {
            return Ok(Reply::Never);
        };
        let always = self.truth();
        let value = self.int(progress);
        self.write_part(state, position, targets, SyncPart::Count, always, value);
        if progress == DONE {
            let one = self.terms.constant(8, 1);
            self.while_noting(Noting::Silent, |pass| {
                pass.store_to(state, position, targets, &[((0, 1), one)], always);
            });
        }
        Ok(Reply::Nothing)
    }
}
