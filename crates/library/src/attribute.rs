//! What attribute objects hold: one byte for each attribute, and the values that
//! it can have.

/// One attribute of an attribute object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The byte of the object that holds it.
    pub at: u8,
    /// All other values are refused with EINVAL.
    pub least: u8,
    pub most: u8,
}

const fn choice(at: u8, most: u8) -> Attribute {
    let least = 0;
    Attribute { at, least, most }
}

// Threads.
pub(crate) const DETACH_STATE: Attribute = choice(0, 1);
/// Only threads that compete with all others can be chosen.
pub(crate) const SCOPE: Attribute = choice(1, 0);
pub(crate) const INHERITED_SCHEDULING: Attribute = choice(2, 1);
pub(crate) const POLICY: Attribute = choice(3, 2);

// Mutexes.
pub(crate) const MUTEX_TYPE: Attribute = choice(0, 3);
pub(crate) const MUTEX_SHARING: Attribute = choice(1, 1);
pub(crate) const PROTOCOL: Attribute = choice(2, 2);
pub(crate) const PRIORITY_CEILING: Attribute = Attribute {
    at: 3,
    least: 1,
    most: 99,
};

// Condition variables. Those may use two of the clocks.
pub(crate) const CONDITION_CLOCK: Attribute = choice(0, 1);
pub(crate) const CONDITION_SHARING: Attribute = choice(1, 1);

// Read-write locks.
pub(crate) const RWLOCK_KIND: Attribute = choice(0, 1);
pub(crate) const RWLOCK_SHARING: Attribute = choice(1, 1);

// Barriers.
pub(crate) const BARRIER_SHARING: Attribute = choice(0, 1);
