//! The command `cargo xtask`: chores of the repository.

use std::path::Path;
use std::process::ExitCode;
use xtask::Tree;

const HELP: &str = "\
Chores of this repository.

usage: cargo xtask <command>

commands:
  tidy   check what neither the compiler nor clippy checks: dependencies between
         crates, documents that name files, module docs, forbidden words
  help   print this text";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["tidy"] => tidy(),
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

fn tidy() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
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
