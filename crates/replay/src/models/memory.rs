//! Memory management and operations on blocks of bytes.

use super::{EINVAL, ENOMEM, Reply, Site};
use crate::event::Effect;
use crate::footprint::Look;
use crate::inputs::{Domain, InputKind};
use crate::machine::{AccessMode, Cut, Excluded, Machine, Stop};
use crate::memory::{AccessFault, ObjectId, Origin};
use crate::thread::{Access, Pending, Phase};
use crate::value::{Pointer, Value};
use crate::violation::ViolationKind;
use ir::Type;
use library::Memory as MemoryOp;

/// What `malloc` promises on all targets.
const ALIGNMENT: u64 = 16;

impl<'a> Machine<'a> {
    pub(crate) fn memory_model(&mut self, site: &mut Site, op: MemoryOp) -> Result<Reply, Stop> {
        let allocates = matches!(
            op,
            MemoryOp::Malloc
                | MemoryOp::Calloc
                | MemoryOp::New
                | MemoryOp::NewAligned
                | MemoryOp::AlignedAlloc
                | MemoryOp::PosixMemalign
                | MemoryOp::Realloc
                | MemoryOp::ReallocArray
        );
        let must_wait = |machine: &Self| {
            machine.must_wait_for_addresses(site) || machine.must_wait_for_the_end(site)
        };
        if allocates && must_wait(self) {
            return Ok(Reply::Wait(self.foreseen(site, op)));
        }
        match op {
            MemoryOp::Malloc => {
                let size = site.number(0);
                self.allocate(site, size, ALIGNMENT, false)
                    .map(Reply::pointer)
            }
            MemoryOp::New => {
                let size = site.number(0);
                self.allocate_surely(site, size, ALIGNMENT, false)
                    .map(Reply::pointer)
            }
            MemoryOp::NewAligned => {
                let (size, align) = (site.number(0), site.number(1));
                self.allocate_surely(site, size, align, false)
                    .map(Reply::pointer)
            }
            MemoryOp::Calloc => {
                let Some(size) = self.product(site.number(0), site.number(1)) else {
                    return Ok(self.no_block(site, ENOMEM));
                };
                self.allocate(site, size, ALIGNMENT, true)
                    .map(Reply::pointer)
            }
            MemoryOp::AlignedAlloc => {
                let (align, size) = (site.number(0), site.number(1));
                if !align.is_power_of_two() {
                    return Ok(self.no_block(site, EINVAL));
                }
                self.allocate(site, size, align.max(ALIGNMENT), false)
                    .map(Reply::pointer)
            }
            MemoryOp::PosixMemalign => self.posix_memalign(site),
            MemoryOp::Realloc => {
                let size = site.number(1);
                self.reallocate(site, size)
            }
            MemoryOp::ReallocArray => match self.product(site.number(1), site.number(2)) {
                Some(size) => self.reallocate(site, size),
                None => Ok(self.no_block(site, ENOMEM)),
            },
            MemoryOp::Free | MemoryOp::Delete => self.free(site),
            MemoryOp::UsableSize => {
                let object = self.pointer_arg(site, 0).object;
                let size = object
                    .and_then(|object| self.memory.get(object))
                    .map(|o| o.size);
                Ok(Reply::Return(Value::Bits(size.unwrap_or(0))))
            }
            MemoryOp::Copy | MemoryOp::Move | MemoryOp::PCopy => self.copy(site, op),
            MemoryOp::Set => {
                let (byte, len) = (site.number(1) as u8, site.number(2));
                self.fill(site, byte, len)
            }
            MemoryOp::BZero => {
                let len = site.number(1);
                self.fill(site, 0, len)
            }
            MemoryOp::Compare => self.compare_blocks(site),
            MemoryOp::Find | MemoryOp::FindLast => self.find_byte(site, op == MemoryOp::FindLast),
        }
    }

    /// What an allocation that has to wait will access, besides the new block.
    fn foreseen(&mut self, site: &Site, op: MemoryOp) -> Pending {
        let place = |machine: &Self| machine.pointer_arg(site, 0);
        let mut pending = Pending::default();
        match op {
            MemoryOp::Realloc => pending = self.freeing(place(self)),
            MemoryOp::ReallocArray if self.product(site.number(1), site.number(2)).is_some() => {
                pending = self.freeing(place(self));
            }
            MemoryOp::PosixMemalign if self.is_alignment(site.number(1)) => {
                let word = self.memory.pointer_bytes;
                // A wrong address is noticed when the step is taken.
                let _ = self.model_access(site, place(self), word, AccessMode::WRITE, &mut pending);
            }
            _ => {}
        }
        pending
    }

    fn is_alignment(&self, align: u64) -> bool {
        align.is_power_of_two() && align.is_multiple_of(self.memory.pointer_bytes)
    }

