//! Rearranging bits: concatenation, extraction and extension.

use crate::numbers::{from_signed, mask, to_signed};
use crate::terms::{Sort, Term, TermId, Terms};

impl Terms {
    /// `high` above `low`.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let width = self.width(high) + self.width(low);
        self.rewrite(|terms| terms.simplify_concat(high, low))
            .unwrap_or_else(|| self.intern(Term::Concat(high, low), Sort::BitVec(width)))
    }

    /// The bits from `low` to `high`, both included.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        assert!(
            low <= high && high < self.width(a),
            "bits {low} to {high} should be bits of {a}"
        );
        let width = high - low + 1;
        self.rewrite(|terms| terms.simplify_extract(a, low, width))
            .unwrap_or_else(|| self.intern(Term::Extract(a, low), Sort::BitVec(width)))
    }

    /// Zeros on top, to a width not below the present one.
    pub fn zero_extend(&mut self, a: TermId, width: u32) -> TermId {
        let old_width = self.width(a);
        assert!(old_width <= width, "an extension should not cut {a}");
        if old_width == width {
            return a;
        }
        self.rewrite(|terms| {
            if let Some(value) = terms.as_constant(a) {
                return Some(terms.constant(width, value));
            }
            match terms.term(a) {
                Term::ZeroExtend(inner) => Some(terms.zero_extend(inner, width)),
                Term::Extract(whole, 0)
                    if terms.range(whole).width_needed_unsigned() <= old_width =>
                {
                    Some(terms.resize(whole, width))
                }
                _ => terms.map_constant_choice(a, width, |value| value),
            }
        })
        .unwrap_or_else(|| self.intern(Term::ZeroExtend(a), Sort::BitVec(width)))
    }

    /// Copies of the sign bit on top, to a width not below the present one.
    pub fn sign_extend(&mut self, a: TermId, width: u32) -> TermId {
        let old_width = self.width(a);
        assert!(old_width <= width, "an extension should not cut {a}");
        if old_width == width {
            return a;
        }
        let extended = |value: u128| from_signed(to_signed(value, old_width), width);
        self.rewrite(|terms| {
            if let Some(value) = terms.as_constant(a) {
                return Some(terms.constant(width, extended(value)));
            }
            match terms.term(a) {
                Term::SignExtend(inner) => Some(terms.sign_extend(inner, width)),
                Term::Extract(whole, 0)
                    if terms.range(whole).width_needed_signed() <= old_width =>
                {
                    Some(terms.resize_signed(whole, width))
                }
                _ if terms.range(a).is_non_negative() => Some(terms.zero_extend(a, width)),
                _ => terms.map_constant_choice(a, width, extended),
            }
        })
        .unwrap_or_else(|| self.intern(Term::SignExtend(a), Sort::BitVec(width)))
    }

    /// Zero-extends or cuts off high bits.
    pub fn resize(&mut self, a: TermId, width: u32) -> TermId {
        if width <= self.width(a) {
            self.extract(a, width - 1, 0)
        } else {
            self.zero_extend(a, width)
        }
    }

    /// Sign-extends or cuts off high bits.
    pub fn resize_signed(&mut self, a: TermId, width: u32) -> TermId {
        if width <= self.width(a) {
            self.extract(a, width - 1, 0)
        } else {
            self.sign_extend(a, width)
        }
    }

    fn simplify_concat(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let low_width = self.width(low);
        let width = self.width(high) + low_width;
        let constants = (self.as_constant(high), self.as_constant(low));
        if let (Some(high), Some(low)) = constants {
            return Some(self.constant(width, high << low_width | low));
        }
        if let Some(joined) = self.join_parts(high, low) {
            return Some(joined);
        }
        // The parts may also meet one level down.
        if let Term::Concat(first, second) = self.term(low)
            && let Some(joined) = self.join_parts(high, first)
        {
            return Some(self.concat(joined, second));
        }
        if let Term::Concat(first, second) = self.term(high)
            && let Some(joined) = self.join_parts(second, low)
        {
            return Some(self.concat(first, joined));
        }
        // Extensions go outside, where comparisons see them.
        match self.term(high) {
            Term::ZeroExtend(inner) => {
                let joined = self.concat(inner, low);
                return Some(self.zero_extend(joined, width));
            }
            Term::SignExtend(inner) => {
                let joined = self.concat(inner, low);
                return Some(self.sign_extend(joined, width));
            }
            _ => {}
        }
        match constants {
            (Some(0), _) => Some(self.zero_extend(low, width)),
            (_, Some(low)) => self.map_constant_choice(high, width, |v| v << low_width | low),
            (Some(high), _) => self.map_constant_choice(low, width, |v| high << low_width | v),
            _ => None,
        }
    }

    /// One term for neighbouring parts of one term, or neighbouring constants.
    fn join_parts(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        match (self.term(high), self.term(low)) {
            (Term::Constant(high), Term::Constant(low)) => {
                Some(self.constant(width, high << low_width | low))
            }
            (Term::Extract(a, from), Term::Extract(b, low))
                if a == b && from == low + low_width =>
            {
                Some(self.extract(a, low + width - 1, low))
            }
            _ => None,
        }
    }

    fn simplify_extract(&mut self, a: TermId, low: u32, width: u32) -> Option<TermId> {
        let old_width = self.width(a);
        if width == old_width {
            return Some(a);
        }
        let high = low + width - 1;
        match self.term(a) {
            Term::Constant(value) => Some(self.constant(width, value >> low)),
            Term::Extract(inner, from) => Some(self.extract(inner, from + high, from + low)),
            Term::Concat(upper, lower) => {
                let split = self.width(lower);
                if low >= split {
                    return Some(self.extract(upper, high - split, low - split));
                }
                if high < split {
                    return Some(self.extract(lower, high, low));
                }
                let upper = self.extract(upper, high - split, 0);
                let lower = self.extract(lower, split - 1, low);
                Some(self.concat(upper, lower))
            }
            Term::ZeroExtend(inner) => self.extract_of_extension(a, inner, low, width),
            Term::SignExtend(inner) => self.extract_of_extension(a, inner, low, width),
            Term::Ite(..) => self.map_constant_choice(a, width, |value| value >> low & mask(width)),
            _ => None,
        }
    }

    fn extract_of_extension(
        &mut self,
        extension: TermId,
        inner: TermId,
        low: u32,
        width: u32,
    ) -> Option<TermId> {
        let inner_width = self.width(inner);
        let is_signed = matches!(self.term(extension), Term::SignExtend(_));
        if low + width <= inner_width {
            return Some(self.extract(inner, low + width - 1, low));
        }
        if low < inner_width {
            let kept = self.extract(inner, inner_width - 1, low);
            return Some(if is_signed {
                self.sign_extend(kept, width)
            } else {
                self.zero_extend(kept, width)
            });
        }
        if is_signed {
            let sign = self.extract(inner, inner_width - 1, inner_width - 1);
            return Some(self.sign_extend(sign, width));
        }
        Some(self.constant(width, 0))
    }
}
