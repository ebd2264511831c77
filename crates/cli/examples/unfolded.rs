//! Prints what unfolding makes of a program, for those who work on it:
//! `cargo run --release -p cli --example unfolded -- FILE UNWIND TURNS [clang options]`.

use std::path::PathBuf;
use unfold::{Access, Options};

fn main() {
    let mut words = std::env::args().skip(1);
    let file = PathBuf::from(words.next().expect("a file"));
    let unwind = words.next().and_then(|word| word.parse().ok()).unwrap_or(2);
    let turns = words.next().and_then(|word| word.parse().ok()).unwrap_or(2);
    let options = llvm::Options {
        args: words.collect(),
        is_known_function: |symbol| library::lookup(symbol).is_some(),
        ..llvm::Options::default()
    };
    let loaded = llvm::load(&[file], &options).unwrap_or_else(|error| panic!("{error}"));
    let program = &loaded.program;
    let options = Options {
        unwind,
        turns: Some(turns),
        can_free: false,
        ..Options::default()
    };
    let unfolding = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(1 << 30)
            .spawn_scoped(scope, || unfold::unfold(program, &options, &mut |_| true))
            .expect("a thread")
            .join()
            .expect("no panic")
    })
    .unwrap_or_else(|error| panic!("{error}"));
    let threads = &unfolding.threads;
    println!("{} passes, {} terms", unfolding.passes, threads.terms.len());
    for (id, cell) in threads.cells.iter() {
        println!("{id} {} : {} bits, {:?}", cell.name, cell.width, cell.range);
    }
    for (id, thread) in threads.threads.iter() {
        println!("{id} {}", thread.name);
        for (index, position) in thread.positions.iter().enumerate() {
            let place = position.step.location.map(|l| program.describe_location(l));
            print!(
                "  {index} {} part {}:",
                place.unwrap_or_default(),
                position.step.part
            );
            for access in &position.accesses {
                match access {
                    Access::Read { cell, .. } => print!(" r {}", threads.cells[*cell].name),
                    Access::Write { cell, .. } => print!(" w {}", threads.cells[*cell].name),
                }
            }
            println!(
                " requires {} joins {} guard {}",
                position.requires.len(),
                position.joins.len(),
                show(&threads.terms, position.guard, 4)
            );
        }
    }
    let violations: Vec<_> = (threads.violations.iter())
        .map(|violation| violation.moment)
        .collect();
    let lists = [
        ("violation", &violations),
        ("excluded", &threads.excluded),
        ("stuck", &threads.stuck),
    ];
    for (name, moments) in lists {
        for moment in moments {
            let condition = show(&threads.terms, moment.condition, 6);
            println!(
                "{name} {} after {}: {condition}",
                moment.thread, moment.after
            );
        }
    }
}

/// A term as text, to a limited depth.
fn show(terms: &formula::Terms, id: formula::TermId, depth: u32) -> String {
    use formula::Term;
    if depth == 0 {
        return format!("{id}");
    }
    let mut parts = Vec::new();
    terms.for_each_operand(id, |operand| parts.push(show(terms, operand, depth - 1)));
    match terms.term(id) {
        Term::Variable(variable) => {
            let data = terms.variable(variable);
            format!("{}#{variable}{:?}", data.name, data.range.unsigned())
        }
        Term::Constant(value) => format!("{value}"),
        Term::Bool(value) => format!("{value}"),
        other => {
            let name = format!("{other:?}");
            let name = name.split('(').next().unwrap_or("").to_owned();
            format!("{name}({})", parts.join(", "))
        }
    }
}
