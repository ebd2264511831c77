//! What went wrong, with a run that shows it.
//!
//! A finding is a state and, as a rule, a step from there. The way to it is run by
//! the ordinary interpreter, with all that the user asked for; what is reported is
//! what shows in that run. A finding that does not show is a mistake of ours.

use super::ProofOptions;
use super::inputs::Script;
use super::steps::{Fate, Steps};
use super::table::{StateId, Table};
use crate::drive::{Outcome, Recorder};
use crate::explore::Found;
use crate::image::Image;
use crate::machine::{Config, Machine, UnknownCall};
use crate::violation::{Signature, Violation, ViolationKind};
use library::Undefined;
use std::collections::{BTreeSet, HashMap};

pub(super) struct Findings<'a> {
    image: &'a Image<'a>,
    config: &'a Config,
    digest: u64,
    options: &'a ProofOptions,
    /// The answers that lead to states in which runs begin.
    pub starts: HashMap<StateId, Vec<u128>>,
    pub violations: Vec<Found>,
    pub dependent: Vec<(Found, Vec<UnknownCall>)>,
    pub mistakes: Vec<String>,
    known: BTreeSet<Signature>,
    known_dependent: BTreeSet<Signature>,
}

impl<'a> Findings<'a> {
    pub fn new(
        image: &'a Image<'a>,
        config: &'a Config,
        digest: u64,
        options: &'a ProofOptions,
    ) -> Self {
        Findings {
            image,
            config,
            digest,
            options,
            starts: HashMap::new(),
            violations: Vec::new(),
            dependent: Vec::new(),
            mistakes: Vec::new(),
            known: BTreeSet::new(),
            known_dependent: BTreeSet::new(),
        }
    }

    /// A step from a state, or the start of the run, goes wrong in this way.
    pub fn report(
        &mut self,
        table: &Table,
        steps: &mut Steps,
        step: Option<(StateId, usize)>,
        answers: &[u128],
        kind: &Signature,
    ) {
        if self.is_known(kind) {
            return;
        }
        let mut way = self.way(table, steps, step.map(|(state, _)| state));
        match step {
            Some((_, thread)) => way.steps.push((thread, answers.to_vec())),
            None => way.start = answers.to_vec(),
        }
        self.show(&way, &|violation| violation.signature() == *kind, true);
    }

    /// A state is wrong in this way.
    pub fn report_at(
        &mut self,
        table: &Table,
        steps: &mut Steps,
        state: StateId,
        kind: &Signature,
    ) {
        if self.is_known(kind) {
            return;
        }
        let way = self.way(table, steps, Some(state));
        self.show(&way, &|violation| violation.signature() == *kind, true);
    }

    /// A step goes wrong somehow, in this way.
    pub fn report_any(
        &mut self,
        table: &Table,
        steps: &mut Steps,
        (state, thread): (StateId, usize),
        answers: &[u128],
        kind: ViolationKind,
        must_show: bool,
    ) {
        let mut way = self.way(table, steps, Some(state));
        way.steps.push((thread, answers.to_vec()));
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
    fn way(&self, table: &Table, steps: &mut Steps, state: Option<StateId>) -> Way {
        let mut way = Way::default();
        let Some(mut state) = state else {
            return way;
        };
        let mut row = Vec::new();
        let mut found = Vec::new();
        loop {
            let origin = table.origin(state);
            if origin.from == state {
                break;
            }
            table.get(origin.from, &mut row);
            found.clear();
            let thread = usize::from(origin.thread);
            steps.of(&row, thread, &mut found);
            found.retain(|step| step.fate != Fate::Waits);
            let answers = match found.get(usize::from(origin.choice)) {
                Some(step) => step.answers.to_vec(),
                None => Vec::new(),
            };
            way.steps.push((thread, answers));
            state = origin.from;
        }
        way.steps.reverse();
        way.start = self.starts.get(&state).cloned().unwrap_or_default();
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

/// A run: answers before the first step; then threads with the answers for each of
/// their steps.
#[derive(Default)]
struct Way {
    start: Vec<u128>,
    steps: Vec<(usize, Vec<u128>)>,
}
