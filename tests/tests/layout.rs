//! Where programs depend on where in memory their objects are, and that verdicts
//! say so.

use analysis::layout;
use check::{Order, Verdict};
use ir::Program;
use tests::clang;

const DECLARATIONS: &str = "\
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
int x, y, n, array[10];
struct pair { int *pointer; long number; } pairs[4];
_Alignas(64) char line[64];
";

fn program(statements: &str) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("prog.c");
    let source = format!("{DECLARATIONS}int main(void) {{\n{statements}\n}}\n");
    std::fs::write(&file, source).expect("a program should be writable");
    let program = clang::default().load(&file, &[]);
    program.expect("a program should be readable")
}

/// Which line of the statements depends on the layout.
fn dependence(statements: &str) -> Option<u32> {
    let program = program(statements);
    let found = layout::first_dependence(&program)?;
    let body = program.functions[found.function].body.as_ref();
    let location = body.and_then(|body| body.insts[found.inst].location);
    let before = DECLARATIONS.lines().count() as u32 + 1;
    location.map(|location| location.line - before)
}

#[test]
fn what_depends_on_the_layout() {
    for (statements, line) in [
        // Hashes.
        ("uintptr_t a = (uintptr_t)&x;\nn = (a >> 4) & 63;", 2),
        ("uintptr_t a = (uintptr_t)&x;\nn = a % 61;", 2),
        ("uintptr_t a = (uintptr_t)&x;\na = a * 2654435761u;", 2),
        ("n = (int)(uintptr_t)&x;", 1),
        // Bits above those that are zero because of the alignment.
        ("n = ((uintptr_t)&x & 63) == 0;", 1),
        ("n = ((uintptr_t)&x & 4) == 0;", 1),
        // Order.
        ("n = (uintptr_t)&x < (uintptr_t)&y;", 1),
        ("n = &x < &y;", 1),
        ("int *a = malloc(4), *b = malloc(4);\nn = a > b;", 2),
        (
            "int *all[2];\nfor (int i = 0; i < 2; i++) all[i] = malloc(4);\nn = all[0] > all[1];",
            3,
        ),
        // Kept in memory for a while.
        (
            "pairs[1].number = (long)&x;\nlong *number = &pairs[n].number;\nn = *number / 7;",
            3,
        ),
        // Both at once.
        ("n = (((uintptr_t)&x ^ (uintptr_t)&y) & 256) == 0;", 1),
    ] {
        assert_eq!(dependence(statements), Some(line), "{statements}");
    }
}

#[test]
fn what_does_not() {
    for statements in [
        "n = &x == &y;",
        "for (int *p = array; p < array + 10; p++) *p = 1;",
        "int *a = malloc(40), *end = a + 10;\nfor (int *p = a; p < end; p++) *p = 1;",
        "int *p = array + n;\nlong i = p - array;\nn = i * 2 < n;",
        // Marks in the low bits.
        "uintptr_t a = (uintptr_t)&x | 1;\na &= ~(uintptr_t)3;\n*(int *)a = 1;",
        "uintptr_t a = (uintptr_t)&x;\nn = (a & 3) * 5;",
        "uintptr_t a = (uintptr_t)malloc(8) | (n & 7);\nn = (a & 7) < 3;",
        "n = ((uintptr_t)line & 63) == 0;",
        // Errors as pointers.
        "int *p = malloc(4);\nn = (uintptr_t)p >= (uintptr_t)-4095;",
        // Numbers beside pointers.
        "pairs[n].pointer = &x;\npairs[n].number = n;\nn = pairs[n].number * 3;",
        "n = n * 3 < 7;",
    ] {
        assert_eq!(dependence(statements), None, "{statements}");
    }
}

#[test]
fn verdicts_say_so() {
    let others = |statements| {
        let options = check::Options {
            bounds: check::Bounds {
                order: Some(Order::Contexts(1)),
                ..check::Bounds::default()
            },
            config: replay::Config::default(),
            time: None,
            memory: None,
            dump: None,
            reductions: check::Reductions::default(),
            search: check::Search::default(),
            all_violations: false,
        };
        match check::check(&program(statements), &options, &|_| true).verdict {
            Verdict::Safe => Vec::new(),
            Verdict::SafeUpTo(limits) => limits.others,
            verdict => panic!("{verdict:?}"),
        }
    };
    let limits = others("uintptr_t a = (uintptr_t)&x;\nassert(a >> 4 != 0);");
    let says = |limit: &String| limit.contains("where in memory") && limit.contains(":9");
    assert!(limits.len() == 1 && limits.iter().all(says), "{limits:?}");
    assert_eq!(others("assert(&x != &y);"), Vec::<String>::new());
}
