//! How far a search had come when it ended without an answer, in words and as JSON.

use crate::facts::{describe_order, describe_place};
use crate::plural;
use check::{Advice, Closed, Costly, Order, Progressed};
use serde_json::{Value, json};
use std::fmt::Write;

/// Lines for the end of a report; none if there is nothing to tell.
pub(crate) fn render_progressed(progressed: &Progressed) -> String {
    let mut text = String::new();
    let mut line = |title: &str, parts: Vec<String>| {
        if !parts.is_empty() {
            let _ = writeln!(text, "{title}: {}", parts.join("; "));
        }
    };
    let closed = progressed.closed.iter().map(describe_closed).collect();
    line("nothing goes wrong within", closed);
    let costs = progressed.costs.iter().map(describe_costly).collect();
    line("most of the formulas comes from", costs);
    let advice = progressed.advice.iter().map(describe_advice).collect();
    line("to try", advice);
    text
}

/// `3 rounds with 2 iterations`.
fn describe_closed(closed: &Closed) -> String {
    let order = match closed.order {
        Some(order) => describe_order(order),
        None => "any order of steps".to_owned(),
    };
    match closed.iterations {
        Some(bound) => format!("{order} with {}", plural(u128::from(bound), "iteration")),
        None => format!("{order} with any number of iterations"),
    }
}

/// `loop main.0 (a.c:3), 62 %`.
fn describe_costly(costly: &Costly) -> String {
    let kind = match costly.is_loop {
        true => "loop",
        false => "function",
    };
    let place = costly.place.as_ref().map_or(String::new(), |place| {
        format!(" ({})", describe_place(place))
    });
    format!("{kind} {}{place}, {} %", costly.name, costly.share)
}

fn describe_advice(advice: &Advice) -> String {
    match advice {
        Advice::AskForLess(closed) => {
            let mut options = Vec::new();
            options.extend(closed.order.map(|order| match order {
                Order::Contexts(bound) => format!("--contexts {bound}"),
                Order::Rounds(bound) => format!("--rounds {bound}"),
            }));
            let iterations = closed.iterations;
            options.extend(iterations.map(|bound| format!("--unwind {bound}")));
            format!("{} for a verdict within these bounds", options.join(" "))
        }
        Advice::BoundLoop(name) => {
            format!("--unwindset {name}:N with a small N, if a few iterations are enough")
        }
        Advice::ReplaceFunction(name) => format!("a simpler {name} in its place"),
        Advice::MoreCores(cores) => format!("--cores {cores}"),
        Advice::MoreTime => "more time (--time)".to_owned(),
        Advice::MoreMemory => "more memory (--memory)".to_owned(),
    }
}

/// The same for machines.
pub(crate) fn progressed_to_json(progressed: &Progressed) -> Value {
    let closed = progressed.closed.iter().map(|closed| {
        json!({
            "contexts": match closed.order {
                Some(Order::Contexts(bound)) => Some(bound),
                _ => None,
            },
            "rounds": match closed.order {
                Some(Order::Rounds(bound)) => Some(bound),
                _ => None,
            },
            "iterations": closed.iterations,
        })
    });
    let costs = progressed.costs.iter().map(|costly| {
        json!({
            "name": costly.name,
            "kind": match costly.is_loop {
                true => "loop",
                false => "function",
            },
            "place": costly.place.as_ref().map(describe_place),
            "percent": costly.share,
        })
    });
    json!({
        "closed": closed.collect::<Vec<_>>(),
        "costs": costs.collect::<Vec<_>>(),
        "advice": progressed.advice.iter().map(describe_advice).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_costs_and_advice_are_told() {
        let closed = |rounds: u32, iterations: u32| Closed {
            order: Some(Order::Rounds(rounds)),
            iterations: Some(iterations),
        };
        let progressed = Progressed {
            closed: vec![closed(3, 2), closed(2, 8)],
            costs: vec![Costly {
                name: "main.0".to_owned(),
                is_loop: true,
                place: None,
                share: 62,
            }],
            advice: vec![Advice::AskForLess(closed(3, 2)), Advice::MoreTime],
        };
        let expected = "nothing goes wrong within: 3 rounds with 2 iterations; \
                        2 rounds with 8 iterations\n\
                        most of the formulas comes from: loop main.0, 62 %\n\
                        to try: --rounds 3 --unwind 2 for a verdict within these bounds; \
                        more time (--time)\n";
        assert_eq!(render_progressed(&progressed), expected);
        assert_eq!(render_progressed(&Progressed::default()), "");
        let json = progressed_to_json(&progressed);
        assert_eq!(json["closed"][1]["iterations"], 8);
    }
}
