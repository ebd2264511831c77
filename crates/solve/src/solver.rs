//! What a SAT solver is to the rest of Threadbare.
//!
//! [`SatSolver`] is what every back end can do. What only some can do is a
//! trait of its own ([`Phases`], [`ShareClauses`], [`Simplify`], [`KeepOrder`]), so that code that needs it
//! says so in its types and no method exists only to fail. A back end must
//! never guess: whatever it is not sure of is [`Outcome::Unknown`].

use std::sync::Arc;
use std::time::Duration;

use clauses::{ClauseList, ClauseSink, EventOrder, Literal, Variable};

use crate::budget::{Budget, Interrupter, Reason};

/// What a call of `solve` found out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// The formula has a model in which all assumptions are true.
    Satisfiable,
    /// It has none.
    Unsatisfiable,
    /// The call ended before it could tell.
    Unknown(Reason),
}

/// What a solver did since it was created; `None` where it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Variables created.
    pub variables: u64,
    /// Clauses added, before any simplification.
    pub clauses: u64,
    /// Calls of `solve`.
    pub solves: u64,
    /// Conflicts met.
    pub conflicts: Option<u64>,
    /// Decisions made.
    pub decisions: Option<u64>,
    /// Literals propagated in search.
    pub propagations: Option<u64>,
    /// Time spent in `solve`.
    pub time: Duration,
}

/// An incremental SAT solver.
///
/// ```text
///            new_variable, add_clause              new_variable, add_clause
///                   +-----+                               +-----+
///                   |     v                               |     v
///   (created) --->  INPUT  --- solve --->  SATISFIED | UNSATISFIED | UNKNOWN
///                                              ^                     |
///                                              +------- solve -------+
/// ```
///
/// Variables and clauses may be added in every state and do not change it: a
/// result stays readable while the next query is being built, and is forgotten
/// when that is solved. Clauses are never removed; assumptions hold for one
/// call only. A solver can move to another thread between calls.
pub trait SatSolver: ClauseSink + Send {
    /// Looks for a model of all clauses in which the assumptions are true too.
    ///
    /// *Requires* any state; the variables of the assumptions were created
    /// here (panics otherwise). *Ensures* SATISFIED, UNSATISFIED or UNKNOWN, as
    /// the outcome says. After UNKNOWN the next call goes on where this one
    /// stopped, as far as the back end can.
    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> Outcome;

    /// The value of a literal in the model found.
    ///
    /// *Ensures* the same state. Is `Some` exactly in state SATISFIED, for
    /// variables that existed when the model was found.
    fn value(&self, literal: Literal) -> Option<bool>;

    /// The assumptions to blame, in the order given: the clauses have no model
    /// in which these are true. Not necessarily as few as possible. If there
    /// are none then the clauses alone are unsatisfiable (though a back end
    /// may also blame assumptions in that case).
    ///
    /// *Ensures* the same state. Is empty in all states but UNSATISFIED.
    fn failed(&self) -> &[Literal];

    /// Whether an assumption is among those to blame. Takes time linear in
    /// their number.
    fn is_failed(&self, assumption: Literal) -> bool {
        self.failed().contains(&assumption)
    }

    /// What the solver did so far, in any state.
    fn statistics(&self) -> Statistics;

    /// A handle that stops this solver from another thread. All handles of one
    /// solver are the same.
    fn interrupter(&self) -> Interrupter;

    /// The same solver as one that shares clauses, if it can.
    fn sharing(&mut self) -> Option<&mut dyn ShareClauses> {
        None
    }

    /// The same solver as one that simplifies its clauses for others, if it can.
    fn simplifying(&mut self) -> Option<&mut dyn Simplify> {
        None
    }

    /// The same solver as one that keeps events in order, if it can.
    fn ordering(&mut self) -> Option<&mut dyn KeepOrder> {
        None
    }
}

/// A solver that can be told which value to try first.
pub trait Phases {
    /// Tries to make the literal true whenever its variable is decided. Has no
    /// influence on outcomes, only on which model is found and how soon.
    ///
    /// *Requires* that the variable was created here; panics otherwise.
    fn prefer(&mut self, literal: Literal);

