//! What one call of a solver may cost, and how it is stopped early.
//!
//! A [`Budget`] is given with every call; an [`Interrupter`] stops a running
//! call from another thread. Neither decides anything about a formula: all
//! they can cause is an unknown outcome with a [`Reason`]. The limits on time
//! and memory are checked now and then, so a call ends soon after they are
//! reached, not exactly then.

use crate::memory;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much one call of `solve` may cost; the default is no limit.
///
/// A back end that cannot count conflicts or decisions ignores those limits;
/// every back end keeps to the deadline and the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Conflicts in this call.
    pub conflicts: Option<u64>,
    /// Decisions in this call.
    pub decisions: Option<u64>,
    /// The moment at which to give up.
    pub deadline: Option<Instant>,
    /// Resident bytes of this process, all of its threads together, and of the
    /// solver if that is a process of its own. Checked where the system tells
    /// (Linux), and no limit elsewhere.
    pub memory: Option<u64>,
}

/// Why a call of `solve` ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Its [`Interrupter`] was used.
    Interrupted,
    /// It reached [`Budget::conflicts`].
    Conflicts,
    /// It reached [`Budget::decisions`].
    Decisions,
    /// It reached [`Budget::deadline`].
    Deadline,
    /// The process reached [`Budget::memory`].
    Memory,
    /// The back end failed of its own accord: it is missing, crashed, gave up,
    /// or said something that cannot be believed. The text says which.
    SolverDied(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Conflicts => f.write_str("the limit on conflicts was reached"),
            Reason::Decisions => f.write_str("the limit on decisions was reached"),
            Reason::Deadline => f.write_str("the time was over"),
            Reason::Memory => f.write_str("the limit on memory was reached"),
            Reason::SolverDied(problem) => write!(f, "the solver failed: {problem}"),
        }
    }
}

/// Stops a solver from any thread.
///
/// An interruption lasts: calls of `solve` end at once until it is cleared. So
/// none is lost that comes just before a call starts.
#[derive(Clone, Debug, Default)]
pub struct Interrupter(Arc<AtomicBool>);

impl Interrupter {
    /// A handle that does not interrupt yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the running call and all later ones end soon.
    pub fn interrupt(&self) {
        // Only the flag itself is communicated, so no order is needed.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets later calls run again.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the solver is to stop.
    pub fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Looks after everything that can stop a call from outside the search.
#[derive(Debug)]
pub(crate) struct Watch {
    interrupter: Interrupter,
    deadline: Option<Instant>,
    memory: Option<u64>,
    next_look_at_memory: Instant,
    child: Option<u32>,
}

impl Watch {
    /// How often the resident memory is looked up, which takes a system call
    /// or three and therefore has no place in a solver's inner loop.
    const MEMORY_INTERVAL: Duration = Duration::from_millis(50);

    pub(crate) fn new(budget: &Budget, interrupter: &Interrupter) -> Self {
        Self {
            interrupter: interrupter.clone(),
            deadline: budget.deadline,
            memory: budget.memory,
            next_look_at_memory: Instant::now(),
            child: None,
        }
    }

    /// Counts the memory of this process too.
    pub(crate) fn include(&mut self, child: u32) {
        self.child = Some(child);
    }

    /// Why to stop now, if so. Cheap enough to be asked thousands of times a
    /// second.
    pub(crate) fn reason_to_stop(&mut self) -> Option<Reason> {
        if self.interrupter.is_interrupted() {
            return Some(Reason::Interrupted);
        }
        if self.deadline.is_none() && self.memory.is_none() {
            return None;
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Reason::Deadline);
        }
        if let Some(limit) = self.memory
            && now >= self.next_look_at_memory
        {
            self.next_look_at_memory = now + Self::MEMORY_INTERVAL;
            let own = memory::resident().unwrap_or(0);
            let child = self.child.and_then(memory::resident_of);
            if own + child.unwrap_or(0) >= limit {
                return Some(Reason::Memory);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(budget: Budget, expected: Option<Reason>) {
        let mut watch = Watch::new(&budget, &Interrupter::new());
        assert_eq!(watch.reason_to_stop(), expected, "{budget:?}");
    }

    #[test]
    fn limits_that_are_reached_stop() {
        let past = Instant::now();
        let future = past + Duration::from_secs(3600);
        check(Budget::default(), None);
        check(
            Budget {
                deadline: Some(past),
                ..Budget::default()
            },
            Some(Reason::Deadline),
        );
        check(
            Budget {
                deadline: Some(future),
                ..Budget::default()
            },
            None,
        );
        // Counted elsewhere: by the search itself.
        check(
            Budget {
                conflicts: Some(0),
                decisions: Some(0),
                ..Budget::default()
            },
            None,
        );
    }

    #[test]
    fn memory_is_looked_up_where_the_system_tells() {
        check(
            Budget {
                memory: Some(u64::MAX),
                ..Budget::default()
            },
            None,
        );
        // Where the system does not tell, there is no limit to reach.
        check(
            Budget {
                memory: Some(1),
                ..Budget::default()
            },
            memory::resident().map(|_| Reason::Memory),
        );
    }

    #[test]
    fn an_interruption_lasts_until_cleared() {
        let interrupter = Interrupter::new();
        let mut watch = Watch::new(&Budget::default(), &interrupter);
        interrupter.clone().interrupt();
        assert_eq!(watch.reason_to_stop(), Some(Reason::Interrupted));
        assert_eq!(watch.reason_to_stop(), Some(Reason::Interrupted));
        interrupter.clear();
        assert_eq!(watch.reason_to_stop(), None);
    }
}
