//! States in parts. A state is a short row of numbers, one for each *slot*: a
//! thread, a synchronisation object, an object that several threads may know, and
//! the rest. Each number stands for a content, which is kept once, however many
//! states have it.
//!
//! Slots are numbered as they are met. A state that was made before some slot was
//! known has the first content there; so numbers at the end of a row that are
//! those first contents are left away, and equal states are equal rows.

use super::contents::{Contents, Copy, Written};
use super::kernel::{read_kernel, write_kernel};
use super::objects::{read_object, read_sync, threads_of, write_object, write_sync};
use super::threads::{Knowledge, OwnedThread, read_thread, write_thread};
use super::words::{Reader, Writer, canonical};
use crate::footprint::Footprint;
use crate::image::Image;
use crate::machine::{Config, Key, Machine};
use crate::memory::Memory;
use crate::object::{Area, Object, ObjectId, Origin};
use crate::open_names::{Known, Name};
use crate::ranges::Ranges;
use crate::sync::{FutexWaiter, Sync, SyncKey, SyncTable};
use crate::thread::Thread;
use cranelift_entity::EntityRef;
use ir::FunctionId;
use std::collections::HashMap;
use std::rc::Rc;

/// What one number of a state is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Rest,
    Thread(usize),
    Sync(SyncKey),
    Object(ObjectId),
    /// The name of an open input.
    Open(Name),
}

pub(super) type SlotIndex = usize;

/// The content of something that is not there.
pub(super) const ABSENT: u32 = 0;
/// The slot of the rest, and that of `main`.
const REST: SlotIndex = 0;

/// Bytes of a thread or an object that was read again, beside its words.
const READ_AGAIN: usize = 400;

/// Takes machines apart and puts them together.
pub(super) struct Components<'a> {
    pub image: &'a Image<'a>,
    pub config: &'a Config,
    pub knowledge: Knowledge<'a>,
    pub footprint: Footprint,
    slots: Vec<Slot>,
    index: HashMap<Slot, SlotIndex>,
    initial: Vec<u32>,
    shared: &'a Contents,
    /// Objects are marked with all but what they hold, and whether they are blocks
    /// that were freed.
    contents: Copy<'a>,
    owned: Vec<Vec<Option<OwnedThread>>>,
    read_objects: HashMap<(SlotIndex, u32), Rc<Object>>,
    read_bytes: usize,
    thread_slots: Vec<SlotIndex>,
    sync_slots: Vec<SlotIndex>,
    open_slots: Vec<(Name, SlotIndex)>,
    memory: Memory,
}

impl<'a> Components<'a> {
    pub(super) fn new(
        image: &'a Image<'a>,
        config: &'a Config,
        knowledge: Knowledge<'a>,
        shared: &'a Contents,
    ) -> Self {
        let footprint = Footprint::watched();
        let mut memory = image.memory.clone();
        memory.footprint = footprint.clone();
        let mut components = Components {
            image,
            config,
            knowledge,
            footprint,
            slots: Vec::new(),
            index: HashMap::new(),
            initial: Vec::new(),
            shared,
            contents: shared.copy(),
            owned: Vec::new(),
            read_objects: HashMap::new(),
            read_bytes: 0,
            thread_slots: Vec::new(),
            sync_slots: Vec::new(),
            open_slots: Vec::new(),
            memory,
        };
        components.refresh();
        components.slot(Slot::Rest);
        components
    }

    pub(super) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn known_slot(&self, slot: Slot) -> Option<SlotIndex> {
        self.index.get(&slot).copied()
    }

    pub(super) fn what(&self, slot: SlotIndex) -> Slot {
        self.slots[slot]
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = (SlotIndex, Slot)> + '_ {
        self.slots.iter().copied().enumerate()
    }

    /// The slot of a thread, if one of this number was ever made.
    pub(super) fn thread_slot(&self, thread: usize) -> Option<SlotIndex> {
        self.thread_slots.get(thread).copied()
    }

