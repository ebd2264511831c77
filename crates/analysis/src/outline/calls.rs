//! Who calls whom, who creates threads, and how many visible steps there are.
//!
//! Each call is looked at once. A call through a pointer counts as calls of all
//! functions that the pointer may point to, and a call of a library function
//! that takes a function to run (`pthread_once`, `qsort`, `atexit`) as a call of
//! that one.

use super::addresses::Addresses;
use super::targets::{Resolver, Signature, Targets};
use crate::Loops;
use crate::library_calls::{
    callback_argument, destructor_argument, fixed_steps, sets_key, start_argument,
};
use crate::meaning::Meaning;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use ir::{BlockId, Body, Callee, FunctionId, Inst, Location, Op, Operand, Program, Type};
use library::{Function, Memory, Process, Thread, Verifier};

/// More positions than this are not counted.
pub(super) const MOST_POSITIONS: u64 = 1_000_000_000;

/// A call instruction.
pub(super) struct Call {
    pub location: Option<Location>,
    /// The functions that run in the calling thread.
    pub callees: Vec<FunctionId>,
    /// The functions of which one runs in a new thread.
    pub starts: Option<Targets>,
    pub is_in_loop: bool,
    /// No other thread runs at the same time.
    pub is_in_section: bool,
}

/// What the outline needs to know about one body.
pub(super) struct Code {
    pub calls: Vec<Call>,
    pub loops: Loops,
    /// Visible steps of the function's own instructions.
    pub positions: u64,
}

pub(super) struct Calls<'p> {
    program: &'p Program,
    meaning: &'p Meaning,
    code: PrimaryMap<FunctionId, Option<Code>>,
}

impl<'p> Calls<'p> {
    pub(super) fn of(
        program: &'p Program,
        meaning: &'p Meaning,
        addresses: &PrimaryMap<FunctionId, Option<Addresses<'p>>>,
        resolver: &Resolver,
    ) -> Calls<'p> {
        let read = |(function, addresses): (FunctionId, &Option<Addresses<'p>>)| {
            let body = program.functions[function].body.as_ref();
            let reader = Reader {
                program,
                meaning,
                addresses: addresses.as_ref()?,
                resolver,
                function,
                body: body.filter(|_| meaning.entry(function).is_none())?,
            };
            Some(reader.read())
        };
        let mut calls = Calls {
            program,
            meaning,
            code: addresses.iter().map(read).collect(),
        };
        calls.add_destructors(resolver);
        calls
    }

    pub(super) fn code(&self, function: FunctionId) -> Option<&Code> {
        self.code[function].as_ref()
    }

    /// The calls of a function; none if it has no body.
    fn calls(&self, function: FunctionId) -> &[Call] {
        self.code(function).map_or(&[], |code| &code.calls)
    }

    /// All functions that a thread may run which starts with `roots`, in the
    /// order in which calls of them are met.
    pub(super) fn reachable(&self, roots: &[FunctionId]) -> Vec<FunctionId> {
        let mut seen = EntitySet::new();
        let mut order = Vec::new();
        let mut open: Vec<FunctionId> = roots.iter().rev().copied().collect();
        while let Some(function) = open.pop() {
            if !seen.insert(function) {
                continue;
            }
            order.push(function);
            let callees = self.calls(function).iter().flat_map(|call| &call.callees);
            open.extend(callees.rev().filter(|callee| !seen.contains(**callee)));
        }
        order
    }

    /// Functions that may be called again and again by one of `functions`: from a
    /// loop, or by one that is itself called from a loop.
    pub(super) fn repeated(&self, functions: &[FunctionId]) -> EntitySet<FunctionId> {
        let mut repeated = EntitySet::new();
        let mut open: Vec<FunctionId> = Vec::new();
        for function in functions {
            let in_loops = self.calls(*function).iter().filter(|call| call.is_in_loop);
            open.extend(in_loops.flat_map(|call| &call.callees));
        }
        while let Some(function) = open.pop() {
            if repeated.insert(function) {
                let calls = self.calls(function).iter();
                open.extend(calls.flat_map(|call| &call.callees));
            }
        }
        repeated
    }

    /// For each function its positions with those of everything it calls, as if
    /// each call were replaced by the body of what it calls. Functions that call
    /// each other in a circle count together, once.
    /// Counts end at [`MOST_POSITIONS`].
    pub(super) fn inlined_positions(&self) -> SecondaryMap<FunctionId, u64> {
        let mut components = Components {
            calls: self,
            next: 1,
            order: SecondaryMap::new(),
            lowest: SecondaryMap::new(),
            stack: Vec::new(),
            positions: SecondaryMap::new(),
        };
        for function in self.program.functions.keys() {
            if components.order[function] == 0 {
                components.visit(function);
            }
        }
        components.positions
    }

    /// The program's own functions whose steps are steps of the caller, once for
    /// each call.
    fn counted(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> {
        let calls = self.calls(function).iter();
        let outside = calls.filter(|call| !call.is_in_section);
        let callees = outside.flat_map(|call| call.callees.iter().copied());
        callees.filter(|callee| self.code(*callee).is_some() && !self.meaning.is_atomic(*callee))
    }

    /// A thread that sets the value of a key runs a destructor at its end.
    fn add_destructors(&mut self, resolver: &Resolver) {
        let mut destructors = Vec::new();
        let mut setters = Vec::new();
        for (id, function) in self.program.functions.iter() {
            let insts = function.body.iter().flat_map(|body| body.insts.values());
            let calls = insts.filter_map(|inst| match &inst.op {
                Op::Call { callee, args, .. } => Some((self.meaning.of_callee(callee)?, args)),
                _ => None,
            });
            for (meaning, args) in calls {
                if let Some(arg) = destructor_argument(meaning).and_then(|index| args.get(index)) {
                    let signature = Signature {
                        params: vec![Type::Pointer],
                        result: None,
                    };
                    let targets = resolver.targets(id, *arg, &signature);
                    destructors.extend_from_slice(targets.functions());
                }
                if sets_key(meaning) && !setters.contains(&id) {
                    setters.push(id);
                }
            }
        }
        destructors.sort_unstable();
        destructors.dedup();
        for setter in setters {
            let Some(code) = &mut self.code[setter] else {
                continue;
            };
            code.calls.push(Call {
                location: None,
                callees: destructors.clone(),
                starts: None,
                is_in_loop: false,
                is_in_section: false,
            });
        }
    }
}

