//! What a verdict rests on, and why there is none: facts as types.
//!
//! Nothing here is a sentence. Whoever decides something looks at these types;
//! `report` alone makes sentences of them. Places are given by file and line, so
//! that facts can be kept in files and compared without the program.

use crate::verdict::{Conflict, Order};
use analysis::Site;
use ir::{Location, Program, Type};
use replay::{Property, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use unfold::Omission;

/// A place in the source, or the function it is in where the line is unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourcePlace {
    Line {
        file: String,
        line: u32,
        column: u32,
    },
    Function(String),
}

impl SourcePlace {
    pub fn of_location(program: &Program, location: Location) -> SourcePlace {
        SourcePlace::Line {
            file: program.files[location.file].clone(),
            line: location.line,
            column: location.column,
        }
    }

    pub fn of_site(program: &Program, site: Site) -> SourcePlace {
        let function = &program.functions[site.function];
        let body = function.body.as_ref();
        match body.and_then(|body| body.insts[site.inst].location) {
            Some(location) => SourcePlace::of_location(program, location),
            None => SourcePlace::Function(function.name.clone()),
        }
    }
}

/// What a search did not go beyond. Empty: nothing was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Unless no run has more contexts than that anyway.
    pub order: Option<Order>,
    pub loops: BTreeSet<CutLoop>,
    /// What was taken for granted.
    pub assumptions: BTreeSet<Assumption>,
}

impl Limits {
    pub fn are_empty(&self) -> bool {
        self.order.is_none() && self.loops.is_empty() && self.assumptions.is_empty()
    }

    /// What holds within both.
    pub fn join(&mut self, other: Limits) {
        let Limits {
            order,
            loops,
            assumptions,
        } = other;
        self.order = self.order.or(order);
        self.loops.extend(loops);
        self.assumptions.extend(assumptions);
    }
}

/// A loop that may iterate, or a function that may call itself, more often than
/// was looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CutLoop {
    /// `main.0`, or the function's name for recursion.
    pub name: String,
    pub place: Option<SourcePlace>,
    pub bound: u32,
    pub is_recursion: bool,
}

/// Something that a verdict takes for granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// Runs were left out where the program is unfolded.
    Omission(Omission),
    /// Nobody knows whether memory is lost that threads may hold which still run in
    /// the end, that numbers may be the addresses of, or that functions for the end
    /// of the process may free.
    LostMemory,
    /// It does not matter where in memory things are, on which this may depend.
    Layout(SourcePlace),
    /// Memory is sequentially consistent, for which this does not ask.
    MemoryOrder(SourcePlace),
    /// Threads see what others write after some time only, and that is all; for which
    /// this does not ask.
    StoreBuffers {
        /// By place, rather than all of a thread's in their order.
        are_by_place: bool,
        place: SourcePlace,
    },
    /// The program has no arguments, at which this looks.
    Arguments(SourcePlace),
    /// No signal arrives for which this installs a handler.
    NoSignal(SourcePlace),
    /// At most so many signals arrive in each thread for which this installs a handler.
    FewSignals { most: u32, place: SourcePlace },
    /// No thread that is cancelled ends where it prints, as it may here.
    PrintsToTheEnd(SourcePlace),
    /// The environment is empty, at which this looks.
    NoEnvironment(SourcePlace),
    /// Variables of the environment have at most so many characters, at which this looks.
    ShortVariables { longest: u32, place: SourcePlace },
    /// It has at most so many, of at most so many characters, at which this looks.
    FewArguments {
        most: u32,
        longest: u32,
        place: SourcePlace,
    },
    /// A function that has neither a body nor a model changes nothing when it is
    /// called here.
    NoEffect {
        function: String,
        place: SourcePlace,
    },
    /// What the user has suppressed here does no harm.
    Suppressed {
        kind: Suppressible,
        place: SourcePlace,
    },
    /// No thread stops here, at undefined behaviour of a kind that was not looked
    /// for.
    SilentEnd {
        place: SourcePlace,
        property: Silent,
        /// What happens there, without a full stop.
        message: String,
    },
    /// No thread stops at undefined behaviour of these kinds. Nobody knows whether
    /// one can.
    SilentEnds(BTreeSet<Silent>),
}

impl Assumption {
    /// Whether it is a bound that the user gave, or what every question is about: runs
    /// without signals, in an environment of short texts.
    pub fn is_asked_for(&self) -> bool {
        matches!(
            self,
            Assumption::FewArguments { .. }
                | Assumption::ShortVariables { .. }
                | Assumption::NoSignal(_)
                | Assumption::FewSignals { .. }
                | Assumption::Suppressed { .. }
        )
    }
}

