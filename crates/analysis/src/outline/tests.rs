//! Programs that unoptimised C code does not lead to: values that are chosen in
//! registers, and joins of control flow with odd facts. Programs in C are tested
//! where they can be compiled, in the integration tests.

use super::*;
use ir::{
    Block, BlockId, Body, Callee, Constant, Global, Inst, InstId, Operand, Param, Phi, Target,
    Terminator, Type, ValueId,
};

/// A program in the making. Its `main`, the first function, takes a bit and a
/// pointer and returns the pointer.
struct Sample {
    program: Program,
    body: Body,
}

impl Sample {
    fn new() -> Sample {
        let mut sample = Sample {
            program: Program::new(Target { pointer_bytes: 8 }),
            body: Body::default(),
        };
        sample.function("main", &[Type::BOOL, Type::Pointer], None);
        sample.body.values.push(Type::BOOL);
        sample.body.values.push(Type::Pointer);
        sample
    }

    fn function(&mut self, name: &str, params: &[Type], body: Option<Body>) -> FunctionId {
        let param = |ty: &Type| Param {
            ty: ty.clone(),
            by_value: None,
        };
        self.program.functions.push(ir::Function {
            symbol: name.to_owned(),
            name: name.to_owned(),
            location: None,
            params: params.iter().map(param).collect(),
            is_variadic: false,
            result: Some(Type::Pointer),
            body,
        })
    }

    /// The address of a new thread function that does nothing.
    fn start(&mut self, name: &str) -> Operand {
        let mut body = Body::default();
        let argument = body.values.push(Type::Pointer);
        let terminator = Terminator::Return(Some(Operand::Value(argument)));
        body.blocks.push(block(Vec::new(), terminator));
        let function = self.function(name, &[Type::Pointer], Some(body));
        self.constant(Constant::Function(function))
    }

    /// The address of a new global variable.
    fn global(&mut self, name: &str) -> Operand {
        let global = self.program.globals.push(Global {
            symbol: name.to_owned(),
            name: Some(name.to_owned()),
            function: None,
            ty: None,
            location: None,
            bytes: 8,
            align: 8,
            initial: Initial::Zero,
            is_constant: false,
            is_thread_local: false,
            is_external: false,
        });
        self.constant(Constant::Global { global, offset: 0 })
    }

    fn constant(&mut self, constant: Constant) -> Operand {
        Operand::Const(self.program.intern(constant))
    }

    fn inst(&mut self, op: Op, result: Option<ValueId>) -> InstId {
        self.body.insts.push(Inst {
            op,
            result,
            location: None,
        })
    }

    /// An instruction with a pointer as result.
    fn pointer(&mut self, op: Op) -> (InstId, Operand) {
        let result = self.body.values.push(Type::Pointer);
        (self.inst(op, Some(result)), Operand::Value(result))
    }

    fn local(&mut self) -> (InstId, Operand) {
        self.pointer(Op::Local {
            variable: None,
            bytes: 8,
            align: 8,
            count: None,
        })
    }

    fn select(&mut self, then: Operand, otherwise: Operand) -> (InstId, Operand) {
        self.pointer(Op::Select {
            condition: condition(),
            then,
            otherwise,
        })
    }

    fn store(&mut self, address: Operand, value: Operand) -> InstId {
        let op = Op::Store {
            address,
            value,
            ordering: None,
            is_volatile: false,
        };
        self.inst(op, None)
    }

    /// A call of a library function.
    fn call(&mut self, name: &str, args: &[Operand]) -> InstId {
        let mut functions = self.program.functions.iter();
        let known = functions.find(|(_, function)| function.name == name);
        let function = match known.map(|(id, _)| id) {
            Some(function) => function,
            None => self.function(name, &vec![Type::Pointer; args.len()], None),
        };
        let op = Op::Call {
            callee: Callee::Direct(function),
            args: args.to_vec(),
            by_value: vec![None; args.len()],
        };
        self.inst(op, None)
    }

    fn create(&mut self, start: Operand) -> InstId {
        let null = self.constant(Constant::Null);
        self.call("pthread_create", &[null, null, start, null])
    }

    fn block(&mut self, insts: &[InstId], terminator: Terminator) -> BlockId {
        self.body.blocks.push(block(insts.to_vec(), terminator))
    }

    fn outline(mut self) -> (Program, Outline) {
        self.program.functions[self.program.main].body = Some(self.body);
        ir::verify::verify(&self.program).expect("a well-formed program");
        let outline = Outline::of(&self.program);
        (self.program, outline)
    }

    /// For the threads besides `main`, the names of what they may run.
    fn starts(self) -> Vec<String> {
        let (program, outline) = self.outline();
        let name = |function: &FunctionId| program.functions[*function].name.clone();
        let threads = outline.threads.iter().skip(1);
        threads
            .map(|thread| match &thread.start {
                Start::Function(function) => name(function),
                Start::Chosen(functions) => {
                    let names: Vec<String> = functions.iter().map(name).collect();
                    format!("one of {}", names.join(", "))
                }
            })
            .collect()
    }
}

fn block(insts: Vec<InstId>, terminator: Terminator) -> Block {
    Block {
        phis: Vec::new(),
        insts,
        terminator,
        terminator_location: None,
    }
}

