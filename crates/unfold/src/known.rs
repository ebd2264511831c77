//! What unfolding knows about a program beyond one pass: the objects and threads
//! it has met, under names that stay the same from pass to pass, and the facts
//! that earlier passes found out about them.
//!
//! Facts only ever grow. A pass may rely on facts that turn out to be too small;
//! what it then sees makes them larger, and another pass follows.

use crate::MAIN;
use crate::address_reuse::FreedAddresses;
use crate::large_arrays::{LargeArrays, SlotFor};
use crate::leaks::Tracks;
use crate::threads::ThreadId;
use crate::values::ValueSet;
use cranelift_entity::{PrimaryMap, entity_impl};
use ir::{FunctionId, Global, GlobalId, Initial, InstId, Program, Symbol};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::rc::Rc;

/// One execution of a function: who called it, from where, in which iteration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(u32);
entity_impl!(FrameId, "frame");

/// A memory object. Number 0 is no object: null pointers and plain integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);
entity_impl!(ObjectId, "object");

/// An instruction in one iteration of the loops around it, in one frame.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Instance {
    pub frame: FrameId,
    pub inst: InstId,
    pub iterations: Rc<[u32]>,
    /// Distinguishes what one instruction makes several of.
    pub index: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum FrameKey {
    /// The start function of a thread.
    Thread(ThreadId, FunctionId),
    Call(Instance, FunctionId),
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum ObjectKey {
    Null,
    Global(GlobalId),
    ThreadLocal(ThreadId, GlobalId),
    Function(FunctionId),
    Label(FunctionId, ir::BlockId),
    Local(Instance),
    Heap(Instance),
    /// A part of the state of whatever synchronisation object is at this place.
    Sync(ObjectId, u64, SyncPart),
    /// Whether a heap object has not been freed.
    Alive(ObjectId),
    /// Whether a new block may get the address of a heap object.
    Vacant(ObjectId),
    /// Whether a heap object was made and not freed.
    Held(ObjectId),
    /// Which bits of an object were never written.
    Shadow(ObjectId),
    /// One element of an array that has too many of them.
    Slot(ObjectId, SlotFor),
    /// A piece of state of a thread.
    Thread(ThreadId, ThreadPart),
    /// A piece of state of a key for thread-specific data.
    Key(u32, KeyPart),
    /// A function that was registered for the end of the process.
    Handler(Instance),
    /// Something of the surroundings, such as the command line.
    Environment(&'static str, u32),
}

/// Pieces of state of synchronisation objects, each a cell of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SyncPart {
    /// Not made yet (0), in use (the number of its kind), or destroyed (255).
    Life,
    /// The kind of mutex.
    Kind,
    /// Who holds it: 0, or the thread's number plus 1.
    Owner,
    Depth,
    /// How often a thread holds a lock as reader.
    Reader(ThreadId),
    /// How many readers there are.
    Readers,
    /// Whether a thread waits and has not been woken.
    Waiting(ThreadId),
    Count,
    Needed,
    /// How many have arrived at a barrier and wait.
    Arrived,
}

impl SyncPart {
    /// Whether somebody holds the object, or waits, if the part is not zero.
    pub fn is_use(self) -> bool {
        matches!(
            self,
            SyncPart::Owner | SyncPart::Readers | SyncPart::Arrived | SyncPart::Waiting(_)
        )
    }
}

/// What a synchronisation object is used as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncKind {
    Mutex,
    Condition,
    RwLock,
    Spin,
    Barrier,
    Semaphore,
    Once,
}

