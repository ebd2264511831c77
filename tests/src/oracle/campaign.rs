//! Many programs, compared on several threads, with what came out of it.
//!
//! Which programs and which questions depends on the seeds only. A program on
//! which the two sides disagree is shrunk and, if the caller names a folder,
//! kept there with a note. This module does not print.

use super::compare::{Agreement, Disagreement, Kind, Scope, compare, strategies, variants};
use super::generate;
use super::shrink::shrink;
use super::syntax::Program;
use check::{Order, Search};
use fastrand::Rng;
use replay::{Checks, Property};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// For making one program smaller.
const SHRINK_TIME: Duration = Duration::from_secs(90);

pub const MOST_CONTEXTS: u32 = 6;
const MOST_ROUNDS: u32 = 3;

/// Which strategies to ask with, besides the usual search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategies {
    None,
    /// One of them, for one program in four.
    #[default]
    Some,
    Every,
}

pub struct Plan {
    /// What the programs are about, and what is asked.
    pub property: Property,
    pub first_seed: u64,
    pub count: u64,
    pub jobs: usize,
    /// Where to put programs that show something.
    pub keep: Option<PathBuf>,
    /// No program is begun after this time.
    pub time: Option<Duration>,
    pub strategies: Strategies,
    /// Let allocations fail in every program, not only in some.
    pub malloc_may_fail: bool,
    /// All that ends a thread counts, as it does by default.
    pub default_checks: bool,
    /// Threads begin and end in unusual ways.
    pub lifecycles: bool,
    /// Futexes, clean-up handlers, cancelled threads and jumps.
    pub idioms: bool,
}

impl Plan {
    /// The program of a seed.
    pub fn program(&self, seed: u64) -> Program {
        match (self.lifecycles, self.idioms) {
            (true, _) => generate::program_with_lifecycles(self.property, seed),
            (false, true) => generate::program_with_idioms(self.property, seed),
            (false, false) => generate::program_about(self.property, seed),
        }
    }
}

/// What came out of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub programs: u64,
    pub comparisons: u64,
    /// By the fewest contexts with a violation.
    pub violated: BTreeMap<u32, u64>,
    pub clean: u64,
    pub proved: u64,
    pub features: BTreeMap<&'static str, u64>,
    pub unknown: BTreeMap<String, u64>,
    pub skipped: BTreeMap<String, u64>,
    /// Programs that allocate, of which allocations may fail.
    pub failing: u64,
    pub statements: u64,
    pub states: u64,
    pub exploring: Duration,
    pub checking: Duration,
    pub disagreements: Vec<Finding>,
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub property: Property,
    pub malloc_may_fail: bool,
    pub seed: u64,
    pub disagreement: Disagreement,
    /// As small as it could be made.
    pub program: Program,
}

/// Compares all programs of a plan. `watch` is told after each of them.
pub fn run(plan: &Plan, watch: &(dyn Fn(&Tally) + Sync)) -> Tally {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let is_late = plan.time.is_some_and(|time| start.elapsed() > time);
            if index >= plan.count || is_late {
                return;
            }
            let seed = plan.first_seed + index;
            let program = plan.program(seed);
            let mut scope = scope(plan.property, seed);
            if plan.default_checks {
                scope.checks = Checks::ends_of_threads();
            }
            match plan.strategies {
                Strategies::Some => {}
                Strategies::Every => scope.searches = every_search(seed),
                Strategies::None => scope.searches.clear(),
            }
            scope.malloc_may_fail |= plan.malloc_may_fail;
            let result = try_compare(&program, &scope);
            let found = result.as_ref().err().cloned();
            let may_fail = scope.malloc_may_fail;
            let finding = found.map(|disagreement| examine(&scope, seed, &program, disagreement));
            if let (Some(finding), Some(folder)) = (&finding, &plan.keep) {
                // A full disk is no reason to lose the rest.
                let _ = keep(folder, finding);
            }
            let Ok(mut tally) = tally.lock() else {
                return;
            };
            tally.failing += u64::from(may_fail && program.features.contains("malloc"));
            tally.count(&program, &result.unwrap_or_default());
            tally.disagreements.extend(finding);
            watch(&tally);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(worker);
        }
    });
    let mut tally = tally.into_inner().unwrap_or_default();
    tally.disagreements.sort_by_key(|finding| finding.seed);
    tally
}

/// Which questions are asked about the program of a seed.
pub fn scope(property: Property, seed: u64) -> Scope {
    // Not the numbers that the program is made from.
    let mut rng = Rng::with_seed(seed ^ 0x5eed_0f0a_c1e5);
    let mut variants = variants();
    let often = match property {
        Property::Assert => 4,
        _ => 16,
    };
    if rng.u8(..often) > 0 {
        variants = vec![variants[rng.usize(..variants.len())]];
    }
    let (contexts, rounds) = match property {
        Property::Assert => (MOST_CONTEXTS, MOST_ROUNDS),
        // Mistakes need fewer contexts than what comes of them.
        _ => (rng.u32(3..MOST_CONTEXTS), rng.u32(1..MOST_ROUNDS)),
    };
    Scope {
        property,
        checks: Checks::NONE.with(property),
        contexts: (1..=contexts).collect(),
        rounds: (1..=rounds).collect(),
        variants,
        unmerged: rng.u8(..4) == 0,
        any_order: true,
        searches: match rng.u8(..4) {
            0 => vec![any_search(&mut rng)],
            _ => Vec::new(),
        },
        malloc_may_fail: rng.u8(..3) == 0,
    }
}

fn every_search(seed: u64) -> Vec<Search> {
    let mut rng = Rng::with_seed(seed);
    let searches = strategies().into_iter().map(|strategy| Search {
        strategy: Some(strategy),
        cores: rng.usize(1..=2),
        seed,
        ..Search::default()
    });
    searches.collect()
}

