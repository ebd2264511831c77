//! The program model: what the rest of Threadbare knows about a C program.
//!
//! A [`Program`] is a set of global variables and functions over byte-addressed
//! memory. Function bodies are control-flow graphs in static single assignment
//! form; every offset and size is already in bytes, so nothing below this crate
//! needs to know how a compiler lays out structs. Where a value came from in the
//! source (file, line, names and types of variables and members) is kept beside
//! the code in [`source`] terms.
//!
//! This crate must not know any compiler's syntax, must not run programs, and
//! must not decide what a library function means: a call of `pthread_create` is
//! here just a call of a function without a body.

pub mod body;
pub mod dominators;
pub mod print;
pub mod program;
pub mod source;
pub mod types;
pub mod verify;

pub use body::{
    BinaryOp, Block, BlockId, Body, Builtin, Callee, Cast, Comparison, FloatComparison, FloatOp,
    Inst, InstId, LocalId, LocalVariable, Op, Operand, Ordering, Phi, RmwOp, Terminator, ValueId,
};
pub use dominators::Dominators;
pub use program::{
    ConstId, Constant, Function, FunctionId, Global, GlobalId, Initial, Param, Program, Relocation,
    Symbol, Target,
};
pub use source::{
    Encoding, FileId, Location, Member, Place, SourceType, SourceTypeId, describe_offset,
};
pub use types::{Tuple, Type};
pub use verify::VerifyError;
