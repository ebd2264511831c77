//! Schedules by contexts: who has each context, and how far threads come in it.
//!
//! The tables are plain data, frozen from an encoding that this crate does not know.
//! Strategies that reason about contexts take a [`ContextSchedule`] and nothing less,
//! so that they cannot be given a formula that has none.
//!
//! As a space it is halved by one question, always the same for the same region: first
//! the least significant bit of the thread number of each context, as the CBA paper
//! does (section 3.2), beginning with the context after the first; then the other
//! bits; and when it is settled who has each context, how far threads come in it, the
//! widest range first.
//!
//! The two halves together are the region, whatever the clauses say: one assumes
//! that threads with the bit do not have the context, the other that threads
//! without it do not; or one that a position is passed, the other that it is not.

use crate::space::{Region, Space};
use solve::Literal;

/// The literals of a schedule by contexts. What is known from the start is `truth` or its
/// negation.
#[derive(Clone, Debug)]
pub struct ContextSchedule {
    /// A literal that is always true.
    pub truth: Literal,
    /// By context and thread: the context belongs to the thread. Exactly one
    /// thread has it.
    pub run: Vec<Vec<Literal>>,
    /// By context, and one more: nothing is passed from there on. Only for
    /// assumptions: the negation says nothing.
    pub unused_from: Vec<Literal>,
    pub threads: Vec<Thread>,
}

#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// By position and context: the position is behind the thread when the
    /// context ends. Holds in all later contexts and for all earlier positions.
    pub done: Vec<Vec<Literal>>,
    /// By position: a thread may have to wait there for others.
    pub may_wait: Vec<bool>,
}

impl ContextSchedule {
    pub fn n_contexts(&self) -> usize {
        self.run.len()
    }

    /// The threads that a context may belong to.
    pub(crate) fn candidates(&self, context: usize) -> Vec<usize> {
        let row = &self.run[context];
        let may_run = |thread: &usize| row[*thread] != !self.truth;
        (0..row.len()).filter(may_run).collect()
    }

    /// Whether the order of threads is given, as in rounds.
    pub(crate) fn has_fixed_order(&self) -> bool {
        (0..self.n_contexts()).all(|context| self.candidates(context).len() == 1)
    }
}

/// What is known of the schedules in a region.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// By context: the threads that are not ruled out.
    threads: Vec<Vec<usize>>,
    /// By thread and context: the fewest and the most positions that are behind
    /// the thread when the context ends.
    passed: Vec<Vec<(usize, usize)>>,
}

impl Space for ContextSchedule {
    type Detail = Ranges;

    fn whole(&self) -> Region<Ranges> {
        let contexts = 0..self.n_contexts();
        let most = |thread: &Thread, context: usize| {
            let done = thread.done.iter();
            done.take_while(|row| row[context] != !self.truth).count()
        };
        Region::whole(Ranges {
            threads: contexts.clone().map(|c| self.candidates(c)).collect(),
            passed: (self.threads.iter())
                .map(|thread| contexts.clone().map(|c| (0, most(thread, c))).collect())
                .collect(),
        })
    }

    fn halves(&self, region: &Region<Ranges>) -> Option<[Region<Ranges>; 2]> {
        let by_thread = region.detail.thread_question().map(|(context, bit)| {
            [false, true].map(|side| self.with_bit(region, context, bit, side))
        });
        by_thread.or_else(|| {
            let (context, thread) = region.detail.position_question()?;
            let side = |is_passed| self.with_progress(region, context, thread, is_passed);
            Some([false, true].map(side))
        })
    }

    fn literals(&self) -> Vec<Literal> {
        let rows = self.threads.iter().flat_map(|thread| &thread.done);
        let rows = rows.chain(&self.run).chain([&self.unused_from]);
        rows.flatten().copied().chain([self.truth]).collect()
    }
}

impl ContextSchedule {
    fn with_bit(
        &self,
        region: &Region<Ranges>,
        context: usize,
        bit: u32,
        is_set: bool,
    ) -> Region<Ranges> {
        let mut half = region.clone();
        let has_bit = |thread: usize| (thread >> bit & 1 == 1) == is_set;
        let before = &region.detail.threads[context];
        half.detail.threads[context].retain(|thread| has_bit(*thread));
        let out = before.iter().filter(|thread| !has_bit(**thread));
        let row = &self.run[context];
        half.assumptions.extend(out.map(|thread| !row[*thread]));
        half.share *= half.detail.threads[context].len() as f64 / before.len() as f64;
        half.detail.separate_neighbours(context);
        half
    }

    fn with_progress(
        &self,
        region: &Region<Ranges>,
        context: usize,
        thread: usize,
        is_passed: bool,
    ) -> Region<Ranges> {
        let mut half = region.clone();
        let (fewest, most) = region.detail.passed[thread][context];
        let passed = &mut half.detail.passed[thread];
        let middle = fewest.midpoint(most);
        let literal = self.threads[thread].done[middle][context];
        let kept = if is_passed {
            half.assumptions.push(literal);
            for range in &mut passed[context..] {
                range.0 = range.0.max(middle + 1);
                range.1 = range.1.max(range.0);
            }
            most - middle
        } else {
            half.assumptions.push(!literal);
            for range in &mut passed[..=context] {
                range.1 = range.1.min(middle);
                range.0 = range.0.min(range.1);
            }
            middle - fewest + 1
        };
        half.share *= kept as f64 / (most - fewest + 1) as f64;
        half
    }
}

impl Ranges {
    /// The first bit in which the threads that may have some context differ.
    fn thread_question(&self) -> Option<(usize, u32)> {
        let contexts = self.threads.iter().enumerate();
        let differing = contexts.filter_map(|(context, threads)| {
            let first = threads.first()?;
            let difference = threads.iter().fold(0, |bits, thread| bits | thread ^ first);
            (difference != 0).then(|| (difference.trailing_zeros(), context))
        });
        differing.min().map(|(bit, context)| (context, bit))
    }

    /// Threads do not follow themselves, so there is no need to ask whether they
    /// do. Nothing is assumed here: if they did, both halves would include it.
    fn separate_neighbours(&mut self, context: usize) {
        let mut settled = vec![context];
        while let Some(context) = settled.pop() {
            let &[thread] = self.threads[context].as_slice() else {
                continue;
            };
            for neighbour in [context.wrapping_sub(1), context + 1] {
                let Some(threads) = self.threads.get_mut(neighbour) else {
                    continue;
                };
                if threads.len() > 1 && threads.contains(&thread) {
                    threads.retain(|other| *other != thread);
                    settled.push(neighbour);
                }
            }
        }
    }

    /// The context and thread about whose progress least is known.
    fn position_question(&self) -> Option<(usize, usize)> {
        let contexts = self.threads.iter().enumerate();
        let ranges = contexts.filter_map(|(context, threads)| {
            let thread = *threads.first()?;
            let (fewest, most) = self.passed[thread][context];
            Some((most - fewest, context, thread))
        });
        let widest = ranges.max_by_key(|(width, context, _)| (*width, usize::MAX - context))?;
        (widest.0 > 0).then_some((widest.1, widest.2))
    }
}
