//! Arithmetic on bit-vector values of 1 to 128 bits, with the meaning that
//! SMT-LIB gives to each operation.
//!
//! A value is a `u128` whose bits from the width upwards are zero. Every
//! function expects such values and returns one.

use crate::terms::BinaryOp;

pub const MAX_WIDTH: u32 = 128;

/// The value with all of the lowest `width` bits set; `width` may be 0.
pub fn mask(width: u32) -> u128 {
    if width == 0 {
        0
    } else {
        u128::MAX >> (MAX_WIDTH - width)
    }
}

pub fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

pub fn to_signed(value: u128, width: u32) -> i128 {
    let unused = MAX_WIDTH - width;
    (value << unused).cast_signed() >> unused
}

pub fn from_signed(value: i128, width: u32) -> u128 {
    value.cast_unsigned() & mask(width)
}

pub fn signed_min(width: u32) -> i128 {
    i128::MIN >> (MAX_WIDTH - width)
}

pub fn signed_max(width: u32) -> i128 {
    i128::MAX >> (MAX_WIDTH - width)
}

/// How many bits an unsigned number needs; 0 needs none.
pub fn bits_of_unsigned(value: u128) -> u32 {
    MAX_WIDTH - value.leading_zeros()
}

/// How many bits a number in two's complement needs; 0 and -1 need one.
pub fn bits_of_signed(value: i128) -> u32 {
    let magnitude = if value < 0 { !value } else { value };
    bits_of_unsigned(magnitude.cast_unsigned()) + 1
}

/// Division by zero gives all ones.
pub fn unsigned_divide(a: u128, b: u128, width: u32) -> u128 {
    a.checked_div(b).unwrap_or(mask(width))
}

/// The remainder of a division by zero is the dividend.
pub fn unsigned_remainder(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

/// Rounds towards zero; division by zero gives -1, or 1 for a negative dividend.
pub fn signed_divide(a: u128, b: u128, width: u32) -> u128 {
    let (a, b) = (to_signed(a, width), to_signed(b, width));
    let quotient = match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a.wrapping_div(b),
    };
    from_signed(quotient, width)
}

/// Has the sign of the dividend, which is also the result for division by zero.
pub fn signed_remainder(a: u128, b: u128, width: u32) -> u128 {
    let (a, b) = (to_signed(a, width), to_signed(b, width));
    from_signed(if b == 0 { a } else { a.wrapping_rem(b) }, width)
}

pub fn shift_left(a: u128, amount: u128, width: u32) -> u128 {
    if amount >= u128::from(width) {
        0
    } else {
        (a << amount) & mask(width)
    }
}

pub fn shift_right(a: u128, amount: u128, width: u32) -> u128 {
    if amount >= u128::from(width) {
        0
    } else {
        a >> amount
    }
}

pub fn shift_right_signed(a: u128, amount: u128, width: u32) -> u128 {
    let amount = amount.min(u128::from(width - 1));
    from_signed(to_signed(a, width) >> amount, width)
}

pub fn apply(op: BinaryOp, a: u128, b: u128, width: u32) -> u128 {
    match op {
        BinaryOp::Add => a.wrapping_add(b) & mask(width),
        BinaryOp::Sub => a.wrapping_sub(b) & mask(width),
        BinaryOp::Mul => a.wrapping_mul(b) & mask(width),
        BinaryOp::UnsignedDiv => unsigned_divide(a, b, width),
        BinaryOp::UnsignedRem => unsigned_remainder(a, b),
        BinaryOp::SignedDiv => signed_divide(a, b, width),
        BinaryOp::SignedRem => signed_remainder(a, b, width),
        BinaryOp::ShiftLeft => shift_left(a, b, width),
        BinaryOp::ShiftRight => shift_right(a, b, width),
        BinaryOp::ShiftRightSigned => shift_right_signed(a, b, width),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    }
}
