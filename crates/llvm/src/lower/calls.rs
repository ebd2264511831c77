//! Calls of functions and pieces of assembly code.

use super::body::BodyLowering;
use super::instructions::same_op;
use super::{Attempt, malformed, unsupported};
use crate::ast::{Call, Callee, Inst, ParamAttributes, Typed};
use crate::lex::unescape;
use crate::link::{Entity, Resolution};
use ir::{FunctionId, Op, Operand, Ordering, Symbol, ValueId};

/// What assembly code does, as far as that can be told from its text.
#[derive(Debug, PartialEq, Eq)]
enum AsmEffect {
    Nothing,
    Fence,
    Unknown,
}

impl<'m, 'a> BodyLowering<'_, 'm, 'a> {
    pub(super) fn call(&mut self, inst: &Inst<'a>, call: &'m Call<'a>) -> Attempt<()> {
        let result = self.result(inst);
        if !self.lowering.modules[self.module].types.is_void(inst.ty) {
            self.value_type(inst.ty)?;
        }
        let callee = match &call.callee {
            Callee::Asm {
                template,
                constraints,
            } => return self.assembly(inst, call, template, constraints),
            Callee::Value(callee) => callee,
        };
        if let Some(name) = call.intrinsic() {
            return self.intrinsic(inst, name, &call.args);
        }
        let callee = self.callee(callee)?;
        let mut args = Vec::with_capacity(call.args.len());
        let mut by_value = Vec::with_capacity(call.args.len());
        for (arg, attributes) in &call.args {
            args.push(self.operand(arg)?);
            by_value.push(self.by_value_size(arg, attributes)?);
        }
        self.emit(
            Op::Call {
                callee,
                args,
                by_value,
            },
            result,
        );
        Ok(())
    }

    /// Known functions are called directly, whatever casts are in between.
    fn callee(&mut self, callee: &Typed<'a>) -> Attempt<ir::Callee> {
        if let Some(constant) = self.known_constant(&callee.value) {
            let scalar = self.lowering.fold(self.module, callee.ty, constant)?;
            if let Some(scalar) = scalar
                && let (Some(Symbol::Function(id)), 0) = (scalar.symbol, scalar.value)
            {
                return Ok(ir::Callee::Direct(id));
            }
        }
        Ok(ir::Callee::Indirect(self.operand(callee)?))
    }

    fn by_value_size(
        &mut self,
        arg: &Typed<'a>,
        attributes: &ParamAttributes,
    ) -> Attempt<Option<u64>> {
        if attributes.is_in_alloca {
            return unsupported("arguments passed in a common block (inalloca)");
        }
        let Some(ty) = attributes.by_value else {
            return Ok(None);
        };
        if self.value_type(arg.ty)? != ir::Type::Pointer {
            return malformed("a pointer to what is passed by value");
        }
        match self.lowering.extent(self.module, ty) {
            Some(extent) => Ok(Some(extent.size)),
            None => malformed("a type with a size"),
        }
    }

    /// The function behind a symbol that the program itself may not mention.
    pub(super) fn library_function(
        &mut self,
        symbol: &str,
        params: &[ir::Type],
        result: Option<ir::Type>,
    ) -> Attempt<FunctionId> {
        let module = self.module;
        let resolution = self.lowering.linked.resolve(module, symbol);
        if let Resolution::Defined(Entity::Function { .. })
        | Resolution::Declared(Entity::Function { .. }) = resolution
            && let Some(Symbol::Function(id)) = self.lowering.symbol(module, symbol)?.symbol
        {
            return Ok(id);
        }
        Ok(self.lowering.declared_function(symbol, |_| {
            let params = params.iter().cloned();
            ir::Function {
                symbol: symbol.to_owned(),
                name: symbol.to_owned(),
                location: None,
                params: params.map(|ty| ir::Param { ty, by_value: None }).collect(),
                is_variadic: false,
                result,
                body: None,
            }
        }))
    }

    /// Calls a library function; a result that nobody wants gets a value of its
    /// own.
    pub(super) fn call_library(
        &mut self,
        symbol: &str,
        args: Vec<Operand>,
        ty: Option<ir::Type>,
        result: Option<ValueId>,
    ) -> Attempt<()> {
        let program = &self.lowering.program;
        let params: Vec<_> = args
            .iter()
            .map(|arg| self.body.operand_type(program, *arg))
            .collect();
        let id = self.library_function(symbol, &params, ty.clone())?;
        let result = result.or_else(|| ty.map(|ty| self.body.values.push(ty)));
        let by_value = vec![None; args.len()];
        let callee = ir::Callee::Direct(id);
        self.emit(
            Op::Call {
                callee,
                args,
                by_value,
            },
            result,
        );
        Ok(())
    }

    // Assembly.

    fn assembly(
        &mut self,
        inst: &Inst<'a>,
        call: &'m Call<'a>,
        template: &str,
        constraints: &str,
    ) -> Attempt<()> {
        let template = unescape(template);
        let effect = asm_effect(&template);
        let result = self.result(inst);
        if effect == AsmEffect::Unknown || effect == AsmEffect::Fence && result.is_some() {
            let shown = template.replace("$$", "$");
            return unsupported(format!("assembly code `{}`", shown.trim()));
        }
        if effect == AsmEffect::Fence {
            let ordering = Ordering::SequentiallyConsistent;
            self.emit(Op::Fence { ordering }, None);
        }
        let Some(result) = result else {
            return Ok(());
        };
        // No instructions: every output is the input it shares a register with,
        // or whatever happened to be there.
        let tied = tied_inputs(constraints);
        let ty = self.value_type(inst.ty)?;
        let ir::Type::Tuple(tuple) = &ty else {
            let input = tied.first().copied().flatten();
            let op = match self.asm_input(call, input, &ty)? {
                Some(operand) => same_op(&ty, operand),
                None => Op::Any,
            };
            self.emit(op, Some(result));
            return Ok(());
        };
        let mut value = self.constant(ir::Constant::Undefined(ty.clone()));
        for (index, (_, field_type)) in tuple.fields.iter().enumerate() {
            let input = tied.get(index).copied().flatten();
            let field = match self.asm_input(call, input, field_type)? {
                Some(operand) => operand,
                None if matches!(field_type, ir::Type::Tuple(_)) => {
                    return unsupported("assembly code with a struct as output");
                }
                None => self.emit_new(Op::Any, field_type.clone()),
            };
            let op = Op::Insert {
                tuple: value,
                field,
                path: vec![index as u32],
            };
            if index + 1 == tuple.fields.len() {
                self.emit(op, Some(result));
            } else {
                value = self.emit_new(op, ty.clone());
            }
        }
        if tuple.fields.is_empty() {
            return malformed("assembly code with outputs");
        }
        Ok(())
    }

    fn asm_input(
        &mut self,
        call: &'m Call<'a>,
        input: Option<usize>,
        ty: &ir::Type,
    ) -> Attempt<Option<Operand>> {
        let Some((arg, _)) = input.and_then(|input| call.args.get(input)) else {
            return Ok(None);
        };
        if self.value_type(arg.ty)? != *ty {
            return unsupported("assembly code whose output and input differ in type");
        }
        self.operand(arg).map(Some)
    }
}

