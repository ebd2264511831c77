//! How a search ends early, what is left of it, and how it goes on.

mod common;

use common::{Case, Shape, make, search, search_with, small};
use fastrand::Rng;
use search::{
    Checkpoint, CheckpointError, ContextSchedule, Duty, Identity, Options, Outcome, Problem, Seat,
    Slice, Strategy, Tiling,
};
use solve::{
    Budget, Cadical, ClauseList, ClauseSink, Interrupter, Literal, Reason, SatSolver, ShareClauses,
    Simplify, Statistics, Variable,
};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Far more than stopping takes, even on a busy machine.
const SOON: Duration = Duration::from_secs(60);

/// Takes hours: more pigeons than holes. The schedule has nothing to do with it.
fn hard() -> Case {
    let mut rng = Rng::with_seed(1);
    let shape = Shape {
        contexts: 4,
        is_round_robin: false,
        lengths: vec![3, 3, 3],
        wishes: 0,
    };
    let mut case = make(&shape, &mut rng);
    let holes = 13;
    let clauses = &mut case.problem.clauses;
    let mut sits = Vec::new();
    for _ in 0..=holes {
        let row: Vec<Literal> = (0..holes)
            .map(|_| clauses.new_variable().positive())
            .collect();
        clauses.add_clause(&row);
        sits.push(row);
    }
    for (index, one) in sits.iter().enumerate() {
        for other in &sits[..index] {
            for (one, other) in one.iter().zip(other) {
                clauses.add_clause(&[!*one, !*other]);
            }
        }
    }
    case
}

fn all() -> Vec<Strategy> {
    vec![
        Strategy::Whole,
        Strategy::Partition(Slice::all(3)),
        Strategy::Cubes,
        Strategy::Swarm(Tiling::default()),
        Strategy::Lazy,
        Strategy::Widen,
    ]
}

#[test]
fn the_user_stops_all_cores() {
    for strategy in all() {
        let start = Instant::now();
        let options = Options {
            cores: 3,
            ..Options::default()
        };
        let report = search(hard(), &strategy, &options, None, &mut |progress| {
            assert!(progress.cores <= 3);
            start.elapsed() < Duration::from_millis(300)
        });
        let reason = match report.outcome {
            Outcome::Stopped(reason) => reason,
            outcome => panic!("{strategy:?}: {outcome:?}"),
        };
        assert_eq!(reason, Reason::Interrupted, "{strategy:?}");
        assert!(start.elapsed() < SOON, "{strategy:?}");
    }
}

#[test]
fn time_and_memory_hold_for_all_cores() {
    for strategy in all() {
        let start = Instant::now();
        let options = Options {
            cores: 2,
            deadline: Some(start + Duration::from_millis(200)),
            ..Options::default()
        };
        let report = search(hard(), &strategy, &options, None, &mut |_| true);
        let Outcome::Stopped(reason) = report.outcome else {
            panic!("{strategy:?}: {:?}", report.outcome);
        };
        assert_eq!(reason, Reason::Deadline, "{strategy:?}");
        assert!(start.elapsed() < SOON, "{strategy:?}");

        if solve::memory::resident().is_none() {
            continue;
        }
        let options = Options {
            cores: 2,
            memory: Some(1),
            ..Options::default()
        };
        let report = search(hard(), &strategy, &options, None, &mut |_| true);
        let Outcome::Stopped(reason) = report.outcome else {
            panic!("{strategy:?}: {:?}", report.outcome);
        };
        assert_eq!(reason, Reason::Memory, "{strategy:?}");
    }
}

/// What one question about everything says.
fn whole(case: &Case) -> Outcome {
    let options = Options::default();
    search(case.clone(), &Strategy::Whole, &options, None, &mut |_| {
        true
    })
    .outcome
}

/// A solver that ends at its n-th call.
struct Mortal {
    solver: Cadical,
    calls: u32,
    end: End,
}

#[derive(Clone, Copy)]
enum End {
    Fails,
    Panics,
    /// Needs more than its budget, however often it is asked.
    Tires,
}

impl ClauseSink for Mortal {
    fn new_variable(&mut self) -> Variable {
        self.solver.new_variable()
    }
    fn add_clause(&mut self, clause: &[Literal]) {
        self.solver.add_clause(clause);
    }
}

