//! Spin locks: like plain mutexes, with rules of their own.

use super::{EBUSY, EINVAL, Reply, Site};
use crate::machine::{Machine, Stop};
use crate::sync::{Sync, SyncKind};
use crate::thread::Wait;
use crate::weak::Passage;
use library::Spin;

impl<'a> Machine<'a> {
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
            self.pass(site.thread, key, Passage::Release);
            self.record_sync(site, "unlock", key, "");
        } else if owner.is_some() {
            self.record_sync(site, "trylock", key, "busy");
            return Ok(Reply::int(EBUSY));
        } else {
            self.sync.set(key, Sync::Spin { owner: Some(me) });
            self.pass(site.thread, key, Passage::Acquire);
            self.record_sync(site, "lock", key, "");
        }
        Ok(Reply::int(0))
    }
}
