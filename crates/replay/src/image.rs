//! A program made ready to run: constants as values, addresses for everything,
//! the memory as it is before the first instruction.
//!
//! Made once per program; runs only read it.

use crate::liveness::Liveness;
use crate::memory::{Memory, ObjectId, Origin, OutOfMemory};
use crate::value::{Pointer, Value};
use analysis::{LoopId, Loops, Round, Rounds};
use cranelift_entity::EntityRef;
use ir::{
    BlockId, Body, Callee, ConstId, Constant, FunctionId, GlobalId, Initial, Op, Program, Symbol,
    Type,
};
use library::{
    ARGUMENT_CHARACTERS, Entry, Function, Memory as MemoryOp, is_atomic_function, lookup,
    overrides_body,
};
use std::cell::OnceCell;
use std::collections::HashMap;

pub struct Image<'p> {
    pub program: &'p Program,
    constants: Vec<ConstantValue>,
    functions: Vec<FunctionFacts>,
    /// Labels have addresses after all functions, in this order.
    labels: Vec<(FunctionId, BlockId)>,
    globals: Vec<Option<ObjectId>>,
    pub memory: Memory,
    /// Arguments of `main`, in order.
    pub main_arguments: Vec<Value>,
    /// The program uses a function that frees memory.
    pub can_free: bool,
    /// The program calls functions that go on elsewhere.
    pub can_jump: bool,
    /// The program asks threads to end.
    pub can_cancel: bool,
    /// The program closes descriptors, or lets their numbers stand for something else.
    pub can_close: bool,
    /// Variables of the environment, by name: where they are if they are there.
    pub variables: Vec<(String, ObjectId)>,
    /// The object behind the standard error stream.
    pub standard_error: Option<ObjectId>,
    rounds: OnceCell<Rounds>,
}

enum ConstantValue {
    Fixed(Value),
    ThreadLocal(GlobalId, i64),
}

struct FunctionFacts {
    library: Option<&'static Entry>,
    is_atomic: bool,
    loops: OnceCell<Loops>,
    liveness: OnceCell<Liveness>,
}

/// What a code address leads to.
pub enum Code {
    Function(FunctionId),
    Label(FunctionId, BlockId),
}

impl<'p> Image<'p> {
    /// Lays the program out in memory. `arguments` are those of the command line,
    /// the program's name first.
    pub fn new(
        program: &'p Program,
        arguments: &[String],
        memory_limit: u64,
    ) -> Result<Self, OutOfMemory> {
        let functions = program
            .functions
            .values()
            .map(|function| {
                let library = lookup(&function.symbol)
                    .filter(|entry| function.body.is_none() || overrides_body(entry.function));
                FunctionFacts {
                    library,
                    is_atomic: library.is_none() && is_atomic_function(&function.name),
                    loops: OnceCell::new(),
                    liveness: OnceCell::new(),
                }
            })
            .collect();
        let mut image = Image {
            program,
            constants: Vec::new(),
            functions,
            labels: Vec::new(),
            globals: vec![None; program.globals.len()],
            memory: Memory::new(program.target.pointer_bytes, memory_limit),
            main_arguments: Vec::new(),
            can_free: program.functions.values().any(|function| {
                let entry = lookup(&function.symbol).map(|entry| entry.function);
                matches!(entry, Some(Function::Memory(op)) if frees(op))
            }),
            can_jump: program.functions.values().any(|function| {
                let entry = lookup(&function.symbol).filter(|_| function.body.is_none());
                entry.is_some_and(|entry| library::may_jump(entry.function))
            }),
            can_cancel: program
                .functions
                .values()
                .any(|function| function.body.is_none() && function.symbol == "pthread_cancel"),
            can_close: program.functions.values().any(|function| {
                let entry = lookup(&function.symbol).filter(|_| function.body.is_none());
                entry.is_some_and(|entry| library::changes_descriptors(entry.function))
            }),
            variables: Vec::new(),
            standard_error: None,
            rounds: OnceCell::new(),
        };
        image.collect_labels();
        image.place_globals()?;
        image.evaluate_constants();
        image.fill_globals();
        image.make_streams()?;
        image.make_arguments(arguments)?;
        for name in analysis::outside::variables(program) {
            let origin = Origin::Environment("a variable of the environment");
            let size = ARGUMENT_CHARACTERS as u64 + 1;
            let object = image.memory.add_global(origin, size, 16)?;
            image
                .memory
                .write_bytes(object, 0, &[0; ARGUMENT_CHARACTERS + 1]);
            image.memory.publish(object);
            image.variables.push((name, object));
        }
        Ok(image)
    }

