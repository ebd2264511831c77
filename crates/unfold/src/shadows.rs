//! Bits that were never written: where they come from, how they spread, and what
//! must not depend on them.
//!
//! Only if somebody asks, words in registers come with a *shadow*: a word of the
//! same width whose set bits say which bits were never written. Objects that may
//! hold such bits have a shadow too. It is an object of its own, accessed at the
//! same places in the same positions, and so it follows the schedule as the data
//! do. The rules are told in `docs/uninitialised.md`; the interpreter has its own
//! implementation of them. Where no shadow is given, all bits have been written.

use crate::Error;
use crate::access::{Part, Targets};
use crate::calls::Call;
use crate::checks::Check;
use crate::compute::words;
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::omissions::{Omission, Way};
use crate::pass;
use crate::pass::{Flow, Frame, Pass, State, Value};
use formula::Terms;
use formula::{BinaryOp as Bits, TermId};
use ir::{BinaryOp, Body, Cast, Comparison, Inst, Op, RmwOp, Type};
use library::{C11Thread, Entry, Function, Keys};
use std::rc::Rc;

/// A word and its shadow.
pub(crate) type Word = (TermId, Option<TermId>);

/// What a pass notes about bits that were never written.
#[derive(Default)]
pub(crate) struct ShadowNotes {
    /// What was met whose shadow nobody follows.
    unfollowed: Option<&'static str>,
    /// Threads may return such bits.
    results_may_be_unwritten: bool,
    /// Somebody asks for what threads return.
    results_are_taken: bool,
}

impl ShadowNotes {
    /// A thread returns a value, of which some bits may never have been written.
    pub(crate) fn note_result(&mut self, shadow: Option<TermId>) {
        self.results_may_be_unwritten |= shadow.is_some();
    }

    /// Somebody asks for what a thread returns, perhaps.
    pub(crate) fn note_taken(&mut self, is_taken: bool) {
        self.results_are_taken |= is_taken;
    }
}

impl<'p> Pass<'p> {
    fn looks_for_shadows(&self) -> bool {
        self.options.checks.has(Check::Uninitialised)
    }

    /// Nothing may depend on bits of this value that were never written.
    pub(crate) fn expect_initialised(&mut self, state: &mut State, value: &Value) -> Flow {
        match value.shadow() {
            None => Flow::Next,
            Some(shadow) => {
                let is_some = self.terms.is_nonzero(shadow);
                self.violate(state, Check::Uninitialised, is_some)
            }
        }
    }

    /// Library functions act on all their arguments, but for those that they only
    /// hand on.
    pub(crate) fn expect_initialised_arguments(
        &mut self,
        state: &mut State,
        entry: &Entry,
        call: &Call,
    ) -> Flow {
        let handed_on = match entry.function {
            Function::Thread(library::Thread::Create) => Some(3),
            Function::Thread(library::Thread::Exit)
            | Function::C11Thread(C11Thread::ThreadExit) => Some(0),
            Function::C11Thread(C11Thread::ThreadCreate) => Some(2),
            Function::Keys(Keys::Set) | Function::C11Thread(C11Thread::KeySet) => Some(1),
            _ => None,
        };
        for (index, argument) in call.args.iter().enumerate() {
            if Some(index) == handed_on {
                self.lose(argument.value.shadow(), Way::LibraryHandsOn);
            } else if self.expect_initialised(state, &argument.value) == Flow::Dead {
                return Flow::Dead;
            }
        }
        Flow::Next
    }

    /// From here on, these bits count as written, which the verdict has to say.
    pub(crate) fn lose(&mut self, shadow: Option<TermId>, way: Way) {
        if shadow.is_some_and(|shadow| self.terms.as_constant(shadow) != Some(0)) {
            self.findings.note_omission(Omission::Initialised(way));
        }
    }

    pub(crate) fn note_lost_results(&mut self) {
        if self.shadows.results_may_be_unwritten && self.shadows.results_are_taken {
            let way = Way::ResultsOfThreads;
            self.findings.note_omission(Omission::Initialised(way));
        }
    }

