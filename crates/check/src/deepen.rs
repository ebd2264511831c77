//! Which bounds to try, in which order, and for how long.
//!
//! Bounds that the user gives hold exactly. What is left open grows: small
//! bounds first, since most violations need few contexts and few iterations.
//! Rounds come before free contexts: k rounds contain all runs of k contexts, at
//! about the same cost, and reach deep violations sooner. Contexts are for
//! showing that there is nothing beyond.
//!
//! Bounds on the order of threads that go with the same unwinding are one
//! *level*: one formula, asked for less and then for more. How hard a question
//! is, nobody knows. So questions have turns: in each, a question may have taken
//! twice as long as in the turn before, and the next turn is for the one that had
//! the fewest. What its solver has learnt is kept. Questions that contain one that
//! took too long wait for it. A few levels are open at a time; the next of the plan
//! is begun when one of them is done, or all of them wait.
//!
//! The small questions come first, on one core. Then the interpreter makes some
//! runs at random: what is large for a solver may be easy to hit. So it does before
//! an answer that takes something for granted. Then all cores take turns, or before,
//! if the small questions are not so easy.

use crate::attempt::{Answer, Query, Task};
use crate::bounded::Bounded;
use crate::facts::{Dependent, Internal, Limits, Reason};
use crate::sample;
use crate::verdict::{Attempt, Bounds, Order, Report, Verdict};
use search::LeftOut;
use std::collections::{BTreeMap, VecDeque};
use std::ops::{ControlFlow, RangeInclusive};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bounds that grow for ever end here at the latest.
const HIGHEST: u32 = 64;
/// More is tried only together with more contexts.
const MOST_UNWINDING: u32 = 512;
/// What a question may take in its first turn if there is no limit.
const FIRST_SHARE: Duration = Duration::from_secs(2);
/// With a limit, it is this part of it.
const SHARE: u32 = 32;
/// A question never takes longer at a stretch.
const LONGEST_SHARE: Duration = Duration::from_secs(24 * 3600);
/// Levels with more iterations have shorter turns, by the square. Their formulas
/// are large and most of what they add is more of the same, while those of few
/// iterations are where threads can take many turns.
const FEW_ITERATIONS: u32 = 3;
/// Levels that come before the runs at random.
const FIRST_LEVELS: usize = 5;
/// How many levels are open, and how many more for each core but the first.
const OPEN_LEVELS: usize = 3;
/// Formulas with more clauses are not kept from one turn to the next.
const MOST_KEPT: usize = 2_000_000;
/// A core that has nothing to do looks again after this time at the latest.
const PAUSE: Duration = Duration::from_millis(100);

pub fn run(task: &Task) -> Report {
    let bounds = &task.options.bounds;
    let first_share = match task.options.time {
        Some(time) => time / SHARE,
        None => FIRST_SHARE,
    };
    // A strategy needs the cores itself.
    let cores = match bounds.are_given() || task.strategy().is_some() {
        true => 1,
        false => task.options.search.cores,
    };
    let common = Mutex::new(Common {
        plan: (plan(bounds.order, bounds.unwind).into_iter())
            .enumerate()
            .map(|(number, questions)| Level::new(number, questions))
            .collect(),
        most_open: OPEN_LEVELS + cores - 1,
        ..Common::default()
    });
    let news = Condvar::new();
    let new_search = |core: usize| Search {
        task,
        common: &common,
        news: &news,
        core,
        first_share: (!bounds.are_given()).then_some(first_share),
    };
    std::thread::scope(|scope| {
        for core in 1..cores {
            let search = new_search(core);
            let work = move || {
                search.or_stop_all(|| {
                    search.wait_for_small_questions(first_share);
                    let _ = search.rest();
                });
            };
            let builder = std::thread::Builder::new().stack_size(crate::STACK);
            // One core less is no reason to give up.
            let _ = builder.spawn_scoped(scope, work);
        }
        let first = new_search(0);
        first.or_stop_all(|| {
            if first.small_questions().is_continue() {
                let _ = first.rest();
            }
        });
    });
    let mut all = common.into_inner().unwrap_or_else(PoisonError::into_inner);
    let verdict = all.verdict.take().unwrap_or_else(|| all.conclude(bounds));
    Report {
        verdict,
        attempts: all.attempts,
        limits_of_part: all.part.map(|(_, limits)| limits),
        assertions: Vec::new(),
        lines: BTreeMap::new(),
        more: Vec::new(),
        rest: None,
    }
}

/// Bounds that belong together, in the order in which to ask.
struct Questions {
    unwind: u32,
    asked: VecDeque<Order>,
    /// They are of use only if no loop is cut.
    is_for_proof: bool,
}

