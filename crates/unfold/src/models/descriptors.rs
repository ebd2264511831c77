//! Descriptors: what numbers stand for. Each number is a cell, and so is each piece of
//! state of what it may stand for; what goes through a channel is laid out one piece
//! after the other, since only so much is ever written within the bounds.

mod polling;
mod transfer;

use super::EINVAL;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::channels::ChannelKind;
use crate::facts::objects::{ChannelPart, Content, Object, ObjectId, ObjectKey};
use crate::pass::{Flow, Frame, Pass, State};
use crate::validity::Seen;
use crate::{Error, MAIN};
use formula::TermId;
use library::{Descriptors, changes_descriptors};
use std::rc::Rc;

const EBADF: u128 = 9;

const NONBLOCK: u128 = 0x800;
const CLOSE_ON_EXEC: u128 = 0x80000;
const SEMAPHORE: u128 = 1;

/// Numbers that calls may ask for are smaller.
const MOST: u128 = 1024;
/// Those of streams, which are files.
const FIRST_STREAM: u128 = 512;

/// What a number stands for, as a number of its own: nothing, a file, or one side of a
/// channel. The lowest bit of a cell says whether it is closed on `exec`.
const NOTHING: u128 = 0;
const OUTSIDE: u128 = 1;

fn side_code(channel: u32, side: u32) -> u128 {
    2 + 2 * u128::from(channel) + u128::from(side)
}

