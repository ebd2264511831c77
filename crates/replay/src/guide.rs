//! Guided runs: along a schedule that is known in terms of instructions.
//!
//! Whoever finds a schedule by reasoning about the program does not know all
//! visible steps: what can be proved private takes none there. So a [`Guide`]
//! says, for one stretch after the other, which thread runs and which
//! instruction it gets done; and it gives inputs to the executions of
//! instructions that ask for them. The run that comes out is an ordinary one,
//! recorded as a [`Schedule`] that [`crate::run_schedule`] repeats.
//!
//! # What an execution is
//!
//! Executions of an instruction are counted from 1, for each thread on its own
//! and for all its calls of the function together. Counting starts with the
//! program: what runs before `main` (constructors of global objects) counts for
//! thread 0. Terminators of blocks and phis are not instructions; but returns
//! from each function are counted in the same way, since the end of locals that
//! others may know is a visible step.
//!
//! - An execution begins when the thread gets to the instruction. If it is a
//!   visible step that has to wait for its turn, or for a lock, it goes on when
//!   the turn comes: it is counted once, however often it is tried.
//! - It has taken part 0 when it has taken its first visible step, part 1 with
//!   the second, and so on. Two visible steps are taken by waits for conditions
//!   and at futexes, by waits at barriers (but one by the thread that completes the barrier), by
//!   `pthread_once` (but one if the routine has run before), and by `memcpy` and
//!   its relatives between two shared blocks (but one if only one of them is
//!   shared).
//! - It is over when the thread moves on; all its parts are then done, even if
//!   there were fewer, or none because nothing about it was visible. What is over
//!   may be more than was asked for, since local work is done right after the
//!   visible step before it.
//! - The call of a function with a body is over as soon as the function is
//!   entered. The instructions inside are executions of their own. Library
//!   functions that call back (`pthread_once`, `qsort`, `bsearch`) are over when
//!   they return.
//! - An atomic section is one visible step, that of the call of
//!   `__VERIFIER_atomic_begin` or of the `__VERIFIER_atomic_*` function: when
//!   that is done, so is everything in the section. A thread whose own function
//!   is of that kind has no such call; all of it is its first step.
//! - `pthread_create` also runs the local work at the start of the new thread.
//!   That counts for the new thread.
//!
//! # Inputs
//!
//! An input is asked for by the instruction that the innermost call is executing
//! then: a call of `__VERIFIER_nondet_*` or of an unknown function, the first
//! read of memory that was never written (in pieces of at most 16 bytes, lowest
//! first; a piece that is written in part is asked for as a whole, and only the
//! other bytes are used), a signal (the value is a place in the list of waiting
//! threads, sorted by their numbers), and so on. If there is only one answer,
//! nothing is asked, and `index` does not count it. Which freed address an
//! allocation gets is better said by naming the allocation that had it first.
//! Arguments of the program that are inputs are asked for before anything runs, by
//! nobody: they have a list of their own.
//!
//! This module must not know where guides come from.

use crate::count::Counter;
use crate::drive::{DoesNotFit, GivenInputs, Outcome, Recorder, Run};
use crate::image::Image;
use crate::inputs::{
    Addressed, Allocation, Asker, Execution, Incident, InputKind, Inputs, NoInput, Origin, Request,
};
use crate::machine::{Config, Machine};
use crate::schedule::Schedule;
use crate::thread::{End, Life, Phase, Stuck, Thread};
use crate::violation::Signature;
use ir::{FunctionId, InstId, Program};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Until where a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The thread's execution number `count` (from 1) of this instruction has
    /// taken its visible step number `part` (from 0), or is over.
    Inst {
        function: FunctionId,
        inst: InstId,
        count: u64,
        part: u32,
    },
    /// The next visible step of the thread is that one, or has been taken.
    Before {
        function: FunctionId,
        inst: InstId,
        count: u64,
        part: u32,
    },
    /// The thread has returned from this function so many times.
    Return { function: FunctionId, count: u64 },
    /// The thread has taken the visible step that ends it.
    End,
    /// The thread has taken the visible step with which it begins to end the process:
    /// functions that are registered for that follow.
    Exit,
    /// The thread has taken at least one visible step.
    Start,
}

