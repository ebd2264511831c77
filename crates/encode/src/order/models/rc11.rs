//! C and C++ as repaired by Lahav and others, "Repairing Sequential Consistency in
//! C/C++11" (PLDI 2017):
//!
//! - coherence: nothing happens before what it comes after in the order of its cell
//!   (`irreflexive(hb; eco?)`);
//! - atomicity: nothing comes between what a read-modify-write sees and what it writes;
//! - sequential consistency: what is ordered by sequentially consistent accesses and
//!   fences fits one order (`acyclic(psc)`);
//! - nothing out of thin air: program order and what reads see fit one order.
//!
//! The last one is the order of steps, and the second is the order of each cell, where a
//! read-modify-write is one node (see [`crate::order::layers`]). So is coherence as far as
//! program order goes. The rest is looked at here, when a solver has found something.
//!
//! *Complete*: a reason consists of literals that make the edges it is about, whatever
//! else holds: for what a read sees, for the order of two writes that both happen, for
//! fences that are reached, for objects that are released and acquired. Happens-before and
//! all that is made of it only grows with these. So what is forbidden was wrong, and
//! nothing else is forbidden.
//!
//! *It ends*: each reason holds in what was found, so that is excluded; and there are
//! finitely many ways to choose those literals.

use super::Rules;
use crate::order::graph::{Access, Graph, Reason, Set};
use formula::Lit;
use std::collections::VecDeque;
use unfold::{CellId, Ordering};

pub(super) const RULES: Rules = Rules {
    is_weak: true,
    buffers: None,
    axioms: Some(objections),
    has_happens_before: true,
};

/// So many reasons of each kind are enough for once.
const ENOUGH: usize = 24;

fn objections(graph: &Graph) -> Vec<Reason> {
    let mut reasons = coherence(graph);
    if reasons.is_empty() {
        reasons = sequential_consistency(graph);
    }
    reasons
}

/// Why something that an event does to a cell comes after something that another does,
/// in the order of the cell (`eco`), if it does.
fn comes_after(graph: &Graph, later: Access, earlier: Access) -> Option<Reason> {
    let cell = later.cell;
    let mut best: Option<Reason> = None;
    let mut offer = |reason: Reason| {
        if best.as_ref().is_none_or(|best| reason.len() < best.len()) {
            best = Some(reason);
        }
    };
    let between = |first: usize, second: usize| match first == second {
        true => Vec::new(),
        false => graph.why_before(cell, first, second),
    };
    if let (Some((one, why)), Some((two, _))) = (earlier.writes, later.writes)
        && one < two
    {
        offer([vec![why], between(one, two)].concat());
    }
    if let (Some((one, why)), Some((two, sees))) = (earlier.writes, later.sees)
        && one <= two
    {
        offer([vec![why, sees], between(one, two)].concat());
    }
    if let (Some((one, sees)), Some((two, _))) = (earlier.sees, later.writes)
        && one < two
    {
        offer([vec![sees], between(one, two)].concat());
    }
    if let (Some((one, sees)), Some((two, also))) = (earlier.sees, later.sees)
        && one < two
    {
        offer([vec![sees, also], between(one, two)].concat());
    }
    best
}

/// The accesses to a cell, by event.
fn accesses_to(graph: &Graph, cell: CellId) -> Vec<(usize, Access)> {
    let events = graph.events.iter().enumerate();
    events
        .flat_map(|(number, event)| event.accesses.iter().map(move |access| (number, *access)))
        .filter(|(_, access)| access.cell == cell)
        .collect()
}

fn cells(graph: &Graph) -> Vec<CellId> {
    let accesses = graph.events.iter().flat_map(|event| &event.accesses);
    let mut cells: Vec<CellId> = accesses.map(|access| access.cell).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn coherence(graph: &Graph) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for cell in cells(graph) {
        let accesses = accesses_to(graph, cell);
        let mut found = 0;
        for (index, (second, later)) in accesses.iter().enumerate() {
            for (first, earlier) in accesses[..index].iter().rev() {
                if found >= ENOUGH || !graph.happens_before(*first, *second) {
                    continue;
                }
                // It happens before what it comes after.
                if let Some(mut reason) = comes_after(graph, *earlier, *later) {
                    reason.extend(graph.why_happens_before(*first, *second));
                    reasons.push(reason);
                    found += 1;
                }
            }
        }
    }
    reasons
}

