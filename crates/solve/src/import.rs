//! Clauses of other solvers, for one that is at work.
//!
//! It watches nothing: whenever CaDiCaL asks for clauses, it passes on what there is.

use crate::onlooker::{Onlooker, Remark};
use crate::solver::ClauseSource;
use clauses::{Literal, Variable};
use std::sync::Arc;

pub(crate) struct Import {
    source: ClauseSource,
    observed: Vec<i32>,
    /// By variable: whether it may occur. CaDiCaL ends the process otherwise.
    is_taken: Vec<bool>,
    /// How many clauses may be added before the search goes on.
    due: u32,
    /// How many short clauses may still be kept for good.
    room: u32,
}

impl Import {
    /// CaDiCaL does not look whether it should stop while there are clauses.
    const BATCH: u32 = 1_000;
    /// Clauses up to this length are kept for good, as long as there is room: too many
    /// would slow the search down.
    const KEPT: usize = 6;
    const ROOM: u32 = 50_000;

    /// For a solver with so many variables, of which clauses may have these.
    pub(crate) fn new(source: ClauseSource, variables: &[Variable], count: usize) -> Import {
        let mut is_taken = vec![false; count];
        for variable in variables {
            is_taken[variable.index()] = true;
        }
        Import {
            source,
            observed: (variables.iter())
                .map(|variable| variable.positive().to_dimacs())
                .collect(),
            is_taken,
            due: Import::BATCH,
            room: Import::ROOM,
        }
    }

    fn next(&mut self) -> Option<Arc<[Literal]>> {
        loop {
            let clause = (self.source)()?;
            let is_taken = |literal: &Literal| self.is_taken.get(literal.variable().index());
            if clause
                .iter()
                .all(|literal| is_taken(literal) == Some(&true))
            {
                return Some(clause);
            }
        }
    }
}

impl Onlooker for Import {
    fn observed(&self) -> &[i32] {
        &self.observed
    }

    fn taken_back(&mut self, _decisions: usize) {
        self.due = Import::BATCH;
    }

    fn remark(&mut self) -> Option<Remark> {
        let due = self.due.checked_sub(1)?;
        let Some(clause) = self.next() else {
            self.due = 0;
            return None;
        };
        self.due = due;
        let is_kept = clause.len() <= Import::KEPT && self.room > 0;
        self.room -= u32::from(is_kept);
        Some(Remark {
            clause: clause.iter().map(|literal| literal.to_dimacs()).collect(),
            is_forgettable: !is_kept,
        })
    }
}
