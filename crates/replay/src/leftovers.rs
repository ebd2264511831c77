//! What is left of memory when the process ends: blocks that nobody can free any
//! more, and blocks that were not freed.
//!
//! A block is lost unless something holds its address that is still there: a
//! global variable; a variable of a thread that has not ended, or a value that
//! such a thread will still use; the result of a thread that nobody has joined or
//! detached; or another block that is not lost. An address counts wherever it
//! points in the block, and also as an integer.

use crate::machine::Machine;
use crate::memory::ObjectId;
use crate::thread::{Life, Phase, Thread};
use crate::value::Value;
use crate::violation::{Property, StackEntry, ViolationKind};
use cranelift_entity::EntityRef;

impl<'a> Machine<'a> {
    /// Whether anybody wants to know what is left in the end: then it matters when
    /// blocks are made and freed.
    pub(crate) fn counts_blocks(&self) -> bool {
        let checks = self.config.checks;
        checks.has(Property::Leak) || checks.has(Property::Cleanup)
    }

    /// The process ends with a step of this thread, which is away from its place.
    pub(crate) fn end_process(&mut self, thread: &Thread, code: i32) {
        self.exit_code = Some(code & 0xff);
        if self.config.checks.has(Property::Leak) {
            let (known, is_over) = self.roots(thread);
            let lost = self
                .memory
                .unreachable_heap(known, |thread| is_over[thread]);
            for object in lost {
                let name = self.object_name(object);
                let message =
                    format!("memory is lost: {name} was never freed and nothing points to it");
                self.notice_block(thread, ViolationKind::Leak, object, message);
            }
        }
        if self.config.checks.has(Property::Cleanup) {
            let left: Vec<ObjectId> = self.memory.live_heap().collect();
            for object in left {
                let name = self.object_name(object);
                let message = format!("memory is not freed: {name} is still there in the end");
                self.notice_block(thread, ViolationKind::NotFreed, object, message);
            }
        }
    }

    /// Says where the block comes from rather than where the process ends.
    fn notice_block(
        &mut self,
        thread: &Thread,
        kind: ViolationKind,
        block: ObjectId,
        message: String,
    ) {
        let mut violation = self.violation(thread, kind, message);
        if let Some(location) = self.allocation_site(block) {
            violation.stack = vec![StackEntry {
                function: String::new(),
                location: Some(location),
            }];
        }
        self.noticed.push(violation);
    }

    /// Objects that threads know without having stored their addresses; and, by
    /// thread, whether its variables are gone.
    fn roots(&self, ending: &Thread) -> (Vec<ObjectId>, Vec<bool>) {
        let mut known = Vec::new();
        let mut is_over = Vec::new();
        for thread in &self.threads {
            let thread = match thread.is_vacant() {
                true => ending,
                false => thread,
            };
            is_over.push(thread.is_finished());
            match &thread.life {
                Life::Finished(result) => {
                    if !thread.is_joined && !thread.is_detached {
                        self.add_known(result, &mut known);
                    }
                }
                _ => self.add_own(thread, &mut known),
            }
        }
        (known, is_over)
    }

    /// What a thread will still use, and its values of keys.
    fn add_own(&self, thread: &Thread, known: &mut Vec<ObjectId>) {
        let values = thread.key_values.iter().map(|(_, value)| value);
        for value in values.chain(&thread.leaving) {
            self.add_known(value, known);
        }
        for frame in &thread.frames {
            if let Phase::Copying(copied) = &frame.phase {
                known.extend(copied.pointers.iter().map(|(_, target)| *target));
            }
            for argument in frame.variadic.iter() {
                self.add_known(&argument.value, known);
            }
            let liveness = self.image.liveness(frame.function);
            let body = self.image.body(frame.function);
            if let (Some(liveness), Some(body)) = (liveness, body) {
                for value in liveness.before(body, frame.block, frame.index).iter() {
                    self.add_known(&frame.registers[value.index()], known);
                }
            }
        }
    }

    fn add_known(&self, value: &Value, known: &mut Vec<ObjectId>) {
        match value {
            Value::Pointer(pointer) => known.extend(pointer.object),
            Value::Tuple(fields) => {
                for field in fields.iter() {
                    self.add_known(field, known);
                }
            }
            Value::Bits(bits) => known.extend(self.memory.resolve(*bits).object),
            _ => {}
        }
    }
}
