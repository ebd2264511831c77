//! Which objects of its own a thread has made known to others.
//!
//! From then on each access to one is a step, see `docs/schedules.md`, and so is the
//! end of a local. If nobody else uses those bytes, the step needs no position. But
//! it takes its time: what comes after it does not happen together with the step
//! before.
//!
//! An address gets known when it is stored in memory that others know, given to
//! a thread or to an unknown function, or made a number. What can be reached from
//! an object gets known together with it. [`crate::unwritten`] asks for less: who
//! may really use an object.

use crate::access::Targets;
use crate::facts::objects::{ObjectId, ObjectKey};
use crate::pass::{Pass, State};
use formula::{TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a path knows about the objects of its thread.
#[derive(Clone, Default)]
pub(crate) struct Published {
    /// When others know an object; never if it is not here.
    known: Rc<BTreeMap<ObjectId, TermId>>,
    /// Objects, and others whose addresses may be stored in them.
    held: Rc<BTreeSet<(ObjectId, ObjectId)>>,
}

impl Published {
    /// Joins what two paths know; the condition says when it is the first.
    pub(crate) fn merge(&mut self, terms: &mut Terms, condition: TermId, other: &Published) {
        if !Rc::ptr_eq(&self.held, &other.held) {
            Rc::make_mut(&mut self.held).extend(other.held.iter());
        }
        if self.known == other.known {
            return;
        }
        let objects: BTreeSet<ObjectId> =
            (self.known.keys().chain(other.known.keys()).copied()).collect();
        for object in objects {
            let (mine, theirs) = (self.when(terms, object), other.when(terms, object));
            let merged = terms.ite(condition, mine, theirs);
            Rc::make_mut(&mut self.known).insert(object, merged);
        }
    }

    fn when(&self, terms: &mut Terms, object: ObjectId) -> TermId {
        let known = self.known.get(&object).copied();
        known.unwrap_or_else(|| terms.bool(false))
    }

    /// An object gets known where the condition holds, and all that it leads to.
    fn tell(&mut self, terms: &mut Terms, object: ObjectId, condition: TermId) {
        if terms.as_bool(condition) == Some(false) {
            return;
        }
        let mut told = BTreeSet::from([object]);
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            let before = self.when(terms, object);
            let now = terms.or(before, condition);
            if now != before {
                Rc::make_mut(&mut self.known).insert(object, now);
            }
            let inside = self.held.range((object, ObjectId::from_u32(0))..);
            let inside = inside.take_while(|(holder, _)| *holder == object);
            open.extend(
                inside
                    .map(|(_, held)| *held)
                    .filter(|held| told.insert(*held)),
            );
        }
    }
}

impl<'p> Pass<'p> {
    /// When an access to objects of the thread itself is a step.
    pub(crate) fn is_published(&mut self, state: &State, targets: &Targets) -> TermId {
        let mut any = Vec::new();
        for target in &targets.list {
            if let Some(known) = state.published.known.get(&target.object) {
                any.push(self.terms.and(target.condition, *known));
            }
        }
        self.terms.any(&any)
    }

    /// When others know an object, be it the thread's own or not.
    pub(crate) fn is_known_to_others(&mut self, state: &State, object: ObjectId) -> TermId {
        let data = &self.facts.objects[object];
        let can_be_private = matches!(data.key, ObjectKey::Local(_) | ObjectKey::Heap(_));
        match can_be_private && data.owner == self.threads.current() {
            true => state.published.when(&mut self.terms, object),
            false => self.truth(),
        }
    }

    /// When others know any of some objects of the thread.
    pub(crate) fn is_any_published(&mut self, state: &State, objects: &[ObjectId]) -> TermId {
        let known = |object: &ObjectId| state.published.known.get(object).copied();
        let any: Vec<TermId> = objects.iter().filter_map(known).collect();
        self.terms.any(&any)
    }

    /// A word gets known to others.
    pub(crate) fn publish(&mut self, state: &mut State, value: TermId) {
        for (object, is_meant) in self.own_objects_in(value) {
            state.published.tell(&mut self.terms, object, is_meant);
        }
    }

    /// Bytes are written where the condition holds.
    pub(crate) fn publish_stored(
        &mut self,
        state: &mut State,
        (into, size): (ObjectId, u64),
        condition: TermId,
        value: TermId,
    ) {
        let is_own = match self.facts.objects[into].key {
            ObjectKey::Global(_) | ObjectKey::Environment(..) => false,
            ObjectKey::Local(_) | ObjectKey::Heap(_) | ObjectKey::ThreadLocal(..) => {
                self.facts.objects[into].owner == self.threads.current()
            }
            _ => return,
        };
        let word = self.program.target.pointer_bytes;
        if size % word != 0 || self.terms.width(value) != 8 * size as u32 {
            return;
        }
        for at in (0..size).step_by(word as usize) {
            let low = 8 * at as u32;
            let part = self.terms.extract(value, low + self.word() - 1, low);
            for (object, is_meant) in self.own_objects_in(part) {
                let mut when = self.terms.and(condition, is_meant);
                if is_own {
                    if !state.published.held.contains(&(into, object)) {
                        Rc::make_mut(&mut state.published.held).insert((into, object));
                    }
                    let is_known = state.published.when(&mut self.terms, into);
                    when = self.terms.and(when, is_known);
                }
                state.published.tell(&mut self.terms, object, when);
            }
        }
    }

    /// The thread's own objects that a word may point to, and when it does.
    fn own_objects_in(&mut self, word: TermId) -> Vec<(ObjectId, TermId)> {
        let (width, bits) = (self.word(), self.offset_bits());
        let is_small = |terms: &Terms| *terms.range(word).unsigned().end() >> bits == 0;
        if self.terms.width(word) != width || is_small(&self.terms) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let objects = self.objects_in(word);
        let number = self.terms.extract(word, width - 1, bits);
        for object in objects {
            let data = &self.facts.objects[object];
            let can_be_private = matches!(
                data.key,
                ObjectKey::Local(_) | ObjectKey::Heap(_) | ObjectKey::ThreadLocal(..)
            );
            if can_be_private && data.owner == self.threads.current() {
                let its_number = u128::from(self.facts.objects.number(object));
                let its_number = self.terms.constant(width - bits, its_number);
                found.push((object, self.terms.equal(number, its_number)));
            }
        }
        found
    }
}
