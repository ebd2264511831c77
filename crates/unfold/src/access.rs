//! Access to memory: which objects an address may mean, which of their bytes
//! threads share, and what follows for the step.
//!
//! What only one thread uses, or nobody writes once there are several threads,
//! is read and written in the path's own memory. The rest is cut into cells, and
//! each access to them becomes part of a position.

use crate::checks::Check;
use crate::facts::Facts;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey, SyncPart};
use crate::facts::sharing::Piece;
use crate::memory::Ground;
use crate::omissions::Way;
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::Mode;
use crate::shadows::Word;
use crate::threads::{Access, Cell, CellId};
use crate::validity::Seen;
use crate::values::{Places, Reach};
use crate::{Error, MAIN};
use formula::{TermId, Terms};
use library::MemoryModel;
use std::rc::Rc;

/// More possible places than this are too many for one access.
const MAX_TARGETS: usize = 4096;

/// Objects with more possible places than this are rather seen as large arrays.
const MANY_PLACES: usize = 32;

/// A place that an address may mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub object: ObjectId,
    pub offset: u64,
    /// When it does. Does not include the path's guard.
    pub condition: TermId,
    /// For a large array: any of its elements, and so the offset says nothing.
    pub element: Option<Element>,
}

/// Which element of a large array is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub number: TermId,
    /// What holds its value, if it is to be read.
    pub slot: Option<ObjectId>,
}

/// All places that an address may mean.
#[derive(Clone)]
pub(crate) struct Targets {
    pub list: Vec<Target>,
    /// Whether it means one of them at all.
    pub valid: TermId,
    pub seen: Seen,
    /// Elsewhere there is no step at all, as when nothing is freed.
    pub only_where: Option<TermId>,
}

/// A part of an access: offset from its address, and size. At most 16 bytes.
pub(crate) type Part = (u64, u64);

impl Facts {
    pub(crate) fn thread_object(
        &mut self,
        thread: crate::threads::ThreadId,
        part: crate::facts::objects::ThreadPart,
        size: u64,
    ) -> ObjectId {
        let key = ObjectKey::Thread(thread, part);
        self.objects.make(key.clone(), || Object {
            key,
            size,
            name: format!("{part:?} of thread {}", thread.as_u32()),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Zero,
        })
    }

    /// Makes an object a large array, if it is better seen as one.
    fn consider_array(
        &mut self,
        object: ObjectId,
        size: u64,
        pattern: &Places,
        count: usize,
    ) -> Result<(), Error> {
        let data = &self.objects[object];
        // Only if all is zero at first can nothing be said wrongly.
        let enough = match data.starts_as.is_zero() && !data.is_constant {
            true => MANY_PLACES,
            false => MAX_TARGETS,
        };
        let (step, rest) = (u64::from(pattern.step), u64::from(pattern.rest));
        match data.is_data() && count > enough && self.arrays.make(object, size, step, rest) {
            true => Err(Error::Again),
            false => Ok(()),
        }
    }
}

impl<'p> Pass<'p> {
    /// Finds the places with room for `size` bytes.
    pub(crate) fn resolve(
        &mut self,
        frame: &Frame,
        address: TermId,
        size: u64,
        is_write: bool,
    ) -> Result<Targets, Error> {
        let targets = self.resolve_any(frame, address, size, is_write)?;
        match targets.list.iter().all(|target| target.element.is_none()) {
            true => Ok(targets),
            false => Err(self.unsupported(frame, "an access with too many possible places")),
        }
    }

