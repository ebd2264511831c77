//! The execution graph of a run so far: what threads did to memory and to each
//! other, in the order in which the run did it, which write each read sees, and in
//! which order writes to the same bytes come.
//!
//! Only what happened since there is more than one thread is in it: what came
//! before is the initial state. The graph knows no memory model; see
//! [`super::model`] for those.

use super::relation::Relation;
use crate::inputs::Execution;
use crate::memory::ObjectId;
use crate::snapshot::Snapshot;
use crate::sync::SyncKey;
use crate::violation::StackEntry;
use ir::{Location, Ordering};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A place in [`Graph::events`].
pub(crate) type EventId = usize;

/// How strongly an event is ordered. What the source says, where that has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    NotAtomic,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

impl Order {
    /// Nothing for an order that C does not have.
    pub(crate) fn of(ordering: Option<Ordering>) -> Option<Order> {
        Some(match ordering {
            None => Order::NotAtomic,
            Some(Ordering::Unordered) => return None,
            Some(Ordering::Relaxed) => Order::Relaxed,
            Some(Ordering::Acquire) => Order::Acquire,
            Some(Ordering::Release) => Order::Release,
            Some(Ordering::AcquireRelease) => Order::AcquireRelease,
            Some(Ordering::SequentiallyConsistent) => Order::SequentiallyConsistent,
        })
    }

    /// From the numbers that C has for them; what is none of them is the strongest,
    /// as compilers do.
    pub(crate) fn of_number(number: u64) -> Order {
        match number {
            0 => Order::Relaxed,
            1 | 2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcquireRelease,
            _ => Order::SequentiallyConsistent,
        }
    }

    pub(crate) fn is_atomic(self) -> bool {
        self != Order::NotAtomic
    }

    pub(crate) fn acquires(self) -> bool {
        matches!(
            self,
            Order::Acquire | Order::AcquireRelease | Order::SequentiallyConsistent
        )
    }

    pub(crate) fn releases(self) -> bool {
        matches!(
            self,
            Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent
        )
    }

    pub(crate) fn is_strongest(self) -> bool {
        self == Order::SequentiallyConsistent
    }
}

/// Bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Range {
    pub object: ObjectId,
    pub offset: u64,
    pub len: u64,
}

impl Range {
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.len
    }

    pub(crate) fn overlaps(&self, other: &Range) -> bool {
        self.object == other.object && self.offset < other.end() && other.offset < self.end()
    }

    pub(crate) fn contains(&self, other: &Range) -> bool {
        self.object == other.object && self.offset <= other.offset && other.end() <= self.end()
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// What bytes held at first. It belongs to no thread.
    Initial(Range),
    Read(Range),
    Write(Range),
    /// A read-modify-write: both at once.
    Update(Range),
    /// The memory is given back. Nothing is written, but whoever uses it meanwhile
    /// races with this.
    Free(Range),
    Fence,
    /// An operation on a synchronisation object, through one of its channels: what
    /// acquires comes after all that released through it.
    Synchronise(SyncKey, Passage),
    Create,
    Join(usize),
}

/// In which way an operation on a synchronisation object orders threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Passage {
    /// For everybody who acquires later.
    Release,
    /// Only for those who want to be alone later: a reader is done.
    ReleaseShared,
    /// After everything that was released.
    Acquire,
    /// After everything that was released for everybody: a reader begins.
    AcquireShared,
    /// Arrives last at a barrier: after all who have arrived.
    Complete,
    /// Leaves a barrier, after the one who arrived last.
    Leave(EventId),
}

impl Passage {
    fn receives(self, from: Passage) -> bool {
        match self {
            Passage::Acquire | Passage::Complete => {
                matches!(
                    from,
                    Passage::Release | Passage::ReleaseShared | Passage::Complete
                )
            }
            Passage::AcquireShared => from == Passage::Release,
            Passage::Release | Passage::ReleaseShared | Passage::Leave(_) => false,
        }
    }
}

/// A piece of what is read, and who wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub offset: u64,
    pub len: u64,
    pub source: EventId,
}

