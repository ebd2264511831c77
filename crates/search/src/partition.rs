//! `partition`: a fixed number of parts, as in the CBA paper (sections 3.2, 3.3).
//!
//! The space is halved k times, which gives 2^k partitions: by the least
//! significant bit of the thread number of one context after the other. Contexts
//! in which this bit is known are passed over, so that no partition is empty from
//! the start; where the bits run out (in rounds, say), regions are halved by how
//! far threads come, see the rules for regions. Partition i takes the halves that
//! the bits of i say, the highest first. Partitions are asked about in the order
//! of their numbers, each by the next core that is free, until its end.
//!
//! Complete if the slice is all of them: the halves of a region are the region.
//! A slice alone says nothing about the others; slices from several machines are
//! put together by whoever started them.

use crate::checkpoint::Journal;
use crate::context_schedule::Ranges;
use crate::crew::{self, Answer, Ending, Piece, Setting, Work};
use crate::{ContextSchedule, LeftOut, Outcome, Progress, Region, Report, Space};
use std::collections::BTreeSet;

/// Which partitions to look at, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// There are two to the power of this many.
    pub bits: u32,
    /// The first partition.
    pub from: u64,
    /// The last one.
    pub to: u64,
}

impl Slice {
    /// Of all partitions.
    pub fn all(bits: u32) -> Slice {
        Slice {
            bits,
            from: 0,
            to: (1 << bits) - 1,
        }
    }

    pub fn n_partitions(&self) -> u64 {
        1 << self.bits
    }

    pub fn is_all(&self) -> bool {
        *self == Slice::all(self.bits)
    }
}

struct Partition<'a> {
    schedule: &'a ContextSchedule,
    slice: Slice,
    open: BTreeSet<u64>,
    closed: u64,
    is_settled: bool,
    journal: Journal,
}

pub(crate) fn search(
    setting: &Setting,
    schedule: &ContextSchedule,
    slice: &Slice,
    journal: Journal,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let done = |index: &u64| journal.is_closed(&index.to_string());
    let open: BTreeSet<u64> = (slice.from..=slice.to)
        .filter(|index| !done(index))
        .collect();
    let work = Partition {
        schedule,
        slice: *slice,
        closed: slice.to - slice.from + 1 - open.len() as u64,
        open,
        is_settled: false,
        journal,
    };
    let (ending, _, statistics) = crew::run(setting, setting.options.cores, work, watch);
    let outcome = match ending {
        Ending::Done if !slice.is_all() => Outcome::Incomplete(LeftOut::OtherPartitions(*slice)),
        ending => crew::outcome(ending),
    };
    Report {
        outcome,
        statistics,
    }
}

impl Partition<'_> {
    /// The region of a partition; `None` if there is nothing in it.
    fn region(&self, index: u64) -> Option<Region<Ranges>> {
        let mut region = self.schedule.whole();
        for bit in (0..self.slice.bits).rev() {
            let side = (index >> bit & 1) as usize;
            match self.schedule.halves(&region) {
                Some(halves) => region = halves.into_iter().nth(side)?,
                // All of it goes to the first of the partitions to come.
                None if side == 0 => {}
                None => return None,
            }
        }
        Some(region)
    }

    fn close(&mut self, index: u64) {
        self.closed += 1;
        self.journal.close(index.to_string());
    }
}

impl Work for Partition<'_> {
    type Key = u64;

    fn take(&mut self, _core: usize) -> Option<Piece<u64>> {
        while let Some(index) = self.open.pop_first() {
            match self.region(index) {
                None => self.close(index),
                Some(region) => {
                    return Some(Piece {
                        is_asserted: false,
                        assumptions: region.assumptions,
                        conflicts: None,
                        time: None,
                        key: index,
                    });
                }
            }
        }
        None
    }

    fn put(&mut self, core: usize, piece: Piece<u64>, answer: Answer) {
        match answer {
            Answer::Closed(blamed) => {
                self.close(piece.key);
                // Nothing assumed is to blame, so nothing else can be found.
                if blamed.is_empty() {
                    self.is_settled = true;
                    self.open.clear();
                    self.closed = self.slice.to - self.slice.from + 1;
                    for index in self.slice.from..=self.slice.to {
                        self.journal.close(index.to_string());
                    }
                }
            }
            Answer::Possible | Answer::Open(_) => self.give_back(core, piece),
        }
    }

    fn give_back(&mut self, _core: usize, piece: Piece<u64>) {
        self.open.insert(piece.key);
    }

    fn is_settled(&self) -> bool {
        self.is_settled
    }

    fn progress(&self) -> Progress {
        Progress {
            open: self.open.len(),
            closed: self.closed,
            share: self.closed as f64 / self.slice.n_partitions() as f64,
            ..Progress::default()
        }
    }

    fn save(&mut self, is_end: bool) -> Result<(), String> {
        self.journal.save(is_end)
    }
}
