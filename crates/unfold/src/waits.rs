//! What threads wait for, for those who look for deadlocks.
//!
//! A step that has to wait is possible only under a condition, as one with an
//! invalid address is. For a deadlock the difference matters: whoever waits may
//! be released by others, and what is undefined is no deadlock. So reasons to
//! wait are noted beside what a step requires, together with the threads that
//! must do something first.

use crate::access::Targets;
use crate::checks::Check;
use crate::facts::objects::SyncPart;
use crate::pass::{Flow, Frame, Pass, State};
use crate::threads::{ThreadId, Wait};
use formula::TermId;

/// Threads that must do something first, each under a condition.
pub(crate) type Holders = Vec<(TermId, ThreadId)>;

impl<'p> Pass<'p> {
    pub(crate) fn looks_for_deadlocks(&self) -> bool {
        self.options.checks.has(Check::Deadlock)
    }

    /// The step is possible only if the condition holds, and until then the thread
    /// waits. `part` is that of the step.
    pub(crate) fn wait_until(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (position, part): (Option<usize>, u32),
        condition: TermId,
        holders: Holders,
    ) -> Flow {
        let position = self.note_wait(state, frame, (position, part), condition, holders);
        self.demand(state, position, condition)
    }

    /// Takes note of a reason to wait. What nobody else notices is a step after
    /// all if it may have to wait, since it can be part of a deadlock.
    pub(crate) fn note_wait(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (position, part): (Option<usize>, u32),
        condition: TermId,
        holders: Holders,
    ) -> Option<usize> {
        if !self.looks_for_deadlocks()
            || state.atomic.is_some()
            || self.terms.as_bool(condition) == Some(true)
        {
            return position;
        }
        let position = position.unwrap_or_else(|| self.position(frame, state, part));
        // If something is wrong with the object, the step does not wait for it: it goes
        // wrong, or the thread stops.
        let mut valid = self.work().thread.positions[position].requires.clone();
        let thread = self.threads.current();
        let wrong = self.findings.violations_after(thread, position + 1);
        valid.extend(wrong.into_iter().map(|condition| self.terms.not(condition)));
        let valid = self.terms.all(&valid);
        let until = self.terms.implies(valid, condition);
        let helped = self.may_be_released(state, frame, position);
        let until = self.terms.or(until, helped);
        let wait = Wait { until, holders };
        self.work().thread.positions[position].waits.push(wait);
        Some(position)
    }

    /// The threads that an owner can be, under a condition. Nobody asks for them
    /// unless deadlocks are looked for.
    pub(crate) fn owners(&mut self, owner: TermId, condition: TermId) -> Holders {
        let mut holders = Vec::new();
        if !self.looks_for_deadlocks() {
            return holders;
        }
        for number in 0..self.facts.threads.count() as u32 {
            let value = self.int(u128::from(number) + 1);
            let is_owner = self.terms.equal(owner, value);
            let is_owner = self.terms.and(is_owner, condition);
            if self.terms.as_bool(is_owner) != Some(false) {
                holders.push((is_owner, ThreadId::from_u32(number)));
            }
        }
        holders
    }

    /// The threads that hold a lock as readers.
    pub(crate) fn readers(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
    ) -> Holders {
        let mut holders = Vec::new();
        if !self.looks_for_deadlocks() {
            return holders;
        }
        for thread in self.facts.threads_with(targets, SyncPart::Reader) {
            let reads = self.read_part(state, position, targets, SyncPart::Reader(thread));
            let reads = self.terms.is_nonzero(reads);
            if self.terms.as_bool(reads) != Some(false) {
                holders.push((reads, thread));
            }
        }
        holders
    }
}
