//! The heavy inputs: what is written into a folder, and the command that is run there.

use super::write;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::process::Command;

pub(super) struct Input {
    pub name: &'static str,
    pub about: &'static str,
    /// Without limits.
    pub command: &'static [&'static str],
    pub make: fn(&Path) -> io::Result<()>,
}

const HEAD: &str = "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\n\
                    #include <string.h>\nunsigned __VERIFIER_nondet_uint(void);\n";

/// Two threads that run `f`, and what `main` does after.
fn two_threads(globals: &str, f: &str, after: &str) -> String {
    format!(
        "{HEAD}{globals}\nvoid *f(void *p) {{ {f} return 0; }}\n\
         int main() {{ pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); {after} }}\n"
    )
}

/// A script that says which version it is, and does something else then.
fn fake_clang(folder: &Path, script: &str) -> io::Result<()> {
    write(folder, "a.c", "int main() { return 0; }\n")?;
    let version = "if [ \"$1\" = --version ]; then echo clang version 14.0.6; exit 0; fi";
    let path = write(
        folder,
        "clang",
        &format!("#!/bin/sh\n{version}\n{script}\n"),
    )?;
    executable(&path)
}

fn executable(path: &Path) -> io::Result<()> {
    Command::new("chmod").arg("+x").arg(path).status().map(drop)
}

fn c(folder: &Path, text: &str) -> io::Result<()> {
    write(folder, "a.c", text).map(drop)
}

const CHECK: &[&str] = &["check", "a.c"];
const FAKE: &[&str] = &["check", "a.c", "--clang", "./clang"];

