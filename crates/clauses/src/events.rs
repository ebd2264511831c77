//! Events that happen in some order: what clauses alone say badly.
//!
//! A formula may speak of events that happen one after the other. Which of two is first
//! follows from literals, and whatever they say must fit one order: it must not be that
//! an event comes before itself. Instead of clauses for that, which would be cubic, the
//! formula comes with an [`EventOrder`], and a solver that takes it sees to it.
//!
//! Besides orders of two events there are *writes* to cells, and reads that see one of
//! them. A read comes before every write that happens and comes after the one it sees;
//! that follows here and needs no literal of its own.
//!
//! This is a table, nothing else: it decides nothing and knows no solver. It only ever
//! grows.

use crate::Literal;
use std::collections::{HashMap, HashSet};

/// An event, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

/// A write, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WriteId(pub u32);

/// One event writes one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    pub cell: u32,
    pub event: EventId,
    /// Whether it happens.
    pub happens: Literal,
}

/// A read sees a write, if the literal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub literal: Literal,
    pub cell: u32,
    /// `None`: what was there before any write.
    pub write: Option<WriteId>,
    pub reader: EventId,
    /// The read comes after what it sees, as is usual. Otherwise only before what
    /// overwrites that.
    pub is_after_write: bool,
}

/// The first event comes before the second, if the literal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    pub literal: Literal,
    pub first: EventId,
    pub second: EventId,
    /// They write a common cell, and if both writes happen, this literal holds or the
    /// one for the other direction does.
    pub is_between_writes: bool,
}

/// Which events there are, and what decides their order.
#[derive(Clone, Debug, Default)]
pub struct EventOrder {
    /// By event: its chain and its place in it. Events of a chain are in order.
    events: Vec<(u32, u32)>,
    /// By event: of each chain, how many events come before it or are it, for certain.
    clocks: Vec<Vec<u32>>,
    /// What is certain: all else that is follows from these.
    certain: Vec<(EventId, EventId)>,
    writes: Vec<Write>,
    sources: Vec<Source>,
    orders: Vec<Before>,
}

impl EventOrder {
    /// Chains of so many events each, with some events before others for certain.
    /// `None` if that fits no order.
    pub fn new(chains: &[usize], certain: &[(EventId, EventId)]) -> Option<EventOrder> {
        let mut order = EventOrder::default();
        for (chain, length) in chains.iter().enumerate() {
            for place in 0..*length {
                let event = EventId(order.events.len() as u32);
                order.events.push((chain as u32, place as u32));
                if place > 0 {
                    order.certain.push((EventId(event.0 - 1), event));
                }
            }
        }
        order.certain.extend(certain);
        order.find_clocks(chains.len())?;
        Some(order)
    }

