//! Pipes, sockets and counters between threads, and files by number.
//!
//! A call looks up what its number stands for, at a step of its own, and then does its
//! work: others may let the number stand for something else meanwhile.

mod polling;

use super::{EAGAIN, EINVAL, Reply, Site};
use crate::descriptors::{Demand, End, File, HUP, IN, Kind, MAX_COUNT};
use crate::event::Effect;
use crate::footprint::Look;
use crate::machine::{AccessMode, Machine, Stop};
use crate::object::{Area, ObjectId};
use crate::thread::{self, Pending, Phase, Polled, Wait};
use crate::value::{Pointer, Value};
use crate::weak::Passage;
use ir::Type;
use library::Descriptors;

const EBADF: i32 = 9;
const EMFILE: i32 = 24;
const EPIPE: i32 = 32;
const ENOTSOCK: i32 = 88;

const NONBLOCK: i32 = 0x800;
const CLOSE_ON_EXEC: i32 = 0x80000;
const SEMAPHORE: i32 = 1;
const STREAM_SOCKET: i32 = 1;
const LOCAL: i32 = 1;

const DONT_WAIT: i32 = 0x40;
const NO_SIGNAL: i32 = 0x4000;

/// As many bytes are written as a whole.
const ATOMIC: u64 = 4096;
/// Numbers are smaller.
const MOST: i32 = 1024;
/// The status of a process that was ended by SIGPIPE.
const BROKEN_PIPE: i32 = 128 + 13;

impl<'a> Machine<'a> {
    pub(crate) fn descriptors_model(
        &mut self,
        site: &mut Site,
        op: Descriptors,
    ) -> Result<Reply, Stop> {
        self.footprint.note(Look::Rest);
        match op {
            Descriptors::Pipe => self.make_pair(site, 0, Kind::Pipe, 0),
            Descriptors::Pipe2 => {
                let flags = self.known_flags(site, 1, NONBLOCK | CLOSE_ON_EXEC)?;
                self.make_pair(site, 0, Kind::Pipe, flags)
            }
            Descriptors::SocketPair => {
                let flags = self.known_flags(site, 1, NONBLOCK | CLOSE_ON_EXEC | STREAM_SOCKET)?;
                if site.int(0) != LOCAL || flags & STREAM_SOCKET == 0 || site.int(2) != 0 {
                    return Err(self.unsupported(site.thread, "such a pair of sockets"));
                }
                self.make_pair(site, 3, Kind::Sockets, flags)
            }
            Descriptors::EventFd => self.make_counter(site),
            Descriptors::Read
            | Descriptors::Write
            | Descriptors::Recv
            | Descriptors::Send
            | Descriptors::EventFdRead
            | Descriptors::EventFdWrite => self.transfer(site, op),
            Descriptors::Poll => self.poll(site),
            Descriptors::Open => self.open_outside(site),
            Descriptors::Close | Descriptors::Dup | Descriptors::Dup2 | Descriptors::Dup3 => {
                self.change_number(site, op)
            }
            Descriptors::Control => self.control(site),
        }
    }

    fn known_flags(&self, site: &Site, index: usize, known: i32) -> Result<i32, Stop> {
        let flags = site.int(index);
        match flags & !known {
            0 => Ok(flags),
            more => {
                let what = format!("the flags {more:#x} of a descriptor");
                Err(self.unsupported(site.thread, what))
            }
        }
    }

    // Numbers.

