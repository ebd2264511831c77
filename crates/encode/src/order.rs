//! The encoding by order: which write each read sees, and what follows for the order of
//! steps. There is no bound on switches between threads.
//!
//! Each position is an *event*, except that one which is passed together with the one
//! before it in any case belongs to the event of that. Some events come before others for certain: those of a
//! thread in their order, what creates a thread before what the thread does, and its end
//! before a position that waits for that. The rest follows from literals:
//!
//! - A read that happens has a *source*: a write to the cell, or what was there at first.
//!   The write happens, and the values are equal.
//! - Of two writes to a cell that both happen, one comes first.
//! - What a read sees comes before it, and whatever overwrites that comes after it.
//!
//! A model is a run if all of this fits one order of events. No clause says so: that is
//! left to the solver, as an [`EventOrder`]. A position is passed as a whole, so atomic
//! sections and read-modify-writes need nothing more.
//!
//! A thread may stop anywhere. What a position that is not passed would read matters to
//! races and deadlocks only: it is what the last write has left, see [`memory`].
//!
//! Under a memory model weaker than interleavings, all of this is about more than one
//! order, see [`layers`] and [`models`], and what a model says besides is checked when a
//! solver has found something: [`Encoding::objections`]. A run is then an order of steps,
//! with what each read sees and where each write comes among those to its cell.
//!
//! Nothing here relies on turns: what [`unfold::Thread::quiet_before`] says makes no
//! difference, and threads must be settled for a formula to stand for all runs.

mod graph;
mod layers;
mod memory;
mod model;
mod models;
mod races;

use cranelift_entity::SecondaryMap;
use formula::events::{Before, EventId};
use formula::{Blaster, ClauseSink, EventOrder, Lit, Literal, Polarity, Room};
use std::collections::{HashMap, HashSet};
use unfold::{MemoryModel, Position, Strength, ThreadId, Threads};

use crate::asked::{Parts, Sighted};
use crate::moments::reasons_to_stay;
use crate::sought::{IsLast, Passed, Sought};
use crate::{Encode, Encoding, Goals, Model};
use graph::Graph;
use layers::Layers;
use memory::Memory;
use models::Rules;

/// How to encode.
#[derive(Clone, Copy, Debug)]
pub struct ByOrder {
    pub formula: formula::Options,
    /// Nothing depends on what is read where the condition of the read is false. Then
    /// such reads need no source.
    pub trusts_conditions: bool,
    pub model: MemoryModel,
}

impl Default for ByOrder {
    fn default() -> ByOrder {
        ByOrder {
            formula: formula::Options::default(),
            trusts_conditions: true,
            model: MemoryModel::Sc,
        }
    }
}

/// The formula of one bounded program.
pub struct InOrder {
    blaster: Blaster,
    events: EventOrder,
    steps: Steps,
    passed: Passed,
    memory: Memory,
    sought: Sought,
    rules: &'static Rules,
    notes: Notes,
}

/// What a weak memory model needs to know of steps. Nothing if there is none.
#[derive(Default)]
struct Notes {
    strengths: HashMap<EventId, Strength>,
    /// Whether a fence is reached.
    fences: HashMap<EventId, Lit>,
    /// Whether a step releases, or acquires, what it has written or looks at.
    releases: HashMap<EventId, Lit>,
    acquires: HashMap<EventId, Lit>,
    /// Steps of different threads, of which one happens before the other if a literal
    /// holds: creations and ends.
    certain: Vec<(EventId, EventId, Lit)>,
}

/// The events of positions.
struct Steps {
    /// By thread: the events of its positions.
    events: SecondaryMap<ThreadId, Vec<EventId>>,
    /// What comes right before the last step of a run that ends in a race.
    before_last: EventId,
}

impl Steps {
    fn of(&self, thread: ThreadId, position: usize) -> EventId {
        self.events[thread][position]
    }
}

impl Encode for ByOrder {
    type Encoding = InOrder;

