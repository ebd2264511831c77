//! What a thread may still do from a point of the program on: which objects it may
//! read, write or synchronise with before the function that the point is in has
//! returned, with all that is called and all threads that are started on the way.
//!
//! **The promise** is that of [`PointsTo`]: whatever happens is in the set, unless
//! it happens through an address that was guessed. Accesses through addresses that
//! have no targets, and calls of code that we do not have, are
//! [`Future::may_do_anything`].
//!
//! Nothing is said about order or about how often.

use crate::library_calls::is_allocation;
use crate::meaning::Meaning;
use crate::points_to::{AbstractObject, ObjectId, PointsTo};
use crate::sharing::accesses::{Access, accesses};
use cranelift_entity::{EntityRef, SecondaryMap};
use ir::{BlockId, Body, FunctionId, InstId, Op, Operand, Program};
use library::{
    C11Thread, Condition, Function, Keys, Memory, Mutex, Pages, Process, RwLock, Semaphore,
    Signals, Spin, Thread, Time,
};
use std::collections::HashMap;

/// How an object may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Reads,
    Writes,
    /// Takes a lock in it for good or gives it back; waits for a semaphore in it or
    /// posts it.
    Waits,
    /// Any other use of a lock or the like.
    Synchronises,
}

pub const MANNERS: [Manner; 4] = [
    Manner::Reads,
    Manner::Writes,
    Manner::Waits,
    Manner::Synchronises,
];

/// What may happen from somewhere on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Future {
    /// A row of bits for each manner, one bit for each object.
    bits: Vec<u64>,
    words: usize,
    /// Starts threads.
    pub creates: bool,
    /// Waits for the end of threads, or detaches them.
    pub joins: bool,
    /// Asks whether threads have ended, or detaches them.
    pub asks_for_ends: bool,
    /// Makes or frees blocks.
    pub allocates: bool,
    /// Changes keys, or what happens when the process ends.
    pub changes_rest: bool,
    pub may_do_anything: bool,
}

impl Future {
    fn new(objects: usize) -> Future {
        let words = objects.div_ceil(64);
        Future {
            bits: vec![0; MANNERS.len() * words],
            words,
            ..Future::default()
        }
    }

    fn insert(&mut self, object: ObjectId, manner: Manner) {
        let index = manner as usize * self.words + object.index() / 64;
        self.bits[index] |= 1 << (object.index() % 64);
    }

    pub fn has(&self, object: ObjectId, manner: Manner) -> bool {
        let index = manner as usize * self.words + object.index() / 64;
        let word = self.bits.get(index).copied().unwrap_or(0);
        word >> (object.index() % 64) & 1 != 0
    }

    /// Adds another one; true if that makes a difference.
    pub fn add(&mut self, other: &Future) -> bool {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
            self.words = other.words;
        }
        let mut has_changed = false;
        for (word, more) in self.bits.iter_mut().zip(&other.bits) {
            has_changed |= *word | more != *word;
            *word |= more;
        }
        for (flag, more) in [
            (&mut self.creates, other.creates),
            (&mut self.joins, other.joins),
            (&mut self.asks_for_ends, other.asks_for_ends),
            (&mut self.allocates, other.allocates),
            (&mut self.changes_rest, other.changes_rest),
            (&mut self.may_do_anything, other.may_do_anything),
        ] {
            has_changed |= more && !*flag;
            *flag |= more;
        }
        has_changed
    }
}

pub struct Futures<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    meaning: Meaning,
    objects: usize,
    accesses: HashMap<(FunctionId, InstId), Vec<Access>>,
    /// From the start of each block on.
    blocks: HashMap<(FunctionId, BlockId), Future>,
    /// The ends of the locals of a function.
    locals: SecondaryMap<FunctionId, Vec<ObjectId>>,
    at_end: Future,
}

