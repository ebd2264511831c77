//! Long doubles of x86 on constants. Nothing here is symbolic.
//!
//! Numbers are worked on with three bits more than they have; the last of these
//! says whether anything was shifted out of them.

use ir::Builtin;

/// A number that is not zero: `significand * 2^(exponent - 66)`, where the
/// significand has its highest bit at 66, so three bits are to be rounded away.
#[derive(Clone, Copy)]
struct Normal {
    is_negative: bool,
    exponent: i32,
    significand: u128,
}

#[derive(Clone, Copy)]
enum Kind {
    Zero(bool),
    Normal(Normal),
    Infinite(bool),
    Nan,
}

const BIAS: i32 = 16383;
const SPARE: u32 = 3;
const HIGHEST: u32 = 63 + SPARE;
const SPECIAL: u128 = 0x7fff;
const QUIET_NAN: u128 = 0xffff << 64 | 0xc << 60;

fn take_apart(bits: u128) -> Kind {
    let is_negative = bits & 1 << 79 != 0;
    let exponent = bits >> 64 & SPECIAL;
    let significand = bits & u64::MAX as u128;
    let is_whole = significand & 1 << 63 != 0;
    if exponent == SPECIAL {
        return match significand == 1 << 63 {
            true => Kind::Infinite(is_negative),
            false => Kind::Nan,
        };
    }
    if significand == 0 && exponent == 0 {
        return Kind::Zero(is_negative);
    }
    if exponent != 0 && !is_whole {
        return Kind::Nan;
    }
    let exponent = (exponent as i32).max(1) - BIAS;
    Kind::Normal(normalised(is_negative, exponent, significand << SPARE))
}

/// Moves the highest bit to its place. `significand` is not zero.
fn normalised(is_negative: bool, mut exponent: i32, mut significand: u128) -> Normal {
    while significand >> HIGHEST == 0 {
        significand <<= 1;
        exponent -= 1;
    }
    while significand >> (HIGHEST + 1) != 0 {
        significand = jammed(significand, 1);
        exponent += 1;
    }
    Normal {
        is_negative,
        exponent,
        significand,
    }
}

/// Shifts to the right; the last bit remembers what was lost.
fn jammed(value: u128, by: u32) -> u128 {
    if by >= 128 {
        return u128::from(value != 0);
    }
    let lost = value & ((1 << by) - 1);
    value >> by | u128::from(lost != 0)
}

/// To the nearest, the even one of two.
fn rounded(value: u128, spare: u32) -> u128 {
    let half = 1 << (spare - 1);
    let rest = value & ((1 << spare) - 1);
    let kept = value >> spare;
    kept + u128::from(rest > half || rest == half && kept % 2 == 1)
}

fn signed(is_negative: bool, magnitude: u128) -> u128 {
    magnitude | u128::from(is_negative) << 79
}

fn infinite(is_negative: bool) -> u128 {
    signed(is_negative, SPECIAL << 64 | 1 << 63)
}

fn put_together(number: Normal) -> u128 {
    let Normal {
        is_negative,
        exponent,
        significand,
    } = number;
    let mut biased = exponent + BIAS;
    let mut value = match biased {
        1.. => rounded(significand, SPARE),
        // Too small for its highest bit.
        _ => rounded(jammed(significand, (1 - biased) as u32), SPARE),
    };
    if biased < 1 {
        biased = 0;
    }
    if value >> 64 != 0 {
        value >>= 1;
        biased += 1;
    } else if biased == 0 && value >> 63 != 0 {
        biased = 1;
    }
    if biased >= SPECIAL as i32 {
        return infinite(is_negative);
    }
    signed(is_negative, (biased as u128) << 64 | value)
}

fn sum(a: Normal, b: Normal) -> u128 {
    let (large, small) = match (a.exponent, a.significand) >= (b.exponent, b.significand) {
        true => (a, b),
        false => (b, a),
    };
    let distance = (large.exponent - small.exponent) as u32;
    let smaller = jammed(small.significand, distance);
    if large.is_negative == small.is_negative {
        let sum = large.significand + smaller;
        return put_together(normalised(large.is_negative, large.exponent, sum));
    }
    match large.significand - smaller {
        0 => 0,
        rest => put_together(normalised(large.is_negative, large.exponent, rest)),
    }
}

fn product(a: Normal, b: Normal) -> u128 {
    // Neither has bits to be rounded away yet.
    let exact = (a.significand >> SPARE) * (b.significand >> SPARE);
    let significand = jammed(exact, 63 - SPARE);
    let is_negative = a.is_negative != b.is_negative;
    put_together(normalised(
        is_negative,
        a.exponent + b.exponent,
        significand,
    ))
}

