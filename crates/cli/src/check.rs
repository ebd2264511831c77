//! `threadbare check`: all schedules at once, with a solver. Hands the user's
//! bounds to the checker and tells what it says; a violation has been replayed
//! by then.

use crate::args::Check as Arguments;
use crate::input::{config, load, program_name};
use crate::loop_names::check_loop_names;
use crate::progress::Watch;
use crate::run::write_schedule;
use crate::{Failure, Status, mention, print, svcomp, terminal_width};
use check::{Options, Order, Progress, Reason, Report, SliceResult, Stage, Verdict};
use llvm::Loaded;
use replay::{Checks, Conclusion, Property};
use report::{Cost, Replay};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub fn check(arguments: &Arguments) -> Result<Status, Failure> {
    if arguments.svcomp {
        return svcomp::check(arguments);
    }
    let checked = Checked::of(arguments, arguments.checks())?;
    mention(checked.tell(arguments));
    checked.keep(arguments);
    checked.status()
}

/// A program, and what the checker says about it.
pub struct Checked {
    loaded: Loaded,
    options: Options,
    pub report: Report,
    cost: Cost,
}

impl Checked {
    pub fn of(arguments: &Arguments, checks: Checks) -> Result<Checked, Failure> {
        // A mistake of ours has an exit code of its own, which is not Rust's.
        catch_unwind(AssertUnwindSafe(|| Checked::unguarded(arguments, checks)))
            .unwrap_or_else(|_| Err(Failure::Internal("a panic, see above".to_owned())))
    }

    fn unguarded(arguments: &Arguments, checks: Checks) -> Result<Checked, Failure> {
        let start = Instant::now();
        let watch = Watch::start(None);
        let mut options = Options {
            bounds: arguments.bounds(),
            config: config(&arguments.behaviour, checks),
            time: arguments.time.map(Duration::from_secs),
            memory: arguments.memory,
            dump: arguments.dump.clone(),
            reductions: arguments.reductions(),
            search: arguments.search.resolve(arguments)?,
            engines: arguments.search.engines(),
            all_violations: arguments.all_violations,
            coverage: arguments.coverage.is_some(),
            looks_beside: true,
        };
        // That is what the rules of the competition say.
        if arguments.svcomp {
            options.config.surroundings.undefined = library::Undefined::Any;
        }
        // What is asked wrongly is told before anything is compiled.
        (options.validate())
            .map_err(|conflict| Failure::Usage(report::describe_conflict(&conflict)))?;
        watch.leave_last_words(Some(last_words(arguments)));
        let loaded = load(&arguments.input(), Some(&arguments.behaviour), checks)?;
        watch.leave_last_words(None);
        let program = &loaded.program;
        check_loop_names(program, options.bounds.unwind_set.keys())?;
        options.config.surroundings.arguments[0] = program_name(program);
        let loading = start.elapsed();
        // Users count from when they press the key.
        options.time = options.time.map(|limit| limit.saturating_sub(loading));
        let latest: Mutex<Option<Progress>> = Mutex::new(None);
        let describe = || Some(describe_progress(latest.lock().ok()?.as_ref()?));
        let report = watch.accompany(describe, || {
            ::check::check(program, &options, &|progress| {
                let failures = progress.search.iter().flat_map(|search| &search.failures);
                failures.for_each(|failure| watch.warn(failure));
                if let Ok(mut latest) = latest.lock() {
                    *latest = Some(progress.clone());
                }
                watch.keep_going(|| describe_progress(progress))
            })
        });
        watch.finish();
        for attempt in &report.attempts {
            let failures = attempt.search.failures.iter();
            failures.for_each(|failure| watch.warn(failure));
        }
        for (engine, reason) in &report.failures {
            watch.warn(&report::describe_failure(*engine, reason));
        }
        let cost = Cost {
            elapsed: start.elapsed(),
            loading,
            peak_memory: solve::memory::peak(),
        };
        Ok(Checked {
            loaded,
            options,
            report,
            cost,
        })
    }

    /// Prints the result.
    pub fn tell(&self, arguments: &Arguments) -> Result<(), Failure> {
        let program = &self.loaded.program;
        if arguments.json {
            let json = report::check_to_json(program, &self.report, &self.cost);
            return print(format!("{json:#}\n"));
        }
        let mut text = report::render_check(
            program,
            &self.report,
            &replay(arguments, self.options.config.checks),
            terminal_width(),
        );
        if arguments.stats {
            text.push_str(&report::render_statistics(&self.report, &self.cost));
        }
        print(text)
    }

    /// Writes the files that the user wants. The verdict stands, whatever becomes of
    /// them.
    pub fn keep(&self, arguments: &Arguments) {
        mention(self.keep_schedules(arguments));
        mention(self.keep_coverage(arguments));
        mention(self.keep_result(arguments));
    }

