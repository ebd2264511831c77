//! Who runs when: the part of the encoding that knows no values.
//!
//! Makes the literals that say which thread has a context and how far each
//! thread has come when a context ends, and relates them to each other. What
//! cannot be, whatever the values are, is a constant from the start: a thread
//! before it can have been created, or a context of somebody else. Creation,
//! joins and everything else that depends on values is not stated here.

use cranelift_entity::{EntityRef, SecondaryMap};
use formula::{Blaster, ClauseSink, Lit, Polarity};
use unfold::{ThreadId, Threads};

use super::Turns;

/// Literals by context.
pub(super) type Row = Vec<Lit>;

#[derive(Clone, Default)]
pub(super) struct ThreadSchedule {
    /// The context belongs to the thread.
    pub run: Row,
    /// By position: it is behind the thread when the context ends. Holds in all
    /// later contexts too, and for all earlier positions.
    pub done: Vec<Row>,
    /// By position: it is passed in the context.
    pub at: Vec<Row>,
}

impl ThreadSchedule {
    /// Whether a position is passed at all.
    pub(super) fn is_passed(&self, position: usize) -> Lit {
        last(&self.done[position])
    }
}

/// The state at the end of the last context.
pub(super) fn last(row: &[Lit]) -> Lit {
    *row.last().expect("there should be a context")
}

pub(super) struct Schedule {
    pub contexts: usize,
    /// Whether the order of threads is fixed.
    pub is_round_robin: bool,
    pub threads: SecondaryMap<ThreadId, ThreadSchedule>,
    /// By context, and one more: no position is passed from here on. These are
    /// free inputs that only forbid, so they cost nothing unless assumed.
    pub unused_from: Vec<Lit>,
}

impl Schedule {
    /// # Panics
    /// If there is no thread or no context.
    pub(super) fn new(
        threads: &Threads,
        contexts: usize,
        turns: Turns,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) -> Schedule {
        let n_threads = threads.threads.len();
        assert!(n_threads > 0, "there should be a main thread");
        assert!(contexts > 0, "there should be a context");
        let mut schedule = Schedule {
            contexts,
            // Two threads that take turns are in that order anyway.
            is_round_robin: turns == Turns::InRounds || n_threads <= 2,
            threads: SecondaryMap::new(),
            unused_from: Vec::new(),
        };
        let earliest = Earliest::new(threads, &schedule);
        schedule.unused_contexts(blaster, sink);
        schedule.turns(threads, &earliest, blaster, sink);
        for thread in threads.threads.keys() {
            schedule.progress(threads, thread, &earliest, blaster, sink);
        }
        schedule
    }

    fn unused_contexts(&mut self, blaster: &mut Blaster, sink: &mut impl ClauseSink) {
        // Main may be unable to do anything, so even the first may be unused.
        self.unused_from = blaster.gates.inputs(self.contexts);
        self.unused_from.push(Lit::TRUE);
        for pair in self.unused_from.windows(2) {
            blaster.add_clause(&[!pair[0], pair[1]], sink);
        }
    }

    /// Makes `run`: each context has exactly one thread, not the same as the
    /// context before.
    fn turns(
        &mut self,
        threads: &Threads,
        earliest: &Earliest,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) {
        let n_threads = threads.threads.len();
        for context in 0..self.contexts {
            let candidates = self.candidates(threads, earliest, context);
            let row: Vec<Lit> = threads
                .threads
                .keys()
                .map(|thread| match candidates.as_slice() {
                    [only] => Lit::constant(*only == thread),
                    _ if candidates.contains(&thread) => blaster.gates.input(),
                    _ => Lit::FALSE,
                })
                .collect();
            let one = blaster.gates.exactly_one(&row);
            blaster.add_clause(&[one], sink);
            for (thread, now) in threads.threads.keys().zip(row) {
                let run = &mut self.threads[thread].run;
                if let Some(before) = run.last()
                    && !self.is_round_robin
                    && n_threads > 1
                {
                    blaster.add_clause(&[!*before, !now], sink);
                }
                run.push(now);
            }
        }
    }

    /// The threads that a context may belong to. A thread that cannot exist yet
    /// is left out: a schedule in which it idles could as well go on at once.
    fn candidates(&self, threads: &Threads, earliest: &Earliest, context: usize) -> Vec<ThreadId> {
        if self.is_round_robin {
            return vec![ThreadId::new(context % threads.threads.len())];
        }
        if context == 0 {
            return vec![ThreadId::new(0)];
        }
        let existing = |thread: &ThreadId| earliest.starts[*thread] <= context;
        // There must always be somebody else to hand over to.
        let is_enough = threads.threads.keys().filter(existing).count() >= 2;
        let is_free = |thread: &ThreadId| self.threads[*thread].run.last() != Some(&Lit::TRUE);
        (threads.threads.keys())
            .filter(|thread| !is_enough || existing(thread))
            .filter(is_free)
            .collect()
    }

