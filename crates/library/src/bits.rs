//! Finding bits in integers.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bits {
    /// The argument's type gives the width.
    FindFirstSet,
}

pub(crate) const FAMILY: Family = family! {
    "Bits",
    "Other operations on bits are instructions and need no model.",
    Bits:
    FindFirstSet ["ffs", "ffsl", "ffsll"]
        "Returns the place of the lowest bit that is set, counted from 1, and 0 if there is none.";
};
