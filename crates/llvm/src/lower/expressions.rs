//! Operations on values, shared by instructions and constant expressions; and
//! constants as operands.

use super::body::BodyLowering;
use super::constants::{Scalar, sign_extend};
use super::{Attempt, malformed, unsupported};
use crate::ast::{
    BinaryKind, CastOp, Constant, Expression, Type, TypeId, Typed, TypedConstant, Value,
};
use ir::{Cast, Op, Operand, Symbol};

/// An operation to emit, or an operand that is its result already.
pub(super) enum Outcome {
    Op(Op),
    Same(Operand),
}

fn as_value<'a>(constant: &TypedConstant<'a>) -> Typed<'a> {
    Typed {
        ty: constant.ty,
        value: Value::Constant(constant.value.clone()),
    }
}

impl<'a> BodyLowering<'_, '_, 'a> {
    // Constants.

    pub(super) fn constant_operand(
        &mut self,
        ty: TypeId,
        constant: &Constant<'a>,
    ) -> Attempt<Operand> {
        let lowered = self.value_type(ty)?;
        if let ir::Type::Tuple(_) = lowered {
            return self.tuple_operand(ty, lowered, constant);
        }
        if let Constant::Undefined = constant {
            return Ok(self.emit_new(Op::Any, lowered));
        }
        let folded = self.lowering.fold(self.module, ty, constant)?;
        if let Some(scalar) = folded {
            return self.scalar_operand(lowered, scalar);
        }
        let Constant::Expression(expression) = constant else {
            return malformed("a constant of this type");
        };
        let outcome = match &**expression {
            Expression::Cast { op, value, to } => self.cast(*op, &as_value(value), *to)?,
            Expression::ElementPointer {
                source,
                base,
                indices,
            } => {
                let indices: Vec<_> = indices.iter().map(as_value).collect();
                self.element_pointer(*source, &as_value(base), &indices)?
            }
            Expression::Binary { op, left, right } => {
                let op = BinaryKind::Int(*op);
                self.binary(ty, op, &as_value(left), &as_value(right), false)?
            }
            Expression::Compare { op, left, right } => {
                self.compare(ty, *op, &as_value(left), &as_value(right))?
            }
            Expression::Select {
                condition,
                then,
                otherwise,
            } => self.select(&as_value(condition), &as_value(then), &as_value(otherwise))?,
        };
        Ok(match outcome {
            Outcome::Op(op) => self.emit_new(op, lowered),
            Outcome::Same(operand) => operand,
        })
    }

    pub(super) fn scalar_operand(&mut self, ty: ir::Type, scalar: Scalar) -> Attempt<Operand> {
        let pointer_bits = self.lowering.pointer_bits();
        let Some(symbol) = scalar.symbol else {
            return Ok(match ty {
                ir::Type::Int(bits) => self.int(bits, scalar.value),
                ir::Type::Float => self.constant(ir::Constant::Float(scalar.value as u32)),
                ir::Type::Double => self.constant(ir::Constant::Double(scalar.value as u64)),
                ir::Type::Pointer if scalar.value == 0 => self.constant(ir::Constant::Null),
                ir::Type::Pointer => {
                    let value = self.int(pointer_bits, scalar.value);
                    let op = Cast::IntToPointer;
                    self.emit_new(Op::Cast { op, value }, ir::Type::Pointer)
                }
                ir::Type::Tuple(_) => return malformed("a scalar"),
            });
        };
        let offset = sign_extend(scalar.value, pointer_bits) as i64;
        let address = match self.lowering.pointee(symbol) {
            Symbol::Global(global) => self.constant(ir::Constant::Global { global, offset }),
            symbol @ (Symbol::Function(_) | Symbol::Label(..)) => {
                let base = match symbol {
                    Symbol::Label(function, block) => ir::Constant::Label(function, block),
                    Symbol::Function(function) => ir::Constant::Function(function),
                    Symbol::Global(_) => ir::Constant::Null,
                };
                let base = self.constant(base);
                if offset == 0 {
                    base
                } else {
                    let op = Op::Offset {
                        base,
                        bytes: offset,
                        terms: Vec::new(),
                        record: None,
                    };
                    self.emit_new(op, ir::Type::Pointer)
                }
            }
        };
        match ty {
            ir::Type::Pointer => Ok(address),
            ir::Type::Int(bits) if bits == pointer_bits => {
                let op = Op::Cast {
                    op: Cast::PointerToInt,
                    value: address,
                };
                Ok(self.emit_new(op, ty))
            }
            _ => malformed("an address as a pointer"),
        }
    }

