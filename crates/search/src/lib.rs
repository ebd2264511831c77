//! Strategies: which part of the schedule space to ask a solver about next, and
//! on which core.
//!
//! There is one formula, and every strategy asks about it under assumptions on
//! the schedule only. A [`Problem`] is that formula with the literal to look for; the
//! answer is a model, or that there is none, or how much of the space was looked at.
//!
//! Which parts there are is up to a [`Space`]. The strategies `whole` and `cubes` work
//! in any. The others reason about who has which context, and take a
//! [`ContextSchedule`].
//!
//! This crate knows neither programs nor terms: what a model means is for others
//! to read. It prints nothing, and the only file it touches is the checkpoint.

mod checkpoint;
mod context_schedule;
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
pub use context_schedule::{ContextSchedule, Thread};
pub use partition::Slice;
pub use problem::{Model, Problem};
pub use seal::{Key, SealError};
pub use space::{Choices, Region, Space};
pub use swarm::Tiling;
pub use turns::Turns;

use solve::{Ability, Factory, Reason, Role, SatSolver};
use std::time::{Duration, Instant};

/// How to search schedules by contexts.
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

    /// What it cannot do without.
    pub fn needs(&self) -> &'static [Ability] {
        match self {
            // One question, or one for each part.
            Strategy::Whole | Strategy::Partition(_) => &[],
            // Cubes that are hard are cut, and so are instances given up.
            Strategy::Cubes | Strategy::Swarm(_) => &[Ability::LimitConflicts],
            // What is asked next follows from what was to blame.
            Strategy::Lazy | Strategy::Widen => &[Ability::BlameAssumptions],
        }
    }

    /// Whether it closes parts of the space one by one, so that it can go on
    /// where it was stopped.
    pub fn has_checkpoints(&self) -> bool {
        !matches!(self, Strategy::Whole | Strategy::Widen)
    }
}

/// The strategies that need not know what the space is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum General {
    Whole,
    Cubes,
}

impl From<General> for Strategy {
    fn from(strategy: General) -> Strategy {
        match strategy {
            General::Whole => Strategy::Whole,
            General::Cubes => Strategy::Cubes,
        }
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
    /// For what a strategy chooses at random.
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

/// What a solver is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    pub core: usize,
    pub duty: Duty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// To answer questions about the formula.
    Search,
    /// To answer questions about a formula that was simplified for all.
    SearchSimplified,
    /// To simplify the formula, or to complete a model that lacks what was simplified
    /// away.
    Simplify,
}

/// Makes the solver of a core. A core may need more than one.
pub type MakeSolver<'a> = &'a (dyn Fn(Seat) -> Box<dyn SatSolver> + Sync);

/// Solvers of a factory, each set for its part in a strategy.
pub fn solvers<'f>(
    factory: &'f Factory,
    strategy: &Strategy,
) -> impl Fn(Seat) -> Box<dyn SatSolver> + use<'f> {
    let has_many_calls = !matches!(strategy, Strategy::Whole | Strategy::Partition(_));
    let does_the_same = matches!(strategy, Strategy::Whole | Strategy::Cubes);
    let is_cubes = *strategy == Strategy::Cubes;
    move |seat: Seat| {
        if seat.duty == Duty::Simplify {
            return factory.make(&Role::default());
        }
        // Where two do the same, one should begin at the other end; and if they tell
        // each other what they learn, it can leave looking for models to the other.
        let is_second = seat.core % 2 == 1;
        factory.make(&Role {
            number: seat.core as u64,
            is_opposite: is_second && does_the_same,
            is_for_proof: is_second && is_cubes,
            has_many_calls,
            is_simplified: seat.duty == Duty::SearchSimplified,
        })
    }
}

/// What all strategies work with besides the problem.
pub struct Means<'a> {
    pub make: MakeSolver<'a>,
    pub options: &'a Options,
    pub checkpoint: Option<Checkpoint>,
    /// Is told now and then how things stand, on the thread of the caller, and says
    /// whether to go on.
    pub watch: &'a mut dyn FnMut(&Progress) -> bool,
}

/// Looks for a model in which the query holds, in any space.
pub fn search<S: Space>(problem: &Problem, space: &S, strategy: General, means: Means) -> Report {
    let keep = space.literals();
    let setting = crew::Setting {
        problem,
        keep: &keep,
        options: means.options,
        make: means.make,
    };
    let journal = checkpoint::Journal::new(means.checkpoint);
    match strategy {
        General::Whole => whole::search(&setting, means.watch),
        General::Cubes => cubes::search(&setting, space, journal, means.watch),
    }
}

/// Looks for a schedule by contexts for which the query holds.
pub fn search_schedules(
    mut problem: Problem,
    schedule: &ContextSchedule,
    strategy: &Strategy,
    means: Means,
) -> Report {
    let glue = match strategy {
        Strategy::Swarm(_) | Strategy::Widen => glue::Glue::add(&mut problem, schedule),
        _ => glue::Glue::default(),
    };
    let keep = schedule.literals();
    let setting = crew::Setting {
        problem: &problem,
        keep: &keep,
        options: means.options,
        make: means.make,
    };
    let journal = checkpoint::Journal::new(means.checkpoint);
    let watch = means.watch;
    match strategy {
        Strategy::Whole => whole::search(&setting, watch),
        Strategy::Cubes => cubes::search(&setting, schedule, journal, watch),
        Strategy::Partition(slice) => partition::search(&setting, schedule, slice, journal, watch),
        Strategy::Swarm(tiling) => swarm::search(&setting, schedule, &glue, tiling, journal, watch),
        Strategy::Lazy => lazy::search(&setting, schedule, journal, watch),
        Strategy::Widen => widen::search(&setting, schedule, &glue, watch),
    }
}
