//! Literals that forbid a thread to be switched out at a place.
//!
//! To *glue* a position to the one before it means: if the thread passes it at
//! all, it does so in the same context. The thread may still stop there for good,
//! so a run that ends with a violation need not go on beyond it, and nobody has
//! to get past a place where everybody waits. Positions at which a thread may
//! have to wait are never glued: it must be possible to switch to those who are
//! waited for.
//!
//! The literals are free inputs that only forbid: they cost nothing unless
//! assumed.

use crate::{ContextSchedule, Problem};
use solve::{ClauseSink, Literal};

#[derive(Clone, Debug, Default)]
pub(crate) struct Glue {
    /// By thread and position; `None` where a switch is always possible.
    pub literals: Vec<Vec<Option<Literal>>>,
}

impl Glue {
    /// Adds the literals and what they mean to a formula.
    pub(crate) fn add(problem: &mut Problem, schedule: &ContextSchedule) -> Glue {
        let clauses = &mut problem.clauses;
        let truth = schedule.truth;
        let mut literals = Vec::new();
        for thread in &schedule.threads {
            let mut row = vec![None; thread.done.len().min(1)];
            for (pair, may_wait) in thread.done.windows(2).zip(thread.may_wait.iter().skip(1)) {
                let (before, here) = (&pair[0], &pair[1]);
                let is_passed = here.last().filter(|_| !may_wait);
                row.push(is_passed.map(|is_passed| {
                    let glued = clauses.new_variable().positive();
                    let mut last = None;
                    for states in before.iter().zip(here) {
                        // A context of somebody else adds nothing.
                        if last.replace(states) != Some(states) && *states.0 != !truth {
                            clauses.add_clause(&[!glued, !*is_passed, !*states.0, *states.1]);
                        }
                    }
                    glued
                }));
            }
            literals.push(row);
        }
        Glue { literals }
    }
}
