//! Calls of the compiler's own functions, `llvm.*`.

use super::body::BodyLowering;
use super::expressions::Outcome;
use super::instructions::same_op;
use super::{Attempt, malformed, unsupported};
use crate::ast::{Inst, ParamAttributes, Typed, Value};
use ir::{Builtin, Cast, Op, Operand, ValueId};

type Args<'m, 'a> = &'m [(Typed<'a>, ParamAttributes)];

/// The name without the types that an overloaded intrinsic is instantiated for.
fn base_name(name: &str) -> &str {
    let mut base = name;
    while let Some((start, last)) = base.rsplit_once('.') {
        let digits = last.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let letters = &last[..last.len() - digits.len()];
        let is_type = matches!(
            letters,
            "i" | "f" | "p" | "v" | "bf" | "nxv" | "ppcf" | "a" | "s_s" | "sl_"
        ) && digits.starts_with(|c: char| c.is_ascii_digit());
        if !is_type {
            break;
        }
        base = start;
    }
    base
}

/// Whether the result is the first argument, unchanged. `name` has no `llvm.`.
pub(super) fn is_identity(name: &str) -> bool {
    matches!(
        base_name(name),
        "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "threadlocal.address"
            | "ssa.copy"
            | "ptr.annotation"
            | "annotation"
            | "arithmetic.fence"
    )
}

/// Calls without any effect on what a program does.
fn is_ignored(base: &str) -> bool {
    base.starts_with("dbg.")
        || base.starts_with("lifetime.")
        || base.starts_with("invariant.end")
        || matches!(
            base,
            "assume"
                | "donothing"
                | "sideeffect"
                | "prefetch"
                | "var.annotation"
                | "codeview.annotation"
                | "experimental.noalias.scope.decl"
                | "va_end"
                | "pseudoprobe"
                | "fake.use"
                | "x86.sse2.pause"
                | "x86.sse2.clflush"
                | "x86.clflushopt"
                | "x86.clwb"
                | "x86.cldemote"
        )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Int,
    Float,
}

/// Operations that the program model has too: how many of the arguments count,
/// and of what kind they are.
fn builtin(base: &str) -> Option<(Builtin, usize, Domain)> {
    use Domain::{Float, Int};
    Some(match base {
        "ctpop" => (Builtin::CountOnes, 1, Int),
        // Their second argument only makes some inputs undefined.
        "ctlz" => (Builtin::CountLeadingZeros, 1, Int),
        "cttz" => (Builtin::CountTrailingZeros, 1, Int),
        "abs" => (Builtin::Abs, 1, Int),
        "bswap" => (Builtin::ByteSwap, 1, Int),
        "bitreverse" => (Builtin::BitReverse, 1, Int),
        "smax" => (Builtin::SignedMax, 2, Int),
        "smin" => (Builtin::SignedMin, 2, Int),
        "umax" => (Builtin::UnsignedMax, 2, Int),
        "umin" => (Builtin::UnsignedMin, 2, Int),
        "fshl" => (Builtin::FunnelShiftLeft, 3, Int),
        "fshr" => (Builtin::FunnelShiftRight, 3, Int),
        "sadd.with.overflow" => (Builtin::SignedAddOverflow, 2, Int),
        "ssub.with.overflow" => (Builtin::SignedSubOverflow, 2, Int),
        "smul.with.overflow" => (Builtin::SignedMulOverflow, 2, Int),
        "uadd.with.overflow" => (Builtin::UnsignedAddOverflow, 2, Int),
        "usub.with.overflow" => (Builtin::UnsignedSubOverflow, 2, Int),
        "umul.with.overflow" => (Builtin::UnsignedMulOverflow, 2, Int),
        "sadd.sat" => (Builtin::SignedAddSaturate, 2, Int),
        "ssub.sat" => (Builtin::SignedSubSaturate, 2, Int),
        "uadd.sat" => (Builtin::UnsignedAddSaturate, 2, Int),
        "usub.sat" => (Builtin::UnsignedSubSaturate, 2, Int),
        "fabs" => (Builtin::FloatAbs, 1, Float),
        "sqrt" => (Builtin::FloatSqrt, 1, Float),
        "floor" => (Builtin::FloatFloor, 1, Float),
        "ceil" => (Builtin::FloatCeil, 1, Float),
        "trunc" => (Builtin::FloatTruncate, 1, Float),
        "round" => (Builtin::FloatRound, 1, Float),
        // In the default rounding mode these are the same.
        "rint" | "nearbyint" | "roundeven" => (Builtin::FloatRint, 1, Float),
        "copysign" => (Builtin::FloatCopySign, 2, Float),
        "minnum" | "minimumnum" => (Builtin::FloatMin, 2, Float),
        "maxnum" | "maximumnum" => (Builtin::FloatMax, 2, Float),
        "fma" => (Builtin::FloatFma, 3, Float),
        "fmuladd" => (Builtin::FloatMulAdd, 3, Float),
        _ => return None,
    })
}

