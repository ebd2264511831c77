//! Constants whose value is known before the program runs: a number, or the
//! address of a symbol plus a number.

use super::long_doubles;
use super::{Attempt, Failure, Lowering, malformed, unsupported};
use crate::ast::{CastOp, Constant, Expression, Linkage, Type, TypeId, TypedConstant};
use crate::link::{Entity, Resolution};
use ir::{BinaryOp, Comparison, Symbol};

/// Deepest chain of aliases of aliases.
const MAX_ALIASES: usize = 8;

/// `symbol + value`, both modulo two to the width of the type. Floating-point
/// constants are their bit patterns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scalar {
    pub symbol: Option<Symbol>,
    pub value: u128,
}

impl Scalar {
    fn number(value: u128) -> Self {
        Scalar {
            symbol: None,
            value,
        }
    }
}

pub(super) fn mask(bits: u32) -> u128 {
    match bits {
        128.. => u128::MAX,
        bits => (1 << bits) - 1,
    }
}

pub(super) fn sign_extend(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    ((value << shift) as i128) >> shift
}

/// The bit pattern of a literal of type `float` or `double`.
fn float_literal(literal: &str, is_double: bool) -> Option<u128> {
    let from_double = |bits: u64| {
        if is_double {
            u128::from(bits)
        } else {
            // Written as the double that has the same value.
            u128::from((f64::from_bits(bits) as f32).to_bits())
        }
    };
    if let Some(digits) = literal.strip_prefix("f0x") {
        return u128::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = literal.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(from_double);
    }
    let value: f64 = literal.parse().ok()?;
    Some(from_double(value.to_bits()))
}

