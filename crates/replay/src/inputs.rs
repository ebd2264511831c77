//! Nondeterministic inputs: every choice a run makes besides which thread is
//! next. Whoever drives a run answers the requests; the answers are recorded so
//! that the run can be repeated.

use analysis::Site;
use ir::{FunctionId, GlobalId, InstId, Location};

/// What is being asked for. The names are those of the schedule file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InputKind {
    /// `__VERIFIER_nondet_*`.
    Nondet,
    /// The value of memory that was never written.
    Uninitialised,
    /// The result of a function nobody defines.
    UnknownCall,
    /// A value that the language leaves open.
    Undefined,
    /// Which of the waiting threads a signal wakes.
    Waiter,
    /// Which freed address an allocation reuses; 0 is a fresh one.
    Address,
    /// Whether a timed wait gives up.
    Timeout,
    /// Whether an allocation fails.
    Allocation,
    /// Random numbers, clocks, files: what the surroundings answer.
    Environment,
    /// How many arguments the program has, and their characters.
    Argument,
    /// What a read sees, under memory models that leave it a choice: 0 is the newest
    /// write in the order of writes of its place, 1 the newest but one that the model
    /// allows, and so on.
    Source,
    /// Where a write comes in the order of writes of its place, under memory models
    /// that leave it a choice: 0 is at the end, 1 the last place before that which the
    /// model allows, and so on.
    Order,
    /// Whether a variable of the environment is there, and its characters.
    Variable,
    /// What happens to a thread before its next step.
    Interruption,
    /// Whether a weak compare-exchange fails although it sees what it expects.
    WeakFailure,
    /// Which way to go where that depends on what was left open. No run of its own has
    /// such inputs, so schedules do not know the name.
    Decision,
}

impl InputKind {
    pub const ALL: [InputKind; 15] = [
        InputKind::Nondet,
        InputKind::Uninitialised,
        InputKind::UnknownCall,
        InputKind::Undefined,
        InputKind::Waiter,
        InputKind::Address,
        InputKind::Timeout,
        InputKind::Allocation,
        InputKind::Environment,
        InputKind::Argument,
        InputKind::Variable,
        InputKind::Interruption,
        InputKind::Source,
        InputKind::Order,
        InputKind::WeakFailure,
    ];

    pub fn name(self) -> &'static str {
        match self {
            InputKind::Nondet => "nondet",
            InputKind::Uninitialised => "uninitialised",
            InputKind::UnknownCall => "unknown-call",
            InputKind::Undefined => "undefined",
            InputKind::Waiter => "waiter",
            InputKind::Address => "address",
            InputKind::Timeout => "timeout",
            InputKind::Allocation => "allocation",
            InputKind::Environment => "environment",
            InputKind::Argument => "argument",
            InputKind::Variable => "variable",
            InputKind::Interruption => "interruption",
            InputKind::Source => "source",
            InputKind::Order => "order",
            InputKind::WeakFailure => "weak-failure",
            InputKind::Decision => "decision",
        }
    }

    /// What weak memory models leave open: the answer 0 is what happens without them.
    pub fn is_of_memory_model(self) -> bool {
        matches!(
            self,
            InputKind::Source | InputKind::Order | InputKind::WeakFailure
        )
    }

    pub fn from_name(name: &str) -> Option<InputKind> {
        InputKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Which answers are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Any bit pattern of this width.
    Bits(u32),
    /// A pointer of this width: only null is sure to mean something.
    Pointer(u32),
    /// One of 0..n.
    Below(u64),
}

impl Domain {
    pub fn contains(self, value: u128) -> bool {
        match self {
            Domain::Bits(width) | Domain::Pointer(width) => {
                crate::value::truncate(value, width) == value
            }
            Domain::Below(count) => value < u128::from(count),
        }
    }

    /// The value, or what comes closest to it: its low bits, or 0.
    pub fn fit(self, value: u128) -> u128 {
        match self {
            Domain::Bits(width) | Domain::Pointer(width) => crate::value::truncate(value, width),
            Domain::Below(_) if self.contains(value) => value,
            Domain::Below(_) => 0,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Request {
    pub thread: usize,
    pub kind: InputKind,
    pub domain: Domain,
    pub location: Option<Location>,
    /// The instruction that asks, unless a run has none.
    pub site: Option<Site>,
    /// Known in guided runs only.
    pub asker: Option<Asker>,
    /// If it is an address, and in guided runs only: the allocations that had the
    /// freed addresses first, in the order of the answers 1, 2 and so on.
    pub homes: Vec<Option<Allocation>>,
    /// If a weak memory model leaves something open, and in guided runs only: which
    /// access asks.
    pub execution: Option<Execution>,
    /// The same: what each of the answers means.
    pub origins: Vec<Option<Origin>>,
    /// The same for what happens to a thread before its next step.
    pub interruptions: Vec<Option<Incident>>,
}

/// What may happen to a thread before its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Incident {
    /// It ends, as it was asked to.
    Leave,
    /// The handler of a signal runs; then the call that the thread is in may fail.
    Signal { number: u32, fails: bool },
}

/// Which execution of an instruction makes a block, as told in [`crate::Mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    pub thread: usize,
    pub function: FunctionId,
    pub inst: InstId,
    pub count: u64,
}

/// One execution of an instruction, counted as told in [`crate::Mark`], and one of
/// its visible steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Execution {
    pub thread: usize,
    pub function: FunctionId,
    pub inst: InstId,
    pub count: u64,
    pub part: u32,
}

/// What a read sees, or what a write comes right after in the order of writes of its
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// What was there when the first thread was created, or when the memory was
    /// allocated if that was later.
    Initial,
    Write(Execution),
}

/// Which execution of which instruction asks, as told in [`crate::Mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Asker {
    pub function: FunctionId,
    pub inst: InstId,
    /// The thread's executions of this instruction so far, with this one.
    pub count: u64,
    /// How many inputs this execution has asked for before.
    pub index: u32,
}

/// One answered request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    pub thread: usize,
    pub kind: InputKind,
    pub value: u128,
}

/// An answer could not be given: the schedule at hand does not fit the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoInput(pub String);

/// An object that an input is the address of, or of a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addressed {
    pub object: Addressee,
    pub offset: u64,
}

/// Threads are numbered in order of their creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    Global(GlobalId),
    ThreadLocal(usize, GlobalId),
    Function(FunctionId),
    /// The innermost local that a thread has made with this instruction.
    Local(usize, FunctionId, InstId),
    /// Whatever was the first to lie where this allocation put it.
    Block(Allocation),
}

pub trait Inputs {
    fn choose(&mut self, request: &Request) -> Result<u128, NoInput>;

    /// The answer is the address of something, if that is there. Only those who know
    /// what addresses mean have such answers.
    fn address(&self, _request: &Request) -> Option<Addressed> {
        None
    }

    /// What is to happen to a thread before its next step, from those who know before
    /// which parts of executions they want something to happen, or before its end; they
    /// are told which ones are due.
    fn interruption(
        &mut self,
        _thread: usize,
        _is_due: &dyn Fn(Option<&Execution>) -> bool,
    ) -> Option<Option<Incident>> {
        None
    }

    /// The answer to what a weak memory model leaves open, from those who know which
    /// write they want; it may not be among the answers.
    fn origin(&self, _request: &Request) -> Result<Option<u128>, NoInput> {
        Ok(None)
    }
}
