//! Mathematical functions, in the precision of their argument.
//!
//! Neither `errno` nor the floating-point environment changes. Only `frexp` and
//! `modf` touch memory.

use super::plan::Plan;
use super::strings::numbers;
use super::{Reply, Site};
use crate::machine::{Machine, Stop};
use crate::value::{Value, from_double, sign_extend, to_double};
use ir::Type;
use library::Math;
use std::num::FpCategory;

impl<'a> Machine<'a> {
    pub(crate) fn math_model(&mut self, site: &mut Site, op: Math) -> Result<Reply, Stop> {
        let ty = float_type(site);
        if matches!(op, Math::Frexp | Math::Modf) {
            return self.planned(site, |machine, site, plan| {
                machine.plan_split(site, op, &ty, plan)
            });
        }
        let bits = [site.number(0), site.number(1), site.number(2)];
        let width = site
            .call
            .result_type
            .as_ref()
            .map_or(64, |ty| self.width(ty));
        let result = integer_result(op, bits[0], &ty, width).unwrap_or_else(|| match ty {
            Type::Float => u64::from(single(op, bits.map(|bits| bits as u32)).to_bits()),
            _ => double(op, bits).to_bits(),
        });
        Ok(Reply::Return(Value::Bits(result)))
    }

    /// The functions that return one part of a number and store another.
    fn plan_split(
        &mut self,
        site: &mut Site,
        op: Math,
        ty: &Type,
        plan: &mut Plan,
    ) -> Result<Reply, Stop> {
        let value = to_double(site.number(0), ty);
        let place = self.pointer_arg(site, 1);
        let result = if op == Math::Frexp {
            let (fraction, exponent) = split_exponent(value);
            let exponent = Value::Bits(u64::from(exponent as u32));
            self.plan_store(site, place, Type::Int(32), exponent, plan)?;
            fraction
        } else {
            let whole = Value::Bits(from_double(value.trunc(), ty));
            self.plan_store(site, place, ty.clone(), whole, plan)?;
            fraction(value)
        };
        Ok(Reply::Return(Value::Bits(from_double(result, ty))))
    }
}

/// The type that a call computes in.
fn float_type(site: &Site) -> Type {
    match site.call.args.first() {
        Some(argument) if argument.ty == Type::Float => Type::Float,
        _ => Type::Double,
    }
}

/// The result of functions that return an integer, here of `width` bits.
fn integer_result(op: Math, bits: u64, ty: &Type, width: u32) -> Option<u64> {
    let value = to_double(bits, ty);
    // A subnormal single is a normal double, so look at the single itself.
    let category = match ty {
        Type::Float => f32::from_bits(bits as u32).classify(),
        _ => value.classify(),
    };
    let number = match op {
        Math::LRound => to_integer(value.round(), width),
        Math::LRint => to_integer(value.round_ties_even(), width),
        Math::IsNan => i64::from(value.is_nan()),
        Math::IsInf if value.is_infinite() => value.signum() as i64,
        Math::IsInf => 0,
        Math::IsFinite => i64::from(value.is_finite()),
        Math::SignBit => i64::from(value.is_sign_negative()),
        Math::Classify => match category {
            FpCategory::Nan => 0,
            FpCategory::Infinite => 1,
            FpCategory::Zero => 2,
            FpCategory::Subnormal => 3,
            FpCategory::Normal => 4,
        },
        _ => return None,
    };
    Some(number as u64)
}

/// What does not fit becomes the number that x86 processors give then.
fn to_integer(value: f64, width: u32) -> i64 {
    let smallest = i64::MIN >> (64 - width.clamp(1, 64));
    let limit = -(smallest as f64);
    if (-limit..limit).contains(&value) {
        value as i64
    } else {
        smallest
    }
}

/// Functions of which both precisions have the same definition.
macro_rules! shared_definitions {
    ($op:expr, $x:expr, $y:expr, $z:expr) => {
        match $op {
            Math::Fabs => $x.abs(),
            Math::Floor => $x.floor(),
            Math::Ceil => $x.ceil(),
            Math::Trunc => $x.trunc(),
            Math::Round => $x.round(),
            Math::Rint => $x.round_ties_even(),
            Math::Sqrt => $x.sqrt(),
            Math::Cbrt => $x.cbrt(),
            Math::Hypot => $x.hypot($y),
            Math::Fmod => $x % $y,
            Math::Fmin => $x.min($y),
            Math::Fmax => $x.max($y),
            Math::Fdim if $x <= $y => 0.0,
            Math::Fdim => $x - $y,
            Math::Fma => $x.mul_add($y, $z),
            Math::CopySign => $x.copysign($y),
            Math::Pow => $x.powf($y),
            Math::Exp => $x.exp(),
            Math::Exp2 => $x.exp2(),
            Math::ExpM1 => $x.exp_m1(),
            Math::Log => $x.ln(),
            Math::Log2 => $x.log2(),
            Math::Log10 => $x.log10(),
            Math::Log1P => $x.ln_1p(),
            Math::Sin => $x.sin(),
            Math::Cos => $x.cos(),
            Math::Tan => $x.tan(),
            Math::Asin => $x.asin(),
            Math::Acos => $x.acos(),
            Math::Atan => $x.atan(),
            Math::Atan2 => $x.atan2($y),
            Math::Sinh => $x.sinh(),
            Math::Cosh => $x.cosh(),
            Math::Tanh => $x.tanh(),
            Math::Asinh => $x.asinh(),
            Math::Acosh => $x.acosh(),
            _ => $x.atanh(),
        }
    };
}

