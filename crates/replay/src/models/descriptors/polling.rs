//! Waiting for one of several descriptors: `poll`.
//!
//! What the entries are about is looked up at a step of its own, the answer is given at
//! another.

use super::place_of;
use crate::descriptors::{Demand, ERR, File, HUP, NVAL};
use crate::event::Effect;
use crate::machine::{AccessMode, Machine, Stop};
use crate::models::{EINVAL, Reply, Site};
use crate::thread::{Pending, Phase, Polled, Wait, Watched};
use crate::value::{Pointer, Value};
use crate::weak::Passage;
use ir::Type;

/// Entries, more than anybody has descriptors.
const MOST_POLLED: u64 = 1024;

impl Machine<'_> {
    /// `poll(entries, count, timeout)`.
    pub(super) fn poll(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (entries, size) = (self.pointer_arg(site, 0), site.number(1));
        if size > MOST_POLLED {
            return Ok(self.fail(site, EINVAL));
        }
        let phase = site.thread.frame().map(|frame| frame.phase.clone());
        let watched = match phase {
            Some(Phase::Polling(watched)) => watched,
            _ => {
                if !site.call.allow {
                    let mut pending = Pending::default();
                    let mode = AccessMode::READ;
                    let _ = self.model_access(site, entries, 8 * size, mode, &mut pending);
                    return Ok(Reply::Wait(pending));
                }
                let watched = self.watched(site, entries, size)?;
                for one in &watched {
                    if let Polled::End(end) = one.what {
                        self.hold(File::End(end));
                    }
                }
                self.set_phase(site, Phase::Polling(watched));
                return Ok(Reply::Continue);
            }
        };
        let demands = watched.iter().filter_map(|one| match one.what {
            Polled::End(end) => Some(Demand::Ready {
                end,
                events: one.events | ERR | HUP,
            }),
            _ => None,
        });
        let is_over = watched.iter().any(|one| one.what == Polled::Bad);
        let wait = match site.int(2) < 0 && !is_over {
            true => Wait::Files(demands.collect()),
            false => Wait::Nothing,
        };
        if let Some(reply) = self.gate(site, wait)? {
            return Ok(reply);
        }
        if let Some(reply) = self.leaves(site)? {
            return Ok(reply);
        }
        let mut ready = 0;
        for (at, one) in (6..).step_by(8).zip(&watched) {
            let told = match one.what {
                Polled::Nothing => 0,
                Polled::Bad => NVAL,
                Polled::End(end) => {
                    self.pass(site.thread, place_of(end), Passage::Acquire);
                    self.kernel.descriptors.events(end) & (one.events | ERR | HUP)
                }
            };
            ready += i32::from(told != 0);
            let place = self.advanced(entries, at);
            let mut pending = Pending::default();
            let target = self.model_access(site, place, 2, AccessMode::WRITE, &mut pending)?;
            if let Some((object, offset)) = target {
                let told = Value::Bits(told.into());
                self.memory.write(object, offset, &Type::Int(16), &told);
            }
        }
        self.let_go(site);
        if self.trace.is_some() {
            let effect = Effect::Synchronise {
                verb: "poll",
                place: format!("{size} descriptors"),
                result: format!("{ready} ready"),
            };
            self.record(site.thread, effect);
        }
        Ok(Reply::int(ready))
    }

    /// What the entries are about.
    fn watched(
        &mut self,
        site: &mut Site,
        entries: Pointer,
        size: u64,
    ) -> Result<Vec<Watched>, Stop> {
        let mut watched = Vec::new();
        for index in 0..size {
            let place = self.advanced(entries, 8 * index);
            let mut pending = Pending::default();
            let target = self.model_access(site, place, 6, AccessMode::READ, &mut pending)?;
            let Some((object, offset)) = target else {
                return Ok(watched);
            };
            self.settle(site.thread, site.inputs, (object, offset), 6, false)?;
            for ty in [Type::Int(32), Type::Int(16)] {
                let at = offset + if ty == Type::Int(16) { 4 } else { 0 };
                let shadow = self.memory.shadow(object, at, &ty);
                self.note_open(&shadow);
            }
            let number = self.memory.read(object, offset, &Type::Int(32)).low_bits() as i32;
            let events = self
                .memory
                .read(object, offset + 4, &Type::Int(16))
                .low_bits();
            let what = match self.kernel.descriptors.file(number) {
                _ if number < 0 => Polled::Nothing,
                None => Polled::Bad,
                Some(File::End(end)) => Polled::End(end),
                Some(File::Outside) => {
                    return Err(self.unsupported(site.thread, "poll on a file"));
                }
            };
            watched.push(Watched {
                what,
                events: events as u16,
            });
        }
        Ok(watched)
    }
}
