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
//! is, nobody knows. So there are phases: in each, a question may have taken
//! twice as long as in the phase before, and a few more levels are begun. One
//! that takes longer waits for the next phase, with what its solver has learnt.
//! Questions that contain one that waits do so too. From the second phase on, each
//! core has levels of its own.
//!
//! After the first phase, the interpreter makes some runs at random: what is
//! large for a solver may be easy to hit.

use crate::attempt::{Answer, Query, Task};
use crate::bounded::Bounded;
use crate::sample;
use crate::verdict::{Attempt, Limits, Order, Report, Verdict};
use std::collections::{BTreeMap, VecDeque};
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bounds that grow for ever end here at the latest.
const HIGHEST: u32 = 64;
/// More is tried only together with more contexts.
const MOST_UNWINDING: u32 = 512;
/// What a question may take in the first phase if there is no limit.
const FIRST_SHARE: Duration = Duration::from_secs(4);
/// With a limit, it is this part of it.
const SHARE: u32 = 16;
/// A question never takes longer at a stretch.
const LONGEST_SHARE: Duration = Duration::from_secs(24 * 3600);
/// Levels of the first phase, and how many come with each other phase.
const FIRST_LEVELS: usize = 5;
const MORE_LEVELS: usize = 2;
/// Formulas with more clauses are not kept from one phase to the next.
const MOST_KEPT: usize = 2_000_000;
/// A core that has fewer levels under way takes more.
const ENOUGH_LEVELS: usize = 3;

pub fn run(task: &Task) -> Report {
    let bounds = &task.options.bounds;
    let first_share = match task.options.time {
        Some(time) => time / SHARE,
        None => FIRST_SHARE,
    };
    let common = Mutex::new(Common {
        plan: plan(bounds.order, bounds.unwind).into(),
        ..Common::default()
    });
    let new_search = |core: usize| Search {
        task,
        common: &common,
        core,
        share: (!bounds.are_given()).then_some(first_share),
        open: VecDeque::new(),
    };
    // The first phase has the small questions, whose answers are the easiest to
    // understand; so nobody may be faster with a large one.
    let mut first = new_search(0);
    let is_open = first.first_phase().is_continue();
    // A strategy needs the cores itself.
    let cores = match bounds.are_given() || task.strategy().is_some() {
        true => 1,
        false => task.options.search.cores,
    };
    if is_open {
        std::thread::scope(|scope| {
            for core in 1..cores {
                let mut search = new_search(core);
                let work = move || search.rest();
                let builder = std::thread::Builder::new().stack_size(crate::STACK);
                // One core less is no reason to give up.
                let _ = builder.spawn_scoped(scope, work);
            }
            let _ = first.rest();
        });
    }
    let mut all = common.into_inner().unwrap_or_else(PoisonError::into_inner);
    let verdict = all.verdict.take().unwrap_or_else(|| all.conclude());
    Report {
        verdict,
        attempts: all.attempts,
        limits_of_part: all.part.map(|(_, limits)| limits),
        more: Vec::new(),
        rest: None,
        misfit: all.misfit,
    }
}

/// Questions about one formula, in order.
struct Questions {
    unwind: u32,
    asked: VecDeque<Order>,
    /// They are of use only if no loop is cut.
    is_for_proof: bool,
}

/// Questions under way, which stay with one core.
struct Level {
    questions: Questions,
    /// The formula, once there is one.
    bounded: Option<Bounded>,
    /// How long the first question has taken.
    spent: Duration,
}

/// What all cores know.
#[derive(Default)]
struct Common {
    /// Levels that nobody has begun.
    plan: VecDeque<Questions>,
    /// By core: questions that wait for its next phase.
    waiting: BTreeMap<usize, Vec<(Order, u32)>>,
    /// By core: the question that it is asking.
    under_way: BTreeMap<usize, (Order, u32)>,
    attempts: Vec<Attempt>,
    /// Bounds without violation.
    shown: Vec<(Order, u32)>,
    /// The largest of them, with its size and what it leaves out.
    established: Option<(u64, Limits)>,
    /// No loop goes on for longer than that.
    enough_unwinding: Option<u32>,
    /// What the strategy left out of the last question that it could not answer
    /// as a whole, and the limits of the rest.
    part: Option<(String, Limits)>,
    /// From this unwinding on, something is not supported, and why.
    unsupported: Option<(u32, String)>,
    /// A file of the user's that does not fit.
    misfit: Option<String>,
    verdict: Option<Verdict>,
}

impl Common {
    fn is_unsupported(&self, unwind: u32) -> bool {
        (self.unsupported.as_ref()).is_some_and(|(least, _)| unwind >= *least)
    }

