//! Which questions are open, which is asked next, and what is shown.
//!
//! A question is a pair of bounds and the kind of violation that is looked for.
//! Bounds on the order of threads that go with the same unwinding are one *level*:
//! one formula, asked for less and then for more. Questions have turns; the next is
//! for the one that had the fewest. Questions that contain one that took too long wait
//! for it.
//!
//! At first a question is about violations of all kinds. One that takes too long is
//! split: whether an assertion can fail is often easy to tell where it is hard to tell
//! whether any access can be wrong, and the other way round, so neither waits for the
//! other. Nothing counts as shown before it is shown for all kinds.
//!
//! An answer may say more than was asked: that within its bound on the order of threads
//! no loop goes on for longer than it was unfolded. Then questions with more iterations
//! and that order are the same question, and nobody asks them.
//!
//! Nothing here asks anything.

use crate::bounded::Bounded;
use crate::facts::{Limits, Reason};
use crate::verdict::{Bounds, Kind, Order};
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Bounds that grow for ever end here at the latest.
const HIGHEST: u32 = 64;
/// More is tried only together with more contexts.
const MOST_UNWINDING: u32 = 512;
/// Levels with fewer iterations than the plan has are numbered from here.
const SMALLER: usize = 1 << 16;
/// How many levels are open, and how many more for each core but the first.
const OPEN_LEVELS: usize = 3;

/// Bounds that belong together, in the order in which to ask.
#[derive(Clone)]
pub(super) struct Questions {
    pub unwind: u32,
    pub asked: VecDeque<Order>,
    kind: Kind,
    /// They are of use only if no loop is cut.
    is_for_proof: bool,
}

/// Questions about one formula, and how far they have come.
pub(super) struct Level {
    /// Its place in the plan.
    pub number: usize,
    pub questions: Questions,
    /// The formula, once there is one.
    pub bounded: Option<Bounded>,
    /// Turns of the first question, and how long they took.
    pub turns: u32,
    pub spent: Duration,
    /// Each question has a formula of its own: those that take long are answered
    /// sooner that way than as a part of a larger one.
    pub is_hard: bool,
}

impl Level {
    fn new(number: usize, questions: Questions) -> Level {
        Level {
            number,
            questions,
            bounded: None,
            turns: 0,
            spent: Duration::ZERO,
            is_hard: false,
        }
    }

    pub(super) fn question(&self) -> Option<Question> {
        self.questions.asked.front().map(|order| Question {
            order: *order,
            unwind: self.questions.unwind,
            kind: self.questions.kind,
            is_begun: self.turns > 0,
        })
    }

    /// The first question needs no answer any more.
    pub(super) fn next_question(&mut self) {
        self.questions.asked.pop_front();
        self.turns = 0;
        self.spent = Duration::ZERO;
        if self.is_hard {
            self.bounded = None;
        }
    }

    fn id(&self) -> (usize, Kind) {
        (self.number, self.questions.kind)
    }

    /// Takes the other kinds out of this level, into one of their own.
    fn split(&mut self) -> Option<Level> {
        if self.questions.kind != Kind::All {
            return None;
        }
        self.questions.kind = Kind::Assertions;
        let mut others = Level::new(self.number, self.questions.clone());
        others.questions.kind = Kind::Others;
        others.turns = self.turns;
        others.is_hard = self.is_hard;
        Some(others)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub order: Order,
    pub unwind: u32,
    pub kind: Kind,
    /// It took too long before.
    pub is_begun: bool,
}

impl Question {
    fn contains(&self, other: &Question) -> bool {
        let is_of_kind = self.kind == Kind::All || self.kind == other.kind;
        is_of_kind && self.has_bounds_of(other)
    }

    /// How much its bounds allow, roughly.
    pub(super) fn size(&self) -> u64 {
        self.order.size() * u64::from(self.unwind)
    }

