//! Shared memory that may be read before it is written.
//!
//! What was never written has any value, which the run is given. To say so of
//! every block and local would be dear: most are written by their owner before
//! anybody else knows their address. So each path keeps track of the objects
//! that it has made since there are threads: which shared pieces it has not
//! surely written, and whether the address may have got out. A piece that is
//! unwritten when the address gets out, or when the owner reads it, is *raw*.
//!
//! An address gets out when it is stored in shared memory or given to a new
//! thread. What is stored in an object that is not known yet itself gets out
//! together with that object.

use crate::facts::objects::{Content, ObjectId};
use crate::facts::unwritten::UnwrittenFacts;
use crate::pass::{Pass, State};
use formula::TermId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a path knows about the objects it has made.
#[derive(Clone, Default)]
pub(crate) struct Unwritten(Rc<BTreeMap<ObjectId, UnwrittenObject>>);

#[derive(Clone, Default)]
struct UnwrittenObject {
    is_out: bool,
    /// Starts of pieces.
    unwritten: BTreeSet<u64>,
    /// Others of these whose addresses it holds.
    holds: BTreeSet<ObjectId>,
}

impl Unwritten {
    /// Joins what two paths know.
    pub(crate) fn merge(&mut self, other: &Unwritten, facts: &mut UnwrittenFacts) {
        if Rc::ptr_eq(&self.0, &other.0) {
            return;
        }
        let mut out = Vec::new();
        let mine = Rc::make_mut(&mut self.0);
        for (object, theirs) in other.0.iter() {
            let one = mine.entry(*object).or_insert_with(|| theirs.clone());
            if one.is_out || theirs.is_out {
                // Then it is out on both, as far as is known from here on.
                one.is_out = false;
                out.push(*object);
            }
            one.unwritten.extend(&theirs.unwritten);
            one.holds.extend(&theirs.holds);
        }
        for object in out {
            self.tell(object, facts);
        }
    }

    /// The address of an object gets out.
    fn tell(&mut self, object: ObjectId, facts: &mut UnwrittenFacts) {
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            if self.0.get(&object).is_none_or(|one| one.is_out) {
                continue;
            }
            if let Some(one) = Rc::make_mut(&mut self.0).get_mut(&object) {
                one.is_out = true;
                for start in &one.unwritten {
                    facts.note_raw(object, *start);
                }
                open.extend(std::mem::take(&mut one.holds));
            }
        }
    }
}

impl<'p> Pass<'p> {
    /// A block or local comes into being.
    pub(crate) fn track_unwritten(&mut self, state: &mut State, object: ObjectId) {
        self.make_shadow(state, object);
        let is_unknown = matches!(self.facts.objects[object].starts_as, Content::Unknown);
        if self.prologue.is_alone() || !is_unknown {
            return;
        }
        let pieces = self.facts.sharing.pieces(object);
        let shared = (pieces.iter()).filter(|piece| piece.is_shared);
        let one = UnwrittenObject {
            unwritten: shared.map(|piece| piece.start).collect(),
            ..UnwrittenObject::default()
        };
        if !one.unwritten.is_empty() {
            Rc::make_mut(&mut state.unwritten.0).insert(object, one);
        }
    }

    /// The path reads a shared piece.
    pub(crate) fn reads_piece(&mut self, state: &State, object: ObjectId, start: u64) {
        let one = state.unwritten.0.get(&object);
        if one.is_some_and(|one| one.unwritten.contains(&start)) {
            self.facts.unwritten.note_raw(object, start);
        }
    }

    /// The path writes a shared piece, for sure or perhaps.
    pub(crate) fn writes_piece(
        &mut self,
        state: &mut State,
        object: ObjectId,
        start: u64,
        is_sure: bool,
        value: TermId,
    ) {
        if state.unwritten.0.is_empty() {
            return;
        }
        let found = self.tracked_in(state, value);
        let tracked = &mut state.unwritten;
        let Some(one) = tracked.0.get(&object) else {
            found
                .into_iter()
                .for_each(|one| tracked.tell(one, &mut self.facts.unwritten));
            return;
        };
        let is_new = is_sure && one.unwritten.contains(&start);
        if one.is_out {
            for one in found {
                tracked.tell(one, &mut self.facts.unwritten);
            }
        } else if !found.is_empty()
            && let Some(one) = Rc::make_mut(&mut tracked.0).get_mut(&object)
        {
            one.holds.extend(found);
        }
        if is_new && let Some(one) = Rc::make_mut(&mut tracked.0).get_mut(&object) {
            one.unwritten.remove(&start);
        }
    }

    /// A value is given to another thread.
    pub(crate) fn hand_over(&mut self, state: &mut State, value: TermId) {
        self.publish(state, value);
        for object in self.tracked_in(state, value) {
            state.unwritten.tell(object, &mut self.facts.unwritten);
        }
    }

    fn tracked_in(&mut self, state: &State, value: TermId) -> Vec<ObjectId> {
        if state.unwritten.0.is_empty() {
            return Vec::new();
        }
        let mut found = self.objects_in(value);
        found.retain(|object| state.unwritten.0.contains_key(object));
        found.into_iter().collect()
    }
}
