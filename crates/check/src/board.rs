//! The board: what engines have established about a question, and the verdict.
//!
//! Engines write facts and know nothing of each other: a violation that was replayed,
//! a proof, bounds within which nothing goes wrong, why they ended. The verdict is
//! read off the board, and so is what there is to tell when time is over. So it does
//! not matter which engine was first, and one that fails takes nothing with it.
//!
//! The board decides one thing: when there is nothing left to wait for. A violation
//! is the end, but one from a run that nobody made short leaves the small questions
//! some time for a simpler one. An answer without violation is the end, unless it takes
//! something for granted and runs at random are still to come, which may show that to
//! be wrong.

use crate::engines::Name;
use crate::facts::{Dependent, Internal, Limits, Reason};
use crate::verdict::{Attempt, Bounds, Verdict};
use replay::Run;
use search::LeftOut;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long small questions may look for something simpler than what is known: as
/// long as it took to find that, but within these.
const LEAST_GRACE: Duration = Duration::from_millis(300);
const MOST_GRACE: Duration = Duration::from_secs(2);

pub struct Board<'t> {
    start: Instant,
    facts: Mutex<Facts>,
    news: Condvar,
    /// Set when there is nothing left to wait for.
    stop: &'t AtomicBool,
}

/// All that is established.
#[derive(Default)]
struct Facts {
    /// Each was replayed.
    violations: Vec<Run>,
    /// Until when a simpler one may come.
    grace: Option<Instant>,
    dependent: Option<Box<Dependent>>,
    /// Nothing goes wrong in any run that the user asked for, if what is taken for
    /// granted holds.
    answer: Option<Limits>,
    /// Nothing goes wrong within these limits, the largest so far, and their size.
    established: Option<(u64, Limits)>,
    /// What was left out on purpose, and the limits of the rest.
    part: Option<(LeftOut, Limits)>,
    /// Engines that have not begun or are at work.
    at_work: Vec<Name>,
    /// Why the others ended; `None` if there was nothing left to do.
    ended: BTreeMap<Name, Option<Reason>>,
    /// The questions whose violations are the easiest to understand are answered.
    has_small_answers: bool,
    attempts: Vec<Attempt>,
}

/// What is told in the end.
pub struct Summary {
    pub verdict: Verdict,
    pub attempts: Vec<Attempt>,
    pub limits_of_part: Option<Limits>,
    /// Engines that failed, and why.
    pub failures: Vec<(Name, Reason)>,
}

