//! Arithmetic on long doubles of x86: 80 bits, 64 of them a significand whose
//! highest bit is written out. Rounds to nearest, ties to even.
//!
//! Exact results are kept in 128 bits and rounded once. Knows nothing of programs.

use ir::Builtin;

const EXPONENT: u32 = 0x7fff;
/// The exponent of the last bit of a number whose biased exponent is 1, or 0.
const LOWEST: i32 = 1 - 16383 - 63;
const TOP: u64 = 1 << 63;
/// What the processor makes of nonsense.
const NONSENSE: u128 = 0xffff_c000_0000_0000_0000;

#[derive(Clone, Copy)]
enum Number {
    /// As it was found, or nonsense.
    Nan(u128),
    Infinite {
        negative: bool,
    },
    /// `significand * 2^exponent`.
    Finite {
        negative: bool,
        significand: u64,
        exponent: i32,
    },
}

fn read(bits: u128) -> Number {
    let negative = bits >> 79 & 1 == 1;
    let biased = (bits >> 64) as u32 & EXPONENT;
    let significand = bits as u64;
    match biased {
        EXPONENT if significand == TOP => Number::Infinite { negative },
        EXPONENT if significand & TOP != 0 => Number::Nan(bits | 1 << 62),
        // Neither numbers nor anything else.
        1.. if significand & TOP == 0 => Number::Nan(NONSENSE),
        _ => Number::Finite {
            negative,
            significand,
            exponent: LOWEST + biased.max(1) as i32 - 1,
        },
    }
}

fn infinity(negative: bool) -> u128 {
    u128::from(negative) << 79 | u128::from(EXPONENT) << 64 | u128::from(TOP)
}

/// Rounds `value * 2^exponent`, and a little more if `is_more`, to `digits` bits of
/// which the last is worth at least `2^lowest`: what is left, and what its last bit
/// is worth.
fn round(value: u128, exponent: i32, is_more: bool, digits: i32, lowest: i32) -> (u128, i32) {
    let length = 128 - value.leading_zeros() as i32;
    let shift = (length - digits).max(lowest - exponent);
    if shift <= 0 {
        return (value << -shift, exponent + shift);
    }
    if shift > 128 {
        return (0, exponent + shift);
    }
    let kept = value.checked_shr(shift as u32).unwrap_or(0);
    let lost = value - kept.checked_shl(shift as u32).unwrap_or(0);
    let half = 1u128 << (shift - 1);
    let is_up = lost > half || lost == half && (is_more || kept & 1 == 1);
    (kept + u128::from(is_up), exponent + shift)
}

fn write(negative: bool, value: u128, exponent: i32, is_more: bool) -> u128 {
    let sign = u128::from(negative) << 79;
    if value == 0 {
        return sign;
    }
    let (mut value, mut exponent) = round(value, exponent, is_more, 64, LOWEST);
    if value >> 64 != 0 {
        (value, exponent) = (value >> 1, exponent + 1);
    }
    let biased = match value >> 63 {
        0 => 0,
        _ => (exponent - LOWEST + 1) as u32,
    };
    match biased {
        EXPONENT.. => infinity(negative),
        _ => sign | u128::from(biased) << 64 | value,
    }
}

/// Of two that are no numbers, the larger; of one, that one.
fn no_number(left: Number, right: Number) -> u128 {
    match (left, right) {
        (Number::Nan(a), Number::Nan(b)) => match (a as u64).cmp(&(b as u64)) {
            std::cmp::Ordering::Less => b,
            _ => a,
        },
        (Number::Nan(bits), _) | (_, Number::Nan(bits)) => bits,
        _ => NONSENSE,
    }
}

fn add(left: u128, right: u128) -> u128 {
    let (left, right) = (read(left), read(right));
    match (left, right) {
        (Number::Infinite { negative: a }, Number::Infinite { negative: b }) if a == b => {
            infinity(a)
        }
        (Number::Infinite { .. }, Number::Infinite { .. }) => NONSENSE,
        (Number::Infinite { negative }, Number::Finite { .. })
        | (Number::Finite { .. }, Number::Infinite { negative }) => infinity(negative),
        (
            Number::Finite {
                negative: a,
                significand: x,
                exponent: e,
            },
            Number::Finite {
                negative: b,
                significand: y,
                exponent: f,
            },
        ) => match e >= f {
            true => add_finite((a, x, e), (b, y, f)),
            false => add_finite((b, y, f), (a, x, e)),
        },
        _ => no_number(left, right),
    }
}

