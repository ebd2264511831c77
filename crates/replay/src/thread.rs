//! The state of one thread: its calls in progress, what it is about to do, and
//! how it ends. Data only; [`crate::machine`] moves it.

use crate::descriptors::{Demand, End as DescriptorEnd, File};
use crate::memory::ObjectId;
use crate::shadow::Shadow;
use crate::snapshot::Snapshot;
use crate::sync::SyncKey;
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;
use analysis::LoopId;
use ir::{BlockId, FunctionId, GlobalId, Location, Type, ValueId};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub struct Thread {
    pub id: usize,
    /// Outermost call first.
    pub frames: Vec<Frame>,
    pub life: Life,
    /// What the thread will do when it is next chosen.
    pub pending: Pending,
    pub atomic_depth: u32,
    /// The source name of the function it runs.
    pub name: Rc<str>,
    pub is_detached: bool,
    pub is_joined: bool,
    /// The location of the `pthread_create`.
    pub created_at: Option<Location>,
    /// This thread's copies of thread-local variables.
    pub locals: Rc<HashMap<GlobalId, ObjectId>>,
    pub errno: Option<ObjectId>,
    /// Values of `pthread_key_t`s; absent ones are null.
    pub key_values: Vec<(usize, Value)>,
    /// At the thread's end: the round of key destructors, and the first key that
    /// has not had its turn in it.
    pub destructor_round: u32,
    /// It has begun to run the functions for the end of the process.
    pub is_exiting: bool,
    pub next_key: usize,
    /// Places that jumps may go back to.
    pub saved: Vec<Saved>,
    /// Buffers of clean-up handlers, the last one first to run.
    pub(crate) cleanups: Vec<SyncKey>,
    /// Somebody has asked the thread to end.
    pub is_cancelled: bool,
    /// It does not want to know, for the time being.
    pub is_immune: bool,
    /// It may end anywhere then, not only where threads usually do.
    pub is_asynchronous: bool,
    /// Signals that it has blocked.
    pub blocked: u64,
    /// How many signals have arrived in it.
    pub arrivals: u32,
    /// The result with which the thread ends, while such handlers run.
    pub leaving: Option<Value>,
    /// The thread's whole function is one atomic step, which is still to come.
    pub is_atomic_start: bool,
    /// Its result depends on inputs that are left open.
    pub is_result_open: bool,
    /// Visible steps taken so far.
    pub steps: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    Running,
    /// Only clean-up functions are left to run.
    Ending(End),
    /// The thread will never take another step, but the others may go on.
    Stuck(Stuck),
    /// The thread's result.
    Finished(Value),
}

/// Why a thread goes no further, without being finished or waiting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stuck {
    /// Its assumption does not hold: by definition it then loops for ever.
    Assumption,
    /// Undefined behaviour of a kind that was not asked for.
    Undefined(ViolationKind),
    /// It loops for ever, or at least for long, without any visible step, in this
    /// function. `is_certain` tells which.
    Endless { function: String, is_certain: bool },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum End {
    Thread(Value),
    Process(i32),
    /// The process, without running what was registered for its end.
    Abrupt(i32),
}

#[derive(Clone, Debug)]
pub struct Frame {
    pub function: FunctionId,
    pub block: BlockId,
    /// The next instruction of the block; its length stands for the terminator.
    pub index: usize,
    pub registers: Vec<Value>,
    /// Of registers with bits that were never written.
    pub shadows: BTreeMap<ValueId, Shadow>,
    /// How many locals the thread had before the call.
    pub stack_mark: usize,
    pub variadic: Rc<[Argument]>,
    /// How often each loop that is being executed has come back to its header.
    pub loop_counts: Vec<(LoopId, u32)>,
    pub then: Then,
    /// How far the library call at `index` has got.
    pub phase: Phase,
}

/// A place to which a jump may go back: a call that fills a buffer.
#[derive(Clone, Debug)]
pub struct Saved {
    pub(crate) buffer: SyncKey,
    /// How many calls were in progress.
    pub depth: usize,
    pub block: BlockId,
    pub index: usize,
    pub stack_mark: usize,
    pub loop_counts: Vec<(LoopId, u32)>,
    /// How many clean-up handlers there were.
    pub cleanups: usize,
    /// Signals that are blocked again, if that was asked for.
    pub blocked: Option<u64>,
    /// How often it was gone back to, where there is a bound.
    pub jumps: u32,
}

/// A variadic argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub value: Value,
    pub shadow: Shadow,
    pub ty: Type,
    /// The value is a pointer to this many bytes that are to be passed.
    pub by_value: Option<u64>,
}

/// What happens when a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// The caller goes on after its call instruction with the result.
    Continue,
    /// The library function that made the call goes on with the result.
    Resume,
    /// The frame below goes on as if nothing had happened.
    Drop,
    /// The same for the handler of a signal, after which these signals are blocked.
    Unblock(u64),
}

