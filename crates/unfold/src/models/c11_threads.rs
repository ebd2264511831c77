//! C11's names for threads, locks and keys: the same operations with other results.

use crate::Error;
use crate::calls::{Call, Reply};
use crate::facts::sync::SyncKind;
use crate::models::mutex::Manner;
use crate::pass::{Frame, Pass, State};
use library::{C11Thread, Keys, Once, Thread};

// The numbers of glibc's threads.h.
const C11_BUSY: u128 = 1;

const C11_ERROR: u128 = 2;

const C11_TIMED_OUT: u128 = 4;

impl<'p> Pass<'p> {
    pub(crate) fn c11_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: C11Thread,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            C11Thread::ThreadCreate => {
                let (start, argument) = (self.argument(call, 1), self.argument(call, 2));
                let fate = self.int(0);
                self.create(state, frame, call, start, argument, fate)
            }
            C11Thread::ThreadJoin => {
                let reply = self.join(state, frame, call, 4)?;
                self.success_or_error(reply)
            }
            C11Thread::ThreadExit => {
                let width = self.word();
                let value = self.number(call, 0, width);
                self.exit_thread(state, frame, value)
            }
            C11Thread::ThreadCurrent => self.thread_model(state, frame, Thread::SelfId, call),
            C11Thread::ThreadDetach => {
                let reply = self.detach(state, frame, call)?;
                self.success_or_error(reply)
            }
            C11Thread::ThreadEqual => self.thread_model(state, frame, Thread::Equal, call),
            C11Thread::ThreadYield | C11Thread::ThreadSleep => self.reply(0),
            C11Thread::CallOnce => self.once_model(state, frame, Once::Once, call),
            C11Thread::KeyCreate => self.keys_model(state, frame, Keys::Create, call),
            C11Thread::KeyGet => self.keys_model(state, frame, Keys::Get, call),
            C11Thread::KeySet => {
                let reply = self.keys_model(state, frame, Keys::Set, call)?;
                self.success_or_error(reply)
            }
            C11Thread::KeyDelete => self.keys_model(state, frame, Keys::Delete, call),
            _ => {
                let kind = match op {
                    C11Thread::MutexInit
                    | C11Thread::MutexLock
                    | C11Thread::MutexTryLock
                    | C11Thread::MutexTimedLock
                    | C11Thread::MutexUnlock
                    | C11Thread::MutexDestroy => SyncKind::Mutex,
                    _ => SyncKind::Condition,
                };
                let targets = self.sync_targets(frame, call, 0, kind)?;
                match op {
                    C11Thread::MutexInit => {
                        let kind = self.number(call, 1, 32);
                        let one = self.int(1);
                        let kind = self.terms.bit_and(kind, one);
                        self.init_mutex(state, frame, &targets, kind)
                    }
                    C11Thread::MutexLock => self.lock(state, frame, &targets, Manner::Wait, 0),
                    C11Thread::MutexTryLock => {
                        self.lock(state, frame, &targets, Manner::Try, C11_BUSY)
                    }
                    C11Thread::MutexTimedLock => {
                        self.lock(state, frame, &targets, Manner::Timed, C11_TIMED_OUT)
                    }
                    C11Thread::MutexUnlock => self.unlock(state, frame, &targets, false),
                    C11Thread::MutexDestroy => {
                        self.mutex_model(state, frame, library::Mutex::Destroy, call)
                    }
                    C11Thread::ConditionInit => self.make_sync(state, frame, &targets, &[]),
                    C11Thread::ConditionDestroy => self.destroy_condition(state, frame, &targets),
                    C11Thread::ConditionSignal => self.signal(state, frame, &targets),
                    C11Thread::ConditionBroadcast => self.broadcast(state, frame, &targets),
                    _ => {
                        let mutex = self.sync_targets(frame, call, 1, SyncKind::Mutex)?;
                        let is_timed = op == C11Thread::ConditionTimedWait;
                        self.wait(state, frame, &targets, &mutex, is_timed, C11_TIMED_OUT)
                    }
                }
            }
        }
    }

    fn success_or_error(&mut self, reply: Reply) -> Result<Reply, Error> {
        Ok(match reply {
            Reply::Return(value) => {
                let failed = self.terms.is_nonzero(value);
                let (error, zero) = (self.int(C11_ERROR), self.int(0));
                Reply::Return(self.terms.ite(failed, error, zero))
            }
            other => other,
        })
    }
}
