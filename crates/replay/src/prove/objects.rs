//! Contents of memory objects and of synchronisation objects as words.

use super::words::{Reader, Writer};
use crate::object::{Object, ObjectId, Origin, Uninitialised};
use crate::sync::{MutexType, OnceState, Sync, SyncKind};
use cranelift_entity::EntityRef;
use ir::{FunctionId, GlobalId, InstId};

/// The names of memory that the run itself provides.
const PROVIDED: [&str; 10] = [
    "the surroundings",
    "variadic arguments",
    "an argument passed by value",
    "arguments of main",
    "errno",
    "a table of the C library",
    "stdout",
    "stderr",
    "a mapping",
    "a variable of the environment",
];

/// Writes an object; the first words, as many as are returned, say all but what it
/// holds.
pub(super) fn write_object(writer: &mut Writer, id: ObjectId, object: &Object) -> usize {
    write_origin(writer, &object.origin);
    writer.address(Some(id), object.base);
    writer.word(object.size);
    let flags = [object.is_alive, object.is_shared, object.is_constant];
    flags.into_iter().for_each(|flag| writer.flag(flag));
    let header = writer.words.len();
    if object.is_alive {
        write_bytes(writer, object);
    }
    header
}

fn write_origin(writer: &mut Writer, origin: &Origin) {
    match origin {
        Origin::Global(global) => {
            writer.word(0);
            writer.word(global.index() as u64);
        }
        Origin::Local(function, inst) => {
            writer.word(1);
            writer.word(function.index() as u64);
            writer.word(inst.index() as u64);
        }
        Origin::ThreadLocal(global) => {
            writer.word(2);
            writer.word(global.index() as u64);
        }
        Origin::Heap(location) => {
            writer.word(3);
            writer.location(*location);
        }
        Origin::Environment(name) => {
            writer.word(4);
            let index = PROVIDED.iter().position(|known| known == name);
            writer.word(index.unwrap_or(0) as u64);
        }
    }
}

fn read_origin(reader: &mut Reader) -> Origin {
    match reader.word() {
        0 => Origin::Global(GlobalId::new(reader.number())),
        1 => {
            let function = FunctionId::new(reader.number());
            Origin::Local(function, InstId::new(reader.number()))
        }
        2 => Origin::ThreadLocal(GlobalId::new(reader.number())),
        3 => Origin::Heap(reader.location()),
        _ => Origin::Environment(PROVIDED[reader.number() % PROVIDED.len()]),
    }
}

fn write_bytes(writer: &mut Writer, object: &Object) {
    let mut bytes = object.bytes.clone();
    match &object.uninitialised {
        Uninitialised::None => writer.word(0),
        Uninitialised::All => {
            writer.word(1);
            bytes.clear();
        }
        Uninitialised::Some(flags) => {
            writer.word(2);
            let flags: Vec<u8> = flags.iter().map(|flag| u8::from(*flag)).collect();
            for (byte, flag) in bytes.iter_mut().zip(&flags) {
                // What has no value must not count.
                *byte *= 1 - flag;
            }
            writer.bytes(&flags);
        }
    }
    let word = writer.memory.pointer_bytes as usize;
    for at in object.pointers.keys() {
        if let Some(bytes) = bytes.get_mut(*at as usize..*at as usize + word) {
            bytes.fill(0);
        }
    }
    writer.bytes(&bytes);
    writer.open_bytes(&bytes, &object.shadow);
    match object.shadow.iter().any(|byte| *byte != 0) {
        true => writer.bytes(&object.shadow),
        false => writer.bytes(&[]),
    }
    writer.word(object.pointers.len() as u64);
    for (at, target) in &object.pointers {
        writer.word(*at);
        writer.object(Some(*target));
        let mut buffer = [0; 8];
        let start = *at as usize;
        if let Some(bytes) = object.bytes.get(start..start + word) {
            buffer[..word].copy_from_slice(bytes);
        }
        writer.address(Some(*target), u64::from_le_bytes(buffer));
    }
}

