//! The pipes, sockets and counters that unfolding has met, under names that stay the
//! same from pass to pass, and how much may go through them.

use super::Growth;
use super::objects::Instance;
use std::collections::{HashMap, HashSet};

/// Numbers that are in use from the start.
const STANDARD: u32 = 3;
/// Pieces of what goes through a channel have at most so many bytes.
const LARGEST_UNIT: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelKind {
    /// Side 0 is for reading, side 1 for writing.
    Pipe,
    Sockets,
    /// It has one side only.
    Counter {
        is_semaphore: bool,
    },
}

/// What goes to one side of a channel.
#[derive(Default)]
struct Queue {
    /// The calls that write, with the bytes that each of them writes at most.
    writes: HashMap<Instance, u64>,
    /// All lengths are multiples of this; 0 if there are none yet.
    unit: u64,
}

#[derive(Default)]
pub(crate) struct Channels {
    ids: HashMap<Instance, u32>,
    kinds: Vec<ChannelKind>,
    queues: HashMap<(u32, u32), Queue>,
    /// Calls that may take a number that is free.
    openings: HashSet<Instance>,
    /// Numbers that calls ask for.
    wanted: HashSet<u32>,
    pub(super) growth: Growth,
}

impl Channels {
    /// The channel that an instruction makes.
    pub(crate) fn channel(&mut self, instance: Instance, kind: ChannelKind) -> u32 {
        let next = self.kinds.len() as u32;
        let Channels {
            ids, kinds, growth, ..
        } = self;
        *ids.entry(instance).or_insert_with(|| {
            growth.note(true);
            kinds.push(kind);
            next
        })
    }

    pub(crate) fn kind(&self, channel: u32) -> Option<ChannelKind> {
        self.kinds.get(channel as usize).copied()
    }

    pub(crate) fn count(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// A call may take a number that is free.
    pub(crate) fn note_opening(&mut self, instance: Instance) {
        let is_new = self.openings.insert(instance);
        self.growth.note(is_new);
    }

    /// A call asks for a certain number.
    pub(crate) fn note_wanted(&mut self, number: u32) {
        let is_new = self.wanted.insert(number);
        self.growth.note(is_new);
    }

    /// No number that is in use is as large: each is the lowest that was free, or was
    /// asked for.
    pub(crate) fn numbers(&self) -> u32 {
        let wanted = self.wanted.iter().copied().max().unwrap_or(0);
        STANDARD.max(wanted + 1) + self.openings.len() as u32
    }

    /// So many bytes may be written for a side to read.
    pub(crate) fn note_write(&mut self, channel: u32, side: u32, instance: Instance, bytes: u64) {
        let queue = self.queues.entry((channel, side)).or_default();
        let known = queue.writes.entry(instance).or_default();
        self.growth.note(*known < bytes);
        *known = (*known).max(bytes);
        let unit = gcd(queue.unit, gcd(bytes, LARGEST_UNIT));
        self.growth.note(unit != queue.unit);
        queue.unit = unit;
    }

    /// So many bytes are asked for, which matters only if more can be there.
    pub(crate) fn note_read(&mut self, channel: u32, side: u32, bytes: u64) {
        let all = self.bytes(channel, side);
        let queue = self.queues.entry((channel, side)).or_default();
        if bytes < all {
            let unit = gcd(queue.unit, bytes);
            self.growth.note(unit != queue.unit);
            queue.unit = unit;
        }
    }

    /// All bytes that are ever written for a side.
    pub(crate) fn bytes(&self, channel: u32, side: u32) -> u64 {
        let queue = self.queues.get(&(channel, side));
        queue.map_or(0, |queue| queue.writes.values().sum())
    }

    /// The size of the pieces in which they come.
    pub(crate) fn unit(&self, channel: u32, side: u32) -> u64 {
        let queue = self.queues.get(&(channel, side));
        queue.map_or(0, |queue| queue.unit).max(1)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}
