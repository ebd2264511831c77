//! Instructions other than calls and terminators.

use super::body::BodyLowering;
use super::expressions::Outcome;
use super::{Attempt, malformed, unsupported};
use crate::ast::{Inst, InstKind, NodeId, TypeId, Typed, Value};
use ir::{Cast, Op, Operand, RmwOp};

/// An operation whose result is its operand.
pub(super) fn same_op(ty: &ir::Type, operand: Operand) -> Op {
    match ty {
        ir::Type::Pointer => Op::Offset {
            base: operand,
            bytes: 0,
            terms: Vec::new(),
            record: None,
        },
        _ => Op::Cast {
            op: Cast::Reinterpret,
            value: operand,
        },
    }
}

impl<'m, 'a> BodyLowering<'_, 'm, 'a> {
    pub(super) fn instruction(&mut self, inst: &'m Inst<'a>) -> Attempt<()> {
        let result = self.result(inst);
        if result.is_some() {
            // Placeholders are results of replaced instructions only.
            self.value_type(inst.ty)?;
        }
        match &inst.kind {
            InstKind::Call(call) => return self.call(inst, call),
            InstKind::Label(label) => return self.label(*label),
            InstKind::Fence(None) => return Ok(()),
            _ => {}
        }
        match self.operation(inst)? {
            Outcome::Op(op) => self.emit(op, result),
            Outcome::Same(operand) => {
                let ty = self.value_type(inst.ty)?;
                self.emit(same_op(&ty, operand), result);
            }
        }
        Ok(())
    }

    /// To CBMC, some labels start threads; clang forgets which statement they stand at.
    fn label(&self, label: NodeId) -> Attempt<()> {
        match self.lowering.debug.label(self.module, label) {
            Some(name) if name.starts_with("__CPROVER_ASYNC") => {
                unsupported(format!("a thread started by label {name}"))
            }
            _ => Ok(()),
        }
    }

    fn address(&mut self, address: &Typed<'a>) -> Attempt<Operand> {
        if self.value_type(address.ty)? != ir::Type::Pointer {
            return malformed("a pointer");
        }
        self.operand(address)
    }

    fn operation(&mut self, inst: &'m Inst<'a>) -> Attempt<Outcome> {
        let op = match &inst.kind {
            InstKind::Alloca { ty, count, align } => {
                self.alloca(inst, *ty, count.as_ref(), *align)?
            }
            InstKind::Load {
                address,
                ordering,
                is_volatile,
            } => {
                self.check_memory_type(inst.ty)?;
                Op::Load {
                    address: self.address(address)?,
                    ordering: *ordering,
                    is_volatile: *is_volatile,
                }
            }
            InstKind::Store {
                value,
                address,
                ordering,
                is_volatile,
            } => {
                self.check_memory_type(value.ty)?;
                Op::Store {
                    address: self.address(address)?,
                    value: self.operand(value)?,
                    ordering: *ordering,
                    is_volatile: *is_volatile,
                }
            }
            InstKind::Rmw {
                op,
                address,
                value,
                ordering,
            } => {
                let op = match op {
                    Ok(op) => *op,
                    Err(name) => return unsupported(format!("the atomic operation {name}")),
                };
                let ty = self.value_type(value.ty)?;
                let fits = match op {
                    RmwOp::Exchange => !matches!(ty, ir::Type::Tuple(_)),
                    RmwOp::FloatAdd | RmwOp::FloatSub => ty.is_float(),
                    _ => ty.is_int(),
                };
                if !fits {
                    return malformed("an operand that this atomic operation takes");
                }
                Op::Rmw {
                    op,
                    address: self.address(address)?,
                    value: self.operand(value)?,
                    ordering: *ordering,
                }
            }
            InstKind::CompareExchange {
                address,
                expected,
                replacement,
                success,
                failure,
                is_weak,
            } => {
                let ty = self.value_type(expected.ty)?;
                let is_comparable = ty.is_int() || ty == ir::Type::Pointer;
                if expected.ty != replacement.ty || !is_comparable {
                    return malformed("two integers or pointers to exchange");
                }
                Op::CompareExchange {
                    address: self.address(address)?,
                    expected: self.operand(expected)?,
                    replacement: self.operand(replacement)?,
                    success: *success,
                    failure: *failure,
                    is_weak: *is_weak,
                }
            }
            InstKind::Fence(Some(ordering)) => Op::Fence {
                ordering: *ordering,
            },
            InstKind::Binary {
                op,
                left,
                right,
                no_signed_wrap,
            } => return self.binary(inst.ty, *op, left, right, *no_signed_wrap),
            InstKind::FloatNegate(value) if self.is_long_double(value.ty) => {
                return self.long_double_negate(value);
            }
            InstKind::FloatCompare { op, left, right } if self.is_long_double(left.ty) => {
                return self.long_double_compare(*op, left, right);
            }
            InstKind::FloatNegate(value) => {
                if !self.element_type(value.ty)?.is_float() {
                    return malformed("a floating-point number");
                }
                let value = self.operand(value)?;
                return self
                    .elementwise(inst.ty, &[value], |args| Op::FloatNegate { value: args[0] });
            }
            InstKind::Compare { op, left, right } => {
                return self.compare(inst.ty, *op, left, right);
            }
            InstKind::FloatCompare { op, left, right } => {
                if !self.element_type(left.ty)?.is_float() {
                    return malformed("floating-point numbers");
                }
                let operands = [self.operand(left)?, self.operand(right)?];
                return self.elementwise(inst.ty, &operands, |args| Op::FloatCompare {
                    op: *op,
                    left: args[0],
                    right: args[1],
                });
            }
            InstKind::Cast { op, value } => return self.cast(*op, value, inst.ty),
            InstKind::ElementPointer {
                source,
                base,
                indices,
            } => return self.element_pointer(*source, base, indices),
            InstKind::Select {
                condition,
                then,
                otherwise,
            } => return self.select(condition, then, otherwise),
            InstKind::Extract { tuple, path } => {
                self.check_path(tuple.ty, path)?;
                Op::Extract {
                    tuple: self.operand(tuple)?,
                    path: path.clone(),
                }
            }
            InstKind::Insert { tuple, field, path } => {
                self.check_path(tuple.ty, path)?;
                Op::Insert {
                    tuple: self.operand(tuple)?,
                    field: self.operand(field)?,
                    path: path.clone(),
                }
            }
            InstKind::ExtractElement { vector, index } => {
                return self.extract_element(vector, index);
            }
            InstKind::InsertElement {
                vector,
                element,
                index,
            } => return self.insert_element(vector, element, index),
            InstKind::Shuffle { left, right, mask } => {
                return self.shuffle(inst.ty, left, right, mask);
            }
            InstKind::Freeze(value) => return Ok(Outcome::Same(self.operand(value)?)),
            InstKind::Unsupported(what) => return unsupported(what.clone()),
            _ => return malformed("an instruction before the terminator"),
        };
        Ok(Outcome::Op(op))
    }

    fn check_memory_type(&mut self, ty: TypeId) -> Attempt<()> {
        if self.lowering.is_plain_in_memory(self.module, ty) {
            return Ok(());
        }
        unsupported("a vector of bits in memory")
    }

    /// Whether a path of field numbers leads somewhere in the translated type.
    fn check_path(&mut self, ty: TypeId, path: &[u32]) -> Attempt<()> {
        let mut ty = self.value_type(ty)?;
        for index in path {
            let ir::Type::Tuple(tuple) = &ty else {
                return malformed("a struct or array");
            };
            match tuple.fields.get(*index as usize) {
                Some((_, field)) => ty = field.clone(),
                None => return malformed("a field that exists"),
            }
        }
        Ok(())
    }

    fn alloca(
        &mut self,
        inst: &Inst<'a>,
        ty: TypeId,
        count: Option<&Typed<'a>>,
        align: Option<u64>,
    ) -> Attempt<Op> {
        let Some(extent) = self.lowering.extent(self.module, ty) else {
            return malformed("a type with a size");
        };
        let mut bytes = extent.size;
        let mut operand = None;
        if let Some(count) = count {
            if !self.value_type(count.ty)?.is_int() {
                return malformed("a number of elements");
            }
            let folded = match &count.value {
                Value::Constant(constant) => self.lowering.fold(self.module, count.ty, constant)?,
                _ => None,
            };
            let known = folded
                .filter(|scalar| scalar.symbol.is_none())
                .and_then(|scalar| u64::try_from(scalar.value).ok());
            match known {
                Some(known) => match bytes.checked_mul(known) {
                    Some(product) => bytes = product,
                    None => return unsupported("a local variable larger than memory"),
                },
                None => operand = Some(self.operand(count)?),
            }
        }
        if bytes > super::MAX_VARIABLE_BYTES {
            return unsupported("a local variable of more than 1 TiB");
        }
        let module = self.module;
        let lowering = &mut *self.lowering;
        let variable = inst
            .result
            .and_then(|slot| self.source.declarations.get(&slot))
            .and_then(|node| lowering.debug.local(&mut lowering.program, module, *node));
        let align = align.filter(|align| align.is_power_of_two());
        Ok(Op::Local {
            variable: variable.map(|variable| self.body.locals.push(variable)),
            bytes,
            align: align.unwrap_or(extent.align),
            count: operand,
        })
    }
}