pub(super) const INPUTS: &[Input] = &[
    Input {
        name: "clang-hangs",
        about: "a clang that hangs",
        command: FAKE,
        make: |folder| fake_clang(folder, "exec sleep 60"),
    },
    Input {
        name: "clang-version-hangs",
        about: "a clang that never says its version",
        command: FAKE,
        make: |folder| {
            write(folder, "a.c", "int main() { return 0; }\n")?;
            executable(&write(folder, "clang", "#!/bin/sh\nsleep 60\n")?)
        },
    },
    Input {
        name: "clang-ignores-signals",
        about: "a clang that ignores signals, with children",
        command: FAKE,
        make: |folder| fake_clang(folder, "trap '' TERM INT HUP\nsleep 60 & sleep 60 & wait"),
    },
    Input {
        name: "clang-eats-memory",
        about: "a clang that eats memory",
        command: FAKE,
        make: |folder| {
            let endless = "BEGIN { while (1) a[n++] = \"some text that takes memory\" n }";
            fake_clang(folder, &format!("exec awk '{endless}'"))
        },
    },
    Input {
        name: "clang-children-eat-memory",
        about: "a clang whose children eat memory",
        command: FAKE,
        make: |folder| {
            let endless = "BEGIN { while (1) a[n++] = \"some text that takes memory\" n }";
            fake_clang(folder, &format!("awk '{endless}' & awk '{endless}' & wait"))
        },
    },
    Input {
        name: "clang-prints-for-ever",
        about: "a clang that prints without end",
        command: FAKE,
        make: |folder| fake_clang(folder, "exec yes"),
    },
    Input {
        name: "clang-leaves-orphans",
        about: "a clang that leaves a process behind",
        command: FAKE,
        make: |folder| fake_clang(folder, "sleep 60 &\nexec clang \"$@\""),
    },
    Input {
        name: "device",
        about: "an endless device",
        command: &["check", "a.ll"],
        make: |folder| std::os::unix::fs::symlink("/dev/zero", folder.join("a.ll")),
    },
    Input {
        name: "pipe",
        about: "a pipe that nobody writes to",
        command: CHECK,
        make: |folder| {
            Command::new("mkfifo")
                .arg(folder.join("a.c"))
                .status()
                .map(drop)
        },
    },
    Input {
        name: "sparse-file",
        about: "a file of 100 GB",
        command: &["show", "a.ll"],
        make: |folder| std::fs::File::create(folder.join("a.ll"))?.set_len(100 << 30),
    },
    Input {
        name: "large-module",
        about: "a module of 60 MB",
        command: &["show", "a.ll"],
        make: |folder| {
            let mut text = "define i32 @main() {\nret i32 0\n}\n".to_owned();
            for number in 0..40_000 {
                let _ = writeln!(text, "define i32 @f{number}(i32 %v0) {{");
                for value in 1..40 {
                    let _ = writeln!(text, "  %v{value} = add nsw i32 %v{}, {number}", value - 1);
                }
                text.push_str("  ret i32 %v39\n}\n");
            }
            write(folder, "a.ll", &text).map(drop)
        },
    },
    Input {
        name: "macro-bomb",
        about: "macros that grow without end",
        command: CHECK,
        make: |folder| {
            let mut text = "#define M0 x + x\n".to_owned();
            for level in 1..40 {
                let below = level - 1;
                let _ = writeln!(text, "#define M{level} M{below} + M{below}");
            }
            c(
                folder,
                &format!("{text}int main() {{ int x = 1; return M39; }}\n"),
            )
        },
    },
    Input {
        name: "templates",
        about: "C++ templates that grow without end",
        command: &["check", "a.cpp"],
        make: |folder| {
            let text = "template <int A, int B> struct S { static const unsigned v = S<A - 1, 2 * B>::v \
                        + S<A - 1, 2 * B + 1>::v; };\n\
                        template <int B> struct S<0, B> { static const unsigned v = B; };\n\
                        int main() { return S<22, 1>::v & 1; }\n";
            write(folder, "a.cpp", text).map(drop)
        },
    },
    Input {
        name: "headers",
        about: "large C++ headers",
        command: &["check", "a.cpp"],
        make: |folder| {
            let names = [
                "algorithm",
                "deque",
                "fstream",
                "functional",
                "future",
                "iostream",
                "map",
                "random",
                "regex",
                "string",
                "thread",
                "unordered_map",
                "vector",
            ];
            let mut text = String::new();
            for name in names {
                let _ = writeln!(text, "#include <{name}>");
            }
            text.push_str(
                "int main() { std::map<std::string, std::vector<int>> m; m[\"a\"].push_back(1);\n\
                 std::regex r(\"a+b*\"); std::thread t([&] { m[\"b\"].push_back(2); });\n\
                 bool b = std::regex_match(\"aab\", r); t.join(); return b ? 0 : 1; }\n",
            );
            write(folder, "a.cpp", &text).map(drop)
        },
    },
    Input {
        name: "large-constants",
        about: "an array with two million initial values",
        command: CHECK,
        make: |folder| {
            let values: Vec<String> = (1..2_000_000).map(|value| value.to_string()).collect();
            let text = format!("int a[] = {{{}}};\n", values.join(","));
            c(folder, &two_threads(&text, "a[5]++;", "assert(a[5] == 8);"))
        },
    },
    Input {
        name: "many-branches",
        about: "a function with 5,000 branches",
        command: CHECK,
        make: |folder| {
            let mut body = "unsigned n = __VERIFIER_nondet_uint();\n".to_owned();
            for value in 0..5_000 {
                let _ = writeln!(
                    body,
                    "if (n == {value}) x += n * {value}; else x ^= {value};"
                );
            }
            c(
                folder,
                &two_threads("unsigned x;", &body, "assert(x != 77);"),
            )
        },
    },
    Input {
        name: "deep-recursion",
        about: "recursion without end",
        command: CHECK,
        make: |folder| {
            let globals = "int x; int g(int n) { x++; return g(n + 1) + g(n + 2) + x; }";
            c(folder, &two_threads(globals, "x = g(0);", "assert(x);"))
        },
    },
    Input {
        name: "run-recursion",
        about: "a run of it",
        command: &["run", "a.c"],
        make: |folder| {
            let globals = "int x; int g(int n) { return n ? g(n + 1) + g(n + 2) : 0; }";
            c(folder, &two_threads(globals, "x = g(1);", "assert(x);"))
        },
    },
    Input {
        name: "huge-arrays",
        about: "arrays of a million elements",
        command: CHECK,
        make: |folder| {
            let body = "for (int i = 0; i < 1000000; i++) a[i] += i;";
            c(
                folder,
                &two_threads("int a[1000000];", body, "assert(a[77] == 154);"),
            )
        },
    },
    Input {
        name: "copies",
        about: "copies of a megabyte, races",
        command: &["check", "a.c", "--property", "race", "--engine", "bounded"],
        make: |folder| {
            let globals = "char a[1 << 20], b[1 << 20];";
            c(
                folder,
                &two_threads(globals, "memcpy(a, b, 1 << 20);", "assert(a[5] <= 1);"),
            )
        },
    },
    Input {
        name: "many-clauses",
        about: "500 iterations with multiplications",
        command: &["check", "a.c", "--unwind", "500", "--rounds", "3"],
        make: |folder| {
            let body = "unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i < n; i++) \
                        x = x * x + i;";
            c(
                folder,
                &two_threads("unsigned x;", body, "assert(x != 123457);"),
            )
        },
    },
    Input {
        name: "hard-formula",
        about: "a product to be factored",
        command: &["check", "a.c", "--unwind", "1", "--rounds", "2"],
        make: |folder| {
            let globals = "unsigned long a, b; unsigned __VERIFIER_nondet_uint(void);";
            let body = "a = __VERIFIER_nondet_uint(); b = __VERIFIER_nondet_uint();";
            let after = "assert(a < 2 || b < 2 || a * b != 9633832748884915969ul);";
            c(folder, &two_threads(globals, body, after))
        },
    },
    Input {
        name: "thousand-threads",
        about: "a thousand threads",
        command: CHECK,
        make: |folder| {
            c(
                folder,
                &format!(
                    "{HEAD}int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_t t[1000];\n\
                 void *f(void *p) {{ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }}\n\
                 int main() {{ for (int i = 0; i < 1000; i++) pthread_create(&t[i], 0, f, 0);\n\
                 for (int i = 0; i < 1000; i++) pthread_join(t[i], 0); assert(x == 1000); }}\n"
                ),
            )
        },
    },
    Input {
        name: "threads-for-ever",
        about: "threads without end",
        command: CHECK,
        make: threads_for_ever,
    },
    Input {
        name: "run-threads-for-ever",
        about: "a run of them",
        command: &[
            "run",
            "a.c",
            "--steps",
            "1000000000",
            "--property",
            "assert",
        ],
        make: threads_for_ever,
    },
    Input {
        name: "run-traced",
        about: "a run with a long trace",
        command: &[
            "run",
            "a.c",
            "--trace",
            "--steps",
            "1000000000",
            "--property",
            "assert",
        ],
        make: |folder| {
            c(
                folder,
                &two_threads("int x;", "for (;;) x++;", "assert(x);"),
            )
        },
    },
    Input {
        name: "run-allocates",
        about: "a run that allocates without end",
        command: &[
            "run",
            "a.c",
            "--steps",
            "1000000000",
            "--property",
            "assert",
        ],
        make: |folder| {
            let body = "for (;;) { char *p = malloc(1 << 16); memset(p, 1, 1 << 16); x = p; }";
            c(folder, &two_threads("char *x;", body, "assert(x);"))
        },
    },
    Input {
        name: "run-local-loop",
        about: "a run that works alone without end",
        command: &["run", "a.c"],
        make: |folder| {
            let body = "unsigned n = 1; while (n) n = n * 3 | 1; x = n;";
            c(folder, &two_threads("unsigned x;", body, "assert(x);"))
        },
    },
    Input {
        name: "explore-schedules",
        about: "very many schedules",
        command: &["explore", "a.c", "--no-merge", "--property", "assert"],
        make: many_states,
    },
    Input {
        name: "explore-states",
        about: "very many states",
        command: &["explore", "a.c", "--prove", "--property", "assert"],
        make: many_states,
    },
    Input {
        name: "check-states",
        about: "the same, checked",
        command: CHECK,
        make: many_states,
    },
    Input {
        name: "nested-loops",
        about: "loops within loops within loops",
        command: CHECK,
        make: |folder| {
            let body = "for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++) \
                        for (int k = 0; k < 300; k++) x += i ^ j ^ k;";
            c(folder, &two_threads("unsigned x;", body, "assert(x != 3);"))
        },
    },
    Input {
        name: "lists",
        about: "lists that threads change",
        command: &["check", "a.c", "--unwind", "40"],
        make: |folder| {
            let globals = "struct n { struct n *next; int v; } *head; pthread_mutex_t m = \
                           PTHREAD_MUTEX_INITIALIZER;";
            let body = "unsigned k = __VERIFIER_nondet_uint(); for (unsigned i = 0; i < k; i++) {\n\
                        struct n *p = malloc(sizeof *p); p->v = i; pthread_mutex_lock(&m);\n\
                        p->next = head; head = p; for (p = head; p; p = p->next) p->v++;\n\
                        pthread_mutex_unlock(&m); }";
            c(
                folder,
                &two_threads(globals, body, "assert(!head || head->v < 90);"),
            )
        },
    },
    Input {
        name: "strings",
        about: "strings of any length",
        command: &["check", "a.c", "--unwind", "250"],
        make: |folder| {
            let globals = "char a[200]; unsigned n;";
            let body = "unsigned i = __VERIFIER_nondet_uint() % 200; a[i] = 1; n = strlen(a);";
            c(folder, &two_threads(globals, body, "assert(n < 150);"))
        },
    },
];

fn threads_for_ever(folder: &Path) -> io::Result<()> {
    c(
        folder,
        &format!(
            "{HEAD}int x; void *f(void *p) {{ x++; return 0; }}\n\
         int main() {{ for (;;) {{ pthread_t t; pthread_create(&t, 0, f, 0); }} }}\n"
        ),
    )
}

fn many_states(folder: &Path) -> io::Result<()> {
    c(
        folder,
        &format!(
            "{HEAD}unsigned x, y; void *f(void *p) {{ for (int i = 0; i < 50; i++) {{ x = x * 3 + y; \
         y = y * 5 + x + 1; }} return 0; }}\n\
         int main() {{ pthread_t t[6]; for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, f, 0);\n\
         for (int i = 0; i < 6; i++) pthread_join(t[i], 0); assert(x != 99999); }}\n"
        ),
    )
}
