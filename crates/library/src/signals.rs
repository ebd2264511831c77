//! Signals. None ever arrives, so all that matters is what the functions return
//! and store.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signals {
    /// Makes a set.
    MakeSet,
    ChangeSet,
    /// `(how, set, old)`.
    Mask,
    /// `(signal, handler)`.
    Handler,
    /// `(signal, action, old)`.
    Action,
}

pub(crate) const FAMILY: Family = family! {
    "Signals",
    "Signals never arrive, so handlers never run; a verdict on a program that installs one says \
     that it rests on that. What is in a set of signals has no meaning.",
    Signals:
    MakeSet ["sigemptyset", "sigfillset"]
        "Fills the set and returns 0.";
    ChangeSet ["sigaddset", "sigdelset"]
        "Is accepted, has no effect and returns 0.";
    Mask ["sigprocmask", "pthread_sigmask"]
        "Returns 0, and stores an empty set as the old mask if it is asked for.";
    Handler ["signal"]
        "Is accepted, has no effect and returns 0, the default.";
    Action ["sigaction"]
        "Is accepted, has no effect and returns 0; to ask for the old action is not supported.";
    Unsupported [
        "raise", "kill", "pause", "alarm", "setitimer", "sigwait", "sigsuspend", "sigismember",
        "sigpending", "sigtimedwait", "sigwaitinfo", "sigqueue", "sigaltstack", "siginterrupt",
        "signalfd", "timer_create", "pthread_kill", "pthread_sigqueue",
    ]
        "Not supported: signals are not modelled.";
};
