//! Vectors, taken apart: an operation on vectors is done element by element.
//!
//! In the program model a vector is a tuple of its elements.

use super::body::BodyLowering;
use super::expressions::Outcome;
use super::{Attempt, malformed, unsupported};
use crate::ast::{Constant, Type, TypeId, Typed, Value};
use ir::{Op, Operand};

/// Which element of a vector is meant.
enum Position {
    Known(usize),
    /// An integer of that many bits.
    Variable(Operand, u32),
    Undefined,
}

impl<'a> BodyLowering<'_, '_, 'a> {
    /// The type of a vector's elements; other types are their own.
    pub(super) fn element_type(&mut self, ty: TypeId) -> Attempt<ir::Type> {
        let types = &self.lowering.modules[self.module].types;
        let element = match types.get(types.resolve(ty)) {
            Type::Vector { element, .. } => *element,
            _ => ty,
        };
        self.value_type(element)
    }

    /// Applies an operation that yields a `result` to all elements of the
    /// operands, or simply to the operands if they are scalars.
    pub(super) fn elementwise(
        &mut self,
        result: TypeId,
        operands: &[Operand],
        op: impl Fn(&[Operand]) -> Op,
    ) -> Attempt<Outcome> {
        let result_type = self.value_type(result)?;
        let counts: Vec<_> = operands
            .iter()
            .map(|operand| self.element_count(*operand))
            .collect();
        let ir::Type::Tuple(tuple) = &result_type else {
            if counts.iter().any(Option::is_some) {
                return malformed("operands that are not vectors");
            }
            return Ok(Outcome::Op(op(operands)));
        };
        if counts
            .iter()
            .any(|count| *count != Some(tuple.fields.len()))
        {
            return malformed("vectors of equal length");
        }
        let mut elements = Vec::with_capacity(tuple.fields.len());
        for (index, (_, ty)) in tuple.fields.iter().enumerate() {
            let mut args = Vec::with_capacity(operands.len());
            for operand in operands {
                args.push(self.element(*operand, index)?);
            }
            elements.push(self.emit_new(op(&args), ty.clone()));
        }
        self.assemble(result_type.clone(), elements)
    }

    fn element_count(&self, operand: Operand) -> Option<usize> {
        match self.body.operand_type(&self.lowering.program, operand) {
            ir::Type::Tuple(tuple) => Some(tuple.fields.len()),
            _ => None,
        }
    }

    fn element(&mut self, vector: Operand, index: usize) -> Attempt<Operand> {
        let ty = self.body.operand_type(&self.lowering.program, vector);
        let ir::Type::Tuple(tuple) = ty else {
            return malformed("a vector");
        };
        let Some((_, ty)) = tuple.fields.get(index) else {
            return malformed("an element that the vector has");
        };
        let op = Op::Extract {
            tuple: vector,
            path: vec![index as u32],
        };
        Ok(self.emit_new(op, ty.clone()))
    }

    fn assemble(&mut self, ty: ir::Type, elements: Vec<Operand>) -> Attempt<Outcome> {
        let mut vector = self.constant(ir::Constant::Undefined(ty.clone()));
        let last = elements.len().saturating_sub(1);
        for (index, field) in elements.into_iter().enumerate() {
            let op = Op::Insert {
                tuple: vector,
                field,
                path: vec![index as u32],
            };
            if index == last {
                return Ok(Outcome::Op(op));
            }
            vector = self.emit_new(op, ty.clone());
        }
        malformed("a vector with elements")
    }

    /// The element at a position that may only be known when the program runs.
    pub(super) fn extract_element(
        &mut self,
        vector: &Typed<'a>,
        index: &Typed<'a>,
    ) -> Attempt<Outcome> {
        let position = self.position(index)?;
        let vector = self.operand(vector)?;
        let (index, bits) = match position {
            Position::Variable(index, bits) => (index, bits),
            Position::Known(index) => return Ok(Outcome::Same(self.element(vector, index)?)),
            Position::Undefined => return malformed("an element that the vector has"),
        };
        let count = self.element_count(vector).unwrap_or(0);
        let mut result = self.element(vector, 0)?;
        for candidate in 1..count {
            let element = self.element(vector, candidate)?;
            result = self.choose(index, bits, candidate, element, result);
        }
        Ok(Outcome::Same(result))
    }

