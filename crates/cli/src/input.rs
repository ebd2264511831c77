//! From the command line to a program: loading, and the warnings that go with it.

use crate::args::{Behaviour, Deadlock, Input, Undefined};
use crate::{Failure, say};
use ir::Program;
use library::Surroundings;
use llvm::Loaded;
use replay::{Checks, Config, Property};
use std::path::Path;

/// Makes clang call a function where a conversion changes a value.
const CONVERSIONS: &str = "-fsanitize=implicit-conversion";

/// Loads the program and says what the user should know about it.
pub fn load(
    input: &Input,
    behaviour: Option<&Behaviour>,
    checks: Checks,
) -> Result<Loaded, Failure> {
    let mut options = input.options();
    if checks.has(Property::Conversion) {
        if let Some(file) = input.files.iter().find(|file| is_compiled(file)) {
            return Err(Failure::Usage(format!(
                "{}: conversions can be checked only in source files: clang puts the checks in",
                file.display()
            )));
        }
        options.args.push(CONVERSIONS.to_owned());
    }
    let loaded = llvm::load(&input.files, &options)?;
    say(&loaded.clang_messages);
    let unknown = unknown_functions(&loaded);
    let undefined = behaviour.map_or(Undefined::Assume, |behaviour| behaviour.undefined);
    if !unknown.is_empty() && (input.strict || undefined == Undefined::Error) {
        return Err(Failure::UnknownFunctions(unknown.join(", ")));
    }
    if !unknown.is_empty() {
        say(format!(
            "threadbare: warning: no body and no model for {}: calls return any value and \
             change nothing\n",
            unknown.join(", ")
        ));
    }
    Ok(loaded)
}

fn is_compiled(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "ll")
}

/// Functions that are used, but neither defined nor known, with where.
fn unknown_functions(loaded: &Loaded) -> Vec<String> {
    let unknown = loaded
        .undefined
        .iter()
        .filter(|function| library::lookup(&function.symbol).is_none());
    unknown
        .map(|function| match function.location {
            Some(location) => format!(
                "{} ({})",
                function.symbol,
                loaded.program.describe_location(location)
            ),
            None => function.symbol.clone(),
        })
        .collect()
}

/// What the program is called.
pub fn program_name(program: &Program) -> String {
    let location = program.functions[program.main].location;
    location.map_or("program".to_owned(), |location| {
        program.files[location.file].clone()
    })
}

/// The settings of a run of some program.
pub fn config(behaviour: &Behaviour, checks: Checks) -> Config {
    let mut surroundings = Surroundings {
        spurious_wakeups: behaviour.spurious,
        malloc_may_fail: behaviour.malloc_may_fail,
        address_reuse: !behaviour.no_address_reuse,
        undefined: match behaviour.undefined {
            Undefined::Any => library::Undefined::Any,
            Undefined::Assume | Undefined::Error => library::Undefined::Assumed,
        },
        more_arguments: behaviour.open_arguments.unwrap_or(0),
        ..Surroundings::default()
    };
    let arguments = behaviour.arguments.iter().cloned();
    surroundings.arguments.extend(arguments);
    Config {
        checks,
        partial_deadlocks: behaviour.deadlock == Deadlock::Partial,
        surroundings,
        ..Config::default()
    }
}

/// The settings of a run of this one.
pub fn config_for(behaviour: &Behaviour, checks: Checks, program: &Program) -> Config {
    let mut config = config(behaviour, checks);
    config.surroundings.arguments[0] = program_name(program);
    config
}
