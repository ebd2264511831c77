//! `widen`: from one schedule to all that matter (ESBMC's under-approximation and
//! widening).
//!
//! Begins with a single order of threads in which nobody is switched out before
//! it ends or has to wait; one control literal for each context and each position
//! says so. If that has no model, the control literals that the solver blames are
//! released, and it is asked again. It ends with a model, or when none of them is
//! to blame any more: then there is no model at all, so it is complete. Each step
//! releases a literal at least, so it ends.
//!
//! Every core begins with another order of threads. What they learn holds for
//! all, and the first that knows the answer ends the search.

use crate::crew::{self, Answer, Piece, Setting, Work};
use crate::glue::Glue;
use crate::{ContextSchedule, Progress, Report};
use solve::Literal;

struct Widen {
    /// By core, the control literals that are not released.
    controls: Vec<Vec<Literal>>,
    is_taken: Vec<bool>,
    n_controls: usize,
    n_steps: u64,
    is_closed: bool,
}

pub(crate) fn search(
    setting: &Setting,
    schedule: &ContextSchedule,
    glue: &Glue,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let cores = setting.options.cores.max(1);
    let controls: Vec<Vec<Literal>> = (0..cores).map(|core| first(schedule, glue, core)).collect();
    let work = Widen {
        is_taken: vec![false; cores],
        n_controls: controls[0].len().max(1),
        controls,
        n_steps: 0,
        is_closed: false,
    };
    let (ending, _, statistics) = crew::run(setting, cores, work, watch);
    Report {
        outcome: crew::outcome(ending),
        statistics,
    }
}

/// The control literals that a core begins with.
fn first(schedule: &ContextSchedule, glue: &Glue, core: usize) -> Vec<Literal> {
    let mut controls = Vec::new();
    let mut before = None;
    for context in 0..schedule.n_contexts() {
        let threads = schedule.candidates(context);
        if let [_, _, ..] = threads.as_slice() {
            // In turn, each core from another thread on; nobody follows himself.
            let thread = threads[(context + core) % threads.len()];
            let thread = match Some(thread) == before {
                true => threads[(context + core + 1) % threads.len()],
                false => thread,
            };
            controls.push(schedule.run[context][thread]);
            before = Some(thread);
        } else {
            before = threads.first().copied();
        }
    }
    controls.extend(glue.literals.iter().flatten().flatten());
    controls
}

impl Work for Widen {
    type Key = usize;

    fn take(&mut self, core: usize) -> Option<Piece<usize>> {
        // If a core has failed, another takes its order over.
        let is_free = |index: &usize| !self.is_taken[*index];
        let index = Some(core)
            .filter(is_free)
            .or_else(|| (0..self.controls.len()).find(is_free))?;
        self.is_taken[index] = true;
        Some(Piece {
            is_asserted: false,
            assumptions: self.controls[index].clone(),
            conflicts: None,
            time: None,
            key: index,
        })
    }

    fn put(&mut self, _core: usize, piece: Piece<usize>, answer: Answer) {
        self.is_taken[piece.key] = false;
        if let Answer::Closed(blamed) = answer {
            self.n_steps += 1;
            self.is_closed |= blamed.is_empty();
            self.controls[piece.key].retain(|literal| !blamed.contains(literal));
        }
    }

    fn give_back(&mut self, _core: usize, piece: Piece<usize>) {
        self.is_taken[piece.key] = false;
    }

    fn is_settled(&self) -> bool {
        self.is_closed
    }

    fn progress(&self) -> Progress {
        let fewest = self.controls.iter().map(Vec::len).min().unwrap_or(0);
        Progress {
            open: fewest,
            closed: self.n_steps,
            // Nothing is known of the space before the end; this is how far the
            // schedule was widened.
            share: match self.is_closed {
                true => 1.0,
                false => 1.0 - fewest as f64 / self.n_controls as f64,
            },
            ..Progress::default()
        }
    }
}
