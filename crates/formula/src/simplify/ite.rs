//! Choices between two terms.

use crate::terms::{Sort, Term, TermId, Terms};

impl Terms {
    /// `a` if the condition holds, else `b`; both of one sort.
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        assert!(self.is_bool(condition), "{condition} should be Boolean");
        let sort = self.sort(a);
        assert!(
            sort == self.sort(b),
            "the branches {a} and {b} should be of one sort"
        );
        self.rewrite(|terms| {
            terms.simplify_ite(condition, a, b).or_else(|| match sort {
                Sort::Bool => terms.simplify_bool_ite(condition, a, b),
                Sort::BitVec(_) => None,
            })
        })
        .unwrap_or_else(|| self.intern(Term::Ite(condition, a, b), sort))
    }

    fn simplify_ite(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        if a == b {
            return Some(a);
        }
        match self.term(condition) {
            Term::Bool(true) => return Some(a),
            Term::Bool(false) => return Some(b),
            Term::Not(negated) => return Some(self.ite(negated, b, a)),
            _ => {}
        }
        // Inside a branch the condition is known.
        if let Term::Ite(inner, x, y) = self.term(a) {
            if inner == condition {
                return Some(self.ite(condition, x, b));
            }
            // Two ways to `b`, or to the other leaf, merge.
            if y == b {
                let both = self.and(condition, inner);
                return Some(self.ite(both, x, b));
            }
            if x == b {
                let other = self.not(inner);
                let both = self.and(condition, other);
                return Some(self.ite(both, y, b));
            }
        }
        if let Term::Ite(inner, x, y) = self.term(b) {
            if inner == condition {
                return Some(self.ite(condition, a, y));
            }
            if x == a {
                let either = self.or(condition, inner);
                return Some(self.ite(either, a, y));
            }
            if y == a {
                let other = self.not(inner);
                let either = self.or(condition, other);
                return Some(self.ite(either, a, x));
            }
        }
        None
    }

    fn simplify_bool_ite(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        let not_condition = self.existing_negation(condition);
        if a == condition || self.as_bool(a) == Some(true) {
            return Some(self.or(condition, b));
        }
        if b == condition || self.as_bool(b) == Some(false) {
            return Some(self.and(condition, a));
        }
        if Some(a) == not_condition || self.as_bool(a) == Some(false) {
            let other = self.not(condition);
            return Some(self.and(other, b));
        }
        if Some(b) == not_condition || self.as_bool(b) == Some(true) {
            return Some(self.implies(condition, a));
        }
        if self.existing_negation(a) == Some(b) {
            return Some(self.equal(condition, a));
        }
        None
    }

    /// The condition and the values of a choice between two constants.
    pub(super) fn as_constant_choice(&self, a: TermId) -> Option<(TermId, u128, u128)> {
        let Term::Ite(condition, x, y) = self.term(a) else {
            return None;
        };
        Some((condition, self.as_constant(x)?, self.as_constant(y)?))
    }

    /// Applies a function to both values of a choice between constants.
    pub(super) fn map_constant_choice(
        &mut self,
        a: TermId,
        width: u32,
        f: impl Fn(u128) -> u128,
    ) -> Option<TermId> {
        let (condition, x, y) = self.as_constant_choice(a)?;
        let x = self.constant(width, f(x));
        let y = self.constant(width, f(y));
        Some(self.ite(condition, x, y))
    }
}
