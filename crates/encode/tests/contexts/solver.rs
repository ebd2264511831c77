//! A solver as a sink of clauses, and nothing else.

use encode::Encoding;
use solve::{Budget, Cadical, ClauseSink, KeepOrder, Literal, Outcome, SatSolver, Variable};

#[derive(Default)]
pub(crate) struct Solver(Cadical);

impl ClauseSink for Solver {
    fn new_variable(&mut self) -> Variable {
        self.0.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.0.add_clause(clause);
    }
}

impl Solver {
    /// Learns what an encoding leaves to solvers. To be called before each question,
    /// since literals that were asked for may have brought more.
    pub(crate) fn keep_order_of(&mut self, encoding: &impl Encoding) {
        if let Some(order) = encoding.event_order() {
            self.0.keep(order);
        }
    }

    pub(crate) fn is_satisfiable(&mut self, assumptions: &[Literal]) -> bool {
        match self.0.solve(assumptions, &Budget::default()) {
            Outcome::Satisfiable => true,
            Outcome::Unsatisfiable => false,
            Outcome::Unknown(reason) => panic!("the solver gave up: {reason}"),
        }
    }

    pub(crate) fn value(&self, literal: Literal) -> Option<bool> {
        self.0.value(literal)
    }
}
