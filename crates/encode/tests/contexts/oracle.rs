//! Random programs: the formula agrees with the enumeration of all runs, whatever the
//! encoding. What an encoding has to say about itself for that is a [`Subject`].

use encode::{Asked, Encode, Encoding, Found, Goals};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use unfold::Check;

use crate::describe::describe;
use crate::generator::{Program, busy_program, program};
use crate::simulator::Simulator;
use crate::solver::Solver;

/// An encoding that is compared.
pub(crate) trait Subject: Encode + Debug + Sized {
    /// How to encode a program, and a bound; `None` if it is not for such programs.
    fn choose(&self, program: &Program, rng: &mut Rng) -> Option<(Self, usize)>;

    /// Whether accesses of untaken branches may look as if they happened.
    fn takes_dishonest(&self) -> bool {
        true
    }

    /// The least bound within which something is violated, of those up to a limit.
    fn needed(
        &self,
        simulator: &Simulator,
        inputs: &BTreeMap<u32, u128>,
        limit: usize,
    ) -> Option<usize>;

    /// What else holds of its formulas.
    fn check_further(&self, _program: &Program, _bound: usize) {}
}

fn check<S: Subject>(subject: &S, program: &Program, bound: usize) -> bool {
    let threads = &program.threads;
    let simulator = Simulator { threads };
    let needed = (program.inputs.iter())
        .filter_map(|inputs| subject.needed(&simulator, inputs, bound))
        .min();
    let mut solver = Solver::default();
    let goals = Goals::default();
    let encoding = subject.encode(threads, bound, goals, &mut solver, &mut || true, None);
    let mut encoding = encoding.expect("nobody interrupts");
    let any_violation = encoding.any_violation(&mut solver);
    let parts = encoding.violation_by_kind(threads, &mut solver);
    let moments: Vec<_> = (threads.violations.iter())
        .map(|violation| violation.moment)
        .collect();
    let any_moment = encoding.any_moment(threads, &moments, &mut solver);
    let most = subject.covering(threads);
    for smaller in (0..=bound).rev() {
        let within = encoding.within(smaller, &mut solver);
        assert!(within.is_some() || smaller == bound || smaller as u64 >= most);
        let asked = |literal| -> Vec<_> { within.into_iter().chain([literal]).collect() };
        solver.keep_order_of(&encoding);
        let is_satisfiable = solver.is_satisfiable(&asked(any_violation));
        let expected = needed.is_some_and(|needed| needed <= smaller);
        assert_eq!(is_satisfiable, expected, "within {smaller}");
        let by_kind = parts.map(|part| solver.is_satisfiable(&asked(part)));
        assert_eq!(by_kind.contains(&true), expected, "within {smaller}");
        assert_eq!(solver.is_satisfiable(&asked(any_moment)), expected);
        if solver.is_satisfiable(&asked(parts[0])) {
            let model = encoding.model(threads, &|literal| solver.value(literal));
            simulator.check(&model);
            let Some(Found::Moment(index)) = model.found else {
                panic!("a violation should be found");
            };
            assert_eq!(threads.violations[index].check, Check::Assert);
        }
        assert_eq!(solver.is_satisfiable(&asked(any_violation)), expected);
        if !is_satisfiable {
            break;
        }
        let model = encoding.model(threads, &|literal| solver.value(literal));
        simulator.check(&model);
        let Some(Found::Moment(index)) = model.found else {
            panic!("a violation should be found");
        };
        let literal = encoding.violation(index, &mut solver);
        solver.keep_order_of(&encoding);
        assert!(solver.is_satisfiable(&asked(literal)));
        check_choices(&mut encoding, program, &asked(any_violation), &mut solver);
    }
    check_forbidding(&mut encoding, program, &mut solver);
    subject.check_further(program, bound);
    needed.is_some()
}

/// The literals to split on say which order it is: all of them together leave one.
fn check_choices(
    encoding: &mut impl Encoding,
    program: &Program,
    asked: &[formula::Literal],
    solver: &mut Solver,
) {
    let threads = &program.threads;
    let choices = encoding.choices(threads, solver);
    solver.keep_order_of(encoding);
    assert!(solver.is_satisfiable(asked));
    let model = encoding.model(threads, &|literal| solver.value(literal));
    let mut assumptions = asked.to_vec();
    for choice in choices {
        let is_true = solver.value(choice) == Some(true);
        assumptions.push(if is_true { choice } else { !choice });
    }
    assert!(solver.is_satisfiable(&assumptions));
    let again = encoding.model(threads, &|literal| solver.value(literal));
    assert_eq!(again.stretches, model.stretches);
}

/// What is forbidden is not found again, until there is nothing left.
fn check_forbidding(encoding: &mut impl Encoding, program: &Program, solver: &mut Solver) {
    let threads = &program.threads;
    let mut found = Vec::new();
    loop {
        let any_violation = encoding.any_violation(solver);
        solver.keep_order_of(encoding);
        if !solver.is_satisfiable(&[any_violation]) {
            break;
        }
        let model = encoding.model(threads, &|literal| solver.value(literal));
        let site = model.site(threads).expect("a violation should be found");
        assert!(!found.contains(&site), "{site:?} was forbidden");
        encoding.forbid(threads, &site, solver);
        found.push(site);
    }
}

/// Compares an encoding with enumeration on so many programs.
pub(crate) fn check_many<S: Subject>(seed: u64, count: usize, subject: &S) {
    let mut rng = Rng::with_seed(seed);
    let (mut n_violated, mut index) = (0, 0);
    while index < count {
        let state = rng.get_seed();
        let honest = !subject.takes_dishonest() || rng.bool();
        let program = if rng.bool() {
            busy_program(&mut rng)
        } else {
            program(&mut rng, honest)
        };
        let Some((subject, bound)) = subject.choose(&program, &mut rng) else {
            continue;
        };
        index += 1;
        let found = catch_unwind(AssertUnwindSafe(|| check(&subject, &program, bound)));
        match found {
            Ok(is_violated) => n_violated += usize::from(is_violated),
            Err(_) => panic!(
                "program {index}, made from seed {state:#x}, with {subject:?} up to {bound}\n{}",
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
