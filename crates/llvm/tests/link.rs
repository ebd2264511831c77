//! Several modules become one program.

mod common;

use common::{function, global};
use ir::{Callee, Initial, Op};
use llvm::{Error, Loaded};

const MAIN: &str = "define i32 @main() {\n  ret i32 0\n}\n";

fn link(modules: &[&str]) -> Result<Loaded, Error> {
    let named = modules.iter().enumerate();
    let named: Vec<_> = named
        .map(|(index, text)| (format!("{index}.ll"), text.to_string()))
        .collect();
    llvm::read(&named)
}

fn first_byte(loaded: &Loaded, symbol: &str) -> u8 {
    match &global(&loaded.program, symbol).initial {
        Initial::Zero => 0,
        Initial::Bytes { bytes, .. } => bytes[0],
    }
}

#[test]
fn a_call_finds_the_definition_in_another_module() {
    let caller = "declare i32 @f(i32)\n@x = external global i32\ndefine i32 @main() {\n  %1 = load i32, ptr @x\n  %2 = call i32 @f(i32 %1)\n  ret i32 %2\n}\n";
    let callee = "@x = global i32 5\ndefine i32 @f(i32 %a) {\n  ret i32 %a\n}\n";
    for modules in [[caller, callee], [callee, caller]] {
        let loaded = link(&modules).unwrap();
        let operations = common::ops(&loaded.program, "main");
        let Op::Call {
            callee: Callee::Direct(id),
            ..
        } = operations[1]
        else {
            panic!();
        };
        assert!(loaded.program.functions[*id].body.is_some());
        assert_eq!(loaded.program.globals.len(), 1);
        assert!(loaded.undefined.is_empty());
    }
}

#[test]
fn private_symbols_stay_apart() {
    let module = |value: u8, name: &str| {
        format!("@x = internal global i8 {value}\ndefine ptr @{name}() {{\n  ret ptr @x\n}}\n")
    };
    let loaded = link(&[MAIN, &module(1, "one"), &module(2, "two")]).unwrap();
    assert_eq!(loaded.program.globals.len(), 2);
    let one = function(&loaded.program, "one").body.as_ref().unwrap();
    let two = function(&loaded.program, "two").body.as_ref().unwrap();
    let returned = |body: &ir::Body| body.blocks.values().next().unwrap().terminator.clone();
    assert_ne!(returned(one), returned(two));
}

#[test]
fn two_strong_definitions_clash() {
    let function = "define void @f() {\n  ret void\n}\n";
    let Err(Error::DuplicateSymbol {
        symbol,
        first,
        second,
    }) = link(&[MAIN, function, function])
    else {
        panic!();
    };
    assert_eq!(
        (symbol.as_str(), first.file.as_str(), second.file.as_str()),
        ("f", "1.ll", "2.ll")
    );
    let variable = "@f = global i32 0\n";
    assert!(matches!(
        link(&[MAIN, function, variable]),
        Err(Error::DuplicateSymbol { .. })
    ));
}

#[test]
fn weak_definitions_give_way() {
    let weak = "@x = weak global i8 1\n@y = linkonce_odr global i8 3\n";
    let strong = "@x = global i8 2\n@y = weak_odr global i8 4\n";
    for modules in [[MAIN, weak, strong], [MAIN, strong, weak]] {
        assert_eq!(first_byte(&link(&modules).unwrap(), "x"), 2);
    }
    assert_eq!(first_byte(&link(&[MAIN, weak, strong]).unwrap(), "y"), 3);
    let available = "@x = available_externally global i8 9\n";
    assert_eq!(first_byte(&link(&[MAIN, available, weak]).unwrap(), "x"), 1);
}

#[test]
fn common_symbols_merge_to_the_largest() {
    let small = "@x = common global i8 0\n";
    let large = "@x = common global [4 x i32] zeroinitializer\n";
    let defined = "@x = global i8 7\n";
    for modules in [[MAIN, small, large], [MAIN, large, small]] {
        assert_eq!(global(&link(&modules).unwrap().program, "x").bytes, 16);
    }
    assert_eq!(first_byte(&link(&[MAIN, large, defined]).unwrap(), "x"), 7);
}

#[test]
fn undefined_data_is_an_error_and_undefined_functions_are_not() {
    let module = "@x = external global i32\n@stderr = external global ptr\n@w = extern_weak global i32\ndeclare void @f()\ndeclare void @unused()\n
        @_ZTVN10__cxxabiv117__class_type_infoE = external global [0 x ptr]
        define i32 @main() {\n  call void @f()\n  %1 = load ptr, ptr @stderr\n  %2 = icmp eq ptr @w, null\n  store ptr @_ZTVN10__cxxabiv117__class_type_infoE, ptr %1\n";
    let loaded = link(&[&format!("{module}  ret i32 0\n}}\n")]).unwrap();
    assert_eq!(loaded.undefined.len(), 1);
    assert_eq!(loaded.undefined[0].symbol, "f");
    assert!(global(&loaded.program, "stderr").is_external);
    let error = link(&[&format!(
        "{module}  %3 = load i32, ptr @x\n  ret i32 %3\n}}\n"
    )]);
    let message = error.unwrap_err().to_string();
    assert_eq!(message, "0.ll: in `main`: undefined reference to `x`");
}

#[test]
fn pointer_sizes_must_agree() {
    let small = "target datalayout = \"e-p:32:32\"\ntarget triple = \"i386-pc-linux-gnu\"\n";
    assert!(matches!(
        link(&[MAIN, small]),
        Err(Error::MixedPointerSizes { .. })
    ));
}

#[test]
fn aliases_lead_to_places_inside_variables() {
    let module = "@x = internal global [4 x i32] zeroinitializer\n@second = alias i32, ptr getelementptr ([4 x i32], ptr @x, i64 0, i64 1)\n";
    let user = "@second = external global i32\ndefine i32 @main() {\n  %1 = load i32, ptr @second\n  ret i32 %1\n}\n";
    let loaded = link(&[module, user]).unwrap();
    let Op::Load {
        address: ir::Operand::Const(id),
        ..
    } = common::ops(&loaded.program, "main")[0]
    else {
        panic!();
    };
    assert!(matches!(
        loaded.program.constant(*id),
        ir::Constant::Global { offset: 4, .. }
    ));
}