impl SatSolver for Mortal {
    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> solve::Outcome {
        if self.calls == 0 {
            let reason = "as the test wants it";
            return solve::Outcome::Unknown(match self.end {
                End::Fails => Reason::SolverDied(reason.to_owned()),
                End::Panics => panic!("{reason}"),
                End::Tires => {
                    std::thread::sleep(Duration::from_millis(1));
                    Reason::Conflicts
                }
            });
        }
        self.calls -= 1;
        self.solver.solve(assumptions, budget)
    }
    fn value(&self, literal: Literal) -> Option<bool> {
        self.solver.value(literal)
    }
    fn failed(&self) -> &[Literal] {
        self.solver.failed()
    }
    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
    fn interrupter(&self) -> Interrupter {
        self.solver.interrupter()
    }
    fn sharing(&mut self) -> Option<&mut dyn ShareClauses> {
        self.solver.sharing()
    }
    fn simplifying(&mut self) -> Option<&mut dyn Simplify> {
        self.solver.simplifying()
    }
}

#[test]
fn a_core_that_fails_gives_its_work_back() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let whole = whole(&case);
        for strategy in all() {
            // All but the last core fail sooner or later.
            let make = |seat: Seat| -> Box<dyn SatSolver> {
                Box::new(Mortal {
                    solver: Cadical::new(),
                    calls: if seat.core == 2 {
                        u32::MAX
                    } else {
                        seed as u32 % 4
                    },
                    end: End::Fails,
                })
            };
            let options = Options {
                cores: 3,
                cube_conflicts: 1,
                ..Options::default()
            };
            let report = search_with(&make, case.clone(), &strategy, &options, None, &mut |_| {
                true
            });
            match (&report.outcome, &whole) {
                (Outcome::Found(_), Outcome::Found(_)) | (Outcome::None, Outcome::None) => {}
                (outcome, _) => panic!("seed {seed}, {strategy:?}: {outcome:?}"),
            }
        }
    }
}

/// Only solvers of the simplified formula answer.
#[test]
fn cores_go_on_with_a_simplified_formula() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..60 {
        let start = Instant::now();
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let whole = whole(&case);
        let make = |seat: Seat| -> Box<dyn SatSolver> {
            Box::new(Mortal {
                solver: Cadical::new(),
                calls: if seat.duty == Duty::Search {
                    0
                } else {
                    u32::MAX
                },
                end: End::Tires,
            })
        };
        let options = Options {
            cores: 2,
            cube_conflicts: 1,
            patience: Duration::ZERO,
            ..Options::default()
        };
        let report = search_with(
            &make,
            case.clone(),
            &Strategy::Cubes,
            &options,
            None,
            &mut |_| start.elapsed() < SOON,
        );
        match (&report.outcome, &whole) {
            (Outcome::Found(model), Outcome::Found(_)) => {
                let is_true = |literal| model.value(literal) == Some(true);
                assert!(is_true(case.problem.query), "seed {seed}");
                assert_eq!(
                    case.problem.clauses.first_violated(is_true),
                    None,
                    "seed {seed}"
                );
                found += 1;
            }
            (Outcome::None, Outcome::None) => none += 1,
            (outcome, _) => panic!("seed {seed}: {outcome:?}"),
        }
        assert!(report.statistics.is_simplified);
    }
    assert!(found > 10 && none > 10, "{found} found, {none} not");
}

/// The solver that all instances share answers nothing.
#[test]
fn hard_instances_get_solvers_of_their_own() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..60 {
        let start = Instant::now();
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let whole = whole(&case);
        let made = AtomicU32::new(0);
        let make = |_: Seat| -> Box<dyn SatSolver> {
            let is_first = made.fetch_add(1, Ordering::SeqCst) == 0;
            Box::new(Mortal {
                solver: Cadical::new(),
                calls: if is_first { 0 } else { u32::MAX },
                end: End::Tires,
            })
        };
        let tiling = Tiling {
            tile_size: Some(2),
            ..Tiling::default()
        };
        let report = search_with(
            &make,
            case.clone(),
            &Strategy::Swarm(tiling),
            &Options::default(),
            None,
            &mut |_| start.elapsed() < SOON,
        );
        match (&report.outcome, &whole) {
            (Outcome::Found(_), Outcome::Found(_)) => found += 1,
            (Outcome::None, Outcome::None) => none += 1,
            (outcome, _) => panic!("seed {seed}: {outcome:?}"),
        }
    }
    assert!(found > 10 && none > 10, "{found} found, {none} not");
}

#[test]
fn without_cores_there_is_no_answer() {
    for end in [End::Fails, End::Panics] {
        let make = |_: Seat| -> Box<dyn SatSolver> {
            Box::new(Mortal {
                solver: Cadical::new(),
                calls: 0,
                end,
            })
        };
        let options = Options {
            cores: 2,
            ..Options::default()
        };
        for strategy in all() {
            let report = search_with(&make, hard(), &strategy, &options, None, &mut |_| true);
            let Outcome::Stopped(reason) = report.outcome else {
                panic!("{strategy:?}: {:?}", report.outcome);
            };
            let Reason::SolverDied(what) = reason else {
                panic!("{strategy:?}: {reason}");
            };
            assert!(what.contains("as the test wants it"), "{what}");
            assert!(!report.statistics.failures.is_empty());
        }
    }
}

