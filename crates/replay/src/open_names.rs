//! Names of values that are left open, so that what is found out about one of them
//! holds for all its copies.
//!
//! What an open value holds under its shadow means nothing, so it can hold its name.
//! Whoever copies it, through registers and memory, copies the name; whoever computes
//! with it makes another value, without a name or with one of its own. A name is a
//! pattern in which each byte tells which name it belongs to and which of its bytes it
//! is: so no other bytes, nor those of two copies side by side, look like one.
//!
//! Of each name it is kept which numbers the value may be. A comparison with a number
//! comes out one way for some of these and the other way for the others: if there are
//! both, it is decided, and the value is among the ones or the others from then on. So
//! a value is split only where it is looked at, and only as finely.
//!
//! A name that nobody has is no name: it is up to whoever keeps states to forget those.

use crate::footprint::Look;
use crate::inputs::{Domain, InputKind, Inputs};
use crate::machine::{Machine, Stop};
use crate::memory::ObjectId;
use crate::ranges::Ranges;
use crate::shadow::Shadow;
use crate::thread::Thread;
use crate::value::{self, Pointer, Value, truncate};
use ir::{BinaryOp, Body, Cast, Comparison, Constant, Inst, Op, Operand, Type};
use std::rc::Rc;

/// The name of an open value, from 1 on.
pub(crate) type Name = u8;

/// How many names there are.
pub(crate) const MOST_NAMES: Name = 30;
/// How far the bytes of a name are apart from each other.
const APART: u64 = 31;
/// Ranges of numbers up to which they are told apart.
const MOST_RANGES: usize = 32;

/// What is known of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It is one of these numbers, of so many bits.
    Among(u32, Ranges),
    /// It is another one, extended with its sign to so many bits.
    Extended(Name, u32),
}

/// What is known of all names.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenNames(Vec<Option<Rc<Known>>>);

impl OpenNames {
    pub(crate) fn get(&self, name: Name) -> Option<&Rc<Known>> {
        self.0.get(usize::from(name).checked_sub(1)?)?.as_ref()
    }

    pub(crate) fn set(&mut self, name: Name, known: Rc<Known>) {
        let index = usize::from(name) - 1;
        self.0.resize(self.0.len().max(index + 1), None);
        self.0[index] = Some(known);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Name, &Rc<Known>)> {
        let all = (1..).zip(&self.0);
        all.filter_map(|(name, known)| Some((name, known.as_ref()?)))
    }

    fn free(&self) -> Option<Name> {
        (1..=MOST_NAMES).find(|name| self.get(*name).is_none())
    }

    fn width(&self, name: Name) -> Option<u32> {
        Some(match &**self.get(name)? {
            Known::Among(width, _) | Known::Extended(_, width) => *width,
        })
    }

    /// The name that a word has, all of it or without the zeros in front.
    fn of(&self, bits: u128, shadow: u128) -> Option<Name> {
        let name = (bits & 0xff) as Name;
        let width = self.width(name).filter(|_| shadow != 0)?;
        let is_it = shadow == truncate(u128::MAX, width) && bits == pattern(name, width);
        is_it.then_some(name)
    }
}

/// How a name looks.
fn pattern(name: Name, width: u32) -> u128 {
    let bytes = (0..u64::from(width / 8)).map(|index| u64::from(name) + APART * index);
    let bytes = bytes.enumerate();
    bytes.fold(0, |bits, (index, byte)| {
        bits | u128::from(byte) << (8 * index)
    })
}

/// The names of which an open byte may be part, as a set of bits.
pub(crate) fn names_in(byte: u8) -> u32 {
    match u64::from(byte) % APART {
        0 => 0,
        name => 1 << name,
    }
}

/// A name and of how many bits the value is that has it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Named {
    name: Name,
    width: u32,
}

impl<'a> Machine<'a> {
    /// A value that was just asked for, which may be open.
    pub(crate) fn answered(&mut self, ty: &Type, value: Value) -> (Value, Shadow) {
        let shadow = self.answered_shadow(ty);
        let value = match shadow.is_some() {
            true => self.named(ty, value, &shadow, None),
            false => value,
        };
        (value, shadow)
    }

    /// The bytes of open memory that was just given a value.
    pub(crate) fn answered_bytes(&mut self, len: u64, value: u128) -> u128 {
        let ty = Type::Int(8 * len as u32);
        self.answered(&ty, Value::from_bits(8 * len as u32, value))
            .0
            .bits()
    }

