//! Programs, and how they are read from sources. Reads what it is told to, and
//! says nothing to anybody: what clang had to say is kept with the program.

use crate::Error;
use library::MemoryModel;
use llvm::{Loaded, Work};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Makes clang call a function where a conversion changes a value.
const CONVERSIONS: &str = "-fsanitize=implicit-conversion";

/// The files of a program, and how to compile them.
#[derive(Clone, Debug)]
pub struct Sources {
    files: Vec<PathBuf>,
    options: llvm::Options,
    has_conversions: bool,
    volatile_is_atomic: bool,
}

impl Sources {
    /// C, C++, preprocessed (`.i`) or LLVM IR (`.ll`) files, to be linked together.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Sources {
        Sources {
            files: files.into_iter().map(Into::into).collect(),
            options: llvm::Options {
                is_known_function: |symbol| library::lookup(symbol).is_some(),
                ..llvm::Options::default()
            },
            has_conversions: false,
            volatile_is_atomic: false,
        }
    }

    /// The clang to run, rather than the first that is found.
    pub fn clang(mut self, path: impl Into<PathBuf>) -> Sources {
        self.options.clang = Some(path.into());
        self
    }

    /// Options for clang, such as `-m32` or `-DNDEBUG`.
    pub fn clang_options<S: Into<String>>(
        mut self,
        options: impl IntoIterator<Item = S>,
    ) -> Sources {
        let options = options.into_iter().map(Into::into);
        self.options.args.extend(options);
        self
    }

    /// A folder with a `compile_commands.json`, which says how to compile each file;
    /// without files, all that are listed there.
    pub fn build_folder(mut self, path: impl Into<PathBuf>) -> Sources {
        self.options.build_dir = Some(path.into());
        self
    }

    /// Takes all flags of the build folder, also those that could make clang run or
    /// write something.
    pub fn trust_build(mut self) -> Sources {
        self.options.trust_build = true;
        self
    }

    /// They may have no `main`: then there is one that does nothing. For those who only
    /// look at the program.
    pub fn without_main(mut self) -> Sources {
        self.options.may_lack_main = true;
        self
    }

    /// Gives up at this moment.
    pub fn deadline(mut self, deadline: Instant) -> Sources {
        self.options.deadline = Some(deadline);
        self
    }

    /// Gives up when this process and clang need more bytes than this.
    pub fn memory(mut self, limit: u64) -> Sources {
        self.options.memory = Some(limit);
        self
    }

    /// Has somebody told what is under way.
    pub fn watched_by(mut self, watch: fn(&Work)) -> Sources {
        self.options.watch = watch;
        self
    }

    /// Has clang put in what [`Property::Conversion`](crate::Property::Conversion)
    /// needs.
    pub fn conversions(mut self) -> Sources {
        self.has_conversions = true;
        self
    }

    /// Takes volatile accesses for relaxed atomic ones, as code that is older than C11
    /// means them.
    pub fn volatile_is_atomic(mut self) -> Sources {
        self.volatile_is_atomic = true;
        self
    }

    /// Compiles and links them.
    pub fn read(mut self) -> Result<Program, Error> {
        let start = Instant::now();
        if self.has_conversions {
            let is_compiled = |file: &&PathBuf| file.extension().is_some_and(|name| name == "ll");
            if let Some(path) = self.files.iter().find(is_compiled).cloned() {
                return Err(Error::CompiledBefore { path });
            }
            self.options.args.push(CONVERSIONS.to_owned());
        }
        let mut loaded = llvm::load(&self.files, &self.options)?;
        if self.volatile_is_atomic {
            loaded.program.take_volatile_for_atomic();
        }
        Ok(Program {
            loaded: Arc::new(loaded),
            loading: start.elapsed(),
            has_conversions: self.has_conversions,
        })
    }
}

/// A program that questions can be asked about. Copies share what was read.
#[derive(Clone, Debug)]
pub struct Program {
    loaded: Arc<Loaded>,
    loading: Duration,
    has_conversions: bool,
}

/// A function that is used, but neither defined nor known. Its calls change
/// nothing and return any value, as far as anybody knows; verdicts say where that
/// was taken for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFunction {
    pub symbol: String,
    /// Where it is first used.
    pub place: Option<String>,
}

impl fmt::Display for UnknownFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{} ({place})", self.symbol),
            None => f.write_str(&self.symbol),
        }
    }
}

impl Program {
    /// Reads one file; [`Sources`] are for more, and for options of the compiler.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Program, Error> {
        Sources::new([path.as_ref()]).read()
    }

    /// Reads LLVM IR, as clang prints it, without any compiler. The name is for
    /// messages.
    pub fn from_ir(name: &str, text: &str) -> Result<Program, Error> {
        let start = Instant::now();
        let loaded = llvm::read(&[(name.to_owned(), text.to_owned())])?;
        Ok(Program {
            loaded: Arc::new(loaded),
            loading: start.elapsed(),
            has_conversions: false,
        })
    }

    /// What clang said while it compiled the program, unchanged.
    pub fn clang_messages(&self) -> &str {
        &self.loaded.clang_messages
    }

    /// Flags of the build that were not taken, see [`Sources::trust_build`].
    pub fn dropped_flags(&self) -> &BTreeSet<String> {
        &self.loaded.dropped_flags
    }

    pub fn unknown_functions(&self) -> Vec<UnknownFunction> {
        let undefined = self.loaded.undefined.iter();
        undefined
            .filter(|function| library::lookup(&function.symbol).is_none())
            .map(|function| UnknownFunction {
                symbol: function.symbol.clone(),
                place: (function.location).map(|location| self.model().describe_location(location)),
            })
            .collect()
    }

    /// The memory model that the program was written for: C's if it has atomic accesses
    /// or fences that ask for less than sequential consistency.
    pub fn memory_model(&self) -> MemoryModel {
        match analysis::orders::first_weaker(self.model()) {
            Some(_) => MemoryModel::Rc11,
            None => MemoryModel::Sc,
        }
    }

    /// The program itself, for those who look inside.
    pub fn model(&self) -> &ir::Program {
        &self.loaded.program
    }

    /// How long it took to compile and read it.
    pub fn loading(&self) -> Duration {
        self.loading
    }

    pub(crate) fn has_conversions(&self) -> bool {
        self.has_conversions
    }

    /// What the program is called: the file that `main` is in.
    pub(crate) fn name(&self) -> String {
        let location = self.model().functions[self.model().main].location;
        location.map_or("program".to_owned(), |location| {
            self.model().files[location.file].clone()
        })
    }
}
