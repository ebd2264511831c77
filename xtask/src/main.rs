//! The command `cargo xtask`: chores of the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use xtask::Tree;

const HELP: &str = "\
Chores of this repository.

usage: cargo xtask <command>

commands:
  tidy    check what neither the compiler nor clippy checks: dependencies between
          crates, documents that name files, module docs, forbidden words
  corpus  run the release build over a collection of programs with known verdicts
          (`cargo xtask corpus --help` tells how)
  bench   run the strategies on the programs of the papers, and write docs/bench-*
          (`cargo xtask bench --help` tells which)
  growth  measure how formulas grow with their bounds, and write docs/growth.md
  oracle  compare the checker with the explorer on random programs, in a release
          build; with --native, the explorer with runs on the machine
          (`cargo xtask oracle -- --help` tells how)
  help    print this text";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["tidy"] => tidy(),
        ["corpus", "help" | "-h" | "--help"] => {
            println!("{}", xtask::corpus::HELP);
            ExitCode::SUCCESS
        }
        ["corpus", ref options @ ..] => corpus(options),
        ["bench"] | ["bench", "help" | "-h" | "--help"] => {
            println!("{}", xtask::bench::HELP);
            ExitCode::SUCCESS
        }
        ["bench", ref options @ ..] => bench(options),
        ["growth"] => growth(),
        ["oracle", "--", ref options @ ..] | ["oracle", ref options @ ..] => oracle(options),
        [] | ["help" | "-h" | "--help"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("xtask: cannot do `{}`\n\n{HELP}", arguments.join(" "));
            ExitCode::from(64)
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn corpus(options: &[&str]) -> ExitCode {
    match xtask::corpus::corpus(&root(), options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(64)
        }
    }
}

fn bench(options: &[&str]) -> ExitCode {
    match xtask::bench::bench(&root(), options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn growth() -> ExitCode {
    match xtask::growth::growth(&root()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the program of the tests that compares, and ends as it does.
fn oracle(options: &[&str]) -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "run",
            "--release",
            "--package",
            "tests",
            "--bin",
            "oracle",
            "--",
        ])
        .args(options)
        .current_dir(root())
        .status();
    match status.map(|status| status.code()) {
        Ok(Some(code)) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Ok(None) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: cannot run cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> ExitCode {
    let root = root();
    let tree = match Tree::read(&root) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("xtask: cannot read the repository: {error}");
            return ExitCode::FAILURE;
        }
    };
    let findings = xtask::tidy(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        eprintln!("tidy: {} findings", findings.len());
        ExitCode::FAILURE
    }
}
