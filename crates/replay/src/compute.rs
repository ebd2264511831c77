//! Instructions that compute without memory: arithmetic, casts, addresses.

use crate::machine::{Machine, Stop};
use crate::thread::Thread;
use crate::value::{self, ArithmeticFault, Pointer, Value};
use crate::violation::ViolationKind;
use ir::{Body, Builtin, Cast, Inst, Op, Operand, SourceTypeId, Type};

impl<'a> Machine<'a> {
    pub(crate) fn compute(
        &mut self,
        thread: &Thread,
        body: &Body,
        inst: &Inst,
        op: &Op,
    ) -> Result<Value, Stop> {
        let program = self.image.program;
        Ok(match op {
            Op::Binary {
                op,
                left,
                right,
                no_signed_wrap,
            } => {
                let width = match inst.result {
                    Some(result) => self.width(&body.values[result]),
                    None => 32,
                };
                let (a, b) = (self.operand(thread, *left), self.operand(thread, *right));
                let (bits, fault) = value::binary(*op, a.bits(), b.bits(), width, *no_signed_wrap);
                if let Some(fault) = fault {
                    let is_division =
                        matches!(op, ir::BinaryOp::SignedDiv | ir::BinaryOp::SignedRem);
                    self.arithmetic_fault(thread, fault, is_division)?;
                }
                Value::from_bits(width, bits)
            }
            Op::Compare { op, left, right } => {
                let ty = body.operand_type(program, *left);
                let (a, b) = (self.operand(thread, *left), self.operand(thread, *right));
                Value::bool(value::compare(*op, a.bits(), b.bits(), self.width(&ty)))
            }
            Op::FloatBinary { op, left, right } => {
                let ty = body.operand_type(program, *left);
                let (a, b) = (self.operand(thread, *left), self.operand(thread, *right));
                Value::Bits(value::float_binary(*op, a.low_bits(), b.low_bits(), &ty))
            }
            Op::FloatNegate { value } => {
                let ty = body.operand_type(program, *value);
                Value::Bits(value::float_negate(
                    self.operand(thread, *value).low_bits(),
                    &ty,
                ))
            }
            Op::FloatCompare { op, left, right } => {
                let ty = body.operand_type(program, *left);
                let a = value::to_double(self.operand(thread, *left).low_bits(), &ty);
                let b = value::to_double(self.operand(thread, *right).low_bits(), &ty);
                Value::bool(value::float_compare(*op, a, b))
            }
            Op::Cast { op, value } => {
                let from = body.operand_type(program, *value);
                let to = self.result_type(body, inst);
                let operand = self.operand(thread, *value);
                if *op == Cast::PointerToInt && self.is_variadic_area(&operand) {
                    // Compilers compute with this address to align it, but we lay
                    // all arguments out as words.
                    let what = "a variadic argument that is aligned to more than a word";
                    return Err(self.unsupported(thread, what));
                }
                self.cast(*op, operand, &from, &to)
            }
            Op::Offset {
                base,
                bytes,
                terms,
                record,
            } => self.offset(thread, body, *base, *bytes, terms, *record),
            Op::Select {
                condition,
                then,
                otherwise,
            } => {
                let is_true = self.operand(thread, *condition).low_bits() != 0;
                self.operand(thread, if is_true { *then } else { *otherwise })
            }
            Op::Extract { tuple, path } => {
                let mut value = self.operand(thread, *tuple);
                for index in path {
                    if let Value::Tuple(fields) = &value {
                        value = fields[*index as usize].clone();
                    }
                }
                value
            }
            Op::Insert { tuple, field, path } => {
                let (tuple, field) = (self.operand(thread, *tuple), self.operand(thread, *field));
                insert(tuple, path, field)
            }
            Op::Builtin { op, args } => self.builtin(thread, body, inst, *op, args),
            // All others have been dealt with in `execute`.
            _ => Value::ZERO,
        })
    }

    fn arithmetic_fault(
        &mut self,
        thread: &Thread,
        fault: ArithmeticFault,
        is_division: bool,
    ) -> Result<(), Stop> {
        match fault {
            // The processor traps, so there is no way to go on.
            ArithmeticFault::Overflow if is_division => Err(self.violated(
                thread,
                ViolationKind::Overflow,
                "signed overflow: the smallest number divided by -1",
            )),
            ArithmeticFault::Overflow => {
                self.notice(
                    thread,
                    ViolationKind::Overflow,
                    "signed overflow".to_owned(),
                );
                Ok(())
            }
            ArithmeticFault::DivisionByZero => {
                Err(self.violated(thread, ViolationKind::DivisionByZero, "division by zero"))
            }
            ArithmeticFault::BadShift => Err(self.violated(
                thread,
                ViolationKind::BadShift,
                "shift by the width of the type or more",
            )),
        }
    }

