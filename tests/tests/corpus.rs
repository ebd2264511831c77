//! A large collection of multi-threaded C programs with known verdicts.
//!
//! It is not part of the repository: it is looked for beside it, and without it
//! these tests are skipped, which they say. Each row of its manifest names a
//! program, a property and whether the property holds.
//!
//! * Almost every program can be read and laid out in memory.
//! * On small ones the explorer never contradicts the manifest, and finds out at
//!   least what [`DECIDED`] lists. The limits are numbers of states,
//!   never time, so that every machine gives the same answers.

use ir::Program;
use replay::{Bounds, Checks, Config, Exploration, Mode, Progress, Property};
use std::fmt;
use std::path::{Path, PathBuf};
use tests::{cases, clang, notice, repository, run, witness};

/// States that one exploration may remember.
const MAX_STATES: usize = 100_000;

/// Contexts to try before giving up.
const MAX_CONTEXTS: u32 = 12;

/// Steps that a schedule may have: some programs create threads for ever.
const MAX_DEPTH: usize = 1_000;

/// Instructions that a thread may execute between two steps.
const MAX_LOCAL_WORK: u64 = 1_000_000;

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
    /// Violated, in no fewer than this many contexts.
    ViolatedIn(u32),
    /// Violated, in how few contexts is not known.
    Violated,
    /// All schedules were seen, without any bound.
    Safe,
    /// No violation within bounds on loops, or for the inputs tried.
    SafeInBounds,
    /// The same, and only in up to this many contexts.
    SafeInContexts(u32),
}

/// What must be found out about which programs, by the names of their files.
///
/// A program that is violated comes with the contexts that it takes. What is said
/// to be safe is safe by the manifest; here is how much of that must be seen.
const DECIDED: &[(&str, Answer)] = &[
    // Main, deposit, withdraw, check.
    ("account_bad.c", Answer::ViolatedIn(4)),
    // Main, three rounds of producer and consumer, main.
    ("arithmetic_prog_bad.c", Answer::ViolatedIn(8)),
    ("arithmetic_prog_ok.c", Answer::SafeInBounds),
    // Main goes past the check of the flag, the other stops the device, main.
    ("bluetooth_driver_bad.c", Answer::ViolatedIn(3)),
    // Main, a1 has taken l and wants m next, b1 has m and wants l.
    ("carter01_bad.c", Answer::ViolatedIn(3)),
    // Main, the receiver in vain, the sender, the receiver.
    ("circular_buffer_bad.c", Answer::ViolatedIn(4)),
    // Main and one lock each.
    ("deadlock01_bad.c", Answer::ViolatedIn(3)),
    // Main and every philosopher: the last one to finish complains.
    ("din_phil2_sat.c", Answer::ViolatedIn(3)),
    ("din_phil3_sat.c", Answer::ViolatedIn(4)),
    ("din_phil4_sat.c", Answer::ViolatedIn(5)),
    ("din_phil6_sat.c", Answer::Violated),
    ("din_phil2_unsat.c", Answer::SafeInBounds),
    ("din_phil3_unsat.c", Answer::SafeInBounds),
    ("din_phil4_unsat.c", Answer::SafeInBounds),
    ("din_phil5_unsat.c", Answer::SafeInBounds),
    ("din_phil7_unsat.c", Answer::SafeInContexts(4)),
    ("fanger01_ok.c", Answer::SafeInContexts(4)),
    // Thread 26 of 27 is one too many; the usual bound on loops creates fewer.
    ("fsbench_bad.c", Answer::Violated),
    // Main and the three threads in their order.
    ("lazy01_bad.c", Answer::ViolatedIn(4)),
    ("micro_10_ok.c", Answer::SafeInContexts(2)),
    // Main waits for the first thread, the second ends without unlocking.
    ("phase01_bad.c", Answer::ViolatedIn(2)),
    // Main, the reader in vain, the writer, the reader.
    ("queue_bad.c", Answer::ViolatedIn(4)),
    ("queue_ok.c", Answer::SafeInBounds),
    // Main, one of two stores, the check.
    ("reorder_4_bad.c", Answer::ViolatedIn(3)),
    ("reorder_5_bad.c", Answer::ViolatedIn(3)),
    ("reorder_10_bad.c", Answer::ViolatedIn(3)),
    // Main, some are pushed, more are popped.
    ("stack_bad.c", Answer::ViolatedIn(3)),
    ("stateful06_ok.c", Answer::SafeInBounds),
    ("stateful20_ok.c", Answer::SafeInContexts(3)),
    ("sync01_ok.c", Answer::SafeInBounds),
    ("sync02_ok.c", Answer::SafeInBounds),
    // Main and the four threads, the first three in a wrong order.
    ("token_ring_bad.c", Answer::ViolatedIn(5)),
    ("Dining2.c", Answer::Safe),
    ("Dining4.c", Answer::SafeInContexts(3)),
    ("Dining5.c", Answer::SafeInContexts(3)),
    ("dekker_true-unreach-call.i", Answer::SafeInBounds),
    (
        "gcd_true-unreach-call_true-termination.i",
        Answer::SafeInBounds,
    ),
    ("lamport_true-unreach-call.i", Answer::SafeInBounds),
    ("peterson_true-unreach-call.i", Answer::SafeInBounds),
    ("szymanski_true-unreach-call.i", Answer::SafeInBounds),
    // Main, the updater adds up, the reader is halfway, the updater checks.
    ("qrcu_false-unreach-call.i", Answer::ViolatedIn(4)),
    ("qrcu_true-unreach-call.i", Answer::SafeInBounds),
    // Main, the first reader computes `r - 1`, the second reads, the first puts
    // `r` to zero, a writer, the second reader.
    (
        "read_write_lock_false-unreach-call.i",
        Answer::ViolatedIn(6),
    ),
    ("scull_true-unreach-call.i", Answer::SafeInContexts(3)),
    ("fk2012_true-unreach-call.i", Answer::SafeInBounds),
    ("fkp2013_variant_true-unreach-call.i", Answer::SafeInBounds),
    ("fkp2014_true-unreach-call.i", Answer::SafeInBounds),
    // As in the driver above.
    ("qw2004_false-unreach-call.i", Answer::ViolatedIn(3)),
    ("qw2004_true-unreach-call.i", Answer::SafeInBounds),
    ("qw2004_variant_true-unreach-call.i", Answer::SafeInBounds),
    ("sssc12_variant_true-unreach-call.i", Answer::SafeInBounds),
];

