//! Sequential consistency: all of program order counts, and everything fits one order of
//! steps.

use super::Rules;

pub(super) const RULES: Rules = Rules {
    is_weak: false,
    buffers: None,
    axioms: None,
    has_happens_before: false,
};
