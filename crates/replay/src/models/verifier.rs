//! The functions of verification tasks: inputs, assumptions, errors, atomic sections.

use super::{Reply, Site};
use crate::inputs::{Domain, InputKind};
use crate::machine::{AccessMode, Machine, Stop};
use crate::thread::{Pending, Wait};
use crate::value::{self, Value};
use crate::violation::ViolationKind;
use library::{NondetType, Verifier};

impl<'a> Machine<'a> {
    pub(crate) fn verifier_model(&mut self, site: &mut Site, op: Verifier) -> Result<Reply, Stop> {
        match op {
            Verifier::Nondet(ty) => self.nondet(site, ty),
            Verifier::NondetMemory => self.nondet_memory(site),
            Verifier::Assume => match self.is_assumed(site)? {
                true => Ok(Reply::NOTHING),
                false => Err(Stop::Assumption),
            },
            Verifier::Assert if site.number(0) == 0 => {
                Err(self.violated(site.thread, ViolationKind::Assertion, "an assertion fails"))
            }
            Verifier::SpinEnd if !site.call.args.is_empty() && site.number(0) == 0 => {
                Err(Stop::Assumption)
            }
            Verifier::Error => {
                let name = &self.image.program.functions[site.call.function].name;
                let message = format!("{name} is called");
                let kind = ViolationKind::Assertion;
                let mut violation = self.violation(site.thread, kind, message);
                violation.is_error_call = true;
                Err(self.fatal(violation))
            }
            Verifier::Conversion => {
                let message = "an implicit conversion changes the value".to_owned();
                self.notice(site.thread, ViolationKind::Conversion, message);
                Ok(Reply::NOTHING)
            }
            Verifier::AtomicBegin => {
                if let Some(reply) = self.gate(site, Wait::Nothing)? {
                    return Ok(reply);
                }
                site.thread.atomic_depth += 1;
                Ok(Reply::NOTHING)
            }
            Verifier::AtomicEnd => {
                site.thread.atomic_depth = site.thread.atomic_depth.saturating_sub(1);
                Ok(Reply::NOTHING)
            }
            Verifier::Assert
            | Verifier::SpinEnd
            | Verifier::LoopBound
            | Verifier::LoopBegin
            | Verifier::SpinStart => Ok(Reply::NOTHING),
        }
    }

    /// Whether an assumption holds.
    fn is_assumed(&mut self, site: &mut Site) -> Result<bool, Stop> {
        let shadow = site.call.args[0].shadow.clone();
        Ok(match self.decide(site.thread, site.inputs, &shadow, 2)? {
            Some(way) => way != 0,
            None => site.number(0) != 0,
        })
    }

    fn nondet(&mut self, site: &mut Site, ty: NondetType) -> Result<Reply, Stop> {
        let Some(result) = &site.call.result_type else {
            return Ok(Reply::NOTHING);
        };
        let width = self.width(result);
        let kind = InputKind::Nondet;
        let word = 8 * self.memory.pointer_bytes as u32;
        let (bits, is_signed) = match ty {
            NondetType::Bool => {
                let value = self.ask(site.thread, site.inputs, kind, Domain::Below(2))?;
                return Ok(Reply::Return(Value::from_bits(width, value)));
            }
            NondetType::Pointer | NondetType::Float | NondetType::Double => {
                let value = self.ask_value(site.thread, site.inputs, kind, result)?;
                return Ok(Reply::Return(value));
            }
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
        let asked = bits.min(width);
        let value = self.ask(site.thread, site.inputs, kind, Domain::Bits(asked))?;
        // A program may declare the function with a wider result than its name
        // says; the value is then extended as that type.
        let value = if is_signed {
            value::sign_extend(value, asked) as u128
        } else {
            value
        };
        Ok(Reply::Return(Value::from_bits(width, value)))
    }

    fn nondet_memory(&mut self, site: &mut Site) -> Result<Reply, Stop> {
        let (block, len) = (self.pointer_arg(site, 0), site.number(1));
        let mut pending = Pending::default();
        let Some((object, offset)) =
            self.model_access(site, block, len, AccessMode::WRITE, &mut pending)?
        else {
            return Ok(Reply::Wait(pending));
        };
        for at in offset..offset + len {
            let byte = self.ask(site.thread, site.inputs, InputKind::Nondet, Domain::Bits(8))?;
            self.memory.write_bytes(object, at, &[byte as u8]);
        }
        Ok(Reply::NOTHING)
    }
}
