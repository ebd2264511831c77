//! What a check asks, as files: the query for other solvers in DIMACS or SMT-LIB,
//! or the unfolded threads as text. The ending of the name says which.

use clauses::{ClauseList, Literal, dimacs, smtlib};
use ir::Program;
use std::io::{BufWriter, Result, Write};
use std::path::Path;
use unfold::Threads;

/// What is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Dimacs,
    SmtLib,
    /// What unfolding makes of the program.
    Threads,
}

impl Format {
    pub(crate) fn of(path: &Path) -> Format {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("smt2") => Format::SmtLib,
            Some("threads") => Format::Threads,
            _ => Format::Dimacs,
        }
    }
}

/// The file for the query, if it is the query that is wanted.
pub(crate) fn for_query(dump: Option<&Path>) -> Option<&Path> {
    dump.filter(|path| Format::of(path) != Format::Threads)
}

/// The file for the threads, if it is the threads that are wanted.
pub(crate) fn for_threads(dump: Option<&Path>) -> Option<&Path> {
    dump.filter(|path| Format::of(path) == Format::Threads)
}

/// Writes clauses together with the literal that is asked for.
pub(crate) fn write_query(path: &Path, clauses: &ClauseList, query: Literal) -> Result<()> {
    const TITLE: &str = "a query of threadbare";
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    match Format::of(path) {
        Format::SmtLib => {
            writeln!(file, "; {TITLE}")?;
            smtlib::write(clauses, &[query], file)
        }
        Format::Dimacs | Format::Threads => {
            writeln!(file, "c {TITLE}")?;
            dimacs::write(clauses, &[query], file)
        }
    }
}

/// Writes threads as text.
pub(crate) fn write_threads(path: &Path, threads: &Threads, program: &Program) -> Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    write!(file, "{}", threads.text(Some(program)))?;
    file.flush()
}
