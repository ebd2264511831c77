//! Runs at random, in case something breaks easily.

use crate::attempt::Task;
use crate::verdict::{Attempt, Progress, Stage};
use replay::Run;
use std::time::Instant;

/// Visible steps of all runs together, and of one.
const ALL_STEPS: u64 = 200_000;
const RUN_STEPS: u64 = 20_000;
const MAX_RUNS: u64 = 500;

/// Makes some runs, the same for the same program and seed, up to the first with
/// a violation.
pub fn sample(task: &Task) -> (Option<Box<Run>>, Attempt) {
    let start = Instant::now();
    let mut steps = 0;
    let mut found = None;
    let mut seed = 0;
    let image = task.image().ok();
    while let Some(image) = &image
        && found.is_none()
        && seed < MAX_RUNS
        && steps < ALL_STEPS
        && is_wanted(task)
    {
        let seed_of_run = task.options.search.seed.wrapping_add(seed);
        let run = run(task, image, seed_of_run, false);
        steps += run.steps.max(1);
        if task.is_violated(&run) {
            found = Some(Box::new(self::run(task, image, seed_of_run, true)));
        }
        seed += 1;
    }
    let record = Attempt {
        replaying: start.elapsed(),
        peak_memory: solve::memory::peak().unwrap_or(0),
        result: match found {
            Some(_) => "violated".to_owned(),
            None => format!("{seed} runs at random"),
        },
        ..Attempt::default()
    };
    (found, record)
}

fn run(task: &Task, image: &replay::Image, seed: u64, is_traced: bool) -> Run {
    let config = replay::Config {
        unwind: None,
        ..task.options.config.clone()
    };
    replay::run_random(
        image,
        &config,
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