    fn product(&self, count: u64, size: u64) -> Option<u64> {
        let limit = if self.memory.pointer_bytes == 4 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        count.checked_mul(size).filter(|total| *total <= limit)
    }

    /// Returns null and sets `errno`.
    fn no_block(&mut self, site: &mut Site, error: i32) -> Reply {
        self.set_errno(site.thread, error);
        Reply::pointer(Pointer::NULL)
    }

    /// A fresh object, or null if allocations may fail and this one does.
    pub(crate) fn allocate(
        &mut self,
        site: &mut Site,
        size: u64,
        align: u64,
        initialised: bool,
    ) -> Result<Pointer, Stop> {
        let max = if self.memory.pointer_bytes == 4 {
            1 << 31
        } else {
            1 << 47
        };
        if size >= max {
            // No real system grants this, whatever the settings.
            self.set_errno(site.thread, ENOMEM);
            return Ok(Pointer::NULL);
        }
        if self.config.surroundings.malloc_may_fail
            && self.ask_index(site.thread, site.inputs, InputKind::Allocation, 2)? == 1
        {
            self.set_errno(site.thread, ENOMEM);
            return Ok(Pointer::NULL);
        }
        self.allocate_surely(site, size, align, initialised)
    }

    /// Whether other threads may run, and nobody has given this one its turn.
    pub(crate) fn must_wait_for_others(&self, site: &Site) -> bool {
        // A thread that is taking its turn just now is away from its place: the
        // creator of this one, perhaps.
        self.footprint.note(Look::OthersRunning);
        let has_others =
            self.threads.iter().enumerate().any(|(id, other)| {
                id != site.thread.id && (other.is_vacant() || !other.is_finished())
            });
        !site.call.allow && has_others
    }

    /// Which freed addresses an allocation may get depends on what the other
    /// threads have freed before: then the allocation is a visible step.
    fn must_wait_for_addresses(&self, site: &Site) -> bool {
        self.config.surroundings.address_reuse
            && self.image.can_free
            && self.must_wait_for_others(site)
    }

    /// Another thread may end the process, and somebody asks what is left then.
    fn must_wait_for_the_end(&self, site: &Site) -> bool {
        self.counts_blocks() && self.must_wait_for_others(site)
    }

    fn allocate_surely(
        &mut self,
        site: &mut Site,
        size: u64,
        align: u64,
        initialised: bool,
    ) -> Result<Pointer, Stop> {
        let mut reuse = None;
        // Library functions that allocate on the way cannot wait for their turn.
        if self.must_wait_for_addresses(site) {
            self.exclude(Excluded::AddressReuse);
        }
        let candidates = match size {
            0 => Vec::new(),
            _ => self.memory.reusable(size, align),
        };
        if !candidates.is_empty() {
            if !self.config.surroundings.address_reuse {
                self.exclude(Excluded::AddressReuse);
            } else {
                let domain = Domain::Below(candidates.len() as u64 + 1);
                let homes = match &self.counter {
                    None => Vec::new(),
                    Some(counter) => {
                        let addresses = candidates.iter().map(|id| self.memory.pointer(*id, 0));
                        addresses.map(|at| counter.home(at.address)).collect()
                    }
                };
                let kind = InputKind::Address;
                let choice = self.ask_among(site.thread, site.inputs, kind, domain, homes)?;
                reuse = (choice as usize)
                    .checked_sub(1)
                    .map(|index| candidates[index]);
            }
        }
        let origin = Origin::Heap(self.call_site(site.thread));
        let thread = site.thread.id;
        let object = self
            .memory
            .add_heap(thread, origin, size, align, initialised, reuse)?;
        let block = self.memory.pointer(object, 0);
        if let (None, Some(counter)) = (reuse, &mut self.counter) {
            counter.allocate(site.thread, block.address);
        }
        Ok(block)
    }

    fn posix_memalign(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (place, align, size) = (self.pointer_arg(site, 0), site.number(1), site.number(2));
        if !self.is_alignment(align) {
            return Ok(Reply::int(EINVAL));
        }
        let word = self.memory.pointer_bytes;
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, place, word, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        let block = self.allocate(site, size, align.max(ALIGNMENT), false)?;
        if block.address == 0 {
            return Ok(Reply::int(ENOMEM));
        }
        let value = Value::Pointer(block);
        self.publish_if_shared(object, &value);
        self.memory.write(object, offset, &Type::Pointer, &value);
        Ok(Reply::int(0))
    }

