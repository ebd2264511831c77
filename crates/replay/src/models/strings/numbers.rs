//! Numbers in texts, as `strtol`, `strtod` and their relatives read them.
//!
//! Pure functions only: where the text comes from, and what is done with the
//! number and its length, is the business of the models.

use super::characters::is_space;

/// An integer at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub is_negative: bool,
    /// Far too large numbers are the largest one.
    pub magnitude: u128,
    /// How much of the text it takes, with leading white space; 0 if there is none.
    pub length: usize,
}

/// A number that was made to fit, or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fitted<T> {
    pub value: T,
    pub is_out_of_range: bool,
}

/// Reads an integer. The base is 0 (the prefix says it) or from 2 to 36. C23 knows
/// binary numbers too.
pub(crate) fn integer(text: &[u8], base: u32, knows_binary: bool) -> Integer {
    let (start, is_negative) = after_sign(text);
    let (prefix, base) = base_prefix(&text[start..], base, knows_binary);
    let digit = |byte: &u8| (*byte as char).to_digit(base);
    let digits = text[start + prefix..].iter().map_while(digit);
    let (mut magnitude, mut count) = (0u128, 0);
    for digit in digits {
        magnitude = magnitude
            .saturating_mul(u128::from(base))
            .saturating_add(u128::from(digit));
        count += 1;
    }
    let length = match (prefix, count) {
        (0, 0) => 0,
        // The prefix leads nowhere, but its zero is a number.
        (_, 0) => start + 1,
        _ => start + prefix + count,
    };
    Integer {
        is_negative: is_negative && length > 0,
        magnitude,
        length,
    }
}

/// Where white space and sign end, and whether the sign is a minus.
fn after_sign(text: &[u8]) -> (usize, bool) {
    let space = text.iter().take_while(|byte| is_space(**byte)).count();
    match text.get(space) {
        Some(b'-') => (space + 1, true),
        Some(b'+') => (space + 1, false),
        _ => (space, false),
    }
}

/// The length of a prefix such as `0x` and the base to read in.
fn base_prefix(text: &[u8], base: u32, knows_binary: bool) -> (usize, u32) {
    match (text, base) {
        ([b'0', b'x' | b'X', ..], 0 | 16) => (2, 16),
        ([b'0', b'b' | b'B', ..], 0 | 2) if knows_binary => (2, 2),
        ([b'0', ..], 0) => (0, 8),
        (_, 0) => (0, 10),
        _ => (0, base.clamp(2, 36)),
    }
}

impl Integer {
    /// The nearest signed number of so many bits.
    pub(crate) fn signed(&self, width: u32) -> Fitted<u64> {
        let smallest = 1u128 << (width.clamp(1, 64) - 1);
        let limit = if self.is_negative {
            smallest
        } else {
            smallest - 1
        };
        let magnitude = self.magnitude.min(limit) as u64;
        Fitted {
            value: self.negated(magnitude),
            is_out_of_range: self.magnitude > limit,
        }
    }

    /// As an unsigned number of so many bits: a minus wraps around, but what does
    /// not fit becomes the largest one.
    pub(crate) fn unsigned(&self, width: u32) -> Fitted<u64> {
        let limit = (1u128 << width.clamp(1, 64)) - 1;
        if self.magnitude > limit {
            return Fitted {
                value: limit as u64,
                is_out_of_range: true,
            };
        }
        Fitted {
            value: self.negated(self.magnitude as u64),
            is_out_of_range: false,
        }
    }

    fn negated(&self, magnitude: u64) -> u64 {
        if self.is_negative {
            magnitude.wrapping_neg()
        } else {
            magnitude
        }
    }
}

/// A floating-point number at the start of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Float {
    is_negative: bool,
    shape: Shape,
    /// How much of the text it takes, with leading white space.
    pub length: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Infinity,
    NotANumber,
    Decimal {
        text: String,
        is_zero: bool,
    },
    /// The mantissa times a power of two.
    Hexadecimal {
        mantissa: u64,
        exponent: i64,
    },
}

/// Reads a floating-point number, or nothing if there is none.
pub(crate) fn float(text: &[u8]) -> Option<Float> {
    let (start, is_negative) = after_sign(text);
    let rest = &text[start..];
    let (shape, length) = special(rest)
        .or_else(|| hexadecimal(rest))
        .or_else(|| decimal(rest))?;
    Some(Float {
        is_negative,
        shape,
        length: start + length,
    })
}

fn special(text: &[u8]) -> Option<(Shape, usize)> {
    let starts_with =
        |word: &[u8]| text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word);
    if starts_with(b"infinity") {
        Some((Shape::Infinity, 8))
    } else if starts_with(b"inf") {
        Some((Shape::Infinity, 3))
    } else if starts_with(b"nan") {
        Some((Shape::NotANumber, 3 + payload(&text[3..])))
    } else {
        None
    }
}

