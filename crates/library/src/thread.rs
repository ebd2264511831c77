//! POSIX threads: starting them, waiting for them, ending them.

use crate::Family;

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
    AttrSetDetachState,
    AttrGetDetachState,
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
         already joined or the caller itself is a violation.";
    TryJoin ["pthread_tryjoin_np"]
        "Joins a thread that has ended, and returns EBUSY for one that has not.";
    TimedJoin ["pthread_timedjoin_np", "pthread_clockjoin_np"]
        "Joins a thread that has ended, or returns ETIMEDOUT.";
    Exit ["pthread_exit"]
        "Runs the destructors of keys and ends the calling thread; if that is the main thread, \
         the others go on.";
    SelfId ["pthread_self"]
        "Returns the number of the calling thread.";
    Detach ["pthread_detach"]
        "Marks the thread as one that nobody will join.";
    Equal ["pthread_equal"]
        "Compares two thread numbers.";
    Yield ["sched_yield", "pthread_yield"]
        "Does nothing: another thread may run at any visible step anyway.";
    AttrInit ["pthread_attr_init"]
        "Sets the attributes to joinable.";
    AttrDestroy ["pthread_attr_destroy"]
        "Ends the use of the attributes.";
    AttrSetDetachState ["pthread_attr_setdetachstate"]
        "Chooses whether threads created with these attributes are detached.";
    AttrGetDetachState ["pthread_attr_getdetachstate"]
        "Tells whether threads created with these attributes are detached.";
    AttrOther [
        "pthread_attr_setstack", "pthread_attr_getstack",
        "pthread_attr_setstacksize", "pthread_attr_getstacksize",
        "pthread_attr_setstackaddr", "pthread_attr_getstackaddr",
        "pthread_attr_setguardsize", "pthread_attr_getguardsize",
        "pthread_attr_setscope", "pthread_attr_getscope",
        "pthread_attr_setinheritsched", "pthread_attr_getinheritsched",
        "pthread_attr_setschedpolicy", "pthread_attr_getschedpolicy",
        "pthread_attr_setschedparam", "pthread_attr_getschedparam",
        "pthread_attr_setaffinity_np", "pthread_attr_getaffinity_np",
    ]
        "Is accepted, has no effect and returns 0.";
    Hint [
        "pthread_setname_np", "pthread_setconcurrency", "pthread_getconcurrency",
        "pthread_setschedparam", "pthread_setschedprio",
        "pthread_setaffinity_np", "sched_setaffinity",
    ]
        "Is accepted, has no effect and returns 0.";
    Unsupported [
        "pthread_cancel", "pthread_testcancel",
        "pthread_setcancelstate", "pthread_setcanceltype",
    ]
        "Not supported: cancellation of threads is not modelled.";
    Unsupported [
        "_pthread_cleanup_push", "_pthread_cleanup_pop",
        "_pthread_cleanup_push_defer", "_pthread_cleanup_pop_restore",
        "__pthread_register_cancel", "__pthread_unregister_cancel",
        "__pthread_register_cancel_defer", "__pthread_unregister_cancel_restore",
        "__pthread_unwind_next",
    ]
        "Not supported: clean-up handlers of threads are not modelled.";
    Unsupported ["pthread_atfork"]
        "Not supported: there is only one process.";
    Unsupported ["pthread_kill", "pthread_sigmask", "pthread_sigqueue"]
        "Not supported: signals are not modelled.";
    Unsupported [
        "pthread_getname_np", "pthread_getattr_np", "pthread_getschedparam",
        "pthread_getaffinity_np", "pthread_getcpuclockid",
    ]
        "Not supported: nothing is known about how a system runs its threads.";
};
