//! The graph of a run as facts for others, who draw it.

use super::graph::{Event, EventId, Kind, Order};
use crate::machine::Machine;
use ir::Location;

/// An execution under a weak memory model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub events: Vec<Drawn>,
    /// From and to which event, and why.
    pub edges: Vec<(usize, usize, Edge)>,
}

/// An event of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// None for what was there at first.
    pub thread: Option<usize>,
    pub location: Option<Location>,
    pub act: DrawnAct,
    /// C's name of the memory order; none for what is not atomic.
    pub order: Option<&'static str>,
    /// The variable, or a part of it; none if it is not about memory.
    pub place: Option<String>,
    /// What was written, if it was, as a number.
    pub value: Option<u128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnAct {
    Initial,
    Read,
    Write,
    Update,
    Free,
    Fence,
    Synchronise,
    Create,
    Join(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// The thread's next event.
    Next,
    /// The second sees what the first has written.
    ReadsFrom,
    /// The next write to the same place.
    Overwritten,
    /// Through a synchronisation object, or the beginning or end of a thread.
    Synchronises,
}

impl<'a> Machine<'a> {
    /// None if memory is sequentially consistent.
    pub(crate) fn picture(&self) -> Option<Picture> {
        let weak = self.weak.as_ref()?;
        let graph = &weak.graph;
        let events = graph.events.iter().map(|event| self.draw(event)).collect();
        let mut edges = Vec::new();
        for (from, to) in immediate(graph.len(), |from, to| {
            let (first, second) = (&graph.events[from], &graph.events[to]);
            first.thread.is_some() && first.thread == second.thread && first.stamp < second.stamp
        }) {
            edges.push((from, to, Edge::Next));
        }
        let rf = graph.reads_from();
        let mo = graph.write_order();
        let synchronisation = graph.synchronisation();
        for from in 0..graph.len() {
            edges.extend(rf.from(from).map(|to| (from, to, Edge::ReadsFrom)));
        }
        for (from, to) in immediate(graph.len(), |from, to| mo.has(from, to)) {
            edges.push((from, to, Edge::Overwritten));
        }
        // What begins a thread comes before all that it does; the first is enough, and
        // so is the last for what waits for its end.
        let is_same = |one: EventId, other: EventId| {
            let (one, other) = (&graph.events[one], &graph.events[other]);
            one.thread == other.thread && one.stamp < other.stamp
        };
        for from in 0..graph.len() {
            for to in synchronisation.from(from) {
                let has_earlier = synchronisation.from(from).any(|other| is_same(other, to));
                let later = (0..graph.len())
                    .find(|later| is_same(from, *later) && synchronisation.has(*later, to));
                if !has_earlier && later.is_none() {
                    edges.push((from, to, Edge::Synchronises));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        Some(Picture { events, edges })
    }

    fn draw(&self, event: &Event) -> Drawn {
        let act = match &event.kind {
            Kind::Initial(_) => DrawnAct::Initial,
            Kind::Read(_) => DrawnAct::Read,
            Kind::Write(_) => DrawnAct::Write,
            Kind::Update(_) => DrawnAct::Update,
            Kind::Free(_) => DrawnAct::Free,
            Kind::Fence => DrawnAct::Fence,
            Kind::Synchronise(..) => DrawnAct::Synchronise,
            Kind::Create => DrawnAct::Create,
            Kind::Join(thread) => DrawnAct::Join(*thread),
        };
        let range = event.range();
        let place = range.map(|range| self.place(range.object, range.offset, range.len).path);
        let place = match &event.kind {
            Kind::Synchronise(key, _) => Some(self.place_of(*key)),
            _ => place,
        };
        let bytes = event.value.as_ref().map(|value| value.bytes.as_slice());
        let value = bytes.filter(|bytes| bytes.len() <= 16).map(|bytes| {
            let mut buffer = [0; 16];
            buffer[..bytes.len()].copy_from_slice(bytes);
            u128::from_le_bytes(buffer)
        });
        Drawn {
            thread: event.thread,
            location: event.location,
            act,
            order: name(event.order),
            place,
            value,
        }
    }
}

/// Pairs of a transitive relation between which there is nothing.
fn immediate(n: usize, has: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let pairs = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
    let related = pairs.filter(|(from, to)| has(*from, *to));
    let bare = related.filter(|(from, to)| (0..n).all(|via| !(has(*from, via) && has(via, *to))));
    bare.collect()
}

fn name(order: Order) -> Option<&'static str> {
    Some(match order {
        Order::NotAtomic => return None,
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcquireRelease => "acq_rel",
        Order::SequentiallyConsistent => "seq_cst",
    })
}
