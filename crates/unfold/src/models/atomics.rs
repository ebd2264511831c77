//! Atomic operations on objects of any size, and other calls on blocks of bytes
//! that happen in one step.

use super::text::Together;
use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::{Call, Reply, split};
use crate::known::ObjectKey;
use crate::pass::{Flow, Frame, Pass, State};
use crate::races::{Mode, Noting};
use formula::TermId;
use library::Atomic;

/// Bytes of a block, at most.
const MAX_BYTES: u64 = 4096;

impl<'p> Pass<'p> {
    /// An argument that is a constant length.
    fn constant_length(&mut self, frame: &Frame, call: &Call, index: usize) -> Result<u64, Error> {
        let word = self.word();
        let len = self.number(call, index, word);
        match self.terms.as_constant(len) {
            Some(len) if len <= u128::from(MAX_BYTES) => Ok(len as u64),
            _ => Err(self.unsupported(frame, "a block of this length")),
        }
    }

    /// Adds an object of known size to a step and reads it; `None` if no path goes
    /// on.
    fn take_object(
        &mut self,
        state: &mut State,
        frame: &Frame,
        together: &mut Together,
        address: TermId,
        size: u64,
        mode: Mode,
    ) -> Result<Option<(Targets, Vec<TermId>)>, Error> {
        let targets = self.resolve(frame, address, size, mode.is_write)?;
        if self.open(state, frame, together, &targets, size) == Flow::Dead {
            return Ok(None);
        }
        let always = self.truth();
        self.require_room(together, &targets, 0, size, always);
        self.note_targets(state, together.position, &targets, size, mode);
        let values = self.while_noting(Noting::Silent, |pass| {
            pass.load_from(state, together.position, &targets, &split(size))
        });
        Ok(Some((targets, values)))
    }

    fn plan_parts(
        &mut self,
        together: &mut Together,
        targets: &Targets,
        parts: &[Part],
        values: &[TermId],
        condition: TermId,
    ) {
        for ((at, size), value) in parts.iter().zip(values) {
            self.plan_write(together, targets, *at, *size, condition, *value);
        }
    }

    /// `__atomic_load(size, object, result, order)` and its relatives.
    pub fn generic_atomic(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Atomic,
        call: &Call,
    ) -> Result<Reply, Error> {
        let is_sized = op == Atomic::CompareExchangeSized;
        let size = match call.args.get(2) {
            Some(desired) if is_sized => desired.ty.bytes(self.program.target.pointer_bytes),
            _ => self.constant_length(frame, call, 0)?,
        };
        let parts = split(size);
        let always = self.truth();
        let first = usize::from(!is_sized);
        let object = self.argument(call, first);
        let other = self.argument(call, first + 1);
        let mut together = Together::default();
        let together_ref = &mut together;
        let is_load = op == Atomic::Load;
        let mode = Mode {
            is_write: !is_load,
            is_atomic: true,
        };
        let object = self.take_object(state, frame, together_ref, object, size, mode)?;
        let Some((object, current)) = object else {
            return Ok(Reply::Never);
        };
        let is_target = matches!(
            op,
            Atomic::Load | Atomic::CompareExchange | Atomic::CompareExchangeSized
        );
        let mode = match is_target {
            true => Mode::WRITE,
            false => Mode::READ,
        };
        let other = self.take_object(state, frame, together_ref, other, size, mode)?;
        let Some((other, given)) = other else {
            return Ok(Reply::Never);
        };
        let mut result = None;
        match op {
            Atomic::Load => self.plan_parts(together_ref, &other, &parts, &current, always),
            Atomic::Store => self.plan_parts(together_ref, &object, &parts, &given, always),
            Atomic::Exchange => {
                let old = self.argument(call, 3);
                let old = self.take_object(state, frame, together_ref, old, size, Mode::WRITE)?;
                let Some((old, _)) = old else {
                    return Ok(Reply::Never);
                };
                self.plan_parts(together_ref, &old, &parts, &current, always);
                self.plan_parts(together_ref, &object, &parts, &given, always);
            }
            _ => {
                let equal: Vec<TermId> = (current.iter().zip(&given))
                    .map(|(a, b)| self.terms.equal(*a, *b))
                    .collect();
                let is_equal = self.terms.all(&equal);
                let desired = if is_sized {
                    let value = self.number(call, 2, 8 * size as u32);
                    let slice = |(at, len): &Part| {
                        let low = 8 * *at as u32;
                        self.terms.extract(value, low + 8 * *len as u32 - 1, low)
                    };
                    parts.iter().map(slice).collect()
                } else {
                    let desired = self.argument(call, 3);
                    let read =
                        self.take_object(state, frame, together_ref, desired, size, Mode::READ)?;
                    match read {
                        Some((_, values)) => values,
                        None => return Ok(Reply::Never),
                    }
                };
                let differs = self.terms.not(is_equal);
                self.plan_parts(together_ref, &object, &parts, &desired, is_equal);
                self.plan_parts(together_ref, &other, &parts, &current, differs);
                result = Some(self.terms.to_bit(is_equal));
            }
        }
        let carry_out = |pass: &mut Self| pass.carry_out(state, together);
        if self.while_noting(Noting::Silent, carry_out) == Flow::Dead {
            return Ok(Reply::Never);
        }
        Ok(match result {
            Some(bit) => Reply::Return(self.terms.resize(bit, 32)),
            None => Reply::Nothing,
        })
    }

    /// Fills a block with inputs.
    pub fn nondet_memory(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let len = self.constant_length(frame, call, 1)?;
        let address = self.argument(call, 0);
        let mut together = Together::default();
        let targets = self.open_for_writing(state, frame, &mut together, address, len)?;
        let Some(targets) = targets else {
            return Ok(Reply::Never);
        };
        let always = self.truth();
        for at in 0..len {
            let byte = self.input(frame, "nondet", 8);
            self.plan_write(&mut together, &targets, at, 1, always, byte);
        }
        Ok(match self.carry_out(state, together) {
            Flow::Dead => Reply::Never,
            Flow::Next => Reply::Nothing,
        })
    }

    /// `memchr` and `memrchr`. The length may go beyond the end if the byte comes
    /// before it.
    pub fn find_in_block(
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
            let rest = self.known.objects[target.object].size - target.offset;
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
                let is_within = self.is_above(len, at);
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
            let exceeds = self.is_above(len, rest);
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
    pub fn usable_size(&mut self, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let address = self.argument(call, 0);
        let targets = self.resolve(frame, address, 0, false)?;
        let word = self.word();
        let mut size = self.terms.constant(word, 0);
        for target in &targets.list {
            let data = &self.known.objects[target.object];
            if matches!(data.key, ObjectKey::Heap(_)) {
                let greatest = self.terms.constant(word, u128::from(data.size));
                let here = self.extent(target.object).unwrap_or(greatest);
                size = self.terms.ite(target.condition, here, size);
            }
        }
        Ok(Reply::Return(size))
    }
}
