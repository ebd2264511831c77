//! How many contexts there can be, and from which bound on no run is left out.

use super::Turns;
use unfold::Threads;

/// The least bound that no run goes beyond, in contexts or in rounds.
pub(super) fn covering(threads: &Threads, turns: Turns) -> u64 {
    let positions = threads.threads.values();
    let positions = positions.map(|thread| thread.positions.len() as u64);
    match turns {
        Turns::Free => most_contexts(positions),
        Turns::InRounds => most_rounds(positions),
    }
}

/// Contexts of a formula. More than any run has cost time and change nothing.
pub(super) fn contexts(threads: &Threads, turns: Turns, bound: usize) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The threads of all orders in which so many positions can be passed.
    fn interleavings(left: &mut [u64], run: &mut Vec<usize>, found: &mut impl FnMut(&[usize])) {
        found(run);
        for thread in 0..left.len() {
            if left[thread] > 0 {
                left[thread] -= 1;
                run.push(thread);
                interleavings(left, run, found);
                run.pop();
                left[thread] += 1;
            }
        }
    }

    /// Contexts of a run; main has the first, whether it does anything or not.
    fn contexts(run: &[usize]) -> u64 {
        let switches = run.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let is_late = run.first().is_some_and(|first| *first != 0);
        1 + switches as u64 + u64::from(is_late)
    }

    /// A new round begins when a thread hands over to an earlier one.
    fn rounds(run: &[usize]) -> u64 {
        1 + run.windows(2).filter(|pair| pair[0] > pair[1]).count() as u64
    }

    #[test]
    fn no_run_goes_beyond() {
        for code in 0..4_u64.pow(3) {
            let counts = [code % 4, code / 4 % 4, code / 16];
            for n_threads in 1..=3 {
                let mut left = counts[..n_threads].to_vec();
                let (mut most, mut most_in_rounds) = (0, 0);
                interleavings(&mut left, &mut Vec::new(), &mut |run| {
                    most = most.max(contexts(run));
                    most_in_rounds = most_in_rounds.max(rounds(run));
                });
                let counts = || left.iter().copied();
                let bound = most_contexts(counts());
                // One more where it is main that has most to do.
                assert!((most..=most + 1).contains(&bound), "{left:?}: {bound}");
                let bound = most_rounds(counts());
                assert!(most_in_rounds <= bound, "{left:?}: {bound}");
                // Of two threads, the second hands over as often as both can go on.
                if n_threads == 2 {
                    assert_eq!(most_in_rounds, bound, "{left:?}");
                }
            }
        }
    }
}