/// A thread, by its number in order of creation, runs until a mark is reached.
/// If it is reached already, the thread takes no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub thread: usize,
    pub until: Mark,
}

/// The answer to one request of one execution of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuidedInput {
    pub thread: usize,
    pub function: FunctionId,
    pub inst: InstId,
    /// The thread's execution of the instruction, from 1.
    pub count: u64,
    /// Which of the inputs that this execution asks for, from 0.
    pub index: u32,
    pub value: u128,
}

/// An allocation gets the address that another one was the first to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuidedReuse {
    pub by: Allocation,
    pub of: Allocation,
}

/// Something happens to a thread before it takes a step, or the next one after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuidedIncident {
    pub thread: usize,
    /// The step; none if it is the end of the thread.
    pub before: Option<Execution>,
    pub what: Incident,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guide {
    pub stretches: Vec<Stretch>,
    /// In any order. An input that is not given is 0; one that is not among the
    /// possible answers is cut to their width, or is 0; one that is not asked for
    /// does not matter.
    pub inputs: Vec<GuidedInput>,
    /// Inputs that are addresses, by their place in the list of inputs. If there is no
    /// such object, the input is what is said there.
    pub addresses: Vec<(usize, Addressed)>,
    /// Addresses, which may also be given as inputs; what is said here comes first.
    pub reuses: Vec<GuidedReuse>,
    /// What reads see. Those that are not listed see the newest write.
    pub sources: Vec<(Execution, Origin)>,
    /// What writes come right after in the order of writes of their place. Those that
    /// are not listed come last. A read-modify-write comes after what it sees.
    pub orders: Vec<(Execution, Origin)>,
    /// Weak compare-exchanges that fail although they see what they expect.
    pub failures: Vec<Execution>,
    /// What happens to threads, in the order in which it does for each of them.
    pub interruptions: Vec<GuidedIncident>,
    /// How many arguments the program has that are inputs, and their characters, in
    /// the order in which they are asked for.
    pub arguments: Vec<u128>,
    /// The same for variables of the environment.
    pub variables: Vec<u128>,
    /// Who goes on after the last stretch.
    pub finally: usize,
    /// Violations that do not end the run, unless they end every run.
    pub known: Vec<Signature>,
}

/// Runs the program as a guide says, up to the first violation. `keep_going` is
/// asked now and then, with the number of steps so far.
///
/// The guide does not fit if a thread cannot step although its mark has not been
/// reached; unless a violation came before that, or the run ended for a reason
/// that lies outside of the program (its outcome is then a limit, or something
/// that is not supported). After the last stretch, the run goes on with one
/// thread for as long as that can step: whether there was a violation is for the
/// caller to see.
pub fn run_guided(
    image: &Image,
    config: &Config,
    digest: u64,
    guide: &Guide,
    is_traced: bool,
    max_steps: u64,
    keep_going: &mut dyn FnMut(u64) -> bool,
) -> Result<Run, DoesNotFit> {
    let mut inputs = GuidedInputs::of(guide);
    let counter = Some(Box::<Counter>::default());
    let (machine, started) = Machine::start_with(image, config, &mut inputs, is_traced, counter);
    let mut guided = Guided {
        recorder: Recorder::new(machine, config, digest, started),
        inputs: &mut inputs,
        ended: BTreeSet::new(),
        exiting: BTreeSet::new(),
        known: &guide.known,
        max_steps,
        keep_going,
    };
    for (index, stretch) in guide.stretches.iter().enumerate() {
        guided.follow(index, stretch)?;
    }
    guided.go_on(guide.finally)?;
    Ok(guided.recorder.finish())
}

