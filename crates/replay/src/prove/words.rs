//! Contents of components as words: how values, pointers and their like are
//! written down and read again.
//!
//! What is written is canonical: two contents that cannot be told apart by any
//! later behaviour give the same words as far as that is known. A pointer is
//! written as the object it belongs to and its place in the part of the address
//! space of the thread that made the object, so that the words of a thread do not
//! depend on its number: its own objects are *own*.

use super::contents::Written;
use crate::memory::Memory;
use crate::object::{Area, ObjectId};
use crate::open_names::{Name, names_in};
use crate::shadow::Shadow;
use crate::sync::SyncKey;
use crate::value::{Pointer, Value};
use ir::{Location, Tuple, Type};
use std::sync::Arc;

/// Stands for the thread whose content it is.
const OWN: u64 = 0xffe;
const THREAD_BITS: u32 = 12;
const SLOT_BITS: u32 = crate::object::SLOT_BITS;

/// The object under the name that it has in all states that agree on what is where:
/// how often its place was used before is forgotten.
pub(super) fn canonical(memory: &Memory, id: ObjectId) -> ObjectId {
    let generation = match id.area() {
        Area::Global => 0,
        Area::Heap => 1,
        Area::Stack => u32::from(memory.peek(id).is_some()),
    };
    ObjectId::new(id.thread(), id.area(), id.slot(), generation)
}

pub(super) struct Writer<'m> {
    pub memory: &'m Memory,
    /// Whose content it is, if it is a thread's.
    own: Option<usize>,
    pub words: Vec<u64>,
    /// Other threads to which objects belong that were written.
    pub named: Vec<usize>,
    /// The names of open inputs that were written, as a set of bits.
    opens: u32,
}

impl<'m> Writer<'m> {
    pub(super) fn new(memory: &'m Memory, own: Option<usize>) -> Self {
        Writer {
            memory,
            own,
            words: Vec::new(),
            named: Vec::new(),
            opens: 0,
        }
    }

    /// All that was written.
    pub(super) fn written(&self) -> Written<'_> {
        Written {
            words: &self.words,
            names: &self.named,
            opens: self.opens,
        }
    }

    /// Something knows the name of an open input.
    pub(super) fn open_name(&mut self, name: Name) {
        self.opens |= 1 << name;
    }

    /// These bytes were written, with this shadow: some of them may be names.
    pub(super) fn open_bytes(&mut self, bytes: &[u8], shadow: &[u8]) {
        for (byte, shadow) in bytes.iter().zip(shadow) {
            if *shadow != 0 {
                self.opens |= names_in(*byte);
            }
        }
    }

    pub(super) fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.word(u64::from(flag));
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    pub(super) fn wide(&mut self, value: u128) {
        self.word(value as u64);
        self.word((value >> 64) as u64);
    }

    pub(super) fn object(&mut self, id: Option<ObjectId>) {
        let Some(id) = id else {
            return self.word(0);
        };
        let is_own = self.own == Some(id.thread()) && id.area() != Area::Global;
        let thread = if is_own { OWN } else { id.thread() as u64 };
        if !is_own && id.area() != Area::Global && !self.named.contains(&id.thread()) {
            self.named.push(id.thread());
        }
        let is_there = id.area() != Area::Stack || self.memory.peek(id).is_some();
        let word = id.slot() as u64;
        let word = word << THREAD_BITS | thread;
        let word = word << 2 | id.area() as u64;
        self.word((word << 1 | u64::from(is_there)) << 1 | 1);
    }

    /// An address in an object, or what was one.
    pub(super) fn address(&mut self, id: Option<ObjectId>, address: u64) {
        match id {
            Some(id) if id.area() != Area::Global => {
                self.word(address.wrapping_sub(self.memory.arena_base(id.thread())));
            }
            _ => self.word(address),
        }
    }

    pub(super) fn pointer(&mut self, pointer: Pointer) {
        self.object(pointer.object);
        self.address(pointer.object, pointer.address);
    }

    pub(super) fn sync_key(&mut self, (object, offset): SyncKey) {
        self.object(Some(object));
        self.word(offset);
    }

    pub(super) fn value(&mut self, value: &Value) {
        match value {
            Value::Bits(bits) => {
                self.word(0);
                self.word(*bits);
            }
            Value::Wide { low, high } => {
                self.word(1);
                self.word(*low);
                self.word(*high);
            }
            Value::Pointer(pointer) => {
                self.word(2);
                self.pointer(*pointer);
            }
            Value::Tuple(fields) => {
                self.word(3);
                self.word(fields.len() as u64);
                fields.iter().for_each(|field| self.value(field));
            }
        }
    }

    /// A value and its shadow.
    pub(super) fn shadowed(&mut self, value: &Value, shadow: &Shadow) {
        self.value(value);
        self.shadow(shadow);
        self.note_names(value, shadow);
    }

    fn note_names(&mut self, value: &Value, shadow: &Shadow) {
        match (value, shadow) {
            (_, Shadow::None) => {}
            (Value::Tuple(fields), _) => {
                for (field, index) in fields.iter().zip(0..) {
                    self.note_names(field, &shadow.field(index));
                }
            }
            _ => self.open_bytes(&value.bits().to_le_bytes(), &shadow.bits().to_le_bytes()),
        }
    }

    fn shadow(&mut self, shadow: &Shadow) {
        match shadow {
            Shadow::None => self.word(0),
            Shadow::Bits(bits) => {
                self.word(1);
                self.wide(*bits);
            }
            Shadow::Tuple(fields) => {
                self.word(2);
                self.word(fields.len() as u64);
                fields.iter().for_each(|field| self.shadow(field));
            }
        }
    }

    pub(super) fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Int(width) => {
                self.word(0);
                self.word(u64::from(*width));
            }
            Type::Float => self.word(1),
            Type::Double => self.word(2),
            Type::Pointer => self.word(3),
            Type::Tuple(tuple) => {
                self.word(4);
                self.word(tuple.size);
                self.word(tuple.align);
                self.word(tuple.fields.len() as u64);
                for (at, ty) in &tuple.fields {
                    self.word(*at);
                    self.ty(ty);
                }
            }
        }
    }

    pub(super) fn location(&mut self, location: Option<Location>) {
        match location {
            None => self.word(0),
            Some(location) => {
                self.word(1);
                self.word(u64::from(location.file.as_u32()));
                self.word(u64::from(location.line) << 32 | u64::from(location.column));
            }
        }
    }
}

