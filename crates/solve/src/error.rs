//! What can go wrong outside of solving.
//!
//! A solver that fails while solving is not among these: it gives
//! [`Outcome::Unknown`](crate::Outcome::Unknown) with a
//! [`Reason`](crate::Reason), because a run can usually go on without it.

use thiserror::Error;

/// An error of this crate. None of them is a bug of ours: each comes from a
/// setting, a file or a program that somebody chose.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The back end has no option of this name.
    #[error("the solver has no option `{name}`")]
    UnknownOption {
        /// The name as given.
        name: String,
    },
    /// The back end has the option, but not this value.
    #[error("option `{name}` cannot be {value}: the nearest possible value is {nearest}")]
    OptionOutOfRange {
        /// The name as given.
        name: String,
        /// The value as given.
        value: i32,
        /// What the back end would have used instead.
        nearest: i32,
    },
    /// The option exists, but this crate relies on the value it has.
    #[error("option `{name}` cannot be changed: {why}")]
    FixedOption {
        /// The name as given.
        name: String,
        /// What would break.
        why: &'static str,
    },
    /// The back end takes options only while its formula is empty.
    #[error("option `{name}` must be set before the first variable is created")]
    OptionTooLate {
        /// The name as given.
        name: String,
    },
    /// A program does not behave as a SAT solver should.
    #[error("`{program}` cannot serve as a SAT solver: {problem}")]
    NotASolver {
        /// The program as given.
        program: String,
        /// What it did.
        problem: String,
    },
}