fn any_search(rng: &mut Rng) -> Search {
    let strategies = strategies();
    Search {
        strategy: rng.choice(strategies),
        cores: rng.usize(1..=2),
        seed: rng.u64(..),
        ..Search::default()
    }
}

/// Even the generator and the explorer may panic.
fn try_compare(program: &Program, scope: &Scope) -> Result<Agreement, Disagreement> {
    let result = catch_unwind(AssertUnwindSafe(|| compare(program, scope)));
    result.unwrap_or_else(|panic| {
        Err(Disagreement {
            kind: Kind::Panicked,
            order: None,
            variant: check::Reductions::default(),
            search: Box::default(),
            what: crate::cases::panic_message(&*panic),
        })
    })
}

fn examine(asked: &Scope, seed: u64, program: &Program, disagreement: Disagreement) -> Finding {
    let (property, malloc_may_fail) = (asked.property, asked.malloc_may_fail);
    let scope = disagreement.scope(asked);
    let kind = disagreement.kind;
    let is_same = |program: &Program| match try_compare(program, &scope) {
        Err(found) => found.kind == kind,
        Ok(_) => false,
    };
    let program = match kind {
        Kind::Malformed => program.clone(),
        _ => shrink(program, SHRINK_TIME, is_same),
    };
    let disagreement = try_compare(&program, &scope).err().unwrap_or(disagreement);
    Finding {
        property,
        malloc_may_fail,
        seed,
        disagreement,
        program,
    }
}

fn keep(folder: &Path, finding: &Finding) -> std::io::Result<()> {
    let folder = folder.join(format!("seed-{}", finding.seed));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("program.c"), finding.program.print())?;
    std::fs::write(folder.join("note.txt"), finding.to_string())
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.disagreement)?;
        let program = &self.program;
        writeln!(f, "seed: {}", self.seed)?;
        writeln!(f, "unwind: {}, every loop", program.unwind)?;
        writeln!(f, "inputs: {:?}", program.inputs)?;
        writeln!(f, "bits: {}", if program.is_32_bits { 32 } else { 64 })?;
        let order = match self.disagreement.order {
            Some(Order::Contexts(n)) => format!("--contexts {n} "),
            Some(Order::Rounds(n)) => format!("--rounds {n} "),
            None => String::new(),
        };
        let unwind = program.unwind;
        let property = self.property.name();
        let fails = match self.malloc_may_fail {
            true => " --malloc-may-fail",
            false => "",
        };
        writeln!(
            f,
            "explore: --property {property} {order}--unwind {unwind}{fails}"
        )
    }
}

impl Tally {
    fn count(&mut self, program: &Program, agreement: &Agreement) {
        self.programs += 1;
        self.statements += program.size() as u64;
        self.comparisons += u64::from(agreement.comparisons);
        for feature in &program.features {
            *self.features.entry(feature).or_default() += 1;
        }
        for reason in &agreement.unknown {
            *self.unknown.entry(reason.clone()).or_default() += 1;
        }
        self.states += agreement.states as u64;
        self.exploring += agreement.exploring;
        self.checking += agreement.checking;
        self.proved += u64::from(agreement.is_proved);
        if let Some(reason) = &agreement.skipped {
            *self.skipped.entry(reason.clone()).or_default() += 1;
        } else if let Some(contexts) = agreement.violated_from {
            *self.violated.entry(contexts).or_default() += 1;
        } else {
            self.clean += 1;
        }
    }

    /// Questions that the checker did not answer, of all that were asked.
    pub fn unknown_share(&self) -> f64 {
        let unknown: u64 = self.unknown.values().sum();
        unknown as f64 / (unknown + self.comparisons).max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let violated: u64 = self.violated.values().sum();
        let skipped: u64 = self.skipped.values().sum();
        let programs = self.programs.max(1);
        let _ = writeln!(text, "programs        {:>8}", self.programs);
        let _ = writeln!(
            text,
            "  statements    {:>8.1} each",
            self.statements as f64 / programs as f64
        );
        let _ = writeln!(text, "  states        {:>8} each", self.states / programs);
        let _ = writeln!(text, "  violated      {violated:>8}");
        for (contexts, count) in &self.violated {
            let _ = writeln!(text, "    from {contexts}      {count:>8}");
        }
        let _ = writeln!(text, "  not violated  {:>8}", self.clean);
        let _ = writeln!(text, "    proved      {:>8}", self.proved);
        let _ = writeln!(text, "  skipped       {skipped:>8}");
        list(&mut text, &self.skipped);
        let _ = writeln!(text, "  may lack memory {:>6}", self.failing);
        let _ = writeln!(text, "comparisons     {:>8}", self.comparisons);
        let share = 100.0 * self.unknown_share();
        let _ = writeln!(text, "unknown         {share:>7.1}%");
        list(&mut text, &self.unknown);
        let _ = writeln!(text, "exploring       {:>8.1?}", self.exploring);
        let _ = writeln!(text, "checking        {:>8.1?}", self.checking);
        let _ = writeln!(text, "features");
        let features = self
            .features
            .iter()
            .map(|(name, count)| (name.to_string(), *count));
        list(&mut text, &features.collect());
        let _ = writeln!(text, "disagreements   {:>8}", self.disagreements.len());
        for finding in &self.disagreements {
            let what = finding.disagreement.to_string();
            let line = what.lines().next().unwrap_or_default();
            let _ = writeln!(text, "  seed {}: {line}", finding.seed);
        }
        f.write_str(&text)
    }
}

/// The most frequent first.
fn list(text: &mut String, counts: &BTreeMap<String, u64>) {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (name, count) in counts {
        let _ = writeln!(text, "    {count:>6}  {name}");
    }
}
