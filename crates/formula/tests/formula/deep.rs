//! Depth is no problem for anything that walks over terms or gates.

use formula::{Blaster, ClauseList, Evaluator, Range, Sort, TermId, Terms, write_smtlib};

const DEPTH: u32 = 100_000;

fn chain(terms: &mut Terms) -> TermId {
    let mut value = terms.new_variable("x", Sort::BitVec(8));
    for index in 0..DEPTH {
        let condition = terms.new_variable("c", Sort::Bool);
        let other =
            terms.new_variable_in("y", Range::from_unsigned(8, 0..=u128::from(index % 7 + 1)));
        value = terms.ite(condition, other, value);
        if index.is_multiple_of(3) {
            value = terms.add(value, other);
        }
    }
    value
}

#[test]
fn a_hundred_thousand_nested_choices() {
    let mut terms = Terms::new();
    let value = chain(&mut terms);
    let zero = terms.constant(8, 0);
    let is_zero = terms.equal(value, zero);
    let mut blaster = Blaster::default();
    let mut clauses = ClauseList::new();
    blaster.assert_true(&terms, is_zero, &mut clauses);
    assert!(clauses.clause_count() > DEPTH as usize);
    let mut evaluator = Evaluator::new(&terms, |_| 0);
    assert!(evaluator.is_true(is_zero));
    let mut reader = blaster.reader(&terms, |_| false);
    assert!(reader.is_true(is_zero));
    let mut text = Vec::new();
    write_smtlib(&terms, &[is_zero], &mut text).unwrap();
    assert!(text.len() > DEPTH as usize);
}

#[test]
fn deep_connectives() {
    let mut terms = Terms::new();
    let mut value = terms.new_variable("b", Sort::Bool);
    for index in 0..DEPTH {
        let other = terms.new_variable("c", Sort::Bool);
        value = match index % 3 {
            0 => terms.xor(value, other),
            1 => terms.or(value, other),
            _ => terms.and(value, other),
        };
    }
    let mut blaster = Blaster::default();
    let mut clauses = ClauseList::new();
    blaster.assert_true(&terms, value, &mut clauses);
    assert!(clauses.variable_count() >= DEPTH);
}
