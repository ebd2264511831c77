//! Native programs: the text that clang makes of the source, and executables made of
//! that text once it is instrumented.
//!
//! A [`Workshop`] knows what this machine can do. AddressSanitizer and
//! ThreadSanitizer need libraries of their own, and the latter an address space that
//! is laid out as it expects; without them less is judged, and the test says so.

use super::instrument::{Sanitizer, Told, instrument};
use crate::clang::{self, Clang};
use crate::folder;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A small program with a thread, to see what works.
const PROBE: &str = "\
#include <pthread.h>
static void *worker(void *arg) { return arg; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    return pthread_join(thread, 0);
}
";

pub struct Workshop {
    clang: &'static Clang,
    folder: TempDir,
    /// AddressSanitizer works.
    pub has_address_sanitizer: bool,
    /// How to start a program with ThreadSanitizer: what comes before its name.
    pub thread_sanitizer: Option<Vec<&'static str>>,
    pub has_32_bits: bool,
}

impl Workshop {
    pub fn open() -> Result<Workshop, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let clang = clang::default();
        let mut workshop = Workshop {
            clang,
            folder,
            has_address_sanitizer: false,
            thread_sanitizer: None,
            has_32_bits: clang.has_32_bits,
        };
        workshop.compile_runtime(false)?;
        if workshop.has_32_bits {
            workshop.compile_runtime(true)?;
        }
        workshop.has_address_sanitizer = workshop.works("-fsanitize=address", &[]);
        let starts: [&[&str]; 2] = [&[], &["setarch", "--addr-no-randomize"]];
        let works = |start: &&&[&'static str]| workshop.works("-fsanitize=thread", start);
        workshop.thread_sanitizer = starts.iter().find(works).map(|start| start.to_vec());
        Ok(workshop)
    }

    /// What cannot be judged here, for people.
    pub fn skipped(&self) -> Vec<&'static str> {
        let mut skipped = Vec::new();
        if self.thread_sanitizer.is_none() {
            skipped.push("races: clang cannot build or run programs with -fsanitize=thread here");
        }
        if !self.has_address_sanitizer {
            skipped.push(
                "programs with wrong accesses: clang cannot build or run programs with -fsanitize=address here",
            );
        }
        skipped
    }

    fn works(&self, option: &str, start: &[&str]) -> bool {
        let source = self.folder.path().join("probe.c");
        let executable = self.folder.path().join("probe");
        let is_built = std::fs::write(&source, PROBE).is_ok() && {
            let paths = [OsStr::new("-o"), executable.as_os_str(), source.as_os_str()];
            let options = ["-g", "-pthread", option].map(OsStr::new);
            self.run_clang(options.into_iter().chain(paths)).is_ok()
        };
        let mut command = match start {
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command.args(arguments).arg(&executable);
                command
            }
            [] => Command::new(&executable),
        };
        let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
        is_built && silent.status().is_ok_and(|status| status.success())
    }

    fn runtime(&self, is_32_bits: bool) -> PathBuf {
        let name = if is_32_bits {
            "runtime-32.o"
        } else {
            "runtime.o"
        };
        self.folder.path().join(name)
    }

    fn compile_runtime(&self, is_32_bits: bool) -> Result<(), String> {
        let source = folder().join("native-runtime/runtime.c");
        let object = self.runtime(is_32_bits);
        let bits = is_32_bits.then_some(OsStr::new("-m32"));
        let options = ["-O1", "-w", "-c", "-o"].map(OsStr::new);
        let paths = [object.as_os_str(), source.as_os_str()];
        self.run_clang(bits.into_iter().chain(options).chain(paths))?;
        Ok(())
    }

    fn run_clang<'o>(&self, options: impl Iterator<Item = &'o OsStr>) -> Result<Vec<u8>, String> {
        let output = Command::new(&self.clang.program)
            .args(options)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run clang: {error}"))?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// The program as LLVM IR, without optimisation.
    pub fn compile(&self, source: &Path, is_32_bits: bool) -> Result<String, String> {
        let options = ["-O0", "-g", "-w", "-S", "-emit-llvm", "-o", "-"];
        let bits = is_32_bits.then_some("-m32").into_iter();
        let options = options.into_iter().chain(bits).map(OsStr::new);
        let text = self.run_clang(options.chain([source.as_os_str()]))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// A folder for one program, which goes away with what is in it.
    pub fn bench(&self) -> Result<TempDir, String> {
        tempfile::tempdir_in(self.folder.path()).map_err(|error| error.to_string())
    }

    /// Makes an executable in a folder of the workshop.
    pub fn build(
        &self,
        bench: &Path,
        text: &str,
        told: &[Told],
        sanitizer: Sanitizer,
    ) -> Result<PathBuf, String> {
        let is_32_bits = text.contains("p:32:32");
        let name = format!("{sanitizer:?}").to_lowercase();
        let module = bench.join(format!("{name}.ll"));
        let executable = bench.join(name);
        std::fs::write(&module, instrument(text, told, sanitizer))
            .map_err(|error| error.to_string())?;
        let bits = is_32_bits
            .then_some(["-m32", "-msse2"])
            .into_iter()
            .flatten();
        let check = match sanitizer {
            Sanitizer::None => None,
            Sanitizer::Address => Some("-fsanitize=address"),
            Sanitizer::Thread => Some("-fsanitize=thread"),
        };
        let runtime = self.runtime(is_32_bits);
        let options = ["-O0", "-w", "-pthread", "-o"].into_iter();
        let options = bits.chain(check).chain(options).map(OsStr::new);
        let output = [executable.as_os_str(), OsStr::new("-x"), OsStr::new("ir")];
        let inputs = [
            module.as_os_str(),
            OsStr::new("-x"),
            OsStr::new("none"),
            runtime.as_os_str(),
            OsStr::new("-lm"),
        ];
        self.run_clang(options.chain(output).chain(inputs))?;
        Ok(executable)
    }
}
