//! Values in registers and the arithmetic on them.
//!
//! Pure functions only: nothing here touches memory or knows about threads.
//! Integers are handled as their unsigned bit patterns in 128 bits, floats as
//! their IEEE bit patterns, so that every operation is exact.

use crate::extended;
use crate::memory::ObjectId;
use ir::{BinaryOp, Builtin, Comparison, FloatComparison, FloatOp, RmwOp, Type};
use std::rc::Rc;

/// The content of a register. The type is the program's, not stored here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Integers up to 64 bits (zero-extended), floats and doubles.
    Bits(u64),
    /// Integers of more than 64 bits.
    Wide {
        low: u64,
        high: u64,
    },
    Pointer(Pointer),
    Tuple(Rc<[Value]>),
}

/// An address, and the object it was derived from. The object decides what may
/// be accessed through it; comparisons look at the address alone, as C does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    pub address: u64,
    /// `None` for null, for functions, and for integers that hit no object.
    pub object: Option<ObjectId>,
}

impl Pointer {
    pub const NULL: Pointer = Pointer {
        address: 0,
        object: None,
    };
}

/// Undefined behaviour met by an arithmetic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArithmeticFault {
    Overflow,
    DivisionByZero,
    BadShift,
}

impl Value {
    pub const ZERO: Value = Value::Bits(0);

    pub fn from_bits(width: u32, bits: u128) -> Value {
        let bits = truncate(bits, width);
        if width <= 64 {
            Value::Bits(bits as u64)
        } else {
            Value::Wide {
                low: bits as u64,
                high: (bits >> 64) as u64,
            }
        }
    }

    pub fn bool(value: bool) -> Value {
        Value::Bits(u64::from(value))
    }

    /// The bit pattern of a scalar; zero for tuples, which have none.
    pub fn bits(&self) -> u128 {
        match self {
            Value::Bits(bits) => u128::from(*bits),
            Value::Wide { low, high } => u128::from(*low) | u128::from(*high) << 64,
            Value::Pointer(pointer) => u128::from(pointer.address),
            Value::Tuple(_) => 0,
        }
    }

    pub fn low_bits(&self) -> u64 {
        match self {
            Value::Bits(bits) => *bits,
            Value::Wide { low, .. } => *low,
            Value::Pointer(pointer) => pointer.address,
            Value::Tuple(_) => 0,
        }
    }

    /// A value of the given type with all bits zero.
    pub fn zero(ty: &Type) -> Value {
        match ty {
            Type::Int(width) => Value::from_bits(*width, 0),
            Type::Float | Type::Double => Value::Bits(0),
            Type::Pointer => Value::Pointer(Pointer::NULL),
            Type::Tuple(tuple) => {
                Value::Tuple(tuple.fields.iter().map(|(_, ty)| Value::zero(ty)).collect())
            }
        }
    }
}

pub(crate) fn truncate(bits: u128, width: u32) -> u128 {
    if width >= 128 {
        bits
    } else {
        bits & ((1u128 << width) - 1)
    }
}

pub(crate) fn sign_extend(bits: u128, width: u32) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    ((bits << unused) as i128) >> unused
}

fn fits_signed(value: i128, width: u32) -> bool {
    sign_extend(truncate(value as u128, width), width) == value
}

