//! `sample`: runs at random, in case something breaks easily.
//!
//! Establishes violations, and places that runs come by. Right because a run is a run:
//! what it shows is made by the interpreter, without any limit of this engine's own.
//!
//! Begins when the small questions are answered, or a proof takes something for
//! granted: what is large for a solver may be easy to hit.

use super::{Name, Office};
use crate::attempt::{Query, Task};
use crate::facts::{Dependent, Ending, Reason};
use crate::verdict::{Attempt, Options, Order, Progress, Stage};
use replay::Run;
use std::time::Instant;

/// Visible steps of all runs together, and of one.
const ALL_STEPS: u64 = 200_000;
const RUN_STEPS: u64 = 20_000;
const MAX_RUNS: u64 = 500;
/// Runs that only look around.
const FEW_RUNS: u64 = 40;
/// Bytes of memory, and instructions between two steps: a run that needs more may
/// take longer than all others together.
const RUN_MEMORY: u64 = 64 << 20;
const RUN_WORK: u64 = 1_000_000;

/// Runs have no bounds. And with all violations, they would find the same ones again
/// and again.
pub(crate) fn fits(options: &Options) -> bool {
    options.bounds.are_open() && !options.goes_on()
}

pub(crate) fn work(office: &Office) -> Result<(), Reason> {
    let Office { task, board, cores } = office;
    board.wait_for_small_answers();
    let _place = cores.place(Name::Sample);
    if task.is_stopped() {
        return Ok(());
    }
    let (run, record) = sample(task);
    board.attempted(record);
    match run {
        None => {}
        Some(run) if task.depends_on_unknown(&run) => {
            board.depends(Box::new(Dependent::of(task.program, *run)));
        }
        Some(run) => board.violated(Name::Sample, run),
    }
    Ok(())
}

/// Makes some runs, the same for the same program and seed, up to the first with
/// a violation.
fn sample(task: &Task) -> (Option<Box<Run>>, Attempt) {
    let start = Instant::now();
    let mut steps = 0;
    let (mut found, mut dependent) = (None, None);
    let mut seed = 0;
    let config = replay::Config {
        unwind: None,
        ..task.interleaving()
    };
    let short = replay::Config {
        memory_limit: RUN_MEMORY,
        local_limit: RUN_WORK,
        keep_coverage: true,
        ..config.clone()
    };
    let image = task.image(&short).ok();
    while let Some(image) = &image
        && found.is_none()
        && seed < MAX_RUNS
        && steps < ALL_STEPS
        && is_wanted(task)
    {
        let seed_of_run = task.options.search.seed.wrapping_add(seed);
        let run = self::run(task, image, &short, seed_of_run, false);
        steps += run.steps.max(1);
        task.watchlist.note(&run, false);
        let is_dependent = task.depends_on_unknown(&run);
        // Of those that depend on something the first is enough.
        if task.is_violated(&run) && !(is_dependent && dependent.is_some()) {
            // What is reported must not depend on these limits.
            let run = (task.image(&config).ok())
                .map(|image| self::run(task, &image, &config, seed_of_run, true))
                .filter(|run| task.is_violated(run))
                .map(Box::new);
            match is_dependent {
                true => dependent = run,
                false => found = run,
            }
        }
        seed += 1;
    }
    let record = Attempt {
        engine: Name::Sample,
        replaying: start.elapsed(),
        peak_memory: solve::memory::peak().unwrap_or(0),
        result: match found {
            Some(_) => Ending::Violated,
            None => Ending::Runs(seed),
        },
        ..Attempt::default()
    };
    (found.or(dependent), record)
}

/// Makes some runs to see where they come by, unless that is known. If there are
/// bounds, only runs within them count.
pub(crate) fn look_around(task: &Task, within: Option<&Query>) {
    let config = replay::Config {
        // That cuts more loops than unfolding does.
        unwind: within.map(|query| query.unwind),
        memory_limit: RUN_MEMORY,
        local_limit: RUN_WORK,
        keep_coverage: true,
        ..task.interleaving()
    };
    let Ok(image) = task.image(&config) else {
        return;
    };
    let mut steps = 0;
    for seed in 0..FEW_RUNS {
        if task.watchlist.is_complete() || steps >= ALL_STEPS / 10 || !is_wanted(task) {
            return;
        }
        let run = self::run(task, &image, &config, seed, false);
        steps += run.steps.max(1);
        let is_within =
            within.is_some_and(|query| query.order.is_none_or(|order| is_within(&run, order)));
        task.watchlist.note(&run, is_within);
    }
}

/// Whether a run has no more contexts or rounds than that.
fn is_within(run: &Run, order: Order) -> bool {
    let contexts = &run.schedule.contexts;
    match order {
        Order::Contexts(bound) => contexts.len() <= bound as usize,
        Order::Rounds(bound) => {
            let threads = contexts.iter().map(|context| context.thread);
            let next = threads.clone().skip(1);
            let new_rounds = threads.zip(next).filter(|(last, next)| next < last);
            new_rounds.count() < bound as usize
        }
    }
}

fn run(
    task: &Task,
    image: &replay::Image,
    config: &replay::Config,
    seed: u64,
    is_traced: bool,
) -> Run {
    replay::run_random(
        image,
        config,
        task.digest,
        seed,
        RUN_STEPS,
        is_traced,
        &mut |_| is_traced || is_wanted(task),
    )
}

fn is_wanted(task: &Task) -> bool {
    let has_time = task
        .deadline
        .is_none_or(|deadline| Instant::now() < deadline);
    has_time
        && (task.watch)(&Progress {
            stage: Stage::Sampling,
            order: None,
            unwind: None,
            search: None,
        })
}
