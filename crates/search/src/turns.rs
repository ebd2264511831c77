//! Questions that take turns, because nobody knows which of them is hard.
//!
//! In each turn a question may have more conflicts than in the turn before; the next
//! turn is for the one that had the fewest. So none of them costs much more than as
//! many times its own work as there are questions. The last one that is open has all
//! the time there is.

/// Conflicts of the first turn.
const FIRST: u64 = 10_000;
/// How many times longer each turn is than the one before.
const GROWTH: u64 = 4;

#[derive(Clone, Debug)]
pub struct Turns {
    /// By question: how many turns it had; `None` when it is closed.
    taken: Vec<Option<u32>>,
}

impl Turns {
    pub fn new(questions: usize) -> Turns {
        Turns {
            taken: vec![Some(0); questions],
        }
    }

    /// The question whose turn it is, and the conflicts that it may have. Those that
    /// have many at work already come later. `None` if all are closed.
    pub fn next(&mut self, at_work: impl Fn(usize) -> usize) -> Option<(usize, Option<u64>)> {
        let open = self.taken.iter().enumerate();
        let open = open.filter_map(|(question, taken)| Some((question, (*taken)?)));
        let (question, taken) =
            open.min_by_key(|(question, taken)| (at_work(*question), *taken, *question))?;
        let conflicts = FIRST.saturating_mul(GROWTH.saturating_pow(taken));
        self.taken[question] = Some(taken + 1);
        let is_last = self.n_closed() + 1 == self.taken.len();
        Some((question, (!is_last).then_some(conflicts)))
    }

    pub fn close(&mut self, question: usize) {
        self.taken[question] = None;
    }

    pub fn is_closed(&self, question: usize) -> bool {
        self.taken[question].is_none()
    }

    pub fn n_closed(&self) -> usize {
        self.taken.iter().filter(|taken| taken.is_none()).count()
    }

    pub fn are_over(&self) -> bool {
        self.n_closed() == self.taken.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_take_turns_that_grow() {
        let mut turns = Turns::new(2);
        let mut next = || turns.next(|_| 0);
        assert_eq!(next(), Some((0, Some(FIRST))));
        assert_eq!(next(), Some((1, Some(FIRST))));
        assert_eq!(next(), Some((0, Some(FIRST * GROWTH))));
        turns.close(0);
        assert_eq!(turns.next(|_| 0), Some((1, None)));
        turns.close(1);
        assert_eq!(turns.next(|_| 0), None);
        assert!(turns.are_over());
    }

    #[test]
    fn whoever_comes_goes_where_fewer_are() {
        let mut turns = Turns::new(2);
        assert_eq!(
            turns.next(|question| usize::from(question == 0)),
            Some((1, Some(FIRST)))
        );
    }
}
