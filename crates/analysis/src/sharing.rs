//! Which objects several threads may access, and under which locks.
//!
//! Threads are grouped by the function that they start with, an *entry*; one of
//! them is `main`. From points-to sets and the call graph follows which entries
//! may access an object, and whether an entry can have several threads: it can if
//! it is created at two places, in a loop, by a function that may run twice, or
//! by a thread of which there may be several.
//!
//! An object is also private if its address never gets to where another thread
//! could find it: global memory, arguments and results of threads, unknown code,
//! and all that can be reached from there. Each thread then has such objects of
//! its own, even if they are one abstract object.
//!
//! **The promise** is that of [`PointsTo`]: if in some run two threads access one
//! object, it is not [`Kind::Private`]; if a thread writes it when a second one
//! has been created, it is not [`Kind::ReadOnly`] either. A lock is listed for an
//! object only if it is held whenever the object is accessed once there are
//! threads. In doubt an object is shared and no lock is listed.
//!
//! Nothing is said about order other than that: that a thread has been joined, or
//! that a flag protects a variable, is not noticed. Threads that unknown code
//! creates by itself are not taken into account.

pub(crate) mod accesses;
mod locks;
mod threads;

pub use locks::Lock;

use crate::meaning::Meaning;
use crate::points_to::{AbstractObject, ObjectId, PointsTo};
use accesses::accesses;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use ir::{FunctionId, Program};
use locks::{LockSet, Locks};
use threads::Threads;

/// The threads that start with one function. `main` is the first; the order of
/// the others means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(u32);
entity_impl!(EntryId, "entry");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub start: FunctionId,
    /// The thread that the program begins with.
    pub is_main: bool,
    /// There may be more than one thread of it in a run.
    pub is_many: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Each object of a run is accessed by one thread at most.
    Private,
    /// Several threads read it; nobody writes it once there are threads.
    ReadOnly,
    Shared,
}

/// How the threads of an entry access an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessor {
    pub entry: EntryId,
    pub reads: bool,
    pub writes: bool,
    /// Uses a lock or the like in it.
    pub synchronises: bool,
    /// Writes it, or a lock in it, when other threads may exist.
    pub changes_late: bool,
}

pub struct Sharing {
    entries: PrimaryMap<EntryId, Entry>,
    accessors: SecondaryMap<ObjectId, Vec<Accessor>>,
    visible: EntitySet<ObjectId>,
    kinds: SecondaryMap<ObjectId, Kind>,
    locks: SecondaryMap<ObjectId, Vec<Lock>>,
}

impl Default for Kind {
    /// Of an object that nobody accesses.
    fn default() -> Kind {
        Kind::Private
    }
}

impl Sharing {
    pub fn of(program: &Program, points_to: &PointsTo) -> Sharing {
        let meaning = Meaning::of(program);
        let threads = Threads::of(program, &meaning, points_to);
        let locks = Locks::of(program, points_to, &threads);
        let mut sharing = Sharing {
            entries: threads.entries.clone(),
            accessors: SecondaryMap::new(),
            visible: visible(points_to),
            kinds: SecondaryMap::new(),
            locks: SecondaryMap::new(),
        };
        let held = sharing.find_accesses(program, &meaning, points_to, &threads, &locks);
        for (object, what) in points_to.objects() {
            if matches!(what, AbstractObject::Function(_) | AbstractObject::Unknown) {
                continue;
            }
            let kind = sharing.classify(object);
            sharing.kinds[object] = kind;
            if kind == Kind::Shared && !sharing.accessors[object].is_empty() {
                let is_held = |index: &usize| held[object] >> index & 1 == 1;
                let indices = (0..locks.all.len().min(64)).filter(is_held);
                sharing.locks[object] = indices.map(|index| locks.all[index]).collect();
                sharing.locks[object].sort_unstable();
            }
        }
        sharing
    }

    pub fn kind(&self, object: ObjectId) -> Kind {
        self.kinds[object]
    }

