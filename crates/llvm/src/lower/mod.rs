//! Linked modules to one [`ir::Program`]: symbols, global variables, functions.
//!
//! Definitions get their ids first, in order of the modules and of their text;
//! functions that are only declared get theirs when they are first used, so that
//! [`Loaded::undefined`](crate::Loaded) lists what the program really needs.

mod assembly;
mod body;
mod calls;
mod constants;
mod debug;
mod expressions;
mod initial;
mod instructions;
mod intrinsics;
mod long_doubles;
mod relays;
mod vectors;

use crate::ast::{self, Module, TypeId};
use crate::error::{Error, Place, UndefinedData};
use crate::layout::{Extent, Layout};
use crate::link::{Duplicate, Entity, Linked, Resolution, link};
use crate::{Source, UndefinedFunction, Unsupported};
use debug::DebugInfo;
use ir::{Function, FunctionId, Global, GlobalId, Initial, Location, Param, Program, Target};
use std::collections::HashMap;
use std::sync::Arc;

/// More fields than this in one register value is nothing that C code does.
const MAX_TUPLE_FIELDS: u64 = 1024;

/// Larger variables would need more memory than a run should ever take.
const MAX_VARIABLE_BYTES: u64 = 1 << 40;

/// Variables of the C library that a program may use without defining them.
const LIBRARY_DATA: &[&str] = &[
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "__environ",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "errno",
    "sys_errlist",
    "program_invocation_name",
    "program_invocation_short_name",
    "timezone",
    "tzname",
    "daylight",
    "signgam",
    "h_errno",
    "__progname",
    "__libc_single_threaded",
    "__stack_chk_guard",
    "__dso_handle",
];

/// Beginnings of symbols that the C++ library defines: what is in `std`, and what
/// is behind run-time type information.
const CPP_LIBRARY_PREFIXES: &[&str] = &[
    "_ZSt",
    "_ZNSt",
    "_ZNKSt",
    "_ZTISt",
    "_ZTINSt",
    "_ZTIP",
    "_ZTVSt",
    "_ZTVNSt",
    "_ZTTSt",
    "_ZTTNSt",
    "_ZTVN10__cxxabiv1",
];

fn is_library_data(symbol: &str) -> bool {
    // `_ZTIi` and the like describe the built-in types.
    let is_builtin_type = symbol.len() == 5 && symbol.starts_with("_ZTI");
    let mut prefixes = CPP_LIBRARY_PREFIXES.iter();
    is_builtin_type
        || LIBRARY_DATA.contains(&symbol)
        || prefixes.any(|prefix| symbol.starts_with(prefix))
}

pub(crate) struct Lowered {
    pub program: Program,
    pub undefined: Vec<UndefinedFunction>,
    pub unsupported: Vec<Unsupported>,
}

/// Why something could not be lowered.
enum Failure {
    /// Known, but nobody can execute it; the text is in the user's words.
    Unsupported(String),
    /// The IR makes no sense; the text says what was expected.
    Malformed(String),
}

type Attempt<T> = Result<T, Failure>;

fn unsupported<T>(what: impl Into<String>) -> Attempt<T> {
    Err(Failure::Unsupported(what.into()))
}

fn malformed<T>(expected: impl Into<String>) -> Attempt<T> {
    Err(Failure::Malformed(expected.into()))
}

