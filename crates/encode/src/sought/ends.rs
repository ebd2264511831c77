//! Where each thread stands when the run is over.
//!
//! A run may stop anywhere. A thread then waits for its next turn right before
//! the first position that its path leads through and that it has not passed;
//! unless it does not exist yet, has ended, or came to a halt on the way. Makes
//! literals only, no clauses: who asks for nothing pays nothing.

use cranelift_entity::SecondaryMap;
use formula::{Blaster, Lit};
use unfold::{ThreadId, Threads};

use super::Passed;

type Row = Vec<Lit>;

/// How a thread's part of the run ends. By position where there are several.
#[derive(Clone, Default)]
pub(crate) struct End {
    pub is_created: Option<Lit>,
    /// The thread is right before the position, and will pass it next.
    pub stands: Row,
    /// The last that the thread really does is at this position.
    pub finishes: Row,
    /// Nothing that the thread really does comes at this position or later.
    pub rests_from: Row,
    /// The thread is through with its function.
    pub has_ended: Option<Lit>,
}

pub(crate) type Ends = SecondaryMap<ThreadId, End>;

pub(crate) fn find(threads: &Threads, passed: &Passed, blaster: &mut Blaster) -> Ends {
    let mut ends = Ends::new();
    let mut halts: SecondaryMap<ThreadId, Vec<(usize, Lit)>> = SecondaryMap::new();
    let violations = threads.violations.iter().map(|violation| &violation.moment);
    for moment in (threads.stuck.iter().chain(&threads.excluded)).chain(violations) {
        let condition = blaster.literal(&threads.terms, moment.condition);
        halts[moment.thread].push((moment.after, condition));
    }
    for (id, thread) in threads.threads.iter() {
        let guards: Vec<Lit> = (thread.positions.iter())
            .map(|position| blaster.literal(&threads.terms, position.guard))
            .collect();
        let is_created = match thread.creation {
            None => Lit::TRUE,
            Some(creation) => {
                let condition = blaster.literal(&threads.terms, creation.condition);
                let is_passed = passed[creation.thread][creation.position];
                blaster.gates.and(condition, is_passed)
            }
        };
        let passed = &passed[id];
        let gates = &mut blaster.gates;
        let mut goes_on = vec![Lit::TRUE; guards.len() + 1];
        for (after, condition) in &halts[id] {
            goes_on[*after] = gates.and(goes_on[*after], !*condition);
        }
        let mut stands = Row::new();
        let mut arrives = gates.and(is_created, goes_on[0]);
        for (position, guard) in guards.iter().enumerate() {
            stands.push(gates.all(&[arrives, *guard, !passed[position]]));
            let skips = gates.and(arrives, !*guard);
            let comes_by = gates.or(passed[position], skips);
            arrives = gates.and(comes_by, goes_on[position + 1]);
        }
        let mut rests_from = vec![Lit::TRUE; guards.len() + 1];
        let mut finishes = vec![Lit::FALSE; guards.len()];
        for position in (0..guards.len()).rev() {
            let rest = rests_from[position + 1];
            let is_done = gates.and(passed[position], guards[position]);
            finishes[position] = gates.and(is_done, rest);
            let is_skipped = gates.and(!guards[position], rest);
            rests_from[position] = gates.or(!passed[position], is_skipped);
        }
        let has_ended = match passed.last() {
            _ if !thread.can_end => Lit::FALSE,
            None => is_created,
            Some(last) => *last,
        };
        ends[id] = End {
            is_created: Some(is_created),
            stands,
            finishes,
            rests_from,
            has_ended: Some(has_ended),
        };
    }
    ends
}
