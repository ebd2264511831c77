//! Bits that were never written, on their way through registers and memory, and
//! the places where nothing may depend on them.
//!
//! How they spread is in [`crate::shadow`]. All of it is empty unless somebody
//! looks for such dependences.

use crate::calls::LibraryCall;
use crate::machine::{Machine, Stop};
use crate::memory::ObjectId;
use crate::models::first_printed;
use crate::shadow::{self, Shadow, Word};
use crate::thread::Thread;
use crate::value::{sign_extend, truncate};
use crate::violation::ViolationKind;
use ir::{Body, Cast, Inst, Op, Operand, Type, ValueId};
use library::{C11Thread, Entry, Function, Keys, Verifier};

/// What an access does to shadows.
#[derive(Default)]
pub(crate) struct AccessShadows {
    pub result: Shadow,
    /// What memory gets, if the access writes.
    pub stored: Option<Shadow>,
}

impl<'a> Machine<'a> {
    pub(crate) fn shadow(&self, thread: &Thread, operand: Operand) -> Shadow {
        match (operand, thread.frames.last()) {
            (Operand::Value(value), Some(frame)) if !frame.shadows.is_empty() => {
                frame.shadows.get(&value).cloned().unwrap_or_default()
            }
            _ => Shadow::None,
        }
    }

    /// It is a violation if the operand has bits that were never written.
    pub(crate) fn expect_initialised(
        &self,
        thread: &Thread,
        operand: Operand,
        what: &str,
    ) -> Result<(), Stop> {
        self.expect_clean(thread, &self.shadow(thread, operand), what)
    }

    pub(crate) fn expect_clean(
        &self,
        thread: &Thread,
        shadow: &Shadow,
        what: &str,
    ) -> Result<(), Stop> {
        if !shadow.is_some() {
            return Ok(());
        }
        if self.leaves_open() {
            self.note_open(shadow);
            return Ok(());
        }
        let message = format!("{what} depends on memory that was never written");
        Err(self.violated(thread, ViolationKind::Uninitialised, message))
    }

    /// Library functions act on all their arguments, but for those that they only
    /// hand on.
    pub(crate) fn expect_initialised_arguments(
        &self,
        thread: &Thread,
        entry: &Entry,
        call: &LibraryCall,
    ) -> Result<(), Stop> {
        let handed_on = match entry.function {
            Function::Thread(library::Thread::Create) => Some(3),
            Function::Thread(library::Thread::Exit)
            | Function::C11Thread(C11Thread::ThreadExit) => Some(0),
            Function::C11Thread(C11Thread::ThreadCreate) => Some(2),
            Function::Keys(Keys::Set) | Function::C11Thread(C11Thread::KeySet) => Some(1),
            // It is decided there.
            Function::Verifier(Verifier::Assume) if self.open_inputs.decides => Some(0),
            _ => None,
        };
        // It is seen there what depends on them.
        let printed = match entry.function {
            Function::Output(op) if self.leaves_open() => first_printed(op),
            _ => None,
        };
        let arguments = call.args.iter().enumerate();
        for (index, argument) in arguments.take(printed.unwrap_or(usize::MAX)) {
            if argument.shadow.is_some() && Some(index) != handed_on {
                let what = format!("argument {} of {}", index + 1, entry.name);
                self.expect_clean(thread, &argument.shadow, &what)?;
            }
        }
        Ok(())
    }

    /// The shadow of a value that is taken as another type.
    pub(crate) fn fit_shadow(&self, shadow: &Shadow, ty: &Type) -> Shadow {
        match (shadow, ty) {
            (Shadow::None, _) | (Shadow::Bits(_), Type::Tuple(_)) => Shadow::None,
            (Shadow::Tuple(_), Type::Tuple(_)) => shadow.clone(),
            (_, scalar) => Shadow::of_bits(truncate(shadow.bits(), self.width(scalar))),
        }
    }

    /// The same for what a function returns to the thread's last frame.
    pub(crate) fn fit_result_shadow(
        &self,
        thread: &Thread,
        result: Option<ValueId>,
        shadow: &Shadow,
    ) -> Shadow {
        let frame = thread.frames.last();
        let body = frame.and_then(|frame| self.image.body(frame.function));
        match (result, body) {
            (Some(result), Some(body)) => self.fit_shadow(shadow, &body.values[result]),
            _ => Shadow::None,
        }
    }

    fn word(&self, thread: &Thread, operand: Operand) -> Word {
        Word {
            bits: self.operand(thread, operand).bits(),
            shadow: self.shadow(thread, operand).bits(),
        }
    }

