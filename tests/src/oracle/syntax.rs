//! Generated programs as trees, and their text in C.
//!
//! The trees know as much C as shrinking needs: which statements stand in which
//! list, and which expressions are numbers that may be replaced by a constant.
//! Everything else is text with holes. A tree need not be a valid program; the
//! compiler says so. This module chooses nothing.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Stands for the next part in a text.
const HOLE: char = '$';

/// Text with one `$` for each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub text: String,
    pub parts: Vec<Expr>,
    /// A number, for which a constant would do as well.
    pub is_value: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Printed with a semicolon.
    Plain { text: String, parts: Vec<Expr> },
    Block {
        /// Its holes take the first parts, those of `close` the rest.
        open: String,
        parts: Vec<Expr>,
        sections: Vec<Section>,
        close: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub before: String,
    pub body: Vec<Stmt>,
    pub after: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Up to the parameters.
    pub head: String,
    /// Declarations without semicolon.
    pub locals: Vec<String>,
    pub body: Vec<Stmt>,
}

/// A program and how to look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Declarations without semicolon, in order.
    pub globals: Vec<String>,
    /// Callees before callers, `main` last.
    pub functions: Vec<Function>,
    pub is_32_bits: bool,
    pub unwind: u32,
    /// Values that cover everything inputs can do.
    pub inputs: Vec<u128>,
    /// What it makes use of, for statistics.
    pub features: BTreeSet<&'static str>,
}

/// A number.
pub fn value(text: impl Into<String>, parts: impl Into<Vec<Expr>>) -> Expr {
    Expr {
        text: text.into(),
        parts: parts.into(),
        is_value: true,
    }
}

/// Something that a number cannot stand for: a place, a pointer.
pub fn place(text: impl Into<String>, parts: impl Into<Vec<Expr>>) -> Expr {
    Expr {
        text: text.into(),
        parts: parts.into(),
        is_value: false,
    }
}

pub fn number(value: i64) -> Expr {
    self::value(value.to_string(), [])
}

pub fn plain(text: impl Into<String>, parts: impl Into<Vec<Expr>>) -> Stmt {
    Stmt::Plain {
        text: text.into(),
        parts: parts.into(),
    }
}

fn section(before: &str, body: Vec<Stmt>, after: &str) -> Section {
    Section {
        before: before.to_owned(),
        body,
        after: after.to_owned(),
    }
}

/// A loop, say: `open` and a body in braces.
pub fn block(open: impl Into<String>, parts: impl Into<Vec<Expr>>, body: Vec<Stmt>) -> Stmt {
    Stmt::Block {
        open: open.into(),
        parts: parts.into(),
        sections: vec![section("{", body, "}")],
        close: String::new(),
    }
}

/// Statements between two others, such as lock and unlock.
pub fn between(open: impl Into<String>, body: Vec<Stmt>, close: impl Into<String>) -> Stmt {
    Stmt::Block {
        open: open.into(),
        parts: Vec::new(),
        sections: vec![section("", body, "")],
        close: close.into(),
    }
}

pub fn if_else(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    let mut sections = vec![section("{", then, "}")];
    if !otherwise.is_empty() {
        sections.push(section("else {", otherwise, "}"));
    }
    Stmt::Block {
        open: "if ($)".to_owned(),
        parts: vec![condition],
        sections,
        close: String::new(),
    }
}

/// Cases 0, 1, ... and the default; some fall through to the next.
pub fn switch(condition: Expr, cases: Vec<(Vec<Stmt>, bool)>) -> Stmt {
    let last = cases.len().saturating_sub(1);
    let cases = cases.into_iter().enumerate();
    let sections = cases.map(|(index, (body, falls_through))| {
        let before = match index == last {
            true => "default: {".to_owned(),
            false => format!("case {index}: {{"),
        };
        let after = if falls_through { "}" } else { "} break;" };
        section(&before, body, after)
    });
    Stmt::Block {
        // Clang does not switch over `_Atomic` types.
        open: "switch ((int)($)) {".to_owned(),
        parts: vec![condition],
        sections: sections.collect(),
        close: "}".to_owned(),
    }
}