impl fmt::Display for SyncKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            SyncKind::Mutex => "a mutex",
            SyncKind::Condition => "a condition variable",
            SyncKind::RwLock => "a read-write lock",
            SyncKind::Spin => "a spin lock",
            SyncKind::Barrier => "a barrier",
            SyncKind::Semaphore => "a semaphore",
            SyncKind::Once => "a once control",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum KeyPart {
    /// Not made yet (0), in use (1), or deleted (2).
    Life,
    /// The address of a function, or null.
    Destructor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ThreadPart {
    Result,
    /// Whether it has ended, for those who ask without waiting.
    Ended,
    /// Joined (1) or detached (2).
    Fate,
    /// Whether it has been created, for those who end the process.
    Begun,
    Errno,
    Key(u32),
}

pub struct Object {
    pub key: ObjectKey,
    pub size: u64,
    /// For people.
    pub name: String,
    /// Never written, and so never shared.
    pub is_constant: bool,
    /// The thread that made it; globals belong to main.
    pub owner: ThreadId,
    pub starts_as: Content,
}

/// What memory holds before anybody writes to it.
#[derive(Clone)]
pub enum Content {
    Zero,
    Bytes(Rc<[u8]>),
    Unknown,
}

impl Content {
    pub fn is_zero(&self) -> bool {
        match self {
            Content::Zero => true,
            Content::Bytes(bytes) => bytes.iter().all(|byte| *byte == 0),
            Content::Unknown => false,
        }
    }
}

impl Object {
    /// Something that has an address but no content.
    fn constant(key: ObjectKey, name: &str) -> Object {
        Object {
            key,
            size: 0,
            name: name.to_owned(),
            is_constant: true,
            owner: MAIN,
            starts_as: Content::Zero,
        }
    }

    /// Whether it comes into being during the run.
    pub fn is_made_on_the_way(&self) -> bool {
        matches!(self.key, ObjectKey::Local(_) | ObjectKey::Heap(_))
    }

    /// Whether the program can have its address and look at its bytes.
    pub fn is_data(&self) -> bool {
        matches!(
            self.key,
            ObjectKey::Global(_)
                | ObjectKey::ThreadLocal(..)
                | ObjectKey::Local(_)
                | ObjectKey::Heap(_)
                | ObjectKey::Environment(..)
                | ObjectKey::Thread(_, ThreadPart::Errno)
        )
    }
}

fn global_name(global: &Global) -> String {
    global.name.clone().unwrap_or_else(|| global.symbol.clone())
}

/// How many threads there are in a set, as far as it matters.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum ThreadSet {
    #[default]
    None,
    One(ThreadId),
    Several,
}

impl ThreadSet {
    pub fn insert(&mut self, thread: ThreadId) {
        *self = self.union(ThreadSet::One(thread));
    }

    pub fn union(self, other: ThreadSet) -> ThreadSet {
        match (self, other) {
            (ThreadSet::None, set) | (set, ThreadSet::None) => set,
            (ThreadSet::One(a), ThreadSet::One(b)) if a == b => self,
            _ => ThreadSet::Several,
        }
    }
}

/// Who reads and writes some bytes after main has created the first thread.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Users {
    pub readers: ThreadSet,
    pub writers: ThreadSet,
}

impl Users {
    pub fn are_rivals(self) -> bool {
        self.writers != ThreadSet::None && self.readers.union(self.writers) == ThreadSet::Several
    }
}

/// A piece of an object that threads share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub start: u64,
    pub size: u64,
    pub is_shared: bool,
}

#[derive(Default)]
pub struct ObjectFacts {
    /// By offset and size.
    pub accesses: BTreeMap<(u64, u64), Users>,
    /// What the accesses of earlier passes make of the object, in order.
    pub pieces: Rc<[Piece]>,
    /// Whether others than its owner use it.
    is_lent: bool,
}

/// Pieces of shared memory are at most this long, in bytes.
const LONGEST_PIECE: u64 = 8;

