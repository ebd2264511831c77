//! Results of slices: what one machine found in its partitions, as a file, and
//! how the files of several become one verdict.
//!
//! Slices fit together only if they are of the same program, the same question
//! and the same partitions. A gap is refused: nobody has looked there.

use crate::facts::Limits;
use crate::question::Question;
use crate::verdict::{Options, Report, Verdict};
use search::{Key, SealError, Slice, Strategy};
use serde::{Deserialize, Serialize};

/// Changes when the meaning of fields does.
const FORMAT: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SliceVerdict {
    Violated,
    None,
    Unknown,
}

/// What was found in one slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceResult {
    pub format: u32,
    /// The version that found it.
    pub version: String,
    /// Digest of the program.
    pub program: String,
    /// Bounds, and whatever else the formula depends on.
    pub question: Question,
    pub partitions: u64,
    /// The first one.
    pub from: u64,
    /// The last one.
    pub to: u64,
    pub verdict: SliceVerdict,
    /// Why it is unknown, in words for people.
    pub reason: Option<String>,
    /// What was not gone beyond; empty if nothing was left out.
    pub limits: Limits,
    /// The text of a schedule file that shows the violation.
    pub schedule: Option<String>,
    pub seconds: f64,
    /// If there is a key.
    pub seal: Option<String>,
}

impl SliceResult {
    /// Seals it. What was sealed before is sealed anew.
    pub fn seal(&mut self, key: &Key) -> Result<(), serde_json::Error> {
        self.seal = None;
        self.seal = Some(key.seal(self)?);
        Ok(())
    }

    /// Whether it is what somebody with the key has found.
    pub fn check_seal(&self, key: &Key) -> Result<(), SealError> {
        let mut content = self.clone();
        let seal = content.seal.take();
        key.check(&content, seal.as_deref())
    }

    /// The result of a check; `None` if its bounds were not given. A search that
    /// is not by partitions is all of one. `reason` says in words why it is unknown,
    /// if it is.
    pub fn of(
        digest: u64,
        options: &Options,
        report: &Report,
        reason: Option<String>,
        seconds: f64,
    ) -> Option<SliceResult> {
        let slice = match &options.search.strategy {
            Some(Strategy::Partition(slice)) => *slice,
            _ => Slice::all(0),
        };
        let mut result = SliceResult {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: format!("{digest:016x}"),
            question: Question::of(options, options.bounds.order?, options.bounds.unwind?),
            partitions: slice.n_partitions(),
            from: slice.from,
            to: slice.to,
            verdict: SliceVerdict::None,
            reason: None,
            limits: match &report.verdict {
                Verdict::SafeUpTo(limits) => limits.clone(),
                _ => report.limits_of_part.clone().unwrap_or_default(),
            },
            schedule: None,
            seconds,
            seal: None,
        };
        match &report.verdict {
            Verdict::Violated(run) => {
                result.verdict = SliceVerdict::Violated;
                result.schedule = Some(run.schedule.to_string());
            }
            Verdict::Safe | Verdict::SafeUpTo(_) => {}
            // A slice cannot say more than this.
            Verdict::Unknown { .. } if report.limits_of_part.is_some() && !slice.is_all() => {}
            Verdict::Unknown { .. } => {
                result.verdict = SliceVerdict::Unknown;
                result.reason = reason;
            }
        }
        Some(result)
    }
}

/// What slices say together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combined {
    /// With the text of a schedule.
    Violated(String),
    /// Up to these limits; empty if nothing was left out.
    None(Limits),
    Unknown {
        /// Of which partitions.
        from: u64,
        to: u64,
        reason: Option<String>,
    },
}

/// Why slices cannot be put together. The numbers are places in the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("there is nothing to combine")]
    Nothing,
    #[error("result {index} is of another {what} than the first: {theirs}, not {ours}")]
    Other {
        index: usize,
        what: &'static str,
        theirs: String,
        ours: String,
    },
    #[error("result {index} makes no sense: {what}")]
    Malformed { index: usize, what: String },
    #[error("partitions {from} to {to} of {of} are missing")]
    Gap { from: u64, to: u64, of: u64 },
}