fn asm_effect(template: &str) -> AsmEffect {
    let mut effect = AsmEffect::Nothing;
    let mut is_locked = false;
    for piece in template.split([';', '\n']) {
        let mut words = piece.split_whitespace().peekable();
        if words.next_if_eq(&"lock").is_some() {
            is_locked = true;
        }
        let Some(word) = words.next() else {
            continue;
        };
        let rest: String = words.collect();
        match word {
            "mfence" | "lfence" | "sfence" if rest.is_empty() => effect = AsmEffect::Fence,
            "dmb" | "dsb" => effect = AsmEffect::Fence,
            // Adding nothing to the top of the stack.
            "addl" | "addq" | "add" | "orl" | "orq" | "or"
                if is_locked
                    && rest.starts_with("$$0,")
                    && (rest.ends_with("(%esp)") || rest.ends_with("(%rsp)")) =>
            {
                effect = AsmEffect::Fence;
            }
            "pause" | "nop" | "yield" | "rep" | "isb" if matches!(rest.as_str(), "" | "nop") => {}
            _ => return AsmEffect::Unknown,
        }
    }
    effect
}

/// For each output in a register: the argument that it shares the register with.
fn tied_inputs(constraints: &str) -> Vec<Option<usize>> {
    let mut outputs = Vec::new();
    let mut argument = 0;
    // Registers are numbered over all outputs, indirect ones included.
    let mut register_of_output = Vec::new();
    let mut register = 0usize;
    for constraint in constraints.split(',') {
        if let Some(output) = constraint.strip_prefix('=') {
            if output.contains('*') {
                argument += 1;
            } else {
                register_of_output.push(register);
                outputs.push(None);
            }
            register += 1;
        } else if !constraint.starts_with('~') && !constraint.starts_with('!') {
            if let Ok(tied) = constraint.parse::<usize>()
                && let Some(output) = register_of_output.iter().position(|known| *known == tied)
            {
                outputs[output] = Some(argument);
            }
            argument += 1;
        }
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_of_assembly() {
        assert_eq!(asm_effect(""), AsmEffect::Nothing);
        assert_eq!(asm_effect(" pause "), AsmEffect::Nothing);
        assert_eq!(asm_effect("rep; nop"), AsmEffect::Nothing);
        assert_eq!(asm_effect("rep nop"), AsmEffect::Nothing);
        assert_eq!(asm_effect("mfence"), AsmEffect::Fence);
        assert_eq!(asm_effect("lock; addl $$0,0(%esp)"), AsmEffect::Fence);
        assert_eq!(asm_effect("lock addl $$0, (%rsp)"), AsmEffect::Fence);
        assert_eq!(asm_effect("dmb ish"), AsmEffect::Fence);
        assert_eq!(asm_effect("addl $$0,0(%esp)"), AsmEffect::Unknown);
        assert_eq!(asm_effect("lock; xaddl $0, $1"), AsmEffect::Unknown);
        assert_eq!(asm_effect("cpuid"), AsmEffect::Unknown);
    }

    #[test]
    fn outputs_that_share_registers() {
        assert_eq!(tied_inputs("=r,0,~{memory}"), [Some(0)]);
        assert_eq!(tied_inputs("=*m,=r,=r,r,1,~{flags}"), [Some(2), None]);
        assert_eq!(tied_inputs("~{memory}"), []);
    }
}
