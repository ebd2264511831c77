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
  fuzz-outside
          break modules and options at random, and see that the tool answers:
          [--binary PATH] [--modules N] [--options N] [--seed N]
  limits  run heavy inputs within limits, and write docs/limits.md; with a word, only
          inputs whose names contain it; with --binary PATH, that build
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
        ["fuzz-outside", ref options @ ..] => fuzz_outside(options),
        ["limits", ref options @ ..] => limits(options),
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

fn fuzz_outside(options: &[&str]) -> ExitCode {
    let mut campaign = xtask::fuzz_outside::Campaign {
        binary: PathBuf::new(),
        modules: 10_000,
        options: 2_000,
        seed: 1,
    };
    for pair in options.chunks(2) {
        let number = |text: &str| text.parse::<u64>().ok();
        let known = match pair {
            ["--binary", path] => Path::new(path)
                .canonicalize()
                .map(|path| campaign.binary = path)
                .ok(),
            ["--modules", text] => number(text).map(|number| campaign.modules = number),
            ["--options", text] => number(text).map(|number| campaign.options = number),
            ["--seed", text] => number(text).map(|number| campaign.seed = number),
            _ => None,
        };
        if known.is_none() {
            eprintln!("xtask: not understood: {}", pair.join(" "));
            return ExitCode::from(64);
        }
    }
    if campaign.binary.as_os_str().is_empty() {
        match xtask::growth::build(&root()) {
            Ok(binary) => campaign.binary = binary,
            Err(message) => {
                eprintln!("xtask: {message}");
                return ExitCode::FAILURE;
            }
        }
    }
    match xtask::fuzz_outside::fuzz(&root(), &campaign) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(64)
        }
    }
}

fn limits(options: &[&str]) -> ExitCode {
    let (binary, rest) = match options {
        ["--binary", path, rest @ ..] => (Some(PathBuf::from(path)), rest),
        rest => (None, rest),
    };
    match xtask::limits::limits(&root(), binary, rest.first().copied()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(64)
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
            "threadbare-tests",
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
