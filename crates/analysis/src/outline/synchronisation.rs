//! Locks and other synchronisation objects, found by the types of variables.

use super::source_order;
use cranelift_entity::EntitySet;
use ir::{FunctionId, GlobalId, LocalId, Location, Program, SourceType, SourceTypeId};

/// An object that threads synchronise with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncObject {
    pub owner: Owner,
    /// Where it is in its owner: `.queue.lock`, `.forks[]`; empty for the whole.
    pub path: String,
    pub kind: SyncKind,
    pub location: Option<Location>,
}

/// What a synchronisation object is, or is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Global(GlobalId),
    Local(FunctionId, LocalId),
    /// Objects of this type that are no variables, for instance on the heap: a
    /// record, or a typedef of one without a tag.
    Record(SourceTypeId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncKind {
    Mutex,
    Condition,
    RwLock,
    Barrier,
    Spin,
    Semaphore,
    Once,
    Key,
}

impl SyncKind {
    pub fn name(self) -> &'static str {
        match self {
            SyncKind::Mutex => "mutex",
            SyncKind::Condition => "condition variable",
            SyncKind::RwLock => "read-write lock",
            SyncKind::Barrier => "barrier",
            SyncKind::Spin => "spin lock",
            SyncKind::Semaphore => "semaphore",
            SyncKind::Once => "once control",
            SyncKind::Key => "thread-specific key",
        }
    }

    /// The kind behind the name of a type of `pthread.h`, `semaphore.h` or
    /// `threads.h`.
    fn of_type_name(name: &str) -> Option<SyncKind> {
        Some(match name {
            "pthread_mutex_t" | "mtx_t" => SyncKind::Mutex,
            "pthread_cond_t" | "cnd_t" => SyncKind::Condition,
            "pthread_rwlock_t" => SyncKind::RwLock,
            "pthread_barrier_t" => SyncKind::Barrier,
            "pthread_spinlock_t" => SyncKind::Spin,
            "sem_t" => SyncKind::Semaphore,
            "pthread_once_t" | "once_flag" => SyncKind::Once,
            "pthread_key_t" | "tss_t" => SyncKind::Key,
            _ => return None,
        })
    }
}

/// The kind of a type, through typedefs: `None` if it is no synchronisation
/// object itself, even if it contains some.
fn kind_of(program: &Program, mut ty: SourceTypeId) -> Option<SyncKind> {
    // Malformed debug information could be cyclic; give up after a while.
    for _ in 0..64 {
        let SourceType::Alias { name, to } = &program.source_types[ty] else {
            return None;
        };
        let kind = name.as_deref().and_then(SyncKind::of_type_name);
        if kind.is_some() {
            return kind;
        }
        ty = (*to)?;
    }
    None
}

/// Whether objects of the type are synchronisation objects, or arrays of them.
pub(super) fn is_all_synchronisation(program: &Program, ty: SourceTypeId) -> bool {
    kind_of(program, ty).is_some()
        || match program
            .strip_aliases(ty)
            .map(|ty| &program.source_types[ty])
        {
            Some(SourceType::Array { element, .. }) => is_all_synchronisation(program, *element),
            _ => false,
        }
}

/// All of the program's, those of local variables only in `functions`: first
/// globals, then locals, then what there is in records besides.
pub(super) fn sync_objects(program: &Program, functions: &[FunctionId]) -> Vec<SyncObject> {
    let mut finder = Finder {
        program,
        met: EntitySet::new(),
        found: Vec::new(),
    };
    for (id, global) in program.globals.iter() {
        if let Some(ty) = global.ty.filter(|_| !global.is_external) {
            finder.variable(Owner::Global(id), ty, global.location);
        }
    }
    finder
        .found
        .sort_by_key(|object| source_order(object.location));
    for function in functions {
        let bodies = program.functions[*function].body.iter();
        for (id, local) in bodies.flat_map(|body| body.locals.iter()) {
            if let Some(ty) = local.ty {
                finder.variable(Owner::Local(*function, id), ty, local.location);
            }
        }
    }
    finder.other_records();
    finder.found
}

