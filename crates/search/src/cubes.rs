//! `cubes`: regions that are halved while they are hard.
//!
//! Begins with the whole space on one core. If that is not answered at once, another
//! simplifies the formula; then all cores go on with that, and tell each other what
//! they learn while they work. A core without work joins one that has a cube to
//! itself: two that share what they learn are nearly twice as fast as one, whereas
//! the two halves of a cube are often as hard as the cube. Only if there are two
//! cores at every cube, the one that has had its cube for longest halves it (see
//! the rules for regions).
//!
//! A cube that exceeds its budget of conflicts is halved too. Budgets are large and
//! grow with the depth, since cubes that stay hard are not made easier by cutting
//! ever finer. A core goes on with the last cube that it made itself, whose
//! clauses it has just learnt; else it takes the largest.
//!
//! If the reason why a cube has no model says nothing about its last halves, then
//! the cubes around it are closed too: a cube is dropped as soon as its
//! assumptions include such a reason.
//!
//! Complete: the two halves of a cube are the cube, and one that cannot be halved
//! any more is asked about without a limit.

use crate::checkpoint::Journal;
use crate::crew::{self, Answer, Early, Piece, Setting, Work};
use crate::{Options, Progress, Region, Report, Space};
use solve::Literal;

/// A cube of the next depth gets this much more, in percent.
const GROWTH: u64 = 110;
/// How many cores work on the same cube at most.
const TEAM: usize = 2;
#[derive(Clone)]
pub(crate) struct Cube<D> {
    region: Region<D>,
    /// The half that was taken each time: a string of 0 and 1.
    path: String,
    budget: u64,
    can_split: bool,
    made_by: usize,
}

/// A cube that a core works on.
struct Assigned<D> {
    cube: Cube<D>,
    /// Another core has closed or halved it.
    is_done: bool,
}

struct Cubes<'a, S: Space> {
    space: &'a S,
    /// Later ones were made later.
    open: Vec<Cube<S::Detail>>,
    /// By core.
    at_work: Vec<Option<Assigned<S::Detail>>>,
    closed: u64,
    share: f64,
    is_settled: bool,
    journal: Journal,
}

pub(crate) fn search<S: Space>(
    setting: &Setting,
    space: &S,
    journal: Journal,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let work = Cubes::new(setting.options, space, journal);
    let (ending, _, statistics) = crew::run(setting, setting.options.cores, work, watch);
    Report {
        outcome: crew::outcome(ending),
        statistics,
    }
}