#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// Nobody's are the initial ones.
    pub thread: Option<usize>,
    /// The place of the event among those of its thread.
    pub stamp: u64,
    pub kind: Kind,
    pub order: Order,
    /// Machines have one locked instruction for it: a read-modify-write, or a
    /// compare-exchange even if it fails.
    pub is_locked: bool,
    /// What a read sees.
    pub pieces: Vec<Piece>,
    /// What a write has written.
    pub value: Option<Rc<Snapshot>>,
    /// Known in guided runs only.
    pub execution: Option<Execution>,
    pub location: Option<Location>,
    /// Known if races are looked for.
    pub stack: Rc<[StackEntry]>,
}

impl Event {
    pub(crate) fn range(&self) -> Option<&Range> {
        match &self.kind {
            Kind::Initial(range)
            | Kind::Read(range)
            | Kind::Write(range)
            | Kind::Update(range)
            | Kind::Free(range) => Some(range),
            Kind::Fence | Kind::Synchronise(..) | Kind::Create | Kind::Join(_) => None,
        }
    }

    pub(crate) fn is_initial(&self) -> bool {
        matches!(self.kind, Kind::Initial(_))
    }

    pub(crate) fn reads(&self) -> bool {
        matches!(self.kind, Kind::Read(_) | Kind::Update(_))
    }

    pub(crate) fn writes(&self) -> bool {
        matches!(
            self.kind,
            Kind::Initial(_) | Kind::Write(_) | Kind::Update(_)
        )
    }

    pub(crate) fn is_update(&self) -> bool {
        matches!(self.kind, Kind::Update(_))
    }

    pub(crate) fn is_fence(&self) -> bool {
        matches!(self.kind, Kind::Fence)
    }

    /// Neither memory nor fence: threads, locks and the like.
    pub(crate) fn is_synchronisation(&self) -> bool {
        matches!(
            self.kind,
            Kind::Synchronise(..) | Kind::Create | Kind::Join(_)
        )
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub events: Vec<Event>,
    /// The writes to each object, such that those which overlap are in their order.
    orders: BTreeMap<ObjectId, Vec<EventId>>,
    /// Who created each thread.
    births: BTreeMap<usize, EventId>,
}

impl Graph {
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn set_birth(&mut self, thread: usize, create: EventId) {
        self.births.insert(thread, create);
    }

    /// Adds an event that is no write.
    pub(crate) fn push(&mut self, event: Event) -> EventId {
        self.events.push(event);
        self.len() - 1
    }

    /// Adds a write at this place of the order of writes of its object.
    pub(crate) fn push_write(&mut self, event: Event, position: usize) -> EventId {
        let id = self.len();
        if let Some(range) = event.range() {
            let order = self.orders.entry(range.object).or_default();
            order.insert(position.min(order.len()), id);
        }
        self.events.push(event);
        id
    }

    /// Takes the last event away again.
    pub(crate) fn pop(&mut self) {
        let id = self.len().wrapping_sub(1);
        if let Some(event) = self.events.pop()
            && event.writes()
            && let Some(range) = event.range()
            && let Some(order) = self.orders.get_mut(&range.object)
        {
            order.retain(|write| *write != id);
        }
    }

