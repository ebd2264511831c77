//! What a check asks, as files: the query for other solvers in DIMACS or SMT-LIB,
//! or the unfolded threads as text. The ending of the name says which.

use formula::{ClauseList, ClauseSink};
use ir::Program;
use std::io::{BufWriter, Result, Write};
use std::path::Path;
use unfold::Threads;

/// What is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Dimacs,
    SmtLib,
    /// What unfolding makes of the program.
    Threads,
}

impl Format {
    pub fn of(path: &Path) -> Format {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("smt2") => Format::SmtLib,
            Some("threads") => Format::Threads,
            _ => Format::Dimacs,
        }
    }
}

/// The file for the query, if it is the query that is wanted.
pub fn for_query(dump: Option<&Path>) -> Option<&Path> {
    dump.filter(|path| Format::of(path) != Format::Threads)
}

/// The file for the threads, if it is the threads that are wanted.
pub fn for_threads(dump: Option<&Path>) -> Option<&Path> {
    dump.filter(|path| Format::of(path) == Format::Threads)
}

/// Writes clauses together with the literal that is asked for.
pub fn write_query(path: &Path, clauses: &ClauseList, query: i32) -> Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let mut clauses = clauses.clone();
    clauses.add_clause(&[query]);
    match Format::of(path) {
        Format::SmtLib => write_smtlib(&clauses, &mut file)?,
        Format::Dimacs | Format::Threads => {
            clauses.write_dimacs(&["a query of threadbare"], &mut file)?;
        }
    }
    file.flush()
}

/// Writes threads as text.
pub fn write_threads(path: &Path, threads: &Threads, program: &Program) -> Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    write!(file, "{}", threads.text(Some(program)))?;
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
