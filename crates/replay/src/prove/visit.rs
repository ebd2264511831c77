//! Visits one state after the other: takes all the steps from it, and notices what
//! goes wrong.
//!
//! What the interpreter notices in a single step it tells itself; what concerns
//! several threads (races, threads that wait for each other) is looked for here.

use super::components::Slot;
use super::findings::Findings;
use super::inputs::Script;
use super::search::MOST_COARSE;
use super::steps::{Fate, Notices, Step, Steps};
use super::table::{Origin, StateId, Table};
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
    row: Vec<u32>,
    successor: Vec<u32>,
    threads: Vec<(usize, u32)>,
    /// What each thread may do in the current state.
    choices: Vec<Vec<Rc<Step>>>,
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
            row: Vec::new(),
            successor: Vec::new(),
            threads: Vec::new(),
            choices: Vec::new(),
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
        let is_uncertain =
            self.steps.has_decided && (self.findings.has_any() || self.table.len() > MOST_COARSE);
        is_uncertain || self.steps.is_open_needed || self.steps.has_too_many_answers
    }

    /// There is no need to go on.
    pub(super) fn is_done(&self) -> bool {
        let has_found = !self.findings.violations.is_empty() || !self.proof.unsupported.is_empty();
        self.has_failed() || !self.options.find_all && has_found
    }

    /// Takes all steps from a state.
    pub(super) fn expand(&mut self, id: StateId) {
        let mut row = std::mem::take(&mut self.row);
        self.table.get(id, &mut row);
        let mut choices = std::mem::take(&mut self.choices);
        let mut threads = std::mem::take(&mut self.threads);
        threads.clear();
        threads.extend(self.steps.threads(&row));
        if let Some(alone) = &mut self.steps.alone {
            alone.prepare(&mut self.steps.components, &threads);
        }
        choices.resize_with(choices.len().max(threads.len()), Vec::new);
        let joiner = self.steps.joiner(&row, &threads);
        let mut is_stuck = true;
        let mut alone = None;
        for (thread, content) in &threads {
            choices[*thread].clear();
            if joiner.as_ref().is_some_and(|(joiner, _)| joiner == thread) {
                continue;
            }
            self.find_steps(id, &row, *thread, *content, &mut choices[*thread]);
            is_stuck &= choices[*thread].is_empty();
            let waits_for_it = joiner
                .as_ref()
                .filter(|(_, joins)| joins.waits_for(*thread));
            let waits_for_it = waits_for_it.map(|(joiner, _)| *joiner);
            if self.may_go_alone(&row, &threads, *thread, &choices[*thread], waits_for_it) {
                alone = Some(*thread);
                break;
            }
        }
        let mut left_out = None;
        if let (Some((joiner, joins)), None) = (&joiner, alone) {
            let mut joined = joins.joined.iter();
            if joined.any(|thread| !choices[*thread].is_empty()) {
                left_out = Some(*joiner);
            }
        }
        if let (Some((joiner, _)), None, None) = (&joiner, alone, left_out) {
            let (_, content) = threads[*joiner];
            self.find_steps(id, &row, *joiner, content, &mut choices[*joiner]);
            is_stuck &= choices[*joiner].is_empty();
            if self.may_go_alone(&row, &threads, *joiner, &choices[*joiner], None) {
                alone = Some(*joiner);
            }
        }
        let chosen = match alone {
            Some(thread) => thread..thread + 1,
            None => 0..threads.len(),
        };
        if is_stuck {
            self.note_dead_end(id, &row);
        } else if alone.is_none() {
            self.note_cycles(id, &row, &choices[chosen.clone()]);
        }
        if self.options.is_checked {
            self.check(&row, chosen.start, &choices[chosen.clone()], left_out);
        }
        for thread in chosen {
            for (choice, step) in choices[thread].iter().enumerate() {
                self.note_races(id, &threads, thread, step);
                if step.fate == Fate::Goes {
                    self.go(id, &row, thread, choice, step);
                }
            }
        }
        self.row = row;
        self.choices = choices;
        self.threads = threads;
    }

    /// Whether no other thread need be looked at in this state.
    fn may_go_alone(
        &self,
        row: &[u32],
        threads: &[(usize, u32)],
        thread: usize,
        steps: &[Rc<Step>],
        waits_for_it: Option<usize>,
    ) -> bool {
        match &self.steps.alone {
            Some(alone) if !steps.is_empty() => {
                let components = &self.steps.components;
                alone.may_go(components, row, threads, (thread, steps), waits_for_it)
            }
            _ => false,
        }
    }

    /// What a thread may do in a state.
    fn find_steps(
        &mut self,
        id: StateId,
        row: &[u32],
        thread: usize,
        content: u32,
        steps: &mut Vec<Rc<Step>>,
    ) {
        if self.may_step(thread, content) {
            self.steps.of(row, thread, steps);
            steps.retain(|step| step.fate != Fate::Waits);
        }
        if !self.steps.notices.is_empty() {
            self.note_steps(id);
        }
    }

    fn may_step(&mut self, thread: usize, content: u32) -> bool {
        let thread = &self.steps.components.owned(thread, content).thread;
        !thread.is_finished() && !thread.is_stuck()
    }

    fn go(&mut self, id: StateId, row: &[u32], thread: usize, choice: usize, step: &Step) {
        self.proof.steps += 1;
        let mut successor = std::mem::take(&mut self.successor);
        self.steps.apply(row, step, &mut successor);
        self.steps.normalise(&mut successor);
        let origin = Origin {
            from: id,
            thread: thread as u16,
            choice: choice as u16,
        };
        self.table
            .insert(&successor, Some(origin), &mut self.buffer);
        self.successor = successor;
    }

    // What is noticed.

    fn note_steps(&mut self, id: StateId) {
        for (thread, notices) in std::mem::take(&mut self.steps.notices) {
            let answers = notices.answers.clone();
            self.note(Some((id, thread)), notices, &answers);
        }
    }

    /// Takes note of what happened in a step, or at the start.
    pub(super) fn note(
        &mut self,
        step: Option<(StateId, usize)>,
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
    fn note_cycles(&mut self, id: StateId, row: &[u32], choices: &[Vec<Rc<Step>>]) {
        if !self.config.partial_deadlocks || !self.config.checks.has(Property::Deadlock) {
            return;
        }
        let mut waiting: Vec<(usize, Vec<usize>)> = Vec::new();
        for (thread, steps) in choices.iter().enumerate() {
            if steps.is_empty() {
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
        let key = match &thread.pending.wait {
            Wait::Join(target) => return vec![*target],
            Wait::Mutex(key)
            | Wait::ReadLock(key)
            | Wait::WriteLock(key)
            | Wait::Spin(key)
            | Wait::Condition { mutex: key, .. } => *key,
            _ => return Vec::new(),
        };
        let slot = components.known_slot(Slot::Sync(key));
        let content = slot.map_or(0, |slot| components.get(row, slot));
        components
            .sync(content)
            .map_or(Vec::new(), |sync| sync.holders())
    }

    /// Looks for threads that are about to access what a step has just accessed.
    fn note_races(&mut self, id: StateId, threads: &[(usize, u32)], thread: usize, step: &Step) {
        if step.accesses.is_empty() || !self.config.checks.has(Property::Race) {
            return;
        }
        for (other, content) in threads.iter().copied() {
            if other == thread {
                continue;
            }
            let pending = &self.steps.components.owned(other, content).thread;
            if pending.is_finished() || !races(&step.accesses, &pending.pending.accesses) {
                continue;
            }
            if self.races.insert((step.number, other, content)) {
                let (table, steps) = (self.table, &mut self.steps);
                let kind = ViolationKind::DataRace;
                let must_show = !step.is_cut_short;
                let answers = step.answers.clone();
                let at = (id, thread);
                self.findings
                    .report_any(table, steps, at, &answers, kind, must_show);
            }
        }
    }

    /// Compares what is remembered with what the interpreter does.
    fn check(
        &mut self,
        row: &[u32],
        first: usize,
        choices: &[Vec<Rc<Step>>],
        left_out: Option<usize>,
    ) {
        for (thread, steps) in (first..).zip(choices) {
            if left_out == Some(thread) {
                continue;
            }
            let mut machine = self.steps.components.machine(row);
            machine.leave_open(self.options.inputs.open);
            if machine.is_enabled(thread) == steps.is_empty() {
                let what = format!("thread {thread} can step, or cannot, unlike remembered");
                self.proof.mistakes.push(what);
            }
            for step in steps {
                let mut machine = machine.clone();
                let mut script = Script::new(&step.answers, &self.options.inputs);
                let result = machine.step(thread, &mut script);
                let goes = result.is_ok() && machine.exit_code().is_none();
                if goes != (step.fate == Fate::Goes) {
                    let what = format!("a step of thread {thread} ends, or does not");
                    self.proof.mistakes.push(what);
                } else if goes {
                    let state = self.steps.components.state(&machine);
                    let mut remembered = Vec::new();
                    self.steps.apply(row, step, &mut remembered);
                    if state != remembered {
                        let what = format!("a step of thread {thread} is not as remembered");
                        self.proof.mistakes.push(what);
                    }
                }
            }
            self.steps.components.footprint.take();
        }
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

fn races(made: &[Access], pending: &[Access]) -> bool {
    let mut pending = pending.iter();
    pending.any(|theirs| made.iter().any(|ours| ours.races_with(theirs)))
}
