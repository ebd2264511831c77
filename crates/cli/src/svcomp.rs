//! `threadbare check --svcomp`: the conventions of the software verification
//! competition. Reads its property files, and ends the output with the word
//! that BenchExec expects. Decides nothing about programs.

use crate::args::Check as Arguments;
use crate::check::Checked;
use crate::{Failure, Status, print};
use replay::Violation;
use report::Verdict;
use std::path::Path;

/// The functions whose call is the error, newest name first.
const ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// Checks as `threadbare check` does. Whatever happens, the last line is a word
/// that competition scripts understand.
pub fn check(arguments: &Arguments) -> Result<Status, Failure> {
    let result = answer(arguments);
    let word = match &result {
        Ok((word, _)) => (*word).to_owned(),
        Err(failure) => {
            let message = failure.to_string();
            format!("ERROR ({})", message.lines().next().unwrap_or("failed"))
        }
    };
    print(format!("{word}\n"))?;
    result.map(|(_, status)| status)
}

fn answer(arguments: &Arguments) -> Result<(&'static str, Status), Failure> {
    if let Some(path) = &arguments.prop
        && let Some(other) = unsupported_property(path)?
    {
        eprintln!("threadbare: the property `{other}` is not supported yet");
        return Ok(("unknown", Status::Unknown));
    }
    let checked = Checked::of(arguments)?;
    checked.tell(arguments)?;
    let status = checked.status()?;
    if let check::Verdict::Violated(run) = &checked.report.verdict
        && !run.violations.iter().any(is_error_call)
    {
        // The property is about the error function alone; that an assertion
        // fails first does not say whether it can be called.
        eprintln!("threadbare: an assertion fails, but no error function is called");
        return Ok(("unknown", Status::Unknown));
    }
    Ok((word(checked.verdict()), status))
}

/// Only what holds without any bound is true.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Violated => "false(unreach-call)",
        Verdict::Safe => "true",
        Verdict::SafeWithinBounds | Verdict::Unknown => "unknown",
    }
}

fn is_error_call(violation: &Violation) -> bool {
    ERROR_FUNCTIONS
        .iter()
        .any(|name| violation.message == format!("{name} is called"))
}

/// The first property in the file that is not the reachability of an error.
fn unsupported_property(path: &Path) -> Result<Option<String>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::Read {
        path: path.to_path_buf(),
        error,
    })?;
    let properties = parse_properties(&text).map_err(|line| Failure::Property {
        path: path.to_path_buf(),
        line,
    })?;
    Ok(properties.into_iter().find(|property| {
        ERROR_FUNCTIONS
            .iter()
            .all(|name| *property != format!("G!call({name}())"))
    }))
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
    fn only_what_holds_without_bounds_is_true() {
        assert_eq!(word(Verdict::Safe), "true");
        assert_eq!(word(Verdict::SafeWithinBounds), "unknown");
        assert_eq!(word(Verdict::Unknown), "unknown");
        assert_eq!(word(Verdict::Violated), "false(unreach-call)");
    }
}
