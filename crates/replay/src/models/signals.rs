//! Signals: sets of them, which ones a thread has blocked, and what is to happen when
//! they arrive.

use super::{EINVAL, Reply, Site};
use crate::footprint::Look;
use crate::kernel::Action;
use crate::machine::{AccessMode, Machine, Stop};
use crate::thread::{Pending, Wait};
use crate::value::{Pointer, Value};
use ir::Type;
use library::Signals;

/// Bytes of a `sigset_t`.
const SET: u64 = 128;
const MOST: u32 = 64;
/// SIGKILL and SIGSTOP, which nobody can catch or block.
const UNTOUCHABLE: [u32; 2] = [9, 19];
/// Those that the C library keeps for itself.
const INTERNAL: u64 = 1 << 31 | 1 << 32;
pub(super) const BROKEN_PIPE: u32 = 13;
/// `SIG_IGN`.
const IGNORED: u64 = 1;
/// `SA_RESTART`.
const RESTART: u32 = 0x1000_0000;

/// Where the parts of a `struct sigaction` are.
struct Layout {
    blocked: u64,
    flags: u64,
    size: u64,
}

impl<'a> Machine<'a> {
    pub(crate) fn signals_model(&mut self, site: &mut Site, op: Signals) -> Result<Reply, Stop> {
        match op {
            Signals::EmptySet => self.write_set(site, 0, 0),
            Signals::FillSet => self.write_set(site, 0, !INTERNAL),
            Signals::AddToSet | Signals::RemoveFromSet | Signals::IsInSet => {
                self.change_set(site, op)
            }
            Signals::Mask => self.change_mask(site),
            Signals::Handler => self.set_handler(site),
            Signals::Action => self.set_action(site),
        }
    }

