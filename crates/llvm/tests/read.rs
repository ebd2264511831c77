//! Small modules of LLVM IR, as different versions write them.

mod common;

use common::{function, global, ops, read, with_main};
use ir::{
    BinaryOp, Builtin, Callee, Cast, Constant, Initial, Op, Operand, Ordering, RmwOp, Symbol,
    Terminator, Type,
};
use llvm::Error;

fn constant(loaded: &llvm::Loaded, operand: Operand) -> Constant {
    match operand {
        Operand::Const(id) => loaded.program.constant(id).clone(),
        Operand::Value(value) => panic!("{value} is not a constant"),
    }
}

#[test]
fn typed_and_opaque_pointers_give_the_same_program() {
    let typed = with_main(
        "%struct.pair = type { i8, i64 }
         @array = global [3 x %struct.pair] zeroinitializer, align 8
         define i64 @f(%struct.pair* noundef %p, i32 %i) {
           %1 = alloca i8*, align 8
           %2 = bitcast %struct.pair* %p to i8*
           store i8* %2, i8** %1, align 8
           %3 = getelementptr inbounds %struct.pair, %struct.pair* %p, i64 0, i32 1
           %4 = load i64, i64* %3, align 8
           %5 = getelementptr inbounds [3 x %struct.pair], [3 x %struct.pair]* @array, i64 0, i32 %i, i32 1
           %6 = load volatile i64, i64* %5, align 8
           %7 = load i64, i64* getelementptr inbounds ([3 x %struct.pair], [3 x %struct.pair]* @array, i64 0, i64 2, i32 1), align 8
           %8 = add nsw i64 %4, %7
           ret i64 %8
         }",
    );
    let opaque = with_main(
        "%struct.pair = type { i8, i64 }
         @array = global [3 x %struct.pair] zeroinitializer, align 8
         define i64 @f(ptr noundef %p, i32 %i) {
           %1 = alloca ptr, align 8
           store ptr %p, ptr %1, align 8
           %2 = getelementptr inbounds nuw %struct.pair, ptr %p, i64 0, i32 1
           %3 = load i64, ptr %2, align 8
           %4 = getelementptr inbounds [3 x %struct.pair], ptr @array, i64 0, i32 %i, i32 1
           %5 = load volatile i64, ptr %4, align 8
           %6 = load i64, ptr getelementptr inbounds (i8, ptr @array, i64 40), align 8
           %7 = add nsw i64 %3, %6
           ret i64 %7
         }",
    );
    assert_eq!(typed.program.to_string(), opaque.program.to_string());
    let operations = ops(&opaque.program, "f");
    let Op::Offset {
        bytes: 8, terms, ..
    } = operations[4]
    else {
        panic!("{:?}", operations[4]);
    };
    assert_eq!(terms[0].1, 16);
}

#[test]
fn names_blocks_and_labels() {
    let loaded = with_main(
        "define i32 @\"odd name\\22\"(i32, i32 %b) {
           %2 = icmp slt i32 %0, %b
           br i1 %2, label %3, label %\"quoted label\"
         3:
           br label %end
         \"quoted label\":                    ; preds = %1
           br label %end
         end:
           %p = phi i32 [ undef, %3 ], [ ptrtoint (ptr @main to i32), %\"quoted label\" ]
           ret i32 %p
         }
         define void @\"\\01plain\"() {
           ret void
         }",
    );
    let body = function(&loaded.program, "odd name\"")
        .body
        .as_ref()
        .unwrap();
    function(&loaded.program, "plain");
    assert_eq!(body.blocks.len(), 4);
    // What the phi needs is computed in its predecessors.
    let block = |number| &body.blocks[ir::BlockId::from_u32(number)];
    assert_eq!(body.insts[block(1).insts[0]].op, Op::Any);
    assert!(matches!(
        body.insts[block(2).insts[0]].op,
        Op::Cast {
            op: Cast::PointerToInt,
            ..
        }
    ));
    assert_eq!(block(3).phis[0].incoming.len(), 2);
}

