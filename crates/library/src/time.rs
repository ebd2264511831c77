//! Clocks and sleeping. Time has no meaning for the order of steps: a sleeping
//! thread may go on at once, and any other thread may be slow.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Time {
    Time,
    Clock,
    GetTimeOfDay,
    ClockGetTime,
    ClockGetResolution,
    Difference,
    Sleep,
}

pub(crate) const FAMILY: Family = family! {
    "Time",
    "Clocks show nondeterministic times, each of them never less than what it has shown before, in \
     whichever thread; different clocks have nothing to do with each other. A sleep is no \
     synchronisation: it does not make any order of steps impossible.",
    Time:
    Time ["time"]
        "Returns, and stores if asked to, a nondeterministic number of seconds that is not \
         negative.";
    Clock ["clock"]
        "Returns a nondeterministic number that is not negative.";
    GetTimeOfDay ["gettimeofday"]
        "Stores a nondeterministic time and returns 0.";
    ClockGetTime ["clock_gettime", "timespec_get"]
        "Stores a nondeterministic time; returns 0, and `timespec_get` the given base.";
    ClockGetResolution ["clock_getres"]
        "Stores a resolution of one nanosecond and returns 0.";
    Difference ["difftime"]
        "Returns the difference of two times.";
    Sleep ["sleep", "usleep", "nanosleep", "clock_nanosleep"]
        "Returns 0 at once: the others may run for any time before the next visible step. With \
         `--signals` it may be interrupted.";
    Unsupported [
        "localtime", "localtime_r", "gmtime", "gmtime_r", "mktime", "ctime", "ctime_r",
        "asctime", "asctime_r", "strftime", "times", "getrusage",
    ]
        "Not supported: there is no model of it yet.";
};
