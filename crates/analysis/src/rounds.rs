//! Loops of which no two rounds begin alike: a thread that comes back to the head of
//! such a loop is never where it was before.
//!
//! - Every round creates a thread. There are more threads each time, whatever else
//!   happens.
//! - Every round counts: it moves a variable of the function by the same small step,
//!   once, and nothing else in the loop writes the variable, whose address goes nowhere.
//!   Such a variable comes back to a value only after it has taken all others; who
//!   relies on it has to look out for that ([`Counter::has_passed`]).
//!
//! Nothing is said about loops that can be entered elsewhere than at their head.

use crate::loops::{Loop, LoopId, Loops};
use crate::meaning::Meaning;
use cranelift_entity::EntitySet;
use ir::dominators::Dominators;
use ir::{
    BinaryOp, BlockId, Body, Callee, Constant, FunctionId, InstId, Op, Operand, Program,
    Terminator, Type, ValueId,
};
use library::{C11Thread, Function, Thread};
use std::collections::{HashMap, HashSet};

/// Steps up to which a variable counts.
const LARGEST_STEP: i64 = 16;
/// Widths from which on it does.
const LEAST_WIDTH: u32 = 32;
/// How far apart the values are that a counter has passed now and then.
const STRETCH: i64 = 1 << 16;

/// What is known of the rounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Any,
    Creates,
    Counts(Counter),
}

/// A variable that a loop moves, once each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The register that holds its address.
    pub address: ValueId,
    pub width: u32,
    step: i64,
}

impl Counter {
    /// Whether the variable has just passed one of the values at which somebody has to
    /// look up. It passes one before it comes back to a value.
    pub fn has_passed(&self, value: u64) -> bool {
        let value = (value % STRETCH as u64) as i64;
        match self.step > 0 {
            true => value < self.step,
            false => value >= STRETCH + self.step,
        }
    }
}

pub struct Rounds(HashMap<(FunctionId, LoopId), Round>);

impl Rounds {
    pub fn of(program: &Program) -> Rounds {
        let meaning = Meaning::of(program);
        let mut rounds = HashMap::new();
        let creators = creators(program, &meaning);
        for (function, data) in program.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            let loops = Loops::of(body);
            if loops.is_empty() {
                continue;
            }
            let dominators = Dominators::of(body);
            let creating = creating_blocks(body, &meaning, &creators);
            let plain = plain_locals(body);
            for (id, data) in loops.iter() {
                let mut blocks = data.blocks.iter();
                if !blocks.all(|block| dominators.dominates(data.header, block)) {
                    continue;
                }
                let counter = || counter(program, body, &loops, id, &plain);
                let round = match is_passed(body, data, &creating) {
                    true => Some(Round::Creates),
                    false => counter().map(Round::Counts),
                };
                rounds.extend(round.map(|round| ((function, id), round)));
            }
        }
        Rounds(rounds)
    }

    pub fn of_loop(&self, function: FunctionId, id: LoopId) -> Round {
        let known = self.0.get(&(function, id));
        known.copied().unwrap_or(Round::Any)
    }
}

/// Whether every round of a loop comes by one of some blocks.
fn is_passed(body: &Body, data: &Loop, blocks: &HashSet<BlockId>) -> bool {
    let mut seen = EntitySet::new();
    let mut open = vec![data.header];
    while let Some(block) = open.pop() {
        if blocks.contains(&block) || !data.blocks.contains(block) || !seen.insert(block) {
            continue;
        }
        if data.latches.contains(&block) {
            return false;
        }
        open.extend(body.blocks[block].terminator.successors());
    }
    true
}

/// Functions that do not return before they have created a thread.
fn creators(program: &Program, meaning: &Meaning) -> HashSet<FunctionId> {
    let mut creators = HashSet::new();
    loop {
        let before = creators.len();
        for (function, data) in program.functions.iter() {
            if let Some(body) = &data.body
                && meaning.entry(function).is_none()
                && !creators.contains(&function)
                && creates_before_return(body, &creating_blocks(body, meaning, &creators))
            {
                creators.insert(function);
            }
        }
        if creators.len() == before {
            return creators;
        }
    }
}

fn creates_before_return(body: &Body, creating: &HashSet<BlockId>) -> bool {
    let mut seen = EntitySet::new();
    let mut open = vec![Body::ENTRY];
    while let Some(block) = open.pop() {
        if creating.contains(&block) || !seen.insert(block) {
            continue;
        }
        let terminator = &body.blocks[block].terminator;
        if matches!(terminator, Terminator::Return { .. }) {
            return false;
        }
        open.extend(terminator.successors());
    }
    true
}

fn creating_blocks(
    body: &Body,
    meaning: &Meaning,
    creators: &HashSet<FunctionId>,
) -> HashSet<BlockId> {
    let creates = |inst: &InstId| match &body.insts[*inst].op {
        Op::Call { callee, .. } => match (meaning.of_callee(callee), callee) {
            (Some(function), _) => matches!(
                function,
                Function::Thread(Thread::Create) | Function::C11Thread(C11Thread::ThreadCreate)
            ),
            (None, Callee::Direct(function)) => creators.contains(function),
            (None, Callee::Indirect(_)) => false,
        },
        _ => false,
    };
    let blocks = body.blocks.iter();
    let creating = blocks.filter(|(_, data)| data.insts.iter().any(creates));
    creating.map(|(block, _)| block).collect()
}

