//! Constructors of terms, which simplify as they build.
//!
//! Every rule is local: it looks at the operands and at most one level below
//! (chains of `ite` to a fixed depth), costs time linear in the number of
//! operands, and replaces the requested node by a bounded number of nodes, so
//! that a formula never grows by being simplified. Each rule that fires takes
//! one unit of the store's fuel; without fuel the constructors build plain nodes.
//!
//! Normal forms, as long as there is fuel: constants are the right operands of
//! commutative operations, other operands are in the order of ids; shifts by
//! constants are extracts, extensions and concatenations; conditions of `ite`
//! and operands of `xor` are not negated.
//!
//! This file has the Boolean connectives; the submodules have the rest.

mod arithmetic;
mod compare;
mod ite;
mod structure;

use crate::terms::{Sort, Term, TermId, Terms};

/// A conjunction is merged into another up to this many operands in all.
const FLATTEN_LIMIT: usize = 32;

/// Disjunctions in a conjunction are compared with its other operands up to
/// this many alternatives.
const ABSORB_LIMIT: usize = 8;

impl Terms {
    /// Applies a rule, if there is fuel.
    fn rewrite(&mut self, rule: impl FnOnce(&mut Terms) -> Option<TermId>) -> Option<TermId> {
        if self.fuel == 0 {
            return None;
        }
        let result = rule(self)?;
        self.fuel = self.fuel.saturating_sub(1);
        Some(result)
    }

    pub fn not(&mut self, a: TermId) -> TermId {
        assert!(self.is_bool(a), "{a} should be Boolean");
        self.rewrite(|terms| match terms.term(a) {
            Term::Bool(value) => Some(terms.bool(!value)),
            Term::Not(operand) => Some(operand),
            _ => None,
        })
        .unwrap_or_else(|| self.intern(Term::Not(a), Sort::Bool))
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.all(&[a, b])
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.any(&[a, b])
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.any(&[not_a, b])
    }

    /// The disjunction; false if there are no operands.
    pub fn any(&mut self, operands: &[TermId]) -> TermId {
        let negated: Vec<TermId> = operands.iter().map(|a| self.not(*a)).collect();
        let none = self.all(&negated);
        self.not(none)
    }

    /// The conjunction; true if there are no operands.
    pub fn all(&mut self, operands: &[TermId]) -> TermId {
        for operand in operands {
            assert!(self.is_bool(*operand), "{operand} should be Boolean");
        }
        if self.fuel == 0 {
            return self.intern_conjunction(operands);
        }
        let simplified = self.simplify_conjunction(operands);
        if simplified != operands {
            self.fuel -= 1;
        }
        match simplified.as_slice() {
            [] => self.bool(true),
            [single] => *single,
            many => self.intern_conjunction(many),
        }
    }

    fn intern_conjunction(&mut self, operands: &[TermId]) -> TermId {
        let list = self.intern_list(operands);
        self.intern(Term::And(list), Sort::Bool)
    }

    fn simplify_conjunction(&mut self, operands: &[TermId]) -> Vec<TermId> {
        let mut list = self.flatten(operands);
        // Shortening one disjunction may reveal another; each round makes the
        // whole smaller, and what is left after a few is left.
        for _ in 0..3 {
            if self.normalize(&mut list) {
                return vec![self.bool(false)];
            }
            if !self.absorb(&mut list) {
                return list;
            }
        }
        if self.normalize(&mut list) {
            return vec![self.bool(false)];
        }
        list
    }

    /// Replaces conjunctions among the operands by their operands.
    fn flatten(&self, operands: &[TermId]) -> Vec<TermId> {
        let mut list = Vec::with_capacity(operands.len());
        let mut total = operands.len();
        for operand in operands {
            match self.term(*operand) {
                Term::And(inner) if total + self.list(inner).len() <= FLATTEN_LIMIT => {
                    let inner = self.list(inner);
                    total += inner.len();
                    list.extend_from_slice(inner);
                }
                _ => list.push(*operand),
            }
        }
        list
    }