impl<'a, S: Space> Cubes<'a, S> {
    fn new(options: &Options, space: &'a S, journal: Journal) -> Cubes<'a, S> {
        let mut work = Cubes {
            space,
            open: Vec::new(),
            at_work: (0..options.cores.max(1)).map(|_| None).collect(),
            closed: 0,
            share: 0.0,
            is_settled: false,
            journal,
        };
        work.resume(Cube {
            region: space.whole(),
            path: String::new(),
            budget: options.cube_conflicts,
            can_split: true,
            made_by: 0,
        });
        work
    }

    /// Opens what a former run did not close of a cube.
    fn resume(&mut self, cube: Cube<S::Detail>) {
        if self.journal.is_closed(&cube.path) {
            self.count(&cube);
        } else if self.journal.is_closed_within(&cube.path)
            && let Some(halves) = self.halves(&cube, 0)
        {
            halves.into_iter().for_each(|half| self.resume(half));
        } else {
            self.open.push(cube);
        }
    }

    fn halves(&self, cube: &Cube<S::Detail>, core: usize) -> Option<[Cube<S::Detail>; 2]> {
        let mut side = 0;
        let halves = self.space.halves(&cube.region)?.map(|region| {
            let path = format!("{}{side}", cube.path);
            side += 1;
            let budget = cube.budget.saturating_mul(GROWTH) / 100;
            Cube {
                region,
                path,
                budget,
                can_split: true,
                made_by: core,
            }
        });
        Some(halves)
    }

    fn count(&mut self, cube: &Cube<S::Detail>) {
        self.closed += 1;
        self.share += cube.region.share;
    }

    fn close(&mut self, cube: &Cube<S::Detail>) {
        self.count(cube);
        self.journal.close_half(cube.path.clone());
    }

    fn hand_out(&mut self, core: usize, cube: Cube<S::Detail>) -> Piece<Cube<S::Detail>> {
        self.at_work[core] = Some(Assigned {
            cube: cube.clone(),
            is_done: false,
        });
        Piece {
            is_asserted: false,
            assumptions: cube.region.assumptions.clone(),
            conflicts: cube.can_split.then_some(cube.budget),
            time: None,
            key: cube,
        }
    }

    /// A core stops working on its cube. Whether another core had done with it.
    fn rise(&mut self, core: usize) -> bool {
        let seat = self.at_work[core].take();
        seat.is_some_and(|seat| seat.is_done)
    }

    /// The cores that work on a cube.
    fn team(&self, path: &str) -> impl Iterator<Item = usize> {
        let seats = self.at_work.iter().enumerate();
        seats.filter_map(move |(core, seat)| {
            let seat = seat.as_ref()?;
            (!seat.is_done && seat.cube.path == path).then_some(core)
        })
    }

    /// The cube is closed or halved: others should not go on with it.
    fn leave_behind(&mut self, path: &str) {
        let team: Vec<usize> = self.team(path).collect();
        for core in team {
            if let Some(seat) = &mut self.at_work[core] {
                seat.is_done = true;
            }
        }
    }

    /// Somebody else has to go on with it, unless somebody does.
    fn leave(&mut self, cube: Cube<S::Detail>) {
        if self.team(&cube.path).next().is_none() {
            self.open.push(cube);
        }
    }

    /// Closes all open cubes that a reason speaks of.
    fn close_all(&mut self, blamed: &[Literal]) {
        let is_closed = |cube: &Cube<S::Detail>| {
            let assumptions = &cube.region.assumptions;
            blamed.iter().all(|literal| assumptions.contains(literal))
        };
        let all = std::mem::take(&mut self.open).into_iter();
        let (closed, open): (Vec<_>, Vec<_>) = all.partition(is_closed);
        self.open = open;
        closed.iter().for_each(|cube| self.close(cube));
    }
}

impl<S: Space> Work for Cubes<'_, S> {
    type Key = Cube<S::Detail>;
    const CAN_SPLIT: bool = true;
    const SIMPLIFIES: bool = true;

    fn take(&mut self, core: usize) -> Option<Piece<Cube<S::Detail>>> {
        let own = self.open.iter().rposition(|cube| cube.made_by == core);
        let index = own.or_else(|| {
            let cubes = self.open.iter().enumerate();
            let share = |(_, cube): &(usize, &Cube<S::Detail>)| cube.region.share;
            let largest = cubes.max_by(|a, b| share(a).total_cmp(&share(b)))?;
            Some(largest.0)
        })?;
        let cube = self.open.remove(index);
        Some(self.hand_out(core, cube))
    }

    fn join(&mut self, core: usize) -> Option<Piece<Cube<S::Detail>>> {
        let seats = self.at_work.iter().flatten().filter(|seat| !seat.is_done);
        let cubes = seats.map(|seat| &seat.cube);
        let has_room = |cube: &&Cube<S::Detail>| self.team(&cube.path).count() < TEAM;
        let share = |cube: &&Cube<S::Detail>| cube.region.share;
        let largest = cubes
            .filter(has_room)
            .max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let cube = largest.clone();
        Some(self.hand_out(core, cube))
    }

    fn put(&mut self, core: usize, piece: Piece<Cube<S::Detail>>, answer: Answer) {
        let is_done = self.rise(core);
        let mut cube = piece.key;
        match answer {
            Answer::Closed(blamed) => {
                if !is_done {
                    self.close(&cube);
                    self.leave_behind(&cube.path);
                }
                self.close_all(&blamed);
                // Nothing assumed is to blame, so nothing else can be found.
                if blamed.is_empty() {
                    self.is_settled = true;
                    self.journal.close_around(String::new());
                }
            }
            Answer::Open(_) if is_done => {}
            Answer::Open(Early::Called) => self.leave(cube),
            Answer::Possible | Answer::Open(Early::Limit | Early::Wanted) => {
                self.leave_behind(&cube.path);
                match self.halves(&cube, core) {
                    // The second half goes first: it is the next to be taken.
                    Some(halves) => self.open.extend(halves),
                    None => {
                        cube.can_split = false;
                        self.open.push(cube);
                    }
                }
            }
        }
    }

