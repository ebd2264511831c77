//! Contents of threads as words: what a thread will still do and what only it can
//! see. Its objects that others may know are components of their own.
//!
//! Registers that are not read any more are left out, and so are locals that are
//! not read before they are written. The latter stay where it is asked which
//! memory is lost, since their addresses keep blocks from being so.

use super::kernel::{
    read_demands, read_file, read_watched, write_demands, write_file, write_watched,
};
use super::locals::DeadLocals;
use super::objects::{read_object, write_object};
use super::words::{Reader, Writer};
use crate::image::Image;
use crate::machine::Machine;
use crate::memory::{Arena, Memory};
use crate::object::{Area, Object, ObjectId, Origin};
use crate::snapshot::Snapshot;
use crate::thread::{
    Access, Argument, End, Frame, Life, Pending, Phase, Saved, Stuck, Then, Thread, Wait,
};
use crate::value::Value;
use crate::violation::ViolationKind;
use analysis::LoopId;
use cranelift_entity::EntityRef;
use ir::{BlockId, FunctionId, ValueId};
use std::collections::HashMap;
use std::rc::Rc;

const KINDS: [ViolationKind; 20] = [
    ViolationKind::Assertion,
    ViolationKind::Deadlock,
    ViolationKind::NullDereference,
    ViolationKind::OutOfBounds,
    ViolationKind::UseAfterFree,
    ViolationKind::DoubleFree,
    ViolationKind::InvalidFree,
    ViolationKind::InvalidPointer,
    ViolationKind::Leak,
    ViolationKind::NotFreed,
    ViolationKind::Uninitialised,
    ViolationKind::Overflow,
    ViolationKind::DivisionByZero,
    ViolationKind::BadShift,
    ViolationKind::Conversion,
    ViolationKind::UnlockNotOwned,
    ViolationKind::DestroyedObject,
    ViolationKind::Misuse,
    ViolationKind::DataRace,
    ViolationKind::Unwinding,
];

/// A thread with what belongs to it. Shared objects in the arena are place-holders.
#[derive(Clone)]
pub(super) struct OwnedThread {
    pub thread: Rc<Thread>,
    pub arena: Rc<Arena>,
    /// The places of the shared ones.
    pub shared: Vec<ObjectId>,
    pub live_bytes: u64,
}

/// What is known beforehand about registers and locals, found when needed.
pub(super) struct Knowledge<'a> {
    image: &'a Image<'a>,
    registers: HashMap<(FunctionId, BlockId, usize, bool), Rc<[ValueId]>>,
    locals: DeadLocals<'a>,
    /// Leave out dead locals.
    pub forgets_locals: bool,
}

impl<'a> Knowledge<'a> {
    pub(super) fn new(image: &'a Image<'a>, forgets_locals: bool) -> Self {
        Knowledge {
            image,
            registers: HashMap::new(),
            locals: DeadLocals::new(image),
            forgets_locals,
        }
    }

    /// The registers that a call in progress will still read. One that waits for the
    /// function it called has used its arguments.
    fn live(&mut self, frame: &Frame, is_called: bool) -> Rc<[ValueId]> {
        let key = (frame.function, frame.block, frame.index, is_called);
        if let Some(known) = self.registers.get(&key) {
            return known.clone();
        }
        let liveness = self.image.liveness(frame.function);
        let live: Rc<[ValueId]> = match (liveness, self.image.body(frame.function)) {
            (Some(liveness), Some(body)) => {
                let index = frame.index + usize::from(is_called);
                let mut live = liveness.before(body, frame.block, index);
                let inst = body.blocks[frame.block].insts.get(frame.index);
                let result = inst.and_then(|inst| body.insts[*inst].result);
                if let Some(result) = result.filter(|_| is_called) {
                    live.remove(result);
                }
                live.iter().collect()
            }
            _ => Rc::from([]),
        };
        self.registers.insert(key, live.clone());
        live
    }
}

