//! Memory in pages: mappings are objects of their own, which `free` does not know.

use super::{EINVAL, ENOMEM, Reply, Site};
use crate::event::Effect;
use crate::inputs::InputKind;
use crate::machine::{Excluded, Machine, Stop};
use crate::memory::Origin;
use crate::value::Value;
use crate::violation::ViolationKind;
use library::Pages;

pub(super) const PAGE: u64 = 4096;

const MAPPING: Origin = Origin::Environment("a mapping");

const PROT_READ_WRITE: u64 = 3;
const PROT_EXEC: u64 = 4;

const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;

/// `MADV_DONTNEED`, `MADV_FREE` and `MADV_REMOVE`.
const FORGETTING: [u64; 3] = [4, 8, 9];

impl<'a> Machine<'a> {
    pub(crate) fn pages_model(&mut self, site: &mut Site, op: Pages) -> Result<Reply, Stop> {
        match op {
            Pages::Map => self.map(site),
            Pages::Unmap => self.unmap(site),
            Pages::Protect if site.number(2) & !PROT_EXEC != PROT_READ_WRITE => {
                Err(self.unsupported(site.thread, "mprotect with another protection"))
            }
            Pages::Advise if FORGETTING.contains(&(site.int(2) as u64)) => {
                Err(self.unsupported(site.thread, "madvise that throws memory away"))
            }
            Pages::Protect | Pages::Advise | Pages::Hint => Ok(Reply::int(0)),
        }
    }

    fn map(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (len, protection, flags) = (site.number(1), site.number(2), site.number(3));
        let what = if flags & MAP_ANONYMOUS == 0 {
            Some("mmap of a file")
        } else if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0 {
            Some("mmap at a fixed address")
        } else if protection & !PROT_EXEC != PROT_READ_WRITE {
            Some("mmap with another protection than reading and writing")
        } else if self.counts_blocks() {
            Some("mmap where lost memory is looked for")
        } else {
            None
        };
        if let Some(what) = what {
            return Err(self.unsupported(site.thread, what));
        }
        if len == 0 {
            return Ok(self.no_mapping(site, EINVAL));
        }
        let most = match self.memory.pointer_bytes {
            4 => 1 << 31,
            _ => 1 << 47,
        };
        let fails = len >= most
            || self.config.surroundings.malloc_may_fail
                && self.ask_index(site.thread, site.inputs, InputKind::Allocation, 2)? == 1;
        if fails {
            return Ok(self.no_mapping(site, ENOMEM));
        }
        let size = len.next_multiple_of(PAGE);
        let thread = site.thread.id;
        let object = self
            .memory
            .add_heap(thread, MAPPING, size, PAGE, true, None)?;
        Ok(Reply::pointer(self.memory.pointer(object, 0)))
    }

    fn no_mapping(&mut self, site: &mut Site, error: i32) -> Reply {
        self.set_errno(site.thread, error);
        Reply::Return(Value::Bits(u64::MAX))
    }

    fn unmap(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let pointer = self.pointer_arg(site, 0);
        if self.is_shared(site, pointer) && !site.call.allow {
            return Ok(Reply::Wait(self.freeing(pointer)));
        }
        let invalid =
            |message: String| Err(self.violated(site.thread, ViolationKind::InvalidFree, message));
        let Some((object, offset)) = self.memory.offset(pointer) else {
            return invalid("munmap of a pointer that points to no mapping".to_owned());
        };
        let name = self.object_name(object);
        let Some(data) = self.memory.header(object).filter(|o| o.origin == MAPPING) else {
            return invalid(format!("munmap of {name}, which is no mapping"));
        };
        let (is_alive, size) = (data.is_alive, data.size);
        if offset != 0 || site.number(1).checked_next_multiple_of(PAGE) != Some(size) {
            return Err(self.unsupported(site.thread, "munmap of a part of a mapping"));
        }
        if !is_alive {
            let message = format!("{name} is unmapped a second time");
            return Err(self.violated(site.thread, ViolationKind::DoubleFree, message));
        }
        self.note_accesses(self.freeing(pointer).accesses);
        if self.trace.is_some() && self.is_shared(site, pointer) {
            self.record(site.thread, Effect::Free { place: name });
        }
        if self.config.surroundings.address_reuse {
            self.exclude(Excluded::AddressReuse);
        }
        self.end_block(object);
        Ok(Reply::int(0))
    }
}