    pub(super) fn insert_element(
        &mut self,
        vector: &Typed<'a>,
        element: &Typed<'a>,
        index: &Typed<'a>,
    ) -> Attempt<Outcome> {
        let ty = self.value_type(vector.ty)?;
        if self.element_type(vector.ty)? != self.value_type(element.ty)? {
            return malformed("an element of the vector's type");
        }
        let position = self.position(index)?;
        let vector = self.operand(vector)?;
        let field = self.operand(element)?;
        let count = self.element_count(vector).unwrap_or(0);
        match position {
            Position::Known(index) if index < count => Ok(Outcome::Op(Op::Insert {
                tuple: vector,
                field,
                path: vec![index as u32],
            })),
            Position::Known(_) | Position::Undefined => malformed("an element that the vector has"),
            Position::Variable(index, bits) => {
                let mut elements = Vec::with_capacity(count);
                for candidate in 0..count {
                    let old = self.element(vector, candidate)?;
                    elements.push(self.choose(index, bits, candidate, field, old));
                }
                self.assemble(ty, elements)
            }
        }
    }

    /// `index == candidate ? then : otherwise`.
    fn choose(
        &mut self,
        index: Operand,
        bits: u32,
        candidate: usize,
        then: Operand,
        otherwise: Operand,
    ) -> Operand {
        let ty = self.body.operand_type(&self.lowering.program, then);
        let candidate = self.int(bits, candidate as u128 & super::constants::mask(bits));
        let is_it = Op::Compare {
            op: ir::Comparison::Equal,
            left: index,
            right: candidate,
        };
        let condition = self.emit_new(is_it, ir::Type::BOOL);
        let select = Op::Select {
            condition,
            then,
            otherwise,
        };
        self.emit_new(select, ty)
    }

    fn position(&mut self, index: &Typed<'a>) -> Attempt<Position> {
        let ir::Type::Int(bits) = self.value_type(index.ty)? else {
            return malformed("the number of an element");
        };
        if let Value::Constant(constant) = &index.value {
            let folded = self.lowering.fold(self.module, index.ty, constant)?;
            return match folded {
                Some(scalar) if scalar.symbol.is_none() => Ok(Position::Known(
                    usize::try_from(scalar.value).unwrap_or(usize::MAX),
                )),
                Some(_) => malformed("the number of an element"),
                None => Ok(Position::Undefined),
            };
        }
        Ok(Position::Variable(self.operand(index)?, bits))
    }

    /// The same bits as another type, where at least one is a vector. The first
    /// element has the lowest bits, as in memory.
    pub(super) fn reinterpret_vector(
        &mut self,
        value: Operand,
        from: &ir::Type,
        to: &ir::Type,
    ) -> Attempt<Outcome> {
        let (Some(from_bits), Some(to_bits)) = (self.part_bits(from), self.part_bits(to)) else {
            return unsupported("reinterpreting the bits of a vector");
        };
        let count = |ty: &ir::Type| match ty {
            ir::Type::Tuple(tuple) => tuple.fields.len(),
            _ => 1,
        };
        let (n_from, n_to) = (count(from), count(to));
        if n_from as u64 * u64::from(from_bits) != n_to as u64 * u64::from(to_bits) {
            return malformed("types of the same size");
        }
        let mut words = Vec::with_capacity(n_from);
        for index in 0..n_from {
            let part = match from {
                ir::Type::Tuple(_) => self.element(value, index)?,
                _ => value,
            };
            words.push(self.part_as_word(part, from_bits));
        }
        let mut parts = Vec::with_capacity(n_to);
        for index in 0..n_to {
            let start = index as u64 * u64::from(to_bits);
            let word = self.joined_bits(&words, from_bits, start, to_bits);
            let ty = match to {
                ir::Type::Tuple(tuple) => tuple.fields[index].1.clone(),
                other => other.clone(),
            };
            parts.push(self.word_as_part(word, ty));
        }
        match to {
            ir::Type::Tuple(_) => self.assemble(to.clone(), parts),
            _ => Ok(Outcome::Same(parts[0])),
        }
    }

    /// Bits of each element, if all are numbers or pointers of one size.
    fn part_bits(&self, ty: &ir::Type) -> Option<u32> {
        match ty {
            ir::Type::Int(bits) => Some(*bits),
            ir::Type::Float => Some(32),
            ir::Type::Double => Some(64),
            ir::Type::Pointer => Some(self.lowering.pointer_bits()),
            ir::Type::Tuple(tuple) => {
                let (_, first) = tuple.fields.first()?;
                let is_flat = !matches!(first, ir::Type::Tuple(_));
                let is_vector = is_flat && tuple.fields.iter().all(|(_, ty)| ty == first);
                is_vector.then(|| self.part_bits(first))?
            }
        }
    }