/// Writes a thread of a machine.
pub(super) fn write_thread(
    machine: &Machine,
    knowledge: &mut Knowledge,
    id: usize,
    writer: &mut Writer,
) {
    let thread = &*machine.threads[id];
    let is_result_gone = thread.is_joined || thread.is_detached;
    match &thread.life {
        Life::Finished(_) if is_result_gone && knowledge.forgets_locals => {
            write_life(writer, &Life::Finished(Value::ZERO));
        }
        life => write_life(writer, life),
    }
    let flags = [
        thread.is_detached,
        thread.is_joined,
        thread.is_exiting,
        thread.is_atomic_start,
        thread.is_result_open,
    ];
    flags.into_iter().for_each(|flag| writer.flag(flag));
    writer.word(u64::from(thread.destructor_round));
    writer.word(thread.next_key as u64);
    writer.object(thread.errno);
    writer.word(thread.key_values.len() as u64);
    for (key, value) in &thread.key_values {
        writer.word(*key as u64);
        writer.value(value);
    }
    write_jumps(writer, thread);
    write_pending(writer, &thread.pending);
    writer.word(thread.frames.len() as u64);
    for (index, frame) in thread.frames.iter().enumerate() {
        let above = thread.frames.get(index + 1);
        let is_called = above.is_some_and(|above| above.then == Then::Continue);
        let live = knowledge.live(frame, is_called);
        write_frame(writer, frame, &live);
    }
    write_arena(machine, knowledge, id, writer);
}

fn write_life(writer: &mut Writer, life: &Life) {
    match life {
        Life::Running => writer.word(0),
        Life::Ending(End::Thread(value)) => {
            writer.word(1);
            writer.value(value);
        }
        Life::Ending(End::Process(code)) => {
            writer.word(2);
            writer.word(*code as u64);
        }
        Life::Ending(End::Abrupt(code)) => {
            writer.word(3);
            writer.word(*code as u64);
        }
        Life::Stuck(Stuck::Assumption) => writer.word(4),
        Life::Stuck(Stuck::Undefined(kind)) => {
            writer.word(5);
            let index = KINDS.iter().position(|known| known == kind);
            writer.word(index.unwrap_or(0) as u64);
        }
        Life::Stuck(Stuck::Endless {
            function,
            is_certain,
        }) => {
            writer.word(6);
            writer.flag(*is_certain);
            writer.bytes(function.as_bytes());
        }
        Life::Finished(value) => {
            writer.word(7);
            writer.value(value);
        }
    }
}

fn read_life(reader: &mut Reader) -> Life {
    match reader.word() {
        0 => Life::Running,
        1 => Life::Ending(End::Thread(reader.value())),
        2 => Life::Ending(End::Process(reader.word() as i32)),
        3 => Life::Ending(End::Abrupt(reader.word() as i32)),
        4 => Life::Stuck(Stuck::Assumption),
        5 => Life::Stuck(Stuck::Undefined(KINDS[reader.number() % KINDS.len()])),
        6 => {
            let is_certain = reader.flag();
            let function = String::from_utf8_lossy(&reader.bytes()).into_owned();
            Life::Stuck(Stuck::Endless {
                function,
                is_certain,
            })
        }
        _ => Life::Finished(reader.value()),
    }
}

fn write_jumps(writer: &mut Writer, thread: &Thread) {
    writer.word(thread.saved.len() as u64);
    for saved in &thread.saved {
        writer.sync_key(saved.buffer);
        writer.word(saved.depth as u64);
        writer.word(saved.block.index() as u64);
        writer.word(saved.index as u64);
        writer.word(saved.stack_mark as u64);
        write_loop_counts(writer, &saved.loop_counts);
        writer.word(saved.cleanups as u64);
        writer.word(u64::from(saved.jumps));
        writer.flag(saved.blocked.is_some());
        writer.word(saved.blocked.unwrap_or(0));
    }
    writer.word(thread.cleanups.len() as u64);
    for buffer in &thread.cleanups {
        writer.sync_key(*buffer);
    }
    writer.flag(thread.is_cancelled);
    writer.flag(thread.is_immune);
    writer.word(thread.blocked);
    writer.flag(thread.is_asynchronous);
    writer.word(u64::from(thread.arrivals));
    writer.flag(thread.leaving.is_some());
    if let Some(value) = &thread.leaving {
        writer.value(value);
    }
}