    /// Whether its bounds allow all that those of the other do.
    fn has_bounds_of(&self, other: &Question) -> bool {
        self.unwind >= other.unwind && self.order.contains(other.order)
    }
}

/// Whether a level could do with fewer iterations.
enum Fewer {
    /// Nobody knows.
    None,
    /// Somebody is to find out.
    IsAsked,
    /// With this one, somebody could.
    Open(Box<Level>),
}

/// What all cores know.
#[derive(Default)]
pub(super) struct Agenda {
    /// Levels that nobody has begun with.
    pub plan: VecDeque<Level>,
    /// Levels that are begun, and nobody is at.
    pub open: Vec<Level>,
    /// How many may be begun and not done.
    most_open: usize,
    /// Whether hard questions are split by the kind of violation.
    splits: bool,
    /// All small questions had their turn.
    pub has_begun: bool,
    /// By core: what it is asking.
    pub under_way: BTreeMap<usize, Question>,
    /// What has no violation, and what that leaves out.
    shown: Vec<(Question, Limits)>,
    /// No loop goes on for longer than that.
    pub enough_unwinding: Option<u32>,
    /// The same within bounds on the order of threads.
    enough_within: Vec<(Order, u32)>,
    /// From this unwinding on, something is not supported or too large.
    too_much: Option<(u32, Reason)>,
    /// Nobody is to ask any more, and why, if not all was answered.
    end: Option<Option<Reason>>,
}

impl Agenda {
    pub(super) fn new(bounds: &Bounds, cores: usize, splits: bool) -> Agenda {
        Agenda {
            plan: (plan(bounds.order, bounds.unwind).into_iter())
                .enumerate()
                .map(|(number, questions)| Level::new(number, questions))
                .collect(),
            most_open: OPEN_LEVELS + cores - 1,
            splits,
            ..Agenda::default()
        }
    }

    fn is_too_much(&self, unwind: u32) -> bool {
        (self.too_much.as_ref()).is_some_and(|(least, _)| unwind >= *least)
    }

    /// So many iterations are as many as any within this order.
    fn enough_for(&self, order: Order) -> Option<u32> {
        let within = self.enough_within.iter();
        let within = within.filter(|(known, _)| known.contains(order));
        let within = within.map(|(_, unwind)| *unwind).min();
        within.into_iter().chain(self.enough_unwinding).min()
    }

    fn is_shown(&self, question: &Question) -> bool {
        let enough = self.enough_for(question.order).unwrap_or(u32::MAX);
        let question = &Question {
            unwind: question.unwind.min(enough),
            ..*question
        };
        let is_shown = |question: &Question| {
            let mut shown = self.shown.iter();
            shown.any(|(shown, _)| shown.contains(question))
        };
        let of_kind = |kind: Kind| Question { kind, ..*question };
        is_shown(question)
            || question.kind == Kind::All
                && is_shown(&of_kind(Kind::Assertions))
                && is_shown(&of_kind(Kind::Others))
    }

    /// There is no violation of some kind within some bounds. Gives the limits within
    /// which there is none of any kind, and the bounds that they are about, if this
    /// question adds to that.
    pub(super) fn note(
        &mut self,
        question: Question,
        limits: Limits,
    ) -> Option<(Question, Limits)> {
        if limits.loops.is_empty() {
            self.enough_within.push((question.order, question.unwind));
        }
        let new = (question, limits);
        let all = match question.kind {
            Kind::All => Some(new.clone()),
            kind => (self.shown.iter())
                .filter(|(shown, _)| shown.kind != kind)
                .filter_map(|shown| within_both(&new, shown))
                .max_by_key(|(question, limits)| (is_whole(limits), question.size())),
        };
        self.shown.push(new);
        all
    }

    /// From this unwinding on, there is no answer. Fewer iterations may still bring
    /// something to light; false if nothing ever did.
    pub(super) fn give_up_from(&mut self, unwind: u32, reason: &Reason) -> bool {
        if self.shown.is_empty() {
            return false;
        }
        let is_less = (self.too_much.as_ref()).is_none_or(|(least, _)| unwind < *least);
        if is_less {
            self.too_much = Some((unwind, reason.clone()));
        }
        true
    }

    /// A level is back. If its question took too long, it may be split.
    pub(super) fn put_back(&mut self, mut level: Level, took_too_long: bool) {
        if took_too_long && self.splits {
            self.open.extend(level.split());
        }
        self.open.push(level);
    }

