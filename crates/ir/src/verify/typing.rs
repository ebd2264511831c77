//! Types of operands and results, operation by operation. Sizes and orders that
//! an operation restricts are checked here too.

use super::{Errors, ensure, fits};
use crate::body::{
    BinaryOp, Body, Builtin, Callee, Cast, Inst, Op, Operand, Ordering, RmwOp, Terminator,
};
use crate::program::{Function, Program};
use crate::types::Type;
use std::collections::HashSet;

type Outcome = Result<(), String>;

pub(super) fn check(program: &Program, function: &Function, body: &Body, errors: &mut Errors) {
    let typing = Typing {
        program,
        function,
        body,
    };
    for (id, block) in body.blocks.iter() {
        for phi in &block.phis {
            let wanted = &body.values[phi.result];
            for (from, operand) in &phi.incoming {
                let found = typing.of(operand);
                errors.require(found == *wanted, || {
                    format!(
                        "phi {}: {wanted} expected from {from}, not {found}",
                        phi.result
                    )
                });
            }
        }
        for &inst_id in &block.insts {
            let inst = &body.insts[inst_id];
            if let Err(what) = typing.check_inst(inst) {
                let text = program.display_inst(body, inst);
                errors.require(false, || format!("{inst_id} ({text}): {what}"));
            }
        }
        if let Err(what) = typing.check_terminator(&block.terminator) {
            errors.require(false, || format!("end of {id}: {what}"));
        }
    }
}

struct Typing<'a> {
    program: &'a Program,
    function: &'a Function,
    body: &'a Body,
}

/// A long double of x86.
const EXTENDED: Type = Type::Int(80);

