//! `cargo xtask bench deadlock`: the classics among deadlocks, with few and many
//! threads, as they should be and with their usual mistake.
//!
//! The programs are in `tests/deadlocks`. Mistakes are looked for without any
//! bounds, on one core; what is right is checked within bounds that are given.
//! Writes `docs/deadlocks.md`.

use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// For what is right: rounds, and iterations of loops that are not constant.
const ROUNDS: u32 = 3;
const UNWIND: u32 = 3;
/// Seconds and bytes for one run.
const TIME: u32 = 300;
const MEMORY: &str = "500M";

/// A program and the numbers of threads to run it with.
const PROGRAMS: [(&str, &[u32]); 6] = [
    ("philosophers", &[2, 3, 4, 5, 6, 7, 8]),
    ("transfers", &[3, 5, 7]),
    ("readers-writers", &[3, 5, 7]),
    ("bounded-buffer", &[3, 5, 7]),
    ("barrier", &[3, 5, 7]),
    ("lock-cycle", &[2, 3, 4, 5, 6, 7]),
];

/// Runs all of them, prints a table, and writes it to a page.
pub(crate) fn bench(root: &Path, binary: &Path, only: &str) -> Result<(), String> {
    let mut table = String::from(
        "| program | threads | with the mistake | s | MB | without | s | MB |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (name, counts) in PROGRAMS {
        if !name.contains(only) {
            continue;
        }
        let file = root.join(format!("tests/deadlocks/{name}.c"));
        for count in counts {
            let mut row = format!("| {name} | {count} |");
            for is_wrong in [true, false] {
                let report = run(binary, &file, *count, is_wrong)?;
                let verdict = report["verdict"].as_str().unwrap_or("none");
                let seconds = report["seconds"].as_f64().unwrap_or(0.0);
                let memory = report["peak_memory"]
                    .as_u64()
                    .unwrap_or(0)
                    .div_ceil(1_000_000);
                let _ = write!(row, " {verdict} | {seconds:.1} | {memory} |");
            }
            println!("{row}");
            let _ = writeln!(table, "{row}");
        }
    }
    if !only.is_empty() {
        return Ok(());
    }
    let page = format!(
        "# Deadlocks\n\n\
         Made by `cargo xtask bench deadlock`, from the programs in `tests/deadlocks`; one core, \
         at most {MEMORY} of memory. The mistakes are looked for without any bounds. What is \
         right is checked up to {ROUNDS} rounds and {UNWIND} iterations of loops that are not \
         constant. Time includes that for the compiler, memory does not.\n\n{table}"
    );
    fs::write(root.join("docs/deadlocks.md"), page).map_err(|error| error.to_string())
}

fn run(binary: &Path, file: &Path, count: u32, is_wrong: bool) -> Result<Value, String> {
    let mut command = Command::new(binary);
    command
        .arg("check")
        .arg(file)
        .arg(format!("-DN={count}"))
        .args(["--property=deadlock", "--cores=1", "--json"])
        .arg(format!("--time={TIME}"))
        .arg(format!("--memory={MEMORY}"));
    match is_wrong {
        true => command.arg("-DBAD"),
        false => command
            .arg(format!("--rounds={ROUNDS}"))
            .arg(format!("--unwind={UNWIND}")),
    };
    let output = command.output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let name = file.display();
        format!("{name}: {}", String::from_utf8_lossy(&output.stderr))
    })
}
