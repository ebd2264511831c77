//! Attribute objects of threads, mutexes and so on. Each attribute is one byte of
//! the object, as the library's tables say; their initial values are zero.

use super::{EINVAL, ENOTSUP, Reply, Site};
use crate::machine::{AccessMode, Machine, Stop};
use crate::thread::Pending;
use crate::value::{Pointer, Value};
use ir::Type;
use library::Attribute;

/// What glibc wants for a stack at least.
const SMALLEST_STACK: u64 = 16384;

impl<'a> Machine<'a> {
    /// The value of an attribute; 0 if there is no object, or nobody made it.
    pub(crate) fn attribute(&self, attributes: Pointer, at: u8) -> u8 {
        let place = self.advanced(attributes, u64::from(at));
        match self.memory.check(place, 1, false) {
            Ok((object, offset)) if self.memory.is_initialised(object, offset, 1) => {
                self.memory.bytes(object, offset, 1)[0]
            }
            _ => 0,
        }
    }

    pub(crate) fn init_attributes(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        self.write_int(site, 0, 0)
    }

    pub(crate) fn set_attribute(
        &mut self,
        site: &mut Site,
        attribute: Attribute,
    ) -> Result<Reply, Stop> {
        let allowed = i32::from(attribute.least)..=i32::from(attribute.most);
        let value = site.int(1);
        if !allowed.contains(&value) {
            return Ok(Reply::int(EINVAL));
        }
        let place = self.advanced(self.pointer_arg(site, 0), u64::from(attribute.at));
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, place, 1, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        self.memory.write_bytes(object, offset, &[value as u8]);
        Ok(Reply::int(0))
    }

    pub(crate) fn get_attribute(
        &mut self,
        site: &mut Site,
        attribute: Attribute,
    ) -> Result<Reply, Stop> {
        let value = self.attribute(self.pointer_arg(site, 0), attribute.at);
        self.write_int(site, 1, i32::from(value.max(attribute.least)))
    }

    pub(crate) fn set_scope(&self, site: &Site) -> Reply {
        Reply::int(match site.int(1) {
            0 => 0,
            1 => ENOTSUP,
            _ => EINVAL,
        })
    }

    pub(crate) fn set_stack_size(&self, site: &Site) -> Reply {
        Reply::int(match site.number(1) {
            ..SMALLEST_STACK => EINVAL,
            _ => 0,
        })
    }

    /// Stores an int through a pointer argument and returns 0.
    fn write_int(&mut self, site: &mut Site, index: usize, value: i32) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, index);
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, place, 4, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        let value = Value::Bits(u64::from(value as u32));
        self.memory.write(object, offset, &Type::Int(32), &value);
        Ok(Reply::int(0))
    }
}
