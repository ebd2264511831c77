//! Runs clang on source files, and reads `.ll` files.
//!
//! Clang writes to a pipe: no temporary files. What it says on its standard error
//! is passed on unchanged, with a failure or with the loaded program.

use crate::compile_commands::{self, Entry};
use crate::error::Error;
use crate::{Loaded, Paths, Source, read_sources};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

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

#[derive(Clone, Debug)]
pub struct Options {
    /// The clang to run, instead of the first one found.
    pub clang: Option<PathBuf>,
    /// Passed to clang as they are, before the file.
    pub args: Vec<String>,
    /// A directory with a `compile_commands.json`.
    pub build_dir: Option<PathBuf>,
    /// Whether a function needs no body, because a library provides it.
    pub is_known_function: fn(&str) -> bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            clang: None,
            args: Vec::new(),
            build_dir: None,
            is_known_function: |_| true,
        }
    }
}

/// Which function bodies clang writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bodies {
    /// Those that an unoptimised object file would have.
    Emitted,
    /// Also those of C's `inline` functions, which a compiler may use but need
    /// not emit. Only clang's optimisation levels make it write them; the
    /// optimisations themselves stay off.
    Inline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    C,
    Cpp,
    /// LLVM IR, which needs no clang.
    Ir,
}

/// Compiles and reads `files`, and links them into one program. With a build
/// directory and no files, everything that is listed there.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Loaded, Error> {
    let commands = match &options.build_dir {
        Some(directory) => Some(compile_commands::read(directory)?),
        None => None,
    };
    let mut jobs = Vec::new();
    for file in files {
        let language = language(file)?;
        let entry = match (&commands, language) {
            (None, _) | (_, Language::Ir) => None,
            (Some(commands), _) => Some(commands.find(file)?),
        };
        jobs.push((file.clone(), language, entry));
    }
    if let Some(commands) = commands.as_ref().filter(|_| files.is_empty()) {
        for (index, entry) in commands.entries.iter().enumerate() {
            let file = entry.file.clone();
            // A file that is built twice is part of the program once.
            if commands.entries[..index]
                .iter()
                .any(|known| known.file == file)
            {
                continue;
            }
            jobs.push((file.clone(), language(&file)?, Some(entry)));
        }
    }
    let start = Instant::now();
    let mut clang = None;
    let texts = compile_all(&jobs, options, Bodies::Emitted, &mut clang)?;
    let clang_time = start.elapsed();
    let mut loaded = texts.read()?;
    loaded.timings.clang = clang_time;
    let missing = count_missing(&loaded, options);
    let has_c = jobs.iter().any(|(_, language, _)| *language == Language::C);
    if missing == 0 || !has_c {
        return Ok(loaded);
    }
    // A function that looks undefined may be an `inline` one whose body clang
    // had no reason to emit. What it says the second time is no news.
    let start = Instant::now();
    let again = compile_all(&jobs, options, Bodies::Inline, &mut clang)?;
    let clang_time = clang_time + start.elapsed();
    let mut complete = again.read()?;
    if count_missing(&complete, options) < missing {
        complete.clang_messages = std::mem::take(&mut loaded.clang_messages);
        complete.timings.reading += loaded.timings.reading;
        loaded = complete;
    }
    loaded.timings.clang = clang_time;
    Ok(loaded)
}

/// Functions that neither the program nor a library defines.
fn count_missing(loaded: &Loaded, options: &Options) -> usize {
    let undefined = loaded.undefined.iter();
    undefined
        .filter(|function| !(options.is_known_function)(&function.symbol))
        .count()
}

type Job<'e> = (PathBuf, Language, Option<&'e Entry>);

/// IR of one file.
struct Text {
    name: String,
    text: String,
    paths: Paths,
    /// The file itself, not what clang made of it.
    is_given: bool,
}

/// IR of all files, and what clang said about them.
struct Texts {
    modules: Vec<Text>,
    messages: String,
}

impl Texts {
    fn read(self) -> Result<Loaded, Error> {
        let sources: Vec<_> = self
            .modules
            .iter()
            .map(|module| Source {
                name: &module.name,
                text: &module.text,
                paths: module.paths.clone(),
                is_given: module.is_given,
            })
            .collect();
        let mut loaded = read_sources(&sources)?;
        loaded.clang_messages = self.messages;
        Ok(loaded)
    }
}

