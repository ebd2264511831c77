//! Read-only facts about a program.
//!
//! Each file holds one analysis: it takes a program, or one body, and returns a
//! table that others look facts up in. An analysis never changes a program,
//! never runs one and never reports anything to the user; what follows from a
//! fact is for its reader to decide.

pub mod arguments;
pub mod futures;
pub mod handles;
pub mod interface;
pub mod landmarks;
pub mod layout;
mod library_calls;
pub mod locals;
pub mod loops;
mod meaning;
pub mod orders;
pub mod outline;
pub mod outside;
pub mod points_to;
mod reached;
pub mod rounds;
pub mod sharing;
mod site;
pub mod spinning;

pub use futures::{Future, Futures};
pub use landmarks::{Assertion, Landmark};
pub use loops::{Loop, LoopId, Loops};
pub use outline::Outline;
pub use points_to::{AbstractObject, ObjectId, PointsTo, TargetSet};
pub use rounds::{Round, Rounds};
pub use sharing::Sharing;
pub use site::Site;
pub use spinning::Spinning;
