//! Schedules: everything that decides how a run goes, as a file people can read.
//!
//! ```text
//! threadbare schedule 1
//! program 8f14e45fceea167a
//! option spurious-wakeups
//! contexts
//! 0 5
//! 1 3
//! 0 2
//! inputs
//! 1 nondet 7
//! end
//! ```
//!
//! A context is a thread's number and how many visible steps it takes before
//! the next one; the last may be cut short by the end of the run. Inputs are the
//! thread, the kind and the value, in the order in which they were asked for.
//! The program's digest keeps a schedule from being used with another program.

use crate::inputs::{Input, InputKind};
use crate::machine::Config;
use ir::Program;
use library::{MemoryModel, Surroundings};
use std::fmt::{self, Write};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    pub digest: u64,
    pub options: Options,
    pub contexts: Vec<Context>,
    pub inputs: Vec<Input>,
}

/// A run of steps of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    pub thread: usize,
    pub steps: u64,
}

/// Settings that change which inputs are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub spurious_wakeups: bool,
    pub malloc_may_fail: bool,
    pub no_address_reuse: bool,
    /// So many arguments of the program, at most, are inputs.
    pub more_arguments: u32,
    /// So many signals may arrive in each thread.
    pub signals: u32,
    pub memory_model: MemoryModel,
}

/// What is wrong with a schedule file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    pub line: usize,
    pub what: String,
}

impl Options {
    fn names(&mut self) -> [(&'static str, &mut bool); 3] {
        [
            ("spurious-wakeups", &mut self.spurious_wakeups),
            ("malloc-may-fail", &mut self.malloc_may_fail),
            ("no-address-reuse", &mut self.no_address_reuse),
        ]
    }

    pub fn of(config: &Config) -> Options {
        let Surroundings {
            spurious_wakeups,
            malloc_may_fail,
            address_reuse,
            // Given again by whoever wants the same run.
            arguments: _,
            more_arguments,
            signals,
            // How a run goes does not depend on what it is called.
            undefined: _,
            memory_model,
        } = &config.surroundings;
        Options {
            spurious_wakeups: *spurious_wakeups,
            malloc_may_fail: *malloc_may_fail,
            no_address_reuse: !*address_reuse,
            more_arguments: *more_arguments,
            signals: *signals,
            memory_model: *memory_model,
        }
    }

    pub fn apply(self, config: &mut Config) {
        let Options {
            spurious_wakeups,
            malloc_may_fail,
            no_address_reuse,
            more_arguments,
            signals,
            memory_model,
        } = self;
        let surroundings = &mut config.surroundings;
        surroundings.spurious_wakeups = spurious_wakeups;
        surroundings.malloc_may_fail = malloc_may_fail;
        surroundings.address_reuse = !no_address_reuse;
        surroundings.more_arguments = more_arguments;
        surroundings.signals = signals;
        surroundings.memory_model = memory_model;
    }
}

/// The options that have a number.
const ARGUMENTS: &str = "option args ";

const SIGNALS: &str = "option signals ";

/// The option that has a name.
const MODEL: &str = "option memory-model ";

const HEADER: &str = "threadbare schedule 1";

impl Schedule {
    /// Adds one step, to the last context if that is the same thread's.
    pub fn push_step(&mut self, thread: usize) {
        match self.contexts.last_mut() {
            Some(context) if context.thread == thread => context.steps += 1,
            _ => self.contexts.push(Context { thread, steps: 1 }),
        }
    }

