//! Random programs for weak memory models with more in them than [`super::weak`] has:
//! branches on what was read, loops that wait for a while, pointers that are handed over,
//! locks of all kinds, semaphores, barriers, once controls, weak compare-exchanges, and a
//! main thread that takes part.
//!
//! There are no axioms for these. The checker is compared with the explorer: both must say
//! the same about an outcome that the explorer found under some model, and about data
//! races, under every model. What comes out under a model comes out under those that allow
//! more.

use super::weak::{Outcome, assertion, expectations, expecting, load};
use crate::run;
use check::{Encoding, Engine, Reason, Verdict};
use fastrand::Rng;
use library::MemoryModel;
use replay::{Bounds, Checks, Config, Mode, Property};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

/// Programs with more states are passed over.
const MOST_STATES: usize = 30_000;
/// A question that takes longer is passed over, and counted.
const TIME: Duration = Duration::from_secs(60);

const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const OF_LOADS: [&str; 5] = ["relaxed", "relaxed", "relaxed", "acquire", "seq_cst"];
const OF_STORES: [&str; 5] = ["relaxed", "relaxed", "relaxed", "release", "seq_cst"];
const OF_FAILURES: [&str; 3] = ["relaxed", "acquire", "seq_cst"];

/// What came of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// Both sides agree, and the outcome needs a weak model or does not.
    Weak,
    Strong,
    /// Too large for the explorer, or not supported by one of the sides.
    PassedOver,
}

/// What a program has of each kind.
struct Writer {
    rng: Rng,
    atomics: usize,
    plains: usize,
    results: usize,
    /// Results of the thread at hand, which may be looked at.
    own: Vec<usize>,
    has: BTreeSet<&'static str>,
    depth: usize,
}

