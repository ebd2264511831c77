//! The command line: what users can write. Meaning is given to it elsewhere.

use clap::{Args, Parser, Subcommand};
use replay::{Checks, Property};
use std::path::PathBuf;

#[derive(Parser)]
#[command(
    name = "threadbare",
    version,
    about = "Finds the interleaving that breaks a multi-threaded C program.",
    after_help = "Exit codes: 0 nothing found within the given bounds, 10 violated, 20 unknown,\n\
                  64 wrong usage, 65 input not understood, 70 internal error."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Shows what is in a program: threads, shared objects, synchronisation.
    Show(Show),
    /// Runs a program once, at random or along a schedule.
    Run(Run),
    /// Tries every schedule within bounds.
    Explore(Explore),
}

#[derive(Args)]
pub struct Show {
    #[command(flatten)]
    pub input: Input,
    /// Print the program model instead.
    #[arg(long)]
    pub ir: bool,
}

#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub semantics: Semantics,
    /// Choose threads and inputs at random, repeatably.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "schedule"
    )]
    pub seed: u64,
    /// Follow a schedule file.
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    /// Show every visible step.
    #[arg(long)]
    pub trace: bool,
    /// Write the schedule of this run to a file.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Stop after so many visible steps.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub steps: u64,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Explore {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub semantics: Semantics,
    /// Stretches of steps by one thread that a schedule may have. [default: no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub contexts: Option<u32>,
    /// Times a loop's header may be reached each time the loop is entered, and
    /// depth of recursion. [default: no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,
    /// Visible steps of each thread. [default: no bound]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Values that nondeterministic inputs may take.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0,1,-1",
          value_parser = parse_input, allow_hyphen_values = true)]
    pub inputs: Vec<u128>,
    /// Go on after the first violation, and report each one.
    #[arg(long)]
    pub all: bool,
    /// Visit every schedule on its own, even if its states are known.
    #[arg(long)]
    pub no_merge: bool,
    /// Write the schedule of the first violation to a file.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<u64>,
    /// Give up at so many states.
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub max_states: usize,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Where the program comes from.
#[derive(Args)]
pub struct Input {
    /// C, C++, preprocessed (.i) or LLVM IR (.ll) files; they are linked together.
    #[arg(value_name = "FILE", required_unless_present = "build")]
    pub files: Vec<PathBuf>,
    /// Add a folder to the include path.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<String>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Compile for 32 or 64 bits (-m32, -m64).
    #[arg(short = 'm', value_name = "BITS", value_parser = ["32", "64"])]
    pub machine: Option<String>,
    /// Language standard, e.g. c11 or gnu99.
    #[arg(long, value_name = "NAME")]
    pub std: Option<String>,
    /// The clang to use. [default: clang, or the newest of clang-14 to clang-22]
    #[arg(long, value_name = "PATH")]
    pub clang: Option<PathBuf>,
    /// A folder with compile_commands.json, which says how to compile each file.
    #[arg(long, value_name = "DIR")]
    pub build: Option<PathBuf>,
    /// Functions without a body are an error, unless they are known.
    #[arg(long)]
    pub strict: bool,
    /// Passed to clang.
    #[arg(last = true, value_name = "CLANG OPTIONS")]
    pub clang_options: Vec<String>,
}

/// How the program behaves, and what is checked.
#[derive(Args)]
pub struct Semantics {
    /// What to check: a list of assert, deadlock, memory, leak, misuse,
    /// arithmetic, overflow, race; or all. [default: all but leak]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_property)]
    property: Vec<PropertyName>,
    /// Waits for conditions may end without a signal.
    #[arg(long)]
    pub spurious: bool,
    /// Allocations may fail.
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// Allocations never get the address of a freed block.
    #[arg(long)]
    pub no_address_reuse: bool,
    /// An argument of the program; may be given several times.
    #[arg(long = "arg", value_name = "TEXT", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
}

#[derive(Clone, Copy)]
enum PropertyName {
    All,
    One(Property),
}

fn parse_property(name: &str) -> Result<PropertyName, String> {
    if name == "all" {
        return Ok(PropertyName::All);
    }
    let names = Property::ALL.map(Property::name).join(", ");
    let error = || format!("not one of {names}, all");
    Property::from_name(name)
        .map(PropertyName::One)
        .ok_or_else(error)
}

/// Inputs are bit patterns; negative numbers mean their two's complement.
fn parse_input(text: &str) -> Result<u128, String> {
    let number: i128 = text.trim().parse().map_err(|_| "not a number".to_owned())?;
    Ok(number as u128)
}

impl Semantics {
    pub fn checks(&self) -> Checks {
        if self.property.is_empty() {
            return Checks::default();
        }
        let add = |checks: Checks, name: &PropertyName| match name {
            PropertyName::All => Checks::all(),
            PropertyName::One(property) => checks.with(*property),
        };
        self.property.iter().fold(Checks::NONE, add)
    }
}

impl Input {
    pub fn options(&self) -> llvm::Options {
        let mut args = Vec::new();
        args.extend(self.include.iter().map(|dir| format!("-I{dir}")));
        args.extend(self.define.iter().map(|name| format!("-D{name}")));
        args.extend(self.machine.iter().map(|bits| format!("-m{bits}")));
        args.extend(self.std.iter().map(|name| format!("-std={name}")));
        args.extend(self.clang_options.iter().cloned());
        llvm::Options {
            clang: self.clang.clone(),
            args,
            build_dir: self.build.clone(),
            is_known_function: |symbol| library::lookup(symbol).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn compiler_options_reach_clang_in_order() {
        let line = "threadbare run a.c -I inc -DX=1 -m32 --std c99 -- -Wall -O0";
        let Command::Run(run) = Arguments::parse_from(line.split(' ')).command else {
            panic!("should be a run");
        };
        let expected = ["-Iinc", "-DX=1", "-m32", "-std=c99", "-Wall", "-O0"];
        assert_eq!(run.input.options().args, expected);
    }

    #[test]
    fn properties_are_a_list() {
        let line = "threadbare explore a.c --property race,leak --inputs=-1,2";
        let Command::Explore(explore) = Arguments::parse_from(line.split(' ')).command else {
            panic!("should be an exploration");
        };
        let checks = explore.semantics.checks();
        assert!(checks.has(Property::Race) && checks.has(Property::Leak));
        assert!(!checks.has(Property::Assert));
        assert_eq!(explore.inputs, [u128::MAX, 2]);
    }
}