    /// The shadow of the result of an instruction that does not access memory.
    pub(crate) fn computed_shadow(&self, thread: &Thread, body: &Body, inst: &Inst) -> Shadow {
        if thread.frames.last().is_none_or(|f| f.shadows.is_empty()) {
            return Shadow::None;
        }
        let mut is_clean = true;
        inst.op.for_each_operand(|operand| {
            is_clean &= !self.shadow(thread, operand).is_some();
        });
        if is_clean {
            return Shadow::None;
        }
        let ty = self.result_type(body, inst);
        let width_of = |ty: &Type| self.width(ty);
        let scalar_width = |ty: &Type| match ty {
            Type::Tuple(_) => 1,
            scalar => self.width(scalar),
        };
        let operand_width = |operand| scalar_width(&body.operand_type(self.image.program, operand));
        let width = scalar_width(&ty);
        let bits = match &inst.op {
            Op::Binary {
                op, left, right, ..
            } => {
                let (a, b) = (self.word(thread, *left), self.word(thread, *right));
                shadow::binary(*op, a, b, width)
            }
            Op::Compare { op, left, right } => {
                let (a, b) = (self.word(thread, *left), self.word(thread, *right));
                let is_pointer = body.operand_type(self.image.program, *left) == Type::Pointer;
                let width = operand_width(*left);
                // Nobody may rely on what addresses look like.
                u128::from(is_pointer || shadow::compare(*op, a, b, width))
            }
            Op::FloatNegate { value } => self.shadow(thread, *value).bits(),
            Op::Cast { op, value } => {
                let bits = self.shadow(thread, *value).bits();
                match op {
                    Cast::SignExtend => {
                        truncate(sign_extend(bits, operand_width(*value)) as u128, width)
                    }
                    Cast::Truncate
                    | Cast::ZeroExtend
                    | Cast::PointerToInt
                    | Cast::IntToPointer
                    | Cast::Reinterpret => truncate(bits, width),
                    _ => truncate(u128::MAX, width),
                }
            }
            Op::Select {
                condition,
                then,
                otherwise,
            } => {
                let chosen = match self.operand(thread, *condition).low_bits() != 0 {
                    true => *then,
                    false => *otherwise,
                };
                if !self.shadow(thread, *condition).is_some() {
                    return self.shadow(thread, chosen);
                }
                let (a, b) = (self.word(thread, *then), self.word(thread, *otherwise));
                match ty {
                    Type::Int(_) => a.shadow | b.shadow | a.bits ^ b.bits,
                    _ => return Shadow::full(&ty, width_of),
                }
            }
            Op::Extract { tuple, path } => {
                let whole = self.shadow(thread, *tuple);
                return path
                    .iter()
                    .fold(whole, |shadow, index| shadow.field(*index));
            }
            Op::Insert { tuple, field, path } => {
                let whole = self.shadow(thread, *tuple);
                return whole.with_field(&ty, path, self.shadow(thread, *field));
            }
            // Whatever else there is depends on all bits of its operands.
            _ => return Shadow::full(&ty, width_of),
        };
        Shadow::of_bits(bits)
    }

    /// The shadows that an access to a checked range reads and writes. Whether a
    /// compare-exchange writes must not depend on what was never written.
    pub(crate) fn accessed_shadows(
        &self,
        thread: &Thread,
        inst: &Inst,
        (object, offset): (ObjectId, u64),
        ty: &Type,
    ) -> Result<AccessShadows, Stop> {
        if !self.memory.has_shadows {
            return Ok(AccessShadows::default());
        }
        let old = self.memory.shadow(object, offset, ty);
        let old_word = |shadow: &Shadow| Word {
            bits: self.memory.read(object, offset, ty).bits(),
            shadow: shadow.bits(),
        };
        Ok(match &inst.op {
            Op::Load { .. } => AccessShadows {
                result: old,
                stored: None,
            },
            Op::Store { value, .. } => AccessShadows {
                result: Shadow::None,
                stored: Some(self.shadow(thread, *value)),
            },
            Op::Rmw { op, value, .. } => {
                let operand = self.word(thread, *value);
                let new = shadow::rmw(*op, old_word(&old), operand, self.width(ty));
                AccessShadows {
                    result: old,
                    stored: Some(Shadow::of_bits(new)),
                }
            }
            Op::CompareExchange {
                expected,
                replacement,
                ..
            } => {
                let (a, b) = (old_word(&old), self.word(thread, *expected));
                let is_equal = ir::Comparison::Equal;
                let is_pointer = *ty == Type::Pointer && a.shadow | b.shadow != 0;
                if is_pointer || shadow::compare(is_equal, a, b, self.width(ty)) {
                    let what = "what is compared and exchanged";
                    self.expect_clean(thread, &Shadow::Bits(1), what)?;
                }
                let is_stored = a.bits == b.bits;
                AccessShadows {
                    result: Shadow::of_fields(vec![old, Shadow::None]),
                    stored: is_stored.then(|| self.shadow(thread, *replacement)),
                }
            }
            _ => AccessShadows::default(),
        })
    }
}
