//! Each rule is shown broken: threads that are well formed, with one thing wrong.

use super::*;
use crate::threads::{Cell, Creation, Step, Wait};
use cranelift_entity::PrimaryMap;
use formula::{Range, Terms};

const WORKER: usize = 1;

fn position(terms: &mut Terms, place: Place) -> Position {
    Position {
        guard: terms.bool(true),
        own: terms.bool(false),
        accesses: Vec::new(),
        requires: Vec::new(),
        joins: Vec::new(),
        uses: Vec::new(),
        waits: Vec::new(),
        strength: Default::default(),
        step: Step {
            place,
            part: 0,
            location: None,
        },
    }
}

/// A thread with these accesses, one in each step, and an end.
fn thread(
    terms: &mut Terms,
    name: &str,
    creation: Option<Creation>,
    accesses: &[Access],
) -> Thread {
    let mut positions: Vec<_> = (accesses.iter())
        .map(|access| Position {
            accesses: vec![*access],
            ..position(terms, Place::Start)
        })
        .collect();
    positions.push(position(terms, Place::End));
    Thread {
        name: name.to_owned(),
        creation,
        positions,
        can_end: true,
        quiet_before: 0,
        skips_before: 0,
    }
}

/// Main looks at a cell and creates a worker, which adds 1 to it; main joins the
/// worker and looks again.
fn sample() -> Threads {
    let mut terms = Terms::new();
    let always = terms.bool(true);
    let [early, late, seen] =
        ["early", "late", "seen"].map(|name| terms.new_variable(name, Sort::BitVec(8)));
    let (zero, one) = (terms.constant(8, 0), terms.constant(8, 1));
    let sum = terms.add(seen, one);
    let is_one = terms.equal(late, one);
    let mut cells = PrimaryMap::new();
    let cell = cells.push(Cell {
        width: 8,
        is_memory: true,
        counts_readers: false,
        initial: zero,
        range: Range::full(8),
        name: "x".to_owned(),
    });
    let read = |variable| Access::Read {
        cell,
        variable,
        condition: always,
    };
    let write = Access::Write {
        cell,
        condition: always,
        value: sum,
    };
    let creation = Creation {
        thread: ThreadId::FIRST,
        position: 0,
        condition: always,
    };
    let mut main = thread(&mut terms, "main", None, &[read(early), read(late)]);
    main.positions[1].joins = vec![(always, ThreadId::new(WORKER))];
    let worker = thread(&mut terms, "worker", Some(creation), &[read(seen), write]);
    Threads {
        terms,
        threads: [main, worker].into_iter().collect(),
        cells,
        violations: Vec::new(),
        excluded: vec![Moment {
            is_within: false,
            thread: ThreadId::FIRST,
            after: 2,
            condition: is_one,
        }],
        stuck: Vec::new(),
        sightings: Vec::new(),
    }
}

/// The rules that the sample breaks after a change, each once.
fn broken(change: impl FnOnce(&mut Threads)) -> Vec<Rule> {
    let mut threads = sample();
    change(&mut threads);
    // Threads that are broken can still be printed.
    assert!(threads.text(None).to_string().contains("thread0"));
    let mut rules = Vec::new();
    for error in verify(&threads).err().unwrap_or_default() {
        if !rules.contains(&error.rule) {
            rules.push(error.rule);
        }
    }
    rules
}

fn main_of(threads: &mut Threads) -> &mut Thread {
    &mut threads.threads[ThreadId::FIRST]
}

fn worker_of(threads: &mut Threads) -> &mut Thread {
    &mut threads.threads[ThreadId::new(WORKER)]
}

#[test]
fn the_sample_is_well_formed() {
    assert_eq!(verify(&sample()), Ok(()));
}

