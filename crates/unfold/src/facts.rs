//! What unfolding knows about a program beyond one pass: the objects and threads
//! it has met, and what earlier passes found out about them. One file per kind of
//! fact; those that only one part of unfolding asks for are beside that part.
//!
//! Facts only ever grow. A pass may rely on facts that turn out to be too small;
//! what it then sees makes them larger, and another pass follows. Values of shared
//! memory are the exception: they are forgotten when memory is cut anew.

pub(crate) mod channels;
pub(crate) mod objects;
pub(crate) mod shared_values;
pub(crate) mod sharing;
pub(crate) mod sync;
pub(crate) mod threads;
pub(crate) mod unwritten;

use crate::address_reuse::FreedAddresses;
use crate::extents::Extents;
use crate::large_arrays::LargeArrays;
use crate::leaks::StoredAddresses;
use channels::Channels;
use ir::Program;
use objects::Objects;
use shared_values::SharedValues;
use sharing::Sharing;
use sync::SyncFacts;
use threads::ThreadNames;
use unwritten::UnwrittenFacts;

/// Whether a pass has seen something new.
#[derive(Clone, Copy, Default)]
pub(crate) struct Growth(bool);

impl Growth {
    pub(crate) fn note(&mut self, is_new: bool) {
        self.0 |= is_new;
    }
}

pub(crate) struct Facts {
    pub objects: Objects,
    pub threads: ThreadNames,
    pub sharing: Sharing,
    pub values: SharedValues,
    pub sync: SyncFacts,
    pub channels: Channels,
    pub unwritten: UnwrittenFacts,
    pub freed: FreedAddresses,
    pub arrays: LargeArrays,
    pub stored: StoredAddresses,
    pub extents: Extents,
    /// How many instructions main executes before other threads may see its memory.
    pub alone_until: Option<u64>,
}

impl Facts {
    pub(crate) fn of(program: &Program) -> Facts {
        Facts {
            objects: Objects::of(program),
            threads: ThreadNames::default(),
            sharing: Sharing::default(),
            values: SharedValues::new(crate::values::Layout::of(program)),
            sync: SyncFacts::default(),
            channels: Channels::default(),
            unwritten: UnwrittenFacts::default(),
            freed: FreedAddresses::default(),
            arrays: LargeArrays::default(),
            stored: StoredAddresses::default(),
            extents: Extents::default(),
            alone_until: None,
        }
    }

    fn growths(&mut self) -> [&mut Growth; 10] {
        [
            &mut self.objects.growth,
            &mut self.threads.growth,
            &mut self.sharing.growth,
            &mut self.sync.growth,
            &mut self.channels.growth,
            &mut self.unwritten.growth,
            &mut self.freed.growth,
            &mut self.arrays.growth,
            &mut self.stored.growth,
            &mut self.extents.growth,
        ]
    }

    pub(crate) fn begin_pass(&mut self) {
        for growth in self.growths() {
            *growth = Growth::default();
        }
        self.values.begin_pass();
        self.arrays.begin_pass();
    }

    /// Draws conclusions from a pass: cuts objects anew. Values are forgotten when
    /// the cuts have changed, since they belong to pieces. Returns whether the pass
    /// has seen anything new, values aside.
    pub(crate) fn conclude(&mut self) -> bool {
        if self.sharing.cut(&self.objects) {
            self.values.forget();
        }
        self.growths().into_iter().any(|growth| growth.0)
    }
}
