//! What steps do, remembered.
//!
//! A step of a thread does the same in all states that agree on its thread and on
//! what it looks at. So the first time it is taken by the interpreter, and what it
//! looked at is kept as a path of questions, with what came of it at the end. Later
//! it is enough to answer the questions: look-ups in a state. Each thread content
//! has a tree of such paths. Answers to inputs are questions too; all of them are
//! tried.
//!
//! A step that looks at too much is taken by the interpreter every time.
//!
//! **Loops that ask for inputs.** A thread may go round in a loop and ask for inputs
//! each time without anybody noticing: one step with answers without end. So wherever
//! it begins another round it is seen what has become of the state so far. If it has
//! come there before, by other answers, then whatever follows follows there too, and
//! the way is given up. Somebody has to get out of the loop; if nobody does, that is too
//! much to try.

use super::alone::Alone;
use super::claims::Claim;
use super::components::{ABSENT, Components, Slot, SlotIndex};
use super::dead::DeadMemory;
use super::inputs::{Samples, Script};
use super::questions::{Asked, Question};
use super::symmetry::Symmetry;
use crate::coverage::Coverage;
use crate::footprint::Look;
use crate::inputs::InputKind;
use crate::machine::{Excluded, Machine, Stop, UnknownCall};
use crate::object::{Area, ObjectId};
use crate::thread::{Access, Stuck};
use crate::violation::Violation;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

type NodeId = u32;

#[derive(Clone, Debug)]
enum Node {
    Unknown,
    Asks(Question, Vec<(u32, NodeId)>),
    /// An input: one for each answer.
    Chooses(Vec<NodeId>),
    Ends(Rc<Step>),
    /// It leads to where other answers have led already.
    Dropped,
    /// To be taken by the interpreter each time.
    Opaque,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It has to wait.
    Waits,
    /// It leads to another state.
    Goes,
    /// The process is over, or the run cannot go on.
    Ends,
    /// It leads to where other answers have led already.
    Dropped,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Tells it from all others.
    pub number: u64,
    pub fate: Fate,
    /// The slots that get other contents.
    pub changes: Box<[(SlotIndex, u32)]>,
    /// The shared memory that it accesses.
    pub accesses: Box<[Access]>,
    /// It was over before the thread had made its accesses.
    pub is_cut_short: bool,
    /// The answers to the inputs that it asks for.
    pub answers: Box<[u128]>,
    /// Which of them says who is woken by a signal, if one does.
    pub waiter: Option<usize>,
    /// What it does, unless it must never go alone.
    pub claim: Option<Claim>,
}

/// What the interpreter noticed while it took a step for the first time.
#[derive(Default)]
pub(super) struct Notices {
    pub violations: Vec<Violation>,
    pub stop: Option<Stop>,
    pub stuck: Vec<Stuck>,
    pub excluded: Vec<Excluded>,
    pub unknown_calls: Vec<UnknownCall>,
    /// Kinds of inputs that have more answers than are tried.
    pub sampled: BTreeSet<InputKind>,
    /// The answers that led there.
    pub answers: Vec<u128>,
}

/// How often the interpreter was needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effort {
    pub learnt: u64,
    pub opaque: u64,
}

pub(super) struct Steps<'a> {
    pub components: Components<'a>,
    pub coverage: Coverage,
    pub alone: Option<Alone<'a>>,
    /// If threads may be exchanged for each other.
    pub symmetry: Option<Symmetry>,
    /// If what nobody reads is forgotten.
    pub dead: Option<DeadMemory>,
    listed: Vec<(usize, u32)>,
    pub found: Vec<Rc<Step>>,
    /// Values to try of inputs that have too many.
    pub samples: Rc<Samples>,
    nodes: Vec<Node>,
    /// The values of the inputs at nodes.
    chosen: HashMap<NodeId, Vec<u128>>,
    /// By thread and content.
    roots: Vec<Vec<NodeId>>,
    pub effort: Effort,
    /// Kinds of inputs that were left open.
    pub left_open: BTreeSet<InputKind>,
    /// Numbers at which some of them were told apart.
    pub points: BTreeSet<u64>,
    /// Where something depended on them, both ways were taken: not all that was found
    /// need be so.
    pub has_decided: bool,
    /// Some of these may contradict each other.
    pub has_guessed: bool,
    /// Something depends on one of them, so values are needed.
    pub is_open_needed: bool,
    /// A step asks for more than can be tried.
    pub has_too_many_answers: bool,
    pub notices: Vec<(usize, Notices)>,
    /// Where it was asked for synchronisation objects that are not known yet: if
    /// one comes to be known there, nothing remembered is right any more.
    pub asked_objects: HashSet<ObjectId>,
    pub asked_stacks: HashSet<usize>,
    /// Where loops that ask for inputs were begun anew in the current step, and whether
    /// anything was looked at after the first input.
    rounds: HashMap<Vec<(SlotIndex, u32)>, bool>,
    known_slots: usize,
    /// How often all was forgotten.
    epoch: u64,
    bytes: usize,
}

