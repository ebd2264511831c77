//! What the operating system keeps for the program: descriptors, what is to happen
//! when signals arrive, and the times that clocks have shown. Data only.

use crate::descriptors::Descriptors;
use crate::value::Value;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kernel {
    pub descriptors: Descriptors,
    /// By number of the signal; the default is not listed.
    pub actions: BTreeMap<u32, Action>,
    /// Which variables of the environment are there, of those that have a place.
    pub variables: Vec<bool>,
    /// The last time that each clock has shown: seconds, and parts of one.
    pub clocks: BTreeMap<Clock, (u64, u64)>,
}

/// What happens when a signal arrives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    /// The address of a function, or 1 if it is ignored.
    pub handler: Value,
    /// Signals that are blocked while the handler runs.
    pub blocked: u64,
    pub flags: u32,
}

/// Something that shows a time, and never an earlier one than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Clock {
    /// By the number of the clock.
    Numbered(u32),
    /// How long a thread has worked.
    OfThread(usize),
    Seconds,
    Microseconds,
    Process,
}