    /// The global variable of a slot, if it is one, as it is at first.
    pub(super) fn global(&self, slot: SlotIndex) -> Option<&'a Object> {
        match self.slots[slot] {
            Slot::Object(id) if id.area() == Area::Global => {
                Some(&*self.image.memory.globals[id.slot()])
            }
            _ => None,
        }
    }

    /// The content that a slot has at first.
    pub(super) fn first(&self, slot: SlotIndex) -> u32 {
        self.initial[slot]
    }

    /// The slots of synchronisation objects.
    pub(super) fn sync_slots(&self) -> &[SlotIndex] {
        &self.sync_slots
    }

    /// The threads of a state with their contents.
    pub(super) fn threads(&self, state: &[u32]) -> impl Iterator<Item = (usize, u32)> {
        (0..).map_while(|thread| {
            let content = self.get(state, self.thread_slot(thread)?);
            (content != ABSENT).then_some((thread, content))
        })
    }

    pub(super) fn slot(&mut self, slot: Slot) -> SlotIndex {
        if let Some(index) = self.index.get(&slot) {
            return *index;
        }
        let initial = match slot {
            Slot::Object(id) if id.area() == Area::Global => {
                let object = self.image.memory.globals[id.slot()].clone();
                let memory = self.memory.clone();
                self.object_number(&memory, id, &object)
            }
            _ => ABSENT,
        };
        // Others may have met it meanwhile.
        let shared = self.shared;
        let mut all = shared.slots();
        self.learn_slots(&all);
        if let Some(index) = self.index.get(&slot) {
            return *index;
        }
        all.push((slot, initial));
        self.learn_slots(&all);
        self.slots.len() - 1
    }

    fn learn_slots(&mut self, all: &[(Slot, u32)]) {
        for (slot, initial) in &all[self.slots.len()..] {
            let index = self.slots.len();
            self.slots.push(*slot);
            self.index.insert(*slot, index);
            self.initial.push(*initial);
            if let Slot::Sync(_) = slot {
                self.sync_slots.push(index);
            }
            if let Slot::Open(name) = slot {
                self.open_slots.push((*name, index));
            }
            if let Slot::Thread(thread) = slot {
                assert_eq!(*thread, self.thread_slots.len(), "threads come one by one");
                self.thread_slots.push(index);
                self.owned.push(Vec::new());
            }
        }
    }

    /// Learns what others have found meanwhile.
    pub(super) fn refresh(&mut self) {
        let shared = self.shared;
        self.learn_slots(&shared.slots());
        self.contents.refresh();
    }

    /// Memory for what was read again of contents, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.contents.bytes() + self.read_bytes
    }

    pub(super) fn header(&self, content: u32) -> u32 {
        self.contents.objects.get(content).mark >> 1
    }

    /// The threads that hold or wait for a synchronisation object of this content.
    pub(super) fn holders(&self, content: u32) -> &[usize] {
        &self.contents.syncs.get(content).names
    }

    /// By what contents of threads are put in order.
    pub(super) fn rank(&self, content: u32) -> u64 {
        self.contents.threads.get(content).fingerprint
    }

    /// The threads whose objects the content of a slot may know.
    pub(super) fn named_in(&self, slot: SlotIndex, content: u32) -> &[usize] {
        let known = match self.slots[slot] {
            Slot::Rest => &self.contents.rests,
            Slot::Thread(_) => &self.contents.threads,
            Slot::Object(_) => &self.contents.objects,
            Slot::Sync(_) | Slot::Open(_) => return &[],
        };
        &known.get(content).names
    }

    /// The names of open inputs that the content of a slot has.
    fn opens_in(&self, slot: SlotIndex, content: u32) -> u32 {
        let known = match self.slots[slot] {
            Slot::Rest => &self.contents.rests,
            Slot::Thread(_) => &self.contents.threads,
            Slot::Object(_) => &self.contents.objects,
            Slot::Open(_) => &self.contents.opens,
            Slot::Sync(_) => return 0,
        };
        known.get(content).opens
    }

    /// The names of open inputs in a state.
    pub(super) fn open_names(&self, state: &[u32]) -> u32 {
        let slots = self.open_slots.iter();
        let present = slots.filter(|(_, slot)| self.get(state, *slot) != ABSENT);
        present.fold(0, |names, (name, _)| names | 1 << name)
    }

    /// Forgets the names that nobody has any more.
    pub(super) fn forget_names(&self, state: &mut Vec<u32>) {
        loop {
            let present = self.open_names(state);
            if present == 0 {
                return;
            }
            let slots = state.iter().enumerate();
            let used = slots.fold(0, |names, (slot, content)| {
                names | self.opens_in(slot, *content)
            });
            if present & !used == 0 {
                return;
            }
            for (name, slot) in &self.open_slots {
                if used >> name & 1 == 0 {
                    self.set(state, *slot, ABSENT);
                }
            }
            self.trim(state);
        }
    }

    /// The thread to which the object of a slot belongs.
    pub(super) fn owner(&self, slot: SlotIndex) -> Option<usize> {
        let (Slot::Object(id) | Slot::Sync((id, _))) = self.slots[slot] else {
            return None;
        };
        (id.area() != Area::Global).then(|| id.thread())
    }

    pub(super) fn is_freed_block(&self, slot: SlotIndex, content: u32) -> bool {
        matches!(self.slots[slot], Slot::Object(_))
            && self.contents.objects.get(content).mark & 1 != 0
    }

    // From machines to numbers.

    fn object_number(&mut self, memory: &Memory, id: ObjectId, object: &Object) -> u32 {
        let mut writer = Writer::new(memory, None);
        let header = write_object(&mut writer, id, object);
        let contents = &mut self.contents;
        let headers = &mut contents.headers;
        let head = Written {
            words: &writer.words[..header],
            ..Written::default()
        };
        let mark = || headers.number(&head) << 1 | u32::from(is_freed(object));
        (contents.objects).marked_number(&writer.written(), mark)
    }

    fn thread_number(&mut self, machine: &Machine, id: usize) -> u32 {
        let mut writer = Writer::new(&machine.memory, Some(id));
        write_thread(machine, &mut self.knowledge, id, &mut writer);
        self.contents.threads.number(&writer.written())
    }

    fn sync_number(&mut self, memory: &Memory, sync: &Sync) -> u32 {
        let mut writer = Writer::new(memory, None);
        write_sync(&mut writer, sync);
        let names = &threads_of(sync)[..];
        let written = Written {
            names,
            ..writer.written()
        };
        self.contents.syncs.number(&written)
    }

    pub(super) fn number_of_sync(&mut self, sync: &Sync) -> u32 {
        let memory = self.memory.clone();
        self.sync_number(&memory, sync)
    }

    fn rest_number(&mut self, machine: &Machine) -> u32 {
        let mut writer = Writer::new(&machine.memory, None);
        writer.word(machine.memory.overflow_next);
        writer.flag(machine.depends_on_unknown());
        if machine.depends_on_unknown() {
            let unknown = &self.shared.unknown;
            unknown.get_or_init(|| machine.unknown_calls.clone());
        }
        writer.word(machine.keys.len() as u64);
        for key in &machine.keys {
            writer.word(key.destructor.map_or(0, |f| f.index() as u64 + 1));
            writer.flag(key.is_alive);
        }
        writer.word(machine.at_exit.len() as u64);
        for (function, argument) in &machine.at_exit {
            writer.word(function.index() as u64);
            writer.flag(argument.is_some());
            if let Some(argument) = argument {
                writer.value(argument);
            }
        }
        writer.word(machine.futex_waiters.len() as u64);
        for waiter in &machine.futex_waiters {
            writer.word(waiter.thread as u64);
            writer.sync_key(waiter.place);
            writer.word(u64::from(waiter.bits));
            // Whoever is listed here has a name that matters.
            writer.named.push(waiter.thread);
        }
        write_kernel(&mut writer, &machine.kernel);
        self.contents.rests.number(&writer.written())
    }

    fn open_number(&mut self, memory: &Memory, known: &Known) -> u32 {
        let mut writer = Writer::new(memory, None);
        match known {
            Known::Among(width, numbers) => {
                writer.word(0);
                writer.word(u64::from(*width));
                for (from, to) in numbers.iter() {
                    writer.word(from);
                    writer.word(to);
                }
            }
            Known::Extended(of, to) => {
                writer.word(1);
                writer.word(u64::from(*of));
                writer.word(u64::from(*to));
                writer.open_name(*of);
            }
        }
        self.contents.opens.number(&writer.written())
    }

    fn open_known(&self, number: u32) -> Known {
        let words = &self.contents.opens.get(number).words;
        match words[..] {
            [0, width, ref numbers @ ..] => {
                let pairs = numbers.chunks_exact(2).map(|pair| (pair[0], pair[1]));
                Known::Among(width as u32, Ranges::of(pairs))
            }
            [_, of, to] => Known::Extended(of as Name, to as u32),
            _ => Known::Among(0, Ranges::of([])),
        }
    }

    /// The whole state of a machine.
    pub(super) fn state(&mut self, machine: &Machine) -> Vec<u32> {
        let mut state = Vec::new();
        let mut set = |components: &Self, slot: SlotIndex, number: u32| {
            components.set(&mut state, slot, number);
        };
        let rest = self.rest_number(machine);
        set(self, REST, rest);
        for id in 0..machine.threads.len() {
            let number = self.thread_number(machine, id);
            let slot = self.slot(Slot::Thread(id));
            set(self, slot, number);
        }
        for (id, object) in shared_objects(&machine.memory) {
            let id = canonical(&machine.memory, id);
            let is_global = id.area() == Area::Global;
            let original = is_global.then(|| &self.image.memory.globals[id.slot()]);
            if original.is_some_and(|original| Rc::ptr_eq(original, object))
                && self.known_slot(Slot::Object(id)).is_none()
            {
                continue;
            }
            let number = self.object_number(&machine.memory, id, object);
            let slot = self.slot(Slot::Object(id));
            set(self, slot, number);
        }
        for ((object, offset), sync) in machine.sync.iter() {
            let key = (canonical(&machine.memory, object), offset);
            let number = self.sync_number(&machine.memory, sync);
            let slot = self.slot(Slot::Sync(key));
            set(self, slot, number);
        }
        for (name, known) in machine.open_names.iter() {
            let number = self.open_number(&machine.memory, known);
            let slot = self.slot(Slot::Open(name));
            set(self, slot, number);
        }
        self.trim(&mut state);
        state
    }

    /// Sets the content of a slot.
    pub(super) fn set(&self, state: &mut Vec<u32>, slot: SlotIndex, number: u32) {
        while state.len() <= slot {
            state.push(self.initial[state.len()]);
        }
        state[slot] = number;
    }

    pub(super) fn get(&self, state: &[u32], slot: SlotIndex) -> u32 {
        state.get(slot).copied().unwrap_or(self.initial[slot])
    }

    /// Leaves away what is said anyway.
    pub(super) fn trim(&self, state: &mut Vec<u32>) {
        while let Some(last) = state.last()
            && *last == self.initial[state.len() - 1]
        {
            state.pop();
        }
    }

    /// What a step has changed, as slots with their new contents. False beside them
    /// if the step has ended locals that others may know: then contents change
    /// that hold their addresses, and all of them are among the changes.
    pub(super) fn changes(
        &mut self,
        state: &[u32],
        before: &Machine,
        after: &Machine,
    ) -> (Vec<(SlotIndex, u32)>, bool) {
        if ends_known_locals(before, after) {
            let new = self.state(after);
            let count = self.slot_count();
            let slots = 0..count;
            let changed = slots.filter(|slot| self.get(state, *slot) != self.get(&new, *slot));
            return (
                changed.map(|slot| (slot, self.get(&new, slot))).collect(),
                false,
            );
        }
        let mut changes = Vec::new();
        let rest = self.rest_number(after);
        changes.push((REST, rest));
        for (id, thread) in after.threads.iter().enumerate() {
            let is_same = before.threads.get(id).is_some_and(|old| {
                Rc::ptr_eq(old, thread)
                    && Rc::ptr_eq(&before.memory.arenas[id], &after.memory.arenas[id])
            });
            if !is_same {
                let number = self.thread_number(after, id);
                changes.push((self.slot(Slot::Thread(id)), number));
            }
        }
        for (id, object) in changed_objects(&before.memory, &after.memory) {
            let id = canonical(&after.memory, id);
            let number = self.object_number(&after.memory, id, object);
            changes.push((self.slot(Slot::Object(id)), number));
        }
        for ((object, offset), sync) in after.sync.iter() {
            if before.sync.peek((object, offset)) != Some(sync) {
                let key = (canonical(&after.memory, object), offset);
                let number = self.sync_number(&after.memory, sync);
                changes.push((self.slot(Slot::Sync(key)), number));
            }
        }
        for ((object, offset), _) in before.sync.iter() {
            if after.sync.peek((object, offset)).is_none() {
                let key = (canonical(&before.memory, object), offset);
                changes.push((self.slot(Slot::Sync(key)), ABSENT));
            }
        }
        self.add_names(before, after, &mut changes);
        changes.retain(|(slot, number)| self.get(state, *slot) != *number);
        (changes, true)
    }

    /// Adds what has become known of open inputs. Names that are new and that nobody has
    /// by now are none.
    fn add_names(
        &mut self,
        before: &Machine,
        after: &Machine,
        changes: &mut Vec<(SlotIndex, u32)>,
    ) {
        loop {
            let contents = changes.iter();
            let used = contents.fold(0, |names, (slot, content)| {
                names | self.opens_in(*slot, *content)
            });
            let count = changes.len();
            for (name, known) in after.open_names.iter() {
                let old = before.open_names.get(name);
                let is_same = old.is_some_and(|old| old == known);
                if is_same || old.is_none() && used >> name & 1 == 0 {
                    continue;
                }
                let number = self.open_number(&after.memory, known);
                let change = (self.slot(Slot::Open(name)), number);
                if !changes.contains(&change) {
                    changes.push(change);
                }
            }
            // One may be known by another.
            if changes.len() == count {
                return;
            }
        }
    }

    // From numbers to machines.

    pub(super) fn owned(&mut self, thread: usize, number: u32) -> &OwnedThread {
        let known = &mut self.owned[thread];
        if known.len() <= number as usize {
            let more = number as usize + 1 - known.len();
            self.read_bytes += more * size_of::<Option<OwnedThread>>();
            known.resize_with(number as usize + 1, || None);
        }
        let words = &self.contents.threads.get(number).words;
        let read = &mut self.read_bytes;
        known[number as usize].get_or_insert_with(|| {
            *read += READ_AGAIN + 8 * words.len();
            read_thread(words, thread, self.image, &self.memory)
        })
    }

    fn object(&mut self, slot: SlotIndex, id: ObjectId, number: u32) -> Rc<Object> {
        let words = &self.contents.objects.get(number).words;
        let memory = &self.memory;
        let read = &mut self.read_bytes;
        let object = self.read_objects.entry((slot, number)).or_insert_with(|| {
            let bases = |thread: usize| memory.arena_base(thread);
            *read += READ_AGAIN + 8 * words.len();
            let reader = &mut Reader::new(words, usize::MAX, &bases);
            Rc::new(read_object(reader, id, memory.pointer_bytes))
        });
        object.clone()
    }

    pub(super) fn sync(&self, number: u32) -> Option<Sync> {
        if number == ABSENT {
            return None;
        }
        let words = &self.contents.syncs.get(number).words;
        let bases = |_: usize| 0;
        Some(read_sync(&mut Reader::new(words, usize::MAX, &bases)))
    }

    /// A machine in a state.
    pub(super) fn machine(&mut self, state: &[u32]) -> Machine<'a> {
        let mut memory = self.memory.clone();
        let mut threads: Vec<Rc<Thread>> = Vec::new();
        let mut sync = SyncTable::default();
        for thread in 0..self.thread_slots.len() {
            let number = self.get(state, self.thread_slots[thread]);
            if number == ABSENT {
                break;
            }
            let owned = self.owned(thread, number).clone();
            memory.live_bytes += owned.live_bytes;
            memory.arenas.push(owned.arena);
            threads.push(owned.thread);
            for id in owned.shared {
                let Some(slot) = self.known_slot(Slot::Object(id)) else {
                    continue;
                };
                let object = self.object(slot, id, self.get(state, slot));
                memory.live_bytes += if object.is_alive { object.size } else { 0 };
                let arena = Rc::make_mut(&mut memory.arenas[thread]);
                match id.area() {
                    Area::Stack => arena.stack[id.slot()] = object,
                    _ => arena.heap[id.slot()] = object,
                }
            }
        }
        for (slot, number) in state.iter().copied().enumerate() {
            match self.slots[slot] {
                Slot::Object(id) if id.area() == Area::Global && number != self.initial[slot] => {
                    memory.globals[id.slot()] = self.object(slot, id, number);
                }
                Slot::Sync(key) => {
                    if let Some(content) = self.sync(number) {
                        sync.set(key, content);
                    }
                }
                _ => {}
            }
        }
        sync.footprint = self.footprint.clone();
        let footprint = self.footprint.clone();
        let rest = self.get(state, REST);
        let (image, config) = (self.image, self.config);
        let mut machine = Machine::assemble(image, config, memory, threads, sync, footprint);
        self.read_rest(&mut machine, rest);
        for (name, slot) in &self.open_slots {
            let number = self.get(state, *slot);
            if number != ABSENT {
                let known = Rc::new(self.open_known(number));
                machine.open_names.set(*name, known);
            }
        }
        machine
    }

    fn read_rest(&self, machine: &mut Machine<'a>, number: u32) {
        let words = &self.contents.rests.get(number).words;
        let memory = &self.memory;
        let bases = |thread: usize| memory.arena_base(thread);
        let reader = &mut Reader::new(words, usize::MAX, &bases);
        machine.memory.overflow_next = reader.word();
        if reader.flag() {
            machine.unknown_calls = self.shared.unknown.get().cloned().unwrap_or_default();
        }
        for _ in 0..reader.number() {
            let destructor = reader.number().checked_sub(1).map(FunctionId::new);
            let is_alive = reader.flag();
            machine.keys.push(Key {
                destructor,
                is_alive,
            });
        }
        for _ in 0..reader.number() {
            let function = FunctionId::new(reader.number());
            let has_argument = reader.flag();
            let argument = has_argument.then(|| reader.value());
            machine.at_exit.push((function, argument));
        }
        for _ in 0..reader.number() {
            let thread = reader.number();
            let (place, bits) = (reader.sync_key(), reader.small());
            machine.futex_waiters.extend(place.map(|place| FutexWaiter {
                thread,
                place,
                bits,
            }));
        }
        machine.kernel = read_kernel(reader);
    }

    /// Whether a state has freed blocks whose addresses may be used again.
    pub(super) fn has_freed_blocks(&mut self, state: &[u32]) -> bool {
        let slots = 0..state.len();
        if slots
            .into_iter()
            .any(|slot| self.is_freed_block(slot, state[slot]))
        {
            return true;
        }
        for thread in 0..self.thread_slots.len() {
            let number = self.get(state, self.thread_slots[thread]);
            if number != ABSENT {
                let arena = &self.owned(thread, number).arena;
                if arena.heap.iter().any(|object| is_freed(object)) {
                    return true;
                }
            }
        }
        false
    }
}

