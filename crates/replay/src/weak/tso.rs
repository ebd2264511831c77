//! Total store order, as on x86 and SPARC: writes wait in a buffer, first in, first
//! out, while the thread reads on.
//!
//! So a write followed by a read in program order is not in the order that all agree
//! on. Everything else is, and so is what has one of these in it or between:
//!
//! - a locked instruction: a read-modify-write, or a compare-exchange even if it
//!   fails,
//! - a fence of sequential consistency (`mfence`); others cost nothing there, and do
//!   nothing,
//! - an operation on a synchronisation object, the creation and the end of a thread,
//! - a write of sequential consistency, which compilers let a fence follow.
//!
//! Plain accesses and atomic ones are alike otherwise.

use super::graph::{Event, Graph};
use super::model::{Model, allows_with_buffers};
use super::relation::Relation;

pub(crate) struct Tso;

impl Model for Tso {
    fn allows(&self, graph: &Graph) -> bool {
        allows_with_buffers(graph, preserved(graph))
    }
}

fn preserved(graph: &Graph) -> Relation {
    let po = graph.program_order();
    Relation::of(graph.len(), |from, to| {
        let (first, second) = (&graph.events[from], &graph.events[to]);
        po.has(from, to)
            && (is_strong(first)
                || is_strong(second)
                || is_access(first)
                    && is_access(second)
                    && (first.reads() || second.writes() || drains(first)))
    })
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

fn is_access(event: &Event) -> bool {
    event.reads() || event.writes()
}
