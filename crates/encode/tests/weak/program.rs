//! Small programs: threads of accesses to two cells, with orders, fences and a lock.

use cranelift_entity::{EntityRef, PrimaryMap};
use fastrand::Rng;
use formula::{Range, TermId, Terms};
use std::fmt;
use unfold::{
    Access, Cell, CellId, Creation, Moment, Ordering, Place, Position, SpotId, Step, Strength,
    Thread, ThreadId, Threads, Use, Violation,
};

/// Values have so many bits.
const WIDTH: u32 = 2;
pub(crate) const CELLS: usize = 2;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Constant(u8),
    /// What the thread has read last; zero if nothing.
    Last,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Load(usize, Option<Ordering>),
    Store(usize, Value, Option<Ordering>),
    Add(usize, u8, Ordering),
    /// Cell, expected, new; order of success and of failure.
    Exchange(usize, u8, u8, Ordering, Ordering),
    Fence(Ordering),
    Lock,
    Unlock,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub op: Op,
    /// Only if what was read last is not zero.
    pub is_guarded: bool,
}

/// By thread.
#[derive(Clone, Debug)]
pub(crate) struct Program(pub Vec<Vec<Command>>);

/// By thread and number of the command: what was read. Whatever does not happen is
/// missing.
pub(crate) type Outcome = Vec<((usize, usize), u8)>;

impl Program {
    pub(crate) fn random(rng: &mut Rng) -> Program {
        let count = rng.usize(2..=3);
        let has_lock = rng.u32(..4) == 0;
        let most = if count == 2 { 4 } else { 3 };
        let threads = (0..count).map(|_| {
            let mut commands: Vec<Command> =
                (0..rng.usize(1..=most)).map(|_| command(rng)).collect();
            if has_lock && commands.len() < most {
                let plain = |op| Command {
                    op,
                    is_guarded: false,
                };
                let from = rng.usize(..=commands.len());
                let to = rng.usize(from..=commands.len());
                commands.insert(to, plain(Op::Unlock));
                commands.insert(from, plain(Op::Lock));
            }
            commands
        });
        Program(threads.collect())
    }

    /// The same as unfolded threads, with an outcome as a violation each. Main creates all
    /// others and waits for them.
    pub(crate) fn threads(&self, outcomes: &[Outcome]) -> Threads {
        let mut builder = Builder::new();
        let mut threads = PrimaryMap::new();
        let always = builder.terms.bool(true);
        let mut main: Vec<Position> = (self.0.iter())
            .map(|_| Position {
                strength: synchronising(),
                ..builder.position(always)
            })
            .collect();
        let joins = (1..=self.0.len()).map(|number| (always, ThreadId::new(number)));
        main.push(Position {
            joins: joins.collect(),
            strength: synchronising(),
            ..builder.position(always)
        });
        let length = main.len();
        threads.push(thread(main, None));
        let mut reads: Vec<Vec<Option<TermId>>> = Vec::new();
        for (index, commands) in self.0.iter().enumerate() {
            let (positions, read) = builder.code(commands);
            reads.push(read);
            let creation = Creation {
                thread: ThreadId::new(0),
                position: index,
                condition: always,
            };
            threads.push(thread(positions, Some(creation)));
        }
        let violations = outcomes.iter().map(|outcome| {
            let parts: Vec<TermId> = (outcome.iter())
                .map(|((thread, command), value)| {
                    let read = reads[*thread][*command].expect("it should be a read");
                    let value = builder.terms.constant(WIDTH, u128::from(*value));
                    builder.terms.equal(read, value)
                })
                .collect();
            Violation::of_assertion(Moment {
                is_within: false,
                thread: ThreadId::new(0),
                after: length,
                condition: builder.terms.all(&parts),
            })
        });
        let violations = violations.collect();
        Threads {
            terms: builder.terms,
            threads,
            cells: builder.cells,
            violations,
            excluded: Vec::new(),
            stuck: Vec::new(),
            sightings: Vec::new(),
        }
    }
}

fn command(rng: &mut Rng) -> Command {
    use Ordering::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    let cell = rng.usize(..CELLS);
    let all = [
        Relaxed,
        Acquire,
        Release,
        AcquireRelease,
        SequentiallyConsistent,
    ];
    let load = [
        None,
        Some(Relaxed),
        Some(Acquire),
        Some(SequentiallyConsistent),
    ];
    let store = [
        None,
        Some(Relaxed),
        Some(Release),
        Some(SequentiallyConsistent),
    ];
    let value = match rng.u32(..4) {
        0 => Value::Last,
        _ => Value::Constant(rng.u8(1..3)),
    };
    let op = match rng.u32(..20) {
        0..8 => Op::Load(cell, load[rng.usize(..4)]),
        8..14 => Op::Store(cell, value, store[rng.usize(..4)]),
        14 | 15 => Op::Add(cell, 1, all[rng.usize(..5)]),
        16 => {
            let failure = [Relaxed, Acquire, SequentiallyConsistent][rng.usize(..3)];
            let expected = rng.u8(..2);
            Op::Exchange(cell, expected, rng.u8(1..3), all[rng.usize(..5)], failure)
        }
        _ => Op::Fence(all[rng.usize(1..5)]),
    };
    Command {
        op,
        is_guarded: rng.u32(..4) == 0,
    }
}

