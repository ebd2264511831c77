//! What there is to be done, what may be asked and answered, and unfolding.

use crate::collect::Collection;
use crate::facts::{
    Assumption, CutLoop, Dependent, Ending, Internal, Limits, Part, Reason, SourcePlace,
    Unsupported,
};
use crate::reach::Watchlist;
use crate::standing::Effort;
use crate::verdict::{Options, Order, Progress, Stage};
use analysis::Loops;
use clauses::{ClauseSink, Literal, Variable};
use encode::{ByContexts, ByOrder, Contexts, Encode, Goals, InOrder, Turns};
use formula::Room;
use ir::Program;
use library::MemoryModel;
use replay::{Property, Run};
use solve::memory;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use unfold::{Check, Error, Unfolding};

/// Terms beyond this are too many for any solver.
const MAX_TERMS: usize = 40_000_000;
/// Clauses of all formulas that are under way, for bounds that the checker chooses:
/// about two hundred bytes each.
const MOST_CLAUSES: usize = 5_000_000;

/// Everything that stays the same from query to query.
pub(crate) struct Task<'a> {
    pub program: &'a Program,
    pub options: &'a Options,
    pub digest: u64,
    pub start: Instant,
    pub deadline: Option<Instant>,
    /// Points that somebody wants to know about.
    pub watchlist: Watchlist,
    pub watch: &'a (dyn Fn(&Progress) -> bool + Sync),
    /// Bounds of single loops, by header.
    pub loops: HashMap<(ir::FunctionId, analysis::LoopId), u32>,
    pub can_free: bool,
    /// What was found, if all of it is wanted.
    pub collection: Collection,
    /// Where effort goes.
    pub effort: Effort,
    /// See [`Task::is_short_of_memory`].
    pub was_short: AtomicBool,
    /// See [`Task::always_assumed`], found when first asked for.
    pub always_assumed: OnceLock<BTreeSet<Assumption>>,
    /// Set when there is a verdict, for those who still look for one; `watch` says
    /// no from then on.
    pub stop: &'a AtomicBool,
}

/// The bounds of one query, and when to give up.
#[derive(Clone, Copy)]
pub(crate) struct Query {
    /// `None` if there is no bound on the order of steps.
    pub order: Option<Order>,
    pub unwind: u32,
    pub deadline: Option<Instant>,
}

impl Query {
    pub(crate) fn keep_going(
        &self,
        watch: &(dyn Fn(&Progress) -> bool + Sync),
        stage: Stage,
    ) -> bool {
        let has_time = self
            .deadline
            .is_none_or(|deadline| Instant::now() < deadline);
        has_time
            && watch(&Progress {
                stage,
                order: self.order,
                unwind: Some(self.unwind),
                search: None,
            })
    }
}

pub(crate) enum Answer {
    Violated(Box<Run>),
    /// There is none, up to these limits.
    None(Limits),
    Unknown(Reason),
    /// Something goes wrong if functions that nobody knows do as they did there.
    Depends(Box<Dependent>),
    /// Something is not supported, or too large, from these bounds on.
    TooMuch(Reason),
    /// The time for this query was over, though perhaps not the user's.
    TooLong,
    /// There is none, up to these limits, in the part that was looked at.
    Partly(Box<(search::LeftOut, Limits)>),
}

impl Answer {
    /// For the record.
    pub(crate) fn ending(&self) -> Ending {
        match self {
            Answer::Violated(_) => Ending::Violated,
            Answer::None(_) => Ending::None,
            Answer::Unknown(reason) | Answer::TooMuch(reason) => Ending::Unknown(reason.clone()),
            Answer::Depends(dependent) => Ending::Unknown(Reason::DependsOn(dependent.clone())),
            Answer::TooLong => Ending::TooLong,
            Answer::Partly(_) => Ending::Partly,
        }
    }
}

