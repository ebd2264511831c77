//! Asks the checker and the explorer about one program at the same bounds.
//!
//! The explorer cuts every loop alike, so the checker is told to do so too; and
//! the same properties count, so that all else stops a thread on both sides. This
//! module decides whether two answers fit, not which of them is right.

use super::syntax::Program;
use crate::{clang, run, unfolding};
use check::{
    Assumption, Encoding, Engine, Omission, Order, Reason, Reductions, Search, Slice, Strategy,
    Tiling, Verdict,
};
use library::{Surroundings, Undefined};
use replay::{Checks, Config, Exploration, Image, Mode, Property, Schedule};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// States that an exploration may have; a program with more is passed over.
const MAX_STATES: usize = 60_000;

/// How often an exploration may ask whether to go on, which is every few steps.
const MAX_ASKED: u32 = 20_000;

/// Schedules up to which merging states is compared with not doing so.
const MAX_UNMERGED: u128 = 3_000;

/// For one question to the checker.
const CHECK_TIME: Duration = Duration::from_secs(20);

/// What only a mistake of the generator can cause. Most other warnings are about
/// conditions that do not depend on anything, and right.
const ERRORS: [&str; 4] = [
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Werror=return-type",
];

/// What to ask about a program.
#[derive(Clone, Debug)]
pub struct Scope {
    /// What the program is about.
    pub property: Property,
    /// What counts; that property alone, as a rule.
    pub checks: Checks,
    pub contexts: Vec<u32>,
    pub rounds: Vec<u32>,
    pub variants: Vec<Reductions>,
    /// Ways to search, asked beside the usual one and with the usual reductions.
    pub searches: Vec<Search>,
    /// Compare the explorer with itself too, without merging states.
    pub unmerged: bool,
    /// Also ask without a bound on contexts, with the encoding by order.
    pub any_order: bool,
    /// Let allocations fail, on both sides.
    pub malloc_may_fail: bool,
}

/// Contexts up to which schedules are tried one by one.
const MOST_LAZY: u32 = 4;

/// All strategies. The last one leaves schedules out.
pub fn strategies() -> Vec<Strategy> {
    vec![
        Strategy::Whole,
        Strategy::Partition(Slice::all(3)),
        Strategy::Cubes,
        Strategy::Lazy,
        Strategy::Widen,
        Strategy::Swarm(Tiling::default()),
        Strategy::Swarm(Tiling {
            tile_size: Some(3),
            ..Tiling::default()
        }),
        Strategy::Swarm(Tiling {
            tile_size: Some(2),
            tiles: Some(1),
            instances: Some(4),
            shift: true,
            ..Tiling::default()
        }),
    ]
}

/// All reductions, each of them left out, none of them; and all normal forms.
pub fn variants() -> Vec<Reductions> {
    let all = Reductions::default();
    let changes: [fn(&mut Reductions); 8] = [
        |some| some.unfolding.hiding = false,
        |some| some.unfolding.ranges = false,
        |some| some.unfolding.learning = false,
        |some| some.unfolding.relaxing = false,
        |some| some.narrowing = false,
        |some| some.normal_forms.resume_for_conflict = true,
        |some| some.normal_forms.ordered_neighbours = true,
        |some| {
            some.normal_forms.resume_for_conflict = true;
            some.normal_forms.ordered_neighbours = true;
        },
    ];
    let mut without = all;
    changes[..5].iter().for_each(|change| change(&mut without));
    without.unfolding.locksets = false;
    without.unfolding.spinning = false;
    let mut variants = vec![all, without];
    variants.extend(changes.iter().map(|change| {
        let mut variant = all;
        change(&mut variant);
        variant
    }));
    variants
}

/// Both sides say the same, as far as they say something.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Questions that both sides have answered alike.
    pub comparisons: u32,
    /// Reasons of the checker, once per question.
    pub unknown: Vec<String>,
    /// The fewest contexts with a violation.
    pub violated_from: Option<u32>,
    /// No violation with any number of contexts and iterations, as the checker says.
    pub is_proved: bool,
    pub states: usize,
    /// Why the program was passed over.
    pub skipped: Option<String>,
    pub exploring: Duration,
    pub checking: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The explorer sees a violation where the checker says there is none.
    Missed,
    /// The other way round.
    Spurious,
    /// The checker claims more than its bounds, and the explorer sees a
    /// violation beyond them.
    Overclaimed,
    /// The checker reports a mistake of its own.
    Broken,
    Panicked,
    /// The explorer's answer depends on whether it merges states.
    Merging,
    /// A generated program does not compile.
    Malformed,
}

