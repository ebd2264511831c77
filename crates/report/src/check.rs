//! What a check has established, with its bounds, and what it cost.
//!
//! Words verdicts and judges nothing. Prints nothing.

use crate::columns::section;
use crate::facts::{
    describe_ending, describe_limits, describe_order, describe_place, describe_reason,
    describe_suppressible,
};
use crate::orders::render_orders;
use crate::run::render_violation;
use crate::standing::render_progressed;
use crate::trace::render_trace;
use crate::{group_digits, plural};
use check::{Attempt, Combined, Engine, Kind, Order, Reach, Reason, Report, Verdict};
use ir::Program;
use library::MemoryModel;
use replay::{Input, InputKind, Run};
use std::fmt::Write;
use std::time::Duration;

/// How the user gets to see a violation again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Whether the schedule was written to a file.
    pub is_saved: bool,
    /// The command that runs the schedule.
    pub command: String,
}

/// What the whole run took, over and above what the attempts tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub elapsed: Duration,
    /// Compiling and reading the program.
    pub loading: Duration,
    /// Of the process, in bytes; `None` where the system does not tell.
    pub peak_memory: Option<u64>,
}

/// The verdict with everything that belongs to it.
pub fn render_check(
    program: &Program,
    report: &Report,
    replay: Option<&Replay>,
    width: usize,
) -> String {
    if let Verdict::Violated(run) = &report.verdict {
        return render_violated(program, report, run, replay, width);
    }
    let mut text = render_unviolated(&report.verdict);
    text.push_str(&render_suppressed(report));
    text.push_str(&render_model(report));
    text.push_str(&report.orders.as_ref().map_or(String::new(), render_orders));
    if is_cut_short(&report.verdict) {
        text.push_str(&render_progressed(&report.progressed));
    }
    if report.verdict.limits().is_some() || matches!(report.verdict, Verdict::Safe) {
        text.push_str(&render_unreached(report));
    }
    if let Some(Reason::DependsOn(dependent)) = report.verdict.reason() {
        text.push('\n');
        text.push_str(&render_run_of_violation(
            program,
            &dependent.run,
            "then",
            width,
        ));
    }
    text
}

/// Whether a limit kept it from an answer: then it matters how far it had come.
fn is_cut_short(verdict: &Verdict) -> bool {
    matches!(
        verdict.reason(),
        Some(Reason::Time | Reason::Memory | Reason::Interrupted)
    )
}

/// Under which memory model, if it is not what everybody expects.
fn render_model(report: &Report) -> String {
    match report.memory_model {
        MemoryModel::Sc => String::new(),
        model => format!("memory model: {}\n", model.name()),
    }
}

/// What was found and is not told, counted by line of the user's file.
fn render_suppressed(report: &Report) -> String {
    let mut text = String::new();
    for suppressed in &report.suppressed {
        let count = suppressed.places.len() as u128;
        let what = plural(count, describe_suppressible(suppressed.kind));
        let places: Vec<String> = suppressed.places.iter().map(describe_place).collect();
        let rule = &suppressed.rule;
        let _ = writeln!(text, "suppressed by {rule}: {what} ({})", places.join(", "));
    }
    text
}

/// Assertions that say nothing, because no run within the bounds looks at them.
fn render_unreached(report: &Report) -> String {
    let states = || report.assertions.iter();
    let places = |wanted: Reach| {
        let places = states().filter(move |(_, state)| *state == wanted);
        let mut places: Vec<String> = places.map(|(place, _)| describe_place(place)).collect();
        places.dedup();
        places
    };
    let mut text = String::new();
    let unreached = places(Reach::Unreached);
    if !unreached.is_empty() {
        let limits = report.verdict.limits();
        let is_bounded =
            limits.is_some_and(|limits| limits.order.is_some() || !limits.loops.is_empty());
        let within = match is_bounded {
            true => " within these bounds",
            false => "",
        };
        let which = match states().all(|(_, state)| *state == Reach::Unreached) {
            true => "any assertion",
            false => "the assertions",
        };
        let places = unreached.join(", ");
        let _ = writeln!(text, "no run{within} looks at {which}: {places}");
    }
    let unknown = places(Reach::Unknown);
    if !unknown.is_empty() {
        let what = "not known whether any run looks at the assertions";
        let _ = writeln!(text, "{what}: {}", unknown.join(", "));
    }
    text
}

/// What slices say together.
pub fn render_combined(combined: &Combined) -> String {
    match combined {
        Combined::Violated(_) => "VIOLATED\n".to_owned(),
        Combined::None(limits) => {
            let safe = format!("safe {}", describe_limits(limits));
            format!("{}\n", safe.trim_end())
        }
        Combined::Unknown { from, to, reason } => {
            let reason = reason.as_deref().unwrap_or("unknown");
            format!("unknown: partitions {from} to {to}: {reason}\n")
        }
    }
}

