//! Jumps back into calls in progress, and the clean-up handlers of threads, which
//! are reached by such jumps.

use super::{Reply, Site};
use crate::footprint::Look;
use crate::machine::{Cut, Machine, Stop};
use crate::shadow::Shadow;
use crate::sync::SyncKey;
use crate::thread::{Pending, Phase, Saved};
use crate::value::Value;
use library::Jumps;

impl<'a> Machine<'a> {
    pub(crate) fn jumps_model(&mut self, site: &mut Site, op: Jumps) -> Result<Reply, Stop> {
        let buffer = self.buffer(site)?;
        match op {
            Jumps::Save => {
                self.save_place(site, buffer);
                Ok(Reply::int(0))
            }
            Jumps::Jump => {
                let value = match site.int(1) {
                    0 => 1,
                    value => value,
                };
                self.jump_to(site, buffer, value)
            }
        }
    }

    /// Runs the next clean-up handler, or ends the thread.
    pub(crate) fn leave_thread(&mut self, site: &mut Site, value: Value) -> Result<Reply, Stop> {
        match site.thread.cleanups.last().copied() {
            None => Ok(self.end_thread(site, value)),
            Some(handler) => {
                let reply = self.jump_to(site, handler, 1)?;
                if let Reply::Continue = reply {
                    site.thread.leaving = Some(value);
                }
                Ok(reply)
            }
        }
    }

    pub(super) fn buffer(&self, site: &Site) -> Result<SyncKey, Stop> {
        let buffer = self.pointer_arg(site, 0);
        let checked = self.memory.check(buffer, 1, true);
        checked.map_err(|fault| self.access_violation(site.thread, fault, 1, true))
    }

    fn save_place(&mut self, site: &mut Site, buffer: SyncKey) {
        let stack_mark = self.memory.stack_mark(site.thread.id);
        let symbol = &self.image.program.functions[site.call.function].symbol;
        let keeps_mask = symbol.ends_with("sigsetjmp") && site.int(1) != 0;
        let blocked = keeps_mask.then_some(site.thread.blocked);
        let thread = &mut *site.thread;
        thread.saved.retain(|saved| saved.buffer != buffer);
        if let Some(frame) = thread.frames.last() {
            thread.saved.push(Saved {
                buffer,
                depth: thread.frames.len(),
                block: frame.block,
                index: frame.index,
                stack_mark,
                loop_counts: frame.loop_counts.clone(),
                cleanups: thread.cleanups.len(),
                blocked,
                jumps: 0,
            });
        }
    }

    /// Leaves all calls above the one that has filled the buffer, and lets that one go
    /// on once more.
    fn jump_to(&mut self, site: &mut Site, buffer: SyncKey, value: i32) -> Result<Reply, Stop> {
        let mut saved = site.thread.saved.iter();
        let Some(index) = saved.position(|saved| saved.buffer == buffer) else {
            let what = "a jump to a place that is gone, or was never saved here";
            return Err(self.unsupported(site.thread, what));
        };
        let mark = site.thread.saved[index].stack_mark;
        if !site.call.allow && self.are_locals_known(site.thread, mark) {
            return Ok(Reply::Wait(Pending::default()));
        }
        if let Some(limit) = self.config.unwind {
            site.thread.saved[index].jumps += 1;
            let function = site.thread.frames[site.thread.saved[index].depth - 1].function;
            if site.thread.saved[index].jumps > limit {
                let name = self.image.program.functions[function].name.clone();
                return Err(self.beyond_bound(site.thread, Cut::Recursion { function, name }));
            }
        }
        self.footprint.note(Look::Turn);
        self.end_locals(site.thread, mark);
        let thread = &mut *site.thread;
        let saved = thread.saved[index].clone();
        while thread.frames.len() > saved.depth {
            if let Some(frame) = thread.frames.pop()
                && self.image.is_atomic(frame.function)
            {
                thread.atomic_depth = thread.atomic_depth.saturating_sub(1);
            }
        }
        thread.saved.retain(|other| other.depth <= saved.depth);
        thread.cleanups.truncate(saved.cleanups);
        if let Some(blocked) = saved.blocked {
            thread.blocked = blocked;
        }
        let Some(frame) = thread.frames.last_mut() else {
            return Ok(Reply::Continue);
        };
        frame.block = saved.block;
        frame.index = saved.index;
        frame.loop_counts = saved.loop_counts;
        frame.phase = Phase::Start;
        let body = self.image.body(frame.function);
        let result = body.and_then(|body| {
            let inst = *body.blocks[saved.block].insts.get(saved.index)?;
            body.insts[inst].result
        });
        let value = Value::from_bits(32, u128::from(value as u32));
        self.complete_with(thread, result, Some(value), Shadow::None);
        Ok(Reply::Continue)
    }
}
