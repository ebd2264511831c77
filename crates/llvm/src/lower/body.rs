//! One function body: values, blocks, phis and terminators.
//!
//! Blocks keep their numbers, so that the address of a label is known before its
//! function is lowered. What an incoming value of a phi needs computed is placed
//! at the end of the predecessor.

use super::initial::Computed;
use super::{Attempt, Failure, Lowering, malformed};
use crate::Unsupported;
use crate::ast::{self, Constant, Inst, InstKind, Slot, SlotUse, TypeId, Typed, Value};
use crate::error::Error;
use ir::{BlockId, Body, FunctionId, InstId, Location, Op, Operand, Phi, Terminator, ValueId};
use std::collections::HashSet;

/// Longest chain of casts that change nothing.
const MAX_SAME: u32 = 1000;

/// What a local name stands for.
#[derive(Clone, Copy)]
pub(super) enum Meaning<'m, 'a> {
    Value(ValueId),
    /// Nothing of its own: the same as this operand.
    Same(&'m Typed<'a>),
    /// A value of a type that nobody can compute with; the instruction that makes
    /// it has been replaced.
    Placeholder(ValueId),
    /// A block, or undefined.
    NoValue,
}

pub(super) struct BodyLowering<'l, 'm, 'a> {
    pub lowering: &'l mut Lowering<'m, 'a>,
    pub module: usize,
    pub source: &'m ast::Body<'a>,
    pub function: FunctionId,
    pub body: Body,
    meanings: Vec<Meaning<'m, 'a>>,
    types: Vec<Option<TypeId>>,
    /// The block being filled.
    insts: Vec<InstId>,
    pub location: Option<Location>,
}

pub(super) fn lower<'m, 'a>(
    lowering: &mut Lowering<'m, 'a>,
    module: usize,
    function: &'m ast::Function<'a>,
    id: FunctionId,
) -> Result<Body, Error> {
    let Some(source) = &function.body else {
        return Ok(Body::default());
    };
    let mut body = BodyLowering {
        lowering,
        module,
        source,
        function: id,
        body: Body::default(),
        meanings: vec![Meaning::NoValue; source.slots.len()],
        types: vec![None; source.slots.len()],
        insts: Vec::new(),
        location: None,
    };
    if let Some(what) = body.signature_problem(function) {
        return Ok(body.unsupported_body(what));
    }
    body.number_values(function);
    for number in 0..source.blocks.len() {
        body.block(number)?;
    }
    Ok(body.body)
}

/// The body of a function that stores values that must be computed.
pub(super) fn initialise<'a>(
    lowering: &mut Lowering<'_, 'a>,
    id: FunctionId,
    values: &[Computed<'a>],
) -> Result<Body, Error> {
    let source = lowering.no_code;
    let mut body = BodyLowering {
        lowering,
        module: 0,
        source,
        function: id,
        body: Body::default(),
        meanings: Vec::new(),
        types: Vec::new(),
        insts: Vec::new(),
        location: None,
    };
    for value in values {
        body.module = value.module;
        body.location = body.lowering.program.globals[value.global].location;
        let address = body.constant(ir::Constant::Global {
            global: value.global,
            offset: value.offset as i64,
        });
        match body.constant_operand(value.ty, &value.value) {
            Ok(operand) => body.emit(
                Op::Store {
                    address,
                    value: operand,
                    ordering: None,
                    is_volatile: false,
                },
                None,
            ),
            Err(failure) => {
                body.lowering.user.location = body.location;
                return Err(body.lowering.fatal(value.module, 0, failure));
            }
        }
    }
    body.body.blocks.push(ir::Block {
        phis: Vec::new(),
        insts: std::mem::take(&mut body.insts),
        terminator: Terminator::Return(None),
        terminator_location: None,
    });
    Ok(body.body)
}

