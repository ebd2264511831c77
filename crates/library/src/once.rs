//! Code that runs once: `pthread_once`, and the guards of static local variables
//! that C++ compilers emit.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Once {
    Once,
    GuardAcquire,
    GuardRelease,
    GuardAbort,
}

pub(crate) const FAMILY: Family = family! {
    "Running code once",
    "To begin and to finish are one visible step each; a thread that comes in between waits.",
    Once:
    (Once, blocking) ["pthread_once"]
        "The first caller runs the function; others wait until it has finished.";
    (GuardAcquire, blocking) ["__cxa_guard_acquire"]
        "Waits while another thread initialises the static variable of C++; returns 1 if the \
         caller has to do it.";
    GuardRelease ["__cxa_guard_release"]
        "Marks the static variable as initialised.";
    GuardAbort ["__cxa_guard_abort"]
        "Gives the initialisation of the static variable to another thread.";
};
