//! What can be wrong with a program: the kinds of violation, and one found.

use ir::{Location, Program};
use std::fmt;

/// Groups of violations that are switched on and off together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    Assert,
    Deadlock,
    Memory,
    Leak,
    /// Everything that was allocated is freed in the end.
    Cleanup,
    /// Memory that was never written decides about something.
    Uninitialised,
    Misuse,
    Arithmetic,
    Overflow,
    /// The compiler has to put in the checks: `-fsanitize=implicit-conversion`.
    Conversion,
    Race,
    /// Loops and recursion that go beyond their bounds.
    Unwind,
}

impl Property {
    pub const ALL: [Property; 12] = [
        Property::Assert,
        Property::Deadlock,
        Property::Memory,
        Property::Leak,
        Property::Cleanup,
        Property::Uninitialised,
        Property::Misuse,
        Property::Arithmetic,
        Property::Overflow,
        Property::Conversion,
        Property::Race,
        Property::Unwind,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Property::Assert => "assert",
            Property::Deadlock => "deadlock",
            Property::Memory => "memory",
            Property::Leak => "leak",
            Property::Cleanup => "cleanup",
            Property::Uninitialised => "uninitialised",
            Property::Misuse => "misuse",
            Property::Arithmetic => "arithmetic",
            Property::Overflow => "overflow",
            Property::Conversion => "conversion",
            Property::Race => "race",
            Property::Unwind => "unwind",
        }
    }

    pub fn from_name(name: &str) -> Option<Property> {
        Property::ALL
            .into_iter()
            .find(|property| property.name() == name)
    }
}

/// A set of properties to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks(u16);

impl Checks {
    pub const NONE: Checks = Checks(0);

    pub fn with(self, property: Property) -> Checks {
        Checks(self.0 | 1 << property as u16)
    }

    pub fn without(self, property: Property) -> Checks {
        Checks(self.0 & !(1 << property as u16))
    }

    pub fn has(self, property: Property) -> bool {
        self.0 & 1 << property as u16 != 0
    }

    /// All that can be wrong with a program. Whether a loop goes beyond its bound is
    /// a question about the bound, conversions are often meant to lose something, and
    /// many correct programs leave it to the system to free what they still know.
    pub fn all() -> Checks {
        let properties = Property::ALL.into_iter().collect::<Checks>();
        properties
            .without(Property::Unwind)
            .without(Property::Conversion)
            .without(Property::Cleanup)
    }

    /// All that ends a thread, or keeps it from going on for ever: whoever does not
    /// look for one of these does not see what would have come after it.
    pub fn ends_of_threads() -> Checks {
        Checks::NONE
            .with(Property::Assert)
            .with(Property::Memory)
            .with(Property::Misuse)
            .with(Property::Arithmetic)
            .with(Property::Deadlock)
    }

    pub fn iter(self) -> impl Iterator<Item = Property> {
        let properties = Property::ALL.into_iter();
        properties.filter(move |property| self.has(*property))
    }
}

/// Everything but leaks, which many correct programs leave to the system, and what
/// memory was never written, which takes time to follow.
impl Default for Checks {
    fn default() -> Self {
        Checks::all()
            .without(Property::Leak)
            .without(Property::Uninitialised)
    }
}