    fn encode(
        &self,
        threads: &Threads,
        _bound: usize,
        goals: Goals,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
        room: Option<Room>,
    ) -> Option<InOrder> {
        let mut blaster = Blaster::new(self.formula);
        blaster.gates.limit(room);
        let rules = models::rules(self.model);
        let Order {
            steps,
            events,
            layers,
            notes,
            are_joins_certain,
        } = events(threads, rules);
        let mut passed = Passed::new();
        for (id, thread) in threads.threads.iter() {
            passed[id] = blaster.gates.inputs(thread.positions.len());
            for pair in passed[id].windows(2) {
                blaster.add_clause(&[!pair[1], pair[0]], sink);
            }
        }
        let mut encoding = InOrder {
            memory: Memory::new(threads, self, goals, layers, &mut blaster),
            blaster,
            events,
            steps,
            passed,
            sought: Sought::default(),
            rules,
            notes,
        };
        // Creators come first, so what is handed to a thread is known by then.
        for (id, thread) in threads.threads.iter() {
            let mut next = 0;
            while let Some(event) = encoding.steps.events[id].get(next).copied() {
                if !keep_going() {
                    return None;
                }
                let events = encoding.steps.events[id][next..].iter();
                let end = next + events.take_while(|other| **other == event).count();
                let parts: Vec<(&Position, Lit)> = (thread.positions[next..end].iter())
                    .zip(encoding.passed[id][next..end].iter().copied())
                    .collect();
                next = end;
                (encoding.memory).step(threads, event, &parts, &mut encoding.blaster);
            }
        }
        if rules.is_weak {
            let (steps, passed) = (&encoding.steps, &encoding.passed);
            (encoding.notes).find(threads, steps, passed, &mut encoding.blaster, sink);
            encoding.conditional_fences(threads, sink);
        }
        for thread in threads.threads.keys() {
            encoding.rules(threads, thread, are_joins_certain, sink, keep_going)?;
        }
        encoding.sought(threads, goals, sink, keep_going)?;
        if rules.is_weak {
            let (events, blaster) = (&mut encoding.events, &mut encoding.blaster);
            (encoding.memory).find_all_sources(events, blaster, sink, keep_going)?;
        }
        encoding.settle(sink, keep_going)?;
        // What is asked for later is small.
        encoding.blaster.gates.limit(None);
        encoding.memory.is_written = true;
        (!encoding.blaster.gates.is_full()).then_some(encoding)
    }

    /// There is nothing to bound.
    fn covering(&self, _threads: &Threads) -> u64 {
        0
    }

    fn covers_all(&self, _threads: &Threads, _bound: u64, is_settled: bool) -> bool {
        is_settled
    }
}

/// The events of all positions.
struct Order {
    steps: Steps,
    events: EventOrder,
    layers: Layers,
    notes: Notes,
    /// Whether those come in order for certain that wait for threads to end in any case.
    are_joins_certain: bool,
}

