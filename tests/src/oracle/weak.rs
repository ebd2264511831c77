//! Small programs with random memory orders and fences, and what may come out of
//! them under each memory model.
//!
//! The programs have no branches and no loops, so that [`axioms`] can say what each
//! model allows by trying all executions: which write each read sees, and in which
//! order writes come. That is written down apart from the interpreter, which runs the
//! same programs step by step; both must find the same results. Whoever answers
//! questions about C programs can be asked about [`Program::text`], which asserts that
//! one result does not come out.

use super::axioms;
use super::campaign::Plan;
use super::weak_threads::{self, Came};
use crate::{clang, run};
use check::{Reason, Verdict};
use fastrand::Rng;
use library::MemoryModel;
use replay::{Bounds, Checks, Config, Mode, Property};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Of programs with more, trying all would take too long.
const MOST_CANDIDATES: u64 = 4_000;

/// How strongly something is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Not atomic at all.
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

impl Order {
    fn name(self) -> &'static str {
        match self {
            Order::Plain => "plain",
            Order::Relaxed => "memory_order_relaxed",
            Order::Acquire => "memory_order_acquire",
            Order::Release => "memory_order_release",
            Order::AcquireRelease => "memory_order_acq_rel",
            Order::SequentiallyConsistent => "memory_order_seq_cst",
        }
    }
}

/// What a thread does. Places are shared variables; a result has the number of the
/// instruction among all that have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Store(usize, u32, Order),
    Load(usize, Order),
    /// Adds a number, and has the old value as its result.
    Add(usize, u32, Order),
    /// Replaces 0 by a number if it is there, and has the old value as its result. The
    /// second order is that of failing.
    Replace(usize, u32, Order, Order),
    Fence(Order),
}

impl Act {
    pub fn has_result(self) -> bool {
        matches!(self, Act::Load(..) | Act::Add(..) | Act::Replace(..))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub threads: Vec<Vec<Act>>,
    pub places: usize,
    /// Which of the places are not atomic.
    pub plain: Vec<bool>,
}

/// The results of all instructions that have one, thread by thread, and then what is
/// left in the places.
pub type Outcome = Vec<u32>;

impl Program {
    pub fn of_seed(seed: u64) -> Program {
        let mut rng = Rng::with_seed(seed);
        loop {
            let program = Program::random(&mut rng);
            if program.candidates() <= MOST_CANDIDATES {
                return program;
            }
        }
    }

    /// How many executions have to be tried.
    fn candidates(&self) -> u64 {
        let mut candidates: u64 = 1;
        for place in 0..self.places {
            let acts = || self.threads.iter().flatten();
            let is_write = |act: &&Act| {
                matches!(act, Act::Store(at, ..) | Act::Add(at, ..) | Act::Replace(at, ..)
                    if *at == place)
            };
            let is_read = |act: &&Act| {
                matches!(act, Act::Load(at, _) | Act::Add(at, ..) | Act::Replace(at, ..)
                    if *at == place)
            };
            let writes = acts().filter(is_write).count() as u64;
            for _ in acts().filter(is_read) {
                candidates = candidates.saturating_mul(writes + 1);
            }
            candidates = (1..=writes).fold(candidates, u64::saturating_mul);
        }
        candidates
    }

    fn random(rng: &mut Rng) -> Program {
        let places = rng.usize(1..=3);
        let plain = (0..places).map(|_| rng.u8(..6) == 0).collect();
        let mut program = Program {
            threads: Vec::new(),
            places,
            plain,
        };
        let count = if rng.u8(..3) == 0 { 3 } else { 2 };
        let most = if count == 3 { 3 } else { 4 };
        // Some programs are about fences, some about read-modify-writes.
        let (fences, updates) = (rng.u8(..3), rng.u8(..3));
        for _ in 0..count {
            let len = rng.usize(1..=most);
            let acts = (0..len).map(|_| program.random_act(rng, fences, updates));
            let acts = acts.collect();
            program.threads.push(acts);
        }
        program
    }