    fn keep_schedules(&self, arguments: &Arguments) -> Result<(), Failure> {
        if let (Some(path), Verdict::Violated(run)) = (&arguments.save, &self.report.verdict) {
            write_schedule(path, &run.schedule)?;
            for (index, run) in self.report.more.iter().enumerate() {
                let mut path = path.as_os_str().to_owned();
                path.push(format!(".{}", index + 2));
                write_schedule(Path::new(&path), &run.schedule)?;
            }
        }
        Ok(())
    }

    fn keep_coverage(&self, arguments: &Arguments) -> Result<(), Failure> {
        let Some(path) = &arguments.coverage else {
            return Ok(());
        };
        let text = report::render_lcov(&self.report.lines);
        std::fs::write(path, text).map_err(|error| Failure::Write {
            path: path.clone(),
            error,
        })
    }

    /// What was found, for `threadbare combine`.
    fn keep_result(&self, arguments: &Arguments) -> Result<(), Failure> {
        let Some(path) = &arguments.search.result else {
            return Ok(());
        };
        let seconds = self.cost.elapsed.as_secs_f64();
        let digest = ::replay::digest(&self.loaded.program);
        let reason = self.report.verdict.reason();
        let reason = reason.and_then(report::describe_reason);
        let result = SliceResult::of(digest, &self.options, &self.report, reason, seconds);
        let mut result =
            result.ok_or_else(|| Failure::Internal("a result without bounds".to_owned()))?;
        let internal = |error: serde_json::Error| Failure::Internal(error.to_string());
        if let Some(key) = &self.options.search.key {
            result.seal(key).map_err(internal)?;
        }
        let text = serde_json::to_string_pretty(&result).map_err(internal)?;
        std::fs::write(path, text + "\n").map_err(|error| Failure::Write {
            path: path.to_owned(),
            error,
        })
    }

    pub fn status(&self) -> Result<Status, Failure> {
        let reason = self.report.verdict.reason();
        match reason {
            Some(Reason::Checkpoint { problem }) => {
                return Err(Failure::Checkpoint(problem.clone()));
            }
            Some(Reason::Internal(internal)) => {
                return Err(Failure::Internal(report::describe_internal(internal)));
            }
            _ => {}
        }
        Ok(match self.report.verdict.conclusion() {
            Conclusion::Violated => Status::Violated,
            Conclusion::Safe | Conclusion::SafeWithinBounds => Status::Fine,
            Conclusion::Unknown => Status::Unknown,
        })
    }
}

/// What is said if the user gives up before there is anything to work on.
fn last_words(arguments: &Arguments) -> String {
    match (arguments.json, arguments.svcomp) {
        (true, _) => "{\"verdict\": \"unknown\", \"reason\": \"interrupted\"}\n".to_owned(),
        (_, true) => "unknown: interrupted\nunknown\n".to_owned(),
        _ => "unknown: interrupted\n".to_owned(),
    }
}

/// How the violation can be seen again.
fn replay(arguments: &Arguments, checks: Checks) -> Replay {
    let file = match &arguments.save {
        Some(path) => path.display().to_string(),
        None => "FILE".to_owned(),
    };
    // The schedule knows all other settings.
    let names: Vec<&str> = checks.iter().map(Property::name).collect();
    let mut more = vec![format!("--property={}", names.join(","))];
    if let (true, Some(bound)) = (checks.has(Property::Unwind), arguments.bounds().unwind) {
        more.push(format!("--unwind={bound}"));
    }
    let program_arguments = &arguments.behaviour.arguments;
    more.extend(program_arguments.iter().map(|text| format!("--arg={text}")));
    more.push(format!("--schedule={file}"));
    more.push("--trace".to_owned());
    Replay {
        is_saved: arguments.save.is_some(),
        command: arguments.input().command_line("run", &more),
    }
}

fn describe_progress(progress: &Progress) -> String {
    let mut text = match progress.stage {
        Stage::Exploring { states } => format!("exploring, {states} states"),
        Stage::Unfolding => "unfolding".to_owned(),
        Stage::Encoding => "encoding".to_owned(),
        Stage::Solving => "solving".to_owned(),
        Stage::Replaying => "replaying".to_owned(),
    };
    match progress.order {
        Some(Order::Contexts(bound)) => text.push_str(&format!(", contexts {bound}")),
        Some(Order::Rounds(bound)) => text.push_str(&format!(", rounds {bound}")),
        None => {}
    }
    if let Some(bound) = progress.unwind {
        text.push_str(&format!(", unwind {bound}"));
    }
    if let Some(search) = &progress.search {
        text.push_str(&format!(
            ", {} at work, {} open, {} closed, {:.1}% of the schedules",
            search.cores,
            search.open,
            search.closed,
            100.0 * search.share
        ));
    }
    if let Some(bytes) = solve::memory::resident() {
        text.push_str(&format!(", {} MB", bytes / 1_000_000));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_the_bounds() {
        let text = describe_progress(&Progress {
            stage: Stage::Solving,
            order: Some(Order::Contexts(4)),
            unwind: Some(2),
            search: None,
        });
        assert!(
            text.starts_with("solving, contexts 4, unwind 2, "),
            "{text}"
        );
    }
}
