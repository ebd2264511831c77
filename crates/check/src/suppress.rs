//! Suppressions: races and deadlocks that the user knows of and does not want to
//! hear about, in ThreadSanitizer's format. They change what is told, never what
//! is looked at: what was suppressed is counted, and a verdict names it.

use crate::facts::{Assumption, Limits, SourcePlace, Suppressible};
use crate::verdict::{Bounds, Verdict};
use ir::Program;
use replay::{Run, Signature, StackEntry, Violation, ViolationKind};
use std::collections::{BTreeMap, BTreeSet};

/// The lines of a file of suppressions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    line: u32,
    /// As it was written, for instance `race:^queue_`.
    text: String,
    kind: Suppressible,
    /// Only the innermost calls count.
    is_top: bool,
    pattern: String,
}

/// A line that means something to ThreadSanitizer and nothing here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredLine {
    pub line: u32,
    pub kind: String,
}

/// A line that means nothing to anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongLine {
    pub line: u32,
    pub text: String,
}

/// What a line has suppressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    pub rule: String,
    pub line: u32,
    pub kind: Suppressible,
    /// One for each race or deadlock.
    pub places: Vec<SourcePlace>,
}

impl Suppressions {
    /// Reads the lines of a file; those that do not concern us are told, too.
    pub fn parse(text: &str) -> Result<(Suppressions, Vec<IgnoredLine>), WrongLine> {
        let mut suppressions = Suppressions::default();
        let mut ignored = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let number = index as u32 + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || WrongLine {
                line: number,
                text: line.to_owned(),
            };
            let (kind, pattern) = line.split_once(':').ok_or_else(wrong)?;
            let (kind, is_top) = match kind {
                "race" => (Suppressible::Race, false),
                "race_top" => (Suppressible::Race, true),
                "deadlock" => (Suppressible::Deadlock, false),
                "mutex" | "thread" | "signal" | "called_from_lib" => {
                    ignored.push(IgnoredLine {
                        line: number,
                        kind: kind.to_owned(),
                    });
                    continue;
                }
                _ => return Err(wrong()),
            };
            if pattern.is_empty() {
                return Err(wrong());
            }
            suppressions.rules.push(Rule {
                line: number,
                text: line.to_owned(),
                kind,
                is_top,
                pattern: pattern.to_owned(),
            });
        }
        Ok((suppressions, ignored))
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// All lines that count, as they were written.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.text.as_str())
    }

    /// The first line that suppresses a violation.
    fn rule_for(&self, program: &Program, violation: &Violation) -> Option<&Rule> {
        let kind = kind_of(violation)?;
        let mut rules = self.rules.iter().filter(|rule| rule.kind == kind);
        rules.find(|rule| rule.matches(program, violation))
    }

    fn suppress(&self, program: &Program, violation: &Violation) -> bool {
        self.rule_for(program, violation).is_some()
    }

    /// What is left of a run to be told, if anything.
    pub(crate) fn unsuppressed(&self, program: &Program, mut run: Run) -> Option<Run> {
        run.violations
            .retain(|violation| !self.suppress(program, violation));
        (!run.violations.is_empty()).then_some(run)
    }

    /// What was suppressed in runs, by line.
    pub(crate) fn count(&self, program: &Program, runs: &[Run]) -> Vec<Suppressed> {
        let mut known: BTreeSet<Signature> = BTreeSet::new();
        let mut found: BTreeMap<u32, Suppressed> = BTreeMap::new();
        for violation in runs.iter().flat_map(|run| &run.violations) {
            let Some(rule) = self.rule_for(program, violation) else {
                continue;
            };
            if !known.insert(violation.signature()) {
                continue;
            }
            let suppressed = found.entry(rule.line).or_insert_with(|| Suppressed {
                rule: rule.text.clone(),
                line: rule.line,
                kind: rule.kind,
                places: Vec::new(),
            });
            suppressed.places.push(place_of(program, violation));
        }
        found.into_values().collect()
    }
}

fn kind_of(violation: &Violation) -> Option<Suppressible> {
    match violation.kind {
        ViolationKind::DataRace => Some(Suppressible::Race),
        ViolationKind::Deadlock => Some(Suppressible::Deadlock),
        _ => None,
    }
}

