//! Calls: binding arguments to parameters, the program's own functions as well
//! as the library's, and callees that are found while solving.

use super::AbstractObject;
use super::Site;
use super::cells::{ENDLESS, Offsets};
use super::constraints::{Builder, Nodes};
use super::flows::{Flow, flows};
use super::leaves::Leaf;
use super::solver::{NodeId, ObjectIndex, Solver};
use ir::{FunctionId, InstId};

/// Someone waits for the functions that a pointer leads to.
pub(super) enum Waiting {
    Callee(Call),
    Start(Call),
    Callback(Call),
    AtEnd(Call),
    OnKeys(Call),
    /// The set of all that unknown code knows.
    Escaped,
    /// An address: where it is unknown, it is whatever has escaped.
    Address(NodeId),
}

/// A call whose callee may be still open.
#[derive(Clone)]
pub(super) struct Call {
    pub caller: FunctionId,
    pub inst: InstId,
    pub args: Vec<Argument>,
    pub result: Nodes,
    pub result_leaves: Vec<Leaf>,
}

#[derive(Clone)]
pub(super) struct Argument {
    pub nodes: Nodes,
    pub leaves: Vec<Leaf>,
    /// The number, if it is a constant one.
    pub number: Option<u64>,
    pub is_by_value: bool,
}

