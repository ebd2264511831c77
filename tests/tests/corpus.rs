//! A large collection of multi-threaded C programs with known verdicts.
//!
//! It is not part of the repository: it is looked for beside it, and without it
//! these tests are skipped, which they say. Each row of its manifest names a
//! program, a property and whether the property holds.
//!
//! * Almost every program can be read and laid out in memory.
//! * On the small ones the explorer never contradicts the manifest, and decides
//!   at least those that [`DECIDED`] lists. The limits are numbers of states,
//!   never time, so that every machine gives the same answers.

use replay::{Bounds, Checks, Config, Image, Limit, Mode, Property};
use std::fmt;
use std::path::{Path, PathBuf};
use tests::{cases, clang, notice, repository, run, witness};

/// States that one exploration may remember.
const MAX_STATES: usize = 200_000;

/// Contexts to try before giving up.
const MAX_CONTEXTS: u32 = 12;

/// Iterations of loops for programs without a hint.
const USUAL_ITERATIONS: u32 = 3;

/// The sets whose programs are small.
const SMALL: [&str; 3] = ["sct/", "svcomp16/pthread-lit/", "svcomp16/pthread-atomic/"];

struct Row {
    path: String,
    property: String,
    /// `safe`, `unsafe` or `unknown`.
    expected: String,
    is_32_bits: bool,
    /// Iterations of loops.
    iterations: Option<u32>,
}

/// What the explorer can say about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Violated, first in this many contexts.
    Violated(u32),
    /// All schedules were seen, without any bound.
    Safe,
    /// No violation in up to this many contexts and the bounds on loops.
    SafeWithin(u32),
}

/// What must be found out about which program.
const DECIDED: &[(&str, Answer)] = &[];

fn corpus() -> Option<PathBuf> {
    let folder = repository().parent()?.join("shared/corpus");
    if folder.join("MANIFEST.tsv").is_file() {
        return Some(folder);
    }
    notice("skipped: the corpus is not there");
    None
}

fn manifest(corpus: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(corpus.join("MANIFEST.tsv"))
        .expect("the manifest should be readable");
    text.lines().map(parse_row).collect()
}

fn parse_row(line: &str) -> Row {
    let fields: Vec<&str> = line.split('\t').collect();
    let [path, property, expected, bits, iterations, ..] = fields[..] else {
        panic!("a row of the manifest is too short: {line}");
    };
    assert!(["safe", "unsafe", "unknown"].contains(&expected), "{line}");
    assert!(["32", "64"].contains(&bits), "{line}");
    Row {
        path: path.to_owned(),
        property: property.to_owned(),
        expected: expected.to_owned(),
        is_32_bits: bits == "32",
        iterations: iterations.parse().ok(),
    }
}

impl Row {
    fn file(&self, corpus: &Path) -> PathBuf {
        corpus.join(&self.path)
    }

    /// Arguments for clang.
    fn args(&self, corpus: &Path) -> Vec<String> {
        let file = self.file(corpus);
        let own = file.parent().unwrap_or(corpus);
        let mut args = vec![
            format!("-I{}", own.display()),
            format!("-I{}", corpus.join("include").display()),
        ];
        if self.is_32_bits {
            args.push("-m32".to_owned());
        }
        args
    }

