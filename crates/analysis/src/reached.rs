//! Which blocks runs may come to, as far as constants decide it.
//!
//! Compilers make one function of many: the accesses of C++ atomics are a choice between
//! all memory orders, of which each call takes one, by a constant. This follows such
//! constants through parameters, results, locals that nobody else knows and simple
//! arithmetic, over all functions at once, and leaves out the ways that none of them
//! leads to. It begins with nothing and adds what may be, until nothing is added, as in
//! Wegman and Zadeck, "Constant Propagation with Conditional Branches" (1991); but a value
//! may be one of a few constants.
//!
//! What is not followed may be anything: what is read from memory, what library functions
//! and calls by address return, and the parameters of functions whose address is taken.

use crate::meaning::Meaning;
use crate::{PointsTo, locals};
use cranelift_entity::{EntitySet, SecondaryMap};
use ir::{
    BinaryOp, BlockId, Body, Callee, Cast, Comparison, Constant, Dominators, FunctionId, Initial,
    Inst, Op, Operand, Program, Symbol, Terminator, Type, ValueId,
};
use std::collections::{BTreeSet, HashMap};

/// A value that may be one of more constants than this may be anything.
const MOST: usize = 8;

/// What a value may be. Nothing, as long as no run is known to make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    OneOf(BTreeSet<u128>),
    Anything,
}

impl Default for Known {
    fn default() -> Known {
        Known::OneOf(BTreeSet::new())
    }
}

impl Known {
    fn constant(value: u128) -> Known {
        Known::OneOf([value].into())
    }

    /// Adds what another may be. Whether that was new.
    fn add(&mut self, other: &Known) -> bool {
        let before = match self {
            Known::Anything => return false,
            Known::OneOf(values) => values,
        };
        match other {
            Known::OneOf(values) if values.is_subset(before) => return false,
            Known::OneOf(values) => before.extend(values),
            Known::Anything => *self = Known::Anything,
        }
        if matches!(self, Known::OneOf(values) if values.len() > MOST) {
            *self = Known::Anything;
        }
        true
    }

    /// What may come of two values.
    fn combine(&self, other: &Known, result: impl Fn(u128, u128) -> Option<u128>) -> Known {
        let (Known::OneOf(lefts), Known::OneOf(rights)) = (self, other) else {
            let is_empty = |known: &Known| *known == Known::default();
            return match is_empty(self) || is_empty(other) {
                true => Known::default(),
                false => Known::Anything,
            };
        };
        let mut all = Known::default();
        for left in lefts {
            for right in rights {
                match result(*left, *right) {
                    Some(value) => all.add(&Known::constant(value)),
                    None => all.add(&Known::Anything),
                };
            }
        }
        all
    }
}

/// What is known of one function.
#[derive(Clone, Default)]
struct Knowledge {
    blocks: EntitySet<BlockId>,
    values: SecondaryMap<ValueId, Known>,
    /// Locals that only loads and stores know, by address: what is stored there.
    locals: HashMap<ValueId, Known>,
    result: Known,
}

pub(crate) struct Reached<'p> {
    program: &'p Program,
    meaning: &'p Meaning,
    functions: SecondaryMap<FunctionId, Knowledge>,
    /// What changed something that they depend on.
    open: BTreeSet<FunctionId>,
    callers: SecondaryMap<FunctionId, BTreeSet<FunctionId>>,
}

