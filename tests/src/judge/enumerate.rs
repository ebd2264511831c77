//! All outcomes that a program can have, by the explorer.
//!
//! A violation is no end here: a thread that fails an assertion, or does what is
//! undefined, stays where it is, and the others go on. On the machine something can
//! happen between the step before an assertion and its failure, too. What the thread
//! would do next is noted as something that can be seen.

use super::instrument::Told;
use super::races::{Pair, pair};
use crate::run;
use ir::{GlobalId, Program, SourceType, SourceTypeId};
use library::{Surroundings, Undefined};
use replay::{
    Bounds, Checks, Config, InputKind, Limit, Machine, Mode, Property, Stop, Stuck, ViolationKind,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// States that an exploration may have.
const MAX_STATES: usize = 150_000;

/// For one exploration.
const MAX_TIME: Duration = Duration::from_secs(10);

/// What can be seen of the runs of a program.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// Exit codes, each with values of the global variables.
    pub exits: BTreeSet<(i32, Vec<u8>)>,
    /// Lines of assertions that can fail.
    pub assertions: BTreeSet<u32>,
    pub can_abort: bool,
    /// Some runs have no end.
    pub can_hang: bool,
    /// Undefined behaviour that a thread can come to.
    pub undefined: BTreeSet<ViolationKind>,
    pub races: BTreeSet<Pair>,
    /// Why there may be others.
    pub incomplete: Option<String>,
    pub states: usize,
}

/// A program's global variables as the machine tells them, and which of their bytes
/// mean the same everywhere: numbers do, addresses and locks do not.
pub struct Values {
    pub told: Vec<Told>,
    globals: Vec<GlobalId>,
    /// Of each variable, where its numbers are.
    numbers: Vec<BTreeSet<u64>>,
}

impl Values {
    /// Of all variables but those that hold what the system chooses.
    pub fn of(program: &Program, handles: &BTreeSet<String>) -> Values {
        let mut values = Values {
            told: Vec::new(),
            globals: Vec::new(),
            numbers: Vec::new(),
        };
        let mut symbols: BTreeMap<&str, u32> = BTreeMap::new();
        for global in program.globals.values() {
            *symbols.entry(&global.symbol).or_default() += 1;
        }
        for (id, global) in program.globals.iter() {
            let is_variable = !global.is_constant && !global.is_thread_local && !global.is_external;
            // Names with strange characters are written otherwise.
            let is_plain =
                (global.symbol.chars()).all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            let mut numbers = BTreeSet::new();
            if let Some(ty) = global.ty {
                collect_numbers(program, ty, 0, 16, &mut numbers);
            }
            numbers.retain(|at| *at < global.bytes);
            let is_unique = symbols.get(global.symbol.as_str()) == Some(&1);
            let is_handle = handles.contains(&global.symbol);
            if !is_handle && is_variable && is_plain && is_unique && !numbers.is_empty() {
                values.told.push(Told {
                    symbol: global.symbol.clone(),
                    bytes: global.bytes,
                });
                values.globals.push(id);
                values.numbers.push(numbers);
            }
        }
        values
    }

    /// The bytes that count, of all that the machine has told.
    pub fn select(&self, all: &[u8]) -> Result<Vec<u8>, String> {
        let mut selected = Vec::new();
        let mut start = 0;
        for (told, numbers) in self.told.iter().zip(&self.numbers) {
            let bytes = all.get(start..start + told.bytes as usize);
            let bytes = bytes.ok_or("fewer values than variables")?;
            selected.extend(numbers.iter().map(|at| bytes[*at as usize]));
            start += told.bytes as usize;
        }
        Ok(selected)
    }

    fn of_machine(&self, machine: &Machine) -> Vec<u8> {
        let mut selected = Vec::new();
        for (global, numbers) in self.globals.iter().zip(&self.numbers) {
            let bytes = machine.global_bytes(*global).unwrap_or_default();
            selected.extend(numbers.iter().map(|at| bytes[*at as usize]));
        }
        selected
    }

    /// Values by name, for people.
    pub fn describe(&self, selected: &[u8]) -> String {
        let mut parts = Vec::new();
        let mut start = 0;
        for (told, numbers) in self.told.iter().zip(&self.numbers) {
            let bytes = &selected[start..start + numbers.len()];
            let digits: String = bytes
                .iter()
                .rev()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            parts.push(format!("{} = 0x{digits}", told.symbol));
            start += numbers.len();
        }
        parts.join(", ")
    }
}

