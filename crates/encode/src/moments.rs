//! When a moment happens, for every encoding that can say whether a position is passed.

use formula::{Blaster, Lit, TermId};
use unfold::{Moment, ThreadId, Threads};

/// Whether a moment is reached at any time and its condition holds, given the literals
/// that say whether a position of a thread is passed.
pub fn happens(
    threads: &Threads,
    moment: &Moment,
    is_passed: impl Fn(ThreadId, usize) -> Lit,
    blaster: &mut Blaster,
) -> Lit {
    let condition = blaster.literal(&threads.terms, moment.condition);
    let mut all = vec![condition];
    let thread = &threads.threads[moment.thread];
    if let Some(creation) = thread.creation {
        // Positions that the thread's path does not lead through keep nobody
        // from what lies behind them, even if the thread never has a turn.
        let before = &thread.positions[..moment.after];
        let mut reached = Vec::new();
        if let Some(last) = moment.after.checked_sub(1) {
            reached.push(is_passed(moment.thread, last));
        }
        let is_sure = |guard: TermId| threads.terms.as_bool(guard) == Some(true);
        if !before.iter().any(|position| is_sure(position.guard)) {
            let mut made = vec![is_passed(creation.thread, creation.position)];
            made.push(blaster.literal(&threads.terms, creation.condition));
            for position in before {
                made.push(!blaster.literal(&threads.terms, position.guard));
            }
            reached.push(blaster.gates.all(&made));
        }
        all.push(blaster.gates.any(&reached));
    } else if let Some(last) = moment.after.checked_sub(1) {
        all.push(is_passed(moment.thread, last));
    }
    blaster.gates.all(&all)
}

/// Why a thread that is in front of a position need not be past it at once: its path leads
/// through the position, or it stays there. One of these holds then.
pub(crate) fn reasons_to_stay(
    threads: &Threads,
    thread: ThreadId,
    position: usize,
    blaster: &mut Blaster,
) -> Vec<Lit> {
    let is_here = |moment: &&Moment| (moment.thread, moment.after) == (thread, position);
    let stays = (threads.stuck.iter().filter(is_here)).map(|moment| moment.condition);
    let guard = threads.threads[thread].positions[position].guard;
    (stays.chain([guard]))
        .map(|condition| blaster.literal(&threads.terms, condition))
        .collect()
}