/// Questions about one formula, and how far they have come.
struct Level {
    /// Its place in the plan.
    number: usize,
    questions: Questions,
    /// The formula, once there is one.
    bounded: Option<Bounded>,
    /// Turns of the first question, and how long they took.
    turns: u32,
    spent: Duration,
    /// Each question has a formula of its own: those that take long are answered
    /// sooner that way than as a part of a larger one.
    is_hard: bool,
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

    fn question(&self) -> Option<Question> {
        self.questions.asked.front().map(|order| Question {
            order: *order,
            unwind: self.questions.unwind,
            is_begun: self.turns > 0,
        })
    }

    /// The first question needs no answer any more.
    fn next_question(&mut self) {
        self.questions.asked.pop_front();
        self.turns = 0;
        self.spent = Duration::ZERO;
        if self.is_hard {
            self.bounded = None;
        }
    }
}

#[derive(Clone, Copy)]
struct Question {
    order: Order,
    unwind: u32,
    /// It took too long before.
    is_begun: bool,
}

impl Question {
    fn contains(&self, other: &Question) -> bool {
        self.unwind >= other.unwind && contains(self.order, other.order)
    }
}

/// What all cores know.
#[derive(Default)]
struct Common {
    /// Levels that nobody has begun with.
    plan: VecDeque<Level>,
    /// Levels that are begun, and nobody is at.
    open: Vec<Level>,
    /// How many may be begun and not done.
    most_open: usize,
    /// All small questions had their turn.
    has_begun: bool,
    /// By core: what it is asking.
    under_way: BTreeMap<usize, Question>,
    attempts: Vec<Attempt>,
    /// Bounds without violation.
    shown: Vec<Question>,
    /// The largest of them, with its size and what it leaves out.
    established: Option<(u64, Limits)>,
    /// No loop goes on for longer than that.
    enough_unwinding: Option<u32>,
    /// What the strategy left out of the last question that it could not answer
    /// as a whole, and the limits of the rest.
    part: Option<(LeftOut, Limits)>,
    /// From this unwinding on, something is not supported or too large.
    too_much: Option<(u32, Reason)>,
    verdict: Option<Verdict>,
}

impl Common {
    fn is_too_much(&self, unwind: u32) -> bool {
        (self.too_much.as_ref()).is_some_and(|(least, _)| unwind >= *least)
    }

    fn is_shown(&self, question: &Question) -> bool {
        self.shown.iter().any(|shown| shown.contains(question))
    }

    /// What a core is to ask next: what had the fewest turns of all that need not
    /// wait. With `is_small`, only what is open and had none.
    fn next(&mut self, core: usize, is_small: bool) -> Option<Level> {
        let chosen = loop {
            self.drop_answered();
            let begun = self.open.len() + self.under_way.len();
            let least = fewest_turns((self.open.iter()).filter(|level| !self.must_wait(level)));
            let is_new = least.is_some_and(|number| self.turns(number) == 0);
            if is_small {
                break least.filter(|_| is_new);
            }
            if is_new || (least.is_some() && begun >= self.most_open) {
                break least;
            }
            let new = (self.plan.iter()).position(|level| !self.must_wait(level));
            let new = new.or_else(|| (begun < self.most_open).then_some(0));
            if let Some(level) = new.and_then(|index| self.plan.remove(index)) {
                self.open.push(level);
                continue;
            }
            // What contains a hard question may be easier than nothing.
            let not_asked = (self.open.iter()).filter(|level| !self.is_asked(level));
            break least.or_else(|| fewest_turns(not_asked));
        };
        let index = (self.open.iter()).position(|level| Some(level.number) == chosen)?;
        let level = self.open.swap_remove(index);
        self.under_way.insert(core, level.question()?);
        Some(level)
    }

    fn turns(&self, number: usize) -> u32 {
        let level = self.open.iter().find(|level| level.number == number);
        level.map_or(0, |level| level.turns)
    }

