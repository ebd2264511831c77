//! Relays: what a pointer to a function without body points to.
//!
//! Whoever calls through a pointer, the C library included, may then take it that
//! there is a body: one that passes its arguments on. A relay has no location, so
//! that what happens in it is shown where it was called from.

use super::Lowering;
use ir::{Block, Body, Callee, Function, FunctionId, Inst, Op, Operand, Symbol, Terminator};

impl Lowering<'_, '_> {
    /// What a pointer to a symbol points to.
    pub(super) fn pointee(&mut self, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Function(function) => Symbol::Function(self.relay(function)),
            other => other,
        }
    }

    /// The relay of a function without body; a function with one has none. Nobody
    /// can pass on variadic arguments, or structs that the callee owns.
    fn relay(&mut self, function: FunctionId) -> FunctionId {
        if let Some(relay) = self.relays.get(&function) {
            return *relay;
        }
        let data = &self.program.functions[function];
        let is_declared = self.declared.get(&data.symbol) == Some(&function);
        let is_passed = data.params.iter().all(|param| param.by_value.is_none());
        if !is_declared || !is_passed || data.is_variadic || data.symbol.starts_with("__VERIFIER_")
        {
            return function;
        }
        let relay = Function {
            symbol: format!("pointer to {}", data.symbol),
            body: Some(passing_on(function, data)),
            ..data.clone()
        };
        let relay = self.program.functions.push(relay);
        self.relays.insert(function, relay);
        relay
    }
}

fn passing_on(function: FunctionId, data: &Function) -> Body {
    let mut body = Body::default();
    let params = data.params.iter();
    let args: Vec<Operand> = params
        .map(|param| Operand::Value(body.values.push(param.ty.clone())))
        .collect();
    let result = data.result.clone().map(|ty| body.values.push(ty));
    let call = body.insts.push(Inst {
        op: Op::Call {
            callee: Callee::Direct(function),
            by_value: vec![None; args.len()],
            args,
        },
        result,
        location: None,
    });
    body.blocks.push(Block {
        phis: Vec::new(),
        insts: vec![call],
        terminator: Terminator::Return(result.map(Operand::Value)),
        terminator_location: None,
    });
    body
}