impl ObjectFacts {
    /// Cuts the object at every offset at which some access begins or ends.
    /// Returns whether anything changes.
    fn cut(&mut self, owner: ThreadId) -> bool {
        let mut bounds = BTreeSet::new();
        let mut everybody = Users::default();
        for ((start, size), users) in &self.accesses {
            bounds.insert(*start);
            bounds.insert(start + size);
            everybody.readers = everybody.readers.union(users.readers);
            everybody.writers = everybody.writers.union(users.writers);
        }
        let mut pieces = Vec::new();
        if everybody.are_rivals() {
            let bounds: Vec<u64> = bounds.into_iter().collect();
            let mut users = vec![Users::default(); bounds.len()];
            for ((start, size), those) in &self.accesses {
                let first = bounds.partition_point(|bound| bound < start);
                for index in first..bounds.len() {
                    if bounds[index] >= start + size {
                        break;
                    }
                    users[index].readers = users[index].readers.union(those.readers);
                    users[index].writers = users[index].writers.union(those.writers);
                }
            }
            for (index, pair) in bounds.windows(2).enumerate() {
                let is_shared = users[index].are_rivals();
                let mut start = pair[0];
                while start < pair[1] {
                    let size = (pair[1] - start).min(LONGEST_PIECE);
                    pieces.push(Piece {
                        start,
                        size,
                        is_shared,
                    });
                    start += size;
                }
            }
        }
        let users = everybody.readers.union(everybody.writers);
        let is_used = users.union(ThreadSet::One(owner)) == ThreadSet::Several;
        let is_lent = self.is_lent || is_used;
        let changed = *self.pieces != *pieces || self.is_lent != is_lent;
        self.is_lent = is_lent;
        self.pieces = pieces.into();
        changed
    }
}

pub struct Known {
    pub frames: PrimaryMap<FrameId, FrameKey>,
    frame_ids: HashMap<FrameKey, FrameId>,
    pub objects: PrimaryMap<ObjectId, Object>,
    object_ids: HashMap<ObjectKey, ObjectId>,
    /// The objects that have addresses, by their numbers in these.
    numbered: Vec<ObjectId>,
    numbers: HashMap<ObjectId, u32>,
    /// How many numbers there are.
    most_numbers: u64,
    thread_local_contents: HashMap<GlobalId, Content>,
    /// Threads by where they are created, and what they run.
    thread_ids: HashMap<(Instance, FunctionId), ThreadId>,
    thread_count: u32,
    keys: HashMap<Instance, u32>,
    facts: HashMap<ObjectId, ObjectFacts>,
    pub values: HashMap<(ObjectId, u64), ValueSet>,
    offset_bits: u32,
    pub addresses: FreedAddresses,
    pub arrays: LargeArrays,
    pub tracks: Tracks,
    /// Objects whose size is not a constant.
    pub extents: BTreeSet<ObjectId>,
    /// Objects that get bits from others which were never written.
    tainted: BTreeSet<ObjectId>,
    /// Shared pieces that may be read before they are written.
    raw: BTreeSet<(ObjectId, u64)>,
    /// Where synchronisation objects are, and what they are used as.
    sync_kinds: HashMap<(ObjectId, u64), SyncKind>,
    /// Where some of them are destroyed.
    graves: BTreeSet<(ObjectId, u64)>,
    /// Locks that are made again, or used as something else, while there are other
    /// threads: whoever takes one may not be the only one to hold it.
    unreliable: BTreeSet<(ObjectId, u64)>,
    /// How many instructions main executes before other threads may see its memory.
    pub alone_until: Option<u64>,
    /// Pieces whose values have grown in the current pass.
    pub growing: BTreeSet<(ObjectId, u64)>,
    /// Whether the current pass has seen something new.
    pub grew: bool,
    pub values_grew: bool,
}

/// How many objects addresses can tell apart.
fn most_numbers(program: &Program) -> u64 {
    1 << (8 * program.target.pointer_bytes as u32 - crate::offset_bits(program))
}

