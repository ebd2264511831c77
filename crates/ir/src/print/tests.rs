//! One small program with something of everything, and its whole text.

use crate::body::*;
use crate::program::*;
use crate::source::{Location, SourceType};
use crate::types::{Tuple, Type};
use std::sync::Arc;

fn sample() -> Program {
    let mut program = Program::new(Target { pointer_bytes: 8 });
    let file = program.files.push("prog.c".to_string());
    let at = |line| {
        Some(Location {
            file,
            line,
            column: 1,
        })
    };
    let record = program.source_types.push(SourceType::Record {
        name: Some("node".to_string()),
        is_union: false,
        bytes: 16,
        members: Vec::new(),
    });
    let int = |program: &mut Program, bits, value| {
        Operand::Const(program.intern(Constant::Int { bits, value }))
    };
    let counter = program.globals.push(Global {
        symbol: "counter".to_string(),
        name: Some("counter".to_string()),
        function: None,
        ty: None,
        location: at(1),
        bytes: 4,
        align: 4,
        initial: Initial::Zero,
        is_constant: false,
        is_thread_local: true,
        is_external: false,
    });
    let mut bytes = vec![0; 80];
    bytes[..3].copy_from_slice(b"abc");
    bytes[65] = 255;
    program.globals.push(Global {
        symbol: ".table".to_string(),
        name: Some("table".to_string()),
        function: Some("main".to_string()),
        ty: None,
        location: None,
        bytes: 80,
        align: 8,
        initial: Initial::Bytes {
            bytes,
            relocations: vec![Relocation {
                offset: 8,
                symbol: Symbol::Global(counter),
                addend: 2,
            }],
        },
        is_constant: true,
        is_thread_local: false,
        is_external: false,
    });

    let mut body = Body::default();
    let local = body.locals.push(LocalVariable {
        name: "x".to_string(),
        ty: None,
        location: at(4),
    });
    let (one, minus_one) = (int(&mut program, 1, 1), int(&mut program, 32, 0xffff_ffff));
    let nan = Operand::Const(program.intern(Constant::Double(f64::NAN.to_bits())));
    let half = Operand::Const(program.intern(Constant::Float(0.5f32.to_bits())));
    let offset = 4;
    let global = Constant::Global {
        global: counter,
        offset,
    };
    let address = Operand::Const(program.intern(global));
    let pair = Type::Tuple(Arc::new(Tuple {
        fields: vec![(0, Type::Int(32)), (4, Type::BOOL)],
        size: 8,
        align: 4,
    }));
    let undefined = Operand::Const(program.intern(Constant::Undefined(pair.clone())));

    let param = body.values.push(Type::Int(32));
    let mut insts = Vec::new();
    let mut push = |op, ty: Option<Type>, line| {
        let result = ty.map(|ty| body.values.push(ty));
        let location = at(line);
        insts.push(body.insts.push(Inst {
            op,
            result,
            location,
        }));
        result.map_or(one, Operand::Value)
    };
    let x = push(
        Op::Local {
            variable: Some(local),
            bytes: 4,
            align: 4,
            count: Some(Operand::Value(param)),
        },
        Some(Type::Pointer),
        4,
    );
    push(
        Op::Store {
            address: x,
            value: minus_one,
            ordering: None,
            is_volatile: true,
        },
        None,
        5,
    );
    let loaded = push(
        Op::Load {
            address,
            ordering: Some(Ordering::SequentiallyConsistent),
            is_volatile: false,
        },
        Some(Type::Int(32)),
        6,
    );
    push(
        Op::Rmw {
            op: RmwOp::Add,
            address,
            value: loaded,
            ordering: Ordering::Relaxed,
        },
        Some(Type::Int(32)),
        6,
    );
    push(
        Op::CompareExchange {
            address,
            expected: loaded,
            replacement: minus_one,
            success: Ordering::AcquireRelease,
            failure: Ordering::Acquire,
            is_weak: true,
        },
        Some(pair.clone()),
        7,
    );
    push(
        Op::Binary {
            op: BinaryOp::SignedDiv,
            left: loaded,
            right: minus_one,
            no_signed_wrap: false,
        },
        Some(Type::Int(32)),
        8,
    );
    push(
        Op::FloatCompare {
            op: FloatComparison {
                less: true,
                equal: true,
                greater: false,
                unordered: false,
            },
            left: nan,
            right: nan,
        },
        Some(Type::BOOL),
        9,
    );
    push(Op::FloatNegate { value: half }, Some(Type::Float), 9);
    push(
        Op::Offset {
            base: x,
            bytes: -8,
            terms: vec![(loaded, 16)],
            record: Some(record),
        },
        Some(Type::Pointer),
        10,
    );
    push(
        Op::Insert {
            tuple: undefined,
            field: one,
            path: vec![1],
        },
        Some(pair),
        11,
    );
    push(
        Op::Call {
            callee: Callee::Direct(FunctionId::from_u32(1)),
            args: vec![x, loaded],
            by_value: vec![Some(16), None],
        },
        None,
        12,
    );
    let what = "inline \"assembly\"".to_string();
    push(Op::Unsupported { what }, None, 13);
    let result = body.values.push(Type::Int(32));
    body.blocks.push(Block {
        phis: Vec::new(),
        insts,
        terminator: Terminator::Switch {
            value: loaded,
            cases: vec![(3, BlockId::from_u32(1))],
            default: BlockId::from_u32(1),
        },
        terminator_location: at(14),
    });
    body.blocks.push(Block {
        phis: vec![Phi {
            result,
            incoming: vec![(Body::ENTRY, minus_one)],
        }],
        insts: Vec::new(),
        terminator: Terminator::Return(Some(Operand::Value(result))),
        terminator_location: None,
    });
    program.functions.push(Function {
        symbol: "main".to_string(),
        name: "main".to_string(),
        location: at(3),
        params: vec![Param {
            ty: Type::Int(32),
            by_value: None,
        }],
        is_variadic: true,
        result: Some(Type::Int(32)),
        body: Some(body),
    });
    program.functions.push(Function {
        symbol: "_Z4takev".to_string(),
        name: "take".to_string(),
        location: None,
        params: vec![Param {
            ty: Type::Pointer,
            by_value: Some(16),
        }],
        is_variadic: false,
        result: None,
        body: None,
    });
    program
}

