//! Memory in pages, from the operating system.

use crate::Family;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pages {
    Map,
    Unmap,
    Protect,
    Advise,
    /// What has no effect on what a program can see.
    Hint,
}

pub(crate) const FAMILY: Family = family! {
    "Pages of memory",
    "A page has 4096 bytes. Only memory of the process itself is modelled, not files. It must be \
     readable and writable from the start.",
    Pages:
    Map ["mmap", "mmap64"]
        "With `MAP_ANONYMOUS`, returns a fresh object of whole pages full of zeros; where it lies is \
         not for the caller to say. It fails only with `--malloc-may-fail`, and if the size is 0 or \
         too large. Files, fixed addresses and other protections than reading and writing are not \
         supported.";
    Unmap ["munmap"]
        "Ends the life of a mapping. Parts of one cannot be unmapped; to unmap anything else is a \
         violation. Its address is not used again.";
    Protect ["mprotect"]
        "Returns 0 if it allows reading and writing, which has no effect; anything else is not \
         supported.";
    Advise ["madvise", "posix_madvise"]
        "Has no effect and returns 0; advice that throws away what is in memory is not supported.";
    Hint ["mlock", "munlock", "mlockall", "munlockall"]
        "Is accepted, has no effect and returns 0.";
    Unsupported ["valloc", "pvalloc", "brk", "sbrk", "mremap", "msync", "mincore", "shm_open"]
        "Not supported: there is no model of it yet.";
};
