//! The encoding by contexts as a subject of the comparison, and what holds of it alone.

use encode::{Asked, ByContexts, Encode, Encoding, Goals, NormalForms, Turns};
use fastrand::Rng;
use formula::Mode;
use std::collections::BTreeMap;

use crate::generator::Program;
use crate::handles;
use crate::oracle::{Subject, check_many};
use crate::simulator::Simulator;
use crate::solver::Solver;

const CONTEXTS: usize = 6;
const ROUNDS: usize = 3;

impl Subject for ByContexts {
    fn choose(&self, _program: &Program, rng: &mut Rng) -> Option<(ByContexts, usize)> {
        let (turns, bound) = match rng.u32(..3) {
            0 => (Turns::InRounds, rng.usize(1..=ROUNDS)),
            _ => (Turns::Free, rng.usize(1..=CONTEXTS)),
        };
        let subject = ByContexts {
            turns,
            normal_forms: self.normal_forms,
            formula: formula::Options {
                mode: [Mode::ByPolarity, Mode::Full][rng.usize(..2)],
                narrowing: rng.u32(..4) > 0,
            },
        };
        Some((subject, bound))
    }

    fn takes_dishonest(&self) -> bool {
        self.normal_forms == NormalForms::default()
    }

    fn needed(
        &self,
        simulator: &Simulator,
        inputs: &BTreeMap<u32, u128>,
        limit: usize,
    ) -> Option<usize> {
        match self.turns {
            Turns::Free => simulator.contexts_needed(inputs, false, limit),
            Turns::InRounds => {
                let n_threads = simulator.threads.threads.len();
                let needed = simulator.contexts_needed(inputs, true, limit * n_threads);
                needed.map(|contexts| contexts.div_ceil(n_threads))
            }
        }
    }

    /// Every number of contexts can be asked for, and the literals of the schedule mean
    /// what they say.
    fn check_further(&self, program: &Program, bound: usize) {
        let threads = &program.threads;
        let simulator = Simulator { threads };
        let mut solver = Solver::default();
        let goals = Goals::default();
        let encoding = self.encode(threads, bound, goals, &mut solver, &mut || true, None);
        let mut encoding = encoding.expect("nobody interrupts");
        let any_violation = encoding.any_violation(&mut solver);
        let in_rounds = self.turns == Turns::InRounds;
        let needed = (program.inputs.iter())
            .filter_map(|inputs| simulator.contexts_needed(inputs, in_rounds, encoding.contexts()))
            .min();
        for contexts in (0..=encoding.contexts()).rev() {
            let fewer = encoding.unused_from(contexts, &mut solver);
            let assumptions = [any_violation, fewer];
            let is_satisfiable = solver.is_satisfiable(&assumptions);
            let expected = needed.is_some_and(|needed| needed <= contexts);
            assert_eq!(is_satisfiable, expected, "with {contexts} contexts");
            if !is_satisfiable {
                break;
            }
            let model = encoding.model(threads, &|literal| solver.value(literal));
            assert_eq!(model.stretches.len(), encoding.contexts());
            let mut unused = model.stretches[contexts..].iter();
            assert!(unused.all(|stretch| stretch.positions.is_empty()));
            handles::check(threads, &mut encoding, &mut solver, &model, &assumptions);
        }
    }
}

fn compare(seed: u64, resume_for_conflict: bool, ordered_neighbours: bool) {
    let normal_forms = NormalForms {
        resume_for_conflict,
        ordered_neighbours,
    };
    let subject = ByContexts {
        normal_forms,
        ..ByContexts::default()
    };
    check_many(seed, 3000, &subject);
}

#[test]
fn agrees_with_enumeration() {
    compare(1, false, false);
}

#[test]
fn resume_for_conflict_is_complete() {
    compare(2, true, false);
}

#[test]
fn ordered_neighbours_is_complete() {
    compare(3, false, true);
}

#[test]
fn both_normal_forms_are_complete() {
    compare(4, true, true);
}
