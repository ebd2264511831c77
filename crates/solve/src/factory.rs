//! Makes solvers: which one, and how it is set for what it is to do.
//!
//! Whoever needs a solver says what for ([`Role`]), never which options follow from
//! that: those are chosen here, once for all, and change no answer. What only some
//! back ends can do has a name ([`Ability`]), so that a search that needs it can be
//! refused before it begins.

use crate::budget::Budget;
use crate::cadical::Cadical;
use crate::error::Error;
use crate::process::{Input, Process};
use crate::solver::SatSolver;
use std::path::PathBuf;

/// Which solver answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// CaDiCaL, within this process.
    #[default]
    Cadical,
    /// A program that takes the name of a DIMACS file and answers as in the SAT
    /// competitions.
    Program(PathBuf),
}

/// What not every back end can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// To stop after so many conflicts, and go on later.
    LimitConflicts,
    /// To tell which assumptions are to blame, rather than all of them, and to be asked
    /// often about the same clauses.
    BlameAssumptions,
    /// To see to it that events fit one order.
    KeepOrder,
}

impl Backend {
    pub fn can(&self, ability: Ability) -> bool {
        match (self, ability) {
            (
                Backend::Cadical,
                Ability::LimitConflicts | Ability::BlameAssumptions | Ability::KeepOrder,
            ) => true,
            (
                Backend::Program(_),
                Ability::LimitConflicts | Ability::BlameAssumptions | Ability::KeepOrder,
            ) => false,
        }
    }

    /// Says if it is no good, as far as that can be seen at once.
    pub fn probe(&self, budget: &Budget) -> Result<(), Error> {
        match self {
            Backend::Cadical => Ok(()),
            Backend::Program(program) => process(program).probe(budget),
        }
    }
}

/// What a solver is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// Solvers with other numbers take other turns.
    pub number: u64,
    /// Another one does the same, and this one should begin at the other end.
    pub is_opposite: bool,
    /// Does without phases in which it looks for a model rather than a proof.
    pub is_for_proof: bool,
    /// It is asked often, not once.
    pub has_many_calls: bool,
    /// It gets a formula that was simplified before, and the clauses of others.
    pub is_simplified: bool,
}

/// Makes solvers of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factory {
    pub backend: Backend,
    pub seed: u64,
}

impl Factory {
    /// A solver without clauses.
    pub fn make(&self, role: &Role) -> Box<dyn SatSolver> {
        match &self.backend {
            Backend::Cadical => Box::new(self.cadical(role)),
            Backend::Program(program) => Box::new(process(program)),
        }
    }

    fn cadical(&self, role: &Role) -> Cadical {
        let mut options = Vec::new();
        if role.is_opposite {
            options.push(("phase", 0));
        }
        if role.is_for_proof {
            options.push(("stabilize", 0));
        }
        // These pay for a single call, not before each of many.
        if role.has_many_calls {
            options.extend([("lucky", 0), ("walk", 0)]);
        }
        if role.is_simplified {
            // With clauses of others, jumping back all the way takes fewer conflicts.
            options.push(("chrono", 0));
            // What others still use is not to be eliminated, and what could be found
            // by probing was.
            options.extend([("elim", 0), ("probe", 0)]);
        }
        let mut solver = Cadical::new();
        let mut is_set = solver.set_seed(self.seed.wrapping_add(role.number));
        for (name, value) in options {
            is_set = is_set.and_then(|()| solver.set_option(name, value));
        }
        is_set.expect("a new solver should take these options");
        solver
    }
}

fn process(program: &std::path::Path) -> Process {
    Process::new(program, [""; 0], Input::File)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_can_be_played() {
        let factory = Factory {
            seed: 7,
            ..Factory::default()
        };
        let values = |role: &Role| {
            let mut solver = factory.cadical(role);
            [
                "phase",
                "stabilize",
                "lucky",
                "walk",
                "chrono",
                "elim",
                "probe",
            ]
            .map(|name| solver.option(name))
        };
        let usual = values(&Role::default());
        assert!(usual.iter().all(|value| *value != Some(0)), "{usual:?}");
        let all = Role {
            number: u64::MAX,
            is_opposite: true,
            is_for_proof: true,
            has_many_calls: true,
            is_simplified: true,
        };
        assert_eq!(values(&all), [Some(0); 7]);
    }

    #[test]
    fn a_program_that_is_missing_is_no_solver() {
        let backend = Backend::Program("no-such-solver".into());
        let problem = backend.probe(&Budget::default()).unwrap_err();
        assert!(problem.to_string().contains("no-such-solver"), "{problem}");
        assert!(Backend::Cadical.probe(&Budget::default()).is_ok());
    }
}
