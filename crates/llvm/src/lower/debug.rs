//! Debug information to files, locations, names and source types.
//!
//! Nothing here can fail: debug information that is missing, malformed or circular
//! only leaves things unnamed. Equal types of several modules become one; records
//! count as equal when name, size and place of declaration agree.

use crate::Source;
use crate::ast::{Field, Metadata, Module, NamedTypeId, Node, NodeId};
use ir::{Encoding, FileId, Location, Member, Program, SourceType, SourceTypeId};
use std::borrow::Cow;
use std::collections::HashMap;

/// Deepest chain of types in types (records do not count), or scopes in scopes.
const MAX_DEPTH: u32 = 64;

pub(super) struct DebugInfo<'m, 'a> {
    modules: Vec<ModuleInfo<'m, 'a>>,
    files: HashMap<String, FileId>,
    types: HashMap<SourceType, SourceTypeId>,
    records: HashMap<RecordKey, SourceTypeId>,
}

struct ModuleInfo<'m, 'a> {
    source: &'m Source<'a>,
    metadata: &'m Metadata<'a>,
    /// Where the compiler ran.
    directory: String,
    files: HashMap<NodeId, FileId>,
    locations: Vec<Option<Option<Location>>>,
    types: HashMap<NodeId, SourceTypeId>,
    /// Record definitions by name, and by the name of a typedef if they have none
    /// of their own.
    records_by_name: HashMap<String, Vec<NodeId>>,
    records_by_struct: HashMap<NamedTypeId, Option<SourceTypeId>>,
}