/// The first has the larger exponent.
fn add_finite(large: (bool, u64, i32), small: (bool, u64, i32)) -> u128 {
    let distance = (large.2 - small.2) as u32;
    let exponent = large.2 - 63;
    let x = u128::from(large.1) << 63;
    let whole = u128::from(small.1) << 63;
    let y = whole.checked_shr(distance).unwrap_or(0);
    let is_more = y.checked_shl(distance).unwrap_or(0) != whole;
    if large.0 == small.0 {
        return match (large.1, small.1) {
            (0, 0) => write(large.0, 0, 0, false),
            _ => write(large.0, x + y, exponent, is_more),
        };
    }
    match x.cmp(&y) {
        std::cmp::Ordering::Equal if !is_more => 0,
        std::cmp::Ordering::Less => write(small.0, y - x, exponent, is_more),
        // What was shifted out is taken away, too.
        _ => write(large.0, x - y - u128::from(is_more), exponent, is_more),
    }
}

fn multiply(left: u128, right: u128) -> u128 {
    let (left, right) = (read(left), read(right));
    match (left, right) {
        (
            Number::Finite {
                negative: a,
                significand: x,
                exponent: e,
            },
            Number::Finite {
                negative: b,
                significand: y,
                exponent: f,
            },
        ) => write(a != b, u128::from(x) * u128::from(y), e + f, false),
        (Number::Infinite { .. }, Number::Finite { significand: 0, .. })
        | (Number::Finite { significand: 0, .. }, Number::Infinite { .. }) => NONSENSE,
        (Number::Nan(_), _) | (_, Number::Nan(_)) => no_number(left, right),
        _ => infinity(is_negative(left) != is_negative(right)),
    }
}

fn divide(left: u128, right: u128) -> u128 {
    let (left, right) = (read(left), read(right));
    let negative = is_negative(left) != is_negative(right);
    match (left, right) {
        (Number::Nan(_), _) | (_, Number::Nan(_)) => no_number(left, right),
        (Number::Infinite { .. }, Number::Infinite { .. })
        | (Number::Finite { significand: 0, .. }, Number::Finite { significand: 0, .. }) => {
            NONSENSE
        }
        (Number::Infinite { .. }, _) | (_, Number::Finite { significand: 0, .. }) => {
            infinity(negative)
        }
        (_, Number::Infinite { .. }) => write(negative, 0, 0, false),
        (
            Number::Finite {
                significand: x,
                exponent: e,
                ..
            },
            Number::Finite {
                significand: y,
                exponent: f,
                ..
            },
        ) => {
            if x == 0 {
                return write(negative, 0, 0, false);
            }
            let up = (x.leading_zeros(), y.leading_zeros());
            let (x, y) = (u128::from(x << up.0), u128::from(y << up.1));
            let high = (x << 64) / y;
            let rest = (x << 64) % y;
            let low = (rest << 32) / y;
            let is_more = (rest << 32) % y != 0;
            let exponent = e - up.0 as i32 - (f - up.1 as i32) - 96;
            write(negative, high << 32 | low, exponent, is_more)
        }
    }
}

fn is_negative(number: Number) -> bool {
    match number {
        Number::Nan(bits) => bits >> 79 & 1 == 1,
        Number::Infinite { negative } | Number::Finite { negative, .. } => negative,
    }
}

/// One bit of four: less, equal, greater, unordered.
fn order(left: u128, right: u128) -> u128 {
    // By sign and magnitude: a larger exponent is a larger number.
    let key = |bits: u128| {
        let magnitude = match read(bits) {
            Number::Nan(_) => return None,
            Number::Infinite { .. } => i128::MAX,
            Number::Finite { significand: 0, .. } => 0,
            Number::Finite {
                significand,
                exponent,
                ..
            } => i128::from(exponent - LOWEST) << 64 | i128::from(significand),
        };
        Some(match bits >> 79 & 1 {
            1 => -magnitude,
            _ => magnitude,
        })
    };
    match (key(left), key(right)) {
        (Some(a), Some(b)) => match a.cmp(&b) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Greater => 4,
        },
        _ => 8,
    }
}

fn from_double(value: f64) -> u128 {
    let bits = value.to_bits();
    let negative = value.is_sign_negative();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52 & 0x7ff) as i32 {
        0x7ff if fraction == 0 => infinity(negative),
        0x7ff => infinity(negative) | 1 << 62 | u128::from(fraction) << 11,
        0 => write(negative, u128::from(fraction), -1074, false),
        biased => write(
            negative,
            u128::from(fraction | 1 << 52),
            biased - 1075,
            false,
        ),
    }
}

