//! What memory models allow, by trying all executions of a program without branches:
//! which write each read sees, and in which order the writes to each place come.
//!
//! The models are written down in pairs of events, as plainly as can be. Nothing here
//! is shared with those who are compared with it.

use super::weak::{Act, Order, Outcome, Program};
use library::MemoryModel;
use std::collections::BTreeSet;

type Pairs = BTreeSet<(usize, usize)>;

/// An event of the program, before it is known what happens.
#[derive(Clone, Copy)]
struct Event {
    /// None for what is there at first.
    thread: Option<usize>,
    /// Its number within the thread.
    index: usize,
    act: Act,
}

impl Event {
    fn place(&self) -> Option<usize> {
        match self.act {
            Act::Store(place, ..)
            | Act::Load(place, _)
            | Act::Add(place, ..)
            | Act::Replace(place, ..) => Some(place),
            Act::Fence(_) => None,
        }
    }
}

/// One way in which the program may run.
struct Execution<'p> {
    events: &'p [Event],
    /// What each event has seen; nothing if it does not read.
    source: Vec<Option<usize>>,
    read: Vec<u32>,
    /// Whether a compare-exchange has found what it looked for.
    writes: Vec<bool>,
    /// The writes to each place, in their order.
    orders: Vec<Vec<usize>>,
}

/// All that may come out.
pub fn outcomes(program: &Program, model: MemoryModel) -> BTreeSet<Outcome> {
    let mut events = Vec::new();
    for place in 0..program.places {
        events.push(Event {
            thread: None,
            index: 0,
            act: Act::Store(place, 0, Order::Plain),
        });
    }
    for (thread, acts) in program.threads.iter().enumerate() {
        for (index, act) in acts.iter().enumerate() {
            events.push(Event {
                thread: Some(thread),
                index,
                act: *act,
            });
        }
    }
    let reads: Vec<usize> = (0..events.len())
        .filter(|id| events[*id].act.has_result())
        .collect();
    let mut found = BTreeSet::new();
    let mut source = vec![None; events.len()];
    choose_sources(&events, &reads, &mut source, &mut |source| {
        try_orders(program, &events, source, model, &mut found);
    });
    found
}

/// All ways to give each read something to see.
fn choose_sources(
    events: &[Event],
    reads: &[usize],
    source: &mut Vec<Option<usize>>,
    then: &mut dyn FnMut(&[Option<usize>]),
) {
    let Some((read, rest)) = reads.split_first() else {
        then(source);
        return;
    };
    for write in 0..events.len() {
        let may_write = !matches!(events[write].act, Act::Load(..) | Act::Fence(_));
        if write != *read && may_write && events[write].place() == events[*read].place() {
            source[*read] = Some(write);
            choose_sources(events, rest, source, then);
        }
    }
    source[*read] = None;
}

fn try_orders(
    program: &Program,
    events: &[Event],
    source: &[Option<usize>],
    model: MemoryModel,
    found: &mut BTreeSet<Outcome>,
) {
    let Some(values) = values(events, source) else {
        return;
    };
    let mut orders = Vec::new();
    for place in 0..program.places {
        let writes = |id: &usize| values.writes[*id];
        let all = (0..events.len()).filter(|id| writes(id) && events[*id].place() == Some(place));
        let all: Vec<usize> = all.collect();
        orders.push(permutations(&all));
    }
    let mut chosen = vec![0; program.places];
    loop {
        let execution = Execution {
            events,
            source: source.to_vec(),
            read: values.read.clone(),
            writes: values.writes.clone(),
            orders: (chosen.iter().zip(&orders))
                .map(|(index, orders)| orders[*index].clone())
                .collect(),
        };
        if execution.is_allowed(model) {
            let results = (0..events.len()).filter(|id| events[*id].act.has_result());
            let mut outcome: Outcome = results.map(|id| execution.read[id]).collect();
            let last = execution.orders.iter().filter_map(|order| order.last());
            outcome.extend(last.map(|write| values.written[*write]));
            found.insert(outcome);
        }
        let Some(place) = (0..chosen.len()).find(|place| chosen[*place] + 1 < orders[*place].len())
        else {
            return;
        };
        chosen[place] += 1;
        chosen[..place].fill(0);
    }
}

/// All orders of writes, with what was there at first in front.
fn permutations(writes: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, rest)) = writes.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = vec![vec![*first]];
    for write in rest {
        let mut longer = Vec::new();
        for order in &all {
            for at in 1..=order.len() {
                let mut with = order.clone();
                with.insert(at, *write);
                longer.push(with);
            }
        }
        all = longer;
    }
    all
}

/// What events read and write, if they do.
struct Values {
    read: Vec<u32>,
    written: Vec<u32>,
    writes: Vec<bool>,
}

