//! Mathematical functions: computed on constants, and anything otherwise.

use crate::Error;
use crate::calls::{Call, Reply};
use crate::compute::floats::{read, write};
use crate::models::strings::text::Together;
use crate::pass::{Flow, Frame, Pass, State};
use formula::TermId;
use ir::Type;
use library::Math;
use std::num::FpCategory;

impl<'p> Pass<'p> {
    pub(crate) fn math_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Math,
        call: &Call,
    ) -> Result<Reply, Error> {
        let ty = match call.args.first() {
            Some(argument) if argument.ty == Type::Float => Type::Float,
            _ => Type::Double,
        };
        if matches!(op, Math::Frexp | Math::Modf) {
            return self.split_number(state, frame, op, call, &ty);
        }
        let count = call.args.len().min(3);
        let args: Vec<TermId> = (0..count)
            .map(|index| self.raw_argument(call, index))
            .collect();
        let Some(result) = &call.result else {
            return Ok(Reply::Nothing);
        };
        let width = self.width_of(result);
        if let (Math::Fabs, [value]) = (op, args.as_slice()) {
            let mask = self.terms.constant(width, (1 << (width - 1)) - 1);
            return Ok(Reply::Return(self.terms.bit_and(*value, mask)));
        }
        Ok(Reply::Return(self.on_constants(&args, width, |bits| {
            integer_result(op, bits, &ty, width).unwrap_or_else(|| number_result(op, bits, &ty))
        })))
    }

    /// The functions that return one part of a number and store another.
    fn split_number(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Math,
        call: &Call,
        ty: &Type,
    ) -> Result<Reply, Error> {
        let value = self.raw_argument(call, 0);
        let place = self.argument(call, 1);
        let width = self.terms.width(value);
        let is_exponent = op == Math::Frexp;
        let stored_width = if is_exponent { 32 } else { width };
        let split = |bits: &[u128]| {
            let value = read(bits[0], ty);
            if is_exponent {
                let (fraction, exponent) = split_exponent(value);
                (write(fraction, ty), u128::from(exponent as u32))
            } else {
                let fraction = match value.is_infinite() {
                    true => 0f64.copysign(value),
                    false => (value - value.trunc()).copysign(value),
                };
                (write(fraction, ty), write(value.trunc(), ty))
            }
        };
        let result = self.on_constants(&[value], width, |bits| split(bits).0);
        let stored = self.on_constants(&[value], stored_width, |bits| split(bits).1);
        let always = self.truth();
        let mut together = Together::default();
        if self.plan_store(state, frame, &mut together, place, stored, always)? == Flow::Dead
            || self.carry_out(state, together) == Flow::Dead
        {
            return Ok(Reply::Never);
        }
        Ok(Reply::Return(result))
    }
}

/// The result of functions that return an integer of so many bits.
fn integer_result(op: Math, bits: &[u128], ty: &Type, width: u32) -> Option<u128> {
    let value = read(bits[0], ty);
    let number = match op {
        Math::LRound => nearest_integer(value.round(), width),
        Math::LRint => nearest_integer(value.round_ties_even(), width),
        Math::IsNan => i64::from(value.is_nan()),
        Math::IsInf if value.is_infinite() => value.signum() as i64,
        Math::IsInf => 0,
        Math::IsFinite => i64::from(value.is_finite()),
        Math::SignBit => i64::from(value.is_sign_negative()),
        Math::Classify => {
            let category = match ty {
                Type::Float => f32::from_bits(bits[0] as u32).classify(),
                _ => value.classify(),
            };
            match category {
                FpCategory::Nan => 0,
                FpCategory::Infinite => 1,
                FpCategory::Zero => 2,
                FpCategory::Subnormal => 3,
                FpCategory::Normal => 4,
            }
        }
        _ => return None,
    };
    Some(number as i128 as u128)
}

/// What does not fit becomes the smallest number, as on x86.
fn nearest_integer(value: f64, width: u32) -> i64 {
    let limit = 2f64.powi(width as i32 - 1);
    if value >= -limit && value < limit {
        value as i64
    } else {
        i64::MIN >> (64 - width)
    }
}