fn compile_all(
    jobs: &[Job<'_>],
    options: &Options,
    bodies: Bodies,
    clang: &mut Option<Clang>,
) -> Result<Texts, Error> {
    let mut texts = Texts {
        modules: Vec::new(),
        messages: String::new(),
    };
    for (file, language, entry) in jobs {
        let (text, paths) = if *language == Language::Ir {
            (read_text(file)?, Paths::default())
        } else {
            check_readable(file)?;
            let clang = match clang {
                Some(clang) => &*clang,
                None => clang.insert(find_clang(options.clang.as_deref())?),
            };
            let output = compile(clang, file, *language, *entry, &options.args, bodies)?;
            texts.messages.push_str(&output.messages);
            (output.text, paths(file, *entry))
        };
        texts.modules.push(Text {
            name: file.display().to_string(),
            text,
            paths,
            is_given: *language == Language::Ir,
        });
    }
    Ok(texts)
}

fn language(file: &Path) -> Result<Language, Error> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i") => Ok(Language::C),
        Some("cpp" | "cc" | "cxx" | "ii") => Ok(Language::Cpp),
        Some("ll") => Ok(Language::Ir),
        _ => Err(Error::UnknownExtension {
            path: file.to_owned(),
        }),
    }
}

fn unreadable(path: &Path, reason: std::io::Error) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        reason: match reason.kind() {
            std::io::ErrorKind::NotFound => "no such file".into(),
            _ => reason.to_string(),
        },
    }
}

fn check_readable(file: &Path) -> Result<(), Error> {
    match std::fs::File::open(file).and_then(|file| file.metadata()) {
        Ok(metadata) if metadata.is_dir() => Err(Error::Unreadable {
            path: file.to_owned(),
            reason: "is a directory".into(),
        }),
        Ok(_) => Ok(()),
        Err(reason) => Err(unreadable(file, reason)),
    }
}

fn read_text(file: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(file).map_err(|reason| unreadable(file, reason))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// A clang that answered when asked for its version.
struct Clang {
    program: PathBuf,
    version: u32,
}

fn find_clang(wanted: Option<&Path>) -> Result<Clang, Error> {
    if let Some(program) = wanted {
        return ask_version(program.to_owned()).ok_or_else(|| Error::ClangNotFound {
            looked_for: program.display().to_string(),
        });
    }
    let versioned = VERSIONS.rev().map(|version| format!("clang-{version}"));
    let mut names = std::iter::once("clang".to_owned()).chain(versioned);
    names
        .find_map(|name| ask_version(name.into()))
        .ok_or_else(|| Error::ClangNotFound {
            looked_for: format!(
                "clang, clang-{} to clang-{} on the PATH",
                VERSIONS.end(),
                VERSIONS.start()
            ),
        })
}

fn ask_version(program: PathBuf) -> Option<Clang> {
    let output = Command::new(&program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    // An unknown answer is taken for the oldest version, which gets fewest flags.
    let version = parse_version(&text).unwrap_or(*VERSIONS.start());
    Some(Clang { program, version })
}

/// 19 of `Debian clang version 19.1.7 (3+b1)`.
fn parse_version(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("version ")?;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

struct Output {
    text: String,
    messages: String,
}

fn compile(
    clang: &Clang,
    file: &Path,
    language: Language,
    entry: Option<&Entry>,
    args: &[String],
    bodies: Bodies,
) -> Result<Output, Error> {
    let failed = |status: String, stderr: String| Error::ClangFailed {
        path: file.to_owned(),
        status,
        stderr,
    };
    let mut command = Command::new(&clang.program);
    if let Some(entry) = entry {
        command.current_dir(&entry.directory).args(&entry.args);
    }
    match bodies {
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
    command.args(args);
    // A name that starts with a dash is not an option.
    let name = match entry {
        Some(entry) => entry.written.clone(),
        None if file.as_os_str().as_encoded_bytes().starts_with(b"-") => Path::new(".").join(file),
        None => file.to_owned(),
    };
    command.arg(name).stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|reason| failed(reason.to_string(), String::new()))?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(failed(output.status.to_string(), messages));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Output { text, messages })
}

/// How the debug information of a compilation names files.
fn paths(file: &Path, entry: Option<&Entry>) -> Paths {
    let Ok(here) = std::env::current_dir() else {
        return Paths::default();
    };
    let written = file.display().to_string();
    let main = match entry {
        Some(entry) => entry.directory.join(&entry.written),
        None => here.join(file),
    };
    let is_elsewhere = entry.is_some_and(|entry| entry.directory != here);
    Paths {
        main: Some((main.display().to_string(), written)),
        elsewhere: is_elsewhere.then(|| here.display().to_string()),
    }
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
    fn kinds_of_files() {
        assert_eq!(language(Path::new("a/b.i")).unwrap(), Language::C);
        assert_eq!(language(Path::new("b.cxx")).unwrap(), Language::Cpp);
        assert_eq!(language(Path::new("b.ll")).unwrap(), Language::Ir);
        assert!(language(Path::new("b.o")).is_err());
        assert!(language(Path::new("c")).is_err());
    }
}
