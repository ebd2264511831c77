//! Counts how often each thread has executed each instruction, and knows which
//! executions are still under way.
//!
//! Only guided runs want to know; all others have no [`Counter`] and pay one
//! test for each instruction, as they do for coverage and for weak memory. What counts as an execution is told in
//! [`crate::guide`]. Nothing here must have an influence on a run.

use crate::inputs::{Allocation, Asker, Inputs};
use crate::machine::{Flow, Machine, Stop};
use crate::thread::{Phase, Thread};
use ir::{BlockId, FunctionId, InstId};
use std::collections::HashMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    /// Executions that have begun, by thread and instruction.
    begun: HashMap<(usize, FunctionId, InstId), u64>,
    /// For each thread and each of its calls in progress, outermost first: the
    /// execution that has begun there and is not over.
    under_way: Vec<Vec<Option<Execution>>>,
    /// Returns, by thread and function.
    returned: HashMap<(usize, FunctionId), u64>,
    /// Who got each heap address first.
    homes: HashMap<u64, Allocation>,
}

/// An execution that is not over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Execution {
    pub function: FunctionId,
    pub inst: InstId,
    /// Which one of this thread and instruction, from 1.
    pub number: u64,
    /// Visible steps taken.
    pub steps: u32,
    /// Inputs asked for.
    asked: u32,
    /// Where in its function the instruction is. One call never executes the same
    /// instruction twice in a row, there is at least a jump in between; so if the
    /// call is still here, it is still the same execution.
    place: (BlockId, usize),
}

impl Counter {
    /// The thread turns to its next instruction, perhaps not for the first time.
    /// Terminators are no instructions: `inst` is then none.
    fn begin(&mut self, thread: &Thread, inst: Option<InstId>) {
        let Some(frame) = thread.frame() else {
            return;
        };
        if self.under_way.len() <= thread.id {
            self.under_way.resize(thread.id + 1, Vec::new());
        }
        let calls = &mut self.under_way[thread.id];
        calls.resize(thread.frames.len(), None);
        let place = (frame.block, frame.index);
        let Some(current) = calls.last_mut() else {
            return;
        };
        let Some(inst) = inst else {
            *current = None;
            return;
        };
        if current.is_some_and(|execution| execution.place == place) {
            return;
        }
        let key = (thread.id, frame.function, inst);
        let begun = self.begun.entry(key).or_default();
        *begun += 1;
        *current = Some(Execution {
            function: frame.function,
            inst,
            number: *begun,
            steps: 0,
            asked: 0,
            place,
        });
    }

    /// The thread has done something about the instruction it turned to, which
    /// was in the call at this depth.
    fn end(&mut self, thread: &Thread, depth: usize, is_step: bool) {
        let Some(calls) = self.under_way.get_mut(thread.id) else {
            return;
        };
        calls.truncate(thread.frames.len());
        let (Some(call), Some(frame)) = (calls.get_mut(depth - 1), thread.frames.get(depth - 1))
        else {
            return;
        };
        let Some(execution) = call else {
            return;
        };
        let is_gone = execution.place != (frame.block, frame.index);
        // A function of the program was called. Library functions that call back
        // keep their progress in the phase, and are not over yet.
        let is_call = thread.frames.len() > depth && frame.phase == Phase::Start;
        if is_gone || is_call {
            *call = None;
        } else if is_step {
            execution.steps += 1;
        }
    }

    /// The thread's next step is that part of an execution, or comes after it.
    pub(crate) fn is_up_to(&self, execution: &crate::inputs::Execution) -> bool {
        let crate::inputs::Execution {
            thread,
            function,
            inst,
            count,
            part,
        } = *execution;
        match part.checked_sub(1) {
            Some(before) => self.has_done(thread, function, inst, count, before),
            None => {
                let begun = self.begun.get(&(thread, function, inst));
                begun.copied().unwrap_or(0) >= count
            }
        }
    }

