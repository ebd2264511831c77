//! A 128-bit hasher for states: wide enough that two different states of one
//! exploration never meet in practice, and the same on every machine.
//!
//! It must not be used where an adversary chooses the input.

use std::hash::{Hash, Hasher};

#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u128);

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fingerprint {
    const MULTIPLIER: u128 = 0xda94_2042_e4dd_58b5_9e37_79b9_7f4a_7c15;

    pub fn of(value: &impl Hash) -> u128 {
        let mut fingerprint = Fingerprint::default();
        value.hash(&mut fingerprint);
        fingerprint.value()
    }

    pub fn value(self) -> u128 {
        let mixed = (self.0 ^ (self.0 >> 71)).wrapping_mul(Self::MULTIPLIER);
        mixed ^ (mixed >> 64)
    }

    fn mix(&mut self, word: u64) {
        // Each step is a bijection of the state, so nothing is lost on the way.
        let state = (self.0 ^ u128::from(word)).wrapping_mul(Self::MULTIPLIER);
        self.0 = state ^ (state >> 61);
    }
}

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        self.mix(bytes.len() as u64);
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        self.value() as u64
    }
}