/// In a format with so many digits and bits of exponent.
fn to_narrower(bits: u128, digits: i32, exponent_bits: u32) -> u64 {
    let largest = (1i32 << exponent_bits) - 1;
    let fraction_bits = (digits - 1) as u32;
    let sign = |negative: bool| u64::from(negative) << (fraction_bits + exponent_bits);
    let infinity = (largest as u64) << fraction_bits;
    match read(bits) {
        Number::Nan(bits) => {
            let fraction = (bits as u64 & !TOP) >> (63 - fraction_bits);
            sign(bits >> 79 & 1 == 1) | infinity | fraction
        }
        Number::Infinite { negative } => sign(negative) | infinity,
        Number::Finite {
            negative,
            significand: 0,
            ..
        } => sign(negative),
        Number::Finite {
            negative,
            significand,
            exponent,
        } => {
            let lowest = 2 - (largest >> 1) - digits;
            let value = u128::from(significand);
            let (value, exponent) = round(value, exponent, false, digits, lowest);
            // Whatever the sum carries is just what the exponent needs.
            let above = (exponent - lowest).min(largest) as u64;
            let number = match value >> fraction_bits {
                0 => value as u64,
                _ => (above << fraction_bits) + value as u64,
            };
            sign(negative) | number.min(infinity)
        }
    }
}

pub(crate) fn to_double(bits: u128) -> f64 {
    f64::from_bits(to_narrower(bits, 53, 11))
}

/// Towards zero; what does not fit is as large as can be.
fn to_magnitude(bits: u128) -> (bool, u128) {
    match read(bits) {
        Number::Nan(_) => (false, 0),
        Number::Infinite { negative } => (negative, u128::MAX),
        Number::Finite {
            negative,
            significand,
            exponent,
        } => {
            let value = u128::from(significand);
            let magnitude = match exponent {
                ..=-64 => 0,
                -63..0 => value >> -exponent,
                0..=64 => value << exponent,
                _ if value == 0 => 0,
                _ => u128::MAX,
            };
            (negative, magnitude)
        }
    }
}

/// An operation whose first argument has `width` bits.
pub(crate) fn compute(op: Builtin, x: u128, y: u128, width: u32) -> u128 {
    let negated = |bits: u128| bits ^ 1 << 79;
    match op {
        Builtin::ExtendedAdd => add(x, y),
        // What is no number keeps its sign.
        Builtin::ExtendedSub if matches!(read(y), Number::Nan(_)) => add(x, y),
        Builtin::ExtendedSub => add(x, negated(y)),
        Builtin::ExtendedMul => multiply(x, y),
        Builtin::ExtendedDiv => divide(x, y),
        Builtin::ExtendedOrder => order(x, y),
        Builtin::ExtendedFromFloat if width == 32 => {
            from_double(f64::from(f32::from_bits(x as u32)))
        }
        Builtin::ExtendedFromFloat => from_double(f64::from_bits(x as u64)),
        Builtin::ExtendedToSingle => u128::from(to_narrower(x, 24, 8)),
        Builtin::ExtendedToDouble => u128::from(to_narrower(x, 53, 11)),
        Builtin::ExtendedFromSigned => {
            let value = crate::value::sign_extend(x, width);
            write(value < 0, value.unsigned_abs(), 0, false)
        }
        Builtin::ExtendedFromUnsigned => write(false, x, 0, false),
        Builtin::ExtendedToSigned => match to_magnitude(x) {
            (true, magnitude) => magnitude.min(1 << 127).wrapping_neg(),
            (false, magnitude) => magnitude.min(i128::MAX as u128),
        },
        _ => match to_magnitude(x) {
            (true, _) => 0,
            (false, magnitude) => magnitude,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: u128 = 0x3fff << 64 | 1 << 63;
    const HALF: u128 = 0x3ffe << 64 | 1 << 63;

    #[test]
    fn results_are_rounded_to_the_even_neighbour() {
        // Half of the last bit of one.
        let tiny = (0x3fff - 64) << 64 | 1 << 63;
        assert_eq!(add(ONE, tiny), ONE);
        assert_eq!(add(ONE | 1, tiny), ONE + 2);
        assert_eq!(add(ONE, tiny | 1), ONE + 1);
        assert_eq!(add(ONE, ONE ^ 1 << 79), 0);
    }

    #[test]
    fn small_and_large_numbers_have_their_ends() {
        let largest = 0x7ffe << 64 | u128::from(u64::MAX);
        assert_eq!(add(largest, largest), infinity(false));
        assert_eq!(multiply(1, HALF), 0);
        assert_eq!(multiply(3, HALF), 2);
        assert_eq!(divide(ONE, 0), infinity(false));
        assert_eq!(divide(0, 0), NONSENSE);
    }

    #[test]
    fn doubles_come_back() {
        for value in [
            0.0,
            -0.0,
            1.5,
            f64::MIN_POSITIVE,
            5e-324,
            f64::MAX,
            f64::INFINITY,
        ] {
            assert_eq!(to_double(from_double(value)).to_bits(), value.to_bits());
        }
        assert!(to_double(from_double(f64::NAN)).is_nan());
    }
}
