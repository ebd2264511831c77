//! A small program to be guided through, and what is looked up in it. Lines are
//! named by a comment, `/* a */`; an instruction is then the only one of its kind
//! on its line.

use ir::{Body, Callee, FunctionId, Inst, InstId, Op, Program, Type};
use replay::{
    Config, DoesNotFit, Guide, GuidedInput, Image, Mark, Outcome, Property, Run, Schedule, Stretch,
    ViolationKind,
};
use tests::{clang, run};

const MAX_STEPS: u64 = 10_000;

/// A program and what is looked up in it.
pub(crate) struct Subject {
    text: &'static str,
    pub program: Program,
    pub config: Config,
}

impl Subject {
    pub(crate) fn new(text: &'static str) -> Subject {
        let folder = tempfile::tempdir().expect("should make a temporary folder");
        let file = folder.path().join("prog.c");
        std::fs::write(&file, text).expect("should write");
        let program = clang::default().load(&file, &[]).expect("should load");
        let config = Config {
            keep_output: true,
            ..Config::default()
        };
        Subject {
            text,
            program,
            config,
        }
    }

    /// Without a look at data races, which would end most runs early.
    pub(crate) fn without_races(text: &'static str) -> Subject {
        let mut subject = Subject::new(text);
        subject.config.checks = subject.config.checks.without(Property::Race);
        subject
    }

    pub(crate) fn line(&self, label: &str) -> u32 {
        let comment = format!("/* {label} */");
        let mut lines = self.text.lines().enumerate();
        let found = lines.find(|(_, line)| line.contains(&comment));
        let (index, _) = found.unwrap_or_else(|| panic!("no line has {comment}"));
        index as u32 + 1
    }

    /// The only instruction on a line that does this: `load` (of something else
    /// than a pointer), `store`, or the name of a function that is called.
    pub(crate) fn inst(&self, label: &str, what: &str) -> (FunctionId, InstId) {
        let line = self.line(label);
        let mut found = Vec::new();
        for (function, data) in self.program.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            for (inst, data) in body.insts.iter() {
                let is_here = data.location.is_some_and(|location| location.line == line);
                if is_here && self.does(body, data, what) {
                    found.push((function, inst));
                }
            }
        }
        match found[..] {
            [only] => only,
            _ => panic!("line {line} has {} of {what}", found.len()),
        }
    }

    fn does(&self, body: &Body, inst: &Inst, what: &str) -> bool {
        match &inst.op {
            Op::Load { .. } => {
                let ty = inst.result.map(|result| &body.values[result]);
                what == "load" && ty != Some(&Type::Pointer)
            }
            Op::Store { .. } => what == "store",
            Op::Call {
                callee: Callee::Direct(function),
                ..
            } => self.program.functions[*function].name == what,
            _ => false,
        }
    }

    /// A stretch until the first part of an execution.
    pub(crate) fn until(&self, thread: usize, label: &str, what: &str, count: u64) -> Stretch {
        self.until_part(thread, label, what, count, 0)
    }

    pub(crate) fn until_part(
        &self,
        thread: usize,
        label: &str,
        what: &str,
        count: u64,
        part: u32,
    ) -> Stretch {
        let (function, inst) = self.inst(label, what);
        let until = Mark::Inst {
            function,
            inst,
            count,
            part,
        };
        Stretch { thread, until }
    }

    pub(crate) fn input(
        &self,
        thread: usize,
        label: &str,
        what: &str,
        (count, index): (u64, u32),
        value: u128,
    ) -> GuidedInput {
        let (function, inst) = self.inst(label, what);
        GuidedInput {
            thread,
            function,
            inst,
            count,
            index,
            value,
        }
    }

    pub(crate) fn run(&self, guide: &Guide) -> Result<Run, DoesNotFit> {
        let image = run::image(&self.program, &self.config).expect("should fit");
        guided(&image, &self.config, guide)
    }

    /// Runs with stretches only.
    pub(crate) fn follow(&self, stretches: &[Stretch], finally: usize) -> Result<Run, DoesNotFit> {
        self.run(&Guide {
            stretches: stretches.to_vec(),
            finally,
            ..Guide::default()
        })
    }
}

/// Follows a guide, and then the schedule that comes out.
pub(crate) fn guided(image: &Image, config: &Config, guide: &Guide) -> Result<Run, DoesNotFit> {
    let run = replay::run_guided(image, config, 7, guide, true, MAX_STEPS, &mut |_| true)?;
    check_repeats(image, config, &run);
    Ok(run)
}

pub(crate) fn check_repeats(image: &Image, config: &Config, run: &Run) {
    let schedule = Schedule::parse(&run.schedule.to_string()).expect("should parse");
    assert_eq!(schedule, run.schedule);
    assert_eq!(schedule.digest, 7);
    let again = replay::run_schedule(image, config, &schedule, true).expect("should fit");
    let outcome = match &run.outcome {
        Outcome::StepLimit | Outcome::Interrupted => &Outcome::ScheduleEnded,
        outcome => outcome,
    };
    assert_eq!(again.outcome, *outcome);
    assert_eq!(again.violations, run.violations);
    assert_eq!(again.schedule, run.schedule);
    assert_eq!(again.trace, run.trace);
    assert_eq!(again.thread_names, run.thread_names);
    assert_eq!(again.standard_output, run.standard_output);
    assert_eq!(again.unknown_calls, run.unknown_calls);
    assert_eq!(again.steps, run.steps);
    assert_eq!(again.instructions, run.instructions);
}

pub(crate) fn end(thread: usize) -> Stretch {
    let until = Mark::End;
    Stretch { thread, until }
}

pub(crate) fn exit(thread: usize) -> Stretch {
    let until = Mark::Exit;
    Stretch { thread, until }
}

pub(crate) fn start(thread: usize) -> Stretch {
    let until = Mark::Start;
    Stretch { thread, until }
}

/// Threads and steps.
pub(crate) fn contexts(run: &Run) -> Vec<(usize, u64)> {
    let contexts = run.schedule.contexts.iter();
    contexts.map(|c| (c.thread, c.steps)).collect()
}

pub(crate) fn kinds(run: &Run) -> Vec<ViolationKind> {
    run.violations.iter().map(|v| v.kind).collect()
}

pub(crate) fn problem(result: Result<Run, DoesNotFit>) -> String {
    match result {
        Ok(run) => panic!("fits, and ends with {:?}", run.outcome),
        Err(misfit) => misfit.to_string(),
    }
}