    /// Forgets questions whose answers are of no use any more.
    fn drop_answered(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        for level in &mut open {
            let questions = &mut level.questions;
            match self.enough_unwinding {
                Some(enough) => questions.unwind = questions.unwind.min(enough),
                None if questions.is_for_proof => questions.asked.clear(),
                None => {}
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

    /// Whether a question contains one that took too long, or is asked already.
    fn must_wait(&self, level: &Level) -> bool {
        let Some(question) = level.question() else {
            return false;
        };
        let is_harder = (self.open.iter())
            .filter(|other| other.number != level.number && other.turns > 0)
            .filter_map(|other| Some((other.number, other.question()?)))
            .any(|(number, other)| {
                // Of the same question in two places, one goes on.
                let is_first = other.contains(&question) && level.number < number;
                question.contains(&other) && !(question.is_begun && is_first)
            });
        let is_harder_than_asked =
            (self.under_way.values()).any(|asked| asked.is_begun && question.contains(asked));
        // One that is begun goes on: what contains it is harder.
        is_harder || is_harder_than_asked || (self.is_asked(level) && !question.is_begun)
    }

    /// Whether somebody is asking a question, perhaps as a part of another.
    fn is_asked(&self, level: &Level) -> bool {
        (level.question()).is_some_and(|question| {
            (self.under_way.values()).any(|asked| asked.contains(&question))
        })
    }

    fn is_done(&self) -> bool {
        self.plan.is_empty() && self.open.is_empty() && self.under_way.is_empty()
    }

    /// The verdict when all questions are answered.
    fn conclude(&mut self, bounds: &Bounds) -> Verdict {
        let limits = self.established.take().map(|(_, limits)| limits);
        let part = self.part.as_ref();
        let (reason, established) = match (self.too_much.take(), part, limits) {
            (Some((_, reason)), _, limits) => (reason, limits),
            (None, Some((left_out, _)), limits) => (Reason::LeftOut(left_out.clone()), limits),
            (None, None, Some(limits)) => return Verdict::of_limits(limits, bounds),
            // Without an answer nothing is known, whatever the reason.
            (None, None, None) => (Reason::Internal(Internal::NoAnswer), None),
        };
        Verdict::Unknown {
            reason,
            established,
        }
    }
}

/// What one core does.
struct Search<'t> {
    task: &'t Task<'t>,
    common: &'t Mutex<Common>,
    /// There is an answer, or nothing small is left to ask.
    news: &'t Condvar,
    core: usize,
    /// How long a question may take in its first turn; `None` if it is the only
    /// one.
    first_share: Option<Duration>,
}

/// There is a verdict.
struct Over;

impl Search<'_> {
    fn common(&self) -> MutexGuard<'_, Common> {
        // What a core that panicked had told is as true as before.
        (self.common.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn small_questions(&self) -> ControlFlow<Over> {
        let mut common = self.common();
        let count = FIRST_LEVELS.min(common.plan.len());
        let first: Vec<Level> = common.plan.drain(..count).collect();
        common.open.extend(first);
        drop(common);
        loop {
            let next = self.common().next(self.core, true);
            let Some(level) = next else { break };
            self.ask(level)?;
        }
        self.common().has_begun = true;
        self.news.notify_all();
        self.run_at_random()
    }

    fn run_at_random(&self) -> ControlFlow<Over> {
        // With all violations, they would find the same ones again and again.
        if self.task.options.bounds.are_open() && !self.task.options.all_violations {
            let (run, record) = sample::sample(self.task);
            self.common().attempts.push(record);
            match run {
                None => {}
                Some(run) if self.task.depends_on_unknown(&run) => {
                    let dependent = Dependent::of(self.task.program, *run);
                    return self.unknown(Reason::DependsOn(Box::new(dependent)));
                }
                Some(run) => return self.end(Verdict::Violated(run)),
            }
        }
        ControlFlow::Continue(())
    }

    /// The small questions have the answers that are the easiest to understand; so
    /// nobody may be faster with a large one, unless they take long.
    fn wait_for_small_questions(&self, longest: Duration) {
        let is_early =
            |common: &mut Common| !common.has_begun && !self.task.stop.load(Ordering::Relaxed);
        // Whoever waits gets on with it, come what may.
        let _ = (self.news).wait_timeout_while(self.common(), longest, is_early);
    }

    /// All other questions.
    fn rest(&self) -> ControlFlow<Over> {
        loop {
            if self.task.stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(Over);
            }
            if self.is_over() {
                return self.unknown(Reason::Time);
            }
            let mut common = self.common();
            if let Some(level) = common.next(self.core, false) {
                drop(common);
                self.ask(level)?;
            } else if common.is_done() {
                return ControlFlow::Continue(());
            } else {
                let _ = self.news.wait_timeout(common, PAUSE);
            }
        }
    }

    /// Asks the first question of a level, which is open again afterwards if it
    /// has more of them or this one takes too long.
    fn ask(&self, mut level: Level) -> ControlFlow<Over> {
        let Some(question) = level.question() else {
            return ControlFlow::Continue(());
        };
        let start = Instant::now();
        let (answer, record) = self.answer(&mut level, question.order);
        let is_too_long = matches!(answer, Answer::TooLong);
        if is_too_long {
            level.turns += 1;
            level.spent += start.elapsed();
            let is_alone = level.is_hard || level.questions.asked.len() == 1;
            level.is_hard = true;
            level.bounded =
                (level.bounded.take()).filter(|kept| is_alone && kept.clauses() <= MOST_KEPT);
            if level.bounded.is_none() {
                level.spent = Duration::ZERO;
            }
        } else {
            level.next_question();
        }
        let mut common = self.common();
        common.under_way.remove(&self.core);
        common.attempts.push(record);
        common.open.push(level);
        drop(common);
        self.news.notify_all();
        match answer {
            Answer::Violated(run) => self.end(Verdict::Violated(run)),
            Answer::None(limits) => self.note(question, limits),
            Answer::TooLong if !self.is_over() => ControlFlow::Continue(()),
            Answer::TooLong => self.unknown(Reason::Time),
            Answer::Unknown(reason) => self.unknown(reason),
            Answer::Depends(dependent) => self.unknown(Reason::DependsOn(dependent)),
            Answer::TooMuch(reason) => self.give_up_from(question.unwind, reason),
            Answer::Partly(part) => {
                self.common().part = Some(*part);
                ControlFlow::Continue(())
            }
        }
    }

    fn answer(&self, level: &mut Level, order: Order) -> (Answer, Attempt) {
        let deadline = self.deadline(level);
        if level.bounded.is_none() {
            let largest = level.questions.asked.back().copied();
            let query = Query {
                order: largest.filter(|_| !level.is_hard).unwrap_or(order),
                unwind: level.questions.unwind,
                deadline,
            };
            match Bounded::new(self.task, &query) {
                Ok(bounded) => {
                    if bounded.has_whole_loops() {
                        self.common().enough_unwinding = Some(level.questions.unwind);
                    }
                    level.bounded = Some(bounded);
                }
                Err(failure) => return *failure,
            }
        }
        let bounded = level
            .bounded
            .as_mut()
            .expect("it was made if there was none");
        bounded.ask(self.task, order, deadline)
    }

    /// There is no violation within these bounds.
    fn note(&self, question: Question, limits: Limits) -> ControlFlow<Over> {
        if limits.order.is_none() && limits.loops.is_empty() {
            if !limits.assumptions.is_empty() {
                // What was taken for granted may be wrong.
                self.run_at_random()?;
            }
            let bounds = &self.task.options.bounds;
            return self.end(Verdict::of_limits(limits, bounds));
        }
        let mut common = self.common();
        common.shown.push(question);
        let Question { order, unwind, .. } = question;
        let size = size_of(order) * u64::from(unwind);
        if (common.established.as_ref()).is_none_or(|(best, _)| size >= *best) {
            common.established = Some((size, limits));
        }
        ControlFlow::Continue(())
    }

    /// Fewer iterations may still bring something to light.
    fn give_up_from(&self, unwind: u32, reason: Reason) -> ControlFlow<Over> {
        let mut common = self.common();
        if common.shown.is_empty() {
            drop(common);
            return self.unknown(reason);
        }
        let is_less = (common.too_much.as_ref()).is_none_or(|(least, _)| unwind < *least);
        if is_less {
            common.too_much = Some((unwind, reason));
        }
        ControlFlow::Continue(())
    }

    fn unknown(&self, reason: Reason) -> ControlFlow<Over> {
        let established = self.common().established.clone();
        self.end(Verdict::Unknown {
            reason,
            established: established.map(|(_, limits)| limits),
        })
    }

    /// The first verdict counts, and stops everybody.
    fn end(&self, verdict: Verdict) -> ControlFlow<Over> {
        let mut common = self.common();
        common.verdict.get_or_insert(verdict);
        self.task.stop.store(true, Ordering::Relaxed);
        self.news.notify_all();
        drop(common);
        ControlFlow::Break(Over)
    }

    /// A core that panics takes its question with it, for which others would
    /// wait.
    fn or_stop_all(&self, work: impl FnOnce()) {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            let _ = self.unknown(Reason::Internal(Internal::Panicked));
        }
    }

