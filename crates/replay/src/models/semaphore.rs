//! Semaphores: a count that is posted and waited for.

use super::{EAGAIN, EINVAL, ETIMEDOUT, Reply, Site};
use crate::footprint::Look;
use crate::machine::{AccessMode, Machine, Stop};
use crate::sync::{Sync, SyncKind};
use crate::thread::{Pending, Wait};
use crate::value::Value;
use crate::weak::Passage;
use ir::Type;
use library::Semaphore;

const EOVERFLOW: i32 = 75;

const MAX_COUNT: u32 = 0x7fff_ffff;

impl<'a> Machine<'a> {
    pub(crate) fn semaphore_model(
        &mut self,
        site: &mut Site,
        op: Semaphore,
    ) -> Result<Reply, Stop> {
        let key = self.sync_key(site, 0, SyncKind::Semaphore)?;
        if op == Semaphore::GetValue && !site.call.allow {
            let place = self.pointer_arg(site, 1);
            return Ok(Reply::Wait(self.pending_write(site, place, 4)));
        }
        let wait = match op {
            Semaphore::Wait => Wait::Semaphore(key),
            _ => Wait::Nothing,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        match op {
            Semaphore::Init => {
                let count = site.number(2) as u32;
                if count > MAX_COUNT {
                    return Ok(self.fail(site, EINVAL));
                }
                return self.init_sync(site, key, Sync::Semaphore { count });
            }
            Semaphore::Destroy => {
                self.footprint.note(Look::Everything);
                let is_waited_for = self.threads.iter().any(|thread| {
                    !thread.is_finished() && thread.pending.wait == Wait::Semaphore(key)
                });
                return self.destroy_sync(site, key, SyncKind::Semaphore, is_waited_for);
            }
            _ => {}
        }
        let Sync::Semaphore { count } = self.sync(site, key, SyncKind::Semaphore)? else {
            return Ok(Reply::int(EINVAL));
        };
        let failure = match op {
            Semaphore::TryWait if count == 0 => Some(EAGAIN),
            Semaphore::TimedWait if count == 0 => Some(ETIMEDOUT),
            Semaphore::Post if count == MAX_COUNT => Some(EOVERFLOW),
            _ => None,
        };
        if let Some(error) = failure {
            self.record_sync(site, "wait on semaphore", key, "not taken");
            return Ok(self.fail(site, error));
        }
        let (count, verb) = match op {
            Semaphore::Post => (count + 1, "post"),
            Semaphore::GetValue => (count, "value of"),
            _ => (count - 1, "wait on"),
        };
        self.sync.set(key, Sync::Semaphore { count });
        match op {
            Semaphore::Post => self.pass(site.thread, key, Passage::Release),
            Semaphore::GetValue => {}
            _ => self.pass(site.thread, key, Passage::Acquire),
        }
        self.record_sync(site, verb, key, &format!("now {count}"));
        if op == Semaphore::GetValue {
            let place = self.pointer_arg(site, 1);
            let mut pending = Pending::default();
            let target = self.model_access(site, place, 4, AccessMode::WRITE, &mut pending)?;
            if let Some((object, offset)) = target {
                let value = Value::Bits(u64::from(count));
                self.memory.write(object, offset, &Type::Int(32), &value);
            }
        }
        Ok(Reply::int(0))
    }

    /// Returns -1 and sets `errno`.
    pub(crate) fn fail(&mut self, site: &mut Site, error: i32) -> Reply {
        self.set_errno(site.thread, error);
        Reply::int(-1)
    }
}
