//! What an encoding offers, whatever it bounds.
//!
//! [`Encode`] writes the formula of a bounded program and knows its bound; [`Encoding`]
//! is what is there afterwards: literals to ask for ([`Asked`]), and a run for what a
//! solver finds.
//! Whoever needs more than this needs a certain encoding, and says so in its types.

use crate::{Model, Site};
use formula::{ClauseSink, EventOrder, Literal, Room};
use unfold::{Moment, Threads};

/// What to look for besides [`Threads::violations`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    pub races: bool,
    pub deadlocks: bool,
    /// Threads that wait for each other are a deadlock, whatever the others do.
    pub cycles: bool,
}

/// Writes formulas of one kind: which runs there are within a bound. What is counted
/// by the bound, contexts or anything else, is the business of the encoding.
pub trait Encode {
    type Encoding: Encoding;

    /// Writes the formula. `keep_going` is asked now and then, and `room` also while
    /// a single large value is written; if one of them says no, the formula is
    /// incomplete and the result is `None`.
    fn encode(
        &self,
        threads: &Threads,
        bound: usize,
        goals: Goals,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
        room: Option<Room>,
    ) -> Option<Self::Encoding>;

    /// The least bound that no run of these threads goes beyond. Formulas for more are
    /// those for this one.
    fn covering(&self, threads: &Threads) -> u64;

    /// Whether no run of the program goes beyond the bound. If the threads are not
    /// settled, more turns may bring about positions that are not there; but then some
    /// run takes all the turns that were allowed for before it gets there.
    fn covers_all(&self, threads: &Threads, bound: u64, is_settled: bool) -> bool {
        let most = self.covering(threads);
        bound > most || bound == most && is_settled
    }
}

/// What can be asked of a formula, whatever it bounds.
///
/// Literals are those of the sink, meant as assumptions or for further clauses. To look
/// for a violation, assume or assert [`Asked::any_violation`].
///
/// Asking for a literal may write clauses, always to the sink that was there
/// from the beginning.
pub trait Asked: Send {
    /// Some violation happens. Its negation says nothing.
    fn any_violation(&mut self, sink: &mut dyn ClauseSink) -> Literal;

    /// The question for any violation in two parts: whether an assertion fails in a run
    /// in which nothing else goes wrong, and whether anything else does. Whatever goes
    /// wrong is found by one of them; a run with both is found by the second. The
    /// negations say nothing. Not for races, which are looked for on their own.
    ///
    /// This is for solvers: a failing assertion is harder to find in one question
    /// together with thousands of accesses that might be wrong as well.
    ///
    /// # Panics
    /// If races are looked for.
    fn violation_by_kind(&mut self, threads: &Threads, sink: &mut dyn ClauseSink) -> [Literal; 2];

    /// A violation happens, by its index in [`Threads::violations`]. The
    /// negation says that it does not.
    fn violation(&mut self, index: usize, sink: &mut dyn ClauseSink) -> Literal;

    /// One of these moments happens. The negation says nothing.
    fn any_moment(
        &mut self,
        threads: &Threads,
        moments: &[Moment],
        sink: &mut dyn ClauseSink,
    ) -> Literal;

    /// Does not look for something any more. Ask for [`Asked::any_violation`]
    /// anew after that.
    fn forbid(&mut self, threads: &Threads, site: &Site, sink: &mut dyn ClauseSink);
}

/// The formula of one bounded program, and names for its literals.
///
/// What was written to the sink says which runs there are.
pub trait Encoding: Asked {
    /// The run stays within a smaller bound. Only for assumptions: the negation says
    /// nothing. `None` if all runs of the formula do.
    fn within(&mut self, bound: usize, sink: &mut dyn ClauseSink) -> Option<Literal>;

    /// What a solver has to keep in order besides the clauses, if anything. It may be
    /// more after a literal was asked for: a solver must know all of it when it is asked.
    fn event_order(&self) -> Option<&EventOrder> {
        None
    }

    /// Literals that the order of positions consists of, for those who want to split
    /// the runs: each value that one can take is a part, and when all have one, there
    /// is one order left. Those that say most come first.
    fn choices(&mut self, threads: &Threads, sink: &mut dyn ClauseSink) -> Vec<Literal>;

    /// What there is against what a solver found that clauses and the order of events do
    /// not say, as clauses which that does not satisfy. A solver is to be asked again with
    /// them, until there are none.
    fn objections(&self, _value: &dyn Fn(Literal) -> Option<bool>) -> Vec<Vec<Literal>> {
        Vec::new()
    }

    /// What a solver found, given the values of literals. Those that the solver
    /// does not tell may be anything.
    fn model(&self, threads: &Threads, value: &dyn Fn(Literal) -> Option<bool>) -> Model;
}