fn read_jumps(reader: &mut Reader, thread: &mut Thread) {
    for _ in 0..reader.number() {
        let buffer = reader.sync_key();
        let (depth, block) = (reader.number(), BlockId::new(reader.number()));
        let (index, stack_mark) = (reader.number(), reader.number());
        let loop_counts = read_loop_counts(reader);
        let (cleanups, jumps) = (reader.number(), reader.small());
        let (is_blocked, signals) = (reader.flag(), reader.word());
        let blocked = is_blocked.then_some(signals);
        thread.saved.extend(buffer.map(|buffer| Saved {
            buffer,
            depth,
            block,
            index,
            stack_mark,
            loop_counts,
            cleanups,
            blocked,
            jumps,
        }));
    }
    for _ in 0..reader.number() {
        thread.cleanups.extend(reader.sync_key());
    }
    thread.is_cancelled = reader.flag();
    thread.is_immune = reader.flag();
    thread.blocked = reader.word();
    thread.is_asynchronous = reader.flag();
    thread.arrivals = reader.small();
    thread.leaving = reader.flag().then(|| reader.value());
}

fn write_loop_counts(writer: &mut Writer, counts: &[(LoopId, u32)]) {
    writer.word(counts.len() as u64);
    for (id, count) in counts {
        writer.word(id.index() as u64);
        writer.word(u64::from(*count));
    }
}

fn read_loop_counts(reader: &mut Reader) -> Vec<(LoopId, u32)> {
    let mut counts = Vec::new();
    for _ in 0..reader.number() {
        let id = LoopId::new(reader.number());
        counts.push((id, reader.small()));
    }
    counts
}

fn write_pending(writer: &mut Writer, pending: &Pending) {
    let (number, keys): (u64, &[_]) = match &pending.wait {
        Wait::Nothing => (0, &[]),
        Wait::Mutex(key) => (1, &[*key]),
        Wait::Condition {
            condition,
            mutex,
            is_timed,
        } => (2 + u64::from(*is_timed), &[*condition, *mutex]),
        Wait::ReadLock(key) => (4, &[*key]),
        Wait::WriteLock(key) => (5, &[*key]),
        Wait::Semaphore(key) => (6, &[*key]),
        Wait::Spin(key) => (7, &[*key]),
        Wait::Barrier(key) => (8, &[*key]),
        Wait::Once(key) => (9, &[*key]),
        Wait::Futex { place, is_timed } => (11 + u64::from(*is_timed), &[*place]),
        Wait::Join(target) => {
            writer.word(10);
            writer.word(*target as u64);
            return write_accesses(writer, &pending.accesses);
        }
        Wait::Files(demands) => {
            writer.word(13);
            write_demands(writer, demands);
            return write_accesses(writer, &pending.accesses);
        }
    };
    writer.word(number);
    keys.iter().for_each(|key| writer.sync_key(*key));
    write_accesses(writer, &pending.accesses);
}

fn write_accesses(writer: &mut Writer, accesses: &[Access]) {
    writer.word(accesses.len() as u64);
    for access in accesses {
        writer.object(Some(access.object));
        writer.word(access.offset);
        writer.word(access.len);
        writer.word(u64::from(access.is_write) << 1 | u64::from(access.is_atomic));
    }
}