/// What makes two records of different modules the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RecordKey {
    name: Option<String>,
    is_union: bool,
    bytes: u64,
    declared: Option<Location>,
    /// Tells records apart that have no name or place.
    unique: Option<(usize, NodeId)>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct VariableInfo {
    pub name: Option<String>,
    /// For a static local: the function it belongs to.
    pub function: Option<String>,
    pub ty: Option<SourceTypeId>,
    pub location: Option<Location>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct FunctionInfo {
    pub name: Option<String>,
    pub location: Option<Location>,
}

/// A record whose members are still to be translated.
struct Unfinished {
    id: SourceTypeId,
    node: NodeId,
}

impl<'m, 'a> DebugInfo<'m, 'a> {
    pub(super) fn new(sources: &'m [Source<'a>], modules: &'m [Module<'a>]) -> Self {
        let modules = sources.iter().zip(modules);
        DebugInfo {
            modules: modules
                .map(|(source, module)| ModuleInfo::new(source, &module.metadata))
                .collect(),
            files: HashMap::new(),
            types: HashMap::new(),
            records: HashMap::new(),
        }
    }

    fn node(&self, module: usize, id: NodeId) -> Option<&'m Node<'a>> {
        self.modules[module].metadata.get(id)
    }

    // Files and locations.

    fn file(&mut self, program: &mut Program, module: usize, id: NodeId) -> Option<FileId> {
        if let Some(file) = self.modules[module].files.get(&id) {
            return Some(*file);
        }
        let path = self.modules[module].path(self.node(module, id)?)?;
        let file = match self.files.get(&path) {
            Some(file) => *file,
            None => {
                let file = program.files.push(path.clone());
                self.files.insert(path, file);
                file
            }
        };
        self.modules[module].files.insert(id, file);
        Some(file)
    }

    /// The file, line and column of a `DILocation`.
    pub(super) fn location(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
    ) -> Option<Location> {
        let known = self.modules[module].locations.get(id as usize)?;
        if let Some(location) = known {
            return *location;
        }
        let location = self.compute_location(program, module, id);
        self.modules[module].locations[id as usize] = Some(location);
        location
    }

    fn compute_location(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
    ) -> Option<Location> {
        let node = self.node(module, id)?;
        let line = node.unsigned("line").unwrap_or(0);
        // Line 0 marks code that the compiler made up.
        if node.kind != "DILocation" || line == 0 {
            return None;
        }
        let column = node.unsigned("column").unwrap_or(0);
        let column = u32::try_from(column).unwrap_or(0);
        let mut scope = node.node("scope")?;
        for _ in 0..MAX_DEPTH {
            let node = self.node(module, scope)?;
            if let Some(file) = node.node("file") {
                return Some(Location {
                    file: self.file(program, module, file)?,
                    line: u32::try_from(line).ok()?,
                    column,
                });
            }
            scope = node.node("scope")?;
        }
        None
    }

    /// The place of a declaration, which names its file itself.
    fn declared_at(
        &mut self,
        program: &mut Program,
        module: usize,
        node: &Node<'a>,
    ) -> Option<Location> {
        let line = node.unsigned("line").filter(|line| *line > 0)?;
        Some(Location {
            file: self.file(program, module, node.node("file")?)?,
            line: u32::try_from(line).ok()?,
            column: 0,
        })
    }

    // Functions and variables.

    pub(super) fn function(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
    ) -> Option<FunctionInfo> {
        let node = self.node(module, id)?;
        Some(FunctionInfo {
            name: self.function_name(module, node),
            location: self.declared_at(program, module, node),
        })
    }

    /// The name with the classes and namespaces around it.
    fn function_name(&self, module: usize, node: &Node<'a>) -> Option<String> {
        let mut name = node.text("name")?.into_owned();
        // A method's definition may stand outside; its declaration does not.
        let declaration = node
            .node("declaration")
            .and_then(|id| self.node(module, id));
        let mut scope = declaration.unwrap_or(node).node("scope");
        for _ in 0..MAX_DEPTH {
            let Some(node) = scope.and_then(|id| self.node(module, id)) else {
                break;
            };
            if !matches!(node.kind, "DICompositeType" | "DINamespace") {
                break;
            }
            if let Some(outer) = node.text("name") {
                name = format!("{outer}::{name}");
            }
            scope = node.node("scope");
        }
        Some(name)
    }

    /// A `DIGlobalVariableExpression` or `DIGlobalVariable`.
    pub(super) fn variable(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
    ) -> Option<VariableInfo> {
        let mut node = self.node(module, id)?;
        if let Some(variable) = node.node("var") {
            node = self.node(module, variable)?;
        }
        let mut function = None;
        let mut scope = node.node("scope");
        for _ in 0..MAX_DEPTH {
            let Some(outer) = scope.and_then(|id| self.node(module, id)) else {
                break;
            };
            if outer.kind == "DISubprogram" {
                function = self.function_name(module, outer);
                break;
            }
            scope = outer.node("scope");
        }
        Some(VariableInfo {
            name: node.text("name").map(|name| name.into_owned()),
            function,
            ty: self.type_field(program, module, node, "type"),
            location: self.declared_at(program, module, node),
        })
    }

    /// A `DILocalVariable`.
    pub(super) fn local(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
    ) -> Option<ir::LocalVariable> {
        let node = self.node(module, id)?;
        let name = node.text("name")?.into_owned();
        // The length of a variable-length array is no variable of the user's.
        if name.starts_with("__vla_expr") {
            return None;
        }
        Some(ir::LocalVariable {
            name,
            ty: self.type_field(program, module, node, "type"),
            location: self.declared_at(program, module, node),
        })
    }

    /// The name of a `DILabel`.
    pub(super) fn label(&self, module: usize, id: NodeId) -> Option<Cow<'a, str>> {
        self.node(module, id)?.text("name")
    }

    // Types.

    fn type_field(
        &mut self,
        program: &mut Program,
        module: usize,
        node: &Node<'a>,
        field: &str,
    ) -> Option<SourceTypeId> {
        let id = node.node(field)?;
        self.source_type(program, module, id)
    }

    pub(super) fn source_type(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
    ) -> Option<SourceTypeId> {
        let mut unfinished = Vec::new();
        let ty = self.translate(program, module, id, MAX_DEPTH, &mut unfinished);
        // Members are translated here rather than by recursion, because a chain
        // of records can be as long as the program.
        while let Some(record) = unfinished.pop() {
            let members = self.members(program, module, record.node, &mut unfinished);
            if let SourceType::Record { members: place, .. } = &mut program.source_types[record.id]
            {
                *place = members;
            }
        }
        ty
    }

    fn translate(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
        depth: u32,
        unfinished: &mut Vec<Unfinished>,
    ) -> Option<SourceTypeId> {
        if let Some(ty) = self.modules[module].types.get(&id) {
            return Some(*ty);
        }
        let depth = depth.checked_sub(1)?;
        let node = self.node(module, id)?;
        let name = node.text("name").map(|name| name.into_owned());
        let bytes = node.unsigned("size").unwrap_or(0) / 8;
        let tag = node.word("tag").unwrap_or_default();
        let mut target = |this: &mut Self, program: &mut Program| {
            let base = node.node("baseType")?;
            this.translate(program, module, base, depth, unfinished)
        };
        let ty = match (node.kind, tag) {
            ("DIBasicType", _) => SourceType::Base {
                name: name.unwrap_or_default(),
                bytes,
                encoding: encoding(node.word("encoding").unwrap_or_default()),
            },
            (
                "DIDerivedType",
                "DW_TAG_pointer_type" | "DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type",
            ) => {
                let bytes = if bytes == 0 {
                    program.target.pointer_bytes
                } else {
                    bytes
                };
                let to = target(self, program);
                SourceType::Pointer { to, bytes }
            }
            ("DIDerivedType", "DW_TAG_ptr_to_member_type") => SourceType::Opaque {
                name: "pointer to member".into(),
            },
            ("DIDerivedType", "DW_TAG_typedef") => {
                let to = target(self, program);
                SourceType::Alias { name, to }
            }
            ("DIDerivedType", _) => {
                let to = target(self, program);
                SourceType::Alias { name: None, to }
            }
            ("DICompositeType", "DW_TAG_array_type") => {
                let mut element = target(self, program)?;
                let mut counts = self.array_counts(module, node);
                // Outermost dimension first in the list, so built from the back.
                let outermost = counts.first().copied();
                for count in counts.drain(1.min(counts.len())..).rev() {
                    element = self.intern(program, SourceType::Array { element, count });
                }
                let count = outermost.unwrap_or(None);
                SourceType::Array { element, count }
            }
            ("DICompositeType", "DW_TAG_enumeration_type") => SourceType::Enum {
                name,
                bytes,
                values: self.enumerators(module, node),
            },
            ("DICompositeType", _) => {
                if node.has_flag("DIFlagFwdDecl") {
                    SourceType::Opaque {
                        name: name.unwrap_or_default(),
                    }
                } else {
                    return Some(self.record(program, module, id, node, unfinished));
                }
            }
            ("DISubroutineType", _) => SourceType::Opaque {
                name: "function".into(),
            },
            _ => SourceType::Opaque {
                name: name.unwrap_or_default(),
            },
        };
        let ty = self.intern(program, ty);
        self.modules[module].types.insert(id, ty);
        Some(ty)
    }

    fn intern(&mut self, program: &mut Program, ty: SourceType) -> SourceTypeId {
        if let Some(id) = self.types.get(&ty) {
            return *id;
        }
        let id = program.source_types.push(ty.clone());
        self.types.insert(ty, id);
        id
    }

    fn record(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
        node: &Node<'a>,
        unfinished: &mut Vec<Unfinished>,
    ) -> SourceTypeId {
        let name = node.text("name").map(|name| name.into_owned());
        let is_union = node.word("tag") == Some("DW_TAG_union_type");
        let bytes = node.unsigned("size").unwrap_or(0) / 8;
        let declared = self.declared_at(program, module, node);
        // Several anonymous records can stand on one line, and two blocks of a
        // line can declare different records of one name.
        let is_local = node
            .node("scope")
            .and_then(|scope| self.node(module, scope));
        let is_local =
            is_local.is_some_and(|scope| scope.kind != "DIFile" && scope.kind != "DINamespace");
        let unique = name.is_none() || declared.is_none() || is_local;
        let key = RecordKey {
            name: name.clone(),
            is_union,
            bytes,
            declared,
            unique: unique.then_some((module, id)),
        };
        let ty = match self.records.get(&key) {
            Some(ty) => *ty,
            None => {
                let ty = program.source_types.push(SourceType::Record {
                    name,
                    is_union,
                    bytes,
                    members: Vec::new(),
                });
                self.records.insert(key, ty);
                unfinished.push(Unfinished { id: ty, node: id });
                ty
            }
        };
        self.modules[module].types.insert(id, ty);
        ty
    }

    fn members(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NodeId,
        unfinished: &mut Vec<Unfinished>,
    ) -> Vec<Member> {
        let mut members = Vec::new();
        let elements = self.node(module, id).and_then(|node| node.node("elements"));
        let Some(elements) = elements.and_then(|id| self.node(module, id)) else {
            return members;
        };
        for element in elements.elements() {
            let Field::Node(element) = element else {
                continue;
            };
            let Some(node) = self.node(module, *element) else {
                continue;
            };
            let tag = node.word("tag").unwrap_or_default();
            let is_inherited = tag == "DW_TAG_inheritance";
            if !is_inherited && tag != "DW_TAG_member" || node.has_flag("DIFlagStaticMember") {
                continue;
            }
            let Some(base) = node.node("baseType") else {
                continue;
            };
            let Some(ty) = self.translate(program, module, base, MAX_DEPTH, unfinished) else {
                continue;
            };
            let name = match node.text("name") {
                Some(name) if !is_inherited => name.into_owned(),
                _ => String::new(),
            };
            let base_bits = || {
                self.node(module, base)
                    .and_then(|base| base.unsigned("size"))
            };
            members.push(Member {
                name,
                bit_offset: node.unsigned("offset").unwrap_or(0),
                bit_size: node.unsigned("size").or_else(base_bits).unwrap_or(0),
                ty,
            });
        }
        members
    }

    fn array_counts(&self, module: usize, node: &Node<'a>) -> Vec<Option<u64>> {
        let elements = node.node("elements").and_then(|id| self.node(module, id));
        let mut counts = Vec::new();
        for element in elements.into_iter().flat_map(|node| node.elements()) {
            if let Field::Node(id) = element
                && let Some(range) = self.node(module, *id)
                && range.kind == "DISubrange"
            {
                counts.push(range.unsigned("count"));
            }
        }
        counts
    }

    fn enumerators(&self, module: usize, node: &Node<'a>) -> Vec<(String, i128)> {
        let elements = node.node("elements").and_then(|id| self.node(module, id));
        let mut values = Vec::new();
        for element in elements.into_iter().flat_map(|node| node.elements()) {
            if let Field::Node(id) = element
                && let Some(node) = self.node(module, *id)
                && let (Some(name), Some(value)) = (node.text("name"), node.int("value"))
            {
                values.push((name.into_owned(), value));
            }
        }
        values
    }

    /// The record that the LLVM type `%struct.name` of `bytes` bytes stands for:
    /// the only one of that name, or the only one that also has the same size.
    pub(super) fn record_of_struct(
        &mut self,
        program: &mut Program,
        module: usize,
        id: NamedTypeId,
        name: &str,
        bytes: Option<u64>,
    ) -> Option<SourceTypeId> {
        if let Some(known) = self.modules[module].records_by_struct.get(&id) {
            return *known;
        }
        let record = self.find_record(program, module, name, bytes);
        self.modules[module].records_by_struct.insert(id, record);
        record
    }

    fn find_record(
        &mut self,
        program: &mut Program,
        module: usize,
        name: &str,
        bytes: Option<u64>,
    ) -> Option<SourceTypeId> {
        let name = ["struct.", "union.", "class."]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))?;
        let by_name = &self.modules[module].records_by_name;
        // `%struct.node.3` is the third type of that name.
        let stripped = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let stripped = stripped.strip_suffix('.').unwrap_or(name);
        let unqualified = last_component(stripped);
        let candidates = [name, stripped, unqualified];
        let nodes = candidates
            .iter()
            .find_map(|name| by_name.get(*name))?
            .clone();
        let mut found: Vec<SourceTypeId> = Vec::new();
        for node in nodes {
            if let Some(ty) = self.source_type(program, module, node)
                && !found.contains(&ty)
            {
                found.push(ty);
            }
        }
        if let [only] = found.as_slice() {
            return Some(*only);
        }
        found.retain(|ty| program.source_size(*ty) == bytes && bytes.is_some());
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

