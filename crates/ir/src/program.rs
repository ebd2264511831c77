//! A whole program: target, global variables, functions, constants.

use crate::body::{BlockId, Body, InstId, Op, Ordering};
use crate::source::{FileId, Location, SourceType, SourceTypeId};
use crate::types::Type;
use cranelift_entity::{PrimaryMap, entity_impl};
use std::collections::HashMap;

/// A global variable (or static local, or thread-local). In order of definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(u32);
entity_impl!(GlobalId, "g");

/// A function, with or without body. In order of definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);
entity_impl!(FunctionId, "fn");

/// A constant, interned: equal constants have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(u32);
entity_impl!(ConstId, "k");

/// What the code was compiled for. Always little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub pointer_bytes: u64,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub target: Target,
    /// Paths as the compiler was given them.
    pub files: PrimaryMap<FileId, String>,
    pub source_types: PrimaryMap<SourceTypeId, SourceType>,
    pub globals: PrimaryMap<GlobalId, Global>,
    pub functions: PrimaryMap<FunctionId, Function>,
    /// Where a run starts. Front ends refuse programs without it.
    pub main: FunctionId,
    /// Run in this order before `main` (constructors).
    pub startup: Vec<FunctionId>,
    /// Run in this order after `main` or `exit` (destructors).
    pub cleanup: Vec<FunctionId>,
    constants: PrimaryMap<ConstId, Constant>,
    constant_ids: HashMap<Constant, ConstId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// `value` has no bits above `bits`.
    Int {
        bits: u32,
        value: u128,
    },
    /// The bit pattern of a single.
    Float(u32),
    /// The bit pattern of a double.
    Double(u64),
    Null,
    /// The address `offset` bytes into a global.
    Global {
        global: GlobalId,
        offset: i64,
    },
    Function(FunctionId),
    /// The address of a label, for computed jumps.
    Label(FunctionId, BlockId),
    Tuple {
        ty: Type,
        fields: Vec<ConstId>,
    },
    /// An aggregate whose fields are all overwritten before they are read.
    /// Scalars are never undefined: see [`crate::Op::Any`].
    Undefined(Type),
}

#[derive(Clone, Debug)]
pub struct Global {
    /// The linker's name. Private symbols may have equal names.
    pub symbol: String,
    /// The programmer's name; `None` for string literals and the like.
    pub name: Option<String>,
    /// For a static local: the function it belongs to.
    pub function: Option<String>,
    pub ty: Option<SourceTypeId>,
    pub location: Option<Location>,
    pub bytes: u64,
    pub align: u64,
    pub initial: Initial,
    /// Never written: a string literal or `const` object.
    pub is_constant: bool,
    /// One copy per thread.
    pub is_thread_local: bool,
    /// Defined by the C library, for instance `stdout`.
    pub is_external: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    Zero,
    /// `bytes` covers the whole object; relocations then overwrite addresses.
    Bytes {
        bytes: Vec<u8>,
        relocations: Vec<Relocation>,
    },
}

/// The address of a symbol, to be stored at `offset` as a pointer-sized word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    pub offset: u64,
    pub symbol: Symbol,
    pub addend: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Global(GlobalId),
    Function(FunctionId),
    Label(FunctionId, BlockId),
}

#[derive(Clone, Debug)]
pub struct Function {
    pub symbol: String,
    /// The programmer's name (differs from the symbol in C++).
    pub name: String,
    pub location: Option<Location>,
    pub params: Vec<Param>,
    pub is_variadic: bool,
    /// `None` for `void`.
    pub result: Option<Type>,
    /// `None` for functions defined elsewhere.
    pub body: Option<Body>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub ty: Type,
    /// The argument is a pointer to this many bytes, of which the callee gets a
    /// copy of its own.
    pub by_value: Option<u64>,
}

impl Program {
    /// A program without any content; `main` must be set before use.
    pub fn new(target: Target) -> Self {
        Program {
            target,
            files: PrimaryMap::new(),
            source_types: PrimaryMap::new(),
            globals: PrimaryMap::new(),
            functions: PrimaryMap::new(),
            main: FunctionId::from_u32(0),
            startup: Vec::new(),
            cleanup: Vec::new(),
            constants: PrimaryMap::new(),
            constant_ids: HashMap::new(),
        }
    }

    /// Makes relaxed atomic accesses of volatile ones, as code that is older than C11
    /// means them. Accesses to whole structs stay as they are: no machine has such.
    pub fn take_volatile_for_atomic(&mut self) {
        let mut found = Vec::new();
        for (function, data) in self.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            for (id, inst) in body.insts.iter() {
                let ty = match &inst.op {
                    Op::Load {
                        ordering: None,
                        is_volatile: true,
                        ..
                    } => inst.result.map(|result| body.values[result].clone()),
                    Op::Store {
                        ordering: None,
                        is_volatile: true,
                        value,
                        ..
                    } => Some(body.operand_type(self, *value)),
                    _ => None,
                };
                if ty.is_some_and(|ty| !matches!(ty, Type::Tuple(_))) {
                    found.push((function, id));
                }
            }
        }
        for (function, id) in found {
            let body = self.functions[function].body.as_mut();
            if let Some(Op::Load { ordering, .. } | Op::Store { ordering, .. }) =
                body.map(|body| &mut body.insts[id].op)
            {
                *ordering = Some(Ordering::Relaxed);
            }
        }
    }

    /// Gives an atomic access or a fence another order; for a compare-exchange, that of
    /// one which fails if so asked.
    pub fn set_ordering(
        &mut self,
        (function, inst): (FunctionId, InstId),
        if_it_fails: bool,
        wanted: Ordering,
    ) {
        let Some(body) = &mut self.functions[function].body else {
            return;
        };
        match &mut body.insts[inst].op {
            Op::Load { ordering, .. } | Op::Store { ordering, .. } => *ordering = Some(wanted),
            Op::Rmw { ordering, .. } | Op::Fence { ordering } => *ordering = wanted,
            Op::CompareExchange { failure, .. } if if_it_fails => *failure = wanted,
            Op::CompareExchange { success, .. } => *success = wanted,
            _ => {}
        }
    }

    pub fn intern(&mut self, constant: Constant) -> ConstId {
        if let Some(id) = self.constant_ids.get(&constant) {
            return *id;
        }
        let id = self.constants.push(constant.clone());
        self.constant_ids.insert(constant, id);
        id
    }

    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id]
    }

    pub fn constants(&self) -> impl Iterator<Item = (ConstId, &Constant)> {
        self.constants.iter()
    }

    pub fn constant_type(&self, id: ConstId) -> Type {
        match &self.constants[id] {
            Constant::Int { bits, .. } => Type::Int(*bits),
            Constant::Float(_) => Type::Float,
            Constant::Double(_) => Type::Double,
            Constant::Null
            | Constant::Global { .. }
            | Constant::Function(_)
            | Constant::Label(..) => Type::Pointer,
            Constant::Tuple { ty, .. } | Constant::Undefined(ty) => ty.clone(),
        }
    }

    /// `file:line` for people.
    pub fn describe_location(&self, location: Location) -> String {
        format!("{}:{}", self.files[location.file], location.line)
    }
}
