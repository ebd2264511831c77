//! Which threads take their steps in a state.
//!
//! **Sets of threads.** One thread may go alone if its next step has nothing to do
//! with anything that the others may ever do ([`super::alone`]). Where none may, some
//! threads may go without the others: a set such that whatever those outside may do
//! before one inside moves has nothing to do with the next steps of those inside. So
//!
//! - with a thread that can step, everybody is in the set who may ever do something
//!   that has to do with that step;
//! - with a thread that has to wait, one is in the set without whom it waits for ever:
//!   who has the lock, or who is to be joined; else everybody who may ever do
//!   something that has to do with the waiting;
//! - who waits for somebody in the set to move first need not be in it: such a thread
//!   does nothing before.
//!
//! As long as only threads outside move, the steps of those inside stay possible,
//! stay impossible, and stay what they are. So in every run from here the first step
//! of a thread inside might as well come first, and if there is none it may be added:
//! what a run does outside is done after it as well. What is said about one thread
//! that goes alone holds for a set: violations, races and states that last are met.
//! The proviso is the same too: no step that goes backwards is among those of a set,
//! unless everybody takes part.
//!
//! **Who can give a lock free.** Only who has it, or who makes it anew; whoever may do
//! the latter keeps the former from being the only one.
//!
//! **Going on.** Where a thread has taken a step and may go alone after it, in one
//! way, it does so at once: nothing is decided in between, so those states need not be
//! kept. They are never many in a row, since no such step goes backwards; and where
//! threads are created without end, every now and then a state is kept.

use super::alone::Mistake;
use super::claims::Claim;
use super::steps::{Fate, Step, Steps};
use super::symmetry::Joins;
use analysis::ObjectId;
use std::rc::Rc;

/// A state, and what is to be done there.
#[derive(Default)]
pub(super) struct Turns {
    pub row: Vec<u32>,
    /// The threads with their contents.
    pub threads: Vec<(usize, u32)>,
    /// What each thread may do, as far as it was looked at.
    pub choices: Vec<Vec<Rc<Step>>>,
    /// Of those who have to wait, how they find that out.
    waits: Vec<Option<Rc<Step>>>,
    /// The threads whose steps are to be taken.
    pub chosen: Vec<usize>,
    /// All threads were looked at, but for one perhaps.
    pub is_whole: bool,
    /// That one: it does nothing before others have ended.
    pub left_out: Option<usize>,
    /// Nobody can go on.
    pub is_stuck: bool,
}

/// Steps that a thread goes on at once, at most.
pub(super) const MOST_AT_ONCE: usize = 1000;

/// Threads of a state; there are no more than 64 where these are used.
type Set = u64;
const MOST_THREADS: usize = 64;

fn has(set: Set, thread: usize) -> bool {
    set >> thread & 1 != 0
}

