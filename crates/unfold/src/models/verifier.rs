//! The functions of verification tasks: inputs, assumptions, errors, atomic sections.

use crate::Error;
use crate::calls::{Call, Reply};
use crate::checks::Check;
use crate::compute::words;
use crate::models::strings::text::Together;
use crate::pass::{Flow, Frame, Pass, State};
use library::{NondetType, Verifier};

impl<'p> Pass<'p> {
    pub(crate) fn verifier_model(
        &mut self,
        state: &mut State,
        frame: &Frame,
        op: Verifier,
        call: &Call,
    ) -> Result<Reply, Error> {
        match op {
            Verifier::Nondet(ty) => self.nondet(frame, ty, call),
            Verifier::NondetMemory => self.nondet_memory(state, frame, call),
            Verifier::Assume => {
                let value = self.raw_argument(call, 0);
                let fails = words::is_zero(&mut self.terms, value);
                match self.stop(state, fails) {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => {
                        let holds = self.terms.not(fails);
                        self.learn(state, frame, holds);
                        Ok(Reply::Nothing)
                    }
                }
            }
            Verifier::SpinEnd if !call.args.is_empty() => {
                let value = self.raw_argument(call, 0);
                let fails = words::is_zero(&mut self.terms, value);
                match self.stop(state, fails) {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => Ok(Reply::Nothing),
                }
            }
            Verifier::Assert => {
                let value = self.raw_argument(call, 0);
                let fails = words::is_zero(&mut self.terms, value);
                match self.violate(state, Check::Assert, fails) {
                    Flow::Dead => Ok(Reply::Never),
                    Flow::Next => Ok(Reply::Nothing),
                }
            }
            Verifier::Error => {
                let always = self.truth();
                self.violate(state, Check::Assert, always);
                Ok(Reply::Never)
            }
            Verifier::Conversion => {
                if self.options.checks.has(Check::Conversion) {
                    let always = self.truth();
                    self.notice(state, Check::Conversion, always);
                }
                Ok(Reply::Nothing)
            }
            Verifier::AtomicBegin => {
                self.enter_atomic(state, frame)?;
                Ok(Reply::Nothing)
            }
            Verifier::AtomicEnd => {
                self.leave_atomic(state);
                Ok(Reply::Nothing)
            }
            Verifier::LoopBound | Verifier::LoopBegin | Verifier::SpinStart | Verifier::SpinEnd => {
                Ok(Reply::Nothing)
            }
        }
    }

    fn nondet(&mut self, frame: &Frame, ty: NondetType, call: &Call) -> Result<Reply, Error> {
        let Some(result) = &call.result else {
            return Ok(Reply::Nothing);
        };
        let width = self.width_of(result);
        let word = self.word();
        let (bits, is_signed) = match ty {
            NondetType::Bool => (1, false),
            // Numbers out of nowhere are no addresses of objects, whatever they are.
            NondetType::Pointer => (width, false),
            NondetType::Float | NondetType::Double => (width, false),
            NondetType::Char | NondetType::SignedChar => (8, true),
            NondetType::UnsignedChar => (8, false),
            NondetType::Short => (16, true),
            NondetType::UnsignedShort => (16, false),
            NondetType::Int => (32, true),
            NondetType::UnsignedInt => (32, false),
            NondetType::Long | NondetType::SignedSizeT => (word, true),
            NondetType::UnsignedLong | NondetType::SizeT => (word, false),
            NondetType::LongLong => (64, true),
            NondetType::UnsignedLongLong => (64, false),
            NondetType::Int128 => (128, true),
            NondetType::UnsignedInt128 => (128, false),
        };
        let value = self.input(frame, "nondet", bits.min(width));
        Ok(Reply::Return(if is_signed {
            self.terms.resize_signed(value, width)
        } else {
            self.terms.resize(value, width)
        }))
    }

    /// Fills a block with inputs.
    pub(crate) fn nondet_memory(
        &mut self,
        state: &mut State,
        frame: &Frame,
        call: &Call,
    ) -> Result<Reply, Error> {
        let len = self.constant_length(frame, call, 1)?;
        let address = self.argument(call, 0);
        let mut together = Together::default();
        let targets = self.open_for_writing(state, frame, &mut together, address, len)?;
        let Some(targets) = targets else {
            return Ok(Reply::Never);
        };
        let always = self.truth();
        for at in 0..len {
            let byte = self.input(frame, "nondet", 8);
            self.plan_write(&mut together, &targets, at, 1, always, byte);
        }
        Ok(match self.carry_out(state, together) {
            Flow::Dead => Reply::Never,
            Flow::Next => Reply::Nothing,
        })
    }
}
