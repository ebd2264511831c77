//! How calls that read and write strings and buffers are carried out.
//!
//! Such a call may touch several pieces of memory, some of them shared. A [`Plan`]
//! collects all of it first: reads are made at once, effects are only noted down.
//! If any of the memory is shared and it is not the thread's turn, the call waits,
//! nothing has happened, and a new plan is made when the turn comes. What was read
//! from shared memory until then is a guess, so faults found on the way are not
//! reported before the turn either.

use super::{Reply, Site};
use crate::event::Effect;
use crate::machine::{AccessMode, Machine, Stop};
use crate::memory::{AccessFault, ObjectId};
use crate::thread::Pending;
use crate::value::{Pointer, Value};
use ir::Type;

/// A checked place in memory.
pub(crate) type Target = (ObjectId, u64);

/// Limit for strings that end only at their zero byte.
pub(crate) const UNLIMITED: u64 = u64::MAX;

#[derive(Default)]
pub(crate) struct Plan {
    pending: Pending,
    /// It is not the thread's turn: what has been read is a guess.
    pub must_wait: bool,
    /// Text that is printed depends on inputs that are left open.
    pub is_text_open: bool,
    effects: Vec<Planned>,
}

/// Something to do once it is certain that the call need not wait.
pub(crate) enum Planned {
    Bytes(Target, Vec<u8>),
    Store(Target, Type, Value),
    Print(Sink, Vec<u8>),
    SetErrno(i32),
    /// An address leaves the program's variables, so anyone may find it.
    Publish(Value),
    /// The life of a stream ends.
    Close(ObjectId),
}

/// Where output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sink {
    Output,
    Error,
    /// Files, which are not kept.
    Nowhere,
}

impl Plan {
    pub(crate) fn add(&mut self, effect: Planned) {
        self.effects.push(effect);
    }
}

impl<'a> Machine<'a> {
    /// Plans a call and, if that can be now, carries it out.
    pub(crate) fn planned(
        &mut self,
        site: &mut Site,
        work: impl FnOnce(&mut Self, &mut Site, &mut Plan) -> Result<Reply, Stop>,
    ) -> Result<Reply, Stop> {
        let mut plan = Plan::default();
        let reply = work(self, site, &mut plan);
        if plan.must_wait {
            return Ok(Reply::Wait(plan.pending));
        }
        let reply = reply?;
        for effect in plan.effects {
            self.carry_out(site, effect);
        }
        Ok(reply)
    }

    fn carry_out(&mut self, site: &mut Site, effect: Planned) {
        match effect {
            Planned::Bytes(target, bytes) => {
                self.record_text(site, target, bytes.len() as u64, &bytes, true);
                self.memory.write_bytes(target.0, target.1, &bytes);
            }
            Planned::Store(target, ty, value) => {
                self.store(site.thread, target, &ty, value, |place, value, was| {
                    Effect::Write { place, value, was }
                });
            }
            Planned::Print(sink, bytes) if self.config.keep_output => match sink {
                Sink::Output => self.standard_output.extend(bytes),
                Sink::Error => self.standard_error.extend(bytes),
                Sink::Nowhere => {}
            },
            Planned::Print(..) => {}
            Planned::SetErrno(number) => self.set_errno(site.thread, number),
            Planned::Publish(value) => self.publish_value(&value),
            Planned::Close(stream) => {
                if self
                    .memory
                    .get(stream)
                    .is_some_and(|object| object.is_shared)
                {
                    let place = self.object_name(stream);
                    self.record(site.thread, Effect::Free { place });
                }
                self.memory.kill_heap(stream);
            }
        }
    }

    /// Checks an access to a range; `None` if the call must wait for its turn.
    pub(crate) fn plan_range(
        &mut self,
        site: &Site,
        pointer: Pointer,
        len: u64,
        mode: AccessMode,
        plan: &mut Plan,
    ) -> Result<Option<Target>, Stop> {
        let target = self.model_access(site, pointer, len, mode, &mut plan.pending)?;
        plan.must_wait |= target.is_none();
        Ok(target)
    }

    /// Plans to write bytes.
    pub(crate) fn plan_bytes(
        &mut self,
        site: &Site,
        pointer: Pointer,
        bytes: Vec<u8>,
        plan: &mut Plan,
    ) -> Result<(), Stop> {
        let len = bytes.len() as u64;
        if let Some(target) = self.plan_range(site, pointer, len, AccessMode::WRITE, plan)? {
            plan.add(Planned::Bytes(target, bytes));
        }
        Ok(())
    }

    /// Plans to write a string with its zero byte.
    pub(crate) fn plan_string(
        &mut self,
        site: &Site,
        pointer: Pointer,
        text: &[u8],
        plan: &mut Plan,
    ) -> Result<(), Stop> {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.plan_bytes(site, pointer, bytes, plan)
    }

    /// Plans to write a value.
    pub(crate) fn plan_store(
        &mut self,
        site: &Site,
        pointer: Pointer,
        ty: Type,
        value: Value,
        plan: &mut Plan,
    ) -> Result<(), Stop> {
        let len = ty.bytes(self.memory.pointer_bytes);
        if let Some(target) = self.plan_range(site, pointer, len, AccessMode::WRITE, plan)? {
            plan.add(Planned::Store(target, ty, value));
        }
        Ok(())
    }

