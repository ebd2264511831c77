//! Memory orders in words and as JSON: which stronger ones would mend a violation, and
//! which weaker ones would do.

use crate::facts::{describe_limits, describe_place};
use check::{AccessKind, Advised, Change, Limits};
use ir::Ordering;
use serde_json::{Value, json};
use std::fmt::Write;

/// What was found out about memory orders.
pub(crate) fn render_orders(advised: &Advised) -> String {
    let mut text = String::new();
    match advised {
        Advised::Stronger { changes, limits } => {
            text.push_str("with stronger orders, this does not happen:\n");
            render_changes(changes, &mut text);
            let _ = writeln!(text, "then there is no violation{}", within(limits));
        }
        Advised::NoneHelps => text.push_str("no stronger memory order prevents it\n"),
        Advised::Weaker {
            single,
            together,
            limits,
            open,
        } => {
            match single.is_empty() {
                true => text.push_str("no weaker memory order is enough\n"),
                false => text.push_str("weaker orders that are enough, one at a time:\n"),
            }
            for (change, limits) in single {
                let _ = writeln!(text, "  {}{}", describe_change(change), within(limits));
            }
            if together.len() > 1 {
                let _ = writeln!(text, "and these together{}:", within(limits));
                render_changes(together, &mut text);
            }
            if *open > 0 {
                let _ = writeln!(text, "not decided: {open}");
            }
        }
        Advised::Nothing => text.push_str("there are no memory orders to be changed\n"),
        Advised::NotKnown => text.push_str("there was no time to look for other orders\n"),
    }
    text
}

fn render_changes(changes: &[Change], text: &mut String) {
    for change in changes {
        let _ = writeln!(text, "  {}", describe_change(change));
    }
}

fn describe_change(change: &Change) -> String {
    let place = describe_place(&change.place);
    let (from, to) = (change.from, change.to);
    let kind = kind_name(change.kind);
    match (change.kind, to) {
        (AccessKind::Fence, Ordering::Relaxed) => {
            format!("{place}: no {kind} instead of {}", order_name(from))
        }
        _ => format!(
            "{place}: {kind} {} instead of {}",
            order_name(to),
            order_name(from)
        ),
    }
}

/// Nothing where nothing was left out.
fn within(limits: &Limits) -> String {
    let bounds = Limits {
        assumptions: Default::default(),
        ..limits.clone()
    };
    match bounds.are_empty() {
        true => String::new(),
        false => format!(" {}", describe_limits(&bounds)),
    }
}

fn kind_name(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Update => "read-modify-write",
        AccessKind::Failure => "compare-exchange that fails",
        AccessKind::Fence => "fence",
    }
}

fn order_name(order: Ordering) -> &'static str {
    match order {
        Ordering::Unordered => "unordered",
        Ordering::Relaxed => "relaxed",
        Ordering::Acquire => "acquire",
        Ordering::Release => "release",
        Ordering::AcquireRelease => "acq_rel",
        Ordering::SequentiallyConsistent => "seq_cst",
    }
}

pub(crate) fn orders_to_json(advised: &Advised, limits_of: fn(&Limits) -> Vec<Value>) -> Value {
    let list = |changes: &[Change]| changes.iter().map(change_to_json).collect::<Vec<_>>();
    match advised {
        Advised::Stronger { changes, limits } => json!({
            "kind": "stronger", "changes": list(changes), "limits": limits_of(limits),
        }),
        Advised::Weaker {
            single,
            together,
            limits,
            open,
        } => {
            let single = single.iter().map(|(change, limits)| {
                let mut value = change_to_json(change);
                value["limits"] = json!(limits_of(limits));
                value
            });
            json!({
                "kind": "weaker",
                "single": single.collect::<Vec<_>>(),
                "together": list(together),
                "limits": limits_of(limits),
                "open": open,
            })
        }
        Advised::NoneHelps => json!({"kind": "none-helps"}),
        Advised::Nothing => json!({"kind": "nothing"}),
        Advised::NotKnown => json!({"kind": "not-known"}),
    }
}

fn change_to_json(change: &Change) -> Value {
    json!({
        "location": describe_place(&change.place),
        "access": kind_name(change.kind),
        "from": order_name(change.from),
        "to": order_name(change.to),
    })
}