/// The guide that leads along a schedule: a stretch for each context, until its
/// last step has been taken. It is the way back from what [`run_guided`] records,
/// for whoever wants to compare the two.
pub fn guide_along(
    image: &Image,
    config: &Config,
    schedule: &Schedule,
) -> Result<Guide, DoesNotFit> {
    let mut inputs = NotedInputs {
        given: GivenInputs::of(schedule),
        noted: Vec::new(),
        arguments: Vec::new(),
        variables: Vec::new(),
        sources: Vec::new(),
        orders: Vec::new(),
        failures: Vec::new(),
        interruptions: Vec::new(),
    };
    let counter = Some(Box::<Counter>::default());
    let (machine, started) = Machine::start_with(image, config, &mut inputs, false, counter);
    let mut guided = Guided {
        recorder: Recorder::new(machine, config, schedule.digest, started),
        inputs: &mut inputs,
        ended: BTreeSet::new(),
        exiting: BTreeSet::new(),
        known: &[],
        max_steps: u64::MAX,
        keep_going: &mut |_| true,
    };
    let mut guide = Guide::default();
    for (index, context) in schedule.contexts.iter().enumerate() {
        let thread = context.thread;
        let mut until = None;
        for _ in 0..context.steps {
            if guided.recorder.outcome.is_some() {
                break;
            }
            guided.recorder.check_choice(index, thread)?;
            until = Some(guided.next_mark(thread));
            guided.step(thread);
        }
        let stretch = until.map(|until| Stretch { thread, until });
        // A step that found out that it has to wait has reached nothing.
        guide
            .stretches
            .extend(stretch.filter(|stretch| guided.is_reached(stretch)));
        guide.finally = thread;
    }
    if let Some(misfit) = guided.recorder.misfit.take() {
        return Err(DoesNotFit(misfit));
    }
    guide.inputs = inputs.noted;
    guide.arguments = inputs.arguments;
    guide.variables = inputs.variables;
    guide.sources = inputs.sources;
    guide.orders = inputs.orders;
    guide.failures = inputs.failures;
    guide.interruptions = inputs.interruptions;
    Ok(guide)
}

/// Inputs as given by a schedule, with note taken of who asks for them.
struct NotedInputs<'s> {
    given: GivenInputs<'s>,
    noted: Vec<GuidedInput>,
    arguments: Vec<u128>,
    variables: Vec<u128>,
    sources: Vec<(Execution, Origin)>,
    orders: Vec<(Execution, Origin)>,
    failures: Vec<Execution>,
    interruptions: Vec<GuidedIncident>,
}

impl NotedInputs<'_> {
    /// What a weak memory model left open, and was not answered as usual.
    fn note_choice(&mut self, request: &Request, value: u128) {
        let Some(execution) = request.execution.filter(|_| value > 0) else {
            return;
        };
        let origin = request.origins.get(value as usize).copied().flatten();
        let choice = origin.map(|origin| (execution, origin));
        match request.kind {
            InputKind::Source => self.sources.extend(choice),
            InputKind::Order => self.orders.extend(choice),
            InputKind::WeakFailure => self.failures.push(execution),
            _ => {}
        }
    }
}

impl Inputs for NotedInputs<'_> {
    fn choose(&mut self, request: &Request) -> Result<u128, NoInput> {
        let value = self.given.choose(request)?;
        match request.kind {
            InputKind::Argument => self.arguments.push(value),
            InputKind::Variable => self.variables.push(value),
            _ => {}
        }
        self.note_choice(request, value);
        let interruption = request.interruptions.get(value as usize).copied().flatten();
        self.interruptions
            .extend(interruption.map(|what| GuidedIncident {
                thread: request.thread,
                before: request.execution,
                what,
            }));
        self.noted.extend(request.asker.map(|asker| GuidedInput {
            thread: request.thread,
            function: asker.function,
            inst: asker.inst,
            count: asker.count,
            index: asker.index,
            value,
        }));
        Ok(value)
    }
}

struct GuidedInputs {
    answers: HashMap<(usize, Asker), u128>,
    addresses: HashMap<(usize, Asker), Addressed>,
    reuses: HashMap<Allocation, Allocation>,
    arguments: std::vec::IntoIter<u128>,
    variables: std::vec::IntoIter<u128>,
    sources: HashMap<Execution, Origin>,
    orders: HashMap<Execution, Origin>,
    failures: HashSet<Execution>,
    /// Those that are still to come.
    interruptions: Vec<GuidedIncident>,
}

