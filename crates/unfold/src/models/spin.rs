//! Spin locks: like plain mutexes, with rules of their own.

use super::EBUSY;
use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::SyncPart;
use crate::facts::sync::SyncKind;
use crate::locksets::Grip;
use crate::pass::{Flow, Frame, Pass, State};
use library::Spin;

impl<'p> Pass<'p> {
    pub(crate) fn spin_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Spin,
        call: &Call,
    ) -> Result<Reply, Error> {
        let targets = self.sync_targets(frame, call, 0, SyncKind::Spin)?;
        let zero = self.int(0);
        match op {
            Spin::Init => {
                return self.make_sync(state, frame, &targets, &[(SyncPart::Owner, zero)]);
            }
            Spin::Destroy => {
                return self.destroy_sync(state, frame, &targets, &[SyncPart::Owner], true);
            }
            Spin::Lock | Spin::TryLock | Spin::Unlock => {}
        }
        let parts = [SyncPart::Life, SyncPart::Owner];
        let uses: [(&Targets, &[SyncPart]); 1] = [(&targets, &parts)];
        let may_wait = op == Spin::Lock;
        let Ok(position) = self.begin_waiting(state, frame, &uses, 0, may_wait) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, &targets, true) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let owner = self.read_part(state, position, &targets, SyncPart::Owner);
        let me = self.me();
        let is_free = words::is_zero(&mut self.terms, owner);
        match op {
            Spin::Unlock => {
                self.note_unlock(state, &targets);
                let is_own = self.terms.equal(owner, me);
                if self.expect(state, Check::Misuse, position, is_own) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                let always = self.truth();
                self.releases(state, position, always);
                self.write_part(state, position, &targets, SyncPart::Owner, always, zero);
                self.reply(0)
            }
            Spin::Lock => {
                let always = self.truth();
                let holders = self.owners(owner, always);
                let step = (position, 0);
                if self.wait_until(state, frame, step, is_free, holders) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                self.note_lock(state, &targets, Grip::Alone);
                let always = self.truth();
                self.acquires(state, position, always);
                self.write_part(state, position, &targets, SyncPart::Owner, always, me);
                self.reply(0)
            }
            _ => {
                self.acquires(state, position, is_free);
                self.write_part(state, position, &targets, SyncPart::Owner, is_free, me);
                let busy = self.int(EBUSY);
                Ok(Reply::Return(self.terms.ite(is_free, zero, busy)))
            }
        }
    }
}
