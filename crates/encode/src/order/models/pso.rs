//! Partial store order, as on SPARC: as total store order, but a write may also overtake
//! earlier writes of its thread to other cells. A release, be it that of a store or of a
//! fence, keeps what comes after it behind the writes before it.

use super::{Buffers, Rules};

pub(super) const RULES: Rules = Rules {
    is_weak: true,
    buffers: Some(Buffers::ByCell),
    axioms: None,
    has_happens_before: false,
};