/// It is a block whose address may be used again.
pub(super) fn is_freed(object: &Object) -> bool {
    !object.is_alive && matches!(object.origin, Origin::Heap(_))
}

/// All objects that are slots of their own.
fn shared_objects(memory: &Memory) -> impl Iterator<Item = (ObjectId, &Rc<Object>)> {
    let globals = memory.globals.iter().enumerate();
    let globals = globals
        .filter(|(_, object)| !object.is_constant)
        .map(|(slot, object)| (ObjectId::new(0xfff, Area::Global, slot, 0), object));
    let owned = memory.arenas.iter().enumerate();
    globals.chain(owned.flat_map(|(thread, arena)| {
        let stack = arena.stack.iter().zip(&arena.generations).enumerate();
        let stack = stack.map(move |(slot, (object, generation))| {
            let id = ObjectId::new(thread, Area::Stack, slot, *generation);
            (id, object)
        });
        let heap = arena.heap.iter().enumerate();
        let heap = heap.map(move |(slot, object)| {
            let id = ObjectId::new(thread, Area::Heap, slot, 1);
            (id, object)
        });
        stack.chain(heap).filter(|(_, object)| object.is_shared)
    }))
}

pub(super) fn changed_objects<'m>(
    before: &'m Memory,
    after: &'m Memory,
) -> impl Iterator<Item = (ObjectId, &'m Rc<Object>)> {
    shared_objects(after).filter(|(id, object)| {
        let slot = id.slot();
        let old = match id.area() {
            Area::Global => before.globals.get(slot),
            Area::Stack => before
                .arenas
                .get(id.thread())
                .and_then(|a| a.stack.get(slot)),
            Area::Heap => before
                .arenas
                .get(id.thread())
                .and_then(|a| a.heap.get(slot)),
        };
        !old.is_some_and(|old| Rc::ptr_eq(old, object))
    })
}

/// Whether locals are gone that others may know.
pub(super) fn ends_known_locals(before: &Machine, after: &Machine) -> bool {
    let arenas = before.memory.arenas.iter().zip(&after.memory.arenas);
    let mut changed = arenas.filter(|(old, new)| !Rc::ptr_eq(old, new));
    changed.any(|(old, new)| {
        old.stack.iter().enumerate().any(|(slot, object)| {
            let is_same = slot < new.stack.len() && old.generations[slot] == new.generations[slot];
            object.is_shared && !is_same
        })
    })
}