/// Reads what a [`Writer`] has written.
pub(super) struct Reader<'w> {
    words: &'w [u64],
    /// The thread to take for the own one.
    own: usize,
    /// Where the parts of the address space begin.
    bases: &'w dyn Fn(usize) -> u64,
}

impl<'w> Reader<'w> {
    pub(super) fn new(words: &'w [u64], own: usize, bases: &'w dyn Fn(usize) -> u64) -> Self {
        Reader { words, own, bases }
    }

    pub(super) fn word(&mut self) -> u64 {
        match self.words.split_first() {
            Some((first, rest)) => {
                self.words = rest;
                *first
            }
            None => 0,
        }
    }

    pub(super) fn number(&mut self) -> usize {
        self.word() as usize
    }

    pub(super) fn small(&mut self) -> u32 {
        self.word() as u32
    }

    pub(super) fn flag(&mut self) -> bool {
        self.word() != 0
    }

    pub(super) fn bytes(&mut self) -> Vec<u8> {
        let len = self.number();
        let mut bytes = Vec::with_capacity(len.next_multiple_of(8));
        while bytes.len() < len {
            bytes.extend_from_slice(&self.word().to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }

    pub(super) fn wide(&mut self) -> u128 {
        u128::from(self.word()) | u128::from(self.word()) << 64
    }

    pub(super) fn object(&mut self) -> Option<ObjectId> {
        let word = self.word();
        if word == 0 {
            return None;
        }
        let is_there = word >> 1 & 1 != 0;
        let area = match word >> 2 & 3 {
            0 => Area::Global,
            1 => Area::Stack,
            _ => Area::Heap,
        };
        let thread = word >> 4 & ((1 << THREAD_BITS) - 1);
        let slot = word >> (4 + THREAD_BITS) & ((1 << SLOT_BITS) - 1);
        let thread = match thread {
            OWN => self.own,
            other => other as usize,
        };
        let generation = match area {
            Area::Global => 0,
            Area::Heap => 1,
            Area::Stack => u32::from(is_there),
        };
        Some(ObjectId::new(thread, area, slot as usize, generation))
    }

    pub(super) fn address(&mut self, id: Option<ObjectId>) -> u64 {
        let word = self.word();
        match id {
            Some(id) if id.area() != Area::Global => word.wrapping_add((self.bases)(id.thread())),
            _ => word,
        }
    }

    pub(super) fn pointer(&mut self) -> Pointer {
        let object = self.object();
        let address = self.address(object);
        Pointer { address, object }
    }

    pub(super) fn sync_key(&mut self) -> Option<SyncKey> {
        let object = self.object();
        let offset = self.word();
        Some((object?, offset))
    }

    pub(super) fn value(&mut self) -> Value {
        match self.word() {
            0 => Value::Bits(self.word()),
            1 => Value::Wide {
                low: self.word(),
                high: self.word(),
            },
            2 => Value::Pointer(self.pointer()),
            _ => {
                let count = self.number();
                Value::Tuple((0..count).map(|_| self.value()).collect())
            }
        }
    }

    pub(super) fn shadow(&mut self) -> Shadow {
        match self.word() {
            0 => Shadow::None,
            1 => Shadow::Bits(self.wide()),
            _ => {
                let count = self.number();
                Shadow::Tuple((0..count).map(|_| self.shadow()).collect())
            }
        }
    }

    pub(super) fn ty(&mut self) -> Type {
        match self.word() {
            0 => Type::Int(self.small()),
            1 => Type::Float,
            2 => Type::Double,
            3 => Type::Pointer,
            _ => {
                let (size, align, count) = (self.word(), self.word(), self.number());
                let fields = (0..count).map(|_| (self.word(), self.ty())).collect();
                Type::Tuple(Arc::new(Tuple {
                    fields,
                    size,
                    align,
                }))
            }
        }
    }

    pub(super) fn location(&mut self) -> Option<Location> {
        if self.word() == 0 {
            return None;
        }
        let file = ir::FileId::from_u32(self.small());
        let word = self.word();
        Some(Location {
            file,
            line: (word >> 32) as u32,
            column: word as u32,
        })
    }
}