    // Memory.

    /// Something was met whose shadow cannot be followed.
    pub(crate) fn check_shadows(&self) -> Result<(), Error> {
        match self.shadows.unfollowed {
            None => Ok(()),
            Some(what) => Err(Error::Unsupported {
                what: what.to_owned(),
                location: None,
            }),
        }
    }

    /// Shadows of large arrays are not followed.
    pub(crate) fn check_array_shadow(&mut self, array: ObjectId, shadow: Option<TermId>) {
        let is_dirty = shadow.is_some_and(|shadow| self.terms.as_constant(shadow) != Some(0));
        if self.looks_for_shadows()
            && (is_dirty || self.facts.unwritten.has_shadow(&self.facts.objects, array))
        {
            self.shadows.unfollowed = Some("a large array with bytes that were never written");
        }
    }

    /// The object that says which bits of an object were never written, if there
    /// may be some and somebody asks.
    pub(crate) fn shadow_object(&mut self, object: ObjectId) -> Option<ObjectId> {
        if !self.looks_for_shadows()
            || !self.facts.unwritten.has_shadow(&self.facts.objects, object)
        {
            return None;
        }
        let data = &self.facts.objects[object];
        let (size, owner) = (data.size, data.owner);
        let name = format!("shadow of {}", data.name);
        let starts_as = match self.facts.objects.starts_unwritten(object) {
            true => Content::Bytes(Rc::from(vec![0xff; size as usize])),
            false => Content::Zero,
        };
        let key = ObjectKey::Shadow(object);
        Some(self.facts.objects.make(key.clone(), || Object {
            key,
            size,
            name,
            is_constant: false,
            owner,
            starts_as,
        }))
    }

    /// An object comes into being.
    pub(crate) fn make_shadow(&mut self, state: &mut State, object: ObjectId) {
        if let Some(shadow) = self.shadow_object(object) {
            state.memory.create(shadow);
        }
    }

    /// A local comes to its end.
    pub(crate) fn end_shadow(&mut self, state: &mut State, object: ObjectId) {
        if let Some(shadow) = self.shadow_object(object) {
            state.memory.forget(shadow);
        }
    }

    pub(crate) fn read_shadow(
        &mut self,
        state: &State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
    ) -> Option<TermId> {
        if !self.looks_for_shadows() {
            return None;
        }
        if self.facts.arrays.contains(object) {
            self.check_array_shadow(object, None);
            return None;
        }
        let shadow = self.shadow_object(object)?;
        Some(self.read_bytes(state, position, (shadow, offset, size), condition))
    }

    /// The shadow of a part of an access.
    pub(crate) fn load_shadow(
        &mut self,
        state: &State,
        position: Option<usize>,
        targets: &Targets,
        (offset, size): Part,
    ) -> Option<TermId> {
        let mut shadow = None;
        for target in targets.list.iter().rev() {
            let offset = match target.element {
                Some(_) => offset,
                None => target.offset + offset,
            };
            let bytes = (target.object, offset, size);
            let here = self.read_shadow(state, position, bytes, target.condition);
            shadow = match (here, shadow) {
                (None, None) => None,
                (here, other) => {
                    let none = self.terms.constant(8 * size as u32, 0);
                    let (here, other) = (here.unwrap_or(none), other.unwrap_or(none));
                    Some(self.terms.ite(target.condition, here, other))
                }
            };
        }
        shadow
    }

