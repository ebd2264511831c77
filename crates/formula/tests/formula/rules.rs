//! Rewrites that must happen, as pairs of equal terms.

use formula::{Range, Sort, TermId, Terms};

/// Two Booleans, two words of 32 bits, a byte.
struct Setting {
    terms: Terms,
    c: TermId,
    d: TermId,
    x: TermId,
    y: TermId,
    b: TermId,
}

impl Setting {
    fn new() -> Setting {
        let mut terms = Terms::new();
        Setting {
            c: terms.new_variable("c", Sort::Bool),
            d: terms.new_variable("d", Sort::Bool),
            x: terms.new_variable("x", Sort::BitVec(32)),
            y: terms.new_variable("y", Sort::BitVec(32)),
            b: terms.new_variable("b", Sort::BitVec(8)),
            terms,
        }
    }

    fn number(&mut self, value: u128) -> TermId {
        self.terms.constant(32, value)
    }
}

#[test]
fn conjunctions() {
    let Setting {
        mut terms, c, d, ..
    } = Setting::new();
    let not_c = terms.not(c);
    let (yes, no) = (terms.bool(true), terms.bool(false));
    assert_eq!(terms.and(c, not_c), no);
    assert_eq!(terms.and(c, yes), c);
    let c_or_d = terms.or(c, d);
    assert_eq!(terms.and(c, c_or_d), c);
    let c_and_d = terms.and(c, d);
    assert_eq!(terms.or(c, c_and_d), c);
    let rest = terms.and(not_c, c_or_d);
    let expected = terms.and(not_c, d);
    assert_eq!(rest, expected);
    let nested = terms.all(&[d, c_and_d, c]);
    assert_eq!(nested, c_and_d);
    assert_eq!(terms.and(d, c), c_and_d);
    assert_eq!(terms.implies(c_and_d, c), yes);
}

#[test]
fn choices() {
    let mut s = Setting::new();
    let (one, two, three) = (s.number(1), s.number(2), s.number(3));
    let Setting {
        mut terms,
        c,
        d,
        x,
        y,
        ..
    } = s;
    assert_eq!(terms.ite(c, x, x), x);
    let choice = terms.ite(c, x, y);
    assert_eq!(terms.ite(c, choice, y), choice);
    assert_eq!(terms.ite(c, x, choice), choice);
    let not_c = terms.not(c);
    assert_eq!(terms.ite(not_c, y, x), choice);
    // Chains over constants, compared with constants.
    let inner = terms.ite(d, two, three);
    let chain = terms.ite(c, one, inner);
    assert_eq!(terms.equal(chain, one), c);
    let is_two = terms.equal(chain, two);
    let not_c_and_d = terms.and(not_c, d);
    assert_eq!(is_two, not_c_and_d);
    let four = terms.constant(32, 4);
    let no = terms.bool(false);
    assert_eq!(terms.equal(chain, four), no);
    let less = terms.unsigned_less(chain, three);
    let c_or_d = terms.or(c, d);
    assert_eq!(less, c_or_d);
    // Two ways to one branch.
    let either = terms.ite(d, x, y);
    let either = terms.ite(c, x, either);
    assert_eq!(either, terms.ite(c_or_d, x, y));
}

#[test]
fn arithmetic() {
    let mut s = Setting::new();
    let (zero, one, five, eight) = (s.number(0), s.number(1), s.number(5), s.number(8));
    let Setting {
        mut terms, x, y, ..
    } = s;
    let sum = terms.add(x, y);
    assert_eq!(terms.add(y, x), sum);
    assert_eq!(terms.sub(sum, y), x);
    assert_eq!(terms.sub(x, x), zero);
    let more = terms.add(x, five);
    let less = terms.sub(more, five);
    assert_eq!(less, x);
    assert_eq!(terms.mul(x, one), x);
    let negated = terms.neg(x);
    assert_eq!(terms.neg(negated), x);
    assert_eq!(terms.add(sum, negated), terms.sub(sum, x));
    // Byte by byte and back again.
    let high = terms.extract(x, 31, 8);
    let low = terms.extract(x, 7, 0);
    assert_eq!(terms.concat(high, low), x);
    let shifted = terms.mul(x, eight);
    let three = terms.constant(32, 3);
    assert_eq!(terms.shift_left(x, three), shifted);
    // Comparisons see through additions of constants.
    let equal = terms.equal(more, eight);
    let expected = terms.equal(x, three);
    assert_eq!(equal, expected);
}

#[test]
fn ranges_decide() {
    let mut s = Setting::new();
    let (eight, thousand) = (s.number(8), s.number(1000));
    let Setting {
        mut terms, b, x, ..
    } = s;
    let wide = terms.zero_extend(b, 32);
    let (yes, no) = (terms.bool(true), terms.bool(false));
    assert_eq!(terms.unsigned_less(wide, thousand), yes);
    assert_eq!(terms.signed_less(thousand, wide), no);
    assert_eq!(terms.equal(wide, thousand), no);
    let low = terms.extract(wide, 7, 0);
    assert_eq!(low, b);
    let i = terms.new_variable_in("i", Range::from_unsigned(32, 0..=7));
    assert_eq!(terms.unsigned_rem(i, eight), i);
    let zero = terms.constant(32, 0);
    assert_eq!(terms.unsigned_div(i, eight), zero);
    let mask = terms.constant(32, 15);
    assert_eq!(terms.bit_and(i, mask), i);
    // The signed order of what is not negative is the unsigned one.
    let signed = terms.signed_less(wide, i);
    assert_eq!(terms.unsigned_less(wide, i), signed);
    let masked = terms.bit_and(x, mask);
    assert_eq!(*terms.range(masked).unsigned().end(), 15);
}

#[test]
fn bytes_are_joined() {
    let Setting { mut terms, b, .. } = Setting::new();
    let other = terms.new_variable("o", Sort::BitVec(8));
    let (low, high) = (terms.zero_extend(b, 32), terms.zero_extend(other, 32));
    let eight = terms.constant(32, 8);
    let high = terms.shift_left(high, eight);
    let word = terms.bit_or(high, low);
    let both = terms.concat(other, b);
    assert_eq!(word, terms.zero_extend(both, 32));
    assert_eq!(terms.extract(word, 15, 8), other);
}

#[test]
fn without_fuel_nothing_is_rewritten() {
    let mut terms = Terms::with_fuel(1);
    let x = terms.new_variable("x", Sort::BitVec(8));
    let zero = terms.constant(8, 0);
    assert_eq!(terms.add(x, zero), x);
    assert_eq!(terms.fuel(), 0);
    let sum = terms.add(x, zero);
    assert_ne!(sum, x);
    assert_eq!(terms.add(x, zero), sum);
}
