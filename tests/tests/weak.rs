//! The checker says what is true of programs under weak memory models.
//!
//! Each folder of `tests/regress/weak` has a program, `prog.c`, and what is true of it
//! under some memory models, `expect.toml`, written by hand with the reason. With or
//! without each reduction the verdict must be the same, and the same as the explorer's,
//! which has its own idea of each model. So it is with classic and published programs, and
//! with random ones, of which the axioms say what may come out.

use check::{Reason, Verdict};
use library::MemoryModel;
use replay::{Checks, Config, Mode, Property};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use tests::oracle::compare::variants;
use tests::oracle::{weak, weak_threads};
use tests::{cases, clang, folder, notice, repository, run};

/// What `expect.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    /// By memory model: `sc safe, rc11 violated`.
    verdict: String,
    /// Why that is so.
    why: String,
    /// For every loop; there are none if not given.
    unwind: Option<u32>,
    /// What to check for; assertions if not given.
    properties: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Safe,
    Violated,
    /// Neither the checker nor the explorer says anything.
    Unsupported,
}

impl Expectation {
    fn verdicts(&self) -> Result<Vec<(MemoryModel, Expected)>, String> {
        let parts = self.verdict.split(',');
        let verdicts = parts.map(|part| {
            let (model, verdict) = part.trim().split_once(' ').ok_or("no verdict")?;
            let verdict = match verdict {
                "safe" => Expected::Safe,
                "violated" => Expected::Violated,
                "unsupported" => Expected::Unsupported,
                _ => return Err(format!("'{verdict}' is no verdict")),
            };
            let model = MemoryModel::from_name(model);
            Ok((model.ok_or("there is no such memory model")?, verdict))
        });
        verdicts.collect()
    }
}

#[test]
fn verdicts_are_as_expected() {
    let entries = std::fs::read_dir(folder().join("regress/weak"));
    let entries = entries.expect("tests/regress/weak should be there");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it should be readable").path())
        .collect();
    folders.sort();
    let name = |folder: &PathBuf| folder.file_name().unwrap_or_default().display().to_string();
    cases::check_all(&folders, name, |folder| check_case(folder));
}

fn check_case(folder: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(folder.join("expect.toml"))
        .map_err(|error| format!("expect.toml: {error}"))?;
    let expected: Expectation =
        toml::from_str(&text).map_err(|error| format!("expect.toml: {error}"))?;
    if expected.why.trim().is_empty() {
        return Err("expect.toml: `why` is empty".to_owned());
    }
    let program = clang::default().load(&folder.join("prog.c"), &[])?;
    let checks = match &expected.properties {
        None => Checks::NONE.with(Property::Assert),
        Some(names) => names
            .iter()
            .map(|name| Property::from_name(name).ok_or(format!("'{name}' is no property")))
            .collect::<Result<Checks, String>>()?,
    };
    for (memory_model, verdict) in expected.verdicts()? {
        let config = Config {
            checks,
            surroundings: library::Surroundings {
                memory_model,
                ..Default::default()
            },
            ..Config::default()
        };
        let told = |what: String| format!("{}: {what}", memory_model.name());
        explore(&program, &config, expected.unwind, verdict).map_err(told)?;
        check(&program, &config, expected.unwind, verdict).map_err(told)?;
    }
    Ok(())
}

fn check(
    program: &ir::Program,
    config: &Config,
    unwind: Option<u32>,
    expected: Expected,
) -> Result<(), String> {
    for reductions in variants() {
        let options = check::Options {
            bounds: check::Bounds {
                unwind,
                ..check::Bounds::default()
            },
            config: config.clone(),
            reductions,
            encodings: [check::Encoding::Order].into(),
            engines: [check::Engine::Bounded].into(),
            looks_beside: false,
            ..check::Options::default()
        };
        let report = check::check(program, &options, &|_| true);
        let actual = match &report.verdict {
            Verdict::Violated(_) => Expected::Violated,
            // What is left is that the program asks for less than the model says.
            Verdict::Safe
            | Verdict::SafeUpTo(_)
            | Verdict::Unknown {
                reason: Reason::Bounds,
                ..
            } => Expected::Safe,
            Verdict::Unknown {
                reason: Reason::Unsupported(_),
                ..
            } => Expected::Unsupported,
            Verdict::Unknown { reason, .. } => {
                let words = report::describe_reason(reason).unwrap_or_default();
                return Err(format!("unknown: {words}"));
            }
        };
        if actual != expected {
            return Err(format!("{actual:?} with {reductions:?}"));
        }
    }
    Ok(())
}