impl Known {
    pub fn of(program: &Program) -> Known {
        let mut known = Known {
            frames: PrimaryMap::new(),
            frame_ids: HashMap::new(),
            objects: PrimaryMap::new(),
            object_ids: HashMap::new(),
            numbered: Vec::new(),
            numbers: HashMap::new(),
            most_numbers: most_numbers(program),
            thread_local_contents: HashMap::new(),
            thread_ids: HashMap::new(),
            thread_count: 1,
            keys: HashMap::new(),
            facts: HashMap::new(),
            values: HashMap::new(),
            offset_bits: crate::offset_bits(program),
            addresses: FreedAddresses::default(),
            arrays: LargeArrays::default(),
            tracks: Tracks::default(),
            extents: BTreeSet::new(),
            tainted: BTreeSet::new(),
            raw: BTreeSet::new(),
            sync_kinds: HashMap::new(),
            graves: BTreeSet::new(),
            unreliable: BTreeSet::new(),
            alone_until: None,
            growing: BTreeSet::new(),
            grew: false,
            values_grew: false,
        };
        let null = known.object(ObjectKey::Null, || {
            Object::constant(ObjectKey::Null, "null")
        });
        known.number(null);
        // Variables first, constants last: small numbers need few bits.
        for is_constant in [false, true] {
            for (id, global) in program.globals.iter() {
                if global.is_constant == is_constant && !global.is_thread_local {
                    let key = ObjectKey::Global(id);
                    let object = known.object(key.clone(), || Object {
                        key,
                        size: global.bytes,
                        name: global_name(global),
                        is_constant,
                        owner: MAIN,
                        starts_as: Content::Zero,
                    });
                    known.number(object);
                }
            }
        }
        for (id, global) in program.globals.iter() {
            let content = known.initial_content(program, global);
            if global.is_thread_local {
                known.thread_local_contents.insert(id, content);
            } else {
                let object = known.global(id);
                known.objects[object].starts_as = content;
            }
        }
        known
    }

    fn initial_content(&mut self, program: &Program, global: &Global) -> Content {
        let Initial::Bytes { bytes, relocations } = &global.initial else {
            return match global.is_external {
                true => Content::Unknown,
                false => Content::Zero,
            };
        };
        let mut bytes = bytes.clone();
        let word = program.target.pointer_bytes as usize;
        for relocation in relocations {
            let object = match relocation.symbol {
                Symbol::Global(id) if program.globals[id].is_thread_local => continue,
                Symbol::Global(id) => self.global(id),
                Symbol::Function(id) => self.function(program, id),
                Symbol::Label(function, block) => self.label(function, block),
            };
            let base = u64::from(self.number(object)) << crate::offset_bits(program);
            let address = base.wrapping_add_signed(relocation.addend);
            let at = relocation.offset as usize;
            if let Some(place) = bytes.get_mut(at..at + word) {
                place.copy_from_slice(&address.to_le_bytes()[..word]);
            }
        }
        Content::Bytes(bytes.into())
    }

    pub fn global(&mut self, global: GlobalId) -> ObjectId {
        let key = ObjectKey::Global(global);
        self.object(key.clone(), || Object::constant(key, "a global variable"))
    }

    pub fn thread_local(
        &mut self,
        program: &Program,
        thread: ThreadId,
        global: GlobalId,
    ) -> ObjectId {
        let key = ObjectKey::ThreadLocal(thread, global);
        let data = &program.globals[global];
        let content = self.thread_local_contents.get(&global).cloned();
        self.object(key.clone(), || Object {
            key,
            size: data.bytes,
            name: global_name(data),
            is_constant: false,
            owner: thread,
            starts_as: content.unwrap_or(Content::Zero),
        })
    }

    pub fn function(&mut self, program: &Program, function: FunctionId) -> ObjectId {
        let key = ObjectKey::Function(function);
        let name = &program.functions[function].name;
        self.object(key.clone(), || Object::constant(key, name))
    }

    pub fn label(&mut self, function: FunctionId, block: ir::BlockId) -> ObjectId {
        let key = ObjectKey::Label(function, block);
        self.object(key.clone(), || Object::constant(key, "a label"))
    }

    /// All objects that have addresses, by their numbers in these.
    pub fn numbered_objects(&self) -> impl Iterator<Item = (u32, ObjectId)> {
        (0..).zip(self.numbered.iter().copied())
    }

