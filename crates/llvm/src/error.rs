//! What can go wrong between the user's files and an [`ir::Program`].
//!
//! Every variant but [`Error::Internal`] is about the input or the installation,
//! and its message says what to do about it or where to look.

use std::fmt;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("no source files given")]
    NoFiles,

    #[error("cannot read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },

    #[error(
        "{}: unknown kind of file; known are .c, .i, .cpp, .cc, .cxx, .ii and .ll",
        path.display()
    )]
    UnknownExtension { path: PathBuf },

    #[error(
        "clang not found (looked for {looked_for}); \
         run scripts/install-clang, or name one with --clang"
    )]
    ClangNotFound { looked_for: String },

    /// Compilation errors, or a clang that could not be started or crashed.
    #[error("clang failed on {} ({status})", path.display())]
    ClangFailed {
        path: PathBuf,
        status: String,
        /// What clang wrote, unchanged; to be shown to the user.
        stderr: String,
    },

    #[error("{module}:{line}: LLVM IR not understood: expected {expected}")]
    NotUnderstood {
        module: String,
        /// Line of the IR text, not of the source.
        line: usize,
        expected: String,
    },

    /// Outside function bodies; inside, the instruction becomes an error only
    /// when it is reached.
    #[error("{place}: {what} is not supported")]
    Unsupported { what: String, place: Place },

    #[error("duplicate definition of `{symbol}`: in {first} and in {second}")]
    DuplicateSymbol {
        symbol: String,
        first: Place,
        second: Place,
    },

    #[error("{}", describe_undefined(.0))]
    UndefinedData(Vec<UndefinedData>),

    #[error("the program has no function `main`")]
    NoMain,

    #[error(
        "{first} is compiled for {first_bits}-bit pointers, {second} is not; use the same -m32 or -m64 for all files"
    )]
    MixedPointerSizes {
        first: String,
        first_bits: u64,
        second: String,
    },

    #[error(
        "{module}: target {target} is not supported; little-endian x86, x86-64 and aarch64 are"
    )]
    UnsupportedTarget { module: String, target: String },

    #[error("{}: {reason}", path.display())]
    CompileCommands { path: PathBuf, reason: String },

    #[error("{} is not listed in {}", file.display(), path.display())]
    NotInCompileCommands { file: PathBuf, path: PathBuf },

    /// LLVM IR was given that LLVM itself would refuse.
    #[error("{place}: LLVM IR that is not valid: {what}")]
    InvalidIr {
        place: Place,
        what: String,
        /// Values are used where they are not defined; nothing else is wrong.
        is_order: bool,
    },

    /// The time was over before there was a program.
    #[error("the time is over ({0})")]
    OutOfTime(Work),

    /// Memory was.
    #[error("the limit on memory was reached ({0})")]
    OutOfMemory(Work),

    /// A mistake in this crate: what was made of clang's output is malformed.
    #[error("internal error: what was made of the input is malformed: {0}")]
    Internal(String),
}

/// What is to be done before there is a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// This program is asked which version of clang it is.
    Asking(PathBuf),
    /// Clang compiles this file.
    Compiling(PathBuf),
    /// What clang wrote, or the files themselves, are read.
    Reading,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Asking(path) => write!(f, "while {} starts", path.display()),
            Work::Compiling(path) => write!(f, "while clang compiles {}", path.display()),
            Work::Reading => f.write_str("while the program is read"),
        }
    }
}

/// Where something is: a line of the source if the debug information says, or
/// else a line of the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    /// 0 if unknown.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// A variable that is used and defined nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedData {
    pub symbol: String,
    pub place: Place,
    /// The function or variable that mentions it.
    pub user: String,
}

fn describe_undefined(list: &[UndefinedData]) -> String {
    let lines = list.iter().map(|undefined| {
        let UndefinedData {
            symbol,
            place,
            user,
        } = undefined;
        format!("{place}: in `{user}`: undefined reference to `{symbol}`")
    });
    lines.collect::<Vec<_>>().join("\n")
}
