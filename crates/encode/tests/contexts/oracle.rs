//! Random programs: the formula agrees with the enumeration of all schedules.

use encode::{Found, NormalForms, Options, encode};
use fastrand::Rng;
use formula::Mode;
use unfold::Check;

use crate::describe::describe;
use crate::generator::{Program, busy_program, program};
use crate::handles;
use crate::simulator::Simulator;
use crate::solver::Solver;

const CONTEXTS: usize = 6;
const ROUNDS: usize = 3;

fn check(program: &Program, options: &Options) -> bool {
    let threads = &program.threads;
    let simulator = Simulator { threads };
    let needed = program
        .inputs
        .iter()
        .filter_map(|inputs| {
            simulator.contexts_needed(inputs, options.round_robin, options.contexts)
        })
        .min();
    let mut solver = Solver::default();
    let encoding = encode(threads, options, &mut solver, &mut || true, None);
    let mut encoding = encoding.expect("nobody interrupts");
    let any_violation = encoding.any_violation(&mut solver);
    let parts = encoding.violation_by_kind(threads, &mut solver);
    for contexts in (0..=options.contexts).rev() {
        let fewer = encoding.unused_from(contexts, &mut solver);
        let is_satisfiable = solver.is_satisfiable(&[any_violation, fewer]);
        let expected = needed.is_some_and(|needed| needed <= contexts);
        assert_eq!(is_satisfiable, expected, "with {contexts} contexts");
        let by_kind = parts.map(|part| solver.is_satisfiable(&[part, fewer]));
        assert_eq!(
            by_kind.contains(&true),
            expected,
            "with {contexts} contexts"
        );
        if solver.is_satisfiable(&[parts[0], fewer]) {
            let model = encoding.model(threads, |literal| solver.value(literal));
            simulator.check(&model);
            let Some(Found::Moment(index)) = model.found else {
                panic!("a violation should be found");
            };
            assert_eq!(threads.violations[index].check, Check::Assert);
        }
        assert_eq!(solver.is_satisfiable(&[any_violation, fewer]), expected);
        if !is_satisfiable {
            break;
        }
        let model = encoding.model(threads, |literal| solver.value(literal));
        simulator.check(&model);
        assert_eq!(model.contexts.len(), options.contexts);
        let mut unused = model.contexts[contexts..].iter();
        assert!(unused.all(|context| context.positions.is_empty()));
        let Some(Found::Moment(index)) = model.found else {
            panic!("a violation should be found");
        };
        let literal = encoding.violation(index, &mut solver);
        assert!(solver.is_satisfiable(&[literal, fewer]));
        let assumptions = [any_violation, fewer];
        handles::check(threads, &mut encoding, &mut solver, &model, &assumptions);
    }
    needed.is_some()
}

fn check_many(seed: u64, count: usize, normal_forms: NormalForms) {
    let mut rng = Rng::with_seed(seed);
    let mut n_violated = 0;
    for index in 0..count {
        let state = rng.get_seed();
        let honest = normal_forms != NormalForms::default() || rng.bool();
        let program = if rng.bool() {
            busy_program(&mut rng)
        } else {
            program(&mut rng, honest)
        };
        let n_threads = program.threads.threads.len();
        let round_robin = rng.u32(..3) == 0;
        let options = Options {
            contexts: if round_robin {
                n_threads * rng.usize(1..=ROUNDS)
            } else {
                rng.usize(1..=CONTEXTS)
            },
            round_robin,
            normal_forms,
            goals: Default::default(),
            formula: formula::Options {
                mode: [Mode::ByPolarity, Mode::Full][rng.usize(..2)],
                narrowing: rng.u32(..4) > 0,
            },
        };
        let found = std::panic::catch_unwind(|| check(&program, &options));
        match found {
            Ok(is_violated) => n_violated += usize::from(is_violated),
            Err(_) => panic!(
                "program {index}, made from seed {state:#x}, with {options:?}\n{}",
                describe(&program.threads)
            ),
        }
    }
    // Neither answer should be rare.
    assert!(
        (count / 5..count * 4 / 5).contains(&n_violated),
        "{n_violated} of {count}"
    );
}

#[test]
fn agrees_with_enumeration() {
    check_many(1, 3000, NormalForms::default());
}

#[test]
fn resume_for_conflict_is_complete() {
    let forms = NormalForms {
        resume_for_conflict: true,
        ordered_neighbours: false,
    };
    check_many(2, 3000, forms);
}

#[test]
fn ordered_neighbours_is_complete() {
    let forms = NormalForms {
        resume_for_conflict: false,
        ordered_neighbours: true,
    };
    check_many(3, 3000, forms);
}

#[test]
fn both_normal_forms_are_complete() {
    let forms = NormalForms {
        resume_for_conflict: true,
        ordered_neighbours: true,
    };
    check_many(4, 3000, forms);
}
