//! Why a read may see something older than the newest: what there is between the newest
//! write and the read, and what it lacks to put them in order. For the trace only.

use super::Place;
use super::graph::{EventId, Graph, Order};
use std::collections::VecDeque;

/// A write that does not come before a read, although that follows it in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unordered {
    pub write: Option<Place>,
    pub read: Option<Place>,
    /// The read sees the write, but neither has an order that makes something of it.
    /// Nothing if they have nothing to do with each other.
    pub missing: Option<Missing>,
}

/// What would put a write before a read that sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Release,
    Acquire,
    Both,
}

/// A write on the way from one thread to another, and the read that sees it.
struct Link {
    write: EventId,
    read: EventId,
    /// A fence that releases would have to come after this one, in the same thread.
    after: u64,
    /// A fence that acquires would have to come before this one, in the other thread.
    before: u64,
}

/// The links of a way from a write to a thread, by program order and by who saw what.
fn links(graph: &Graph, newest: EventId, reader: usize) -> Option<Vec<Link>> {
    let mut from: Vec<Option<EventId>> = vec![None; graph.len()];
    let mut open = VecDeque::from([newest]);
    while let Some(event) = open.pop_front() {
        let data = &graph.events[event];
        if data.thread == Some(reader) {
            let mut way = vec![event];
            while let Some(before) = way.last().and_then(|last| from[*last]) {
                way.push(before);
            }
            way.reverse();
            return Some(links_of(graph, &way));
        }
        for (next, other) in graph.events.iter().enumerate() {
            let is_later = other.thread == data.thread && other.stamp > data.stamp;
            let sees = other.pieces.iter().any(|piece| piece.source == event);
            if next != newest && from[next].is_none() && (is_later || sees) {
                from[next] = Some(event);
                open.push_back(next);
            }
        }
    }
    None
}

fn links_of(graph: &Graph, way: &[EventId]) -> Vec<Link> {
    let event = |index: usize| &graph.events[way[index]];
    let is_link = |index: &usize| event(*index).thread != event(*index + 1).thread;
    let link = |index: usize| {
        let own = |other: &usize| event(*other).thread == event(index).thread;
        let first = (0..=index).rev().take_while(own).last().unwrap_or(index);
        let next = way.get(index + 2).map(|next| &graph.events[*next]);
        let next = next.filter(|next| next.thread == event(index + 1).thread);
        Link {
            write: way[index],
            read: way[index + 1],
            after: event(first).stamp,
            before: next.map_or(u64::MAX, |next| next.stamp),
        }
    };
    (0..way.len().saturating_sub(1))
        .filter(is_link)
        .map(link)
        .collect()
}

/// Whether the thread of an event has a fence of some kind between two points.
fn has_fence(
    graph: &Graph,
    event: EventId,
    between: (u64, u64),
    is_kind: fn(Order) -> bool,
) -> bool {
    let thread = graph.events[event].thread;
    graph.events.iter().any(|other| {
        other.is_fence()
            && other.thread == thread
            && (between.0 < other.stamp && other.stamp < between.1)
            && is_kind(other.order)
    })
}

/// Why a thread need not see a write, as far as there is something that might have told
/// it. Reads of the thread that are not in the graph yet are at `here`.
pub(super) fn unordered(
    graph: &Graph,
    newest: EventId,
    here: Place,
    place: impl Fn(EventId) -> Option<Place>,
) -> Unordered {
    let found = links(graph, newest, here.thread).unwrap_or_default();
    let lacking = found.into_iter().find_map(|link| {
        let Link { write, read, .. } = link;
        let (writer, reader) = (&graph.events[write], &graph.events[read]);
        let until_write = (link.after, writer.stamp);
        let since_read = (reader.stamp, link.before);
        let releases =
            writer.order.releases() || has_fence(graph, write, until_write, Order::releases);
        let acquires =
            reader.order.acquires() || has_fence(graph, read, since_read, Order::acquires);
        let missing = match (releases, acquires) {
            (true, true) => return None,
            (true, false) => Missing::Acquire,
            (false, true) => Missing::Release,
            (false, false) => Missing::Both,
        };
        // Accesses that are not atomic have no order to be changed.
        let is_atomic = writer.order.is_atomic() && reader.order.is_atomic();
        is_atomic.then_some((write, read, missing))
    });
    match lacking {
        Some((write, read, missing)) => Unordered {
            write: place(write),
            read: place(read),
            missing: Some(missing),
        },
        None => Unordered {
            write: place(newest),
            read: Some(here),
            missing: None,
        },
    }
}