    fn is_over(&self) -> bool {
        let deadline = self.task.deadline;
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// When the turn of a level is over.
    fn deadline(&self, level: &Level) -> Option<Instant> {
        let Some(first) = self.first_share else {
            return self.task.deadline;
        };
        let unwind = level.questions.unwind.max(FEW_ITERATIONS);
        let share = (first * FEW_ITERATIONS / unwind * FEW_ITERATIONS / unwind)
            .saturating_mul(1u32.checked_shl(level.turns).unwrap_or(u32::MAX))
            .min(LONGEST_SHARE);
        let end = Instant::now() + share.saturating_sub(level.spent);
        Some(self.task.deadline.map_or(end, |last| last.min(end)))
    }
}

fn size_of(order: Order) -> u64 {
    match order {
        Order::Contexts(contexts) => u64::from(contexts),
        Order::Rounds(rounds) => 2 * u64::from(rounds),
    }
}

/// The number of the level whose question had the fewest turns.
fn fewest_turns<'l>(levels: impl Iterator<Item = &'l Level>) -> Option<usize> {
    let least = levels.min_by_key(|level| (level.turns, level.number));
    least.map(|level| level.number)
}

/// Whether the first bound allows all that the second does.
fn contains(order: Order, other: Order) -> bool {
    match (order, other) {
        (Order::Contexts(a), Order::Contexts(b))
        | (Order::Rounds(a), Order::Rounds(b) | Order::Contexts(b)) => a >= b,
        (Order::Contexts(_), Order::Rounds(_)) => false,
    }
}

