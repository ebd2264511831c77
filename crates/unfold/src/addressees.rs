//! Who has which address, for those who replay a run: an input may happen to be the
//! address of an object, which the checker and the interpreter number differently.

use crate::facts::objects::{FrameKey, ObjectId, ObjectKey};
use crate::pass::Pass;
use crate::threads::ThreadId;
use ir::{FunctionId, GlobalId, InstId};
use std::collections::HashMap;

/// An object that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    Global(GlobalId),
    ThreadLocal(ThreadId, GlobalId),
    Function(FunctionId),
    /// The innermost local that a thread has made with this instruction.
    Local(ThreadId, FunctionId, InstId),
    /// A block, by the thread and the execution that make it.
    Block(ThreadId, usize),
}

impl Pass<'_> {
    /// By number, the object. Some of the surroundings have none that a program
    /// would name.
    pub(crate) fn addressees(
        &self,
        numbers: &HashMap<ThreadId, ThreadId>,
    ) -> HashMap<u32, Addressee> {
        let objects = self.facts.objects.numbered_objects();
        let found =
            objects.filter_map(|(number, object)| Some((number, self.addressee(object, numbers)?)));
        found.collect()
    }

    fn addressee(
        &self,
        object: ObjectId,
        numbers: &HashMap<ThreadId, ThreadId>,
    ) -> Option<Addressee> {
        let data = &self.facts.objects[object];
        Some(match &data.key {
            ObjectKey::Global(global) => Addressee::Global(*global),
            ObjectKey::ThreadLocal(thread, global) => {
                Addressee::ThreadLocal(*numbers.get(thread)?, *global)
            }
            ObjectKey::Function(function) => Addressee::Function(*function),
            ObjectKey::Local(instance) if instance.index == 0 => {
                let function = match &self.facts.objects.frame_key(instance.frame) {
                    FrameKey::Thread(_, function) | FrameKey::Call(_, function) => *function,
                };
                Addressee::Local(*numbers.get(&data.owner)?, function, instance.inst)
            }
            ObjectKey::Heap(_) => {
                let (thread, execution) = self.tables.allocations.get(object)?;
                Addressee::Block(*numbers.get(&thread)?, execution)
            }
            _ => return None,
        })
    }
}
