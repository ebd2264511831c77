//! Names and values in the user's terms: `queue.items[2] = 5`, `&node.next`,
//! `NULL`, who waits for what. For messages only; nothing here has an influence
//! on a run.

use crate::extended;
use crate::image::Code;
use crate::machine::Machine;
use crate::memory::{ObjectId, Origin};
use crate::sync::SyncKey;
use crate::thread::{Thread, Wait};
use crate::value::{self, Pointer, Value};
use ir::{Encoding, Location, Op, Place, SourceType, SourceTypeId, Type, describe_offset};

impl<'a> Machine<'a> {
    /// The name of a global variable.
    pub(crate) fn global_name(&self, object: ObjectId) -> Option<String> {
        match self.memory.even_dead(object)?.origin {
            Origin::Global(id) | Origin::ThreadLocal(id) => {
                let global = &self.image.program.globals[id];
                Some(global.name.clone().unwrap_or_else(|| global.symbol.clone()))
            }
            _ => None,
        }
    }

    /// The variable, member or element at a place in memory.
    pub(crate) fn place(&self, object: ObjectId, offset: u64, len: u64) -> Place {
        let name = self.object_name(object);
        let Some(data) = self.memory.even_dead(object) else {
            return Place {
                path: name,
                ty: None,
            };
        };
        let Some(ty) = data.ty else {
            let path = match offset {
                0 => name,
                _ => format!("{name}+{offset}"),
            };
            return Place { path, ty: None };
        };
        let program = self.image.program;
        // A heap block whose type is known from its use may hold several of them.
        let element_size = program.source_size(ty).filter(|size| *size > 0);
        let (index, offset) = match element_size {
            Some(size) if data.size > size && matches!(data.origin, Origin::Heap(_)) => {
                (format!("[{}]", offset / size), offset % size)
            }
            _ => (String::new(), offset),
        };
        let inner = describe_offset(program, ty, offset, len);
        Place {
            path: format!("{name}{index}{}", inner.path),
            ty: inner.ty,
        }
    }

    /// The name of a synchronisation object.
    pub(crate) fn place_of(&self, (object, offset): SyncKey) -> String {
        self.place(object, offset, 1).path
    }

    pub(crate) fn object_name(&self, object: ObjectId) -> String {
        let program = self.image.program;
        let Some(data) = self.memory.even_dead(object) else {
            return "a local variable that is gone".to_owned();
        };
        match &data.origin {
            Origin::Global(id) | Origin::ThreadLocal(id) => {
                let global = &program.globals[*id];
                match &global.name {
                    Some(name) => name.clone(),
                    None if global.is_constant => "a constant".to_owned(),
                    None => global.symbol.clone(),
                }
            }
            Origin::Local(function, inst) => {
                let function = &program.functions[*function];
                let variable =
                    function
                        .body
                        .as_ref()
                        .and_then(|body| match &body.insts[*inst].op {
                            Op::Local {
                                variable: Some(variable),
                                ..
                            } => Some(body.locals[*variable].name.clone()),
                            _ => None,
                        });
                variable.unwrap_or_else(|| format!("a temporary of {}", function.name))
            }
            Origin::Heap(location) => {
                let ordinal = match self.memory.ordinal_at_site(object) {
                    0 | 1 => String::new(),
                    ordinal => format!("#{ordinal}"),
                };
                match location {
                    Some(location) => {
                        format!("heap{ordinal}@{}", self.short_location(*location))
                    }
                    None => format!("heap{ordinal}"),
                }
            }
            Origin::Environment(what) => (*what).to_owned(),
        }
    }

    /// The file's last part and the line.
    fn short_location(&self, location: Location) -> String {
        let path = &self.image.program.files[location.file];
        let name = path.rsplit('/').next().unwrap_or(path);
        format!("{name}:{}", location.line)
    }

    pub(crate) fn allocation_site(&self, object: ObjectId) -> Option<Location> {
        match self.memory.even_dead(object)?.origin {
            Origin::Heap(location) => location,
            _ => None,
        }
    }

