//! Clocks and sleep: what they tell is an input.

use crate::Error;
use crate::calls::{Call, Reply};
use crate::compute::words;
use crate::pass::{Flow, Frame, Pass, State};
use ir::RmwOp;
use library::Time;

impl<'p> Pass<'p> {
    pub(crate) fn time_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Time,
        call: &Call,
    ) -> Result<Reply, Error> {
        let word = self.program.target.pointer_bytes;
        match op {
            Time::Sleep => self.reply(0),
            Time::Clock => {
                let value = self.input(frame, "clock", 31);
                Ok(Reply::Return(self.terms.resize(value, 64)))
            }
            Time::Time => {
                let value = self.input(frame, "time", 31);
                let value = self.terms.resize(value, 64);
                let address = self.argument(call, 0);
                let is_null = words::is_zero(&mut self.terms, address);
                if self.terms.as_bool(is_null) == Some(false) {
                    let stored = self.terms.resize(value, 8 * word as u32);
                    let parts = [((0, word), stored)];
                    if self.store(state, frame, address, word, &parts, 0)? == Flow::Dead {
                        return Ok(Reply::Never);
                    }
                }
                Ok(Reply::Return(value))
            }
            Time::GetTimeOfDay => self.store_time(state, frame, call, op, 0),
            Time::ClockGetTime => {
                let is_c11 = self.program.functions[call.function].symbol == "timespec_get";
                let reply = self.store_time(state, frame, call, op, usize::from(!is_c11))?;
                Ok(match reply {
                    // Which clock it is: also the answer.
                    Reply::Return(_) if is_c11 => Reply::Return(self.number(call, 1, 32)),
                    other => other,
                })
            }
            Time::ClockGetResolution => self.store_time(state, frame, call, op, 1),
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

    /// Stores seconds and a fraction, unless the pointer is null.
    fn store_time(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
        op: Time,
        index: usize,
    ) -> Result<Reply, Error> {
        let word = self.program.target.pointer_bytes;
        let width = self.word();
        let address = self.argument(call, index);
        if self.terms.as_constant(address) == Some(0) {
            return self.reply(0);
        }
        let (seconds, fraction) = if op == Time::ClockGetResolution {
            (self.terms.constant(width, 0), self.terms.constant(width, 1))
        } else {
            let seconds = self.input(frame, "seconds", 31);
            let (bits, limit) = match op {
                Time::GetTimeOfDay => (20, 999_999),
                _ => (29, 999_999_999),
            };
            let fraction = self.input(frame, "fraction", bits);
            let fraction = self.terms.resize(fraction, width);
            let limit = self.terms.constant(width, limit);
            let fraction = self.read_modify_write(RmwOp::UnsignedMin, fraction, limit);
            (self.terms.resize(seconds, width), fraction)
        };
        let parts = [((0, word), seconds), ((word, word), fraction)];
        match self.store(state, frame, address, 2 * word, &parts, 0)? {
            Flow::Dead => Ok(Reply::Never),
            Flow::Next => self.reply(0),
        }
    }
}