impl Task<'_> {
    /// Which runs there are.
    pub(crate) fn memory_model(&self) -> MemoryModel {
        self.options.config.surroundings.memory_model
    }

    /// How to run the program where only interleavings are looked at. Each of them is a
    /// run under every memory model.
    pub(crate) fn interleaving(&self) -> replay::Config {
        let mut config = self.options.config.clone();
        config.surroundings.memory_model = MemoryModel::Sc;
        config
    }

    /// Whether a run shows what is looked for.
    pub(crate) fn is_violated(&self, run: &Run) -> bool {
        let checks = self.options.config.checks;
        let mut violations = run.violations.iter();
        violations.any(|violation| checks.has(violation.kind.property()))
    }

    /// What to look for in the end of runs.
    pub(crate) fn goals(&self, unfolding: &Unfolding) -> Goals {
        let config = &self.options.config;
        let has = |property: Property, is_there: fn(&unfold::Position) -> bool| {
            let threads = unfolding.threads.threads.values();
            let mut positions = threads.flat_map(|thread| &thread.positions);
            config.checks.has(property) && positions.any(is_there)
        };
        Goals {
            races: has(Property::Race, |position| !position.uses.is_empty()),
            deadlocks: has(Property::Deadlock, |position| {
                !position.waits.is_empty() || !position.joins.is_empty()
            }),
            cycles: config.partial_deadlocks,
        }
    }

    /// Whether assertions and all else may be looked for apart.
    pub(crate) fn can_ask_by_kind(&self) -> bool {
        let checks = self.options.config.checks;
        let others = || checks.iter().any(|property| property != Property::Assert);
        checks.has(Property::Assert)
            && others()
            // One question that takes all the time would keep the other waiting.
            && self.options.search.solver.can(solve::Ability::LimitConflicts)
            // Races are looked for in the end of runs in which nothing else goes wrong.
            && !checks.has(Property::Race)
            // Whoever wants all violations forbids what was found, and asks again.
            && !self.options.goes_on()
    }

    /// Whether there is anything to look for.
    pub(crate) fn has_questions(&self, unfolding: &Unfolding) -> bool {
        let goals = self.goals(unfolding);
        !unfolding.threads.violations.is_empty() || goals.races || goals.deadlocks
    }

    /// Writes the formula of a query, by contexts; the answer if that takes too long or
    /// too much.
    pub(crate) fn encode_contexts(
        &self,
        unfolding: &Unfolding,
        order: Order,
        query: &Query,
        goals: Goals,
        sink: &mut impl ClauseSink,
    ) -> Result<Contexts, Answer> {
        let reductions = &self.options.reductions;
        let mut kind = encoding_of(order);
        kind.normal_forms = reductions.normal_forms;
        kind.formula.narrowing = reductions.narrowing;
        let bound = bound_of(order);
        self.encode(&kind, bound, unfolding, query, goals, sink)
    }

    /// The same without a bound on the order of steps.
    pub(crate) fn encode_order(
        &self,
        unfolding: &Unfolding,
        query: &Query,
        goals: Goals,
        sink: &mut impl ClauseSink,
    ) -> Result<InOrder, Answer> {
        let mut kind = ByOrder::default();
        kind.formula.narrowing = self.options.reductions.narrowing;
        kind.model = self.memory_model();
        self.encode(&kind, 0, unfolding, query, goals, sink)
    }

    fn encode<E: Encode>(
        &self,
        kind: &E,
        bound: usize,
        unfolding: &Unfolding,
        query: &Query,
        goals: Goals,
        sink: &mut impl ClauseSink,
    ) -> Result<E::Encoding, Answer> {
        let (written, is_full) = (Cell::new(0), Cell::new(false));
        let is_too_large = || written.get() > self.most_clauses();
        // Also what was found out while a single value was written.
        let was_short = Arc::new(AtomicBool::new(false));
        let is_short = || self.is_short_of_memory() || was_short.load(Ordering::Relaxed);
        let mut sink = Counting {
            sink,
            written: &written,
            is_full: &is_full,
            has_room: || !is_too_large() && !is_short(),
        };
        let mut keep_going =
            || !is_full.get() && !is_short() && self.keep_going(query, Stage::Encoding);
        let room = self.options.memory.map(|limit| {
            let was_short = Arc::clone(&was_short);
            let room = move || {
                was_short.fetch_or(exceeds(limit), Ordering::Relaxed);
                !was_short.load(Ordering::Relaxed)
            };
            Box::new(room) as Room
        });
        let threads = &unfolding.threads;
        let encoding = kind.encode(threads, bound, goals, &mut sink, &mut keep_going, room);
        match encoding {
            // Clauses that had no room are missing: nothing may be concluded from it.
            Some(encoding) if !is_full.get() => Ok(encoding),
            _ if is_short() => Err(out_of_memory()),
            _ if is_too_large() => Err(too_large(Part::Clauses)),
            _ => Err(self.interruption(query.deadline)),
        }
    }

    /// How large a formula may become. What the user asks for is tried in any case;
    /// bounds that nobody asked for should leave memory for others.
    fn most_clauses(&self) -> usize {
        match self.options.bounds.are_given() {
            true => usize::MAX,
            false => MOST_CLAUSES / self.options.search.cores.max(1),
        }
    }

    /// The program, ready to run. Each core needs its own.
    pub(crate) fn image(&self, config: &replay::Config) -> Result<replay::Image<'_>, Reason> {
        let arguments = &config.surroundings.arguments;
        replay::Image::new(self.program, arguments, config.memory_limit)
            .map_err(|_| Reason::ProgramMemory)
    }

    /// What verdicts take for granted because nobody looks at anything else: each
    /// object is at one place only, and all threads agree on what happened first.
    pub(crate) fn always_assumed(&self) -> &BTreeSet<Assumption> {
        self.always_assumed.get_or_init(|| {
            let place = |site| SourcePlace::of_site(self.program, site);
            let layout = analysis::layout::first_dependence(self.program);
            let orders = analysis::orders::first_weaker(self.program);
            let layout = layout.map(|site| Assumption::Layout(place(site)));
            let orders = orders.map(place);
            let orders = orders.and_then(|place| match self.memory_model() {
                MemoryModel::Sc => Some(Assumption::MemoryOrder(place)),
                MemoryModel::Tso | MemoryModel::Pso => Some(Assumption::StoreBuffers {
                    are_by_place: self.memory_model() == MemoryModel::Pso,
                    place,
                }),
                // That is what the program asks for.
                MemoryModel::Rc11 => None,
            });
            let surroundings = &self.options.config.surroundings;
            let arguments = analysis::arguments::first_use(self.program).map(place);
            let arguments = arguments.and_then(|place| match surroundings.more_arguments {
                // Whoever gives some knows that there are some.
                0 if surroundings.arguments.len() > 1 => None,
                0 => Some(Assumption::Arguments(place)),
                most => Some(Assumption::FewArguments {
                    most,
                    longest: library::ARGUMENT_CHARACTERS as u32,
                    place,
                }),
            });
            let handler = analysis::outside::first_handler(self.program).map(place);
            let signals = handler.map(|place| match surroundings.signals {
                0 => Assumption::NoSignal(place),
                most => Assumption::FewSignals { most, place },
            });
            let unnamed = analysis::outside::first_unnamed_variable(self.program).map(place);
            let variable = analysis::outside::first_variable(self.program).map(place);
            let longest = library::ARGUMENT_CHARACTERS as u32;
            let environment = match unnamed {
                Some(place) => Some(Assumption::NoEnvironment(place)),
                None => variable.map(|place| Assumption::ShortVariables { longest, place }),
            };
            let print = analysis::outside::first_print_of_cancelled(self.program).map(place);
            let prints = print.map(Assumption::PrintsToTheEnd);
            let all = [layout, orders, arguments, signals, environment, prints];
            all.into_iter().flatten().collect()
        })
    }

    /// The answer when something was told not to go on.
    pub(crate) fn interruption(&self, deadline: Option<Instant>) -> Answer {
        match self.why_interrupted(deadline) {
            Reason::Time => Answer::TooLong,
            reason => Answer::Unknown(reason),
        }
    }

    /// Why something was told not to go on.
    pub(crate) fn why_interrupted(&self, deadline: Option<Instant>) -> Reason {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Reason::Time
        } else if self.is_short_of_memory() {
            Reason::Memory
        } else {
            Reason::Interrupted
        }
    }

    /// Whether there is nothing left to do.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether there was ever too little. What was given up for that is gone before
    /// anybody can ask again.
    pub(crate) fn is_short_of_memory(&self) -> bool {
        let is_short = self.options.memory.is_some_and(exceeds);
        self.was_short.fetch_or(is_short, Ordering::Relaxed) || is_short
    }

    /// How to run what was found. There is no bound on loops, unless that is what is
    /// looked for; then it is that of the loops that were cut.
    pub(crate) fn replay_config(&self, unfolding: &Unfolding, query: &Query) -> replay::Config {
        let base = match query.order {
            Some(_) => self.interleaving(),
            None => self.options.config.clone(),
        };
        let mut config = replay::Config {
            unwind: None,
            ..base
        };
        if !config.checks.has(Property::Unwind) {
            return config;
        }
        config.unwind = Some(query.unwind);
        for (function, data) in self.program.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            for (id, one) in Loops::of(body).iter() {
                let bound = match unfolding.cuts.contains(&(function, Some(id))) {
                    true => self.loops.get(&(function, id)).copied(),
                    false => Some(u32::MAX),
                };
                let bound = bound.unwrap_or(query.unwind);
                config.unwind_loops.insert((function, one.header), bound);
            }
        }
        config
    }

    /// Unfolds the program.
    pub(crate) fn unfold(&self, query: &Query) -> Result<Unfolding, Answer> {
        let bounds = &self.options.bounds;
        let config = &self.options.config;
        let checks = config.checks;
        let looks_ahead = checks.has(Property::Race) || checks.has(Property::Deadlock);
        let looks_ahead = u32::from(looks_ahead);
        let mut surroundings = config.surroundings.clone();
        if query.order.is_some() {
            // Contexts are about interleavings, whatever else there is.
            surroundings.memory_model = MemoryModel::Sc;
        }
        let options = unfold::Options {
            checks: wanted(config.checks),
            unwind: query.unwind,
            unwind_every_loop: bounds.unwind_every_loop,
            unwind_loops: self.loops.clone(),
            // What threads are about to do may follow from what the last did.
            turns: query
                .order
                .map(|order| (bound_of(order) as u32).saturating_add(looks_ahead)),
            surroundings,
            can_free: self.can_free,
            reductions: self.options.reductions.unfolding,
            landmarks: self.watchlist.landmarks.clone(),
        };
        let mut is_too_large = false;
        let mut terms_before = 0;
        let mut keep_going = |standing: &unfold::Standing| {
            self.effort.note(self.program, standing, terms_before);
            terms_before = standing.terms;
            is_too_large = standing.terms >= MAX_TERMS;
            !is_too_large && !self.is_short_of_memory() && self.keep_going(query, Stage::Unfolding)
        };
        let unfolded = unfold::unfold(self.program, &options, &mut keep_going);
        unfolded.map_err(|error| match error {
            Error::Interrupted if is_too_large => too_large(Part::Terms),
            Error::Interrupted => self.interruption(query.deadline),
            Error::Unsupported { what, location } => {
                let place = location.map(|l| SourcePlace::of_location(self.program, l));
                Answer::TooMuch(Reason::Unsupported(Unsupported { what, place }))
            }
            Error::Again => Answer::Unknown(Reason::Internal(Internal::Unsettled)),
        })
    }

    pub(crate) fn keep_going(&self, query: &Query, stage: Stage) -> bool {
        query.keep_going(self.watch, stage)
    }

    pub(crate) fn cut_loops(&self, unfolding: &Unfolding, unwind: u32) -> BTreeSet<CutLoop> {
        let mut names: BTreeMap<ir::FunctionId, Loops> = BTreeMap::new();
        let place = |location: Option<ir::Location>| {
            location.map(|location| SourcePlace::of_location(self.program, location))
        };
        let mut cuts = BTreeSet::new();
        for (function, id) in &unfolding.cuts {
            let data = &self.program.functions[*function];
            let Some(body) = &data.body else {
                continue;
            };
            cuts.insert(match id {
                None => CutLoop {
                    name: data.name.clone(),
                    place: place(data.location),
                    bound: unwind,
                    is_recursion: true,
                },
                Some(id) => {
                    let loops = names.entry(*function).or_insert_with(|| Loops::of(body));
                    let own = self.loops.get(&(*function, *id)).copied();
                    CutLoop {
                        name: format!("{}.{}", data.name, id.as_u32()),
                        place: place(loops.location(*id)),
                        bound: own.unwrap_or(unwind),
                        is_recursion: false,
                    }
                }
            });
        }
        cuts
    }
}

