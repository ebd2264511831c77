//! Waiting for several descriptors at once.

use super::{NOTHING, OUTSIDE, side_code};
use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::channels::ChannelKind;
use crate::facts::objects::{ChannelPart, ObjectId};
use crate::interruptions::Fate;
use crate::models::EINTR;
use crate::pass::{Flow, Frame, Pass, State};
use crate::validity::Seen;
use formula::TermId;

const IN: u128 = 0x1;
const OUT: u128 = 0x4;
const ERR: u128 = 0x8;
const HUP: u128 = 0x10;
const NVAL: u128 = 0x20;
const RDNORM: u128 = 0x40;
const WRNORM: u128 = 0x100;
const RDHUP: u128 = 0x2000;

/// Entries of one call, at most.
const MOST_ENTRIES: u128 = 16;
const ENTRY: u64 = 8;

/// What an entry asks for.
struct Watched {
    file: TermId,
    events: TermId,
    /// A negative number does not count.
    is_nothing: TermId,
}

impl<'p> Pass<'p> {
    /// `poll(entries, count, timeout)`: one step to look up what numbers stand for,
    /// another to wait and to tell.
    pub(super) fn poll(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let count = self.constant_argument(frame, call, 1)?;
        if count > MOST_ENTRIES {
            return Err(self.unsupported(frame, "so many descriptors to wait for"));
        }
        let count = count as u64;
        let entries = self.entries(frame, call, count, false)?;
        let Some((watched, is_held)) = self.look_up_all(state, frame, &entries, count)? else {
            return Ok(Reply::Never);
        };
        let Some(fails) = self.interrupt_wait(state, frame, 1, Fate::NeverRestarts)? else {
            return Ok(Reply::Never);
        };
        if is_held && self.terms.as_bool(fails) != Some(false) {
            let what = "poll that is interrupted while descriptors change";
            return Err(self.unsupported(frame, what));
        }
        let mut failed = state.clone();
        failed.guard = self.terms.and(failed.guard, fails);
        let (always, error) = (self.truth(), self.int(EINTR));
        self.set_errno(&mut failed, always, error);
        let goes_on = self.terms.not(fails);
        state.guard = self.terms.and(state.guard, goes_on);
        let reply = match self.terms.as_bool(state.guard) {
            Some(false) => Reply::Never,
            _ => self.finish_poll(state, frame, (call, count), &watched, is_held)?,
        };
        if self.terms.as_bool(failed.guard) == Some(false) {
            return Ok(reply);
        }
        let word = self.word();
        let minus_one = self.terms.constant(word, u128::MAX >> (128 - word));
        self.merge_interrupted(state, frame, (failed, minus_one), reply, fails)
    }

