//! What is asked and what is answered.

use crate::engines::Name;
use crate::facts::{Assumption, CutLoop, Ending, Limits, Reach, Reason, SourcePlace};
use crate::orders::{Advise, Advised};
use crate::standing::Progressed;
use crate::suppress::{Suppressed, Suppressions};
use library::MemoryModel;
use replay::{Checks, Conclusion, Property};
use search::Strategy;
use serde::{Deserialize, Serialize};
use solve::{Ability, Backend, Factory};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// How contexts are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// So many contexts, of any threads.
    Contexts(u32),
    /// So many rounds; in each, every thread has one context, in the order in
    /// which they are created.
    Rounds(u32),
}

impl Order {
    /// Whether it allows all that the other does.
    pub fn contains(self, other: Order) -> bool {
        match (self, other) {
            (Order::Contexts(a), Order::Contexts(b))
            | (Order::Rounds(a), Order::Rounds(b) | Order::Contexts(b)) => a >= b,
            (Order::Contexts(_), Order::Rounds(_)) => false,
        }
    }

    /// How much it allows, roughly.
    pub(crate) fn size(self) -> u64 {
        match self {
            Order::Contexts(contexts) => u64::from(contexts),
            Order::Rounds(rounds) => 2 * u64::from(rounds),
        }
    }
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

    /// Whether nothing was left out that the user has not left out himself. More of
    /// anything would not be an answer to the question.
    pub fn are_answered_by(&self, limits: &Limits) -> bool {
        let is_given =
            |cut: &CutLoop| self.unwind.is_some() || self.unwind_set.contains_key(&cut.name);
        (limits.order.is_none() || self.order.is_some()) && limits.loops.iter().all(is_given)
    }

    /// Whether the user gave every limit that mattered. What else was taken for
    /// granted counts as asked for only if all bounds are given.
    fn ask_for(&self, limits: &Limits) -> bool {
        let mut assumptions = limits.assumptions.iter();
        self.are_given()
            || self.are_answered_by(limits) && assumptions.all(Assumption::is_asked_for)
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
    /// Who may work on it, as far as they fit the question.
    pub engines: BTreeSet<Name>,
    /// How solvers are asked about the order of steps.
    pub encodings: BTreeSet<Encoding>,
    /// Go on after the first violation.
    pub all_violations: bool,
    /// What is not told, see [`Suppressions`].
    pub suppressions: Suppressions,
    /// Find out which lines runs come by.
    pub coverage: bool,
    /// Find out what a verdict without violation is worth: which assertions runs look
    /// at, and where threads stop without a word.
    pub looks_beside: bool,
    /// What to find out about memory orders, besides.
    pub advise: Advise,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            bounds: Bounds::default(),
            config: replay::Config {
                checks: Checks::ends_of_threads(),
                ..replay::Config::default()
            },
            time: None,
            memory: None,
            dump: None,
            reductions: Reductions::default(),
            search: Search::default(),
            engines: Name::ALL.into(),
            encodings: [Encoding::Contexts, Encoding::Order].into(),
            all_violations: false,
            suppressions: Suppressions::default(),
            coverage: false,
            looks_beside: true,
            advise: Advise::default(),
        }
    }
}

/// What a solver is asked about the order of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// Who has which context; there are so many of them.
    Contexts,
    /// Which write each read sees; there is no bound.
    Order,
}

/// Options that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Whether a bound is enough is a question about a bound.
    UnwindWithoutBound,
    /// Normal forms leave out schedules that are equivalent to others, and so does
    /// the strategy: between them they would leave out some altogether.
    NormalForms,
    /// Parts of a search are parts of a certain one.
    OpenBounds,
    /// The strategy closes no parts of the space that could be kept.
    NoCheckpoints,
    /// None of the engines that may work on it has anything to say to the question.
    NoEngine,
    /// Whether other memory orders would do is a question for the encoding by order.
    OrdersWithoutOrder,
    /// Parts of a search end with the first violation, suppressed or not.
    SuppressionsInParts,
    /// There are no such partitions.
    NoSuchSlice(search::Slice),
    /// The strategy needs what the solver that was chosen cannot do.
    Solver {
        strategy: &'static str,
        ability: Ability,
    },
}

impl Options {
    /// Whether there is something to look for after a violation was found.
    pub(crate) fn goes_on(&self) -> bool {
        self.all_violations || !self.suppressions.is_empty()
    }

    /// Whether the encoding by order may be asked the question.
    fn can_ask_about_orders(&self) -> bool {
        let mut options = self.clone();
        options.encodings.insert(Encoding::Order);
        Name::Order.fits(&options)
    }

