//! A formula and the literal to look for.
//!
//! The clauses are made once and never change: each core gives a copy to its own
//! solver, so all agree on what a literal means. Which parts its models can be looked
//! for in is not said here, see [`Space`](crate::Space).

use solve::{ClauseList, ClauseSink, Literal, Reason, SatSolver};

#[derive(Clone, Debug)]
pub struct Problem {
    pub clauses: ClauseList,
    /// Is there a model in which this holds?
    pub query: Literal,
    /// The query in parts, each easier than the whole: if it holds in a model, some
    /// model has one of these too. Empty if there are none.
    pub parts: Vec<Literal>,
}

impl Problem {
    /// A copy of the clauses, in which the query must hold.
    pub(crate) fn copy_to(&self, sink: &mut impl ClauseSink, asserts_query: bool) {
        self.clauses.copy_to(sink);
        if asserts_query {
            sink.add_clause(&[self.query]);
        }
    }
}

/// The values of all variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model(pub(crate) Vec<bool>);

impl Model {
    /// What a solver has just found.
    pub(crate) fn of(
        clauses: &ClauseList,
        solver: &(impl SatSolver + ?Sized),
    ) -> Result<Model, Reason> {
        let values: Option<Vec<bool>> = clauses
            .variables()
            .map(|variable| solver.value(variable.positive()))
            .collect();
        let missing = || Reason::SolverDied("it found a model and does not tell it".to_owned());
        values.map(Model).ok_or_else(missing)
    }

    pub fn value(&self, literal: Literal) -> Option<bool> {
        let value = *self.0.get(literal.variable().index())?;
        Some(value == literal.is_positive())
    }
}
