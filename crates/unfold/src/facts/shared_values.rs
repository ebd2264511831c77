//! Which values the shared pieces of memory can have.
//!
//! They may grow in every pass without end; who has seen enough of them, and when
//! they are taken to be anything, is decided by those who make the passes.

use super::objects::ObjectId;
use crate::values::{Layout, ValueSet};
use formula::Range;
use std::collections::{BTreeMap, HashMap};

pub(crate) struct SharedValues {
    values: HashMap<(ObjectId, u64), ValueSet>,
    layout: Layout,
    /// Pieces whose values have grown in the current pass, and their range before.
    growing: BTreeMap<(ObjectId, u64), Range>,
    /// Whether any have, or are new.
    grew: bool,
}

impl SharedValues {
    pub(super) fn new(layout: Layout) -> SharedValues {
        SharedValues {
            values: HashMap::new(),
            layout,
            growing: BTreeMap::new(),
            grew: false,
        }
    }

    pub(super) fn begin_pass(&mut self) {
        self.grew = false;
        self.growing.clear();
    }

    pub(crate) fn have_grown(&self) -> bool {
        self.grew
    }

    /// Of the piece that begins there.
    pub(crate) fn get(&self, object: ObjectId, start: u64) -> Option<&ValueSet> {
        self.values.get(&(object, start))
    }

    /// Values that a shared piece may have from now on.
    pub(crate) fn note(&mut self, object: ObjectId, start: u64, values: &ValueSet) {
        match self.values.get_mut(&(object, start)) {
            Some(known) => {
                let before = known.range().clone();
                if known.add(values, self.layout) {
                    self.grew = true;
                    self.growing.entry((object, start)).or_insert(before);
                }
            }
            None => {
                self.values.insert((object, start), values.clone());
                self.grew = true;
            }
        }
    }

    /// Takes values that keep growing to be anything.
    pub(crate) fn widen(&mut self) {
        for (place, before) in std::mem::take(&mut self.growing) {
            if let Some(values) = self.values.get_mut(&place) {
                values.widen(&before);
            }
        }
    }

    /// The pieces are other ones now.
    pub(super) fn forget(&mut self) {
        self.values.clear();
        self.growing.clear();
    }
}
