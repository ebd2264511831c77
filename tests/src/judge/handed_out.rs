//! Whether threads other than main hand out their locals. What is left of them after
//! the end of their thread AddressSanitizer does not know: it gives the memory of the
//! thread's stack to others.

use ir::{Callee, Constant, FunctionId, Op, Operand, Program, Terminator, ValueId};
use std::collections::BTreeSet;

/// Whether a function that a thread other than main may run does so.
pub fn threads_hand_out_locals(program: &Program) -> bool {
    let mut functions = run_by_threads(program).into_iter();
    functions.any(|function| hands_out_locals(program, function))
}

/// Functions whose addresses are taken, and whatever they call.
fn run_by_threads(program: &Program) -> BTreeSet<FunctionId> {
    let mut open: Vec<FunctionId> = program
        .constants()
        .filter_map(|(_, constant)| match constant {
            Constant::Function(function) => Some(*function),
            _ => None,
        })
        .collect();
    let mut functions = BTreeSet::new();
    while let Some(function) = open.pop() {
        if !functions.insert(function) {
            continue;
        }
        let body = program.functions[function].body.as_ref();
        for data in body.into_iter().flat_map(|body| body.insts.values()) {
            if let Op::Call {
                callee: Callee::Direct(callee),
                ..
            } = &data.op
            {
                open.push(*callee);
            }
        }
    }
    functions
}

/// Whether the address of a local is used for anything but accesses to it.
fn hands_out_locals(program: &Program, function: FunctionId) -> bool {
    let Some(body) = &program.functions[function].body else {
        return false;
    };
    let mut locals: BTreeSet<ValueId> = BTreeSet::new();
    for block in body.blocks.values() {
        for inst in &block.insts {
            let data = &body.insts[*inst];
            let is_local = |operand: &Operand| match operand {
                Operand::Value(value) => locals.contains(value),
                Operand::Const(_) => false,
            };
            match &data.op {
                Op::Local { .. } => {
                    locals.extend(data.result);
                    continue;
                }
                Op::Offset { base, .. } if is_local(base) => {
                    locals.extend(data.result);
                    continue;
                }
                _ => {}
            }
            let mut is_used = false;
            data.op
                .for_each_operand(|operand| is_used |= is_local(&operand));
            let is_access = match &data.op {
                Op::Load { .. } => true,
                Op::Store { value, .. } | Op::Rmw { value, .. } => !is_local(value),
                Op::CompareExchange {
                    expected,
                    replacement,
                    ..
                } => !is_local(expected) && !is_local(replacement),
                _ => false,
            };
            if is_used && !is_access {
                return true;
            }
        }
        if let Terminator::Return(Some(Operand::Value(value))) = &block.terminator
            && locals.contains(value)
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clang;

    #[track_caller]
    fn expect(source: &str, expected: bool) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("prog.c");
        let text = format!(
            "typedef unsigned long pthread_t;\n\
             int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
             int *shared;\n{source}"
        );
        std::fs::write(&path, text).expect("should be writable");
        let program = clang::default().load(&path, &[]).expect("should compile");
        assert_eq!(threads_hand_out_locals(&program), expected, "{source}");
    }

    #[test]
    fn only_locals_of_threads_count() {
        let main = "int main(void) { pthread_t t; int x; shared = &x;\n\
                    return pthread_create(&t, 0, worker, &x); }";
        let quiet = "static void *worker(void *p) { int y = 1, a[2]; a[y] = y; return p; }";
        expect(&format!("{quiet}\n{main}"), false);
        let stores = "static void *worker(void *p) { int y; shared = &y; return p; }";
        expect(&format!("{stores}\n{main}"), true);
        let part = "static void *worker(void *p) { int y[2]; shared = &y[1]; return p; }";
        expect(&format!("{part}\n{main}"), true);
        let deep = "static void f(int *p) { shared = p; }\n\
                    static void g(void) { int y; f(&y); }\n\
                    static void *worker(void *p) { g(); return p; }";
        expect(&format!("{deep}\n{main}"), true);
    }
}
