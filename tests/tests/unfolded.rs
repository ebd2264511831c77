//! What unfolding makes of the programs in `tests/unfolded`, compared as text.
//!
//! Each program says in its first line how it is unfolded (see
//! `tests/src/unfolding.rs`) and in its second what it is about; the text beside
//! it is what every version of clang must lead to. The texts tell whether
//! unfolding has changed, not whether it is right: that is for the tests that
//! compare it with runs. There are no verdicts in them.
//!
//! After a change that is meant to change them, `BLESS_UNFOLDED=1` rewrites the
//! texts; what it has rewritten is to be read before it is committed.

use std::path::{Path, PathBuf};
use tests::clang::{self, Clang};
use tests::unfolding::{self, Directive};
use tests::{cases, folder};

/// Rewrites the texts if it is set.
const BLESS: &str = "BLESS_UNFOLDED";

#[test]
fn programs_unfold_to_the_texts_beside_them() {
    let all = sources();
    assert!(all.len() >= 60, "only {} programs are left", all.len());
    let is_blessing = std::env::var_os(BLESS).is_some();
    cases::check_all(
        &all,
        |source| name(source),
        |source| match is_blessing {
            true => bless(source),
            false => compare(source),
        },
    );
}

#[test]
fn no_text_is_left_of_a_program_that_is_gone() {
    for text in files("threads") {
        let source = text.with_extension("c");
        assert!(source.exists(), "{} belongs to no program", text.display());
    }
}

fn compare(source: &Path) -> Result<(), String> {
    let expected = std::fs::read_to_string(expectation(source))
        .map_err(|error| format!("cannot read its text, {BLESS}=1 writes it: {error}"))?;
    for clang in clang::all() {
        let Some(actual) = text(clang, source)? else {
            continue;
        };
        if let Some(difference) = first_difference(&expected, &actual) {
            let clang = clang.name();
            return Err(format!(
                "with {clang} it unfolds to something else ({BLESS}=1 rewrites it):\n{difference}"
            ));
        }
    }
    Ok(())
}

fn bless(source: &Path) -> Result<(), String> {
    let Some(text) = text(clang::default(), source)? else {
        return Err(format!("{} cannot build it", clang::default().name()));
    };
    std::fs::write(expectation(source), text).map_err(|error| error.to_string())
}

/// What a program unfolds to, if this clang can build for its target.
fn text(clang: &Clang, source: &Path) -> Result<Option<String>, String> {
    let program = std::fs::read_to_string(source).map_err(|error| error.to_string())?;
    let directive = Directive::of(&program)?;
    if directive.clang.iter().any(|arg| arg == "-m32") && !clang.has_32_bits {
        return Ok(None);
    }
    let mut program = clang.load(source, &directive.clang)?;
    for path in program.files.values_mut() {
        *path = path.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let unfolding = unfolding::unfold(&program, &directive.options);
    let unfolding = unfolding.map_err(|error| error.to_string())?;
    Ok(Some(unfolding.threads.text(Some(&program)).to_string()))
}

fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut expected, mut actual) = (expected.lines(), actual.lines());
    for number in 1.. {
        let (old, new) = (expected.next(), actual.next());
        if old != new {
            let show = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
            let (old, new) = (show(old), show(new));
            return Some(format!("line {number}\n  was {old}\n  now {new}"));
        }
        if old.is_none() {
            break;
        }
    }
    Some("the ends of lines differ".to_owned())
}

fn expectation(source: &Path) -> PathBuf {
    source.with_extension("threads")
}

fn sources() -> Vec<PathBuf> {
    files("c")
}

/// All files below `tests/unfolded` with this ending, in order.
fn files(ending: &str) -> Vec<PathBuf> {
    let mut pending = vec![folder().join("unfolded")];
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        let entries = std::fs::read_dir(&folder).expect("tests/unfolded should be there");
        for entry in entries {
            let path = entry.expect("tests/unfolded should be readable").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|it| it == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn name(source: &Path) -> String {
    let name = source.strip_prefix(folder()).unwrap_or(source);
    name.display().to_string()
}
