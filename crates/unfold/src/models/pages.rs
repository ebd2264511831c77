//! Memory in pages. A mapping is a block that has another way to be made and ended.

use super::{EINVAL, ENOMEM};
use crate::Error;
use crate::calls::{Call, Reply};
use crate::facts::objects::{Content, Object, ObjectId, ObjectKey};
use crate::omissions::{Maker, Omission};
use crate::pass::{Frame, Pass, State};
use library::Pages;

pub(super) const PAGE: u64 = 4096;

/// Tells mappings from other blocks.
const MAPPING: u32 = 400;

const PROT_READ_WRITE: u128 = 3;

const PROT_EXEC: u128 = 4;

const MAP_FIXED: u128 = 0x10;

const MAP_ANONYMOUS: u128 = 0x20;

const MAP_FIXED_NOREPLACE: u128 = 0x10_0000;

impl<'p> Pass<'p> {
    pub(crate) fn pages_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Pages,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Pages::Map => self.map(state, frame, call),
            Pages::Unmap => self.unmap(state, frame, call),
            Pages::Protect => {
                let protection = self.constant_argument(frame, call, 2)?;
                match protection & !PROT_EXEC == PROT_READ_WRITE {
                    true => self.reply(0),
                    false => Err(self.unsupported(frame, "mprotect with another protection")),
                }
            }
            Pages::Advise => match self.constant_argument(frame, call, 2)? {
                // `MADV_DONTNEED`, `MADV_FREE` and `MADV_REMOVE`.
                4 | 8 | 9 => Err(self.unsupported(frame, "madvise that throws memory away")),
                _ => self.reply(0),
            },
            Pages::Hint => self.reply(0),
        }
    }

    /// An argument that decides whether there is a model at all.
    pub(super) fn constant_argument(
        &mut self,
        frame: &Frame,
        call: &Call,
        index: usize,
    ) -> Result<u128, Error> {
        let number = self.argument(call, index);
        let symbol = &self.program.functions[call.function].symbol;
        let what = || format!("{symbol} with an argument that is not constant");
        let constant = self.terms.as_constant(number);
        constant.ok_or_else(|| self.unsupported(frame, what()))
    }

    pub(super) fn is_mapping(&self, object: ObjectId) -> bool {
        matches!(&self.facts.objects[object].key,
            ObjectKey::Heap(instance) if instance.index == MAPPING)
    }

    fn map(&mut self, state: &mut State, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let len = self.constant_argument(frame, call, 1)?;
        let protection = self.constant_argument(frame, call, 2)?;
        let flags = self.constant_argument(frame, call, 3)?;
        if flags & MAP_ANONYMOUS == 0 {
            return Err(self.unsupported(frame, "mmap of a file"));
        }
        if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0 {
            return Err(self.unsupported(frame, "mmap at a fixed address"));
        }
        if protection & !PROT_EXEC != PROT_READ_WRITE {
            let what = "mmap with another protection than reading and writing";
            return Err(self.unsupported(frame, what));
        }
        if self.counts_blocks() {
            return Err(self.unsupported(frame, "mmap where lost memory is looked for"));
        }
        let width = self.word();
        let failed = self.terms.constant(width, u128::MAX >> (128 - width));
        let (most, always) = (1u128 << (width.min(48) - 1), self.truth());
        if len == 0 || len >= most {
            let error = self.int(if len == 0 { EINVAL } else { ENOMEM });
            self.set_errno(state, always, error);
            return Ok(Reply::Return(failed));
        }
        let size = (len as u64).next_multiple_of(PAGE);
        self.check_size(frame, size)?;
        let key = ObjectKey::Heap(self.instance(frame, state, MAPPING));
        let owner = self.threads.current();
        let object = self.facts.objects.make(key.clone(), || Object {
            key,
            size,
            name: "a mapping".to_owned(),
            is_constant: false,
            owner,
            starts_as: Content::Zero,
        });
        state.memory.create(object);
        self.track_unwritten(state, object);
        let mapping = self.address(object, 0);
        if !self.options.surroundings.malloc_may_fail {
            return Ok(Reply::Return(mapping));
        }
        let is_lost = self.is_allocation_lost(frame);
        let error = self.int(ENOMEM);
        self.set_errno(state, is_lost, error);
        Ok(Reply::Return(self.terms.ite(is_lost, failed, mapping)))
    }

    fn unmap(&mut self, state: &mut State, frame: &Frame, call: &Call) -> Result<Reply, Error> {
        let pointer = self.argument(call, 0);
        let len = self.constant_argument(frame, call, 1)?;
        let whole = self.resolve(frame, pointer, 0, true)?;
        for target in &whole.list {
            let size = u128::from(self.facts.objects[target.object].size);
            let is_whole = target.offset == 0 && len.next_multiple_of(u128::from(PAGE)) == size;
            if self.is_mapping(target.object) && !is_whole {
                return Err(self.unsupported(frame, "munmap of a part of a mapping"));
            }
        }
        let (targets, is_noticed) = self.mappings_behind(frame, pointer)?;
        let Ok(position) = self.begin_step(state, frame, &targets, 0, 0, is_noticed) else {
            return Ok(Reply::Never);
        };
        if self.options.surroundings.address_reuse {
            let omission = Omission::OwnAddress(Maker::Mappings);
            self.findings.note_omission(omission);
        }
        self.note_freeing(state, position, &targets);
        self.end_lives(state, position, &targets);
        self.reply(0)
    }
}
