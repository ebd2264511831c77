//! Clauses on their way from core to core.
//!
//! What one solver learns follows from the clauses that all have, so every other
//! may use it. Only short clauses are worth the way, and only the latest are kept.
//! Solvers are given them between two calls, or ask for them while they work.

use solve::{ClauseSource, Literal, SatSolver, ShareClauses, Variable};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clauses that are kept for others at most. Who has not read them by then does
/// without.
const MOST: usize = 1 << 18;

/// Who wrote it, and the clause.
type Entry = (usize, Arc<[Literal]>);

/// How far a solver has read.
#[derive(Clone, Copy)]
pub(crate) struct Cursor {
    core: usize,
    next: u64,
    /// Clauses of its own core before this one are not its own.
    own_before: u64,
}

/// A log of clauses to which all cores write.
#[derive(Clone, Default)]
pub(crate) struct Exchange(Arc<Shared>);

#[derive(Default)]
struct Shared {
    log: Mutex<Log>,
    /// The number of the next entry: what there is can be seen without waiting.
    end: AtomicU64,
    /// Clauses of others that solvers were given.
    given: AtomicU64,
}

#[derive(Default)]
struct Log {
    entries: VecDeque<Entry>,
    /// The number of the first entry.
    first: u64,
}

impl Exchange {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn publish(&self, core: usize, clause: &[Literal]) {
        let mut log = self.log();
        if log.entries.len() == MOST {
            log.entries.pop_front();
            log.first += 1;
        }
        log.entries.push_back((core, clause.into()));
        self.0.end.fetch_add(1, Ordering::Release);
    }

    /// How many clauses of others solvers were given so far.
    pub(crate) fn given(&self) -> u64 {
        self.0.given.load(Ordering::Relaxed)
    }

    /// Has a solver publish the short clauses that it learns.
    pub(crate) fn listen(&self, core: usize, max_length: usize, solver: &mut dyn ShareClauses) {
        let exchange = self.clone();
        let sink = move |clause: &[Literal]| exchange.publish(core, clause);
        solver.on_learnt(max_length, Box::new(sink));
    }

    /// Where a solver begins to read: at the first clause. What its core wrote
    /// so far is news too, since it is a new solver.
    pub(crate) fn cursor(&self, core: usize) -> Cursor {
        Cursor {
            core,
            next: 0,
            own_before: self.0.end.load(Ordering::Acquire),
        }
    }

    /// Adds what a solver does not know yet.
    fn read(&self, cursor: &mut Cursor, news: &mut impl Extend<Entry>) {
        if cursor.next == self.0.end.load(Ordering::Acquire) {
            return;
        }
        let log = self.log();
        let begin = cursor.next.max(log.first);
        let end = log.first + log.entries.len() as u64;
        let unread = log.entries.range((begin - log.first) as usize..);
        let (own, own_before) = (cursor.core, cursor.own_before);
        let is_new = |(number, (from, _)): &(u64, &Entry)| *from != own || *number < own_before;
        let unread = (begin..end).zip(unread).filter(is_new);
        news.extend(unread.map(|(_, entry)| entry.clone()));
        cursor.next = end;
    }

    fn count(&self, core: usize, from: usize) {
        if from != core {
            self.0.given.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Gives a solver what it does not know yet, now.
    pub(crate) fn deliver(&self, cursor: &mut Cursor, solver: &mut dyn SatSolver) {
        let mut news: Vec<Entry> = Vec::new();
        self.read(cursor, &mut news);
        for (from, clause) in news {
            solver.add_clause(&clause);
            self.count(cursor.core, from);
        }
    }

    /// Gives a solver what it does not know yet of these variables, while it works.
    pub(crate) fn connect(
        &self,
        mut cursor: Cursor,
        variables: &[Variable],
        solver: &mut dyn ShareClauses,
    ) {
        let exchange = self.clone();
        let mut news: VecDeque<Entry> = VecDeque::new();
        let source: ClauseSource = Box::new(move || {
            if news.is_empty() {
                exchange.read(&mut cursor, &mut news);
            }
            let (from, clause) = news.pop_front()?;
            exchange.count(cursor.core, from);
            Some(clause)
        });
        solver.take_learnt(variables, source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(exchange: &Exchange, cursor: &mut Cursor) -> Vec<i32> {
        let mut news: Vec<Entry> = Vec::new();
        exchange.read(cursor, &mut news);
        let first = |(_, clause): &Entry| clause[0].to_dimacs();
        news.iter().map(first).collect()
    }

    fn publish(exchange: &Exchange, core: usize, number: i32) {
        exchange.publish(core, &[Literal::from_dimacs(number).unwrap()]);
    }

    #[test]
    fn everyone_reads_what_is_news_to_them_once() {
        let exchange = Exchange::default();
        let mut early = exchange.cursor(0);
        publish(&exchange, 0, 1);
        publish(&exchange, 1, 2);
        // A new solver does not know what the one before it learnt.
        let mut late = exchange.cursor(0);
        publish(&exchange, 0, 3);
        publish(&exchange, 1, 4);
        assert_eq!(numbers(&exchange, &mut early), [2, 4]);
        assert!(numbers(&exchange, &mut early).is_empty());
        assert_eq!(numbers(&exchange, &mut late), [1, 2, 4]);
        publish(&exchange, 1, 5);
        assert_eq!(numbers(&exchange, &mut late), [5]);
    }

    #[test]
    fn only_the_latest_are_kept() {
        let exchange = Exchange::default();
        let (mut slow, mut quick) = (exchange.cursor(0), exchange.cursor(0));
        publish(&exchange, 1, 1);
        publish(&exchange, 1, 2);
        assert_eq!(numbers(&exchange, &mut quick), [1, 2]);
        let last = MOST as i32 + 1;
        (3..=last).for_each(|number| publish(&exchange, 1, number));
        let expected: Vec<i32> = (2..=last).collect();
        assert_eq!(numbers(&exchange, &mut slow), expected);
        assert_eq!(numbers(&exchange, &mut quick), expected[1..]);
    }
}
