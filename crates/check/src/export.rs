//! Queries as files for other solvers: DIMACS, or SMT-LIB if the name says so.

use formula::{ClauseList, ClauseSink};
use std::io::{BufWriter, Result, Write};
use std::path::Path;

/// Writes clauses together with the literal that is asked for.
pub fn write(path: &Path, clauses: &ClauseList, query: i32) -> Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let mut clauses = clauses.clone();
    clauses.add_clause(&[query]);
    if path
        .extension()
        .is_some_and(|extension| extension == "smt2")
    {
        write_smtlib(&clauses, &mut file)?;
    } else {
        clauses.write_dimacs(&["a query of threadbare"], &mut file)?;
    }
    file.flush()
}

fn write_smtlib(clauses: &ClauseList, file: &mut impl Write) -> Result<()> {
    writeln!(file, "; a query of threadbare")?;
    writeln!(file, "(set-logic QF_UF)")?;
    for variable in 1..=clauses.n_variables() {
        writeln!(file, "(declare-const v{variable} Bool)")?;
    }
    for clause in clauses.clauses() {
        write!(file, "(assert (or false")?;
        for literal in clause {
            let number = literal.unsigned_abs();
            if *literal > 0 {
                write!(file, " v{number}")?;
            } else {
                write!(file, " (not v{number})")?;
            }
        }
        writeln!(file, "))")?;
    }
    writeln!(file, "(check-sat)")
}
