//! `swarm`: many small instances, chosen at random (the SWARM paper, sections II
//! and V).
//!
//! The positions of each thread are cut into tiles of equal size. An *instance*
//! chooses some tiles of each thread: threads are switched out only before
//! positions in these, and wherever they may have to wait; everywhere else,
//! positions are glued together. Instances are drawn at random without repetition,
//! all of them if they are few. They are asked of the same formula under
//! assumptions, so what one has shown helps the next; and if the reason why an
//! instance has no model includes only glue that another has too, that other is
//! closed without asking. An instance that has no limit and takes more than a moment
//! gets a solver of its own in which the glue is part of the formula: for a hard one
//! that is twice as fast as to assume it.
//!
//! Complete if all instances are closed and each chooses as many tiles as a thread
//! can be switched out times: a thread with n contexts goes on in the middle of its
//! code n - 1 times, so the tiles in which it does so are among those of some
//! instance. Otherwise nothing is said about the rest. Stopping for good is free
//! everywhere, which the paper's instances do not allow: it makes them larger, never
//! smaller.
//!
//! Without sizes, it begins with small tiles and tries a few instances with a limit
//! each; then tiles twice as large, and so on. As the paper says, larger tiles make
//! an instance with a violation likelier and each instance harder. At last there is
//! one tile per thread, which is the whole space, without a limit: so this is
//! complete.

use crate::checkpoint::Journal;
use crate::crew::{self, Answer, Ending, Piece, Setting, Work};
use crate::glue::Glue;
use crate::{ContextSchedule, LeftOut, Outcome, Progress, Report, Untried};
use fastrand::Rng;
use solve::Literal;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Up to this many instances are listed and shuffled; of more, numbers are drawn.
const LISTED: u128 = 1 << 16;
/// How often to draw before giving up on finding a new instance.
const DRAWS: u32 = 1000;
/// Without sizes: tiles that the longest thread has at first.
const FIRST_TILES: usize = 16;
/// Without sizes: instances of one size, for each core.
const INSTANCES_PER_CORE: u64 = 8;
/// Without sizes: what an instance may cost.
const INSTANCE_CONFLICTS: u64 = 20_000;
/// What an instance may cost before it gets a solver of its own.
const EASY_CONFLICTS: u64 = 1_000;
/// Reasons that are remembered.
const MOST_REASONS: usize = 4096;

/// What instances look like. What is not given is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tiling {
    /// Positions of a tile.
    pub tile_size: Option<usize>,
    /// Tiles that an instance chooses of each thread.
    pub tiles: Option<usize>,
    /// How many instances to try.
    pub instances: Option<u64>,
    /// For each instance.
    pub instance_time: Option<Duration>,
    /// Half of the instances have their tiles moved by half a tile.
    pub shift: bool,
}

/// All instances with tiles of one size, in the order in which they are tried.
struct Generation {
    size: usize,
    /// By how much tiles are moved.
    offset: usize,
    tiles: usize,
    /// By thread: how many tiles it has.
    n_tiles: Vec<usize>,
    /// How many instances there are; `None` if too many to count.
    count: Option<u128>,
    /// Numbers of instances, the next one last, if there are few.
    listed: Option<Vec<u128>>,
    /// Those that were drawn.
    drawn: HashSet<Vec<u128>>,
    /// Instances that may still be begun.
    left: u64,
    conflicts: Option<u64>,
    closed: u64,
}

struct Swarm<'a> {
    glue: &'a Glue,
    time: Option<Duration>,
    rng: Rng,
    generations: Vec<Generation>,
    current: usize,
    turn: usize,
    /// Handed back by cores that failed.
    returned: Vec<Instance>,
    /// Sets of glue that leave nothing.
    reasons: Vec<Vec<Literal>>,
    closed: u64,
    abandoned: u64,
    is_settled: bool,
    journal: Journal,
}

pub(crate) struct Instance {
    generation: usize,
    key: String,
    began: Instant,
    /// A few conflicts were not enough.
    is_hard: bool,
}

