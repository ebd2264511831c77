//! Small random programs, as bounded threads.

use crate::simulator::Simulator;
use cranelift_entity::{EntityRef, PrimaryMap};
use fastrand::Rng;
use formula::{Range, Sort, TermId, Terms};
use std::collections::BTreeMap;
use unfold::{
    Access, Cell, CellId, Check, Creation, Moment, Place, Position, Step, Thread, ThreadId,
    Threads, Violation, verify::verify,
};

pub(crate) struct Program {
    pub threads: Threads,
    /// Every choice of values for the inputs.
    pub inputs: Vec<BTreeMap<u32, u128>>,
}

/// Whatever is encoded must be what unfolding could have made.
pub(crate) fn expect_well_formed(threads: &Threads) {
    assert_eq!(verify(threads), Ok(()), "{}", threads.text(None));
}

/// A program with three threads that all run in parallel, and a violation that
/// is what one of them saw in some run: most such need a particular schedule.
pub(crate) fn busy_program(rng: &mut Rng) -> Program {
    let mut generator = Generator {
        rng,
        terms: Terms::new(),
        cells: PrimaryMap::new(),
        width: 2,
        honest: true,
        n_reads: 0,
    };
    let pool = Pool::default();
    let zero = generator.terms.constant(2, 0);
    for _ in 0..generator.rng.usize(1..=2) {
        generator.cells.push(Cell {
            width: 2,
            is_memory: true,
            counts_readers: false,
            initial: zero,
            range: Range::full(2),
            name: String::new(),
        });
    }
    let mut threads = PrimaryMap::new();
    for index in 0..3 {
        let positions = generator.busy_code(index, pool.clone());
        let condition = generator.terms.bool(true);
        let creation = Creation {
            thread: ThreadId::new(0),
            position: 0,
            condition,
        };
        threads.push(Thread {
            name: String::new(),
            creation: (index > 0).then_some(creation),
            positions,
            can_end: true,
            skips_before: 0,
            quiet_before: 0,
        });
    }
    let mut threads = Threads {
        terms: generator.terms,
        threads,
        cells: generator.cells,
        violations: Vec::new(),
        excluded: Vec::new(),
        stuck: Vec::new(),
        sightings: Vec::new(),
    };
    expect_well_formed(&threads);
    let seen = Simulator { threads: &threads }.random_view(rng);
    let all: Vec<TermId> = (seen.values.iter())
        .map(|(condition, variable, value)| {
            let value = threads.terms.constant(2, *value);
            let is_same = threads.terms.equal(*variable, value);
            threads.terms.and(*condition, is_same)
        })
        .collect();
    threads.violations.push(Violation::of_assertion(Moment {
        is_within: false,
        thread: seen.thread,
        after: seen.after,
        condition: threads.terms.all(&all),
    }));
    Program {
        threads,
        inputs: vec![BTreeMap::new()],
    }
}

/// What a thread can compute with at some point of its code.
#[derive(Clone, Default)]
struct Pool {
    numbers: Vec<TermId>,
    truths: Vec<TermId>,
}

struct Generator<'r> {
    rng: &'r mut Rng,
    terms: Terms,
    cells: PrimaryMap<CellId, Cell>,
    width: u32,
    /// Whether nothing depends on what was read under a false condition.
    honest: bool,
    n_reads: usize,
}

/// `honest` programs never use a value that they did not really look at.
pub(crate) fn program(rng: &mut Rng, honest: bool) -> Program {
    let width = [1, 2, 8][rng.usize(..3)];
    let generator = Generator {
        rng,
        terms: Terms::new(),
        cells: PrimaryMap::new(),
        width,
        honest,
        n_reads: 0,
    };
    generator.program()
}

