//! Thread-specific data: keys, and a value of each thread for each of them.

use super::{EINVAL, Reply, Site};
use crate::footprint::Look;
use crate::machine::{AccessMode, Key, Machine, Stop};
use crate::thread::{Pending, Wait};
use crate::value::{Pointer, Value};
use ir::Type;
use library::Keys;

impl<'a> Machine<'a> {
    pub(crate) fn keys_model(&mut self, site: &mut Site, op: Keys) -> Result<Reply, Stop> {
        self.footprint.note(Look::Rest);
        match op {
            Keys::Create => {
                let place = self.pointer_arg(site, 0);
                if !site.call.allow {
                    return Ok(Reply::Wait(self.pending_write(site, place, 4)));
                }
                let mut pending = Pending::default();
                let Some((object, offset)) =
                    self.model_access(site, place, 4, AccessMode::WRITE, &mut pending)?
                else {
                    return Ok(Reply::Wait(pending));
                };
                let destructor = match site.number(1) {
                    0 => None,
                    _ => Some(self.function_behind(site.thread, &site.arg(1))?),
                };
                self.keys.push(Key {
                    destructor,
                    is_alive: true,
                });
                let number = Value::Bits(self.keys.len() as u64 - 1);
                self.memory.write(object, offset, &Type::Int(32), &number);
                Ok(Reply::int(0))
            }
            Keys::Delete => {
                if let Some(reply) = self.gate(site, Wait::Nothing)? {
                    return Ok(reply);
                }
                Ok(match self.keys.get_mut(site.number(0) as usize) {
                    Some(key) if key.is_alive => {
                        key.is_alive = false;
                        Reply::int(0)
                    }
                    _ => Reply::int(EINVAL),
                })
            }
            Keys::Get => {
                let key = site.number(0) as usize;
                let value = site.thread.key_values.iter().find(|(id, _)| *id == key);
                Ok(Reply::Return(
                    value.map_or(Value::Pointer(Pointer::NULL), |(_, value)| value.clone()),
                ))
            }
            Keys::Set => {
                let key = site.number(0) as usize;
                if !self.keys.get(key).is_some_and(|key| key.is_alive) {
                    return Ok(Reply::int(EINVAL));
                }
                if let Some(argument) = site.call.args.get(1) {
                    self.note_open(&argument.shadow);
                }
                let value = site.arg(1);
                match site.thread.key_values.iter_mut().find(|(id, _)| *id == key) {
                    Some(entry) => entry.1 = value,
                    None => {
                        site.thread.key_values.push((key, value));
                        site.thread.key_values.sort_by_key(|(id, _)| *id);
                    }
                }
                Ok(Reply::int(0))
            }
        }
    }
}