    /// An aggregate constant. Fields that need computing are inserted one by one.
    fn tuple_operand(
        &mut self,
        ty: TypeId,
        lowered: ir::Type,
        constant: &Constant<'a>,
    ) -> Attempt<Operand> {
        let types = &self.lowering.modules[self.module].types;
        let ir::Type::Tuple(tuple) = &lowered else {
            return malformed("an aggregate");
        };
        let count = tuple.fields.len();
        let elements: Vec<TypedConstant<'a>> = match constant {
            Constant::Undefined => {
                return Ok(self.constant(ir::Constant::Undefined(lowered)));
            }
            Constant::Zero | Constant::Null => {
                let mut elements = Vec::with_capacity(count);
                for index in 0..count {
                    let Some(ty) = types.field(ty, index as u64) else {
                        return malformed("a field that the aggregate has");
                    };
                    let value = Constant::Zero;
                    elements.push(TypedConstant { ty, value });
                }
                elements
            }
            Constant::Aggregate(elements) => elements.clone(),
            Constant::Splat(element) => vec![(**element).clone(); count],
            Constant::Bytes(raw) => {
                let Some(ty) = types.field(ty, 0) else {
                    return malformed("an array for a string");
                };
                let bytes = crate::lex::unescape_bytes(raw);
                let bytes = bytes.into_iter().map(|byte| TypedConstant {
                    ty,
                    value: Constant::Int(u128::from(byte)),
                });
                bytes.collect()
            }
            Constant::Unsupported(what) => return unsupported(*what),
            _ => return unsupported("an expression with a constant struct"),
        };
        if elements.len() != count {
            return malformed(format!("{count} fields"));
        }
        let mut fields = Vec::with_capacity(count);
        for (index, element) in elements.iter().enumerate() {
            if types.field(ty, index as u64) != Some(element.ty) {
                return malformed("a field of the declared type");
            }
            let is_undefined = matches!(element.value, Constant::Undefined);
            fields.push(if is_undefined {
                None
            } else {
                Some(self.constant_operand(element.ty, &element.value)?)
            });
        }
        let constants: Option<Vec<_>> = fields
            .iter()
            .map(|field| match field {
                Some(Operand::Const(id)) => Some(*id),
                _ => None,
            })
            .collect();
        if let Some(fields) = constants {
            return Ok(self.constant(ir::Constant::Tuple {
                ty: lowered,
                fields,
            }));
        }
        let mut result = self.constant(ir::Constant::Undefined(lowered.clone()));
        for (index, field) in fields.into_iter().enumerate() {
            if let Some(field) = field {
                let op = Op::Insert {
                    tuple: result,
                    field,
                    path: vec![index as u32],
                };
                result = self.emit_new(op, lowered.clone());
            }
        }
        Ok(result)
    }

    // Operations.

    pub(super) fn cast(&mut self, op: CastOp, value: &Typed<'a>, to: TypeId) -> Attempt<Outcome> {
        let from_type = self.value_type(value.ty)?;
        let to_type = self.value_type(to)?;
        let is_tuple = |ty: &ir::Type| matches!(ty, ir::Type::Tuple(_));
        let operand = self.operand(value)?;
        let pointer_bytes = self.lowering.program.target.pointer_bytes;
        let op = match op {
            CastOp::Bits if from_type == to_type => return Ok(Outcome::Same(operand)),
            CastOp::Bits => {
                if is_tuple(&from_type) || is_tuple(&to_type) {
                    return self.reinterpret_vector(operand, &from_type, &to_type);
                }
                if from_type.bytes(pointer_bytes) != to_type.bytes(pointer_bytes) {
                    return malformed("types of the same size");
                }
                match (&from_type, &to_type) {
                    (ir::Type::Pointer, ir::Type::Int(_)) => Cast::PointerToInt,
                    (ir::Type::Int(_), ir::Type::Pointer) => Cast::IntToPointer,
                    _ => Cast::Reinterpret,
                }
            }
            CastOp::AddressSpace if from_type == to_type => return Ok(Outcome::Same(operand)),
            CastOp::AddressSpace => return malformed("two pointers"),
            CastOp::Plain(op) if self.is_long_double(value.ty) || self.is_long_double(to) => {
                return self.long_double_cast(op, value, to);
            }
            CastOp::Plain(op) => op,
        };
        let from_type = self.element_type(value.ty)?;
        let to_type = self.element_type(to)?;
        let bits = |ty: &ir::Type| match ty {
            ir::Type::Int(bits) => *bits,
            _ => 0,
        };
        let fits = match op {
            Cast::Truncate => bits(&from_type) > bits(&to_type) && to_type.is_int(),
            Cast::ZeroExtend | Cast::SignExtend => {
                bits(&to_type) > bits(&from_type) && from_type.is_int()
            }
            Cast::FloatToSigned | Cast::FloatToUnsigned => from_type.is_float() && to_type.is_int(),
            Cast::SignedToFloat | Cast::UnsignedToFloat => from_type.is_int() && to_type.is_float(),
            Cast::FloatResize => from_type.is_float() && to_type.is_float() && from_type != to_type,
            Cast::PointerToInt => from_type == ir::Type::Pointer && to_type.is_int(),
            Cast::IntToPointer => from_type.is_int() && to_type == ir::Type::Pointer,
            Cast::Reinterpret => true,
        };
        if !fits {
            return malformed("types that this cast can convert");
        }
        self.elementwise(to, &[operand], |args| Op::Cast { op, value: args[0] })
    }

    pub(super) fn binary(
        &mut self,
        result: TypeId,
        op: BinaryKind,
        left: &Typed<'a>,
        right: &Typed<'a>,
        no_signed_wrap: bool,
    ) -> Attempt<Outcome> {
        if let BinaryKind::Float(op) = op
            && self.is_long_double(left.ty)
        {
            return self.long_double_binary(op, left, right);
        }
        let ty = self.element_type(left.ty)?;
        let fits = match op {
            BinaryKind::Int(_) => ty.is_int(),
            BinaryKind::Float(_) => ty.is_float(),
        };
        if !fits {
            return malformed("operands that this operation can compute with");
        }
        let operands = [self.operand(left)?, self.operand(right)?];
        self.elementwise(result, &operands, |args| {
            let (left, right) = (args[0], args[1]);
            match op {
                BinaryKind::Int(op) => Op::Binary {
                    op,
                    left,
                    right,
                    no_signed_wrap,
                },
                BinaryKind::Float(op) => Op::FloatBinary { op, left, right },
            }
        })
    }

    pub(super) fn compare(
        &mut self,
        result: TypeId,
        op: ir::Comparison,
        left: &Typed<'a>,
        right: &Typed<'a>,
    ) -> Attempt<Outcome> {
        match self.element_type(left.ty)? {
            ir::Type::Int(_) | ir::Type::Pointer => {}
            _ => return malformed("integers or pointers to compare"),
        }
        let operands = [self.operand(left)?, self.operand(right)?];
        self.elementwise(result, &operands, |args| Op::Compare {
            op,
            left: args[0],
            right: args[1],
        })
    }

    pub(super) fn select(
        &mut self,
        condition: &Typed<'a>,
        then: &Typed<'a>,
        otherwise: &Typed<'a>,
    ) -> Attempt<Outcome> {
        if then.ty != otherwise.ty {
            return malformed("two values of one type");
        }
        let condition_type = self.value_type(condition.ty)?;
        let operands = [
            self.operand(condition)?,
            self.operand(then)?,
            self.operand(otherwise)?,
        ];
        let select = |args: &[Operand]| Op::Select {
            condition: args[0],
            then: args[1],
            otherwise: args[2],
        };
        if condition_type == ir::Type::BOOL {
            return Ok(Outcome::Op(select(&operands)));
        }
        if self.element_type(condition.ty)? != ir::Type::BOOL {
            return malformed("a condition of type i1");
        }
        self.elementwise(then.ty, &operands, select)
    }

    pub(super) fn element_pointer(
        &mut self,
        source: TypeId,
        base: &Typed<'a>,
        indices: &[Typed<'a>],
    ) -> Attempt<Outcome> {
        if self.value_type(base.ty)? != ir::Type::Pointer {
            return unsupported("vector of pointers");
        }
        let base_operand = self.operand(base)?;
        let mut bytes = 0i64;
        let mut terms = Vec::new();
        let mut ty = source;
        for (position, index) in indices.iter().enumerate() {
            let index_type = self.value_type(index.ty)?;
            let ir::Type::Int(bits) = index_type else {
                return unsupported("vector of pointers");
            };
            let folded = match &index.value {
                Value::Constant(constant) => self.lowering.fold(self.module, index.ty, constant)?,
                _ => None,
            };
            let is_first = position == 0;
            if let Some(Scalar {
                symbol: None,
                value,
            }) = folded
            {
                let index = sign_extend(value, bits);
                let (step, inner) = self
                    .lowering
                    .element_step(self.module, ty, is_first, index)?;
                bytes = bytes.wrapping_add(step);
                ty = inner;
                continue;
            }
            let (scale, element) = self.lowering.element_scale(self.module, ty, is_first)?;
            let operand = self.operand(index)?;
            if scale != 0 {
                terms.push((operand, scale));
            }
            ty = element;
        }
        let record = self.record(source);
        if bytes == 0 && terms.is_empty() && record.is_none() {
            return Ok(Outcome::Same(base_operand));
        }
        Ok(Outcome::Op(Op::Offset {
            base: base_operand,
            bytes,
            terms,
            record,
        }))
    }

    /// The source record behind a named struct type.
    fn record(&mut self, source: TypeId) -> Option<ir::SourceTypeId> {
        let module = self.module;
        let types = &self.lowering.modules[module].types;
        let Type::Named(named) = types.get(source) else {
            return None;
        };
        let bytes = self
            .lowering
            .extent(module, source)
            .map(|extent| extent.size);
        let name = &types.named(*named).name;
        let lowering = &mut *self.lowering;
        lowering
            .debug
            .record_of_struct(&mut lowering.program, module, *named, name, bytes)
    }
}