fn render_unviolated(verdict: &Verdict) -> String {
    let established = verdict.limits().map(describe_limits);
    let established = established.as_deref().unwrap_or("");
    let reason = verdict.reason().and_then(describe_reason);
    match (verdict, reason) {
        (Verdict::Unknown { .. }, None) => format!("unknown: no violation {established}\n"),
        (Verdict::Unknown { .. }, Some(reason)) if established.is_empty() => {
            format!("unknown: {reason}\n")
        }
        (Verdict::Unknown { .. }, Some(reason)) => {
            format!("unknown: {reason}\nno violation {established}\n")
        }
        (Verdict::SafeUpTo(_), _) => format!("safe {established}\n"),
        (Verdict::Safe | Verdict::Violated(_), _) => "safe\n".to_owned(),
    }
}

fn render_violated(
    program: &Program,
    report: &Report,
    first: &Run,
    replay: Option<&Replay>,
    width: usize,
) -> String {
    let mut text = String::new();
    for run in std::iter::once(first).chain(&report.more) {
        text.push_str(&render_run_of_violation(program, run, "VIOLATED", width));
        if !report.more.is_empty() {
            text.push('\n');
        }
    }
    text.push_str(&render_model(report));
    if let Some(rest) = &report.rest {
        let count = plural(1 + report.more.len() as u128, "violation");
        let rest = render_unviolated(rest);
        let _ = write!(text, "{count}; apart from that: {rest}");
    }
    text.push_str(&render_suppressed(report));
    text.push_str(&report.orders.as_ref().map_or(String::new(), render_orders));
    match replay {
        Some(replay) if replay.is_saved => {
            let _ = writeln!(text, "to see it again: {}", replay.command);
        }
        Some(replay) => {
            let _ = writeln!(
                text,
                "to see it again, save the schedule with --save FILE, then: {}",
                replay.command
            );
        }
        None => {}
    }
    text
}

fn render_run_of_violation(program: &Program, run: &Run, word: &str, width: usize) -> String {
    let mut text = String::new();
    for violation in &run.violations {
        let _ = write!(text, "{word} {}", render_violation(program, violation));
    }
    if !run.trace.is_empty() {
        let _ = write!(text, "\n{}", render_trace(program, run, width));
    }
    text.push('\n');
    if let Some(inputs) = describe_inputs(run) {
        let _ = writeln!(text, "inputs: {inputs}");
    }
    if let Some((count, texts)) = replay::arguments_among(&run.schedule.inputs) {
        let texts: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
        let _ = match (count, texts.is_empty()) {
            (0, _) => writeln!(text, "arguments: none"),
            (_, true) => writeln!(text, "arguments: {count}, whatever they say"),
            (_, false) => writeln!(text, "arguments: {}", texts.join(" ")),
        };
    }
    let variables = replay::variables_among(&run.schedule.inputs);
    let names = analysis::outside::variables(program);
    for (name, value) in names.iter().zip(variables) {
        let _ = match value {
            Some(value) => writeln!(text, "environment: {name}=\"{value}\""),
            None => writeln!(text, "environment: {name} is not there"),
        };
    }
    let contexts = plural(run.schedule.contexts.len() as u128, "context");
    let steps = plural(u128::from(run.steps), "visible step");
    let _ = match run.steps {
        0 => writeln!(text, "violated before the first visible step"),
        _ => writeln!(text, "violated in {contexts}, {steps}"),
    };
    text
}

/// The values that the program got from outside, in the order in which it asked.
fn describe_inputs(run: &Run) -> Option<String> {
    const SHOWN: usize = 20;
    // What else is chosen shows in the trace: which thread wakes, which wait
    // gives up.
    let is_value = |kind: InputKind| {
        matches!(
            kind,
            InputKind::Nondet
                | InputKind::Uninitialised
                | InputKind::UnknownCall
                | InputKind::Undefined
                | InputKind::Environment
        )
    };
    let inputs = run.schedule.inputs.iter();
    let inputs: Vec<&Input> = inputs.filter(|input| is_value(input.kind)).collect();
    let values: Vec<String> = inputs
        .chunk_by(|a, b| a == b)
        .map(|equal| {
            let (kind, thread) = (equal[0].kind.name(), equal[0].thread);
            let times = match equal.len() {
                1 => String::new(),
                number => format!(", {number} times"),
            };
            format!("{} ({kind}, thread {thread}{times})", equal[0].value)
        })
        .collect();
    match values.get(SHOWN..) {
        _ if values.is_empty() => None,
        Some(rest @ [_, ..]) => Some(format!(
            "{} and {} more",
            values[..SHOWN].join(", "),
            rest.len()
        )),
        _ => Some(values.join(", ")),
    }
}

