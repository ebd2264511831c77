//! The graph of an execution under a weak memory model, as a text that `dot` draws:
//! a column for each thread, with what reads see and in which order writes come.

use ir::Program;
use replay::{Drawn, DrawnAct, Edge, Picture};
use std::fmt::Write;

/// For Graphviz.
pub fn render_picture(program: &Program, picture: &Picture) -> String {
    let mut text = String::from("digraph execution {\n  node [shape=plaintext];\n");
    let threads = picture.events.iter().filter_map(|event| event.thread);
    let threads = threads.max().map_or(0, |last| last + 1);
    for (number, event) in picture.events.iter().enumerate() {
        if event.thread.is_none() {
            let _ = writeln!(text, "  e{number} [label={:?}];", label(program, event));
        }
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  subgraph cluster_{thread} {{");
        let _ = writeln!(text, "    label=\"thread {thread}\";");
        for (number, event) in picture.events.iter().enumerate() {
            if event.thread == Some(thread) {
                let _ = writeln!(text, "    e{number} [label={:?}];", label(program, event));
            }
        }
        text.push_str("  }\n");
    }
    for (from, to, edge) in &picture.edges {
        let style = match edge {
            Edge::Next => "",
            Edge::ReadsFrom => " [label=\"rf\", color=red, constraint=false]",
            Edge::Overwritten => " [label=\"mo\", color=blue, constraint=false]",
            Edge::Synchronises => " [label=\"sync\", color=darkgreen]",
        };
        let _ = writeln!(text, "  e{from} -> e{to}{style};");
    }
    text.push_str("}\n");
    text
}

fn label(program: &Program, event: &Drawn) -> String {
    let act = match event.act {
        DrawnAct::Initial => "initial".to_owned(),
        DrawnAct::Read => "read".to_owned(),
        DrawnAct::Write => "write".to_owned(),
        DrawnAct::Update => "update".to_owned(),
        DrawnAct::Free => "free".to_owned(),
        DrawnAct::Fence => "fence".to_owned(),
        DrawnAct::Synchronise => "synchronise".to_owned(),
        DrawnAct::Create => "create".to_owned(),
        DrawnAct::Join(thread) => format!("join thread {thread}"),
    };
    let mut label = act;
    if let Some(place) = &event.place {
        let _ = write!(label, " {place}");
    }
    if let Some(value) = event.value {
        let _ = write!(label, " = {value}");
    }
    if let Some(order) = event.order {
        let _ = write!(label, " ({order})");
    }
    if let Some(location) = event.location {
        let _ = write!(label, "\n{}", program.describe_location(location));
    }
    label
}
