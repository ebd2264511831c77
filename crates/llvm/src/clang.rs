//! Finds and runs clang, within limits.
//!
//! It writes to pipes: no temporary files. It is a process group of its own that is
//! ended at a limit and on every way out, with whatever it has started.

use crate::compile_commands::Entry;
use crate::driver::Language;
use crate::error::{Error, Work};
use std::path::{Path, PathBuf};
use std::process::Command;
use system::{Failed, Limits, files, output};

/// The newest and the oldest clang that is looked for by version.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// Errors of newer versions that older C relies on; the number is the first
/// version that knows the name.
const TOLERATED: &[(u32, &str)] = &[
    (14, "-Wno-error=implicit-function-declaration"),
    (14, "-Wno-error=implicit-int"),
    (14, "-Wno-error=int-conversion"),
    (14, "-Wno-error=incompatible-function-pointer-types"),
    (20, "-Wno-error=incompatible-pointer-types"),
];

/// Which function bodies clang writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// Those that an unoptimised object file would have.
    Emitted,
    /// Also those of C's `inline` functions, which a compiler may use but need
    /// not emit. Only clang's optimisation levels make it write them; the
    /// optimisations themselves stay off.
    Inline,
}

/// A clang that answered when asked for its version.
pub(crate) struct Clang {
    program: PathBuf,
    version: u32,
}

impl Clang {
    pub(crate) fn find(wanted: Option<&Path>, limits: &Limits) -> Result<Clang, Error> {
        let not_found = |looked_for: String| Error::ClangNotFound { looked_for };
        if let Some(program) = wanted {
            return ask_version(program.to_owned(), limits)?
                .ok_or_else(|| not_found(program.display().to_string()));
        }
        let versioned = VERSIONS.rev().map(|version| format!("clang-{version}"));
        for name in std::iter::once("clang".to_owned()).chain(versioned) {
            if let Some(clang) = ask_version(name.into(), limits)? {
                return Ok(clang);
            }
        }
        Err(not_found(format!(
            "clang, clang-{} to clang-{} on the PATH",
            VERSIONS.end(),
            VERSIONS.start()
        )))
    }
}

/// `None` if that is no clang.
fn ask_version(program: PathBuf, limits: &Limits) -> Result<Option<Clang>, Error> {
    let ask = |limits: &Limits| output(Command::new(&program).arg("--version"), limits);
    let printed = match ask(limits) {
        Ok(printed) if printed.status.success() => printed.stdout,
        Err(Failed::Start(_)) => return Ok(None),
        Err(Failed::Time) => return Err(Error::OutOfTime(Work::Asking(program))),
        Err(Failed::Memory) => return Err(Error::OutOfMemory(Work::Asking(program))),
        // A program that is not even loaded for want of memory does not say so.
        _ if limits.memory.is_some() => {
            let without = Limits {
                memory: None,
                ..*limits
            };
            return match ask(&without) {
                Ok(printed) if printed.status.success() => {
                    Err(Error::OutOfMemory(Work::Asking(program)))
                }
                Err(Failed::Time) => Err(Error::OutOfTime(Work::Asking(program))),
                _ => Ok(None),
            };
        }
        _ => return Ok(None),
    };
    let text = String::from_utf8_lossy(&printed);
    // An unknown answer is taken for the oldest version, which gets fewest flags.
    let version = parse_version(&text).unwrap_or(*VERSIONS.start());
    Ok(Some(Clang { program, version }))
}

/// 19 of `Debian clang version 19.1.7 (3+b1)`.
fn parse_version(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("version ")?;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// What came of a file.
pub(crate) struct Compiled {
    pub text: String,
    pub messages: String,
}

/// One file, and how to compile it.
pub(crate) struct Order<'a> {
    pub file: &'a Path,
    pub language: Language,
    pub entry: Option<&'a Entry>,
    /// The user's own.
    pub args: &'a [String],
    pub bodies: Bodies,
    pub limits: &'a Limits,
}

