//! Clauses as an SMT-LIB 2 script, for solvers that do not read DIMACS.

use crate::{ClauseList, Literal};
use std::io::{self, Write};

/// Writes a script that asserts every clause and all assumptions, and asks for a model.
pub fn write(list: &ClauseList, assumptions: &[Literal], mut to: impl Write) -> io::Result<()> {
    writeln!(to, "(set-logic QF_UF)")?;
    for variable in list.variables() {
        writeln!(to, "(declare-const v{variable} Bool)")?;
    }
    let assumed = assumptions.iter().map(std::slice::from_ref);
    for clause in list.clauses().chain(assumed) {
        write!(to, "(assert (or false")?;
        for literal in clause {
            let variable = literal.variable();
            match literal.is_positive() {
                true => write!(to, " v{variable}")?,
                false => write!(to, " (not v{variable})")?,
            }
        }
        writeln!(to, "))")?;
    }
    writeln!(to, "(check-sat)")?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClauseSink;

    #[test]
    fn clauses_are_assertions() {
        let mut list = ClauseList::new();
        let [a, b] = [(); 2].map(|()| list.new_variable().positive());
        list.add_clause(&[a, !b]);
        list.add_clause(&[]);
        let mut text = Vec::new();
        write(&list, &[b], &mut text).unwrap();
        let expected = "(set-logic QF_UF)\n\
            (declare-const v1 Bool)\n(declare-const v2 Bool)\n\
            (assert (or false v1 (not v2)))\n(assert (or false))\n\
            (assert (or false v2))\n(check-sat)\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
