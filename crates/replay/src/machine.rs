//! A run in progress: memory, threads, and how a step changes them.
//!
//! A *visible step* is an access to shared memory, a synchronisation operation,
//! an atomic section as a whole, the end of locals that others may know, or the
//! end of a thread. Between two visible steps a thread does only what no other
//! thread can notice; that local work is done at once, right after the visible
//! step before it. So a thread that is not finished always stands just before a
//! visible step, its [`Pending`] one, and whoever drives the run only chooses
//! which thread goes next and answers requests for inputs.
//!
//! This module must not choose anything itself, and must not print.

pub(crate) use crate::access::AccessMode;
use crate::count::Counter;
use crate::coverage::Coverage;
use crate::event::{Effect, Event};
use crate::footprint::{Footprint, Look};
use crate::image::Image;
use crate::inputs::{Input, Inputs, NoInput};
use crate::kernel::Kernel;
use crate::memory::{Memory, OutOfMemory};
use crate::open_inputs::OpenInputs;
use crate::open_names::OpenNames;
use crate::sync::{FutexWaiter, MutexType, OnceState, Sync, SyncTable};
use crate::thread::{Access, End, Life, Pending, Stuck, Then, Thread, Wait};
use crate::value::{Pointer, Value};
use crate::violation::{Checks, Property, Violation, ViolationKind};
use crate::weak::Weak;
use analysis::{LoopId, Site};
use ir::{BlockId, FunctionId, GlobalId, Location};
use library::{Surroundings, Undefined};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a run is allowed and asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    pub checks: Checks,
    /// Threads that wait for each other are a deadlock even if others can go on.
    pub partial_deadlocks: bool,
    /// How often a loop's header may be reached each time the loop is entered,
    /// and how deep a function may call itself.
    pub unwind: Option<u32>,
    /// The same for single loops, by function and header: these do not follow
    /// `unwind`. `u32::MAX` is no bound at all.
    pub unwind_loops: BTreeMap<(FunctionId, BlockId), u32>,
    pub surroundings: Surroundings,
    /// Bytes of all live objects together.
    pub memory_limit: u64,
    /// Instructions between two visible steps.
    pub local_limit: u64,
    /// Keep what the program prints.
    pub keep_output: bool,
    /// Keep where the run has been.
    pub keep_coverage: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            checks: Checks::default(),
            partial_deadlocks: true,
            unwind: None,
            unwind_loops: BTreeMap::new(),
            surroundings: Surroundings::default(),
            memory_limit: 1 << 30,
            local_limit: 100_000_000,
            keep_output: false,
            keep_coverage: false,
        }
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Violation(Box<Violation>),
    /// Undefined behaviour of a kind that was not asked for, in an atomic section.
    Undefined(ViolationKind),
    /// An assumption does not hold in an atomic section, or the section would have
    /// to wait: since nobody else can run meanwhile, that is the end.
    Assumption,
    /// The thread never leaves a loop, in this function.
    Endless(String),
    /// `abort` and its relatives: the process is gone.
    Aborted,
    /// A bound was reached.
    Cut(Cut),
    /// The program uses something that is not supported.
    Unsupported(Unsupported),
    /// An input was asked for that the driver does not have.
    NoInput(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cut {
    /// A loop would have gone round once more.
    Loop {
        function: FunctionId,
        id: LoopId,
        /// For people.
        place: String,
    },
    /// A function would have called itself once more.
    Recursion {
        function: FunctionId,
        /// For people.
        name: String,
    },
    /// A thread worked on its own for too long, in this function.
    LocalWork(String),
    Memory,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unsupported {
    pub what: String,
    pub location: Option<Location>,
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Self {
        Stop::Cut(Cut::Memory)
    }
}

impl From<NoInput> for Stop {
    fn from(error: NoInput) -> Self {
        Stop::NoInput(error.0)
    }
}

/// A call of a function that has neither a body nor a known meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownCall {
    pub function: FunctionId,
    /// The instruction.
    pub site: Site,
    /// What it returned when it was last called from here, if anything; of several
    /// words the first.
    pub returned: Option<u128>,
}

/// Behaviour that C allows and the settings exclude, where it would have made a
/// difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Excluded {
    /// A wait for a condition could have ended without a signal.
    SpuriousWakeups,
    /// An allocation could have had the address of another freed block.
    AddressReuse,
}

