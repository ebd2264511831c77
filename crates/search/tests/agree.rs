//! Every strategy says the same as one question about everything, on problems
//! made at random.

mod common;

use common::{Case, Shape, make, search, small};
use fastrand::Rng;
use search::{Choices, General, Means, Options, Outcome, Slice, Strategy, Tiling, solvers};
use std::time::Duration;

fn run(case: &Case, strategy: &Strategy, options: &Options) -> Outcome {
    let report = search(case.clone(), strategy, options, None, &mut |_| true);
    assert_eq!(report.statistics.failures, Vec::<String>::new());
    let share = report.statistics.share;
    assert!((0.0..=1.0).contains(&share), "{strategy:?}: {share}");
    if matches!(report.outcome, Outcome::None) && !matches!(strategy, Strategy::Swarm(_)) {
        assert!(share > 0.999, "{strategy:?}: {share}");
    }
    if let Outcome::Found(model) = &report.outcome {
        let is_true = |literal| model.value(literal) == Some(true);
        assert!(is_true(case.problem.query), "{strategy:?}");
        assert_eq!(
            case.problem.clauses.first_violated(is_true),
            None,
            "{strategy:?}"
        );
    }
    report.outcome
}

fn is_found(case: &Case) -> bool {
    match run(case, &Strategy::Whole, &Options::default()) {
        Outcome::Found(_) => true,
        Outcome::None => false,
        outcome => panic!("the whole should be answered: {outcome:?}"),
    }
}

fn strategies(rng: &mut Rng) -> Vec<Strategy> {
    let bits = rng.u32(0..6);
    vec![
        Strategy::Partition(Slice::all(bits)),
        Strategy::Cubes,
        Strategy::Lazy,
        Strategy::Widen,
        Strategy::Swarm(Tiling::default()),
        Strategy::Swarm(Tiling {
            tile_size: Some(rng.usize(1..=3)),
            shift: rng.bool(),
            ..Tiling::default()
        }),
    ]
}

#[test]
fn strategies_agree_with_the_whole() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let expected = is_found(&case);
        found += u32::from(expected);
        none += u32::from(!expected);
        for strategy in strategies(&mut rng) {
            let options = Options {
                cores: rng.usize(1..=3),
                seed,
                share_length: rng.usize(0..=8),
                cube_conflicts: rng.u64(0..4),
                patience: Duration::ZERO,
                ..Options::default()
            };
            let outcome = run(&case, &strategy, &options);
            let is_right = match outcome {
                Outcome::Found(_) => expected,
                Outcome::None => !expected,
                _ => false,
            };
            assert!(
                is_right,
                "seed {seed}, {strategy:?}, {options:?}: {outcome:?}"
            );
        }
    }
    // Else this says little.
    assert!(found > 100 && none > 100, "{found} found, {none} not");
}

/// A space that knows nothing of contexts: some literals, in any order.
#[test]
fn cubes_work_in_any_space() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let expected = is_found(&case);
        let threads = case.schedule.threads.iter();
        let rows = threads.flat_map(|thread| &thread.done);
        let mut literals: Vec<_> = rows.flatten().copied().collect();
        rng.shuffle(&mut literals);
        literals.truncate(rng.usize(0..=8));
        let options = Options {
            cores: rng.usize(1..=3),
            cube_conflicts: rng.u64(0..4),
            patience: Duration::ZERO,
            ..Options::default()
        };
        for strategy in [General::Cubes, General::Whole] {
            let factory = solve::Factory::default();
            let make = solvers(&factory, &strategy.into());
            let means = Means {
                make: &make,
                options: &options,
                checkpoint: None,
                watch: &mut |_| true,
            };
            let space = Choices(literals.clone());
            let report = search::search(&case.problem, &space, strategy, means);
            match report.outcome {
                Outcome::Found(model) => {
                    assert!(expected, "seed {seed}, {strategy:?}");
                    let is_true = |literal| model.value(literal) == Some(true);
                    assert!(is_true(case.problem.query));
                    assert_eq!(case.problem.clauses.first_violated(is_true), None);
                    found += 1;
                }
                Outcome::None => {
                    assert!(!expected, "seed {seed}, {strategy:?}");
                    none += 1;
                }
                outcome => panic!("seed {seed}, {strategy:?}: {outcome:?}"),
            }
        }
    }
    assert!(found > 50 && none > 50, "{found} found, {none} not");
}

#[test]
fn what_is_incomplete_does_not_contradict() {
    let mut incomplete = 0;
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let expected = is_found(&case);
        let slice = Slice {
            bits: 3,
            from: rng.u64(0..4),
            to: rng.u64(4..7),
        };
        let tiling = Tiling {
            tile_size: Some(1),
            tiles: Some(rng.usize(0..2)),
            instances: Some(rng.u64(1..4)),
            shift: false,
            instance_time: Some(Duration::from_secs(10)),
        };
        for strategy in [Strategy::Partition(slice), Strategy::Swarm(tiling)] {
            match run(&case, &strategy, &Options::default()) {
                Outcome::Found(_) => assert!(expected, "seed {seed}, {strategy:?}"),
                Outcome::None => assert!(!expected, "seed {seed}, {strategy:?}"),
                Outcome::Incomplete(_) => incomplete += 1,
                outcome => panic!("seed {seed}, {strategy:?}: {outcome:?}"),
            }
        }
    }
    assert!(incomplete > 100, "{incomplete}");
}

#[test]
fn slices_together_are_the_whole() {
    for seed in 0..100 {
        let mut rng = Rng::with_seed(seed);
        let case = make(&small(&mut rng), &mut rng);
        let expected = is_found(&case);
        let bits = rng.u32(1..5);
        let cut = rng.u64(1..1 << bits);
        let slices = [(0, cut - 1), (cut, (1 << bits) - 1)];
        let found = slices.iter().any(|(from, to)| {
            let (from, to) = (*from, *to);
            let strategy = Strategy::Partition(Slice { bits, from, to });
            let outcome = run(&case, &strategy, &Options::default());
            matches!(outcome, Outcome::Found(_))
        });
        assert_eq!(found, expected, "seed {seed}, {bits} bits, cut at {cut}");
    }
}

/// Larger ones, so that cubes are split and cores ask each other for parts.
#[test]
fn cores_share_what_is_hard() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            contexts: 9,
            is_round_robin: false,
            lengths: vec![6, 9, 9, 9],
            wishes: 40,
        };
        let case = make(&shape, &mut rng);
        let expected = is_found(&case);
        for strategy in [
            Strategy::Cubes,
            Strategy::Partition(Slice::all(4)),
            Strategy::Widen,
            Strategy::Swarm(Tiling::default()),
        ] {
            let options = Options {
                cores: 3,
                cube_conflicts: 20,
                ..Options::default()
            };
            let outcome = run(&case, &strategy, &options);
            assert_eq!(
                matches!(outcome, Outcome::Found(_)),
                expected,
                "seed {seed}, {strategy:?}: {outcome:?}"
            );
        }
    }
}
