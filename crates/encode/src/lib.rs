//! Encodings: which interleavings of threads there are, as clauses.
//!
//! An encoding takes unfolded threads and says, as a formula, how their
//! positions may interleave and which values they then read. It must not know
//! the program the threads come from, nor any solver: clauses go to a sink.
//!
//! What all encodings offer is [`Encode`] and [`Encoding`]; [`contexts`] bounds the number
//! of switches between threads, [`order`] does not. What
//! does not depend on how the order of positions is encoded is shared: [`happens`] says
//! when a moment does, and [`complete`] makes a run of what was read off a model.

mod asked;
pub mod contexts;
mod encoding;
mod layout;
mod model;
mod moments;
pub mod order;
mod sought;

pub use contexts::{ByContexts, Contexts, Turns};
pub use encoding::{Asked, Encode, Encoding, Goals};
pub use model::{
    AtEnd, Found, Model, Race, Sights, Site, Standing, Stretch, complete, input_values,
};
pub use moments::happens;
pub use order::{ByOrder, InOrder};

/// Which normal forms of schedules to insist on; each keeps at least one
/// schedule of every equivalence class, with no more contexts than any other.
///
/// They are for questions about all schedules, or all with fewer contexts. With
/// other assumptions on the schedule, the one that is kept may be one that the
/// assumptions leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NormalForms {
    /// A thread is resumed only before an access that conflicts with something
    /// that ran since it was left.
    pub resume_for_conflict: bool,
    /// Neighbouring contexts that do not conflict are in the order of threads.
    pub ordered_neighbours: bool,
}