fn condition() -> Operand {
    Operand::Value(ValueId::from_u32(0))
}

fn argument() -> Operand {
    Operand::Value(ValueId::from_u32(1))
}

fn done() -> Terminator {
    Terminator::Return(Some(argument()))
}

fn branch(then: u32, otherwise: u32) -> Terminator {
    Terminator::Branch {
        condition: condition(),
        then: BlockId::from_u32(then),
        otherwise: BlockId::from_u32(otherwise),
    }
}

fn jump(target: u32) -> Terminator {
    Terminator::Jump(BlockId::from_u32(target))
}

#[test]
fn a_choice_in_a_register_is_a_choice_of_threads() {
    let mut sample = Sample::new();
    let (a, b) = (sample.start("a"), sample.start("b"));
    let (select, chosen) = sample.select(a, b);
    let create = sample.create(chosen);
    sample.block(&[select, create], done());
    assert_eq!(sample.starts(), ["a", "b"]);
}

#[test]
fn a_phi_that_goes_in_a_circle_is_resolved() {
    let mut sample = Sample::new();
    let (a, b) = (sample.start("a"), sample.start("b"));
    let result = sample.body.values.push(Type::Pointer);
    let (select, next) = sample.select(Operand::Value(result), b);
    let create = sample.create(Operand::Value(result));
    sample.block(&[], jump(1));
    let header = sample.block(&[select, create], branch(1, 2));
    sample.body.blocks[header].phis.push(Phi {
        result,
        incoming: vec![(BlockId::from_u32(0), a), (header, next)],
    });
    sample.block(&[], done());
    assert_eq!(sample.starts(), ["a", "b"]);
}

#[test]
fn an_unknown_pointer_may_point_to_whatever_fits() {
    let mut sample = Sample::new();
    let a = sample.start("a");
    sample.start("never_mentioned");
    let place = sample.global("place");
    let store = sample.store(place, a);
    // `main` is called by nobody, so its argument is not known.
    let create = sample.create(argument());
    sample.block(&[store, create], done());
    assert_eq!(sample.starts(), ["one of a"]);
}

#[test]
fn a_variable_that_may_be_another_one_is_not_private() {
    // Stores through a pointer to one of two locals; the first of them is also
    // used directly. Neither is known to be private.
    let mut sample = Sample::new();
    let ((first, a), (second, b)) = (sample.local(), sample.local());
    let (select, chosen) = sample.select(a, b);
    let stores = [
        sample.store(chosen, argument()),
        sample.store(a, argument()),
    ];
    sample.block(&[first, second, select, stores[0], stores[1]], done());
    let (_, outline) = sample.outline();
    assert_eq!(outline.threads[0].positions, 2 + 1);

    // With a single local it is.
    let mut sample = Sample::new();
    let (local, a) = sample.local();
    let (select, chosen) = sample.select(a, a);
    let store = sample.store(chosen, argument());
    sample.block(&[local, select, store], done());
    let (_, outline) = sample.outline();
    assert_eq!(outline.threads[0].positions, 1);
}

#[test]
fn only_what_is_in_an_atomic_section_on_all_paths_is_no_position() {
    // The section is entered in block 1 only; the stores in 1 and 3 are after
    // that, but 3 can also be reached through 2.
    let mut sample = Sample::new();
    let x = sample.global("x");
    let begin = sample.call("__VERIFIER_atomic_begin", &[]);
    let end = sample.call("__VERIFIER_atomic_end", &[]);
    let stores = [sample.store(x, argument()), sample.store(x, argument())];
    sample.block(&[], branch(1, 2));
    sample.block(&[begin, stores[0]], jump(3));
    sample.block(&[], jump(3));
    sample.block(&[stores[1], end], done());
    let (_, outline) = sample.outline();
    // The begin, the store in block 3, the end of the thread.
    assert_eq!(outline.threads[0].positions, 3);
}

#[test]
fn counting_ends_somewhere() {
    // Each function calls the one before it twice: 2 to the 40th positions.
    let mut sample = Sample::new();
    let x = sample.global("x");
    let mut last = None;
    for level in 0..40 {
        let mut body = Body::default();
        let argument = Operand::Value(body.values.push(Type::Pointer));
        let op = match last {
            None => Op::Store {
                address: x,
                value: argument,
                ordering: None,
                is_volatile: false,
            },
            Some(callee) => Op::Call {
                callee: Callee::Direct(callee),
                args: vec![argument],
                by_value: vec![None],
            },
        };
        let insts = (0..2).map(|_| {
            body.insts.push(Inst {
                op: op.clone(),
                result: None,
                location: None,
            })
        });
        let insts = insts.collect();
        let terminator = Terminator::Return(Some(argument));
        body.blocks.push(block(insts, terminator));
        let name = format!("level_{level}");
        last = Some(sample.function(&name, &[Type::Pointer], Some(body)));
    }
    let call = sample.call("level_39", &[argument()]);
    sample.block(&[call], done());
    let (program, outline) = sample.outline();
    assert_eq!(outline.threads[0].positions, Outline::MOST_POSITIONS);
    assert_eq!(outline.functions.len(), program.functions.len());
    assert_eq!(outline.functions[1].positions, 2);
}