    /// Checks that a pointer may be freed: its violation otherwise.
    fn check_free(&self, site: &Site, pointer: Pointer) -> Result<(), Stop> {
        let invalid =
            |message: String| Err(self.violated(site.thread, ViolationKind::InvalidFree, message));
        let Some((object, offset)) = self.memory.offset(pointer) else {
            return invalid("free of a pointer that points to no object".to_owned());
        };
        let name = self.object_name(object);
        if !self.memory.is_heap(object) {
            return invalid(format!("free of {name}, which was not allocated"));
        }
        if self.memory.get(object).is_none() {
            let message = format!("{name} is freed a second time");
            return Err(self.violated(site.thread, ViolationKind::DoubleFree, message));
        }
        if offset != 0 {
            return invalid(format!("free of a pointer into {name}, not to its start"));
        }
        Ok(())
    }

    fn free(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let pointer = self.pointer_arg(site, 0);
        if pointer.address == 0 {
            return Ok(Reply::NOTHING);
        }
        let is_step = self.is_shared(site, pointer) && !site.call.allow;
        if is_step || self.must_wait_for_the_end(site) {
            return Ok(Reply::Wait(self.freeing(pointer)));
        }
        self.check_free(site, pointer)?;
        self.note_accesses(self.freeing(pointer).accesses);
        if let Some(object) = pointer.object {
            if self.trace.is_some() && self.is_shared(site, pointer) {
                let place = self.object_name(object);
                self.record(site.thread, Effect::Free { place });
            }
            self.end_block(object);
        }
        Ok(Reply::NOTHING)
    }

    /// Freeing counts as a write to the whole object.
    pub(super) fn freeing(&self, pointer: Pointer) -> Pending {
        let object = pointer
            .object
            .and_then(|id| Some((id, self.memory.get(id)?)));
        let accesses = object
            .filter(|(_, data)| data.is_shared)
            .map(|(object, data)| Access {
                object,
                offset: 0,
                len: data.size,
                is_write: true,
                is_atomic: false,
            });
        Pending {
            accesses: accesses.into_iter().collect(),
            ..Pending::default()
        }
    }

    fn reallocate(&mut self, site: &mut Site, size: u64) -> Result<Reply, Stop> {
        let old = self.pointer_arg(site, 0);
        if old.address == 0 {
            return self
                .allocate(site, size, ALIGNMENT, false)
                .map(Reply::pointer);
        }
        if self.is_shared(site, old) && !site.call.allow {
            return Ok(Reply::Wait(self.freeing(old)));
        }
        self.check_free(site, old)?;
        self.note_accesses(self.freeing(old).accesses);
        let Some(object) = old.object else {
            return Ok(Reply::pointer(Pointer::NULL));
        };
        if size == 0 {
            // As glibc has it: there is no new block then.
            self.end_block(object);
            return Ok(Reply::pointer(Pointer::NULL));
        }
        let kept = self
            .memory
            .get(object)
            .map_or(0, |data| data.size.min(size));
        let snapshot = self.memory.snapshot(object, 0, kept);
        let ty = self.memory.get(object).and_then(|data| data.ty);
        let block = self.allocate(site, size, ALIGNMENT, false)?;
        if let Some(fresh) = block.object {
            self.memory.restore(fresh, 0, &snapshot);
            if let Some(ty) = ty {
                self.memory.set_type(fresh, ty);
            }
            self.end_block(object);
        }
        Ok(Reply::pointer(block))
    }

    pub(super) fn end_block(&mut self, object: ObjectId) {
        self.footprint.note(Look::SyncsIn(object, 0, u64::MAX));
        self.memory.kill_heap(object);
        self.sync.forget(|other| other == object);
    }

