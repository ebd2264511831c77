//! The heap, and operations on blocks of bytes.

use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply, split};
use crate::known::{Content, Object, ObjectKey};
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use library::Memory as Op;

/// Blocks of unknown length are handled byte by byte, up to this length.
const LONGEST_UNKNOWN: u64 = 256;

impl<'p> Pass<'p> {
    pub fn memory_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Op,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.word();
        match op {
            Op::Malloc | Op::New | Op::NewAligned => {
                let size = self.number(call, 0, word);
                self.allocate(state, frame, size, Content::Unknown)
                    .map(Reply::Return)
            }
            Op::AlignedAlloc => {
                let size = self.number(call, 1, word);
                self.allocate(state, frame, size, Content::Unknown)
                    .map(Reply::Return)
            }
            Op::Calloc => {
                let (count, size) = (self.number(call, 0, word), self.number(call, 1, word));
                let size = self.terms.mul(count, size);
                self.allocate(state, frame, size, Content::Zero)
                    .map(Reply::Return)
            }
            Op::PosixMemalign => {
                let size = self.number(call, 2, word);
                let block = self.allocate(state, frame, size, Content::Unknown)?;
                let place = self.argument(call, 0);
                let len = self.program.target.pointer_bytes;
                match self.store(state, frame, place, len, &[((0, len), block)], 0)? {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => self.reply(0),
                }
            }
            Op::Realloc => {
                let size = self.number(call, 1, word);
                self.reallocate(state, frame, call, size)
            }
            Op::ReallocArray => {
                let (count, size) = (self.number(call, 1, word), self.number(call, 2, word));
                let size = self.terms.mul(count, size);
                self.reallocate(state, frame, call, size)
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

    fn allocate(
        &mut self,
        state: &mut State,
        frame: &Frame,
        size: TermId,
        content: Content,
    ) -> Result<TermId, Error> {
        if self.options.malloc_may_fail {
            return Err(self.unsupported(frame, "allocations that may fail"));
        }
        let size = self.greatest(frame, size, "a block")?;
        self.check_size(frame, size)?;
        if self.options.can_free {
            // Then it is a step: others may have freed what could be used again.
            if !self.is_alone {
                self.touch(frame, state);
            }
            if self.options.address_reuse {
                self.limits
                    .insert("addresses of freed blocks are not used again".to_owned());
            }
        }
        let key = ObjectKey::Heap(self.instance(frame, state, 0));
        let owner = self.thread;
        let place = self.location(frame);
        let name = match place {
            Some(place) => format!("block from {}", self.program.describe_location(place)),
            None => "block".to_owned(),
        };
        let object = self.known.object(key.clone(), || Object {
            key,
            size,
            name,
            is_constant: false,
            owner,
            starts_as: content,
        });
        state.memory.create(object);
        Ok(self.address(object, 0))
    }

    /// The heap blocks that a pointer may be the start of.
    fn blocks_behind(&mut self, frame: &Frame, pointer: TermId) -> Result<Targets, Error> {
        let mut targets = self.resolve(frame, pointer, 0, true)?;
        targets.list.retain(|target| {
            let is_heap = matches!(self.known.objects[target.object].key, ObjectKey::Heap(_));
            is_heap && target.offset == 0
        });
        let mut fine: Vec<TermId> = targets.list.iter().map(|t| t.condition).collect();
        fine.push(self.is_zero(pointer));
        targets.valid = self.terms.any(&fine);
        Ok(targets)
    }

    fn free(&mut self, state: &mut State, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let pointer = self.argument(call, 0);
        let targets = self.blocks_behind(frame, pointer)?;
        let Ok(position) = self.begin_access(state, frame, &targets, 0, 0) else {
            return Ok(Reply::Never);
        };
        self.end_blocks(state, position, &targets);
        Ok(Reply::Nothing)
    }

    fn end_blocks(&mut self, state: &mut State, position: Option<usize>, targets: &Targets) {
        let dead = self.terms.constant(8, 0);
        for target in &targets.list {
            let key = ObjectKey::Alive(target.object);
            if let Some(alive) = self.known.find(&key) {
                self.write_at(state, position, alive, 0, 1, target.condition, dead);
            }
        }
    }

    fn reallocate(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        size: TermId,
    ) -> Result<Reply, Error> {
        let pointer = self.argument(call, 0);
        let old = self.blocks_behind(frame, pointer)?;
        let Ok(position) = self.begin_access(state, frame, &old, 0, 0) else {
            return Ok(Reply::Never);
        };
        let block = self.allocate(state, frame, size, Content::Unknown)?;
        let new = self.resolve(frame, block, 1, true)?;
        if let [to] = new.list.as_slice() {
            let size = self.known.objects[to.object].size;
            for target in &old.list {
                let kept = size.min(self.known.objects[target.object].size);
                for (offset, len) in split(kept) {
                    let value = self.read_at(
                        state,
                        position,
                        target.object,
                        offset,
                        len,
                        target.condition,
                    );
                    self.write_at(
                        state,
                        position,
                        to.object,
                        offset,
                        len,
                        target.condition,
                        value,
                    );
                }
            }
        }
        self.end_blocks(state, position, &old);
        Ok(Reply::Return(block))
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
        let places: Vec<Part> = parts.iter().map(|(part, _)| *part).collect();
        let loaded = self.load(state, frame, from, size, &places, 0)?;
        let Ok(values) = loaded else {
            return Ok(Reply::Never);
        };
        let targets = self.resolve(frame, to, size, true)?;
        let Ok(position) = self.begin_access(state, frame, &targets, size, 1) else {
            return Ok(Reply::Never);
        };
        for ((part, condition), value) in parts.iter().zip(values) {
            self.store_to(state, position, &targets, &[(*part, value)], *condition);
        }
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
        if let ([target], None, Some(byte)) = (
            targets.list.as_slice(),
            position,
            self.terms.as_constant(byte),
        ) && self.terms.as_constant(len).is_some()
        {
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
}