#[test]
fn implicit_numbers_of_values_and_blocks() {
    let loaded = with_main(
        "define i32 @f(i32) {
           add i32 %0, 1
           br label %3
           ret i32 %2
         }",
    );
    let body = function(&loaded.program, "f").body.as_ref().unwrap();
    assert_eq!(body.blocks.len(), 2);
    assert!(matches!(
        body.blocks[ir::BlockId::from_u32(0)].terminator,
        Terminator::Jump(_)
    ));
}

#[test]
fn initial_values() {
    let loaded = with_main(
        r#"target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-f64:32:64-f80:32-n8:16:32-S128"
        target triple = "i386-pc-linux-gnu"
        %struct.s = type { i8, i64, float }
        @text = private unnamed_addr constant [4 x i8] c"a\00\FF\5C", align 1
        @s = global %struct.s { i8 -1, i64 72623859790382856, float 0x3FB99999A0000000 }, align 4
        @packed = global <{ i8, i32 }> <{ i8 1, i32 2 }>, align 1
        @address = global i8* getelementptr inbounds ([4 x i8], [4 x i8]* @text, i32 0, i32 2)
        @number = global i32 add (i32 ptrtoint ([4 x i8]* @text to i32), i32 7)
        @function = global i32 ()* @main
        @absolute = global i8* inttoptr (i32 -2 to i8*)
        @zeros = global { i32, [2 x i16] } { i32 0, [2 x i16] [i16 0, i16 undef] }
        @long = global x86_fp80 0xK3FFF8000000000000000, align 4
        @bool = global i8 zext (i1 icmp eq (i32 3, i32 3) to i8)"#,
    );
    let bytes = |symbol: &str| match &global(&loaded.program, symbol).initial {
        Initial::Zero => None,
        Initial::Bytes { bytes, relocations } => Some((bytes.clone(), relocations.clone())),
    };
    assert_eq!(bytes("text").unwrap().0, [b'a', 0, 0xff, b'\\']);
    let s = bytes("s").unwrap().0;
    assert_eq!(
        s,
        [255, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0xcd, 0xcc, 0xcc, 0x3d]
    );
    assert_eq!(bytes("packed").unwrap().0, [1, 2, 0, 0, 0]);
    assert_eq!(bytes("address").unwrap().1[0].addend, 2);
    assert_eq!(bytes("number").unwrap().1[0].addend, 7);
    let relocation = bytes("function").unwrap().1[0].clone();
    assert_eq!(relocation.symbol, Symbol::Function(loaded.program.main));
    assert_eq!(bytes("absolute").unwrap().0, [0xfe, 0xff, 0xff, 0xff]);
    assert_eq!(bytes("zeros"), None);
    assert_eq!(bytes("long").unwrap().0.len(), 12);
    assert_eq!(bytes("bool").unwrap().0, [1]);
    assert!(global(&loaded.program, "text").is_constant);
}

