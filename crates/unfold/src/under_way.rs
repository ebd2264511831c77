//! How far a pass has got: which threads are executed and which wait, where the one
//! at hand is, and whether there are others yet.

use crate::memory::Memory;
use crate::pass::{Start, Work};
use crate::threads::ThreadId;
use crate::unfolding::Standing;
use crate::{Error, MAIN};
use formula::TermId;
use ir::{FunctionId, InstId, Program};
use std::collections::{HashMap, VecDeque};

/// The threads of a pass: executed, being executed, waiting.
pub(crate) struct ThreadsUnderWay {
    current: ThreadId,
    /// In the order in which they are executed.
    order: Vec<ThreadId>,
    works: HashMap<ThreadId, Work>,
    queue: VecDeque<Start>,
}

impl Default for ThreadsUnderWay {
    fn default() -> ThreadsUnderWay {
        ThreadsUnderWay {
            current: MAIN,
            order: Vec::new(),
            works: HashMap::new(),
            queue: VecDeque::new(),
        }
    }
}

impl ThreadsUnderWay {
    /// The thread at hand.
    pub(crate) fn current(&self) -> ThreadId {
        self.current
    }

    /// Another thread is at hand, for a while. Returns the one before.
    pub(crate) fn switch_to(&mut self, thread: ThreadId) -> ThreadId {
        std::mem::replace(&mut self.current, thread)
    }

    /// A thread waits to be executed.
    pub(crate) fn enqueue(&mut self, start: Start) {
        self.queue.push_back(start);
    }

    /// The thread to execute next.
    pub(crate) fn next(&mut self) -> Option<Start> {
        self.queue.pop_front()
    }

    /// A thread is executed from now on.
    pub(crate) fn begin(&mut self, thread: ThreadId, work: Work) {
        self.current = thread;
        self.order.push(thread);
        self.works.insert(thread, work);
    }

    /// What is made of the thread at hand.
    pub(crate) fn work(&mut self) -> &mut Work {
        let work = self.works.get_mut(&self.current);
        work.expect("the thread at hand should be under way")
    }

    /// What was made of a thread, if it has begun.
    pub(crate) fn get(&self, thread: ThreadId) -> Option<&Work> {
        self.works.get(&thread)
    }

    /// Everything that was made, in the order of execution.
    pub(crate) fn finish(&mut self) -> Vec<(ThreadId, Work)> {
        let order = self.order.iter();
        let works = order.map(|thread| Some((*thread, self.works.remove(thread)?)));
        works.flatten().collect()
    }
}

/// Where the thread at hand is.
pub(crate) struct Whereabouts {
    /// The instruction at hand.
    site: (FunctionId, InstId),
    /// The functions that are being executed.
    calls: Vec<FunctionId>,
    /// Paths that came to a halt: how many positions must be passed for the rest of
    /// the formula to know, and when that path is taken.
    halted: Vec<(usize, TermId)>,
}

impl Whereabouts {
    pub(crate) fn new(program: &Program) -> Whereabouts {
        Whereabouts {
            site: (program.main, InstId::from_u32(0)),
            calls: Vec::new(),
            halted: Vec::new(),
        }
    }

    /// Another thread begins.
    pub(crate) fn begin_thread(&mut self) {
        self.calls.clear();
        self.halted.clear();
    }

    pub(crate) fn site(&self) -> (FunctionId, InstId) {
        self.site
    }

    pub(crate) fn go_to(&mut self, function: FunctionId, inst: InstId) {
        self.site = (function, inst);
    }

    pub(crate) fn enter(&mut self, function: FunctionId) {
        self.calls.push(function);
    }

    pub(crate) fn leave(&mut self) {
        self.calls.pop();
    }

    /// How many functions are being executed.
    pub(crate) fn depth(&self) -> usize {
        self.calls.len()
    }

    /// How often a function is being executed.
    pub(crate) fn depth_of(&self, function: FunctionId) -> usize {
        let calls = self.calls.iter();
        calls.filter(|other| **other == function).count()
    }

    /// A path comes to a halt.
    pub(crate) fn halt(&mut self, known_after: usize, path: TermId) {
        self.halted.push((known_after, path));
    }

    /// The paths that have come to a halt and of which the formula knows after so
    /// many positions, but not after so few.
    pub(crate) fn halted(&self, few: usize, many: usize) -> impl Iterator<Item = TermId> {
        let halted = self.halted.iter();
        let halted = halted.filter(move |(after, _)| (few + 1..=many).contains(after));
        halted.map(|(_, path)| *path)
    }
}

/// The part of a run in which main is the only thread, and nobody sees its memory.
#[derive(Default)]
pub(crate) struct Prologue {
    is_over: bool,
    /// Instructions that main has executed alone.
    clock: u64,
    /// When main's path was last the only one.
    last_only: u64,
    /// Main's memory when it creates the first thread.
    snapshot: Memory,
}

impl Prologue {
    /// No other thread has been created.
    pub(crate) fn is_alone(&self) -> bool {
        !self.is_over
    }

    /// Main executes an instruction, perhaps on the only path there is. Returns the
    /// time.
    pub(crate) fn count(&mut self, is_only_path: bool) -> u64 {
        self.clock += 1;
        if is_only_path {
            self.last_only = self.clock;
        }
        self.clock
    }

    /// When main's path was last the only one.
    pub(crate) fn last_only(&self) -> u64 {
        self.last_only
    }

    /// Other threads will see memory from now on.
    pub(crate) fn end(&mut self, memory: Memory) {
        self.is_over = true;
        self.snapshot = memory;
    }

    /// Main's memory when it creates the first thread; empty before.
    pub(crate) fn snapshot(&self) -> &Memory {
        &self.snapshot
    }
}

/// Whether there is still time and memory.
pub(crate) struct Patience<'p> {
    ticks: u64,
    keep_going: &'p mut dyn FnMut(&Standing) -> bool,
}

impl<'p> Patience<'p> {
    pub(crate) fn new(keep_going: &'p mut dyn FnMut(&Standing) -> bool) -> Patience<'p> {
        Patience {
            ticks: 0,
            keep_going,
        }
    }

    /// Asked often, answers rarely.
    pub(crate) fn check(&mut self, standing: &Standing) -> Result<(), Error> {
        self.ticks += 1;
        // Short passes are to be heard of, too.
        let is_time = self.ticks.is_multiple_of(64) || self.ticks.is_power_of_two();
        match is_time && !(self.keep_going)(standing) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}
