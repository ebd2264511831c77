//! Sets of locations, and tables with small numbers as keys: what the solver
//! spends its time in.

use std::hash::{BuildHasherDefault, Hasher};

pub(super) type LocationId = u32;

/// A hasher for small numbers. Nobody outside chooses them, and no order depends
/// on it.
#[derive(Clone, Default)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }
}

pub(super) type Numbers = BuildHasherDefault<NumberHasher>;

/// A set in order of insertion, so that a number says which part is known.
#[derive(Clone, Default)]
pub(super) struct Set {
    pub items: Vec<LocationId>,
    /// One bit per location, once there are more than a few.
    bits: Vec<u64>,
}

impl Set {
    const FEW: usize = 12;

    fn contains(&self, item: LocationId) -> bool {
        if self.items.len() <= Set::FEW {
            return self.items.contains(&item);
        }
        let word = self.bits.get(item as usize / 64).copied().unwrap_or(0);
        word >> (item % 64) & 1 == 1
    }

    pub(super) fn insert(&mut self, item: LocationId) -> bool {
        if self.contains(item) {
            return false;
        }
        self.items.push(item);
        match self.items.len() {
            len if len <= Set::FEW => {}
            len if len == Set::FEW + 1 => {
                for index in 0..self.items.len() {
                    self.set_bit(self.items[index]);
                }
            }
            _ => self.set_bit(item),
        }
        true
    }

    /// Adds what `other` has from its item number `from` on. Tells whether that
    /// was anything new.
    pub(super) fn insert_all(&mut self, other: &Set, from: usize) -> bool {
        let n_items = self.items.len();
        let news = &other.items[from..];
        // Many items are compared faster as words.
        if news.len() > other.bits.len() && !other.bits.is_empty() {
            for (index, word) in other.bits.iter().enumerate() {
                let own = self.word(index);
                let mut missing = word & !own;
                while missing != 0 {
                    let bit = missing.trailing_zeros();
                    missing &= missing - 1;
                    self.insert(index as LocationId * 64 + bit);
                }
            }
        } else {
            for item in news {
                self.insert(*item);
            }
        }
        self.items.len() > n_items
    }

    /// A word of the bits, as far as they are in use.
    fn word(&self, index: usize) -> u64 {
        self.bits.get(index).copied().unwrap_or(0)
    }

    fn set_bit(&mut self, item: LocationId) {
        let word = item as usize / 64;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (item % 64);
    }
}
