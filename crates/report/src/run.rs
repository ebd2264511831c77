//! One run: its violations, its trace, how it ended.

use crate::plural;
use crate::trace::render_trace;
use ir::{Location, Op, Program};
use replay::{Cut, Outcome, Run, Violation, ViolationKind};
use std::fmt::Write;

/// A violation with its call stack and details.
pub fn render_violation(program: &Program, violation: &Violation) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", violation.describe(program));
    for detail in &violation.details {
        let _ = writeln!(text, "  {detail}");
    }
    if is_about_volatile(program, violation) {
        let _ = writeln!(
            text,
            "  one of them is volatile; with --volatile atomic, such accesses do not race"
        );
    }
    let has_stack = violation
        .stack
        .iter()
        .any(|entry| !entry.function.is_empty());
    if violation.details.is_empty() && has_stack {
        for (index, entry) in violation.stack.iter().enumerate() {
            let place = entry.location.map_or(String::new(), |l| {
                format!(" at {}", program.describe_location(l))
            });
            let word = if index == 0 { "in" } else { "called from" };
            let thread = match index {
                0 => format!("thread {}, ", violation.thread),
                _ => String::new(),
            };
            let _ = writeln!(text, "  {thread}{word} {}{place}", entry.function);
        }
    }
    text
}

/// Whether an access of a race is volatile, and not atomic.
fn is_about_volatile(program: &Program, violation: &Violation) -> bool {
    let tops = violation.parties.iter().filter_map(|stack| stack.first());
    let places: Vec<Location> = tops.filter_map(|entry| entry.location).collect();
    let bodies = program.functions.values().filter_map(|f| f.body.as_ref());
    let mut insts = bodies.flat_map(|body| body.insts.values());
    violation.kind == ViolationKind::DataRace
        && insts.any(|inst| {
            let is_volatile = matches!(
                inst.op,
                Op::Load {
                    ordering: None,
                    is_volatile: true,
                    ..
                } | Op::Store {
                    ordering: None,
                    is_volatile: true,
                    ..
                }
            );
            is_volatile && inst.location.is_some_and(|place| places.contains(&place))
        })
}

/// The run as a whole; the trace only if it was recorded.
pub fn render_run(program: &Program, run: &Run, width: usize) -> String {
    let mut text = String::new();
    if !run.trace.is_empty() {
        text.push_str(&render_trace(program, run, width));
        text.push('\n');
    }
    for violation in &run.violations {
        text.push_str("VIOLATED ");
        text.push_str(&render_violation(program, violation));
    }
    let _ = writeln!(
        text,
        "{} after {}",
        describe_outcome(program, &run.outcome),
        plural(u128::from(run.steps), "visible step")
    );
    text
}

pub(crate) fn describe_outcome(program: &Program, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("exit status {code}"),
        Outcome::Aborted => "aborted by the program".to_owned(),
        Outcome::Violated => "ended by the violation".to_owned(),
        Outcome::Undefined(kind) => format!("ended by undefined behaviour ({kind})"),
        Outcome::Assumption => "discarded: an assumption of the program does not hold".to_owned(),
        Outcome::Endless(function) => {
            format!("{function} loops for ever without any visible step: never ended")
        }
        Outcome::Cut(cut) => format!("cut: {}", describe_cut(cut)),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::StepLimit => "stopped at the limit of steps (--steps)".to_owned(),
        Outcome::Unsupported(unsupported) => {
            let place = unsupported.location.map_or(String::new(), |l| {
                format!("{}: ", program.describe_location(l))
            });
            format!("stopped: {place}{} is not supported", unsupported.what)
        }
        Outcome::ScheduleEnded => "the schedule ends here".to_owned(),
    }
}

pub(crate) fn describe_cut(cut: &Cut) -> String {
    match cut {
        Cut::Loop { place, .. } => format!("the loop at {place} (--unwind)"),
        Cut::Recursion { name, .. } => format!("the recursion of {name} (--unwind)"),
        Cut::LocalWork(function) => {
            format!("a thread works in {function} without any visible step, perhaps for ever")
        }
        Cut::Memory => "the program needs more memory than a run may have".to_owned(),
    }
}
