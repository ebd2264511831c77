//! Read-only facts about a program.
//!
//! Each file holds one analysis: it takes a program, or one body, and returns a
//! table that others look facts up in. An analysis never changes a program,
//! never runs one and never reports anything to the user; what follows from a
//! fact is for its reader to decide.

pub mod loops;
pub mod outline;

pub use loops::{Loop, LoopId, Loops};
pub use outline::Outline;