impl<'a> Lowering<'_, 'a> {
    /// Width of a scalar as a number; `None` for other types.
    pub(super) fn scalar_bits(&self, module: usize, ty: TypeId) -> Option<u32> {
        let types = &self.modules[module].types;
        match types.get(types.resolve(ty)) {
            Type::Int(bits @ 1..=128) => Some(*bits),
            Type::Float => Some(32),
            Type::Double => Some(64),
            Type::ExoticFloat(long_doubles::NAME) => Some(80),
            Type::Pointer { .. } => Some(self.pointer_bits()),
            _ => None,
        }
    }

    /// The value of a scalar constant; `None` if it is not known now (or not a
    /// scalar, or undefined).
    pub(super) fn fold(
        &mut self,
        module: usize,
        ty: TypeId,
        constant: &Constant<'a>,
    ) -> Attempt<Option<Scalar>> {
        let Some(bits) = self.scalar_bits(module, ty) else {
            return Ok(None);
        };
        let types = &self.modules[module].types;
        let resolved = types.get(types.resolve(ty));
        let is_float = matches!(resolved, Type::Float | Type::Double | Type::ExoticFloat(_));
        let is_double = *resolved == Type::Double;
        let is_long = *resolved == Type::ExoticFloat(long_doubles::NAME);
        match constant {
            Constant::Float(literal) if is_long => {
                let digits = literal.strip_prefix("0xK");
                match digits.and_then(|digits| u128::from_str_radix(digits, 16).ok()) {
                    Some(value) => Ok(Some(Scalar::number(value & mask(bits)))),
                    None => malformed("a long double"),
                }
            }
            Constant::Expression(_) if is_long => {
                unsupported("arithmetic on constant long doubles")
            }
            Constant::Int(value) if !is_float => Ok(Some(Scalar::number(value & mask(bits)))),
            Constant::WideInt => malformed("a smaller number"),
            Constant::Float(literal) => {
                if !is_float {
                    return malformed("a floating-point type");
                }
                match float_literal(literal, is_double) {
                    Some(value) => Ok(Some(Scalar::number(value & mask(bits)))),
                    None => malformed("a floating-point number"),
                }
            }
            Constant::Null | Constant::Zero => Ok(Some(Scalar::number(0))),
            Constant::Symbol(name) => Ok(Some(self.symbol(module, name)?)),
            Constant::BlockAddress { function, block } => {
                self.block_address(module, function, block).map(Some)
            }
            Constant::Expression(expression) => {
                self.check_expression(module, ty, expression)?;
                let scalar = self.fold_expression(module, expression, bits)?;
                Ok(scalar.map(|scalar| Scalar {
                    value: scalar.value & mask(bits),
                    ..scalar
                }))
            }
            Constant::Unsupported(what) => unsupported(*what),
            Constant::Undefined => Ok(None),
            Constant::Int(_) | Constant::Bytes(_) | Constant::Aggregate(_) | Constant::Splat(_) => {
                malformed("a constant of this type")
            }
        }
    }

    /// What the address of a symbol is.
    pub(super) fn symbol(&mut self, module: usize, name: &str) -> Attempt<Scalar> {
        let address = |symbol: Symbol| {
            Ok(Scalar {
                symbol: Some(symbol),
                value: 0,
            })
        };
        let null = Ok(Scalar::number(0));
        match self.linked.resolve(module, name) {
            Resolution::Defined(Entity::Variable { module, index }) => {
                match self.variables[module][index] {
                    Some(id) => address(Symbol::Global(id)),
                    None => unsupported(format!("the address of `{name}`")),
                }
            }
            Resolution::Defined(Entity::Function { module, index }) => {
                match self.functions[module][index] {
                    Some(id) => address(Symbol::Function(id)),
                    None => unsupported(format!("the address of `{name}`")),
                }
            }
            Resolution::Defined(Entity::Alias { module, index }) => self.alias(module, index),
            Resolution::Declared(Entity::Function { module, index }) => {
                let function = &self.modules[module].functions[index];
                // Those of the C library are there, whatever the header says.
                let is_library = name.starts_with("__pthread_");
                if function.linkage == Linkage::ExternalWeak && !is_library {
                    return null;
                }
                let id = self.declared_function(name, |this| this.new_function(module, function));
                address(Symbol::Function(id))
            }
            Resolution::Declared(Entity::Variable { module, index }) => {
                let variable = &self.modules[module].variables[index];
                if variable.linkage == Linkage::ExternalWeak {
                    return null;
                }
                match self.external_variable(module, variable) {
                    Some(id) => address(Symbol::Global(id)),
                    // Reported as an undefined reference in the end.
                    None => null,
                }
            }
            Resolution::Declared(Entity::Alias { .. }) | Resolution::Unknown => {
                if name.starts_with("llvm.") {
                    return unsupported(format!("the address of the intrinsic `{name}`"));
                }
                malformed(format!("a declaration of `{name}`"))
            }
        }
    }

    /// What an alias stands for: a symbol, or a place inside one.
    fn alias(&mut self, module: usize, index: usize) -> Attempt<Scalar> {
        match self.aliases.get(&(module, index)) {
            Some(Some(known)) => return known.clone().map_err(Failure::Unsupported),
            // It is being looked up: an alias of itself.
            Some(None) => return malformed("an alias that ends somewhere"),
            None => {}
        }
        // A chain of aliases is followed by recursion.
        if self
            .aliases
            .values()
            .filter(|known| known.is_none())
            .count()
            > MAX_ALIASES
        {
            return malformed("a shorter chain of aliases");
        }
        self.aliases.insert((module, index), None);
        let alias = &self.modules[module].aliases[index];
        let target = match self.fold(module, alias.target.ty, &alias.target.value) {
            Ok(Some(target)) => Ok(target),
            Ok(None) => Err(format!("the alias `{}`", alias.name)),
            Err(Failure::Unsupported(what)) => Err(what),
            Err(malformed) => return Err(malformed),
        };
        self.aliases.insert((module, index), Some(target.clone()));
        target.map_err(Failure::Unsupported)
    }

    fn block_address(&mut self, module: usize, function: &str, block: &str) -> Attempt<Scalar> {
        let Resolution::Defined(Entity::Function { module, index }) =
            self.linked.resolve(module, function)
        else {
            return malformed("the address of a block of a known function");
        };
        let body = self.modules[module].functions[index].body.as_ref();
        let number = body.and_then(|body| body.block_names.get(block));
        match (self.functions[module][index], number) {
            (Some(id), Some(number)) => Ok(Scalar {
                symbol: Some(Symbol::Label(id, ir::BlockId::from_u32(*number))),
                value: 0,
            }),
            _ => malformed("the address of a known block"),
        }
    }

    /// Whether the types in a constant expression fit together.
    fn check_expression(
        &self,
        module: usize,
        ty: TypeId,
        expression: &Expression<'a>,
    ) -> Attempt<()> {
        let types = &self.modules[module].types;
        let fits = match expression {
            Expression::Cast { to, .. } => *to == ty,
            Expression::ElementPointer { base, .. } => {
                base.ty == ty && matches!(types.get(ty), Type::Pointer { .. })
            }
            Expression::Binary { left, right, .. } => left.ty == ty && right.ty == ty,
            Expression::Compare { left, right, .. } => {
                left.ty == right.ty && *types.get(ty) == Type::Int(1)
            }
            Expression::Select {
                condition,
                then,
                otherwise,
            } => {
                let is_condition = *types.get(condition.ty) == Type::Int(1);
                is_condition && then.ty == ty && otherwise.ty == ty
            }
        };
        if fits {
            return Ok(());
        }
        malformed("operands of the right types")
    }

    fn fold_expression(
        &mut self,
        module: usize,
        expression: &Expression<'a>,
        bits: u32,
    ) -> Attempt<Option<Scalar>> {
        match expression {
            Expression::Cast { op, value, .. } => self.fold_cast(module, *op, value, bits),
            Expression::ElementPointer {
                source,
                base,
                indices,
            } => {
                let Some(base) = self.fold(module, base.ty, &base.value)? else {
                    return Ok(None);
                };
                let offset = self.constant_offset(module, *source, indices)?;
                Ok(offset.map(|offset| Scalar {
                    value: base.value.wrapping_add(offset as u128),
                    ..base
                }))
            }
            Expression::Binary { op, left, right } => {
                let left = self.fold(module, left.ty, &left.value)?;
                let right = self.fold(module, right.ty, &right.value)?;
                Ok(left
                    .zip(right)
                    .and_then(|(left, right)| fold_binary(*op, left, right, bits)))
            }
            Expression::Compare { op, left, right } => {
                let operand_bits = self.scalar_bits(module, left.ty).unwrap_or(0);
                let left = self.fold(module, left.ty, &left.value)?;
                let right = self.fold(module, right.ty, &right.value)?;
                let outcome = left
                    .zip(right)
                    .and_then(|(left, right)| fold_compare(*op, left, right, operand_bits));
                Ok(outcome.map(|outcome| Scalar::number(u128::from(outcome))))
            }
            Expression::Select {
                condition,
                then,
                otherwise,
            } => match self.fold(module, condition.ty, &condition.value)? {
                Some(Scalar {
                    symbol: None,
                    value,
                }) => {
                    let chosen = if value == 1 { then } else { otherwise };
                    self.fold(module, chosen.ty, &chosen.value)
                }
                _ => Ok(None),
            },
        }
    }

    fn fold_cast(
        &mut self,
        module: usize,
        op: CastOp,
        value: &TypedConstant<'a>,
        to_bits: u32,
    ) -> Attempt<Option<Scalar>> {
        let Some(from_bits) = self.scalar_bits(module, value.ty) else {
            return Ok(None);
        };
        let Some(scalar) = self.fold(module, value.ty, &value.value)? else {
            return Ok(None);
        };
        let is_number = scalar.symbol.is_none();
        Ok(match op {
            CastOp::Bits | CastOp::AddressSpace => (from_bits == to_bits).then_some(scalar),
            CastOp::Plain(ir::Cast::PointerToInt | ir::Cast::IntToPointer) => {
                (is_number || from_bits == to_bits).then_some(scalar)
            }
            CastOp::Plain(ir::Cast::Truncate | ir::Cast::ZeroExtend) => is_number.then_some(scalar),
            CastOp::Plain(ir::Cast::SignExtend) => {
                is_number.then(|| Scalar::number(sign_extend(scalar.value, from_bits) as u128))
            }
            CastOp::Plain(_) => None,
        })
    }

    /// The bytes that constant indices of an element pointer add up to.
    fn constant_offset(
        &mut self,
        module: usize,
        source: TypeId,
        indices: &[TypedConstant<'a>],
    ) -> Attempt<Option<i64>> {
        let mut offset = 0i64;
        let mut ty = source;
        for (position, index) in indices.iter().enumerate() {
            let Some(bits) = self.scalar_bits(module, index.ty) else {
                return unsupported("vector of pointers");
            };
            let Some(Scalar {
                symbol: None,
                value,
            }) = self.fold(module, index.ty, &index.value)?
            else {
                return Ok(None);
            };
            let index = sign_extend(value, bits);
            let (step, inner) = self.element_step(module, ty, position == 0, index)?;
            offset = offset.wrapping_add(step);
            ty = inner;
        }
        Ok(Some(offset))
    }

    /// How far one constant index of an element pointer leads, and into what.
    pub(super) fn element_step(
        &mut self,
        module: usize,
        ty: TypeId,
        is_first: bool,
        index: i128,
    ) -> Attempt<(i64, TypeId)> {
        let types = &self.modules[module].types;
        if !is_first && let Type::Struct { .. } = types.get(types.resolve(ty)) {
            let field = u64::try_from(index).ok();
            let inner = field.and_then(|field| types.field(ty, field));
            let offset =
                field.and_then(|field| self.layouts[module].field_offset(types, ty, field));
            return match (offset, inner) {
                (Some(offset), Some(inner)) => Ok((offset as i64, inner)),
                _ => malformed("a field that the struct has"),
            };
        }
        let (scale, element) = self.element_scale(module, ty, is_first)?;
        Ok(((index as i64).wrapping_mul(scale), element))
    }

    /// Bytes from one element to the next, and the type of the elements.
    pub(super) fn element_scale(
        &mut self,
        module: usize,
        ty: TypeId,
        is_first: bool,
    ) -> Attempt<(i64, TypeId)> {
        let types = &self.modules[module].types;
        let element = if is_first {
            Some(ty)
        } else {
            match types.get(types.resolve(ty)) {
                Type::Array { element, .. } | Type::Vector { element, .. } => Some(*element),
                _ => None,
            }
        };
        let Some(element) = element else {
            return malformed("an array to index into");
        };
        match self.extent(module, element) {
            Some(extent) => Ok((extent.size as i64, element)),
            None => malformed("an element type with a size"),
        }
    }
}

