//! How each operation maps the ranges of its operands to that of its result.
//!
//! Every function here over-approximates: if each operand is in its range, the
//! result is in the range returned. Each takes constant time.

use super::Range;
use crate::numbers::{from_signed, mask, signed_max, signed_min, to_signed, unsigned_divide};
use crate::terms::BinaryOp;

/// For operands of one width.
pub(crate) fn binary(op: BinaryOp, a: &Range, b: &Range) -> Range {
    match op {
        BinaryOp::Add => add(a, b),
        BinaryOp::Sub => sub(a, b),
        BinaryOp::Mul => mul(a, b),
        BinaryOp::UnsignedDiv => unsigned_div(a, b),
        BinaryOp::UnsignedRem => unsigned_rem(a, b),
        BinaryOp::SignedDiv => signed_div(a, b),
        BinaryOp::SignedRem => signed_rem(a, b),
        BinaryOp::ShiftLeft => shift_left(a, b),
        BinaryOp::ShiftRight => shift_right(a, b),
        BinaryOp::ShiftRightSigned => shift_right_signed(a, b),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => bitwise(op, a, b),
    }
}

pub(crate) fn bit_not(a: &Range) -> Range {
    let all = mask(a.width);
    Range {
        width: a.width,
        unsigned_min: all - a.unsigned_max,
        unsigned_max: all - a.unsigned_min,
        signed_min: -1 - a.signed_max,
        signed_max: -1 - a.signed_min,
        zeros: a.ones,
        ones: a.zeros,
    }
}

pub(crate) fn concat(high: &Range, low: &Range) -> Range {
    let shift = low.width;
    Range {
        width: high.width + shift,
        unsigned_min: high.unsigned_min << shift | low.unsigned_min,
        unsigned_max: high.unsigned_max << shift | low.unsigned_max,
        signed_min: high.signed_min << shift | low.unsigned_min.cast_signed(),
        signed_max: high.signed_max << shift | low.unsigned_max.cast_signed(),
        zeros: high.zeros << shift | low.zeros,
        ones: high.ones << shift | low.ones,
    }
    .refined()
}

/// The `width` bits from bit `low` upwards.
pub(crate) fn extract(a: &Range, low: u32, width: u32) -> Range {
    let mut range = Range::full(width);
    let all = mask(width);
    let (min, max) = (a.unsigned_min >> low, a.unsigned_max >> low);
    if min & !all == max & !all {
        range.unsigned_min = min & all;
        range.unsigned_max = max & all;
    }
    let (min, max) = (a.signed_min >> low, a.signed_max >> low);
    if min >= range.signed_min && max <= range.signed_max {
        range.signed_min = min;
        range.signed_max = max;
    }
    range.zeros = a.zeros >> low & all;
    range.ones = a.ones >> low & all;
    range.refined()
}

pub(crate) fn zero_extend(a: &Range, width: u32) -> Range {
    let mut range = Range::full(width);
    range.unsigned_min = a.unsigned_min;
    range.unsigned_max = a.unsigned_max;
    range.zeros = a.zeros | (mask(width) & !mask(a.width));
    range.ones = a.ones;
    range.refined()
}

pub(crate) fn sign_extend(a: &Range, width: u32) -> Range {
    let mut range = Range::full(width);
    range.signed_min = a.signed_min;
    range.signed_max = a.signed_max;
    range.zeros = from_signed(to_signed(a.zeros, a.width), width);
    range.ones = from_signed(to_signed(a.ones, a.width), width);
    range.refined()
}

/// The sum, and whether it does not fit the width.
fn add_with_carry(a: u128, b: u128, width: u32) -> (u128, bool) {
    let (sum, carry) = a.overflowing_add(b);
    (sum & mask(width), carry || sum & !mask(width) != 0)
}

fn fits_signed(value: &i128, width: u32) -> bool {
    (signed_min(width)..=signed_max(width)).contains(value)
}

/// An interval of results, if none of them overflows.
fn set_signed(range: &mut Range, min: Option<i128>, max: Option<i128>) {
    let fits = |value: &i128| fits_signed(value, range.width);
    if let (Some(min), Some(max)) = (min.filter(fits), max.filter(fits)) {
        range.signed_min = min;
        range.signed_max = max;
    }
}

