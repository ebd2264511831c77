//! The oracle: random programs on which the bounded checker must agree with the
//! exhaustive explorer.
//!
//! [`generate`] makes small multi-threaded programs, [`compare`] asks both sides
//! at the same bounds, [`shrink`] makes a program smaller on which they disagree,
//! and [`campaign`] does all that for many programs and keeps count. Neither side
//! is taken to be right: a disagreement is for people to look at.

pub mod axioms;
mod blocking;
pub mod campaign;
pub mod compare;
mod contention;
mod expressions;
pub mod generate;
mod handed_out;
mod heap;
mod idioms;
mod leftovers;
mod library;
mod lifecycles;
mod limits;
mod mistakes;
mod objects;
pub mod proofs;
mod scenarios;
pub mod shrink;
mod statements;
pub mod syntax;
mod unwritten;
mod waiting;
pub mod weak;
pub mod weak_threads;