impl<'p> Futures<'p> {
    pub fn of(program: &'p Program, points_to: &'p PointsTo) -> Futures<'p> {
        let mut futures = Futures {
            program,
            points_to,
            meaning: Meaning::of(program),
            objects: points_to.objects().count(),
            accesses: HashMap::new(),
            blocks: HashMap::new(),
            locals: SecondaryMap::new(),
            at_end: Future::default(),
        };
        for (object, what) in points_to.objects() {
            if let AbstractObject::Local { function, .. }
            | AbstractObject::Argument { function, .. }
            | AbstractObject::Variadic { function } = what
            {
                futures.locals[function].push(object);
            }
        }
        for (function, body) in bodies(program) {
            for access in accesses(program, &futures.meaning, points_to, function, body) {
                let key = (function, access.inst);
                futures.accesses.entry(key).or_default().push(access);
            }
        }
        futures.solve();
        futures.at_end = futures.find_end();
        futures
    }

    fn solve(&mut self) {
        loop {
            let mut has_changed = false;
            for (function, body) in bodies(self.program) {
                for block in body.blocks.keys().rev() {
                    let future = self.from(function, block, 0);
                    let known = self.blocks.entry((function, block)).or_default();
                    has_changed |= known.add(&future);
                }
            }
            if !has_changed {
                return;
            }
        }
    }

    /// From an instruction on, until the function has returned. An index beyond the
    /// block's instructions stands for its end.
    pub fn from(&self, function: FunctionId, block: BlockId, index: usize) -> Future {
        let mut future = Future::new(self.objects);
        let Some(body) = &self.program.functions[function].body else {
            future.may_do_anything = true;
            return future;
        };
        // They end when it returns, or before.
        for local in &self.locals[function] {
            future.insert(*local, Manner::Writes);
        }
        let data = &body.blocks[block];
        for inst in data.insts.iter().skip(index) {
            self.add_inst(&mut future, function, body, *inst);
        }
        for successor in data.terminator.successors() {
            if let Some(more) = self.blocks.get(&(function, successor)) {
                future.add(more);
            }
        }
        future
    }

    /// What all threads but the first may do.
    pub fn of_threads(&self) -> Future {
        let mut future = self.at_end.clone();
        for (function, body) in bodies(self.program) {
            for inst in body.insts.keys() {
                for started in &self.points_to.site(function, inst).starts {
                    self.add_call(&mut future, *started);
                }
            }
        }
        future
    }

    /// What may happen when a thread or the process ends.
    pub fn at_end(&self) -> &Future {
        &self.at_end
    }

    fn find_end(&self) -> Future {
        let mut future = Future::new(self.objects);
        let registered = self.points_to.at_end().iter();
        let registered = registered.chain(self.points_to.key_destructors());
        for function in registered.chain(&self.program.cleanup) {
            self.add_call(&mut future, *function);
        }
        future
    }

    fn add_call(&self, future: &mut Future, function: FunctionId) {
        match self.blocks.get(&(function, Body::ENTRY)) {
            Some(more) => {
                future.add(more);
            }
            None if self.program.functions[function].body.is_some() => {}
            None => future.may_do_anything = true,
        }
    }

    fn add_inst(&self, future: &mut Future, function: FunctionId, body: &Body, inst: InstId) {
        let op = &body.insts[inst].op;
        let library = self.library_functions(function, inst, op);
        let manner = match waits(&library) {
            true => Manner::Waits,
            false => Manner::Synchronises,
        };
        if let (Op::Call { args, .. }, [condition]) = (op, &library[..])
            && waits_for_condition(*condition)
        {
            // The mutex is given back and taken again.
            let manners = [Manner::Synchronises, Manner::Waits, Manner::Reads];
            for (arg, manner) in args.iter().zip(manners) {
                for object in self.points_to.targets(function, *arg).objects() {
                    future.insert(object, manner);
                }
            }
            return;
        }
        for access in self.accesses.get(&(function, inst)).into_iter().flatten() {
            if access.kinds.reads {
                future.insert(access.object, Manner::Reads);
            }
            if access.kinds.writes {
                future.insert(access.object, Manner::Writes);
            }
            if access.kinds.synchronises {
                future.insert(access.object, manner);
            }
        }
        match op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::Rmw { address, .. }
            | Op::CompareExchange { address, .. } => {
                future.may_do_anything |= self.is_anywhere(function, *address);
            }
            Op::Call { .. } => self.add_calls(future, function, inst, &library),
            _ => {}
        }
    }

    /// Whether an address may be that of anything.
    fn is_anywhere(&self, function: FunctionId, address: Operand) -> bool {
        let targets = self.points_to.targets(function, address);
        targets.is_empty() || targets.is_unknown
    }

    fn library_functions(&self, function: FunctionId, inst: InstId, op: &Op) -> Vec<Function> {
        if !matches!(op, Op::Call { .. }) {
            return Vec::new();
        }
        let callees = self.points_to.callees(function, inst).iter();
        let entries = callees.filter_map(|callee| self.meaning.entry(*callee));
        entries.map(|entry| entry.function).collect()
    }

    fn add_calls(
        &self,
        future: &mut Future,
        function: FunctionId,
        inst: InstId,
        library: &[Function],
    ) {
        let site = self.points_to.site(function, inst);
        future.may_do_anything |= site.callees.is_empty();
        for callee in &site.callees {
            if self.meaning.entry(*callee).is_none() {
                self.add_call(future, *callee);
            }
        }
        for called in site.starts.iter().chain(&site.callbacks) {
            self.add_call(future, *called);
        }
        for function in library {
            add_library(future, *function);
        }
    }
}

