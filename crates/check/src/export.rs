//! Queries as files for other solvers: DIMACS, or SMT-LIB if the name says so.

use clauses::{ClauseList, Literal, dimacs, smtlib};
use std::io::{BufWriter, Result, Write};
use std::path::Path;

/// Writes clauses together with the literal that is asked for.
pub fn write(path: &Path, clauses: &ClauseList, query: Literal) -> Result<()> {
    const TITLE: &str = "a query of threadbare";
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let is_smtlib = path.extension().is_some_and(|ending| ending == "smt2");
    if is_smtlib {
        writeln!(file, "; {TITLE}")?;
        smtlib::write(clauses, &[query], file)
    } else {
        writeln!(file, "c {TITLE}")?;
        dimacs::write(clauses, &[query], file)
    }
}
