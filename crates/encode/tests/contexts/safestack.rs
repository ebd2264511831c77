//! Vyukov's safestack with three threads, built by hand: how large its formula
//! is, and that it has no bug within a few contexts.

use crate::generator::expect_well_formed;
use cranelift_entity::{EntityRef, PrimaryMap};
use encode::{Asked, ByContexts, Contexts, Encode, Goals};
use formula::{ClauseList, ClauseSink, Range, TermId, Terms};
use unfold::{
    Access, Cell, CellId, Creation, Moment, Place, Position, Step, Thread, ThreadId, Threads,
    Violation,
};

use crate::solver::Solver;

const ITEMS: usize = 3;
const WIDTH: u32 = 32;

struct Builder {
    terms: Terms,
    cells: PrimaryMap<CellId, Cell>,
    violations: Vec<Violation>,
    excluded: Vec<Moment>,
    /// Of the thread that is being built.
    thread: ThreadId,
    positions: Vec<Position>,
    guard: TermId,
}

/// The program with its loops unwound.
pub(crate) fn safestack(unwind: usize) -> Threads {
    let mut terms = Terms::new();
    let guard = terms.bool(true);
    let mut builder = Builder {
        terms,
        cells: PrimaryMap::new(),
        violations: Vec::new(),
        excluded: Vec::new(),
        thread: ThreadId::new(0),
        positions: Vec::new(),
        guard,
    };
    let nexts: Vec<CellId> = (0..ITEMS)
        .map(|item| {
            let next = if item + 1 < ITEMS {
                item as i128 + 1
            } else {
                -1
            };
            builder.cell(next, -1..=2)
        })
        .collect();
    let values: Vec<CellId> = (0..ITEMS).map(|_| builder.cell(0, 0..=2)).collect();
    let head = builder.cell(0, -1..=2);
    let count = builder.cell(ITEMS as i128, -3..=7);
    let mut threads = PrimaryMap::new();
    builder.position();
    threads.push(builder.thread("main", None));
    for id in 0..3 {
        builder.thread = ThreadId::new(id + 1);
        builder.guard = guard;
        for _ in 0..2 {
            builder.iteration(unwind, id as i128, &nexts, &values, head, count);
        }
        let creation = Creation {
            thread: ThreadId::new(0),
            position: 0,
            condition: guard,
        };
        threads.push(builder.thread("worker", Some(creation)));
    }
    let threads = Threads {
        terms: builder.terms,
        threads,
        cells: builder.cells,
        violations: builder.violations,
        excluded: builder.excluded,
        stuck: Vec::new(),
        sightings: Vec::new(),
    };
    expect_well_formed(&threads);
    threads
}

impl Builder {
    fn cell(&mut self, initial: i128, values: std::ops::RangeInclusive<i128>) -> CellId {
        let initial = self.constant(initial);
        self.cells.push(Cell {
            width: WIDTH,
            is_memory: true,
            counts_readers: false,
            initial,
            range: Range::from_signed(WIDTH, values),
            name: String::new(),
        })
    }

    fn constant(&mut self, value: i128) -> TermId {
        self.terms.constant(WIDTH, value.cast_unsigned())
    }

    fn thread(&mut self, name: &str, creation: Option<Creation>) -> Thread {
        Thread {
            name: name.to_owned(),
            creation,
            positions: std::mem::take(&mut self.positions),
            can_end: true,
            skips_before: 0,
            quiet_before: 0,
        }
    }

    fn position(&mut self) {
        self.positions.push(Position {
            guard: self.guard,
            own: self.terms.bool(false),
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
        });
    }

    fn access(&mut self, access: Access) {
        let position = self.positions.last_mut();
        position
            .expect("a position should come first")
            .accesses
            .push(access);
    }

    fn moment(&self, condition: TermId) -> Moment {
        Moment {
            is_within: false,
            thread: self.thread,
            after: self.positions.len(),
            condition,
        }
    }

    fn exclude(&mut self, condition: TermId) {
        let moment = self.moment(condition);
        self.excluded.push(moment);
    }

    fn read(&mut self, cell: CellId, condition: TermId) -> TermId {
        let range = self.cells[cell].range.clone();
        let variable = self.terms.new_variable_in("read", range);
        self.access(Access::Read {
            cell,
            variable,
            condition,
        });
        variable
    }

    fn write(&mut self, cell: CellId, value: TermId, condition: TermId) {
        self.access(Access::Write {
            cell,
            condition,
            value,
        });
    }

    fn is_hit(&mut self, index: TermId, item: usize) -> (TermId, TermId) {
        let item = self.constant(item as i128);
        let hit = self.terms.equal(index, item);
        (hit, self.terms.and(self.guard, hit))
    }

    /// The element at an index; 0 if there is none.
    fn load(&mut self, cells: &[CellId], index: TermId) -> TermId {
        let mut value = self.constant(0);
        for (item, cell) in cells.iter().enumerate() {
            let (hit, condition) = self.is_hit(index, item);
            let here = self.read(*cell, condition);
            value = self.terms.ite(hit, here, value);
        }
        value
    }

