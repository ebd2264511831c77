//! Judges one program: runs it many times, and compares what was seen with what the
//! explorer enumerates.
//!
//! What is compared: how the process ends, with the values of all global variables;
//! which assertion fails; and, without atomic accesses, the first data race of a run.
//! Since there is a fence between any two accesses, programs with data races are
//! judged like others.
//!
//! What is not:
//! - programs with atomic sections, which the machine does not have;
//! - programs of which the explorer does not know all outcomes, because there are too
//!   many, or values that only the machine knows;
//! - programs with races that access more than a register at once, since the explorer
//!   takes that for one step, and the machine does not;
//! - programs with undefined behaviour, unless all of it can be seen when it happens:
//!   wrong accesses, which AddressSanitizer notices unless locals end before their
//!   function returns, or together with their thread, or the library uses them. A run
//!   in which it notices none has to be among the enumerated ones; races are left out
//!   where a thread may go on after such an access;
//! - a run without an end, unless the explorer says that there is none and the program
//!   has no loops. A slow machine may only see less.
//!
//! Nothing here says who is right.

use super::build::Workshop;
use super::enumerate::{Outcomes, Values, outcomes};
use super::handed_out::threads_hand_out_locals;
use super::instrument::{Sanitizer, Traits, traits};
use super::observe::{self, Seen, Setting, seen};
use super::races::{Pair, first_race};
use replay::ViolationKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// For a run, where none should be without an end.
const LONG: Duration = Duration::from_secs(20);

/// For a run that may have no end.
const SHORT: Duration = Duration::from_millis(200);

/// After so many runs without an end, a program is left alone.
const MOST_TIME_OUTS: u64 = 3;

/// What AddressSanitizer notices, or the machine itself. What is out of bounds may be
/// in the midst of another variable, which neither of them notices.
const WRONG_ACCESSES: [ViolationKind; 5] = [
    ViolationKind::NullDereference,
    ViolationKind::UseAfterFree,
    ViolationKind::DoubleFree,
    ViolationKind::InvalidFree,
    ViolationKind::InvalidPointer,
];

/// Signals of the machine.
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;
const SIGPIPE: i32 = 13;
/// What the explorer adds to the number of a signal that ends the process.
const ENDED_BY_SIGNAL: i32 = 128;

/// A program to judge.
pub struct Case {
    pub source: PathBuf,
    pub is_32_bits: bool,
    pub inputs: Vec<u128>,
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub runs: u32,
    /// Runs with ThreadSanitizer.
    pub race_runs: u32,
    pub seed: u64,
    /// Look for wrong accesses even where the explorer sees none.
    pub looks_for_wrong_accesses: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A run showed what is not enumerated.
    Outcome,
    /// A run does not end.
    Hang,
    /// A race that is none for the explorer.
    Race,
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Outcome => "the explorer does not have this outcome",
            Kind::Hang => "the explorer says that every run ends",
            Kind::Race => "the explorer does not have this race",
        };
        write!(f, "{kind}: {}", self.what)
    }
}

/// What came out for one program.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// Why its outcomes are not judged.
    pub not_judged: Option<String>,
    /// Why its races are not.
    pub races_not_judged: Option<String>,
    pub runs: u64,
    pub time_outs: u64,
    /// Different outcomes seen, and there are.
    pub seen: u64,
    pub enumerated: u64,
    /// Different races seen, and there are.
    pub races_seen: u64,
    pub races_enumerated: u64,
    pub findings: Vec<Finding>,
}

/// Whether the explorer has an outcome.
pub fn is_enumerated(outcomes: &Outcomes, seen: &Seen) -> bool {
    let has_wrong_access = has_wrong_access(outcomes);
    let divides_by_zero = outcomes.undefined.contains(&ViolationKind::DivisionByZero);
    match seen {
        Seen::Exit { code, values } => match values {
            Some(values) => outcomes.exits.contains(&(*code, values.clone())),
            None => outcomes.exits.iter().any(|(exit, _)| exit == code),
        },
        Seen::Assertion(line) => outcomes.assertions.contains(line),
        Seen::Aborted => outcomes.can_abort,
        Seen::Signal(SIGSEGV | SIGBUS) => has_wrong_access,
        Seen::Signal(SIGFPE) => divides_by_zero,
        Seen::Signal(SIGPIPE) => {
            let mut exits = outcomes.exits.iter();
            exits.any(|(exit, _)| *exit == ENDED_BY_SIGNAL + SIGPIPE)
        }
        Seen::Signal(_) => false,
        Seen::WrongAccess(_) => has_wrong_access || divides_by_zero,
        Seen::TimeOut => outcomes.can_hang,
    }
}

fn has_wrong_access(outcomes: &Outcomes) -> bool {
    let mut kinds = outcomes.undefined.iter();
    kinds.any(|kind| WRONG_ACCESSES.contains(kind))
}

