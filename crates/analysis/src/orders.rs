//! Where a program allows more than interleavings.
//!
//! Whoever runs one step after the other, as an interpreter or a checker of
//! interleavings does, looks at sequentially consistent runs. Atomic accesses that
//! ask for a weaker order have others as well, in which threads do not agree on
//! what happened first.
//!
//! Accesses that are not atomic are none of this: where they make a difference,
//! they race.

use crate::meaning::Meaning;
use crate::{PointsTo, Site};
use ir::{Constant, Op, Operand, Ordering, Program};
use library::{Atomic, Function};

/// `memory_order_seq_cst` as an argument.
const SEQUENTIALLY_CONSISTENT: u128 = 5;

/// The first atomic access that does not ask for sequential consistency, in a
/// function that may be called.
pub fn first_weaker(program: &Program) -> Option<Site> {
    let meaning = Meaning::of(program);
    let sites = || {
        let functions = program.functions.iter();
        let bodies = functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)));
        bodies.flat_map(|(function, body)| {
            let insts = body.insts.iter();
            let weaker = insts.filter(|(_, inst)| is_weaker(program, &meaning, &inst.op));
            weaker.map(move |(inst, _)| Site { function, inst })
        })
    };
    // Most programs have none, and then nobody has to know what is called.
    sites().next()?;
    let points_to = PointsTo::of(program);
    sites().find(|site| points_to.is_reached(site.function))
}

fn is_weaker(program: &Program, meaning: &Meaning, op: &Op) -> bool {
    let weaker = |ordering: Ordering| ordering != Ordering::SequentiallyConsistent;
    match op {
        Op::Load { ordering, .. } | Op::Store { ordering, .. } => ordering.is_some_and(weaker),
        Op::Rmw { ordering, .. } => weaker(*ordering),
        Op::CompareExchange {
            success, failure, ..
        } => weaker(*success) || weaker(*failure),
        Op::Call { callee, args, .. } => match meaning.of_callee(callee) {
            Some(Function::Atomic(atomic)) => {
                let orders = orders(atomic, args);
                orders.iter().any(|order| !is_strongest(program, *order))
            }
            _ => false,
        },
        _ => false,
    }
}

/// The arguments of a call that are memory orders of an access: they come last.
fn orders(atomic: Atomic, args: &[Operand]) -> &[Operand] {
    let n_others = match atomic {
        Atomic::Load | Atomic::Store | Atomic::CompareExchangeSized => 3,
        Atomic::Exchange | Atomic::CompareExchange => 4,
        Atomic::LoadSized | Atomic::FlagTestAndSet | Atomic::FlagClear => 1,
        Atomic::StoreSized
        | Atomic::ExchangeSized
        | Atomic::FetchAdd
        | Atomic::FetchSub
        | Atomic::FetchAnd
        | Atomic::FetchOr
        | Atomic::FetchXor
        | Atomic::FetchNand => 2,
        Atomic::ThreadFence | Atomic::SignalFence | Atomic::IsLockFree => args.len(),
    };
    args.get(n_others..).unwrap_or_default()
}

/// Whether an order is known to be the strongest.
fn is_strongest(program: &Program, order: Operand) -> bool {
    match order {
        Operand::Const(id) => matches!(
            program.constant(id),
            Constant::Int {
                value: SEQUENTIALLY_CONSISTENT,
                ..
            }
        ),
        Operand::Value(_) => false,
    }
}