fn read_pending(reader: &mut Reader) -> Pending {
    let number = reader.word();
    let wait = match number {
        0 => Some(Wait::Nothing),
        1 => reader.sync_key().map(Wait::Mutex),
        2 | 3 => {
            let (condition, mutex) = (reader.sync_key(), reader.sync_key());
            let is_timed = number == 3;
            condition
                .zip(mutex)
                .map(|(condition, mutex)| Wait::Condition {
                    condition,
                    mutex,
                    is_timed,
                })
        }
        4 => reader.sync_key().map(Wait::ReadLock),
        5 => reader.sync_key().map(Wait::WriteLock),
        6 => reader.sync_key().map(Wait::Semaphore),
        7 => reader.sync_key().map(Wait::Spin),
        8 => reader.sync_key().map(Wait::Barrier),
        9 => reader.sync_key().map(Wait::Once),
        11 | 12 => reader.sync_key().map(|place| Wait::Futex {
            place,
            is_timed: number == 12,
        }),
        13 => Some(Wait::Files(read_demands(reader))),
        _ => Some(Wait::Join(reader.number())),
    };
    let count = reader.number();
    let mut accesses = Vec::with_capacity(count);
    for _ in 0..count {
        let object = reader.object();
        let (offset, len, flags) = (reader.word(), reader.word(), reader.word());
        accesses.extend(object.map(|object| Access {
            object,
            offset,
            len,
            is_write: flags & 2 != 0,
            is_atomic: flags & 1 != 0,
        }));
    }
    let wait = wait.unwrap_or_default();
    Pending { wait, accesses }
}

fn write_frame(writer: &mut Writer, frame: &Frame, live: &[ValueId]) {
    writer.word(frame.function.index() as u64);
    writer.word(frame.block.index() as u64);
    writer.word(frame.index as u64);
    writer.word(frame.stack_mark as u64);
    writer.word(match frame.then {
        Then::Continue => 0,
        Then::Resume => 1,
        Then::Drop => 2,
        Then::Unblock(_) => 3,
    });
    if let Then::Unblock(signals) = frame.then {
        writer.word(signals);
    }
    for value in live {
        writer.word(value.index() as u64 + 1);
        let shadow = frame.shadows.get(value).cloned().unwrap_or_default();
        writer.shadowed(&frame.registers[value.index()], &shadow);
    }
    writer.word(0);
    writer.word(frame.variadic.len() as u64);
    for argument in frame.variadic.iter() {
        writer.shadowed(&argument.value, &argument.shadow);
        writer.ty(&argument.ty);
        writer.word(argument.by_value.map_or(0, |size| size + 1));
    }
    write_loop_counts(writer, &frame.loop_counts);
    write_phase(writer, &frame.phase);
}

fn read_frame(reader: &mut Reader, image: &Image) -> Frame {
    let function = FunctionId::new(reader.number());
    let block = BlockId::new(reader.number());
    let (index, stack_mark) = (reader.number(), reader.number());
    let then = match reader.word() {
        0 => Then::Continue,
        1 => Then::Resume,
        2 => Then::Drop,
        _ => Then::Unblock(reader.word()),
    };
    let count = image.body(function).map_or(0, |body| body.values.len());
    let mut frame = Frame {
        function,
        block,
        index,
        registers: vec![Value::ZERO; count],
        shadows: Default::default(),
        stack_mark,
        variadic: Rc::from([]),
        loop_counts: Vec::new(),
        then,
        phase: Phase::Start,
    };
    while let Some(register) = reader.number().checked_sub(1) {
        frame.registers[register] = reader.value();
        frame.set_shadow(ValueId::new(register), reader.shadow());
    }
    let variadic = reader.number();
    frame.variadic = (0..variadic)
        .map(|_| Argument {
            value: reader.value(),
            shadow: reader.shadow(),
            ty: reader.ty(),
            by_value: reader.word().checked_sub(1),
        })
        .collect();
    frame.loop_counts = read_loop_counts(reader);
    frame.phase = read_phase(reader);
    frame
}

