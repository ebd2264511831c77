//! `threadbare check --svcomp`: the conventions of the software verification
//! competition. Reads its property files, and ends the output with the word
//! that BenchExec expects. Decides nothing about programs.

use crate::args::Check as Arguments;
use crate::check::Checked;
use crate::guard::{self, Format};
use crate::{Failure, Status, mention, print, say};
use check::Verdict;
use replay::{Checks, Property, Violation, ViolationKind};
use std::path::Path;
use system::files;

/// The functions whose call is the error, newest name first.
const ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];
const ERROR_CALL: &str = "G!call(reach_error())";

/// Checks as `threadbare check` does. Whatever happens, the last line is a word
/// that competition scripts understand.
pub(crate) fn check(arguments: &Arguments) -> Result<Status, Failure> {
    guard::keep(&arguments.limits, Format::Svcomp);
    let result = answer(arguments);
    if let Err(failure) = &result {
        guard::begin_to_tell();
        let word = match failure {
            // What was told ends with the word.
            Failure::NoAnswer(error) if error.is_limit() => String::new(),
            failure => {
                let message = failure.to_string();
                format!("ERROR ({})\n", message.lines().next().unwrap_or("failed"))
            }
        };
        mention(print(word));
    }
    result
}

fn answer(arguments: &Arguments) -> Result<Status, Failure> {
    let goals = match &arguments.prop {
        Some(path) => read_goals(path)?,
        None => Vec::new(),
    };
    let mut checks = Checks::NONE;
    for goal in &goals {
        let Some(properties) = goal.properties() else {
            say(format!(
                "threadbare: the property `{}` is not supported yet\n",
                goal.text
            ));
            mention(print("unknown\n"));
            return Ok(Status::Unknown);
        };
        checks = properties.iter().copied().fold(checks, Checks::with);
    }
    Checked::of(arguments, checks, &|checked| {
        mention(checked.tell(arguments));
        checked.keep(arguments);
        let status = checked.status()?;
        let (word, status) = judge(checked, &goals, status);
        mention(print(format!("{word}\n")));
        Ok(status)
    })
}

/// What was found out, in a word.
fn judge(checked: &Checked, goals: &[Goal], status: Status) -> (&'static str, Status) {
    match checked.answer.verdict() {
        Verdict::Violated(run) => {
            let mut words = run.violations.iter().filter_map(word);
            match words.find(|(_, formula)| goals.iter().any(|goal| goal.formula() == *formula)) {
                Some((word, _)) => (word, status),
                None => {
                    // That something else goes wrong first does not say whether this
                    // would have.
                    say("threadbare: what was found is no violation of this property\n");
                    ("unknown", Status::Unknown)
                }
            }
        }
        // Only what holds without any bound is true.
        Verdict::Safe => ("true", status),
        _ => ("unknown", status),
    }
}

/// A violation in the words of the competition, and the formula that it breaks.
fn word(violation: &Violation) -> Option<(&'static str, &'static str)> {
    Some(match violation.kind {
        ViolationKind::Assertion if violation.is_error_call => ("false(unreach-call)", ERROR_CALL),
        ViolationKind::DataRace => ("false(no-data-race)", "G!data-race"),
        ViolationKind::Overflow => ("false(no-overflow)", "G!overflow"),
        ViolationKind::DoubleFree | ViolationKind::InvalidFree => {
            ("false(valid-free)", "Gvalid-free")
        }
        ViolationKind::Leak => ("false(valid-memtrack)", "Gvalid-memtrack"),
        ViolationKind::NotFreed => ("false(valid-memcleanup)", "Gvalid-memcleanup"),
        kind if kind.property() == Property::Memory => ("false(valid-deref)", "Gvalid-deref"),
        _ => return None,
    })
}

/// A line of a property file.
struct Goal {
    /// Without spaces.
    text: String,
}

impl Goal {
    /// With the newest name of the error function.
    fn formula(&self) -> &str {
        let mut names = ERROR_FUNCTIONS.iter();
        match names.any(|name| self.text == format!("G!call({name}())")) {
            true => ERROR_CALL,
            false => &self.text,
        }
    }

