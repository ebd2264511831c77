//! Loops that only wait: an iteration of which nothing is left when it is over.
//!
//! Such an iteration reads memory and computes, and may store in locals that nobody else
//! knows and that are stored anew before anybody looks at them. So the thread is where it
//! was before, and others cannot tell that it went round: any run is still one without
//! that iteration, under every memory model here, since leaving out reads leaves out
//! constraints only. What goes wrong within an iteration goes wrong before it is over.

use crate::locals;
use crate::meaning::Meaning;
use crate::{Loop, LoopId, Loops};
use cranelift_entity::EntitySet;
use ir::{BlockId, Body, Callee, FunctionId, Inst, Op, Operand, Program, ValueId};
use library::{C11Thread, Function, Thread};
use std::collections::BTreeSet;

/// Calls of functions that call others are looked into so deep.
const DEEPEST: usize = 8;

/// The loops of each function that only wait.
#[derive(Clone, Debug, Default)]
pub struct Spinning(BTreeSet<(FunctionId, LoopId)>);

impl Spinning {
    pub fn of(program: &Program) -> Spinning {
        let meaning = Meaning::of(program);
        let mut found = BTreeSet::new();
        for (function, data) in program.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            let loops = Loops::of(body);
            if loops.is_empty() {
                continue;
            }
            let look = Look {
                program,
                meaning: &meaning,
                body,
                private: locals::private(body),
            };
            for (id, one) in loops.iter() {
                if look.only_waits(one) {
                    found.insert((function, id));
                }
            }
        }
        Spinning(found)
    }

    pub fn contains(&self, function: FunctionId, id: LoopId) -> bool {
        self.0.contains(&(function, id))
    }
}

struct Look<'p> {
    program: &'p Program,
    meaning: &'p Meaning,
    body: &'p Body,
    private: EntitySet<ValueId>,
}

impl Look<'_> {
    fn only_waits(&self, one: &Loop) -> bool {
        let carries_nothing = self.body.blocks[one.header].phis.is_empty();
        let mut insts = one.blocks.iter().flat_map(|block| self.insts(block));
        carries_nothing
            && insts
                .all(|inst| !matches!(inst.op, Op::Local { .. }) && self.leaves_nothing(inst, 0))
            && !self
                .stored_in(one)
                .iter()
                .any(|local| self.is_live(one.header, *local))
    }

    fn insts(&self, block: BlockId) -> impl Iterator<Item = &Inst> {
        let insts = self.body.blocks[block].insts.iter();
        insts.map(|inst| &self.body.insts[*inst])
    }

    /// Whether nothing is left of an instruction when it is done, but in private locals.
    fn leaves_nothing(&self, inst: &Inst, depth: usize) -> bool {
        match &inst.op {
            Op::Store {
                address: Operand::Value(address),
                ..
            } => self.private.contains(*address),
            Op::Call { callee, .. } => self.is_harmless(callee, depth),
            Op::Load { .. }
            | Op::Fence { .. }
            | Op::Local { .. }
            | Op::Binary { .. }
            | Op::FloatBinary { .. }
            | Op::FloatNegate { .. }
            | Op::Compare { .. }
            | Op::FloatCompare { .. }
            | Op::Cast { .. }
            | Op::Offset { .. }
            | Op::Select { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Builtin { .. } => true,
            Op::Any
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CompareExchange { .. }
            | Op::VaStart { .. }
            | Op::VaCopy { .. }
            | Op::SaveStack
            | Op::RestoreStack { .. }
            | Op::Unsupported { .. } => false,
        }
    }

    /// Whether nothing is left of a call.
    fn is_harmless(&self, callee: &Callee, depth: usize) -> bool {
        let Callee::Direct(function) = callee else {
            return false;
        };
        if let Some(entry) = self.meaning.entry(*function) {
            return matches!(
                entry.function,
                Function::Thread(Thread::Yield) | Function::C11Thread(C11Thread::ThreadYield)
            );
        }
        let Some(body) = &self.program.functions[*function].body else {
            return false;
        };
        let callee = Look {
            body,
            private: locals::private(body),
            ..*self
        };
        depth < DEEPEST
            && !self.meaning.is_atomic(*function)
            && Loops::of(body).is_empty()
            && (body.insts.values()).all(|inst| callee.leaves_nothing(inst, depth + 1))
    }

    /// Locals that an iteration may store in.
    fn stored_in(&self, one: &Loop) -> BTreeSet<ValueId> {
        let insts = one.blocks.iter().flat_map(|block| self.insts(block));
        let stored = insts.filter_map(|inst| match &inst.op {
            Op::Store {
                address: Operand::Value(address),
                ..
            } => Some(*address),
            _ => None,
        });
        stored.collect()
    }

    /// Whether somebody may read what a local holds when a block begins. Loads and stores
    /// that are not of all of it count as such.
    fn is_live(&self, block: BlockId, local: ValueId) -> bool {
        if !self.has_one_size(local) {
            return true;
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            if !seen.insert(block) {
                continue;
            }
            let uses = self.insts(block).find_map(|inst| match &inst.op {
                Op::Load { address, .. } if *address == Operand::Value(local) => Some(true),
                Op::Store { address, .. } if *address == Operand::Value(local) => Some(false),
                _ => None,
            });
            match uses {
                Some(true) => return true,
                Some(false) => {}
                None => open.extend(self.body.blocks[block].terminator.successors()),
            }
        }
        false
    }

    /// Whether all that is loaded from a local or stored there is of the same size.
    fn has_one_size(&self, local: ValueId) -> bool {
        let mut sizes = self.body.insts.values().filter_map(|inst| {
            let ty = match &inst.op {
                Op::Load { address, .. } if *address == Operand::Value(local) => {
                    self.body.values[inst.result?].clone()
                }
                Op::Store { address, value, .. } if *address == Operand::Value(local) => {
                    self.body.operand_type(self.program, *value)
                }
                _ => return None,
            };
            Some(ty.bytes(self.program.target.pointer_bytes))
        });
        let first = sizes.next();
        sizes.all(|size| Some(size) == first)
    }
}