    /// The thread's execution of this number has taken more than `part` visible
    /// steps, or is over.
    pub(crate) fn has_done(
        &self,
        thread: usize,
        function: FunctionId,
        inst: InstId,
        number: u64,
        part: u32,
    ) -> bool {
        let begun = self.begun.get(&(thread, function, inst));
        if begun.copied().unwrap_or(0) < number {
            return false;
        }
        let calls = self.under_way.get(thread).into_iter().flatten().flatten();
        let mut same = calls.filter(|execution| {
            (execution.function, execution.inst, execution.number) == (function, inst, number)
        });
        same.next().is_none_or(|execution| execution.steps > part)
    }

    /// A function of the program returns.
    pub(crate) fn note_return(&mut self, thread: usize, function: FunctionId) {
        *self.returned.entry((thread, function)).or_default() += 1;
    }

    /// How often the thread has returned from the function.
    pub(crate) fn returns(&self, thread: usize, function: FunctionId) -> u64 {
        let count = self.returned.get(&(thread, function));
        count.copied().unwrap_or(0)
    }

    /// What the thread's innermost call is executing.
    pub(crate) fn current(&self, thread: &Thread) -> Option<&Execution> {
        let calls = self.under_way.get(thread.id)?;
        let innermost = thread.frames.len().checked_sub(1)?;
        calls.get(innermost)?.as_ref()
    }

    /// A block gets a fresh address.
    pub(crate) fn allocate(&mut self, thread: &Thread, address: u64) {
        if let Some(execution) = self.current(thread) {
            let allocation = Allocation {
                thread: thread.id,
                function: execution.function,
                inst: execution.inst,
                count: execution.number,
            };
            self.homes.insert(address, allocation);
        }
    }

    /// The address that a block was the first to get.
    pub(crate) fn address(&self, allocation: Allocation) -> Option<u64> {
        let mut homes = self.homes.iter();
        let found = homes.find(|(_, first)| **first == allocation);
        found.map(|(address, _)| *address)
    }

    /// Who got an address first.
    pub(crate) fn home(&self, address: u64) -> Option<Allocation> {
        self.homes.get(&address).copied()
    }

    /// Counts a request for an input: who asks.
    pub(crate) fn ask(&mut self, thread: &Thread) -> Option<Asker> {
        let calls = self.under_way.get_mut(thread.id)?;
        let innermost = thread.frames.len().checked_sub(1)?;
        let execution = calls.get_mut(innermost)?.as_mut()?;
        let index = execution.asked;
        execution.asked += 1;
        Some(Asker {
            function: execution.function,
            inst: execution.inst,
            count: execution.number,
            index,
        })
    }
}

impl<'a> Machine<'a> {
    /// Executes the thread's next instruction, as [`Machine::execute`] does, and
    /// counts it if somebody wants to know.
    #[inline]
    pub(crate) fn execute_next(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        allow: bool,
    ) -> Result<Flow, Stop> {
        match self.is_observed {
            false => self.execute(thread, inputs, allow),
            true => self.execute_observed(thread, inputs, allow),
        }
    }

    /// Kept apart, so that all other runs have nothing but the test.
    #[cold]
    #[inline(never)]
    fn execute_observed(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        allow: bool,
    ) -> Result<Flow, Stop> {
        let depth = thread.frames.len();
        let inst = thread.frame().and_then(|frame| {
            let block = &self.image.body(frame.function)?.blocks[frame.block];
            block.insts.get(frame.index).copied()
        });
        if let Some(counter) = &mut self.counter {
            counter.begin(thread, inst);
        }
        if let (Some(coverage), Some(frame)) = (&mut self.coverage, thread.frame()) {
            match inst {
                Some(inst) => coverage.note_inst(frame.function, inst),
                None => coverage.note_end(frame.function, frame.block),
            }
        }
        // The creation of a thread runs its first instructions in between.
        let outer = self.take_noted();
        let mut result = self.execute(thread, inputs, allow);
        if matches!(result, Ok(Flow::Done)) && self.is_weak() {
            result = self.settle_noted(thread).map(|()| Flow::Done);
        }
        self.restore_noted(outer);
        // A step that finds out that it has to wait has done nothing; one that ends
        // the run has done its part.
        let is_step = allow && !matches!(result, Ok(Flow::Visible(_)));
        if let Some(counter) = &mut self.counter
            && depth > 0
        {
            counter.end(thread, depth, is_step);
        }
        result
    }
}