impl Typing<'_> {
    fn of(&self, operand: &Operand) -> Type {
        self.body.operand_type(self.program, *operand)
    }

    fn expect(&self, what: &str, operand: &Operand, wanted: &Type) -> Outcome {
        expect(what, &self.of(operand), wanted)
    }

    fn expect_pointer(&self, what: &str, operand: &Operand) -> Outcome {
        self.expect(what, operand, &Type::Pointer)
    }

    fn expect_int(&self, what: &str, operand: &Operand) -> Outcome {
        let found = self.of(operand);
        ensure(found.is_int(), || {
            format!("{what} is {found}, not an integer")
        })
    }

    fn check_inst(&self, inst: &Inst) -> Outcome {
        let result = inst.result.map(|value| &self.body.values[value]);
        match &inst.op {
            Op::Store { .. }
            | Op::Fence { .. }
            | Op::VaStart { .. }
            | Op::VaCopy { .. }
            | Op::RestoreStack { .. } => {
                ensure(result.is_none(), || "it cannot have a result".to_string())?;
                self.check_effect(&inst.op)
            }
            Op::Call {
                callee,
                args,
                by_value,
            } => self.check_call(callee, args, by_value),
            Op::Unsupported { .. } => Ok(()),
            op => match result {
                Some(result) => self.check_value(op, result),
                None => Err("it has no result".to_string()),
            },
        }
    }

    /// Operations without a result.
    fn check_effect(&self, op: &Op) -> Outcome {
        match op {
            Op::Store {
                address, ordering, ..
            } => {
                self.expect_pointer("the address", address)?;
                let is_allowed =
                    !matches!(ordering, Some(Ordering::Acquire | Ordering::AcquireRelease));
                ensure(is_allowed, || "a store cannot acquire".to_string())
            }
            Op::Fence { ordering } => {
                let is_allowed = !matches!(ordering, Ordering::Unordered | Ordering::Relaxed);
                ensure(is_allowed, || "the fence orders nothing".to_string())
            }
            Op::VaStart { list } => {
                ensure(self.function.is_variadic, || {
                    "the function is not variadic".to_string()
                })?;
                self.expect_pointer("the list", list)
            }
            Op::VaCopy { to, from } => {
                self.expect_pointer("the copy", to)?;
                self.expect_pointer("the list", from)
            }
            Op::RestoreStack { saved } => self.expect_pointer("the saved stack", saved),
            _ => unreachable!("only operations without a result should be here"),
        }
    }

    /// Operations with a result.
    fn check_value(&self, op: &Op, result: &Type) -> Outcome {
        match op {
            Op::Any => Ok(()),
            Op::Local { align, count, .. } => {
                ensure(align.is_power_of_two(), || {
                    format!("an alignment of {align} bytes")
                })?;
                if let Some(count) = count {
                    self.expect_int("the count", count)?;
                }
                expect_result(result, &Type::Pointer)
            }
            Op::Load {
                address, ordering, ..
            } => {
                self.expect_pointer("the address", address)?;
                ensure(is_load_order(ordering.unwrap_or(Ordering::Relaxed)), || {
                    "a load cannot release".to_string()
                })
            }
            Op::Rmw {
                op, address, value, ..
            } => self.check_rmw(*op, address, value, result),
            Op::CompareExchange { .. } => self.check_compare_exchange(op, result),
            Op::Binary {
                op,
                left,
                right,
                no_signed_wrap,
            } => {
                self.expect_int("the left operand", left)?;
                self.expect("the right operand", right, &self.of(left))?;
                let may_wrap = matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::ShiftLeft
                );
                ensure(may_wrap || !no_signed_wrap, || {
                    "it never wraps around, so nothing forbids that".to_string()
                })?;
                expect_result(result, &self.of(left))
            }
            Op::FloatBinary { left, right, .. } => {
                self.check_floats(&[*left, *right])?;
                expect_result(result, &self.of(left))
            }
            Op::FloatNegate { value } => {
                self.check_floats(&[*value])?;
                expect_result(result, &self.of(value))
            }
            Op::Compare { left, right, .. } => {
                let found = self.of(left);
                ensure(found.is_int() || found == Type::Pointer, || {
                    format!("values of type {found} have no order")
                })?;
                self.expect("the right operand", right, &found)?;
                expect_result(result, &Type::BOOL)
            }
            Op::FloatCompare { left, right, .. } => {
                self.check_floats(&[*left, *right])?;
                expect_result(result, &Type::BOOL)
            }
            Op::Cast { op, value } => self.check_cast(*op, &self.of(value), result),
            Op::Offset { base, terms, .. } => {
                self.expect_pointer("the base", base)?;
                for (index, _) in terms {
                    self.expect_int("an index", index)?;
                }
                expect_result(result, &Type::Pointer)
            }
            Op::Select {
                condition,
                then,
                otherwise,
            } => {
                self.expect("the condition", condition, &Type::BOOL)?;
                self.expect("the first choice", then, result)?;
                self.expect("the second choice", otherwise, result)
            }
            Op::Extract { tuple, path } => expect_result(result, &field(&self.of(tuple), path)?),
            Op::Insert {
                tuple,
                field: value,
                path,
            } => {
                self.expect("the field", value, &field(&self.of(tuple), path)?)?;
                expect_result(result, &self.of(tuple))
            }
            Op::Builtin { op, args } => self.check_builtin(*op, args, result),
            Op::SaveStack => expect_result(result, &Type::Pointer),
            _ => unreachable!("only operations with a result should be here"),
        }
    }

    fn check_rmw(&self, op: RmwOp, address: &Operand, value: &Operand, result: &Type) -> Outcome {
        self.expect_pointer("the address", address)?;
        let found = self.of(value);
        let is_allowed = match op {
            RmwOp::Exchange => !matches!(found, Type::Tuple(_)),
            RmwOp::FloatAdd | RmwOp::FloatSub => found.is_float(),
            _ => found.is_int(),
        };
        ensure(is_allowed, || format!("the value is {found}"))?;
        expect_result(result, &found)
    }

    fn check_compare_exchange(&self, op: &Op, result: &Type) -> Outcome {
        let Op::CompareExchange {
            address,
            expected,
            replacement,
            failure,
            ..
        } = op
        else {
            unreachable!("only compare-exchanges should be here");
        };
        self.expect_pointer("the address", address)?;
        let found = self.of(expected);
        ensure(found.is_int() || found == Type::Pointer, || {
            format!("the expected value is {found}")
        })?;
        self.expect("the replacement", replacement, &found)?;
        ensure(is_load_order(*failure), || {
            "a failure cannot release".to_string()
        })?;
        expect_pair(result, &found)
    }

    fn check_cast(&self, op: Cast, from: &Type, to: &Type) -> Outcome {
        let is_allowed = match (op, from, to) {
            (Cast::Truncate, Type::Int(from), Type::Int(to)) => from > to,
            (Cast::ZeroExtend | Cast::SignExtend, Type::Int(from), Type::Int(to)) => from < to,
            (Cast::FloatToSigned | Cast::FloatToUnsigned, _, _) => from.is_float() && to.is_int(),
            (Cast::SignedToFloat | Cast::UnsignedToFloat, _, _) => from.is_int() && to.is_float(),
            (Cast::FloatResize, _, _) => from.is_float() && to.is_float() && from != to,
            (Cast::PointerToInt, Type::Pointer, Type::Int(_)) => true,
            (Cast::IntToPointer, Type::Int(_), Type::Pointer) => true,
            (Cast::Reinterpret, _, _) => self.bits(from) == self.bits(to),
            _ => false,
        };
        ensure(is_allowed, || format!("not possible from {from} to {to}"))
    }

    fn bits(&self, ty: &Type) -> u64 {
        match ty {
            Type::Int(bits) => u64::from(*bits),
            _ => ty
                .bytes(self.program.target.pointer_bytes)
                .saturating_mul(8),
        }
    }

    /// Calls need not agree with the function they call.
    fn check_call(&self, callee: &Callee, args: &[Operand], by_value: &[Option<u64>]) -> Outcome {
        if let Callee::Indirect(target) = callee {
            self.expect_pointer("the callee", target)?;
        }
        ensure(args.len() == by_value.len(), || {
            let (args, marks) = (args.len(), by_value.len());
            format!("{args} arguments, but {marks} marks of passing by value")
        })?;
        for (arg, by_value) in args.iter().zip(by_value) {
            if by_value.is_some() {
                self.expect_pointer("an argument passed by value", arg)?;
            }
        }
        Ok(())
    }

    fn check_builtin(&self, op: Builtin, args: &[Operand], result: &Type) -> Outcome {
        use Builtin::*;
        let n_args = match op {
            CountOnes | CountLeadingZeros | CountTrailingZeros | ByteSwap | BitReverse | Abs
            | FloatAbs | FloatSqrt | FloatFloor | FloatCeil | FloatTruncate | FloatRound
            | FloatRint | ExtendedFromFloat | ExtendedToSingle | ExtendedToDouble
            | ExtendedFromSigned | ExtendedFromUnsigned | ExtendedToSigned | ExtendedToUnsigned => {
                1
            }
            SignedMax | SignedMin | UnsignedMax | UnsignedMin | SignedAddOverflow
            | SignedSubOverflow | SignedMulOverflow | UnsignedAddOverflow | UnsignedSubOverflow
            | UnsignedMulOverflow | SignedAddSaturate | SignedSubSaturate | UnsignedAddSaturate
            | UnsignedSubSaturate | FloatCopySign | FloatMin | FloatMax | IsFloatClass
            | ExtendedAdd | ExtendedSub | ExtendedMul | ExtendedDiv | ExtendedOrder => 2,
            FunnelShiftLeft | FunnelShiftRight | FloatFma | FloatMulAdd => 3,
        };
        ensure(args.len() == n_args, || {
            format!("{} arguments instead of {n_args}", args.len())
        })?;
        match op {
            FloatAbs | FloatSqrt | FloatFloor | FloatCeil | FloatTruncate | FloatRound
            | FloatRint | FloatCopySign | FloatMin | FloatMax | FloatFma | FloatMulAdd => {
                self.check_floats(args)?;
                expect_result(result, &self.of(&args[0]))
            }
            IsFloatClass => {
                self.check_floats(&args[..1])?;
                self.expect_int("the mask", &args[1])?;
                expect_result(result, &Type::BOOL)
            }
            SignedAddOverflow | SignedSubOverflow | SignedMulOverflow | UnsignedAddOverflow
            | UnsignedSubOverflow | UnsignedMulOverflow => {
                self.check_ints(args)?;
                expect_pair(result, &self.of(&args[0]))
            }
            ExtendedFromFloat => {
                self.check_floats(args)?;
                expect_result(result, &EXTENDED)
            }
            ExtendedFromSigned | ExtendedFromUnsigned => {
                self.check_ints(args)?;
                expect_result(result, &EXTENDED)
            }
            ExtendedAdd | ExtendedSub | ExtendedMul | ExtendedDiv | ExtendedOrder
            | ExtendedToSingle | ExtendedToDouble | ExtendedToSigned | ExtendedToUnsigned => {
                self.check_equal(args)?;
                self.expect("the first operand", &args[0], &EXTENDED)?;
                match op {
                    ExtendedOrder => expect_result(result, &Type::Int(8)),
                    ExtendedToSingle => expect_result(result, &Type::Float),
                    ExtendedToDouble => expect_result(result, &Type::Double),
                    ExtendedToSigned | ExtendedToUnsigned => {
                        ensure(result.is_int(), || format!("the result is {result}"))
                    }
                    _ => expect_result(result, &EXTENDED),
                }
            }
            ByteSwap => {
                self.check_ints(args)?;
                let bits = self.bits(&self.of(&args[0]));
                ensure(bits.is_multiple_of(8), || {
                    format!("{bits} bits are no whole bytes")
                })?;
                expect_result(result, &self.of(&args[0]))
            }
            _ => {
                self.check_ints(args)?;
                expect_result(result, &self.of(&args[0]))
            }
        }
    }

    /// Integers of one type.
    fn check_ints(&self, operands: &[Operand]) -> Outcome {
        self.expect_int("the first operand", &operands[0])?;
        self.check_equal(operands)
    }

    /// Floats of one type.
    fn check_floats(&self, operands: &[Operand]) -> Outcome {
        let found = self.of(&operands[0]);
        ensure(found.is_float(), || {
            format!("the first operand is {found}, not a float")
        })?;
        self.check_equal(operands)
    }

    fn check_equal(&self, operands: &[Operand]) -> Outcome {
        let wanted = self.of(&operands[0]);
        operands
            .iter()
            .try_for_each(|operand| self.expect("an operand", operand, &wanted))
    }

    fn check_terminator(&self, terminator: &Terminator) -> Outcome {
        match terminator {
            Terminator::Jump(_) | Terminator::Unreachable => Ok(()),
            Terminator::Branch { condition, .. } => {
                self.expect("the condition", condition, &Type::BOOL)
            }
            Terminator::Switch { value, cases, .. } => {
                let Type::Int(bits) = self.of(value) else {
                    return self.expect_int("the value", value);
                };
                let mut seen = HashSet::new();
                for (case, _) in cases {
                    ensure(fits(*case, bits), || {
                        format!("case {case} has more than {bits} bits")
                    })?;
                    ensure(seen.insert(*case), || format!("case {case} is there twice"))?;
                }
                Ok(())
            }
            Terminator::IndirectJump { address, .. } => self.expect_pointer("the address", address),
            Terminator::Return(value) => match (value, &self.function.result) {
                (Some(value), Some(wanted)) => self.expect("the returned value", value, wanted),
                (None, None) => Ok(()),
                (Some(_), None) => Err("a value is returned from a void function".to_string()),
                (None, Some(wanted)) => Err(format!("no {wanted} is returned")),
            },
        }
    }
}

