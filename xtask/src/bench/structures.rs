//! `cargo xtask bench structures`: locks and other structures without locks, under C's
//! memory model.
//!
//! The programs are in `tests/structures`, with a table of verdicts: each with the orders
//! that are right, and with each of them weaker. What counts is the time of processors,
//! the compiler included, which depends less than that of clocks on what else the machine
//! does. Writes `docs/structures.md`.

use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Seconds for one run where threads and operations grow.
const TIME: u32 = 60;
/// What is looked for.
const PROPERTIES: &str = "assert,memory,misuse,arithmetic,race";
/// The kernel counts time in hundredths of a second, for programs.
const TICKS: f64 = 100.0;

/// Programs that grow: what it is that grows, and how far.
const GROWING: [(&str, &str, &[u32]); 10] = [
    ("ticket", "THREADS", &[2, 3, 4, 5]),
    ("ticket", "TIMES", &[1, 2, 3, 4]),
    ("ttas", "THREADS", &[2, 3, 4, 5]),
    ("mcs", "THREADS", &[2, 3, 4]),
    ("mcs", "TIMES", &[1, 2, 3]),
    ("clh", "THREADS", &[2, 3, 4]),
    ("seqlock", "TIMES", &[1, 2, 3]),
    ("spsc", "TIMES", &[1, 2, 4, 8]),
    ("treiber", "PUSHERS", &[1, 2, 3]),
    ("msqueue", "PUTTERS", &[1, 2, 3]),
];

/// Runs all of them, prints tables, and writes them to a page.
pub(super) fn structures(root: &Path, binary: &Path, runs: usize) -> Result<(), String> {
    let bench = Bench { root, binary, runs };
    let folder = root.join("tests/structures");
    let expected = fs::read_to_string(folder.join("expected.tsv"));
    let expected = expected.map_err(|error| format!("expected.tsv: {error}"))?;
    let mut orders = String::from(
        "| program | order | verdict | s | why |\n\
         |---|---|---|---|---|\n",
    );
    for line in expected.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [name, order, _, flags, verdict, why] = parts[..] else {
            return Err(format!("expected.tsv: not six columns: {line}"));
        };
        let mut all: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        if let Some((name, order)) = order.split_once('=') {
            all.push(format!("-D{name}=memory_order_{order}"));
        }
        let (found, seconds) = bench.check(name, &all)?;
        if !found.starts_with(verdict) {
            return Err(format!("{name} {order}: {found} instead of {verdict}"));
        }
        let order = match order {
            "" => "as it should be".to_owned(),
            order => format!("`{}`", order.replace('=', "` is `")),
        };
        let row = format!("| {name} | {order} | {found} | {seconds:.2} | {why} |");
        println!("{row}");
        let _ = writeln!(orders, "{row}");
    }
    let mut growth = String::from(
        "| program | what grows | verdict and s |\n\
         |---|---|---|\n",
    );
    for (name, what, counts) in GROWING {
        let mut row = format!("| {name} | `{what}` |");
        for (index, count) in counts.iter().enumerate() {
            let (verdict, seconds) = bench.check(name, &[format!("-D{what}={count}")])?;
            let comma = if index == 0 { "" } else { ";" };
            let _ = write!(row, "{comma} {count}: {verdict} {seconds:.2}");
        }
        row.push_str(" |");
        println!("{row}");
        let _ = writeln!(growth, "{row}");
    }
    let page = format!(
        "# Locks and structures without locks\n\n\
         Made by `cargo xtask bench structures`, from the programs in `tests/structures`: \
         `threadbare check --property {PROPERTIES}` with no other options, under C's memory model, \
         which these programs ask for. Seconds are those that processors worked, the compiler \
         included, the middle of {runs} runs.\n\n\
         ## Every order matters\n\n\
         Each program with its own orders, and with one of them weaker. The names of orders are \
         macros of the program.\n\n{orders}\n\
         ## More threads, more operations\n\n\
         With the right orders; macros of the program say how many. After {TIME} s it is \
         `unknown`.\n\n{growth}"
    );
    fs::write(root.join("docs/structures.md"), page).map_err(|error| error.to_string())
}

struct Bench<'a> {
    root: &'a Path,
    binary: &'a Path,
    runs: usize,
}

impl Bench<'_> {
    /// The verdict, and the time in the middle of several runs.
    fn check(&self, name: &str, flags: &[String]) -> Result<(String, f64), String> {
        let mut times = Vec::new();
        let mut verdict = String::new();
        for _ in 0..self.runs {
            let before = worked()?;
            let output = Command::new(self.binary)
                .arg("check")
                .arg(self.root.join(format!("tests/structures/{name}.c")))
                .args([&format!("--property={PROPERTIES}"), "--json"])
                .arg(format!("--time={TIME}"))
                .args(flags)
                .output()
                .map_err(|error| format!("{}: {error}", self.binary.display()))?;
            times.push(worked()? - before);
            let report: Value = serde_json::from_slice(&output.stdout)
                .map_err(|_| format!("{name}: {}", String::from_utf8_lossy(&output.stderr)))?;
            verdict = report["verdict"].as_str().unwrap_or("none").to_owned();
        }
        times.sort_by(f64::total_cmp);
        Ok((verdict, times[times.len() / 2]))
    }
}

/// Seconds that processors have worked for children of this process that have ended.
fn worked() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    // The name of the program may have spaces in it.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |index: usize| {
        fields
            .get(index)
            .and_then(|field| field.parse::<f64>().ok())
    };
    match (ticks(13), ticks(14)) {
        (Some(user), Some(system)) => Ok((user + system) / TICKS),
        _ => Err("/proc/self/stat does not tell the time".to_owned()),
    }
}
