//! What a solver found, as an execution graph: which steps happen, what each read sees,
//! the order of writes of each cell, and what happens before what. Each edge knows the
//! literals that it rests on, so that whatever is wrong with the graph can be told to the
//! solver.
//!
//! Happens-before is that of C and C++ as repaired by Lahav and others (PLDI 2017):
//! program order and synchronisation, closed transitively. A release store, or a store
//! after a release fence, synchronises with an acquire load, or a load before an acquire
//! fence, that sees it or what its release sequence made of it. The release sequence is
//! the store, later stores to the place by the same thread, and read-modify-writes that
//! follow from them. What operations on threads and synchronisation objects add is in
//! `Strength::releases` and `Strength::acquires`.
//!
//! It only looks: nothing here chooses or asserts anything.

use cranelift_entity::SecondaryMap;
use formula::events::EventId;
use formula::{Lit, Literal};
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use unfold::{CellId, Ordering, ThreadId};

use super::InOrder;

/// Literals that hold.
pub(super) type Reason = Vec<Lit>;

/// A set of events, by number.
#[derive(Clone, Default)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn new(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, event: usize) {
        self.0[event / 64] |= 1 << (event % 64);
    }

    pub(super) fn has(&self, event: usize) -> bool {
        self.0[event / 64] >> (event % 64) & 1 == 1
    }

    pub(super) fn add(&mut self, other: &Set) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    pub(super) fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            (0..64).filter_map(move |bit| (word >> bit & 1 == 1).then_some(64 * index + bit))
        })
    }
}

/// A step that was passed. Many do nothing to memory.
pub(super) struct Event {
    pub thread: ThreadId,
    /// The order of its accesses; none if they are not atomic.
    pub order: Option<Ordering>,
    /// What decided on that order.
    pub decided: Lit,
    pub fence: Option<(Ordering, Lit)>,
    /// What it does to cells of memory.
    pub accesses: Vec<Access>,
}

/// What a step does to a cell of memory.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub cell: CellId,
    /// What it sees: the place of that in the order of writes, and why.
    pub sees: Option<(usize, Lit)>,
    /// Its place in the order of writes, and why it happens.
    pub writes: Option<(usize, Lit)>,
}

impl Event {
    /// It does something that others can tell.
    pub(super) fn is_real(&self) -> bool {
        self.fence.is_some() || !self.accesses.is_empty()
    }

    /// Why it does.
    pub(super) fn exists(&self) -> Lit {
        let fence = self.fence.map(|(_, lit)| lit);
        let access = self.accesses.first();
        let access = access
            .and_then(|one| one.writes.or(one.sees))
            .map(|(_, lit)| lit);
        fence.or(access).unwrap_or(Lit::TRUE)
    }

    fn is(&self, is_strong: fn(Ordering) -> bool) -> bool {
        self.order.is_some_and(is_strong)
    }

    /// The only cell that it accesses.
    pub(super) fn place(&self) -> Option<CellId> {
        match self.accesses.as_slice() {
            [one] => Some(one.cell),
            _ => None,
        }
    }

    pub(super) fn is_sequential(&self) -> bool {
        self.is(|order| order == Ordering::SequentiallyConsistent)
    }

    fn access(&self, cell: CellId) -> Option<Access> {
        self.accesses.iter().copied().find(|one| one.cell == cell)
    }
}

pub(super) fn is_release(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcquireRelease | Ordering::SequentiallyConsistent
    )
}

pub(super) fn is_acquire(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcquireRelease | Ordering::SequentiallyConsistent
    )
}

/// A write in the order of writes of its cell.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub event: usize,
    pub happens: Lit,
    step: EventId,
}

pub(super) struct Graph<'e> {
    encoding: &'e InOrder,
    /// In an order of steps.
    pub events: Vec<Event>,
    pub numbers: HashMap<EventId, usize>,
    /// By thread: its events, in order.
    pub of_thread: BTreeMap<ThreadId, Vec<usize>>,
    /// By event: its place among those of its thread.
    places: Vec<usize>,
    /// By cell: its writes in their order. The one at place 0 is what was there at first,
    /// and not listed.
    pub writes: SecondaryMap<CellId, Vec<Written>>,
    /// By event: what happens right before it, and why.
    causes: Vec<Vec<(usize, Reason)>>,
    /// By event: all that happens before it.
    pub before: Vec<Set>,
}