impl Steps<'_> {
    /// Finds out who takes a step in the state of `turns`.
    pub(super) fn find_turns(&mut self, turns: &mut Turns) {
        turns.threads.clear();
        turns.threads.extend(self.threads(&turns.row));
        let count = turns.threads.len();
        if let Some(alone) = &mut self.alone {
            alone.prepare(&mut self.components, &turns.threads);
        }
        let most = turns.choices.len().max(count);
        turns.choices.resize_with(most, Vec::new);
        turns.waits.clear();
        turns.waits.resize(count, None);
        turns.chosen.clear();
        turns.left_out = None;
        turns.is_whole = false;
        turns.is_stuck = false;
        let joiner = self.joiner(&turns.row, &turns.threads);
        for thread in 0..count {
            turns.choices[thread].clear();
            if joiner.as_ref().is_some_and(|(joiner, _)| *joiner == thread) {
                continue;
            }
            self.find_choices(turns, thread);
            let waits_for_it = joiner
                .as_ref()
                .filter(|(_, joins)| joins.waits_for(thread))
                .map(|(joiner, _)| *joiner);
            if self.may_go_alone(turns, thread, waits_for_it) {
                turns.chosen.push(thread);
                return;
            }
        }
        if let Some((joiner, joins)) = &joiner {
            let mut joined = joins.joined.iter();
            if joined.any(|thread| !turns.choices[*thread].is_empty()) {
                turns.left_out = Some(*joiner);
            } else {
                self.find_choices(turns, *joiner);
                if self.may_go_alone(turns, *joiner, None) {
                    turns.chosen.push(*joiner);
                    return;
                }
            }
        }
        let left_out = joiner.filter(|(joiner, _)| turns.left_out == Some(*joiner));
        let joins = left_out.as_ref().map(|(_, joins)| &**joins);
        if let Some(set) = self.smallest_set(turns, joins) {
            turns.chosen.extend(
                (0..count).filter(|thread| has(set, *thread) && !turns.choices[*thread].is_empty()),
            );
            return;
        }
        turns.is_whole = true;
        let able = (0..count).filter(|thread| !turns.choices[*thread].is_empty());
        turns.chosen.extend(able);
        turns.is_stuck = turns.chosen.is_empty();
    }

    /// What a thread may do.
    fn find_choices(&mut self, turns: &mut Turns, thread: usize) {
        let (_, content) = turns.threads[thread];
        let data = &self.components.owned(thread, content).thread;
        if data.is_finished() || data.is_stuck() {
            return;
        }
        let choices = &mut turns.choices[thread];
        self.of(&turns.row, thread, choices);
        if let [step] = &choices[..]
            && step.fate == Fate::Waits
        {
            turns.waits[thread] = Some(step.clone());
        }
        choices.retain(|step| step.fate != Fate::Waits);
    }

    /// Whether no other thread need be looked at.
    fn may_go_alone(&self, turns: &Turns, thread: usize, waits_for_it: Option<usize>) -> bool {
        match &self.alone {
            Some(alone) if !turns.choices[thread].is_empty() => alone.may_go(
                &self.components,
                &turns.row,
                &turns.threads,
                (thread, &turns.choices[thread]),
                waits_for_it,
            ),
            _ => false,
        }
    }

    /// What a thread does next after it has taken so many steps at once, if it may go
    /// alone and there is but one way. `threads` gets those of the state.
    pub(super) fn next_alone(
        &mut self,
        row: &[u32],
        (thread, gone): (usize, usize),
        threads: &mut Vec<(usize, u32)>,
    ) -> Option<Rc<Step>> {
        let goes_on = self.alone.as_ref().is_some_and(|alone| alone.goes_on());
        if !goes_on || gone >= MOST_AT_ONCE {
            return None;
        }
        threads.clear();
        threads.extend(self.components.threads(row));
        let (_, content) = threads[thread];
        let data = &self.components.owned(thread, content).thread;
        if data.is_finished() || data.is_stuck() {
            return None;
        }
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.of(row, thread, &mut found);
        let mut is_alone = false;
        if let ([step], Some(alone)) = (&found[..], &mut self.alone)
            && step.fate == Fate::Goes
        {
            alone.prepare(&mut self.components, threads);
            let may_go = |waits: Option<usize>, steps: &Self| {
                let alone = steps.alone.as_ref();
                alone.is_some_and(|alone| {
                    alone.may_go(&steps.components, row, threads, (thread, &found), waits)
                })
            };
            is_alone = may_go(None, self);
            if !is_alone
                && let Some((joiner, joins)) = self.joiner(row, threads)
                && joins.waits_for(thread)
            {
                is_alone = may_go(Some(joiner), self);
            }
        }
        let step = found.first().filter(|_| is_alone).cloned();
        self.found = found;
        step
    }

    /// Threads that may go without the others; nothing if all have to take part.
    fn smallest_set(&self, turns: &Turns, joins: Option<&Joins>) -> Option<Set> {
        let alone = self.alone.as_ref().filter(|alone| alone.has_sets())?;
        let count = turns.threads.len();
        let mut able: Set = 0;
        let mut fit: Set = 0;
        if count > MOST_THREADS {
            return None;
        }
        for (thread, choices) in turns.choices[..count].iter().enumerate() {
            able |= Set::from(!choices.is_empty()) << thread;
            let is_fit = !choices.is_empty() && alone.are_fit(choices);
            fit |= Set::from(is_fit) << thread;
        }
        if able.count_ones() < 2 || fit == 0 {
            return None;
        }
        let sets = Sets {
            steps: self,
            turns,
            joins,
            able,
            fit,
        };
        let mut smallest: Option<Set> = None;
        for thread in (0..count).filter(|thread| has(fit, *thread)) {
            if let Some(set) = sets.around(thread) {
                let size = |set: Set| (set & able).count_ones();
                if smallest.is_none_or(|known| size(set) < size(known)) {
                    smallest = Some(set);
                }
            }
        }
        smallest
    }
}

/// Looks for sets in one state.
struct Sets<'s, 'a> {
    steps: &'s Steps<'a>,
    turns: &'s Turns,
    /// What the one joins who is left out.
    joins: Option<&'s Joins>,
    /// Those who can step, and of these all whose steps may be among those of a set.
    able: Set,
    fit: Set,
}

