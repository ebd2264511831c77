//! Relations between the events of a small graph, as matrices of bits, with the
//! operations in which memory models are written down.
//!
//! Nothing here knows what the events are.

/// Which of `n` things are related to which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    n: usize,
    /// Words of a row.
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    pub(crate) fn empty(n: usize) -> Relation {
        let words = n.div_ceil(64);
        Relation {
            n,
            words,
            bits: vec![0; n * words],
        }
    }

    /// All pairs that the predicate holds for.
    pub(crate) fn of(n: usize, mut holds: impl FnMut(usize, usize) -> bool) -> Relation {
        let mut relation = Relation::empty(n);
        for from in 0..n {
            for to in 0..n {
                if holds(from, to) {
                    relation.add(from, to);
                }
            }
        }
        relation
    }

    pub(crate) fn add(&mut self, from: usize, to: usize) {
        self.bits[from * self.words + to / 64] |= 1 << (to % 64);
    }

    pub(crate) fn has(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.words + to / 64] >> (to % 64) & 1 != 0
    }

    fn row(&self, from: usize) -> &[u64] {
        &self.bits[from * self.words..(from + 1) * self.words]
    }

    /// What one of them is related to.
    pub(crate) fn from(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.n).filter(move |to| self.has(from, *to))
    }

    pub(crate) fn or(mut self, other: &Relation) -> Relation {
        for (word, more) in self.bits.iter_mut().zip(&other.bits) {
            *word |= more;
        }
        self
    }

    pub(crate) fn and_not(mut self, other: &Relation) -> Relation {
        for (word, less) in self.bits.iter_mut().zip(&other.bits) {
            *word &= !less;
        }
        self
    }

    /// Those pairs whose first and second are as wanted.
    pub(crate) fn between(
        &self,
        first: impl Fn(usize) -> bool,
        second: impl Fn(usize) -> bool,
    ) -> Relation {
        Relation::of(self.n, |from, to| {
            self.has(from, to) && first(from) && second(to)
        })
    }

    /// First this, then the other.
    pub(crate) fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::empty(self.n);
        for from in 0..self.n {
            for middle in self.from(from) {
                let row = other.row(middle);
                let start = from * self.words;
                for (word, more) in result.bits[start..start + self.words].iter_mut().zip(row) {
                    *word |= more;
                }
            }
        }
        result
    }

    /// This, or nothing at all.
    pub(crate) fn or_same(mut self) -> Relation {
        for one in 0..self.n {
            self.add(one, one);
        }
        self
    }

    /// This, once or several times in a row.
    pub(crate) fn closure(mut self) -> Relation {
        for middle in 0..self.n {
            let row = self.row(middle).to_vec();
            for from in 0..self.n {
                if self.has(from, middle) {
                    let start = from * self.words;
                    for (word, more) in self.bits[start..start + self.words].iter_mut().zip(&row) {
                        *word |= more;
                    }
                }
            }
        }
        self
    }

    pub(crate) fn is_irreflexive(&self) -> bool {
        (0..self.n).all(|one| !self.has(one, one))
    }

    pub(crate) fn is_acyclic(&self) -> bool {
        self.clone().closure().is_irreflexive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: usize) -> Relation {
        Relation::of(n, |from, to| from + 1 == to)
    }

    #[test]
    fn closures_reach_beyond_a_word() {
        let closure = chain(130).closure();
        assert!(closure.has(0, 129));
        assert!(!closure.has(129, 0));
        assert!(closure.is_irreflexive());
    }

    #[test]
    fn a_cycle_is_found() {
        let mut relation = chain(70);
        assert!(relation.is_acyclic());
        relation.add(69, 3);
        assert!(!relation.is_acyclic());
    }

    #[test]
    fn composition_goes_through_the_middle() {
        let two = chain(5).then(&chain(5));
        assert_eq!(two, Relation::of(5, |from, to| from + 2 == to));
        let most_two = chain(5).or_same().then(&chain(5).or_same());
        assert!(most_two.has(1, 1) && most_two.has(1, 3) && !most_two.has(1, 4));
    }
}
