//! The command line: what users can write. Meaning is given to it elsewhere.

use crate::guard;
use crate::search_args::{SearchArguments, parse_cores};
use clap::{Args, Parser, Subcommand, ValueEnum};
use library::MemoryModel;
use replay::{Checks, Property};
use std::path::PathBuf;
use threadbare::Sources;

#[derive(Parser)]
#[command(
    name = "threadbare",
    version,
    about = "Finds the interleaving that breaks a multi-threaded C program.",
    after_help = "Exit codes: 0 safe, or nothing found within the given bounds, 10 violated, 20 unknown,\n\
                  64 wrong usage, 65 input not understood, 70 internal error."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Shows what is in a program: threads, shared objects, synchronisation.
    Show(Show),
    /// Lists the functions of a C file, and writes a driver for them to begin with.
    Init(Init),
    /// Runs a program once, at random or along a schedule.
    Run(Run),
    /// Tries every schedule within bounds, one after the other.
    Explore(Explore),
    /// Looks for a violation in all schedules at once, with a solver.
    Check(Box<Check>),
    /// Makes one verdict of the result files of `check --from I --to J --result FILE`.
    Combine(Combine),
}

#[derive(Args)]
pub(crate) struct Combine {
    /// Result files of all slices, in any order.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Write the schedule of the violation to a file.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Refuse results that are not sealed with the secret in this file. Without it,
    /// the files are trusted.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Init {
    #[command(flatten)]
    pub input: Input,
    /// Where to write the driver. [default: NAME-driver.c beside the file]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
}

#[derive(Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub input: Input,
    /// Print the program model instead.
    #[arg(long)]
    pub ir: bool,
    #[command(flatten)]
    pub limits: Limits,
}

/// When to give up, whatever is under way. Compiling counts.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Limits {
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<u64>,
    /// Give up when more memory is needed than this, e.g. 500M or 4G; clang's counts.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
}

#[derive(Args)]
pub(crate) struct Run {
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
    /// Times a loop's header may be reached each time the loop is entered, and
    /// depth of recursion. [default: no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,
    /// Show every visible step.
    #[arg(long)]
    pub trace: bool,
    /// Write the schedule of this run to a file.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// With a weak memory model: write a picture of the execution to a file, for
    /// Graphviz.
    #[arg(long, value_name = "FILE.dot")]
    pub graph: Option<PathBuf>,
    /// Stop after so many visible steps.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub steps: u64,
    #[command(flatten)]
    pub limits: Limits,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub(crate) struct Explore {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub semantics: Semantics,
    /// Stretches of steps by one thread that a schedule may have. [default: no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub contexts: Option<u32>,
    /// Rounds that a schedule may have: in a round every thread has at most one
    /// context, in the order in which they were created. [default: no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
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
    /// Visit every state once instead of counting schedules: much faster, and made to
    /// show that nothing goes wrong.
    #[arg(long, conflicts_with_all = ["contexts", "rounds", "steps", "no_merge"])]
    pub prove: bool,
    /// With --prove: leave nothing out, even if it makes no difference.
    #[arg(long, requires = "prove")]
    pub no_reductions: bool,
    /// With --prove: how many cores work.
    #[arg(long, value_name = "N", requires = "prove", default_value_t = 1,
          value_parser = parse_cores)]
    pub cores: usize,
    /// With --prove: compare every step with the interpreter's.
    #[arg(long, requires = "prove", hide = true)]
    pub checked: bool,
    /// Write the schedule of the first violation to a file.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
    /// Give up at so many states.
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub max_states: usize,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub behaviour: Behaviour,
    /// What threads may see of each other's writes: sc, all agree on one order; tso, as
    /// on x86; pso, as on SPARC; rc11, what C's memory orders ask for. [default: rc11 if
    /// an atomic access or a fence asks for less than sequential consistency, else sc]
    #[arg(long, value_name = "MODEL", value_parser = parse_memory_model)]
    pub memory_model: Option<MemoryModel>,
    /// What to check: a list of assert, deadlock, memory, leak, cleanup,
    /// uninitialised, misuse, arithmetic, overflow, conversion, race, unwind; or all,
    /// which is all but cleanup, conversion and unwind.
    /// [default: assert,memory,misuse,arithmetic,deadlock]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_property)]
    property: Vec<PropertyName>,
    /// Stretches of steps by one thread that a schedule may have. [default: grows]
    #[arg(long, value_name = "N", conflicts_with = "rounds",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub contexts: Option<u32>,
    /// Rounds in which every thread has one context, in the order of their
    /// creation.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// Bound of loops whose number of iterations is not constant, and of
    /// recursion. [default: grows]
    #[arg(long, value_name = "N", conflicts_with = "unwind_all",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,
    /// Bound of every loop, and of recursion.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind_all: Option<u32>,
    /// Bounds of single loops, by their names in `threadbare show`.
    #[arg(long, value_name = "FUNCTION.LOOP:N,...", value_delimiter = ',',
          value_parser = parse_loop_bound)]
    pub unwindset: Vec<(String, u32)>,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub limits: Limits,
    /// Write the last query to a file, as DIMACS, or as SMT-LIB if it is named .smt2;
    /// if it is named .threads, what unfolding makes of the program.
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// Go on after the first violation, until there is no other.
    #[arg(long, conflicts_with = "svcomp")]
    pub all_violations: bool,
    /// If something goes wrong, look for the fewest atomic accesses and fences that
    /// prevent it with a stronger memory order.
    #[arg(long, conflicts_with = "svcomp")]
    pub suggest_orders: bool,
    /// If nothing goes wrong, look for atomic accesses and fences for which a weaker
    /// memory order would do.
    #[arg(long, conflicts_with = "svcomp")]
    pub weakest: bool,
    /// Do not tell races and deadlocks that this file names, in ThreadSanitizer's
    /// format.
    #[arg(long, value_name = "FILE", conflicts_with = "svcomp")]
    pub suppressions: Option<PathBuf>,
    /// Write the schedule of the violation to a file; of others to FILE.2 and so on.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Tell what each attempt took.
    #[arg(long)]
    pub stats: bool,
    /// Write which lines runs within the bounds execute, as lcov does.
    #[arg(long, value_name = "FILE")]
    pub coverage: Option<PathBuf>,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Experimental: leave out schedules that are equivalent to others.
    #[arg(long, value_name = "WHICH")]
    pub normal_forms: Option<NormalForms>,
    /// Experimental: do without something that makes formulas smaller.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub without: Vec<Reduction>,
    /// Answer as in SV-COMP: the last line is true, false(...), unknown or ERROR.
    #[arg(long, requires = "prop", conflicts_with_all = ["json", "property"])]
    pub svcomp: bool,
    /// The property file.
    #[arg(long, value_name = "FILE", requires = "svcomp")]
    pub prop: Option<PathBuf>,
    /// Sizes of types: 32 or 64 bits.
    #[arg(
        long,
        value_name = "MODEL",
        requires = "svcomp",
        conflicts_with = "machine"
    )]
    pub data_model: Option<DataModel>,
}