fn fold_binary(op: BinaryOp, left: Scalar, right: Scalar, bits: u32) -> Option<Scalar> {
    let (a, b) = (left.value, right.value);
    match (left.symbol, right.symbol) {
        (None, None) => {}
        (Some(_), None) if op == BinaryOp::Add => {
            let value = a.wrapping_add(b);
            return Some(Scalar { value, ..left });
        }
        (None, Some(_)) if op == BinaryOp::Add => {
            let value = a.wrapping_add(b);
            return Some(Scalar { value, ..right });
        }
        (Some(_), None) if op == BinaryOp::Sub => {
            let value = a.wrapping_sub(b);
            return Some(Scalar { value, ..left });
        }
        (Some(left), Some(right)) if op == BinaryOp::Sub && left == right => {}
        _ => return None,
    }
    let shift = u32::try_from(b).ok().filter(|shift| *shift < bits);
    let signed_a = sign_extend(a, bits);
    let signed_b = sign_extend(b, bits);
    Some(Scalar::number(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UnsignedDiv => a.checked_div(b)?,
        BinaryOp::UnsignedRem => a.checked_rem(b)?,
        BinaryOp::SignedDiv => signed_a.checked_div(signed_b)? as u128,
        BinaryOp::SignedRem => signed_a.checked_rem(signed_b)? as u128,
        BinaryOp::ShiftLeft => a << shift?,
        BinaryOp::LogicalShiftRight => a >> shift?,
        BinaryOp::ArithmeticShiftRight => (signed_a >> shift?) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    }))
}