fn synchronising() -> Strength {
    Strength {
        is_sync: true,
        ..Strength::default()
    }
}

fn thread(positions: Vec<Position>, creation: Option<Creation>) -> Thread {
    Thread {
        name: String::new(),
        creation,
        positions,
        can_end: true,
        quiet_before: 0,
        skips_before: 0,
    }
}

struct Builder {
    terms: Terms,
    cells: PrimaryMap<CellId, Cell>,
}

impl Builder {
    fn new() -> Builder {
        let mut terms = Terms::new();
        let mut cells = PrimaryMap::new();
        // The last one is who holds the lock.
        for number in 0..=CELLS {
            cells.push(Cell {
                width: WIDTH,
                is_memory: number < CELLS,
                counts_readers: false,
                initial: terms.constant(WIDTH, 0),
                range: Range::full(WIDTH),
                name: String::new(),
            });
        }
        Builder { terms, cells }
    }

    fn position(&mut self, guard: TermId) -> Position {
        Position {
            guard,
            own: self.terms.bool(false),
            accesses: Vec::new(),
            requires: Vec::new(),
            joins: Vec::new(),
            uses: Vec::new(),
            waits: Vec::new(),
            strength: Strength::default(),
            step: Step {
                place: Place::Start,
                part: 0,
                location: None,
            },
        }
    }

    /// The positions of a thread, and what its commands read.
    fn code(&mut self, commands: &[Command]) -> (Vec<Position>, Vec<Option<TermId>>) {
        let (mut positions, mut reads) = (Vec::new(), Vec::new());
        let always = self.terms.bool(true);
        let zero = self.terms.constant(WIDTH, 0);
        let mut last = zero;
        for command in commands {
            let guard = match command.is_guarded {
                true => self.terms.is_nonzero(last),
                false => always,
            };
            let mut position = self.position(guard);
            let read = self.terms.new_variable_in("read", Range::full(WIDTH));
            let mut has_read = false;
            let mut load = |position: &mut Position, cell: usize| {
                has_read = true;
                position.accesses.push(Access::Read {
                    cell: CellId::new(cell),
                    variable: read,
                    condition: guard,
                });
            };
            let usage = |cell: usize, is_write, is_atomic| Use {
                spot: SpotId::from_u32(cell as u32),
                condition: guard,
                is_write,
                is_atomic,
                is_foreseen: true,
            };
            let strength = &mut position.strength;
            match command.op {
                Op::Load(cell, order) => {
                    strength.order = order;
                    load(&mut position, cell);
                    position.uses.push(usage(cell, false, order.is_some()));
                }
                Op::Store(cell, value, order) => {
                    strength.order = order;
                    let value = match value {
                        Value::Constant(value) => self.terms.constant(WIDTH, u128::from(value)),
                        Value::Last => last,
                    };
                    position.accesses.push(Access::Write {
                        cell: CellId::new(cell),
                        condition: guard,
                        value,
                    });
                    position.uses.push(usage(cell, true, order.is_some()));
                }
                Op::Add(cell, more, order) => {
                    strength.order = Some(order);
                    load(&mut position, cell);
                    let more = self.terms.constant(WIDTH, u128::from(more));
                    let value = self.terms.add(read, more);
                    position.accesses.push(Access::Write {
                        cell: CellId::new(cell),
                        condition: guard,
                        value,
                    });
                    position.uses.push(usage(cell, true, true));
                }
                Op::Exchange(cell, expected, new, success, failure) => {
                    strength.order = Some(success);
                    strength.if_it_fails = Some(failure);
                    load(&mut position, cell);
                    let expected = self.terms.constant(WIDTH, u128::from(expected));
                    let succeeds = self.terms.equal(read, expected);
                    let condition = self.terms.and(guard, succeeds);
                    let value = self.terms.constant(WIDTH, u128::from(new));
                    position.accesses.push(Access::Write {
                        cell: CellId::new(cell),
                        condition,
                        value,
                    });
                    position.uses.push(usage(cell, false, true));
                    position.uses.push(Use {
                        condition,
                        ..usage(cell, true, true)
                    });
                }
                Op::Fence(order) => strength.fence = Some(order),
                Op::Lock | Op::Unlock => {
                    let is_lock = matches!(command.op, Op::Lock);
                    *strength = synchronising();
                    match is_lock {
                        true => strength.acquires = Some(guard),
                        false => strength.releases = Some(guard),
                    }
                    let cell = CellId::new(CELLS);
                    position.accesses.push(Access::Read {
                        cell,
                        variable: read,
                        condition: guard,
                    });
                    let is_free = self.terms.equal(read, zero);
                    if is_lock {
                        position.requires.push(is_free);
                    }
                    let value = self.terms.constant(WIDTH, u128::from(is_lock));
                    position.accesses.push(Access::Write {
                        cell,
                        condition: guard,
                        value,
                    });
                }
            }
            if has_read {
                last = self.terms.ite(guard, read, last);
            }
            reads.push(has_read.then_some(read));
            positions.push(position);
        }
        positions.push(Position {
            strength: synchronising(),
            ..self.position(always)
        });
        (positions, reads)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (index, commands) in self.0.iter().enumerate() {
            writeln!(f, "thread {index}")?;
            for command in commands {
                let guard = if command.is_guarded { "if last: " } else { "" };
                writeln!(f, "  {guard}{:?}", command.op)?;
            }
        }
        Ok(())
    }
}
