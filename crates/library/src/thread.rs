//! POSIX threads: starting them, waiting for them, ending them.

use crate::attribute::{DETACH_STATE, INHERITED_SCHEDULING, POLICY, SCOPE};
use crate::{Attribute, Family};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Thread {
    Create,
    Join,
    TryJoin,
    TimedJoin,
    Exit,
    SelfId,
    Detach,
    Equal,
    Yield,
    AttrInit,
    AttrDestroy,
    AttrSet(Attribute),
    AttrGet(Attribute),
    AttrSetScope,
    AttrSetStackSize,
    /// An attribute that has no influence on which runs are possible.
    AttrOther,
    /// A name, priority, or other hint to the scheduler.
    Hint,
}

pub(crate) const FAMILY: Family = family! {
    "POSIX threads",
    "Starting, joining and ending a thread are visible steps. Threads have no priorities: \
     whichever thread can go on may be the next.",
    Thread:
    Create ["pthread_create"]
        "Starts a thread, which may run from then on; it never fails.";
    (Join, blocking) ["pthread_join"]
        "Waits until the thread has ended and takes its result; joining a thread that is detached, \
         already joined or the caller itself is a violation, and so is joining what is no thread.";
    TryJoin ["pthread_tryjoin_np"]
        "Joins a thread that has ended, and returns EBUSY for one that has not.";
    TimedJoin ["pthread_timedjoin_np", "pthread_clockjoin_np"]
        "Joins a thread that has ended, or returns ETIMEDOUT.";
    Exit ["pthread_exit"]
        "Runs clean-up handlers and the destructors of keys and ends the calling thread; if that is the main thread, \
         the others go on.";
    SelfId ["pthread_self"]
        "Returns the number of the calling thread.";
    Detach ["pthread_detach"]
        "Marks the thread as one that nobody will join; detaching a thread that is detached or \
         already joined is a violation, and so is detaching what is no thread.";
    Equal ["pthread_equal"]
        "Compares two thread numbers.";
    Yield ["sched_yield", "pthread_yield"]
        "Does nothing: another thread may run at any visible step anyway.";
    AttrInit ["pthread_attr_init"]
        "Sets the attributes to joinable.";
    AttrDestroy ["pthread_attr_destroy"]
        "Ends the use of the attributes.";
    (AttrSet(DETACH_STATE)) ["pthread_attr_setdetachstate"]
        "Chooses whether threads created with these attributes are detached; other values return \
         EINVAL.";
    (AttrGet(DETACH_STATE)) ["pthread_attr_getdetachstate"]
        "Tells whether threads created with these attributes are detached.";
    AttrSetScope ["pthread_attr_setscope"]
        "Returns 0 for the scope of the system, ENOTSUP for that of the process, and else EINVAL.";
    (AttrGet(SCOPE)) ["pthread_attr_getscope"]
        "Tells the scope, which is that of the system.";
    (AttrSet(INHERITED_SCHEDULING)) ["pthread_attr_setinheritsched"]
        "Is kept, but has no effect; other values than the two return EINVAL.";
    (AttrGet(INHERITED_SCHEDULING)) ["pthread_attr_getinheritsched"]
        "Tells what was set.";
    (AttrSet(POLICY)) ["pthread_attr_setschedpolicy"]
        "Is kept, but has no effect; other values than the three return EINVAL.";
    (AttrGet(POLICY)) ["pthread_attr_getschedpolicy"]
        "Tells what was set.";
    AttrSetStackSize ["pthread_attr_setstacksize"]
        "Is accepted and has no effect; less than 16384 bytes return EINVAL.";
    AttrOther [
        "pthread_attr_setstack", "pthread_attr_setstackaddr", "pthread_attr_setguardsize",
        "pthread_attr_setschedparam", "pthread_attr_setaffinity_np",
    ]
        "Is accepted, has no effect and returns 0, whatever the values are.";
    Unsupported [
        "pthread_attr_getstack", "pthread_attr_getstacksize", "pthread_attr_getstackaddr",
        "pthread_attr_getguardsize", "pthread_attr_getschedparam", "pthread_attr_getaffinity_np",
    ]
        "Not supported: these attributes are not kept.";
    Hint [
        "pthread_setname_np", "pthread_setconcurrency",
        "pthread_setschedparam", "pthread_setschedprio",
        "pthread_setaffinity_np", "sched_setaffinity",
    ]
        "Is accepted, has no effect and returns 0; it never fails.";
    Hint ["pthread_atfork"]
        "Is accepted and returns 0; the functions never run, since there is only one process.";
    Unsupported [
        "pthread_getname_np", "pthread_getattr_np", "pthread_getschedparam",
        "pthread_getaffinity_np", "pthread_getcpuclockid", "pthread_getconcurrency",
    ]
        "Not supported: nothing is known about how a system runs its threads.";
};
