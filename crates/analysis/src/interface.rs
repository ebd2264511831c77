//! What a component offers: its functions, with their parameters as the source has
//! them, and which of them it does not call itself. Says nothing about what they do.

use cranelift_entity::EntityRef;
use ir::{Callee, FunctionId, Op, Operand, Program, SourceTypeId, Type, ValueId};
use std::collections::BTreeSet;

/// A function that somebody could call.
#[derive(Clone, Debug)]
pub struct Offer {
    pub function: FunctionId,
    pub parameters: Vec<Parameter>,
    /// The component itself never calls it.
    pub is_for_others: bool,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Option<String>,
    /// `None` if the debug information does not say.
    pub ty: Option<SourceTypeId>,
    pub is_pointer: bool,
    pub is_bool: bool,
    /// It is a record, or part of one, that is passed by value.
    pub is_record: bool,
}

/// The functions that are defined in a file, in the order of the source.
pub fn offers(program: &Program, file: &str) -> Vec<Offer> {
    let called = called(program);
    let mut offers: Vec<Offer> = (program.functions.iter())
        .filter(|(_, data)| {
            let is_here = |location: ir::Location| program.files[location.file] == file;
            data.body.is_some() && data.location.is_some_and(is_here) && data.symbol != "main"
        })
        .map(|(function, _)| Offer {
            function,
            parameters: parameters(program, function),
            is_for_others: !called.contains(&function),
        })
        .collect();
    offers.sort_by_key(|offer| {
        let location = program.functions[offer.function].location;
        location.map(|location| (location.line, location.column))
    });
    offers
}

/// Functions that are called by name by others than themselves.
fn called(program: &Program) -> BTreeSet<FunctionId> {
    let mut called = BTreeSet::new();
    for (caller, data) in program.functions.iter() {
        for inst in data.body.iter().flat_map(|body| body.insts.values()) {
            if let Op::Call {
                callee: Callee::Direct(function),
                ..
            } = &inst.op
                && *function != caller
            {
                called.insert(*function);
            }
        }
    }
    called
}

/// Compilers store each parameter in a variable, whose name and type they tell.
fn parameters(program: &Program, function: FunctionId) -> Vec<Parameter> {
    let data = &program.functions[function];
    let Some(body) = &data.body else {
        return Vec::new();
    };
    let variable = |parameter: ValueId| {
        let address = body.insts.values().find_map(|inst| match &inst.op {
            Op::Store {
                address: Operand::Value(address),
                value: Operand::Value(value),
                ..
            } if *value == parameter => Some(*address),
            _ => None,
        })?;
        body.insts.values().find_map(|inst| match &inst.op {
            Op::Local { variable, .. } if inst.result == Some(address) => {
                variable.map(|variable| &body.locals[variable])
            }
            _ => None,
        })
    };
    (data.params.iter().enumerate())
        .map(|(index, param)| {
            let variable = variable(ValueId::new(index));
            Parameter {
                name: variable.map(|variable| variable.name.clone()),
                ty: variable.and_then(|variable| variable.ty),
                is_pointer: param.ty == Type::Pointer,
                is_bool: param.ty == Type::BOOL,
                is_record: param.by_value.is_some() || matches!(param.ty, Type::Tuple(_)),
            }
        })
        .collect()
}
