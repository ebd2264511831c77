//! Where a run has been: the instructions that it turned to, and the blocks that
//! it came to the end of.
//!
//! Only runs that somebody asks about keep it. Nothing here must have an
//! influence on a run.

use analysis::{Landmark, Site};
use cranelift_entity::{EntitySet, SecondaryMap};
use ir::{BlockId, FunctionId, InstId};

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    insts: SecondaryMap<FunctionId, EntitySet<InstId>>,
    ends: SecondaryMap<FunctionId, EntitySet<BlockId>>,
}

impl Coverage {
    pub(crate) fn note_inst(&mut self, function: FunctionId, inst: InstId) {
        self.insts[function].insert(inst);
    }

    pub(crate) fn note_end(&mut self, function: FunctionId, block: BlockId) {
        self.ends[function].insert(block);
    }

    /// Adds where another run has been.
    pub fn merge(&mut self, other: &Coverage) {
        for (function, insts) in other.insts.iter() {
            for inst in insts.iter() {
                self.insts[function].insert(inst);
            }
        }
        for (function, blocks) in other.ends.iter() {
            for block in blocks.iter() {
                self.ends[function].insert(block);
            }
        }
    }

    /// Whether the run came by.
    pub fn has(&self, landmark: Landmark) -> bool {
        match landmark {
            Landmark::Inst(Site { function, inst }) => self.insts[function].contains(inst),
            Landmark::End(function, block) => self.ends[function].contains(block),
            // Runs tell these themselves.
            Landmark::UnknownCall(..) => false,
        }
    }
}