impl GuidedInputs {
    fn of(guide: &Guide) -> Self {
        let asker = |input: &GuidedInput| {
            let asker = Asker {
                function: input.function,
                inst: input.inst,
                count: input.count,
                index: input.index,
            };
            (input.thread, asker)
        };
        let answers = guide.inputs.iter().map(|input| (asker(input), input.value));
        let addresses = (guide.addresses.iter())
            .map(|(index, addressed)| (asker(&guide.inputs[*index]), *addressed));
        GuidedInputs {
            answers: answers.collect(),
            addresses: addresses.collect(),
            reuses: guide.reuses.iter().map(|one| (one.by, one.of)).collect(),
            arguments: guide.arguments.clone().into_iter(),
            variables: guide.variables.clone().into_iter(),
            sources: guide.sources.iter().copied().collect(),
            orders: guide.orders.iter().copied().collect(),
            failures: guide.failures.iter().copied().collect(),
            interruptions: guide.interruptions.clone(),
        }
    }
}

impl GuidedInputs {
    /// The answer that means the address which the guide wants.
    fn address(&self, request: &Request) -> Option<u128> {
        let asker = request.asker?;
        let by = Allocation {
            thread: request.thread,
            function: asker.function,
            inst: asker.inst,
            count: asker.count,
        };
        let of = self.reuses.get(&by)?;
        let index = request.homes.iter().position(|home| *home == Some(*of))?;
        Some(index as u128 + 1)
    }
}

impl Inputs for GuidedInputs {
    fn choose(&mut self, request: &Request) -> Result<u128, NoInput> {
        if let Some(address) = self.address(request) {
            return Ok(address);
        }
        let next = match request.kind {
            InputKind::Argument => Some(&mut self.arguments),
            InputKind::Variable => Some(&mut self.variables),
            _ => None,
        };
        if let Some(next) = next {
            return Ok(request.domain.fit(next.next().unwrap_or(0)));
        }
        let asker = request.asker.map(|asker| (request.thread, asker));
        let given = asker.and_then(|asker| self.answers.get(&asker));
        Ok(request.domain.fit(given.copied().unwrap_or(0)))
    }

    fn address(&self, request: &Request) -> Option<Addressed> {
        self.addresses
            .get(&(request.thread, request.asker?))
            .copied()
    }

    fn interruption(
        &mut self,
        thread: usize,
        is_due: &dyn Fn(Option<&Execution>) -> bool,
    ) -> Option<Option<Incident>> {
        let mut waiting = self.interruptions.iter();
        let next = waiting.position(|one| one.thread == thread);
        let due = next.filter(|index| is_due(self.interruptions[*index].before.as_ref()));
        Some(due.map(|index| self.interruptions.remove(index).what))
    }

    fn origin(&self, request: &Request) -> Result<Option<u128>, NoInput> {
        let Some(execution) = request.execution else {
            return Ok(None);
        };
        let wanted = match request.kind {
            InputKind::Source => self.sources.get(&execution),
            InputKind::Order => self.orders.get(&execution),
            InputKind::WeakFailure => {
                let fails = self.failures.contains(&execution);
                return Ok(fails.then_some(1));
            }
            _ => None,
        };
        let Some(wanted) = wanted else {
            return Ok(None);
        };
        let mut origins = request.origins.iter();
        match origins.position(|origin| origin.as_ref() == Some(wanted)) {
            Some(index) => Ok(Some(index as u128)),
            None => Err(NoInput(format!(
                "what thread {} should see, or come after, is not possible here",
                request.thread
            ))),
        }
    }
}

/// A guided run in progress.
struct Guided<'a, 'k> {
    recorder: Recorder<'a>,
    inputs: &'k mut dyn Inputs,
    /// Threads that have ended. The last one may then go on as the process, with
    /// what is to be done at its end.
    ended: BTreeSet<usize>,
    /// Threads that have begun to end the process.
    exiting: BTreeSet<usize>,
    known: &'k [Signature],
    max_steps: u64,
    keep_going: &'k mut dyn FnMut(u64) -> bool,
}

