//! Which bounds to try, in which order, and for how long.
//!
//! Bounds that the user gives hold exactly. What is left open grows: small
//! bounds first, since most violations need few contexts and few iterations, and
//! rounds beside free contexts, since they reach deep violations sooner. A query
//! gets a share of the time that is left; one that takes longer is put off, and
//! with it all that are larger, until nothing else is left to try.

use crate::attempt::{Answer, Query, Task};
use crate::verdict::{Attempt, Limits, Order, Report, Verdict};
use std::time::{Duration, Instant};

/// Bounds that grow for ever end here at the latest.
const HIGHEST: u32 = 64;
/// What a query gets at first if there is no limit.
const FIRST_SHARE: Duration = Duration::from_secs(10);
/// With a limit, it gets this part of the time that is left.
const SHARE: u32 = 5;

pub fn run(task: &Task) -> Report {
    let bounds = &task.options.bounds;
    if let (Some(order), Some(unwind)) = (bounds.order, bounds.unwind) {
        return run_once(task, order, unwind);
    }
    let mut attempts = Vec::new();
    let mut established: Option<(u64, Limits)> = None;
    let mut open = plan(bounds.order, bounds.unwind);
    let mut share = FIRST_SHARE;
    while !open.is_empty() {
        let mut put_off: Vec<(Order, u32)> = Vec::new();
        for (order, unwind) in std::mem::take(&mut open) {
            if put_off
                .iter()
                .any(|hard| is_at_least((order, unwind), *hard))
            {
                put_off.push((order, unwind));
                continue;
            }
            let query = Query {
                order,
                unwind,
                deadline: Some(deadline(task, share)),
            };
            let (answer, record) = task.attempt(&query);
            attempts.push(record);
            match answer {
                Answer::Violated(run) => return report(Verdict::Violated(run), attempts),
                Answer::None(limits) => {
                    if limits == Limits::default() {
                        return report(Verdict::Safe, attempts);
                    }
                    let is_final = limits.order.is_none() && limits.loops.is_empty();
                    if is_final {
                        return report(Verdict::SafeUpTo(limits), attempts);
                    }
                    let size = size_of(order) * u64::from(unwind);
                    if established.as_ref().is_none_or(|(best, _)| size >= *best) {
                        established = Some((size, limits));
                    }
                }
                Answer::TooLong if !is_over(task) => put_off.push((order, unwind)),
                Answer::TooLong => {
                    return unknown("the time is over".to_owned(), established, attempts);
                }
                Answer::Unknown(reason) => return unknown(reason, established, attempts),
            }
        }
        open = put_off;
        share *= 4;
    }
    let limits = established.map(|(_, limits)| limits).unwrap_or_default();
    report(safe(limits), attempts)
}

fn run_once(task: &Task, order: Order, unwind: u32) -> Report {
    let (answer, record) = task.attempt(&Query {
        order,
        unwind,
        deadline: task.deadline,
    });
    let attempts = vec![record];
    match answer {
        Answer::Violated(run) => report(Verdict::Violated(run), attempts),
        Answer::None(limits) => report(safe(limits), attempts),
        Answer::Unknown(reason) => unknown(reason, None, attempts),
        Answer::TooLong => unknown("the time is over".to_owned(), None, attempts),
    }
}

fn is_over(task: &Task) -> bool {
    task.deadline
        .is_some_and(|deadline| Instant::now() >= deadline)
}

fn deadline(task: &Task, share: Duration) -> Instant {
    let now = Instant::now();
    match task.deadline {
        None => now + share,
        Some(end) => {
            let left = end.saturating_duration_since(now);
            let share = (left / SHARE).max(share / 10);
            end.min(now + share)
        }
    }
}

fn size_of(order: Order) -> u64 {
    match order {
        Order::Contexts(contexts) => u64::from(contexts),
        Order::Rounds(rounds) => 2 * u64::from(rounds),
    }
}

/// Whether one query surely takes as long as another.
fn is_at_least((order, unwind): (Order, u32), (hard, hard_unwind): (Order, u32)) -> bool {
    let is_more = match (order, hard) {
        (Order::Contexts(a), Order::Contexts(b)) | (Order::Rounds(a), Order::Rounds(b)) => a >= b,
        _ => false,
    };
    is_more && unwind >= hard_unwind
}

fn safe(limits: Limits) -> Verdict {
    if limits == Limits::default() {
        Verdict::Safe
    } else {
        Verdict::SafeUpTo(limits)
    }
}

fn unknown(reason: String, established: Option<(u64, Limits)>, attempts: Vec<Attempt>) -> Report {
    let verdict = Verdict::Unknown {
        reason,
        established: established.map(|(_, limits)| limits),
    };
    report(verdict, attempts)
}

fn report(verdict: Verdict, attempts: Vec<Attempt>) -> Report {
    Report { verdict, attempts }
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
            plan.push((Order::Rounds(2), unwinds(1)));
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
    let mut seen = Vec::new();
    plan.retain(|item| {
        let is_new = !seen.contains(item);
        seen.push(*item);
        is_new
    });
    plan
}
