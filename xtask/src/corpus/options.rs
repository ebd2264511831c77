//! What can be asked of `cargo xtask corpus`.

use super::manifest::{Expected, Row};
use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = "\
usage: cargo xtask corpus [OPTIONS]

  --property NAME    the rows of this property: unreach-call [default], no-data-race,
                     no-deadlock or valid-memtrack
  --set NAME         only this set; may be given several times
  --only TEXT        only programs with this text in their path
  --verdict VERDICT  only programs that are safe (true), unsafe (false) or neither (unknown)
  --time SECONDS     for each program [default: 60]
  --memory SIZE      for each program [default: 4G]
  --jobs N           programs at a time [default: 1]
  --out FILE         write a line per program: set, program, expected, verdict, seconds, peak
                     memory in MB, reason
  --resume           keep what FILE says already, and run the rest

Rows of the manifest that are known to be wrong are judged by what is true, counted as
`corrected`, and listed with the reason.";

/// What a process may take longer than it was told to.
pub(super) const GRACE: Duration = Duration::from_secs(15);

/// A property, as the manifest calls it and as the tool does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub name: &'static str,
    pub checked_as: &'static str,
}

const PROPERTIES: [Property; 5] = [
    Property {
        name: "unreach-call",
        checked_as: "assert",
    },
    Property {
        name: "no-data-race",
        checked_as: "race",
    },
    Property {
        name: "no-deadlock",
        checked_as: "deadlock",
    },
    Property {
        name: "valid-memtrack",
        checked_as: "leak",
    },
    Property {
        name: "valid-memcleanup",
        checked_as: "cleanup",
    },
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub property: &'static Property,
    /// Empty: all of them.
    pub sets: Vec<String>,
    pub only: Option<String>,
    pub expected: Option<Expected>,
    pub time: Duration,
    /// In bytes.
    pub memory: u64,
    pub jobs: usize,
    pub out: Option<PathBuf>,
    pub resume: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            property: &PROPERTIES[0],
            sets: Vec::new(),
            only: None,
            expected: None,
            time: Duration::from_secs(60),
            memory: 4 << 30,
            jobs: 1,
            out: None,
            resume: false,
        }
    }
}

impl Options {
    pub(super) fn parse(arguments: &[&str]) -> Result<Options, String> {
        let mut options = Options::default();
        // Both `--set NAME` and `--set=NAME`.
        let mut words = arguments
            .iter()
            .flat_map(|word| match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => vec![name, value],
                _ => vec![*word],
            });
        while let Some(name) = words.next() {
            if name == "--resume" {
                options.resume = true;
                continue;
            }
            let value = || format!("`{name}` needs a value that makes sense\n\n{HELP}");
            let text = words.next();
            match name {
                "--property" => options.property = text.and_then(property).ok_or_else(value)?,
                "--set" => options.sets.push(text.ok_or_else(value)?.to_owned()),
                "--only" => options.only = Some(text.ok_or_else(value)?.to_owned()),
                "--out" => options.out = Some(PathBuf::from(text.ok_or_else(value)?)),
                "--verdict" => options.expected = Some(text.and_then(verdict).ok_or_else(value)?),
                "--time" => {
                    let seconds = text.and_then(positive).ok_or_else(value)?;
                    options.time = Duration::from_secs(seconds);
                }
                "--jobs" => options.jobs = text.and_then(positive).ok_or_else(value)? as usize,
                "--memory" => options.memory = text.and_then(size).ok_or_else(value)?,
                _ => return Err(format!("there is no option `{name}`\n\n{HELP}")),
            }
        }
        if options.resume && options.out.is_none() {
            return Err(format!("`--resume` needs `--out`\n\n{HELP}"));
        }
        Ok(options)
    }

    pub(super) fn selects(&self, row: &Row) -> bool {
        let has_set = self.sets.is_empty() || self.sets.iter().any(|set| set == row.set());
        let has_text = self
            .only
            .as_ref()
            .is_none_or(|text| row.program.contains(text.as_str()));
        let has_verdict = self.expected.is_none_or(|wanted| wanted == row.expected);
        row.property == self.property.name && has_set && has_text && has_verdict
    }
}

fn property(text: &str) -> Option<&'static Property> {
    PROPERTIES.iter().find(|property| property.name == text)
}

/// In the words of task definitions, or in those of the manifest.
fn verdict(text: &str) -> Option<Expected> {
    match text {
        "true" => Some(Expected::Safe),
        "false" => Some(Expected::Unsafe),
        _ => Expected::from_name(text),
    }
}

fn positive(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number| *number > 0)
}

fn size(text: &str) -> Option<u64> {
    let units = [("K", 10), ("M", 20), ("G", 30)];
    let (digits, shift) = units
        .iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)))
        .unwrap_or((text, 0));
    positive(digits)?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = Options::parse(&[
            "--set",
            "sct",
            "--set=lfds",
            "--only",
            "stack",
            "--verdict",
            "false",
            "--time=5",
            "--memory",
            "500M",
            "--jobs",
            "2",
            "--out",
            "r.tsv",
            "--resume",
            "--property=no-data-race",
        ]);
        let expected = Options {
            property: &PROPERTIES[1],
            sets: vec!["sct".to_owned(), "lfds".to_owned()],
            only: Some("stack".to_owned()),
            expected: Some(Expected::Unsafe),
            time: Duration::from_secs(5),
            memory: 500 << 20,
            jobs: 2,
            out: Some(PathBuf::from("r.tsv")),
            resume: true,
        };
        assert_eq!(options, Ok(expected));
        assert_eq!(Options::parse(&[]), Ok(Options::default()));
    }

    #[test]
    fn wrong_options_are_refused() {
        for words in [
            &["--sets", "a"][..],
            &["--set"],
            &["--time", "soon"],
            &["--time", "0"],
            &["--memory", "4X"],
            &["--verdict", "maybe"],
            &["--property", "assert"],
            &["--resume"],
            &["sct"],
        ] {
            assert!(Options::parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn programs_are_selected_by_set_text_and_verdict() {
        let row = Row {
            correction: None,
            program: "sct/stack_bad.c".to_owned(),
            property: "unreach-call".to_owned(),
            expected: Expected::Unsafe,
            bits: 64,
        };
        let selects = |words: &[&str]| Options::parse(words).is_ok_and(|o| o.selects(&row));
        assert!(selects(&[]));
        assert!(selects(&["--set", "lfds", "--set", "sct"]));
        assert!(selects(&["--only", "stack", "--verdict", "false"]));
        assert!(!selects(&["--set", "lfds"]));
        assert!(!selects(&["--only", "queue"]));
        assert!(!selects(&["--verdict", "true"]));
        assert!(!selects(&["--property", "no-deadlock"]));
    }
}
