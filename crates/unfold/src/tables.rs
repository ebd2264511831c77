//! What a pass has one of for each object, made when first asked for: cells of
//! shared memory, bytes that were never written, and constants of the run. The same
//! for all threads and paths.
//!
//! Other than facts, none of this survives the pass: terms belong to it.

use crate::facts::objects::ObjectId;
use crate::facts::shared_values::SharedValues;
use crate::memory::Fresh;
use crate::threads::{Cell, CellId, ThreadId};
use cranelift_entity::PrimaryMap;
use formula::TermId;
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Tables {
    pub fresh: Fresh,
    pub cells: Cells,
    pub constants: RunConstants,
    pub allocations: Allocations,
}

/// Cells of shared memory, by the object and offset that they begin at.
#[derive(Default)]
pub(crate) struct Cells {
    cells: PrimaryMap<CellId, Cell>,
    ids: HashMap<(ObjectId, u64), CellId>,
}

impl Cells {
    pub(crate) fn find(&self, object: ObjectId, start: u64) -> Option<CellId> {
        self.ids.get(&(object, start)).copied()
    }

    pub(crate) fn add(&mut self, object: ObjectId, start: u64, cell: Cell) -> CellId {
        let id = self.cells.push(cell);
        self.ids.insert((object, start), id);
        id
    }

    /// All cells, with the values that they can have.
    pub(crate) fn finish(mut self, values: Option<&SharedValues>) -> PrimaryMap<CellId, Cell> {
        for ((object, start), cell) in &self.ids {
            if let Some(values) = values.and_then(|values| values.get(*object, *start)) {
                self.cells[*cell].range = values.range().clone();
            }
        }
        self.cells
    }
}

/// Something about an object that does not change during a run, but is not the same
/// in all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RunConstant {
    /// Where a block lies.
    Home,
    /// How large an object really is.
    Extent,
    /// Which element a slot of a large array is about.
    Element,
}

#[derive(Default)]
pub(crate) struct RunConstants(HashMap<(RunConstant, ObjectId), TermId>);

impl RunConstants {
    pub(crate) fn get(&self, constant: RunConstant, object: ObjectId) -> Option<TermId> {
        self.0.get(&(constant, object)).copied()
    }

    pub(crate) fn set(&mut self, constant: RunConstant, object: ObjectId, term: TermId) {
        self.0.insert((constant, object), term);
    }
}

/// Who makes each block, in which execution.
#[derive(Default)]
pub(crate) struct Allocations(HashMap<ObjectId, (ThreadId, usize)>);

impl Allocations {
    pub(crate) fn note(&mut self, block: ObjectId, thread: ThreadId, execution: usize) {
        self.0.insert(block, (thread, execution));
    }

    pub(crate) fn get(&self, block: ObjectId) -> Option<(ThreadId, usize)> {
        self.0.get(&block).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectId, ThreadId, usize)> {
        let all = self.0.iter();
        all.map(|(block, (thread, execution))| (*block, *thread, *execution))
    }
}