    fn make_pair(
        &mut self,
        site: &mut Site,
        index: usize,
        kind: Kind,
        flags: i32,
    ) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, index);
        if !site.call.allow {
            return Ok(Reply::Wait(self.pending_write(site, place, 8)));
        }
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, place, 8, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        let channel = self
            .kernel
            .descriptors
            .add_channel(kind, flags & NONBLOCK != 0);
        let mut numbers = Vec::new();
        for side in [0, 1] {
            let file = File::End(End { channel, side });
            numbers.extend(
                self.kernel
                    .descriptors
                    .open(file, 0, flags & CLOSE_ON_EXEC != 0),
            );
        }
        let [first, second] = numbers[..] else {
            numbers
                .into_iter()
                .for_each(|number| self.kernel.descriptors.close(number));
            return Ok(self.fail(site, EMFILE));
        };
        for (at, number) in [(offset, first), (offset + 4, second)] {
            let number = Value::Bits(number as u64);
            self.memory.write(object, at, &Type::Int(32), &number);
        }
        let result = format!("numbers {first} and {second}");
        self.record_channel(site, "make", channel, result);
        Ok(Reply::int(0))
    }

    fn make_counter(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let flags = self.known_flags(site, 1, NONBLOCK | CLOSE_ON_EXEC | SEMAPHORE)?;
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        let kind = Kind::Counter {
            value: u64::from(site.number(0) as u32),
            is_semaphore: flags & SEMAPHORE != 0,
        };
        let channel = self
            .kernel
            .descriptors
            .add_channel(kind, flags & NONBLOCK != 0);
        let file = File::End(End { channel, side: 0 });
        let closes_on_exec = flags & CLOSE_ON_EXEC != 0;
        let Some(number) = self.kernel.descriptors.open(file, 0, closes_on_exec) else {
            self.kernel.descriptors.release(file);
            return Ok(self.fail(site, EMFILE));
        };
        self.record_channel(site, "make", channel, format!("number {number}"));
        Ok(Reply::int(number as i32))
    }

    fn open_outside(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        if !self.opens_file(site)? {
            return Ok(Reply::int(-1));
        }
        match self.kernel.descriptors.open(File::Outside, 0, false) {
            Some(number) => Ok(Reply::int(number as i32)),
            None => Ok(self.fail(site, EMFILE)),
        }
    }

    /// A number ends, or stands for something else from now on.
    fn change_number(&mut self, site: &mut Site, op: Descriptors) -> Result<Reply, Stop> {
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        let number = site.int(0);
        let (Some(file), Ok(index)) = (
            self.kernel.descriptors.file(number),
            usize::try_from(number),
        ) else {
            return Ok(self.fail(site, EBADF));
        };
        let reply = match op {
            Descriptors::Close => {
                self.kernel.descriptors.close(index);
                Reply::int(0)
            }
            Descriptors::Dup => return Ok(self.duplicate(site, file, 0, false)),
            _ => {
                let new = site.int(1);
                let flags = match op {
                    Descriptors::Dup3 => self.known_flags(site, 2, CLOSE_ON_EXEC)?,
                    _ => 0,
                };
                if op == Descriptors::Dup3 && new == number {
                    return Ok(self.fail(site, EINVAL));
                }
                if !(0..MOST).contains(&new) {
                    return Ok(self.fail(site, EBADF));
                }
                if new != number {
                    // What was there may be closed by that, but not what comes there.
                    self.kernel.descriptors.hold(file);
                    self.kernel.descriptors.close(new as usize);
                    let closes_on_exec = flags & CLOSE_ON_EXEC != 0;
                    self.kernel
                        .descriptors
                        .set(new as usize, file, closes_on_exec);
                    self.kernel.descriptors.release(file);
                }
                Reply::int(new)
            }
        };
        self.record_number(site, number);
        Ok(reply)
    }

    fn duplicate(
        &mut self,
        site: &mut Site,
        file: File,
        from: usize,
        closes_on_exec: bool,
    ) -> Reply {
        match self.kernel.descriptors.open(file, from, closes_on_exec) {
            Some(number) => Reply::int(number as i32),
            None => self.fail(site, EMFILE),
        }
    }

    /// `fcntl(number, command, argument)`.
    fn control(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(reply);
        }
        let number = site.int(0);
        let (Some(file), Ok(index)) = (
            self.kernel.descriptors.file(number),
            usize::try_from(number),
        ) else {
            return Ok(self.fail(site, EBADF));
        };
        let (command, argument) = (site.int(1), site.int(2));
        Ok(match (command, file) {
            (0 | 1030, _) => match usize::try_from(argument) {
                Ok(from) if argument < MOST => self.duplicate(site, file, from, command == 1030),
                _ => self.fail(site, EINVAL),
            },
            (1, _) => Reply::int(i32::from(self.kernel.descriptors.closes_on_exec(index))),
            (2, _) => {
                self.kernel
                    .descriptors
                    .set_closes_on_exec(index, argument & 1 != 0);
                Reply::int(0)
            }
            (3, File::End(end)) => {
                let access = match self.kernel.descriptors.kind(end) {
                    Some(Kind::Pipe) => end.side as i32,
                    _ => 2,
                };
                let waits = match self.kernel.descriptors.never_waits(end) {
                    true => NONBLOCK,
                    false => 0,
                };
                Reply::int(access | waits)
            }
            (4, File::End(end)) => {
                let never_waits = argument & NONBLOCK != 0;
                self.kernel.descriptors.set_never_waits(end, never_waits);
                Reply::int(0)
            }
            (4, File::Outside) => Reply::int(0),
            _ => {
                let what = format!("fcntl with command {command}");
                return Err(self.unsupported(site.thread, what));
            }
        })
    }

    // Looking up.

    /// A step of its own.
    fn look_up(&mut self, site: &mut Site) -> Result<Result<Option<File>, Reply>, Stop> {
        let found = self.kernel.descriptors.file(site.int(0));
        match site.thread.frame().map(|frame| &frame.phase) {
            Some(Phase::Holding(file)) => return Ok(Ok(*file)),
            // These are always there.
            _ if (0..3).contains(&site.int(0))
                && !self.image.can_close
                && !self.image.can_cancel =>
            {
                return Ok(Ok(found));
            }
            _ => {}
        }
        if let Some(reply) = self.gate(site, Wait::Nothing)? {
            return Ok(Err(reply));
        }
        if let Some(file) = found {
            self.hold(file);
        }
        self.set_phase(site, Phase::Holding(found));
        Ok(Err(Reply::Continue))
    }

    /// A call uses something, which matters only if that can be closed meanwhile.
    fn hold(&mut self, file: File) {
        if self.image.can_close {
            self.kernel.descriptors.hold(file);
        }
    }

    /// The call uses nothing any more.
    fn let_go(&mut self, site: &Site) {
        if !self.image.can_close {
            return;
        }
        match site.thread.frame().map(|frame| frame.phase.clone()) {
            Some(Phase::Holding(Some(file))) => self.kernel.descriptors.release(file),
            Some(Phase::Polling(watched)) => {
                for one in watched {
                    if let Polled::End(end) = one.what {
                        self.kernel.descriptors.release(File::End(end));
                    }
                }
            }
            _ => {}
        }
    }

    /// A thread that waits here and was asked to end does so.
    fn leaves(&mut self, site: &mut Site) -> Result<Option<Reply>, Stop> {
        let phase = site.thread.frame().map(|frame| &frame.phase);
        let is_within = phase.is_some_and(|phase| *phase != Phase::Start);
        if !self.image.can_cancel || !is_within || !site.thread.must_leave() {
            return Ok(None);
        }
        self.let_go(site);
        self.give_in(site).map(Some)
    }

    // Reading and writing.

    fn transfer(&mut self, site: &mut Site, op: Descriptors) -> Result<Reply, Stop> {
        let file = match self.look_up(site)? {
            Ok(file) => file,
            Err(reply) => return Ok(reply),
        };
        let is_read = matches!(
            op,
            Descriptors::Read | Descriptors::Recv | Descriptors::EventFdRead
        );
        let reply = match file {
            None => self.failed(site, EBADF),
            Some(File::End(end)) if is_read => self.read_end(site, op, end)?,
            Some(File::End(end)) => self.write_end(site, op, end)?,
            Some(File::Outside) => match op {
                Descriptors::Read => self.read_outside(site)?,
                Descriptors::Write => self.write_outside(site)?,
                _ => {
                    let what = "a call on a file that is meant for sockets or counters";
                    return Err(self.unsupported(site.thread, what));
                }
            },
        };
        if let Reply::Return(_) = reply
            && !site.thread.frames.is_empty()
        {
            self.let_go(site);
        }
        Ok(reply)
    }

    /// The flags of `send` and `recv`; none for others.
    fn socket_flags(&mut self, site: &mut Site, op: Descriptors) -> Result<i32, Stop> {
        let known = match op {
            Descriptors::Recv => DONT_WAIT,
            Descriptors::Send => DONT_WAIT | NO_SIGNAL,
            _ => return Ok(0),
        };
        self.known_flags(site, 3, known)
    }

    /// What is wrong with a call, whatever is on its way.
    fn refusal(&self, op: Descriptors, end: End, kind: Kind) -> Option<i32> {
        let is_socket_call = matches!(op, Descriptors::Recv | Descriptors::Send);
        if is_socket_call && kind != Kind::Sockets {
            return Some(ENOTSOCK);
        }
        let is_write = matches!(op, Descriptors::Write | Descriptors::EventFdWrite);
        (kind == Kind::Pipe && end.side != usize::from(is_write)).then_some(EBADF)
    }

    fn read_end(&mut self, site: &mut Site, op: Descriptors, end: End) -> Result<Reply, Stop> {
        let Some(kind) = self.kernel.descriptors.kind(end) else {
            return Ok(self.failed(site, EBADF));
        };
        let is_counter = matches!(kind, Kind::Counter { .. });
        if op == Descriptors::EventFdRead && !is_counter {
            return Err(self.unsupported(site.thread, "eventfd_read from what is no counter"));
        }
        let flags = self.socket_flags(site, op)?;
        if let Some(error) = self.refusal(op, end, kind) {
            return Ok(self.failed(site, error));
        }
        let size = match op {
            Descriptors::EventFdRead => 8,
            _ => site.number(2),
        };
        if is_counter && size < 8 {
            return Ok(self.failed(site, EINVAL));
        }
        if size == 0 {
            return Ok(Reply::NOTHING);
        }
        let never_waits = flags & DONT_WAIT != 0 || self.kernel.descriptors.never_waits(end);
        let events = IN | HUP;
        let demand = Demand::Ready { end, events };
        let wait = match never_waits {
            true => Wait::Nothing,
            false => Wait::Files(vec![demand.clone()]),
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        if let Some(reply) = self.leaves(site)? {
            return Ok(reply);
        }
        let buffer = self.pointer_arg(site, 1);
        let room = if is_counter { 8 } else { size };
        self.check_buffer(site, buffer, room, true)?;
        if !self.kernel.descriptors.meets(&demand) {
            self.record_channel(site, "read from", end.channel, "nothing there".to_owned());
            return Ok(self.failed(site, EAGAIN));
        }
        if let Kind::Counter {
            value,
            is_semaphore,
        } = kind
        {
            let taken = if is_semaphore { 1 } else { value };
            let mut pending = Pending::default();
            if let Some((object, offset)) =
                self.model_access(site, buffer, 8, AccessMode::WRITE, &mut pending)?
            {
                let taken = Value::Bits(taken);
                self.memory.write(object, offset, &Type::Int(64), &taken);
            }
            self.kernel.descriptors.set_counter(end, value - taken);
            self.pass(site.thread, place_of(end), Passage::Acquire);
            self.record_channel(site, "read from", end.channel, taken.to_string());
            return Ok(match op {
                Descriptors::EventFdRead => Reply::int(0),
                _ => Reply::Return(Value::Bits(8)),
            });
        }
        let got = self.kernel.descriptors.available(end).min(size);
        if got > 0 {
            self.take_into(site, end, buffer, got)?;
        }
        self.pass(site.thread, place_of(end), Passage::Acquire);
        self.record_channel(site, "read from", end.channel, count(got));
        Ok(Reply::Return(Value::Bits(got)))
    }

    /// A buffer must be as large as the call says, whatever happens to it.
    fn check_buffer(
        &self,
        site: &Site,
        buffer: Pointer,
        size: u64,
        is_write: bool,
    ) -> Result<(), Stop> {
        let checked = self.memory.check(buffer, size, is_write);
        let fault =
            checked.map_err(|fault| self.access_violation(site.thread, fault, size, is_write));
        fault.map(|_| ())
    }

    fn take_into(
        &mut self,
        site: &mut Site,
        end: End,
        buffer: Pointer,
        got: u64,
    ) -> Result<(), Stop> {
        let mut pending = Pending::default();
        let target = self.model_access(site, buffer, got, AccessMode::WRITE, &mut pending)?;
        let Some((object, offset)) = target else {
            return Ok(());
        };
        let taken = self
            .kernel
            .descriptors
            .take(end, got, self.memory.pointer_bytes);
        self.memory.restore(object, offset, &taken);
        self.sync.overwrite(object, offset, got);
        Ok(())
    }

    fn write_end(&mut self, site: &mut Site, op: Descriptors, end: End) -> Result<Reply, Stop> {
        let Some(kind) = self.kernel.descriptors.kind(end) else {
            return Ok(self.failed(site, EBADF));
        };
        if let Kind::Counter { value, .. } = kind {
            return self.add_to_counter(site, op, end, value);
        }
        if op == Descriptors::EventFdWrite {
            return Err(self.unsupported(site.thread, "eventfd_write to what is no counter"));
        }
        let flags = self.socket_flags(site, op)?;
        if let Some(error) = self.refusal(op, end, kind) {
            return Ok(self.failed(site, error));
        }
        let (buffer, size) = (self.pointer_arg(site, 1), site.number(2));
        if size == 0 {
            return Ok(Reply::NOTHING);
        }
        let never_waits = flags & DONT_WAIT != 0 || self.kernel.descriptors.never_waits(end);
        let amount = size;
        let demand = Demand::Room { end, amount };
        let wait = match never_waits {
            true => Wait::Nothing,
            // Then it is not supported, which is found out at the step.
            false if size > ATOMIC => Wait::Nothing,
            false => Wait::Files(vec![demand.clone()]),
        };
        if !site.call.allow {
            let mut pending = Pending {
                wait,
                accesses: Vec::new(),
            };
            // What is wrong with the buffer is found out at the step.
            let _ = self.model_access(site, buffer, size, AccessMode::READ, &mut pending);
            return Ok(Reply::Wait(pending));
        }
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        if let Some(reply) = self.leaves(site)? {
            return Ok(reply);
        }
        self.check_buffer(site, buffer, size, false)?;
        if self.kernel.descriptors.is_cut_off(end) {
            self.record_channel(site, "write to", end.channel, "nobody can read".to_owned());
            return self.break_pipe(site, flags & NO_SIGNAL != 0);
        }
        if self.kernel.descriptors.room(end) < size {
            if size > ATOMIC {
                let what = "to write more than 4096 bytes where there is no room";
                return Err(self.unsupported(site.thread, what));
            }
            self.record_channel(site, "write to", end.channel, "no room".to_owned());
            return Ok(self.failed(site, EAGAIN));
        }
        let mut pending = Pending::default();
        let target = self.model_access(site, buffer, size, AccessMode::READ, &mut pending)?;
        let Some((object, offset)) = target else {
            return Ok(Reply::Wait(pending));
        };
        self.settle(site.thread, site.inputs, (object, offset), size, false)?;
        // Whoever reads may be another thread.
        for address in self.memory.pointers_in(object, offset, size) {
            self.memory.publish(address);
        }
        let mut copy = self.memory.snapshot(object, offset, size);
        if !self.leaves_open() {
            copy = copy.written();
        }
        self.kernel.descriptors.put(end, &copy);
        let other = End {
            side: 1 - end.side,
            ..end
        };
        self.pass(site.thread, place_of(other), Passage::Release);
        self.record_channel(site, "write to", end.channel, count(size));
        Ok(Reply::Return(Value::Bits(size)))
    }

    /// To write where nobody can read.
    fn break_pipe(&mut self, site: &mut Site, is_quiet: bool) -> Result<Reply, Stop> {
        if is_quiet || self.is_broken_pipe_ignored(site)? {
            return Ok(self.failed(site, EPIPE));
        }
        self.let_go(site);
        Ok(self.begin_exit(site, thread::End::Abrupt(BROKEN_PIPE)))
    }

    fn add_to_counter(
        &mut self,
        site: &mut Site,
        op: Descriptors,
        end: End,
        value: u64,
    ) -> Result<Reply, Stop> {
        if op == Descriptors::Send {
            return Ok(self.failed(site, ENOTSOCK));
        }
        let buffer = self.pointer_arg(site, 1);
        if op == Descriptors::Write && site.number(2) < 8 {
            return Ok(self.failed(site, EINVAL));
        }
        let amount = match op {
            Descriptors::EventFdWrite => site.number(1),
            // What it will be is not known before, if others can change it.
            _ if !site.call.allow && self.is_shared(site, buffer) => 0,
            _ => self.peek_number(buffer),
        };
        if !site.call.allow {
            let mut pending = Pending::default();
            if amount <= MAX_COUNT && !self.kernel.descriptors.never_waits(end) {
                pending.wait = Wait::Files(vec![Demand::Room { end, amount }]);
            }
            if op == Descriptors::Write {
                let _ = self.model_access(site, buffer, 8, AccessMode::READ, &mut pending);
            }
            return Ok(Reply::Wait(pending));
        }
        let mut amount = amount;
        if op == Descriptors::Write {
            let mut pending = Pending::default();
            let target = self.model_access(site, buffer, 8, AccessMode::READ, &mut pending)?;
            let Some(target) = target else {
                return Ok(Reply::Wait(pending));
            };
            self.settle(site.thread, site.inputs, target, 8, false)?;
            let ty = Type::Int(64);
            let shadow = self.memory.shadow(target.0, target.1, &ty);
            self.note_open(&shadow);
            amount = self.memory.read(target.0, target.1, &ty).low_bits();
        }
        if amount > MAX_COUNT {
            return Ok(self.failed(site, EINVAL));
        }
        if !self.kernel.descriptors.never_waits(end) {
            let wait = Wait::Files(vec![Demand::Room { end, amount }]);
            if let Some(reply) = self.gate(site, wait)? {
                return Ok(reply);
            }
        }
        if let Some(reply) = self.leaves(site)? {
            return Ok(reply);
        }
        if MAX_COUNT - value < amount {
            return Ok(self.failed(site, EAGAIN));
        }
        self.kernel.descriptors.set_counter(end, value + amount);
        self.pass(site.thread, place_of(end), Passage::Release);
        self.record_channel(site, "write to", end.channel, amount.to_string());
        Ok(match op {
            Descriptors::EventFdWrite => Reply::int(0),
            _ => Reply::Return(Value::Bits(8)),
        })
    }

    /// A number in memory, as far as it is there.
    fn peek_number(&self, place: Pointer) -> u64 {
        match self.memory.check(place, 8, false) {
            Ok((object, offset)) if self.memory.is_initialised(object, offset, 8) => {
                let number = self.memory.read(object, offset, &Type::Int(64));
                number.low_bits()
            }
            _ => 0,
        }
    }

    // For people.

    fn record_channel(&mut self, site: &Site, verb: &'static str, channel: usize, result: String) {
        if self.trace.is_some() {
            let place = self.channel_name(channel);
            let effect = Effect::Synchronise {
                verb,
                place,
                result,
            };
            self.record(site.thread, effect);
        }
    }

    fn record_number(&mut self, site: &Site, number: i32) {
        if self.trace.is_some() {
            let effect = Effect::Synchronise {
                verb: "change",
                place: format!("descriptor {number}"),
                result: String::new(),
            };
            self.record(site.thread, effect);
        }
    }

    /// What a thread waits for, for people.
    pub(crate) fn describe_demands(&self, demands: &[Demand]) -> String {
        let what = demands.iter().map(|demand| {
            let (verb, end) = match demand {
                Demand::Ready { end, .. } => ("", end),
                Demand::Room { end, .. } => ("room in ", end),
            };
            format!("{verb}{}", self.channel_name(end.channel))
        });
        let what: Vec<String> = what.collect();
        match what.is_empty() {
            true => "waits for nothing at all".to_owned(),
            false => format!("waits for {}", what.join(" or ")),
        }
    }

    pub(crate) fn channel_name(&self, channel: usize) -> String {
        let kind = match self.kernel.descriptors.kind(End { channel, side: 0 }) {
            Some(Kind::Sockets) => "socket pair",
            Some(Kind::Counter { .. }) => "counter",
            _ => "pipe",
        };
        format!("{kind} {channel}")
    }
}

fn count(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}

/// Where threads meet that use one side: in no object of the program.
fn place_of(end: End) -> (ObjectId, u64) {
    const KERNEL: usize = (1 << crate::object::SLOT_BITS) - 1;
    let object = ObjectId::new(0xfff, Area::Global, KERNEL, 0);
    (object, 2 * end.channel as u64 + end.side as u64)
}