#[test]
fn atomics_and_fences() {
    let loaded = with_main(
        "define void @f(ptr %p) {
           %1 = load atomic volatile i32, ptr %p syncscope(\"singlethread\") acquire, align 4
           store atomic i32 %1, ptr %p release, align 4
           %2 = atomicrmw volatile nand ptr %p, i32 3 acq_rel, align 4
           %3 = cmpxchg weak volatile ptr %p, i32 %1, i32 %2 seq_cst monotonic, align 4
           %4 = extractvalue { i32, i1 } %3, 1, !range !0
           %5 = atomicrmw uinc_wrap ptr %p, i32 3 seq_cst, align 4
           fence syncscope(\"singlethread\") seq_cst
           fence release
           ret void
         }
         !0 = !{}",
    );
    let operations = ops(&loaded.program, "f");
    assert!(matches!(
        operations[0],
        Op::Load {
            ordering: Some(Ordering::Acquire),
            is_volatile: true,
            ..
        }
    ));
    assert!(matches!(
        operations[1],
        Op::Store {
            ordering: Some(Ordering::Release),
            ..
        }
    ));
    assert!(matches!(
        operations[2],
        Op::Rmw {
            op: RmwOp::Nand,
            ordering: Ordering::AcquireRelease,
            ..
        }
    ));
    assert!(matches!(
        operations[3],
        Op::CompareExchange {
            success: Ordering::SequentiallyConsistent,
            failure: Ordering::Relaxed,
            is_weak: true,
            ..
        }
    ));
    assert!(matches!(operations[5], Op::Unsupported { .. }));
    assert_eq!(loaded.unsupported[0].what, "the atomic operation uinc_wrap");
    // A fence against signal handlers orders nothing between threads.
    assert_eq!(
        operations[6..],
        [&Op::Fence {
            ordering: Ordering::Release
        }]
    );
}

#[test]
fn calls_of_all_kinds() {
    let loaded = with_main(
        "%struct.big = type { [20 x i32] }
         declare i32 @printf(ptr noundef, ...) #1
         declare void @take(ptr byval(%struct.big) align 8)
         @alias = alias void (ptr), ptr @take_it
         define void @take_it(ptr sret(%struct.big) align 4 %0) {
           ret void
         }
         define void @f(ptr %p, i32 %n) personality ptr @printf {
           %1 = tail call signext i32 (ptr, ...) @printf(ptr noundef %p, i32 noundef signext %n, double 1.0) #1 [ \"bundle\"(i32 1) ], !dbg !0
           call void @take(ptr noundef byval(%struct.big) align 8 %p)
           call fastcc void @alias(ptr sret(%struct.big) align 4 %p)
           call void %p(i32 range(i32 0, 5) %n)
           %2 = invoke noundef i32 @main() #2
                   to label %3 unwind label %4
         3:
           ret void
         4:
           %5 = landingpad { ptr, i32 }
                   cleanup
                   catch ptr null
           resume { ptr, i32 } %5
         }
         attributes #1 = { nounwind \"a}b\"=\"c\" memory(none) }
         attributes #2 = { nounwind }
         !0 = !{}",
    );
    let operations = ops(&loaded.program, "f");
    let Op::Call { args, .. } = operations[0] else {
        panic!();
    };
    assert_eq!(args.len(), 3);
    assert!(matches!(operations[1], Op::Call { by_value, .. } if by_value == &[Some(80)]));
    assert!(matches!(
        operations[2],
        Op::Call {
            callee: Callee::Direct(_),
            ..
        }
    ));
    assert!(matches!(
        operations[3],
        Op::Call {
            callee: Callee::Indirect(_),
            ..
        }
    ));
    assert!(matches!(operations[4], Op::Call { .. }));
    assert_eq!(loaded.unsupported.len(), 2);
    let names: Vec<_> = loaded.undefined.iter().map(|u| u.symbol.as_str()).collect();
    assert_eq!(names, ["printf", "take"]);
    assert_eq!(
        function(&loaded.program, "take").params[0].by_value,
        Some(80)
    );
}

#[test]
fn calls_through_casts_are_direct() {
    let loaded = with_main(
        "define i32 @f(i32) {
           ret i32 %0
         }
         define i32 @g() {
           %1 = call i32 (i32, i32) bitcast (i32 (i32)* @f to i32 (i32, i32)*)(i32 1, i32 2)
           %2 = bitcast i32 (i32)* @f to void ()*
           call void %2()
           ret i32 %1
         }",
    );
    for op in ops(&loaded.program, "g") {
        assert!(
            matches!(
                op,
                Op::Call {
                    callee: Callee::Direct(_),
                    ..
                }
            ),
            "{op:?}"
        );
    }
}