    fn give_back(&mut self, core: usize, piece: Piece<Cube<S::Detail>>) {
        if !self.rise(core) {
            self.leave(piece.key);
        }
    }

    fn left_behind(&self) -> Vec<usize> {
        let seats = self.at_work.iter().enumerate();
        let is_done =
            |seat: &Option<Assigned<S::Detail>>| seat.as_ref().is_some_and(|seat| seat.is_done);
        seats
            .filter(|(_, seat)| is_done(seat))
            .map(|(core, _)| core)
            .collect()
    }

    fn is_settled(&self) -> bool {
        self.is_settled
    }

    fn progress(&self) -> Progress {
        Progress {
            open: self.open.len(),
            closed: self.closed,
            share: match self.is_settled {
                true => 1.0,
                false => self.share.min(1.0),
            },
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
    use crate::context_schedule::Ranges;
    use crate::{ContextSchedule, Thread};
    use fastrand::Rng;
    use solve::{ClauseList, ClauseSink};

    /// Three threads of five positions in six contexts; nothing is known of them.
    fn schedule() -> ContextSchedule {
        const CONTEXTS: usize = 6;
        let mut clauses = ClauseList::new();
        let mut row = |length: usize| -> Vec<Literal> {
            (0..length)
                .map(|_| clauses.new_variable().positive())
                .collect()
        };
        let threads = (0..3).map(|_| Thread {
            done: (0..5).map(|_| row(CONTEXTS)).collect(),
            may_wait: vec![false; 5],
        });
        let threads = threads.collect();
        ContextSchedule {
            truth: row(1)[0],
            run: (0..CONTEXTS).map(|_| row(3)).collect(),
            unused_from: row(CONTEXTS + 1),
            threads,
        }
    }

    /// What is closed, open and worked on is always everything, each part once.
    fn check_balance(work: &Cubes<ContextSchedule>) {
        let mut open: Vec<(&str, f64)> = (work.open.iter())
            .chain(
                work.at_work
                    .iter()
                    .flatten()
                    .filter(|a| !a.is_done)
                    .map(|a| &a.cube),
            )
            .map(|cube| (cube.path.as_str(), cube.region.share))
            .collect();
        open.sort_by(|a, b| a.0.cmp(b.0));
        open.dedup();
        let all = work.share + open.iter().map(|(_, share)| share).sum::<f64>();
        assert!((all - 1.0).abs() < 1e-6, "{all}");
    }

    #[test]
    fn nothing_is_lost_or_counted_twice() {
        let schedule = schedule();
        let mut joined = 0;
        for seed in 0..200 {
            let mut rng = Rng::with_seed(seed);
            let options = Options {
                cores: rng.usize(1..6),
                ..Options::default()
            };
            let mut work = Cubes::new(&options, &schedule, Journal::new(None));
            let mut busy: Vec<Option<Piece<Cube<Ranges>>>> =
                (0..options.cores).map(|_| None).collect();
            for step in 0.. {
                let core = rng.usize(..options.cores);
                match busy[core].take() {
                    None => {
                        busy[core] = work.take(core);
                        if busy[core].is_none() {
                            busy[core] = work.join(core);
                            joined += u32::from(busy[core].is_some());
                        }
                    }
                    Some(piece) if rng.u8(..) < 20 => work.give_back(core, piece),
                    Some(piece) => {
                        let answer = match rng.u8(..6) {
                            // So that it comes to an end.
                            _ if step > 300 => Answer::Closed(piece.assumptions.clone()),
                            _ if work.left_behind().contains(&core) && rng.bool() => {
                                Answer::Open(Early::Called)
                            }
                            0 | 1 => Answer::Closed(piece.assumptions.clone()),
                            2 | 3 => Answer::Open(Early::Limit),
                            4 => Answer::Open(Early::Wanted),
                            _ => Answer::Open(Early::Called),
                        };
                        work.put(core, piece, answer);
                    }
                }
                check_balance(&work);
                if work.open.is_empty() && work.at_work.iter().all(Option::is_none) {
                    break;
                }
            }
            assert!(
                (work.share - 1.0).abs() < 1e-6,
                "seed {seed}: {}",
                work.share
            );
        }
        assert!(joined > 200, "{joined}");
    }
}
