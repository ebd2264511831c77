//! A program as text, for the message of a failing test.

use formula::{Term, TermId, Terms};
use std::fmt::Write;
use unfold::{Access, Moment, Threads};

pub(crate) fn describe(threads: &Threads) -> String {
    let mut text = String::new();
    let term = |id: TermId| term_text(&threads.terms, id);
    for (id, cell) in threads.cells.iter() {
        let (range, initial) = (cell.range.unsigned(), term(cell.initial));
        let _ = writeln!(text, "{id}: {} bits, {range:?}, = {initial}", cell.width);
    }
    for (id, thread) in threads.threads.iter() {
        let _ = write!(
            text,
            "{id}, ends: {}, skips before {}",
            thread.can_end, thread.skips_before
        );
        if let Some(creation) = thread.creation {
            let (by, position) = (creation.thread, creation.position);
            let _ = write!(
                text,
                ", by {by} at {position} if {}",
                term(creation.condition)
            );
        }
        let _ = writeln!(text);
        for (index, position) in thread.positions.iter().enumerate() {
            let _ = write!(text, "  {index} if {}:", term(position.guard));
            for access in &position.accesses {
                let _ = match *access {
                    Access::Read {
                        cell,
                        variable,
                        condition,
                    } => write!(
                        text,
                        " {} := {cell} if {};",
                        term(variable),
                        term(condition)
                    ),
                    Access::Write {
                        cell,
                        condition,
                        value,
                    } => write!(text, " {cell} := {} if {};", term(value), term(condition)),
                };
            }
            for required in &position.requires {
                let _ = write!(text, " require {};", term(*required));
            }
            for (condition, other) in &position.joins {
                let _ = write!(text, " join {other} if {};", term(*condition));
            }
            let _ = writeln!(text);
        }
    }
    let violations: Vec<Moment> = (threads.violations.iter())
        .map(|violation| violation.moment)
        .collect();
    let kinds: [(&str, &[Moment]); 3] = [
        ("violated", &violations),
        ("excluded", &threads.excluded),
        ("stuck", &threads.stuck),
    ];
    for (name, moments) in kinds {
        for moment in moments {
            let (thread, after) = (moment.thread, moment.after);
            let condition = term(moment.condition);
            let _ = writeln!(text, "{name} in {thread} after {after} if {condition}");
        }
    }
    text
}

fn term_text(terms: &Terms, id: TermId) -> String {
    match terms.term(id) {
        Term::Bool(value) => value.to_string(),
        Term::Constant(value) => value.to_string(),
        Term::Variable(variable) => variable.to_string(),
        term => {
            let mut operands = Vec::new();
            terms.for_each_operand(id, |operand| operands.push(term_text(terms, operand)));
            let name = format!("{term:?}");
            let name = match term {
                Term::Binary(op, ..) => format!("{op:?}"),
                _ => name.split('(').next().unwrap_or_default().to_owned(),
            };
            format!("{name}({})", operands.join(", "))
        }
    }
}