const NO_NODE: NodeId = 0;

/// Ways to answer what one step asks for, at most.
pub(super) const MOST_ANSWERS: usize = 300;

impl<'a> Steps<'a> {
    pub(super) fn new(
        components: Components<'a>,
        alone: Option<Alone<'a>>,
        symmetry: Option<Symmetry>,
        dead: Option<DeadMemory>,
        samples: &Samples,
    ) -> Self {
        let known_slots = components.slot_count();
        Steps {
            components,
            coverage: Coverage::default(),
            alone,
            symmetry,
            dead,
            listed: Vec::new(),
            found: Vec::new(),
            samples: Rc::new(samples.clone()),
            nodes: vec![Node::Unknown],
            chosen: HashMap::new(),
            roots: Vec::new(),
            effort: Effort::default(),
            left_open: BTreeSet::new(),
            points: BTreeSet::new(),
            has_decided: false,
            has_guessed: false,
            is_open_needed: false,
            has_too_many_answers: false,
            notices: Vec::new(),
            asked_objects: HashSet::new(),
            asked_stacks: HashSet::new(),
            rounds: HashMap::new(),
            known_slots,
            epoch: 0,
            bytes: 0,
        }
    }

    /// Memory for what is remembered, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.components.bytes() + self.bytes + 48 * self.nodes.len()
    }

    fn new_node(&mut self) -> NodeId {
        self.nodes.push(Node::Unknown);
        (self.nodes.len() - 1) as NodeId
    }

    fn root(&mut self, thread: usize, content: u32) -> NodeId {
        if self.roots.len() <= thread {
            self.roots.resize_with(thread + 1, Vec::new);
        }
        let content = content as usize;
        if self.roots[thread].len() <= content {
            self.roots[thread].resize(content + 1, NO_NODE);
        }
        if self.roots[thread][content] == NO_NODE {
            let node = self.new_node();
            self.roots[thread][content] = node;
        }
        self.roots[thread][content]
    }

    /// The steps that a thread may take in a state, one for each way to answer what
    /// it asks for. `found` gets them in an order that depends on the state only.
    pub(super) fn of(&mut self, state: &[u32], thread: usize, found: &mut Vec<Rc<Step>>) {
        let slot = match self.components.thread_slot(thread) {
            Some(slot) => slot,
            None => return,
        };
        let content = self.components.get(state, slot);
        if content == ABSENT {
            return;
        }
        self.forget_what_new_slots_change();
        self.rounds.clear();
        let root = self.root(thread, content);
        // Most steps have one path only.
        let mut open: Vec<(NodeId, Vec<u128>)> = Vec::new();
        let mut node = root;
        let mut answers: Vec<u128> = Vec::new();
        loop {
            match &self.nodes[node as usize] {
                Node::Ends(_) | Node::Dropped => {
                    if let Node::Ends(step) = &self.nodes[node as usize] {
                        found.push(step.clone());
                    }
                    self.has_too_many_answers |= found.len() > MOST_ANSWERS;
                    match open.pop() {
                        Some(next) if !self.has_too_many_answers => (node, answers) = next,
                        _ => break,
                    }
                }
                Node::Asks(question, children) => {
                    let question = *question;
                    let answer = match question {
                        Question::Content(slot) => self.components.get(state, slot),
                        Question::Header(slot) => {
                            self.components.header(self.components.get(state, slot))
                        }
                        _ => 0,
                    };
                    let is_slot = matches!(question, Question::Content(_) | Question::Header(_));
                    if is_slot
                        && let Some((_, child)) =
                            children.iter().find(|(known, _)| *known == answer)
                    {
                        node = *child;
                        continue;
                    }
                    let answer = match is_slot {
                        true => answer,
                        false => self.answer(state, thread, question),
                    };
                    node = self.child(node, answer);
                }
                Node::Chooses(children) => {
                    // The first comes next, the others wait.
                    let children = children.clone();
                    let values = self.values_at(node);
                    for (child, value) in children.iter().zip(&values).skip(1).rev() {
                        let mut answers = answers.clone();
                        answers.push(*value);
                        open.push((*child, answers));
                    }
                    answers.push(values[0]);
                    node = children[0];
                }
                Node::Unknown => {
                    let epoch = self.epoch;
                    self.take(state, thread, &answers, Some(root));
                    // It may have been forgotten again, with all others.
                    if self.epoch != epoch {
                        found.clear();
                        return self.of(state, thread, found);
                    }
                    if matches!(self.nodes[node as usize], Node::Unknown) {
                        // Not as foreseen: then nothing is remembered at all.
                        self.nodes[root as usize] = Node::Opaque;
                    }
                    if matches!(self.nodes[root as usize], Node::Opaque) {
                        node = root;
                    }
                }
                Node::Opaque => {
                    found.clear();
                    self.rounds.clear();
                    self.try_all(state, thread, found);
                    break;
                }
            }
        }
        // Nobody gets out of a loop.
        self.has_too_many_answers |= found.is_empty();
    }

    /// Takes note of inputs that were left open, and of what depends on them.
    pub(super) fn note_open(&mut self, looks: &[Look]) {
        for look in looks {
            match look {
                Look::Input(kind, domain, ..) if self.samples.open.has(*kind, *domain) => {
                    self.left_open.insert(*kind);
                }
                Look::Input(InputKind::Decision, ..) => self.has_decided = true,
                Look::Guess => self.has_guessed = true,
                Look::Open => self.is_open_needed = true,
                Look::Points(numbers) => {
                    let ends = numbers.iter().flat_map(|(from, to)| [from, to]);
                    self.points.extend(ends);
                }
                _ => {}
            }
        }
    }

    fn child(&mut self, node: NodeId, answer: u32) -> NodeId {
        let known = match &self.nodes[node as usize] {
            Node::Asks(_, children) => children.iter().find(|(known, _)| *known == answer),
            _ => None,
        };
        if let Some((_, child)) = known {
            return *child;
        }
        let child = self.new_node();
        if let Node::Asks(_, children) = &mut self.nodes[node as usize] {
            children.push((answer, child));
        }
        child
    }

    /// The threads of a state with their contents.
    pub(super) fn threads(&self, state: &[u32]) -> impl Iterator<Item = (usize, u32)> {
        self.components.threads(state)
    }

    /// The state after a step.
    pub(super) fn apply(&self, row: &[u32], step: &Step, successor: &mut Vec<u32>) {
        successor.clear();
        successor.extend_from_slice(row);
        self.take_on(successor, step);
    }

    /// The same in place.
    pub(super) fn take_on(&self, row: &mut Vec<u32>, step: &Step) {
        for (slot, content) in &step.changes {
            self.components.set(row, *slot, *content);
        }
        self.components.trim(row);
    }

    /// Puts a state into the form in which it is kept. Returns for each thread whose
    /// content has moved where the content was, if any has.
    pub(super) fn normalise(&mut self, row: &mut Vec<u32>) -> Option<Vec<(usize, usize)>> {
        self.components.forget_names(row);
        let alone = self.alone.as_mut()?;
        let mut threads = std::mem::take(&mut self.listed);
        threads.clear();
        threads.extend(self.components.threads(row));
        alone.prepare(&mut self.components, &threads);
        if let Some(dead) = &mut self.dead {
            dead.forget(&self.components, alone, &threads, row);
        }
        let moved = self.exchange(&threads, row);
        self.listed = threads;
        moved
    }

    fn values_at(&self, node: NodeId) -> Vec<u128> {
        match self.chosen.get(&node) {
            Some(values) => values.clone(),
            None => vec![0],
        }
    }

    /// Lets the interpreter take all steps that a thread may take.
    fn try_all(&mut self, state: &[u32], thread: usize, found: &mut Vec<Rc<Step>>) {
        let mut open: Vec<Vec<u128>> = vec![Vec::new()];
        while let Some(answers) = open.pop() {
            self.effort.opaque += 1;
            let (step, asked) = self.take(state, thread, &answers, None);
            for (index, values) in asked.iter().enumerate().skip(answers.len()).rev() {
                for value in values.iter().skip(1).rev() {
                    let mut others = step.answers[..index].to_vec();
                    others.push(*value);
                    open.push(others);
                }
            }
            if step.fate != Fate::Dropped {
                found.push(Rc::new(step));
            }
            if found.len() > MOST_ANSWERS {
                self.has_too_many_answers = true;
                return;
            }
        }
    }

    /// Lets the interpreter take a step, with the given answers to the first inputs
    /// that it asks for, and remembers it below `root`. Returns also the values that
    /// each of its inputs may have.
    fn take(
        &mut self,
        state: &[u32],
        thread: usize,
        answers: &[u128],
        root: Option<NodeId>,
    ) -> (Step, Vec<Vec<u128>>) {
        self.effort.learnt += 1;
        let mut before = self.components.machine(state);
        before.leave_open(self.samples.open);
        let mut machine = before.clone();
        self.components.footprint.take();
        let samples = self.samples.clone();
        let mut script = Script::new(answers, &samples);
        let mut notices = Notices::default();
        let mut fate = Fate::Waits;
        let mut is_cut_short = false;
        let mut is_known_round = None;
        if machine.is_enabled(thread) {
            machine.pauses = Some(0);
            let mut result = machine.step(thread, &mut script);
            while machine.take_pause() && result.is_ok() && is_known_round.is_none() {
                // What comes before the last answer that was given has been seen.
                if script.given.len() >= answers.len() {
                    is_known_round = self.known_round(state, &before, &machine, thread);
                }
                script.begin_anew();
                if is_known_round.is_none() {
                    result = machine.resume(thread, &mut script);
                }
            }
            fate = match &result {
                Ok(()) if is_known_round.is_some() => Fate::Dropped,
                Ok(()) if machine.exit_code().is_none() => Fate::Goes,
                _ => Fate::Ends,
            };
            is_cut_short = result.is_err();
            notices.stop = result.err().filter(|_| !script.is_overrun);
            self.has_too_many_answers |= script.is_overrun;
        }
        let looks = self.components.footprint.take();
        self.note_open(&looks);
        notices.violations = machine.take_noticed();
        notices.stuck = new_stuck(&before, &machine);
        notices.excluded = machine.excluded().to_vec();
        notices.unknown_calls = machine.unknown_calls().to_vec();
        notices.sampled = script.sampled;
        notices.answers = script.given.clone();
        if let Some(coverage) = machine.coverage.as_deref() {
            self.coverage.merge(coverage);
        }
        let (changes, is_local) = match fate {
            Fate::Goes => self.components.changes(state, &before, &machine),
            _ => (Vec::new(), true),
        };
        let (questions, is_known) = self.questions(&looks, &before, thread);
        let is_opaque = !is_local || !is_known || is_known_round == Some(Known::Perhaps);
        let claim = match is_opaque || matches!(fate, Fate::Ends | Fate::Dropped) {
            true => None,
            false => self.claim(
                state,
                thread,
                (&before, &machine),
                &looks,
                &questions,
                &changes,
            ),
        };
        let claim = match fate {
            Fate::Waits => claim.and_then(|claim| self.blocked(claim, &before, thread)),
            _ => claim,
        };
        let step = Step {
            claim,
            number: self.effort.learnt,
            fate,
            changes: changes.into(),
            accesses: std::mem::take(&mut machine.accesses).into(),
            is_cut_short,
            answers: script.given.into(),
            waiter: waiter(&looks),
        };
        let has_notices = !notices.violations.is_empty()
            || notices.stop.is_some()
            || !notices.stuck.is_empty()
            || !notices.excluded.is_empty()
            || !notices.unknown_calls.is_empty()
            || !notices.sampled.is_empty();
        if has_notices {
            self.notices.push((thread, notices));
        }
        let epoch = self.epoch;
        self.forget_what_new_slots_change();
        if let Some(root) = root.filter(|_| self.epoch == epoch) {
            let step = (!is_opaque).then(|| step.clone());
            self.remember(root, state, thread, &questions, step);
        }
        (step, script.asked)
    }

    /// A thread has begun another round of a loop: whether it was there before, after
    /// other answers.
    fn known_round(
        &mut self,
        state: &[u32],
        before: &Machine,
        machine: &Machine,
        thread: usize,
    ) -> Option<Known> {
        let looks = self.components.footprint.take();
        let (mut changes, is_local) = self.components.changes(state, before, machine);
        let (asked, is_known) = self.questions(&looks, before, thread);
        self.components.footprint.put_back(looks);
        if !is_local {
            return None;
        }
        // Other states may answer otherwise what is asked after an input, so that only
        // one of two ways leads here.
        let mut after_input = asked
            .iter()
            .skip_while(|asked| matches!(asked, Asked::Question(_)));
        let looks_late = !is_known || after_input.any(|asked| matches!(asked, Asked::Question(_)));
        changes.sort_unstable();
        match self.rounds.entry(changes) {
            Entry::Occupied(known) => Some(match *known.get() || looks_late {
                true => Known::Perhaps,
                false => Known::Surely,
            }),
            Entry::Vacant(new) => {
                new.insert(looks_late);
                None
            }
        }
    }

    fn remember(
        &mut self,
        root: NodeId,
        state: &[u32],
        thread: usize,
        questions: &[Asked],
        step: Option<Step>,
    ) {
        let mut node = root;
        for asked in questions {
            match asked {
                Asked::Question(question) => {
                    if let Node::Unknown = self.nodes[node as usize] {
                        self.nodes[node as usize] = Node::Asks(*question, Vec::new());
                    }
                    match &self.nodes[node as usize] {
                        Node::Asks(known, _) if known == question => {}
                        // The same thread asks for something else first: then nothing
                        // that is remembered about it can be trusted.
                        _ => return self.nodes[root as usize] = Node::Opaque,
                    }
                    let answer = self.answer(state, thread, *question);
                    node = self.child(node, answer);
                }
                Asked::Input(values, value) => {
                    if let Node::Unknown = self.nodes[node as usize] {
                        let children = values.iter().map(|_| self.new_node()).collect();
                        self.nodes[node as usize] = Node::Chooses(children);
                        self.chosen.insert(node, values.clone());
                    }
                    let index = values.iter().position(|other| other == value);
                    match (&self.nodes[node as usize], index) {
                        (Node::Chooses(children), Some(index)) if index < children.len() => {
                            node = children[index];
                        }
                        _ => return self.nodes[root as usize] = Node::Opaque,
                    }
                }
            }
        }
        self.nodes[node as usize] = match (&self.nodes[node as usize], step) {
            (Node::Unknown, Some(step)) if step.fate == Fate::Dropped => Node::Dropped,
            (Node::Unknown, Some(step)) => {
                self.bytes += 96 + 16 * step.changes.len() + 48 * step.accesses.len();
                Node::Ends(Rc::new(step))
            }
            (Node::Unknown | Node::Opaque, None) => Node::Opaque,
            (Node::Ends(_), Some(_)) => return,
            _ => return self.nodes[root as usize] = Node::Opaque,
        };
    }

    fn forget_what_new_slots_change(&mut self) {
        if self.known_slots == self.components.slot_count() {
            return;
        }
        let new = self.known_slots..self.components.slot_count();
        self.known_slots = self.components.slot_count();
        let is_asked = |slot: usize| match self.components.what(slot) {
            Slot::Sync((object, _)) => {
                self.asked_objects.contains(&object)
                    || object.area() == Area::Stack && self.asked_stacks.contains(&object.thread())
            }
            _ => false,
        };
        if new.into_iter().any(is_asked) {
            self.epoch += 1;
            self.nodes.truncate(1);
            self.roots.clear();
            self.chosen.clear();
            self.bytes = 0;
        }
    }
}

/// Whether a thread was where it is before, after other answers: in all states that
/// agree on what is asked before the first input, or in this one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Surely,
    Perhaps,
}

/// Which answer says who is woken.
fn waiter(looks: &[Look]) -> Option<usize> {
    let kinds = looks.iter().filter_map(|look| match look {
        Look::Input(kind, ..) => Some(*kind),
        _ => None,
    });
    kinds.into_iter().position(|kind| kind == InputKind::Waiter)
}

/// Threads that go no further since the step.
fn new_stuck(before: &Machine, after: &Machine) -> Vec<Stuck> {
    let old = before.stuck().count();
    let all: Vec<Stuck> = after.stuck().cloned().collect();
    match all.len() > old {
        true => all,
        false => Vec::new(),
    }
}
