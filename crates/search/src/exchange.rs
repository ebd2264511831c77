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

    /// Gives a solver what others published since it last asked; `cursor` is how
    /// far it had come. Returns how many clauses these were.
    pub fn deliver(&self, core: usize, cursor: &mut usize, solver: &mut dyn Engine) -> u64 {
        let news: Vec<Entry> = {
            let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let news = log[*cursor..].iter().filter(|(from, _)| *from != core);
            let news = news.cloned().collect();
            *cursor = log.len();
            news
        };
        for (_, clause) in &news {
            solver.add_clause(clause);
        }
        news.len() as u64
    }
}
