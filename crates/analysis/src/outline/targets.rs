//! Which functions a pointer to a function may point to.
//!
//! Followed are constants, choices between them, variables whose address does
//! not escape (all that is ever stored in them counts, in whatever order), their
//! initial values, copies of these, and parameters of functions that are only
//! called by name. Everything else is unknown, and then all functions come into
//! question whose address is taken and whose signature fits.

use super::addresses::{Addresses, Object, Place};
use super::source_order;
use crate::library_calls::Use;
use crate::meaning::Meaning;
use cranelift_entity::{EntitySet, PrimaryMap};
use ir::{
    Callee, ConstId, Constant, FunctionId, GlobalId, Initial, Op, Operand, Program, Symbol, Type,
    ValueId,
};
use library::{Function, Memory};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The functions that one pointer may point to, in source order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Targets {
    Known(Vec<FunctionId>),
    /// All that fit.
    Candidates(Vec<FunctionId>),
}

impl Targets {
    pub(super) fn functions(&self) -> &[FunctionId] {
        match self {
            Targets::Known(functions) | Targets::Candidates(functions) => functions,
        }
    }
}

/// What calls of an unknown function pass and expect.
pub(super) struct Signature {
    pub params: Vec<Type>,
    /// `None` if the result is of no interest.
    pub result: Option<Type>,
}

/// A variable of the whole program.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Local(FunctionId, ir::InstId),
    Global(GlobalId),
}

/// Something that is put into a variable at an offset.
struct Written {
    function: FunctionId,
    offset: Option<i64>,
    content: Content,
}

enum Content {
    Value(Operand),
    CopyFrom(Operand),
}

pub(super) struct Resolver<'p> {
    program: &'p Program,
    addresses: &'p PrimaryMap<FunctionId, Option<Addresses<'p>>>,
    written: HashMap<Variable, Vec<Written>>,
    /// Variables whose address is stored or handed on somewhere.
    escaping: EntitySet<GlobalId>,
    /// Functions that are used in other ways than by calling them.
    address_taken: EntitySet<FunctionId>,
    /// Calls by name: the caller and the arguments.
    callers: HashMap<FunctionId, Vec<(FunctionId, &'p [Operand])>>,
}

