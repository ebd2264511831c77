//! Which registers of a function still matter at a point: those that are read
//! later. Two states that differ only in other registers are the same state.

use cranelift_entity::{EntitySet, SecondaryMap};
use ir::{BlockId, Body, Op, Operand, ValueId};

pub struct Liveness {
    /// Live when control leaves the block, phis of successors included.
    live_out: SecondaryMap<BlockId, EntitySet<ValueId>>,
    /// Read after calls that may return once more, whatever happens meanwhile.
    live_on: EntitySet<ValueId>,
}

impl Liveness {
    /// The liveness in a body, where some instructions may return more than once.
    pub fn of(body: &Body, returns_again: impl Fn(&Op) -> bool) -> Liveness {
        let mut live_out: SecondaryMap<BlockId, EntitySet<ValueId>> = SecondaryMap::new();
        loop {
            let mut has_changed = false;
            for (block, data) in body.blocks.iter().rev() {
                let mut out = live_out[block].clone();
                let before = out.iter().count();
                for successor in data.terminator.successors() {
                    let mut live_in = live_before(body, successor, 0, &live_out[successor]);
                    for phi in &body.blocks[successor].phis {
                        live_in.remove(phi.result);
                    }
                    for phi in &body.blocks[successor].phis {
                        let incoming = phi.incoming.iter().filter(|(from, _)| *from == block);
                        incoming.for_each(|(_, operand)| add(&mut live_in, *operand));
                    }
                    live_in.iter().for_each(|value| {
                        out.insert(value);
                    });
                }
                if out.iter().count() != before {
                    live_out[block] = out;
                    has_changed = true;
                }
            }
            if !has_changed {
                let mut live_on = EntitySet::new();
                for (block, data) in body.blocks.iter() {
                    for (index, inst) in data.insts.iter().enumerate() {
                        if returns_again(&body.insts[*inst].op) {
                            let live = live_before(body, block, index + 1, &live_out[block]);
                            live.iter().for_each(|value| {
                                live_on.insert(value);
                            });
                        }
                    }
                }
                return Liveness { live_out, live_on };
            }
        }
    }

    /// Registers that are read from instruction `index` of the block on.
    pub fn before(&self, body: &Body, block: BlockId, index: usize) -> EntitySet<ValueId> {
        let mut live = live_before(body, block, index, &self.live_out[block]);
        self.live_on.iter().for_each(|value| {
            live.insert(value);
        });
        live
    }
}

fn add(live: &mut EntitySet<ValueId>, operand: Operand) {
    if let Operand::Value(value) = operand {
        live.insert(value);
    }
}

fn live_before(
    body: &Body,
    block: BlockId,
    index: usize,
    live_out: &EntitySet<ValueId>,
) -> EntitySet<ValueId> {
    let data = &body.blocks[block];
    let mut live = live_out.clone();
    data.terminator
        .for_each_operand(|operand| add(&mut live, operand));
    for inst in data.insts.iter().skip(index).rev() {
        let inst = &body.insts[*inst];
        if let Some(result) = inst.result {
            live.remove(result);
        }
        inst.op.for_each_operand(|operand| add(&mut live, operand));
    }
    live
}