    fn find_clocks(&mut self, chains: usize) -> Option<()> {
        let count = self.events.len();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut open = vec![0; count];
        for (first, second) in &self.certain {
            next[first.0 as usize].push(second.0 as usize);
            open[second.0 as usize] += 1;
        }
        self.clocks = vec![vec![0; chains]; count];
        let mut ready: Vec<usize> = (0..count).filter(|event| open[*event] == 0).collect();
        let mut done = 0;
        while let Some(event) = ready.pop() {
            done += 1;
            let (chain, place) = self.events[event];
            let own = &mut self.clocks[event][chain as usize];
            *own = (*own).max(place + 1);
            let clock = self.clocks[event].clone();
            for later in &next[event] {
                for (mine, other) in self.clocks[*later].iter_mut().zip(&clock) {
                    *mine = (*mine).max(*other);
                }
                open[*later] -= 1;
                if open[*later] == 0 {
                    ready.push(*later);
                }
            }
        }
        (done == count).then_some(())
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether one event comes before another, whatever the literals are.
    pub fn is_certain(&self, first: EventId, second: EventId) -> bool {
        let (chain, place) = self.events[first.0 as usize];
        first != second && self.clocks[second.0 as usize][chain as usize] > place
    }

    pub fn add_write(&mut self, write: Write) -> WriteId {
        self.writes.push(write);
        WriteId(self.writes.len() as u32 - 1)
    }

    pub fn add_source(&mut self, source: Source) {
        self.sources.push(source);
    }

    pub fn add_order(&mut self, before: Before) {
        self.orders.push(before);
    }

    /// Pairs that are in order for certain, from which all such pairs follow.
    pub fn certain(&self) -> &[(EventId, EventId)] {
        &self.certain
    }

    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub fn orders(&self) -> &[Before] {
        &self.orders
    }

    /// How much has been said so far.
    pub fn size(&self) -> usize {
        self.writes.len() + self.sources.len() + self.orders.len()
    }

    /// Every literal that the order of events depends on, perhaps more than once.
    pub fn literals(&self) -> impl Iterator<Item = Literal> {
        let writes = self.writes.iter().map(|write| write.happens);
        let sources = self.sources.iter().map(|source| source.literal);
        let orders = self.orders.iter().map(|before| before.literal);
        writes.chain(sources).chain(orders)
    }

    /// The pairs of events that are in order because of some literals, given which of
    /// those hold. All of it by plain computation, for models.
    pub fn pairs(&self, holds: impl Fn(Literal) -> bool) -> Vec<(EventId, EventId)> {
        let mut pairs = self.certain.clone();
        let mut of_writes = HashSet::new();
        for before in self.orders.iter().filter(|before| holds(before.literal)) {
            let pair = (before.first, before.second);
            pairs.push(pair);
            if before.is_between_writes {
                of_writes.insert(pair);
            }
        }
        let mut happen: HashMap<u32, Vec<EventId>> = HashMap::new();
        for write in self.writes.iter().filter(|write| holds(write.happens)) {
            happen.entry(write.cell).or_default().push(write.event);
        }
        let is_before =
            |first, second| self.is_certain(first, second) || of_writes.contains(&(first, second));
        for source in self.sources.iter().filter(|source| holds(source.literal)) {
            let seen = source.write.map(|write| self.writes[write.0 as usize]);
            let before = seen.filter(|_| source.is_after_write);
            pairs.extend(before.map(|seen| (seen.event, source.reader)));
            for write in happen.get(&source.cell).into_iter().flatten() {
                let is_later = seen.is_none_or(|seen| is_before(seen.event, *write));
                let is_seen = seen.is_some_and(|seen| seen.event == *write);
                if *write != source.reader && !is_seen && is_later {
                    pairs.push((source.reader, *write));
                }
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u32) -> EventId {
        EventId(number)
    }

    #[test]
    fn what_is_certain_follows_from_chains_and_pairs() {
        // Two chains of three: 0 1 2 and 3 4 5.
        let order = EventOrder::new(&[3, 3], &[(event(1), event(4))]).expect("it is an order");
        let certain = |first, second| order.is_certain(event(first), event(second));
        assert!(certain(0, 2) && certain(0, 4) && certain(1, 5));
        assert!(!certain(2, 4) && !certain(3, 1) && !certain(4, 1) && !certain(1, 1));
        let circle = [(event(1), event(3)), (event(5), event(0))];
        assert!(EventOrder::new(&[3, 3], &circle).is_none());
    }

    #[test]
    fn a_read_comes_before_what_overwrites_its_source() {
        let literal = |number| Literal::from_dimacs(number).expect("no literal is 0");
        let mut order = EventOrder::new(&[1, 1, 1], &[]).expect("it is an order");
        let write = |event_number, happens| Write {
            cell: 0,
            event: event(event_number),
            happens: literal(happens),
        };
        let first = order.add_write(write(0, 1));
        order.add_write(write(1, 2));
        order.add_source(Source {
            literal: literal(3),
            cell: 0,
            write: Some(first),
            reader: event(2),
            is_after_write: true,
        });
        order.add_order(Before {
            literal: literal(4),
            first: event(0),
            second: event(1),
            is_between_writes: true,
        });
        let all = order.pairs(|_| true);
        assert!(all.contains(&(event(0), event(2))));
        assert!(all.contains(&(event(2), event(1))));
        let without = order.pairs(|literal| literal.to_dimacs() != 4);
        assert!(!without.contains(&(event(2), event(1))));
    }
}
