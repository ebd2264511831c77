//! The meaning of bounded threads, by running them: no formula, no gates.

use encode::Model;
use formula::{Evaluator, Term, TermId, VariableId};
use std::collections::{BTreeMap, HashSet};
use unfold::{Access, Moment, ThreadId, Threads};

use cranelift_entity::EntityRef;

/// Where a run has come to.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// By thread, how many positions are behind it.
    passed: Vec<usize>,
    cells: Vec<u128>,
    /// Inputs and what was read.
    values: BTreeMap<u32, u128>,
    pub violated: bool,
}

pub struct Simulator<'t> {
    pub threads: &'t Threads,
}

impl Simulator<'_> {
    /// The start of a run, unless that is excluded.
    pub fn start(&self, inputs: &BTreeMap<u32, u128>) -> Option<State> {
        let mut state = State {
            passed: vec![0; self.threads.threads.len()],
            cells: Vec::new(),
            values: inputs.clone(),
            violated: false,
        };
        state.cells = (self.threads.cells.values())
            .map(|cell| self.value(&state, cell.initial))
            .collect();
        self.arrive(&mut state, ThreadId::new(0)).then_some(state)
    }

    fn value(&self, state: &State, term: TermId) -> u128 {
        let assignment = |variable: VariableId| {
            let value = state.values.get(&variable.as_u32());
            *value.expect("a term should be evaluated only when its variables are known")
        };
        Evaluator::new(&self.threads.terms, assignment).value(term)
    }

    fn holds(&self, state: &State, term: TermId) -> bool {
        self.value(state, term) == 1
    }

    fn exists(&self, state: &State, thread: ThreadId) -> bool {
        self.threads.threads[thread]
            .creation
            .is_none_or(|creation| {
                state.passed[creation.thread.index()] > creation.position
                    && self.holds(state, creation.condition)
            })
    }

    fn has_ended(&self, state: &State, thread: ThreadId) -> bool {
        let found = &self.threads.threads[thread];
        found.can_end
            && state.passed[thread.index()] == found.positions.len()
            && self.exists(state, thread)
    }

    /// Whether the condition of a moment holds that a thread is at.
    fn is_at(&self, state: &State, thread: ThreadId, moments: &[Moment]) -> bool {
        let passed = state.passed[thread.index()];
        moments.iter().any(|moment| {
            moment.thread == thread && moment.after == passed && self.holds(state, moment.condition)
        })
    }

    /// A thread has passed a position or come into being. False if the run is
    /// thereby excluded.
    fn arrive(&self, state: &mut State, thread: ThreadId) -> bool {
        state.violated |= self.is_at(state, thread, &self.threads.violations);
        !self.is_at(state, thread, &self.threads.excluded)
    }

    /// Lets a thread pass its next position, if it can.
    pub fn step(&self, state: &State, thread: ThreadId) -> Option<State> {
        let index = state.passed[thread.index()];
        let position = self.threads.threads[thread].positions.get(index)?;
        if !self.exists(state, thread) || self.is_at(state, thread, &self.threads.stuck) {
            return None;
        }
        let mut next = state.clone();
        for access in &position.accesses {
            match *access {
                Access::Read { cell, variable, .. } => {
                    if let Term::Variable(variable) = self.threads.terms.term(variable) {
                        let value = next.cells[cell.index()];
                        next.values.insert(variable.as_u32(), value);
                    }
                }
                Access::Write {
                    cell,
                    condition,
                    value,
                } => {
                    if self.holds(&next, condition) {
                        next.cells[cell.index()] = self.value(&next, value);
                        let range = &self.threads.cells[cell].range;
                        assert!(range.contains(next.cells[cell.index()]), "out of range");
                    }
                }
            }
        }
        for (condition, other) in &position.joins {
            if self.holds(&next, *condition) && !self.has_ended(state, *other) {
                return None;
            }
        }
        if self.holds(&next, position.guard)
            && !position.requires.iter().all(|r| self.holds(&next, *r))
        {
            return None;
        }
        next.passed[thread.index()] += 1;
        if !self.arrive(&mut next, thread) {
            return None;
        }
        for (other, created) in self.threads.threads.iter() {
            let is_here = created
                .creation
                .is_some_and(|c| c.thread == thread && c.position == index);
            if is_here && self.exists(&next, other) && !self.arrive(&mut next, other) {
                return None;
            }
        }
        Some(next)
    }

    /// The least number of contexts in which something is violated, of no more
    /// than `limit`.
    pub fn contexts_needed(
        &self,
        inputs: &BTreeMap<u32, u128>,
        round_robin: bool,
        limit: usize,
    ) -> Option<usize> {
        let n_threads = self.threads.threads.len();
        let mut reached: HashSet<(State, usize)> = HashSet::new();
        reached.extend(self.start(inputs).map(|state| (state, usize::MAX)));
        if reached.iter().any(|(state, _)| state.violated) {
            return Some(0);
        }
        for context in 0..limit {
            let mut next = HashSet::new();
            for (state, previous) in &reached {
                for thread in 0..n_threads {
                    let is_allowed = if round_robin {
                        context % n_threads == thread
                    } else if context == 0 {
                        thread == 0
                    } else {
                        thread != *previous
                    };
                    let mut now = is_allowed.then(|| state.clone());
                    while let Some(state) = now {
                        if state.violated {
                            return Some(context + 1);
                        }
                        now = self.step(&state, ThreadId::new(thread));
                        next.insert((state, thread));
                    }
                }
            }
            reached = next;
        }
        None
    }

    /// Checks that a model is a run that ends in the violation that it names,
    /// and that its values are those of the run.
    pub fn check(&self, model: &Model) {
        let inputs = (self.threads.terms.variables())
            .map(|(id, _)| (id.as_u32(), model.values[id]))
            .collect();
        let mut state = self.start(&inputs).expect("the start should be allowed");
        for context in &model.contexts {
            assert_eq!(
                context.positions.start,
                state.passed[context.thread.index()]
            );
            for _ in context.positions.clone() {
                let next = self.step(&state, context.thread);
                state = next.expect("a position in a model should be passable");
            }
        }
        for (id, variable) in self.threads.terms.variables() {
            assert_eq!(state.values[&id.as_u32()], model.values[id]);
            assert!(variable.range.contains(model.values[id]));
        }
        let index = model.violation.expect("a violation should be found");
        let moment = &self.threads.violations[index];
        let is_reached = state.passed[moment.thread.index()] >= moment.after
            && self.exists(&state, moment.thread);
        assert!(is_reached && self.holds(&state, moment.condition));
        assert!(state.violated);
    }
}