pub(crate) fn search(
    setting: &Setting,
    schedule: &ContextSchedule,
    glue: &Glue,
    tiling: &Tiling,
    journal: Journal,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let mut rng = Rng::with_seed(setting.options.seed);
    let generations = plan(setting, schedule, tiling, &mut rng);
    let enough = most_switches(schedule);
    let work = Swarm {
        glue,
        time: tiling.instance_time,
        rng,
        generations,
        current: 0,
        turn: 0,
        returned: Vec::new(),
        reasons: Vec::new(),
        closed: 0,
        abandoned: 0,
        is_settled: false,
        journal,
    };
    let (ending, work, statistics) = crew::run(setting, setting.options.cores, work, watch);
    let is_covered = |generation: &Generation| {
        let is_wide = |tiles: &usize| generation.tiles >= enough.min(*tiles);
        generation.n_tiles.iter().all(is_wide)
            && generation.count == Some(u128::from(generation.closed))
    };
    let is_complete = work.is_settled || work.generations.iter().any(is_covered);
    let outcome = match ending {
        Ending::Done if is_complete => Outcome::None,
        Ending::Done => Outcome::Incomplete(work.left_out(enough)),
        ending => crew::outcome(ending),
    };
    Report {
        outcome,
        statistics,
    }
}

/// How often a thread can go on in the middle of its code.
fn most_switches(schedule: &ContextSchedule) -> usize {
    let threads = 0..schedule.threads.len();
    let contexts = |thread: usize| {
        let mut count = 0;
        let mut is_free = true;
        for context in 0..schedule.n_contexts() {
            // Threads do not follow themselves.
            is_free = is_free && schedule.run[context][thread] != !schedule.truth;
            count += usize::from(is_free);
            is_free = !is_free;
        }
        count
    };
    let most = threads.map(contexts).max().unwrap_or(0);
    most.saturating_sub(1)
}

fn plan(
    setting: &Setting,
    schedule: &ContextSchedule,
    tiling: &Tiling,
    rng: &mut Rng,
) -> Vec<Generation> {
    let lengths: Vec<usize> = (schedule.threads.iter())
        .map(|thread| thread.done.len())
        .collect();
    let longest = lengths.iter().copied().max().unwrap_or(0).max(1);
    let tiles = tiling.tiles.unwrap_or_else(|| most_switches(schedule));
    let mut new = |size: usize, left: Option<u64>, conflicts: Option<u64>| -> Vec<Generation> {
        let offsets = match tiling.shift && size > 1 {
            true => vec![0, size / 2],
            false => vec![0],
        };
        let n = offsets.len() as u64;
        let offsets = offsets.into_iter().zip(0..);
        offsets
            .map(|(offset, index)| {
                let left = left.map_or(u64::MAX, |left| (left + n - 1 - index) / n);
                Generation::new(&lengths, size, offset, tiles, left, conflicts, rng)
            })
            .collect()
    };
    match tiling.tile_size {
        Some(size) => new(size.max(1), tiling.instances, None),
        None => {
            let few = INSTANCES_PER_CORE * setting.options.cores.max(1) as u64;
            let mut generations = Vec::new();
            let mut size = longest.div_ceil(FIRST_TILES);
            while size < longest {
                let conflicts = Some(INSTANCE_CONFLICTS);
                generations.extend(new(size, Some(tiling.instances.unwrap_or(few)), conflicts));
                size *= 2;
            }
            generations.extend(new(longest, None, None).into_iter().take(1));
            generations
        }
    }
}

/// The number of ways to choose.
fn binomial(n: usize, k: usize) -> Option<u128> {
    let mut result: u128 = 1;
    for i in 0..k.min(n) {
        result = result.checked_mul((n - i) as u128)? / (i as u128 + 1);
    }
    Some(if k > n { 0 } else { result })
}

/// The choice of k of n with this number, in lexicographic order of the
/// smallest first.
fn choice(n: usize, k: usize, mut number: u128) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(k);
    let mut next = 0;
    while chosen.len() < k && next < n {
        let with_next = binomial(n - next - 1, k - chosen.len() - 1).unwrap_or(u128::MAX);
        if number < with_next {
            chosen.push(next);
        } else {
            number -= with_next;
        }
        next += 1;
    }
    chosen
}