    pub(crate) fn write_shadow(
        &mut self,
        state: &mut State,
        position: Option<usize>,
        (object, offset, size): (ObjectId, u64, u64),
        condition: TermId,
        shadow: Option<TermId>,
    ) {
        if !self.looks_for_shadows() || !self.facts.objects[object].is_data() {
            return;
        }
        let shadow = shadow.filter(|shadow| self.terms.as_constant(*shadow) != Some(0));
        if self.facts.arrays.contains(object) {
            return self.check_array_shadow(object, shadow);
        }
        if shadow.is_some() && !self.facts.unwritten.has_shadow(&self.facts.objects, object) {
            self.facts.unwritten.taint(object);
        }
        if let Some(place) = self.shadow_object(object) {
            let value = shadow.unwrap_or_else(|| self.terms.constant(8 * size as u32, 0));
            self.write_bytes(state, position, (place, offset, size), condition, value);
        }
    }

    // Computation.

    /// Whether any bit of some values was never written.
    fn any_shadow(&mut self, value: &Value, found: &mut Vec<TermId>) {
        match value {
            Value::Term(_) => {}
            Value::Partly(_, shadow) => found.push(self.terms.is_nonzero(*shadow)),
            Value::Tuple(fields) => {
                for field in fields.iter() {
                    self.any_shadow(field, found);
                }
            }
        }
    }

    /// The value with the same shadow all over.
    fn shadowed_throughout(&mut self, value: &Value, condition: TermId) -> Value {
        match value {
            Value::Term(term) | Value::Partly(term, _) => {
                let width = self.terms.width(*term);
                let shadow = all_if(&mut self.terms, condition, width);
                partly(&mut self.terms, *term, Some(shadow))
            }
            Value::Tuple(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|field| self.shadowed_throughout(field, condition));
                Value::Tuple(fields.collect())
            }
        }
    }

    /// Adds the shadow to what an instruction without memory has computed.
    pub(crate) fn with_shadow(
        &mut self,
        state: &State,
        frame: &Frame,
        body: &Body,
        inst: &Inst,
        value: Value,
    ) -> Value {
        if !self.looks_for_shadows() {
            return value;
        }
        let mut operands = Vec::new();
        inst.op.for_each_operand(|operand| operands.push(operand));
        let operands: Vec<Value> = (operands.into_iter())
            .map(|operand| self.value_of(state, frame, operand))
            .collect();
        let mut dirty = Vec::new();
        for operand in &operands {
            self.any_shadow(operand, &mut dirty);
        }
        if dirty.is_empty() {
            return value;
        }
        let result = pass::as_term(&mut self.terms, &value);
        let width = self.terms.width(result);
        let shadow = match (&inst.op, operands.as_slice()) {
            (Op::Binary { op, .. }, [a, b]) => binary_shadow(&mut self.terms, *op, a, b),
            (Op::Compare { op, left, .. }, [a, b]) => {
                let is_pointer = body.operand_type(self.program, *left) == Type::Pointer;
                match compared_shadow(&mut self.terms, *op, is_pointer, a, b) {
                    Some(unsure) => self.terms.to_bit(unsure),
                    None => return value,
                }
            }
            (Op::FloatNegate { .. }, [a]) => word_of(&mut self.terms, a).1,
            (Op::Cast { op, .. }, [a]) => {
                let (_, shadow) = word_of(&mut self.terms, a);
                match op {
                    Cast::SignExtend => self.terms.resize_signed(shadow, width),
                    Cast::Truncate
                    | Cast::ZeroExtend
                    | Cast::PointerToInt
                    | Cast::IntToPointer
                    | Cast::Reinterpret => self.terms.resize(shadow, width),
                    _ => {
                        let any = self.terms.any(&dirty);
                        all_if(&mut self.terms, any, width)
                    }
                }
            }
            (Op::Select { then, .. }, [condition, a, b]) => {
                let Some(unsure) = condition.shadow() else {
                    return value;
                };
                let unsure = self.terms.is_nonzero(unsure);
                let is_int = body.operand_type(self.program, *then).is_int();
                if !is_int {
                    let any = self.shadowed_throughout(&value, unsure);
                    return self.both_shadows(&any, &value);
                }
                let chosen = word_of(&mut self.terms, &value).1;
                let (a, b) = (word_of(&mut self.terms, a), word_of(&mut self.terms, b));
                let differing = self.terms.bit_xor(a.0, b.0);
                let either = self.terms.bit_or(a.1, b.1);
                let spread = self.terms.bit_or(differing, either);
                self.terms.ite(unsure, spread, chosen)
            }
            // The values in it have theirs.
            (Op::Extract { .. } | Op::Insert { .. }, _) => return value,
            _ => {
                let any = self.terms.any(&dirty);
                return self.shadowed_throughout(&value, any);
            }
        };
        partly(&mut self.terms, result, Some(shadow))
    }

    /// A value with the bits of both shadows.
    fn both_shadows(&mut self, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Tuple(a), Value::Tuple(b)) => {
                let pairs = a.iter().zip(b.iter());
                Value::Tuple(pairs.map(|(a, b)| self.both_shadows(a, b)).collect())
            }
            _ => {
                let (a, b) = (word_of(&mut self.terms, a), word_of(&mut self.terms, b));
                let shadow = self.terms.bit_or(a.1, b.1);
                partly(&mut self.terms, a.0, Some(shadow))
            }
        }
    }
}

