//! Signals: sets of them, what is to happen when they arrive, and who has blocked
//! them.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signals {
    EmptySet,
    FillSet,
    AddToSet,
    RemoveFromSet,
    IsInSet,
    /// `(how, set, old)`.
    Mask,
    /// `(signal, handler)`.
    Handler,
    /// `(signal, action, old)`.
    Action,
}

pub(crate) const FAMILY: Family = family! {
    "Signals",
    "Without `--signals`, none arrives and handlers never run; a verdict on a program that installs one \
     says that it rests on that. With it, any signal that has a handler and is not blocked may arrive \
     before any step of any thread, and while it waits; the handler runs in that thread. Sleeps, and \
     waits for semaphores, descriptors and futexes, may then fail with EINTR, unless the action says \
     `SA_RESTART` (`poll` and sleeps fail all the same). Signals without a handler do not arrive. \
     Handlers with `SA_SIGINFO` cannot run.",
    Signals:
    EmptySet ["sigemptyset"]
        "Makes an empty set.";
    FillSet ["sigfillset"]
        "Makes a set of all signals.";
    AddToSet ["sigaddset"]
        "Adds a signal to a set; what is no signal fails with EINVAL.";
    RemoveFromSet ["sigdelset"]
        "Removes a signal from a set; what is no signal fails with EINVAL.";
    IsInSet ["sigismember"]
        "Tells whether a signal is in a set; what is no signal fails with EINVAL.";
    Mask ["sigprocmask", "pthread_sigmask"]
        "Changes which signals the calling thread has blocked, and stores what was blocked before. Threads \
         begin with what their creators have blocked.";
    Handler ["signal"]
        "Keeps what is to happen when the signal arrives, and returns what was to happen before; what is \
         no signal, and those that nobody can catch, fail with EINVAL.";
    Action ["sigaction"]
        "The same, with a set of signals that are blocked meanwhile, and flags. It is one visible step.";
    Unsupported [
        "raise", "kill", "pause", "alarm", "setitimer", "sigwait", "sigsuspend",
        "sigpending", "sigtimedwait", "sigwaitinfo", "sigqueue", "sigaltstack", "siginterrupt",
        "signalfd", "timer_create", "pthread_kill", "pthread_sigqueue",
    ]
        "Not supported: signals are not modelled that closely.";
};
