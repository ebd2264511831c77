//! The encoding by contexts: a bounded number of switches between threads.
//!
//! A *context* is a run of positions of one thread without a switch. The code
//! of each thread is encoded once; only the memory has a copy for each context,
//! its value when the context starts. A read sees what the thread itself saw or
//! wrote last if it was not switched out since, and else the copy of the context
//! that the position is in. So the size is that of the code plus the number of
//! accesses times the number of contexts.
//!
//! A thread may stop anywhere: runs that go on no further are included, and so
//! are runs with fewer contexts. Nothing here chooses a schedule or a query:
//! that is done by assuming literals, see [`Encoding`].

mod bounds;
mod memory;
mod model;
mod normal_forms;
mod schedule;

use formula::{Blaster, ClauseSink, Lit, Literal, Polarity, Room};
use std::collections::HashSet;
use unfold::{ThreadId, Threads};

use crate::asked::{Parts, Sighted};
use crate::moments::reasons_to_stay;
use crate::sought::{Passed, Sought};
use crate::{Encode, Encoding, Goals, Model, NormalForms};
use memory::{Memory, Views};
use schedule::{Schedule, last};

/// The order in which threads have contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turns {
    /// Each context may belong to any thread but that of the context before; main has
    /// the first. Bounds are numbers of contexts.
    #[default]
    Free,
    /// The threads take turns in the order of their ids. Bounds are numbers of rounds.
    InRounds,
}

/// How to encode.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByContexts {
    pub turns: Turns,
    /// Not kept to if races are looked for: what comes last would not be free.
    pub normal_forms: NormalForms,
    pub formula: formula::Options,
}

/// The formula of one bounded program, with the literals of its schedule for those
/// strategies that need them.
pub struct Contexts {
    turns: Turns,
    n_threads: usize,
    blaster: Blaster,
    schedule: Schedule,
    memory: Memory,
    passed: Passed,
    sought: Sought,
}

impl Encode for ByContexts {
    type Encoding = Contexts;

    /// # Panics
    /// If there is no thread or no context.
    fn encode(
        &self,
        threads: &Threads,
        bound: usize,
        goals: Goals,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
        room: Option<Room>,
    ) -> Option<Contexts> {
        let contexts = bounds::contexts(threads, self.turns, bound);
        let mut blaster = Blaster::new(self.formula);
        blaster.gates.limit(room);
        let schedule = Schedule::new(threads, contexts, self.turns, &mut blaster, sink);
        let narrowing = self.formula.narrowing;
        let reads_at_end = goals.races || goals.deadlocks;
        let memory = Memory::new(threads, &schedule, narrowing, reads_at_end, &mut blaster);
        let mut passed = Passed::new();
        for (id, thread) in threads.threads.iter() {
            passed[id] = (0..thread.positions.len())
                .map(|position| schedule.threads[id].is_passed(position))
                .collect();
        }
        let mut encoding = Contexts {
            turns: self.turns,
            n_threads: threads.threads.len(),
            blaster,
            schedule,
            memory,
            passed,
            sought: Sought::default(),
        };
        // Creators come first, so what is handed to a thread is known by then.
        for thread in threads.threads.keys() {
            encoding.code(threads, thread, keep_going)?;
        }
        for thread in threads.threads.keys() {
            encoding.rules(threads, thread, sink, keep_going)?;
        }
        encoding.sought(threads, goals, sink, keep_going)?;
        let (schedule, blaster) = (&encoding.schedule, &mut encoding.blaster);
        let forms = match goals.races {
            true => NormalForms::default(),
            false => self.normal_forms,
        };
        let memory = &mut encoding.memory;
        normal_forms::insist(threads, schedule, memory, forms, blaster, sink, keep_going)?;
        encoding.settle(sink, keep_going)?;
        // What is asked for later is small.
        encoding.blaster.gates.limit(None);
        (!encoding.blaster.gates.is_full()).then_some(encoding)
    }

    fn covering(&self, threads: &Threads) -> u64 {
        bounds::covering(threads, self.turns)
    }
}

impl Sighted for Contexts {
    fn parts(&mut self) -> Parts<'_> {
        Parts {
            blaster: &mut self.blaster,
            passed: &self.passed,
            sought: &mut self.sought,
        }
    }

    fn settle_all(&mut self, sink: &mut dyn ClauseSink) {
        let settled = self.settle(sink, &mut || true);
        settled.expect("nobody interrupts");
    }
}

impl Encoding for Contexts {
    fn within(&mut self, bound: usize, sink: &mut dyn ClauseSink) -> Option<Literal> {
        let contexts = match self.turns {
            Turns::Free => bound,
            Turns::InRounds => bound * self.n_threads,
        };
        (contexts < self.contexts()).then(|| self.unused_from(contexts, sink))
    }