    /// What has to be checked.
    fn properties(&self) -> Option<&'static [Property]> {
        match self.formula() {
            ERROR_CALL => Some(&[Property::Assert]),
            "G!data-race" => Some(&[Property::Race]),
            "G!overflow" => Some(&[Property::Overflow]),
            "Gvalid-deref" | "Gvalid-free" => Some(&[Property::Memory]),
            "Gvalid-memtrack" => Some(&[Property::Leak]),
            "Gvalid-memcleanup" => Some(&[Property::Cleanup]),
            _ => None,
        }
    }
}

fn read_goals(path: &Path) -> Result<Vec<Goal>, Failure> {
    let text = files::read_text(path, files::MOST_BYTES).map_err(|error| Failure::Read {
        path: path.to_path_buf(),
        error,
    })?;
    let properties = parse_properties(&text).map_err(|line| Failure::Property {
        path: path.to_path_buf(),
        line,
    })?;
    Ok(properties.into_iter().map(|text| Goal { text }).collect())
}

/// What each `CHECK( init(main()), LTL(...) )` asks for, without spaces. An
/// error is a line that is none.
fn parse_properties(text: &str) -> Result<Vec<String>, String> {
    let lines = text.lines().map(str::trim);
    let properties: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .map(|line| parse_property(line).ok_or_else(|| line.to_owned()))
        .collect::<Result<_, _>>()?;
    match properties.is_empty() {
        true => Err(String::new()),
        false => Ok(properties),
    }
}

fn parse_property(line: &str) -> Option<String> {
    let text: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let formula = text
        .strip_prefix("CHECK(init(main()),LTL(")?
        .strip_suffix("))")?;
    Some(formula.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_are_read_whatever_their_spaces() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(
                parse_properties(text),
                Ok(expected.iter().map(|text| (*text).to_owned()).collect())
            );
        };
        check(
            "CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n",
            &["G!call(reach_error())"],
        );
        check(
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK(init(main()),LTL(G valid-deref))",
            &["Gvalid-free", "Gvalid-deref"],
        );
        assert_eq!(parse_properties(""), Err(String::new()));
        assert_eq!(
            parse_properties("COVER EDGES(@DECISIONEDGE)"),
            Err("COVER EDGES(@DECISIONEDGE)".to_owned())
        );
    }

    #[test]
    fn violations_have_the_words_of_the_competition() {
        let check = |kind, is_error_call: bool, expected: Option<&str>| {
            let violation = Violation {
                kind,
                thread: 0,
                stack: Vec::new(),
                message: String::new(),
                is_error_call,
                details: Vec::new(),
                sites: Vec::new(),
                parties: Vec::new(),
                global: None,
            };
            assert_eq!(word(&violation).map(|(word, _)| word), expected);
        };
        check(ViolationKind::Assertion, true, Some("false(unreach-call)"));
        check(ViolationKind::Assertion, false, None);
        check(ViolationKind::Overflow, false, Some("false(no-overflow)"));
        check(
            ViolationKind::UseAfterFree,
            false,
            Some("false(valid-deref)"),
        );
        check(ViolationKind::DoubleFree, false, Some("false(valid-free)"));
        check(ViolationKind::Leak, false, Some("false(valid-memtrack)"));
        check(
            ViolationKind::NotFreed,
            false,
            Some("false(valid-memcleanup)"),
        );
        check(ViolationKind::DataRace, false, Some("false(no-data-race)"));
        check(ViolationKind::Deadlock, false, None);
    }

    #[test]
    fn the_old_error_function_means_the_same() {
        let goal = |text: &str| Goal {
            text: text.to_owned(),
        };
        assert_eq!(goal("G!call(__VERIFIER_error())").formula(), ERROR_CALL);
        assert_eq!(goal("G!overflow").formula(), "G!overflow");
        assert_eq!(goal("Fend").properties(), None);
    }
}
