//! What the literals of a schedule mean: assumed together they give the
//! schedule that they describe, and none of them can be otherwise.

use cranelift_entity::EntityRef;
use encode::{Contexts, Encoding, Model, Stretch};
use formula::Literal;
use unfold::{ThreadId, Threads};

use crate::solver::Solver;

/// Asks for the schedule of a model that was found under some assumptions.
pub(crate) fn check(
    threads: &Threads,
    encoding: &mut Contexts,
    solver: &mut Solver,
    model: &Model,
    assumptions: &[Literal],
) {
    let passed_in = |thread: ThreadId, position: usize| {
        let passes =
            |stretch: &Stretch| stretch.thread == thread && stretch.positions.contains(&position);
        model.stretches.iter().position(passes)
    };
    let mut schedule = assumptions.to_vec();
    let mut stays = Vec::new();
    for (index, context) in model.stretches.iter().enumerate() {
        schedule.push(encoding.run(index, context.thread, solver));
    }
    for (thread, code) in threads.threads.iter() {
        for position in 0..code.positions.len() {
            let here = passed_in(thread, position);
            for context in 0..encoding.contexts() {
                let done = encoding.done(thread, position, context, solver);
                let is_done = here.is_some_and(|here| here <= context);
                schedule.push(if is_done { done } else { !done });
            }
            let stay = encoding.stay(thread, position, solver);
            let stays_here =
                position > 0 && here.is_some() && passed_in(thread, position - 1) == here;
            stays.push(if stays_here { stay } else { !stay });
        }
    }
    schedule.extend(&stays);
    assert!(
        solver.is_satisfiable(&schedule),
        "a schedule should be possible again"
    );
    let again = encoding.model(threads, &|literal| solver.value(literal));
    assert_eq!(again.stretches, model.stretches);
    let first_stay = schedule.len() - stays.len();
    for index in 0..stays.len() {
        let mut flipped = schedule.clone();
        flipped[first_stay + index] = !flipped[first_stay + index];
        assert!(
            !solver.is_satisfiable(&flipped),
            "stay should follow from done"
        );
    }
    let main = encoding.run(0, ThreadId::new(0), solver);
    assert!(
        !solver.is_satisfiable(&[!main]),
        "main should have the first context"
    );
}
