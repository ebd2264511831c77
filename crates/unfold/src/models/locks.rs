//! Mutexes, condition variables, read-write locks, spin locks.

use super::{EBUSY, EDEADLK, EPERM, ETIMEDOUT};
use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::known::{SyncKind, SyncPart};
use crate::locksets::Grip;
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use crate::threads::ThreadId;
use formula::TermId;
use library::{Condition, Mutex, RwLock, Spin};

/// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP.
const PREFER_WRITERS: u128 = 2;

/// Everything a mutex consists of.
pub const MUTEX: [SyncPart; 4] = [
    SyncPart::Life,
    SyncPart::Kind,
    SyncPart::Owner,
    SyncPart::Depth,
];

/// A mutex as a step finds it.
struct Held {
    owner: TermId,
    depth: TermId,
    is_free: TermId,
    is_own: TermId,
    is_recursive: TermId,
    checks_errors: TermId,
}

/// How a lock is to be taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Wait,
    Try,
    Timed,
}

impl<'p> Pass<'p> {
    pub fn mutex_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Mutex,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Mutex::AttrInit => return self.init_attributes(state, frame, call),
            Mutex::AttrSet(attribute) => return self.set_attribute(state, frame, call, attribute),
            Mutex::AttrGet(attribute) => return self.get_attribute(state, frame, call, attribute),
            Mutex::AttrDestroy => return self.reply(0),
            _ => {}
        }
        let targets = self.sync_targets(frame, call, 0, SyncKind::Mutex)?;
        match op {
            Mutex::Init => {
                let kind = self.attribute(state, frame, call, (1, 0))?;
                self.init_mutex(state, frame, &targets, kind)
            }
            Mutex::Destroy => self.destroy_sync(state, frame, &targets, &[SyncPart::Owner], false),
            Mutex::Lock => self.lock(state, frame, &targets, Manner::Wait, 0),
            Mutex::TryLock => self.lock(state, frame, &targets, Manner::Try, EBUSY),
            Mutex::TimedLock => self.lock(state, frame, &targets, Manner::Timed, ETIMEDOUT),
            _ => self.unlock(state, frame, &targets, true),
        }
    }

    pub fn init_mutex(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        kind: TermId,
    ) -> Result<Reply, Error> {
        let zero = self.int(0);
        let values = [
            (SyncPart::Kind, kind),
            (SyncPart::Owner, zero),
            (SyncPart::Depth, zero),
        ];
        self.make_sync(state, frame, targets, &values)
    }

    /// The kind of a mutex: as it was made, or as its static initialiser says,
    /// which sets one field of glibc's struct.
    fn mutex_kind(&mut self, state: &State, position: Option<usize>, targets: &Targets) -> TermId {
        let made = self.read_part(state, position, targets, SyncPart::Kind);
        let life = self.read_part(state, position, targets, SyncPart::Life);
        let at = if self.program.target.pointer_bytes == 4 {
            12
        } else {
            16
        };
        let mut fixed = self.int(0);
        for target in &targets.list {
            let at = target.offset + at;
            if at + 4 <= self.known.objects[target.object].size {
                let field = self.peek(state, target.object, at, 4);
                if self.terms.as_constant(field).is_some() {
                    fixed = self.terms.ite(target.condition, field, fixed);
                }
            }
        }
        let is_made = self.terms.is_nonzero(life);
        self.terms.ite(is_made, made, fixed)
    }

    fn look_at_mutex(&mut self, state: &State, position: Option<usize>, targets: &Targets) -> Held {
        let kind = self.mutex_kind(state, position, targets);
        let low = self.terms.extract(kind, 1, 0);
        let (is_recursive, checks_errors) = (self.is(low, 1), self.is(low, 2));
        let owner = self.read_part(state, position, targets, SyncPart::Owner);
        let depth = if self.terms.as_bool(is_recursive) == Some(false) {
            self.int(1)
        } else {
            self.read_part(state, position, targets, SyncPart::Depth)
        };
        let is_free = self.is_zero(owner);
        let me = self.me();
        Held {
            owner,
            depth,
            is_free,
            is_own: self.terms.equal(owner, me),
            is_recursive,
            checks_errors,
        }
    }

    pub fn lock(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        manner: Manner,
        busy: u128,
    ) -> Result<Reply, Error> {
        let may_wait = manner == Manner::Wait;
        let uses: [(&Targets, &[SyncPart]); 1] = [(targets, &MUTEX)];
        let Ok(position) = self.begin_waiting(state, frame, &uses, 0, may_wait) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, targets, false) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let mutex = self.look_at_mutex(state, position, targets);
        let again = self.terms.and(mutex.is_own, mutex.is_recursive);
        let refused = self.terms.and(mutex.is_own, mutex.checks_errors);
        let can_take = self.terms.or(mutex.is_free, again);
        let possible = self.terms.or(can_take, refused);
        let (taken, result) = match manner {
            Manner::Wait => {
                let always = self.truth();
                let holders = self.owners(mutex.owner, always);
                let step = (position, 0);
                if self.wait_until(state, frame, step, possible, holders) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                self.note_lock(state, targets, Grip::Alone);
                (can_take, self.int(0))
            }
            Manner::Try => {
                let (zero, busy) = (self.int(0), self.int(busy));
                (can_take, self.terms.ite(can_take, zero, busy))
            }
            Manner::Timed => {
                let (zero, busy) = (self.int(0), self.int(busy));
                (can_take, self.terms.ite(possible, zero, busy))
            }
        };
        let me = self.me();
        self.write_part(state, position, targets, SyncPart::Owner, taken, me);
        if self.terms.as_bool(mutex.is_recursive) != Some(false) {
            let one = self.int(1);
            let more = self.terms.add(mutex.depth, one);
            let depth = self.terms.ite(mutex.is_free, one, more);
            self.write_part(state, position, targets, SyncPart::Depth, taken, depth);
        }
        let result = if manner == Manner::Try {
            result
        } else {
            let deadlock = self.int(EDEADLK);
            let is_success = self.is(result, 0);
            let refused = self.terms.and(refused, is_success);
            self.terms.ite(refused, deadlock, result)
        };
        Ok(Reply::Return(result))
    }

    /// Gives a mutex up. If it is not the caller's, those that know their owner say
    /// so, provided that they are of the family that does.
    pub fn unlock(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        may_refuse: bool,
    ) -> Result<Reply, Error> {
        let Ok(position) = self.begin_sync(state, frame, &[(targets, &MUTEX)], 0) else {
            return Ok(Reply::Never);
        };
        self.note_unlock(state, targets);
        if self.require_life(state, position, targets, false) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let mutex = self.look_at_mutex(state, position, targets);
        let mut allowed = mutex.is_own;
        if may_refuse {
            let knows_owner = self.terms.or(mutex.checks_errors, mutex.is_recursive);
            allowed = self.terms.or(allowed, knows_owner);
        }
        if self.expect(state, Check::Misuse, position, allowed) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let (zero, one) = (self.int(0), self.int(1));
        let mut owner = zero;
        if self.terms.as_bool(mutex.is_recursive) != Some(false) {
            let still = self.terms.unsigned_less(one, mutex.depth);
            let still = self.terms.and(still, mutex.is_recursive);
            owner = self.terms.ite(still, mutex.owner, zero);
            let depth = self.terms.sub(mutex.depth, one);
            let depth = self.terms.ite(still, depth, zero);
            self.write_part(
                state,
                position,
                targets,
                SyncPart::Depth,
                mutex.is_own,
                depth,
            );
        }
        self.write_part(
            state,
            position,
            targets,
            SyncPart::Owner,
            mutex.is_own,
            owner,
        );
        let refused = self.int(EPERM);
        Ok(Reply::Return(self.terms.ite(mutex.is_own, zero, refused)))
    }

    // Condition variables.

    pub fn condition_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
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

    pub fn destroy_condition(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<Reply, Error> {
        let waiting: Vec<SyncPart> = self
            .threads_with(targets, SyncPart::Waiting)
            .into_iter()
            .map(SyncPart::Waiting)
            .collect();
        self.destroy_sync(state, frame, targets, &waiting, false)
    }

    pub fn wait(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        mutex: &Targets,
        is_timed: bool,
        timed_out: u128,
    ) -> Result<Reply, Error> {
        let waiting = SyncPart::Waiting(self.thread);
        let parts = [SyncPart::Life, waiting];
        let uses: [(&Targets, &[SyncPart]); 2] = [(targets, &parts), (mutex, &MUTEX)];
        // First step: give up the mutex and wait.
        let Ok(position) = self.begin_sync(state, frame, &uses, 0) else {
            return Ok(Reply::Never);
        };
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
            self.omissions.insert(Omission::SpuriousWakeups);
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
        frame: &Frame,
        (targets, mutex): (&Targets, &Targets),
        held: &Held,
        late: Option<(TermId, u128)>,
    ) -> Result<Reply, Error> {
        let waiting = SyncPart::Waiting(self.thread);
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
        let mut is_free = self.is_zero(owner);
        let is_recursive = self.terms.as_bool(held.is_recursive) != Some(false);
        if is_recursive {
            let is_kept = self.terms.equal(owner, me);
            is_free = self.terms.or(is_free, is_kept);
        }
        let mut can_go_on = self.truth();
        if late.is_none() && !self.options.surroundings.spurious_wakeups {
            can_go_on = is_woken;
        }
        let holders = self.owners(owner, can_go_on);
        position = self.note_wait(state, frame, (position, 1), can_go_on, Vec::new());
        position = self.note_wait(state, frame, (position, 1), is_free, holders);
        let possible = self.terms.all(&[is_free, can_go_on]);
        if self.demand(state, position, possible) == Flow::Dead
            || self.require_life(state, position, mutex, false) == Flow::Dead
        {
            return Ok(Reply::Never);
        }
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
        Ok(Reply::Return(result))
    }

    /// Begins a step that wakes threads: those that may wait at all.
    fn begin_waking(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
    ) -> Result<(Option<usize>, Vec<ThreadId>), Flow> {
        let threads = self.threads_with(targets, SyncPart::Waiting);
        let mut parts = vec![SyncPart::Life];
        parts.extend(threads.iter().map(|thread| SyncPart::Waiting(*thread)));
        let position = self.begin_sync(state, frame, &[(targets, &parts)], 0)?;
        match self.require_life(state, position, targets, false) {
            Flow::Dead => Err(Flow::Dead),
            Flow::Next => Ok((position, threads)),
        }
    }

    pub fn signal(
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
            self.note_input(frame, choice);
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
            let nobody = self.is_zero(before);
            let in_range = self.terms.unsigned_less(choice, before);
            let fine = self.terms.or(nobody, in_range);
            if self.demand(state, position, fine) == Flow::Dead {
                return Ok(Reply::Never);
            }
        }
        self.reply(0)
    }

    pub fn broadcast(
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

    // Read-write locks.

    pub fn rwlock_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: RwLock,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            RwLock::AttrInit => return self.init_attributes(state, frame, call),
            RwLock::AttrSetKind(attribute) => {
                let kind = self.number(call, 1, 32);
                if self.terms.range(kind).contains(PREFER_WRITERS) {
                    let what = "read-write locks at which readers wait behind writers that wait";
                    return Err(self.unsupported(frame, what));
                }
                return self.set_attribute(state, frame, call, attribute);
            }
            RwLock::AttrSet(attribute) => return self.set_attribute(state, frame, call, attribute),
            RwLock::AttrGet(attribute) => return self.get_attribute(state, frame, call, attribute),
            RwLock::AttrDestroy => return self.reply(0),
            _ => {}
        }
        let targets = self.sync_targets(frame, call, 0, SyncKind::RwLock)?;
        match op {
            RwLock::Init => {
                let zero = self.int(0);
                let mut values = vec![(SyncPart::Owner, zero), (SyncPart::Readers, zero)];
                for thread in self.threads_with(&targets, SyncPart::Reader) {
                    values.push((SyncPart::Reader(thread), zero));
                }
                return self.make_sync(state, frame, &targets, &values);
            }
            RwLock::Destroy => {
                let idle = [SyncPart::Owner, SyncPart::Readers];
                return self.destroy_sync(state, frame, &targets, &idle, false);
            }
            _ => {}
        }
        let mine = SyncPart::Reader(self.thread);
        let parts = [SyncPart::Life, SyncPart::Owner, SyncPart::Readers, mine];
        let may_wait = matches!(op, RwLock::ReadLock | RwLock::WriteLock);
        let uses: [(&Targets, &[SyncPart]); 1] = [(&targets, &parts)];
        let Ok(position) = self.begin_waiting(state, frame, &uses, 0, may_wait) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, &targets, false) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let (zero, one, me) = (self.int(0), self.int(1), self.me());
        let writer = self.read_part(state, position, &targets, SyncPart::Owner);
        let readers = self.read_part(state, position, &targets, SyncPart::Readers);
        let own_reads = self.read_part(state, position, &targets, mine);
        let is_own = self.terms.equal(writer, me);
        let no_writer = self.is_zero(writer);
        let no_reader = self.is_zero(readers);
        if op == RwLock::Unlock {
            self.note_unlock(state, &targets);
            let reads = self.terms.is_nonzero(own_reads);
            let holds = self.terms.or(is_own, reads);
            if self.expect(state, Check::Misuse, position, holds) == Flow::Dead {
                return Ok(Reply::Never);
            }
            let fewer = self.terms.sub(readers, one);
            let own_fewer = self.terms.sub(own_reads, one);
            self.write_part(state, position, &targets, SyncPart::Readers, reads, fewer);
            self.write_part(state, position, &targets, mine, reads, own_fewer);
            self.write_part(state, position, &targets, SyncPart::Owner, is_own, zero);
            return self.reply(0);
        }
        let is_write = matches!(
            op,
            RwLock::WriteLock | RwLock::TryWriteLock | RwLock::TimedWriteLock
        );
        let free = if is_write {
            self.terms.and(no_writer, no_reader)
        } else {
            no_writer
        };
        let possible = self.terms.or(free, is_own);
        let (busy, late, refused) = (self.int(EBUSY), self.int(ETIMEDOUT), self.int(EDEADLK));
        let (taken, result) = match op {
            RwLock::ReadLock | RwLock::WriteLock => {
                let always = self.truth();
                let mut holders = self.owners(writer, always);
                if is_write {
                    holders.extend(self.readers(state, position, &targets));
                }
                let step = (position, 0);
                if self.wait_until(state, frame, step, possible, holders) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                let grip = match is_write {
                    true => Grip::Alone,
                    false => Grip::Shared,
                };
                self.note_lock(state, &targets, grip);
                (free, self.terms.ite(is_own, refused, zero))
            }
            RwLock::TryReadLock | RwLock::TryWriteLock => (free, self.terms.ite(free, zero, busy)),
            _ => {
                let in_time = self.terms.ite(is_own, refused, zero);
                (free, self.terms.ite(possible, in_time, late))
            }
        };
        if is_write {
            self.write_part(state, position, &targets, SyncPart::Owner, taken, me);
        } else {
            let more = self.terms.add(readers, one);
            let own_more = self.terms.add(own_reads, one);
            self.write_part(state, position, &targets, SyncPart::Readers, taken, more);
            self.write_part(state, position, &targets, mine, taken, own_more);
        }
        Ok(Reply::Return(result))
    }

    // Spin locks.

    pub fn spin_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Spin,
        call: &Call,
    ) -> Result<Reply, Error> {
        let targets = self.sync_targets(frame, call, 0, SyncKind::Spin)?;
        let zero = self.int(0);
        match op {
            Spin::Init => {
                return self.make_sync(state, frame, &targets, &[(SyncPart::Owner, zero)]);
            }
            Spin::Destroy => {
                return self.destroy_sync(state, frame, &targets, &[SyncPart::Owner], true);
            }
            Spin::Lock | Spin::TryLock | Spin::Unlock => {}
        }
        let parts = [SyncPart::Life, SyncPart::Owner];
        let uses: [(&Targets, &[SyncPart]); 1] = [(&targets, &parts)];
        let may_wait = op == Spin::Lock;
        let Ok(position) = self.begin_waiting(state, frame, &uses, 0, may_wait) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, &targets, true) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let owner = self.read_part(state, position, &targets, SyncPart::Owner);
        let me = self.me();
        let is_free = self.is_zero(owner);
        match op {
            Spin::Unlock => {
                self.note_unlock(state, &targets);
                let is_own = self.terms.equal(owner, me);
                if self.expect(state, Check::Misuse, position, is_own) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                let always = self.truth();
                self.write_part(state, position, &targets, SyncPart::Owner, always, zero);
                self.reply(0)
            }
            Spin::Lock => {
                let always = self.truth();
                let holders = self.owners(owner, always);
                let step = (position, 0);
                if self.wait_until(state, frame, step, is_free, holders) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                self.note_lock(state, &targets, Grip::Alone);
                let always = self.truth();
                self.write_part(state, position, &targets, SyncPart::Owner, always, me);
                self.reply(0)
            }
            _ => {
                self.write_part(state, position, &targets, SyncPart::Owner, is_free, me);
                let busy = self.int(EBUSY);
                Ok(Reply::Return(self.terms.ite(is_free, zero, busy)))
            }
        }
    }
}