/// Progress inside one library call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Start,
    /// Waiting for a condition, or already too late for it: only the mutex is
    /// missing then.
    Waiting {
        mutex: SyncKey,
        is_late: bool,
    },
    /// What a copying function has read and is about to write.
    Copying(Snapshot),
    /// Waiting for others to arrive at a barrier.
    AtBarrier,
    /// Waiting at a futex.
    AtFutex,
    /// A signal has interrupted the call, which fails.
    Interrupted,
    /// What the number stands for that a call uses; nothing if it is none.
    Holding(Option<File>),
    /// The same for several.
    Polling(Vec<Watched>),
    /// The routine of a `pthread_once` runs.
    InOnce,
    /// Sorting an array: the element that is being moved down, and the result of
    /// the last comparison.
    Sorting {
        current: u64,
        at: u64,
        order: Option<i32>,
    },
    /// Searching a sorted array between two indices.
    Searching {
        low: u64,
        high: u64,
        order: Option<i32>,
    },
}

/// What is waited for at a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Watched {
    pub(crate) what: Polled,
    pub events: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Polled {
    /// The entry does not count.
    Nothing,
    /// Its number stands for nothing.
    Bad,
    End(DescriptorEnd),
}

/// The visible step a thread is about to take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pending {
    pub wait: Wait,
    /// Shared memory that the step will access, as far as known beforehand.
    pub accesses: Vec<Access>,
}

/// An access to shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub object: ObjectId,
    pub offset: u64,
    pub len: u64,
    pub is_write: bool,
    pub is_atomic: bool,
}

impl Access {
    pub fn races_with(&self, other: &Access) -> bool {
        self.object == other.object
            && (self.is_write || other.is_write)
            && !(self.is_atomic && other.is_atomic)
            && self.offset < other.offset + other.len
            && other.offset < self.offset + self.len
    }
}

/// What must hold for a pending step to be possible.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wait {
    #[default]
    Nothing,
    Mutex(SyncKey),
    /// To be woken, and then for the mutex.
    Condition {
        condition: SyncKey,
        mutex: SyncKey,
        is_timed: bool,
    },
    ReadLock(SyncKey),
    WriteLock(SyncKey),
    Semaphore(SyncKey),
    Spin(SyncKey),
    Barrier(SyncKey),
    Once(SyncKey),
    /// To be woken.
    Futex {
        place: SyncKey,
        is_timed: bool,
    },
    /// For any of these.
    Files(Vec<Demand>),
    Join(usize),
}

impl Wait {
    /// The lock without which it cannot end, if it is for one that has holders.
    pub(crate) fn lock(&self) -> Option<SyncKey> {
        match self {
            Wait::Mutex(key)
            | Wait::ReadLock(key)
            | Wait::WriteLock(key)
            | Wait::Spin(key)
            | Wait::Once(key)
            | Wait::Condition { mutex: key, .. } => Some(*key),
            Wait::Nothing
            | Wait::Semaphore(_)
            | Wait::Barrier(_)
            | Wait::Futex { .. }
            | Wait::Files(_)
            | Wait::Join(_) => None,
        }
    }
}

impl Frame {
    pub fn set_shadow(&mut self, register: ValueId, shadow: Shadow) {
        match shadow {
            Shadow::None => self.shadows.remove(&register),
            shadow => self.shadows.insert(register, shadow),
        };
    }
}

impl Thread {
    pub fn is_finished(&self) -> bool {
        matches!(self.life, Life::Finished(_))
    }

    pub fn is_stuck(&self) -> bool {
        matches!(self.life, Life::Stuck(_))
    }

    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// It ends at the next place where it may.
    pub fn must_leave(&self) -> bool {
        self.is_cancelled && !self.is_immune
    }

    pub fn is_vacant(&self) -> bool {
        self.id == usize::MAX
    }

    /// Stands in for a thread that is being executed at the moment.
    pub fn vacant() -> Thread {
        Thread {
            id: usize::MAX,
            frames: Vec::new(),
            life: Life::Finished(Value::Pointer(Pointer::NULL)),
            pending: Pending::default(),
            atomic_depth: 0,
            name: Rc::from(""),
            is_detached: false,
            is_joined: false,
            created_at: None,
            locals: Rc::new(HashMap::new()),
            errno: None,
            key_values: Vec::new(),
            destructor_round: 0,
            is_exiting: false,
            next_key: 0,
            saved: Vec::new(),
            cleanups: Vec::new(),
            is_cancelled: false,
            is_immune: false,
            is_asynchronous: false,
            blocked: 0,
            arrivals: 0,
            leaving: None,
            is_atomic_start: false,
            is_result_open: false,
            steps: 0,
        }
    }
}