fn place_of(program: &Program, violation: &Violation) -> SourcePlace {
    match violation.location() {
        Some(location) => SourcePlace::of_location(program, location),
        None => {
            let function = violation.stack.first().map(|entry| entry.function.clone());
            SourcePlace::Function(function.unwrap_or_default())
        }
    }
}

impl Rule {
    /// By the functions and files of all calls in progress, and by the variable.
    fn matches(&self, program: &Program, violation: &Violation) -> bool {
        let depth = if self.is_top { 1 } else { usize::MAX };
        let matches_entry = |entry: &StackEntry| {
            let file = entry.location.map(|location| &program.files[location.file]);
            fits(&self.pattern, &entry.function)
                || file.is_some_and(|file| fits(&self.pattern, file))
        };
        let mut entries = violation
            .parties
            .iter()
            .flat_map(|stack| stack.iter().take(depth));
        entries.any(matches_entry)
            || !self.is_top && (violation.global.iter()).any(|name| fits(&self.pattern, name))
    }
}

/// Whether a text contains a pattern, as ThreadSanitizer sees it: `*` stands for
/// anything, `^` at the beginning and `$` at the end for the text's own. The first
/// place that fits is taken.
fn fits(pattern: &str, text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let (mut is_start, mut pattern) = match pattern.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let mut text = text;
    let mut was_asterisk = false;
    while !pattern.is_empty() {
        if let Some(rest) = pattern.strip_prefix('*') {
            (pattern, is_start, was_asterisk) = (rest, false, true);
            continue;
        }
        if pattern.starts_with('$') {
            return text.is_empty() || was_asterisk;
        }
        let end = pattern.find(['*', '$']).unwrap_or(pattern.len());
        let (piece, rest) = pattern.split_at(end);
        match text.find(piece) {
            Some(position) if !is_start || position == 0 => {
                text = &text[position + piece.len()..];
            }
            _ => return false,
        }
        (pattern, is_start, was_asterisk) = (rest, false, false);
    }
    true
}

/// A verdict without violation holds only if what was suppressed does no harm.
pub(crate) fn assume(verdict: Verdict, suppressed: &[Suppressed], bounds: &Bounds) -> Verdict {
    let assumptions: BTreeSet<Assumption> = (suppressed.iter())
        .flat_map(|one| {
            one.places.iter().map(|place| Assumption::Suppressed {
                kind: one.kind,
                place: place.clone(),
            })
        })
        .collect();
    if assumptions.is_empty() {
        return verdict;
    }
    let more = Limits {
        assumptions,
        ..Limits::default()
    };
    match verdict {
        Verdict::Safe => Verdict::of_limits(more, bounds),
        Verdict::SafeUpTo(mut limits) => {
            limits.join(more);
            Verdict::SafeUpTo(limits)
        }
        Verdict::Unknown {
            reason,
            established: Some(mut limits),
        } => {
            limits.join(more);
            Verdict::Unknown {
                reason,
                established: Some(limits),
            }
        }
        verdict => verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_thread_sanitizer() {
        for (pattern, text) in [
            ("queue", "my_queue_push"),
            ("^my_", "my_queue_push"),
            ("push$", "my_queue_push"),
            ("my*push", "my_queue_push"),
            ("^my*push$", "my_queue_push"),
            ("q*e*p", "my_queue_push"),
            ("*", "x"),
            ("x*$", "xyz"),
            ("lib/*.c", "src/lib/queue.c"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("queue", "stack"),
            ("^queue", "my_queue"),
            ("my$", "my_queue"),
            ("push*my", "my_queue_push"),
            ("x", ""),
            ("*", ""),
        ] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn lines_are_read_one_by_one() {
        let text = "# known\n\nrace:counter\n  deadlock:^main$  \nmutex:x\nrace_top:f\n";
        let (suppressions, ignored) = Suppressions::parse(text).unwrap();
        let texts: Vec<&str> = suppressions.texts().collect();
        assert_eq!(texts, ["race:counter", "deadlock:^main$", "race_top:f"]);
        let mutex = IgnoredLine {
            line: 5,
            kind: "mutex".to_owned(),
        };
        assert_eq!(ignored, [mutex]);
        for wrong in ["race", "races:x", "race:", "leak:x"] {
            let error = Suppressions::parse(&format!("race:x\n{wrong}\n")).unwrap_err();
            assert_eq!((error.line, error.text.as_str()), (2, wrong));
        }
    }
}
