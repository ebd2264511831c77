//! What a solver found, as a schedule and the values of variables.
//!
//! The solver decides the schedule and the inputs; what is read follows from
//! them. It is computed here by going through the schedule once more, because a
//! solver is told only of those values that its query depends on.

use cranelift_entity::{EntitySet, SecondaryMap};
use formula::{Blaster, Evaluator, Lit, Literal, TermId, Terms, VariableId};
use std::cell::RefCell;
use std::ops::Range;
use unfold::{Access, CellId, Check, Moment, Place, ThreadId, Threads};

use super::Encoding;
use super::finale::{RunEnd, read_at_end};
use super::schedule::Schedule;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    pub thread: ThreadId,
    /// What is passed in this context, positions with false guards included.
    /// May be empty.
    pub positions: Range<usize>,
}

/// A run of the bounded program.
#[derive(Clone, Debug)]
pub struct Model {
    /// All of them, those included in which nothing is passed.
    pub contexts: Vec<Context>,
    /// Those read at positions that are not passed have some value in their
    /// range.
    pub values: SecondaryMap<VariableId, u128>,
    /// `None` if there is none, which can only be if the query did not ask for any.
    pub found: Option<Found>,
    /// Where threads are in the end that exist and could or could not go on; only
    /// if somebody asks for the end of runs.
    pub standing: Vec<Standing>,
}

/// A violation in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The first that happens, by its index in [`Threads::violations`].
    Moment(usize),
    Race(Race),
    /// Threads that wait, all of them or those that wait for each other.
    Deadlock(Vec<Standing>),
}

/// The last step of a run, and the next one of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub last: Standing,
    pub next: Standing,
}

/// A thread and one of its positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    pub thread: ThreadId,
    pub position: usize,
}

/// What tells a violation from others: the instructions at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    Moment(Check, Place),
    Race(Place, Place),
    Deadlock(Vec<Place>),
}

impl Model {
    /// What was found, in terms of the program.
    pub fn site(&self, threads: &Threads) -> Option<Site> {
        let place = |at: &Standing| threads.threads[at.thread].positions[at.position].step.place;
        Some(match self.found.as_ref()? {
            Found::Moment(index) => {
                let violation = &threads.violations[*index];
                Site::Moment(violation.check, violation.place)
            }
            Found::Race(race) => Site::Race(place(&race.last), place(&race.next)),
            Found::Deadlock(waiting) => Site::Deadlock(waiting.iter().map(place).collect()),
        })
    }

    /// Evaluates terms with the values of this model.
    pub fn evaluator<'a>(
        &'a self,
        terms: &'a Terms,
    ) -> Evaluator<'a, impl Fn(VariableId) -> u128 + 'a> {
        Evaluator::new(terms, |variable| self.values[variable])
    }
}

