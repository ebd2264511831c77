//! `threadbare explore`: every schedule within bounds. Each violation is run
//! again from its schedule before it is reported.

use crate::args::Explore as Arguments;
use crate::input::{config, load};
use crate::progress::Watch;
use crate::run::write_schedule;
use crate::{Failure, Status, print, terminal_width};
use replay::{Bounds, Config, Found, Image, Limit, Mode, Run};
use report::Verdict;

pub fn explore(arguments: &Arguments) -> Result<Status, Failure> {
    let semantics = &arguments.semantics;
    let loaded = load(&arguments.input, semantics.checks())?;
    let program = &loaded.program;
    let config = Config {
        unwind: arguments.unwind,
        // There are many stretches of local work to get through.
        local_limit: 5_000_000,
        ..config(&semantics.behaviour, semantics.checks(), program)
    };
    let image = Image::new(program, &config.arguments, config.memory_limit)
        .map_err(|_| Failure::TooLarge)?;
    let bounds = Bounds {
        contexts: arguments.contexts,
        rounds: arguments.rounds,
        steps: arguments.steps,
        inputs: arguments.inputs.clone(),
        max_states: arguments.max_states,
    };
    let mode = Mode {
        find_all: arguments.all,
        merge: !arguments.no_merge,
    };
    let digest = replay::digest(program);
    let watch = Watch::start(arguments.time);
    let mut result = replay::explore(&image, &config, digest, &bounds, mode, &mut |progress| {
        watch.keep_going(|| {
            format!(
                "{} states, depth {}, {} violations",
                progress.states, progress.depth, progress.violations
            )
        })
    });
    watch.finish();
    let layout = analysis::layout::first_dependence(program)
        .map(|site| Limit::Layout(site.describe(program)));
    let orders =
        analysis::orders::first_weaker(program).map(|site| Limit::Orders(site.describe(program)));
    result.limits.extend(layout.into_iter().chain(orders));
    let mut replays = Vec::new();
    for found in &result.violations {
        replays.push(replay_found(&image, &config, found)?);
    }
    if let (Some(path), Some(first)) = (&arguments.save, result.violations.first()) {
        write_schedule(path, &first.schedule)?;
    }
    if arguments.json {
        let json = report::exploration_to_json(program, &result, &replays);
        print(format!("{json:#}\n"))?;
    } else {
        let width = terminal_width();
        print(report::render_exploration(
            program,
            &result,
            &replays,
            &arguments.inputs,
            width,
        ))?;
        if let (Some(path), Some(_)) = (&arguments.save, result.violations.first()) {
            print(format!("schedule saved in {}\n", path.display()))?;
        }
    }
    Ok(match Verdict::of(&result) {
        Verdict::Violated => Status::Violated,
        Verdict::Safe | Verdict::SafeWithinBounds => Status::Fine,
        Verdict::Unknown if !result.unsupported.is_empty() => {
            return Err(Failure::Unsupported(
                "the program reaches something that is not supported".to_owned(),
            ));
        }
        Verdict::Unknown => Status::Unknown,
    })
}

/// Runs a violation's schedule; a violation that does not show again would be a
/// mistake of ours.
fn replay_found(image: &Image, config: &Config, found: &Found) -> Result<Run, Failure> {
    let run = replay::run_schedule(image, config, &found.schedule, true)
        .map_err(|error| Failure::Internal(error.to_string()))?;
    if !run.violations.contains(&found.violation) {
        let message = format!(
            "a violation ({}) does not show again when its schedule is run",
            found.violation.kind
        );
        return Err(Failure::Internal(message));
    }
    Ok(run)
}
