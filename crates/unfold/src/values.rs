//! Which values a term can take, as small sets where possible.
//!
//! Sets are supersets of what is possible; they resolve pointers and indices,
//! and say how many bits a cell needs. A term's set follows its structure, with
//! no regard to which conditions hold together.

use formula::{BinaryOp, Range, Sort, Term, TermId, Terms};
use std::collections::HashMap;
use std::rc::Rc;

/// Sets larger than this become ranges.
const FEW: usize = 256;
/// Pairs to look at when combining two sets.
const PAIRS: usize = 4096;

/// What addresses look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How many bits of an address are the offset.
    pub offset_bits: u32,
    /// How many it has in all.
    pub word_bits: u32,
}

impl Layout {
    pub(crate) fn of(program: &ir::Program) -> Layout {
        Layout {
            offset_bits: crate::offset_bits(program),
            word_bits: 8 * program.target.pointer_bytes as u32,
        }
    }

    fn is_wide(self, value: u128) -> bool {
        self.word_bits < 128 && value >> self.word_bits != 0
    }

    /// The addresses that a value may be or consist of, as objects and offsets: a
    /// value of several words may have one in each.
    fn addresses(self, value: u128) -> impl Iterator<Item = (u32, u64)> {
        let whole = self.is_wide(value).then_some(value);
        let count = 128 / self.word_bits;
        let words = (0..count).map(move |at| value >> (at * self.word_bits) & mask(self.word_bits));
        whole.into_iter().chain(words).filter_map(move |address| {
            let object = object_of(address, self.offset_bits);
            (object != 0).then(|| (object, offset_of(address, self.offset_bits)))
        })
    }
}

/// Addresses of an object: those whose offset leaves this rest when divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Places {
    pub object: u32,
    pub step: u32,
    pub rest: u32,
}

/// What is known about a set of values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reach {
    /// Single values, in increasing order.
    pub few: Rc<[u128]>,
    /// Addresses within objects, in increasing order.
    pub within: Rc<[Places]>,
    /// If not 0: it may also be any multiple of this that is no address, out of an
    /// input or out of more computation than is looked at here.
    pub open: u32,
}

impl Reach {
    fn open(step: u32) -> Reach {
        Reach {
            few: Rc::from([]),
            within: Rc::from([]),
            open: step,
        }
    }

    /// The values, if all of them are known one by one.
    pub(crate) fn exact(&self) -> Option<&Rc<[u128]>> {
        (self.within.is_empty() && self.open == 0).then_some(&self.few)
    }

    fn union(&self, other: &Reach, layout: Layout) -> Reach {
        let few = self.few.iter().chain(other.few.iter()).copied().collect();
        let within = self.within.iter().chain(other.within.iter()).copied();
        Reach::of(few, within.collect(), gcd(self.open, other.open), layout)
    }

    fn of(mut few: Vec<u128>, mut within: Vec<Places>, mut open: u32, layout: Layout) -> Reach {
        few.sort_unstable();
        few.dedup();
        if few.len() > FEW {
            for value in few.drain(..) {
                let before = within.len();
                within.extend(layout.addresses(value).map(|(object, offset)| Places {
                    object,
                    step: low_step(offset),
                    rest: 0,
                }));
                if within.len() == before {
                    open = gcd(open, low_step(offset_of(value, layout.offset_bits)));
                } else if layout.is_wide(value) {
                    // The other parts of it may be any numbers.
                    open = 1;
                }
            }
        }
        // What is among the open values anyway need not be told one by one. Otherwise
        // values would grow for ever where there is no bound on turns.
        if open != 0 {
            few.retain(|value| {
                layout.addresses(*value).next().is_some() || value % u128::from(open) != 0
            });
        }
        within.sort_unstable();
        within.dedup();
        // Many patterns of one object become one.
        if within.len() > 16 {
            let mut joined: Vec<Places> = Vec::new();
            for places in within {
                match joined.last_mut() {
                    Some(last) if last.object == places.object => *last = last.join(places),
                    _ => joined.push(places),
                }
            }
            within = joined;
        }
        Reach {
            few: few.into(),
            within: within.into(),
            open,
        }
    }

