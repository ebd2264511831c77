//! Data races under a memory model with happens-before: two accesses that conflict and of
//! which none happens before the other.
//!
//! The question is made as if any two steps raced (see [`Races::unordered`]); what speaks
//! against that follows from what was found: for all steps that could race and are in
//! order there, not only for the two at hand, since the next question would be about them.

use formula::{Lit, Literal};

use super::InOrder;
use super::graph::{Graph, Reason};

/// So many are enough for once, besides the one that was asked for.
const ENOUGH: usize = 64;

/// Why steps that could race do not.
pub(super) fn objections(
    encoding: &InOrder,
    graph: &Graph,
    value: &dyn Fn(Literal) -> bool,
) -> Vec<Reason> {
    let Some(races) = &encoding.sought.races else {
        return Vec::new();
    };
    let is_sought = encoding.holds(races.is_sought, value);
    if !encoding.rules.has_happens_before || !is_sought {
        return Vec::new();
    }
    let number = |at: &(unfold::ThreadId, usize)| {
        let step = encoding.steps.of(at.0, at.1);
        graph.numbers.get(&step).copied()
    };
    let mut reasons = Vec::new();
    for (last, is_last) in &races.lasts {
        for (other, is_other) in &races.others {
            if last.0 == other.0 {
                continue;
            }
            let (Some(one), Some(two)) = (number(last), number(other)) else {
                continue;
            };
            let (first, second) = (one.min(two), one.max(two));
            let is_asked = encoding.holds(*is_last, value) && encoding.holds(*is_other, value);
            if !graph.happens_before(first, second) {
                match is_asked {
                    // That is a race.
                    true => return Vec::new(),
                    false => continue,
                }
            }
            let conflict = races.conflict(*last, *other);
            if is_asked || reasons.len() < ENOUGH && conflict {
                let mut reason: Vec<Lit> = vec![*is_last, *is_other];
                reason.extend(graph.why_happens_before(first, second));
                reasons.push(reason);
            }
        }
    }
    reasons
}