/// What is read and written, and who writes at all. None if somebody would have to
/// read what depends on that very read, or reads from who does not write.
fn values(events: &[Event], source: &[Option<usize>]) -> Option<Values> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < events.len() {
        let next = (0..events.len()).find(|id| {
            !order.contains(id)
                && source[*id].is_none_or(|source| order.contains(&source))
                && (0..events.len()).all(|other| {
                    events[other].thread != events[*id].thread
                        || events[other].thread.is_none()
                        || events[other].index >= events[*id].index
                        || order.contains(&other)
                })
        })?;
        order.push(next);
    }
    let (mut read, mut written) = (vec![0; events.len()], vec![0; events.len()]);
    let mut writes = vec![false; events.len()];
    for id in order {
        if let Some(source) = source[id] {
            if !writes[source] {
                return None;
            }
            read[id] = written[source];
        }
        match events[id].act {
            Act::Store(_, value, _) => (written[id], writes[id]) = (value, true),
            Act::Add(_, value, _) => {
                (written[id], writes[id]) = (read[id].wrapping_add(value), true);
            }
            Act::Replace(_, value, ..) => (written[id], writes[id]) = (value, read[id] == 0),
            Act::Load(..) | Act::Fence(_) => {}
        }
    }
    Some(Values {
        read,
        written,
        writes,
    })
}

