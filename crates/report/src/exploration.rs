//! What an exploration has established, with its bounds.

use crate::facts::describe_dependence;
use crate::run::{describe_cut, render_violation};
use crate::trace::render_trace;
use crate::{group_digits, plural};
use check::UnknownCall;
use ir::Program;
use replay::{Conclusion, Excluded, Exploration, Interruption, Limit, Run};
use std::fmt::Write;

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
    match exploration.conclusion() {
        Conclusion::Violated if exploration.limits.is_empty() => {}
        Conclusion::Violated => text.push_str("searched within\n"),
        Conclusion::Safe => text.push_str("SAFE no schedule violates a checked property\n"),
        Conclusion::SafeWithinBounds => {
            text.push_str("SAFE UP TO BOUNDS no violation within\n");
        }
        Conclusion::Unknown => {
            let reason = unknown_reason(program, exploration);
            let reason = reason.unwrap_or("something is not supported".to_owned());
            let _ = writeln!(text, "UNKNOWN {reason}; no violation so far within");
        }
    }
    for limit in &exploration.limits {
        let _ = writeln!(text, "  {}", describe_limit(program, limit, inputs));
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

/// Why an exploration came to no end, or to none that anybody can rely on.
pub(crate) fn unknown_reason(program: &Program, exploration: &Exploration) -> Option<String> {
    if let Some(interruption) = exploration.interrupted {
        return Some(describe_interruption(interruption).to_owned());
    }
    if exploration.conclusion() != Conclusion::Unknown {
        return None;
    }
    let (found, calls) = exploration.dependent.first()?;
    let calls: Vec<UnknownCall> = (calls.iter())
        .map(|call| UnknownCall::of(program, call))
        .collect();
    let what = found.violation.describe(program);
    Some(format!("{}: {what}", describe_dependence(&calls)))
}

fn describe_interruption(interruption: Interruption) -> &'static str {
    match interruption {
        Interruption::States => "too many states to remember",
        Interruption::Asked => "interrupted",
    }
}

fn describe_limit(program: &Program, limit: &Limit, inputs: &[u128]) -> String {
    match limit {
        Limit::Contexts(bound) => plural(u128::from(*bound), "context"),
        Limit::Rounds(bound) => plural(u128::from(*bound), "round"),
        Limit::Steps(bound) => format!("{} of each thread", plural(u128::from(*bound), "step")),
        Limit::Run(cut) => format!("cut: {}", describe_cut(cut)),
        Limit::Excluded(Excluded::SpuriousWakeups) => {
            "no wake-ups without a signal (--spurious allows them)".to_owned()
        }
        Limit::Excluded(Excluded::AddressReuse) => "not every reuse of freed addresses".to_owned(),
        Limit::Layout(site) => {
            let place = site.describe(program);
            format!("one layout of memory, on which {place} may depend")
        }
        Limit::Orders(site) => {
            let place = site.describe(program);
            format!("sequential consistency, for which {place} does not ask")
        }
        Limit::UnknownCall(function, site) => format!(
            "no effect of {} ({})",
            program.functions[*function].name,
            site.describe(program)
        ),
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
    if count.schedules == 0 {
        return format!("{states}, each visited once");
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
    let states = match exploration.executions {
        Some(executions) => {
            let model = exploration.memory_model.name();
            let executions = plural(executions as u128, "execution");
            format!("{executions} under {model}, {states}")
        }
        None => states,
    };
    let parts = match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    };
    format!("{number}{parts}, {states}")
}
