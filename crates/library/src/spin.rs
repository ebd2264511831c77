//! POSIX spin locks. A thread that would spin is modelled as one that waits.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spin {
    Init,
    Destroy,
    Lock,
    TryLock,
    Unlock,
}

pub(crate) const FAMILY: Family = family! {
    "Spin locks",
    "Each call is one visible step. Spinning counts as waiting, so a spin lock that never becomes \
     free is a deadlock.",
    Spin:
    Init ["pthread_spin_init"]
        "Makes a free lock.";
    Destroy ["pthread_spin_destroy"]
        "Ends the use of the lock; to destroy a lock that is held is a violation.";
    (Lock, blocking) ["pthread_spin_lock"]
        "Waits until the lock is free and takes it; its owner waits for ever.";
    TryLock ["pthread_spin_trylock"]
        "Takes the lock if it is free, and else returns EBUSY.";
    Unlock ["pthread_spin_unlock"]
        "Releases the lock; to unlock one that the caller does not hold is a violation.";
};
