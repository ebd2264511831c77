//! Accesses to memory by library functions, which are not carried out piece by
//! piece: they are noted, and added to the graph when the function is done. They see
//! the newest only; where a model leaves them a choice, that is not supported.

use super::graph::{Kind, Order, Range};
use super::{add_newest, cover, snapshot_of};
use crate::access::AccessMode;
use crate::machine::{Machine, Stop};
use crate::memory::ObjectId;
use crate::snapshot::Snapshot;
use crate::thread::{Access, Thread};
use std::rc::Rc;

/// An access that was made.
#[derive(Clone)]
pub(crate) struct Noted {
    range: Range,
    what: What,
    order: Order,
    /// What was there before.
    before: Snapshot,
    is_private: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Read,
    Write,
    Free,
}

impl<'a> Machine<'a> {
    /// A checked access is about to be made.
    pub(crate) fn note_access(
        &mut self,
        thread: &Thread,
        (object, offset): (ObjectId, u64),
        len: u64,
        mode: AccessMode,
    ) -> Result<(), Stop> {
        let is_constant = (self.memory.header(object)).is_some_and(|o| o.is_constant);
        if is_constant || len == 0 {
            return Ok(());
        }
        if thread.atomic_depth > 0 {
            let what = "an atomic section under a weak memory model";
            return Err(self.unsupported(thread, what));
        }
        let what = match mode.is_write {
            true => What::Write,
            false => What::Read,
        };
        self.note(what, Order::NotAtomic, (object, offset), len);
        Ok(())
    }

    /// A synchronisation object tells those who look at its memory that it is done.
    pub(crate) fn note_release(&mut self, object: ObjectId, offset: u64) {
        if self.is_weak() {
            self.note(What::Write, Order::Release, (object, offset), 1);
        }
    }

    /// Memory is about to be given back.
    pub(crate) fn note_frees(&mut self, accesses: &[Access]) {
        if self.is_weak() {
            for access in accesses {
                let place = (access.object, access.offset);
                self.note(What::Free, Order::NotAtomic, place, access.len);
            }
        }
    }

    fn note(&mut self, what: What, order: Order, (object, offset): (ObjectId, u64), len: u64) {
        let range = Range {
            object,
            offset,
            len,
        };
        let before = snapshot_of(&self.memory, &range);
        let is_private = !self.memory.is_shared(object);
        if let Some(weak) = &mut self.weak {
            weak.noted.push(Noted {
                range,
                what,
                order,
                before,
                is_private,
            });
        }
    }

    pub(crate) fn take_noted(&mut self) -> Vec<Noted> {
        let weak = self.weak.as_mut();
        weak.map_or(Vec::new(), |weak| std::mem::take(&mut weak.noted))
    }

    /// Puts back what was noted for a call that is not over yet.
    pub(crate) fn restore_noted(&mut self, noted: Vec<Noted>) {
        if let Some(weak) = &mut self.weak {
            weak.noted = noted;
        }
    }

    /// Adds what was noted to the graph: the instruction is done.
    pub(crate) fn settle_noted(&mut self, thread: &Thread) -> Result<(), Stop> {
        for noted in self.take_noted() {
            self.add_noted(thread, noted)?;
        }
        Ok(())
    }

    fn add_noted(&mut self, thread: &Thread, noted: Noted) -> Result<(), Stop> {
        let Noted {
            range,
            what,
            order,
            before,
            is_private,
        } = noted;
        let kind = match what {
            What::Read => Kind::Read(range),
            What::Write => Kind::Write(range),
            What::Free => Kind::Free(range),
        };
        let mut event = self.new_event(thread, kind, order);
        if let Some(weak) = &mut self.weak {
            let graph = match is_private {
                true => weak.logs.entry(range.object).or_default(),
                false => {
                    weak.open_log(range.object);
                    &mut weak.graph
                }
            };
            let part = |gap: &Range| {
                let start = (gap.offset - range.offset) as usize;
                before.part(start, gap.len as usize)
            };
            cover(graph, &range, part);
        }
        let is_open = match what {
            _ if is_private => false,
            What::Read => self.sources(thread, &event)?.len() > 1,
            What::Write => match self.trial(&event).map(|mut trial| trial.places()) {
                Some(Ok(places)) => places.len() > 1,
                Some(Err(_)) => true,
                None => false,
            },
            What::Free => false,
        };
        if is_open {
            let what = "a library function that accesses memory of which this memory model \
                        leaves open what is seen";
            return Err(self.unsupported(thread, what));
        }
        if what == What::Write {
            event.value = Some(Rc::new(snapshot_of(&self.memory, &range)));
        }
        let Some(weak) = &mut self.weak else {
            return Ok(());
        };
        if is_private {
            weak.log(event);
            return Ok(());
        }
        let id = add_newest(&mut weak.graph, event);
        self.notice_unordered(thread, id);
        if let Some(weak) = &mut self.weak {
            weak.fold(thread.id);
        }
        Ok(())
    }
}
