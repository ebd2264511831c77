//! Debug information: what it says about names, types, lines and labels.

mod common;

use common::{function, global, with_main};
use ir::{Op, SourceType};

/// Whichever way a module writes labels down.
#[test]
fn labels_that_start_threads() {
    for label in [
        "call void @llvm.dbg.label(metadata !1), !dbg !2",
        "  #dbg_label(!1, !2)",
    ] {
        for (name, is_supported) in [("again", true), ("__CPROVER_ASYNC_1", false)] {
            let loaded = with_main(&format!(
                r#"define void @work() {{
                  {label}
                  ret void
                }}
                declare void @llvm.dbg.label(metadata)
                !1 = !DILabel(scope: !3, name: "{name}", file: !4, line: 5)
                !2 = !DILocation(line: 5, column: 3, scope: !3)
                !3 = distinct !DISubprogram(name: "work", file: !4, line: 4)
                !4 = !DIFile(filename: "a.c", directory: "/src")"#
            ));
            assert_eq!(loaded.unsupported.is_empty(), is_supported, "{label}");
        }
    }
}

#[test]
fn debug_information() {
    let loaded = with_main(
        r#"%struct.node = type { i32, ptr }
        @list = global ptr null, align 8, !dbg !0
        define void @_Z4pushi(i32 %0) !dbg !10 {
          %2 = alloca i32, align 4
          %3 = alloca %struct.node, align 8
            #dbg_declare(ptr %2, !11, !DIExpression(), !12)
            #dbg_declare(ptr %3, !13, !DIExpression(), !12)
            #dbg_value(i32 0, !13, !DIExpression(), !12)
          %4 = getelementptr inbounds %struct.node, ptr %3, i32 0, i32 1, !dbg !14
          ret void, !dbg !14
        }
        !llvm.dbg.cu = !{!2}
        !0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
        !1 = distinct !DIGlobalVariable(name: "list", scope: !2, file: !3, line: 7, type: !4, isLocal: false, isDefinition: true)
        !2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "x", isOptimized: false, emissionKind: FullDebug)
        !3 = !DIFile(filename: "dir/a.c", directory: "/src")
        !4 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64)
        !5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !3, line: 2, size: 128, elements: !6)
        !6 = !{!7, !8}
        !7 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !5, file: !3, line: 3, baseType: !9, size: 3, flags: DIFlagBitField | DIFlagPublic, extraData: i64 0)
        !8 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !5, file: !3, line: 4, baseType: !4, size: 64, offset: 64)
        !9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
        !10 = distinct !DISubprogram(name: "push", linkageName: "_Z4pushi", scope: !15, file: !3, line: 9, type: !16, unit: !2)
        !11 = !DILocalVariable(name: "value", arg: 1, scope: !10, file: !3, line: 9, type: !9)
        !12 = !DILocation(line: 9, column: 15, scope: !10)
        !13 = !DILocalVariable(name: "fresh", scope: !10, file: !3, line: 10, type: !5)
        !14 = !DILocation(line: 11, column: 3, scope: !17)
        !15 = !DINamespace(name: "stack", scope: null)
        !16 = !DISubroutineType(types: !{null})
        !17 = !DILexicalBlockFile(scope: !10, file: !18, discriminator: 0)
        !18 = !DIFile(filename: "b.h", directory: "/elsewhere")"#,
    );
    let program = &loaded.program;
    let list = global(program, "list");
    assert_eq!(list.name.as_deref(), Some("list"));
    assert_eq!(
        program.describe_location(list.location.unwrap()),
        "dir/a.c:7"
    );
    let SourceType::Pointer { to: Some(node), .. } = program.source_types[list.ty.unwrap()] else {
        panic!();
    };
    let SourceType::Record {
        members, bytes: 16, ..
    } = &program.source_types[node]
    else {
        panic!();
    };
    assert_eq!(members[0].bit_size, 3);
    assert_eq!(members[1].ty, list.ty.unwrap());
    let push = function(program, "_Z4pushi");
    assert_eq!(push.name, "stack::push");
    let body = push.body.as_ref().unwrap();
    let names: Vec<_> = body
        .locals
        .values()
        .map(|local| local.name.as_str())
        .collect();
    assert_eq!(names, ["value", "fresh"]);
    let offset = &body.insts[ir::InstId::from_u32(2)];
    assert!(
        matches!(offset.op, Op::Offset { bytes: 8, record: Some(record), .. } if record == node)
    );
    assert_eq!(
        program.describe_location(offset.location.unwrap()),
        "/elsewhere/b.h:11"
    );
    assert_eq!(offset.location.unwrap().column, 3);
}
