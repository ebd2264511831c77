//! One object of memory: its name, its bytes, which of them are initialised, and
//! the pointers stored in it.
//!
//! Offsets are trusted here; [`crate::memory`] checks them.

use crate::fingerprint::Fingerprint;
use ir::{FunctionId, GlobalId, InstId, Location, SourceTypeId};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;

/// Names an object for ever: a dead object's id is never given to another.
/// Packed: thread (12 bits), area (2), slot (26), generation (24).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(NonZeroU64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Area {
    Global,
    Stack,
    Heap,
}

const GENERATION_BITS: u32 = 24;
pub(crate) const SLOT_BITS: u32 = 26;

impl ObjectId {
    pub(crate) fn new(thread: usize, area: Area, slot: usize, generation: u32) -> Self {
        let generation = u64::from(generation) & ((1 << GENERATION_BITS) - 1);
        let packed = ((thread as u64) << (GENERATION_BITS + SLOT_BITS + 2))
            | ((area as u64) << (GENERATION_BITS + SLOT_BITS))
            | ((slot as u64) << GENERATION_BITS)
            | ((generation + 1) % (1 << GENERATION_BITS));
        // A generation of all ones wraps to zero, which area and slot may not save.
        ObjectId(NonZeroU64::new(packed).unwrap_or(NonZeroU64::MIN))
    }

    pub(crate) fn thread(self) -> usize {
        (self.0.get() >> (GENERATION_BITS + SLOT_BITS + 2)) as usize
    }

    pub(crate) fn area(self) -> Area {
        match (self.0.get() >> (GENERATION_BITS + SLOT_BITS)) & 3 {
            0 => Area::Global,
            1 => Area::Stack,
            _ => Area::Heap,
        }
    }

    pub(crate) fn slot(self) -> usize {
        ((self.0.get() >> GENERATION_BITS) & ((1 << SLOT_BITS) - 1)) as usize
    }

    /// The id without its generation: equal for objects that take each other's
    /// place, for instance the locals of two calls at the same depth.
    pub(crate) fn place(self) -> u64 {
        self.0.get() >> GENERATION_BITS
    }
}

/// What an object is, for messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    Global(GlobalId),
    /// Made by an [`ir::Op::Local`] instruction.
    Local(FunctionId, InstId),
    /// A thread's copy of a thread-local variable.
    ThreadLocal(GlobalId),
    /// `malloc` and its relatives, with the place of the call.
    Heap(Option<Location>),
    /// Memory that the run itself provides (arguments of `main`, `va_list`s).
    Environment(&'static str),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    pub base: u64,
    pub size: u64,
    pub is_alive: bool,
    /// Another thread may know its address.
    pub is_shared: bool,
    pub is_constant: bool,
    /// The C type, as far as it is known, for messages only.
    pub ty: Option<SourceTypeId>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) uninitialised: Uninitialised,
    /// Bits that come from memory that nobody wrote; empty if there are none, or if
    /// nobody asks. Such bits may have a value all the same.
    pub(crate) shadow: Vec<u8>,
    /// Offsets at which whole pointers are stored, with what they point to.
    pub(crate) pointers: BTreeMap<u64, ObjectId>,
    hash: Cell<Option<u128>>,
}

/// Which bytes have no value yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Uninitialised {
    None,
    All,
    /// One flag per byte.
    Some(Vec<bool>),
}

impl Object {
    pub(crate) fn new(origin: Origin, base: u64, size: u64, initialised: bool) -> Object {
        Object {
            origin,
            base,
            size,
            is_alive: true,
            is_shared: false,
            is_constant: false,
            ty: None,
            bytes: vec![0; size as usize],
            uninitialised: if initialised || size == 0 {
                Uninitialised::None
            } else {
                Uninitialised::All
            },
            shadow: Vec::new(),
            pointers: BTreeMap::new(),
            hash: Cell::new(None),
        }
    }

    /// To be called whenever the object may have changed.
    pub(crate) fn forget_hash(&self) {
        self.hash.set(None);
    }

    pub(crate) fn is_initialised(&self, offset: u64, len: u64) -> bool {
        match &self.uninitialised {
            Uninitialised::None => true,
            Uninitialised::All => len == 0,
            Uninitialised::Some(flags) => {
                !flags[offset as usize..(offset + len) as usize].contains(&true)
            }
        }
    }

