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
//! be wrong. And a limit is the end: engines keep to limits by themselves, but where one
//! is at work that nobody can interrupt, the board is read without it.

use crate::engines::Name;
use crate::facts::{Dependent, Internal, Limits, Reason};
use crate::standing::Closed;
use crate::verdict::{Attempt, Bounds, Verdict};
use library::MemoryModel;
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

pub(crate) struct Board<'t> {
    start: Instant,
    facts: Mutex<Facts>,
    news: Condvar,
    model: MemoryModel,
    /// Set when there is nothing left to wait for.
    stop: &'t AtomicBool,
}

/// How long engines may take to notice that they are to stop, if the time is over or
/// memory is; and if there is an answer.
const LATE: Duration = Duration::from_millis(250);
const LATE_WITH_ANSWER: Duration = Duration::from_secs(2);
/// Of the limit on memory, how much more may be used in that time.
const MORE_MEMORY: u64 = 64;
/// How often somebody looks at the clock and at the memory.
const LOOK: Duration = Duration::from_millis(5);

/// What a check may not go beyond.
pub(crate) struct Bars<'t> {
    pub deadline: Option<Instant>,
    pub memory: Option<u64>,
    pub is_interrupted: &'t (dyn Fn() -> bool + Sync),
}

impl Bars<'_> {
    /// Why to stop, if so.
    fn reached(&self) -> Option<Reason> {
        let is_over = |deadline| Instant::now() >= deadline;
        if self.deadline.is_some_and(is_over) {
            return Some(Reason::Time);
        }
        if self.uses_more_than(0) {
            return Some(Reason::Memory);
        }
        (self.is_interrupted)().then_some(Reason::Interrupted)
    }

    /// Whether nobody can wait any more for engines to notice.
    fn is_far_beyond(&self) -> bool {
        self.uses_more_than(MORE_MEMORY)
    }

    /// Whether more memory is in use than the limit and one of so many parts of it.
    fn uses_more_than(&self, parts: u64) -> bool {
        let more = |limit: u64| limit + limit.checked_div(parts).unwrap_or(0);
        self.memory.is_some_and(|limit| {
            solve::memory::resident_lately().is_some_and(|bytes| bytes > more(limit))
        })
    }
}

/// Where those write who look at all runs that there are.
pub(crate) struct Ledger<'b> {
    board: &'b Board<'b>,
}

