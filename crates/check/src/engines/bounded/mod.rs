//! `bounded`: asks a solver about all runs within bounds.
//!
//! Establishes violations, which the interpreter repeats before they are told; bounds
//! within which there is none; and proofs, where no run goes beyond the bounds. Right
//! as far as unfolding and encoding are, which are compared with plain enumeration.
//!
//! Bounds that the user gives hold exactly. What is left open grows: small
//! bounds first, since most violations need few contexts and few iterations.
//! Rounds come before free contexts: k rounds contain all runs of k contexts, at
//! about the same cost, and reach deep violations sooner. Contexts are for
//! showing that there is nothing beyond.
//!
//! How hard a question is, nobody knows. So questions have turns: in each, a question
//! may have taken twice as long as in the turn before. What its solver has learnt is
//! kept. Whose turn it is and who has to wait is in `agenda`. A few levels are open at
//! a time; the next of the plan is begun when one of them is done, or all of them wait.
//!
//! The small questions come first, on one core. Then all cores take turns, or before,
//! if the small questions are not so easy.

mod agenda;

use super::{Name, Office};
use crate::attempt::{Answer, Query, Task};
use crate::bounded::Bounded;
use crate::facts::{Internal, Limits, Reason};
use crate::standing::Closed;
use crate::verdict::Attempt;
use agenda::{Agenda, Level, Question};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
/// Formulas with more clauses are not kept from one turn to the next.
const MOST_KEPT: usize = 2_000_000;
/// A core that has nothing to do looks again after this time at the latest.
const PAUSE: Duration = Duration::from_millis(100);

pub(crate) fn work(office: &Office) -> Result<(), Reason> {
    let task = office.task;
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
    let splits = task.strategy().is_none() && task.can_ask_by_kind();
    let agenda = Mutex::new(Agenda::new(bounds, cores, splits));
    let news = Condvar::new();
    let new_search = |core: usize| Search {
        office,
        task,
        agenda: &agenda,
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
    let agenda = agenda.into_inner().unwrap_or_else(PoisonError::into_inner);
    match agenda.reason_to_end() {
        Some(reason) => Err(reason),
        None => Ok(()),
    }
}

/// What one core does.
struct Search<'t> {
    office: &'t Office<'t>,
    task: &'t Task<'t>,
    agenda: &'t Mutex<Agenda>,
    /// There is an answer, or nothing small is left to ask.
    news: &'t Condvar,
    core: usize,
    /// How long a question may take in its first turn; `None` if it is the only
    /// one.
    first_share: Option<Duration>,
}

/// There is nothing more to ask.
struct Over;