    pub fn parse(text: &str) -> Result<Schedule, ParseError> {
        Parser::new(text).schedule()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        writeln!(f, "program {:016x}", self.digest)?;
        let mut options = self.options;
        for (name, is_set) in options.names() {
            if *is_set {
                writeln!(f, "option {name}")?;
            }
        }
        if options.more_arguments > 0 {
            writeln!(f, "{ARGUMENTS}{}", options.more_arguments)?;
        }
        if options.signals > 0 {
            writeln!(f, "{SIGNALS}{}", options.signals)?;
        }
        if options.memory_model != MemoryModel::Sc {
            writeln!(f, "{MODEL}{}", options.memory_model.name())?;
        }
        writeln!(f, "contexts")?;
        for context in &self.contexts {
            writeln!(f, "{} {}", context.thread, context.steps)?;
        }
        writeln!(f, "inputs")?;
        for input in &self.inputs {
            writeln!(f, "{} {} {}", input.thread, input.kind.name(), input.value)?;
        }
        writeln!(f, "end")
    }
}

struct Parser<'t> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'t>>>,
    line: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Parser {
            lines: text.lines().enumerate().peekable(),
            line: 0,
        }
    }

    fn error<T>(&self, what: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError {
            line: self.line,
            what: what.into(),
        })
    }

    /// The next line that is neither empty nor a comment.
    fn next(&mut self, expected: &str) -> Result<&'t str, ParseError> {
        for (index, line) in self.lines.by_ref() {
            self.line = index + 1;
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                return Ok(line);
            }
        }
        self.line += 1;
        self.error(format!("the file ends where {expected} is expected"))
    }

    fn schedule(mut self) -> Result<Schedule, ParseError> {
        if self.next("the header")? != HEADER {
            return self.error(format!("a schedule file begins with '{HEADER}'"));
        }
        let mut schedule = Schedule::default();
        let line = self.next("the program's digest")?;
        schedule.digest = match line.strip_prefix("program ") {
            Some(digest) => match u64::from_str_radix(digest.trim(), 16) {
                Ok(digest) => digest,
                Err(_) => return self.error(format!("'{digest}' is not a digest")),
            },
            None => return self.error("'program' and its digest are expected here"),
        };
        loop {
            let line = self.next("'contexts'")?;
            if line == "contexts" {
                break;
            }
            if let Some(number) = line.strip_prefix(ARGUMENTS) {
                let number = self.number(Some(number.trim()), "a number of arguments")?;
                schedule.options.more_arguments = number;
                continue;
            }
            if let Some(number) = line.strip_prefix(SIGNALS) {
                let number = self.number(Some(number.trim()), "a number of signals")?;
                schedule.options.signals = number;
                continue;
            }
            if let Some(name) = line.strip_prefix(MODEL) {
                schedule.options.memory_model = match MemoryModel::from_name(name.trim()) {
                    Some(model) => model,
                    None => return self.error(format!("'{name}' is no memory model")),
                };
                continue;
            }
            let name = line.strip_prefix("option ").map(str::trim);
            let mut options = schedule.options;
            let known = options.names().into_iter().find(|(n, _)| Some(*n) == name);
            match known {
                Some((_, is_set)) => *is_set = true,
                None => return self.error(format!("'{line}' is neither an option nor 'contexts'")),
            }
            schedule.options = options;
        }
        loop {
            let line = self.next("'inputs'")?;
            if line == "inputs" {
                break;
            }
            let context = self.context(line)?;
            schedule.contexts.push(context);
        }
        loop {
            let line = self.next("'end'")?;
            if line == "end" {
                break;
            }
            let input = self.input(line)?;
            schedule.inputs.push(input);
        }
        match self.next("nothing") {
            Ok(line) => self.error(format!("'{line}' follows the end")),
            Err(_) => Ok(schedule),
        }
    }

    fn number<T: std::str::FromStr>(
        &self,
        word: Option<&str>,
        what: &str,
    ) -> Result<T, ParseError> {
        match word.and_then(|word| word.parse().ok()) {
            Some(number) => Ok(number),
            None => self.error(format!("{what} is expected, not '{}'", word.unwrap_or(""))),
        }
    }

    fn context(&self, line: &str) -> Result<Context, ParseError> {
        let mut words = line.split_whitespace();
        let context = Context {
            thread: self.number(words.next(), "a thread's number")?,
            steps: self.number(words.next(), "a number of steps")?,
        };
        if context.steps == 0 {
            return self.error("a context has at least one step");
        }
        self.finish(words)?;
        Ok(context)
    }

    fn input(&self, line: &str) -> Result<Input, ParseError> {
        let mut words = line.split_whitespace();
        let thread = self.number(words.next(), "a thread's number")?;
        let kind = match words.next().map(|word| (word, InputKind::from_name(word))) {
            Some((_, Some(kind))) => kind,
            Some((word, None)) => return self.error(format!("'{word}' is no kind of input")),
            None => return self.error("the kind of the input is missing"),
        };
        let value = self.number(words.next(), "a value")?;
        self.finish(words)?;
        Ok(Input {
            thread,
            kind,
            value,
        })
    }

    fn finish<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> Result<(), ParseError> {
        match words.next() {
            Some(word) => self.error(format!("'{word}' is too much on this line")),
            None => Ok(()),
        }
    }
}

