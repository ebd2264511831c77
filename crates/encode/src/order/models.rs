//! Memory models, as tables: which edges count and which axioms hold. One file each.
//!
//! What all weak models have in common is said by [`super::layers`]: program order and
//! what reads see fit one order of steps (none has reads that see the future), and so do
//! the accesses to each single cell. A model adds to that
//!
//! - an order of all accesses to memory of which a part of program order is left out
//!   ([`Buffers`]), or
//! - axioms that are looked at when the solver has found something ([`Rules::axioms`]):
//!   what breaks one becomes a clause, and the solver goes on.

mod pso;
mod rc11;
mod sc;
mod tso;

use super::graph::{Graph, Reason};
use unfold::MemoryModel;

/// What holds of runs besides program order.
pub(super) struct Rules {
    /// There is more than interleavings.
    pub is_weak: bool,
    /// Writes may come later than the thread has passed them.
    pub buffers: Option<Buffers>,
    /// What else must hold. Gives the reasons of what does not, each of which cannot be.
    pub axioms: Option<fn(&Graph) -> Vec<Reason>>,
    /// Whether data races are accesses that no happens-before orders, rather than
    /// accesses one right after the other.
    pub has_happens_before: bool,
}

/// How writes wait to be seen by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffers {
    /// In one queue for each thread: a read may overtake them.
    First,
    /// In one queue for each thread and cell: other writes may overtake them, too.
    ByCell,
}

pub(super) fn rules(model: MemoryModel) -> &'static Rules {
    match model {
        MemoryModel::Sc => &sc::RULES,
        MemoryModel::Tso => &tso::RULES,
        MemoryModel::Pso => &pso::RULES,
        MemoryModel::Rc11 => &rc11::RULES,
    }
}