/// Mathematical functions that the C library has under the same name.
fn is_math_function(base: &str) -> bool {
    matches!(
        base,
        "pow"
            | "exp"
            | "exp2"
            | "exp10"
            | "log"
            | "log2"
            | "log10"
            | "sin"
            | "cos"
            | "tan"
            | "asin"
            | "acos"
            | "atan"
            | "atan2"
            | "sinh"
            | "cosh"
            | "tanh"
            | "ldexp"
            | "lround"
            | "llround"
            | "lrint"
            | "llrint"
    )
}

impl<'m, 'a> BodyLowering<'_, 'm, 'a> {
    pub(super) fn intrinsic(
        &mut self,
        inst: &Inst<'a>,
        name: &str,
        args: Args<'m, 'a>,
    ) -> Attempt<()> {
        let result = self.result(inst);
        let base = base_name(name);
        if is_ignored(base) {
            return Ok(());
        }
        let is_long_double = |(arg, _): &(Typed<'a>, _)| self.is_long_double(arg.ty);
        if self.is_long_double(inst.ty) || args.iter().any(is_long_double) {
            if base == "fabs" {
                let value = self.arg(args, 0)?;
                let op = self.long_double_magnitude(value);
                self.emit(op, result);
                return Ok(());
            }
            return unsupported(format!("the intrinsic function llvm.{name}"));
        }
        if let Some(builtin) = builtin(base) {
            return self.builtin(inst, builtin, args);
        }
        match base {
            _ if is_identity(name) => {
                // Only reached when the types disagree, or the result is unused.
                let first = self.arg(args, 0)?;
                let ty = self.value_type(inst.ty)?;
                if let Some(result) = result {
                    self.emit(same_op(&ty, first), Some(result));
                }
                Ok(())
            }
            "memcpy" | "memcpy.inline" => self.memory_call("memcpy", args),
            "memmove" => self.memory_call("memmove", args),
            "memset" | "memset.inline" => self.memory_call("memset", args),
            "trap" | "debugtrap" | "ubsantrap" => {
                self.call_library("abort", Vec::new(), None, None)
            }
            "x86.sse2.mfence" => self.fence(ir::Ordering::SequentiallyConsistent),
            // Neither orders a store before a load.
            "x86.sse2.lfence" => self.fence(ir::Ordering::Acquire),
            "x86.sse.sfence" => self.fence(ir::Ordering::Release),
            // A counter and the processor's number, both inputs.
            "x86.rdtscp" => {
                let parts = [64, 32].map(|bits| self.emit_new(Op::Any, ir::Type::Int(bits)));
                self.deliver(inst, parts.to_vec())
            }
            // With the usual C libraries the one is the other.
            "thread.pointer" => {
                let bits = self.lowering.pointer_bits();
                let number = self.body.values.push(ir::Type::Int(bits));
                let ty = Some(ir::Type::Int(bits));
                self.call_library("pthread_self", Vec::new(), ty, Some(number))?;
                let value = Operand::Value(number);
                let op = Cast::IntToPointer;
                self.emit(Op::Cast { op, value }, result);
                Ok(())
            }
            "va_start" => {
                let list = self.pointer_arg(args, 0)?;
                self.emit(Op::VaStart { list }, None);
                Ok(())
            }
            "va_copy" => {
                let to = self.pointer_arg(args, 0)?;
                let from = self.pointer_arg(args, 1)?;
                self.emit(Op::VaCopy { to, from }, None);
                Ok(())
            }
            "stacksave" => {
                self.emit(Op::SaveStack, result);
                Ok(())
            }
            "stackrestore" => {
                let saved = self.pointer_arg(args, 0)?;
                self.emit(Op::RestoreStack { saved }, None);
                Ok(())
            }
            "objectsize" => {
                let wants_minimum = self.constant_arg(args, 1)? == 1;
                let ir::Type::Int(bits) = self.value_type(inst.ty)? else {
                    return malformed("an integer");
                };
                let value = if wants_minimum {
                    0
                } else {
                    super::constants::mask(bits)
                };
                let value = self.int(bits, value);
                self.define(ir::Type::Int(bits), value, result);
                Ok(())
            }
            // To nearest, as C programs start.
            "flt.rounds" | "get.rounding" => {
                let value = self.int(32, 1);
                self.define(ir::Type::Int(32), value, result);
                Ok(())
            }
            "is.constant" => {
                let value = self.int(1, 0);
                self.define(ir::Type::BOOL, value, result);
                Ok(())
            }
            "is.fpclass" => {
                let Some((value, _)) = args.first() else {
                    return malformed("a number to classify");
                };
                if !self.value_type(value.ty)?.is_float() {
                    return unsupported("classifying a vector");
                }
                let value = self.operand(value)?;
                let mask = self.constant_arg(args, 1)?;
                let mask = self.int(32, mask & 0x3ff);
                let op = Op::Builtin {
                    op: Builtin::IsFloatClass,
                    args: vec![value, mask],
                };
                self.emit(op, result);
                Ok(())
            }
            "returnaddress"
            | "frameaddress"
            | "addressofreturnaddress"
            | "sponentry"
            | "readcyclecounter"
            | "readsteadycounter"
            | "x86.rdtsc" => {
                self.emit(Op::Any, result);
                Ok(())
            }
            "invariant.start" => {
                let null = self.constant(ir::Constant::Null);
                self.define(ir::Type::Pointer, null, result);
                Ok(())
            }
            _ if is_math_function(base) => {
                let ty = self.value_type(inst.ty)?;
                let mut operands = Vec::with_capacity(args.len());
                for index in 0..args.len() {
                    operands.push(self.arg(args, index)?);
                }
                let Some((first, _)) = args.first() else {
                    return malformed("an argument");
                };
                let symbol = match self.value_type(first.ty)? {
                    ir::Type::Double => base.to_owned(),
                    ir::Type::Float => format!("{base}f"),
                    _ => return unsupported(format!("{base} of a vector")),
                };
                self.call_library(&symbol, operands, Some(ty), result)
            }
            _ => unsupported(format!("the intrinsic function llvm.{name}")),
        }
    }

    fn fence(&mut self, ordering: ir::Ordering) -> Attempt<()> {
        self.emit(Op::Fence { ordering }, None);
        Ok(())
    }

    fn define(&mut self, ty: ir::Type, value: Operand, result: Option<ValueId>) {
        self.emit(same_op(&ty, value), result);
    }

    fn arg(&mut self, args: Args<'m, 'a>, index: usize) -> Attempt<Operand> {
        match args.get(index) {
            Some((arg, _)) => self.operand(arg),
            None => malformed("one more argument"),
        }
    }

    fn pointer_arg(&mut self, args: Args<'m, 'a>, index: usize) -> Attempt<Operand> {
        if let Some((arg, _)) = args.get(index)
            && self.value_type(arg.ty)? != ir::Type::Pointer
        {
            return malformed("a pointer");
        }
        self.arg(args, index)
    }

    fn constant_arg(&mut self, args: Args<'m, 'a>, index: usize) -> Attempt<u128> {
        if let Some((arg, _)) = args.get(index)
            && let Value::Constant(constant) = &arg.value
            && let Some(scalar) = self.lowering.fold(self.module, arg.ty, constant)?
            && scalar.symbol.is_none()
        {
            return Ok(scalar.value);
        }
        malformed("a constant argument")
    }

    fn builtin(
        &mut self,
        inst: &Inst<'a>,
        (op, count, domain): (Builtin, usize, Domain),
        args: Args<'m, 'a>,
    ) -> Attempt<()> {
        let result = self.result(inst);
        let mut operands = Vec::with_capacity(count);
        let mut is_vector = false;
        for index in 0..count {
            let Some((arg, _)) = args.get(index) else {
                return malformed(format!("{count} arguments"));
            };
            if arg.ty != args[0].0.ty {
                return malformed("arguments of one type");
            }
            is_vector = matches!(self.value_type(arg.ty)?, ir::Type::Tuple(_));
            match (self.element_type(arg.ty)?, domain) {
                (ir::Type::Int(_), Domain::Int) => {}
                (ir::Type::Float | ir::Type::Double, Domain::Float) => {}
                _ => return malformed("an argument that this operation takes"),
            }
            operands.push(self.operand(arg)?);
        }
        if !is_vector {
            let args = operands;
            self.emit(Op::Builtin { op, args }, result);
            return Ok(());
        }
        if self.element_type(inst.ty)? != self.element_type(args[0].0.ty)? {
            return unsupported("vector arithmetic with overflow checks");
        }
        let outcome = self.elementwise(inst.ty, &operands, |args| Op::Builtin {
            op,
            args: args.to_vec(),
        })?;
        if let Outcome::Op(op) = outcome {
            self.emit(op, result);
        }
        Ok(())
    }

    /// `memcpy(dest, source, length)` and its siblings, as the C library has them.
    fn memory_call(&mut self, symbol: &str, args: Args<'m, 'a>) -> Attempt<()> {
        let to = self.pointer_arg(args, 0)?;
        let what = if symbol == "memset" {
            self.resized_arg(args, 1, 32)?
        } else {
            self.pointer_arg(args, 1)?
        };
        let size_bits = self.lowering.pointer_bits();
        let length = self.resized_arg(args, 2, size_bits)?;
        let args = vec![to, what, length];
        self.call_library(symbol, args, Some(ir::Type::Pointer), None)
    }

    /// An integer argument, zero-extended or cut to `bits`.
    fn resized_arg(&mut self, args: Args<'m, 'a>, index: usize, bits: u32) -> Attempt<Operand> {
        let Some((arg, _)) = args.get(index) else {
            return malformed("one more argument");
        };
        let ir::Type::Int(known) = self.value_type(arg.ty)? else {
            return malformed("an integer");
        };
        if let Value::Constant(constant) = &arg.value
            && let Some(scalar) = self.lowering.fold(self.module, arg.ty, constant)?
            && scalar.symbol.is_none()
        {
            let value = scalar.value & super::constants::mask(bits);
            return Ok(self.int(bits, value));
        }
        let value = self.operand(arg)?;
        let op = match known.cmp(&bits) {
            std::cmp::Ordering::Equal => return Ok(value),
            std::cmp::Ordering::Less => Cast::ZeroExtend,
            std::cmp::Ordering::Greater => Cast::Truncate,
        };
        Ok(self.emit_new(Op::Cast { op, value }, ir::Type::Int(bits)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_suffixes_are_dropped() {
        assert_eq!(base_name("memcpy.p0i8.p0i8.i64"), "memcpy");
        assert_eq!(base_name("memcpy.inline.p0.p0.i64"), "memcpy.inline");
        assert_eq!(base_name("sadd.with.overflow.i32"), "sadd.with.overflow");
        assert_eq!(base_name("log2.f64"), "log2");
        assert_eq!(base_name("va_start.p0"), "va_start");
        assert_eq!(base_name("va_start"), "va_start");
        assert_eq!(base_name("ctpop.v4i32"), "ctpop");
        assert_eq!(base_name("lifetime.start.p0i8"), "lifetime.start");
    }
}
