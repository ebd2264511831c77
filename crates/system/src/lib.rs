//! What Threadbare asks of the operating system: child processes that end when they
//! should, how much memory is in use, and files that have an end.
//!
//! Knows nothing of what any of it is for, and never asks for anything that another
//! user's process could notice.

pub mod files;
mod group;
pub mod memory;
mod output;

pub use group::{Group, end_all};
pub use output::{Failed, Limits, Output, output};
