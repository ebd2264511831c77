//! Locks, and condition variables, which go with them: mutexes, read-write
//! locks, spin locks.

use super::{EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT, Reply, Site};
use crate::event::Effect;
use crate::inputs::InputKind;
use crate::machine::{Excluded, Machine, Stop};
use crate::sync::{MutexType, OnceState, Sync, SyncKey, SyncKind};
use crate::thread::{Phase, Wait};
use crate::violation::ViolationKind;
use ir::Type;
use library::{Condition, Mutex, RwLock, Spin};

/// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP.
const PREFER_WRITERS: i32 = 2;

impl<'a> Machine<'a> {
    /// The object a call is about, made on first use if its kind can be
    /// initialised statically.
    pub(crate) fn sync(&mut self, site: &Site, key: SyncKey, kind: SyncKind) -> Result<Sync, Stop> {
        match self.sync.get(key) {
            Some(Sync::Destroyed(_)) => {
                Err(self.bad_object(site, key, kind, "was destroyed before"))
            }
            Some(sync) if sync.kind() == kind => Ok(sync.clone()),
            Some(sync) => {
                let what = format!("is a {}", sync.kind().name());
                Err(self.bad_object(site, key, kind, &what))
            }
            None => {
                let sync = self.static_sync(key, kind);
                let sync =
                    sync.ok_or_else(|| self.bad_object(site, key, kind, "was never initialised"))?;
                self.sync.set(key, sync.clone());
                Ok(sync)
            }
        }
    }

    fn bad_object(&self, site: &Site, key: SyncKey, kind: SyncKind, what: &str) -> Stop {
        let message = format!(
            "use of {} {}, which {what}",
            kind.name(),
            self.place_of(key)
        );
        self.violated(site.thread, ViolationKind::DestroyedObject, message)
    }

    /// The meaning of a static initialiser, if the bytes look like one.
    fn static_sync(&self, key: SyncKey, kind: SyncKind) -> Option<Sync> {
        let (object, offset) = key;
        let len = self.memory.get(object)?.size.saturating_sub(offset).min(4);
        if !self.memory.is_initialised(object, offset, len) {
            return None;
        }
        match kind {
            SyncKind::Mutex => Some(Sync::Mutex {
                ty: self.static_mutex_type(key),
                owner: None,
                depth: 0,
            }),
            SyncKind::Condition => Some(Sync::Condition {
                waiters: Vec::new(),
            }),
            SyncKind::RwLock => Some(Sync::RwLock {
                readers: Vec::new(),
                writer: None,
            }),
            SyncKind::Once => Some(Sync::Once {
                state: OnceState::Fresh,
            }),
            SyncKind::Barrier | SyncKind::Semaphore | SyncKind::Spin => None,
        }
    }

    /// glibc's static initialisers for other than plain mutexes set one field.
    fn static_mutex_type(&self, (object, offset): SyncKey) -> MutexType {
        let at = offset
            + if self.memory.pointer_bytes == 4 {
                12
            } else {
                16
            };
        let size = self.memory.get(object).map_or(0, |object| object.size);
        if at + 4 > size || !self.memory.is_initialised(object, at, 4) {
            return MutexType::Plain;
        }
        mutex_type(self.memory.read(object, at, &Type::Int(32)).low_bits() as i32)
    }

    /// Makes an object, in memory that now counts as initialised.
    pub(crate) fn init_sync(
        &mut self,
        site: &Site,
        key: SyncKey,
        sync: Sync,
    ) -> Result<Reply, Stop> {
        let (object, offset) = key;
        let size = self.memory.get(object).map_or(0, |object| object.size);
        let len = size.saturating_sub(offset).min(4);
        if self
            .memory
            .get(object)
            .is_some_and(|object| object.is_constant)
        {
            let message = format!("{} is constant", self.place_of(key));
            return Err(self.violated(site.thread, ViolationKind::InvalidPointer, message));
        }
        if let Some(old) = self.sync.get(key)
            && old.is_in_use()
        {
            let (kind, place) = (old.kind().name(), self.place_of(key));
            let message = format!("{kind} {place} is made again while it is in use");
            self.notice(site.thread, ViolationKind::Misuse, message);
        }
        self.memory
            .write_bytes(object, offset, &[0; 4][..len as usize]);
        self.record_sync(site, "init", key, "");
        self.sync.set(key, sync);
        Ok(Reply::int(0))
    }