impl FromIterator<Property> for Checks {
    fn from_iter<I: IntoIterator<Item = Property>>(properties: I) -> Self {
        properties.into_iter().fold(Checks::NONE, Checks::with)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    Assertion,
    Deadlock,
    NullDereference,
    OutOfBounds,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    /// An address that belongs to no object, a write to a constant, a call of
    /// something that is not a function.
    InvalidPointer,
    Leak,
    /// A block that is still there when the process ends.
    NotFreed,
    /// Memory that was never written decides about something.
    Uninitialised,
    Overflow,
    DivisionByZero,
    BadShift,
    /// An implicit conversion changes the value.
    Conversion,
    UnlockNotOwned,
    /// A synchronisation object that was destroyed or never initialised.
    DestroyedObject,
    /// Any other use of a library function that its rules forbid.
    Misuse,
    DataRace,
    /// A loop or recursion goes beyond its bound.
    Unwinding,
}

impl ViolationKind {
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::NullDereference => "null-dereference",
            ViolationKind::OutOfBounds => "out-of-bounds",
            ViolationKind::UseAfterFree => "use-after-free",
            ViolationKind::DoubleFree => "double-free",
            ViolationKind::InvalidFree => "invalid-free",
            ViolationKind::InvalidPointer => "invalid-pointer",
            ViolationKind::Leak => "leak",
            ViolationKind::NotFreed => "not-freed",
            ViolationKind::Uninitialised => "uninitialised",
            ViolationKind::Overflow => "overflow",
            ViolationKind::DivisionByZero => "division-by-zero",
            ViolationKind::BadShift => "bad-shift",
            ViolationKind::Conversion => "conversion",
            ViolationKind::UnlockNotOwned => "unlock-not-owned",
            ViolationKind::DestroyedObject => "destroyed-object",
            ViolationKind::Misuse => "misuse",
            ViolationKind::DataRace => "data-race",
            ViolationKind::Unwinding => "unwinding",
        }
    }

    pub fn property(self) -> Property {
        match self {
            ViolationKind::Assertion => Property::Assert,
            ViolationKind::Deadlock => Property::Deadlock,
            ViolationKind::NullDereference
            | ViolationKind::OutOfBounds
            | ViolationKind::UseAfterFree
            | ViolationKind::DoubleFree
            | ViolationKind::InvalidFree
            | ViolationKind::InvalidPointer => Property::Memory,
            ViolationKind::Leak => Property::Leak,
            ViolationKind::NotFreed => Property::Cleanup,
            ViolationKind::Uninitialised => Property::Uninitialised,
            ViolationKind::Overflow => Property::Overflow,
            ViolationKind::DivisionByZero | ViolationKind::BadShift => Property::Arithmetic,
            ViolationKind::Conversion => Property::Conversion,
            ViolationKind::UnlockNotOwned
            | ViolationKind::DestroyedObject
            | ViolationKind::Misuse => Property::Misuse,
            ViolationKind::DataRace => Property::Race,
            ViolationKind::Unwinding => Property::Unwind,
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A function call in progress: where it stands, in source terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StackEntry {
    pub function: String,
    pub location: Option<Location>,
}

/// One violation. Two that agree in all fields are the same to the user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    pub kind: ViolationKind,
    pub thread: usize,
    /// Innermost call first.
    pub stack: Vec<StackEntry>,
    /// A sentence without full stop, in the user's terms.
    pub message: String,
    /// It is the call of a function that exists to report an error, `reach_error` for
    /// instance.
    pub is_error_call: bool,
    /// Further lines: the other access of a race, who waits for whom.
    pub details: Vec<String>,
    /// If it takes several places to tell it from others: the two accesses of a
    /// race, or where threads wait in a deadlock, in order.
    pub sites: Vec<String>,
    /// The calls in progress of all who take part in a race or deadlock, in no
    /// particular order.
    pub parties: Vec<Vec<StackEntry>>,
    /// The global variable that a race is about, if it is one.
    pub global: Option<String>,
}

/// See [`Violation::signature`].
pub type Signature = (ViolationKind, Option<Location>, Vec<String>);

impl Violation {
    pub fn location(&self) -> Option<Location> {
        // A relay is where it was called from.
        self.stack.iter().take(2).find_map(|entry| entry.location)
    }

    /// What makes this violation different from others in the program: kind and
    /// source place, but not the values that happened to be involved.
    pub fn site(&self) -> (ViolationKind, Option<Location>) {
        (self.kind, self.location())
    }

    /// The same with all places, if there are several; threads do not matter.
    pub fn signature(&self) -> Signature {
        match self.sites.is_empty() {
            true => (self.kind, self.location(), Vec::new()),
            false => (self.kind, None, self.sites.clone()),
        }
    }

    pub fn describe(&self, program: &Program) -> String {
        match self.location() {
            Some(location) => {
                format!("{}: {}", program.describe_location(location), self.message)
            }
            None => self.message.clone(),
        }
    }
}
