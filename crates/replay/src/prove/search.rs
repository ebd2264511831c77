//! Visits the states one after the other, in the order in which they are found, so
//! that what goes wrong is found after as few steps as possible.
//!
//! What the interpreter notices in a single step it tells itself; what concerns
//! several threads (races, threads that wait for each other) is looked for here.

use super::alone::Alone;
use super::components::{Components, Slot};
use super::findings::Findings;
use super::inputs::Script;
use super::steps::{Fate, MOST_ANSWERS, Notices, Step, Steps};
use super::table::{Origin, StateId, Table};
use super::threads::Knowledge;
use super::{Proof, ProofOptions, ProofProgress};
use crate::explore::{Interruption, Limit};
use crate::image::Image;
use crate::inputs::InputKind;
use crate::machine::{Config, Cut, Excluded, Machine, Stop};
use crate::open_inputs::OpenInputs;
use crate::thread::{Access, Stuck, Wait};
use crate::violation::{Property, ViolationKind};
use library::Undefined;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// States to expand before somebody is asked whether to go on.
const PACE: usize = 256;
/// The same for steps of the interpreter, which may take long.
const INTERPRETED_PACE: u64 = 8;

/// Visits all states. If there is nothing to be said against the program but that
/// waits might end without a signal, it tries that too.
pub(super) fn search(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Proof {
    let mut proof = search_open(image, config, digest, options, keep_going);
    let is_closed = proof.violations.is_empty()
        && proof.dependent.is_empty()
        && proof.interrupted.is_none()
        && proof.unsupported.is_empty();
    let excluded = Limit::Excluded(Excluded::SpuriousWakeups);
    if !options.tries_spurious_wakeups || !is_closed || !proof.limits.contains(&excluded) {
        return proof;
    }
    let mut spurious = config.clone();
    spurious.surroundings.spurious_wakeups = true;
    let more = search_open(image, &spurious, digest, options, keep_going);
    proof.states += more.states;
    proof.steps += more.steps;
    proof.bytes = proof.bytes.max(more.bytes);
    proof.state_bytes = proof.state_bytes.max(more.state_bytes);
    if more.violations.is_empty() && more.is_complete() {
        proof.limits.remove(&excluded);
        proof.coverage.merge(&more.coverage);
    } else {
        proof.spurious = more.violations;
        proof.mistakes.extend(more.mistakes);
    }
    proof
}

/// Visits all states, with inputs left open as far as that is right.
fn search_open(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Proof {
    let mut options = options.clone();
    let checks = config.checks;
    // Both use the same shadows; and an open number may be any address.
    if checks.has(Property::Uninitialised) || checks.has(Property::Leak) {
        options.inputs.open = OpenInputs::NONE;
    }
    loop {
        let left_open = match search_once(image, config, digest, &options, keep_going) {
            Ok(proof) => return *proof,
            Err(left_open) => left_open,
        };
        // What programs ask for is what they look at, as a rule.
        let open = &mut options.inputs.open;
        if open.nondet && left_open.contains(&InputKind::Nondet) {
            open.nondet = false;
        } else if open.unknown_calls && left_open.contains(&InputKind::UnknownCall) {
            open.unknown_calls = false;
        } else {
            *open = OpenInputs::NONE;
        }
    }
}

/// The same; the kinds of inputs that were left open, if something depends on one.
fn search_once(
    image: &Image,
    config: &Config,
    digest: u64,
    options: &ProofOptions,
    keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Result<Box<Proof>, BTreeSet<InputKind>> {
    // What needs to know about several threads is looked for here.
    let single = Config {
        checks: config.checks.without(Property::Race),
        partial_deadlocks: false,
        keep_coverage: true,
        keep_output: false,
        ..config.clone()
    };
    let forgets = options.reductions.dead_locals && !config.checks.has(Property::Leak);
    let knowledge = Knowledge::new(image, forgets);
    let components = Components::new(image, &single, knowledge);
    let is_partial = options.reductions.partial_order;
    let points_to = is_partial.then(|| analysis::PointsTo::of(image.program));
    let alone = points_to
        .as_ref()
        .and_then(|points_to| Alone::new(image, config, points_to, options.reductions.mistake));
    let mut search = Search {
        config,
        options,
        table: Table::default(),
        steps: Steps::new(components, alone, &options.inputs),
        findings: Findings::new(image, config, digest, options),
        races: HashSet::new(),
        row: Vec::new(),
        successor: Vec::new(),
        threads: Vec::new(),
        choices: Vec::new(),
        proof: Proof::default(),
    };
    search.begin(image, &single, keep_going);
    search.run(keep_going);
    match search.steps.is_open_needed {
        true => Err(search.steps.left_open),
        false => Ok(Box::new(search.finish())),
    }
}

struct Search<'a> {
    config: &'a Config,
    options: &'a ProofOptions,
    table: Table,
    steps: Steps<'a>,
    findings: Findings<'a>,
    /// Steps and threads that were looked at together.
    races: HashSet<(u64, usize, u32)>,
    row: Vec<u32>,
    successor: Vec<u32>,
    threads: Vec<(usize, u32)>,
    /// What each thread may do in the current state.
    choices: Vec<Vec<Rc<Step>>>,
    proof: Proof,
}

impl<'a> Search<'a> {
    /// Finds the states in which runs begin.
    fn begin(
        &mut self,
        image: &'a Image<'a>,
        single: &'a Config,
        keep_going: &mut dyn FnMut(&ProofProgress) -> bool,
    ) {
        let mut open: Vec<Vec<u128>> = vec![Vec::new()];
        let mut count = 0;
        while let Some(answers) = open.pop()
            && !self.is_done()
        {
            count += 1;
            if count > MOST_ANSWERS {
                self.steps.has_too_many_answers = true;
                return;
            }
            if !keep_going(&ProofProgress::default()) {
                self.proof.interrupted = Some(Interruption::Asked);
                return;
            }
            let mut script = Script::new(&answers, &self.options.inputs);
            let footprint = self.steps.components.footprint.clone();
            let open_inputs = self.options.inputs.open;
            let (mut machine, started) =
                Machine::start_open(image, single, &mut script, open_inputs, footprint);
            let looks = self.steps.components.footprint.take();
            self.steps.note_open(&looks);
            for (index, values) in script.asked.iter().enumerate().skip(answers.len()) {
                for value in values.iter().skip(1) {
                    let mut others = script.given[..index].to_vec();
                    others.push(*value);
                    open.push(others);
                }
            }
            let notices = Notices {
                violations: machine.take_noticed(),
                stuck: machine.stuck().cloned().collect(),
                excluded: machine.excluded().to_vec(),
                unknown_calls: machine.unknown_calls().to_vec(),
                sampled: script.sampled,
                answers: script.given.clone(),
                stop: started.err().filter(|_| !script.is_overrun),
            };
            if let Some(coverage) = machine.coverage.as_deref() {
                self.steps.coverage.merge(coverage);
            }
            self.steps.has_too_many_answers |= script.is_overrun;
            let has_ended =
                script.is_overrun || notices.stop.is_some() || machine.exit_code().is_some();
            let start = script.given;
            self.note(None, notices, &start);
            if !has_ended {
                let state = self.steps.components.state(&machine);
                let (id, is_new) = self.table.insert(&state, None);
                if is_new {
                    self.findings.starts.insert(id, start);
                }
            }
        }
    }

    fn run(&mut self, keep_going: &mut dyn FnMut(&ProofProgress) -> bool) {
        let mut next: StateId = 0;
        let mut interpreted = 0;
        while (next as usize) < self.table.len() && !self.is_done() {
            let is_due = self.steps.effort.learnt >= interpreted + INTERPRETED_PACE;
            if is_due || (next as usize).is_multiple_of(PACE) {
                interpreted = self.steps.effort.learnt;
                let progress = ProofProgress {
                    states: self.table.len(),
                    open: self.table.len() - next as usize,
                    violations: self.findings.violations.len(),
                };
                if !keep_going(&progress) {
                    self.proof.interrupted = Some(Interruption::Asked);
                    break;
                }
                if self.table.bytes() + self.steps.bytes() > self.options.memory
                    || self.table.len() > u32::MAX as usize - (1 << 20)
                {
                    self.proof.interrupted = Some(Interruption::States);
                    break;
                }
            }
            self.expand(next);
            next += 1;
        }
    }

    fn is_done(&self) -> bool {
        if self.steps.is_open_needed || self.steps.has_too_many_answers {
            return true;
        }
        let has_found = !self.findings.violations.is_empty() || !self.proof.unsupported.is_empty();
        !self.options.find_all && has_found
    }

    /// Takes all steps from a state.
    fn expand(&mut self, id: StateId) {
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
        let mut is_stuck = true;
        let mut alone = None;
        for (thread, content) in &threads {
            let steps = &mut choices[*thread];
            steps.clear();
            if self.may_step(*thread, *content) {
                self.steps.of(&row, *thread, steps);
                steps.retain(|step| step.fate != Fate::Waits);
            }
            if !self.steps.notices.is_empty() {
                self.note_steps(id);
            }
            is_stuck &= steps.is_empty();
            if self.may_go_alone(&row, &threads, *thread, steps) {
                alone = Some(*thread);
                break;
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
            self.check(&row, chosen.start, &choices[chosen.clone()]);
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
    ) -> bool {
        match &self.steps.alone {
            Some(alone) if !steps.is_empty() => {
                alone.may_go(&self.steps.components, row, threads, thread, steps)
            }
            _ => false,
        }
    }

    fn may_step(&mut self, thread: usize, content: u32) -> bool {
        let thread = &self.steps.components.owned(thread, content).thread;
        !thread.is_finished() && !thread.is_stuck()
    }

    fn go(&mut self, id: StateId, row: &[u32], thread: usize, choice: usize, step: &Step) {
        self.proof.steps += 1;
        let mut successor = std::mem::take(&mut self.successor);
        self.apply(row, step, &mut successor);
        let origin = Origin {
            from: id,
            thread: thread as u16,
            choice: choice as u16,
        };
        self.table.insert(&successor, Some(origin));
        self.successor = successor;
    }

    fn apply(&self, row: &[u32], step: &Step, successor: &mut Vec<u32>) {
        successor.clear();
        successor.extend_from_slice(row);
        for (slot, content) in &step.changes {
            self.steps.components.set(successor, *slot, *content);
        }
        self.steps.components.trim(successor);
    }

    // What is noticed.

    fn note_steps(&mut self, id: StateId) {
        for (thread, notices) in std::mem::take(&mut self.steps.notices) {
            let answers = notices.answers.clone();
            self.note(Some((id, thread)), notices, &answers);
        }
    }

    /// Takes note of what happened in a step, or at the start.
    fn note(&mut self, step: Option<(StateId, usize)>, notices: Notices, answers: &[u128]) {
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
            let (table, steps) = (&self.table, &mut self.steps);
            self.findings.report(table, steps, step, answers, &kind);
        }
    }

    /// No thread can go on.
    fn note_dead_end(&mut self, id: StateId, row: &[u32]) {
        let machine = self.steps.components.machine(row);
        match machine.deadlock() {
            Some(Stop::Violation(violation)) => {
                let kind = violation.signature();
                let (table, steps) = (&self.table, &mut self.steps);
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
            let (table, steps) = (&self.table, &mut self.steps);
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
        if thread.is_finished() || thread.is_stuck() {
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
                let (table, steps) = (&self.table, &mut self.steps);
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
    fn check(&mut self, row: &[u32], first: usize, choices: &[Vec<Rc<Step>>]) {
        for (thread, steps) in (first..).zip(choices) {
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
                    self.apply(row, step, &mut remembered);
                    if state != remembered {
                        let what = format!("a step of thread {thread} is not as remembered");
                        self.proof.mistakes.push(what);
                    }
                }
            }
            self.steps.components.footprint.take();
        }
    }

    fn finish(mut self) -> Proof {
        let mut proof = self.proof;
        if self.steps.has_too_many_answers {
            proof.interrupted = proof.interrupted.or(Some(Interruption::States));
        }
        proof.stopped_early = proof.interrupted.is_none()
            && !self.options.find_all
            && (!self.findings.violations.is_empty() || !proof.unsupported.is_empty());
        proof.states = self.table.len();
        proof.interpreted = self.steps.effort.learnt;
        proof.state_bytes = self.table.bytes();
        proof.bytes = self.table.bytes() + self.steps.bytes();
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
