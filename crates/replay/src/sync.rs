//! Synchronisation objects: mutexes, condition variables, read-write locks,
//! barriers, semaphores, spin locks, once controls.
//!
//! Their state lives beside memory, keyed by where the C object is. Data and
//! small queries only; the library models decide what is allowed.

use crate::footprint::{Footprint, Look};
use crate::memory::ObjectId;
use std::collections::BTreeMap;

/// Where a synchronisation object is: the memory object and offset.
pub(crate) type SyncKey = (ObjectId, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SyncKind {
    Mutex,
    Condition,
    RwLock,
    Barrier,
    Semaphore,
    Spin,
    Once,
}

impl SyncKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SyncKind::Mutex => "mutex",
            SyncKind::Condition => "condition variable",
            SyncKind::RwLock => "read-write lock",
            SyncKind::Barrier => "barrier",
            SyncKind::Semaphore => "semaphore",
            SyncKind::Spin => "spin lock",
            SyncKind::Once => "once control",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MutexType {
    Plain,
    Recursive,
    ErrorChecking,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sync {
    Mutex {
        ty: MutexType,
        owner: Option<usize>,
        /// How often the owner has locked it.
        depth: u32,
    },
    Condition {
        /// Threads that wait and have not been woken.
        waiters: Vec<usize>,
    },
    RwLock {
        readers: Vec<usize>,
        writer: Option<usize>,
    },
    Barrier {
        needed: u32,
        /// Threads that have arrived and wait for the others.
        waiting: Vec<usize>,
    },
    Semaphore {
        count: u32,
    },
    Spin {
        owner: Option<usize>,
    },
    Once {
        state: OnceState,
    },
    Destroyed(SyncKind),
}

/// A thread that waits at a word of memory and has not been woken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FutexWaiter {
    pub thread: usize,
    pub place: SyncKey,
    /// Whoever wakes some of the same wakes it.
    pub bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OnceState {
    Fresh,
    Running(usize),
    Done,
}

impl Sync {
    pub(crate) fn kind(&self) -> SyncKind {
        match self {
            Sync::Mutex { .. } => SyncKind::Mutex,
            Sync::Condition { .. } => SyncKind::Condition,
            Sync::RwLock { .. } => SyncKind::RwLock,
            Sync::Barrier { .. } => SyncKind::Barrier,
            Sync::Semaphore { .. } => SyncKind::Semaphore,
            Sync::Spin { .. } => SyncKind::Spin,
            Sync::Once { .. } => SyncKind::Once,
            Sync::Destroyed(kind) => *kind,
        }
    }

    /// Who holds it, if it is a lock; or runs what it guards.
    pub(crate) fn holders(&self) -> Vec<usize> {
        match self {
            Sync::Mutex { owner, .. } | Sync::Spin { owner } => owner.iter().copied().collect(),
            Sync::RwLock { readers, writer } => readers.iter().chain(writer).copied().collect(),
            Sync::Once {
                state: OnceState::Running(thread),
            } => vec![*thread],
            _ => Vec::new(),
        }
    }

    /// Whether some thread holds it, or waits and is listed. Those who wait for a
    /// semaphore are not.
    pub(crate) fn is_in_use(&self) -> bool {
        match self {
            Sync::Mutex { owner, .. } | Sync::Spin { owner } => owner.is_some(),
            Sync::Condition { waiters } => !waiters.is_empty(),
            Sync::RwLock { readers, writer } => !readers.is_empty() || writer.is_some(),
            Sync::Barrier { waiting, .. } => !waiting.is_empty(),
            Sync::Semaphore { .. } | Sync::Once { .. } | Sync::Destroyed(_) => false,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct SyncTable {
    objects: BTreeMap<SyncKey, Sync>,
    pub(crate) footprint: Footprint,
}

impl SyncTable {
    pub(crate) fn get(&self, key: SyncKey) -> Option<&Sync> {
        self.footprint.note(Look::Sync(key));
        self.objects.get(&key)
    }

    /// The same for those who do not take part in the run.
    pub(crate) fn peek(&self, key: SyncKey) -> Option<&Sync> {
        self.objects.get(&key)
    }

    pub(crate) fn set(&mut self, key: SyncKey, sync: Sync) {
        self.objects.insert(key, sync);
    }

    /// Memory is written without regard to what it holds: an object that was
    /// destroyed there may now be one with a static initialiser.
    pub(crate) fn overwrite(&mut self, object: ObjectId, offset: u64, len: u64) {
        self.footprint.note(Look::SyncsIn(object, offset, len));
        if self.objects.is_empty() {
            return;
        }
        self.objects.retain(|(at, start), sync| {
            let is_hit = *at == object && (offset..offset + len).contains(start);
            !(is_hit && matches!(sync, Sync::Destroyed(_)))
        });
    }

    /// Forgets the objects inside memory that is gone. The caller says where it has
    /// looked.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(ObjectId) -> bool) {
        self.objects.retain(|(object, _), _| !is_gone(*object));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (SyncKey, &Sync)> {
        self.objects.iter().map(|(key, sync)| (*key, sync))
    }

    /// Who holds a mutex, lock or spin lock.
    pub(crate) fn holders(&self, key: SyncKey) -> Vec<usize> {
        self.get(key).map_or(Vec::new(), Sync::holders)
    }
}
