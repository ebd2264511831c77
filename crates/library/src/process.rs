//! Ending the process, failed assertions, and the odds and ends of `stdlib.h`.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Process {
    Abort,
    /// Runs what was registered for the end, then ends the process.
    Exit,
    /// Ends the process at once.
    ExitNow,
    QuickExit,
    AtExit,
    /// `(function, argument, module)`.
    CxaAtExit,
    AssertFail,
    PureVirtual,
    ErrnoLocation,
    GetEnv,
    GetPid,
    GetTid,
    SystemValue,
    PageSize,
    SetLocale,
    /// Calls back into the program.
    Sort,
    /// Calls back into the program.
    Search,
    Abs,
    Rand,
    RandR,
    SeedRand,
}

pub(crate) const FAMILY: Family = family! {
    "Process and standard library",
    "When the process ends, all threads end with it, wherever they are.",
    Process:
    Abort ["abort", "_ZSt9terminatev", "__stack_chk_fail", "__chk_fail"]
        "Ends the process; whether that is a violation depends on the checked property.";
    Exit ["exit"]
        "Runs the functions registered for the end, and ends the process.";
    ExitNow ["_exit", "_Exit"]
        "Ends the process at once.";
    QuickExit ["quick_exit"]
        "Ends the process at once; functions for a quick end cannot be registered.";
    AtExit ["atexit"]
        "Registers a function to run at the end; it never fails. `check` knows those that `main` registers.";
    Unsupported ["at_quick_exit"]
        "Not supported: quick exits run no functions.";
    CxaAtExit ["__cxa_atexit", "__cxa_thread_atexit"]
        "Registers a destructor of C++ to run at the end.";
    AssertFail [
        "__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn", "__assert_func",
    ]
        "Is a violation: an assertion does not hold.";
    PureVirtual ["__cxa_pure_virtual", "__cxa_deleted_virtual"]
        "Is a violation: a virtual function of C++ that does not exist was called.";
    ErrnoLocation ["__errno_location", "__error", "__errno"]
        "Returns the address of the calling thread's `errno`.";
    GetEnv ["getenv", "secure_getenv"]
        "Returns null or a text of at most 8 characters, chosen nondeterministically, the same for all \
         who ask for that name. A name that is not a constant is that of no variable, and a verdict says \
         that it rests on that.";
    GetPid ["getpid", "getppid"]
        "Returns a fixed positive number.";
    GetTid ["gettid"]
        "Returns the number of the calling thread, counted from that of the process.";
    SystemValue ["sysconf", "get_nprocs", "get_nprocs_conf"]
        "Returns a positive number, chosen nondeterministically; `sysconf(_SC_PAGESIZE)` returns \
         4096.";
    PageSize ["getpagesize"]
        "Returns 4096.";
    SetLocale ["setlocale"]
        "Returns the text \"C\", or null, chosen nondeterministically; the locale stays the same.";
    Sort ["qsort"]
        "Sorts the array with the program's own comparison function.";
    Search ["bsearch"]
        "Searches the sorted array with the program's own comparison function.";
    Abs ["abs", "labs", "llabs", "imaxabs"]
        "Returns the absolute value; that of the smallest number overflows.";
    Rand ["rand", "random", "lrand48"]
        "Returns a nondeterministic number from 0 to 2147483647.";
    RandR ["rand_r"]
        "Returns a nondeterministic number from 0 to 2147483647 and changes the seed.";
    SeedRand ["srand", "srandom", "srand48"]
        "Does nothing: random numbers are nondeterministic.";
    Unsupported ["div", "ldiv", "lldiv", "imaxdiv"]
        "Not supported: there is no model of it yet; use the operators `/` and `%`.";
    Unsupported [
        "fork", "vfork", "clone", "system", "execv", "execve", "execvp", "execl", "execlp",
        "execle", "posix_spawn", "wait", "waitpid",
    ]
        "Not supported: there is only one process.";
    Unsupported ["ioctl", "dlopen", "dlsym"]
        "Not supported: the operating system is not modelled.";
    Unsupported [
        "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_throw", "__cxa_rethrow",
        "__cxa_begin_catch", "__cxa_end_catch", "__cxa_get_exception_ptr", "_Unwind_Resume",
        "_ZSt17__throw_bad_allocv", "_ZSt28__throw_bad_array_new_lengthv",
        "_ZSt20__throw_length_errorPKc", "_ZSt19__throw_logic_errorPKc",
        "_ZSt20__throw_out_of_rangePKc", "_ZSt24__throw_out_of_range_fmtPKcz",
        "_ZSt20__throw_system_errori", "__cxa_bad_cast", "__cxa_throw_bad_array_new_length",
    ]
        "Not supported: exceptions of C++ are not modelled.";
};
