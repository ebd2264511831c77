//! From a program to constraints: what each instruction and each call means for
//! the sets of pointers.
//!
//! Functions are looked at when they turn out to be called, so what nobody can
//! run adds nothing. Calls through pointers are bound as their targets are found.

use super::calls::{Argument, Call, Waiting};
use super::cells::Offsets;
use super::leaves::{Leaf, field_leaves, leaves};
use super::solver::{NodeId, ObjectIndex, Solver};
use super::{AbstractObject, Site};
use crate::meaning::Meaning;
use cranelift_entity::{EntityRef, SecondaryMap};
use ir::{
    BinaryOp, Body, Builtin, Callee, Cast, ConstId, Constant, FunctionId, Global, GlobalId,
    Initial, InstId, Op, Operand, Program, RmwOp, Symbol, Terminator, ValueId,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The nodes of a value, one per leaf.
pub(super) type Nodes = Vec<NodeId>;

pub(super) struct Builder<'p> {
    pub program: &'p Program,
    pub meaning: &'p Meaning,
    pub solver: Solver,
    pub objects: HashMap<ObjectIndex, AbstractObject>,
    pub object_ids: HashMap<AbstractObject, ObjectIndex>,
    /// Per function that was looked at, the nodes of each of its values.
    pub values: SecondaryMap<FunctionId, Option<Vec<Nodes>>>,
    pub results: SecondaryMap<FunctionId, Option<Nodes>>,
    pub constants: HashMap<ConstId, Nodes>,
    pub sites: BTreeMap<(FunctionId, InstId), Site>,
    pub waiting: Vec<Waiting>,
    pub queue: Vec<FunctionId>,
    /// The content of [`AbstractObject::Unknown`]: all that unknown code knows.
    pub escaped: NodeId,
    pub thread_results: NodeId,
    pub key_values: NodeId,
    /// What goes through pipes and the like.
    pub sent: NodeId,
    /// What is to run when signals arrive.
    pub handlers: NodeId,
    pub thread_arguments: NodeId,
    pub watched_addresses: HashSet<NodeId>,
    /// Pointers that were made numbers. Subtracted they give a distance.
    pub casts: HashSet<NodeId>,
    pub at_end: Vec<FunctionId>,
    pub on_keys: Vec<FunctionId>,
}