    /// Its addresses after any multiple of a step has been added.
    fn spread(&self, by: u32, layout: Layout) -> Vec<Places> {
        let mut found: Vec<Places> = Vec::new();
        for value in self.few.iter() {
            found.extend(layout.addresses(*value).map(|(object, offset)| Places {
                object,
                step: by,
                rest: (offset % u64::from(by)) as u32,
            }));
        }
        found.extend(self.within.iter().map(|places| places.coarser(by)));
        found
    }

    /// Its address patterns after one of some numbers has been added.
    fn shifted(&self, numbers: &[u128]) -> Vec<Places> {
        let mut found = Vec::new();
        for places in self.within.iter() {
            for number in numbers {
                let step = u128::from(places.step);
                // Negative numbers are large ones; only powers of two survive that.
                let is_small = *number < 1 << 31;
                let places = if is_small || places.step.is_power_of_two() {
                    Places {
                        rest: ((u128::from(places.rest) + number % step) % step) as u32,
                        ..*places
                    }
                } else {
                    places.coarser(1)
                };
                found.push(places);
            }
        }
        found
    }
}

impl Places {
    /// The finest pattern that has all of some addresses of one object.
    pub(crate) fn around(object: u32, addresses: &[u128], bits: u32) -> Places {
        let mut offsets = addresses.iter().map(|value| offset_of(*value, bits));
        let first = offsets.next().unwrap_or(0);
        let step = offsets.fold(0, |step, offset| {
            gcd(step, u32::try_from(offset.abs_diff(first)).unwrap_or(1))
        });
        let step = step.max(1);
        Places {
            object,
            step,
            rest: (first % u64::from(step)) as u32,
        }
    }

    fn coarser(self, by: u32) -> Places {
        let step = gcd(self.step, by);
        Places {
            object: self.object,
            step,
            rest: self.rest % step,
        }
    }

    /// The finest pattern that has both.
    pub(crate) fn join(self, other: Places) -> Places {
        let step = gcd(gcd(self.step, other.step), self.rest.abs_diff(other.rest));
        Places {
            object: self.object,
            step,
            rest: self.rest % step,
        }
    }
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The largest power of two that divides an offset, within reason.
fn low_step(offset: u64) -> u32 {
    1 << offset.trailing_zeros().min(4)
}

fn object_of(value: u128, bits: u32) -> u32 {
    u32::try_from(value >> bits).unwrap_or(0)
}

fn offset_of(value: u128, bits: u32) -> u64 {
    (value & ((1 << bits) - 1)) as u64
}

/// The values of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueSet {
    pub reach: Reach,
    range: Range,
}

impl ValueSet {
    pub(crate) fn range(&self) -> &Range {
        &self.range
    }

    /// Adds another set; returns whether that changes anything.
    pub(crate) fn add(&mut self, other: &ValueSet, layout: Layout) -> bool {
        if self == other {
            return false;
        }
        let width = self.range.width();
        let is_known = |value: &u128| self.reach.few.binary_search(value).is_ok();
        let range = match other.reach.exact() {
            Some(few) => {
                if few.iter().all(is_known) {
                    return false;
                }
                // Values one by one keep the range tighter than the other's would.
                few.iter().fold(self.range.clone(), |range, value| {
                    range.join(&Range::constant(width, *value))
                })
            }
            None => self.range.join(&other.range),
        };
        let union = ValueSet {
            reach: self.reach.union(&other.reach, layout),
            range,
        };
        if *self == union {
            return false;
        }
        *self = union;
        true
    }

