//! From the command line to a program: loading, and the warnings that go with it.

use crate::args::{Behaviour, Deadlock, Input, Limits, Undefined};
use crate::{Failure, guard, progress, say};
use replay::{Checks, Config, Property};
use threadbare::{Program, Surroundings, Work};

/// Loads the program and says what the user should know about it.
pub(crate) fn load(
    input: &Input,
    behaviour: Option<&Behaviour>,
    checks: Checks,
    limits: &Limits,
) -> Result<Program, Failure> {
    if input.files.is_empty() && input.build.is_none() {
        return Err(Failure::Usage(
            "no FILE: neither on the command line nor in threadbare.toml".to_owned(),
        ));
    }
    let mut sources = input.sources(limits).watched_by(tell_work);
    if checks.has(Property::Conversion) {
        sources = sources.conversions();
    }
    let program = sources.read()?;
    progress::clear();
    say(program.clang_messages());
    mention_dropped(&program);
    let unknown: Vec<String> = (program.unknown_functions().iter())
        .map(ToString::to_string)
        .collect();
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
    Ok(program)
}

/// What is under way is told by whoever ends it, and in the terminal.
fn tell_work(work: &Work) {
    let what = match work {
        Work::Asking(path) => format!("{} starts", path.display()),
        Work::Compiling(path) => format!("clang compiles {}", path.display()),
        Work::Reading => "the program is read".to_owned(),
    };
    guard::alone_with(what);
}

/// How many flags are told; the rest is counted.
const TOLD_FLAGS: usize = 8;

fn mention_dropped(program: &Program) {
    let dropped = program.dropped_flags();
    if dropped.is_empty() {
        return;
    }
    let told: Vec<&str> = (dropped.iter())
        .take(TOLD_FLAGS)
        .map(String::as_str)
        .collect();
    let more = match dropped.len().saturating_sub(TOLD_FLAGS) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    say(format!(
        "threadbare: note: flags of compile_commands.json that were not taken (--trust-build \
         takes them): {}{more}\n",
        told.join(", ")
    ));
}

/// How the program behaves, and what is checked.
pub(crate) fn config(behaviour: &Behaviour, checks: Checks) -> Config {
    let mut surroundings = Surroundings {
        spurious_wakeups: behaviour.spurious,
        malloc_may_fail: behaviour.malloc_may_fail,
        address_reuse: !behaviour.no_address_reuse,
        undefined: match behaviour.undefined {
            Undefined::Any => library::Undefined::Any,
            Undefined::Assume | Undefined::Error => library::Undefined::Assumed,
        },
        more_arguments: behaviour.open_arguments.unwrap_or(0),
        signals: behaviour.signals.unwrap_or(0),
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
