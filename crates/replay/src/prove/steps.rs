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

use super::alone::{Alone, Claim, asks_for_ends, is_progress, releases};
use super::components::{ABSENT, Components, Slot, SlotIndex};
use super::dead::DeadMemory;
use super::inputs::{Samples, Script, choices};
use super::symmetry::Symmetry;
use crate::coverage::Coverage;
use crate::footprint::Look;
use crate::inputs::InputKind;
use crate::machine::{Excluded, Machine, Stop, UnknownCall};
use crate::memory::Memory;
use crate::object::{Area, ObjectId};
use crate::thread::{Access, Stuck, Thread, Wait};
use crate::violation::Violation;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Something to find out about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Question {
    Content(SlotIndex),
    Header(SlotIndex),
    /// Whether a thread may be joined or detached.
    Handle(usize),
    /// Whether a join with it need not wait.
    Ended(usize),
    ThreadCount,
    OthersRunning,
    /// Whether there are freed blocks.
    FreedBlocks,
}

type NodeId = u32;

#[derive(Clone, Debug)]
enum Node {
    Unknown,
    Asks(Question, Vec<(u32, NodeId)>),
    /// An input: one for each answer.
    Chooses(Vec<NodeId>),
    Ends(Rc<Step>),
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
    /// Where something depended on them, both ways were taken: not all that was found
    /// need be so.
    pub has_decided: bool,
    /// Something depends on one of them, so values are needed.
    pub is_open_needed: bool,
    /// A step asks for more than can be tried.
    pub has_too_many_answers: bool,
    pub notices: Vec<(usize, Notices)>,
    /// Where it was asked for synchronisation objects that are not known yet: if
    /// one comes to be known there, nothing remembered is right any more.
    asked_objects: HashSet<ObjectId>,
    asked_stacks: HashSet<usize>,
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
            has_decided: false,
            is_open_needed: false,
            has_too_many_answers: false,
            notices: Vec::new(),
            asked_objects: HashSet::new(),
            asked_stacks: HashSet::new(),
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
        let root = self.root(thread, content);
        // Most steps have one path only.
        let mut open: Vec<(NodeId, Vec<u128>)> = Vec::new();
        let mut node = root;
        let mut answers: Vec<u128> = Vec::new();
        loop {
            match &self.nodes[node as usize] {
                Node::Ends(step) => {
                    found.push(step.clone());
                    if found.len() > MOST_ANSWERS {
                        self.has_too_many_answers = true;
                        return;
                    }
                    match open.pop() {
                        Some(next) => (node, answers) = next,
                        None => return,
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
                    self.try_all(state, thread, found);
                    return;
                }
            }
        }
    }

