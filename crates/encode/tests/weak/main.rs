//! The encoding by order under weak memory models, compared with enumeration on generated
//! threads: for each outcome that a program could have if reads saw anything, whether the
//! model has it; and whether there is a data race.
//!
//! The enumerations share nothing with the encoding. For store buffers they are machines
//! with buffers (`buffers.rs`); for RC11 all graphs, with the relations of the paper over
//! reads and writes (`graphs.rs`).

mod buffers;
mod graphs;
mod program;

use encode::{Asked, ByOrder, Encode, Encoding, Goals, InOrder};
use fastrand::Rng;
use program::{Outcome, Program};
use solve::{Budget, Cadical, ClauseSink, KeepOrder, Literal, SatSolver};
use std::collections::BTreeSet;
use unfold::{MemoryModel, Threads};

/// Outcomes that are asked about, of one program.
const QUESTIONS: usize = 40;

/// Whether a solver finds something, until there is nothing against what it finds.
fn is_found(encoding: &impl Encoding, solver: &mut Cadical, assumptions: &[Literal]) -> bool {
    loop {
        if let Some(order) = encoding.event_order() {
            solver.keep(order);
        }
        match solver.solve(assumptions, &Budget::default()) {
            solve::Outcome::Unsatisfiable => return false,
            solve::Outcome::Unknown(reason) => panic!("the solver gave up: {reason}"),
            solve::Outcome::Satisfiable => {}
        }
        let objections = encoding.objections(&|literal| solver.value(literal));
        let is_false = |literal: &Literal| solver.value(*literal) == Some(false);
        let is_excluded = objections.iter().any(|clause| clause.iter().all(is_false));
        if objections.is_empty() {
            return true;
        }
        assert!(is_excluded, "what is objected to should be excluded");
        for clause in &objections {
            solver.add_clause(clause);
        }
    }
}

fn encode(threads: &Threads, model: MemoryModel, goals: Goals, solver: &mut Cadical) -> InOrder {
    let kind = ByOrder {
        model,
        ..ByOrder::default()
    };
    let encoding = kind.encode(threads, 0, goals, solver, &mut || true, None);
    encoding.expect("nobody interrupts")
}

/// Compares the outcomes of a program with those of an enumeration.
fn compare(program: &Program, model: MemoryModel, expected: &BTreeSet<Outcome>, rng: &mut Rng) {
    let mut asked: Vec<Outcome> = graphs::candidates(program).into_iter().collect();
    rng.shuffle(&mut asked);
    asked.truncate(QUESTIONS);
    let threads = program.threads(&asked);
    let mut solver = Cadical::default();
    let mut encoding = encode(&threads, model, Goals::default(), &mut solver);
    for (index, outcome) in asked.iter().enumerate() {
        let violation = encoding.violation(index, &mut solver);
        let is_found = is_found(&encoding, &mut solver, &[violation]);
        assert_eq!(
            is_found,
            expected.contains(outcome),
            "{model:?} {outcome:?} of\n{program}"
        );
        if is_found {
            let model = encoding.model(&threads, &|literal| solver.value(literal));
            assert!(
                model.found.is_some(),
                "the run should show it: {outcome:?} of\n{program}"
            );
        }
    }
}

#[test]
fn total_store_order_is_a_machine_with_buffers() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..400 {
        let program = Program::random(&mut rng);
        let expected = buffers::outcomes(&program, false);
        compare(&program, MemoryModel::Tso, &expected, &mut rng);
    }
}

#[test]
fn partial_store_order_is_a_machine_with_buffers() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..400 {
        let program = Program::random(&mut rng);
        let expected = buffers::outcomes(&program, true);
        compare(&program, MemoryModel::Pso, &expected, &mut rng);
    }
}

#[test]
fn rc11_is_what_its_axioms_say() {
    let mut rng = Rng::with_seed(3);
    for _ in 0..600 {
        let program = Program::random(&mut rng);
        let expected = graphs::outcomes(&program);
        compare(&program, MemoryModel::Rc11, &expected.outcomes, &mut rng);
    }
}

#[test]
fn sequential_consistency_is_within_all() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..200 {
        let program = Program::random(&mut rng);
        let sequential = buffers::sequential(&program);
        let total = buffers::outcomes(&program, false);
        let partial = buffers::outcomes(&program, true);
        assert!(sequential.is_subset(&total) && total.is_subset(&partial));
        assert!(sequential.is_subset(&graphs::outcomes(&program).outcomes));
        compare(&program, MemoryModel::Sc, &sequential, &mut rng);
    }
}

#[test]
fn races_are_what_nothing_orders() {
    let mut rng = Rng::with_seed(5);
    let (mut racy, mut others) = (0, 0);
    for _ in 0..600 {
        let program = Program::random(&mut rng);
        let expected = graphs::outcomes(&program).has_race;
        let threads = program.threads(&[]);
        let mut solver = Cadical::default();
        let goals = Goals {
            races: true,
            ..Goals::default()
        };
        let mut encoding = encode(&threads, MemoryModel::Rc11, goals, &mut solver);
        let any = encoding.any_violation(&mut solver);
        let is_found = is_found(&encoding, &mut solver, &[any]);
        assert_eq!(is_found, expected, "{program}");
        match expected {
            true => racy += 1,
            false => others += 1,
        }
    }
    assert!(racy > 50 && others > 50, "{racy} and {others}");
}
