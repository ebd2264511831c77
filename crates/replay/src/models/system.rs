//! Calls of the operating system by number: above all futexes, words of memory at
//! which threads wait.

use super::{EAGAIN, EINVAL, ETIMEDOUT, Reply, Site};
use crate::footprint::Look;
use crate::inputs::InputKind;
use crate::machine::{AccessMode, Excluded, Machine, Stop};
use crate::sync::{FutexWaiter, SyncKey};
use crate::thread::{Pending, Phase, Wait};
use crate::value::Value;
use ir::Type;

// Operations on futexes.
const WAIT: u32 = 0;
const WAKE: u32 = 1;
const REQUEUE: u32 = 3;
const CMP_REQUEUE: u32 = 4;
const WAIT_BITSET: u32 = 9;
const WAKE_BITSET: u32 = 10;
/// `FUTEX_PRIVATE_FLAG` and `FUTEX_CLOCK_REALTIME`.
const FLAGS: u32 = 128 | 256;

const READ_ATOMICALLY: AccessMode = AccessMode {
    is_write: false,
    is_atomic: true,
};

/// The arguments of a call that has something to do with a futex.
struct Futex {
    value: u32,
    bits: u32,
}

impl<'a> Machine<'a> {
    pub(crate) fn system_model(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let number = site.number(0);
        let numbers = match self.memory.pointer_bytes {
            4 => [240, 224, 20, 158, 375],
            _ => [202, 186, 39, 24, 324],
        };
        let known = numbers.iter().position(|known| *known == number);
        match known {
            Some(0) => self.futex(site),
            Some(1) => Ok(Reply::int(1000 + site.thread.id as i32)),
            Some(2) => Ok(Reply::int(1000)),
            Some(3) => Ok(Reply::int(0)),
            Some(4) if site.int(1) != 0 => Ok(Reply::int(0)),
            _ => Err(self.unsupported(site.thread, format!("the system call {number}"))),
        }
    }

    fn futex(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let operation = site.number(2) as u32 & !FLAGS;
        let has_bits = matches!(operation, WAIT_BITSET | WAKE_BITSET);
        let futex = Futex {
            value: site.number(3) as u32,
            bits: if has_bits { site.number(6) as u32 } else { !0 },
        };
        match operation {
            WAIT | WAIT_BITSET | WAKE | WAKE_BITSET | REQUEUE | CMP_REQUEUE => {}
            _ => {
                let what = format!("the operation {operation} on a futex");
                return Err(self.unsupported(site.thread, what));
            }
        }
        let word = self.pointer_arg(site, 1);
        if futex.bits == 0 || !word.address.is_multiple_of(4) {
            return Ok(self.failed(site, EINVAL));
        }
        self.footprint.note(Look::Rest);
        if matches!(operation, WAIT | WAIT_BITSET) {
            return self.wait_at_futex(site, &futex);
        }
        if let Some(reply) = self.look_at_word(site, operation == CMP_REQUEUE)? {
            return Ok(reply);
        }
        if operation == CMP_REQUEUE && self.word_at(site)? != site.number(6) as u32 {
            return Ok(self.failed(site, EAGAIN));
        }
        // The word may be gone: whoever wakes does not look at it.
        let Some(place) = self.old_sync_key(site, 1) else {
            return Ok(Reply::int(0));
        };
        let woken = self.pick(site, place, futex.bits, futex.value)?;
        self.futex_waiters
            .retain(|waiter| !woken.contains(&waiter.thread));
        let mut count = woken.len() as u64;
        if matches!(operation, REQUEUE | CMP_REQUEUE) {
            let Some(to) = self.old_sync_key(site, 5) else {
                return Err(self.unsupported(site.thread, "a futex that is nowhere"));
            };
            let most = site.number(4) as u32;
            let moved = self.pick(site, place, !0, most)?;
            for waiter in &mut self.futex_waiters {
                if moved.contains(&waiter.thread) {
                    waiter.place = to;
                }
            }
            if operation == CMP_REQUEUE {
                count += moved.len() as u64;
            }
        }
        let result = match woken.as_slice() {
            [] => "nobody is woken".to_owned(),
            [one] => format!("wakes thread {one}"),
            several => format!("wakes {}", several.len()),
        };
        self.record_sync(site, "wake at", place, &result);
        Ok(Reply::Return(Value::Bits(count)))
    }

    /// Returns -1 as a long number, and sets `errno`.
    pub(crate) fn failed(&mut self, site: &mut Site, error: i32) -> Reply {
        self.set_errno(site.thread, error);
        Reply::Return(Value::Bits(u64::MAX))
    }

