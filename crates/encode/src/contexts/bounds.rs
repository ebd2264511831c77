//! How many contexts there can be, and from which bound on no run is left out.

use super::Turns;
use unfold::Threads;

/// The least bound that no run goes beyond, in contexts or in rounds.
pub fn covering(threads: &Threads, turns: Turns) -> u64 {
    let positions = threads.threads.values();
    let positions = positions.map(|thread| thread.positions.len() as u64);
    match turns {
        Turns::Free => most_contexts(positions),
        Turns::InRounds => most_rounds(positions),
    }
}

/// Contexts of a formula. More than any run has cost time and change nothing.
pub fn contexts(threads: &Threads, turns: Turns, bound: usize) -> usize {
    let most = usize::try_from(covering(threads, turns)).unwrap_or(usize::MAX);
    let bound = bound.min(most);
    match turns {
        Turns::Free => bound,
        Turns::InRounds => bound * threads.threads.len(),
    }
}

/// The most contexts in which something happens that a run can have. Neighbouring
/// contexts belong to different threads, and each passes a position; main's first
/// may pass none.
fn most_contexts(positions: impl Iterator<Item = u64>) -> u64 {
    let (mut sum, mut most) = (0, 0);
    for count in positions {
        sum += count;
        most = most.max(count);
    }
    1 + sum.min(2 * (sum - most) + 1)
}

/// The most rounds that a run needs. A new one begins only when a thread hands
/// over to an earlier one. The first thread never does that, and the last one is
/// never handed over to; and each time, both threads have positions to pass.
fn most_rounds(positions: impl Iterator<Item = u64>) -> u64 {
    let positions: Vec<u64> = positions.collect();
    let sum: u64 = positions.iter().sum();
    let first = positions.first().copied().unwrap_or(0);
    let last = positions.last().copied().unwrap_or(0);
    if positions.len() <= 1 {
        return 1;
    }
    1 + (sum - first).min(sum - last)
}
