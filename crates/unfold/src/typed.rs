//! Loads, stores and atomic operations of values with a type: which scalars a
//! value consists of, and where they lie.

use crate::Error;
use crate::access::{Part, Target, Targets};
use crate::checks::Check;
use crate::facts::objects::Content;
use crate::pass;
use crate::pass::{Flow, Frame, Pass, State, Value};
use crate::races::{Mode, Noting};
use crate::shadows;
use crate::shadows::Word;
use formula::TermId;
use ir::{Body, Comparison, Inst, Op, RmwOp, Type};
use std::rc::Rc;

impl<'p> Pass<'p> {
    /// Where the scalars of a type are, with their types.
    pub(crate) fn scalars(ty: &Type, at: u64, found: &mut Vec<(u64, Type)>) {
        match ty {
            Type::Tuple(tuple) => {
                for (offset, field) in &tuple.fields {
                    Self::scalars(field, at + offset, found);
                }
            }
            scalar => found.push((at, scalar.clone())),
        }
    }

    fn parts_of(&self, ty: &Type) -> (Vec<Part>, Vec<(u64, Type)>) {
        let mut scalars = Vec::new();
        Self::scalars(ty, 0, &mut scalars);
        let pointer_bytes = self.program.target.pointer_bytes;
        let parts = scalars
            .iter()
            .map(|(at, ty)| (*at, ty.bytes(pointer_bytes)))
            .collect();
        (parts, scalars)
    }

    /// A value of a type from the bytes of its scalars.
    fn assemble(&mut self, ty: &Type, bytes: &mut impl Iterator<Item = Word>) -> Value {
        match ty {
            Type::Tuple(tuple) => {
                let fields: Vec<Value> = tuple
                    .fields
                    .iter()
                    .map(|(_, field)| self.assemble(field, bytes))
                    .collect();
                Value::Tuple(fields.into())
            }
            scalar => {
                let width = self.width_of(scalar);
                let (word, shadow) = bytes
                    .next()
                    .unwrap_or_else(|| (self.terms.constant(width, 0), None));
                let word = self.terms.resize(word, width);
                let shadow = shadow.map(|shadow| self.terms.resize(shadow, width));
                shadows::partly(&mut self.terms, word, shadow)
            }
        }
    }

    fn take_apart(&mut self, value: &Value, out: &mut Vec<Word>) {
        match value {
            Value::Term(term) | Value::Partly(term, _) => {
                let width = self.terms.width(*term).next_multiple_of(8);
                let shadow = value.shadow();
                let shadow = shadow.map(|shadow| self.terms.resize(shadow, width));
                out.push((self.terms.resize(*term, width), shadow));
            }
            Value::Tuple(fields) => {
                for field in fields.iter() {
                    self.take_apart(field, out);
                }
            }
        }
    }

    pub(crate) fn access_memory(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        body: &Body,
        inst: &Inst,
    ) -> Result<Flow, Error> {
        let (address, ty) = match &inst.op {
            Op::Load { address, .. } => {
                let ty = inst.result.map(|result| body.values[result].clone());
                (*address, ty.unwrap_or(Type::Int(8)))
            }
            Op::Store { address, value, .. } | Op::Rmw { address, value, .. } => {
                (*address, body.operand_type(self.program, *value))
            }
            Op::CompareExchange {
                address,
                replacement,
                ..
            } => (*address, body.operand_type(self.program, *replacement)),
            _ => return Ok(Flow::Next),
        };
        let size = ty.bytes(self.program.target.pointer_bytes);
        let address = self.value_of(state, frame, address);
        if self.expect_initialised(state, &address) == Flow::Dead {
            return Ok(Flow::Dead);
        }
        let address = pass::as_term(&mut self.terms, &address);
        let is_write = !matches!(inst.op, Op::Load { .. });
        let mut targets = self.resolve_any(frame, address, size, is_write)?;
        if !matches!(inst.op, Op::Store { .. }) {
            self.guess_elements(state, frame, &mut targets)?;
        }
        let position = match self.begin_access(state, frame, &targets, size, 0) {
            Ok(position) => position,
            Err(flow) => return Ok(flow),
        };
        self.note_order(frame, position, (&targets, size), inst)?;
        if self.confirm_guesses(state, position, &targets) == Flow::Dead {
            return Ok(Flow::Dead);
        }
        let mode = Mode {
            is_write,
            is_atomic: match &inst.op {
                Op::Load { ordering, .. } | Op::Store { ordering, .. } => ordering.is_some(),
                _ => true,
            },
        };
        self.note_targets(state, position, &targets, size, mode);
        let result = self.while_noting(Noting::Silent, |pass| {
            pass.read_and_write(state, frame, body, inst, &ty, &targets, position)
        })?;
        self.check_arrays()?;
        if let Some(result) = result {
            self.set_register(state, frame, inst.result, result);
        }
        Ok(Flow::Next)
    }

