//! Value ranges: what is known about a bit-vector without solving anything.
//!
//! A [`Range`] describes a set of values three times over: as an unsigned
//! interval, as a signed interval, and by the bits that are the same in all of
//! them. Each view says things that the others cannot, and whatever one of them
//! learns is carried over to the rest. All three always contain every value that
//! the term can take; how an operation maps ranges is in `transfer`.
//!
//! Ranges never mention other terms, so relations (`x < y`) are lost here.

pub(crate) mod transfer;

use crate::numbers::{
    bits_of_signed, bits_of_unsigned, from_signed, mask, sign_bit, signed_max, signed_min,
    to_signed,
};
use std::ops::RangeInclusive;

/// A non-empty set of values of one width, over-approximated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    width: u32,
    unsigned_min: u128,
    unsigned_max: u128,
    signed_min: i128,
    signed_max: i128,
    /// Bits that are zero in every value.
    zeros: u128,
    /// Bits that are one in every value.
    ones: u128,
}

impl Range {
    /// All values of a width.
    pub fn full(width: u32) -> Range {
        Range {
            width,
            unsigned_min: 0,
            unsigned_max: mask(width),
            signed_min: signed_min(width),
            signed_max: signed_max(width),
            zeros: 0,
            ones: 0,
        }
    }

    pub fn constant(width: u32, value: u128) -> Range {
        debug_assert!(value & !mask(width) == 0, "the value should fit its width");
        Range {
            width,
            unsigned_min: value,
            unsigned_max: value,
            signed_min: to_signed(value, width),
            signed_max: to_signed(value, width),
            zeros: !value & mask(width),
            ones: value,
        }
    }

    /// # Panics
    /// If the interval is empty or does not fit the width.
    pub fn from_unsigned(width: u32, values: RangeInclusive<u128>) -> Range {
        assert!(
            values.start() <= values.end() && *values.end() <= mask(width),
            "an unsigned interval should be non-empty and fit its width"
        );
        let mut range = Range::full(width);
        (range.unsigned_min, range.unsigned_max) = values.into_inner();
        range.refined()
    }

    /// # Panics
    /// If the interval is empty or does not fit the width.
    pub fn from_signed(width: u32, values: RangeInclusive<i128>) -> Range {
        assert!(
            values.start() <= values.end()
                && *values.start() >= signed_min(width)
                && *values.end() <= signed_max(width),
            "a signed interval should be non-empty and fit its width"
        );
        let mut range = Range::full(width);
        (range.signed_min, range.signed_max) = values.into_inner();
        range.refined()
    }

