//! The command line of Threadbare: reads arguments and files, prints results,
//! and gives each outcome its exit code. All the thinking is done elsewhere.

// `eprintln!` panics where nobody listens; `say` does not.
#![deny(clippy::print_stderr)]

mod args;
mod check;
mod combine;
mod explore;
mod input;
mod loop_names;
mod progress;
mod run;
mod search_args;
mod show;
mod svcomp;

use args::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
use std::io::{ErrorKind as IoErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Safe, or nothing found within the given bounds.
    Fine = 0,
    Violated = 10,
    Unknown = 20,
}

const USAGE: u8 = 64;
const BAD_INPUT: u8 = 65;
const INTERNAL: u8 = 70;

/// Everything that can go wrong before there is a result.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Load(#[from] llvm::Error),
    #[error("functions without a body (--strict): {0}")]
    UnknownFunctions(String),
    #[error("cannot read {}: {error}", path.display())]
    Read {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("cannot write {}: {error}", path.display())]
    Write {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{}: {error}", path.display())]
    Schedule {
        path: PathBuf,
        error: replay::ParseError,
    },
    #[error("{}: {reason}", path.display())]
    ScheduleMisfit { path: PathBuf, reason: String },
    #[error("{}: not a property such as \"CHECK( init(main()), LTL(G ! call(reach_error())) )\": {line}", path.display())]
    Property { path: PathBuf, line: String },
    #[error("{}: not a result of `threadbare check`: {error}", path.display())]
    Result {
        path: PathBuf,
        error: serde_json::Error,
    },
    #[error("{}: {problem}", path.display())]
    Seal {
        path: PathBuf,
        problem: ::check::SealError,
    },
    #[error("{}: an empty file is no secret", .0.display())]
    Key(PathBuf),
    #[error("{0}")]
    Combine(String),
    #[error("{0}")]
    Checkpoint(String),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Unsupported(String),
    #[error("the program's global variables need more memory than a run may have")]
    TooLarge,
    #[error("standard output: {0}")]
    Output(std::io::Error),
    #[error("internal error: {0}")]
    Internal(String),
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Failure::Internal(_) | Failure::Load(llvm::Error::Internal(_)) => INTERNAL,
            Failure::Usage(_) => USAGE,
            _ => BAD_INPUT,
        }
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let is_help = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            // There is nobody left to tell if this cannot be printed.
            let _ = error.print();
            return ExitCode::from(if is_help { 0 } else { USAGE });
        }
    };
    let result = match &arguments.command {
        Command::Show(show) => show::show(show),
        Command::Run(run) => run::run(run),
        Command::Explore(explore) => explore::explore(explore),
        Command::Check(check) => check::check(check),
        Command::Combine(combine) => combine::combine(combine),
    };
    match result {
        Ok(status) => ExitCode::from(status as u8),
        Err(failure) => {
            if let Failure::Load(llvm::Error::ClangFailed { stderr, .. }) = &failure {
                say(stderr);
            }
            say(format!("threadbare: {failure}\n"));
            ExitCode::from(failure.exit_code())
        }
    }
}

fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    let printed = output
        .write_all(text.as_ref())
        .and_then(|()| output.flush());
    match printed {
        // A reader that has seen enough, such as `head`, is no failure of ours, and
        // the exit code is still an answer.
        Err(error) if error.kind() == IoErrorKind::BrokenPipe => Ok(()),
        printed => printed.map_err(Failure::Output),
    }
}

/// Whatever becomes of files and output, the verdict stands, and so does its exit
/// code: what went wrong is told beside it.
fn mention(result: Result<(), Failure>) {
    if let Err(failure) = result {
        say(format!("threadbare: {failure}\n"));
    }
}

/// Tells the user something beside the result. If that cannot be printed, there is
/// nobody left to tell.
fn say(text: impl AsRef<str>) {
    let mut output = std::io::stderr().lock();
    let _ = output.write_all(text.as_ref().as_bytes());
    let _ = output.flush();
}

/// Columns of the terminal; plenty if there is none, so that files get whole
/// lines.
fn terminal_width() -> usize {
    match terminal_size::terminal_size() {
        Some((width, _)) => usize::from(width.0),
        None => 160,
    }
}
