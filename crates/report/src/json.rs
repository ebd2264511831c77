//! The same as JSON, for machines. Field names are stable.

use crate::check::Cost;
use crate::exploration::unknown_reason;
use crate::facts::{
    assumption_kind, assumption_place, describe_assumption, describe_ending, describe_reason,
};
use crate::orders::orders_to_json;
use crate::run::describe_outcome;
use crate::standing::progressed_to_json;
use crate::trace::describe_effect;
use check::{
    Assumption, Attempt, CutLoop, Kind, Limits, Order, Reach, Reason, SourcePlace, UnknownCall,
    Verdict,
};
use ir::{Location, Program};
use library::MemoryModel;
use replay::{
    Excluded, Exploration, Found, Limit, Missing, Place, Remark, Run, StackEntry, Violation,
};
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

/// `replays` are the traced runs of the violations, in the same order, and
/// `dependent` those of the violations that depend on functions without a body.
pub fn exploration_to_json(
    program: &Program,
    exploration: &Exploration,
    replays: &[Run],
    dependent: &[Run],
) -> Value {
    let count = &exploration.count;
    let explored = |(found, run): (&Found, &Run)| {
        let Found {
            violation,
            schedule,
        } = found;
        let mut value = violation_to_json(program, violation);
        value["schedule"] = json!(schedule.to_string());
        value["trace"] = trace(program, run);
        value
    };
    let found: Vec<Value> = (exploration.violations.iter().zip(replays))
        .map(explored)
        .collect();
    let dependent: Vec<Value> = (exploration.dependent.iter().zip(dependent))
        .map(|((found, calls), run)| {
            let calls = calls.iter().map(|call| UnknownCall::of(program, call));
            let mut value = explored((found, run));
            value["calls"] = calls.map(|call| unknown_call(&call)).collect();
            value
        })
        .collect();
    json!({
        "verdict": exploration.conclusion().name(),
        "violations": found,
        "dependent_violations": dependent,
        "limits": exploration.limits.iter().map(|one| limit(program, one)).collect::<Vec<_>>(),
        "reason": unknown_reason(program, exploration),
        "unsupported": exploration.unsupported.iter().map(|u| json!({
            "what": u.what,
            "location": u.location.map(|l| location(program, l)),
        })).collect::<Vec<_>>(),
        "memory_model": exploration.memory_model.name(),
        "executions": exploration.executions,
        // Numbers beyond what JSON readers keep exactly are given as text.
        "schedules": count.schedules.to_string(),
        "violating": count.violating.to_string(),
        "cut": count.cut.to_string(),
        "assumed": count.assumed.to_string(),
        "endless": exploration.is_endless,
        "states": exploration.states,
        "state_bytes": exploration.state_bytes,
    })
}

/// Everything about a check. `limits` is what was shown: `null` if nothing was,
/// empty if nothing was left out.
pub fn check_to_json(program: &Program, report: &check::Report, cost: &Cost) -> Value {
    let found: Vec<Value> = match &report.verdict {
        Verdict::Violated(first) => std::iter::once(&**first)
            .chain(&report.more)
            .flat_map(|run| run.violations.iter().map(move |violation| (violation, run)))
            .map(|(violation, run)| found_to_json(program, violation, run))
            .collect(),
        _ => Vec::new(),
    };
    let dependent: Vec<Value> = match report.verdict.reason() {
        Some(Reason::DependsOn(dependent)) => (dependent.run.violations.iter())
            .map(|violation| {
                let mut value = found_to_json(program, violation, &dependent.run);
                value["calls"] = dependent.calls.iter().map(unknown_call).collect();
                value
            })
            .collect(),
        _ => Vec::new(),
    };
    let assertions = report
        .assertions
        .iter()
        .map(|(at, state)| json!({"location": place(at), "reached": reach_name(*state)}));
    let assertions: Vec<Value> = assertions.collect();
    // Of what is left, if some was found and all was wanted.
    let rest = report.rest.as_ref().unwrap_or(&report.verdict);
    let limits = match rest {
        Verdict::Safe => Some(Vec::new()),
        verdict => verdict.limits().map(check_limits),
    };
    let attempts: Vec<Value> = report.attempts.iter().map(attempt).collect();
    let suppressed = report.suppressed.iter().map(|one| {
        let places: Vec<Value> = one.places.iter().map(&place).collect();
        json!({"rule": one.rule, "line": one.line, "locations": places})
    });
    let suppressed: Vec<Value> = suppressed.collect();
    let mut value = json!({
        "verdict": report.verdict.conclusion().name(),
        "violations": found,
        "dependent_violations": dependent,
        "limits": limits,
        "assertions": assertions,
        "suppressed": suppressed,
        "reason": rest.reason().and_then(describe_reason),
        "progress": progressed_to_json(&report.progressed),
        "attempts": attempts,
        "seconds": cost.elapsed.as_secs_f64(),
        "loading_seconds": cost.loading.as_secs_f64(),
        "peak_memory": cost.peak_memory,
    });
    if report.memory_model != MemoryModel::Sc {
        value["memory_model"] = json!(report.memory_model.name());
    }
    if let Some(orders) = &report.orders {
        value["orders"] = orders_to_json(orders, check_limits);
    }
    value
}

fn found_to_json(program: &Program, violation: &Violation, run: &Run) -> Value {
    let mut value = violation_to_json(program, violation);
    value["contexts"] = json!(run.schedule.contexts.len());
    value["steps"] = json!(run.steps);
    value["schedule"] = json!(run.schedule.to_string());
    value["trace"] = trace(program, run);
    value
}

