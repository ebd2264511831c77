//! One broken program for each rule; those about types are in a file of their own.

mod typing;

use super::*;
use crate::body::*;
use crate::program::{ConstId, Param, Symbol, Target};
use crate::source::{FileId, Location, Member, SourceType, SourceTypeId};
use crate::types::Tuple;
use std::sync::Arc;

const INT: Type = Type::Int(32);

/// A correct program to break: one global, and `int main(void *, int, ...)` with
/// a block that returns its second parameter.
struct Sample {
    program: Program,
    body: Body,
}

impl Sample {
    fn new() -> Self {
        let mut program = Program::new(Target { pointer_bytes: 8 });
        program.globals.push(Global {
            symbol: "g".to_string(),
            name: Some("g".to_string()),
            function: None,
            ty: None,
            location: None,
            bytes: 16,
            align: 8,
            initial: Initial::Bytes {
                bytes: vec![0; 16],
                relocations: Vec::new(),
            },
            is_constant: false,
            is_thread_local: false,
            is_external: false,
        });
        let param = |ty| Param { ty, by_value: None };
        program.functions.push(Function {
            symbol: "main".to_string(),
            name: "main".to_string(),
            location: None,
            params: vec![param(Type::Pointer), param(INT)],
            is_variadic: true,
            result: Some(INT),
            body: None,
        });
        let mut sample = Sample {
            program,
            body: Body::default(),
        };
        sample.body.values.push(Type::Pointer);
        sample.body.values.push(INT);
        sample.block(Terminator::Return(Some(int_param())));
        sample
    }

    fn block(&mut self, terminator: Terminator) -> BlockId {
        self.body.blocks.push(Block {
            phis: Vec::new(),
            insts: Vec::new(),
            terminator,
            terminator_location: None,
        })
    }

    fn main(&mut self) -> &mut Function {
        &mut self.program.functions[FunctionId::from_u32(0)]
    }

    fn global(&mut self) -> &mut Global {
        &mut self.program.globals[GlobalId::from_u32(0)]
    }

    fn constant(&mut self, constant: Constant) -> Operand {
        Operand::Const(self.program.intern(constant))
    }

    /// Appends an instruction to the entry and returns its result, if any.
    fn inst(&mut self, op: Op, result: Option<Type>) -> Option<ValueId> {
        let result = result.map(|ty| self.body.values.push(ty));
        let inst = self.body.insts.push(Inst {
            op,
            result,
            location: None,
        });
        self.body.blocks[Body::ENTRY].insts.push(inst);
        result
    }

    fn verify(mut self) -> Result<(), Vec<VerifyError>> {
        self.main().body = Some(self.body.clone());
        verify(&self.program)
    }
}

/// Breaks the sample program; one of the errors must contain `expected`.
#[track_caller]
fn rejects(expected: &str, damage: impl FnOnce(&mut Sample)) {
    let mut sample = Sample::new();
    damage(&mut sample);
    let errors = sample.verify().expect_err("the program should be rejected");
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(
        texts.iter().any(|text| text.contains(expected)),
        "{texts:#?}"
    );
}

#[track_caller]
fn rejects_op(expected: &str, op: Op, result: Option<Type>) {
    rejects(expected, |sample| {
        sample.inst(op, result);
    });
}

#[track_caller]
fn accepts_op(op: Op, result: Option<Type>) {
    let mut sample = Sample::new();
    sample.inst(op, result);
    assert_eq!(sample.verify(), Ok(()));
}

/// The first parameter of `main`.
fn pointer_param() -> Operand {
    value(0)
}

/// The second parameter of `main`.
fn int_param() -> Operand {
    value(1)
}

fn value(number: u32) -> Operand {
    Operand::Value(ValueId::from_u32(number))
}

fn block(number: u32) -> BlockId {
    BlockId::from_u32(number)
}

fn tuple(fields: Vec<(u64, Type)>, size: u64) -> Type {
    let align = 4;
    Type::Tuple(Arc::new(Tuple {
        fields,
        size,
        align,
    }))
}