    /// An open value with a name of its own, if it can have one; it is among these
    /// numbers.
    fn named(
        &mut self,
        ty: &Type,
        value: Value,
        shadow: &Shadow,
        numbers: Option<Ranges>,
    ) -> Value {
        let width = match ty {
            Type::Int(_) | Type::Float | Type::Double => self.width(ty),
            _ => return value,
        };
        let can_be = (8..=64).contains(&width) && width.is_multiple_of(8);
        if !can_be || shadow.bits() != truncate(u128::MAX, width) {
            return value;
        }
        let numbers = numbers.unwrap_or_else(|| Ranges::all(width));
        match self.new_name(Known::Among(width, numbers)) {
            Some(name) => Value::from_bits(width, pattern(name, width)),
            None => value,
        }
    }

    fn new_name(&mut self, known: Known) -> Option<Name> {
        self.footprint.note(Look::Names);
        let name = self.open_names.free()?;
        self.open_names.set(name, Rc::new(known));
        Some(name)
    }

    /// What is left of the result of a computation that is open.
    pub(crate) fn renamed(
        &mut self,
        thread: &Thread,
        body: &Body,
        inst: &Inst,
        value: Value,
        shadow: Shadow,
    ) -> (Value, Shadow) {
        if !shadow.is_some() || !self.leaves_open() {
            return (value, shadow);
        }
        let ty = self.result_type(body, inst);
        let is_copy = match &inst.op {
            Op::Extract { .. } | Op::Insert { .. } => true,
            Op::Select { condition, .. } => !self.shadow(thread, *condition).is_some(),
            Op::Cast { op, value: from } => match op {
                Cast::Truncate | Cast::ZeroExtend | Cast::Reinterpret => true,
                Cast::SignExtend => {
                    let from = self.name_of(thread, *from);
                    return match from.and_then(|from| self.extended(from.name, &ty)) {
                        Some(value) => (value, shadow),
                        None => self.tidied(&ty, value, shadow),
                    };
                }
                _ => false,
            },
            _ => false,
        };
        if is_copy {
            return self.tidied(&ty, value, shadow);
        }
        let blank = blank(value, &shadow);
        let numbers = self.numbers_of(body, inst);
        (self.named(&ty, blank, &shadow, numbers), shadow)
    }

    /// The numbers that an operation may give.
    fn numbers_of(&self, body: &Body, inst: &Inst) -> Option<Ranges> {
        let Op::Binary {
            op: op @ (BinaryOp::UnsignedRem | BinaryOp::SignedRem),
            left,
            right: Operand::Const(by),
            ..
        } = &inst.op
        else {
            return None;
        };
        let Constant::Int { value: by, .. } = self.image.program.constant(*by) else {
            return None;
        };
        let width = self.width(&body.operand_type(self.image.program, *left));
        let half = 1 << (width - 1);
        let by = u64::try_from(*by)
            .ok()
            .filter(|by| (1..half).contains(by))?;
        let negative = (*op == BinaryOp::SignedRem && by > 1)
            .then(|| truncate(u128::MAX, width) as u64)
            .map(|most| (most - (by - 2), most));
        let numbers = Ranges::of([(0, by - 1)].into_iter().chain(negative));
        self.footprint.note(Look::Points(numbers.clone()));
        Some(numbers)
    }

    /// A value extended with its sign, which is as open.
    fn extended(&mut self, name: Name, ty: &Type) -> Option<Value> {
        let to = self.width(ty);
        let from = self.open_names.width(name)?;
        if !to.is_multiple_of(8) || to > 64 || from >= to {
            return None;
        }
        let name = self.new_name(Known::Extended(name, to))?;
        Some(Value::from_bits(to, pattern(name, to)))
    }

    /// A copy of an open value: with its name, or without any; or what it is known to be.
    pub(crate) fn tidied(&self, ty: &Type, value: Value, shadow: Shadow) -> (Value, Shadow) {
        match (ty, &value, &shadow) {
            (_, _, Shadow::None) => (value, shadow),
            (Type::Tuple(tuple), Value::Tuple(fields), _) => {
                let parts = tuple.fields.iter().zip(fields.iter()).zip(0u32..);
                let parts = parts.map(|(((_, ty), field), index)| {
                    self.tidied(ty, field.clone(), shadow.field(index))
                });
                let (fields, shadows): (Vec<Value>, Vec<Shadow>) = parts.unzip();
                (Value::Tuple(fields.into()), Shadow::of_fields(shadows))
            }
            (Type::Pointer, ..) => {
                // Nothing is left of it, not even the bits that were not open.
                let shadow = Shadow::full(ty, |ty| self.width(ty));
                (Value::Pointer(Pointer::NULL), shadow)
            }
            _ => match self.open_names.of(value.bits(), shadow.bits()) {
                Some(name) => match self.only(name) {
                    Some(number) => {
                        let width = self.width(ty);
                        (Value::from_bits(width, number.into()), Shadow::None)
                    }
                    None => (value, shadow),
                },
                None => (blank(value, &shadow), shadow),
            },
        }
    }

