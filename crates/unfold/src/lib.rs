//! Unfolding: a program within bounds becomes threads of guarded positions.
//!
//! This crate executes a program symbolically, all paths of a thread merged
//! into one, with loops and recursion up to a bound. It decides which memory
//! threads share, and cuts that memory into cells. It must not know how
//! interleavings are encoded, nor any solver.
//!
//! It works in passes. Each executes all threads under the facts that the passes
//! before have found: which bytes of an object which threads use, and which
//! values shared memory can have. A pass that finds nothing new is the result.
//!
//! The rooms: `facts` survive passes; `tables` hold what a pass has one of for each
//! object; `under_way` tells how far it has got; `findings` are what it finds for
//! whoever asked. `compute` is free of all of them: it knows only terms. `pass` puts
//! them together, `walk` and `execute` go through functions and instructions,
//! `models` are the library functions; other files have one concern each.

#![warn(unreachable_pub)]

mod access;
mod address_reuse;
mod addressees;
mod arguments;
mod arithmetic;
mod block_order;
mod calls;
mod checks;
mod compute;
mod execute;
mod extents;
mod facts;
mod findings;
mod interruptions;
mod large_arrays;
mod leaks;
mod learn;
mod locals;
mod locksets;
mod memory;
mod models;
mod omissions;
mod pass;
mod print;
mod published;
mod races;
mod shadows;
mod strengths;
mod tables;
pub mod threads;
mod typed;
mod under_way;
mod unfolding;
mod unnoticed_steps;
mod unwritten;
mod validity;
mod values;
mod variables;
pub mod verify;
mod waits;
mod walk;

pub use address_reuse::AddressReuse;
pub use addressees::Addressee;
pub use arguments::OpenArguments;
pub use checks::{Check, Checks};
pub use interruptions::{Interrupted, Interruption};
pub use omissions::{Maker, Omission, Way};
pub use pass::{Execution, Input, Trail};
pub use print::Text;
pub use threads::{
    Access, Cell, CellId, Creation, Moment, Place, Position, Sighting, SpotId, Step, Strength,
    Thread, ThreadId, Threads, Use, Violation, Wait,
};
pub use unfolding::{Error, Options, Reductions, Standing, Unfolding, unfold};
pub use variables::OpenVariable;

pub use ir::Ordering;
pub use library::MemoryModel;

use ir::Program;

pub(crate) const MAIN: ThreadId = ThreadId::FIRST;

/// How many bits of an address are the offset; the others are the object.
pub(crate) fn offset_bits(program: &Program) -> u32 {
    if program.target.pointer_bytes == 4 {
        20
    } else {
        32
    }
}
