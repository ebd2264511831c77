//! Sees to it that events fit one order while CaDiCaL searches.
//!
//! Keeps the events in an order that fits all that is known so far, and mends it with
//! each pair that is new, as in Pearce and Kelly, "A Dynamic Topological Sort Algorithm
//! for Directed Acyclic Graphs" (2006). If that is impossible, there is a cycle, and the
//! literals behind it cannot all hold: of the cycles through the new pair, one with the
//! fewest literals becomes a clause, which the solver may forget again.
//!
//! Which pairs there are is in [`EventOrder`]. That a read comes before whatever
//! overwrites what it sees is derived here, from the literals for the read, for the
//! other write, and for the order of the two writes.
//!
//! It never proposes literals: that made searches slower. It does not choose anything,
//! and its clauses follow from the order alone.

use crate::onlooker::{Onlooker, Remark};
use clauses::events::{EventId, EventOrder};
use std::collections::{HashMap, VecDeque};

/// No literal.
const NONE: i32 = 0;

/// One event comes before another, because of up to three literals.
#[derive(Clone, Copy)]
struct Pair {
    first: u32,
    second: u32,
    because: [i32; 3],
}

impl Pair {
    fn weight(&self) -> u32 {
        self.because
            .iter()
            .filter(|literal| **literal != NONE)
            .count() as u32
    }
}

/// What follows when a literal holds.
#[derive(Clone, Copy)]
enum Consequence {
    /// A read sees its source, by number.
    Sees(u32),
    /// A write happens, by number.
    Happens(u32),
    /// One event comes before another; they may write a common cell.
    Comes { first: u32, second: u32 },
}

/// A write, as it is needed here.
#[derive(Clone, Copy)]
struct Write {
    cell: u32,
    event: u32,
    happens: i32,
    /// Its number among the writes of its cell.
    index: u32,
}

#[derive(Clone, Copy)]
struct Source {
    literal: i32,
    cell: u32,
    /// Its write, by number.
    write: Option<u32>,
    reader: u32,
    is_after_write: bool,
}

/// A neighbour of an event, and the pair that makes it one; `None` if it is certain.
type Neighbour = (u32, Option<u32>);

/// How much there was when a decision was made.
#[derive(Clone, Copy)]
struct Mark {
    assigned: usize,
    pairs: usize,
    readers: usize,
}

pub(crate) struct Acyclic {
    order: EventOrder,
    events: Events,
    writes: Vec<Write>,
    sources: Vec<Source>,
    /// By cell: its writes.
    of_cell: HashMap<u32, Vec<u32>>,
    /// By event: its writes.
    of_event: HashMap<u32, Vec<u32>>,
    /// The literals for orders of two writes.
    between_writes: HashMap<(u32, u32), i32>,
    observed: Vec<i32>,
    /// By literal, see [`code`].
    consequences: Vec<Vec<Consequence>>,
    /// By variable: 1, -1, or 0 if it is not assigned.
    values: Vec<i8>,
    assigned: Vec<i32>,
    marks: Vec<Mark>,
    /// By cell, and then by write, and one more for what was there before: the sources
    /// that hold.
    readers: HashMap<u32, Vec<Vec<u32>>>,
    /// Where the latest of them were added.
    added_readers: Vec<(u32, u32)>,
    /// What follows from what is assigned.
    pairs: Vec<Pair>,
    /// So many of them are in the order.
    placed: usize,
    conflict: Option<Vec<i32>>,
}