impl Sets<'_, '_> {
    /// The least set with a thread, unless all who can step are in it.
    fn around(&self, thread: usize) -> Option<Set> {
        let mut set: Set = 1 << thread;
        let mut open = set;
        while open != 0 {
            let thread = open.trailing_zeros() as usize;
            open &= open - 1;
            let more = match has(self.able, thread) {
                true => self.concerned(thread, set),
                false => self.enabling(thread, set),
            } & !set;
            set |= more;
            open |= more;
            if set & self.able & !self.fit != 0 || self.able & !set == 0 {
                return None;
            }
        }
        Some(set)
    }

    /// Those who may ever do something that has to do with what a thread does next, and
    /// before somebody of the set moves.
    fn concerned(&self, thread: usize, set: Set) -> Set {
        let claims = self.turns.choices[thread].iter();
        self.concerned_by(claims.filter_map(|step| step.claim.as_ref()), thread, set)
    }

    fn concerned_by<'c>(
        &self,
        claims: impl Iterator<Item = &'c Claim> + Clone,
        thread: usize,
        set: Set,
    ) -> Set {
        let Some(alone) = &self.steps.alone else {
            return Set::MAX;
        };
        let Turns { row, threads, .. } = self.turns;
        let components = &self.steps.components;
        let others = || {
            let others = threads.iter().filter(|(other, _)| {
                *other != thread && !has(set, *other) && !self.waits_for_end(*other, set)
            });
            others.map(|(_, content)| *content)
        };
        let is_guarded =
            |object: ObjectId| alone.is_guarded(components, row, (thread, object), others());
        let mut concerned = 0;
        for (other, content) in self.turns.threads.iter().copied() {
            if other == thread || has(set, other) {
                continue;
            }
            let mut claims = claims.clone();
            if claims.any(|claim| alone.may_concern(claim, content, &is_guarded))
                && !self.waits_for(other, set)
            {
                concerned |= 1 << other;
            }
        }
        concerned
    }

    /// Some without whom a thread that waits will do so for ever.
    fn enabling(&self, thread: usize, set: Set) -> Set {
        let everybody = Set::MAX >> (MOST_THREADS - self.turns.threads.len());
        if let Some(joins) = self.joins.filter(|_| self.turns.left_out == Some(thread)) {
            let mut joined = joins.joined.iter();
            return match joined.find(|joined| has(self.able, **joined)) {
                Some(joined) => 1 << joined,
                None => everybody,
            };
        }
        if self.turns.waits[thread].is_none() {
            // It has ended, or goes no further.
            return 0;
        }
        let Some(claim) = self.claim_of_wait(thread) else {
            return everybody;
        };
        if self.mistake() == Some(Mistake::IgnoresEnabling) {
            return 0;
        }
        let blockers = &claim.blockers;
        let known = blockers.iter().find(|blocker| has(set, **blocker));
        match known.or(blockers.first()) {
            Some(blocker) => 1 << blocker | self.remakers(claim, set),
            None => self.concerned_by([claim].into_iter(), thread, set),
        }
    }

    /// Whether a thread does nothing before somebody of the set moves.
    fn waits_for(&self, thread: usize, set: Set) -> bool {
        self.waits_for_end(thread, set)
            || self.claim_of_wait(thread).is_some_and(|claim| {
                let mut blockers = claim.blockers.iter();
                blockers.any(|blocker| has(set, *blocker)) && self.remakers(claim, set) == 0
            })
    }

    /// The same, because it is about to join somebody of the set.
    fn waits_for_end(&self, thread: usize, set: Set) -> bool {
        if let Some(joins) = self.joins.filter(|_| self.turns.left_out == Some(thread)) {
            let mut joined = joins.joined.iter();
            return joined.any(|joined| has(set & self.able, *joined));
        }
        self.claim_of_wait(thread).is_some_and(|claim| {
            let mut blockers = claim.blockers.iter();
            claim.blocked_at.is_empty() && blockers.any(|blocker| has(set, *blocker))
        })
    }

    fn claim_of_wait(&self, thread: usize) -> Option<&Claim> {
        self.turns.waits[thread].as_ref()?.claim.as_ref()
    }

    /// Those who may make anew what somebody waits for, before one of the set moves.
    fn remakers(&self, claim: &Claim, set: Set) -> Set {
        let Some(alone) = &self.steps.alone else {
            return Set::MAX;
        };
        let mut remakers = 0;
        for (other, content) in self.turns.threads.iter().copied() {
            if !has(set, other)
                && alone.may_remake(&claim.blocked_at, content)
                && !self.waits_for_end(other, set)
            {
                remakers |= 1 << other;
            }
        }
        remakers
    }

    fn mistake(&self) -> Option<Mistake> {
        self.steps.alone.as_ref().and_then(|alone| alone.mistake())
    }
}
