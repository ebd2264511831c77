//! The results of a run as a table by set, and by name what needs a look.

use super::manifest::Row;
use super::outcome::{Judgement, Outcome, Word, judge};
use std::fmt::Write;

const TITLES: [&str; 13] = [
    "set",
    "programs",
    "unsafe found",
    "unsafe missed",
    "safe",
    "safe up to",
    "unknown",
    "wrong",
    "not known",
    "corrected",
    "errors",
    "time s",
    "max MB",
];

/// One line of the table.
#[derive(Default)]
struct Sums {
    programs: usize,
    found: usize,
    missed: usize,
    safe: usize,
    safe_up_to: usize,
    unknown: usize,
    wrong: usize,
    unjudged: usize,
    corrected: usize,
    errors: usize,
    seconds: f64,
    megabytes: u64,
}

impl Sums {
    fn add(&mut self, row: &Row, outcome: &Outcome) {
        self.programs += 1;
        let counter = match judge(row.expected, outcome.word) {
            Judgement::Wrong => &mut self.wrong,
            Judgement::Missed => &mut self.missed,
            _ if row.correction.is_some() => &mut self.corrected,
            Judgement::Found => &mut self.found,
            Judgement::Safe => &mut self.safe,
            Judgement::SafeUpTo => &mut self.safe_up_to,
            Judgement::Unknown => &mut self.unknown,
            Judgement::Unjudged => &mut self.unjudged,
        };
        *counter += 1;
        self.errors += usize::from(outcome.word == Word::Error);
        self.seconds += outcome.seconds;
        self.megabytes = self.megabytes.max(outcome.megabytes);
    }

    fn cells(&self, name: &str) -> Vec<String> {
        let counts = [
            self.programs,
            self.found,
            self.missed,
            self.safe,
            self.safe_up_to,
            self.unknown,
            self.wrong,
            self.unjudged,
            self.corrected,
            self.errors,
        ];
        let mut cells = vec![name.to_owned()];
        cells.extend(counts.iter().map(usize::to_string));
        cells.push(format!("{:.0}", self.seconds));
        cells.push(self.megabytes.to_string());
        cells
    }
}

/// `not known` counts programs of which nobody knows what is right; `corrected`, those
/// of which the list is known to say something wrong, unless the verdict is wrong or
/// misses what is true; `errors` are counted among the others too.
pub(super) fn render(results: &[(&Row, &Outcome)]) -> String {
    let mut sets: Vec<(&str, Sums)> = Vec::new();
    let mut all = Sums::default();
    for (row, outcome) in results {
        let index = match sets.iter().position(|(name, _)| *name == row.set()) {
            Some(index) => index,
            None => {
                sets.push((row.set(), Sums::default()));
                sets.len() - 1
            }
        };
        sets[index].1.add(row, outcome);
        all.add(row, outcome);
    }
    let mut lines = vec![TITLES.map(str::to_owned).to_vec()];
    lines.extend(sets.iter().map(|(name, sums)| sums.cells(name)));
    lines.push(all.cells("all"));
    let mut text = columns(&lines);
    let is = |wanted: Judgement| {
        move |row: &Row, outcome: &Outcome| judge(row.expected, outcome.word) == wanted
    };
    list(&mut text, "WRONG", results, is(Judgement::Wrong));
    list(&mut text, "errors", results, |_, outcome| {
        outcome.word == Word::Error
    });
    list(&mut text, "missed", results, is(Judgement::Missed));
    list(&mut text, "not known", results, is(Judgement::Unjudged));
    list_corrections(&mut text, results);
    text
}

fn list_corrections(text: &mut String, results: &[(&Row, &Outcome)]) {
    let corrected = results.iter();
    let corrected = corrected.filter_map(|(row, outcome)| Some((row, row.correction?, outcome)));
    for (index, (row, correction, outcome)) in corrected.enumerate() {
        if index == 0 {
            let _ = writeln!(text, "\ncorrected:");
        }
        let _ = writeln!(
            text,
            "  {} ({}): {}; {}",
            row.program,
            row.expected.name(),
            outcome.word.name(),
            correction.why
        );
    }
}

