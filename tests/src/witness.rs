//! Violations that the explorer found, seen once more: the schedule goes through
//! its text form and is run twice, which must show the same violation and the
//! same trace.

use replay::{Config, Found, Image, Run, Schedule};

/// Writes the schedule of a violation as text, reads it back and replays it.
pub fn confirm(image: &Image, config: &Config, found: &Found) -> Result<Run, String> {
    confirm_text(image, config, found, &found.schedule.to_string())
}

/// Like [`confirm`], with the text of the schedule from somewhere else.
pub fn confirm_text(
    image: &Image,
    config: &Config,
    found: &Found,
    text: &str,
) -> Result<Run, String> {
    let kind = found.violation.kind;
    let schedule = Schedule::parse(text).map_err(|error| format!("{kind}: {error}"))?;
    if schedule != found.schedule {
        return Err(format!(
            "{kind}: the schedule changes when it is written and read"
        ));
    }
    let mut config = config.clone();
    schedule.options.apply(&mut config);
    let replay = || {
        replay::run_schedule(image, &config, &schedule, true)
            .map_err(|error| format!("{kind}: {error}"))
    };
    let (first, second) = (replay()?, replay()?);
    if !first.violations.contains(&found.violation) {
        return Err(format!(
            "{kind}: replaying shows {:?} instead of {:?}",
            first.violations, found.violation
        ));
    }
    if first.trace != second.trace {
        return Err(format!(
            "{kind}: replaying twice gives two different traces"
        ));
    }
    if first.schedule != schedule {
        return Err(format!(
            "{kind}: replaying records another schedule:\n{}",
            first.schedule
        ));
    }
    Ok(first)
}