/// The length of the parentheses that may follow `nan`.
fn payload(text: &[u8]) -> usize {
    if text.first() != Some(&b'(') {
        return 0;
    }
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let inner = text[1..].iter().take_while(is_word).count();
    match text.get(1 + inner) {
        Some(b')') => inner + 2,
        _ => 0,
    }
}

fn decimal(text: &[u8]) -> Option<(Shape, usize)> {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or(&[]);
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let whole = digits(0);
    let mut length = whole;
    if text.get(whole) == Some(&b'.') {
        let fraction = digits(whole + 1);
        if whole + fraction > 0 {
            length = whole + 1 + fraction;
        }
    }
    if length == 0 {
        return None;
    }
    let is_zero = !text[..length]
        .iter()
        .any(|byte| (b'1'..=b'9').contains(byte));
    if let Some((_, exponent)) = exponent(&text[length..], b'e') {
        length += exponent;
    }
    let text = String::from_utf8_lossy(&text[..length]).into_owned();
    Some((Shape::Decimal { text, is_zero }, length))
}

/// An exponent with its letter and its length.
fn exponent(text: &[u8], letter: u8) -> Option<(i64, usize)> {
    if text.first()?.to_ascii_lowercase() != letter || is_space(*text.get(1)?) {
        return None;
    }
    let number = integer(&text[1..], 10, false);
    if number.length == 0 {
        return None;
    }
    let value = number.signed(64).value as i64;
    Some((value, 1 + number.length))
}

fn hexadecimal(text: &[u8]) -> Option<(Shape, usize)> {
    let [b'0', b'x' | b'X', ..] = text else {
        return None;
    };
    let (mut mantissa, mut scale) = (0u64, 0i64);
    let (mut length, mut has_point, mut has_digit) = (2, false, false);
    while let Some(byte) = text.get(length) {
        match (*byte as char).to_digit(16) {
            Some(digit) if mantissa >> 60 == 0 => {
                mantissa = mantissa << 4 | u64::from(digit);
                scale -= if has_point { 4 } else { 0 };
                has_digit = true;
            }
            // Full: further digits only matter for rounding, all alike.
            Some(digit) => {
                mantissa |= u64::from(digit != 0);
                scale += if has_point { 0 } else { 4 };
            }
            None if *byte == b'.' && !has_point => has_point = true,
            None => break,
        }
        length += 1;
    }
    if !has_digit {
        return None;
    }
    if let Some((power, taken)) = exponent(&text[length..], b'p') {
        scale = scale.saturating_add(power);
        length += taken;
    }
    let exponent = scale;
    Some((Shape::Hexadecimal { mantissa, exponent }, length))
}

impl Float {
    pub(crate) fn is_nan(&self) -> bool {
        self.shape == Shape::NotANumber
    }

    pub(crate) fn is_hexadecimal(&self) -> bool {
        matches!(self.shape, Shape::Hexadecimal { .. })
    }

    pub(crate) fn double(&self) -> Fitted<f64> {
        let value = match &self.shape {
            Shape::Decimal { text, .. } => text.parse().unwrap_or(0.0),
            Shape::Hexadecimal { mantissa, exponent } => scale(*mantissa as f64, *exponent),
            other => other.special(),
        };
        Fitted {
            value: value.copysign(if self.is_negative { -1.0 } else { 1.0 }),
            is_out_of_range: self.is_out_of_range(value, f64::MIN_POSITIVE),
        }
    }

    pub(crate) fn single(&self) -> Fitted<f32> {
        let value = match &self.shape {
            Shape::Decimal { text, .. } => text.parse().unwrap_or(0.0),
            Shape::Hexadecimal { mantissa, exponent } => {
                scale(f64::from(*mantissa as f32), *exponent) as f32
            }
            other => other.special() as f32,
        };
        let smallest = f64::from(f32::MIN_POSITIVE);
        Fitted {
            value: value.copysign(if self.is_negative { -1.0 } else { 1.0 }),
            is_out_of_range: self.is_out_of_range(f64::from(value), smallest),
        }
    }

    /// The number is too large, or so small that digits were lost.
    fn is_out_of_range(&self, value: f64, smallest: f64) -> bool {
        let is_exact = match &self.shape {
            Shape::Infinity | Shape::NotANumber => return false,
            Shape::Decimal { is_zero, .. } => *is_zero,
            Shape::Hexadecimal { mantissa, exponent } => {
                scale(value, exponent.saturating_neg()) == *mantissa as f64
            }
        };
        value.is_infinite() || (value < smallest && !is_exact)
    }
}

impl Shape {
    fn special(&self) -> f64 {
        match self {
            Shape::Infinity => f64::INFINITY,
            _ => f64::NAN,
        }
    }
}

