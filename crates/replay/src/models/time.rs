//! Clocks and sleep: what they tell is an input, and never less than before.

use super::{EINVAL, Reply, Site};
use crate::footprint::Look;
use crate::inputs::{Domain, InputKind};
use crate::kernel::Clock;
use crate::machine::{AccessMode, Machine, Stop};
use crate::thread::{Pending, Wait};
use crate::value::{self, Value};
use ir::Type;
use library::Time;

impl<'a> Machine<'a> {
    pub(crate) fn time_model(&mut self, site: &mut Site, op: Time) -> Result<Reply, Stop> {
        match op {
            Time::Sleep => {
                // A signal may arrive meanwhile.
                if self.config.surroundings.signals > 0
                    && let Some(reply) = self.gate(site, Wait::Nothing)?
                {
                    return Ok(reply);
                }
                Ok(Reply::int(0))
            }
            Time::Clock => {
                if self.must_wait_for_others(site) {
                    return Ok(Reply::Wait(Pending::default()));
                }
                let (value, _) = self.show(site, Clock::Process, 0)?;
                Ok(Reply::Return(Value::Bits(value)))
            }
            Time::Time => self.store_seconds(site),
            Time::GetTimeOfDay => self.store_time(site, 0, Some((Clock::Microseconds, 999_999))),
            Time::ClockGetTime => {
                // `timespec_get(time, base)` returns the base.
                let is_c11 =
                    self.image.program.functions[site.call.function].symbol == "timespec_get";
                let clock = match site.int(0) {
                    _ if is_c11 => Clock::Numbered(0),
                    // CLOCK_THREAD_CPUTIME_ID.
                    3 => Clock::OfThread(site.thread.id),
                    number @ 0..=11 => Clock::Numbered(number as u32),
                    _ => return Ok(self.fail(site, EINVAL)),
                };
                let index = if is_c11 { 0 } else { 1 };
                let reply = self.store_time(site, index, Some((clock, 999_999_999)))?;
                Ok(match reply {
                    Reply::Return(_) if is_c11 => Reply::int(site.int(1)),
                    other => other,
                })
            }
            Time::ClockGetResolution => self.store_time(site, 1, None),
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

    /// What a clock shows now: seconds, and parts of one up to a limit. It is never
    /// less than what it has shown before.
    fn show(&mut self, site: &mut Site, clock: Clock, limit: u64) -> Result<(u64, u64), Stop> {
        let kind = InputKind::Environment;
        let seconds = self.ask(site.thread, site.inputs, kind, Domain::Bits(31))? as u64;
        let bits = u64::BITS - limit.leading_zeros();
        let mut fraction = 0;
        if bits > 0 {
            let domain = Domain::Bits(bits);
            let answer = self.ask(site.thread, site.inputs, kind, domain)? as u64;
            fraction = answer.min(limit);
        }
        self.footprint.note(Look::Rest);
        let (last_seconds, last_fraction) =
            self.kernel.clocks.get(&clock).copied().unwrap_or_default();
        let shown = match seconds > last_seconds {
            true => (seconds, fraction),
            false => (last_seconds, fraction.max(last_fraction)),
        };
        self.kernel.clocks.insert(clock, shown);
        Ok(shown)
    }

    /// `time(place)`.
    fn store_seconds(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, 0);
        let word = self.memory.pointer_bytes;
        let mut pending = Pending::default();
        let mut target = None;
        let mut must_wait = self.must_wait_for_others(site);
        if place.address != 0 {
            target = self.model_access(site, place, word, AccessMode::WRITE, &mut pending)?;
            must_wait |= target.is_none();
        }
        if must_wait {
            return Ok(Reply::Wait(pending));
        }
        let (seconds, _) = self.show(site, Clock::Seconds, 0)?;
        let value = Value::Bits(seconds);
        if let Some((object, offset)) = target {
            let long = Type::Int(8 * word as u32);
            self.memory.write(object, offset, &long, &value);
        }
        Ok(Reply::Return(value))
    }

    /// Stores what a clock shows through a pointer argument, or its resolution, and
    /// returns 0.
    fn store_time(
        &mut self,
        site: &mut Site,
        index: usize,
        clock: Option<(Clock, u64)>,
    ) -> Result<Reply, Stop> {
        let place = self.pointer_arg(site, index);
        if place.address == 0 {
            return Ok(Reply::int(0));
        }
        let word = self.memory.pointer_bytes;
        let long = Type::Int(8 * word as u32);
        let mut pending = Pending::default();
        let target = self.model_access(site, place, 2 * word, AccessMode::WRITE, &mut pending)?;
        let is_step = clock.is_some() && self.must_wait_for_others(site);
        let Some((object, offset)) = target.filter(|_| !is_step) else {
            return Ok(Reply::Wait(pending));
        };
        let (seconds, fraction) = match clock {
            Some((clock, limit)) => self.show(site, clock, limit)?,
            None => (0, 1),
        };
        for (at, number) in [(offset, seconds), (offset + word, fraction)] {
            self.memory.write(object, at, &long, &Value::Bits(number));
        }
        Ok(Reply::int(0))
    }
}
