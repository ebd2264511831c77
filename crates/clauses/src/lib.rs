//! Clauses: what formulas are written in and solvers read.
//!
//! A [`Literal`] is a variable or its negation. Whoever makes a formula writes
//! clauses to a [`ClauseSink`] and need not know whether a solver, a file or a
//! [`ClauseList`] is behind it. [`dimacs`] and [`smtlib`] are the forms that other
//! programs read. What clauses say badly, that events fit one order, has a table of its
//! own, [`EventOrder`].
//!
//! This crate knows neither terms nor solvers. It is below both, so that they speak
//! of the same literals without knowing of each other.

pub mod dimacs;
pub mod events;
mod list;
mod literal;
mod sink;
pub mod smtlib;

pub use events::EventOrder;
pub use list::ClauseList;
pub use literal::{Literal, Variable};
pub use sink::{ClauseSink, VariableCount};