/// The result of an integer operation, and the fault (if any) that makes it
/// meaningless. After an overflow the result is the wrapped one.
pub(crate) fn binary(
    op: BinaryOp,
    left: u128,
    right: u128,
    width: u32,
    no_signed_wrap: bool,
) -> (u128, Option<ArithmeticFault>) {
    let (a, b) = (sign_extend(left, width), sign_extend(right, width));
    let overflow = |exact: Option<i128>| {
        let fits = exact.is_some_and(|value| fits_signed(value, width));
        (no_signed_wrap && !fits).then_some(ArithmeticFault::Overflow)
    };
    let divides = |fault_on_min: bool| {
        if right == 0 {
            Some(ArithmeticFault::DivisionByZero)
        } else if fault_on_min && b == -1 && !fits_signed(a.wrapping_neg(), width) {
            Some(ArithmeticFault::Overflow)
        } else {
            None
        }
    };
    let shift_fault = (right >= u128::from(width)).then_some(ArithmeticFault::BadShift);
    let shift = right as u32;
    let (result, fault) = match op {
        BinaryOp::Add => (left.wrapping_add(right), overflow(a.checked_add(b))),
        BinaryOp::Sub => (left.wrapping_sub(right), overflow(a.checked_sub(b))),
        BinaryOp::Mul => (left.wrapping_mul(right), overflow(a.checked_mul(b))),
        BinaryOp::UnsignedDiv => (left.checked_div(right).unwrap_or(0), divides(false)),
        BinaryOp::UnsignedRem => (left.checked_rem(right).unwrap_or(0), divides(false)),
        BinaryOp::SignedDiv => (a.checked_div(b).unwrap_or(0) as u128, divides(true)),
        BinaryOp::SignedRem => (a.checked_rem(b).unwrap_or(0) as u128, divides(true)),
        BinaryOp::ShiftLeft => (left.checked_shl(shift).unwrap_or(0), shift_fault),
        BinaryOp::LogicalShiftRight => (left.checked_shr(shift).unwrap_or(0), shift_fault),
        BinaryOp::ArithmeticShiftRight => (a.checked_shr(shift).unwrap_or(0) as u128, shift_fault),
        BinaryOp::And => (left & right, None),
        BinaryOp::Or => (left | right, None),
        BinaryOp::Xor => (left ^ right, None),
    };
    (truncate(result, width), fault)
}

pub(crate) fn compare(op: Comparison, left: u128, right: u128, width: u32) -> bool {
    let (a, b) = (sign_extend(left, width), sign_extend(right, width));
    match op {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::UnsignedLess => left < right,
        Comparison::UnsignedLessEqual => left <= right,
        Comparison::UnsignedGreater => left > right,
        Comparison::UnsignedGreaterEqual => left >= right,
        Comparison::SignedLess => a < b,
        Comparison::SignedLessEqual => a <= b,
        Comparison::SignedGreater => a > b,
        Comparison::SignedGreaterEqual => a >= b,
    }
}

/// The new content of a memory word after an atomic read-modify-write.
pub(crate) fn rmw(op: RmwOp, old: u128, operand: u128, ty: &Type, width: u32) -> u128 {
    let signed_less = sign_extend(old, width) < sign_extend(operand, width);
    let result = match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::And => old & operand,
        RmwOp::Nand => !(old & operand),
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::SignedMax => [old, operand][usize::from(signed_less)],
        RmwOp::SignedMin => [operand, old][usize::from(signed_less)],
        RmwOp::UnsignedMax => old.max(operand),
        RmwOp::UnsignedMin => old.min(operand),
        RmwOp::FloatAdd => float_binary(FloatOp::Add, old as u64, operand as u64, ty).into(),
        RmwOp::FloatSub => float_binary(FloatOp::Sub, old as u64, operand as u64, ty).into(),
    };
    truncate(result, width)
}

