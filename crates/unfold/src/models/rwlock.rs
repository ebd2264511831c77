//! Read-write locks: many readers, or one writer.

use super::{EBUSY, EDEADLK, ETIMEDOUT};
use crate::Error;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::SyncPart;
use crate::facts::sync::SyncKind;
use crate::locksets::Grip;
use crate::pass::{Flow, Frame, Pass, State};
use library::RwLock;

/// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP.
const PREFER_WRITERS: u128 = 2;

impl<'p> Pass<'p> {
    pub(crate) fn rwlock_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: RwLock,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            RwLock::AttrInit => return self.init_attributes(state, frame, call),
            RwLock::AttrSetKind(attribute) => {
                let kind = self.number(call, 1, 32);
                if self.terms.range(kind).contains(PREFER_WRITERS) {
                    let what = "read-write locks at which readers wait behind writers that wait";
                    return Err(self.unsupported(frame, what));
                }
                return self.set_attribute(state, frame, call, attribute);
            }
            RwLock::AttrSet(attribute) => return self.set_attribute(state, frame, call, attribute),
            RwLock::AttrGet(attribute) => return self.get_attribute(state, frame, call, attribute),
            RwLock::AttrDestroy => return self.reply(0),
            _ => {}
        }
        let targets = self.sync_targets(frame, call, 0, SyncKind::RwLock)?;
        match op {
            RwLock::Init => {
                let zero = self.int(0);
                let mut values = vec![(SyncPart::Owner, zero), (SyncPart::Readers, zero)];
                for thread in self.facts.threads_with(&targets, SyncPart::Reader) {
                    values.push((SyncPart::Reader(thread), zero));
                }
                return self.make_sync(state, frame, &targets, &values);
            }
            RwLock::Destroy => {
                let idle = [SyncPart::Owner, SyncPart::Readers];
                return self.destroy_sync(state, frame, &targets, &idle, false);
            }
            _ => {}
        }
        let mine = SyncPart::Reader(self.threads.current());
        let parts = [SyncPart::Life, SyncPart::Owner, SyncPart::Readers, mine];
        let may_wait = matches!(op, RwLock::ReadLock | RwLock::WriteLock);
        let uses: [(&Targets, &[SyncPart]); 1] = [(&targets, &parts)];
        let Ok(position) = self.begin_waiting(state, frame, &uses, 0, may_wait) else {
            return Ok(Reply::Never);
        };
        if self.require_life(state, position, &targets, false) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let (zero, one, me) = (self.int(0), self.int(1), self.me());
        let writer = self.read_part(state, position, &targets, SyncPart::Owner);
        let readers = self.read_part(state, position, &targets, SyncPart::Readers);
        let own_reads = self.read_part(state, position, &targets, mine);
        let is_own = self.terms.equal(writer, me);
        let no_writer = words::is_zero(&mut self.terms, writer);
        let no_reader = words::is_zero(&mut self.terms, readers);
        if op == RwLock::Unlock {
            self.note_unlock(state, &targets);
            let reads = self.terms.is_nonzero(own_reads);
            let holds = self.terms.or(is_own, reads);
            if self.expect(state, Check::Misuse, position, holds) == Flow::Dead {
                return Ok(Reply::Never);
            }
            self.releases(state, position, holds);
            let fewer = self.terms.sub(readers, one);
            let own_fewer = self.terms.sub(own_reads, one);
            self.write_part(state, position, &targets, SyncPart::Readers, reads, fewer);
            self.write_part(state, position, &targets, mine, reads, own_fewer);
            self.write_part(state, position, &targets, SyncPart::Owner, is_own, zero);
            return self.reply(0);
        }
        let is_write = matches!(
            op,
            RwLock::WriteLock | RwLock::TryWriteLock | RwLock::TimedWriteLock
        );
        let free = if is_write {
            self.terms.and(no_writer, no_reader)
        } else {
            no_writer
        };
        let possible = self.terms.or(free, is_own);
        let (busy, late, refused) = (self.int(EBUSY), self.int(ETIMEDOUT), self.int(EDEADLK));
        let (taken, result) = match op {
            RwLock::ReadLock | RwLock::WriteLock => {
                let always = self.truth();
                let mut holders = self.owners(writer, always);
                if is_write {
                    holders.extend(self.readers(state, position, &targets));
                }
                let step = (position, 0);
                if self.wait_until(state, frame, step, possible, holders) == Flow::Dead {
                    return Ok(Reply::Never);
                }
                let grip = match is_write {
                    true => Grip::Alone,
                    false => Grip::Shared,
                };
                self.note_lock(state, &targets, grip);
                (free, self.terms.ite(is_own, refused, zero))
            }
            RwLock::TryReadLock | RwLock::TryWriteLock => (free, self.terms.ite(free, zero, busy)),
            _ => {
                let in_time = self.terms.ite(is_own, refused, zero);
                (free, self.terms.ite(possible, in_time, late))
            }
        };
        self.acquires(state, position, taken);
        if is_write {
            self.acquires_alone(position);
            self.write_part(state, position, &targets, SyncPart::Owner, taken, me);
        } else {
            let more = self.terms.add(readers, one);
            let own_more = self.terms.add(own_reads, one);
            self.write_part(state, position, &targets, SyncPart::Readers, taken, more);
            self.write_part(state, position, &targets, mine, taken, own_more);
        }
        Ok(Reply::Return(result))
    }
}
