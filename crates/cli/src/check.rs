//! `threadbare check`: all schedules at once, with a solver. Hands the user's
//! bounds to the checker and tells what it says; a violation has been replayed
//! by then.

use crate::args::Check as Arguments;
use crate::input::{config, load};
use crate::progress::{Watch, is_interrupted};
use crate::run::{format_of, write_schedule};
use crate::{Failure, Status, exit_code, guard, mention, print, say, svcomp, terminal_width};
use check::{Advise, Engine, Options, Order, Progress, Reason, Stage, Suppressions};
use library::MemoryModel;
use replay::{Checks, Conclusion, Property};
use report::Replay;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use threadbare::{Answer, Error, Host, Program, Question};

pub(crate) fn check(arguments: &Arguments) -> Result<Status, Failure> {
    if arguments.svcomp {
        return svcomp::check(arguments);
    }
    let format = format_of(arguments.json);
    guard::keep(&arguments.limits, format);
    Checked::of(arguments, arguments.checks(), &|checked| {
        mention(checked.tell(arguments));
        checked.keep(arguments);
        checked.status()
    })
}

/// Takes the memory model that the program asks for, unless the user has chosen one, the
/// rules of the competition have, or what is asked for makes sense for interleavings only.
fn choose_memory_model(arguments: &Arguments, program: &Program, options: &mut Options) {
    if arguments.svcomp || arguments.memory_model.is_some() {
        return;
    }
    let mut weaker = options.clone();
    // Whoever asks for weaker orders asks about runs that come with them.
    weaker.config.surroundings.memory_model = match arguments.weakest {
        true => MemoryModel::Rc11,
        false => program.memory_model(),
    };
    if Engine::Order.fits(&weaker) {
        *options = weaker;
    }
}

/// What the checker says about a program.
pub(crate) struct Checked {
    pub answer: Answer,
}

/// Tells the user what came of it.
type Tell<'t> = dyn Fn(&Checked) -> Result<Status, Failure> + Sync + 't;

impl Checked {
    /// Checks a program, and has it told what came of it.
    pub(crate) fn of(
        arguments: &Arguments,
        checks: Checks,
        tell: &Tell<'_>,
    ) -> Result<Status, Failure> {
        let checked = Checked::find(arguments, checks, tell)?;
        guard::begin_to_tell();
        tell(&checked)
    }

    fn find(arguments: &Arguments, checks: Checks, tell: &Tell<'_>) -> Result<Checked, Failure> {
        let mut options = Options {
            bounds: arguments.bounds(),
            config: config(&arguments.behaviour, checks),
            time: arguments.limits.time.map(Duration::from_secs),
            memory: arguments.limits.memory,
            dump: arguments.dump.clone(),
            reductions: arguments.reductions(),
            search: arguments.search.resolve(arguments)?,
            engines: arguments.search.engines(),
            encodings: arguments.search.encodings(),
            all_violations: arguments.all_violations,
            suppressions: suppressions(arguments)?,
            coverage: arguments.coverage.is_some(),
            looks_beside: true,
            advise: Advise {
                stronger: arguments.suggest_orders,
                weaker: arguments.weakest,
            },
        };
        options.config.surroundings.memory_model = arguments.memory_model.unwrap_or_default();
        // That is what the rules of the competition say.
        if arguments.svcomp {
            options.config.surroundings.undefined = library::Undefined::Any;
        }
        // What is asked wrongly is told before anything is compiled.
        options.validate().map_err(Error::Conflict)?;
        let program = load(
            &arguments.input(),
            Some(&arguments.behaviour),
            checks,
            &arguments.limits,
        )?;
        choose_memory_model(arguments, &program, &mut options);
        // Users count from when they press the key.
        let elapsed = guard::elapsed();
        options.time = options.time.map(|limit| limit.saturating_sub(elapsed));
        let question = Question::with(&program, options);
        let user = User {
            watch: Watch::start(&arguments.limits),
            latest: Mutex::new(None),
            tell,
        };
        guard::beside("the program is checked");
        let watch = &user.watch;
        let answer = watch.accompany(|| user.describe(), || question.answer_for(&user));
        watch.finish();
        let answer = answer?;
        let report = answer.report();
        for attempt in &report.attempts {
            let failures = attempt.search.failures.iter();
            failures.for_each(|failure| watch.warn(failure));
        }
        for (engine, reason) in &report.failures {
            watch.warn(&report::describe_failure(*engine, reason));
        }
        Ok(Checked { answer })
    }

