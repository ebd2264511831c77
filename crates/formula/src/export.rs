//! Terms as files: SMT-LIB 2. What is written depends only on the terms, byte for byte.

use crate::ranges::Range;
use crate::terms::{BinaryOp, Sort, Term, TermId, Terms, VariableId};
use cranelift_entity::EntitySet;
use std::io::{self, Write};

/// Writes an SMT-LIB 2 script that asserts some Boolean terms and the ranges of
/// their variables. Each term gets a definition of its own, so that neither
/// sharing nor depth is a problem for the reader.
pub fn write_smtlib(terms: &Terms, asserted: &[TermId], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "(set-logic QF_BV)")?;
    let used = terms_below(terms, asserted);
    for id in used.iter().copied() {
        let sort = sort_text(terms.sort(id));
        match terms.term(id) {
            Term::Variable(variable) => {
                writeln!(
                    out,
                    "(declare-const {} {sort})",
                    variable_text(terms, variable)
                )?;
                let range = &terms.variable(variable).range;
                write_range(&variable_text(terms, variable), range, out)?;
            }
            Term::Bool(_) | Term::Constant(_) => {}
            _ => writeln!(
                out,
                "(define-fun {id} () {sort} {})",
                definition_text(terms, id)
            )?,
        }
    }
    for id in asserted {
        writeln!(out, "(assert {})", name_text(terms, *id))?;
    }
    writeln!(out, "(check-sat)")
}

/// All terms that some terms depend on, operands first.
fn terms_below(terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
    let mut found = EntitySet::new();
    let mut stack = roots.to_vec();
    while let Some(id) = stack.pop() {
        if found.insert(id) {
            terms.for_each_operand(id, |operand| stack.push(operand));
        }
    }
    found.iter().collect()
}

fn write_range(name: &str, range: &Range, out: &mut impl Write) -> io::Result<()> {
    let width = range.width();
    let full = Range::full(width);
    let number = |value: u128| constant_text(value, width);
    if range.unsigned() != full.unsigned() {
        let (min, max) = range.unsigned().into_inner();
        writeln!(
            out,
            "(assert (and (bvule {} {name}) (bvule {name} {})))",
            number(min),
            number(max)
        )?;
    }
    if range.signed() != full.signed() {
        let (min, max) = range.signed().into_inner();
        let number = |value| number(crate::numbers::from_signed(value, width));
        writeln!(
            out,
            "(assert (and (bvsle {} {name}) (bvsle {name} {})))",
            number(min),
            number(max)
        )?;
    }
    let known = range.known_zeros() | range.known_ones();
    if known != 0 {
        writeln!(
            out,
            "(assert (= (bvand {name} {}) {}))",
            number(known),
            number(range.known_ones())
        )?;
    }
    Ok(())
}

fn sort_text(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
    }
}

fn constant_text(value: u128, width: u32) -> String {
    format!("(_ bv{value} {width})")
}

/// The variable's name with its number, which makes it unique.
fn variable_text(terms: &Terms, id: VariableId) -> String {
    let name = &terms.variable(id).name;
    let allowed = |c: char| c.is_ascii_graphic() && c != '|' && c != '\\';
    let name: String = name
        .chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect();
    format!("|{name}!{id}|")
}

fn name_text(terms: &Terms, id: TermId) -> String {
    match (terms.term(id), terms.sort(id)) {
        (Term::Bool(value), _) => value.to_string(),
        (Term::Constant(value), Sort::BitVec(width)) => constant_text(value, width),
        (Term::Variable(variable), _) => variable_text(terms, variable),
        _ => id.to_string(),
    }
}

fn definition_text(terms: &Terms, id: TermId) -> String {
    let name = |id: TermId| name_text(terms, id);
    let call = |head: &str, operands: &[TermId]| {
        let operands: Vec<String> = operands.iter().map(|id| name(*id)).collect();
        format!("({head} {})", operands.join(" "))
    };
    match terms.term(id) {
        Term::Bool(_) | Term::Constant(_) | Term::Variable(_) => name(id),
        Term::Not(a) => call("not", &[a]),
        Term::And(list) if terms.list(list).is_empty() => "true".into(),
        Term::And(list) if terms.list(list).len() == 1 => name(terms.list(list)[0]),
        Term::And(list) => call("and", terms.list(list)),
        Term::Xor(a, b) => call("xor", &[a, b]),
        Term::Ite(condition, a, b) => call("ite", &[condition, a, b]),
        Term::Equal(a, b) => call("=", &[a, b]),
        Term::UnsignedLess(a, b) => call("bvult", &[a, b]),
        Term::SignedLess(a, b) => call("bvslt", &[a, b]),
        Term::IsOne(a) => format!("(= {} #b1)", name(a)),
        Term::BitNot(a) => call("bvnot", &[a]),
        Term::Binary(op, a, b) => call(op_text(op), &[a, b]),
        Term::Concat(high, low) => call("concat", &[high, low]),
        Term::Extract(a, low) => {
            let high = low + terms.width(id) - 1;
            call(&format!("(_ extract {high} {low})"), &[a])
        }
        Term::ZeroExtend(a) => {
            let added = terms.width(id) - terms.width(a);
            call(&format!("(_ zero_extend {added})"), &[a])
        }
        Term::SignExtend(a) => {
            let added = terms.width(id) - terms.width(a);
            call(&format!("(_ sign_extend {added})"), &[a])
        }
    }
}

fn op_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "bvadd",
        BinaryOp::Sub => "bvsub",
        BinaryOp::Mul => "bvmul",
        BinaryOp::UnsignedDiv => "bvudiv",
        BinaryOp::UnsignedRem => "bvurem",
        BinaryOp::SignedDiv => "bvsdiv",
        BinaryOp::SignedRem => "bvsrem",
        BinaryOp::ShiftLeft => "bvshl",
        BinaryOp::ShiftRight => "bvlshr",
        BinaryOp::ShiftRightSigned => "bvashr",
        BinaryOp::And => "bvand",
        BinaryOp::Or => "bvor",
        BinaryOp::Xor => "bvxor",
    }
}
