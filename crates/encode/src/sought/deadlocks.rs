//! Deadlocks: runs at the end of which threads wait for what cannot come.
//!
//! What a position that is not passed would read is what memory holds in the end,
//! so its reasons to wait tell whether the thread could go on. There are two kinds
//! of deadlock. In a *global* one, every thread has ended or waits. In a *cycle*,
//! some threads wait for each other, whatever the others do: a set of threads each
//! of which waits for another in the set.

use cranelift_entity::SecondaryMap;
use formula::{Blaster, ClauseSink, Lit};
use unfold::{Place, ThreadId, Threads};

use super::ends::{End, Ends};

pub(crate) struct Deadlocks {
    pub found: Lit,
    /// By thread and position: the thread waits there, and is part of it.
    involved: Vec<(ThreadId, Place, Lit)>,
}

impl Deadlocks {
    pub(crate) fn new(
        threads: &Threads,
        ends: &Ends,
        finds_cycles: bool,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) -> Deadlocks {
        let is_global = match finds_cycles {
            true => blaster.gates.input(),
            false => Lit::TRUE,
        };
        let mut involved = Vec::new();
        let mut all = Vec::new();
        let mut some = Vec::new();
        let mut edges = Vec::new();
        for (id, thread) in threads.threads.iter() {
            let End {
                is_created: Some(is_created),
                has_ended: Some(has_ended),
                stands,
                ..
            } = &ends[id]
            else {
                continue;
            };
            let mut waits = Vec::new();
            for (index, position) in thread.positions.iter().enumerate() {
                let mut reasons = Vec::new();
                for wait in &position.waits {
                    let until = blaster.literal(&threads.terms, wait.until);
                    let waits = blaster.gates.and(stands[index], !until);
                    reasons.push(waits);
                    for (condition, holder) in &wait.holders {
                        let condition = blaster.literal(&threads.terms, *condition);
                        edges.push((id, blaster.gates.and(waits, condition), *holder));
                    }
                }
                for (condition, other) in &position.joins {
                    let condition = blaster.literal(&threads.terms, *condition);
                    let has_ended = ends[*other].has_ended.unwrap_or(Lit::FALSE);
                    let parts = [stands[index], condition, !has_ended];
                    let waits = blaster.gates.all(&parts);
                    reasons.push(waits);
                    edges.push((id, waits, *other));
                }
                if !reasons.is_empty() {
                    let reason = blaster.gates.any(&reasons);
                    waits.push(reason);
                    involved.push((id, position.step.place, reason));
                }
            }
            let waits = blaster.gates.any(&waits);
            all.push(blaster.gates.any(&[!*is_created, *has_ended, waits]));
            some.push(waits);
        }
        let everybody = blaster.gates.all(&all);
        let anybody = blaster.gates.any(&some);
        let is_dead = blaster.gates.and(everybody, anybody);
        let mut found = blaster.gates.and(is_global, is_dead);
        if finds_cycles {
            let cycle = cycle(threads, &edges, &mut involved, is_global, blaster, sink);
            found = blaster.gates.or(found, cycle);
        }
        Deadlocks { found, involved }
    }

    /// Some thread of the deadlock waits at a place.
    pub(crate) fn waits_at(&self, place: Place, blaster: &mut Blaster) -> Lit {
        let here = self.involved.iter().filter(|(_, at, _)| *at == place);
        let here: Vec<Lit> = here.map(|(_, _, waits)| *waits).collect();
        blaster.gates.any(&here)
    }
}

/// Whether there is a set of threads each of which waits for another in the set.
/// Finite as it is, it then has a cycle.
fn cycle(
    threads: &Threads,
    edges: &[(ThreadId, Lit, ThreadId)],
    involved: &mut [(ThreadId, Place, Lit)],
    is_global: Lit,
    blaster: &mut Blaster,
    sink: &mut impl ClauseSink,
) -> Lit {
    let mut members: SecondaryMap<ThreadId, Lit> = SecondaryMap::with_default(Lit::FALSE);
    for (thread, _, _) in edges {
        if members[*thread] == Lit::FALSE {
            members[*thread] = blaster.gates.input();
        }
    }
    for thread in threads.threads.keys() {
        let member = members[thread];
        if member == Lit::FALSE {
            continue;
        }
        let reasons: Vec<Lit> = (edges.iter())
            .filter(|(from, _, _)| *from == thread)
            .map(|(_, waits, to)| blaster.gates.and(*waits, members[*to]))
            .collect();
        let has_reason = blaster.gates.any(&reasons);
        blaster.add_clause(&[!member, has_reason], sink);
    }
    for (thread, _, waits) in involved {
        let counts = blaster.gates.or(is_global, members[*thread]);
        *waits = blaster.gates.and(*waits, counts);
    }
    let members: Vec<Lit> = threads.threads.keys().map(|id| members[id]).collect();
    blaster.gates.any(&members)
}
