//! Normal forms: fewer schedules, of which at least one in each equivalence
//! class.
//!
//! Two runs are equivalent if one becomes the other by exchanging neighbouring
//! positions of different threads that do not depend on each other. Equivalent
//! runs read the same values and violate the same things. Positions depend on
//! each other if they really access a common cell and one of them writes it, if
//! one creates the thread of the other, and if one joins the thread that ends
//! with the other. What is read where the program does not really look must
//! not matter to it, or else runs that differ would count as equivalent.
//!
//! Why both forms together are complete: take any run. While a thread is resumed
//! for no reason, the first position after that can move to the end of the
//! thread's previous context. While two neighbouring contexts in the wrong order
//! are independent, they can be exchanged. What becomes neighbours of one
//! thread is merged, and unused contexts move to the end. This ends, because
//! with each step there are fewer used contexts; or as many, and the sequence of
//! their threads is less in the lexicographic order; or that is the same, and
//! one position is in an earlier context. No step needs more contexts.

use cranelift_entity::SecondaryMap;
use formula::{Blaster, ClauseSink, Lit, TermId};
use unfold::{Access, CellId, Position, ThreadId, Threads};

use super::memory::Memory;
use super::schedule::{Row, Schedule};
use crate::NormalForms;

/// By context, whether a cell is really read, and whether it is really written.
#[derive(Clone, Default)]
struct Activity {
    reads: Row,
    writes: Row,
}

struct Forms<'a, S> {
    threads: &'a Threads,
    schedule: &'a Schedule,
    memory: &'a mut Memory,
    activity: SecondaryMap<CellId, Activity>,
    blaster: &'a mut Blaster,
    sink: &'a mut S,
}

