//! Asks the prover and the plain enumeration about one program: both must find the
//! same violations, and leave out the same.
//!
//! The prover is asked with each of its reductions and without, and compares every
//! step that it remembers with the interpreter's. Reductions may change which of
//! several deadlocks of the same threads is reported, so with them only kinds are
//! compared there.

use super::campaign::Plan;
use super::compare::load;
use super::generate;
use super::syntax::Program;
use crate::run;
use library::{Surroundings, Undefined};
use replay::{
    Bounds, Checks, Config, Exploration, Found, Image, Limit, Mode, OpenInputs, Proof,
    ProofOptions, Property, Reductions, Samples, Signature, ViolationKind,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// States up to which programs are enumerated.
const MAX_STATES: usize = 60_000;

/// How often an enumeration may ask whether to go on, which is every few steps.
const MAX_ASKED: u32 = 20_000;

/// What became of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    Violated,
    /// Nothing was left out.
    Proved,
    /// Something was left out, by both sides.
    Limited,
    /// The program has too many states, or more than is supported.
    Skipped,
}

/// What came out of many comparisons.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub answers: BTreeMap<Answer, u64>,
    /// Seeds with how the two sides differ.
    pub findings: Vec<(u64, String)>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (answer, count) in &self.answers {
            writeln!(f, "{:<10} {count:>8}", format!("{answer:?}"))?;
        }
        for (seed, what) in &self.findings {
            writeln!(f, "seed {seed}: {what}")?;
        }
        writeln!(f, "disagreements {}", self.findings.len())
    }
}

/// Compares all programs of a plan; `watch` is told how many there were and how
/// many findings.
pub fn campaign(plan: &Plan, watch: &(dyn Fn(u64, usize) + Sync)) -> Tally {
    let start = Instant::now();
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let tally = Mutex::new(Tally::default());
    let worker = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= plan.count || plan.time.is_some_and(|time| start.elapsed() > time) {
            return;
        }
        let seed = plan.first_seed + index;
        let result = catch_unwind(AssertUnwindSafe(|| {
            compare(plan.property, seed, &variants())
        }));
        let result = result.unwrap_or_else(|panic| Err(crate::cases::panic_message(&*panic)));
        let Ok(mut tally) = tally.lock() else {
            return;
        };
        match result {
            Ok(answer) => *tally.answers.entry(answer).or_default() += 1,
            Err(what) => tally.findings.push((seed, what)),
        }
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        watch(count, tally.findings.len());
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(worker);
        }
    });
    tally.into_inner().unwrap_or_default()
}

/// Ways to leave things out.
pub fn variants() -> Vec<Reductions> {
    let partial_order = Reductions {
        partial_order: true,
        ..Reductions::NONE
    };
    let thread_sets = Reductions {
        thread_sets: true,
        ..partial_order
    };
    let going_on = Reductions {
        going_on: true,
        ..partial_order
    };
    let symmetry = Reductions {
        symmetry: true,
        ..partial_order
    };
    let dead_memory = Reductions {
        dead_memory: true,
        ..partial_order
    };
    vec![
        Reductions::NONE,
        partial_order,
        thread_sets,
        going_on,
        symmetry,
        dead_memory,
        Reductions::ALL,
    ]
}

/// Compares the program of a seed. The error says how the two sides differ.
pub fn compare(property: Property, seed: u64, variants: &[Reductions]) -> Result<Answer, String> {
    let program = match seed % 4 {
        0 => generate::program_with_lifecycles(property, seed),
        1 => generate::program_with_idioms(property, seed),
        _ => generate::program_about(property, seed),
    };
    compare_program(&program, property, seed, variants)
}

/// The same for any program.
pub fn compare_program(
    program: &Program,
    property: Property,
    seed: u64,
    variants: &[Reductions],
) -> Result<Answer, String> {
    let loaded = load(program, property)?;
    // Now and then, all properties at once.
    let checks = match seed % 3 {
        0 => Checks::all(),
        _ => Checks::NONE.with(property),
    };
    let config = Config {
        checks,
        unwind: Some(program.unwind),
        surroundings: Surroundings {
            malloc_may_fail: seed.is_multiple_of(5),
            spurious_wakeups: seed.is_multiple_of(7),
            undefined: Undefined::Any,
            ..Surroundings::default()
        },
        ..Config::default()
    };
    let image = run::image(&loaded, &config)?;
    let enumerated = enumerate(&image, &config, &program.inputs);
    if enumerated.interrupted.is_some() || !enumerated.unsupported.is_empty() {
        return Ok(Answer::Skipped);
    }
    for reductions in variants {
        let proof = prove(&image, &config, &program.inputs, *reductions);
        expect_same(&enumerated, &proof, *reductions)
            .map_err(|what| format!("with {reductions:?}: {what}"))?;
        if seed % 4 == 1 {
            let by_two = prove_by_two(&image, &config, &program.inputs, *reductions);
            expect_same(&enumerated, &by_two, *reductions)
                .map_err(|what| format!("by two, with {reductions:?}: {what}"))?;
            if by_two.states != proof.states {
                let (one, two) = (proof.states, by_two.states);
                return Err(format!(
                    "{one} states, or {two} by two, with {reductions:?}"
                ));
            }
        }
    }
    expect_open(&image, &config, &program.inputs, &enumerated)
        .map_err(|what| format!("with open inputs: {what}"))?;
    expect_observed(&image, &config, &enumerated)
        .map_err(|what| format!("with inputs as they are observed: {what}"))?;
    Ok(
        match (&enumerated.violations[..], enumerated.is_complete()) {
            ([_, ..], _) => Answer::Violated,
            ([], true) => Answer::Proved,
            ([], false) => Answer::Limited,
        },
    )
}

