//! What unfolding makes of a program: threads as sequences of positions over
//! terms. This is all that an encoding sees of a program.
//!
//! A *position* is one visible step. The positions of a thread are in program
//! order, those of untaken branches included: a position whose guard is false
//! does nothing, and a thread passes it freely. What lies between two positions
//! is thread-local: it is part of the terms, and happens together with the
//! position before it (at the start of a thread: with its creation).
//!
//! Everything that depends on the interleaving is a variable that a
//! [`Access::Read`] introduces; an encoding says which values it takes. All
//! other variables are inputs and may take any value in their range.

use crate::checks::Check;
use analysis::Landmark;
use cranelift_entity::{PrimaryMap, entity_impl};
use formula::{TermId, Terms};
use ir::{FunctionId, InstId, Location, Ordering};

/// A thread instance; main is the first, and creators come before what they create.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(u32);
entity_impl!(ThreadId, "thread");

impl ThreadId {
    /// Main.
    pub const FIRST: ThreadId = ThreadId(0);
}

/// A piece of shared memory that is always read and written as a whole, or a
/// piece of state of a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId(u32);
entity_impl!(CellId, "cell");

/// Bytes of the program's memory that are always accessed together, so that two
/// accesses to them overlap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpotId(u32);
entity_impl!(SpotId, "spot");

/// A bounded program.
pub struct Threads {
    pub terms: Terms,
    pub threads: PrimaryMap<ThreadId, Thread>,
    pub cells: PrimaryMap<CellId, Cell>,
    /// What to look for: the query is whether any of them can hold.
    pub violations: Vec<Violation>,
    /// Never happens in a run within the bounds: a loop is cut, or a thread is
    /// stuck inside an atomic section.
    pub excluded: Vec<Moment>,
    /// The thread cannot go on from here: it never gets past the next position.
    pub stuck: Vec<Moment>,
    /// When runs come by what somebody wants to know about. Nothing depends on them.
    pub sightings: Vec<Sighting>,
}

/// A run comes by a point of the program.
#[derive(Clone, Copy, Debug)]
pub struct Sighting {
    pub landmark: Landmark,
    pub moment: Moment,
}

/// A condition on the local state of a thread between two positions.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// It happens within the step before it, which comes to no end then.
    pub is_within: bool,
    pub thread: ThreadId,
    /// How many positions of the thread come before. The condition means
    /// something only when the last of them has been passed; if there are none,
    /// when the thread has been created.
    pub after: usize,
    /// Includes the guard of the code that it is about.
    pub condition: TermId,
}

/// Something that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Violation {
    pub moment: Moment,
    pub check: Check,
    /// The instruction that is at fault.
    pub place: Place,
}

impl Violation {
    /// One for those who make up threads themselves.
    pub fn of_assertion(moment: Moment) -> Violation {
        Violation {
            moment,
            check: Check::Assert,
            place: Place::Start,
        }
    }
}

pub struct Thread {
    /// The function it runs, for people.
    pub name: String,
    /// `None` for main, which always exists.
    pub creation: Option<Creation>,
    /// If the thread can end, the last one is its end.
    pub positions: Vec<Position>,
    /// Whether the thread can end at all; if not, joins with it never return.
    pub can_end: bool,
    /// So many positions at the beginning come before the first that is a step for
    /// certain. As far as the thread's path does not lead through them or they are its
    /// own, they are no steps: the thread may pass them with its creation, before
    /// anybody else does anything. Whoever counts switches between threads must allow
    /// that; for others it makes no difference. None if none is its own.
    pub quiet_before: usize,
    /// Of so many positions, those that the thread's path does not lead through
    /// are passed together with the one before, with nothing of anybody in between,
    /// unless the thread is stuck there. The others may be passed later too, since it
    /// makes no difference.
    pub skips_before: usize,
}

impl Thread {
    /// Finds what may be passed with the creation.
    pub(crate) fn find_quiet(&mut self, terms: &Terms) {
        let is = |term: TermId, value: bool| terms.as_bool(term) == Some(value);
        let takes_turn = |position: &Position| is(position.guard, true) && is(position.own, false);
        let first = self.positions.iter().position(takes_turn);
        let before = first.unwrap_or(self.positions.len());
        let mut quiet = self.positions[..before].iter();
        self.quiet_before = match quiet.any(|position| !is(position.own, false)) {
            true => before,
            false => 0,
        };
    }
}

