//! The functions that programs written for verifiers call: nondeterministic
//! values, assumptions, errors, atomic sections.
//!
//! Functions that the program defines itself under a name that starts with
//! `__VERIFIER_atomic_` are no entries here, see [`crate::is_atomic_function`].

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verifier {
    Nondet(NondetType),
    /// `(address, size)`.
    NondetMemory,
    Assume,
    Assert,
    Error,
    Conversion,
    AtomicBegin,
    AtomicEnd,
    LoopBound,
    LoopBegin,
    SpinStart,
    SpinEnd,
}

/// What kind of value to choose, in terms of C. The width of `long`, `size_t`
/// and pointers is the target's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NondetType {
    /// 0 or 1, even if the program declares the function with a wider result.
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    SizeT,
    SignedSizeT,
    Float,
    Double,
    Pointer,
}

impl NondetType {
    /// Whether the value is shown as a signed number.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            NondetType::Char
                | NondetType::SignedChar
                | NondetType::Short
                | NondetType::Int
                | NondetType::Long
                | NondetType::LongLong
                | NondetType::Int128
                | NondetType::SignedSizeT
                | NondetType::Float
                | NondetType::Double
        )
    }
}

pub(crate) const FAMILY: Family = family! {
    "Verification",
    "The names that verification tasks use, those of CBMC and ESBMC included. Functions that the program defines itself and whose \
     names start with `__VERIFIER_atomic_` run as a whole, without interruption by other threads. \
     `__VERIFIER_error`, `reach_error`, `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end` \
     keep their meaning even if the program gives them a body.",
    Verifier:
    Assume ["__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume"]
        "Discards the run if the argument is 0.";
    Assert ["__VERIFIER_assert", "__CPROVER_assert", "__ESBMC_assert"]
        "Is a violation if the argument is 0.";
    Error ["reach_error", "__VERIFIER_error"]
        "Is a violation: an error location is reached.";
    Conversion ["__ubsan_handle_implicit_conversion"]
        "Is called where an implicit conversion changes the value, if the program is compiled \
         with `-fsanitize=implicit-conversion`. Is a violation of `conversion`.";
    AtomicBegin [
        "__VERIFIER_atomic_begin", "__CPROVER_atomic_begin", "__ESBMC_atomic_begin",
    ]
        "Starts an atomic section: no other thread runs until it ends.";
    AtomicEnd [
        "__VERIFIER_atomic_end", "__CPROVER_atomic_end", "__ESBMC_atomic_end",
    ]
        "Ends the atomic section.";
    LoopBound ["__VERIFIER_loop_bound"]
        "Gives the bound of the loop around it; has no effect on a run.";
    LoopBegin ["__VERIFIER_loop_begin"]
        "Marks the start of a loop; has no effect.";
    SpinStart ["__VERIFIER_spin_start"]
        "Marks the start of an iteration of a waiting loop; has no effect.";
    SpinEnd ["__VERIFIER_spin_end"]
        "Marks the end of an iteration of a waiting loop; if its argument is 0 the run is \
         discarded, since the iteration changed nothing.";
    (Nondet(NondetType::Bool)) ["__VERIFIER_nondet_bool", "nondet_bool", "__VERIFIER_nondet__Bool"]
        "Returns 0 or 1, chosen nondeterministically.";
    (Nondet(NondetType::Char)) ["__VERIFIER_nondet_char", "nondet_char"]
        "Returns any `char`.";
    (Nondet(NondetType::SignedChar)) [
        "__VERIFIER_nondet_schar", "nondet_schar", "nondet_signed_char", "__VERIFIER_nondet_s8", "__VERIFIER_nondet_S8",
    ]
        "Returns any `signed char`.";
    (Nondet(NondetType::UnsignedChar)) [
        "__VERIFIER_nondet_uchar", "nondet_uchar", "nondet_unsigned_char", "__VERIFIER_nondet_unsigned_char", "__VERIFIER_nondet_u8",
        "__VERIFIER_nondet_U8",
    ]
        "Returns any `unsigned char`.";
    (Nondet(NondetType::Short)) [
        "__VERIFIER_nondet_short", "nondet_short", "__VERIFIER_nondet_s16", "__VERIFIER_nondet_S16",
    ]
        "Returns any `short`.";
    (Nondet(NondetType::UnsignedShort)) [
        "__VERIFIER_nondet_ushort", "nondet_ushort", "nondet_unsigned_short", "__VERIFIER_nondet_u16", "__VERIFIER_nondet_U16",
    ]
        "Returns any `unsigned short`.";
    (Nondet(NondetType::Int)) [
        "__VERIFIER_nondet_int", "nondet_int", "__VERIFIER_nondet_s32", "__VERIFIER_nondet_S32",
    ]
        "Returns any `int`.";
    (Nondet(NondetType::UnsignedInt)) [
        "__VERIFIER_nondet_uint", "nondet_uint", "nondet_unsigned", "nondet_unsigned_int", "__VERIFIER_nondet_unsigned", "__VERIFIER_nondet_unsigned_int",
        "__VERIFIER_nondet_u32", "__VERIFIER_nondet_U32",
    ]
        "Returns any `unsigned int`.";
    (Nondet(NondetType::Long)) ["__VERIFIER_nondet_long", "nondet_long"]
        "Returns any `long`.";
    (Nondet(NondetType::UnsignedLong)) ["__VERIFIER_nondet_ulong", "nondet_ulong", "nondet_unsigned_long", "__VERIFIER_nondet_sector_t"]
        "Returns any `unsigned long`.";
    (Nondet(NondetType::LongLong)) [
        "__VERIFIER_nondet_longlong", "nondet_longlong", "nondet_long_long", "__VERIFIER_nondet_loff_t", "__VERIFIER_nondet_s64",
        "__VERIFIER_nondet_S64",
    ]
        "Returns any `long long`.";
    (Nondet(NondetType::UnsignedLongLong)) [
        "__VERIFIER_nondet_ulonglong", "nondet_ulonglong", "nondet_unsigned_long_long", "__VERIFIER_nondet_u64", "__VERIFIER_nondet_U64",
    ]
        "Returns any `unsigned long long`.";
    (Nondet(NondetType::Int128)) ["__VERIFIER_nondet_int128"]
        "Returns any `__int128`.";
    (Nondet(NondetType::UnsignedInt128)) ["__VERIFIER_nondet_uint128"]
        "Returns any `unsigned __int128`.";
    (Nondet(NondetType::SizeT)) ["__VERIFIER_nondet_size_t", "nondet_size_t"]
        "Returns any `size_t`.";
    (Nondet(NondetType::SignedSizeT)) ["__VERIFIER_nondet_ssize_t", "nondet_ssize_t"]
        "Returns any `ssize_t`.";
    (Nondet(NondetType::Float)) ["__VERIFIER_nondet_float", "nondet_float"]
        "Returns any `float`.";
    (Nondet(NondetType::Double)) ["__VERIFIER_nondet_double", "nondet_double"]
        "Returns any `double`.";
    (Nondet(NondetType::Pointer)) [
        "__VERIFIER_nondet_pointer", "nondet_ptr", "nondet_pointer", "__VERIFIER_nondet_pchar", "__VERIFIER_nondet_charp",
        "__VERIFIER_nondet_const_char_pointer",
    ]
        "Returns any pointer.";
    NondetMemory ["__VERIFIER_nondet_memory"]
        "Fills the memory with nondeterministic bytes.";
};