    /// The object of a number, if there is one.
    pub fn numbered(&self, number: u128) -> Option<ObjectId> {
        let number = u64::try_from(number).ok()?;
        match number.checked_sub(self.most_numbers) {
            Some(id) => Some(ObjectId::from_u32(u32::try_from(id).ok()?)),
            None => self.numbered.get(usize::try_from(number).ok()?).copied(),
        }
    }

    /// The number of an object in addresses. Objects that nobody can point to need
    /// none, and in words of 32 bits there are few of them.
    pub fn number(&mut self, object: ObjectId) -> u32 {
        if let Some(number) = self.numbers.get(&object) {
            return *number;
        }
        let number = self.numbered.len() as u32;
        self.numbered.push(object);
        self.numbers.insert(object, number);
        number
    }

    /// A number for addresses that never become values of the program, and so need
    /// not fit in its words.
    pub fn private_number(&self, object: ObjectId) -> u128 {
        u128::from(self.most_numbers) + u128::from(object.as_u32())
    }

    /// Whether there are more objects than numbers.
    pub fn has_run_out(&self) -> bool {
        self.numbered.len() as u64 > self.most_numbers
    }

    pub fn find(&self, key: &ObjectKey) -> Option<ObjectId> {
        self.object_ids.get(key).copied()
    }

    pub fn frame(&mut self, key: FrameKey) -> FrameId {
        if let Some(id) = self.frame_ids.get(&key) {
            return *id;
        }
        let id = self.frames.push(key.clone());
        self.frame_ids.insert(key, id);
        id
    }

    /// The object of that name, made if there is none.
    pub fn object(&mut self, key: ObjectKey, make: impl FnOnce() -> Object) -> ObjectId {
        if let Some(id) = self.object_ids.get(&key) {
            return *id;
        }
        let id = self.objects.push(make());
        self.object_ids.insert(key, id);
        id
    }

    /// The thread that an instruction creates. Numbers are in order of discovery.
    pub fn thread(&mut self, instance: Instance, function: FunctionId) -> ThreadId {
        let next = &mut self.thread_count;
        let grew = &mut self.grew;
        *self
            .thread_ids
            .entry((instance, function))
            .or_insert_with(|| {
                *grew = true;
                *next += 1;
                ThreadId::from_u32(*next - 1)
            })
    }

    /// The key for thread-specific data that an instruction makes.
    pub fn key(&mut self, instance: Instance) -> u32 {
        let next = self.keys.len() as u32;
        let grew = &mut self.grew;
        *self.keys.entry(instance).or_insert_with(|| {
            *grew = true;
            next
        })
    }

    pub fn key_count(&self) -> u32 {
        self.keys.len() as u32
    }

    pub fn thread_count(&self) -> usize {
        self.thread_count as usize
    }

    pub fn pieces(&self, object: ObjectId) -> Rc<[Piece]> {
        match self.facts.get(&object) {
            Some(facts) => facts.pieces.clone(),
            None => Rc::from([]),
        }
    }

    /// Whether other threads than its owner use an object.
    pub fn is_lent(&self, object: ObjectId) -> bool {
        self.facts.get(&object).is_some_and(|facts| facts.is_lent)
    }

    /// Another thread than its owner uses an object, if only as a lock.
    pub fn lend(&mut self, object: ObjectId) {
        let facts = self.facts.entry(object).or_default();
        self.grew |= !facts.is_lent;
        facts.is_lent = true;
    }

    pub fn note_access(
        &mut self,
        object: ObjectId,
        offset: u64,
        size: u64,
        thread: ThreadId,
        is_write: bool,
    ) {
        if size == 0 || self.objects[object].is_constant {
            return;
        }
        let facts = self.facts.entry(object).or_default();
        let users = facts.accesses.entry((offset, size)).or_default();
        let set = if is_write {
            &mut users.writers
        } else {
            &mut users.readers
        };
        set.insert(thread);
    }

    /// Values that a shared piece may have from now on.
    pub fn note_values(&mut self, object: ObjectId, start: u64, values: &ValueSet) {
        match self.values.get_mut(&(object, start)) {
            Some(known) => {
                if known.add(values, self.offset_bits) {
                    self.values_grew = true;
                    self.growing.insert((object, start));
                }
            }
            None => {
                self.values.insert((object, start), values.clone());
                self.values_grew = true;
            }
        }
    }

