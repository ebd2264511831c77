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

/// A set of values of one width.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueSet {
    /// In increasing order.
    Few(Rc<[u128]>, u32),
    Many(Range),
}

impl ValueSet {
    pub fn range(&self) -> Range {
        match self {
            ValueSet::Few(values, width) => {
                let mut values = values.iter().map(|value| Range::constant(*width, *value));
                let first = values.next().unwrap_or_else(|| Range::full(*width));
                values.fold(first, |all, one| all.join(&one))
            }
            ValueSet::Many(range) => range.clone(),
        }
    }

    /// Adds another set; returns whether that changes anything.
    pub fn add(&mut self, other: &ValueSet) -> bool {
        let union = match (&*self, other) {
            (ValueSet::Few(a, width), ValueSet::Few(b, _)) => {
                if b.iter().all(|value| a.binary_search(value).is_ok()) {
                    return false;
                }
                let mut all: Vec<u128> = a.iter().chain(b.iter()).copied().collect();
                all.sort_unstable();
                all.dedup();
                if all.len() <= FEW {
                    ValueSet::Few(all.into(), *width)
                } else {
                    ValueSet::Many(self.range().join(&other.range()))
                }
            }
            _ => ValueSet::Many(self.range().join(&other.range())),
        };
        if *self == union {
            return false;
        }
        *self = union;
        true
    }

    /// All values of its width.
    pub fn widen(&mut self) {
        *self = ValueSet::Many(Range::full(self.width()));
    }

    pub fn width(&self) -> u32 {
        match self {
            ValueSet::Few(_, width) => *width,
            ValueSet::Many(range) => range.width(),
        }
    }
}

/// The sets of terms, each computed once.
#[derive(Default)]
pub struct Values {
    known: HashMap<TermId, Option<Rc<[u128]>>>,
}

impl Values {
    /// States the values of a variable.
    pub fn set(&mut self, variable: TermId, values: &ValueSet) {
        if let ValueSet::Few(few, _) = values {
            self.known.insert(variable, Some(few.clone()));
        }
    }

    pub fn of(&mut self, terms: &Terms, id: TermId) -> ValueSet {
        let range = terms.range(id);
        match self.few(terms, id) {
            Some(few) => ValueSet::Few(few, range.width()),
            None => ValueSet::Many(range.clone()),
        }
    }

    /// The values of a bit-vector, if they are few.
    pub fn few(&mut self, terms: &Terms, id: TermId) -> Option<Rc<[u128]>> {
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
                let values = self.compute(terms, top);
                self.known.insert(top, values);
            }
        }
        self.known.get(&id).cloned().flatten()
    }

    fn get(&self, id: TermId) -> Option<Rc<[u128]>> {
        self.known.get(&id).cloned().flatten()
    }

    fn compute(&self, terms: &Terms, id: TermId) -> Option<Rc<[u128]>> {
        let width = match terms.sort(id) {
            Sort::Bool => return None,
            Sort::BitVec(width) => width,
        };
        let mask = if width == 128 {
            u128::MAX
        } else {
            (1 << width) - 1
        };
        let structural = match terms.term(id) {
            Term::Constant(value) => Some(vec![value]),
            Term::Ite(_, a, b) => self.get(a).zip(self.get(b)).map(|(a, b)| {
                let mut all = a.to_vec();
                all.extend_from_slice(&b);
                all
            }),
            Term::BitNot(a) => self.map(a, |value| !value),
            Term::ZeroExtend(a) => self.map(a, |value| value),
            Term::SignExtend(a) => {
                let from = terms.width(a);
                self.map(a, |value| sign_extend(value, from) as u128)
            }
            Term::Extract(a, low) => self.map(a, |value| value >> low),
            Term::Concat(high, low) => {
                let shift = terms.width(low);
                self.pairs(high, low, |high, low| Some(high << shift | low))
            }
            Term::Binary(op, a, b) => self.pairs(a, b, |a, b| combine(op, a, b, width)),
            _ => None,
        };
        let mut values = match structural {
            Some(values) => values,
            None => enumerate(terms.range(id))?,
        };
        for value in &mut values {
            *value &= mask;
        }
        let range = terms.range(id);
        values.retain(|value| range.contains(*value));
        values.sort_unstable();
        values.dedup();
        (values.len() <= FEW).then(|| values.into())
    }

    fn map(&self, a: TermId, f: impl Fn(u128) -> u128) -> Option<Vec<u128>> {
        Some(self.get(a)?.iter().map(|value| f(*value)).collect())
    }

    fn pairs(
        &self,
        a: TermId,
        b: TermId,
        f: impl Fn(u128, u128) -> Option<u128>,
    ) -> Option<Vec<u128>> {
        let (a, b) = (self.get(a)?, self.get(b)?);
        if a.len() * b.len() > PAIRS {
            return None;
        }
        let mut all = Vec::with_capacity(a.len() * b.len());
        for x in a.iter() {
            for y in b.iter() {
                all.push(f(*x, *y)?);
            }
        }
        Some(all)
    }
}

fn enumerate(range: &Range) -> Option<Vec<u128>> {
    let (low, high) = (*range.unsigned().start(), *range.unsigned().end());
    if high - low < 4 * FEW as u128 {
        return Some((low..=high).filter(|value| range.contains(*value)).collect());
    }
    // Few numbers around zero, some of them negative.
    let (low, high) = (*range.signed().start(), *range.signed().end());
    if high - low < 4 * FEW as i128 {
        let mask = if range.width() == 128 {
            u128::MAX
        } else {
            (1 << range.width()) - 1
        };
        let values = (low..=high).map(|value| value as u128 & mask);
        return Some(values.filter(|value| range.contains(*value)).collect());
    }
    None
}

fn sign_extend(value: u128, width: u32) -> i128 {
    let shift = 128 - width;
    (value << shift) as i128 >> shift
}

/// The result of an operation on numbers, where it is easy.
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
        BinaryOp::UnsignedDiv => a.checked_div(b)?,
        BinaryOp::UnsignedRem => a.checked_rem(b)?,
        BinaryOp::SignedDiv => sign_extend(a, width).checked_div(sign_extend(b, width))? as u128,
        BinaryOp::SignedRem => sign_extend(a, width).checked_rem(sign_extend(b, width))? as u128,
        _ => return None,
    })
}
