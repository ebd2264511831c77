//! Clauses on their way from core to core.
//!
//! What one solver learns follows from the clauses that all have, so every other
//! may use it. Only short clauses are worth the way, and only so many. They are
//! taken between two calls: a solver cannot be given clauses while it works.

use crate::Engine;
use solve::Literal;
use std::sync::{Arc, Mutex, PoisonError};

/// Clauses that are kept for others at most.
const MOST: usize = 1 << 18;

/// Who wrote it, and the clause.
type Entry = (usize, Arc<[Literal]>);

/// How far a solver has read.
#[derive(Clone, Copy, Default)]
pub struct Cursor {
    next: usize,
    /// Clauses of its own core before this one are not its own.
    own_before: usize,
}

/// A log of clauses to which all cores write.
#[derive(Clone, Default)]
pub struct Exchange(Arc<Mutex<Vec<Entry>>>);

impl Exchange {
    pub fn publish(&self, core: usize, clause: &[Literal]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() < MOST {
            log.push((core, clause.into()));
        }
    }

    /// Has a solver publish the short clauses that it learns.
    pub fn listen(&self, core: usize, max_length: usize, solver: &mut dyn Engine) {
        let exchange = self.clone();
        let sink = move |clause: &[Literal]| exchange.publish(core, clause);
        solver.on_learnt(max_length, Box::new(sink));
    }

    /// Where a solver begins to read: at the first clause. What its core wrote
    /// so far is news too, since it is a new solver.
    pub fn cursor(&self) -> Cursor {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Cursor {
            next: 0,
            own_before: log.len(),
        }
    }

    /// Gives a solver what it does not know yet, if it is wanted. Returns how many
    /// clauses of others these were.
    pub fn deliver(
        &self,
        core: usize,
        cursor: &mut Cursor,
        solver: &mut dyn Engine,
        is_wanted: impl Fn(&[Literal]) -> bool,
    ) -> u64 {
        let news: Vec<Entry> = {
            let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let news = log.iter().enumerate().skip(cursor.next);
            let news = news.filter(|(at, (from, _))| *from != core || *at < cursor.own_before);
            let news = news.map(|(_, entry)| entry.clone()).collect();
            cursor.next = log.len();
            news
        };
        let wanted = news.iter().filter(|(_, clause)| is_wanted(clause));
        let mut foreign = 0;
        for (from, clause) in wanted {
            solver.add_clause(clause);
            foreign += u64::from(*from != core);
        }
        foreign
    }
}
