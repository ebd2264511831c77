//! Single accesses to memory under a weak model: asks what a read sees and where a
//! write comes, lets the ordinary interpreter carry the access out, and adds it to
//! the graph.
//!
//! Memory holds the newest value of each place. For an access that sees something
//! older, that is put into memory for as long as the access lasts.

use super::choices::Trial;
use super::graph::{Event, EventId, Kind, Order, Piece, Range};
use super::why::unordered;
use super::{Place, Remark, cover, snapshot_of};
use crate::inputs::{Domain, InputKind, Inputs, Origin};
use crate::machine::{Flow, Machine, Stop};
use crate::memory::ObjectId;
use crate::snapshot::Snapshot;
use crate::thread::Thread;
use crate::value::truncate;
use ir::{Inst, Op, Operand, Type};
use library::MemoryModel;
use std::rc::Rc;

/// What an access is going to do.
pub(crate) enum Act {
    Read(Order),
    Write(Order),
    Update(Order),
    /// A compare-exchange: with the first order if it finds what it expects, with the
    /// second if it does not.
    Compare {
        expected: u128,
        success: Order,
        failure: Order,
        is_weak: bool,
    },
}

/// An access that is being carried out.
pub(crate) struct Turn {
    event: Event,
    /// Where it comes in the order of writes, if it is one.
    position: usize,
    /// What is newest, if something older is in memory meanwhile.
    newest: Option<Snapshot>,
    is_private: bool,
    /// A compare-exchange fails although it finds what it expects.
    pub must_fail: bool,
}

/// What a compare-exchange may do.
struct Outcome {
    pieces: Vec<Piece>,
    /// Whether it finds what it expects.
    is_equal: bool,
}

impl<'a> Machine<'a> {
    /// A load, store, read-modify-write or compare-exchange, if it is the thread's
    /// turn.
    pub(crate) fn access_weakly(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        inst: &Inst,
        target: (ObjectId, u64),
        ty: &Type,
    ) -> Result<Flow, Stop> {
        self.take_noted();
        let turn = match self.act_of(thread, inputs, inst, target, ty)? {
            Some(act) => {
                let len = ty.bytes(self.memory.pointer_bytes);
                self.begin_turn(thread, inputs, act, target, len)?
            }
            None => None,
        };
        let must_fail = turn.as_ref().is_some_and(|turn| turn.must_fail);
        let result = self.carry_out_access(thread, inputs, inst, target, ty, must_fail);
        // The instruction is over for the thread, but its place is where it was.
        self.end_turn(thread, turn);
        result
    }

    /// Nothing for locals that nobody else will ever know.
    fn act_of(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        inst: &Inst,
        target: (ObjectId, u64),
        ty: &Type,
    ) -> Result<Option<Act>, Stop> {
        if self.is_register(thread, inst) {
            return Ok(None);
        }
        let order = |ordering| {
            let unknown = "an atomic access without any order under this memory model";
            Order::of(ordering).ok_or_else(|| self.unsupported(thread, unknown))
        };
        Ok(Some(match &inst.op {
            Op::Load { ordering, .. } => Act::Read(order(*ordering)?),
            Op::Store { ordering, .. } => Act::Write(order(*ordering)?),
            Op::Rmw { ordering, .. } => Act::Update(order(Some(*ordering))?),
            Op::CompareExchange {
                expected,
                success,
                failure,
                is_weak,
                ..
            } => {
                let (success, failure) = (order(Some(*success))?, order(Some(*failure))?);
                let expected = self.operand(thread, *expected).bits();
                // What is compared has to be known.
                let len = ty.bytes(self.memory.pointer_bytes);
                self.settle(thread, inputs, target, len, *ty == Type::Pointer)?;
                Act::Compare {
                    expected,
                    success,
                    failure,
                    is_weak: *is_weak,
                }
            }
            _ => return Ok(None),
        }))
    }

    fn is_register(&self, thread: &Thread, inst: &Inst) -> bool {
        let (Op::Load { address, .. } | Op::Store { address, .. }) = &inst.op else {
            return false;
        };
        let (Operand::Value(value), Some(frame)) = (address, thread.frame()) else {
            return false;
        };
        let weak = self.weak.as_ref();
        weak.is_some_and(|weak| weak.registers.contains(&(frame.function, *value)))
    }

