//! How many bits the value of a cell has in a formula, and which of them are known.

use formula::words::extend;
use formula::{Lit, Range};

/// How the values of a range are laid out as a signed word.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub len: usize,
    zeros: u128,
    ones: u128,
}

impl Layout {
    pub(crate) fn of(range: &Range, narrowing: bool) -> Layout {
        if narrowing {
            Layout {
                len: range.width_needed_signed() as usize,
                zeros: range.known_zeros(),
                ones: range.known_ones(),
            }
        } else {
            Layout {
                len: range.width() as usize,
                zeros: 0,
                ones: 0,
            }
        }
    }

    /// A signed word cut or extended to this layout.
    pub(crate) fn fit(self, word: &[Lit]) -> Vec<Lit> {
        let mut word = extend(word, self.len);
        for (bit, lit) in word.iter_mut().enumerate() {
            if (self.zeros | self.ones) >> bit & 1 == 1 {
                *lit = Lit::constant(self.ones >> bit & 1 == 1);
            }
        }
        word
    }
}
