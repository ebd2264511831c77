//! Reading and writing: a call looks up what its number stands for, and then takes or
//! adds what is on its way, at another step.

use super::{EBADF, OUTSIDE, side_code};
use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::channels::ChannelKind;
use crate::facts::objects::{ChannelPart, ObjectId};
use crate::interruptions::Fate;
use crate::models::{EAGAIN, EINTR, EINVAL};
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::Noting;
use crate::validity::Seen;
use formula::TermId;
use library::Descriptors;

const EPIPE: u128 = 32;
const ENOTSOCK: u128 = 88;

const DONT_WAIT: u128 = 0x40;
const NO_SIGNAL: u128 = 0x4000;

/// The greatest value of a counter.
const MAX_COUNT: u128 = 0xffff_ffff_ffff_fffe;
/// What a channel holds: if no more is ever written, nobody waits for room.
const CAPACITY: u64 = 65536;
/// Pieces that go through one side, at most.
const MOST_PIECES: u64 = 512;

/// One side of a channel, in a call on it.
#[derive(Clone, Copy)]
struct Side {
    channel: u32,
    side: u32,
    kind: ChannelKind,
    flags: u128,
    /// The lookup was a step, so that it has to be told when the call is over.
    is_held: bool,
}

/// What may be on its way to one side.
struct Queue {
    channel: u32,
    side: u32,
    unit: u64,
    pieces: u64,
}

impl Queue {
    fn piece(&self, place: u64) -> ChannelPart {
        ChannelPart::Piece(self.side, self.unit, place)
    }
}

impl<'p> Pass<'p> {
    pub(super) fn transfer(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Descriptors,
        call: &Call,
    ) -> Result<Reply, Error> {
        let number = self.number(call, 0, 32);
        let Some((file, is_held, part)) = self.look_up(state, frame, number)? else {
            return Ok(Reply::Never);
        };
        let mut cases = Vec::new();
        let is_bad = words::is_zero(&mut self.terms, file);
        let is_outside = words::is_number(&mut self.terms, file, OUTSIDE);
        cases.push((is_bad, None));
        cases.push((is_outside, None));
        for (channel, side) in self.sides_behind(file) {
            let is_this = words::is_number(&mut self.terms, file, side_code(channel, side));
            cases.push((is_this, Some((channel, side))));
        }
        let Some(fails) = self.interrupt_wait(state, frame, part, Fate::MayFail)? else {
            return Ok(Reply::Never);
        };
        let is_open = self.terms.not(is_bad);
        let fails = self.terms.and(fails, is_open);
        if is_held && self.terms.as_bool(fails) != Some(false) {
            let what = "a call that is interrupted while descriptors change";
            return Err(self.unsupported(frame, what));
        }
        let abandoned = self.abandon(state, fails);
        let mut merged = None;
        for (index, (condition, side)) in cases.into_iter().enumerate() {
            let mut path = state.clone();
            path.guard = self.terms.and(path.guard, condition);
            if self.terms.as_bool(path.guard) == Some(false)
                || self.terms.as_bool(condition) == Some(false)
            {
                continue;
            }
            let reply = match (index, side) {
                (0, _) => Reply::Return(self.refused(&mut path, EBADF)),
                (_, None) => self.transfer_outside(&mut path, frame, op, call, part)?,
                (_, Some((channel, side))) => {
                    let Some(kind) = self.facts.channels.kind(channel) else {
                        continue;
                    };
                    let flags = self.socket_flags(frame, op, call)?;
                    let side = Side {
                        channel,
                        side,
                        kind,
                        flags,
                        is_held,
                    };
                    self.transfer_side(&mut path, frame, (op, call), side, part)?
                }
            };
            let Reply::Return(result) = reply else {
                continue;
            };
            let word = self.word();
            let result = self.terms.resize_signed(result, word);
            merged = Some(match merged {
                None => (path, result),
                Some((other, old)) => {
                    let result = self.terms.ite(condition, result, old);
                    (self.merge(other, path, frame)?, result)
                }
            });
        }
        let reply = match merged {
            None => Reply::Never,
            Some((path, result)) => {
                *state = path;
                Reply::Return(result)
            }
        };
        match abandoned {
            None => Ok(reply),
            Some(abandoned) => self.merge_interrupted(state, frame, abandoned, reply, fails),
        }
    }