/// Bytes of an object that hold numbers.
fn collect_numbers(
    program: &Program,
    ty: SourceTypeId,
    at: u64,
    depth: u32,
    numbers: &mut BTreeSet<u64>,
) {
    if depth == 0 {
        return;
    }
    match &program.source_types[ty] {
        SourceType::Base { bytes, .. } | SourceType::Enum { bytes, .. } => {
            numbers.extend(at..at + bytes);
        }
        SourceType::Alias { name, to } => {
            let name = name.as_deref().unwrap_or_default();
            // What belongs to the library, and numbers that are meant for addresses.
            let is_other =
                name.starts_with("pthread_") || ["sem_t", "uintptr_t", "intptr_t"].contains(&name);
            if let (Some(to), false) = (to, is_other) {
                collect_numbers(program, *to, at, depth - 1, numbers);
            }
        }
        SourceType::Array { element, count } => {
            let size = program.source_size(*element).unwrap_or(0);
            for index in 0..count.unwrap_or(0).min(64) {
                collect_numbers(program, *element, at + index * size, depth - 1, numbers);
            }
        }
        SourceType::Record { members, .. } => {
            for member in members {
                let at = at + member.bit_offset / 8;
                // Several bit-fields may share a byte; all of them are told.
                match member.bit_size % 8 == 0 && member.bit_offset % 8 == 0 {
                    true => collect_numbers(program, member.ty, at, depth - 1, numbers),
                    false => {
                        let end = (member.bit_offset % 8 + member.bit_size).div_ceil(8);
                        numbers.extend(at..at + end);
                    }
                }
            }
        }
        SourceType::Pointer { .. } | SourceType::Opaque { .. } => {}
    }
}

/// Explores all schedules.
pub fn outcomes(program: &Program, values: &Values, inputs: &[u128]) -> Result<Outcomes, String> {
    let config = Config {
        checks: Checks::NONE.with(Property::Race),
        surroundings: Surroundings {
            // The machine may do that.
            spurious_wakeups: true,
            // The machine has some for all of them.
            undefined: Undefined::Any,
            ..Surroundings::default()
        },
        ..Config::default()
    };
    let image = run::image(program, &config)?;
    let bounds = Bounds {
        inputs: inputs.to_vec(),
        max_states: MAX_STATES,
        ..Bounds::default()
    };
    let mode = Mode {
        find_all: true,
        merge: true,
    };
    let mut outcomes = Outcomes::default();
    let start = Instant::now();
    let mut watch = |machine: &Machine, stop: Option<&Stop>| {
        outcomes.can_abort |= stop == Some(&Stop::Aborted);
        if let Some(code) = machine.exit_code() {
            outcomes.exits.insert((code, values.of_machine(machine)));
        }
        for (stuck, location) in machine.stuck_at() {
            match stuck {
                Stuck::Undefined(ViolationKind::Assertion) => {
                    let line = location.map_or(0, |location| location.line);
                    outcomes.assertions.insert(line);
                }
                Stuck::Undefined(kind) => {
                    outcomes.undefined.insert(*kind);
                    outcomes.can_hang = true;
                }
                Stuck::Assumption | Stuck::Endless { .. } => outcomes.can_hang = true,
            }
        }
    };
    let keep_going = &mut |_: &replay::Progress| start.elapsed() < MAX_TIME;
    let exploration =
        replay::explore_watched(&image, &config, 0, &bounds, mode, keep_going, &mut watch);
    for found in &exploration.violations {
        let lines: Vec<u32> = found
            .violation
            .sites
            .iter()
            .filter_map(|site| line(site))
            .collect();
        if let [one, other] = lines[..] {
            outcomes.races.insert(pair(one, other));
        }
    }
    outcomes.can_hang |= exploration.is_endless;
    // Waits may end without a signal, but they need not.
    let mut functions = program.functions.values();
    outcomes.can_hang |= functions.any(|function| function.symbol.contains("cond_wait"));
    outcomes.can_hang |= exploration.undefined.contains(&ViolationKind::Deadlock);
    outcomes.states = exploration.states;
    outcomes.incomplete = why_incomplete(&exploration);
    Ok(outcomes)
}

fn why_incomplete(exploration: &replay::Exploration) -> Option<String> {
    if let Some(why) = exploration.interrupted {
        return Some(format!("{why:?}"));
    }
    if let Some(unsupported) = exploration.unsupported.first() {
        return Some(format!("not supported: {}", unsupported.what));
    }
    // The machine gets these from the same list.
    let given = [InputKind::Nondet, InputKind::UnknownCall];
    let mut sampled = exploration.sampled.iter();
    if let Some(kind) = sampled.find(|kind| !given.contains(kind)) {
        return Some(format!("inputs of kind '{}'", kind.name()));
    }
    let mut limits = exploration.limits.iter();
    let limit = limits.find(|limit| **limit != Limit::Inputs);
    limit.map(|limit| format!("{limit:?}"))
}

/// The line of a place such as `writes at a.c:7 in worker`.
fn line(site: &str) -> Option<u32> {
    let (_, rest) = site.rsplit_once(':')?;
    rest.split(' ').next()?.parse().ok()
}