    /// The same, with elements of large arrays among them.
    pub(crate) fn resolve_any(
        &mut self,
        frame: &Frame,
        address: TermId,
        size: u64,
        is_write: bool,
    ) -> Result<Targets, Error> {
        let word = self.word();
        let bits = self.offset_bits();
        let mask = (1u128 << bits) - 1;
        let reach = self.values.reach(&self.terms, address);
        let mut candidates = reach.few.to_vec();
        if !reach.within.is_empty() {
            self.add_places(frame, address, size, &reach.within, &mut candidates)?;
        }
        let patterns = self.patterns_of(&reach, size, &mut candidates)?;
        let mut list = self.find_elements(address, size, is_write, &patterns)?;
        let mut is_surely_valid = reach.exact().is_some();
        if self.options.checks.has(Check::Memory) {
            // Elements behind the last one are no candidates any more.
            is_surely_valid &= list.is_empty();
        }
        let is_only = is_surely_valid && candidates.len() == 1;
        for value in candidates {
            let condition = if is_only {
                self.truth()
            } else {
                let value = self.terms.constant(word, value);
                self.terms.equal(address, value)
            };
            if self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            let offset = (value & mask) as u64;
            let object = self.facts.objects.numbered(value >> bits).filter(|object| {
                let data = &self.facts.objects[*object];
                data.is_data() && offset + size <= data.size && !(is_write && data.is_constant)
            });
            if let Some(object) = object {
                let fits = self.extends(object, offset + size);
                let condition = self.terms.and(condition, fits);
                is_surely_valid &= self.terms.as_bool(fits) == Some(true);
                list.push(Target {
                    object,
                    offset,
                    condition,
                    element: None,
                });
            } else {
                is_surely_valid = false;
            }
        }
        if list.len() > MAX_TARGETS {
            return Err(self.unsupported(frame, "an access with too many possible places"));
        }
        let valid = if is_surely_valid {
            self.truth()
        } else {
            let hits: Vec<TermId> = list.iter().map(|target| target.condition).collect();
            self.terms.any(&hits)
        };
        Ok(Targets {
            list,
            valid,
            seen: Seen::AtOnce,
            only_where: None,
        })
    }

