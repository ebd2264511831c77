//! Checks that a program is well formed. A violated rule is always a bug of
//! whoever made the program, never of the C program it stands for.
//!
//! What is checked:
//!
//! - Ids: every id that occurs anywhere is in range, labels name blocks of
//!   functions with bodies. If this fails, nothing else is looked at.
//! - Target: pointers have 4 or 8 bytes. `main` has a body.
//! - Types: integers have 1 to 128 bits; the fields of a tuple are in order, do
//!   not overlap and end within its size; alignments are powers of two.
//! - Constants: integers fit their width; the fields of a tuple have the types
//!   that its type says; only tuples are undefined.
//! - Globals: alignments are powers of two; initial bytes cover the whole object;
//!   relocations are inside it and do not overlap.
//! - Parameters: they are the first values of a body and have the types that the
//!   signature says; those passed by value are pointers.
//! - Control flow: a body has a block; the entry has no predecessors and no phis.
//! - Single assignment: no instruction is listed twice, no value is defined
//!   twice, and every use is dominated by its definition. In unreachable blocks
//!   uses are not checked.
//! - Phis: one entry for each reachable predecessor, and none twice or for other
//!   blocks. In unreachable blocks this is not checked.
//! - Operations: operands and results have the types, and accesses the orders,
//!   that the operation allows; a result is there exactly when it has to be.
//! - Terminators: conditions are single bits, cases are integers that fit and
//!   differ, returned values have the function's result type.
//!
//! What is not checked: that calls agree with the functions they call, since C
//! allows mismatches through casts; and whether the program makes any sense.

mod flow;
mod ranges;
mod typing;

use crate::program::{
    Constant, Function, FunctionId, Global, GlobalId, Initial, Program, Relocation,
};
use crate::types::Type;

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", .function.map(|id| format!("{id}: ")).unwrap_or_default())]
pub struct VerifyError {
    /// Where the rule is broken; `None` outside of functions.
    pub function: Option<FunctionId>,
    pub rule: Rule,
    pub what: String,
}

/// Which rule is broken, as far as somebody wants to tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Values are defined before they are used. Whoever reads a program line by line
    /// cannot know.
    Order,
    Other,
}

/// Checks the whole program and returns all that is wrong with it.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    let mut errors = Errors::default();
    ranges::check(program, &mut errors);
    if errors.found.is_empty() {
        check_program(program, &mut errors);
        for (id, function) in program.functions.iter() {
            errors.function = Some(id);
            check_function(program, function, &mut errors);
        }
    }
    if errors.found.is_empty() {
        Ok(())
    } else {
        Err(errors.found)
    }
}

/// The errors found so far, and the function that is being looked at.
#[derive(Default)]
struct Errors {
    found: Vec<VerifyError>,
    function: Option<FunctionId>,
}

impl Errors {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.require_rule(Rule::Other, holds, what);
    }

    fn require_rule(&mut self, rule: Rule, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.found.push(VerifyError {
                function: self.function,
                rule,
                what: what(),
            });
        }
    }
}

fn check_program(program: &Program, errors: &mut Errors) {
    let pointer_bytes = program.target.pointer_bytes;
    errors.require(matches!(pointer_bytes, 4 | 8), || {
        format!("pointers of {pointer_bytes} bytes")
    });
    errors.require(program.functions[program.main].body.is_some(), || {
        "main has no body".to_string()
    });
    for (id, constant) in program.constants() {
        let outcome = check_constant(program, constant);
        errors.require(outcome.is_ok(), || {
            format!("{id}: {}", outcome.err().unwrap_or_default())
        });
    }
    for (id, global) in program.globals.iter() {
        check_global(program, id, global, errors);
    }
}

fn check_function(program: &Program, function: &Function, errors: &mut Errors) {
    let pointer_bytes = program.target.pointer_bytes;
    for (place, param) in function.params.iter().enumerate() {
        check_type(&param.ty, pointer_bytes, errors);
        errors.require(
            param.by_value.is_none() || param.ty == Type::Pointer,
            || format!("parameter {place} is passed by value but is no pointer"),
        );
    }
    if let Some(ty) = &function.result {
        check_type(ty, pointer_bytes, errors);
    }
    if let Some(body) = &function.body {
        for ty in body.values.values() {
            check_type(ty, pointer_bytes, errors);
        }
        flow::check(function, body, errors);
        typing::check(program, function, body, errors);
    }
}

