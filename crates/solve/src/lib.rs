//! Solver traits and one file per back end: the only crate that sees a
//! solver's API.
//!
//! A formula builder writes clauses into a [`ClauseSink`], which a solver is; so
//! are lists and files, which the crate `clauses` has. A [`Factory`] makes
//! solvers. A strategy asks a [`SatSolver`] about them under
//! assumptions, within a [`Budget`]. Two back ends answer: [`Cadical`] within
//! this process, and [`Process`] with any program that reads DIMACS.
//!
//! This crate must not know what a formula means, neither prints nor chooses
//! budgets, and never turns a doubt into an answer: a model that does not
//! satisfy the clauses is the failure of its solver.

mod acyclic;
mod answer;
mod budget;
mod cadical;
mod error;
mod factory;
mod import;
mod onlooker;
mod process;
mod solver;

pub use budget::{Budget, Interrupter, Reason};
pub use cadical::Cadical;
pub use clauses::{ClauseList, ClauseSink, EventOrder, Literal, Variable, dimacs};
pub use error::Error;
pub use factory::{Ability, Backend, Factory, Role};
pub use process::{Input, Process};
pub use solver::{
    ClauseSource, KeepOrder, LearntSink, Outcome, Phases, SatSolver, ShareClauses, Simplify,
    Statistics,
};
pub use system::memory;
