//! Words: functions of lists of literals, the least significant bit first.
//!
//! Where two words meet they have one length. The functions that say *signed*
//! read a word in two's complement, where a shorter word stands for all longer
//! ones that repeat its last literal: [`trim`] and [`extend`] change nothing
//! about its value. Arithmetic on as few bits as a value needs is thereby exact.

use crate::gates::{Gates, Lit};
use crate::numbers::to_signed;

/// The bits of a number.
pub fn constant_bits(value: u128, width: usize) -> Vec<Lit> {
    (0..width)
        .map(|bit| Lit::constant(bit < 128 && value >> bit & 1 == 1))
        .collect()
}

/// A signed word at another length: cut, or with its last literal repeated.
///
/// # Panics
/// If the word is empty.
pub fn extend(bits: &[Lit], len: usize) -> Vec<Lit> {
    let top = *bits.last().expect("a word should have a bit");
    let mut extended = bits[..bits.len().min(len)].to_vec();
    extended.resize(len, top);
    extended
}

/// Drops the literals at the end of a signed word that repeat the one before.
pub fn trim(bits: &mut Vec<Lit>) {
    while let [.., a, b] = bits.as_slice()
        && a == b
    {
        bits.pop();
    }
}

/// The value of a word of constants, as a signed number.
fn as_signed_constant(bits: &[Lit]) -> Option<i128> {
    let mut value = 0;
    for (index, lit) in bits.iter().enumerate() {
        if lit.as_constant()? {
            value |= 1 << index;
        }
    }
    Some(to_signed(value, bits.len() as u32))
}

impl Gates {
    pub fn ite_bits(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        assert_eq!(a.len(), b.len(), "both words should have one length");
        a.iter()
            .zip(b)
            .map(|(x, y)| self.ite(condition, *x, *y))
            .collect()
    }