    /// By context: whether a thread does something in it, rather than pass positions
    /// that its path does not lead through.
    pub(super) fn activity(
        &self,
        threads: &Threads,
        thread: ThreadId,
        blaster: &mut Blaster,
    ) -> Row {
        let mut rows = vec![Vec::new(); self.contexts];
        let positions = threads.threads[thread].positions.iter();
        for (position, at) in positions.zip(&self.threads[thread].at) {
            let guard = blaster.literal(&threads.terms, position.guard);
            for (row, at) in rows.iter_mut().zip(at) {
                row.push(blaster.gates.and(*at, guard));
            }
        }
        rows.iter().map(|row| blaster.gates.any(row)).collect()
    }

    /// Makes `done` and `at` of a thread.
    fn progress(
        &mut self,
        threads: &Threads,
        thread: ThreadId,
        earliest: &Earliest,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) {
        let data = &threads.threads[thread];
        // What is quiet may be passed in the context of the creation.
        let creation = data.creation.filter(|_| data.quiet_before > 0);
        let created = creation.map(|creation| {
            let creator = &self.threads[creation.thread];
            creator.at[creation.position].clone()
        });
        let schedule = &mut self.threads[thread];
        // What makes a context usable by this thread.
        let active: Row = (schedule.run.iter().zip(&self.unused_from))
            .map(|(run, unused)| blaster.gates.and(*run, !*unused))
            .collect();
        for position in 0..data.positions.len() {
            let mut done: Row = Vec::with_capacity(self.contexts);
            let mut at: Row = Vec::with_capacity(self.contexts);
            for context in 0..self.contexts {
                let before = done.last().copied().unwrap_or(Lit::FALSE);
                let created = (created.as_ref().filter(|_| position < data.quiet_before))
                    .map_or(Lit::FALSE, |created| created[context]);
                let has_turn = schedule.run[context] != Lit::FALSE || created != Lit::FALSE;
                let can_pass = has_turn && earliest.positions[thread][position] <= context;
                if !can_pass {
                    done.push(before);
                    at.push(Lit::FALSE);
                    continue;
                }
                let now = blaster.gates.input();
                let here = blaster.gates.and(now, !before);
                // It is in so many clauses that it is worth a variable.
                blaster
                    .cnf
                    .literal(&blaster.gates, here, Polarity::Both, sink);
                blaster.add_clause(&[!before, now], sink);
                if let Some(previous) = schedule.done.last() {
                    blaster.add_clause(&[!now, previous[context]], sink);
                }
                blaster.add_clause(&[!here, active[context], created], sink);
                done.push(now);
                at.push(here);
            }
            schedule.done.push(done);
            schedule.at.push(at);
        }
    }
}

/// The first context in which each position can be passed, as far as turns,
/// creation and unconditional joins tell; the number of contexts if in none.
struct Earliest {
    positions: SecondaryMap<ThreadId, Vec<usize>>,
    /// For each thread: when it can first run.
    starts: SecondaryMap<ThreadId, usize>,
}

impl Earliest {
    fn new(threads: &Threads, schedule: &Schedule) -> Earliest {
        let mut earliest = Earliest {
            positions: SecondaryMap::new(),
            starts: SecondaryMap::new(),
        };
        for (id, thread) in threads.threads.iter() {
            earliest.positions[id] = vec![0; thread.positions.len()];
        }
        // A join refers to a later thread, so one pass is not enough. Numbers
        // only grow, and no further than the number of contexts; stopping early
        // would only make them less precise.
        for _ in 0..=schedule.contexts {
            let mut has_changed = false;
            for thread in threads.threads.keys() {
                has_changed |= earliest.update(threads, schedule, thread);
            }
            if !has_changed {
                break;
            }
        }
        earliest
    }

    fn update(&mut self, threads: &Threads, schedule: &Schedule, id: ThreadId) -> bool {
        let thread = &threads.threads[id];
        let never = schedule.contexts;
        let mut now = match thread.creation {
            None => 0,
            Some(creation) if threads.terms.as_bool(creation.condition) == Some(false) => never,
            Some(creation) => self.positions[creation.thread][creation.position] + 1,
        };
        let created = now.saturating_sub(1);
        now = next_turn(threads, schedule, id, now);
        let mut has_changed = self.starts[id] != now;
        self.starts[id] = now;
        for (index, position) in thread.positions.iter().enumerate() {
            for (condition, other) in &position.joins {
                if threads.terms.as_bool(*condition) == Some(true) {
                    let end = self.positions[*other].last();
                    if !threads.threads[*other].can_end {
                        now = never;
                    } else if let Some(end) = end {
                        now = now.max(end + 1);
                    }
                }
            }
            now = next_turn(threads, schedule, id, now);
            let earliest = match index < thread.quiet_before {
                true => created,
                false => now,
            };
            has_changed |= self.positions[id][index] != earliest;
            self.positions[id][index] = earliest;
        }
        has_changed
    }
}

/// The first context from `context` on that the thread may have.
fn next_turn(threads: &Threads, schedule: &Schedule, id: ThreadId, context: usize) -> usize {
    let n_threads = threads.threads.len();
    let is_turn = |context: usize| {
        if schedule.is_round_robin {
            context % n_threads == id.index()
        } else {
            // Main has the first context, and so not the second.
            context > 1 || (id.index() == 0) == (context == 0)
        }
    };
    (context..schedule.contexts)
        .find(|context| is_turn(*context))
        .unwrap_or(schedule.contexts)
}
