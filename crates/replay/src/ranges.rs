//! Sets of numbers of up to 64 bits, as ranges in order; and for which numbers a
//! comparison with a constant comes out true.
//!
//! Numbers are bit patterns: those with a sign are the same patterns in another order,
//! and so are floating-point numbers.

use crate::value::truncate;
use ir::{Comparison, FloatComparison};

/// Ranges with both ends, apart from each other and in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ranges(Vec<(u64, u64)>);

fn most(width: u32) -> u64 {
    truncate(u128::MAX, width) as u64
}

impl Ranges {
    /// All numbers of a width.
    pub(crate) fn all(width: u32) -> Ranges {
        Ranges(vec![(0, most(width))])
    }

    /// Ranges in any order; those that end before they begin are none.
    pub(crate) fn of(ranges: impl IntoIterator<Item = (u64, u64)>) -> Ranges {
        let mut ranges: Vec<(u64, u64)> = ranges.into_iter().filter(|(a, b)| a <= b).collect();
        ranges.sort_unstable();
        let mut apart: Vec<(u64, u64)> = Vec::new();
        for (from, to) in ranges {
            match apart.last_mut() {
                Some((_, end)) if from <= end.saturating_add(1) => *end = to.max(*end),
                _ => apart.push((from, to)),
            }
        }
        Ranges(apart)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().copied()
    }

    /// How many ranges these are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The only number, if there is but one.
    pub(crate) fn only(&self) -> Option<u64> {
        match self.0[..] {
            [(from, to)] if from == to => Some(from),
            _ => None,
        }
    }

    pub(crate) fn and(&self, other: &Ranges) -> Ranges {
        let pairs = self
            .iter()
            .flat_map(|one| other.iter().map(move |two| (one, two)));
        Ranges::of(pairs.map(|((a, b), (c, d))| (a.max(c), b.min(d))))
    }

    /// All other numbers of a width.
    pub(crate) fn not(&self, width: u32) -> Ranges {
        let mut others = Vec::new();
        let mut next = Some(0);
        for (from, to) in self.iter() {
            if let Some(next) = next
                && next < from
            {
                others.push((next, from - 1));
            }
            next = to.checked_add(1);
        }
        others.extend(next.map(|next| (next, most(width))));
        Ranges::of(others)
    }

    /// The numbers of `width` bits that are among these once they are extended to more,
    /// with their sign or without.
    pub(crate) fn before_extension(&self, width: u32, to: u32, is_signed: bool) -> Ranges {
        if !is_signed {
            return self.and(&Ranges::all(width));
        }
        let half = 1 << (width - 1);
        let low = self.and(&Ranges::of([(0, half - 1)]));
        let above = most(to) - most(width);
        let high = self.and(&Ranges::of([(above + half, most(to))]));
        Ranges::of(
            low.iter()
                .chain(high.iter().map(|(a, b)| (a - above, b - above))),
        )
    }

    /// The numbers for which a comparison with a constant comes out true.
    pub(crate) fn comparing(op: Comparison, constant: u64, width: u32) -> Ranges {
        let below = |constant: u64| constant.checked_sub(1).map(|below| (0, below));
        let half = 1 << (width - 1);
        // In the order of numbers with a sign.
        let least = |constant: u64| match constant < half {
            true => Ranges::of([(half, most(width))].into_iter().chain(below(constant))),
            false => Ranges::of((constant > half).then(|| (half, constant - 1))),
        };
        let equal = Ranges::of([(constant, constant)]);
        match op {
            Comparison::Equal => equal,
            Comparison::NotEqual => equal.not(width),
            Comparison::UnsignedLess => Ranges::of(below(constant)),
            Comparison::UnsignedLessEqual => Ranges::of([(0, constant)]),
            Comparison::UnsignedGreater => Ranges::of([(0, constant)]).not(width),
            Comparison::UnsignedGreaterEqual => Ranges::of(below(constant)).not(width),
            Comparison::SignedLess => least(constant),
            Comparison::SignedGreaterEqual => least(constant).not(width),
            Comparison::SignedLessEqual => Ranges::of(least(constant).iter().chain(equal.iter())),
            Comparison::SignedGreater => {
                Ranges::of(least(constant).iter().chain(equal.iter())).not(width)
            }
        }
    }

