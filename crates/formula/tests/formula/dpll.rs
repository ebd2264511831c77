//! A small solver for the formulas of the tests: unit propagation and case
//! splits, nothing else.

use formula::{ClauseList, Literal};

/// A model of the clauses and the assumed literals, by variable, if there is one.
pub(crate) fn solve(clauses: &ClauseList, assumed: &[Literal]) -> Option<Vec<bool>> {
    let mut values = vec![None; clauses.variable_count() as usize];
    for literal in assumed {
        if !set(&mut values, *literal) {
            return None;
        }
    }
    let clauses: Vec<&[Literal]> = clauses.clauses().collect();
    let values = search(&clauses, values)?;
    Some(values.iter().map(|value| *value == Some(true)).collect())
}

pub(crate) fn is_true(model: &[bool], literal: Literal) -> bool {
    model[literal.variable().index()] == literal.is_positive()
}

fn set(values: &mut [Option<bool>], literal: Literal) -> bool {
    let value = &mut values[literal.variable().index()];
    let wanted = literal.is_positive();
    *value.get_or_insert(wanted) == wanted
}

fn search(clauses: &[&[Literal]], mut values: Vec<Option<bool>>) -> Option<Vec<Option<bool>>> {
    let mut open;
    loop {
        let mut changed = false;
        open = None;
        for clause in clauses {
            let value = |literal: &Literal| {
                values[literal.variable().index()].map(|value| value == literal.is_positive())
            };
            if clause.iter().any(|literal| value(literal) == Some(true)) {
                continue;
            }
            let mut free = clause.iter().filter(|literal| value(literal).is_none());
            match (free.next(), free.next()) {
                (None, _) => return None,
                (Some(unit), None) => {
                    let unit = *unit;
                    set(&mut values, unit);
                    changed = true;
                }
                (Some(first), Some(_)) => open = Some(*first),
            }
        }
        if !changed {
            break;
        }
    }
    let Some(literal) = open else {
        return Some(values);
    };
    [literal, !literal].into_iter().find_map(|choice| {
        let mut values = values.clone();
        set(&mut values, choice);
        search(clauses, values)
    })
}