pub(crate) fn lower(sources: &[Source<'_>], modules: &[Module<'_>]) -> Result<Lowered, Error> {
    let mut layouts = check_targets(sources, modules)?;
    let pointer_bytes = layouts.first().map_or(8, |layout| layout.pointer_bytes);
    for (module, source) in modules.iter().zip(sources) {
        if let Some((offset, what)) = &module.unsupported {
            return Err(Error::Unsupported {
                what: what.clone(),
                place: source.place(*offset),
            });
        }
    }
    let linked = link(modules, |entity| match entity {
        Entity::Variable { module, index } => {
            let ty = modules[module].variables[index].ty;
            let extent = layouts[module].extent(&modules[module].types, ty);
            extent.map_or(0, |extent| extent.size)
        }
        _ => 0,
    })
    .map_err(|duplicate| describe_duplicate(sources, modules, duplicate))?;
    let no_code = ast::Body::default();
    let mut lowering = Lowering {
        no_code: &no_code,
        computed: Vec::new(),
        sources,
        modules,
        layouts,
        linked,
        program: Program::new(Target { pointer_bytes }),
        variables: modules
            .iter()
            .map(|m| vec![None; m.variables.len()])
            .collect(),
        functions: modules
            .iter()
            .map(|m| vec![None; m.functions.len()])
            .collect(),
        declared: HashMap::new(),
        relays: HashMap::new(),
        externals: HashMap::new(),
        aliases: HashMap::new(),
        types: vec![HashMap::new(); modules.len()],
        debug: DebugInfo::new(sources, modules),
        user: User::default(),
        initial_bytes: 0,
        undefined: Vec::new(),
        undefined_data: Vec::new(),
        unsupported: Vec::new(),
    };
    lowering.declare_variables()?;
    lowering.declare_functions();
    lowering.find_main()?;
    lowering.initialise_variables()?;
    lowering.lower_bodies()?;
    lowering.constructors()?;
    lowering.compute_initial_values()?;
    if !lowering.undefined_data.is_empty() {
        return Err(Error::UndefinedData(lowering.undefined_data));
    }
    Ok(Lowered {
        program: lowering.program,
        undefined: lowering.undefined,
        unsupported: lowering.unsupported,
    })
}

fn check_targets(sources: &[Source<'_>], modules: &[Module<'_>]) -> Result<Vec<Layout>, Error> {
    let mut layouts: Vec<Layout> = Vec::new();
    for (module, source) in modules.iter().zip(sources) {
        let layout = Layout::new(module.data_layout.as_deref());
        let triple = module.triple.as_deref().unwrap_or("x86_64");
        let architecture = triple.split('-').next().unwrap_or_default();
        let is_known = matches!(
            architecture,
            "i386" | "i486" | "i586" | "i686" | "x86_64" | "amd64" | "aarch64" | "arm64"
        );
        if !is_known || !layout.is_little_endian || !matches!(layout.pointer_bytes, 4 | 8) {
            return Err(Error::UnsupportedTarget {
                module: source.name.to_owned(),
                target: triple.to_owned(),
            });
        }
        if let Some(first) = layouts.first()
            && first.pointer_bytes != layout.pointer_bytes
        {
            return Err(Error::MixedPointerSizes {
                first: sources[0].name.to_owned(),
                first_bits: first.pointer_bytes * 8,
                second: source.name.to_owned(),
            });
        }
        layouts.push(layout);
    }
    Ok(layouts)
}

fn describe_duplicate(
    sources: &[Source<'_>],
    modules: &[Module<'_>],
    duplicate: Duplicate,
) -> Error {
    let mut debug = DebugInfo::new(sources, modules);
    // The paths end up in a program that is thrown away.
    let mut program = Program::new(Target { pointer_bytes: 8 });
    let mut place = |entity: Entity| {
        let module = entity.module();
        let location = match entity {
            Entity::Variable { index, .. } => {
                let node = modules[module].variables[index].debug;
                node.and_then(|node| debug.variable(&mut program, module, node))
                    .and_then(|variable| variable.location)
            }
            Entity::Function { index, .. } => {
                let node = modules[module].functions[index].debug;
                node.and_then(|node| debug.function(&mut program, module, node))
                    .and_then(|function| function.location)
            }
            Entity::Alias { .. } => None,
        };
        match location {
            Some(location) => source_place(&program, location),
            None => Place {
                file: sources[module].name.to_owned(),
                line: 0,
            },
        }
    };
    Error::DuplicateSymbol {
        first: place(duplicate.first),
        second: place(duplicate.second),
        symbol: duplicate.symbol,
    }
}

fn source_place(program: &Program, location: Location) -> Place {
    Place {
        file: program.files[location.file].clone(),
        line: location.line as usize,
    }
}

/// Who is mentioning symbols at the moment, for messages.
#[derive(Default)]
struct User {
    name: String,
    location: Option<Location>,
}

struct Lowering<'m, 'a> {
    sources: &'m [Source<'a>],
    modules: &'m [Module<'a>],
    layouts: Vec<Layout>,
    linked: Linked<'m>,
    program: Program,
    /// Ids of the definitions that were kept, by module and position there.
    variables: Vec<Vec<Option<GlobalId>>>,
    functions: Vec<Vec<Option<FunctionId>>>,
    /// Functions without body, by symbol.
    declared: HashMap<String, FunctionId>,
    /// What stands for them where pointers to them are made.
    relays: HashMap<FunctionId, FunctionId>,
    /// Variables of the C library, by symbol.
    externals: HashMap<String, GlobalId>,
    /// What aliases stand for, by module and position there; `None` while that is
    /// being found out.
    aliases: HashMap<(usize, usize), Option<Result<constants::Scalar, String>>>,
    /// Types already translated, per module.
    types: Vec<HashMap<TypeId, Result<ir::Type, String>>>,
    debug: DebugInfo<'m, 'a>,
    user: User,
    no_code: &'m ast::Body<'a>,
    /// Parts of variables that a function of our own must fill.
    computed: Vec<initial::Computed<'a>>,
    /// Bytes of all initial values so far.
    initial_bytes: u64,
    undefined: Vec<UndefinedFunction>,
    undefined_data: Vec<UndefinedData>,
    unsupported: Vec<Unsupported>,
}