    pub(crate) fn destroy_sync(
        &mut self,
        site: &Site,
        key: SyncKey,
        kind: SyncKind,
        is_waited_for: bool,
    ) -> Result<Reply, Stop> {
        let sync = self.sync(site, key, kind)?;
        if is_waited_for || sync.is_in_use() {
            let message = format!(
                "{} {} is destroyed while it is in use",
                kind.name(),
                self.place_of(key)
            );
            return Err(self.violated(site.thread, ViolationKind::Misuse, message));
        }
        self.record_sync(site, "destroy", key, "");
        self.sync.set(key, Sync::Destroyed(kind));
        Ok(Reply::int(0))
    }

    pub(crate) fn record_sync(
        &mut self,
        site: &Site,
        verb: &'static str,
        key: SyncKey,
        result: &str,
    ) {
        if self.trace.is_some() {
            let effect = Effect::Synchronise {
                verb,
                place: self.place_of(key),
                result: result.to_owned(),
            };
            self.record(site.thread, effect);
        }
    }

    // Mutexes.

    pub(crate) fn mutex_model(&mut self, site: &mut Site, op: Mutex) -> Result<Reply, Stop> {
        match op {
            Mutex::AttrInit => return self.init_attributes(site),
            Mutex::AttrSet(attribute) => return self.set_attribute(site, attribute),
            Mutex::AttrGet(attribute) => return self.get_attribute(site, attribute),
            Mutex::AttrDestroy => return Ok(Reply::int(0)),
            _ => {}
        }
        let key = self.sync_key(site, 0, SyncKind::Mutex)?;
        let wait = match op {
            Mutex::Lock => Wait::Mutex(key),
            _ => Wait::Nothing,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        match op {
            Mutex::Init => {
                let attributes = self.pointer_arg(site, 1);
                let ty = mutex_type(i32::from(self.attribute(attributes, 0)));
                self.init_mutex(site, key, ty)
            }
            Mutex::Destroy => self.destroy_sync(site, key, SyncKind::Mutex, false),
            Mutex::Lock => self.lock_mutex(site, key),
            Mutex::TryLock => self.try_lock_mutex(site, key, EBUSY),
            Mutex::TimedLock => {
                if !self.can_lock(site, key)? {
                    self.record_sync(site, "lock", key, "timed out");
                    return Ok(Reply::int(ETIMEDOUT));
                }
                self.lock_mutex(site, key)
            }
            _ => self.unlock_mutex(site, key, true),
        }
    }

    pub(crate) fn init_mutex(
        &mut self,
        site: &Site,
        key: SyncKey,
        ty: MutexType,
    ) -> Result<Reply, Stop> {
        let mutex = Sync::Mutex {
            ty,
            owner: None,
            depth: 0,
        };
        self.init_sync(site, key, mutex)
    }

    /// Whether a mutex can be locked, or refused, without waiting for anybody.
    pub(crate) fn can_lock(&mut self, site: &Site, key: SyncKey) -> Result<bool, Stop> {
        self.sync(site, key, SyncKind::Mutex)?;
        Ok(self.is_possible(site.thread.id, &Wait::Mutex(key)))
    }

    pub(crate) fn lock_mutex(&mut self, site: &Site, key: SyncKey) -> Result<Reply, Stop> {
        let me = site.thread.id;
        if let Sync::Mutex { ty, owner, depth } = self.sync(site, key, SyncKind::Mutex)? {
            if owner == Some(me) && ty == MutexType::ErrorChecking {
                self.record_sync(site, "lock", key, "already held: EDEADLK");
                return Ok(Reply::int(EDEADLK));
            }
            let mutex = Sync::Mutex {
                ty,
                owner: Some(me),
                depth: depth + 1,
            };
            self.sync.set(key, mutex);
            self.record_sync(site, "lock", key, "");
        }
        Ok(Reply::int(0))
    }

    pub(crate) fn try_lock_mutex(
        &mut self,
        site: &Site,
        key: SyncKey,
        busy: i32,
    ) -> Result<Reply, Stop> {
        let me = site.thread.id;
        if let Sync::Mutex { ty, owner, .. } = self.sync(site, key, SyncKind::Mutex)? {
            let is_own = owner == Some(me) && ty == MutexType::Recursive;
            if owner.is_some() && !is_own {
                self.record_sync(site, "trylock", key, "busy");
                return Ok(Reply::int(busy));
            }
        }
        self.lock_mutex(site, key)
    }

    /// Only if `refuses` do mutexes that know their owner refuse others: those of
    /// C11 need not.
    pub(crate) fn unlock_mutex(
        &mut self,
        site: &Site,
        key: SyncKey,
        refuses: bool,
    ) -> Result<Reply, Stop> {
        let me = site.thread.id;
        if let Sync::Mutex { ty, owner, depth } = self.sync(site, key, SyncKind::Mutex)? {
            if owner != Some(me) {
                if refuses && ty != MutexType::Plain {
                    self.record_sync(site, "unlock", key, "not held: EPERM");
                    return Ok(Reply::int(EPERM));
                }
                return Err(self.not_owned(site, key, "unlock", owner));
            }
            let mutex = Sync::Mutex {
                ty,
                owner: (depth > 1).then_some(me),
                depth: depth - 1,
            };
            self.sync.set(key, mutex);
            self.record_sync(site, "unlock", key, "");
        }
        Ok(Reply::int(0))
    }

    fn not_owned(&self, site: &Site, key: SyncKey, verb: &str, owner: Option<usize>) -> Stop {
        let holder = match owner {
            Some(owner) => format!("thread {owner} holds"),
            None => "nobody holds".to_owned(),
        };
        let message = format!("{verb} of {}, which {holder}", self.place_of(key));
        self.violated(site.thread, ViolationKind::UnlockNotOwned, message)
    }

    /// The object of a call that may be in the middle of waiting for it.
    pub(crate) fn waited_key(&self, site: &Site, kind: SyncKind) -> Result<SyncKey, Stop> {
        let phase = site.thread.frame().map(|frame| &frame.phase);
        if let Some(Phase::Waiting { .. } | Phase::AtBarrier) = phase
            && let Some(key) = self.old_sync_key(site, 0)
        {
            return Ok(key);
        }
        self.sync_key(site, 0, kind)
    }

    // Condition variables.

    pub(crate) fn condition_model(
        &mut self,
        site: &mut Site,
        op: Condition,
    ) -> Result<Reply, Stop> {
        match op {
            Condition::AttrInit => return self.init_attributes(site),
            Condition::AttrSet(attribute) => return self.set_attribute(site, attribute),
            Condition::AttrGet(attribute) => return self.get_attribute(site, attribute),
            Condition::AttrDestroy => return Ok(Reply::int(0)),
            _ => {}
        }
        let key = self.waited_key(site, SyncKind::Condition)?;
        match op {
            Condition::Wait => return self.wait(site, key, false, ETIMEDOUT),
            Condition::TimedWait => return self.wait(site, key, true, ETIMEDOUT),
            _ => {}
        }
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        match op {
            Condition::Init => self.init_condition(site, key),
            Condition::Destroy => self.destroy_condition(site, key),
            Condition::Broadcast => self.broadcast(site, key),
            _ => self.signal(site, key),
        }
    }

    pub(crate) fn init_condition(&mut self, site: &Site, key: SyncKey) -> Result<Reply, Stop> {
        // Whoever waits goes on waiting.
        let waiters = match self.sync.get(key) {
            Some(Sync::Condition { waiters }) => waiters.clone(),
            _ => Vec::new(),
        };
        self.init_sync(site, key, Sync::Condition { waiters })
    }

    pub(crate) fn destroy_condition(&mut self, site: &Site, key: SyncKey) -> Result<Reply, Stop> {
        self.destroy_sync(site, key, SyncKind::Condition, false)
    }

    /// Two steps: give up the mutex and start to wait; then, once woken, take the
    /// mutex again.
    pub(crate) fn wait(
        &mut self,
        site: &mut Site,
        key: SyncKey,
        is_timed: bool,
        timed_out: i32,
    ) -> Result<Reply, Stop> {
        let me = site.thread.id;
        let phase = site.thread.frame().map(|frame| frame.phase.clone());
        let Some(Phase::Waiting { mutex, is_late }) = phase else {
            let mutex = self.sync_key(site, 1, SyncKind::Mutex)?;
            if let Some(reply) = self.gate(site, Wait::Nothing)? {
                return Ok(reply);
            }
            return self.start_waiting(site, key, mutex, is_timed);
        };
        let wait = Wait::Condition {
            condition: key,
            mutex,
            is_timed,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        let mut result = if is_late { timed_out } else { 0 };
        // Once it has been woken, the condition variable may be gone.
        if let Some(Sync::Condition { mut waiters }) = self.sync.get(key).cloned()
            && waiters.contains(&me)
        {
            // Not woken: the time is over, or it is a spurious wake-up.
            let may_be_spurious = self.config.surroundings.spurious_wakeups;
            if is_timed && (!may_be_spurious || self.times_out(site)?) {
                result = timed_out;
            }
            waiters.retain(|waiter| *waiter != me);
            self.sync.set(key, Sync::Condition { waiters });
        }
        if let Sync::Mutex { ty, owner, depth } = self.sync(site, mutex, SyncKind::Mutex)? {
            let depth = if owner == Some(me) { depth + 1 } else { 1 };
            let owner = Some(me);
            self.sync.set(mutex, Sync::Mutex { ty, owner, depth });
        }
        let outcome = if result == 0 { "" } else { "timed out" };
        self.record_sync(site, "woken from", key, outcome);
        Ok(Reply::int(result))
    }

    fn start_waiting(
        &mut self,
        site: &mut Site,
        key: SyncKey,
        mutex: SyncKey,
        is_timed: bool,
    ) -> Result<Reply, Stop> {
        let me = site.thread.id;
        let Sync::Mutex { ty, owner, depth } = self.sync(site, mutex, SyncKind::Mutex)? else {
            return Ok(Reply::int(EINVAL));
        };
        if owner != Some(me) {
            if ty == MutexType::ErrorChecking {
                self.sync(site, key, SyncKind::Condition)?;
                self.record_sync(site, "wait for", key, "mutex not held: EPERM");
                return Ok(Reply::int(EPERM));
            }
            return Err(self.not_owned(site, mutex, "wait with mutex", owner));
        }
        // If the time is over before a signal, it makes no difference how long before:
        // such a thread does not even join the waiters. It may still be a while until
        // it gets the mutex, so others may signal in vain.
        let mut is_late = false;
        if let Sync::Condition { mut waiters } = self.sync(site, key, SyncKind::Condition)? {
            is_late = is_timed && self.times_out(site)?;
            if !is_late {
                waiters.push(me);
                waiters.sort_unstable();
                self.sync.set(key, Sync::Condition { waiters });
            }
        }
        // It is unlocked once: a recursive mutex may stay locked.
        let left = Sync::Mutex {
            ty,
            owner: (depth > 1).then_some(me),
            depth: depth - 1,
        };
        self.sync.set(mutex, left);
        self.record_sync(site, "wait for", key, "");
        if !self.config.surroundings.spurious_wakeups {
            self.exclude(Excluded::SpuriousWakeups);
        }
        if let Some(frame) = site.thread.frames.last_mut() {
            frame.phase = Phase::Waiting { mutex, is_late };
        }
        Ok(Reply::Continue)
    }

    pub(crate) fn signal(&mut self, site: &mut Site, key: SyncKey) -> Result<Reply, Stop> {
        if let Sync::Condition { mut waiters } = self.sync(site, key, SyncKind::Condition)? {
            let mut woken = "nobody waits".to_owned();
            if !waiters.is_empty() {
                let count = waiters.len();
                let index = self.ask_index(site.thread, site.inputs, InputKind::Waiter, count)?;
                woken = format!("wakes thread {}", waiters.remove(index));
                self.sync.set(key, Sync::Condition { waiters });
            }
            self.record_sync(site, "signal", key, &woken);
        }
        Ok(Reply::int(0))
    }

    pub(crate) fn broadcast(&mut self, site: &Site, key: SyncKey) -> Result<Reply, Stop> {
        if let Sync::Condition { waiters } = self.sync(site, key, SyncKind::Condition)? {
            let woken = match waiters.len() {
                0 => "nobody waits".to_owned(),
                count => format!("wakes {count}"),
            };
            let waiters = Vec::new();
            self.sync.set(key, Sync::Condition { waiters });
            self.record_sync(site, "broadcast", key, &woken);
        }
        Ok(Reply::int(0))
    }

    // Read-write locks.

    pub(crate) fn rwlock_model(&mut self, site: &mut Site, op: RwLock) -> Result<Reply, Stop> {
        match op {
            RwLock::AttrInit => return self.init_attributes(site),
            RwLock::AttrSetKind(_) if site.int(1) == PREFER_WRITERS => {
                let what = "read-write locks at which readers wait behind writers that wait";
                return Err(self.unsupported(site.thread, what));
            }
            RwLock::AttrSetKind(attribute) | RwLock::AttrSet(attribute) => {
                return self.set_attribute(site, attribute);
            }
            RwLock::AttrGet(attribute) => return self.get_attribute(site, attribute),
            RwLock::AttrDestroy => return Ok(Reply::int(0)),
            _ => {}
        }
        let key = self.sync_key(site, 0, SyncKind::RwLock)?;
        let wait = match op {
            RwLock::ReadLock => Wait::ReadLock(key),
            RwLock::WriteLock => Wait::WriteLock(key),
            _ => Wait::Nothing,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        match op {
            RwLock::Init => {
                let (readers, writer) = (Vec::new(), None);
                self.init_sync(site, key, Sync::RwLock { readers, writer })
            }
            RwLock::Destroy => self.destroy_sync(site, key, SyncKind::RwLock, false),
            RwLock::ReadLock => self.take_rwlock(site, key, false),
            RwLock::WriteLock => self.take_rwlock(site, key, true),
            RwLock::TryReadLock | RwLock::TryWriteLock => {
                let is_write = op == RwLock::TryWriteLock;
                let is_own =
                    self.sync.holders(key).contains(&site.thread.id) && !self.can_share(key);
                if !is_own && self.can_take_rwlock(site, key, is_write)? {
                    return self.take_rwlock(site, key, is_write);
                }
                self.record_sync(site, "trylock", key, "busy");
                Ok(Reply::int(EBUSY))
            }
            RwLock::TimedReadLock | RwLock::TimedWriteLock => {
                let is_write = op == RwLock::TimedWriteLock;
                if !self.can_take_rwlock(site, key, is_write)? {
                    self.record_sync(site, "lock", key, "timed out");
                    return Ok(Reply::int(ETIMEDOUT));
                }
                self.take_rwlock(site, key, is_write)
            }
            _ => self.release_rwlock(site, key),
        }
    }

    /// No writer has the lock.
    fn can_share(&self, key: SyncKey) -> bool {
        matches!(self.sync.get(key), Some(Sync::RwLock { writer: None, .. }))
    }

    fn can_take_rwlock(&mut self, site: &Site, key: SyncKey, is_write: bool) -> Result<bool, Stop> {
        self.sync(site, key, SyncKind::RwLock)?;
        let wait = if is_write {
            Wait::WriteLock(key)
        } else {
            Wait::ReadLock(key)
        };
        Ok(self.is_possible(site.thread.id, &wait))
    }

    fn take_rwlock(&mut self, site: &Site, key: SyncKey, is_write: bool) -> Result<Reply, Stop> {
        let me = site.thread.id;
        if let Sync::RwLock {
            mut readers,
            mut writer,
        } = self.sync(site, key, SyncKind::RwLock)?
        {
            if writer == Some(me) {
                self.record_sync(site, "lock", key, "already held: EDEADLK");
                return Ok(Reply::int(EDEADLK));
            }
            if is_write {
                writer = Some(me);
            } else {
                readers.push(me);
                readers.sort_unstable();
            }
            self.sync.set(key, Sync::RwLock { readers, writer });
            let verb = if is_write { "write-lock" } else { "read-lock" };
            self.record_sync(site, verb, key, "");
        }
        Ok(Reply::int(0))
    }

    fn release_rwlock(&mut self, site: &Site, key: SyncKey) -> Result<Reply, Stop> {
        let me = site.thread.id;
        if let Sync::RwLock {
            mut readers,
            writer,
        } = self.sync(site, key, SyncKind::RwLock)?
        {
            let reader = readers.iter().position(|reader| *reader == me);
            if writer != Some(me) && reader.is_none() {
                let holder = writer.or_else(|| readers.first().copied());
                return Err(self.not_owned(site, key, "unlock", holder));
            }
            if let Some(position) = reader {
                readers.remove(position);
            }
            let writer = writer.filter(|writer| *writer != me);
            self.sync.set(key, Sync::RwLock { readers, writer });
            self.record_sync(site, "unlock", key, "");
        }
        Ok(Reply::int(0))
    }

    // Spin locks.

    pub(crate) fn spin_model(&mut self, site: &mut Site, op: Spin) -> Result<Reply, Stop> {
        let key = self.sync_key(site, 0, SyncKind::Spin)?;
        let wait = match op {
            Spin::Lock => Wait::Spin(key),
            _ => Wait::Nothing,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        let me = site.thread.id;
        match op {
            Spin::Init => return self.init_sync(site, key, Sync::Spin { owner: None }),
            Spin::Destroy => {
                return self.destroy_sync(site, key, SyncKind::Spin, false);
            }
            Spin::Lock | Spin::TryLock | Spin::Unlock => {}
        }
        let Sync::Spin { owner } = self.sync(site, key, SyncKind::Spin)? else {
            return Ok(Reply::int(EINVAL));
        };
        if op == Spin::Unlock {
            if owner != Some(me) {
                return Err(self.not_owned(site, key, "unlock", owner));
            }
            self.sync.set(key, Sync::Spin { owner: None });
            self.record_sync(site, "unlock", key, "");
        } else if owner.is_some() {
            self.record_sync(site, "trylock", key, "busy");
            return Ok(Reply::int(EBUSY));
        } else {
            self.sync.set(key, Sync::Spin { owner: Some(me) });
            self.record_sync(site, "lock", key, "");
        }
        Ok(Reply::int(0))
    }
}

/// The type behind glibc's numbers for mutex types.
fn mutex_type(number: i32) -> MutexType {
    match number & 3 {
        1 => MutexType::Recursive,
        2 => MutexType::ErrorChecking,
        _ => MutexType::Plain,
    }
}