/// What a function without a body would have to do.
fn unknown_call(call: &UnknownCall) -> Value {
    json!({
        "function": call.function,
        "location": place(&call.place),
        // Numbers beyond what JSON readers keep exactly are given as text.
        "returned": call.returned.map(|value| value.to_string()),
    })
}

fn check_limits(limits: &Limits) -> Vec<Value> {
    let order = limits.order.map(order_to_json);
    let loops = limits.loops.iter().map(cut_loop);
    let assumptions = limits.assumptions.iter().map(assumption);
    order.into_iter().chain(loops).chain(assumptions).collect()
}

fn assumption(assumption: &Assumption) -> Value {
    json!({
        "kind": "assumption",
        "name": assumption_kind(assumption),
        "what": describe_assumption(assumption),
        "location": assumption_place(assumption).map(place),
    })
}

/// Whether some run comes by.
fn reach_name(state: Reach) -> Option<bool> {
    match state {
        Reach::Reached => Some(true),
        Reach::Unreached => Some(false),
        Reach::Unknown => None,
    }
}

fn place(place: &SourcePlace) -> Value {
    match place {
        SourcePlace::Line { file, line, column } => {
            json!({"file": file, "line": line, "column": column})
        }
        SourcePlace::Function(name) => json!({"function": name}),
    }
}

fn order_to_json(order: Order) -> Value {
    match order {
        Order::Contexts(bound) => json!({"kind": "contexts", "bound": bound}),
        Order::Rounds(bound) => json!({"kind": "rounds", "bound": bound}),
    }
}

fn cut_loop(cut: &CutLoop) -> Value {
    json!({
        "kind": if cut.is_recursion { "recursion" } else { "loop" },
        "name": cut.name,
        "location": cut.place.as_ref().map(place),
        "bound": cut.bound,
    })
}

fn attempt(attempt: &Attempt) -> Value {
    let threads: Vec<Value> = attempt
        .threads
        .iter()
        .map(|(name, positions)| json!({"name": name, "positions": positions}))
        .collect();
    json!({
        "engine": attempt.engine.as_str(),
        "order": attempt.order.map(order_to_json),
        "unwind": attempt.unwind,
        "kind": match attempt.kind {
            Kind::All => "all",
            Kind::Assertions => "assertions",
            Kind::Others => "others",
        },
        "threads": threads,
        "cells": attempt.cells,
        "variables": attempt.variables,
        "clauses": attempt.clauses,
        "conflicts": attempt.conflicts,
        "unfolding_seconds": attempt.unfolding.as_secs_f64(),
        "encoding_seconds": attempt.encoding.as_secs_f64(),
        "solving_seconds": attempt.solving.as_secs_f64(),
        "replaying_seconds": attempt.replaying.as_secs_f64(),
        "peak_memory": attempt.peak_memory,
        "result": describe_ending(&attempt.result),
        "search": attempt.strategy.map(|strategy| search(strategy, attempt)),
    })
}

fn search(strategy: &str, attempt: &Attempt) -> Value {
    let search = &attempt.search;
    json!({
        "strategy": strategy,
        "cores": search.cores,
        "calls": search.calls,
        "closed": search.closed,
        "schedules": search.schedules,
        "shared": search.shared,
        "share": search.share,
        "failures": search.failures,
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
            "remark": event.remark.as_ref().map(|remark| remark_to_json(program, remark)),
        })
    });
    Value::Array(events.collect())
}

/// In what an access is not as in an interleaving. A source that is null was there at
/// first.
fn remark_to_json(program: &Program, remark: &Remark) -> Value {
    let place = |place: &Option<Place>| {
        place.map(|place| {
            json!({
                "thread": place.thread,
                "location": place.location.map(|l| location(program, l)),
            })
        })
    };
    match remark {
        Remark::Older {
            source,
            newest,
            why,
        } => json!({
            "kind": "older",
            "source": place(source),
            "newest": place(newest),
            "unordered": why.map(|why| json!({
                "write": place(&why.write),
                "read": place(&why.read),
                "missing": why.missing.map(|missing| match missing {
                    Missing::Release => "release",
                    Missing::Acquire => "acquire",
                    Missing::Both => "both",
                }),
            })),
        }),
        Remark::Before { later } => json!({"kind": "before", "later": place(later)}),
        Remark::FailsAnyway => json!({"kind": "fails-anyway"}),
    }
}

fn limit(program: &Program, limit: &Limit) -> Value {
    match limit {
        Limit::Contexts(bound) => json!({"kind": "contexts", "bound": bound}),
        Limit::Rounds(bound) => json!({"kind": "rounds", "bound": bound}),
        Limit::Steps(bound) => json!({"kind": "steps", "bound": bound}),
        Limit::Run(cut) => json!({"kind": "cut", "what": crate::run::describe_cut(cut)}),
        Limit::Excluded(Excluded::SpuriousWakeups) => json!({"kind": "no-spurious-wakeups"}),
        Limit::Excluded(Excluded::AddressReuse) => json!({"kind": "no-address-reuse"}),
        Limit::Inputs => json!({"kind": "inputs"}),
        Limit::UnknownCall(function, site) => json!({
            "kind": "no-effect",
            "function": program.functions[*function].name,
            "place": site.describe(program),
        }),
        Limit::Layout(site) => json!({"kind": "layout", "place": site.describe(program)}),
        Limit::Orders(site) => json!({"kind": "memory-order", "place": site.describe(program)}),
    }
}