/// The outcome of one instruction.
pub(crate) enum Flow {
    Done,
    /// It is a visible step, and has not been carried out.
    Visible(Pending),
}

/// A `pthread_key_t`.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Key {
    pub destructor: Option<FunctionId>,
    pub is_alive: bool,
}

#[derive(Clone)]
pub struct Machine<'a> {
    pub(crate) image: &'a Image<'a>,
    pub(crate) config: &'a Config,
    pub(crate) memory: Memory,
    pub(crate) threads: Vec<Rc<Thread>>,
    pub(crate) sync: SyncTable,
    pub(crate) keys: Vec<Key>,
    /// Functions to call when the process ends, with their argument.
    pub(crate) at_exit: Vec<(FunctionId, Option<Value>)>,
    /// In the order of threads.
    pub(crate) futex_waiters: Vec<FutexWaiter>,
    pub(crate) kernel: Kernel,
    pub(crate) exit_code: Option<i32>,
    pub(crate) standard_output: Vec<u8>,
    pub(crate) standard_error: Vec<u8>,
    /// Violations that do not end the run, since the last call of `take_noticed`.
    pub(crate) noticed: Vec<Violation>,
    /// What the current step has accessed.
    pub(crate) accesses: Vec<Access>,
    /// Answers to requests so far.
    pub(crate) inputs: Vec<Input>,
    pub(crate) trace: Option<Vec<Event>>,
    /// Calls of body-less functions that nobody knows, each place once.
    pub(crate) unknown_calls: Vec<UnknownCall>,
    pub(crate) excluded: Vec<Excluded>,
    /// Executed so far, terminators included.
    instructions: u64,
    /// Of guided runs only.
    pub(crate) counter: Option<Box<Counter>>,
    /// Of runs that are asked where they have been.
    pub(crate) coverage: Option<Box<Coverage>>,
    /// There is one of these two.
    pub(crate) is_observed: bool,
    /// What the current step looks at, if somebody wants to know.
    pub(crate) footprint: Footprint,
    pub(crate) open_inputs: OpenInputs,
    /// An input was left open since somebody set it to false.
    pub(crate) is_answer_open: bool,
    /// What is known of inputs that are left open.
    pub(crate) open_names: OpenNames,
    /// If the driver wants to see threads that go round and ask for inputs: how many
    /// inputs there were when it last has.
    pub(crate) pauses: Option<usize>,
    pub(crate) is_paused: bool,
    /// The thread that does so, if it was created by the current step.
    pub(crate) begun: Option<usize>,
    pub(crate) vacant: Rc<Thread>,
    /// Of runs under a weak memory model.
    pub(crate) weak: Option<Box<Weak>>,
}

impl<'a> Machine<'a> {
    /// The program just before the first visible step of `main`.
    pub fn start(
        image: &'a Image<'a>,
        config: &'a Config,
        inputs: &mut dyn Inputs,
        is_traced: bool,
    ) -> (Self, Result<(), Stop>) {
        Machine::start_with(image, config, inputs, is_traced, None)
    }

    /// The same, with something that counts instructions from the very first.
    pub(crate) fn start_with(
        image: &'a Image<'a>,
        config: &'a Config,
        inputs: &mut dyn Inputs,
        is_traced: bool,
        counter: Option<Box<Counter>>,
    ) -> (Self, Result<(), Stop>) {
        let weak = Weak::of(image.program, config.surroundings.memory_model);
        let mut machine = Machine {
            image,
            config,
            memory: image.memory.clone(),
            threads: Vec::new(),
            sync: SyncTable::default(),
            keys: Vec::new(),
            at_exit: Vec::new(),
            futex_waiters: Vec::new(),
            kernel: Kernel::default(),
            exit_code: None,
            standard_output: Vec::new(),
            standard_error: Vec::new(),
            noticed: Vec::new(),
            accesses: Vec::new(),
            inputs: Vec::new(),
            trace: is_traced.then(Vec::new),
            unknown_calls: Vec::new(),
            excluded: Vec::new(),
            instructions: 0,
            is_observed: counter.is_some() || config.keep_coverage || weak.is_some(),
            counter,
            coverage: config.keep_coverage.then(Box::default),
            footprint: Footprint::default(),
            open_inputs: OpenInputs::NONE,
            is_answer_open: false,
            open_names: OpenNames::default(),
            pauses: None,
            is_paused: false,
            begun: None,
            vacant: Rc::new(Thread::vacant()),
            weak,
        };
        machine.memory.has_shadows = config.checks.has(Property::Uninitialised);
        let result = machine.start_main(inputs);
        (machine, result)
    }

