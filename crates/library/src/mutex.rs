//! POSIX mutexes of all types.

use crate::attribute::{MUTEX_SHARING, MUTEX_TYPE, PRIORITY_CEILING, PROTOCOL};
use crate::{Attribute, Family};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutex {
    Init,
    Destroy,
    Lock,
    TryLock,
    /// With a time limit, of whichever clock.
    TimedLock,
    Unlock,
    AttrInit,
    AttrDestroy,
    AttrSet(Attribute),
    AttrGet(Attribute),
}

pub(crate) const FAMILY: Family = family! {
    "Mutexes",
    "Each call on a mutex is one visible step. A mutex with a static initializer needs no call \
     of the init function. Use of a mutex that was never initialised, or was destroyed, is a \
     violation.",
    Mutex:
    Init ["pthread_mutex_init"]
        "Makes a free mutex of the type that the attributes say.";
    Destroy ["pthread_mutex_destroy"]
        "Ends the use of the mutex; to destroy a mutex that is held is a violation.";
    (Lock, blocking) ["pthread_mutex_lock"]
        "Waits until the mutex is free and takes it. Its owner waits for ever if the mutex is a \
         plain one (a deadlock), gets EDEADLK if it checks for errors, and takes it once more \
         if it is recursive.";
    TryLock ["pthread_mutex_trylock"]
        "Takes the mutex if it is free (or recursive and the caller's own), and else returns \
         EBUSY.";
    TimedLock ["pthread_mutex_timedlock", "pthread_mutex_clocklock"]
        "Takes the mutex if that needs no waiting, and else returns ETIMEDOUT: whoever waits takes \
         this step later. An owner is treated as by `pthread_mutex_lock`, but the owner of a plain \
         mutex gets ETIMEDOUT. Times are taken to be valid.";
    Unlock ["pthread_mutex_unlock"]
        "Releases the mutex (a recursive one when it was unlocked as often as locked); to unlock \
         a mutex that the caller does not hold is a violation, but returns EPERM if the mutex \
         checks for errors or is recursive.";
    AttrInit ["pthread_mutexattr_init"]
        "Sets the attributes to a plain mutex.";
    AttrDestroy ["pthread_mutexattr_destroy"]
        "Ends the use of the attributes.";
    (AttrSet(MUTEX_TYPE)) ["pthread_mutexattr_settype", "pthread_mutexattr_setkind_np"]
        "Chooses a plain, recursive or error-checking mutex; other values return EINVAL.";
    (AttrGet(MUTEX_TYPE)) ["pthread_mutexattr_gettype", "pthread_mutexattr_getkind_np"]
        "Tells the chosen type.";
    (AttrSet(MUTEX_SHARING)) ["pthread_mutexattr_setpshared"]
        "Is kept, but has no effect; other values than the two return EINVAL.";
    (AttrGet(MUTEX_SHARING)) ["pthread_mutexattr_getpshared"]
        "Tells what was set.";
    (AttrSet(PROTOCOL)) ["pthread_mutexattr_setprotocol"]
        "Is kept, but has no effect; other values than the three return EINVAL.";
    (AttrGet(PROTOCOL)) ["pthread_mutexattr_getprotocol"]
        "Tells what was set.";
    (AttrSet(PRIORITY_CEILING)) ["pthread_mutexattr_setprioceiling"]
        "Is kept, but has no effect; values that are not from 1 to 99 return EINVAL.";
    (AttrGet(PRIORITY_CEILING)) ["pthread_mutexattr_getprioceiling"]
        "Tells what was set.";
    Unsupported [
        "pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np",
        "pthread_mutexattr_getrobust", "pthread_mutexattr_getrobust_np",
        "pthread_mutex_consistent", "pthread_mutex_consistent_np",
    ]
        "Not supported: robust mutexes are not modelled.";
    Unsupported ["pthread_mutex_setprioceiling", "pthread_mutex_getprioceiling"]
        "Not supported: threads have no priorities.";
};
