//! An outline of a program as text: a section per kind of thing, with one line
//! for each, in columns. Sections without content are left out.

use crate::columns::section;
use crate::{group_digits, plural};
use analysis::Outline;
use analysis::outline::{Access, Creation, Owner, SharedObject, Site, Start, Thread};
use ir::{FunctionId, Location, Program, SourceType, SourceTypeId};

/// Lists of names are wrapped before this column.
const WIDTH: usize = 80;

/// The whole outline. Locations are as the compiler was given the files.
pub fn render_outline(program: &Program, outline: &Outline) -> String {
    let page = Page { program, outline };
    let sections = [
        page.threads(),
        page.objects(),
        page.allocations(),
        page.sync_objects(),
        page.functions(),
        page.loops(),
        page.library(),
        page.unknown(),
        page.unsupported(),
    ];
    let sections: Vec<String> = sections.into_iter().flatten().collect();
    sections.join("\n")
}

/// A type as one would write it in C, without a name: `struct node *`, `int [10]`.
pub(crate) fn type_text(program: &Program, ty: SourceTypeId) -> String {
    declaration(program, Some(ty), String::new(), 64)
}

/// The declaration of `declarator`, which may be empty, as something of type `ty`.
fn declaration(
    program: &Program,
    ty: Option<SourceTypeId>,
    declarator: String,
    depth: u32,
) -> String {
    let with = |specifier: &str| match declarator.as_str() {
        "" => specifier.to_owned(),
        declarator => format!("{specifier} {declarator}"),
    };
    let Some(ty) = ty else {
        return with("void");
    };
    // Malformed debug information could be cyclic; give up after a while.
    let Some(depth) = depth.checked_sub(1) else {
        return with("...");
    };
    match &program.source_types[ty] {
        SourceType::Base { name, .. } => with(name),
        SourceType::Alias {
            name: Some(name), ..
        } => with(name),
        // What kind of qualifier it is has been forgotten.
        SourceType::Alias { name: None, to } => declaration(program, *to, declarator, depth),
        SourceType::Record { name, is_union, .. } => {
            let keyword = if *is_union { "union" } else { "struct" };
            with(&tagged(keyword, name.as_deref()))
        }
        SourceType::Enum { name, .. } => with(&tagged("enum", name.as_deref())),
        SourceType::Pointer { to, .. } => match to.map(|to| &program.source_types[to]) {
            Some(SourceType::Array { .. }) => {
                declaration(program, *to, format!("(*{declarator})"), depth)
            }
            _ => declaration(program, *to, format!("*{declarator}"), depth),
        },
        SourceType::Array { element, count } => {
            let count = count.map_or(String::new(), |count| count.to_string());
            let declarator = format!("{declarator}[{count}]");
            declaration(program, Some(*element), declarator, depth)
        }
        SourceType::Opaque { name } if name.is_empty() => with("unknown type"),
        SourceType::Opaque { name } => with(name),
    }
}

fn tagged(keyword: &str, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{keyword} {name}"),
        None => format!("{keyword} {{...}}"),
    }
}

struct Page<'p> {
    program: &'p Program,
    outline: &'p Outline,
}

