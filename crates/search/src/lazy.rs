//! `lazy`: complete schedules one by one, depth first (ESBMC's lazy exploration).
//!
//! A prefix of a schedule says for its first contexts which thread has each and
//! how far it comes. The solver is first asked whether there is any run that
//! begins so; if not, the prefix is cut with everything below it. Otherwise it is
//! asked whether the run that stops there has a violation, and then the same for
//! every continuation by one context: threads in the order of their numbers, each
//! first as far as it can go, so that runs with few switches come early.
//!
//! What the solver blames for a failure often speaks of part of the prefix only.
//! Every other prefix of which the same holds is cut without asking.
//!
//! Complete: every run is a complete schedule. Where the order of threads is free,
//! contexts in which nothing is passed are left out, except for the first, which
//! must be main's: a run that has such a context can do without it, and with its
//! neighbours joined if they are of one thread. That is one context less.
//!
//! Each core has one incremental solver; all take from one stack.

use crate::checkpoint::Journal;
use crate::crew::{self, Answer, Piece, Setting, Work};
use crate::{ContextSchedule, Progress, Report};
use solve::Literal;
use std::collections::{HashMap, HashSet};

/// Reasons that are remembered; with more, looking them up would take longer
/// than asking.
const MOST_REASONS: usize = 4096;

pub(crate) struct Node {
    /// By context: the thread, and how many of its positions are behind it then.
    prefix: Vec<(usize, usize)>,
    /// Whether it asks for a violation in the run that stops here.
    is_leaf: bool,
    /// Numbers of children from the root, each followed by a dot.
    path: String,
    share: f64,
}

/// What a literal says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Fact {
    /// The context belongs to the thread.
    Run(usize, usize),
    /// The position is behind the thread when the context ends.
    Done(usize, usize, usize),
    /// Nothing is passed from the context on.
    Unused(usize),
}

struct Lazy<'a> {
    setting: &'a Setting<'a>,
    schedule: &'a ContextSchedule,
    /// The next one is the last.
    stack: Vec<Node>,
    /// For each prefix that was continued, how many children are not closed.
    pending: HashMap<String, usize>,
    facts: HashMap<Literal, (Fact, bool)>,
    /// Each cannot hold as a whole.
    reasons: Vec<Reason>,
    known_reasons: HashSet<Reason>,
    has_fixed_order: bool,
    closed: u64,
    schedules: u64,
    share: f64,
    is_settled: bool,
    journal: Journal,
}

/// Facts with the values that do not go together, and whether only with the
/// query.
type Reason = (Vec<(Fact, bool)>, bool);

pub(crate) fn search(
    setting: &Setting,
    schedule: &ContextSchedule,
    journal: Journal,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let mut work = Lazy {
        setting,
        schedule,
        stack: Vec::new(),
        pending: HashMap::new(),
        facts: facts(schedule),
        reasons: Vec::new(),
        known_reasons: HashSet::new(),
        has_fixed_order: schedule.has_fixed_order(),
        closed: 0,
        schedules: 0,
        share: 0.0,
        is_settled: false,
        journal,
    };
    work.resume(Node {
        prefix: Vec::new(),
        is_leaf: false,
        path: String::new(),
        share: 1.0,
    });
    let (ending, work, mut statistics) = crew::run(setting, setting.options.cores, work, watch);
    statistics.schedules = work.schedules;
    Report {
        outcome: crew::outcome(ending),
        statistics,
    }
}

/// The meaning of all literals that a prefix consists of. A literal that stands
/// for several contexts is about the first: it holds from there on.
fn facts(schedule: &ContextSchedule) -> HashMap<Literal, (Fact, bool)> {
    let mut facts = HashMap::new();
    for (context, row) in schedule.run.iter().enumerate() {
        for (thread, literal) in row.iter().enumerate() {
            for (literal, value) in [(*literal, true), (!*literal, false)] {
                facts
                    .entry(literal)
                    .or_insert((Fact::Run(context, thread), value));
            }
        }
    }
    for (thread, data) in schedule.threads.iter().enumerate() {
        for (position, row) in data.done.iter().enumerate() {
            for (context, literal) in row.iter().enumerate() {
                for (literal, value) in [(*literal, true), (!*literal, false)] {
                    let fact = Fact::Done(thread, position, context);
                    facts.entry(literal).or_insert((fact, value));
                }
            }
        }
    }
    for (context, literal) in schedule.unused_from.iter().enumerate() {
        let fact = (Fact::Unused(context), true);
        facts.entry(*literal).or_insert(fact);
    }
    // These two mean nothing.
    facts.remove(&schedule.truth);
    facts.remove(&!schedule.truth);
    facts
}

