//! Where synchronisation objects are, and what becomes of them.

use super::Growth;
use super::objects::{ObjectId, ObjectKey, Objects, SyncPart};
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// What a synchronisation object is used as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SyncKind {
    Mutex,
    Condition,
    RwLock,
    Spin,
    Barrier,
    Semaphore,
    Once,
}

impl fmt::Display for SyncKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            SyncKind::Mutex => "a mutex",
            SyncKind::Condition => "a condition variable",
            SyncKind::RwLock => "a read-write lock",
            SyncKind::Spin => "a spin lock",
            SyncKind::Barrier => "a barrier",
            SyncKind::Semaphore => "a semaphore",
            SyncKind::Once => "a once control",
        })
    }
}

#[derive(Default)]
pub(crate) struct SyncFacts {
    /// What they are used as.
    kinds: HashMap<(ObjectId, u64), SyncKind>,
    /// Where some of them are destroyed.
    graves: BTreeSet<(ObjectId, u64)>,
    /// Locks that are made again, or used as something else, while there are other
    /// threads: whoever takes one may not be the only one to hold it.
    unreliable: BTreeSet<(ObjectId, u64)>,
    pub(super) growth: Growth,
}

impl SyncFacts {
    /// Returns what the object was first used as.
    pub(crate) fn note_kind(&mut self, object: ObjectId, offset: u64, kind: SyncKind) -> SyncKind {
        *self.kinds.entry((object, offset)).or_insert(kind)
    }

    pub(crate) fn note_unreliable(&mut self, object: ObjectId, offset: u64) {
        self.unreliable.insert((object, offset));
    }

    pub(crate) fn is_reliable(&self, lock: &(ObjectId, u64)) -> bool {
        !self.unreliable.contains(lock)
    }

    /// A synchronisation object may be destroyed here.
    pub(crate) fn note_grave(&mut self, object: ObjectId, offset: u64) {
        self.growth.note(self.graves.insert((object, offset)));
    }

    /// The lives of synchronisation objects that may be destroyed here and begin in
    /// these bytes.
    pub(crate) fn graves(
        &self,
        objects: &Objects,
        object: ObjectId,
        offset: u64,
        size: u64,
    ) -> Vec<ObjectId> {
        let places = self.graves.range((object, offset)..(object, offset + size));
        let life = |(object, offset): &(ObjectId, u64)| {
            objects.find(&ObjectKey::Sync(*object, *offset, SyncPart::Life))
        };
        places.filter_map(life).collect()
    }
}
