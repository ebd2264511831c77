//! The threads that unfolding has met, and their keys for thread-specific data, under
//! names that stay the same from pass to pass.

use super::Growth;
use super::objects::Instance;
use crate::threads::ThreadId;
use ir::FunctionId;
use std::collections::HashMap;

pub(crate) struct ThreadNames {
    /// Threads by where they are created, and what they run.
    ids: HashMap<(Instance, FunctionId), ThreadId>,
    count: u32,
    /// Keys by where they are made.
    keys: HashMap<Instance, u32>,
    pub(super) growth: Growth,
}

impl Default for ThreadNames {
    /// Main is there from the start.
    fn default() -> ThreadNames {
        ThreadNames {
            ids: HashMap::new(),
            count: 1,
            keys: HashMap::new(),
            growth: Growth::default(),
        }
    }
}

impl ThreadNames {
    /// The thread that an instruction creates. Numbers are in order of discovery.
    pub(crate) fn thread(&mut self, instance: Instance, function: FunctionId) -> ThreadId {
        let ThreadNames {
            ids, count, growth, ..
        } = self;
        *ids.entry((instance, function)).or_insert_with(|| {
            growth.note(true);
            *count += 1;
            ThreadId::from_u32(*count - 1)
        })
    }

    /// The key for thread-specific data that an instruction makes.
    pub(crate) fn key(&mut self, instance: Instance) -> u32 {
        let next = self.keys.len() as u32;
        let growth = &mut self.growth;
        *self.keys.entry(instance).or_insert_with(|| {
            growth.note(true);
            next
        })
    }

    pub(crate) fn key_count(&self) -> u32 {
        self.keys.len() as u32
    }

    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }
}
