//! Memory as C sees it: separate objects with exact sizes, lives that begin and
//! end, and bytes that may not have been initialised yet.
//!
//! Every object has an address, but a pointer also remembers which object it was
//! derived from; accesses are checked against that object, so that running past
//! the end of one object into the next is always noticed, wherever they lie.
//!
//! Objects are named by the thread that made them and by their place in that
//! thread's stack or heap. Names and addresses therefore do not depend on how
//! the threads interleave, which lets equal states be recognised as equal.
//!
//! This module does not know threads' code, what is a violation, or what is a
//! visible step; it answers questions and reports faults.

use crate::fingerprint::Fingerprint;
use crate::footprint::{Footprint, Look};
use crate::object::{Area, Object, SLOT_BITS, Uninitialised};
pub(crate) use crate::object::{ObjectId, Origin};
use crate::value::{Pointer, Value};
use ir::{FunctionId, InstId, SourceTypeId, Type};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::rc::Rc;

/// Why an access is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessFault {
    Null,
    /// The address belongs to no object.
    Wild,
    OutOfBounds {
        object: ObjectId,
        offset: i64,
    },
    /// The object has been freed.
    Freed {
        object: ObjectId,
    },
    /// The object was a local of a function that has returned.
    OutOfScope {
        object: ObjectId,
    },
    /// A write to a constant or to code.
    ReadOnly,
}

/// One thread's stack and heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    pub stack: Vec<Rc<Object>>,
    /// How often each stack slot has been used.
    pub generations: Vec<u32>,
    pub stack_next: u64,
    pub heap: Vec<Rc<Object>>,
    pub heap_next: u64,
}

/// Where things lie. Arenas are spaced so that small programs never meet the
/// overflow region, which is handed out in order of need.
#[derive(Clone, Copy, Debug)]
struct AddressMap {
    code: u64,
    globals: u64,
    arenas: u64,
    arena_size: u64,
    arena_count: usize,
    overflow: u64,
    end: u64,
}

impl AddressMap {
    fn new(pointer_bytes: u64) -> Self {
        if pointer_bytes == 4 {
            AddressMap {
                code: 0x0001_0000,
                globals: 0x0080_0000,
                arenas: 0x4000_0000,
                arena_size: 0x0040_0000,
                arena_count: 256,
                overflow: 0x8000_0000,
                end: 0xffff_0000,
            }
        } else {
            AddressMap {
                code: 0x0001_0000,
                globals: 0x1000_0000,
                arenas: 0x1000_0000_0000,
                arena_size: 0x4_0000_0000,
                arena_count: MAX_THREADS,
                overflow: 0x6000_0000_0000,
                end: 0x7fff_0000_0000,
            }
        }
    }
}

/// The most threads one run may create.
pub(crate) const MAX_THREADS: usize = 4000;
/// Objects above this size do not go into an arena.
const LARGE: u64 = 1 << 16;
/// Unused bytes between neighbouring objects, and before the first: not even that one
/// is at a rounder address than was asked for.
const GAP: u64 = 16;

/// An allocation that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

#[derive(Clone, Debug)]
pub struct Memory {
    pub pointer_bytes: u64,
    /// Keep track of the bits that were never written.
    pub(crate) has_shadows: bool,
    /// Such bits are those of inputs that are left open: whoever reads them without
    /// regard to it is told of.
    pub(crate) is_open: bool,
    pub(crate) globals: Vec<Rc<Object>>,
    globals_next: u64,
    pub(crate) arenas: Vec<Rc<Arena>>,
    map: AddressMap,
    pub(crate) overflow_next: u64,
    /// Sum of the sizes of live objects.
    pub(crate) live_bytes: u64,
    limit: u64,
    pub(crate) footprint: Footprint,
}

impl Memory {
    pub fn new(pointer_bytes: u64, limit: u64) -> Self {
        let map = AddressMap::new(pointer_bytes);
        Memory {
            pointer_bytes,
            has_shadows: false,
            is_open: false,
            globals: Vec::new(),
            globals_next: map.globals + GAP,
            arenas: Vec::new(),
            map,
            overflow_next: map.overflow,
            live_bytes: 0,
            limit,
            footprint: Footprint::default(),
        }
    }

    /// The address of a function or label; they take 16 bytes each.
    pub fn code_address(&self, index: usize) -> u64 {
        self.map.code + 16 * index as u64
    }