fn list(
    text: &mut String,
    title: &str,
    results: &[(&Row, &Outcome)],
    is_listed: impl Fn(&Row, &Outcome) -> bool,
) {
    let mut is_first = true;
    for (row, outcome) in results.iter().filter(|(row, o)| is_listed(row, o)) {
        if is_first {
            let _ = writeln!(text, "\n{title}:");
        }
        is_first = false;
        let _ = writeln!(
            text,
            "  {} ({}): {}, {}",
            row.program,
            row.expected.name(),
            outcome.word.name(),
            outcome.reason
        );
    }
}

/// The first column to the left, numbers to the right.
fn columns(lines: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(String::len).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..TITLES.len()).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(text, "{cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::manifest::{self, Expected};
    use super::*;

    #[test]
    fn sets_are_summed_up_and_mistakes_listed() {
        let row = |program: &str, expected: Expected| Row {
            program: program.to_owned(),
            property: "unreach-call".to_owned(),
            expected,
            bits: 64,
            correction: None,
        };
        let outcome = |word: Word, seconds: f64, megabytes: u64| Outcome {
            word,
            seconds,
            megabytes,
            reason: "so".to_owned(),
        };
        let results = [
            (
                row("sct/a.c", Expected::Unsafe),
                outcome(Word::Violated, 1.2, 30),
            ),
            (
                row("sct/b.c", Expected::Safe),
                outcome(Word::SafeUpTo, 60.0, 90),
            ),
            (
                row("sct/c.c", Expected::Safe),
                outcome(Word::Violated, 0.1, 10),
            ),
            (
                row("locks/d.c", Expected::Unknown),
                outcome(Word::Error, 0.0, 1),
            ),
        ];
        let results: Vec<(&Row, &Outcome)> = results.iter().map(|(r, o)| (r, o)).collect();
        let expected = "\
set    programs  unsafe found  unsafe missed  safe  safe up to  unknown  wrong  not known  corrected  errors  time s  max MB
sct           3             1              0     0           1        0      1          0          0       0      61      90
locks         1             0              0     0           0        0      0          1          0       1       0       1
all           4             1              0     0           1        0      1          1          0       1      61      90

WRONG:
  sct/c.c (safe): violated, so

errors:
  locks/d.c (unknown): error, so

not known:
  locks/d.c (unknown): error, so
";
        assert_eq!(render(&results), expected);
    }

    /// Right, wrong and missed: a correction is no excuse.
    #[test]
    fn corrected_rows_are_counted_apart() {
        let line = "misc/miscellaneous/pthread.c\tunreach-call\tsafe\t64\n";
        let row = &manifest::parse(line).expect("should be fine")[0];
        let table = |word: Word| {
            let outcome = Outcome {
                word,
                seconds: 1.0,
                megabytes: 1,
                reason: "so".to_owned(),
            };
            let text = render(&[(row, &outcome)]);
            let cells: Vec<String> = text
                .lines()
                .nth(1)
                .expect("a line for the set")
                .split_whitespace()
                .map(str::to_owned)
                .collect();
            (cells[2..10].join(" "), text)
        };
        let (counts, text) = table(Word::Violated);
        assert_eq!(counts, "0 0 0 0 0 0 0 1");
        let told = "corrected:\n  misc/miscellaneous/pthread.c (unsafe): violated; glibc refuses";
        assert!(text.contains(told), "{text}");
        let (counts, text) = table(Word::Safe);
        assert_eq!(counts, "0 0 0 0 0 1 0 0");
        assert!(text.contains("WRONG:"), "{text}");
        let (counts, text) = table(Word::SafeUpTo);
        assert_eq!(counts, "0 1 0 0 0 0 0 0");
        assert!(text.contains("missed:"), "{text}");
    }
}