/// The relation `scb` and what it is made of, by event.
struct Base<'g> {
    graph: &'g Graph<'g>,
    /// What happens after each event.
    after: Vec<Set>,
    /// By event: those of its thread before it that access another place.
    elsewhere_before: Vec<Set>,
    elsewhere_after: Vec<Set>,
    /// By event: what comes after it (`scb`).
    rows: Vec<Set>,
}

impl<'g> Base<'g> {
    fn of(graph: &'g Graph<'g>) -> Base<'g> {
        let count = graph.events.len();
        let empty = || vec![Set::new(count); count];
        let mut base = Base {
            graph,
            after: empty(),
            elsewhere_before: empty(),
            elsewhere_after: empty(),
            rows: empty(),
        };
        for (second, before) in graph.before.iter().enumerate() {
            for first in before.iter() {
                base.after[first].insert(second);
            }
        }
        let is_real = |event: &&usize| graph.events[**event].is_real();
        for own in graph.of_thread.values() {
            let own: Vec<usize> = own.iter().filter(is_real).copied().collect();
            for (index, second) in own.iter().enumerate() {
                let place = graph.events[*second].place();
                for first in &own[..index] {
                    base.rows[*first].insert(*second);
                    if place.is_none() || graph.events[*first].place() != place {
                        base.elsewhere_before[*second].insert(*first);
                        base.elsewhere_after[*first].insert(*second);
                    }
                }
            }
        }
        for cell in cells(graph) {
            let accesses = accesses_to(graph, cell);
            for (first, one) in &accesses {
                for (second, two) in &accesses {
                    if first != second && base.in_cell(*first, *second, *one, *two).is_some() {
                        base.rows[*first].insert(*second);
                    }
                }
            }
        }
        for first in 0..count {
            let middle = base.through(first);
            for second in 0..count {
                if middle.meets(&base.elsewhere_before[second]) {
                    base.rows[first].insert(second);
                }
            }
        }
        base
    }

    /// What happens after something that the thread does after an event elsewhere.
    fn through(&self, event: usize) -> Set {
        let mut middle = Set::new(self.graph.events.len());
        for next in self.elsewhere_after[event].iter() {
            middle.add(&self.after[next]);
        }
        middle
    }

    /// Why an access comes before another because of their cell: it happens before it,
    /// is overwritten by it, or sees what that overwrites.
    fn in_cell(&self, first: usize, second: usize, one: Access, two: Access) -> Option<Reason> {
        let graph = self.graph;
        if let (Some((mine, _)), Some((theirs, _))) = (one.writes, two.writes)
            && mine < theirs
        {
            return Some(graph.why_before(one.cell, mine, theirs));
        }
        if let (Some((seen, why)), Some((theirs, _))) = (one.sees, two.writes)
            && seen < theirs
        {
            let mut reason = graph.why_before(one.cell, seen, theirs);
            reason.push(why);
            return Some(reason);
        }
        graph.happens_before(first, second).then(|| {
            let mut reason = graph.why_happens_before(first, second);
            reason.extend([graph.events[first].exists(), graph.events[second].exists()]);
            reason
        })
    }

    fn why(&self, first: usize, second: usize) -> Reason {
        let graph = self.graph;
        if graph.is_program_order(first, second) {
            return vec![graph.events[first].exists(), graph.events[second].exists()];
        }
        for one in &graph.events[first].accesses {
            for two in &graph.events[second].accesses {
                if one.cell == two.cell
                    && let Some(reason) = self.in_cell(first, second, *one, *two)
                {
                    return reason;
                }
            }
        }
        let mut best: Option<Reason> = None;
        for next in self.elsewhere_after[first].iter() {
            for last in self.elsewhere_before[second].iter() {
                if graph.happens_before(next, last) {
                    let mut reason = graph.why_happens_before(next, last);
                    for event in [first, next, last, second] {
                        reason.push(graph.events[event].exists());
                    }
                    if best.as_ref().is_none_or(|best| reason.len() < best.len()) {
                        best = Some(reason);
                    }
                }
            }
        }
        best.expect("one should come before the other")
    }
}

/// A sequentially consistent access or fence.
struct Node {
    event: usize,
    is_fence: bool,
}