fn expect(what: &str, found: &Type, wanted: &Type) -> Outcome {
    ensure(found == wanted, || {
        format!("{what} is {found} instead of {wanted}")
    })
}

fn expect_result(found: &Type, wanted: &Type) -> Outcome {
    expect("the result", found, wanted)
}

/// The result is a tuple of a value and a single bit.
fn expect_pair(found: &Type, value: &Type) -> Outcome {
    let is_pair = match found {
        Type::Tuple(tuple) => {
            let fields = tuple.fields.iter().map(|(_, ty)| ty);
            fields.eq([value, &Type::BOOL])
        }
        _ => false,
    };
    ensure(is_pair, || {
        format!("the result is {found} instead of a pair of {value} and i1")
    })
}

fn is_load_order(ordering: Ordering) -> bool {
    !matches!(ordering, Ordering::Release | Ordering::AcquireRelease)
}

/// The type at the end of a path of fields.
fn field(tuple: &Type, path: &[u32]) -> Result<Type, String> {
    ensure(!path.is_empty(), || "the path is empty".to_string())?;
    let mut ty = tuple;
    for &place in path {
        let fields = match ty {
            Type::Tuple(tuple) => tuple.fields.as_slice(),
            _ => &[],
        };
        let Some((_, field)) = fields.get(place as usize) else {
            return Err(format!("{ty} has no field {place}"));
        };
        ty = field;
    }
    Ok(ty.clone())
}
