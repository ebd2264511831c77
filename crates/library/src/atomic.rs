//! Atomic operations that are calls rather than instructions: compilers emit
//! them for sizes that the machine has no instruction for, and old headers
//! declare some of the C11 functions instead of mapping them to builtins.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomic {
    /// `(size, object, result, order)`.
    Load,
    /// `(size, object, value, order)`.
    Store,
    /// `(size, object, value, result, order)`.
    Exchange,
    /// `(size, object, expected, desired, success order, failure order)`.
    CompareExchange,
    /// `(object, order)`; the result's type gives the size.
    LoadSized,
    /// `(object, value, order)`; the value's type gives the size.
    StoreSized,
    /// `(object, value, order)`; returns the old value.
    ExchangeSized,
    /// `(object, expected, desired, success order, failure order)`.
    CompareExchangeSized,
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchOr,
    FetchXor,
    FetchNand,
    FlagTestAndSet,
    FlagClear,
    ThreadFence,
    SignalFence,
    IsLockFree,
}

pub(crate) const FAMILY: Family = family! {
    "Atomic operations",
    "The operations of `stdatomic.h` and the `__atomic` and `__sync` builtins are instructions \
     and need no model. These are the calls that compilers emit where there is no such \
     instruction. Each is one visible step.",
    Atomic:
    Load ["__atomic_load"]
        "Copies the object of the given size to the result, as one step.";
    Store ["__atomic_store"]
        "Copies the value of the given size to the object, as one step.";
    Exchange ["__atomic_exchange"]
        "Copies the value to the object and its old content to the result, as one step.";
    CompareExchange ["__atomic_compare_exchange"]
        "Compares object and expected value; copies the desired value to the object if they are \
         equal, and else the object to the expected value.";
    LoadSized [
        "__atomic_load_1", "__atomic_load_2", "__atomic_load_4", "__atomic_load_8",
        "__atomic_load_16",
    ]
        "Reads the object.";
    StoreSized [
        "__atomic_store_1", "__atomic_store_2", "__atomic_store_4", "__atomic_store_8",
        "__atomic_store_16",
    ]
        "Writes the object.";
    ExchangeSized [
        "__atomic_exchange_1", "__atomic_exchange_2", "__atomic_exchange_4",
        "__atomic_exchange_8", "__atomic_exchange_16",
    ]
        "Writes the object and returns its old value, as one step.";
    CompareExchangeSized [
        "__atomic_compare_exchange_1", "__atomic_compare_exchange_2",
        "__atomic_compare_exchange_4", "__atomic_compare_exchange_8",
        "__atomic_compare_exchange_16",
    ]
        "Writes the object if it has the expected value, and else stores its value as the \
         expected one, as one step.";
    FetchAdd [
        "__atomic_fetch_add_1", "__atomic_fetch_add_2", "__atomic_fetch_add_4",
        "__atomic_fetch_add_8", "__atomic_fetch_add_16",
    ]
        "Adds to the object and returns its old value, as one step.";
    FetchSub [
        "__atomic_fetch_sub_1", "__atomic_fetch_sub_2", "__atomic_fetch_sub_4",
        "__atomic_fetch_sub_8", "__atomic_fetch_sub_16",
    ]
        "Subtracts from the object and returns its old value, as one step.";
    FetchAnd [
        "__atomic_fetch_and_1", "__atomic_fetch_and_2", "__atomic_fetch_and_4",
        "__atomic_fetch_and_8", "__atomic_fetch_and_16",
    ]
        "Replaces the object by its bitwise and, and returns its old value, as one step.";
    FetchOr [
        "__atomic_fetch_or_1", "__atomic_fetch_or_2", "__atomic_fetch_or_4",
        "__atomic_fetch_or_8", "__atomic_fetch_or_16",
    ]
        "Replaces the object by its bitwise or, and returns its old value, as one step.";
    FetchXor [
        "__atomic_fetch_xor_1", "__atomic_fetch_xor_2", "__atomic_fetch_xor_4",
        "__atomic_fetch_xor_8", "__atomic_fetch_xor_16",
    ]
        "Replaces the object by its exclusive or, and returns its old value, as one step.";
    FetchNand [
        "__atomic_fetch_nand_1", "__atomic_fetch_nand_2", "__atomic_fetch_nand_4",
        "__atomic_fetch_nand_8", "__atomic_fetch_nand_16",
    ]
        "Replaces the object by the complement of its bitwise and, and returns its old value, as \
         one step.";
    FlagTestAndSet ["atomic_flag_test_and_set", "atomic_flag_test_and_set_explicit"]
        "Sets the flag and returns whether it was set before, as one step.";
    FlagClear ["atomic_flag_clear", "atomic_flag_clear_explicit"]
        "Clears the flag.";
    ThreadFence ["atomic_thread_fence", "__sync_synchronize"]
        "Is a fence between threads.";
    SignalFence ["atomic_signal_fence"]
        "Has no effect: signals are not modelled.";
    IsLockFree ["__atomic_is_lock_free", "atomic_is_lock_free"]
        "Returns 1 for sizes of 1, 2, 4 and 8 bytes, and else 0.";
};
