//! Facts travel as types: outside of `report`, and of those who read files of a
//! fixed form, no code compares a sentence or looks for one in a text.

use crate::{Finding, TextFile, Tree};

/// Where texts are made, or read from files that others have written.
const READERS: [&str; 10] = [
    "crates/report/",
    "crates/llvm/",
    "crates/library/",
    "crates/replay/src/schedule.rs",
    "crates/replay/src/models/",
    "crates/unfold/src/models/",
    "crates/solve/src/dimacs.rs",
    "crates/solve/src/answer.rs",
    "crates/cli/src/args.rs",
    "crates/cli/src/svcomp.rs",
];

/// Fields that hold sentences for people.
const SENTENCES: [&str; 4] = [".message", ".reason", ".what", ".problem"];

/// What is done to a text by whoever wants to know what it says.
const LOOKS: [&str; 6] = [
    "contains(\"",
    "starts_with(\"",
    "ends_with(\"",
    "strip_prefix(\"",
    "== \"",
    "!= \"",
];

/// No sentence is compared or parsed.
pub fn sentences_are_not_compared(tree: &Tree) -> Vec<Finding> {
    let is_meant = |file: &&TextFile| {
        file.path.starts_with("crates/")
            && file.path.contains("/src/")
            && !file.path.ends_with("/tests.rs")
            && !READERS.iter().any(|reader| file.path.starts_with(reader))
    };
    let mut findings = Vec::new();
    for file in tree.texts_with(".rs").filter(is_meant) {
        for (line, text) in file.lines() {
            // Tests may say what they expect.
            if text.starts_with("#[cfg(test)]") {
                break;
            }
            let code = text.trim_start();
            if !code.starts_with("//") && (compares_field(code) || looks_for_sentence(code)) {
                let message = "a sentence is compared; facts are types";
                findings.push(file.finding(line, message));
            }
        }
    }
    findings
}

/// `violation.message == ...`, `reason.what.contains(...)`.
fn compares_field(code: &str) -> bool {
    SENTENCES.iter().any(|field| {
        code.match_indices(field).any(|(index, _)| {
            let rest = &code[index + field.len()..];
            let rest = rest.trim_start_matches(".as_str()").trim_start();
            let looks = [".contains(", ".starts_with(", ".ends_with(", "== ", "!= "];
            looks.iter().any(|look| rest.starts_with(look))
        })
    })
}

/// A literal of several words is looked for.
fn looks_for_sentence(code: &str) -> bool {
    LOOKS.iter().any(|look| {
        code.match_indices(look).any(|(index, _)| {
            let literal = &code[index + look.len()..];
            let literal = &literal[..literal.find('"').unwrap_or(literal.len())];
            literal.trim().contains(' ')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparing_a_sentence_is_found() {
        let lines = |path: &str, text: &str| -> Vec<Option<usize>> {
            let tree = Tree::of(&[(path, text)]);
            let findings = sentences_are_not_compared(&tree);
            findings.iter().map(|finding| finding.line).collect()
        };
        let wrong = "fn f() {\n    if reason.starts_with(\"internal error\") {}\n\
                     if violation.message == name {}\n    a.what.contains(b);\n}\n";
        assert_eq!(
            lines("crates/check/src/a.rs", wrong),
            [Some(2), Some(3), Some(4)]
        );
        assert_eq!(lines("crates/report/src/a.rs", wrong), []);
        assert_eq!(lines("tests/src/a.rs", wrong), []);
        let fine = "// a == \"b c\"\nif name == \"main\" { say(\"a b\"); }\n\
                    #[cfg(test)]\nmod tests { x.contains(\"a b\"); }\n";
        assert_eq!(lines("crates/check/src/a.rs", fine), []);
    }
}
