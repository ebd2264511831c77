//! Which points of the program runs come by: whether assertions are looked at at
//! all, which lines are executed, and which functions that nobody knows are called.
//!
//! A verdict without violation is worth little if no run within the bounds gets to
//! where something could go wrong. What runs at random have come by needs no proof;
//! for the rest the solver is asked, in one question for all of them, then for
//! those that are left, until there is none. That takes a share of the time that
//! the verdict took, no more: what is not answered by then is not known.

use crate::attempt::{Query, Task};
use crate::bounded::Bounded;
use crate::engines::sample;
use crate::facts::{Assumption, Limits, Reach, SourcePlace};
use crate::verdict::Order;
use analysis::{Assertion, Landmark, landmarks};
use ir::Program;
use library::Undefined;
use replay::{Coverage, Run};
use solve::{Literal, Outcome};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use unfold::{Moment, Sighting};

/// Of the time that it took to get here, questions beside the question may take one
/// part in so many, and so much in any case.
const SHARE: u32 = 20;
const LEAST: Duration = Duration::from_secs(2);
/// More contexts are not worth a question.
const MOST_CONTEXTS: u64 = 200;

/// What somebody wants to know about, and what is known.
pub(crate) struct Watchlist {
    pub assertions: Vec<Assertion>,
    /// By file and number; empty if nobody asks.
    pub lines: BTreeMap<(String, u32), Vec<Landmark>>,
    pub landmarks: Arc<HashSet<Landmark>>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Some run comes by, within any bounds.
    anywhere: HashSet<Landmark>,
    /// The verdict has bounds, within which...
    is_bounded: bool,
    /// ...some run comes by,
    within: HashSet<Landmark>,
    /// ...no run does.
    unreached: HashSet<Landmark>,
}

impl Known {
    fn is_reached(&self, landmark: &Landmark) -> bool {
        self.within.contains(landmark) || !self.is_bounded && self.anywhere.contains(landmark)
    }
}

impl Watchlist {
    pub(crate) fn of(program: &Program, wants_lines: bool) -> Watchlist {
        let assertions = landmarks::assertions(program);
        let lines: BTreeMap<_, _> = match wants_lines {
            true => (landmarks::lines(program).into_iter())
                .map(|(key, line)| (key, line.begins_at))
                .collect(),
            false => BTreeMap::new(),
        };
        let tests = assertions.iter().flat_map(|one| &one.tested_at);
        let landmarks = tests.chain(lines.values().flatten()).copied();
        Watchlist {
            landmarks: Arc::new(landmarks.collect()),
            assertions,
            lines,
            known: Mutex::default(),
        }
    }

    /// For those who want to know about nothing.
    pub(crate) fn none() -> Watchlist {
        Watchlist {
            assertions: Vec::new(),
            lines: BTreeMap::new(),
            landmarks: Arc::default(),
            known: Mutex::default(),
        }
    }

    fn change<R>(&self, change: impl FnOnce(&mut Known) -> R) -> R {
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes where a run has been, and whether that was within the bounds of the
    /// verdict.
    pub(crate) fn note(&self, run: &Run, is_within: bool) {
        let Some(coverage) = &run.coverage else {
            return;
        };
        self.change(|known| {
            let seen = self.landmarks.iter().filter(|one| coverage.has(**one));
            let seen: Vec<Landmark> = seen.copied().collect();
            known.anywhere.extend(&seen);
            if is_within {
                known.within.extend(&seen);
            }
        });
    }

    /// Notes where all runs within the limits of an answer have been together. If that
    /// is coarse, they may have been there.
    pub(crate) fn note_all(&self, coverage: &Coverage, is_coarse: bool, limits: &Limits) {
        self.change(|known| {
            known.is_bounded = limits.order.is_some() || !limits.loops.is_empty();
            let (seen, not_seen): (Vec<Landmark>, Vec<Landmark>) =
                (self.landmarks.iter().copied()).partition(|one| coverage.has(*one));
            if !is_coarse {
                known.anywhere.extend(&seen);
                known.within.extend(seen);
            }
            known.unreached = not_seen.into_iter().collect();
        });
    }

    /// Whether runs have been everywhere.
    pub(crate) fn is_complete(&self) -> bool {
        self.change(|known| self.landmarks.iter().all(|one| known.is_reached(one)))
    }

    /// What of several points is known, of which one will do.
    fn state(&self, points: &[Landmark]) -> Reach {
        self.change(|known| {
            if points.iter().any(|point| known.is_reached(point)) {
                Reach::Reached
            } else if points.iter().all(|point| known.unreached.contains(point)) {
                Reach::Unreached
            } else {
                Reach::Unknown
            }
        })
    }

    /// All assertions, and whether some run looks at them.
    pub(crate) fn assertions(&self, program: &Program) -> Vec<(SourcePlace, Reach)> {
        let mut found = BTreeMap::new();
        for assertion in &self.assertions {
            let place = SourcePlace::of_site(program, assertion.site);
            let state = self.state(&assertion.tested_at);
            // Of several copies of one line, one that is reached is enough.
            let known = found.entry(place).or_insert(state);
            *known = (*known).min(state);
        }
        found.into_iter().collect()
    }

    /// All lines with code, and whether some run comes by.
    pub(crate) fn lines(&self) -> BTreeMap<(String, u32), Reach> {
        let lines = self.lines.iter();
        lines
            .map(|(line, points)| (line.clone(), self.state(points)))
            .collect()
    }
}

impl Task<'_> {
    /// When questions beside the question must have been answered.
    pub(crate) fn end_of_extras(&self, query: &Query) -> Option<Instant> {
        let spent = self.start.elapsed();
        let own = Instant::now().checked_add((spent / SHARE).max(LEAST));
        match (own, query.deadline) {
            (Some(own), Some(all)) => Some(own.min(all)),
            (own, all) => own.or(all),
        }
    }

