//! The same as JSON, for machines. Field names are stable.

use crate::exploration::Verdict;
use crate::run::describe_outcome;
use crate::trace::describe_effect;
use ir::{Location, Program};
use replay::{Excluded, Exploration, Found, Limit, Run, StackEntry, Violation};
use serde_json::{Value, json};

pub fn run_to_json(program: &Program, run: &Run) -> Value {
    json!({
        "outcome": describe_outcome(program, &run.outcome),
        "violations": violations(program, run.violations.iter()),
        "steps": run.steps,
        "schedule": run.schedule.to_string(),
        "trace": trace(program, run),
    })
}

/// `replays` are the traced runs of the violations, in the same order.
pub fn exploration_to_json(program: &Program, exploration: &Exploration, replays: &[Run]) -> Value {
    let count = &exploration.count;
    let found: Vec<Value> = exploration
        .violations
        .iter()
        .zip(replays)
        .map(
            |(
                Found {
                    violation,
                    schedule,
                },
                run,
            )| {
                let mut value = violation_to_json(program, violation);
                value["schedule"] = json!(schedule.to_string());
                value["trace"] = trace(program, run);
                value
            },
        )
        .collect();
    json!({
        "verdict": Verdict::of(exploration).name(),
        "violations": found,
        "limits": exploration.limits.iter().map(limit).collect::<Vec<_>>(),
        "reason": exploration.interrupted,
        "unsupported": exploration.unsupported.iter().map(|u| json!({
            "what": u.what,
            "location": u.location.map(|l| location(program, l)),
        })).collect::<Vec<_>>(),
        // Numbers beyond what JSON readers keep exactly are given as text.
        "schedules": count.schedules.to_string(),
        "violating": count.violating.to_string(),
        "cut": count.cut.to_string(),
        "assumed": count.assumed.to_string(),
        "endless": exploration.is_endless,
        "states": exploration.states,
    })
}

fn violations<'v>(
    program: &Program,
    violations: impl Iterator<Item = &'v Violation>,
) -> Vec<Value> {
    violations.map(|v| violation_to_json(program, v)).collect()
}

fn violation_to_json(program: &Program, violation: &Violation) -> Value {
    json!({
        "kind": violation.kind.name(),
        "message": violation.message,
        "thread": violation.thread,
        "details": violation.details,
        "stack": stack(program, &violation.stack),
    })
}

fn stack(program: &Program, stack: &[StackEntry]) -> Vec<Value> {
    let entries = stack.iter().map(|entry| {
        json!({
            "function": entry.function,
            "location": entry.location.map(|l| location(program, l)),
        })
    });
    entries.collect()
}

fn location(program: &Program, location: Location) -> Value {
    json!({
        "file": program.files[location.file],
        "line": location.line,
        "column": location.column,
    })
}

fn trace(program: &Program, run: &Run) -> Value {
    let events = run.trace.iter().map(|event| {
        json!({
            "thread": event.thread,
            "step": event.step,
            "stack": stack(program, &event.stack),
            "effect": describe_effect(&event.effect),
        })
    });
    Value::Array(events.collect())
}

fn limit(limit: &Limit) -> Value {
    match limit {
        Limit::Contexts(bound) => json!({"kind": "contexts", "bound": bound}),
        Limit::Steps(bound) => json!({"kind": "steps", "bound": bound}),
        Limit::Run(cut) => json!({"kind": "cut", "what": crate::run::describe_cut(cut)}),
        Limit::Excluded(Excluded::SpuriousWakeups) => json!({"kind": "no-spurious-wakeups"}),
        Limit::Excluded(Excluded::AddressReuse) => json!({"kind": "no-address-reuse"}),
        Limit::Inputs => json!({"kind": "inputs"}),
    }
}