fn pair() -> Type {
    tuple(vec![(0, INT), (4, Type::BOOL)], 8)
}

fn load(address: Operand, ordering: Option<Ordering>) -> Op {
    Op::Load {
        address,
        ordering,
        is_volatile: false,
    }
}

#[test]
fn the_sample_is_correct() {
    assert_eq!(Sample::new().verify(), Ok(()));
}

#[test]
fn errors_name_the_function() {
    let mut sample = Sample::new();
    sample.inst(Op::Any, None);
    let errors = sample.verify().unwrap_err();
    assert_eq!(errors[0].to_string(), "fn0: i0 (any): it has no result");
}

#[test]
fn ids_of_the_program_exist() {
    rejects("fn7", |s| s.program.main = FunctionId::from_u32(7));
    rejects("fn8", |s| s.program.startup.push(FunctionId::from_u32(8)));
    rejects("fn9", |s| s.program.cleanup.push(FunctionId::from_u32(9)));
    let location = Some(Location {
        file: FileId::from_u32(3),
        line: 1,
        column: 0,
    });
    rejects("file3", |s| s.global().location = location);
    rejects("file3", |s| s.main().location = location);
    rejects("file3", |s| {
        s.body.blocks[Body::ENTRY].terminator_location = location;
    });
    let missing = SourceTypeId::from_u32(5);
    rejects("srctype5", |s| s.global().ty = Some(missing));
    rejects("srctype5", |s| {
        s.program.source_types.push(SourceType::Record {
            name: None,
            is_union: false,
            bytes: 4,
            members: vec![Member {
                name: "m".to_string(),
                bit_offset: 0,
                bit_size: 32,
                ty: missing,
            }],
        });
    });
    rejects("srctype5", |s| {
        s.body.locals.push(LocalVariable {
            name: "x".to_string(),
            ty: Some(missing),
            location: None,
        });
    });
}

#[test]
fn ids_of_constants_exist() {
    rejects("g4", |s| {
        s.constant(Constant::Global {
            global: GlobalId::from_u32(4),
            offset: 0,
        });
    });
    rejects("fn4", |s| {
        s.constant(Constant::Function(FunctionId::from_u32(4)));
    });
    rejects("label fn0.block4", |s| {
        s.constant(Constant::Label(FunctionId::from_u32(0), block(4)));
    });
    rejects("k4", |s| {
        let (ty, fields) = (pair(), vec![ConstId::from_u32(4)]);
        s.constant(Constant::Tuple { ty, fields });
    });
}

#[test]
fn ids_of_bodies_exist() {
    rejects("v9", |s| {
        s.body.blocks[Body::ENTRY].terminator = Terminator::Return(Some(value(9)));
    });
    rejects("k9", |s| {
        let operand = Operand::Const(ConstId::from_u32(9));
        s.body.blocks[Body::ENTRY].terminator = Terminator::Return(Some(operand));
    });
    rejects("block9", |s| {
        s.body.blocks[Body::ENTRY].terminator = Terminator::Jump(block(9));
    });
    rejects("i9", |s| {
        s.body.blocks[Body::ENTRY].insts.push(InstId::from_u32(9));
    });
    let local = Op::Local {
        variable: Some(LocalId::from_u32(9)),
        bytes: 4,
        align: 4,
        count: None,
    };
    rejects_op("local9", local, Some(Type::Pointer));
    let call = Op::Call {
        callee: Callee::Direct(FunctionId::from_u32(9)),
        args: Vec::new(),
        by_value: Vec::new(),
    };
    rejects_op("fn9", call, None);
    let offset = Op::Offset {
        base: pointer_param(),
        bytes: 0,
        terms: Vec::new(),
        record: Some(SourceTypeId::from_u32(9)),
    };
    rejects_op("srctype9", offset, Some(Type::Pointer));
}

