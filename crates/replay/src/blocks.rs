//! Questions about all heap blocks at once: which of them are alive, which can
//! still be reached, which one of several a block is.

use crate::footprint::Look;
use crate::memory::{Memory, Origin};
use crate::object::{Area, Object, ObjectId};

impl Memory {
    /// Live heap objects that cannot be reached from the known ones, nor from any
    /// variable, except those of threads that are over.
    pub fn unreachable_heap(
        &self,
        known: Vec<ObjectId>,
        is_over: impl Fn(usize) -> bool,
    ) -> Vec<ObjectId> {
        self.footprint.note(Look::Everything);
        let mut reached = std::collections::HashSet::new();
        let mut open = known;
        let stacks = self.arenas.iter().enumerate();
        let stacks = stacks.filter(|(thread, _)| !is_over(*thread));
        let heaps = self.arenas.iter().flat_map(|arena| &arena.heap);
        let roots = (self.globals.iter())
            .chain(stacks.flat_map(|(_, arena)| &arena.stack))
            .chain(heaps.filter(|object| !matches!(object.origin, Origin::Heap(_))));
        for root in roots {
            self.add_targets(root, &mut open);
        }
        while let Some(id) = open.pop() {
            if reached.insert(id)
                && let Some(object) = self.get(id)
            {
                self.add_targets(object, &mut open);
            }
        }
        self.live_heap()
            .filter(|id| !reached.contains(id))
            .collect()
    }

    /// What an object points to, be it by pointers or by integers.
    fn add_targets(&self, object: &Object, found: &mut Vec<ObjectId>) {
        found.extend(object.pointers.values());
        let numbers = object.numbers(self.pointer_bytes, self.is_open);
        found.extend(numbers.filter_map(|number| self.resolve(number).object));
    }

    pub fn live_heap(&self) -> impl Iterator<Item = ObjectId> {
        self.footprint.note(Look::Everything);
        self.arenas.iter().enumerate().flat_map(|(thread, arena)| {
            arena
                .heap
                .iter()
                .enumerate()
                .filter(|(_, object)| object.is_alive && matches!(object.origin, Origin::Heap(_)))
                .map(move |(slot, _)| ObjectId::new(thread, Area::Heap, slot, 1))
        })
    }

    /// The how-many-eth block from its allocation site this is, from 1; 0 if it
    /// is no heap block.
    pub fn ordinal_at_site(&self, id: ObjectId) -> usize {
        let Some(object) = self.even_dead(id).filter(|_| id.area() == Area::Heap) else {
            return 0;
        };
        let mut blocks = self.arenas.iter().enumerate().flat_map(|(thread, arena)| {
            (arena.heap.iter().enumerate()).map(move |(slot, object)| ((thread, slot), object))
        });
        1 + blocks
            .by_ref()
            .take_while(|(place, _)| *place != (id.thread(), id.slot()))
            .filter(|(_, other)| other.origin == object.origin)
            .count()
    }
}