    pub fn code_index(&self, address: u64) -> Option<usize> {
        let offset = address.checked_sub(self.map.code)?;
        (address < self.map.globals && offset % 16 == 0).then_some((offset / 16) as usize)
    }

    /// Where a thread's part of the address space begins.
    pub(crate) fn arena_base(&self, thread: usize) -> u64 {
        self.map.arenas + thread as u64 * self.map.arena_size
    }

    pub fn add_thread(&mut self) {
        let thread = self.arenas.len();
        let base = self.arena_base(thread);
        self.arenas.push(Rc::new(Arena {
            stack_next: base + GAP,
            heap_next: base + self.map.arena_size / 4 + GAP,
            ..Arena::default()
        }));
    }

    fn reserve(&mut self, size: u64) -> Result<(), OutOfMemory> {
        let total = self.live_bytes.checked_add(size).ok_or(OutOfMemory)?;
        // Near the limit, it matters what everybody else has.
        if total > self.limit / 2 {
            self.footprint.note(Look::Everything);
        }
        if total > self.limit {
            return Err(OutOfMemory);
        }
        self.live_bytes = total;
        Ok(())
    }

    fn bump(next: u64, size: u64, align: u64) -> Option<(u64, u64)> {
        let base = next.checked_next_multiple_of(align.max(1))?;
        let after = base.checked_add(size)?.checked_add(GAP)?;
        Some((base, after))
    }

    fn overflow_address(&mut self, size: u64, align: u64) -> Result<u64, OutOfMemory> {
        self.footprint.note(Look::Rest);
        let (base, next) = Self::bump(self.overflow_next, size, align).ok_or(OutOfMemory)?;
        if next > self.map.end {
            return Err(OutOfMemory);
        }
        self.overflow_next = next;
        Ok(base)
    }

    pub fn add_global(
        &mut self,
        origin: Origin,
        size: u64,
        align: u64,
    ) -> Result<ObjectId, OutOfMemory> {
        self.reserve(size)?;
        let id = ObjectId::new(0xfff, Area::Global, self.globals.len(), 0);
        let base = match Self::bump(self.globals_next, size, align.max(16)) {
            Some((base, next)) if next <= self.map.arenas => {
                self.globals_next = next;
                base
            }
            _ => self.overflow_address(size, align.max(16))?,
        };
        let object = Object::new(origin, base, size, true);
        self.globals.push(Rc::new(object));
        Ok(id)
    }

    pub fn push_local(
        &mut self,
        thread: usize,
        origin: Origin,
        size: u64,
        align: u64,
    ) -> Result<ObjectId, OutOfMemory> {
        self.reserve(size)?;
        let arena_end =
            self.map.arenas + thread as u64 * self.map.arena_size + self.map.arena_size / 4;
        let place = Self::bump(self.arenas[thread].stack_next, size, align).filter(|(_, next)| {
            thread < self.map.arena_count && size < LARGE && *next <= arena_end
        });
        let base = match place {
            Some((base, _)) => base,
            None => self.overflow_address(size, align)?,
        };
        let mut object = Object::new(origin, base, size, false);
        if self.has_shadows {
            object.shadow_all();
        }
        let arena = Rc::make_mut(&mut self.arenas[thread]);
        if let Some((_, next)) = place {
            arena.stack_next = next;
        }
        let slot = arena.stack.len();
        if slot >= 1 << SLOT_BITS {
            return Err(OutOfMemory);
        }
        if arena.generations.len() == slot {
            arena.generations.push(0);
        }
        arena.generations[slot] += 1;
        let generation = arena.generations[slot];
        arena.stack.push(Rc::new(object));
        Ok(ObjectId::new(thread, Area::Stack, slot, generation))
    }

    /// The address of the last local that a thread has made with an instruction.
    pub fn innermost_local(
        &self,
        thread: usize,
        function: FunctionId,
        inst: InstId,
    ) -> Option<u64> {
        let is_it = |object: &&Rc<Object>| object.origin == Origin::Local(function, inst);
        let stack = &self.arenas.get(thread)?.stack;
        Some(stack.iter().rev().find(is_it)?.base)
    }

    /// How many locals a thread has now; see [`Memory::pop_locals`].
    pub fn stack_mark(&self, thread: usize) -> usize {
        self.arenas[thread].stack.len()
    }

