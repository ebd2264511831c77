//! What unfolding is asked to look for. What is not wanted ends a thread where
//! it happens, without further notice.

/// Something that can be wrong with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// A failed assertion, or the call of an error function.
    Assert,
    /// No thread can go on.
    Deadlock,
    /// Invalid use of memory.
    Memory,
    /// Memory that nobody can free any more when the process ends.
    Leak,
    /// Memory that was not freed when the process ends.
    Cleanup,
    /// Memory that was never written decides about something.
    Uninitialised,
    /// A library function is used against its rules.
    Misuse,
    /// Division by zero, and shifts that are too far.
    Arithmetic,
    /// Signed overflow.
    Overflow,
    /// An implicit conversion changes the value.
    Conversion,
    Race,
    /// A loop or recursion goes beyond its bound.
    Unwind,
}

/// A set of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks(u16);

impl Checks {
    pub const NONE: Checks = Checks(0);

    #[must_use]
    pub fn with(self, check: Check) -> Checks {
        Checks(self.0 | 1 << check as u16)
    }

    pub fn has(self, check: Check) -> bool {
        self.0 & 1 << check as u16 != 0
    }
}

impl FromIterator<Check> for Checks {
    fn from_iter<I: IntoIterator<Item = Check>>(checks: I) -> Self {
        checks.into_iter().fold(Checks::NONE, Checks::with)
    }
}
