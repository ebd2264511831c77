//! Numbers in texts: `strtol`, `strtod` and their relatives.
//!
//! Integers are read symbolically; floating-point numbers only from constant
//! texts.

use crate::Error;
use crate::calls::Call;
use crate::compute::characters;
use crate::compute::words;
use crate::models::EINVAL;
use crate::models::strings::text;
use crate::models::strings::text::{Text, Together};
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use formula::Terms;
use library::Strings;

const ERANGE: u128 = 34;
/// Room for the next digit above 64 bits.
const WIDE: u32 = 72;

/// An integer at the start of a text.
struct Integer {
    is_negative: TermId,
    /// 64 bits; means nothing if it is huge.
    magnitude: TermId,
    is_huge: TermId,
    /// How many bytes it takes, as a word; 0 if there is none.
    length: TermId,
}

/// A result, and the error number that is set under a condition.
type Outcome = (TermId, (TermId, u128));

impl<'p> Pass<'p> {
    /// Reads the number at the start of a text, and stores where it ends; `None` if
    /// no path goes on.
    pub(crate) fn number_in_text(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Strings,
        call: &Call,
        text: &Text,
        together: &mut Together,
    ) -> Result<Option<Outcome>, Error> {
        let (value, length, is_out_of_range) = match op {
            Strings::Strtod | Strings::Strtof | Strings::Atof => {
                self.float_in_text(frame, op, text)?
            }
            _ => self.integer_in_text(frame, op, call, text)?,
        };
        let has_end = !matches!(
            op,
            Strings::Atoi | Strings::Atol | Strings::Atoll | Strings::Atof
        );
        if has_end {
            let (start, place) = (self.argument(call, 0), self.argument(call, 1));
            let end = self.terms.add(start, length);
            let is_wanted = self.terms.is_nonzero(place);
            if self.terms.as_bool(is_wanted) != Some(false)
                && self.plan_store(state, frame, together, place, end, is_wanted)? == Flow::Dead
            {
                return Ok(None);
            }
        }
        Ok(Some((value, (is_out_of_range, ERANGE))))
    }

    /// The base of an integer, if it is a possible one.
    pub(crate) fn base_of(
        &mut self,
        frame: &Frame,
        op: Strings,
        call: &Call,
    ) -> Result<Option<u32>, Error> {
        let has_base = matches!(
            op,
            Strings::Strtol | Strings::Strtoll | Strings::Strtoul | Strings::Strtoull
        );
        if !has_base {
            return Ok(Some(10));
        }
        let base = self.number(call, 2, 32);
        match self.terms.as_constant(base) {
            Some(base) => Ok(Some(base as u32).filter(|base| *base != 1 && *base <= 36)),
            None => Err(self.unsupported(frame, "reading a number in a base that is not known")),
        }
    }

    /// The error of those that are given an impossible base.
    pub(crate) fn refuse_base(&mut self, state: &mut State) -> TermId {
        let (always, error) = (self.truth(), self.int(EINVAL));
        self.set_errno(state, always, error);
        self.terms.constant(64, 0)
    }

    fn integer_in_text(
        &mut self,
        frame: &Frame,
        op: Strings,
        call: &Call,
        text: &Text,
    ) -> Result<(TermId, TermId, TermId), Error> {
        let base = self.base_of(frame, op, call)?.unwrap_or(10);
        let symbol = &self.program.functions[call.function].symbol;
        let knows_binary = symbol.starts_with("__isoc23_");
        let number = self.parse_integer(text, base, knows_binary);
        let long = self.word();
        let (value, is_out_of_range) = match op {
            Strings::Strtoul => as_unsigned(&mut self.terms, &number, long),
            Strings::Strtoull => as_unsigned(&mut self.terms, &number, 64),
            Strings::Strtoll | Strings::Atoll => as_signed(&mut self.terms, &number, 64),
            _ => as_signed(&mut self.terms, &number, long),
        };
        Ok((value, number.length, is_out_of_range))
    }

