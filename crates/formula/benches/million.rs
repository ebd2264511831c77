//! Figures for a large formula: a million choices and sums of 32-bit words that
//! hold small numbers, built as terms, blasted, and handed over as clauses. A
//! tenth of that with what narrowing saves, and with large numbers.
//!
//! Run with `cargo bench -p threadbare-formula`; memory is read from the operating system
//! where it tells.

use clauses::{ClauseSink, Literal, Variable, VariableCount};
use formula::{Blaster, Mode, Options, Range, Sort, TermId, Terms};
use std::time::Instant;

/// Counts what a solver would get.
#[derive(Default)]
struct Counter {
    variables: VariableCount,
    clauses: usize,
    literals: usize,
}

impl ClauseSink for Counter {
    fn new_variable(&mut self) -> Variable {
        self.variables.create()
    }

    fn add_clause(&mut self, literals: &[Literal]) {
        self.clauses += 1;
        self.literals += literals.len();
    }
}

/// Resident memory in megabytes, if known.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

fn report(what: &str, since: Instant) {
    let megabytes = memory().map_or("unknown".into(), |megabytes| megabytes.to_string());
    println!(
        "  {what:<8} {:>7.2} s, resident {megabytes} MB",
        since.elapsed().as_secs_f64()
    );
}

/// Cells that are overwritten under conditions, as threads do it: half of the
/// nodes are choices, half are sums with recent values.
fn build(terms: &mut Terms, range: &Range, n_terms: usize) -> Vec<TermId> {
    let mut rng = fastrand::Rng::with_seed(7);
    let conditions: Vec<TermId> = (0..1000)
        .map(|_| terms.new_variable("c", Sort::Bool))
        .collect();
    let mut values: Vec<TermId> = (0..64)
        .map(|_| terms.new_variable_in("x", range.clone()))
        .collect();
    let limit = terms.constant(32, *range.unsigned().end());
    while terms.len() < n_terms {
        let target = rng.usize(0..values.len());
        let (a, b) = (rng.usize(0..values.len()), rng.usize(0..values.len()));
        let condition = conditions[rng.usize(0..conditions.len())];
        let sum = terms.add(values[a], values[b]);
        let sum = terms.bit_and(sum, limit);
        values[target] = terms.ite(condition, sum, values[target]);
    }
    values
}

fn measure(n_terms: usize, range: &Range, options: Options) {
    let bits = range.width_needed_unsigned();
    println!("{n_terms} terms of {bits} bits, {options:?}");
    let start = Instant::now();
    let mut terms = Terms::new();
    let values = build(&mut terms, range, n_terms);
    report("build", start);

    let start = Instant::now();
    let mut blaster = Blaster::new(options);
    for value in &values {
        blaster.bits(&terms, *value);
    }
    report("blast", start);

    let start = Instant::now();
    let mut sink = Counter::default();
    for pair in values.windows(2) {
        let bits = [0, 1].map(|index| blaster.bits(&terms, pair[index]));
        let less = blaster.gates.less_bits(&bits[0], &bits[1]);
        blaster.add_clause(&[less], &mut sink);
    }
    report("clauses", start);
    println!(
        "  {} gates, {} variables, {} clauses, {} literals",
        blaster.gates.len(),
        sink.variables.get(),
        sink.clauses,
        sink.literals
    );
}

fn main() {
    let options = |mode, narrowing| Options { mode, narrowing };
    let small = Range::from_unsigned(32, 0..=15);
    let full = Range::full(32);
    measure(1_000_000, &small, options(Mode::ByPolarity, true));
    measure(1_000_000, &small, options(Mode::Full, true));
    measure(100_000, &small, options(Mode::ByPolarity, true));
    measure(100_000, &small, options(Mode::ByPolarity, false));
    measure(100_000, &full, options(Mode::ByPolarity, true));
}