    /// Takes note of inputs that were left open, and of what depends on them.
    pub(super) fn note_open(&mut self, looks: &[Look]) {
        for look in looks {
            match look {
                Look::Input(kind, domain, ..) if self.samples.open.has(*kind, *domain) => {
                    self.left_open.insert(*kind);
                }
                Look::Input(InputKind::Decision, ..) => self.has_decided = true,
                Look::Open => self.is_open_needed = true,
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

    fn answer(&mut self, state: &[u32], thread: usize, question: Question) -> u32 {
        match question {
            Question::Content(slot) => self.components.get(state, slot),
            Question::Header(slot) => self.components.header(self.components.get(state, slot)),
            Question::Handle(other) => self.thread_fact(state, other, |thread| {
                u32::from(thread.is_joined) << 1 | u32::from(thread.is_detached)
            }),
            Question::Ended(other) => self.thread_fact(state, other, |thread| {
                u32::from(thread.is_finished() || thread.is_joined || thread.is_detached)
            }),
            Question::ThreadCount => self.threads(state).count() as u32,
            Question::OthersRunning => {
                let others: Vec<(usize, u32)> = self.threads(state).collect();
                let mut others = others.into_iter().filter(|(other, _)| *other != thread);
                u32::from(others.any(|(other, content)| {
                    !self.components.owned(other, content).thread.is_finished()
                }))
            }
            Question::FreedBlocks => u32::from(self.components.has_freed_blocks(state)),
        }
    }

    fn thread_fact(&mut self, state: &[u32], thread: usize, of: impl Fn(&Thread) -> u32) -> u32 {
        let slot = self.components.thread_slot(thread);
        let content = slot.map_or(ABSENT, |slot| self.components.get(state, slot));
        match content {
            ABSENT => u32::MAX,
            content => of(&self.components.owned(thread, content).thread),
        }
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
            found.push(Rc::new(step));
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
        if machine.is_enabled(thread) {
            let result = machine.step(thread, &mut script);
            fate = match &result {
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
        let is_opaque = !is_local || !is_known;
        let claim = match is_opaque || fate == Fate::Ends {
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

    /// What a step has done, for those who ask whether it may go alone; nothing if it
    /// surely may not.
    fn claim(
        &self,
        state: &[u32],
        thread: usize,
        (before, after): (&Machine, &Machine),
        looks: &[Look],
        questions: &[Asked],
        changes: &[(SlotIndex, u32)],
    ) -> Option<Claim> {
        let alone = self.alone.as_ref()?;
        let function = alone.library_call(&before.threads[thread]);
        let ends = after.threads[thread].is_finished();
        let mut claim = Claim {
            ends,
            creates: after.threads.len() > before.threads.len(),
            turns: looks.contains(&Look::Turn),
            is_progress: is_progress(before, after),
            ..Claim::default()
        };
        let is_changed = |slot: SlotIndex| changes.iter().any(|(changed, _)| *changed == slot);
        for question in questions {
            let Asked::Question(question) = question else {
                continue;
            };
            match question {
                Question::Content(slot) | Question::Header(slot) => {
                    let is_header = matches!(question, Question::Header(_));
                    match self.components.what(*slot) {
                        Slot::Rest if is_changed(*slot) => return None,
                        Slot::Rest => claim.looks_at_rest = true,
                        Slot::Thread(_) => claim.joins = true,
                        Slot::Sync((object, _)) => {
                            let object = before.memory.peek(object)?;
                            claim.releases |= is_changed(*slot) && releases(function);
                            claim.syncs.extend(some(alone.objects(object))?);
                        }
                        Slot::Object(id) => {
                            let object = before.memory.peek(id)?;
                            let objects = some(alone.objects(object))?;
                            // To write what is there already is to write.
                            let accesses = after.accesses.iter();
                            let mut accesses = accesses.filter(|access| access.object == id);
                            let is_read = !is_changed(*slot)
                                && (is_header || accesses.clone().next().is_some())
                                && accesses.all(|access| !access.is_write);
                            match is_read {
                                true => claim.reads.extend(objects),
                                false => claim.writes.extend(objects),
                            }
                        }
                    }
                }
                Question::Handle(_) | Question::Ended(_) => claim.joins = true,
                Question::ThreadCount => claim.joins |= !claim.creates,
                Question::OthersRunning if ends && before.at_exit.is_empty() => {}
                Question::OthersRunning => return None,
                Question::FreedBlocks => claim.looks_at_freed_blocks = true,
            }
        }
        // What changes without having been looked at is new, or the thread itself.
        for (slot, _) in changes {
            let is_asked = questions.iter().any(|question| {
                matches!(question, Asked::Question(
                    Question::Content(asked) | Question::Header(asked)) if asked == slot)
            });
            let was_there = self.components.get(state, *slot) != ABSENT;
            let is_own = self.components.what(*slot) == Slot::Thread(thread);
            if !is_asked && was_there && !is_own {
                return None;
            }
        }
        if claim.joins && asks_for_ends(function) || claim.releases && claim.syncs.len() > 1 {
            return None;
        }
        Some(claim)
    }

    /// The same of a thread that has to wait, with those without whom it does for ever.
    fn blocked(&self, mut claim: Claim, before: &Machine, thread: usize) -> Option<Claim> {
        let alone = self.alone.as_ref()?;
        let wait = &before.threads[thread].pending.wait;
        if let Wait::Join(target) = wait {
            claim.blockers.push(*target);
        } else if let Some(lock) = wait.lock() {
            let sync = before.sync.peek(lock);
            claim.blockers = sync.map_or(Vec::new(), |sync| sync.holders());
            claim.blocked_at = some(alone.objects(before.memory.peek(lock.0)?))?;
        }
        Some(claim)
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
            (Node::Unknown, Some(step)) => {
                self.bytes += 96 + 16 * step.changes.len() + 48 * step.accesses.len();
                Node::Ends(Rc::new(step))
            }
            (Node::Unknown | Node::Opaque, None) => Node::Opaque,
            (Node::Ends(_), Some(_)) => return,
            _ => return self.nodes[root as usize] = Node::Opaque,
        };
    }

    /// What a step has looked at, as questions about a state, each once; false if
    /// that cannot be told.
    fn questions(&mut self, looks: &[Look], before: &Machine, thread: usize) -> (Vec<Asked>, bool) {
        let mut asked = Vec::new();
        let mut known = HashSet::new();
        let mut add = |asked: &mut Vec<Asked>, question: Question| {
            if known.insert(question) {
                asked.push(Asked::Question(question));
            }
        };
        for look in looks {
            match look {
                Look::Header(id) | Look::Content(id) => {
                    let is_header = matches!(look, Look::Header(_));
                    match self.place(*id, &before.memory, thread) {
                        Place::Own => {}
                        Place::Slot(slot) if is_header => {
                            if id.area() != Area::Global {
                                add(&mut asked, Question::Header(slot));
                            }
                        }
                        Place::Slot(slot) | Place::Foreign(slot) => {
                            add(&mut asked, Question::Content(slot));
                        }
                    }
                }
                Look::Sync(key) => {
                    let slot = self.components.slot(Slot::Sync(*key));
                    add(&mut asked, Question::Content(slot));
                }
                Look::SyncsIn(object, offset, len) => {
                    self.asked_objects.insert(*object);
                    let end = offset.saturating_add(*len);
                    for (slot, what) in self.components.slots() {
                        if let Slot::Sync((at, start)) = what
                            && at == *object
                            && (*offset..end).contains(&start)
                        {
                            add(&mut asked, Question::Content(slot));
                        }
                    }
                }
                Look::SyncsOnStack(owner) => {
                    self.asked_stacks.insert(*owner);
                    for (slot, what) in self.components.slots() {
                        if let Slot::Sync((at, _)) = what
                            && at.area() == Area::Stack
                            && at.thread() == *owner
                        {
                            add(&mut asked, Question::Content(slot));
                        }
                    }
                }
                Look::Thread(other) | Look::Handle(other) | Look::Ended(other)
                    if *other == thread => {}
                Look::Handle(other) => add(&mut asked, Question::Handle(*other)),
                Look::Ended(other) => add(&mut asked, Question::Ended(*other)),
                Look::Turn | Look::Open => {}
                Look::Thread(other) => {
                    if let Some(slot) = self.components.thread_slot(*other) {
                        add(&mut asked, Question::Content(slot));
                    }
                }
                Look::ThreadCount => add(&mut asked, Question::ThreadCount),
                Look::OthersRunning => add(&mut asked, Question::OthersRunning),
                Look::FreedBlocks => {
                    let memory = &before.memory;
                    let mut heaps = memory.arenas.iter().flat_map(|arena| &arena.heap);
                    add(&mut asked, Question::FreedBlocks);
                    if heaps.any(|object| super::components::is_freed(object)) {
                        return (asked, false);
                    }
                }
                Look::Rest => add(&mut asked, Question::Content(0)),
                Look::Input(kind, domain, value, site) => {
                    let (values, _) = choices(*kind, *domain, *site, &self.samples);
                    asked.push(Asked::Input(values, *value));
                }
                Look::Everything => return (asked, false),
            }
        }
        (asked, true)
    }

    /// Where an object of a state is to be found.
    fn place(&mut self, id: ObjectId, memory: &Memory, thread: usize) -> Place {
        let Some(object) = memory.peek(id) else {
            // It is made by the step itself; or it is gone for ever.
            return Place::Own;
        };
        if object.is_constant {
            return Place::Own;
        }
        if object.is_shared || id.area() == Area::Global {
            return Place::Slot(self.components.slot(Slot::Object(id)));
        }
        match id.thread() == thread {
            true => Place::Own,
            false => match self.components.thread_slot(id.thread()) {
                Some(slot) => Place::Foreign(slot),
                None => Place::Own,
            },
        }
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

enum Place {
    /// Part of the thread itself.
    Own,
    Slot(SlotIndex),
    /// Part of another thread.
    Foreign(SlotIndex),
}

enum Asked {
    Question(Question),
    /// The values it may have, and the one it had.
    Input(Vec<u128>, u128),
}

/// Which answer says who is woken.
fn waiter(looks: &[Look]) -> Option<usize> {
    let kinds = looks.iter().filter_map(|look| match look {
        Look::Input(kind, ..) => Some(*kind),
        _ => None,
    });
    kinds.into_iter().position(|kind| kind == InputKind::Waiter)
}

/// All of them, if there are any.
fn some<T>(all: Vec<T>) -> Option<Vec<T>> {
    (!all.is_empty()).then_some(all)
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