impl<'m, 'a> Lowering<'m, 'a> {
    fn extent(&mut self, module: usize, ty: TypeId) -> Option<Extent> {
        self.layouts[module].extent(&self.modules[module].types, ty)
    }

    fn pointer_bits(&self) -> u32 {
        self.program.target.pointer_bytes as u32 * 8
    }

    /// Turns a failure outside function bodies into an error.
    fn fatal(&self, module: usize, offset: ast::Offset, failure: Failure) -> Error {
        let place = match self.user.location {
            Some(location) => source_place(&self.program, location),
            None => self.sources[module].place(offset),
        };
        match failure {
            Failure::Unsupported(what) => Error::Unsupported { what, place },
            Failure::Malformed(expected) => Error::NotUnderstood {
                module: self.sources[module].name.to_owned(),
                line: self.sources[module].place(offset).line,
                expected,
            },
        }
    }

    // Types.

    fn value_type(&mut self, module: usize, ty: TypeId) -> Attempt<ir::Type> {
        if let Some(known) = self.types[module].get(&ty) {
            return known.clone().map_err(Failure::Unsupported);
        }
        let lowered = self.compute_value_type(module, ty);
        self.types[module].insert(ty, lowered.clone());
        lowered.map_err(Failure::Unsupported)
    }

    fn compute_value_type(&mut self, module: usize, ty: TypeId) -> Result<ir::Type, String> {
        let types = &self.modules[module].types;
        match types.get(ty) {
            ast::Type::Int(bits @ 1..=128) => Ok(ir::Type::Int(*bits)),
            ast::Type::Int(bits) => Err(format!("arithmetic on integers of {bits} bits")),
            ast::Type::Float => Ok(ir::Type::Float),
            ast::Type::Double => Ok(ir::Type::Double),
            ast::Type::ExoticFloat(long_doubles::NAME) => Ok(ir::Type::Int(80)),
            ast::Type::ExoticFloat(name) => Err(match *name {
                "fp128" | "ppc_fp128" => format!("long double arithmetic ({name})"),
                _ => format!("half precision arithmetic ({name})"),
            }),
            ast::Type::Pointer { address_space: 0 } => Ok(ir::Type::Pointer),
            ast::Type::Pointer { address_space } => {
                Err(format!("a pointer into address space {address_space}"))
            }
            ast::Type::Other(name) => Err(format!("a value of type {name}")),
            ast::Type::Named(named) => {
                let named = types.named(*named);
                let Some(body) = named.body else {
                    return Err(format!("a value of the incomplete type {}", named.name));
                };
                // Also refuses names that are defined in circles.
                if self.extent(module, ty).is_none() {
                    return Err(format!("a value of the impossible type {}", named.name));
                }
                self.nested_type(module, body)
            }
            ast::Type::Struct { fields, .. } => {
                let fields = fields.iter().copied();
                self.tuple_type(module, ty, fields.collect())
            }
            ast::Type::Array { count, element } | ast::Type::Vector { count, element } => {
                if *count > MAX_TUPLE_FIELDS {
                    return Err(format!("an array of {count} elements as a value"));
                }
                let is_vector = matches!(types.get(ty), ast::Type::Vector { .. });
                let is_exotic = matches!(types.get(*element), ast::Type::ExoticFloat(_));
                if is_vector && is_exotic {
                    return Err("a vector of long doubles".into());
                }
                self.tuple_type(module, ty, vec![*element; *count as usize])
            }
            ast::Type::Void | ast::Type::Label | ast::Type::Metadata => {
                Err("a value without type".into())
            }
            ast::Type::Function { .. } => Err("a function as a value".into()),
        }
    }