    /// The same, with inputs that are left open, and told what is looked at.
    pub(crate) fn start_open(
        image: &'a Image<'a>,
        config: &'a Config,
        inputs: &mut dyn Inputs,
        open_inputs: OpenInputs,
        footprint: Footprint,
    ) -> (Self, Result<(), Stop>) {
        let mut memory = image.memory.clone();
        memory.footprint = footprint.clone();
        let mut sync = SyncTable::default();
        sync.footprint = footprint.clone();
        let mut machine = Machine::assemble(image, config, memory, Vec::new(), sync, footprint);
        machine.leave_open(open_inputs);
        let result = machine.start_main(inputs);
        (machine, result)
    }

    /// Decides which inputs are left open.
    pub(crate) fn leave_open(&mut self, open_inputs: OpenInputs) {
        self.open_inputs = open_inputs;
        let is_open = self.leaves_open();
        self.memory.has_shadows = is_open || self.config.checks.has(Property::Uninitialised);
        self.memory.is_open = is_open;
    }

    /// The same run from here on, as somebody else has put it together.
    pub(crate) fn assemble(
        image: &'a Image<'a>,
        config: &'a Config,
        memory: Memory,
        threads: Vec<Rc<Thread>>,
        sync: SyncTable,
        footprint: Footprint,
    ) -> Self {
        Machine {
            image,
            config,
            memory,
            threads,
            sync,
            keys: Vec::new(),
            at_exit: Vec::new(),
            futex_waiters: Vec::new(),
            kernel: Kernel::default(),
            exit_code: None,
            standard_output: Vec::new(),
            standard_error: Vec::new(),
            noticed: Vec::new(),
            accesses: Vec::new(),
            inputs: Vec::new(),
            trace: None,
            unknown_calls: Vec::new(),
            excluded: Vec::new(),
            instructions: 0,
            is_observed: config.keep_coverage,
            counter: None,
            coverage: config.keep_coverage.then(Box::default),
            footprint,
            open_inputs: OpenInputs::NONE,
            is_answer_open: false,
            open_names: OpenNames::default(),
            pauses: None,
            is_paused: false,
            begun: None,
            vacant: Rc::new(Thread::vacant()),
            weak: None,
        }
    }

    fn start_main(&mut self, inputs: &mut dyn Inputs) -> Result<(), Stop> {
        let program = self.image.program;
        let mut main = self.new_thread("main")?;
        self.threads.push(self.vacant.clone());
        let arguments = self.arguments_of_main(&main, inputs)?;
        self.fill_variables(&main, inputs)?;
        self.push_call(&mut main, program.main, &arguments, Then::Drop)?;
        for function in program.startup.iter().rev() {
            self.push_call(&mut main, *function, &[], Then::Drop)?;
        }
        for function in &program.cleanup {
            self.at_exit.push((*function, None));
        }
        let result = self.advance(&mut main, inputs);
        let result = self.absorb(&mut main, result);
        self.threads[0] = Rc::new(main);
        result
    }

    /// A thread without any calls yet, with its own memory. The caller puts it
    /// into `threads`.
    pub(crate) fn new_thread(&mut self, name: &str) -> Result<Thread, Stop> {
        self.footprint.note(Look::ThreadCount);
        let id = self.threads.len();
        if id >= crate::memory::MAX_THREADS {
            return Err(Stop::Cut(Cut::Memory));
        }
        self.memory.add_thread();
        let locals = self.image.thread_locals(&mut self.memory, id)?;
        Ok(Thread {
            id,
            life: Life::Running,
            name: Rc::from(name),
            locals: Rc::new(locals),
            ..Thread::vacant()
        })
    }

    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    pub fn thread(&self, id: usize) -> &Thread {
        &self.threads[id]
    }