impl Node {
    /// How many positions are behind a thread when a context ends; `None` if the
    /// context is beyond the prefix. A leaf goes on for ever without passing any.
    fn passed(&self, thread: usize, context: usize) -> Option<usize> {
        if context >= self.prefix.len() && !self.is_leaf {
            return None;
        }
        let contexts = self.prefix.iter().take(context + 1).rev();
        let mut own = contexts.filter(|(other, _)| *other == thread);
        Some(own.next().map_or(0, |(_, passed)| *passed))
    }

    /// Whether the prefix makes a fact have this value.
    fn implies(&self, fact: Fact, value: bool) -> bool {
        match fact {
            Fact::Run(context, thread) => {
                let holds = |(other, _): &(usize, usize)| (*other == thread) == value;
                self.prefix.get(context).is_some_and(holds)
            }
            Fact::Done(thread, position, context) => {
                // What is passed stays passed, beyond the prefix too.
                let context = match value {
                    true => context.min(self.prefix.len().saturating_sub(1)),
                    false => context,
                };
                let passed = self.passed(thread, context);
                passed.is_some_and(|passed| (passed > position) == value)
            }
            Fact::Unused(context) => self.is_leaf && self.prefix.len() <= context,
        }
    }
}

impl Lazy<'_> {
    /// Puts on the stack what a former run did not close of a node.
    fn resume(&mut self, node: Node) {
        // The path of a leaf or of a prefix ends with a dot: no other begins so.
        if self.journal.is_closed(&node.path) {
            self.count(&node);
            self.finish(&node.path);
        } else if !node.is_leaf && self.journal.is_closed_within(&node.path) {
            for child in self.children(&node).into_iter().rev() {
                self.resume(child);
            }
        } else {
            self.stack.push(node);
        }
    }

    fn children(&mut self, node: &Node) -> Vec<Node> {
        let schedule = self.schedule;
        let context = node.prefix.len();
        let mut prefixes = Vec::new();
        if context < schedule.n_contexts() {
            for thread in schedule.candidates(context) {
                let last = node.prefix.last();
                if !self.has_fixed_order && last.is_some_and(|(other, _)| *other == thread) {
                    continue;
                }
                let before = node.passed(thread, context.wrapping_sub(1));
                let before = before.filter(|_| context > 0).unwrap_or(0);
                let may_idle = self.has_fixed_order || context == 0;
                let first = before + usize::from(!may_idle);
                let done = &schedule.threads[thread].done;
                let can_pass = |row: &&Vec<Literal>| row[context] != !schedule.truth;
                let most = done.iter().take_while(can_pass).count();
                prefixes.extend((first..=most).rev().map(|passed| {
                    let mut prefix = node.prefix.clone();
                    prefix.push((thread, passed));
                    prefix
                }));
            }
        }
        let leaf = (node.prefix.clone(), true);
        let nodes: Vec<_> = std::iter::once(leaf)
            .chain(prefixes.into_iter().map(|prefix| (prefix, false)))
            .collect();
        self.pending.insert(node.path.clone(), nodes.len());
        let share = node.share / nodes.len() as f64;
        let nodes = nodes.into_iter().enumerate();
        nodes
            .map(|(number, (prefix, is_leaf))| Node {
                prefix,
                is_leaf,
                path: format!("{}{number}.", node.path),
                share,
            })
            .collect()
    }

    fn assumptions(&self, node: &Node) -> Vec<Literal> {
        let schedule = self.schedule;
        let mut assumptions = Vec::new();
        for (context, (thread, passed)) in node.prefix.iter().enumerate() {
            assumptions.push(schedule.run[context][*thread]);
            let done = &schedule.threads[*thread].done;
            if let Some(last) = passed.checked_sub(1) {
                assumptions.push(done[last][context]);
            }
            assumptions.extend(done.get(*passed).map(|row| !row[context]));
        }
        if node.is_leaf {
            assumptions.push(schedule.unused_from[node.prefix.len()]);
            assumptions.push(self.setting.problem.query);
        }
        assumptions
    }

    fn is_cut(&self, node: &Node) -> bool {
        self.reasons.iter().any(|(facts, needs_query)| {
            (node.is_leaf || !needs_query)
                && facts
                    .iter()
                    .all(|(fact, value)| node.implies(*fact, *value))
        })
    }

    /// Remembers why something failed, if that can be said in terms of prefixes.
    fn learn(&mut self, blamed: &[Literal]) {
        let schedule = self.schedule;
        let query = self.setting.problem.query;
        let mut reason: Reason = (Vec::new(), blamed.contains(&query));
        for literal in blamed.iter().filter(|literal| **literal != query) {
            if *literal == schedule.truth {
                continue;
            }
            match self.facts.get(literal) {
                Some(fact) => reason.0.push(*fact),
                None => return,
            }
        }
        reason.0.sort_unstable();
        if self.reasons.len() < MOST_REASONS && self.known_reasons.insert(reason.clone()) {
            self.reasons.push(reason);
        }
    }

    fn count(&mut self, node: &Node) {
        self.closed += 1;
        self.share += node.share;
    }

    fn close(&mut self, node: &Node) {
        self.count(node);
        self.journal.close_around(node.path.clone());
        self.finish(&node.path);
    }

    /// A node whose children are all closed is closed.
    fn finish(&mut self, path: &str) {
        let mut path = path.to_owned();
        while path.pop().is_some() {
            path.truncate(path.rfind('.').map_or(0, |dot| dot + 1));
            let Some(pending) = self.pending.get_mut(&path) else {
                return;
            };
            *pending -= 1;
            if *pending > 0 {
                return;
            }
            self.pending.remove(&path);
            self.journal.close_around(path.clone());
        }
    }
}

