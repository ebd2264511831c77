//! Bounds of the explorer cut where they say, and are named when they did.
//!
//! How many schedules there are within bounds is counted in `explore`; here are
//! bounds on single loops, and which bounds are told.

use analysis::Loops;
use ir::{BlockId, FunctionId, Program};
use replay::{Bounds, Checks, Config, Cut, Exploration, Limit, Mode, Property};
use std::collections::BTreeMap;
use tests::{clang, run};

fn load(text: &str) -> Program {
    let folder = tempfile::tempdir().expect("should make a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, text).expect("should write");
    clang::default().load(&file, &[]).expect("should load")
}

/// Explores with and without recognising states, which must agree.
fn explore(program: &Program, config: &Config, bounds: &Bounds) -> Exploration {
    let image = run::image(program, config).expect("should fit");
    let explore = |merge| {
        let mode = Mode {
            find_all: true,
            merge,
        };
        let mut asked = 0;
        replay::explore(&image, config, 0, bounds, mode, &mut |_| {
            asked += 1;
            asked < 10_000
        })
    };
    let merged = explore(true);
    assert_eq!(merged.interrupted, None);
    // Without recognising states, what is endless goes on for ever.
    if !merged.is_endless {
        let unmerged = explore(false);
        assert_eq!(merged.count, unmerged.count);
        assert_eq!(merged.limits, unmerged.limits);
    }
    merged
}

/// The header of the only loop that is found at a line.
fn header(program: &Program, line: u32) -> (FunctionId, BlockId) {
    let mut found = Vec::new();
    for (function, data) in program.functions.iter() {
        let Some(body) = &data.body else {
            continue;
        };
        let loops = Loops::of(body);
        for block in body.blocks.keys() {
            let location = loops
                .loop_with_header(block)
                .and_then(|id| loops.location(id));
            if location.is_some_and(|location| location.line == line) {
                found.push((function, block));
            }
        }
    }
    assert_eq!(found.len(), 1, "loops at line {line}");
    found[0]
}

/// The line of the only loop that was cut; none if nothing was.
fn cut_line(exploration: &Exploration) -> Option<u32> {
    let limits: Vec<&Limit> = exploration.limits.iter().collect();
    match limits[..] {
        [] => None,
        [Limit::Run(Cut::Loop { place, .. })] => {
            let (_, line) = place.rsplit_once(':').expect("should have a line");
            Some(line.parse().expect("should be a number"))
        }
        _ => panic!("{limits:?}"),
    }
}

const LOOPS: &str = "int x, y;
static void both(void) {
    for (int i = 0; i < 3; i++)
        x++;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 5; j++)
            y++;
}
int main(void) {
    both();
    both();
    return 0;
}
";

#[test]
fn single_loops_have_bounds_of_their_own() {
    // The headers are reached 4, 3 and 6 times each time the loop is entered.
    const FIRST: u32 = 3;
    const OUTER: u32 = 5;
    const INNER: u32 = 6;
    let program = load(LOOPS);
    let check = |unwind: Option<u32>, single: &[(u32, u32)], expected: Option<u32>| {
        let single = single.iter();
        let config = Config {
            unwind,
            unwind_loops: single
                .map(|(line, bound)| (header(&program, *line), *bound))
                .collect(),
            ..Config::default()
        };
        let exploration = explore(&program, &config, &Bounds::default());
        assert_eq!(cut_line(&exploration), expected);
        assert_eq!(exploration.count.cut, u128::from(expected.is_some()));
    };
    check(None, &[], None);
    check(Some(6), &[], None);
    check(Some(5), &[], Some(INNER));
    check(Some(2), &[], Some(FIRST));
    // Both ways: more than the others, or less.
    check(Some(5), &[(INNER, 6)], None);
    check(Some(2), &[(FIRST, 4)], Some(INNER));
    check(Some(2), &[(FIRST, 4), (INNER, 6)], Some(OUTER));
    check(Some(2), &[(FIRST, 4), (OUTER, 3)], Some(INNER));
    check(Some(2), &[(FIRST, 4), (OUTER, 3), (INNER, 6)], None);
    check(Some(6), &[(FIRST, 3)], Some(FIRST));
    check(Some(6), &[(OUTER, 2)], Some(OUTER));
    // Without a bound for all.
    check(None, &[(INNER, 6)], None);
    check(None, &[(INNER, 5)], Some(INNER));
    check(None, &[(FIRST, 1), (INNER, 1)], Some(FIRST));
    // And without one for some.
    let none = u32::MAX;
    check(
        Some(1),
        &[(FIRST, none), (OUTER, none), (INNER, none)],
        None,
    );
    check(Some(1), &[(FIRST, none), (OUTER, none)], Some(INNER));
}

