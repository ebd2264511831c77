//! Tests of the whole crate: every operation against an independent evaluator,
//! as a term, as gates and as clauses, and the sizes of what comes out.

mod clauses;
mod deep;
mod dpll;
mod exhaustive;
mod mirror;
mod random;
mod rules;
mod sizes;
mod text;
