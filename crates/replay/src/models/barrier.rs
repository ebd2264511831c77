//! Barriers: whoever arrives waits until all have arrived.

use super::{EINVAL, Reply, Site};
use crate::machine::{Machine, Stop};
use crate::sync::{Sync, SyncKey, SyncKind};
use crate::thread::{Phase, Wait};
use crate::weak::Passage;
use library::Barrier;

/// What one thread of a barrier gets from `pthread_barrier_wait`.
const SERIAL_THREAD: i32 = -1;

/// Barriers of glibc are for fewer threads than this.
const TOO_MANY: u32 = 0x7fff_ffff;

impl<'a> Machine<'a> {
    pub(crate) fn barrier_model(&mut self, site: &mut Site, op: Barrier) -> Result<Reply, Stop> {
        match op {
            Barrier::AttrInit => return self.init_attributes(site),
            Barrier::AttrSet(attribute) => return self.set_attribute(site, attribute),
            Barrier::AttrGet(attribute) => return self.get_attribute(site, attribute),
            Barrier::AttrDestroy => return Ok(Reply::int(0)),
            _ => {}
        }
        let barrier = self.waited_key(site, SyncKind::Barrier)?;
        let phase = site.thread.frame().map(|frame| frame.phase.clone());
        if let (Barrier::Wait, Some(Phase::AtBarrier)) = (op, phase) {
            if let Some(reply) = self.gate(site, Wait::Barrier(barrier))? {
                return Ok(reply);
            }
            self.leave_barrier(site.thread, barrier);
            self.record_sync(site, "leave barrier", barrier, "");
            return Ok(Reply::int(0));
        }
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        match op {
            Barrier::Init => match site.number(2) as u32 {
                0 | TOO_MANY.. => Ok(Reply::int(EINVAL)),
                needed => {
                    let waiting = Vec::new();
                    let fresh = Sync::Barrier { needed, waiting };
                    self.init_sync(site, barrier, fresh)
                }
            },
            Barrier::Destroy => self.destroy_sync(site, barrier, SyncKind::Barrier, false),
            _ => self.arrive(site, barrier),
        }
    }

    fn arrive(&mut self, site: &mut Site, key: SyncKey) -> Result<Reply, Stop> {
        let Sync::Barrier {
            needed,
            mut waiting,
        } = self.sync(site, key, SyncKind::Barrier)?
        else {
            return Ok(Reply::int(EINVAL));
        };
        let arrived = waiting.len() + 1;
        let is_last = arrived >= needed as usize;
        if is_last {
            self.complete_barrier(site.thread, key, &waiting);
            waiting.clear();
        } else {
            self.pass(site.thread, key, Passage::Release);
            waiting.push(site.thread.id);
            waiting.sort_unstable();
        }
        self.sync.set(key, Sync::Barrier { needed, waiting });
        let count = format!("{arrived} of {needed}");
        self.record_sync(site, "arrive at barrier", key, &count);
        if is_last {
            return Ok(Reply::int(SERIAL_THREAD));
        }
        if let Some(frame) = site.thread.frames.last_mut() {
            frame.phase = Phase::AtBarrier;
        }
        Ok(Reply::Continue)
    }
}