    pub(crate) fn format_value(
        &self,
        source: Option<SourceTypeId>,
        ty: &Type,
        value: &Value,
    ) -> String {
        let program = self.image.program;
        let width = self.width(ty);
        let bits = value.bits();
        let stripped = source.and_then(|ty| program.strip_aliases(ty));
        if let Some(stripped) = stripped {
            match &program.source_types[stripped] {
                SourceType::Base { encoding, .. } if !matches!(ty, Type::Pointer) => {
                    return format_base(*encoding, ty, bits, width);
                }
                SourceType::Enum { values, .. } => {
                    let number = value::sign_extend(bits, width);
                    let named = values.iter().find(|(_, value)| *value == number);
                    if let Some((name, _)) = named {
                        return name.clone();
                    }
                }
                SourceType::Pointer { .. } if ty.is_int() => {
                    let pointer = self.memory.resolve(value.low_bits());
                    return self.format_pointer(pointer);
                }
                _ => {}
            }
        }
        match (ty, value) {
            (_, Value::Pointer(pointer)) => self.format_pointer(*pointer),
            (Type::Tuple(tuple), Value::Tuple(fields)) => {
                let fields = tuple
                    .fields
                    .iter()
                    .zip(fields.iter())
                    .map(|((_, ty), field)| self.format_value(None, ty, field));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
            (Type::Float | Type::Double, _) => format_base(Encoding::Float, ty, bits, width),
            _ => format_base(Encoding::Signed, ty, bits, width),
        }
    }

    pub(crate) fn format_pointer(&self, pointer: Pointer) -> String {
        if pointer.address == 0 {
            return "NULL".to_owned();
        }
        if let Some(Code::Function(function)) = self.image.code_at(pointer.address) {
            return self.image.program.functions[function].name.clone();
        }
        match self.memory.offset(pointer) {
            Some((object, offset)) if offset >= 0 => {
                // A pointer to the start of an array or record means the whole.
                let place = match offset {
                    0 => self.object_name(object),
                    _ => self.place(object, offset as u64, 1).path,
                };
                format!("&{place}")
            }
            Some((object, offset)) => format!("&{}{offset}", self.object_name(object)),
            None => format!("{:#x}", pointer.address),
        }
    }

    /// A pointer to a heap block is stored in a variable of pointer type: now we
    /// know what the block is.
    pub(crate) fn learn_type(&mut self, object: ObjectId, offset: u64, pointer: Pointer) {
        let Some(target) = pointer.object.filter(|target| self.lacks_type(*target)) else {
            return;
        };
        let place = self.place(object, offset, self.memory.pointer_bytes);
        let program = self.image.program;
        let stripped = place.ty.and_then(|ty| program.strip_aliases(ty));
        if let Some(SourceType::Pointer { to: Some(to), .. }) =
            stripped.map(|ty| &program.source_types[ty])
        {
            let size = program.source_size(*to);
            // `char *` is often just bytes.
            if size.is_some_and(|size| size > 1) {
                self.memory.set_type(target, *to);
            }
        }
    }

    /// A heap block is used as a record.
    pub(crate) fn learn_record(&mut self, object: ObjectId, record: SourceTypeId) {
        if self.lacks_type(object) {
            self.memory.set_type(object, record);
        }
    }

    fn lacks_type(&self, object: ObjectId) -> bool {
        self.memory
            .get(object)
            .is_some_and(|data| data.ty.is_none() && matches!(data.origin, Origin::Heap(_)))
    }

    /// Who a thread waits for, for reports of deadlocks.
    pub(crate) fn describe_wait(&self, thread: &Thread) -> String {
        let held_by = |key: &SyncKey| {
            let holders: Vec<String> = self
                .sync
                .holders(*key)
                .iter()
                .map(|holder| {
                    if *holder == thread.id {
                        "itself".to_owned()
                    } else {
                        format!("thread {holder}")
                    }
                })
                .collect();
            if holders.is_empty() {
                String::new()
            } else {
                format!(", held by {}", holders.join(" and "))
            }
        };
        let named = |kind: &str, key: &SyncKey| {
            format!("waits for {kind} {}{}", self.place_of(*key), held_by(key))
        };
        let what = match &thread.pending.wait {
            Wait::Nothing => "can go on".to_owned(),
            Wait::Mutex(key) => named("mutex", key),
            Wait::Condition {
                condition, mutex, ..
            } => format!(
                "waits for condition {} (with mutex {}{})",
                self.place_of(*condition),
                self.place_of(*mutex),
                held_by(mutex)
            ),
            Wait::ReadLock(key) => named("read lock", key),
            Wait::WriteLock(key) => named("write lock", key),
            Wait::Semaphore(key) => named("semaphore", key),
            Wait::Spin(key) => named("spin lock", key),
            Wait::Barrier(key) => named("barrier", key),
            Wait::Once(key) => named("once control", key),
            Wait::Futex { place, .. } => format!("waits at futex {}", self.place_of(*place)),
            Wait::Files(demands) => self.describe_demands(demands),
            Wait::Join(target) => format!("waits for thread {target} to end"),
        };
        let at = match self.location(thread) {
            Some(location) => format!(" at {}", self.image.program.describe_location(location)),
            None => String::new(),
        };
        format!("thread {} ({}) {what}{at}", thread.id, thread.name)
    }
}

fn format_base(encoding: Encoding, ty: &Type, bits: u128, width: u32) -> String {
    let signed = value::sign_extend(bits, width);
    match encoding {
        Encoding::Float if ty.is_float() => match ty {
            Type::Float => format!("{}", f32::from_bits(bits as u32)),
            _ => format!("{}", f64::from_bits(bits as u64)),
        },
        Encoding::Float if width == 80 => format!("{}", extended::to_double(bits)),
        Encoding::Bool => (if bits & 1 == 1 { "true" } else { "false" }).to_owned(),
        Encoding::Char { signed: is_signed } => {
            let number = if is_signed { signed } else { bits as i128 };
            match u8::try_from(bits) {
                Ok(byte) if byte.is_ascii_graphic() => format!("{number} '{}'", byte as char),
                _ => number.to_string(),
            }
        }
        Encoding::Unsigned => bits.to_string(),
        Encoding::Signed | Encoding::Float => signed.to_string(),
    }
}
