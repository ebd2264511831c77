//! Types of values in registers. Memory itself is untyped bytes.

use std::sync::Arc;

/// The type of a value. Pointers carry no pointee type; their width is the
/// program's ([`crate::Target::pointer_bytes`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An integer of 1 to 128 bits. Signedness belongs to operations, not types.
    Int(u32),
    /// IEEE 754 single precision.
    Float,
    /// IEEE 754 double precision.
    Double,
    Pointer,
    /// A struct or array held in a register, for instance a small struct that
    /// is returned by value, or the result of a compare-exchange.
    Tuple(Arc<Tuple>),
}

/// Layout of an aggregate value: each field with the byte offset at which it is
/// stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tuple {
    pub fields: Vec<(u64, Type)>,
    /// Bytes from one element of an array of these to the next.
    pub size: u64,
    pub align: u64,
}

impl Type {
    pub const BOOL: Type = Type::Int(1);

    /// Bytes that a load or store of this type touches (the store size: an `i24`
    /// touches 3, a tuple its whole extent).
    pub fn bytes(&self, pointer_bytes: u64) -> u64 {
        match self {
            Type::Int(bits) => u64::from(bits.div_ceil(8)),
            Type::Float => 4,
            Type::Double => 8,
            Type::Pointer => pointer_bytes,
            Type::Tuple(tuple) => tuple.size,
        }
    }

    pub fn is_int(&self) -> bool {
        matches!(self, Type::Int(_))
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float | Type::Double)
    }
}
