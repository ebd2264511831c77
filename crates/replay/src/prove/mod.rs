//! The prover: visits every state that a program can reach, whatever its loops, and
//! so shows that nothing goes wrong in any of them.
//!
//! Where [`crate::explore`] counts schedules, this visits states, each once. The
//! interpreter remains the only one who knows what a step does; but what a step
//! looks at and what it changes is remembered (`steps.rs`), and states are rows of
//! small numbers (`components.rs`, `table.rs`), so that most steps are look-ups.
//!
//! **What a complete result means:** every reachable state was visited, up to the
//! reductions that were asked for, and nothing was cut. Whatever is reported as a
//! violation has been seen in an ordinary run of the interpreter along the schedule
//! that is given with it.
//!
//! It knows no bounds but those of [`Config`] on loops: runs of all lengths and with
//! all numbers of contexts are covered.

mod alone;
mod claims;
mod components;
mod contents;
mod crew;
mod dead;
mod findings;
mod inputs;
mod joins;
mod kernel;
mod locals;
mod objects;
mod questions;
mod search;
mod steps;
mod symmetry;
mod table;
mod threads;
mod turns;
mod visit;
mod words;

pub use alone::Mistake;
pub use inputs::Samples;

use crate::coverage::Coverage;
use crate::explore::{Exploration, Found, Interruption, Limit};
use crate::image::Image;
use crate::inputs::InputKind;
use crate::machine::{Config, Excluded, UnknownCall, Unsupported};
use crate::violation::ViolationKind;
use std::collections::BTreeSet;

/// How to go about it.
#[derive(Clone, Debug)]
pub struct ProofOptions {
    /// Go on after the first violation, to the end.
    pub find_all: bool,
    pub inputs: Samples,
    /// Bytes for states and all that is remembered about steps.
    pub memory: usize,
    /// How many may visit states at a time.
    pub cores: usize,
    /// New states of which it is worth to hand some out.
    pub worth_sharing: usize,
    pub reductions: Reductions,
    /// If nothing else is open, let waits end without a signal too.
    pub tries_spurious_wakeups: bool,
    /// Take every step by the interpreter too, and compare. For tests.
    pub is_checked: bool,
}

/// What may be left out because it makes no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// What locals hold that nobody will read is forgotten.
    pub dead_locals: bool,
    /// Steps that have nothing to do with what others may do are taken at once.
    pub partial_order: bool,
    /// Where no thread may go alone, several may go without the others. It needs the
    /// above.
    pub thread_sets: bool,
    /// A thread that may go alone after a step does so at once, and the states in
    /// between are not kept. It needs `partial_order`.
    pub going_on: bool,
    /// Of states that differ in which thread does what, only one is visited. It needs
    /// `partial_order`.
    pub symmetry: bool,
    /// What global variables hold that nobody will read is forgotten. It needs
    /// `partial_order`.
    pub dead_memory: bool,
    /// For tests only: what must be noticed.
    pub mistake: Option<Mistake>,
}

impl Reductions {
    pub const NONE: Reductions = Reductions {
        dead_locals: false,
        partial_order: false,
        thread_sets: false,
        going_on: false,
        symmetry: false,
        dead_memory: false,
        mistake: None,
    };
    pub const ALL: Reductions = Reductions {
        dead_locals: true,
        partial_order: true,
        thread_sets: true,
        going_on: true,
        symmetry: true,
        dead_memory: true,
        mistake: None,
    };
}

impl Default for ProofOptions {
    fn default() -> Self {
        ProofOptions {
            find_all: false,
            inputs: Samples::default(),
            memory: 4 << 30,
            cores: 1,
            worth_sharing: 1000,
            reductions: Reductions::ALL,
            tries_spurious_wakeups: true,
            is_checked: false,
        }
    }
}

/// How far it has got, for those who wait.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProofProgress {
    pub states: usize,
    pub violations: usize,
}

