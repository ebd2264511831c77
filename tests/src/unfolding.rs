//! Programs unfolded for tests: every result is verified, also in builds without
//! debug assertions.
//!
//! File tests say in the first line of a program how it is to be unfolded:
//!
//! ```text
//! // unfold: unwind=2 turns=3 checks=race,deadlock without=hiding clang=-m32
//! ```

use ir::Program;
use replay::{Checks, Property};
use unfold::{Check, Error, Options, Unfolding};

/// Calls nest as deep as they do in programs.
const STACK: usize = 1 << 28;
/// Terms that a program of the tests may need.
const MOST_TERMS: usize = 2_000_000;

/// Unfolds a program, whatever depth it has.
///
/// # Panics
/// If the threads that come out are not well formed.
pub fn unfold(program: &Program, options: &Options) -> Result<Unfolding, Error> {
    let work = || {
        let unfolding = unfold::unfold(program, options, &mut |standing| {
            standing.terms < MOST_TERMS
        })?;
        unfolding.threads.expect_well_formed(program);
        Ok(unfolding)
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let worker = builder.spawn_scoped(scope, work);
        let joined = worker.expect("a thread should start").join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// What unfolding looks for when these properties are checked.
pub fn checks_of(properties: Checks) -> unfold::Checks {
    let wanted = Property::ALL.into_iter().filter(|one| properties.has(*one));
    wanted.map(check_of).collect()
}

fn check_of(property: Property) -> Check {
    match property {
        Property::Assert => Check::Assert,
        Property::Deadlock => Check::Deadlock,
        Property::Memory => Check::Memory,
        Property::Leak => Check::Leak,
        Property::Cleanup => Check::Cleanup,
        Property::Uninitialised => Check::Uninitialised,
        Property::Misuse => Check::Misuse,
        Property::Arithmetic => Check::Arithmetic,
        Property::Overflow => Check::Overflow,
        Property::Conversion => Check::Conversion,
        Property::Race => Check::Race,
        Property::Unwind => Check::Unwind,
    }
}

/// How a program of the file tests is to be unfolded.
pub struct Directive {
    pub options: Options,
    /// Options for clang.
    pub clang: Vec<String>,
}

impl Directive {
    /// Reads the first line of a program.
    pub fn of(source: &str) -> Result<Directive, String> {
        let line = source.lines().next().unwrap_or_default();
        let Some(words) = line.strip_prefix("// unfold:") else {
            return Err("the first line should begin with `// unfold:`".to_owned());
        };
        let mut directive = Directive {
            options: Options {
                unwind: 2,
                turns: Some(3),
                ..Options::default()
            },
            clang: Vec::new(),
        };
        for word in words.split_whitespace() {
            directive.read(word)?;
        }
        Ok(directive)
    }

    fn read(&mut self, word: &str) -> Result<(), String> {
        let unknown = || format!("`{word}` is not understood");
        let (key, value) = word.split_once('=').ok_or_else(unknown)?;
        let options = &mut self.options;
        let number = || value.parse::<u32>().map_err(|_| unknown());
        match key {
            "unwind" => options.unwind = number()?,
            "turns" => options.turns = Some(number()?),
            "checks" => {
                let names = value.split(',');
                let found = names.map(|name| Property::from_name(name).map(check_of));
                options.checks = found.collect::<Option<_>>().ok_or_else(unknown)?;
            }
            "without" => {
                let reductions = &mut options.reductions;
                match value {
                    "hiding" => reductions.hiding = false,
                    "ranges" => reductions.ranges = false,
                    "learning" => reductions.learning = false,
                    "relaxing" => reductions.relaxing = false,
                    "locksets" => reductions.locksets = false,
                    "reuse" => options.surroundings.address_reuse = false,
                    _ => return Err(unknown()),
                }
            }
            "with" => match value {
                "spurious" => options.surroundings.spurious_wakeups = true,
                "failures" => options.surroundings.malloc_may_fail = true,
                _ => return Err(unknown()),
            },
            "arg" => options.surroundings.arguments.push(value.to_owned()),
            "clang" => self.clang.push(value.to_owned()),
            _ => return Err(unknown()),
        }
        Ok(())
    }
}