    /// The values in which the bits of `zeros` are 0 and those of `ones` are 1.
    ///
    /// # Panics
    /// If some bit should be both.
    pub fn from_bits(width: u32, zeros: u128, ones: u128) -> Range {
        assert!(zeros & ones == 0, "a known bit should have one value");
        let mut range = Range::full(width);
        range.zeros = zeros & mask(width);
        range.ones = ones & mask(width);
        range.refined()
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn unsigned(&self) -> RangeInclusive<u128> {
        self.unsigned_min..=self.unsigned_max
    }

    pub fn signed(&self) -> RangeInclusive<i128> {
        self.signed_min..=self.signed_max
    }

    pub fn known_zeros(&self) -> u128 {
        self.zeros
    }

    pub fn known_ones(&self) -> u128 {
        self.ones
    }

    /// The value, if there is only one.
    pub fn as_constant(&self) -> Option<u128> {
        (self.unsigned_min == self.unsigned_max).then_some(self.unsigned_min)
    }

    /// The least number of bits that hold every value as an unsigned number.
    pub fn width_needed_unsigned(&self) -> u32 {
        bits_of_unsigned(self.unsigned_max)
    }

    /// The least number of bits that hold every value in two's complement.
    pub fn width_needed_signed(&self) -> u32 {
        bits_of_signed(self.signed_min).max(bits_of_signed(self.signed_max))
    }

    pub fn is_non_negative(&self) -> bool {
        self.signed_min >= 0
    }

    pub fn is_negative(&self) -> bool {
        self.signed_max < 0
    }

    pub fn contains(&self, value: u128) -> bool {
        self.unsigned().contains(&value)
            && self.signed().contains(&to_signed(value, self.width))
            && value & self.zeros == 0
            && !value & self.ones == 0
    }

    /// The least range that contains both.
    pub fn join(&self, other: &Range) -> Range {
        debug_assert_eq!(self.width, other.width, "ranges of one width can be joined");
        Range {
            width: self.width,
            unsigned_min: self.unsigned_min.min(other.unsigned_min),
            unsigned_max: self.unsigned_max.max(other.unsigned_max),
            signed_min: self.signed_min.min(other.signed_min),
            signed_max: self.signed_max.max(other.signed_max),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
        .refined()
    }

    /// What is in both ranges, or nothing if they are seen to be disjoint.
    pub fn intersect(&self, other: &Range) -> Option<Range> {
        debug_assert_eq!(self.width, other.width, "ranges of one width can meet");
        let mut range = Range {
            width: self.width,
            unsigned_min: self.unsigned_min.max(other.unsigned_min),
            unsigned_max: self.unsigned_max.min(other.unsigned_max),
            signed_min: self.signed_min.max(other.signed_min),
            signed_max: self.signed_max.min(other.signed_max),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        };
        range.refine().then_some(range)
    }

    /// Whether no value is in both. May say no although it is so.
    pub fn is_disjoint(&self, other: &Range) -> bool {
        self.unsigned_max < other.unsigned_min
            || other.unsigned_max < self.unsigned_min
            || self.signed_max < other.signed_min
            || other.signed_max < self.signed_min
            || self.zeros & other.ones != 0
            || self.ones & other.zeros != 0
    }

    /// A value in the range, zero if possible. Known only to be in all three
    /// views if there is one at all that the three views agree on.
    pub fn some_value(&self) -> u128 {
        if self.contains(0) {
            0
        } else if self.contains(self.unsigned_min) {
            self.unsigned_min
        } else {
            from_signed(self.signed_min, self.width)
        }
    }

    fn refined(mut self) -> Range {
        let is_inhabited = self.refine();
        debug_assert!(is_inhabited, "a range should contain some value");
        self
    }

    /// Lets the three views learn from each other; false if nothing is left.
    fn refine(&mut self) -> bool {
        // Two rounds nearly always reach the fixed point; being short of it
        // costs precision only.
        for _ in 0..3 {
            if self.unsigned_min > self.unsigned_max
                || self.signed_min > self.signed_max
                || self.zeros & self.ones != 0
            {
                return false;
            }
            let before = self.clone();
            self.signed_from_unsigned();
            self.unsigned_from_signed();
            if self.unsigned_min > self.unsigned_max || !self.exchange_bits() {
                return false;
            }
            if *self == before {
                break;
            }
        }
        self.unsigned_min <= self.unsigned_max && self.signed_min <= self.signed_max
    }

    fn signed_from_unsigned(&mut self) {
        let sign = sign_bit(self.width);
        let min = to_signed(self.unsigned_min, self.width);
        let max = to_signed(self.unsigned_max, self.width);
        if self.unsigned_max < sign || self.unsigned_min >= sign {
            self.signed_min = self.signed_min.max(min);
            self.signed_max = self.signed_max.min(max);
        } else {
            // The interval covers the end of the non-negative numbers and the
            // beginning of the negative ones: min.. and ..=max.
            if self.signed_min > max {
                self.signed_min = self.signed_min.max(min);
            }
            if self.signed_max < min {
                self.signed_max = self.signed_max.min(max);
            }
        }
    }

    fn unsigned_from_signed(&mut self) {
        let min = from_signed(self.signed_min, self.width);
        let max = from_signed(self.signed_max, self.width);
        if self.signed_min >= 0 || self.signed_max < 0 {
            self.unsigned_min = self.unsigned_min.max(min);
            self.unsigned_max = self.unsigned_max.min(max);
        } else {
            if self.unsigned_min > max {
                self.unsigned_min = self.unsigned_min.max(min);
            }
            if self.unsigned_max < min {
                self.unsigned_max = self.unsigned_max.min(max);
            }
        }
    }

    /// Between the unsigned interval and the known bits; false if they conflict.
    fn exchange_bits(&mut self) -> bool {
        let all = mask(self.width);
        let differing = bits_of_unsigned(self.unsigned_min ^ self.unsigned_max);
        let shared = all & !mask(differing);
        self.ones |= self.unsigned_min & shared;
        self.zeros |= !self.unsigned_min & shared;
        let min = least_from(self.unsigned_min, self.zeros, self.ones, all);
        // The greatest is the least of the complements.
        let max = least_from(!self.unsigned_max & all, self.ones, self.zeros, all);
        match (min, max) {
            (Some(min), Some(max)) => {
                self.unsigned_min = min;
                self.unsigned_max = !max & all;
                true
            }
            _ => false,
        }
    }
}

/// The least value from `bound` upwards that has the known bits.
fn least_from(bound: u128, zeros: u128, ones: u128, all: u128) -> Option<u128> {
    let wrong = (bound & zeros) | (!bound & ones);
    if wrong == 0 {
        return Some(bound);
    }
    // Above the highest wrong bit the bound can stay. If that bit must rise, it
    // does, else some free zero above it must; all below is then as low as can be.
    let highest = bits_of_unsigned(wrong) - 1;
    let raised = if ones >> highest & 1 == 1 {
        highest
    } else {
        let free = !bound & !zeros & all & !mask(highest + 1);
        if free == 0 {
            return None;
        }
        free.trailing_zeros()
    };
    Some((bound & !mask(raised)) | 1 << raised | (ones & mask(raised)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_learn_from_each_other() {
        let range = Range::from_signed(32, -4..=3);
        assert_eq!(range.unsigned(), 0..=0xffff_ffff);
        assert_eq!(range.width_needed_signed(), 3);
        let range = Range::from_unsigned(8, 0x83..=0x8d);
        assert_eq!(range.signed(), -125..=-115);
        assert_eq!((range.known_zeros(), range.known_ones()), (0x70, 0x80));
        assert_eq!(range.width_needed_unsigned(), 8);
        let even = Range::from_bits(8, 1, 0);
        let odd_ends = Range::from_unsigned(8, 3..=9);
        assert_eq!(even.intersect(&odd_ends).unwrap().unsigned(), 4..=8);
        assert!(even.is_disjoint(&Range::from_bits(8, 0, 1)));
        assert_eq!(even.intersect(&Range::constant(8, 5)), None);
    }

    #[test]
    fn least_value_with_known_bits() {
        for width in 1..=4 {
            let all = mask(width);
            for bits in 0..1u128 << (3 * width) {
                let bound = bits & all;
                let zeros = bits >> width & all;
                let ones = bits >> (2 * width) & all & !zeros;
                let expected = (bound..=all).find(|v| v & zeros == 0 && !v & ones == 0);
                assert_eq!(least_from(bound, zeros, ones, all), expected);
            }
        }
    }
}