impl Generation {
    fn new(
        lengths: &[usize],
        size: usize,
        offset: usize,
        tiles: usize,
        left: u64,
        conflicts: Option<u64>,
        rng: &mut Rng,
    ) -> Generation {
        let n_tiles: Vec<usize> = lengths
            .iter()
            .map(|length| (length + offset).div_ceil(size).max(1))
            .collect();
        let mut ways = n_tiles.iter().map(|n| binomial(*n, tiles.min(*n)));
        let count = ways.try_fold(1u128, |all, ways| all.checked_mul(ways?));
        let listed = count.filter(|count| *count <= LISTED).map(|count| {
            let mut all: Vec<u128> = (0..count).collect();
            rng.shuffle(&mut all);
            all
        });
        Generation {
            size,
            offset,
            tiles,
            n_tiles,
            count,
            listed,
            drawn: HashSet::new(),
            left,
            conflicts,
            closed: 0,
        }
    }

    /// The number of ways for each thread.
    fn ways(&self) -> Vec<u128> {
        let ways = |n: &usize| binomial(*n, self.tiles.min(*n)).unwrap_or(u128::MAX);
        self.n_tiles.iter().map(ways).collect()
    }

    /// Another instance, as the number of the choice of each thread.
    fn draw(&mut self, rng: &mut Rng) -> Option<Vec<u128>> {
        if self.left == 0 {
            return None;
        }
        let ways = self.ways();
        let numbers = match &mut self.listed {
            Some(listed) => {
                let mut number = listed.pop()?;
                let digits = ways.iter().map(|ways| {
                    let digit = number % ways;
                    number /= ways;
                    digit
                });
                digits.collect()
            }
            None => {
                let mut draws = 0;
                loop {
                    let numbers: Vec<u128> = ways.iter().map(|ways| rng.u128(0..*ways)).collect();
                    if self.drawn.insert(numbers.clone()) {
                        break numbers;
                    }
                    draws += 1;
                    if draws == DRAWS {
                        return None;
                    }
                }
            }
        };
        self.left -= 1;
        Some(numbers)
    }

    fn key(&self, numbers: &[u128]) -> String {
        let numbers: Vec<String> = numbers.iter().map(u128::to_string).collect();
        format!(
            "{}+{}/{}:{}",
            self.size,
            self.offset,
            self.tiles,
            numbers.join(",")
        )
    }

    /// Glue at every position outside the chosen tiles.
    fn assumptions(&self, glue: &Glue, numbers: &[u128]) -> Vec<Literal> {
        let mut assumptions = Vec::new();
        for ((row, n), number) in glue.literals.iter().zip(&self.n_tiles).zip(numbers) {
            let chosen = choice(*n, self.tiles.min(*n), *number);
            for (position, literal) in row.iter().enumerate() {
                let tile = (position + self.offset) / self.size;
                if !chosen.contains(&tile) {
                    assumptions.extend(literal);
                }
            }
        }
        assumptions
    }
}

impl Swarm<'_> {
    fn close(&mut self, instance: &Instance) {
        self.closed += 1;
        self.generations[instance.generation].closed += 1;
        self.journal.close(instance.key.clone());
    }

    /// Another instance: tiles of the same size, moved and not moved, take turns.
    fn draw(&mut self) -> Option<(usize, Vec<u128>)> {
        loop {
            let size = self.generations.get(self.current)?.size;
            let rest = self.generations[self.current..].iter();
            let n = rest.take_while(|other| other.size == size).count();
            self.turn += 1;
            for index in (0..n).map(|i| self.current + (self.turn + i) % n) {
                if let Some(numbers) = self.generations[index].draw(&mut self.rng) {
                    return Some((index, numbers));
                }
            }
            self.current += n;
        }
    }

    fn left_out(&self, enough: usize) -> LeftOut {
        let last = self.generations.last();
        let untried = match last.map(|last| (last.count, u128::from(last.closed))) {
            Some((None, _)) => Untried::Most,
            Some((Some(of), closed)) if of > closed && self.abandoned == 0 => Untried::Some {
                left: of - closed,
                of,
            },
            _ => Untried::None,
        };
        let tiles = last.map(|last| last.tiles).filter(|tiles| *tiles < enough);
        LeftOut::Instances {
            abandoned: self.abandoned,
            untried,
            tiles,
        }
    }
}

