//! `threadbare explore`: every schedule within bounds. Each violation is run
//! again from its schedule before it is reported.

use crate::args::Explore as Arguments;
use crate::input::{config_for, load};
use crate::progress::Watch;
use crate::run::write_schedule;
use crate::{Failure, Status, mention, print, terminal_width};
use replay::{
    Bounds, Conclusion, Config, Exploration, Found, Image, Limit, Mode, ProofOptions, Reductions,
    Run, Samples,
};

pub fn explore(arguments: &Arguments) -> Result<Status, Failure> {
    let semantics = &arguments.semantics;
    let loaded = load(
        &arguments.input,
        Some(&semantics.behaviour),
        semantics.checks(),
    )?;
    let program = &loaded.program;
    let config = Config {
        unwind: arguments.unwind,
        // There are many stretches of local work to get through.
        local_limit: 5_000_000,
        ..config_for(&semantics.behaviour, semantics.checks(), program)
    };
    let image = Image::new(program, &config.surroundings.arguments, config.memory_limit)
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
    let mut result = match arguments.prove {
        true => prove(arguments, &image, &config, digest, &watch)?,
        false => replay::explore(&image, &config, digest, &bounds, mode, &mut |progress| {
            watch.keep_going(|| {
                format!(
                    "{} states, depth {}, {} violations",
                    progress.states, progress.depth, progress.violations
                )
            })
        }),
    };
    watch.finish();
    let layout = analysis::layout::first_dependence(program).map(Limit::Layout);
    let orders = analysis::orders::first_weaker(program).map(Limit::Orders);
    result.limits.extend(layout.into_iter().chain(orders));
    let mut replays = Vec::new();
    for found in &result.violations {
        replays.push(replay_found(&image, &config, found)?);
    }
    let mut dependent = Vec::new();
    for (found, _) in &result.dependent {
        dependent.push(replay_found(&image, &config, found)?);
    }
    mention(tell(arguments, program, &result, &replays, &dependent));
    mention(keep(arguments, &result));
    Ok(match result.conclusion() {
        Conclusion::Violated => Status::Violated,
        Conclusion::Safe | Conclusion::SafeWithinBounds => Status::Fine,
        Conclusion::Unknown if !result.unsupported.is_empty() => {
            return Err(Failure::Unsupported(
                "the program reaches something that is not supported".to_owned(),
            ));
        }
        Conclusion::Unknown => Status::Unknown,
    })
}

/// Visits states instead of schedules.
fn prove(
    arguments: &Arguments,
    image: &Image,
    config: &Config,
    digest: u64,
    watch: &Watch,
) -> Result<Exploration, Failure> {
    let options = ProofOptions {
        find_all: arguments.all,
        inputs: Samples {
            values: arguments.inputs.clone(),
            ..Samples::default()
        },
        reductions: match arguments.no_reductions {
            true => Reductions::NONE,
            false => Reductions::ALL,
        },
        is_checked: arguments.checked,
        ..ProofOptions::default()
    };
    let proof = replay::prove(image, config, digest, &options, &mut |progress| {
        watch.keep_going(|| {
            format!(
                "{} states, {} of them open, {} violations",
                progress.states, progress.open, progress.violations
            )
        })
    });
    match proof.mistakes.first() {
        Some(mistake) => Err(Failure::Internal(mistake.clone())),
        None => Ok(proof.into_exploration()),
    }
}

fn tell(
    arguments: &Arguments,
    program: &ir::Program,
    result: &Exploration,
    replays: &[Run],
    dependent: &[Run],
) -> Result<(), Failure> {
    if arguments.json {
        let json = report::exploration_to_json(program, result, replays, dependent);
        return print(format!("{json:#}\n"));
    }
    let (inputs, width) = (&arguments.inputs, terminal_width());
    print(report::render_exploration(
        program, result, replays, inputs, width,
    ))
}

fn keep(arguments: &Arguments, result: &Exploration) -> Result<(), Failure> {
    if let (Some(path), Some(first)) = (&arguments.save, result.violations.first()) {
        write_schedule(path, &first.schedule)?;
        if !arguments.json {
            print(format!("schedule saved in {}\n", path.display()))?;
        }
    }
    Ok(())
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