/// The encoding in which such bounds are meant.
pub(crate) fn encoding_of(order: Order) -> ByContexts {
    ByContexts {
        turns: match order {
            Order::Contexts(_) => Turns::Free,
            Order::Rounds(_) => Turns::InRounds,
        },
        ..ByContexts::default()
    }
}

/// What it counts.
pub(crate) fn bound_of(order: Order) -> usize {
    let (Order::Contexts(bound) | Order::Rounds(bound)) = order;
    bound as usize
}

/// Whether more memory is in use than this.
fn exceeds(limit: u64) -> bool {
    memory::resident_lately().is_some_and(|bytes| bytes > limit)
}

fn out_of_memory() -> Answer {
    Answer::Unknown(Reason::Memory)
}

fn too_large(part: Part) -> Answer {
    Answer::TooMuch(Reason::TooLarge(part))
}

/// How often to see whether there is room, in clauses. A single value can take
/// millions of them.
const ROOM_EVERY: usize = 1 << 16;

/// Counts the clauses on their way. When there is no room for more, the rest is
/// dropped.
struct Counting<'a, S, R> {
    sink: &'a mut S,
    written: &'a Cell<usize>,
    is_full: &'a Cell<bool>,
    has_room: R,
}

impl<S: ClauseSink, R: Fn() -> bool> ClauseSink for Counting<'_, S, R> {
    fn new_variable(&mut self) -> Variable {
        self.sink.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        let count = self.written.get() + 1;
        self.written.set(count);
        if count.is_multiple_of(ROOM_EVERY) && !(self.has_room)() {
            self.is_full.set(true);
        }
        if !self.is_full.get() {
            self.sink.add_clause(clause);
        }
    }
}

/// What unfolding has to look for.
fn wanted(checks: replay::Checks) -> unfold::Checks {
    let same = |property| match property {
        Property::Assert => Check::Assert,
        Property::Deadlock => Check::Deadlock,
        Property::Memory => Check::Memory,
        Property::Leak => Check::Leak,
        Property::Cleanup => Check::Cleanup,
        Property::Uninitialised => Check::Uninitialised,
        Property::Misuse => Check::Misuse,
        Property::Arithmetic => Check::Arithmetic,
        Property::Overflow => Check::Overflow,
        Property::Conversion => Check::Conversion,
        Property::Race => Check::Race,
        Property::Unwind => Check::Unwind,
    };
    checks.iter().map(same).collect()
}