    fn random_act(&self, rng: &mut Rng, fences: u8, updates: u8) -> Act {
        let place = rng.usize(..self.places);
        let value = rng.u32(1..=2);
        let pick = |rng: &mut Rng, orders: &[Order]| match self.plain[place] {
            true => Order::Plain,
            false => orders[rng.usize(..orders.len())],
        };
        use Order::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
        const UPDATES: [Order; 5] = [
            Relaxed,
            Acquire,
            Release,
            AcquireRelease,
            SequentiallyConsistent,
        ];
        if rng.u8(..8) < fences {
            let strengths = [Acquire, Release, AcquireRelease, SequentiallyConsistent];
            return Act::Fence(strengths[rng.usize(..4)]);
        }
        if rng.u8(..8) < updates && !self.plain[place] {
            let order = pick(rng, &UPDATES);
            if rng.bool() {
                return Act::Add(place, value, order);
            }
            let failure = pick(rng, &[Relaxed, Acquire, SequentiallyConsistent]);
            return Act::Replace(place, value, order, failure);
        }
        match rng.bool() {
            true => {
                let orders = [Relaxed, Relaxed, Release, SequentiallyConsistent];
                Act::Store(place, value, pick(rng, &orders))
            }
            false => {
                let orders = [Relaxed, Relaxed, Acquire, SequentiallyConsistent];
                Act::Load(place, pick(rng, &orders))
            }
        }
    }

    /// How many numbers an outcome has.
    pub fn results(&self) -> usize {
        let acts = self.threads.iter().flatten();
        acts.filter(|act| act.has_result()).count() + self.places
    }

    /// The names of what an outcome consists of.
    fn names(&self) -> Vec<String> {
        let results = (0..self.results() - self.places).map(|result| format!("r{result}"));
        results
            .chain((0..self.places).map(|place| format!("x{place}")))
            .collect()
    }

    /// The program in C, which asserts that an outcome does not come out. Which one is
    /// for [`expecting`] to say.
    pub fn text(&self) -> String {
        let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n");
        text.push_str("#include <stdatomic.h>\n\n");
        for (place, plain) in self.plain.iter().enumerate() {
            let ty = if *plain { "int" } else { "atomic_int" };
            let _ = writeln!(text, "{ty} x{place};");
        }
        for result in 0..self.results() - self.places {
            let _ = writeln!(text, "int r{result};");
        }
        text.push_str(&expectations(&self.names()));
        let mut next = 0;
        for (index, acts) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "\nstatic void *thread{index}(void *unused)\n{{");
            for act in acts {
                let _ = writeln!(text, "    {}", statement(*act, next));
                next += usize::from(act.has_result());
            }
            let _ = writeln!(text, "    return unused;\n}}");
        }
        let count = self.threads.len();
        let _ = writeln!(
            text,
            "\nint main(void)\n{{\n    pthread_t threads[{count}];"
        );
        for index in 0..count {
            let _ = writeln!(
                text,
                "    pthread_create(&threads[{index}], 0, thread{index}, 0);"
            );
        }
        for index in 0..count {
            let _ = writeln!(text, "    pthread_join(threads[{index}], 0);");
        }
        let _ = writeln!(text, "    {}", assertion(&self.names()));
        text.push_str("    return 0;\n}\n");
        text
    }
}

/// Declares what the variables of these names are compared with. Nothing comes out as
/// large as what is in there at first.
pub fn expectations(names: &[String]) -> String {
    let declare = |name: &String| format!("int e_{name} = -1;\n");
    names.iter().map(declare).collect()
}

/// Asserts that not all of them have what is expected.
pub fn assertion(names: &[String]) -> String {
    let equal = names.iter().map(|name| format!("{name} == e_{name}"));
    let equal: Vec<String> = equal.collect();
    format!("assert(!({}));", equal.join(" && "))
}

/// The program that asserts that an outcome does not come out.
pub fn expecting(ir: &ir::Program, outcome: &Outcome) -> ir::Program {
    let mut changed = ir.clone();
    let expected = changed.globals.values_mut();
    let expected = expected.filter(|global| global.symbol.starts_with("e_"));
    for (global, value) in expected.zip(outcome) {
        global.initial = ir::Initial::Bytes {
            bytes: value.to_le_bytes().to_vec(),
            relocations: Vec::new(),
        };
    }
    changed
}

