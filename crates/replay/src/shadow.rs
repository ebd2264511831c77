//! Which bits of a value were never written: the rules by which they spread.
//!
//! A shadow has a bit for each bit of its value; a set one says that the bit
//! comes from memory that nobody wrote. Pure functions only. The rules are told
//! in `docs/uninitialised.md`: others follow them too, and must come to the same.

use crate::value::{sign_extend, truncate};
use ir::{BinaryOp, Comparison, RmwOp, Type};
use std::rc::Rc;

/// The shadow of a value. It has the shape of the value, unless it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shadow {
    /// All bits were written.
    #[default]
    None,
    Bits(u128),
    Tuple(Rc<[Shadow]>),
}

/// A scalar and its shadow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub bits: u128,
    pub shadow: u128,
}

impl Word {
    /// The least and the greatest number that it may be.
    fn extremes(self, width: u32, is_signed: bool) -> (i128, i128) {
        let (low, high) = (self.bits & !self.shadow, self.bits | self.shadow);
        if !is_signed {
            // Numbers of all 128 bits would not fit; their order is that of signed
            // ones with the first bit turned.
            let turn = |bits: u128| (bits ^ 1 << 127) as i128;
            return (turn(low), turn(high));
        }
        let sign = self.shadow & 1 << (width - 1);
        (
            sign_extend(low | sign, width),
            sign_extend(high & !sign, width),
        )
    }
}

impl Shadow {
    pub fn of_bits(bits: u128) -> Shadow {
        match bits {
            0 => Shadow::None,
            bits => Shadow::Bits(bits),
        }
    }

    pub fn of_fields(fields: Vec<Shadow>) -> Shadow {
        match fields.iter().all(|field| *field == Shadow::None) {
            true => Shadow::None,
            false => Shadow::Tuple(fields.into()),
        }
    }

    pub fn is_some(&self) -> bool {
        *self != Shadow::None
    }

    /// The bits of a scalar's shadow.
    pub fn bits(&self) -> u128 {
        match self {
            Shadow::Bits(bits) => *bits,
            Shadow::None | Shadow::Tuple(_) => 0,
        }
    }

    pub fn field(&self, index: u32) -> Shadow {
        match self {
            Shadow::Tuple(fields) => fields.get(index as usize).cloned().unwrap_or_default(),
            _ => Shadow::None,
        }
    }

    /// With another field at the end of a path; `ty` is the type of the whole.
    pub fn with_field(&self, ty: &Type, path: &[u32], field: Shadow) -> Shadow {
        let (Type::Tuple(tuple), [first, rest @ ..]) = (ty, path) else {
            return field;
        };
        let fields = tuple.fields.iter().zip(0u32..).map(|((_, ty), index)| {
            let old = self.field(index);
            match index == *first {
                true => old.with_field(ty, rest, field.clone()),
                false => old,
            }
        });
        Shadow::of_fields(fields.collect())
    }

    /// All bits of a type.
    pub fn full(ty: &Type, width: impl Fn(&Type) -> u32 + Copy) -> Shadow {
        match ty {
            Type::Tuple(tuple) => {
                let fields = tuple.fields.iter();
                Shadow::of_fields(fields.map(|(_, ty)| Shadow::full(ty, width)).collect())
            }
            scalar => Shadow::Bits(truncate(u128::MAX, width(scalar))),
        }
    }
}

fn all_if(condition: bool, width: u32) -> u128 {
    match condition {
        true => truncate(u128::MAX, width),
        false => 0,
    }
}

/// From the lowest set bit on: as far as a carry may go.
fn upwards(bits: u128, width: u32) -> u128 {
    truncate(bits | bits.wrapping_neg(), width)
}

pub(crate) fn binary(op: BinaryOp, a: Word, b: Word, width: u32) -> u128 {
    let both = a.shadow | b.shadow;
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => upwards(both, width),
        BinaryOp::UnsignedDiv
        | BinaryOp::SignedDiv
        | BinaryOp::UnsignedRem
        | BinaryOp::SignedRem => all_if(both != 0, width),
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            if b.shadow != 0 || b.bits >= u128::from(width) {
                return all_if(both != 0, width);
            }
            let by = b.bits as u32;
            truncate(
                match op {
                    BinaryOp::ShiftLeft => a.shadow << by,
                    BinaryOp::LogicalShiftRight => a.shadow >> by,
                    _ => (sign_extend(a.shadow, width) >> by) as u128,
                },
                width,
            )
        }
        // A bit that is surely 0 decides, whatever the other is; and so on.
        BinaryOp::And => a.shadow & b.shadow | a.shadow & b.bits | a.bits & b.shadow,
        BinaryOp::Or => a.shadow & b.shadow | a.shadow & !b.bits | !a.bits & b.shadow,
        BinaryOp::Xor => both,
    }
}

