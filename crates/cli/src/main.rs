//! The command line of Threadbare: reads arguments and files, prints results,
//! and gives each outcome its exit code. All the thinking is done elsewhere.

// `eprintln!` panics where nobody listens; `say` does not.
#![deny(clippy::print_stderr)]

mod args;
mod check;
mod combine;
mod explore;
mod guard;
mod init;
mod input;
mod progress;
mod project;
mod run;
mod search_args;
mod show;
mod svcomp;

use args::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
use std::io::{ErrorKind as IoErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    NoAnswer(threadbare::Error),
    #[error("--prove knows interleavings only, not --memory-model {}", .0.name())]
    OnlyInterleavings(library::MemoryModel),
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
    #[error("{}: {error}", path.display())]
    ScheduleMisfit {
        path: PathBuf,
        error: threadbare::Error,
    },
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
    #[error("{}:{line}: not a suppression such as race:function: {text}", path.display())]
    Suppression {
        path: PathBuf,
        line: u32,
        text: String,
    },
    #[error(transparent)]
    Project(#[from] project::Problem),
    #[error("{0}")]
    Combine(String),
    #[error("{0}")]
    Checkpoint(String),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Unsupported(String),
    #[error("standard output: {0}")]
    Output(std::io::Error),
    #[error("internal error: {0}")]
    Internal(String),
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Failure::Internal(_) => INTERNAL,
            Failure::NoAnswer(error) if error.is_internal() => INTERNAL,
            Failure::Usage(_) | Failure::Project(_) => USAGE,
            _ => BAD_INPUT,
        }
    }
}

impl From<threadbare::Error> for Failure {
    fn from(error: threadbare::Error) -> Failure {
        match error {
            threadbare::Error::NoSuchLoop { .. } => Failure::Usage(format!("--unwindset: {error}")),
            _ if error.is_misuse() => Failure::Usage(error.to_string()),
            _ => Failure::NoAnswer(error),
        }
    }
}

fn main() -> ExitCode {
    guard::begin();
    let words = match project::complete(std::env::args_os().collect()) {
        Ok((words, file)) => {
            if let Some(file) = file {
                say(format!("threadbare: options from {}\n", file.display()));
            }
            words
        }
        Err(failure) => {
            say(format!("threadbare: {failure}\n"));
            return ExitCode::from(failure.exit_code());
        }
    };
    let arguments = match Arguments::try_parse_from(words) {
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
    // A mistake of ours has an exit code of its own, which is not Rust's.
    let result = catch_unwind(AssertUnwindSafe(|| obey(&arguments.command)))
        .unwrap_or_else(|_| Err(Failure::Internal("a panic, see above".to_owned())));
    guard::begin_to_tell();
    guard::exit(exit_code(result))
}

fn obey(command: &Command) -> Result<Status, Failure> {
    match command {
        Command::Show(show) => show::show(show),
        Command::Init(init) => init::init(init),
        Command::Run(run) => run::run(run),
        Command::Explore(explore) => explore::explore(explore),
        Command::Check(check) => check::check(check),
        Command::Combine(combine) => combine::combine(combine),
    }
}

/// Tells what went wrong, if so.
fn exit_code(result: Result<Status, Failure>) -> u8 {
    let failure = match result {
        Ok(status) => return status as u8,
        Err(failure) => failure,
    };
    if let Failure::NoAnswer(error) = &failure {
        if error.is_limit() {
            mention(print(guard::unknown(&error.to_string())));
            return Status::Unknown as u8;
        }
        say(error.clang_messages().unwrap_or_default());
    }
    say(format!("threadbare: {failure}\n"));
    failure.exit_code()
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