#[test]
fn intrinsics() {
    let loaded = with_main(
        "declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
         define void @f(ptr %p, i32 %n, i64 %w, double %d, i1 %b) {
           call void @llvm.lifetime.start.p0(i64 4, ptr %p)
           call void @llvm.assume(i1 %b) [ \"align\"(ptr %p, i64 8) ]
           call void @llvm.memcpy.p0.p0.i32(ptr align 4 %p, ptr align 4 %p, i32 %n, i1 false)
           call void @llvm.memset.p0.i64(ptr %p, i8 -1, i64 16, i1 true)
           %1 = call i64 @llvm.expect.i64(i64 %w, i64 1)
           %2 = call i64 @llvm.ctpop.i64(i64 %1)
           %3 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %n, i32 1)
           %4 = call double @llvm.pow.f64(double %d, double %d)
           %5 = call i1 @llvm.is.fpclass.f64(double %d, i32 516)
           %6 = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 false)
           %7 = call ptr @llvm.stacksave.p0()
           call void @llvm.stackrestore.p0(ptr %7)
           %8 = call ptr @llvm.threadlocal.address.p0(ptr %p)
           store i64 %6, ptr %8
           %9 = call ptr @llvm.returnaddress(i32 0)
           call void @llvm.trap()
           %10 = call i32 @llvm.some.new.thing.i32(i32 %n)
           ret void
         }",
    );
    let operations = ops(&loaded.program, "f");
    let called = |op: &Op| match op {
        Op::Call {
            callee: Callee::Direct(id),
            ..
        } => loaded.program.functions[*id].symbol.clone(),
        other => format!("{other:?}"),
    };
    assert!(matches!(
        operations[0],
        Op::Cast {
            op: Cast::ZeroExtend,
            ..
        }
    ));
    assert_eq!(called(operations[1]), "memcpy");
    assert_eq!(called(operations[2]), "memset");
    let Op::Call { args, .. } = operations[2] else {
        panic!();
    };
    assert_eq!(
        constant(&loaded, args[1]),
        Constant::Int {
            bits: 32,
            value: 255
        }
    );
    let Op::Builtin {
        op: Builtin::CountOnes,
        args,
    } = operations[3]
    else {
        panic!();
    };
    assert!(
        matches!(args[0], Operand::Value(value) if value.as_u32() == 2),
        "expect is identity"
    );
    assert!(matches!(
        operations[4],
        Op::Builtin {
            op: Builtin::SignedAddOverflow,
            ..
        }
    ));
    assert_eq!(called(operations[5]), "pow");
    assert!(matches!(
        operations[6],
        Op::Builtin {
            op: Builtin::IsFloatClass,
            ..
        }
    ));
    assert!(matches!(operations[8], Op::SaveStack));
    assert!(matches!(operations[9], Op::RestoreStack { .. }));
    assert!(matches!(operations[11], Op::Any));
    assert_eq!(called(operations[12]), "abort");
    assert!(matches!(operations[13], Op::Unsupported { .. }));
    assert!(
        loaded
            .undefined
            .iter()
            .all(|u| !u.symbol.starts_with("llvm."))
    );
}

#[test]
fn assembly() {
    let loaded = with_main(
        r#"define i32 @f(i32 %x, ptr %p) {
           call void asm sideeffect "", "~{memory},~{dirflag}"()
           call void asm sideeffect "mfence", "~{memory}"()
           call void asm sideeffect "rep; nop", ""()
           %1 = call i32 asm "", "=r,0"(i32 %x)
           %2 = call i32 asm "", "=r"()
           %3 = call { i32, i32 } asm "", "=r,=r,1"(i32 %x)
           %4 = call i32 asm sideeffect "bsf $1,$0", "=r,r"(i32 %x)
           ret i32 %1
         }"#,
    );
    let operations = ops(&loaded.program, "f");
    assert!(matches!(operations[0], Op::Fence { .. }));
    assert!(matches!(
        operations[1],
        Op::Cast {
            op: Cast::Reinterpret,
            ..
        }
    ));
    assert!(matches!(operations[2], Op::Any));
    assert!(matches!(
        operations[operations.len() - 1],
        Op::Unsupported { .. }
    ));
    assert_eq!(loaded.unsupported[0].what, "assembly code `bsf $1,$0`");
}

#[test]
fn what_nobody_can_compute_is_an_error_only_when_reached() {
    let loaded = with_main(
        "@wide = global i256 0
         declare fp128 @sqrtl(fp128)
         define double @f(double %d) {
           %1 = fpext double %d to fp128
           %2 = call fp128 @sqrtl(fp128 %1)
           %3 = fptrunc fp128 %2 to double
           %4 = load i256, ptr @wide
           ret double %3
         }
         define fp128 @g(fp128 %x) {
           ret fp128 %x
         }
         define i32 @v(ptr addrspace(3) %p, ptr %list) {
           %1 = load i32, ptr addrspace(3) %p
           %2 = va_arg ptr %list, i32
           ret i32 %1
         }",
    );
    assert_eq!(loaded.unsupported.len(), 6);
    assert_eq!(loaded.unsupported[0].what, "long double arithmetic (fp128)");
    assert_eq!(
        loaded.unsupported[3].what,
        "arithmetic on integers of 256 bits"
    );
    let body = function(&loaded.program, "g").body.as_ref().unwrap();
    assert_eq!(
        body.blocks[ir::BlockId::from_u32(0)].terminator,
        Terminator::Unreachable
    );
}