#[test]
fn a_bound_on_one_loop_leaves_the_schedules_of_others() {
    let text = "#include <pthread.h>
int x, y;
static void *worker(void *arg) {
    for (int i = 0; i < 3; i++)
        x++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    for (int i = 0; i < 3; i++)
        y++;
    return 0;
}
";
    let program = load(text);
    let count = |unwind_loops: BTreeMap<(FunctionId, BlockId), u32>| {
        let config = Config {
            checks: Checks::NONE,
            unwind: Some(2),
            unwind_loops,
            ..Config::default()
        };
        let exploration = explore(&program, &config, &Bounds::default());
        let count = exploration.count;
        (count.schedules, count.cut)
    };
    let choose = |n: u128, k: u128| (1..=k).fold(1, |product, i| product * (n - k + i) / i);
    let (worker, main) = (header(&program, 4), header(&program, 11));
    // Each thread is cut by its fourth step: the last one in is either thread's,
    // with none to three steps of the other one before it.
    let both: u128 = (0..4).map(|others| 2 * choose(3 + others, others)).sum();
    assert_eq!(count(BTreeMap::new()), (both, both));
    // The worker runs to its end, 7 steps. A schedule is cut at main's fourth step,
    // with none to all seven before it.
    let free = BTreeMap::from([(worker, 4)]);
    let mains: u128 = (0..8).map(|others| choose(3 + others, others)).sum();
    assert_eq!(count(free), (mains, mains));
    // Main ends the process with its seventh step; it is cut if the worker gets
    // to its fourth before that.
    let free = BTreeMap::from([(main, 4)]);
    let ended: u128 = (0..4).map(|others| choose(6 + others, others)).sum();
    let cut: u128 = (0..7).map(|others| choose(3 + others, others)).sum();
    assert_eq!(count(free), (ended + cut, cut));
}

#[test]
fn a_loop_without_bound_can_be_endless() {
    let text = "#include <pthread.h>
_Atomic int flag;
static void *worker(void *arg) {
    flag = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    while (!flag)
        ;
    return 0;
}
";
    let program = load(text);
    let spin = header(&program, 10);
    let explore_with = |bound| {
        let config = Config {
            unwind: Some(1),
            unwind_loops: BTreeMap::from([(spin, bound)]),
            ..Config::default()
        };
        explore(&program, &config, &Bounds::default())
    };
    // Counted, every iteration is a new state.
    let counted = explore_with(3);
    assert!(!counted.is_endless);
    assert_eq!(cut_line(&counted), Some(10));
    let endless = explore_with(u32::MAX);
    assert!(endless.is_endless);
    assert_eq!(cut_line(&endless), None);
}

#[test]
fn bounds_that_cut_are_told() {
    let text = "#include <pthread.h>
_Atomic int x;
static void *worker(void *arg) {
    x = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
";
    let program = load(text);
    let limits = |contexts, rounds| {
        let bounds = Bounds {
            contexts,
            rounds,
            ..Bounds::default()
        };
        let config = Config {
            checks: Checks::NONE.with(Property::Assert),
            ..Config::default()
        };
        let exploration = explore(&program, &config, &bounds);
        exploration.limits.into_iter().collect::<Vec<Limit>>()
    };
    // Main, worker, main: three contexts in two rounds.
    assert_eq!(limits(None, None), []);
    assert_eq!(limits(Some(3), Some(2)), []);
    assert_eq!(limits(Some(2), None), [Limit::Contexts(2)]);
    assert_eq!(limits(None, Some(1)), [Limit::Rounds(1)]);
    assert_eq!(limits(Some(3), Some(1)), [Limit::Rounds(1)]);
    assert_eq!(limits(Some(2), Some(2)), [Limit::Contexts(2)]);
}