/// Identifies a program by what it does: code, data and types, but not the names
/// of its files.
pub fn digest(program: &Program) -> u64 {
    let mut hasher = Digest(0xcbf2_9ce4_8422_2325);
    // Writing to the hasher cannot fail.
    let _ = write_program(&mut hasher, program);
    hasher.0
}

fn write_program(out: &mut Digest, program: &Program) -> fmt::Result {
    write!(out, "{:?} {:?}", program.target, program.main)?;
    write!(out, "{:?} {:?}", program.startup, program.cleanup)?;
    for (_, constant) in program.constants() {
        write!(out, "{constant:?}")?;
    }
    for global in program.globals.values() {
        write!(
            out,
            "{} {} {} {} {}{:?}",
            global.symbol,
            global.bytes,
            global.align,
            global.is_constant,
            global.is_thread_local,
            global.initial
        )?;
    }
    for function in program.functions.values() {
        write!(
            out,
            "{} {:?} {:?}",
            function.symbol, function.params, function.result
        )?;
        let Some(body) = &function.body else {
            continue;
        };
        for block in body.blocks.values() {
            for phi in &block.phis {
                write!(out, "{:?} {:?}", phi.result, phi.incoming)?;
            }
            for inst in &block.insts {
                let inst = &body.insts[*inst];
                write!(out, "{:?}{:?}", inst.op, inst.result)?;
            }
            write!(out, "{:?}", block.terminator)?;
        }
    }
    Ok(())
}

/// FNV-1a over text that is never kept.
struct Digest(u64);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Schedule {
        let mut schedule = Schedule {
            digest: 0x8f14_e45f_ceea_167a,
            options: Options {
                malloc_may_fail: true,
                more_arguments: 2,
                memory_model: MemoryModel::Pso,
                ..Options::default()
            },
            ..Schedule::default()
        };
        for thread in [0, 0, 1, 0] {
            schedule.push_step(thread);
        }
        schedule.inputs.push(Input {
            thread: 1,
            kind: InputKind::Nondet,
            value: u128::MAX,
        });
        schedule
    }

    #[test]
    fn what_is_written_is_read_back() {
        let schedule = example();
        let text = schedule.to_string();
        assert_eq!(Schedule::parse(&text), Ok(schedule));
        assert!(text.contains("contexts\n0 2\n1 1\n0 1\n"), "{text}");
    }

    #[test]
    fn every_truncation_is_noticed() {
        let text = example().to_string();
        for end in 0..text.len() - 1 {
            assert!(Schedule::parse(&text[..end]).is_err(), "{}", &text[..end]);
        }
    }

    #[test]
    fn errors_name_the_line() {
        let check = |text: &str, line: usize, what: &str| {
            let error = Schedule::parse(text).expect_err("should not parse");
            assert_eq!(error.line, line, "{error}");
            assert!(error.what.contains(what), "{error}");
        };
        let start = "threadbare schedule 1\nprogram 1\n";
        check("", 1, "the file ends");
        check("something else", 1, "begins with");
        check("threadbare schedule 1\nprogram xyz", 2, "not a digest");
        check(&format!("{start}option none\n"), 3, "neither an option");
        let model = format!("{start}option memory-model c11\n");
        check(&model, 3, "no memory model");
        check(&format!("{start}contexts\n0\n"), 4, "a number of steps");
        check(&format!("{start}contexts\n0 0\n"), 4, "at least one");
        check(&format!("{start}contexts\n0 1 2\n"), 4, "too much");
        check(
            &format!("{start}contexts\ninputs\n0 dice 3\n"),
            5,
            "no kind",
        );
        check(
            &format!("{start}contexts\ninputs\nend\n0 1\n"),
            6,
            "follows the end",
        );
    }
}