    fn place_globals(&mut self) -> Result<(), OutOfMemory> {
        for (id, global) in self.program.globals.iter() {
            if global.is_thread_local {
                continue;
            }
            let object = self
                .memory
                .add_global(Origin::Global(id), global.bytes, global.align)?;
            if let Some(ty) = global.ty {
                self.memory.set_type(object, ty);
            }
            self.globals[id.index()] = Some(object);
        }
        Ok(())
    }

    fn evaluate_constants(&mut self) {
        for (_, constant) in self.program.constants() {
            let value = match constant {
                Constant::Int { bits, value } => Value::from_bits(*bits, *value),
                Constant::Float(bits) => Value::Bits(u64::from(*bits)),
                Constant::Double(bits) => Value::Bits(*bits),
                Constant::Null => Value::Pointer(Pointer::NULL),
                Constant::Global { global, offset } => match self.globals[global.index()] {
                    Some(object) => Value::Pointer(self.memory.pointer(object, *offset as u64)),
                    None => {
                        self.constants
                            .push(ConstantValue::ThreadLocal(*global, *offset));
                        continue;
                    }
                },
                Constant::Function(function) => Value::Pointer(self.function_address(*function)),
                Constant::Label(function, block) => {
                    Value::Pointer(self.label_address(*function, *block))
                }
                // Fields are interned before the tuple that holds them.
                Constant::Tuple { fields, .. } => Value::Tuple(
                    fields
                        .iter()
                        .map(|field| match &self.constants[field.index()] {
                            ConstantValue::Fixed(value) => value.clone(),
                            ConstantValue::ThreadLocal(..) => Value::Pointer(Pointer::NULL),
                        })
                        .collect(),
                ),
                Constant::Undefined(ty) => Value::zero(ty),
            };
            self.constants.push(ConstantValue::Fixed(value));
        }
    }

    fn fill_globals(&mut self) {
        for (id, global) in self.program.globals.iter() {
            if let Some(object) = self.globals[id.index()] {
                let pointers = self.initial_pointers(id);
                write_initial(&mut self.memory, object, &global.initial, &pointers);
                if global.is_constant {
                    self.memory.set_constant(object);
                } else {
                    self.memory.publish(object);
                }
            }
        }
    }

    /// The addresses in a global's initial content, with their offsets.
    fn initial_pointers(&self, id: GlobalId) -> Vec<(u64, Pointer)> {
        let Initial::Bytes { relocations, .. } = &self.program.globals[id].initial else {
            return Vec::new();
        };
        let address = |symbol: Symbol| match symbol {
            Symbol::Global(global) => self.globals[global.index()]
                .map_or(Pointer::NULL, |object| self.memory.pointer(object, 0)),
            Symbol::Function(function) => self.function_address(function),
            Symbol::Label(function, block) => self.label_address(function, block),
        };
        relocations
            .iter()
            .map(|relocation| {
                let mut pointer = address(relocation.symbol);
                let moved = pointer.address.wrapping_add(relocation.addend as u64);
                pointer.address = self.memory.wrap(moved);
                (relocation.offset, pointer)
            })
            .collect()
    }