impl<'p> Resolver<'p> {
    pub(super) fn new(
        program: &'p Program,
        meaning: &Meaning,
        addresses: &'p PrimaryMap<FunctionId, Option<Addresses<'p>>>,
    ) -> Resolver<'p> {
        let mut resolver = Resolver {
            program,
            addresses,
            written: HashMap::new(),
            escaping: EntitySet::new(),
            address_taken: EntitySet::new(),
            callers: HashMap::new(),
        };
        for global in program.globals.values() {
            resolver.note_initial(&global.initial);
        }
        for (function, addresses) in addresses.iter() {
            if let Some(addresses) = addresses {
                resolver.note_body(function, addresses, meaning);
            }
        }
        resolver
    }

    /// Whether the variable's address may be anywhere.
    pub(super) fn is_escaping(&self, global: GlobalId) -> bool {
        self.escaping.contains(global)
    }

    /// What `operand` of `function` may point to.
    pub(super) fn targets(
        &self,
        function: FunctionId,
        operand: Operand,
        signature: &Signature,
    ) -> Targets {
        let mut search = Search {
            resolver: self,
            found: BTreeSet::new(),
            visited: HashSet::new(),
        };
        let in_source_order = |mut functions: Vec<FunctionId>| {
            functions.sort_by_key(|id| source_order(self.program.functions[*id].location));
            functions
        };
        match search.operand(function, operand) {
            Some(()) => Targets::Known(in_source_order(search.found.into_iter().collect())),
            None => Targets::Candidates(in_source_order(self.candidates(signature))),
        }
    }

    fn candidates(&self, signature: &Signature) -> Vec<FunctionId> {
        let fits = |id: &FunctionId| {
            let function = &self.program.functions[*id];
            let has_fitting_params = function.params.len() == signature.params.len()
                && function
                    .params
                    .iter()
                    .zip(&signature.params)
                    .all(|(param, ty)| param.ty == *ty);
            let has_fitting_result =
                signature.result.is_none() || signature.result == function.result;
            function.body.is_some() && has_fitting_params && has_fitting_result
        };
        self.address_taken.iter().filter(fits).collect()
    }

    fn note_initial(&mut self, initial: &Initial) {
        let Initial::Bytes { relocations, .. } = initial else {
            return;
        };
        for relocation in relocations {
            match relocation.symbol {
                Symbol::Function(function) => {
                    self.address_taken.insert(function);
                }
                Symbol::Global(global) => {
                    self.escaping.insert(global);
                }
                Symbol::Label(..) => {}
            }
        }
    }

    fn note_body(&mut self, function: FunctionId, addresses: &Addresses, meaning: &Meaning) {
        let Some(body) = &self.program.functions[function].body else {
            return;
        };
        for block in body.blocks.values() {
            let incoming = block.phis.iter().flat_map(|phi| &phi.incoming);
            incoming.for_each(|(_, operand)| self.note_operand(*operand));
            for inst in &block.insts {
                let op = &body.insts[*inst].op;
                op.for_each_operand(|operand| self.note_operand(operand));
                self.note_op(function, op, addresses, meaning);
            }
            block
                .terminator
                .for_each_operand(|operand| self.note_operand(operand));
        }
        addresses.for_each_use(meaning, |place, kind| {
            if let (Object::Global(global), Use::Escape) = (place.object, kind) {
                self.escaping.insert(global);
            }
        });
    }

    fn note_op(
        &mut self,
        function: FunctionId,
        op: &'p Op,
        addresses: &Addresses,
        meaning: &Meaning,
    ) {
        let (address, content) = match op {
            Op::Store { address, value, .. }
            | Op::Rmw { address, value, .. }
            | Op::CompareExchange {
                address,
                replacement: value,
                ..
            } => (*address, Content::Value(*value)),
            Op::Call { callee, args, .. } => {
                if let Callee::Direct(callee) = callee {
                    let callers = self.callers.entry(*callee).or_default();
                    callers.push((function, args));
                }
                match (meaning.of_callee(callee), args.as_slice()) {
                    (
                        Some(Function::Memory(Memory::Copy | Memory::Move | Memory::PCopy)),
                        [to, from, ..],
                    ) => (*to, Content::CopyFrom(*from)),
                    _ => return,
                }
            }
            _ => return,
        };
        if let Some(place) = addresses.place(address) {
            let written = self.written.entry(variable(function, place)).or_default();
            written.push(Written {
                function,
                offset: place.offset,
                content,
            });
        }
    }

    fn note_operand(&mut self, operand: Operand) {
        if let Operand::Const(id) = operand {
            self.note_constant(id);
        }
    }

    fn note_constant(&mut self, id: ConstId) {
        match self.program.constant(id) {
            Constant::Function(function) => {
                self.address_taken.insert(*function);
            }
            Constant::Tuple { fields, .. } => {
                for field in fields {
                    if let Constant::Global { global, .. } = self.program.constant(*field) {
                        self.escaping.insert(*global);
                    }
                    self.note_constant(*field);
                }
            }
            _ => {}
        }
    }
}

fn variable(function: FunctionId, place: Place) -> Variable {
    match place.object {
        Object::Local(local) => Variable::Local(function, local),
        Object::Global(global) => Variable::Global(global),
    }
}

/// One question. Its methods return `None` as soon as the answer is not known.
struct Search<'r> {
    resolver: &'r Resolver<'r>,
    found: BTreeSet<FunctionId>,
    /// What was asked before, and is therefore already in `found` or about to be.
    visited: HashSet<Question>,
}

#[derive(PartialEq, Eq, Hash)]
enum Question {
    Value(FunctionId, ValueId),
    Variable(Variable, Option<i64>),
}

