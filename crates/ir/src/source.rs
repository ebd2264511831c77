//! What survives of the source text: files, positions, and the C types of
//! variables, so that a report can say `queue.items[2].next` instead of an
//! address. Nothing here has any influence on how a program runs.

use crate::program::Program;
use cranelift_entity::entity_impl;

/// A source file. Ids are in order of first appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);
entity_impl!(FileId, "file");

/// A type as the programmer wrote it. The order of ids means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceTypeId(u32);
entity_impl!(SourceTypeId, "srctype");

/// A position in the source. Column 0 means unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    Signed,
    Unsigned,
    /// Printed as a character where that makes sense.
    Char {
        signed: bool,
    },
    Bool,
    Float,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SourceType {
    Base {
        name: String,
        bytes: u64,
        encoding: Encoding,
    },
    /// `to` is `None` for `void *`.
    Pointer {
        to: Option<SourceTypeId>,
        bytes: u64,
    },
    Record {
        name: Option<String>,
        is_union: bool,
        bytes: u64,
        members: Vec<Member>,
    },
    /// `count` is `None` for arrays of unknown or variable length.
    Array {
        element: SourceTypeId,
        count: Option<u64>,
    },
    Enum {
        name: Option<String>,
        bytes: u64,
        values: Vec<(String, i128)>,
    },
    /// A typedef (named) or a qualifier such as `const` (unnamed).
    Alias {
        name: Option<String>,
        to: Option<SourceTypeId>,
    },
    /// A function type, an incomplete type, or one the reader does not know.
    Opaque { name: String },
}

/// A member of a record; bit-fields have bit sizes that are not whole bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Empty for anonymous members, whose own members then belong to the parent.
    pub name: String,
    pub bit_offset: u64,
    pub bit_size: u64,
    pub ty: SourceTypeId,
}

/// Where a byte of an object is, in source terms: a path such as
/// `.items[2].next`, and the type found there (if known).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    pub ty: Option<SourceTypeId>,
}

impl Program {
    /// The type behind all typedefs and qualifiers; `None` for `void`.
    pub fn strip_aliases(&self, mut ty: SourceTypeId) -> Option<SourceTypeId> {
        // Malformed debug information could be cyclic; give up after a while.
        for _ in 0..64 {
            match &self.source_types[ty] {
                SourceType::Alias { to, .. } => ty = (*to)?,
                _ => return Some(ty),
            }
        }
        None
    }

    /// Size of a source type in bytes, if it is known and fixed.
    pub fn source_size(&self, ty: SourceTypeId) -> Option<u64> {
        self.source_size_within(ty, 64)
    }

    fn source_size_within(&self, ty: SourceTypeId, depth: u32) -> Option<u64> {
        if depth == 0 {
            return None;
        }
        match &self.source_types[self.strip_aliases(ty)?] {
            SourceType::Base { bytes, .. }
            | SourceType::Pointer { bytes, .. }
            | SourceType::Record { bytes, .. }
            | SourceType::Enum { bytes, .. } => Some(*bytes),
            SourceType::Array { element, count } => {
                (*count)?.checked_mul(self.source_size_within(*element, depth - 1)?)
            }
            SourceType::Alias { .. } | SourceType::Opaque { .. } => None,
        }
    }
}

/// Describes the `bytes` bytes at `offset` of an object of type `ty`: the
/// narrowest member or element that covers them.
pub fn describe_offset(program: &Program, ty: SourceTypeId, offset: u64, bytes: u64) -> Place {
    let mut place = Place {
        path: String::new(),
        ty: Some(ty),
    };
    let mut offset = offset;
    for _ in 0..64 {
        let Some(stripped) = place.ty.and_then(|ty| program.strip_aliases(ty)) else {
            break;
        };
        match &program.source_types[stripped] {
            SourceType::Array { element, .. } => {
                let Some(size) = program.source_size(*element).filter(|size| *size > 0) else {
                    break;
                };
                // An access to several elements is described by the array itself.
                if offset % size + bytes > size {
                    break;
                }
                place.path.push_str(&format!("[{}]", offset / size));
                place.ty = Some(*element);
                offset %= size;
            }
            SourceType::Record {
                members, is_union, ..
            } => {
                let covers = |member: &&Member| {
                    let start = member.bit_offset / 8;
                    let end = (member.bit_offset + member.bit_size).div_ceil(8);
                    // A flexible array member has no size and reaches to the end.
                    start <= offset && (offset + bytes <= end || member.bit_size == 0)
                };
                let mut covering = members.iter().filter(covers);
                let Some(member) = covering.next() else {
                    break;
                };
                // Such names belong to the C library: to the user this is one
                // opaque thing, for instance a mutex.
                if member.name.starts_with("__") {
                    break;
                }
                // Bit-fields that share their bytes are read and written together.
                let is_shared = covering.next().is_some() && member.bit_size % 8 != 0;
                if is_shared && !is_union {
                    break;
                }
                if !member.name.is_empty() {
                    place.path.push('.');
                    place.path.push_str(&member.name);
                }
                place.ty = Some(member.ty);
                offset -= member.bit_offset / 8;
            }
            _ => break,
        }
    }
    place
}
