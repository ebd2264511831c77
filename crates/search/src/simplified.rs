//! A formula that was simplified once, for all cores.
//!
//! Solvers simplify what they are given, each in its own way: one eliminates a
//! variable that another keeps, and must bring it back when the other tells a
//! clause with it. Cores that share clauses work better on one formula that was
//! simplified before, in which all literals of the schedule are kept.
//!
//! Every clause of it follows from the problem, so where it has no model, the
//! problem has none; and so do all clauses learnt from either. A model of it lacks
//! what was eliminated and is completed with the clauses of the problem.

use crate::{Model, Problem};
use solve::{Budget, Cadical, Cnf, Literal, Outcome, Reason, SatSolver, Variable};

pub struct Simplified {
    pub cnf: Cnf,
    /// What is left.
    pub variables: Vec<Variable>,
}

impl Simplified {
    /// The problem with its query, simplified by a new solver.
    pub fn of(
        problem: &Problem,
        solver: &mut Cadical,
        budget: &Budget,
    ) -> Result<Simplified, Reason> {
        problem.copy_to(solver, true);
        let schedule = &problem.schedule;
        let rows = schedule.threads.iter().flat_map(|thread| &thread.done);
        let rows = rows.chain(&schedule.run).chain([&schedule.unused_from]);
        let mut keep: Vec<Literal> = rows.flatten().copied().collect();
        keep.extend([problem.query, schedule.truth]);
        let cnf = solver.simplified(&keep, budget)?;
        let mut occurs = vec![false; cnf.variables().count()];
        for literal in cnf.clauses().flatten().chain(&keep) {
            occurs[literal.variable().index()] = true;
        }
        let variables = cnf.variables();
        let variables = variables.filter(|variable| occurs[variable.index()]);
        Ok(Simplified {
            variables: variables.collect(),
            cnf,
        })
    }

    /// A model of the problem with these values for what is left.
    pub fn complete(
        &self,
        problem: &Problem,
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
        let mut solver = Cadical::new();
        problem.copy_to(&mut solver, true);
        match solver.solve(&known, &Budget::default()) {
            Outcome::Satisfiable => Model::of(&problem.cnf, &solver),
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
