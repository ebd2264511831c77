//! A solver as a sink of clauses, and nothing else.

use solve::{Budget, Cadical, ClauseSink, Literal, Outcome, SatSolver, Variable};

#[derive(Default)]
pub struct Solver(Cadical);

impl ClauseSink for Solver {
    fn new_variable(&mut self) -> Variable {
        self.0.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.0.add_clause(clause);
    }
}

impl Solver {
    pub fn is_satisfiable(&mut self, assumptions: &[Literal]) -> bool {
        match self.0.solve(assumptions, &Budget::default()) {
            Outcome::Satisfiable => true,
            Outcome::Unsatisfiable => false,
            Outcome::Unknown(reason) => panic!("the solver gave up: {reason}"),
        }
    }

    pub fn value(&self, literal: Literal) -> Option<bool> {
        self.0.value(literal)
    }
}