fn write_phase(writer: &mut Writer, phase: &Phase) {
    match phase {
        Phase::Start => writer.word(0),
        Phase::Waiting { mutex, is_late } => {
            writer.word(1);
            writer.sync_key(*mutex);
            writer.flag(*is_late);
        }
        Phase::Copying(snapshot) => {
            writer.word(2);
            write_snapshot(writer, snapshot);
        }
        Phase::AtBarrier => writer.word(3),
        Phase::InOnce => writer.word(4),
        Phase::AtFutex => writer.word(7),
        Phase::Interrupted => writer.word(10),
        Phase::Holding(file) => {
            writer.word(8);
            write_file(writer, *file);
        }
        Phase::Polling(watched) => {
            writer.word(9);
            write_watched(writer, watched);
        }
        Phase::Sorting { current, at, order } => {
            writer.word(5);
            write_progress(writer, *current, *at, *order);
        }
        Phase::Searching { low, high, order } => {
            writer.word(6);
            write_progress(writer, *low, *high, *order);
        }
    }
}

fn write_progress(writer: &mut Writer, from: u64, to: u64, order: Option<i32>) {
    writer.word(from);
    writer.word(to);
    writer.flag(order.is_some());
    writer.word(order.unwrap_or(0) as u64);
}

fn read_progress(reader: &mut Reader) -> (u64, u64, Option<i32>) {
    let (from, to, is_some) = (reader.word(), reader.word(), reader.flag());
    let order = reader.word() as i32;
    (from, to, is_some.then_some(order))
}

fn read_phase(reader: &mut Reader) -> Phase {
    match reader.word() {
        1 => {
            let (mutex, is_late) = (reader.sync_key(), reader.flag());
            match mutex {
                Some(mutex) => Phase::Waiting { mutex, is_late },
                None => Phase::Start,
            }
        }
        2 => Phase::Copying(read_snapshot(reader)),
        3 => Phase::AtBarrier,
        4 => Phase::InOnce,
        5 => {
            let (current, at, order) = read_progress(reader);
            Phase::Sorting { current, at, order }
        }
        6 => {
            let (low, high, order) = read_progress(reader);
            Phase::Searching { low, high, order }
        }
        7 => Phase::AtFutex,
        10 => Phase::Interrupted,
        8 => Phase::Holding(read_file(reader)),
        9 => Phase::Polling(read_watched(reader)),
        _ => Phase::Start,
    }
}

pub(super) fn write_snapshot(writer: &mut Writer, snapshot: &Snapshot) {
    writer.bytes(&snapshot.bytes);
    let flags: Vec<u8> = snapshot
        .uninitialised
        .iter()
        .map(|f| u8::from(*f))
        .collect();
    writer.bytes(&flags);
    writer.bytes(&snapshot.shadow);
    writer.open_bytes(&snapshot.bytes, &snapshot.shadow);
    writer.word(snapshot.pointers.len() as u64);
    for (at, target) in &snapshot.pointers {
        writer.word(*at);
        writer.object(Some(*target));
    }
}

pub(super) fn read_snapshot(reader: &mut Reader) -> Snapshot {
    let bytes = reader.bytes();
    let uninitialised = reader.bytes().into_iter().map(|flag| flag != 0).collect();
    let shadow = reader.bytes();
    let mut pointers = Vec::new();
    for _ in 0..reader.number() {
        let at = reader.word();
        pointers.extend(reader.object().map(|target| (at, target)));
    }
    Snapshot {
        bytes,
        uninitialised,
        shadow,
        pointers,
    }
}

/// Before each object of an arena.
mod mark {
    pub(super) const SHARED: u64 = 0;
    pub(super) const PRIVATE: u64 = 1;
    /// Nobody will read what it holds.
    pub(super) const FORGOTTEN: u64 = 2;
}

