//! `threadbare check`: all schedules at once, with a solver. Hands the user's
//! bounds to the checker and tells what it says; a violation has been replayed
//! by then.

use crate::args::Check as Arguments;
use crate::input::{config, load};
use crate::loop_names::check_loop_names;
use crate::progress::Watch;
use crate::run::write_schedule;
use crate::{Failure, Status, print, svcomp, terminal_width};
use check::{Bounds, Options, Order, Progress, Report, SliceResult, Stage};
use llvm::Loaded;
use replay::{Checks, Property};
use report::{Cost, Replay, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub fn check(arguments: &Arguments) -> Result<Status, Failure> {
    if arguments.svcomp {
        return svcomp::check(arguments);
    }
    let checks = arguments.checks();
    if checks.has(Property::Unwind) && arguments.bounds().unwind.is_none() {
        let what =
            "--property unwind needs --unwind or --unwind-all: it asks whether a bound is enough";
        return Err(Failure::Usage(what.to_owned()));
    }
    let checked = Checked::of(arguments, checks)?;
    checked.tell(arguments)?;
    checked.status()
}

/// A program, and what the checker says about it.
pub struct Checked {
    loaded: Loaded,
    bounds: Bounds,
    checks: Checks,
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
        let search = arguments.search.resolve(arguments)?;
        let loaded = load(&arguments.input(), checks)?;
        let program = &loaded.program;
        let bounds = arguments.bounds();
        check_loop_names(program, bounds.unwind_set.keys())?;
        let loading = start.elapsed();
        let options = Options {
            bounds: bounds.clone(),
            config: config(&arguments.behaviour, checks, program),
            // Users count from when they press the key.
            time: arguments
                .time
                .map(|limit| Duration::from_secs(limit).saturating_sub(loading)),
            memory: arguments.memory,
            dump: arguments.dump.clone(),
            reductions: arguments.reductions(),
            search,
            all_violations: arguments.all_violations,
        };
        let watch = Watch::start(None);
        let latest: Mutex<Option<Progress>> = Mutex::new(None);
        let describe = || Some(describe_progress(latest.lock().ok()?.as_ref()?));
        let report = watch.accompany(describe, || {
            ::check::check(program, &options, &|progress| {
                if let Ok(mut latest) = latest.lock() {
                    *latest = Some(progress.clone());
                }
                watch.keep_going(|| describe_progress(progress))
            })
        });
        watch.finish();
        if let (Some(path), check::Verdict::Violated(run)) = (&arguments.save, &report.verdict) {
            write_schedule(path, &run.schedule)?;
            for (index, run) in report.more.iter().enumerate() {
                let mut path = path.as_os_str().to_owned();
                path.push(format!(".{}", index + 2));
                write_schedule(Path::new(&path), &run.schedule)?;
            }
        }
        if let Some(path) = &arguments.search.result {
            write_result(path, program, &options, &report, start.elapsed())?;
        }
        let cost = Cost {
            elapsed: start.elapsed(),
            loading,
            peak_memory: solve::memory::peak(),
        };
        Ok(Checked {
            loaded,
            bounds,
            checks,
            report,
            cost,
        })
    }

    pub fn verdict(&self) -> Verdict {
        Verdict::of_check(&self.report.verdict, &self.bounds)
    }

    /// Prints the result.
    pub fn tell(&self, arguments: &Arguments) -> Result<(), Failure> {
        let program = &self.loaded.program;
        if arguments.json {
            let json = report::check_to_json(program, &self.report, &self.bounds, &self.cost);
            return print(format!("{json:#}\n"));
        }
        let mut text = report::render_check(
            program,
            &self.report,
            &self.bounds,
            &replay(arguments, self.checks),
            terminal_width(),
        );
        if arguments.stats {
            text.push_str(&report::render_statistics(&self.report, &self.cost));
        }
        print(text)
    }

    pub fn status(&self) -> Result<Status, Failure> {
        if let Some(reason) = &self.report.misfit {
            return Err(Failure::Checkpoint(reason.clone()));
        }
        match self.verdict() {
            Verdict::Violated => Ok(Status::Violated),
            Verdict::Safe | Verdict::SafeWithinBounds => Ok(Status::Fine),
            Verdict::Unknown => match &self.report.verdict {
                check::Verdict::Unknown { reason, .. } => match internal_error(reason) {
                    Some(what) => Err(Failure::Internal(what.to_owned())),
                    None => Ok(Status::Unknown),
                },
                _ => Ok(Status::Unknown),
            },
        }
    }
}

/// What was found, for `threadbare combine`.
fn write_result(
    path: &Path,
    program: &ir::Program,
    options: &Options,
    report: &Report,
    elapsed: Duration,
) -> Result<(), Failure> {
    let limits = match &report.verdict {
        check::Verdict::SafeUpTo(limits) => Some(limits),
        _ => report.limits_of_part.as_ref(),
    };
    let limits = limits.map(|limits| report::describe_limits(program, limits));
    let seconds = elapsed.as_secs_f64();
    let digest = ::replay::digest(program);
    let result = SliceResult::of(digest, options, report, limits.unwrap_or_default(), seconds);
    let result = result.ok_or_else(|| Failure::Internal("a result without bounds".to_owned()))?;
    let text = serde_json::to_string_pretty(&result)
        .map_err(|error| Failure::Internal(error.to_string()))?;
    std::fs::write(path, text + "\n").map_err(|error| Failure::Write {
        path: path.to_owned(),
        error,
    })
}

/// What the checker calls a mistake of ours.
fn internal_error(reason: &str) -> Option<&str> {
    let what = reason.strip_prefix("internal error")?;
    Some(what.trim_start_matches([':', ' ']))
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
    let stage = match progress.stage {
        Stage::Unfolding => "unfolding",
        Stage::Encoding => "encoding",
        Stage::Solving => "solving",
        Stage::Replaying => "replaying",
    };
    let mut text = stage.to_owned();
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
    fn mistakes_of_ours_are_recognised() {
        assert_eq!(internal_error("internal error: no run"), Some("no run"));
        assert_eq!(internal_error("the time was over"), None);
    }

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
