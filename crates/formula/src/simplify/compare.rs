//! Equality and order of bit-vectors.

use super::arithmetic::different_operands;
use crate::numbers::{from_signed, mask, to_signed};
use crate::ranges::Range;
use crate::terms::{BinaryOp, Sort, Term, TermId, Terms};

/// How far a comparison with a constant follows a chain of `ite`. Following
/// trades one node per link for another; a long chain that is compared with
/// many constants is better blasted once.
const CHAIN_LIMIT: u32 = 16;

impl Terms {
    pub fn unsigned_less(&mut self, a: TermId, b: TermId) -> TermId {
        self.less(Order::Unsigned, a, b, CHAIN_LIMIT)
    }

    pub fn signed_less(&mut self, a: TermId, b: TermId) -> TermId {
        self.less(Order::Signed, a, b, CHAIN_LIMIT)
    }

    pub fn unsigned_less_equal(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.unsigned_less(b, a);
        self.not(greater)
    }

    pub fn signed_less_equal(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.signed_less(b, a);
        self.not(greater)
    }

    pub(super) fn equal_words(&mut self, a: TermId, b: TermId) -> TermId {
        self.equal_to_depth(a, b, CHAIN_LIMIT)
    }

    fn equal_to_depth(&mut self, a: TermId, b: TermId, depth: u32) -> TermId {
        assert!(
            self.width(a) == self.width(b),
            "the operands {a} and {b} should have one width"
        );
        self.rewrite(|terms| terms.simplify_equal(a, b, depth))
            .unwrap_or_else(|| self.intern(Term::Equal(a, b), Sort::Bool))
    }