#[test]
fn target_and_main() {
    rejects("pointers of 3 bytes", |s| {
        s.program.target.pointer_bytes = 3
    });
    rejects("main has no body", |s| {
        let mut other = s.main().clone();
        other.body = None;
        s.program.main = s.program.functions.push(other);
    });
}

#[test]
fn types_are_well_formed() {
    rejects_op("an integer of 0 bits", Op::Any, Some(Type::Int(0)));
    rejects_op("an integer of 129 bits", Op::Any, Some(Type::Int(129)));
    let overlapping = tuple(vec![(0, INT), (2, INT)], 8);
    rejects_op("overlap", Op::Any, Some(overlapping));
    let too_short = tuple(vec![(0, INT), (4, INT)], 6);
    rejects_op("beyond its end", Op::Any, Some(too_short));
    let nested = tuple(vec![(0, Type::Int(0))], 8);
    rejects_op("an integer of 0 bits", Op::Any, Some(nested));
    let odd = Type::Tuple(Arc::new(Tuple {
        fields: Vec::new(),
        size: 0,
        align: 3,
    }));
    rejects_op("aligned to 3 bytes", Op::Any, Some(odd));
    rejects("an integer of 200 bits", |s| {
        s.main().result = Some(Type::Int(200))
    });
}

#[test]
fn constants_fit_their_types() {
    rejects("256 has more than 8 bits", |s| {
        s.constant(Constant::Int {
            bits: 8,
            value: 256,
        });
    });
    rejects("an undefined i32", |s| {
        s.constant(Constant::Undefined(INT));
    });
    rejects("a tuple constant of type i32", |s| {
        let fields = Vec::new();
        s.constant(Constant::Tuple { ty: INT, fields });
    });
    rejects("1 fields for a tuple with 2", |s| {
        let fields = vec![s.program.intern(Constant::Null)];
        s.constant(Constant::Tuple { ty: pair(), fields });
    });
    rejects("a field is ptr instead of i1", |s| {
        let number = s.program.intern(Constant::Int { bits: 32, value: 1 });
        let fields = vec![number, s.program.intern(Constant::Null)];
        s.constant(Constant::Tuple { ty: pair(), fields });
    });
}

#[test]
fn globals_are_laid_out() {
    fn relocate(sample: &mut Sample, offsets: &[u64], symbol: Symbol) {
        let relocation = |&offset| Relocation {
            offset,
            symbol,
            addend: 0,
        };
        sample.global().initial = Initial::Bytes {
            bytes: vec![0; 16],
            relocations: offsets.iter().map(relocation).collect(),
        };
    }
    let this = Symbol::Global(GlobalId::from_u32(0));
    rejects("an alignment of 0 bytes", |s| s.global().align = 0);
    rejects("an alignment of 6 bytes", |s| s.global().align = 6);
    rejects("16 initial bytes for an object of 17", |s| {
        s.global().bytes = 17
    });
    rejects("a relocation at byte 9 of 16", |s| relocate(s, &[9], this));
    rejects("a relocation", |s| relocate(s, &[u64::MAX], this));
    rejects("overlapping relocations at byte 4", |s| {
        relocate(s, &[4, 0], this)
    });
    let missing = Symbol::Function(FunctionId::from_u32(4));
    rejects("fn4 does not exist", |s| relocate(s, &[0], missing));
    let mut sample = Sample::new();
    relocate(&mut sample, &[8, 0], this);
    assert_eq!(sample.verify(), Ok(()));
}

#[test]
fn parameters_are_the_first_values() {
    rejects("parameter 1 is i8 but its value is i32", |s| {
        s.main().params[1].ty = Type::Int(8);
    });
    rejects("parameter 2 is i32 but its value is missing", |s| {
        let param = s.main().params[1].clone();
        s.main().params.push(param);
    });
    rejects("parameter 1 is passed by value", |s| {
        s.main().params[1].by_value = Some(4);
    });
}

