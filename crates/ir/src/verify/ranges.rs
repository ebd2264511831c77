//! Every id is in range. The other checks, and everybody who reads a program,
//! look things up without asking.

use super::Errors;
use crate::body::{BlockId, Body, Callee, Op, Operand};
use crate::program::{ConstId, Constant, FunctionId, Initial, Program, Symbol};
use crate::source::{Location, SourceType, SourceTypeId};
use cranelift_entity::EntityRef;
use std::fmt::Display;

pub(super) fn check(program: &Program, errors: &mut Errors) {
    let mut ranges = Ranges {
        program,
        n_constants: program.constants().count(),
        errors,
    };
    ranges.check_program();
    for (id, function) in program.functions.iter() {
        ranges.errors.function = Some(id);
        ranges.check_location(function.location);
        if let Some(body) = &function.body {
            ranges.check_body(body);
        }
    }
    errors.function = None;
}

struct Ranges<'a> {
    program: &'a Program,
    n_constants: usize,
    errors: &'a mut Errors,
}

impl Ranges<'_> {
    fn require(&mut self, is_valid: bool, id: impl Display) {
        self.errors
            .require(is_valid, || format!("{id} does not exist"));
    }

    fn check_program(&mut self) {
        let program = self.program;
        let called = program.startup.iter().chain(&program.cleanup);
        for &function in called.chain([&program.main]) {
            self.check_function(function);
        }
        for (_, constant) in program.constants() {
            self.check_constant(constant);
        }
        for global in program.globals.values() {
            self.check_type(global.ty);
            self.check_location(global.location);
            if let Initial::Bytes { relocations, .. } = &global.initial {
                for relocation in relocations {
                    self.check_symbol(relocation.symbol);
                }
            }
        }
        for ty in program.source_types.values() {
            self.check_source_type(ty);
        }
    }

    fn check_function(&mut self, function: FunctionId) {
        self.require(self.program.functions.is_valid(function), function);
    }

    fn check_constant(&mut self, constant: &Constant) {
        match constant {
            Constant::Global { global, .. } => self.check_symbol(Symbol::Global(*global)),
            Constant::Function(function) => self.check_function(*function),
            Constant::Label(function, block) => {
                self.check_symbol(Symbol::Label(*function, *block));
            }
            Constant::Tuple { fields, .. } => {
                for &field in fields {
                    self.check_constant_id(field);
                }
            }
            Constant::Int { .. }
            | Constant::Float(_)
            | Constant::Double(_)
            | Constant::Null
            | Constant::Undefined(_) => {}
        }
    }

    fn check_symbol(&mut self, symbol: Symbol) {
        match symbol {
            Symbol::Global(global) => {
                self.require(self.program.globals.is_valid(global), global);
            }
            Symbol::Function(function) => self.check_function(function),
            Symbol::Label(function, block) => {
                let function_of_label = self.program.functions.get(function);
                let body = function_of_label.and_then(|function| function.body.as_ref());
                let is_valid = body.is_some_and(|body| body.blocks.is_valid(block));
                self.require(is_valid, format_args!("label {function}.{block}"));
            }
        }
    }

    fn check_type(&mut self, ty: Option<SourceTypeId>) {
        if let Some(ty) = ty {
            self.require(self.program.source_types.is_valid(ty), ty);
        }
    }

    fn check_location(&mut self, location: Option<Location>) {
        if let Some(Location { file, .. }) = location {
            self.require(self.program.files.is_valid(file), file);
        }
    }

    fn check_source_type(&mut self, ty: &SourceType) {
        match ty {
            SourceType::Pointer { to, .. } | SourceType::Alias { to, .. } => self.check_type(*to),
            SourceType::Array { element, .. } => self.check_type(Some(*element)),
            SourceType::Record { members, .. } => {
                for member in members {
                    self.check_type(Some(member.ty));
                }
            }
            SourceType::Base { .. } | SourceType::Enum { .. } | SourceType::Opaque { .. } => {}
        }
    }

    fn check_body(&mut self, body: &Body) {
        for local in body.locals.values() {
            self.check_type(local.ty);
            self.check_location(local.location);
        }
        for inst in body.insts.values() {
            if let Some(result) = inst.result {
                self.check_operand(body, Operand::Value(result));
            }
            self.check_location(inst.location);
            self.check_op(body, &inst.op);
        }
        for block in body.blocks.values() {
            for phi in &block.phis {
                self.check_operand(body, Operand::Value(phi.result));
                for &(predecessor, operand) in &phi.incoming {
                    self.check_block(body, predecessor);
                    self.check_operand(body, operand);
                }
            }
            for &inst in &block.insts {
                self.require(body.insts.is_valid(inst), inst);
            }
            for successor in block.terminator.successors() {
                self.check_block(body, successor);
            }
            block
                .terminator
                .for_each_operand(|operand| self.check_operand(body, operand));
            self.check_location(block.terminator_location);
        }
    }

    fn check_op(&mut self, body: &Body, op: &Op) {
        op.for_each_operand(|operand| self.check_operand(body, operand));
        match op {
            Op::Local {
                variable: Some(variable),
                ..
            } => self.require(body.locals.is_valid(*variable), *variable),
            Op::Offset { record, .. } => self.check_type(*record),
            Op::Call {
                callee: Callee::Direct(function),
                ..
            } => self.check_function(*function),
            _ => {}
        }
    }

    fn check_block(&mut self, body: &Body, block: BlockId) {
        self.require(body.blocks.is_valid(block), block);
    }

    fn check_operand(&mut self, body: &Body, operand: Operand) {
        match operand {
            Operand::Value(value) => self.require(body.values.is_valid(value), value),
            Operand::Const(id) => self.check_constant_id(id),
        }
    }

    fn check_constant_id(&mut self, id: ConstId) {
        self.require(id.index() < self.n_constants, id);
    }
}
