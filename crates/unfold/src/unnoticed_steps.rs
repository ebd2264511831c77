//! Steps that nobody notices: they look like steps to others, although they concern
//! nobody else. They are positions only where their time matters: at the start of a
//! thread, which must have had a turn then, and before something that happens
//! together with the last step.

use crate::pass::{Frame, Pass, State};
use crate::threads::{Place, Step, ThreadId};
use crate::under_way::ThreadsUnderWay;
use formula::TermId;
use formula::Terms;

/// A step that nobody notices, and so no position unless its time matters.
#[derive(Clone)]
pub(crate) struct UnnoticedStep {
    guard: TermId,
    step: Step,
    pub execution: usize,
}

impl ThreadsUnderWay {
    /// Whether the thread has surely taken a step on this path that takes a turn.
    pub(crate) fn had_turn(&mut self, terms: &mut Terms, state: &State) -> bool {
        (0..state.after).any(|index| {
            let takes_turn = self.takes_turn(terms, index);
            let is_taken = terms.implies(state.guard, takes_turn);
            terms.as_bool(is_taken) == Some(true)
        })
    }

    /// Whether it has surely taken none.
    pub(crate) fn had_no_turn(&mut self, terms: &mut Terms, state: &State) -> bool {
        (0..state.after).all(|index| {
            let takes_turn = self.takes_turn(terms, index);
            let is_taken = terms.and(state.guard, takes_turn);
            terms.as_bool(is_taken) == Some(false)
        })
    }

    fn takes_turn(&mut self, terms: &mut Terms, index: usize) -> TermId {
        let position = &self.work().thread.positions[index];
        let (guard, own) = (position.guard, position.own);
        let is_other = terms.not(own);
        terms.and(guard, is_other)
    }
}

impl<'p> Pass<'p> {
    /// Before its first step that others notice, a thread may do things that look
    /// like steps to them, although they concern nobody else. Then it must have had
    /// a turn.
    pub(crate) fn unnoticed_step(&mut self, frame: &Frame, state: &mut State) {
        let never = self.terms.bool(false);
        self.unnoticed_step_where(frame, state, state.guard, never);
    }

    /// What is at a position, or at none, is a step whatever memory it concerns.
    pub(crate) fn take_turn(&mut self, frame: &Frame, state: &mut State, position: Option<usize>) {
        match position {
            Some(position) => {
                let never = self.terms.bool(false);
                self.work().thread.positions[position].own = never;
            }
            None => self.unnoticed_step(frame, state),
        }
    }

    /// The same, but only where the condition holds.
    pub(crate) fn unnoticed_step_if(
        &mut self,
        frame: &Frame,
        state: &mut State,
        condition: TermId,
    ) {
        let guard = self.terms.and(state.guard, condition);
        if self.terms.as_bool(guard) != Some(false) {
            let never = self.terms.bool(false);
            self.unnoticed_step_where(frame, state, guard, never);
        }
    }

    /// The same where the guard holds, unless it concerns only memory of
    /// the thread's own.
    pub(crate) fn unnoticed_step_where(
        &mut self,
        frame: &Frame,
        state: &mut State,
        guard: TermId,
        is_own: TermId,
    ) {
        let step = Step {
            place: Place::Inst(frame.function, frame.inst),
            part: 0,
            location: self.location(frame),
        };
        self.unnoticed_step_at(state, guard, is_own, step, frame.execution);
    }

    /// The same at any place.
    pub(crate) fn unnoticed_step_at(
        &mut self,
        state: &mut State,
        guard: TermId,
        is_own: TermId,
        mut step: Step,
        execution: usize,
    ) {
        if state.atomic.is_some() || self.prologue.is_alone() {
            return;
        }
        if self.threads.current() != ThreadId::FIRST
            && !self.threads.had_turn(&mut self.terms, state)
        {
            // This is the step itself: another position for it would let others go
            // on between the step and what follows it at once.
            if self.threads.had_no_turn(&mut self.terms, state) {
                step.place = Place::Start;
            }
            let position = self.push_guarded(state, guard, step, execution);
            self.work().thread.positions[position].own = is_own;
            return;
        }
        if !self.options.reductions.hiding {
            self.push_guarded(state, guard, step, execution);
            return;
        }
        // Of those on one path the last is enough.
        let is_sure = guard == state.guard;
        let unnoticed = &mut state.unnoticed;
        unnoticed.retain(|one| !is_sure && one.guard != guard);
        unnoticed.push(UnnoticedStep {
            guard,
            step,
            execution,
        });
    }

    /// Makes positions of the steps that nobody notices, since others must be able
    /// to go on between them and what comes next.
    pub(crate) fn make_unnoticed_positions(&mut self, state: &mut State) {
        for one in std::mem::take(&mut state.unnoticed) {
            self.push_guarded(state, one.guard, one.step, one.execution);
        }
    }

    /// Where to note what happens right after the last step on the path, before
    /// anybody else can take one: at a position that nobody waits at. It cannot be
    /// noted at the step itself, since conditions may have come up since then, and
    /// the step may be another one on each path.
    ///
    /// # Panics
    /// If the thread has taken no step.
    pub(crate) fn position_right_after(&mut self, state: &mut State) -> usize {
        if let Some((position, _)) = state.atomic {
            return position;
        }
        self.make_unnoticed_positions(state);
        let nowhere = self.terms.bool(false);
        let work = self.work();
        let count = work.thread.positions.len();
        let last = work
            .thread
            .positions
            .last()
            .expect("a step should be taken");
        if state.after == count && last.guard == nowhere {
            work.thread.skips_before = count;
            return count - 1;
        }
        let (step, execution) = (last.step, work.trail.positions[count - 1]);
        work.thread.skips_before = count + 1;
        self.push_guarded(state, nowhere, step, execution)
    }
}
