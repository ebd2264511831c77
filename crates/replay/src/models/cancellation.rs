//! Threads that are asked to end, and the places where they do.

use super::{EINVAL, Reply, Site};
use crate::footprint::Look;
use crate::machine::{AccessMode, Machine, Stop};
use crate::sync::SyncKey;
use crate::thread::{Pending, Phase, Wait};
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;
use ir::Type;
use library::{Cancellation, CancellationPoint, Entry};
use std::rc::Rc;

impl<'a> Machine<'a> {
    pub(crate) fn cancellation_model(
        &mut self,
        site: &mut Site,
        op: Cancellation,
    ) -> Result<Reply, Stop> {
        match op {
            Cancellation::Push => {
                let buffer = self.buffer(site)?;
                site.thread.cleanups.push(buffer);
                Ok(Reply::NOTHING)
            }
            Cancellation::Pop => {
                site.thread.cleanups.pop();
                Ok(Reply::NOTHING)
            }
            Cancellation::Next => {
                let leaving = site.thread.leaving.clone();
                let value = leaving.unwrap_or(Value::Pointer(Pointer::NULL));
                self.leave_thread(site, value)
            }
            Cancellation::Cancel => self.cancel(site),
            Cancellation::Test => Ok(Reply::NOTHING),
            Cancellation::SetState => {
                let old = i32::from(site.thread.is_immune);
                let new = site.int(0);
                if !(0..=1).contains(&new) {
                    return Ok(Reply::int(EINVAL));
                }
                let reply = self.tell_old(site, old)?;
                if let Reply::Return(_) = reply {
                    site.thread.is_immune = new == 1;
                }
                Ok(reply)
            }
            Cancellation::SetType => {
                let old = i32::from(site.thread.is_asynchronous);
                let new = site.int(0);
                if !(0..=1).contains(&new) {
                    return Ok(Reply::int(EINVAL));
                }
                let reply = self.tell_old(site, old)?;
                if let Reply::Return(_) = reply {
                    site.thread.is_asynchronous = new == 1;
                }
                Ok(reply)
            }
        }
    }

    /// Stores what was set before, if anybody wants to know.
    fn tell_old(&mut self, site: &mut Site, old: i32) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, 1);
        if place.address == 0 {
            return Ok(Reply::int(0));
        }
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, place, 4, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        let old = Value::Bits(u64::from(old as u32));
        self.memory.write(object, offset, &Type::Int(32), &old);
        Ok(Reply::int(0))
    }

    fn cancel(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let mut functions = self.image.program.functions.values();
        if functions.any(|function| library::is_of_cpp(&function.symbol)) {
            // Destructors would have to run.
            return Err(self.unsupported(site.thread, "pthread_cancel in C++"));
        }
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        let misuse = |machine: &Self, what: String| {
            let message = format!("cancellation of {what}");
            Err(machine.violated(site.thread, ViolationKind::Misuse, message))
        };
        let number = site.number(0);
        let Some(target) = number
            .checked_sub(1)
            .map(|id| id as usize)
            .filter(|id| *id < self.threads.len())
        else {
            self.footprint.note(Look::ThreadCount);
            return misuse(self, format!("what is no thread: {number}"));
        };
        self.footprint.note(Look::Thread(target));
        if target == site.thread.id {
            site.thread.is_cancelled = true;
            return Ok(Reply::int(0));
        }
        if self.threads[target].is_joined {
            return misuse(self, format!("thread {target}, which was joined before"));
        }
        if !self.threads[target].is_finished() {
            Rc::make_mut(&mut self.threads[target]).is_cancelled = true;
        }
        Ok(Reply::int(0))
    }

    /// What happens at a place where threads may end: nothing, if the thread goes on.
    pub(super) fn pass_cancellation_point(
        &mut self,
        site: &mut Site,
        entry: &Entry,
    ) -> Result<Option<Reply>, Stop> {
        let Some(point) = library::cancellation_point(entry.name) else {
            return Ok(None);
        };
        if point == CancellationPoint::Unknown {
            let what = format!("{} in a program that cancels threads", entry.name);
            return Err(self.unsupported(site.thread, what));
        }
        if !site.call.allow {
            return Ok((point == CancellationPoint::Step).then(|| Reply::Wait(Pending::default())));
        }
        let phase = site.thread.frame().map(|frame| &frame.phase);
        if phase != Some(&Phase::Start) || !site.thread.must_leave() {
            return Ok(None);
        }
        self.give_in(site).map(Some)
    }

    /// Whether nobody else holds a lock.
    pub(crate) fn is_free_for(&self, thread: usize, lock: SyncKey) -> bool {
        let holders = self.sync.holders(lock);
        holders.into_iter().all(|holder| holder == thread)
    }

    /// Whether a thread that must leave need not wait any longer.
    pub(crate) fn may_leave(&self, thread: usize, wait: &Wait) -> bool {
        match wait {
            Wait::Join(_) | Wait::Semaphore(_) | Wait::Files(_) => true,
            Wait::Condition { mutex, .. } => self.is_free_for(thread, *mutex),
            _ => false,
        }
    }

    /// The thread ends as it was asked to.
    pub(crate) fn give_in(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        site.thread.is_immune = true;
        let all_bits = match self.memory.pointer_bytes {
            4 => u64::from(u32::MAX),
            _ => u64::MAX,
        };
        let cancelled = self.as_pointer(&Value::Bits(all_bits));
        self.leave_thread(site, Value::Pointer(cancelled))
    }
}
