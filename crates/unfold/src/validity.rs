//! Whether an address may be used at all: it means a place, and what is there
//! has not come to its end. What follows from that is the same for all accesses:
//! the step is possible only then, or something is wrong with the program.

use crate::access::Targets;
use crate::checks::Check;
use crate::compute::words;
use crate::facts::Facts;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use std::rc::Rc;

/// When a wrong address is noticed, if that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// As soon as the thread gets there, unless others decide about it.
    AtOnce,
    /// When the step is taken.
    AtStep,
    /// Not at all: the thread stops.
    Never,
}

impl Facts {
    /// The flag that says whether a block has not been freed, or a local that others
    /// use has not come to its end.
    pub(crate) fn alive_object(&mut self, object: ObjectId) -> Option<ObjectId> {
        let data = &self.objects[object];
        match data.key {
            ObjectKey::Heap(_) => {}
            // Only others can come too late to a local.
            ObjectKey::Local(_) if self.sharing.is_lent(object) => {}
            _ => return None,
        }
        let key = ObjectKey::Alive(object);
        let owner = data.owner;
        let name = format!("life of {}", data.name);
        Some(self.objects.make(key.clone(), || Object {
            key,
            size: 1,
            name,
            is_constant: false,
            owner,
            starts_as: Content::Bytes(Rc::from([1u8])),
        }))
    }
}

impl<'p> Pass<'p> {
    /// Begins an access: makes it a step if anybody else may notice, and makes sure
    /// that the address is valid. `Err` if no path goes on.
    pub(crate) fn begin_access(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        size: u64,
        part: u32,
    ) -> Result<Option<usize>, Flow> {
        self.begin_step(state, frame, targets, size, part, false)
    }

    /// The same, for something that others may notice for another reason.
    pub(crate) fn begin_step(
        &mut self,
        state: &mut State,
        frame: &Frame,
        targets: &Targets,
        size: u64,
        part: u32,
        is_noticed: bool,
    ) -> Result<Option<usize>, Flow> {
        let is_stale = self.is_stale(state, targets);
        let is_there = self.terms.not(is_stale);
        let mut valid = vec![targets.valid, is_there];
        if targets.seen == Seen::AtOnce && self.options.checks.has(Check::Memory) {
            let is_nowhere = self.terms.not(targets.valid);
            let invalid = self.terms.or(is_nowhere, is_stale);
            if self.violate(state, Check::Memory, invalid) == Flow::Dead {
                return Err(Flow::Dead);
            }
            valid.clear();
        }
        let mut is_visible = is_noticed;
        let (mut own, mut looks_shared) = (Vec::new(), false);
        let (mut lives, mut ends) = (Vec::new(), Vec::new());
        for target in &targets.list {
            is_visible |= self.is_visible(target.object, target.offset, size);
            for life in
                self.facts
                    .sync
                    .graves(&self.facts.objects, target.object, target.offset, size)
            {
                is_visible |= self.is_visible(life, 0, 4);
            }
            match self.is_elsewhere(target.object) {
                true => looks_shared = true,
                false => own.push(target.condition),
            }
            if self.is_local_of_other(target.object) {
                self.facts.sharing.lend(target.object);
            }
            if !self.is_own_local(target.object)
                && let Some(alive) = self.facts.alive_object(target.object)
            {
                is_visible |= self.is_visible(alive, 0, 1);
                lives.push((target.condition, alive));
            }
            if let Some(ended) = self.end_of_owner(target.object) {
                is_visible |= self.is_visible(ended, 0, 1);
                ends.push((target.condition, ended));
            }
        }
        looks_shared &= !self.prologue.is_alone();
        let mut is_own = match (is_noticed || own.is_empty(), looks_shared) {
            (true, _) => self.terms.bool(false),
            (false, true) => self.terms.any(&own),
            (false, false) => self.truth(),
        };
        // An address gets known without any step if it is made a number.
        let is_published = self.is_published(state, targets);
        let is_private = self.terms.not(is_published);
        is_own = self.terms.and(is_own, is_private);
        is_visible |= looks_shared && !self.options.reductions.hiding;
        let guard = match targets.only_where {
            Some(condition) => self.terms.and(state.guard, condition),
            None => state.guard,
        };
        let position = if is_visible {
            let position = self.position_where(frame, state, guard, part);
            if state.atomic.is_none() {
                self.work().thread.positions[position].own = is_own;
            }
            Some(position)
        } else {
            if looks_shared {
                self.unnoticed_step_where(frame, state, guard, is_own);
            } else {
                self.unnoticed_step_if(frame, state, is_published);
            }
            state.atomic.map(|(position, _)| position)
        };
        for (condition, alive) in lives {
            let flag = self.read_at(state, position, alive, 0, 1, condition);
            let is_alive = self.terms.is_nonzero(flag);
            valid.push(self.terms.implies(condition, is_alive));
        }
        for (condition, ended) in ends {
            let flag = self.read_at(state, position, ended, 0, 1, condition);
            let is_there = words::is_zero(&mut self.terms, flag);
            valid.push(self.terms.implies(condition, is_there));
        }
        let valid = self.terms.all(&valid);
        let step = position.filter(|_| is_visible);
        let flow = match targets.seen {
            Seen::Never => self.demand(state, step, valid),
            _ => self.expect(state, Check::Memory, step, valid),
        };
        match flow {
            Flow::Dead => Err(Flow::Dead),
            Flow::Next => Ok(position),
        }
    }

