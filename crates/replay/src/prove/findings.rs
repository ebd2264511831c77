//! What went wrong, with a run that shows it.
//!
//! A finding is a state and, as a rule, a step from there. The way to it is run by
//! the ordinary interpreter, with all that the user asked for; what is reported is
//! what shows in that run. A finding that does not show is a mistake of ours.

use super::ProofOptions;
use super::components::Slot;
use super::inputs::Script;
use super::steps::{Fate, Step, Steps};
use super::table::{Origin, StateId, Table};
use super::turns::MOST_AT_ONCE;
use crate::drive::{Outcome, Recorder};
use crate::explore::Found;
use crate::image::Image;
use crate::machine::{Config, Machine, UnknownCall};
use crate::sync::Sync;
use crate::violation::{Signature, Violation, ViolationKind};
use library::Undefined;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// A state that was visited.
#[derive(Clone, Copy)]
pub(super) enum Place {
    At(StateId),
    /// It is not kept: after a step from one that is, and so many steps that the thread
    /// has gone on at once.
    After(Origin, usize),
}

pub(super) struct Findings<'a> {
    image: &'a Image<'a>,
    config: &'a Config,
    digest: u64,
    options: &'a ProofOptions,
    /// The answers that lead to states in which runs begin.
    starts: &'a Mutex<HashMap<StateId, Vec<u128>>>,
    pub violations: Vec<Found>,
    pub dependent: Vec<(Found, Vec<UnknownCall>)>,
    pub mistakes: Vec<String>,
    known: BTreeSet<Signature>,
    known_dependent: BTreeSet<Signature>,
}

impl<'a> Findings<'a> {
    /// Whether anything was found, confirmed or not.
    pub(super) fn has_any(&self) -> bool {
        !self.violations.is_empty() || !self.dependent.is_empty() || !self.mistakes.is_empty()
    }

    pub(super) fn new(
        image: &'a Image<'a>,
        config: &'a Config,
        digest: u64,
        options: &'a ProofOptions,
        starts: &'a Mutex<HashMap<StateId, Vec<u128>>>,
    ) -> Self {
        Findings {
            image,
            config,
            digest,
            options,
            starts,
            violations: Vec::new(),
            dependent: Vec::new(),
            mistakes: Vec::new(),
            known: BTreeSet::new(),
            known_dependent: BTreeSet::new(),
        }
    }

    /// Runs with these answers begin in a state.
    pub(super) fn add_start(&mut self, state: StateId, answers: Vec<u128>) {
        let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        starts.insert(state, answers);
    }

    /// A step from a state, or the start of the run, goes wrong in this way.
    pub(super) fn report(
        &mut self,
        table: &Table,
        steps: &mut Steps,
        step: Option<(Place, usize)>,
        answers: &[u128],
        kind: &Signature,
    ) {
        if self.is_known(kind) {
            return;
        }
        let mut way = self.way(table, steps, step.map(|(place, _)| place));
        match step {
            Some((_, thread)) => way.steps.push((way.name(thread), answers.to_vec())),
            None => way.start = answers.to_vec(),
        }
        self.show(&way, &|violation| violation.signature() == *kind, true);
    }

    /// A state is wrong in this way.
    pub(super) fn report_at(
        &mut self,
        table: &Table,
        steps: &mut Steps,
        state: StateId,
        kind: &Signature,
    ) {
        if self.is_known(kind) {
            return;
        }
        let way = self.way(table, steps, Some(Place::At(state)));
        // Where threads were exchanged, others may wait than it seems.
        let is_it = |violation: &Violation| match way.names.is_empty() {
            true => violation.signature() == *kind,
            false => violation.kind == kind.0,
        };
        self.show(&way, &is_it, true);
    }

    /// A step goes wrong somehow, in this way.
    pub(super) fn report_any(
        &mut self,
        table: &Table,
        steps: &mut Steps,
        (place, thread): (Place, usize),
        answers: &[u128],
        kind: ViolationKind,
        must_show: bool,
    ) {
        let mut way = self.way(table, steps, Some(place));
        way.steps.push((way.name(thread), answers.to_vec()));
        self.show(&way, &|violation| violation.kind == kind, must_show);
    }

    fn is_known(&self, kind: &Signature) -> bool {
        // Whether it depends on unknown calls is known only after the run.
        self.known.contains(kind)
            && (self.config.surroundings.undefined != Undefined::Assumed
                || self.known_dependent.contains(kind)
                || self.dependent.is_empty())
    }

    /// The way to a state: the steps that led to it when it was found first.
    fn way(&self, table: &Table, steps: &mut Steps, place: Option<Place>) -> Way {
        let mut way = Way::default();
        let (mut state, rest) = match place {
            None => return way,
            Some(Place::At(state)) => (state, None),
            Some(Place::After(origin, gone)) => (origin.from, Some((origin, gone))),
        };
        let mut origins = Vec::new();
        loop {
            let origin = table.origin(state);
            if origin.from == state {
                break;
            }
            origins.push((origin, state));
            state = origin.from;
        }
        let starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        way.start = starts.get(&state).cloned().unwrap_or_default();
        drop(starts);
        // What is noticed on the way is known to whoever went it first.
        let notices = std::mem::take(&mut steps.notices);
        for (origin, state) in origins.into_iter().rev() {
            let mut kept = Vec::new();
            table.get(state, &mut kept);
            way.go(table, steps, &origin, Goal::Kept(&kept));
        }
        if let Some((origin, gone)) = rest {
            way.go(table, steps, &origin, Goal::Gone(gone));
        }
        steps.notices = notices;
        way
    }

