//! Total store order, as on x86: a read may overtake earlier writes of its thread, and
//! sees them before others do. Read-modify-writes, fences that are sequentially
//! consistent, and operations on threads and synchronisation objects restore the order;
//! so does a store that is sequentially consistent, for what comes after it.

use super::{Buffers, Rules};

pub(super) const RULES: Rules = Rules {
    is_weak: true,
    buffers: Some(Buffers::First),
    axioms: None,
    has_happens_before: false,
};