    fn write_set(&mut self, site: &mut Site, index: usize, signals: u64) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, index);
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, place, SET, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        let mut bytes = [if signals == 0 { 0 } else { 0xff }; SET as usize];
        bytes[..8].copy_from_slice(&signals.to_le_bytes());
        self.memory.write_bytes(object, offset, &bytes);
        Ok(Reply::int(0))
    }

    fn change_set(&mut self, site: &mut Site, op: Signals) -> Result<Reply, Stop> {
        let Some(signal) = signal_argument(site, 1) else {
            return Ok(self.fail(site, EINVAL));
        };
        let mode = AccessMode {
            is_write: op != Signals::IsInSet,
            is_atomic: false,
        };
        let place = self.pointer_arg(site, 0);
        let mut pending = Pending::default();
        let Some(target) = self.model_access(site, place, 8, mode, &mut pending)? else {
            return Ok(Reply::Wait(pending));
        };
        let old = self.read_signals(site, target)?;
        let bit = 1 << (signal - 1);
        let new = match op {
            Signals::AddToSet => old | bit,
            Signals::RemoveFromSet => old & !bit,
            _ => return Ok(Reply::int(i32::from(old & bit != 0))),
        };
        let new = Value::Bits(new);
        self.memory.write(target.0, target.1, &Type::Int(64), &new);
        Ok(Reply::int(0))
    }

    /// The signals of a set whose place was checked.
    fn read_signals(
        &mut self,
        site: &mut Site,
        (object, offset): (crate::object::ObjectId, u64),
    ) -> Result<u64, Stop> {
        self.settle(site.thread, site.inputs, (object, offset), 8, false)?;
        let ty = Type::Int(64);
        let shadow = self.memory.shadow(object, offset, &ty);
        self.note_open(&shadow);
        Ok(self.memory.read(object, offset, &ty).low_bits())
    }

    /// `(how, set, old)`.
    fn change_mask(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (set, old) = (self.pointer_arg(site, 1), self.pointer_arg(site, 2));
        let mut pending = Pending::default();
        let (mut from, mut to) = (None, None);
        let mut must_wait = false;
        if set.address != 0 {
            from = self.model_access(site, set, 8, AccessMode::READ, &mut pending)?;
            must_wait |= from.is_none();
        }
        if old.address != 0 {
            to = self.model_access(site, old, SET, AccessMode::WRITE, &mut pending)?;
            must_wait |= to.is_none();
        }
        if must_wait {
            return Ok(Reply::Wait(pending));
        }
        let before = site.thread.blocked;
        if let Some(from) = from {
            let signals = self.read_signals(site, from)?;
            let new = match site.int(0) {
                0 => before | signals,
                1 => before & !signals,
                2 => signals,
                _ => {
                    let symbol = &self.image.program.functions[site.call.function].symbol;
                    return Ok(match symbol == "sigprocmask" {
                        true => self.fail(site, EINVAL),
                        false => Reply::int(EINVAL),
                    });
                }
            };
            site.thread.blocked = without_untouchable(new);
        }
        if to.is_some() {
            return self.write_set(site, 2, before);
        }
        Ok(Reply::int(0))
    }

    fn action_of(&self, signal: u32) -> Action {
        let known = self.kernel.actions.get(&signal);
        known.cloned().unwrap_or(Action {
            handler: Value::Pointer(Pointer::NULL),
            blocked: 0,
            flags: 0,
        })
    }

    fn keep_action(&mut self, signal: u32, action: Action) {
        match action.handler.low_bits() {
            0 => self.kernel.actions.remove(&signal),
            _ => self.kernel.actions.insert(signal, action),
        };
    }

    /// `signal(number, handler)`.
    fn set_handler(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        let signal = signal_argument(site, 0).filter(|signal| !UNTOUCHABLE.contains(signal));
        let Some(signal) = signal else {
            self.set_errno(site.thread, EINVAL);
            return Ok(Reply::Return(Value::Bits(u64::MAX)));
        };
        self.footprint.note(Look::Rest);
        let old = self.action_of(signal).handler;
        let handler = Value::Pointer(self.pointer_arg(site, 1));
        let action = Action {
            handler,
            blocked: 0,
            flags: RESTART,
        };
        self.keep_action(signal, action);
        Ok(Reply::Return(old))
    }

    fn action_layout(&self) -> Layout {
        match self.memory.pointer_bytes {
            4 => Layout {
                blocked: 4,
                flags: 132,
                size: 140,
            },
            _ => Layout {
                blocked: 8,
                flags: 136,
                size: 152,
            },
        }
    }

    /// `(signal, action, old)`.
    fn set_action(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let layout = self.action_layout();
        let (new, old) = (self.pointer_arg(site, 1), self.pointer_arg(site, 2));
        if !site.call.allow {
            let mut pending = self.pending_write(site, old, layout.size);
            if new.address != 0 {
                let mode = AccessMode::READ;
                let _ = self.model_access(site, new, layout.size, mode, &mut pending);
            }
            return Ok(Reply::Wait(pending));
        }
        let Some(signal) = signal_argument(site, 0) else {
            return Ok(self.fail(site, EINVAL));
        };
        if UNTOUCHABLE.contains(&signal) && new.address != 0 {
            return Ok(self.fail(site, EINVAL));
        }
        self.footprint.note(Look::Rest);
        let before = self.action_of(signal);
        let mut pending = Pending::default();
        if new.address != 0 {
            let size = layout.size;
            let target = self.model_access(site, new, size, AccessMode::READ, &mut pending)?;
            if let Some((object, offset)) = target {
                let word = self.memory.pointer_bytes;
                self.settle(site.thread, site.inputs, (object, offset), word, true)?;
                let handler = self.memory.read(object, offset, &Type::Pointer);
                let flags = (object, offset + layout.flags);
                self.settle(site.thread, site.inputs, flags, 4, false)?;
                let flags = self.memory.read(object, flags.1, &Type::Int(32)).low_bits();
                let blocked = self.read_signals(site, (object, offset + layout.blocked))?;
                let action = Action {
                    handler,
                    blocked: without_untouchable(blocked),
                    flags: flags as u32,
                };
                self.keep_action(signal, action);
            }
        }
        if old.address != 0 {
            let size = layout.size;
            let target = self.model_access(site, old, size, AccessMode::WRITE, &mut pending)?;
            if let Some((object, offset)) = target {
                self.memory
                    .write_bytes(object, offset, &vec![0; size as usize]);
                self.memory
                    .write(object, offset, &Type::Pointer, &before.handler);
                let blocked = Value::Bits(before.blocked);
                let at = offset + layout.blocked;
                self.memory.write(object, at, &Type::Int(64), &blocked);
                let flags = Value::Bits(before.flags.into());
                let at = offset + layout.flags;
                self.memory.write(object, at, &Type::Int(32), &flags);
            }
        }
        Ok(Reply::int(0))
    }

    /// Whether to write where nobody can read does no more than fail.
    pub(super) fn is_broken_pipe_ignored(&self, site: &Site) -> Result<bool, Stop> {
        if site.thread.blocked & 1 << (BROKEN_PIPE - 1) != 0 {
            return Ok(true);
        }
        match self.action_of(BROKEN_PIPE).handler.low_bits() {
            0 => Ok(false),
            IGNORED => Ok(true),
            _ => Err(self.unsupported(site.thread, "a handler for SIGPIPE that would run here")),
        }
    }
}

/// The number of a signal, if it is one.
fn signal_argument(site: &Site, index: usize) -> Option<u32> {
    let number = u32::try_from(site.int(index)).ok()?;
    (1..=MOST).contains(&number).then_some(number)
}

fn without_untouchable(signals: u64) -> u64 {
    let bits = UNTOUCHABLE.map(|signal| 1u64 << (signal - 1));
    signals & !(bits[0] | bits[1] | INTERNAL)
}