#[derive(Clone, Debug)]
pub struct Disagreement {
    pub kind: Kind,
    /// Where it shows.
    pub order: Option<Order>,
    pub variant: Reductions,
    pub search: Box<Search>,
    pub what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)?;
        match self.order {
            Some(Order::Contexts(n)) => write!(f, " at {n} contexts")?,
            Some(Order::Rounds(n)) => write!(f, " at {n} rounds")?,
            None => {}
        }
        if self.variant != Reductions::default() {
            write!(f, " with {:?}", self.variant)?;
        }
        if let Some(strategy) = &self.search.strategy {
            write!(f, ", {strategy:?} on {} cores", self.search.cores)?;
        }
        write!(f, ": {}", self.what)
    }
}

impl Disagreement {
    /// Only the question that shows it.
    pub fn scope(&self, asked: &Scope) -> Scope {
        let mut scope = Scope {
            property: asked.property,
            checks: asked.checks,
            malloc_may_fail: asked.malloc_may_fail,
            contexts: Vec::new(),
            rounds: Vec::new(),
            variants: vec![self.variant],
            searches: Vec::new(),
            any_order: self.order.is_none() && self.kind != Kind::Merging,
            unmerged: self.kind == Kind::Merging,
        };
        if self.search.strategy.is_some() {
            scope.variants.clear();
            scope.searches.push((*self.search).clone());
        }
        match self.order {
            Some(Order::Contexts(n)) => scope.contexts.push(n),
            Some(Order::Rounds(n)) => scope.rounds.push(n),
            None => {}
        }
        scope
    }
}

/// Compiles a program; the error is what the compiler says.
pub fn load(program: &Program, property: Property) -> Result<ir::Program, String> {
    let bits = program.is_32_bits.then_some("-m32");
    let is_about_conversions = property == Property::Conversion;
    let checks = is_about_conversions.then_some(clang::CONVERSIONS);
    load_text(&program.print(), bits.into_iter().chain(checks))
}

/// Runs the compiler once, without asking for its version first: that would take
/// as long again.
pub fn load_text(
    text: &str,
    options: impl Iterator<Item = &'static str>,
) -> Result<ir::Program, String> {
    let mut child = Command::new(&clang::default().program)
        .args([
            "-O0",
            "-g",
            "-S",
            "-emit-llvm",
            "-o",
            "-",
            "-x",
            "c",
            "-Wno-everything",
        ])
        .args(ERRORS)
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin
            .write_all(text.as_bytes())
            .map_err(|error| error.to_string())?;
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let module = String::from_utf8_lossy(&output.stdout).into_owned();
    let loaded = llvm::read(&[("program.c".to_owned(), module)]);
    loaded
        .map(|loaded| loaded.program)
        .map_err(|error| error.to_string())
}

/// Asks both sides everything in `scope`. The first answers that do not fit end
/// it.
pub fn compare(program: &Program, scope: &Scope) -> Result<Agreement, Disagreement> {
    let malformed = |what: String| Disagreement {
        kind: Kind::Malformed,
        order: None,
        variant: Reductions::default(),
        search: Box::default(),
        what,
    };
    let loaded = load(program, scope.property).map_err(malformed)?;
    let config = Config {
        checks: scope.checks,
        surroundings: Surroundings {
            malloc_may_fail: scope.malloc_may_fail,
            undefined: Undefined::Any,
            ..Surroundings::default()
        },
        ..Config::default()
    };
    let image = run::image(&loaded, &config).map_err(malformed)?;
    let mut session = Session {
        program,
        loaded: &loaded,
        image: &image,
        config,
        explored: BTreeMap::new(),
        agreement: Agreement::default(),
    };
    let result = session.ask_everything(scope);
    result.map(|()| session.agreement)
}

