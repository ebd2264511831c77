//! Every strategy says the same as one question about everything, on problems
//! made at random.

mod common;

use common::{Shape, make, search, small};
use fastrand::Rng;
use search::{Options, Outcome, Problem, Slice, Strategy, Tiling};
use std::time::Duration;

fn run(problem: &Problem, strategy: &Strategy, options: &Options) -> Outcome {
    let report = search(problem.clone(), strategy, options, None, &mut |_| true);
    assert_eq!(report.statistics.failures, Vec::<String>::new());
    let share = report.statistics.share;
    assert!((0.0..=1.0).contains(&share), "{strategy:?}: {share}");
    if matches!(report.outcome, Outcome::None) && !matches!(strategy, Strategy::Swarm(_)) {
        assert!(share > 0.999, "{strategy:?}: {share}");
    }
    if let Outcome::Found(model) = &report.outcome {
        let is_true = |literal| model.value(literal) == Some(true);
        assert!(is_true(problem.query), "{strategy:?}");
        assert_eq!(
            problem.clauses.first_violated(is_true),
            None,
            "{strategy:?}"
        );
    }
    report.outcome
}

fn is_found(problem: &Problem) -> bool {
    match run(problem, &Strategy::Whole, &Options::default()) {
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
        let problem = make(&small(&mut rng), &mut rng);
        let expected = is_found(&problem);
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
            let outcome = run(&problem, &strategy, &options);
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

#[test]
fn what_is_incomplete_does_not_contradict() {
    let mut incomplete = 0;
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let problem = make(&small(&mut rng), &mut rng);
        let expected = is_found(&problem);
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
            match run(&problem, &strategy, &Options::default()) {
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
        let problem = make(&small(&mut rng), &mut rng);
        let expected = is_found(&problem);
        let bits = rng.u32(1..5);
        let cut = rng.u64(1..1 << bits);
        let slices = [(0, cut - 1), (cut, (1 << bits) - 1)];
        let found = slices.iter().any(|(from, to)| {
            let (from, to) = (*from, *to);
            let strategy = Strategy::Partition(Slice { bits, from, to });
            let outcome = run(&problem, &strategy, &Options::default());
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
        let problem = make(&shape, &mut rng);
        let expected = is_found(&problem);
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
            let outcome = run(&problem, &strategy, &options);
            assert_eq!(
                matches!(outcome, Outcome::Found(_)),
                expected,
                "seed {seed}, {strategy:?}: {outcome:?}"
            );
        }
    }
}
