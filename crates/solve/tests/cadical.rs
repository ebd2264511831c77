//! CaDiCaL's answers compared with truth tables.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{
    Models, check_result, pigeonhole, random_3sat, random_assumptions, random_clause,
    random_formula,
};
use solve::{
    Budget, Cadical, ClauseList, ClauseSink, Literal, Outcome, Phases, Reason, SatSolver,
    ShareClauses, Simplify, Variable,
};

fn solve(solver: &mut impl SatSolver, assumptions: &[Literal]) -> Outcome {
    solver.solve(assumptions, &Budget::default())
}

/// A solver that must search, where the default would often find the answer
/// of a tiny formula by simplification alone.
fn plain_search(seed: u64) -> Cadical {
    let mut solver = Cadical::new();
    for option in ["lucky", "walk", "elim", "probe", "congruence", "sweep"] {
        solver.set_option(option, 0).unwrap();
    }
    solver.set_seed(seed).unwrap();
    solver
}

#[test]
fn the_empty_formula_and_the_empty_clause() {
    let mut solver = Cadical::new();
    assert_eq!(solve(&mut solver, &[]), Outcome::Satisfiable);
    let a = solver.new_variable().positive();
    assert_eq!(
        solver.value(a),
        None,
        "a variable younger than the model has no value"
    );
    assert_eq!(solve(&mut solver, &[a]), Outcome::Satisfiable);
    assert_eq!(
        (solver.value(a), solver.value(!a)),
        (Some(true), Some(false))
    );
    assert_eq!(solve(&mut solver, &[a, !a]), Outcome::Unsatisfiable);
    assert!(!solver.failed().is_empty());
    solver.add_clause(&[]);
    assert_eq!(solve(&mut solver, &[a]), Outcome::Unsatisfiable);
    assert_eq!(solver.value(a), None);
}

#[test]
fn pigeons_do_not_fit() {
    for holes in 1..=7 {
        let mut solver = Cadical::new();
        pigeonhole(holes, &mut solver);
        assert_eq!(
            solve(&mut solver, &[]),
            Outcome::Unsatisfiable,
            "{holes} holes"
        );
        assert_eq!(solver.failed(), []);
    }
}

#[test]
fn random_formulas_with_random_assumptions() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut satisfiable, mut unsatisfiable, mut blamed) = (0, 0, 0);
    for round in 0..4000 {
        let variables = random.u32(1..=14);
        let cnf = match round % 4 {
            0 | 1 => random_3sat(variables, &mut random),
            _ => random_formula(variables, &mut random),
        };
        let models = Models::of(&cnf);
        let mut solver = if round % 2 == 0 {
            Cadical::new()
        } else {
            plain_search(random.u64(..))
        };
        cnf.copy_to(&mut solver);
        for _ in 0..3 {
            let assumptions = random_assumptions(variables, &mut random);
            let outcome = solve(&mut solver, &assumptions);
            check_result(&solver, &outcome, &cnf, &models, &assumptions);
            match outcome {
                Outcome::Satisfiable => satisfiable += 1,
                _ => unsatisfiable += 1,
            }
            blamed += usize::from(!solver.failed().is_empty());
        }
    }
    // The formulas are worth nothing if they are all alike.
    assert!(satisfiable > 2000 && unsatisfiable > 2000 && blamed > 1000);
}

#[test]
fn simplified_formulas_say_the_same_of_what_is_kept() {
    let mut random = fastrand::Rng::with_seed(8);
    let (mut satisfiable, mut unsatisfiable, mut gone) = (0, 0, 0);
    for round in 0..2000 {
        let variables = random.u32(1..=14);
        let cnf = match round % 4 {
            0 | 1 => random_3sat(variables, &mut random),
            _ => random_formula(variables, &mut random),
        };
        let models = Models::of(&cnf);
        let keep = random_assumptions(variables, &mut random);
        let mut solver = Cadical::new();
        cnf.copy_to(&mut solver);
        let simplified = solver.simplified(&keep, &Budget::default()).unwrap();
        assert_eq!(simplified.variable_count(), cnf.variable_count());
        for clause in simplified.clauses() {
            assert!(models.imply(clause), "{clause:?} of {cnf:?}");
        }
        let is_left = |literal: &Literal| {
            let mut literals = simplified.clauses().flatten().chain(&keep);
            literals.any(|other| other.variable() == literal.variable())
        };
        let mut other = Cadical::new();
        simplified.copy_to(&mut other);
        for _ in 0..3 {
            let signs = keep.iter().map(|literal| [*literal, !*literal]);
            let signs = signs.map(|both| both[random.usize(..2)]);
            let assumptions: Vec<Literal> = signs.collect();
            let is_possible = !models.under(&assumptions).is_empty();
            let expected = match is_possible {
                true => Outcome::Satisfiable,
                false => Outcome::Unsatisfiable,
            };
            assert_eq!(solve(&mut other, &assumptions), expected, "{cnf:?}");
            if is_possible {
                let all = cnf.variables().map(|variable| variable.positive());
                let left: Vec<Literal> = all.filter(is_left).collect();
                gone += cnf.variables().count() - left.len();
                let values = left.iter().map(|literal| match other.value(*literal) {
                    Some(false) => !*literal,
                    _ => *literal,
                });
                let values: Vec<Literal> = values.collect();
                assert!(!models.under(&values).is_empty(), "{cnf:?}");
                satisfiable += 1;
            } else {
                unsatisfiable += 1;
            }
        }
    }
    assert!(satisfiable > 1000 && unsatisfiable > 1000 && gone > 1000);
}

