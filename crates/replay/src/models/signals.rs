//! Signals, which never arrive: only sets of signals are stored.

use super::{Reply, Site};
use crate::machine::{AccessMode, Machine, Stop};
use crate::thread::Pending;
use library::Signals;

/// Bytes of a `sigset_t`.
const SET: usize = 128;

impl<'a> Machine<'a> {
    pub(crate) fn signals_model(&mut self, site: &mut Site, op: Signals) -> Result<Reply, Stop> {
        match op {
            Signals::MakeSet => {
                let is_full =
                    self.image.program.functions[site.call.function].symbol == "sigfillset";
                self.write_set(site, 0, if is_full { 0xff } else { 0 })
            }
            Signals::Mask if self.pointer_arg(site, 2).address != 0 => self.write_set(site, 2, 0),
            Signals::Action if self.pointer_arg(site, 2).address != 0 => {
                Err(self.unsupported(site.thread, "sigaction that asks for the old action"))
            }
            Signals::Mask | Signals::Action | Signals::ChangeSet | Signals::Handler => {
                Ok(Reply::int(0))
            }
        }
    }

    fn write_set(&mut self, site: &mut Site, index: usize, byte: u8) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, index);
        let mut pending = Pending::default();
        let len = SET as u64;
        let Some((object, offset)) =
            self.model_access(site, place, len, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        self.memory.write_bytes(object, offset, &[byte; SET]);
        Ok(Reply::int(0))
    }
}
