//! Clean-up handlers, and threads that are asked to end.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cancellation {
    /// Registers the buffer of a handler.
    Push,
    Pop,
    /// A handler has run: on to the next, or to the end of the thread.
    Next,
    Cancel,
    Test,
    /// `(state, old)`.
    SetState,
    /// `(type, old)`.
    SetType,
}

/// What a thread that was asked to end does at a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancellationPoint {
    /// It ends at a step that looks for nothing else.
    Step,
    /// It ends at the steps that the function takes anyway, also while it waits.
    Within,
    /// It may end there, but that is not modelled.
    Unknown,
}

/// Whether only C++ has functions with such a name.
pub fn is_of_cpp(symbol: &str) -> bool {
    symbol.starts_with("_Z")
}

/// Whether a thread that was asked to end may do so at a function.
pub fn cancellation_point(name: &str) -> Option<CancellationPoint> {
    match name {
        "pthread_testcancel" | "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" => {
            Some(CancellationPoint::Step)
        }
        "pthread_join"
        | "pthread_timedjoin_np"
        | "pthread_clockjoin_np"
        | "pthread_cond_wait"
        | "pthread_cond_timedwait"
        | "pthread_cond_clockwait"
        | "sem_wait"
        | "sem_timedwait"
        | "sem_clockwait"
        | "open"
        | "open64"
        | "creat"
        | "close"
        | "read"
        | "__read_chk"
        | "write"
        | "recv"
        | "send"
        | "eventfd_read"
        | "eventfd_write"
        | "poll" => Some(CancellationPoint::Within),
        "openat" | "pread" | "pwrite" | "fsync" | "fopen" | "fopen64" | "fclose" | "fgets"
        | "fread" | "fwrite" | "fflush" | "getc" | "fgetc" | "getchar" | "scanf" | "fscanf"
        | "thrd_join" | "thrd_sleep" | "cnd_wait" | "cnd_timedwait" | "select" => {
            Some(CancellationPoint::Unknown)
        }
        _ => None,
    }
}

pub(crate) const FAMILY: Family = family! {
    "Clean-up and cancellation",
    "Handlers of `pthread_cleanup_push` run, the last one first, when their thread calls \
     `pthread_exit` or is cancelled, and when they are popped with a value that is not 0; \
     destructors of keys run after them. A thread that was asked to end does so when it next comes \
     to `pthread_testcancel`, a sleep, a wait for a thread, a condition or a semaphore, or a call that \
     opens, closes, reads, writes or polls descriptors, or if it \
     waits there already; one that was woken from a condition goes on to the next of these. \
     It may also end where it prints; that \
     it does not is named in the verdict. In programs that cancel threads, input from streams is \
     not supported, nor is cancellation in C++.",
    Cancellation:
    Push ["__pthread_register_cancel"]
        "What `pthread_cleanup_push` stands for in C.";
    Pop ["__pthread_unregister_cancel"]
        "What `pthread_cleanup_pop` stands for in C.";
    Next ["__pthread_unwind_next"]
        "Goes on to the next handler, or ends the thread.";
    Cancel ["pthread_cancel"]
        "Asks the thread to end and returns 0; to ask one that was joined, or what is no thread, is a \
         violation.";
    Test ["pthread_testcancel"]
        "Ends the thread with `PTHREAD_CANCELED` if it was asked to end.";
    SetState ["pthread_setcancelstate"]
        "Chooses whether the thread does what it is asked to, and stores the old choice; other values \
         return EINVAL.";
    SetType ["pthread_setcanceltype"]
        "Is accepted for `PTHREAD_CANCEL_DEFERRED`; the other type is not supported.";
    Unsupported [
        "_pthread_cleanup_push", "_pthread_cleanup_pop",
        "_pthread_cleanup_push_defer", "_pthread_cleanup_pop_restore",
        "__pthread_register_cancel_defer", "__pthread_unregister_cancel_restore",
    ]
        "Not supported: there is no model of it yet.";
};