/// Whether there are few enough schedules to try them one by one.
fn is_quick(search: &Search, order: Order) -> bool {
    let contexts = match order {
        Order::Contexts(contexts) => contexts,
        Order::Rounds(rounds) => 2 * rounds,
    };
    search.strategy != Some(Strategy::Lazy) || contexts <= MOST_LAZY
}

/// Bounds of an exploration: contexts, rounds, iterations.
type Key = (Option<u32>, Option<u32>, Option<u32>);

struct Session<'a> {
    program: &'a Program,
    loaded: &'a ir::Program,
    image: &'a Image<'a>,
    config: Config,
    /// Whether there is a violation; `None` if that is too much work.
    explored: BTreeMap<Key, Option<bool>>,
    agreement: Agreement,
}

impl Session<'_> {
    fn ask_everything(&mut self, scope: &Scope) -> Result<(), Disagreement> {
        if scope.unmerged {
            self.compare_merging()?;
        }
        let contexts = scope.contexts.iter().map(|n| Order::Contexts(*n));
        let rounds = scope.rounds.iter().map(|n| Order::Rounds(*n));
        for order in contexts.chain(rounds) {
            let variants = scope.variants.iter();
            let variants = variants.map(|variant| (*variant, Search::default()));
            let searches = (scope.searches.iter()).filter(|search| is_quick(search, order));
            let searches = searches.map(|search| (Reductions::default(), search.clone()));
            for (variant, search) in variants.chain(searches) {
                // The explorer is asked first: what it cannot do needs no answer.
                let Some(is_violated) = self.explore_order(order) else {
                    return Ok(());
                };
                if let (true, Order::Contexts(n)) = (is_violated, order) {
                    let from = &mut self.agreement.violated_from;
                    *from = Some(from.map_or(n, |least| least.min(n)));
                }
                self.ask(Some(order), variant, &search, is_violated)?;
            }
        }
        for variant in scope.variants.iter().filter(|_| scope.any_order) {
            let Some(is_violated) = self.explore(self.key(None)) else {
                return Ok(());
            };
            self.ask(None, *variant, &Search::default(), is_violated)?;
        }
        Ok(())
    }

    fn explore_order(&mut self, order: Order) -> Option<bool> {
        self.explore(self.key(Some(order)))
    }

    fn key(&self, order: Option<Order>) -> Key {
        let unwind = Some(self.program.unwind);
        match order {
            Some(Order::Contexts(n)) => (Some(n), None, unwind),
            Some(Order::Rounds(n)) => (None, Some(n), unwind),
            None => (None, None, unwind),
        }
    }

    /// Whether there is a violation if inputs may also have the values of a run.
    /// What was never written may have any value, while the explorer tries those
    /// that the program's own inputs are compared with.
    fn explore_with(&mut self, order: Option<Order>, schedule: &Schedule) -> Option<bool> {
        let mut values = self.program.inputs.clone();
        values.extend(schedule.inputs.iter().map(|input| input.value));
        values.sort_unstable();
        values.dedup();
        if values.len() == self.program.inputs.len() {
            return Some(false);
        }
        let start = Instant::now();
        let exploration = self.explore_once(self.key(order), &values, false, true);
        self.agreement.exploring += start.elapsed();
        let is_violated = !exploration.violations.is_empty();
        let is_cut = exploration.interrupted.is_some() || !exploration.unsupported.is_empty();
        (is_violated || !is_cut).then_some(is_violated)
    }

    /// Whether there is a violation within bounds.
    fn explore(&mut self, key: Key) -> Option<bool> {
        if let Some(known) = self.explored.get(&key) {
            return *known;
        }
        let start = Instant::now();
        let exploration = self.explore_once(key, &self.program.inputs, false, true);
        self.agreement.exploring += start.elapsed();
        self.agreement.states = self.agreement.states.max(exploration.states);
        let is_violated = !exploration.violations.is_empty();
        let problem = match (&exploration.unsupported.first(), exploration.interrupted) {
            _ if is_violated => None,
            (Some(unsupported), _) => Some(format!("unsupported: {}", unsupported.what)),
            (_, Some(_)) => Some("too many schedules".to_owned()),
            _ => None,
        };
        let answer = problem.is_none().then_some(is_violated);
        // Beyond the bounds that were asked for, it is a bonus.
        if key.2.is_some() && (key.0.is_some() || key.1.is_some()) {
            self.agreement.skipped = self.agreement.skipped.take().or(problem);
        }
        self.explored.insert(key, answer);
        answer
    }

    fn explore_once(
        &self,
        (contexts, rounds, unwind): Key,
        inputs: &[u128],
        find_all: bool,
        merge: bool,
    ) -> Exploration {
        let mut config = self.config.clone();
        config.unwind = unwind;
        let mut bounds = bounds(contexts, rounds);
        bounds.inputs = inputs.to_vec();
        let mut asked = 0;
        let mut patience = |_: &replay::Progress| {
            asked += 1;
            asked < MAX_ASKED
        };
        let mode = Mode { find_all, merge };
        replay::explore(self.image, &config, 0, &bounds, mode, &mut patience)
    }

    fn compare_merging(&mut self) -> Result<(), Disagreement> {
        let key = (Some(4), None, Some(self.program.unwind));
        let inputs = &self.program.inputs;
        let merged = self.explore_once(key, inputs, true, true);
        if merged.interrupted.is_some() || merged.count.schedules > MAX_UNMERGED {
            return Ok(());
        }
        let unmerged = self.explore_once(key, inputs, true, false);
        let sites = |exploration: &Exploration| {
            let found = exploration.violations.iter();
            let mut sites: Vec<_> = found.map(|found| found.violation.site()).collect();
            sites.sort();
            sites
        };
        // Endless schedules are cut in one way only.
        let is_comparable = unmerged.interrupted.is_none() && !merged.is_endless;
        if is_comparable && (merged.count != unmerged.count || sites(&merged) != sites(&unmerged)) {
            return Err(Disagreement {
                kind: Kind::Merging,
                order: None,
                variant: Reductions::default(),
                search: Box::default(),
                what: format!("{:?} merged, {:?} not merged", merged.count, unmerged.count),
            });
        }
        self.agreement.comparisons += 1;
        Ok(())
    }

    /// Panics if what the checker unfolds at these bounds is not well formed.
    fn verify_threads(&self, order: Option<Order>, variant: Reductions) {
        let turns = order.map(|order| match order {
            Order::Contexts(turns) | Order::Rounds(turns) => turns,
        });
        let options = unfold::Options {
            checks: unfolding::checks_of(self.config.checks),
            unwind: self.program.unwind,
            unwind_every_loop: true,
            turns,
            surroundings: self.config.surroundings.clone(),
            reductions: variant.unfolding,
            ..unfold::Options::default()
        };
        // What is not supported is for the checker to say.
        let _ = unfolding::unfold(self.loaded, &options);
    }

    /// Without a bound on contexts, the encoding by order is asked.
    fn ask(
        &mut self,
        order: Option<Order>,
        variant: Reductions,
        search: &Search,
        is_violated: bool,
    ) -> Result<(), Disagreement> {
        let unwind = self.program.unwind;
        let options = check::Options {
            bounds: check::Bounds {
                order,
                unwind: Some(unwind),
                unwind_every_loop: true,
                unwind_set: BTreeMap::new(),
            },
            config: self.config.clone(),
            time: Some(CHECK_TIME),
            reductions: variant,
            search: search.clone(),
            // What else a verdict says is not compared, and takes its time.
            looks_beside: false,
            encodings: match order {
                Some(_) => [Encoding::Contexts].into(),
                None => [Encoding::Order].into(),
            },
            engines: match order {
                Some(_) => Engine::ALL.into(),
                None => [Engine::Bounded].into(),
            },
            ..check::Options::default()
        };
        let start = Instant::now();
        let report = catch_unwind(AssertUnwindSafe(|| {
            if search.strategy.is_none() {
                self.verify_threads(order, variant);
            }
            check::check(self.loaded, &options, &|_| true)
        }));
        self.agreement.checking += start.elapsed();
        let disagree = |kind, what: String| Disagreement {
            kind,
            order,
            variant,
            search: Box::new(search.clone()),
            what,
        };
        let report = match report {
            Ok(report) => report,
            Err(panic) => {
                return Err(disagree(
                    Kind::Panicked,
                    crate::cases::panic_message(&*panic),
                ));
            }
        };
        // What was shown is compared, whether or not that answers the question.
        let verdict = match report.verdict {
            Verdict::Unknown {
                reason: Reason::Bounds,
                established: Some(limits),
            } => Verdict::SafeUpTo(limits),
            verdict => verdict,
        };
        match &verdict {
            Verdict::Violated(run) => {
                let n_contexts = run.schedule.contexts.len();
                if let Some(Order::Contexts(most)) = order
                    && n_contexts > most as usize
                {
                    let what = format!("the run has {n_contexts} contexts");
                    return Err(disagree(Kind::Spurious, what));
                }
                if !is_violated {
                    match self.explore_with(order, &run.schedule) {
                        Some(true) => {}
                        Some(false) => {
                            let what = format!("the run is\n{}", run.schedule);
                            return Err(disagree(Kind::Spurious, what));
                        }
                        None => {
                            let what = "the explorer cannot try all values of the run";
                            self.agreement.unknown.push(what.to_owned());
                            return Ok(());
                        }
                    }
                }
            }
            Verdict::Safe if is_violated => {
                return Err(disagree(Kind::Missed, "'safe'".to_owned()));
            }
            Verdict::SafeUpTo(limits) if is_violated && leaves_open(limits) => {
                let words = (limits.assumptions.iter()).map(report::describe_assumption);
                self.agreement.unknown.extend(words);
                return Ok(());
            }
            Verdict::SafeUpTo(limits) if is_violated => {
                return Err(disagree(Kind::Missed, format!("{limits:?}")));
            }
            Verdict::Safe => {
                self.agreement.is_proved = true;
                self.expect_clean((None, None, None))
                    .map_err(|what| disagree(Kind::Overclaimed, what))?;
            }
            // It claims nothing about the rest.
            Verdict::SafeUpTo(limits) if leaves_open(limits) => {}
            Verdict::SafeUpTo(limits) => {
                let (mut contexts, mut rounds) = (None, None);
                match limits.order {
                    Some(Order::Contexts(n)) => contexts = Some(n),
                    Some(Order::Rounds(n)) => rounds = Some(n),
                    None => {}
                }
                self.agreement.is_proved |= limits.order.is_none() && limits.loops.is_empty();
                let unwind = (!limits.loops.is_empty()).then_some(unwind);
                self.expect_clean((contexts, rounds, unwind))
                    .map_err(|what| disagree(Kind::Overclaimed, format!("{what}; {limits:?}")))?;
            }
            Verdict::Unknown { reason, .. } => {
                let words = report::describe_reason(reason).unwrap_or_default();
                if reason.internal().is_some() {
                    return Err(disagree(Kind::Broken, words));
                }
                // Strategies that leave something out may find nothing.
                if report.limits_of_part.is_none() {
                    self.agreement.unknown.push(words);
                }
                return Ok(());
            }
        }
        self.agreement.comparisons += 1;
        Ok(())
    }

    /// What the checker claims, the explorer must not contradict.
    fn expect_clean(&mut self, key: Key) -> Result<(), String> {
        match self.explore(key) {
            Some(true) => {
                let (contexts, rounds, unwind) = key;
                let show = |bound: Option<u32>| bound.map_or("any".to_owned(), |n| n.to_string());
                Err(format!(
                    "violated with contexts {}, rounds {}, iterations {}",
                    show(contexts),
                    show(rounds),
                    show(unwind)
                ))
            }
            Some(false) | None => Ok(()),
        }
    }
}

/// Whether a verdict says itself that there is a place where nothing was looked
/// for, which the explorer knows: some ends of runs, or other addresses.
fn leaves_open(limits: &check::Limits) -> bool {
    let mut assumptions = limits.assumptions.iter();
    assumptions.any(|assumption| {
        matches!(
            assumption,
            Assumption::LostMemory
                | Assumption::Layout(_)
                | Assumption::Omission(Omission::LastHandlers)
        )
    })
}

/// The explorer's bounds, with its usual inputs.
pub fn bounds(contexts: Option<u32>, rounds: Option<u32>) -> replay::Bounds {
    replay::Bounds {
        contexts,
        rounds,
        max_states: MAX_STATES,
        ..replay::Bounds::default()
    }
}
