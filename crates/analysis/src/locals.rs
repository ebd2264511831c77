//! Local variables that nobody but their function can know.

use cranelift_entity::EntitySet;
use ir::{Body, Op, Operand, ValueId};

/// Addresses of locals that are only loaded from and stored to.
pub fn private(body: &Body) -> EntitySet<ValueId> {
    let mut private = EntitySet::with_capacity(body.values.len());
    for inst in body.insts.values() {
        if let (Op::Local { count: None, .. }, Some(result)) = (&inst.op, inst.result) {
            private.insert(result);
        }
    }
    let mut visit = |operand: Operand| {
        if let Operand::Value(value) = operand {
            private.remove(value);
        }
    };
    for block in body.blocks.values() {
        for phi in &block.phis {
            phi.incoming.iter().for_each(|(_, operand)| visit(*operand));
        }
        for inst in &block.insts {
            match &body.insts[*inst].op {
                Op::Load { .. } => {}
                Op::Store { value, .. } => visit(*value),
                op => op.for_each_operand(&mut visit),
            }
        }
        block.terminator.for_each_operand(&mut visit);
    }
    private
}