impl Builder<'_> {
    pub(super) fn see(&mut self, tag: usize, index: ObjectIndex, object: AbstractObject) {
        let function = match object {
            AbstractObject::Function(function) => Some(function),
            _ => None,
        };
        match (&self.waiting[tag], function) {
            (Waiting::Callee(call), Some(function)) => {
                let call = call.clone();
                self.call(&call, function);
            }
            (Waiting::Start(call), Some(function)) => {
                let call = call.clone();
                self.site(&call).starts.push(function);
                if self.enter(&call, function) {
                    let result = self.result(function);
                    self.copy(&result, &[self.thread_results]);
                }
            }
            (Waiting::Callback(call), Some(function)) => {
                let call = call.clone();
                self.site(&call).callbacks.push(function);
                self.enter(&call, function);
            }
            (Waiting::AtEnd(call), Some(function)) => {
                let call = call.clone();
                self.at_end.push(function);
                self.enter(&call, function);
            }
            (Waiting::OnKeys(call), Some(function)) => {
                let call = call.clone();
                self.on_keys.push(function);
                self.enter(&call, function);
            }
            (Waiting::Escaped, _) => self.escape(index, function),
            (Waiting::Address(node), _) if object == AbstractObject::Unknown => {
                let node = *node;
                self.solver.copy(self.escaped, node);
            }
            _ => {}
        }
    }

    /// Unknown code knows an object: it may read and write it, or call it.
    fn escape(&mut self, index: ObjectIndex, function: Option<FunctionId>) {
        let content = self.solver.reader(index, Offsets::ANY, 1);
        self.solver.copy(content, self.escaped);
        match function {
            Some(function) => {
                self.reach(function);
                for param in 0..self.program.functions[function].params.len() {
                    let nodes = self.param(function, param);
                    self.copy(&[self.escaped], &nodes);
                }
                let result = self.result(function);
                self.copy(&result, &[self.escaped]);
            }
            None => {
                let place = self.solver.writer(index, Offsets::ANY, 1);
                self.solver.copy(self.escaped, place);
            }
        }
    }

    fn site(&mut self, call: &Call) -> &mut Site {
        self.sites.entry((call.caller, call.inst)).or_default()
    }

    pub(super) fn call(&mut self, call: &Call, callee: FunctionId) {
        self.site(call).callees.push(callee);
        if let Some(entry) = self.meaning.entry(callee) {
            for flow in flows(entry.function) {
                self.flow(call, flow);
            }
        } else if self.enter(call, callee) {
            let result = self.result(callee);
            self.copy(&result, &call.result);
        } else {
            self.flow(call, Flow::Escape);
        }
    }

    /// Binds the arguments of a call to parameters. Tells whether the function
    /// has a body.
    fn enter(&mut self, call: &Call, callee: FunctionId) -> bool {
        let data = &self.program.functions[callee];
        if data.body.is_none() {
            return false;
        }
        self.reach(callee);
        for (index, argument) in call.args.iter().enumerate() {
            match data.params.get(index) {
                Some(param) if param.by_value.is_some() => {
                    let function = callee;
                    let copy = self.object(AbstractObject::Argument {
                        function,
                        index: index as u32,
                    });
                    let nodes = self.param(callee, index);
                    self.solver.add(nodes[0], copy, Offsets::exactly(0));
                    self.watch_address(argument.nodes[0]);
                    self.solver
                        .copy_memory(argument.nodes[0], nodes[0], param.by_value);
                }
                Some(_) => {
                    let nodes = self.param(callee, index);
                    self.copy(&argument.nodes, &nodes);
                }
                None if data.is_variadic => self.vary(callee, argument),
                None => {}
            }
        }
        true
    }

    /// Adds an argument to those that a function walks through with a `va_list`.
    fn vary(&mut self, function: FunctionId, argument: &Argument) {
        let area = self.object(AbstractObject::Variadic { function });
        if argument.is_by_value {
            let to = self.solver.node();
            self.solver.add(to, area, Offsets::ANY);
            self.watch_address(argument.nodes[0]);
            self.solver.copy_memory(argument.nodes[0], to, None);
        } else {
            let place = self.solver.writer(area, Offsets::ANY, 1);
            argument
                .nodes
                .iter()
                .for_each(|node| self.solver.copy(*node, place));
        }
    }

    fn flow(&mut self, call: &Call, flow: Flow) {
        let arg = |index: usize| {
            let argument = call.args.get(index);
            let node = argument.and_then(|argument| argument.nodes.first());
            node.copied().unwrap_or(Solver::NOTHING)
        };
        let number = |index: usize| call.args.get(index).and_then(|argument| argument.number);
        let result = call.result.first().copied();
        let pointer_bytes = self.program.target.pointer_bytes;
        let heap = AbstractObject::Heap {
            function: call.caller,
            inst: call.inst,
        };
        match flow {
            Flow::Allocate => {
                let object = self.object(heap);
                if let Some(result) = result {
                    self.solver.add(result, object, Offsets::exactly(0));
                }
            }
            Flow::AllocateInto(to) => {
                let object = self.object(heap);
                let node = self.solver.node();
                self.solver.add(node, object, Offsets::exactly(0));
                self.store_pointer(arg(to), node);
            }
            Flow::Duplicate(from) => {
                let object = self.object(heap);
                let fresh = self.solver.node();
                self.solver.add(fresh, object, Offsets::exactly(0));
                self.copy_memory(arg(from), fresh, None);
                if let Some(result) = result {
                    self.solver.copy(fresh, result);
                }
            }
            Flow::CopyMemory { to, from, bytes } => {
                let bytes = bytes.and_then(number).filter(|bytes| *bytes < ENDLESS);
                self.copy_memory(arg(from), arg(to), bytes);
            }
            Flow::Permute(array) => {
                // Wherever a pointer is, it may end up anywhere.
                let anywhere = self.anywhere_in(arg(array));
                let content = self.solver.node();
                self.solver.load(anywhere, 0, 1, content);
                self.solver.store(anywhere, 0, 1, content);
            }
            Flow::Return(index) => self.copy(&[arg(index)], &call.result),
            Flow::ReturnInside(index) => self.mix(&[arg(index)], &call.result),
            Flow::StoreInside { to, inside } => {
                let node = self.solver.node();
                self.solver.shift(arg(inside), 0, 1, node);
                // A state that was stored before leads to the same string.
                let before = self.solver.node();
                self.watch_address(arg(to));
                self.solver.load(arg(to), 0, pointer_bytes, before);
                self.solver.shift(before, 0, 1, node);
                self.store_pointer(arg(to), node);
            }
            Flow::Store { to, value } => {
                if let Some(value) = call.args.get(value) {
                    self.watch_address(arg(to));
                    self.store(arg(to), &value.leaves, &value.nodes);
                }
            }
            Flow::Load(from) => {
                self.watch_address(arg(from));
                let nodes: Nodes = call.result.iter().map(|_| self.solver.node()).collect();
                self.load(arg(from), &call.result_leaves, &nodes);
                self.mix(&nodes, &call.result);
                self.copy(&nodes, &call.result);
            }
            Flow::Combine { to, value } => {
                self.watch_address(arg(to));
                let mixed = self.solver.node();
                self.mix(&[arg(value)], &[mixed]);
                self.mix(&call.result, &[mixed]);
                self.store_pointer(arg(to), mixed);
            }
            Flow::ReturnEnvironment => {
                let environment = self.object(AbstractObject::Environment);
                if let Some(result) = result {
                    self.solver.add(result, environment, Offsets::ANY);
                }
            }
            Flow::Start { function, argument } => {
                self.solver.copy(arg(argument), self.thread_arguments);
                let start = self.callback(call, &[argument]);
                self.await_function(arg(function), Waiting::Start(start));
            }
            Flow::CallOnElements {
                function,
                first,
                second,
                bytes,
            } => {
                let stride = number(bytes).filter(|bytes| *bytes < ENDLESS);
                let mut inner = self.callback(call, &[first, second]);
                for argument in &mut inner.args {
                    let element = self.solver.node();
                    let stride = stride.unwrap_or(1);
                    for node in &argument.nodes {
                        self.solver.copy(*node, element);
                        self.solver.shift(*node, 0, stride, element);
                    }
                    argument.nodes = vec![element];
                }
                self.await_function(arg(function), Waiting::Callback(inner));
            }
            Flow::Call(function) => {
                let inner = self.callback(call, &[]);
                self.await_function(arg(function), Waiting::Callback(inner));
            }
            Flow::CallAtEnd(function, argument) => {
                let inner = self.callback(call, argument.as_slice());
                self.await_function(arg(function), Waiting::AtEnd(inner));
            }
            Flow::CallOnKeys(function) => {
                let mut inner = self.callback(call, &[function]);
                inner.args[0].nodes = vec![self.key_values];
                self.await_function(arg(function), Waiting::OnKeys(inner));
            }
            Flow::EndThread(value) => self.solver.copy(arg(value), self.thread_results),
            Flow::StoreThreadResult(to) => self.store_pointer(arg(to), self.thread_results),
            Flow::SetKey(value) => self.solver.copy(arg(value), self.key_values),
            Flow::GetKey => self.copy(&[self.key_values], &call.result),
            Flow::Send(from) => {
                let anywhere = self.anywhere_in(arg(from));
                self.solver.load(anywhere, 0, 1, self.sent);
            }
            Flow::Receive(to) => {
                let anywhere = self.anywhere_in(arg(to));
                self.solver.store(anywhere, 0, 1, self.sent);
            }
            Flow::Handle(function) => self.handle(call, arg(function)),
            Flow::HandleBehind(place) => {
                self.watch_address(arg(place));
                let function = self.solver.node();
                self.solver.load(arg(place), 0, pointer_bytes, function);
                self.handle(call, function);
            }
            Flow::ReturnHandler => self.copy(&[self.handlers], &call.result),
            Flow::StoreHandler(to) => self.store_pointer(arg(to), self.handlers),
            Flow::Escape => {
                for argument in &call.args {
                    for node in &argument.nodes {
                        self.solver.shift(*node, 0, 1, self.escaped);
                        self.solver.copy(*node, self.escaped);
                    }
                }
                let unknown = self.object(AbstractObject::Unknown);
                self.solver.add(self.escaped, unknown, Offsets::ANY);
                for node in &call.result {
                    self.solver.add(*node, unknown, Offsets::ANY);
                }
            }
        }
    }

    /// Any place in what an address leads to.
    fn anywhere_in(&mut self, address: NodeId) -> NodeId {
        let anywhere = self.solver.node();
        self.solver.shift(address, 0, 1, anywhere);
        self.watch_address(anywhere);
        anywhere
    }

    /// A function may run at any time from now on.
    fn handle(&mut self, call: &Call, function: NodeId) {
        self.solver.copy(function, self.handlers);
        let inner = self.callback(call, &[]);
        self.await_function(function, Waiting::AtEnd(inner));
    }

    /// The call of a function by the library, with some of the arguments.
    fn callback(&self, call: &Call, args: &[usize]) -> Call {
        let nothing = Argument {
            nodes: vec![Solver::NOTHING],
            leaves: Vec::new(),
            number: None,
            is_by_value: false,
        };
        let args = args.iter().map(|index| call.args.get(*index));
        Call {
            args: args
                .map(|argument| argument.cloned().unwrap_or(nothing.clone()))
                .collect(),
            result: Vec::new(),
            result_leaves: Vec::new(),
            ..*call
        }
    }

    fn await_function(&mut self, node: NodeId, waiting: Waiting) {
        if node != Solver::NOTHING {
            self.watch_address(node);
            self.watch(node, waiting);
        }
    }

    fn store_pointer(&mut self, address: NodeId, value: NodeId) {
        if address != Solver::NOTHING {
            self.watch_address(address);
            let bytes = self.program.target.pointer_bytes;
            self.solver.store(address, 0, bytes, value);
        }
    }

    fn copy_memory(&mut self, from: NodeId, to: NodeId, bytes: Option<u64>) {
        self.watch_address(from);
        self.watch_address(to);
        self.solver.copy_memory(from, to, bytes);
    }
}