    fn cast(&mut self, op: Cast, operand: Value, from: &Type, to: &Type) -> Value {
        let (from_width, to_width) = (self.width(from), self.width(to));
        match op {
            Cast::Truncate | Cast::ZeroExtend => Value::from_bits(to_width, operand.bits()),
            Cast::SignExtend => {
                let extended = value::sign_extend(operand.bits(), from_width);
                Value::from_bits(to_width, extended as u128)
            }
            Cast::FloatToSigned | Cast::FloatToUnsigned => {
                let float = value::to_double(operand.low_bits(), from);
                let is_signed = op == Cast::FloatToSigned;
                Value::from_bits(to_width, value::float_to_int(float, to_width, is_signed))
            }
            Cast::SignedToFloat | Cast::UnsignedToFloat => {
                let is_signed = op == Cast::SignedToFloat;
                Value::Bits(value::int_to_float(
                    operand.bits(),
                    from_width,
                    is_signed,
                    to,
                ))
            }
            Cast::FloatResize => {
                let float = value::to_double(operand.low_bits(), from);
                Value::Bits(value::from_double(float, to))
            }
            Cast::PointerToInt => {
                self.publish_value(&operand);
                // A number as wide as a pointer still knows what it points to.
                if to_width == from_width {
                    operand
                } else {
                    Value::from_bits(to_width, operand.bits())
                }
            }
            Cast::IntToPointer => Value::Pointer(self.as_pointer(&operand)),
            Cast::Reinterpret => match (from, to) {
                (Type::Pointer, Type::Pointer) => operand,
                (_, Type::Pointer) => Value::Pointer(self.as_pointer(&operand)),
                (Type::Pointer, _) => {
                    self.publish_value(&operand);
                    Value::from_bits(to_width, operand.bits())
                }
                _ => Value::from_bits(to_width, operand.bits()),
            },
        }
    }

    fn offset(
        &mut self,
        thread: &Thread,
        body: &Body,
        base: Operand,
        bytes: i64,
        terms: &[(Operand, i64)],
        record: Option<SourceTypeId>,
    ) -> Value {
        let base = self.pointer_operand(thread, base);
        if let (Some(record), Some(object)) = (record, base.object) {
            self.learn_record(object, record);
        }
        let mut address = base.address.wrapping_add(bytes as u64);
        for (index, scale) in terms {
            let ty = body.operand_type(self.image.program, *index);
            let index = self.operand(thread, *index).bits();
            let index = value::sign_extend(index, self.width(&ty)) as i64;
            address = address.wrapping_add(index.wrapping_mul(*scale) as u64);
        }
        Value::Pointer(Pointer {
            address: self.memory.wrap(address),
            object: base.object,
        })
    }

    fn builtin(
        &mut self,
        thread: &Thread,
        body: &Body,
        inst: &Inst,
        op: Builtin,
        args: &[Operand],
    ) -> Value {
        let ty = match args.first() {
            Some(first) => body.operand_type(self.image.program, *first),
            None => Type::Int(32),
        };
        let width = self.width(&ty);
        let values: Vec<u128> = args
            .iter()
            .map(|arg| self.operand(thread, *arg).bits())
            .collect();
        let (bits, overflow) = value::builtin(op, &values, &ty, width);
        match overflow {
            Some(overflow) => {
                Value::Tuple([Value::from_bits(width, bits), Value::bool(overflow)].into())
            }
            None => Value::from_bits(self.width(&self.result_type(body, inst)), bits),
        }
    }
}

fn insert(tuple: Value, path: &[u32], field: Value) -> Value {
    match (tuple, path) {
        (_, []) => field,
        (Value::Tuple(fields), [first, rest @ ..]) => {
            let mut fields = fields.to_vec();
            let index = *first as usize;
            fields[index] = insert(fields[index].clone(), rest, field);
            Value::Tuple(fields.into())
        }
        (other, _) => other,
    }
}
