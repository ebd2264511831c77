//! The flags of the processor. Only those are computed that something depends on.

use super::machine::{Machine, Value};
use crate::assembly::{Condition, Conditional};
use crate::lower::constants::mask;
use ir::{BinaryOp, Builtin, Comparison, Op, Operand, Type};

/// Each is a single bit; `None` where nothing is known of it, or nobody asks.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    pub carry: Option<Operand>,
    pub zero: Option<Operand>,
    pub sign: Option<Operand>,
    pub overflow: Option<Operand>,
    pub parity: Option<Operand>,
}

/// What the flags are the outcome of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    Subtract,
    Logic,
    /// By one; the carry stays as it is.
    Increment,
    Decrement,
    /// `left` is what was negated.
    Negate,
}

impl Machine<'_, '_, '_, '_> {
    /// After `left` and `right` (of `bits`) gave `result`.
    pub(super) fn set_flags(&mut self, kind: Kind, [left, right, result]: [Operand; 3], bits: u32) {
        let wanted = self.wanted;
        let zero = self.body.int(bits, 0);
        if wanted.carry {
            self.flags.carry = match kind {
                Kind::Add => Some(self.compare(Comparison::UnsignedLess, result, left)),
                Kind::Subtract => Some(self.compare(Comparison::UnsignedLess, left, right)),
                Kind::Logic => Some(self.body.int(1, 0)),
                Kind::Increment | Kind::Decrement => self.flags.carry,
                Kind::Negate => Some(self.compare(Comparison::NotEqual, left, zero)),
            };
        }
        if wanted.overflow {
            self.flags.overflow = Some(self.overflow(kind, [left, right, result], bits));
        }
        if wanted.zero {
            self.flags.zero = Some(self.compare(Comparison::Equal, result, zero));
        }
        if wanted.sign {
            self.flags.sign = Some(self.compare(Comparison::SignedLess, result, zero));
        }
        if wanted.parity {
            self.flags.parity = Some(self.parity(result, bits));
        }
    }

    fn overflow(&mut self, kind: Kind, [left, right, result]: [Operand; 3], bits: u32) -> Operand {
        let lowest = self.body.int(bits, 1 << (bits - 1));
        // Two words whose signs both differ from a third's.
        let (first, second, third) = match kind {
            Kind::Logic => return self.body.int(1, 0),
            Kind::Increment => return self.compare(Comparison::Equal, result, lowest),
            Kind::Decrement | Kind::Negate => {
                return self.compare(Comparison::Equal, left, lowest);
            }
            Kind::Add => (left, right, result),
            Kind::Subtract => (right, result, left),
        };
        let first = self.binary(BinaryOp::Xor, first, third, bits);
        let second = self.binary(BinaryOp::Xor, second, third, bits);
        let both = self.binary(BinaryOp::And, first, second, bits);
        let zero = self.body.int(bits, 0);
        self.compare(Comparison::SignedLess, both, zero)
    }

    /// Whether the lowest byte has an even number of ones.
    fn parity(&mut self, result: Operand, bits: u32) -> Operand {
        let ty = Type::Int(bits);
        let byte = self.word(
            Value {
                operand: result,
                ty,
            },
            8,
        );
        let op = Op::Builtin {
            op: Builtin::CountOnes,
            args: vec![byte],
        };
        let count = self.body.emit_new(op, Type::Int(8));
        let one = self.body.int(8, 1);
        let odd = self.binary(BinaryOp::And, count, one, 8);
        let zero = self.body.int(8, 0);
        self.compare(Comparison::Equal, odd, zero)
    }

    /// Only the carry is known after a bit was tested, and the zero flag stays.
    pub(super) fn set_tested_bit(&mut self, bit: Operand) {
        self.flags = Flags {
            carry: Some(bit),
            zero: self.flags.zero,
            ..Flags::default()
        };
    }

    /// Whether a condition on the flags holds.
    pub(super) fn holds(&mut self, conditional: Conditional) -> Result<Operand, String> {
        let flags = self.flags;
        let unknown = || "it depends on a flag that no instruction of it sets".to_owned();
        let get = |flag: Option<Operand>| flag.ok_or_else(unknown);
        let holds = match conditional.condition {
            Condition::Overflow => get(flags.overflow)?,
            Condition::Below => get(flags.carry)?,
            Condition::Equal => get(flags.zero)?,
            Condition::Sign => get(flags.sign)?,
            Condition::Parity => get(flags.parity)?,
            Condition::BelowEqual => {
                self.binary(BinaryOp::Or, get(flags.carry)?, get(flags.zero)?, 1)
            }
            Condition::Less => {
                self.binary(BinaryOp::Xor, get(flags.sign)?, get(flags.overflow)?, 1)
            }
            Condition::LessEqual => {
                let less = self.binary(BinaryOp::Xor, get(flags.sign)?, get(flags.overflow)?, 1);
                self.binary(BinaryOp::Or, less, get(flags.zero)?, 1)
            }
        };
        if !conditional.is_negated {
            return Ok(holds);
        }
        let one = self.body.int(1, mask(1));
        Ok(self.binary(BinaryOp::Xor, holds, one, 1))
    }
}