/// A number times a power of two, rounded once.
pub(crate) fn scale(value: f64, exponent: i64) -> f64 {
    let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
    let (mut value, mut exponent) = (value, exponent.clamp(-4000, 4000));
    while exponent > 1023 {
        value *= power(1023);
        exponent -= 1023;
    }
    // Going down in one stride could round twice: stay among normal numbers
    // until the last multiplication.
    while exponent < -1022 {
        value *= power(-1022 + 53);
        exponent += 1022 - 53;
    }
    value * power(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_signed(text: &str, base: u32, expected: i64, length: usize, range: bool) {
        let number = integer(text.as_bytes(), base, false);
        let fitted = number.signed(64);
        assert_eq!(
            (fitted.value as i64, number.length, fitted.is_out_of_range),
            (expected, length, range),
            "{text}"
        );
    }

    #[test]
    fn signed_integers() {
        check_signed("  -12x", 10, -12, 5, false);
        check_signed("0x", 16, 0, 1, false);
        check_signed("0xg", 0, 0, 1, false);
        check_signed("08", 0, 0, 1, false);
        check_signed("9223372036854775808", 10, i64::MAX, 19, true);
        check_signed("-9223372036854775808", 10, i64::MIN, 20, false);
        check_signed("-9223372036854775809", 10, i64::MIN, 20, true);
        check_signed("zz", 36, 1295, 2, false);
        check_signed("+", 10, 0, 0, false);
        check_signed("", 10, 0, 0, false);
        check_signed("- 5", 10, 0, 0, false);
        check_signed("-0x1F", 0, -31, 5, false);
        check_signed("0x1F", 16, 31, 4, false);
        check_signed("0b101", 0, 0, 1, false);
        check_signed(&"9".repeat(60), 10, i64::MAX, 60, true);
        assert_eq!(integer(b"0b101", 0, true).magnitude, 5);
        assert_eq!(
            integer(b"-2147483649", 10, false).signed(32).value as i32,
            i32::MIN
        );
    }

    #[test]
    fn unsigned_integers() {
        let unsigned = |text: &str| integer(text.as_bytes(), 10, false).unsigned(64);
        let check = |text: &str, value: u64, is_out_of_range: bool| {
            let expected = Fitted {
                value,
                is_out_of_range,
            };
            assert_eq!(unsigned(text), expected, "{text}");
        };
        check("-1", u64::MAX, false);
        check("18446744073709551616", u64::MAX, true);
        check("-18446744073709551616", u64::MAX, true);
        check("-18446744073709551615", 1, false);
    }

    #[track_caller]
    fn check_double(text: &str, expected: f64, length: usize, range: bool) {
        let number = float(text.as_bytes()).expect("there should be a number");
        let fitted = number.double();
        assert_eq!(
            (
                fitted.value.to_bits(),
                number.length,
                fitted.is_out_of_range
            ),
            (expected.to_bits(), length, range),
            "{text}"
        );
    }

    #[test]
    fn doubles() {
        check_double("1e", 1.0, 1, false);
        check_double("1e+", 1.0, 1, false);
        check_double("1e 5", 1.0, 1, false);
        check_double("-.5e-3x", -0.0005, 6, false);
        check_double("  +3", 3.0, 4, false);
        check_double("7.", 7.0, 2, false);
        check_double("-inf", f64::NEG_INFINITY, 4, false);
        check_double("infinit", f64::INFINITY, 3, false);
        check_double("INFINITY", f64::INFINITY, 8, false);
        check_double("nan(a_1)", f64::NAN, 8, false);
        check_double("nan(", f64::NAN, 3, false);
        check_double("-nan", f64::NAN.copysign(-1.0), 4, false);
        check_double("0x", 0.0, 1, false);
        check_double("0x.8p1", 1.0, 6, false);
        check_double("0x1.8p", 1.5, 5, false);
        check_double("1e400", f64::INFINITY, 5, true);
        check_double("1e-400", 0.0, 6, true);
        check_double("2.5e-310", 2.5e-310, 8, true);
        check_double("0e999999999999999999999", 0.0, 23, false);
        check_double("-0", -0.0, 2, false);
        check_double("0x1p-1074", 5e-324, 9, false);
        check_double("0x1p-1080", 0.0, 9, true);
        check_double("0x1.00000000000008000001p0", 1.0 + f64::EPSILON, 26, false);
        assert_eq!(float(b"."), None);
        assert_eq!(float(b"-x"), None);
        assert_eq!(float(b""), None);
    }

    #[test]
    fn singles_are_rounded_once() {
        let single = |text: &str| float(text.as_bytes()).map(|number| number.single());
        let fitted = single("1.00000017881393432617187499").expect("there should be a number");
        assert_eq!(fitted.value, 1.0 + f32::EPSILON);
        assert!(single("1e39").is_some_and(|fitted| fitted.is_out_of_range));
        assert!(single("1e-40").is_some_and(|fitted| fitted.is_out_of_range));
    }

    #[test]
    fn scaling_reaches_the_ends() {
        assert_eq!(scale(1.0, -1074), 5e-324);
        assert_eq!(scale(5e-324, 1074), 1.0);
        assert_eq!(scale(1.0, i64::MAX), f64::INFINITY);
        assert_eq!(scale(1.0, i64::MIN), 0.0);
        assert_eq!(scale(0.0, 5000), 0.0);
        assert_eq!(scale(1.5, -1074), 1e-323);
    }
}