    /// Whether values of a type lie in memory as in registers: not so for vectors
    /// whose elements are packed bit by bit.
    fn is_plain_in_memory(&self, module: usize, ty: TypeId) -> bool {
        let types = &self.modules[module].types;
        match types.get(types.resolve(ty)) {
            ast::Type::Vector { element, .. } => match types.get(*element) {
                ast::Type::Int(bits) => *bits >= 8 && bits.is_power_of_two(),
                ast::Type::Float | ast::Type::Double | ast::Type::Pointer { .. } => true,
                _ => false,
            },
            _ => true,
        }
    }

    fn nested_type(&mut self, module: usize, ty: TypeId) -> Result<ir::Type, String> {
        match self.value_type(module, ty) {
            Ok(ty) => Ok(ty),
            Err(Failure::Unsupported(what) | Failure::Malformed(what)) => Err(what),
        }
    }

    fn tuple_type(
        &mut self,
        module: usize,
        ty: TypeId,
        fields: Vec<TypeId>,
    ) -> Result<ir::Type, String> {
        let Some(extent) = self.extent(module, ty) else {
            return Err("a value without size".into());
        };
        let mut lowered = Vec::with_capacity(fields.len());
        let mut leaves = 0;
        for (index, field) in fields.into_iter().enumerate() {
            let types = &self.modules[module].types;
            let offset = self.layouts[module].field_offset(types, ty, index as u64);
            let field = self.nested_type(module, field)?;
            leaves += leaf_count(&field);
            if leaves > MAX_TUPLE_FIELDS {
                return Err("a large struct as a value".into());
            }
            lowered.push((offset.unwrap_or(0), field));
        }
        // Vectors of bits are smaller in memory than their elements one by one.
        let last = lowered.last();
        let end = last.map_or(0, |(offset, ty)| {
            offset + ty.bytes(self.program.target.pointer_bytes)
        });
        Ok(ir::Type::Tuple(Arc::new(ir::Tuple {
            fields: lowered,
            size: extent.size.max(end.next_multiple_of(extent.align)),
            align: extent.align,
        })))
    }

    // Declarations.

    fn declare_variables(&mut self) -> Result<(), Error> {
        for (module, ast) in self.modules.iter().enumerate() {
            for (index, variable) in ast.variables.iter().enumerate() {
                let entity = Entity::Variable { module, index };
                let is_metadata = variable.name.starts_with("llvm.");
                if is_metadata
                    || variable.initial.is_none()
                    || !self
                        .linked
                        .is_kept(entity, &variable.name, variable.linkage)
                {
                    continue;
                }
                let global = self.new_global(module, variable);
                self.user = User {
                    name: variable.name.clone().into_owned(),
                    location: global.location,
                };
                let problem = if variable.address_space != 0 {
                    Some("a variable in another address space")
                } else if self.extent(module, variable.ty).is_none() {
                    Some("a variable whose type has no size")
                } else if global.bytes > MAX_VARIABLE_BYTES {
                    Some("a variable of more than 1 TiB")
                } else {
                    None
                };
                if let Some(problem) = problem {
                    let failure = Failure::Unsupported(format!("{problem} (`{}`)", variable.name));
                    return Err(self.fatal(module, variable.offset, failure));
                }
                self.variables[module][index] = Some(self.program.globals.push(global));
            }
        }
        Ok(())
    }

    /// A global without initial value.
    fn new_global(&mut self, module: usize, variable: &ast::Variable<'a>) -> Global {
        let extent = self.extent(module, variable.ty);
        let extent = extent.unwrap_or(Extent { size: 0, align: 1 });
        let source = variable
            .debug
            .and_then(|node| self.debug.variable(&mut self.program, module, node))
            .unwrap_or_default();
        let align = variable.align.filter(|align| align.is_power_of_two());
        Global {
            symbol: variable.name.clone().into_owned(),
            name: source.name,
            function: source.function,
            ty: source.ty,
            location: source.location,
            bytes: extent.size,
            align: align.unwrap_or(extent.align),
            initial: Initial::Zero,
            is_constant: variable.is_constant,
            is_thread_local: variable.is_thread_local,
            is_external: false,
        }
    }

