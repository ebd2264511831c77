//! `threadbare run`: one run, at random or along a schedule.

use crate::args::Run as Arguments;
use crate::input::{config_for, load};
use crate::progress::Watch;
use crate::{Failure, Status, mention, print, terminal_width};
use ir::Program;
use replay::{Config, Image, Outcome, Run, Schedule};
use std::path::Path;

pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    // A broken schedule file is told before anything is compiled.
    let schedule = match &arguments.schedule {
        Some(path) => Some((path, read_schedule(path)?)),
        None => None,
    };
    let semantics = &arguments.semantics;
    let loaded = load(
        &arguments.input,
        Some(&semantics.behaviour),
        semantics.checks(),
    )?;
    let program = &loaded.program;
    let mut config = Config {
        keep_output: true,
        unwind: arguments.unwind,
        ..config_for(&semantics.behaviour, semantics.checks(), program)
    };
    if let Some((_, schedule)) = &schedule {
        schedule.options.apply(&mut config);
    }
    let image = Image::new(program, &config.surroundings.arguments, config.memory_limit)
        .map_err(|_| Failure::TooLarge)?;
    let digest = replay::digest(program);
    let is_traced = arguments.trace || arguments.json;
    let run = match &schedule {
        Some((path, schedule)) => {
            let misfit = |reason: String| Failure::ScheduleMisfit {
                path: path.to_path_buf(),
                reason,
            };
            if schedule.digest != digest {
                let reason = "the schedule was made for another program, or for another \
                              version of this one";
                return Err(misfit(reason.to_owned()));
            }
            replay::run_schedule(&image, &config, schedule, is_traced)
                .map_err(|error| misfit(error.to_string()))?
        }
        None => {
            let watch = Watch::start(None);
            let run = replay::run_random(
                &image,
                &config,
                digest,
                arguments.seed,
                arguments.steps,
                is_traced,
                &mut |steps| watch.keep_going(|| format!("{steps} steps")),
            );
            watch.finish();
            run
        }
    };
    mention(tell(arguments, program, &run));
    if let Some(path) = &arguments.save {
        mention(write_schedule(path, &run.schedule));
    }
    status(program, &run)
}

fn tell(arguments: &Arguments, program: &Program, run: &Run) -> Result<(), Failure> {
    if arguments.json {
        let json = report::run_to_json(program, run);
        print(format!("{json:#}\n"))?;
    } else {
        print(&run.standard_output)?;
        // There is nobody left to tell if this cannot be printed.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), &run.standard_error);
        if !run.standard_output.is_empty() && !run.standard_output.ends_with(b"\n") {
            print("\n")?;
        }
        print(report::render_run(program, run, terminal_width()))?;
        if arguments.schedule.is_none() {
            print(format!("seed {}\n", arguments.seed))?;
        }
    }
    Ok(())
}

fn status(program: &Program, run: &Run) -> Result<Status, Failure> {
    match &run.outcome {
        _ if !run.violations.is_empty() => Ok(Status::Violated),
        Outcome::Unsupported(unsupported) => {
            let place = unsupported.location.map_or(String::new(), |l| {
                format!("{}: ", program.describe_location(l))
            });
            Err(Failure::Unsupported(format!(
                "{place}{} is not supported",
                unsupported.what
            )))
        }
        Outcome::Exited(_) | Outcome::Aborted | Outcome::ScheduleEnded => Ok(Status::Fine),
        _ => Ok(Status::Unknown),
    }
}

fn read_schedule(path: &Path) -> Result<Schedule, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::Read {
        path: path.to_path_buf(),
        error,
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Schedule::parse(&text).map_err(|error| Failure::Schedule {
        path: path.to_path_buf(),
        error,
    })
}

pub fn write_schedule(path: &Path, schedule: &Schedule) -> Result<(), Failure> {
    std::fs::write(path, schedule.to_string()).map_err(|error| Failure::Write {
        path: path.to_path_buf(),
        error,
    })
}
