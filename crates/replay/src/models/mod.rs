//! What library functions do, one file per group of families.
//!
//! A model gets the evaluated arguments. If the call is a visible step and it is
//! not the thread's turn, it says what it would do and changes nothing; a model
//! that takes several steps keeps its progress in the caller's [`Phase`].
//!
//! [`Phase`]: crate::thread::Phase

mod atomic;
mod attribute;
mod barrier;
mod c11_threads;
mod cancellation;
mod condition;
mod descriptors;
mod input;
mod jumps;
mod keys;
mod math;
mod memory;
mod mutex;
mod once;
mod output;
mod pages;
mod plan;
mod process;
mod rwlock;
mod semaphore;
mod signals;
mod spin;
mod strings;
mod sync_objects;
mod system;
mod thread;
mod time;
mod verifier;

pub(crate) use output::first_printed;

use crate::calls::LibraryCall;
use crate::inputs::Inputs;
use crate::machine::{AccessMode, Flow, Machine, Stop};
use crate::memory::ObjectId;
use crate::shadow::Shadow;
use crate::sync::{SyncKey, SyncKind};
use crate::thread::{Pending, Phase, Thread, Wait};
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;
use library::{Entry, Function};

// Error numbers of Linux.
pub(crate) const EPERM: i32 = 1;
pub(crate) const EINTR: i32 = 4;
pub(crate) const EAGAIN: i32 = 11;
pub(crate) const ENOMEM: i32 = 12;
pub(crate) const EBUSY: i32 = 16;
pub(crate) const EINVAL: i32 = 22;
pub(crate) const EDEADLK: i32 = 35;
pub(crate) const ENOTSUP: i32 = 95;
pub(crate) const ETIMEDOUT: i32 = 110;

/// What a model has to say.
pub(crate) enum Reply {
    /// The call returns this (if it returns anything).
    Return(Value),
    /// It is not the thread's turn yet.
    Wait(Pending),
    /// The call has made progress, but has not returned.
    Continue,
}

impl Reply {
    pub(crate) const NOTHING: Reply = Reply::Return(Value::ZERO);

    /// An `int` result.
    pub(crate) fn int(value: i32) -> Reply {
        Reply::Return(Value::Bits(u64::from(value as u32)))
    }

    pub(crate) fn pointer(pointer: Pointer) -> Reply {
        Reply::Return(Value::Pointer(pointer))
    }
}

/// Where a model's call happens: everything but the machine.
pub(crate) struct Site<'c> {
    pub thread: &'c mut Thread,
    pub inputs: &'c mut dyn Inputs,
    pub call: &'c LibraryCall,
}

impl Site<'_> {
    pub(crate) fn arg(&self, index: usize) -> Value {
        self.call.arg(index)
    }

    /// A number argument, zero-extended.
    pub(crate) fn number(&self, index: usize) -> u64 {
        self.call.arg(index).low_bits()
    }

    pub(crate) fn int(&self, index: usize) -> i32 {
        self.number(index) as i32
    }
}

impl<'a> Machine<'a> {
    pub(crate) fn call_library(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        entry: &'static Entry,
        call: &LibraryCall,
    ) -> Result<Flow, Stop> {
        let mut site = Site {
            thread,
            inputs,
            call,
        };
        let site = &mut site;
        self.is_answer_open = false;
        if let Some(Phase::Interrupted) = site.thread.frame().map(|frame| &frame.phase) {
            let value = self.interrupted_call(site, entry)?;
            self.complete(thread, call.result, Some(value));
            return Ok(Flow::Done);
        }
        if self.image.can_cancel
            && let Some(reply) = self.pass_cancellation_point(site, entry)?
        {
            return Ok(match reply {
                Reply::Wait(pending) => Flow::Visible(pending),
                _ => Flow::Done,
            });
        }
        let reply = match entry.function {
            Function::Thread(op) => self.thread_model(site, op)?,
            Function::Cancellation(op) => self.cancellation_model(site, op)?,
            Function::Mutex(op) => self.mutex_model(site, op)?,
            Function::Condition(op) => self.condition_model(site, op)?,
            Function::RwLock(op) => self.rwlock_model(site, op)?,
            Function::Barrier(op) => self.barrier_model(site, op)?,
            Function::Spin(op) => self.spin_model(site, op)?,
            Function::Once(op) => self.once_model(site, op)?,
            Function::Keys(op) => self.keys_model(site, op)?,
            Function::Semaphore(op) => self.semaphore_model(site, op)?,
            Function::C11Thread(op) => self.c11_model(site, op)?,
            Function::Atomic(op) => self.atomic_model(site, op)?,
            Function::Memory(op) => self.memory_model(site, op)?,
            Function::Pages(op) => self.pages_model(site, op)?,
            Function::Strings(op) => self.strings_model(site, op)?,
            Function::Output(op) => self.output_model(site, op)?,
            Function::Input(op) => self.input_model(site, op)?,
            Function::Descriptors(op) => self.descriptors_model(site, op)?,
            Function::Process(op) => self.process_model(site, op)?,
            Function::Signals(op) => self.signals_model(site, op)?,
            Function::System(library::System::Call) => self.system_model(site)?,
            Function::Jumps(op) => self.jumps_model(site, op)?,
            Function::Time(op) => self.time_model(site, op)?,
            Function::Math(op) => self.math_model(site, op)?,
            Function::Bits(library::Bits::FindFirstSet) => {
                let bits = site.arg(0).bits();
                let position = if bits == 0 {
                    0
                } else {
                    bits.trailing_zeros() + 1
                };
                Reply::int(position as i32)
            }
            Function::Verifier(op) => self.verifier_model(site, op)?,
            Function::Unsupported => {
                let what = format!("{}: {}", entry.name, entry.model.trim_end_matches('.'));
                return Err(self.unsupported(site.thread, what));
            }
        };
        match reply {
            Reply::Return(value) => {
                let value = call.result_type.as_ref().map(|ty| match (ty, value) {
                    (ir::Type::Pointer, value) => Value::Pointer(self.as_pointer(&value)),
                    (ir::Type::Tuple(_), value) => value,
                    (ty, value) => Value::from_bits(self.width(ty), value.bits()),
                });
                // Ending a thread leaves no frame to return to.
                if !thread.frames.is_empty() {
                    let ty = call.result_type.as_ref();
                    let (value, shadow) = match (ty, value) {
                        (Some(ty), Some(value)) => {
                            let (value, shadow) = self.answered(ty, value);
                            (Some(value), shadow)
                        }
                        (_, value) => (value, Shadow::None),
                    };
                    self.complete_with(thread, call.result, value, shadow);
                }
                Ok(Flow::Done)
            }
            Reply::Wait(pending) => Ok(Flow::Visible(pending)),
            Reply::Continue => Ok(Flow::Done),
        }
    }

