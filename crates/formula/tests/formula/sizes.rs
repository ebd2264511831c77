//! How many variables and clauses things cost, counted by hand.

use formula::{Blaster, ClauseList, Cnf, Gates, Lit, Mode, Options, Polarity, Range, Sort};
use formula::{TermId, Terms};

fn size_of(clauses: &ClauseList) -> (usize, usize) {
    (clauses.variable_count() as usize, clauses.clause_count())
}

/// Variables and clauses for all bits of a term, in both polarities.
fn size_of_bits(terms: &Terms, id: TermId) -> (usize, usize) {
    let mut blaster = Blaster::default();
    let mut clauses = ClauseList::new();
    for lit in blaster.bits(terms, id) {
        if !lit.is_constant() {
            let cnf = &mut blaster.cnf;
            cnf.literal(&blaster.gates, lit, Polarity::Both, &mut clauses);
        }
    }
    size_of(&clauses)
}

fn size_of_assertion(terms: &Terms, id: TermId, mode: Mode) -> (usize, usize) {
    let mut blaster = Blaster::new(Options {
        mode,
        ..Options::default()
    });
    let mut clauses = ClauseList::new();
    blaster.assert_true(terms, id, &mut clauses);
    size_of(&clauses)
}

fn two(terms: &mut Terms, range: Range) -> (TermId, TermId) {
    let x = terms.new_variable_in("x", range.clone());
    let y = terms.new_variable_in("y", range);
    (x, y)
}

#[test]
fn adder() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms, Range::full(4));
    let sum = terms.add(x, y);
    // 8 inputs, 4 sums, 3 carries. The first sum is a xor (4 clauses) and the
    // first carry an and (3); then 3 parities (8) and 2 majorities (6). The
    // carry out of the last bit is not mentioned.
    assert_eq!(
        size_of_bits(&terms, sum),
        (8 + 4 + 3, 4 + 3 + 3 * 8 + 2 * 6)
    );
}

#[test]
fn adder_at_32_bits() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms, Range::full(32));
    let sum = terms.add(x, y);
    let expected = (64 + 32 + 31, 4 + 3 + 31 * 8 + 30 * 6);
    assert_eq!(size_of_bits(&terms, sum), expected);
}

#[test]
fn narrow_adder() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms, Range::from_signed(32, -4..=3));
    let sum = terms.add(x, y);
    assert_eq!(terms.range(sum).signed(), -8..=6);
    // Operands of 3 bits, a sum of 4: like the adder of 4 bits, where the last
    // inputs repeat the ones before.
    assert_eq!(
        size_of_bits(&terms, sum),
        (6 + 4 + 3, 4 + 3 + 3 * 8 + 2 * 6)
    );
    let mut blaster = Blaster::default();
    let bits = blaster.bits(&terms, sum);
    assert!(bits[3..].iter().all(|lit| *lit == bits[3]));
}

#[test]
fn increment_of_a_small_counter() {
    let mut terms = Terms::new();
    let x = terms.new_variable_in("x", Range::from_unsigned(32, 0..=6));
    let one = terms.constant(32, 1);
    let sum = terms.add(x, one);
    // 3 inputs; bit 0 is a negation, bit 1 a xor (4), bit 2 a xor (4) with a
    // carry (3). The range of x is one clause over its bits.
    assert_eq!(size_of_bits(&terms, sum), (3 + 3, 4 + 3 + 4 + 1));
}

#[test]
fn unsigned_comparison() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms, Range::full(4));
    let less = terms.unsigned_less(x, y);
    // 3 gates below the asserted one: an and (2 clauses for one polarity), two
    // majorities (3 each); the asserted majority is 3 clauses of its operands.
    let by_polarity = size_of_assertion(&terms, less, Mode::ByPolarity);
    assert_eq!(by_polarity, (8 + 3, 2 + 3 + 3 + 3));
    let full = size_of_assertion(&terms, less, Mode::Full);
    assert_eq!(full, (8 + 3, 3 + 6 + 6 + 3));
}

#[test]
fn comparison_with_a_constant() {
    let mut terms = Terms::new();
    let x = terms.new_variable("x", Sort::BitVec(4));
    let ten = terms.constant(4, 10);
    let less = terms.unsigned_less(x, ten);
    // x < 1010: the top bit is zero, or the two below are (a gate, 2 clauses).
    // The lowest bit does not matter.
    let size = size_of_assertion(&terms, less, Mode::ByPolarity);
    assert_eq!(size, (3 + 1, 2 + 1));
}

#[test]
fn narrow_equality_and_order() {
    let mut terms = Terms::new();
    let (x, y) = two(&mut terms, Range::from_signed(32, -4..=3));
    let equal = terms.equal(x, y);
    // Three bits, two clauses each.
    assert_eq!(size_of_assertion(&terms, equal, Mode::ByPolarity), (6, 6));
    let less = terms.signed_less(x, y);
    // As for the unsigned comparison, at 3 bits.
    let size = size_of_assertion(&terms, less, Mode::ByPolarity);
    assert_eq!(size, (6 + 2, 2 + 3 + 3));
}