fn check_constant(program: &Program, constant: &Constant) -> Result<(), String> {
    match constant {
        Constant::Int { bits, value } => {
            check_int_width(*bits)?;
            ensure(fits(*value, *bits), || {
                format!("{value} has more than {bits} bits")
            })
        }
        Constant::Tuple { ty, fields } => {
            let Type::Tuple(tuple) = ty else {
                return Err(format!("a tuple constant of type {ty}"));
            };
            let (wanted, found) = (tuple.fields.len(), fields.len());
            ensure(wanted == found, || {
                format!("{found} fields for a tuple with {wanted}")
            })?;
            for (&field, (_, wanted)) in fields.iter().zip(&tuple.fields) {
                let found = program.constant_type(field);
                ensure(found == *wanted, || {
                    format!("a field is {found} instead of {wanted}")
                })?;
            }
            well_formed(ty, program.target.pointer_bytes)
        }
        Constant::Undefined(ty) => {
            ensure(matches!(ty, Type::Tuple(_)), || {
                format!("an undefined {ty}")
            })?;
            well_formed(ty, program.target.pointer_bytes)
        }
        Constant::Float(_)
        | Constant::Double(_)
        | Constant::Null
        | Constant::Global { .. }
        | Constant::Function(_)
        | Constant::Label(..) => Ok(()),
    }
}

fn check_global(program: &Program, id: GlobalId, global: &Global, errors: &mut Errors) {
    errors.require(global.align.is_power_of_two(), || {
        format!("{id}: an alignment of {} bytes", global.align)
    });
    if let Initial::Bytes { bytes, relocations } = &global.initial {
        errors.require(bytes.len() as u64 == global.bytes, || {
            let (found, wanted) = (bytes.len(), global.bytes);
            format!("{id}: {found} initial bytes for an object of {wanted}")
        });
        check_relocations(program, id, global, relocations, errors);
    }
}

fn check_relocations(
    program: &Program,
    id: GlobalId,
    global: &Global,
    relocations: &[Relocation],
    errors: &mut Errors,
) {
    let mut offsets: Vec<u64> = relocations.iter().map(|item| item.offset).collect();
    offsets.sort_unstable();
    let mut last_end = 0;
    for offset in offsets {
        errors.require(last_end <= offset, || {
            format!("{id}: overlapping relocations at byte {offset}")
        });
        last_end = offset.saturating_add(program.target.pointer_bytes);
        errors.require(last_end <= global.bytes, || {
            format!("{id}: a relocation at byte {offset} of {}", global.bytes)
        });
    }
}

fn check_type(ty: &Type, pointer_bytes: u64, errors: &mut Errors) {
    if let Err(what) = well_formed(ty, pointer_bytes) {
        errors.require(false, || what);
    }
}

fn well_formed(ty: &Type, pointer_bytes: u64) -> Result<(), String> {
    match ty {
        Type::Int(bits) => check_int_width(*bits),
        Type::Float | Type::Double | Type::Pointer => Ok(()),
        Type::Tuple(tuple) => {
            ensure(tuple.align.is_power_of_two(), || {
                format!("{ty} is aligned to {} bytes", tuple.align)
            })?;
            let mut last_end = 0;
            for (offset, field) in &tuple.fields {
                ensure(last_end <= *offset, || {
                    format!("fields of {ty} overlap or are out of order")
                })?;
                last_end = offset.saturating_add(field.bytes(pointer_bytes));
                well_formed(field, pointer_bytes)?;
            }
            ensure(last_end <= tuple.size, || {
                format!("a field of {ty} is beyond its end")
            })
        }
    }
}

fn check_int_width(bits: u32) -> Result<(), String> {
    ensure((1..=128).contains(&bits), || {
        format!("an integer of {bits} bits")
    })
}

/// Whether a number has no bits above the lowest `bits`.
fn fits(value: u128, bits: u32) -> bool {
    value.checked_shr(bits).unwrap_or(0) == 0
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

#[cfg(test)]
mod tests;
