//! What the tests share: running every clang that is installed, and finding
//! things in a program.

#![allow(dead_code, reason = "every test file uses a part of it")]

use ir::{Function, Global, Op, Program};
use llvm::{Error, Loaded, Options};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The clangs to test with, each version once; says so if there are none.
pub(crate) fn clangs() -> Vec<PathBuf> {
    let mut versions = Vec::new();
    let mut found = Vec::new();
    for name in ["clang-14", "clang-19", "clang-22", "clang"] {
        let Ok(output) = Command::new(name).arg("--version").output() else {
            continue;
        };
        let version = String::from_utf8_lossy(&output.stdout)
            .lines()
            .next()
            .map(str::to_owned);
        if output.status.success() && !versions.contains(&version) {
            versions.push(version);
            found.push(PathBuf::from(name));
        }
    }
    if found.is_empty() {
        eprintln!("skipped: no clang found");
    }
    found
}

pub(crate) fn read(text: &str) -> Result<Loaded, Error> {
    llvm::read(&[("test.ll".to_owned(), text.to_owned())])
}

/// Reads a module, to which a `main` without effect is added.
pub(crate) fn with_main(text: &str) -> Loaded {
    let text = format!("{text}\ndefine i32 @main() {{\n  ret i32 0\n}}\n");
    read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(crate) fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

pub(crate) fn options(clang: &Path, args: &[&str]) -> Options {
    Options {
        clang: Some(clang.to_owned()),
        args: args.iter().map(|arg| arg.to_string()).collect(),
        ..Options::default()
    }
}

/// Compiles one C file with the given clang.
pub(crate) fn compile(clang: &Path, args: &[&str], text: &str) -> Loaded {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path(), "test.c", text);
    let loaded = llvm::load(&[file], &options(clang, args));
    loaded.unwrap_or_else(|error| panic!("{}: {error}", clang.display()))
}

pub(crate) fn function<'p>(program: &'p Program, symbol: &str) -> &'p Function {
    let found = program
        .functions
        .values()
        .find(|function| function.symbol == symbol);
    found.unwrap_or_else(|| panic!("no function {symbol}"))
}

pub(crate) fn global<'p>(program: &'p Program, symbol: &str) -> &'p Global {
    let found = program
        .globals
        .values()
        .find(|global| global.symbol == symbol);
    found.unwrap_or_else(|| panic!("no variable {symbol}"))
}

/// All operations of a function, in order of its blocks.
pub(crate) fn ops<'p>(program: &'p Program, symbol: &str) -> Vec<&'p Op> {
    let body = function(program, symbol).body.as_ref().unwrap();
    let insts = body.blocks.values().flat_map(|block| &block.insts);
    insts.map(|inst| &body.insts[*inst].op).collect()
}
