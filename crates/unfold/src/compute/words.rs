//! Words and bits as terms: comparisons, shifts, arithmetic that tells whether it fits.

use crate::compute::floats;
use formula::BinaryOp as Word;
use formula::{TermId, Terms};
use ir::{Cast, Comparison, RmwOp, Type};

/// Whether a word is shifted by its width or more.
pub(crate) fn is_too_far(terms: &mut Terms, by: TermId) -> TermId {
    let width = terms.width(by);
    // A word of few bits cannot even hold its width.
    if width < 128 && u128::from(width) >> width != 0 {
        return terms.bool(false);
    }
    let limit = terms.constant(width, u128::from(width));
    let fine = terms.unsigned_less(by, limit);
    terms.not(fine)
}

/// The sum, difference or product of signed numbers, and whether it does not fit.
pub(crate) fn signed_exactly(
    terms: &mut Terms,
    op: Word,
    a: TermId,
    b: TermId,
) -> (TermId, TermId) {
    let width = terms.width(a);
    let wide = match op {
        Word::Mul => 2 * width,
        _ => width + 1,
    };
    let (a, b) = (terms.sign_extend(a, wide), terms.sign_extend(b, wide));
    let exact = terms.binary(op, a, b);
    let value = terms.extract(exact, width - 1, 0);
    let back = terms.sign_extend(value, wide);
    (value, terms.different(back, exact))
}

pub(crate) fn compare(terms: &mut Terms, op: Comparison, a: TermId, b: TermId) -> TermId {
    match op {
        Comparison::Equal => terms.equal(a, b),
        Comparison::NotEqual => terms.different(a, b),
        Comparison::UnsignedLess => terms.unsigned_less(a, b),
        Comparison::UnsignedLessEqual => terms.unsigned_less_equal(a, b),
        Comparison::UnsignedGreater => terms.unsigned_less(b, a),
        Comparison::UnsignedGreaterEqual => terms.unsigned_less_equal(b, a),
        Comparison::SignedLess => terms.signed_less(a, b),
        Comparison::SignedLessEqual => terms.signed_less_equal(a, b),
        Comparison::SignedGreater => terms.signed_less(b, a),
        Comparison::SignedGreaterEqual => terms.signed_less_equal(b, a),
    }
}

/// A 1-bit word as a condition.
pub(crate) fn condition(terms: &mut Terms, bit: TermId) -> TermId {
    if terms.is_bool(bit) {
        return bit;
    }
    match terms.width(bit) {
        1 => terms.is_one(bit),
        _ => terms.is_nonzero(bit),
    }
}

pub(crate) fn is_zero(terms: &mut Terms, term: TermId) -> TermId {
    let nonzero = terms.is_nonzero(term);
    terms.not(nonzero)
}

pub(crate) fn is_number(terms: &mut Terms, term: TermId, value: u128) -> TermId {
    let width = terms.width(term);
    let value = terms.constant(width, value);
    terms.equal(term, value)
}

pub(crate) fn is_power(terms: &mut Terms, number: TermId) -> TermId {
    let width = terms.width(number);
    let one = terms.constant(width, 1);
    let less = terms.sub(number, one);
    let rest = terms.bit_and(number, less);
    let (is_alone, is_some) = (is_zero(terms, rest), terms.is_nonzero(number));
    terms.and(is_alone, is_some)
}

/// Applies a function to constants; `None` if not all of them are.
pub(crate) fn on_constants(
    terms: &mut Terms,
    args: &[TermId],
    width: u32,
    f: impl Fn(&[u128]) -> u128,
) -> Option<TermId> {
    let constants = args.iter().map(|arg| terms.as_constant(*arg));
    let constants: Vec<u128> = constants.collect::<Option<_>>()?;
    Some(terms.constant(width, f(&constants)))
}

/// A word as another type, of so many bits; `None` if nothing is known of it.
pub(crate) fn cast(
    terms: &mut Terms,
    op: Cast,
    a: TermId,
    from: &Type,
    to: Option<&Type>,
    width: u32,
) -> Option<TermId> {
    Some(match op {
        Cast::Truncate | Cast::ZeroExtend | Cast::PointerToInt | Cast::IntToPointer => {
            terms.resize(a, width)
        }
        Cast::SignExtend => terms.resize_signed(a, width),
        Cast::Reinterpret => a,
        Cast::FloatToSigned
        | Cast::FloatToUnsigned
        | Cast::SignedToFloat
        | Cast::UnsignedToFloat
        | Cast::FloatResize => {
            let to = to.unwrap_or(&Type::Double);
            return on_constants(terms, &[a], width, |v| floats::cast(op, v[0], from, to));
        }
    })
}

/// The new value of a cell after an atomic read-modify-write; `None` if nothing is
/// known of it.
pub(crate) fn read_modify_write(
    terms: &mut Terms,
    op: RmwOp,
    old: TermId,
    operand: TermId,
) -> Option<TermId> {
    Some(match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => terms.add(old, operand),
        RmwOp::Sub => terms.sub(old, operand),
        RmwOp::And => terms.bit_and(old, operand),
        RmwOp::Nand => {
            let both = terms.bit_and(old, operand);
            terms.bit_not(both)
        }
        RmwOp::Or => terms.bit_or(old, operand),
        RmwOp::Xor => terms.bit_xor(old, operand),
        RmwOp::SignedMax => signed_extreme(terms, true, old, operand),
        RmwOp::SignedMin => signed_extreme(terms, false, old, operand),
        RmwOp::UnsignedMax => unsigned_extreme(terms, true, old, operand),
        RmwOp::UnsignedMin => unsigned_extreme(terms, false, old, operand),
        RmwOp::FloatAdd | RmwOp::FloatSub => {
            let width = terms.width(old);
            let ty = if width == 32 {
                Type::Float
            } else {
                Type::Double
            };
            let op = if op == RmwOp::FloatAdd {
                ir::FloatOp::Add
            } else {
                ir::FloatOp::Sub
            };
            return on_constants(terms, &[old, operand], width, |v| {
                floats::binary(op, v, &ty)
            });
        }
    })
}

/// The greater of two signed words, or the smaller one.
pub(crate) fn signed_extreme(terms: &mut Terms, is_max: bool, a: TermId, b: TermId) -> TermId {
    let less = terms.signed_less(a, b);
    let (then, otherwise) = if is_max { (b, a) } else { (a, b) };
    terms.ite(less, then, otherwise)
}

/// The greater of two unsigned words, or the smaller one.
pub(crate) fn unsigned_extreme(terms: &mut Terms, is_max: bool, a: TermId, b: TermId) -> TermId {
    let less = terms.unsigned_less(a, b);
    let (then, otherwise) = if is_max { (b, a) } else { (a, b) };
    terms.ite(less, then, otherwise)
}