impl Writer {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.rng.usize(..from.len())]
    }

    fn result(&mut self) -> usize {
        let result = self.results;
        self.results += 1;
        self.own.push(result);
        result
    }

    /// A small value, perhaps one that depends on what was read.
    fn value(&mut self) -> String {
        let constant = self.rng.u32(1..=2);
        match self.own.is_empty() || self.rng.u8(..4) > 0 {
            true => constant.to_string(),
            false => {
                let own = self.own[self.rng.usize(..self.own.len())];
                format!("(r{own} & 1) + {constant}")
            }
        }
    }

    fn statement(&mut self) -> String {
        let x = self.rng.usize(..self.atomics);
        let kinds = if self.depth < 2 { 27 } else { 14 };
        match self.rng.u8(..kinds) {
            0..=2 => {
                let (value, order) = (self.value(), self.pick(&OF_STORES));
                format!("atomic_store_explicit(&x{x}, {value}, memory_order_{order});")
            }
            3..=5 => {
                let (order, result) = (self.pick(&OF_LOADS), self.result());
                format!("r{result} = atomic_load_explicit(&x{x}, memory_order_{order});")
            }
            6 => {
                let names = [
                    "fetch_add",
                    "fetch_or",
                    "fetch_and",
                    "fetch_xor",
                    "exchange",
                ];
                let (name, value) = (self.pick(&names), self.value());
                let (order, result) = (self.pick(&ORDERS), self.result());
                format!("r{result} = atomic_{name}_explicit(&x{x}, {value}, memory_order_{order});")
            }
            7 => {
                let strength = self.pick(&["strong", "strong", "weak"]);
                let expected = self.rng.u32(..=2);
                let value = self.value();
                let (success, failure) = (self.pick(&ORDERS), self.pick(&OF_FAILURES));
                let result = self.result();
                format!(
                    "{{ int e = {expected}; r{result} = atomic_compare_exchange_{strength}_explicit(\
                     &x{x}, &e, {value}, memory_order_{success}, memory_order_{failure}) * 4 + e; }}"
                )
            }
            8 => {
                let order = self.pick(&["acquire", "release", "acq_rel", "seq_cst", "seq_cst"]);
                format!("atomic_thread_fence(memory_order_{order});")
            }
            9 | 10 if self.plains > 0 => {
                let y = self.rng.usize(..self.plains);
                let value = self.value();
                format!("y{y} = {value};")
            }
            11 | 12 if self.plains > 0 => {
                let (y, result) = (self.rng.usize(..self.plains), self.result());
                format!("r{result} = y{y};")
            }
            13 if self.plains > 0 => {
                self.has.insert("pointer");
                let y = self.rng.usize(..self.plains);
                match self.rng.bool() {
                    true => {
                        let (value, order) = (self.value(), self.pick(&OF_STORES));
                        format!(
                            "y{y} = {value}; atomic_store_explicit(&p, &y{y}, memory_order_{order});"
                        )
                    }
                    false => {
                        let (order, result) = (self.pick(&OF_LOADS), self.result());
                        format!(
                            "{{ int *q = atomic_load_explicit(&p, memory_order_{order}); \
                             if (q) r{result} = *q; }}"
                        )
                    }
                }
            }
            14..=16 if !self.own.is_empty() => {
                let own = self.own[self.rng.usize(..self.own.len())];
                let value = self.rng.u32(..=2);
                let (then, otherwise) = (self.block(), self.block());
                match self.rng.bool() {
                    true => format!("if (r{own} == {value}) {{ {then} }}"),
                    false => format!("if (r{own} == {value}) {{ {then} }} else {{ {otherwise} }}"),
                }
            }
            26 => {
                let order = self.pick(&OF_LOADS);
                format!("while (!atomic_load_explicit(&x{x}, memory_order_{order})) {{}}")
            }
            17 => {
                let (order, result) = (self.pick(&OF_LOADS), self.result());
                format!(
                    "for (int i = 0; i < 2; i++) {{ r{result} = atomic_load_explicit(&x{x}, \
                     memory_order_{order}); if (r{result}) break; }}"
                )
            }
            18 | 19 => {
                self.has.insert("mutex");
                let block = self.block();
                match self.rng.u8(..4) {
                    0 => format!(
                        "if (!pthread_mutex_trylock(&m)) {{ {block} pthread_mutex_unlock(&m); }}"
                    ),
                    _ => format!("pthread_mutex_lock(&m); {block} pthread_mutex_unlock(&m);"),
                }
            }
            20 | 21 => {
                self.has.insert("rwlock");
                let kind = self.pick(&["rd", "wr"]);
                let block = self.block();
                format!("pthread_rwlock_{kind}lock(&l); {block} pthread_rwlock_unlock(&l);")
            }
            22 => {
                self.has.insert("semaphore");
                match self.rng.bool() {
                    true => "sem_post(&s);".to_owned(),
                    false => {
                        let block = self.block();
                        format!("if (!sem_trywait(&s)) {{ {block} }}")
                    }
                }
            }
            23 if self.plains > 0 => {
                self.has.insert("once");
                let (y, result) = (self.rng.usize(..self.plains), self.result());
                format!("pthread_once(&o, init); r{result} = y{y};")
            }
            24 => {
                self.has.insert("spin");
                let block = self.block();
                format!("pthread_spin_lock(&spin); {block} pthread_spin_unlock(&spin);")
            }
            _ => {
                let (order, result) = (self.pick(&OF_LOADS), self.result());
                format!("r{result} = atomic_load_explicit(&x{x}, memory_order_{order});")
            }
        }
    }

    /// A few statements. Locks are not taken twice, so nothing in it takes one.
    fn block(&mut self) -> String {
        self.depth += 2;
        let count = self.rng.usize(1..=2);
        let statements: Vec<String> = (0..count).map(|_| self.statement()).collect();
        self.depth -= 2;
        statements.join(" ")
    }

    fn thread(&mut self, most: usize) -> String {
        self.own.clear();
        let count = self.rng.usize(2.min(most)..=most);
        let mut text = String::new();
        for _ in 0..count {
            let statement = self.statement();
            let _ = writeln!(text, "    {statement}");
        }
        text
    }
}

/// A program that asserts that an outcome does not come out. The outcome is in global
/// variables that nobody writes, see [`expecting`].
pub struct Program {
    pub text: String,
    names: Vec<String>,
}