/// The position that makes a thread.
#[derive(Clone, Copy, Debug)]
pub struct Creation {
    pub thread: ThreadId,
    pub position: usize,
    /// Whether the position really creates this thread; includes its guard.
    pub condition: TermId,
}

pub struct Position {
    /// Whether the thread's path leads through it.
    pub guard: TermId,
    /// Whether it concerns only memory that the thread has made itself and not made
    /// known. Before the thread has taken any other step, this is no step (see
    /// `docs/schedules.md`): nobody can tell it from what the creation does.
    pub own: TermId,
    /// In the order in which they happen within the step.
    pub accesses: Vec<Access>,
    /// What must hold for a thread to pass, if the guard holds: the lock is free,
    /// the address is valid. They may speak of variables that this position reads.
    pub requires: Vec<TermId>,
    /// Threads that must have ended before a thread passes, each under a
    /// condition. Conditions include the guard.
    pub joins: Vec<(TermId, ThreadId)>,
    /// The memory of the program that it accesses; only if races are looked for.
    pub uses: Vec<Use>,
    /// What a thread may have to wait for here, besides other threads to end; only
    /// if deadlocks are looked for.
    pub waits: Vec<Wait>,
    pub strength: Strength,
    pub step: Step,
}

/// What a step means to a memory model weaker than interleavings. Where those are all
/// that is asked for, it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strength {
    /// The order of its accesses to the program's memory, as the source says; none if they
    /// are not atomic.
    pub order: Option<Ordering>,
    /// The order of the read if nothing is written, for a compare-exchange that fails.
    pub if_it_fails: Option<Ordering>,
    /// It is a fence, and nothing else.
    pub fence: Option<Ordering>,
    /// It is an operation on threads or on synchronisation objects, not an access to
    /// memory of the program.
    pub is_sync: bool,
    /// When whatever comes before it happens before what comes after a later step that
    /// acquires, if that looks at state which this one has written.
    pub releases: Option<TermId>,
    pub acquires: Option<TermId>,
    /// What it acquires, nobody else holds.
    pub is_alone: bool,
}

/// An access as races see it.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub spot: SpotId,
    /// Includes the position's guard.
    pub condition: TermId,
    pub is_write: bool,
    pub is_atomic: bool,
    /// Whether it is known that the step will make it before it is taken. It then
    /// races with what others have just done.
    pub is_foreseen: bool,
}

/// A reason to wait, which others can remove.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Whether there is no need to wait.
    pub until: TermId,
    /// If there is: threads that must do something first, each under a condition.
    pub holders: Vec<(TermId, ThreadId)>,
}

/// Conditions include the position's guard.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// `variable` is the value of the cell at this moment, earlier writes of the
    /// same position included. It means something even where `condition` is
    /// false, which only says whether the program really looks at it.
    Read {
        cell: CellId,
        variable: TermId,
        condition: TermId,
    },
    /// Where the condition is false, the cell keeps its value.
    Write {
        cell: CellId,
        condition: TermId,
        value: TermId,
    },
}

pub struct Cell {
    pub width: u32,
    /// It is memory of the program, so that its order of writes is up to the memory
    /// model. All else is bookkeeping, of which everybody sees the latest.
    pub is_memory: bool,
    /// It counts those who hold a lock together. They do not learn of each other: only
    /// steps do that hold it alone, see [`Strength::is_alone`].
    pub counts_readers: bool,
    /// Its value when main creates the first thread.
    pub initial: TermId,
    /// The values it can ever have.
    pub range: formula::Range,
    /// For people.
    pub name: String,
}

/// Where a position stands in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub place: Place,
    /// Which step of the instruction's execution this is: 0, or 1 for the second
    /// half of those that take two (a wait for a condition, say).
    pub part: u32,
    pub location: Option<Location>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Inst(FunctionId, InstId),
    /// The return from a function, where locals end that others may know.
    Return(FunctionId),
    /// The thread ends: its function has returned.
    End,
    /// The thread begins to end the process: functions that are registered for that
    /// follow.
    Exit,
    /// The thread has begun and does something that only looks shared.
    Start,
}
