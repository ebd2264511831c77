//! What a solver found, as a schedule and the values of variables.
//!
//! The solver decides the schedule and the inputs; what is read follows from
//! them. It is computed here by going through the schedule once more, because a
//! solver is told only of those values that its query depends on.

use cranelift_entity::{EntitySet, SecondaryMap};
use formula::{Blaster, Evaluator, Lit, TermId, Terms, VariableId};
use std::cell::RefCell;
use std::ops::Range;
use unfold::{Access, CellId, Moment, ThreadId, Threads};

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
    /// The first that happens, by its index in [`Threads::violations`]. `None` if
    /// none does, which can only be if the query did not ask for any.
    pub violation: Option<usize>,
}

impl Model {
    /// Evaluates terms with the values of this model.
    pub fn evaluator<'a>(
        &'a self,
        terms: &'a Terms,
    ) -> Evaluator<'a, impl Fn(VariableId) -> u128 + 'a> {
        Evaluator::new(terms, |variable| self.values[variable])
    }
}

pub(super) fn read(
    threads: &Threads,
    schedule: &Schedule,
    blaster: &Blaster,
    value: impl Fn(i32) -> Option<bool>,
) -> Model {
    let value = |literal: i32| value(literal) == Some(true);
    let contexts = read_contexts(threads, schedule, |lit| match lit.as_constant() {
        Some(value) => value,
        None => blaster.cnf.known_literal(lit).is_some_and(value),
    });
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
    let violation = (threads.violations.iter().enumerate())
        .filter_map(|(index, violation)| Some((happens_at(&violation.moment)?, index)))
        .min()
        .map(|(_, index)| index);
    drop(evaluator);
    Model {
        contexts,
        values: values.into_inner(),
        violation,
    }
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
    }
    contexts
}

/// The values of inputs, and some value in its range for every variable that a
/// thread reads.
fn input_values(
    threads: &Threads,
    blaster: &Blaster,
    value: impl Fn(i32) -> bool,
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

fn as_variable(terms: &Terms, id: TermId) -> Option<VariableId> {
    match terms.term(id) {
        formula::Term::Variable(variable) => Some(variable),
        _ => None,
    }
}
