//! Whether a program looks at its command line. Compilers store the parameters of
//! `main` in variables of its own whether it uses them or not, so what counts is
//! whether anything is ever read from these.

use crate::Site;
use cranelift_entity::EntityRef;
use ir::{Op, Operand, Program, ValueId};

/// The first instruction of `main` that uses one of its parameters.
pub fn first_use(program: &Program) -> Option<Site> {
    let function = &program.functions[program.main];
    let body = function.body.as_ref()?;
    let parameters = (0..function.params.len()).map(ValueId::new);
    let mut watched: Vec<ValueId> = parameters.clone().collect();
    // Variables that hold a parameter and nothing else.
    for data in body.insts.values() {
        if let Op::Store {
            address: Operand::Value(address),
            value: Operand::Value(value),
            ..
        } = &data.op
            && parameters.clone().any(|parameter| parameter == *value)
        {
            watched.push(*address);
        }
    }
    let is_watched = |operand: Operand| match operand {
        Operand::Value(value) => watched.contains(&value),
        Operand::Const(_) => false,
    };
    for block in body.blocks.values() {
        for inst in &block.insts {
            let op = &body.insts[*inst].op;
            let is_kept = matches!(op, Op::Store { address, value, .. }
                if is_watched(*address) && is_watched(*value));
            let mut is_used = false;
            op.for_each_operand(|operand| is_used |= is_watched(operand));
            if is_used && !is_kept {
                return Some(Site {
                    function: program.main,
                    inst: *inst,
                });
            }
        }
        let mut is_used = false;
        let terminator = &block.terminator;
        terminator.for_each_operand(|operand| is_used |= is_watched(operand));
        if let (true, Some(inst)) = (is_used, block.insts.last()) {
            return Some(Site {
                function: program.main,
                inst: *inst,
            });
        }
    }
    None
}