impl Search<'_> {
    fn agenda(&self) -> MutexGuard<'_, Agenda> {
        // What a core that panicked had told is as true as before.
        (self.agenda.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn small_questions(&self) -> ControlFlow<Over> {
        let mut agenda = self.agenda();
        let count = FIRST_LEVELS.min(agenda.plan.len());
        let first: Vec<Level> = agenda.plan.drain(..count).collect();
        agenda.open.extend(first);
        drop(agenda);
        loop {
            let next = self.agenda().next(self.core, true);
            let Some(level) = next else { break };
            self.ask(level)?;
        }
        self.agenda().has_begun = true;
        self.news.notify_all();
        self.office.board.has_small_answers();
        ControlFlow::Continue(())
    }

    /// The small questions have the answers that are the easiest to understand; so
    /// nobody may be faster with a large one, unless they take long.
    fn wait_for_small_questions(&self, longest: Duration) {
        let is_early = |agenda: &mut Agenda| {
            let is_over = agenda.is_over() || self.task.stop.load(Ordering::Relaxed);
            !agenda.has_begun && !is_over
        };
        // Whoever waits gets on with it, come what may.
        let _ = (self.news).wait_timeout_while(self.agenda(), longest, is_early);
    }

    /// All other questions.
    fn rest(&self) -> ControlFlow<Over> {
        loop {
            if self.task.stop.load(Ordering::Relaxed) || self.agenda().is_over() {
                return ControlFlow::Break(Over);
            }
            if self.is_over() {
                return self.unknown(Reason::Time);
            }
            let mut agenda = self.agenda();
            if let Some(level) = agenda.next(self.core, false) {
                drop(agenda);
                self.ask(level)?;
            } else if agenda.is_done() {
                return ControlFlow::Continue(());
            } else {
                let _ = self.news.wait_timeout(agenda, PAUSE);
            }
        }
    }

    /// Asks the first question of a level, which is open again afterwards if it
    /// has more of them or this one takes too long.
    fn ask(&self, mut level: Level) -> ControlFlow<Over> {
        let Some(question) = level.question() else {
            return ControlFlow::Continue(());
        };
        let place = self.office.cores.place(Name::Bounded);
        let start = Instant::now();
        let (answer, record) = self.answer(&mut level, &question);
        drop(place);
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
        let mut agenda = self.agenda();
        agenda.under_way.remove(&self.core);
        agenda.put_back(level, is_too_long);
        drop(agenda);
        self.news.notify_all();
        let board = self.office.board;
        board.attempted(record);
        match answer {
            Answer::Violated(run) => {
                board.violated(Name::Bounded, run);
                self.end(None)
            }
            Answer::None(limits) => self.note(question, limits),
            Answer::TooLong if !self.is_over() => ControlFlow::Continue(()),
            Answer::TooLong => self.unknown(Reason::Time),
            Answer::Unknown(reason) => self.unknown(reason),
            Answer::Depends(dependent) => {
                board.depends(dependent);
                self.end(None)
            }
            Answer::TooMuch(reason) => self.give_up_from(question.unwind, reason),
            Answer::Partly(part) => {
                let (left_out, limits) = *part;
                if let Some(ledger) = board.ledger(Name::Bounded) {
                    ledger.closed_partly(left_out, limits);
                }
                ControlFlow::Continue(())
            }
        }
    }

    fn answer(&self, level: &mut Level, question: &Question) -> (Answer, Attempt) {
        let deadline = self.deadline(level);
        if level.bounded.is_none() {
            let largest = level.questions.asked.back().copied();
            let query = Query {
                order: (largest.filter(|_| !level.is_hard)).or(Some(question.order)),
                unwind: level.questions.unwind,
                deadline,
            };
            match Bounded::new(self.task, &query) {
                Ok(bounded) => {
                    if bounded.has_whole_loops() {
                        self.agenda().enough_unwinding = Some(level.questions.unwind);
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
        bounded.ask(self.task, Some(question.order), question.kind, deadline)
    }

    /// There is no violation within these bounds.
    fn note(&self, question: Question, limits: Limits) -> ControlFlow<Over> {
        let Some((question, limits)) = self.agenda().note(question, limits) else {
            return ControlFlow::Continue(());
        };
        if self.task.options.bounds.are_answered_by(&limits) {
            if let Some(ledger) = self.office.board.ledger(Name::Bounded) {
                ledger.answered(limits);
            }
            return self.end(None);
        }
        let closed = Closed {
            order: limits.order,
            iterations: (!limits.loops.is_empty()).then_some(question.unwind),
        };
        if let Some(ledger) = self.office.board.ledger(Name::Bounded) {
            ledger.closed(question.unwind, closed, limits);
        }
        ControlFlow::Continue(())
    }

    fn give_up_from(&self, unwind: u32, reason: Reason) -> ControlFlow<Over> {
        // Not within the match, where the agenda would stay locked.
        let goes_on = self.agenda().give_up_from(unwind, &reason);
        match goes_on {
            true => ControlFlow::Continue(()),
            false => self.unknown(reason),
        }
    }

    fn unknown(&self, reason: Reason) -> ControlFlow<Over> {
        self.end(Some(reason))
    }

    /// The first to end this engine says why, and stops its other cores.
    fn end(&self, reason: Option<Reason>) -> ControlFlow<Over> {
        self.agenda().end(reason);
        self.news.notify_all();
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
