//! Going on after a violation, until there is no other.
//!
//! What has been found is blocked in the formula, and the same solver is asked
//! again. Two violations are the same if the same instructions are at fault: for
//! a race the pair of accesses, for a deadlock the places where threads wait.

use crate::attempt::{Answer, Query, Task};
use crate::bounded;
use encode::{Model, Site};
use replay::{Outcome, Run, Signature};
use std::sync::{Mutex, MutexGuard, PoisonError};
use unfold::Unfolding;

/// All that was found so far, on all cores.
#[derive(Default)]
pub(crate) struct Collection(Mutex<Vec<Item>>);

#[derive(Clone)]
pub(crate) struct Item {
    pub site: Site,
    /// `None` if the interpreter has shown the same before, by its own standards.
    pub run: Option<Run>,
}

impl Collection {
    fn items(&self) -> MutexGuard<'_, Vec<Item>> {
        (self.0.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be blocked, from a number on.
    pub(crate) fn sites_from(&self, first: usize) -> Vec<Site> {
        let items = self.items();
        items
            .iter()
            .skip(first)
            .map(|item| item.site.clone())
            .collect()
    }

    /// The violations that need not be shown again.
    pub(crate) fn known(&self) -> Vec<Signature> {
        let items = self.items();
        let runs = items.iter().filter_map(|item| item.run.as_ref());
        runs.flat_map(|run| &run.violations)
            .map(replay::Violation::signature)
            .collect()
    }

    pub(crate) fn add(&self, item: Item) {
        self.items().push(item);
    }

    /// What was found, each with a run that shows it.
    pub(crate) fn runs(&self) -> Vec<Run> {
        let items = self.items();
        items.iter().filter_map(|item| item.run.clone()).collect()
    }
}

impl Task<'_> {
    /// Keeps what the solver found, and whatever comes before it in the same run;
    /// the answer if the interpreter does not see any of it.
    pub(crate) fn collect(
        &self,
        unfolding: &Unfolding,
        model: &Model,
        query: &Query,
    ) -> Option<Answer> {
        let site = model.site(&unfolding.threads)?;
        let mut is_first = true;
        loop {
            let known = self.collection.known();
            let run = match bounded::repeat(self, unfolding, model, query, known.clone()) {
                Ok(run) => run,
                Err(answer) => return Some(answer),
            };
            let is_over = run.outcome == Outcome::Violated;
            let run = self.only_news(run, &known);
            let is_news = run.is_some();
            if is_news || is_first {
                let site = site.clone();
                self.collection.add(Item { site, run });
            }
            if is_over || !is_news {
                return None;
            }
            is_first = false;
        }
    }

    /// The first violation that is not suppressed, unless all are wanted.
    pub(crate) fn first_told(&self) -> Option<Answer> {
        if self.options.all_violations {
            return None;
        }
        let suppressions = &self.options.suppressions;
        let runs = self.collection.runs().into_iter();
        let mut told = runs.filter_map(|run| suppressions.unsuppressed(self.program, run));
        told.next().map(|run| Answer::Violated(Box::new(run)))
    }

    /// What a run shows that was not known before.
    fn only_news(&self, mut run: Run, known: &[Signature]) -> Option<Run> {
        let checks = self.options.config.checks;
        run.violations.retain(|violation| {
            checks.has(violation.kind.property()) && !known.contains(&violation.signature())
        });
        (!run.violations.is_empty()).then_some(run)
    }
}
