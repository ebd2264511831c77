//! Semaphores: a count that is posted and waited for.

use super::{EAGAIN, EINVAL, ETIMEDOUT};
use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::SyncPart;
use crate::facts::sync::SyncKind;
use crate::omissions::Omission;
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use library::Semaphore;

const EOVERFLOW: u128 = 75;

const MAX_COUNT: u128 = 0x7fff_ffff;

impl<'p> Pass<'p> {
    pub(crate) fn semaphore_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Semaphore,
        call: &Call,
    ) -> Result<Reply, Error> {
        let targets = self.sync_targets(frame, call, 0, SyncKind::Semaphore)?;
        match op {
            Semaphore::Init => {
                let count = self.number(call, 2, 32);
                return self.make_semaphore(state, frame, &targets, count);
            }
            Semaphore::Destroy => {
                if self.options.checks.has(Check::Misuse) {
                    self.findings.note_omission(Omission::SemaphoresInUse);
                }
                return self.destroy_sync(state, frame, &targets, &[], true);
            }
            _ => {}
        }
        let parts = [SyncPart::Life, SyncPart::Count];
        let may_wait = op == Semaphore::Wait;
        let uses: [(&Targets, &[SyncPart]); 1] = [(&targets, &parts)];
        let Ok(position) = self.begin_waiting(state, frame, &uses, 0, may_wait) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, &targets, true) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let must_leave = match op {
            Semaphore::Wait | Semaphore::TimedWait => self.must_leave(state, position),
            _ => self.terms.bool(false),
        };
        if self.give_in(state, frame, must_leave)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        let count = self.read_part(state, position, &targets, SyncPart::Count);
        let (zero, one, failed) = (self.int(0), self.int(1), self.int(0xffff_ffff));
        let is_positive = self.terms.is_nonzero(count);
        let fewer = self.terms.sub(count, one);
        let (done, new, error) = match op {
            Semaphore::Wait => {
                let step = (position, 0);
                let possible = self.terms.or(is_positive, must_leave);
                if self.wait_until(state, frame, step, possible, Vec::new()) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                (self.truth(), fewer, EAGAIN)
            }
            Semaphore::TryWait => (is_positive, fewer, EAGAIN),
            Semaphore::TimedWait => (is_positive, fewer, ETIMEDOUT),
            Semaphore::Post => {
                let full = words::is_number(&mut self.terms, count, MAX_COUNT);
                let more = self.terms.add(count, one);
                (self.terms.not(full), more, EOVERFLOW)
            }
            _ => {
                let address = self.argument(call, 1);
                let place = self.resolve(frame, address, 4, true)?;
                if self.expect(state, Check::Memory, position, place.valid) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                let always = self.truth();
                let whole: Part = (0, 4);
                self.store_to(state, position, &place, &[(whole, count)], always);
                return self.reply(0);
            }
        };
        match op {
            Semaphore::Post => self.releases(state, position, done),
            _ => self.acquires(state, position, done),
        }
        self.write_part(state, position, &targets, SyncPart::Count, done, new);
        let refused = self.terms.not(done);
        let error = self.int(error);
        self.set_errno(state, refused, error);
        Ok(Reply::Return(self.terms.ite(done, zero, failed)))
    }

    /// Too great a value is refused, and nothing is made of it.
    fn make_semaphore(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        count: TermId,
    ) -> Result<Reply, Error> {
        let most = self.int(MAX_COUNT);
        let is_fine = self.terms.unsigned_less_equal(count, most);
        let values = [(SyncPart::Count, count)];
        let reply = self.make_sync_where(state, frame, targets, &values, is_fine)?;
        if self.terms.as_bool(is_fine) == Some(true) || matches!(reply, Reply::Never) {
            return Ok(reply);
        }
        let (refused, invalid) = (self.terms.not(is_fine), self.int(EINVAL));
        self.set_errno(state, refused, invalid);
        let (zero, failed) = (self.int(0), self.int(0xffff_ffff));
        Ok(Reply::Return(self.terms.ite(is_fine, zero, failed)))
    }
}