/// All bits if the condition holds.
pub(crate) fn all_if(terms: &mut Terms, condition: TermId, width: u32) -> TermId {
    let (ones, none) = (all_ones(terms, width), terms.constant(width, 0));
    terms.ite(condition, ones, none)
}

pub(crate) fn all_ones(terms: &mut Terms, width: u32) -> TermId {
    terms.constant(width, u128::MAX)
}

pub(crate) fn binary_shadow(terms: &mut Terms, op: BinaryOp, a: &Value, b: &Value) -> TermId {
    let ((a, of_a), (b, of_b)) = (word_of(terms, a), word_of(terms, b));
    let width = terms.width(a);
    let either = terms.bit_or(of_a, of_b);
    match op {
        BinaryOp::Xor => either,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
            // From the lowest bit on: as far as a carry may go.
            let negated = terms.neg(either);
            terms.bit_or(either, negated)
        }
        BinaryOp::UnsignedDiv
        | BinaryOp::SignedDiv
        | BinaryOp::UnsignedRem
        | BinaryOp::SignedRem => {
            let any = terms.is_nonzero(either);
            all_if(terms, any, width)
        }
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            let op = match op {
                BinaryOp::ShiftLeft => Bits::ShiftLeft,
                BinaryOp::LogicalShiftRight => Bits::ShiftRight,
                _ => Bits::ShiftRightSigned,
            };
            let shifted = terms.binary(op, of_a, b);
            let is_unsure = terms.is_nonzero(of_b);
            let ones = all_ones(terms, width);
            terms.ite(is_unsure, ones, shifted)
        }
        // What is surely zero decides alone; for `or`, what is surely one.
        BinaryOp::And => masked_shadow(terms, (a, of_a), (b, of_b)),
        BinaryOp::Or => {
            let (a, b) = (terms.bit_not(a), terms.bit_not(b));
            masked_shadow(terms, (a, of_a), (b, of_b))
        }
    }
}

/// One of two words, at least one of which has a shadow.
pub(crate) fn choose_partly(terms: &mut Terms, condition: TermId, a: &Value, b: &Value) -> Value {
    let (a, b) = (word_of(terms, a), word_of(terms, b));
    let term = terms.ite(condition, a.0, b.0);
    let shadow = terms.ite(condition, a.1, b.1);
    partly(terms, term, Some(shadow))
}