    /// The same for floating-point numbers, single or double.
    pub(crate) fn comparing_floats(op: FloatComparison, constant: u64, width: u32) -> Ranges {
        let infinity = match width {
            32 => u64::from(f32::INFINITY.to_bits()),
            _ => f64::INFINITY.to_bits(),
        };
        let sign = 1 << (width - 1);
        let magnitude = constant & !sign;
        let numbers = Ranges::of([(0, infinity), (sign, sign | infinity)]);
        if magnitude > infinity {
            return match op.unordered {
                true => Ranges::all(width),
                false => Ranges(Vec::new()),
            };
        }
        let equal = match magnitude {
            0 => Ranges::of([(0, 0), (sign, sign)]),
            _ => Ranges::of([(constant, constant)]),
        };
        // Magnitudes grow with the pattern, on both sides of zero.
        let further = (magnitude + 1, infinity);
        let beyond =
            |from: u64| (magnitude < infinity).then_some((from | further.0, from | further.1));
        let (greater, less) = match constant & sign == 0 || magnitude == 0 {
            true => {
                let greater = Ranges::of(beyond(0));
                let rest = Ranges::of(greater.iter().chain(equal.iter())).not(width);
                (greater, rest.and(&numbers))
            }
            false => {
                let less = Ranges::of(beyond(sign));
                let rest = Ranges::of(less.iter().chain(equal.iter())).not(width);
                (rest.and(&numbers), less)
            }
        };
        let parts = [
            (op.less, less),
            (op.equal, equal),
            (op.greater, greater),
            (op.unordered, numbers.not(width)),
        ];
        let chosen = parts.iter().filter(|(is_wanted, _)| *is_wanted);
        Ranges::of(chosen.flat_map(|(_, part)| part.iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{compare, float_compare, sign_extend};

    fn has(ranges: &Ranges, number: u64) -> bool {
        ranges
            .iter()
            .any(|(from, to)| (from..=to).contains(&number))
    }

    #[test]
    fn comparisons_are_told_for_every_number() {
        let all = [
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::UnsignedLess,
            Comparison::UnsignedLessEqual,
            Comparison::UnsignedGreater,
            Comparison::UnsignedGreaterEqual,
            Comparison::SignedLess,
            Comparison::SignedLessEqual,
            Comparison::SignedGreater,
            Comparison::SignedGreaterEqual,
        ];
        for op in all {
            for constant in 0..32 {
                let ranges = Ranges::comparing(op, constant, 5);
                for number in 0..32 {
                    let expected = compare(op, number.into(), constant.into(), 5);
                    assert_eq!(has(&ranges, number), expected, "{number} {op:?} {constant}");
                    assert_ne!(has(&ranges.not(5), number), expected);
                }
            }
        }
    }

    #[test]
    fn extended_numbers_are_found_again() {
        for from in 0..64 {
            for to in from..64 {
                let ranges = Ranges::of([(from, to)]);
                for number in 0..8u64 {
                    let plain = ranges.before_extension(3, 6, false);
                    assert_eq!(has(&plain, number), has(&ranges, number));
                    let extended = truncate(sign_extend(number.into(), 3) as u128, 6) as u64;
                    let signed = ranges.before_extension(3, 6, true);
                    assert_eq!(has(&signed, number), has(&ranges, extended));
                }
            }
        }
    }

    #[test]
    fn floats_are_compared_by_their_patterns() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1.5,
            -2.5,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        for flags in 0..16 {
            let op = FloatComparison {
                less: flags & 1 != 0,
                equal: flags & 2 != 0,
                greater: flags & 4 != 0,
                unordered: flags & 8 != 0,
            };
            for constant in numbers {
                let ranges = Ranges::comparing_floats(op, constant.to_bits(), 64);
                for number in numbers {
                    let expected = float_compare(op, number, constant);
                    assert_eq!(
                        has(&ranges, number.to_bits()),
                        expected,
                        "{number} {constant}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_largest_number_is_no_exception() {
        let all = Ranges::all(64);
        assert!(all.not(64).is_empty());
        let most = Ranges::comparing(Comparison::Equal, u64::MAX, 64);
        assert_eq!(most.only(), Some(u64::MAX));
        assert_eq!(most.not(64), Ranges::of([(0, u64::MAX - 1)]));
    }
}