impl Guided<'_, '_> {
    fn follow(&mut self, index: usize, stretch: &Stretch) -> Result<(), DoesNotFit> {
        while !self.is_settled() && !self.is_reached(stretch) {
            if let Some(problem) = self.problem(stretch.thread) {
                let program = self.recorder.machine.image.program;
                return Err(DoesNotFit(format!(
                    "in stretch {}, thread {} should run until {}, but {problem}",
                    index + 1,
                    stretch.thread,
                    describe_mark(program, &stretch.until)
                )));
            }
            self.step(stretch.thread);
        }
        Ok(())
    }

    fn go_on(&mut self, thread: usize) -> Result<(), DoesNotFit> {
        while !self.is_settled() && self.recorder.outcome.is_none() {
            if thread >= self.recorder.machine.thread_count() {
                let what = format!("thread {thread} should go on, but does not exist");
                return Err(DoesNotFit(what));
            }
            if !self.recorder.machine.is_enabled(thread) {
                break;
            }
            self.step(thread);
        }
        Ok(())
    }

    /// There is nothing to add: a violation was found, or will not be.
    fn is_settled(&self) -> bool {
        let is_beyond = matches!(
            self.recorder.outcome,
            Some(
                Outcome::Violated
                    | Outcome::Cut(_)
                    | Outcome::StepLimit
                    | Outcome::Interrupted
                    | Outcome::Unsupported(_)
            )
        );
        let mut violations = self.recorder.violations.iter();
        is_beyond || violations.any(|violation| !self.known.contains(&violation.signature()))
    }

    fn is_reached(&self, stretch: &Stretch) -> bool {
        let machine = &self.recorder.machine;
        let thread = stretch.thread;
        match stretch.until {
            Mark::Inst {
                function,
                inst,
                count,
                part,
            } => {
                let counter = machine.counter.as_ref();
                counter.is_some_and(|counter| counter.has_done(thread, function, inst, count, part))
            }
            Mark::Before {
                function,
                inst,
                count,
                part,
            } => {
                let counter = machine.counter.as_ref();
                counter.is_some_and(|counter| {
                    let thread_data = machine.thread(thread);
                    let phase = thread_data.frame().map(|frame| &frame.phase);
                    // It may have read what nobody else can see, which was no step.
                    let has_read = matches!(phase, Some(Phase::Copying(_)));
                    let current = counter.current(thread_data);
                    let is_next = current.is_some_and(|execution| {
                        let place = (execution.function, execution.inst, execution.number);
                        place == (function, inst, count)
                            && (execution.steps == part || has_read && part == 1)
                    });
                    is_next || counter.has_done(thread, function, inst, count, part)
                })
            }
            Mark::Return { function, count } => {
                let counter = machine.counter.as_ref();
                counter.is_some_and(|counter| counter.returns(thread, function) >= count)
            }
            Mark::End => self.ended.contains(&thread),
            // With nothing to run, to begin with it would be to end it.
            Mark::Exit => {
                let has_nothing_to_run = thread < machine.thread_count()
                    && is_ending_process(machine.thread(thread))
                    && machine.at_exit.is_empty();
                self.exiting.contains(&thread) || has_nothing_to_run
            }
            Mark::Start => thread < machine.thread_count() && machine.thread(thread).steps > 0,
        }
    }

    /// What will be reached by the thread's next step.
    fn next_mark(&self, thread: usize) -> Mark {
        let machine = &self.recorder.machine;
        let thread = machine.thread(thread);
        if thread.frames.is_empty() {
            let has_more = is_ending_process(thread) && !machine.at_exit.is_empty();
            return if has_more { Mark::Exit } else { Mark::End };
        }
        let (Some(counter), Some(frame)) = (machine.counter.as_ref(), thread.frame()) else {
            return Mark::Start;
        };
        match counter.current(thread) {
            Some(execution) => Mark::Inst {
                function: execution.function,
                inst: execution.inst,
                count: execution.number,
                part: execution.steps,
            },
            // A thread that is one atomic step has not begun anything yet.
            None if thread.is_atomic_start => Mark::Start,
            None => Mark::Return {
                function: frame.function,
                count: counter.returns(thread.id, frame.function) + 1,
            },
        }
    }

