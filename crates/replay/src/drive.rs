//! Drivers for single runs: at random, or along a given schedule.
//!
//! Both record the schedule they follow, so that any run can be repeated.

use crate::coverage::Coverage;
use crate::event::Event;
use crate::image::Image;
use crate::inputs::{Domain, Input, Inputs, NoInput, Request};
use crate::machine::{Config, Cut, Machine, Stop, UnknownCall, Unsupported};
use crate::schedule::{Options, Schedule};
use crate::thread::Stuck;
use crate::violation::{Violation, ViolationKind};
use crate::weak::Picture;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Exited(i32),
    Aborted,
    /// The last of the run's violations is one that cannot be survived.
    Violated,
    /// Undefined behaviour of a kind that was not asked for.
    Undefined(ViolationKind),
    /// An assumption of the program does not hold in this run.
    Assumption,
    /// A thread loops for ever in this function, and no other can go on.
    Endless(String),
    Cut(Cut),
    /// The limit on visible steps was reached.
    StepLimit,
    /// Whoever asked for the run did not want to wait any longer.
    Interrupted,
    Unsupported(Unsupported),
    /// The schedule ends before the run does.
    ScheduleEnded,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    pub outcome: Outcome,
    pub violations: Vec<Violation>,
    pub schedule: Schedule,
    pub trace: Vec<Event>,
    /// The function each thread runs.
    pub thread_names: Vec<String>,
    pub standard_output: Vec<u8>,
    pub standard_error: Vec<u8>,
    pub unknown_calls: Vec<UnknownCall>,
    /// If it was asked for.
    pub coverage: Option<Coverage>,
    /// What happened, under a weak memory model, if the run was traced.
    pub picture: Option<Picture>,
    pub steps: u64,
    pub instructions: u64,
}

/// Why a schedule cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schedule does not fit the program: {0}")]
pub struct DoesNotFit(pub String);

/// Runs the program with choices made at random. The same seed gives the same
/// run. `keep_going` is asked now and then, with the number of steps so far.
pub fn run_random(
    image: &Image,
    config: &Config,
    digest: u64,
    seed: u64,
    max_steps: u64,
    is_traced: bool,
    keep_going: &mut dyn FnMut(u64) -> bool,
) -> Run {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut inputs = RandomInputs(random.fork());
    let (machine, started) = Machine::start(image, config, &mut inputs, is_traced);
    let mut recorder = Recorder::new(machine, config, digest, started);
    let mut last = 0;
    while recorder.outcome.is_none() {
        if recorder.steps >= max_steps {
            recorder.outcome = Some(Outcome::StepLimit);
            break;
        }
        if recorder.steps.is_multiple_of(256) && !keep_going(recorder.steps) {
            recorder.outcome = Some(Outcome::Interrupted);
            break;
        }
        let enabled = recorder.enabled();
        // Staying with a thread for a while reaches more than switching at every
        // step: most bugs need few switches.
        if !enabled.contains(&last) || random.u8(..4) == 0 {
            last = enabled[random.usize(..enabled.len())];
        }
        recorder.step(last, &mut inputs);
    }
    recorder.finish()
}

struct RandomInputs(fastrand::Rng);

impl Inputs for RandomInputs {
    fn choose(&mut self, request: &Request) -> Result<u128, NoInput> {
        Ok(match request.domain {
            Domain::Below(count) => u128::from(self.0.u64(..count)),
            Domain::Pointer(_) => 0,
            Domain::Bits(width) => {
                let value = match self.0.u8(..4) {
                    0 => 0,
                    1 => 1,
                    2 => u128::from(self.0.u8(..16)),
                    _ => self.0.u128(..),
                };
                crate::value::truncate(value, width)
            }
        })
    }
}

/// Runs the program along a schedule.
pub fn run_schedule(
    image: &Image,
    config: &Config,
    schedule: &Schedule,
    is_traced: bool,
) -> Result<Run, DoesNotFit> {
    let mut inputs = GivenInputs::of(schedule);
    let (machine, started) = Machine::start(image, config, &mut inputs, is_traced);
    let mut recorder = Recorder::new(machine, config, schedule.digest, started);
    'contexts: for (index, context) in schedule.contexts.iter().enumerate() {
        for _ in 0..context.steps {
            if recorder.outcome.is_some() {
                // The last context may ask for more steps than were left.
                if index + 1 < schedule.contexts.len() && recorder.misfit.is_none() {
                    let what = format!("the run ends in context {} already", index + 1);
                    return Err(DoesNotFit(what));
                }
                break 'contexts;
            }
            recorder.check_choice(index, context.thread)?;
            recorder.step(context.thread, &mut inputs);
        }
    }
    if recorder.outcome.is_none() {
        recorder.outcome = Some(Outcome::ScheduleEnded);
    }
    if let Some(misfit) = recorder.misfit.take() {
        return Err(DoesNotFit(misfit));
    }
    if inputs.next < schedule.inputs.len() {
        let unused = schedule.inputs.len() - inputs.next;
        return Err(DoesNotFit(format!(
            "{unused} of its inputs are not asked for"
        )));
    }
    Ok(recorder.finish())
}

pub(crate) struct GivenInputs<'s> {
    schedule: &'s Schedule,
    next: usize,
}

impl<'s> GivenInputs<'s> {
    pub(crate) fn of(schedule: &'s Schedule) -> Self {
        GivenInputs { schedule, next: 0 }
    }
}