impl Work for Swarm<'_> {
    type Key = Instance;

    fn take(&mut self, _core: usize) -> Option<Piece<Instance>> {
        loop {
            let (instance, assumptions, conflicts) = match self.returned.pop() {
                Some(instance) => {
                    let generation = &self.generations[instance.generation];
                    let numbers = instance.key.rsplit(':').next().unwrap_or_default();
                    let numbers: Vec<u128> = numbers
                        .split(',')
                        .filter_map(|number| number.parse().ok())
                        .collect();
                    let assumptions = generation.assumptions(self.glue, &numbers);
                    (instance, assumptions, generation.conflicts)
                }
                None => {
                    let (index, numbers) = self.draw()?;
                    let generation = &self.generations[index];
                    let assumptions = generation.assumptions(self.glue, &numbers);
                    let instance = Instance {
                        generation: index,
                        key: generation.key(&numbers),
                        began: Instant::now(),
                        is_hard: false,
                    };
                    (instance, assumptions, generation.conflicts)
                }
            };
            let is_closed = self.journal.is_closed(&instance.key)
                || (self.reasons.iter())
                    .any(|blamed| blamed.iter().all(|literal| assumptions.contains(literal)));
            if is_closed {
                self.close(&instance);
                continue;
            }
            // The whole space is asked about with all that was learnt before.
            let is_first_try = conflicts.is_none() && !instance.is_hard && !assumptions.is_empty();
            let conflicts = match is_first_try {
                true => Some(EASY_CONFLICTS),
                false => conflicts,
            };
            let spent = instance.began.elapsed();
            return Some(Piece {
                assumptions,
                is_asserted: instance.is_hard,
                conflicts,
                time: self.time.map(|time| time.saturating_sub(spent)),
                key: instance,
            });
        }
    }

    fn put(&mut self, _core: usize, piece: Piece<Instance>, answer: Answer) {
        match answer {
            Answer::Closed(blamed) => {
                self.is_settled |= blamed.is_empty();
                self.close(&piece.key);
                if self.reasons.len() < MOST_REASONS {
                    self.reasons.push(blamed);
                }
            }
            Answer::Possible | Answer::Open(_) => {
                let has_limit = self.generations[piece.key.generation].conflicts.is_some();
                match has_limit || piece.key.is_hard {
                    true => self.abandoned += 1,
                    false => self.returned.push(Instance {
                        is_hard: true,
                        ..piece.key
                    }),
                }
            }
        }
    }

    fn give_back(&mut self, _core: usize, piece: Piece<Instance>) {
        self.returned.push(piece.key);
    }

    fn is_settled(&self) -> bool {
        self.is_settled
    }

    fn progress(&self) -> Progress {
        let generation = &self.generations[self.current.min(self.generations.len() - 1)];
        let share = match generation.count {
            _ if self.is_settled => 1.0,
            Some(count) => generation.closed as f64 / count as f64,
            None => 0.0,
        };
        Progress {
            open: generation.listed.as_ref().map_or(0, Vec::len),
            closed: self.closed,
            share,
            ..Progress::default()
        }
    }

    fn save(&mut self, is_end: bool) -> Result<(), String> {
        self.journal.save(is_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_numbered() {
        for n in 0..7 {
            for k in 0..=n {
                let count = binomial(n, k).unwrap();
                let all: HashSet<Vec<usize>> =
                    (0..count).map(|number| choice(n, k, number)).collect();
                assert_eq!(all.len() as u128, count, "{k} of {n}");
                assert!(all.iter().all(|chosen| chosen.len() == k));
            }
        }
        assert_eq!(binomial(3, 5), Some(0));
        assert_eq!(binomial(200, 100), None);
    }

    #[test]
    fn instances_are_not_repeated() {
        let mut rng = Rng::with_seed(1);
        let mut generation = Generation::new(&[10, 3, 8], 2, 0, 2, u64::MAX, None, &mut rng);
        assert_eq!(generation.count, Some(10 * 6));
        let mut keys = HashSet::new();
        while let Some(numbers) = generation.draw(&mut rng) {
            assert!(keys.insert(generation.key(&numbers)));
        }
        assert_eq!(keys.len(), 60);
    }
}
