//! The lives of local variables. They end when their function returns, when the
//! stack is restored at the end of a block, and when their thread leaves all its
//! functions at once.
//!
//! Locals that others may know end in a step, one for all that end together:
//! whoever uses one may do so before. It is no access, so nothing races with it.

use crate::event::Effect;
use crate::footprint::Look;
use crate::machine::{Cut, Machine, Stop};
use crate::memory::Origin;
use crate::thread::Thread;
use crate::value::Value;
use ir::{Op, Operand};

impl<'a> Machine<'a> {
    pub(crate) fn make_local(
        &mut self,
        thread: &Thread,
        bytes: u64,
        align: u64,
        count: Option<Operand>,
    ) -> Result<Value, Stop> {
        if let Some(count) = count {
            self.expect_initialised(thread, count, "the size of an array")?;
        }
        let count = count.map_or(1, |count| self.operand(thread, count).low_bits());
        let Some(size) = bytes.checked_mul(count) else {
            return Err(Stop::Cut(Cut::Memory));
        };
        let Some(frame) = thread.frames.last() else {
            return Ok(Value::ZERO);
        };
        let inst = self.image.body(frame.function).map(|body| {
            let block = &body.blocks[frame.block];
            (block.insts[frame.index], body)
        });
        let Some((inst, body)) = inst else {
            return Ok(Value::ZERO);
        };
        let origin = Origin::Local(frame.function, inst);
        let object = self.memory.push_local(thread.id, origin, size, align)?;
        if let Op::Local {
            variable: Some(variable),
            ..
        } = &body.insts[inst].op
            && let Some(ty) = body.locals[*variable].ty
        {
            self.memory.set_type(object, ty);
        }
        Ok(Value::Pointer(self.memory.pointer(object, 0)))
    }

    /// Whether others may know any of the thread's locals since the mark was taken.
    pub(crate) fn are_locals_known(&self, thread: &Thread, mark: usize) -> bool {
        self.memory.shared_locals(thread.id, mark).next().is_some()
    }

    /// Ends the lives of all the thread's locals since the mark was taken.
    pub(crate) fn end_locals(&mut self, thread: &Thread, mark: usize) {
        if self.trace.is_some() && self.are_locals_known(thread, mark) {
            let known = self.memory.shared_locals(thread.id, mark);
            let places = known.map(|object| self.object_name(object)).collect();
            self.record(thread, Effect::EndOfLocals { places });
        }
        self.memory.pop_locals(thread.id, mark);
        self.footprint.note(Look::SyncsOnStack(thread.id));
        let memory = &self.memory;
        self.sync.forget(|object| memory.peek(object).is_none());
    }
}
