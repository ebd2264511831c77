//! Concrete execution: the independent witness.
//!
//! Runs a program's instructions one by one, under a schedule of the caller's
//! choosing, and notices everything that goes wrong. Every violation that
//! Threadbare reports has been seen here, whoever found it first; and the
//! exhaustive exploration of small programs is what all other analyses are
//! tested against. It must therefore be right before it is fast.
//!
//! This crate must not depend on the symbolic side (unfolding, encodings,
//! solvers) nor on any front end. It neither prints nor reads files.

mod access;
mod arguments;
mod ask;
mod blocks;
mod calls;
mod compute;
mod conclusion;
mod count;
mod coverage;
mod deadlock;
mod describe;
mod descriptors;
mod drive;
mod event;
mod execute;
mod explore;
mod extended;
mod fingerprint;
mod footprint;
mod guide;
mod identity;
mod image;
mod inputs;
mod interrupt;
mod judge;
mod kernel;
mod leftovers;
mod liveness;
mod locals;
mod locate;
mod machine;
mod memory;
mod models;
mod object;
mod open_inputs;
mod open_names;
mod pause;
mod prove;
mod ranges;
mod schedule;
mod shadow;
mod snapshot;
mod sync;
mod thread;
mod uninitialised;
mod value;
mod variables;
mod violation;
mod weak;

pub use arguments::arguments_among;
pub use conclusion::Conclusion;
pub use coverage::Coverage;
pub use drive::{DoesNotFit, Outcome, Run, run_random, run_schedule};
pub use event::{Effect, Event};
pub use explore::{
    Bounds, Count, Exploration, Found, Interruption, Limit, Mode, Progress, Watch, explore,
    explore_watched,
};
pub use guide::{
    Guide, GuidedIncident, GuidedInput, GuidedReuse, Mark, Stretch, guide_along, run_guided,
};
pub use image::Image;
pub use inputs::{
    Addressed, Addressee, Allocation, Asker, Domain, Execution, Incident, Input, InputKind, Inputs,
    NoInput, Origin, Request,
};
pub use machine::{Config, Cut, Excluded, Machine, Stop, UnknownCall, Unsupported};
pub use memory::OutOfMemory;
pub use open_inputs::OpenInputs;
pub use prove::{
    Aid, Mistake, Proof, ProofOptions, ProofProgress, Reductions, Samples, prove, prove_with_aid,
};
pub use schedule::{Context, Options, ParseError, Schedule, digest};
pub use thread::Stuck;
pub use variables::variables_among;
pub use violation::{Checks, Property, Signature, StackEntry, Violation, ViolationKind};
pub use weak::{Drawn, DrawnAct, Edge, Missing, Picture, Place, Remark, Unordered};