    /// Whether the options go together. A check refuses to begin if not.
    pub fn validate(&self) -> Result<(), Conflict> {
        let bounds = &self.bounds;
        if !Name::ALL.into_iter().any(|name| name.fits(self)) {
            return Err(Conflict::NoEngine);
        }
        let asks_for_orders = self.advise != Advise::default();
        if asks_for_orders && !self.can_ask_about_orders() {
            return Err(Conflict::OrdersWithoutOrder);
        }
        if self.config.checks.has(Property::Unwind) && bounds.unwind.is_none() {
            return Err(Conflict::UnwindWithoutBound);
        }
        let strategy = self.search.strategy.as_ref();
        let leaves_out = matches!(
            strategy,
            Some(Strategy::Swarm(_) | Strategy::Lazy | Strategy::Widen)
        );
        if leaves_out && self.reductions.normal_forms != encode::NormalForms::default() {
            return Err(Conflict::NormalForms);
        }
        if let Some(Strategy::Partition(slice)) = strategy {
            let all = search::Slice::all(slice.bits);
            if slice.from > slice.to || slice.to > all.to {
                return Err(Conflict::NoSuchSlice(*slice));
            }
            if !slice.is_all() && !bounds.are_given() {
                return Err(Conflict::OpenBounds);
            }
        }
        if let Some(strategy) = strategy {
            let mut needs = strategy.needs().iter();
            if let Some(ability) = needs.find(|one| !self.search.solver.can(**one)) {
                return Err(Conflict::Solver {
                    strategy: strategy.name(),
                    ability: *ability,
                });
            }
        }
        let is_in_parts =
            self.search.checkpoint.is_some() || matches!(strategy, Some(Strategy::Partition(_)));
        if is_in_parts && !self.suppressions.is_empty() {
            return Err(Conflict::SuppressionsInParts);
        }
        if self.search.checkpoint.is_some() {
            if !bounds.are_given() {
                return Err(Conflict::OpenBounds);
            }
            if !strategy.is_some_and(Strategy::has_checkpoints) {
                return Err(Conflict::NoCheckpoints);
            }
        }
        Ok(())
    }
}

/// How the schedules are searched.
#[derive(Clone, Debug)]
pub struct Search {
    /// `None`: whatever pays.
    pub strategy: Option<search::Strategy>,
    /// Solvers at the same time.
    pub cores: usize,
    pub seed: u64,
    /// Who answers.
    pub solver: Backend,
    /// Where to keep what is closed, and to go on from. Needs given bounds.
    pub checkpoint: Option<PathBuf>,
    /// What such files are sealed with.
    pub key: Option<search::Key>,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            strategy: None,
            cores: 1,
            seed: 0,
            solver: Backend::default(),
            checkpoint: None,
            key: None,
        }
    }
}

impl Search {
    /// Makes the solvers.
    pub fn factory(&self) -> Factory {
        Factory {
            backend: self.solver.clone(),
            seed: self.seed,
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
        reason: Reason,
        /// What was shown before things went wrong.
        established: Option<Limits>,
    },
}

impl Verdict {
    /// In a word.
    pub fn conclusion(&self) -> Conclusion {
        match self {
            Verdict::Violated(_) => Conclusion::Violated,
            Verdict::Safe => Conclusion::Safe,
            Verdict::SafeUpTo(_) => Conclusion::SafeWithinBounds,
            Verdict::Unknown { .. } => Conclusion::Unknown,
        }
    }

    /// Of what was shown: safe, if all that matters is what the user asked for.
    pub fn of_limits(limits: Limits, bounds: &Bounds) -> Verdict {
        match limits {
            limits if limits.are_empty() => Verdict::Safe,
            limits if bounds.ask_for(&limits) => Verdict::SafeUpTo(limits),
            limits => Verdict::Unknown {
                reason: Reason::Bounds,
                established: Some(limits),
            },
        }
    }

    /// What was shown, if anything.
    pub fn limits(&self) -> Option<&Limits> {
        match self {
            Verdict::SafeUpTo(limits) => Some(limits),
            Verdict::Unknown { established, .. } => established.as_ref(),
            Verdict::Violated(_) | Verdict::Safe => None,
        }
    }

