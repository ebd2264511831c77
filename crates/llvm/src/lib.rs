//! C and C++ sources, or LLVM IR text, to an [`ir::Program`].
//!
//! [`load`] runs clang on source files and reads what it writes; [`read`] takes
//! the text of modules and touches neither files nor processes. Several modules
//! are linked as a linker would. This is the only crate that knows clang or LLVM;
//! it prints nothing and decides nothing about what library functions mean.
//!
//! The way of a module: `lex` and `parse` turn text into `ast`, `link` decides
//! which definition each symbol means, `lower` builds the program with the sizes
//! and offsets of `layout`. What cannot be executed (half precision,
//! exceptions, unknown assembly code) becomes an instruction that is an error
//! when reached, and is listed in [`Loaded::unsupported`].

mod assembly;
mod ast;
mod clang;
mod compile_commands;
mod driver;
mod error;
mod flags;
mod layout;
mod lex;
mod link;
mod lower;
mod parse;

pub use driver::{Options, load};
pub use error::{Error, Place, UndefinedData, Work};

use ir::verify::{Rule, VerifyError};
use ir::{Location, Program};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A program, and what a user should know about how it came to be.
#[derive(Debug)]
pub struct Loaded {
    pub program: Program,
    /// What clang said while compiling successfully, unchanged.
    pub clang_messages: String,
    /// Flags of a build that were not taken, because they could make clang run or
    /// write something, or nobody knows what they do.
    pub dropped_flags: BTreeSet<String>,
    /// Functions without body that are called or whose address is taken.
    pub undefined: Vec<UndefinedFunction>,
    /// Everything that is an error when a run reaches it.
    pub unsupported: Vec<Unsupported>,
    pub timings: Timings,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedFunction {
    pub symbol: String,
    /// Where it is first used.
    pub location: Option<Location>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// In the user's words.
    pub what: String,
    /// Name of the function it stands in.
    pub function: String,
    pub location: Option<Location>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    pub clang: Duration,
    pub reading: Duration,
}

/// Reads modules of LLVM IR, given as names for messages and texts, and links
/// them into one program.
pub fn read(modules: &[(String, String)]) -> Result<Loaded, Error> {
    let sources: Vec<_> = modules
        .iter()
        .map(|(name, text)| Source {
            name,
            text,
            paths: Paths::default(),
            is_given: true,
        })
        .collect();
    read_sources(&sources)
}

/// One module, as it came from a file or from clang.
struct Source<'a> {
    /// For messages.
    name: &'a str,
    text: &'a str,
    paths: Paths,
    /// It was given as IR, so nobody knows whether it is valid.
    is_given: bool,
}

/// How the compiler's idea of paths becomes the user's.
#[derive(Clone, Debug, Default)]
struct Paths {
    /// The main file, as an absolute path and as the user wrote it.
    main: Option<(String, String)>,
    /// The user's working directory, if the compiler ran in another one.
    elsewhere: Option<String>,
}

impl Source<'_> {
    fn place(&self, offset: ast::Offset) -> Place {
        let before = self.text.as_bytes().get(..offset as usize);
        let newlines = before.map_or(0, |text| text.iter().filter(|b| **b == b'\n').count());
        Place {
            file: self.name.to_owned(),
            line: newlines + 1,
        }
    }

    /// The path of file `name` in `directory`, for a compiler that ran in
    /// `compile_directory`.
    fn display_path(&self, name: String, directory: &str, compile_directory: &str) -> String {
        let join = |directory: &str| format!("{}/{name}", directory.trim_end_matches('/'));
        let absolute = if name.starts_with('/') {
            name.clone()
        } else if !directory.is_empty() {
            join(directory)
        } else {
            join(compile_directory)
        };
        if let Some((main, written)) = &self.paths.main
            && *main == absolute
        {
            return written.clone();
        }
        match &self.paths.elsewhere {
            Some(here) => {
                let inside = absolute.strip_prefix(here.trim_end_matches('/'));
                let inside = inside.and_then(|inside| inside.strip_prefix('/'));
                inside.map(str::to_owned).unwrap_or(absolute)
            }
            // Clang shortens absolute paths by what they share with its working
            // directory; only names relative to that directory are the user's.
            None if directory == compile_directory || directory.is_empty() => name,
            None => absolute,
        }
    }
}

/// What to say of a program that breaks the rules.
fn invalid(sources: &[Source<'_>], program: &Program, errors: &[VerifyError]) -> Error {
    let messages: Vec<_> = errors.iter().take(10).map(ToString::to_string).collect();
    // The function may be in any of them, but clang's own are fine.
    let symbol = errors.first().and_then(|error| error.function);
    let symbol = symbol.map(|function| format!("@{}(", program.functions[function].symbol));
    let defines = |line: &str| {
        let symbol = symbol.as_deref();
        line.trim_start().starts_with("define") && symbol.is_some_and(|name| line.contains(name))
    };
    let given = || sources.iter().filter(|source| source.is_given);
    let exact = given().find_map(|source| {
        let line = source.text.lines().position(defines)?;
        Some((source, line + 1))
    });
    match exact.or_else(|| given().next().map(|source| (source, 0))) {
        None => Error::Internal(messages.join("; ")),
        Some((source, line)) => Error::InvalidIr {
            place: Place {
                file: source.name.to_owned(),
                line,
            },
            what: messages.join("; "),
            is_order: errors.iter().all(|error| error.rule == Rule::Order),
        },
    }
}

fn read_sources(sources: &[Source<'_>]) -> Result<Loaded, Error> {
    let start = Instant::now();
    if sources.is_empty() {
        return Err(Error::NoFiles);
    }
    let mut modules = Vec::with_capacity(sources.len());
    for source in sources {
        match parse::parse(source.text) {
            Ok(module) => modules.push(module),
            Err(error) => {
                let place = source.place(error.offset as ast::Offset);
                return Err(Error::NotUnderstood {
                    module: place.file,
                    line: place.line,
                    expected: error.expected,
                });
            }
        }
    }
    let lowered = lower::lower(sources, &modules)?;
    // Cheap next to the rest, and it also finds IR that LLVM would refuse.
    if let Err(errors) = ir::verify::verify(&lowered.program) {
        return Err(invalid(sources, &lowered.program, &errors));
    }
    Ok(Loaded {
        program: lowered.program,
        clang_messages: String::new(),
        dropped_flags: BTreeSet::new(),
        undefined: lowered.undefined,
        unsupported: lowered.unsupported,
        timings: Timings {
            clang: Duration::ZERO,
            reading: start.elapsed(),
        },
    })
}