pub(super) fn read(
    encoding: &Encoding,
    threads: &Threads,
    value: impl Fn(Literal) -> Option<bool>,
) -> Model {
    let (schedule, blaster) = (&encoding.schedule, &encoding.blaster);
    let value = |literal: Literal| value(literal) == Some(true);
    let holds = |lit: Lit| match lit.as_constant() {
        Some(value) => value,
        None => blaster.cnf.known_literal(lit).is_some_and(value),
    };
    let contexts = read_contexts(threads, schedule, holds);
    let values = RefCell::new(input_values(threads, blaster, value));
    let mut evaluator = Evaluator::new(&threads.terms, |variable| values.borrow()[variable]);
    let mut cells: SecondaryMap<CellId, u128> = SecondaryMap::new();
    for (id, cell) in threads.cells.iter() {
        cells[id] = evaluator.value(cell.initial);
    }
    for context in &contexts {
        let positions = &threads.threads[context.thread].positions;
        for access in positions[context.positions.clone()]
            .iter()
            .flat_map(|position| &position.accesses)
        {
            match *access {
                Access::Read { cell, variable, .. } => {
                    if let Some(variable) = as_variable(&threads.terms, variable) {
                        values.borrow_mut()[variable] = cells[cell];
                    }
                }
                Access::Write {
                    cell,
                    condition,
                    value,
                } => {
                    if evaluator.is_true(condition) {
                        cells[cell] = evaluator.value(value);
                    }
                }
            }
        }
    }
    let reads_at_end = encoding.races.is_some() || encoding.deadlocks.is_some();
    if reads_at_end {
        for (id, thread) in threads.threads.iter() {
            let passed = passed_positions(&contexts, id);
            for position in &thread.positions[passed..] {
                read_at_end(threads, position, &cells, &values, &mut evaluator);
            }
        }
    }
    // The context, and the position in it.
    let passed_at = |thread: ThreadId, position: usize| {
        let passes =
            |context: &Context| context.thread == thread && context.positions.contains(&position);
        Some((contexts.iter().position(passes)?, position + 1))
    };
    let mut happens_at = |moment: &Moment| {
        let thread = &threads.threads[moment.thread];
        let reached = match (moment.after.checked_sub(1), thread.creation) {
            (Some(last), creation) => passed_at(moment.thread, last).or_else(|| {
                let creation = creation?;
                let mut before = thread.positions[..moment.after].iter();
                let is_idle = !before.any(|position| evaluator.is_true(position.guard));
                passed_at(creation.thread, creation.position).filter(|_| is_idle)
            }),
            (None, Some(creation)) => passed_at(creation.thread, creation.position),
            (None, None) => Some((0, 0)),
        };
        let exists = thread
            .creation
            .is_none_or(|creation| evaluator.is_true(creation.condition));
        reached.filter(|_| exists && evaluator.is_true(moment.condition))
    };
    // The run ends with the first.
    let first = (threads.violations.iter().enumerate())
        .filter_map(|(index, violation)| Some((happens_at(&violation.moment)?, index)))
        .min()
        .map(|(_, index)| Found::Moment(index));
    let mut standing = Vec::new();
    let mut found = first;
    if reads_at_end {
        let mut end = RunEnd {
            threads,
            contexts: &contexts,
            evaluator: &mut evaluator,
        };
        standing = end.standing();
        if let Some(races) = &encoding.races
            && holds(races.is_sought)
        {
            let is_rival = |thread: ThreadId| races.rivals[thread].is_some_and(holds);
            found = end.race(&standing, is_rival).map(Found::Race);
        }
        if found.is_none() && encoding.deadlocks.is_some() {
            found = end.deadlock(&standing).map(Found::Deadlock);
        }
    }
    drop(evaluator);
    Model {
        contexts,
        values: values.into_inner(),
        found,
        standing,
    }
}

/// How many positions a thread has passed.
pub(super) fn passed_positions(contexts: &[Context], thread: ThreadId) -> usize {
    let mut own = contexts.iter().filter(|context| context.thread == thread);
    own.next_back().map_or(0, |context| context.positions.end)
}

fn read_contexts(
    threads: &Threads,
    schedule: &Schedule,
    value: impl Fn(Lit) -> bool,
) -> Vec<Context> {
    let mut passed: SecondaryMap<ThreadId, usize> = SecondaryMap::new();
    let mut contexts = Vec::with_capacity(schedule.contexts);
    for context in 0..schedule.contexts {
        let runs = |thread: &ThreadId| value(schedule.threads[*thread].run[context]);
        // Exactly one thread runs. A solver that was told so tells which.
        let thread = threads.threads.keys().find(runs);
        let Some(thread) = thread.or(threads.threads.keys().next()) else {
            continue;
        };
        let start = passed[thread];
        let done = &schedule.threads[thread].done;
        let end = (start..done.len())
            .find(|position| !value(done[*position][context]))
            .unwrap_or(done.len());
        passed[thread] = end;
        contexts.push(Context {
            thread,
            positions: start..end,
        });
        // What a new thread does at once.
        for (id, data) in threads.threads.iter() {
            let done = &schedule.threads[id].done;
            let is_done = |position: &usize| value(done[*position][context]);
            let quiet = (passed[id]..data.quiet_before).take_while(is_done).count();
            if quiet > 0 {
                let start = passed[id];
                passed[id] += quiet;
                contexts.push(Context {
                    thread: id,
                    positions: start..passed[id],
                });
            }
        }
    }
    contexts
}

/// The values of inputs, and some value in its range for every variable that a
/// thread reads.
fn input_values(
    threads: &Threads,
    blaster: &Blaster,
    value: impl Fn(Literal) -> bool,
) -> SecondaryMap<VariableId, u128> {
    let mut is_read = EntitySet::new();
    for position in threads.threads.values().flat_map(|t| &t.positions) {
        for access in &position.accesses {
            if let Access::Read { variable, .. } = access {
                is_read.extend(as_variable(&threads.terms, *variable));
            }
        }
    }
    let mut reader = blaster.reader(&threads.terms, value);
    let mut values = SecondaryMap::new();
    for (id, variable) in threads.terms.variables() {
        values[id] = if is_read.contains(id) {
            variable.range.some_value()
        } else {
            reader.value(variable.term)
        };
    }
    values
}

pub(super) fn as_variable(terms: &Terms, id: TermId) -> Option<VariableId> {
    match terms.term(id) {
        formula::Term::Variable(variable) => Some(variable),
        _ => None,
    }
}