/// Undefined behaviour after which nothing can be said about a run.
fn wild(outcomes: &Outcomes) -> Option<String> {
    let is_seen = |kind: &ViolationKind| {
        WRONG_ACCESSES.contains(kind)
            || [ViolationKind::DivisionByZero, ViolationKind::Deadlock].contains(kind)
    };
    let wild = outcomes.undefined.iter().find(|kind| !is_seen(kind));
    wild.map(|kind| format!("undefined behaviour: {kind}"))
}

/// Judges a program. An error is one of the tests themselves, or a program that does
/// not compile.
pub fn examine(workshop: &Workshop, case: &Case, effort: &Effort) -> Result<Examined, String> {
    examine_against(workshop, case, effort, &case.inputs)
}

/// The same, where the explorer tries other values of inputs than the machine gets.
pub fn examine_against(
    workshop: &Workshop,
    case: &Case,
    effort: &Effort,
    explored_inputs: &[u128],
) -> Result<Examined, String> {
    let mut examined = Examined::default();
    let text = workshop.compile(&case.source, case.is_32_bits)?;
    let traits = traits(&text);
    if let Some(why) = unfit(&traits) {
        examined.not_judged = Some(why.to_owned());
        examined.races_not_judged = Some(why.to_owned());
        return Ok(examined);
    }
    let loaded = llvm::read(&[("program.ll".to_owned(), text.clone())]);
    let program = loaded.map_err(|error| error.to_string())?.program;
    let values = Values::of(&program, &traits.handles);
    let outcomes = outcomes(&program, &values, explored_inputs)?;
    examined.enumerated =
        (outcomes.exits.len() + outcomes.assertions.len()) as u64 + u64::from(outcomes.can_abort);
    examined.races_enumerated = outcomes.races.len() as u64;
    let layout = analysis::layout::first_dependence(&program);
    let why = (outcomes.incomplete.clone())
        .or_else(|| wild(&outcomes))
        .or_else(|| layout.map(|_| "depends on where things are in memory".to_owned()));
    let is_torn = traits.has_coarse_accesses && !outcomes.races.is_empty();
    examined.not_judged = why
        .clone()
        .or_else(|| is_torn.then(|| "races between accesses of several parts".to_owned()));
    let needs_sanitizer = has_wrong_access(&outcomes);
    // A thread that ends in the midst of a call leaves its locals where they are, and
    // nobody notices who uses them; the same holds for arrays of any size, for whatever
    // was on the stack of a thread that has ended, and for the library itself.
    let uses_what_is_gone = outcomes.undefined.contains(&ViolationKind::UseAfterFree);
    let null = ViolationKind::NullDereference;
    let goes_on_wrongly =
        (outcomes.undefined.iter()).any(|kind| WRONG_ACCESSES.contains(kind) && *kind != null);
    let hides_ends = uses_what_is_gone
        && (traits.has_early_ends || traits.has_lent_locks || threads_hand_out_locals(&program));
    if needs_sanitizer && (hides_ends || !workshop.has_address_sanitizer) {
        let why = "undefined behaviour: wrong accesses".to_owned();
        examined.not_judged.get_or_insert(why);
    }
    let no_races = match () {
        () if traits.has_atomics => Some("atomic accesses"),
        () if case.is_32_bits => Some("32 bits"),
        () if !traits.has_threads => Some("no threads"),
        () if workshop.thread_sanitizer.is_none() => Some("no ThreadSanitizer"),
        // ThreadSanitizer lets threads go on after them. What is there by then may be
        // something else, with which they seem to race.
        () if goes_on_wrongly => Some("wrong accesses"),
        () => None,
    };
    let no_races = no_races.or((effort.race_runs == 0).then_some("left out"));
    examined.races_not_judged = why.or(no_races.map(str::to_owned));
    let bench = workshop.bench()?;
    let mut judge = Judge {
        workshop,
        case,
        effort,
        text: &text,
        values: &values,
        outcomes: &outcomes,
        traits: &traits,
        bench: bench.path(),
        examined,
    };
    if judge.examined.not_judged.is_none() {
        let looks = effort.looks_for_wrong_accesses && workshop.has_address_sanitizer;
        judge.outcomes(match needs_sanitizer || looks {
            true => Sanitizer::Address,
            false => Sanitizer::None,
        })?;
    }
    if judge.examined.races_not_judged.is_none() {
        judge.races()?;
    }
    Ok(judge.examined)
}

/// Why a program is not for the machine.
fn unfit(traits: &Traits) -> Option<&'static str> {
    match () {
        () if traits.has_atomic_sections => Some("atomic sections"),
        () if traits.redefines => Some("defines a function that has a meaning of its own"),
        () if traits.strange_input => Some("inputs of a strange type"),
        () => None,
    }
}

struct Judge<'a> {
    workshop: &'a Workshop,
    case: &'a Case,
    effort: &'a Effort,
    text: &'a str,
    values: &'a Values,
    outcomes: &'a Outcomes,
    traits: &'a Traits,
    bench: &'a Path,
    examined: Examined,
}

