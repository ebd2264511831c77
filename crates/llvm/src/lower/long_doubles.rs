//! Long doubles of x86 (`x86_fp80`). In the program model they are words of 80 bits
//! with operations of their own. Only the program's own functions take and return
//! them: no library function has a model for them.

use super::body::BodyLowering;
use super::expressions::Outcome;
use super::{Attempt, unsupported};
use crate::ast::{Call, Type, TypeId, Typed};
use ir::{BinaryOp, Builtin, Cast, FloatComparison, FloatOp, Op, Operand};

pub(super) const NAME: &str = "x86_fp80";

const BITS: u32 = 80;

impl<'a> BodyLowering<'_, '_, 'a> {
    pub(super) fn is_long_double(&self, ty: TypeId) -> bool {
        let types = &self.lowering.modules[self.module].types;
        *types.get(types.resolve(ty)) == Type::ExoticFloat(NAME)
    }

    pub(super) fn long_double_binary(
        &mut self,
        op: FloatOp,
        left: &Typed<'a>,
        right: &Typed<'a>,
    ) -> Attempt<Outcome> {
        let op = match op {
            FloatOp::Add => Builtin::ExtendedAdd,
            FloatOp::Sub => Builtin::ExtendedSub,
            FloatOp::Mul => Builtin::ExtendedMul,
            FloatOp::Div => Builtin::ExtendedDiv,
            FloatOp::Rem => return unsupported("the remainder of long doubles"),
        };
        let args = vec![self.operand(left)?, self.operand(right)?];
        Ok(Outcome::Op(Op::Builtin { op, args }))
    }

    pub(super) fn long_double_negate(&mut self, value: &Typed<'a>) -> Attempt<Outcome> {
        let sign = self.int(BITS, 1 << (BITS - 1));
        let value = self.operand(value)?;
        Ok(Outcome::Op(bits_of(BinaryOp::Xor, value, sign)))
    }

    pub(super) fn long_double_magnitude(&mut self, value: Operand) -> Op {
        let others = self.int(BITS, (1 << (BITS - 1)) - 1);
        bits_of(BinaryOp::And, value, others)
    }

    pub(super) fn long_double_compare(
        &mut self,
        op: FloatComparison,
        left: &Typed<'a>,
        right: &Typed<'a>,
    ) -> Attempt<Outcome> {
        let args = vec![self.operand(left)?, self.operand(right)?];
        let order = Op::Builtin {
            op: Builtin::ExtendedOrder,
            args,
        };
        let order = self.emit_new(order, ir::Type::Int(8));
        let wanted = [op.less, op.equal, op.greater, op.unordered];
        let mask = (0..4)
            .filter(|index| wanted[*index])
            .map(|index| 1 << index);
        let mask = self.int(8, mask.sum());
        let met = self.emit_new(bits_of(BinaryOp::And, order, mask), ir::Type::Int(8));
        Ok(Outcome::Op(Op::Compare {
            op: ir::Comparison::NotEqual,
            left: met,
            right: self.int(8, 0),
        }))
    }

    /// A conversion from or to long doubles.
    pub(super) fn long_double_cast(
        &mut self,
        op: Cast,
        value: &Typed<'a>,
        to: TypeId,
    ) -> Attempt<Outcome> {
        let to_type = self.value_type(to)?;
        let op = match (op, self.is_long_double(value.ty)) {
            (Cast::FloatResize, false) => Builtin::ExtendedFromFloat,
            (Cast::FloatResize, true) if to_type == ir::Type::Double => Builtin::ExtendedToDouble,
            (Cast::FloatResize, true) if to_type == ir::Type::Float => Builtin::ExtendedToSingle,
            (Cast::SignedToFloat, false) => Builtin::ExtendedFromSigned,
            (Cast::UnsignedToFloat, false) => Builtin::ExtendedFromUnsigned,
            (Cast::FloatToSigned, true) => Builtin::ExtendedToSigned,
            (Cast::FloatToUnsigned, true) => Builtin::ExtendedToUnsigned,
            _ => return unsupported("this conversion of a long double"),
        };
        let from_type = self.value_type(value.ty)?;
        let fits = match op {
            Builtin::ExtendedFromFloat => from_type.is_float(),
            Builtin::ExtendedToSigned | Builtin::ExtendedToUnsigned => to_type.is_int(),
            _ => from_type.is_int(),
        };
        if !fits {
            return unsupported("this conversion of a long double");
        }
        let args = vec![self.operand(value)?];
        Ok(Outcome::Op(Op::Builtin { op, args }))
    }

    /// Whether a call passes long doubles to, or gets one from, somebody who may not
    /// be the program itself.
    pub(super) fn passes_long_doubles(
        &self,
        call: &Call<'a>,
        result: TypeId,
        callee: &ir::Callee,
    ) -> bool {
        let is_passed = |(arg, _): &(Typed<'a>, _)| self.is_long_double(arg.ty);
        if !self.is_long_double(result) && !call.args.iter().any(is_passed) {
            return false;
        }
        let ir::Callee::Direct(id) = callee else {
            return true;
        };
        let n_params = self.lowering.program.functions[*id].params.len();
        let is_declared = self.lowering.declared.values().any(|known| known == id);
        is_declared || call.args.iter().skip(n_params).any(is_passed)
    }
}

fn bits_of(op: BinaryOp, left: Operand, right: Operand) -> Op {
    Op::Binary {
        op,
        left,
        right,
        no_signed_wrap: false,
    }
}
