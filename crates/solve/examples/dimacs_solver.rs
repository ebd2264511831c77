//! A complete SAT solver in the form of the SAT competitions: reads DIMACS
//! from the file named, or else from standard input, prints the answer and
//! ends with 10 (satisfiable), 20 (unsatisfiable) or 1 (not a formula).
//!
//! Shows how the crate is used, and is what its tests run as a child process.

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::process::ExitCode;

use solve::{Budget, Cadical, ClauseList, Outcome, SatSolver, dimacs};

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let input: Box<dyn BufRead> = match env::args_os().nth(1) {
        Some(path) => Box::new(BufReader::new(File::open(path)?)),
        None => Box::new(io::stdin().lock()),
    };
    let cnf = dimacs::read(input)?;
    let mut solver = Cadical::new();
    cnf.copy_to(&mut solver);
    let outcome = solver.solve(&[], &Budget::default());
    let mut output = BufWriter::new(io::stdout().lock());
    writeln!(output, "c {}", Cadical::signature())?;
    let code = match outcome {
        Outcome::Satisfiable => {
            writeln!(output, "s SATISFIABLE")?;
            write_values(&cnf, &solver, &mut output)?;
            10
        }
        Outcome::Unsatisfiable => {
            writeln!(output, "s UNSATISFIABLE")?;
            20
        }
        Outcome::Unknown(reason) => {
            writeln!(output, "c {reason}\ns UNKNOWN")?;
            0
        }
    };
    output.flush()?;
    Ok(ExitCode::from(code))
}

fn write_values(cnf: &ClauseList, solver: &Cadical, output: &mut impl Write) -> io::Result<()> {
    for variable in cnf.variables() {
        let value = solver.value(variable.positive()) == Some(true);
        writeln!(output, "v {}", variable.literal(value))?;
    }
    writeln!(output, "v 0")
}