fn events(threads: &Threads, rules: &Rules) -> Order {
    let mut steps = Steps {
        events: SecondaryMap::new(),
        before_last: EventId(0),
    };
    let (mut chains, mut count) = (Vec::new(), 0);
    for (id, thread) in threads.threads.iter() {
        let before = count;
        for (index, position) in thread.positions.iter().enumerate() {
            // What is done together with the step before it is part of that.
            let is_part = (1..thread.skips_before).contains(&index)
                && threads.terms.as_bool(position.guard) == Some(false);
            count += u32::from(!is_part);
            steps.events[id].push(EventId(count - 1));
        }
        chains.push((count - before) as usize);
    }
    steps.before_last = EventId(count);
    chains.push(1);
    let (mut creations, mut joins) = (Vec::new(), Vec::new());
    for (id, thread) in threads.threads.iter() {
        if let Some(creation) = thread.creation
            && !thread.positions.is_empty()
        {
            let created = steps.of(creation.thread, creation.position);
            creations.push((created, steps.of(id, 0)));
        }
        for (index, position) in thread.positions.iter().enumerate() {
            for (condition, other) in &position.joins {
                let length = threads.threads[*other].positions.len();
                if is_certain_join(threads, *condition, *other) {
                    joins.push((steps.of(*other, length - 1), steps.of(id, index)));
                }
            }
        }
    }
    let mut certain: Vec<_> = creations.iter().chain(&joins).copied().collect();
    let mut made = EventOrder::new(&chains, &certain);
    let are_joins_certain = made.is_some();
    if !are_joins_certain {
        // Threads that wait for each other in any case never get there.
        made = EventOrder::new(&chains, &creations);
        certain = creations;
    }
    let base = made.expect("creators come first");
    let (layers, events) = Layers::new(threads, rules, &steps, base, (&chains, &certain));
    let mut notes = Notes::default();
    if rules.is_weak {
        let certain = certain
            .iter()
            .map(|(first, second)| (*first, *second, Lit::TRUE));
        notes.certain = certain.collect();
    }
    Order {
        steps,
        events,
        layers,
        notes,
        are_joins_certain,
    }
}

impl Notes {
    /// Makes literals for what steps mean to the model.
    fn find(
        &mut self,
        threads: &Threads,
        steps: &Steps,
        passed: &Passed,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) {
        for (id, thread) in threads.threads.iter() {
            for (index, position) in thread.positions.iter().enumerate() {
                let (event, strength) = (steps.of(id, index), position.strength);
                if strength == Strength::default() {
                    continue;
                }
                self.strengths.insert(event, strength);
                let mut literal = |condition| {
                    let condition = blaster.literal(&threads.terms, condition);
                    let lit = blaster.gates.and(passed[id][index], condition);
                    blaster
                        .cnf
                        .literal(&blaster.gates, lit, Polarity::Both, sink);
                    lit
                };
                if strength.fence.is_some() {
                    self.fences.insert(event, literal(position.guard));
                }
                if let Some(condition) = strength.releases {
                    self.releases.insert(event, literal(condition));
                }
                if let Some(condition) = strength.acquires {
                    self.acquires.insert(event, literal(condition));
                }
            }
        }
    }
}

/// Whether a position is passed only after a thread has ended. A condition that may be
/// false says nothing, not even one that is the guard: the thread then goes on.
fn is_certain_join(threads: &Threads, condition: formula::TermId, other: ThreadId) -> bool {
    let other = &threads.threads[other];
    let has_end = other.can_end && !other.positions.is_empty();
    threads.terms.as_bool(condition) == Some(true) && has_end
}

impl Sighted for InOrder {
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

impl Encoding for InOrder {
    fn within(&mut self, _bound: usize, _sink: &mut dyn ClauseSink) -> Option<Literal> {
        None
    }

    fn event_order(&self) -> Option<&EventOrder> {
        Some(&self.events)
    }

    fn choices(&mut self, _threads: &Threads, sink: &mut dyn ClauseSink) -> Vec<Literal> {
        let of_writes = self.events.orders().iter().map(|before| before.literal);
        let of_reads = self.events.sources().iter().map(|source| source.literal);
        let mut choices: Vec<Literal> = of_reads.chain(of_writes).collect();
        choices.extend(self.events.writes().iter().map(|write| write.happens));
        let passed: Vec<Lit> = self.passed.values().flatten().copied().collect();
        choices.extend((passed.iter()).map(|lit| self.literal(*lit, Polarity::Both, sink)));
        let mut seen = HashSet::new();
        choices.retain(|literal| seen.insert(literal.variable()));
        choices
    }