/// Known bits of `a + b + carry`: a bit is known if both operand bits are and
/// the carry into it is the same for the least and the greatest operands.
fn set_bits_of_sum(range: &mut Range, a: &Range, b: (u128, u128), carry: u128) {
    let all = mask(range.width);
    let (b_zeros, b_ones) = b;
    let (a_max, b_max) = (!a.zeros & all, !b_zeros & all);
    let least = a.ones.wrapping_add(b_ones).wrapping_add(carry);
    let greatest = a_max.wrapping_add(b_max).wrapping_add(carry);
    let carried_always = least ^ a.ones ^ b_ones;
    let carried_never = !(greatest ^ a_max ^ b_max);
    let known = (a.zeros | a.ones) & (b_zeros | b_ones) & (carried_always | carried_never);
    range.ones |= least & known & all;
    range.zeros |= !least & known & all;
}

fn add(a: &Range, b: &Range) -> Range {
    let mut range = Range::full(a.width);
    let (min, min_carry) = add_with_carry(a.unsigned_min, b.unsigned_min, a.width);
    let (max, max_carry) = add_with_carry(a.unsigned_max, b.unsigned_max, a.width);
    if min_carry == max_carry {
        (range.unsigned_min, range.unsigned_max) = (min, max);
    }
    set_signed(
        &mut range,
        a.signed_min.checked_add(b.signed_min),
        a.signed_max.checked_add(b.signed_max),
    );
    set_bits_of_sum(&mut range, a, (b.zeros, b.ones), 0);
    range.refined()
}

fn sub(a: &Range, b: &Range) -> Range {
    let mut range = Range::full(a.width);
    let (min, min_borrow) = a.unsigned_min.overflowing_sub(b.unsigned_max);
    let (max, max_borrow) = a.unsigned_max.overflowing_sub(b.unsigned_min);
    if min_borrow == max_borrow {
        let all = mask(a.width);
        (range.unsigned_min, range.unsigned_max) = (min & all, max & all);
    }
    set_signed(
        &mut range,
        a.signed_min.checked_sub(b.signed_max),
        a.signed_max.checked_sub(b.signed_min),
    );
    set_bits_of_sum(&mut range, a, (b.ones, b.zeros), 1);
    range.refined()
}

fn mul(a: &Range, b: &Range) -> Range {
    let mut range = Range::full(a.width);
    let all = mask(a.width);
    if let Some(max) = a.unsigned_max.checked_mul(b.unsigned_max)
        && max <= all
    {
        range.unsigned_min = a.unsigned_min * b.unsigned_min;
        range.unsigned_max = max;
    }
    let corners = [
        a.signed_min.checked_mul(b.signed_min),
        a.signed_min.checked_mul(b.signed_max),
        a.signed_max.checked_mul(b.signed_min),
        a.signed_max.checked_mul(b.signed_max),
    ];
    if corners.iter().all(Option::is_some) {
        let (min, max) = (corners.iter().min(), corners.iter().max());
        set_signed(&mut range, *min.unwrap_or(&None), *max.unwrap_or(&None));
    }
    // The lowest bits depend on the lowest bits only, and factors of two add up.
    let known_below = |r: &Range| (!(r.zeros | r.ones)).trailing_zeros().min(r.width);
    let known = mask(known_below(a).min(known_below(b)));
    let product = a.ones.wrapping_mul(b.ones);
    let even = a.zeros.trailing_ones() + b.zeros.trailing_ones();
    range.ones |= product & known;
    range.zeros |= (!product & known) | mask(even.min(a.width));
    range.refined()
}

fn unsigned_div(a: &Range, b: &Range) -> Range {
    let mut range = Range::full(a.width);
    range.unsigned_min = unsigned_divide(a.unsigned_min, b.unsigned_max, a.width);
    range.unsigned_max = unsigned_divide(a.unsigned_max, b.unsigned_min, a.width);
    range.refined()
}

fn unsigned_rem(a: &Range, b: &Range) -> Range {
    if a.unsigned_max < b.unsigned_min || b.unsigned_max == 0 {
        return a.clone();
    }
    let mut range = Range::full(a.width);
    range.unsigned_max = a.unsigned_max;
    if b.unsigned_min > 0 {
        range.unsigned_max = range.unsigned_max.min(b.unsigned_max - 1);
    }
    range.refined()
}

