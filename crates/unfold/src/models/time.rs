//! Clocks and sleep: what they tell is an input, and never less than before. What a
//! clock has shown last is a cell.

use super::EINVAL;
use crate::access::Targets;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::facts::objects::{ClockKind, Content, Object, ObjectId, ObjectKey};
use crate::pass::{Flow, Frame, Pass, State};
use crate::validity::Seen;
use crate::{Error, MAIN};
use formula::TermId;
use library::Time;

impl<'p> Pass<'p> {
    pub(crate) fn time_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Time,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Time::Sleep => {
                // A signal may arrive meanwhile.
                if self.options.surroundings.signals > 0 && !self.prologue.is_alone() {
                    self.unnoticed_step(frame, state);
                }
                self.reply(0)
            }
            Time::Clock => {
                let nowhere = self.no_place();
                let shown = self.show(state, frame, (ClockKind::Process, 0), &nowhere, 0)?;
                Ok(match shown {
                    None => Reply::Never,
                    Some((value, _, _)) => Reply::Return(value),
                })
            }
            Time::Time => self.store_seconds(state, frame, call),
            Time::GetTimeOfDay => {
                let clock = (ClockKind::Microseconds, 999_999);
                self.store_time(state, frame, call, 0, clock)
            }
            Time::ClockGetTime => {
                const NANOSECONDS: u128 = 999_999_999;
                let is_c11 = self.program.functions[call.function].symbol == "timespec_get";
                if is_c11 {
                    let clock = (ClockKind::Numbered(0), NANOSECONDS);
                    let reply = self.store_time(state, frame, call, 0, clock)?;
                    return Ok(match reply {
                        // Which clock it is: also the answer.
                        Reply::Return(_) => Reply::Return(self.number(call, 1, 32)),
                        other => other,
                    });
                }
                let kind = match self.constant_argument(frame, call, 0)? & 0xffff_ffff {
                    3 => ClockKind::OfThread(self.threads.current()),
                    number @ 0..=11 => ClockKind::Numbered(number as u32),
                    _ => {
                        let (always, error) = (self.truth(), self.int(EINVAL));
                        self.set_errno(state, always, error);
                        return self.reply(0xffff_ffff);
                    }
                };
                self.store_time(state, frame, call, 1, (kind, NANOSECONDS))
            }
            Time::ClockGetResolution => {
                let address = self.argument(call, 1);
                if self.terms.as_constant(address) == Some(0) {
                    return self.reply(0);
                }
                let (word, width) = (self.program.target.pointer_bytes, self.word());
                let (zero, one) = (self.terms.constant(width, 0), self.terms.constant(width, 1));
                let parts = [((0, word), zero), ((word, word), one)];
                match self.store(state, frame, address, 2 * word, &parts, 0)? {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => self.reply(0),
                }
            }
            Time::Difference => {
                let args = [self.raw_argument(call, 0), self.raw_argument(call, 1)];
                let width = self.terms.width(args[0]);
                Ok(Reply::Return(self.on_constants(&args, 64, |times| {
                    let shift = 128 - width;
                    let signed = |time: u128| (time << shift) as i128 >> shift;
                    let difference = signed(times[0]) - signed(times[1]);
                    u128::from((difference as f64).to_bits())
                })))
            }
        }
    }

    fn no_place(&mut self) -> Targets {
        Targets {
            list: Vec::new(),
            valid: self.truth(),
            seen: Seen::AtOnce,
            only_where: None,
        }
    }

    /// What a clock has shown last: seconds, and parts of one.
    fn clock_object(&mut self, kind: ClockKind) -> ObjectId {
        let key = ObjectKey::Clock(kind);
        self.facts.objects.make(key.clone(), || Object {
            key,
            size: 8,
            name: format!("{kind:?}, last shown"),
            is_constant: false,
            owner: MAIN,
            starts_as: Content::Zero,
        })
    }

    /// What a clock shows now, as words of 64 bits, at a step that may also write
    /// somewhere; `None` if no path goes on.
    fn show(
        &mut self,
        state: &mut State,
        frame: &Frame,
        (kind, limit): (ClockKind, u128),
        place: &Targets,
        size: u64,
    ) -> Result<Option<(TermId, TermId, Option<usize>)>, Error> {
        let clock = self.clock_object(kind);
        let mut is_visible = self.is_visible(clock, 0, 8);
        if !is_visible && !self.prologue.is_alone() {
            match self.options.reductions.hiding {
                true => self.unnoticed_step(frame, state),
                false => is_visible = true,
            }
        }
        let Ok(position) = self.begin_step(state, frame, place, size, 0, is_visible) else {
            return Ok(None);
        };
        let seconds = self.input(frame, "seconds", 31);
        let seconds = self.terms.resize(seconds, 32);
        let mut fraction = self.int(0);
        if limit > 0 {
            let bits = u128::BITS - limit.leading_zeros();
            let answer = self.input(frame, "fraction", bits);
            let answer = self.terms.resize(answer, 32);
            let most = self.int(limit);
            let is_less = self.terms.unsigned_less(answer, most);
            fraction = self.terms.ite(is_less, answer, most);
        }
        let always = self.truth();
        let last = self.read_at(state, position, clock, 0, 4, always);
        let last_fraction = self.read_at(state, position, clock, 4, 4, always);
        let is_later = self.terms.unsigned_less(last, seconds);
        let goes_on = self.terms.unsigned_less(last_fraction, fraction);
        let within = self.terms.ite(goes_on, fraction, last_fraction);
        let seconds = self.terms.ite(is_later, seconds, last);
        let fraction = self.terms.ite(is_later, fraction, within);
        self.write_at(state, position, clock, 0, 4, always, seconds);
        self.write_at(state, position, clock, 4, 4, always, fraction);
        let seconds = self.terms.resize(seconds, 64);
        let fraction = self.terms.resize(fraction, 64);
        Ok(Some((seconds, fraction, position)))
    }

    /// `time(place)`.
    fn store_seconds(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.program.target.pointer_bytes;
        let address = self.argument(call, 0);
        let is_null = words::is_zero(&mut self.terms, address);
        let place = match self.terms.as_bool(is_null) {
            Some(true) => None,
            Some(false) => Some(self.resolve(frame, address, word, true)?),
            None => return Err(self.unsupported(frame, "a pointer that may be null or not")),
        };
        let nowhere = self.no_place();
        let (targets, size) = place.as_ref().map_or((&nowhere, 0), |place| (place, word));
        let clock = (ClockKind::Seconds, 0);
        let Some((seconds, _, position)) = self.show(state, frame, clock, targets, size)? else {
            return Ok(Reply::Never);
        };
        if let Some(place) = &place {
            let always = self.truth();
            let stored = self.terms.resize(seconds, 8 * word as u32);
            self.store_to(state, position, place, &[((0, word), stored)], always);
        }
        Ok(Reply::Return(seconds))
    }

    /// Stores seconds and a fraction, unless the pointer is null.
    fn store_time(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        index: usize,
        clock: (ClockKind, u128),
    ) -> Result<Reply, Error> {
        let word = self.program.target.pointer_bytes;
        let address = self.argument(call, index);
        if self.terms.as_constant(address) == Some(0) {
            return self.reply(0);
        }
        let place = self.resolve(frame, address, 2 * word, true)?;
        let shown = self.show(state, frame, clock, &place, 2 * word)?;
        let Some((seconds, fraction, position)) = shown else {
            return Ok(Reply::Never);
        };
        let width = self.word();
        let seconds = self.terms.resize(seconds, width);
        let fraction = self.terms.resize(fraction, width);
        let parts = [((0, word), seconds), ((word, word), fraction)];
        let always = self.truth();
        self.store_to(state, position, &place, &parts, always);
        self.reply(0)
    }
}