#[test]
fn simplification_can_be_stopped() {
    let mut random = fastrand::Rng::with_seed(9);
    let cnf = random_3sat(2000, &mut random);
    let mut solver = Cadical::new();
    cnf.copy_to(&mut solver);
    solver.interrupter().interrupt();
    let stopped = solver.simplified(&[], &Budget::default());
    assert_eq!(stopped, Err(Reason::Interrupted));
}

#[test]
fn clauses_and_variables_added_between_calls() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..400 {
        let mut solver = Cadical::new();
        let mut cnf = ClauseList::new();
        for _ in 0..12 {
            if cnf.variable_count() < 14 {
                for _ in 0..random.u32(1..=2) {
                    assert_eq!(cnf.new_variable(), solver.new_variable());
                }
            }
            for _ in 0..random.u32(0..10) {
                let clause = random_clause(cnf.variable_count(), &mut random);
                cnf.add_clause(&clause);
                solver.add_clause(&clause);
            }
            let assumptions = random_assumptions(cnf.variable_count(), &mut random);
            let outcome = solve(&mut solver, &assumptions);
            check_result(&solver, &outcome, &cnf, &Models::of(&cnf), &assumptions);
        }
    }
}

#[test]
fn a_result_stays_while_the_next_query_is_built() {
    let mut solver = Cadical::new();
    let [a, b] = [(); 2].map(|()| solver.new_variable().positive());
    solver.add_clause(&[a, b]);
    // Excludes one model after the other, reading each while it is excluded.
    let mut models = 0;
    while solve(&mut solver, &[]) == Outcome::Satisfiable {
        models += 1;
        let different = [a, b].map(|literal| {
            let true_there = solver.value(literal).unwrap();
            if true_there { !literal } else { literal }
        });
        solver.new_variable();
        solver.add_clause(&different);
        assert!(
            different
                .iter()
                .all(|literal| solver.value(*literal) == Some(false))
        );
    }
    assert_eq!(models, 3);
    let statistics = solver.statistics();
    assert_eq!(
        (statistics.variables, statistics.clauses, statistics.solves),
        (5, 4, 4)
    );
}

#[test]
fn preferred_values_are_found() {
    for value in [false, true] {
        let mut solver = plain_search(0);
        let literals: Vec<Literal> = (0..50).map(|_| solver.new_variable().positive()).collect();
        for pair in literals.windows(2) {
            // Equal neighbours: both the all-true and the all-false assignment.
            solver.add_clause(&[pair[0], !pair[1]]);
            solver.add_clause(&[!pair[0], pair[1]]);
        }
        let preferred = |literal: Literal| if value { literal } else { !literal };
        for literal in &literals {
            solver.prefer(preferred(!*literal));
            solver.forget_preference(*literal);
            solver.prefer(preferred(*literal));
        }
        assert_eq!(solve(&mut solver, &[]), Outcome::Satisfiable);
        assert!(
            literals
                .iter()
                .all(|literal| solver.value(*literal) == Some(value))
        );
    }
}

type Shared = Arc<Mutex<Vec<Vec<Literal>>>>;

fn collect_learnt(solver: &mut impl ShareClauses, max_length: usize) -> Shared {
    let shared = Shared::default();
    let sink = Arc::clone(&shared);
    solver.on_learnt(
        max_length,
        Box::new(move |clause| sink.lock().unwrap().push(clause.to_vec())),
    );
    shared
}

#[test]
fn learnt_clauses_follow_from_the_formula() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut learnt = 0;
    for round in 0..400 {
        let cnf = random_3sat(random.u32(14..=18), &mut random);
        let models = Models::of(&cnf);
        let mut solver = if round % 2 == 0 {
            Cadical::new()
        } else {
            plain_search(random.u64(..))
        };
        let max_length = random.usize(2..9);
        let shared = collect_learnt(&mut solver, max_length);
        cnf.copy_to(&mut solver);
        for _ in 0..4 {
            // A clause that held under these assumptions only would be found.
            let assumptions = random_assumptions(cnf.variable_count(), &mut random);
            let _ = solve(&mut solver, &assumptions);
        }
        solver.stop_sharing();
        for clause in shared.lock().unwrap().iter() {
            assert!(clause.len() <= max_length);
            assert!(
                models.imply(clause),
                "{clause:?} of {:?}",
                cnf.clauses().collect::<Vec<_>>()
            );
            learnt += 1;
        }
        assert_eq!(Arc::strong_count(&shared), 1, "the sink should be gone");
    }
    assert!(learnt > 1000, "{learnt}");
}