fn statement(act: Act, result: usize) -> String {
    match act {
        Act::Store(place, value, Order::Plain) => format!("x{place} = {value};"),
        Act::Store(place, value, order) => {
            format!(
                "atomic_store_explicit(&x{place}, {value}, {});",
                order.name()
            )
        }
        Act::Load(place, Order::Plain) => format!("r{result} = x{place};"),
        Act::Load(place, order) => {
            format!(
                "r{result} = atomic_load_explicit(&x{place}, {});",
                order.name()
            )
        }
        Act::Add(place, value, order) => format!(
            "r{result} = atomic_fetch_add_explicit(&x{place}, {value}, {});",
            order.name()
        ),
        Act::Replace(place, value, success, failure) => format!(
            "{{ int e = 0; atomic_compare_exchange_strong_explicit(&x{place}, &e, {value}, {}, \
             {}); r{result} = e; }}",
            success.name(),
            failure.name()
        ),
        Act::Fence(order) => format!("atomic_thread_fence({});", order.name()),
    }
}

/// What the interpreter finds to come out of a program, or why it does not know.
pub fn explored(
    program: &Program,
    ir: &ir::Program,
    model: MemoryModel,
) -> Result<BTreeSet<Outcome>, String> {
    let mut config = Config {
        checks: Checks::NONE.with(Property::Assert),
        ..Config::default()
    };
    config.surroundings.memory_model = model;
    let image = run::image(ir, &config)?;
    let names = program.names().into_iter();
    let globals: Vec<ir::GlobalId> = names
        .filter_map(|name| {
            let mut globals = ir.globals.iter();
            globals
                .find(|(_, global)| *global.symbol == *name)
                .map(|(id, _)| id)
        })
        .collect();
    let mut outcomes = BTreeSet::new();
    let mode = Mode {
        find_all: true,
        merge: true,
    };
    let exploration = replay::explore_watched(
        &image,
        &config,
        0,
        &Bounds::default(),
        mode,
        &mut |_| true,
        &mut |machine, _| {
            if machine.exit_code().is_some() {
                let values = globals.iter().filter_map(|global| {
                    let bytes = machine.global_bytes(*global)?;
                    Some(u32::from_le_bytes(bytes.try_into().ok()?))
                });
                outcomes.insert(values.collect());
            }
        },
    );
    match exploration.unsupported.first() {
        Some(unsupported) => Err(unsupported.what.clone()),
        None => Ok(outcomes),
    }
}

/// A program with all that is known about it.
struct Subject {
    program: Program,
    ir: ir::Program,
    /// By model: what the axioms allow.
    allowed: [BTreeSet<Outcome>; 4],
}

impl Subject {
    fn of_seed(seed: u64) -> Result<Subject, String> {
        let program = Program::of_seed(seed);
        Ok(Subject {
            ir: load(&program.text())?,
            allowed: MemoryModel::ALL.map(|model| axioms::outcomes(&program, model)),
            program,
        })
    }

    /// The interpreter finds what the axioms allow, and weaker models allow more.
    fn compare(&self) -> Result<(), String> {
        let mut stronger = BTreeSet::new();
        for (model, allowed) in MemoryModel::ALL.into_iter().zip(&self.allowed) {
            let found = explored(&self.program, &self.ir, model)?;
            let name = model.name();
            if let Some(outcome) = found.symmetric_difference(allowed).next() {
                let whose = match found.contains(outcome) {
                    true => "the interpreter only",
                    false => "the axioms only",
                };
                return Err(format!("{outcome:?} under {name}: {whose}"));
            }
            if let Some(lost) = stronger.difference(&found).next() {
                return Err(format!("{lost:?} is not possible any more under {name}"));
            }
            stronger = found;
        }
        Ok(())
    }

