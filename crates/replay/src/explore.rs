//! Exhaustive enumeration of all runs within bounds: the oracle for everything
//! that reasons about runs without executing them.
//!
//! A *schedule* here is a path from the start to a leaf of the tree of choices:
//! at each point any enabled thread may take its next visible step, as long as
//! the bounds on contexts and rounds permit a switch, and each input may take
//! any value of its domain. A leaf is the end of the process, a violation that
//! cannot be survived, a failed assumption, a bound.
//!
//! With `merge` (the default), a state that has been explored before is not
//! explored again; its schedules are only counted. That is exact: the numbers
//! are those of the full tree. Paths that come back to a state of their own are
//! cut there and reported as endless, since nothing new can follow.

use crate::conclusion::Conclusion;
use crate::image::Image;
use crate::inputs::{Domain, InputKind, Inputs, NoInput, Request};
use crate::machine::{Config, Cut, Excluded, Machine, Stop, UnknownCall, Unsupported};
use crate::schedule::{Options, Schedule};
use crate::thread::Stuck;
use crate::value::truncate;
use crate::violation::{Signature, Violation, ViolationKind};
use analysis::Site;
use ir::FunctionId;
use library::{MemoryModel, Undefined};
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Debug)]
pub struct Bounds {
    /// Runs of steps of one thread, in the whole schedule.
    pub contexts: Option<u32>,
    /// Rounds of the whole schedule: within a round every thread has at most one
    /// context, in the order in which the threads were created.
    pub rounds: Option<u32>,
    /// Visible steps of each thread.
    pub steps: Option<u64>,
    /// Values that inputs without a fixed set of choices may take.
    pub inputs: Vec<u128>,
    /// States to remember before giving up.
    pub max_states: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            contexts: None,
            rounds: None,
            steps: None,
            inputs: vec![0, 1],
            max_states: 20_000_000,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// Go on after the first violation, to the end.
    pub find_all: bool,
    /// Recognise states that have been seen before.
    pub merge: bool,
}

/// Numbers of schedules, by how they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub schedules: u128,
    /// Ending in a violation that was asked for.
    pub violating: u128,
    /// Cut by a bound.
    pub cut: u128,
    /// Ended by an assumption.
    pub assumed: u128,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.schedules = self.schedules.saturating_add(other.schedules);
        self.violating = self.violating.saturating_add(other.violating);
        self.cut = self.cut.saturating_add(other.cut);
        self.assumed = self.assumed.saturating_add(other.assumed);
    }
}

/// A bound that ended at least one schedule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    Contexts(u32),
    Rounds(u32),
    Steps(u64),
    Run(Cut),
    /// Inputs were not tried with all their values.
    Inputs,
    Excluded(Excluded),
    /// One layout of memory was looked at, and what happens at this place may
    /// depend on it. For those who know the program to say.
    Layout(Site),
    /// Threads agreed on what happened first, which this place does not ask for.
    /// Likewise for others to say.
    Orders(Site),
    /// A function that nobody knows was called, and was taken to change nothing.
    UnknownCall(FunctionId, Site),
}

/// Why an exploration ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// There are more states than may be remembered.
    States,
    /// Whoever waits did not want to wait any longer.
    Asked,
}

/// A violation and how to get there.
#[derive(Clone, Debug)]
pub struct Found {
    pub violation: Violation,
    pub schedule: Schedule,
}

#[derive(Clone, Debug, Default)]
pub struct Exploration {
    pub count: Count,
    /// One for each kind and place.
    pub violations: Vec<Found>,
    /// The same in runs that went through calls of functions which nobody knows, if
    /// what those do is only assumed.
    pub dependent: Vec<(Found, Vec<UnknownCall>)>,
    pub limits: BTreeSet<Limit>,
    /// Some schedules go on for ever.
    pub is_endless: bool,
    pub unsupported: Vec<Unsupported>,
    /// Undefined behaviour that was met but not asked for.
    pub undefined: BTreeSet<ViolationKind>,
    /// Kinds of inputs that were not tried with all their values.
    pub sampled: BTreeSet<InputKind>,
    /// Why the exploration ended before its time.
    pub interrupted: Option<Interruption>,
    /// It ended because it had found what it looked for, so the count is not that
    /// of all schedules.
    pub stopped_early: bool,
    pub states: usize,
    /// The memory model of all this.
    pub memory_model: MemoryModel,
    /// Under a weak one: how many different executions there are, whatever the order
    /// in which their steps are taken.
    pub executions: Option<usize>,
    /// Bytes of memory for states, where they are kept.
    pub state_bytes: usize,
}