    /// All places of some patterns that the range of an address allows.
    fn add_places(
        &mut self,
        frame: &Frame,
        address: TermId,
        size: u64,
        patterns: &[Places],
        found: &mut Vec<u128>,
    ) -> Result<(), Error> {
        let bits = self.offset_bits();
        let range = self.terms.range(address).clone();
        for pattern in patterns {
            let Some(id) = self.facts.objects.numbered(u128::from(pattern.object)) else {
                continue;
            };
            let object = &self.facts.objects[id];
            if !object.is_data() || size > object.size || self.facts.arrays.contains(id) {
                continue;
            }
            let before = found.len();
            let base = u128::from(pattern.object) << bits;
            let mut offset = u128::from(pattern.rest);
            while offset <= u128::from(object.size - size) && found.len() - before <= MAX_TARGETS {
                if range.contains(base + offset) {
                    found.push(base + offset);
                }
                offset += u128::from(pattern.step);
            }
            let count = found.len() - before;
            self.facts.consider_array(id, size, pattern, count)?;
            if count > MAX_TARGETS {
                return Err(self.unsupported(frame, "an access with too many possible places"));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(())
    }

    /// The patterns of an address. Single places in a large array make one too, and
    /// are no candidates of their own then.
    fn patterns_of(
        &mut self,
        reach: &Reach,
        size: u64,
        candidates: &mut Vec<u128>,
    ) -> Result<Vec<Places>, Error> {
        let mut patterns = reach.within.to_vec();
        let bits = self.offset_bits();
        let mut rest = reach.few.as_ref();
        while let Some(first) = rest.first() {
            let number = first >> bits;
            let count = rest.partition_point(|value| value >> bits == number);
            let (these, others) = rest.split_at(count);
            rest = others;
            let Some(object) = self.facts.objects.numbered(number).filter(|_| count > 1) else {
                continue;
            };
            let pattern = Places::around(number as u32, these, bits);
            self.facts.consider_array(object, size, &pattern, count)?;
            if self.facts.arrays.contains(object) {
                patterns.push(pattern);
                candidates.retain(|value| value >> bits != number);
            }
        }
        Ok(patterns)
    }

    // Which bytes are shared.

    fn pieces_of(&self, object: ObjectId) -> Rc<[Piece]> {
        if self.prologue.is_alone() {
            return Rc::from([]);
        }
        self.facts.sharing.pieces(object)
    }

    /// Whether other threads may notice an access to these bytes.
    pub(crate) fn is_visible(&self, object: ObjectId, offset: u64, size: u64) -> bool {
        if self.facts.arrays.contains(object) {
            let slots = self.facts.arrays.slots(object);
            return slots.iter().any(|slot| self.is_visible(*slot, 0, 1));
        }
        overlapping(&self.pieces_of(object), offset, size).any(|piece| piece.is_shared)
    }

    /// Whether bytes that threads share are accessed in parts, too.
    pub(crate) fn is_in_pieces(&self, object: ObjectId, offset: u64, size: u64) -> bool {
        let pieces = self.pieces_of(object);
        let found: Vec<&Piece> = overlapping(&pieces, offset, size).collect();
        found.len() > 1 && found.iter().any(|piece| piece.is_shared)
    }

    /// Takes note of an access, once there are several threads.
    pub(crate) fn note(&mut self, object: ObjectId, offset: u64, size: u64, is_write: bool) {
        if !self.prologue.is_alone() {
            let thread = self.threads.current();
            let objects = &self.facts.objects;
            self.facts
                .sharing
                .note_access(objects, object, offset, size, thread, is_write);
        }
    }

    // Reading and writing at known places.

    /// Reads at most 16 bytes for somebody who does not ask which of their bits were
    /// never written. The condition says when the program really does.
    pub(crate) fn read_at(
        &mut self,
        state: &State,
        position: Option<usize>,
        object: ObjectId,
        offset: u64,
        size: u64,
        condition: TermId,
    ) -> TermId {
        let bytes = (object, offset, size);
        let shadow = self.read_shadow(state, position, bytes, condition);
        self.lose(shadow, Way::LibraryReads);
        self.read_data(state, position, bytes, condition)
    }

    /// The same for those who read the shadow themselves.
    pub(crate) fn read_data(
        &mut self,
        state: &State,
        position: Option<usize>,
        bytes: (ObjectId, u64, u64),
        condition: TermId,
    ) -> TermId {
        self.note_use(state, position, bytes, condition, Mode::READ);
        let value = self.read_bytes(state, position, bytes, condition);
        self.note_seen(self.threads.current(), value);
        value
    }

    /// Reads what a program does not: nobody sees it, and nobody races with it.
    pub(crate) fn look_at(
        &mut self,
        state: &State,
        position: Option<usize>,
        object: ObjectId,
        offset: u64,
        size: u64,
    ) -> TermId {
        let always = self.truth();
        self.read_bytes(state, position, (object, offset, size), always)
    }

    pub(crate) fn read_bytes(
        &mut self,
        state: &State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
    ) -> TermId {
        if self.facts.arrays.contains(object) {
            return self.read_elements(state, position, object, (offset, size), condition);
        }
        self.note(object, offset, size, false);
        let pieces = self.pieces_of(object);
        let end = offset + size;
        let mut at = offset;
        let mut value = None;
        for piece in overlapping(&pieces, offset, size)
            .copied()
            .collect::<Vec<_>>()
        {
            if piece.start > at {
                let low = self.read_private(state, object, at, piece.start - at);
                value = Some(join(&mut self.terms, value, low));
                at = piece.start;
            }
            let until = (piece.start + piece.size).min(end);
            let part = match position {
                Some(position) if piece.is_shared => {
                    let whole = self.read_cell(state, position, object, piece, condition);
                    let low = 8 * (at - piece.start) as u32;
                    let width = 8 * (until - at) as u32;
                    self.terms.extract(whole, low + width - 1, low)
                }
                _ => self.read_private(state, object, at, until - at),
            };
            value = Some(join(&mut self.terms, value, part));
            at = until;
        }
        if at < end {
            let rest = self.read_private(state, object, at, end - at);
            value = Some(join(&mut self.terms, value, rest));
        }
        value.unwrap_or_else(|| self.terms.constant(8, 0))
    }

    /// Looks at bytes without a step: what they were before there were threads, or
    /// what the thread itself has made of them.
    pub(crate) fn peek(&mut self, state: &State, object: ObjectId, at: u64, size: u64) -> TermId {
        if self.facts.arrays.contains(object) {
            self.irregular(object);
        }
        self.read_private(state, object, at, size)
    }

    fn read_private(&mut self, state: &State, object: ObjectId, at: u64, size: u64) -> TermId {
        state.memory.read(&mut self.ground(), object, at, size)
    }

    fn read_cell(
        &mut self,
        state: &State,
        position: usize,
        object: ObjectId,
        piece: Piece,
        condition: TermId,
    ) -> TermId {
        self.reads_piece(state, object, piece.start);
        let cell = self.cell(object, piece);
        let values = self
            .facts
            .values
            .get(object, piece.start)
            .cloned()
            .expect("a cell's values should be known");
        let mut range = values.range().clone();
        if !self.options.reductions.ranges {
            range = formula::Range::full(range.width());
        }
        let variable = match range.as_constant() {
            Some(value) => {
                let value = self.terms.constant(range.width(), value);
                // Which write is seen matters, even if all wrote the same.
                if !self.is_weak() {
                    return value;
                }
                value
            }
            None => {
                let variable = self.terms.new_variable_in("read", range);
                self.values.set(variable, &values);
                variable
            }
        };
        let condition = self.terms.and(state.guard, condition);
        let access = Access::Read {
            cell,
            variable,
            condition,
        };
        self.work().thread.positions[position].accesses.push(access);
        variable
    }

    /// The cell of a shared piece, made when first met.
    fn cell(&mut self, object: ObjectId, piece: Piece) -> CellId {
        if let Some(cell) = self.tables.cells.find(object, piece.start) {
            return cell;
        }
        let mut ground = Ground {
            terms: &mut self.terms,
            objects: &self.facts.objects,
            fresh: &mut self.tables.fresh,
        };
        let data = &ground.objects[object];
        let name = format!("{}+{}", data.name, piece.start);
        let is_unknown = ground.objects.starts_unknown(object);
        let is_made_later =
            ground.objects.is_made_on_the_way(object) && !self.prologue.snapshot().has(object);
        let width = 8 * piece.size as u32;
        // Under a weak memory model, others may see what was there before it was written.
        let is_weak = self.options.surroundings.memory_model != MemoryModel::Sc;
        let is_raw = is_weak || self.facts.unwritten.is_raw(ground.objects, object, piece);
        let initial = if is_unknown && is_made_later && !is_raw {
            // It is written before anybody reads it.
            ground.terms.constant(width, 0)
        } else {
            self.prologue
                .snapshot()
                .read(&mut ground, object, piece.start, piece.size)
        };
        let values = self.values.of(&self.terms, initial);
        self.facts.values.note(object, piece.start, &values);
        let is_memory = matches!(
            self.facts.objects[object].key,
            ObjectKey::Global(_)
                | ObjectKey::ThreadLocal(..)
                | ObjectKey::Local(_)
                | ObjectKey::Heap(_)
                | ObjectKey::Environment(..)
        );
        let cell = Cell {
            width,
            is_memory,
            counts_readers: matches!(
                self.facts.objects[object].key,
                ObjectKey::Sync(_, _, SyncPart::Readers | SyncPart::Reader(_))
            ),
            initial,
            range: formula::Range::full(width),
            name,
        };
        self.tables.cells.add(object, piece.start, cell)
    }

    /// Writes at most 16 bytes where the condition holds, all of them known.
    #[expect(clippy::too_many_arguments, reason = "a write is all of these")]
    pub(crate) fn write_at(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        object: ObjectId,
        offset: u64,
        size: u64,
        condition: TermId,
        value: TermId,
    ) {
        let bytes = (object, offset, size);
        self.write_word(state, position, bytes, condition, (value, None));
    }

    /// The same for a word of which some bits may never have been written.
    pub(crate) fn write_word(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        bytes: (ObjectId, u64, u64),
        condition: TermId,
        (value, shadow): Word,
    ) {
        let (object, offset, size) = bytes;
        self.write_shadow(state, position, bytes, condition, shadow);
        self.note_use(state, position, bytes, condition, Mode::WRITE);
        self.write_graves(state, position, bytes, condition);
        self.note_stored(bytes, value);
        self.publish_stored(state, (object, size), condition, value);
        if self.facts.arrays.contains(object) {
            let place = (offset, size);
            return self.write_elements(state, position, object, place, condition, value);
        }
        self.write_bytes(state, position, bytes, condition, value);
    }

    /// Writes to an object that is no large array, without being seen.
    pub(crate) fn write_bytes(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
        value: TermId,
    ) {
        self.note(object, offset, size, true);
        let pieces = self.pieces_of(object);
        let end = offset + size;
        let mut at = offset;
        let slice = |terms: &mut Terms, from: u64, to: u64| {
            let low = 8 * (from - offset) as u32;
            terms.extract(value, low + 8 * (to - from) as u32 - 1, low)
        };
        for piece in overlapping(&pieces, offset, size)
            .copied()
            .collect::<Vec<_>>()
        {
            if piece.start > at {
                let part = slice(&mut self.terms, at, piece.start);
                self.write_private(state, object, at, piece.start - at, condition, part);
                at = piece.start;
            }
            let until = (piece.start + piece.size).min(end);
            let part = slice(&mut self.terms, at, until);
            match position {
                Some(position) if piece.is_shared => {
                    // Pieces that are not covered will be cut in the next pass.
                    if at == piece.start && until == piece.start + piece.size {
                        self.write_cell(state, position, object, piece, condition, part);
                    }
                }
                _ => self.write_private(state, object, at, until - at, condition, part),
            }
            at = until;
        }
        if at < end {
            let part = slice(&mut self.terms, at, end);
            self.write_private(state, object, at, end - at, condition, part);
        }
    }

    /// Writes the same byte throughout a block that nobody else sees.
    pub(crate) fn fill_at(
        &mut self,
        state: &mut State,
        object: ObjectId,
        offset: u64,
        size: u64,
        byte: u8,
    ) {
        self.note(object, offset, size, true);
        state
            .memory
            .fill(&mut self.ground(), object, offset, size, byte);
        if let Some(shadow) = self.shadow_object(object) {
            self.note(shadow, offset, size, true);
            let mut ground = self.ground();
            state.memory.fill(&mut ground, shadow, offset, size, 0);
        }
    }

    fn write_private(
        &mut self,
        state: &mut State,
        object: ObjectId,
        at: u64,
        size: u64,
        condition: TermId,
        value: TermId,
    ) {
        let mut value = value;
        if self.terms.as_bool(condition) != Some(true) {
            let old = self.read_private(state, object, at, size);
            value = self.terms.ite(condition, value, old);
        }
        state
            .memory
            .write(&mut self.ground(), object, at, size, value);
    }

    fn write_cell(
        &mut self,
        state: &mut State,
        position: usize,
        object: ObjectId,
        piece: Piece,
        condition: TermId,
        value: TermId,
    ) {
        let cell = self.cell(object, piece);
        let is_sure = self.terms.as_bool(condition) == Some(true);
        let condition = self.terms.and(state.guard, condition);
        if self.terms.as_bool(condition) == Some(false) {
            return;
        }
        self.writes_piece(state, object, piece.start, is_sure, value);
        let values = self.values.of(&self.terms, value);
        self.facts.values.note(object, piece.start, &values);
        let access = Access::Write {
            cell,
            condition,
            value,
        };
        self.work().thread.positions[position].accesses.push(access);
    }

    // Reading and writing at any address, as one step.

    /// Reads several parts; `Err` if no path goes on.
    pub(crate) fn load(
        &mut self,
        state: &mut State,
        frame: &Frame,
        address: TermId,
        size: u64,
        parts: &[Part],
        step: u32,
    ) -> Result<Result<Vec<Word>, Flow>, Error> {
        let targets = self.resolve(frame, address, size, false)?;
        let position = match self.begin_access(state, frame, &targets, size, step) {
            Ok(position) => position,
            Err(flow) => return Ok(Err(flow)),
        };
        Ok(Ok(self.load_words(state, position, &targets, parts)))
    }

    pub(crate) fn load_from(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
        parts: &[Part],
    ) -> Vec<TermId> {
        let words = self.load_words(state, position, targets, parts);
        let mut values = Vec::new();
        for (value, shadow) in words {
            self.lose(shadow, Way::LibraryReads);
            values.push(value);
        }
        values
    }

    /// The same with the bits that were never written.
    pub(crate) fn load_words(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
        parts: &[Part],
    ) -> Vec<Word> {
        parts
            .iter()
            .map(|(offset, size)| {
                let mut value = None;
                for target in targets.list.iter().rev() {
                    let (object, offset) = match target.element {
                        Some(element) => (element.slot.unwrap_or(target.object), *offset),
                        None => (target.object, target.offset + offset),
                    };
                    let bytes = (object, offset, *size);
                    let here = self.read_data(state, position, bytes, target.condition);
                    value = Some(match value {
                        None => here,
                        Some(other) => self.terms.ite(target.condition, here, other),
                    });
                }
                let value = value.unwrap_or_else(|| self.terms.constant(8 * *size as u32, 0));
                let shadow = self.load_shadow(state, position, targets, (*offset, *size));
                (value, shadow)
            })
            .collect()
    }

    pub(crate) fn store_to(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        targets: &Targets,
        parts: &[(Part, TermId)],
        condition: TermId,
    ) {
        let parts: Vec<(Part, Word)> = (parts.iter())
            .map(|(part, value)| (*part, (*value, None)))
            .collect();
        self.store_words(state, position, targets, &parts, condition);
    }

    /// The same for words of which some bits may never have been written.
    pub(crate) fn store_words(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        targets: &Targets,
        parts: &[(Part, Word)],
        condition: TermId,
    ) {
        for target in &targets.list {
            let condition = self.terms.and(target.condition, condition);
            for ((offset, size), (value, shadow)) in parts {
                if let Some(element) = target.element {
                    let (array, number) = (target.object, element.number);
                    self.check_array_shadow(array, *shadow);
                    if 8 * *size as u32 != self.terms.width(*value) || parts.len() > 1 {
                        self.irregular(array);
                    }
                    self.note_stored((array, *offset, *size), *value);
                    self.publish_stored(state, (array, *size), condition, *value);
                    self.write_element(state, position, array, number, condition, *value);
                    continue;
                }
                let bytes = (target.object, target.offset + offset, *size);
                self.write_word(state, position, bytes, condition, (*value, *shadow));
            }
        }
    }

    pub(crate) fn store(
        &mut self,
        state: &mut State,
        frame: &Frame,
        address: TermId,
        size: u64,
        parts: &[(Part, TermId)],
        step: u32,
    ) -> Result<Flow, Error> {
        let targets = self.resolve(frame, address, size, true)?;
        match self.begin_access(state, frame, &targets, size, step) {
            Err(flow) => Ok(flow),
            Ok(position) => {
                let always = self.truth();
                self.store_to(state, position, &targets, parts, always);
                Ok(Flow::Next)
            }
        }
    }

    /// Stores what a thread returns, for those who join it.
    pub(crate) fn set_result(&mut self, state: &mut State, position: usize, result: TermId) {
        let size = self.program.target.pointer_bytes;
        let object = self.facts.thread_object(
            self.threads.current(),
            crate::facts::objects::ThreadPart::Result,
            size,
        );
        let always = self.truth();
        self.write_at(state, Some(position), object, 0, size, always, result);
    }
}

fn overlapping(pieces: &[Piece], offset: u64, size: u64) -> impl Iterator<Item = &Piece> {
    let first = pieces.partition_point(|piece| piece.start + piece.size <= offset);
    pieces[first..]
        .iter()
        .take_while(move |piece| piece.start < offset + size)
}

fn join(terms: &mut Terms, low: Option<TermId>, high: TermId) -> TermId {
    match low {
        None => high,
        Some(low) => terms.concat(high, low),
    }
}
