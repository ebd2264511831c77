//! Small schedule problems made at random: threads that wait for each other's
//! positions, and a query about which of them come before which.
//!
//! Whether a run has what the query asks for depends on the order of its
//! positions only, never on the numbers of contexts, as with real programs.

use fastrand::Rng;
use search::{
    Checkpoint, ContextSchedule, MakeSolver, Means, Options, Problem, Progress, Report, Strategy,
    Thread, search_schedules, solvers,
};
use solve::{ClauseList, ClauseSink, Factory, Literal};

pub(crate) struct Shape {
    pub contexts: usize,
    pub is_round_robin: bool,
    /// Positions of each thread.
    pub lengths: Vec<usize>,
    /// Clauses of the query.
    pub wishes: usize,
}

/// A problem with its schedules.
#[derive(Clone)]
pub(crate) struct Case {
    pub problem: Problem,
    pub schedule: ContextSchedule,
}

/// Searches with the usual solvers.
pub(crate) fn search(
    case: Case,
    strategy: &Strategy,
    options: &Options,
    checkpoint: Option<Checkpoint>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let factory = Factory {
        seed: options.seed,
        ..Factory::default()
    };
    let make = solvers(&factory, strategy);
    search_with(&make, case, strategy, options, checkpoint, watch)
}

/// The same with solvers of the test's choice.
pub(crate) fn search_with(
    make: MakeSolver,
    case: Case,
    strategy: &Strategy,
    options: &Options,
    checkpoint: Option<Checkpoint>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Report {
    let means = Means {
        make,
        options,
        checkpoint,
        watch,
    };
    search_schedules(case.problem, &case.schedule, strategy, means)
}

/// A shape of a few positions.
pub(crate) fn small(rng: &mut Rng) -> Shape {
    let n_threads = rng.usize(1..=4);
    Shape {
        contexts: rng.usize(1..=6),
        is_round_robin: n_threads <= 2 || rng.bool(),
        lengths: (0..n_threads).map(|_| rng.usize(0..=4)).collect(),
        wishes: rng.usize(1..=9),
    }
}

type Place = (usize, usize);

struct Maker<'a> {
    clauses: ClauseList,
    truth: Literal,
    shape: &'a Shape,
    threads: Vec<Thread>,
}

pub(crate) fn make(shape: &Shape, rng: &mut Rng) -> Case {
    let mut clauses = ClauseList::new();
    let truth = clauses.new_variable().positive();
    clauses.add_clause(&[truth]);
    let mut maker = Maker {
        clauses,
        truth,
        shape,
        threads: Vec::new(),
    };
    let unused_from = maker.unused_from();
    let run = maker.turns();
    for thread in 0..shape.lengths.len() {
        let thread = maker.progress(thread, &run, &unused_from);
        maker.threads.push(thread);
    }
    maker.waits(rng);
    let query = maker.query(rng);
    let parts = match rng.bool() {
        true => maker.parts(query),
        false => Vec::new(),
    };
    Case {
        problem: Problem {
            clauses: maker.clauses,
            query,
            parts,
        },
        schedule: ContextSchedule {
            truth,
            run,
            unused_from,
            threads: maker.threads,
        },
    }
}