    /// Takes back [`prefer`](Self::prefer) for a variable, whatever its sign.
    fn forget_preference(&mut self, literal: Literal);
}

/// Takes learnt clauses, on the thread of the solver that learns them.
pub type LearntSink = Box<dyn FnMut(&[Literal]) + Send>;

/// Gives the next clause that another solver learnt, if there is one, on the
/// thread of the solver that asks.
pub type ClauseSource = Box<dyn FnMut() -> Option<Arc<[Literal]>> + Send>;

/// A solver that tells the clauses it learns, and takes those of others.
///
/// A learnt clause follows from the clauses alone, never from assumptions, so
/// it can be given to any solver with the same clauses.
pub trait ShareClauses {
    /// Calls `sink` with every clause learnt from now on that has at most
    /// `max_length` literals. The empty clause says that the formula is
    /// unsatisfiable. Replaces the sink given before.
    ///
    /// The sink is called in the middle of the search: it should be quick, and
    /// must not panic, for a panic cannot pass through the solver and ends the
    /// whole process.
    fn on_learnt(&mut self, max_length: usize, sink: LearntSink);

    /// Asks `source` for clauses from now on, again and again in the middle of the
    /// search. Clauses that speak of other variables than these are passed
    /// over; most may be forgotten again. The variables are not eliminated,
    /// and looking after them costs some time. Replaces the source given before.
    ///
    /// *Requires* that the variables were created here and `solve` was not
    /// called yet; panics otherwise. The clauses must follow from the formula. As
    /// for a sink, the source should be quick and must not panic.
    fn take_learnt(&mut self, variables: &[Variable], source: ClauseSource);

    /// Drops the sink and the source.
    fn stop_sharing(&mut self);
}

/// A solver that sees to it that events fit one order.
pub trait KeepOrder {
    /// From now on, models fit this order of events. Learnt clauses then follow from the
    /// clauses and the order together.
    ///
    /// *Requires* that the variables were created here, and that this is the order that
    /// was given before, or more of it; what is more must speak of variables that were
    /// created since the last call of `solve`, since others may have been eliminated.
    fn keep(&mut self, order: &EventOrder);
}

/// A solver that can give back what it has made of its clauses.
pub trait Simplify {
    /// A smaller formula over the same variables, from which many that are not
    /// to be kept are gone.
    ///
    /// Its clauses follow from those given so far. If it has a model, then some
    /// model of the clauses given so far has the same values for all variables
    /// that still occur in it, and for those to be kept.
    ///
    /// Meant for a solver that is not used for anything else: only the deadline
    /// and the memory of the budget count.
    fn simplified(&mut self, keep: &[Literal], budget: &Budget) -> Result<ClauseList, Reason>;
}

/// The result of the last call, in the form both back ends keep it.
///
/// A copy rather than a question to the solver, so that it outlives the
/// addition of clauses. It costs a byte per variable and a pass over them,
/// less than any call of `solve` does.
#[derive(Debug, Default)]
pub(crate) enum Last {
    #[default]
    Nothing,
    Model(Vec<bool>),
    Failed(Vec<Literal>),
}

impl Last {
    pub(crate) fn value(&self, literal: Literal) -> Option<bool> {
        match self {
            Last::Model(values) => {
                let value = *values.get(literal.variable().index())?;
                Some(value == literal.is_positive())
            }
            Last::Nothing | Last::Failed(_) => None,
        }
    }

    pub(crate) fn failed(&self) -> &[Literal] {
        match self {
            Last::Failed(assumptions) => assumptions,
            Last::Nothing | Last::Model(_) => &[],
        }
    }
}

/// Why these values are not a model of the clauses and the assumptions; `None`
/// if they are one.
pub(crate) fn flaw_of_model(
    values: &[bool],
    clauses: &ClauseList,
    assumptions: &[Literal],
) -> Option<String> {
    let is_true = |literal: Literal| values[literal.variable().index()] == literal.is_positive();
    if let Some(assumption) = assumptions.iter().find(|&&literal| !is_true(literal)) {
        return Some(format!("its model makes the assumption {assumption} false"));
    }
    let clause = clauses.first_violated(is_true)?;
    Some(format!("its model makes the clause {clause:?} false"))
}
