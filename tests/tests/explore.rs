//! The explorer counts what a person counts.
//!
//! Each folder of `tests/regress/explore` has a program, `prog.c`, and what is
//! true of it, `expect.toml`: the verdict, the kinds of violation, how many
//! schedules there are and how many end in a violation, with the reason. The
//! numbers were derived by hand, so that they check the explorer and not the
//! other way round.
//!
//! Programs are explored with and without recognising states seen before, which
//! must make no difference, and every violation is replayed.

use library::MemoryModel;
use replay::{Bounds, Checks, Config, Exploration, Limit, Mode, Property, ViolationKind};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tests::clang::{self, Clang};
use tests::{cases, folder, run, witness};

/// What `expect.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    verdict: Verdict,
    /// Names of the kinds, sorted; empty for `safe`.
    violations: Vec<String>,
    schedules: u64,
    violating: Option<u64>,
    /// How to get to these numbers.
    why: String,

    /// What to check for; everything but leaks if not given.
    properties: Option<Vec<String>>,
    contexts: Option<u32>,
    rounds: Option<u32>,
    unwind: Option<u32>,
    /// Values that inputs take.
    inputs: Option<Vec<u64>>,
    /// So many arguments, at most, are inputs; there are none if not given.
    arguments: Option<u32>,
    /// So many signals may arrive in each thread; none if not given.
    signals: Option<u32>,
    /// Sequential consistency if not given.
    memory_model: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// None of the schedules within the bounds violates anything.
    Safe,
    Violated,
}

struct Case {
    name: String,
    folder: PathBuf,
    clang: &'static Clang,
}

/// Up to this many schedules are also explored one by one.
const MAX_UNMERGED: u64 = 20_000;

#[test]
fn counts_and_violations_are_as_expected() {
    let mut all = Vec::new();
    for folder in case_folders() {
        let name = folder.file_name().unwrap_or_default().display().to_string();
        // Other compilers than the default one see half of the cases.
        let others = if hash(&name).is_multiple_of(2) {
            usize::MAX
        } else {
            0
        };
        for clang in clang::all().iter().take(others.saturating_add(1)) {
            all.push(Case {
                name: name.clone(),
                folder: folder.clone(),
                clang,
            });
        }
    }
    let name = |case: &Case| format!("{} ({})", case.name, case.clang.name());
    cases::check_all(&all, name, check);
}

fn case_folders() -> Vec<PathBuf> {
    let folder = folder().join("regress/explore");
    let entries = std::fs::read_dir(folder).expect("tests/regress/explore should be there");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| {
            entry
                .expect("tests/regress/explore should be readable")
                .path()
        })
        .collect();
    folders.sort();
    folders
}

/// FNV-1a, which is the same everywhere and always.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn check(case: &Case) -> Result<(), String> {
    let expected = read_expectation(&case.folder)?;
    let program = case.clang.load(&case.folder.join("prog.c"), &[])?;
    let (config, bounds) = settings(&expected)?;
    let image = run::image(&program, &config)?;
    let digest = replay::digest(&program);
    let explore = |merge: bool| {
        let mode = Mode {
            find_all: true,
            merge,
        };
        replay::explore(&image, &config, digest, &bounds, mode, &mut patience())
    };
    let mut problems = Vec::new();
    let merged = explore(true);
    problems.extend(compare(&expected, &merged));
    for found in &merged.violations {
        problems.extend(witness::confirm(&image, &config, found).err());
    }
    if expected.schedules < MAX_UNMERGED {
        let unmerged = explore(false);
        if let Some(problem) = compare(&expected, &unmerged) {
            problems.push(format!("without merging: {problem}"));
        }
        if sites(&merged) != sites(&unmerged) {
            problems.push("without merging, violations are in other places".to_owned());
        }
        for found in &unmerged.violations {
            problems.extend(witness::confirm(&image, &config, found).err());
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems.join("; ")),
    }
}

fn read_expectation(folder: &Path) -> Result<Expectation, String> {
    let text = std::fs::read_to_string(folder.join("expect.toml"))
        .map_err(|error| format!("expect.toml: {error}"))?;
    let expected: Expectation =
        toml::from_str(&text).map_err(|error| format!("expect.toml: {error}"))?;
    match expected.problem() {
        Some(problem) => Err(format!("expect.toml: {problem}")),
        None => Ok(expected),
    }
}

impl Expectation {
    /// What cannot be meant like this.
    fn problem(&self) -> Option<&'static str> {
        let is_violated = self.verdict == Verdict::Violated;
        if self.why.trim().is_empty() {
            Some("`why` is empty")
        } else if self.violations.is_empty() == is_violated {
            Some("`violations` does not fit `verdict`")
        } else if !self.violations.is_sorted_by(|a, b| a < b) {
            Some("`violations` is not sorted, or lists a kind twice")
        } else if self.schedules == 0 {
            Some("there is always a schedule")
        } else if self
            .violating
            .is_some_and(|violating| violating > self.schedules)
        {
            Some("more schedules are violating than there are")
        } else if self.properties.as_ref().is_some_and(Vec::is_empty) {
            Some("`properties` is empty")
        } else if self.inputs.as_ref().is_some_and(Vec::is_empty) {
            Some("`inputs` is empty")
        } else {
            None
        }
    }
}

