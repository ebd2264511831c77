//! Partial store order, as on SPARC: each place has a buffer of its own, so writes
//! to different places may become known in any order.
//!
//! So whatever follows a write in program order may come before it in the order that
//! all agree on, unless it is a write to the same place. What restores order under
//! total store order does so here; and since compilers translate what C asks for,
//! so do two more:
//!
//! - what comes before a fence that releases comes before the writes after it,
//! - a write that releases has such a fence before it.
//!
//! Plain accesses and relaxed ones are alike otherwise.

use super::graph::{Event, Graph};
use super::model::{Model, allows_with_buffers};
use super::relation::Relation;

pub(crate) struct Pso;

impl Model for Pso {
    fn allows(&self, graph: &Graph) -> bool {
        allows_with_buffers(graph, preserved(graph))
    }
}

fn preserved(graph: &Graph) -> Relation {
    let po = graph.program_order();
    // From a write that releases to itself and what follows.
    let onwards = (po.clone().or_same()).between(is(graph, releases), is(graph, Event::writes));
    let released = po
        .between(is(graph, is_access), is(graph, releases))
        .then(&onwards);
    Relation::of(graph.len(), |from, to| {
        let (first, second) = (&graph.events[from], &graph.events[to]);
        po.has(from, to)
            && (is_strong(first)
                || is_strong(second)
                || is_access(first) && is_access(second) && (first.reads() || drains(first)))
    })
    .or(&released)
}

fn is<'g>(graph: &'g Graph, holds: impl Fn(&Event) -> bool + 'g) -> impl Fn(usize) -> bool + 'g {
    move |event| holds(&graph.events[event])
}

/// In order with everything before and after.
fn is_strong(event: &Event) -> bool {
    event.is_initial()
        || event.is_locked
        || event.is_synchronisation()
        || event.is_fence() && event.order.is_strongest()
}

/// A write that others know before the thread goes on.
fn drains(event: &Event) -> bool {
    event.writes() && event.order.is_strongest()
}

/// A fence between the accesses before and the writes after; a write has one in front.
fn releases(event: &Event) -> bool {
    (event.is_fence() || event.writes()) && event.order.releases()
}

fn is_access(event: &Event) -> bool {
    event.reads() || event.writes()
}