    fn step(&mut self, thread: usize) {
        let recorder = &mut self.recorder;
        if recorder.steps >= self.max_steps {
            recorder.outcome = Some(Outcome::StepLimit);
            return;
        }
        if recorder.steps.is_multiple_of(256) && !(self.keep_going)(recorder.steps) {
            recorder.outcome = Some(Outcome::Interrupted);
            return;
        }
        let is_last_step = |machine: &Machine| {
            let thread = machine.thread(thread);
            thread.frames.is_empty() && matches!(thread.life, Life::Ending(End::Thread(_)))
        };
        let ends = is_last_step(&recorder.machine);
        let exits = is_ending_process(recorder.machine.thread(thread));
        recorder.step(thread, self.inputs);
        let after = recorder.machine.thread(thread);
        let is_over = recorder.machine.exit_code().is_some();
        // The handler of a signal may come before it.
        if exits && (is_over || after.is_exiting) {
            self.exiting.insert(thread);
        }
        let has_left = !matches!(after.life, Life::Ending(End::Thread(_)));
        if ends && has_left || after.is_finished() {
            self.ended.insert(thread);
        }
    }

    /// Why a thread cannot take its next step.
    fn problem(&self, id: usize) -> Option<String> {
        let machine = &self.recorder.machine;
        if let Some(outcome) = &self.recorder.outcome {
            return Some(format!("the run is over: {}", describe_outcome(outcome)));
        }
        if id >= machine.thread_count() {
            return Some("it does not exist".to_owned());
        }
        let thread = machine.thread(id);
        match &thread.life {
            Life::Finished(_) => return Some("it has ended".to_owned()),
            Life::Stuck(stuck) => {
                let place = match machine.location(thread) {
                    Some(location) => machine.image.program.describe_location(location),
                    None => "an unknown place".to_owned(),
                };
                return Some(format!("{} at {place}", describe_stuck(stuck)));
            }
            Life::Running | Life::Ending(_) => {}
        }
        (!machine.is_enabled(id)).then(|| machine.describe_wait(thread))
    }
}

/// Whether its next step is to end the process, or to begin with that.
fn is_ending_process(thread: &Thread) -> bool {
    thread.frames.is_empty() && matches!(thread.life, Life::Ending(End::Process(_)))
}

fn describe_mark(program: &Program, mark: &Mark) -> String {
    let (function, inst, count, part) = match mark {
        Mark::Inst {
            function,
            inst,
            count,
            part,
        }
        | Mark::Before {
            function,
            inst,
            count,
            part,
        } => (*function, *inst, *count, *part),
        Mark::Return { function, count } => {
            let function = program.functions.get(*function);
            let name = function.map_or("an unknown function", |function| &function.name);
            return format!("return {count} from {name}");
        }
        Mark::End => return "its end".to_owned(),
        Mark::Exit => return "the end of the process".to_owned(),
        Mark::Start => return "its first step".to_owned(),
    };
    let function = program.functions.get(function);
    let body = function.and_then(|function| function.body.as_ref());
    let location = body.and_then(|body| body.insts.get(inst)?.location);
    let place = location.map_or("an unknown place".to_owned(), |location| {
        program.describe_location(location)
    });
    let name = function.map_or("an unknown function", |function| &function.name);
    let part = match part {
        0 => String::new(),
        part => format!("part {part} of "),
    };
    format!("{part}execution {count} of {inst} at {place} in {name}")
}

fn describe_stuck(stuck: &Stuck) -> String {
    match stuck {
        Stuck::Assumption => "its assumption does not hold".to_owned(),
        Stuck::Undefined(kind) => format!("it has met undefined behaviour ({kind})"),
        Stuck::Endless { .. } => "it loops without any visible step".to_owned(),
    }
}

fn describe_outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("the process has ended with status {code}"),
        Outcome::Aborted => "the process was aborted".to_owned(),
        Outcome::Assumption => "an assumption does not hold".to_owned(),
        Outcome::Undefined(kind) => format!("undefined behaviour ({kind})"),
        Outcome::Endless(function) => format!("{function} loops for ever"),
        // None of these comes with a question.
        Outcome::Violated
        | Outcome::Cut(_)
        | Outcome::StepLimit
        | Outcome::Interrupted
        | Outcome::Unsupported(_)
        | Outcome::ScheduleEnded => "it goes no further".to_owned(),
    }
}