/// Reads one body.
struct Reader<'r, 'p> {
    program: &'p Program,
    meaning: &'p Meaning,
    addresses: &'r Addresses<'p>,
    resolver: &'r Resolver<'r>,
    function: FunctionId,
    body: &'p Body,
}

impl Reader<'_, '_> {
    fn read(&self) -> Code {
        let loops = Loops::of(self.body);
        let sections = self.sections();
        let mut code = Code {
            calls: Vec::new(),
            loops,
            positions: 0,
        };
        for (block, data) in self.body.blocks.iter() {
            let mut is_in_section = sections[block] == Some(true);
            for inst in &data.insts {
                let inst = &self.body.insts[*inst];
                let mut positions = self.positions(inst);
                if let Op::Call { callee, args, .. } = &inst.op {
                    let mut call = self.call(inst, callee, args);
                    call.is_in_loop = code.loops.innermost(block).is_some();
                    call.is_in_section = is_in_section;
                    let is_atomic = |callee: &&FunctionId| self.meaning.is_atomic(**callee);
                    positions += call.callees.iter().filter(is_atomic).count() as u64;
                    code.calls.push(call);
                }
                if !is_in_section {
                    code.positions += positions;
                }
                is_in_section = self.section_after(is_in_section, inst);
            }
        }
        code
    }

    fn call(&self, inst: &Inst, callee: &Callee, args: &[Operand]) -> Call {
        let types = args.iter().map(|arg| self.type_of(*arg)).collect();
        let mut callees = match callee {
            Callee::Direct(function) => vec![*function],
            Callee::Indirect(target) => {
                let signature = Signature {
                    params: types,
                    result: inst.result.map(|result| self.body.values[result].clone()),
                };
                let targets = self.resolver.targets(self.function, *target, &signature);
                targets.functions().to_vec()
            }
        };
        let meaning = self.meaning.of_callee(callee);
        let argument = |index: usize| args.get(index).copied();
        if let Some(callback) = meaning.and_then(callback_argument).and_then(argument) {
            let signature = Signature {
                params: callback_params(meaning),
                result: None,
            };
            let targets = self.resolver.targets(self.function, callback, &signature);
            callees.extend_from_slice(targets.functions());
        }
        let start = meaning.and_then(start_argument).and_then(argument);
        let starts = start.map(|start| {
            let is_posix = meaning == Some(Function::Thread(Thread::Create));
            let signature = Signature {
                params: vec![Type::Pointer],
                result: Some(if is_posix {
                    Type::Pointer
                } else {
                    Type::Int(32)
                }),
            };
            self.resolver.targets(self.function, start, &signature)
        });
        Call {
            location: inst.location,
            callees,
            starts,
            is_in_loop: false,
            is_in_section: false,
        }
    }

