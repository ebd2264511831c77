//! Blocks and local arrays whose size is not a constant.
//!
//! Such an object is as large as it can get, so that its bytes have places. Its
//! *extent* is how large it really is: a constant of the run that its allocation
//! chooses, and all threads know. Where wrong uses of memory are looked for, an
//! access must lie within it; elsewhere, accesses between the extent and the
//! greatest size go unnoticed.

use crate::checks::Check;
use crate::facts::Growth;
use crate::facts::objects::ObjectId;
use crate::pass::{Pass, State};
use crate::tables::RunConstant;
use formula::{Range, TermId};
use std::collections::BTreeSet;

/// Objects whose size is not a constant.
#[derive(Default)]
pub(crate) struct Extents {
    objects: BTreeSet<ObjectId>,
    pub growth: Growth,
}

impl Extents {
    fn note(&mut self, object: ObjectId) {
        self.growth.note(self.objects.insert(object));
    }
}

impl<'p> Pass<'p> {
    /// An object of this size, in bytes, comes into being.
    pub(crate) fn note_extent(&mut self, state: &mut State, object: ObjectId, size: TermId) {
        if !self.options.checks.has(Check::Memory) {
            return;
        }
        let greatest = self.facts.objects[object].size;
        if self.terms.as_constant(size) != Some(u128::from(greatest)) {
            self.facts.extents.note(object);
        }
        if let Some(extent) = self.extent(object) {
            let size = self.terms.resize(size, self.word());
            let differs = self.terms.different(extent, size);
            self.stop(state, differs);
        }
    }

    /// An object is there from the start, and this large.
    pub(crate) fn set_extent(&mut self, object: ObjectId, size: TermId) {
        self.facts.extents.note(object);
        self.tables.constants.set(RunConstant::Extent, object, size);
    }

    /// How large an object really is, if that is not a constant. The same for all
    /// threads, since an allocation happens at most once.
    pub(crate) fn extent(&mut self, object: ObjectId) -> Option<TermId> {
        if !self.facts.extents.objects.contains(&object) {
            return None;
        }
        let known = self.tables.constants.get(RunConstant::Extent, object);
        if known.is_some() {
            return known;
        }
        let (width, greatest) = (self.word(), self.facts.objects[object].size);
        let range = Range::from_unsigned(width, 0..=u128::from(greatest));
        let extent = self.terms.new_variable_in("extent", range);
        self.tables
            .constants
            .set(RunConstant::Extent, object, extent);
        Some(extent)
    }

    /// When an object reaches as far as this, which is not beyond its greatest size.
    pub(crate) fn extends(&mut self, object: ObjectId, end: u64) -> TermId {
        let end = self.terms.constant(self.word(), u128::from(end));
        self.extends_to(object, end)
    }

    pub(crate) fn extends_to(&mut self, object: ObjectId, end: TermId) -> TermId {
        match self.extent(object) {
            Some(extent) => self.terms.unsigned_less_equal(end, extent),
            None => self.truth(),
        }
    }
}