fn settings(expected: &Expectation) -> Result<(Config, Bounds), String> {
    let checks = match &expected.properties {
        None => Checks::default(),
        Some(names) => names
            .iter()
            .map(|name| Property::from_name(name).ok_or(format!("'{name}' is no property")))
            .collect::<Result<Checks, String>>()?,
    };
    let memory_model = match &expected.memory_model {
        Some(name) => MemoryModel::from_name(name).ok_or(format!("no memory model: {name}"))?,
        None => MemoryModel::Sc,
    };
    let config = Config {
        checks,
        unwind: expected.unwind,
        surroundings: library::Surroundings {
            more_arguments: expected.arguments.unwrap_or(0),
            signals: expected.signals.unwrap_or(0),
            memory_model,
            ..Default::default()
        },
        ..Config::default()
    };
    let mut bounds = Bounds {
        contexts: expected.contexts,
        rounds: expected.rounds,
        ..Bounds::default()
    };
    if let Some(inputs) = &expected.inputs {
        bounds.inputs = inputs.iter().map(|value| u128::from(*value)).collect();
    }
    Ok((config, bounds))
}

/// Ends an exploration that a mistake has made endless. It is asked every few
/// steps; the largest case is far from the limit.
fn patience() -> impl FnMut(&replay::Progress) -> bool {
    let mut asked = 0;
    move |_| {
        asked += 1;
        asked < 200_000
    }
}

/// How an exploration differs from what was expected.
fn compare(expected: &Expectation, actual: &Exploration) -> Option<String> {
    if let Some(reason) = actual.interrupted {
        return Some(format!(
            "not finished after {} schedules: {reason:?}",
            actual.count.schedules
        ));
    }
    if let Some(unsupported) = actual.unsupported.first() {
        return Some(format!("not supported: {}", unsupported.what));
    }
    let is_unknown = |limit: &Limit| matches!(limit, Limit::UnknownCall(..));
    if actual.limits.iter().any(is_unknown) {
        return Some("an unknown function is called".to_owned());
    }
    let kinds: BTreeSet<ViolationKind> = sites(actual).into_iter().map(|(kind, _)| kind).collect();
    let mut kinds: Vec<&str> = kinds.into_iter().map(ViolationKind::name).collect();
    kinds.sort_unstable();
    let verdict = match kinds.is_empty() {
        true => Verdict::Safe,
        false => Verdict::Violated,
    };
    let (schedules, violating) = (actual.count.schedules, actual.count.violating);
    let as_expected = verdict == expected.verdict
        && kinds == expected.violations
        && schedules == u128::from(expected.schedules)
        && expected
            .violating
            .is_none_or(|expected| violating == u128::from(expected));
    (!as_expected).then(|| {
        let expected_violating = expected
            .violating
            .map_or("any number of".to_owned(), |number| number.to_string());
        format!(
            "expected {:?} {:?}, {} schedules, {expected_violating} violating; \
             got {verdict:?} {kinds:?}, {schedules} schedules, {violating} violating",
            expected.verdict, expected.violations, expected.schedules
        )
    })
}

/// What was found, without how to get there.
fn sites(exploration: &Exploration) -> BTreeSet<(ViolationKind, Option<ir::Location>)> {
    let found = exploration.violations.iter();
    found.map(|found| found.violation.site()).collect()
}

#[test]
fn expectations_are_read_strictly() {
    let check = |text: &str| match toml::from_str::<Expectation>(text) {
        Ok(expected) => expected.problem().is_none(),
        Err(_) => false,
    };
    let fine = "verdict = 'safe'\nviolations = []\nschedules = 1\nwhy = 'it is'\n";
    assert!(check(fine));
    assert!(check(&format!("{fine}contexts = 3\nviolating = 0")));
    assert!(check(&format!("{fine}rounds = 2\ncontexts = 3")));
    for line in fine.lines() {
        assert!(!check(&fine.replace(line, "")), "{line} may not be missing");
    }
    assert!(!check(""));
    assert!(!check(&format!("{fine}context = 3")));
    assert!(!check(&format!("{fine}violating = 2")));
    assert!(!check(&format!("{fine}inputs = []")));
    assert!(!check(&fine.replace("'it is'", "' '")));
    assert!(!check(&fine.replace("'safe'", "'violated'")));
    assert!(!check(&fine.replace("'safe'", "'unknown'")));
    assert!(!check(&fine.replace("[]", "['deadlock']")));
    assert!(!check(&fine.replace("schedules = 1", "schedules = 0")));
}
