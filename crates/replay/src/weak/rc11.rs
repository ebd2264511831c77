//! C and C++ as repaired by Lahav, Vafeiadis, Kang, Hur and Dreyer: "Repairing
//! Sequential Consistency in C/C++11", PLDI 2017. The names are those of the paper.
//!
//! A read-modify-write is one event here, two there. That makes no difference, since
//! nothing comes between its two in any order. That program order and reads-from have
//! no cycle together needs no axiom: a run reads only what was written before.

use super::graph::{Event, Graph};
use super::model::Model;
use super::relation::Relation;

pub(crate) struct Rc11;

impl Model for Rc11 {
    fn allows(&self, graph: &Graph) -> bool {
        if !graph.updates_are_atomic() {
            return false;
        }
        let rf = graph.reads_from();
        let mo = graph.write_order();
        let fr = graph.overtaken();
        let hb = happens_before(graph);
        let eco = rf.or(&mo).or(&fr).closure();
        hb.is_irreflexive() && hb.then(&eco).is_irreflexive() && {
            let has_strongest = graph.events.iter().any(|event| event.order.is_strongest());
            !has_strongest || has_sequential_order(graph, &hb, &eco, &mo, &fr)
        }
    }
}

/// What happens before what: hb = (po ∪ sw)⁺, with what synchronisation objects
/// order.
pub(crate) fn happens_before(graph: &Graph) -> Relation {
    graph
        .program_order()
        .or(&synchronises_with(graph))
        .or(&graph.synchronisation())
        .closure()
}

/// sw = [E⊒rel]; ([F]; po)?; rs; rf; [R⊒rlx]; (po; [F])?; [E⊒acq]
fn synchronises_with(graph: &Graph) -> Relation {
    let n = graph.len();
    let event = |id: usize| &graph.events[id];
    let po = graph.program_order();
    // From what releases to the head of its release sequence.
    let released = Relation::of(n, |from, to| {
        event(from).order.releases()
            && event(to).writes()
            && (from == to || event(from).is_fence() && po.has(from, to))
    });
    // From an atomic read that sees it to what acquires.
    let acquired = Relation::of(n, |from, to| {
        event(to).order.acquires()
            && event(from).reads()
            && event(from).order.is_atomic()
            && (from == to || event(to).is_fence() && po.has(from, to))
    });
    let rf = graph.reads_from();
    released
        .then(&release_sequence(graph, &po, &rf))
        .then(&rf)
        .then(&acquired)
}

/// rs = [W]; (po|loc)?; [W⊒rlx]; (rf; rmw)*
fn release_sequence(graph: &Graph, po: &Relation, rf: &Relation) -> Relation {
    let n = graph.len();
    let event = |id: usize| &graph.events[id];
    let head = Relation::of(n, |from, to| {
        event(from).writes()
            && event(to).writes()
            && event(to).order.is_atomic()
            && (from == to || po.has(from, to) && graph.overlap(from, to))
    });
    let updates = rf.between(|_| true, |to| event(to).is_update());
    head.then(&updates.closure().or_same())
}

/// psc is acyclic.
fn has_sequential_order(
    graph: &Graph,
    hb: &Relation,
    eco: &Relation,
    mo: &Relation,
    fr: &Relation,
) -> bool {
    let n = graph.len();
    let is_strongest = |id: usize| graph.events[id].order.is_strongest();
    let is_fence = |id: usize| is_strongest(id) && Event::is_fence(&graph.events[id]);
    let po = graph.program_order();
    let po_loc = Relation::of(n, |from, to| po.has(from, to) && graph.overlap(from, to));
    let po_elsewhere = po.clone().and_not(&po_loc);
    let hb_loc = Relation::of(n, |from, to| hb.has(from, to) && graph.overlap(from, to));
    let scb = po_elsewhere
        .then(hb)
        .then(&po_elsewhere)
        .or(&po)
        .or(&hb_loc)
        .or(mo)
        .or(fr);
    let strongest = Relation::of(n, |from, to| from == to && is_strongest(from));
    let hb_or_same = hb.clone().or_same();
    let before = hb_or_same.between(is_fence, |_| true).or(&strongest);
    let after = hb_or_same.between(|_| true, is_fence).or(&strongest);
    let psc_base = before.then(&scb).then(&after);
    let psc_fences = hb.then(eco).then(hb).or(hb).between(is_fence, is_fence);
    psc_base.or(&psc_fences).is_acyclic()
}