    /// The process has ended, with this status.
    pub fn exit_code(&self) -> Option<i32> {
        self.exit_code
    }

    pub fn standard_output(&self) -> &[u8] {
        &self.standard_output
    }

    pub fn standard_error(&self) -> &[u8] {
        &self.standard_error
    }

    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    pub fn trace(&self) -> &[Event] {
        self.trace.as_deref().unwrap_or(&[])
    }

    pub fn unknown_calls(&self) -> &[UnknownCall] {
        &self.unknown_calls
    }

    /// Whether the run went through calls about which something was only assumed.
    pub fn depends_on_unknown(&self) -> bool {
        !self.unknown_calls.is_empty() && self.config.surroundings.undefined == Undefined::Assumed
    }

    pub fn excluded(&self) -> &[Excluded] {
        &self.excluded
    }

    pub(crate) fn exclude(&mut self, behaviour: Excluded) {
        if !self.excluded.contains(&behaviour) {
            self.excluded.push(behaviour);
        }
    }

    pub fn take_noticed(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.noticed)
    }

    /// The thread can take its next step now.
    pub fn is_enabled(&self, id: usize) -> bool {
        let thread = &self.threads[id];
        self.exit_code.is_none()
            && !thread.is_finished()
            && !thread.is_stuck()
            && (self.is_possible(id, &thread.pending.wait)
                || thread.must_leave() && self.may_leave(id, &thread.pending.wait)
                || !self.interruptions(thread).is_empty())
    }

    pub(crate) fn is_possible(&self, thread: usize, wait: &Wait) -> bool {
        match wait {
            Wait::Nothing => true,
            Wait::Mutex(key) => match self.sync.get(*key) {
                Some(Sync::Mutex {
                    owner: Some(owner),
                    ty,
                    ..
                }) => *owner == thread && *ty != MutexType::Plain,
                _ => true,
            },
            Wait::Condition {
                condition,
                mutex,
                is_timed,
            } => {
                let is_waiting = matches!(self.sync.get(*condition),
                    Some(Sync::Condition { waiters }) if waiters.contains(&thread));
                // A recursive mutex that was locked more than once is still held.
                let is_held = matches!(self.sync.get(*mutex),
                    Some(Sync::Mutex { owner: Some(owner), .. }) if *owner != thread);
                !is_held && (!is_waiting || *is_timed || self.config.surroundings.spurious_wakeups)
            }
            // A writer that asks again is told so at once.
            Wait::ReadLock(key) | Wait::WriteLock(key)
                if matches!(self.sync.get(*key),
                    Some(Sync::RwLock { writer: Some(writer), .. }) if *writer == thread) =>
            {
                true
            }
            Wait::ReadLock(key) => !matches!(
                self.sync.get(*key),
                Some(Sync::RwLock {
                    writer: Some(_),
                    ..
                })
            ),
            Wait::WriteLock(key) => match self.sync.get(*key) {
                Some(Sync::RwLock { readers, writer }) => readers.is_empty() && writer.is_none(),
                _ => true,
            },
            Wait::Semaphore(key) => {
                !matches!(self.sync.get(*key), Some(Sync::Semaphore { count: 0 }))
            }
            Wait::Spin(key) => self.sync.holders(*key).is_empty(),
            Wait::Barrier(key) => !matches!(self.sync.get(*key),
                Some(Sync::Barrier { waiting, .. }) if waiting.contains(&thread)),
            Wait::Once(key) => !matches!(
                self.sync.get(*key),
                Some(Sync::Once {
                    state: OnceState::Running(_)
                })
            ),
            Wait::Futex { is_timed, .. } => {
                *is_timed
                    || self.config.surroundings.spurious_wakeups
                    || !self.waits_at_futex(thread)
            }
            Wait::Files(demands) => {
                self.footprint.note(Look::Rest);
                let mut demands = demands.iter();
                demands.any(|demand| self.kernel.descriptors.meets(demand))
            }
            // A thread that must not be joined any more is not waited for: whoever joins
            // it has made a mistake.
            Wait::Join(target) => {
                self.footprint.note(Look::Ended(*target));
                let thread = &self.threads[*target];
                thread.is_finished() || thread.is_joined || thread.is_detached
            }
        }
    }

    /// Lets the thread take its next visible step, and the local work after it.
    /// The thread must be enabled.
    pub fn step(&mut self, id: usize, inputs: &mut dyn Inputs) -> Result<(), Stop> {
        self.accesses.clear();
        let thread = std::mem::replace(&mut self.threads[id], self.vacant.clone());
        let mut thread = Rc::try_unwrap(thread).unwrap_or_else(|shared| (*shared).clone());
        thread.steps += 1;
        let before = self.accessing_stack(&thread);
        if let Some(weak) = &mut self.weak {
            weak.begin_step();
        }
        let mut result = match self.interrupt(&mut thread, inputs) {
            Ok(true) => Ok(()),
            Ok(false) => self.take_step(&mut thread, inputs),
            Err(stop) => Err(stop),
        };
        if result.is_ok() {
            match self.races_by_order() {
                true => self.notice_unordered_ahead(id),
                false => self.notice_races(id, &before),
            }
            result = self.advance(&mut thread, inputs);
        }
        let result = self.absorb(&mut thread, result);
        self.threads[id] = Rc::new(thread);
        if result.is_ok() {
            self.notice_cycle(id);
        }
        result
    }

    /// Some stops concern one thread only: it goes no further, but the others do.
    pub(crate) fn absorb(&self, thread: &mut Thread, result: Result<(), Stop>) -> Result<(), Stop> {
        let Err(stop) = result else {
            return Ok(());
        };
        if thread.atomic_depth > 0 {
            return Err(stop);
        }
        thread.life = Life::Stuck(match stop {
            Stop::Assumption => Stuck::Assumption,
            Stop::Undefined(kind) => Stuck::Undefined(kind),
            Stop::Endless(function) => Stuck::Endless {
                function,
                is_certain: true,
            },
            Stop::Cut(Cut::LocalWork(function)) => Stuck::Endless {
                function,
                is_certain: false,
            },
            other => return Err(other),
        });
        Ok(())
    }

    /// Threads that go no further although they are neither finished nor waiting.
    pub fn stuck(&self) -> impl Iterator<Item = &Stuck> {
        self.threads.iter().filter_map(|thread| match &thread.life {
            Life::Stuck(stuck) => Some(stuck),
            _ => None,
        })
    }

    /// The same with the places where they are.
    pub fn stuck_at(&self) -> impl Iterator<Item = (&Stuck, Option<Location>)> {
        self.threads.iter().filter_map(|thread| match &thread.life {
            Life::Stuck(stuck) => Some((stuck, self.location(thread))),
            _ => None,
        })
    }

    /// What a global variable holds; nothing if every thread has its own.
    pub fn global_bytes(&self, global: GlobalId) -> Option<&[u8]> {
        let object = self.image.global(global)?;
        let size = self.memory.get(object)?.size;
        Some(self.memory.bytes(object, 0, size))
    }

    fn take_step(&mut self, thread: &mut Thread, inputs: &mut dyn Inputs) -> Result<(), Stop> {
        thread.pending = Pending::default();
        if thread.frames.is_empty() {
            return self.finish(thread);
        }
        if std::mem::take(&mut thread.is_atomic_start) {
            thread.atomic_depth += 1;
        }
        self.execute_next(thread, inputs, true)?;
        let mut work = 0;
        while thread.atomic_depth > 0 && !thread.frames.is_empty() && self.exit_code.is_none() {
            self.execute_next(thread, inputs, true)?;
            self.count_work(thread, &mut work)?;
        }
        Ok(())
    }

    /// Runs the thread's local code up to its next visible step.
    pub(crate) fn advance(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
    ) -> Result<(), Stop> {
        let mut work = 0;
        let is_over = |machine: &Self, thread: &Thread| {
            machine.exit_code.is_some() || thread.is_finished() || thread.is_atomic_start
        };
        while !is_over(self, thread) && !self.is_paused {
            if thread.frames.is_empty() {
                if let Life::Running = thread.life {
                    thread.life = Life::Ending(End::Process(0));
                }
                if self.push_ending_call(thread)? {
                    continue;
                }
                // The end itself is a visible step: joins wait for it.
                thread.pending = Pending::default();
                return Ok(());
            }
            if let Flow::Visible(pending) = self.execute_next(thread, inputs, false)? {
                thread.pending = pending;
                return Ok(());
            }
            self.count_work(thread, &mut work)?;
        }
        Ok(())
    }

    fn count_work(&mut self, thread: &Thread, work: &mut u64) -> Result<(), Stop> {
        self.instructions += 1;
        *work += 1;
        if *work <= self.config.local_limit {
            return Ok(());
        }
        let function = thread.frame().map(|frame| frame.function);
        let name = function.map_or(String::new(), |f| {
            self.image.program.functions[f].name.clone()
        });
        Err(Stop::Cut(Cut::LocalWork(name)))
    }

    /// Starts the next clean-up function of an ending thread, if there is one.
    fn push_ending_call(&mut self, thread: &mut Thread) -> Result<bool, Stop> {
        match &thread.life {
            // Others may end the process first, so to begin with it is a step.
            Life::Ending(End::Process(_)) if !thread.is_exiting => Ok(false),
            Life::Ending(End::Process(_)) => {
                self.footprint.note(Look::Rest);
                let Some((function, argument)) = self.at_exit.pop() else {
                    return Ok(false);
                };
                let arguments: Vec<Value> = argument.into_iter().collect();
                self.push_call(thread, function, &arguments, Then::Drop)?;
                Ok(true)
            }
            Life::Ending(End::Thread(_)) => self.push_key_destructor(thread),
            Life::Ending(End::Abrupt(_)) | Life::Running | Life::Stuck(_) | Life::Finished(_) => {
                Ok(false)
            }
        }
    }

    fn push_key_destructor(&mut self, thread: &mut Thread) -> Result<bool, Stop> {
        // POSIX lets an implementation stop after a few rounds; glibc makes four.
        const ROUNDS: u32 = 4;
        if !thread.key_values.is_empty() {
            self.footprint.note(Look::Rest);
        }
        while thread.destructor_round < ROUNDS {
            let due = thread.key_values.iter_mut().find_map(|(key, value)| {
                let data = &self.keys[*key];
                let destructor = data.destructor.filter(|_| data.is_alive)?;
                let is_due = *key >= thread.next_key && value.bits() != 0;
                is_due.then(|| {
                    let null = Value::Pointer(Pointer::NULL);
                    (*key, destructor, std::mem::replace(value, null))
                })
            });
            let Some((key, destructor, value)) = due else {
                thread.destructor_round += 1;
                thread.next_key = 0;
                continue;
            };
            thread.next_key = key + 1;
            self.push_call(thread, destructor, &[value], Then::Drop)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The step that ends a thread or the process.
    fn finish(&mut self, thread: &mut Thread) -> Result<(), Stop> {
        let Life::Ending(end) = thread.life.clone() else {
            return Ok(());
        };
        self.footprint.note(Look::Rest);
        match end {
            // Also if others have registered functions since this thread got here.
            End::Process(_) if !self.at_exit.is_empty() => {
                self.record(thread, Effect::ExitBegins);
                thread.is_exiting = true;
            }
            End::Process(code) | End::Abrupt(code) => {
                self.record(thread, Effect::ProcessExit { code });
                self.end_process(thread, code);
                thread.life = Life::Finished(Value::Bits(code as u64));
            }
            End::Thread(value) => {
                self.record(thread, Effect::ThreadExit);
                if let Value::Pointer(Pointer {
                    object: Some(object),
                    ..
                }) = value
                {
                    self.memory.publish(object);
                }
                for object in thread.locals.values() {
                    self.memory.kill_heap(*object);
                }
                thread.life = Life::Finished(value);
                self.footprint.note(Look::OthersRunning);
                let is_last = self.threads.iter().all(|other| other.is_finished());
                if is_last && self.at_exit.is_empty() {
                    self.end_process(thread, 0);
                } else if is_last {
                    thread.life = Life::Ending(End::Process(0));
                    // Nobody else could come first.
                    thread.is_exiting = true;
                }
            }
        }
        Ok(())
    }
}
