//! What an exploration has established, with its bounds.

use crate::run::{describe_cut, render_violation};
use crate::trace::render_trace;
use crate::{group_digits, plural};
use ir::Program;
use replay::{Excluded, Exploration, Limit, Run};
use std::fmt::Write;

/// What the user learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Violated,
    /// No violation, and nothing was left out.
    Safe,
    /// No violation within the bounds.
    SafeWithinBounds,
    Unknown,
}

impl Verdict {
    pub fn of(exploration: &Exploration) -> Verdict {
        if !exploration.violations.is_empty() {
            Verdict::Violated
        } else if exploration.interrupted.is_some() || !exploration.unsupported.is_empty() {
            Verdict::Unknown
        } else if exploration.is_complete() {
            Verdict::Safe
        } else {
            Verdict::SafeWithinBounds
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Violated => "violated",
            Verdict::Safe => "safe",
            Verdict::SafeWithinBounds => "safe up to bounds",
            Verdict::Unknown => "unknown",
        }
    }
}

/// The verdict with its reasons. `replays` are the traced runs of the violations,
/// in the same order.
pub fn render_exploration(
    program: &Program,
    exploration: &Exploration,
    replays: &[Run],
    inputs: &[u128],
    width: usize,
) -> String {
    let mut text = String::new();
    for (found, run) in exploration.violations.iter().zip(replays) {
        let _ = write!(
            text,
            "VIOLATED {}",
            render_violation(program, &found.violation)
        );
        text.push('\n');
        text.push_str(&render_trace(program, run, width));
        text.push('\n');
    }
    let verdict = Verdict::of(exploration);
    match verdict {
        Verdict::Violated if exploration.limits.is_empty() => {}
        Verdict::Violated => text.push_str("searched within\n"),
        Verdict::Safe => text.push_str("SAFE no schedule violates a checked property\n"),
        Verdict::SafeWithinBounds => {
            text.push_str("SAFE UP TO BOUNDS no violation within\n");
        }
        Verdict::Unknown => {
            let reason = exploration
                .interrupted
                .unwrap_or("something is not supported");
            let _ = writeln!(text, "UNKNOWN {reason}; no violation so far within");
        }
    }
    for limit in &exploration.limits {
        let _ = writeln!(text, "  {}", describe_limit(limit, inputs));
    }
    for unsupported in &exploration.unsupported {
        let place = unsupported.location.map_or(String::new(), |l| {
            format!("{}: ", program.describe_location(l))
        });
        let _ = writeln!(text, "  not supported: {place}{}", unsupported.what);
    }
    for kind in &exploration.undefined {
        let _ = writeln!(
            text,
            "  some schedules end in undefined behaviour that was not asked for: {kind}"
        );
    }
    let _ = writeln!(text, "{}", describe_count(exploration));
    text
}

fn describe_limit(limit: &Limit, inputs: &[u128]) -> String {
    match limit {
        Limit::Contexts(bound) => plural(u128::from(*bound), "context"),
        Limit::Rounds(bound) => plural(u128::from(*bound), "round"),
        Limit::Steps(bound) => format!("{} of each thread", plural(u128::from(*bound), "step")),
        Limit::Run(cut) => format!("cut: {}", describe_cut(cut)),
        Limit::Excluded(Excluded::SpuriousWakeups) => {
            "no wake-ups without a signal (--spurious allows them)".to_owned()
        }
        Limit::Excluded(Excluded::AddressReuse) => "not every reuse of freed addresses".to_owned(),
        Limit::Layout(place) => {
            format!("one layout of memory, on which {place} may depend")
        }
        Limit::Orders(place) => {
            format!("sequential consistency, for which {place} does not ask")
        }
        Limit::Inputs => {
            // Inputs are bit patterns; large ones were written as negative numbers.
            let values: Vec<String> = inputs.iter().map(|v| (*v as i128).to_string()).collect();
            format!("inputs from {{{}}}", values.join(", "))
        }
    }
}

fn describe_count(exploration: &Exploration) -> String {
    let count = &exploration.count;
    let states = plural(exploration.states as u128, "state");
    if exploration.stopped_early {
        return format!("stopped after {states}, before all schedules were tried");
    }
    let mut number = plural(count.schedules, "schedule");
    if exploration.is_endless {
        number = "endlessly many schedules (some repeat a state)".to_owned();
    }
    let mut parts = Vec::new();
    for (part, word) in [
        (count.violating, "violating"),
        (count.cut, "cut"),
        (count.assumed, "discarded by assumptions"),
    ] {
        if part > 0 && !exploration.is_endless {
            parts.push(format!("{} {word}", group_digits(part)));
        }
    }
    let parts = match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    };
    format!("{number}{parts}, {states}")
}
