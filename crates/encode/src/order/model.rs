//! What a solver found, as a run: the steps that are passed, in an order that fits.
//!
//! There are many. This takes one with few switches: a thread goes on as long as it can.

use formula::events::EventId;
use formula::{Lit, Literal};
use std::collections::{HashMap, HashSet};
use unfold::{ThreadId, Threads};

use super::InOrder;
use super::graph::{self, Graph};
use crate::model::{AtEnd, Model, Race, Sights, Standing, Stretch, complete_with, input_values};

pub(super) fn read(
    encoding: &InOrder,
    threads: &Threads,
    value: &dyn Fn(Literal) -> Option<bool>,
) -> Model {
    let blaster = &encoding.blaster;
    let value = |literal: Literal| value(literal) == Some(true);
    let holds = |lit: Lit| match lit.as_constant() {
        Some(value) => value,
        None => blaster.cnf.known_literal(lit).is_some_and(value),
    };
    let stretches = stretches(encoding, &value);
    let sights = match encoding.rules.is_weak {
        true => sights(encoding, &stretches, &value),
        false => Sights::default(),
    };
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
    complete_with(threads, stretches, inputs, end, sights)
}

/// What reads see and where writes come.
fn sights(encoding: &InOrder, stretches: &[Stretch], value: &dyn Fn(Literal) -> bool) -> Sights {
    let graph = Graph::of(&graph::Source {
        encoding,
        value,
        steps: in_steps(encoding, stretches),
    });
    // By event: the first of its positions.
    let mut standings: HashMap<usize, Standing> = HashMap::new();
    for stretch in stretches {
        let thread = stretch.thread;
        for position in stretch.positions.clone() {
            let event = graph.numbers[&encoding.steps.of(thread, position)];
            let standing = Standing { thread, position };
            standings.entry(event).or_insert(standing);
        }
    }
    let mut sights = Sights::default();
    for (number, event) in graph.events.iter().enumerate() {
        for access in &event.accesses {
            let key = (standings[&number], access.cell);
            if let Some((place, _)) = access.writes {
                sights.places.insert(key, place);
            }
            if let Some((place, _)) = access.sees {
                let seen = place.checked_sub(1);
                let seen = seen.map(|index| graph.writes[access.cell][index].event);
                (sights.sources).insert(key, seen.map(|event| standings[&event]));
            }
        }
    }
    if let Some(races) = &encoding.sought.races
        && encoding.rules.has_happens_before
        && encoding.holds(races.is_sought, value)
    {
        let chosen = |list: &[((ThreadId, usize), Lit)]| {
            let chosen = list.iter().find(|(_, lit)| encoding.holds(*lit, value));
            chosen.map(|((thread, position), _)| Standing {
                thread: *thread,
                position: *position,
            })
        };
        let pair = chosen(&races.lasts).zip(chosen(&races.others));
        sights.race = pair.map(|(last, next)| Race { last, next });
    }
    sights
}

/// The steps of a run, in an order that fits.
pub(super) fn steps(
    encoding: &InOrder,
    value: &dyn Fn(Literal) -> bool,
) -> Vec<(ThreadId, EventId)> {
    in_steps(encoding, &stretches(encoding, value))
}

fn in_steps(encoding: &InOrder, stretches: &[Stretch]) -> Vec<(ThreadId, EventId)> {
    let mut seen = HashSet::new();
    (stretches.iter())
        .flat_map(|stretch| {
            let positions = stretch.positions.clone();
            positions.map(|position| (stretch.thread, encoding.steps.of(stretch.thread, position)))
        })
        .filter(|(_, event)| seen.insert(*event))
        .collect()
}

fn stretches(encoding: &InOrder, value: &dyn Fn(Literal) -> bool) -> Vec<Stretch> {
    let holds = |lit: Lit| encoding.holds(lit, value);
    let passed: Vec<(ThreadId, usize)> = (encoding.passed.keys())
        .map(|id| {
            let positions = encoding.passed[id].iter();
            (id, positions.take_while(|lit| holds(**lit)).count())
        })
        .collect();
    let mut are_passed: HashSet<EventId> = HashSet::from([encoding.steps.before_last]);
    for (id, count) in &passed {
        are_passed.extend(&encoding.steps.events[*id][..*count]);
    }
    let is_passed = |event: EventId| are_passed.contains(&event);
    let count = encoding.events.len();
    let mut later: Vec<Vec<u32>> = vec![Vec::new(); count];
    // How many events each one waits for.
    let mut waits = vec![0; count];
    for (first, second) in encoding.events.pairs(value) {
        if is_passed(first) && is_passed(second) {
            later[first.0 as usize].push(second.0);
            waits[second.0 as usize] += 1;
        }
    }
    let mut pass = |event: EventId, waits: &mut Vec<u32>| {
        for other in std::mem::take(&mut later[event.0 as usize]) {
            waits[other as usize] -= 1;
        }
    };
    let mut is_before_last = true;
    let mut next: Vec<usize> = vec![0; passed.len()];
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut current = 0;
    loop {
        let before_last = encoding.steps.before_last;
        if is_before_last && waits[before_last.0 as usize] == 0 {
            is_before_last = false;
            pass(before_last, &mut waits);
        }
        let can_go = |index: &usize| {
            let (id, count) = passed[*index];
            let position = next[*index];
            position < count && waits[encoding.steps.of(id, position).0 as usize] == 0
        };
        let Some(index) = [current].into_iter().chain(0..passed.len()).find(can_go) else {
            break;
        };
        let (id, position) = (passed[index].0, next[index]);
        next[index] += 1;
        pass(encoding.steps.of(id, position), &mut waits);
        match stretches.last_mut() {
            Some(last) if last.thread == id => last.positions.end += 1,
            _ => stretches.push(Stretch {
                thread: id,
                positions: position..position + 1,
            }),
        }
        current = index;
    }
    let is_whole = passed
        .iter()
        .zip(&next)
        .all(|((_, count), next)| count == next);
    assert!(is_whole, "what a solver found should fit one order");
    stretches
}