fn signed_div(a: &Range, b: &Range) -> Range {
    let mut range = Range::full(a.width);
    // A quotient is monotone in either operand while the divisor keeps its
    // sign, so the extremes are at the ends of each part.
    let mut divisors = Vec::with_capacity(4);
    if b.signed_max > 0 {
        divisors.extend([b.signed_min.max(1), b.signed_max]);
    }
    if b.signed_min < 0 {
        divisors.extend([b.signed_min, b.signed_max.min(-1)]);
    }
    let (mut min, mut max) = (i128::MAX, i128::MIN);
    let mut include = |value: i128| {
        min = min.min(value);
        max = max.max(value);
    };
    for dividend in [a.signed_min, a.signed_max] {
        for divisor in &divisors {
            match dividend.checked_div(*divisor) {
                Some(quotient) => include(quotient),
                None => return range,
            }
        }
    }
    if b.signed().contains(&0) {
        if a.signed_max >= 0 {
            include(-1);
        }
        if a.signed_min < 0 {
            include(1);
        }
    }
    set_signed(&mut range, Some(min), Some(max));
    range.refined()
}

fn signed_rem(a: &Range, b: &Range) -> Range {
    let mut range = Range::full(a.width);
    range.signed_min = a.signed_min.min(0);
    range.signed_max = a.signed_max.max(0);
    if !b.contains(0) {
        // The magnitude is below that of the divisor.
        let bound = (-1 - b.signed_min).max(b.signed_max.saturating_sub(1));
        range.signed_min = range.signed_min.max(-bound);
        range.signed_max = range.signed_max.min(bound);
    }
    range.refined()
}

fn shift_left(a: &Range, amount: &Range) -> Range {
    let width = a.width;
    let all = mask(width);
    let mut range = Range::full(width);
    let least = amount.unsigned_min.min(u128::from(width)) as u32;
    let even = (a.zeros.trailing_ones() + least).min(width);
    range.zeros |= mask(even);
    if amount.unsigned_max < u128::from(width) {
        let most = amount.unsigned_max as u32;
        if a.unsigned_max <= all >> most {
            range.unsigned_min = a.unsigned_min << least;
            range.unsigned_max = a.unsigned_max << most;
        }
        let fits = |value: i128| fits_signed(&value, width - most);
        if fits(a.signed_min) && fits(a.signed_max) {
            let min_by = if a.signed_min < 0 { most } else { least };
            let max_by = if a.signed_max < 0 { least } else { most };
            range.signed_min = a.signed_min << min_by;
            range.signed_max = a.signed_max << max_by;
        }
        if least == most {
            range.zeros |= a.zeros << least & all;
            range.ones |= a.ones << least & all;
        }
    }
    range.refined()
}

fn shift_right(a: &Range, amount: &Range) -> Range {
    let shift = |value: u128, by: u128| crate::numbers::shift_right(value, by, a.width);
    let mut range = Range::full(a.width);
    range.unsigned_min = shift(a.unsigned_min, amount.unsigned_max);
    range.unsigned_max = shift(a.unsigned_max, amount.unsigned_min);
    if let Some(by) = amount.as_constant() {
        range.ones = shift(a.ones, by);
        range.zeros = !shift(!a.zeros & mask(a.width), by) & mask(a.width);
    }
    range.refined()
}

fn shift_right_signed(a: &Range, amount: &Range) -> Range {
    let cap = |by: u128| by.min(u128::from(a.width - 1)) as u32;
    let (least, most) = (cap(amount.unsigned_min), cap(amount.unsigned_max));
    let mut range = Range::full(a.width);
    range.signed_min = (a.signed_min >> least).min(a.signed_min >> most);
    range.signed_max = (a.signed_max >> least).max(a.signed_max >> most);
    if least == most {
        range.ones = from_signed(to_signed(a.ones, a.width) >> least, a.width);
        range.zeros = from_signed(to_signed(a.zeros, a.width) >> least, a.width);
    }
    range.refined()
}

fn bitwise(op: BinaryOp, a: &Range, b: &Range) -> Range {
    let mut range = Range::full(a.width);
    match op {
        BinaryOp::And => {
            range.zeros = a.zeros | b.zeros;
            range.ones = a.ones & b.ones;
            range.unsigned_max = a.unsigned_max.min(b.unsigned_max);
        }
        BinaryOp::Or => {
            range.zeros = a.zeros & b.zeros;
            range.ones = a.ones | b.ones;
            range.unsigned_min = a.unsigned_min.max(b.unsigned_min);
        }
        _ => {
            range.zeros = (a.zeros & b.zeros) | (a.ones & b.ones);
            range.ones = (a.zeros & b.ones) | (a.ones & b.zeros);
        }
    }
    // Where both operands merely repeat their sign, so does the result.
    let needed = a.width_needed_signed().max(b.width_needed_signed());
    range.signed_min = signed_min(needed);
    range.signed_max = signed_max(needed);
    range.refined()
}