/// What was established.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// One for each kind and place.
    pub violations: Vec<Found>,
    /// The same in runs that went through calls of functions which nobody knows, if
    /// what those do is only assumed.
    pub dependent: Vec<(Found, Vec<UnknownCall>)>,
    /// Those that were found when waits could end without a signal although that was
    /// not asked for. They are no answer to the question, but worth to be told.
    pub spurious: Vec<Found>,
    /// What was left out.
    pub limits: BTreeSet<Limit>,
    pub unsupported: Vec<Unsupported>,
    /// Undefined behaviour that was met but not asked for.
    pub undefined: BTreeSet<ViolationKind>,
    /// Kinds of inputs that were not tried with all their values.
    pub sampled: BTreeSet<InputKind>,
    pub interrupted: Option<Interruption>,
    /// It ended because it had found what it looked for.
    pub stopped_early: bool,
    /// Some run was stopped by an assumption.
    pub is_assumed: bool,
    /// Where runs come by; if it is coarse, where they may come by.
    pub coverage: Coverage,
    /// Some runs were looked at that there are not.
    pub is_coarse: bool,
    /// Mistakes of ours: a remembered step was not what the interpreter does, or a
    /// violation did not show when its schedule was run. Nothing is proved then.
    pub mistakes: Vec<String>,
    pub states: usize,
    /// Steps from one state to another.
    pub steps: u64,
    /// Steps that the interpreter had to take.
    pub interpreted: u64,
    /// Bytes of memory for states alone, and for all.
    pub state_bytes: usize,
    pub bytes: usize,
}

impl Proof {
    /// Every reachable state was visited and nothing was cut.
    pub fn is_complete(&self) -> bool {
        self.interrupted.is_none()
            && !self.stopped_early
            && self.limits.is_empty()
            && self.unsupported.is_empty()
            && self.undefined.is_empty()
            && self.dependent.is_empty()
            && self.mistakes.is_empty()
    }

    /// Whether there is anything to tell but that nothing goes wrong.
    fn tells_something(&self) -> bool {
        let excluded = Limit::Excluded(Excluded::SpuriousWakeups);
        let mut limits = self.limits.iter();
        !self.violations.is_empty()
            || !self.dependent.is_empty()
            || !self.unsupported.is_empty()
            || !self.undefined.is_empty()
            || !self.mistakes.is_empty()
            || limits.any(|limit| *limit != excluded)
    }

    /// Adds what another has found in the same search.
    fn add(&mut self, other: Proof) {
        self.violations.extend(other.violations);
        self.dependent.extend(other.dependent);
        self.spurious.extend(other.spurious);
        self.limits.extend(other.limits);
        self.unsupported.extend(other.unsupported);
        self.undefined.extend(other.undefined);
        self.sampled.extend(other.sampled);
        self.interrupted = self.interrupted.or(other.interrupted);
        self.is_assumed |= other.is_assumed;
        self.is_coarse |= other.is_coarse;
        self.coverage.merge(&other.coverage);
        self.mistakes.extend(other.mistakes);
        self.steps += other.steps;
        self.interpreted += other.interpreted;
        self.bytes += other.bytes;
    }

    /// Leaves one violation for each kind and place, whoever has found it; or one only.
    fn put_in_order(&mut self, keeps_all: bool) {
        let most = if keeps_all { usize::MAX } else { 1 };
        self.violations
            .sort_by_key(|found| found.violation.signature());
        self.violations
            .dedup_by_key(|found| found.violation.signature());
        self.violations.truncate(most);
        (self.dependent).sort_by_key(|(found, _)| found.violation.signature());
        (self.dependent).dedup_by_key(|(found, _)| found.violation.signature());
    }

    /// The same for those who tell of explorations; nothing was counted but states.
    pub fn into_exploration(self) -> Exploration {
        Exploration {
            // It knows interleavings only.
            memory_model: library::MemoryModel::Sc,
            executions: None,
            violations: self.violations,
            dependent: self.dependent,
            limits: self.limits,
            unsupported: self.unsupported,
            undefined: self.undefined,
            sampled: self.sampled,
            interrupted: self.interrupted,
            stopped_early: self.stopped_early,
            states: self.states,
            state_bytes: self.state_bytes,
            ..Exploration::default()
        }
    }
}

/// How a helper is let do its work: piece by piece, until there is no more for now.
pub type Aid<'h> = dyn Fn(&mut dyn FnMut() -> bool) + Sync + 'h;

/// Visits all states. `keep_going` is asked now and then whether to go on. The image
/// must be that of the configuration.
pub fn prove(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Proof {
    let aid = |work: &mut dyn FnMut() -> bool| while work() {};
    prove_with_aid(image, config, digest, options, keep_going, &aid)
}

/// The same for those who have a say in when helpers work.
pub fn prove_with_aid(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
    aid: &Aid,
) -> Proof {
    search::search(image, config, digest, options, keep_going, aid)
}