fn quotient(a: Normal, b: Normal) -> u128 {
    let divisor = b.significand;
    let mut rest = a.significand;
    let mut significand = 0u128;
    // As on paper: one digit for each place, and one more.
    for _ in 0..=HIGHEST + 1 {
        significand <<= 1;
        if rest >= divisor {
            rest -= divisor;
            significand |= 1;
        }
        rest <<= 1;
    }
    let is_negative = a.is_negative != b.is_negative;
    // The first digit is worth one.
    let exponent = a.exponent - b.exponent - 1;
    let significand = significand << 1 | u128::from(rest != 0);
    let number = normalised(is_negative, exponent, significand >> 1);
    put_together(Normal {
        significand: number.significand | significand & 1,
        ..number
    })
}

fn added(x: u128, y: u128) -> u128 {
    match (take_apart(x), take_apart(y)) {
        (Kind::Nan, _) | (_, Kind::Nan) => either_nan(x, y),
        (Kind::Infinite(a), Kind::Infinite(b)) if a != b => QUIET_NAN,
        (Kind::Infinite(a), _) | (_, Kind::Infinite(a)) => infinite(a),
        (Kind::Zero(a), Kind::Zero(b)) => signed(a && b, 0),
        (Kind::Zero(_), Kind::Normal(number)) | (Kind::Normal(number), Kind::Zero(_)) => {
            put_together(number)
        }
        (Kind::Normal(a), Kind::Normal(b)) => sum(a, b),
    }
}

fn multiplied(x: u128, y: u128) -> u128 {
    let is_negative = (x ^ y) & 1 << 79 != 0;
    match (take_apart(x), take_apart(y)) {
        (Kind::Nan, _) | (_, Kind::Nan) => either_nan(x, y),
        (Kind::Infinite(_), Kind::Zero(_)) | (Kind::Zero(_), Kind::Infinite(_)) => QUIET_NAN,
        (Kind::Infinite(_), _) | (_, Kind::Infinite(_)) => infinite(is_negative),
        (Kind::Zero(_), _) | (_, Kind::Zero(_)) => signed(is_negative, 0),
        (Kind::Normal(a), Kind::Normal(b)) => product(a, b),
    }
}

fn divided(x: u128, y: u128) -> u128 {
    let is_negative = (x ^ y) & 1 << 79 != 0;
    match (take_apart(x), take_apart(y)) {
        (Kind::Nan, _) | (_, Kind::Nan) => either_nan(x, y),
        (Kind::Infinite(_), Kind::Infinite(_)) | (Kind::Zero(_), Kind::Zero(_)) => QUIET_NAN,
        (Kind::Infinite(_), _) | (_, Kind::Zero(_)) => infinite(is_negative),
        (Kind::Zero(_), _) | (_, Kind::Infinite(_)) => signed(is_negative, 0),
        (Kind::Normal(a), Kind::Normal(b)) => quotient(a, b),
    }
}

/// The one that is no number, made quiet; of two, that with more in it.
fn either_nan(x: u128, y: u128) -> u128 {
    let quiet = |bits: u128| match bits >> 63 & 1 == 1 && bits >> 64 & SPECIAL == SPECIAL {
        true => bits | 1 << 62,
        false => QUIET_NAN,
    };
    let is_nan = |bits: u128| matches!(take_apart(bits), Kind::Nan);
    match (is_nan(x), is_nan(y)) {
        (true, true) => {
            let (x, y) = (quiet(x), quiet(y));
            if x as u64 >= y as u64 { x } else { y }
        }
        (true, false) => quiet(x),
        _ => quiet(y),
    }
}

/// One bit of four: less, equal, greater, unordered.
fn relation(x: u128, y: u128) -> u128 {
    let place = |bits: u128| {
        Some(match take_apart(bits) {
            Kind::Nan => return None,
            Kind::Zero(_) => (0, 0, 0),
            Kind::Infinite(true) => (-2, 0, 0),
            Kind::Infinite(false) => (2, 0, 0),
            Kind::Normal(number) if number.is_negative => {
                (-1, -number.exponent, -(number.significand as i128))
            }
            Kind::Normal(number) => (1, number.exponent, number.significand as i128),
        })
    };
    match (place(x), place(y)) {
        (Some(a), Some(b)) if a < b => 1,
        (Some(a), Some(b)) if a == b => 2,
        (Some(_), Some(_)) => 4,
        _ => 8,
    }
}

fn of_double(bits: u64) -> u128 {
    let is_negative = bits >> 63 == 1;
    let fraction = u128::from(bits << 12 >> 12);
    let number = |exponent, significand| {
        put_together(normalised(
            is_negative,
            exponent,
            significand << (HIGHEST - 52),
        ))
    };
    match (bits << 1 >> 53) as i32 {
        0 if fraction == 0 => signed(is_negative, 0),
        0 => number(-1022, fraction),
        0x7ff if fraction == 0 => infinite(is_negative),
        0x7ff => infinite(is_negative) | 1 << 62 | fraction << 11,
        biased => number(biased - 1023, fraction | 1 << 52),
    }
}