    pub fn note_raw(&mut self, object: ObjectId, start: u64) {
        self.grew |= self.raw.insert((object, start));
    }

    /// Of a shadow, the same as of what it belongs to.
    pub fn is_raw(&self, object: ObjectId, piece: Piece) -> bool {
        match self.objects[object].key {
            ObjectKey::Shadow(base) => {
                // Both are cut alike, but nothing here depends on that.
                let first = (piece.start + 1).saturating_sub(LONGEST_PIECE);
                let places = (base, first)..(base, piece.start + piece.size);
                self.raw.range(places).next().is_some()
            }
            _ => self.raw.contains(&(object, piece.start)),
        }
    }

    /// The object itself, or what a shadow belongs to.
    fn base(&self, object: ObjectId) -> &Object {
        match self.objects[object].key {
            ObjectKey::Shadow(base) => &self.objects[base],
            _ => &self.objects[object],
        }
    }

    /// Whether it comes into being during the run.
    pub fn is_made_on_the_way(&self, object: ObjectId) -> bool {
        self.base(object).is_made_on_the_way()
    }

    /// Whether nobody knows what it holds before it is written.
    pub fn starts_unknown(&self, object: ObjectId) -> bool {
        matches!(self.base(object).starts_as, Content::Unknown)
    }

    /// An object gets bits that may never have been written.
    pub fn taint(&mut self, object: ObjectId) {
        self.grew |= self.tainted.insert(object);
    }

    /// Whether an object may hold bits that were never written.
    pub fn has_shadow(&self, object: ObjectId) -> bool {
        let data = &self.objects[object];
        data.is_data() && (self.tainted.contains(&object) || self.starts_unwritten(object))
    }

    /// Whether nobody has written it when it comes into being. Global variables are
    /// written by whoever defines them.
    pub fn starts_unwritten(&self, object: ObjectId) -> bool {
        let data = &self.objects[object];
        data.is_made_on_the_way() && matches!(data.starts_as, Content::Unknown)
    }

    /// Returns what the object was first used as.
    pub fn note_kind(&mut self, object: ObjectId, offset: u64, kind: SyncKind) -> SyncKind {
        *self.sync_kinds.entry((object, offset)).or_insert(kind)
    }

    pub fn note_unreliable(&mut self, object: ObjectId, offset: u64) {
        self.unreliable.insert((object, offset));
    }

    pub fn is_reliable(&self, lock: &(ObjectId, u64)) -> bool {
        !self.unreliable.contains(lock)
    }

    /// A synchronisation object may be destroyed here.
    pub fn note_grave(&mut self, object: ObjectId, offset: u64) {
        self.grew |= self.graves.insert((object, offset));
    }

    /// The lives of synchronisation objects that may be destroyed here and begin in
    /// these bytes.
    pub fn graves(&self, object: ObjectId, offset: u64, size: u64) -> Vec<ObjectId> {
        let places = self.graves.range((object, offset)..(object, offset + size));
        let life = |(object, offset): &(ObjectId, u64)| {
            self.find(&ObjectKey::Sync(*object, *offset, SyncPart::Life))
        };
        places.filter_map(life).collect()
    }

    /// Takes values that keep growing to be anything.
    pub fn widen(&mut self) {
        for place in std::mem::take(&mut self.growing) {
            if let Some(values) = self.values.get_mut(&place) {
                values.widen();
            }
        }
    }

    /// Draws conclusions from a pass: cuts objects anew. Values are forgotten when
    /// the cuts have changed, since they belong to pieces.
    pub fn conclude(&mut self) {
        let mut changed = false;
        for (object, facts) in &mut self.facts {
            changed |= facts.cut(self.objects[*object].owner);
        }
        if changed {
            self.grew = true;
            self.values.clear();
            self.growing.clear();
        }
    }
}