    /// What a call returns that a signal has interrupted.
    fn interrupted_call(&mut self, site: &mut Site, entry: &Entry) -> Result<Value, Stop> {
        let left = match entry.name {
            "nanosleep" => 1,
            "clock_nanosleep" => 3,
            _ => usize::MAX,
        };
        if self.pointer_arg(site, left).address != 0 {
            let what = "what is left of a sleep that was interrupted";
            return Err(self.unsupported(site.thread, what));
        }
        let value = match entry.name {
            "clock_nanosleep" => EINTR as u64,
            // Nobody has slept yet.
            "sleep" => site.number(0),
            _ => {
                self.set_errno(site.thread, EINTR);
                u64::MAX
            }
        };
        let width = site
            .call
            .result_type
            .as_ref()
            .map_or(64, |ty| self.width(ty));
        Ok(Value::from_bits(width, value.into()))
    }

    /// The gate before a synchronisation step: `Some` is the reply if the step
    /// cannot be taken now. Inside an atomic section nothing can be waited for,
    /// so there the run ends like one whose assumption fails.
    pub(crate) fn gate(&self, site: &Site, wait: Wait) -> Result<Option<Reply>, Stop> {
        if !site.call.allow {
            return Ok(Some(Reply::Wait(Pending {
                wait,
                accesses: Vec::new(),
            })));
        }
        if self.is_possible(site.thread.id, &wait) {
            return Ok(None);
        }
        if site.thread.atomic_depth > 0 {
            return Err(Stop::Assumption);
        }
        // What is waited for became clear only now.
        Ok(Some(Reply::Wait(Pending {
            wait,
            accesses: Vec::new(),
        })))
    }

    pub(crate) fn pointer_arg(&self, site: &Site, index: usize) -> Pointer {
        self.as_pointer(&site.arg(index))
    }

    /// The place of a synchronisation object whose life may be over: a thread that
    /// has been released from it has nothing to do with it any more.
    pub(crate) fn old_sync_key(&self, site: &Site, index: usize) -> Option<SyncKey> {
        let pointer = self.pointer_arg(site, index);
        let (object, offset) = self.memory.offset(pointer)?;
        Some((object, u64::try_from(offset).ok()?))
    }

    /// Finds the memory of a synchronisation object that a call is about.
    pub(crate) fn sync_key(
        &self,
        site: &Site,
        index: usize,
        kind: SyncKind,
    ) -> Result<SyncKey, Stop> {
        let pointer = self.pointer_arg(site, index);
        self.memory.check(pointer, 1, false).map_err(|fault| {
            if pointer.address == 0 {
                let message = format!("the {} is a null pointer", kind.name());
                self.violated(site.thread, ViolationKind::NullDereference, message)
            } else {
                self.access_violation(site.thread, fault, 1, true)
            }
        })
    }

    /// A range that a model reads or writes: `None` if the call must wait for its
    /// turn, with what it will access added to `pending`.
    pub(crate) fn model_access(
        &mut self,
        site: &Site,
        pointer: Pointer,
        len: u64,
        mode: AccessMode,
        pending: &mut Pending,
    ) -> Result<Option<(ObjectId, u64)>, Stop> {
        self.access(site.thread, pointer, len, mode, site.call.allow, pending)
    }

    /// Whether a pointer leads into memory that other threads may see, so that
    /// using it is a visible step.
    pub(crate) fn is_shared(&self, site: &Site, pointer: Pointer) -> bool {
        let Some(object) = pointer.object else {
            return false;
        };
        match self.memory.header(object) {
            Some(data) => data.is_shared,
            // A local that is gone. It was known if it is another thread's.
            None => self.is_foreign(site.thread, object),
        }
    }
}