fn double(op: Math, bits: [u64; 3]) -> f64 {
    let [x, y, z] = bits.map(f64::from_bits);
    match op {
        Math::Remainder => remainder(x, y),
        Math::Ldexp => numbers::scale(x, power(bits[1])),
        _ => shared_definitions!(op, x, y, z),
    }
}

fn single(op: Math, bits: [u32; 3]) -> f32 {
    let [x, y, z] = bits.map(f32::from_bits);
    match op {
        // Doubles hold these results exactly, or lose nothing by holding them.
        Math::Remainder => remainder(f64::from(x), f64::from(y)) as f32,
        Math::Ldexp => numbers::scale(f64::from(x), power(bits[1].into())) as f32,
        _ => shared_definitions!(op, x, y, z),
    }
}

/// The power of two that `ldexp` gets as an `int`.
fn power(bits: u64) -> i64 {
    sign_extend(u128::from(bits & 0xffff_ffff), 32) as i64
}

/// The remainder of the division whose quotient is rounded to nearest, and halves
/// to even. Each subtraction here is exact.
fn remainder(x: f64, y: f64) -> f64 {
    let divisor = y.abs();
    if x.is_nan() || y.is_nan() || x.is_infinite() || divisor == 0.0 {
        return f64::NAN;
    }
    if divisor.is_infinite() {
        return x;
    }
    // Twice the largest numbers would be infinite, but then x is small enough.
    let double = divisor * 2.0;
    let mut rest = if double.is_finite() {
        x.abs() % double
    } else {
        x.abs()
    };
    let exceeds_half = |rest: f64, or_equals: bool| {
        // Compare halves where that is exact, and doubles where halves are not.
        let (small, large) = if divisor > f64::MIN_POSITIVE * 2.0 {
            (divisor * 0.5, rest)
        } else {
            (divisor, rest * 2.0)
        };
        large > small || (or_equals && large == small)
    };
    if exceeds_half(rest, false) {
        rest -= divisor;
        if exceeds_half(rest, true) {
            rest -= divisor;
        }
    }
    if x.is_sign_negative() { -rest } else { rest }
}

/// A fraction from 0.5 up to 1, and the power of two to multiply it with.
fn split_exponent(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    // Subnormal numbers are made normal first.
    let (value, shift) = match value.classify() {
        FpCategory::Subnormal => (numbers::scale(value, 64), -64),
        _ => (value, 0),
    };
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
    let fraction = f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52);
    (fraction, exponent + shift)
}

/// The part after the point, with the sign of the number.
fn fraction(value: f64) -> f64 {
    if value.is_infinite() {
        0f64.copysign(value)
    } else {
        (value - value.trunc()).copysign(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_round_the_quotient_to_even() {
        assert_eq!(remainder(5.0, 3.0), -1.0);
        assert_eq!(remainder(-5.0, 3.0), 1.0);
        assert_eq!(remainder(7.0, 2.0), -1.0);
        assert_eq!(remainder(5.0, 2.0), 1.0);
        assert_eq!(remainder(1.0, f64::INFINITY), 1.0);
        assert_eq!(
            remainder(f64::MAX, f64::MAX / 1.5),
            f64::MAX - f64::MAX / 1.5
        );
        assert_eq!(remainder(1.5e-323, 1e-323), -5e-324);
        assert!(remainder(1.0, 0.0).is_nan());
        assert!(remainder(f64::INFINITY, 1.0).is_nan());
    }

    #[test]
    fn numbers_are_split() {
        assert_eq!(split_exponent(8.0), (0.5, 4));
        assert_eq!(split_exponent(-0.75), (-0.75, 0));
        assert_eq!(split_exponent(5e-324), (0.5, -1073));
        assert_eq!(split_exponent(0.0), (0.0, 0));
        assert_eq!(fraction(-3.25), -0.25);
        assert_eq!(fraction(-3.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(fraction(f64::INFINITY), 0.0);
    }

    #[test]
    fn integers_from_numbers() {
        let double = |op, value: f64| integer_result(op, value.to_bits(), &Type::Double, 64);
        assert_eq!(double(Math::LRound, 2.5), Some(3));
        assert_eq!(double(Math::LRint, 2.5), Some(2));
        assert_eq!(double(Math::LRound, -2.5), Some(-3i64 as u64));
        assert_eq!(double(Math::LRound, 1e30), Some(1 << 63));
        assert_eq!(double(Math::IsInf, f64::NEG_INFINITY), Some(u64::MAX));
        assert_eq!(double(Math::Classify, 5e-324), Some(3));
        assert_eq!(double(Math::Sqrt, 4.0), None);
        let tiny = u64::from(1e-40f32.to_bits());
        assert_eq!(
            integer_result(Math::Classify, tiny, &Type::Float, 32),
            Some(3)
        );
        assert_eq!(to_integer(3e9, 32) as i32, i32::MIN);
        assert_eq!(to_integer(f64::NAN, 64), i64::MIN);
    }

    #[test]
    fn both_precisions() {
        let on_double = |op, x: f64, y: f64| double(op, [x.to_bits(), y.to_bits(), 0]);
        assert_eq!(on_double(Math::Pow, 2.0, 10.0), 1024.0);
        assert_eq!(on_double(Math::Fdim, 3.0, 5.0), 0.0);
        assert!(on_double(Math::Fdim, f64::NAN, 5.0).is_nan());
        let two = u64::from(2u32);
        assert_eq!(double(Math::Ldexp, [1.5f64.to_bits(), two, 0]), 6.0);
        let minus_one = u64::from(u32::MAX);
        assert_eq!(double(Math::Ldexp, [1.5f64.to_bits(), minus_one, 0]), 0.75);
        assert_eq!(single(Math::Sqrt, [2f32.to_bits(), 0, 0]), 2f32.sqrt());
    }
}
