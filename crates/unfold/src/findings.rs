//! What a pass finds out for whoever asked: violations, moments that no run of
//! interest has, where bounds cut, and what was left out.
//!
//! This is a place to put things down. What they mean is decided where they happen.

use crate::omissions::Omission;
use crate::threads::{Moment, Sighting, ThreadId, Violation};
use analysis::LoopId;
use formula::TermId;
use ir::FunctionId;
use std::collections::{BTreeSet, HashMap};

#[derive(Default)]
pub(crate) struct Findings {
    violations: Vec<Violation>,
    excluded: Vec<Moment>,
    stuck: Vec<Moment>,
    sightings: Vec<Sighting>,
    /// Which of the excluded moments are due to bounds.
    cut_moments: Vec<usize>,
    /// Which of them leave out runs because nobody can tell what is lost in the end.
    doubts: Vec<usize>,
    /// Loops (or functions, for recursion) that were cut.
    cuts: BTreeSet<(FunctionId, Option<LoopId>)>,
    omissions: BTreeSet<Omission>,
    /// Something is modelled coarsely: a violation may turn out not to be one.
    is_coarse: bool,
}

/// The same for whoever takes them away.
pub(crate) struct Report {
    pub violations: Vec<Violation>,
    pub excluded: Vec<Moment>,
    pub stuck: Vec<Moment>,
    pub sightings: Vec<Sighting>,
    pub cut_moments: Vec<usize>,
    pub doubts: Vec<usize>,
    pub cuts: BTreeSet<(FunctionId, Option<LoopId>)>,
    pub omissions: BTreeSet<Omission>,
    pub is_coarse: bool,
}

impl Findings {
    pub(crate) fn note_violation(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// The conditions of what goes wrong right after so many positions of a thread, as
    /// far as it is known. They are among the last that were noted.
    pub(crate) fn violations_after(&self, thread: ThreadId, after: usize) -> Vec<TermId> {
        let latest = self.violations.iter().rev();
        latest
            .map(|violation| violation.moment)
            .take_while(|moment| moment.thread == thread && moment.after >= after)
            .filter(|moment| moment.after == after)
            .map(|moment| moment.condition)
            .collect()
    }

    /// No run of interest has any of these moments. Returns how many there were
    /// before.
    pub(crate) fn exclude(&mut self, moments: Vec<Moment>) -> usize {
        let before = self.excluded.len();
        self.excluded.extend(moments);
        before
    }

    /// Moments excluded from this one on are due to bounds.
    pub(crate) fn blame_bounds(&mut self, from: usize) {
        self.cut_moments.extend(from..self.excluded.len());
    }

    /// Moments excluded from this one on are due to doubt about what is lost.
    pub(crate) fn blame_doubt(&mut self, from: usize) {
        self.doubts.extend(from..self.excluded.len());
    }

    /// A thread cannot go on from here.
    pub(crate) fn note_stuck(&mut self, moment: Moment) {
        self.stuck.push(moment);
    }

    pub(crate) fn note_sightings(&mut self, sightings: impl Iterator<Item = Sighting>) {
        self.sightings.extend(sightings);
    }

    /// A loop was cut, or recursion if there is none.
    pub(crate) fn note_cut(&mut self, function: FunctionId, id: Option<LoopId>) {
        self.cuts.insert((function, id));
    }

    pub(crate) fn note_omission(&mut self, omission: Omission) {
        self.omissions.insert(omission);
    }

    /// Some value is only approximated, if the condition holds.
    pub(crate) fn note_coarse(&mut self, is_coarse: bool) {
        self.is_coarse |= is_coarse;
    }

    /// Everything found, with threads by the numbers that they get in the end.
    pub(crate) fn finish(mut self, numbers: &HashMap<ThreadId, ThreadId>) -> Report {
        let violations = self.violations.iter_mut().map(|one| &mut one.moment);
        let sightings = self.sightings.iter_mut().map(|one| &mut one.moment);
        let moments = violations
            .chain(&mut self.excluded)
            .chain(&mut self.stuck)
            .chain(sightings);
        for moment in moments {
            moment.thread = numbers[&moment.thread];
        }
        Report {
            violations: self.violations,
            excluded: self.excluded,
            stuck: self.stuck,
            sightings: self.sightings,
            cut_moments: self.cut_moments,
            doubts: self.doubts,
            cuts: self.cuts,
            omissions: self.omissions,
            is_coarse: self.is_coarse,
        }
    }
}
