//! A solver as a sink of clauses, and nothing else.

use formula::ClauseSink;
use solve::{Budget, Cadical, ClauseSink as _, Literal, Outcome, SatSolver};

#[derive(Default)]
pub struct Solver {
    solver: Cadical,
    pub n_variables: usize,
    pub n_clauses: usize,
}

impl ClauseSink for Solver {
    fn new_variable(&mut self) -> i32 {
        self.n_variables += 1;
        self.solver.new_variable().positive().to_dimacs()
    }

    fn add_clause(&mut self, literals: &[i32]) {
        self.n_clauses += 1;
        let clause: Vec<Literal> = literals
            .iter()
            .map(|literal| as_literal(*literal))
            .collect();
        self.solver.add_clause(&clause);
    }
}

impl Solver {
    pub fn is_satisfiable(&mut self, assumptions: &[i32]) -> bool {
        let assumptions: Vec<Literal> = assumptions.iter().map(|a| as_literal(*a)).collect();
        match self.solver.solve(&assumptions, &Budget::default()) {
            Outcome::Satisfiable => true,
            Outcome::Unsatisfiable => false,
            Outcome::Unknown(reason) => panic!("the solver gave up: {reason}"),
        }
    }

    pub fn value(&self, literal: i32) -> Option<bool> {
        self.solver.value(as_literal(literal))
    }
}

fn as_literal(literal: i32) -> Literal {
    Literal::from_dimacs(literal).expect("a sink's literal should be one of the solver's")
}
