//! How integers look in texts, symbolically.

use crate::models::output::{Field, Variant};
use crate::pass::Pass;
use formula::{BinaryOp, TermId};

impl<'p> Pass<'p> {
    /// An integer: a variant for each sign and number of digits.
    pub fn convert_integer(&mut self, field: &Field, value: TermId) -> Vec<Variant> {
        let width = self.terms.width(value);
        let letter = field.directive.letter;
        let base: u128 = match letter {
            b'o' => 8,
            b'x' | b'X' => 16,
            _ => 10,
        };
        let mut is_negative = self.terms.bool(false);
        let mut magnitude = value;
        if matches!(letter, b'd' | b'i') {
            let zero = self.terms.constant(width, 0);
            is_negative = self.terms.signed_less(value, zero);
            let negated = self.terms.neg(value);
            magnitude = self.terms.ite(is_negative, negated, value);
        }
        let most = *self.terms.range(magnitude).unsigned().end();
        let mut digits = Vec::new();
        let mut power: u128 = 1;
        while digits.is_empty() || power <= most {
            digits.push(self.digit_of(magnitude, power, base, letter == b'X'));
            power *= base;
        }
        let is_positive = self.terms.not(is_negative);
        let mut variants = Vec::new();
        for (negative, sign_condition) in [(false, is_positive), (true, is_negative)] {
            let mut least: u128 = 1;
            for count in 0..=digits.len() {
                // No digits at all stand for zero, which is written in its own way.
                let mut conditions = vec![sign_condition];
                if count == 0 {
                    conditions.push(self.is_zero(magnitude));
                } else {
                    let low = self.terms.constant(width, least);
                    conditions.push(self.terms.unsigned_less_equal(low, magnitude));
                    least *= base;
                    if least <= most {
                        let high = self.terms.constant(width, least);
                        conditions.push(self.terms.unsigned_less(magnitude, high));
                    }
                }
                let condition = self.terms.all(&conditions);
                if self.terms.as_bool(condition) == Some(false) {
                    continue;
                }
                let shown = digits[..count].iter().rev().copied().collect();
                let text = self.written_integer(field, negative, shown);
                variants.push((condition, text));
            }
        }
        variants
    }

    fn digit_of(&mut self, number: TermId, power: u128, base: u128, is_upper: bool) -> TermId {
        let width = self.terms.width(number);
        let (power, base) = (
            self.terms.constant(width, power),
            self.terms.constant(width, base),
        );
        let shifted = self.terms.binary(BinaryOp::UnsignedDiv, number, power);
        let digit = self.terms.unsigned_rem(shifted, base);
        let digit = self.terms.resize(digit, 8);
        let ten = self.terms.constant(8, 10);
        let letter = if is_upper { b'A' } else { b'a' };
        let (low, high) = (
            self.terms.constant(8, u128::from(b'0')),
            self.terms.constant(8, u128::from(letter - 10)),
        );
        let is_low = self.terms.unsigned_less(digit, ten);
        let start = self.terms.ite(is_low, low, high);
        self.terms.add(digit, start)
    }

    /// A number from its digits, none for zero.
    fn written_integer(
        &mut self,
        field: &Field,
        is_negative: bool,
        mut digits: Vec<TermId>,
    ) -> Vec<TermId> {
        let is_zero = digits.is_empty();
        let zero = self.terms.constant(8, u128::from(b'0'));
        let least = field.precision.unwrap_or(1);
        while digits.len() < least {
            digits.insert(0, zero);
        }
        let letter = field.directive.letter;
        let mut prefix = match letter {
            b'd' | b'i' => self.sign(field, is_negative),
            _ => Vec::new(),
        };
        if field.directive.is_alternate {
            match letter {
                b'o' if digits.first() != Some(&zero) => digits.insert(0, zero),
                b'x' if !is_zero => prefix.extend(self.constants(b"0x")),
                b'X' if !is_zero => prefix.extend(self.constants(b"0X")),
                _ => {}
            }
        }
        self.filled(field, &prefix, &digits, field.precision.is_none())
    }
}
