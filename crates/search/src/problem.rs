//! A formula, the literal to look for, and the literals of its schedule.
//!
//! The clauses are made once and never change: each core gives a copy to its own
//! solver, so all agree on what a literal means. The tables are plain data,
//! frozen from an encoding that this crate does not know.

use solve::{ClauseList, ClauseSink, Literal, Reason, SatSolver};

#[derive(Clone, Debug)]
pub struct Problem {
    pub clauses: ClauseList,
    /// Is there a model in which this holds?
    pub query: Literal,
    /// The query in parts, each easier than the whole: if it holds in a model, some
    /// model has one of these too. Empty if there are none.
    pub parts: Vec<Literal>,
    pub schedule: Schedule,
}

/// The literals of a schedule. What is known from the start is `truth` or its
/// negation.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// A literal that is always true.
    pub truth: Literal,
    /// By context and thread: the context belongs to the thread. Exactly one
    /// thread has it.
    pub run: Vec<Vec<Literal>>,
    /// By context, and one more: nothing is passed from there on. Only for
    /// assumptions: the negation says nothing.
    pub unused_from: Vec<Literal>,
    pub threads: Vec<Thread>,
}

#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// By position and context: the position is behind the thread when the
    /// context ends. Holds in all later contexts and for all earlier positions.
    pub done: Vec<Vec<Literal>>,
    /// By position: a thread may have to wait there for others.
    pub may_wait: Vec<bool>,
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

impl Schedule {
    pub fn n_contexts(&self) -> usize {
        self.run.len()
    }

    /// The threads that a context may belong to.
    pub(crate) fn candidates(&self, context: usize) -> Vec<usize> {
        let row = &self.run[context];
        let may_run = |thread: &usize| row[*thread] != !self.truth;
        (0..row.len()).filter(may_run).collect()
    }

    /// Whether the order of threads is given, as in rounds.
    pub(crate) fn has_fixed_order(&self) -> bool {
        (0..self.n_contexts()).all(|context| self.candidates(context).len() == 1)
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
