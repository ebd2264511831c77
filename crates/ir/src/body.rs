//! Function bodies: blocks of instructions over values in static single
//! assignment form.

use crate::program::{ConstId, FunctionId, Program};
use crate::source::{Location, SourceTypeId};
use crate::types::Type;
use cranelift_entity::{PrimaryMap, entity_impl};

/// A value of one function. Parameters come first, in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(u32);
entity_impl!(ValueId, "v");

/// A basic block of one function. The entry is block 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u32);
entity_impl!(BlockId, "block");

/// An instruction of one function, in program text order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstId(u32);
entity_impl!(InstId, "i");

/// A variable declared inside a function (parameters included).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(u32);
entity_impl!(LocalId, "local");

#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Types of all values; the function's parameters are the first entries.
    pub values: PrimaryMap<ValueId, Type>,
    pub blocks: PrimaryMap<BlockId, Block>,
    pub insts: PrimaryMap<InstId, Inst>,
    pub locals: PrimaryMap<LocalId, LocalVariable>,
}

#[derive(Clone, Debug)]
pub struct LocalVariable {
    pub name: String,
    pub ty: Option<SourceTypeId>,
    pub location: Option<Location>,
}

#[derive(Clone, Debug)]
pub struct Block {
    /// Evaluated together, on entry, from the predecessor's values.
    pub phis: Vec<Phi>,
    pub insts: Vec<InstId>,
    pub terminator: Terminator,
    pub terminator_location: Option<Location>,
}

#[derive(Clone, Debug)]
pub struct Phi {
    pub result: ValueId,
    /// One entry per predecessor block.
    pub incoming: Vec<(BlockId, Operand)>,
}

#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    pub result: Option<ValueId>,
    pub location: Option<Location>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    Value(ValueId),
    Const(ConstId),
}

/// C11 memory orders. Accesses without one are not atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordering {
    /// A volatile-like atomicity without ordering (weaker than relaxed).
    Unordered,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A value chosen nondeterministically (the result type says of what kind).
    Any,
    /// Memory of `bytes * count` bytes that lives until the function returns.
    Local {
        variable: Option<LocalId>,
        bytes: u64,
        align: u64,
        count: Option<Operand>,
    },
    Load {
        address: Operand,
        ordering: Option<Ordering>,
        is_volatile: bool,
    },
    Store {
        address: Operand,
        value: Operand,
        ordering: Option<Ordering>,
        is_volatile: bool,
    },
    /// Atomic read-modify-write; the result is the old value.
    Rmw {
        op: RmwOp,
        address: Operand,
        value: Operand,
        ordering: Ordering,
    },
    /// The result is a tuple of the old value and whether it was `expected`.
    CompareExchange {
        address: Operand,
        expected: Operand,
        replacement: Operand,
        success: Ordering,
        failure: Ordering,
        is_weak: bool,
    },
    Fence {
        ordering: Ordering,
    },
    Binary {
        op: BinaryOp,
        left: Operand,
        right: Operand,
        /// Signed overflow is undefined (C's signed arithmetic).
        no_signed_wrap: bool,
    },
    FloatBinary {
        op: FloatOp,
        left: Operand,
        right: Operand,
    },
    FloatNegate {
        value: Operand,
    },
    /// Integers and pointers (by address).
    Compare {
        op: Comparison,
        left: Operand,
        right: Operand,
    },
    FloatCompare {
        op: FloatComparison,
        left: Operand,
        right: Operand,
    },
    Cast {
        op: Cast,
        value: Operand,
    },
    /// `base + bytes + sum of index * scale`; indices are sign-extended.
    Offset {
        base: Operand,
        bytes: i64,
        terms: Vec<(Operand, i64)>,
        /// `base` points to an object (or array element) of this record type.
        record: Option<SourceTypeId>,
    },
    Select {
        condition: Operand,
        then: Operand,
        otherwise: Operand,
    },
    /// The field of a tuple at the end of `path`.
    Extract {
        tuple: Operand,
        path: Vec<u32>,
    },
    Insert {
        tuple: Operand,
        field: Operand,
        path: Vec<u32>,
    },
    Call {
        callee: Callee,
        args: Vec<Operand>,
        /// Parallel to `args`: bytes of those passed by value through a pointer.
        by_value: Vec<Option<u64>>,
    },
    /// A side-effect-free operation of the compiler's own.
    Builtin {
        op: Builtin,
        args: Vec<Operand>,
    },
    /// Starts walking the variadic arguments; `list` points to the `va_list`.
    VaStart {
        list: Operand,
    },
    VaCopy {
        to: Operand,
        from: Operand,
    },
    /// Remembers which locals exist (before a variable-length array).
    SaveStack,
    /// Ends the life of all locals made since the matching [`Op::SaveStack`].
    RestoreStack {
        saved: Operand,
    },
    /// Something the reader knows but nobody can execute: an error when reached.
    Unsupported {
        what: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    Direct(FunctionId),
    Indirect(Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    SignedMax,
    SignedMin,
    UnsignedMax,
    UnsignedMin,
    FloatAdd,
    FloatSub,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UnsignedDiv,
    SignedDiv,
    UnsignedRem,
    SignedRem,
    ShiftLeft,
    LogicalShiftRight,
    ArithmeticShiftRight,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    NotEqual,
    UnsignedLess,
    UnsignedLessEqual,
    UnsignedGreater,
    UnsignedGreaterEqual,
    SignedLess,
    SignedLessEqual,
    SignedGreater,
    SignedGreaterEqual,
}

/// The relations that make the comparison true; each of the four outcomes of
/// comparing two floats is listed on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatComparison {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    pub unordered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cast {
    Truncate,
    ZeroExtend,
    SignExtend,
    FloatToSigned,
    FloatToUnsigned,
    SignedToFloat,
    UnsignedToFloat,
    /// Between `float` and `double`, either way.
    FloatResize,
    PointerToInt,
    IntToPointer,
    /// The same bits as another type of the same size.
    Reinterpret,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    CountOnes,
    CountLeadingZeros,
    CountTrailingZeros,
    ByteSwap,
    BitReverse,
    /// Absolute value of a signed integer.
    Abs,
    SignedMax,
    SignedMin,
    UnsignedMax,
    UnsignedMin,
    /// Shift the concatenation of two words, keep the high (low) one.
    FunnelShiftLeft,
    FunnelShiftRight,
    /// Results are tuples of the wrapped result and an overflow flag.
    SignedAddOverflow,
    SignedSubOverflow,
    SignedMulOverflow,
    UnsignedAddOverflow,
    UnsignedSubOverflow,
    UnsignedMulOverflow,
    SignedAddSaturate,
    SignedSubSaturate,
    UnsignedAddSaturate,
    UnsignedSubSaturate,
    FloatAbs,
    FloatSqrt,
    FloatFloor,
    FloatCeil,
    FloatTruncate,
    FloatRound,
    FloatRint,
    FloatCopySign,
    FloatMin,
    FloatMax,
    /// `a * b + c`, rounded once.
    FloatFma,
    /// `a * b + c`, rounded twice (what compilers may do without contraction).
    FloatMulAdd,
    /// Whether a float belongs to one of the classes in the mask: bit 0 signalling
    /// NaN, 1 quiet NaN, 2 minus infinity, 3 negative normal, 4 negative
    /// subnormal, 5 minus zero, 6 to 9 the same four positive, mirrored.
    IsFloatClass,
    /// Long doubles of x86, which are words of 80 bits here: too few programs use
    /// them for a type of their own.
    ExtendedAdd,
    ExtendedSub,
    ExtendedMul,
    ExtendedDiv,
    /// How two compare, as one bit of a byte: 1 less, 2 equal, 4 greater, 8 neither.
    ExtendedOrder,
    /// From `float` or `double`.
    ExtendedFromFloat,
    ExtendedToSingle,
    ExtendedToDouble,
    ExtendedFromSigned,
    ExtendedFromUnsigned,
    /// Towards zero.
    ExtendedToSigned,
    ExtendedToUnsigned,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    Jump(BlockId),
    Branch {
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Operand,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
    },
    /// A computed jump to one of `targets`.
    IndirectJump {
        address: Operand,
        targets: Vec<BlockId>,
    },
    Return(Option<Operand>),
    /// Control never gets here in a correct program.
    Unreachable,
}