    fn is_shown(&self, order: Order, unwind: u32) -> bool {
        (self.shown.iter())
            .any(|(shown, shown_unwind)| contains(*shown, order) && *shown_unwind >= unwind)
    }

    /// Whether a question of a core contains one that waits, or somebody is at it.
    fn must_wait(&self, core: usize, order: Order, unwind: u32) -> bool {
        let is_hard = self.waiting.iter().any(|(other, questions)| {
            questions.iter().any(|(hard, hard_unwind)| {
                // Of the same question in two places, one goes on.
                let is_mine = (*hard, *hard_unwind) == (order, unwind) && core < *other;
                !is_mine && unwind >= *hard_unwind && contains(order, *hard)
            })
        });
        let is_asked = (self.under_way.values())
            .any(|(asked, asked_unwind)| *asked_unwind >= unwind && contains(*asked, order));
        is_hard || is_asked
    }

    /// The verdict when all questions are answered.
    fn conclude(&mut self) -> Verdict {
        let limits = self.established.take().map(|(_, limits)| limits);
        if let Some((_, reason)) = self.unsupported.take() {
            return Verdict::Unknown {
                reason,
                established: limits,
            };
        }
        match &self.part {
            Some((left_out, _)) => Verdict::Unknown {
                reason: format!(
                    "no violation was found, but not all was looked at: {left_out} are left out"
                ),
                established: limits,
            },
            None => match limits {
                Some(limits) => safe(limits),
                // Without an answer nothing is known, whatever the reason.
                None => Verdict::Unknown {
                    reason: "internal error: no question was answered".to_owned(),
                    established: None,
                },
            },
        }
    }
}

/// What one core does.
struct Search<'t> {
    task: &'t Task<'t>,
    common: &'t Mutex<Common>,
    core: usize,
    /// How long a question may take in this phase; `None` if it is the only one.
    share: Option<Duration>,
    open: VecDeque<Level>,
}

/// There is a verdict.
struct Over;

