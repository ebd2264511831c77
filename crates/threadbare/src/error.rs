//! Why there is no answer. What was found out about a program, be it that nobody
//! knows, is never an error.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no program: the files, the compiler or what they contain are to
    /// blame.
    #[error(transparent)]
    Load(#[from] llvm::Error),
    /// Clang puts the checks of conversions in, so it must have the sources.
    #[error(
        "{}: conversions can be checked only in source files: clang puts the checks in",
        path.display()
    )]
    CompiledBefore { path: PathBuf },
    /// The question looks for conversions in a program that was read without them.
    #[error("the program was read without checks of conversions: see `Sources::conversions`")]
    NoConversions,
    /// The options of the question do not go together.
    #[error("{}", report::describe_conflict(.0))]
    Conflict(check::Conflict),
    /// A bound was given for a loop that is not there.
    #[error("there is no loop `{name}` ({hint})")]
    NoSuchLoop { name: String, hint: String },
    #[error("the program's global variables need more memory than a run may have")]
    TooLarge,
    /// The schedule is not one of this program.
    #[error("the schedule was made for another program, or for another version of this one")]
    OtherProgram,
    #[error(transparent)]
    DoesNotFit(#[from] replay::DoesNotFit),
    /// A mistake in Threadbare.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// What clang wrote when it refused the program, unchanged.
    pub fn clang_messages(&self) -> Option<&str> {
        match self {
            Error::Load(llvm::Error::ClangFailed { stderr, .. }) => Some(stderr),
            _ => None,
        }
    }

    /// Whether it is Threadbare's own fault.
    pub fn is_internal(&self) -> bool {
        matches!(
            self,
            Error::Internal(_) | Error::Load(llvm::Error::Internal(_))
        )
    }

    /// Whether a limit on time or memory was reached before there was a program.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Error::Load(llvm::Error::OutOfTime(_) | llvm::Error::OutOfMemory(_))
        )
    }

    /// Whether the question is to blame, rather than the program.
    pub fn is_misuse(&self) -> bool {
        matches!(
            self,
            Error::CompiledBefore { .. }
                | Error::NoConversions
                | Error::Conflict(_)
                | Error::NoSuchLoop { .. }
        )
    }
}
