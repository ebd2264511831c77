//! POSIX barriers: where threads wait for each other.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    Init,
    Destroy,
    Wait,
    /// All functions on attributes: none has influence on which runs are possible.
    AttrOther,
}

pub(crate) const FAMILY: Family = family! {
    "Barriers",
    "Arriving at a barrier is one visible step; leaving it is another one for the threads that \
     had to wait.",
    Barrier:
    Init ["pthread_barrier_init"]
        "Makes a barrier for the given number of threads; a number of 0 returns EINVAL.";
    Destroy ["pthread_barrier_destroy"]
        "Ends the use of the barrier; to destroy one with waiting threads is a violation.";
    (Wait, blocking) ["pthread_barrier_wait"]
        "Waits until as many threads as the barrier is for have arrived; the last one to arrive \
         gets PTHREAD_BARRIER_SERIAL_THREAD, the others 0.";
    AttrOther [
        "pthread_barrierattr_init", "pthread_barrierattr_destroy",
        "pthread_barrierattr_setpshared", "pthread_barrierattr_getpshared",
    ]
        "Is accepted, has no effect and returns 0.";
};
