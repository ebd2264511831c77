//! A solver that counts the clauses on their way, and keeps a copy if a file wants
//! them.

use clauses::{ClauseList, ClauseSink, Literal, Variable};
use solve::{Factory, Role, SatSolver};

pub(crate) struct Feed {
    pub solver: Box<dyn SatSolver>,
    pub clauses: usize,
    pub variables: usize,
    copy: Option<ClauseList>,
}

impl Feed {
    pub(crate) fn new(keeps_copy: bool, factory: &Factory) -> Feed {
        Feed {
            solver: factory.make(&Role::default()),
            clauses: 0,
            variables: 0,
            copy: keeps_copy.then(ClauseList::new),
        }
    }

    pub(crate) fn copy(&self) -> Option<&ClauseList> {
        self.copy.as_ref()
    }
}

impl ClauseSink for Feed {
    fn new_variable(&mut self) -> Variable {
        self.variables += 1;
        if let Some(copy) = &mut self.copy {
            copy.new_variable();
        }
        self.solver.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.clauses += 1;
        if let Some(copy) = &mut self.copy {
            copy.add_clause(clause);
        }
        self.solver.add_clause(clause);
    }
}
