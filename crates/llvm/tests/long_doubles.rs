//! Long doubles: which operations they become, and whom they are not passed to.

mod common;

use common::{ops, with_main};
use ir::{Builtin, Op};

#[test]
fn operations_have_names_of_their_own() {
    let loaded = with_main(
        "define i1 @f(double %d, x86_fp80 %x) {
           %1 = fpext double %d to x86_fp80
           %2 = fadd x86_fp80 %1, %x
           %3 = call x86_fp80 @g(x86_fp80 %2)
           %4 = fneg x86_fp80 %3
           %5 = fcmp olt x86_fp80 %4, 0xK3FFF8000000000000000
           ret i1 %5
         }
         define x86_fp80 @g(x86_fp80 %x) {
           ret x86_fp80 %x
         }",
    );
    assert!(loaded.unsupported.is_empty());
    let builtins = ops(&loaded.program, "f")
        .into_iter()
        .filter_map(|op| match op {
            Op::Builtin { op, .. } => Some(*op),
            _ => None,
        });
    let expected = [
        Builtin::ExtendedFromFloat,
        Builtin::ExtendedAdd,
        Builtin::ExtendedOrder,
    ];
    assert_eq!(builtins.collect::<Vec<_>>(), expected);
}

/// What others do with them is not modelled.
#[test]
fn only_the_program_itself_gets_them() {
    let loaded = with_main(
        "declare x86_fp80 @sqrtl(x86_fp80)
         declare i32 @printf(ptr, ...)
         define void @own(i32 %n, ...) {
           ret void
         }
         define void @f(x86_fp80 %x, ptr %p) {
           %1 = call x86_fp80 @sqrtl(x86_fp80 %x)
           %2 = call i32 (ptr, ...) @printf(ptr %p, x86_fp80 %x)
           call void (i32, ...) @own(i32 1, x86_fp80 %x)
           call void %p(x86_fp80 %x)
           %3 = call x86_fp80 @llvm.sqrt.f80(x86_fp80 %x)
           %4 = frem x86_fp80 %x, %x
           ret void
         }
         declare x86_fp80 @llvm.sqrt.f80(x86_fp80)",
    );
    let what: Vec<_> = loaded
        .unsupported
        .iter()
        .map(|one| one.what.as_str())
        .collect();
    let passed = "a long double of another's function";
    let sqrt = "the intrinsic function llvm.sqrt.f80";
    let rest = "the remainder of long doubles";
    assert_eq!(what, [passed, passed, passed, passed, sqrt, rest]);
}