    /// What a core is to ask next: what had the fewest turns of all that need not
    /// wait. With `is_small`, only what is open and had none.
    pub(super) fn next(&mut self, core: usize, is_small: bool) -> Option<Level> {
        let chosen = loop {
            self.drop_answered();
            self.split_those_that_wait();
            let begun = self.open.len() + self.under_way.len();
            let least = fewest_turns((self.open.iter()).filter(|level| !self.must_wait(level)));
            let is_new = least.is_some_and(|id| self.turns(id) == 0);
            if is_small {
                break least.filter(|_| is_new);
            }
            if is_new || (least.is_some() && begun >= self.most_open) {
                break least;
            }
            if let Some(level) = self.begin_next(begun) {
                self.open.push(level);
                continue;
            }
            // What contains a hard question may be easier than nothing.
            let not_asked = (self.open.iter()).filter(|level| !self.is_asked(level));
            break least.or_else(|| fewest_turns(not_asked));
        };
        let index = (self.open.iter()).position(|level| Some(level.id()) == chosen)?;
        let level = self.open.swap_remove(index);
        self.under_way.insert(core, level.question()?);
        Some(level)
    }

    /// The next level of the plan that need not wait; or, if there are too few, any.
    fn begin_next(&mut self, begun: usize) -> Option<Level> {
        let with_fewer: Vec<Fewer> = self.plan.iter().map(|level| self.fewer(level)).collect();
        let position = |is_wanted: &dyn Fn(&Level) -> bool| {
            let mut levels = self.plan.iter().zip(&with_fewer);
            levels.position(|(level, fewer)| !matches!(fewer, Fewer::IsAsked) && is_wanted(level))
        };
        let free = position(&|level| !self.must_wait(level));
        let half_free = || position(&|level| self.can_go_by_halves(level));
        let any = || position(&|_| begun < self.most_open);
        let index = free.or_else(half_free).or_else(any)?;
        match with_fewer.into_iter().nth(index)? {
            Fewer::Open(level) => Some(*level),
            Fewer::IsAsked | Fewer::None => self.plan.remove(index),
        }
    }

    /// The same orders with as many iterations as were enough before, if they are fewer:
    /// they may be enough again.
    fn fewer(&self, level: &Level) -> Fewer {
        let furthest = (self.enough_within.iter())
            .max_by_key(|(order, unwind)| (order.size(), std::cmp::Reverse(*unwind)));
        let order = level.questions.asked.back().copied();
        let (Some((_, unwind)), Some(order)) = (furthest.copied(), order) else {
            return Fewer::None;
        };
        let question = Question {
            order,
            unwind,
            kind: Kind::All,
            is_begun: false,
        };
        let is_fewer = unwind < level.questions.unwind && !level.questions.is_for_proof;
        if !is_fewer || self.is_shown(&question) {
            return Fewer::None;
        }
        let is_open = |open: &Level| {
            let questions = &open.questions;
            questions.unwind == unwind && questions.asked.contains(&order)
        };
        let is_under_way = |asked: &Question| asked.unwind == unwind && asked.order == order;
        if self.open.iter().any(is_open) || self.under_way.values().any(is_under_way) {
            return Fewer::IsAsked;
        }
        let mut questions = level.questions.clone();
        questions.unwind = unwind;
        // Numbers of levels are their places in the plan, which has an end.
        Fewer::Open(Box::new(Level::new(level.number + SMALLER, questions)))
    }

    /// Splits levels of which one half need not wait.
    fn split_those_that_wait(&mut self) {
        for index in 0..self.open.len() {
            if self.can_go_by_halves(&self.open[index]) {
                let others = self.open[index].split();
                self.open.extend(others);
            }
        }
    }

    /// Whether a level has to wait because of one kind of violation only.
    fn can_go_by_halves(&self, level: &Level) -> bool {
        let can_go = |question: Question, kind: Kind| {
            !self.must_wait_for(&Question { kind, ..question }, level.id())
        };
        let question = level.question();
        self.splits
            && question.is_some_and(|question| {
                question.kind == Kind::All
                    && self.must_wait(level)
                    && (can_go(question, Kind::Assertions) || can_go(question, Kind::Others))
            })
    }

    fn turns(&self, id: (usize, Kind)) -> u32 {
        let level = self.open.iter().find(|level| level.id() == id);
        level.map_or(0, |level| level.turns)
    }

    /// Forgets questions whose answers are of no use any more.
    fn drop_answered(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        let enough_for = |order: Order| self.enough_for(order);
        for level in &mut open {
            let questions = &mut level.questions;
            match self.enough_unwinding {
                Some(enough) => questions.unwind = questions.unwind.min(enough),
                None if questions.is_for_proof => questions.asked.clear(),
                None => {}
            }
            // What was not begun can be asked for less.
            let largest = questions.asked.back().copied();
            if let Some(order) = largest.filter(|_| level.bounded.is_none() && level.turns == 0) {
                let enough = enough_for(order).unwrap_or(u32::MAX);
                questions.unwind = questions.unwind.min(enough);
            }
            if self.is_too_much(questions.unwind) {
                questions.asked.clear();
            }
            while let Some(question) = level.question()
                && self.is_shown(&question)
            {
                level.next_question();
            }
        }
        open.retain(|level| level.question().is_some());
        self.open = open;
    }

