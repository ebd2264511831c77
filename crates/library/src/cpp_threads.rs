//! What the C++ library has to start, stop and synchronise threads. There is no
//! model of it yet, and to pass over a call would be wrong in both directions: so
//! each is unsupported. Their linker symbols contain the types of all arguments;
//! the table has what they begin with.

use crate::Family;

pub(crate) const FAMILY: Family = family! {
    "C++ threads",
    "`std::thread` and its family. The names are the beginnings of linker symbols, those of \
     libstdc++ first, then those of libc++. Locks of libstdc++ are inline functions that call \
     the pthread functions above, and need no model of their own.",
    Unsupported:
    Unsupported [
        "_ZNSt6thread", "_ZNKSt6thread", "_ZNSt5jthread",
        "_ZNSt3__16thread", "_ZNKSt3__16thread",
    ] "Not supported: C++ threads have no model yet; pthread_create has one.";
    Unsupported [
        "_ZNSt18condition_variable", "_ZNSt3_V222condition_variable_any",
        "_ZNSt3__118condition_variable", "_ZNSt3__122condition_variable_any",
    ] "Not supported: C++ condition variables have no model yet.";
    Unsupported [
        "_ZNSt3__15mutex", "_ZNSt3__115recursive_mutex", "_ZNSt3__111timed_mutex",
        "_ZNSt3__121recursive_timed_mutex", "_ZNSt3__119__shared_mutex_base",
        "_ZNSt3__118shared_timed_mutex",
    ] "Not supported: the locks of libc++ have no model yet; those of libstdc++ work.";
    Unsupported [
        "_ZNSt13__future_base", "_ZNSt28__atomic_futex_unsigned_base",
        "_ZNSt3__117__assoc_sub_state", "_ZNSt3__14asyncI",
    ] "Not supported: futures have no model yet.";
    Unsupported [
        "_ZNSt11this_thread", "_ZNSt3__111this_thread",
    ] "Not supported: std::this_thread has no model yet.";
    Unsupported [
        "_ZSt11__call_once", "_ZNSt9once_flag", "_ZNSt3__111__call_once",
    ] "Not supported: std::call_once has no model yet.";
    Unsupported [
        "_ZNSt3__123__libcpp_atomic", "_ZNSt3__120__libcpp_atomic",
    ] "Not supported: waiting for atomics in C++ has no model yet.";
};
