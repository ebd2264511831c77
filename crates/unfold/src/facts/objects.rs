//! The objects that unfolding has met, under names that stay the same from pass to
//! pass, and the numbers by which addresses mean them.
//!
//! This table says what objects there are and what they hold at first. Who uses
//! them, and what they hold later, is for others.

use super::Growth;
use crate::MAIN;
use crate::large_arrays::SlotFor;
use crate::threads::ThreadId;
use cranelift_entity::{PrimaryMap, entity_impl};
use ir::{FunctionId, Global, GlobalId, Initial, InstId, Program, Symbol};
use std::collections::HashMap;
use std::ops::Index;
use std::rc::Rc;

/// One execution of a function: who called it, from where, in which iteration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FrameId(u32);
entity_impl!(FrameId, "frame");

/// A memory object. Number 0 is no object: null pointers and plain integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId(u32);
entity_impl!(ObjectId, "object");

/// An instruction in one iteration of the loops around it, in one frame.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Instance {
    pub frame: FrameId,
    pub inst: InstId,
    pub iterations: Rc<[u32]>,
    /// Distinguishes what one instruction makes several of.
    pub index: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum FrameKey {
    /// The start function of a thread.
    Thread(ThreadId, FunctionId),
    Call(Instance, FunctionId),
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKey {
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
    /// What a number of an open file stands for.
    Descriptor(u32),
    /// A piece of state of a pipe, a pair of sockets or a counter.
    Channel(u32, ChannelPart),
    /// A piece of what is to happen when a signal arrives.
    Signal(u32, SignalPart),
    /// The last time that a clock has shown.
    Clock(ClockKind),
    /// A function that was registered for the end of the process.
    Handler(Instance),
    /// Something of the surroundings, such as the command line.
    Environment(&'static str, u32),
}

/// Pieces of state of synchronisation objects, each a cell of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum SyncPart {
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
    pub(crate) fn is_use(self) -> bool {
        matches!(
            self,
            SyncPart::Owner | SyncPart::Readers | SyncPart::Arrived | SyncPart::Waiting(_)
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum KeyPart {
    /// Not made yet (0), in use (1), or deleted (2).
    Life,
    /// The address of a function, or null.
    Destructor,
}

/// Of one side, which is what it can read or has to do with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum ChannelPart {
    /// Numbers that stand for it, and calls that use it.
    Uses(u32),
    /// Whether calls on it fail rather than wait.
    NeverWaits(u32),
    /// How many pieces were ever written for it to read, and how many were read.
    Written(u32),
    Taken(u32),
    /// One of these pieces, by its size and place.
    Piece(u32, u64, u64),
    /// The number in a counter.
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum SignalPart {
    /// The address of a function, or 1 if it is ignored.
    Handler,
    /// Signals that are blocked meanwhile.
    Blocked,
    Flags,
}

/// Something that shows a time, and never an earlier one than before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum ClockKind {
    Numbered(u32),
    OfThread(ThreadId),
    Seconds,
    Microseconds,
    Process,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum ThreadPart {
    Result,
    /// Whether it has ended, for those who ask without waiting.
    Ended,
    /// Joined (1) or detached (2).
    Fate,
    /// Whether it has been created, for those who end the process.
    Begun,
    Errno,
    Key(u32),
    /// The address of the futex at which it waits, or nothing.
    FutexPlace,
    FutexBits,
    /// Whether it was asked to end, and whether it does not want to know.
    Cancelled,
    Immune,
    /// Its result, while its clean-up handlers run.
    Leaving,
    /// Whether it may be ended anywhere.
    Asynchronous,
    /// Signals that it has blocked, and how many have arrived.
    Blocked,
    Arrivals,
}

pub(crate) struct Object {
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
pub(crate) enum Content {
    Zero,
    Bytes(Rc<[u8]>),
    Unknown,
}

impl Content {
    pub(crate) fn is_zero(&self) -> bool {
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
    pub(crate) fn is_made_on_the_way(&self) -> bool {
        matches!(self.key, ObjectKey::Local(_) | ObjectKey::Heap(_))
    }

    /// Whether the program can have its address and look at its bytes.
    pub(crate) fn is_data(&self) -> bool {
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

/// All objects, and the executions of functions that made some of them.
pub(crate) struct Objects {
    frames: PrimaryMap<FrameId, FrameKey>,
    frame_ids: HashMap<FrameKey, FrameId>,
    objects: PrimaryMap<ObjectId, Object>,
    object_ids: HashMap<ObjectKey, ObjectId>,
    /// The objects that have addresses, by their numbers in these.
    numbered: Vec<ObjectId>,
    numbers: HashMap<ObjectId, u32>,
    /// How many numbers there are.
    most_numbers: u64,
    thread_local_contents: HashMap<GlobalId, Content>,
    pub(super) growth: Growth,
}

/// How many objects addresses can tell apart.
fn most_numbers(program: &Program) -> u64 {
    1 << (8 * program.target.pointer_bytes as u32 - crate::offset_bits(program))
}

impl Index<ObjectId> for Objects {
    type Output = Object;

    fn index(&self, object: ObjectId) -> &Object {
        &self.objects[object]
    }
}

impl Objects {
    /// Those that there are before anything is executed.
    pub(super) fn of(program: &Program) -> Objects {
        let mut objects = Objects {
            frames: PrimaryMap::new(),
            frame_ids: HashMap::new(),
            objects: PrimaryMap::new(),
            object_ids: HashMap::new(),
            numbered: Vec::new(),
            numbers: HashMap::new(),
            most_numbers: most_numbers(program),
            thread_local_contents: HashMap::new(),
            growth: Growth::default(),
        };
        let null = objects.make(ObjectKey::Null, || {
            Object::constant(ObjectKey::Null, "null")
        });
        objects.number(null);
        // Variables first, constants last: small numbers need few bits.
        for is_constant in [false, true] {
            for (id, global) in program.globals.iter() {
                if global.is_constant == is_constant && !global.is_thread_local {
                    let key = ObjectKey::Global(id);
                    let object = objects.make(key.clone(), || Object {
                        key,
                        size: global.bytes,
                        name: global_name(global),
                        is_constant,
                        owner: MAIN,
                        starts_as: Content::Zero,
                    });
                    objects.number(object);
                }
            }
        }
        for (id, global) in program.globals.iter() {
            let content = objects.initial_content(program, global);
            if global.is_thread_local {
                objects.thread_local_contents.insert(id, content);
            } else {
                let object = objects.global(id);
                objects.objects[object].starts_as = content;
            }
        }
        objects
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

    pub(crate) fn global(&mut self, global: GlobalId) -> ObjectId {
        let key = ObjectKey::Global(global);
        self.make(key.clone(), || Object::constant(key, "a global variable"))
    }

    pub(crate) fn thread_local(
        &mut self,
        program: &Program,
        thread: ThreadId,
        global: GlobalId,
    ) -> ObjectId {
        let key = ObjectKey::ThreadLocal(thread, global);
        let data = &program.globals[global];
        let content = self.thread_local_contents.get(&global).cloned();
        self.make(key.clone(), || Object {
            key,
            size: data.bytes,
            name: global_name(data),
            is_constant: false,
            owner: thread,
            starts_as: content.unwrap_or(Content::Zero),
        })
    }

    pub(crate) fn function(&mut self, program: &Program, function: FunctionId) -> ObjectId {
        let key = ObjectKey::Function(function);
        let name = &program.functions[function].name;
        self.make(key.clone(), || Object::constant(key, name))
    }

    pub(crate) fn label(&mut self, function: FunctionId, block: ir::BlockId) -> ObjectId {
        let key = ObjectKey::Label(function, block);
        self.make(key.clone(), || Object::constant(key, "a label"))
    }

    /// All objects that have addresses, by their numbers in these.
    pub(crate) fn numbered_objects(&self) -> impl Iterator<Item = (u32, ObjectId)> {
        (0..).zip(self.numbered.iter().copied())
    }

    /// The object of a number, if there is one.
    pub(crate) fn numbered(&self, number: u128) -> Option<ObjectId> {
        let number = u64::try_from(number).ok()?;
        match number.checked_sub(self.most_numbers) {
            Some(id) => {
                let object = ObjectId::from_u32(u32::try_from(id).ok()?);
                self.objects.is_valid(object).then_some(object)
            }
            None => self.numbered.get(usize::try_from(number).ok()?).copied(),
        }
    }

    /// The number of an object in addresses. Objects that nobody can point to need
    /// none, and in words of 32 bits there are few of them.
    pub(crate) fn number(&mut self, object: ObjectId) -> u32 {
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
    pub(crate) fn private_number(&self, object: ObjectId) -> u128 {
        u128::from(self.most_numbers) + u128::from(object.as_u32())
    }

    /// Whether there are more objects than numbers.
    pub(crate) fn has_run_out(&self) -> bool {
        self.numbered.len() as u64 > self.most_numbers
    }

    pub(crate) fn find(&self, key: &ObjectKey) -> Option<ObjectId> {
        self.object_ids.get(key).copied()
    }

    pub(crate) fn frame(&mut self, key: FrameKey) -> FrameId {
        if let Some(id) = self.frame_ids.get(&key) {
            return *id;
        }
        let id = self.frames.push(key.clone());
        self.frame_ids.insert(key, id);
        id
    }

    /// The object of that name, made if there is none.
    pub(crate) fn make(&mut self, key: ObjectKey, make: impl FnOnce() -> Object) -> ObjectId {
        if let Some(id) = self.object_ids.get(&key) {
            return *id;
        }
        let id = self.objects.push(make());
        self.object_ids.insert(key, id);
        id
    }

    /// Says what an object holds before anybody writes to it; the same in all passes.
    pub(crate) fn set_start(&mut self, object: ObjectId, content: Content) {
        self.objects[object].starts_as = content;
    }

    /// Takes note that an object is new, although somebody may have looked for it
    /// already.
    pub(crate) fn note_news(&mut self) {
        self.growth.note(true);
    }

    /// An object is made anew, perhaps with another size than in the passes before.
    pub(crate) fn enlarge(&mut self, object: ObjectId, size: u64) {
        let data = &mut self.objects[object];
        if data.size < size {
            data.size = size;
            self.growth.note(true);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects.iter()
    }

    /// What an execution of a function is.
    pub(crate) fn frame_key(&self, frame: FrameId) -> &FrameKey {
        &self.frames[frame]
    }

    /// The object itself, or what a shadow belongs to.
    fn base(&self, object: ObjectId) -> &Object {
        match self.objects[object].key {
            ObjectKey::Shadow(base) => &self.objects[base],
            _ => &self.objects[object],
        }
    }

    /// Whether it comes into being during the run.
    pub(crate) fn is_made_on_the_way(&self, object: ObjectId) -> bool {
        self.base(object).is_made_on_the_way()
    }

    /// Whether nobody knows what it holds before it is written.
    pub(crate) fn starts_unknown(&self, object: ObjectId) -> bool {
        matches!(self.base(object).starts_as, Content::Unknown)
    }

    /// Whether nobody has written it when it comes into being. Global variables are
    /// written by whoever defines them.
    pub(crate) fn starts_unwritten(&self, object: ObjectId) -> bool {
        let data = &self.objects[object];
        data.is_made_on_the_way() && matches!(data.starts_as, Content::Unknown)
    }
}