impl<'t> Board<'t> {
    pub fn new(engines: Vec<Name>, stop: &'t AtomicBool) -> Board<'t> {
        Board {
            start: Instant::now(),
            facts: Mutex::new(Facts {
                has_small_answers: !engines.contains(&Name::Bounded),
                at_work: engines,
                ..Facts::default()
            }),
            news: Condvar::new(),
            stop,
        }
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        // What an engine that panicked had written is as true as before.
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write<R>(&self, change: impl FnOnce(&mut Facts) -> R) -> R {
        let result = change(&mut self.facts());
        self.news.notify_all();
        result
    }

    /// A run that was replayed goes wrong.
    pub fn violated(&self, by: Name, run: Box<Run>) {
        let now = Instant::now();
        let grace = (now - self.start).clamp(LEAST_GRACE, MOST_GRACE);
        self.write(|facts| {
            facts.violations.push(*run);
            match by {
                Name::Bounded => facts.grace = Some(now),
                Name::Sample | Name::Explore => {
                    facts.grace.get_or_insert(now + grace);
                }
            }
        });
    }

    /// Something goes wrong if functions that nobody knows do as they did there.
    pub fn depends(&self, dependent: Box<Dependent>) {
        self.write(|facts| facts.dependent.get_or_insert(dependent).calls.len());
    }

    /// No run goes wrong, and none was left out that the user asked for.
    pub fn answered(&self, limits: Limits) {
        self.write(|facts| {
            // Of two answers, the one that rests on less.
            let weight = |limits: &Limits| {
                let has_order = limits.order.is_some();
                (has_order, limits.loops.len(), limits.assumptions.len())
            };
            if (facts.answer.as_ref()).is_none_or(|answer| weight(&limits) < weight(answer)) {
                facts.answer = Some(limits);
            }
        });
    }

    /// No run within these limits goes wrong; the larger, the better.
    pub fn closed(&self, size: u64, limits: Limits) {
        self.write(|facts| {
            if (facts.established.as_ref()).is_none_or(|(best, _)| size >= *best) {
                facts.established = Some((size, limits));
            }
        });
    }

    /// Of these limits, a part was left out on purpose.
    pub fn closed_partly(&self, left_out: LeftOut, limits: Limits) {
        self.write(|facts| facts.part = Some((left_out, limits)));
    }

    pub fn attempted(&self, attempt: Attempt) {
        self.write(|facts| facts.attempts.push(attempt));
    }

    /// The small questions are answered, or take too long.
    pub fn has_small_answers(&self) {
        self.write(|facts| facts.has_small_answers = true);
    }

    /// Waits until that is so, or there is an answer that could be doubted, or nothing
    /// is left to wait for.
    pub fn wait_for_small_answers(&self) {
        let is_early = |facts: &mut Facts| {
            let has_answers = facts.has_small_answers || facts.answer.is_some();
            !has_answers && !self.stop.load(Ordering::Relaxed)
        };
        drop(self.news.wait_while(self.facts(), is_early));
    }

    /// An engine has ended.
    pub fn ended(&self, engine: Name, reason: Option<Reason>) {
        self.write(|facts| {
            facts.at_work.retain(|name| *name != engine);
            facts.ended.insert(engine, reason);
            facts.has_small_answers |= engine == Name::Bounded;
        });
    }

    /// Waits until there is nothing left to wait for, and stops everybody.
    pub fn accompany(&self) {
        let mut facts = self.facts();
        while !facts.are_final() {
            let rest = (facts.grace).map(|end| end.saturating_duration_since(Instant::now()));
            facts = match rest {
                None => (self.news.wait(facts)).unwrap_or_else(PoisonError::into_inner),
                Some(rest) => {
                    let waited = self.news.wait_timeout(facts, rest);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        self.stop.store(true, Ordering::Relaxed);
        self.news.notify_all();
    }

    /// What there is to tell.
    pub fn read(self, bounds: &Bounds) -> Summary {
        let facts = (self.facts.into_inner()).unwrap_or_else(PoisonError::into_inner);
        facts.summary(bounds)
    }
}

impl Facts {
    fn are_final(&self) -> bool {
        let is_late = || self.grace.is_none_or(|end| Instant::now() >= end);
        let may_be_doubted = || self.at_work.contains(&Name::Sample);
        let is_violated = !self.violations.is_empty();
        let is_answered = (self.answer.as_ref())
            .is_some_and(|limits| limits.assumptions.is_empty() || !may_be_doubted());
        is_violated && (self.has_small_answers || is_late())
            || self.dependent.is_some()
            || is_answered && !is_violated
            || self.at_work.is_empty()
    }

    fn summary(mut self, bounds: &Bounds) -> Summary {
        let failures = (self.ended.iter())
            .filter_map(|(name, reason)| Some((*name, reason.clone()?)))
            .filter(|(_, reason)| reason.internal().is_some())
            .collect();
        Summary {
            limits_of_part: self.part.as_ref().map(|(_, limits)| limits.clone()),
            attempts: std::mem::take(&mut self.attempts),
            verdict: self.verdict(bounds),
            failures,
        }
    }

    fn verdict(self, bounds: &Bounds) -> Verdict {
        let contexts = |run: &Run| run.schedule.contexts.len();
        let simplest = (self.violations.into_iter()).min_by_key(contexts);
        if let Some(run) = simplest {
            return Verdict::Violated(Box::new(run));
        }
        let established = self.established.map(|(_, limits)| limits);
        if let Some(dependent) = self.dependent {
            return Verdict::Unknown {
                reason: Reason::DependsOn(dependent),
                established,
            };
        }
        if let Some(limits) = self.answer {
            return Verdict::of_limits(limits, bounds);
        }
        let reasons: BTreeMap<Name, Reason> = (self.ended.into_iter())
            .filter_map(|(name, reason)| Some((name, reason?)))
            .collect();
        let (reason, established) = match (most_telling(reasons), self.part, established) {
            (Some(reason), _, limits) => (reason, limits),
            (None, Some((left_out, _)), limits) => (Reason::LeftOut(left_out), limits),
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

/// Of several reasons why engines have no answer, that of the one that reaches
/// furthest; but a mistake of ours comes before everything.
fn most_telling(mut reasons: BTreeMap<Name, Reason>) -> Option<Reason> {
    let is_ours = |reason: &Reason| reason.internal().is_some();
    let ours = (reasons.iter()).find(|(_, reason)| is_ours(reason));
    let name = ours.map(|(name, _)| *name);
    let name = name.or_else(|| {
        [Name::Bounded, Name::Explore, Name::Sample]
            .into_iter()
            .find(|name| reasons.contains_key(name))
    });
    reasons.remove(&name?)
}
