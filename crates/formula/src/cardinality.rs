//! How many of some literals hold, as gates.
//!
//! The result is a literal like any other; asserting it gives exactly the
//! clauses of the encoding, without a variable for the result.

use crate::gates::{Gates, Lit};

/// Up to so many literals are compared in pairs: 6 need 15 clauses that way, and
/// 16 clauses and 5 variables with a grid of 2 by 3.
const PAIRWISE_LIMIT: usize = 6;

impl Gates {
    /// Whether no two of the literals hold.
    ///
    /// Many literals are laid out in a grid (Chen, "A New SAT Encoding of the
    /// At-Most-One Constraint", 2010): at most one row and at most one column is
    /// used. That takes about 2n clauses and 2 sqrt(n) variables where pairs
    /// take n²/2 clauses.
    pub fn at_most_one(&mut self, lits: &[Lit]) -> Lit {
        let mut parts = Vec::new();
        self.at_most_one_parts(lits, &mut parts);
        self.all(&parts)
    }

    pub fn exactly_one(&mut self, lits: &[Lit]) -> Lit {
        let mut parts = vec![self.any(lits)];
        self.at_most_one_parts(lits, &mut parts);
        self.all(&parts)
    }

    fn at_most_one_parts(&mut self, lits: &[Lit], parts: &mut Vec<Lit>) {
        if lits.len() <= PAIRWISE_LIMIT {
            for (index, a) in lits.iter().enumerate() {
                for b in &lits[index + 1..] {
                    parts.push(self.any(&[!*a, !*b]));
                }
            }
            return;
        }
        let columns = (1..).find(|n| n * n >= lits.len()).unwrap_or(1);
        let rows: Vec<Lit> = lits.chunks(columns).map(|row| self.any(row)).collect();
        let columns: Vec<Lit> = (0..columns)
            .map(|first| {
                let column: Vec<Lit> = lits[first..].iter().step_by(columns).copied().collect();
                self.any(&column)
            })
            .collect();
        self.at_most_one_parts(&rows, parts);
        self.at_most_one_parts(&columns, parts);
    }
}
