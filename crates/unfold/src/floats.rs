//! Floating-point arithmetic on constants. Nothing here is symbolic.

use ir::{Cast, FloatComparison, FloatOp, Type};

pub fn read(bits: u128, ty: &Type) -> f64 {
    match ty {
        Type::Float => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

pub fn write(value: f64, ty: &Type) -> u128 {
    match ty {
        Type::Float => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

/// The result in the type's own precision: for the four basic operations,
/// rounding a double's result to a single is the same.
pub fn binary(op: FloatOp, args: &[u128], ty: &Type) -> u128 {
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

pub fn compare(op: FloatComparison, args: &[u128], ty: &Type) -> u128 {
    let order = read(args[0], ty).partial_cmp(&read(args[1], ty));
    u128::from(match order {
        Some(std::cmp::Ordering::Less) => op.less,
        Some(std::cmp::Ordering::Equal) => op.equal,
        Some(std::cmp::Ordering::Greater) => op.greater,
        None => op.unordered,
    })
}

pub fn cast(op: Cast, bits: u128, from: &Type, to: &Type) -> u128 {
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