impl Inputs for GivenInputs<'_> {
    fn choose(&mut self, request: &Request) -> Result<u128, NoInput> {
        let asked = format!(
            "thread {} asks for an input of kind '{}'",
            request.thread,
            request.kind.name()
        );
        let next = self.schedule.inputs.get(self.next);
        let is_meant = |input: &Input| (input.thread, input.kind) == (request.thread, request.kind);
        // A schedule that was made for interleavings is one under every model.
        if request.kind.is_of_memory_model() && !next.is_some_and(is_meant) {
            return Ok(0);
        }
        let Some(input) = next else {
            return Err(NoInput(format!("{asked}, but no inputs are left")));
        };
        self.next += 1;
        if !is_meant(input) {
            return Err(NoInput(format!(
                "{asked}, but the next is of kind '{}' for thread {}",
                input.kind.name(),
                input.thread
            )));
        }
        if !request.domain.contains(input.value) {
            return Err(NoInput(format!(
                "{asked}, but {} is out of range",
                input.value
            )));
        }
        Ok(input.value)
    }
}

/// A run in progress, with everything that will be reported about it.
pub(crate) struct Recorder<'a> {
    pub machine: Machine<'a>,
    schedule: Schedule,
    pub violations: Vec<Violation>,
    pub outcome: Option<Outcome>,
    pub misfit: Option<String>,
    pub steps: u64,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        machine: Machine<'a>,
        config: &Config,
        digest: u64,
        started: Result<(), Stop>,
    ) -> Self {
        let mut recorder = Recorder {
            machine,
            schedule: Schedule {
                digest,
                options: Options::of(config),
                ..Schedule::default()
            },
            violations: Vec::new(),
            outcome: None,
            misfit: None,
            steps: 0,
        };
        recorder.note(started);
        recorder
    }

    fn enabled(&self) -> Vec<usize> {
        let threads = 0..self.machine.thread_count();
        threads.filter(|id| self.machine.is_enabled(*id)).collect()
    }

    pub(crate) fn check_choice(&self, context: usize, thread: usize) -> Result<(), DoesNotFit> {
        let problem = if thread >= self.machine.thread_count() {
            "which does not exist yet"
        } else if self.machine.thread(thread).is_finished() {
            "which has ended"
        } else if !self.machine.is_enabled(thread) {
            "which has to wait"
        } else {
            return Ok(());
        };
        let context = context + 1;
        let what = format!("context {context} is of thread {thread}, {problem}");
        Err(DoesNotFit(what))
    }

    pub(crate) fn step(&mut self, thread: usize, inputs: &mut dyn Inputs) {
        self.steps += 1;
        self.schedule.push_step(thread);
        let result = self.machine.step(thread, inputs);
        self.note(result);
    }

    /// Takes note of what a step has led to.
    fn note(&mut self, result: Result<(), Stop>) {
        for violation in self.machine.take_noticed() {
            if !self.violations.contains(&violation) {
                self.violations.push(violation);
            }
        }
        let stop = match result {
            Ok(()) => match self.machine.exit_code() {
                Some(code) => {
                    self.outcome = Some(Outcome::Exited(code));
                    return;
                }
                None if self.enabled().is_empty() => {
                    let stop = self.machine.deadlock();
                    if stop.is_none() {
                        self.outcome = Some(self.stuck_outcome());
                        return;
                    }
                    stop
                }
                None => None,
            },
            Err(stop) => Some(stop),
        };
        self.outcome = stop.map(|stop| match stop {
            Stop::Violation(violation) => {
                self.violations.push(*violation);
                Outcome::Violated
            }
            Stop::Undefined(kind) => Outcome::Undefined(kind),
            Stop::Assumption => Outcome::Assumption,
            Stop::Aborted => Outcome::Aborted,
            Stop::Endless(function) => Outcome::Endless(function),
            Stop::Cut(cut) => Outcome::Cut(cut),
            Stop::Unsupported(unsupported) => Outcome::Unsupported(unsupported),
            Stop::NoInput(what) => {
                self.misfit = Some(what);
                Outcome::ScheduleEnded
            }
        });
    }

    /// Nobody can go on, and at least one thread is stuck.
    fn stuck_outcome(&self) -> Outcome {
        for stuck in self.machine.stuck() {
            match stuck {
                Stuck::Assumption => {}
                Stuck::Undefined(kind) => return Outcome::Undefined(*kind),
                Stuck::Endless { function, .. } => return Outcome::Endless(function.clone()),
            }
        }
        Outcome::Assumption
    }

    pub(crate) fn finish(mut self) -> Run {
        self.schedule.inputs = self.machine.inputs().to_vec();
        let machine = self.machine;
        Run {
            outcome: self.outcome.unwrap_or(Outcome::ScheduleEnded),
            violations: self.violations,
            schedule: self.schedule,
            trace: machine.trace().to_vec(),
            thread_names: (0..machine.thread_count())
                .map(|id| machine.thread(id).name.to_string())
                .collect(),
            standard_output: machine.standard_output().to_vec(),
            standard_error: machine.standard_error().to_vec(),
            unknown_calls: machine.unknown_calls().to_vec(),
            coverage: machine.coverage.as_deref().cloned(),
            picture: machine.trace.as_ref().and_then(|_| machine.picture()),
            steps: self.steps,
            instructions: machine.instructions(),
        }
    }
}
