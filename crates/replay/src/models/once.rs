//! Once controls, and the guards that C++ has for local statics.

use super::{EINVAL, Reply, Site};
use crate::machine::{Machine, Stop};
use crate::sync::{OnceState, Sync, SyncKind};
use crate::thread::{Phase, Then, Wait};
use crate::weak::Passage;
use library::Once;

impl<'a> Machine<'a> {
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
                self.note_release(key.0, key.1);
                self.memory.write_bytes(key.0, key.1, &[1]);
            }
            self.pass(site.thread, key, Passage::Release);
            self.record_sync(site, "finish once", key, "");
            return Ok(Reply::int(0));
        }
        self.pass(site.thread, key, Passage::Acquire);
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
}
