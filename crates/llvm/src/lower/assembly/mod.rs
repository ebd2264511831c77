//! Assembly code in the middle of functions, as operations of the program model:
//! nobody downstream knows that there was any.
//!
//! Locked instructions are sequentially consistent operations, one step each.
//! What is not locked is a load and a store, two steps. Those are atomic accesses,
//! since a processor tears no word; and they order what is around them as the
//! processor does (loads acquire, stores release) only where the code tells the
//! compiler so with a `memory` clobber.

mod flags;
mod instructions;
mod machine;

use super::body::BodyLowering;
use super::instructions::same_op;
use super::{Attempt, malformed, unsupported};
use crate::assembly::{self, Output};
use crate::ast::{Assembly, Call, Inst};
use crate::lex::unescape;
use ir::{Op, Operand};
use machine::Machine;

impl<'m, 'a> BodyLowering<'_, 'm, 'a> {
    pub(super) fn assembly(
        &mut self,
        inst: &Inst<'a>,
        call: &'m Call<'a>,
        code: &Assembly<'a>,
    ) -> Attempt<()> {
        let template = unescape(code.template);
        let shown = template.replace("$$", "$");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let refuse = |why: &str| unsupported(format!("assembly code `{shown}`{why}"));
        let is_blank = template.trim().is_empty();
        if code.is_intel && !is_blank {
            return refuse(" in Intel's syntax");
        }
        let instructions = match self.is_for_x86() {
            true => assembly::parse_template(&template),
            false => assembly::parse_arm(&template),
        };
        let Ok(instructions) = instructions else {
            return refuse("");
        };
        let constraints = match assembly::parse_constraints(&unescape(code.constraints)) {
            Ok(constraints) => constraints,
            Err(constraint) => return refuse(&format!(" with the constraint `{constraint}`")),
        };
        let types = self.output_types(inst, &constraints.outputs)?;
        let mut machine = Machine::new(self, &constraints, &types, call)?;
        for instruction in &instructions {
            machine.wanted = machine.wanted.or(instruction.flags_read());
        }
        for instruction in &instructions {
            if let Err(why) = machine.execute(instruction)? {
                return refuse(&format!(" ({why})"));
            }
        }
        let results = match machine.results(&constraints.outputs, &types)? {
            Ok(results) => results,
            Err(why) => return refuse(&format!(" ({why})")),
        };
        self.deliver(inst, results)
    }

    fn is_for_x86(&self) -> bool {
        let triple = self.lowering.modules[self.module].triple.as_deref();
        !triple.is_some_and(|triple| triple.starts_with("aarch64") || triple.starts_with("arm"))
    }

    /// The types of those outputs that the call itself yields, in order.
    fn output_types(&mut self, inst: &Inst<'a>, outputs: &[Output]) -> Attempt<Vec<ir::Type>> {
        let is_yielded = |output: &&Output| !matches!(output, Output::Memory { .. });
        let n_yielded = outputs.iter().filter(is_yielded).count();
        if n_yielded == 0 {
            return Ok(Vec::new());
        }
        let ty = self.value_type(inst.ty)?;
        if n_yielded == 1 {
            return Ok(vec![ty]);
        }
        match ty {
            ir::Type::Tuple(tuple) if tuple.fields.len() == n_yielded => {
                Ok(tuple.fields.iter().map(|(_, ty)| ty.clone()).collect())
            }
            _ => malformed("a struct of all outputs"),
        }
    }

    /// Makes the result of an instruction from its parts.
    pub(in crate::lower) fn deliver(
        &mut self,
        inst: &Inst<'a>,
        results: Vec<Operand>,
    ) -> Attempt<()> {
        let Some(result) = self.result(inst) else {
            return Ok(());
        };
        let ty = self.value_type(inst.ty)?;
        let n_results = results.len();
        if n_results == 1 {
            self.emit(same_op(&ty, results[0]), Some(result));
            return Ok(());
        }
        let mut tuple = self.constant(ir::Constant::Undefined(ty.clone()));
        for (index, field) in results.into_iter().enumerate() {
            let path = vec![index as u32];
            let op = Op::Insert { tuple, field, path };
            if index + 1 == n_results {
                self.emit(op, Some(result));
            } else {
                tuple = self.emit_new(op, ty.clone());
            }
        }
        if n_results == 0 {
            return malformed("assembly code with outputs");
        }
        Ok(())
    }
}
