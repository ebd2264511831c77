//! Clocks and sleep: what they tell is an input.

use super::{Reply, Site};
use crate::inputs::{Domain, InputKind};
use crate::machine::{AccessMode, Machine, Stop};
use crate::thread::Pending;
use crate::value::{self, Value};
use ir::Type;
use library::Time;

impl<'a> Machine<'a> {
    pub(crate) fn time_model(&mut self, site: &mut Site, op: Time) -> Result<Reply, Stop> {
        let word = self.memory.pointer_bytes;
        let long = Type::Int(8 * word as u32);
        match op {
            Time::Sleep => Ok(Reply::int(0)),
            Time::Clock => {
                let value = self.ask(
                    site.thread,
                    site.inputs,
                    InputKind::Environment,
                    Domain::Bits(31),
                )?;
                Ok(Reply::Return(Value::Bits(value as u64)))
            }
            Time::Time => {
                let place = self.pointer_arg(site, 0);
                let mut target = None;
                if place.address != 0 {
                    let mut pending = Pending::default();
                    target =
                        self.model_access(site, place, word, AccessMode::WRITE, &mut pending)?;
                    if target.is_none() {
                        return Ok(Reply::Wait(pending));
                    }
                }
                let value = self.ask(
                    site.thread,
                    site.inputs,
                    InputKind::Environment,
                    Domain::Bits(31),
                )?;
                let value = Value::Bits(value as u64);
                if let Some((object, offset)) = target {
                    self.memory.write(object, offset, &long, &value);
                }
                Ok(Reply::Return(value))
            }
            Time::GetTimeOfDay => self.store_time(site, 0, 20, None),
            Time::ClockGetTime => {
                // `timespec_get(time, base)` returns the base.
                let is_c11 =
                    self.image.program.functions[site.call.function].symbol == "timespec_get";
                let index = if is_c11 { 0 } else { 1 };
                let reply = self.store_time(site, index, 29, None)?;
                Ok(match reply {
                    Reply::Return(_) if is_c11 => Reply::int(site.int(1)),
                    other => other,
                })
            }
            Time::ClockGetResolution => self.store_time(site, 1, 29, Some((0, 1))),
            Time::Difference => {
                let signed = |index: usize| {
                    let argument = &site.call.args[index];
                    value::sign_extend(argument.value.bits(), self.width(&argument.ty))
                };
                if site.call.args.len() < 2 {
                    return Ok(Reply::NOTHING);
                }
                let difference = (signed(0) - signed(1)) as f64;
                Ok(Reply::Return(Value::Bits(difference.to_bits())))
            }
        }
    }

    /// Stores seconds and a fraction below `2^fraction_bits` through a pointer
    /// argument, and returns 0.
    fn store_time(
        &mut self,
        site: &mut Site,
        index: usize,
        fraction_bits: u32,
        fixed: Option<(u64, u64)>,
    ) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, index);
        if place.address == 0 {
            return Ok(Reply::int(0));
        }
        let word = self.memory.pointer_bytes;
        let long = Type::Int(8 * word as u32);
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, place, 2 * word, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        let (seconds, fraction) = match fixed {
            Some(fixed) => fixed,
            None => {
                let mut ask = |bits| {
                    self.ask(
                        site.thread,
                        site.inputs,
                        InputKind::Environment,
                        Domain::Bits(bits),
                    )
                };
                (ask(31)? as u64, ask(fraction_bits)? as u64)
            }
        };
        // All values of so many bits are below a million, or a thousand million.
        let limit = if fraction_bits == 20 {
            999_999
        } else {
            999_999_999
        };
        self.memory
            .write(object, offset, &long, &Value::Bits(seconds));
        let fraction = Value::Bits(fraction.min(limit));
        self.memory.write(object, offset + word, &long, &fraction);
        Ok(Reply::int(0))
    }
}
