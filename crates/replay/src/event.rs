//! What a trace records: one event per visible step (several for an atomic
//! section), with names and values already in the user's terms.

use crate::violation::StackEntry;
use crate::weak::Remark;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: usize,
    /// The number of this step within its thread, from 1.
    pub step: u64,
    /// Innermost call first.
    pub stack: Vec<StackEntry>,
    pub is_atomic_section: bool,
    pub effect: Effect,
    /// In what it is not as in an ordinary run, under a weak memory model.
    pub remark: Option<Remark>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Read {
        place: String,
        value: String,
    },
    Write {
        place: String,
        value: String,
        was: String,
    },
    /// An atomic read-modify-write.
    Update {
        place: String,
        value: String,
        was: String,
    },
    /// A compare-exchange that found something else than it expected.
    CompareFailed {
        place: String,
        value: String,
        expected: String,
    },
    Free {
        place: String,
    },
    Create {
        thread: usize,
        function: String,
    },
    Join {
        thread: usize,
    },
    /// An operation on a synchronisation object, e.g. `lock` of `queue.mutex`.
    Synchronise {
        verb: &'static str,
        place: String,
        /// E.g. `busy`, or which thread was woken; may be empty.
        result: String,
    },
    /// Locals that others may know come to their end, together.
    EndOfLocals {
        places: Vec<String>,
    },
    ThreadExit,
    /// A function is to run at the end of the process.
    RegisterForEnd {
        function: String,
    },
    /// The functions that are registered for the end of the process are next.
    ExitBegins,
    ProcessExit {
        code: i32,
    },
}
