//! The heap, and operations on blocks of bytes.

use super::{EINVAL, ENOMEM};
use crate::Error;
use crate::access::{Part, Target, Targets};
use crate::calls::{Call, Reply, split};
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::models::atomic::MAX_BYTES;
use crate::models::strings::text;
use crate::models::strings::text::Together;
use crate::omissions::{Maker, Omission};
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::Mode;
use crate::validity::Seen;
use formula::TermId;
use library::Memory as Op;

/// Blocks of unknown length are handled byte by byte, up to this length.
const LONGEST_UNKNOWN: u64 = 256;

/// New blocks of unknown size have at most this size.
const LONGEST_BLOCK: u64 = 1 << 19;

/// An allocation that is asked for.
#[derive(Clone, Copy)]
struct Wish {
    size: TermId,
    /// When there is none, whatever the run is given, and the error of that.
    refused: TermId,
    error: u128,
    /// Whether the run decides that there is no memory.
    may_fail: bool,
}

impl<'p> Pass<'p> {
    pub(crate) fn memory_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Op,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.word();
        match op {
            Op::Malloc => {
                let size = self.number(call, 0, word);
                let wish = self.wish(size);
                self.allocate(state, frame, wish, Content::Unknown)
            }
            Op::New => {
                let wish = self.sure_wish(call, 0);
                self.allocate(state, frame, wish, Content::Unknown)
            }
            Op::AlignedAlloc => {
                let (align, size) = (self.number(call, 0, word), self.number(call, 1, word));
                let mut wish = self.wish(size);
                let is_power = words::is_power(&mut self.terms, align);
                let refused = self.terms.not(is_power);
                self.refuse(&mut wish, refused, EINVAL);
                let (block, fails) = self.allocate_aligned(state, frame, wish, true)?;
                Ok(Reply::Return(self.null_if(fails, block)))
            }
            Op::NewAligned => {
                let wish = self.sure_wish(call, 0);
                let (block, _) = self.allocate_aligned(state, frame, wish, true)?;
                Ok(Reply::Return(block))
            }
            Op::Calloc => {
                let (count, size) = (self.number(call, 0, word), self.number(call, 1, word));
                let wish = self.wish_for_many(count, size);
                self.allocate(state, frame, wish, Content::Zero)
            }
            Op::PosixMemalign => self.posix_memalign(state, frame, call),
            Op::Realloc => {
                let size = self.number(call, 1, word);
                let wish = self.wish(size);
                self.reallocate(state, frame, call, wish)
            }
            Op::ReallocArray => {
                let (count, size) = (self.number(call, 1, word), self.number(call, 2, word));
                let wish = self.wish_for_many(count, size);
                self.reallocate(state, frame, call, wish)
            }
            Op::Free | Op::Delete => self.free(state, frame, call),
            Op::UsableSize => Err(self.unsupported(frame, "asking for the size of a block")),
            Op::Copy | Op::Move | Op::PCopy => self.copy(state, frame, op, call),
            Op::Set => {
                let byte = self.number(call, 1, 8);
                let len = self.number(call, 2, word);
                self.fill_block(state, frame, call, byte, len)
            }
            Op::BZero => {
                let byte = self.terms.constant(8, 0);
                let len = self.number(call, 1, word);
                self.fill_block(state, frame, call, byte, len)
            }
            Op::Compare => self.compare_blocks(state, frame, call),
            Op::Find | Op::FindLast => Err(self.unsupported(frame, "searching a block")),
        }
    }

    /// A wish for so many bytes, of which no system grants as many as it has addresses.
    fn wish(&mut self, size: TermId) -> Wish {
        let most = match self.program.target.pointer_bytes {
            4 => 1 << 31,
            _ => 1 << 47,
        };
        let mut wish = Wish {
            size,
            refused: self.terms.bool(false),
            error: ENOMEM,
            may_fail: self.options.surroundings.malloc_may_fail,
        };
        if self
            .terms
            .as_constant(size)
            .is_some_and(|size| size >= most)
        {
            let always = self.truth();
            self.refuse(&mut wish, always, ENOMEM);
        }
        wish
    }

    /// The same for an array, whose size may be too large to be said.
    fn wish_for_many(&mut self, count: TermId, size: TermId) -> Wish {
        let width = self.terms.width(size);
        let product = self.terms.mul(count, size);
        let constants = [count, size].map(|term| self.terms.as_constant(term));
        let greatest = u128::MAX >> (128 - width);
        let is_too_large = match (constants, [size, count]) {
            ([Some(0), _] | [_, Some(0)], _) => self.terms.bool(false),
            ([Some(factor), _], [other, _]) | ([None, Some(factor)], [_, other]) => {
                let most = self.terms.constant(width, greatest / factor);
                self.terms.unsigned_less(most, other)
            }
            ([None, None], _) => {
                let wide = [count, size].map(|term| self.terms.resize(term, 2 * width));
                let exact = self.terms.mul(wide[0], wide[1]);
                let rest = self.terms.extract(exact, 2 * width - 1, width);
                self.terms.is_nonzero(rest)
            }
        };
        let mut wish = self.wish(product);
        self.refuse(&mut wish, is_too_large, ENOMEM);
        wish
    }

    /// C++ has no null pointers for memory that is not there.
    fn sure_wish(&mut self, call: &Call, index: usize) -> Wish {
        let word = self.word();
        Wish {
            size: self.number(call, index, word),
            refused: self.terms.bool(false),
            error: ENOMEM,
            may_fail: false,
        }
    }

    /// A wish is not granted where the condition holds, whatever the run is given.
    fn refuse(&mut self, wish: &mut Wish, condition: TermId, error: u128) {
        if self.terms.as_bool(condition) == Some(false) {
            return;
        }
        let nothing = self.terms.constant(self.terms.width(wish.size), 0);
        wish.size = self.terms.ite(condition, nothing, wish.size);
        wish.refused = self.terms.or(wish.refused, condition);
        wish.error = error;
    }

    /// Whether a wish is not granted, which sets `errno` where the condition holds.
    fn fails(&mut self, state: &mut State, frame: &Frame, wish: Wish, matters: TermId) -> TermId {
        let mut fails = wish.refused;
        let error = self.int(wish.error);
        let refused = self.terms.and(wish.refused, matters);
        self.set_errno(state, refused, error);
        if wish.may_fail && self.terms.as_bool(fails) != Some(true) {
            let is_lost = self.is_allocation_lost(frame);
            let asked = self.terms.not(wish.refused);
            let is_lost = self.terms.and(is_lost, asked);
            let matters = self.terms.and(is_lost, matters);
            let error = self.int(ENOMEM);
            self.set_errno(state, matters, error);
            fails = self.terms.or(fails, is_lost);
        }
        fails
    }

    /// Whether there is no memory for an allocation, as the run is given.
    pub(crate) fn is_allocation_lost(&mut self, frame: &Frame) -> TermId {
        let choice = self.input(frame, "allocation", 1);
        self.terms.is_one(choice)
    }

    /// What `malloc` returns: the block, or null.
    fn null_if(&mut self, fails: TermId, block: TermId) -> TermId {
        let word = self.word();
        let null = self.terms.constant(word, 0);
        self.terms.ite(fails, null, block)
    }

    /// A new block, as one step.
    fn allocate(
        &mut self,
        state: &mut State,
        frame: &Frame,
        wish: Wish,
        content: Content,
    ) -> Result<Reply, Error> {
        let object = self.new_block(state, frame, wish.size, content)?;
        let mut position = state.atomic.map(|(position, _)| position);
        if self.is_taking_visible(object) || self.is_count_visible(object) {
            position = Some(self.position(frame, state, 0));
        } else if self.options.can_free || self.counts_blocks() {
            // It is a step: others may have freed what could be used again.
            self.unnoticed_step(frame, state);
        }
        let always = self.truth();
        let fails = self.fails(state, frame, wish, always);
        let is_made = self.terms.not(fails);
        self.take_address(state, frame, position, object, is_made);
        self.note_block(state, position, object, is_made, true);
        let block = self.address(object, 0);
        Ok(Reply::Return(self.null_if(fails, block)))
    }

    /// A new block at an address that is a multiple of something, as one step unless
    /// there will be another one at once; and when there is none.
    fn allocate_aligned(
        &mut self,
        state: &mut State,
        frame: &Frame,
        wish: Wish,
        is_step: bool,
    ) -> Result<(TermId, TermId), Error> {
        let object = self.new_block(state, frame, wish.size, Content::Unknown)?;
        let mut position = state.atomic.map(|(position, _)| position);
        if self.is_count_visible(object) {
            position = Some(self.position(frame, state, 0));
        } else if is_step && (self.options.can_free || self.counts_blocks()) {
            self.unnoticed_step(frame, state);
        }
        let always = self.truth();
        let fails = self.fails(state, frame, wish, always);
        let is_made = self.terms.not(fails);
        self.note_block(state, position, object, is_made, true);
        self.keep_apart(object, Maker::AlignedAllocations);
        Ok((self.address(object, 0), fails))
    }

    /// `posix_memalign(&place, alignment, size)`, which leaves the place alone if it
    /// fails.
    fn posix_memalign(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.word();
        let (align, size) = (self.number(call, 1, word), self.number(call, 2, word));
        let len = self.program.target.pointer_bytes;
        let is_power = words::is_power(&mut self.terms, align);
        let least = self.terms.constant(word, u128::from(len));
        let is_large = self.terms.unsigned_less_equal(least, align);
        let is_alignment = self.terms.and(is_power, is_large);
        match self.terms.as_bool(is_alignment) {
            Some(true) => {}
            Some(false) => {
                if self.options.can_free || self.counts_blocks() {
                    self.unnoticed_step(frame, state);
                }
                return self.reply(EINVAL);
            }
            None => return Err(self.unsupported(frame, "an alignment that is not a constant")),
        }
        let wish = self.wish(size);
        let place = self.argument(call, 0);
        let targets = self.resolve(frame, place, len, true)?;
        // The same step stores the address.
        let mut all = targets.list.iter();
        let is_stored = self.terms.as_bool(targets.valid) == Some(true)
            && all.all(|target| self.is_elsewhere(target.object));
        let (block, fails) = self.allocate_aligned(state, frame, wish, !is_stored)?;
        self.note_pointer(&targets, block);
        let Ok(position) = self.begin_access(state, frame, &targets, len, 0) else {
            return Ok(Reply::Never);
        };
        let is_made = self.terms.not(fails);
        self.while_tracking(|pass| {
            pass.store_to(state, position, &targets, &[((0, len), block)], is_made);
        });
        let (zero, error) = (self.int(0), self.int(ENOMEM));
        Ok(Reply::Return(self.terms.ite(fails, error, zero)))
    }

    /// The greatest size of a new block. Runs in which it is too great are left out.
    fn block_size(&mut self, state: &mut State, size: TermId) -> u64 {
        if let Some(size) = self.terms.as_constant(size) {
            return size as u64;
        }
        self.findings.note_coarse(true);
        let greatest = self.upper_bound(size);
        if greatest <= u128::from(LONGEST_BLOCK) {
            return greatest as u64;
        }
        let most = LONGEST_BLOCK;
        self.findings.note_omission(Omission::LargeBlocks { most });
        let width = self.terms.width(size);
        let longest = self.terms.constant(width, u128::from(LONGEST_BLOCK));
        let is_longer = self.terms.unsigned_less(longest, size);
        self.exclude(state, is_longer);
        LONGEST_BLOCK
    }

    /// A new object on the heap.
    fn new_block(
        &mut self,
        state: &mut State,
        frame: &Frame,
        size: TermId,
        content: Content,
    ) -> Result<ObjectId, Error> {
        let is_size_known = self.terms.as_constant(size).is_some();
        let extent = size;
        let size = self.block_size(state, size);
        self.check_size(frame, size)?;
        let key = ObjectKey::Heap(self.instance(frame, state, 0));
        let owner = self.threads.current();
        let place = self.location(frame);
        let name = match place {
            Some(place) => format!("block from {}", self.program.describe_location(place)),
            None => "block".to_owned(),
        };
        let object = self.facts.objects.make(key.clone(), || Object {
            key,
            size,
            name,
            is_constant: false,
            owner,
            starts_as: content,
        });
        self.facts.objects.enlarge(object, size);
        self.note_extent(state, object, extent);
        if !is_size_known {
            self.keep_apart(object, Maker::UnknownSizes);
        }
        state.memory.create(object);
        self.track_unwritten(state, object);
        Ok(object)
    }

    /// The heap blocks that a pointer may be the start of.
    /// Also says whether others may notice that there is something else behind it.
    fn blocks_behind(&mut self, frame: &Frame, pointer: TermId) -> Result<(Targets, bool), Error> {
        let (mut targets, is_noticed) = self.starts_behind(frame, pointer, false)?;
        let mut fine: Vec<TermId> = targets.list.iter().map(|t| t.condition).collect();
        fine.push(words::is_zero(&mut self.terms, pointer));
        targets.valid = self.terms.any(&fine);
        Ok((targets, is_noticed))
    }

    /// The same for mappings.
    pub(super) fn mappings_behind(
        &mut self,
        frame: &Frame,
        pointer: TermId,
    ) -> Result<(Targets, bool), Error> {
        let (mut targets, is_noticed) = self.starts_behind(frame, pointer, true)?;
        let fine: Vec<TermId> = targets.list.iter().map(|t| t.condition).collect();
        targets.valid = self.terms.any(&fine);
        Ok((targets, is_noticed))
    }

    fn starts_behind(
        &mut self,
        frame: &Frame,
        pointer: TermId,
        are_mappings: bool,
    ) -> Result<(Targets, bool), Error> {
        let mut targets = self.resolve(frame, pointer, 0, true)?;
        let mut is_noticed = false;
        targets.list.retain(|target| {
            let data = &self.facts.objects[target.object];
            let is_block = matches!(data.key, ObjectKey::Heap(_))
                && target.offset == 0
                && self.is_mapping(target.object) == are_mappings;
            let is_global = matches!(data.key, ObjectKey::Global(_));
            is_noticed |= !is_block && (is_global || data.owner != self.threads.current());
            is_block
        });
        is_noticed &= self.options.checks.has(Check::Memory) && !self.prologue.is_alone();
        targets.seen = Seen::AtStep;
        Ok((targets, is_noticed))
    }

    fn free(&mut self, state: &mut State, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let pointer = self.argument(call, 0);
        let (mut targets, mut is_noticed) = self.blocks_behind(frame, pointer)?;
        is_noticed |= self.is_ending_visible(&targets);
        let is_block = self.terms.is_nonzero(pointer);
        targets.only_where = Some(is_block);
        let Ok(position) = self.begin_step(state, frame, &targets, 0, 0, is_noticed) else {
            return Ok(Reply::Never);
        };
        if self.counts_blocks() {
            match position {
                Some(_) => self.take_turn(frame, state, position),
                None => self.unnoticed_step_if(frame, state, is_block),
            }
        }
        self.note_freeing(state, position, &targets);
        self.end_blocks(state, position, &targets);
        Ok(Reply::Nothing)
    }

    /// As far as races are concerned, to free a block is to write to all of it.
    pub(super) fn note_freeing(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
    ) {
        for target in &targets.list {
            let bytes = (target.object, 0, self.facts.objects[target.object].size);
            self.note_use(state, position, bytes, target.condition, Mode::WRITE);
        }
    }

    fn is_ending_visible(&mut self, targets: &Targets) -> bool {
        let mut targets = targets.list.iter();
        targets.any(|target| {
            self.is_leaving_visible(target.object) || self.is_count_visible(target.object)
        })
    }

    /// From now on there are no such objects.
    pub(super) fn end_lives(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        targets: &Targets,
    ) {
        let dead = self.terms.constant(8, 0);
        for target in &targets.list {
            let key = ObjectKey::Alive(target.object);
            if let Some(alive) = self.facts.objects.find(&key) {
                self.write_at(state, position, alive, 0, 1, target.condition, dead);
            }
        }
    }

    fn end_blocks(&mut self, state: &mut State, position: Option<usize>, targets: &Targets) {
        self.end_lives(state, position, targets);
        for target in &targets.list {
            self.leave_address(state, position, target.object, target.condition);
            self.note_block(state, position, target.object, target.condition, false);
        }
    }

    fn reallocate(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        wish: Wish,
    ) -> Result<Reply, Error> {
        let pointer = self.argument(call, 0);
        let (mut old, is_other_noticed) = self.blocks_behind(frame, pointer)?;
        // As glibc has it: a block of no bytes is freed, and there is no new one.
        let is_block = self.terms.is_nonzero(pointer);
        let is_empty = words::is_zero(&mut self.terms, wish.size);
        let is_asked = self.terms.not(wish.refused);
        let is_only_freed = self.terms.all(&[is_block, is_empty, is_asked]);
        let new = self.new_block(state, frame, wish.size, Content::Unknown)?;
        let size = self.facts.objects[new].size;
        let is_noticed = is_other_noticed
            || self.is_ending_visible(&old)
            || self.is_taking_visible(new)
            || self.is_count_visible(new)
            || self.is_visible(new, 0, size);
        let Ok(position) = self.begin_step(state, frame, &old, 0, 0, is_noticed) else {
            return Ok(Reply::Never);
        };
        self.note_freeing(state, position, &old);
        self.take_turn(frame, state, position);
        let is_wanted = self.terms.not(is_only_freed);
        let fails = self.fails(state, frame, wish, is_wanted);
        let is_missing = self.terms.or(fails, is_only_freed);
        let is_made = self.terms.not(is_missing);
        self.take_address(state, frame, position, new, is_made);
        self.note_block(state, position, new, is_made, true);
        let always = self.truth();
        self.note_copied(&old, &whole(new, always), size);
        for target in &old.list {
            let is_cleared = self.facts.objects[target.object].starts_as.is_zero();
            if is_cleared && self.extent(target.object).is_some() {
                let what = "more memory for a cleared block whose size is not constant";
                return Err(self.unsupported(frame, what));
            }
            let kept = size.min(self.facts.objects[target.object].size);
            let condition = target.condition;
            self.while_tracking(|pass| {
                for (offset, len) in split(kept) {
                    let old = (target.object, offset, len);
                    let shadow = pass.read_shadow(state, position, old, condition);
                    let value = pass.read_data(state, position, old, condition);
                    let new = (new, offset, len);
                    pass.write_word(state, position, new, condition, (value, shadow));
                }
            });
        }
        // If it fails, the old block is left as it is.
        let is_over = self.terms.or(is_made, is_only_freed);
        for target in &mut old.list {
            target.condition = self.terms.and(target.condition, is_over);
        }
        self.end_blocks(state, position, &old);
        let block = self.address(new, 0);
        Ok(Reply::Return(self.null_if(is_missing, block)))
    }

    /// The parts of a block, each with the condition that it belongs to it, and the
    /// length that must fit.
    fn block_parts(
        &mut self,
        frame: &Frame,
        len: TermId,
    ) -> Result<(Vec<(Part, TermId)>, u64), Error> {
        let always = self.truth();
        if let Some(len) = self.terms.as_constant(len) {
            if len > 1 << 20 {
                return Err(self.unsupported(frame, format!("a block of {len} bytes")));
            }
            let parts = split(len as u64);
            return Ok((
                parts.into_iter().map(|part| (part, always)).collect(),
                len as u64,
            ));
        }
        let greatest = self.greatest(frame, len, "a block")?;
        if greatest > LONGEST_UNKNOWN {
            return Err(self.unsupported(frame, "a block of unknown length"));
        }
        let width = self.terms.width(len);
        let parts = (0..greatest).map(|at| {
            let index = self.terms.constant(width, u128::from(at));
            ((at, 1), self.terms.unsigned_less(index, len))
        });
        Ok((parts.collect(), greatest))
    }

    fn copy(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Op,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.word();
        let (to, from) = (self.argument(call, 0), self.argument(call, 1));
        let len = self.number(call, 2, word);
        let (parts, size) = self.block_parts(frame, len)?;
        let result = if op == Op::PCopy {
            self.terms.add(to, len)
        } else {
            to
        };
        if size == 0 {
            return Ok(Reply::Return(result));
        }
        if op != Op::Move && self.options.checks.has(Check::Misuse) {
            let (after, before) = (self.terms.sub(to, from), self.terms.sub(from, to));
            let is_close = [after, before].map(|gap| self.terms.unsigned_less(gap, len));
            let is_close = self.terms.any(&is_close);
            let is_other = self.terms.different(to, from);
            let overlaps = self.terms.and(is_close, is_other);
            if self.violate(state, Check::Misuse, overlaps) == Flow::Dead {
                return Ok(Reply::Never);
            }
        }
        let places: Vec<Part> = parts.iter().map(|(part, _)| *part).collect();
        let loaded = self.load(state, frame, from, size, &places, 0)?;
        let Ok(values) = loaded else {
            return Ok(Reply::Never);
        };
        let targets = self.resolve(frame, to, size, true)?;
        let sources = self.resolve(frame, from, size, false)?;
        self.note_copied(&sources, &targets, size);
        let Ok(position) = self.begin_access(state, frame, &targets, size, 1) else {
            return Ok(Reply::Never);
        };
        self.while_tracking(|pass| {
            for ((part, condition), value) in parts.iter().zip(values) {
                pass.store_words(state, position, &targets, &[(*part, value)], *condition);
            }
        });
        Ok(Reply::Return(result))
    }

    fn fill_block(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        byte: TermId,
        len: TermId,
    ) -> Result<Reply, Error> {
        let to = self.argument(call, 0);
        let (parts, size) = self.block_parts(frame, len)?;
        if size == 0 {
            return Ok(Reply::Return(to));
        }
        let targets = self.resolve(frame, to, size, true)?;
        let Ok(position) = self.begin_access(state, frame, &targets, size, 0) else {
            return Ok(Reply::Never);
        };
        let is_len_known = self.terms.as_constant(len).is_some();
        let constant = self.terms.as_constant(byte).filter(|_| is_len_known);
        if let ([target], Some(byte)) = (targets.list.as_slice(), constant)
            && self.facts.arrays.contains(target.object)
        {
            let place = (target.offset, size);
            self.fill_elements(state, position, target.object, place, byte as u8);
            return Ok(Reply::Return(to));
        }
        if let ([target], None, Some(byte)) = (targets.list.as_slice(), position, constant) {
            self.fill_at(state, target.object, target.offset, size, byte as u8);
            return Ok(Reply::Return(to));
        }
        for ((offset, len), condition) in parts {
            let mut value = byte;
            for _ in 1..len {
                value = self.terms.concat(byte, value);
            }
            let part = ((offset, len), value);
            self.store_to(state, position, &targets, &[part], condition);
        }
        Ok(Reply::Return(to))
    }

    fn compare_blocks(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.word();
        let (a, b) = (self.argument(call, 0), self.argument(call, 1));
        let len = self.number(call, 2, word);
        let Some(len) = self.terms.as_constant(len).filter(|len| *len <= 4096) else {
            return Err(self.unsupported(frame, "comparing blocks of unknown length"));
        };
        let size = len as u64;
        let (left, right) = (
            self.resolve(frame, a, size, false)?,
            self.resolve(frame, b, size, false)?,
        );
        // Both are read in one step.
        let mut both = left.clone();
        both.list.extend(right.list.iter().copied());
        both.valid = self.terms.and(left.valid, right.valid);
        let Ok(position) = self.begin_access(state, frame, &both, size, 0) else {
            return Ok(Reply::Never);
        };
        let bytes: Vec<Part> = (0..size).map(|at| (at, 1)).collect();
        let x = self.load_from(state, position, &left, &bytes);
        let y = self.load_from(state, position, &right, &bytes);
        let mut result = self.int(0);
        let (less, greater) = (self.int(0xffff_ffff), self.int(1));
        for (x, y) in x.into_iter().zip(y).rev() {
            let is_equal = self.terms.equal(x, y);
            let is_less = self.terms.unsigned_less(x, y);
            let order = self.terms.ite(is_less, less, greater);
            result = self.terms.ite(is_equal, result, order);
        }
        Ok(Reply::Return(result))
    }

    /// `memchr` and `memrchr`. The length may go beyond the end if the byte comes
    /// before it.
    pub(crate) fn find_in_block(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        is_last: bool,
    ) -> Result<Reply, Error> {
        let word = self.word();
        let address = self.argument(call, 0);
        let (wanted, len) = (self.number(call, 1, 8), self.number(call, 2, word));
        let targets = self.resolve(frame, address, 0, false)?;
        let mut together = Together::default();
        if self.open(state, frame, &mut together, &targets, MAX_BYTES) == Flow::Dead {
            return Ok(Reply::Never);
        }
        let is_asked = self.terms.is_nonzero(len);
        let is_invalid = self.terms.not(targets.valid);
        let wrong = self.terms.and(is_asked, is_invalid);
        self.undefined_if(&mut together, wrong);
        let mut result = self.terms.constant(word, 0);
        let most = *self.terms.range(len).unsigned().end();
        for target in &targets.list {
            if self.extent(target.object).is_some() {
                return Err(self.unsupported(frame, "searching a block whose size is not constant"));
            }
            let rest = self.facts.objects[target.object].size - target.offset;
            let count = most.min(u128::from(rest)) as u64;
            if count > MAX_BYTES {
                return Err(self.unsupported(frame, "searching a block that long"));
            }
            let mut found = self.terms.constant(word, 0);
            let mut hits = Vec::new();
            let mut order: Vec<u64> = (0..count).collect();
            if !is_last {
                order.reverse();
            }
            for at in order {
                let is_within = text::is_above(&mut self.terms, len, at);
                let (object, offset) = (target.object, target.offset + at);
                let condition = self.terms.and(is_within, target.condition);
                let byte = self.read_at(state, together.position, object, offset, 1, condition);
                let is_equal = self.terms.equal(byte, wanted);
                let hit = self.terms.and(is_within, is_equal);
                let place = self.advanced(address, at);
                found = self.terms.ite(hit, place, found);
                hits.push(hit);
            }
            let any = self.terms.any(&hits);
            let none = self.terms.not(any);
            let exceeds = text::is_above(&mut self.terms, len, rest);
            let wrong = self.terms.all(&[target.condition, none, exceeds]);
            self.undefined_if(&mut together, wrong);
            result = self.terms.ite(target.condition, found, result);
        }
        Ok(match self.carry_out(state, together) {
            Flow::Dead => Reply::Never,
            Flow::Next => Reply::Return(result),
        })
    }

    /// The size of a block, as it was asked for.
    pub(crate) fn usable_size(&mut self, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let address = self.argument(call, 0);
        let targets = self.resolve(frame, address, 0, false)?;
        let word = self.word();
        let mut size = self.terms.constant(word, 0);
        for target in &targets.list {
            let data = &self.facts.objects[target.object];
            if matches!(data.key, ObjectKey::Heap(_)) {
                let greatest = self.terms.constant(word, u128::from(data.size));
                let here = self.extent(target.object).unwrap_or(greatest);
                size = self.terms.ite(target.condition, here, size);
            }
        }
        Ok(Reply::Return(size))
    }
}

/// All of a block.
fn whole(object: ObjectId, condition: TermId) -> Targets {
    let target = Target {
        object,
        offset: 0,
        condition,
        element: None,
    };
    Targets {
        list: vec![target],
        valid: condition,
        seen: Seen::AtStep,
        only_where: None,
    }
}