/// The expectation itself, as the explorer sees it.
fn explore(
    program: &ir::Program,
    config: &Config,
    unwind: Option<u32>,
    expected: Expected,
) -> Result<(), String> {
    let config = Config {
        unwind,
        ..config.clone()
    };
    let image = run::image(program, &config)?;
    let bounds = tests::oracle::compare::bounds(None, None);
    let mode = Mode {
        find_all: false,
        merge: true,
    };
    let exploration = replay::explore(&image, &config, 0, &bounds, mode, &mut |_| true);
    if exploration.interrupted.is_some() {
        return Err("this is too much for the explorer".to_owned());
    }
    let actual = match (
        exploration.violations.is_empty(),
        exploration.unsupported.is_empty(),
    ) {
        (false, _) => Expected::Violated,
        (true, true) => Expected::Safe,
        (true, false) => Expected::Unsupported,
    };
    match actual == expected {
        true => Ok(()),
        false => Err(format!("{actual:?} for the explorer")),
    }
}

#[test]
fn classic_programs_have_the_known_answers() {
    let folder = folder().join("litmus");
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("should read");
    let lines: Vec<&str> = (table.lines())
        .filter(|line| !line.starts_with('#'))
        .collect();
    let name = |line: &&str| line.split('\t').next().unwrap_or_default().to_owned();
    cases::check_all(&lines, name, |line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, answers @ .., _why] = columns.as_slice() else {
            return Err("this is no line of the table".to_owned());
        };
        let program = clang::default().load(&folder.join(format!("{name}.c")), &[])?;
        for (model, expected) in MemoryModel::ALL.into_iter().zip(answers) {
            if weak::is_violated(&program, model)? != (*expected == "violated") {
                return Err(format!("not {expected} under {}", model.name()));
            }
        }
        Ok(())
    });
}

#[test]
fn published_programs_have_the_published_answers() {
    let folder: PathBuf = repository().join("../shared/corpus/litmus/rc11");
    let Ok(table) = std::fs::read_to_string(folder.join("EXPECT.tsv")) else {
        notice(&format!("skipped: there is no {}", folder.display()));
        return;
    };
    let lines: Vec<&str> = table.lines().collect();
    let name = |line: &&str| (*line).to_owned();
    cases::check_all(&lines, name, |line| {
        let (name, expected) = line.split_once('\t').ok_or("no expectation")?;
        let program = clang::default().load(&folder.join(name), &[])?;
        match weak::is_violated(&program, MemoryModel::Rc11)? == (expected == "violated") {
            true => Ok(()),
            false => Err("the answer is another one".to_owned()),
        }
    });
}

/// How many is up to `THREADBARE_WEAK_PROGRAMS`.
#[test]
fn random_programs_come_out_as_the_axioms_say() {
    let count = std::env::var("THREADBARE_WEAK_PROGRAMS");
    let count: Option<u64> = count.ok().and_then(|count| count.parse().ok());
    let seeds: Vec<u64> = (0..count.unwrap_or(60)).collect();
    cases::check_all(&seeds, u64::to_string, |seed| weak::ask_checker(*seed));
}

#[test]
fn random_threads_are_the_same_to_checker_and_explorer() {
    let seeds: Vec<u64> = (0..12).collect();
    cases::check_all(&seeds, u64::to_string, |seed| {
        weak_threads::compare(*seed).map(|_| ())
    });
}