    fn choices(&mut self, threads: &Threads, sink: &mut dyn ClauseSink) -> Vec<Literal> {
        let (mut runs, mut passes) = (Vec::new(), Vec::new());
        for context in 0..self.contexts() {
            for thread in threads.threads.keys() {
                let schedule = &self.schedule.threads[thread];
                runs.push(schedule.run[context]);
                passes.extend(schedule.done.iter().map(|row| row[context]));
            }
        }
        runs.extend(passes);
        // Many stand for several contexts.
        let mut seen = HashSet::new();
        runs.retain(|lit| !lit.is_constant() && seen.insert(lit.index()));
        (runs.iter())
            .map(|lit| self.literal(*lit, Polarity::Both, sink))
            .collect()
    }

    fn model(&self, threads: &Threads, value: &dyn Fn(Literal) -> Option<bool>) -> Model {
        model::read(self, threads, value)
    }
}

impl Contexts {
    /// How many contexts there are.
    pub fn contexts(&self) -> usize {
        self.schedule.contexts
    }

    /// The context belongs to the thread.
    pub fn run(&mut self, context: usize, thread: ThreadId, sink: &mut dyn ClauseSink) -> Literal {
        let lit = self.schedule.threads[thread].run[context];
        self.literal(lit, Polarity::Both, sink)
    }

    /// The position is passed, and in the same context as the one before.
    pub fn stay(
        &mut self,
        thread: ThreadId,
        position: usize,
        sink: &mut dyn ClauseSink,
    ) -> Literal {
        let lit = match position.checked_sub(1) {
            Some(before) => (self.memory).together(thread, before, position, &mut self.blaster),
            None => Lit::FALSE,
        };
        self.literal(lit, Polarity::Both, sink)
    }

    /// The position is behind the thread when the context ends.
    pub fn done(
        &mut self,
        thread: ThreadId,
        position: usize,
        context: usize,
        sink: &mut dyn ClauseSink,
    ) -> Literal {
        let lit = self.schedule.threads[thread].done[position][context];
        self.literal(lit, Polarity::Both, sink)
    }

    /// No position is passed in this context and in those after it. Only for
    /// assumptions: its negation says nothing. There is one for the number of
    /// contexts too, which is true.
    pub fn unused_from(&mut self, context: usize, sink: &mut dyn ClauseSink) -> Literal {
        let lit = self.schedule.unused_from[context];
        self.literal(lit, Polarity::Positive, sink)
    }

    fn settle(
        &mut self,
        sink: &mut (impl ClauseSink + ?Sized),
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (schedule, blaster) = (&self.schedule, &mut self.blaster);
        self.memory.settle(schedule, blaster, sink, keep_going)
    }

    /// What there is to look for.
    fn sought(
        &mut self,
        threads: &Threads,
        goals: Goals,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (schedule, blaster) = (&self.schedule, &mut self.blaster);
        // In its last context nobody has one after that.
        let mut is_last = |thread, blaster: &mut Blaster| {
            let activity = schedule.activity(threads, thread, blaster);
            let lasts: Vec<Lit> = (activity.iter().zip(&schedule.unused_from[1..]))
                .map(|(is_active, is_over)| blaster.gates.and(*is_active, *is_over))
                .collect();
            blaster.gates.any(&lasts)
        };
        let passed = &self.passed;
        self.sought = Sought::in_the_end(threads, passed, goals, Some(&mut is_last), blaster, sink);
        for thread in threads.threads.keys() {
            self.skips(threads, thread, sink);
        }
        let blaster = &mut self.blaster;
        (self.sought).moments(threads, &self.passed, blaster, sink, keep_going)
    }

    /// Gives meaning to what a thread reads, and notes what it writes.
    fn code(
        &mut self,
        threads: &Threads,
        thread: ThreadId,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let mut views = Views::default();
        for (index, position) in threads.threads[thread].positions.iter().enumerate() {
            if !keep_going() {
                return None;
            }
            for access in &position.accesses {
                let here = (thread, index);
                let (schedule, blaster) = (&self.schedule, &mut self.blaster);
                let memory = &mut self.memory;
                memory.access(threads, schedule, here, *access, &mut views, blaster);
            }
        }
        Some(())
    }