/// Whether the result of a comparison depends on bits that were never written;
/// `None` if it surely does not. Nobody may rely on what addresses look like.
pub(crate) fn compared_shadow(
    terms: &mut Terms,
    op: Comparison,
    is_pointer: bool,
    a: &Value,
    b: &Value,
) -> Option<TermId> {
    if a.shadow().is_none() && b.shadow().is_none() {
        return None;
    }
    let (a, b) = (word_of(terms, a), word_of(terms, b));
    let either = terms.bit_or(a.1, b.1);
    let is_any = terms.is_nonzero(either);
    if is_pointer {
        return Some(is_any);
    }
    let is_signed = match op {
        Comparison::Equal | Comparison::NotEqual => {
            // A difference in bits that were written decides.
            let differing = terms.bit_xor(a.0, b.0);
            let written = terms.bit_not(either);
            let surely = terms.bit_and(differing, written);
            let is_open = words::is_zero(terms, surely);
            return Some(terms.and(is_any, is_open));
        }
        Comparison::SignedLess
        | Comparison::SignedLessEqual
        | Comparison::SignedGreater
        | Comparison::SignedGreaterEqual => true,
        _ => false,
    };
    let (least_a, most_a) = extremes(terms, a, is_signed);
    let (least_b, most_b) = extremes(terms, b, is_signed);
    let first = words::compare(terms, op, least_a, most_b);
    let second = words::compare(terms, op, most_a, least_b);
    Some(terms.xor(first, second))
}

/// The least and the greatest number that a word may be.
pub(crate) fn extremes(
    terms: &mut Terms,
    (term, shadow): (TermId, TermId),
    is_signed: bool,
) -> (TermId, TermId) {
    let width = terms.width(term);
    let sign = match is_signed {
        true => 1 << (width - 1),
        false => 0,
    };
    let (sign, others) = (terms.constant(width, sign), terms.constant(width, !sign));
    let (high, low) = (terms.bit_and(shadow, sign), terms.bit_and(shadow, others));
    let (not_high, not_low) = (terms.bit_not(high), terms.bit_not(low));
    let least = terms.bit_and(term, not_low);
    let most = terms.bit_and(term, not_high);
    (terms.bit_or(least, high), terms.bit_or(most, low))
}

pub(crate) fn masked_shadow(terms: &mut Terms, a: (TermId, TermId), b: (TermId, TermId)) -> TermId {
    let may_be_set = [a, b].map(|(term, shadow)| terms.bit_or(term, shadow));
    let left = terms.bit_and(a.1, may_be_set[1]);
    let right = terms.bit_and(may_be_set[0], b.1);
    terms.bit_or(left, right)
}

/// A word with its shadow, if that says anything.
pub(crate) fn partly(terms: &mut Terms, term: TermId, shadow: Option<TermId>) -> Value {
    match shadow.filter(|shadow| terms.as_constant(*shadow) != Some(0)) {
        Some(shadow) => Value::Partly(term, shadow),
        None => Value::Term(term),
    }
}

/// The shadow of what an atomic read-modify-write leaves in memory.
pub(crate) fn updated_shadow(
    terms: &mut Terms,
    op: RmwOp,
    old: &Value,
    operand: &Value,
) -> Option<TermId> {
    if old.shadow().is_none() && operand.shadow().is_none() {
        return None;
    }
    let op = match op {
        RmwOp::Exchange => return operand.shadow(),
        RmwOp::Add => BinaryOp::Add,
        RmwOp::Sub => BinaryOp::Sub,
        RmwOp::And | RmwOp::Nand => BinaryOp::And,
        RmwOp::Or => BinaryOp::Or,
        RmwOp::Xor => BinaryOp::Xor,
        // All bits, as after a division.
        RmwOp::SignedMax
        | RmwOp::SignedMin
        | RmwOp::UnsignedMax
        | RmwOp::UnsignedMin
        | RmwOp::FloatAdd
        | RmwOp::FloatSub => BinaryOp::UnsignedDiv,
    };
    Some(binary_shadow(terms, op, old, operand))
}

/// A word and its shadow, for values of which at least one has a shadow.
pub(crate) fn word_of(terms: &mut Terms, value: &Value) -> (TermId, TermId) {
    let term = pass::as_term(terms, value);
    let width = terms.width(term);
    let shadow = value.shadow();
    (term, shadow.unwrap_or_else(|| terms.constant(width, 0)))
}