    /// All values of its width that are no addresses, besides those known, as far as
    /// bits go that have not changed: of a word that is a tag and an index, only the tag
    /// grows for ever. `before` is what its range was a pass ago.
    pub(crate) fn widen(&mut self, before: &Range) {
        self.reach.open = 1;
        let (zeros, ones) = (self.range.known_zeros(), self.range.known_ones());
        let changed = before.known_zeros() & !zeros | before.known_ones() & !ones;
        let stable = match changed.trailing_zeros() {
            128 => u128::MAX,
            lowest => mask(lowest),
        };
        self.range = Range::from_bits(self.range.width(), zeros & stable, ones & stable);
    }
}

/// The sets of terms, each computed once.
pub(crate) struct Values {
    known: HashMap<TermId, Reach>,
    layout: Layout,
}

impl Values {
    pub(crate) fn new(layout: Layout) -> Values {
        Values {
            known: HashMap::new(),
            layout,
        }
    }

    /// States the values of a variable.
    pub(crate) fn set(&mut self, variable: TermId, values: &ValueSet) {
        self.known.insert(variable, values.reach.clone());
    }

    pub(crate) fn of(&mut self, terms: &Terms, id: TermId) -> ValueSet {
        let reach = self.reach(terms, id);
        let range = match reach.exact() {
            Some(few) if few.len() <= 4 => {
                let width = terms.width(id);
                let mut ranges = few.iter().map(|value| Range::constant(width, *value));
                match ranges.next() {
                    Some(first) => ranges.fold(first, |all, one| all.join(&one)),
                    None => terms.range(id).clone(),
                }
            }
            _ => terms.range(id).clone(),
        };
        ValueSet { reach, range }
    }

    /// The values of a bit-vector, if all are known.
    pub(crate) fn few(&mut self, terms: &Terms, id: TermId) -> Option<Rc<[u128]>> {
        self.reach(terms, id).exact().cloned()
    }

