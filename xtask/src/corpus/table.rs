//! The results of a run as a table by set, and by name what needs a look.

use super::manifest::Row;
use super::outcome::{Judgement, Outcome, Word, judge};
use std::fmt::Write;

const TITLES: [&str; 12] = [
    "set",
    "programs",
    "unsafe found",
    "unsafe missed",
    "safe",
    "safe up to",
    "unknown",
    "wrong",
    "not known",
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
    errors: usize,
    seconds: f64,
    megabytes: u64,
}

impl Sums {
    fn add(&mut self, row: &Row, outcome: &Outcome) {
        self.programs += 1;
        let counter = match judge(row.expected, outcome.word) {
            Judgement::Found => &mut self.found,
            Judgement::Missed => &mut self.missed,
            Judgement::Safe => &mut self.safe,
            Judgement::SafeUpTo => &mut self.safe_up_to,
            Judgement::Unknown => &mut self.unknown,
            Judgement::Wrong => &mut self.wrong,
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
            self.errors,
        ];
        let mut cells = vec![name.to_owned()];
        cells.extend(counts.iter().map(usize::to_string));
        cells.push(format!("{:.0}", self.seconds));
        cells.push(self.megabytes.to_string());
        cells
    }
}

/// `not known` counts programs of which nobody knows what is right; `errors`
/// are counted among the others too.
pub fn render(results: &[(&Row, &Outcome)]) -> String {
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
    text
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
    use super::super::manifest::Expected;
    use super::*;

    #[test]
    fn sets_are_summed_up_and_mistakes_listed() {
        let row = |program: &str, expected: Expected| Row {
            program: program.to_owned(),
            property: "unreach-call".to_owned(),
            expected,
            bits: 64,
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
set    programs  unsafe found  unsafe missed  safe  safe up to  unknown  wrong  not known  errors  time s  max MB
sct           3             1              0     0           1        0      1          0       0      61      90
locks         1             0              0     0           0        0      0          1       1       0       1
all           4             1              0     0           1        0      1          1       1      61      90

WRONG:
  sct/c.c (safe): violated, so

errors:
  locks/d.c (unknown): error, so

not known:
  locks/d.c (unknown): error, so
";
        assert_eq!(render(&results), expected);
    }
}