/// What the graph is read off.
pub(super) struct Source<'a> {
    pub encoding: &'a InOrder,
    pub value: &'a dyn Fn(Literal) -> bool,
    /// Steps that are passed, in an order that fits.
    pub steps: Vec<(ThreadId, EventId)>,
}

impl Source<'_> {
    fn holds(&self, lit: Lit) -> bool {
        self.encoding.holds(lit, self.value)
    }
}

impl<'e> Graph<'e> {
    pub(super) fn of(source: &Source<'e>) -> Graph<'e> {
        let encoding = source.encoding;
        let mut graph = Graph {
            encoding,
            events: Vec::new(),
            numbers: HashMap::new(),
            of_thread: BTreeMap::new(),
            places: Vec::new(),
            writes: SecondaryMap::new(),
            causes: Vec::new(),
            before: Vec::new(),
        };
        for (thread, step) in &source.steps {
            let number = graph.events.len();
            graph.numbers.insert(*step, number);
            let own = graph.of_thread.entry(*thread).or_default();
            graph.places.push(own.len());
            own.push(number);
            let strength = encoding.notes.strengths.get(step);
            let fence = strength.and_then(|strength| strength.fence);
            let fence = fence.zip(encoding.notes.fences.get(step).copied());
            graph.events.push(Event {
                thread: *thread,
                order: strength.and_then(|strength| strength.order),
                decided: Lit::TRUE,
                fence: fence.filter(|(_, lit)| source.holds(*lit)),
                accesses: Vec::new(),
            });
        }
        graph.order_writes(source);
        graph.find_accesses(source);
        graph.find_causes(source);
        graph.close();
        graph
    }

    fn order_writes(&mut self, source: &Source) {
        let encoding = self.encoding;
        for (id, cell) in encoding.memory.cells.iter() {
            let mut writes: Vec<Written> = (cell.writes.iter())
                .filter(|write| source.holds(write.happens))
                .filter_map(|write| {
                    Some(Written {
                        event: *self.numbers.get(&write.event)?,
                        happens: write.happens,
                        step: write.event,
                    })
                })
                .collect();
            // As many come before each as its place says.
            let is_before = |first: &Written, second: &Written| {
                let pair = (first.step, second.step);
                let lit = encoding.memory.order_of(id, pair, &encoding.events);
                first.step != second.step && lit.is_some_and(|lit| source.holds(lit))
            };
            let all = writes.clone();
            writes.sort_by_key(|write| all.iter().filter(|one| is_before(one, write)).count());
            self.writes[id] = writes;
        }
    }

    fn find_accesses(&mut self, source: &Source) {
        let encoding = self.encoding;
        let mut found: BTreeMap<(usize, CellId), Access> = BTreeMap::new();
        let is_memory = |cell: CellId| encoding.memory.layers.is_memory(cell);
        for (id, _) in encoding
            .memory
            .cells
            .iter()
            .filter(|(id, _)| is_memory(*id))
        {
            for (index, write) in self.writes[id].iter().enumerate() {
                let access = Access {
                    cell: id,
                    sees: None,
                    writes: Some((index + 1, write.happens)),
                };
                found.insert((write.event, id), access);
            }
        }
        for read in encoding
            .memory
            .reads
            .iter()
            .filter(|read| is_memory(read.cell))
        {
            let (Some(event), Some(sees)) =
                (self.numbers.get(&read.event), self.seen(source, read))
            else {
                continue;
            };
            let access = found.entry((*event, read.cell)).or_insert(Access {
                cell: read.cell,
                sees: None,
                writes: None,
            });
            access.sees = Some(sees);
        }
        for ((event, _), access) in found {
            self.events[event].accesses.push(access);
        }
        // A compare-exchange that fails is a read with an order of its own.
        for (step, number) in &self.numbers {
            let strength = encoding.notes.strengths.get(step);
            let Some(order) = strength.and_then(|strength| strength.if_it_fails) else {
                continue;
            };
            let event = &mut self.events[*number];
            let writes = event.accesses.iter().find_map(|one| one.writes);
            match writes {
                Some((_, happens)) => event.decided = happens,
                None => {
                    event.order = Some(order);
                    let happens = encoding.memory.write_of(*step);
                    event.decided = happens.map_or(Lit::TRUE, |happens| !happens);
                }
            }
        }
    }

    /// What a read sees, by place in the order of writes, and why.
    fn seen(&self, source: &Source, read: &super::memory::Read) -> Option<(usize, Lit)> {
        let mut sources = read.sources.iter();
        let (write, lit) = sources.find(|(_, lit)| source.holds(*lit))?;
        let cell = &self.encoding.memory.cells[read.cell];
        let place = match write {
            None => 0,
            Some(write) => {
                let step = cell.writes[*write].event;
                let mut writes = self.writes[read.cell].iter();
                1 + writes.position(|write| write.step == step)?
            }
        };
        Some((place, *lit))
    }

    /// Why one write comes before another; they are given by place.
    pub(super) fn why_before(&self, cell: CellId, first: usize, second: usize) -> Reason {
        let Some(two) = second.checked_sub(1).map(|index| self.writes[cell][index]) else {
            return Vec::new();
        };
        let Some(one) = first.checked_sub(1).map(|index| self.writes[cell][index]) else {
            return vec![two.happens];
        };
        let pair = (one.step, two.step);
        let encoding = self.encoding;
        let lit = encoding.memory.order_of(cell, pair, &encoding.events);
        let mut reason = vec![one.happens, two.happens];
        reason.extend(lit);
        reason
    }

    pub(super) fn is_program_order(&self, first: usize, second: usize) -> bool {
        self.events[first].thread == self.events[second].thread && first < second
    }

    /// Events of the same thread before this one, the last first.
    fn earlier(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        let own = &self.of_thread[&self.events[event].thread];
        own[..self.places[event]].iter().rev().copied()
    }

    /// Events of the same thread after this one.
    fn later(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        let own = &self.of_thread[&self.events[event].thread];
        own[self.places[event] + 1..].iter().copied()
    }

    fn find_causes(&mut self, source: &Source) {
        let mut causes: Vec<Vec<(usize, Reason)>> = vec![Vec::new(); self.events.len()];
        for own in self.of_thread.values() {
            for pair in own.windows(2) {
                causes[pair[1]].push((pair[0], Vec::new()));
            }
        }
        let notes = &self.encoding.notes;
        for (first, second, lit) in &notes.certain {
            let pair = (self.numbers.get(first), self.numbers.get(second));
            if let (Some(first), Some(second)) = pair
                && source.holds(*lit)
            {
                causes[*second].push((*first, vec![*lit]));
            }
        }
        for number in 0..self.events.len() {
            for index in 0..self.events[number].accesses.len() {
                let access = self.events[number].accesses[index];
                if self.events[number].order.is_some() && access.sees.is_some() {
                    self.synchronise(number, access, &mut causes);
                }
            }
        }
        self.synchronise_objects(source, &mut causes);
        for list in &mut causes {
            for (_, reason) in list.iter_mut() {
                let mut seen = HashSet::new();
                reason.retain(|lit| *lit != Lit::TRUE && seen.insert(*lit));
            }
        }
        self.causes = causes;
    }

    /// Whom an atomic read synchronises with.
    fn synchronise(&self, number: usize, access: Access, causes: &mut [Vec<(usize, Reason)>]) {
        let reader = &self.events[number];
        // Where the other's past gets known.
        let (target, because) = if reader.is(is_acquire) {
            (number, reader.decided)
        } else {
            let fence = self.later(number).find_map(|later| {
                let (order, lit) = self.events[later].fence?;
                is_acquire(order).then_some((later, lit))
            });
            let Some(fence) = fence else {
                return;
            };
            fence
        };
        let mut reason = vec![because];
        let mut seen = access.sees;
        while let Some((place, lit)) = seen {
            let Some(index) = place.checked_sub(1) else {
                break;
            };
            reason.push(lit);
            let write = self.writes[access.cell][index];
            let writer = &self.events[write.event];
            if writer.order.is_none() {
                break;
            }
            let mut add = |from: usize, more: &[Lit]| {
                if self.events[from].thread != self.events[target].thread {
                    let mut reason = reason.clone();
                    reason.extend(more);
                    causes[target].push((from, reason));
                }
            };
            if writer.is(is_release) {
                add(write.event, &[writer.decided]);
            } else {
                let earlier = self.earlier(write.event).find_map(|earlier| {
                    let event = &self.events[earlier];
                    let access = event.access(access.cell)?;
                    let (_, happens) = access.writes?;
                    event
                        .is(is_release)
                        .then_some((earlier, [happens, event.decided]))
                });
                if let Some((earlier, more)) = earlier {
                    add(earlier, &more);
                }
                let fence = self.earlier(write.event).find_map(|earlier| {
                    let (order, lit) = self.events[earlier].fence?;
                    is_release(order).then_some((earlier, lit))
                });
                if let Some((fence, lit)) = fence {
                    add(fence, &[lit]);
                }
            }
            // A read-modify-write continues what it sees.
            reason.push(write.happens);
            seen = writer.access(access.cell).and_then(|access| access.sees);
        }
    }

    /// Whoever acquires knows the past of all that have released the object before.
    fn synchronise_objects(&self, source: &Source, causes: &mut [Vec<(usize, Reason)>]) {
        let notes = &self.encoding.notes;
        for read in &self.encoding.memory.reads {
            let (Some(acquires), Some(number)) = (
                notes.acquires.get(&read.event),
                self.numbers.get(&read.event),
            ) else {
                continue;
            };
            let layers = &self.encoding.memory.layers;
            let is_alone = (notes.strengths.get(&read.event)).is_some_and(|one| one.is_alone);
            if layers.is_memory(read.cell)
                || layers.counts_readers(read.cell) && !is_alone
                || !source.holds(*acquires)
            {
                continue;
            }
            let Some((place, lit)) = self.seen(source, read) else {
                continue;
            };
            for earlier in 1..=place {
                let write = self.writes[read.cell][earlier - 1];
                let Some(releases) = notes.releases.get(&write.step) else {
                    continue;
                };
                if !source.holds(*releases) || write.event == *number {
                    continue;
                }
                let mut reason = vec![*acquires, *releases, lit, write.happens];
                if earlier < place {
                    reason.extend(self.why_before(read.cell, earlier, place));
                }
                causes[*number].push((write.event, reason));
            }
        }
    }

    /// All that happens before each event. Causes come first in the order of steps.
    fn close(&mut self) {
        let count = self.events.len();
        for number in 0..count {
            let mut before = Set::new(count);
            for (cause, _) in &self.causes[number] {
                // What is about to be found inconsistent may be in any order.
                if *cause < number {
                    before.add(&self.before[*cause]);
                    before.insert(*cause);
                }
            }
            self.before.push(before);
        }
    }

    pub(super) fn happens_before(&self, first: usize, second: usize) -> bool {
        self.before[second].has(first)
    }

    /// Why one event happens before another, with as few literals as possible.
    ///
    /// # Panics
    /// If it does not.
    pub(super) fn why_happens_before(&self, first: usize, second: usize) -> Reason {
        let count = self.events.len();
        let mut best = vec![u32::MAX; count];
        let mut next: Vec<Option<(usize, usize)>> = vec![None; count];
        let mut open = BinaryHeap::new();
        best[second] = 0;
        open.push((std::cmp::Reverse(0), second));
        while let Some((std::cmp::Reverse(weight), event)) = open.pop() {
            if event == first {
                break;
            }
            if weight > best[event] {
                continue;
            }
            for (index, (cause, reason)) in self.causes[event].iter().enumerate() {
                let is_on_the_way = *cause == first || self.before[*cause].has(first);
                let weight = weight + reason.len() as u32;
                if *cause < event && is_on_the_way && weight < best[*cause] {
                    best[*cause] = weight;
                    next[*cause] = Some((event, index));
                    open.push((std::cmp::Reverse(weight), *cause));
                }
            }
        }
        let mut reason = Vec::new();
        let mut event = first;
        while event != second {
            let (later, index) = next[event].expect("one should happen before the other");
            reason.extend(&self.causes[later][index].1);
            event = later;
        }
        reason
    }
}
