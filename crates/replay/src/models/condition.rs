//! Condition variables: who waits gives its mutex back, and takes it again when woken.

use super::{EINVAL, EPERM, ETIMEDOUT, Reply, Site};
use crate::inputs::InputKind;
use crate::machine::{Excluded, Machine, Stop};
use crate::sync::{MutexType, Sync, SyncKey, SyncKind};
use crate::thread::{Phase, Wait};
use crate::weak::Passage;
use library::Condition;

impl<'a> Machine<'a> {
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
        if site.call.allow
            && site.thread.must_leave()
            && matches!(self.sync.get(key), Some(Sync::Condition { waiters }) if waiters.contains(&me))
            && self.is_free_for(me, mutex)
        {
            return self.leave_waiting(site, key, mutex);
        }
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
            self.pass(site.thread, mutex, Passage::Acquire);
        }
        let outcome = if result == 0 { "" } else { "timed out" };
        self.record_sync(site, "woken from", key, outcome);
        Ok(Reply::int(result))
    }

    /// Takes the mutex again and ends the thread, since somebody has asked for that.
    fn leave_waiting(
        &mut self,
        site: &mut Site,
        key: SyncKey,
        mutex: SyncKey,
    ) -> Result<Reply, Stop> {
        let me = site.thread.id;
        if let Some(Sync::Condition { mut waiters }) = self.sync.get(key).cloned() {
            waiters.retain(|waiter| *waiter != me);
            self.sync.set(key, Sync::Condition { waiters });
        }
        if let Sync::Mutex { ty, owner, depth } = self.sync(site, mutex, SyncKind::Mutex)? {
            let depth = if owner == Some(me) { depth + 1 } else { 1 };
            let owner = Some(me);
            self.sync.set(mutex, Sync::Mutex { ty, owner, depth });
        }
        self.record_sync(site, "woken from", key, "cancelled");
        self.give_in(site)
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
        self.pass(site.thread, mutex, Passage::Release);
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
}