/// Registers that hold the address of a variable, and are used for nothing but to read
/// and write it.
fn plain_locals(body: &Body) -> HashMap<ValueId, InstId> {
    let mut locals = HashMap::new();
    for (id, inst) in body.insts.iter() {
        if let (Op::Local { count: None, .. }, Some(result)) = (&inst.op, inst.result) {
            locals.insert(result, id);
        }
    }
    let mut lose = |operand: Operand| {
        if let Operand::Value(value) = operand {
            locals.remove(&value);
        }
    };
    for block in body.blocks.values() {
        for phi in &block.phis {
            phi.incoming.iter().for_each(|(_, operand)| lose(*operand));
        }
        block.terminator.for_each_operand(&mut lose);
    }
    for inst in body.insts.values() {
        match &inst.op {
            Op::Load { .. } => {}
            Op::Store { value, .. } => lose(*value),
            other => other.for_each_operand(&mut lose),
        }
    }
    locals
}

/// A variable that a loop moves by a small step, once in every round.
fn counter(
    program: &Program,
    body: &Body,
    loops: &Loops,
    id: LoopId,
    plain: &HashMap<ValueId, InstId>,
) -> Option<Counter> {
    let data = &loops[id];
    let mut stores: HashMap<ValueId, Vec<(BlockId, usize)>> = HashMap::new();
    let mut made = HashSet::new();
    for block in data.blocks.iter() {
        for (index, inst) in body.blocks[block].insts.iter().enumerate() {
            match &body.insts[*inst].op {
                Op::Store {
                    address: Operand::Value(address),
                    ..
                } => stores.entry(*address).or_default().push((block, index)),
                Op::Local { .. } => made.extend(body.insts[*inst].result),
                _ => {}
            }
        }
    }
    let mut found: Vec<Counter> = Vec::new();
    for (address, places) in stores {
        let [(block, index)] = places[..] else {
            continue;
        };
        let is_own = plain.contains_key(&address) && !made.contains(&address);
        let once =
            loops.innermost(block) == Some(id) && is_passed(body, data, &HashSet::from([block]));
        if is_own && once {
            found.extend(moved(program, body, plain, address, block, index));
        }
    }
    // The same whatever the order of a hash table is.
    found.into_iter().min_by_key(|counter| counter.address)
}

/// How a store moves a variable, if it does.
fn moved(
    program: &Program,
    body: &Body,
    plain: &HashMap<ValueId, InstId>,
    address: ValueId,
    block: BlockId,
    index: usize,
) -> Option<Counter> {
    let insts = &body.blocks[block].insts;
    let maker = |operand: Operand| {
        let mut before = insts[..index].iter();
        before.find(|inst| body.insts[**inst].result.map(Operand::Value) == Some(operand))
    };
    let Op::Store { value, .. } = &body.insts[insts[index]].op else {
        return None;
    };
    let Type::Int(width @ LEAST_WIDTH..=64) = body.operand_type(program, *value) else {
        return None;
    };
    let Op::Binary {
        op,
        left,
        right: Operand::Const(right),
        ..
    } = &body.insts[*maker(*value)?].op
    else {
        return None;
    };
    let Op::Load { address: from, .. } = &body.insts[*maker(*left)?].op else {
        return None;
    };
    let Op::Local { bytes, .. } = &body.insts[*plain.get(&address)?].op else {
        return None;
    };
    let Constant::Int { value: by, .. } = program.constant(*right) else {
        return None;
    };
    let unused = 128 - width;
    let by = ((*by as i128) << unused >> unused) as i64;
    let step = match op {
        BinaryOp::Add => by,
        BinaryOp::Sub => by.checked_neg()?,
        _ => return None,
    };
    let is_small = step != 0 && (-LARGEST_STEP..=LARGEST_STEP).contains(&step);
    let is_whole = *bytes == u64::from(width / 8) && width.is_multiple_of(8);
    (is_small && is_whole && *from == Operand::Value(address)).then_some(Counter {
        address,
        width,
        step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the step, one value is passed before any comes back.
    #[test]
    fn counters_do_not_come_back_unseen() {
        for step in (-LARGEST_STEP..=LARGEST_STEP).filter(|step| *step != 0) {
            let counter = Counter {
                address: ValueId::from_u32(0),
                width: 32,
                step,
            };
            for start in [0u32, 1, 65_530, 1 << 31, u32::MAX - 3] {
                let mut value = start;
                let mut has_passed = false;
                for _ in 0..STRETCH {
                    value = value.wrapping_add(step as u32);
                    has_passed |= counter.has_passed(u64::from(value));
                }
                assert!(has_passed, "{step} from {start}");
            }
        }
    }
}
