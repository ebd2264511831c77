//! Formulas: terms over bit-vectors and how they become clauses.
//!
//! [`Terms`] holds simplified, shared terms; each knows the [`Range`] of values
//! it can take. A [`Blaster`] turns terms into [`Gates`], a shared graph of
//! literals which encoders also build directly, and [`Cnf`] tells a solver about
//! the part of that graph that its clauses need.
//!
//! ```text
//! Terms --Blaster--> Gates --Cnf--> ClauseSink
//! ```
//!
//! Terms and gates are functions of their variables and inputs, nothing else:
//! building them commits to nothing, and only an asserted clause reaches the
//! solver. This crate must not know any solver, any program or any encoding of
//! one: clauses go to a [`ClauseSink`], whatever that is.

pub mod blast;
pub mod cardinality;
pub mod cnf;
pub mod evaluate;
pub mod export;
pub mod gates;
pub mod numbers;
pub mod ranges;
mod simplify;
pub mod terms;
pub mod words;

pub use blast::{Blaster, Options};
pub use clauses::{ClauseList, ClauseSink, EventOrder, Literal, events};
pub use cnf::{Cnf, Mode, Polarity};
pub use evaluate::{Evaluator, GateEvaluator};
pub use export::write_smtlib;
pub use gates::{Gate, Gates, Lit, Room};
pub use ranges::Range;
pub use terms::{BinaryOp, Sort, Term, TermId, Terms, Variable, VariableId};
