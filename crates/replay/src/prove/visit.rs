//! Visits one state after the other: takes all the steps from it, and notices what
//! goes wrong.
//!
//! What the interpreter notices in a single step it tells itself; what concerns
//! several threads (races, threads that wait for each other) is looked for here.

use super::components::Slot;
use super::findings::{Findings, Place};
use super::inputs::Script;
use super::search::MOST_COARSE;
use super::steps::{Fate, Notices, Step, Steps};
use super::table::{Origin, StateId, Table};
use super::turns::Turns;
use super::{Proof, ProofOptions};
use crate::explore::{Interruption, Limit};
use crate::machine::{Config, Cut, Stop};
use crate::thread::{Access, Stuck, Wait};
use crate::violation::{Property, ViolationKind};
use library::Undefined;
use std::collections::HashSet;
use std::rc::Rc;

/// One of those who visit states.
pub(super) struct Visitor<'a> {
    config: &'a Config,
    options: &'a ProofOptions,
    table: &'a Table,
    pub steps: Steps<'a>,
    pub findings: Findings<'a>,
    /// Steps and threads that were looked at together.
    races: HashSet<(u64, usize, u32)>,
    turns: Turns,
    successor: Vec<u32>,
    threads: Vec<(usize, u32)>,
    buffer: Vec<u8>,
    pub proof: Proof,
}

impl<'a> Visitor<'a> {
    pub(super) fn new(
        config: &'a Config,
        options: &'a ProofOptions,
        table: &'a Table,
        steps: Steps<'a>,
        findings: Findings<'a>,
    ) -> Self {
        Visitor {
            config,
            options,
            table,
            steps,
            findings,
            races: HashSet::new(),
            turns: Turns::default(),
            successor: Vec::new(),
            threads: Vec::new(),
            buffer: Vec::new(),
            proof: Proof::default(),
        }
    }

    /// Learns what others have found meanwhile.
    pub(super) fn refresh(&mut self) {
        self.steps.components.refresh();
    }

    /// There is no use in going on.
    pub(super) fn has_failed(&self) -> bool {
        let steps = &self.steps;
        let is_uncertain = steps.has_decided && self.findings.has_any()
            || steps.has_guessed && self.table.len() > MOST_COARSE;
        is_uncertain || self.steps.is_open_needed || self.steps.has_too_many_answers
    }

    /// There is no need to go on.
    pub(super) fn is_done(&self) -> bool {
        let has_found = !self.findings.violations.is_empty() || !self.proof.unsupported.is_empty();
        self.has_failed() || !self.options.find_all && has_found
    }

    /// Takes the steps from a state.
    pub(super) fn expand(&mut self, id: StateId) {
        let mut turns = std::mem::take(&mut self.turns);
        self.table.get(id, &mut turns.row);
        self.steps.find_turns(&mut turns);
        self.note_steps(Place::At(id));
        if turns.is_stuck {
            self.note_dead_end(id, &turns.row);
        } else if turns.is_whole {
            self.note_cycles(id, &turns);
        }
        if self.options.is_checked {
            self.check_turns(&turns);
        }
        for thread in turns.chosen.iter().copied() {
            for (choice, step) in turns.choices[thread].iter().enumerate() {
                self.note_races(Place::At(id), &turns.threads, thread, step);
                if step.fate == Fate::Goes {
                    let origin = Origin {
                        from: id,
                        thread: thread as u16,
                        choice: choice as u16,
                    };
                    self.go(&turns.row, origin, step);
                }
            }
        }
        self.turns = turns;
    }

    /// Lets a thread take a step and go on as far as it may, and keeps the state to
    /// which that leads.
    fn go(&mut self, row: &[u32], origin: Origin, step: &Step) {
        let thread = usize::from(origin.thread);
        let mut successor = std::mem::take(&mut self.successor);
        let mut threads = std::mem::take(&mut self.threads);
        self.proof.steps += 1;
        self.steps.apply(row, step, &mut successor);
        for gone in 0.. {
            let next = (self.steps).next_alone(&successor, (thread, gone), &mut threads);
            let place = Place::After(origin, gone);
            self.note_steps(place);
            let Some(next) = next else {
                break;
            };
            self.note_races(place, &threads, thread, &next);
            if self.options.is_checked {
                self.check(&successor, thread, std::slice::from_ref(&next));
            }
            self.proof.steps += 1;
            self.steps.take_on(&mut successor, &next);
        }
        self.steps.normalise(&mut successor);
        (self.table).insert(&successor, Some(origin), &mut self.buffer);
        self.threads = threads;
        self.successor = successor;
    }

