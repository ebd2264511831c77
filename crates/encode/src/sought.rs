//! What is looked for in runs, for every encoding: violations on the way, and races and
//! deadlocks in the end of runs.
//!
//! All of it follows from which positions are passed, whatever the encoding says about
//! their order. It makes literals and writes clauses, and asks no solver.

pub(crate) mod deadlocks;
pub(crate) mod ends;
pub(crate) mod races;

use cranelift_entity::SecondaryMap;
use formula::{Blaster, ClauseSink, Lit};
use unfold::{Check, Moment, ThreadId, Threads};

use crate::{Goals, Site, happens};
use deadlocks::Deadlocks;
use ends::Ends;
use races::Races;

/// Whether each position is passed.
pub(crate) type Passed = SecondaryMap<ThreadId, Vec<Lit>>;

/// Whether a run ends with a step of a thread.
pub(crate) type IsLast<'a> = dyn FnMut(ThreadId, &mut Blaster) -> Lit + 'a;

/// What is looked for in the formula of one bounded program.
#[derive(Default)]
pub(crate) struct Sought {
    /// By violation: it happens.
    pub violations: Vec<Lit>,
    /// By violation: it is not looked for any more.
    is_forbidden: Vec<bool>,
    pub ends: Ends,
    pub races: Option<Races>,
    pub deadlocks: Option<Deadlocks>,
}

impl Sought {
    /// What there is to look for in the end of runs. `is_last` says whether a run ends
    /// with a step of a thread; without it, races are between steps that are in no order.
    pub(crate) fn in_the_end(
        threads: &Threads,
        passed: &Passed,
        goals: Goals,
        is_last: Option<&mut IsLast>,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
    ) -> Sought {
        let mut sought = Sought::default();
        if goals.races || goals.deadlocks {
            sought.ends = ends::find(threads, passed, blaster);
        }
        if goals.races {
            sought.races = Some(match is_last {
                Some(is_last) => Races::new(threads, &sought.ends, is_last, blaster, sink),
                None => Races::unordered(threads, passed, &sought.ends, blaster, sink),
            });
        }
        if goals.deadlocks {
            let deadlocks = Deadlocks::new(threads, &sought.ends, goals.cycles, blaster, sink);
            sought.deadlocks = Some(deadlocks);
        }
        sought
    }

    /// What must not happen, and what is looked for on the way; `None` if interrupted.
    pub(crate) fn moments(
        &mut self,
        threads: &Threads,
        passed: &Passed,
        blaster: &mut Blaster,
        sink: &mut impl ClauseSink,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let is_passed = |thread, position: usize| passed[thread][position];
        for moment in &threads.stuck {
            if let Some(passed) = passed[moment.thread].get(moment.after) {
                let condition = blaster.literal(&threads.terms, moment.condition);
                blaster.add_clause(&[!*passed, !condition], sink);
            }
        }
        for moment in &threads.excluded {
            if !keep_going() {
                return None;
            }
            let happens = happens(threads, moment, is_passed, blaster);
            let mut clause = vec![!happens];
            if let Some(races) = &self.races {
                clause.push(races.is_after_all(&self.ends, moment, blaster));
            }
            blaster.add_clause(&clause, sink);
        }
        // Whoever asks for less gets less: only what is asked for is written.
        for violation in &threads.violations {
            if !keep_going() {
                return None;
            }
            let happens = happens(threads, &violation.moment, is_passed, blaster);
            self.violations.push(happens);
            self.is_forbidden.push(false);
        }
        Some(())
    }

    /// Some violation happens.
    pub(crate) fn any(&self, blaster: &mut Blaster) -> Lit {
        let violations = self.violations.iter().zip(&self.is_forbidden);
        let mut all: Vec<Lit> = violations
            .filter(|(_, is_forbidden)| !**is_forbidden)
            .map(|(violation, _)| *violation)
            .collect();
        all.extend(self.deadlocks.as_ref().map(|deadlocks| deadlocks.found));
        let gates = &mut blaster.gates;
        let any = gates.any(&all);
        match &self.races {
            Some(races) => gates.ite(races.is_sought, races.found, any),
            None => any,
        }
    }

    /// The same in two parts: assertions that fail in runs in which nothing else goes
    /// wrong, and whatever else does.
    ///
    /// # Panics
    /// If races are looked for.
    pub(crate) fn by_kind(&self, threads: &Threads, blaster: &mut Blaster) -> [Lit; 2] {
        assert!(
            self.races.is_none(),
            "races should be looked for as a whole"
        );
        let (mut assertions, mut others) = (Vec::new(), Vec::new());
        for (index, violation) in threads.violations.iter().enumerate() {
            match violation.check {
                _ if self.is_forbidden[index] => {}
                Check::Assert => assertions.push(self.violations[index]),
                _ => others.push(self.violations[index]),
            }
        }
        let gates = &mut blaster.gates;
        let goes_wrong = gates.any(&others);
        let fails = gates.any(&assertions);
        let only_fails = gates.and(fails, !goes_wrong);
        others.extend(self.deadlocks.as_ref().map(|deadlocks| deadlocks.found));
        let goes_wrong_otherwise = gates.any(&others);
        [only_fails, goes_wrong_otherwise]
    }

    /// Does not look for something any more.
    pub(crate) fn forbid(
        &mut self,
        threads: &Threads,
        site: &Site,
        blaster: &mut Blaster,
        sink: &mut dyn ClauseSink,
    ) {
        match site {
            Site::Moment(check, place) => {
                for (index, violation) in threads.violations.iter().enumerate() {
                    if (violation.check, violation.place) != (*check, *place) {
                        continue;
                    }
                    self.is_forbidden[index] = true;
                    // The run would have been over, but for some kinds.
                    if *check != Check::Overflow {
                        let mut clause = vec![!self.violations[index]];
                        clause.extend(self.is_after_all(&violation.moment, blaster));
                        blaster.add_clause(&clause, sink);
                    }
                }
            }
            Site::Race(one, two) => {
                if let Some(races) = &self.races {
                    let is_between = races.is_between(*one, *two, blaster);
                    blaster.add_clause(&[!is_between], sink);
                }
            }
            Site::Deadlock(places) => {
                if let Some(deadlocks) = &self.deadlocks {
                    let waits: Vec<Lit> = (places.iter())
                        .map(|place| deadlocks.waits_at(*place, blaster))
                        .collect();
                    let together = blaster.gates.all(&waits);
                    blaster.add_clause(&[!together], sink);
                }
            }
        }
    }

    fn is_after_all(&self, moment: &Moment, blaster: &mut Blaster) -> Option<Lit> {
        let races = self.races.as_ref()?;
        Some(races.is_after_all(&self.ends, moment, blaster))
    }
}