impl<'m, 'a> BodyLowering<'_, 'm, 'a> {
    fn signature_problem(&mut self, function: &ast::Function<'a>) -> Option<String> {
        let module = self.module;
        for param in &function.params {
            if let Err(Failure::Unsupported(what)) = self.lowering.value_type(module, param.ty) {
                return Some(what);
            }
            if param.attributes.is_in_alloca {
                return Some("parameters passed in a common block (inalloca)".into());
            }
        }
        if self.lowering.modules[module].types.is_void(function.result) {
            return None;
        }
        match self.lowering.value_type(module, function.result) {
            Err(Failure::Unsupported(what)) => Some(what),
            _ => None,
        }
    }

    /// Stands for a function that cannot be executed at all. Labels keep their
    /// numbers, since their addresses may have been taken.
    fn unsupported_body(mut self, what: String) -> Body {
        let params = self.lowering.program.functions[self.function]
            .params
            .clone();
        for param in params {
            self.body.values.push(param.ty);
        }
        self.location = self.lowering.program.functions[self.function].location;
        for _ in 0..self.source.blocks.len() {
            if self.body.blocks.is_empty() {
                self.emit_unsupported(what.clone(), None);
            }
            self.body.blocks.push(ir::Block {
                phis: Vec::new(),
                insts: std::mem::take(&mut self.insts),
                terminator: Terminator::Unreachable,
                terminator_location: self.location,
            });
        }
        self.body
    }

    /// Gives every parameter and result its value, and every block its phis,
    /// because uses may stand before definitions in the text.
    fn number_values(&mut self, function: &'m ast::Function<'a>) {
        let module = self.module;
        let placeholder = ir::Type::Int(8);
        let params = self.lowering.program.functions[self.function]
            .params
            .clone();
        let params: Vec<_> = params
            .into_iter()
            .map(|param| self.body.values.push(param.ty))
            .collect();
        for (slot, meaning) in self.source.slots.iter().enumerate() {
            if let SlotUse::Param(number) = meaning {
                self.meanings[slot] = Meaning::Value(params[*number as usize]);
                self.types[slot] = Some(function.params[*number as usize].ty);
            }
        }
        for block in &self.source.blocks {
            let mut phis = Vec::new();
            for inst in &block.insts {
                let Some(slot) = inst.result else {
                    continue;
                };
                let slot = slot.0 as usize;
                self.types[slot] = Some(inst.ty);
                if let Some(same) = self.identity(inst) {
                    self.meanings[slot] = Meaning::Same(same);
                    continue;
                }
                self.meanings[slot] = match self.lowering.value_type(module, inst.ty) {
                    Ok(ty) => {
                        let value = self.body.values.push(ty);
                        if let InstKind::Phi(_) = inst.kind {
                            phis.push(Phi {
                                result: value,
                                incoming: Vec::new(),
                            });
                        }
                        Meaning::Value(value)
                    }
                    Err(_) => Meaning::Placeholder(self.body.values.push(placeholder.clone())),
                };
            }
            self.body.blocks.push(ir::Block {
                phis,
                insts: Vec::new(),
                terminator: Terminator::Unreachable,
                terminator_location: None,
            });
        }
    }

    /// The operand that an instruction merely passes on.
    fn identity(&self, inst: &'m Inst<'a>) -> Option<&'m Typed<'a>> {
        let types = &self.lowering.modules[self.module].types;
        match &inst.kind {
            // Freezing an undefined constant makes it one value for all its uses.
            InstKind::Freeze(value) => matches!(value.value, Value::Local(_)).then_some(value),
            InstKind::Cast {
                op: ast::CastOp::Bits,
                value,
            } => {
                let is_pointer = matches!(types.get(inst.ty), ast::Type::Pointer { .. });
                (value.ty == inst.ty || is_pointer && types.get(value.ty) == types.get(inst.ty))
                    .then_some(value)
            }
            InstKind::Call(call) => {
                let name = call.intrinsic()?;
                let (first, _) = call.args.first()?;
                (super::intrinsics::is_identity(name) && first.ty == inst.ty).then_some(first)
            }
            _ => None,
        }
    }

    // Emitting.

    pub(super) fn emit(&mut self, op: Op, result: Option<ValueId>) {
        let inst = self.body.insts.push(ir::Inst {
            op,
            result,
            location: self.location,
        });
        self.insts.push(inst);
    }

    pub(super) fn emit_new(&mut self, op: Op, ty: ir::Type) -> Operand {
        let value = self.body.values.push(ty);
        self.emit(op, Some(value));
        Operand::Value(value)
    }

    pub(super) fn emit_unsupported(&mut self, what: String, result: Option<ValueId>) {
        self.lowering.unsupported.push(Unsupported {
            what: what.clone(),
            function: self.lowering.program.functions[self.function].name.clone(),
            location: self.location,
        });
        self.emit(Op::Unsupported { what }, result);
    }

    pub(super) fn constant(&mut self, constant: ir::Constant) -> Operand {
        Operand::Const(self.lowering.program.intern(constant))
    }

    pub(super) fn int(&mut self, bits: u32, value: u128) -> Operand {
        self.constant(ir::Constant::Int { bits, value })
    }

    // Operands.

    pub(super) fn value_type(&mut self, ty: TypeId) -> Attempt<ir::Type> {
        self.lowering.value_type(self.module, ty)
    }

    pub(super) fn operand(&mut self, typed: &Typed<'a>) -> Attempt<Operand> {
        match &typed.value {
            Value::Local(slot) => self.local(*slot, typed.ty),
            Value::Constant(constant) => self.constant_operand(typed.ty, constant),
            Value::Metadata => malformed("a value"),
        }
    }

    fn local(&mut self, slot: Slot, ty: TypeId) -> Attempt<Operand> {
        let mut slot = slot;
        for _ in 0..MAX_SAME {
            let index = slot.0 as usize;
            if self.types[index].is_some_and(|known| known != ty) {
                return malformed("a value of this type");
            }
            match self.meanings[index] {
                Meaning::Value(value) => return Ok(Operand::Value(value)),
                Meaning::Placeholder(_) => {
                    return match self.value_type(ty) {
                        Err(failure) => Err(failure),
                        Ok(_) => malformed("a value of this type"),
                    };
                }
                Meaning::Same(typed) => match &typed.value {
                    Value::Local(next) => slot = *next,
                    Value::Constant(constant) => return self.constant_operand(typed.ty, constant),
                    Value::Metadata => return malformed("a value"),
                },
                Meaning::NoValue => return malformed("a value that is defined"),
            }
        }
        malformed("a value that is defined")
    }

    /// The symbol that a value is known to be the address of.
    pub(super) fn known_constant<'v>(&self, value: &'v Value<'a>) -> Option<&'v Constant<'a>>
    where
        'm: 'v,
    {
        let mut value = value;
        for _ in 0..MAX_SAME {
            match value {
                Value::Constant(constant) => return Some(constant),
                Value::Local(slot) => match self.meanings[slot.0 as usize] {
                    Meaning::Same(typed) => value = &typed.value,
                    _ => return None,
                },
                Value::Metadata => return None,
            }
        }
        None
    }

    pub(super) fn result(&self, inst: &Inst<'a>) -> Option<ValueId> {
        match self.meanings[inst.result?.0 as usize] {
            Meaning::Value(value) | Meaning::Placeholder(value) => Some(value),
            Meaning::Same(_) | Meaning::NoValue => None,
        }
    }

    /// Whether an instruction stands for one of its operands only.
    fn is_same(&self, inst: &Inst<'a>) -> bool {
        let slot = inst.result.map(|slot| self.meanings[slot.0 as usize]);
        matches!(slot, Some(Meaning::Same(_)))
    }

    // Blocks.

    fn block(&mut self, number: usize) -> Result<(), Error> {
        let source = self.source;
        let Some((terminator, insts)) = source.blocks[number].insts.split_last() else {
            return Ok(());
        };
        let mut is_start = true;
        for inst in insts {
            self.locate(inst);
            if let InstKind::Phi(_) = inst.kind {
                if !is_start {
                    return Err(self.error(inst, "phis at the start of the block"));
                }
                if let Some(slot) = inst.result
                    && let Meaning::Placeholder(value) = self.meanings[slot.0 as usize]
                    && let Err(Failure::Unsupported(what)) = self.value_type(inst.ty)
                {
                    self.emit_unsupported(what, Some(value));
                }
                continue;
            }
            is_start = false;
            if !self.is_same(inst) {
                let outcome = self.instruction(inst);
                self.settle(inst, outcome)?;
            }
        }
        self.locate(terminator);
        let block = BlockId::from_u32(number as u32);
        let location = self.location;
        let terminator = match self.terminator(terminator) {
            Ok(lowered) => lowered,
            Err(failure) => {
                self.settle(terminator, Err(failure))?;
                Terminator::Unreachable
            }
        };
        let mut seen = Vec::new();
        for successor in terminator.successors() {
            if !seen.contains(&successor) {
                seen.push(successor);
                self.incoming(block, successor)?;
            }
        }
        let lowered = &mut self.body.blocks[block];
        lowered.insts = std::mem::take(&mut self.insts);
        lowered.terminator = terminator;
        lowered.terminator_location = location;
        Ok(())
    }

    fn locate(&mut self, inst: &Inst<'a>) {
        let module = self.module;
        let lowering = &mut *self.lowering;
        self.location = inst
            .debug
            .and_then(|node| lowering.debug.location(&mut lowering.program, module, node));
        if self.location.is_some() {
            lowering.user.location = self.location;
        }
    }

    fn error(&self, inst: &Inst<'a>, expected: impl Into<String>) -> Error {
        let failure = Failure::Malformed(expected.into());
        self.lowering.fatal(self.module, inst.offset, failure)
    }

    /// An instruction that cannot be executed is replaced by one that says so.
    fn settle(&mut self, inst: &Inst<'a>, outcome: Attempt<()>) -> Result<(), Error> {
        match outcome {
            Ok(()) => Ok(()),
            Err(Failure::Unsupported(what)) => {
                let result = self.result(inst);
                self.emit_unsupported(what, result);
                Ok(())
            }
            Err(Failure::Malformed(expected)) => Err(self.error(inst, expected)),
        }
    }

    /// Adds what `block` contributes to the phis of its successor.
    fn incoming(&mut self, block: BlockId, successor: BlockId) -> Result<(), Error> {
        let source = self.source;
        let phis = &source.blocks[successor.as_u32() as usize].insts;
        let mut position = 0;
        for phi in phis {
            let InstKind::Phi(incoming) = &phi.kind else {
                break;
            };
            let is_placeholder = self.result(phi).is_none_or(|result| {
                let phis = &self.body.blocks[successor].phis;
                phis.get(position).is_none_or(|phi| phi.result != result)
            });
            if is_placeholder {
                continue;
            }
            let from_here = incoming
                .iter()
                .find(|(_, slot)| source.slots[slot.0 as usize] == SlotUse::Block(block.as_u32()));
            let Some((value, _)) = from_here else {
                return Err(self.error(phi, "a value for every predecessor"));
            };
            let operand = match self.operand(value) {
                Ok(operand) => operand,
                Err(failure) => {
                    let ty =
                        self.body.values[self.body.blocks[successor].phis[position].result].clone();
                    let stand_in = self.body.values.push(ty);
                    match failure {
                        Failure::Unsupported(what) => self.emit_unsupported(what, Some(stand_in)),
                        Failure::Malformed(expected) => return Err(self.error(phi, expected)),
                    }
                    Operand::Value(stand_in)
                }
            };
            self.body.blocks[successor].phis[position]
                .incoming
                .push((block, operand));
            position += 1;
        }
        Ok(())
    }

    fn target(&self, slot: Slot) -> Attempt<BlockId> {
        match self.source.slots[slot.0 as usize] {
            SlotUse::Block(number) => Ok(BlockId::from_u32(number)),
            _ => malformed("the label of a block"),
        }
    }

    fn terminator(&mut self, inst: &'m Inst<'a>) -> Attempt<Terminator> {
        match &inst.kind {
            InstKind::Return(None) => {
                if self.lowering.program.functions[self.function]
                    .result
                    .is_some()
                {
                    return malformed("a value to return");
                }
                Ok(Terminator::Return(None))
            }
            InstKind::Return(Some(value)) => {
                let ty = self.value_type(value.ty)?;
                if self.lowering.program.functions[self.function].result != Some(ty) {
                    return malformed("a value of the function's result type");
                }
                let value = self.operand(value)?;
                Ok(Terminator::Return(Some(value)))
            }
            InstKind::Jump(target) => Ok(Terminator::Jump(self.target(*target)?)),
            InstKind::Branch {
                condition,
                then,
                otherwise,
            } => {
                if self.value_type(condition.ty)? != ir::Type::BOOL {
                    return malformed("a condition of type i1");
                }
                Ok(Terminator::Branch {
                    condition: self.operand(condition)?,
                    then: self.target(*then)?,
                    otherwise: self.target(*otherwise)?,
                })
            }
            InstKind::Switch {
                value,
                cases,
                default,
            } => {
                if !self.value_type(value.ty)?.is_int() {
                    return malformed("an integer to switch on");
                }
                let mut lowered = Vec::with_capacity(cases.len());
                let mut known = HashSet::with_capacity(cases.len());
                for (case, target) in cases {
                    let folded = self.lowering.fold(self.module, case.ty, &case.value)?;
                    match folded {
                        Some(scalar) if scalar.symbol.is_none() && case.ty == value.ty => {
                            if !known.insert(scalar.value) {
                                return malformed("every case once");
                            }
                            lowered.push((scalar.value, self.target(*target)?));
                        }
                        _ => return malformed("an integer constant"),
                    }
                }
                Ok(Terminator::Switch {
                    value: self.operand(value)?,
                    cases: lowered,
                    default: self.target(*default)?,
                })
            }
            InstKind::IndirectJump { address, targets } => {
                let mut lowered = Vec::with_capacity(targets.len());
                for target in targets {
                    lowered.push(self.target(*target)?);
                }
                if self.value_type(address.ty)? != ir::Type::Pointer {
                    return malformed("an address to jump to");
                }
                Ok(Terminator::IndirectJump {
                    address: self.operand(address)?,
                    targets: lowered,
                })
            }
            InstKind::Invoke { call, normal } => {
                let outcome = self.call(inst, call);
                match outcome {
                    Ok(()) => Ok(Terminator::Jump(self.target(*normal)?)),
                    Err(failure) => Err(failure),
                }
            }
            InstKind::Unreachable => Ok(Terminator::Unreachable),
            InstKind::UnsupportedTerminator(what) => Err(Failure::Unsupported(what.clone())),
            _ => malformed("a terminator"),
        }
    }
}
