//! Solver traits and one file per back end: the only crate that sees a
//! solver's API.
//!
//! A formula builder writes clauses into a [`ClauseSink`], which can be a
//! solver, a file or memory. A strategy asks a [`SatSolver`] about them under
//! assumptions, within a [`Budget`]. Two back ends answer: [`Cadical`] within
//! this process, and [`Process`] with any program that reads DIMACS.
//!
//! This crate must not know what a formula means, neither prints nor chooses
//! budgets, and never turns a doubt into an answer: a model that does not
//! satisfy the clauses is the failure of its solver.

mod answer;
mod budget;
mod cadical;
mod cnf;
pub mod dimacs;
mod error;
mod literal;
pub mod memory;
mod process;
mod solver;

pub use budget::{Budget, Interrupter, Reason};
pub use cadical::Cadical;
pub use cnf::{ClauseSink, Cnf};
pub use error::Error;
pub use literal::{Literal, Variable};
pub use process::{Input, Process};
pub use solver::{ClauseSource, LearntSink, Outcome, Phases, SatSolver, ShareClauses, Statistics};
