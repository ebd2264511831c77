//! The ends of local variables: when their function returns, when the stack is
//! restored at the end of a block, and when their thread leaves all its functions
//! at once.
//!
//! Locals that others may know end in a step, one for all that end together. It
//! is a position if others use any of them, and otherwise a step that nobody
//! notices. Where none of them is known it is no step at all.

use crate::Error;
use crate::facts::objects::ObjectId;
use crate::pass::{Execution, Frame, Pass, State};
use crate::threads::{Place, Step};
use ir::{Body, Operand, Terminator};

impl<'p> Pass<'p> {
    /// A function returns; that is counted, whatever becomes of its locals.
    pub(crate) fn end_function(&mut self, state: &mut State, frame: &mut Frame, body: &Body) {
        let execution = self.threads.push_execution(Execution {
            function: frame.function,
            inst: None,
            guard: state.guard,
        });
        let mut blocks = body.blocks.values();
        let last = blocks.find(|block| matches!(block.terminator, Terminator::Return(_)));
        let step = Step {
            place: Place::Return(frame.function),
            part: 0,
            location: last.and_then(|block| block.terminator_location),
        };
        let locals = std::mem::take(&mut frame.locals);
        self.end_locals(state, &locals, step, execution);
    }

    /// Locals of a block come to their end.
    pub(crate) fn restore_stack(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        saved: Operand,
    ) -> Result<(), Error> {
        let saved = self.term_of(state, frame, saved);
        let Some(mark) = self.terms.as_constant(saved) else {
            return Err(self.unsupported(frame, "a block whose beginning is not known"));
        };
        self.threads.count_execution(frame, state);
        let locals = frame.locals.iter().skip(mark as usize);
        // Others may belong to other paths.
        let locals = locals.filter(|object| state.memory.has(**object));
        let locals: Vec<ObjectId> = locals.copied().collect();
        self.end_locals_here(state, frame, &locals);
        Ok(())
    }

    /// The thread leaves all its functions at once.
    pub(crate) fn end_all_locals(&mut self, state: &mut State, frame: &Frame) {
        let objects = self.facts.objects.iter().map(|(id, _)| id);
        let own = objects.filter(|id| self.is_own_local(*id) && state.memory.has(*id));
        let own: Vec<ObjectId> = own.collect();
        self.end_locals_here(state, frame, &own);
    }

    /// Locals end with the instruction at hand.
    pub(crate) fn end_locals_here(
        &mut self,
        state: &mut State,
        frame: &Frame,
        locals: &[ObjectId],
    ) {
        let step = Step {
            place: Place::Inst(frame.function, frame.inst),
            part: 0,
            location: self.location(frame),
        };
        self.end_locals(state, locals, step, frame.execution);
    }

    /// Locals end together, in a step where others may know any of them.
    fn end_locals(&mut self, state: &mut State, locals: &[ObjectId], step: Step, execution: usize) {
        self.forget_locals(state, locals);
        let is_known = self.is_any_published(state, locals);
        let guard = self.terms.and(state.guard, is_known);
        if self.terms.as_bool(guard) == Some(false) {
            return;
        }
        let mut lives = Vec::new();
        for object in locals {
            lives.extend(self.facts.alive_object(*object));
        }
        let is_noticed = lives.iter().any(|life| self.is_visible(*life, 0, 1));
        let position = match state.atomic {
            Some((position, _)) => Some(position),
            None if is_noticed => Some(self.push_guarded(state, guard, step, execution)),
            None => {
                let never = self.terms.bool(false);
                self.unnoticed_step_at(state, guard, never, step, execution);
                None
            }
        };
        let dead = self.terms.constant(8, 0);
        for life in lives {
            self.write_at(state, position, life, 0, 1, is_known, dead);
        }
    }

    /// Locals are gone, without any step.
    pub(crate) fn forget_locals(&mut self, state: &mut State, locals: &[ObjectId]) {
        for object in locals {
            state.memory.forget(*object);
            self.end_shadow(state, *object);
        }
    }
}