pub(super) fn read_object(reader: &mut Reader, id: ObjectId, pointer_bytes: u64) -> Object {
    let origin = read_origin(reader);
    let base = reader.address(Some(id));
    let size = reader.word();
    let mut object = Object::new(origin, base, 0, true);
    object.size = size;
    object.is_alive = reader.flag();
    object.is_shared = reader.flag();
    object.is_constant = reader.flag();
    if !object.is_alive {
        return object;
    }
    object.uninitialised = match reader.word() {
        0 => Uninitialised::None,
        1 => Uninitialised::All,
        _ => {
            let flags = reader.bytes();
            Uninitialised::Some(flags.into_iter().map(|flag| flag != 0).collect())
        }
    };
    object.bytes = reader.bytes();
    object.bytes.resize(size as usize, 0);
    object.shadow = reader.bytes();
    let word = pointer_bytes as usize;
    for _ in 0..reader.number() {
        let at = reader.word();
        let target = reader.object();
        let address = reader.address(target);
        let start = at as usize;
        if let Some(bytes) = object.bytes.get_mut(start..start + word) {
            bytes.copy_from_slice(&address.to_le_bytes()[..word]);
        }
        if let Some(target) = target {
            object.pointers.insert(at, target);
        }
    }
    object
}

const KINDS: [SyncKind; 7] = [
    SyncKind::Mutex,
    SyncKind::Condition,
    SyncKind::RwLock,
    SyncKind::Barrier,
    SyncKind::Semaphore,
    SyncKind::Spin,
    SyncKind::Once,
];

const MUTEXES: [MutexType; 3] = [
    MutexType::Plain,
    MutexType::Recursive,
    MutexType::ErrorChecking,
];

fn position<T: PartialEq>(all: &[T], one: &T) -> u64 {
    all.iter().position(|other| other == one).unwrap_or(0) as u64
}

fn write_threads(writer: &mut Writer, threads: &[usize]) {
    writer.word(threads.len() as u64);
    threads
        .iter()
        .for_each(|thread| writer.word(*thread as u64));
}

fn write_maybe(writer: &mut Writer, thread: Option<usize>) {
    writer.word(thread.map_or(0, |thread| thread as u64 + 1));
}

/// The threads that hold a synchronisation object, or wait for it and are listed.
pub(super) fn threads_of(sync: &Sync) -> Vec<usize> {
    match sync {
        Sync::Condition { waiters: listed }
        | Sync::Barrier {
            waiting: listed, ..
        } => listed.clone(),
        other => other.holders(),
    }
}

pub(super) fn write_sync(writer: &mut Writer, sync: &Sync) {
    match sync {
        Sync::Mutex { ty, owner, depth } => {
            writer.word(0);
            writer.word(position(&MUTEXES, ty));
            write_maybe(writer, *owner);
            writer.word(u64::from(*depth));
        }
        Sync::Condition { waiters } => {
            writer.word(1);
            write_threads(writer, waiters);
        }
        Sync::RwLock { readers, writer: w } => {
            writer.word(2);
            write_threads(writer, readers);
            write_maybe(writer, *w);
        }
        Sync::Barrier { needed, waiting } => {
            writer.word(3);
            writer.word(u64::from(*needed));
            write_threads(writer, waiting);
        }
        Sync::Semaphore { count } => {
            writer.word(4);
            writer.word(u64::from(*count));
        }
        Sync::Spin { owner } => {
            writer.word(5);
            write_maybe(writer, *owner);
        }
        Sync::Once { state } => {
            writer.word(6);
            writer.word(match state {
                OnceState::Fresh => 0,
                OnceState::Done => 1,
                OnceState::Running(thread) => *thread as u64 + 2,
            });
        }
        Sync::Destroyed(kind) => {
            writer.word(7);
            writer.word(position(&KINDS, kind));
        }
    }
}

pub(super) fn read_sync(reader: &mut Reader) -> Sync {
    let maybe = |reader: &mut Reader| reader.number().checked_sub(1);
    let threads = |reader: &mut Reader| {
        let count = reader.number();
        (0..count).map(|_| reader.number()).collect()
    };
    match reader.word() {
        0 => Sync::Mutex {
            ty: MUTEXES[reader.number() % MUTEXES.len()],
            owner: maybe(reader),
            depth: reader.small(),
        },
        1 => Sync::Condition {
            waiters: threads(reader),
        },
        2 => Sync::RwLock {
            readers: threads(reader),
            writer: maybe(reader),
        },
        3 => Sync::Barrier {
            needed: reader.small(),
            waiting: threads(reader),
        },
        4 => Sync::Semaphore {
            count: reader.small(),
        },
        5 => Sync::Spin {
            owner: maybe(reader),
        },
        6 => Sync::Once {
            state: match reader.number() {
                0 => OnceState::Fresh,
                1 => OnceState::Done,
                thread => OnceState::Running(thread - 2),
            },
        },
        _ => Sync::Destroyed(KINDS[reader.number() % KINDS.len()]),
    }
}
