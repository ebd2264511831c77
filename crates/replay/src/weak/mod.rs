//! Weak memory: runs in which threads do not agree on what happened first.
//!
//! A weak run is an ordinary run with more choices. All models here are such that
//! nobody reads what is written only later (program order and reads-from have no
//! cycle), and that whatever they allow they also allow up to any point. So every
//! execution can be run step by step; what is new is that a read may see an older
//! write, and that a write may come before others in the order of writes of its
//! place. Both are inputs, asked for if there is more than one answer; the answer 0 is
//! what an ordinary run does. An answer is possible if the model allows the graph of
//! the run so far with it: [`graph`] has that, [`choices`] tries the answers, and there
//! is a file for each model.
//!
//! Memory itself holds the newest value of every place. What else may be seen is in
//! the graph. Memory that only one thread knows has no choices; what happened to it is
//! kept apart until others know it, see [`Weak::logs`].
//!
//! What is here must not be used, nor cost anything, if memory is sequentially
//! consistent.

mod access;
mod choices;
mod fold;
mod graph;
mod model;
mod noted;
mod picture;
mod pso;
mod races;
mod rc11;
mod relation;
mod synchronise;
mod tso;
mod why;

pub(crate) use access::{Act, Turn};
pub(crate) use graph::{Order, Passage};
pub use picture::{Drawn, DrawnAct, Edge, Picture};
pub use why::{Missing, Unordered};

use crate::inputs::Execution;
use crate::machine::Machine;
use crate::memory::{Memory, ObjectId};
use crate::snapshot::Snapshot;
use crate::thread::Thread;
use crate::violation::Property;
use crate::weak::graph::{Event, EventId, Graph, Kind, Piece, Range};
use crate::weak::model::{Model, model_of};
use crate::weak::noted::Noted;
use ir::{Body, FunctionId, Location, Op, Operand, Program, ValueId};
use library::MemoryModel;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// What a run under a weak memory model remembers.
#[derive(Clone)]
pub(crate) struct Weak {
    name: MemoryModel,
    model: &'static dyn Model,
    graph: Graph,
    /// How many events each thread has had.
    stamps: Vec<u64>,
    /// What happened to memory that only one thread knows: it becomes a part of the
    /// graph when somebody uses it who may be another. Until then it orders nothing.
    logs: BTreeMap<ObjectId, Graph>,
    /// Who waits at a barrier that was completed, and by which event.
    released: BTreeMap<usize, EventId>,
    /// Accesses by the library function that is being called.
    noted: Vec<Noted>,
    /// What is to be said in the trace of the access that is being made.
    remark: Option<Remark>,
    /// The first event of the current step.
    step_start: EventId,
    /// Locals that are only read and written directly, so nobody else ever knows them.
    registers: Rc<HashSet<(FunctionId, ValueId)>>,
}

/// In what an access is not as in an ordinary run, for the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// It reads what was written here, although something newer was written there.
    /// What was there at first was written nowhere.
    Older {
        source: Option<Place>,
        newest: Option<Place>,
        /// Why that may be, where C's orders decide it.
        why: Option<Unordered>,
    },
    /// It writes what comes before this write in the order of writes.
    Before { later: Option<Place> },
    /// A weak compare-exchange fails although it finds what it expects.
    FailsAnyway,
}

/// Who did something, and where in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub thread: usize,
    pub location: Option<Location>,
}

impl Weak {
    /// Nothing if memory is sequentially consistent.
    pub(crate) fn of(program: &Program, name: MemoryModel) -> Option<Box<Weak>> {
        let model = model_of(name)?;
        Some(Box::new(Weak {
            name,
            model,
            graph: Graph::default(),
            stamps: Vec::new(),
            logs: BTreeMap::new(),
            released: BTreeMap::new(),
            noted: Vec::new(),
            remark: None,
            step_start: 0,
            registers: Rc::new(registers(program)),
        }))
    }

    pub(crate) fn begin_step(&mut self) {
        self.step_start = self.graph.len();
    }

    pub(crate) fn take_remark(&mut self) -> Option<Remark> {
        self.remark.take()
    }

    fn next_stamp(&mut self, thread: usize) -> u64 {
        if self.stamps.len() <= thread {
            self.stamps.resize(thread + 1, 0);
        }
        self.stamps[thread] += 1;
        self.stamps[thread]
    }

    /// Memory that one thread had for its own is now used by everybody.
    fn open_log(&mut self, object: ObjectId) {
        let Some(log) = self.logs.remove(&object) else {
            return;
        };
        let base = self.graph.len();
        for mut event in log.events {
            for piece in &mut event.pieces {
                piece.source += base;
            }
            match event.writes() {
                true => self.graph.push_write(event, usize::MAX),
                false => self.graph.push(event),
            };
        }
    }

    /// An access by the only thread that knows the memory: it sees the newest.
    fn log(&mut self, event: Event) {
        let Some(range) = event.range().copied() else {
            return;
        };
        let log = self.logs.entry(range.object).or_default();
        add_newest(log, event);
    }