impl Work for Lazy<'_> {
    type Key = Node;

    fn asserts_query(_core: usize) -> bool {
        false
    }

    fn take(&mut self, _core: usize) -> Option<Piece<Node>> {
        while let Some(node) = self.stack.pop() {
            if self.is_cut(&node) {
                self.close(&node);
                continue;
            }
            return Some(Piece {
                is_asserted: false,
                assumptions: self.assumptions(&node),
                conflicts: None,
                time: None,
                key: node,
            });
        }
        None
    }

    fn put(&mut self, _core: usize, piece: Piece<Node>, answer: Answer) {
        let node = piece.key;
        match answer {
            Answer::Closed(blamed) => {
                self.schedules += u64::from(node.is_leaf);
                self.learn(&blamed);
                let query = self.setting.problem.query;
                self.close(&node);
                // Nothing assumed is to blame, so nothing else can be found.
                if blamed.iter().all(|literal| *literal == query) {
                    self.is_settled = true;
                    self.journal.close_around(String::new());
                }
            }
            Answer::Possible => {
                let children = self.children(&node);
                self.stack.extend(children.into_iter().rev());
            }
            Answer::Open(_) => {
                self.schedules += u64::from(node.is_leaf);
                self.stack.push(node);
            }
        }
    }

    fn give_back(&mut self, _core: usize, piece: Piece<Node>) {
        self.stack.push(piece.key);
    }

    fn is_settled(&self) -> bool {
        self.is_settled
    }

    fn progress(&self) -> Progress {
        Progress {
            open: self.stack.len(),
            closed: self.closed,
            share: match self.is_settled {
                true => 1.0,
                false => self.share.min(1.0),
            },
            ..Progress::default()
        }
    }

    fn save(&mut self, is_end: bool) -> Result<(), String> {
        self.journal.save(is_end)
    }
}