/// `Inner` of `outer::Inner`; colons between angle brackets do not count.
fn last_component(name: &str) -> &str {
    let plain = name.find('<').unwrap_or(name.len());
    name[..plain]
        .rfind("::")
        .map_or(name, |colons| &name[colons + 2..])
}

fn encoding(name: &str) -> Encoding {
    match name {
        "DW_ATE_boolean" => Encoding::Bool,
        "DW_ATE_float" | "DW_ATE_complex_float" => Encoding::Float,
        "DW_ATE_signed_char" => Encoding::Char { signed: true },
        "DW_ATE_unsigned_char" | "DW_ATE_UTF" => Encoding::Char { signed: false },
        "DW_ATE_unsigned" | "DW_ATE_address" => Encoding::Unsigned,
        _ => Encoding::Signed,
    }
}

impl<'m, 'a> ModuleInfo<'m, 'a> {
    fn new(source: &'m Source<'a>, metadata: &'m Metadata<'a>) -> Self {
        let mut info = ModuleInfo {
            source,
            metadata,
            directory: String::new(),
            files: HashMap::new(),
            locations: vec![None; metadata.len()],
            types: HashMap::new(),
            records_by_name: HashMap::new(),
            records_by_struct: HashMap::new(),
        };
        for (id, node) in metadata.iter() {
            match node.kind {
                "DICompileUnit" if info.directory.is_empty() => {
                    let file = node.node("file").and_then(|file| metadata.get(file));
                    let directory = file.and_then(|file| file.text("directory"));
                    info.directory = directory.unwrap_or_default().into_owned();
                }
                "DICompositeType" if is_record_definition(node) => {
                    if let Some(name) = node.text("name") {
                        // LLVM's struct types do not say what a template is for.
                        if let Some((template, _)) = name.split_once('<') {
                            info.add_record(template.to_owned(), id);
                        }
                        info.add_record(name.into_owned(), id);
                    }
                }
                "DIDerivedType" if node.word("tag") == Some("DW_TAG_typedef") => {
                    let Some(target) = node.node("baseType") else {
                        continue;
                    };
                    let is_anonymous = metadata.get(target).is_some_and(|record| {
                        is_record_definition(record) && record.text("name").is_none()
                    });
                    if let Some(name) = node.text("name").filter(|_| is_anonymous) {
                        info.add_record(name.into_owned(), target);
                    }
                }
                _ => {}
            }
        }
        info
    }

    fn add_record(&mut self, name: String, id: NodeId) {
        self.records_by_name.entry(name).or_default().push(id);
    }

    /// The path of a `DIFile` as the user would write it.
    fn path(&self, node: &Node<'a>) -> Option<String> {
        let name = node.text("filename")?.into_owned();
        let directory = node.text("directory").unwrap_or_default();
        let path = self.source.display_path(name, &directory, &self.directory);
        Some(path)
    }
}

fn is_record_definition(node: &Node<'_>) -> bool {
    let is_record = matches!(
        node.word("tag"),
        Some("DW_TAG_structure_type" | "DW_TAG_class_type" | "DW_TAG_union_type")
    );
    node.kind == "DICompositeType" && is_record && !node.has_flag("DIFlagFwdDecl")
}
