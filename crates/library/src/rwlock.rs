//! POSIX read-write locks.

use crate::Family;

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
    /// All functions on attributes: none has influence on which runs are possible.
    AttrOther,
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
        "Becomes a reader if no writer holds the lock, or returns ETIMEDOUT.";
    (WriteLock, blocking) ["pthread_rwlock_wrlock"]
        "Waits until nobody holds the lock and takes it as writer; the writer itself gets EDEADLK.";
    TryWriteLock ["pthread_rwlock_trywrlock"]
        "Becomes the writer, or returns EBUSY if anybody holds the lock.";
    TimedWriteLock ["pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock"]
        "Becomes the writer if nobody holds the lock, or returns ETIMEDOUT.";
    Unlock ["pthread_rwlock_unlock"]
        "Gives up the caller's lock; to unlock what the caller does not hold is a violation.";
    AttrOther [
        "pthread_rwlockattr_init", "pthread_rwlockattr_destroy",
        "pthread_rwlockattr_setpshared", "pthread_rwlockattr_getpshared",
        "pthread_rwlockattr_setkind_np", "pthread_rwlockattr_getkind_np",
    ]
        "Is accepted, has no effect and returns 0.";
};