impl Answer {
    /// Whoever gives this answer knows at least what `wanted` says.
    fn implies(self, wanted: Answer) -> bool {
        match (self, wanted) {
            (Answer::ViolatedIn(_), Answer::Violated) => true,
            (Answer::Safe, Answer::SafeInBounds | Answer::SafeInContexts(_)) => true,
            (Answer::SafeInBounds, Answer::SafeInContexts(_)) => true,
            (Answer::SafeInContexts(seen), Answer::SafeInContexts(wanted)) => seen >= wanted,
            _ => self == wanted,
        }
    }
}

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

    fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
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
        notice(&format!(
            "{failed} of {all} programs of the corpus cannot be read:\n{list}"
        ));
    }
    assert!(
        failed * 100 <= all,
        "{failed} of {all} programs cannot be read:\n{list}"
    );
}

#[test]
fn verdicts_agree_with_the_manifest() {
    let Some(corpus) = corpus() else {
        return;
    };
    let is_small = |row: &Row| SMALL.iter().any(|set| row.path.starts_with(set));
    let mut rows = manifest(&corpus);
    rows.retain(|row| is_small(row) && row.check().is_some());
    for (name, _) in DECIDED {
        let n_rows = rows.iter().filter(|row| row.file_name() == *name).count();
        assert_eq!(n_rows, 1, "{name} should be in the manifest once");
    }
    let rows = usable(rows);
    cases::check_all(&rows, Row::to_string, |row| check(&corpus, row));
}

fn check(corpus: &Path, row: &Row) -> Result<(), String> {
    let program = clang::default().load(&row.file(corpus), &row.args(corpus))?;
    let answer = explore(&program, row)?;
    let contradicts = match answer {
        Some(Answer::ViolatedIn(_) | Answer::Violated) => row.expected == "safe",
        Some(Answer::Safe) => row.expected == "unsafe",
        Some(Answer::SafeInBounds | Answer::SafeInContexts(_)) | None => false,
    };
    if contradicts {
        return Err(format!(
            "{answer:?}, but the manifest says {}",
            row.expected
        ));
    }
    let wanted = DECIDED.iter().find(|(name, _)| *name == row.file_name());
    match (wanted, answer) {
        (None, _) => Ok(()),
        (Some((_, wanted)), Some(answer)) if answer.implies(*wanted) => Ok(()),
        (Some((_, wanted)), _) => Err(format!("should be {wanted:?}, but is {answer:?}")),
    }
}

/// Explores all schedules if the limit on states permits, with a bound on loops
/// if need be, or else as many contexts as it permits.
fn explore(program: &Program, row: &Row) -> Result<Option<Answer>, String> {
    let checks: Checks = row.check().into_iter().collect();
    let unbounded = Config {
        checks,
        surroundings: library::Surroundings {
            spurious_wakeups: true,
            ..Default::default()
        },
        local_limit: MAX_LOCAL_WORK,
        ..Config::default()
    };
    let bounded = Config {
        // The header of a loop is reached once more than its body.
        unwind: Some(row.iterations.unwrap_or(USUAL_ITERATIONS) + 1),
        ..unbounded.clone()
    };
    let image = run::image(program, &unbounded)?;
    let explore = |config: &Config, contexts: Option<u32>| {
        let bounds = Bounds {
            contexts,
            max_states: MAX_STATES,
            ..Bounds::default()
        };
        let mode = Mode {
            find_all: false,
            merge: true,
        };
        let digest = replay::digest(program);
        let mut is_shallow = |progress: &Progress| progress.depth < MAX_DEPTH;
        let exploration = replay::explore(&image, config, digest, &bounds, mode, &mut is_shallow);
        for found in &exploration.violations {
            witness::confirm(&image, config, found)?;
        }
        Ok::<Exploration, String>(exploration)
    };
    let mut answer = None;
    for config in [&unbounded, &bounded] {
        let exploration = explore(config, None)?;
        if !exploration.violations.is_empty() {
            answer = Some(Answer::Violated);
            break;
        }
        if is_whole(&exploration) {
            return Ok(Some(match exploration.is_complete() {
                true => Answer::Safe,
                false => Answer::SafeInBounds,
            }));
        }
    }
    for contexts in 1..=MAX_CONTEXTS {
        let exploration = explore(&bounded, Some(contexts))?;
        if !exploration.violations.is_empty() {
            return Ok(Some(Answer::ViolatedIn(contexts)));
        }
        if !is_whole(&exploration) {
            break;
        }
        if answer != Some(Answer::Violated) {
            answer = Some(Answer::SafeInContexts(contexts));
        }
    }
    Ok(answer)
}

/// Nothing was left out but for the bounds.
fn is_whole(exploration: &Exploration) -> bool {
    exploration.interrupted.is_none()
        && exploration.unsupported.is_empty()
        && exploration.undefined.is_empty()
}