#[test]
fn the_entry_is_entered_once() {
    rejects("the body has no block", |s| s.body.blocks.clear());
    rejects("control comes back to the entry from block0", |s| {
        s.body.blocks[Body::ENTRY].terminator = Terminator::Jump(Body::ENTRY);
    });
    rejects("the entry has phis", |s| {
        let result = s.body.values.push(INT);
        let incoming = Vec::new();
        s.body.blocks[Body::ENTRY]
            .phis
            .push(Phi { result, incoming });
    });
}

#[test]
fn definitions_come_once_and_before_uses() {
    rejects("i0 is listed twice", |s| {
        s.inst(Op::Any, Some(INT));
        s.body.blocks[Body::ENTRY].insts.push(InstId::from_u32(0));
    });
    rejects("v1 is defined twice", |s| {
        s.inst(Op::Any, Some(INT));
        s.body.insts[InstId::from_u32(0)].result = Some(ValueId::from_u32(1));
    });
    rejects("v2 is used in block0 before it is defined", |s| {
        let address = value(2);
        s.inst(load(address, None), Some(Type::Pointer));
    });
    rejects("v2 is used in block0 before it is defined", |s| {
        s.body.values.push(INT);
        s.body.blocks[Body::ENTRY].terminator = Terminator::Return(Some(value(2)));
    });
    // Defined on one of two ways only.
    rejects("v2 is used in block2 before it is defined", |s| {
        diamond(s);
        s.inst(Op::Any, Some(INT));
        let inst = s.body.blocks[Body::ENTRY].insts.pop();
        s.body.blocks[block(1)].insts.extend(inst);
        s.body.blocks[block(2)].terminator = Terminator::Return(Some(value(2)));
    });
}

#[test]
fn unreachable_blocks_may_use_anything() {
    let mut sample = Sample::new();
    sample.body.values.push(INT);
    sample.block(Terminator::Return(Some(value(2))));
    assert_eq!(sample.verify(), Ok(()));
}

/// Block 0 goes to 2, directly or by way of 1. Block 3 is unreachable and goes
/// to 2 as well.
fn diamond(sample: &mut Sample) {
    let condition = sample.constant(Constant::Int { bits: 1, value: 1 });
    sample.body.blocks[Body::ENTRY].terminator = Terminator::Branch {
        condition,
        then: block(1),
        otherwise: block(2),
    };
    sample.block(Terminator::Jump(block(2)));
    sample.block(Terminator::Return(Some(int_param())));
    sample.block(Terminator::Jump(block(2)));
}

fn diamond_with_phi(sample: &mut Sample, incoming: Vec<(BlockId, Operand)>) {
    diamond(sample);
    let result = sample.body.values.push(INT);
    sample.body.blocks[block(2)]
        .phis
        .push(Phi { result, incoming });
}

#[test]
fn phis_have_one_entry_per_predecessor() {
    let (from_0, from_1) = ((block(0), int_param()), (block(1), int_param()));
    rejects("phi v2 has no entry for block1", |s| {
        diamond_with_phi(s, vec![from_0]);
    });
    rejects("phi v2 has two entries for block0", |s| {
        diamond_with_phi(s, vec![from_0, from_0, from_1]);
    });
    rejects("phi v2 has an entry for block2", |s| {
        diamond_with_phi(s, vec![from_0, from_1, (block(2), int_param())]);
    });
    rejects("phi v2: i32 expected from block1, not ptr", |s| {
        diamond_with_phi(s, vec![from_0, (block(1), pointer_param())]);
    });
    rejects("v2 is used in block1 before it is defined", |s| {
        diamond_with_phi(s, vec![from_0, (block(1), value(2))]);
    });
    for also_unreachable in [false, true] {
        let mut sample = Sample::new();
        let mut incoming = vec![from_0, from_1];
        incoming.extend(also_unreachable.then_some((block(3), int_param())));
        diamond_with_phi(&mut sample, incoming);
        assert_eq!(sample.verify(), Ok(()));
    }
}
