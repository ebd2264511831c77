//! `threadbare run`: one run, at random or along a schedule.

use crate::args::Run as Arguments;
use crate::guard::{self, Format};
use crate::input::{config, load};
use crate::progress::Watch;
use crate::{Failure, Status, mention, print, terminal_width};
use ir::Program;
use replay::{Config, Outcome, Run, Schedule};
use std::path::Path;
use system::files;
use threadbare::{Error, Options, Question};

pub(crate) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    // A broken schedule file is told before anything is compiled.
    let schedule = match &arguments.schedule {
        Some(path) => Some((path, read_schedule(path)?)),
        None => None,
    };
    guard::keep(&arguments.limits, format_of(arguments.json));
    let semantics = &arguments.semantics;
    let program = load(
        &arguments.input,
        Some(&semantics.behaviour),
        semantics.checks(),
        &arguments.limits,
    )?;
    let mut config = Config {
        keep_output: true,
        unwind: arguments.unwind,
        ..config(&semantics.behaviour, semantics.checks())
    };
    // A schedule says its own.
    let model = semantics.memory_model;
    config.surroundings.memory_model = model.unwrap_or(program.memory_model());
    let options = Options {
        config,
        ..Options::default()
    };
    let question = Question::with(&program, options);
    let is_traced = arguments.trace || arguments.json || arguments.graph.is_some();
    let run = match &schedule {
        Some((path, schedule)) => {
            guard::alone_with("the program runs");
            (question.follow(schedule, is_traced)).map_err(|error| misfit(path, error))?
        }
        None => {
            guard::beside("the program runs");
            let watch = Watch::start(&arguments.limits);
            let run =
                question.run_at_random(arguments.seed, arguments.steps, is_traced, &mut |steps| {
                    watch.keep_going(|| format!("{steps} steps"))
                });
            watch.finish();
            run?
        }
    };
    let program = program.model();
    guard::begin_to_tell();
    mention(tell(arguments, program, &run));
    if let Some(path) = &arguments.save {
        mention(write_schedule(path, &run.schedule));
    }
    if let (Some(path), Some(picture)) = (&arguments.graph, &run.picture) {
        let text = report::render_picture(program, picture);
        let written = std::fs::write(path, text);
        mention(written.map_err(|error| Failure::Write {
            path: path.clone(),
            error,
        }));
    }
    status(program, &run)
}

pub(crate) fn format_of(is_json: bool) -> Format {
    match is_json {
        true => Format::Json,
        false => Format::Text,
    }
}

/// Of what is wrong, the schedule may be to blame.
fn misfit(path: &Path, error: Error) -> Failure {
    match error {
        Error::OtherProgram | Error::DoesNotFit(_) => Failure::ScheduleMisfit {
            path: path.to_path_buf(),
            error,
        },
        error => error.into(),
    }
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
    let bytes = files::read(path, files::MOST_BYTES).map_err(|error| Failure::Read {
        path: path.to_path_buf(),
        error,
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Schedule::parse(&text).map_err(|error| Failure::Schedule {
        path: path.to_path_buf(),
        error,
    })
}

pub(crate) fn write_schedule(path: &Path, schedule: &Schedule) -> Result<(), Failure> {
    std::fs::write(path, schedule.to_string()).map_err(|error| Failure::Write {
        path: path.to_path_buf(),
        error,
    })
}