    fn part_as_word(&mut self, part: Operand, bits: u32) -> Operand {
        let op = match self.body.operand_type(&self.lowering.program, part) {
            ir::Type::Int(_) => return part,
            ir::Type::Pointer => ir::Cast::PointerToInt,
            _ => ir::Cast::Reinterpret,
        };
        self.emit_new(Op::Cast { op, value: part }, ir::Type::Int(bits))
    }

    fn word_as_part(&mut self, word: Operand, ty: ir::Type) -> Operand {
        let op = match ty {
            ir::Type::Int(_) => return word,
            ir::Type::Pointer => ir::Cast::IntToPointer,
            _ => ir::Cast::Reinterpret,
        };
        self.emit_new(Op::Cast { op, value: word }, ty)
    }

    /// `bits` of words that follow each other, from bit `start` on.
    fn joined_bits(&mut self, words: &[Operand], size: u32, start: u64, bits: u32) -> Operand {
        let binary = |op, left, right| Op::Binary {
            op,
            left,
            right,
            no_signed_wrap: false,
        };
        let mut joined = None;
        let mut filled = 0;
        let mut position = start;
        while filled < bits {
            let index = (position / u64::from(size)) as usize;
            let within = (position % u64::from(size)) as u32;
            let taken = (size - within).min(bits - filled);
            let mut word = words[index];
            if within > 0 {
                let shift = self.int(size, u128::from(within));
                let op = binary(ir::BinaryOp::LogicalShiftRight, word, shift);
                word = self.emit_new(op, ir::Type::Int(size));
            }
            let mut piece = self.resized(word, size, taken);
            piece = self.resized(piece, taken, bits);
            if filled > 0 {
                let shift = self.int(bits, u128::from(filled));
                let op = binary(ir::BinaryOp::ShiftLeft, piece, shift);
                piece = self.emit_new(op, ir::Type::Int(bits));
            }
            joined = Some(match joined {
                None => piece,
                Some(joined) => {
                    let op = binary(ir::BinaryOp::Or, joined, piece);
                    self.emit_new(op, ir::Type::Int(bits))
                }
            });
            filled += taken;
            position += u64::from(taken);
        }
        joined.unwrap_or_else(|| self.int(bits, 0))
    }

    fn resized(&mut self, value: Operand, from: u32, to: u32) -> Operand {
        let op = match from.cmp(&to) {
            std::cmp::Ordering::Equal => return value,
            std::cmp::Ordering::Less => ir::Cast::ZeroExtend,
            std::cmp::Ordering::Greater => ir::Cast::Truncate,
        };
        self.emit_new(Op::Cast { op, value }, ir::Type::Int(to))
    }

    pub(super) fn shuffle(
        &mut self,
        result: TypeId,
        left: &Typed<'a>,
        right: &Typed<'a>,
        mask: &Typed<'a>,
    ) -> Attempt<Outcome> {
        if left.ty != right.ty {
            return malformed("two vectors of one type");
        }
        let result_type = self.value_type(result)?;
        let ir::Type::Tuple(tuple) = &result_type else {
            return malformed("a vector");
        };
        let count = tuple.fields.len();
        let Value::Constant(mask) = &mask.value else {
            return malformed("a constant choice of elements");
        };
        // An index of `None` chooses nothing in particular.
        let mut indices = vec![None; count];
        match mask {
            Constant::Undefined => {}
            Constant::Zero => indices = vec![Some(0); count],
            Constant::Splat(element) => {
                let chosen = self
                    .lowering
                    .fold(self.module, element.ty, &element.value)?;
                indices = vec![chosen.map(|chosen| chosen.value); count];
            }
            Constant::Aggregate(elements) if elements.len() == count => {
                for (index, element) in indices.iter_mut().zip(elements) {
                    let chosen = self
                        .lowering
                        .fold(self.module, element.ty, &element.value)?;
                    *index = chosen.map(|chosen| chosen.value);
                }
            }
            _ => return unsupported("this choice of vector elements"),
        }
        let left = self.operand(left)?;
        let right = self.operand(right)?;
        let length = self.element_count(left).unwrap_or(0);
        let mut elements = Vec::with_capacity(count);
        for (index, (_, ty)) in indices.into_iter().zip(&tuple.fields) {
            let index = index.map(|index| usize::try_from(index).unwrap_or(usize::MAX));
            elements.push(match index {
                None => self.emit_new(Op::Any, ty.clone()),
                Some(index) if index < length => self.element(left, index)?,
                Some(index) => self.element(right, index - length)?,
            });
        }
        self.assemble(result_type.clone(), elements)
    }
}
