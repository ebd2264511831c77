//! Data races under C's memory model: two accesses to the same bytes by different
//! threads, at least one a write, at least one not atomic, neither of which happens
//! before the other.

use super::graph::{Event, EventId, Kind, Range};
use super::rc11::happens_before;
use crate::machine::Machine;
use crate::thread::{Access, Thread};
use crate::violation::Property;
use ir::{Op, Type};
use library::MemoryModel;

impl<'a> Machine<'a> {
    /// Whether races are a matter of what happens before what.
    pub(crate) fn races_by_order(&self) -> bool {
        self.weak
            .as_ref()
            .is_some_and(|weak| weak.name == MemoryModel::Rc11)
    }

    /// Looks for accesses that race with the one that was just made.
    pub(crate) fn notice_unordered(&mut self, thread: &Thread, id: EventId) {
        if !self.races_by_order() || !self.config.checks.has(Property::Race) {
            return;
        }
        let Some(weak) = &self.weak else {
            return;
        };
        let event = &weak.graph.events[id];
        let Some(ours) = access_of(event) else {
            return;
        };
        let rivals = weak.graph.events[..id].iter().enumerate();
        let rivals = rivals.filter(|(_, other)| other.thread.is_some_and(|t| t != thread.id));
        let conflicts = rivals.filter_map(|(other, rival)| Some((other, access_of(rival)?)));
        let conflicts: Vec<_> = (conflicts.filter(|(_, theirs)| ours.races_with(theirs))).collect();
        if conflicts.is_empty() {
            return;
        }
        let hb = happens_before(&weak.graph);
        let mut found = Vec::new();
        for (other, theirs) in conflicts {
            if hb.has(other, id) {
                continue;
            }
            let rival = &weak.graph.events[other];
            let mine = (thread.id, &ours, &*event.stack);
            let their_thread = rival.thread.unwrap_or_default();
            found.push(self.race_between(mine, (their_thread, &theirs, &rival.stack)));
        }
        self.noticed.extend(found);
    }

    /// Whether a thread is about to compare and exchange in vain, so that it only reads.
    fn will_fail(&self, thread: &Thread) -> bool {
        let (Some(frame), Some(access)) = (thread.frame(), thread.pending.accesses.first()) else {
            return false;
        };
        let body = self.image.body(frame.function);
        let inst = body.and_then(|body| {
            let inst = body.blocks[frame.block].insts.get(frame.index)?;
            Some(&body.insts[*inst].op)
        });
        let Some(Op::CompareExchange { expected, .. }) = inst else {
            return false;
        };
        let ty = Type::Int(8 * access.len as u32);
        let value = self.memory.read(access.object, access.offset, &ty);
        value.bits() != self.operand(thread, *expected).bits()
    }

    /// Looks for accesses that others are about to make, which race with what the
    /// thread did in its step: nothing can come between.
    pub(crate) fn notice_unordered_ahead(&mut self, id: usize) {
        if !self.config.checks.has(Property::Race) {
            return;
        }
        let Some(weak) = &self.weak else {
            return;
        };
        let events = weak.graph.events.iter().enumerate().skip(weak.step_start);
        let own = events.filter(|(_, event)| event.thread == Some(id));
        let own: Vec<_> = own
            .filter_map(|(at, event)| Some((at, access_of(event)?)))
            .collect();
        let mut conflicts = Vec::new();
        let others = self.threads.iter().filter(|other| !other.is_finished());
        for other in others.filter(|other| !self.will_fail(other)) {
            for theirs in &other.pending.accesses {
                let hits = own.iter().filter(|(_, ours)| ours.races_with(theirs));
                conflicts.extend(hits.map(|(at, ours)| (*at, ours, other, theirs)));
            }
        }
        if conflicts.is_empty() {
            return;
        }
        let hb = happens_before(&weak.graph);
        let mut found = Vec::new();
        for (at, ours, other, theirs) in conflicts {
            let mut later = hb.from(at);
            if later.any(|later| weak.graph.events[later].thread == Some(other.id)) {
                continue;
            }
            let mine = (id, ours, &*weak.graph.events[at].stack);
            let stack = self.stack(other);
            found.push(self.race_between(mine, (other.id, theirs, &stack)));
        }
        self.noticed.extend(found);
    }
}

fn access_of(event: &Event) -> Option<Access> {
    let Range {
        object,
        offset,
        len,
    } = *event.range()?;
    Some(Access {
        object,
        offset,
        len,
        is_write: event.writes() || matches!(event.kind, Kind::Free(_)),
        is_atomic: event.order.is_atomic(),
    })
}
