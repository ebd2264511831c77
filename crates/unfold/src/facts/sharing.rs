//! Who uses which bytes of an object once there are other threads, and how objects
//! are cut into pieces for that.
//!
//! Accesses are noted in every pass; cuts follow from them between passes. What the
//! pieces hold is for `shared_values`.

use super::Growth;
use super::objects::{ObjectId, Objects};
use crate::threads::ThreadId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// How many threads there are in a set, as far as it matters.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ThreadSet {
    #[default]
    None,
    One(ThreadId),
    Several,
}

impl ThreadSet {
    pub(crate) fn insert(&mut self, thread: ThreadId) {
        *self = self.union(ThreadSet::One(thread));
    }

    pub(crate) fn union(self, other: ThreadSet) -> ThreadSet {
        match (self, other) {
            (ThreadSet::None, set) | (set, ThreadSet::None) => set,
            (ThreadSet::One(a), ThreadSet::One(b)) if a == b => self,
            _ => ThreadSet::Several,
        }
    }
}

/// Who reads and writes some bytes after main has created the first thread.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Users {
    pub readers: ThreadSet,
    pub writers: ThreadSet,
}

impl Users {
    pub(crate) fn are_rivals(self) -> bool {
        self.writers != ThreadSet::None && self.readers.union(self.writers) == ThreadSet::Several
    }
}

/// A piece of an object that threads share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub start: u64,
    pub size: u64,
    pub is_shared: bool,
}

#[derive(Default)]
struct ObjectUses {
    /// By offset and size.
    accesses: BTreeMap<(u64, u64), Users>,
    /// What the accesses of earlier passes make of the object, in order.
    pieces: Rc<[Piece]>,
    /// Whether others than its owner use it.
    is_lent: bool,
}

/// Pieces of shared memory are at most this long, in bytes.
pub(super) const LONGEST_PIECE: u64 = 8;

impl ObjectUses {
    /// Cuts the object at every offset at which some access begins or ends.
    /// Returns whether anything changes.
    fn cut(&mut self, owner: ThreadId) -> bool {
        let mut bounds = BTreeSet::new();
        let mut everybody = Users::default();
        for ((start, size), users) in &self.accesses {
            bounds.insert(*start);
            bounds.insert(start + size);
            everybody.readers = everybody.readers.union(users.readers);
            everybody.writers = everybody.writers.union(users.writers);
        }
        let mut pieces = Vec::new();
        if everybody.are_rivals() {
            let bounds: Vec<u64> = bounds.into_iter().collect();
            let mut users = vec![Users::default(); bounds.len()];
            for ((start, size), those) in &self.accesses {
                let first = bounds.partition_point(|bound| bound < start);
                for index in first..bounds.len() {
                    if bounds[index] >= start + size {
                        break;
                    }
                    users[index].readers = users[index].readers.union(those.readers);
                    users[index].writers = users[index].writers.union(those.writers);
                }
            }
            for (index, pair) in bounds.windows(2).enumerate() {
                let is_shared = users[index].are_rivals();
                let mut start = pair[0];
                while start < pair[1] {
                    let size = (pair[1] - start).min(LONGEST_PIECE);
                    pieces.push(Piece {
                        start,
                        size,
                        is_shared,
                    });
                    start += size;
                }
            }
        }
        let users = everybody.readers.union(everybody.writers);
        let is_used = users.union(ThreadSet::One(owner)) == ThreadSet::Several;
        let is_lent = self.is_lent || is_used;
        let changed = *self.pieces != *pieces || self.is_lent != is_lent;
        self.is_lent = is_lent;
        self.pieces = pieces.into();
        changed
    }
}

#[derive(Default)]
pub(crate) struct Sharing {
    uses: HashMap<ObjectId, ObjectUses>,
    pub(super) growth: Growth,
}

impl Sharing {
    pub(crate) fn pieces(&self, object: ObjectId) -> Rc<[Piece]> {
        match self.uses.get(&object) {
            Some(uses) => uses.pieces.clone(),
            None => Rc::from([]),
        }
    }

    /// Whether other threads than its owner use an object.
    pub(crate) fn is_lent(&self, object: ObjectId) -> bool {
        self.uses.get(&object).is_some_and(|uses| uses.is_lent)
    }

    /// Another thread than its owner uses an object, if only as a lock.
    pub(crate) fn lend(&mut self, object: ObjectId) {
        let uses = self.uses.entry(object).or_default();
        self.growth.note(!uses.is_lent);
        uses.is_lent = true;
    }

    /// A thread uses bytes of an object.
    pub(crate) fn note_access(
        &mut self,
        objects: &Objects,
        object: ObjectId,
        offset: u64,
        size: u64,
        thread: ThreadId,
        is_write: bool,
    ) {
        if size == 0 || objects[object].is_constant {
            return;
        }
        let uses = self.uses.entry(object).or_default();
        let users = uses.accesses.entry((offset, size)).or_default();
        let set = if is_write {
            &mut users.writers
        } else {
            &mut users.readers
        };
        set.insert(thread);
    }

    /// Cuts objects anew. Returns whether anything changes.
    pub(super) fn cut(&mut self, objects: &Objects) -> bool {
        let mut changed = false;
        for (object, uses) in &mut self.uses {
            changed |= uses.cut(objects[*object].owner);
        }
        self.growth.note(changed);
        changed
    }
}
