//! The checker says what is true of programs on which it once did not.
//!
//! Each folder of `tests/regress/check` has a program, `prog.c`, and what is true
//! of it within bounds, `expect.toml`. With or without each reduction the
//! verdict must be the same, and the same as the explorer's.

use check::{Order, Reductions, Slice, Strategy, Tiling, Verdict};
use replay::{Checks, Config, Mode, Property};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tests::oracle::compare::variants;
use tests::{cases, clang, folder, run};

/// What `expect.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    verdict: Expected,
    /// Why that is so.
    why: String,
    /// One of the two is given.
    contexts: Option<u32>,
    rounds: Option<u32>,
    /// For every loop.
    unwind: u32,
    /// What to check for; assertions if not given.
    properties: Option<Vec<String>>,
    /// Values of inputs that are enough to explore.
    inputs: Option<Vec<u64>>,
    /// 64 if not given.
    bits: Option<u32>,
    /// The checker does not know, and says this; the explorer does.
    unsupported: Option<String>,
    /// Whether allocations may fail; they do not if not given.
    malloc_may_fail: Option<bool>,
    /// So many arguments, at most, are inputs; there are none if not given.
    arguments: Option<u32>,
    /// So many signals may arrive in each thread; none if not given.
    signals: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Expected {
    /// Within the bounds.
    Safe,
    Violated,
}

impl Expectation {
    fn order(&self) -> Result<Order, String> {
        match (self.contexts, self.rounds) {
            (Some(contexts), None) => Ok(Order::Contexts(contexts)),
            (None, Some(rounds)) => Ok(Order::Rounds(rounds)),
            _ => Err("either `contexts` or `rounds` is needed".to_owned()),
        }
    }

    /// Whether a verdict depends on what the checker does not know.
    fn is_left_open(&self, limits: &check::Limits) -> bool {
        let mut words = limits.assumptions.iter().map(report::describe_assumption);
        let what = self.unsupported.as_ref();
        what.is_some_and(|what| words.any(|words| words.contains(what)))
    }

    fn args(&self) -> Result<Vec<String>, String> {
        let mut args = match self.bits {
            None | Some(64) => Vec::new(),
            Some(32) => vec!["-m32".to_owned()],
            Some(bits) => return Err(format!("there are no programs for {bits} bits")),
        };
        let mut properties = self.properties.iter().flatten();
        if properties.any(|name| name == Property::Conversion.name()) {
            args.push(clang::CONVERSIONS.to_owned());
        }
        Ok(args)
    }
}

#[test]
fn verdicts_are_as_expected() {
    let folders = case_folders();
    let name = |folder: &PathBuf| folder.file_name().unwrap_or_default().display().to_string();
    cases::check_all(&folders, name, |folder| check_case(folder));
}

fn case_folders() -> Vec<PathBuf> {
    let folder = folder().join("regress/check");
    let entries = std::fs::read_dir(folder).expect("tests/regress/check should be there");
    let path = |entry: std::io::Result<std::fs::DirEntry>| {
        entry
            .expect("tests/regress/check should be readable")
            .path()
    };
    let mut folders: Vec<PathBuf> = entries.map(path).collect();
    folders.sort();
    folders
}

fn read(folder: &Path) -> Result<Expectation, String> {
    let text = std::fs::read_to_string(folder.join("expect.toml"))
        .map_err(|error| format!("expect.toml: {error}"))?;
    let expected: Expectation =
        toml::from_str(&text).map_err(|error| format!("expect.toml: {error}"))?;
    match expected.why.trim().is_empty() {
        true => Err("expect.toml: `why` is empty".to_owned()),
        false => Ok(expected),
    }
}