/// A table of all attempts, and what the whole run took.
pub fn render_statistics(report: &Report, cost: &Cost) -> String {
    let titles = [
        "bounds",
        "cells",
        "variables",
        "clauses",
        "conflicts",
        "unfold s",
        "encode s",
        "solve s",
        "replay s",
        "peak MB",
        "result",
        "positions",
    ];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(report.attempts.iter().map(attempt_row));
    let numbers: Vec<usize> = (1..10).collect();
    let mut text = match report.attempts.is_empty() {
        true => String::new(),
        false => section("attempts", rows, &numbers).unwrap_or_default(),
    };
    for attempt in &report.attempts {
        text.push_str(&describe_search(attempt));
    }
    let memory = cost.peak_memory.map_or(String::new(), |bytes| {
        format!(", peak memory {} MB", megabytes(bytes))
    });
    let _ = writeln!(
        text,
        "total {} s, of which {} s to compile and read the program{memory}",
        seconds(cost.elapsed),
        seconds(cost.loading)
    );
    text
}

fn attempt_row(attempt: &Attempt) -> Vec<String> {
    let count = |number: usize| group_digits(number as u128);
    vec![
        describe_question(attempt),
        count(attempt.cells),
        count(attempt.variables),
        count(attempt.clauses),
        group_digits(u128::from(attempt.conflicts)),
        seconds(attempt.unfolding),
        seconds(attempt.encoding),
        seconds(attempt.solving),
        seconds(attempt.replaying),
        megabytes(attempt.peak_memory),
        describe_ending(&attempt.result),
        describe_positions(&attempt.threads),
    ]
}

/// How the schedules were searched, if part by part; one line for what went
/// wrong each time.
fn describe_search(attempt: &Attempt) -> String {
    let (Some(strategy), search) = (attempt.strategy, &attempt.search) else {
        return String::new();
    };
    let count = |number: u64, what: &str| plural(u128::from(number), what);
    let mut text = format!(
        "{}: {strategy} on {}, {}, {} closed ({:.1}% of the schedules)",
        describe_bounds(attempt.order, attempt.unwind),
        count(search.cores as u64, "core"),
        count(search.calls, "call"),
        count(search.closed, "part"),
        100.0 * search.share
    );
    if search.schedules > 0 {
        let _ = write!(text, ", {}", count(search.schedules, "single schedule"));
    }
    if search.shared > 0 {
        let _ = write!(text, ", {}", count(search.shared, "shared clause"));
    }
    text.push('\n');
    for failure in &search.failures {
        let _ = writeln!(text, "  {failure}");
    }
    text
}

/// `4 contexts, unwind 2, assertions`.
fn describe_question(attempt: &Attempt) -> String {
    let bounds = describe_bounds(attempt.order, attempt.unwind);
    let bounds = match attempt.engine {
        Engine::Bounded => bounds,
        Engine::Order => format!("any order, {bounds}"),
        Engine::Sample => "at random".to_owned(),
        Engine::Explore if bounds.is_empty() => "all states".to_owned(),
        Engine::Explore => format!("all states, {bounds}"),
    };
    match attempt.kind {
        Kind::All => bounds,
        Kind::Assertions => format!("{bounds}, assertions"),
        Kind::Others => format!("{bounds}, others"),
    }
}

/// `4 contexts, unwind 2`.
fn describe_bounds(order: Option<Order>, unwind: Option<u32>) -> String {
    let order = order.map(describe_order);
    let unwind = unwind.map(|bound| format!("unwind {bound}"));
    let parts: Vec<String> = order.into_iter().chain(unwind).collect();
    parts.join(", ")
}

/// `main 12, worker 5 (3 times)`: neighbours that are the same are told once.
fn describe_positions(threads: &[(String, usize)]) -> String {
    let groups = threads.chunk_by(|a, b| a == b);
    let texts = groups.map(|group| {
        let (name, positions) = &group[0];
        match group.len() {
            1 => format!("{name} {positions}"),
            times => format!("{name} {positions} ({times} times)"),
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn seconds(duration: Duration) -> String {
    format!("{:.3}", duration.as_secs_f64())
}

fn megabytes(bytes: u64) -> String {
    group_digits(u128::from(bytes.div_ceil(1_000_000)))
}

#[cfg(test)]
mod tests;