impl Search<'_> {
    fn common(&self) -> MutexGuard<'_, Common> {
        // What a core that panicked had told is as true as before.
        (self.common.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn first_phase(&mut self) -> ControlFlow<Over> {
        self.begin_levels(FIRST_LEVELS);
        self.phase()?;
        // Runs at random would find the same ones again and again.
        if self.task.options.bounds.are_open() && !self.task.options.all_violations {
            let (run, record) = sample::sample(self.task);
            self.common().attempts.push(record);
            if let Some(run) = run {
                return self.end(Verdict::Violated(run));
            }
        }
        ControlFlow::Continue(())
    }

    /// All other phases.
    fn rest(&mut self) -> ControlFlow<Over> {
        loop {
            if self.task.stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(Over);
            }
            if self.open.len() < ENOUGH_LEVELS {
                self.begin_levels(MORE_LEVELS);
            }
            if self.open.is_empty() {
                return ControlFlow::Continue(());
            }
            if self.is_over() {
                return self.unknown("the time is over".to_owned());
            }
            self.share = self.share.map(|share| (2 * share).min(LONGEST_SHARE));
            self.phase()?;
        }
    }

    fn begin_levels(&mut self, count: usize) {
        let mut common = self.common();
        let count = count.min(common.plan.len());
        let levels: Vec<Level> = (common.plan.drain(..count))
            .map(|questions| Level {
                questions,
                bounded: None,
                spent: Duration::ZERO,
            })
            .collect();
        drop(common);
        self.open.extend(levels);
    }

    fn phase(&mut self) -> ControlFlow<Over> {
        self.common().waiting.remove(&self.core);
        let mut is_idle = true;
        for mut level in std::mem::take(&mut self.open) {
            let attempts = self.level(&mut level)?;
            is_idle &= attempts == 0;
            if let Some(order) = level.questions.asked.front() {
                let question = (*order, level.questions.unwind);
                let core = self.core;
                let mut common = self.common();
                common.waiting.entry(core).or_default().push(question);
                drop(common);
                self.open.push_back(level);
            }
        }
        if is_idle && !self.open.is_empty() {
            // Others have to answer first.
            self.begin_levels(MORE_LEVELS);
            std::thread::sleep(Duration::from_millis(50));
            self.share = self.share.map(|share| share / 2);
        }
        ControlFlow::Continue(())
    }

    /// Asks the questions of a level, up to the first that takes too long, and
    /// says how many were asked.
    fn level(&mut self, level: &mut Level) -> ControlFlow<Over, usize> {
        let mut count = 0;
        while let Some(order) = level.questions.asked.front().copied() {
            let mut common = self.common();
            let questions = &mut level.questions;
            if let Some(enough) = common.enough_unwinding {
                questions.unwind = questions.unwind.min(enough);
            } else if questions.is_for_proof {
                questions.asked.clear();
                break;
            }
            let unwind = questions.unwind;
            if common.is_unsupported(unwind) {
                questions.asked.clear();
                break;
            }
            if common.must_wait(self.core, order, unwind) {
                break;
            }
            if common.is_shown(order, unwind) {
                questions.asked.pop_front();
                continue;
            }
            common.under_way.insert(self.core, (order, unwind));
            drop(common);
            let start = Instant::now();
            let (answer, record) = self.question(level, order);
            let mut common = self.common();
            common.under_way.remove(&self.core);
            common.attempts.push(record);
            drop(common);
            count += 1;
            match answer {
                Answer::Violated(run) => {
                    self.end(Verdict::Violated(run))?;
                }
                Answer::None(limits) => self.note(order, unwind, limits)?,
                Answer::TooLong if !self.is_over() => {
                    level.spent += start.elapsed();
                    level.bounded =
                        (level.bounded.take()).filter(|kept| kept.clauses() <= MOST_KEPT);
                    break;
                }
                Answer::TooLong => self.unknown("the time is over".to_owned())?,
                Answer::Unknown(reason) => self.unknown(reason)?,
                Answer::Misfit(reason) => {
                    self.common().misfit = Some(reason.clone());
                    self.unknown(reason)?;
                }
                Answer::Unsupported(reason) => self.give_up_from(unwind, reason)?,
                Answer::Partly { left_out, limits } => {
                    self.common().part = Some((left_out, limits));
                }
            }
            level.questions.asked.pop_front();
            level.spent = Duration::ZERO;
        }
        ControlFlow::Continue(count)
    }

    fn question(&mut self, level: &mut Level, order: Order) -> (Answer, Attempt) {
        let is_new = level.bounded.is_none();
        let spent = if is_new { Duration::ZERO } else { level.spent };
        let deadline = self.deadline(spent);
        if is_new {
            let largest = level.questions.asked.back().copied().unwrap_or(order);
            let query = Query {
                order: largest,
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
    fn note(&mut self, order: Order, unwind: u32, limits: Limits) -> ControlFlow<Over> {
        if limits.order.is_none() && limits.loops.is_empty() {
            return self.end(safe(limits));
        }
        let mut common = self.common();
        common.shown.push((order, unwind));
        let size = size_of(order) * u64::from(unwind);
        if (common.established.as_ref()).is_none_or(|(best, _)| size >= *best) {
            common.established = Some((size, limits));
        }
        ControlFlow::Continue(())
    }

    /// Fewer iterations may still bring something to light.
    fn give_up_from(&self, unwind: u32, reason: String) -> ControlFlow<Over> {
        let mut common = self.common();
        if common.shown.is_empty() {
            drop(common);
            return self.unknown(reason);
        }
        let is_less = (common.unsupported.as_ref()).is_none_or(|(least, _)| unwind < *least);
        if is_less {
            common.unsupported = Some((unwind, reason));
        }
        ControlFlow::Continue(())
    }

    fn unknown(&self, reason: String) -> ControlFlow<Over> {
        let established = self.common().established.clone();
        self.end(Verdict::Unknown {
            reason,
            established: established.map(|(_, limits)| limits),
        })
    }

    /// The first verdict counts, and stops everybody.
    fn end(&self, verdict: Verdict) -> ControlFlow<Over> {
        self.common().verdict.get_or_insert(verdict);
        self.task.stop.store(true, Ordering::Relaxed);
        ControlFlow::Break(Over)
    }

    fn is_over(&self) -> bool {
        let deadline = self.task.deadline;
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// When a question has to wait for the next phase.
    fn deadline(&self, spent: Duration) -> Option<Instant> {
        let Some(share) = self.share else {
            return self.task.deadline;
        };
        let end = Instant::now() + share.saturating_sub(spent);
        Some(self.task.deadline.map_or(end, |last| last.min(end)))
    }
}

fn size_of(order: Order) -> u64 {
    match order {
        Order::Contexts(contexts) => u64::from(contexts),
        Order::Rounds(rounds) => 2 * u64::from(rounds),
    }
}

/// Whether the first bound allows all that the second does.
fn contains(order: Order, other: Order) -> bool {
    match (order, other) {
        (Order::Contexts(a), Order::Contexts(b))
        | (Order::Rounds(a), Order::Rounds(b) | Order::Contexts(b)) => a >= b,
        (Order::Contexts(_), Order::Rounds(_)) => false,
    }
}

fn safe(limits: Limits) -> Verdict {
    if limits == Limits::default() {
        Verdict::Safe
    } else {
        Verdict::SafeUpTo(limits)
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
    add(5, false, rounds(2..=3));
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