fn check_case(folder: &Path) -> Result<(), String> {
    let expected = read(folder)?;
    let program = clang::default().load(&folder.join("prog.c"), &expected.args()?)?;
    let checks = match &expected.properties {
        None => Checks::NONE.with(Property::Assert),
        Some(names) => names
            .iter()
            .map(|name| Property::from_name(name).ok_or(format!("'{name}' is no property")))
            .collect::<Result<Checks, String>>()?,
    };
    let config = Config {
        checks,
        surroundings: library::Surroundings {
            malloc_may_fail: expected.malloc_may_fail.unwrap_or(false),
            more_arguments: expected.arguments.unwrap_or(0),
            signals: expected.signals.unwrap_or(0),
            ..Default::default()
        },
        ..Config::default()
    };
    explore(&program, &config, &expected)?;
    let strategies = [
        Strategy::Cubes,
        Strategy::Partition(Slice::all(2)),
        Strategy::Widen,
        Strategy::Swarm(Tiling::default()),
    ];
    let variants = variants().into_iter().map(|variant| (variant, None));
    let strategies = strategies.map(|strategy| (Reductions::default(), Some(strategy)));
    for (reductions, strategy) in variants.chain(strategies) {
        let search = check::Search {
            cores: if strategy.is_some() { 2 } else { 1 },
            strategy: strategy.clone(),
            ..check::Search::default()
        };
        let options = check::Options {
            bounds: check::Bounds {
                order: Some(expected.order()?),
                unwind: Some(expected.unwind),
                unwind_every_loop: true,
                unwind_set: BTreeMap::new(),
            },
            config: config.clone(),
            reductions,
            search,
            looks_beside: false,
            ..check::Options::default()
        };
        let report = check::check(&program, &options, &|_| true);
        let actual = match report.verdict {
            Verdict::Violated(_) => Expected::Violated,
            Verdict::SafeUpTo(limits) if expected.is_left_open(&limits) => continue,
            Verdict::Safe | Verdict::SafeUpTo(_) => Expected::Safe,
            Verdict::Unknown { reason, .. } => {
                let words = report::describe_reason(&reason).unwrap_or_default();
                match &expected.unsupported {
                    Some(what) if words.contains(what) => continue,
                    _ => return Err(format!("unknown: {words}")),
                }
            }
        };
        if expected.unsupported.is_some() {
            return Err(format!("{actual:?}, although it should not be supported"));
        }
        if actual != expected.verdict {
            return Err(format!("{actual:?} with {reductions:?}, {strategy:?}"));
        }
    }
    // Whether a bound is enough is a question about a bound.
    let can_grow = !config.checks.has(Property::Unwind);
    if expected.verdict == Expected::Violated && expected.unsupported.is_none() && can_grow {
        grow(&program, &config)?;
    }
    Ok(())
}

/// Bounds that grow come to it too, on one core and on several.
fn grow(program: &ir::Program, config: &Config) -> Result<(), String> {
    for cores in [1, 3] {
        let report = check::check(program, &without_bounds(config, cores), &|_| true);
        if !matches!(report.verdict, Verdict::Violated(_)) {
            return Err(format!("{:?} on {cores} cores", report.verdict));
        }
    }
    Ok(())
}

fn without_bounds(config: &Config, cores: usize) -> check::Options {
    check::Options {
        config: config.clone(),
        search: check::Search {
            cores,
            ..check::Search::default()
        },
        ..check::Options::default()
    }
}

/// Without a violation, and the bounds could grow for ever.
const ENDLESS: &str = "
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void abort(void);
_Atomic unsigned even;
static void *count(void *arg) {
    while (1) even += 2;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, count, 0);
    pthread_create(&second, 0, count, 0);
    while (1) if (even % 2) abort();
}";

#[test]
fn a_core_that_panics_stops_the_others() {
    let folder = tempfile::tempdir().expect("should make a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, ENDLESS).expect("should write");
    let program = clang::default().load(&file, &[]).expect("should load");
    // The first core works in the thread of this name.
    let watch = |_: &check::Progress| {
        let thread = std::thread::current();
        assert_eq!(
            thread.name(),
            Some("bounded"),
            "meant to fail on other cores"
        );
        true
    };
    let report = check::check(&program, &without_bounds(&Config::default(), 3), &watch);
    let internal = report.verdict.reason().and_then(check::Reason::internal);
    assert_eq!(internal, Some(&check::Internal::Panicked));
}

/// The expectation itself, as the explorer sees it.
fn explore(program: &ir::Program, config: &Config, expected: &Expectation) -> Result<(), String> {
    let mut config = config.clone();
    config.unwind = Some(expected.unwind);
    let image = run::image(program, &config)?;
    let mut bounds = tests::oracle::compare::bounds(expected.contexts, expected.rounds);
    if let Some(inputs) = &expected.inputs {
        bounds.inputs = inputs.iter().map(|value| u128::from(*value)).collect();
    }
    let mode = Mode {
        find_all: false,
        merge: true,
    };
    let exploration = replay::explore(&image, &config, 0, &bounds, mode, &mut |_| true);
    if exploration.interrupted.is_some() || !exploration.unsupported.is_empty() {
        return Err("this is too much for the explorer".to_owned());
    }
    match exploration.violations.is_empty() == (expected.verdict == Expected::Safe) {
        true => Ok(()),
        false => Err("the explorer does not agree with expect.toml".to_owned()),
    }
}

#[test]
fn expectations_are_read_strictly() {
    let check = |text: &str| match toml::from_str::<Expectation>(text) {
        Ok(expected) => expected.order().is_ok() && expected.args().is_ok(),
        Err(_) => false,
    };
    let fine = "verdict = 'safe'\nwhy = 'it is'\ncontexts = 2\nunwind = 1\n";
    assert!(check(fine));
    assert!(check(&format!(
        "{fine}inputs = [0]\nbits = 32\nproperties = ['assert']"
    )));
    for line in fine.lines() {
        assert!(!check(&fine.replace(line, "")), "{line} may not be missing");
    }
    assert!(!check(&format!("{fine}rounds = 2")));
    assert!(!check(&format!("{fine}schedules = 2")));
    assert!(!check(&format!("{fine}bits = 16")));
    assert!(!check(&fine.replace("'safe'", "'unknown'")));
}