impl Execution<'_> {
    fn all(&self, holds: impl Fn(usize, usize) -> bool) -> Pairs {
        let n = self.events.len();
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        pairs.filter(|(a, b)| holds(*a, *b)).collect()
    }

    fn order(&self, id: usize) -> Order {
        match self.events[id].act {
            Act::Store(_, _, order)
            | Act::Load(_, order)
            | Act::Add(_, _, order)
            | Act::Fence(order) => order,
            Act::Replace(_, _, success, failure) => match self.writes[id] {
                true => success,
                false => failure,
            },
        }
    }

    fn is_read(&self, id: usize) -> bool {
        self.source[id].is_some()
    }

    fn is_write(&self, id: usize) -> bool {
        self.writes[id]
    }

    fn is_update(&self, id: usize) -> bool {
        self.is_read(id) && self.is_write(id)
    }

    fn is_fence(&self, id: usize) -> bool {
        matches!(self.events[id].act, Act::Fence(_))
    }

    fn is_strongest(&self, id: usize) -> bool {
        self.order(id) == Order::SequentiallyConsistent
    }

    fn releases(&self, id: usize) -> bool {
        let order = self.order(id);
        order == Order::Release || order == Order::AcquireRelease || self.is_strongest(id)
    }

    fn acquires(&self, id: usize) -> bool {
        let order = self.order(id);
        order == Order::Acquire || order == Order::AcquireRelease || self.is_strongest(id)
    }

    fn same_place(&self, a: usize, b: usize) -> bool {
        let place = self.events[a].place();
        place.is_some() && place == self.events[b].place()
    }

    fn po(&self) -> Pairs {
        self.all(|a, b| {
            let (first, second) = (&self.events[a], &self.events[b]);
            match (first.thread, second.thread) {
                (None, Some(_)) => true,
                (Some(one), Some(other)) => one == other && first.index < second.index,
                _ => false,
            }
        })
    }

    fn rf(&self) -> Pairs {
        self.all(|a, b| self.source[b] == Some(a))
    }

    fn mo(&self) -> Pairs {
        let mut pairs = Pairs::new();
        for order in &self.orders {
            for (index, first) in order.iter().enumerate() {
                pairs.extend(order[index + 1..].iter().map(|second| (*first, *second)));
            }
        }
        pairs
    }

    fn fr(&self, mo: &Pairs) -> Pairs {
        self.all(|a, b| a != b && self.source[a].is_some_and(|w| mo.contains(&(w, b))))
    }

    fn is_allowed(&self, model: MemoryModel) -> bool {
        let (po, rf, mo) = (self.po(), self.rf(), self.mo());
        let fr = self.fr(&mo);
        // Nothing comes between the two halves of an update.
        let n = self.events.len();
        let is_split = |update: usize| {
            self.is_update(update)
                && (0..n).any(|w| fr.contains(&(update, w)) && mo.contains(&(w, update)))
                || self.is_update(update)
                    && self.source[update].is_none_or(|w| !mo.contains(&(w, update)))
        };
        if (0..n).any(is_split) {
            return false;
        }
        let com = union(&[&rf, &mo, &fr]);
        match model {
            MemoryModel::Sc => is_acyclic(&union(&[&po, &com])),
            MemoryModel::Tso | MemoryModel::Pso => {
                let po_loc: Pairs = po
                    .iter()
                    .copied()
                    .filter(|(a, b)| self.same_place(*a, *b))
                    .collect();
                let rfe = rf.iter().copied();
                let rfe: Pairs = rfe
                    .filter(|(a, b)| self.events[*a].thread != self.events[*b].thread)
                    .collect();
                let kept = self.kept(&po, model == MemoryModel::Pso);
                is_acyclic(&union(&[&po_loc, &com])) && is_acyclic(&union(&[&kept, &rfe, &mo, &fr]))
            }
            MemoryModel::Rc11 => self.is_allowed_by_c(&po, &rf, &mo, &fr),
        }
    }

    /// What machines with buffers keep of program order.
    fn kept(&self, po: &Pairs, is_partial: bool) -> Pairs {
        let strong = |id: usize| {
            self.events[id].thread.is_none()
                || matches!(self.events[id].act, Act::Add(..) | Act::Replace(..))
                || self.is_fence(id) && self.is_strongest(id)
        };
        let only_writes = |id: usize| self.is_write(id) && !self.is_read(id);
        let kept = po.iter().copied().filter(|(a, b)| {
            let (a, b) = (*a, *b);
            if strong(a) || strong(b) {
                return true;
            }
            if self.is_fence(a) || self.is_fence(b) {
                return false;
            }
            if !only_writes(a) || self.is_strongest(a) {
                return true;
            }
            // What comes after a write that may wait: a release, with the write that it
            // may belong to, keeps later writes back.
            let releases = po.iter().any(|(first, release)| {
                let is_release = self.is_fence(*release) || only_writes(*release);
                *first == a
                    && is_release
                    && self.releases(*release)
                    && (*release == b || po.contains(&(*release, b)))
            });
            only_writes(b) && (!is_partial || releases)
        });
        kept.collect()
    }

    fn is_allowed_by_c(&self, po: &Pairs, rf: &Pairs, mo: &Pairs, fr: &Pairs) -> bool {
        let n = self.events.len();
        let is_atomic = |id: usize| self.order(id) != Order::Plain;
        // Release sequences, from each write.
        let updates: Pairs = rf
            .iter()
            .copied()
            .filter(|(_, b)| self.is_update(*b))
            .collect();
        let chain = reflexive(&closure(&updates), n);
        let head = self.all(|a, b| {
            self.is_write(a)
                && self.is_write(b)
                && is_atomic(b)
                && (a == b || po.contains(&(a, b)) && self.same_place(a, b))
        });
        let sequences = compose(&head, &chain);
        let mut sw = Pairs::new();
        for (w, last) in &sequences {
            for (from, read) in rf {
                if from != last || !is_atomic(*read) {
                    continue;
                }
                for a in 0..n {
                    let starts =
                        self.releases(a) && (a == *w || self.is_fence(a) && po.contains(&(a, *w)));
                    for b in (0..n).filter(|_| starts) {
                        let ends = self.acquires(b)
                            && (b == *read || self.is_fence(b) && po.contains(&(*read, b)));
                        if ends {
                            sw.insert((a, b));
                        }
                    }
                }
            }
        }
        let hb = closure(&union(&[po, &sw]));
        let eco = closure(&union(&[rf, mo, fr]));
        if !is_irreflexive(&hb) || !is_irreflexive(&compose(&hb, &eco)) {
            return false;
        }
        let at = |pairs: &Pairs, same: bool| -> Pairs {
            let pairs = pairs.iter().copied();
            pairs
                .filter(|(a, b)| self.same_place(*a, *b) == same)
                .collect()
        };
        let elsewhere = at(po, false);
        let scb = union(&[
            po,
            &compose(&compose(&elsewhere, &hb), &elsewhere),
            &at(&hb, true),
            mo,
            fr,
        ]);
        let is_sc_fence = |id: usize| self.is_fence(id) && self.is_strongest(id);
        let same = self.all(|a, b| a == b && self.is_strongest(a));
        let hb_or_same = reflexive(&hb, n);
        let left = hb_or_same.iter().copied().filter(|(a, _)| is_sc_fence(*a));
        let right = hb_or_same.iter().copied().filter(|(_, b)| is_sc_fence(*b));
        let left: Pairs = left.chain(same.iter().copied()).collect();
        let right: Pairs = right.chain(same.iter().copied()).collect();
        let base = compose(&compose(&left, &scb), &right);
        let between = union(&[&hb, &compose(&compose(&hb, &eco), &hb)]);
        let fences: Pairs = between
            .into_iter()
            .filter(|(a, b)| is_sc_fence(*a) && is_sc_fence(*b))
            .collect();
        is_acyclic(&union(&[&base, &fences]))
    }
}

fn union(all: &[&Pairs]) -> Pairs {
    all.iter().flat_map(|pairs| pairs.iter().copied()).collect()
}

fn compose(first: &Pairs, second: &Pairs) -> Pairs {
    let mut pairs = Pairs::new();
    for (a, b) in first {
        for (_, c) in second.range((*b, 0)..=(*b, usize::MAX)) {
            pairs.insert((*a, *c));
        }
    }
    pairs
}

fn reflexive(pairs: &Pairs, n: usize) -> Pairs {
    pairs
        .iter()
        .copied()
        .chain((0..n).map(|a| (a, a)))
        .collect()
}

fn closure(pairs: &Pairs) -> Pairs {
    let mut all = pairs.clone();
    loop {
        let before = all.len();
        all.extend(compose(&all, pairs));
        if all.len() == before {
            return all;
        }
    }
}

fn is_irreflexive(pairs: &Pairs) -> bool {
    pairs.iter().all(|(a, b)| a != b)
}

fn is_acyclic(pairs: &Pairs) -> bool {
    is_irreflexive(&closure(pairs))
}
