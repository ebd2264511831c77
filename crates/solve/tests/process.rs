//! Solvers in processes of their own: good ones, bad ones and missing ones.

mod common;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{Models, check_result, pigeonhole, random_assumptions, random_formula};
use solve::{Budget, ClauseSink, Input, Literal, Outcome, Process, Reason, SatSolver};

const SOON: Duration = Duration::from_secs(60);

/// A solver that is a shell script. As a file, the formula is `$1`.
fn script(text: &str, input: Input) -> Process {
    Process::new("sh", ["-c", text, "stub"], input)
}

/// The formula `a or b`, for which scripts can be written by hand.
fn with_clause(mut solver: Process) -> (Process, [Literal; 2]) {
    let [a, b] = [(); 2].map(|()| solver.new_variable().positive());
    solver.add_clause(&[a, b]);
    (solver, [a, b])
}

fn outcome_of(text: &str) -> Outcome {
    let (mut solver, _) = with_clause(script(text, Input::Standard));
    solver.solve(&[], &Budget::default())
}

#[test]
fn the_formula_arrives_with_assumptions_as_units() {
    let expected = "p cnf 2 2\n1 2 0\n-1 0";
    for (input, read) in [(Input::Standard, "cat"), (Input::File, "cat \"$1\"")] {
        let text = format!(
            "test \"$({read})\" = '{expected}' || exit 1; echo s SATISFIABLE; echo v -1 2 0; exit 10"
        );
        let (mut solver, [a, b]) = with_clause(script(&text, input));
        assert_eq!(
            solver.solve(&[!a], &Budget::default()),
            Outcome::Satisfiable
        );
        assert_eq!(
            (solver.value(a), solver.value(b)),
            (Some(false), Some(true))
        );
        assert_eq!(solver.failed(), []);
        let statistics = solver.statistics();
        assert_eq!(
            (statistics.variables, statistics.clauses, statistics.solves),
            (2, 1, 1)
        );
        assert_eq!(statistics.conflicts, None);
        assert!(statistics.time > Duration::ZERO);
    }
}

#[test]
fn all_assumptions_are_blamed() {
    let text = "echo s UNSATISFIABLE; exit 20";
    let (mut solver, [a, b]) = with_clause(script(text, Input::Standard));
    assert_eq!(
        solver.solve(&[!a, !b], &Budget::default()),
        Outcome::Unsatisfiable
    );
    assert_eq!(solver.failed(), [!a, !b]);
    assert!(solver.is_failed(!a) && !solver.is_failed(a));
    assert_eq!(solver.value(a), None);
}

#[test]
fn what_is_not_believed() {
    let cases = [
        ("exit 0", "it gave no answer; exit status: 0"),
        ("exit 20", "it gave no answer; exit status: 20"),
        (
            "echo oh dear >&2; exit 3",
            "it gave no answer; exit status: 3; it said `oh dear`",
        ),
        ("kill -9 $$", "it gave no answer; signal: 9 (SIGKILL)"),
        ("echo hello; exit 10", "it printed `hello`; exit status: 10"),
        ("echo s UNKNOWN", "it gave up"),
        (
            "echo s UNSATISFIABLE",
            "it ended with exit status: 0 instead of 20",
        ),
        (
            "echo s UNSATISFIABLE; exit 10",
            "it ended with exit status: 10 instead of 20",
        ),
        (
            "ulimit -c 0; echo s UNSATISFIABLE; kill -11 $$",
            "it ended with signal: 11 (SIGSEGV) instead of 20",
        ),
        (
            "echo s SATISFIABLE; echo v 1 0; exit 20",
            "it ended with exit status: 20 instead of 10",
        ),
        (
            "echo s SATISFIABLE; exit 10",
            "its model is incomplete; exit status: 10",
        ),
        (
            "echo s SATISFIABLE; echo v -1 -2 0; exit 10",
            "its model makes the clause [1, 2] false",
        ),
        (
            "echo s SATISFIABLE; echo v 3 0; exit 10",
            "it gave a value to 3, which does not exist; exit status: 10",
        ),
    ];
    for (text, problem) in cases {
        let outcome = outcome_of(text);
        // Core dumps are told or not, depending on the machine.
        let Outcome::Unknown(Reason::SolverDied(told)) = outcome else {
            panic!("{text}: {outcome:?}");
        };
        assert_eq!(told.replace(" (core dumped)", ""), problem, "{text}");
    }
}

#[test]
fn a_model_against_the_assumptions_is_not_believed() {
    let text = "echo s SATISFIABLE; echo v 1 2 0; exit 10";
    let (mut solver, [_, b]) = with_clause(script(text, Input::File));
    let problem = "its model makes the assumption -2 false".to_owned();
    let expected = Outcome::Unknown(Reason::SolverDied(problem));
    assert_eq!(solver.solve(&[!b], &Budget::default()), expected);
    assert_eq!(solver.value(b), None);
}

