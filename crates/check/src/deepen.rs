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
//! Questions that contain one that waits do so too.
//!
//! After the first phase, the interpreter makes some runs at random: what is
//! large for a solver may be easy to hit.

use crate::attempt::{Answer, Query, Task};
use crate::bounded::Bounded;
use crate::sample;
use crate::verdict::{Attempt, Limits, Order, Report, Verdict};
use std::collections::VecDeque;
use std::ops::{ControlFlow, RangeInclusive};
use std::time::{Duration, Instant};

/// Bounds that grow for ever end here at the latest.
const HIGHEST: u32 = 64;
/// More is tried only together with more contexts.
const MOST_UNWINDING: u32 = 512;
/// What a question may take in the first phase if there is no limit.
const FIRST_SHARE: Duration = Duration::from_secs(4);
/// With a limit, it is this part of it.
const SHARE: u32 = 16;
/// Levels of the first phase, and how many come with each other phase.
const FIRST_LEVELS: usize = 5;
const MORE_LEVELS: usize = 2;
/// Formulas with more clauses are not kept from one phase to the next.
const MOST_KEPT: usize = 2_000_000;

pub fn run(task: &Task) -> Report {
    let bounds = &task.options.bounds;
    let share = match task.options.time {
        Some(time) => time / SHARE,
        None => FIRST_SHARE,
    };
    let mut search = Search {
        task,
        share: (!bounds.are_given()).then_some(share),
        attempts: Vec::new(),
        shown: Vec::new(),
        established: None,
        enough_unwinding: None,
        part: None,
    };
    let verdict = match search.all(plan(bounds.order, bounds.unwind).into()) {
        ControlFlow::Break(verdict) => verdict,
        ControlFlow::Continue(()) => {
            let limits = search.established.map(|(_, limits)| limits);
            match &search.part {
                Some((left_out, _)) => Verdict::Unknown {
                    reason: format!(
                        "no violation was found, but not all was looked at: {left_out} are left out"
                    ),
                    established: limits,
                },
                None => safe(limits.unwrap_or_default()),
            }
        }
    };
    Report {
        verdict,
        attempts: search.attempts,
        limits_of_part: search.part.map(|(_, limits)| limits),
    }
}

/// Questions about one formula, in order.
struct Level {
    unwind: u32,
    asked: VecDeque<Order>,
    /// It is of use only if no loop is cut.
    is_for_proof: bool,
    /// The formula, once there is one.
    bounded: Option<Bounded>,
    /// How long the first question has taken.
    spent: Duration,
}

struct Search<'t> {
    task: &'t Task<'t>,
    /// How long a question may take in this phase; `None` if it is the only one.
    share: Option<Duration>,
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
}

impl Search<'_> {
    fn all(&mut self, mut plan: VecDeque<Level>) -> ControlFlow<Verdict> {
        let mut open: VecDeque<Level> = VecDeque::new();
        let mut more = FIRST_LEVELS;
        let mut is_first_phase = true;
        while !(open.is_empty() && plan.is_empty()) {
            open.extend(plan.drain(..more.min(plan.len())));
            let mut waiting = VecDeque::new();
            for mut level in open {
                self.level(&mut level, &waiting)?;
                if !level.asked.is_empty() {
                    waiting.push_back(level);
                }
            }
            if is_first_phase && self.task.options.bounds.are_open() {
                let run = sample::sample(self.task, &mut self.attempts);
                if let Some(run) = run {
                    return ControlFlow::Break(Verdict::Violated(run));
                }
            }
            open = waiting;
            more = MORE_LEVELS;
            is_first_phase = false;
            self.share = self.share.map(|share| 2 * share);
        }
        ControlFlow::Continue(())
    }

    /// Asks the questions of a level, up to the first that takes too long.
    fn level(&mut self, level: &mut Level, waiting: &VecDeque<Level>) -> ControlFlow<Verdict> {
        if let Some(enough) = self.enough_unwinding {
            level.unwind = level.unwind.min(enough);
        }
        let unwind = level.unwind;
        if level.is_for_proof && self.enough_unwinding.is_none() {
            level.asked.clear();
        }
        while let Some(order) = level.asked.front().copied() {
            let is_hard = |hard: &Level| unwind >= hard.unwind && contains(order, hard.asked[0]);
            if waiting.iter().any(is_hard) {
                return ControlFlow::Continue(());
            }
            if self.is_shown(order, unwind) {
                level.asked.pop_front();
                continue;
            }
            let start = Instant::now();
            let (answer, record) = self.question(level, order);
            self.attempts.push(record);
            match answer {
                Answer::Violated(run) => return ControlFlow::Break(Verdict::Violated(run)),
                Answer::None(limits) => self.note(order, unwind, limits)?,
                Answer::TooLong if !self.is_over() => {
                    level.spent += start.elapsed();
                    level.bounded = level
                        .bounded
                        .take()
                        .filter(|kept| kept.clauses() <= MOST_KEPT);
                    return ControlFlow::Continue(());
                }
                Answer::TooLong => return self.unknown("the time is over".to_owned()),
                Answer::Unknown(reason) => return self.unknown(reason),
                Answer::Partly { left_out, limits } => self.part = Some((left_out, limits)),
            }
            level.asked.pop_front();
            level.spent = Duration::ZERO;
        }
        ControlFlow::Continue(())
    }

    fn question(&mut self, level: &mut Level, order: Order) -> (Answer, Attempt) {
        let is_new = level.bounded.is_none();
        let spent = if is_new { Duration::ZERO } else { level.spent };
        let deadline = self.deadline(spent);
        if is_new {
            let largest = level.asked.back().copied().unwrap_or(order);
            let query = Query {
                order: largest,
                unwind: level.unwind,
                deadline,
            };
            match Bounded::new(self.task, &query) {
                Ok(bounded) => {
                    if bounded.has_whole_loops() {
                        self.enough_unwinding = Some(level.unwind);
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
    fn note(&mut self, order: Order, unwind: u32, limits: Limits) -> ControlFlow<Verdict> {
        if limits.order.is_none() && limits.loops.is_empty() {
            return ControlFlow::Break(safe(limits));
        }
        self.shown.push((order, unwind));
        let size = size_of(order) * u64::from(unwind);
        if (self.established.as_ref()).is_none_or(|(best, _)| size >= *best) {
            self.established = Some((size, limits));
        }
        ControlFlow::Continue(())
    }

    fn is_shown(&self, order: Order, unwind: u32) -> bool {
        (self.shown.iter())
            .any(|(shown, shown_unwind)| contains(*shown, order) && *shown_unwind >= unwind)
    }

    fn unknown(&mut self, reason: String) -> ControlFlow<Verdict> {
        ControlFlow::Break(Verdict::Unknown {
            reason,
            established: self.established.take().map(|(_, limits)| limits),
        })
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
fn plan(order: Option<Order>, unwind: Option<u32>) -> Vec<Level> {
    let mut plan = Vec::new();
    let mut add = |level: u32, is_for_proof: bool, asked: VecDeque<Order>| {
        plan.push(Level {
            unwind: unwind.unwrap_or(level),
            asked,
            is_for_proof,
            bounded: None,
            spent: Duration::ZERO,
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