impl Judge<'_> {
    fn setting<'s>(&'s self, executable: &'s Path, sanitizer: Sanitizer) -> Setting<'s> {
        Setting {
            executable,
            sanitizer,
            inputs: &self.case.inputs,
            time: match sanitizer {
                // It takes long to name the lines of a race.
                Sanitizer::Thread => 8 * SHORT,
                _ if self.outcomes.can_hang => SHORT,
                _ => LONG,
            },
        }
    }

    fn outcomes(&mut self, sanitizer: Sanitizer) -> Result<(), String> {
        let executable =
            self.workshop
                .build(self.bench, self.text, &self.values.told, sanitizer)?;
        let mut all: BTreeMap<Seen, u64> = BTreeMap::new();
        for run in 0..self.effort.runs {
            let seed = self.effort.seed + u64::from(run);
            let setting = self.setting(&executable, sanitizer);
            let told = observe::run(self.workshop, &setting, seed)?;
            let mut seen = seen(&told)?;
            if let Seen::Exit {
                values: Some(values),
                ..
            } = &mut seen
            {
                *values = self.values.select(values)?;
            }
            self.examined.runs += 1;
            if seen == Seen::TimeOut {
                self.examined.time_outs += 1;
                if self.examined.time_outs >= MOST_TIME_OUTS {
                    break;
                }
            }
            *all.entry(seen).or_default() += 1;
        }
        for (seen, count) in all {
            let is_enumerated = is_enumerated(self.outcomes, &seen);
            if seen == Seen::TimeOut {
                if !is_enumerated && !self.traits.has_loops {
                    let what = format!("{count} runs have no end");
                    let kind = Kind::Hang;
                    self.examined.findings.push(Finding { kind, what });
                }
                continue;
            }
            self.examined.seen += 1;
            if !is_enumerated {
                let what = self.describe(&seen, count);
                let kind = Kind::Outcome;
                self.examined.findings.push(Finding { kind, what });
            }
        }
        Ok(())
    }

    fn describe(&self, seen: &Seen, count: u64) -> String {
        let what = match seen {
            Seen::Exit {
                code,
                values: Some(values),
            } => format!("exit with {code}, {}", self.values.describe(values)),
            _ => seen.to_string(),
        };
        format!("{what} ({count} of {} runs)", self.examined.runs)
    }

    fn races(&mut self) -> Result<(), String> {
        let sanitizer = Sanitizer::Thread;
        let executable =
            self.workshop
                .build(self.bench, self.text, &self.values.told, sanitizer)?;
        let mut all: BTreeSet<Pair> = BTreeSet::new();
        for run in 0..self.effort.race_runs {
            let seed = self.effort.seed + u64::from(run);
            let setting = self.setting(&executable, sanitizer);
            let told = observe::run(self.workshop, &setting, seed)?;
            all.extend(first_race(&told.text, &self.case.source));
            self.examined.runs += 1;
            if seen(&told)? == Seen::TimeOut {
                break;
            }
        }
        self.examined.races_seen = all.len() as u64;
        for (one, other) in all.difference(&self.outcomes.races) {
            let what = format!("lines {one} and {other}");
            let kind = Kind::Race;
            self.examined.findings.push(Finding { kind, what });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Outcomes {
        Outcomes {
            exits: BTreeSet::from([(0, vec![1]), (0, vec![2]), (3, vec![1])]),
            assertions: BTreeSet::from([7]),
            ..Outcomes::default()
        }
    }

    fn exit(code: i32, values: Option<&[u8]>) -> Seen {
        let values = values.map(<[u8]>::to_vec);
        Seen::Exit { code, values }
    }

    #[test]
    fn what_is_enumerated_is_accepted() {
        let outcomes = some();
        for seen in [
            exit(0, Some(&[2])),
            exit(3, Some(&[1])),
            exit(3, None),
            Seen::Assertion(7),
        ] {
            assert!(is_enumerated(&outcomes, &seen), "{seen}");
        }
    }

    /// The judge can fail: an enumeration that lacks one outcome is noticed.
    #[test]
    fn an_outcome_that_was_dropped_is_missed() {
        for dropped in some().exits {
            let mut outcomes = some();
            outcomes.exits.remove(&dropped);
            let (code, values) = dropped;
            let seen = exit(code, Some(&values));
            assert!(!is_enumerated(&outcomes, &seen), "{seen}");
            assert!(is_enumerated(&some(), &seen), "{seen}");
        }
    }

    #[test]
    fn what_is_not_enumerated_is_reported() {
        let outcomes = some();
        for seen in [
            exit(0, Some(&[3])),
            exit(3, Some(&[2])),
            exit(1, None),
            Seen::Assertion(8),
            Seen::Aborted,
            Seen::Signal(SIGSEGV),
            Seen::Signal(SIGFPE),
            Seen::WrongAccess("heap-use-after-free".to_owned()),
            Seen::TimeOut,
        ] {
            assert!(!is_enumerated(&outcomes, &seen), "{seen}");
        }
    }
}
