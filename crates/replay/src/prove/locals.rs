//! Which locals of a function hold something that will still be read.
//!
//! Only locals whose address goes nowhere are looked at: it is used to load and
//! store, moved by offsets for the same purpose, and given to a few library
//! functions that do not keep it. For these, it is the liveness of registers all
//! over again: a load is a use, a store to all of it a definition. What the
//! analysis does not know counts as being read.

use crate::image::Image;
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use ir::{BlockId, Body, Callee, FunctionId, InstId, Op, Operand, Type, ValueId};
use library::{Function, Thread as ThreadOp};
use std::collections::HashMap;

pub(super) struct DeadLocals<'a> {
    image: &'a Image<'a>,
    functions: HashMap<FunctionId, FunctionLocals>,
}

#[derive(Default)]
struct FunctionLocals {
    /// The locals that can be followed, by the register that holds the address.
    followed: HashMap<ValueId, InstId>,
    known: EntitySet<InstId>,
    /// Read after the end of a block, before they are written.
    live_out: SecondaryMap<BlockId, EntitySet<InstId>>,
    points: HashMap<(BlockId, usize), EntitySet<InstId>>,
}

impl<'a> DeadLocals<'a> {
    pub(super) fn new(image: &'a Image<'a>) -> Self {
        DeadLocals {
            image,
            functions: HashMap::new(),
        }
    }

    /// Whether nobody reads a local that this instruction makes before it is written
    /// again, when control is at this point.
    pub(super) fn is_dead(
        &mut self,
        function: FunctionId,
        block: BlockId,
        index: usize,
        local: InstId,
    ) -> bool {
        let image = self.image;
        let Some(body) = image.body(function) else {
            return false;
        };
        if image.can_jump && image.is_jumped_to(function) {
            return false;
        }
        let locals = self
            .functions
            .entry(function)
            .or_insert_with(|| FunctionLocals::of(image, body));
        if !locals.known.contains(local) {
            return false;
        }
        if !locals.points.contains_key(&(block, index)) {
            let live = locals.live_before(image, body, block, index);
            locals.points.insert((block, index), live);
        }
        !locals.points[&(block, index)].contains(local)
    }
}

impl FunctionLocals {
    fn of(image: &Image, body: &Body) -> FunctionLocals {
        let mut locals = FunctionLocals::default();
        for (id, inst) in body.insts.iter() {
            if let (Op::Local { count: None, .. }, Some(result)) = (&inst.op, inst.result) {
                locals.followed.insert(result, id);
                locals.known.insert(id);
            }
        }
        // Addresses within a local are followed too, wherever their blocks are.
        loop {
            let before = locals.followed.len();
            for inst in body.insts.values() {
                if let (Op::Offset { base, .. }, Some(result)) = (&inst.op, inst.result)
                    && let Some(local) = locals.local(*base)
                {
                    locals.followed.insert(result, local);
                }
            }
            if locals.followed.len() == before {
                break;
            }
        }
        locals.leave_out_escaping(image, body);
        locals.solve(image, body);
        locals
    }

    fn local(&self, operand: Operand) -> Option<InstId> {
        match operand {
            Operand::Value(value) => self.followed.get(&value).copied(),
            Operand::Const(_) => None,
        }
    }

    /// Forgets the locals whose address may get somewhere.
    fn leave_out_escaping(&mut self, image: &Image, body: &Body) {
        let mut escaping = Vec::new();
        for block in body.blocks.values() {
            for phi in &block.phis {
                escaping.extend(phi.incoming.iter().map(|(_, operand)| *operand));
            }
            for id in &block.insts {
                let inst = &body.insts[*id];
                match &inst.op {
                    Op::Load { .. } => {}
                    Op::Store { value, .. } => escaping.push(*value),
                    Op::Rmw { value, .. } => escaping.push(*value),
                    Op::CompareExchange {
                        expected,
                        replacement,
                        ..
                    } => escaping.extend([*expected, *replacement]),
                    Op::Offset { terms, .. } => {
                        escaping.extend(terms.iter().map(|(term, _)| *term));
                    }
                    Op::Call { args, by_value, .. } => {
                        for (index, arg) in args.iter().enumerate() {
                            let is_copied = by_value.get(index).is_some_and(Option::is_some);
                            if is_copied || !only_used(image, &inst.op, index) {
                                escaping.push(*arg);
                            }
                        }
                    }
                    op => op.for_each_operand(|operand| escaping.push(operand)),
                }
            }
            block
                .terminator
                .for_each_operand(|operand| escaping.push(operand));
        }
        for operand in escaping {
            if let Some(local) = self.local(operand) {
                self.known.remove(local);
            }
        }
    }

    fn solve(&mut self, image: &Image, body: &Body) {
        let entries = |locals: &Self| -> Vec<EntitySet<InstId>> {
            let blocks = body.blocks.keys();
            blocks
                .map(|block| locals.live_before(image, body, block, 0))
                .collect()
        };
        loop {
            let live_in = entries(self);
            let mut has_changed = false;
            for (block, data) in body.blocks.iter() {
                let out = &mut self.live_out[block];
                let before = out.iter().count();
                for successor in data.terminator.successors() {
                    live_in[successor.index()].iter().for_each(|local| {
                        out.insert(local);
                    });
                }
                has_changed |= out.iter().count() != before;
            }
            if !has_changed {
                return;
            }
        }
    }

    fn live_before(
        &self,
        image: &Image,
        body: &Body,
        block: BlockId,
        index: usize,
    ) -> EntitySet<InstId> {
        let mut live = self.live_out[block].clone();
        let insts = &body.blocks[block].insts;
        for id in insts.iter().skip(index).rev() {
            let inst = &body.insts[*id];
            match &inst.op {
                // It is made here, so what its place held before is gone.
                Op::Local { .. } => {
                    live.remove(*id);
                }
                Op::Store { address, value, .. } => {
                    if let Some(local) = self.local(*address) {
                        let ty = body.operand_type(image.program, *value);
                        if self.covers(body, local, *address, &ty, image) {
                            live.remove(local);
                        }
                    }
                }
                op => op.for_each_operand(|operand| {
                    if let Some(local) = self.local(operand)
                        && !matches!(op, Op::Offset { .. })
                    {
                        live.insert(local);
                    }
                }),
            }
        }
        live
    }

    /// A store through the local's own address writes all of it.
    fn covers(
        &self,
        body: &Body,
        local: InstId,
        address: Operand,
        ty: &Type,
        image: &Image,
    ) -> bool {
        let own = body.insts[local].result.map(Operand::Value);
        let is_plain = !matches!(ty, Type::Tuple(_));
        let pointer_bytes = image.program.target.pointer_bytes;
        matches!(&body.insts[local].op, Op::Local { bytes, .. }
            if own == Some(address) && is_plain && *bytes == ty.bytes(pointer_bytes))
    }
}

/// A library function that accesses what an argument points to, and does not keep
/// the address.
fn only_used(image: &Image, op: &Op, index: usize) -> bool {
    let Op::Call {
        callee: Callee::Direct(function),
        ..
    } = op
    else {
        return false;
    };
    let entry = image.library(*function).map(|entry| entry.function);
    matches!(
        (entry, index),
        (Some(Function::Thread(ThreadOp::Create)), 0) | (Some(Function::Thread(ThreadOp::Join)), 1)
    )
}
