//! What the numbers of open files stand for, and what is on its way in pipes, sockets
//! and counters. Data and small queries only; the library models decide what calls do
//! with them.
//!
//! Both numbers and channels are given out anew when they are free, the lowest first,
//! so that a program that opens and closes for ever has few states.

use crate::snapshot::Snapshot;

/// Bytes that a pipe or a socket holds.
pub(crate) const CAPACITY: u64 = 65536;
/// The greatest value of a counter.
pub(crate) const MAX_COUNT: u64 = u64::MAX - 1;
/// Numbers from here on are those of streams, which are files.
const STREAMS: usize = 512;
const MOST: usize = 1024;

// What `poll` tells.
pub(crate) const IN: u16 = 0x1;
pub(crate) const OUT: u16 = 0x4;
pub(crate) const ERR: u16 = 0x8;
pub(crate) const HUP: u16 = 0x10;
pub(crate) const NVAL: u16 = 0x20;
const RDNORM: u16 = 0x40;
const WRNORM: u16 = 0x100;
const RDHUP: u16 = 0x2000;

/// One side of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct End {
    pub channel: usize,
    pub side: usize,
}

impl End {
    /// The side that what is written here goes to.
    fn other(self) -> End {
        End {
            side: 1 - self.side,
            ..self
        }
    }
}

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// Something outside of the program.
    Outside,
    End(End),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    pub file: File,
    pub closes_on_exec: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Side 0 is for reading, side 1 for writing.
    Pipe,
    Sockets,
    /// It has one side only.
    Counter {
        value: u64,
        is_semaphore: bool,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Side {
    /// What can be read here, the oldest byte first.
    pub queue: Snapshot,
    pub never_waits: bool,
    /// Calls that have looked it up and are not over.
    pub calls: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Channel {
    pub kind: Kind,
    pub sides: [Side; 2],
}

/// When a call on descriptors need not wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Demand {
    /// When `poll` tells some of this.
    Ready { end: End, events: u16 },
    /// When so many bytes, or so much of a number, can be written, or never can be.
    Room { end: End, amount: u64 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Descriptors {
    /// By number.
    pub table: Vec<Option<Entry>>,
    pub channels: Vec<Option<Channel>>,
}

impl Default for Descriptors {
    /// Standard input, output and errors are there from the start.
    fn default() -> Self {
        let outside = Entry {
            file: File::Outside,
            closes_on_exec: false,
        };
        Descriptors {
            table: vec![Some(outside); 3],
            channels: Vec::new(),
        }
    }
}

impl Descriptors {
    /// What a number stands for.
    pub(crate) fn file(&self, number: i32) -> Option<File> {
        let number = usize::try_from(number).ok()?;
        match self.table.get(number) {
            Some(entry) => entry.map(|entry| entry.file),
            None => (STREAMS..MOST).contains(&number).then_some(File::Outside),
        }
    }

    /// The lowest number that is free and not below another; `None` if there is none.
    pub(crate) fn open(&mut self, file: File, from: usize, closes_on_exec: bool) -> Option<usize> {
        let is_free = |number: &usize| self.table.get(*number).is_none_or(Option::is_none);
        let number = (from..STREAMS).find(is_free)?;
        self.set(number, file, closes_on_exec);
        Some(number)
    }

    /// Lets a number stand for something. What it stood for before must be closed.
    pub(crate) fn set(&mut self, number: usize, file: File, closes_on_exec: bool) {
        if self.table.len() <= number {
            self.table.resize(number + 1, None);
        }
        self.table[number] = Some(Entry {
            file,
            closes_on_exec,
        });
    }

    pub(crate) fn close(&mut self, number: usize) {
        let entry = self.table.get_mut(number).and_then(Option::take);
        while self.table.last().is_some_and(Option::is_none) {
            self.table.pop();
        }
        if let Some(Entry {
            file: File::End(end),
            ..
        }) = entry
        {
            self.tidy(end);
        }
    }

    pub(crate) fn closes_on_exec(&self, number: usize) -> bool {
        let entry = self.table.get(number).copied().flatten();
        entry.is_some_and(|entry| entry.closes_on_exec)
    }

    pub(crate) fn set_closes_on_exec(&mut self, number: usize, closes: bool) {
        if let Some(Some(entry)) = self.table.get_mut(number) {
            entry.closes_on_exec = closes;
        }
    }

    pub(crate) fn add_channel(&mut self, kind: Kind, never_waits: bool) -> usize {
        let side = Side {
            never_waits,
            ..Side::default()
        };
        let channel = Some(Channel {
            kind,
            sides: [side.clone(), side],
        });
        match self.channels.iter().position(Option::is_none) {
            Some(free) => {
                self.channels[free] = channel;
                free
            }
            None => {
                self.channels.push(channel);
                self.channels.len() - 1
            }
        }
    }

    pub(crate) fn kind(&self, end: End) -> Option<Kind> {
        let channel = self.channels.get(end.channel)?.as_ref()?;
        Some(channel.kind)
    }

    fn side(&self, end: End) -> Option<&Side> {
        let channel = self.channels.get(end.channel)?.as_ref()?;
        channel.sides.get(end.side)
    }

    fn side_mut(&mut self, end: End) -> Option<&mut Side> {
        let channel = self.channels.get_mut(end.channel)?.as_mut()?;
        channel.sides.get_mut(end.side)
    }

    /// Whether a number stands for it, or a call uses it.
    pub(crate) fn is_open(&self, end: End) -> bool {
        let mut entries = self.table.iter().flatten();
        entries.any(|entry| entry.file == File::End(end))
            || self.side(end).is_some_and(|side| side.calls > 0)
    }

    /// Whether nobody will ever read what is written here, or write what could be
    /// read here.
    pub(crate) fn is_cut_off(&self, end: End) -> bool {
        match self.kind(end) {
            Some(Kind::Counter { .. }) => false,
            _ => !self.is_open(end.other()),
        }
    }

    /// A call looks it up.
    pub(crate) fn hold(&mut self, file: File) {
        if let File::End(end) = file
            && let Some(side) = self.side_mut(end)
        {
            side.calls += 1;
        }
    }

    /// That call is over.
    pub(crate) fn release(&mut self, file: File) {
        let File::End(end) = file else {
            return;
        };
        if let Some(side) = self.side_mut(end) {
            side.calls = side.calls.saturating_sub(1);
        }
        self.tidy(end);
    }

    /// Forgets what nobody can use any more.
    fn tidy(&mut self, end: End) {
        if self.is_open(end) {
            return;
        }
        if let Some(side) = self.side_mut(end) {
            *side = Side::default();
        }
        let is_used = [0, 1]
            .into_iter()
            .any(|side| self.is_open(End { side, ..end }));
        if !is_used {
            self.channels[end.channel] = None;
            while self.channels.last().is_some_and(Option::is_none) {
                self.channels.pop();
            }
        }
    }

    pub(crate) fn never_waits(&self, end: End) -> bool {
        self.side(end).is_some_and(|side| side.never_waits)
    }

    pub(crate) fn set_never_waits(&mut self, end: End, never_waits: bool) {
        if let Some(side) = self.side_mut(end) {
            side.never_waits = never_waits;
        }
    }

    pub(crate) fn set_counter(&mut self, end: End, value: u64) {
        let channel = self.channels.get_mut(end.channel).and_then(Option::as_mut);
        if let Some(Channel {
            kind: Kind::Counter { value: old, .. },
            ..
        }) = channel
        {
            *old = value;
        }
    }

    /// How many bytes can be read.
    pub(crate) fn available(&self, end: End) -> u64 {
        let side = self.side(end);
        side.map_or(0, |side| side.queue.bytes.len() as u64)
    }

    /// How many bytes can be written.
    pub(crate) fn room(&self, end: End) -> u64 {
        CAPACITY.saturating_sub(self.available(end.other()))
    }

    /// Takes the oldest bytes, at most so many. Pointers, which have so many bytes, are
    /// mere bytes once they are cut in two.
    pub(crate) fn take(&mut self, end: End, most: u64, word: u64) -> Snapshot {
        let Some(side) = self.side_mut(end) else {
            return Snapshot::default();
        };
        let len = side.queue.bytes.len();
        let count = usize::try_from(most).map_or(len, |most| most.min(len));
        let cut = count as u64;
        (side.queue.pointers).retain(|(at, _)| *at >= cut || at + word <= cut);
        let taken = side.queue.part(0, count);
        side.queue = side.queue.part(count, len - count);
        taken
    }

    /// Adds bytes for the other side to read.
    pub(crate) fn put(&mut self, end: End, bytes: &Snapshot) {
        if let Some(side) = self.side_mut(end.other()) {
            side.queue.append(bytes);
        }
    }

    /// What `poll` tells about an end.
    pub(crate) fn events(&self, end: End) -> u16 {
        let readable = match self.available(end) {
            0 => 0,
            _ => IN | RDNORM,
        };
        let writable = match self.room(end) {
            0 => 0,
            _ => OUT | WRNORM,
        };
        let is_cut_off = self.is_cut_off(end);
        match self.kind(end) {
            Some(Kind::Pipe) if end.side == 0 => readable | if is_cut_off { HUP } else { 0 },
            Some(Kind::Pipe) => writable | if is_cut_off { ERR } else { 0 },
            Some(Kind::Sockets) if is_cut_off => writable | IN | RDNORM | RDHUP | HUP,
            Some(Kind::Sockets) => readable | writable,
            Some(Kind::Counter { value, .. }) => {
                let readable = if value > 0 { IN | RDNORM } else { 0 };
                let writable = if value < MAX_COUNT { OUT | WRNORM } else { 0 };
                // Linux says no more about counters.
                (readable | writable) & (IN | OUT)
            }
            None => NVAL,
        }
    }

    /// Whether there is no need to wait.
    pub(crate) fn meets(&self, demand: &Demand) -> bool {
        match demand {
            Demand::Ready { end, events } => self.events(*end) & events != 0,
            Demand::Room { end, amount } => match self.kind(*end) {
                Some(Kind::Counter { value, .. }) => MAX_COUNT - value >= *amount,
                _ => self.room(*end) >= *amount || self.is_cut_off(*end),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &[u8]) -> Snapshot {
        Snapshot {
            bytes: text.to_vec(),
            uninitialised: vec![false; text.len()],
            ..Snapshot::default()
        }
    }

    #[test]
    fn the_lowest_number_that_is_free_is_next() {
        let mut descriptors = Descriptors::default();
        let mut open = |from| descriptors.open(File::Outside, from, false);
        assert_eq!([open(0), open(0), open(10)], [Some(3), Some(4), Some(10)]);
        descriptors.close(3);
        descriptors.close(0);
        assert_eq!(descriptors.file(3), None);
        assert_eq!(descriptors.open(File::Outside, 0, false), Some(0));
        assert_eq!(descriptors.open(File::Outside, 0, false), Some(3));
        assert_eq!(descriptors.file(600), Some(File::Outside));
        assert_eq!([descriptors.file(-1), descriptors.file(7)], [None, None]);
    }

    #[test]
    fn what_is_written_first_is_read_first() {
        let mut descriptors = Descriptors::default();
        let channel = descriptors.add_channel(Kind::Pipe, false);
        let (read, write) = (End { channel, side: 0 }, End { channel, side: 1 });
        descriptors.open(File::End(read), 0, false);
        descriptors.open(File::End(write), 0, false);
        descriptors.put(write, &bytes(b"ab"));
        descriptors.put(write, &bytes(b"c"));
        assert_eq!(descriptors.take(read, 2, 8).bytes, b"ab");
        assert_eq!(descriptors.take(read, 9, 8).bytes, b"c");
        assert_eq!(descriptors.events(read), 0);
        descriptors.close(4);
        assert_eq!(descriptors.events(read), HUP);
        descriptors.close(3);
        assert_eq!(descriptors.channels.len(), 0);
    }

    #[test]
    fn calls_keep_what_they_use() {
        let mut descriptors = Descriptors::default();
        let channel = descriptors.add_channel(Kind::Pipe, false);
        let (read, write) = (End { channel, side: 0 }, End { channel, side: 1 });
        descriptors.open(File::End(read), 0, false);
        descriptors.open(File::End(write), 0, false);
        descriptors.hold(File::End(read));
        descriptors.close(3);
        assert!(!descriptors.is_cut_off(write));
        descriptors.release(File::End(read));
        assert!(descriptors.is_cut_off(write));
    }
}
