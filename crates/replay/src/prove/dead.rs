//! Variables that nobody will read any more.
//!
//! What a global variable holds makes no difference from a state on if no thread may
//! ever read it, or synchronise with it, from there on: then the state is that in
//! which it holds what it held at first. What threads may still do comes from
//! [`analysis::Futures`], which forgets nothing; writes alone do not count, since a
//! write to a variable does the same whatever was there.
//!
//! Who asks which memory is lost has to know all pointers; there is no reduction at
//! all then ([`super::alone`]).

use super::alone::{Alone, Mistake};
use super::components::{Components, SlotIndex};
use analysis::ObjectId;
use analysis::futures::Manner;

#[derive(Default)]
pub(super) struct DeadMemory {
    /// Slots of global variables, with what stands for them.
    globals: Vec<(SlotIndex, Vec<ObjectId>)>,
    /// Slots that were looked at.
    known_slots: usize,
    /// For tests: who forgets what `main` reads.
    ignores_main: bool,
}

impl DeadMemory {
    pub(super) fn new(mistake: Option<Mistake>) -> DeadMemory {
        DeadMemory {
            ignores_main: mistake == Some(Mistake::ForgetsWhatIsRead),
            ..DeadMemory::default()
        }
    }

    fn find_globals(&mut self, components: &Components, alone: &Alone) {
        for slot in self.known_slots..components.slot_count() {
            if let Some(object) = components.global(slot) {
                let objects = alone.objects(object);
                if !objects.is_empty() {
                    self.globals.push((slot, objects));
                }
            }
        }
        self.known_slots = components.slot_count();
    }

    /// Forgets what nobody reads, in a state whose threads are these.
    pub(super) fn forget(
        &mut self,
        components: &Components,
        alone: &Alone,
        threads: &[(usize, u32)],
        row: &mut Vec<u32>,
    ) {
        if self.known_slots < components.slot_count() {
            self.find_globals(components, alone);
        }
        let mut has_changed = false;
        for (slot, objects) in &self.globals {
            let Some(content) = row.get_mut(*slot) else {
                continue;
            };
            let first = components.first(*slot);
            if *content == first {
                continue;
            }
            let mut readers = threads.iter();
            let is_read = readers.any(|(thread, content)| {
                let Some(future) = alone.future(*content) else {
                    return true;
                };
                let looks = |object: &ObjectId| {
                    let manners = [Manner::Reads, Manner::Waits, Manner::Synchronises];
                    manners.iter().any(|manner| future.has(*object, *manner))
                };
                future.may_do_anything
                    || objects.iter().any(looks) && !(self.ignores_main && *thread == 0)
            });
            if !is_read {
                *content = first;
                has_changed = true;
            }
        }
        if has_changed {
            components.trim(row);
        }
    }
}