fn sequential_consistency(graph: &Graph) -> Vec<Reason> {
    let strongest = Ordering::SequentiallyConsistent;
    let nodes: Vec<Node> = (graph.events.iter().enumerate())
        .filter_map(|(event, data)| {
            let is_fence = data.fence.is_some_and(|(order, _)| order == strongest);
            let is_access = data.is_sequential() && !data.accesses.is_empty();
            (is_fence || is_access).then_some(Node { event, is_fence })
        })
        .collect();
    if nodes.len() < 2 {
        return Vec::new();
    }
    let base = Base::of(graph);
    let count = graph.events.len();
    let starts = |node: &Node| {
        let mut set = Set::new(count);
        set.insert(node.event);
        if node.is_fence {
            set.add(&base.after[node.event]);
        }
        set
    };
    let ends = |node: &Node| {
        let mut set = Set::new(count);
        set.insert(node.event);
        if node.is_fence {
            set.add(&graph.before[node.event]);
        }
        set
    };
    let next: Vec<Vec<usize>> = (nodes.iter())
        .map(|node| {
            let mut reached = Set::new(count);
            for start in starts(node).iter() {
                reached.add(&base.rows[start]);
            }
            let others = nodes.iter().enumerate();
            let is_next = |other: &Node| {
                reached.meets(&ends(other))
                    || node.is_fence && other.is_fence && is_between_fences(&base, node, other)
            };
            others
                .filter(|(_, other)| is_next(other))
                .map(|(index, _)| index)
                .collect()
        })
        .collect();
    let mut reasons = Vec::new();
    for start in 0..nodes.len() {
        if reasons.len() >= ENOUGH {
            break;
        }
        let Some(cycle) = shortest_cycle(&next, start) else {
            continue;
        };
        let mut reason: Reason = Vec::new();
        for (index, from) in cycle.iter().enumerate() {
            let to = cycle[(index + 1) % cycle.len()];
            let (from, to) = (&nodes[*from], &nodes[to]);
            reason.extend(why_next(&base, (from, starts(from)), (to, ends(to))));
            let event = &graph.events[from.event];
            reason.extend([event.exists(), event.decided]);
        }
        reasons.push(reason);
    }
    reasons
}

/// `psc` between fences: happens-before, or with accesses to one cell between.
fn is_between_fences(base: &Base, one: &Node, two: &Node) -> bool {
    why_between_fences(base, one, two).is_some()
}

fn why_between_fences(base: &Base, one: &Node, two: &Node) -> Option<Reason> {
    let graph = base.graph;
    if graph.happens_before(one.event, two.event) {
        return Some(graph.why_happens_before(one.event, two.event));
    }
    for first in base.after[one.event].iter() {
        for access in &graph.events[first].accesses {
            for second in graph.before[two.event]
                .iter()
                .filter(|other| *other != first)
            {
                let others = graph.events[second].accesses.iter();
                for other in others.filter(|other| other.cell == access.cell) {
                    if let Some(mut reason) = comes_after(graph, *other, *access) {
                        reason.extend(graph.why_happens_before(one.event, first));
                        reason.extend(graph.why_happens_before(second, two.event));
                        return Some(reason);
                    }
                }
            }
        }
    }
    None
}

fn why_next(base: &Base, (from, starts): (&Node, Set), (to, ends): (&Node, Set)) -> Reason {
    let graph = base.graph;
    let mut best: Option<Reason> = None;
    let mut offer = |reason: Reason| {
        let length = |reason: &Reason| reason.iter().filter(|lit| **lit != Lit::TRUE).count();
        if best
            .as_ref()
            .is_none_or(|best| length(&reason) < length(best))
        {
            best = Some(reason);
        }
    };
    for first in starts.iter() {
        for second in ends.iter().filter(|second| base.rows[first].has(*second)) {
            let mut reason = base.why(first, second);
            if first != from.event {
                reason.extend(graph.why_happens_before(from.event, first));
            }
            if second != to.event {
                reason.extend(graph.why_happens_before(second, to.event));
            }
            offer(reason);
        }
    }
    if from.is_fence
        && to.is_fence
        && let Some(reason) = why_between_fences(base, from, to)
    {
        offer(reason);
    }
    best.expect("one should come before the other")
}

/// A shortest cycle through a node.
fn shortest_cycle(next: &[Vec<usize>], start: usize) -> Option<Vec<usize>> {
    let mut from = vec![None; next.len()];
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for other in &next[node] {
            if *other == start {
                let mut cycle = vec![node];
                let mut node = node;
                while let Some(before) = from[node] {
                    cycle.push(before);
                    node = before;
                }
                cycle.reverse();
                return Some(cycle);
            }
            if from[*other].is_none() {
                from[*other] = Some(node);
                open.push_back(*other);
            }
        }
    }
    None
}
