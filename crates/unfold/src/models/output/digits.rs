//! How integers look in texts, symbolically.

use crate::compute::words;
use crate::models::output;
use crate::models::output::{Field, Variant};
use crate::pass::Pass;
use formula::Terms;
use formula::{BinaryOp, TermId};

impl<'p> Pass<'p> {}

/// An integer: a variant for each sign and number of digits.
pub(crate) fn convert_integer(terms: &mut Terms, field: &Field, value: TermId) -> Vec<Variant> {
    let width = terms.width(value);
    let letter = field.directive.letter;
    let base: u128 = match letter {
        b'o' => 8,
        b'x' | b'X' => 16,
        _ => 10,
    };
    let mut is_negative = terms.bool(false);
    let mut magnitude = value;
    if matches!(letter, b'd' | b'i') {
        let zero = terms.constant(width, 0);
        is_negative = terms.signed_less(value, zero);
        let negated = terms.neg(value);
        magnitude = terms.ite(is_negative, negated, value);
    }
    let most = *terms.range(magnitude).unsigned().end();
    let mut digits = Vec::new();
    let mut power: u128 = 1;
    while digits.is_empty() || power <= most {
        digits.push(digit_of(terms, magnitude, power, base, letter == b'X'));
        power *= base;
    }
    let is_positive = terms.not(is_negative);
    let mut variants = Vec::new();
    for (negative, sign_condition) in [(false, is_positive), (true, is_negative)] {
        let mut least: u128 = 1;
        for count in 0..=digits.len() {
            // No digits at all stand for zero, which is written in its own way.
            let mut conditions = vec![sign_condition];
            if count == 0 {
                conditions.push(words::is_zero(terms, magnitude));
            } else {
                let low = terms.constant(width, least);
                conditions.push(terms.unsigned_less_equal(low, magnitude));
                least *= base;
                if least <= most {
                    let high = terms.constant(width, least);
                    conditions.push(terms.unsigned_less(magnitude, high));
                }
            }
            let condition = terms.all(&conditions);
            if terms.as_bool(condition) == Some(false) {
                continue;
            }
            let shown = digits[..count].iter().rev().copied().collect();
            let text = written_integer(terms, field, negative, shown);
            variants.push((condition, text));
        }
    }
    variants
}

pub(crate) fn digit_of(
    terms: &mut Terms,
    number: TermId,
    power: u128,
    base: u128,
    is_upper: bool,
) -> TermId {
    let width = terms.width(number);
    let (power, base) = (terms.constant(width, power), terms.constant(width, base));
    let shifted = terms.binary(BinaryOp::UnsignedDiv, number, power);
    let digit = terms.unsigned_rem(shifted, base);
    let digit = terms.resize(digit, 8);
    let ten = terms.constant(8, 10);
    let letter = if is_upper { b'A' } else { b'a' };
    let (low, high) = (
        terms.constant(8, u128::from(b'0')),
        terms.constant(8, u128::from(letter - 10)),
    );
    let is_low = terms.unsigned_less(digit, ten);
    let start = terms.ite(is_low, low, high);
    terms.add(digit, start)
}

/// A number from its digits, none for zero.
pub(crate) fn written_integer(
    terms: &mut Terms,
    field: &Field,
    is_negative: bool,
    mut digits: Vec<TermId>,
) -> Vec<TermId> {
    let is_zero = digits.is_empty();
    let zero = terms.constant(8, u128::from(b'0'));
    let least = field.precision.unwrap_or(1);
    while digits.len() < least {
        digits.insert(0, zero);
    }
    let letter = field.directive.letter;
    let mut prefix = match letter {
        b'd' | b'i' => output::sign_of(terms, field, is_negative),
        _ => Vec::new(),
    };
    if field.directive.is_alternate {
        match letter {
            b'o' if digits.first() != Some(&zero) => digits.insert(0, zero),
            b'x' if !is_zero => prefix.extend(output::constant_bytes(terms, b"0x")),
            b'X' if !is_zero => prefix.extend(output::constant_bytes(terms, b"0X")),
            _ => {}
        }
    }
    output::filled(terms, field, &prefix, &digits, field.precision.is_none())
}