    /// The only number that a name can stand for.
    fn only(&self, name: Name) -> Option<u64> {
        self.footprint.note(Look::Name(name));
        match &**self.open_names.get(name)? {
            Known::Among(_, numbers) => numbers.only(),
            Known::Extended(of, to) => {
                let width = self.open_names.width(*of)?;
                let number = value::sign_extend(self.only(*of)?.into(), width);
                Some(truncate(number as u128, *to) as u64)
            }
        }
    }

    fn name_of(&self, thread: &Thread, operand: Operand) -> Option<Named> {
        let shadow = self.shadow(thread, operand).bits();
        let bits = self.operand(thread, operand).bits();
        let name = self.open_names.of(bits, shadow)?;
        let width = self.open_names.width(name)?;
        Some(Named { name, width })
    }

    /// How a comparison comes out of which one side is open and has a name, or both are
    /// the same; nothing if that is not known.
    pub(crate) fn decide_comparison(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        body: &Body,
        inst: &Inst,
    ) -> Result<Option<bool>, Stop> {
        if !self.leaves_open() || thread.frames.last().is_none_or(|f| f.shadows.is_empty()) {
            return Ok(None);
        }
        let (Op::Compare { left, right, .. } | Op::FloatCompare { left, right, .. }) = &inst.op
        else {
            return Ok(None);
        };
        let ty = body.operand_type(self.image.program, *left);
        let width = match ty {
            Type::Int(width @ 8..=64) => width,
            Type::Float | Type::Double => self.width(&ty),
            _ => return Ok(None),
        };
        let sides = (self.name_of(thread, *left), self.name_of(thread, *right));
        let number = |machine: &Self, operand: Operand| {
            let is_clean = !machine.shadow(thread, operand).is_some();
            is_clean.then(|| machine.operand(thread, operand).low_bits())
        };
        let (named, numbers) = match (sides, &inst.op) {
            ((Some(one), Some(other)), Op::Compare { op, .. }) if one == other => {
                return Ok(Some(value::compare(*op, 0, 0, width)));
            }
            ((Some(named), None), op) => match (number(self, *right), op) {
                (Some(right), Op::Compare { op, .. }) => {
                    (named, Ranges::comparing(*op, right, width))
                }
                (Some(right), Op::FloatCompare { op, .. }) => {
                    (named, Ranges::comparing_floats(*op, right, width))
                }
                _ => return Ok(None),
            },
            ((None, Some(named)), op) => match (number(self, *left), op) {
                (Some(left), Op::Compare { op, .. }) => {
                    (named, Ranges::comparing(turned(*op), left, width))
                }
                (Some(left), Op::FloatCompare { op, .. }) => {
                    let mut turned = *op;
                    std::mem::swap(&mut turned.less, &mut turned.greater);
                    (named, Ranges::comparing_floats(turned, left, width))
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let others = numbers.not(width);
        let ways = [others, numbers];
        let way = self.decide_among(thread, inputs, named.name, width, &ways)?;
        Ok(way.map(|way| way != 0))
    }

    /// Which case of a switch is taken, of one that selects by an open value with a name;
    /// the number of cases is none of them.
    pub(crate) fn decide_case(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        selects_by: Operand,
        cases: &[u128],
        width: u32,
    ) -> Result<Option<usize>, Stop> {
        if !self.leaves_open() || !(8..=64).contains(&width) {
            return Ok(None);
        }
        let Some(named) = self.name_of(thread, selects_by) else {
            return Ok(None);
        };
        let single = |case: &u128| Ranges::of([(*case as u64, *case as u64)]);
        let mut ways: Vec<Ranges> = cases.iter().map(single).collect();
        let all = Ranges::of(ways.iter().flat_map(Ranges::iter));
        ways.push(all.not(width));
        self.decide_among(thread, inputs, named.name, width, &ways)
    }

    /// Decides to which of these sets a value of so many bits belongs that has a name.
    /// Together they are all numbers.
    fn decide_among(
        &mut self,
        thread: &mut Thread,
        inputs: &mut dyn Inputs,
        name: Name,
        width: u32,
        ways: &[Ranges],
    ) -> Result<Option<usize>, Stop> {
        let Some((name, of)) = self.origin(name, width) else {
            return Ok(None);
        };
        let Some(Known::Among(width, numbers)) = self.open_names.get(name).map(|k| (**k).clone())
        else {
            return Ok(None);
        };
        let parts = ways.iter().map(|way| of(way).and(&numbers)).enumerate();
        let possible: Vec<(usize, Ranges)> = parts.filter(|(_, part)| !part.is_empty()).collect();
        if let [(way, _)] = possible[..] {
            return Ok(Some(way));
        }
        let are_few = possible.iter().all(|(_, part)| part.len() <= MOST_RANGES);
        if !are_few || !self.open_inputs.decides {
            return Ok(None);
        }
        for (_, part) in &possible {
            self.footprint.note(Look::Points(part.clone()));
        }
        let domain = Domain::Below(possible.len() as u64);
        let chosen = self.ask(thread, inputs, InputKind::Decision, domain)? as usize;
        let Some((way, part)) = possible.into_iter().nth(chosen) else {
            return Ok(None);
        };
        let is_certain = part.only().is_some();
        self.open_names
            .set(name, Rc::new(Known::Among(width, part)));
        if is_certain {
            self.tell(thread);
        }
        Ok(Some(way))
    }

    /// The name of which numbers are known, behind one that a value of so many bits has;
    /// and which of its numbers give some of the value's.
    #[allow(
        clippy::type_complexity,
        reason = "it is read once, right where it is made"
    )]
    fn origin(&self, name: Name, width: u32) -> Option<(Name, Box<dyn Fn(&Ranges) -> Ranges>)> {
        self.footprint.note(Look::Name(name));
        let own = self.open_names.width(name)?;
        let plain = move |numbers: &Ranges| numbers.before_extension(own, width, false);
        match **self.open_names.get(name)? {
            Known::Among(..) => Some((name, Box::new(plain))),
            Known::Extended(of, to) => {
                let from = self.open_names.width(of)?;
                let (name, before) = self.origin(of, from)?;
                let signed = move |numbers: &Ranges| {
                    before(&plain(numbers).before_extension(from, to, true))
                };
                Some((name, Box::new(signed)))
            }
        }
    }

    /// Lets a thread's registers have the values that are known by now.
    fn tell(&self, thread: &mut Thread) {
        for frame in &mut thread.frames {
            let open: Vec<_> = frame.shadows.keys().copied().collect();
            for register in open {
                let Some(body) = self.image.body(frame.function) else {
                    continue;
                };
                let ty = &body.values[register];
                let shadow = frame.shadows.get(&register).cloned().unwrap_or_default();
                let value = frame.registers[cranelift_entity::EntityRef::index(register)].clone();
                let (value, shadow) = self.tidied(ty, value, shadow);
                frame.registers[cranelift_entity::EntityRef::index(register)] = value;
                frame.set_shadow(register, shadow);
            }
        }
    }

    /// Forgets what computed memory holds under its shadow.
    pub(crate) fn blank_memory(&mut self, (object, offset): (ObjectId, u64), ty: &Type) {
        let len = ty.bytes(self.memory.pointer_bytes);
        if let Some(object) = self.memory.even_dead_mut(object) {
            object.blank(offset, len);
        }
    }
}

/// The same comparison with its sides exchanged.
fn turned(op: Comparison) -> Comparison {
    match op {
        Comparison::Equal | Comparison::NotEqual => op,
        Comparison::UnsignedLess => Comparison::UnsignedGreater,
        Comparison::UnsignedLessEqual => Comparison::UnsignedGreaterEqual,
        Comparison::UnsignedGreater => Comparison::UnsignedLess,
        Comparison::UnsignedGreaterEqual => Comparison::UnsignedLessEqual,
        Comparison::SignedLess => Comparison::SignedGreater,
        Comparison::SignedLessEqual => Comparison::SignedGreaterEqual,
        Comparison::SignedGreater => Comparison::SignedLess,
        Comparison::SignedGreaterEqual => Comparison::SignedLessEqual,
    }
}

/// A value that holds nothing under its shadow.
fn blank(value: Value, shadow: &Shadow) -> Value {
    let shadow = shadow.bits();
    match value {
        Value::Bits(bits) => Value::Bits(bits & !(shadow as u64)),
        Value::Wide { low, high } => Value::Wide {
            low: low & !(shadow as u64),
            high: high & !((shadow >> 64) as u64),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_name_tells_its_own() {
        for name in 1..=MOST_NAMES {
            for bytes in 1..=8 {
                let width = 8 * bytes;
                for (index, byte) in (0..).zip(pattern(name, width).to_le_bytes()) {
                    let expected = if index < bytes { 1 << name } else { 0 };
                    assert_eq!(names_in(byte), expected, "{name} {width} {index}");
                }
            }
        }
    }

    #[test]
    fn parts_of_names_are_none() {
        let mut names = OpenNames::default();
        names.set(3, Rc::new(Known::Among(32, Ranges::all(32))));
        let whole = pattern(3, 32);
        let mask = u128::from(u32::MAX);
        assert_eq!(names.of(whole, mask), Some(3));
        assert_eq!(names.of(whole & 0xff, 0xff), None);
        assert_eq!(names.of(whole | whole << 32, mask | mask << 32), None);
        assert_eq!(names.of(whole, mask | mask << 32), None);
        assert_eq!(names.of(whole >> 8 | whole << 24 & mask, mask), None);
        assert_eq!(names.of(whole, 0), None);
    }
}