    /// The gate before a step on a futex, which may look at the word.
    fn look_at_word(&mut self, site: &mut Site, reads: bool) -> Result<Option<Reply>, Stop> {
        if site.call.allow {
            return Ok(None);
        }
        let mut pending = Pending::default();
        if reads {
            let word = self.pointer_arg(site, 1);
            // What is wrong with the address is found out at the step.
            let _ = self.model_access(site, word, 4, READ_ATOMICALLY, &mut pending);
        }
        Ok(Some(Reply::Wait(pending)))
    }

    fn futex_place(&self, site: &Site, index: usize) -> Result<SyncKey, Stop> {
        let word = self.pointer_arg(site, index);
        let checked = self.memory.check(word, 4, false);
        checked.map_err(|fault| self.access_violation(site.thread, fault, 4, false))
    }

    fn word_at(&mut self, site: &mut Site) -> Result<u32, Stop> {
        let word = self.pointer_arg(site, 1);
        let mut pending = Pending::default();
        let target = self.model_access(site, word, 4, READ_ATOMICALLY, &mut pending)?;
        let Some(target) = target else {
            return Ok(0);
        };
        self.settle(site.thread, site.inputs, target, 4, false)?;
        let value = self.load(site.thread, target, &Type::Int(32));
        Ok(value.low_bits() as u32)
    }

    /// Up to so many of those who wait at a futex, chosen freely.
    fn pick(
        &mut self,
        site: &mut Site,
        place: SyncKey,
        bits: u32,
        most: u32,
    ) -> Result<Vec<usize>, Stop> {
        let waiters = self.futex_waiters.iter();
        let waiters = waiters.filter(|waiter| waiter.place == place && waiter.bits & bits != 0);
        let mut rest: Vec<usize> = waiters.map(|waiter| waiter.thread).collect();
        let mut picked = Vec::new();
        while rest.len() > most as usize - picked.len() && picked.len() < most as usize {
            let kind = InputKind::Waiter;
            let index = self.ask_index(site.thread, site.inputs, kind, rest.len())?;
            picked.push(rest.remove(index));
        }
        if picked.len() < most as usize {
            picked.append(&mut rest);
        }
        Ok(picked)
    }

    /// Two steps: look at the word and begin to wait; then, once woken, go on.
    fn wait_at_futex(&mut self, site: &mut Site, futex: &Futex) -> Result<Reply, Stop> {
        let me = site.thread.id;
        let is_timed = self.pointer_arg(site, 4).address != 0;
        let phase = site.thread.frame().map(|frame| frame.phase.clone());
        if phase != Some(Phase::AtFutex) {
            if let Some(reply) = self.look_at_word(site, true)? {
                return Ok(reply);
            }
            let place = self.futex_place(site, 1)?;
            if self.word_at(site)? != futex.value {
                self.record_sync(site, "wait at", place, "changed");
                return Ok(self.failed(site, EAGAIN));
            }
            let waiter = FutexWaiter {
                thread: me,
                place,
                bits: futex.bits,
            };
            let at = self.futex_waiters.partition_point(|w| w.thread < me);
            self.futex_waiters.insert(at, waiter);
            self.record_sync(site, "wait at", place, "");
            if !self.config.surroundings.spurious_wakeups {
                self.exclude(Excluded::SpuriousWakeups);
            }
            if let Some(frame) = site.thread.frames.last_mut() {
                frame.phase = Phase::AtFutex;
            }
            return Ok(Reply::Continue);
        }
        let Some(place) = self.old_sync_key(site, 1) else {
            return Ok(self.failed(site, EINVAL));
        };
        if let Some(reply) = self.gate(site, Wait::Futex { place, is_timed })? {
            return Ok(reply);
        }
        let is_waiting = self.waits_at_futex(me);
        self.futex_waiters.retain(|waiter| waiter.thread != me);
        let may_be_spurious = self.config.surroundings.spurious_wakeups;
        if is_waiting && is_timed && (!may_be_spurious || self.times_out(site)?) {
            self.record_sync(site, "woken at", place, "timed out");
            return Ok(self.failed(site, ETIMEDOUT));
        }
        self.record_sync(site, "woken at", place, "");
        Ok(Reply::int(0))
    }

    /// Whether a thread waits at a futex and has not been woken.
    pub(crate) fn waits_at_futex(&self, thread: usize) -> bool {
        self.footprint.note(Look::Rest);
        self.futex_waiters
            .iter()
            .any(|waiter| waiter.thread == thread)
    }
}