impl<'p> Reached<'p> {
    pub(crate) fn of(
        program: &'p Program,
        meaning: &'p Meaning,
        points_to: &PointsTo,
    ) -> Reached<'p> {
        let mut reached = Reached {
            program,
            meaning,
            functions: SecondaryMap::new(),
            open: BTreeSet::new(),
            callers: SecondaryMap::new(),
        };
        let roots = [program.main].into_iter();
        let roots = roots.chain(program.startup.iter().copied());
        let roots = roots.chain(program.cleanup.iter().copied());
        let taken = addressed(program).into_iter();
        for function in roots.chain(taken.filter(|function| points_to.is_reached(*function))) {
            let count = program.functions[function].params.len();
            reached.enter(function, &vec![Known::Anything; count]);
        }
        while let Some(function) = reached.open.pop_first() {
            reached.walk(function);
        }
        reached
    }

    pub(crate) fn is_reached(&self, function: FunctionId, block: BlockId) -> bool {
        self.functions[function].blocks.contains(block)
    }

    /// What an operand of an instruction in a function may be.
    pub(crate) fn known(&self, function: FunctionId, operand: Operand) -> Known {
        match operand {
            Operand::Value(value) => self.functions[function].values[value].clone(),
            Operand::Const(id) => match self.program.constant(id) {
                Constant::Int { value, .. } => Known::constant(*value),
                _ => Known::Anything,
            },
        }
    }

    /// A function is called with such arguments.
    fn enter(&mut self, function: FunctionId, arguments: &[Known]) {
        let Some(body) = &self.program.functions[function].body else {
            return;
        };
        let own = &mut self.functions[function];
        let mut is_new = own.blocks.insert(Body::ENTRY);
        for (value, known) in body.values.keys().zip(arguments) {
            is_new |= own.values[value].add(known);
        }
        if is_new {
            if own.locals.is_empty() {
                own.locals = private_locals(self.program, body);
            }
            self.open.insert(function);
        }
    }

    /// Looks at all blocks of a function that may be reached, until nothing changes.
    fn walk(&mut self, function: FunctionId) {
        let Some(body) = &self.program.functions[function].body else {
            return;
        };
        let dominators = Dominators::of(body);
        let result_before = self.functions[function].result.clone();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for block in dominators.reverse_postorder() {
                if self.is_reached(function, *block) {
                    has_changed |= self.walk_block(function, body, *block, &dominators);
                }
            }
        }
        if self.functions[function].result != result_before {
            self.open.extend(self.callers[function].iter().copied());
        }
    }

    fn walk_block(
        &mut self,
        function: FunctionId,
        body: &Body,
        block: BlockId,
        dominators: &Dominators,
    ) -> bool {
        let mut has_changed = false;
        for phi in &body.blocks[block].phis {
            for (before, operand) in &phi.incoming {
                if self.is_reached(function, *before) {
                    let known = self.known(function, *operand);
                    has_changed |= self.functions[function].values[phi.result].add(&known);
                }
            }
        }
        for inst in &body.blocks[block].insts {
            let data = &body.insts[*inst];
            if let Op::Store { address, value, .. } = &data.op
                && let Operand::Value(address) = address
            {
                let known = self.known(function, *value);
                if let Some(local) = self.functions[function].locals.get_mut(address) {
                    has_changed |= local.add(&known);
                }
            }
            let known = self.result_of(function, body, data, block, dominators);
            if let Some(result) = data.result {
                has_changed |= self.functions[function].values[result].add(&known);
            }
        }
        for next in self.next(function, &body.blocks[block].terminator) {
            has_changed |= self.functions[function].blocks.insert(next);
        }
        if let Terminator::Return(Some(value)) = &body.blocks[block].terminator {
            let known = self.known(function, *value);
            self.functions[function].result.add(&known);
        }
        has_changed
    }

    /// Where a block may lead to.
    fn next(&self, function: FunctionId, terminator: &Terminator) -> Vec<BlockId> {
        let known = |operand: Operand| match self.known(function, operand) {
            Known::OneOf(values) => Some(values),
            Known::Anything => None,
        };
        match terminator {
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => match known(*condition) {
                Some(values) => {
                    let way = |value: &u128| if *value == 0 { *otherwise } else { *then };
                    values.iter().map(way).collect()
                }
                None => terminator.successors(),
            },
            Terminator::Switch {
                value,
                cases,
                default,
            } => match known(*value) {
                Some(values) => {
                    let way = |value: &u128| {
                        let case = cases.iter().find(|(case, _)| case == value);
                        case.map_or(*default, |(_, target)| *target)
                    };
                    values.iter().map(way).collect()
                }
                None => terminator.successors(),
            },
            _ => terminator.successors(),
        }
    }

    fn result_of(
        &mut self,
        function: FunctionId,
        body: &Body,
        inst: &Inst,
        block: BlockId,
        dominators: &Dominators,
    ) -> Known {
        let known = |operand: &Operand| self.known(function, *operand);
        let bits = |operand: &Operand| match body.operand_type(self.program, *operand) {
            Type::Int(bits) => Some(bits),
            _ => None,
        };
        match &inst.op {
            Op::Load {
                address: Operand::Value(address),
                ..
            } if is_stored_before(body, *address, inst, block, dominators) => {
                let locals = &self.functions[function].locals;
                locals.get(address).cloned().unwrap_or(Known::Anything)
            }
            Op::Binary {
                op, left, right, ..
            } => {
                let bits = bits(left);
                known(left).combine(&known(right), |a, b| binary(*op, a, b, bits?))
            }
            Op::Compare { op, left, right } => {
                let bits = bits(left);
                known(left).combine(&known(right), |a, b| compare(*op, a, b, bits?))
            }
            Op::Cast { op, value } => {
                let from = bits(value);
                let to = inst.result.map(|result| &body.values[result]);
                let Some(Type::Int(to)) = to else {
                    return Known::Anything;
                };
                let once = Known::constant(0);
                known(value).combine(&once, |value, _| cast(*op, value, from?, *to))
            }
            Op::Select {
                then, otherwise, ..
            } => {
                let mut all = known(then);
                all.add(&known(otherwise));
                all
            }
            Op::Call { callee, args, .. } => {
                let args: Vec<Known> = args.iter().map(known).collect();
                self.call(function, callee, args)
            }
            _ => Known::Anything,
        }
    }

    /// What a call may return.
    fn call(&mut self, caller: FunctionId, callee: &Callee, mut args: Vec<Known>) -> Known {
        let Callee::Direct(callee) = callee else {
            return Known::Anything;
        };
        let data = &self.program.functions[*callee];
        if data.body.is_none() || self.meaning.entry(*callee).is_some() {
            return Known::Anything;
        }
        args.resize(data.params.len(), Known::Anything);
        self.callers[*callee].insert(caller);
        self.enter(*callee, &args);
        self.functions[*callee].result.clone()
    }
}

