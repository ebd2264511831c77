//! What memory models have in common: each says which graphs it allows.

use super::graph::Graph;
use super::relation::Relation;
use super::{pso, rc11, tso};
use library::MemoryModel;

/// A memory model. Each forbids certain cycles only, so that whatever it allows it
/// also allows up to any point: a run may decide step by step.
pub(crate) trait Model {
    fn allows(&self, graph: &Graph) -> bool;
}

/// None for sequential consistency: the interpreter has that anyway.
pub(crate) fn model_of(name: MemoryModel) -> Option<&'static dyn Model> {
    match name {
        MemoryModel::Sc => None,
        MemoryModel::Tso => Some(&tso::Tso),
        MemoryModel::Pso => Some(&pso::Pso),
        MemoryModel::Rc11 => Some(&rc11::Rc11),
    }
}

/// What all threads agree on under models with buffers of writes: in which order
/// writes become known to others.
///
/// `preserved` is what is left of program order. The axioms are those of Alglave and
/// others: each place on its own is sequentially consistent, read-modify-writes are
/// atomic, and there is one order of what reaches memory.
pub(crate) fn allows_with_buffers(graph: &Graph, preserved: Relation) -> bool {
    if !graph.updates_are_atomic() {
        return false;
    }
    let rf = graph.reads_from();
    let conflicts = graph.write_order().or(&graph.overtaken());
    let po_loc = Relation::of(graph.len(), |from, to| {
        let (first, second) = (&graph.events[from], &graph.events[to]);
        let is_earlier = match (first.thread, second.thread) {
            (None, Some(_)) => true,
            (Some(one), Some(other)) => one == other && first.stamp < second.stamp,
            (_, None) => false,
        };
        is_earlier && graph.overlap(from, to)
    });
    if !po_loc.or(&rf).or(&conflicts).is_acyclic() {
        return false;
    }
    // A thread may see its own writes before others do.
    let from_others = Relation::of(graph.len(), |from, to| {
        rf.has(from, to) && graph.events[from].thread != graph.events[to].thread
    });
    preserved
        .or(&from_others)
        .or(&conflicts)
        .or(&graph.synchronisation())
        .is_acyclic()
}
