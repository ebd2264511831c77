//! Calls of the operating system by number.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    Call,
}

pub(crate) const FAMILY: Family = family! {
    "System calls",
    "A futex is a word of memory at which threads wait. To look at the word and to begin to wait is \
     one step, to go on is another. Waits end without cause only with `--spurious`, and with \
     EINTR only with `--signals`, which the solver does not know: then only `explore` and the engine \
     of that name answer.",
    System:
    (Call, blocking) ["syscall"]
        "`SYS_futex` with `FUTEX_WAIT` and `FUTEX_WAIT_BITSET` returns EAGAIN if the word has \
         another value, and else waits to be woken, or until a time limit ends; it may end at any \
         moment. `FUTEX_WAKE` and `FUTEX_WAKE_BITSET` wake so many of those who wait, chosen \
         freely; `FUTEX_REQUEUE` and `FUTEX_CMP_REQUEUE` let others wait elsewhere. Whether a \
         futex is private makes no difference. `SYS_gettid`, `SYS_getpid`, `SYS_sched_yield` and \
         `SYS_membarrier` are known too; other numbers are not supported.";
};