    fn type_of(&self, operand: Operand) -> Type {
        self.body.operand_type(self.program, operand)
    }

    /// How many visible steps an instruction may be, apart from those of the
    /// program's own functions that it calls.
    fn positions(&self, inst: &Inst) -> u64 {
        match &inst.op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::Rmw { address, .. }
            | Op::CompareExchange { address, .. } => {
                u64::from(self.addresses.may_be_shared(*address))
            }
            Op::Call { callee, args, .. } => {
                let is_shared = |arg: &&Operand| {
                    self.type_of(**arg) == Type::Pointer && self.addresses.may_be_shared(**arg)
                };
                match self.meaning.of_callee(callee) {
                    None => 0,
                    Some(function) => fixed_steps(function).unwrap_or_else(|| {
                        let shared = args.iter().filter(is_shared).count() as u64;
                        shared.min(if is_copy(function) { 2 } else { 1 })
                    }),
                }
            }
            _ => 0,
        }
    }

    /// For each reachable block, whether it starts inside an atomic section on
    /// every path.
    fn sections(&self) -> SecondaryMap<BlockId, Option<bool>> {
        let mut starts: SecondaryMap<BlockId, Option<bool>> = SecondaryMap::new();
        if self.body.blocks.is_empty() {
            return starts;
        }
        starts[Body::ENTRY] = Some(false);
        let mut open = vec![Body::ENTRY];
        while let Some(block) = open.pop() {
            let data = &self.body.blocks[block];
            let insts = data.insts.iter().map(|inst| &self.body.insts[*inst]);
            let end = insts.fold(starts[block] == Some(true), |is_inside, inst| {
                self.section_after(is_inside, inst)
            });
            for successor in data.terminator.successors() {
                let known = starts[successor];
                let joined = known.is_none_or(|known| known) && end;
                if known != Some(joined) {
                    starts[successor] = Some(joined);
                    open.push(successor);
                }
            }
        }
        starts
    }

    fn section_after(&self, is_inside: bool, inst: &Inst) -> bool {
        let Op::Call { callee, .. } = &inst.op else {
            return is_inside;
        };
        match self.meaning.of_callee(callee) {
            Some(Function::Verifier(Verifier::AtomicBegin)) => true,
            Some(Function::Verifier(Verifier::AtomicEnd)) => false,
            _ => is_inside,
        }
    }
}

/// Reading and writing a block are two steps.
fn is_copy(function: Function) -> bool {
    matches!(
        function,
        Function::Memory(Memory::Copy | Memory::PCopy | Memory::Move)
    )
}

fn callback_params(function: Option<Function>) -> Vec<Type> {
    match function {
        Some(Function::Process(Process::Sort | Process::Search)) => vec![Type::Pointer; 2],
        Some(Function::Process(Process::CxaAtExit)) => vec![Type::Pointer],
        _ => Vec::new(),
    }
}

/// The strongly connected components of the call graph, by Tarjan's algorithm:
/// they come out callees first, so each finds the counts it needs.
struct Components<'c, 'p> {
    calls: &'c Calls<'p>,
    next: u32,
    /// When a function was first visited; 0 is never.
    order: SecondaryMap<FunctionId, u32>,
    /// The earliest function on the stack that is known to be reachable.
    lowest: SecondaryMap<FunctionId, u32>,
    stack: Vec<FunctionId>,
    positions: SecondaryMap<FunctionId, u64>,
}

impl Components<'_, '_> {
    fn visit(&mut self, function: FunctionId) {
        let order = self.next;
        self.next += 1;
        self.order[function] = order;
        self.lowest[function] = order;
        self.stack.push(function);
        let calls = self.calls;
        for callee in calls.counted(function) {
            if self.order[callee] == 0 {
                self.visit(callee);
                self.lowest[function] = self.lowest[function].min(self.lowest[callee]);
            } else if self.stack.contains(&callee) {
                self.lowest[function] = self.lowest[function].min(self.order[callee]);
            }
        }
        if self.lowest[function] != order {
            return;
        }
        let start = self.stack.iter().position(|other| *other == function);
        let members = self.stack.split_off(start.unwrap_or(0));
        let mut positions = 0u64;
        for member in &members {
            let own = calls.code(*member).map_or(0, |code| code.positions);
            let of_callees = calls
                .counted(*member)
                .filter(|callee| !members.contains(callee))
                .map(|callee| self.positions[callee]);
            positions = of_callees.fold(positions.saturating_add(own), u64::saturating_add);
        }
        for member in members {
            self.positions[member] = positions.min(MOST_POSITIONS);
        }
    }
}
