//! Between a formula and a solver: one writes DIMACS numbers, the other wants
//! literals. Clauses are counted on the way, and kept if a file wants them.

use formula::{ClauseList, ClauseSink};
use solve::{Cadical, ClauseSink as _, Literal, SatSolver};

pub struct Feed {
    pub solver: Cadical,
    pub clauses: usize,
    pub variables: usize,
    copy: Option<ClauseList>,
}

impl Feed {
    pub fn new(keeps_copy: bool, seed: u64) -> Feed {
        let mut solver = Cadical::new();
        let is_set = solver.set_seed(seed);
        is_set.expect("a new solver should take a seed");
        Feed {
            solver,
            clauses: 0,
            variables: 0,
            copy: keeps_copy.then(ClauseList::new),
        }
    }

    pub fn literal(number: i32) -> Literal {
        let literal = Literal::from_dimacs(number);
        literal.expect("a formula should not use the number 0")
    }

    /// The value of a literal in the model found.
    pub fn value(&self, number: i32) -> Option<bool> {
        self.solver.value(Feed::literal(number))
    }

    pub fn copy(&self) -> Option<&ClauseList> {
        self.copy.as_ref()
    }
}

impl ClauseSink for Feed {
    fn new_variable(&mut self) -> i32 {
        self.variables += 1;
        if let Some(copy) = &mut self.copy {
            copy.new_variable();
        }
        self.solver.new_variable().positive().to_dimacs()
    }

    fn add_clause(&mut self, literals: &[i32]) {
        self.clauses += 1;
        if let Some(copy) = &mut self.copy {
            copy.add_clause(literals);
        }
        let clause: Vec<Literal> = literals.iter().map(|l| Feed::literal(*l)).collect();
        self.solver.add_clause(&clause);
    }
}