    /// Asks the checker whether the program has an outcome, under every model: one that is
    /// possible under some model, rather one that needs a weak one, and one that need not
    /// be.
    fn ask_checker(&self, seed: u64) -> Result<(), String> {
        let mut rng = Rng::with_seed(seed);
        let [interleaved, .., weakest] = &self.allowed;
        let rare: Vec<_> = weakest.difference(interleaved).cloned().collect();
        let candidates = match rare.is_empty() {
            true => weakest.iter().cloned().collect(),
            false => rare,
        };
        let possible = rng.choice(candidates).ok_or("it has no outcome")?;
        let mut other = possible.clone();
        if let Some(value) = other.get_mut(rng.usize(..possible.len())) {
            *value = (*value + rng.u32(1..3)) % 3;
        }
        for outcome in [possible, other] {
            let ir = expecting(&self.ir, &outcome);
            for (model, allowed) in MemoryModel::ALL.into_iter().zip(&self.allowed) {
                if is_violated(&ir, model)? != allowed.contains(&outcome) {
                    let name = model.name();
                    return Err(format!("{outcome:?} under {name}: not for the checker"));
                }
            }
        }
        Ok(())
    }
}

/// Reads a program in C.
pub(super) fn load(text: &str) -> Result<ir::Program, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    clang::default().load(&file, &[])
}

/// Compares the interpreter with the axioms on the program of a seed.
pub fn compare(seed: u64) -> Result<(), String> {
    Subject::of_seed(seed)?.compare()
}

/// Compares the checker with the axioms on the program of a seed.
pub fn ask_checker(seed: u64) -> Result<(), String> {
    Subject::of_seed(seed)?.ask_checker(seed)
}

/// What the checker says of a program that asserts something.
pub fn is_violated(program: &ir::Program, memory_model: MemoryModel) -> Result<bool, String> {
    let mut config = Config {
        checks: Checks::NONE.with(Property::Assert),
        ..Config::default()
    };
    config.surroundings.memory_model = memory_model;
    let options = check::Options {
        config,
        encodings: [check::Encoding::Order].into(),
        engines: [check::Engine::Bounded].into(),
        looks_beside: false,
        ..check::Options::default()
    };
    match check::check(program, &options, &|_| true).verdict {
        Verdict::Violated(_) => Ok(true),
        Verdict::Safe => Ok(false),
        // The program asks for less than the model says, and that is all.
        Verdict::Unknown {
            reason: Reason::Bounds,
            established: Some(limits),
        } if limits.order.is_none() && limits.loops.is_empty() => Ok(false),
        verdict => Err(format!("{verdict:?}")),
    }
}

/// What came of many programs.
#[derive(Debug, Default)]
pub struct Compared {
    /// Seeds on which two sides differ, and how.
    pub findings: Vec<(u64, String)>,
    /// Programs with branches and locks: those in which something needs a weak model,
    /// those in which nothing does, and those that were passed over.
    pub weak: u64,
    pub strong: u64,
    pub passed_over: u64,
}

/// All comparisons for a seed.
fn compare_all(seed: u64) -> Result<weak_threads::Came, String> {
    let subject = Subject::of_seed(seed)?;
    subject.compare()?;
    subject.ask_checker(seed)?;
    weak_threads::compare(seed)
}

/// Compares the programs of a plan; `watch` is told how many there were and how many
/// findings.
pub fn campaign(plan: &Plan, watch: &(dyn Fn(u64, usize) + Sync)) -> Compared {
    let start = Instant::now();
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let compared = Mutex::new(Compared::default());
    let worker = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= plan.count || plan.time.is_some_and(|time| start.elapsed() > time) {
            return;
        }
        let seed = plan.first_seed + index;
        let result = catch_unwind(|| compare_all(seed));
        let result = result.unwrap_or_else(|_| Err("a panic".to_owned()));
        let Ok(mut compared) = compared.lock() else {
            return;
        };
        match result {
            Ok(Came::Weak) => compared.weak += 1,
            Ok(Came::Strong) => compared.strong += 1,
            Ok(Came::PassedOver) => compared.passed_over += 1,
            Err(what) => compared.findings.push((seed, what)),
        }
        watch(
            done.fetch_add(1, Ordering::Relaxed) + 1,
            compared.findings.len(),
        );
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(worker);
        }
    });
    let mut compared = compared.into_inner().unwrap_or_default();
    compared.findings.sort();
    compared
}
