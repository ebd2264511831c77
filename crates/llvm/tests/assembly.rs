//! Assembly code: which operations it becomes, and what is refused.

mod common;

use common::{ops, with_main};
use ir::{Op, Ordering, RmwOp};

fn unsupported(template: &str, constraints: &str, args: &str) -> Option<String> {
    let loaded = with_main(&format!(
        "define i32 @f(i32 %x, ptr %p) {{
           %1 = call i32 asm sideeffect \"{template}\", \"{constraints}\"({args})
           ret i32 %1
         }}"
    ));
    let first = loaded.unsupported.into_iter().next();
    first.map(|unsupported| unsupported.what)
}

#[test]
fn locked_instructions_are_single_operations() {
    let loaded = with_main(
        "define i32 @f(i32 %x, ptr %p) {
           %1 = call i32 asm sideeffect \"lock; xaddl $0,$1\", \"=r,=*m,0,*m,~{memory}\"(ptr elementtype(i32) %p, i32 %x, ptr elementtype(i32) %p)
           ret i32 %1
         }",
    );
    assert!(loaded.unsupported.is_empty());
    let operations = ops(&loaded.program, "f");
    assert!(matches!(
        operations[0],
        Op::Rmw {
            op: RmwOp::Add,
            ordering: Ordering::SequentiallyConsistent,
            ..
        }
    ));
    assert!(
        operations[1..]
            .iter()
            .all(|op| matches!(op, Op::Cast { .. }))
    );
}

#[test]
fn moves_order_what_the_compiler_is_told_of() {
    for (clobber, expected) in [("", Ordering::Relaxed), (",~{memory}", Ordering::Release)] {
        let loaded = with_main(&format!(
            "define void @f(i32 %x, ptr %p) {{
               call void asm sideeffect \"movl $1,$0\", \"=*m,r{clobber}\"(ptr elementtype(i32) %p, i32 %x)
               ret void
             }}"
        ));
        let operations = ops(&loaded.program, "f");
        assert!(
            matches!(&operations[0], Op::Store { ordering, .. } if *ordering == Some(expected)),
            "{operations:?}"
        );
    }
}

/// Each would have to be guessed.
#[test]
fn what_is_not_certain_is_refused() {
    let value = "i32 %x";
    for (template, constraints, args, why) in [
        ("bsf $1,$0", "=r,r", value, ""),
        (
            "mov $1,$0; add $1,$0",
            "=r,r",
            value,
            " (an output is written before all inputs are read, and has no `&`)",
        ),
        (
            "addl $1,$0",
            "=r,r",
            value,
            " (it reads a register that nothing was put into)",
        ),
        (
            "movl %ecx,$0",
            "=r,r",
            value,
            " (it uses a register that is neither operand nor clobbered)",
        ),
        (
            "movl $$1,$1",
            "=r,r",
            value,
            " (it writes to a register that is an input only)",
        ),
        (
            "movl $1,$0; sete ${0:b}",
            "=r,r",
            value,
            " (it depends on a flag that no instruction of it sets)",
        ),
        (
            "movq ${1:q},${0:q}",
            "=r,r",
            value,
            " (it reads more of a register than was put into it)",
        ),
        (
            "movq $1,$0",
            "=r,r",
            value,
            " (an operand has another size)",
        ),
        (
            "movl $$1,$0; lock; addl $$1,$0",
            "=r,r",
            value,
            " (it locks what is no memory)",
        ),
        ("movl 8(%rsp),$0", "=r,r", value, " (it uses the stack)"),
        (
            "movl $1,$0",
            "=r,x",
            value,
            " (an operand is in a register of another kind: x)",
        ),
    ] {
        let known = unsupported(template, constraints, args);
        let shown = template.replace("$$", "$");
        assert_eq!(known, Some(format!("assembly code `{shown}`{why}")));
    }
    let early = unsupported("mov $1,$0; add $1,$0", "=&r,r", value);
    assert_eq!(early, None);
}
