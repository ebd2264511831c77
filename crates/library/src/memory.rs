//! The heap, and operations on blocks of bytes.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    Malloc,
    Calloc,
    Realloc,
    ReallocArray,
    Free,
    /// `(alignment, size)`.
    AlignedAlloc,
    PosixMemalign,
    UsableSize,
    /// C++: `(size)`, perhaps followed by an argument without meaning.
    New,
    /// C++: `(size, alignment)`, perhaps followed by an argument without meaning.
    NewAligned,
    /// C++: the pointer is the first argument, the others have no meaning.
    Delete,
    Copy,
    /// Like `Copy`, but returns the end of the copy.
    PCopy,
    Move,
    Set,
    BZero,
    Compare,
    Find,
    FindLast,
}

pub(crate) const FAMILY: Family = family! {
    "Memory",
    "Fresh memory is uninitialised: a byte gets its value, chosen nondeterministically, when it is \
     first read. Freed addresses may be reused by a later allocation of the same size, or not. \
     Allocation fails only with `--malloc-may-fail`, and if the size is too large to be \
     expressed or beyond all memory: it then returns null and sets `errno` to ENOMEM. To free anything but the start of a live \
     heap object is a violation (`free` of null is not). Operations on blocks access shared \
     memory in visible steps. `alloca` is not in this list: compilers handle it themselves.",
    Memory:
    Malloc ["malloc"]
        "Returns a fresh object of the given size.";
    Calloc ["calloc"]
        "Returns a fresh object full of zeros.";
    Realloc ["realloc"]
        "Makes a fresh object, copies the content to it and frees the old object. If it fails, the \
         old object is left as it is. An object that is given the size 0 is freed, and null is \
         returned, as by glibc.";
    ReallocArray ["reallocarray"]
        "Like `realloc`, for an array.";
    Free ["free", "cfree", "free_sized", "free_aligned_sized"]
        "Ends the life of the object; later accesses to it are violations.";
    AlignedAlloc ["aligned_alloc", "memalign"]
        "Returns a fresh object at an address that is a multiple of the alignment; an alignment that \
         is no power of 2 returns null and sets `errno` to EINVAL.";
    PosixMemalign ["posix_memalign"]
        "Stores the address of a fresh, aligned object; returns EINVAL for a bad alignment and ENOMEM \
         if it fails, and stores nothing then.";
    UsableSize ["malloc_usable_size"]
        "Returns the size that was asked for, and 0 for null.";
    New [
        "_Znwm", "_Znwj", "_Znam", "_Znaj",
        "_ZnwmRKSt9nothrow_t", "_ZnwjRKSt9nothrow_t",
        "_ZnamRKSt9nothrow_t", "_ZnajRKSt9nothrow_t",
    ]
        "C++ `new`: returns a fresh object and never fails.";
    NewAligned [
        "_ZnwmSt11align_val_t", "_ZnwjSt11align_val_t",
        "_ZnamSt11align_val_t", "_ZnajSt11align_val_t",
        "_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnwjSt11align_val_tRKSt9nothrow_t",
        "_ZnamSt11align_val_tRKSt9nothrow_t", "_ZnajSt11align_val_tRKSt9nothrow_t",
    ]
        "C++ `new` with an alignment: returns a fresh, aligned object and never fails.";
    Delete [
        "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvj", "_ZdaPvj",
        "_ZdlPvRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t",
        "_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t",
        "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
        "_ZdlPvjSt11align_val_t", "_ZdaPvjSt11align_val_t",
        "_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t",
    ]
        "C++ `delete`: ends the life of the object; null is allowed.";
    Copy ["memcpy", "__memcpy_chk"]
        "Copies bytes to memory that must not overlap.";
    PCopy ["mempcpy", "__mempcpy", "__mempcpy_chk"]
        "Copies bytes and returns the end of the copy.";
    Move ["memmove", "__memmove_chk"]
        "Copies bytes to memory that may overlap.";
    Set ["memset", "__memset_chk"]
        "Fills memory with one byte.";
    BZero ["bzero", "explicit_bzero", "__explicit_bzero_chk"]
        "Fills memory with zeros.";
    Compare ["memcmp", "bcmp"]
        "Compares bytes as unsigned numbers; returns -1, 0 or 1.";
    Find ["memchr"]
        "Finds the first byte with the given value.";
    FindLast ["memrchr"]
        "Finds the last byte with the given value.";
};