    fn must_wait(&self, level: &Level) -> bool {
        (level.question()).is_some_and(|question| self.must_wait_for(&question, level.id()))
    }

    /// Whether a question contains one that took too long, or is asked already.
    fn must_wait_for(&self, question: &Question, id: (usize, Kind)) -> bool {
        let is_harder = (self.open.iter())
            .filter(|other| other.id() != id && other.turns > 0)
            .filter_map(|other| Some((other.id(), other.question()?)))
            .any(|(other_id, other)| {
                // Of the same question in two places, one goes on.
                let is_first = other.contains(question) && id < other_id;
                question.contains(&other) && !(question.is_begun && is_first)
            });
        let is_harder_than_asked =
            (self.under_way.values()).any(|asked| asked.is_begun && question.contains(asked));
        // One that is begun goes on: what contains it is harder.
        let is_asked = (self.under_way.values()).any(|asked| asked.contains(question));
        is_harder || is_harder_than_asked || (is_asked && !question.is_begun)
    }

    /// Whether somebody is asking a question, perhaps as a part of another.
    fn is_asked(&self, level: &Level) -> bool {
        (level.question()).is_some_and(|question| {
            (self.under_way.values()).any(|asked| asked.contains(&question))
        })
    }

    pub(super) fn is_done(&self) -> bool {
        self.plan.is_empty() && self.open.is_empty() && self.under_way.is_empty()
    }

    /// The first to end it says why.
    pub(super) fn end(&mut self, reason: Option<Reason>) {
        self.end.get_or_insert(reason);
    }

    pub(super) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Why not all questions are answered.
    pub(super) fn reason_to_end(self) -> Option<Reason> {
        let too_much = self.too_much.map(|(_, reason)| reason);
        self.end.flatten().or(too_much)
    }
}

/// Whether no runs were left out.
fn is_whole(limits: &Limits) -> bool {
    limits.order.is_none() && limits.loops.is_empty()
}

/// What holds for both of two kinds of violations: all that is within the bounds of
/// both. `None` if nobody knows what that is.
fn within_both(one: &(Question, Limits), two: &(Question, Limits)) -> Option<(Question, Limits)> {
    let (less, more) = match () {
        () if is_whole(&two.1) => (one, two),
        () if is_whole(&one.1) => (two, one),
        () if two.0.has_bounds_of(&one.0) => (one, two),
        () if one.0.has_bounds_of(&two.0) => (two, one),
        () => return None,
    };
    let mut limits = less.1.clone();
    limits.order = limits.order.or(more.1.order);
    let is_cut = |name: &str| less.1.loops.iter().any(|cut| cut.name == name);
    let others = more.1.loops.iter().filter(|cut| !is_cut(&cut.name));
    limits.loops.extend(others.cloned());
    (limits.assumptions).extend(more.1.assumptions.iter().cloned());
    Some((less.0, limits))
}

/// The level whose question had the fewest turns.
fn fewest_turns<'l>(levels: impl Iterator<Item = &'l Level>) -> Option<(usize, Kind)> {
    let least = levels.min_by_key(|level| (level.turns, level.id()));
    least.map(Level::id)
}