    pub fn equal_bits(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        assert_eq!(a.len(), b.len(), "both words should have one length");
        let mut equal = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b) {
            let bit = self.iff(*x, *y);
            if bit == Lit::FALSE {
                return bit;
            }
            equal.push(bit);
        }
        self.all(&equal)
    }

    /// The word whose condition holds; all zeros if none does, the bitwise
    /// disjunction if several do. All words have one length.
    pub fn select(&mut self, conditions: &[Lit], words: &[&[Lit]]) -> Vec<Lit> {
        assert_eq!(
            conditions.len(),
            words.len(),
            "each word should have a condition"
        );
        let len = words.first().map_or(0, |word| word.len());
        (0..len)
            .map(|bit| {
                let column: Vec<Lit> = words.iter().map(|word| word[bit]).collect();
                self.select_bit(conditions, &column)
            })
            .collect()
    }

    /// Where several words have the same literal, their conditions are joined
    /// first: neighbouring bits then often share the join.
    fn select_bit(&mut self, conditions: &[Lit], column: &[Lit]) -> Lit {
        let mut alternatives = Vec::new();
        for (index, lit) in column.iter().enumerate() {
            if *lit == Lit::TRUE {
                alternatives.push(conditions[index]);
                continue;
            }
            if *lit == Lit::FALSE || column[..index].contains(lit) {
                continue;
            }
            let same: Vec<Lit> = (index..column.len())
                .filter(|other| column[*other] == *lit)
                .map(|other| conditions[other])
                .collect();
            let condition = self.any(&same);
            alternatives.push(self.and(condition, *lit));
        }
        self.any(&alternatives)
    }

    /// Whether `a` is less than `b` as unsigned numbers.
    pub fn less_bits(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        assert_eq!(a.len(), b.len(), "both words should have one length");
        // From the lowest bit upwards: a higher bit decides, or leaves what the
        // bits below decided. Where one of the bits is constant this is a
        // conjunction or a disjunction, and runs of either become one gate.
        let mut chain = Chain::default();
        let mut previous = None;
        for (x, y) in a.iter().copied().zip(b.iter().copied()) {
            if x == y || previous == Some((x, y)) {
                continue;
            }
            previous = Some((x, y));
            if x == !y {
                chain = Chain::starting_with(y);
            } else if x == Lit::TRUE || y == Lit::FALSE {
                chain.push(self, Run::All, if x == Lit::TRUE { y } else { !x });
            } else if x == Lit::FALSE || y == Lit::TRUE {
                chain.push(self, Run::Any, if x == Lit::FALSE { y } else { !x });
            } else {
                let below = chain.finish(self);
                chain = Chain::starting_with(self.majority(!x, y, below));
            }
        }
        chain.finish(self)
    }

    /// Whether `a` is less than `b` as signed numbers.
    pub fn signed_less_bits(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // With inverted sign bits the order is that of unsigned numbers.
        let invert_top = |bits: &[Lit]| {
            let mut bits = bits.to_vec();
            if let Some(top) = bits.last_mut() {
                *top = !*top;
            }
            bits
        };
        self.less_bits(&invert_top(a), &invert_top(b))
    }

    /// `a + b`, without the carry out of the last bit.
    pub fn add_bits(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.add_with_carry(a, b, Lit::FALSE).0
    }

    /// `a - b`, without the borrow.
    pub fn sub_bits(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.sub_with_carry(a, b).0
    }

    pub fn negate_bits(&mut self, a: &[Lit]) -> Vec<Lit> {
        self.sub_bits(&vec![Lit::FALSE; a.len()], a)
    }

    /// `a + b + carry` and the carry out of the last bit.
    pub fn add_with_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        assert_eq!(a.len(), b.len(), "both words should have one length");
        let mut sum = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b) {
            sum.push(self.xor3(*x, *y, carry));
            carry = self.majority(*x, *y, carry);
        }
        (sum, carry)
    }

    /// `a - b`, and whether `a` is at least `b` as unsigned numbers.
    pub fn sub_with_carry(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
        let inverted: Vec<Lit> = b.iter().map(|lit| !*lit).collect();
        self.add_with_carry(a, &inverted, Lit::TRUE)
    }

    /// The sum (or difference) of signed words, on as many bits as it needs but
    /// no more than `limit`.
    pub fn add_signed(&mut self, a: &[Lit], b: &[Lit], subtract: bool, limit: usize) -> Vec<Lit> {
        let len = (a.len().max(b.len()) + 1).min(limit);
        let (a, b) = (extend(a, len), extend(b, len));
        let mut sum = if subtract {
            self.sub_bits(&a, &b)
        } else {
            self.add_bits(&a, &b)
        };
        trim(&mut sum);
        sum
    }

    /// The product of signed words, on no more than `limit` bits.
    pub fn multiply_signed(&mut self, a: &[Lit], b: &[Lit], limit: usize) -> Vec<Lit> {
        if let Some(value) = as_signed_constant(a) {
            return self.multiply_by_constant(b, value, limit);
        }
        if let Some(value) = as_signed_constant(b) {
            return self.multiply_by_constant(a, value, limit);
        }
        let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
        let mut sum = vec![Lit::FALSE];
        for (index, bit) in b.iter().enumerate().take(limit) {
            // The last bit counts negatively, unless it is beyond the limit.
            let is_sign = index + 1 == b.len();
            let row: Vec<Lit> = a.iter().map(|lit| self.and(*bit, *lit)).collect();
            sum = self.add_signed(&sum, &shifted(&row, index, limit), is_sign, limit);
        }
        sum
    }

    /// Adds and subtracts shifted copies, one for each digit of the constant in
    /// non-adjacent form: at most every other digit is not zero.
    fn multiply_by_constant(&mut self, a: &[Lit], value: i128, limit: usize) -> Vec<Lit> {
        let mut sum = vec![Lit::FALSE];
        let mut rest = value;
        let mut index = 0;
        while rest != 0 && index < limit {
            if rest & 1 == 1 {
                let is_negative = rest & 3 == 3;
                sum = self.add_signed(&sum, &shifted(a, index, limit), is_negative, limit);
                // Halving first keeps the largest number from overflowing.
                rest = (rest >> 1) + i128::from(is_negative);
            } else {
                rest >>= 1;
            }
            index += 1;
        }
        sum
    }

    /// Quotient and remainder of unsigned numbers, for a divisor that is not
    /// zero; else the quotient is all ones and the remainder means nothing.
    /// Long division: the circuit needs about `a.len() * b.len()` full adders.
    pub fn divide_bits(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let mut quotient = vec![Lit::FALSE; a.len()];
        let mut rest: Vec<Lit> = Vec::new();
        for index in (0..a.len()).rev() {
            rest.insert(0, a[index]);
            let len = rest.len().max(b.len());
            let mut divisor = b.to_vec();
            divisor.resize(len, Lit::FALSE);
            rest.resize(len, Lit::FALSE);
            let (difference, fits) = self.sub_with_carry(&rest, &divisor);
            quotient[index] = fits;
            // What is left is less than the divisor and fits its bits again, and
            // it is no more than the bits of the dividend looked at so far.
            rest = self.ite_bits(fits, &difference, &rest);
            rest.truncate(b.len().min(a.len() - index));
        }
        (quotient, rest)
    }

    /// `a` shifted to the left by an unsigned amount, on as many bits as it has.
    pub fn shift_left_bits(&mut self, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
        self.shift_in_stages(a, amount, Lit::FALSE, |bits, by| {
            shifted(bits, by, bits.len())
        })
    }

    /// `a` shifted to the right by an unsigned amount, with `fill` from above.
    pub fn shift_right_bits(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Vec<Lit> {
        self.shift_in_stages(a, amount, fill, |bits, by| {
            let mut moved = bits[by..].to_vec();
            moved.resize(bits.len(), fill);
            moved
        })
    }

    /// A barrel shifter: one row of choices for each bit of the amount that
    /// moves less than the whole word, and one for all the bits that do.
    fn shift_in_stages(
        &mut self,
        a: &[Lit],
        amount: &[Lit],
        fill: Lit,
        shift: impl Fn(&[Lit], usize) -> Vec<Lit>,
    ) -> Vec<Lit> {
        let mut bits = a.to_vec();
        let mut beyond = Vec::new();
        for (stage, lit) in amount.iter().enumerate() {
            let by = 1usize.checked_shl(stage as u32).filter(|by| *by < a.len());
            match by {
                Some(by) => {
                    let moved = shift(&bits, by);
                    bits = self.ite_bits(*lit, &moved, &bits);
                }
                None => beyond.push(*lit),
            }
        }
        let beyond = self.any(&beyond);
        self.ite_bits(beyond, &vec![fill; a.len()], &bits)
    }
}