pub fn do_while(body: Vec<Stmt>, condition: Expr) -> Stmt {
    Stmt::Block {
        open: "do".to_owned(),
        parts: vec![condition],
        sections: vec![section("{", body, "}")],
        close: "while ($);".to_owned(),
    }
}

impl Expr {
    pub fn print(&self) -> String {
        fill(&self.text, &mut self.parts.iter())
    }
}

fn fill<'e>(text: &str, parts: &mut impl Iterator<Item = &'e Expr>) -> String {
    let mut filled = String::new();
    for piece in text.split_inclusive(HOLE) {
        match piece.strip_suffix(HOLE) {
            Some(piece) => {
                filled.push_str(piece);
                filled.push_str(&parts.next().map_or(String::new(), Expr::print));
            }
            None => filled.push_str(piece),
        }
    }
    filled
}

impl Program {
    /// The program in C, without any headers.
    pub fn print(&self) -> String {
        let mut body = String::new();
        for global in &self.globals {
            // Function-like macros and definitions of types end as they are.
            let end = if global.starts_with('#') { "" } else { ";" };
            let _ = writeln!(body, "{global}{end}");
        }
        for function in &self.functions {
            let _ = writeln!(body, "\n{} {{", function.head);
            for local in &function.locals {
                let _ = writeln!(body, "    {local};");
            }
            print_list(&function.body, 1, &mut body);
            body.push_str("}\n");
        }
        let mut text = String::new();
        // A declaration may need another one, so the last is looked at first.
        let mut used = Vec::new();
        let mut needed_by = body.clone();
        for (name, declaration) in PRELUDE.iter().rev() {
            if mentions(&needed_by, name) {
                needed_by.push_str(declaration);
                used.push(declaration);
            }
        }
        for declaration in used.into_iter().rev() {
            let _ = writeln!(text, "{declaration}");
        }
        text + "\n" + &body
    }

    /// Statements, those inside of others included.
    pub fn size(&self) -> usize {
        fn count(list: &[Stmt]) -> usize {
            let inner = |stmt: &Stmt| match stmt {
                Stmt::Plain { .. } => 0,
                Stmt::Block { sections, .. } => sections.iter().map(|s| count(&s.body)).sum(),
            };
            list.len() + list.iter().map(inner).sum::<usize>()
        }
        self.functions.iter().map(|f| count(&f.body)).sum()
    }
}

fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

fn print_list(list: &[Stmt], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for stmt in list {
        match stmt {
            Stmt::Plain { text: line, parts } => {
                let _ = writeln!(text, "{indent}{};", fill(line, &mut parts.iter()));
            }
            Stmt::Block {
                open,
                parts,
                sections,
                close,
            } => {
                let mut parts = parts.iter();
                let _ = writeln!(text, "{indent}{}", fill(open, &mut parts));
                for section in sections {
                    let inner = match section.before.is_empty() {
                        true => depth,
                        false => depth + 1,
                    };
                    if !section.before.is_empty() {
                        let _ = writeln!(text, "{indent}{}", section.before);
                    }
                    print_list(&section.body, inner, text);
                    if !section.after.is_empty() {
                        let _ = writeln!(text, "{indent}{}", section.after);
                    }
                }
                let close = fill(close, &mut parts);
                if !close.is_empty() {
                    let _ = writeln!(text, "{indent}{close}");
                }
            }
        }
    }
}

