//! What programs do on the machine is among what the explorer enumerates.
//!
//! Generated programs and all programs of `tests/regress` are compiled, run a few
//! times under random delays, and judged. `cargo xtask oracle --native --seed 1000
//! --count 1000 --keep findings` tries others, for longer.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use tests::judge::build::Workshop;
use tests::judge::campaign::{self, Plan, Tally};
use tests::judge::verdict::{Case, Effort, Kind, examine};
use tests::{cases, folder, notice};

const FIRST_SEED: u64 = 0;
const COUNT: u64 = 200;
const RUNS: u32 = 4;
const RACE_RUNS: u32 = 2;

/// Programs with ThreadSanitizer take long to build, so not all of them are.
const RACES_EVERY: u64 = 4;

/// Programs at the same time. They often wait.
const JOBS: usize = 3;

fn workshop() -> Workshop {
    let workshop = Workshop::open().expect("there should be a compiler and the runtime");
    for skipped in workshop.skipped() {
        notice(&format!("skipped: {skipped}: run scripts/install-clang"));
    }
    workshop
}

#[test]
fn generated_programs_do_what_is_enumerated() {
    let workshop = workshop();
    let plan = Plan {
        first_seed: FIRST_SEED,
        count: COUNT,
        runs: RUNS,
        race_runs: RACE_RUNS,
        races_every: RACES_EVERY,
        jobs: JOBS,
        keep: None,
        time: None,
        shrink_time: Duration::ZERO,
    };
    let tally = campaign::run(&plan, &workshop, &|_| {});
    let suspects: Vec<String> = (tally.suspects.iter())
        .map(|suspect| format!("{suspect}{}", suspect.program))
        .collect();
    assert!(suspects.is_empty(), "{tally}\n{}", suspects.join("\n"));
    assert!(tally.failures.is_empty(), "{tally}");
    assert_eq!(tally.programs, COUNT);
    // Else the programs do not say much.
    assert!(tally.judged > COUNT / 2, "{tally}");
}

/// What `expect.toml` says about inputs; the rest is for others.
#[derive(Deserialize)]
struct Expectation {
    inputs: Option<Vec<i64>>,
    bits: Option<u32>,
}

#[test]
fn regression_cases_do_what_is_enumerated() {
    let workshop = workshop();
    let sources = sources();
    let tally = Mutex::new(Tally::default());
    let name = |(_, source): &(u64, PathBuf)| source.display().to_string();
    cases::check_all(&sources, name, |(number, source)| {
        let case = read(source)?;
        let effort = Effort {
            runs: RUNS,
            race_runs: match number.is_multiple_of(RACES_EVERY) {
                true => RACE_RUNS,
                false => 0,
            },
            seed: 1,
            looks_for_wrong_accesses: false,
        };
        if case.is_32_bits && !workshop.has_32_bits {
            return Ok(());
        }
        let examined = examine(&workshop, &case, &effort)?;
        if let Ok(mut tally) = tally.lock() {
            tally.add(&examined);
        }
        match examined.findings.first() {
            Some(finding) => Err(finding.to_string()),
            None => Ok(()),
        }
    });
    let tally = tally.into_inner().unwrap_or_default();
    assert!(tally.judged > tally.programs / 3, "{tally}");
}

/// All programs with threads, numbered.
fn sources() -> Vec<(u64, PathBuf)> {
    let mut sources = Vec::new();
    for area in ["check", "explore"] {
        let folder = folder().join("regress").join(area);
        let entries = std::fs::read_dir(folder).expect("tests/regress should be there");
        let paths = entries.map(|entry| entry.expect("should be readable").path());
        sources.extend(paths.map(|folder| folder.join("prog.c")));
    }
    sources.retain(|path| {
        let text = std::fs::read_to_string(path).expect("a program should be readable");
        text.contains("_create")
    });
    sources.sort();
    (0..).zip(sources).collect()
}

fn read(source: &Path) -> Result<Case, String> {
    let text = std::fs::read_to_string(source.with_file_name("expect.toml"))
        .map_err(|error| format!("expect.toml: {error}"))?;
    let expected: Expectation =
        toml::from_str(&text).map_err(|error| format!("expect.toml: {error}"))?;
    let inputs = expected.inputs.unwrap_or(vec![0, 1]);
    Ok(Case {
        source: source.to_owned(),
        is_32_bits: expected.bits == Some(32),
        inputs: inputs.into_iter().map(|value| value as u128).collect(),
    })
}

/// A judge that never objects would be no judge.
#[test]
fn an_outcome_that_is_not_enumerated_is_found() {
    let workshop = workshop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("prog.c");
    let text = "\
extern int __VERIFIER_nondet_int(void);
int x;
int main(void) {
    x = __VERIFIER_nondet_int();
    return 0;
}
";
    std::fs::write(&source, text).expect("should be writable");
    let mut case = Case {
        source,
        is_32_bits: false,
        inputs: vec![0, 1],
    };
    let effort = Effort {
        runs: 20,
        race_runs: 0,
        seed: 1,
        looks_for_wrong_accesses: false,
    };
    let examined = examine(&workshop, &case, &effort).expect("should be judged");
    assert_eq!((examined.seen, examined.enumerated), (2, 2));
    assert!(examined.findings.is_empty());
    // The explorer does not look at all values, as if it had forgotten one.
    case.inputs = vec![0, 1, 2];
    let examined = tests::judge::verdict::examine_against(&workshop, &case, &effort, &[0, 1])
        .expect("should be judged");
    let findings: Vec<Kind> = examined
        .findings
        .iter()
        .map(|finding| finding.kind)
        .collect();
    assert_eq!(findings, [Kind::Outcome]);
    assert!(examined.findings[0].what.contains("x = 0x00000002"));
}
