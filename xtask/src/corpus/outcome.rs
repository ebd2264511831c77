//! What the tool said about a program, and whether that is right.

use super::child::End;
use super::manifest::{Expected, Row};
use serde_json::Value;

/// The verdict in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Violated,
    /// Without any bound.
    Safe,
    /// No violation within bounds, whether they were given or not.
    SafeUpTo,
    Unknown,
    /// No verdict: a crash, an internal error, a program that cannot be read.
    Error,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub word: Word,
    pub seconds: f64,
    pub megabytes: u64,
    /// One line.
    pub reason: String,
}

/// What a verdict is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// A violation where there is one.
    Found,
    /// No violation, where there is one.
    Missed,
    Safe,
    SafeUpTo,
    Unknown,
    Wrong,
    /// Nobody knows what is right.
    Unjudged,
}

impl Word {
    const ALL: [Word; 5] = [
        Word::Violated,
        Word::Safe,
        Word::SafeUpTo,
        Word::Unknown,
        Word::Error,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Word::Violated => "violated",
            Word::Safe => "safe",
            Word::SafeUpTo => "safe-up-to",
            Word::Unknown => "unknown",
            Word::Error => "error",
        }
    }

    fn from_name(name: &str) -> Option<Word> {
        Word::ALL.into_iter().find(|word| word.name() == name)
    }
}

pub(super) fn judge(expected: Expected, word: Word) -> Judgement {
    match (expected, word) {
        (Expected::Unknown, _) => Judgement::Unjudged,
        (Expected::Unsafe, Word::Violated) => Judgement::Found,
        (Expected::Unsafe, Word::Safe) | (Expected::Safe, Word::Violated) => Judgement::Wrong,
        (Expected::Unsafe, Word::SafeUpTo | Word::Unknown | Word::Error) => Judgement::Missed,
        (Expected::Safe, Word::Safe) => Judgement::Safe,
        (Expected::Safe, Word::SafeUpTo) => Judgement::SafeUpTo,
        (Expected::Safe, Word::Unknown | Word::Error) => Judgement::Unknown,
    }
}

impl Outcome {
    pub(super) fn of(end: &End) -> Outcome {
        let json: Option<Value> = serde_json::from_slice(&end.stdout).ok();
        let (word, reason) = match (end.killed, end.status.code(), &json) {
            (Some(why), _, _) => (Word::Error, format!("killed: {why}")),
            (None, None, _) => (Word::Error, format!("crashed: {}", end.status)),
            (None, Some(code), Some(json)) => read_verdict(code, json),
            (None, Some(code), None) => {
                let stderr = String::from_utf8_lossy(&end.stderr);
                let line = message(&stderr);
                (Word::Error, format!("exit code {code}: {line}"))
            }
        };
        // The process knows best, unless it did not live to tell.
        let told = json.and_then(|json| json["peak_memory"].as_u64());
        let peak = told.unwrap_or(0).max(end.peak_memory);
        Outcome {
            word,
            seconds: end.elapsed.as_secs_f64(),
            megabytes: peak.div_ceil(1_000_000),
            reason: one_line(&reason),
        }
    }

    /// Set, program, expected, verdict, seconds, megabytes, reason.
    pub(super) fn to_line(&self, row: &Row) -> String {
        format!(
            "{}\t{}\t{}\t{}\t{:.2}\t{}\t{}\n",
            row.set(),
            row.program,
            row.expected.name(),
            self.word.name(),
            self.seconds,
            self.megabytes,
            self.reason
        )
    }

    /// `None` if the line is not whole.
    pub(super) fn from_line(line: &str) -> Option<(Row, Outcome)> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, program, expected, word, seconds, megabytes, reason] = fields[..] else {
            return None;
        };
        let row = Row {
            program: program.to_owned(),
            property: "unreach-call".to_owned(),
            expected: Expected::from_name(expected)?,
            // Not kept, nor needed for what is done already.
            bits: 0,
            correction: None,
        };
        let outcome = Outcome {
            word: Word::from_name(word)?,
            seconds: seconds.parse().ok()?,
            megabytes: megabytes.parse().ok()?,
            reason: reason.to_owned(),
        };
        Some((row, outcome))
    }
}

/// The verdict and its reason. A verdict whose exit code says something else is
/// a mistake of the tool.
fn read_verdict(code: i32, json: &Value) -> (Word, String) {
    let reason = json["reason"].as_str().unwrap_or("").to_owned();
    let limits = json["limits"].as_array();
    match (json["verdict"].as_str(), code) {
        (Some("violated"), 10) => {
            let violation = &json["violations"][0];
            let reason = format!(
                "{} in {} contexts",
                violation["message"].as_str().unwrap_or("?"),
                violation["contexts"]
            );
            (Word::Violated, reason)
        }
        (Some("safe"), 0) => (Word::Safe, reason),
        (Some("safe up to bounds"), 0) => (Word::SafeUpTo, describe_limits(json)),
        (Some("unknown"), 20) if limits.is_some() => {
            let limits = describe_limits(json);
            (Word::SafeUpTo, format!("{reason}; up to {limits}"))
        }
        (Some("unknown"), 20) => (Word::Unknown, reason),
        (verdict, _) => {
            let verdict = verdict.unwrap_or("no verdict");
            (
                Word::Error,
                format!("exit code {code}, {verdict}: {reason}"),
            )
        }
    }
}