    fn declare_functions(&mut self) {
        for (module, ast) in self.modules.iter().enumerate() {
            for (index, function) in ast.functions.iter().enumerate() {
                let entity = Entity::Function { module, index };
                if function.body.is_some()
                    && self
                        .linked
                        .is_kept(entity, &function.name, function.linkage)
                {
                    let lowered = self.new_function(module, function);
                    let id = self.program.functions.push(lowered);
                    self.functions[module][index] = Some(id);
                }
            }
        }
    }

    /// A function without body. Parameters nobody can pass get a stand-in type:
    /// calls with such arguments are unsupported anyway.
    fn new_function(&mut self, module: usize, function: &ast::Function<'a>) -> Function {
        let source = function
            .debug
            .and_then(|node| self.debug.function(&mut self.program, module, node))
            .unwrap_or_default();
        let mut params = Vec::with_capacity(function.params.len());
        for param in &function.params {
            let ty = self.value_type(module, param.ty);
            let ty = ty.unwrap_or(ir::Type::Int(8));
            let by_value = param.attributes.by_value;
            let by_value = by_value
                .filter(|_| ty == ir::Type::Pointer)
                .and_then(|ty| self.extent(module, ty))
                .map(|extent| extent.size);
            params.push(Param { ty, by_value });
        }
        let result = if self.modules[module].types.is_void(function.result) {
            None
        } else {
            let ty = self.value_type(module, function.result);
            Some(ty.unwrap_or(ir::Type::Int(8)))
        };
        Function {
            symbol: function.name.clone().into_owned(),
            name: source.name.unwrap_or_else(|| function.name.to_string()),
            location: source.location,
            params,
            is_variadic: function.is_variadic,
            result,
            body: None,
        }
    }

    fn find_main(&mut self) -> Result<(), Error> {
        match self.linked.resolve_shared("main") {
            Resolution::Defined(Entity::Function { module, index }) => {
                match self.functions[module][index] {
                    Some(id) => self.program.main = id,
                    None => return Err(Error::NoMain),
                }
                Ok(())
            }
            _ => Err(Error::NoMain),
        }
    }

    fn initialise_variables(&mut self) -> Result<(), Error> {
        for (module, ast) in self.modules.iter().enumerate() {
            for (index, variable) in ast.variables.iter().enumerate() {
                let Some(id) = self.variables[module][index] else {
                    continue;
                };
                let Some(constant) = &variable.initial else {
                    continue;
                };
                self.user = User {
                    name: variable.name.clone().into_owned(),
                    location: self.program.globals[id].location,
                };
                match self.initial(module, variable.ty, id, constant) {
                    Ok(initial) => self.program.globals[id].initial = initial,
                    Err(failure) => return Err(self.fatal(module, variable.offset, failure)),
                }
            }
        }
        Ok(())
    }

    fn lower_bodies(&mut self) -> Result<(), Error> {
        for (module, ast) in self.modules.iter().enumerate() {
            for (index, function) in ast.functions.iter().enumerate() {
                let Some(id) = self.functions[module][index] else {
                    continue;
                };
                self.user = User {
                    name: self.program.functions[id].name.clone(),
                    location: self.program.functions[id].location,
                };
                let body = body::lower(self, module, function, id)?;
                self.program.functions[id].body = Some(body);
            }
        }
        Ok(())
    }

    /// Adds the function that computes initial values, if any must be, and runs
    /// it first of all.
    fn compute_initial_values(&mut self) -> Result<(), Error> {
        let computed = std::mem::take(&mut self.computed);
        if computed.is_empty() {
            return Ok(());
        }
        for value in &computed {
            self.program.globals[value.global].is_constant = false;
        }
        let name = "initial values".to_owned();
        let id = self.program.functions.push(Function {
            symbol: name.clone(),
            name,
            location: None,
            params: Vec::new(),
            is_variadic: false,
            result: None,
            body: None,
        });
        let body = body::initialise(self, id, &computed)?;
        self.program.functions[id].body = Some(body);
        self.program.startup.insert(0, id);
        Ok(())
    }