/// What users can suppress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suppressible {
    Race,
    Deadlock,
}

/// Properties whose violation ends a thread without a word, unless they are looked
/// for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Silent {
    Memory,
    Misuse,
    Arithmetic,
}

impl Silent {
    pub const ALL: [Silent; 3] = [Silent::Memory, Silent::Misuse, Silent::Arithmetic];

    pub fn property(self) -> Property {
        match self {
            Silent::Memory => Property::Memory,
            Silent::Misuse => Property::Misuse,
            Silent::Arithmetic => Property::Arithmetic,
        }
    }
}

/// Whether some run within the bounds of a verdict comes by a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    Reached,
    Unknown,
    Unreached,
}

/// A run that violates something, if a function that nobody knows does as it did
/// there.
#[derive(Clone, Debug)]
pub struct Dependent {
    pub run: Run,
    pub calls: Vec<UnknownCall>,
}

/// A call of a function that has neither a body nor a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCall {
    pub function: String,
    pub place: SourcePlace,
    /// What it returned, if anything; a signed number unless it is an address.
    pub returned: Option<i128>,
}

impl UnknownCall {
    pub fn of(program: &Program, call: &replay::UnknownCall) -> UnknownCall {
        UnknownCall {
            function: program.functions[call.function].name.clone(),
            place: SourcePlace::of_site(program, call.site),
            returned: call.returned.map(|bits| signed(program, call.site, bits)),
        }
    }
}

impl Dependent {
    pub fn of(program: &Program, run: Run) -> Dependent {
        let calls = run.unknown_calls.iter();
        Dependent {
            calls: calls.map(|call| UnknownCall::of(program, call)).collect(),
            run,
        }
    }
}

/// The result of a call as the program sees it.
fn signed(program: &Program, site: Site, bits: u128) -> i128 {
    let body = program.functions[site.function].body.as_ref();
    let ty = body.and_then(|body| {
        let result = body.insts[site.inst].result?;
        Some(&body.values[result])
    });
    match ty {
        Some(Type::Int(width)) if *width < 128 => {
            let shift = 128 - *width;
            (bits << shift) as i128 >> shift
        }
        _ => bits as i128,
    }
}

/// Why it is unknown whether there is a violation.
#[derive(Clone, Debug)]
pub enum Reason {
    /// There is none within bounds that nobody asked for.
    Bounds,
    Time,
    Memory,
    Interrupted,
    Unsupported(Unsupported),
    /// A formula would have too many of these.
    TooLarge(Part),
    /// The program's global variables do not fit.
    ProgramMemory,
    /// There may be a violation, as far as a coarse formula can tell, but no run
    /// shows it.
    NotConfirmed {
        problem: String,
    },
    /// Nothing goes wrong in interleavings, but the memory model has other runs.
    OnlyInterleavings,
    /// The strategy did not look at everything.
    LeftOut(search::LeftOut),
    /// There is a violation if functions that nobody knows do as they did there.
    DependsOn(Box<Dependent>),
    /// What keeps the explorer from visiting every state.
    Explorer(Obstacle),
    /// No solver is left.
    Solver {
        problem: String,
    },
    CannotWrite {
        path: PathBuf,
        problem: String,
    },
    /// A checkpoint that cannot be used.
    Checkpoint {
        problem: String,
    },
    CannotStart {
        problem: String,
    },
    Options(Conflict),
    /// A mistake of ours.
    Internal(Internal),
}

/// What keeps the explorer from visiting every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// There are more of them than memory holds.
    States,
    /// Inputs have more values than can be tried.
    Inputs,
    /// This function calls itself without end.
    Recursion(String),
    /// A thread works in this function without any visible step, perhaps for ever.
    LocalWork(String),
}

/// A construct that nobody can say anything about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub place: Option<SourcePlace>,
}

/// What formulas are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Terms,
    Clauses,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Internal {
    Panicked,
    /// What the solver found could not be repeated.
    DoesNotReplay {
        problem: String,
    },
    /// All questions are gone, and none was answered.
    NoAnswer,
    /// Unfolding did not come to an end.
    Unsettled,
}

impl Reason {
    pub fn internal(&self) -> Option<&Internal> {
        match self {
            Reason::Internal(internal) => Some(internal),
            _ => None,
        }
    }
}

/// How one attempt ended.
#[derive(Clone, Debug, Default)]
pub enum Ending {
    Violated,
    /// There is no violation.
    #[default]
    None,
    /// There is none in the part that was looked at.
    Partly,
    TooLong,
    /// So many runs at random show none.
    Runs(u64),
    /// So many states were visited, and none shows one.
    States(u64),
    Unknown(Reason),
}
