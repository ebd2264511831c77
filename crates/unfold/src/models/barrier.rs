//! Barriers: whoever arrives waits until all have arrived.

use super::EINVAL;
use crate::Error;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::objects::SyncPart;
use crate::facts::sync::SyncKind;
use crate::pass::{Flow, Frame, Pass, State};
use library::Barrier;

/// Barriers of glibc are for fewer threads than this.
const TOO_MANY: u128 = 0x7fff_ffff;

/// What one thread gets from `pthread_barrier_wait`.
const SERIAL_THREAD: u128 = 0xffff_ffff;

impl<'p> Pass<'p> {
    pub(crate) fn barrier_model(
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
                for thread in self.facts.threads_with(&targets, SyncPart::Waiting) {
                    values.push((SyncPart::Waiting(thread), zero));
                }
                return self.make_sync(state, frame, &targets, &values);
            }
            Barrier::Destroy => {
                return self.destroy_sync(state, frame, &targets, &[SyncPart::Arrived], true);
            }
            _ => {}
        }
        let mine = SyncPart::Waiting(self.threads.current());
        let threads = self.facts.threads_with(&targets, SyncPart::Waiting);
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
        // The last to arrive has seen all others arrive, and lets them go.
        self.releases(state, position, always);
        self.acquires(state, position, always);
        self.write_part(state, position, &targets, SyncPart::Arrived, always, count);
        for thread in threads {
            if thread != self.threads.current() {
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
                    self.acquires(state, position, always);
                    let waiting = self.read_part(state, position, &targets, mine);
                    let released = words::is_zero(&mut self.terms, waiting);
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
}
