//! What a run of a program can be seen to do, natively and in the interpreter,
//! and whether both are the same.

use crate::clang::Clang;
use ir::Program;
use replay::{Config, Image, Outcome};
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Visible steps that a program of the tests may take.
const MAX_STEPS: u64 = 50_000_000;

/// The signal that `abort` raises.
const SIGABRT: i32 = 6;

#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    Exit(i32),
    Signal(i32),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exit(status) => write!(f, "exit status {status}"),
            Ending::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// What the outside world sees of a run.
#[derive(Debug)]
pub struct Observed {
    pub standard_output: Vec<u8>,
    pub standard_error: Vec<u8>,
    pub ending: Ending,
}

/// Compiles a single-threaded program, runs it both ways and compares.
pub fn compare(clang: &Clang, source: &Path, args: &[String]) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let executable = folder.path().join("program");
    clang.build(source, args, &executable)?;
    let expected = run_natively(&executable)?;
    let program = clang.load(source, args)?;
    let actual = interpret(&program)?;
    expect_same(&expected, &actual)
}

pub fn run_natively(executable: &Path) -> Result<Observed, String> {
    let output = Command::new(executable)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run the native program: {error}"))?;
    let ending = match (output.status.code(), output.status.signal()) {
        (Some(status), _) => Ending::Exit(status),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => return Err(format!("the native program: {}", output.status)),
    };
    Ok(Observed {
        standard_output: output.stdout,
        standard_error: output.stderr,
        ending,
    })
}

pub fn image<'p>(program: &'p Program, config: &Config) -> Result<Image<'p>, String> {
    Image::new(program, &config.surroundings.arguments, config.memory_limit)
        .map_err(|_| "the program's data does not fit into the memory limit".to_owned())
}

/// Runs a program in the interpreter, under one schedule. Anything that it notices is
/// an error, with the place in the source.
pub fn interpret(program: &Program) -> Result<Observed, String> {
    let config = Config {
        keep_output: true,
        ..Config::default()
    };
    let image = image(program, &config)?;
    let seed = 0;
    let run = replay::run_random(&image, &config, 0, seed, MAX_STEPS, false, &mut |_| true);
    if let Some(violation) = run.violations.first() {
        return Err(format!(
            "{}: {}",
            violation.kind,
            violation.describe(program)
        ));
    }
    if let Some(call) = run.unknown_calls.first() {
        let name = &program.functions[call.function].name;
        return Err(format!("the library function {name} is not known"));
    }
    let ending = match run.outcome {
        // The system keeps eight bits of what `main` returns.
        Outcome::Exited(status) => Ending::Exit(status & 0xff),
        Outcome::Aborted => Ending::Signal(SIGABRT),
        Outcome::Unsupported(unsupported) => {
            let place = unsupported.location;
            let place = place.map_or("?".to_owned(), |place| program.describe_location(place));
            return Err(format!("{place}: not supported: {}", unsupported.what));
        }
        outcome => return Err(format!("ended in an unexpected way: {outcome:?}")),
    };
    Ok(Observed {
        standard_output: run.standard_output,
        standard_error: run.standard_error,
        ending,
    })
}

fn expect_same(native: &Observed, interpreted: &Observed) -> Result<(), String> {
    let difference = first_difference(&native.standard_output, &interpreted.standard_output);
    if let Some(difference) = difference {
        return Err(format!("different output, {difference}"));
    }
    if native.ending != interpreted.ending {
        return Err(format!(
            "ends with {} natively, with {} in the interpreter\n{}",
            native.ending,
            interpreted.ending,
            String::from_utf8_lossy(&interpreted.standard_error)
        ));
    }
    Ok(())
}

/// The first line in which two texts differ, with the one before it.
fn first_difference(native: &[u8], interpreted: &[u8]) -> Option<String> {
    if native == interpreted {
        return None;
    }
    let lines = |text: &[u8]| -> Vec<String> {
        let pieces = text.split_inclusive(|byte| *byte == b'\n');
        pieces.map(|line| line.escape_ascii().to_string()).collect()
    };
    let (native, interpreted) = (lines(native), lines(interpreted));
    let index = (0..).find(|index| native.get(*index) != interpreted.get(*index))?;
    let shown = |lines: &[String]| match lines.get(index) {
        Some(line) => line.clone(),
        None => "<end of output>".to_owned(),
    };
    let before = index.checked_sub(1).and_then(|before| native.get(before));
    let before = before.map_or(String::new(), |line| format!("    both:        {line}\n"));
    Some(format!(
        "line {}:\n{before}    native:      {}\n    interpreter: {}",
        index + 1,
        shown(&native),
        shown(&interpreted)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_shown() {
        assert_eq!(first_difference(b"a\nb", b"a\nb"), None);
        assert_eq!(
            first_difference(b"a\nb\nc\n", b"a\n").as_deref(),
            Some(
                "line 2:\n    both:        a\\n\n    native:      b\\n\n    interpreter: <end of output>"
            )
        );
        assert_eq!(
            first_difference(b"\xff", b"\n").as_deref(),
            Some("line 1:\n    native:      \\xff\n    interpreter: \\n")
        );
    }
}
