//! Mutexes: plain, recursive and error-checking ones.

use super::{EBUSY, EDEADLK, EPERM, ETIMEDOUT};
use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::SyncPart;
use crate::facts::sync::SyncKind;
use crate::locksets::Grip;
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use library::Mutex;

/// Everything a mutex consists of.
pub(super) const MUTEX: [SyncPart; 4] = [
    SyncPart::Life,
    SyncPart::Kind,
    SyncPart::Owner,
    SyncPart::Depth,
];

/// A mutex as a step finds it.
pub(crate) struct Held {
    pub owner: TermId,
    pub depth: TermId,
    pub is_free: TermId,
    pub is_own: TermId,
    pub is_recursive: TermId,
    pub checks_errors: TermId,
}

/// How a lock is to be taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Wait,
    Try,
    Timed,
}

impl<'p> Pass<'p> {
    pub(crate) fn mutex_model(
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

    pub(crate) fn init_mutex(
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
            if at + 4 <= self.facts.objects[target.object].size {
                let field = self.peek(state, target.object, at, 4);
                if self.terms.as_constant(field).is_some() {
                    fixed = self.terms.ite(target.condition, field, fixed);
                }
            }
        }
        let is_made = self.terms.is_nonzero(life);
        self.terms.ite(is_made, made, fixed)
    }

    pub(crate) fn look_at_mutex(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
    ) -> Held {
        let kind = self.mutex_kind(state, position, targets);
        let low = self.terms.extract(kind, 1, 0);
        let (is_recursive, checks_errors) = (
            words::is_number(&mut self.terms, low, 1),
            words::is_number(&mut self.terms, low, 2),
        );
        let owner = self.read_part(state, position, targets, SyncPart::Owner);
        let depth = if self.terms.as_bool(is_recursive) == Some(false) {
            self.int(1)
        } else {
            self.read_part(state, position, targets, SyncPart::Depth)
        };
        let is_free = words::is_zero(&mut self.terms, owner);
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

    pub(crate) fn lock(
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
        self.acquires(state, position, taken);
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
            let is_success = words::is_number(&mut self.terms, result, 0);
            let refused = self.terms.and(refused, is_success);
            self.terms.ite(refused, deadlock, result)
        };
        Ok(Reply::Return(result))
    }

    /// Gives a mutex up. If it is not the caller's, those that know their owner say
    /// so, provided that they are of the family that does.
    pub(crate) fn unlock(
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
        self.releases(state, position, mutex.is_own);
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
}
