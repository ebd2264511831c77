//! On random programs, the checker and the explorer agree.
//!
//! `cargo xtask oracle -- --seed 1000 --count 5000 --keep findings` tries other
//! programs than the usual ones.

use replay::{Config, InputKind, Property};
use tests::oracle::campaign::{self, Plan, Strategies};
use tests::oracle::{compare, generate};
use tests::{cases, run};

const FIRST_SEED: u64 = 0;
const COUNT: u64 = 200;

/// Of all questions, those to which the checker may have no answer.
const MOST_UNKNOWN: f64 = 0.02;

/// The same where it depends on what threads hold that still run in the end.
const MOST_UNKNOWN_LEAKS: f64 = 0.06;

/// The checker does not know what other threads than main register for the end of the
/// process.
const MOST_UNKNOWN_LIFECYCLES: f64 = 0.04;

/// Of one run; some loops wait for something that never comes.
const MOST_STEPS: u64 = 200;

/// Programs for each property other than assertions.
const COUNT_EACH: u64 = 150;

#[test]
fn the_checker_agrees_with_the_explorer() {
    agrees(Property::Assert, COUNT);
}

#[test]
fn they_agree_on_arithmetic() {
    agrees(Property::Arithmetic, COUNT_EACH);
}

#[test]
fn they_agree_on_overflow() {
    agrees(Property::Overflow, COUNT_EACH);
}

#[test]
fn they_agree_on_conversions() {
    agrees(Property::Conversion, COUNT_EACH);
}

#[test]
fn they_agree_on_memory() {
    agrees(Property::Memory, COUNT_EACH);
}

#[test]
fn they_agree_on_lost_memory() {
    agrees(Property::Leak, COUNT_EACH);
}

#[test]
fn they_agree_on_memory_not_freed() {
    agrees(Property::Cleanup, COUNT_EACH);
}

#[test]
fn they_agree_on_misuse() {
    agrees(Property::Misuse, COUNT_EACH);
}

#[test]
fn they_agree_on_unwinding() {
    agrees(Property::Unwind, COUNT_EACH);
}

#[test]
fn they_agree_on_races() {
    agrees(Property::Race, COUNT_EACH);
}

#[test]
fn they_agree_on_deadlocks() {
    agrees(Property::Deadlock, COUNT_EACH);
}

#[test]
fn they_agree_on_uninitialised_memory() {
    agrees(Property::Uninitialised, COUNT_EACH);
}

/// Threads outlive others, and any of them ends the process.
#[test]
fn they_agree_on_lifecycles() {
    let lifecycles = true;
    agrees_on(plan(Property::Assert, COUNT_EACH, lifecycles));
}

/// Futexes, clean-up handlers, cancelled threads and jumps.
#[test]
fn they_agree_on_idioms() {
    for property in [Property::Assert, Property::Deadlock] {
        agrees_on(Plan {
            idioms: true,
            ..plan(property, COUNT_EACH / 2, false)
        });
    }
}

fn agrees(property: Property, count: u64) {
    agrees_on(plan(property, count, false));
}

fn plan(property: Property, count: u64, lifecycles: bool) -> Plan {
    Plan {
        property,
        first_seed: FIRST_SEED,
        count,
        jobs: 2,
        keep: None,
        time: None,
        strategies: Strategies::default(),
        malloc_may_fail: false,
        default_checks: false,
        lifecycles,
        idioms: false,
    }
}

fn agrees_on(plan: Plan) {
    let (property, count, lifecycles) = (plan.property, plan.count, plan.lifecycles);
    let tally = campaign::run(&plan, &|_| {});
    assert_eq!(tally.programs, count);
    let findings = tally.disagreements.iter();
    let findings: Vec<String> = findings
        .map(|finding| format!("{finding}\n{}", finding.program.print()))
        .collect();
    assert!(
        findings.is_empty(),
        "{} disagreements:\n\n{}",
        findings.len(),
        findings.join("\n\n")
    );
    let violated: u64 = tally.violated.values().sum();
    let skipped: u64 = tally.skipped.values().sum();
    // Else the programs do not say much.
    assert!(violated > count / 4 && tally.clean > count / 5, "{tally}");
    assert!(skipped < count / 10, "{tally}");
    let most_unknown = match property {
        Property::Leak => MOST_UNKNOWN_LEAKS,
        _ if lifecycles => MOST_UNKNOWN_LIFECYCLES,
        _ => MOST_UNKNOWN,
    };
    assert!(tally.unknown_share() <= most_unknown, "{tally}");
}

/// Values that inputs may take are only known for those that a program asks for
/// itself. Memory that was never written would be another kind.
#[test]
fn generated_programs_have_no_other_inputs() {
    let seeds: Vec<u64> = (0..150).collect();
    let name = |seed: &u64| format!("seed {seed}");
    cases::check_all(&seeds, name, |seed| {
        let program = generate::program(*seed);
        // What such a program does with what was never written is known.
        let is_partly_initialised = program.features.contains("partly initialised");
        let program = compare::load(&program, Property::Assert)?;
        let config = Config::default();
        let image = run::image(&program, &config)?;
        for schedule in 0..10 {
            let is_traced = false;
            let result = replay::run_random(
                &image,
                &config,
                0,
                schedule,
                MOST_STEPS,
                is_traced,
                &mut |_| true,
            );
            for input in &result.schedule.inputs {
                let is_known = [InputKind::Nondet, InputKind::Waiter, InputKind::Address]
                    .contains(&input.kind);
                let is_expected = is_partly_initialised && input.kind == InputKind::Uninitialised;
                if !is_known && !is_expected {
                    return Err(format!("an input of kind '{}'", input.kind.name()));
                }
            }
        }
        Ok(())
    });
}