    // What is noticed.

    fn note_steps(&mut self, place: Place) {
        if self.steps.notices.is_empty() {
            return;
        }
        for (thread, notices) in std::mem::take(&mut self.steps.notices) {
            let answers = notices.answers.clone();
            self.note(Some((place, thread)), notices, &answers);
        }
    }

    /// Takes note of what happened in a step, or at the start.
    pub(super) fn note(
        &mut self,
        step: Option<(Place, usize)>,
        notices: Notices,
        answers: &[u128],
    ) {
        let mut kinds: Vec<_> = notices.violations.iter().map(|v| v.signature()).collect();
        match notices.stop {
            Some(Stop::Violation(violation)) => kinds.push(violation.signature()),
            Some(Stop::Undefined(kind)) => {
                self.proof.undefined.insert(kind);
            }
            Some(Stop::Assumption) => self.proof.is_assumed = true,
            Some(Stop::Cut(cut)) => {
                self.proof.limits.insert(Limit::Run(cut));
            }
            Some(Stop::Unsupported(unsupported)) => {
                if !self.proof.unsupported.contains(&unsupported) {
                    self.proof.unsupported.push(unsupported);
                }
            }
            Some(Stop::NoInput(what)) => self.proof.mistakes.push(what),
            Some(Stop::Aborted | Stop::Endless(_)) | None => {}
        }
        for stuck in notices.stuck {
            match stuck {
                Stuck::Undefined(kind) => {
                    self.proof.undefined.insert(kind);
                }
                Stuck::Endless {
                    function,
                    is_certain: false,
                } => {
                    let cut = Cut::LocalWork(function);
                    self.proof.limits.insert(Limit::Run(cut));
                }
                Stuck::Assumption => self.proof.is_assumed = true,
                Stuck::Endless { .. } => {}
            }
        }
        let excluded = notices.excluded.into_iter().map(Limit::Excluded);
        self.proof.limits.extend(excluded);
        if !notices.sampled.is_empty() {
            self.proof.limits.insert(Limit::Inputs);
            self.proof.sampled.extend(notices.sampled);
        }
        if self.config.surroundings.undefined == Undefined::Assumed {
            for call in notices.unknown_calls {
                let limit = Limit::UnknownCall(call.function, call.site);
                self.proof.limits.insert(limit);
            }
        }
        for kind in kinds {
            let (table, steps) = (self.table, &mut self.steps);
            self.findings.report(table, steps, step, answers, &kind);
        }
    }

    /// No thread can go on.
    fn note_dead_end(&mut self, id: StateId, row: &[u32]) {
        let machine = self.steps.components.machine(row);
        match machine.deadlock() {
            Some(Stop::Violation(violation)) => {
                let kind = violation.signature();
                let (table, steps) = (self.table, &mut self.steps);
                self.findings.report_at(table, steps, id, &kind);
            }
            Some(Stop::Undefined(kind)) => {
                self.proof.undefined.insert(kind);
            }
            _ => {}
        }
    }

    /// Looks for threads that wait for each other while others can go on.
    fn note_cycles(&mut self, id: StateId, turns: &Turns) {
        if !self.config.partial_deadlocks || !self.config.checks.has(Property::Deadlock) {
            return;
        }
        let mut waiting: Vec<(usize, Vec<usize>)> = Vec::new();
        let row = &turns.row[..];
        for (thread, _) in turns.threads.iter().copied() {
            if turns.choices[thread].is_empty() {
                let blockers = self.blockers(row, thread);
                if !blockers.is_empty() {
                    waiting.push((thread, blockers));
                }
            }
        }
        // Whoever waits for somebody who does not wait is not part of a cycle.
        loop {
            let before = waiting.len();
            let names: Vec<usize> = waiting.iter().map(|(thread, _)| *thread).collect();
            waiting.retain(|(_, blockers)| blockers.iter().any(|b| names.contains(b)));
            if waiting.is_empty() {
                return;
            }
            if waiting.len() == before {
                break;
            }
        }
        let mut machine = self.steps.components.machine(row);
        machine.config = self.config;
        for (thread, _) in waiting {
            machine.notice_cycle(thread);
        }
        for violation in machine.take_noticed() {
            let kind = violation.signature();
            let (table, steps) = (self.table, &mut self.steps);
            self.findings.report_at(table, steps, id, &kind);
        }
    }