    /// Sorts, drops what is true or repeated; whether the conjunction is false.
    fn normalize(&self, list: &mut Vec<TermId>) -> bool {
        list.sort_unstable();
        list.dedup();
        list.retain(|operand| self.as_bool(*operand) != Some(true));
        list.iter().any(|operand| match self.term(*operand) {
            Term::Bool(value) => !value,
            Term::Not(negated) => list.binary_search(&negated).is_ok(),
            _ => false,
        })
    }

    /// Uses the other operands in each disjunction: drops it if one of them
    /// makes it true, and drops its alternatives that one of them makes false.
    /// Whether anything changed; the list is sorted before but not after.
    fn absorb(&mut self, list: &mut [TermId]) -> bool {
        let mut changed = false;
        for index in 0..list.len() {
            let Term::Not(inner) = self.term(list[index]) else {
                continue;
            };
            let Term::And(alternatives) = self.term(inner) else {
                continue;
            };
            let alternatives = self.list(alternatives);
            if alternatives.len() > ABSORB_LIMIT {
                continue;
            }
            // The alternatives are stored negated.
            let holds = |id: TermId| list.binary_search(&id).is_ok();
            let is_true = |id: &TermId| self.existing_negation(*id).is_some_and(holds);
            if alternatives.iter().any(is_true) {
                list[index] = self.bool(true);
                return true;
            }
            let is_open = |id: &&TermId| !holds(**id);
            let open: Vec<TermId> = alternatives.iter().filter(is_open).copied().collect();
            if open.len() < alternatives.len() {
                let none = self.all(&open);
                list[index] = self.not(none);
                changed = true;
                break;
            }
        }
        changed
    }

    /// Whether two terms of one sort are equal.
    pub fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_bool(a) {
            let different = self.xor(a, b);
            self.not(different)
        } else {
            self.equal_words(a, b)
        }
    }

    pub fn different(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.equal(a, b);
        self.not(equal)
    }

    /// The exclusive or of two Booleans.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        assert!(
            self.is_bool(a) && self.is_bool(b),
            "{a} and {b} should be Boolean"
        );
        self.rewrite(|terms| {
            if a == b {
                return Some(terms.bool(false));
            }
            match (terms.term(a), terms.term(b)) {
                (Term::Bool(false), _) => Some(b),
                (Term::Bool(true), _) => Some(terms.not(b)),
                (_, Term::Bool(false)) => Some(a),
                (_, Term::Bool(true)) => Some(terms.not(a)),
                (Term::Not(a), Term::Not(b)) => Some(terms.xor(a, b)),
                (Term::Not(a), _) => {
                    let same = terms.xor(a, b);
                    Some(terms.not(same))
                }
                (_, Term::Not(b)) => {
                    let same = terms.xor(a, b);
                    Some(terms.not(same))
                }
                (_, Term::Xor(x, y)) if x == a || y == a => Some(if x == a { y } else { x }),
                (Term::Xor(x, y), _) if x == b || y == b => Some(if x == b { y } else { x }),
                _ if b < a => Some(terms.xor(b, a)),
                _ => None,
            }
        })
        .unwrap_or_else(|| self.intern(Term::Xor(a, b), Sort::Bool))
    }

    /// A Boolean as a bit-vector of one bit.
    pub fn to_bit(&mut self, a: TermId) -> TermId {
        let one = self.constant(1, 1);
        let zero = self.constant(1, 0);
        self.ite(a, one, zero)
    }

    /// Whether a bit-vector of one bit is 1.
    pub fn is_one(&mut self, a: TermId) -> TermId {
        assert!(self.width(a) == 1, "{a} should have one bit");
        self.rewrite(|terms| match terms.term(a) {
            Term::Constant(value) => Some(terms.bool(value == 1)),
            Term::BitNot(operand) => {
                let is_one = terms.is_one(operand);
                Some(terms.not(is_one))
            }
            Term::Ite(condition, x, y) => match (terms.as_constant(x), terms.as_constant(y)) {
                (Some(1), Some(0)) => Some(condition),
                (Some(0), Some(1)) => Some(terms.not(condition)),
                _ => None,
            },
            _ => None,
        })
        .unwrap_or_else(|| self.intern(Term::IsOne(a), Sort::Bool))
    }

    /// Whether a bit-vector is not zero, as C reads an integer as a condition.
    pub fn is_nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.constant(self.width(a), 0);
        self.different(a, zero)
    }
}