struct Finder<'p> {
    program: &'p Program,
    /// Records that were part of a variable.
    met: EntitySet<SourceTypeId>,
    found: Vec<SyncObject>,
}

impl<'p> Finder<'p> {
    fn variable(&mut self, owner: Owner, ty: SourceTypeId, location: Option<Location>) {
        let mut parts = Vec::new();
        self.parts(ty, String::new(), 64, &mut parts);
        let objects = parts.into_iter().map(|(path, kind)| SyncObject {
            owner,
            path,
            kind,
            location,
        });
        self.found.extend(objects);
    }

    /// Records that are part of no variable. Of those that contain each other
    /// only the outer one counts.
    fn other_records(&mut self) {
        let outer_records = std::mem::take(&mut self.met);
        let mut inner_records = EntitySet::new();
        let mut found: Vec<(&str, SourceTypeId, SyncObject)> = Vec::new();
        for (name, named, record) in self.named_records() {
            let mut parts = Vec::new();
            self.parts_of_record(record, String::new(), 64, &mut parts);
            let met = std::mem::take(&mut self.met);
            met.iter().filter(|met| *met != record).for_each(|inner| {
                inner_records.insert(inner);
            });
            found.extend(parts.into_iter().map(|(path, kind)| {
                let object = SyncObject {
                    owner: Owner::Record(named),
                    path,
                    kind,
                    location: None,
                };
                (name, record, object)
            }));
        }
        found.retain(|(_, record, _)| {
            !outer_records.contains(*record) && !inner_records.contains(*record)
        });
        // The order of types means nothing, that of their names does.
        found.sort_by_key(|(name, ..)| *name);
        let objects = found.into_iter().map(|(.., object)| object);
        self.found.extend(objects);
    }

    /// What users call records, a tag or the name of a typedef, with the type of
    /// that name and the record itself.
    fn named_records(&self) -> Vec<(&'p str, SourceTypeId, SourceTypeId)> {
        let types = &self.program.source_types;
        let named = types.iter().filter_map(|(id, ty)| match ty {
            SourceType::Record { name, .. } => Some((name.as_deref()?, id, id)),
            SourceType::Alias { name, .. } if kind_of(self.program, id).is_none() => {
                let record = self.program.strip_aliases(id)?;
                let is_without_tag =
                    matches!(&types[record], SourceType::Record { name: None, .. });
                Some((name.as_deref()?, id, record)).filter(|_| is_without_tag)
            }
            _ => None,
        });
        named.collect()
    }

    /// The synchronisation objects in an object of type `ty`, with their paths.
    fn parts(
        &mut self,
        ty: SourceTypeId,
        path: String,
        depth: u32,
        found: &mut Vec<(String, SyncKind)>,
    ) {
        if let Some(kind) = kind_of(self.program, ty) {
            found.push((path, kind));
            return;
        }
        let (Some(ty), Some(depth)) = (self.program.strip_aliases(ty), depth.checked_sub(1)) else {
            return;
        };
        match &self.program.source_types[ty] {
            SourceType::Array { element, .. } => {
                self.parts(*element, format!("{path}[]"), depth, found);
            }
            SourceType::Record { .. } => self.parts_of_record(ty, path, depth, found),
            _ => {}
        }
    }

    fn parts_of_record(
        &mut self,
        record: SourceTypeId,
        path: String,
        depth: u32,
        found: &mut Vec<(String, SyncKind)>,
    ) {
        self.met.insert(record);
        if let SourceType::Record { members, .. } = &self.program.source_types[record] {
            for member in members {
                let path = match member.name.as_str() {
                    "" => path.clone(),
                    name => format!("{path}.{name}"),
                };
                self.parts(member.ty, path, depth, found);
            }
        }
    }
}
