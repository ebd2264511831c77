//! Read-write locks: many readers, or one writer.

use super::{EBUSY, EDEADLK, ETIMEDOUT, Reply, Site};
use crate::machine::{Machine, Stop};
use crate::sync::{Sync, SyncKey, SyncKind};
use crate::thread::Wait;
use crate::weak::Passage;
use library::RwLock;

/// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP.
const PREFER_WRITERS: i32 = 2;

impl<'a> Machine<'a> {
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
            let passage = match is_write {
                true => Passage::Acquire,
                false => Passage::AcquireShared,
            };
            self.pass(site.thread, key, passage);
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
            let passage = match writer == Some(me) {
                true => Passage::Release,
                false => Passage::ReleaseShared,
            };
            let writer = writer.filter(|writer| *writer != me);
            self.sync.set(key, Sync::RwLock { readers, writer });
            self.pass(site.thread, key, passage);
            self.record_sync(site, "unlock", key, "");
        }
        Ok(Reply::int(0))
    }
}