fn identity(strategy: &str) -> Identity {
    Identity {
        program: "p".to_owned(),
        bounds: "b".to_owned(),
        strategy: strategy.to_owned(),
    }
}

fn open(path: &Path, strategy: &Strategy) -> Checkpoint {
    Checkpoint::open(path, identity(strategy.name()), None).expect("the checkpoint should fit")
}

/// Stops again and again after a few calls, each time with other solvers, and
/// goes on from the file.
#[test]
fn a_search_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().expect("there should be a temporary folder");
    let mut resumed = 0;
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let whole = whole(&case);
        let expected = matches!(whole, Outcome::Found(_));
        for strategy in all().iter().filter(|strategy| strategy.has_checkpoints()) {
            let path = folder.path().join(format!("{}-{seed}", strategy.name()));
            let options = Options {
                cores: 2,
                cube_conflicts: 0,
                seed,
                ..Options::default()
            };
            let mut rounds = 0;
            let outcome = loop {
                rounds += 1;
                let lives = if rounds > 200 {
                    u32::MAX
                } else {
                    rng.u32(1..4)
                };
                let make = |_: Seat| -> Box<dyn SatSolver> {
                    Box::new(Mortal {
                        solver: Cadical::new(),
                        calls: lives,
                        end: End::Fails,
                    })
                };
                let checkpoint = open(&path, strategy);
                let case = case.clone();
                let report = search_with(
                    &make,
                    case,
                    strategy,
                    &options,
                    Some(checkpoint),
                    &mut |_| true,
                );
                match report.outcome {
                    Outcome::Stopped(_) => resumed += 1,
                    outcome => break outcome,
                }
            };
            assert!(rounds <= 200, "seed {seed}, {strategy:?}: no progress");
            match outcome {
                Outcome::Found(_) => assert!(expected, "seed {seed}, {strategy:?}"),
                Outcome::None => assert!(!expected, "seed {seed}, {strategy:?}"),
                outcome => panic!("seed {seed}, {strategy:?}: {outcome:?}"),
            }
            if !expected {
                // All is closed by now: nobody has to be asked again.
                let checkpoint = Some(open(&path, strategy));
                let again = search_with(
                    &|_| panic!("there should be nothing to ask"),
                    case.clone(),
                    strategy,
                    &options,
                    checkpoint,
                    &mut |_| true,
                );
                let is_shared = matches!(strategy, Strategy::Swarm(_));
                assert!(
                    matches!(again.outcome, Outcome::None) || is_shared,
                    "seed {seed}, {strategy:?}: {:?}",
                    again.outcome
                );
            }
        }
    }
    assert!(resumed > 100, "{resumed}");
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let folder = tempfile::tempdir().expect("there should be a temporary folder");
    let path = folder.path().join("checkpoint");
    let clauses = {
        let mut clauses = ClauseList::new();
        let truth = clauses.new_variable().positive();
        clauses.add_clause(&[truth]);
        clauses
    };
    let truth = Literal::from_dimacs(1).expect("1 should be a literal");
    let case = Case {
        problem: Problem {
            clauses,
            query: !truth,
            parts: Vec::new(),
        },
        schedule: ContextSchedule {
            truth,
            run: vec![vec![truth]],
            unused_from: vec![!truth, truth],
            threads: vec![search::Thread::default()],
        },
    };
    let checkpoint = Checkpoint::open(&path, identity("cubes"), None).expect("none is there yet");
    assert_eq!(checkpoint.n_closed(), 0);
    let report = search(
        case,
        &Strategy::Cubes,
        &Options::default(),
        Some(checkpoint),
        &mut |_| true,
    );
    assert!(matches!(report.outcome, Outcome::None));
    let again = Checkpoint::open(&path, identity("cubes"), None).expect("it is the same");
    assert_eq!(again.n_closed(), 1);

    let misfit = Checkpoint::open(&path, identity("lazy"), None);
    assert!(matches!(
        misfit,
        Err(CheckpointError::Misfit {
            what: "strategy",
            ..
        })
    ));
    std::fs::write(&path, "{}").expect("the file should be writable");
    let malformed = Checkpoint::open(&path, identity("cubes"), None);
    assert!(matches!(malformed, Err(CheckpointError::Malformed { .. })));
}
