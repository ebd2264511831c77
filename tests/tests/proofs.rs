//! The prover finds what the plain enumeration finds, on random programs, with its
//! reductions and without.
//!
//! `cargo xtask oracle -- --proofs --count 5000 --keep findings` tries more.

use replay::Property;
use tests::oracle::proofs::{Answer, compare, variants};

/// Programs for each property.
const COUNT: u64 = 60;

fn agrees(property: Property) {
    let mut proved = 0;
    let mut violated = 0;
    for seed in 0..COUNT {
        match compare(property, seed, &variants()) {
            Ok(Answer::Proved) => proved += 1,
            Ok(Answer::Violated) => violated += 1,
            Ok(Answer::Limited | Answer::Skipped) => {}
            Err(what) => panic!("seed {seed}: {what}"),
        }
    }
    assert!(violated > 0, "no program is violated");
    assert!(
        proved + violated > COUNT / 10,
        "hardly any program says anything"
    );
}

#[test]
fn on_assertions() {
    agrees(Property::Assert);
}

#[test]
fn on_deadlocks() {
    agrees(Property::Deadlock);
}

#[test]
fn on_races() {
    agrees(Property::Race);
}

#[test]
fn on_memory() {
    agrees(Property::Memory);
}

#[test]
fn on_lost_memory() {
    agrees(Property::Leak);
}

#[test]
fn on_memory_not_freed() {
    agrees(Property::Cleanup);
}

#[test]
fn on_uninitialised_memory() {
    agrees(Property::Uninitialised);
}

#[test]
fn on_misuse() {
    agrees(Property::Misuse);
}

#[test]
fn on_arithmetic() {
    agrees(Property::Arithmetic);
}

#[test]
fn on_overflow() {
    agrees(Property::Overflow);
}