    /// Decides what an access sees and where it comes, and makes memory ready for it.
    pub(crate) fn begin_turn(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        act: Act,
        target: (ObjectId, u64),
        len: u64,
    ) -> Result<Option<Turn>, Stop> {
        let range = Range {
            object: target.0,
            offset: target.1,
            len,
        };
        let is_constant = (self.memory.header(range.object)).is_some_and(|o| o.is_constant);
        if is_constant || len == 0 || !self.is_weak() {
            return Ok(None);
        }
        if thread.atomic_depth > 0 {
            let what = "an atomic section under a weak memory model";
            return Err(self.unsupported(thread, what));
        }
        let is_private = !self.memory.is_shared(range.object);
        self.prepare(&range, is_private);
        let (kind, order) = match &act {
            Act::Read(order) => (Kind::Read(range), *order),
            Act::Write(order) => (Kind::Write(range), *order),
            Act::Update(order) => (Kind::Update(range), *order),
            Act::Compare { failure, .. } => (Kind::Read(range), *failure),
        };
        let mut event = self.new_event(thread, kind, order);
        event.is_locked = matches!(act, Act::Update(_) | Act::Compare { .. });
        let mut turn = Turn {
            event,
            position: usize::MAX,
            newest: None,
            is_private,
            must_fail: false,
        };
        match act {
            Act::Compare {
                expected,
                success,
                failure,
                is_weak,
            } => {
                let orders = (success, failure);
                self.decide_compare(thread, inputs, &mut turn, expected, orders, is_weak)?;
            }
            Act::Write(_) if !is_private => self.decide_place(thread, inputs, &mut turn)?,
            Act::Read(_) | Act::Update(_) if !is_private => {
                let answers = self.sources(thread, &turn.event)?;
                let index = self.ask_source(thread, inputs, &answers)?;
                self.see(&mut turn, answers, index);
            }
            _ => {}
        }
        Ok(Some(turn))
    }

    /// Says what a range held at first, if that is not known, and makes what happened
    /// to it while it was private a part of the graph.
    pub(crate) fn prepare(&mut self, range: &Range, is_private: bool) {
        let memory = &self.memory;
        let before = |gap: &Range| snapshot_of(memory, gap);
        if let Some(weak) = &mut self.weak {
            if is_private {
                cover(weak.logs.entry(range.object).or_default(), range, before);
            } else {
                weak.open_log(range.object);
                cover(&mut weak.graph, range, before);
            }
        }
    }

