//! Which bounds to try, in which order.
//!
//! Bounds that the user gives hold exactly. What is left open grows: small
//! bounds first, since most violations need few contexts and few iterations, and
//! rounds beside free contexts, since they reach deep violations sooner.

use crate::attempt::{Answer, Task};
use crate::verdict::{Attempt, Limits, Order, Report, Verdict};

/// Bounds that grow for ever end here at the latest.
const HIGHEST: u32 = 64;

pub fn run(task: &Task) -> Report {
    let bounds = &task.options.bounds;
    let mut attempts = Vec::new();
    if let (Some(order), Some(unwind)) = (bounds.order, bounds.unwind) {
        let (answer, record) = task.attempt(order, unwind);
        attempts.push(record);
        let verdict = match answer {
            Answer::Violated(run) => Verdict::Violated(run),
            Answer::None(limits) => safe(limits),
            Answer::Unknown(reason) => Verdict::Unknown {
                reason,
                established: None,
            },
        };
        return report(verdict, attempts);
    }
    let mut established: Option<Limits> = None;
    for (order, unwind) in plan(bounds.order, bounds.unwind) {
        let (answer, record) = task.attempt(order, unwind);
        attempts.push(record);
        match answer {
            Answer::Violated(run) => return report(Verdict::Violated(run), attempts),
            Answer::None(limits) => {
                if limits == Limits::default() {
                    return report(Verdict::Safe, attempts);
                }
                let is_final = limits.order.is_none() && limits.loops.is_empty();
                established = Some(limits);
                if is_final {
                    break;
                }
            }
            Answer::Unknown(reason) => {
                let verdict = Verdict::Unknown {
                    reason,
                    established,
                };
                return report(verdict, attempts);
            }
        }
    }
    report(safe(established.unwrap_or_default()), attempts)
}

fn safe(limits: Limits) -> Verdict {
    if limits == Limits::default() {
        Verdict::Safe
    } else {
        Verdict::SafeUpTo(limits)
    }
}

fn report(verdict: Verdict, attempts: Vec<Attempt>) -> Report {
    Report {
        verdict,
        attempts,
        warnings: Vec::new(),
    }
}

/// The bounds to try: contexts and unwinding in turn, whichever is not given.
fn plan(order: Option<Order>, unwind: Option<u32>) -> Vec<(Order, u32)> {
    let mut plan = Vec::new();
    let unwinds = |level: u32| unwind.unwrap_or(level);
    match order {
        Some(order) => plan.extend((1..=HIGHEST).map(|level| (order, unwinds(level)))),
        None => {
            plan.push((Order::Contexts(3), unwinds(1)));
            plan.push((Order::Contexts(3), unwinds(2)));
            plan.push((Order::Rounds(2), unwinds(2)));
            plan.push((Order::Contexts(5), unwinds(2)));
            plan.push((Order::Rounds(2), unwinds(4)));
            plan.push((Order::Rounds(3), unwinds(3)));
            plan.push((Order::Contexts(6), unwinds(3)));
            plan.push((Order::Rounds(4), unwinds(3)));
            for level in 4..=HIGHEST {
                plan.push((Order::Rounds(level / 2 + 1), unwinds(2 * level)));
                plan.push((Order::Contexts(level + 4), unwinds(level + 1)));
                plan.push((Order::Rounds(level), unwinds(level)));
            }
        }
    }
    plan.dedup();
    plan
}
