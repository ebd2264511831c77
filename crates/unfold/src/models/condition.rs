//! Condition variables. A wait is two steps: the mutex is given back, and taken again
//! once somebody has signalled.

use super::{EPERM, ETIMEDOUT};
use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::SyncPart;
use crate::facts::sync::SyncKind;
use crate::interruptions::Fate;
use crate::models::mutex::{Held, MUTEX};
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use crate::threads::ThreadId;
use formula::TermId;
use library::Condition;

impl<'p> Pass<'p> {
    pub(crate) fn condition_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Condition,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Condition::AttrInit => return self.init_attributes(state, frame, call),
            Condition::AttrSet(attribute) => {
                return self.set_attribute(state, frame, call, attribute);
            }
            Condition::AttrGet(attribute) => {
                return self.get_attribute(state, frame, call, attribute);
            }
            Condition::AttrDestroy => return self.reply(0),
            _ => {}
        }
        let targets = self.sync_targets(frame, call, 0, SyncKind::Condition)?;
        match op {
            Condition::Wait | Condition::TimedWait => {
                let mutex = self.sync_targets(frame, call, 1, SyncKind::Mutex)?;
                let is_timed = op == Condition::TimedWait;
                self.wait(state, frame, &targets, &mutex, is_timed, ETIMEDOUT)
            }
            Condition::Init => self.make_sync(state, frame, &targets, &[]),
            Condition::Destroy => self.destroy_condition(state, frame, &targets),
            Condition::Broadcast => self.broadcast(state, frame, &targets),
            _ => self.signal(state, frame, &targets),
        }
    }

    pub(crate) fn destroy_condition(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<Reply, Error> {
        let waiting: Vec<SyncPart> = self
            .facts
            .threads_with(targets, SyncPart::Waiting)
            .into_iter()
            .map(SyncPart::Waiting)
            .collect();
        self.destroy_sync(state, frame, targets, &waiting, false)
    }

    pub(crate) fn wait(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        targets: &Targets,
        mutex: &Targets,
        is_timed: bool,
        timed_out: u128,
    ) -> Result<Reply, Error> {
        let waiting = SyncPart::Waiting(self.threads.current());
        let parts = [SyncPart::Life, waiting];
        let uses: [(&Targets, &[SyncPart]); 2] = [(targets, &parts), (mutex, &MUTEX)];
        // First step: give up the mutex and wait.
        let Ok(position) = self.begin_sync(state, frame, &uses, 0) else {
            return Ok(Reply::Never);
        };
        let must_leave = self.must_leave(state, position);
        if self.give_in(state, frame, must_leave)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        for object in [targets, mutex] {
            if self.require_life(state, position, object, false) == Flow::Dead {
                return Ok(Reply::Never);
            }
        }
        let held = self.look_at_mutex(state, position, mutex);
        let allowed = self.terms.or(held.is_own, held.checks_errors);
        if self.expect(state, Check::Misuse, position, allowed) == Flow::Dead {
            return Ok(Reply::Never);
        }
        // Where it is not an error, the mutex is the caller's by now.
        let is_refused = self.terms.not(held.is_own);
        let is_refused = self.terms.and(is_refused, held.checks_errors);
        let waits = self.terms.not(is_refused);
        self.releases(state, position, waits);
        let (zero, one) = (self.int(0), self.int(1));
        // Whoever is late leaves before anybody can wake it. How long before makes no
        // difference, so it does not even begin to wait.
        let is_late = match is_timed {
            true => self.times_out(frame),
            false => self.terms.bool(false),
        };
        let in_time = self.terms.not(is_late);
        let joins = self.terms.and(waits, in_time);
        self.write_part(state, position, targets, waiting, joins, one);
        let mut left = zero;
        if self.terms.as_bool(held.is_recursive) != Some(false) {
            // It is unlocked once, which may not be enough.
            let fewer = self.terms.sub(held.depth, one);
            let is_kept = self.terms.is_nonzero(fewer);
            let is_kept = self.terms.and(is_kept, held.is_recursive);
            left = self.terms.ite(is_kept, held.owner, zero);
            self.write_part(state, position, mutex, SyncPart::Depth, waits, fewer);
        }
        self.write_part(state, position, mutex, SyncPart::Owner, waits, left);
        if !self.options.surroundings.spurious_wakeups {
            self.findings.note_omission(Omission::SpuriousWakeups);
        }
        let late = is_timed.then_some((is_late, timed_out));
        if self.terms.as_bool(is_refused) == Some(false) {
            return self.finish_waiting(state, frame, (targets, mutex), &held, late);
        }
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, waits);
        let reply = self.finish_waiting(&mut path, frame, (targets, mutex), &held, late)?;
        state.guard = self.terms.and(state.guard, is_refused);
        let refused = self.int(EPERM);
        let Reply::Return(result) = reply else {
            return Ok(Reply::Return(refused));
        };
        *state = self.merge(path, state.clone(), frame)?;
        Ok(Reply::Return(self.terms.ite(is_refused, refused, result)))
    }

    /// The second step of a wait: once woken, takes the mutex again. A wait with a
    /// time limit may be late already, and has a result for that.
    fn finish_waiting(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        (targets, mutex): (&Targets, &Targets),
        held: &Held,
        late: Option<(TermId, u128)>,
    ) -> Result<Reply, Error> {
        if self
            .interrupt_wait(state, frame, 1, Fate::GoesOn)?
            .is_none()
        {
            return Ok(Reply::Never);
        }
        let waiting = SyncPart::Waiting(self.threads.current());
        let waiting_parts = [waiting];
        let uses: [(&Targets, &[SyncPart]); 2] = [(targets, &waiting_parts), (mutex, &MUTEX)];
        let Ok(mut position) = self.begin_waiting(state, frame, &uses, 1, true) else {
            return Ok(Reply::Never);
        };
        let (always, zero, me) = (self.truth(), self.int(0), self.me());
        let still = self.read_part(state, position, targets, waiting);
        let is_waiting = self.terms.is_nonzero(still);
        let is_woken = self.terms.not(is_waiting);
        let owner = self.read_part(state, position, mutex, SyncPart::Owner);
        let mut is_free = words::is_zero(&mut self.terms, owner);
        let is_recursive = self.terms.as_bool(held.is_recursive) != Some(false);
        if is_recursive {
            let is_kept = self.terms.equal(owner, me);
            is_free = self.terms.or(is_free, is_kept);
        }
        let mut can_go_on = self.truth();
        if late.is_none() && !self.options.surroundings.spurious_wakeups {
            can_go_on = is_woken;
        }
        let must_leave = self.must_leave(state, position);
        let must_leave = self.terms.and(must_leave, is_waiting);
        can_go_on = self.terms.or(can_go_on, must_leave);
        let holders = self.owners(owner, can_go_on);
        position = self.note_wait(state, frame, (position, 1), can_go_on, Vec::new());
        position = self.note_wait(state, frame, (position, 1), is_free, holders);
        let possible = self.terms.all(&[is_free, can_go_on]);
        if self.demand(state, position, possible) == Flow::Dead
            || self.require_life(state, position, mutex, false) == Flow::Dead
        {
            return Ok(Reply::Never);
        }
        self.acquires(state, position, always);
        let mut result = zero;
        if let Some((is_late, timed_out)) = late {
            let mut gives_up = is_waiting;
            if self.options.surroundings.spurious_wakeups {
                let chosen = self.times_out(frame);
                gives_up = self.terms.and(is_waiting, chosen);
            }
            let is_late = self.terms.or(is_late, gives_up);
            let timed_out = self.int(timed_out);
            result = self.terms.ite(is_late, timed_out, zero);
        }
        self.write_part(state, position, targets, waiting, is_waiting, zero);
        self.write_part(state, position, mutex, SyncPart::Owner, always, me);
        if is_recursive {
            self.write_part(state, position, mutex, SyncPart::Depth, always, held.depth);
        }
        if self.give_in(state, frame, must_leave)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        Ok(Reply::Return(result))
    }

    /// Begins a step that wakes threads: those that may wait at all.
    fn begin_waking(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<(Option<usize>, Vec<ThreadId>), Flow> {
        let threads = self.facts.threads_with(targets, SyncPart::Waiting);
        let mut parts = vec![SyncPart::Life];
        parts.extend(threads.iter().map(|thread| SyncPart::Waiting(*thread)));
        let position = self.begin_sync(state, frame, &[(targets, &parts)], 0)?;
        match self.require_life(state, position, targets, false) {
            Flow::Dead => Err(Flow::Dead),
            Flow::Next => Ok((position, threads)),
        }
    }

    pub(crate) fn signal(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<Reply, Error> {
        let Ok((position, threads)) = self.begin_waking(state, frame, targets) else {
            return Ok(Reply::Never);
        };
        let mut flags = Vec::new();
        for thread in &threads {
            let flag = self.read_part(state, position, targets, SyncPart::Waiting(*thread));
            flags.push(self.terms.is_nonzero(flag));
        }
        // Waiters are numbered in the order of threads; the input says which one.
        let zero = self.int(0);
        let one = self.int(1);
        let choice = if threads.len() > 1 {
            let last = u128::from(threads.len() as u32 - 1);
            let range = formula::Range::from_unsigned(32, 0..=last);
            let choice = self.terms.new_variable_in("waiter", range);
            self.threads.note_input(frame, choice);
            choice
        } else {
            zero
        };
        let mut before = zero;
        for (thread, flag) in threads.iter().zip(flags) {
            let is_number = self.terms.equal(before, choice);
            let chosen = self.terms.and(flag, is_number);
            let part = SyncPart::Waiting(*thread);
            self.write_part(state, position, targets, part, chosen, zero);
            let more = self.terms.add(before, one);
            before = self.terms.ite(flag, more, before);
        }
        if threads.len() > 1 {
            let nobody = words::is_zero(&mut self.terms, before);
            let in_range = self.terms.unsigned_less(choice, before);
            let fine = self.terms.or(nobody, in_range);
            if self.demand(state, position, fine) == Flow::Dead {
                return Ok(Reply::Never);
            }
        }
        self.reply(0)
    }

    pub(crate) fn broadcast(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<Reply, Error> {
        let Ok((position, threads)) = self.begin_waking(state, frame, targets) else {
            return Ok(Reply::Never);
        };
        let (always, zero) = (self.truth(), self.int(0));
        for thread in threads {
            let part = SyncPart::Waiting(thread);
            self.write_part(state, position, targets, part, always, zero);
        }
        self.reply(0)
    }
}