    /// What must hold for a thread to get past its positions.
    fn rules(
        &mut self,
        threads: &Threads,
        thread: ThreadId,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        if !threads.threads[thread].positions.is_empty() {
            self.creation(threads, thread, sink);
        }
        for (index, position) in threads.threads[thread].positions.iter().enumerate() {
            if !keep_going() {
                return None;
            }
            for (condition, other) in &position.joins {
                let condition = self.blaster.literal(&threads.terms, *condition);
                self.join(threads, (thread, index), condition, *other, sink);
            }
            let passed = self.schedule.threads[thread].is_passed(index);
            for required in &position.requires {
                let guard = self.blaster.literal(&threads.terms, position.guard);
                let required = self.blaster.literal(&threads.terms, *required);
                let clause = [!passed, !guard, required];
                self.blaster.add_clause(&clause, sink);
            }
        }
        Some(())
    }

    /// A thread starts only when it has been created. That was in an earlier
    /// context, since creators do not create themselves.
    fn creation(&mut self, threads: &Threads, thread: ThreadId, sink: &mut impl ClauseSink) {
        let Some(creation) = threads.threads[thread].creation else {
            return;
        };
        let first = self.schedule.threads[thread].done[0].clone();
        let created = self.schedule.threads[creation.thread].done[creation.position].clone();
        let quiet = threads.threads[thread].quiet_before;
        if quiet > 0 {
            for (passed, created) in first.iter().zip(&created) {
                self.blaster.add_clause(&[!*passed, *created], sink);
            }
        }
        // What takes a turn has to wait for it.
        let positions = threads.threads[thread].positions[..quiet].iter();
        for (index, position) in positions.enumerate() {
            let guard = self.blaster.literal(&threads.terms, position.guard);
            let own = self.blaster.literal(&threads.terms, position.own);
            let schedule = &self.schedule.threads[thread];
            for (at, run) in schedule.at[index].iter().zip(&schedule.run) {
                self.blaster.add_clause(&[!*at, *run, !guard, own], sink);
            }
        }
        if let Some(first) = self.schedule.threads[thread].done.get(quiet).cloned() {
            self.only_after(&first, None, &created, sink);
        }
        let condition = self.blaster.literal(&threads.terms, creation.condition);
        let clause = [!last(&first), condition];
        self.blaster.add_clause(&clause, sink);
    }

    fn join(
        &mut self,
        threads: &Threads,
        (thread, position): (ThreadId, usize),
        condition: Lit,
        other: ThreadId,
        sink: &mut impl ClauseSink,
    ) {
        let passed = self.schedule.threads[thread].done[position].clone();
        let ended = self.schedule.threads[other].done.last().cloned();
        if !threads.threads[other].can_end {
            let clause = [!last(&passed), !condition];
            self.blaster.add_clause(&clause, sink);
        } else if let Some(ended) = ended {
            self.only_after(&passed, Some(condition), &ended, sink);
        } else if let Some(creation) = threads.threads[other].creation {
            // A thread that does nothing has ended as soon as it exists.
            if creation.thread == thread && creation.position >= position {
                let clause = [!last(&passed), !condition];
                self.blaster.add_clause(&clause, sink);
            } else if creation.thread != thread {
                let creator = &self.schedule.threads[creation.thread];
                let created = creator.done[creation.position].clone();
                self.only_after(&passed, Some(condition), &created, sink);
            }
            let exists = self.blaster.literal(&threads.terms, creation.condition);
            let clause = [!last(&passed), !condition, exists];
            self.blaster.add_clause(&clause, sink);
        }
    }

    /// If the condition holds, `later` holds only from the context after that
    /// in which `earlier` began to hold.
    fn only_after(
        &mut self,
        later: &[Lit],
        condition: Option<Lit>,
        earlier: &[Lit],
        sink: &mut impl ClauseSink,
    ) {
        let condition = condition.unwrap_or(Lit::TRUE);
        let mut before = (Lit::FALSE, Lit::FALSE);
        for (later, earlier) in later.iter().zip(earlier) {
            // A context of somebody else adds nothing.
            if *later != before.0 {
                let clause = [!*later, !condition, before.1];
                self.blaster.add_clause(&clause, sink);
            }
            before = (*later, *earlier);
        }
    }

    /// Positions that a path does not lead through keep no thread waiting.
    fn skips(&mut self, threads: &Threads, thread: ThreadId, sink: &mut impl ClauseSink) {
        for index in 1..threads.threads[thread].skips_before {
            let mut clause = reasons_to_stay(threads, thread, index, &mut self.blaster);
            let done = &self.schedule.threads[thread].done;
            let steps: Vec<(Lit, Lit)> = (done[index - 1].iter().copied())
                .zip(done[index].iter().copied())
                .collect();
            for (before, now) in steps {
                clause.extend([!before, now]);
                self.blaster.add_clause(&clause, sink);
                clause.truncate(clause.len() - 2);
            }
        }
    }
}