#[test]
fn vectors_are_taken_apart() {
    let loaded = with_main(
        "define <2 x float> @f(<2 x float> %a, ptr %p, i32 %i) {
           %1 = load <2 x float>, ptr %p, align 8
           %2 = fadd <2 x float> %a, %1
           %3 = fcmp olt <2 x float> %2, <float 1.0, float 2.0>
           %4 = select <2 x i1> %3, <2 x float> %1, <2 x float> zeroinitializer
           %5 = shufflevector <2 x float> %4, <2 x float> poison, <2 x i32> <i32 1, i32 undef>
           %6 = extractelement <2 x float> %5, i32 %i
           %7 = insertelement <2 x float> %5, float %6, i64 1
           %8 = sext <2 x i1> %3 to <2 x i64>
           ret <2 x float> %7
         }",
    );
    assert!(loaded.unsupported.is_empty(), "{:?}", loaded.unsupported);
    let Type::Tuple(tuple) = &function(&loaded.program, "f").params[0].ty else {
        panic!();
    };
    assert_eq!(tuple.fields, [(0, Type::Float), (4, Type::Float)]);
}

#[test]
fn constants_in_functions() {
    let loaded = with_main(
        "@g = global [4 x i32] zeroinitializer
         @weak = extern_weak global i32
         define i1 @f(i32 %x) {
           %1 = add i32 %x, -1
           store double 0x7FF8000000000000, ptr @g
           store float 1.500000e+00, ptr getelementptr (i8, ptr @g, i64 -4)
           store ptr inttoptr (i64 -1 to ptr), ptr @g
           store { i8, ptr } { i8 1, ptr @g }, ptr @g
           store i64 sub (i64 ptrtoint (ptr getelementptr ([4 x i32], ptr @g, i64 0, i64 3) to i64), i64 ptrtoint (ptr @g to i64)), ptr @g
           store i64 mul (i64 ptrtoint (ptr @g to i64), i64 3), ptr @g
           %2 = icmp eq ptr @weak, null
           store [2 x i8] c\"a\\0A\", ptr @g
           ret i1 icmp ne (ptr @weak, ptr null)
         }",
    );
    let operations = ops(&loaded.program, "f");
    let Op::Binary {
        op: BinaryOp::Add,
        right,
        ..
    } = operations[0]
    else {
        panic!();
    };
    assert_eq!(
        constant(&loaded, *right),
        Constant::Int {
            bits: 32,
            value: 0xffff_ffff
        }
    );
    let stored: Vec<_> = operations
        .iter()
        .filter_map(|op| match op {
            Op::Store {
                value: value @ Operand::Const(_),
                ..
            } => Some(constant(&loaded, *value)),
            _ => None,
        })
        .collect();
    assert_eq!(stored[0], Constant::Double(0x7FF8_0000_0000_0000));
    assert_eq!(stored[1], Constant::Float(1.5f32.to_bits()));
    assert!(matches!(stored[2], Constant::Tuple { .. }));
    assert_eq!(
        stored[3],
        Constant::Int {
            bits: 64,
            value: 12
        }
    );
    assert!(operations.iter().any(|op| matches!(
        op,
        Op::Cast {
            op: Cast::IntToPointer,
            ..
        }
    )));
    assert!(operations.iter().any(|op| matches!(
        op,
        Op::Binary {
            op: BinaryOp::Mul,
            ..
        }
    )));
}

#[test]
fn initial_values_that_must_be_computed() {
    let loaded = with_main(
        "@offsets = constant [2 x i32] [i32 0, i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@f, %b) to i64), i64 ptrtoint (ptr blockaddress(@f, %a) to i64)) to i32)]
         define void @f(ptr %p) {
           indirectbr ptr %p, [label %a, label %b]
         a:
           ret void
         b:
           ret void
         }",
    );
    assert_eq!(loaded.program.startup.len(), 1);
    assert!(!global(&loaded.program, "offsets").is_constant);
    let operations = ops(&loaded.program, "initial values");
    assert!(matches!(operations[operations.len() - 1], Op::Store { .. }));
}