/// As a float with `digits` binary digits and exponents up to `largest`.
fn narrowed(bits: u128, digits: u32, largest: i32) -> u128 {
    let exponent_bits = 32 - (largest as u32).leading_zeros() + 1;
    let sign = |is_negative: bool| u128::from(is_negative) << (digits - 1 + exponent_bits);
    let special = (2 * largest as u128 + 1) << (digits - 1);
    let number = match take_apart(bits) {
        Kind::Zero(is_negative) => return sign(is_negative),
        Kind::Infinite(is_negative) => return sign(is_negative) | special,
        Kind::Nan => {
            let bits = either_nan(bits, 0);
            let payload = (bits & (u64::MAX >> 1) as u128) >> (64 - digits);
            return sign(bits >> 79 & 1 == 1) | special | payload;
        }
        Kind::Normal(number) => number,
    };
    let biased = number.exponent + largest;
    let spare = HIGHEST + 1 - digits;
    let (biased, value) = match biased {
        1.. => (biased as u128, rounded(number.significand, spare)),
        _ => {
            let value = jammed(number.significand, (1 - biased) as u32);
            (1, rounded(value, spare))
        }
    };
    // The highest bit is not written; if it is there, the exponent is one more.
    let magnitude = ((biased - 1) << (digits - 1)) + value;
    sign(number.is_negative) | magnitude.min(special)
}

/// The whole part.
fn whole(bits: u128) -> (bool, u128) {
    match take_apart(bits) {
        Kind::Zero(_) | Kind::Nan => (false, 0),
        Kind::Infinite(is_negative) => (is_negative, u128::MAX),
        Kind::Normal(number) => {
            let significand = number.significand >> SPARE;
            let magnitude = match number.exponent {
                128.. => u128::MAX,
                63.. => significand << (number.exponent - 63),
                0.. => significand >> (63 - number.exponent),
                _ => 0,
            };
            (number.is_negative, magnitude)
        }
    }
}

fn of_integer(is_negative: bool, magnitude: u128) -> u128 {
    if magnitude == 0 {
        return 0;
    }
    // Make room at the top first, so that nothing is lost without notice.
    let zeros = magnitude.leading_zeros();
    let significand = jammed(magnitude << zeros, 127 - HIGHEST);
    put_together(Normal {
        is_negative,
        exponent: 127 - zeros as i32,
        significand,
    })
}

/// Whether an operation is one of these.
pub(crate) fn is_extended(op: Builtin) -> bool {
    use Builtin::*;
    matches!(
        op,
        ExtendedAdd
            | ExtendedSub
            | ExtendedMul
            | ExtendedDiv
            | ExtendedOrder
            | ExtendedFromFloat
            | ExtendedToSingle
            | ExtendedToDouble
            | ExtendedFromSigned
            | ExtendedFromUnsigned
            | ExtendedToSigned
            | ExtendedToUnsigned
    )
}

/// The first argument has `width` bits.
pub(crate) fn builtin(op: Builtin, args: &[u128], width: u32) -> u128 {
    let x = args.first().copied().unwrap_or(0);
    let y = args.get(1).copied().unwrap_or(0);
    match op {
        Builtin::ExtendedAdd => added(x, y),
        Builtin::ExtendedSub => match take_apart(y) {
            Kind::Nan => added(x, y),
            _ => added(x, y ^ 1 << 79),
        },
        Builtin::ExtendedMul => multiplied(x, y),
        Builtin::ExtendedDiv => divided(x, y),
        Builtin::ExtendedOrder => relation(x, y),
        Builtin::ExtendedFromFloat => of_double(match width {
            32 => f64::from(f32::from_bits(x as u32)).to_bits(),
            _ => x as u64,
        }),
        Builtin::ExtendedToSingle => narrowed(x, 24, 127),
        Builtin::ExtendedToDouble => narrowed(x, 53, 1023),
        Builtin::ExtendedFromUnsigned => of_integer(false, x),
        Builtin::ExtendedFromSigned => {
            let is_negative = x >> (width - 1) & 1 == 1;
            let negated = x.wrapping_neg() & (u128::MAX >> (128 - width));
            of_integer(is_negative, if is_negative { negated } else { x })
        }
        Builtin::ExtendedToSigned => match whole(x) {
            (true, magnitude) => 0u128.wrapping_sub(magnitude.min(1 << 127)),
            (false, magnitude) => magnitude.min(u128::MAX >> 1),
        },
        _ => match whole(x) {
            (true, _) => 0,
            (false, magnitude) => magnitude,
        },
    }
}