/// The bounds to try: contexts and unwinding in turn, whichever is not given.
fn plan(order: Option<Order>, unwind: Option<u32>) -> Vec<Questions> {
    let mut plan = Vec::new();
    let mut add = |level: u32, is_for_proof: bool, asked: VecDeque<Order>| {
        plan.push(Questions {
            unwind: unwind.unwrap_or(level),
            asked,
            kind: Kind::All,
            is_for_proof,
        });
    };
    if let Some(order) = order {
        let last = if unwind.is_some() { 1 } else { HIGHEST };
        (1..=last).for_each(|level| add(level, false, [order].into()));
        return plan;
    }
    let rounds = |bounds: RangeInclusive<u32>| bounds.map(Order::Rounds).collect();
    add(1, false, rounds(1..=2));
    add(2, false, rounds(2..=3));
    add(3, false, rounds(2..=5));
    add(5, false, rounds(2..=2));
    for level in 4..=HIGHEST {
        // Some loops have to go round often before anything happens.
        if let Some(unwind) = 1u32
            .checked_shl(level - 1)
            .filter(|unwind| *unwind <= MOST_UNWINDING)
        {
            add(unwind, false, rounds(1..=2));
        }
        add(level, false, rounds(3..=level + 2));
        add(level, true, [Order::Contexts(2 * level)].into());
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agenda(plan: Vec<Questions>, cores: usize) -> Agenda {
        Agenda {
            plan: (plan.into_iter().enumerate())
                .map(|(number, questions)| Level::new(number, questions))
                .collect(),
            most_open: OPEN_LEVELS + cores - 1,
            ..Agenda::default()
        }
    }

    fn rounds(unwind: u32, asked: RangeInclusive<u32>) -> Questions {
        Questions {
            unwind,
            asked: asked.map(Order::Rounds).collect(),
            kind: Kind::All,
            is_for_proof: false,
        }
    }

    /// What a core does with an answer.
    fn answer(agenda: &mut Agenda, core: usize, mut level: Level, is_too_long: bool) {
        if let Some(question) = agenda.under_way.remove(&core) {
            if is_too_long {
                level.turns += 1;
            } else {
                agenda.note(question, limits(question));
                level.next_question();
            }
        }
        agenda.put_back(level, is_too_long);
    }

    /// An answer that leaves out whatever is beyond the bounds.
    fn limits(question: Question) -> Limits {
        let cut = crate::facts::CutLoop {
            name: "main.0".to_owned(),
            place: None,
            bound: question.unwind,
            is_recursion: false,
        };
        Limits {
            order: Some(question.order),
            loops: [cut].into(),
            ..Limits::default()
        }
    }

    #[test]
    fn what_contains_a_hard_question_waits_for_it() {
        let plan = vec![rounds(3, 3..=4), rounds(4, 3..=4), rounds(8, 1..=2)];
        let mut agenda = agenda(plan, 2);
        let hard = agenda.next(0, false).expect("the first level is free");
        assert_eq!(hard.number, 0);
        answer(&mut agenda, 0, hard, true);
        let other = agenda.next(0, false).expect("another is free");
        assert_eq!(other.number, 2);
        let hard = agenda.next(1, false).expect("the hard one goes on");
        assert_eq!((hard.number, hard.turns), (0, 1));
        answer(&mut agenda, 1, hard, false);
        // Three rounds are shown; neither four nor three with more iterations is
        // known to be hard.
        let next = agenda.next(1, false).expect("it is free now");
        assert_eq!((next.number, next.turns), (0, 0));
    }

    #[test]
    fn nobody_is_idle_while_there_is_a_question() {
        let plan = vec![rounds(1, 1..=2), rounds(2, 2..=3)];
        let mut agenda = agenda(plan, 2);
        let hard = agenda.next(0, false).expect("the first level is free");
        answer(&mut agenda, 0, hard, true);
        let first = agenda.next(0, false).map(|level| level.number);
        let second = agenda.next(1, false).map(|level| level.number);
        assert_eq!((first, second), (Some(0), Some(1)));
        let third = agenda.next(2, false).map(|level| level.number);
        assert_eq!(third, None);
    }

    #[test]
    fn a_hard_question_is_split_and_only_one_half_waits() {
        let mut agenda = agenda(vec![rounds(3, 3..=4), rounds(4, 3..=4)], 1);
        agenda.splits = true;
        let hard = agenda.next(0, false).expect("the first level is free");
        answer(&mut agenda, 0, hard, true);
        // Nothing is known of the larger one, but it contains both halves.
        let assertions = agenda.next(0, false).expect("one half goes on");
        assert_eq!(assertions.questions.kind, Kind::Assertions);
        let question = assertions.question().expect("it was not answered");
        let alone = agenda.note(question, limits(question));
        assert!(alone.is_none(), "the other kinds are open");
        answer(&mut agenda, 0, assertions, false);
        let ahead = agenda.next(0, false).expect("the next bound is free");
        assert_eq!(ahead.questions.kind, Kind::Assertions);
        assert_eq!(ahead.questions.asked[0], Order::Rounds(4));
        answer(&mut agenda, 0, ahead, false);
        let next = agenda.next(0, false).expect("more iterations are free");
        assert_eq!((next.number, next.questions.kind), (1, Kind::Assertions));
        answer(&mut agenda, 0, next, true);
        let others = agenda.next(0, false).expect("the other half goes on");
        assert_eq!((others.number, others.questions.kind), (0, Kind::Others));
        let question = others.question().expect("it was not answered");
        let both = agenda.note(question, limits(question));
        let (_, limits) = both.expect("both halves are shown");
        assert_eq!(limits.order, Some(Order::Rounds(3)));
    }

    #[test]
    fn what_holds_for_both_kinds_is_what_is_within_both_bounds() {
        let cut = |name: &str, bound: u32| crate::facts::CutLoop {
            name: name.to_owned(),
            place: None,
            bound,
            is_recursion: false,
        };
        let shown = |kind: Kind, order: Order, unwind: u32, limits: Limits| {
            let question = Question {
                order,
                unwind,
                kind,
                is_begun: false,
            };
            (question, limits)
        };
        let less = Limits {
            order: Some(Order::Rounds(2)),
            loops: [cut("main.0", 2)].into(),
            ..Limits::default()
        };
        let more = Limits {
            order: Some(Order::Rounds(3)),
            loops: [cut("main.0", 4), cut("f.0", 4)].into(),
            ..Limits::default()
        };
        let one = shown(Kind::Assertions, Order::Rounds(2), 2, less.clone());
        let two = shown(Kind::Others, Order::Rounds(3), 4, more.clone());
        let (question, both) = within_both(&one, &two).expect("one contains the other");
        assert_eq!((question.order, question.unwind), (Order::Rounds(2), 2));
        assert_eq!(both.order, Some(Order::Rounds(2)));
        assert_eq!(both.loops, [cut("main.0", 2), cut("f.0", 4)].into());
        // Neither contains the other.
        let other = shown(Kind::Others, Order::Rounds(1), 4, more);
        assert!(within_both(&one, &other).is_none());
        // Where nothing is left out, bounds do not matter.
        let whole = shown(Kind::Others, Order::Rounds(1), 1, Limits::default());
        let (_, both) = within_both(&one, &whole).expect("all is shown of the other");
        assert_eq!(both, less);
    }

    #[test]
    fn iterations_that_are_enough_are_not_raised() {
        let plan = vec![rounds(2, 1..=1), rounds(9, 1..=1), rounds(4, 2..=2)];
        let mut agenda = agenda(plan, 1);
        let mut asked = Vec::new();
        while let Some(mut level) = agenda.next(0, false) {
            let question = agenda.under_way.remove(&0).expect("it is asked");
            asked.push((question.order.size() / 2, question.unwind));
            // Within one round, two iterations are enough; within two they are not.
            let mut limits = limits(question);
            if question.order == Order::Rounds(1) {
                limits.loops.clear();
            }
            agenda.note(question, limits);
            level.next_question();
            agenda.put_back(level, false);
        }
        assert_eq!(asked, [(1, 2), (2, 2), (2, 4)]);
    }

    #[test]
    fn every_question_is_answered_in_the_end() {
        for seed in 1..=20u64 {
            let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut draw = |below: u64| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random % below
            };
            let cores = 1 + (seed % 3) as usize;
            let all: Vec<(u32, VecDeque<Order>)> = (plan(None, None).iter())
                .filter(|questions| !questions.is_for_proof)
                .map(|questions| (questions.unwind, questions.asked.clone()))
                .collect();
            let mut agenda = agenda(plan(None, None), cores);
            agenda.splits = seed % 2 == 0;
            let mut busy: Vec<Option<Level>> = (0..cores).map(|_| None).collect();
            while !agenda.is_done() {
                let core = draw(cores as u64) as usize;
                match busy[core].take() {
                    Some(level) => {
                        let is_too_long = level.turns < 6 && draw(3) == 0;
                        answer(&mut agenda, core, level, is_too_long);
                    }
                    None => busy[core] = agenda.next(core, false),
                }
                assert!(
                    busy.iter().any(Option::is_some) || !agenda.under_way.is_empty() || {
                        busy[0] = agenda.next(0, false);
                        busy[0].is_some() || agenda.is_done()
                    },
                    "nobody is at anything, and there are open questions"
                );
            }
            for (unwind, asked) in all {
                for order in asked {
                    let question = Question {
                        order,
                        unwind,
                        kind: Kind::All,
                        is_begun: false,
                    };
                    assert!(agenda.is_shown(&question), "{order:?} {unwind}");
                }
            }
        }
    }
}