    /// Labels whose addresses are taken.
    fn collect_labels(&mut self) {
        let program = self.program;
        for (_, constant) in program.constants() {
            if let Constant::Label(function, block) = constant {
                self.labels.push((*function, *block));
            }
        }
        for global in program.globals.values() {
            if let Initial::Bytes { relocations, .. } = &global.initial {
                for relocation in relocations {
                    if let Symbol::Label(function, block) = relocation.symbol
                        && !self.labels.contains(&(function, block))
                    {
                        self.labels.push((function, block));
                    }
                }
            }
        }
    }

    pub(crate) fn function_address(&self, function: FunctionId) -> Pointer {
        Pointer {
            address: self.memory.code_address(function.index()),
            object: None,
        }
    }

    fn label_address(&self, function: FunctionId, block: BlockId) -> Pointer {
        let label = (function, block);
        let index = self.labels.iter().position(|known| *known == label);
        Pointer {
            address: index.map_or(0, |index| {
                self.memory
                    .code_address(self.program.functions.len() + index)
            }),
            object: None,
        }
    }

    /// Streams such as `stdout` are pointers to objects that nobody may look into.
    fn make_streams(&mut self) -> Result<(), OutOfMemory> {
        for (id, global) in self.program.globals.iter() {
            let Some(variable) = self.globals[id.index()].filter(|_| global.is_external) else {
                continue;
            };
            let name = match global.symbol.as_str() {
                "stdout" => "stdout",
                "stderr" => "stderr",
                "stdin" => "stdin",
                _ => continue,
            };
            let stream = self.memory.add_global(Origin::Environment(name), 0, 16)?;
            if name == "stderr" {
                self.standard_error = Some(stream);
            }
            let pointer = Value::Pointer(self.memory.pointer(stream, 0));
            self.memory.write(variable, 0, &Type::Pointer, &pointer);
            self.memory.set_constant(variable);
        }
        Ok(())
    }

    fn make_arguments(&mut self, arguments: &[String]) -> Result<(), OutOfMemory> {
        let params = &self.program.functions[self.program.main].params;
        if params.is_empty() {
            return Ok(());
        }
        let word = self.program.target.pointer_bytes;
        let count = arguments.len() as u64;
        let origin = || Origin::Environment("arguments of main");
        // Both lists end with a null pointer; the environment is empty.
        let list = self.memory.add_global(origin(), (count + 1) * word, 16)?;
        let environment = self.memory.add_global(origin(), word, 16)?;
        for (index, argument) in (0..).zip(arguments) {
            let text = self
                .memory
                .add_global(origin(), argument.len() as u64 + 1, 16)?;
            self.memory.write_bytes(text, 0, argument.as_bytes());
            let pointer = Value::Pointer(self.memory.pointer(text, 0));
            self.memory
                .write(list, index * word, &Type::Pointer, &pointer);
        }
        self.memory.publish(list);
        self.memory.publish(environment);
        let values = [
            Value::Bits(count),
            Value::Pointer(self.memory.pointer(list, 0)),
            Value::Pointer(self.memory.pointer(environment, 0)),
        ];
        self.main_arguments = values.into_iter().take(params.len()).collect();
        Ok(())
    }

    /// Makes a new thread's copies of all thread-local variables.
    pub fn thread_locals(
        &self,
        memory: &mut Memory,
        thread: usize,
    ) -> Result<HashMap<GlobalId, ObjectId>, OutOfMemory> {
        let mut copies = HashMap::new();
        for (id, global) in self.program.globals.iter() {
            if !global.is_thread_local {
                continue;
            }
            let origin = Origin::ThreadLocal(id);
            let object = memory.add_heap(thread, origin, global.bytes, global.align, true, None)?;
            if let Some(ty) = global.ty {
                memory.set_type(object, ty);
            }
            let pointers = self.initial_pointers(id);
            write_initial(memory, object, &global.initial, &pointers);
            copies.insert(id, object);
        }
        Ok(copies)
    }