#[test]
fn choices_of_constants_cost_nothing() {
    let mut terms = Terms::new();
    let c = terms.new_variable("c", Sort::Bool);
    let (five, seven) = (terms.constant(32, 5), terms.constant(32, 7));
    let choice = terms.ite(c, five, seven);
    let sum = terms.add(choice, seven);
    let product = terms.mul(sum, five);
    assert_eq!(size_of_bits(&terms, product), (1, 0));
    let twelve = terms.constant(32, 12);
    assert_eq!(terms.equal(sum, twelve), c);
}

#[test]
fn product_with_ten_is_one_adder() {
    let mut terms = Terms::new();
    let x = terms.new_variable_in("x", Range::from_unsigned(32, 0..=7));
    let ten = terms.constant(32, 10);
    let product = terms.mul(x, ten);
    // 2x + 8x: bits 1 and 2 are those of x, bit 0 is zero. Bit 3 is the first
    // that is added, x2 + x0: xor and carry (4 + 3); bits 4 and 5 add that
    // carry to one bit of x each (4 + 3, 4), and the carry out is bit 6 (3).
    assert_eq!(size_of_bits(&terms, product), (3 + 6, 3 * (4 + 3)));
}

#[test]
fn signed_remainder_by_a_power_of_two() {
    let mut terms = Terms::new();
    let x = terms.new_variable("x", Sort::BitVec(32));
    let four = terms.constant(32, 4);
    let rest = terms.signed_rem(x, four);
    // The two low bits, and above them: negative and not zero (two gates).
    assert_eq!(size_of_bits(&terms, rest), (3 + 2, 3 + 3));
}

#[test]
fn select_of_shared_words() {
    let mut gates = Gates::new();
    let conditions = gates.inputs(3);
    let (a, b) = (gates.inputs(2), gates.inputs(2));
    let selected = gates.select(&conditions, &[&a, &b, &a]);
    let mut cnf = Cnf::new(Mode::ByPolarity);
    let mut clauses = ClauseList::new();
    for lit in selected {
        cnf.literal(&gates, lit, Polarity::Both, &mut clauses);
    }
    // The disjunction of the first and the last condition is shared; each bit
    // has two conjunctions and a disjunction. All have 3 clauses.
    assert_eq!(size_of(&clauses), (7 + 1 + 2 * 3, 3 * (1 + 2 * 3)));
}

#[test]
fn at_most_one() {
    let size = |n: usize| {
        let mut gates = Gates::new();
        let lits = gates.inputs(n);
        let fact = gates.at_most_one(&lits);
        let mut cnf = Cnf::new(Mode::ByPolarity);
        let mut clauses = ClauseList::new();
        cnf.assert_true(&gates, fact, &mut clauses);
        size_of(&clauses)
    };
    assert_eq!(size(4), (4, 6));
    assert_eq!(size(6), (6, 15));
    // 4 rows and 4 columns: each literal implies its two, 6 pairs among each.
    assert_eq!(size(16), (16 + 8, 2 * 16 + 2 * 6));
}

#[test]
fn equating_needs_neither_variables_nor_clauses() {
    let mut gates = Gates::new();
    let (a, b, v) = (gates.input(), gates.input(), gates.input());
    let both = gates.and(a, b);
    let mut cnf = Cnf::new(Mode::ByPolarity);
    let mut clauses = ClauseList::new();
    cnf.equate(&gates, v, both, &mut clauses);
    assert_eq!(size_of(&clauses), (3, 3));
    assert_eq!(cnf.known_literal(both), cnf.known_literal(v));
}

#[test]
fn an_asserted_structure_needs_no_gates() {
    let mut gates = Gates::new();
    let x = gates.inputs(6);
    let first = gates.any(&[x[0], !x[1]]);
    let second = gates.any(&[x[2], x[3], x[4]]);
    let third = gates.ite(x[5], x[0], x[2]);
    let all = gates.all(&[first, second, third]);
    let mut cnf = Cnf::new(Mode::ByPolarity);
    let mut clauses = ClauseList::new();
    cnf.assert_true(&gates, all, &mut clauses);
    // Two clauses as they are; three for the choice.
    assert_eq!(size_of(&clauses), (6, 2 + 3));
    cnf.add_clause(&gates, &[!x[5], Lit::FALSE], &mut clauses);
    cnf.add_clause(&gates, &[x[5], Lit::TRUE], &mut clauses);
    assert_eq!(size_of(&clauses), (6, 6));
}

#[test]
fn without_room_there_are_no_more_gates() {
    let mut gates = Gates::new();
    let inputs = gates.inputs(1000);
    let mut questions = 3;
    gates.limit(Some(Box::new(move || {
        questions -= 1;
        questions > 0
    })));
    for a in &inputs {
        for b in &inputs {
            gates.and(*a, *b);
        }
    }
    let full = gates.len();
    assert!(gates.is_full());
    assert_eq!(full, 3 << 16, "room is asked for every so often");
    assert_eq!(gates.and(inputs[0], inputs[1]), gates.output(1001));
    assert!(gates.xor(inputs[0], inputs[1]).is_constant());
    assert_eq!(gates.len(), full);
}