/// A float's value as a double, which holds every single exactly.
pub(crate) fn to_double(bits: u64, ty: &Type) -> f64 {
    match ty {
        Type::Float => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

pub(crate) fn from_double(value: f64, ty: &Type) -> u64 {
    match ty {
        Type::Float => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Applies an operation in the type's own precision.
fn float_map2(
    left: u64,
    right: u64,
    ty: &Type,
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> u64 {
    match ty {
        Type::Float => {
            let (a, b) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            u64::from(single(a, b).to_bits())
        }
        _ => double(f64::from_bits(left), f64::from_bits(right)).to_bits(),
    }
}

pub(crate) fn float_binary(op: FloatOp, left: u64, right: u64, ty: &Type) -> u64 {
    match op {
        FloatOp::Add => float_map2(left, right, ty, |a, b| a + b, |a, b| a + b),
        FloatOp::Sub => float_map2(left, right, ty, |a, b| a - b, |a, b| a - b),
        FloatOp::Mul => float_map2(left, right, ty, |a, b| a * b, |a, b| a * b),
        FloatOp::Div => float_map2(left, right, ty, |a, b| a / b, |a, b| a / b),
        FloatOp::Rem => float_map2(left, right, ty, |a, b| a % b, |a, b| a % b),
    }
}

pub(crate) fn float_negate(bits: u64, ty: &Type) -> u64 {
    match ty {
        Type::Float => bits ^ 0x8000_0000,
        _ => bits ^ (1 << 63),
    }
}

pub(crate) fn float_compare(op: FloatComparison, left: f64, right: f64) -> bool {
    use std::cmp::Ordering;
    match left.partial_cmp(&right) {
        Some(Ordering::Less) => op.less,
        Some(Ordering::Equal) => op.equal,
        Some(Ordering::Greater) => op.greater,
        None => op.unordered,
    }
}

/// C's conversion of an integer, rounded to nearest even.
pub(crate) fn int_to_float(bits: u128, width: u32, is_signed: bool, ty: &Type) -> u64 {
    // Converting through `f64` would round twice for `float`.
    match (ty, is_signed) {
        (Type::Float, true) => u64::from((sign_extend(bits, width) as f32).to_bits()),
        (Type::Float, false) => u64::from((bits as f32).to_bits()),
        (_, true) => (sign_extend(bits, width) as f64).to_bits(),
        (_, false) => (bits as f64).to_bits(),
    }
}

pub(crate) fn float_to_int(value: f64, width: u32, is_signed: bool) -> u128 {
    let bits = if is_signed {
        (value as i128) as u128
    } else {
        value as u128
    };
    truncate(bits, width)
}

/// Compiler builtins on scalars. `ty` is the type of the first argument. The
/// second result is the overflow flag, for those builtins that return a pair.
pub(crate) fn builtin(op: Builtin, args: &[u128], ty: &Type, width: u32) -> (u128, Option<bool>) {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0);
    let (x, y) = (arg(0), arg(1));
    let (a, b) = (sign_extend(x, width), sign_extend(y, width));
    let signed = |exact: Option<i128>, wrapped: u128| {
        let overflows = exact.is_none_or(|value| !fits_signed(value, width));
        (truncate(wrapped, width), Some(overflows))
    };
    let unsigned = |exact: Option<u128>, wrapped: u128| {
        let overflows = exact.is_none_or(|value| truncate(value, width) != value);
        (truncate(wrapped, width), Some(overflows))
    };
    let (signed_max, signed_min) = (
        truncate(u128::MAX, width) >> 1,
        truncate(!(truncate(u128::MAX, width) >> 1), width),
    );
    let saturate_signed = |exact: i128| {
        if fits_signed(exact, width) {
            exact as u128
        } else if exact < 0 {
            signed_min
        } else {
            signed_max
        }
    };
    let float1 = |single: fn(f32) -> f32, double: fn(f64) -> f64| {
        u128::from(float_map2(
            x as u64,
            0,
            ty,
            |v, _| single(v),
            |v, _| double(v),
        ))
    };
    let float2 = |single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64| {
        u128::from(float_map2(x as u64, y as u64, ty, single, double))
    };
    let result = match op {
        Builtin::CountOnes => u128::from(x.count_ones()),
        Builtin::CountLeadingZeros => u128::from(x.leading_zeros() - (128 - width)),
        Builtin::CountTrailingZeros => u128::from(x.trailing_zeros().min(width)),
        Builtin::ByteSwap => x.swap_bytes() >> (128 - width),
        Builtin::BitReverse => x.reverse_bits() >> (128 - width),
        Builtin::Abs => a.wrapping_abs() as u128,
        Builtin::SignedMax => a.max(b) as u128,
        Builtin::SignedMin => a.min(b) as u128,
        Builtin::UnsignedMax => x.max(y),
        Builtin::UnsignedMin => x.min(y),
        Builtin::FunnelShiftLeft | Builtin::FunnelShiftRight => {
            let shift = (arg(2) % u128::from(width)) as u32;
            match (op, shift) {
                (Builtin::FunnelShiftLeft, 0) => x,
                (Builtin::FunnelShiftRight, 0) => y,
                (Builtin::FunnelShiftLeft, _) => x << shift | y >> (width - shift),
                _ => x << (width - shift) | y >> shift,
            }
        }
        Builtin::SignedAddOverflow => return signed(a.checked_add(b), x.wrapping_add(y)),
        Builtin::SignedSubOverflow => return signed(a.checked_sub(b), x.wrapping_sub(y)),
        Builtin::SignedMulOverflow => return signed(a.checked_mul(b), x.wrapping_mul(y)),
        Builtin::UnsignedAddOverflow => return unsigned(x.checked_add(y), x.wrapping_add(y)),
        Builtin::UnsignedSubOverflow => return unsigned(x.checked_sub(y), x.wrapping_sub(y)),
        Builtin::UnsignedMulOverflow => return unsigned(x.checked_mul(y), x.wrapping_mul(y)),
        Builtin::SignedAddSaturate => saturate_signed(a.saturating_add(b)),
        Builtin::SignedSubSaturate => saturate_signed(a.saturating_sub(b)),
        Builtin::UnsignedAddSaturate => x.saturating_add(y).min(truncate(u128::MAX, width)),
        Builtin::UnsignedSubSaturate => x.saturating_sub(y),
        Builtin::FloatAbs => float1(f32::abs, f64::abs),
        Builtin::FloatSqrt => float1(f32::sqrt, f64::sqrt),
        Builtin::FloatFloor => float1(f32::floor, f64::floor),
        Builtin::FloatCeil => float1(f32::ceil, f64::ceil),
        Builtin::FloatTruncate => float1(f32::trunc, f64::trunc),
        Builtin::FloatRound => float1(f32::round, f64::round),
        Builtin::FloatRint => float1(f32::round_ties_even, f64::round_ties_even),
        Builtin::FloatCopySign => float2(f32::copysign, f64::copysign),
        Builtin::FloatMin => float2(f32::min, f64::min),
        Builtin::FloatMax => float2(f32::max, f64::max),
        Builtin::FloatFma => {
            let z = arg(2);
            let bits = float_map2(
                x as u64,
                y as u64,
                ty,
                |p, q| p.mul_add(q, f32::from_bits(z as u32)),
                |p, q| p.mul_add(q, f64::from_bits(z as u64)),
            );
            u128::from(bits)
        }
        Builtin::FloatMulAdd => {
            let product = float_binary(FloatOp::Mul, x as u64, y as u64, ty);
            u128::from(float_binary(FloatOp::Add, product, arg(2) as u64, ty))
        }
        Builtin::IsFloatClass => u128::from(y & float_class(x as u64, ty) != 0),
        Builtin::ExtendedAdd
        | Builtin::ExtendedSub
        | Builtin::ExtendedMul
        | Builtin::ExtendedDiv
        | Builtin::ExtendedOrder
        | Builtin::ExtendedFromFloat
        | Builtin::ExtendedToSingle
        | Builtin::ExtendedToDouble
        | Builtin::ExtendedFromSigned
        | Builtin::ExtendedFromUnsigned
        | Builtin::ExtendedToSigned
        | Builtin::ExtendedToUnsigned => {
            return (extended::compute(op, x, y, width), None);
        }
    };
    (truncate(result, width), None)
}

/// The class of a float as one bit in the numbering of [`Builtin::IsFloatClass`].
fn float_class(bits: u64, ty: &Type) -> u128 {
    let value = to_double(bits, ty);
    let quiet_bit = match ty {
        Type::Float => 1 << 22,
        _ => 1 << 51,
    };
    // A subnormal single is a normal double, so look at the single itself.
    let category = match ty {
        Type::Float => f32::from_bits(bits as u32).classify(),
        _ => value.classify(),
    };
    use std::num::FpCategory;
    let (negative, positive) = match category {
        FpCategory::Nan if bits & quiet_bit != 0 => return 1 << 1,
        FpCategory::Nan => return 1,
        FpCategory::Infinite => (2, 9),
        FpCategory::Normal => (3, 8),
        FpCategory::Subnormal => (4, 7),
        FpCategory::Zero => (5, 6),
    };
    1 << if value.is_sign_negative() {
        negative
    } else {
        positive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_overflow_is_a_fault_only_where_c_says_so() {
        let max = 0x7fff_ffff;
        let fault = Some(ArithmeticFault::Overflow);
        assert_eq!(
            binary(BinaryOp::Add, max, 1, 32, true),
            (0x8000_0000, fault)
        );
        assert_eq!(
            binary(BinaryOp::Add, max, 1, 32, false),
            (0x8000_0000, None)
        );
        assert_eq!(binary(BinaryOp::Mul, 1 << 127, 2, 128, true), (0, fault));
        assert_eq!(binary(BinaryOp::Sub, 0, 0x8000_0000, 32, true).1, fault);
    }

    #[test]
    fn division_faults() {
        let minus_one = 0xffff_ffff;
        assert_eq!(
            binary(BinaryOp::SignedDiv, 5, 0, 32, false).1,
            Some(ArithmeticFault::DivisionByZero)
        );
        assert_eq!(
            binary(BinaryOp::SignedRem, 0x8000_0000, minus_one, 32, false).1,
            Some(ArithmeticFault::Overflow)
        );
        let minus_seven = truncate(-7i128 as u128, 32);
        let minus_three = truncate(-3i128 as u128, 32);
        assert_eq!(
            binary(BinaryOp::SignedDiv, minus_seven, 2, 32, false),
            (minus_three, None)
        );
        assert_eq!(
            binary(BinaryOp::SignedRem, minus_seven, 2, 32, false),
            (minus_one, None)
        );
    }

    #[test]
    fn shifts_by_the_width_or_more_are_faults() {
        let fault = Some(ArithmeticFault::BadShift);
        assert_eq!(
            binary(BinaryOp::ShiftLeft, 1, 31, 32, false),
            (0x8000_0000, None)
        );
        assert_eq!(binary(BinaryOp::ShiftLeft, 1, 32, 32, false).1, fault);
        assert_eq!(
            binary(BinaryOp::ArithmeticShiftRight, 0x80, 7, 8, false),
            (0xff, None)
        );
        assert_eq!(
            binary(BinaryOp::LogicalShiftRight, 1, 1 << 80, 128, false).1,
            fault
        );
    }

    #[test]
    fn counting_and_funnels_respect_the_width() {
        let int32 = Type::Int(32);
        assert_eq!(builtin(Builtin::CountLeadingZeros, &[1], &int32, 32).0, 31);
        assert_eq!(builtin(Builtin::CountTrailingZeros, &[0], &int32, 32).0, 32);
        assert_eq!(
            builtin(Builtin::ByteSwap, &[0x1234_5678], &int32, 32).0,
            0x7856_3412
        );
        assert_eq!(
            builtin(
                Builtin::FunnelShiftLeft,
                &[0x8000_0001, 0xc000_0000, 1],
                &int32,
                32
            )
            .0,
            3
        );
        let overflow = builtin(Builtin::UnsignedSubOverflow, &[0, 1], &int32, 32);
        assert_eq!(overflow, (0xffff_ffff, Some(true)));
    }

    #[test]
    fn float_classes_follow_sign_and_size() {
        assert_eq!(float_class((-0.0f64).to_bits(), &Type::Double), 1 << 5);
        assert_eq!(float_class(f64::NAN.to_bits(), &Type::Double), 1 << 1);
        assert_eq!(
            float_class(u64::from(1e-40f32.to_bits()), &Type::Float),
            1 << 7
        );
    }
}