/// Makes the functions of one precision.
macro_rules! functions {
    ($name:ident, $float:ty) => {
        fn $name(op: Math, x: $float, y: $float, z: $float) -> $float {
            match op {
                Math::Fabs => x.abs(),
                Math::Floor => x.floor(),
                Math::Ceil => x.ceil(),
                Math::Trunc => x.trunc(),
                Math::Round => x.round(),
                Math::Rint => x.round_ties_even(),
                Math::Sqrt => x.sqrt(),
                Math::Cbrt => x.cbrt(),
                Math::Hypot => x.hypot(y),
                Math::Fmod => x % y,
                Math::Fmin => x.min(y),
                Math::Fmax => x.max(y),
                Math::Fdim => {
                    if x <= y {
                        0.0
                    } else {
                        x - y
                    }
                }
                Math::Fma => x.mul_add(y, z),
                Math::CopySign => x.copysign(y),
                Math::Pow => x.powf(y),
                Math::Exp => x.exp(),
                Math::Exp2 => x.exp2(),
                Math::ExpM1 => x.exp_m1(),
                Math::Log => x.ln(),
                Math::Log2 => x.log2(),
                Math::Log10 => x.log10(),
                Math::Log1P => x.ln_1p(),
                Math::Sin => x.sin(),
                Math::Cos => x.cos(),
                Math::Tan => x.tan(),
                Math::Asin => x.asin(),
                Math::Acos => x.acos(),
                Math::Atan => x.atan(),
                Math::Atan2 => x.atan2(y),
                Math::Sinh => x.sinh(),
                Math::Cosh => x.cosh(),
                Math::Tanh => x.tanh(),
                Math::Asinh => x.asinh(),
                Math::Acosh => x.acosh(),
                _ => x.atanh(),
            }
        }
    };
}

functions!(double, f64);
functions!(single, f32);

fn number_result(op: Math, bits: &[u128], ty: &Type) -> u128 {
    let at = |index: usize| bits.get(index).copied().unwrap_or(0);
    match (op, ty) {
        (Math::Remainder, _) => write(remainder(read(at(0), ty), read(at(1), ty)), ty),
        (Math::Ldexp, _) => {
            let power = at(1) as u32 as i32;
            write(scaled(read(at(0), ty), power), ty)
        }
        (_, Type::Float) => {
            let [x, y, z] = [0, 1, 2].map(|index| f32::from_bits(at(index) as u32));
            u128::from(single(op, x, y, z).to_bits())
        }
        _ => {
            let [x, y, z] = [0, 1, 2].map(|index| f64::from_bits(at(index) as u64));
            u128::from(double(op, x, y, z).to_bits())
        }
    }
}

/// The remainder of a division whose quotient is rounded, halves to even.
fn remainder(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f64::NAN;
    }
    if y.is_infinite() {
        return x;
    }
    let y = y.abs();
    let rest = (x % y).abs();
    // Whether the quotient rounded towards zero is odd.
    let is_odd = match (2.0 * y).is_finite() {
        true => (x % (2.0 * y)).abs() >= y,
        false => x.abs() >= y,
    };
    let other = y - rest;
    let rest = match rest.partial_cmp(&other) {
        Some(std::cmp::Ordering::Greater) => rest - y,
        Some(std::cmp::Ordering::Equal) if is_odd => rest - y,
        _ => rest,
    };
    if x.is_sign_negative() { -rest } else { rest }
}

/// A number times a power of two, rounded once.
fn scaled(mut value: f64, mut power: i32) -> f64 {
    while power > 1000 && value.is_finite() && value != 0.0 {
        value *= 2f64.powi(1000);
        power -= 1000;
    }
    // On the way down, the last step alone may round.
    while power < -1000 && value.abs() > f64::MIN_POSITIVE * 2f64.powi(1000) {
        value *= 2f64.powi(-1000);
        power += 1000;
    }
    if power < -1022 {
        let (fraction, exponent) = split_exponent(value);
        let sum = i64::from(exponent) + i64::from(power);
        return match sum {
            ..-1080 => 0f64.copysign(value),
            _ => fraction * 2f64.powi(-537) * 2f64.powi((sum + 537) as i32),
        };
    }
    value * 2f64.powi(power.clamp(-1022, 1023))
}

/// A fraction from 0.5 up to 1, and the power of two to multiply it with.
fn split_exponent(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    let (mut fraction, mut exponent) = (value, 0);
    while fraction.abs() >= 1.0 {
        fraction /= 2.0;
        exponent += 1;
    }
    while fraction.abs() < 0.5 {
        fraction *= 2.0;
        exponent -= 1;
    }
    (fraction, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_numbers() {
        assert_eq!(split_exponent(8.0), (0.5, 4));
        assert_eq!(split_exponent(-0.75), (-0.75, 0));
        assert_eq!(scaled(0.5, 4), 8.0);
        assert_eq!(scaled(1.0, -1074), f64::from_bits(1));
        assert_eq!(scaled(1.0, 5000), f64::INFINITY);
        assert_eq!(remainder(5.0, 3.0), -1.0);
        assert_eq!(remainder(3.0, 2.0), -1.0);
        assert_eq!(remainder(1.0, 2.0), 1.0);
    }
}
