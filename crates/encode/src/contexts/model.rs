//! What a solver found, as a run: reads off who has which context, and what is
//! passed in it.

use cranelift_entity::SecondaryMap;
use formula::{Lit, Literal};
use unfold::{ThreadId, Threads};

use super::Contexts;
use super::schedule::Schedule;
use crate::model::{AtEnd, Model, Stretch, complete, input_values};

pub(super) fn read(
    encoding: &Contexts,
    threads: &Threads,
    value: &dyn Fn(Literal) -> Option<bool>,
) -> Model {
    let (schedule, blaster) = (&encoding.schedule, &encoding.blaster);
    let value = |literal: Literal| value(literal) == Some(true);
    let holds = |lit: Lit| match lit.as_constant() {
        Some(value) => value,
        None => blaster.cnf.known_literal(lit).is_some_and(value),
    };
    let stretches = read_contexts(threads, schedule, holds);
    let inputs = input_values(threads, blaster, value);
    let races = encoding.sought.races.as_ref();
    let is_rival =
        |thread: ThreadId| races.is_some_and(|races| races.rivals[thread].is_some_and(holds));
    let end = AtEnd {
        is_asked_for: races.is_some(),
        race: match races.is_some_and(|races| holds(races.is_sought)) {
            true => Some(&is_rival),
            false => None,
        },
        deadlocks: encoding.sought.deadlocks.is_some(),
    };
    complete(threads, stretches, inputs, end)
}

/// A stretch for each context, empty ones included, and after it what new threads do
/// at once.
fn read_contexts(
    threads: &Threads,
    schedule: &Schedule,
    value: impl Fn(Lit) -> bool,
) -> Vec<Stretch> {
    let mut passed: SecondaryMap<ThreadId, usize> = SecondaryMap::new();
    let mut stretches = Vec::with_capacity(schedule.contexts);
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
        stretches.push(Stretch {
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
                stretches.push(Stretch {
                    thread: id,
                    positions: start..passed[id],
                });
            }
        }
    }
    stretches
}