    /// The entries whose threads may access an object, in order.
    pub fn accessors(&self, object: ObjectId) -> &[Accessor] {
        &self.accessors[object]
    }

    /// Whether another thread than the one that made an object may get to know
    /// its address.
    pub fn is_visible(&self, object: ObjectId) -> bool {
        self.visible.contains(object)
    }

    /// Locks that are held at every access to a shared object once there are
    /// threads, other than by operations on locks in it.
    pub fn locks(&self, object: ObjectId) -> &[Lock] {
        &self.locks[object]
    }

    pub fn entries(&self) -> impl Iterator<Item = (EntryId, Entry)> + '_ {
        self.entries.iter().map(|(id, entry)| (id, *entry))
    }

    pub fn entry(&self, id: EntryId) -> Entry {
        self.entries[id]
    }

    /// Fills in the accessors. Returns the locks held at all accesses.
    fn find_accesses(
        &mut self,
        program: &Program,
        meaning: &Meaning,
        points_to: &PointsTo,
        threads: &Threads,
        locks: &Locks,
    ) -> SecondaryMap<ObjectId, LockSet> {
        let mut held = SecondaryMap::with_default(!0);
        for (function, data) in program.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            let runs = |entry: &EntryId| threads.reached[*entry].binary_search(&function).is_ok();
            let runners: Vec<EntryId> = threads.entries.keys().filter(runs).collect();
            if runners.is_empty() {
                continue;
            }
            for access in accesses(program, meaning, points_to, function, body) {
                let is_late = !threads.is_before(function, access.inst);
                let kinds = access.kinds;
                if is_late && (kinds.reads || kinds.writes) {
                    held[access.object] &= locks.held(function, access.inst);
                }
                for entry in &runners {
                    let accessor = self.accessor(access.object, *entry);
                    accessor.reads |= kinds.reads;
                    accessor.writes |= kinds.writes;
                    accessor.synchronises |= kinds.synchronises;
                    accessor.changes_late |= is_late && (kinds.writes || kinds.synchronises);
                }
            }
        }
        for object in points_to.objects().map(|(object, _)| object) {
            self.accessors[object].sort_by_key(|accessor| accessor.entry);
        }
        held
    }

    fn accessor(&mut self, object: ObjectId, entry: EntryId) -> &mut Accessor {
        let accessors = &mut self.accessors[object];
        let known = accessors
            .iter()
            .position(|accessor| accessor.entry == entry);
        let index = known.unwrap_or_else(|| {
            accessors.push(Accessor {
                entry,
                reads: false,
                writes: false,
                synchronises: false,
                changes_late: false,
            });
            accessors.len() - 1
        });
        &mut accessors[index]
    }

    fn classify(&self, object: ObjectId) -> Kind {
        let accessors = &self.accessors[object];
        let is_one_thread = match &accessors[..] {
            [] => true,
            [accessor] => !self.entries[accessor.entry].is_many,
            _ => false,
        };
        if is_one_thread || !self.visible.contains(object) {
            Kind::Private
        } else if accessors.iter().any(|accessor| accessor.changes_late) {
            Kind::Shared
        } else {
            Kind::ReadOnly
        }
    }
}

/// The objects whose address more than one thread may know.
fn visible(points_to: &PointsTo) -> EntitySet<ObjectId> {
    let mut found = EntitySet::new();
    let mut queue: Vec<ObjectId> = Vec::new();
    for (id, object) in points_to.objects() {
        let is_everyones = matches!(
            object,
            AbstractObject::Global(_) | AbstractObject::Environment | AbstractObject::Unknown
        );
        if is_everyones {
            queue.push(id);
        }
    }
    for set in [
        points_to.thread_arguments(),
        points_to.thread_results(),
        points_to.escaped(),
    ] {
        queue.extend(set.objects());
    }
    while let Some(object) = queue.pop() {
        if found.insert(object) {
            queue.extend(points_to.all_pointees(object).objects());
        }
    }
    found
}
