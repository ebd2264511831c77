//! The meaning of bounded threads, by running them: no formula, no gates.

use encode::{Found, Model};
use fastrand::Rng;
use formula::{Evaluator, Term, TermId, VariableId};
use std::collections::{BTreeMap, HashSet};
use unfold::{Access, Moment, ThreadId, Threads};

use cranelift_entity::EntityRef;

/// Where a run has come to.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// By thread, how many positions are behind it.
    passed: Vec<usize>,
    cells: Vec<u128>,
    /// Inputs and what was read.
    values: BTreeMap<u32, u128>,
    pub violated: bool,
}

/// What a thread has read when it has come so far.
pub(crate) struct View {
    pub thread: ThreadId,
    pub after: usize,
    /// For each that it really looked at: the condition for that, the variable
    /// and the value.
    pub values: Vec<(TermId, TermId, u128)>,
}

pub(crate) struct Simulator<'t> {
    pub threads: &'t Threads,
}

impl Simulator<'_> {
    /// The start of a run, unless that is excluded.
    pub(crate) fn start(&self, inputs: &BTreeMap<u32, u128>) -> Option<State> {
        let mut state = State {
            passed: vec![0; self.threads.threads.len()],
            cells: Vec::new(),
            values: inputs.clone(),
            violated: false,
        };
        state.cells = (self.threads.cells.values())
            .map(|cell| self.value(&state, cell.initial))
            .collect();
        self.arrive(&mut state).then_some(state)
    }

    fn value(&self, state: &State, term: TermId) -> u128 {
        let assignment = |variable: VariableId| {
            // Only where a thread did not have to pass a position is there
            // something that it did not read, and then it does not matter.
            let value = state.values.get(&variable.as_u32());
            value.copied().unwrap_or_default()
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

    /// Whether a thread is so far, when it has passed this many positions. A
    /// thread that exists passes at once what its path does not lead through.
    fn is_behind(&self, state: &State, thread: ThreadId, after: usize) -> bool {
        let passed = state.passed[thread.index()];
        if passed > 0 || !self.exists(state, thread) {
            return passed >= after && self.exists(state, thread);
        }
        let created = self.threads.threads[thread].creation.is_some();
        let mut before = self.threads.threads[thread].positions[..after].iter();
        after == 0 || created && !before.any(|position| self.holds(state, position.guard))
    }

    /// Whether a thread is at or behind a moment and its condition holds.
    fn happens(&self, state: &State, moment: &Moment) -> bool {
        self.is_behind(state, moment.thread, moment.after) && self.holds(state, moment.condition)
    }

    /// Notes what happens in a state. False if it is excluded.
    fn arrive(&self, state: &mut State) -> bool {
        let mut violations = self.threads.violations.iter();
        let is_violated = violations.any(|violation| self.happens(state, &violation.moment));
        state.violated |= is_violated;
        let mut excluded = self.threads.excluded.iter();
        !excluded.any(|moment| self.happens(state, moment))
    }

    fn is_stuck(&self, state: &State, thread: ThreadId) -> bool {
        let passed = state.passed[thread.index()];
        self.threads.stuck.iter().any(|moment| {
            moment.thread == thread && moment.after == passed && self.holds(state, moment.condition)
        })
    }

    /// Whether a thread passes its next position together with the one before.
    pub(crate) fn skips(&self, state: &State, thread: ThreadId) -> bool {
        let index = state.passed[thread.index()];
        let data = &self.threads.threads[thread];
        (1..data.skips_before).contains(&index)
            && !self.holds(state, data.positions[index].guard)
            && !self.is_stuck(state, thread)
    }

    /// Lets a thread pass its next position, if it can.
    pub(crate) fn step(&self, state: &State, thread: ThreadId) -> Option<State> {
        let index = state.passed[thread.index()];
        let position = self.threads.threads[thread].positions.get(index)?;
        if !self.exists(state, thread) || self.is_stuck(state, thread) {
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
        self.arrive(&mut next).then_some(next)
    }

    /// What one of the threads sees in a random run.
    pub(crate) fn random_view(&self, rng: &mut Rng) -> View {
        let start = self.start(&BTreeMap::new());
        let mut state = start.expect("the start should be allowed");
        let n_threads = self.threads.threads.len();
        let mut thread = 0;
        for _ in 0..30 {
            if rng.bool() {
                thread = rng.usize(..n_threads);
            }
            if let Some(next) = self.step(&state, ThreadId::new(thread)) {
                state = next;
            }
        }
        let thread = ThreadId::new(rng.usize(..n_threads));
        let after = state.passed[thread.index()];
        let mut values = Vec::new();
        for position in &self.threads.threads[thread].positions[..after] {
            for access in &position.accesses {
                if let Access::Read {
                    variable,
                    condition,
                    ..
                } = access
                    && self.holds(&state, *condition)
                {
                    let value = self.value(&state, *variable);
                    values.push((*condition, *variable, value));
                }
            }
        }
        View {
            thread,
            after,
            values,
        }
    }

    /// The least number of contexts in which something is violated, of no more
    /// than `limit`.
    pub(crate) fn contexts_needed(
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
                        now = self.step(&state, ThreadId::new(thread));
                        if self.skips(&state, ThreadId::new(thread)) {
                            continue;
                        }
                        if state.violated {
                            return Some(context + 1);
                        }
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
    pub(crate) fn check(&self, model: &Model) {
        let inputs = (self.threads.terms.variables())
            .map(|(id, _)| (id.as_u32(), model.values[id]))
            .collect();
        let mut state = self.start(&inputs).expect("the start should be allowed");
        for stretch in &model.stretches {
            assert_eq!(
                stretch.positions.start,
                state.passed[stretch.thread.index()]
            );
            for _ in stretch.positions.clone() {
                let next = self.step(&state, stretch.thread);
                state = next.expect("a position in a model should be passable");
            }
        }
        for (id, variable) in self.threads.terms.variables() {
            assert_eq!(state.values[&id.as_u32()], model.values[id]);
            assert!(variable.range.contains(model.values[id]));
        }
        let Some(Found::Moment(index)) = model.found else {
            panic!("a violation should be found");
        };
        let violation = &self.threads.violations[index];
        assert!(self.happens(&state, &violation.moment));
        assert!(state.violated);
    }
}
