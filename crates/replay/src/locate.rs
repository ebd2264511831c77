//! Where things are, for inputs that are meant to be addresses.

use crate::inputs::{Addressed, Addressee};
use crate::machine::Machine;

impl Machine<'_> {
    /// The address of an object that exists.
    pub(crate) fn address_of(&self, addressed: Addressed) -> Option<u64> {
        let base = match addressed.object {
            Addressee::Global(global) => {
                let object = self.image.global(global)?;
                self.memory.pointer(object, 0).address
            }
            Addressee::ThreadLocal(thread, global) => {
                let object = self.threads.get(thread)?.locals.get(&global)?;
                self.memory.pointer(*object, 0).address
            }
            Addressee::Function(function) => self.image.function_address(function).address,
            Addressee::Local(thread, function, inst) => {
                self.memory.innermost_local(thread, function, inst)?
            }
            Addressee::Block(allocation) => self.counter.as_ref()?.address(allocation)?,
        };
        Some(self.memory.wrap(base.wrapping_add(addressed.offset)))
    }
}
