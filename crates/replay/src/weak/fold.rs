//! Keeps graphs small, and says when two of them are alike.
//!
//! A thread that waits reads the same again and again. If the last events of a thread
//! are the same reads and fences as those before them, and see the same, then they
//! change nothing for whatever may follow, and are left out: they come after the same
//! events and before the same events. One read is enough; of several, two rounds are,
//! since each read of the second round also comes after the others.
//!
//! Two graphs are alike if threads have done the same in them, have seen the same
//! writes, and the writes to each place are in the same order. In which order a run
//! came by does not matter.

use super::Weak;
use super::graph::{Event, EventId, Graph, Kind, Passage};
use crate::fingerprint::Fingerprint;
use crate::memory::{Memory, ObjectId};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Longer loops of reads are not recognised.
const LONGEST_ROUND: usize = 6;

impl Weak {
    /// Leaves out what a thread has done for nothing.
    pub(super) fn fold(&mut self, thread: usize) {
        let events = self.graph.events.iter().enumerate();
        let mut own: Vec<EventId> = events
            .filter(|(_, event)| event.thread == Some(thread))
            .map(|(id, _)| id)
            .collect();
        own.sort_by_key(|id| self.graph.events[*id].stamp);
        for round in 1..=LONGEST_ROUND {
            let rounds = if round == 1 { 2 } else { 3 };
            let Some(start) = own.len().checked_sub(rounds * round) else {
                return;
            };
            let last = &own[start..];
            let is_same = last.iter().zip(&last[round..]).all(|(one, other)| {
                is_repeated(&self.graph.events[*one], &self.graph.events[*other])
            });
            let is_gapless = last.windows(2).all(|pair| {
                self.graph.events[pair[0]].stamp + 1 == self.graph.events[pair[1]].stamp
            });
            if is_same && is_gapless {
                let dropped = &last[last.len() - round..];
                self.graph.forget(dropped);
                self.released.values_mut().for_each(|id| {
                    *id -= dropped.iter().filter(|gone| *gone < id).count();
                });
                self.stamps[thread] -= round as u64;
                return;
            }
        }
    }

    /// Adds everything that later choices can depend on.
    pub(crate) fn fingerprint(&self, memory: &Memory, fingerprint: &mut Fingerprint) {
        self.graph.fingerprint(fingerprint);
        let names = self.graph.names();
        for (thread, event) in &self.released {
            (thread, names[*event]).hash(fingerprint);
        }
        for (object, log) in &self.logs {
            if memory.peek(*object).is_some_and(|object| object.is_alive) {
                object.hash(fingerprint);
                log.fingerprint(fingerprint);
                // Where they come among the other events of the thread.
                for event in &log.events {
                    let is_earlier =
                        |other: &&Event| other.thread == event.thread && other.stamp < event.stamp;
                    let earlier = self.graph.events.iter().filter(is_earlier);
                    fingerprint.write_usize(earlier.count());
                }
            }
        }
    }

    /// A number for the execution as a whole.
    pub(crate) fn digest(&self) -> u128 {
        let mut fingerprint = Fingerprint::default();
        self.graph.fingerprint(&mut fingerprint);
        fingerprint.value()
    }
}

fn is_repeated(one: &Event, other: &Event) -> bool {
    let is_same_kind = match (&one.kind, &other.kind) {
        (Kind::Read(one), Kind::Read(other)) => one == other,
        (Kind::Fence, Kind::Fence) => true,
        _ => false,
    };
    is_same_kind
        && one.order == other.order
        && one.is_locked == other.is_locked
        && one.pieces == other.pieces
}

/// What an event is called whichever way a run has come: its thread and place there;
/// or which bytes it is the first value of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Name {
    Initial(ObjectId, u64),
    Of(usize, usize),
}

impl Graph {
    /// Takes events away that nobody has seen.
    fn forget(&mut self, gone: &[EventId]) {
        let mut numbers: BTreeMap<EventId, EventId> = BTreeMap::new();
        let mut kept = Vec::new();
        for (id, event) in std::mem::take(&mut self.events).into_iter().enumerate() {
            if !gone.contains(&id) {
                numbers.insert(id, kept.len());
                kept.push(event);
            }
        }
        for event in &mut kept {
            for piece in &mut event.pieces {
                piece.source = numbers[&piece.source];
            }
            if let Kind::Synchronise(_, Passage::Leave(last)) = &mut event.kind {
                *last = numbers[last];
            }
        }
        self.events = kept;
        self.renumber(|id| numbers[&id]);
    }

    fn names(&self) -> Vec<Name> {
        let names = self
            .events
            .iter()
            .map(|event| match (event.thread, event.range()) {
                (Some(thread), _) => {
                    let is_earlier =
                        |other: &&Event| other.thread == event.thread && other.stamp < event.stamp;
                    Name::Of(thread, self.events.iter().filter(is_earlier).count())
                }
                (None, Some(range)) => Name::Initial(range.object, range.offset),
                (None, None) => Name::Of(usize::MAX, 0),
            });
        names.collect()
    }

    fn fingerprint(&self, fingerprint: &mut Fingerprint) {
        let names = self.names();
        let mut sorted: Vec<EventId> = (0..self.len()).collect();
        sorted.sort_by_key(|id| names[*id]);
        let synchronisation = self.synchronisation();
        for id in sorted {
            let event = &self.events[id];
            (names[id], event.order, event.range()).hash(fingerprint);
            event.is_locked.hash(fingerprint);
            std::mem::discriminant(&event.kind).hash(fingerprint);
            for piece in &event.pieces {
                (piece.offset, piece.len, names[piece.source]).hash(fingerprint);
            }
            event.value.hash(fingerprint);
            if event.writes()
                && let Some(range) = event.range()
            {
                for write in self.writes_to(range) {
                    names[write].hash(fingerprint);
                }
            }
            if let Kind::Synchronise(key, passage) = &event.kind {
                key.hash(fingerprint);
                std::mem::discriminant(passage).hash(fingerprint);
            }
            let mut later: Vec<Name> = synchronisation.from(id).map(|to| names[to]).collect();
            later.sort_unstable();
            later.hash(fingerprint);
        }
    }
}