impl Search<'_> {
    fn operand(&mut self, function: FunctionId, operand: Operand) -> Option<()> {
        let program = self.resolver.program;
        match operand {
            Operand::Const(id) => match program.constant(id) {
                Constant::Function(function) => {
                    self.found.insert(*function);
                    Some(())
                }
                // Numbers belong to other members of the same variable.
                Constant::Null | Constant::Int { .. } => Some(()),
                _ => None,
            },
            Operand::Value(value) => {
                if !self.visited.insert(Question::Value(function, value)) {
                    return Some(());
                }
                self.value(function, value)
            }
        }
    }

    fn value(&mut self, function: FunctionId, value: ValueId) -> Option<()> {
        let code = &self.resolver.program.functions[function];
        if (value.as_u32() as usize) < code.params.len() {
            return self.param(function, value.as_u32() as usize);
        }
        let body = code.body.as_ref()?;
        let mut phis = body.blocks.values().flat_map(|block| &block.phis);
        if let Some(phi) = phis.find(|phi| phi.result == value) {
            return phi
                .incoming
                .iter()
                .try_for_each(|(_, operand)| self.operand(function, *operand));
        }
        if body.values[value] != Type::Pointer {
            return Some(());
        }
        let inst = body.insts.values().find(|i| i.result == Some(value))?;
        match &inst.op {
            Op::Load { address, .. } => {
                let addresses = self.resolver.addresses[function].as_ref()?;
                self.content(function, addresses.place(*address)?)
            }
            Op::Select {
                then, otherwise, ..
            } => {
                self.operand(function, *then)?;
                self.operand(function, *otherwise)
            }
            _ => None,
        }
    }

    fn param(&mut self, function: FunctionId, index: usize) -> Option<()> {
        if self.resolver.address_taken.contains(function) {
            return None;
        }
        let callers = self.resolver.callers.get(&function)?;
        callers
            .iter()
            .try_for_each(|(caller, args)| self.operand(*caller, *args.get(index)?))
    }

    /// Everything that may be found at a place.
    fn content(&mut self, function: FunctionId, place: Place) -> Option<()> {
        let resolver = self.resolver;
        let variable = variable(function, place);
        if !self
            .visited
            .insert(Question::Variable(variable, place.offset))
        {
            return Some(());
        }
        match variable {
            Variable::Local(owner, local) => {
                if resolver.addresses[owner].as_ref()?.is_escaping(local) {
                    return None;
                }
            }
            Variable::Global(global) => {
                let data = &resolver.program.globals[global];
                if data.is_external || (!data.is_constant && resolver.is_escaping(global)) {
                    return None;
                }
                self.initial(&data.initial, place.offset);
            }
        }
        for written in resolver.written.get(&variable).into_iter().flatten() {
            match written.content {
                Content::Value(value) if may_equal(written.offset, place.offset) => {
                    self.operand(written.function, value)?;
                }
                Content::Value(_) => {}
                Content::CopyFrom(source) => {
                    let addresses = resolver.addresses[written.function].as_ref()?;
                    let source = addresses.place(source)?;
                    let source = Place {
                        object: source.object,
                        offset: shift(source.offset, written.offset, place.offset),
                    };
                    self.content(written.function, source)?;
                }
            }
        }
        Some(())
    }

    fn initial(&mut self, initial: &Initial, offset: Option<i64>) {
        let Initial::Bytes { relocations, .. } = initial else {
            return;
        };
        for relocation in relocations {
            if let Symbol::Function(function) = relocation.symbol
                && may_equal(i64::try_from(relocation.offset).ok(), offset)
            {
                self.found.insert(function);
            }
        }
    }
}

fn may_equal(a: Option<i64>, b: Option<i64>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// Where a copy to `to` has taken what is now at `wanted` from.
fn shift(from: Option<i64>, to: Option<i64>, wanted: Option<i64>) -> Option<i64> {
    from?.checked_add(wanted?.checked_sub(to?)?)
}