    /// Whether a run went through calls about which something was only assumed.
    pub(crate) fn depends_on_unknown(&self, run: &Run) -> bool {
        let undefined = self.options.config.surroundings.undefined;
        !run.unknown_calls.is_empty() && undefined == Undefined::Assumed
    }
}

impl Bounded {
    /// The moments at which functions are called that nobody knows, if that matters.
    pub(crate) fn unknown_calls(&self, task: &Task) -> Vec<Sighting> {
        if task.options.config.surroundings.undefined == Undefined::Any {
            return Vec::new();
        }
        let sightings = self.unfolding.threads.sightings.iter();
        let is_unknown = |one: &&Sighting| matches!(one.landmark, Landmark::UnknownCall(..));
        sightings.filter(is_unknown).copied().collect()
    }

    /// Names the calls that runs come by, as far as that is known. Only an answer
    /// that is the last one is worth the questions.
    pub(crate) fn assume_no_effects(
        &mut self,
        task: &Task,
        query: &Query,
        is_last: bool,
        limits: &mut Limits,
    ) {
        let calls = self.unknown_calls(task);
        if calls.is_empty() {
            return;
        }
        let wanted: HashSet<Landmark> = calls.iter().map(|one| one.landmark).collect();
        let unreached = match is_last {
            true => self.find_unreached(task, query, limits, &wanted),
            false => HashSet::new(),
        };
        for call in wanted.difference(&unreached) {
            if let Landmark::UnknownCall(function, site) = call {
                limits.assumptions.insert(Assumption::NoEffect {
                    function: task.program.functions[*function].name.clone(),
                    place: SourcePlace::of_site(task.program, *site),
                });
            }
        }
    }

    /// Asks about all points that no run has come by so far.
    pub(crate) fn look_around(&mut self, task: &Task, query: &Query, limits: &Limits) {
        let is_bounded = limits.order.is_some() || !limits.loops.is_empty();
        task.watchlist.change(|known| known.is_bounded = is_bounded);
        sample::look_around(task, is_bounded.then_some(query));
        let wanted: HashSet<Landmark> = (task.watchlist).change(|known| {
            let all = task.watchlist.landmarks.iter();
            all.filter(|one| !known.is_reached(one)).copied().collect()
        });
        if wanted.is_empty() {
            return;
        }
        // What unfolding never comes by, no run does.
        let sighted: HashSet<Landmark> = (self
            .unfolding
            .threads
            .sightings
            .iter()
            .map(|one| one.landmark))
        .collect();
        let open = wanted.intersection(&sighted).copied().collect();
        let mut unreached = self.find_unreached(task, query, limits, &open);
        unreached.extend(wanted.difference(&sighted));
        task.watchlist.change(|known| known.unreached = unreached);
    }

    /// Which of these points no run within the limits comes by, as far as that is
    /// known. Notes those that some run does.
    fn find_unreached(
        &mut self,
        task: &Task,
        query: &Query,
        limits: &Limits,
        wanted: &HashSet<Landmark>,
    ) -> HashSet<Landmark> {
        // Where nothing can go wrong in any order of steps, no order was looked at.
        let is_open = limits.order.is_none() && !self.covers_all(query.order);
        let (all_contexts, _) = self.covering();
        let query = Query {
            deadline: task.end_of_extras(query),
            order: match is_open {
                true => Some(Order::Contexts(
                    u32::try_from(all_contexts).unwrap_or(u32::MAX),
                )),
                false => query.order,
            },
            ..*query
        };
        if is_open && all_contexts > MOST_CONTEXTS {
            return HashSet::new();
        }
        let mut moments: BTreeMap<Landmark, Vec<Moment>> = BTreeMap::new();
        for sighting in &self.unfolding.threads.sightings {
            if wanted.contains(&sighting.landmark) {
                let of_landmark = moments.entry(sighting.landmark).or_default();
                of_landmark.push(sighting.moment);
            }
        }
        let unfolding = &self.unfolding;
        let mut own = None;
        let formula = match &mut self.formula {
            Some(formula) if !is_open => formula,
            // Strategies leave nothing behind that could be asked.
            _ => match Bounded::plain_formula(task, unfolding, &query) {
                Ok(formula) => own.insert(formula),
                Err(_) => return HashSet::new(),
            },
        };
        let mut open: BTreeMap<Landmark, Literal> = BTreeMap::new();
        for (landmark, moments) in moments {
            let literal =
                (formula.encoding).any_moment(&unfolding.threads, &moments, &mut formula.feed);
            open.insert(landmark, literal);
        }
        while !open.is_empty() {
            let mut assumptions = vec![formula.any_of(open.values().copied())];
            assumptions.extend(formula.within(query.order));
            match formula.search(task, &assumptions, &query) {
                Outcome::Unsatisfiable => return open.into_keys().collect(),
                Outcome::Unknown(_) => return HashSet::new(),
                Outcome::Satisfiable => {
                    let before = open.len();
                    let mut reached = Vec::new();
                    open.retain(|landmark, literal| {
                        let is_reached = formula.feed.solver.value(*literal) == Some(true);
                        reached.extend(is_reached.then_some(*landmark));
                        !is_reached
                    });
                    task.watchlist.change(|known| known.within.extend(reached));
                    if open.len() == before {
                        return HashSet::new();
                    }
                }
            }
        }
        HashSet::new()
    }
}
