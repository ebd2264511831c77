//! POSIX condition variables.

use crate::attribute::{CONDITION_CLOCK, CONDITION_SHARING};
use crate::{Attribute, Family};

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
    AttrSet(Attribute),
    AttrGet(Attribute),
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
         holding the mutex is a violation, but returns EPERM if the mutex checks for errors. A \
         recursive mutex is unlocked once: the caller keeps it if it was locked more often.";
    (TimedWait, blocking) ["pthread_cond_timedwait", "pthread_cond_clockwait"]
        "Like a plain wait, but it may time out at any moment; it then retakes the mutex and \
         returns ETIMEDOUT, even if others have signalled since. Times are taken to be valid.";
    Signal ["pthread_cond_signal"]
        "Wakes one waiter, chosen nondeterministically; without waiters it has no effect.";
    Broadcast ["pthread_cond_broadcast"]
        "Wakes all waiters; without waiters it has no effect.";
    AttrInit ["pthread_condattr_init"]
        "Sets the attributes to their defaults.";
    AttrDestroy ["pthread_condattr_destroy"]
        "Ends the use of the attributes.";
    (AttrSet(CONDITION_CLOCK)) ["pthread_condattr_setclock"]
        "Is kept, but has no effect; clocks other than CLOCK_REALTIME and CLOCK_MONOTONIC return \
         EINVAL.";
    (AttrGet(CONDITION_CLOCK)) ["pthread_condattr_getclock"]
        "Tells what was set.";
    (AttrSet(CONDITION_SHARING)) ["pthread_condattr_setpshared"]
        "Is kept, but has no effect; other values than the two return EINVAL.";
    (AttrGet(CONDITION_SHARING)) ["pthread_condattr_getpshared"]
        "Tells what was set.";
};
