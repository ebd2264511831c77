//! Terms with other terms in place of some of their parts.

use crate::terms::{Sort, Term, TermId, Terms};
use std::collections::HashMap;

impl Terms {
    /// The term with each key replaced by its value, which has the same sort.
    /// Replacements are not looked into again.
    pub fn substitute(&mut self, term: TermId, replaced: &HashMap<TermId, TermId>) -> TermId {
        let mut done = replaced.clone();
        // Terms can nest deeper than a stack of calls.
        let mut open = vec![term];
        while let Some(&id) = open.last() {
            if done.contains_key(&id) {
                open.pop();
                continue;
            }
            let before = open.len();
            self.for_each_operand(id, |operand| {
                if !done.contains_key(&operand) {
                    open.push(operand);
                }
            });
            if open.len() == before {
                open.pop();
                let rebuilt = self.rebuild(id, &done);
                done.insert(id, rebuilt);
            }
        }
        done[&term]
    }

    /// A term whose operands are all known.
    fn rebuild(&mut self, id: TermId, known: &HashMap<TermId, TermId>) -> TermId {
        let width = match self.sort(id) {
            Sort::Bool => 0,
            Sort::BitVec(width) => width,
        };
        let of = |operand: TermId| known[&operand];
        match self.term(id) {
            Term::Bool(_) | Term::Constant(_) | Term::Variable(_) => id,
            Term::Not(a) => self.not(of(a)),
            Term::And(list) => {
                let list: Vec<TermId> = self.list(list).iter().map(|a| of(*a)).collect();
                self.all(&list)
            }
            Term::Xor(a, b) => self.xor(of(a), of(b)),
            Term::Ite(condition, a, b) => self.ite(of(condition), of(a), of(b)),
            Term::Equal(a, b) => self.equal(of(a), of(b)),
            Term::UnsignedLess(a, b) => self.unsigned_less(of(a), of(b)),
            Term::SignedLess(a, b) => self.signed_less(of(a), of(b)),
            Term::IsOne(a) => self.is_one(of(a)),
            Term::BitNot(a) => self.bit_not(of(a)),
            Term::Binary(op, a, b) => self.binary(op, of(a), of(b)),
            Term::Concat(high, low) => self.concat(of(high), of(low)),
            Term::Extract(a, low) => self.extract(of(a), low + width - 1, low),
            Term::ZeroExtend(a) => self.zero_extend(of(a), width),
            Term::SignExtend(a) => self.sign_extend(of(a), width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluator;

    #[test]
    fn means_what_it_meant_with_the_value_in_place() {
        let mut terms = Terms::new();
        let a = terms.new_variable("a", Sort::BitVec(4));
        let b = terms.new_variable("b", Sort::BitVec(4));
        let less = terms.unsigned_less(a, b);
        let sum = terms.add(a, b);
        let wide = terms.sign_extend(sum, 8);
        let both = terms.concat(b, a);
        let choice = terms.ite(less, wide, both);
        let low = terms.extract(choice, 5, 2);
        let is_a = terms.equal(low, a);
        let is_odd = terms.extract(b, 0, 0);
        let is_odd = terms.is_one(is_odd);
        let whole = terms.xor(is_a, is_odd);
        for value in 0..16 {
            let constant = terms.constant(4, value);
            let replaced = HashMap::from([(b, constant)]);
            let narrowed = terms.substitute(whole, &replaced);
            for other in 0..16 {
                let is_a = |id| matches!(terms.term(a), Term::Variable(own) if own == id);
                let assigned = |id| if is_a(id) { other } else { value };
                let mut before = Evaluator::new(&terms, assigned);
                let mut after = Evaluator::new(&terms, |id| {
                    assert!(is_a(id), "nothing else should be left");
                    other
                });
                assert_eq!(before.is_true(whole), after.is_true(narrowed));
            }
        }
    }
}