/// What programs may use, by name, and its declaration; later ones may need
/// earlier ones. Sizes and initialisers are those of glibc. Headers would take
/// the compiler longer than the programs.
const PRELUDE: &[(&str, &str)] = &[
    ("syscall", "long syscall(long, ...);"),
    ("jmp_buf", "typedef long jmp_buf[32];"),
    (
        "setjmp",
        "int _setjmp(long *) __attribute__((returns_twice));\n#define setjmp(b) _setjmp(b)",
    ),
    (
        "longjmp",
        "void longjmp(long *, int) __attribute__((noreturn));",
    ),
    (
        "pthread_cleanup_push",
        "\
int __sigsetjmp(long *, int) __attribute__((returns_twice));
void __pthread_register_cancel(void *);
void __pthread_unregister_cancel(void *);
void __pthread_unwind_next(void *) __attribute__((noreturn));
#define pthread_cleanup_push(f, a) { long buf_[40]; void (*f_)(void *) = f; void *a_ = a; \\
    if (__sigsetjmp(buf_, 0)) { f_(a_); __pthread_unwind_next(buf_); } \\
    __pthread_register_cancel(buf_); {
#define pthread_cleanup_pop(e) } __pthread_unregister_cancel(buf_); if (e) f_(a_); }",
    ),
    ("pthread_testcancel", "void pthread_testcancel(void);"),
    (
        "pthread_setcancelstate",
        "int pthread_setcancelstate(int, int *);",
    ),
    ("WIDE", "#define WIDE (sizeof(long) == 8)"),
    ("pthread_t", "typedef unsigned long pthread_t;"),
    (
        "pthread_mutex_t",
        "typedef union { int parts[WIDE ? 10 : 6]; long align; } pthread_mutex_t;",
    ),
    (
        "pthread_mutexattr_t",
        "typedef union { char size[4]; int align; } pthread_mutexattr_t;",
    ),
    (
        "pthread_cond_t",
        "typedef union { char size[48]; long long align; } pthread_cond_t;",
    ),
    (
        "pthread_rwlock_t",
        "typedef union { char size[WIDE ? 56 : 32]; long align; } pthread_rwlock_t;",
    ),
    (
        "pthread_spinlock_t",
        "typedef volatile int pthread_spinlock_t;",
    ),
    (
        "pthread_barrier_t",
        "typedef union { char size[WIDE ? 32 : 20]; long align; } pthread_barrier_t;",
    ),
    (
        "sem_t",
        "typedef union { char size[WIDE ? 32 : 16]; long align; } sem_t;",
    ),
    ("pthread_once_t", "typedef int pthread_once_t;"),
    (
        "RECURSIVE_MUTEX",
        "#define RECURSIVE_MUTEX { .parts[WIDE ? 4 : 3] = 1 }",
    ),
    (
        "CHECKING_MUTEX",
        "#define CHECKING_MUTEX { .parts[WIDE ? 4 : 3] = 2 }",
    ),
    ("calloc", "void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);"),
    (
        "pthread_cond_destroy",
        "int pthread_cond_destroy(pthread_cond_t *);",
    ),
    ("abs", "int abs(int);"),
    (
        "pthread_create",
        "int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);",
    ),
    ("pthread_join", "int pthread_join(pthread_t, void **);"),
    ("pthread_detach", "int pthread_detach(pthread_t);"),
    (
        "pthread_tryjoin_np",
        "int pthread_tryjoin_np(pthread_t, void **);",
    ),
    (
        "pthread_key_create",
        "int pthread_key_create(unsigned *, void (*)(void *));",
    ),
    ("pthread_key_delete", "int pthread_key_delete(unsigned);"),
    (
        "pthread_setspecific",
        "int pthread_setspecific(unsigned, const void *);",
    ),
    ("atexit", "int atexit(void (*)(void));"),
    (
        "qsort",
        "void qsort(void *, __SIZE_TYPE__, __SIZE_TYPE__, int (*)(const void *, const void *));",
    ),
    ("strcpy", "char *strcpy(char *, const char *);"),
    ("strcat", "char *strcat(char *, const char *);"),
    (
        "strncpy",
        "char *strncpy(char *, const char *, __SIZE_TYPE__);",
    ),
    ("strdup", "char *strdup(const char *);"),
    ("strlen", "__SIZE_TYPE__ strlen(const char *);"),
    ("strcmp", "int strcmp(const char *, const char *);"),
    (
        "strncmp",
        "int strncmp(const char *, const char *, __SIZE_TYPE__);",
    ),
    ("strchr", "char *strchr(const char *, int);"),
    (
        "strspn",
        "__SIZE_TYPE__ strspn(const char *, const char *);",
    ),
    ("strstr", "char *strstr(const char *, const char *);"),
    ("atoi", "int atoi(const char *);"),
    ("sprintf", "int sprintf(char *, const char *, ...);"),
    (
        "snprintf",
        "int snprintf(char *, __SIZE_TYPE__, const char *, ...);",
    ),
    ("pthread_cancel", "int pthread_cancel(pthread_t);"),
    (
        "pthread_exit",
        "void pthread_exit(void *) __attribute__((noreturn));",
    ),
    ("pthread_self", "pthread_t pthread_self(void);"),
    ("pthread_equal", "int pthread_equal(pthread_t, pthread_t);"),
    (
        "pthread_mutex_init",
        "int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);",
    ),
    (
        "pthread_mutex_lock",
        "int pthread_mutex_lock(pthread_mutex_t *);",
    ),
    (
        "pthread_mutex_trylock",
        "int pthread_mutex_trylock(pthread_mutex_t *);",
    ),
    (
        "pthread_mutex_unlock",
        "int pthread_mutex_unlock(pthread_mutex_t *);",
    ),
    (
        "pthread_mutex_destroy",
        "int pthread_mutex_destroy(pthread_mutex_t *);",
    ),
    (
        "pthread_mutexattr_init",
        "int pthread_mutexattr_init(pthread_mutexattr_t *);",
    ),
    (
        "pthread_mutexattr_settype",
        "int pthread_mutexattr_settype(pthread_mutexattr_t *, int);",
    ),
    (
        "pthread_cond_wait",
        "int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);",
    ),
    (
        "pthread_cond_signal",
        "int pthread_cond_signal(pthread_cond_t *);",
    ),
    (
        "pthread_cond_broadcast",
        "int pthread_cond_broadcast(pthread_cond_t *);",
    ),
    (
        "pthread_rwlock_rdlock",
        "int pthread_rwlock_rdlock(pthread_rwlock_t *);",
    ),
    (
        "pthread_rwlock_wrlock",
        "int pthread_rwlock_wrlock(pthread_rwlock_t *);",
    ),
    (
        "pthread_rwlock_tryrdlock",
        "int pthread_rwlock_tryrdlock(pthread_rwlock_t *);",
    ),
    (
        "pthread_rwlock_trywrlock",
        "int pthread_rwlock_trywrlock(pthread_rwlock_t *);",
    ),
    (
        "pthread_rwlock_unlock",
        "int pthread_rwlock_unlock(pthread_rwlock_t *);",
    ),
    (
        "pthread_spin_init",
        "int pthread_spin_init(pthread_spinlock_t *, int);",
    ),
    (
        "pthread_spin_lock",
        "int pthread_spin_lock(pthread_spinlock_t *);",
    ),
    (
        "pthread_spin_trylock",
        "int pthread_spin_trylock(pthread_spinlock_t *);",
    ),
    (
        "pthread_spin_unlock",
        "int pthread_spin_unlock(pthread_spinlock_t *);",
    ),
    (
        "pthread_barrier_init",
        "int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);",
    ),
    (
        "pthread_barrier_wait",
        "int pthread_barrier_wait(pthread_barrier_t *);",
    ),
    ("sem_init", "int sem_init(sem_t *, int, unsigned);"),
    ("sem_wait", "int sem_wait(sem_t *);"),
    ("sem_trywait", "int sem_trywait(sem_t *);"),
    ("sem_post", "int sem_post(sem_t *);"),
    ("sem_timedwait", "int sem_timedwait(sem_t *, const void *);"),
    (
        "pthread_cond_timedwait",
        "int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const void *);",
    ),
    (
        "pthread_mutex_timedlock",
        "int pthread_mutex_timedlock(pthread_mutex_t *, const void *);",
    ),
    (
        "pthread_rwlock_timedrdlock",
        "int pthread_rwlock_timedrdlock(pthread_rwlock_t *, const void *);",
    ),
    (
        "pthread_rwlock_timedwrlock",
        "int pthread_rwlock_timedwrlock(pthread_rwlock_t *, const void *);",
    ),
    (
        "aligned_alloc",
        "void *aligned_alloc(__SIZE_TYPE__, __SIZE_TYPE__);",
    ),
    (
        "posix_memalign",
        "int posix_memalign(void **, __SIZE_TYPE__, __SIZE_TYPE__);",
    ),
    ("sem_getvalue", "int sem_getvalue(sem_t *, int *);"),
    (
        "pthread_once",
        "int pthread_once(pthread_once_t *, void (*)(void));",
    ),
    ("malloc", "void *malloc(__SIZE_TYPE__);"),
    ("free", "void free(void *);"),
    ("realloc", "void *realloc(void *, __SIZE_TYPE__);"),
    (
        "memcpy",
        "void *memcpy(void *, const void *, __SIZE_TYPE__);",
    ),
    ("memset", "void *memset(void *, int, __SIZE_TYPE__);"),
    ("exit", "void exit(int) __attribute__((noreturn));"),
    ("_Exit", "void _Exit(int) __attribute__((noreturn));"),
    ("abort", "void abort(void) __attribute__((noreturn));"),
    (
        "__VERIFIER_nondet_int",
        "extern int __VERIFIER_nondet_int(void);",
    ),
    (
        "__VERIFIER_nondet_bool",
        "extern _Bool __VERIFIER_nondet_bool(void);",
    ),
    (
        "__VERIFIER_nondet_uchar",
        "extern unsigned char __VERIFIER_nondet_uchar(void);",
    ),
    ("__VERIFIER_assume", "extern void __VERIFIER_assume(int);"),
    ("__VERIFIER_assert", "extern void __VERIFIER_assert(int);"),
    (
        "__VERIFIER_atomic_begin",
        "extern void __VERIFIER_atomic_begin(void);",
    ),
    (
        "__VERIFIER_atomic_end",
        "extern void __VERIFIER_atomic_end(void);",
    ),
    ("reach_error", "extern void reach_error(void);"),
    (
        "__assert_fail",
        "extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_in_order() {
        let sum = value("$ + $", [number(1), value("-$", [number(2)])]);
        assert_eq!(sum.print(), "1 + -2");
    }

    #[test]
    fn only_what_is_used_is_declared() {
        let main = Function {
            head: "int main(void)".to_owned(),
            locals: vec!["int a = 0".to_owned()],
            body: vec![
                if_else(value("a", []), vec![plain("sem_wait(&s)", [])], vec![]),
                do_while(vec![plain("a++", [])], value("a < $", [number(2)])),
            ],
        };
        let program = Program {
            globals: vec!["sem_t s".to_owned()],
            functions: vec![main],
            is_32_bits: false,
            unwind: 1,
            inputs: vec![0],
            features: BTreeSet::new(),
        };
        let expected = "\
#define WIDE (sizeof(long) == 8)
typedef union { char size[WIDE ? 32 : 16]; long align; } sem_t;
int sem_wait(sem_t *);

sem_t s;

int main(void) {
    int a = 0;
    if (a)
    {
        sem_wait(&s);
    }
    do
    {
        a++;
    }
    while (a < 2);
}
";
        assert_eq!(program.print(), expected);
        assert_eq!(program.size(), 4);
    }
}
