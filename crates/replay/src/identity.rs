//! When two states are the same: a fingerprint of everything that later
//! behaviour can depend on, and of nothing else.

use crate::fingerprint::Fingerprint;
use crate::machine::Machine;
use crate::snapshot::Snapshot;
use crate::thread::{Phase, Thread};
use crate::value::Value;
use cranelift_entity::EntityRef;
use std::hash::{Hash, Hasher};

impl<'a> Machine<'a> {
    /// Equal for states from which the same can happen.
    pub fn fingerprint(&self) -> u128 {
        let mut fingerprint = Fingerprint::default();
        self.memory.fingerprint(&mut fingerprint);
        for thread in &self.threads {
            self.hash_thread(thread, &mut fingerprint);
        }
        for ((object, offset), sync) in self.sync.iter() {
            fingerprint.write_u64(self.memory.canonical_object(object));
            fingerprint.write_u64(offset);
            sync.hash(&mut fingerprint);
        }
        self.keys.hash(&mut fingerprint);
        for (function, argument) in &self.at_exit {
            function.hash(&mut fingerprint);
            if let Some(value) = argument {
                self.hash_value(value, &mut fingerprint);
            }
        }
        for waiter in &self.futex_waiters {
            let (object, offset) = waiter.place;
            fingerprint.write_u64(self.memory.canonical_object(object));
            (waiter.thread, offset, waiter.bits).hash(&mut fingerprint);
        }
        self.hash_kernel(&mut fingerprint);
        self.exit_code.hash(&mut fingerprint);
        if let Some(weak) = &self.weak {
            weak.fingerprint(&self.memory, &mut fingerprint);
        }
        fingerprint.value()
    }

    fn hash_thread(&self, thread: &Thread, fingerprint: &mut Fingerprint) {
        thread.life.hash(fingerprint);
        (thread.is_joined, thread.is_detached, thread.is_atomic_start).hash(fingerprint);
        (thread.destructor_round, thread.next_key).hash(fingerprint);
        thread.is_exiting.hash(fingerprint);
        let errno = thread
            .errno
            .map(|object| self.memory.canonical_object(object));
        errno.hash(fingerprint);
        for (key, value) in &thread.key_values {
            key.hash(fingerprint);
            self.hash_value(value, fingerprint);
        }
        for saved in &thread.saved {
            let (object, offset) = saved.buffer;
            fingerprint.write_u64(self.memory.canonical_object(object));
            (offset, saved.depth, saved.block, saved.index).hash(fingerprint);
            (saved.stack_mark, &saved.loop_counts).hash(fingerprint);
            (saved.cleanups, saved.jumps, saved.blocked).hash(fingerprint);
        }
        for (object, offset) in &thread.cleanups {
            fingerprint.write_u64(self.memory.canonical_object(*object));
            offset.hash(fingerprint);
        }
        (thread.is_cancelled, thread.is_immune, thread.blocked).hash(fingerprint);
        (thread.is_asynchronous, thread.arrivals).hash(fingerprint);
        if let Some(value) = &thread.leaving {
            self.hash_value(value, fingerprint);
        }
        fingerprint.write_usize(thread.frames.len());
        for frame in &thread.frames {
            (frame.function, frame.block, frame.index).hash(fingerprint);
            (frame.stack_mark, &frame.loop_counts).hash(fingerprint);
            frame.then.hash(fingerprint);
            self.hash_phase(&frame.phase, fingerprint);
            for argument in frame.variadic.iter() {
                self.hash_value(&argument.value, fingerprint);
            }
            let liveness = self.image.liveness(frame.function);
            let body = self.image.body(frame.function);
            if let (Some(liveness), Some(body)) = (liveness, body) {
                // An unfinished call will still define its own result.
                for value in liveness.before(body, frame.block, frame.index).iter() {
                    let register = value.index();
                    self.hash_value(&frame.registers[register], fingerprint);
                    if let Some(shadow) = frame.shadows.get(&value) {
                        shadow.hash(fingerprint);
                    }
                }
            }
        }
    }

    fn hash_phase(&self, phase: &Phase, fingerprint: &mut Fingerprint) {
        match phase {
            Phase::Waiting {
                mutex: (object, offset),
                is_late,
            } => {
                fingerprint.write_u64(self.memory.canonical_object(*object));
                (*offset, *is_late).hash(fingerprint);
            }
            Phase::Copying(snapshot) => self.hash_snapshot(snapshot, fingerprint),
            other => other.hash(fingerprint),
        }
    }

    fn hash_snapshot(&self, snapshot: &Snapshot, fingerprint: &mut Fingerprint) {
        (&snapshot.bytes, &snapshot.uninitialised).hash(fingerprint);
        snapshot.shadow.hash(fingerprint);
        for (at, target) in &snapshot.pointers {
            (*at, self.memory.canonical_object(*target)).hash(fingerprint);
        }
    }

    fn hash_kernel(&self, fingerprint: &mut Fingerprint) {
        let descriptors = &self.kernel.descriptors;
        descriptors.table.hash(fingerprint);
        for channel in &descriptors.channels {
            channel.is_some().hash(fingerprint);
            if let Some(channel) = channel {
                channel.kind.hash(fingerprint);
                for side in &channel.sides {
                    (side.never_waits, side.calls).hash(fingerprint);
                    self.hash_snapshot(&side.queue, fingerprint);
                }
            }
        }
        for (signal, action) in &self.kernel.actions {
            (signal, action.blocked, action.flags).hash(fingerprint);
            self.hash_value(&action.handler, fingerprint);
        }
        self.kernel.variables.hash(fingerprint);
        self.kernel.clocks.hash(fingerprint);
    }

    fn hash_value(&self, value: &Value, fingerprint: &mut Fingerprint) {
        match value {
            Value::Pointer(pointer) => {
                fingerprint.write_u64(pointer.address);
                if let Some(object) = pointer.object {
                    fingerprint.write_u64(self.memory.canonical_object(object));
                }
            }
            Value::Tuple(fields) => {
                for field in fields.iter() {
                    self.hash_value(field, fingerprint);
                }
            }
            scalar => scalar.hash(fingerprint),
        }
    }
}
