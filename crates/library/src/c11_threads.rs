//! The threads of C11 (`threads.h`).

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum C11Thread {
    ThreadCreate,
    ThreadJoin,
    ThreadExit,
    ThreadCurrent,
    ThreadDetach,
    ThreadEqual,
    ThreadYield,
    ThreadSleep,
    MutexInit,
    MutexLock,
    MutexTryLock,
    MutexTimedLock,
    MutexUnlock,
    MutexDestroy,
    ConditionInit,
    ConditionWait,
    ConditionTimedWait,
    ConditionSignal,
    ConditionBroadcast,
    ConditionDestroy,
    CallOnce,
    KeyCreate,
    KeyGet,
    KeySet,
    KeyDelete,
}

pub(crate) const FAMILY: Family = family! {
    "C11 threads",
    "The functions of `threads.h` mean the same as their POSIX counterparts, except for the \
     values they return (`thrd_success`, `thrd_busy`, `thrd_timedout`, `thrd_error`).",
    C11Thread:
    ThreadCreate ["thrd_create"]
        "Starts a thread, which may run from then on; it never fails.";
    (ThreadJoin, blocking) ["thrd_join"]
        "Waits until the thread has ended and takes its result; the same threads must not be joined as \
         by `pthread_join`.";
    ThreadExit ["thrd_exit"]
        "Runs the destructors of keys and ends the calling thread.";
    ThreadCurrent ["thrd_current"]
        "Returns the number of the calling thread.";
    ThreadDetach ["thrd_detach"]
        "Marks the thread as one that nobody will join; the same threads must not be detached as by \
         `pthread_detach`.";
    ThreadEqual ["thrd_equal"]
        "Compares two thread numbers.";
    ThreadYield ["thrd_yield"]
        "Does nothing: another thread may run at any visible step anyway.";
    ThreadSleep ["thrd_sleep"]
        "Returns 0 at once: the others may run for any time before the next visible step.";
    MutexInit ["mtx_init"]
        "Makes a free mutex, plain or recursive.";
    (MutexLock, blocking) ["mtx_lock"]
        "Waits until the mutex is free and takes it; the owner of a plain mutex waits for ever.";
    MutexTryLock ["mtx_trylock"]
        "Takes the mutex if it is free (or recursive and the caller's own), and else returns \
         `thrd_busy`.";
    MutexTimedLock ["mtx_timedlock"]
        "Takes the mutex if that needs no waiting, and else returns `thrd_timedout`.";
    MutexUnlock ["mtx_unlock"]
        "Releases the mutex; to unlock one that the caller does not hold is a violation, whatever its \
         type.";
    MutexDestroy ["mtx_destroy"]
        "Ends the use of the mutex; to destroy a mutex that is held is a violation.";
    ConditionInit ["cnd_init"]
        "Makes a condition variable that nobody waits for.";
    (ConditionWait, blocking) ["cnd_wait"]
        "Releases the mutex and waits to be woken, then retakes the mutex.";
    (ConditionTimedWait, blocking) ["cnd_timedwait"]
        "Like a plain wait, but it may time out at any moment; it then retakes the mutex and \
         returns `thrd_timedout`, even if others have signalled since.";
    ConditionSignal ["cnd_signal"]
        "Wakes one waiter, chosen nondeterministically; without waiters it has no effect.";
    ConditionBroadcast ["cnd_broadcast"]
        "Wakes all waiters; without waiters it has no effect.";
    ConditionDestroy ["cnd_destroy"]
        "Ends the use of the condition variable; to destroy one with waiters is a violation.";
    (CallOnce, blocking) ["call_once"]
        "The first caller runs the function; others wait until it has finished.";
    KeyCreate ["tss_create"]
        "Makes a key with an optional destructor; it never fails.";
    KeyGet ["tss_get"]
        "Returns the calling thread's value.";
    KeySet ["tss_set"]
        "Sets the calling thread's value; what is no key, or was deleted, returns `thrd_error`.";
    KeyDelete ["tss_delete"]
        "Ends the use of the key; its destructor does not run any more.";
};
