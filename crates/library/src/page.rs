//! The page for users that lists all known functions, as Markdown.

use crate::{Entry, Family, families};
use std::fmt::{self, Write};

const INTRODUCTION: &str = "\
# Library functions

A program may call functions that it does not define. This page lists those that
Threadbare knows and says how each is modelled. If the program defines a function
of the same name, its own definition is used, except where stated.

Accesses to shared memory and calls that synchronise threads are *visible steps*:
other threads may run between any two of them, and only there. A call is one
visible step unless stated otherwise. Functions marked *waits* may have to wait
for another thread before they go on. If every thread that has not ended waits,
the program is deadlocked.

A function that is neither defined nor listed is reported once as a warning. A
call of it is taken to change nothing and to return any value; the verdict names
the calls that runs come to, and what goes wrong after one of them is `unknown`.
With `--undefined any` that is what the call means; with `--undefined error` it
is an error. Functions that are listed as not supported are an error as soon as
a run reaches a call of them; they never lead to a verdict.
";

/// The text of `docs/library.md`.
pub fn page() -> String {
    let mut text = String::from(INTRODUCTION);
    for family in families() {
        write_family(&mut text, family).expect("writing to a string should not fail");
    }
    text
}

fn write_family(text: &mut String, family: &Family) -> fmt::Result {
    writeln!(text, "\n## {}\n\n{}\n", family.title, family.about)?;
    writeln!(text, "| Function | Model |\n|---|---|")?;
    // Functions that do the same share a row.
    let is_same = |a: &Entry, b: &Entry| a.model == b.model && a.blocking == b.blocking;
    for row in family.entries.chunk_by(is_same) {
        let names: Vec<String> = row
            .iter()
            .map(|entry| format!("`{}`", entry.name))
            .collect();
        let waits = if row[0].blocking { " (*waits*)" } else { "" };
        writeln!(text, "| {}{waits} | {} |", names.join(", "), row[0].model)?;
    }
    Ok(())
}