    fn check(&self) -> Option<Property> {
        match self.property.as_str() {
            "unreach-call" => Some(Property::Assert),
            "no-deadlock" => Some(Property::Deadlock),
            _ => None,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = if self.is_32_bits { ", 32 bits" } else { "" };
        write!(f, "{} ({}{bits})", self.path, self.property)
    }
}

/// Rows that this machine's compiler can handle.
fn usable(rows: Vec<Row>) -> Vec<Row> {
    if clang::default().has_32_bits {
        return rows;
    }
    rows.into_iter().filter(|row| !row.is_32_bits).collect()
}

#[test]
fn programs_can_be_read_and_laid_out() {
    let Some(corpus) = corpus() else {
        return;
    };
    let mut programs = usable(manifest(&corpus));
    programs.sort_by(|a, b| (&a.path, a.is_32_bits).cmp(&(&b.path, b.is_32_bits)));
    programs.dedup_by(|a, b| (&a.path, a.is_32_bits) == (&b.path, b.is_32_bits));
    let results = cases::map_all(&programs, |row| {
        let program = clang::default().load(&row.file(&corpus), &row.args(&corpus))?;
        run::image(&program, &Config::default()).map(|_| ())
    });
    let failures: Vec<String> = programs
        .iter()
        .zip(&results)
        .filter_map(|(row, result)| Some(format!("{row}: {}", result.as_ref().err()?)))
        .collect();
    let (failed, all) = (failures.len(), programs.len());
    let list = failures.join("\n");
    if failed > 0 {
        notice(&format!("{failed} of {all} programs of the corpus cannot be read:\n{list}"));
    }
    assert!(failed * 100 <= all, "{failed} of {all} programs cannot be read:\n{list}");
}

#[test]
fn verdicts_agree_with_the_manifest() {
    let Some(corpus) = corpus() else {
        return;
    };
    let is_small = |row: &Row| SMALL.iter().any(|set| row.path.starts_with(set));
    let mut rows = usable(manifest(&corpus));
    rows.retain(|row| is_small(row) && row.check().is_some());
    cases::check_all(&rows, Row::to_string, |row| check(&corpus, row));
}

fn check(corpus: &Path, row: &Row) -> Result<(), String> {
    let program = clang::default().load(&row.file(corpus), &row.args(corpus))?;
    let config = Config {
        checks: row.check().into_iter().collect::<Checks>(),
        // The header of a loop is reached once more than its body.
        unwind: Some(row.iterations.unwrap_or(USUAL_ITERATIONS) + 1),
        ..Config::default()
    };
    let image = run::image(&program, &config)?;
    let start = std::time::Instant::now();
    let answer = explore(&image, &config, replay::digest(&program))?;
    notice(&format!("{row} {} {answer:?} {:?}", row.expected, start.elapsed()));
    let contradicts = match answer {
        Some(Answer::Violated(_)) => row.expected == "safe",
        Some(Answer::Safe) => row.expected == "unsafe",
        Some(Answer::SafeWithin(_)) | None => false,
    };
    if contradicts {
        return Err(format!("{answer:?}, but the manifest says {}", row.expected));
    }
    let decided = DECIDED.iter().find(|(path, _)| *path == row.path);
    match decided {
        Some((_, wanted)) if answer != Some(*wanted) => {
            Err(format!("should be {wanted:?}, but the answer is {answer:?}"))
        }
        _ => Ok(()),
    }
}

/// Explores with more and more contexts, as far as the limit on states permits.
fn explore(image: &Image, config: &Config, digest: u64) -> Result<Option<Answer>, String> {
    let mode = Mode {
        find_all: false,
        merge: true,
    };
    let mut answer = None;
    for contexts in 2..=MAX_CONTEXTS {
        let bounds = Bounds {
            contexts: Some(contexts),
            max_states: MAX_STATES,
            ..Bounds::default()
        };
        let exploration = replay::explore(image, config, digest, &bounds, mode, &mut |_| true);
        notice(&format!("  {contexts} {} {:?} {:?} {:?} {:?} {:?} {:?}", exploration.states, exploration.interrupted, exploration.limits, exploration.unsupported, exploration.undefined, exploration.unknown_calls, exploration.count));
        if let Some(found) = exploration.violations.first() {
            witness::confirm(image, config, found)?;
            return Ok(Some(Answer::Violated(contexts)));
        }
        let is_whole = exploration.interrupted.is_none()
            && exploration.unsupported.is_empty()
            && exploration.undefined.is_empty();
        if !is_whole {
            break;
        }
        if exploration.limits.is_empty() {
            return Ok(Some(Answer::Safe));
        }
        answer = Some(Answer::SafeWithin(contexts));
        if !exploration.limits.contains(&Limit::Contexts(contexts)) {
            // More contexts make no difference.
            break;
        }
    }
    Ok(answer)
}