    /// Reading the source and writing the destination are two steps, if both are
    /// shared: others may come in between, as they may in reality.
    fn copy(&mut self, site: &mut Site, op: MemoryOp) -> Result<Reply, Stop> {
        let (to, from, len) = (
            self.pointer_arg(site, 0),
            self.pointer_arg(site, 1),
            site.number(2),
        );
        let reply = |machine: &Self| {
            let end = Pointer {
                address: machine.memory.wrap(to.address.wrapping_add(len)),
                object: to.object,
            };
            Reply::pointer(if op == MemoryOp::PCopy { end } else { to })
        };
        if len == 0 {
            return Ok(reply(self));
        }
        let mut pending = Pending::default();
        let phase = site.thread.frame().map(|frame| frame.phase.clone());
        if let Some(Phase::Copying(snapshot)) = phase {
            let Some((object, offset)) =
                self.model_access(site, to, len, AccessMode::WRITE, &mut pending)?
            else {
                return Ok(Reply::Wait(pending));
            };
            if self
                .memory
                .get(object)
                .is_some_and(|object| object.is_shared)
            {
                for (_, target) in &snapshot.pointers {
                    self.memory.publish(*target);
                }
            }
            self.memory.restore(object, offset, &snapshot);
            self.sync.overwrite(object, offset, len);
            self.record_block(
                site,
                Effect::Write {
                    place: self.place(object, offset, len).path,
                    value: format!("{len} bytes copied"),
                    was: String::new(),
                },
                to,
            );
            return Ok(reply(self));
        }
        let overlaps = op != MemoryOp::Move
            && to.object == from.object
            && to.address.abs_diff(from.address) < len
            && to.address != from.address;
        if overlaps {
            return Err(self.violated(
                site.thread,
                ViolationKind::Misuse,
                "memcpy between overlapping blocks",
            ));
        }
        let Some((object, offset)) =
            self.model_access(site, from, len, AccessMode::READ, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        let snapshot = self.memory.snapshot(object, offset, len);
        // Pieces of an address do not say what they belong to.
        for target in self.memory.pointers_cut_by(object, offset, len) {
            self.memory.publish(target);
        }
        self.record_block(
            site,
            Effect::Read {
                place: self.place(object, offset, len).path,
                value: format!("{len} bytes copied"),
            },
            from,
        );
        if let Some(frame) = site.thread.frames.last_mut() {
            frame.phase = Phase::Copying(snapshot);
        }
        Ok(Reply::Continue)
    }

    /// Records what happened to a block, if others can see the block.
    fn record_block(&mut self, site: &Site, effect: Effect, pointer: Pointer) {
        if self.is_shared(site, pointer) {
            self.record(site.thread, effect);
        }
    }

    fn fill(&mut self, site: &mut Site, byte: u8, len: u64) -> Result<Reply, Stop> {
        let to = self.pointer_arg(site, 0);
        let mut pending = Pending::default();
        if len == 0 {
            return Ok(Reply::pointer(to));
        }
        let Some((object, offset)) =
            self.model_access(site, to, len, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        if len > self.config.memory_limit {
            return Err(Stop::Cut(Cut::Memory));
        }
        self.memory
            .write_bytes(object, offset, &vec![byte; len as usize]);
        self.sync.overwrite(object, offset, len);
        self.record_block(
            site,
            Effect::Write {
                place: self.place(object, offset, len).path,
                value: format!("{len} bytes of {byte}"),
                was: String::new(),
            },
            to,
        );
        Ok(Reply::pointer(to))
    }

    /// Reads a block of bytes; `None` if the call must wait.
    pub(crate) fn read_block(
        &mut self,
        site: &mut Site,
        pointer: Pointer,
        len: u64,
        pending: &mut Pending,
    ) -> Result<Option<Vec<u8>>, Stop> {
        if len == 0 {
            return Ok(Some(Vec::new()));
        }
        let Some((object, offset)) =
            self.model_access(site, pointer, len, AccessMode::READ, pending)?
        else {
            return Ok(None);
        };
        self.settle(site.thread, site.inputs, (object, offset), len, false)?;
        for target in self.memory.pointers_in(object, offset, len) {
            self.memory.publish(target);
        }
        Ok(Some(self.memory.bytes(object, offset, len).to_vec()))
    }

    fn compare_blocks(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (a, b, len) = (
            self.pointer_arg(site, 0),
            self.pointer_arg(site, 1),
            site.number(2),
        );
        let mut pending = Pending::default();
        let left = self.read_block(site, a, len, &mut pending)?;
        let right = self.read_block(site, b, len, &mut pending)?;
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(Reply::Wait(pending));
        };
        Ok(Reply::int(left.cmp(&right) as i32))
    }

    fn find_byte(&mut self, site: &mut Site, is_last: bool) -> Result<Reply, Stop> {
        let (block, byte, len) = (
            self.pointer_arg(site, 0),
            site.number(1) as u8,
            site.number(2),
        );
        // `memchr` may be given a length beyond the end if the byte comes before.
        let available = match self.memory.check(block, 0, false) {
            Ok((object, offset)) => self.memory.get(object).map_or(0, |o| o.size - offset),
            Err(fault) if len > 0 => {
                return Err(self.access_violation(site.thread, fault, len, false));
            }
            Err(_) => 0,
        };
        let mut pending = Pending::default();
        let Some(bytes) = self.read_block(site, block, len.min(available), &mut pending)? else {
            return Ok(Reply::Wait(pending));
        };
        let mut positions = bytes.iter().enumerate().filter(|(_, b)| **b == byte);
        let found = if is_last {
            positions.next_back()
        } else {
            positions.next()
        };
        match found {
            Some((position, _)) => Ok(Reply::pointer(Pointer {
                address: block.address + position as u64,
                object: block.object,
            })),
            None if len > available => {
                let (object, offset) = match self.memory.offset(block) {
                    Some(place) => place,
                    None => return Ok(Reply::pointer(Pointer::NULL)),
                };
                let fault = AccessFault::OutOfBounds { object, offset };
                Err(self.access_violation(site.thread, fault, len, false))
            }
            None => Ok(Reply::pointer(Pointer::NULL)),
        }
    }
}