    fn parse_integer(&mut self, text: &Text, base: u32, knows_binary: bool) -> Integer {
        let count = text.bytes.len();
        let never = self.terms.bool(false);
        // Where the digits may begin, after white space and sign.
        let mut begins = vec![never; count + 1];
        let mut is_negative = never;
        let mut skips = self.truth();
        for at in 0..count {
            let byte = text.bytes[at];
            let is_space = characters::is_space(&mut self.terms, byte);
            let is_first = self.terms.and(skips, text.within[at]);
            skips = self.terms.and(is_first, is_space);
            let is_black = self.terms.not(is_space);
            let is_first = self.terms.and(is_first, is_black);
            let (is_minus, is_plus) = (
                words::is_number(&mut self.terms, byte, u128::from(b'-')),
                words::is_number(&mut self.terms, byte, u128::from(b'+')),
            );
            let has_sign = self.terms.or(is_minus, is_plus);
            let signed = self.terms.and(is_first, has_sign);
            let no_sign = self.terms.not(has_sign);
            let plain = self.terms.and(is_first, no_sign);
            begins[at] = self.terms.or(begins[at], plain);
            begins[at + 1] = self.terms.or(begins[at + 1], signed);
            let negates = self.terms.and(is_first, is_minus);
            is_negative = self.terms.or(is_negative, negates);
        }
        // Prefixes say the base, if they are followed by a digit.
        let mut starts = begins.clone();
        let mut bases: Vec<(TermId, u32)> = Vec::new();
        for (letters, prefixed) in [(b"xX", 16), (b"bB", 2)] {
            if !(base == 0 || base == prefixed) || prefixed == 2 && !knows_binary {
                continue;
            }
            let number = self.terms.constant(8, u128::from(prefixed));
            for at in 0..count.saturating_sub(2) {
                let is_zero = is_letter(&mut self.terms, text, at, b"0");
                let is_prefix = is_letter(&mut self.terms, text, at + 1, letters);
                let next = text::byte_or_zero(&mut self.terms, text, at + 2);
                let (_, is_digit) = digit_value(&mut self.terms, next, number);
                let hit = (self.terms).all(&[begins[at], is_zero, is_prefix, is_digit]);
                let miss = self.terms.not(hit);
                starts[at] = self.terms.and(starts[at], miss);
                starts[at + 2] = self.terms.or(starts[at + 2], hit);
                bases.push((hit, prefixed));
            }
        }
        let mut base_term = self
            .terms
            .constant(8, if base == 0 { 10 } else { base.into() });
        if base == 0 {
            for (at, begin) in begins[..count].iter().enumerate() {
                let is_zero = is_letter(&mut self.terms, text, at, b"0");
                let is_octal = self.terms.and(*begin, is_zero);
                let eight = self.terms.constant(8, 8);
                base_term = self.terms.ite(is_octal, eight, base_term);
            }
        }
        for (hit, prefixed) in bases {
            let number = self.terms.constant(8, prefixed.into());
            base_term = self.terms.ite(hit, number, base_term);
        }
        let word = self.word();
        let mut magnitude = self.terms.constant(64, 0);
        let mut length = self.terms.constant(word, 0);
        let mut is_huge = never;
        let mut goes_on = never;
        let wide_base = self.terms.resize(base_term, WIDE);
        for (at, start) in starts[..count].iter().enumerate() {
            let (digit, is_digit) = digit_value(&mut self.terms, text.bytes[at], base_term);
            let here = self.terms.or(goes_on, *start);
            goes_on = self.terms.all(&[here, text.within[at], is_digit]);
            if self.terms.as_bool(goes_on) == Some(false) {
                continue;
            }
            let wide = self.terms.resize(magnitude, WIDE);
            let product = self.terms.mul(wide, wide_base);
            let digit = self.terms.resize(digit, WIDE);
            let sum = self.terms.add(product, digit);
            let high = self.terms.extract(sum, WIDE - 1, 64);
            let overflows = self.terms.is_nonzero(high);
            let overflows = self.terms.and(goes_on, overflows);
            is_huge = self.terms.or(is_huge, overflows);
            let low = self.terms.extract(sum, 63, 0);
            magnitude = self.terms.ite(goes_on, low, magnitude);
            let end = self.terms.constant(word, at as u128 + 1);
            length = self.terms.ite(goes_on, end, length);
        }
        let is_there = self.terms.is_nonzero(length);
        Integer {
            is_negative: self.terms.and(is_negative, is_there),
            magnitude,
            is_huge,
            length,
        }
    }

    fn float_in_text(
        &mut self,
        frame: &Frame,
        op: Strings,
        text: &Text,
    ) -> Result<(TermId, TermId, TermId), Error> {
        let Some(bytes) = text::constant_text(&self.terms, text) else {
            return Err(
                self.unsupported(frame, "reading a floating-point number that is not known")
            );
        };
        let Some((value, length)) = float_at_start(&bytes) else {
            let what = "reading a floating-point number that is not a decimal one";
            return Err(self.unsupported(frame, what));
        };
        let word = self.word();
        let length = self.terms.constant(word, length as u128);
        let is_single = op == Strings::Strtof;
        let (bits, number, least) = if is_single {
            let single = value.parse::<f32>().unwrap_or(0.0);
            let least = f64::from(f32::MIN_POSITIVE);
            (u128::from(single.to_bits()), f64::from(single), least)
        } else {
            let double = value.parse::<f64>().unwrap_or(0.0);
            (u128::from(double.to_bits()), double, f64::MIN_POSITIVE)
        };
        if number != 0.0 && number.abs() < least {
            return Err(self.unsupported(frame, "reading a subnormal number"));
        }
        let is_extreme = is_extreme(number, &value);
        let bits = self.terms.constant(if is_single { 32 } else { 64 }, bits);
        Ok((bits, length, self.terms.bool(is_extreme)))
    }
}

