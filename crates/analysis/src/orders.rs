//! Where a program allows more than interleavings.
//!
//! Whoever runs one step after the other, as an interpreter or a checker of
//! interleavings does, looks at sequentially consistent runs. Atomic accesses that
//! ask for a weaker order have others as well, in which threads do not agree on
//! what happened first.
//!
//! Accesses that are not atomic are none of this: where they make a difference,
//! they race.

use crate::{PointsTo, Site};
use ir::{Op, Ordering, Program};

/// The first atomic access that does not ask for sequential consistency, in a
/// function that may be called.
pub fn first_weaker(program: &Program) -> Option<Site> {
    let sites = || {
        let functions = program.functions.iter();
        let bodies = functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)));
        bodies.flat_map(|(function, body)| {
            let insts = body.insts.iter().filter(|(_, inst)| is_weaker(&inst.op));
            insts.map(move |(inst, _)| Site { function, inst })
        })
    };
    // Most programs have none, and then nobody has to know what is called.
    sites().next()?;
    let points_to = PointsTo::of(program);
    sites().find(|site| points_to.is_reached(site.function))
}

fn is_weaker(op: &Op) -> bool {
    let weaker = |ordering: Ordering| ordering != Ordering::SequentiallyConsistent;
    match op {
        Op::Load { ordering, .. } | Op::Store { ordering, .. } => ordering.is_some_and(weaker),
        Op::Rmw { ordering, .. } => weaker(*ordering),
        Op::CompareExchange {
            success, failure, ..
        } => weaker(*success) || weaker(*failure),
        _ => false,
    }
}
