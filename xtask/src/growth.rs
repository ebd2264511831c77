//! `cargo xtask growth`: how formulas grow with contexts, unwinding and threads.
//!
//! Runs the release build of `threadbare check` on three small programs that are
//! made here, at bounds that are raised one at a time, and writes the page
//! `docs/growth.md`. Sizes are the same on every machine; times are not.

use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/growth.md";
/// What stays when the others change.
const CONTEXTS: u32 = 4;
const UNWIND: u32 = 2;
const THREADS: u32 = 2;
/// Seconds for one query.
const TIME: &str = "20";

const PROGRAMS: [(&str, &str, &str); 3] = [
    (
        "counter",
        "threads that read, add and write a counter without a lock, in a loop",
        "int x;\n\
         void *run(void *arg) { while (__VERIFIER_nondet_bool()) { int t = x; x = t + 1; } return 0; }\n\
         #define CHECK assert(x != 5)\n",
    ),
    (
        "mutex",
        "threads that lock, look and unlock, in a loop",
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int inside;\n\
         void *run(void *arg) { while (__VERIFIER_nondet_bool()) { pthread_mutex_lock(&m); inside++; \
         assert(inside == 1); inside--; pthread_mutex_unlock(&m); } return 0; }\n\
         #define CHECK\n",
    ),
    (
        "stack",
        "threads that push a node of their own to a linked stack and pop one, with compare-exchange",
        "struct node { struct node *next; int taken; } nodes[8]; struct node *top; int number;\n\
         void *run(void *arg) { struct node *mine = &nodes[(long)arg]; struct node *old;\n\
         do { old = top; mine->next = old; } while (!__sync_bool_compare_and_swap(&top, old, mine));\n\
         do { old = top; } while (old && !__sync_bool_compare_and_swap(&top, old, old->next));\n\
         if (old) assert(__sync_fetch_and_add(&old->taken, 1) == 0); return 0; }\n\
         #define CHECK\n",
    ),
];

/// Contexts, unwinding, threads.
type Rows = Vec<(u32, u32, u32)>;

struct Figures {
    variables: u64,
    clauses: u64,
    seconds: f64,
    result: String,
}

pub fn growth(root: &Path) -> Result<(), String> {
    let binary = build(root)?;
    let folder = std::env::temp_dir().join(format!("growth-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let page = write_page(&binary, &folder);
    let _ = fs::remove_dir_all(&folder);
    let path = root.join(PAGE);
    fs::write(&path, page?).map_err(|error| format!("{}: {error}", path.display()))
}

/// Builds the tool, and tells where it is.
pub fn build(root: &Path) -> Result<std::path::PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "build",
            "--release",
            "--quiet",
            "--package",
            "threadbare-cli",
        ])
        .current_dir(root)
        .status()
        .map_err(|error| format!("cargo does not run: {error}"))?;
    if !status.success() {
        return Err("the release build fails".to_owned());
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    Ok(target.join("release/threadbare"))
}

fn write_page(binary: &Path, folder: &Path) -> Result<String, String> {
    let mut page = String::from(
        "# How formulas grow\n\n\
         Made by `cargo xtask growth`: sizes of the formula, and seconds to unfold, encode and \
         solve it on one core of one machine, for three programs. One bound is raised at a time.\n\n",
    );
    for (name, what, _) in PROGRAMS {
        let _ = writeln!(page, "- *{name}*: {what}");
    }
    let tables: [(&str, Rows); 3] = [
        (
            "contexts",
            (2..=16).step_by(2).map(|n| (n, UNWIND, THREADS)).collect(),
        ),
        (
            "unwinding",
            (1..=6).map(|n| (CONTEXTS, n, THREADS)).collect(),
        ),
        ("threads", (2..=8).map(|n| (CONTEXTS, UNWIND, n)).collect()),
    ];
    for (bound, rows) in tables {
        let _ = writeln!(
            page,
            "\n## By {bound}\n\nOtherwise {}.\n",
            match bound {
                "contexts" => format!("unwinding {UNWIND}, {THREADS} threads beside main"),
                "unwinding" => format!("{CONTEXTS} contexts, {THREADS} threads beside main"),
                _ => format!("{CONTEXTS} contexts, unwinding {UNWIND}"),
            }
        );
        let _ = writeln!(
            page,
            "| {bound} | program | variables | clauses | seconds | result |"
        );
        let _ = writeln!(page, "|---|---|---|---|---|---|");
        for (name, _, code) in PROGRAMS {
            for (contexts, unwind, threads) in &rows {
                let source = folder.join(format!("{name}-{threads}.c"));
                fs::write(&source, program(code, *threads)).map_err(|error| error.to_string())?;
                let figures = measure(binary, &source, *contexts, *unwind)?;
                let value = match bound {
                    "contexts" => contexts,
                    "unwinding" => unwind,
                    _ => threads,
                };
                let _ = writeln!(
                    page,
                    "| {value} | {name} | {} | {} | {:.2} | {} |",
                    figures.variables, figures.clauses, figures.seconds, figures.result
                );
            }
        }
    }
    Ok(page)
}

fn program(code: &str, threads: u32) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n_Bool __VERIFIER_nondet_bool(void);\n{code}\
         int main(void) {{\n  pthread_t t[{threads}];\n  \
         for (long i = 0; i < {threads}; i++) pthread_create(&t[i], 0, run, (void *)i);\n  \
         for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);\n  CHECK;\n}}\n"
    )
}

fn measure(binary: &Path, source: &Path, contexts: u32, unwind: u32) -> Result<Figures, String> {
    let output = Command::new(binary)
        .arg("check")
        .arg(source)
        .args(["--property=assert", "--json", "--time", TIME])
        .args(["--contexts", &contexts.to_string()])
        .args(["--unwind", &unwind.to_string()])
        .output()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let json: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{}: no JSON: {error}", source.display()))?;
    let attempt = &json["attempts"][0];
    let number = |name: &str| attempt[name].as_u64().unwrap_or(0);
    let seconds = |name: &str| attempt[name].as_f64().unwrap_or(0.0);
    Ok(Figures {
        variables: number("variables"),
        clauses: number("clauses"),
        seconds: seconds("unfolding_seconds")
            + seconds("encoding_seconds")
            + seconds("solving_seconds"),
        result: attempt["result"].as_str().unwrap_or("?").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_as_many_threads_as_asked_for() {
        let text = program(PROGRAMS[0].2, 3);
        assert!(text.contains("pthread_t t[3]") && text.contains("i < 3"));
    }
}