    fn objections(&self, value: &dyn Fn(Literal) -> Option<bool>) -> Vec<Vec<Literal>> {
        let Some(axioms) = self.rules.axioms else {
            return Vec::new();
        };
        let value = |literal: Literal| value(literal) == Some(true);
        let graph = Graph::of(&graph::Source {
            encoding: self,
            value: &value,
            steps: model::steps(self, &value),
        });
        let mut reasons = axioms(&graph);
        if reasons.is_empty() {
            reasons = races::objections(self, &graph, &value);
        }
        // What holds whatever a solver does is no reason.
        let negated = |lit: &Lit| Some(!self.blaster.cnf.known_literal(*lit)?);
        let clauses = reasons.iter().map(|reason| {
            let mut clause: Vec<Literal> = reason.iter().filter_map(negated).collect();
            clause.sort_unstable();
            clause.dedup();
            clause
        });
        clauses.collect()
    }

    fn model(&self, threads: &Threads, value: &dyn Fn(Literal) -> Option<bool>) -> Model {
        model::read(self, threads, value)
    }
}

impl InOrder {
    /// Whether a literal holds in what a solver found.
    fn holds(&self, lit: Lit, value: &dyn Fn(Literal) -> bool) -> bool {
        match lit.as_constant() {
            Some(value) => value,
            None => self.blaster.cnf.known_literal(lit).is_some_and(value),
        }
    }

    fn settle(
        &mut self,
        sink: &mut (impl ClauseSink + ?Sized),
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (events, blaster) = (&mut self.events, &mut self.blaster);
        self.memory.settle(events, blaster, sink, keep_going)
    }

    /// What must hold for a thread to get past its positions.
    fn rules(
        &mut self,
        threads: &Threads,
        thread: ThreadId,
        are_joins_certain: bool,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let data = &threads.threads[thread];
        if let (Some(creation), Some(first)) = (data.creation, self.passed[thread].first()) {
            let (first, blaster) = (*first, &mut self.blaster);
            let created = self.passed[creation.thread][creation.position];
            let condition = blaster.literal(&threads.terms, creation.condition);
            blaster.add_clause(&[!first, created], sink);
            blaster.add_clause(&[!first, condition], sink);
        }
        for (index, position) in data.positions.iter().enumerate() {
            if !keep_going() {
                return None;
            }
            for (condition, other) in &position.joins {
                let is_certain = are_joins_certain && is_certain_join(threads, *condition, *other);
                let condition = self.blaster.literal(&threads.terms, *condition);
                self.join(
                    threads,
                    (thread, index),
                    condition,
                    *other,
                    is_certain,
                    sink,
                );
            }
            let (passed, blaster) = (self.passed[thread][index], &mut self.blaster);
            for required in &position.requires {
                let guard = blaster.literal(&threads.terms, position.guard);
                let required = blaster.literal(&threads.terms, *required);
                blaster.add_clause(&[!passed, !guard, required], sink);
            }
        }
        self.skips(threads, thread, sink);
        Some(())
    }

    fn join(
        &mut self,
        threads: &Threads,
        (thread, position): (ThreadId, usize),
        condition: Lit,
        other: ThreadId,
        is_certain: bool,
        sink: &mut impl ClauseSink,
    ) {
        let data = &threads.threads[other];
        let passed = self.passed[thread][position];
        let here = self.steps.of(thread, position);
        let awaited = match (data.positions.len().checked_sub(1), data.creation) {
            _ if !data.can_end => None,
            (Some(last), _) => Some((self.passed[other][last], self.steps.of(other, last))),
            // A thread that does nothing has ended as soon as it exists.
            (None, Some(creation)) => {
                let exists = self.blaster.literal(&threads.terms, creation.condition);
                (self.blaster).add_clause(&[!passed, !condition, exists], sink);
                let made = self.steps.of(creation.thread, creation.position);
                Some((self.passed[creation.thread][creation.position], made))
            }
            (None, None) => None,
        };
        let Some((ended, event)) = awaited else {
            (self.blaster).add_clause(&[!passed, !condition], sink);
            return;
        };
        (self.blaster).add_clause(&[!passed, !condition, ended], sink);
        if !is_certain && !self.events.is_certain(event, here) {
            let waits = self.blaster.gates.and(passed, condition);
            self.comes_before(waits, event, here, sink);
            if self.rules.is_weak {
                self.notes.certain.push((event, here, waits));
                if let Some((event, here)) = self.memory.layers.of_fences(event, here) {
                    self.comes_before(waits, event, here, sink);
                }
            }
        }
    }

