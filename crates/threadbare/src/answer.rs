//! Answers: the verdict, and what belongs to it, as facts and in words.

use crate::{Options, Program, Question};
use check::{Report, SliceResult, Verdict};
use replay::Run;
use report::{Cost, Replay};
use std::fmt;
use std::time::Duration;

/// Columns for texts whose place nobody has told.
const WIDTH: usize = 160;

/// What is known about a question now. It prints as `threadbare check` does.
#[derive(Clone, Debug)]
pub struct Answer {
    question: Question,
    report: Report,
    elapsed: Duration,
}

impl Answer {
    pub(crate) fn new(question: Question, report: Report, elapsed: Duration) -> Answer {
        Answer {
            question,
            report,
            elapsed,
        }
    }

    pub fn verdict(&self) -> &Verdict {
        &self.report.verdict
    }

    /// The run that shows the violation, if there is one, with its trace and its
    /// schedule. It was run, not guessed.
    pub fn violation(&self) -> Option<&Run> {
        match self.verdict() {
            Verdict::Violated(run) => Some(run),
            _ => None,
        }
    }

    /// Everything else that was found out on the way.
    pub fn report(&self) -> &Report {
        &self.report
    }

    pub fn program(&self) -> &Program {
        self.question.program()
    }

    /// What it is the answer to.
    pub fn options(&self) -> &Options {
        self.question.options()
    }

    /// What it took, reading the program included.
    pub fn cost(&self) -> Cost {
        let loading = self.program().loading();
        Cost {
            elapsed: loading + self.elapsed,
            loading,
            peak_memory: solve::memory::peak(),
        }
    }

    /// In words, for a page of so many columns. Whoever keeps schedules in files says
    /// how a user gets to see a violation again.
    pub fn to_text(&self, width: usize, replay: Option<&Replay>) -> String {
        report::render_check(self.program().model(), &self.report, replay, width)
    }

    /// As `threadbare check --json` does.
    pub fn to_json(&self) -> serde_json::Value {
        report::check_to_json(self.program().model(), &self.report, &self.cost())
    }

    /// For [`check::combine`], if the question is part of a larger one that can be
    /// asked in slices: that needs given bounds.
    pub fn to_slice_result(&self) -> Option<SliceResult> {
        let digest = replay::digest(self.program().model());
        let reason = self.verdict().reason();
        let reason = reason.and_then(report::describe_reason);
        let seconds = self.cost().elapsed.as_secs_f64();
        SliceResult::of(digest, self.options(), &self.report, reason, seconds)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(WIDTH, None))
    }
}