fn bodies(program: &Program) -> impl Iterator<Item = (FunctionId, &Body)> {
    let functions = program.functions.iter();
    functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)))
}

/// Whether what a call does to locks only ever waits for others, or lets them go on.
fn waits(functions: &[Function]) -> bool {
    let waits = |function: &Function| {
        matches!(
            function,
            Function::Mutex(Mutex::Lock | Mutex::Unlock)
                | Function::RwLock(RwLock::ReadLock | RwLock::WriteLock | RwLock::Unlock)
                | Function::Spin(Spin::Lock | Spin::Unlock)
                | Function::Semaphore(Semaphore::Wait | Semaphore::Post)
                | Function::C11Thread(C11Thread::MutexLock | C11Thread::MutexUnlock)
        )
    };
    !functions.is_empty() && functions.iter().all(waits)
}

fn waits_for_condition(function: Function) -> bool {
    matches!(
        function,
        Function::Condition(Condition::Wait | Condition::TimedWait)
            | Function::C11Thread(C11Thread::ConditionWait | C11Thread::ConditionTimedWait)
    )
}

fn add_library(future: &mut Future, function: Function) {
    if is_allocation(function) {
        future.allocates = true;
    }
    match function {
        Function::Thread(Thread::Create) | Function::C11Thread(C11Thread::ThreadCreate) => {
            future.creates = true;
        }
        Function::Thread(Thread::Join) | Function::C11Thread(C11Thread::ThreadJoin) => {
            future.joins = true;
        }
        Function::Thread(Thread::TryJoin | Thread::TimedJoin | Thread::Detach)
        | Function::C11Thread(C11Thread::ThreadDetach) => {
            future.joins = true;
            future.asks_for_ends = true;
        }
        Function::Memory(
            Memory::Free | Memory::Delete | Memory::Realloc | Memory::ReallocArray,
        )
        | Function::Pages(Pages::Unmap) => future.allocates = true,
        Function::Keys(Keys::Create | Keys::Delete)
        | Function::C11Thread(C11Thread::KeyCreate | C11Thread::KeyDelete)
        | Function::Process(Process::AtExit | Process::CxaAtExit)
        | Function::Descriptors(_)
        | Function::Signals(Signals::Handler | Signals::Action)
        | Function::Time(Time::Time | Time::Clock | Time::GetTimeOfDay | Time::ClockGetTime)
        | Function::System(_) => future.changes_rest = true,
        function if library::may_jump(function) => future.may_do_anything = true,
        Function::Unsupported => future.may_do_anything = true,
        _ => {}
    }
}
