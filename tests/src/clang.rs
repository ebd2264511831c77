//! Compilers: which there are, native programs and loaded ones.
//!
//! The tests want two versions that print different kinds of LLVM IR. One that
//! is missing is named and passed over; with none at all the tests fail.

use crate::notice;
use ir::Program;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Names to look for, the preferred one first.
const NAMES: [&str; 3] = ["clang", "clang-19", "clang-14"];

/// Version 14 prints typed pointers, 19 untyped ones.
const WANTED: [&str; 2] = ["14.", "19."];

/// Makes it call a function where an implicit conversion changes a value.
pub const CONVERSIONS: &str = "-fsanitize=implicit-conversion";

pub struct Clang {
    pub program: PathBuf,
    /// Such as `14.0.6`.
    pub version: String,
    /// Programs for 32 bits can be built and run.
    pub has_32_bits: bool,
}

/// All versions found, the one that Threadbare takes by default first.
pub fn all() -> &'static [Clang] {
    static FOUND: OnceLock<Vec<Clang>> = OnceLock::new();
    FOUND.get_or_init(find)
}

pub fn default() -> &'static Clang {
    &all()[0]
}

fn find() -> Vec<Clang> {
    let mut found: Vec<Clang> = Vec::new();
    for name in NAMES {
        // One version may go by several names.
        if let Some(version) = ask_version(name)
            && !found.iter().any(|clang| clang.version == version)
        {
            let mut clang = Clang {
                program: name.into(),
                version,
                has_32_bits: false,
            };
            clang.has_32_bits = clang.builds_for_32_bits();
            if !clang.has_32_bits {
                notice(&format!("skipped: {name} cannot build programs with -m32"));
            }
            found.push(clang);
        }
    }
    assert!(
        !found.is_empty(),
        "no clang was found: run scripts/install-clang"
    );
    for wanted in WANTED {
        if !found.iter().any(|clang| clang.version.starts_with(wanted)) {
            let version = wanted.trim_end_matches('.');
            notice(&format!(
                "skipped: everything for clang {version}, which is missing: run scripts/install-clang"
            ));
        }
    }
    found
}

fn ask_version(name: &str) -> Option<String> {
    let output = Command::new(name).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, version) = text.split_once("version ")?;
    version.split_whitespace().next().map(str::to_owned)
}

impl Clang {
    pub fn name(&self) -> String {
        format!("clang {}", self.version)
    }

    /// Compiles a file and reads it into a program, which is verified.
    pub fn load(&self, file: &Path, args: &[String]) -> Result<Program, String> {
        let options = llvm::Options {
            clang: Some(self.program.clone()),
            args: args.to_vec(),
            is_known_function: |symbol| library::lookup(symbol).is_some(),
            ..llvm::Options::default()
        };
        let loaded = llvm::load(&[file.to_owned()], &options).map_err(|error| match &error {
            llvm::Error::ClangFailed { stderr, .. } => format!("{error}\n{stderr}"),
            _ => error.to_string(),
        })?;
        match ir::verify::verify(&loaded.program) {
            Ok(()) => Ok(loaded.program),
            Err(errors) => Err(format!("malformed program: {}", errors[0])),
        }
    }

    /// Compiles a file to a native executable, without optimisation.
    ///
    /// For 32 bits, some compilers compute in registers that keep more digits
    /// than the types have, and so do something else than their own IR says.
    pub fn build(&self, file: &Path, args: &[String], executable: &Path) -> Result<(), String> {
        let is_32_bits = args.iter().any(|arg| arg == "-m32");
        let output = Command::new(&self.program)
            .args(is_32_bits.then_some("-msse2"))
            .args(["-O0", "-w", "-pthread", "-o"])
            .arg(executable)
            .args(args)
            .arg(file)
            .arg("-lm")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run {}: {error}", self.program.display()))?;
        if output.status.success() {
            return Ok(());
        }
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(format!(
            "{} cannot build it natively:\n{messages}",
            self.name()
        ))
    }

    fn builds_for_32_bits(&self) -> bool {
        let try_it = || {
            let folder = tempfile::tempdir().ok()?;
            let (source, executable) = (folder.path().join("a.c"), folder.path().join("a"));
            std::fs::write(
                &source,
                "#include <stdio.h>\nint main(void) { return 0; }\n",
            )
            .ok()?;
            self.build(&source, &["-m32".to_owned()], &executable)
                .ok()?;
            Command::new(&executable).status().ok()
        };
        try_it().is_some_and(|status| status.success())
    }
}