pub(crate) fn compile(clang: &Clang, order: &Order<'_>) -> Result<Compiled, Error> {
    let Order {
        file,
        language,
        entry,
        ..
    } = *order;
    let failed = |status: String, stderr: String| Error::ClangFailed {
        path: file.to_owned(),
        status,
        stderr,
    };
    let mut command = Command::new(&clang.program);
    if let Some(entry) = entry {
        command.current_dir(&entry.directory).args(&entry.args);
    }
    match order.bodies {
        Bodies::Emitted => command.arg("-O0"),
        // Headers must not notice.
        Bodies::Inline => {
            command.args(["-O1", "-Xclang", "-disable-llvm-passes", "-U__OPTIMIZE__"])
        }
    };
    command.args(["-g", "-S", "-emit-llvm", "-o", "-"]);
    // Checks of the compiler's own would only stand in the way of ours.
    command.arg("-fno-stack-protector");
    let extension = file.extension().and_then(|extension| extension.to_str());
    // clang warns of macros where nothing is preprocessed.
    if !matches!(extension, Some("i" | "ii")) {
        command.arg("-U_FORTIFY_SOURCE");
    }
    if language == Language::C {
        let known = TOLERATED
            .iter()
            .filter(|(first, _)| *first <= clang.version);
        command.args(known.map(|(_, flag)| flag));
    }
    command.args(order.args);
    let name = entry.map_or(file, |entry| &entry.written);
    let output = match output(command.arg(as_file(name)), order.limits) {
        Ok(output) => output,
        Err(Failed::Time) => return Err(Error::OutOfTime(Work::Compiling(file.to_owned()))),
        Err(Failed::Memory) => return Err(Error::OutOfMemory(Work::Compiling(file.to_owned()))),
        Err(Failed::Start(reason)) => return Err(failed(reason.to_string(), String::new())),
        Err(Failed::TooMuch) => {
            let most = files::MOST_BYTES >> 20;
            let problem = format!("it prints more than {most} MiB");
            return Err(failed(problem, String::new()));
        }
        Err(Failed::KeptOpen) => {
            let problem = "another process keeps its output open".to_owned();
            return Err(failed(problem, String::new()));
        }
    };
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        // Under a limit on memory, what clang says of its end is of no use to anybody.
        let is_short = order.limits.memory.is_some() && is_about_memory(&output, &messages);
        return Err(match is_short {
            true => Error::OutOfMemory(Work::Compiling(file.to_owned())),
            false => failed(output.status.to_string(), messages),
        });
    }
    let text = String::from_utf8(output.stdout)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Compiled { text, messages })
}

/// A name that starts with a dash is no option, and one with `@` no list of them.
fn as_file(name: &Path) -> PathBuf {
    match name.as_os_str().as_encoded_bytes().first() {
        Some(b'-' | b'@') => Path::new(".").join(name),
        _ => name.to_owned(),
    }
}

/// Whether clang ended for want of memory, as far as it lets on: it says so, or a
/// signal ended it.
fn is_about_memory(output: &system::Output, messages: &str) -> bool {
    let texts = ["out of memory", "bad_alloc", "Cannot allocate memory"];
    output.status.code().is_none() || texts.iter().any(|text| messages.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(
            parse_version("Debian clang version 14.0.6\nTarget"),
            Some(14)
        );
        assert_eq!(parse_version("clang version 22.1.0-rc1"), Some(22));
        assert_eq!(parse_version("Apple clang version 15.0.0 (x)"), Some(15));
        assert_eq!(parse_version("gcc 12"), None);
    }

    #[test]
    fn names_are_names_of_files() {
        let check = |name: &str, expected: &str| {
            assert_eq!(as_file(Path::new(name)), Path::new(expected));
        };
        check("a.c", "a.c");
        check("-fplugin=x.c", "./-fplugin=x.c");
        check("@options.c", "./@options.c");
        check("/a/-b.c", "/a/-b.c");
    }
}