/// Functions whose address somebody may have.
fn addressed(program: &Program) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    for (_, constant) in program.constants() {
        if let Constant::Function(function) = constant {
            found.insert(*function);
        }
    }
    for global in program.globals.values() {
        if let Initial::Bytes { relocations, .. } = &global.initial {
            for relocation in relocations {
                if let Symbol::Function(function) = relocation.symbol {
                    found.insert(function);
                }
            }
        }
    }
    found
}

/// Private locals of the entry that only hold integers of one type, with nothing stored.
fn private_locals(program: &Program, body: &Body) -> HashMap<ValueId, Known> {
    let private = locals::private(body);
    let mut types: HashMap<ValueId, Option<Type>> = HashMap::new();
    for inst in &body.blocks[Body::ENTRY].insts {
        let data = &body.insts[*inst];
        if let (Op::Local { .. }, Some(result)) = (&data.op, data.result)
            && private.contains(result)
        {
            types.insert(result, None);
        }
    }
    for inst in body.insts.values() {
        let (address, ty) = match (&inst.op, inst.result) {
            (Op::Load { address, .. }, Some(result)) => (*address, body.values[result].clone()),
            (Op::Store { address, value, .. }, _) => (*address, body.operand_type(program, *value)),
            _ => continue,
        };
        let Operand::Value(address) = address else {
            continue;
        };
        let is_other = (types.get(&address)).is_some_and(|known| match (known, &ty) {
            (Some(known), ty) => known != ty,
            (None, ty) => !matches!(ty, Type::Int(_)),
        });
        if is_other {
            types.remove(&address);
        } else if let Some(known) = types.get_mut(&address) {
            *known = Some(ty);
        }
    }
    let known = |address| (address, Known::default());
    types.into_keys().map(known).collect()
}

/// Whether something was stored in a local whenever a load comes by.
fn is_stored_before(
    body: &Body,
    address: ValueId,
    load: &Inst,
    block: BlockId,
    dominators: &Dominators,
) -> bool {
    let stores = |inst: &Inst| matches!(&inst.op, Op::Store { address: to, .. } if *to == Operand::Value(address));
    let mut earlier = (body.blocks[block].insts.iter())
        .map(|inst| &body.insts[*inst])
        .take_while(|inst| !std::ptr::eq(*inst, load));
    if earlier.any(stores) {
        return true;
    }
    let mut above = dominators.immediate(block);
    while let Some(block) = above {
        let mut insts = body.blocks[block].insts.iter();
        if insts.any(|inst| stores(&body.insts[*inst])) {
            return true;
        }
        above = dominators.immediate(block);
    }
    false
}

fn mask(bits: u32) -> u128 {
    match bits {
        128.. => u128::MAX,
        bits => (1 << bits) - 1,
    }
}

fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    ((value << shift) as i128) >> shift
}

fn binary(op: BinaryOp, left: u128, right: u128, bits: u32) -> Option<u128> {
    let value = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        _ => return None,
    };
    Some(value & mask(bits))
}

fn compare(op: Comparison, left: u128, right: u128, bits: u32) -> Option<u128> {
    let (a, b) = (signed(left, bits), signed(right, bits));
    Some(u128::from(match op {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::UnsignedLess => left < right,
        Comparison::UnsignedLessEqual => left <= right,
        Comparison::UnsignedGreater => left > right,
        Comparison::UnsignedGreaterEqual => left >= right,
        Comparison::SignedLess => a < b,
        Comparison::SignedLessEqual => a <= b,
        Comparison::SignedGreater => a > b,
        Comparison::SignedGreaterEqual => a >= b,
    }))
}

fn cast(op: Cast, value: u128, from: u32, to: u32) -> Option<u128> {
    match op {
        Cast::Truncate | Cast::ZeroExtend => Some(value & mask(to)),
        Cast::SignExtend => Some(signed(value, from) as u128 & mask(to)),
        _ => None,
    }
}
