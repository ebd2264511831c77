//! Calls of functions.

use super::body::BodyLowering;
use super::{Attempt, malformed, unsupported};
use crate::ast::{Call, Callee, Inst, ParamAttributes, Typed};
use crate::link::{Entity, Resolution};
use ir::{FunctionId, Op, Operand, Symbol, ValueId};

impl<'m, 'a> BodyLowering<'_, 'm, 'a> {
    pub(super) fn call(&mut self, inst: &Inst<'a>, call: &'m Call<'a>) -> Attempt<()> {
        let result = self.result(inst);
        if !self.lowering.modules[self.module].types.is_void(inst.ty) {
            self.value_type(inst.ty)?;
        }
        let callee = match &call.callee {
            Callee::Asm(code) => return self.assembly(inst, call, code),
            Callee::Value(callee) => callee,
        };
        if let Some(name) = call.intrinsic() {
            return self.intrinsic(inst, name, &call.args);
        }
        let callee = self.callee(callee)?;
        if self.passes_long_doubles(call, inst.ty, &callee) {
            return unsupported("a long double of another's function");
        }
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
}
