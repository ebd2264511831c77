//! Access to memory with all checks: bounds, life, sharing, initialisation.

use crate::inputs::{Domain, InputKind, Inputs};
use crate::machine::{Machine, Stop};
use crate::memory::{AccessFault, ObjectId};
use crate::thread::{Access, Pending, Thread};
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;

/// How memory is accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessMode {
    pub is_write: bool,
    pub is_atomic: bool,
}

impl AccessMode {
    pub(crate) const READ: AccessMode = AccessMode {
        is_write: false,
        is_atomic: false,
    };
    pub(crate) const WRITE: AccessMode = AccessMode {
        is_write: true,
        is_atomic: false,
    };
}

impl<'a> Machine<'a> {
    /// Checks an access. `Ok(None)` means that it is a visible step that must
    /// wait for its turn; `pending` then says what it will access.
    pub(crate) fn access(
        &mut self,
        thread: &Thread,
        pointer: Pointer,
        len: u64,
        mode: AccessMode,
        allow: bool,
        pending: &mut Pending,
    ) -> Result<Option<(ObjectId, u64)>, Stop> {
        match self.memory.check(pointer, len, mode.is_write) {
            Ok((object, offset)) => {
                if self.memory.is_shared(object) && len > 0 {
                    let access = Access {
                        object,
                        offset,
                        len,
                        is_write: mode.is_write,
                        is_atomic: mode.is_atomic || thread.atomic_depth > 0,
                    };
                    if !allow {
                        pending.accesses.push(access);
                        return Ok(None);
                    }
                    self.accesses.push(access);
                } else if len > 0 && self.is_foreign(thread, object) {
                    // A safety net: better no verdict than one that misses this.
                    let what = "a pointer that reached another thread unnoticed";
                    return Err(self.unsupported(thread, what));
                }
                if self.is_weak() {
                    self.note_access(thread, (object, offset), len, mode)?;
                }
                Ok(Some((object, offset)))
            }
            // Whether shared memory is still there is known only at the step.
            Err(AccessFault::Freed { object })
                if !allow && self.memory.header(object).is_some_and(|o| o.is_shared) =>
            {
                Ok(None)
            }
            Err(AccessFault::OutOfScope { object })
                if !allow && self.is_foreign(thread, object) =>
            {
                Ok(None)
            }
            Err(fault) => Err(self.access_violation(thread, fault, len, mode.is_write)),
        }
    }

    /// An object that only one thread may know is used by another.
    pub(crate) fn is_foreign(&self, thread: &Thread, object: ObjectId) -> bool {
        let is_constant = self.memory.header(object).is_some_and(|o| o.is_constant);
        let owner = self.memory.owner(object);
        !is_constant && owner.is_some_and(|owner| owner != thread.id)
    }

    /// Adds accesses that were not made through [`Machine::access`].
    pub(crate) fn note_accesses(&mut self, accesses: Vec<Access>) {
        self.note_frees(&accesses);
        self.accesses.extend(accesses);
    }

    pub(crate) fn access_violation(
        &self,
        thread: &Thread,
        fault: AccessFault,
        len: u64,
        is_write: bool,
    ) -> Stop {
        let verb = if is_write { "write" } else { "read" };
        let (kind, message) = match fault {
            AccessFault::Null => (
                ViolationKind::NullDereference,
                format!("{verb} through a null pointer"),
            ),
            AccessFault::Wild => (
                ViolationKind::InvalidPointer,
                format!("{verb} through a pointer that points to no object"),
            ),
            AccessFault::ReadOnly => (
                ViolationKind::InvalidPointer,
                "write to memory that is constant".to_owned(),
            ),
            AccessFault::OutOfScope { .. } => (
                ViolationKind::UseAfterFree,
                format!("{verb} of a local variable whose function has returned"),
            ),
            AccessFault::Freed { object } => (
                ViolationKind::UseAfterFree,
                format!("{verb} of {} after it was freed", self.object_name(object)),
            ),
            AccessFault::OutOfBounds { object, offset } => {
                let size = self.memory.even_dead(object).map_or(0, |o| o.size);
                let name = self.object_name(object);
                let message = format!(
                    "{verb} of {len} bytes at offset {offset} of {name}, which has {size} bytes"
                );
                (ViolationKind::OutOfBounds, message)
            }
        };
        self.violated(thread, kind, message)
    }

    /// Gives a range its value if it has none yet.
    pub(crate) fn settle(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        (object, offset): (ObjectId, u64),
        len: u64,
        is_pointer: bool,
    ) -> Result<(), Stop> {
        let mut at = offset;
        while at < offset + len {
            let piece = (offset + len - at).min(16);
            if !self.memory.is_initialised(object, at, piece) {
                let width = 8 * piece as u32;
                let domain = if is_pointer {
                    Domain::Pointer(width)
                } else {
                    Domain::Bits(width)
                };
                let was_open = std::mem::take(&mut self.is_answer_open);
                let value = self.ask(thread, inputs, InputKind::Uninitialised, domain)?;
                let is_whole =
                    (0..piece).all(|byte| !self.memory.is_initialised(object, at + byte, 1));
                let value = match is_whole && !is_pointer {
                    true => self.answered_bytes(piece, value),
                    false => value,
                };
                let bytes = value.to_le_bytes();
                if self.leaves_open() {
                    // What is not left open has its value now.
                    for byte in at..at + piece {
                        if !self.memory.is_initialised(object, byte, 1) {
                            self.memory.shade(object, byte, 1, self.is_answer_open);
                        }
                    }
                }
                self.is_answer_open |= was_open;
                self.memory.initialise(object, at, &bytes[..piece as usize]);
            }
            at += piece;
        }
        Ok(())
    }

    /// A pointer is written to memory or otherwise handed on: if whoever gets it
    /// may be another thread, what it points to becomes shared.
    pub(crate) fn publish_if_shared(&mut self, into: ObjectId, value: &Value) {
        if self.memory.is_shared(into) {
            self.publish_value(value);
        }
    }

    pub(crate) fn publish_value(&mut self, value: &Value) {
        match value {
            Value::Pointer(Pointer {
                object: Some(object),
                ..
            }) => self.memory.publish(*object),
            Value::Tuple(fields) => fields.iter().for_each(|field| self.publish_value(field)),
            _ => {}
        }
    }
}