/// The place of a literal in tables.
fn code(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

impl Acyclic {
    pub(crate) fn new(order: &EventOrder) -> Acyclic {
        let mut of_cell: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut of_event: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut writes = Vec::new();
        for (number, write) in (0..).zip(order.writes()) {
            let in_cell = of_cell.entry(write.cell).or_default();
            let index = in_cell.len() as u32;
            in_cell.push(number);
            of_event.entry(write.event.0).or_default().push(number);
            writes.push(Write {
                cell: write.cell,
                event: write.event.0,
                happens: write.happens.to_dimacs(),
                index,
            });
        }
        let sources: Vec<Source> = (order.sources().iter())
            .map(|source| Source {
                literal: source.literal.to_dimacs(),
                cell: source.cell,
                write: source.write.map(|write| write.0),
                reader: source.reader.0,
                is_after_write: source.is_after_write,
            })
            .collect();
        let mut observed: Vec<i32> = order
            .literals()
            .map(|literal| literal.to_dimacs())
            .collect();
        observed.sort_unstable();
        observed.dedup();
        let largest = observed.iter().map(|literal| literal.unsigned_abs()).max();
        let count = largest.unwrap_or(0) as usize + 1;
        let mut consequences = vec![Vec::new(); 2 * count];
        for (number, write) in (0..).zip(&writes) {
            consequences[code(write.happens)].push(Consequence::Happens(number));
        }
        for (number, source) in (0..).zip(&sources) {
            consequences[code(source.literal)].push(Consequence::Sees(number));
            of_cell.entry(source.cell).or_default();
        }
        let mut between_writes = HashMap::new();
        for before in order.orders() {
            let (first, second) = (before.first.0, before.second.0);
            let literal = before.literal.to_dimacs();
            consequences[code(literal)].push(Consequence::Comes { first, second });
            if before.is_between_writes {
                between_writes.insert((first, second), literal);
            }
        }
        let readers = (of_cell.iter())
            .map(|(cell, writes)| (*cell, vec![Vec::new(); writes.len() + 1]))
            .collect();
        Acyclic {
            order: order.clone(),
            events: Events::new(order),
            writes,
            sources,
            of_cell,
            of_event,
            between_writes,
            observed,
            consequences,
            values: vec![0; count],
            assigned: Vec::new(),
            marks: Vec::new(),
            readers,
            added_readers: Vec::new(),
            pairs: Vec::new(),
            placed: 0,
            conflict: None,
        }
    }

    fn holds(&self, literal: i32) -> bool {
        let value = self.values[literal.unsigned_abs() as usize];
        i32::from(value) == literal.signum()
    }

    fn is_certain(&self, first: u32, second: u32) -> bool {
        self.order.is_certain(EventId(first), EventId(second))
    }

    /// A read sees a write now.
    fn sees(&mut self, number: u32) {
        let source = self.sources[number as usize];
        let seen = source.write.map(|write| self.writes[write as usize]);
        let count = self.of_cell[&source.cell].len();
        let index = seen.map_or(count, |write| write.index as usize);
        if let Some(readers) = self.readers.get_mut(&source.cell) {
            readers[index].push(number);
            self.added_readers.push((source.cell, index as u32));
        }
        if let Some(seen) = seen
            && source.is_after_write
            && !self.is_certain(seen.event, source.reader)
        {
            self.pairs.push(Pair {
                first: seen.event,
                second: source.reader,
                because: [source.literal, NONE, NONE],
            });
        }
        for index in 0..count {
            let other = self.of_cell[&source.cell][index];
            self.comes_before(source, other);
        }
    }

    /// If a write happens and overwrites what a read sees, the read comes before it.
    fn comes_before(&mut self, source: Source, number: u32) {
        let write = self.writes[number as usize];
        if source.write == Some(number)
            || write.event == source.reader
            || !self.holds(write.happens)
            || self.is_certain(source.reader, write.event)
        {
            return;
        }
        let mut because = [source.literal, write.happens, NONE];
        if let Some(seen) = source.write {
            let seen = self.writes[seen as usize].event;
            if self.is_certain(write.event, seen) {
                return;
            }
            if !self.is_certain(seen, write.event) {
                match self.between_writes.get(&(seen, write.event)) {
                    Some(literal) if self.holds(*literal) => because[2] = *literal,
                    _ => return,
                }
            }
        }
        self.pairs.push(Pair {
            first: source.reader,
            second: write.event,
            because,
        });
    }

    /// A write happens now.
    fn happens(&mut self, number: u32) {
        let cell = self.writes[number as usize].cell;
        for index in 0..self.readers[&cell].len() {
            for reader in 0..self.readers[&cell][index].len() {
                let source = self.sources[self.readers[&cell][index][reader] as usize];
                self.comes_before(source, number);
            }
        }
    }

    /// One event comes before another now.
    fn comes(&mut self, literal: i32, first: u32, second: u32) {
        self.pairs.push(Pair {
            first,
            second,
            because: [literal, NONE, NONE],
        });
        if self.between_writes.get(&(first, second)) != Some(&literal) {
            return;
        }
        for index in 0..self.of_event[&first].len() {
            let seen = self.writes[self.of_event[&first][index] as usize];
            let others = self.of_event[&second].iter().copied();
            let in_cell = |other: &u32| self.writes[*other as usize].cell == seen.cell;
            let Some(other) = others.into_iter().find(in_cell) else {
                continue;
            };
            let index = seen.index as usize;
            for reader in 0..self.readers[&seen.cell][index].len() {
                let source = self.sources[self.readers[&seen.cell][index][reader] as usize];
                self.comes_before(source, other);
            }
        }
    }

    /// Brings the order up to date, until there is a cycle.
    fn place(&mut self) {
        while self.conflict.is_none() && self.placed < self.pairs.len() {
            let number = self.placed as u32;
            match self.events.add(number, &self.pairs) {
                Ok(()) => self.placed += 1,
                Err(cycle) => self.conflict = Some(cycle),
            }
        }
    }
}

impl Onlooker for Acyclic {
    fn observed(&self) -> &[i32] {
        &self.observed
    }

    fn restart(&mut self) {
        self.taken_back(0);
        // What was assigned before any decision is told again, too.
        self.events.remove_from(0, &self.pairs[..self.placed]);
        self.pairs.clear();
        self.placed = 0;
        for (cell, index) in self.added_readers.drain(..) {
            if let Some(readers) = self.readers.get_mut(&cell) {
                readers[index as usize].clear();
            }
        }
        self.values.fill(0);
        self.assigned.clear();
        self.conflict = None;
    }

    fn assigned(&mut self, literals: &[i32]) {
        for literal in literals {
            let variable = literal.unsigned_abs() as usize;
            // Others look on too, at what is of no interest here.
            if self.values.get(variable) != Some(&0) {
                continue;
            }
            self.values[variable] = literal.signum() as i8;
            self.assigned.push(*literal);
            let consequences = std::mem::take(&mut self.consequences[code(*literal)]);
            for consequence in &consequences {
                match *consequence {
                    Consequence::Sees(number) => self.sees(number),
                    Consequence::Happens(number) => self.happens(number),
                    Consequence::Comes { first, second } => self.comes(*literal, first, second),
                }
            }
            self.consequences[code(*literal)] = consequences;
        }
    }

    fn decided(&mut self) {
        self.marks.push(Mark {
            assigned: self.assigned.len(),
            pairs: self.pairs.len(),
            readers: self.added_readers.len(),
        });
    }

    fn taken_back(&mut self, decisions: usize) {
        let Some(mark) = self.marks.get(decisions).copied() else {
            return;
        };
        self.marks.truncate(decisions);
        for literal in self.assigned.drain(mark.assigned..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
        for (cell, index) in self.added_readers.drain(mark.readers..).rev() {
            if let Some(readers) = self.readers.get_mut(&cell) {
                readers[index as usize].pop();
            }
        }
        if self.placed > mark.pairs {
            self.events
                .remove_from(mark.pairs, &self.pairs[..self.placed]);
            self.placed = mark.pairs;
        }
        self.pairs.truncate(mark.pairs);
        self.conflict = None;
    }

    fn remark(&mut self) -> Option<Remark> {
        self.place();
        // The pair stays where it is: it is looked at again, should the solver go on.
        self.conflict.take().map(|clause| Remark {
            clause,
            is_forgettable: true,
        })
    }

    fn agrees(&mut self) -> bool {
        self.place();
        self.conflict.is_none()
    }
}

/// The events in an order that fits all pairs so far.
struct Events {
    /// By event: its place.
    places: Vec<u32>,
    after: Vec<Vec<Neighbour>>,
    before: Vec<Vec<Neighbour>>,
    visit: Visit,
}

/// What a walk through the events notes down.
#[derive(Default)]
struct Visit {
    /// By event: the number of the walk that came by last.
    seen: Vec<u32>,
    walk: u32,
    /// By event, of the walk that came by last: literals so far, and where from.
    weight: Vec<u32>,
    from: Vec<Neighbour>,
}

impl Visit {
    fn begin(&mut self) -> u32 {
        self.walk += 1;
        self.walk
    }
}

impl Events {
    fn new(order: &EventOrder) -> Events {
        let count = order.len();
        let mut events = Events {
            places: vec![0; count],
            after: vec![Vec::new(); count],
            before: vec![Vec::new(); count],
            visit: Visit {
                seen: vec![0; count],
                walk: 0,
                weight: vec![0; count],
                from: vec![(0, None); count],
            },
        };
        let mut open = vec![0; count];
        for (first, second) in order.certain() {
            let (first, second) = (first.0 as usize, second.0 as usize);
            events.after[first].push((second as u32, None));
            events.before[second].push((first as u32, None));
            open[second] += 1;
        }
        let mut ready: Vec<usize> = (0..count).filter(|event| open[*event] == 0).collect();
        let mut place = 0;
        while let Some(event) = ready.pop() {
            events.places[event] = place;
            place += 1;
            for (later, _) in &events.after[event] {
                let later = *later as usize;
                open[later] -= 1;
                if open[later] == 0 {
                    ready.push(later);
                }
            }
        }
        events
    }

    /// Adds a pair by its number. If there is a cycle, gives the clause against it.
    fn add(&mut self, number: u32, pairs: &[Pair]) -> Result<(), Vec<i32>> {
        let pair = pairs[number as usize];
        let (first, second) = (pair.first as usize, pair.second as usize);
        if self.places[first] >= self.places[second] {
            if let Some(mut literals) = self.path(second, first, pairs) {
                literals.extend(pair.because);
                literals.retain(|literal| *literal != NONE);
                literals.sort_unstable();
                literals.dedup();
                return Err(literals.iter().map(|literal| -literal).collect());
            }
            self.mend(first, second);
        }
        self.after[first].push((pair.second, Some(number)));
        self.before[second].push((pair.first, Some(number)));
        Ok(())
    }

    /// Takes away the pairs from a number on, which were added last.
    fn remove_from(&mut self, number: usize, pairs: &[Pair]) {
        for pair in pairs[number..].iter().rev() {
            self.after[pair.first as usize].pop();
            self.before[pair.second as usize].pop();
        }
    }

    /// The literals of a way from one event to another with as few as possible.
    fn path(&mut self, from: usize, to: usize, pairs: &[Pair]) -> Option<Vec<i32>> {
        let walk = self.visit.begin();
        let limit = self.places[to];
        let visit = &mut self.visit;
        visit.seen[from] = walk;
        visit.weight[from] = 0;
        // By weight: weights are 0 to 3 more each time, so few are under way at a time.
        let mut queue: VecDeque<Vec<u32>> = VecDeque::from([vec![from as u32]]);
        let mut weight = 0;
        while let Some(mut events) = queue.pop_front() {
            while let Some(event) = events.pop() {
                let event = event as usize;
                if visit.weight[event] != weight {
                    continue;
                }
                if event == to {
                    break;
                }
                for (next, pair) in &self.after[event] {
                    let next_index = *next as usize;
                    if self.places[next_index] > limit {
                        continue;
                    }
                    let more = pair.map_or(0, |pair| pairs[pair as usize].weight());
                    let total = weight + more;
                    if visit.seen[next_index] != walk || visit.weight[next_index] > total {
                        visit.seen[next_index] = walk;
                        visit.weight[next_index] = total;
                        visit.from[next_index] = (event as u32, *pair);
                        match more {
                            0 => events.push(*next),
                            more => {
                                let index = more as usize - 1;
                                if queue.len() <= index {
                                    queue.resize(index + 1, Vec::new());
                                }
                                queue[index].push(*next);
                            }
                        }
                    }
                }
            }
            if visit.seen[to] == walk && visit.weight[to] <= weight {
                break;
            }
            weight += 1;
        }
        if visit.seen[to] != walk {
            return None;
        }
        let mut literals = Vec::new();
        let mut event = to;
        while event != from {
            let (previous, pair) = visit.from[event];
            if let Some(pair) = pair {
                literals.extend(pairs[pair as usize].because);
            }
            event = previous as usize;
        }
        Some(literals)
    }

    /// Moves events so that one comes before another. There is no way back between them.
    fn mend(&mut self, first: usize, second: usize) {
        let (low, high) = (self.places[second], self.places[first]);
        let mut later = self.reachable(second, |events, event| {
            (&events.after[event], events.places[event] < high)
        });
        let mut earlier = self.reachable(first, |events, event| {
            (&events.before[event], events.places[event] > low)
        });
        later.sort_unstable_by_key(|event| self.places[*event]);
        earlier.sort_unstable_by_key(|event| self.places[*event]);
        let moved: Vec<usize> = earlier.into_iter().chain(later).collect();
        let mut places: Vec<u32> = moved.iter().map(|event| self.places[*event]).collect();
        places.sort_unstable();
        for (event, place) in moved.into_iter().zip(places) {
            self.places[event] = place;
        }
    }

    /// The events that can be reached from one, as far as they are of interest.
    fn reachable(
        &mut self,
        start: usize,
        look: impl Fn(&Events, usize) -> (&[Neighbour], bool),
    ) -> Vec<usize> {
        let walk = self.visit.begin();
        self.visit.seen[start] = walk;
        let mut found = vec![start];
        let mut next = 0;
        while next < found.len() {
            let event = found[next];
            next += 1;
            let count = look(self, event).0.len();
            for index in 0..count {
                let neighbour = look(self, event).0[index].0 as usize;
                if self.visit.seen[neighbour] != walk && look(self, neighbour).1 {
                    self.visit.seen[neighbour] = walk;
                    found.push(neighbour);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Cadical, KeepOrder, Outcome, SatSolver};
    use clauses::events::{Before, Source, WriteId};
    use clauses::{ClauseSink, Literal, events};
    use fastrand::Rng;

    const CHAINS: [usize; 3] = [2, 2, 3];
    const EVENTS: u32 = 7;

    /// Whether pairs fit one order, by taking away whatever has nothing before it.
    fn fits(mut pairs: Vec<(EventId, EventId)>) -> bool {
        let mut left: Vec<EventId> = (0..EVENTS).map(EventId).collect();
        loop {
            let is_free = |event: &EventId| pairs.iter().all(|(_, second)| second != event);
            let Some(index) = left.iter().position(is_free) else {
                return left.is_empty();
            };
            let event = left.swap_remove(index);
            pairs.retain(|(first, _)| *first != event);
        }
    }

    fn other(rng: &mut Rng, event: EventId) -> EventId {
        EventId((event.0 + rng.u32(1..EVENTS)) % EVENTS)
    }

    /// Says something more about the order, with new variables.
    fn grow(order: &mut EventOrder, solver: &mut Cadical, rng: &mut Rng) -> Vec<Literal> {
        let mut literals = Vec::new();
        for _ in 0..rng.usize(2..6) {
            let literal = solver.new_variable().positive();
            let literal = if rng.bool() { literal } else { !literal };
            literals.push(literal);
            let event = EventId(rng.u32(..EVENTS));
            let writes = order.writes().len() as u32;
            match rng.u32(..4) {
                0 => order.add_order(Before {
                    literal,
                    first: event,
                    second: other(rng, event),
                    is_between_writes: false,
                }),
                1 if writes > 0 => {
                    let write = WriteId(rng.u32(..writes));
                    let seen = order.writes()[write.0 as usize];
                    let source = Source {
                        literal,
                        cell: seen.cell,
                        write: rng.bool().then_some(write),
                        reader: other(rng, seen.event),
                        is_after_write: rng.u32(..4) > 0,
                    };
                    order.add_source(source);
                }
                _ => {
                    let cell = rng.u32(..2);
                    let mut writes = order.writes().iter();
                    let is_same =
                        |write: &events::Write| (write.cell, write.event) == (cell, event);
                    if writes.any(is_same) {
                        continue;
                    }
                    let others: Vec<EventId> = (order.writes().iter())
                        .filter(|write| write.cell == cell)
                        .map(|write| write.event)
                        .collect();
                    order.add_write(events::Write {
                        cell,
                        event,
                        happens: literal,
                    });
                    for second in others {
                        for (first, second) in [(event, second), (second, event)] {
                            let literal = solver.new_variable().positive();
                            literals.push(literal);
                            let is_new = !(order.orders().iter()).any(|before| {
                                before.is_between_writes
                                    && (before.first, before.second) == (first, second)
                            });
                            if is_new {
                                order.add_order(Before {
                                    literal,
                                    first,
                                    second,
                                    is_between_writes: true,
                                });
                            }
                        }
                    }
                }
            }
        }
        literals
    }

    #[test]
    fn models_are_those_that_fit_an_order() {
        let mut rng = Rng::with_seed(11);
        let (mut fitting, mut others) = (0, 0);
        for _ in 0..300 {
            let certain = [(EventId(0), EventId(rng.u32(2..EVENTS)))];
            let mut order = EventOrder::new(&CHAINS, &certain).expect("it is an order");
            let mut solver = Cadical::new();
            let mut literals = Vec::new();
            for _ in 0..3 {
                literals.extend(grow(&mut order, &mut solver, &mut rng));
                solver.keep(&order);
                for _ in 0..6 {
                    let mut assumed: Vec<Literal> = Vec::new();
                    for literal in &literals {
                        match rng.u32(..5) {
                            0 => {}
                            1 => assumed.push(!*literal),
                            _ => assumed.push(*literal),
                        }
                    }
                    let free: Vec<Literal> = (literals.iter().copied())
                        .filter(|literal| {
                            !assumed.contains(literal) && !assumed.contains(&!*literal)
                        })
                        .take(8)
                        .collect();
                    // What is not assumed and not free is false.
                    let mut asked = assumed.clone();
                    for literal in &literals {
                        if !assumed.contains(literal)
                            && !assumed.contains(&!*literal)
                            && !free.contains(literal)
                        {
                            asked.push(!*literal);
                        }
                    }
                    let expected = (0..1_u32 << free.len()).any(|choice| {
                        let holds = |literal: Literal| {
                            let chosen = |index: usize| choice >> index & 1 == 1;
                            let index = free
                                .iter()
                                .position(|free| free.variable() == literal.variable());
                            match index {
                                Some(index) => chosen(index) == (free[index] == literal),
                                None => asked.contains(&literal),
                            }
                        };
                        fits(order.pairs(holds))
                    });
                    let outcome = solver.solve(&asked, &Budget::default());
                    assert_eq!(outcome == Outcome::Satisfiable, expected);
                    if expected {
                        fitting += 1;
                        assert!(fits(
                            order.pairs(|literal| solver.value(literal) == Some(true))
                        ));
                    } else {
                        others += 1;
                    }
                }
            }
        }
        assert!(fitting > 500 && others > 500, "{fitting} {others}");
    }
}
