//! What a step looks at, in the order in which it does.
//!
//! The prover remembers what steps do, and under which circumstances: a step does
//! the same again in every state that agrees on what the step has looked at. So
//! whatever of a run is not the stepping thread's own says here when it is read.
//! To say too much costs time; to say too little would be a wrong proof, so tests
//! compare remembered steps with real ones. All other runs keep nothing.

use crate::inputs::{Domain, InputKind};
use crate::object::ObjectId;
use crate::open_names::Name;
use crate::ranges::Ranges;
use crate::sync::SyncKey;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// Something that a step may depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Look {
    /// Whether an object is there, how large it is, who may see it.
    Header(ObjectId),
    Content(ObjectId),
    Sync(SyncKey),
    /// Which synchronisation objects lie in a range of an object.
    SyncsIn(ObjectId, u64, u64),
    /// Which of them lie in the locals of a thread.
    SyncsOnStack(usize),
    Thread(usize),
    /// Whether a thread may still be joined or detached.
    Handle(usize),
    /// Whether a join with a thread has to wait.
    Ended(usize),
    ThreadCount,
    /// Whether any other thread has not ended.
    OthersRunning,
    /// Blocks that have been freed.
    FreedBlocks,
    /// Keys, functions for the end of the process, and the like.
    Rest,
    /// An answer that was asked for.
    Input(InputKind, Domain, u128),
    /// Not something to depend on: the thread begins another round of a loop, and may
    /// be where it was before. Whoever comes back to the same state does so at least
    /// once.
    Turn,
    /// Something depends on an input that was left open.
    Open,
    /// Which names there are of inputs that are left open; and what is known of one.
    Names,
    Name(Name),
    /// Not something to depend on: a decision was taken both ways that may depend on
    /// others taken before.
    Guess,
    /// Not something to depend on: numbers between which such an input was told apart.
    Points(Ranges),
    /// Too much to tell.
    Everything,
}

/// Keeps what is looked at, if somebody wants to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint(Option<Rc<RefCell<Looks>>>);

/// Each once, since a step may go round in a loop for long; but all inputs.
#[derive(Debug, Default)]
struct Looks {
    all: Vec<Look>,
    known: HashSet<Look>,
}

impl Footprint {
    pub(crate) fn watched() -> Footprint {
        Footprint(Some(Rc::default()))
    }

    /// Whether somebody wants to know.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub(crate) fn note(&self, look: Look) {
        if let Some(looks) = &self.0 {
            let looks = &mut *looks.borrow_mut();
            if matches!(look, Look::Input(..)) || looks.known.insert(look.clone()) {
                looks.all.push(look);
            }
        }
    }

    /// Goes on with what was taken.
    pub(crate) fn put_back(&self, all: Vec<Look>) {
        if let Some(looks) = &self.0 {
            let known = all.iter().cloned().collect();
            *looks.borrow_mut() = Looks { all, known };
        }
    }

    /// What was looked at since the last call.
    pub(crate) fn take(&self) -> Vec<Look> {
        match &self.0 {
            Some(looks) => std::mem::take(&mut *looks.borrow_mut()).all,
            None => Vec::new(),
        }
    }
}