    // Symbols.

    /// A function that exists without body, made when first asked for.
    fn declared_function(
        &mut self,
        symbol: &str,
        make: impl FnOnce(&mut Self) -> Function,
    ) -> FunctionId {
        if let Some(id) = self.declared.get(symbol) {
            return *id;
        }
        let function = make(self);
        let id = self.program.functions.push(function);
        self.declared.insert(symbol.to_owned(), id);
        self.undefined.push(UndefinedFunction {
            symbol: symbol.to_owned(),
            location: self.user.location,
        });
        id
    }

    /// A variable that is declared but not defined by the program.
    fn external_variable(
        &mut self,
        module: usize,
        variable: &ast::Variable<'a>,
    ) -> Option<GlobalId> {
        let symbol: &str = &variable.name;
        if let Some(id) = self.externals.get(symbol) {
            return Some(*id);
        }
        if !is_library_data(symbol) {
            let place = match self.user.location {
                Some(location) => source_place(&self.program, location),
                None => Place {
                    file: self.sources[module].name.to_owned(),
                    line: 0,
                },
            };
            if !self
                .undefined_data
                .iter()
                .any(|known| known.symbol == symbol)
            {
                self.undefined_data.push(UndefinedData {
                    symbol: symbol.to_owned(),
                    place,
                    user: self.user.name.clone(),
                });
            }
            return None;
        }
        let mut global = self.new_global(module, variable);
        global.is_external = true;
        if global.name.is_none() {
            global.name = Some(symbol.to_owned());
        }
        let id = self.program.globals.push(global);
        self.externals.insert(symbol.to_owned(), id);
        Some(id)
    }

    // Constructors and destructors.

    fn constructors(&mut self) -> Result<(), Error> {
        let mut startup = self.priority_list("llvm.global_ctors")?;
        startup.sort_by_key(|(priority, _)| *priority);
        // Destructors run in the opposite order.
        let mut cleanup = self.priority_list("llvm.global_dtors")?;
        cleanup.sort_by_key(|(priority, _)| *priority);
        cleanup.reverse();
        self.program.startup = startup.into_iter().map(|(_, id)| id).collect();
        self.program.cleanup = cleanup.into_iter().map(|(_, id)| id).collect();
        Ok(())
    }

    fn priority_list(&mut self, symbol: &str) -> Result<Vec<(u128, FunctionId)>, Error> {
        let mut list = Vec::new();
        for (module, ast) in self.modules.iter().enumerate() {
            let Some(variable) = ast.variables.iter().find(|v| v.name == symbol) else {
                continue;
            };
            let Some(ast::Constant::Aggregate(entries)) = &variable.initial else {
                continue;
            };
            self.user = User {
                name: symbol.to_owned(),
                location: None,
            };
            for entry in entries {
                match self.priority_entry(module, entry) {
                    Ok(entry) => list.extend(entry),
                    Err(failure) => return Err(self.fatal(module, variable.offset, failure)),
                }
            }
        }
        Ok(list)
    }

    fn priority_entry(
        &mut self,
        module: usize,
        entry: &ast::TypedConstant<'a>,
    ) -> Attempt<Option<(u128, FunctionId)>> {
        let ast::Constant::Aggregate(fields) = &entry.value else {
            return malformed("a constructor with its priority");
        };
        let [priority, function, ..] = fields.as_slice() else {
            return malformed("a constructor with its priority");
        };
        let priority = self.fold(module, priority.ty, &priority.value)?;
        let function = self.fold(module, function.ty, &function.value)?;
        let (Some(priority), Some(function)) = (priority, function) else {
            return malformed("a constant constructor");
        };
        match function.symbol {
            Some(ir::Symbol::Function(id)) => Ok(Some((priority.value, id))),
            None => Ok(None),
            Some(_) => malformed("a function as constructor"),
        }
    }
}

fn leaf_count(ty: &ir::Type) -> u64 {
    match ty {
        ir::Type::Tuple(tuple) => tuple
            .fields
            .iter()
            .map(|(_, field)| leaf_count(field))
            .sum(),
        _ => 1,
    }
}
