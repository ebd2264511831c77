//! Pauses in the local work of a thread, where it begins another round of a loop in
//! which it asks for inputs: whoever drives the run can see then whether the thread was
//! there before. Only the prover asks for them.

use crate::inputs::Inputs;
use crate::machine::{Machine, Stop};
use crate::thread::Thread;
use std::rc::Rc;

impl Machine<'_> {
    /// The thread has begun another round of a loop in which it asks for inputs, and has
    /// not come to its next visible step yet. It may now go on.
    pub(crate) fn take_pause(&mut self) -> bool {
        self.pauses = self.pauses.map(|_| self.inputs.len());
        std::mem::take(&mut self.is_paused)
    }

    /// To be told when a round of a loop begins.
    pub(crate) fn note_round(&mut self) {
        let asked = self.pauses.is_some_and(|known| self.inputs.len() > known);
        self.is_paused |= asked;
    }

    /// Lets a thread that was just created come to its first visible step, after which
    /// its creator goes on.
    pub(crate) fn begin_local_work(
        &mut self,
        creator: &Thread,
        id: usize,
        created: Thread,
        inputs: &mut dyn Inputs,
    ) -> Result<(), Stop> {
        // An atomic section goes on at once.
        let pauses = match creator.atomic_depth {
            0 => None,
            _ => self.pauses.take(),
        };
        let result = self.work(id, created, inputs);
        self.pauses = pauses.or(self.pauses);
        self.begun = self.is_paused.then_some(id);
        result
    }

    /// Lets the thread go on after a pause, up to its next visible step.
    pub(crate) fn resume(&mut self, id: usize, inputs: &mut dyn Inputs) -> Result<(), Stop> {
        if let Some(begun) = self.begun.take() {
            let thread = (*self.threads[begun]).clone();
            self.work(begun, thread, inputs)?;
            if self.is_paused {
                self.begun = Some(begun);
                return Ok(());
            }
        }
        let thread = (*self.threads[id]).clone();
        self.work(id, thread, inputs)?;
        self.notice_cycle(id);
        Ok(())
    }

    /// Lets a thread do its local work; its place is taken meanwhile.
    fn work(&mut self, id: usize, mut thread: Thread, inputs: &mut dyn Inputs) -> Result<(), Stop> {
        self.threads[id] = self.vacant.clone();
        let result = self.advance(&mut thread, inputs);
        let result = self.absorb(&mut thread, result);
        self.threads[id] = Rc::new(thread);
        result
    }
}
