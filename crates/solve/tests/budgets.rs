//! Calls that end early, and what can still be done after them.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::pigeonhole;
use solve::{Budget, Cadical, ClauseSink, Outcome, Reason, SatSolver};

/// Far more than any of the calls here takes, even on a busy machine, and far
/// less than solving the formula would.
const SOON: Duration = Duration::from_secs(60);

/// A formula that takes hours.
fn hard() -> Cadical {
    let mut solver = Cadical::new();
    pigeonhole(14, &mut solver);
    solver
}

fn check_stops(budget: &Budget, expected: &Reason) {
    let mut solver = hard();
    let start = Instant::now();
    assert_eq!(
        solver.solve(&[], budget),
        Outcome::Unknown(expected.clone()),
        "{budget:?}"
    );
    assert!(
        start.elapsed() < SOON,
        "{budget:?} took {:?}",
        start.elapsed()
    );
}

#[test]
fn each_limit_is_told_apart() {
    let none = Budget::default();
    check_stops(
        &Budget {
            conflicts: Some(0),
            ..none.clone()
        },
        &Reason::Conflicts,
    );
    check_stops(
        &Budget {
            conflicts: Some(500),
            ..none.clone()
        },
        &Reason::Conflicts,
    );
    check_stops(
        &Budget {
            decisions: Some(0),
            ..none.clone()
        },
        &Reason::Decisions,
    );
    check_stops(
        &Budget {
            decisions: Some(500),
            ..none.clone()
        },
        &Reason::Decisions,
    );
    let generous = Budget {
        conflicts: Some(u64::MAX),
        decisions: Some(u64::MAX),
        ..none.clone()
    };
    check_stops(
        &Budget {
            conflicts: Some(100),
            ..generous.clone()
        },
        &Reason::Conflicts,
    );
    check_stops(
        &Budget {
            decisions: Some(100),
            ..generous.clone()
        },
        &Reason::Decisions,
    );
    for patience in [0, 200] {
        let deadline = Instant::now() + Duration::from_millis(patience);
        check_stops(
            &Budget {
                deadline: Some(deadline),
                ..generous.clone()
            },
            &Reason::Deadline,
        );
    }
    if cfg!(target_os = "linux") {
        check_stops(
            &Budget {
                memory: Some(1),
                ..generous
            },
            &Reason::Memory,
        );
    }
}

#[test]
fn memory_is_watched_while_solving() {
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: this system does not tell the resident memory");
        return;
    }
    // Grows past the limit from another thread, as another worker would.
    let mut solver = hard();
    let limit = 1 << 28;
    let mut ballast = Vec::new();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            ballast = vec![1_u8; limit];
        });
        solver.solve(
            &[],
            &Budget {
                memory: Some(limit as u64),
                ..Budget::default()
            },
        )
    });
    assert_eq!(outcome, Outcome::Unknown(Reason::Memory));
    assert_eq!(ballast.len(), limit);
}

#[test]
fn a_limit_holds_for_one_call() {
    let mut solver = Cadical::new();
    pigeonhole(8, &mut solver);
    let little = Budget {
        conflicts: Some(50),
        ..Budget::default()
    };
    for _ in 0..3 {
        assert_eq!(
            solver.solve(&[], &little),
            Outcome::Unknown(Reason::Conflicts)
        );
        assert_eq!(solver.failed(), []);
    }
    let before = solver.statistics();
    assert_eq!(
        solver.solve(&[], &Budget::default()),
        Outcome::Unsatisfiable
    );
    let after = solver.statistics();
    assert_eq!((before.solves, after.solves), (3, 4));
    assert!(before.conflicts < after.conflicts && before.time < after.time);
}

#[test]
fn a_limit_does_not_change_the_answer() {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..300 {
        let cnf = common::random_formula(random.u32(8..=16), &mut random);
        let models = common::Models::of(&cnf);
        let mut solver = Cadical::new();
        cnf.copy_to(&mut solver);
        let assumptions = common::random_assumptions(cnf.variable_count(), &mut random);
        let few = Some(random.u64(0..4));
        let budget = Budget {
            conflicts: few,
            decisions: few,
            ..Budget::default()
        };
        let mut outcome = solver.solve(&assumptions, &budget);
        if matches!(outcome, Outcome::Unknown(_)) {
            assert!(
                cnf.variables()
                    .all(|v| solver.value(v.positive()).is_none())
            );
            outcome = solver.solve(&assumptions, &Budget::default());
        }
        common::check_result(&solver, &outcome, &cnf, &models, &assumptions);
    }
}

#[test]
fn interruption_from_another_thread() {
    let mut solver = hard();
    let interrupter = solver.interrupter();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            interrupter.interrupt();
        });
        let outcome = solver.solve(&[], &Budget::default());
        assert_eq!(outcome, Outcome::Unknown(Reason::Interrupted));
    });
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());

    // It lasts until cleared, and does no harm afterwards.
    let goal = solver.new_variable().positive();
    assert_eq!(
        solver.solve(&[], &Budget::default()),
        Outcome::Unknown(Reason::Interrupted)
    );
    interrupter.clear();
    solver.add_clause(&[goal]);
    let outcome = solver.solve(&[!goal], &Budget::default());
    assert_eq!(outcome, Outcome::Unsatisfiable);
    assert_eq!(solver.failed(), [!goal]);
}

#[test]
fn interruption_while_simplifying() {
    // Large and easy to satisfy: most of the time goes into simplification.
    let mut random = fastrand::Rng::with_seed(6);
    let variables = 100_000;
    let mut solver = Cadical::new();
    for _ in 0..variables {
        solver.new_variable();
    }
    for _ in 0..variables * 4 {
        let clause = [(); 3].map(|()| common::random_literal(variables, &mut random));
        solver.add_clause(&clause);
    }
    let interrupter = solver.interrupter();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            interrupter.interrupt();
        });
        let outcome = solver.solve(&[], &Budget::default());
        assert!(!matches!(outcome, Outcome::Unsatisfiable), "{outcome:?}");
    });
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}