impl Ledger<'_> {
    /// No run goes wrong, and none was left out that the user asked for.
    pub(crate) fn answered(&self, limits: Limits) {
        self.board.write(|facts| {
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

    /// No run within these limits goes wrong, for which so many iterations were looked
    /// at.
    pub(crate) fn closed(&self, iterations: u32, closed: Closed, limits: Limits) {
        let size = closed.size(iterations);
        self.board.write(|facts| {
            closed.add_to(&mut facts.closed);
            if (facts.established.as_ref()).is_none_or(|(best, _)| size >= *best) {
                facts.established = Some((size, limits));
            }
        });
    }

    /// Of these limits, a part was left out on purpose.
    pub(crate) fn closed_partly(&self, left_out: LeftOut, limits: Limits) {
        self.board
            .write(|facts| facts.part = Some((left_out, limits)));
    }
}

/// All that is established.
#[derive(Clone, Default)]
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
    /// Bounds within which nothing goes wrong.
    closed: Vec<Closed>,
    /// The limit that ended it all.
    limit: Option<Reason>,
}

/// What is told in the end.
pub(crate) struct Summary {
    pub verdict: Verdict,
    pub attempts: Vec<Attempt>,
    pub limits_of_part: Option<Limits>,
    /// Engines that failed, and why.
    pub failures: Vec<(Name, Reason)>,
    pub closed: Vec<Closed>,
}

impl<'t> Board<'t> {
    pub(crate) fn new(engines: Vec<Name>, model: MemoryModel, stop: &'t AtomicBool) -> Board<'t> {
        Board {
            start: Instant::now(),
            model,
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
    pub(crate) fn violated(&self, by: Name, run: Box<Run>) {
        let now = Instant::now();
        let grace = (now - self.start).clamp(LEAST_GRACE, MOST_GRACE);
        self.write(|facts| {
            facts.violations.push(*run);
            match by {
                Name::Bounded => facts.grace = Some(now),
                Name::Sample | Name::Explore | Name::Order => {
                    facts.grace.get_or_insert(now + grace);
                }
            }
        });
    }

    /// Something goes wrong if functions that nobody knows do as they did there.
    pub(crate) fn depends(&self, dependent: Box<Dependent>) {
        self.write(|facts| facts.dependent.get_or_insert(dependent).calls.len());
    }

    /// Where an engine writes down that runs do not go wrong; `None` if it does not look
    /// at all runs that the memory model has.
    pub(crate) fn ledger(&self, by: Name) -> Option<Ledger<'_>> {
        let sees_all = match by {
            Name::Order => true,
            // They know interleavings only.
            Name::Bounded | Name::Explore | Name::Sample => self.model == MemoryModel::Sc,
        };
        sees_all.then_some(Ledger { board: self })
    }

    pub(crate) fn attempted(&self, attempt: Attempt) {
        self.write(|facts| facts.attempts.push(attempt));
    }

    /// The small questions are answered, or take too long.
    pub(crate) fn has_small_answers(&self) {
        self.write(|facts| facts.has_small_answers = true);
    }

    /// Waits until that is so, or there is an answer that could be doubted, or nothing
    /// is left to wait for.
    pub(crate) fn wait_for_small_answers(&self) {
        let is_early = |facts: &mut Facts| {
            let has_answers = facts.has_small_answers || facts.answer.is_some();
            !has_answers && !self.stop.load(Ordering::Relaxed)
        };
        drop(self.news.wait_while(self.facts(), is_early));
    }

    /// An engine has ended.
    pub(crate) fn ended(&self, engine: Name, reason: Option<Reason>) {
        self.write(|facts| {
            facts.at_work.retain(|name| *name != engine);
            facts.ended.insert(engine, reason);
            facts.has_small_answers |= engine == Name::Bounded;
        });
    }

    /// Waits until there is nothing left to wait for or a limit is reached, and stops
    /// everybody. `overdue` is told if somebody does not stop.
    pub(crate) fn accompany(&self, bars: &Bars, overdue: &dyn Fn()) {
        let mut facts = self.facts();
        while !facts.are_final() {
            facts.limit = bars.reached();
            if facts.limit.is_some() {
                break;
            }
            let grace = (facts.grace).map(|end| end.saturating_duration_since(Instant::now()));
            let rest = grace.map_or(LOOK, |grace| grace.min(LOOK));
            facts = self.wait(facts, rest);
        }
        self.stop.store(true, Ordering::Relaxed);
        self.news.notify_all();
        let patience = match facts.limit {
            Some(_) => LATE,
            None => LATE_WITH_ANSWER,
        };
        let last = Instant::now() + patience;
        while !facts.at_work.is_empty() && Instant::now() < last && !bars.is_far_beyond() {
            facts = self.wait(facts, LOOK);
        }
        let is_late = !facts.at_work.is_empty();
        drop(facts);
        if is_late {
            overdue();
        }
    }

    fn wait<'f>(&self, facts: MutexGuard<'f, Facts>, rest: Duration) -> MutexGuard<'f, Facts> {
        let waited = self.news.wait_timeout(facts, rest);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// What there is to tell now.
    pub(crate) fn read(&self, bounds: &Bounds) -> Summary {
        let facts = self.facts().clone();
        facts.summary(bounds, self.model)
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

    fn summary(mut self, bounds: &Bounds, model: MemoryModel) -> Summary {
        let failures = (self.ended.iter())
            .filter_map(|(name, reason)| Some((*name, reason.clone()?)))
            .filter(|(_, reason)| reason.internal().is_some())
            .collect();
        Summary {
            limits_of_part: self.part.as_ref().map(|(_, limits)| limits.clone()),
            attempts: std::mem::take(&mut self.attempts),
            closed: std::mem::take(&mut self.closed),
            verdict: self.verdict(bounds, model),
            failures,
        }
    }

    fn verdict(self, bounds: &Bounds, model: MemoryModel) -> Verdict {
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
        let is_weak = model != MemoryModel::Sc;
        let reason = match self.limit {
            Some(limit) => Some(told_beside(reasons, limit, is_weak)),
            None => most_telling(reasons, is_weak),
        };
        let (reason, established) = match (reason, self.part, established) {
            (Some(reason), _, limits) => (reason, limits),
            (None, Some((left_out, _)), limits) => (Reason::LeftOut(left_out), limits),
            (None, None, Some(limits)) => return Verdict::of_limits(limits, bounds),
            (None, None, None) if is_weak => (Reason::OnlyInterleavings, None),
            // Without an answer nothing is known, whatever the reason.
            (None, None, None) => (Reason::Internal(Internal::NoAnswer), None),
        };
        Verdict::Unknown {
            reason,
            established,
        }
    }
}

/// Why there is no answer, if a limit was reached. Engines that it stopped know only
/// that they were stopped, or do not know it yet; what the one that reaches furthest had
/// to say before that is still the reason.
fn told_beside(reasons: BTreeMap<Name, Reason>, limit: Reason, is_weak: bool) -> Reason {
    let has_bounded = reasons.contains_key(&Name::Bounded);
    match most_telling(reasons, is_weak) {
        Some(reason) if reason.internal().is_some() => reason,
        None | Some(Reason::Interrupted) => limit,
        Some(reason) if has_bounded => reason,
        Some(_) => limit,
    }
}

/// Of several reasons why engines have no answer, that of the one that reaches
/// furthest; but a mistake of ours comes before everything. Under a weak memory model that
/// is the only one that could have had an answer.
fn most_telling(mut reasons: BTreeMap<Name, Reason>, is_weak: bool) -> Option<Reason> {
    let is_ours = |reason: &Reason| reason.internal().is_some();
    let ours = (reasons.iter()).find(|(_, reason)| is_ours(reason));
    let name = ours.map(|(name, _)| *name);
    let furthest = match is_weak {
        true => [Name::Order, Name::Bounded, Name::Explore, Name::Sample],
        false => [Name::Bounded, Name::Order, Name::Explore, Name::Sample],
    };
    let name = name.or_else(|| (furthest.into_iter()).find(|name| reasons.contains_key(name)));
    reasons.remove(&name?)
}