    /// The second step: waits, and tells.
    fn finish_poll(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (call, count): (&Call, u64),
        watched: &[Watched],
        is_held: bool,
    ) -> Result<Reply, Error> {
        let mut sides: Vec<(u32, u32)> = Vec::new();
        for one in watched {
            sides.extend(self.sides_behind(one.file));
        }
        sides.sort_unstable();
        sides.dedup();
        let mut objects = Vec::new();
        for (channel, _) in &sides {
            objects.extend(self.looked_at(*channel));
        }
        let entries = self.entries(frame, call, count, true)?;
        let memory = Some((&entries, ENTRY * count)).filter(|_| count > 0);
        let step = (1, true);
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, memory, step) else {
            return Ok(Reply::Never);
        };
        let told = self.tell_all(state, position, watched, &sides);
        let ready: Vec<TermId> = told.iter().map(|one| self.terms.is_nonzero(*one)).collect();
        let timeout = self.number(call, 2, 32);
        let zero = self.int(0);
        let waits = self.terms.signed_less(timeout, zero);
        let has_limit = self.terms.not(waits);
        let must_leave = self.must_leave(state, position);
        let mut reasons = ready.clone();
        reasons.extend([has_limit, must_leave]);
        let possible = self.terms.any(&reasons);
        let step = (position, 1);
        if self.wait_until(state, frame, step, possible, Vec::new()) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let always = self.truth();
        if is_held {
            for one in watched {
                let counts = self.terms.not(one.is_nothing);
                self.count_use(state, position, one.file, counts, false);
            }
        }
        if self.give_in(state, frame, must_leave)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        let (mut result, one) = (zero, self.int(1));
        for (index, (told, is_ready)) in told.into_iter().zip(ready).enumerate() {
            let part: Part = (ENTRY * index as u64 + 6, 2);
            self.store_to(state, position, &entries, &[(part, told)], always);
            let more = self.terms.add(result, one);
            result = self.terms.ite(is_ready, more, result);
        }
        self.acquires(state, position, always);
        Ok(Reply::Return(result))
    }

    fn entries(
        &mut self,
        frame: &Frame,
        call: &Call,
        count: u64,
        is_write: bool,
    ) -> Result<Targets, Error> {
        if count == 0 {
            return Ok(Targets {
                list: Vec::new(),
                valid: self.truth(),
                seen: Seen::AtStep,
                only_where: None,
            });
        }
        let address = self.argument(call, 0);
        let mut entries = self.resolve(frame, address, ENTRY * count, is_write)?;
        entries.seen = Seen::AtStep;
        let size = ENTRY * count;
        let mut list = entries.list.iter();
        if list.any(|target| self.is_visible(target.object, target.offset, size)) {
            self.refuse_if_weak(frame, "a descriptor and memory that threads share")?;
        }
        Ok(entries)
    }

    /// Cells that say what can be done with a channel.
    fn looked_at(&mut self, channel: u32) -> Vec<ObjectId> {
        let mut parts = vec![ChannelPart::Value];
        for side in [0, 1] {
            parts.extend([
                ChannelPart::Written(side),
                ChannelPart::Taken(side),
                ChannelPart::Uses(side),
            ]);
        }
        let parts = parts.into_iter();
        parts.map(|part| self.channel_part(channel, part)).collect()
    }

    fn look_up_all(
        &mut self,
        state: &mut State,
        frame: &Frame,
        entries: &Targets,
        count: u64,
    ) -> Result<Option<(Vec<Watched>, bool)>, Error> {
        let objects = self.all_descriptors();
        let mut may_change = objects.iter();
        let may_change = may_change.any(|object| self.is_visible(*object, 0, 4));
        let is_held = may_change && self.can_close() && !self.prologue.is_alone();
        let memory = Some((entries, ENTRY * count)).filter(|_| count > 0);
        let step = (0, false);
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, memory, step) else {
            return Ok(None);
        };
        if self.leave_if_asked(state, frame, position)? == Flow::Dead {
            return Ok(None);
        }
        let mut watched = Vec::new();
        for index in 0..count {
            let parts: [Part; 2] = [(ENTRY * index, 4), (ENTRY * index + 4, 2)];
            let loaded = self.load_from(state, position, entries, &parts);
            let [number, events] = loaded[..] else {
                return Ok(None);
            };
            let zero = self.int(0);
            let is_nothing = self.terms.signed_less(number, zero);
            let file = self.file_at(state, position, number);
            let is_outside = words::is_number(&mut self.terms, file, OUTSIDE);
            let counts = self.terms.not(is_nothing);
            let is_outside = self.terms.and(is_outside, counts);
            if self.terms.as_bool(is_outside) != Some(false) {
                return Err(self.unsupported(frame, "poll on a file"));
            }
            if is_held {
                self.count_use(state, position, file, counts, true);
            }
            watched.push(Watched {
                file,
                events,
                is_nothing,
            });
        }
        Ok(Some((watched, is_held)))
    }

    /// What is told about each entry.
    fn tell_all(
        &mut self,
        state: &State,
        position: Option<usize>,
        watched: &[Watched],
        sides: &[(u32, u32)],
    ) -> Vec<TermId> {
        let known: Vec<(u128, TermId)> = (sides.iter())
            .map(|(channel, side)| {
                let events = self.events_of(state, position, *channel, *side);
                (side_code(*channel, *side), events)
            })
            .collect();
        let mut told = Vec::new();
        for one in watched {
            let always_told = self.terms.constant(16, ERR | HUP);
            let wanted = self.terms.bit_or(one.events, always_told);
            let is_bad = words::is_number(&mut self.terms, one.file, NOTHING);
            let (none, bad) = (self.terms.constant(16, 0), self.terms.constant(16, NVAL));
            let mut events = self.terms.ite(is_bad, bad, none);
            for (code, known) in &known {
                let is_this = words::is_number(&mut self.terms, one.file, *code);
                let here = self.terms.bit_and(*known, wanted);
                events = self.terms.ite(is_this, here, events);
            }
            told.push(self.terms.ite(one.is_nothing, none, events));
        }
        told
    }

    /// What can be done with a side of a channel. There is always room to write.
    fn events_of(
        &mut self,
        state: &State,
        position: Option<usize>,
        channel: u32,
        side: u32,
    ) -> TermId {
        let number = |pass: &mut Self, value| pass.terms.constant(16, value);
        let none = number(self, 0);
        if let Some(ChannelKind::Counter { .. }) = self.facts.channels.kind(channel) {
            let value = self.read_channel(state, position, channel, ChannelPart::Value);
            let is_some = self.terms.is_nonzero(value);
            let most = self.terms.constant(64, 0xffff_ffff_ffff_fffe);
            let has_room = self.terms.unsigned_less(value, most);
            let (readable, writable) = (number(self, IN), number(self, OUT));
            let readable = self.terms.ite(is_some, readable, none);
            let writable = self.terms.ite(has_room, writable, none);
            return self.terms.bit_or(readable, writable);
        }
        let written = self.read_channel(state, position, channel, ChannelPart::Written(side));
        let taken = self.read_channel(state, position, channel, ChannelPart::Taken(side));
        let is_some = self.terms.different(written, taken);
        let others = ChannelPart::Uses(1 - side);
        let others = self.read_channel(state, position, channel, others);
        let is_over = words::is_zero(&mut self.terms, others);
        let readable = number(self, IN | RDNORM);
        let readable = self.terms.ite(is_some, readable, none);
        let writable = OUT | WRNORM;
        match (self.facts.channels.kind(channel), side) {
            (Some(ChannelKind::Pipe), 0) => {
                let over = number(self, HUP);
                let over = self.terms.ite(is_over, over, none);
                self.terms.bit_or(readable, over)
            }
            (Some(ChannelKind::Pipe), _) => {
                let (plain, broken) = (number(self, writable), number(self, writable | ERR));
                self.terms.ite(is_over, broken, plain)
            }
            _ => {
                let over = number(self, writable | IN | RDNORM | RDHUP | HUP);
                let plain = number(self, writable);
                let plain = self.terms.bit_or(readable, plain);
                self.terms.ite(is_over, over, plain)
            }
        }
    }
}