impl Maker<'_> {
    fn input(&mut self) -> Literal {
        self.clauses.new_variable().positive()
    }

    /// The first thread gets to its end, or does not.
    fn parts(&mut self, query: Literal) -> Vec<Literal> {
        let ends = self.threads[0]
            .done
            .last()
            .and_then(|row| row.last().copied());
        let ends = ends.unwrap_or(self.truth);
        [ends, !ends]
            .into_iter()
            .map(|which| {
                let part = self.input();
                self.clauses.add_clause(&[!part, query]);
                self.clauses.add_clause(&[!part, which]);
                part
            })
            .collect()
    }

    fn unused_from(&mut self) -> Vec<Literal> {
        let mut row: Vec<Literal> = (0..self.shape.contexts).map(|_| self.input()).collect();
        row.push(self.truth);
        for pair in row.windows(2) {
            self.clauses.add_clause(&[!pair[0], pair[1]]);
        }
        row
    }

    fn turns(&mut self) -> Vec<Vec<Literal>> {
        let n_threads = self.shape.lengths.len();
        let mut run: Vec<Vec<Literal>> = Vec::new();
        for context in 0..self.shape.contexts {
            let mut row = vec![!self.truth; n_threads];
            if self.shape.is_round_robin || context == 0 {
                row[context % n_threads] = self.truth;
            } else {
                row = row.iter().map(|_| self.input()).collect();
            }
            self.clauses.add_clause(&row);
            for thread in 0..n_threads {
                for other in 0..thread {
                    self.clauses.add_clause(&[!row[thread], !row[other]]);
                }
                if let Some(before) = run.last()
                    && !self.shape.is_round_robin
                {
                    self.clauses.add_clause(&[!before[thread], !row[thread]]);
                }
            }
            run.push(row);
        }
        run
    }

    fn progress(&mut self, thread: usize, run: &[Vec<Literal>], unused: &[Literal]) -> Thread {
        let mut done: Vec<Vec<Literal>> = Vec::new();
        for position in 0..self.shape.lengths[thread] {
            let mut row: Vec<Literal> = Vec::new();
            for context in 0..self.shape.contexts {
                let before = row.last().copied().unwrap_or(!self.truth);
                if run[context][thread] == !self.truth {
                    row.push(before);
                    continue;
                }
                let now = self.input();
                self.clauses.add_clause(&[!before, now]);
                self.clauses
                    .add_clause(&[!now, before, run[context][thread]]);
                self.clauses.add_clause(&[!now, before, !unused[context]]);
                if let Some(previous) = position.checked_sub(1) {
                    self.clauses.add_clause(&[!now, done[previous][context]]);
                }
                row.push(now);
            }
            done.push(row);
        }
        Thread {
            may_wait: vec![false; done.len()],
            done,
        }
    }

    fn passed(&self, (thread, position): Place) -> Literal {
        let row = &self.threads[thread].done[position];
        *row.last().expect("there should be a context")
    }

    fn done_before(&self, (thread, position): Place, context: usize) -> Literal {
        let before = context.checked_sub(1);
        before.map_or(!self.truth, |before| {
            self.threads[thread].done[position][before]
        })
    }

    /// Both are passed, the first in an earlier context.
    fn order(&mut self, first: Place, second: Place) -> Literal {
        let order = self.input();
        let passed = self.passed(second);
        self.clauses.add_clause(&[!order, passed]);
        for context in 0..self.shape.contexts {
            let now = self.threads[second.0].done[second.1][context];
            let before = self.done_before(second, context);
            let first = self.done_before(first, context);
            self.clauses.add_clause(&[!order, !now, before, first]);
            self.clauses.add_clause(&[order, !now, before, !first]);
        }
        order
    }

    fn place(&self, rng: &mut Rng) -> Option<Place> {
        let thread = rng.usize(..self.shape.lengths.len());
        let length = self.shape.lengths[thread];
        (length > 0).then(|| (thread, rng.usize(..length)))
    }

    /// Two places of different threads.
    fn places(&self, rng: &mut Rng) -> Option<(Place, Place)> {
        let (first, second) = (self.place(rng)?, self.place(rng)?);
        (first.0 != second.0).then_some((first, second))
    }

    /// Some positions are passed only after others.
    fn waits(&mut self, rng: &mut Rng) {
        for _ in 0..rng.usize(0..=4) {
            let Some((first, second)) = self.places(rng) else {
                continue;
            };
            let order = self.order(first, second);
            let passed = self.passed(second);
            self.clauses.add_clause(&[!passed, order]);
            self.threads[second.0].may_wait[second.1] = true;
        }
    }

    fn query(&mut self, rng: &mut Rng) -> Literal {
        let query = self.input();
        for _ in 0..self.shape.wishes {
            let mut clause = vec![!query];
            for _ in 0..rng.usize(1..=2) {
                let literal = match self.places(rng) {
                    Some((first, second)) => self.order(first, second),
                    None => match self.place(rng) {
                        Some(place) => self.passed(place),
                        None => continue,
                    },
                };
                clause.push(if rng.u8(..3) > 0 { literal } else { !literal });
            }
            self.clauses.add_clause(&clause);
        }
        query
    }
}