impl Program {
    pub fn of_seed(seed: u64) -> Program {
        let rng = Rng::with_seed(seed);
        let mut writer = Writer {
            rng,
            atomics: 0,
            plains: 0,
            results: 0,
            own: Vec::new(),
            has: BTreeSet::new(),
            depth: 0,
        };
        writer.atomics = writer.rng.usize(1..=3);
        writer.plains = writer.rng.usize(..=2);
        let count = if writer.rng.u8(..4) == 0 { 3 } else { 2 };
        let most = if count == 3 { 3 } else { 4 };
        let mut threads: Vec<String> = (0..count).map(|_| writer.thread(most)).collect();
        let mut barrier = "";
        if count == 2 && writer.rng.u8(..8) == 0 {
            barrier = "pthread_barrier_t b;\n";
            for thread in &mut threads {
                let more = writer.thread(2);
                let _ = write!(thread, "    pthread_barrier_wait(&b);\n{more}");
            }
        }
        let of_main = match writer.rng.u8(..3) {
            0 => writer.thread(2),
            _ => String::new(),
        };
        let results = (0..writer.results).map(|result| format!("r{result}"));
        let atomics = (0..writer.atomics).map(|place| format!("x{place}"));
        let plains = (0..writer.plains).map(|place| format!("y{place}"));
        let names: Vec<String> = results.chain(atomics).chain(plains).collect();
        Program {
            text: text(&writer, &threads, barrier, &of_main, &names),
            names,
        }
    }

    /// What the explorer finds to come out of it; nothing if it is too much.
    fn explored(
        &self,
        ir: &ir::Program,
        model: MemoryModel,
    ) -> Result<Option<BTreeSet<Outcome>>, String> {
        let config = config(model, Property::Assert);
        let image = run::image(ir, &config)?;
        let global = |name: &String| {
            let mut globals = ir.globals.iter();
            let found = globals.find(|(_, global)| global.symbol == *name);
            found.map(|(id, _)| id)
        };
        let globals: Vec<ir::GlobalId> = self.names.iter().filter_map(global).collect();
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
            &mut |progress| progress.states < MOST_STATES,
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
        let is_whole = exploration.interrupted.is_none() && exploration.unsupported.is_empty();
        Ok(is_whole.then_some(outcomes))
    }
}