impl Exploration {
    /// In a word.
    pub fn conclusion(&self) -> Conclusion {
        if !self.violations.is_empty() {
            Conclusion::Violated
        } else if self.interrupted.is_some()
            || !self.unsupported.is_empty()
            || !self.dependent.is_empty()
        {
            Conclusion::Unknown
        } else if self.is_complete() {
            Conclusion::Safe
        } else {
            Conclusion::SafeWithinBounds
        }
    }

    /// Everything there is was seen, and nothing was cut.
    pub fn is_complete(&self) -> bool {
        self.interrupted.is_none()
            && self.limits.is_empty()
            && self.unsupported.is_empty()
            && self.undefined.is_empty()
    }
}

/// How far an exploration has got, for those who wait.
pub struct Progress {
    pub states: usize,
    pub depth: usize,
    pub violations: usize,
}

/// Explores the program. `keep_going` is asked now and then whether to go on.
pub fn explore(
    image: &Image,
    config: &Config,
    digest: u64,
    bounds: &Bounds,
    mode: Mode,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
) -> Exploration {
    let watch = &mut |_: &Machine, _: Option<&Stop>| {};
    explore_watched(image, config, digest, bounds, mode, keep_going, watch)
}

/// Is told of every state that an exploration comes to, and of what ended the step
/// that led there, if something did.
pub type Watch<'w> = dyn FnMut(&Machine, Option<&Stop>) + 'w;

/// Explores the program, and lets `watch` look at every state. It sees a state
/// again whenever another path leads there.
pub fn explore_watched(
    image: &Image,
    config: &Config,
    digest: u64,
    bounds: &Bounds,
    mode: Mode,
    keep_going: &mut dyn FnMut(&Progress) -> bool,
    watch: &mut Watch,
) -> Exploration {
    let mut explorer = Explorer {
        image,
        config,
        digest,
        bounds,
        mode,
        watch,
        memory: HashMap::new(),
        path: Vec::new(),
        result: Exploration::default(),
        known_sites: BTreeSet::new(),
        known_dependent_sites: BTreeSet::new(),
        executions: BTreeSet::new(),
        work: 0,
    };
    explorer.run(keep_going);
    explorer.finish()
}

struct Explorer<'a, 'w> {
    image: &'a Image<'a>,
    config: &'a Config,
    digest: u64,
    bounds: &'a Bounds,
    mode: Mode,
    watch: &'w mut Watch<'w>,
    /// What follows from each state; `None` while it is being explored.
    memory: HashMap<u128, Option<Count>>,
    /// The threads that took the steps up to the current state.
    path: Vec<usize>,
    result: Exploration,
    known_sites: BTreeSet<Signature>,
    known_dependent_sites: BTreeSet<Signature>,
    /// Those that have come to an end, by what tells them apart.
    executions: BTreeSet<u128>,
    work: u64,
}

/// A state whose choices are being tried one after the other.
struct Node<'a> {
    machine: Machine<'a>,
    key: u128,
    used: Used,
    choices: Vec<usize>,
    /// The choice being tried.
    current: usize,
    inputs: Enumeration,
    count: Count,
}

/// What a path has used of the bounds on switches.
#[derive(Clone, Copy)]
struct Used {
    contexts: u32,
    rounds: u32,
}

impl Used {
    /// The same with one more step, of `thread` after one of `last`.
    fn with_step(self, last: usize, thread: usize) -> Used {
        Used {
            contexts: self.contexts + u32::from(thread != last),
            // Within a round, the numbers of threads only grow.
            rounds: self.rounds + u32::from(thread < last),
        }
    }
}

/// What a step has led to.
enum Next<'a> {
    Leaf(Count),
    Node(Box<Node<'a>>),
}

