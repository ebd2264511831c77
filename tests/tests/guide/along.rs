//! Guides along runs lead the same way again.

use crate::subject::guided;
use replay::{Bounds, Checks, Config, Image, Mode, Outcome, Property, Run, Schedule};
use tests::{cases, clang, folder, run};

/// Runs of the explorer's test programs, at random and to each violation, come
/// out of their guides as they were.
#[test]
fn guides_along_runs_lead_the_same_way() {
    let entries = std::fs::read_dir(folder().join("regress/explore")).expect("should be there");
    let mut folders: Vec<_> = entries
        .map(|entry| entry.expect("should be readable").path())
        .collect();
    folders.sort();
    cases::check_all(
        &folders,
        |folder| folder.display().to_string(),
        |folder| {
            let program = clang::default().load(&folder.join("prog.c"), &[])?;
            // Violations that do not end a run would end the guided one early.
            let checks = [Property::Race, Property::Overflow, Property::Leak];
            let checks = checks.into_iter().fold(Checks::all(), Checks::without);
            let config = Config {
                checks,
                unwind: Some(4),
                ..Config::default()
            };
            let image = run::image(&program, &config)?;
            for seed in 0..10 {
                let run = replay::run_random(&image, &config, 7, seed, 200, true, &mut |_| true);
                compare(&image, &config, &run.schedule, seed % 2 == 0)?;
            }
            let mode = Mode {
                find_all: true,
                merge: true,
            };
            let bounds = Bounds::default();
            let mut asked = 0;
            let found = replay::explore(&image, &config, 7, &bounds, mode, &mut |_| {
                asked += 1;
                asked < 1000
            });
            for found in &found.violations {
                let run = compare(&image, &config, &found.schedule, true)?;
                if run.violations != [found.violation.clone()] {
                    return Err(format!("{:?} instead", run.violations));
                }
            }
            Ok(())
        },
    );
}

/// `is_whole` tells whether to name all inputs and the last step, or to leave
/// out what cannot make a difference.
fn compare(
    image: &Image,
    config: &Config,
    schedule: &Schedule,
    is_whole: bool,
) -> Result<Run, String> {
    let original = replay::run_schedule(image, config, schedule, true);
    let original = original.map_err(|error| error.to_string())?;
    let guide = replay::guide_along(image, config, schedule);
    let mut guide = guide.map_err(|error| error.to_string())?;
    if !is_whole {
        guide.inputs.retain(|input| input.value != 0);
    }
    if original.outcome == Outcome::ScheduleEnded {
        // The guided run goes on after the last stretch. A thread that cannot step
        // would not, but there is none for sure.
        return Ok(original);
    }
    let run = guided(image, config, &guide).map_err(|error| error.to_string())?;
    if run.schedule != *schedule || run.outcome != original.outcome || run.trace != original.trace {
        return Err(format!(
            "{schedule}with {:?} becomes\n{}with {:?}",
            original.outcome, run.schedule, run.outcome
        ));
    }
    Ok(run)
}