fn fold_compare(op: Comparison, left: Scalar, right: Scalar, bits: u32) -> Option<bool> {
    let is_zero = |scalar: Scalar| scalar.symbol.is_none() && scalar.value == 0;
    if left.symbol != right.symbol {
        // An object is never at address zero; nothing else is known of addresses.
        let is_null_test = is_zero(left) && right.value == 0 || is_zero(right) && left.value == 0;
        return match op {
            Comparison::Equal if is_null_test => Some(false),
            Comparison::NotEqual if is_null_test => Some(true),
            _ => None,
        };
    }
    let (a, b) = (left.value, right.value);
    let is_number = left.symbol.is_none();
    let (signed_a, signed_b) = (sign_extend(a, bits), sign_extend(b, bits));
    Some(match op {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        _ if !is_number => return None,
        Comparison::UnsignedLess => a < b,
        Comparison::UnsignedLessEqual => a <= b,
        Comparison::UnsignedGreater => a > b,
        Comparison::UnsignedGreaterEqual => a >= b,
        Comparison::SignedLess => signed_a < signed_b,
        Comparison::SignedLessEqual => signed_a <= signed_b,
        Comparison::SignedGreater => signed_a > signed_b,
        Comparison::SignedGreaterEqual => signed_a >= signed_b,
    })
}