    pub(crate) fn mark(&mut self, offset: u64, len: u64, uninitialised: bool) {
        if len == 0 {
            return;
        }
        if len == self.size {
            self.uninitialised = if uninitialised {
                Uninitialised::All
            } else {
                Uninitialised::None
            };
            return;
        }
        match (&self.uninitialised, uninitialised) {
            (Uninitialised::None, false) | (Uninitialised::All, true) => return,
            (Uninitialised::None, true) => {
                self.uninitialised = Uninitialised::Some(vec![false; self.size as usize]);
            }
            (Uninitialised::All, false) => {
                self.uninitialised = Uninitialised::Some(vec![true; self.size as usize]);
            }
            (Uninitialised::Some(_), _) => {}
        }
        if let Uninitialised::Some(flags) = &mut self.uninitialised {
            flags[offset as usize..(offset + len) as usize].fill(uninitialised);
        }
    }

    /// The words in it that are no pointers; nor those with bits that were left open, if
    /// shadows mean that.
    pub(crate) fn numbers(&self, pointer_bytes: u64, has_open: bool) -> impl Iterator<Item = u64> {
        let words = self.bytes.chunks_exact(pointer_bytes as usize).enumerate();
        words.filter_map(move |(index, bytes)| {
            let at = index as u64 * pointer_bytes;
            let is_open = |byte: u64| {
                self.shadow
                    .get(byte as usize)
                    .is_some_and(|bits| *bits != 0)
            };
            let has_none = self.pointers.contains_key(&at)
                || !self.is_initialised(at, pointer_bytes)
                || has_open && (at..at + pointer_bytes).any(is_open);
            if has_none {
                return None;
            }
            let mut buffer = [0; 8];
            buffer[..bytes.len()].copy_from_slice(bytes);
            Some(u64::from_le_bytes(buffer))
        })
    }

    /// Nothing has been written yet.
    pub(crate) fn shadow_all(&mut self) {
        self.shadow = vec![0xff; self.size as usize];
    }

    /// Forgets what a range holds under its shadow.
    pub(crate) fn blank(&mut self, offset: u64, len: u64) {
        if !self.shadow.is_empty() {
            for at in offset as usize..(offset + len) as usize {
                self.bytes[at] &= !self.shadow[at];
            }
        }
    }

    /// Says of a range which of its bits were never written.
    pub(crate) fn set_shadow(&mut self, offset: u64, shadow: &[u8]) {
        if self.shadow.is_empty() {
            self.shadow = vec![0; self.size as usize];
        }
        let start = offset as usize;
        self.shadow[start..start + shadow.len()].copy_from_slice(shadow);
    }

    /// All bits of a range have been written.
    pub(crate) fn clear_shadow(&mut self, offset: u64, len: u64) {
        if !self.shadow.is_empty() {
            self.shadow[offset as usize..(offset + len) as usize].fill(0);
        }
    }

    /// Forgets the pointers that a write to this range destroys.
    pub(crate) fn forget_pointers(&mut self, offset: u64, len: u64, pointer_bytes: u64) {
        if self.pointers.is_empty() {
            return;
        }
        let first = (offset + 1).saturating_sub(pointer_bytes);
        while let Some((&at, _)) = self.pointers.range(first..offset + len).next() {
            self.pointers.remove(&at);
        }
    }

    pub(crate) fn content_hash(&self) -> u128 {
        if let Some(hash) = self.hash.get() {
            return hash;
        }
        let mut fingerprint = Fingerprint::default();
        (&self.origin, self.base, self.size).hash(&mut fingerprint);
        (self.is_alive, self.is_shared).hash(&mut fingerprint);
        if self.is_alive {
            match &self.uninitialised {
                Uninitialised::All => {}
                Uninitialised::None => fingerprint.write(&self.bytes),
                // Uninitialised bytes have no value, so whatever is stored there
                // must not count.
                Uninitialised::Some(flags) => {
                    for (byte, flag) in self.bytes.iter().zip(flags) {
                        fingerprint.write_u32(if *flag { 256 } else { u32::from(*byte) });
                    }
                }
            }
        }
        if self.is_alive && self.shadow.iter().any(|byte| *byte != 0) {
            fingerprint.write(&self.shadow);
        }
        let hash = fingerprint.value();
        self.hash.set(Some(hash));
        hash
    }
}