    /// Fences on paths that need not lead there hold up what waits in buffers only if they
    /// are taken.
    fn conditional_fences(&mut self, threads: &Threads, sink: &mut impl ClauseSink) {
        let mut taken: HashMap<EventId, Lit> = HashMap::new();
        for (id, thread) in threads.threads.iter() {
            for (index, position) in thread.positions.iter().enumerate() {
                let event = self.steps.of(id, index);
                let guard = self.blaster.literal(&threads.terms, position.guard);
                let is_taken = self.blaster.gates.and(self.passed[id][index], guard);
                taken.entry(event).or_insert(is_taken);
            }
        }
        for (step, first, second) in self.memory.layers.conditional.clone() {
            self.comes_before(taken[&step], first, second, sink);
        }
    }

    /// If a literal holds, one event comes before another.
    fn comes_before(
        &mut self,
        lit: Lit,
        first: EventId,
        second: EventId,
        sink: &mut impl ClauseSink,
    ) {
        if lit == Lit::FALSE {
            return;
        }
        let blaster = &mut self.blaster;
        let literal = (blaster.cnf).literal(&blaster.gates, lit, Polarity::Both, sink);
        self.events.add_order(Before {
            literal,
            first,
            second,
            is_between_writes: false,
        });
    }

    /// Positions that a path does not lead through keep no thread waiting.
    fn skips(&mut self, threads: &Threads, thread: ThreadId, sink: &mut impl ClauseSink) {
        for index in 1..threads.threads[thread].skips_before {
            let mut clause = reasons_to_stay(threads, thread, index, &mut self.blaster);
            let passed = &self.passed[thread];
            clause.extend([!passed[index - 1], passed[index]]);
            self.blaster.add_clause(&clause, sink);
        }
    }

    /// What there is to look for.
    fn sought(
        &mut self,
        threads: &Threads,
        goals: Goals,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (passed, blaster) = (&self.passed, &mut self.blaster);
        // What comes last is said below, in terms of events.
        let mut is_last = |_, _: &mut Blaster| Lit::TRUE;
        let is_last: &mut IsLast = &mut is_last;
        let is_last = (!self.rules.has_happens_before).then_some(is_last);
        self.sought = Sought::in_the_end(threads, passed, goals, is_last, blaster, sink);
        if !self.rules.has_happens_before {
            self.last_step(threads, sink);
        }
        let blaster = &mut self.blaster;
        (self.sought).moments(threads, &self.passed, blaster, sink, keep_going)
    }

    /// A run that ends in a race ends with a step of the mover: all that others do comes
    /// before it.
    fn last_step(&mut self, threads: &Threads, sink: &mut impl ClauseSink) {
        let Some(races) = &self.sought.races else {
            return;
        };
        let movers = races.movers.clone();
        for (id, thread) in threads.threads.iter() {
            let mover = movers[id].unwrap_or(Lit::FALSE);
            let mut lasts = Vec::new();
            for (index, position) in thread.positions.iter().enumerate() {
                let step = self.steps.of(id, index);
                let is_earlier = self.blaster.gates.and(self.passed[id][index], !mover);
                self.comes_before(is_earlier, step, self.steps.before_last, sink);
                if !position.uses.is_empty() && mover != Lit::FALSE {
                    let finishes = self.sought.ends[id].finishes[index];
                    let is_last = self.blaster.gates.and(mover, finishes);
                    self.comes_before(is_last, self.steps.before_last, step, sink);
                    lasts.push(finishes);
                }
            }
            let is_any = self.blaster.gates.any(&lasts);
            self.blaster.add_clause(&[!mover, is_any], sink);
        }
    }
}