fn write_arena(machine: &Machine, knowledge: &mut Knowledge, id: usize, writer: &mut Writer) {
    let thread = &*machine.threads[id];
    let memory = &machine.memory;
    let arena = &memory.arenas[id];
    let base = memory.arena_base(id);
    writer.word(arena.stack_next.wrapping_sub(base));
    writer.word(arena.heap_next.wrapping_sub(base));
    writer.word(arena.stack.len() as u64);
    let mut frame = 0;
    for (slot, object) in arena.stack.iter().enumerate() {
        let name = ObjectId::new(id, Area::Stack, slot, arena.generations[slot]);
        while (thread.frames.get(frame + 1)).is_some_and(|above| above.stack_mark <= slot) {
            frame += 1;
        }
        let is_dead = knowledge.forgets_locals
            && match (&object.origin, thread.frames.get(frame)) {
                (Origin::Local(function, inst), Some(frame)) if *function == frame.function => {
                    knowledge
                        .locals
                        .is_dead(frame.function, frame.block, frame.index, *inst)
                }
                _ => false,
            };
        write_owned(writer, name, object, is_dead);
    }
    writer.word(arena.heap.len() as u64);
    for (slot, object) in arena.heap.iter().enumerate() {
        let name = ObjectId::new(id, Area::Heap, slot, 1);
        write_owned(writer, name, object, false);
    }
}

fn write_owned(writer: &mut Writer, name: ObjectId, object: &Object, is_dead: bool) {
    if object.is_shared {
        writer.word(mark::SHARED);
    } else if is_dead {
        writer.word(mark::FORGOTTEN);
        let mut blank = Object::new(object.origin.clone(), object.base, 0, true);
        blank.size = object.size;
        write_object(writer, name, &blank);
    } else {
        writer.word(mark::PRIVATE);
        write_object(writer, name, object);
    }
}

/// Reads what [`write_thread`] has written, as a thread of this number.
pub(super) fn read_thread(words: &[u64], id: usize, image: &Image, memory: &Memory) -> OwnedThread {
    let bases = |thread: usize| memory.arena_base(thread);
    let reader = &mut Reader::new(words, id, &bases);
    let life = read_life(reader);
    let (is_detached, is_joined) = (reader.flag(), reader.flag());
    let (is_exiting, is_atomic_start) = (reader.flag(), reader.flag());
    let is_result_open = reader.flag();
    let destructor_round = reader.small();
    let next_key = reader.number();
    let errno = reader.object();
    let mut key_values = Vec::new();
    for _ in 0..reader.number() {
        let key = reader.number();
        key_values.push((key, reader.value()));
    }
    let mut jumps = Thread::vacant();
    read_jumps(reader, &mut jumps);
    let pending = read_pending(reader);
    let mut frames = Vec::new();
    for _ in 0..reader.number() {
        frames.push(read_frame(reader, image));
    }
    let globals = image.program.globals.iter();
    let own = globals.filter(|(_, global)| global.is_thread_local);
    let locals = own
        .enumerate()
        .map(|(slot, (global, _))| (global, ObjectId::new(id, Area::Heap, slot, 1)));
    let thread = Thread {
        id,
        frames,
        life,
        pending,
        is_detached,
        is_joined,
        locals: Rc::new(locals.collect()),
        errno,
        key_values,
        destructor_round,
        is_exiting,
        next_key,
        is_atomic_start,
        is_result_open,
        ..jumps
    };
    let base = memory.arena_base(id);
    let mut arena = Arena {
        stack_next: reader.word().wrapping_add(base),
        heap_next: reader.word().wrapping_add(base),
        ..Arena::default()
    };
    let mut shared = Vec::new();
    let mut live_bytes = 0;
    for area in [Area::Stack, Area::Heap] {
        let mut objects = Vec::new();
        for slot in 0..reader.number() {
            let name = ObjectId::new(id, area, slot, 1);
            let object = match reader.word() {
                mark::SHARED => {
                    shared.push(name);
                    Object::new(Origin::Environment(""), 0, 0, true)
                }
                _ => read_object(reader, name, memory.pointer_bytes),
            };
            live_bytes += match object.is_alive {
                true => object.size,
                false => 0,
            };
            objects.push(Rc::new(object));
        }
        match area {
            Area::Stack => arena.stack = objects,
            _ => arena.heap = objects,
        }
    }
    arena.generations = vec![1; arena.stack.len()];
    OwnedThread {
        thread: Rc::new(thread),
        arena: Rc::new(arena),
        shared,
        live_bytes,
    }
}