/// The plain enumeration, to the end.
pub fn enumerate(image: &Image, config: &Config, inputs: &[u128]) -> Exploration {
    let bounds = Bounds {
        inputs: inputs.to_vec(),
        max_states: MAX_STATES,
        ..Bounds::default()
    };
    let mode = Mode {
        find_all: true,
        merge: true,
    };
    let mut asked = 0;
    let mut patience = |_: &replay::Progress| {
        asked += 1;
        asked < MAX_ASKED
    };
    replay::explore(image, config, 0, &bounds, mode, &mut patience)
}

/// Inputs that are left open make no difference, other than that less is left out.
fn expect_open(
    image: &Image,
    config: &Config,
    inputs: &[u128],
    enumerated: &Exploration,
) -> Result<(), String> {
    let open = OpenInputs::ALL;
    let mut proof = prove_with(image, config, inputs, Reductions::ALL, open, 1);
    let has_inputs = enumerated.limits.contains(&Limit::Inputs);
    if has_inputs && !proof.limits.contains(&Limit::Inputs) {
        proof.limits.insert(Limit::Inputs);
    }
    expect_same(enumerated, &proof, Reductions::ALL)
}

/// Few values stand for all of an input that is hardly looked at. The enumeration tries
/// only some, so it cannot tell what else goes wrong; but where nothing does with any
/// value, nothing does with those.
fn expect_observed(image: &Image, config: &Config, enumerated: &Exploration) -> Result<(), String> {
    let options = ProofOptions {
        tries_spurious_wakeups: false,
        is_checked: true,
        ..ProofOptions::default()
    };
    let mut asked = 0;
    let mut patience = |_: &replay::ProofProgress| {
        asked += 1;
        asked < MAX_ASKED
    };
    let proof = replay::prove(image, config, 0, &options, &mut patience);
    if let Some(mistake) = proof.mistakes.first() {
        return Err(format!("mistake: {mistake}"));
    }
    match &enumerated.violations[..] {
        [found, ..] if proof.is_complete() && proof.violations.is_empty() => {
            Err(format!("missed: {:?}", found.violation.signature()))
        }
        _ => Ok(()),
    }
}

/// The prover, to the end.
pub fn prove(image: &Image, config: &Config, inputs: &[u128], reductions: Reductions) -> Proof {
    prove_with(image, config, inputs, reductions, OpenInputs::NONE, 1)
}

/// The same by two, who share whatever there is.
pub fn prove_by_two(
    image: &Image,
    config: &Config,
    inputs: &[u128],
    reductions: Reductions,
) -> Proof {
    prove_with(image, config, inputs, reductions, OpenInputs::NONE, 2)
}

fn prove_with(
    image: &Image,
    config: &Config,
    inputs: &[u128],
    reductions: Reductions,
    open: OpenInputs,
    cores: usize,
) -> Proof {
    let options = ProofOptions {
        find_all: true,
        inputs: Samples::of(0, inputs, open),
        reductions,
        tries_spurious_wakeups: false,
        is_checked: true,
        cores,
        worth_sharing: 1,
        ..ProofOptions::default()
    };
    replay::prove(image, config, 0, &options, &mut |_| true)
}

/// Whether the two sides say the same.
pub fn expect_same(
    enumerated: &Exploration,
    proof: &Proof,
    reductions: Reductions,
) -> Result<(), String> {
    if let Some(mistake) = proof.mistakes.first() {
        return Err(format!("mistake: {mistake}"));
    }
    if proof.interrupted.is_some() {
        return Err("the prover did not come to its end".to_owned());
    }
    let is_plain = reductions == Reductions::NONE;
    let (expected, found) = (
        signatures(&enumerated.violations, is_plain),
        signatures(&proof.violations, is_plain),
    );
    if expected != found {
        return Err(format!("expected {expected:?}, found {found:?}"));
    }
    let limits = |limits: &BTreeSet<Limit>| format!("{limits:?}");
    if enumerated.limits != proof.limits {
        let (expected, found) = (limits(&enumerated.limits), limits(&proof.limits));
        return Err(format!("limits: expected {expected}, found {found}"));
    }
    if enumerated.undefined != proof.undefined {
        return Err(format!(
            "undefined: expected {:?}, found {:?}",
            enumerated.undefined, proof.undefined
        ));
    }
    Ok(())
}

fn signatures(found: &[Found], is_plain: bool) -> BTreeSet<Signature> {
    let signatures = found.iter().map(|found| {
        let signature = found.violation.signature();
        match signature.0 == ViolationKind::Deadlock && !is_plain {
            true => (signature.0, None, Vec::new()),
            false => signature,
        }
    });
    signatures.collect()
}
