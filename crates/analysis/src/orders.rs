//! Where a program allows more than interleavings.
//!
//! Whoever runs one step after the other, as an interpreter or a checker of
//! interleavings does, looks at sequentially consistent runs. Atomic accesses that
//! ask for a weaker order have others as well, in which threads do not agree on
//! what happened first. A fence that is weaker asks for less just as well: it has a
//! meaning only where memory is not sequentially consistent.
//!
//! Accesses that are not atomic are none of this: where they make a difference,
//! they race.
//!
//! What counts is what runs may come to, see [`crate::reached`]: the headers of C++ have
//! all orders in them, of which a call chooses one.

use crate::meaning::Meaning;
use crate::reached::{Known, Reached};
use crate::{PointsTo, Site};
use ir::{BlockId, Body, FunctionId, InstId, Op, Operand, Ordering, Program};
use library::{Atomic, Function};

/// `memory_order_relaxed` and `memory_order_seq_cst` as arguments.
const RELAXED: u128 = 0;
const SEQUENTIALLY_CONSISTENT: u128 = 5;

/// The first atomic access or fence that does not ask for sequential consistency, of those
/// that runs may come to.
pub fn first_weaker(program: &Program) -> Option<Site> {
    let meaning = Meaning::of(program);
    // Most programs have none, and then nobody has to know what is called.
    let anything = |_: FunctionId, _: Operand| Known::Anything;
    candidates(program, &meaning, anything, |_, _| true).next()?;
    let points_to = PointsTo::of(program);
    let reached = Reached::of(program, &meaning, &points_to);
    let known = |function, operand| reached.known(function, operand);
    let is_reached = |function, block| reached.is_reached(function, block);
    candidates(program, &meaning, known, is_reached).next()
}

/// What an order is given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Load,
    Store,
    /// A read-modify-write, or a compare-exchange that succeeds.
    Update,
    /// A compare-exchange that fails.
    Failure,
    Fence,
}

/// An atomic access, or a fence, with its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered {
    pub site: Site,
    pub kind: Kind,
    pub order: Ordering,
}

/// All that runs may come to, in the order of the text. Calls of functions that take an
/// order are not among them.
pub fn ordered(program: &Program) -> Vec<Ordered> {
    let meaning = Meaning::of(program);
    let points_to = PointsTo::of(program);
    let reached = Reached::of(program, &meaning, &points_to);
    let mut found = Vec::new();
    for (function, data) in program.functions.iter() {
        let Some(body) = &data.body else {
            continue;
        };
        let blocks = body.blocks.iter();
        let blocks = blocks.filter(|(block, _)| reached.is_reached(function, *block));
        let mut insts: Vec<InstId> = blocks.flat_map(|(_, block)| block.insts.clone()).collect();
        insts.sort_unstable();
        for inst in insts {
            let site = Site { function, inst };
            let mut add = |kind, order| found.push(Ordered { site, kind, order });
            match &body.insts[inst].op {
                Op::Load {
                    ordering: Some(order),
                    ..
                } => add(Kind::Load, *order),
                Op::Store {
                    ordering: Some(order),
                    ..
                } => add(Kind::Store, *order),
                Op::Rmw { ordering, .. } => add(Kind::Update, *ordering),
                Op::CompareExchange {
                    success, failure, ..
                } => {
                    add(Kind::Update, *success);
                    add(Kind::Failure, *failure);
                }
                Op::Fence { ordering } => add(Kind::Fence, *ordering),
                _ => {}
            }
        }
    }
    found
}

/// What asks for less, in the order of the text, where blocks are as wanted.
fn candidates<'p>(
    program: &'p Program,
    meaning: &'p Meaning,
    known: impl Fn(FunctionId, Operand) -> Known + Copy + 'p,
    is_wanted: impl Fn(FunctionId, BlockId) -> bool + Copy + 'p,
) -> impl Iterator<Item = Site> + 'p {
    let functions = program.functions.iter();
    let bodies = functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)));
    bodies.filter_map(move |(function, body)| {
        let is_weaker = |inst: &InstId| {
            let op = &body.insts[*inst].op;
            is_weaker(meaning, op, |operand| known(function, operand))
        };
        let inst = first_inst(body, |block| is_wanted(function, block), is_weaker)?;
        Some(Site { function, inst })
    })
}

fn first_inst(
    body: &Body,
    is_wanted: impl Fn(BlockId) -> bool,
    is_weaker: impl Fn(&InstId) -> bool,
) -> Option<InstId> {
    let blocks = body.blocks.iter().filter(|(block, _)| is_wanted(*block));
    let insts = blocks.flat_map(|(_, block)| block.insts.iter().copied());
    insts.filter(is_weaker).min()
}

fn is_weaker(meaning: &Meaning, op: &Op, known: impl Fn(Operand) -> Known) -> bool {
    let weaker = |ordering: Ordering| ordering != Ordering::SequentiallyConsistent;
    let may_be = |operand: &Operand, is_meant: fn(u128) -> bool| match known(*operand) {
        Known::Anything => true,
        Known::OneOf(values) => values.into_iter().any(is_meant),
    };
    match op {
        Op::Load { ordering, .. } | Op::Store { ordering, .. } => ordering.is_some_and(weaker),
        Op::Rmw { ordering, .. } | Op::Fence { ordering } => weaker(*ordering),
        Op::CompareExchange {
            success, failure, ..
        } => weaker(*success) || weaker(*failure),
        Op::Call { callee, args, .. } => match meaning.of_callee(callee) {
            // A relaxed fence is none.
            Some(Function::Atomic(Atomic::ThreadFence)) => (args.iter())
                .any(|order| may_be(order, |o| o != SEQUENTIALLY_CONSISTENT && o != RELAXED)),
            Some(Function::Atomic(atomic)) => (orders(atomic, args).iter())
                .any(|order| may_be(order, |order| order != SEQUENTIALLY_CONSISTENT)),
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