    /// Those made since the mark was taken whose addresses others may know.
    pub fn shared_locals(&self, thread: usize, mark: usize) -> impl Iterator<Item = ObjectId> {
        let arena = &self.arenas[thread];
        let locals = arena.stack.iter().zip(&arena.generations).enumerate();
        let shared = locals
            .skip(mark)
            .filter(|(_, (object, _))| object.is_shared);
        shared.map(move |(slot, (_, generation))| {
            ObjectId::new(thread, Area::Stack, slot, *generation)
        })
    }

    /// Ends the lives of all locals made since the mark was taken.
    pub fn pop_locals(&mut self, thread: usize, mark: usize) {
        if self.arenas[thread].stack.len() <= mark {
            return;
        }
        let arena = Rc::make_mut(&mut self.arenas[thread]);
        let first = &arena.stack[mark];
        let in_arena = |base: u64| base < self.map.overflow;
        if in_arena(first.base) {
            arena.stack_next = first.base;
        } else if let Some(object) = arena.stack[mark..].iter().find(|o| in_arena(o.base)) {
            arena.stack_next = object.base;
        }
        for object in arena.stack.drain(mark..).rev() {
            self.live_bytes -= object.size;
            if !in_arena(object.base) {
                self.footprint.note(Look::Rest);
            }
            if object.base + object.size + GAP == self.overflow_next {
                self.overflow_next = object.base;
            }
        }
    }

    pub fn add_heap(
        &mut self,
        thread: usize,
        origin: Origin,
        size: u64,
        align: u64,
        initialised: bool,
        reuse: Option<ObjectId>,
    ) -> Result<ObjectId, OutOfMemory> {
        self.reserve(size)?;
        let arena_end = self.map.arenas + (thread as u64 + 1) * self.map.arena_size;
        let reused = reuse.and_then(|id| self.header(id)).map(|o| o.base);
        let bumped =
            Self::bump(self.arenas[thread].heap_next, size, align.max(16)).filter(|(_, next)| {
                thread < self.map.arena_count && size < LARGE && *next <= arena_end
            });
        let base = match (reused, bumped) {
            (Some(base), _) => base,
            (None, Some((base, next))) => {
                Rc::make_mut(&mut self.arenas[thread]).heap_next = next;
                base
            }
            (None, None) => self.overflow_address(size, align.max(16))?,
        };
        let mut object = Object::new(origin, base, size, initialised);
        if self.has_shadows && !initialised {
            object.shadow_all();
        }
        let arena = Rc::make_mut(&mut self.arenas[thread]);
        let slot = arena.heap.len();
        if slot >= 1 << SLOT_BITS {
            return Err(OutOfMemory);
        }
        arena.heap.push(Rc::new(object));
        Ok(ObjectId::new(thread, Area::Heap, slot, 1))
    }

    /// Dead heap objects whose address a new object of this size may get: as
    /// real allocators do, freed blocks of the same size are used again.
    pub fn reusable(&self, size: u64, align: u64) -> Vec<ObjectId> {
        self.footprint.note(Look::FreedBlocks);
        let mut found: Vec<ObjectId> = Vec::new();
        for (thread, arena) in self.arenas.iter().enumerate() {
            for (slot, object) in arena.heap.iter().enumerate() {
                let fits = object.size == size && object.base.is_multiple_of(align.max(1));
                let was_heap = matches!(object.origin, Origin::Heap(_));
                if !object.is_alive && was_heap && fits && self.is_address_free(object.base) {
                    let id = ObjectId::new(thread, Area::Heap, slot, 1);
                    // Of several dead objects at one address, the last stands for all.
                    found.retain(|other| {
                        self.even_dead(*other)
                            .is_some_and(|o| o.base != object.base)
                    });
                    found.push(id);
                }
            }
        }
        found
    }

    fn is_address_free(&self, base: u64) -> bool {
        let mut heaps = self.arenas.iter().flat_map(|arena| &arena.heap);
        !heaps.any(|object| object.is_alive && object.base == base)
    }

    /// Ends the life of a heap object. The caller has checked that it is one.
    pub fn kill_heap(&mut self, id: ObjectId) {
        let pointers = BTreeMap::new();
        if let Some(object) = self.even_dead_mut(id) {
            object.is_alive = false;
            object.bytes = Vec::new();
            object.uninitialised = Uninitialised::None;
            object.shadow = Vec::new();
            object.pointers = pointers;
            let size = object.size;
            self.live_bytes -= size;
        }
    }

    pub fn is_heap(&self, id: ObjectId) -> bool {
        id.area() == Area::Heap
            && self
                .header(id)
                .is_some_and(|object| matches!(object.origin, Origin::Heap(_)))
    }