    fn simplify_equal(&mut self, a: TermId, b: TermId, depth: u32) -> Option<TermId> {
        use BinaryOp::{Add, Sub};
        if a == b {
            return Some(self.bool(true));
        }
        if self.range(a).is_disjoint(self.range(b)) {
            return Some(self.bool(false));
        }
        if self.is_out_of_order(a, b) {
            return Some(self.equal_to_depth(b, a, depth));
        }
        if self.width(a) == 1 {
            let (a, b) = (self.is_one(a), self.is_one(b));
            return Some(self.equal(a, b));
        }
        if let Some(k) = self.as_constant(b) {
            return self.simplify_equal_constant(a, k, b, depth);
        }
        match (self.term(a), self.term(b)) {
            (Term::Ite(c, x, y), Term::Ite(d, z, w)) if c == d && x == z => {
                let rest = self.equal(y, w);
                Some(self.or(c, rest))
            }
            (Term::Ite(c, x, y), Term::Ite(d, z, w)) if c == d && y == w => {
                let rest = self.equal(x, z);
                Some(self.implies(c, rest))
            }
            (Term::Ite(c, x, y), _) if x == b || y == b => Some(self.equal_to_leaf(c, x, y, b)),
            (_, Term::Ite(c, x, y)) if x == a || y == a => Some(self.equal_to_leaf(c, x, y, a)),
            (Term::Binary(Add, x, y), Term::Binary(Add, z, w)) => {
                let (left, right) = different_operands((x, y), (z, w))?;
                Some(self.equal(left, right))
            }
            (Term::Binary(Add, x, y), _) if x == b || y == b => {
                let zero = self.constant(self.width(a), 0);
                Some(self.equal(if x == b { y } else { x }, zero))
            }
            (_, Term::Binary(Add, x, y)) if x == a || y == a => {
                let zero = self.constant(self.width(a), 0);
                Some(self.equal(if x == a { y } else { x }, zero))
            }
            (Term::Binary(Sub, x, y), Term::Binary(Sub, z, w)) if x == z => Some(self.equal(y, w)),
            (Term::Binary(Sub, x, y), Term::Binary(Sub, z, w)) if y == w => Some(self.equal(x, z)),
            (Term::BitNot(x), Term::BitNot(y)) => Some(self.equal(x, y)),
            (Term::ZeroExtend(x), Term::ZeroExtend(y)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(x, width), self.zero_extend(y, width));
                Some(self.equal(x, y))
            }
            (Term::SignExtend(x), Term::SignExtend(y)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(x, width), self.sign_extend(y, width));
                Some(self.equal(x, y))
            }
            (Term::Concat(h, l), Term::Concat(m, n)) if self.width(l) == self.width(n) => {
                let high = self.equal(h, m);
                let low = self.equal(l, n);
                Some(self.and(high, low))
            }
            _ => None,
        }
    }

    /// A choice compared with one of its own branches.
    fn equal_to_leaf(&mut self, condition: TermId, x: TermId, y: TermId, leaf: TermId) -> TermId {
        if x == leaf {
            let rest = self.equal(y, leaf);
            self.or(condition, rest)
        } else {
            let rest = self.equal(x, leaf);
            self.implies(condition, rest)
        }
    }

    fn simplify_equal_constant(
        &mut self,
        a: TermId,
        k: u128,
        k_term: TermId,
        depth: u32,
    ) -> Option<TermId> {
        use BinaryOp::{Add, Sub, Xor};
        let width = self.width(a);
        match self.term(a) {
            Term::Ite(condition, x, y) if depth > 0 => {
                let decide = |range: &Range| match range.as_constant() {
                    Some(value) => Some(value == k),
                    None => (!range.contains(k)).then_some(false),
                };
                let decided = (decide(self.range(x)), decide(self.range(y)));
                self.split_choice((condition, x, y), decided, |terms, branch| {
                    terms.equal_to_depth(branch, k_term, depth - 1)
                })
            }
            Term::Binary(Add, x, y) => {
                let other = self.as_constant(y)?;
                let rest = self.constant(width, k.wrapping_sub(other));
                Some(self.equal(x, rest))
            }
            Term::Binary(Sub, x, y) if k == 0 => Some(self.equal(x, y)),
            Term::Binary(Sub, x, y) => {
                let other = self.as_constant(x)?;
                let rest = self.constant(width, other.wrapping_sub(k));
                Some(self.equal(y, rest))
            }
            Term::Binary(Xor, x, y) => {
                let other = self.as_constant(y)?;
                let rest = self.constant(width, k ^ other);
                Some(self.equal(x, rest))
            }
            Term::BitNot(x) => {
                let rest = self.constant(width, !k);
                Some(self.equal(x, rest))
            }
            Term::Concat(high, low) => {
                let (high_width, low_width) = (self.width(high), self.width(low));
                let high_k = self.constant(high_width, k >> low_width);
                let low_k = self.constant(low_width, k);
                let high = self.equal(high, high_k);
                let low = self.equal(low, low_k);
                Some(self.and(high, low))
            }
            // The range was looked at before, so the constant can be a value of
            // the extension and nothing is lost with its high bits.
            Term::ZeroExtend(x) if k & !mask(self.width(x)) == 0 => {
                let rest = self.constant(self.width(x), k);
                Some(self.equal(x, rest))
            }
            Term::SignExtend(x)
                if from_signed(to_signed(k & mask(self.width(x)), self.width(x)), width) == k =>
            {
                let rest = self.constant(self.width(x), k);
                Some(self.equal(x, rest))
            }
            _ => None,
        }
    }

    /// A predicate of a choice of which at least one branch is decided.
    fn split_choice(
        &mut self,
        (condition, x, y): (TermId, TermId, TermId),
        decided: (Option<bool>, Option<bool>),
        mut predicate: impl FnMut(&mut Terms, TermId) -> TermId,
    ) -> Option<TermId> {
        let (x, y) = match decided {
            (None, None) => return None,
            (Some(x), Some(y)) => (self.bool(x), self.bool(y)),
            (Some(x), None) => (self.bool(x), predicate(self, y)),
            (None, Some(y)) => (predicate(self, x), self.bool(y)),
        };
        Some(self.ite(condition, x, y))
    }

    fn less(&mut self, order: Order, a: TermId, b: TermId, depth: u32) -> TermId {
        assert!(
            self.width(a) == self.width(b),
            "the operands {a} and {b} should have one width"
        );
        self.rewrite(|terms| terms.simplify_less(order, a, b, depth))
            .unwrap_or_else(|| {
                let term = match order {
                    Order::Unsigned => Term::UnsignedLess(a, b),
                    Order::Signed => Term::SignedLess(a, b),
                };
                self.intern(term, Sort::Bool)
            })
    }

    fn simplify_less(&mut self, order: Order, a: TermId, b: TermId, depth: u32) -> Option<TermId> {
        if a == b {
            return Some(self.bool(false));
        }
        let (x, y) = (self.range(a), self.range(b));
        if let Some(decided) = order.decide(x, y) {
            return Some(self.bool(decided));
        }
        if order == Order::Signed
            && (x.is_non_negative() && y.is_non_negative() || x.is_negative() && y.is_negative())
        {
            return Some(self.less(Order::Unsigned, a, b, depth));
        }
        self.less_at_an_end(order, a, b)
            .or_else(|| self.less_of_parts(order, a, b))
            .or_else(|| self.less_of_choice(order, a, b, depth))
    }

    /// Only the least or the greatest value makes the difference.
    fn less_at_an_end(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        if let Some(k) = self.as_constant(b) {
            let (min, max) = order.ends(self.range(a));
            if k == max {
                return Some(self.different(a, b));
            }
            if k == min.wrapping_add(1) & mask(width) {
                let min = self.constant(width, min);
                return Some(self.equal(a, min));
            }
        } else if let Some(k) = self.as_constant(a) {
            let (min, max) = order.ends(self.range(b));
            if k == min {
                return Some(self.different(a, b));
            }
            if k == max.wrapping_sub(1) & mask(width) {
                let max = self.constant(width, max);
                return Some(self.equal(b, max));
            }
        }
        None
    }

    fn less_of_parts(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        match (self.term(a), self.term(b)) {
            (Term::BitNot(x), Term::BitNot(y)) => Some(self.less(order, y, x, CHAIN_LIMIT)),
            (Term::Concat(h, l), Term::Concat(m, n)) if h == m => Some(self.unsigned_less(l, n)),
            (Term::ZeroExtend(x), Term::ZeroExtend(y)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(x, width), self.zero_extend(y, width));
                Some(self.unsigned_less(x, y))
            }
            (Term::SignExtend(x), Term::SignExtend(y)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(x, width), self.sign_extend(y, width));
                Some(self.less(order, x, y, CHAIN_LIMIT))
            }
            (Term::ZeroExtend(x), Term::Constant(k)) if self.is_short(order, x, k) => {
                let k = self.constant(self.width(x), k);
                Some(self.unsigned_less(x, k))
            }
            (Term::Constant(k), Term::ZeroExtend(x)) if self.is_short(order, x, k) => {
                let k = self.constant(self.width(x), k);
                Some(self.unsigned_less(k, x))
            }
            (Term::SignExtend(x), Term::Constant(k)) if self.is_short_signed(order, a, x, k) => {
                let k = self.constant(self.width(x), k);
                Some(self.signed_less(x, k))
            }
            (Term::Constant(k), Term::SignExtend(x)) if self.is_short_signed(order, b, x, k) => {
                let k = self.constant(self.width(x), k);
                Some(self.signed_less(k, x))
            }
            _ => None,
        }
    }

    /// Whether an extended term can be compared with a constant before it is
    /// extended.
    fn is_short(&self, order: Order, inner: TermId, k: u128) -> bool {
        order == Order::Unsigned && k & !mask(self.width(inner)) == 0
    }

    fn is_short_signed(&self, order: Order, whole: TermId, inner: TermId, k: u128) -> bool {
        let short = k & mask(self.width(inner));
        let extended = from_signed(to_signed(short, self.width(inner)), self.width(whole));
        order == Order::Signed && extended == k
    }

    fn less_of_choice(&mut self, order: Order, a: TermId, b: TermId, depth: u32) -> Option<TermId> {
        if depth == 0 {
            return None;
        }
        if let Term::Ite(condition, x, y) = self.term(a)
            && self.as_constant(b).is_some()
        {
            let decide = |branch| order.decide(self.range(branch), self.range(b));
            let decided = (decide(x), decide(y));
            return self.split_choice((condition, x, y), decided, |terms, branch| {
                terms.less(order, branch, b, depth - 1)
            });
        }
        if let Term::Ite(condition, x, y) = self.term(b)
            && self.as_constant(a).is_some()
        {
            let decide = |branch| order.decide(self.range(a), self.range(branch));
            let decided = (decide(x), decide(y));
            return self.split_choice((condition, x, y), decided, |terms, branch| {
                terms.less(order, a, branch, depth - 1)
            });
        }
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Unsigned,
    Signed,
}

impl Order {
    /// Whether every value of one range is below every one of the other, or
    /// none is.
    fn decide(self, a: &Range, b: &Range) -> Option<bool> {
        let (always, never) = match self {
            Order::Unsigned => {
                let (a, b) = (a.unsigned(), b.unsigned());
                (a.end() < b.start(), a.start() >= b.end())
            }
            Order::Signed => {
                let (a, b) = (a.signed(), b.signed());
                (a.end() < b.start(), a.start() >= b.end())
            }
        };
        if always {
            Some(true)
        } else if never {
            Some(false)
        } else {
            None
        }
    }

    /// The least and the greatest value, as bits.
    fn ends(self, range: &Range) -> (u128, u128) {
        match self {
            Order::Unsigned => range.unsigned().into_inner(),
            Order::Signed => {
                let (min, max) = range.signed().into_inner();
                (
                    from_signed(min, range.width()),
                    from_signed(max, range.width()),
                )
            }
        }
    }
}