    /// Why it is unknown.
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Verdict::Unknown { reason, .. } => Some(reason),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Report {
    pub verdict: Verdict,
    /// Under which memory model.
    pub memory_model: MemoryModel,
    /// Every query, in order.
    pub attempts: Vec<Attempt>,
    /// If part of the space was left out on purpose: the limits up to which the
    /// rest has no violation.
    pub limits_of_part: Option<Limits>,
    /// Whether runs look at each of the assertions, as far as is known.
    pub assertions: Vec<(SourcePlace, Reach)>,
    /// The same for lines, by file and number, if they are wanted.
    pub lines: BTreeMap<(String, u32), Reach>,
    /// If all violations are wanted: those after the first.
    pub more: Vec<replay::Run>,
    /// If all violations are wanted and there are some: whether there are others.
    pub rest: Option<Verdict>,
    /// If it is unknown: how far things have come.
    pub progressed: Progressed,
    /// Engines that failed by a mistake of ours. What the others have established
    /// holds all the same.
    pub failures: Vec<(Name, Reason)>,
    /// What was found and is not told, by line of the user's file.
    pub suppressed: Vec<Suppressed>,
    /// What was found out about memory orders, if that was wanted.
    pub orders: Option<Advised>,
}

/// Which violations are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    #[default]
    All,
    /// Assertions that fail in runs in which nothing else goes wrong.
    Assertions,
    /// Everything else, in any run.
    Others,
}

/// One query and its cost.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// Who made it.
    pub engine: Name,
    pub order: Option<Order>,
    pub unwind: Option<u32>,
    pub kind: Kind,
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
    pub result: Ending,
    /// The strategy, if the schedules were searched part by part.
    pub strategy: Option<&'static str>,
    pub search: search::Statistics,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Exploring {
        /// So many are known.
        states: usize,
    },
    Unfolding,
    Encoding,
    Solving,
    /// What a solver found is run.
    Replaying,
    /// Runs are made at random.
    Sampling,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn given(order: Option<Order>, unwind: Option<u32>, names: &[&str]) -> Bounds {
        let set = names.iter().map(|name| ((*name).to_owned(), 3));
        Bounds {
            order,
            unwind,
            unwind_every_loop: false,
            unwind_set: set.collect(),
        }
    }

    #[test]
    fn only_bounds_that_were_asked_for_make_a_verdict() {
        let four = Some(Order::Contexts(4));
        let check = |limits: &Limits, bounds: &Bounds, expected: Conclusion| {
            let verdict = Verdict::of_limits(limits.clone(), bounds);
            assert_eq!(verdict.conclusion(), expected, "{limits:?} {bounds:?}");
        };
        let cut_loop = CutLoop {
            name: "main.0".to_owned(),
            place: None,
            bound: 3,
            is_recursion: false,
        };
        let whole = Limits {
            order: four,
            ..Limits::default()
        };
        let cut = Limits {
            loops: [cut_loop].into(),
            ..whole.clone()
        };
        let assumed = Limits {
            assumptions: [Assumption::LostMemory].into(),
            ..Limits::default()
        };
        let (within, unknown) = (Conclusion::SafeWithinBounds, Conclusion::Unknown);
        check(&cut, &given(four, Some(3), &[]), within);
        check(&cut, &given(four, None, &[]), unknown);
        check(&cut, &given(None, Some(3), &[]), unknown);
        check(&cut, &given(four, None, &["main.0"]), within);
        check(&cut, &given(four, None, &["main.1"]), unknown);
        check(&whole, &given(four, None, &[]), within);
        check(&whole, &given(None, None, &[]), unknown);
        check(&assumed, &given(None, None, &[]), unknown);
        check(&assumed, &given(four, Some(3), &[]), within);
        let nothing = Limits::default();
        check(&nothing, &given(None, None, &[]), Conclusion::Safe);
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        let check = |change: fn(&mut Options), expected: Result<(), Conflict>| {
            let mut options = Options::default();
            change(&mut options);
            assert_eq!(options.validate(), expected);
        };
        check(|_| {}, Ok(()));
        check(
            |options| options.config.checks = Checks::NONE.with(Property::Unwind),
            Err(Conflict::UnwindWithoutBound),
        );
        check(
            |options| {
                options.reductions.normal_forms.ordered_neighbours = true;
                options.search.strategy = Some(Strategy::Lazy);
            },
            Err(Conflict::NormalForms),
        );
        check(
            |options| options.search.checkpoint = Some("x".into()),
            Err(Conflict::OpenBounds),
        );
        check(
            |options| {
                options.bounds.order = Some(Order::Rounds(1));
                options.bounds.unwind = Some(1);
                options.search.checkpoint = Some("x".into());
                options.search.strategy = Some(Strategy::Whole);
            },
            Err(Conflict::NoCheckpoints),
        );
        check(
            |options| {
                options.search.solver = Backend::Program("x".into());
                options.search.strategy = Some(Strategy::Whole);
            },
            Ok(()),
        );
        check(
            |options| {
                options.search.solver = Backend::Program("x".into());
                options.search.strategy = Some(Strategy::Cubes);
            },
            Err(Conflict::Solver {
                strategy: "cubes",
                ability: Ability::LimitConflicts,
            }),
        );
        let none = search::Slice {
            bits: 2,
            from: 1,
            to: 4,
        };
        let mut options = Options::default();
        options.search.strategy = Some(Strategy::Partition(none));
        assert_eq!(options.validate(), Err(Conflict::NoSuchSlice(none)));
    }
}
