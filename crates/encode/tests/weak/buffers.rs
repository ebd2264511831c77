//! Machines with store buffers: all that they can do, one step after the other.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::program::{CELLS, Op, Outcome, Program, Value};
use unfold::Ordering;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Machine {
    memory: [u8; CELLS],
    is_locked: bool,
    threads: Vec<State>,
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct State {
    next: usize,
    last: u8,
    /// Cell, value, and how many barriers came before.
    buffer: Vec<(usize, u8, u32)>,
    barriers: u32,
    /// Nothing goes on before the buffer is empty.
    must_flush: bool,
    reads: BTreeMap<usize, u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Total,
    Partial,
}

pub(crate) fn outcomes(program: &Program, is_partial: bool) -> BTreeSet<Outcome> {
    let kind = if is_partial {
        Kind::Partial
    } else {
        Kind::Total
    };
    explore(program, kind)
}

pub(crate) fn sequential(program: &Program) -> BTreeSet<Outcome> {
    explore(program, Kind::None)
}

fn explore(program: &Program, kind: Kind) -> BTreeSet<Outcome> {
    let mut outcomes = BTreeSet::new();
    let start = Machine {
        memory: [0; CELLS],
        is_locked: false,
        threads: vec![State::default(); program.0.len()],
    };
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(machine) = open.pop() {
        let mut next = Vec::new();
        for thread in 0..machine.threads.len() {
            next.extend(flushes(&machine, thread, kind));
            next.extend(step(program, &machine, thread, kind));
        }
        let is_done = |(index, state): (usize, &State)| state.next == program.0[index].len();
        if machine.threads.iter().enumerate().all(is_done) {
            let mut outcome: Outcome = Vec::new();
            for (thread, state) in machine.threads.iter().enumerate() {
                let reads = state.reads.iter();
                outcome.extend(reads.map(|(command, value)| ((thread, *command), *value)));
            }
            outcomes.insert(outcome);
        }
        open.extend(
            next.into_iter()
                .filter(|machine| seen.insert(machine.clone())),
        );
    }
    outcomes
}

/// Some write leaves the buffer of a thread.
fn flushes(machine: &Machine, thread: usize, kind: Kind) -> Vec<Machine> {
    let buffer = &machine.threads[thread].buffer;
    let may_leave = |index: usize| {
        let (cell, _, barriers) = buffer[index];
        let earlier = &buffer[..index];
        match kind {
            Kind::Partial => {
                let mut earlier = earlier.iter();
                !earlier.any(|(other, _, before)| *other == cell || *before < barriers)
            }
            Kind::None | Kind::Total => earlier.is_empty(),
        }
    };
    (0..buffer.len())
        .filter(|index| may_leave(*index))
        .map(|index| {
            let mut machine = machine.clone();
            let (cell, value, _) = machine.threads[thread].buffer.remove(index);
            machine.memory[cell] = value;
            machine
        })
        .collect()
}

/// The next command of a thread.
fn step(program: &Program, machine: &Machine, thread: usize, kind: Kind) -> Option<Machine> {
    let mut machine = machine.clone();
    let state = &mut machine.threads[thread];
    let command = *program.0[thread].get(state.next)?;
    let number = state.next;
    if state.must_flush && !state.buffer.is_empty() {
        return None;
    }
    state.must_flush = false;
    state.next += 1;
    if command.is_guarded && state.last == 0 {
        return Some(machine);
    }
    let is_empty = state.buffer.is_empty();
    let strongest = Ordering::SequentiallyConsistent;
    let is_release = |order: Ordering| {
        matches!(order, Ordering::Release | Ordering::AcquireRelease) || order == strongest
    };
    let read = |state: &mut State, value: u8| {
        state.last = value;
        state.reads.insert(number, value);
    };
    match command.op {
        Op::Load(cell, _) => {
            let own = state.buffer.iter().rev().find(|(other, ..)| *other == cell);
            let value = own.map_or(machine.memory[cell], |(_, value, _)| *value);
            read(state, value);
        }
        Op::Store(cell, value, order) => {
            let value = match value {
                Value::Constant(value) => value,
                Value::Last => state.last,
            };
            if order.is_some_and(is_release) {
                state.barriers += 1;
            }
            match kind {
                Kind::None => machine.memory[cell] = value,
                Kind::Total | Kind::Partial => state.buffer.push((cell, value, state.barriers)),
            }
            state.must_flush = order == Some(strongest);
        }
        Op::Add(cell, more, _) => {
            let old = machine.memory[cell];
            read(state, old);
            machine.memory[cell] = (old + more) % 4;
            return is_empty.then_some(machine);
        }
        Op::Exchange(cell, expected, new, ..) => {
            let old = machine.memory[cell];
            read(state, old);
            if old == expected {
                machine.memory[cell] = new;
            }
            return is_empty.then_some(machine);
        }
        Op::Fence(order) => {
            if is_release(order) {
                state.barriers += 1;
            }
            if order == strongest {
                return is_empty.then_some(machine);
            }
        }
        Op::Lock => {
            if machine.is_locked || !is_empty {
                return None;
            }
            machine.is_locked = true;
        }
        Op::Unlock => {
            if !is_empty {
                return None;
            }
            machine.is_locked = false;
        }
    }
    Some(machine)
}