/// `contexts 4, loop main.0 3`.
fn describe_limits(json: &Value) -> String {
    let limits = json["limits"].as_array().map_or(&[][..], Vec::as_slice);
    let texts = limits.iter().map(|limit| {
        let fields = ["kind", "name", "what"].map(|field| limit[field].as_str());
        let bound = limit["bound"].as_u64().map(|bound| bound.to_string());
        let fields = fields.into_iter().flatten().map(str::to_owned);
        fields.chain(bound).collect::<Vec<_>>().join(" ")
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// What the tool complains of; its warnings come before.
fn message(stderr: &str) -> &str {
    let mut lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let is_message =
        |line: &&str| line.starts_with("threadbare: ") && !line.contains(": warning: ");
    let found = lines.clone().find(is_message);
    found.or_else(|| lines.next()).unwrap_or("nothing is said")
}

/// The first line, and no tabs, which would make columns.
fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or("").replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn verdicts_are_judged() {
        let check = |expected, word, judgement| {
            assert_eq!(judge(expected, word), judgement, "{expected:?} {word:?}");
        };
        check(Expected::Unsafe, Word::Violated, Judgement::Found);
        check(Expected::Unsafe, Word::SafeUpTo, Judgement::Missed);
        check(Expected::Unsafe, Word::Unknown, Judgement::Missed);
        check(Expected::Unsafe, Word::Error, Judgement::Missed);
        check(Expected::Unsafe, Word::Safe, Judgement::Wrong);
        check(Expected::Safe, Word::Violated, Judgement::Wrong);
        check(Expected::Safe, Word::Safe, Judgement::Safe);
        check(Expected::Safe, Word::SafeUpTo, Judgement::SafeUpTo);
        check(Expected::Safe, Word::Unknown, Judgement::Unknown);
        check(Expected::Safe, Word::Error, Judgement::Unknown);
        for word in Word::ALL {
            check(Expected::Unknown, word, Judgement::Unjudged);
        }
    }

    #[test]
    fn verdicts_are_read_from_json_and_exit_code() {
        let check = |code: i32, json: Value, word: Word, reason: &str| {
            assert_eq!(read_verdict(code, &json), (word, reason.to_owned()));
        };
        let violation = json!({"message": "x == 2 fails", "contexts": 5});
        check(
            10,
            json!({"verdict": "violated", "violations": [violation]}),
            Word::Violated,
            "x == 2 fails in 5 contexts",
        );
        check(0, json!({"verdict": "safe", "limits": []}), Word::Safe, "");
        let limits = json!([
            {"kind": "contexts", "bound": 4},
            {"kind": "loop", "name": "main.0", "location": null, "bound": 3},
            {"kind": "other", "what": "no luck"},
        ]);
        check(
            0,
            json!({"verdict": "safe up to bounds", "limits": limits}),
            Word::SafeUpTo,
            "contexts 4, loop main.0 3, other no luck",
        );
        check(
            20,
            json!({"verdict": "unknown", "limits": limits, "reason": "the time was over"}),
            Word::SafeUpTo,
            "the time was over; up to contexts 4, loop main.0 3, other no luck",
        );
        check(
            20,
            json!({"verdict": "unknown", "limits": null, "reason": "the time was over"}),
            Word::Unknown,
            "the time was over",
        );
    }

    /// Even one that sounds right.
    #[test]
    fn a_verdict_that_contradicts_the_exit_code_is_none() {
        for (code, verdict) in [(0, "violated"), (10, "safe"), (70, "unknown"), (0, "fine")] {
            let json = json!({"verdict": verdict, "limits": [], "reason": "internal error: oh"});
            let (word, reason) = read_verdict(code, &json);
            assert_eq!(word, Word::Error, "{verdict}");
            assert!(reason.contains(&code.to_string()), "{reason}");
        }
    }

    #[test]
    fn lines_can_be_read_again() {
        let row = Row {
            program: "sct/a.c".to_owned(),
            property: "unreach-call".to_owned(),
            expected: Expected::Safe,
            bits: 0,
            correction: None,
        };
        let outcome = Outcome {
            word: Word::SafeUpTo,
            seconds: 1.25,
            megabytes: 40,
            reason: "the time was over".to_owned(),
        };
        let line = outcome.to_line(&row);
        assert_eq!(
            line,
            "sct\tsct/a.c\tsafe\tsafe-up-to\t1.25\t40\tthe time was over\n"
        );
        assert_eq!(Outcome::from_line(line.trim_end()), Some((row, outcome)));
        assert_eq!(Outcome::from_line("sct\tsct/a.c\tsafe\tsafe-"), None);
    }

    #[test]
    fn complaints_are_found_behind_warnings() {
        let stderr = "a.c:1: warning: odd\nthreadbare: warning: no body\nthreadbare: cannot\n";
        assert_eq!(message(stderr), "threadbare: cannot");
        assert_eq!(message("Segmentation fault\n"), "Segmentation fault");
        assert_eq!(message(""), "nothing is said");
    }
}