// What they mean is in docs/check.md; here it would make the help twice as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NormalForms {
    None,
    Resume,
    Order,
    Both,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Reduction {
    Hiding,
    Ranges,
    Learning,
    Relaxing,
    Locksets,
    Spinning,
    Narrowing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataModel {
    #[value(name = "ILP32")]
    Ilp32,
    #[value(name = "LP64")]
    Lp64,
}

impl DataModel {
    /// As in `-m32`.
    pub(crate) fn bits(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "32",
            DataModel::Lp64 => "64",
        }
    }
}

/// Where the program comes from.
#[derive(Args, Clone)]
pub(crate) struct Input {
    /// C, C++, preprocessed (.i) or LLVM IR (.ll) files; they are linked together.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Take the options of that name from threadbare.toml, which is in the folder of
    /// the first file, or in this one.
    #[arg(long, value_name = "NAME")]
    pub config: Option<String>,
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
    /// Take all flags of --build, also those that could make clang run programs or
    /// write files.
    #[arg(long, requires = "build")]
    pub trust_build: bool,
    /// What volatile accesses are: plain, or relaxed atomic ones, as code that is
    /// older than C11 means them.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Volatile::Plain)]
    pub volatile: Volatile,
    /// The same as --undefined error.
    #[arg(long)]
    pub strict: bool,
    /// Passed to clang.
    #[arg(last = true, value_name = "CLANG OPTIONS")]
    pub clang_options: Vec<String>,
}

/// How the program behaves, and what is checked.
#[derive(Args)]
pub(crate) struct Semantics {
    #[command(flatten)]
    pub behaviour: Behaviour,
    /// What to check: a list of assert, deadlock, memory, leak, cleanup,
    /// uninitialised, misuse, arithmetic, overflow, conversion, race; or all, which is
    /// all but cleanup and conversion. [default: all but leak and uninitialised]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_property)]
    property: Vec<PropertyName>,
    /// What threads may see of each other's writes: sc, all agree on one order; tso, as
    /// on x86; pso, as on SPARC; rc11, what C's memory orders ask for. [default: rc11 if
    /// an atomic access or a fence asks for less than sequential consistency, else sc]
    #[arg(long, value_name = "MODEL", value_parser = parse_memory_model)]
    pub memory_model: Option<MemoryModel>,
}

fn parse_memory_model(name: &str) -> Result<MemoryModel, String> {
    let names = MemoryModel::ALL.map(MemoryModel::name).join(", ");
    MemoryModel::from_name(name).ok_or(format!("not one of {names}"))
}

