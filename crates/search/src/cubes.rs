//! `cubes`: regions that are halved while they are hard.
//!
//! Begins with the whole space on one core and a budget of conflicts. A cube that
//! exceeds its budget is halved (see the rules for regions), and so is one whose
//! core is asked for a part by a core without work. A core goes on with the last
//! cube that it made itself, whose clauses it has just learnt; else it takes the
//! largest. Budgets are large and grow with the depth, since cubes that stay hard
//! are not made easier by cutting ever finer: on some programs, budgets of a few
//! thousand conflicts take four times as many conflicts in all. Within its budget,
//! a core pauses to take what others have learnt; not too often, since the solver
//! forgets with each call whether it was about to look for a model or for a proof.
//!
//! While the first core works on the whole, another simplifies the formula; then
//! all cores go on with that.
//!
//! If the reason why a cube has no model says nothing about its last halves, then
//! the cubes around it are closed too: a cube is dropped as soon as its
//! assumptions include such a reason.
//!
//! Complete: the two halves of a cube are the cube, and one that cannot be halved
//! any more is asked about without a limit.

use crate::checkpoint::Journal;
use crate::crew::{self, Answer, Piece, Setting, Work};
use crate::space::Region;
use crate::{Progress, Report};
use solve::Literal;

/// A cube of the next depth gets this much more, in percent.
const GROWTH: u64 = 110;
/// Conflicts between two looks at what others have learnt.
const ROUND: u64 = 3_000;

pub struct Cube {
    region: Region,
    /// The half that was taken each time: a string of 0 and 1.
    path: String,
    budget: u64,
    /// What is left of it; `None` if the cube cannot be halved.
    left: Option<u64>,
    made_by: usize,
}

struct Cubes<'a> {
    setting: &'a Setting<'a>,
    /// Later ones were made later.
    open: Vec<Cube>,
    closed: u64,
    share: f64,
    is_settled: bool,
    journal: Journal,
}

pub fn search(
    setting: &Setting,
    journal: Journal,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let mut work = Cubes {
        setting,
        open: Vec::new(),
        closed: 0,
        share: 0.0,
        is_settled: false,
        journal,
    };
    work.resume(Cube {
        region: Region::whole(&setting.problem.schedule),
        path: String::new(),
        budget: setting.options.cube_conflicts,
        left: Some(setting.options.cube_conflicts),
        made_by: 0,
    });
    let (ending, _, statistics) = crew::run(setting, setting.options.cores, work, watch);
    Report {
        outcome: crew::outcome(ending),
        statistics,
    }
}

impl Cubes<'_> {
    /// Opens what a former run did not close of a cube.
    fn resume(&mut self, cube: Cube) {
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

    fn halves(&self, cube: &Cube, core: usize) -> Option<[Cube; 2]> {
        let schedule = &self.setting.problem.schedule;
        let mut side = 0;
        let halves = cube.region.halves(schedule)?.map(|region| {
            let path = format!("{}{side}", cube.path);
            side += 1;
            let budget = cube.budget * GROWTH / 100;
            Cube {
                region,
                path,
                budget,
                left: Some(budget),
                made_by: core,
            }
        });
        Some(halves)
    }

    fn count(&mut self, cube: &Cube) {
        self.closed += 1;
        self.share += cube.region.share;
    }

    fn close(&mut self, cube: &Cube) {
        self.count(cube);
        self.journal.close_half(cube.path.clone());
    }

    /// Closes all open cubes that a reason speaks of.
    fn close_all(&mut self, blamed: &[Literal]) {
        let is_closed = |cube: &Cube| {
            let assumptions = &cube.region.assumptions;
            blamed.iter().all(|literal| assumptions.contains(literal))
        };
        let all = std::mem::take(&mut self.open).into_iter();
        let (closed, open): (Vec<Cube>, Vec<Cube>) = all.partition(is_closed);
        self.open = open;
        closed.iter().for_each(|cube| self.close(cube));
    }
}

impl Work for Cubes<'_> {
    type Key = Cube;
    const CAN_SPLIT: bool = true;
    const SIMPLIFIES: bool = true;

    fn take(&mut self, core: usize) -> Option<Piece<Cube>> {
        let own = self.open.iter().rposition(|cube| cube.made_by == core);
        let index = own.or_else(|| {
            let cubes = self.open.iter().enumerate();
            let share = |(_, cube): &(usize, &Cube)| cube.region.share;
            let largest = cubes.max_by(|a, b| share(a).total_cmp(&share(b)))?;
            Some(largest.0)
        })?;
        let cube = self.open.remove(index);
        Some(Piece {
            is_asserted: false,
            assumptions: cube.region.assumptions.clone(),
            conflicts: cube.left.map(|left| left.min(ROUND)),
            time: None,
            key: cube,
        })
    }

    fn put(&mut self, core: usize, piece: Piece<Cube>, answer: Answer) {
        let mut cube = piece.key;
        match answer {
            Answer::Closed(blamed) => {
                self.close(&cube);
                self.close_all(&blamed);
                // Nothing assumed is to blame, so nothing else can be found.
                if blamed.is_empty() {
                    self.is_settled = true;
                    self.journal.close_around(String::new());
                }
            }
            Answer::Open { is_wanted: false } if cube.left.is_some_and(|left| left > ROUND) => {
                cube.left = cube.left.map(|left| left - ROUND);
                self.open.push(cube);
            }
            Answer::Possible | Answer::Open { .. } => match self.halves(&cube, core) {
                // The second half goes first: it is the next to be taken.
                Some(halves) => self.open.extend(halves),
                None => {
                    cube.left = None;
                    self.open.push(cube);
                }
            },
        }
    }

    fn give_back(&mut self, piece: Piece<Cube>) {
        self.open.push(piece.key);
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
