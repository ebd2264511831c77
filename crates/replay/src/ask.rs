//! How a run asks its driver for inputs, and keeps the answers.
//!
//! What the answers mean is for those who ask.

use crate::footprint::Look;
use crate::inputs::{Allocation, Domain, Execution, Input, InputKind, Inputs, Origin, Request};
use crate::machine::{Machine, Stop};
use crate::thread::Thread;
use crate::value::Value;
use analysis::Site;
use ir::Type;

impl<'a> Machine<'a> {
    /// The instruction that a thread is at.
    fn site(&self, thread: &Thread) -> Option<Site> {
        let frame = thread.frame()?;
        let body = self.image.body(frame.function)?;
        let inst = *body.blocks[frame.block].insts.get(frame.index)?;
        let function = frame.function;
        Some(Site { function, inst })
    }

    /// Asks the driver for an input.
    pub(crate) fn ask(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        kind: InputKind,
        domain: Domain,
    ) -> Result<u128, Stop> {
        self.ask_among(thread, inputs, kind, domain, Vec::new())
    }

    /// The same, for addresses of which it is known who had them first.
    pub(crate) fn ask_among(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        kind: InputKind,
        domain: Domain,
        homes: Vec<Option<Allocation>>,
    ) -> Result<u128, Stop> {
        if let Domain::Below(0 | 1) = domain {
            return Ok(0);
        }
        let site = self.site(thread);
        let request = Request {
            thread: thread.id,
            kind,
            domain,
            location: self.location(thread),
            site,
            asker: self.counter.as_mut().and_then(|c| c.ask(thread)),
            homes,
            execution: None,
            origins: Vec::new(),
            interruptions: Vec::new(),
        };
        let meant = inputs.address(&request);
        let meant = meant.and_then(|addressed| self.address_of(addressed));
        let value = match meant {
            Some(address) => domain.fit(u128::from(address)),
            None => inputs.choose(&request)?,
        };
        self.is_answer_open |= self.open_inputs.has(kind, domain);
        self.footprint.note(Look::Input(kind, domain, value));
        self.inputs.push(Input {
            thread: thread.id,
            kind,
            value,
        });
        Ok(value)
    }

    /// Keeps an answer that was not asked for here.
    pub(crate) fn note_answer(&mut self, thread: usize, kind: InputKind, value: u128) {
        self.inputs.push(Input {
            thread,
            kind,
            value,
        });
    }

    /// Asks for something that a weak memory model leaves open. Who asks and what the
    /// answers mean is known in guided runs only, and those are told even if there is
    /// only one answer: they may want another.
    pub(crate) fn ask_about(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        kind: InputKind,
        domain: Domain,
        execution: Option<Execution>,
        origins: Vec<Option<Origin>>,
    ) -> Result<u128, Stop> {
        let request = Request {
            thread: thread.id,
            kind,
            domain,
            location: self.location(thread),
            site: None,
            asker: None,
            homes: Vec::new(),
            execution,
            origins,
            interruptions: Vec::new(),
        };
        let wanted = match execution {
            Some(_) => inputs.origin(&request)?,
            None => None,
        };
        if let Domain::Below(0 | 1) = domain {
            return Ok(0);
        }
        let value = match wanted {
            Some(value) => value,
            None => inputs.choose(&request)?,
        };
        self.inputs.push(Input {
            thread: thread.id,
            kind,
            value,
        });
        Ok(value)
    }

    /// A value of a type, chosen by the driver.
    pub(crate) fn ask_value(
        &mut self,
        thread: &Thread,
        inputs: &mut dyn Inputs,
        kind: InputKind,
        ty: &Type,
    ) -> Result<Value, Stop> {
        let pointer_bits = 8 * self.memory.pointer_bytes as u32;
        Ok(match ty {
            Type::Int(width) => {
                let bits = self.ask(thread, inputs, kind, Domain::Bits(*width))?;
                Value::from_bits(*width, bits)
            }
            Type::Float => Value::from_bits(32, self.ask(thread, inputs, kind, Domain::Bits(32))?),
            Type::Double => Value::from_bits(64, self.ask(thread, inputs, kind, Domain::Bits(64))?),
            Type::Pointer => {
                let address = self.ask(thread, inputs, kind, Domain::Pointer(pointer_bits))?;
                Value::Pointer(self.memory.resolve(address as u64))
            }
            Type::Tuple(tuple) => {
                let mut fields = Vec::new();
                for (_, ty) in &tuple.fields {
                    fields.push(self.ask_value(thread, inputs, kind, ty)?);
                }
                Value::Tuple(fields.into())
            }
        })
    }
}