impl Page<'_> {
    fn threads(&self) -> Option<String> {
        let rows = self.outline.threads.iter().enumerate();
        let rows = rows.map(|(index, thread)| {
            let defined = match thread.start {
                Start::Function(function) => {
                    self.location(self.program.functions[function].location)
                }
                Start::Chosen(_) => String::new(),
            };
            vec![
                index.to_string(),
                self.thread_name(thread),
                defined,
                self.creations(thread),
                positions(thread.positions),
            ]
        });
        let mut text = section(
            "Threads and their positions (each loop counted once)",
            rows.collect(),
            &[0, 4],
        )?;
        for (index, thread) in self.outline.threads.iter().enumerate() {
            if let Start::Chosen(functions) = &thread.start {
                let names: Vec<&str> = functions.iter().map(|f| self.function_name(*f)).collect();
                let candidates = match names.as_slice() {
                    [] => "no known function".to_owned(),
                    [name] => (*name).to_owned(),
                    names => format!("one of {}", names.join(", ")),
                };
                text.push_str(&format!("  Thread {index} runs {candidates}.\n"));
            }
        }
        Some(text)
    }

    fn thread_name(&self, thread: &Thread) -> String {
        match &thread.start {
            Start::Function(function) => self.function_name(*function).to_owned(),
            Start::Chosen(_) => "a function chosen at run time".to_owned(),
        }
    }

    fn creations(&self, thread: &Thread) -> String {
        if thread.created.is_empty() {
            return "where the program starts".to_owned();
        }
        let creation = |creation: &Creation| {
            let location = match creation.location {
                Some(location) => self.program.describe_location(location),
                None => "an unknown place".to_owned(),
            };
            let suffix = if creation.is_in_loop {
                " (in a loop)"
            } else {
                ""
            };
            format!("{location}{suffix}")
        };
        let sites: Vec<String> = thread.created.iter().map(creation).collect();
        format!("created at {}", sites.join(", "))
    }

    fn objects(&self) -> Option<String> {
        let rows = self.outline.objects.iter().map(|object| {
            let global = &self.program.globals[object.global];
            vec![
                self.name(Owner::Global(object.global), ""),
                global
                    .ty
                    .map_or(String::new(), |ty| type_text(self.program, ty)),
                count(global.bytes, "byte"),
                self.location(global.location),
                self.uses(object),
            ]
        });
        section("Shared objects", rows.collect(), &[2])
    }

    /// Who does what; threads that do the same are named together.
    fn uses(&self, object: &SharedObject) -> String {
        let mut groups: Vec<(Access, Vec<&str>)> = Vec::new();
        for used in &object.uses {
            let name = match &self.outline.threads[used.thread].start {
                Start::Function(function) => self.function_name(*function),
                Start::Chosen(_) => "a chosen function",
            };
            match groups.iter_mut().find(|(access, _)| *access == used.access) {
                Some((_, names)) => names.push(name),
                None => groups.push((used.access, vec![name])),
            }
        }
        let mut uses: Vec<String> = groups
            .iter()
            .filter_map(|(access, names)| {
                let verbs = verbs(*access, names.len() > 1)?;
                Some(format!("{} {verbs}", some_names(names)))
            })
            .collect();
        if object.is_in_initial_value {
            uses.push("by pointer from initial values".to_owned());
        }
        uses.join("; ")
    }

    fn allocations(&self) -> Option<String> {
        let rows = self.outline.allocations.iter();
        section(
            "Heap objects",
            rows.map(|site| self.site(site)).collect(),
            &[],
        )
    }

    fn sync_objects(&self) -> Option<String> {
        let rows = self.outline.sync_objects.iter().map(|object| {
            vec![
                self.name(object.owner, &object.path),
                object.kind.name().to_owned(),
                self.location(object.location),
            ]
        });
        section("Synchronisation objects", rows.collect(), &[])
    }

    /// `queue.lock`, or `queue.lock (in main)` if it is known in `main` only.
    fn name(&self, owner: Owner, path: &str) -> String {
        let (name, function) = match owner {
            Owner::Global(id) => {
                let global = &self.program.globals[id];
                let name = global.name.as_ref().unwrap_or(&global.symbol);
                (name.clone(), global.function.as_ref())
            }
            Owner::Local(function, local) => {
                let function = &self.program.functions[function];
                let body = function.body.as_ref();
                let name = body.map_or(String::new(), |body| body.locals[local].name.clone());
                (name, Some(&function.name))
            }
            Owner::Record(ty) => (type_text(self.program, ty), None),
        };
        match function {
            Some(function) => format!("{name}{path} (in {function})"),
            None => format!("{name}{path}"),
        }
    }

    /// Only of interest when threads run other functions than their first one.
    fn functions(&self) -> Option<String> {
        let starts = |function: &FunctionId| {
            let mut threads = self.outline.threads.iter();
            threads.any(|thread| thread.start == Start::Function(*function))
        };
        if self
            .outline
            .functions
            .iter()
            .all(|outline| starts(&outline.function))
        {
            return None;
        }
        let rows = self.outline.functions.iter().map(|outline| {
            vec![
                self.function_name(outline.function).to_owned(),
                self.location(self.program.functions[outline.function].location),
                positions(outline.positions),
            ]
        });
        section(
            "Functions and their positions (without those they call)",
            rows.collect(),
            &[2],
        )
    }

    fn loops(&self) -> Option<String> {
        let functions = self.outline.functions.iter();
        let loops = functions.flat_map(|function| &function.loops);
        let rows = loops.map(|a_loop| vec![a_loop.name.clone(), self.location(a_loop.location)]);
        section("Loops", rows.collect(), &[])
    }

    fn library(&self) -> Option<String> {
        let mut names: Vec<&str> = self
            .outline
            .library
            .iter()
            .map(|function| self.function_name(*function))
            .collect();
        names.sort_unstable();
        let mut lines: Vec<String> = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let comma = if index + 1 < names.len() { "," } else { "" };
            match lines.last_mut() {
                Some(line) if line.len() + name.len() + 2 < WIDTH => {
                    line.push_str(&format!(" {name}{comma}"));
                }
                _ => lines.push(format!("  {name}{comma}")),
            }
        }
        let text = lines.join("\n");
        (!names.is_empty()).then(|| format!("Library functions\n{text}\n"))
    }

    fn unknown(&self) -> Option<String> {
        let rows = self.outline.unknown.iter();
        section(
            "Unknown functions",
            rows.map(|site| self.site(site)).collect(),
            &[],
        )
    }

    fn unsupported(&self) -> Option<String> {
        let rows = self.outline.unsupported.iter().map(|item| {
            vec![
                self.location(item.location),
                format!("in {}", self.function_name(item.function)),
                item.what.clone(),
            ]
        });
        section("Not supported", rows.collect(), &[])
    }

    fn site(&self, site: &Site) -> Vec<String> {
        vec![
            self.function_name(site.callee).to_owned(),
            self.location(site.location),
            format!("in {}", self.function_name(site.caller)),
        ]
    }

    fn function_name(&self, function: FunctionId) -> &str {
        &self.program.functions[function].name
    }

    /// Empty if it is not known.
    fn location(&self, location: Option<Location>) -> String {
        location.map_or(String::new(), |location| {
            self.program.describe_location(location)
        })
    }
}

/// `None` if nothing is done.
fn verbs(access: Access, is_plural: bool) -> Option<String> {
    let ending = if is_plural { "" } else { "s" };
    let mut verbs = Vec::new();
    if access.reads {
        verbs.push(format!("read{ending}"));
    }
    if access.writes {
        verbs.push(format!("write{ending}"));
    }
    if access.by_pointer {
        verbs.push("by pointer".to_owned());
    }
    (!verbs.is_empty()).then(|| verbs.join(", "))
}

/// The first few names, and how many there are besides.
fn some_names(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    match names.get(SHOWN..) {
        Some(rest @ [_, _, ..]) => {
            format!("{} and {} more", names[..SHOWN].join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}

fn positions(number: u64) -> String {
    if number < Outline::MOST_POSITIONS {
        return count(number, "position");
    }
    format!("{} positions or more", group_digits(u128::from(number)))
}

/// A number with a unit, for a column that is aligned to the right: singulars
/// get as wide as plurals.
fn count(number: u64, unit: &str) -> String {
    let padding = if number == 1 { " " } else { "" };
    format!("{}{padding}", plural(u128::from(number), unit))
}