#[test]
fn constructors_are_sorted_by_priority() {
    let loaded = with_main(
        "@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @c, ptr null }, { i32, ptr, ptr } { i32 101, ptr @a, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @b, ptr null }]
         @llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @a, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @b, ptr null }]
         @llvm.used = appending global [1 x ptr] [ptr @a], section \"llvm.metadata\"
         define internal void @a() {
           ret void
         }
         define internal void @b() {
           ret void
         }
         define internal void @c() {
           ret void
         }",
    );
    let names = |list: &[ir::FunctionId]| -> Vec<String> {
        let symbols = list
            .iter()
            .map(|id| loaded.program.functions[*id].symbol.clone());
        symbols.collect()
    };
    assert_eq!(names(&loaded.program.startup), ["a", "c", "b"]);
    assert_eq!(names(&loaded.program.cleanup), ["b", "a"]);
}

#[test]
fn syntax_of_newer_versions() {
    let loaded = with_main(
        r#"%struct.s = type { i32, i32 }
        @g = dso_local local_unnamed_addr global i32 0, align 4, no_sanitize_address, !dbg !0
        @v = global <4 x i32> splat (i32 7)
        @t = constant ptr getelementptr inbounds nuw inrange(-16, 8) (i8, ptr @g, i64 4)
        declare void @take(ptr dead_on_unwind noalias writable sret(%struct.s) align 4 captures(none) initializes((0, 4)), i32 noundef range(i32 0, 5)) #0
        define dso_local range(i32 -1, 2) i32 @f(ptr noundef readonly captures(address, read_provenance) %p, i32 %n) local_unnamed_addr #0 !dbg !2 {
            #dbg_declare_value(i32 %n, !4, !DIExpression(), !5)
            #dbg_value(!DIArgList(i32 %n, i32 poison), !4, !DIExpression(DW_OP_LLVM_arg, 0), !5)
            #dbg_label(!6, !5)
          call void @llvm.lifetime.start.p0(ptr nonnull %p)
          %1 = getelementptr inbounds nuw %struct.s, ptr %p, i32 0, i32 1, !dbg !5
          %2 = load i32, ptr %1, align 4, !tbaa !6, !noundef !6
          %3 = icmp samesign ult i32 %2, %n
          %4 = zext nneg i1 %3 to i32
          %5 = or disjoint i32 %4, 2
          %6 = trunc nuw nsw i32 %5 to i8
          %7 = ptrtoaddr ptr %p to i64
          %8 = uitofp nneg i8 %6 to float
          %9 = fadd nnan nsz contract float %8, f0x3F800000
          %10 = select fast i1 %3, float %9, float 0.0
          %11 = tail call i32 @llvm.ucmp.i32.i32(i32 %n, i32 %2)
          %12 = atomicrmw usub_cond ptr %p, i32 1 syncscope("agent") monotonic, align 4, !amdgpu.x !6
          ret i32 %5
        }
        attributes #0 = { nounwind memory(argmem: readwrite, errnomem: write) "no-builtin" vscale_range(1,16) alignstack=16 }
        !0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_plus_uconst, 4))
        !1 = distinct !DIGlobalVariable(name: "g", scope: null, file: !3, line: 1, type: null)
        !2 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: null, keyInstructions: true)
        !3 = !DIFile(filename: "a.c", directory: "/", checksumkind: CSK_MD5, checksum: "00", source: "int\0Ax\22;")
        !4 = !DILocalVariable(name: "n", arg: 1, scope: !2, file: !3, line: 3, type: null)
        !5 = !DILocation(line: 3, column: 2, scope: !2, atomGroup: 1, atomRank: 2)
        !6 = !{!"x", i64 0, null}
        ^0 = module: (path: "x", hash: (0, 1))"#,
    );
    let whats: Vec<_> = loaded.unsupported.iter().map(|u| u.what.as_str()).collect();
    let expected = [
        "the intrinsic function llvm.ucmp.i32.i32",
        "the atomic operation usub_cond",
    ];
    assert_eq!(whats, expected);
    assert_eq!(loaded.unsupported[0].function, "f");
    let Initial::Bytes { bytes, .. } = &global(&loaded.program, "v").initial else {
        panic!();
    };
    assert_eq!(bytes.len(), 16);
    assert!(ops(&loaded.program, "f").iter().any(|op| {
        matches!(op, Op::FloatBinary { right, .. } if constant(&loaded, *right) == Constant::Float(0x3F80_0000))
    }));
}

