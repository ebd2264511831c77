//! From the command line to a program: loading, and the warnings that go with it.

use crate::Failure;
use crate::args::{Behaviour, Deadlock, Input};
use ir::Program;
use llvm::Loaded;
use replay::{Checks, Config, Property};
use std::path::Path;

/// Makes clang call a function where a conversion changes a value.
const CONVERSIONS: &str = "-fsanitize=implicit-conversion";

/// Loads the program and says what the user should know about it.
pub fn load(input: &Input, checks: Checks) -> Result<Loaded, Failure> {
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
    eprint!("{}", loaded.clang_messages);
    let unknown = unknown_functions(&loaded);
    if !unknown.is_empty() && input.strict {
        return Err(Failure::UnknownFunctions(unknown.join(", ")));
    }
    if !unknown.is_empty() {
        eprintln!(
            "threadbare: warning: no body and no model for {}: calls return any value",
            unknown.join(", ")
        );
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

/// The settings of a run.
pub fn config(behaviour: &Behaviour, checks: Checks, program: &Program) -> Config {
    let name = program.functions[program.main]
        .location
        .map_or("program", |location| &program.files[location.file]);
    let mut arguments = vec![name.to_owned()];
    arguments.extend(behaviour.arguments.iter().cloned());
    Config {
        checks,
        partial_deadlocks: behaviour.deadlock == Deadlock::Partial,
        spurious_wakeups: behaviour.spurious,
        malloc_may_fail: behaviour.malloc_may_fail,
        address_reuse: !behaviour.no_address_reuse,
        arguments,
        ..Config::default()
    }
}