    /// Prints the result.
    pub(crate) fn tell(&self, arguments: &Arguments) -> Result<(), Failure> {
        if arguments.json {
            return print(format!("{:#}\n", self.answer.to_json()));
        }
        let replay = replay(arguments, self.answer.options().config.checks);
        let mut text = self.answer.to_text(terminal_width(), Some(&replay));
        if arguments.stats {
            text.push_str(&report::render_statistics(
                self.answer.report(),
                &self.answer.cost(),
            ));
        }
        print(text)
    }

    /// Writes the files that the user wants. The verdict stands, whatever becomes of
    /// them.
    pub(crate) fn keep(&self, arguments: &Arguments) {
        mention(self.keep_schedules(arguments));
        mention(self.keep_coverage(arguments));
        mention(self.keep_result(arguments));
    }

    fn keep_schedules(&self, arguments: &Arguments) -> Result<(), Failure> {
        if let (Some(path), Some(run)) = (&arguments.save, self.answer.violation()) {
            write_schedule(path, &run.schedule)?;
            for (index, run) in self.answer.report().more.iter().enumerate() {
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
        let text = report::render_lcov(&self.answer.report().lines);
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
        let result = self.answer.to_slice_result();
        let mut result =
            result.ok_or_else(|| Failure::Internal("a result without bounds".to_owned()))?;
        let internal = |error: serde_json::Error| Failure::Internal(error.to_string());
        if let Some(key) = &self.answer.options().search.key {
            result.seal(key).map_err(internal)?;
        }
        let text = serde_json::to_string_pretty(&result).map_err(internal)?;
        std::fs::write(path, text + "\n").map_err(|error| Failure::Write {
            path: path.to_owned(),
            error,
        })
    }

    pub(crate) fn status(&self) -> Result<Status, Failure> {
        let reason = self.answer.verdict().reason();
        match reason {
            Some(Reason::Checkpoint { problem }) => {
                return Err(Failure::Checkpoint(problem.clone()));
            }
            Some(Reason::Internal(internal)) => {
                return Err(Failure::Internal(report::describe_internal(internal)));
            }
            _ => {}
        }
        Ok(match self.answer.verdict().conclusion() {
            Conclusion::Violated => Status::Violated,
            Conclusion::Safe | Conclusion::SafeWithinBounds => Status::Fine,
            Conclusion::Unknown => Status::Unknown,
        })
    }
}

/// The file of suppressions, if there is one.
fn suppressions(arguments: &Arguments) -> Result<Suppressions, Failure> {
    let Some(path) = &arguments.suppressions else {
        return Ok(Suppressions::default());
    };
    let text = std::fs::read_to_string(path).map_err(|error| Failure::Read {
        path: path.clone(),
        error,
    })?;
    let (suppressions, ignored) = match Suppressions::parse(&text) {
        Ok(parsed) => parsed,
        Err(wrong) => {
            return Err(Failure::Suppression {
                path: path.clone(),
                line: wrong.line,
                text: wrong.text,
            });
        }
    };
    for line in ignored {
        say(format!(
            "threadbare: {}:{}: {}: has no effect, only race: and deadlock: have\n",
            path.display(),
            line.line,
            line.kind
        ));
    }
    Ok(suppressions)
}

/// Whoever waits for the answer.
struct User<'t> {
    watch: Watch,
    /// What they were last told.
    latest: Mutex<Option<Progress>>,
    tell: &'t Tell<'t>,
}

impl User<'_> {
    fn describe(&self) -> Option<String> {
        Some(describe_progress(self.latest.lock().ok()?.as_ref()?))
    }
}

impl Host for User<'_> {
    fn keep_going(&self, progress: &Progress) -> bool {
        let failures = progress.search.iter().flat_map(|search| &search.failures);
        failures.for_each(|failure| self.watch.warn(failure));
        if let Ok(mut latest) = self.latest.lock() {
            *latest = Some(progress.clone());
        }
        self.watch.show_now_and_then(|| describe_progress(progress));
        !is_interrupted()
    }

    fn is_interrupted(&self) -> bool {
        is_interrupted()
    }

    /// Nobody wants to wait for work that cannot be interrupted.
    fn overdue(&self, answer: Answer) {
        guard::begin_to_tell();
        self.watch.finish();
        let result = (self.tell)(&Checked { answer });
        guard::exit(exit_code(result));
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
        Stage::Replaying => "replaying what was found".to_owned(),
        Stage::Sampling => "runs at random".to_owned(),
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
