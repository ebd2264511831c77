//! POSIX semaphores without a name.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Semaphore {
    Init,
    Destroy,
    Wait,
    TryWait,
    /// With a time limit, of whichever clock.
    TimedWait,
    Post,
    GetValue,
}

pub(crate) const FAMILY: Family = family! {
    "Semaphores",
    "Each call is one visible step. Functions that fail return -1 and set `errno`.",
    Semaphore:
    Init ["sem_init"]
        "Makes a semaphore with the given value; beyond the greatest `int` it fails with EINVAL.";
    Destroy ["sem_destroy"]
        "Ends the use of the semaphore; to destroy one that a thread waits for is a violation.";
    (Wait, blocking) ["sem_wait"]
        "Waits until the value is above 0 and takes 1 from it.";
    TryWait ["sem_trywait"]
        "Takes 1 from a value above 0, and else fails with EAGAIN.";
    TimedWait ["sem_timedwait", "sem_clockwait"]
        "Takes 1 from a value above 0, and else fails with ETIMEDOUT: whoever waits takes this step \
         later. Times are taken to be valid.";
    Post ["sem_post"]
        "Adds 1 to the value; beyond the greatest `int` it fails with EOVERFLOW.";
    GetValue ["sem_getvalue"]
        "Stores the value, which is never negative.";
    Unsupported ["sem_open", "sem_close", "sem_unlink"]
        "Not supported: named semaphores are shared between processes.";
};
