//! Checks that unfolded threads are well formed. A broken rule is always a bug of
//! whoever made the threads, never of the program that they stand for.
//!
//! What is checked:
//!
//! - Ids: every term, cell and thread that is mentioned anywhere exists. If this
//!   fails, nothing else is looked at.
//! - Cells: the initial value and the range have the width of the cell, and the
//!   initial value is no condition.
//! - Conditions: guards, requirements and all other conditions are Boolean.
//! - Accesses: what is read or written has the width of its cell; a read
//!   introduces a variable, or a constant if there is only one value to read; no
//!   two reads introduce the same variable, and none is that of a cell's initial
//!   value.
//! - Order: a thread speaks only of what it has read by then. Terms at a position
//!   contain no variable that the thread reads at a later one. Of what others read,
//!   a thread knows only what those have read that created it, directly or not,
//!   before they did.
//! - Threads: there is a main thread, which nobody creates; every other is created
//!   at an existing position of a thread before it; the last position of one that
//!   can end is an end, if it has any (those made up for tests need not).
//! - Moments: they are between positions of their thread; those within a step
//!   come after one.
//! - Turns: no more positions are quiet, or skipped together, than there are.
//!
//! What is not checked: that conditions imply the guards they are said to include,
//! which would take a solver; nor that moments do not depend on what is read after
//! them, for the same reason: where paths are joined, their conditions mention what
//! other paths have read, though it cannot matter. And not whether the threads do
//! what the program does, which is for tests that compare them with runs.

use crate::threads::{Access, CellId, Moment, Place, Position, Thread, ThreadId, Threads};
use cranelift_entity::{EntityRef, SecondaryMap};
use formula::{Sort, Term, TermId, VariableId};
use ir::Program;
use std::collections::BTreeMap;

/// A rule that threads break.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}")]
pub struct VerifyError {
    /// Which part of the threads it is about.
    pub at: String,
    pub rule: Rule,
    pub what: String,
}

/// Which rule is broken. The list at the head of this file says what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Ids,
    Cells,
    Conditions,
    Accesses,
    Order,
    Threads,
    Moments,
    Turns,
}

/// Checks all of the threads and returns everything that is wrong with them.
pub fn verify(threads: &Threads) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        threads,
        place: String::new(),
        errors: Vec::new(),
    };
    verifier.check_ids();
    if verifier.errors.is_empty() {
        verifier.check_cells();
        verifier.check_threads();
        verifier.check_moments();
        verifier.check_introductions();
        verifier.check_order();
    }
    match verifier.errors.is_empty() {
        true => Ok(()),
        false => Err(verifier.errors),
    }
}

impl Threads {
    /// # Panics
    /// If the threads are not well formed. They are part of the message.
    pub fn expect_well_formed(&self, program: &Program) {
        if let Err(errors) = verify(self) {
            let errors: Vec<_> = errors.iter().map(VerifyError::to_string).collect();
            let text = self.text(Some(program));
            panic!(
                "threads should be well formed:\n{}\n{text}",
                errors.join("\n")
            );
        }
    }
}

