//! What is asked and what is answered.

use ir::Location;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How contexts are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// So many contexts, of any threads.
    Contexts(u32),
    /// So many rounds; in each, every thread has one context, in the order in
    /// which they are created.
    Rounds(u32),
}

/// Bounds that the user gives. What is not given, the checker raises by itself
/// as long as it has time.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub order: Option<Order>,
    /// For loops whose number of iterations is not constant, and for recursion.
    pub unwind: Option<u32>,
    /// `unwind` holds for all loops, constant number of iterations or not.
    pub unwind_every_loop: bool,
    /// Loops by name (`main.0`), which need not follow `unwind`.
    pub unwind_set: BTreeMap<String, u32>,
}

impl Bounds {
    /// Whether the user gave none at all.
    pub fn are_open(&self) -> bool {
        self.order.is_none() && self.unwind.is_none() && self.unwind_set.is_empty()
    }

    /// Whether the user left nothing to be chosen.
    pub fn are_given(&self) -> bool {
        self.order.is_some() && self.unwind.is_some()
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub bounds: Bounds,
    /// How the program behaves and what is checked; its `unwind` is ignored.
    pub config: replay::Config,
    pub time: Option<Duration>,
    /// Bytes that this process may use.
    pub memory: Option<u64>,
    /// Write each query here: DIMACS, or SMT-LIB if the name ends in `.smt2`.
    pub dump: Option<PathBuf>,
    pub reductions: Reductions,
    pub search: Search,
    /// Go on after the first violation.
    pub all_violations: bool,
}

/// How the schedules are searched.
#[derive(Clone, Debug)]
pub struct Search {
    /// `None`: whatever pays.
    pub strategy: Option<search::Strategy>,
    /// Solvers at the same time.
    pub cores: usize,
    pub seed: u64,
    /// Where to keep what is closed, and to go on from. Needs given bounds.
    pub checkpoint: Option<PathBuf>,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            strategy: None,
            cores: 1,
            seed: 0,
            checkpoint: None,
        }
    }
}

/// What makes formulas smaller and changes no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    pub unfolding: unfold::Reductions,
    /// The normal forms of schedules that the encoding may insist on. Only for
    /// strategies that leave no schedule out.
    pub normal_forms: encode::NormalForms,
    /// Words have no more bits than their values need.
    pub narrowing: bool,
}

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions {
            unfolding: unfold::Reductions::default(),
            normal_forms: encode::NormalForms::default(),
            narrowing: true,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Verdict {
    /// The run has been replayed and shows the violation.
    Violated(Box<replay::Run>),
    /// No run violates anything, whatever its length.
    Safe,
    /// No run within these limits does.
    SafeUpTo(Limits),
    Unknown {
        reason: String,
        /// What was shown before things went wrong.
        established: Option<Limits>,
    },
}

/// What a search did not go beyond. Empty: nothing was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Unless no run has more contexts than that anyway.
    pub order: Option<Order>,
    pub loops: Vec<CutLoop>,
    /// Anything else that was left out, as sentences without full stop.
    pub others: Vec<String>,
}

/// A loop that may iterate, or a function that may call itself, more often than
/// was looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutLoop {
    /// `main.0`, or the function's name for recursion.
    pub name: String,
    pub location: Option<Location>,
    pub bound: u32,
    pub is_recursion: bool,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub verdict: Verdict,
    /// Every query, in order.
    pub attempts: Vec<Attempt>,
    /// If part of the space was left out on purpose: the limits up to which the
    /// rest has no violation.
    pub limits_of_part: Option<Limits>,
    /// If all violations are wanted: those after the first.
    pub more: Vec<replay::Run>,
    /// If all violations are wanted and there are some: whether there are others.
    pub rest: Option<Verdict>,
    /// If it is unknown because a file that the user gave does not fit: why.
    pub misfit: Option<String>,
}

/// One query and its cost.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    pub order: Option<Order>,
    pub unwind: Option<u32>,
    /// Name and number of positions of each thread.
    pub threads: Vec<(String, usize)>,
    pub cells: usize,
    pub variables: usize,
    pub clauses: usize,
    pub conflicts: u64,
    pub unfolding: Duration,
    pub encoding: Duration,
    pub solving: Duration,
    pub replaying: Duration,
    /// Of the process, in bytes, when the query was done.
    pub peak_memory: u64,
    /// `violated`, `none`, `interrupted`, ...
    pub result: String,
    /// The strategy, if the schedules were searched part by part.
    pub strategy: Option<&'static str>,
    pub search: search::Statistics,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Unfolding,
    Encoding,
    Solving,
    Replaying,
}

/// What the checker is doing, for those who wait.
#[derive(Clone, Debug)]
pub struct Progress {
    pub stage: Stage,
    pub order: Option<Order>,
    pub unwind: Option<u32>,
    /// While schedules are searched part by part.
    pub search: Option<search::Progress>,
}
