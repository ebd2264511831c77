//! Which memory may hold, or show, what was never written.

use super::Growth;
use super::objects::{ObjectId, ObjectKey, Objects};
use super::sharing::{LONGEST_PIECE, Piece};
use std::collections::BTreeSet;

#[derive(Default)]
pub(crate) struct UnwrittenFacts {
    /// Objects that get bits from others which were never written.
    tainted: BTreeSet<ObjectId>,
    /// Shared pieces that may be read before they are written.
    raw: BTreeSet<(ObjectId, u64)>,
    pub(super) growth: Growth,
}

impl UnwrittenFacts {
    /// A shared piece may be read before it is written.
    pub(crate) fn note_raw(&mut self, object: ObjectId, start: u64) {
        self.growth.note(self.raw.insert((object, start)));
    }

    /// Of a shadow, the same as of what it belongs to.
    pub(crate) fn is_raw(&self, objects: &Objects, object: ObjectId, piece: Piece) -> bool {
        match objects[object].key {
            ObjectKey::Shadow(base) => {
                // Both are cut alike, but nothing here depends on that.
                let first = (piece.start + 1).saturating_sub(LONGEST_PIECE);
                let places = (base, first)..(base, piece.start + piece.size);
                self.raw.range(places).next().is_some()
            }
            _ => self.raw.contains(&(object, piece.start)),
        }
    }

    /// An object gets bits that may never have been written.
    pub(crate) fn taint(&mut self, object: ObjectId) {
        self.growth.note(self.tainted.insert(object));
    }

    /// Whether an object may hold bits that were never written.
    pub(crate) fn has_shadow(&self, objects: &Objects, object: ObjectId) -> bool {
        objects[object].is_data()
            && (self.tainted.contains(&object) || objects.starts_unwritten(object))
    }
}