/// Each of them makes formulas larger.
const MOST_ARGUMENTS: i64 = 64;

/// Handlers may run before every step, so each makes formulas much larger.
const MOST_SIGNALS: i64 = 8;

/// What the surroundings of a program may do to it.
#[derive(Args)]
pub(crate) struct Behaviour {
    /// Waits for conditions may end without a signal.
    #[arg(long)]
    pub spurious: bool,
    /// Signals that the program has handlers for may arrive, so many in each thread.
    /// [default if no number is given: 1]
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u32).range(1..=MOST_SIGNALS)
    )]
    pub signals: Option<u32>,
    /// Allocations may fail.
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// Allocations never get the address of a freed block.
    #[arg(long)]
    pub no_address_reuse: bool,
    /// Functions with neither body nor model: assume that they change nothing, and
    /// say so in the verdict; any, they return any value and change nothing; error.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Undefined::Assume)]
    pub undefined: Undefined,
    /// What counts as a deadlock: global, no thread can go on; partial, or threads
    /// wait for each other while others can go on.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Deadlock::Partial)]
    pub deadlock: Deadlock,
    /// An argument of the program; may be given several times.
    #[arg(long = "arg", value_name = "TEXT", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// The program has up to N arguments of up to 8 characters each, whatever they
    /// say.
    #[arg(long = "args", value_name = "N", conflicts_with = "arguments",
          value_parser = clap::value_parser!(u32).range(1..=MOST_ARGUMENTS))]
    pub open_arguments: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Volatile {
    Plain,
    Atomic,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Undefined {
    Assume,
    Any,
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Deadlock {
    Global,
    Partial,
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

/// `main.0:3`.
fn parse_loop_bound(text: &str) -> Result<(String, u32), String> {
    let error = || "not FUNCTION.LOOP:N, for instance main.0:3".to_owned();
    let (name, bound) = text.rsplit_once(':').ok_or_else(error)?;
    match bound.parse() {
        Ok(bound) if bound > 0 && !name.is_empty() => Ok((name.to_owned(), bound)),
        _ => Err(error()),
    }
}

/// Bytes: `4G`, `500M`, `65536`.
fn parse_size(text: &str) -> Result<u64, String> {
    let error = || "not a size such as 500M or 4G".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(error()),
    };
    let number: u64 = digits.parse().map_err(|_| error())?;
    match number.checked_mul(1 << shift) {
        Some(bytes) if bytes > 0 => Ok(bytes),
        _ => Err(error()),
    }
}

/// Inputs are bit patterns; negative numbers mean their two's complement.
fn parse_input(text: &str) -> Result<u128, String> {
    let number: i128 = text.trim().parse().map_err(|_| "not a number".to_owned())?;
    Ok(number as u128)
}

impl Semantics {
    pub(crate) fn checks(&self) -> Checks {
        if self.property.is_empty() {
            return Checks::default();
        }
        union(&self.property)
    }
}

impl PropertyName {
    fn checks(self) -> Checks {
        match self {
            PropertyName::All => Checks::all(),
            PropertyName::One(property) => Checks::NONE.with(property),
        }
    }
}

fn union(names: &[PropertyName]) -> Checks {
    names.iter().flat_map(|name| name.checks().iter()).collect()
}

impl Check {
    pub(crate) fn checks(&self) -> Checks {
        match self.property.is_empty() {
            true => Checks::ends_of_threads(),
            false => union(&self.property),
        }
    }

    /// The input, with what the data model says about it.
    pub(crate) fn input(&self) -> Input {
        let mut input = self.input.clone();
        if let Some(model) = self.data_model {
            input.machine = Some(model.bits().to_owned());
        }
        input
    }

    pub(crate) fn bounds(&self) -> check::Bounds {
        let contexts = self.contexts.map(check::Order::Contexts);
        let rounds = self.rounds.map(check::Order::Rounds);
        check::Bounds {
            order: contexts.or(rounds),
            unwind: self.unwind.or(self.unwind_all),
            unwind_every_loop: self.unwind_all.is_some(),
            unwind_set: self.unwindset.iter().cloned().collect(),
        }
    }

    pub(crate) fn reductions(&self) -> check::Reductions {
        let mut reductions = check::Reductions::default();
        if let Some(forms) = self.normal_forms {
            reductions.normal_forms = encode::NormalForms {
                resume_for_conflict: matches!(forms, NormalForms::Resume | NormalForms::Both),
                ordered_neighbours: matches!(forms, NormalForms::Order | NormalForms::Both),
            };
        }
        for reduction in &self.without {
            match reduction {
                Reduction::Hiding => reductions.unfolding.hiding = false,
                Reduction::Ranges => reductions.unfolding.ranges = false,
                Reduction::Learning => reductions.unfolding.learning = false,
                Reduction::Relaxing => reductions.unfolding.relaxing = false,
                Reduction::Locksets => reductions.unfolding.locksets = false,
                Reduction::Spinning => reductions.unfolding.spinning = false,
                Reduction::Narrowing => reductions.narrowing = false,
            }
        }
        reductions
    }
}

impl Input {
    pub(crate) fn sources(&self, limits: &Limits) -> Sources {
        let mut sources = Sources::new(&self.files).clang_options(self.options_for_clang());
        if let Some(deadline) = guard::deadline(limits) {
            sources = sources.deadline(deadline);
        }
        if let Some(bytes) = limits.memory {
            sources = sources.memory(bytes);
        }
        if self.trust_build {
            sources = sources.trust_build();
        }
        if let Some(path) = &self.clang {
            sources = sources.clang(path);
        }
        if let Some(folder) = &self.build {
            sources = sources.build_folder(folder);
        }
        if self.volatile == Volatile::Atomic {
            sources = sources.volatile_is_atomic();
        }
        sources
    }

    fn options_for_clang(&self) -> Vec<String> {
        let mut options = self.compiler_options();
        options.extend(self.std.iter().map(|name| format!("-std={name}")));
        options.extend(self.clang_options.iter().cloned());
        options
    }

    /// Those that are written as for a compiler.
    fn compiler_options(&self) -> Vec<String> {
        let mut options = Vec::new();
        options.extend(self.include.iter().map(|dir| format!("-I{dir}")));
        options.extend(self.define.iter().map(|name| format!("-D{name}")));
        options.extend(self.machine.iter().map(|bits| format!("-m{bits}")));
        options
    }

    /// What has to be written to get the same program again; `more` comes before
    /// what goes to clang.
    pub(crate) fn command_line(&self, command: &str, more: &[String]) -> String {
        let path = |path: &PathBuf| path.display().to_string();
        let mut words = vec!["threadbare".to_owned(), command.to_owned()];
        words.extend(self.files.iter().map(path));
        words.extend(self.compiler_options());
        let is_atomic = self.volatile == Volatile::Atomic;
        let named = [
            ("--std", self.std.clone()),
            ("--clang", self.clang.as_ref().map(path)),
            ("--build", self.build.as_ref().map(path)),
            ("--volatile", is_atomic.then(|| "atomic".to_owned())),
        ];
        for (name, value) in named {
            words.extend(value.map(|value| format!("{name}={value}")));
        }
        words.extend(self.trust_build.then(|| "--trust-build".to_owned()));
        words.extend(more.iter().cloned());
        if !self.clang_options.is_empty() {
            words.push("--".to_owned());
            words.extend(self.clang_options.iter().cloned());
        }
        let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
        words.join(" ")
    }
}

/// As a shell wants it.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
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
        assert_eq!(run.input.options_for_clang(), expected);
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

    fn check(line: &str) -> Check {
        match Arguments::parse_from(line.split(' ')).command {
            Command::Check(check) => *check,
            _ => panic!("should be a check"),
        }
    }

    #[test]
    fn bounds_come_from_several_options() {
        let bounds = check("threadbare check a.c --rounds 2 --unwindset f.0:3,g.1:4").bounds();
        assert_eq!(bounds.order, Some(check::Order::Rounds(2)));
        assert_eq!(bounds.unwind, None);
        assert_eq!(bounds.unwind_set["g.1"], 4);
        assert!(!bounds.are_given());
        let bounds = check("threadbare check a.c --contexts 5 --unwind-all 3").bounds();
        assert!(bounds.are_given() && bounds.unwind_every_loop);
        assert_eq!(bounds.unwind, Some(3));
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("500M"), Ok(500 << 20));
        assert_eq!(parse_size("4G"), Ok(4 << 30));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("1024"), Ok(1024));
        for wrong in ["", "G", "4X", "-1M", "0", "0G", "99999999999T", "1.5G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bounds_of_loops_have_a_name_and_a_number() {
        assert_eq!(parse_loop_bound("main.0:3"), Ok(("main.0".to_owned(), 3)));
        assert_eq!(parse_loop_bound("a::f.0:1"), Ok(("a::f.0".to_owned(), 1)));
        for wrong in ["main.0", "main.0:", ":3", "main.0:0", "main.0:x"] {
            assert!(parse_loop_bound(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_command_can_be_given_again() {
        let line = "threadbare check my.c --svcomp --prop p.prp --data-model ILP32 -DX=a'b --std c99 -- -Wall";
        let more = ["--arg=two words".to_owned()];
        assert_eq!(
            check(line).input().command_line("run", &more),
            r"threadbare run my.c '-DX=a'\''b' -m32 --std=c99 '--arg=two words' -- -Wall"
        );
    }
}
