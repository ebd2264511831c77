//! What verdicts take for granted: where in memory objects are, and that threads
//! agree on what happened first. Where programs depend on it, and that verdicts say
//! so.

use analysis::{Site, layout, orders};
use check::{Assumption, Order, SourcePlace, Verdict};
use ir::Program;
use std::collections::BTreeSet;
use tests::clang;

const DECLARATIONS: &str = "\
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
atomic_int a;
int x, y, n, array[10];
struct pair { int *pointer; long number; } pairs[4];
_Atomic struct pair large;
atomic_flag flag;
_Alignas(64) char line[64];
";

fn load(source: &str) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, source).expect("a program should be writable");
    let program = clang::default().load(&file, &[]);
    program.expect("a program should be readable")
}

fn program(statements: &str) -> Program {
    load(&format!(
        "{DECLARATIONS}int main(void) {{\n{statements}\n}}\n"
    ))
}

/// Which line of the statements an analysis finds.
fn line(statements: &str, find: impl Fn(&Program) -> Option<Site>) -> Option<u32> {
    let program = program(statements);
    let found = find(&program)?;
    let body = program.functions[found.function].body.as_ref();
    let location = body.and_then(|body| body.insts[found.inst].location);
    let before = DECLARATIONS.lines().count() as u32 + 1;
    location.map(|location| location.line - before)
}

fn dependence(statements: &str) -> Option<u32> {
    line(statements, layout::first_dependence)
}

fn weaker(statements: &str) -> Option<u32> {
    line(statements, orders::first_weaker)
}

