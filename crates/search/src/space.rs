//! Regions of the schedule space, and how they are halved.
//!
//! A region is the set of schedules that agree with some assumptions. It is
//! halved by one question, always the same for the same region: first the least
//! significant bit of the thread number of each context, as the CBA paper does
//! (section 3.2), beginning with the context after the first; then the other
//! bits; and when it is settled who has each context, how far threads come in it,
//! the widest range first.
//!
//! The two halves together are the region, whatever the clauses say: one assumes
//! that threads with the bit do not have the context, the other that threads
//! without it do not; or one that a position is passed, the other that it is not.

use crate::Schedule;
use solve::Literal;

#[derive(Clone, Debug)]
pub struct Region {
    /// By context: the threads that are not ruled out.
    threads: Vec<Vec<usize>>,
    /// By thread and context: the fewest and the most positions that are behind
    /// the thread when the context ends.
    passed: Vec<Vec<(usize, usize)>>,
    pub assumptions: Vec<Literal>,
    /// Of the whole space, if all combinations were equally many schedules.
    pub share: f64,
}

impl Region {
    pub fn whole(schedule: &Schedule) -> Region {
        let contexts = 0..schedule.n_contexts();
        let most = |thread: &crate::Thread, context: usize| {
            let done = thread.done.iter();
            done.take_while(|row| row[context] != !schedule.truth)
                .count()
        };
        Region {
            threads: contexts.clone().map(|c| schedule.candidates(c)).collect(),
            passed: schedule
                .threads
                .iter()
                .map(|thread| contexts.clone().map(|c| (0, most(thread, c))).collect())
                .collect(),
            assumptions: Vec::new(),
            share: 1.0,
        }
    }

    /// The two halves; `None` if there is nothing left to ask.
    pub fn halves(&self, schedule: &Schedule) -> Option<[Region; 2]> {
        let by_thread = self.thread_question().map(|(context, bit)| {
            [false, true].map(|side| self.with_bit(schedule, context, bit, side))
        });
        by_thread.or_else(|| {
            let (context, thread) = self.position_question()?;
            let side = |is_passed| self.with_progress(schedule, context, thread, is_passed);
            Some([false, true].map(side))
        })
    }

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

    fn with_bit(&self, schedule: &Schedule, context: usize, bit: u32, is_set: bool) -> Region {
        let mut region = self.clone();
        let has_bit = |thread: usize| (thread >> bit & 1 == 1) == is_set;
        let before = self.threads[context].len();
        region.threads[context].retain(|thread| has_bit(*thread));
        let out = self.threads[context]
            .iter()
            .filter(|thread| !has_bit(**thread));
        let row = &schedule.run[context];
        region.assumptions.extend(out.map(|thread| !row[*thread]));
        region.share *= region.threads[context].len() as f64 / before as f64;
        region.separate_neighbours(context);
        region
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

    fn with_progress(
        &self,
        schedule: &Schedule,
        context: usize,
        thread: usize,
        is_passed: bool,
    ) -> Region {
        let mut region = self.clone();
        let (fewest, most) = self.passed[thread][context];
        let middle = fewest.midpoint(most);
        let literal = schedule.threads[thread].done[middle][context];
        let kept = if is_passed {
            region.assumptions.push(literal);
            for range in &mut region.passed[thread][context..] {
                range.0 = range.0.max(middle + 1);
                range.1 = range.1.max(range.0);
            }
            most - middle
        } else {
            region.assumptions.push(!literal);
            for range in &mut region.passed[thread][..=context] {
                range.1 = range.1.min(middle);
                range.0 = range.0.min(range.1);
            }
            middle - fewest + 1
        };
        region.share *= kept as f64 / (most - fewest + 1) as f64;
        region
    }
}
