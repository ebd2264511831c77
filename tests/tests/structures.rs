//! Locks and other structures without locks, under C's memory model: with the right orders
//! nothing goes wrong, with one of them weaker something does.
//!
//! The programs are in `tests/structures`; `expected.tsv` has, for each of them and each
//! weaker order, the verdict that is right, and why. `cargo xtask bench structures` measures
//! them.

use check::{Advise, Advised, Bounds, Options, Report, Verdict};
use library::MemoryModel;
use replay::{Checks, Property};
use std::time::Duration;
use tests::{cases, clang, folder};

/// A line of the table.
struct Row<'t> {
    program: &'t str,
    /// Which order is another one: `WAIT=relaxed`.
    order: &'t str,
    unwind: u32,
    flags: &'t str,
    expected: &'t str,
}

impl<'t> Row<'t> {
    fn of(line: &'t str) -> Row<'t> {
        let parts: Vec<&str> = line.split('\t').collect();
        let [program, order, unwind, flags, expected, why] = parts[..] else {
            panic!("not six columns: {line}");
        };
        assert!(!why.is_empty(), "no reason: {line}");
        Row {
            program,
            order,
            unwind: unwind.parse().expect("unwind should be a number"),
            flags,
            expected,
        }
    }

    fn name(&self) -> String {
        format!("{} {}", self.program, self.order)
    }

    fn check(&self, advise: Advise) -> Result<Report, String> {
        let mut flags: Vec<String> = self.flags.split_whitespace().map(str::to_owned).collect();
        if let Some((name, order)) = self.order.split_once('=') {
            flags.push(format!("-D{name}=memory_order_{order}"));
        }
        let file = folder().join(format!("structures/{}.c", self.program));
        let program = clang::default().load(&file, &flags)?;
        let mut options = Options {
            bounds: Bounds {
                unwind: Some(self.unwind),
                ..Bounds::default()
            },
            time: Some(Duration::from_secs(300)),
            looks_beside: false,
            advise,
            ..Options::default()
        };
        options.config.checks = Checks::ends_of_threads().with(Property::Race);
        options.config.surroundings.memory_model = MemoryModel::Rc11;
        Ok(check::check(&program, &options, &|_| true))
    }
}

#[test]
fn every_order_matters() {
    let table = std::fs::read_to_string(folder().join("structures/expected.tsv"));
    let table = table.expect("the table should be there");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Row> = lines.map(Row::of).collect();
    cases::check_all(&rows, Row::name, |row| {
        let verdict = row.check(Advise::default())?.verdict;
        let is_as_expected = match &verdict {
            Verdict::Violated(_) => row.expected == "violated",
            Verdict::Safe => row.expected == "safe",
            Verdict::SafeUpTo(limits) => row.expected == "safe" && limits.order.is_none(),
            Verdict::Unknown { .. } => false,
        };
        match is_as_expected {
            true => Ok(()),
            false => Err(format!("{verdict:?}")),
        }
    });
}

#[test]
fn the_order_to_strengthen_is_the_one_that_was_weakened() {
    let line = "mcs\tWAIT=relaxed\t3\t\tviolated\tit was acquire";
    let advise = Advise {
        stronger: true,
        weaker: false,
    };
    let report = Row::of(line).check(advise).expect("it should load");
    let Some(Advised::Stronger { changes, .. }) = &report.orders else {
        panic!("{:?}", report.orders);
    };
    let orders: Vec<_> = changes.iter().map(|one| (one.from, one.to)).collect();
    assert_eq!(orders, [(ir::Ordering::Relaxed, ir::Ordering::Acquire)]);
}

#[test]
fn no_order_of_the_ticket_lock_can_be_weaker() {
    let advise = Advise {
        stronger: false,
        weaker: true,
    };
    let right = Row::of("ticket\t\t3\t\tsafe\tsee the table");
    let report = right.check(advise).expect("it should load");
    let Some(Advised::Weaker { single, open, .. }) = &report.orders else {
        panic!("{:?}", report.orders);
    };
    assert!(single.is_empty() && *open == 0, "{:?}", report.orders);
    // One that is stronger than need be is told.
    let strong = Row::of("ticket\tCALLED=seq_cst\t3\t\tsafe\tseq_cst is more than acquire");
    let report = strong.check(advise).expect("it should load");
    let Some(Advised::Weaker { single, .. }) = &report.orders else {
        panic!("{:?}", report.orders);
    };
    let orders: Vec<_> = single.iter().map(|(one, _)| (one.from, one.to)).collect();
    let weaker = (ir::Ordering::SequentiallyConsistent, ir::Ordering::Acquire);
    assert_eq!(orders, [weaker]);
}
