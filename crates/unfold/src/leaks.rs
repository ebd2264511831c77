//! What is left of memory when the process ends: blocks that nobody can free any
//! more, and blocks that were not freed.
//!
//! The end of the process is a step that looks at all of memory. It can be taken
//! only if something is wrong then; otherwise nobody would see the difference.
//!
//! A block is lost unless something holds its address that is still there: a
//! global variable, a variable of the thread that ends the process, the result of
//! a thread that nobody has joined or detached, or another block that is not lost.
//! To look at all memory would be dear, so passes keep track of the *places* where
//! addresses of blocks may be stored. What the other threads hold that have not
//! ended, in variables of their own, is not written down anywhere. It is only
//! known which blocks they may have seen; if it takes that to keep a block from
//! being lost, there is *doubt*, and no run is looked at that ends like this. The
//! same goes for numbers that may or may not be addresses.

use crate::MAIN;
use crate::access::Targets;
use crate::checks::Check;
use crate::compute::words;
use crate::facts::Facts;
use crate::facts::Growth;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey, ThreadPart};
use crate::omissions::Omission;
use crate::pass::{Frame, Pass, State, Value};
use crate::threads::{Place, Step, ThreadId};
use formula::TermId;
use ir::{Body, Cast, Op, Operand, Type};
use std::collections::{BTreeMap, BTreeSet};

/// More blocks than this take too many rounds.
const MOST_BLOCKS: usize = 64;

/// What passes have found out about who holds addresses of blocks.
#[derive(Default)]
pub(crate) struct StoredAddresses {
    /// Where such an address may be stored; and whether nothing else is ever stored
    /// there that looks like one.
    places: BTreeMap<(ObjectId, u64), bool>,
    /// Threads, and the blocks whose addresses they may have seen.
    seen: BTreeSet<(ThreadId, ObjectId)>,
    /// Somebody else takes note of the addresses that are being stored.
    is_tracked: bool,
    pub growth: Growth,
}

/// What ends first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The thread at hand is still there, with its variables.
    Process,
    /// Its variables are gone before the process ends.
    Thread,
}

/// A place that holds an address: when it counts, and whether for sure.
struct Hold {
    pointer: TermId,
    /// The block that the place is in, if it is in one.
    within: Option<usize>,
    condition: TermId,
    is_sure: bool,
}

impl Facts {
    fn held_object(&mut self, block: ObjectId) -> ObjectId {
        let key = ObjectKey::Held(block);
        if self.objects.find(&key).is_none() {
            // Those who have ended the process before did not know of it.
            self.objects.note_news();
        }
        let data = &self.objects[block];
        let (name, owner) = (format!("use of {}", data.name), data.owner);
        self.objects.make(key.clone(), || Object {
            key,
            size: 1,
            name,
            is_constant: false,
            owner,
            starts_as: Content::Zero,
        })
    }
}

impl StoredAddresses {
    fn note_place(&mut self, object: ObjectId, offset: u64, is_sure: bool) {
        let places = &mut self.places;
        let known = places.get(&(object, offset)).copied();
        if known.is_none() || known == Some(true) && !is_sure {
            places.insert((object, offset), is_sure);
            self.growth.note(true);
        }
    }
}

impl<'p> Pass<'p> {
    /// Whether anybody wants to know what is left in the end.
    pub(crate) fn counts_blocks(&self) -> bool {
        let checks = self.options.checks;
        checks.has(Check::Leak) || checks.has(Check::Cleanup)
    }

    /// Whether somebody else may end the process and notice that a block is made or
    /// freed.
    pub(crate) fn is_count_visible(&mut self, block: ObjectId) -> bool {
        self.counts_blocks() && {
            let flag = self.facts.held_object(block);
            self.is_visible(flag, 0, 1)
        }
    }

    /// A block begins its life, or ends it where the condition holds.
    pub(crate) fn note_block(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        block: ObjectId,
        condition: TermId,
        is_held: bool,
    ) {
        if self.counts_blocks() {
            let flag = self.facts.held_object(block);
            let value = self.terms.constant(8, u128::from(is_held));
            self.write_at(state, position, flag, 0, 1, condition, value);
        }
        if is_held {
            self.note_block_seen(self.threads.current(), block);
        }
    }