    fn store(&mut self, cells: &[CellId], index: TermId, value: TermId) {
        for (item, cell) in cells.iter().enumerate() {
            let (_, condition) = self.is_hit(index, item);
            self.write(*cell, value, condition);
        }
    }

    /// Adds to a cell in one step.
    fn add(&mut self, cell: CellId, amount: i128) {
        self.position();
        let old = self.read(cell, self.guard);
        let amount = self.constant(amount);
        let new = self.terms.add(old, amount);
        self.write(cell, new, self.guard);
    }

    /// Reads a cell and replaces the value if it is the expected one.
    fn compare_exchange(
        &mut self,
        cell: CellId,
        expected: TermId,
        new: TermId,
    ) -> (TermId, TermId) {
        self.position();
        let old = self.read(cell, self.guard);
        let is_same = self.terms.equal(old, expected);
        let condition = self.terms.and(self.guard, is_same);
        self.write(cell, new, condition);
        (old, is_same)
    }

    fn is_negative(&mut self, value: TermId) -> TermId {
        let zero = self.constant(0);
        self.terms.signed_less(value, zero)
    }

    fn without(&mut self, a: TermId, b: TermId) -> TermId {
        let not_b = self.terms.not(b);
        self.terms.and(a, not_b)
    }

    /// Takes an element, marks it, looks at the mark and puts it back.
    fn iteration(
        &mut self,
        unwind: usize,
        id: i128,
        nexts: &[CellId],
        values: &[CellId],
        head: CellId,
        count: CellId,
    ) {
        let base = self.guard;
        let mut element = self.constant(0);
        let mut is_missing = self.terms.bool(true);
        for _ in 0..unwind {
            let active = self.terms.and(base, is_missing);
            let popped = self.pop(unwind, active, nexts, head, count);
            element = self.terms.ite(is_missing, popped, element);
            let failed = self.is_negative(popped);
            is_missing = self.terms.and(is_missing, failed);
        }
        let cut = self.terms.and(base, is_missing);
        self.exclude(cut);
        let base = self.without(base, is_missing);
        self.guard = base;
        let mark = self.constant(id);
        self.position();
        self.store(values, element, mark);
        self.position();
        let seen = self.load(values, element);
        let differs = self.terms.different(seen, mark);
        let violated = self.terms.and(base, differs);
        let violation = self.moment(violated);
        self.violations.push(Violation::of_assertion(violation));
        self.position();
        let mut top = self.read(head, base);
        let mut active = base;
        for _ in 0..unwind {
            self.guard = active;
            self.position();
            self.store(nexts, element, top);
            let (now, is_same) = self.compare_exchange(head, top, element);
            top = self.terms.ite(is_same, top, now);
            active = self.without(active, is_same);
        }
        self.exclude(active);
        self.guard = base;
        self.add(count, 1);
    }

    fn pop(
        &mut self,
        unwind: usize,
        mut active: TermId,
        nexts: &[CellId],
        head: CellId,
        count: CellId,
    ) -> TermId {
        let (one, minus_one) = (self.constant(1), self.constant(-1));
        let mut result = minus_one;
        for _ in 0..unwind {
            self.guard = active;
            self.position();
            let left = self.read(count, active);
            let is_more = self.terms.signed_less(one, left);
            active = self.terms.and(active, is_more);
            self.guard = active;
            self.position();
            let top = self.read(head, active);
            self.position();
            let next = self.load(nexts, top);
            self.store(nexts, top, minus_one);
            let is_taken = self.is_negative(next);
            let took = self.without(active, is_taken);
            self.guard = took;
            let (_, is_same) = self.compare_exchange(head, top, next);
            let success = self.terms.and(took, is_same);
            self.guard = success;
            self.add(count, -1);
            result = self.terms.ite(success, top, result);
            self.guard = self.without(took, is_same);
            self.position();
            self.store(nexts, top, next);
            active = self.without(active, success);
        }
        self.exclude(active);
        result
    }
}

/// Variables of a straightforward program for the same encoding, by contexts,
/// at 4 bits for each cell.
const STRAIGHTFORWARD: [(usize, u32); 2] = [(4, 31575), (5, 38042)];

fn encode(threads: &Threads, contexts: usize, sink: &mut impl ClauseSink) -> Contexts {
    let goals = Goals::default();
    let encoding = ByContexts::default().encode(threads, contexts, goals, sink, &mut || true, None);
    encoding.expect("nobody interrupts")
}

#[test]
fn size() {
    let threads = safestack(3);
    for (contexts, n_variables) in STRAIGHTFORWARD {
        let mut clauses = ClauseList::new();
        let any_violation = encode(&threads, contexts, &mut clauses).any_violation(&mut clauses);
        clauses.add_clause(&[any_violation]);
        assert!(
            clauses.variable_count() * 2 <= n_variables,
            "{} variables for {contexts} contexts",
            clauses.variable_count()
        );
    }
}

#[test]
fn no_bug_within_four_contexts() {
    let threads = safestack(3);
    let mut solver = Solver::default();
    let any_violation = encode(&threads, 4, &mut solver).any_violation(&mut solver);
    assert!(!solver.is_satisfiable(&[any_violation]));
}
