//! Runs at random, in case something breaks easily.

use crate::attempt::Task;
use crate::facts::Ending;
use crate::verdict::{Attempt, Progress, Stage};
use replay::Run;
use std::time::Instant;

/// Visible steps of all runs together, and of one.
const ALL_STEPS: u64 = 200_000;
const RUN_STEPS: u64 = 20_000;
const MAX_RUNS: u64 = 500;
/// Bytes of memory, and instructions between two steps: a run that needs more may
/// take longer than all others together.
const RUN_MEMORY: u64 = 64 << 20;
const RUN_WORK: u64 = 1_000_000;

/// Makes some runs, the same for the same program and seed, up to the first with
/// a violation.
pub fn sample(task: &Task) -> (Option<Box<Run>>, Attempt) {
    let start = Instant::now();
    let mut steps = 0;
    let mut found = None;
    let mut seed = 0;
    let config = replay::Config {
        unwind: None,
        ..task.options.config.clone()
    };
    let short = replay::Config {
        memory_limit: RUN_MEMORY,
        local_limit: RUN_WORK,
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
        if task.is_violated(&run) {
            // What is reported must not depend on these limits.
            found = (task.image(&config).ok())
                .map(|image| self::run(task, &image, &config, seed_of_run, true))
                .filter(|run| task.is_violated(run))
                .map(Box::new);
        }
        seed += 1;
    }
    let record = Attempt {
        replaying: start.elapsed(),
        peak_memory: solve::memory::peak().unwrap_or(0),
        result: match found {
            Some(_) => Ending::Violated,
            None => Ending::Runs(seed),
        },
        ..Attempt::default()
    };
    (found, record)
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
            stage: Stage::Replaying,
            order: None,
            unwind: None,
            search: None,
        })
}