    /// A block begins its life right after the last step, where the condition holds.
    pub(crate) fn note_block_aside(
        &mut self,
        state: &mut State,
        frame: &Frame,
        block: ObjectId,
        condition: TermId,
    ) {
        if self.counts_blocks() {
            let flag = self.facts.held_object(block);
            let position = self.aside(state, frame, flag, (0, 1));
            let condition = self.terms.and(condition, state.ok);
            self.note_block(state, position, block, condition, true);
        }
    }

    // Keeping track of addresses.

    fn note_block_seen(&mut self, thread: ThreadId, block: ObjectId) {
        if self.options.checks.has(Check::Leak) {
            let stored = &mut self.facts.stored;
            stored.growth.note(stored.seen.insert((thread, block)));
        }
    }

    /// A thread sees a word.
    pub(crate) fn note_seen(&mut self, thread: ThreadId, word: TermId) {
        if self.options.checks.has(Check::Leak) && self.terms.width(word) == self.word() {
            for block in self.blocks_in(word) {
                self.note_block_seen(thread, block);
            }
        }
    }

    /// Carries out stores of which somebody else takes note.
    pub(crate) fn while_tracking<T>(&mut self, store: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.facts.stored.is_tracked, true);
        let result = store(self);
        self.facts.stored.is_tracked = before;
        result
    }

    /// Some bytes are written.
    pub(crate) fn note_stored(
        &mut self,
        (object, offset, size): (ObjectId, u64, u64),
        value: TermId,
    ) {
        let word = self.program.target.pointer_bytes;
        if !self.options.checks.has(Check::Leak) || self.facts.stored.is_tracked {
            return;
        }
        if size % word != 0 {
            self.note_piece(object, offset, size);
            return;
        }
        let is_sure = matches!(self.facts.objects[object].key, ObjectKey::Thread(..));
        for at in (0..size).step_by(word as usize) {
            let low = 8 * at as u32;
            let part = self.terms.extract(value, low + self.word() - 1, low);
            self.note_address(object, offset + at, part, is_sure);
        }
    }

    /// Bytes are written that are no address. Where they leave part of one, what is
    /// there now may or may not belong to the same block: that depends on the number
    /// that the address is.
    fn note_piece(&mut self, object: ObjectId, offset: u64, size: u64) {
        let word = self.program.target.pointer_bytes;
        let (from, to) = (offset.saturating_sub(word - 1), offset + size);
        let places = self.facts.stored.places.range((object, from)..(object, to));
        let is_part = |at: u64| offset > at || offset + size < at + word;
        let sure = places.filter(|((_, at), is_sure)| **is_sure && is_part(*at));
        let sure: Vec<u64> = sure.map(|((_, at), _)| *at).collect();
        for at in sure {
            self.facts.stored.note_place(object, at, false);
        }
    }

    /// An address may be stored at a place.
    fn note_address(&mut self, object: ObjectId, offset: u64, value: TermId, is_sure: bool) {
        let blocks = self.blocks_in(value);
        if blocks.is_empty() {
            return;
        }
        self.facts.stored.note_place(object, offset, is_sure);
        let data = &self.facts.objects[object];
        let owner = data.owner;
        if matches!(data.key, ObjectKey::Local(_) | ObjectKey::ThreadLocal(..)) {
            // Whoever has the variable has what others put there.
            for block in blocks {
                self.note_block_seen(owner, block);
            }
        }
    }

    /// An instruction stores a value of a type.
    pub(crate) fn note_typed(
        &mut self,
        body: &Body,
        targets: &Targets,
        operand: Operand,
        ty: &Type,
        value: &Value,
    ) {
        if !self.options.checks.has(Check::Leak) {
            return;
        }
        let mut fields = vec![(0, ty, value)];
        while let Some((at, ty, value)) = fields.pop() {
            match (ty, value) {
                (Type::Tuple(tuple), Value::Tuple(values)) => {
                    let parts = tuple.fields.iter().zip(values.iter());
                    fields.extend(parts.map(|((offset, ty), value)| (at + offset, ty, value)));
                }
                (_, Value::Term(value)) => {
                    let is_word = *ty == Type::Int(self.word());
                    let is_sure = *ty == Type::Pointer || is_word && is_address(body, operand);
                    if is_word || is_sure {
                        self.note_word(targets, at, *value, is_sure);
                    } else {
                        let size = u64::from(self.terms.width(*value)).div_ceil(8);
                        for target in &targets.list {
                            self.note_piece(target.object, target.offset + at, size);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A library function stores a pointer.
    pub(crate) fn note_pointer(&mut self, targets: &Targets, value: TermId) {
        if self.options.checks.has(Check::Leak) {
            self.note_word(targets, 0, value, true);
        }
    }

    fn note_word(&mut self, targets: &Targets, at: u64, value: TermId, is_sure: bool) {
        if self.terms.width(value) == self.word() {
            for target in &targets.list {
                self.note_address(target.object, target.offset + at, value, is_sure);
            }
        }
    }

    /// Bytes are copied as they are, addresses among them.
    pub(crate) fn note_copied(&mut self, from: &Targets, to: &Targets, size: u64) {
        if !self.options.checks.has(Check::Leak) {
            return;
        }
        let mut found = Vec::new();
        for source in &from.list {
            let first = (source.object, source.offset);
            let end = (source.object, source.offset + size);
            for ((_, at), is_sure) in self.facts.stored.places.range(first..end) {
                found.push((at - source.offset, *is_sure));
            }
        }
        for target in &to.list {
            for (at, is_sure) in &found {
                self.facts
                    .stored
                    .note_place(target.object, target.offset + at, *is_sure);
            }
        }
    }

    // The end.

    /// Ends the process: a step after which there are no others.
    pub(crate) fn end_process_at(&mut self, state: &mut State, frame: &Frame) {
        let position = match (self.prologue.is_alone(), state.atomic) {
            (true, _) => None,
            (false, Some((position, _))) => Some(position),
            (false, None) => {
                let step = Step {
                    place: Place::End,
                    part: 0,
                    location: self.location(frame),
                };
                Some(self.push_position(state, step, frame.execution))
            }
        };
        let always = self.truth();
        let (found, doubt) = self.leftovers(state, position, always, Ending::Process);
        let mut possible: Vec<TermId> = found.iter().map(|(_, is_left)| *is_left).collect();
        possible.push(doubt);
        let possible = self.terms.any(&possible);
        if let Some(position) = position {
            self.require_no_late_handlers(state, position);
            self.require(state, position, possible);
        }
        self.notice_leftovers(state, found, doubt);
        let never = self.terms.bool(false);
        match position {
            Some(position) => self.halt(state, position + 1),
            None => {
                self.demand(state, None, never);
            }
        }
    }

    /// A thread other than main has ended, or main without ending the process: if it
    /// is the last, the process ends too.
    pub(crate) fn end_with_thread(&mut self, state: &mut State, position: usize) {
        let main = self.threads.get(MAIN);
        if !self.counts_blocks() || !main.is_some_and(|main| main.thread.can_end) {
            return;
        }
        let mut is_last = Vec::new();
        for other in self.other_threads() {
            let runs = self.is_running(state, Some(position), other);
            is_last.push(self.terms.not(runs));
        }
        let is_last = self.terms.all(&is_last);
        let (mut found, mut doubt) = self.leftovers(state, Some(position), is_last, Ending::Thread);
        if !self.models.handlers.is_empty() {
            // They run before memory is looked at, and may still free something.
            let wrong: Vec<TermId> = found.drain(..).map(|(_, is_left)| is_left).collect();
            let wrong = self.terms.any(&wrong);
            doubt = self.terms.or(doubt, wrong);
        }
        self.notice_leftovers(state, found, doubt);
    }

    fn notice_leftovers(&mut self, state: &mut State, found: Vec<(Check, TermId)>, doubt: TermId) {
        let before = state.ok;
        for (check, is_left) in found {
            // One does not come before the other.
            state.ok = before;
            self.notice(state, check, is_left);
        }
        if self.terms.as_bool(doubt) != Some(false) {
            let from = self.exclude(state, doubt);
            self.findings.blame_doubt(from);
        }
    }

    fn other_threads(&self) -> Vec<ThreadId> {
        let threads =
            (0..self.facts.threads.count()).map(|number| ThreadId::from_u32(number as u32));
        threads
            .filter(|thread| *thread != self.threads.current())
            .collect()
    }

    /// Whether a thread has been created and has not ended.
    fn is_running(&mut self, state: &State, position: Option<usize>, thread: ThreadId) -> TermId {
        let ended = self.facts.ended_object(thread);
        let ended = self.look_at(state, position, ended, 0, 1);
        let has_not_ended = words::is_zero(&mut self.terms, ended);
        if thread == MAIN {
            return has_not_ended;
        }
        let begun = self.facts.thread_object(thread, ThreadPart::Begun, 1);
        let begun = self.look_at(state, position, begun, 0, 1);
        let has_begun = self.terms.is_nonzero(begun);
        self.terms.and(has_begun, has_not_ended)
    }

    /// A thread is created where the condition holds.
    pub(crate) fn note_begin(
        &mut self,
        state: &mut State,
        position: usize,
        thread: ThreadId,
        condition: TermId,
    ) {
        if self.counts_blocks() {
            let object = self.facts.thread_object(thread, ThreadPart::Begun, 1);
            let one = self.terms.constant(8, 1);
            self.write_at(state, Some(position), object, 0, 1, condition, one);
        }
    }

    /// What is wrong with the memory that is left, where a condition holds; and
    /// whether there is doubt, but nothing wrong.
    fn leftovers(
        &mut self,
        state: &State,
        position: Option<usize>,
        condition: TermId,
        ending: Ending,
    ) -> (Vec<(Check, TermId)>, TermId) {
        let never = self.terms.bool(false);
        let mut found = Vec::new();
        if !self.counts_blocks() || self.terms.as_bool(condition) == Some(false) {
            return (found, never);
        }
        let objects = self.facts.objects.iter();
        let blocks = objects.filter(|(_, data)| matches!(data.key, ObjectKey::Heap(_)));
        let blocks: Vec<ObjectId> = blocks.map(|(id, _)| id).collect();
        let mut held = Vec::new();
        for block in &blocks {
            let flag = self.facts.held_object(*block);
            let flag = self.look_at(state, position, flag, 0, 1);
            let is_held = self.terms.is_nonzero(flag);
            held.push(self.terms.and(is_held, condition));
        }
        if self.options.checks.has(Check::Cleanup) {
            found.extend(held.iter().map(|is_held| (Check::Cleanup, *is_held)));
        }
        let mut doubt = never;
        if self.options.checks.has(Check::Leak) && !blocks.is_empty() {
            let places = self.facts.stored.places.keys();
            let has_arrays = places
                .into_iter()
                .any(|(object, _)| self.facts.arrays.contains(*object));
            if has_arrays || blocks.len() > MOST_BLOCKS {
                self.findings.note_omission(Omission::ManyBlocks);
            } else {
                let holds = self.holds(state, position, &blocks, &held, ending);
                doubt = self.find_lost(state, position, &blocks, &held, &holds, &mut found);
            }
        }
        let wrong: Vec<TermId> = found.iter().map(|(_, is_left)| *is_left).collect();
        let wrong = self.terms.any(&wrong);
        let fine = self.terms.not(wrong);
        (found, self.terms.and(doubt, fine))
    }

    /// Adds what is lost for sure; says whether anything else may be.
    fn find_lost(
        &mut self,
        state: &State,
        position: Option<usize>,
        blocks: &[ObjectId],
        held: &[TermId],
        holds: &[Hold],
        found: &mut Vec<(Check, TermId)>,
    ) -> TermId {
        let never = self.terms.bool(false);
        let mut seen = vec![never; blocks.len()];
        for thread in self.other_threads() {
            let knows = |block: &ObjectId| self.facts.stored.seen.contains(&(thread, *block));
            let known: Vec<usize> = (0..blocks.len())
                .filter(|index| knows(&blocks[*index]))
                .collect();
            if known.is_empty() {
                continue;
            }
            let runs = self.is_running(state, position, thread);
            for index in known {
                seen[index] = self.terms.or(seen[index], runs);
            }
        }
        let nobody = vec![never; blocks.len()];
        let reached = self.reached(blocks, holds, nobody, true);
        let perhaps = self.reached(blocks, holds, seen, false);
        let mut doubts = Vec::new();
        for (index, is_held) in held.iter().enumerate() {
            let is_out_of_reach = self.terms.not(perhaps[index]);
            let is_lost = self.terms.and(*is_held, is_out_of_reach);
            found.push((Check::Leak, is_lost));
            let is_unsure = self.terms.not(reached[index]);
            doubts.push(self.terms.all(&[*is_held, perhaps[index], is_unsure]));
        }
        self.terms.any(&doubts)
    }

    /// What is stored at the places where addresses may be.
    fn holds(
        &mut self,
        state: &State,
        position: Option<usize>,
        blocks: &[ObjectId],
        held: &[TermId],
        ending: Ending,
    ) -> Vec<Hold> {
        let word = self.program.target.pointer_bytes;
        let places: Vec<_> = self.facts.stored.places.clone().into_iter().collect();
        let mut holds = Vec::new();
        for ((object, offset), is_sure) in places {
            let data = &self.facts.objects[object];
            if offset + word > data.size {
                continue;
            }
            let mine = (ending == Ending::Process).then_some(self.threads.current());
            let is_own = Some(data.owner) == mine;
            let mut within = None;
            let mut condition = self.truth();
            match self.facts.objects[object].key {
                ObjectKey::Global(_) | ObjectKey::Environment(..) => {}
                ObjectKey::Heap(_) => {
                    let Some(index) = blocks.iter().position(|block| *block == object) else {
                        continue;
                    };
                    within = Some(index);
                    condition = held[index];
                }
                // If they are still there. Those of others are not looked at.
                ObjectKey::Local(_) if is_own && state.memory.has(object) => {}
                ObjectKey::ThreadLocal(owner, _) if Some(owner) == mine => {}
                ObjectKey::Thread(owner, ThreadPart::Key(_)) if Some(owner) == mine => {}
                ObjectKey::Thread(owner, ThreadPart::Result) => {
                    let fate = self.facts.thread_object(owner, ThreadPart::Fate, 1);
                    let fate = self.look_at(state, position, fate, 0, 1);
                    condition = words::is_zero(&mut self.terms, fate);
                }
                _ => continue,
            }
            let pointer = self.look_at(state, position, object, offset, word);
            holds.push(Hold {
                pointer,
                within,
                condition,
                is_sure,
            });
        }
        holds
    }

    /// For each block, whether it can be reached from what is known to be.
    fn reached(
        &mut self,
        blocks: &[ObjectId],
        holds: &[Hold],
        known: Vec<TermId>,
        only_sure: bool,
    ) -> Vec<TermId> {
        let mut reached = known;
        // Blocks hold the addresses of blocks, so it takes as many rounds.
        for _ in 0..=blocks.len() {
            let before = reached.clone();
            for hold in holds.iter().filter(|hold| hold.is_sure || !only_sure) {
                let mut from = hold.condition;
                if let Some(index) = hold.within {
                    from = self.terms.and(from, before[index]);
                }
                if self.terms.as_bool(from) == Some(false) {
                    continue;
                }
                for block in self.blocks_in(hold.pointer) {
                    let Some(index) = blocks.iter().position(|one| *one == block) else {
                        continue;
                    };
                    let points = self.points_into(hold.pointer, block);
                    let points = self.terms.and(from, points);
                    reached[index] = self.terms.or(reached[index], points);
                }
            }
            if before == reached {
                break;
            }
        }
        reached
    }

    /// Whether an address belongs to a block, even if it is outside of it.
    fn points_into(&mut self, pointer: TermId, block: ObjectId) -> TermId {
        let (bits, top) = (self.offset_bits(), self.word() - 1);
        let high = self.terms.extract(pointer, top, bits);
        let number = u128::from(self.facts.objects.number(block));
        let number = self.terms.constant(top + 1 - bits, number);
        self.terms.equal(high, number)
    }
}

/// Whether an integer is an address for sure: it has just been made from one.
fn is_address(body: &Body, operand: Operand) -> bool {
    let mut insts = body.insts.values();
    insts.any(|inst| {
        let is_made = inst
            .result
            .is_some_and(|result| operand == Operand::Value(result));
        is_made
            && matches!(
                inst.op,
                Op::Cast {
                    op: Cast::PointerToInt,
                    ..
                }
            )
    })
}
