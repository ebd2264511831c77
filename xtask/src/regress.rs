//! Regression cases: one folder each, with an expectation written by hand.

use crate::{Finding, Tree};
use toml::Table;

/// Where cases are: `tests/regress/<area>/<case>/`.
const CASES: &str = "tests/regress";

/// What each case must say: the verdict, and why that is the right one. A
/// verdict without a reason might have been copied from a run.
const REQUIRED: [&str; 2] = ["verdict", "why"];

/// The area whose cases ask the checker; they have bounds.
const CHECKED: &str = "check";

/// Each case has an `expect.toml` that says what is required. A case without
/// an expectation asserts nothing and passes for ever.
pub fn cases_state_expectations(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for area in tree.folders_in(CASES) {
        for case in tree.folders_in(&format!("{CASES}/{area}")) {
            let folder = format!("{CASES}/{area}/{case}/");
            let Some(file) = tree.text(&format!("{folder}expect.toml")) else {
                findings.push(Finding {
                    path: folder,
                    line: None,
                    message: "this case has no expect.toml".into(),
                });
                continue;
            };
            match file.text.parse::<Table>() {
                Err(error) => findings.push(file.finding(None, error.message())),
                Ok(table) => {
                    for key in REQUIRED.iter().filter(|key| !has_text(&table, key)) {
                        findings.push(file.finding(None, format!("`{key}` is missing or empty")));
                    }
                    if area == CHECKED {
                        for problem in problems_of_bounds(&table) {
                            findings.push(file.finding(None, problem));
                        }
                    }
                }
            }
        }
    }
    findings
}

/// A verdict of the checker means nothing without its bounds: so many contexts or
/// so many rounds, and so many iterations.
fn problems_of_bounds(table: &Table) -> Vec<String> {
    let mut problems = Vec::new();
    let orders = ["contexts", "rounds"].map(|key| table.contains_key(key));
    if orders[0] == orders[1] {
        problems.push("either `contexts` or `rounds` is needed".to_owned());
    }
    if !table.contains_key("unwind") {
        problems.push("`unwind` is missing".to_owned());
    }
    for key in ["contexts", "rounds", "unwind"] {
        let is_bound = |value: &toml::Value| value.as_integer().is_some_and(|n| n > 0);
        if table.get(key).is_some_and(|value| !is_bound(value)) {
            problems.push(format!("`{key}` is not a positive number"));
        }
    }
    let verdict = table.get("verdict").and_then(toml::Value::as_str);
    if verdict.is_some_and(|verdict| !["safe", "violated"].contains(&verdict)) {
        problems.push("`verdict` is neither 'safe' nor 'violated'".to_owned());
    }
    problems
}

fn has_text(table: &Table, key: &str) -> bool {
    let text = table.get(key).and_then(toml::Value::as_str);
    text.is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expectation: &str) -> Vec<String> {
        let case = "tests/regress/locks/twice";
        let tree = Tree::of(&[
            (&format!("{case}/main.c"), "int main(void) {}"),
            (&format!("{case}/expect.toml"), expectation),
        ]);
        let findings = cases_state_expectations(&tree);
        findings.into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn a_case_for_the_checker_has_bounds() {
        let check = |expectation: &str| {
            let text = format!("why = 'So it is.'\n{expectation}");
            let tree = Tree::of(&[("tests/regress/check/twice/expect.toml", &text)]);
            cases_state_expectations(&tree).len()
        };
        assert_eq!(check("verdict = 'safe'\ncontexts = 2\nunwind = 1"), 0);
        assert_eq!(check("verdict = 'violated'\nrounds = 2\nunwind = 1"), 0);
        assert_eq!(check("verdict = 'safe'\nunwind = 1"), 1);
        assert_eq!(check("verdict = 'safe'\ncontexts = 2"), 1);
        assert_eq!(
            check("verdict = 'safe'\ncontexts = 2\nrounds = 2\nunwind = 1"),
            1
        );
        assert_eq!(check("verdict = 'safe'\ncontexts = 0\nunwind = 1"), 1);
        assert_eq!(check("verdict = 'unknown'\ncontexts = 2\nunwind = 1"), 1);
    }

    #[test]
    fn a_case_needs_an_expectation() {
        let tree = Tree::of(&[("tests/regress/locks/twice/main.c", "")]);
        assert_eq!(
            cases_state_expectations(&tree)[0].to_string(),
            "tests/regress/locks/twice/: this case has no expect.toml"
        );
    }

    #[test]
    fn an_expectation_says_what_is_required() {
        let why = "why = 'The same thread locks twice.'\n";
        assert!(check(&format!("verdict = 'violated'\n{why}")).is_empty());
        assert_eq!(check(why), ["`verdict` is missing or empty"]);
        assert_eq!(
            check("verdict = 'safe'\nwhy = ' '\n"),
            ["`why` is missing or empty"]
        );
        assert_eq!(check("# later\n").len(), 2);
        assert_eq!(check("verdict = 10\n").len(), 2);
        assert_eq!(check("verdict = \n").len(), 1);
    }
}
