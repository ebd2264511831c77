//! Floating-point arithmetic on constants. Nothing here is symbolic.

use ir::{Builtin, Cast, FloatComparison, FloatOp, Type};
use std::num::FpCategory;

pub(crate) fn read(bits: u128, ty: &Type) -> f64 {
    match ty {
        Type::Float => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

pub(crate) fn write(value: f64, ty: &Type) -> u128 {
    match ty {
        Type::Float => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

/// The result in the type's own precision: for the four basic operations,
/// rounding a double's result to a single is the same.
pub(crate) fn binary(op: FloatOp, args: &[u128], ty: &Type) -> u128 {
    let (a, b) = (read(args[0], ty), read(args[1], ty));
    let result = match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
    };
    write(result, ty)
}

pub(crate) fn builtin(op: Builtin, args: &[u128], ty: &Type) -> u128 {
    let at = |index: usize| read(args.get(index).copied().unwrap_or(0), ty);
    let (a, b, c) = (at(0), at(1), at(2));
    let result = match op {
        Builtin::IsFloatClass => return u128::from(class(args[0], ty) & args[1] as u32 != 0),
        Builtin::FloatSqrt => a.sqrt(),
        Builtin::FloatFloor => a.floor(),
        Builtin::FloatCeil => a.ceil(),
        Builtin::FloatTruncate => a.trunc(),
        Builtin::FloatRound => a.round(),
        Builtin::FloatRint => a.round_ties_even(),
        Builtin::FloatCopySign => a.copysign(b),
        Builtin::FloatMin => a.min(b),
        Builtin::FloatMax => a.max(b),
        Builtin::FloatFma => match ty {
            Type::Float => f64::from((a as f32).mul_add(b as f32, c as f32)),
            _ => a.mul_add(b, c),
        },
        Builtin::FloatMulAdd => match ty {
            Type::Float => f64::from(a as f32 * b as f32 + c as f32),
            _ => a * b + c,
        },
        _ => a.abs(),
    };
    write(result, ty)
}

/// The bit of a number's class, as in [`Builtin::IsFloatClass`].
fn class(bits: u128, ty: &Type) -> u32 {
    let (quiet, category, is_negative) = match ty {
        Type::Float => {
            let value = f32::from_bits(bits as u32);
            (bits >> 22 & 1, value.classify(), value.is_sign_negative())
        }
        _ => {
            let value = f64::from_bits(bits as u64);
            (bits >> 51 & 1, value.classify(), value.is_sign_negative())
        }
    };
    let place = match category {
        FpCategory::Nan => return 1 << quiet,
        FpCategory::Infinite => 2,
        FpCategory::Normal => 3,
        FpCategory::Subnormal => 4,
        FpCategory::Zero => 5,
    };
    1 << if is_negative { place } else { 11 - place }
}

pub(crate) fn compare(op: FloatComparison, args: &[u128], ty: &Type) -> u128 {
    let order = read(args[0], ty).partial_cmp(&read(args[1], ty));
    u128::from(match order {
        Some(std::cmp::Ordering::Less) => op.less,
        Some(std::cmp::Ordering::Equal) => op.equal,
        Some(std::cmp::Ordering::Greater) => op.greater,
        None => op.unordered,
    })
}

pub(crate) fn cast(op: Cast, bits: u128, from: &Type, to: &Type) -> u128 {
    let signed = |width: u32| {
        let shift = 128 - width;
        (bits << shift) as i128 >> shift
    };
    let width = match from {
        Type::Int(width) => *width,
        _ => 64,
    };
    match (op, to) {
        (Cast::FloatToSigned, _) => (read(bits, from) as i128) as u128,
        (Cast::FloatToUnsigned, _) => read(bits, from) as u128,
        // By way of a double, a number would be rounded twice.
        (Cast::SignedToFloat, Type::Float) => u128::from((signed(width) as f32).to_bits()),
        (Cast::SignedToFloat, _) => u128::from((signed(width) as f64).to_bits()),
        (Cast::UnsignedToFloat, Type::Float) => u128::from((bits as f32).to_bits()),
        (Cast::UnsignedToFloat, _) => u128::from((bits as f64).to_bits()),
        _ => write(read(bits, from), to),
    }
}