#[test]
fn a_missing_program() {
    let (mut solver, _) = with_clause(Process::new("no-such-solver", [""; 0], Input::Standard));
    let Outcome::Unknown(Reason::SolverDied(problem)) = solver.solve(&[], &Budget::default())
    else {
        panic!("a missing solver should fail");
    };
    assert!(
        problem.starts_with("`no-such-solver` cannot be run: "),
        "{problem}"
    );
    let error = solver.probe(&Budget::default()).unwrap_err().to_string();
    let expected = "`no-such-solver` cannot serve as a SAT solver: `no-such-solver` cannot be run";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn probing_finds_solvers_that_always_say_the_same() {
    let cases = [
        (
            "echo s UNSATISFIABLE; exit 20",
            "it answers a trivial formula wrongly",
        ),
        (
            "echo s SATISFIABLE; echo v 1 2 0; exit 10",
            "its model makes the clause [-1, -2] false",
        ),
        ("exec sleep 1000", "the time was over"),
    ];
    for (text, problem) in cases {
        let deadline = Some(Instant::now() + Duration::from_millis(500));
        let budget = Budget {
            deadline,
            ..Budget::default()
        };
        let error = script(text, Input::Standard).probe(&budget).unwrap_err();
        let expected = format!("`sh` cannot serve as a SAT solver: {problem}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_child_that_does_not_end_is_stopped() {
    // The second has a descendant that survives it, with the output open.
    for text in ["exec sleep 1000", "sleep 5 & exec sleep 1000"] {
        let (mut solver, _) = with_clause(script(text, Input::Standard));
        let start = Instant::now();
        let deadline = Some(start + Duration::from_millis(100));
        let outcome = solver.solve(
            &[],
            &Budget {
                deadline,
                ..Budget::default()
            },
        );
        assert_eq!(outcome, Outcome::Unknown(Reason::Deadline));

        let interrupter = solver.interrupter();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                interrupter.interrupt();
            });
            let outcome = solver.solve(&[], &Budget::default());
            assert_eq!(outcome, Outcome::Unknown(Reason::Interrupted));
        });
        let outcome = solver.solve(&[], &Budget::default());
        assert_eq!(outcome, Outcome::Unknown(Reason::Interrupted), "it lasts");
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    }
}

#[test]
fn the_memory_of_the_child_counts() {
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: this system does not tell the resident memory");
        return;
    }
    // `tail` has to keep the last line, which never ends.
    let text = "exec tail -n 1 /dev/zero";
    let (mut solver, _) = with_clause(script(text, Input::Standard));
    let budget = Budget {
        memory: Some(1 << 29),
        deadline: Some(Instant::now() + SOON),
        ..Budget::default()
    };
    assert_eq!(solver.solve(&[], &budget), Outcome::Unknown(Reason::Memory));
}

#[test]
fn a_child_that_prints_without_end_is_stopped() {
    let outcome = outcome_of("exec yes c");
    let Outcome::Unknown(Reason::SolverDied(problem)) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(problem.starts_with("it printed more than "), "{problem}");
}

/// The example of this crate, which is built along with its tests.
fn example() -> Option<PathBuf> {
    let tests = env::current_exe().ok()?;
    let name = format!("dimacs_solver{}", env::consts::EXE_SUFFIX);
    let path = tests.parent()?.parent()?.join("examples").join(name);
    if !path.exists() {
        eprintln!("skipped: the example is not built; `cargo test` without `--test` does");
        return None;
    }
    Some(path)
}

/// Compares a real solver with truth tables, through both kinds of input.
fn check_solver(program: impl Into<OsString>, arguments: &[&str], formulas: usize) {
    let program = program.into();
    let mut random = fastrand::Rng::with_seed(4);
    for round in 0..formulas {
        let input = if round % 2 == 0 {
            Input::Standard
        } else {
            Input::File
        };
        let variables = random.u32(1..=14);
        let cnf = random_formula(variables, &mut random);
        let mut solver = Process::new(&program, arguments, input);
        cnf.copy_to(&mut solver);
        let assumptions = random_assumptions(variables, &mut random);
        let outcome = solver.solve(&assumptions, &Budget::default());
        check_result(&solver, &outcome, &cnf, &Models::of(&cnf), &assumptions);
    }
    let mut solver = Process::new(&program, arguments, Input::File);
    solver.probe(&Budget::default()).unwrap();
    pigeonhole(6, &mut solver);
    assert_eq!(
        solver.solve(&[], &Budget::default()),
        Outcome::Unsatisfiable
    );
}

#[test]
fn our_own_solver_as_a_child() {
    if let Some(program) = example() {
        check_solver(program, &[], 300);
    }
}

#[test]
fn our_own_solver_stops_at_the_deadline() {
    let Some(program) = example() else { return };
    let mut solver = Process::new(program, [""; 0], Input::Standard);
    pigeonhole(14, &mut solver);
    let start = Instant::now();
    let deadline = Some(start + Duration::from_millis(300));
    let outcome = solver.solve(
        &[],
        &Budget {
            deadline,
            ..Budget::default()
        },
    );
    assert_eq!(outcome, Outcome::Unknown(Reason::Deadline));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn children_run_side_by_side() {
    let Some(program) = example() else { return };
    thread::scope(|scope| {
        for holes in [3, 4, 5, 6] {
            let program = program.clone();
            scope.spawn(move || {
                let mut solver = Process::new(program, [""; 0], Input::File);
                pigeonhole(holes, &mut solver);
                let last = solver.new_variable().positive();
                assert_eq!(
                    solver.solve(&[last], &Budget::default()),
                    Outcome::Unsatisfiable
                );
            });
        }
    });
}

#[test]
fn installed_solvers() {
    for (program, arguments) in [
        ("cadical", &["-q"][..]),
        ("kissat", &["-q"]),
        ("picosat", &[]),
    ] {
        let found = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match found {
            Ok(_) => check_solver(program, arguments, 100),
            Err(_) => eprintln!("skipped: {program} is not installed"),
        }
    }
}