/// The bounds to try: contexts and unwinding in turn, whichever is not given.
fn plan(order: Option<Order>, unwind: Option<u32>) -> Vec<Questions> {
    let mut plan = Vec::new();
    let mut add = |level: u32, is_for_proof: bool, asked: VecDeque<Order>| {
        plan.push(Questions {
            unwind: unwind.unwrap_or(level),
            asked,
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

    fn common(plan: Vec<Questions>, cores: usize) -> Common {
        Common {
            plan: (plan.into_iter().enumerate())
                .map(|(number, questions)| Level::new(number, questions))
                .collect(),
            most_open: OPEN_LEVELS + cores - 1,
            ..Common::default()
        }
    }

    fn rounds(unwind: u32, asked: RangeInclusive<u32>) -> Questions {
        Questions {
            unwind,
            asked: asked.map(Order::Rounds).collect(),
            is_for_proof: false,
        }
    }

    /// What a core does with an answer.
    fn answer(common: &mut Common, core: usize, mut level: Level, is_too_long: bool) {
        if let Some(question) = common.under_way.remove(&core) {
            if is_too_long {
                level.turns += 1;
            } else {
                common.shown.push(question);
                level.next_question();
            }
        }
        common.open.push(level);
    }

    #[test]
    fn what_contains_a_hard_question_waits_for_it() {
        let plan = vec![rounds(3, 3..=4), rounds(4, 3..=4), rounds(8, 1..=2)];
        let mut common = common(plan, 2);
        let hard = common.next(0, false).expect("the first level is free");
        assert_eq!(hard.number, 0);
        answer(&mut common, 0, hard, true);
        let other = common.next(0, false).expect("another is free");
        assert_eq!(other.number, 2);
        let hard = common.next(1, false).expect("the hard one goes on");
        assert_eq!((hard.number, hard.turns), (0, 1));
        answer(&mut common, 1, hard, false);
        // Three rounds are shown; neither four nor three with more iterations is
        // known to be hard.
        let next = common.next(1, false).expect("it is free now");
        assert_eq!((next.number, next.turns), (0, 0));
    }

    #[test]
    fn nobody_is_idle_while_there_is_a_question() {
        let plan = vec![rounds(1, 1..=2), rounds(2, 2..=3)];
        let mut common = common(plan, 2);
        let hard = common.next(0, false).expect("the first level is free");
        answer(&mut common, 0, hard, true);
        let first = common.next(0, false).map(|level| level.number);
        let second = common.next(1, false).map(|level| level.number);
        assert_eq!((first, second), (Some(0), Some(1)));
        let third = common.next(2, false).map(|level| level.number);
        assert_eq!(third, None);
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
            let mut common = common(plan(None, None), cores);
            let mut busy: Vec<Option<Level>> = (0..cores).map(|_| None).collect();
            while !common.is_done() {
                let core = draw(cores as u64) as usize;
                match busy[core].take() {
                    Some(level) => {
                        let is_too_long = level.turns < 6 && draw(3) == 0;
                        answer(&mut common, core, level, is_too_long);
                    }
                    None => busy[core] = common.next(core, false),
                }
                assert!(
                    busy.iter().any(Option::is_some) || !common.under_way.is_empty() || {
                        busy[0] = common.next(0, false);
                        busy[0].is_some() || common.is_done()
                    },
                    "nobody is at anything, and there are open questions"
                );
            }
            for (unwind, asked) in all {
                for order in asked {
                    let question = Question {
                        order,
                        unwind,
                        is_begun: false,
                    };
                    assert!(common.is_shown(&question), "{order:?} {unwind}");
                }
            }
        }
    }
}