/// A word with zeros put below it, on no more than `limit` bits.
fn shifted(bits: &[Lit], by: usize, limit: usize) -> Vec<Lit> {
    let zeros = std::iter::repeat_n(Lit::FALSE, by);
    zeros.chain(bits.iter().copied()).take(limit).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    All,
    Any,
}

/// A run of conjunctions, or of disjunctions, not yet built.
struct Chain {
    run: Run,
    lits: Vec<Lit>,
}

impl Default for Chain {
    fn default() -> Chain {
        Chain::starting_with(Lit::FALSE)
    }
}

impl Chain {
    fn starting_with(lit: Lit) -> Chain {
        Chain {
            run: Run::All,
            lits: vec![lit],
        }
    }

    fn push(&mut self, gates: &mut Gates, run: Run, lit: Lit) {
        if self.run != run && self.lits.len() > 1 {
            *self = Chain::starting_with(self.finish(gates));
        }
        if self.lits == [Lit::FALSE] && run == Run::All {
            return;
        }
        if self.lits == [Lit::FALSE] {
            self.lits.clear();
        }
        self.run = run;
        self.lits.push(lit);
    }

    fn finish(&self, gates: &mut Gates) -> Lit {
        match self.run {
            Run::All => gates.all(&self.lits),
            Run::Any => gates.any(&self.lits),
        }
    }
}
