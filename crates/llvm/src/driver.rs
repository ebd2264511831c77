//! Has clang compile source files, and reads `.ll` files.
//!
//! What clang says on its standard error is passed on unchanged, with a failure or
//! with the loaded program. Limits on time are looked at between files; whoever needs
//! more than that ends the process.

use crate::clang::{Bodies, Clang, Order, compile};
use crate::compile_commands::{self, Entry};
use crate::error::{Error, Work};
use crate::{Loaded, Paths, Source, read_sources};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;
use system::{Limits, files};

#[derive(Clone, Debug)]
pub struct Options {
    /// The clang to run, instead of the first one found.
    pub clang: Option<PathBuf>,
    /// Passed to clang as they are, before the file.
    pub args: Vec<String>,
    /// A directory with a `compile_commands.json`.
    pub build_dir: Option<PathBuf>,
    /// Take all that is written there, even what could make clang run or write
    /// something.
    pub trust_build: bool,
    /// A program without `main` gets one that does nothing.
    pub may_lack_main: bool,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Bytes that this process and clang may use.
    pub memory: Option<u64>,
    /// Is told what is under way.
    pub watch: fn(&Work),
    /// Whether a function needs no body, because a library provides it.
    pub is_known_function: fn(&str) -> bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            clang: None,
            args: Vec::new(),
            build_dir: None,
            trust_build: false,
            may_lack_main: false,
            deadline: None,
            memory: None,
            watch: |_| {},
            is_known_function: |_| true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cpp,
    /// LLVM IR, which needs no clang.
    Ir,
}

impl Options {
    fn limits(&self) -> Limits {
        Limits {
            deadline: self.deadline,
            memory: self.memory,
            output: Some(files::MOST_BYTES),
        }
    }

    /// Bytes that a file may have.
    fn most_bytes(&self) -> u64 {
        let memory = self.memory.unwrap_or(u64::MAX);
        files::MOST_BYTES.min(memory)
    }

    /// Begins with something, unless the time is over.
    fn begin(&self, work: Work) -> Result<(), Error> {
        (self.watch)(&work);
        let is_over = |deadline| Instant::now() >= deadline;
        match self.deadline.is_some_and(is_over) {
            true => Err(Error::OutOfTime(work)),
            false => Ok(()),
        }
    }
}

/// Compiles and reads `files`, and links them into one program. With a build
/// directory and no files, everything that is listed there.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Loaded, Error> {
    let commands = match &options.build_dir {
        Some(directory) => Some(compile_commands::read(directory, options.trust_build)?),
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
    let mut texts = compile_all(&jobs, options, Bodies::Emitted, &mut clang)?;
    let clang_time = start.elapsed();
    options.begin(Work::Reading)?;
    let mut loaded = match texts.read() {
        Err(Error::NoMain) if options.may_lack_main => {
            texts.add_main();
            texts.read()?
        }
        read => read?,
    };
    loaded.timings.clang = clang_time;
    loaded.dropped_flags = dropped_flags(&jobs);
    let missing = count_missing(&loaded, options);
    let has_c = jobs.iter().any(|(_, language, _)| *language == Language::C);
    if missing == 0 || !has_c {
        return Ok(loaded);
    }
    // A function that looks undefined may be an `inline` one whose body clang
    // had no reason to emit. What it says the second time is no news.
    let start = Instant::now();
    let mut again = compile_all(&jobs, options, Bodies::Inline, &mut clang)?;
    if texts.modules.len() > again.modules.len() {
        again.add_main();
    }
    let clang_time = clang_time + start.elapsed();
    options.begin(Work::Reading)?;
    let mut complete = again.read()?;
    if count_missing(&complete, options) < missing {
        complete.clang_messages = std::mem::take(&mut loaded.clang_messages);
        complete.dropped_flags = std::mem::take(&mut loaded.dropped_flags);
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

/// What builds say and nobody took, each once.
fn dropped_flags(jobs: &[Job<'_>]) -> BTreeSet<String> {
    let entries = jobs.iter().filter_map(|(_, _, entry)| *entry);
    entries.flat_map(|entry| entry.dropped.clone()).collect()
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
    /// Adds a `main` that does nothing, for the same machine.
    fn add_main(&mut self) {
        let first = self.modules.first().map_or("", |module| &module.text);
        let target = first.lines().filter(|line| line.starts_with("target "));
        let target: Vec<&str> = target.collect();
        let text = format!(
            "{}\ndefine i32 @main() {{\n  ret i32 0\n}}\n",
            target.join("\n")
        );
        self.modules.push(Text {
            name: "main".to_owned(),
            text,
            paths: Paths::default(),
            is_given: false,
        });
    }

    fn read(&self) -> Result<Loaded, Error> {
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
        loaded.clang_messages.clone_from(&self.messages);
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
            options.begin(Work::Reading)?;
            (read_text(file, options.most_bytes())?, Paths::default())
        } else {
            options.begin(Work::Compiling(file.clone()))?;
            files::check(file, options.most_bytes()).map_err(|reason| unreadable(file, reason))?;
            let limits = options.limits();
            let clang = match clang {
                Some(clang) => &*clang,
                None => clang.insert(Clang::find(options.clang.as_deref(), &limits)?),
            };
            let order = Order {
                file,
                language: *language,
                entry: *entry,
                args: &options.args,
                bodies,
                limits: &limits,
            };
            let compiled = compile(clang, &order)?;
            texts.messages.push_str(&compiled.messages);
            (compiled.text, paths(file, *entry))
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

fn read_text(file: &Path, most: u64) -> Result<String, Error> {
    let bytes = files::read(file, most).map_err(|reason| unreadable(file, reason))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
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
    fn kinds_of_files() {
        assert_eq!(language(Path::new("a/b.i")).unwrap(), Language::C);
        assert_eq!(language(Path::new("b.cxx")).unwrap(), Language::Cpp);
        assert_eq!(language(Path::new("b.ll")).unwrap(), Language::Ir);
        assert!(language(Path::new("b.o")).is_err());
        assert!(language(Path::new("c")).is_err());
    }
}
