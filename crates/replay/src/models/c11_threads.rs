//! C11's `threads.h`: the same operations as POSIX threads, with other results.

use super::{Reply, Site};
use crate::machine::{Machine, Stop};
use crate::models::thread::handle;
use crate::sync::{MutexType, SyncKind};
use crate::thread::Wait;
use crate::value::Value;
use ir::Type;
use library::{C11Thread, Keys, Once};

// The numbers of glibc's threads.h.
const BUSY: i32 = 1;
const ERROR: i32 = 2;
const TIMED_OUT: i32 = 4;
const RECURSIVE: i32 = 1;

impl<'a> Machine<'a> {
    pub(crate) fn c11_model(&mut self, site: &mut Site, op: C11Thread) -> Result<Reply, Stop> {
        match op {
            C11Thread::ThreadCreate => {
                let (start, argument) = (site.arg(1), site.arg(2));
                let word = Type::Int(8 * self.memory.pointer_bytes as u32);
                self.create(site, &start, argument, &word, false)
            }
            C11Thread::ThreadJoin => {
                let reply = self.join(site, Wait::Join)?;
                Ok(success_or_error(reply))
            }
            C11Thread::ThreadExit => {
                let value = site.arg(0);
                self.leave_thread(site, value)
            }
            C11Thread::ThreadCurrent => Ok(Reply::Return(Value::Bits(handle(site.thread.id)))),
            C11Thread::ThreadDetach => {
                let reply = self.thread_model(site, library::Thread::Detach)?;
                Ok(success_or_error(reply))
            }
            C11Thread::ThreadEqual => Ok(Reply::int(i32::from(site.number(0) == site.number(1)))),
            C11Thread::ThreadYield | C11Thread::ThreadSleep => Ok(Reply::int(0)),
            C11Thread::MutexInit
            | C11Thread::MutexLock
            | C11Thread::MutexTryLock
            | C11Thread::MutexTimedLock
            | C11Thread::MutexUnlock
            | C11Thread::MutexDestroy => self.c11_mutex(site, op),
            C11Thread::ConditionInit
            | C11Thread::ConditionWait
            | C11Thread::ConditionTimedWait
            | C11Thread::ConditionSignal
            | C11Thread::ConditionBroadcast
            | C11Thread::ConditionDestroy => self.c11_condition(site, op),
            C11Thread::CallOnce => self.once_model(site, Once::Once),
            C11Thread::KeyCreate => Ok(success_or_error(self.keys_model(site, Keys::Create)?)),
            C11Thread::KeyGet => self.keys_model(site, Keys::Get),
            C11Thread::KeySet => Ok(success_or_error(self.keys_model(site, Keys::Set)?)),
            C11Thread::KeyDelete => self.keys_model(site, Keys::Delete),
        }
    }

    fn c11_mutex(&mut self, site: &mut Site, op: C11Thread) -> Result<Reply, Stop> {
        let key = self.sync_key(site, 0, SyncKind::Mutex)?;
        let wait = match op {
            C11Thread::MutexLock => Wait::Mutex(key),
            _ => Wait::Nothing,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        match op {
            C11Thread::MutexInit => {
                let ty = if site.int(1) & RECURSIVE != 0 {
                    MutexType::Recursive
                } else {
                    MutexType::Plain
                };
                self.init_mutex(site, key, ty)
            }
            C11Thread::MutexLock => self.lock_mutex(site, key),
            C11Thread::MutexTryLock => self.try_lock_mutex(site, key, BUSY),
            C11Thread::MutexTimedLock => {
                if !self.can_lock(site, key)? {
                    self.record_sync(site, "lock", key, "timed out");
                    return Ok(Reply::int(TIMED_OUT));
                }
                self.lock_mutex(site, key)
            }
            C11Thread::MutexDestroy => self.mutex_model(site, library::Mutex::Destroy),
            _ => self.unlock_mutex(site, key, false),
        }
    }

    fn c11_condition(&mut self, site: &mut Site, op: C11Thread) -> Result<Reply, Stop> {
        let key = self.waited_key(site, SyncKind::Condition)?;
        match op {
            C11Thread::ConditionWait => return self.wait(site, key, false, TIMED_OUT),
            C11Thread::ConditionTimedWait => return self.wait(site, key, true, TIMED_OUT),
            _ => {}
        }
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        match op {
            C11Thread::ConditionInit => self.init_condition(site, key),
            C11Thread::ConditionSignal => self.signal(site, key),
            C11Thread::ConditionBroadcast => self.broadcast(site, key),
            _ => self.destroy_condition(site, key),
        }
    }
}

/// Other error numbers than those of `threads.h` become `thrd_error`.
fn success_or_error(reply: Reply) -> Reply {
    match reply {
        Reply::Return(value) if value.low_bits() != 0 => Reply::int(ERROR),
        other => other,
    }
}