    /// Reads a value.
    pub(crate) fn read_value(
        &mut self,
        site: &mut Site,
        pointer: Pointer,
        ty: &Type,
        plan: &mut Plan,
    ) -> Result<Value, Stop> {
        let len = ty.bytes(self.memory.pointer_bytes);
        match self.plan_range(site, pointer, len, AccessMode::READ, plan)? {
            Some(target) => {
                self.settle(site.thread, site.inputs, target, len, *ty == Type::Pointer)?;
                Ok(self.load(site.thread, target, ty))
            }
            None => Ok(Value::zero(ty)),
        }
    }

    /// Reads so many bytes.
    pub(crate) fn read_bytes(
        &mut self,
        site: &mut Site,
        pointer: Pointer,
        len: u64,
        plan: &mut Plan,
    ) -> Result<Vec<u8>, Stop> {
        match self.plan_range(site, pointer, len, AccessMode::READ, plan)? {
            Some(target) => {
                self.settle(site.thread, site.inputs, target, len, false)?;
                Ok(self.take_bytes(site, target, len, len))
            }
            None => Ok(Vec::new()),
        }
    }

    /// Reads a string up to its zero byte, which is not part of the result, but no
    /// more than `limit` bytes.
    pub(crate) fn read_string(
        &mut self,
        site: &mut Site,
        pointer: Pointer,
        limit: u64,
        plan: &mut Plan,
    ) -> Result<Vec<u8>, Stop> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let Ok((object, start)) = self.memory.check(pointer, 1, false) else {
            // This says what is wrong, or that it is too early to say.
            self.plan_range(site, pointer, 1, AccessMode::READ, plan)?;
            return Ok(Vec::new());
        };
        let is_certain = site.call.allow || !self.is_shared(site, pointer);
        let size = self.memory.get(object).map_or(0, |object| object.size);
        let end = start.saturating_add(limit).min(size);
        let mut len = 0;
        let mut is_terminated = false;
        while start + len < end {
            let at = (object, start + len);
            if !self.memory.is_initialised(object, at.1, 1) {
                // Without its turn, the thread must not give shared bytes a value.
                if !is_certain {
                    break;
                }
                self.settle(site.thread, site.inputs, at, 1, false)?;
            }
            if self.memory.bytes(object, at.1, 1) == [0] {
                is_terminated = true;
                break;
            }
            len += 1;
        }
        if is_certain && !is_terminated && len < limit {
            let offset = size as i64;
            let fault = AccessFault::OutOfBounds { object, offset };
            return Err(self.access_violation(site.thread, fault, 1, false));
        }
        let read = (len + u64::from(is_terminated)).max(1);
        self.plan_range(site, pointer, read, AccessMode::READ, plan)?;
        if is_certain {
            Ok(self.take_bytes(site, (object, start), len, read))
        } else {
            Ok(self.memory.bytes(object, start, len).to_vec())
        }
    }

    /// The bytes of a range that this call is really reading now, together with
    /// `read - len` more that say where they end.
    fn take_bytes(&mut self, site: &Site, target: Target, len: u64, read: u64) -> Vec<u8> {
        // Parts of an address may come back as a pointer anywhere.
        for address in self.memory.pointers_in(target.0, target.1, len) {
            self.memory.publish(address);
        }
        let bytes = self.memory.bytes(target.0, target.1, len).to_vec();
        self.record_text(site, target, read, &bytes, false);
        bytes
    }

    /// Records that text was read or written, if others can see its memory.
    fn record_text(
        &mut self,
        site: &Site,
        (object, offset): Target,
        len: u64,
        bytes: &[u8],
        is_write: bool,
    ) {
        let is_shared = self
            .memory
            .get(object)
            .is_some_and(|object| object.is_shared);
        if self.trace.is_none() || !is_shared {
            return;
        }
        let place = self.text_place(object, offset, len);
        let value = quoted(bytes);
        let effect = if is_write {
            let was = String::new();
            Effect::Write { place, value, was }
        } else {
            Effect::Read { place, value }
        };
        self.record(site.thread, effect);
    }

    /// An array as a whole, if the text starts with it, or else the first character.
    fn text_place(&self, object: ObjectId, offset: u64, len: u64) -> String {
        let first = self.place(object, offset, 1).path;
        if first.ends_with("[0]") {
            self.place(object, offset, len).path
        } else {
            first
        }
    }

    /// The pointer so many bytes further on.
    pub(crate) fn advanced(&self, pointer: Pointer, by: u64) -> Pointer {
        Pointer {
            address: self.memory.wrap(pointer.address.wrapping_add(by)),
            object: pointer.object,
        }
    }
}

/// Text for a trace: in quotes, and not too long.
fn quoted(bytes: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or(bytes);
    if text.len() > SHOWN {
        format!("\"{}...\"", text[..SHOWN].escape_ascii())
    } else {
        format!("\"{}\"", text.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn text_in_traces_is_short_and_printable() {
        assert_eq!(quoted(b"abc\0"), "\"abc\"");
        assert_eq!(quoted(b"a\n\"\xff"), "\"a\\n\\\"\\xff\"");
        assert_eq!(quoted(b""), "\"\"");
        assert_eq!(quoted(&[b'x'; 100]).len(), 65);
    }
}