impl Body {
    pub const ENTRY: BlockId = BlockId(0);

    pub fn operand_type(&self, program: &Program, operand: Operand) -> Type {
        match operand {
            Operand::Value(value) => self.values[value].clone(),
            Operand::Const(id) => program.constant_type(id),
        }
    }
}

impl Terminator {
    /// Blocks that may come next, possibly with repetitions.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(target) => vec![*target],
            Terminator::Branch {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => cases
                .iter()
                .map(|(_, target)| *target)
                .chain([*default])
                .collect(),
            Terminator::IndirectJump { targets, .. } => targets.clone(),
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        }
    }

    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Terminator::Branch { condition, .. } => visit(*condition),
            Terminator::Switch { value, .. } => visit(*value),
            Terminator::IndirectJump { address, .. } => visit(*address),
            Terminator::Return(Some(value)) => visit(*value),
            Terminator::Return(None) | Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
}

impl Op {
    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Op::Any | Op::Fence { .. } | Op::SaveStack | Op::Unsupported { .. } => {}
            Op::Local { count, .. } => count.iter().copied().for_each(visit),
            Op::Load { address, .. } => visit(*address),
            Op::Store { address, value, .. } | Op::Rmw { address, value, .. } => {
                visit(*address);
                visit(*value);
            }
            Op::CompareExchange {
                address,
                expected,
                replacement,
                ..
            } => {
                visit(*address);
                visit(*expected);
                visit(*replacement);
            }
            Op::Binary { left, right, .. }
            | Op::FloatBinary { left, right, .. }
            | Op::Compare { left, right, .. }
            | Op::FloatCompare { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Op::FloatNegate { value } | Op::Cast { value, .. } => visit(*value),
            Op::Offset { base, terms, .. } => {
                visit(*base);
                terms.iter().for_each(|(index, _)| visit(*index));
            }
            Op::Select {
                condition,
                then,
                otherwise,
            } => {
                visit(*condition);
                visit(*then);
                visit(*otherwise);
            }
            Op::Extract { tuple, .. } => visit(*tuple),
            Op::Insert { tuple, field, .. } => {
                visit(*tuple);
                visit(*field);
            }
            Op::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    visit(*target);
                }
                args.iter().copied().for_each(visit);
            }
            Op::Builtin { args, .. } => args.iter().copied().for_each(visit),
            Op::VaStart { list } => visit(*list),
            Op::VaCopy { to, from } => {
                visit(*to);
                visit(*from);
            }
            Op::RestoreStack { saved } => visit(*saved),
        }
    }
}