impl<'p> Pass<'p> {
    pub(crate) fn descriptors_model(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        op: Descriptors,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Descriptors::Pipe => self.make_pair(state, frame, call, 0, ChannelKind::Pipe, 0),
            Descriptors::Pipe2 => {
                let flags = self.flags(frame, call, 1, NONBLOCK | CLOSE_ON_EXEC)?;
                self.make_pair(state, frame, call, 0, ChannelKind::Pipe, flags)
            }
            Descriptors::SocketPair => {
                let flags = self.flags(frame, call, 1, NONBLOCK | CLOSE_ON_EXEC | 1)?;
                let domain = self.constant_argument(frame, call, 0)?;
                let protocol = self.constant_argument(frame, call, 2)?;
                // `AF_UNIX`, `SOCK_STREAM`.
                if domain != 1 || flags & 1 == 0 || protocol != 0 {
                    return Err(self.unsupported(frame, "such a pair of sockets"));
                }
                self.make_pair(state, frame, call, 3, ChannelKind::Sockets, flags)
            }
            Descriptors::EventFd => self.make_counter(state, frame, call),
            Descriptors::Open => self.open_descriptor(state, frame, call),
            Descriptors::Close => self.close(state, frame, call),
            Descriptors::Dup | Descriptors::Dup2 | Descriptors::Dup3 => {
                self.copy_number(state, frame, op, call)
            }
            Descriptors::Control => self.control(state, frame, call),
            Descriptors::Poll => self.poll(state, frame, call),
            _ => self.transfer(state, frame, op, call),
        }
    }

    fn flags(
        &mut self,
        frame: &Frame,
        call: &Call,
        index: usize,
        known: u128,
    ) -> Result<u128, Error> {
        let flags = self.constant_argument(frame, call, index)? & 0xffff_ffff;
        match flags & !known {
            0 => Ok(flags),
            more => Err(self.unsupported(frame, format!("the flags {more:#x} of a descriptor"))),
        }
    }

    // Cells.

    fn descriptor(&mut self, number: u32) -> ObjectId {
        let key = ObjectKey::Descriptor(number);
        let at_first = match number < 3 {
            true => OUTSIDE << 1,
            false => NOTHING,
        };
        self.facts.objects.make(key.clone(), || Object {
            key,
            size: 4,
            name: format!("descriptor {number}"),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Bytes(Rc::from((at_first as u32).to_le_bytes())),
        })
    }

    fn channel_part(&mut self, channel: u32, part: ChannelPart) -> ObjectId {
        let key = ObjectKey::Channel(channel, part);
        let size = match part {
            ChannelPart::Piece(_, unit, _) => unit,
            ChannelPart::Value => 8,
            _ => 4,
        };
        self.facts.objects.make(key.clone(), || Object {
            key,
            size,
            name: format!("{part:?} of channel {channel}"),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Zero,
        })
    }

    fn read_channel(
        &mut self,
        state: &State,
        position: Option<usize>,
        channel: u32,
        part: ChannelPart,
    ) -> TermId {
        let object = self.channel_part(channel, part);
        let size = self.facts.objects[object].size;
        let always = self.truth();
        self.read_at(state, position, object, 0, size, always)
    }

    fn write_channel(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        (channel, part): (u32, ChannelPart),
        condition: TermId,
        value: TermId,
    ) {
        let object = self.channel_part(channel, part);
        let size = self.facts.objects[object].size;
        self.write_at(state, position, object, 0, size, condition, value);
    }

    /// One more, or one less, that stands for a side or uses it.
    fn count_use(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        file: TermId,
        condition: TermId,
        is_more: bool,
    ) {
        for (channel, side) in self.sides_behind(file) {
            let is_this = words::is_number(&mut self.terms, file, side_code(channel, side));
            let condition = self.terms.and(condition, is_this);
            if self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            let part = ChannelPart::Uses(side);
            let old = self.read_channel(state, position, channel, part);
            let one = self.int(1);
            let new = match is_more {
                true => self.terms.add(old, one),
                false => self.terms.sub(old, one),
            };
            self.write_channel(state, position, (channel, part), condition, new);
        }
    }

    /// The sides of channels that a file may be.
    fn sides_behind(&mut self, file: TermId) -> Vec<(u32, u32)> {
        let few = self.values.few(&self.terms, file);
        let mut found = Vec::new();
        for channel in 0..self.facts.channels.count() {
            for side in [0, 1] {
                let code = side_code(channel, side);
                if few.as_ref().is_none_or(|few| few.contains(&code)) {
                    found.push((channel, side));
                }
            }
        }
        found
    }

    /// Whether what a number stands for can change.
    pub(super) fn can_close(&self) -> bool {
        let mut functions = self.program.functions.values();
        functions.any(|function| {
            let entry = library::lookup(&function.symbol).filter(|_| function.body.is_none());
            entry.is_some_and(|entry| changes_descriptors(entry.function))
        })
    }

    // Steps.

    /// Begins a step that has to do with these objects, and perhaps with memory.
    pub(super) fn begin_kernel_step(
        &mut self,
        state: &mut State,
        frame: &Frame,
        objects: &[ObjectId],
        memory: Option<(&Targets, u64)>,
        (part, may_wait): (u32, bool),
    ) -> Result<Option<usize>, Flow> {
        let is_alone = self.prologue.is_alone();
        let mut is_visible = !is_alone && self.may_be_cancelled();
        for object in objects {
            let size = self.facts.objects[*object].size;
            is_visible |= self.is_visible(*object, 0, size);
        }
        if !is_visible && !is_alone {
            let is_noticed = may_wait && self.looks_for_deadlocks();
            match self.options.reductions.hiding && !is_noticed {
                true => self.unnoticed_step(frame, state),
                false => is_visible = true,
            }
        }
        let nowhere = Targets {
            list: Vec::new(),
            valid: self.truth(),
            seen: Seen::AtStep,
            only_where: None,
        };
        let (targets, size) = memory.unwrap_or((&nowhere, 0));
        let begun = self.begin_step(state, frame, targets, size, part, is_visible);
        self.note_sync(begun.ok().flatten());
        begun
    }

    fn all_descriptors(&mut self) -> Vec<ObjectId> {
        let numbers = self.facts.channels.numbers();
        (0..numbers).map(|number| self.descriptor(number)).collect()
    }

    /// The numbers among those in use that a word may be.
    fn numbers_behind(&mut self, number: TermId) -> Vec<u32> {
        let few = self.values.few(&self.terms, number);
        let all = 0..self.facts.channels.numbers();
        let may_be = |one: &u32| (few.as_ref()).is_none_or(|few| few.contains(&u128::from(*one)));
        all.filter(may_be).collect()
    }

    /// What a number stands for at a step.
    fn file_at(&mut self, state: &State, position: Option<usize>, number: TermId) -> TermId {
        let mut file = self.int(NOTHING);
        let first = self.int(FIRST_STREAM);
        let most = self.int(MOST);
        let is_late = self.terms.unsigned_less_equal(first, number);
        let is_below = self.terms.unsigned_less(number, most);
        let is_stream = self.terms.and(is_late, is_below);
        let outside = self.int(OUTSIDE);
        file = self.terms.ite(is_stream, outside, file);
        let one = self.int(1);
        for known in self.numbers_behind(number) {
            let is_this = words::is_number(&mut self.terms, number, u128::from(known));
            let object = self.descriptor(known);
            let entry = self.read_at(state, position, object, 0, 4, is_this);
            let here = self.terms.shift_right(entry, one);
            file = self.terms.ite(is_this, here, file);
        }
        file
    }

    /// Takes the lowest number that is free, where the condition holds.
    fn take_number(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        (file, closes_on_exec): (TermId, TermId),
        from: u32,
        condition: TermId,
    ) -> TermId {
        let one = self.int(1);
        let entry = self.terms.shift_left(file, one);
        let entry = self.terms.bit_or(entry, closes_on_exec);
        let mut is_left = condition;
        let mut number = self.int(0);
        for next in from..from.max(self.facts.channels.numbers()) {
            let object = self.descriptor(next);
            let always = self.truth();
            let old = self.read_at(state, position, object, 0, 4, always);
            let is_free = words::is_zero(&mut self.terms, old);
            let is_here = self.terms.and(is_left, is_free);
            self.write_at(state, position, object, 0, 4, is_here, entry);
            let here = self.int(u128::from(next));
            number = self.terms.ite(is_here, here, number);
            let is_taken = self.terms.not(is_free);
            is_left = self.terms.and(is_left, is_taken);
            if self.terms.as_bool(is_left) == Some(false) {
                break;
            }
        }
        self.count_use(state, position, file, condition, true);
        number
    }

    // Making and ending them.

    fn make_pair(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        index: usize,
        kind: ChannelKind,
        flags: u128,
    ) -> Result<Reply, Error> {
        for side in [0, 1] {
            let opening = self.instance(frame, state, 400 + side);
            self.facts.channels.note_opening(opening);
        }
        let instance = self.instance(frame, state, 400);
        let channel = self.facts.channels.channel(instance, kind);
        let address = self.argument(call, index);
        let mut place = self.resolve(frame, address, 8, true)?;
        place.seen = Seen::AtStep;
        let mut objects = self.all_descriptors();
        for side in [0, 1] {
            objects.push(self.channel_part(channel, ChannelPart::Uses(side)));
        }
        let memory = Some((&place, 8));
        let step = (0, false);
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, memory, step) else {
            return Ok(Reply::Never);
        };
        let always = self.truth();
        let closes = self.int(u128::from(flags & CLOSE_ON_EXEC != 0));
        for side in [0, 1] {
            if flags & NONBLOCK != 0 {
                let (part, one) = (ChannelPart::NeverWaits(side), self.int(1));
                self.write_channel(state, position, (channel, part), always, one);
            }
            let file = self.int(side_code(channel, side));
            let number = self.take_number(state, position, (file, closes), 0, always);
            let part = (4 * u64::from(side), 4);
            self.store_to(state, position, &place, &[(part, number)], always);
        }
        self.reply(0)
    }

    fn make_counter(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let flags = self.flags(frame, call, 1, NONBLOCK | CLOSE_ON_EXEC | SEMAPHORE)?;
        let instance = self.instance(frame, state, 400);
        self.facts.channels.note_opening(instance.clone());
        let is_semaphore = flags & SEMAPHORE != 0;
        let kind = ChannelKind::Counter { is_semaphore };
        let channel = self.facts.channels.channel(instance, kind);
        let mut objects = self.all_descriptors();
        objects.push(self.channel_part(channel, ChannelPart::Value));
        objects.push(self.channel_part(channel, ChannelPart::Uses(0)));
        let step = (0, false);
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, None, step) else {
            return Ok(Reply::Never);
        };
        let always = self.truth();
        let value = self.number(call, 0, 32);
        let value = self.terms.resize(value, 64);
        self.write_channel(
            state,
            position,
            (channel, ChannelPart::Value),
            always,
            value,
        );
        if flags & NONBLOCK != 0 {
            let (part, one) = (ChannelPart::NeverWaits(0), self.int(1));
            self.write_channel(state, position, (channel, part), always, one);
        }
        let closes = self.int(u128::from(flags & CLOSE_ON_EXEC != 0));
        let file = self.int(side_code(channel, 0));
        let number = self.take_number(state, position, (file, closes), 0, always);
        Ok(Reply::Return(number))
    }

    fn open_descriptor(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let opening = self.instance(frame, state, 400);
        self.facts.channels.note_opening(opening);
        let objects = self.all_descriptors();
        let step = (0, false);
        let Ok(position) = self.begin_kernel_step(state, frame, &objects, None, step) else {
            return Ok(Reply::Never);
        };
        if self.leave_if_asked(state, frame, position)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        // The names are read at the same step.
        let outside = state.atomic;
        if let Some(position) = position {
            state.atomic = outside.or(Some((position, 1)));
        }
        let opened = self.open_outside(state, frame, call);
        state.atomic = outside;
        let Some(is_open) = opened? else {
            return Ok(Reply::Never);
        };
        let (file, closes) = (self.int(OUTSIDE), self.int(0));
        let number = self.take_number(state, position, (file, closes), 0, is_open);
        let failed = self.int(0xffff_ffff);
        Ok(Reply::Return(self.terms.ite(is_open, number, failed)))
    }

    /// At a step: whoever was asked to end does so.
    fn leave_if_asked(
        &mut self,
        state: &mut State,
        frame: &Frame,
        position: Option<usize>,
    ) -> Result<Flow, Error> {
        let must_leave = self.must_leave(state, position);
        self.give_in(state, frame, must_leave)
    }

    /// Ends the use of a number, where the condition holds.
    fn close_number(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        number: TermId,
        condition: TermId,
    ) {
        let file = self.file_at(state, position, number);
        for known in self.numbers_behind(number) {
            let is_this = words::is_number(&mut self.terms, number, u128::from(known));
            let is_this = self.terms.and(is_this, condition);
            let (object, nothing) = (self.descriptor(known), self.int(NOTHING));
            self.write_at(state, position, object, 0, 4, is_this, nothing);
        }
        self.count_use(state, position, file, condition, false);
    }

    /// The cells that a change of numbers may have to do with.
    fn begin_change(&mut self, state: &mut State, frame: &Frame) -> Result<Option<usize>, Flow> {
        let mut objects = self.all_descriptors();
        for channel in 0..self.facts.channels.count() {
            for side in [0, 1] {
                objects.push(self.channel_part(channel, ChannelPart::Uses(side)));
                objects.push(self.channel_part(channel, ChannelPart::NeverWaits(side)));
            }
        }
        self.begin_kernel_step(state, frame, &objects, None, (0, false))
    }

    fn close(&mut self, state: &mut State, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let Ok(position) = self.begin_change(state, frame) else {
            return Ok(Reply::Never);
        };
        if self.leave_if_asked(state, frame, position)? == Flow::Dead {
            return Ok(Reply::Never);
        }
        let number = self.number(call, 0, 32);
        let file = self.file_at(state, position, number);
        let is_open = self.terms.is_nonzero(file);
        self.close_number(state, position, number, is_open);
        let zero = self.int(0);
        Ok(self.or_error(state, is_open, zero, EBADF))
    }

    /// A result of 32 bits where something is fine, and else a failure.
    fn or_error(
        &mut self,
        state: &mut State,
        is_fine: TermId,
        result: TermId,
        error: u128,
    ) -> Reply {
        let (fails, error) = (self.terms.not(is_fine), self.int(error));
        self.set_errno(state, fails, error);
        let failed = self.int(0xffff_ffff);
        Reply::Return(self.terms.ite(is_fine, result, failed))
    }

    fn copy_number(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Descriptors,
        call: &Call,
    ) -> Result<Reply, Error> {
        let mut closes = self.int(0);
        let new = match op {
            Descriptors::Dup => {
                let opening = self.instance(frame, state, 400);
                self.facts.channels.note_opening(opening);
                None
            }
            _ => {
                if op == Descriptors::Dup3 {
                    let flags = self.flags(frame, call, 2, CLOSE_ON_EXEC)?;
                    closes = self.int(u128::from(flags != 0));
                }
                let new = self.constant_argument(frame, call, 1)? & 0xffff_ffff;
                if new < MOST {
                    self.facts.channels.note_wanted(new as u32);
                }
                Some(new)
            }
        };
        let Ok(position) = self.begin_change(state, frame) else {
            return Ok(Reply::Never);
        };
        let number = self.number(call, 0, 32);
        let file = self.file_at(state, position, number);
        let is_open = self.terms.is_nonzero(file);
        let Some(new) = new else {
            let number = self.take_number(state, position, (file, closes), 0, is_open);
            return Ok(self.or_error(state, is_open, number, EBADF));
        };
        let target = self.int(new);
        if new >= MOST {
            let never = self.terms.bool(false);
            return Ok(self.or_error(state, never, target, EBADF));
        }
        let is_same = self.terms.equal(number, target);
        if op == Descriptors::Dup3 && self.terms.as_bool(is_same) != Some(false) {
            let what = "dup3 of a descriptor that may be the same";
            return Err(self.unsupported(frame, what));
        }
        let is_other = self.terms.not(is_same);
        let changes = self.terms.and(is_open, is_other);
        self.close_number(state, position, target, changes);
        let one = self.int(1);
        let entry = self.terms.shift_left(file, one);
        let entry = self.terms.bit_or(entry, closes);
        let object = self.descriptor(new as u32);
        self.write_at(state, position, object, 0, 4, changes, entry);
        self.count_use(state, position, file, changes, true);
        Ok(self.or_error(state, is_open, target, EBADF))
    }

    /// `fcntl(number, command, argument)`.
    fn control(&mut self, state: &mut State, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let command = self.constant_argument(frame, call, 1)? & 0xffff_ffff;
        let mut from = 0;
        if let 0 | 1030 = command {
            let least = self.constant_argument(frame, call, 2)? & 0xffff_ffff;
            if least >= MOST {
                let (always, error) = (self.truth(), self.int(EINVAL));
                self.set_errno(state, always, error);
                return self.reply(0xffff_ffff);
            }
            from = least as u32;
            let opening = self.instance(frame, state, 400);
            self.facts.channels.note_opening(opening);
            self.facts.channels.note_wanted(from);
        }
        let Ok(position) = self.begin_change(state, frame) else {
            return Ok(Reply::Never);
        };
        let number = self.number(call, 0, 32);
        let file = self.file_at(state, position, number);
        let is_open = self.terms.is_nonzero(file);
        let zero = self.int(0);
        let result = match command {
            0 | 1030 => {
                let closes = self.int(u128::from(command == 1030));
                self.take_number(state, position, (file, closes), from, is_open)
            }
            1 | 2 => {
                let mut result = zero;
                for known in self.numbers_behind(number) {
                    let is_this = words::is_number(&mut self.terms, number, u128::from(known));
                    let object = self.descriptor(known);
                    let entry = self.read_at(state, position, object, 0, 4, is_this);
                    let one = self.int(1);
                    let flag = self.terms.bit_and(entry, one);
                    if command == 1 {
                        result = self.terms.ite(is_this, flag, result);
                        continue;
                    }
                    let argument = self.number(call, 2, 32);
                    let flag = self.terms.bit_and(argument, one);
                    let file = self.terms.shift_right(entry, one);
                    let file = self.terms.shift_left(file, one);
                    let entry = self.terms.bit_or(file, flag);
                    let condition = self.terms.and(is_this, is_open);
                    self.write_at(state, position, object, 0, 4, condition, entry);
                }
                result
            }
            3 => {
                let is_outside = words::is_number(&mut self.terms, file, OUTSIDE);
                if self.terms.as_bool(is_outside) != Some(false) {
                    return Err(self.unsupported(frame, "fcntl with command 3"));
                }
                self.flags_of(state, position, file)
            }
            4 => {
                let argument = self.number(call, 2, 32);
                let nonblock = self.int(NONBLOCK);
                let flag = self.terms.bit_and(argument, nonblock);
                let never_waits = self.terms.is_nonzero(flag);
                let (yes, no) = (self.int(1), self.int(0));
                let flag = self.terms.ite(never_waits, yes, no);
                for (channel, side) in self.sides_behind(file) {
                    let code = side_code(channel, side);
                    let is_this = words::is_number(&mut self.terms, file, code);
                    let part = ChannelPart::NeverWaits(side);
                    self.write_channel(state, position, (channel, part), is_this, flag);
                }
                zero
            }
            _ => return Err(self.unsupported(frame, format!("fcntl with command {command}"))),
        };
        Ok(self.or_error(state, is_open, result, EBADF))
    }

    /// What `F_GETFL` says.
    fn flags_of(&mut self, state: &State, position: Option<usize>, file: TermId) -> TermId {
        let mut result = self.int(0);
        for (channel, side) in self.sides_behind(file) {
            let is_this = words::is_number(&mut self.terms, file, side_code(channel, side));
            let access = match self.facts.channels.kind(channel) {
                Some(ChannelKind::Pipe) => u128::from(side),
                _ => 2,
            };
            let part = ChannelPart::NeverWaits(side);
            let never_waits = self.read_channel(state, position, channel, part);
            let never_waits = self.terms.is_nonzero(never_waits);
            let (with, without) = (self.int(access | NONBLOCK), self.int(access));
            let flags = self.terms.ite(never_waits, with, without);
            result = self.terms.ite(is_this, flags, result);
        }
        result
    }
}