impl Generator<'_> {
    fn program(mut self) -> Program {
        let (pool, inputs) = self.inputs();
        for _ in 0..self.rng.usize(1..=2) {
            self.cell(&pool);
        }
        let n_threads = self.rng.usize(2..=3);
        let mut threads: PrimaryMap<ThreadId, Thread> = PrimaryMap::new();
        // By thread and number of positions passed: what is known then.
        let mut pools: Vec<Vec<Pool>> = Vec::new();
        for index in 0..n_threads {
            let (creation, pool) = self.creation(index, &threads, &pools, &pool);
            let (positions, known) = self.code(n_threads, index, pool);
            let can_end = self.rng.u32(..8) > 0;
            threads.push(Thread {
                name: format!("thread {index}"),
                creation,
                skips_before: self.rng.usize(..=positions.len()),
                quiet_before: 0,
                positions,
                can_end,
            });
            pools.push(known);
        }
        let n_violations = self.rng.usize(1..=2);
        let violations = (0..n_violations)
            .map(|_| Violation {
                check: [Check::Assert, Check::Memory][self.rng.usize(..2)],
                ..Violation::of_assertion(self.moment(&pools))
            })
            .collect();
        let mut some = |chance: u32| -> Vec<Moment> {
            let n = usize::from(self.rng.u32(..chance) == 0);
            (0..n).map(|_| self.moment(&pools)).collect()
        };
        let (excluded, stuck) = (some(4), some(4));
        let threads = Threads {
            terms: self.terms,
            threads,
            cells: self.cells,
            violations,
            excluded,
            stuck,
            sightings: Vec::new(),
        };
        expect_well_formed(&threads);
        Program { threads, inputs }
    }

    fn inputs(&mut self) -> (Pool, Vec<BTreeMap<u32, u128>>) {
        let mut pool = Pool::default();
        if self.rng.bool() {
            return (pool, vec![BTreeMap::new()]);
        }
        let (values, term) = if self.rng.bool() {
            let term = self.terms.new_variable("input", Sort::Bool);
            pool.truths.push(term);
            (0..=1, term)
        } else {
            let values = if self.width == 1 { 0..=1 } else { 1..=3 };
            let range = Range::from_unsigned(self.width, values.clone());
            let term = self.terms.new_variable_in("input", range);
            pool.numbers.push(term);
            (values, term)
        };
        let formula::Term::Variable(variable) = self.terms.term(term) else {
            panic!("an input should be a variable");
        };
        let choices = values.map(|value| BTreeMap::from([(variable.as_u32(), value)]));
        (pool, choices.collect())
    }

    fn cell(&mut self, pool: &Pool) {
        let width = self.width;
        let range = match self.rng.u32(..5) {
            0 if width > 1 => Range::from_unsigned(width, 0..=2),
            1 if width > 1 => Range::from_signed(width, -1..=1),
            2 if width > 1 => Range::from_unsigned(width, 1..=3),
            3 if width > 2 => Range::from_bits(width, !0xd & 0xff, 4),
            _ => Range::full(width),
        };
        let value = self.number(pool);
        let (initial, _) = self.clamped(value, &range);
        self.cells.push(Cell {
            width,
            is_memory: true,
            counts_readers: false,
            initial,
            range,
            name: String::new(),
        });
    }

    /// A value in the range, and whether the given one is.
    fn clamped(&mut self, value: TermId, range: &Range) -> (TermId, TermId) {
        let terms = &mut self.terms;
        let (min, max) = range.unsigned().into_inner();
        let (min, max) = (
            terms.constant(self.width, min),
            terms.constant(self.width, max),
        );
        let mut all = vec![
            terms.unsigned_less_equal(min, value),
            terms.unsigned_less_equal(value, max),
        ];
        let (min, max) = range.signed().into_inner();
        let min = terms.constant(self.width, min.cast_unsigned());
        let max = terms.constant(self.width, max.cast_unsigned());
        all.push(terms.signed_less_equal(min, value));
        all.push(terms.signed_less_equal(value, max));
        for (bits, is_one) in [(range.known_zeros(), false), (range.known_ones(), true)] {
            let mask = terms.constant(self.width, bits);
            let zero = terms.constant(self.width, 0);
            let got = terms.bit_and(value, mask);
            all.push(terms.equal(got, if is_one { mask } else { zero }));
        }
        let is_in_range = terms.all(&all);
        let other = terms.constant(self.width, range.some_value());
        (terms.ite(is_in_range, value, other), is_in_range)
    }

    fn number(&mut self, pool: &Pool) -> TermId {
        let choice = self.rng.u32(..6);
        if choice == 0 || pool.numbers.is_empty() {
            let value = u128::from(self.rng.u32(..5));
            return self.terms.constant(self.width, value.wrapping_sub(1));
        }
        let a = pool.numbers[self.rng.usize(..pool.numbers.len())];
        match choice {
            1 => {
                let one = self.terms.constant(self.width, 1);
                self.terms.add(a, one)
            }
            2 => {
                let b = pool.numbers[self.rng.usize(..pool.numbers.len())];
                self.terms.sub(a, b)
            }
            3 => {
                let condition = self.truth(pool);
                let b = self.number(pool);
                self.terms.ite(condition, a, b)
            }
            _ => a,
        }
    }

    fn truth(&mut self, pool: &Pool) -> TermId {
        let choice = self.rng.u32(..8);
        if choice == 0 {
            return self.terms.bool(true);
        }
        if choice <= 3 && !pool.truths.is_empty() {
            let a = pool.truths[self.rng.usize(..pool.truths.len())];
            return if self.rng.bool() {
                self.terms.not(a)
            } else {
                a
            };
        }
        let a = self.number(pool);
        let b = self.number(pool);
        match choice {
            1 | 2 => self.terms.unsigned_less(a, b),
            3 => self.terms.signed_less(a, b),
            4 | 5 => self.terms.equal(a, b),
            _ => self.terms.different(a, b),
        }
    }

    /// A condition that includes a guard.
    fn condition(&mut self, guard: TermId, pool: &Pool) -> TermId {
        if self.rng.bool() {
            return guard;
        }
        let more = self.truth(pool);
        self.terms.and(guard, more)
    }

    fn creation(
        &mut self,
        index: usize,
        threads: &PrimaryMap<ThreadId, Thread>,
        pools: &[Vec<Pool>],
        inputs: &Pool,
    ) -> (Option<Creation>, Pool) {
        let creators: Vec<ThreadId> = threads
            .iter()
            .filter(|(_, thread)| !thread.positions.is_empty())
            .map(|(id, _)| id)
            .collect();
        if index == 0 || creators.is_empty() {
            return (None, inputs.clone());
        }
        let thread = creators[self.rng.usize(..creators.len())];
        let n = threads[thread].positions.len();
        let position = self.rng.usize(..n).min(self.rng.usize(..n));
        let pool = pools[thread.index()][position + 1].clone();
        let guard = threads[thread].positions[position].guard;
        let condition = match self.rng.u32(..3) {
            0 => self.terms.bool(true),
            1 => guard,
            _ => self.condition(guard, &pool),
        };
        let creation = Creation {
            thread,
            position,
            condition,
        };
        (Some(creation), pool)
    }

    fn code(
        &mut self,
        n_threads: usize,
        index: usize,
        mut pool: Pool,
    ) -> (Vec<Position>, Vec<Pool>) {
        // Main should be able to create somebody.
        let n_positions = self.rng.usize(usize::from(index == 0)..=4);
        let mut positions = Vec::new();
        let mut pools = vec![pool.clone()];
        for _ in 0..n_positions {
            let choice = self.rng.u32(..2);
            let guard = match choice {
                // A thread that has not begun is behind what its path does not
                // lead through, and has not read what it reads there.
                _ if !self.honest && positions.is_empty() => self.terms.bool(true),
                0 => self.terms.bool(true),
                _ => self.truth(&pool),
            };
            let n_accesses = [0, 1, 1, 1, 2, 3][self.rng.usize(..6)];
            let accesses = (0..n_accesses)
                .map(|_| self.access(guard, &mut pool))
                .collect();
            let requires = if self.rng.u32(..5) == 0 {
                vec![self.truth(&pool)]
            } else {
                Vec::new()
            };
            let joins = if self.rng.u32(..5) == 0 {
                let condition = self.condition(guard, &pool);
                vec![(condition, ThreadId::new(self.rng.usize(..n_threads)))]
            } else {
                Vec::new()
            };
            positions.push(Position {
                accesses,
                requires,
                joins,
                ..position(&mut self.terms, guard)
            });
            pools.push(pool.clone());
        }
        (positions, pools)
    }

    /// Code with one access at most positions, seldom under a condition.
    fn busy_code(&mut self, index: usize, mut pool: Pool) -> Vec<Position> {
        let always = self.terms.bool(true);
        let mut positions = Vec::new();
        if index == 0 {
            positions.push(position(&mut self.terms, always));
        }
        for _ in 0..self.rng.usize(1..=3) {
            let mut position = position(&mut self.terms, always);
            if self.rng.u32(..4) == 0 {
                position.guard = self.truth(&pool);
            }
            if self.rng.u32(..5) == 0 && index < 2 {
                let other = ThreadId::new(self.rng.usize(index + 1..3));
                position.joins.push((position.guard, other));
            } else {
                position
                    .accesses
                    .push(self.access(position.guard, &mut pool));
            }
            positions.push(position);
        }
        positions
    }

    fn access(&mut self, guard: TermId, pool: &mut Pool) -> Access {
        let cell = CellId::new(self.rng.usize(..self.cells.len()));
        let condition = self.condition(guard, pool);
        let range = self.cells[cell].range.clone();
        if self.rng.u32(..5) < 2 {
            let value = self.number(pool);
            let (clamped, is_in_range) = self.clamped(value, &range);
            return if self.rng.bool() {
                Access::Write {
                    cell,
                    condition,
                    value: clamped,
                }
            } else {
                // The value is out of range where the condition is false.
                let condition = self.terms.and(condition, is_in_range);
                Access::Write {
                    cell,
                    condition,
                    value,
                }
            };
        }
        self.n_reads += 1;
        let name = format!("read {}", self.n_reads);
        let variable = if self.rng.u32(..4) == 0 {
            let sort = Sort::BitVec(self.width);
            self.terms.new_variable(name, sort)
        } else {
            self.terms.new_variable_in(name, range)
        };
        pool.numbers.push(if self.honest {
            let zero = self.terms.constant(self.width, 0);
            self.terms.ite(condition, variable, zero)
        } else {
            variable
        });
        // Recent values are used more often than others.
        if self.rng.bool() {
            let truth = self.truth(pool);
            pool.truths.push(truth);
        }
        Access::Read {
            cell,
            variable,
            condition,
        }
    }

    fn moment(&mut self, pools: &[Vec<Pool>]) -> Moment {
        let thread = self.rng.usize(..pools.len());
        let after = self.rng.usize(..pools[thread].len());
        let after = after.max(self.rng.usize(..pools[thread].len()));
        let pool = &pools[thread][after];
        let (a, b) = (self.truth(pool), self.truth(pool));
        Moment {
            is_within: false,
            thread: ThreadId::new(thread),
            after,
            condition: self.terms.and(a, b),
        }
    }
}

/// A position that does nothing.
fn position(terms: &mut Terms, guard: TermId) -> Position {
    Position {
        guard,
        own: terms.bool(false),
        accesses: Vec::new(),
        requires: Vec::new(),
        joins: Vec::new(),
        uses: Vec::new(),
        waits: Vec::new(),
        strength: Default::default(),
        step: Step {
            place: Place::Start,
            part: 0,
            location: None,
        },
    }
}
