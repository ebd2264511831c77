//! How our formula for Vyukov's safestack, made from its C source, compares with
//! that of a small executable specification of the same encoding, written by hand
//! for this one program: variables, clauses, and the time that the same solver
//! takes for both, in the same run.
//!
//! Prints figures; asserts nothing. Needs the shared folder beside the repository
//! and python3; says so if they are missing.

use check::{Bounds, Options, Order};
use replay::{Checks, Property};
use solve::{Budget, Cadical, Outcome, SatSolver};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn main() {
    let shared = tests::repository().join("../shared");
    let script = shared.join("reference/contexts.py");
    let source = shared.join("corpus/complex/safestack_relacy.c");
    if !script.exists() || !source.exists() {
        tests::notice("skipped: the yardstick needs ../shared");
        return;
    }
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let rows: &[(Order, u32)] = if is_bench {
        &[
            (Order::Contexts(4), 4),
            (Order::Contexts(5), 5),
            (Order::Rounds(2), 8),
        ]
    } else {
        &[(Order::Contexts(2), 2)]
    };
    let options = llvm::Options {
        args: vec!["-m32".to_owned()],
        ..llvm::Options::default()
    };
    let loaded = match llvm::load(&[source], &options) {
        Ok(loaded) => loaded,
        Err(error) => panic!("safestack should load: {error}"),
    };
    println!("safestack, unwinding 3; ours from C / the reference / ratio");
    for (order, contexts) in rows {
        let ours = ours(&loaded.program, *order);
        let Some(reference) = reference(&script, *contexts, matches!(order, Order::Rounds(_)))
        else {
            tests::notice("skipped: python3 is missing");
            return;
        };
        let ratio = |a: f64, b: f64| a / b;
        println!(
            "{order:?}: variables {} / {} / {:.2}, clauses {} / {} / {:.2}, seconds {:.2} / {:.2} / {:.2} ({})",
            ours.variables,
            reference.variables,
            ratio(ours.variables as f64, reference.variables as f64),
            ours.clauses,
            reference.clauses,
            ratio(ours.clauses as f64, reference.clauses as f64),
            ours.seconds,
            reference.seconds,
            ratio(ours.seconds, reference.seconds),
            ours.result,
        );
        assert_eq!(ours.is_violated, reference.is_violated, "{order:?}");
    }
}

struct Figures {
    variables: usize,
    clauses: usize,
    seconds: f64,
    is_violated: bool,
    result: String,
}

/// Unfolding, encoding and solving.
fn ours(program: &ir::Program, order: Order) -> Figures {
    let options = Options {
        bounds: Bounds {
            order: Some(order),
            unwind: Some(3),
            ..Bounds::default()
        },
        config: replay::Config {
            checks: Checks::NONE.with(Property::Assert),
            ..replay::Config::default()
        },
        ..Options::default()
    };
    let report = check::check(program, &options, &|_| true);
    let Some(attempt) = report.attempts.last() else {
        panic!("there should be an attempt");
    };
    let time = attempt.unfolding + attempt.encoding + attempt.solving;
    Figures {
        variables: attempt.variables,
        clauses: attempt.clauses,
        seconds: time.as_secs_f64(),
        is_violated: matches!(report.verdict, check::Verdict::Violated(_)),
        result: format!("{:?}", attempt.result),
    }
}

/// Reading the formula and solving it.
fn reference(script: &Path, contexts: u32, is_round_robin: bool) -> Option<Figures> {
    let mut command = Command::new("python3");
    command
        .arg(script)
        .args([contexts.to_string(), "3".to_owned(), "4".to_owned()]);
    if is_round_robin {
        command.arg("rr");
    }
    let output = command.output().ok()?;
    let start = Instant::now();
    let cnf = match solve::dimacs::read(BufReader::new(output.stdout.as_slice())) {
        Ok(cnf) => cnf,
        Err(error) => panic!("the reference should write DIMACS: {error}"),
    };
    let mut solver = Cadical::new();
    cnf.copy_to(&mut solver);
    let outcome = solver.solve(&[], &Budget::default());
    Some(Figures {
        variables: cnf.variable_count() as usize,
        clauses: cnf.clause_count(),
        seconds: start.elapsed().as_secs_f64(),
        is_violated: outcome == Outcome::Satisfiable,
        result: String::new(),
    })
}