/// Whether a second solver needs fewer conflicts with what a first one learnt.
fn check_help(give: impl FnOnce(&mut Cadical, Vec<Vec<Literal>>)) {
    let mut first = plain_search(0);
    pigeonhole(7, &mut first);
    let shared = collect_learnt(&mut first, usize::MAX);
    assert_eq!(solve(&mut first, &[]), Outcome::Unsatisfiable);

    let mut second = plain_search(1);
    pigeonhole(7, &mut second);
    give(&mut second, std::mem::take(&mut *shared.lock().unwrap()));
    assert_eq!(solve(&mut second, &[]), Outcome::Unsatisfiable);
    let conflicts = |solver: &Cadical| solver.statistics().conflicts.unwrap();
    assert!(conflicts(&second) < conflicts(&first));
}

#[test]
fn imported_clauses_help() {
    check_help(|solver, clauses| {
        for clause in clauses {
            solver.add_clause(&clause);
        }
    });
}

#[test]
fn clauses_taken_in_the_middle_of_a_search_change_no_answer() {
    let mut random = fastrand::Rng::with_seed(4);
    let taken = Arc::new(AtomicUsize::new(0));
    for round in 0..600 {
        let cnf = random_3sat(random.u32(12..=16), &mut random);
        let models = Models::of(&cnf);
        let mut solver = if round % 2 == 0 {
            Cadical::new()
        } else {
            plain_search(random.u64(..))
        };
        if round % 3 == 0 {
            // Forgets all the time.
            for (option, value) in [("reduceinit", 1), ("reduceint", 2), ("chrono", 0)] {
                solver.set_option(option, value).unwrap();
            }
        }
        cnf.copy_to(&mut solver);
        // One variable is left out; clauses with it must be passed over.
        let mut variables: Vec<Variable> = cnf.variables().collect();
        variables.swap_remove(random.usize(..variables.len()));
        let (mut source_random, count) = (random.fork(), Arc::clone(&taken));
        let (known, n_variables) = (models.clone(), cnf.variable_count());
        solver.take_learnt(
            &variables,
            Box::new(move || {
                for _ in 0..source_random.usize(0..20) {
                    let mut clause = random_clause(n_variables, &mut source_random);
                    clause.extend(random_clause(n_variables, &mut source_random));
                    clause.truncate(source_random.usize(0..8));
                    if known.imply(&clause) {
                        count.fetch_add(1, Ordering::Relaxed);
                        return Some(clause.into());
                    }
                }
                None
            }),
        );
        for _ in 0..6 {
            let assumptions = random_assumptions(cnf.variable_count(), &mut random);
            let outcome = solve(&mut solver, &assumptions);
            check_result(&solver, &outcome, &cnf, &models, &assumptions);
            if outcome == Outcome::Unsatisfiable {
                let reason: Vec<Literal> = solver.failed().iter().map(|l| !*l).collect();
                solver.add_clause(&reason);
            }
        }
        solver.stop_sharing();
        let outcome = solve(&mut solver, &[]);
        check_result(&solver, &outcome, &cnf, &models, &[]);
    }
    let taken = taken.load(Ordering::Relaxed);
    assert!(taken > 10_000, "{taken}");
}

#[test]
fn clauses_taken_in_the_middle_of_a_search_help() {
    check_help(|solver, clauses| {
        let variables: Vec<Variable> = (1..=solver.statistics().variables)
            .map(|number| Literal::from_dimacs(number as i32).unwrap().variable())
            .collect();
        let mut clauses = clauses.into_iter();
        let source = move || clauses.next().map(|clause| clause.into());
        solver.take_learnt(&variables, Box::new(source));
    });
}

#[test]
fn solvers_work_side_by_side_and_move_between_threads() {
    let workers: Vec<_> = (0..4)
        .map(|seed| {
            thread::spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed);
                let cnf = random_formula(14, &mut random);
                let mut solver = plain_search(seed);
                cnf.copy_to(&mut solver);
                let outcome = solve(&mut solver, &[]);
                check_result(&solver, &outcome, &cnf, &Models::of(&cnf), &[]);
                (solver, cnf, outcome)
            })
        })
        .collect();
    for worker in workers {
        let (mut solver, cnf, outcome) = worker.join().unwrap();
        assert_eq!(solve(&mut solver, &[]), outcome);
        check_result(&solver, &outcome, &cnf, &Models::of(&cnf), &[]);
    }
}