struct Verifier<'t> {
    threads: &'t Threads,
    /// What is being looked at.
    place: String,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    fn expect(&mut self, rule: Rule, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.errors.push(VerifyError {
                at: self.place.clone(),
                rule,
                what: what(),
            });
        }
    }

    // Ids.

    fn check_ids(&mut self) {
        for (id, cell) in self.threads.cells.iter() {
            self.place = id.to_string();
            self.expect_term(cell.initial);
        }
        for (id, thread) in self.threads.threads.iter() {
            self.place = id.to_string();
            if let Some(creation) = &thread.creation {
                self.expect_thread(creation.thread);
                self.expect_term(creation.condition);
            }
            for (index, position) in thread.positions.iter().enumerate() {
                self.place = format!("{id} position {index}");
                self.check_ids_of(position);
            }
        }
        for moment in self.threads.moments() {
            self.place = name_of(moment);
            self.expect_thread(moment.thread);
            self.expect_term(moment.condition);
        }
    }

    fn check_ids_of(&mut self, position: &Position) {
        let mut roots = Vec::new();
        position.push_roots(&mut roots);
        for term in roots {
            self.expect_term(term);
        }
        for access in &position.accesses {
            let (Access::Read { cell, .. } | Access::Write { cell, .. }) = access;
            let is_there = self.threads.cells.is_valid(*cell);
            self.expect(Rule::Ids, is_there, || format!("there is no {cell}"));
        }
        let holders = position.waits.iter().flat_map(|wait| &wait.holders);
        for (_, thread) in position.joins.iter().chain(holders) {
            self.expect_thread(*thread);
        }
    }

    fn expect_term(&mut self, term: TermId) {
        let is_there = term.index() < self.threads.terms.len();
        self.expect(Rule::Ids, is_there, || format!("there is no term {term}"));
    }

    fn expect_thread(&mut self, thread: ThreadId) {
        let is_there = self.threads.threads.is_valid(thread);
        self.expect(Rule::Ids, is_there, || format!("there is no {thread}"));
    }

    // Sorts.

    fn expect_condition(&mut self, term: TermId, what: &str) {
        let is_bool = self.threads.terms.is_bool(term);
        self.expect(Rule::Conditions, is_bool, || {
            format!("{what} should be Boolean")
        });
    }

    fn expect_width(&mut self, rule: Rule, term: TermId, cell: CellId, what: &str) {
        let sort = self.threads.terms.sort(term);
        let width = self.threads.cells[cell].width;
        self.expect(rule, sort == Sort::BitVec(width), || {
            format!("{what} should have {width} bits like {cell}, not {sort:?}")
        });
    }

    fn check_cells(&mut self) {
        for (id, cell) in self.threads.cells.iter() {
            self.place = id.to_string();
            self.expect_width(Rule::Cells, cell.initial, id, "the initial value");
            self.expect(Rule::Cells, cell.range.width() == cell.width, || {
                format!("the range has {} bits", cell.range.width())
            });
        }
    }

    fn check_threads(&mut self) {
        let has_main = !self.threads.threads.is_empty();
        self.place = "all".to_owned();
        self.expect(Rule::Threads, has_main, || "there is no thread".to_owned());
        for (id, thread) in self.threads.threads.iter() {
            self.place = id.to_string();
            self.check_creation(id, thread);
            self.check_turns(thread);
            self.check_end(thread);
            for (index, position) in thread.positions.iter().enumerate() {
                self.place = format!("{id} position {index}");
                self.check_position(position);
            }
        }
    }

    fn check_creation(&mut self, id: ThreadId, thread: &Thread) {
        let Some(creation) = &thread.creation else {
            self.expect(Rule::Threads, id == ThreadId::FIRST, || {
                "nobody creates it".to_owned()
            });
            return;
        };
        self.expect(Rule::Threads, creation.thread < id, || {
            format!("{} comes later and cannot create it", creation.thread)
        });
        let creator = &self.threads.threads[creation.thread];
        let is_there = creation.position < creator.positions.len();
        self.expect(Rule::Threads, is_there, || {
            format!("its creator has no position {}", creation.position)
        });
        self.expect_condition(creation.condition, "the condition of its creation");
    }

    fn check_turns(&mut self, thread: &Thread) {
        let count = thread.positions.len();
        for (before, what) in [
            (thread.quiet_before, "quiet"),
            (thread.skips_before, "skipped"),
        ] {
            self.expect(Rule::Turns, before <= count, || {
                format!("{before} of {count} positions are {what}")
            });
        }
    }

    fn check_end(&mut self, thread: &Thread) {
        let is_end = |position: &Position| position.step.place == Place::End;
        let has_ends = thread.positions.iter().any(is_end);
        let ends_last = thread.positions.last().is_some_and(is_end);
        let is_fine = ends_last || !has_ends || !thread.can_end;
        self.expect(Rule::Threads, is_fine, || {
            "it can end, but its last position is no end".to_owned()
        });
    }

    fn check_position(&mut self, position: &Position) {
        self.expect_condition(position.guard, "the guard");
        self.expect_condition(position.own, "whether it is the thread's own");
        for access in &position.accesses {
            match access {
                Access::Read {
                    cell,
                    variable,
                    condition,
                } => {
                    self.expect_width(Rule::Accesses, *variable, *cell, "what is read");
                    self.expect_condition(*condition, "the condition of a read");
                }
                Access::Write {
                    cell,
                    condition,
                    value,
                } => {
                    self.expect_width(Rule::Accesses, *value, *cell, "what is written");
                    self.expect_condition(*condition, "the condition of a write");
                }
            }
        }
        for condition in &position.requires {
            self.expect_condition(*condition, "a requirement");
        }
        for usage in &position.uses {
            self.expect_condition(usage.condition, "the condition of a use");
        }
        for wait in &position.waits {
            self.expect_condition(wait.until, "what is waited for");
        }
        let strength = &position.strength;
        for condition in strength.releases.iter().chain(&strength.acquires) {
            self.expect_condition(*condition, "when it synchronises");
        }
        for (condition, _) in &position.joins {
            self.expect_condition(*condition, "the condition of a join");
        }
        let holders = position.waits.iter().flat_map(|wait| &wait.holders);
        for (condition, _) in holders {
            self.expect_condition(*condition, "the condition of a holder");
        }
    }

    fn check_moments(&mut self) {
        for moment in self.threads.moments() {
            self.place = name_of(moment);
            self.expect_condition(moment.condition, "its condition");
            let count = self.threads.threads[moment.thread].positions.len();
            self.expect(Rule::Moments, moment.after <= count, || {
                format!("the thread has {count} positions")
            });
            self.expect(Rule::Moments, !moment.is_within || moment.after > 0, || {
                "it is within a step, but there is none".to_owned()
            });
        }
    }

    // Variables.

    /// Every variable that is read is introduced by one read.
    fn check_introductions(&mut self) {
        let mut seen: BTreeMap<VariableId, String> = BTreeMap::new();
        for (id, cell) in self.threads.cells.iter() {
            if let Term::Variable(variable) = self.threads.terms.term(cell.initial) {
                seen.insert(variable, format!("the initial value of {id}"));
            }
        }
        for (id, index, term) in self.reads() {
            self.place = format!("{id} position {index}");
            match self.threads.terms.term(term) {
                Term::Variable(variable) => {
                    let earlier = seen.insert(variable, self.place.clone());
                    self.expect(Rule::Accesses, earlier.is_none(), || {
                        format!(
                            "{term} is also that of {}",
                            earlier.clone().unwrap_or_default()
                        )
                    });
                }
                Term::Constant(_) => {}
                other => self.expect(Rule::Accesses, false, || {
                    format!("a read introduces {other:?}, which is no variable")
                }),
            }
        }
    }

    /// All reads: by whom, at which position, and what they introduce.
    fn reads(&self) -> Vec<(ThreadId, usize, TermId)> {
        let mut found = Vec::new();
        for (id, thread) in self.threads.threads.iter() {
            for (index, position) in thread.positions.iter().enumerate() {
                for access in &position.accesses {
                    if let Access::Read { variable, .. } = access {
                        found.push((id, index, *variable));
                    }
                }
            }
        }
        found
    }

    fn check_order(&mut self) {
        let reads = self.reads();
        for (id, thread) in self.threads.threads.iter() {
            let own = reads.iter().filter(|(reader, ..)| *reader == id);
            let known_after = self.known_after(own.map(|(_, index, term)| (*index, *term)));
            for (index, position) in thread.positions.iter().enumerate() {
                self.place = format!("{id} position {index}");
                let mut roots = Vec::new();
                position.push_roots(&mut roots);
                self.expect_known(&known_after, &roots, index + 1);
            }
            for (other, thread) in self
                .threads
                .threads
                .iter()
                .filter(|(other, _)| *other != id)
            {
                let creation = self.creation_by(id, other);
                self.place = format!("{other} as seen from {id}");
                let mut roots: Vec<_> =
                    thread.creation.map(|it| it.condition).into_iter().collect();
                for position in &thread.positions {
                    position.push_roots(&mut roots);
                }
                self.expect_known(&known_after, &roots, creation.map_or(0, |it| it + 1));
            }
        }
    }

    /// The position at which a thread creates another, or one that creates it.
    fn creation_by(&self, creator: ThreadId, mut thread: ThreadId) -> Option<usize> {
        while let Some(creation) = &self.threads.threads[thread].creation {
            if creation.thread == creator {
                return Some(creation.position);
            }
            // Otherwise this would be a circle, which is an error of its own.
            if creation.thread >= thread {
                return None;
            }
            thread = creation.thread;
        }
        None
    }

    /// By term: after how many positions a thread with these reads knows it.
    fn known_after(
        &self,
        reads: impl Iterator<Item = (usize, TermId)>,
    ) -> SecondaryMap<TermId, usize> {
        let terms = &self.threads.terms;
        let mut known_after: SecondaryMap<TermId, usize> = SecondaryMap::new();
        for (index, term) in reads {
            if matches!(terms.term(term), Term::Variable(_)) {
                known_after[term] = index + 1;
            }
        }
        // Operands come before the terms over them.
        for id in (0..terms.len()).map(TermId::new) {
            let mut latest = known_after[id];
            terms.for_each_operand(id, |operand| latest = latest.max(known_after[operand]));
            known_after[id] = latest;
        }
        known_after
    }

    fn expect_known(
        &mut self,
        known_after: &SecondaryMap<TermId, usize>,
        roots: &[TermId],
        after: usize,
    ) {
        let latest = roots.iter().map(|root| known_after[*root]).max();
        let latest = latest.unwrap_or(0);
        self.expect(Rule::Order, latest <= after, || {
            format!("it speaks of what is read only at position {}", latest - 1)
        });
    }
}

fn name_of(moment: &Moment) -> String {
    format!("the moment after {} of {}", moment.after, moment.thread)
}

#[cfg(test)]
mod tests;