    pub(crate) fn reach(&mut self, terms: &Terms, id: TermId) -> Reach {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        // Operands first, without recursion: terms can be deep.
        let mut stack = vec![id];
        while let Some(top) = stack.pop() {
            if self.known.contains_key(&top) {
                continue;
            }
            let before = stack.len();
            stack.push(top);
            terms.for_each_operand(top, |operand| {
                let is_word = matches!(terms.sort(operand), Sort::BitVec(_));
                if is_word && !self.known.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() == before + 1 {
                stack.pop();
                let reach = self.compute(terms, top);
                self.known.insert(top, reach);
            }
        }
        self.get(id)
    }

    fn get(&self, id: TermId) -> Reach {
        self.known
            .get(&id)
            .cloned()
            .unwrap_or_else(|| Reach::open(1))
    }

    fn compute(&self, terms: &Terms, id: TermId) -> Reach {
        let Sort::BitVec(width) = terms.sort(id) else {
            return Reach::open(1);
        };
        let range = terms.range(id);
        let reach = match terms.term(id) {
            Term::Constant(value) => Reach::of(vec![value], Vec::new(), 0, self.layout),
            Term::Ite(_, a, b) => self.get(a).union(&self.get(b), self.layout),
            Term::BitNot(a) => self.map(a, width, |value| !value),
            Term::ZeroExtend(a) => self.map(a, width, |value| value),
            Term::SignExtend(a) => {
                let from = terms.width(a);
                self.map(a, width, |value| sign_extend(value, from) as u128)
            }
            Term::Extract(a, low) => self.map(a, width, |value| value >> low),
            Term::Concat(high, low) => {
                let shift = terms.width(low);
                let (high, low) = (self.get(high), self.get(low));
                let few = pairs(&high, &low, width, |high, low| Some(high << shift | low));
                let is_exact = high.exact().and(low.exact()).is_some();
                // A product with a power of two ends in zeros.
                let step = match low.exact().map(|low| low.as_ref()) {
                    Some([0]) if shift < 16 => high.open.saturating_mul(1 << shift).max(1),
                    _ => 1,
                };
                match few {
                    Some(few) if is_exact => Reach::of(few, Vec::new(), 0, self.layout),
                    few => {
                        let mut within = high.spread(1, self.layout);
                        within.extend(low.spread(1, self.layout));
                        let step = few.as_ref().map_or(1, |_| step);
                        Reach::of(few.unwrap_or_default(), within, step, self.layout)
                    }
                }
            }
            Term::Binary(op, a, b) => self.binary(op, &self.get(a), &self.get(b), width),
            _ => Reach::open(low_step_of(range)),
        };
        // What the range excludes is impossible; and a small range says it all.
        if reach.exact().is_none()
            && reach.within.is_empty()
            && let Some(values) = enumerate(range)
            && values.len() <= FEW
        {
            return Reach::of(values, Vec::new(), 0, self.layout);
        }
        if reach.few.iter().all(|value| range.contains(*value)) {
            return reach;
        }
        let few = reach.few.iter().copied().filter(|v| range.contains(*v));
        Reach {
            few: few.collect(),
            ..reach
        }
    }

    /// Sums of addresses and numbers that are not known one by one stay within the
    /// objects, if they mean anything at all.
    fn binary(&self, op: BinaryOp, left: &Reach, right: &Reach, width: u32) -> Reach {
        let layout = self.layout;
        let Some(few) = pairs(left, right, width, |a, b| combine(op, a, b, width)) else {
            // Too many: as if both were anything.
            let step = gcd(step_of(left), step_of(right)).max(1);
            let mut within = left.spread(step, layout);
            within.extend(right.spread(step, layout));
            return Reach::of(Vec::new(), within, step, layout);
        };
        if left.exact().and(right.exact()).is_some() {
            return Reach::of(few, Vec::new(), 0, layout);
        }
        let mut within = Vec::new();
        let open = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                if right.open != 0 {
                    within.extend(left.spread(right.open, layout));
                }
                let shifts: Vec<u128> = match op {
                    BinaryOp::Add => right.few.to_vec(),
                    _ => right
                        .few
                        .iter()
                        .map(|v| v.wrapping_neg() & mask(width))
                        .collect(),
                };
                within.extend(left.shifted(&shifts));
                if op == BinaryOp::Add {
                    if left.open != 0 {
                        within.extend(right.spread(left.open, layout));
                    }
                    within.extend(right.shifted(&left.few));
                }
                match (left.open, right.open) {
                    (0, 0) if op == BinaryOp::Sub => 1,
                    (0, 0) => 0,
                    _ => gcd(step_of(left), step_of(right)).max(1),
                }
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                within.extend(left.spread(1, layout));
                within.extend(right.spread(1, layout));
                1
            }
            BinaryOp::Mul => {
                let product = match (left.few.as_ref(), right.few.as_ref()) {
                    ([factor], []) => u128::from(right.open) * factor,
                    ([], [factor]) => u128::from(left.open) * factor,
                    _ => 1,
                };
                u32::try_from(product).unwrap_or(1).max(1)
            }
            BinaryOp::ShiftLeft => match right.few.as_ref() {
                [amount] if *amount < 16 => u32::try_from(u64::from(left.open) << amount)
                    .unwrap_or(1)
                    .max(1),
                _ => 1,
            },
            _ => 1,
        };
        if width > layout.word_bits && matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            // One of its words takes the place of another.
            within.extend(left.spread(1, layout));
        }
        Reach::of(few, within, open, layout)
    }

    fn map(&self, a: TermId, width: u32, f: impl Fn(u128) -> u128) -> Reach {
        let reach = self.get(a);
        let few: Vec<u128> = reach
            .few
            .iter()
            .map(|value| f(*value) & mask(width))
            .collect();
        // Extensions keep multiples; other maps of open sets are not worth a thought.
        let open = if reach.open == 0 || f(0) == 0 && f(8) == 8 {
            reach.open
        } else {
            1
        };
        Reach::of(few, reach.within.to_vec(), open, self.layout)
    }
}