    /// Runs it, and keeps what is looked for.
    fn show(&mut self, way: &Way, is_it: &dyn Fn(&Violation) -> bool, must_show: bool) {
        let samples = &self.options.inputs;
        let mut script = Script::new(&way.start, samples);
        let (machine, started) = Machine::start(self.image, self.config, &mut script, false);
        let mut recorder = Recorder::new(machine, self.config, self.digest, started);
        for (thread, answers) in &way.steps {
            let is_over = recorder.outcome.is_some();
            if is_over || recorder.check_choice(0, *thread).is_err() {
                if must_show {
                    self.mistakes
                        .push(format!("a way cannot be gone: thread {thread}"));
                }
                return;
            }
            let mut script = Script::new(answers, samples);
            recorder.step(*thread, &mut script);
        }
        let run = recorder.finish();
        let mut has_shown = false;
        for violation in run.violations {
            has_shown |= is_it(&violation);
            self.keep(violation, &run.schedule, &run.unknown_calls);
        }
        if must_show && !has_shown {
            let end = match run.outcome {
                Outcome::ScheduleEnded => "nothing".to_owned(),
                other => format!("{other:?}"),
            };
            self.mistakes
                .push(format!("a violation does not show, but {end}"));
        }
    }

    fn keep(
        &mut self,
        violation: Violation,
        schedule: &crate::schedule::Schedule,
        unknown_calls: &[UnknownCall],
    ) {
        let is_dependent =
            !unknown_calls.is_empty() && self.config.surroundings.undefined == Undefined::Assumed;
        let known = match is_dependent {
            true => &mut self.known_dependent,
            false => &mut self.known,
        };
        if !known.insert(violation.signature()) {
            return;
        }
        let found = Found {
            violation,
            schedule: schedule.clone(),
        };
        match is_dependent {
            true => self.dependent.push((found, unknown_calls.to_vec())),
            false => self.violations.push(found),
        }
    }
}

/// Where a thread ends that goes on at once.
#[derive(Clone, Copy)]
enum Goal<'r> {
    /// In a state that is kept.
    Kept(&'r [u32]),
    /// After a step and so many more.
    Gone(usize),
}

/// A run: answers before the first step; then threads with the answers for each of
/// their steps.
#[derive(Default)]
struct Way {
    start: Vec<u128>,
    steps: Vec<(usize, Vec<u128>)>,
    /// Of each thread of the state that it leads to: who that is in the run. Nothing
    /// if no threads were exchanged.
    names: Vec<usize>,
}

impl Way {
    fn name(&self, thread: usize) -> usize {
        self.names.get(thread).copied().unwrap_or(thread)
    }

    /// Goes the way from a state that is kept. Whether a thread goes on at once may be
    /// seen otherwise once more is known, so it is not asked again.
    fn go(&mut self, table: &Table, steps: &mut Steps, origin: &Origin, goal: Goal) {
        let mut row = Vec::new();
        table.get(origin.from, &mut row);
        let thread = usize::from(origin.thread);
        let mut choice = usize::from(origin.choice);
        let mut found = Vec::new();
        for gone in 0..=MOST_AT_ONCE {
            found.clear();
            steps.of(&row, thread, &mut found);
            found.retain(|step| step.fate != Fate::Waits);
            let Some(step) = found.get(choice) else {
                return;
            };
            let answers = self.answers(steps, &row, step);
            self.steps.push((self.name(thread), answers));
            steps.take_on(&mut row, step);
            choice = 0;
            let is_there = match goal {
                Goal::Gone(most) => gone == most,
                Goal::Kept(kept) => {
                    let mut reached = row.clone();
                    let moved = steps.normalise(&mut reached);
                    let is_it = reached == kept;
                    if let Some(moved) = moved.filter(|_| is_it) {
                        self.exchange(&moved);
                    }
                    is_it
                }
            };
            if is_there {
                return;
            }
        }
    }

    fn exchange(&mut self, moved: &[(usize, usize)]) {
        let most = moved.iter().map(|(place, _)| place + 1).max().unwrap_or(0);
        let names: Vec<usize> = (0..self.names.len().max(most))
            .map(|thread| {
                let mut moved = moved.iter();
                let from = moved.find(|(place, _)| *place == thread);
                self.name(from.map_or(thread, |(_, from)| *from))
            })
            .collect();
        self.names = names;
    }

    /// The answers that a step needs in the run, where those who wait may come in
    /// another order.
    fn answers(&self, steps: &Steps, row: &[u32], step: &Step) -> Vec<u128> {
        let mut answers = step.answers.to_vec();
        let Some(index) = step.waiter.filter(|_| !self.names.is_empty()) else {
            return answers;
        };
        for (slot, _) in &step.changes {
            let content = steps.components.get(row, *slot);
            if let Slot::Sync(_) = steps.components.what(*slot)
                && let Some(Sync::Condition { waiters }) = steps.components.sync(content)
                && let Some(woken) = waiters.get(answers[index] as usize)
            {
                let mut names: Vec<usize> = waiters.iter().map(|w| self.name(*w)).collect();
                names.sort_unstable();
                let woken = self.name(*woken);
                let place = names.iter().position(|name| *name == woken);
                answers[index] = place.unwrap_or(0) as u128;
                break;
            }
        }
        answers
    }
}