const TEXT: &str = r#"
target with pointers of 8 bytes
main fn0
; file0 is "prog.c"

g0 = global "counter" 4 bytes align 4 thread_local zero  ; counter  ; prog.c:1
g1 = global ".table" 80 bytes align 8 constant  ; table in main
  0x0000: 6162630000000000000000000000000000000000000000000000000000000000
  0x0040: 00ff0000000000000000000000000000
  0x0008: address of g0+2

define fn0 "main"(v0: i32, ...) -> i32  ; prog.c:3
  ; local0 is x  ; prog.c:4
block0:
  v1 = local ptr 4 bytes align 4 times v0  ; x  ; prog.c:4
  store -1:i32, v1 volatile  ; prog.c:5
  v2 = load i32 g0+4 seq_cst  ; prog.c:6
  v3 = atomic_add i32 g0+4, v2 relaxed  ; prog.c:6
  v4 = compare_exchange {0: i32, 4: i1 | 8 align 4} weak g0+4, v2, -1:i32 acq_rel acquire  ; prog.c:7
  v5 = signed_div i32 v2, -1:i32  ; prog.c:8
  v6 = float_less|equal i1 0x7ff8000000000000:double, 0x7ff8000000000000:double  ; prog.c:9
  v7 = float_negate float 0.5:float  ; prog.c:9
  v8 = offset ptr v1, -8, v2 * 16  ; in node  ; prog.c:10
  v9 = insert {0: i32, 4: i1 | 8 align 4} undefined:{0: i32, 4: i1 | 8 align 4}, 1:i1 at 1  ; prog.c:11
  call fn1 "_Z4takev"(v1 by_value 16, v2)  ; prog.c:12
  unsupported "inline \"assembly\""  ; prog.c:13
  switch v2 3: block1, else block1  ; prog.c:14
block1:
  v10 = phi i32 block0: -1:i32
  return v10

declare fn1 "_Z4takev"(v0: ptr by_value 16) -> void  ; take
"#;

#[test]
fn whole_program() {
    let text = sample().to_string();
    assert_eq!(text, TEXT.trim_start(), "{text}");
}

#[test]
fn sample_is_well_formed() {
    assert_eq!(crate::verify::verify(&sample()), Ok(()));
}

#[test]
fn one_function() {
    let program = sample();
    let text = program
        .display_function(FunctionId::from_u32(1))
        .to_string();
    assert_eq!(
        text,
        "declare fn1 \"_Z4takev\"(v0: ptr by_value 16) -> void  ; take\n"
    );
}

#[test]
fn integers_have_signs_unless_single_bits() {
    let mut program = Program::new(Target { pointer_bytes: 8 });
    for (bits, value, text) in [
        (1, 1, "1:i1"),
        (8, 255, "-1:i8"),
        (8, 127, "127:i8"),
        (128, u128::MAX, "-1:i128"),
    ] {
        let operand = Operand::Const(program.intern(Constant::Int { bits, value }));
        assert_eq!(program.display_operand(operand).to_string(), text);
    }
}
