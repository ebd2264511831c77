//! Whether the numbers by which a program knows its threads matter.
//!
//! A thread is told from others that do the same by its number only: what a create
//! writes, and what a thread says of itself. If a program does nothing with such
//! numbers but join the threads, then threads can be exchanged for each other.

use crate::meaning::Meaning;
use crate::points_to::{ObjectId, PointsTo};
use crate::sharing::accesses::accesses;
use ir::{Body, FunctionId, Op, Operand, Program, ValueId};
use library::{C11Thread, Function, Process, Thread};
use std::collections::BTreeSet;

/// Whether whatever the program learns about the number of a thread is used to join
/// it, and for nothing else.
pub fn are_only_joined(program: &Program, points_to: &PointsTo) -> bool {
    let meaning = Meaning::of(program);
    let bodies = || {
        let functions = program.functions.iter();
        functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)))
    };
    let mut holders: BTreeSet<ObjectId> = BTreeSet::new();
    for (function, body) in bodies() {
        for (inst, data) in body.insts.iter() {
            let Op::Call { args, .. } = &data.op else {
                continue;
            };
            for called in library_functions(&meaning, points_to, function, inst) {
                if asks_who_it_is(called) {
                    return false;
                }
                if let (true, Some(place)) = (creates(called), args.first()) {
                    let targets = points_to.targets(function, *place);
                    if targets.is_unknown {
                        return false;
                    }
                    holders.extend(targets.objects());
                }
            }
        }
    }
    bodies().all(|(function, body)| {
        let accesses = accesses(program, &meaning, points_to, function, body);
        let mut reads = accesses.iter().filter(|access| access.kinds.reads);
        reads.all(|access| {
            if !holders.contains(&access.object) {
                return true;
            }
            let inst = &body.insts[access.inst];
            match (&inst.op, inst.result) {
                (Op::Load { .. }, Some(number)) => {
                    is_only_joined(&meaning, points_to, function, body, number)
                }
                _ => false,
            }
        })
    })
}

fn is_only_joined(
    meaning: &Meaning,
    points_to: &PointsTo,
    function: FunctionId,
    body: &Body,
    number: ValueId,
) -> bool {
    let is_it = |operand: Operand| operand == Operand::Value(number);
    let mut is_used_otherwise = false;
    for block in body.blocks.values() {
        for phi in &block.phis {
            is_used_otherwise |= phi.incoming.iter().any(|(_, operand)| is_it(*operand));
        }
        block
            .terminator
            .for_each_operand(|operand| is_used_otherwise |= is_it(operand));
        for id in &block.insts {
            let op = &body.insts[*id].op;
            let callees = points_to.callees(function, *id);
            let mut entries = callees.iter().map(|callee| meaning.entry(*callee));
            let is_join = !callees.is_empty()
                && entries.all(|entry| entry.is_some_and(|entry| joins(entry.function)));
            match op {
                Op::Call { args, .. } if is_join => {
                    is_used_otherwise |= args.iter().skip(1).any(|arg| is_it(*arg));
                }
                op => op.for_each_operand(|operand| is_used_otherwise |= is_it(operand)),
            }
        }
    }
    !is_used_otherwise
}

/// The library functions that a call may be of.
fn library_functions(
    meaning: &Meaning,
    points_to: &PointsTo,
    function: FunctionId,
    inst: ir::InstId,
) -> Vec<Function> {
    let callees = points_to.callees(function, inst).iter();
    let entries = callees.filter_map(|callee| meaning.entry(*callee));
    entries.map(|entry| entry.function).collect()
}

fn creates(function: Function) -> bool {
    matches!(
        function,
        Function::Thread(Thread::Create) | Function::C11Thread(C11Thread::ThreadCreate)
    )
}

fn joins(function: Function) -> bool {
    matches!(
        function,
        Function::Thread(Thread::Join) | Function::C11Thread(C11Thread::ThreadJoin)
    )
}

fn asks_who_it_is(function: Function) -> bool {
    matches!(
        function,
        Function::Thread(Thread::SelfId | Thread::Equal)
            | Function::Process(Process::GetTid)
            | Function::C11Thread(C11Thread::ThreadCurrent | C11Thread::ThreadEqual)
    )
}