#[test]
fn the_sample_as_text() {
    let expected = "\
cells
  cell0 x: i8 = 0i8
thread0 main, can end
  0 start if true
    read cell0 (x) as early#0 if true
  1 start if true
    read cell0 (x) as late#1 if true
    joins thread1 if true
  2 end if true
thread1 worker, made by thread0 at 0 if true, can end
  0 start if true
    read cell0 (x) as seen#2 if true
  1 start if true
    write cell0 (x) := add(seen#2, 1i8) if true
  2 end if true
excluded, thread0 after 2 if equal(late#1, 1i8)
";
    assert_eq!(sample().text(None).to_string(), expected);
}

#[test]
fn ids_must_exist() {
    let missing = TermId::new(1000);
    let thread = ThreadId::new(7);
    let rules = [
        broken(|it| main_of(it).positions[0].guard = missing),
        broken(|it| it.excluded[0].condition = missing),
        broken(|it| it.excluded[0].thread = thread),
        broken(|it| it.cells.clear()),
        broken(|it| main_of(it).positions[1].joins[0].1 = thread),
        broken(|it| {
            let wait = Wait {
                until: main_of(it).positions[0].guard,
                holders: vec![(main_of(it).positions[0].guard, thread)],
            };
            main_of(it).positions[0].waits.push(wait);
        }),
    ];
    for rule in rules {
        assert_eq!(rule, [Rule::Ids]);
    }
}

#[test]
fn cells_have_one_width() {
    let rules = broken(|it| it.cells[CellId::new(0)].range = Range::full(9));
    assert_eq!(rules, [Rule::Cells]);
    let rules = broken(|it| {
        it.cells[CellId::new(0)].initial = it.terms.constant(9, 0);
    });
    assert_eq!(rules, [Rule::Cells]);
}

#[test]
fn conditions_are_boolean() {
    let number = |it: &mut Threads| it.terms.constant(8, 1);
    let rules = [
        broken(|it| main_of(it).positions[0].guard = number(it)),
        broken(|it| main_of(it).positions[0].own = number(it)),
        broken(|it| {
            let number = number(it);
            main_of(it).positions[0].requires.push(number);
        }),
        broken(|it| main_of(it).positions[1].joins[0].0 = number(it)),
        broken(|it| it.excluded[0].condition = number(it)),
        broken(|it| {
            let number = number(it);
            let creation = worker_of(it).creation.as_mut();
            creation.expect("a creation").condition = number;
        }),
    ];
    for rule in rules {
        assert_eq!(rule, [Rule::Conditions]);
    }
}

#[test]
fn accesses_have_the_width_of_their_cell() {
    let rules = broken(|it| {
        let wide = it.terms.constant(9, 0);
        let Access::Write { value, .. } = &mut worker_of(it).positions[1].accesses[0] else {
            panic!("a write");
        };
        *value = wide;
    });
    assert_eq!(rules, [Rule::Accesses]);
}

#[test]
fn a_read_introduces_a_variable_of_its_own() {
    let rules = broken(|it| {
        let same = worker_of(it).positions[0].accesses[0];
        worker_of(it).positions[0].accesses.push(same);
    });
    assert_eq!(rules, [Rule::Accesses]);
    let rules = broken(|it| {
        let seen = it.terms.new_variable("other", Sort::BitVec(8));
        let negated = it.terms.bit_not(seen);
        let Access::Read { variable, .. } = &mut main_of(it).positions[0].accesses[0] else {
            panic!("a read");
        };
        *variable = negated;
    });
    assert_eq!(rules, [Rule::Accesses]);
}

#[test]
fn nobody_knows_what_is_read_later() {
    // The condition of the moment is about what the second position reads.
    let rules = broken(|it| main_of(it).positions[0].guard = it.excluded[0].condition);
    assert_eq!(rules, [Rule::Order]);
    // The worker was created before.
    let rules = broken(|it| worker_of(it).positions[0].guard = it.excluded[0].condition);
    assert_eq!(rules, [Rule::Order]);
}

#[test]
fn creators_know_nothing_of_what_the_created_read() {
    let rules = broken(|it| {
        let Access::Read { variable, .. } = worker_of(it).positions[0].accesses[0] else {
            panic!("a read");
        };
        let guard = it.terms.is_nonzero(variable);
        main_of(it).positions[2].guard = guard;
    });
    assert_eq!(rules, [Rule::Order]);
}

#[test]
fn threads_are_created_by_those_before_them() {
    let creation = |it: &mut Threads, change: fn(&mut Creation)| {
        change(worker_of(it).creation.as_mut().expect("a creation"));
    };
    let rules = [
        broken(|it| worker_of(it).creation = None),
        broken(|it| creation(it, |one| one.thread = ThreadId::new(WORKER))),
        broken(|it| creation(it, |one| one.position = 9)),
        broken(|it| {
            it.excluded.clear();
            main_of(it).positions.swap(1, 2);
        }),
    ];
    for rule in rules {
        assert_eq!(rule, [Rule::Threads]);
    }
}

#[test]
fn moments_are_between_positions() {
    let rules = broken(|it| it.excluded[0].after = 4);
    assert_eq!(rules, [Rule::Moments]);
    let rules = broken(|it| {
        it.excluded[0].condition = it.terms.bool(true);
        it.excluded[0].after = 0;
        it.excluded[0].is_within = true;
    });
    assert_eq!(rules, [Rule::Moments]);
}

#[test]
fn no_more_positions_are_quiet_than_there_are() {
    assert_eq!(broken(|it| main_of(it).quiet_before = 4), [Rule::Turns]);
    assert_eq!(broken(|it| main_of(it).skips_before = 4), [Rule::Turns]);
}