    /// Those who hold what a thread waits for, or whose end it waits for.
    fn blockers(&mut self, row: &[u32], thread: usize) -> Vec<usize> {
        let components = &mut self.steps.components;
        let Some(slot) = components.thread_slot(thread) else {
            return Vec::new();
        };
        let content = components.get(row, slot);
        let thread = components.owned(thread, content).thread.clone();
        if thread.is_finished() || thread.is_stuck() || thread.must_leave() {
            return Vec::new();
        }
        if let Wait::Join(target) = &thread.pending.wait {
            return vec![*target];
        }
        let Some(key) = thread.pending.wait.lock() else {
            return Vec::new();
        };
        let slot = components.known_slot(Slot::Sync(key));
        let content = slot.map_or(0, |slot| components.get(row, slot));
        components
            .sync(content)
            .map_or(Vec::new(), |sync| sync.holders())
    }

    /// Looks for threads that are about to access what a step accesses.
    fn note_races(&mut self, place: Place, threads: &[(usize, u32)], thread: usize, step: &Step) {
        if step.accesses.is_empty() || !self.config.checks.has(Property::Race) {
            return;
        }
        let racing = races_with(&mut self.steps, threads, thread, step);
        for (other, content) in racing.collect::<Vec<_>>() {
            if self.races.insert((step.number, other, content)) {
                let (table, steps) = (self.table, &mut self.steps);
                let kind = ViolationKind::DataRace;
                let must_show = !step.is_cut_short;
                let answers = step.answers.clone();
                let at = (place, thread);
                self.findings
                    .report_any(table, steps, at, &answers, kind, must_show);
            }
        }
    }

    /// Compares what is remembered with what the interpreter does.
    fn check_turns(&mut self, turns: &Turns) {
        for thread in 0..turns.threads.len() {
            let is_looked_at = turns.is_whole || turns.chosen.contains(&thread);
            if is_looked_at && turns.left_out != Some(thread) {
                self.check(&turns.row, thread, &turns.choices[thread]);
            }
        }
    }

    /// The same for the steps that a thread may take in a state.
    fn check(&mut self, row: &[u32], thread: usize, found: &[Rc<Step>]) {
        let Visitor { steps, proof, .. } = self;
        let mut machine = steps.components.machine(row);
        machine.leave_open(self.options.inputs.open);
        let unlike = &mut proof.mistakes;
        if machine.is_enabled(thread) == found.is_empty() {
            unlike.push(format!(
                "thread {thread} can step, or cannot, unlike remembered"
            ));
        }
        for step in found {
            let mut machine = machine.clone();
            let mut script = Script::new(&step.answers, &self.options.inputs);
            let result = machine.step(thread, &mut script);
            let goes = result.is_ok() && machine.exit_code().is_none();
            if goes != (step.fate == Fate::Goes) {
                unlike.push(format!("a step of thread {thread} ends, or does not"));
            } else if goes {
                let mut state = steps.components.state(&machine);
                let mut remembered = Vec::new();
                steps.apply(row, step, &mut remembered);
                steps.components.forget_names(&mut state);
                steps.components.forget_names(&mut remembered);
                if state != remembered {
                    unlike.push(format!("a step of thread {thread} is not as remembered"));
                }
            }
        }
        steps.components.footprint.take();
    }

    /// What this one has found out.
    pub(super) fn finish(mut self) -> Proof {
        let mut proof = self.proof;
        if self.steps.has_too_many_answers {
            proof.interrupted = proof.interrupted.or(Some(Interruption::States));
        }
        proof.interpreted = self.steps.effort.learnt;
        proof.bytes = self.steps.bytes();
        proof.coverage = std::mem::take(&mut self.steps.coverage);
        proof.violations = std::mem::take(&mut self.findings.violations);
        proof.dependent = std::mem::take(&mut self.findings.dependent);
        proof.mistakes.append(&mut self.findings.mistakes);
        proof
    }
}

/// The threads that are about to access what a step accesses, with their contents.
fn races_with<'s>(
    steps: &'s mut Steps,
    threads: &'s [(usize, u32)],
    thread: usize,
    step: &'s Step,
) -> impl Iterator<Item = (usize, u32)> + 's {
    let others = threads.iter().filter(move |(other, _)| *other != thread);
    others.copied().filter(|(other, content)| {
        let other = &steps.components.owned(*other, *content).thread;
        !other.is_finished() && races(&step.accesses, &other.pending.accesses)
    })
}

fn races(made: &[Access], pending: &[Access]) -> bool {
    let mut pending = pending.iter();
    pending.any(|theirs| made.iter().any(|ours| ours.races_with(theirs)))
}
