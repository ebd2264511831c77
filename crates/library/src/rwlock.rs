//! POSIX read-write locks.

use crate::attribute::{RWLOCK_KIND, RWLOCK_SHARING};
use crate::{Attribute, Family};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RwLock {
    Init,
    Destroy,
    ReadLock,
    TryReadLock,
    TimedReadLock,
    WriteLock,
    TryWriteLock,
    TimedWriteLock,
    Unlock,
    AttrInit,
    AttrDestroy,
    /// Who has precedence.
    AttrSetKind(Attribute),
    AttrSet(Attribute),
    AttrGet(Attribute),
}

pub(crate) const FAMILY: Family = family! {
    "Read-write locks",
    "Each call is one visible step. Neither readers nor writers have precedence.",
    RwLock:
    Init ["pthread_rwlock_init"]
        "Makes a free lock.";
    Destroy ["pthread_rwlock_destroy"]
        "Ends the use of the lock; to destroy a lock that is held is a violation.";
    (ReadLock, blocking) ["pthread_rwlock_rdlock"]
        "Waits until no writer holds the lock and becomes one of its readers; the writer itself \
         gets EDEADLK.";
    TryReadLock ["pthread_rwlock_tryrdlock"]
        "Becomes a reader, or returns EBUSY if a writer holds the lock.";
    TimedReadLock ["pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock"]
        "Becomes a reader if no writer holds the lock, and else returns ETIMEDOUT; the writer \
         itself gets EDEADLK. Times are taken to be valid.";
    (WriteLock, blocking) ["pthread_rwlock_wrlock"]
        "Waits until nobody holds the lock and takes it as writer; the writer itself gets EDEADLK.";
    TryWriteLock ["pthread_rwlock_trywrlock"]
        "Becomes the writer, or returns EBUSY if anybody holds the lock.";
    TimedWriteLock ["pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock"]
        "Becomes the writer if nobody holds the lock, and else returns ETIMEDOUT; the writer \
         itself gets EDEADLK. Times are taken to be valid.";
    Unlock ["pthread_rwlock_unlock"]
        "Gives up the caller's lock; to unlock what the caller does not hold is a violation.";
    AttrInit ["pthread_rwlockattr_init"]
        "Sets the attributes to their defaults.";
    AttrDestroy ["pthread_rwlockattr_destroy"]
        "Ends the use of the attributes.";
    (AttrSetKind(RWLOCK_KIND)) ["pthread_rwlockattr_setkind_np"]
        "Is kept; locks at which readers wait behind writers that wait \
         (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) are not supported.";
    (AttrGet(RWLOCK_KIND)) ["pthread_rwlockattr_getkind_np"]
        "Tells what was set.";
    (AttrSet(RWLOCK_SHARING)) ["pthread_rwlockattr_setpshared"]
        "Is kept, but has no effect; other values than the two return EINVAL.";
    (AttrGet(RWLOCK_SHARING)) ["pthread_rwlockattr_getpshared"]
        "Tells what was set.";
};
