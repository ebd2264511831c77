//! POSIX condition variables.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Init,
    Destroy,
    Wait,
    /// With a time limit, of whichever clock.
    TimedWait,
    Signal,
    Broadcast,
    AttrInit,
    AttrDestroy,
    /// An attribute that has no influence on which runs are possible.
    AttrOther,
}

pub(crate) const FAMILY: Family = family! {
    "Condition variables",
    "A wait is two visible steps: the first releases the mutex and joins the waiters, the second \
     retakes the mutex once the thread was woken and the mutex is free. Threads wake up without \
     a signal only with `--spurious`.",
    Condition:
    Init ["pthread_cond_init"]
        "Makes a condition variable that nobody waits for.";
    Destroy ["pthread_cond_destroy"]
        "Ends the use of the condition variable; to destroy one with waiters is a violation.";
    (Wait, blocking) ["pthread_cond_wait"]
        "Releases the mutex and waits to be woken, then retakes the mutex; to wait without \
         holding the mutex is a violation.";
    (TimedWait, blocking) ["pthread_cond_timedwait", "pthread_cond_clockwait"]
        "Like a plain wait, but it may time out at any moment; it then retakes the mutex and \
         returns ETIMEDOUT.";
    Signal ["pthread_cond_signal"]
        "Wakes one waiter, chosen nondeterministically; without waiters it has no effect.";
    Broadcast ["pthread_cond_broadcast"]
        "Wakes all waiters; without waiters it has no effect.";
    AttrInit ["pthread_condattr_init"]
        "Sets the attributes to their defaults.";
    AttrDestroy ["pthread_condattr_destroy"]
        "Ends the use of the attributes.";
    AttrOther [
        "pthread_condattr_setclock", "pthread_condattr_getclock",
        "pthread_condattr_setpshared", "pthread_condattr_getpshared",
    ]
        "Is accepted, has no effect and returns 0.";
};