    /// Whether others may know of some memory without any doing of the thread. To
    /// access it is a step, even if no other thread does.
    pub(crate) fn is_elsewhere(&self, object: ObjectId) -> bool {
        let data = &self.facts.objects[object];
        let is_global = matches!(data.key, ObjectKey::Global(_) | ObjectKey::Environment(..));
        !data.is_constant && (is_global || data.owner != self.threads.current())
    }

    /// What the program has to see to, at a step if there is one.
    pub(crate) fn expect(
        &mut self,
        state: &mut State,
        check: Check,
        position: Option<usize>,
        fine: TermId,
    ) -> Flow {
        if !self.options.checks.has(check) {
            return self.demand(state, position, fine);
        }
        let wrong = self.terms.not(fine);
        self.violate(state, check, wrong)
    }

    /// What must be true for the thread to go on, at a step if there is one.
    pub(crate) fn demand(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        valid: TermId,
    ) -> Flow {
        if self.terms.as_bool(valid) == Some(true) {
            return Flow::Next;
        }
        match position {
            Some(position) => {
                self.require(state, position, valid);
                if self.terms.as_bool(valid) == Some(false) {
                    self.halt(state, position + 1);
                    return Flow::Dead;
                }
                Flow::Next
            }
            None => {
                let invalid = self.terms.not(valid);
                self.stop(state, invalid)
            }
        }
    }

    /// Whether an address is that of a local of the thread itself that is gone.
    fn is_stale(&mut self, state: &State, targets: &Targets) -> TermId {
        let mut stale = Vec::new();
        for target in &targets.list {
            if self.is_own_local(target.object) && !state.memory.has(target.object) {
                stale.push(target.condition);
            }
        }
        self.terms.any(&stale)
    }

    fn is_local_of_other(&self, object: ObjectId) -> bool {
        let data = &self.facts.objects[object];
        matches!(data.key, ObjectKey::Local(_)) && data.owner != self.threads.current()
    }

    /// Whether an object is a local of the thread itself, which knows without asking
    /// whether it is gone.
    pub(crate) fn is_own_local(&self, object: ObjectId) -> bool {
        let data = &self.facts.objects[object];
        matches!(data.key, ObjectKey::Local(_)) && data.owner == self.threads.current()
    }

    /// The flag that says whether a thread has ended, if an object is one of its
    /// variables and used by another thread. Only if wrong uses are looked for.
    fn end_of_owner(&mut self, object: ObjectId) -> Option<ObjectId> {
        match self.facts.objects[object].key {
            ObjectKey::ThreadLocal(owner, _) if owner != self.threads.current() => self
                .options
                .checks
                .has(Check::Memory)
                .then(|| self.facts.ended_object(owner)),
            _ => None,
        }
    }
}