/// Combines all pairs of known values, if they are not too many. Pairs without a
/// result cannot be: the thread stops before it has one.
fn pairs(
    a: &Reach,
    b: &Reach,
    width: u32,
    f: impl Fn(u128, u128) -> Option<u128>,
) -> Option<Vec<u128>> {
    if a.few.len() * b.few.len() > PAIRS {
        return None;
    }
    let mut all = Vec::with_capacity(a.few.len() * b.few.len());
    for x in a.few.iter() {
        for y in b.few.iter() {
            all.extend(f(*x, *y).map(|value| value & mask(width)));
        }
    }
    Some(all)
}

/// All numbers in a set are multiples of this.
fn step_of(reach: &Reach) -> u32 {
    let of_few = reach.few.iter().map(|value| match *value {
        0 => 0,
        value => 1 << value.trailing_zeros().min(12),
    });
    of_few.fold(reach.open, gcd).max(1)
}

fn low_step_of(range: &Range) -> u32 {
    1 << range.known_zeros().trailing_ones().min(12)
}

fn mask(width: u32) -> u128 {
    if width == 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

fn enumerate(range: &Range) -> Option<Vec<u128>> {
    let (low, high) = (*range.unsigned().start(), *range.unsigned().end());
    if high - low < 4 * FEW as u128 {
        return Some(
            (low..=high)
                .filter(|value| range.contains(*value))
                .collect(),
        );
    }
    // Few numbers around zero, some of them negative.
    let (low, high) = (*range.signed().start(), *range.signed().end());
    if high - low < 4 * FEW as i128 {
        let values = (low..=high).map(|value| value as u128 & mask(range.width()));
        return Some(values.filter(|value| range.contains(*value)).collect());
    }
    None
}

fn sign_extend(value: u128, width: u32) -> i128 {
    let shift = 128 - width;
    (value << shift) as i128 >> shift
}

/// The result of an operation on numbers, if it has one.
fn combine(op: BinaryOp, a: u128, b: u128, width: u32) -> Option<u128> {
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::ShiftLeft if b < u128::from(width) => a << b,
        BinaryOp::ShiftRight if b < u128::from(width) => a >> b,
        BinaryOp::ShiftRightSigned if b < u128::from(width) => (sign_extend(a, width) >> b) as u128,
        BinaryOp::UnsignedDiv => a.checked_div(b)?,
        BinaryOp::UnsignedRem => a.checked_rem(b)?,
        BinaryOp::SignedDiv => sign_extend(a, width).checked_div(sign_extend(b, width))? as u128,
        BinaryOp::SignedRem => sign_extend(a, width).checked_rem(sign_extend(b, width))? as u128,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightSigned => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::Evaluator;

    /// Offsets of 4 bits in words of 8 leave 15 objects.
    const OFFSET_BITS: u32 = 4;
    const WIDTH: u32 = 8;
    const LAYOUT: Layout = Layout {
        offset_bits: OFFSET_BITS,
        word_bits: WIDTH,
    };
    const OPS: [BinaryOp; 13] = BinaryOp::ALL;

    fn is_covered(reach: &Reach, value: u128) -> bool {
        let (object, offset) = (object_of(value, OFFSET_BITS), offset_of(value, OFFSET_BITS));
        reach.few.contains(&value)
            || reach.open != 0
            || reach.within.iter().any(|places| {
                places.object == object && offset % u64::from(places.step) == u64::from(places.rest)
            })
    }

    /// Whether an operation has no result, so that the thread stops before it.
    fn stops(op: BinaryOp, a: u128, b: u128) -> bool {
        combine(op, a, b, WIDTH).is_none()
    }

    /// Numbers that look random and are the same every time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) as usize % limit
        }
    }

    #[test]
    fn every_value_of_a_term_is_in_its_set() {
        let mut numbers = Numbers(1);
        for _ in 0..300 {
            let mut terms = Terms::new();
            let mut values = Values::new(LAYOUT);
            let wide = terms.new_variable("wide", Sort::BitVec(WIDTH));
            let narrow = terms.new_variable_in("narrow", Range::from_unsigned(WIDTH, 0..=2));
            let choice = terms.new_variable("choice", Sort::Bool);
            let mut pool = vec![wide, narrow];
            for value in [0, 1, 2, 0x10, 0x24] {
                pool.push(terms.constant(WIDTH, value));
            }
            let mut operations = Vec::new();
            for _ in 0..6 {
                let (a, b) = (
                    pool[numbers.below(pool.len())],
                    pool[numbers.below(pool.len())],
                );
                pool.push(match numbers.below(4) {
                    0 => terms.ite(choice, a, b),
                    _ => {
                        let op = OPS[numbers.below(OPS.len())];
                        operations.push((op, a, b));
                        terms.binary(op, a, b)
                    }
                });
            }
            let inputs: Vec<_> = terms.variables().map(|(id, _)| id).collect();
            for assignment in 0..1u128 << (WIDTH + 3) {
                let parts = [assignment & 0xff, assignment >> 8 & 3, assignment >> 10 & 1];
                if parts[1] == 3 {
                    continue;
                }
                let value_of = |id| parts[inputs.iter().position(|i| *i == id).unwrap_or(0)];
                let mut evaluator = Evaluator::new(&terms, value_of);
                let is_run = operations
                    .iter()
                    .all(|(op, a, b)| !stops(*op, evaluator.value(*a), evaluator.value(*b)));
                for term in &pool {
                    let value = evaluator.value(*term);
                    let reach = values.reach(&terms, *term);
                    assert!(
                        !is_run || is_covered(&reach, value),
                        "{value} not in {reach:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_index_keeps_the_step_of_its_array() {
        let mut terms = Terms::new();
        let mut values = Values::new(Layout {
            offset_bits: 32,
            word_bits: 64,
        });
        let index = terms.new_variable("index", Sort::BitVec(64));
        let (base, size) = (terms.constant(64, 5 << 32 | 8), terms.constant(64, 12));
        let scaled = terms.mul(index, size);
        let address = terms.add(base, scaled);
        let reach = values.reach(&terms, address);
        let places = Places {
            object: 5,
            step: 12,
            rest: 8,
        };
        assert_eq!(*reach.within, [places]);
    }

    /// However many words a value has, the addresses in them are not lost.
    #[test]
    fn addresses_in_wide_values_are_found_again() {
        let mut terms = Terms::new();
        let mut values = Values::new(LAYOUT);
        let tag = terms.new_variable("tag", Sort::BitVec(WIDTH));
        let mut pointer = terms.constant(WIDTH, 0x10);
        for number in 1..15u128 {
            for offset in 0..16 {
                let choice = terms.new_variable("choice", Sort::Bool);
                let other = terms.constant(WIDTH, number << OFFSET_BITS | offset);
                pointer = terms.ite(choice, other, pointer);
            }
        }
        let double = terms.concat(pointer, pointer);
        let tagged = terms.concat(pointer, tag);
        let set = values.of(&terms, tagged);
        let cell = terms.new_variable("cell", Sort::BitVec(2 * WIDTH));
        values.set(cell, &set);
        let set = values.of(&terms, double);
        let other = terms.new_variable("other", Sort::BitVec(2 * WIDTH));
        values.set(other, &set);
        let eight = terms.constant(2 * WIDTH, WIDTH.into());
        let shifted = terms.binary(BinaryOp::ShiftRight, cell, eight);
        let parts = [
            terms.extract(cell, 2 * WIDTH - 1, WIDTH),
            terms.extract(shifted, WIDTH - 1, 0),
            terms.extract(other, WIDTH - 1, 0),
            terms.extract(other, 2 * WIDTH - 1, WIDTH),
        ];
        for part in parts {
            let reach = values.reach(&terms, part);
            for number in 1..15 {
                let is_there = reach.within.iter().any(|places| places.object == number)
                    || reach.few.contains(&(u128::from(number) << OFFSET_BITS));
                assert!(is_there, "object {number} is not in {reach:?}");
            }
        }
    }
}
