//! Arithmetic, shifts and bitwise operations.

use crate::numbers::{apply, mask};
use crate::ranges::Range;
use crate::terms::{BinaryOp, Sort, Term, TermId, Terms};

impl Terms {
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Add, a, b)
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Sub, a, b)
    }

    pub fn neg(&mut self, a: TermId) -> TermId {
        let zero = self.constant(self.width(a), 0);
        self.sub(zero, a)
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// All ones if `b` is zero.
    pub fn unsigned_div(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::UnsignedDiv, a, b)
    }

    /// `a` if `b` is zero.
    pub fn unsigned_rem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::UnsignedRem, a, b)
    }

    /// Rounds towards zero; if `b` is zero, -1, or 1 for a negative `a`.
    pub fn signed_div(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::SignedDiv, a, b)
    }

    /// Has the sign of `a`; is `a` if `b` is zero.
    pub fn signed_rem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::SignedRem, a, b)
    }

    /// Zero if the amount is not below the width.
    pub fn shift_left(&mut self, a: TermId, amount: TermId) -> TermId {
        self.binary(BinaryOp::ShiftLeft, a, amount)
    }

    /// Zero if the amount is not below the width.
    pub fn shift_right(&mut self, a: TermId, amount: TermId) -> TermId {
        self.binary(BinaryOp::ShiftRight, a, amount)
    }

    /// Nothing but the sign if the amount is not below the width.
    pub fn shift_right_signed(&mut self, a: TermId, amount: TermId) -> TermId {
        self.binary(BinaryOp::ShiftRightSigned, a, amount)
    }

    pub fn bit_and(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::And, a, b)
    }

    pub fn bit_or(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Or, a, b)
    }

    pub fn bit_xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Xor, a, b)
    }

    pub fn bit_not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        self.rewrite(|terms| match terms.term(a) {
            Term::Constant(value) => Some(terms.constant(width, !value)),
            Term::BitNot(operand) => Some(operand),
            _ => terms.map_constant_choice(a, width, |value| !value & mask(width)),
        })
        .unwrap_or_else(|| self.intern(Term::BitNot(a), Sort::BitVec(width)))
    }

    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        assert!(
            width == self.width(b),
            "the operands {a} and {b} should have one width"
        );
        self.rewrite(|terms| terms.simplify_binary(op, a, b, width))
            .unwrap_or_else(|| self.intern(Term::Binary(op, a, b), Sort::BitVec(width)))
    }

    fn simplify_binary(
        &mut self,
        op: BinaryOp,
        a: TermId,
        b: TermId,
        width: u32,
    ) -> Option<TermId> {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => return Some(self.constant(width, apply(op, x, y, width))),
            (Some(x), None) => {
                let choice = self.map_constant_choice(b, width, |y| apply(op, x, y, width));
                if choice.is_some() {
                    return choice;
                }
            }
            (None, Some(y)) => {
                let choice = self.map_constant_choice(a, width, |x| apply(op, x, y, width));
                if choice.is_some() {
                    return choice;
                }
            }
            (None, None) => {
                if let (Some((c, x1, x2)), Some((d, y1, y2))) =
                    (self.as_constant_choice(a), self.as_constant_choice(b))
                    && c == d
                {
                    let x = self.constant(width, apply(op, x1, y1, width));
                    let y = self.constant(width, apply(op, x2, y2, width));
                    return Some(self.ite(c, x, y));
                }
            }
        }
        if op.is_commutative() && self.is_out_of_order(a, b) {
            return Some(self.binary(op, b, a));
        }
        match op {
            BinaryOp::Add => self.simplify_add(a, b, width),
            BinaryOp::Sub => self.simplify_sub(a, b, width),
            BinaryOp::Mul => self.simplify_mul(a, b, width),
            BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem => {
                self.simplify_unsigned_division(op, a, b, width)
            }
            BinaryOp::SignedDiv | BinaryOp::SignedRem => {
                self.simplify_signed_division(op, a, b, width)
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightSigned => {
                let amount = self.as_constant(b)?;
                Some(self.shift_by_constant(op, a, amount, width))
            }
            BinaryOp::And => self.simplify_bit_and(a, b, width),
            BinaryOp::Or => self.simplify_bit_or(a, b, width),
            BinaryOp::Xor => self.simplify_bit_xor(a, b, width),
        }
    }

    /// Whether a commutative operation wants its operands the other way round.
    pub(super) fn is_out_of_order(&self, a: TermId, b: TermId) -> bool {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(_), None) => true,
            (None, Some(_)) => false,
            _ => b < a,
        }
    }

    fn simplify_add(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        use BinaryOp::{Add, Sub};
        if let Some(k) = self.as_constant(b) {
            if k == 0 {
                return Some(a);
            }
            return match self.term(a) {
                Term::Binary(Add, x, y) if self.as_constant(y).is_some() => {
                    let sum = self.add(y, b);
                    Some(self.add(x, sum))
                }
                Term::Binary(Sub, x, y) if self.as_constant(x).is_some() => {
                    let sum = self.add(x, b);
                    Some(self.sub(sum, y))
                }
                _ => None,
            };
        }
        if a == b {
            return Some(self.shift_by_constant(BinaryOp::ShiftLeft, a, 1, width));
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Term::Binary(Sub, x, y) = self.term(a) {
                if y == b {
                    return Some(x);
                }
                if self.as_constant(x) == Some(0) {
                    return Some(self.sub(b, y));
                }
            }
        }
        self.join_disjoint(a, b)
    }

    fn simplify_sub(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        use BinaryOp::{Add, Sub};
        if a == b {
            return Some(self.constant(width, 0));
        }
        if let Some(k) = self.as_constant(b) {
            let negated = self.constant(width, k.wrapping_neg());
            return Some(self.add(a, negated));
        }
        if self.as_constant(a) == Some(mask(width)) {
            return Some(self.bit_not(b));
        }
        let a_is_constant = self.as_constant(a).is_some();
        match (self.term(a), self.term(b)) {
            (_, Term::Binary(Sub, x, y)) if self.as_constant(x) == Some(0) => Some(self.add(a, y)),
            (_, Term::Binary(Sub, x, y)) if x == a => Some(y),
            // Constants of both sides meet.
            (_, Term::Binary(Add, x, y)) if a_is_constant && self.as_constant(y).is_some() => {
                let difference = self.sub(a, y);
                Some(self.sub(difference, x))
            }
            (_, Term::Binary(Sub, x, y)) if a_is_constant && self.as_constant(x).is_some() => {
                let difference = self.sub(a, x);
                Some(self.add(y, difference))
            }
            (Term::Binary(Add, x, y), _) if x == b => Some(y),
            (Term::Binary(Add, x, y), _) if y == b => Some(x),
            (_, Term::Binary(Add, x, y)) if x == a => Some(self.neg(y)),
            (_, Term::Binary(Add, x, y)) if y == a => Some(self.neg(x)),
            (Term::Binary(Add, x, y), Term::Binary(Add, z, w)) => {
                let (left, right) = different_operands((x, y), (z, w))?;
                Some(self.sub(left, right))
            }
            _ => None,
        }
    }

    fn simplify_mul(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        let k = self.as_constant(b)?;
        if k == 0 {
            return Some(b);
        }
        if k == mask(width) {
            return Some(self.neg(a));
        }
        if k.is_power_of_two() {
            let amount = u128::from(k.trailing_zeros());
            return Some(self.shift_by_constant(BinaryOp::ShiftLeft, a, amount, width));
        }
        match self.term(a) {
            Term::Binary(BinaryOp::Mul, x, y) if self.as_constant(y).is_some() => {
                let product = self.mul(y, b);
                Some(self.mul(x, product))
            }
            _ => None,
        }
    }

    fn simplify_unsigned_division(
        &mut self,
        op: BinaryOp,
        a: TermId,
        b: TermId,
        width: u32,
    ) -> Option<TermId> {
        let is_division = op == BinaryOp::UnsignedDiv;
        if !is_division && self.range(a).unsigned().end() < self.range(b).unsigned().start() {
            return Some(a);
        }
        let k = self.as_constant(b)?;
        if k == 0 {
            return Some(if is_division {
                self.constant(width, mask(width))
            } else {
                a
            });
        }
        if !k.is_power_of_two() {
            return None;
        }
        let exponent = k.trailing_zeros();
        Some(if is_division {
            self.shift_by_constant(BinaryOp::ShiftRight, a, u128::from(exponent), width)
        } else if exponent == 0 {
            self.constant(width, 0)
        } else {
            let kept = self.extract(a, exponent - 1, 0);
            self.zero_extend(kept, width)
        })
    }

    /// Powers of two are left to the blaster, which needs no arithmetic for
    /// them either and keeps the range of the quotient.
    fn simplify_signed_division(
        &mut self,
        op: BinaryOp,
        a: TermId,
        b: TermId,
        width: u32,
    ) -> Option<TermId> {
        let is_division = op == BinaryOp::SignedDiv;
        if self.range(a).is_non_negative() && self.range(b).is_non_negative() {
            return Some(if is_division {
                self.unsigned_div(a, b)
            } else {
                self.unsigned_rem(a, b)
            });
        }
        if !is_division && is_smaller(self.range(a), self.range(b)) {
            return Some(a);
        }
        let k = self.as_constant(b)?;
        match (is_division, k) {
            (true, 0) => {
                let zero = self.constant(width, 0);
                let is_negative = self.signed_less(a, zero);
                let one = self.constant(width, 1);
                let minus_one = self.constant(width, u128::MAX);
                Some(self.ite(is_negative, one, minus_one))
            }
            (false, 0) => Some(a),
            (true, _) if k == mask(width) => Some(self.neg(a)),
            (false, _) if k == mask(width) => Some(self.constant(width, 0)),
            (true, 1) => Some(a),
            (false, 1) => Some(self.constant(width, 0)),
            _ => None,
        }
    }

    /// Only moves bits, so it becomes a term that says so.
    fn shift_by_constant(&mut self, op: BinaryOp, a: TermId, amount: u128, width: u32) -> TermId {
        if amount == 0 {
            return a;
        }
        if amount >= u128::from(width) {
            return if op == BinaryOp::ShiftRightSigned {
                let sign = self.extract(a, width - 1, width - 1);
                self.sign_extend(sign, width)
            } else {
                self.constant(width, 0)
            };
        }
        let amount = amount as u32;
        if op == BinaryOp::ShiftLeft {
            let kept = self.extract(a, width - 1 - amount, 0);
            let zeros = self.constant(amount, 0);
            return self.concat(kept, zeros);
        }
        let kept = self.extract(a, width - 1, amount);
        if op == BinaryOp::ShiftRight {
            self.zero_extend(kept, width)
        } else {
            self.sign_extend(kept, width)
        }
    }

    fn simplify_bit_and(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        if a == b {
            return Some(a);
        }
        let all = mask(width);
        let (x, y) = (self.range(a), self.range(b));
        if x.known_zeros() | y.known_ones() == all {
            return Some(a);
        }
        if y.known_zeros() | x.known_ones() == all {
            return Some(b);
        }
        if self.are_complements(a, b) {
            return Some(self.constant(width, 0));
        }
        if let Some(absorbed) = self.absorb_bits(BinaryOp::Or, a, b) {
            return Some(absorbed);
        }
        let k = self.as_constant(b)?;
        if let Some(merged) = self.merge_constants(BinaryOp::And, a, b) {
            return Some(merged);
        }
        // A run of ones keeps a part of the bits in place.
        let low = k.trailing_zeros();
        let run = (k >> low).trailing_ones();
        if k >> low != mask(run) {
            return None;
        }
        let mut kept = self.extract(a, low + run - 1, low);
        if low > 0 {
            let zeros = self.constant(low, 0);
            kept = self.concat(kept, zeros);
        }
        Some(self.zero_extend(kept, width))
    }

    fn simplify_bit_or(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        if a == b {
            return Some(a);
        }
        let all = mask(width);
        let (x, y) = (self.range(a), self.range(b));
        if x.known_ones() | y.known_zeros() == all {
            return Some(a);
        }
        if y.known_ones() | x.known_zeros() == all {
            return Some(b);
        }
        if self.are_complements(a, b) {
            return Some(self.constant(width, all));
        }
        self.absorb_bits(BinaryOp::And, a, b)
            .or_else(|| self.merge_constants(BinaryOp::Or, a, b))
            .or_else(|| self.join_disjoint(a, b))
    }

    fn simplify_bit_xor(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        if a == b {
            return Some(self.constant(width, 0));
        }
        if self.are_complements(a, b) {
            return Some(self.constant(width, mask(width)));
        }
        match self.as_constant(b) {
            Some(0) => return Some(a),
            Some(k) if k == mask(width) => return Some(self.bit_not(a)),
            Some(_) => return self.merge_constants(BinaryOp::Xor, a, b),
            None => {}
        }
        if let (Term::BitNot(x), Term::BitNot(y)) = (self.term(a), self.term(b)) {
            return Some(self.bit_xor(x, y));
        }
        self.join_disjoint(a, b)
    }

    fn are_complements(&self, a: TermId, b: TermId) -> bool {
        self.term(a) == Term::BitNot(b) || self.term(b) == Term::BitNot(a)
    }

    /// `a` for an operation on `a` and `a inner y`, where the operations are
    /// dual to each other.
    fn absorb_bits(&self, inner: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let has = |whole: TermId, part: TermId| match self.term(whole) {
            Term::Binary(op, x, y) => op == inner && (x == part || y == part),
            _ => false,
        };
        if has(b, a) {
            Some(a)
        } else if has(a, b) {
            Some(b)
        } else {
            None
        }
    }

    /// `(x op k1) op k2` is `x op (k1 op k2)` for an associative operation.
    fn merge_constants(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        self.as_constant(b)?;
        match self.term(a) {
            Term::Binary(inner, x, y) if inner == op && self.as_constant(y).is_some() => {
                let merged = self.binary(op, y, b);
                Some(self.binary(op, x, merged))
            }
            _ => None,
        }
    }

    /// A value below 2^m and a multiple of 2^m make a concatenation, whether
    /// they are added or joined bitwise.
    fn join_disjoint(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        for (upper, lower) in [(a, b), (b, a)] {
            let core = match self.term(upper) {
                Term::ZeroExtend(inner) => inner,
                _ => upper,
            };
            if let Term::Concat(high, zeros) = self.term(core)
                && self.as_constant(zeros) == Some(0)
            {
                let split = self.width(zeros);
                if self.range(lower).width_needed_unsigned() <= split {
                    let low = self.extract(lower, split - 1, 0);
                    let joined = self.concat(high, low);
                    return Some(self.zero_extend(joined, self.width(upper)));
                }
            }
        }
        None
    }
}

/// Whether every value of `a` has a smaller magnitude than every one of `b`.
fn is_smaller(a: &Range, b: &Range) -> bool {
    let greatest = |r: &Range| {
        let (min, max) = r.signed().into_inner();
        min.unsigned_abs().max(max.unsigned_abs())
    };
    let least = if b.is_negative() {
        b.signed().end().unsigned_abs()
    } else if b.is_non_negative() {
        b.signed().start().unsigned_abs()
    } else {
        return false;
    };
    greatest(a) < least
}

/// The operands that two sums do not share, if they share one.
pub(super) fn different_operands(
    (x, y): (TermId, TermId),
    (z, w): (TermId, TermId),
) -> Option<(TermId, TermId)> {
    if x == z {
        Some((y, w))
    } else if x == w {
        Some((y, z))
    } else if y == z {
        Some((x, w))
    } else if y == w {
        Some((x, z))
    } else {
        None
    }
}
