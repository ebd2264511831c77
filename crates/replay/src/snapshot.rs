//! Copies of pieces of memory, with all that is known about their bytes; and
//! which bits of a piece were never written.

use crate::memory::{Memory, ObjectId};
use crate::shadow::Shadow;
use crate::value::truncate;
use ir::Type;

/// A copy of a piece of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Snapshot {
    pub bytes: Vec<u8>,
    pub uninitialised: Vec<bool>,
    /// Bits that were never written; empty if there are none.
    pub shadow: Vec<u8>,
    pub pointers: Vec<(u64, ObjectId)>,
}

impl Snapshot {
    /// What a library function writes counts as written, wherever it comes from.
    pub fn written(&self) -> Snapshot {
        Snapshot {
            shadow: Vec::new(),
            ..self.clone()
        }
    }
}

impl Snapshot {
    /// Adds another one behind it.
    pub(crate) fn append(&mut self, more: &Snapshot) {
        let len = self.bytes.len();
        if !(self.shadow.is_empty() && more.shadow.is_empty()) {
            self.shadow.resize(len, 0);
            self.shadow.extend(&more.shadow);
            self.shadow.resize(len + more.bytes.len(), 0);
        }
        self.bytes.extend(&more.bytes);
        self.uninitialised.extend(&more.uninitialised);
        let pointers = more.pointers.iter();
        self.pointers
            .extend(pointers.map(|(at, target)| (at + len as u64, *target)));
    }

    /// A piece of it.
    pub(crate) fn part(&self, start: usize, len: usize) -> Snapshot {
        let bytes = start..start + len;
        let pointers = self.pointers.iter();
        Snapshot {
            bytes: self.bytes[bytes.clone()].to_vec(),
            uninitialised: self.uninitialised[bytes.clone()].to_vec(),
            shadow: match self.shadow.is_empty() {
                true => Vec::new(),
                false => self.shadow[bytes.clone()].to_vec(),
            },
            pointers: pointers
                .filter(|(at, _)| bytes.contains(&(*at as usize)))
                .map(|(at, target)| (at - start as u64, *target))
                .collect(),
        }
    }
}

impl Memory {
    /// Takes a copy of a checked range: bytes, which of them are initialised,
    /// and the pointers among them.
    pub fn snapshot(&self, id: ObjectId, offset: u64, len: u64) -> Snapshot {
        let Some(object) = self.get(id) else {
            return Snapshot::default();
        };
        Snapshot {
            bytes: object.bytes[offset as usize..(offset + len) as usize].to_vec(),
            uninitialised: (offset..offset + len)
                .map(|at| !object.is_initialised(at, 1))
                .collect(),
            shadow: match object.shadow.is_empty() {
                true => Vec::new(),
                false => object.shadow[offset as usize..(offset + len) as usize].to_vec(),
            },
            pointers: object
                .pointers
                .range(offset..offset + len)
                .filter(|(at, _)| *at + self.pointer_bytes <= offset + len)
                .map(|(at, target)| (at - offset, *target))
                .collect(),
        }
    }

    /// Writes a copy into a checked range of the same length.
    pub fn restore(&mut self, id: ObjectId, offset: u64, snapshot: &Snapshot) {
        self.write_bytes(id, offset, &snapshot.bytes);
        if let Some(object) = self.even_dead_mut(id) {
            for (at, flag) in (offset..).zip(&snapshot.uninitialised) {
                if *flag {
                    object.mark(at, 1, true);
                }
            }
            if !snapshot.shadow.is_empty() {
                object.set_shadow(offset, &snapshot.shadow);
            }
            for (at, target) in &snapshot.pointers {
                object.pointers.insert(offset + at, *target);
            }
        }
    }

    /// Whether any bit of a checked range was never written.
    pub(crate) fn is_shadowed(&self, id: ObjectId, offset: u64, len: u64) -> bool {
        let range = offset as usize..(offset + len) as usize;
        let object = self.peek(id).filter(|object| !object.shadow.is_empty());
        object.is_some_and(|object| object.shadow[range].iter().any(|byte| *byte != 0))
    }

    /// Says that all bits of a checked range were written, or that none were.
    pub(crate) fn shade(&mut self, id: ObjectId, offset: u64, len: u64, is_open: bool) {
        if let Some(object) = self.even_dead_mut(id) {
            match is_open {
                true => object.set_shadow(offset, &vec![0xff; len as usize]),
                false => object.clear_shadow(offset, len),
            }
        }
    }

    /// Which bits of a value in a checked range were never written.
    pub fn shadow(&self, id: ObjectId, offset: u64, ty: &Type) -> Shadow {
        let Some(object) = self.get(id).filter(|object| !object.shadow.is_empty()) else {
            return Shadow::None;
        };
        match ty {
            Type::Tuple(tuple) => {
                let fields = tuple.fields.iter();
                let fields = fields.map(|(at, ty)| self.shadow(id, offset + at, ty));
                Shadow::of_fields(fields.collect())
            }
            scalar => {
                let len = scalar.bytes(self.pointer_bytes) as usize;
                let mut buffer = [0; 16];
                buffer[..len].copy_from_slice(&object.shadow[offset as usize..][..len]);
                let bits = u128::from_le_bytes(buffer);
                Shadow::of_bits(match scalar {
                    Type::Int(width) => truncate(bits, *width),
                    _ => bits,
                })
            }
        }
    }

    /// Says the same of a value that was just written.
    pub fn set_shadow(&mut self, id: ObjectId, offset: u64, ty: &Type, shadow: &Shadow) {
        match (ty, shadow) {
            (_, Shadow::None) => {}
            (Type::Tuple(tuple), _) => {
                for ((at, ty), index) in tuple.fields.iter().zip(0..) {
                    self.set_shadow(id, offset + at, ty, &shadow.field(index));
                }
            }
            (scalar, _) => {
                let len = scalar.bytes(self.pointer_bytes) as usize;
                if let Some(object) = self.even_dead_mut(id) {
                    object.set_shadow(offset, &shadow.bits().to_le_bytes()[..len]);
                }
            }
        }
    }
}
