//! Where threads meet without a lock: barriers, once controls, semaphores.

use super::{EAGAIN, EINVAL, ETIMEDOUT, Reply, Site};
use crate::footprint::Look;
use crate::machine::{AccessMode, Machine, Stop};
use crate::sync::{OnceState, Sync, SyncKey, SyncKind};
use crate::thread::{Pending, Phase, Then, Wait};
use crate::value::Value;
use ir::Type;
use library::{Barrier, Once, Semaphore};

const EOVERFLOW: i32 = 75;
/// What one thread of a barrier gets from `pthread_barrier_wait`.
const SERIAL_THREAD: i32 = -1;
/// Barriers of glibc are for fewer threads than this.
const TOO_MANY: u32 = 0x7fff_ffff;
const MAX_COUNT: u32 = 0x7fff_ffff;

impl<'a> Machine<'a> {
    // Barriers.

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
            waiting.clear();
        } else {
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

    // Once.

    pub(crate) fn once_model(&mut self, site: &mut Site, op: Once) -> Result<Reply, Stop> {
        let key = self.sync_key(site, 0, SyncKind::Once)?;
        let me = site.thread.id;
        let is_inside = matches!(
            site.thread.frame().map(|frame| &frame.phase),
            Some(Phase::InOnce)
        );
        let wait = match op {
            Once::Once | Once::GuardAcquire if !is_inside => Wait::Once(key),
            _ => Wait::Nothing,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        let finished = matches!(op, Once::GuardRelease | Once::GuardAbort) || is_inside;
        let Sync::Once { state } = self.sync(site, key, SyncKind::Once)? else {
            return Ok(Reply::int(EINVAL));
        };
        let set = |machine: &mut Self, state| machine.sync.set(key, Sync::Once { state });
        if finished {
            let is_done = op != Once::GuardAbort;
            set(
                self,
                if is_done {
                    OnceState::Done
                } else {
                    OnceState::Fresh
                },
            );
            if op != Once::Once && is_done {
                // Compilers look at the guard's first byte before they call.
                self.memory.write_bytes(key.0, key.1, &[1]);
            }
            self.record_sync(site, "finish once", key, "");
            return Ok(Reply::int(0));
        }
        if state == OnceState::Done {
            self.record_sync(site, "once", key, "already done");
            return Ok(Reply::int(0));
        }
        set(self, OnceState::Running(me));
        self.record_sync(site, "begin once", key, "");
        if op == Once::GuardAcquire {
            return Ok(Reply::int(1));
        }
        let routine = self.function_behind(site.thread, &site.arg(1))?;
        if let Some(frame) = site.thread.frames.last_mut() {
            frame.phase = Phase::InOnce;
        }
        self.push_call(site.thread, routine, &[], Then::Resume)?;
        Ok(Reply::Continue)
    }

    // Semaphores.

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