/// One verdict of several slices. A violation needs no other slice; everything
/// else needs all of them.
pub fn combine(results: &[SliceResult]) -> Result<Combined, Misfit> {
    let first = results.first().ok_or(Misfit::Nothing)?;
    for (index, result) in results.iter().enumerate() {
        let number = |number: u64| number.to_string();
        let pairs = [
            (
                "format",
                number(result.format.into()),
                number(FORMAT.into()),
            ),
            ("version", result.version.clone(), first.version.clone()),
            ("program", result.program.clone(), first.program.clone()),
            (
                "question",
                result.question.to_string(),
                first.question.to_string(),
            ),
            (
                "number of partitions",
                number(result.partitions),
                number(first.partitions),
            ),
        ];
        for (what, theirs, ours) in pairs {
            if theirs != ours {
                return Err(Misfit::Other {
                    index,
                    what,
                    theirs,
                    ours,
                });
            }
        }
        let malformed = |what: &str| Misfit::Malformed {
            index,
            what: what.to_owned(),
        };
        if result.from > result.to || result.to >= result.partitions {
            return Err(malformed("there are no such partitions"));
        }
        if (result.verdict == SliceVerdict::Violated) != result.schedule.is_some() {
            return Err(malformed("only a violation has a schedule"));
        }
    }
    if let Some(schedule) = results.iter().find_map(|result| result.schedule.clone()) {
        return Ok(Combined::Violated(schedule));
    }
    let mut slices: Vec<(u64, u64)> = results.iter().map(|r| (r.from, r.to)).collect();
    slices.sort_unstable();
    let mut next = 0;
    let of = first.partitions;
    for (from, to) in slices {
        if from > next {
            let to = from - 1;
            return Err(Misfit::Gap { from: next, to, of });
        }
        next = next.max(to + 1);
    }
    if next < of {
        let (from, to) = (next, of - 1);
        return Err(Misfit::Gap { from, to, of });
    }
    if let Some(unknown) = (results.iter()).find(|r| r.verdict == SliceVerdict::Unknown) {
        return Ok(Combined::Unknown {
            from: unknown.from,
            to: unknown.to,
            reason: unknown.reason.clone(),
        });
    }
    // Slices may differ in whether they had the time to see that a loop ends.
    let mut limits = Limits::default();
    for result in results {
        limits.join(result.limits.clone());
    }
    Ok(Combined::None(limits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Order;

    fn limits() -> Limits {
        Limits {
            order: Some(Order::Contexts(4)),
            ..Limits::default()
        }
    }

    fn result(from: u64, to: u64) -> SliceResult {
        SliceResult {
            format: FORMAT,
            version: "1".to_owned(),
            program: "p".to_owned(),
            question: Question::of(&Options::default(), Order::Contexts(4), 1),
            partitions: 8,
            from,
            to,
            verdict: SliceVerdict::None,
            reason: None,
            limits: limits(),
            schedule: None,
            seconds: 1.0,
            seal: None,
        }
    }

    #[test]
    fn all_slices_make_a_verdict() {
        let none = Ok(Combined::None(limits()));
        assert_eq!(combine(&[result(0, 7)]), none);
        assert_eq!(combine(&[result(4, 7), result(0, 3)]), none);
        assert_eq!(combine(&[result(0, 5), result(3, 7)]), none);
    }

    #[test]
    fn gaps_are_refused() {
        let gap = |from, to| Err(Misfit::Gap { from, to, of: 8 });
        assert_eq!(combine(&[]), Err(Misfit::Nothing));
        assert_eq!(combine(&[result(1, 7)]), gap(0, 0));
        assert_eq!(combine(&[result(0, 2), result(5, 7)]), gap(3, 4));
        assert_eq!(combine(&[result(0, 6)]), gap(7, 7));
    }

    #[test]
    fn a_violation_needs_no_others() {
        let mut violated = result(2, 2);
        violated.verdict = SliceVerdict::Violated;
        violated.schedule = Some("s".to_owned());
        let expected = Ok(Combined::Violated("s".to_owned()));
        assert_eq!(combine(&[violated.clone()]), expected);
        assert_eq!(combine(&[result(0, 1), violated]), expected);
    }

    #[test]
    fn what_is_unknown_stays_so() {
        let mut unknown = result(4, 7);
        unknown.verdict = SliceVerdict::Unknown;
        unknown.reason = Some("the time is over".to_owned());
        let combined = combine(&[result(0, 3), unknown]).unwrap();
        let expected = Combined::Unknown {
            from: 4,
            to: 7,
            reason: Some("the time is over".to_owned()),
        };
        assert_eq!(combined, expected);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        type Change = fn(&mut SliceResult);
        let changes: [(&str, Change); 4] = [
            ("program", |r| r.program.push('x')),
            ("question", |r| {
                r.question = Question::of(&Options::default(), Order::Contexts(5), 1);
            }),
            ("version", |r| r.version.push('x')),
            ("number of partitions", |r| r.partitions = 16),
        ];
        for (name, change) in changes {
            let mut other = result(4, 7);
            change(&mut other);
            match combine(&[result(0, 3), other]) {
                Err(Misfit::Other { index: 1, what, .. }) => assert_eq!(what, name),
                outcome => panic!("{name}: {outcome:?}"),
            }
        }
        let impossible = combine(&[result(0, 3), result(4, 8)]);
        assert!(matches!(
            impossible,
            Err(Misfit::Malformed { index: 1, .. })
        ));
    }
}