    /// A signal has interrupted the call, where the condition holds.
    fn abandon(&mut self, state: &mut State, fails: TermId) -> Option<(State, TermId)> {
        if self.terms.as_bool(fails) == Some(false) {
            return None;
        }
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, fails);
        let goes_on = self.terms.not(fails);
        state.guard = self.terms.and(state.guard, goes_on);
        let result = self.refused(&mut path, EINTR);
        Some((path, result))
    }

    /// A step of its own, except for files that are always there. Returns the file,
    /// whether it is held from now on, and which part the next step is.
    fn look_up(
        &mut self,
        state: &mut State,
        frame: &Frame,
        number: TermId,
    ) -> Result<Option<(TermId, bool, u32)>, Error> {
        let can_close = self.can_close();
        let is_standard = self
            .terms
            .as_constant(number)
            .is_some_and(|number| number < 3);
        if is_standard && !can_close && !self.can_cancel() {
            let file = self.int(OUTSIDE);
            return Ok(Some((file, false, 0)));
        }
        let numbers = self.numbers_behind(number);
        let objects: Vec<ObjectId> = (numbers.into_iter())
            .map(|number| self.descriptor(number))
            .collect();
        let may_change = |pass: &Self| objects.iter().any(|object| pass.is_visible(*object, 0, 4));
        let is_held = can_close && !self.prologue.is_alone() && may_change(self);
        let step = (0, false);
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, None, step) else {
            return Ok(None);
        };
        if self.leave_if_asked(state, frame, position)? == Flow::Dead {
            return Ok(None);
        }
        let file = self.file_at(state, position, number);
        if is_held {
            let always = self.truth();
            self.count_use(state, position, file, always, true);
        }
        Ok(Some((file, is_held, 1)))
    }

    /// Whether the program asks threads to end.
    pub(super) fn can_cancel(&self) -> bool {
        let mut functions = self.program.functions.values();
        functions.any(|f| f.body.is_none() && f.symbol == "pthread_cancel")
    }

    fn socket_flags(&mut self, frame: &Frame, op: Descriptors, call: &Call) -> Result<u128, Error> {
        match op {
            Descriptors::Recv => self.flags(frame, call, 3, DONT_WAIT),
            Descriptors::Send => self.flags(frame, call, 3, DONT_WAIT | NO_SIGNAL),
            _ => Ok(0),
        }
    }

    /// -1, with an error number.
    fn refused(&mut self, state: &mut State, error: u128) -> TermId {
        let (always, error) = (self.truth(), self.int(error));
        self.set_errno(state, always, error);
        let word = self.word();
        self.terms.constant(word, u128::MAX >> (128 - word))
    }

    fn transfer_outside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Descriptors,
        call: &Call,
        part: u32,
    ) -> Result<Reply, Error> {
        match op {
            Descriptors::Read => self.read_outside(state, frame, call, part),
            Descriptors::Write => self.write_outside(state, frame, call, part),
            _ => {
                let what = "a call on a file that is meant for sockets or counters";
                Err(self.unsupported(frame, what))
            }
        }
    }

    fn transfer_side(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (op, call): (Descriptors, &Call),
        side: Side,
        part: u32,
    ) -> Result<Reply, Error> {
        let is_counter = matches!(side.kind, ChannelKind::Counter { .. });
        let is_read = matches!(
            op,
            Descriptors::Read | Descriptors::Recv | Descriptors::EventFdRead
        );
        if matches!(op, Descriptors::EventFdRead | Descriptors::EventFdWrite) && !is_counter {
            return Err(self.unsupported(frame, "a call for counters on what is none"));
        }
        let size = match op {
            Descriptors::EventFdRead | Descriptors::EventFdWrite => 8,
            _ => self.constant_argument(frame, call, 2)?,
        };
        let is_socket_call = matches!(op, Descriptors::Recv | Descriptors::Send);
        let refusal = if is_socket_call && side.kind != ChannelKind::Sockets {
            Some(ENOTSOCK)
        } else if side.kind == ChannelKind::Pipe && side.side != u32::from(!is_read) {
            Some(EBADF)
        } else if is_counter && size < 8 {
            Some(EINVAL)
        } else {
            None
        };
        if refusal.is_some() || size == 0 {
            // It is over without another step.
            self.let_go_aside(state, frame, side)?;
            let word = self.word();
            return Ok(Reply::Return(match refusal {
                Some(error) => self.refused(state, error),
                None => self.terms.constant(word, 0),
            }));
        }
        let size = size as u64;
        match (is_counter, is_read) {
            (true, true) => self.take_count(state, frame, (op, call), side, part),
            (true, false) => self.add_count(state, frame, (op, call), side, part),
            (false, true) => self.take_pieces(state, frame, call, side, (size, part)),
            (false, false) => self.add_pieces(state, frame, call, side, (size, part)),
        }
    }

    /// The call is over.
    fn let_go(&mut self, state: &mut State, position: Option<usize>, side: Side) {
        if side.is_held {
            let file = self.int(side_code(side.channel, side.side));
            let always = self.truth();
            self.count_use(state, position, file, always, false);
        }
    }

    /// The same right after the last step.
    fn let_go_aside(&mut self, state: &mut State, frame: &Frame, side: Side) -> Result<(), Error> {
        if side.is_held {
            let object = self.channel_part(side.channel, ChannelPart::Uses(side.side));
            let position = self.aside(state, frame, object, (0, 4));
            self.let_go(state, position, side);
        }
        Ok(())
    }

    fn buffer(
        &mut self,
        frame: &Frame,
        call: &Call,
        size: u64,
        is_write: bool,
    ) -> Result<Targets, Error> {
        let address = self.argument(call, 1);
        let mut targets = self.resolve(frame, address, size, is_write)?;
        targets.seen = Seen::AtStep;
        if targets
            .list
            .iter()
            .any(|target| self.is_visible(target.object, target.offset, size))
        {
            self.refuse_if_weak(frame, "a descriptor and memory that threads share")?;
        }
        Ok(targets)
    }

    /// Waits until a call is possible, or does not; `None` if no path goes on. Returns
    /// whether it fails for want of waiting.
    fn wait_at(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (position, part): (Option<usize>, u32),
        side: Side,
        possible: TermId,
    ) -> Result<Option<TermId>, Error> {
        let must_leave = self.must_leave(state, position);
        let may_wait = match side.flags & DONT_WAIT != 0 {
            true => self.terms.bool(false),
            false => {
                let flag = ChannelPart::NeverWaits(side.side);
                let flag = self.read_channel(state, position, side.channel, flag);
                words::is_zero(&mut self.terms, flag)
            }
        };
        let never_waits = self.terms.not(may_wait);
        let goes_on = self.terms.any(&[possible, never_waits, must_leave]);
        let step = (position, part);
        if self.wait_until(state, frame, step, goes_on, Vec::new()) == Flow::Dead {
            return Ok(None);
        }
        self.let_go(state, position, side);
        if self.give_in(state, frame, must_leave)? == Flow::Dead {
            return Ok(None);
        }
        let is_impossible = self.terms.not(possible);
        Ok(Some(self.terms.and(is_impossible, never_waits)))
    }

    /// Cells that every call on a side looks at.
    fn common_objects(&mut self, side: Side) -> Vec<ObjectId> {
        let parts = [
            ChannelPart::NeverWaits(side.side),
            ChannelPart::Uses(0),
            ChannelPart::Uses(1),
        ];
        let parts = parts.into_iter();
        parts
            .map(|part| self.channel_part(side.channel, part))
            .collect()
    }

    // Pipes and sockets.

    fn queue(&mut self, frame: &Frame, channel: u32, side: u32) -> Result<Queue, Error> {
        let bytes = self.facts.channels.bytes(channel, side);
        let unit = self.facts.channels.unit(channel, side);
        let pieces = bytes / unit;
        if bytes > CAPACITY || pieces > MOST_PIECES {
            return Err(self.unsupported(frame, "so much that goes through a pipe or a socket"));
        }
        Ok(Queue {
            channel,
            side,
            unit,
            pieces,
        })
    }

    fn queue_objects(&mut self, queue: &Queue) -> Vec<ObjectId> {
        let mut parts = vec![
            ChannelPart::Written(queue.side),
            ChannelPart::Taken(queue.side),
        ];
        parts.extend((0..queue.pieces).map(|place| queue.piece(place)));
        let parts = parts.into_iter();
        parts
            .map(|part| self.channel_part(queue.channel, part))
            .collect()
    }

    fn take_pieces(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        side: Side,
        (size, part): (u64, u32),
    ) -> Result<Reply, Error> {
        self.facts.channels.note_read(side.channel, side.side, size);
        let queue = self.queue(frame, side.channel, side.side)?;
        let buffer = self.buffer(frame, call, size, true)?;
        let mut objects = self.queue_objects(&queue);
        objects.extend(self.common_objects(side));
        let (memory, step) = (Some((&buffer, size)), (part, true));
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, memory, step) else {
            return Ok(Reply::Never);
        };
        let written = ChannelPart::Written(queue.side);
        let written = self.read_channel(state, position, queue.channel, written);
        let taken = ChannelPart::Taken(queue.side);
        let first = self.read_channel(state, position, queue.channel, taken);
        let available = self.terms.sub(written, first);
        let is_some = self.terms.different(written, first);
        let others = ChannelPart::Uses(1 - side.side);
        let others = self.read_channel(state, position, side.channel, others);
        let is_over = words::is_zero(&mut self.terms, others);
        let possible = self.terms.or(is_some, is_over);
        let waited = self.wait_at(state, frame, (position, part), side, possible)?;
        let Some(fails) = waited else {
            return Ok(Reply::Never);
        };
        let wanted = (size / queue.unit).min(queue.pieces);
        let most = self.int(u128::from(wanted));
        let is_fewer = self.terms.unsigned_less(available, most);
        let got = self.terms.ite(is_fewer, available, most);
        for index in 0..wanted {
            let index_term = self.int(u128::from(index));
            let is_there = self.terms.unsigned_less(index_term, got);
            if self.terms.as_bool(is_there) == Some(false) {
                continue;
            }
            let place = self.terms.add(first, index_term);
            let value = self.piece_at(state, position, &queue, place, is_there);
            let part: Part = (index * queue.unit, queue.unit);
            self.while_noting(Noting::Unforeseen, |pass| {
                pass.store_to(state, position, &buffer, &[(part, value)], is_there);
            });
        }
        let next = self.terms.add(first, got);
        self.write_channel(state, position, (queue.channel, taken), is_some, next);
        let always = self.truth();
        self.acquires(state, position, always);
        let error = self.int(EAGAIN);
        self.set_errno(state, fails, error);
        let word = self.word();
        let unit = self.terms.constant(word, u128::from(queue.unit));
        let got = self.terms.resize(got, word);
        let got = self.terms.mul(got, unit);
        let failed = self.terms.constant(word, u128::MAX >> (128 - word));
        Ok(Reply::Return(self.terms.ite(fails, failed, got)))
    }

    /// The piece at a place, which is one that was written.
    fn piece_at(
        &mut self,
        state: &State,
        position: Option<usize>,
        queue: &Queue,
        place: TermId,
        condition: TermId,
    ) -> TermId {
        let few = self.values.few(&self.terms, place);
        let mut value = None;
        for index in 0..queue.pieces {
            if few
                .as_ref()
                .is_some_and(|few| !few.contains(&u128::from(index)))
            {
                continue;
            }
            let is_this = words::is_number(&mut self.terms, place, u128::from(index));
            let when = self.terms.and(is_this, condition);
            if self.terms.as_bool(is_this) == Some(false) {
                continue;
            }
            let object = self.channel_part(queue.channel, queue.piece(index));
            let here = self.read_at(state, position, object, 0, queue.unit, when);
            value = Some(match value {
                None => here,
                Some(other) => self.terms.ite(is_this, here, other),
            });
        }
        value.unwrap_or_else(|| self.terms.constant(8 * queue.unit as u32, 0))
    }

    fn add_pieces(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        side: Side,
        (size, part): (u64, u32),
    ) -> Result<Reply, Error> {
        let reader = 1 - side.side;
        let instance = self.instance(frame, state, 400 + call.index);
        (self.facts.channels).note_write(side.channel, reader, instance, size);
        let queue = self.queue(frame, side.channel, reader)?;
        let buffer = self.buffer(frame, call, size, false)?;
        let mut objects = self.queue_objects(&queue);
        objects.extend(self.common_objects(side));
        let (memory, step) = (Some((&buffer, size)), (part, false));
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, memory, step) else {
            return Ok(Reply::Never);
        };
        // Nobody ever has to wait for room.
        let always = self.truth();
        if self
            .wait_at(state, frame, (position, part), side, always)?
            .is_none()
        {
            return Ok(Reply::Never);
        }
        let parts: Vec<Part> = (0..size / queue.unit)
            .map(|index| (index * queue.unit, queue.unit))
            .collect();
        let data = self.load_from(state, position, &buffer, &parts);
        for piece in &data {
            if 8 * queue.unit as u32 == self.word() {
                self.publish(state, *piece);
            }
        }
        let readers = ChannelPart::Uses(reader);
        let readers = self.read_channel(state, position, side.channel, readers);
        let is_read = self.terms.is_nonzero(readers);
        let written = ChannelPart::Written(reader);
        let first = self.read_channel(state, position, queue.channel, written);
        for place in 0..queue.pieces {
            let mut chosen: Option<(TermId, TermId)> = None;
            for (index, piece) in data.iter().enumerate() {
                let Some(before) = place.checked_sub(index as u64) else {
                    break;
                };
                let is_here = words::is_number(&mut self.terms, first, u128::from(before));
                if self.terms.as_bool(is_here) == Some(false) {
                    continue;
                }
                chosen = Some(match chosen {
                    None => (is_here, *piece),
                    Some((when, other)) => {
                        let value = self.terms.ite(is_here, *piece, other);
                        (self.terms.or(when, is_here), value)
                    }
                });
            }
            if let Some((when, value)) = chosen {
                let condition = self.terms.and(when, is_read);
                let part = (queue.channel, queue.piece(place));
                self.write_channel(state, position, part, condition, value);
            }
        }
        let count = self.int(u128::from(size / queue.unit));
        let next = self.terms.add(first, count);
        self.write_channel(state, position, (queue.channel, written), is_read, next);
        self.releases(state, position, is_read);
        let is_broken = self.terms.not(is_read);
        let is_quiet = side.flags & NO_SIGNAL != 0;
        if !is_quiet && self.break_pipe(state, frame, is_broken)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        let error = self.int(EPIPE);
        self.set_errno(state, is_broken, error);
        let word = self.word();
        let failed = self.terms.constant(word, u128::MAX >> (128 - word));
        let size = self.terms.constant(word, u128::from(size));
        Ok(Reply::Return(self.terms.ite(is_broken, failed, size)))
    }

    /// SIGPIPE arrives where the condition holds, which ends the process unless it is
    /// ignored.
    fn break_pipe(
        &mut self,
        state: &mut State,
        frame: &Frame,
        condition: TermId,
    ) -> Result<Flow, Error> {
        if self.terms.as_bool(condition) == Some(false) {
            return Ok(Flow::Next);
        }
        let is_ignored = self.is_broken_pipe_ignored(state, frame)?;
        let is_felt = self.terms.not(is_ignored);
        let ends = self.terms.and(condition, is_felt);
        let mut path = state.clone();
        path.guard = self.terms.and(path.guard, ends);
        if self.terms.as_bool(path.guard) != Some(false) {
            path.atomic = None;
            self.end_process_at(&mut path, frame);
        }
        let goes_on = self.terms.not(ends);
        state.guard = self.terms.and(state.guard, goes_on);
        Ok(match self.terms.as_bool(state.guard) {
            Some(false) => Flow::Dead,
            _ => Flow::Next,
        })
    }

    // Counters.

    fn take_count(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (op, call): (Descriptors, &Call),
        side: Side,
        part: u32,
    ) -> Result<Reply, Error> {
        let buffer = self.buffer(frame, call, 8, true)?;
        let mut objects = self.common_objects(side);
        objects.push(self.channel_part(side.channel, ChannelPart::Value));
        let (memory, step) = (Some((&buffer, 8)), (part, true));
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, memory, step) else {
            return Ok(Reply::Never);
        };
        let value = self.read_channel(state, position, side.channel, ChannelPart::Value);
        let possible = self.terms.is_nonzero(value);
        let waited = self.wait_at(state, frame, (position, part), side, possible)?;
        let Some(fails) = waited else {
            return Ok(Reply::Never);
        };
        let one = self.terms.constant(64, 1);
        let taken = match side.kind {
            ChannelKind::Counter { is_semaphore: true } => one,
            _ => value,
        };
        let goes = self.terms.not(fails);
        let rest = self.terms.sub(value, taken);
        let cell = (side.channel, ChannelPart::Value);
        self.write_channel(state, position, cell, goes, rest);
        self.while_noting(Noting::Unforeseen, |pass| {
            pass.store_to(state, position, &buffer, &[((0, 8), taken)], goes);
        });
        self.acquires(state, position, goes);
        Ok(self.counted(state, op, fails))
    }

    fn add_count(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (op, call): (Descriptors, &Call),
        side: Side,
        part: u32,
    ) -> Result<Reply, Error> {
        let buffer = match op {
            Descriptors::EventFdWrite => None,
            _ => Some(self.buffer(frame, call, 8, false)?),
        };
        let mut objects = self.common_objects(side);
        objects.push(self.channel_part(side.channel, ChannelPart::Value));
        let memory = buffer.as_ref().map(|buffer| (buffer, 8));
        let step = (part, true);
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, memory, step) else {
            return Ok(Reply::Never);
        };
        let amount = match &buffer {
            None => self.number(call, 1, 64),
            Some(buffer) => {
                let whole: Part = (0, 8);
                let loaded = self.load_from(state, position, buffer, &[whole]);
                match loaded.first() {
                    Some(amount) => *amount,
                    None => return Ok(Reply::Never),
                }
            }
        };
        let most = self.terms.constant(64, MAX_COUNT);
        let is_fine = self.terms.unsigned_less_equal(amount, most);
        let is_bad = self.terms.not(is_fine);
        let value = self.read_channel(state, position, side.channel, ChannelPart::Value);
        let room = self.terms.sub(most, value);
        let fits = self.terms.unsigned_less_equal(amount, room);
        let possible = self.terms.or(fits, is_bad);
        let waited = self.wait_at(state, frame, (position, part), side, possible)?;
        let Some(fails) = waited else {
            return Ok(Reply::Never);
        };
        let goes = self.terms.and(is_fine, fits);
        let sum = self.terms.add(value, amount);
        let cell = (side.channel, ChannelPart::Value);
        self.write_channel(state, position, cell, goes, sum);
        self.releases(state, position, goes);
        let error = self.int(EINVAL);
        self.set_errno(state, is_bad, error);
        let reply = self.counted(state, op, fails);
        let word = self.word();
        let failed = self.terms.constant(word, u128::MAX >> (128 - word));
        Ok(match reply {
            Reply::Return(result) => Reply::Return(self.terms.ite(is_bad, failed, result)),
            other => other,
        })
    }

    fn counted(&mut self, state: &mut State, op: Descriptors, fails: TermId) -> Reply {
        let error = self.int(EAGAIN);
        self.set_errno(state, fails, error);
        let word = self.word();
        let failed = self.terms.constant(word, u128::MAX >> (128 - word));
        let done = match op {
            Descriptors::EventFdRead | Descriptors::EventFdWrite => 0,
            _ => 8,
        };
        let done = self.terms.constant(word, done);
        Reply::Return(self.terms.ite(fails, failed, done))
    }
}