    /// The object, alive or freed; `None` for locals that are out of scope.
    pub fn even_dead(&self, id: ObjectId) -> Option<&Object> {
        self.footprint.note(Look::Content(id));
        self.peek(id)
    }

    /// The same for those who do not look at its bytes, nor at what it points to.
    pub(crate) fn header(&self, id: ObjectId) -> Option<&Object> {
        self.footprint.note(Look::Header(id));
        self.peek(id)
    }

    /// Whether others may know a live object.
    pub(crate) fn is_shared(&self, id: ObjectId) -> bool {
        self.header(id).is_some_and(|o| o.is_alive && o.is_shared)
    }

    /// The same as [`Memory::even_dead`], for those who do not take part in the run.
    pub(crate) fn peek(&self, id: ObjectId) -> Option<&Object> {
        match id.area() {
            Area::Global => self.globals.get(id.slot()).map(|object| &**object),
            Area::Heap => {
                let arena = self.arenas.get(id.thread())?;
                arena.heap.get(id.slot()).map(|object| &**object)
            }
            Area::Stack => {
                let arena = self.arenas.get(id.thread())?;
                let object = arena.stack.get(id.slot())?;
                let current = ObjectId::new(
                    id.thread(),
                    Area::Stack,
                    id.slot(),
                    arena.generations[id.slot()],
                );
                (current == id).then_some(&**object)
            }
        }
    }