#[test]
fn errors_say_where() {
    let error = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(
        error("\n\ndefine i32 @main() {\n  ret i33 x\n}"),
        "test.ll:4: LLVM IR not understood: expected a constant"
    );
    assert_eq!(
        error("define i32 @main() {\n  %1 = add i32 %2, 1\n  ret i32 %1\n}"),
        "test.ll:2: LLVM IR not understood: expected a value that is defined"
    );
    assert_eq!(
        error("define i32 @main() {\n  ret i64 0\n}"),
        "test.ll:2: LLVM IR not understood: expected a value of the function's result type"
    );
    assert!(matches!(read("declare i32 @main()"), Err(Error::NoMain)));
    assert!(matches!(read(""), Err(Error::NoMain)));
    assert!(matches!(llvm::read(&[]), Err(Error::NoFiles)));
    assert!(matches!(
        read("target triple = \"powerpc64-unknown-linux\""),
        Err(Error::UnsupportedTarget { .. })
    ));
    assert!(matches!(
        read("target datalayout = \"E-p:32:32\""),
        Err(Error::UnsupportedTarget { .. })
    ));
    assert!(matches!(
        read("module asm \".globl x\""),
        Err(Error::Unsupported { .. })
    ));
    assert!(matches!(
        read("@f = ifunc void (), ptr @g"),
        Err(Error::Unsupported { .. })
    ));
}

#[test]
fn absurd_input_is_refused() {
    let deep = format!(
        "@x = global {}i8{} zeroinitializer",
        "[1 x ".repeat(5000),
        "]".repeat(5000)
    );
    let huge = "@x = global [99999999999999 x i8] zeroinitializer\n";
    let filled =
        "@x = global { [999999999 x i8], i8 } { [999999999 x i8] zeroinitializer, i8 1 }\n";
    let circle = "@a = alias i8, ptr @b\n@b = alias i8, ptr @a\n@c = global ptr @a\n";
    let wide = "define void @f() {\n  %1 = load [100000 x i8], ptr null\n  ret void\n}\n";
    let metadata = "!4000000000 = !{}\n";
    for text in [&deep, huge, filled, circle, metadata] {
        let text = format!("{text}\ndefine i32 @main() {{\n  ret i32 0\n}}\n");
        assert!(read(&text).is_err(), "{}", &text[..50]);
    }
    assert_eq!(with_main(wide).unsupported.len(), 1);
    let own = "@a = alias i8, getelementptr (i8, ptr @g, i64 ptrtoint (ptr @a to i64))\n@g = global ptr @a\ndefine i32 @main() {\n  ret i32 0\n}\n";
    assert!(read(own).is_err());
    // Deep, but not too deep.
    let levels = 95;
    let opening = "ptr getelementptr (i8, ".repeat(levels);
    let closing = ", i64 1)".repeat(levels);
    let nested = with_main(&format!(
        "@g = global i8 0\n@p = global {opening}ptr @g{closing}\n"
    ));
    let Initial::Bytes { relocations, .. } = &global(&nested.program, "p").initial else {
        panic!();
    };
    assert_eq!(relocations[0].addend, levels as i64);
    // Twenty doublings would be a tuple of a million fields.
    let mut doubling = "%t0 = type { i8 }\n".to_owned();
    for level in 1..=60 {
        let below = level - 1;
        doubling.push_str(&format!("%t{level} = type {{ %t{below}, %t{below} }}\n"));
    }
    doubling.push_str("define void @f() {\n  %1 = load %t40, ptr null\n  ret void\n}\n");
    assert_eq!(with_main(&doubling).unsupported.len(), 1);
}
