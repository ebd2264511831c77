//! The end of a run that a solver found: where its threads stand, and what is
//! wrong with that. The values are known here, so it is all plain computation.

use cranelift_entity::SecondaryMap;
use formula::{Evaluator, VariableId};
use std::cell::RefCell;
use unfold::{Access, CellId, Position, ThreadId, Threads, Use};

use super::{Race, Standing, Stretch, as_variable, passed_positions};

/// Gives values to what a position reads that was not passed.
pub(super) fn read_at_end<F: Fn(VariableId) -> u128>(
    threads: &Threads,
    position: &Position,
    cells: &SecondaryMap<CellId, u128>,
    values: &RefCell<SecondaryMap<VariableId, u128>>,
    evaluator: &mut Evaluator<'_, F>,
) {
    let mut written: Vec<(CellId, u128)> = Vec::new();
    for access in &position.accesses {
        match *access {
            Access::Read { cell, variable, .. } => {
                if let Some(variable) = as_variable(&threads.terms, variable) {
                    let own = written.iter().rev().find(|(other, _)| *other == cell);
                    let value = own.map_or(cells[cell], |(_, value)| *value);
                    values.borrow_mut()[variable] = value;
                }
            }
            Access::Write {
                cell,
                condition,
                value,
            } => {
                if evaluator.is_true(condition) {
                    written.push((cell, evaluator.value(value)));
                }
            }
        }
    }
}

pub(super) struct RunEnd<'a, 'e, F> {
    pub threads: &'a Threads,
    pub stretches: &'a [Stretch],
    pub evaluator: &'a mut Evaluator<'e, F>,
}

impl<F: Fn(VariableId) -> u128> RunEnd<'_, '_, F> {
    fn exists(&mut self, thread: ThreadId) -> bool {
        match self.threads.threads[thread].creation {
            None => true,
            Some(creation) => {
                passed_positions(self.stretches, creation.thread) > creation.position
                    && self.evaluator.is_true(creation.condition)
            }
        }
    }

    fn has_ended(&mut self, thread: ThreadId) -> bool {
        let data = &self.threads.threads[thread];
        data.can_end
            && self.exists(thread)
            && passed_positions(self.stretches, thread) == data.positions.len()
    }

    /// The next position of each thread that has one.
    pub(super) fn standing(&mut self) -> Vec<Standing> {
        let mut standing = Vec::new();
        let threads = self.threads;
        for (id, thread) in threads.threads.iter() {
            let passed = passed_positions(self.stretches, id);
            let next = (passed..thread.positions.len())
                .find(|position| self.evaluator.is_true(thread.positions[*position].guard));
            if let Some(position) = next
                && self.exists(id)
                && !self.is_halted(id, passed..=position)
            {
                let thread = id;
                standing.push(Standing { thread, position });
            }
        }
        standing
    }

    fn is_halted(&mut self, thread: ThreadId, between: std::ops::RangeInclusive<usize>) -> bool {
        let threads = self.threads;
        let violations = threads.violations.iter().map(|violation| &violation.moment);
        let mut moments = (threads.stuck.iter().chain(&threads.excluded)).chain(violations);
        moments.any(|moment| {
            moment.thread == thread
                && between.contains(&moment.after)
                && self.evaluator.is_true(moment.condition)
        })
    }

    /// The last thing that a thread really does.
    fn last(&mut self) -> Option<Standing> {
        for stretch in self.stretches.iter().rev() {
            let mut range = stretch.positions.clone().rev();
            let last = range.find(|position| self.is_step(stretch.thread, *position));
            if let Some(position) = last {
                let thread = stretch.thread;
                return Some(Standing { thread, position });
            }
        }
        None
    }

    /// Whether something that is passed is a step: the thread has had a turn by then.
    fn is_step(&mut self, thread: ThreadId, position: usize) -> bool {
        let positions = &self.threads.threads[thread].positions[..=position];
        let is_done = self.evaluator.is_true(positions[position].guard);
        let mut takes_turn = |position: &Position| {
            self.evaluator.is_true(position.guard) && !self.evaluator.is_true(position.own)
        };
        is_done && positions.iter().any(&mut takes_turn)
    }

    pub(super) fn race(
        &mut self,
        standing: &[Standing],
        is_rival: impl Fn(ThreadId) -> bool,
    ) -> Option<Race> {
        let last = self.last()?;
        let next = standing.iter().copied().find(|standing| {
            standing.thread != last.thread
                && is_rival(standing.thread)
                && self.conflict(last, *standing)
        })?;
        Some(Race { last, next })
    }

    fn conflict(&mut self, last: Standing, next: Standing) -> bool {
        let uses = |at: Standing| &self.threads.threads[at.thread].positions[at.position].uses;
        let races = |one: &Use, two: &Use| {
            one.spot == two.spot
                && two.is_foreseen
                && (one.is_write || two.is_write)
                && !(one.is_atomic && two.is_atomic)
        };
        let pairs =
            (uses(last).iter()).flat_map(|one| uses(next).iter().map(move |two| (one, two)));
        let mut pairs = pairs.filter(|(one, two)| races(one, two));
        pairs.any(|(one, two)| {
            self.evaluator.is_true(one.condition) && self.evaluator.is_true(two.condition)
        })
    }

    /// The threads that wait for each other, or else all that wait if nobody can go
    /// on.
    pub(super) fn deadlock(&mut self, standing: &[Standing]) -> Option<Vec<Standing>> {
        let mut edges = Vec::new();
        let mut waiting = Vec::new();
        for at in standing {
            let position = &self.threads.threads[at.thread].positions[at.position];
            let mut waits = false;
            for wait in &position.waits {
                if !self.evaluator.is_true(wait.until) {
                    waits = true;
                    for (condition, holder) in &wait.holders {
                        if self.evaluator.is_true(*condition) {
                            edges.push((at.thread, *holder));
                        }
                    }
                }
            }
            for (condition, other) in &position.joins {
                if self.evaluator.is_true(*condition) && !self.has_ended(*other) {
                    waits = true;
                    edges.push((at.thread, *other));
                }
            }
            if waits {
                waiting.push(*at);
            }
        }
        let cycle = shortest_cycle(&edges);
        if !cycle.is_empty() {
            waiting.retain(|at| cycle.contains(&at.thread));
        }
        (!waiting.is_empty()).then_some(waiting)
    }
}

/// The threads on a shortest cycle; none if there is no cycle.
fn shortest_cycle(edges: &[(ThreadId, ThreadId)]) -> Vec<ThreadId> {
    let mut best: Vec<ThreadId> = Vec::new();
    for (start, _) in edges {
        // Breadth first: paths from here, each as short as can be.
        let mut paths = vec![vec![*start]];
        let mut index = 0;
        while index < paths.len() {
            let path = paths[index].clone();
            index += 1;
            let Some(end) = path.last() else {
                continue;
            };
            for (_, to) in edges.iter().filter(|(from, _)| from == end) {
                if to == start && (best.is_empty() || path.len() < best.len()) {
                    best.clone_from(&path);
                } else if !paths.iter().any(|path| path.last() == Some(to)) {
                    let mut longer = path.clone();
                    longer.push(*to);
                    paths.push(longer);
                }
            }
        }
    }
    best
}