    /// What the event may see, the newest first.
    pub(crate) fn sources(
        &mut self,
        thread: &Thread,
        event: &Event,
    ) -> Result<Vec<Vec<Piece>>, Stop> {
        let answers = self.trial(event).map(|mut trial| trial.sources());
        match answers {
            Some(Ok(answers)) => Ok(answers),
            Some(Err(_)) => Err(self.mixed_sizes(thread)),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn trial(&mut self, event: &Event) -> Option<Trial<'_>> {
        let weak = self.weak.as_mut()?;
        Some(Trial {
            graph: &mut weak.graph,
            model: weak.model,
            event: event.clone(),
        })
    }

    pub(crate) fn mixed_sizes(&self, thread: &Thread) -> Stop {
        let what = "memory that is accessed in pieces of different sizes, where this memory \
                    model leaves open what is seen,";
        self.unsupported(thread, what)
    }

    fn ask_source(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        answers: &[Vec<Piece>],
    ) -> Result<usize, Stop> {
        let sources = answers.iter().map(|pieces| match pieces.as_slice() {
            [piece] => Some(piece.source),
            _ => None,
        });
        let sources = sources.collect();
        self.ask_origin(thread, inputs, InputKind::Source, sources)
    }

    /// Asks which of some events is meant. In guided runs it is said which they are.
    fn ask_origin(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        kind: InputKind,
        events: Vec<Option<EventId>>,
    ) -> Result<usize, Stop> {
        let count = events.len() as u64;
        let origins = match (&self.counter, &self.weak) {
            (Some(_), Some(weak)) => {
                let origin = |id: Option<EventId>| {
                    let event = &weak.graph.events[id?];
                    match event.is_initial() {
                        true => Some(Origin::Initial),
                        false => event.execution.map(Origin::Write),
                    }
                };
                events.into_iter().map(origin).collect()
            }
            _ => Vec::new(),
        };
        let execution = self.execution(thread);
        let domain = Domain::Below(count);
        let answer = self.ask_about(thread, inputs, kind, domain, execution, origins)?;
        Ok(answer as usize)
    }

    fn decide_place(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        turn: &mut Turn,
    ) -> Result<(), Stop> {
        let places = self.trial(&turn.event).map(|mut trial| trial.places());
        let places = match places {
            Some(Ok(places)) => places,
            Some(Err(_)) => return Err(self.mixed_sizes(thread)),
            None => Vec::new(),
        };
        let predecessors = places.iter().map(|place| self.predecessor(turn, *place));
        let predecessors = predecessors.collect();
        let index = self.ask_origin(thread, inputs, InputKind::Order, predecessors)?;
        turn.position = places.get(index).copied().unwrap_or(usize::MAX);
        if index > 0
            && let (Some(weak), Some(range)) = (&mut self.weak, turn.event.range())
        {
            // Memory goes on holding what comes last.
            turn.newest = Some(snapshot_of(&self.memory, range));
            let mut order = weak.graph.order(range.object).iter();
            let later = order.nth(turn.position).copied();
            let later = later.and_then(|later| weak.place(later));
            weak.remark = Some(Remark::Before { later });
        }
        Ok(())
    }

    /// The write that comes right before a place in the order.
    fn predecessor(&self, turn: &Turn, place: usize) -> Option<EventId> {
        let graph = &self.weak.as_ref()?.graph;
        let range = turn.event.range()?;
        let earlier = graph.order(range.object).iter().take(place).rev();
        let mut hits = earlier.filter(|write| {
            let other = graph.events[**write].range();
            other.is_some_and(|other| other.overlaps(range))
        });
        hits.next().copied()
    }

    /// Makes the access see one of the answers.
    fn see(&mut self, turn: &mut Turn, mut answers: Vec<Vec<Piece>>, index: usize) {
        if answers.is_empty() {
            return;
        }
        let newest = answers[0].clone();
        turn.event.pieces = answers.swap_remove(index);
        let Some(range) = turn.event.range().copied() else {
            return;
        };
        let (Some(weak), [piece]) = (&mut self.weak, turn.event.pieces.as_slice()) else {
            return;
        };
        if turn.event.pieces == newest {
            return;
        }
        turn.position = weak.graph.position(piece.source) + 1;
        let source = piece.source;
        let newer = newest.first().map(|piece| piece.source);
        weak.remark = Some(Remark::Older {
            source: weak.place(source),
            newest: newer.and_then(|newer| weak.place(newer)),
            // Nobody reads it but in a trace.
            why: newer.filter(|_| self.trace.is_some()).and_then(|newer| {
                let here = Place {
                    thread: turn.event.thread?,
                    location: turn.event.location,
                };
                let is_meant = weak.name == MemoryModel::Rc11;
                is_meant.then(|| unordered(&weak.graph, newer, here, |event| weak.place(event)))
            }),
        });
        let value = value_at(&weak.graph.events[source], &range);
        turn.newest = Some(snapshot_of(&self.memory, &range));
        (self.memory).restore(range.object, range.offset, &value);
    }

    fn decide_compare(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        turn: &mut Turn,
        expected: u128,
        (success, failure): (Order, Order),
        is_weak: bool,
    ) -> Result<(), Stop> {
        let Some(range) = turn.event.range().copied() else {
            return Ok(());
        };
        let reading = turn.event.clone();
        let updating = Event {
            kind: Kind::Update(range),
            order: success,
            ..reading.clone()
        };
        // Only under C may it fail without reason: machines have none that do, or
        // compilers make a loop of it.
        let is_weak =
            is_weak && (self.weak.as_ref()).is_some_and(|weak| weak.name == MemoryModel::Rc11);
        let (mut usual, spurious) = match turn.is_private {
            true => {
                let bits = bits_of(&snapshot_of(&self.memory, &range));
                let outcome = |is_equal| Outcome {
                    pieces: Vec::new(),
                    is_equal,
                };
                let is_equal = bits == truncate(expected, 8 * range.len as u32);
                let spurious = is_equal.then(|| outcome(true));
                (vec![outcome(is_equal)], spurious.into_iter().collect())
            }
            false => {
                let reads = self.outcomes(thread, &reading, expected)?;
                let updates = self.outcomes(thread, &updating, expected)?;
                let (equal, mut usual): (Vec<_>, Vec<_>) =
                    reads.into_iter().partition(|outcome| outcome.is_equal);
                usual.extend(updates.into_iter().filter(|outcome| outcome.is_equal));
                (usual, equal)
            }
        };
        if is_weak && !spurious.is_empty() {
            turn.must_fail = self.ask_weak_failure(thread, inputs)?;
        }
        if turn.must_fail {
            usual = spurious;
        }
        if let Some(weak) = &self.weak {
            let position = |outcome: &Outcome| {
                let pieces = outcome.pieces.iter();
                pieces.map(|piece| weak.graph.position(piece.source)).max()
            };
            usual.sort_by_key(|outcome| std::cmp::Reverse(position(outcome)));
        }
        let equal: Vec<bool> = usual.iter().map(|outcome| outcome.is_equal).collect();
        let answers: Vec<Vec<Piece>> = usual.into_iter().map(|outcome| outcome.pieces).collect();
        let index = match turn.is_private {
            true => 0,
            false => self.ask_source(thread, inputs, &answers)?,
        };
        if equal.get(index).copied().unwrap_or(false) && !turn.must_fail {
            turn.event = updating;
        } else {
            turn.event.order = failure;
        }
        if !turn.is_private {
            let newest = self.newest(&range);
            let mut answers = answers;
            // What is newest comes first, whether it is an answer or not.
            answers.insert(0, newest);
            self.see(turn, answers, index + 1);
        }
        if turn.must_fail
            && let Some(weak) = &mut self.weak
            && weak.remark.is_none()
        {
            weak.remark = Some(Remark::FailsAnyway);
        }
        Ok(())
    }

    fn newest(&self, range: &Range) -> Vec<Piece> {
        match &self.weak {
            Some(weak) => super::newest_pieces(&weak.graph, range),
            None => Vec::new(),
        }
    }

    fn ask_weak_failure(&mut self, thread: &Thread, inputs: &mut dyn Inputs) -> Result<bool, Stop> {
        let kind = InputKind::WeakFailure;
        let execution = self.execution(thread);
        let domain = Domain::Below(2);
        let answer = self.ask_about(thread, inputs, kind, domain, execution, Vec::new())?;
        Ok(answer == 1)
    }

    /// What a compare-exchange may see, and whether it is what it expects.
    fn outcomes(
        &mut self,
        thread: &Thread,
        event: &Event,
        expected: u128,
    ) -> Result<Vec<Outcome>, Stop> {
        let answers = self.sources(thread, event)?;
        let Some(range) = event.range().copied() else {
            return Ok(Vec::new());
        };
        let expected = truncate(expected, 8 * range.len as u32);
        let mut outcomes = Vec::new();
        for (index, pieces) in answers.into_iter().enumerate() {
            // The newest is in memory, and may be of several pieces.
            let value = match (index, pieces.as_slice(), &self.weak) {
                (1.., [piece], Some(weak)) => value_at(&weak.graph.events[piece.source], &range),
                _ => snapshot_of(&self.memory, &range),
            };
            if value.uninitialised.contains(&true) {
                let what = "a compare-exchange of memory that others may not have written yet, \
                            under a weak memory model,";
                return Err(self.unsupported(thread, what));
            }
            let is_equal = bits_of(&value) == expected;
            outcomes.push(Outcome { pieces, is_equal });
        }
        Ok(outcomes)
    }

    /// Adds an access that was carried out to the graph, and lets memory hold what is
    /// newest.
    pub(crate) fn end_turn(&mut self, thread: &Thread, turn: Option<Turn>) {
        let Some(mut turn) = turn else {
            return;
        };
        let Some(range) = turn.event.range().copied() else {
            return;
        };
        let value = snapshot_of(&self.memory, &range);
        let Some(weak) = &mut self.weak else {
            return;
        };
        weak.remark = None;
        if turn.event.writes() {
            turn.event.value = Some(Rc::new(value));
        } else if let [piece] = turn.event.pieces.as_slice() {
            // What was never written has a value from now on.
            let source = &mut weak.graph.events[piece.source];
            settle_source(source, &range, value);
        }
        if turn.is_private {
            weak.log(turn.event);
            return;
        }
        let id = match turn.event.writes() {
            true => weak.graph.push_write(turn.event, turn.position),
            false => weak.graph.push(turn.event),
        };
        if let Some(newest) = turn.newest {
            self.memory.restore(range.object, range.offset, &newest);
        }
        self.notice_unordered(thread, id);
        if let Some(weak) = &mut self.weak {
            weak.fold(thread.id);
        }
    }
}

/// What an event has written to a range, which is all of it or, of what was there at
/// first, a part.
fn value_at(event: &Event, range: &Range) -> Snapshot {
    let (Some(whole), Some(value)) = (event.range(), &event.value) else {
        return Snapshot::default();
    };
    if whole == range {
        return (**value).clone();
    }
    let start = range.offset.saturating_sub(whole.offset);
    value.part(start as usize, range.len as usize)
}

/// Memory that was never written has the value with which it was read first.
fn settle_source(source: &mut Event, range: &Range, settled: Snapshot) {
    let (Some(whole), Some(value)) = (source.range().copied(), &source.value) else {
        return;
    };
    if value.uninitialised.contains(&true) && whole == *range {
        source.value = Some(Rc::new(settled));
    }
}

/// A value as a number.
fn bits_of(value: &Snapshot) -> u128 {
    let mut buffer = [0; 16];
    let len = value.bytes.len().min(16);
    buffer[..len].copy_from_slice(&value.bytes[..len]);
    u128::from_le_bytes(buffer)
}
