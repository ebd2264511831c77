//! What steps mean to memory models weaker than interleavings: the orders of accesses as
//! the source has them, fences, and which operations synchronise.
//!
//! Only noted if such a model is asked for; otherwise threads are what they always were.
//!
//! What else unfolding relies on, and why that holds under each of the models:
//!
//! - What main does before it creates the first thread is initial memory: creating a
//!   thread comes before all that the thread does, under every model.
//! - What only one thread uses needs no steps: a thread sees its own accesses to a place
//!   in their order, under every model. Neither do bytes that nobody writes any more.
//! - Guards, bounds and values: what a path knows of itself does not depend on others,
//!   and a cell is taken to hold any value that anybody ever writes to it, whenever.
//! - Locks that two threads hold for certain exclude a race: who gives up a lock comes
//!   before whoever takes it next, under every model.
//! - Bookkeeping (locks, ends of threads, lives of blocks) is looked at and changed in the
//!   order of steps, as the interpreter does.
//!
//! What is not right, and so done otherwise:
//!
//! - A block that its owner writes before it tells anybody may be seen unwritten by
//!   others: its first content counts ([`crate::access`]).
//! - That a read can have one value only does not mean that it does not matter which
//!   write it sees, so it stays a read.
//!
//! Not supported: atomic sections, large arrays, atomic accesses to bytes that others
//! access in parts, and whether values were ever written.

use crate::Error;
use crate::access::Targets;
use crate::pass::{Flow, Frame, Pass, State};
use crate::threads::Strength;
use formula::{Sort, TermId};
use ir::{Inst, Op, Ordering};
use library::MemoryModel;

impl<'p> Pass<'p> {
    /// Whether there is more to runs than interleavings.
    pub(crate) fn is_weak(&self) -> bool {
        self.options.surroundings.memory_model != MemoryModel::Sc
    }

    fn strength(&mut self, position: Option<usize>) -> Option<&mut Strength> {
        let is_weak = self.is_weak();
        let position = position.filter(|_| is_weak)?;
        Some(&mut self.work().thread.positions[position].strength)
    }

    /// Notes how strong an instruction is that accesses memory.
    pub(crate) fn note_order(
        &mut self,
        frame: &Frame,
        position: Option<usize>,
        (targets, size): (&Targets, u64),
        inst: &Inst,
    ) -> Result<(), Error> {
        let (order, if_it_fails) = match &inst.op {
            Op::Load { ordering, .. } | Op::Store { ordering, .. } => (*ordering, None),
            Op::Rmw { ordering, .. } => (Some(*ordering), None),
            Op::CompareExchange {
                success, failure, ..
            } => (Some(*success), Some(*failure)),
            _ => (None, None),
        };
        self.note_orders(frame, position, (targets, size), order, if_it_fails)
    }

    /// The same for calls.
    pub(crate) fn note_orders(
        &mut self,
        frame: &Frame,
        position: Option<usize>,
        (targets, size): (&Targets, u64),
        order: Option<Ordering>,
        if_it_fails: Option<Ordering>,
    ) -> Result<(), Error> {
        if !self.is_weak() || position.is_none() {
            return Ok(());
        }
        for target in &targets.list {
            if target.element.is_some() {
                let what = "a large array under a weak memory model";
                return Err(self.unsupported(frame, what));
            }
            if order.is_some() && self.is_in_pieces(target.object, target.offset, size) {
                let what = "an atomic access to memory that is also accessed in parts";
                return Err(self.unsupported(frame, what));
            }
        }
        if let Some(strength) = self.strength(position) {
            strength.order = order;
            strength.if_it_fails = if_it_fails;
        }
        Ok(())
    }

    /// A weak compare-exchange may fail even if it could succeed, where C has a say.
    pub(crate) fn may_fail(&mut self, frame: &Frame, succeeds: TermId) -> TermId {
        let model = self.options.surroundings.memory_model;
        if model != MemoryModel::Rc11 || self.prologue.is_alone() {
            return succeeds;
        }
        let fails = self.terms.new_variable("fails", Sort::Bool);
        let happens = self.terms.and(fails, succeeds);
        let execution = frame.execution;
        self.work().trail.failures.push((execution, happens));
        let tries = self.terms.not(fails);
        self.terms.and(succeeds, tries)
    }

    /// A fence. Nobody else notices it, but its place among the steps of the thread
    /// matters.
    pub(crate) fn fence(&mut self, state: &mut State, frame: &Frame, order: Ordering) -> Flow {
        if self.is_weak() && !self.prologue.is_alone() {
            let position = self.position(frame, state, 0);
            if let Some(strength) = self.strength(Some(position)) {
                strength.fence = Some(order);
            }
        }
        Flow::Next
    }

    /// A step is an operation on threads or synchronisation objects.
    pub(crate) fn note_sync(&mut self, position: Option<usize>) {
        if let Some(strength) = self.strength(position) {
            strength.is_sync = true;
        }
    }

    /// Where the condition holds, what comes before is known to those who acquire.
    pub(crate) fn releases(&mut self, state: &State, position: Option<usize>, condition: TermId) {
        let condition = self.terms.and(state.guard, condition);
        let before = self.strength(position).and_then(|one| one.releases);
        let either = before.map_or(condition, |before| self.terms.or(before, condition));
        if let Some(strength) = self.strength(position) {
            strength.releases = Some(either);
        }
    }

    /// Where the condition holds, what was released before is known from here on.
    pub(crate) fn acquires(&mut self, state: &State, position: Option<usize>, condition: TermId) {
        let condition = self.terms.and(state.guard, condition);
        let before = self.strength(position).and_then(|one| one.acquires);
        let either = before.map_or(condition, |before| self.terms.or(before, condition));
        if let Some(strength) = self.strength(position) {
            strength.acquires = Some(either);
        }
    }

    /// What a step acquires, nobody else holds.
    pub(crate) fn acquires_alone(&mut self, position: Option<usize>) {
        if let Some(strength) = self.strength(position) {
            strength.is_alone = true;
        }
    }

    /// What cannot be said under a weak memory model.
    pub(crate) fn refuse_if_weak(&self, frame: &Frame, what: &str) -> Result<(), Error> {
        match self.is_weak() && !self.prologue.is_alone() {
            false => Ok(()),
            true => Err(self.unsupported(frame, format!("{what} under a weak memory model"))),
        }
    }
}
