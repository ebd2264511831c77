//! Mutexes: plain, recursive and error-checking ones.

use super::{EBUSY, EDEADLK, EPERM, ETIMEDOUT, Reply, Site};
use crate::machine::{Machine, Stop};
use crate::sync::{MutexType, Sync, SyncKey, SyncKind};
use crate::thread::Wait;
use crate::violation::ViolationKind;
use crate::weak::Passage;
use library::Mutex;

impl<'a> Machine<'a> {
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
            self.pass(site.thread, key, Passage::Acquire);
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
            self.pass(site.thread, key, Passage::Release);
            self.record_sync(site, "unlock", key, "");
        }
        Ok(Reply::int(0))
    }

    pub(crate) fn not_owned(
        &self,
        site: &Site,
        key: SyncKey,
        verb: &str,
        owner: Option<usize>,
    ) -> Stop {
        let holder = match owner {
            Some(owner) => format!("thread {owner} holds"),
            None => "nobody holds".to_owned(),
        };
        let message = format!("{verb} of {}, which {holder}", self.place_of(key));
        self.violated(site.thread, ViolationKind::UnlockNotOwned, message)
    }
}

/// The type behind glibc's numbers for mutex types.
pub(super) fn mutex_type(number: i32) -> MutexType {
    match number & 3 {
        1 => MutexType::Recursive,
        2 => MutexType::ErrorChecking,
        _ => MutexType::Plain,
    }
}