impl<'a> Explorer<'a, '_> {
    fn run(&mut self, keep_going: &mut dyn FnMut(&Progress) -> bool) {
        let mut inputs = Enumeration::default();
        loop {
            self.check_limits(0, keep_going);
            inputs.restart(&self.bounds.inputs);
            let (mut machine, started) =
                Machine::start(self.image, self.config, &mut inputs, false);
            self.note_inputs(&inputs);
            self.note_violations(&mut machine);
            let used = Used {
                contexts: 1,
                rounds: 1,
            };
            let count = match self.enter(machine, started, used) {
                Next::Leaf(count) => count,
                Next::Node(root) => self.search(*root, keep_going),
            };
            self.result.count.add(&count);
            if self.is_done() || !inputs.advance() {
                break;
            }
        }
        self.result.states = self.memory.len();
        self.result.stopped_early = self.is_done();
    }

    fn finish(self) -> Exploration {
        let memory_model = self.config.surroundings.memory_model;
        let is_weak = memory_model != MemoryModel::Sc;
        Exploration {
            memory_model,
            executions: is_weak.then_some(self.executions.len()),
            ..self.result
        }
    }

    fn is_done(&self) -> bool {
        self.result.interrupted.is_some()
            || (!self.mode.find_all && !self.result.violations.is_empty())
            // There is no verdict any more, whatever else may be found.
            || !self.result.unsupported.is_empty() && !self.mode.find_all
    }

    /// Depth-first search below a state.
    fn search(&mut self, root: Node<'a>, keep_going: &mut dyn FnMut(&Progress) -> bool) -> Count {
        let mut stack = vec![root];
        let mut finished = Count::default();
        while let Some(node) = stack.last_mut() {
            if node.current >= node.choices.len() || self.is_done() {
                let count = node.count;
                if self.mode.merge {
                    self.memory.insert(node.key, Some(count));
                }
                stack.pop();
                self.path.truncate(stack.len().saturating_sub(1));
                match stack.last_mut() {
                    Some(parent) => parent.count.add(&count),
                    None => finished = count,
                }
                continue;
            }
            let depth = self.path.len();
            self.check_limits(depth, keep_going);
            match self.try_choice(stack.last_mut()) {
                Some(Next::Node(child)) => stack.push(*child),
                Some(Next::Leaf(count)) => {
                    self.path.truncate(stack.len() - 1);
                    if let Some(node) = stack.last_mut() {
                        node.count.add(&count);
                    }
                }
                None => {}
            }
        }
        finished
    }

    fn check_limits(&mut self, depth: usize, keep_going: &mut dyn FnMut(&Progress) -> bool) {
        self.work += 1;
        if self.memory.len() >= self.bounds.max_states {
            self.result.interrupted = Some(Interruption::States);
        }
        if self.work.is_multiple_of(16) {
            let progress = Progress {
                states: self.memory.len(),
                depth,
                violations: self.result.violations.len(),
            };
            if !keep_going(&progress) {
                self.result.interrupted = Some(Interruption::Asked);
            }
        }
    }

    /// Takes the next step that has not been tried from a state.
    fn try_choice(&mut self, node: Option<&mut Node<'a>>) -> Option<Next<'a>> {
        let node = node?;
        let thread = node.choices[node.current];
        let used = node.used.with_step(self.last_thread(), thread);
        let mut machine = node.machine.clone();
        node.inputs.restart(&self.bounds.inputs);
        self.path.push(thread);
        let result = machine.step(thread, &mut node.inputs);
        self.note_inputs(&node.inputs);
        if !node.inputs.advance() {
            node.current += 1;
            node.inputs = Enumeration::default();
        }
        self.note_violations(&mut machine);
        Some(self.enter(machine, result, used))
    }

    /// Whose context it is. Main has the first, even before it has taken a step.
    fn last_thread(&self) -> usize {
        self.path.last().copied().unwrap_or(0)
    }

    fn note_inputs(&mut self, inputs: &Enumeration) {
        if !inputs.sampled.is_empty() {
            self.result.limits.insert(Limit::Inputs);
            self.result.sampled.extend(&inputs.sampled);
        }
    }

    fn note_violations(&mut self, machine: &mut Machine<'a>) {
        for violation in machine.take_noticed() {
            self.found(machine, violation);
        }
        for excluded in machine.excluded() {
            self.result.limits.insert(Limit::Excluded(*excluded));
        }
        for stuck in machine.stuck() {
            match stuck {
                Stuck::Undefined(kind) => {
                    self.result.undefined.insert(*kind);
                }
                Stuck::Endless {
                    function,
                    is_certain: false,
                } => {
                    let cut = Cut::LocalWork(function.clone());
                    self.result.limits.insert(Limit::Run(cut));
                }
                Stuck::Endless { .. } | Stuck::Assumption => {}
            }
        }
        if self.config.surroundings.undefined == Undefined::Assumed {
            for call in machine.unknown_calls() {
                let limit = Limit::UnknownCall(call.function, call.site);
                self.result.limits.insert(limit);
            }
        }
    }

    fn found(&mut self, machine: &Machine<'a>, violation: Violation) {
        let is_dependent = machine.depends_on_unknown();
        let known_sites = match is_dependent {
            true => &mut self.known_dependent_sites,
            false => &mut self.known_sites,
        };
        if !known_sites.insert(violation.signature()) {
            return;
        }
        let mut schedule = Schedule {
            digest: self.digest,
            options: Options::of(self.config),
            contexts: Vec::new(),
            inputs: machine.inputs().to_vec(),
        };
        for thread in &self.path {
            schedule.push_step(*thread);
        }
        let found = Found {
            violation,
            schedule,
        };
        match is_dependent {
            true => {
                let calls = machine.unknown_calls().to_vec();
                self.result.dependent.push((found, calls));
            }
            false => self.result.violations.push(found),
        }
    }

    /// Looks at a state for the first time.
    fn enter(&mut self, machine: Machine<'a>, result: Result<(), Stop>, used: Used) -> Next<'a> {
        (self.watch)(&machine, result.as_ref().err());
        self.note_execution(&machine, result.as_ref().err());
        if let Err(stop) = result {
            return Next::Leaf(self.leaf(&machine, stop));
        }
        let one = Count {
            schedules: 1,
            ..Count::default()
        };
        if machine.exit_code().is_some() {
            return Next::Leaf(one);
        }
        let enabled: Vec<usize> = (0..machine.thread_count())
            .filter(|thread| machine.is_enabled(*thread))
            .collect();
        if enabled.is_empty() {
            return Next::Leaf(match machine.deadlock() {
                Some(stop) => self.leaf(&machine, stop),
                None => {
                    let is_assumed = machine.stuck().any(|stuck| *stuck == Stuck::Assumption);
                    let assumed = u128::from(is_assumed);
                    Count { assumed, ..one }
                }
            });
        }
        let choices = self.within_bounds(&machine, enabled, used);
        if choices.is_empty() {
            let cut = 1;
            return Next::Leaf(Count { cut, ..one });
        }
        let key = self.key(&machine, used);
        if self.mode.merge {
            match self.memory.get(&key) {
                Some(Some(count)) => return Next::Leaf(*count),
                Some(None) => {
                    self.result.is_endless = true;
                    return Next::Leaf(one);
                }
                None => {
                    self.memory.insert(key, None);
                }
            }
        }
        Next::Node(Box::new(Node {
            machine,
            key,
            used,
            choices,
            current: 0,
            inputs: Enumeration::default(),
            count: Count::default(),
        }))
    }

    /// Remembers what an execution was like that has come to its end.
    fn note_execution(&mut self, machine: &Machine<'a>, stop: Option<&Stop>) {
        let Some(weak) = &machine.weak else {
            return;
        };
        let is_over = match stop {
            None => {
                machine.exit_code().is_some()
                    || (0..machine.thread_count()).all(|thread| !machine.is_enabled(thread))
            }
            Some(Stop::Cut(_) | Stop::Unsupported(_) | Stop::NoInput(_)) => false,
            Some(_) => true,
        };
        if is_over {
            self.executions.insert(weak.digest());
        }
    }

    /// The threads that may step without going beyond a bound.
    fn within_bounds(
        &mut self,
        machine: &Machine<'a>,
        mut allowed: Vec<usize>,
        used: Used,
    ) -> Vec<usize> {
        let last = self.last_thread();
        if let Some(bound) = self.bounds.contexts
            && keep(&mut allowed, |id| {
                used.with_step(last, id).contexts <= bound
            })
        {
            self.result.limits.insert(Limit::Contexts(bound));
        }
        if let Some(bound) = self.bounds.rounds
            && keep(&mut allowed, |id| used.with_step(last, id).rounds <= bound)
        {
            self.result.limits.insert(Limit::Rounds(bound));
        }
        if let Some(bound) = self.bounds.steps
            && keep(&mut allowed, |id| machine.thread(id).steps < bound)
        {
            self.result.limits.insert(Limit::Steps(bound));
        }
        allowed
    }

    fn leaf(&mut self, machine: &Machine<'a>, stop: Stop) -> Count {
        let mut count = Count {
            schedules: 1,
            ..Count::default()
        };
        match stop {
            Stop::Violation(violation) => {
                count.violating = 1;
                self.found(machine, *violation);
            }
            Stop::Undefined(kind) => {
                self.result.undefined.insert(kind);
            }
            Stop::Assumption => count.assumed = 1,
            Stop::Aborted | Stop::Endless(_) => {}
            Stop::Cut(cut) => {
                count.cut = 1;
                self.result.limits.insert(Limit::Run(cut));
            }
            Stop::Unsupported(unsupported) => {
                if !self.result.unsupported.contains(&unsupported) {
                    self.result.unsupported.push(unsupported);
                }
            }
            // The enumeration answers every request.
            Stop::NoInput(_) => {}
        }
        count
    }

    /// Identifies a state together with what is left of the bounds.
    fn key(&self, machine: &Machine<'a>, used: Used) -> u128 {
        if !self.mode.merge {
            return 0;
        }
        let last = self.path.last();
        let contexts = self.bounds.contexts.map(|_| (used.contexts, last));
        let rounds = self.bounds.rounds.map(|_| (used.rounds, last));
        let steps: Vec<u64> = match self.bounds.steps {
            Some(_) => (0..machine.thread_count())
                .map(|thread| machine.thread(thread).steps)
                .collect(),
            None => Vec::new(),
        };
        // What comes after depends on it, in a sense.
        let dependent = machine.depends_on_unknown();
        let used = (contexts, rounds, steps);
        crate::fingerprint::Fingerprint::of(&(machine.fingerprint(), dependent, used))
    }
}

/// Keeps the threads that a bound allows; true if there were others.
fn keep(threads: &mut Vec<usize>, is_allowed: impl Fn(usize) -> bool) -> bool {
    let before = threads.len();
    threads.retain(|thread| is_allowed(*thread));
    threads.len() < before
}

/// Enumerates all answers to the requests of one step: each round gives the
/// answers that come next in the order of all sequences.
#[derive(Default)]
struct Enumeration {
    /// For each request of the last round, its domain and the index chosen.
    answers: Vec<(Vec<u128>, usize)>,
    next: usize,
    samples: Vec<u128>,
    /// Kinds of requests that have more answers than are tried.
    sampled: BTreeSet<InputKind>,
}

impl Enumeration {
    fn restart(&mut self, samples: &[u128]) {
        self.next = 0;
        self.sampled.clear();
        if self.samples != samples {
            self.samples = samples.to_vec();
        }
    }

    /// Moves on to the next sequence of answers; false if there is none.
    fn advance(&mut self) -> bool {
        self.answers.truncate(self.next);
        while let Some((domain, index)) = self.answers.last_mut() {
            *index += 1;
            if *index < domain.len() {
                return true;
            }
            self.answers.pop();
        }
        false
    }

    fn domain(&self, domain: Domain) -> Vec<u128> {
        match domain {
            Domain::Below(count) => (0..u128::from(count)).collect(),
            Domain::Pointer(_) => vec![0],
            Domain::Bits(width) => {
                let mut values: Vec<u128> = Vec::new();
                for sample in &self.samples {
                    let value = truncate(*sample, width);
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                values
            }
        }
    }
}

impl Inputs for Enumeration {
    fn choose(&mut self, request: &Request) -> Result<u128, NoInput> {
        if self.next == self.answers.len() {
            let domain = self.domain(request.domain);
            self.answers.push((domain, 0));
        }
        let (domain, index) = &self.answers[self.next];
        self.next += 1;
        let all = match request.domain {
            Domain::Below(count) => u128::from(count),
            Domain::Bits(width) | Domain::Pointer(width) => {
                1u128.checked_shl(width).unwrap_or(u128::MAX)
            }
        };
        if (domain.len() as u128) < all {
            self.sampled.insert(request.kind);
        }
        match domain.get(*index) {
            Some(value) => Ok(*value),
            None => Err(NoInput("the domain of inputs is empty".to_owned())),
        }
    }
}