    /// The writes to an object, in their order as far as they overlap.
    pub(crate) fn order(&self, object: ObjectId) -> &[EventId] {
        self.orders.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The same, those only that overlap a range.
    pub(crate) fn writes_to(&self, range: &Range) -> Vec<EventId> {
        let order = self.order(range.object).iter().copied();
        let hits = order.filter(|write| {
            let other = self.events[*write].range();
            other.is_some_and(|other| other.overlaps(range))
        });
        hits.collect()
    }

    /// Where a write is in the order of its object.
    pub(crate) fn position(&self, write: EventId) -> usize {
        let range = self.events[write].range();
        let order = range.map_or(&[][..], |range| self.order(range.object));
        let found = order.iter().position(|other| *other == write);
        found.unwrap_or(usize::MAX)
    }

    /// Events have other numbers now.
    pub(crate) fn renumber(&mut self, number: impl Fn(EventId) -> EventId) {
        let orders = self.orders.values_mut().flatten();
        for id in orders.chain(self.births.values_mut()) {
            *id = number(*id);
        }
    }

    // Relations.

    /// Program order. What was there at first comes before everything.
    pub(crate) fn program_order(&self) -> Relation {
        Relation::of(self.len(), |from, to| {
            let (from, to) = (&self.events[from], &self.events[to]);
            match (from.thread, to.thread) {
                (None, Some(_)) => true,
                (Some(first), Some(second)) => first == second && from.stamp < to.stamp,
                (_, None) => false,
            }
        })
    }

    /// From a write to those who see it.
    pub(crate) fn reads_from(&self) -> Relation {
        let mut relation = Relation::empty(self.len());
        for (read, event) in self.events.iter().enumerate() {
            for piece in &event.pieces {
                relation.add(piece.source, read);
            }
        }
        relation
    }

    /// From a write to those that come later in the order of the same bytes.
    pub(crate) fn write_order(&self) -> Relation {
        let mut relation = Relation::empty(self.len());
        for order in self.orders.values() {
            for (index, from) in order.iter().enumerate() {
                for to in &order[index + 1..] {
                    if self.overlap(*from, *to) {
                        relation.add(*from, *to);
                    }
                }
            }
        }
        relation
    }

    /// From a read to the writes that come after what it sees: it comes before them.
    pub(crate) fn overtaken(&self) -> Relation {
        let mut relation = Relation::empty(self.len());
        for (read, event) in self.events.iter().enumerate() {
            let Some(range) = event.range().filter(|_| !event.pieces.is_empty()) else {
                continue;
            };
            let order = self.order(range.object);
            for piece in &event.pieces {
                let bytes = Range {
                    object: range.object,
                    offset: piece.offset,
                    len: piece.len,
                };
                let later = order.iter().skip_while(|write| **write != piece.source);
                for write in later.skip(1) {
                    let other = self.events[*write].range();
                    if *write != read && other.is_some_and(|other| other.overlaps(&bytes)) {
                        relation.add(read, *write);
                    }
                }
            }
        }
        relation
    }

    /// What synchronisation objects, and the beginning and end of threads, order.
    pub(crate) fn synchronisation(&self) -> Relation {
        let mut relation = Relation::empty(self.len());
        for (to, event) in self.events.iter().enumerate() {
            let birth = event.thread.and_then(|thread| self.births.get(&thread));
            if let Some(birth) = birth {
                relation.add(*birth, to);
            }
            match &event.kind {
                Kind::Join(thread) => {
                    for from in 0..self.len() {
                        if self.events[from].thread == Some(*thread) {
                            relation.add(from, to);
                        }
                    }
                }
                Kind::Synchronise(_, Passage::Leave(last)) => relation.add(*last, to),
                Kind::Synchronise(key, passage) => {
                    for (from, other) in self.events[..to].iter().enumerate() {
                        if let Kind::Synchronise(same, given) = &other.kind
                            && same == key
                            && passage.receives(*given)
                        {
                            relation.add(from, to);
                        }
                    }
                }
                _ => {}
            }
        }
        relation
    }

    pub(crate) fn overlap(&self, one: EventId, other: EventId) -> bool {
        match (self.events[one].range(), self.events[other].range()) {
            (Some(one), Some(other)) => one.overlaps(other),
            _ => false,
        }
    }

    /// No write comes between a read-modify-write and what it sees.
    pub(crate) fn updates_are_atomic(&self) -> bool {
        self.events.iter().enumerate().all(|(update, event)| {
            let Some(range) = event.range().filter(|_| event.is_update()) else {
                return true;
            };
            let writes = self.writes_to(range);
            let own = writes.iter().position(|write| *write == update);
            event.pieces.iter().all(|piece| {
                let source = writes.iter().position(|write| *write == piece.source);
                let (Some(own), Some(source)) = (own, source) else {
                    return false;
                };
                let bytes = Range {
                    object: range.object,
                    offset: piece.offset,
                    len: piece.len,
                };
                source < own
                    && writes[source + 1..own].iter().all(|write| {
                        let other = self.events[*write].range();
                        other.is_none_or(|other| !other.overlaps(&bytes))
                    })
            })
        })
    }
}