    /// The value of a constant; addresses of thread-local variables depend on
    /// the thread, so the caller finds the thread's copy.
    pub fn constant(
        &self,
        id: ConstId,
        thread_local: impl FnOnce(GlobalId, i64) -> Value,
    ) -> Value {
        match &self.constants[id.index()] {
            ConstantValue::Fixed(value) => value.clone(),
            ConstantValue::ThreadLocal(global, offset) => thread_local(*global, *offset),
        }
    }

    pub fn code_at(&self, address: u64) -> Option<Code> {
        let index = self.memory.code_index(address)?;
        let count = self.program.functions.len();
        if index < count {
            return Some(Code::Function(FunctionId::new(index)));
        }
        let (function, block) = *self.labels.get(index - count)?;
        Some(Code::Label(function, block))
    }

    pub(crate) fn global(&self, global: GlobalId) -> Option<ObjectId> {
        self.globals[global.index()]
    }

    pub fn body(&self, function: FunctionId) -> Option<&'p Body> {
        self.program.functions[function].body.as_ref()
    }

    /// The library's meaning of a function, unless the program defines its own.
    pub fn library(&self, function: FunctionId) -> Option<&'static Entry> {
        self.functions[function.index()].library
    }

    pub fn is_atomic(&self, function: FunctionId) -> bool {
        self.functions[function.index()].is_atomic
    }

    pub fn loops(&self, function: FunctionId) -> Option<&Loops> {
        let body = self.body(function)?;
        let facts = &self.functions[function.index()];
        Some(facts.loops.get_or_init(|| Loops::of(body)))
    }

    /// What is known of the rounds of a loop.
    pub fn round(&self, function: FunctionId, id: LoopId) -> Round {
        let rounds = self.rounds.get_or_init(|| Rounds::of(self.program));
        rounds.of_loop(function, id)
    }

    pub fn liveness(&self, function: FunctionId) -> Option<&Liveness> {
        let body = self.body(function)?;
        let facts = &self.functions[function.index()];
        let is_return = |op: &Op| match op {
            Op::Call {
                callee: Callee::Direct(callee),
                ..
            } => self.fills_buffer(*callee),
            _ => false,
        };
        Some((facts.liveness).get_or_init(|| Liveness::of(body, is_return)))
    }

    /// Whether calls of a function may return more than once.
    fn fills_buffer(&self, function: FunctionId) -> bool {
        let entry = self.library(function).map(|entry| entry.function);
        entry == Some(Function::Jumps(library::Jumps::Save))
    }

    /// Whether a function may go on where it has been before, other than in a loop.
    pub fn is_jumped_to(&self, function: FunctionId) -> bool {
        self.body(function).is_some_and(|body| {
            body.insts.values().any(|inst| {
                matches!(inst.op, Op::Call { callee: Callee::Direct(callee), .. }
                    if self.fills_buffer(callee))
            })
        })
    }

    /// `file:line` of a loop, or its name where the line is unknown.
    pub fn describe_loop(&self, function: FunctionId, id: LoopId) -> String {
        let name = &self.program.functions[function].name;
        let location = self.loops(function).and_then(|loops| loops.location(id));
        match location {
            Some(location) => self.program.describe_location(location),
            None => name.clone(),
        }
    }
}

fn frees(op: MemoryOp) -> bool {
    matches!(
        op,
        MemoryOp::Free | MemoryOp::Delete | MemoryOp::Realloc | MemoryOp::ReallocArray
    )
}

fn write_initial(
    memory: &mut Memory,
    object: ObjectId,
    initial: &Initial,
    pointers: &[(u64, Pointer)],
) {
    if let Initial::Bytes { bytes, .. } = initial {
        memory.write_bytes(object, 0, bytes);
    }
    for (offset, pointer) in pointers {
        memory.write(object, *offset, &Type::Pointer, &Value::Pointer(*pointer));
    }
}
