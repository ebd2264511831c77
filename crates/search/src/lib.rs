//! Strategies: which part of the schedule space to ask a solver about next, and
//! on which core.
//!
//! There is one formula, and every strategy asks about it under assumptions on
//! the schedule only. A [`Problem`] is that formula with names for the literals
//! of its schedule; the answer is a model, or that there is none, or how much of
//! the space was looked at.
//!
//! This crate knows neither programs nor terms: what a model means is for others
//! to read. It prints nothing, and the only file it touches is the checkpoint.

mod checkpoint;
mod crew;
mod cubes;
mod exchange;
mod glue;
mod lazy;
mod partition;
mod problem;
mod seal;
mod simplified;
mod space;
mod swarm;
mod turns;
mod whole;
mod widen;

pub use checkpoint::{Checkpoint, CheckpointError, Identity};
pub use partition::Slice;
pub use problem::{Model, Problem, Schedule, Thread};
pub use seal::{Key, SealError};
pub use swarm::Tiling;
pub use turns::Turns;

use solve::{Cadical, Reason, SatSolver, ShareClauses};
use std::time::{Duration, Instant};

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub enum Strategy {
    Whole,
    Partition(Slice),
    Cubes,
    Swarm(Tiling),
    Lazy,
    Widen,
}

impl Strategy {
    pub fn name(&self) -> &'static str {
        match self {
            Strategy::Whole => "whole",
            Strategy::Partition(_) => "partition",
            Strategy::Cubes => "cubes",
            Strategy::Swarm(_) => "swarm",
            Strategy::Lazy => "lazy",
            Strategy::Widen => "widen",
        }
    }

    /// Whether it closes parts of the space one by one, so that it can go on
    /// where it was stopped.
    pub fn has_checkpoints(&self) -> bool {
        !matches!(self, Strategy::Whole | Strategy::Widen)
    }
}

/// Limits and means. They hold for all cores together.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many solvers work at the same time; at least one does.
    pub cores: usize,
    pub deadline: Option<Instant>,
    /// Bytes that this process may use.
    pub memory: Option<u64>,
    pub seed: u64,
    /// Learnt clauses with at most this many literals go to all cores; only shorter
    /// ones if a solver cannot forget them again.
    pub share_length: usize,
    /// Conflicts after which a cube is split, even if no core needs work.
    pub cube_conflicts: u64,
    /// How long a core is left alone before others, who have no work, ask for a
    /// part of its piece or simplify the formula.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            cores: 1,
            deadline: None,
            memory: None,
            seed: 0,
            share_length: 20,
            cube_conflicts: 200_000,
            patience: Duration::from_millis(100),
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A model in which the query holds.
    Found(Model),
    /// There is none.
    None,
    /// None was found, and the strategy has nothing left to try.
    Incomplete(LeftOut),
    /// Stopped early.
    Stopped(Reason),
}

/// What a strategy did not look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// All partitions but those of the slice.
    OtherPartitions(Slice),
    Instances {
        /// So many took too long.
        abandoned: u64,
        untried: Untried,
        /// Threads are switched out in at most so many tiles, if more would do.
        tiles: Option<usize>,
    },
}

/// How many instances of a swarm nobody began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untried {
    None,
    Some {
        left: u128,
        of: u128,
    },
    /// There are so many that nobody counts them.
    Most,
}

/// What it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Cores that had something to do.
    pub cores: usize,
    /// Calls of a solver.
    pub calls: u64,
    pub conflicts: u64,
    /// Parts of the space that were closed: cubes, partitions, instances or
    /// prefixes.
    pub closed: u64,
    /// The share of the space that was closed.
    pub share: f64,
    /// Complete schedules that were asked about one by one.
    pub schedules: u64,
    /// Clauses that went from core to core.
    pub shared: u64,
    /// Whether cores went on with a formula that one had simplified for all.
    pub is_simplified: bool,
    /// What went wrong with single cores, or with the checkpoint.
    pub failures: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub outcome: Outcome,
    pub statistics: Statistics,
}

/// How things stand, for those who wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Cores at work.
    pub cores: usize,
    /// Parts of the space that wait for a core.
    pub open: usize,
    pub closed: u64,
    /// The share of the space that is closed.
    pub share: f64,
    /// As in [`Statistics::failures`], so far.
    pub failures: Vec<String>,
}

/// A solver that a core can work with.
pub trait Engine: SatSolver + ShareClauses {}
impl<T: SatSolver + ShareClauses> Engine for T {}

/// What a solver is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    pub core: usize,
    /// It gets a formula that was simplified for all.
    pub is_simplified: bool,
}

/// Makes the solver of a core. A core may need more than one.
pub type MakeEngine<'a> = &'a (dyn Fn(Seat) -> Box<dyn Engine> + Sync);

/// Looks for a model in which the query holds. `watch` is told now and then how
/// things stand, on the thread of the caller, and says whether to go on.
pub fn search(
    problem: Problem,
    strategy: &Strategy,
    options: &Options,
    checkpoint: Option<Checkpoint>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let seed = options.seed;
    let has_many_calls = !matches!(strategy, Strategy::Whole | Strategy::Partition(_));
    let make = move |seat: Seat| -> Box<dyn Engine> {
        let mut solver = Cadical::new();
        let mut is_set = solver.set_seed(seed.wrapping_add(seat.core as u64));
        // Where two do the same, one should begin at the other end.
        let is_second = seat.core % 2 == 1;
        if is_second && matches!(strategy, Strategy::Whole | Strategy::Cubes) {
            is_set = is_set.and_then(|()| solver.set_option("phase", 0));
        }
        // And if they tell each other what they learn, one can do without phases in
        // which it looks for a model rather than a proof.
        if is_second && *strategy == Strategy::Cubes {
            is_set = is_set.and_then(|()| solver.set_option("stabilize", 0));
        }
        // These pay for a single call, not before each of many.
        if has_many_calls {
            for attempt in ["lucky", "walk"] {
                is_set = is_set.and_then(|()| solver.set_option(attempt, 0));
            }
        }
        // What others still use is not to be eliminated, and what could be found
        // by probing was.
        if seat.is_simplified {
            // With clauses of others, jumping back all the way takes fewer conflicts.
            is_set = is_set.and_then(|()| solver.set_option("chrono", 0));
            for technique in ["elim", "probe"] {
                is_set = is_set.and_then(|()| solver.set_option(technique, 0));
            }
        }
        is_set.expect("a new solver should take these options");
        Box::new(solver)
    };
    search_with(&make, problem, strategy, options, checkpoint, watch)
}

/// The same with solvers of the caller's choice.
pub fn search_with(
    make: MakeEngine,
    mut problem: Problem,
    strategy: &Strategy,
    options: &Options,
    checkpoint: Option<Checkpoint>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let glue = match strategy {
        Strategy::Swarm(_) | Strategy::Widen => glue::Glue::add(&mut problem),
        _ => glue::Glue::default(),
    };
    let setting = crew::Setting {
        problem: &problem,
        options,
        make,
    };
    let journal = checkpoint::Journal::new(checkpoint);
    match strategy {
        Strategy::Whole => whole::search(&setting, watch),
        Strategy::Partition(slice) => partition::search(&setting, slice, journal, watch),
        Strategy::Cubes => cubes::search(&setting, journal, watch),
        Strategy::Swarm(tiling) => swarm::search(&setting, &glue, tiling, journal, watch),
        Strategy::Lazy => lazy::search(&setting, journal, watch),
        Strategy::Widen => widen::search(&setting, &glue, watch),
    }
}