    /// What an instruction does with the memory it means; its result.
    #[expect(
        clippy::too_many_arguments,
        reason = "an instruction and all around it"
    )]
    fn read_and_write(
        &mut self,
        state: &mut State,
        frame: &mut Frame,
        body: &Body,
        inst: &Inst,
        ty: &Type,
        targets: &Targets,
        position: Option<usize>,
    ) -> Result<Option<Value>, Error> {
        let (parts, _) = self.parts_of(ty);
        let always = self.truth();
        Ok(match &inst.op {
            Op::Load { .. } => {
                let words = self.load_words(state, position, targets, &parts);
                self.settle(frame, targets, &words);
                if *ty != Type::Pointer {
                    words
                        .iter()
                        .for_each(|(word, _)| self.publish(state, *word));
                }
                Some(self.assemble(ty, &mut words.into_iter()))
            }
            Op::Store { value, .. } => {
                let operand = *value;
                let value = self.value_of(state, frame, operand);
                self.note_typed(body, targets, operand, ty, &value);
                self.store_value(state, position, targets, &parts, &value, always);
                None
            }
            Op::Rmw { op, value, .. } => {
                let operand = self.value_of(state, frame, *value);
                let words = self.load_words(state, position, targets, &parts);
                self.settle(frame, targets, &words);
                let old = self.assemble(ty, &mut words.into_iter());
                if let Some(term) = old.term() {
                    let operand_term = pass::as_term(&mut self.terms, &operand);
                    let new = self.read_modify_write(*op, term, operand_term);
                    self.note_typed(body, targets, *value, ty, &Value::Term(new));
                    if *op != RmwOp::Exchange {
                        self.note_computed(new);
                    }
                    let shadow = shadows::updated_shadow(&mut self.terms, *op, &old, &operand);
                    let new = shadows::partly(&mut self.terms, new, shadow);
                    self.store_value(state, position, targets, &parts, &new, always);
                }
                Some(old)
            }
            Op::CompareExchange {
                expected,
                replacement,
                is_weak,
                ..
            } => {
                let expected = self.value_of(state, frame, *expected);
                let operand = *replacement;
                let replacement = self.value_of(state, frame, operand);
                self.note_typed(body, targets, operand, ty, &replacement);
                let words = self.load_words(state, position, targets, &parts);
                self.settle(frame, targets, &words);
                let old = self.assemble(ty, &mut words.into_iter());
                let Some(old_term) = old.term() else {
                    return Err(self.unsupported(frame, "a compare-exchange of a struct"));
                };
                if let Some(unsure) = shadows::compared_shadow(
                    &mut self.terms,
                    Comparison::Equal,
                    *ty == Type::Pointer,
                    &old,
                    &expected,
                ) {
                    self.violate(state, Check::Uninitialised, unsure);
                }
                let expected = pass::as_term(&mut self.terms, &expected);
                let mut is_equal = self.equal_words(old_term, expected);
                if *is_weak {
                    is_equal = self.may_fail(frame, is_equal);
                }
                self.store_value(state, position, targets, &parts, &replacement, is_equal);
                let bit = Value::Term(self.terms.to_bit(is_equal));
                Some(Value::Tuple(Rc::from([old, bit])))
            }
            _ => None,
        })
    }

    pub(crate) fn store_value(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        targets: &Targets,
        parts: &[Part],
        value: &Value,
        condition: TermId,
    ) {
        let mut bytes = Vec::new();
        self.take_apart(value, &mut bytes);
        let parts: Vec<(Part, Word)> = parts.iter().copied().zip(bytes).collect();
        self.while_tracking(|pass| {
            pass.store_words(state, position, targets, &parts, condition);
        });
    }

    /// Bytes that were never written are inputs, which a replay must be given.
    fn settle(&mut self, frame: &Frame, targets: &Targets, words: &[Word]) {
        let is_unknown = |target: &Target| {
            let data = &self.facts.objects[target.object];
            matches!(data.starts_as, Content::Unknown)
        };
        // Blocks that are copied may bring such bytes to any object.
        let [(value, _)] = words else {
            return;
        };
        if self.terms.as_constant(*value).is_none()
            && (self.tables.fresh.is_in_use() || targets.list.iter().any(is_unknown))
        {
            self.threads.note_input(frame, *value);
        }
    }
}