/// What a verdict without violation takes for granted.
fn assumptions(program: &Program, contexts: u32) -> BTreeSet<Assumption> {
    let options = check::Options {
        bounds: check::Bounds {
            order: Some(Order::Contexts(contexts)),
            unwind: Some(1),
            ..check::Bounds::default()
        },
        config: replay::Config::default(),
        ..check::Options::default()
    };
    match check::check(program, &options, &|_| true).verdict {
        Verdict::Safe => BTreeSet::new(),
        Verdict::SafeUpTo(limits) => limits.assumptions,
        verdict => panic!("{verdict:?}"),
    }
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
fn verdicts_say_so_about_the_layout() {
    let others = |statements| assumptions(&program(statements), 1);
    let limits = others("uintptr_t a = (uintptr_t)&x;\nassert(a >> 4 != 0);");
    let says = |limit: &Assumption| {
        matches!(
            limit,
            Assumption::Layout(SourcePlace::Line { line: 13, .. })
        )
    };
    assert!(limits.len() == 1 && limits.iter().all(says), "{limits:?}");
    assert_eq!(others("assert(&x != &y);"), BTreeSet::new());
}

#[test]
fn what_asks_for_less_than_sequential_consistency() {
    for (statements, line) in [
        (
            "a = 1;\natomic_store_explicit(&a, 1, memory_order_release);",
            2,
        ),
        (
            "a = 1;\nn = atomic_load_explicit(&a, memory_order_relaxed);",
            2,
        ),
        ("atomic_fetch_add_explicit(&a, 1, memory_order_acq_rel);", 1),
        ("atomic_exchange_explicit(&a, 1, memory_order_acquire);", 1),
        (
            "atomic_compare_exchange_strong_explicit(\n\
             &a, &n, 1, memory_order_seq_cst, memory_order_relaxed);",
            1,
        ),
        ("__atomic_store_n(&n, 1, __ATOMIC_RELAXED);", 1),
        // A fence has a meaning only where memory is not sequentially consistent.
        ("atomic_thread_fence(memory_order_acquire);", 1),
        // An order that nobody knows, or that may be a weaker one.
        ("atomic_store_explicit(&a, 1, x);", 1),
        (
            "int order = memory_order_seq_cst;\nif (x) order = memory_order_relaxed;\n\
             atomic_store_explicit(&a, 1, order);",
            3,
        ),
        (
            "int order = memory_order_seq_cst; int *known = &order;\n\
             atomic_store_explicit(&a, 1, order);",
            2,
        ),
        // Too large for an instruction.
        (
            "large = pairs[0];\npairs[0] = atomic_load_explicit(&large, memory_order_acquire);",
            2,
        ),
        (
            "atomic_store_explicit(&large, pairs[0], memory_order_release);",
            1,
        ),
        (
            "pairs[0] = atomic_exchange_explicit(&large, pairs[1], memory_order_relaxed);",
            1,
        ),
        (
            "atomic_compare_exchange_strong_explicit(\n\
             &large, pairs, pairs[1], memory_order_seq_cst, memory_order_relaxed);",
            1,
        ),
        // Calls, if not of the macro.
        (
            "(atomic_flag_clear_explicit)(&flag, memory_order_release);",
            1,
        ),
    ] {
        assert_eq!(weaker(statements), Some(line), "{statements}");
    }
}

#[test]
fn what_does_not_ask_for_less() {
    for statements in [
        "a = 1; n = a; a++;",
        "atomic_store(&a, 1); n = atomic_load(&a);",
        "atomic_compare_exchange_strong(&a, &n, 1);",
        "__sync_fetch_and_add(&n, 1);",
        "*(volatile int *)&n = 1;",
        "atomic_thread_fence(memory_order_seq_cst);",
        // No fence at all.
        "atomic_thread_fence(memory_order_relaxed);",
        "atomic_signal_fence(memory_order_acquire);",
        // Orders that are computed.
        "int order = memory_order_seq_cst; atomic_store_explicit(&a, 1, order);",
        "unsigned char order = 2; atomic_store_explicit(&a, 1, (order | 4) - 1);",
        "large = pairs[0]; pairs[1] = large; pairs[0] = atomic_exchange(&large, pairs[1]);",
        "atomic_compare_exchange_weak(&large, pairs, pairs[1]);",
        "(atomic_flag_test_and_set)(&flag); (atomic_flag_clear)(&flag);",
    ] {
        assert_eq!(weaker(statements), None, "{statements}");
    }
    let unused = "#include <stdatomic.h>\natomic_int a;\n\
        void unused(void) { atomic_store_explicit(&a, 1, memory_order_relaxed); }\n\
        int main(void) { a = 1; }\n";
    assert_eq!(orders::first_weaker(&load(unused)), None);
}

/// One function for all orders, as in the headers of C++.
#[test]
fn what_counts_is_what_is_reached() {
    let check = |calls: &str, expected: Option<u32>| {
        let source = format!(
            "#include <stdatomic.h>\natomic_int a;\n\
             static int masked(int order) {{ return order & 0xffff; }}\n\
             static int of_failure(int order) {{ return order == 3 ? 0 : order; }}\n\
             static void put(int value, int order) {{\n\
                 int expected = 0;\n\
                 if (masked(order) == memory_order_relaxed)\n\
                     atomic_store_explicit(&a, value, memory_order_relaxed);\n\
                 else if (of_failure(masked(order)) == memory_order_relaxed)\n\
                     atomic_store_explicit(&a, value, memory_order_release);\n\
                 else\n\
                     atomic_store(&a, value);\n\
             }}\n\
             int main(void) {{ {calls} }}\n"
        );
        let program = load(&source);
        let found = orders::first_weaker(&program).and_then(|site| {
            let body = program.functions[site.function].body.as_ref();
            body.and_then(|body| body.insts[site.inst].location)
        });
        assert_eq!(found.map(|location| location.line), expected, "{calls}");
    };
    check("put(1, 5); put(2, memory_order_seq_cst);", None);
    check("put(1, 5); put(2, memory_order_relaxed);", Some(8));
    check("put(1, 5); put(2, memory_order_release);", Some(10));
    check("put(1, 5); if (0) put(2, 0);", None);
    // Whoever has the address may call it with anything.
    check("void (*by)(int, int) = put; by(1, 5);", Some(8));
}

/// In no interleaving do both threads read zero, but processors may do so.
#[test]
fn verdicts_say_so_about_orders() {
    let others = |order: &str| {
        let store_buffering = format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
             atomic_int x, y; int a, b;\n\
             void *other(void *arg) {{\n\
             atomic_store_explicit(&x, 1, {order});\n\
             a = atomic_load_explicit(&y, {order});\n\
             return 0;\n}}\n\
             int main(void) {{\n\
             pthread_t t;\n\
             pthread_create(&t, 0, other, 0);\n\
             atomic_store_explicit(&y, 1, {order});\n\
             b = atomic_load_explicit(&x, {order});\n\
             pthread_join(t, 0);\n\
             assert(a || b);\n}}\n"
        );
        assumptions(&load(&store_buffering), 9)
    };
    assert_eq!(others("memory_order_seq_cst"), BTreeSet::new());
    let limits = others("memory_order_relaxed");
    let says = |limit: &Assumption| {
        matches!(
            limit,
            Assumption::MemoryOrder(SourcePlace::Line { line: 6, .. })
        )
    };
    assert!(limits.len() == 1 && limits.iter().all(says), "{limits:?}");
}