/// Whether a decimal number became infinite, or zero although it is not.
fn is_extreme(value: f64, text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let has_digits = mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    has_digits && (value.is_infinite() || value == 0.0)
}

/// The decimal number at the start of a text, and how much of the text it takes.
/// `None` for notations that are not known here.
fn float_at_start(text: &[u8]) -> Option<(String, usize)> {
    let is_space = |byte: &u8| *byte == b' ' || (9..=13).contains(byte);
    let space = text.iter().take_while(|byte| is_space(byte)).count();
    let mut at = space;
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    if matches!(byte(at), b'+' | b'-') {
        at += 1;
    }
    let is_word = |word: &[u8]| {
        let rest = text.get(at..at + word.len());
        rest.is_some_and(|rest| rest.eq_ignore_ascii_case(word))
    };
    if byte(at) == b'0' && matches!(byte(at + 1), b'x' | b'X') || is_word(b"nan") {
        return None;
    }
    let sign = if byte(space) == b'-' { "-" } else { "" };
    for word in ["infinity", "inf"] {
        if is_word(word.as_bytes()) {
            return Some((format!("{sign}inf"), at + word.len()));
        }
    }
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or(&[]);
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let start = at;
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if byte(at) == b'.' {
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if whole + fraction == 0 {
        return Some(("0".to_owned(), 0));
    }
    if matches!(byte(at), b'e' | b'E') {
        let has_sign = usize::from(matches!(byte(at + 1), b'+' | b'-'));
        let exponent = digits(at + 1 + has_sign);
        if exponent > 0 {
            at += 1 + has_sign + exponent;
        }
    }
    let number = String::from_utf8_lossy(&text[start..at]).into_owned();
    Some((format!("{sign}{number}"), at))
}

/// The nearest signed number of so many bits, and whether it is another one.
fn as_signed(terms: &mut Terms, number: &Integer, width: u32) -> (TermId, TermId) {
    let smallest = terms.constant(64, 1 << (width - 1));
    let largest = terms.constant(64, (1 << (width - 1)) - 1);
    let limit = terms.ite(number.is_negative, smallest, largest);
    let exceeds = terms.unsigned_less(limit, number.magnitude);
    let exceeds = terms.or(exceeds, number.is_huge);
    let magnitude = terms.ite(exceeds, limit, number.magnitude);
    (with_sign(terms, number, magnitude), exceeds)
}

/// The same for unsigned numbers: a minus wraps around.
fn as_unsigned(terms: &mut Terms, number: &Integer, width: u32) -> (TermId, TermId) {
    let limit = terms.constant(64, (1 << width) - 1);
    let exceeds = terms.unsigned_less(limit, number.magnitude);
    let exceeds = terms.or(exceeds, number.is_huge);
    let value = with_sign(terms, number, number.magnitude);
    (terms.ite(exceeds, limit, value), exceeds)
}

fn with_sign(terms: &mut Terms, number: &Integer, magnitude: TermId) -> TermId {
    let negated = terms.neg(magnitude);
    terms.ite(number.is_negative, negated, magnitude)
}

fn is_letter(terms: &mut Terms, text: &Text, at: usize, letters: &[u8]) -> TermId {
    let byte = text::byte_or_zero(terms, text, at);
    let ranges: Vec<(u8, u8)> = letters.iter().map(|letter| (*letter, *letter)).collect();
    characters::is_in(terms, byte, &ranges)
}

/// The value of a digit, and whether it is one in the base.
fn digit_value(terms: &mut Terms, byte: TermId, base: TermId) -> (TermId, TermId) {
    let byte = characters::lower_case(terms, byte);
    let (is_number, is_letter) = (
        characters::is_in(terms, byte, &[(b'0', b'9')]),
        characters::is_in(terms, byte, &[(b'a', b'z')]),
    );
    let (zero, ten) = (
        terms.constant(8, u128::from(b'0')),
        terms.constant(8, u128::from(b'a') - 10),
    );
    let (low, high) = (terms.sub(byte, zero), terms.sub(byte, ten));
    let value = terms.ite(is_number, low, high);
    let is_any = terms.or(is_number, is_letter);
    let fits = terms.unsigned_less(value, base);
    (value, terms.and(is_any, fits))
}

#[cfg(test)]
mod tests {
    use super::float_at_start;

    #[test]
    fn floats_end_where_the_notation_ends() {
        let read = |text: &str| float_at_start(text.as_bytes());
        assert_eq!(read(" -1.5e3x"), Some(("-1.5e3".to_owned(), 7)));
        assert_eq!(read("2e+"), Some(("2".to_owned(), 1)));
        assert_eq!(read("."), Some(("0".to_owned(), 0)));
        assert_eq!(read("-Inf"), Some(("-inf".to_owned(), 4)));
        assert_eq!(read("0x1p3"), None);
    }
}