/// Insists on normal forms; `None` if interrupted.
pub(super) fn insist(
    threads: &Threads,
    schedule: &Schedule,
    memory: &mut Memory,
    forms: NormalForms,
    blaster: &mut Blaster,
    sink: &mut impl ClauseSink,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<()> {
    // Where the order is fixed there is nothing to choose.
    let is_ordered = forms.ordered_neighbours && !schedule.is_round_robin;
    if !forms.resume_for_conflict && !is_ordered {
        return Some(());
    }
    let activity = SecondaryMap::new();
    let mut all = Forms {
        threads,
        schedule,
        memory,
        activity,
        blaster,
        sink,
    };
    all.collect_activity(keep_going)?;
    if forms.resume_for_conflict {
        all.resume_for_conflict(keep_going)?;
    }
    if is_ordered {
        all.ordered_neighbours();
    }
    Some(())
}

impl<S: ClauseSink> Forms<'_, S> {
    fn literal(&mut self, term: TermId) -> Lit {
        self.blaster.literal(&self.threads.terms, term)
    }

    fn collect_activity(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Option<()> {
        let contexts = self.schedule.contexts;
        // By cell and context, the literals of reads and of writes.
        let none = vec![(Vec::new(), Vec::new()); contexts];
        let mut found = SecondaryMap::with_default(none);
        for (id, thread) in self.threads.threads.iter() {
            for (position, at) in thread.positions.iter().zip(&self.schedule.threads[id].at) {
                if !keep_going() {
                    return None;
                }
                for access in &position.accesses {
                    let (cell, condition, is_write) = parts(access);
                    let condition = self.literal(condition);
                    for (context, at) in at.iter().enumerate() {
                        let happens = self.blaster.gates.and(*at, condition);
                        let (reads, writes) = &mut found[cell][context];
                        if is_write { writes } else { reads }.push(happens);
                    }
                }
            }
        }
        for cell in self.threads.cells.keys() {
            let gates = &mut self.blaster.gates;
            let rows = found[cell].iter();
            self.activity[cell] = Activity {
                reads: rows.clone().map(|(reads, _)| gates.any(reads)).collect(),
                writes: rows.map(|(_, writes)| gates.any(writes)).collect(),
            };
        }
        Some(())
    }

    /// A thread is resumed only before a position that depends on something
    /// that ran since it was left.
    fn resume_for_conflict(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Option<()> {
        let threads = self.threads;
        for (id, thread) in threads.threads.iter() {
            let schedule = &self.schedule.threads[id];
            for (index, position) in thread.positions.iter().enumerate().skip(1) {
                if !keep_going() {
                    return None;
                }
                let stay = (self.memory).together(id, index - 1, index, self.blaster);
                let mut clause = vec![stay, !schedule.is_passed(index)];
                for context in 1..self.schedule.contexts {
                    let left = schedule.done[index - 1][context - 1];
                    let is_away = [left, !schedule.done[index][context]];
                    if is_away.contains(&Lit::FALSE) {
                        continue;
                    }
                    let mut depends = self.depends_on_context(id, position, context);
                    // What is passed together with it moves together with it.
                    let mut together = Lit::TRUE;
                    for next in index + 1..thread.skips_before {
                        let next = &thread.positions[next];
                        let guard = self.literal(next.guard);
                        together = self.blaster.gates.and(together, !guard);
                        if together == Lit::FALSE {
                            break;
                        }
                        let also = self.depends_on_context(id, next, context);
                        let also = self.blaster.gates.and(together, also);
                        depends = self.blaster.gates.or(depends, also);
                    }
                    let gates = &mut self.blaster.gates;
                    clause.push(gates.all(&[is_away[0], is_away[1], depends]));
                }
                self.blaster.add_clause(&clause, self.sink);
            }
        }
        Some(())
    }

    /// Whether a position depends on something that is passed by other threads
    /// in a context before.
    fn depends_on_context(&mut self, thread: ThreadId, position: &Position, context: usize) -> Lit {
        let mut reasons = Vec::new();
        for access in &position.accesses {
            let (cell, condition, is_write) = parts(access);
            let condition = self.literal(condition);
            let activity = &self.activity[cell];
            let mut others = vec![activity.writes[context]];
            if is_write {
                others.push(activity.reads[context]);
            }
            for other in others {
                reasons.push(self.blaster.gates.and(condition, other));
            }
        }
        for (condition, other) in &position.joins {
            let ends = self.ends_at(*other, thread, context);
            let condition = self.literal(*condition);
            reasons.push(self.blaster.gates.and(condition, ends));
        }
        self.blaster.gates.any(&reasons)
    }

    /// Whether a thread ends in a context of others than `joiner`: with its last
    /// position, or with its creation if it has none.
    fn ends_at(&self, thread: ThreadId, joiner: ThreadId, context: usize) -> Lit {
        if let Some(at) = self.schedule.threads[thread].at.last() {
            return at[context];
        }
        match self.threads.threads[thread].creation {
            Some(creation) if creation.thread != joiner => {
                self.schedule.threads[creation.thread].at[creation.position][context]
            }
            _ => Lit::FALSE,
        }
    }

    /// Neighbouring contexts that do not depend on each other are in the order
    /// of threads. Main's first one stays where it is.
    fn ordered_neighbours(&mut self) {
        let used: Row = (0..self.schedule.contexts)
            .map(|context| self.is_used(context))
            .collect();
        let threads: Vec<ThreadId> = self.threads.threads.keys().collect();
        for context in 1..self.schedule.contexts.saturating_sub(1) {
            let next = context + 1;
            let clause = [!used[next], used[context]];
            self.blaster.add_clause(&clause, self.sink);
            let depends = self.context_depends(context);
            for (index, later) in threads.iter().enumerate() {
                for earlier in &threads[..index] {
                    let clause = [
                        !used[next],
                        depends,
                        !self.schedule.threads[*later].run[context],
                        !self.schedule.threads[*earlier].run[next],
                    ];
                    self.blaster.add_clause(&clause, self.sink);
                }
            }
        }
    }

    fn is_used(&mut self, context: usize) -> Lit {
        let threads = self.threads.threads.keys();
        let at: Vec<Lit> = threads
            .flat_map(|thread| &self.schedule.threads[thread].at)
            .map(|at| at[context])
            .collect();
        self.blaster.gates.any(&at)
    }

    /// Whether something in the next context depends on something in this one,
    /// if they are not in the order of threads. Then no thread of the former is
    /// created in the latter, since creators come first.
    fn context_depends(&mut self, context: usize) -> Lit {
        let next = context + 1;
        let mut reasons = Vec::new();
        for cell in self.threads.cells.keys() {
            let Activity { reads, writes } = &self.activity[cell];
            let gates = &mut self.blaster.gates;
            let later = gates.or(reads[next], writes[next]);
            reasons.push(gates.and(writes[context], later));
            reasons.push(gates.and(reads[context], writes[next]));
        }
        for (id, thread) in self.threads.threads.iter() {
            let at = &self.schedule.threads[id].at;
            for (position, at) in thread.positions.iter().zip(at) {
                for (condition, other) in &position.joins {
                    let ends = self.ends_at(*other, id, context);
                    let condition = self.blaster.literal(&self.threads.terms, *condition);
                    let joins = [ends, condition, at[next]];
                    reasons.push(self.blaster.gates.all(&joins));
                }
            }
        }
        self.blaster.gates.any(&reasons)
    }
}

/// The cell, the condition, and whether it is a write.
fn parts(access: &Access) -> (CellId, TermId, bool) {
    match *access {
        Access::Read {
            cell, condition, ..
        } => (cell, condition, false),
        Access::Write {
            cell, condition, ..
        } => (cell, condition, true),
    }
}
