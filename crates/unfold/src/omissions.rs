//! What is left out while a program is unfolded. Verdicts name it.

use serde::{Deserialize, Serialize};

/// Runs that are left out, or something about runs that is taken for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Omission {
    /// Blocks whose size is not a constant have at most so many bytes.
    LargeBlocks { most: u64 },
    /// Addresses of freed blocks are not used again.
    AddressReuse,
    /// Waits for conditions end only when they are signalled.
    SpuriousWakeups,
    /// Memory that is written counts as a static initialiser.
    UnwrittenInitialisers,
    /// Destructors of keys that several threads make run in the order of the
    /// program.
    OrderOfKeys,
    /// No semaphore is destroyed while a thread waits for it.
    SemaphoresInUse,
    /// Lost memory is not looked for where there are many blocks, or large arrays of
    /// pointers.
    ManyBlocks,
    /// Functions for the end of the process do not run after the last thread.
    LastHandlers,
    /// Functions for the end of the process that main registers while another thread
    /// is running such functions do not run.
    LateHandlers,
    /// Addresses of freed blocks are not used by these.
    OwnAddress(Maker),
    /// A number computed from the address of a freed block means no other block.
    ComputedAddress,
    /// What goes this way counts as initialised.
    Initialised(Way),
}

/// What makes blocks whose addresses are always their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Maker {
    AlignedAllocations,
    Mappings,
    /// Blocks whose size is not a constant.
    UnknownSizes,
}

/// Ways on which nobody follows bits that were never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Library functions read it.
    LibraryReads,
    /// Library functions hand it on.
    LibraryHandsOn,
    /// Functions return it to the library.
    ReturnedToLibrary,
    /// Variadic functions are given it.
    VariadicArguments,
    /// Threads return it.
    ResultsOfThreads,
}
