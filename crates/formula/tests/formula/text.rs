//! Files that are written.

use clauses::dimacs;
use formula::{Blaster, ClauseList, Range, Sort, Terms, write_smtlib};

#[test]
fn dimacs() {
    let mut terms = Terms::new();
    let a = terms.new_variable("a", Sort::Bool);
    let b = terms.new_variable("b", Sort::Bool);
    let c = terms.new_variable("c", Sort::Bool);
    let different = terms.xor(a, b);
    let implied = terms.implies(c, different);
    let mut blaster = Blaster::default();
    let mut clauses = ClauseList::new();
    blaster.assert_true(&terms, implied, &mut clauses);
    let mut text = Vec::new();
    dimacs::write(&clauses, &[], &mut text).unwrap();
    // Variables are numbered as the walk over the terms meets them.
    let expected = "p cnf 4 3\n-3 1 2 0\n-3 -1 -2 0\n3 -4 0\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}

#[test]
fn smtlib() {
    let mut terms = Terms::new();
    let x = terms.new_variable("x|y", Sort::BitVec(8));
    let y = terms.new_variable_in("i", Range::from_unsigned(8, 2..=9));
    let c = terms.new_variable("c", Sort::Bool);
    let sum = terms.add(x, y);
    let choice = terms.ite(c, sum, x);
    let less = terms.unsigned_less(choice, y);
    let mut text = Vec::new();
    write_smtlib(&terms, &[less, c], &mut text).unwrap();
    let expected = "\
(set-logic QF_BV)
(declare-const |x_y!v0| (_ BitVec 8))
(declare-const |i!v1| (_ BitVec 8))
(assert (and (bvule (_ bv2 8) |i!v1|) (bvule |i!v1| (_ bv9 8))))
(assert (and (bvsle (_ bv2 8) |i!v1|) (bvsle |i!v1| (_ bv9 8))))
(assert (= (bvand |i!v1| (_ bv240 8)) (_ bv0 8)))
(declare-const |c!v2| Bool)
(define-fun e5 () (_ BitVec 8) (bvadd |x_y!v0| |i!v1|))
(define-fun e6 () (_ BitVec 8) (ite |c!v2| e5 |x_y!v0|))
(define-fun e7 () Bool (bvult e6 |i!v1|))
(assert e7)
(assert |c!v2|)
(check-sat)
";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}
