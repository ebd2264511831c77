//! A formula that was simplified once, for all cores.
//!
//! Solvers simplify what they are given, each in its own way: one eliminates a
//! variable that another keeps, and must bring it back when the other tells a
//! clause with it. Cores that share clauses work better on one formula that was
//! simplified before, in which all literals that they assume are kept.
//!
//! Every clause of it follows from the problem, so where it has no model, the
//! problem has none; and so do all clauses learnt from either. A model of it lacks
//! what was eliminated and is completed with the clauses of the problem.

use crate::{Model, Problem};
use solve::{Budget, ClauseList, Literal, Outcome, Reason, SatSolver, Variable};

pub(crate) struct Simplified {
    pub clauses: ClauseList,
    /// What is left.
    pub variables: Vec<Variable>,
}

impl Simplified {
    /// The problem with its query, simplified by a new solver; `None` if that cannot.
    pub(crate) fn of(
        problem: &Problem,
        keep: &[Literal],
        mut solver: &mut dyn SatSolver,
        budget: &Budget,
    ) -> Result<Option<Simplified>, Reason> {
        problem.copy_to(&mut solver, true);
        let mut keep = keep.to_vec();
        keep.push(problem.query);
        let Some(solver) = solver.simplifying() else {
            return Ok(None);
        };
        let clauses = solver.simplified(&keep, budget)?;
        let mut occurs = vec![false; clauses.variables().count()];
        for literal in clauses.clauses().flatten().chain(&keep) {
            occurs[literal.variable().index()] = true;
        }
        let variables = clauses.variables();
        let variables = variables.filter(|variable| occurs[variable.index()]);
        Ok(Some(Simplified {
            variables: variables.collect(),
            clauses,
        }))
    }

    /// A model of the problem with these values for what is left, found by a new
    /// solver.
    pub(crate) fn complete(
        &self,
        problem: &Problem,
        mut solver: Box<dyn SatSolver>,
        value: impl Fn(Literal) -> Option<bool>,
    ) -> Result<Model, Reason> {
        let left = self.variables.iter();
        let known: Option<Vec<Literal>> = left
            .map(|variable| {
                let literal = variable.positive();
                value(literal).map(|is_true| if is_true { literal } else { !literal })
            })
            .collect();
        let known = known.ok_or_else(|| flaw("it does not tell its model"))?;
        problem.copy_to(&mut solver, true);
        match solver.solve(&known, &Budget::default()) {
            Outcome::Satisfiable => Model::of(&problem.clauses, solver.as_ref()),
            Outcome::Unsatisfiable => {
                Err(flaw("its model of the simplified formula is no other's"))
            }
            Outcome::Unknown(reason) => Err(reason),
        }
    }
}

fn flaw(problem: &str) -> Reason {
    Reason::SolverDied(problem.to_owned())
}