impl<'p> Builder<'p> {
    pub(super) fn new(program: &'p Program, meaning: &'p Meaning) -> Builder<'p> {
        let mut solver = Solver::new();
        let mut node = || solver.node();
        let (thread_results, key_values, thread_arguments) = (node(), node(), node());
        let (sent, handlers) = (node(), node());
        let mut builder = Builder {
            program,
            meaning,
            objects: HashMap::new(),
            object_ids: HashMap::new(),
            values: SecondaryMap::new(),
            results: SecondaryMap::new(),
            constants: HashMap::new(),
            sites: BTreeMap::new(),
            waiting: Vec::new(),
            queue: Vec::new(),
            escaped: NodeId(0),
            thread_results,
            key_values,
            sent,
            handlers,
            thread_arguments,
            watched_addresses: HashSet::new(),
            casts: HashSet::new(),
            at_end: Vec::new(),
            on_keys: Vec::new(),
            solver,
        };
        let unknown = builder.object(AbstractObject::Unknown);
        builder.escaped = builder.solver.writer(unknown, Offsets::ANY, 1);
        builder.watch(builder.escaped, Waiting::Escaped);
        builder
    }

    pub(super) fn build(&mut self) {
        let environment = self.object(AbstractObject::Environment);
        let content = self.solver.writer(environment, Offsets::ANY, 1);
        self.solver.add(content, environment, Offsets::ANY);
        for (id, global) in self.program.globals.iter() {
            self.initial(id, global);
        }
        let main = self.program.main;
        for root in [main]
            .iter()
            .chain(&self.program.startup)
            .chain(&self.program.cleanup)
        {
            self.reach(*root);
        }
        self.look_at_queue();
        let params = self.program.functions[main].params.len();
        for index in 1..params {
            for node in self.param(main, index) {
                self.solver.add(node, environment, Offsets::ANY);
            }
        }
        loop {
            self.look_at_queue();
            let sightings = self.solver.solve();
            if sightings.is_empty() && self.queue.is_empty() {
                break;
            }
            for sighting in sightings {
                let location = self.solver.location(sighting.location);
                let object = self.objects[&location.object];
                self.see(sighting.tag as usize, location.object, object);
            }
        }
        self.at_end.sort_unstable();
        self.at_end.dedup();
        self.on_keys.sort_unstable();
        self.on_keys.dedup();
        for site in self.sites.values_mut() {
            for list in [&mut site.callees, &mut site.starts, &mut site.callbacks] {
                list.sort_unstable();
                list.dedup();
            }
        }
    }

    pub(super) fn object(&mut self, object: AbstractObject) -> ObjectIndex {
        if let Some(id) = self.object_ids.get(&object) {
            return *id;
        }
        let id = self.solver.object();
        self.objects.insert(id, object);
        self.object_ids.insert(object, id);
        id
    }

    pub(super) fn object_index(&self, object: AbstractObject) -> Option<ObjectIndex> {
        self.object_ids.get(&object).copied()
    }

    fn global(&mut self, id: GlobalId) -> ObjectIndex {
        self.object(match self.program.globals[id].is_thread_local {
            true => AbstractObject::ThreadLocal(id),
            false => AbstractObject::Global(id),
        })
    }

    fn initial(&mut self, id: GlobalId, global: &Global) {
        let object = self.global(id);
        if global.is_external {
            // The standard streams, or something of code that we do not have.
            let content = self.solver.writer(object, Offsets::ANY, 1);
            match global.symbol.as_str() {
                "stdin" | "stdout" | "stderr" => {
                    let environment = self.object(AbstractObject::Environment);
                    self.solver.add(content, environment, Offsets::ANY);
                }
                _ => self.solver.add(self.escaped, object, Offsets::ANY),
            }
        }
        let Initial::Bytes { relocations, .. } = &global.initial else {
            return;
        };
        for relocation in relocations {
            let target = match relocation.symbol {
                Symbol::Global(target) => self.global(target),
                Symbol::Function(target) => self.object(AbstractObject::Function(target)),
                Symbol::Label(..) => continue,
            };
            let at = Offsets::exactly(relocation.offset as i64);
            let bytes = self.program.target.pointer_bytes;
            let content = self.solver.writer(object, at, bytes);
            self.solver
                .add(content, target, Offsets::exactly(relocation.addend));
        }
    }

    // Functions.

    pub(super) fn reach(&mut self, function: FunctionId) {
        let body = &self.program.functions[function].body;
        if let (None, Some(body)) = (&self.values[function], body) {
            let values = body.values.values();
            let pointer_bytes = self.program.target.pointer_bytes;
            let nodes = values
                .map(|ty| {
                    let leaves = leaves(ty, pointer_bytes);
                    leaves.iter().map(|_| self.solver.node()).collect()
                })
                .collect();
            self.values[function] = Some(nodes);
            self.queue.push(function);
        }
    }

    fn look_at_queue(&mut self) {
        while let Some(function) = self.queue.pop() {
            if let Some(body) = &self.program.functions[function].body {
                self.body(function, body);
            }
        }
    }

    pub(super) fn param(&self, function: FunctionId, index: usize) -> Nodes {
        let values = self.values[function].as_ref();
        let nodes = values.and_then(|values| values.get(index));
        nodes.cloned().unwrap_or_default()
    }

    pub(super) fn result(&mut self, function: FunctionId) -> Nodes {
        if let Some(nodes) = &self.results[function] {
            return nodes.clone();
        }
        let nodes: Nodes = match &self.program.functions[function].result {
            Some(ty) => leaves(ty, self.program.target.pointer_bytes)
                .iter()
                .map(|_| self.solver.node())
                .collect(),
            None => Vec::new(),
        };
        self.results[function] = Some(nodes.clone());
        nodes
    }

    fn body(&mut self, function: FunctionId, body: &'p Body) {
        for block in body.blocks.values() {
            for phi in &block.phis {
                for (_, operand) in &phi.incoming {
                    let from = self.nodes(function, *operand);
                    let to = self.value(function, phi.result);
                    self.copy(&from, &to);
                }
            }
            for inst in &block.insts {
                self.inst(function, body, *inst);
            }
            if let Terminator::Return(Some(operand)) = block.terminator {
                let from = self.nodes(function, operand);
                let to = self.result(function);
                self.copy(&from, &to);
            }
        }
    }

    // Values.

    fn value(&self, function: FunctionId, value: ValueId) -> Nodes {
        self.param(function, value.index())
    }

    pub(super) fn nodes(&mut self, function: FunctionId, operand: Operand) -> Nodes {
        match operand {
            Operand::Value(value) => self.value(function, value),
            Operand::Const(id) => self.constant(id),
        }
    }

    fn constant(&mut self, id: ConstId) -> Nodes {
        if let Some(nodes) = self.constants.get(&id) {
            return nodes.clone();
        }
        let nodes = match self.program.constant(id) {
            Constant::Global { global, offset } => {
                let object = self.global(*global);
                let node = self.solver.node();
                self.solver.add(node, object, Offsets::exactly(*offset));
                vec![node]
            }
            Constant::Function(function) => {
                let object = self.object(AbstractObject::Function(*function));
                let node = self.solver.node();
                self.solver.add(node, object, Offsets::exactly(0));
                vec![node]
            }
            Constant::Tuple { ty, fields } => {
                let n_leaves = leaves(ty, self.program.target.pointer_bytes).len();
                let parts: Nodes = fields.iter().flat_map(|id| self.constant(*id)).collect();
                if parts.len() == n_leaves {
                    parts
                } else {
                    let whole = self.solver.node();
                    parts.iter().for_each(|part| self.solver.copy(*part, whole));
                    vec![whole; n_leaves]
                }
            }
            _ => {
                let ty = self.program.constant_type(id);
                let n_leaves = leaves(&ty, self.program.target.pointer_bytes).len();
                vec![Solver::NOTHING; n_leaves]
            }
        };
        self.constants.insert(id, nodes.clone());
        nodes
    }

    pub(super) fn copy(&mut self, from: &[NodeId], to: &[NodeId]) {
        if from.len() == to.len() {
            for (from, to) in from.iter().zip(to) {
                self.solver.copy(*from, *to);
            }
        } else {
            // The types do not fit: anything may end up anywhere.
            for from in from {
                to.iter().for_each(|to| self.solver.copy(*from, *to));
            }
        }
    }

    /// `to` may be made from any part of `from` by arithmetic.
    pub(super) fn mix(&mut self, from: &[NodeId], to: &[NodeId]) {
        for from in from {
            to.iter().for_each(|to| self.solver.shift(*from, 0, 1, *to));
        }
    }

    // Instructions.

    fn address(&mut self, function: FunctionId, operand: Operand) -> NodeId {
        let nodes = self.nodes(function, operand);
        let node = nodes.first().copied().unwrap_or(Solver::NOTHING);
        self.watch_address(node);
        node
    }

    pub(super) fn watch_address(&mut self, node: NodeId) {
        if node != Solver::NOTHING && self.watched_addresses.insert(node) {
            self.watch(node, Waiting::Address(node));
        }
    }

    pub(super) fn watch(&mut self, node: NodeId, waiting: Waiting) {
        let tag = self.waiting.len() as u32;
        self.waiting.push(waiting);
        let only = match &self.waiting[tag as usize] {
            Waiting::Address(_) => self.object_index(AbstractObject::Unknown),
            _ => None,
        };
        self.solver.watch(node, only, tag);
    }

    pub(super) fn load(&mut self, address: NodeId, leaves: &[Leaf], to: &[NodeId]) {
        for (leaf, to) in leaves.iter().zip(to) {
            self.solver.load(address, leaf.at as i64, leaf.bytes, *to);
        }
    }

    pub(super) fn store(&mut self, address: NodeId, leaves: &[Leaf], value: &[NodeId]) {
        for (leaf, value) in leaves.iter().zip(value) {
            self.solver
                .store(address, leaf.at as i64, leaf.bytes, *value);
        }
    }

    fn inst(&mut self, function: FunctionId, body: &'p Body, id: InstId) {
        let program = self.program;
        let pointer_bytes = program.target.pointer_bytes;
        let inst = &body.insts[id];
        let to = match inst.result {
            Some(result) => self.value(function, result),
            None => Vec::new(),
        };
        let leaves_of =
            |operand: Operand| leaves(&body.operand_type(program, operand), pointer_bytes);
        let result_leaves = match inst.result {
            Some(result) => leaves(&body.values[result], pointer_bytes),
            None => Vec::new(),
        };
        match &inst.op {
            Op::Local { .. } => {
                let object = self.object(AbstractObject::Local { function, inst: id });
                self.solver.add(to[0], object, Offsets::exactly(0));
            }
            Op::Load { address, .. } => {
                let address = self.address(function, *address);
                self.load(address, &result_leaves, &to);
            }
            Op::Store { address, value, .. } => {
                let address = self.address(function, *address);
                let nodes = self.nodes(function, *value);
                self.store(address, &leaves_of(*value), &nodes);
            }
            Op::Rmw {
                op, address, value, ..
            } => {
                let address = self.address(function, *address);
                let mut nodes = self.nodes(function, *value);
                self.load(address, &result_leaves, &to);
                if *op != RmwOp::Exchange {
                    let mixed: Nodes = nodes.iter().map(|_| self.solver.node()).collect();
                    self.mix(&nodes, &mixed);
                    self.mix(&to, &mixed);
                    nodes = mixed;
                }
                self.store(address, &leaves_of(*value), &nodes);
            }
            Op::CompareExchange {
                address,
                replacement,
                ..
            } => {
                let address = self.address(function, *address);
                let nodes = self.nodes(function, *replacement);
                let leaves = leaves_of(*replacement);
                self.store(address, &leaves, &nodes);
                let old = to.get(..leaves.len()).unwrap_or(&to);
                self.load(address, &leaves, old);
            }
            Op::Binary {
                op, left, right, ..
            } => self.binary(function, *op, *left, *right, &to),
            Op::Cast { op, value } => match op {
                Cast::Truncate
                | Cast::ZeroExtend
                | Cast::SignExtend
                | Cast::PointerToInt
                | Cast::IntToPointer
                | Cast::Reinterpret => {
                    let from = self.nodes(function, *value);
                    self.copy(&from, &to);
                    if *op == Cast::PointerToInt {
                        self.casts.extend(&to);
                    }
                }
                Cast::FloatToSigned
                | Cast::FloatToUnsigned
                | Cast::SignedToFloat
                | Cast::UnsignedToFloat
                | Cast::FloatResize => {}
            },
            Op::Offset {
                base, bytes, terms, ..
            } => {
                let base = self.nodes(function, *base)[0];
                let (bytes, stride) = distance(program, *bytes, terms);
                self.solver.shift(base, bytes, stride, to[0]);
            }
            Op::Select {
                then, otherwise, ..
            } => {
                for operand in [then, otherwise] {
                    let from = self.nodes(function, *operand);
                    self.copy(&from, &to);
                }
            }
            Op::Extract { tuple, path } => {
                let from = self.nodes(function, *tuple);
                let ty = body.operand_type(program, *tuple);
                match field_leaves(&ty, path, pointer_bytes) {
                    Some(indices) => {
                        let field: Nodes = indices.iter().map(|index| from[*index]).collect();
                        self.copy(&field, &to);
                    }
                    None => self.mix(&from, &to),
                }
            }
            Op::Insert { tuple, field, path } => {
                let (whole, part) = (self.nodes(function, *tuple), self.nodes(function, *field));
                let ty = body.operand_type(program, *tuple);
                match field_leaves(&ty, path, pointer_bytes) {
                    Some(indices) => {
                        for (index, (from, to)) in whole.iter().zip(&to).enumerate() {
                            if !indices.contains(&index) {
                                self.solver.copy(*from, *to);
                            }
                        }
                        let place: Nodes = indices.iter().map(|index| to[*index]).collect();
                        self.copy(&part, &place);
                    }
                    None => {
                        self.mix(&whole, &to);
                        self.mix(&part, &to);
                    }
                }
            }
            Op::Builtin { op, args } => {
                for arg in args.iter().filter(|_| keeps_addresses(*op)) {
                    let from = self.nodes(function, *arg);
                    self.mix(&from, &to);
                }
            }
            Op::Call {
                callee,
                args,
                by_value,
            } => {
                let by_value = by_value.iter().copied().chain(std::iter::repeat(None));
                let args = args.iter().zip(by_value).map(|(arg, by_value)| Argument {
                    nodes: self.nodes(function, *arg),
                    leaves: leaves_of(*arg),
                    number: number(program, *arg),
                    is_by_value: by_value.is_some(),
                });
                let call = Call {
                    args: args.collect(),
                    caller: function,
                    inst: id,
                    result: to,
                    result_leaves,
                };
                self.sites.entry((function, id)).or_default();
                match callee {
                    Callee::Direct(callee) => self.call(&call, *callee),
                    Callee::Indirect(target) => {
                        let node = self.address(function, *target);
                        self.watch(node, Waiting::Callee(call));
                    }
                }
            }
            Op::VaStart { list } => {
                let address = self.address(function, *list);
                let area = self.object(AbstractObject::Variadic { function });
                let node = self.solver.node();
                self.solver.add(node, area, Offsets::ANY);
                let at = if pointer_bytes == 4 { 0 } else { 8 };
                self.solver.store(address, at, pointer_bytes, node);
            }
            Op::VaCopy { to, from } => {
                let (to, from) = (self.address(function, *to), self.address(function, *from));
                self.solver.copy_memory(from, to, None);
            }
            // No addresses come from these; that of a chosen value is a guess.
            Op::Any
            | Op::Fence { .. }
            | Op::FloatBinary { .. }
            | Op::FloatNegate { .. }
            | Op::Compare { .. }
            | Op::FloatCompare { .. }
            | Op::SaveStack
            | Op::RestoreStack { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    /// Arithmetic on numbers that may be addresses.
    fn binary(
        &mut self,
        function: FunctionId,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        to: &[NodeId],
    ) {
        let constants = (signed(self.program, left), signed(self.program, right));
        let (left, right) = (self.nodes(function, left), self.nodes(function, right));
        let (first, to_first) = (left[0], to[0]);
        let is_distance = [first, right[0]]
            .iter()
            .all(|node| self.casts.contains(node));
        match (op, constants) {
            (BinaryOp::Add, (_, Some(bytes))) => self.solver.shift(first, bytes, 0, to_first),
            (BinaryOp::Add, (Some(bytes), _)) => self.solver.shift(right[0], bytes, 0, to_first),
            (BinaryOp::Sub, (_, Some(bytes))) => {
                self.solver.shift(first, bytes.wrapping_neg(), 0, to_first);
            }
            // Marks in the low bits of an address are put there and taken away.
            (BinaryOp::Or, (_, Some(marks))) if (0..8).contains(&marks) => {
                for bits in submasks(marks) {
                    self.solver.shift(first, bits, 0, to_first);
                }
            }
            (BinaryOp::Xor, (_, Some(marks))) if (0..8).contains(&marks) => {
                for bits in submasks(marks) {
                    self.solver.shift(first, bits, 0, to_first);
                    self.solver.shift(first, -bits, 0, to_first);
                }
            }
            (BinaryOp::And, (_, Some(mask))) if (0..8).contains(&!mask) => {
                for bits in submasks(!mask) {
                    self.solver.shift(first, -bits, 0, to_first);
                }
            }
            // Marks on their own are no address.
            (BinaryOp::And, (_, Some(marks))) if (0..16).contains(&marks) => {}
            (BinaryOp::Sub, _) if is_distance => {}
            _ => {
                self.mix(&left, to);
                self.mix(&right, to);
            }
        }
    }
}

/// How far an [`Op::Offset`] moves: by a constant, and by multiples of a stride.
fn distance(program: &Program, bytes: i64, terms: &[(Operand, i64)]) -> (i64, u64) {
    let (mut bytes, mut stride) = (bytes, 0);
    for (index, scale) in terms {
        match signed(program, *index) {
            Some(index) => bytes = bytes.wrapping_add(index.wrapping_mul(*scale)),
            None => stride = super::cells::gcd(stride, scale.unsigned_abs()),
        }
    }
    (bytes, stride)
}

/// A constant number, sign-extended.
fn signed(program: &Program, operand: Operand) -> Option<i64> {
    let Operand::Const(id) = operand else {
        return None;
    };
    match program.constant(id) {
        Constant::Int { bits, value } if (1..=64).contains(bits) => {
            let unused = 64 - bits;
            Some(((*value as u64) << unused) as i64 >> unused)
        }
        _ => None,
    }
}

fn number(program: &Program, operand: Operand) -> Option<u64> {
    match operand {
        Operand::Const(id) => match program.constant(id) {
            Constant::Int { value, .. } => u64::try_from(*value).ok(),
            _ => None,
        },
        Operand::Value(_) => None,
    }
}

/// Every number whose bits are all in `mask`.
fn submasks(mask: i64) -> impl Iterator<Item = i64> {
    (0..=mask).filter(move |bits| bits & !mask == 0)
}

/// Whether an address can be told from the result.
fn keeps_addresses(op: Builtin) -> bool {
    !matches!(
        op,
        Builtin::CountOnes
            | Builtin::CountLeadingZeros
            | Builtin::CountTrailingZeros
            | Builtin::IsFloatClass
    )
}