fn text(
    writer: &Writer,
    threads: &[String],
    barrier: &str,
    of_main: &str,
    names: &[String],
) -> String {
    let mut text = String::new();
    for header in ["assert", "pthread", "semaphore", "stdatomic"] {
        let _ = writeln!(text, "#include <{header}.h>");
    }
    for place in 0..writer.atomics {
        let _ = writeln!(text, "atomic_int x{place};");
    }
    for place in 0..writer.plains {
        let _ = writeln!(text, "int y{place};");
    }
    for result in 0..writer.results {
        let _ = writeln!(text, "int r{result};");
    }
    let objects = [
        ("pointer", "_Atomic(int *) p;"),
        ("mutex", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"),
        ("rwlock", "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;"),
        ("semaphore", "sem_t s;"),
        (
            "once",
            "pthread_once_t o = PTHREAD_ONCE_INIT;\nstatic void init(void) { y0 = 1; }",
        ),
        ("spin", "pthread_spinlock_t spin;"),
    ];
    for (name, declaration) in objects {
        if writer.has.contains(name) {
            let _ = writeln!(text, "{declaration}");
        }
    }
    text.push_str(barrier);
    text.push_str(&expectations(names));
    for (index, thread) in threads.iter().enumerate() {
        let _ = write!(
            text,
            "\nstatic void *thread{index}(void *unused)\n{{\n{thread}    return unused;\n}}\n"
        );
    }
    let count = threads.len();
    let _ = write!(
        text,
        "\nint main(void)\n{{\n    pthread_t threads[{count}];\n"
    );
    if writer.has.contains("semaphore") {
        text.push_str("    sem_init(&s, 0, 0);\n");
    }
    if writer.has.contains("spin") {
        text.push_str("    pthread_spin_init(&spin, 0);\n");
    }
    if !barrier.is_empty() {
        text.push_str("    pthread_barrier_init(&b, 0, 2);\n");
    }
    for index in 0..count {
        let _ = writeln!(
            text,
            "    pthread_create(&threads[{index}], 0, thread{index}, 0);"
        );
    }
    text.push_str(of_main);
    for index in 0..count {
        let _ = writeln!(text, "    pthread_join(threads[{index}], 0);");
    }
    let _ = writeln!(text, "    {}\n    return 0;\n}}", assertion(names));
    text
}

fn config(model: MemoryModel, property: Property) -> Config {
    let mut config = Config {
        checks: Checks::NONE.with(property),
        ..Config::default()
    };
    config.surroundings.memory_model = model;
    config
}

/// What the checker says by an encoding; nothing if it is not supported or takes long.
fn checked(
    ir: &ir::Program,
    model: MemoryModel,
    property: Property,
    encoding: Encoding,
) -> Result<Option<bool>, String> {
    let options = check::Options {
        config: config(model, property),
        encodings: [encoding].into(),
        engines: [Engine::Bounded].into(),
        looks_beside: false,
        time: Some(TIME),
        ..check::Options::default()
    };
    match check::check(ir, &options, &|_| true).verdict {
        Verdict::Violated(_) => Ok(Some(true)),
        Verdict::Safe => Ok(Some(false)),
        // What the program asks for, or that waits are not looked at, and that is all.
        Verdict::Unknown {
            reason: Reason::Bounds,
            established: Some(limits),
        } if limits.order.is_none() && limits.loops.is_empty() => Ok(Some(false)),
        Verdict::Unknown {
            reason: Reason::Unsupported(_) | Reason::Time,
            ..
        } => Ok(None),
        verdict => Err(format!("{verdict:?}")),
    }
}

/// Whether the explorer finds a race; nothing if it is too much.
fn races(ir: &ir::Program, model: MemoryModel) -> Result<Option<bool>, String> {
    let config = config(model, Property::Race);
    let image = run::image(ir, &config)?;
    let mode = Mode {
        find_all: false,
        merge: true,
    };
    let exploration = replay::explore(&image, &config, 0, &Bounds::default(), mode, &mut |p| {
        p.states < MOST_STATES
    });
    Ok(match exploration.violations.is_empty() {
        false => Some(true),
        true if exploration.interrupted.is_some() || !exploration.unsupported.is_empty() => None,
        true => Some(false),
    })
}

/// Compares checker and explorer on the program of a seed.
pub fn compare(seed: u64) -> Result<Came, String> {
    let program = Program::of_seed(seed);
    let ir = load(&program.text)?;
    let mut allowed = Vec::new();
    for model in MemoryModel::ALL {
        let Some(outcomes) = program.explored(&ir, model)? else {
            return Ok(Came::PassedOver);
        };
        if let Some(stronger) = allowed.last() {
            let mut lost = BTreeSet::difference(stronger, &outcomes);
            if let Some(lost) = lost.next() {
                let name = model.name();
                return Err(format!("{lost:?} is not possible any more under {name}"));
            }
        }
        allowed.push(outcomes);
    }
    let mut rng = Rng::with_seed(seed);
    let rare = |index: usize| -> Vec<Outcome> {
        let outcomes = &allowed[index];
        (outcomes.difference(&allowed[index - 1]).cloned()).collect()
    };
    // Rather what needs a weak model.
    let weak: Vec<Vec<Outcome>> = (1..allowed.len())
        .map(rare)
        .filter(|o| !o.is_empty())
        .collect();
    let is_weak = !weak.is_empty();
    let candidates = match rng.choice(weak) {
        Some(outcomes) => outcomes,
        None => allowed[0].iter().cloned().collect(),
    };
    let mut asked: Vec<Outcome> = rng.choice(candidates).into_iter().collect();
    let mut other = asked.first().cloned().unwrap_or_default();
    if !other.is_empty() {
        let index = rng.usize(..other.len());
        other[index] = (other[index] + 1) % 3;
        asked.push(other);
    }
    for outcome in &asked {
        let ir = expecting(&ir, outcome);
        for (model, allowed) in MemoryModel::ALL.into_iter().zip(&allowed) {
            let expected = allowed.contains(outcome);
            let both = [Encoding::Order, Encoding::Contexts];
            let encodings = if model == MemoryModel::Sc {
                &both[..]
            } else {
                &both[..1]
            };
            for encoding in encodings {
                let told = |what: &str| {
                    let name = model.name();
                    format!("{outcome:?} under {name} by {encoding:?}: {what}")
                };
                let found = checked(&ir, model, Property::Assert, *encoding);
                let found = found.map_err(|verdict| told(&verdict))?;
                if found.is_some_and(|found| found != expected) {
                    return Err(told("the two sides disagree"));
                }
            }
        }
    }
    for model in [MemoryModel::Sc, MemoryModel::Rc11] {
        let told = |what: &str| format!("races under {}: {what}", model.name());
        let Some(expected) = races(&ir, model)? else {
            continue;
        };
        let found = checked(&ir, model, Property::Race, Encoding::Order);
        let found = found.map_err(|verdict| told(&verdict))?;
        if found.is_some_and(|found| found != expected) {
            return Err(told(&format!("{expected} for the explorer")));
        }
    }
    Ok(if is_weak { Came::Weak } else { Came::Strong })
}