/// Whether the result of a comparison depends on bits that were never written.
pub(crate) fn compare(op: Comparison, a: Word, b: Word, width: u32) -> bool {
    let both = a.shadow | b.shadow;
    let is_signed = match op {
        Comparison::Equal | Comparison::NotEqual => {
            return both != 0 && (a.bits ^ b.bits) & !both == 0;
        }
        Comparison::SignedLess
        | Comparison::SignedLessEqual
        | Comparison::SignedGreater
        | Comparison::SignedGreaterEqual => true,
        _ => false,
    };
    let (least_a, most_a) = a.extremes(width, is_signed);
    let (least_b, most_b) = b.extremes(width, is_signed);
    match op {
        Comparison::SignedLess | Comparison::UnsignedLess => {
            (least_a < most_b) != (most_a < least_b)
        }
        Comparison::SignedLessEqual | Comparison::UnsignedLessEqual => {
            (least_a <= most_b) != (most_a <= least_b)
        }
        Comparison::SignedGreater | Comparison::UnsignedGreater => {
            (least_a > most_b) != (most_a > least_b)
        }
        _ => (least_a >= most_b) != (most_a >= least_b),
    }
}

/// What is in memory after an atomic read-modify-write.
pub(crate) fn rmw(op: RmwOp, old: Word, operand: Word, width: u32) -> u128 {
    let by = |op| binary(op, old, operand, width);
    match op {
        RmwOp::Exchange => operand.shadow,
        RmwOp::Add => by(BinaryOp::Add),
        RmwOp::Sub => by(BinaryOp::Sub),
        RmwOp::And | RmwOp::Nand => by(BinaryOp::And),
        RmwOp::Or => by(BinaryOp::Or),
        RmwOp::Xor => by(BinaryOp::Xor),
        RmwOp::SignedMax
        | RmwOp::SignedMin
        | RmwOp::UnsignedMax
        | RmwOp::UnsignedMin
        | RmwOp::FloatAdd
        | RmwOp::FloatSub => all_if(old.shadow | operand.shadow != 0, width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 4;
    const OPS: [BinaryOp; 9] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::ShiftLeft,
        BinaryOp::LogicalShiftRight,
        BinaryOp::ArithmeticShiftRight,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];
    const COMPARISONS: [Comparison; 10] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::UnsignedLess,
        Comparison::UnsignedLessEqual,
        Comparison::UnsignedGreater,
        Comparison::UnsignedGreaterEqual,
        Comparison::SignedLess,
        Comparison::SignedLessEqual,
        Comparison::SignedGreater,
        Comparison::SignedGreaterEqual,
    ];

    /// All pairs of words of four bits.
    fn for_each_pair(mut visit: impl FnMut(Word, Word)) {
        for number in 0..1u128 << (4 * WIDTH) {
            let part = |index: u32| number >> (index * WIDTH) & 15;
            let (bits, shadow) = (part(0), part(1));
            let a = Word { bits, shadow };
            let (bits, shadow) = (part(2), part(3));
            visit(a, Word { bits, shadow });
        }
    }

    /// The values that a word may have, whatever was in memory.
    fn values(word: Word) -> impl Iterator<Item = u128> {
        let fixed = word.bits & !word.shadow;
        (0..1 << WIDTH).filter(move |value| value & !word.shadow == fixed)
    }

    /// The bits in which the results for all values differ.
    fn differing(a: Word, b: Word, f: impl Fn(u128, u128) -> u128) -> u128 {
        let first = f(a.bits, b.bits);
        let mut differing = 0;
        for x in values(a) {
            for y in values(b) {
                differing |= f(x, y) ^ first;
            }
        }
        differing
    }

    #[test]
    fn no_bit_that_may_differ_is_forgotten() {
        for_each_pair(|a, b| {
            for op in OPS {
                let is_shift = matches!(
                    op,
                    BinaryOp::ShiftLeft
                        | BinaryOp::LogicalShiftRight
                        | BinaryOp::ArithmeticShiftRight
                );
                if is_shift && values(b).any(|by| by >= u128::from(WIDTH)) {
                    continue;
                }
                let f = |x, y| crate::value::binary(op, x, y, WIDTH, false).0;
                let differing = differing(a, b, f);
                let shadow = binary(op, a, b, WIDTH);
                assert_eq!(differing & !shadow, 0, "{op:?} {a:?} {b:?}");
                let is_exact = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
                    || is_shift && b.shadow == 0;
                assert!(!is_exact || differing == shadow, "{op:?} {a:?} {b:?}");
            }
        });
    }

    #[test]
    fn comparisons_are_exact() {
        for_each_pair(|a, b| {
            for op in COMPARISONS {
                let f = |x, y| u128::from(crate::value::compare(op, x, y, WIDTH));
                let differs = differing(a, b, f) != 0;
                assert_eq!(compare(op, a, b, WIDTH), differs, "{op:?} {a:?} {b:?}");
            }
        });
    }

    #[test]
    fn wide_numbers_are_compared_as_unsigned_ones() {
        let word = |bits, shadow| Word { bits, shadow };
        let (a, b) = (word(1 << 127, 1), word(1, 0));
        assert!(!compare(Comparison::UnsignedLess, a, b, 128));
        assert!(compare(Comparison::UnsignedLess, word(0, 1 << 127), b, 128));
    }
}
