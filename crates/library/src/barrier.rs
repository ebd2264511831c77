//! POSIX barriers: where threads wait for each other.

use crate::attribute::BARRIER_SHARING;
use crate::{Attribute, Family};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    Init,
    Destroy,
    Wait,
    AttrInit,
    AttrDestroy,
    AttrSet(Attribute),
    AttrGet(Attribute),
}

pub(crate) const FAMILY: Family = family! {
    "Barriers",
    "Arriving at a barrier is one visible step; leaving it is another one for the threads that \
     had to wait.",
    Barrier:
    Init ["pthread_barrier_init"]
        "Makes a barrier for the given number of threads; a number of 0, or of 2147483647 and more, \
         returns EINVAL.";
    Destroy ["pthread_barrier_destroy"]
        "Ends the use of the barrier; to destroy one with waiting threads is a violation.";
    (Wait, blocking) ["pthread_barrier_wait"]
        "Waits until as many threads as the barrier is for have arrived; the last one to arrive \
         gets PTHREAD_BARRIER_SERIAL_THREAD, the others 0.";
    AttrInit ["pthread_barrierattr_init"]
        "Sets the attributes to their defaults.";
    AttrDestroy ["pthread_barrierattr_destroy"]
        "Ends the use of the attributes.";
    (AttrSet(BARRIER_SHARING)) ["pthread_barrierattr_setpshared"]
        "Is kept, but has no effect; other values than the two return EINVAL.";
    (AttrGet(BARRIER_SHARING)) ["pthread_barrierattr_getpshared"]
        "Tells what was set.";
};
