//! What the operations mean that the compiler has built in: bits, overflow, shifts of
//! two words, and floating-point functions of constants.

use crate::compute::words::{on_constants, signed_exactly, signed_extreme, unsigned_extreme};
use crate::compute::{extended, floats};
use formula::{BinaryOp as Word, TermId, Terms};
use ir::{Builtin, Type};

/// What comes out.
pub(crate) enum Computed {
    Word(TermId),
    /// A word, and whether it is not what it should be since that does not fit.
    WithOverflow(TermId, TermId),
    /// Nothing is known of the result.
    Anything,
    Unsupported,
}

/// Applies a builtin to words of a type and width.
pub(crate) fn builtin(
    terms: &mut Terms,
    op: Builtin,
    args: &[TermId],
    (ty, width): (&Type, u32),
    result_width: u32,
) -> Computed {
    let term = match (op, args) {
        (Builtin::Abs, [a, ..]) => {
            let zero = terms.constant(width, 0);
            let negative = terms.signed_less(*a, zero);
            let negated = terms.neg(*a);
            terms.ite(negative, negated, *a)
        }
        (Builtin::SignedMax, [a, b]) => signed_extreme(terms, true, *a, *b),
        (Builtin::SignedMin, [a, b]) => signed_extreme(terms, false, *a, *b),
        (Builtin::UnsignedMax, [a, b]) => unsigned_extreme(terms, true, *a, *b),
        (Builtin::UnsignedMin, [a, b]) => unsigned_extreme(terms, false, *a, *b),
        (Builtin::CountOnes, [a, ..]) => {
            let mut sum = terms.constant(width, 0);
            for bit in 0..width {
                let bit = terms.extract(*a, bit, bit);
                let bit = terms.resize(bit, width);
                sum = terms.add(sum, bit);
            }
            sum
        }
        (Builtin::CountTrailingZeros | Builtin::CountLeadingZeros, [a, ..]) => {
            let mut count = terms.constant(width, u128::from(width));
            for index in 0..width {
                // The last one to be looked at decides.
                let (bit, zeros) = if op == Builtin::CountTrailingZeros {
                    (width - 1 - index, width - 1 - index)
                } else {
                    (index, width - 1 - index)
                };
                let bit = terms.extract(*a, bit, bit);
                let is_set = terms.is_one(bit);
                let zeros = terms.constant(width, u128::from(zeros));
                count = terms.ite(is_set, zeros, count);
            }
            count
        }
        (Builtin::ByteSwap | Builtin::BitReverse, [a, ..]) => {
            let step = if op == Builtin::ByteSwap { 8 } else { 1 };
            let mut value = None;
            for index in 0..width / step {
                let piece = terms.extract(*a, step * index + step - 1, step * index);
                value = Some(match value {
                    None => piece,
                    Some(high) => terms.concat(high, piece),
                });
            }
            value.unwrap_or(*a)
        }
        (Builtin::SignedAddOverflow | Builtin::SignedSubOverflow, [a, b]) if width < 128 => {
            let op = match op {
                Builtin::SignedAddOverflow => Word::Add,
                _ => Word::Sub,
            };
            let (value, overflow) = signed_exactly(terms, op, *a, *b);
            return Computed::WithOverflow(value, overflow);
        }
        (Builtin::SignedMulOverflow, [a, b]) if width <= 64 => {
            let (value, overflow) = signed_exactly(terms, Word::Mul, *a, *b);
            return Computed::WithOverflow(value, overflow);
        }
        (Builtin::UnsignedAddOverflow | Builtin::UnsignedSubOverflow, [a, b]) if width < 128 => {
            let (x, y) = (
                terms.zero_extend(*a, width + 1),
                terms.zero_extend(*b, width + 1),
            );
            let exact = if op == Builtin::UnsignedAddOverflow {
                terms.add(x, y)
            } else {
                terms.sub(x, y)
            };
            let value = terms.extract(exact, width - 1, 0);
            let top = terms.extract(exact, width, width);
            let overflow = terms.is_one(top);
            return Computed::WithOverflow(value, overflow);
        }
        (Builtin::UnsignedMulOverflow, [a, b]) if width <= 64 => {
            let (x, y) = (
                terms.zero_extend(*a, 2 * width),
                terms.zero_extend(*b, 2 * width),
            );
            let exact = terms.mul(x, y);
            let value = terms.extract(exact, width - 1, 0);
            let back = terms.zero_extend(value, 2 * width);
            let overflow = terms.different(back, exact);
            return Computed::WithOverflow(value, overflow);
        }
        (Builtin::FunnelShiftLeft | Builtin::FunnelShiftRight, [a, b, shift]) if width <= 64 => {
            let modulus = terms.constant(width, u128::from(width));
            let shift = terms.unsigned_rem(*shift, modulus);
            let both = terms.concat(*a, *b);
            let shift = terms.zero_extend(shift, 2 * width);
            if op == Builtin::FunnelShiftLeft {
                let shifted = terms.shift_left(both, shift);
                terms.extract(shifted, 2 * width - 1, width)
            } else {
                let shifted = terms.shift_right(both, shift);
                terms.extract(shifted, width - 1, 0)
            }
        }
        (Builtin::FloatAbs, [a]) => {
            let mask = terms.constant(width, (1 << (width - 1)) - 1);
            terms.bit_and(*a, mask)
        }
        _ if extended::is_extended(op) => {
            let compute = |values: &[u128]| extended::builtin(op, values, width);
            return match on_constants(terms, args, result_width, compute) {
                Some(term) => Computed::Word(term),
                None => Computed::Anything,
            };
        }
        _ if ty.is_float() => {
            match on_constants(terms, args, result_width, |v| floats::builtin(op, v, ty)) {
                Some(term) => term,
                None => return Computed::Anything,
            }
        }
        _ => return Computed::Unsupported,
    };
    let is_float = ty.is_float();
    let term = if is_float || terms.width(term) == result_width {
        term
    } else {
        terms.resize(term, result_width)
    };
    Computed::Word(term)
}