    pub(crate) fn even_dead_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.footprint.note(Look::Content(id));
        let slot = id.slot();
        let object = match id.area() {
            Area::Global => self.globals.get_mut(slot)?,
            Area::Heap => Rc::make_mut(self.arenas.get_mut(id.thread())?)
                .heap
                .get_mut(slot)?,
            Area::Stack => {
                let arena = Rc::make_mut(self.arenas.get_mut(id.thread())?);
                let current = ObjectId::new(
                    id.thread(),
                    Area::Stack,
                    slot,
                    *arena.generations.get(slot)?,
                );
                if current != id {
                    return None;
                }
                arena.stack.get_mut(slot)?
            }
        };
        let object = Rc::make_mut(object);
        object.forget_hash();
        Some(object)
    }

    pub fn get(&self, id: ObjectId) -> Option<&Object> {
        self.even_dead(id).filter(|object| object.is_alive)
    }

    /// The thread that made an object; nobody in particular made the globals.
    pub fn owner(&self, id: ObjectId) -> Option<usize> {
        (id.area() != Area::Global).then_some(id.thread())
    }

    pub fn set_type(&mut self, id: ObjectId, ty: SourceTypeId) {
        if let Some(object) = self.even_dead_mut(id) {
            object.ty = Some(ty);
        }
    }

    pub fn set_constant(&mut self, id: ObjectId) {
        if let Some(object) = self.even_dead_mut(id) {
            object.is_constant = true;
            // Nobody writes it, so nobody needs to wait for a turn to read it.
            object.is_shared = false;
        }
    }

    pub fn pointer(&self, id: ObjectId, offset: u64) -> Pointer {
        let base = self.header(id).map_or(0, |object| object.base);
        Pointer {
            address: self.wrap(base.wrapping_add(offset)),
            object: Some(id),
        }
    }

    /// Cuts an address to the width of the machine's pointers.
    pub fn wrap(&self, address: u64) -> u64 {
        if self.pointer_bytes == 4 {
            address & 0xffff_ffff
        } else {
            address
        }
    }

    /// The offset of a pointer in its object, which may be out of bounds.
    pub fn offset(&self, pointer: Pointer) -> Option<(ObjectId, i64)> {
        let id = pointer.object?;
        let object = self.header(id)?;
        let offset = pointer.address.wrapping_sub(object.base);
        let offset = match self.pointer_bytes {
            4 => i64::from(offset as u32 as i32),
            _ => offset as i64,
        };
        Some((id, offset))
    }

    /// The pointer that an integer stands for: into the live object at that
    /// address, or just past its end.
    pub fn resolve(&self, address: u64) -> Pointer {
        let address = self.wrap(address);
        let hit = |object: &Object| address >= object.base && address - object.base <= object.size;
        let mut found = None;
        let mut consider = |id: ObjectId, object: &Object| {
            if hit(object) && (found.is_none() || object.is_alive) {
                found = Some(id);
            }
        };
        if address >= self.map.globals {
            self.footprint.note(Look::Everything);
            for (slot, object) in self.globals.iter().enumerate() {
                consider(ObjectId::new(0xfff, Area::Global, slot, 0), object);
            }
            for (thread, arena) in self.arenas.iter().enumerate() {
                for (slot, object) in arena.heap.iter().enumerate() {
                    consider(ObjectId::new(thread, Area::Heap, slot, 1), object);
                }
                for (slot, object) in arena.stack.iter().enumerate() {
                    let generation = arena.generations[slot];
                    consider(ObjectId::new(thread, Area::Stack, slot, generation), object);
                }
            }
        }
        Pointer {
            address,
            object: found,
        }
    }

    /// Checks that `len` bytes may be accessed through the pointer.
    pub fn check(
        &self,
        pointer: Pointer,
        len: u64,
        is_write: bool,
    ) -> Result<(ObjectId, u64), AccessFault> {
        let Some(id) = pointer.object else {
            return Err(match pointer.address {
                0..4096 => AccessFault::Null,
                address if address < self.map.globals && is_write => AccessFault::ReadOnly,
                _ => AccessFault::Wild,
            });
        };
        let Some(object) = self.header(id) else {
            return Err(AccessFault::OutOfScope { object: id });
        };
        if !object.is_alive {
            return Err(AccessFault::Freed { object: id });
        }
        let gone = AccessFault::OutOfScope { object: id };
        let (_, offset) = self.offset(pointer).ok_or(gone)?;
        let in_bounds = u64::try_from(offset)
            .ok()
            .and_then(|start| start.checked_add(len))
            .is_some_and(|end| end <= object.size);
        if !in_bounds {
            return Err(AccessFault::OutOfBounds { object: id, offset });
        }
        if is_write && object.is_constant {
            return Err(AccessFault::ReadOnly);
        }
        Ok((id, offset as u64))
    }

    pub fn is_initialised(&self, id: ObjectId, offset: u64, len: u64) -> bool {
        self.get(id)
            .is_none_or(|object| object.is_initialised(offset, len))
    }

    /// Gives the uninitialised bytes of a range the bytes of `fill`.
    pub fn initialise(&mut self, id: ObjectId, offset: u64, fill: &[u8]) {
        if let Some(object) = self.even_dead_mut(id) {
            for (at, byte) in (offset..).zip(fill) {
                if !object.is_initialised(at, 1) {
                    object.bytes[at as usize] = *byte;
                }
            }
            object.mark(offset, fill.len() as u64, false);
        }
    }

    /// The bytes of a checked range.
    pub fn bytes(&self, id: ObjectId, offset: u64, len: u64) -> &[u8] {
        if self.is_open && self.is_shadowed(id, offset, len) {
            self.footprint.note(Look::Open);
        }
        match self.get(id) {
            Some(object) => &object.bytes[offset as usize..(offset + len) as usize],
            None => &[],
        }
    }

    pub fn write_bytes(&mut self, id: ObjectId, offset: u64, bytes: &[u8]) {
        let pointer_bytes = self.pointer_bytes;
        if let Some(object) = self.even_dead_mut(id) {
            let start = offset as usize;
            object.bytes[start..start + bytes.len()].copy_from_slice(bytes);
            object.mark(offset, bytes.len() as u64, false);
            object.clear_shadow(offset, bytes.len() as u64);
            object.forget_pointers(offset, bytes.len() as u64, pointer_bytes);
        }
    }

    /// Reads a value of the given type from a checked range.
    pub fn read(&self, id: ObjectId, offset: u64, ty: &Type) -> Value {
        match ty {
            // Compilers copy atomic pointers as numbers; those still know what they
            // point to.
            Type::Int(width)
                if u64::from(*width) == 8 * self.pointer_bytes
                    && self
                        .get(id)
                        .is_some_and(|o| o.pointers.contains_key(&offset)) =>
            {
                self.read(id, offset, &Type::Pointer)
            }
            Type::Int(width) => {
                let len = u64::from(width.div_ceil(8));
                let mut buffer = [0; 16];
                buffer[..len as usize].copy_from_slice(self.bytes(id, offset, len));
                Value::from_bits(*width, u128::from_le_bytes(buffer))
            }
            Type::Float | Type::Double => {
                let len = ty.bytes(self.pointer_bytes);
                Value::Bits(self.read_word(id, offset, len))
            }
            Type::Pointer => {
                let address = self.read_word(id, offset, self.pointer_bytes);
                let known = self.get(id).and_then(|o| o.pointers.get(&offset)).copied();
                Value::Pointer(match known {
                    Some(object) => Pointer {
                        address,
                        object: Some(object),
                    },
                    None => self.resolve(address),
                })
            }
            Type::Tuple(tuple) => Value::Tuple(
                tuple
                    .fields
                    .iter()
                    .map(|(at, ty)| self.read(id, offset + at, ty))
                    .collect(),
            ),
        }
    }

    fn read_word(&self, id: ObjectId, offset: u64, len: u64) -> u64 {
        let mut buffer = [0; 8];
        buffer[..len as usize].copy_from_slice(self.bytes(id, offset, len));
        u64::from_le_bytes(buffer)
    }

    /// Writes a value of the given type to a checked range.
    pub fn write(&mut self, id: ObjectId, offset: u64, ty: &Type, value: &Value) {
        match (ty, value) {
            (Type::Tuple(tuple), Value::Tuple(fields)) => {
                for ((at, ty), field) in tuple.fields.iter().zip(fields.iter()) {
                    self.write(id, offset + at, ty, field);
                }
            }
            _ => {
                let len = ty.bytes(self.pointer_bytes) as usize;
                self.write_bytes(id, offset, &value.bits().to_le_bytes()[..len.min(16)]);
                if let Value::Pointer(pointer) = value
                    && len as u64 == self.pointer_bytes
                {
                    self.write_provenance(id, offset, pointer.object);
                }
            }
        }
    }

    fn write_provenance(&mut self, id: ObjectId, offset: u64, target: Option<ObjectId>) {
        if let (Some(target), Some(object)) = (target, self.even_dead_mut(id)) {
            object.pointers.insert(offset, target);
        }
    }

    /// Objects whose addresses are stored partly in a range and partly outside.
    pub fn pointers_cut_by(&self, id: ObjectId, offset: u64, len: u64) -> Vec<ObjectId> {
        let Some(object) = self.get(id).filter(|object| !object.pointers.is_empty()) else {
            return Vec::new();
        };
        let first = (offset + 1).saturating_sub(self.pointer_bytes);
        let end = offset + len;
        object
            .pointers
            .range(first..end)
            .filter(|(at, _)| **at < offset || **at + self.pointer_bytes > end)
            .map(|(_, target)| *target)
            .collect()
    }

    /// Objects whose addresses are stored (wholly or partly) in a range.
    pub fn pointers_in(&self, id: ObjectId, offset: u64, len: u64) -> Vec<ObjectId> {
        let Some(object) = self.get(id) else {
            return Vec::new();
        };
        if object.pointers.is_empty() {
            return Vec::new();
        }
        let first = (offset + 1).saturating_sub(self.pointer_bytes);
        object
            .pointers
            .range(first..offset + len)
            .map(|(_, target)| *target)
            .collect()
    }

    /// Makes an object, and all that can be reached from it, shared.
    pub fn publish(&mut self, id: ObjectId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            // Constant memory need not be shared: nobody writes it, and what it
            // points to is global.
            let is_private = |object: &Object| !object.is_shared && !object.is_constant;
            let header = self.header(id).filter(|object| object.is_alive);
            if header.is_some_and(is_private)
                && let Some(object) = self.even_dead_mut(id)
            {
                object.is_shared = true;
                open.extend(object.pointers.values());
            }
        }
    }

    /// Adds everything that later behaviour can depend on.
    pub fn fingerprint(&self, fingerprint: &mut Fingerprint) {
        let objects = self
            .arenas
            .iter()
            .flat_map(|arena| arena.stack.iter().chain(&arena.heap));
        for object in self
            .globals
            .iter()
            .filter(|o| !o.is_constant)
            .chain(objects)
        {
            let hash = object.content_hash();
            fingerprint.write_u64(hash as u64);
            fingerprint.write_u64((hash >> 64) as u64);
            for (at, target) in &object.pointers {
                fingerprint.write_u64(*at);
                fingerprint.write_u64(self.canonical_object(*target));
            }
        }
        for arena in &self.arenas {
            fingerprint.write_usize(arena.stack.len());
            fingerprint.write_usize(arena.heap.len());
        }
    }

    /// A number for an object that is equal in equal states, although counts of
    /// earlier calls may differ: all dead locals of a thread are alike.
    pub fn canonical_object(&self, id: ObjectId) -> u64 {
        match self.peek(id) {
            Some(_) => id.place() + 1,
            None => u64::MAX - id.thread() as u64,
        }
    }
}
