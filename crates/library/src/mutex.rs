//! POSIX mutexes of all types.

use crate::Family;

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
    AttrSetType,
    AttrGetType,
    /// An attribute that has no influence on which runs are possible.
    AttrOther,
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
        "Either takes the free mutex or returns ETIMEDOUT; a free mutex too may time out.";
    Unlock ["pthread_mutex_unlock"]
        "Releases the mutex (a recursive one when it was unlocked as often as locked); to unlock \
         a mutex that the caller does not hold is a violation, but returns EPERM if the mutex \
         checks for errors.";
    AttrInit ["pthread_mutexattr_init"]
        "Sets the attributes to a plain mutex.";
    AttrDestroy ["pthread_mutexattr_destroy"]
        "Ends the use of the attributes.";
    AttrSetType ["pthread_mutexattr_settype", "pthread_mutexattr_setkind_np"]
        "Chooses a plain, recursive or error-checking mutex.";
    AttrGetType ["pthread_mutexattr_gettype", "pthread_mutexattr_getkind_np"]
        "Tells the chosen type.";
    AttrOther [
        "pthread_mutexattr_setpshared", "pthread_mutexattr_getpshared",
        "pthread_mutexattr_setprotocol", "pthread_mutexattr_getprotocol",
        "pthread_mutexattr_setprioceiling", "pthread_mutexattr_getprioceiling",
        "pthread_mutexattr_getrobust", "pthread_mutexattr_getrobust_np",
    ]
        "Is accepted, has no effect and returns 0.";
    Unsupported [
        "pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np",
        "pthread_mutex_consistent", "pthread_mutex_consistent_np",
    ]
        "Not supported: robust mutexes are not modelled.";
    Unsupported ["pthread_mutex_setprioceiling", "pthread_mutex_getprioceiling"]
        "Not supported: threads have no priorities.";
};