    /// The place of an event in the program.
    fn place(&self, event: EventId) -> Option<Place> {
        let event = &self.graph.events[event];
        event.thread.map(|thread| Place {
            thread,
            location: event.location,
        })
    }
}

/// Adds an event that sees what is newest, and comes last.
fn add_newest(graph: &mut Graph, mut event: Event) -> EventId {
    if event.reads()
        && let Some(range) = event.range().copied()
    {
        event.pieces = newest_pieces(graph, &range);
    }
    match event.writes() {
        true => graph.push_write(event, usize::MAX),
        false => graph.push(event),
    }
}

/// The newest writes of all bytes of a range.
fn newest_pieces(graph: &Graph, range: &Range) -> Vec<Piece> {
    let writes = graph.writes_to(range);
    let mut pieces: Vec<Piece> = Vec::new();
    for offset in range.offset..range.end() {
        let byte = Range {
            object: range.object,
            offset,
            len: 1,
        };
        let covers = |write: &&EventId| {
            let other = graph.events[**write].range();
            other.is_some_and(|other| other.overlaps(&byte))
        };
        let Some(source) = writes.iter().rev().find(covers) else {
            continue;
        };
        match pieces.last_mut() {
            Some(last) if last.source == *source && last.offset + last.len == offset => {
                last.len += 1;
            }
            _ => pieces.push(Piece {
                offset,
                len: 1,
                source: *source,
            }),
        }
    }
    pieces
}

/// Says what bytes hold at first that nothing is known of. `before` is what is in the
/// range.
fn cover(graph: &mut Graph, range: &Range, before: impl Fn(&Range) -> Snapshot) {
    let known = newest_pieces(graph, range);
    let mut at = range.offset;
    let mut gaps = Vec::new();
    for piece in known {
        if at < piece.offset {
            gaps.push((at, piece.offset));
        }
        at = piece.offset + piece.len;
    }
    if at < range.end() {
        gaps.push((at, range.end()));
    }
    for (from, to) in gaps {
        let gap = Range {
            object: range.object,
            offset: from,
            len: to - from,
        };
        let value = Rc::new(before(&gap));
        let event = Event {
            thread: None,
            stamp: 0,
            kind: Kind::Initial(gap),
            order: Order::NotAtomic,
            is_locked: false,
            pieces: Vec::new(),
            value: Some(value),
            execution: None,
            location: None,
            stack: Rc::from([]),
        };
        graph.push_write(event, 0);
    }
}

fn snapshot_of(memory: &Memory, range: &Range) -> Snapshot {
    memory.snapshot(range.object, range.offset, range.len)
}

/// Locals whose address is used for nothing but reading and writing them.
fn registers(program: &Program) -> HashSet<(FunctionId, ValueId)> {
    let mut all = HashSet::new();
    for (id, function) in &program.functions {
        if let Some(body) = &function.body {
            all.extend(registers_of(body).into_iter().map(|value| (id, value)));
        }
    }
    all
}

fn registers_of(body: &Body) -> HashSet<ValueId> {
    let locals = body.insts.values().filter_map(|inst| match &inst.op {
        Op::Local { .. } => inst.result,
        _ => None,
    });
    let mut left: HashSet<ValueId> = locals.collect();
    let mut note = |operand: Operand| {
        if let Operand::Value(value) = operand {
            left.remove(&value);
        }
    };
    for inst in body.insts.values() {
        match &inst.op {
            Op::Load { .. } => {}
            Op::Store { value, .. } => note(*value),
            op => op.for_each_operand(&mut note),
        }
    }
    for block in body.blocks.values() {
        for phi in &block.phis {
            phi.incoming.iter().for_each(|(_, value)| note(*value));
        }
        block.terminator.for_each_operand(&mut note);
    }
    left
}

impl<'a> Machine<'a> {
    /// Whether accesses are noted: there is a weak model, and more than one thread.
    pub(crate) fn is_weak(&self) -> bool {
        self.weak.is_some() && self.threads.len() > 1
    }

    /// An event of a thread, which has not seen or written anything yet.
    fn new_event(&mut self, thread: &Thread, kind: Kind, order: Order) -> Event {
        let stack = match self.config.checks.has(Property::Race) {
            true => Rc::from(self.stack(thread)),
            false => Rc::from([]),
        };
        let execution = self.execution(thread);
        let location = self.location(thread);
        let stamp = self
            .weak
            .as_mut()
            .map_or(0, |weak| weak.next_stamp(thread.id));
        Event {
            thread: Some(thread.id),
            stamp,
            kind,
            order,
            is_locked: false,
            pieces: Vec::new(),
            value: None,
            execution,
            location,
            stack,
        }
    }

    /// Which execution of an instruction a thread is at, in guided runs.
    fn execution(&self, thread: &Thread) -> Option<Execution> {
        let current = self.counter.as_ref()?.current(thread)?;
        Some(Execution {
            thread: thread.id,
            function: current.function,
            inst: current.inst,
            count: current.number,
            part: current.steps,
        })
    }
}
