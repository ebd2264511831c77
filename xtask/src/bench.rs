//! `cargo xtask bench`: the strategies on the programs of the papers.
//!
//! Runs the release build of `threadbare check` on programs from a folder beside
//! the repository, measures, and writes a page and plots to `docs`. Figures of the
//! papers stand beside ours. Times depend on the machine, which should have
//! nothing else to do.

mod esbmc;
mod states;
mod structures;

use crate::plot::{Plot, Series};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub const HELP: &str = "\
usage: cargo xtask bench <which> [options]

which:
  cba     table 2 of the CBA paper: whole, partition and cubes on 1 and 2 cores
  slices  figure 7 of the CBA paper: 128 partitions, and how many machines help
  swarm   figures 5 and 6 of the SWARM paper: instances of several tile sizes
  bug     how soon each strategy finds the bug of safestack, on 2 cores
  esbmc   lazy, whole and widen side by side
  states  families of our own for the prover, its speed, and SPIN; needs no corpus
  structures  locks and other structures under C's memory model; needs no corpus
  deadlock  classic deadlocks of our own, for 2 to 8 threads; needs no corpus

options:
  --runs N       how often each time is measured; the median counts (default 3)
  --time SECS    for one run (default 1000)
  --instances N  swarm: of each tile size (default 100)
  --only TEXT    rows whose name contains this
  --corpus DIR   where the programs are (default ../shared/corpus)";

struct Settings {
    binary: PathBuf,
    corpus: PathBuf,
    docs: PathBuf,
    runs: usize,
    time: u64,
    instances: u64,
    only: String,
}

pub fn bench(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (which, options) = arguments.split_first().ok_or("bench needs to know which")?;
    let mut settings = Settings {
        binary: PathBuf::new(),
        corpus: root.join("../shared/corpus"),
        docs: root.join("docs"),
        runs: 3,
        time: 1000,
        instances: 100,
        only: String::new(),
    };
    for pair in options.chunks(2) {
        let [name, value] = pair else {
            return Err(format!("{} needs a value", pair[0]));
        };
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("{name} needs a number"))
        };
        match *name {
            "--runs" => settings.runs = number()?.max(1) as usize,
            "--time" => settings.time = number()?,
            "--instances" => settings.instances = number()?,
            "--only" => settings.only = (*value).to_owned(),
            "--corpus" => settings.corpus = PathBuf::from(value),
            _ => return Err(format!("there is no option {name}")),
        }
    }
    if *which == "deadlock" {
        let binary = crate::growth::build(root)?;
        return crate::deadlocks::bench(root, &binary, &settings.only);
    }
    if *which == "states" {
        let binary = crate::growth::build(root)?;
        return states::states(root, &binary, settings.runs);
    }
    if *which == "structures" {
        let binary = crate::growth::build(root)?;
        return structures::structures(root, &binary, settings.runs);
    }
    if !settings.corpus.exists() {
        return Err(format!("{} is missing", settings.corpus.display()));
    }
    let run = match *which {
        "cba" => cba,
        "slices" => slices,
        "swarm" => swarm,
        "bug" => bug,
        "esbmc" => esbmc::esbmc,
        other => return Err(format!("there is no benchmark {other}")),
    };
    settings.binary = crate::growth::build(root)?;
    run(&settings)
}

/// What one run of the tool says.
struct Measured {
    verdict: String,
    /// Unfolding, encoding, solving and replaying.
    seconds: f64,
    variables: u64,
    clauses: u64,
    search: Value,
}

impl Measured {
    /// The time, marked if there was no answer by then.
    fn time(&self) -> String {
        match self.verdict.as_str() {
            "unknown" => format!("> {:.1}", self.seconds),
            _ => format!("{:.2}", self.seconds),
        }
    }
}

impl Settings {
    fn check(&self, program: &Path, options: &str) -> Result<Measured, String> {
        // What the papers look for.
        let property = match options.contains("--property") {
            true => None,
            false => Some("--property=assert"),
        };
        let output = Command::new(&self.binary)
            .arg("check")
            .arg(program)
            .args(property)
            .args(["-m32", "--json", "--time", &self.time.to_string()])
            .args(options.split_whitespace())
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        let json: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("{}: no JSON: {error}: {errors}", program.display())
        })?;
        let attempt = &json["attempts"][0];
        let seconds = |name: &str| attempt[name].as_f64().unwrap_or(0.0);
        Ok(Measured {
            verdict: json["verdict"].as_str().unwrap_or("?").to_owned(),
            seconds: seconds("unfolding_seconds")
                + seconds("encoding_seconds")
                + seconds("solving_seconds")
                + seconds("replaying_seconds"),
            variables: attempt["variables"].as_u64().unwrap_or(0),
            clauses: attempt["clauses"].as_u64().unwrap_or(0),
            search: attempt["search"].clone(),
        })
    }

    /// Many runs on one core each, as many at a time as there are cores.
    fn check_all(&self, program: &Path, runs: &[String]) -> Result<Vec<Measured>, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<Result<Measured, String>>>> =
            runs.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(options) = runs.get(index) else {
                            break;
                        };
                        let result = self.check(program, &format!("{options} --cores 1"));
                        let mut place = results[index]
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner);
                        *place = Some(result);
                    }
                });
            }
        });
        let results = results.into_iter().map(|result| {
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            result.unwrap_or_else(|| Err("a run is missing".to_owned()))
        });
        results.collect()
    }

    /// Of each of several ways, the run with the median time, each run with another
    /// seed. The ways take turns, since machines are faster at some times than at
    /// others.
    fn medians<const N: usize>(
        &self,
        program: &Path,
        ways: [String; N],
    ) -> Result<[Measured; N], String> {
        let mut all = [(); N].map(|()| Vec::new());
        for seed in 0..self.runs {
            for (options, runs) in ways.iter().zip(&mut all) {
                runs.push(self.check(program, &format!("{options} --seed {seed}"))?);
            }
        }
        Ok(all.map(|mut runs: Vec<Measured>| {
            runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
            runs.swap_remove(runs.len() / 2)
        }))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.docs.join(name);
        println!("{}", path.display());
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn is_wanted(&self, name: &str) -> bool {
        name.contains(&self.only)
    }
}

/// A row of table 2: program, bounds, and what the paper has: millions of
/// variables and of clauses, seconds on one core and on two. Or a row of our own.
struct Row {
    name: &'static str,
    file: &'static str,
    unwind: u32,
    contexts: u32,
    paper: Option<Figures>,
}

type Figures = (f64, f64, u32, u32);

const fn row(
    name: &'static str,
    file: &'static str,
    unwind: u32,
    contexts: u32,
    paper: Option<Figures>,
) -> Row {
    Row {
        name,
        file,
        unwind,
        contexts,
        paper,
    }
}

const BUFFER: &str = "complex/bounded_buffer.c";
const ELIMINATION: &str = "complex/elimination_backoff_stack.c";
const SAFESTACK: &str = "complex/safestack_relacy.c";
const QUEUE: &str = "complex/workstealqueue_mutex-1.c";

const TABLE_2: &[Row] = &[
    row("boundedbuffer", BUFFER, 2, 5, Some((4.20, 19.65, 280, 312))),
    row("boundedbuffer", BUFFER, 2, 6, Some((5.27, 24.64, 842, 955))),
    row(
        "boundedbuffer",
        BUFFER,
        3,
        4,
        Some((5.45, 25.85, 1063, 703)),
    ),
    row(
        "boundedbuffer",
        BUFFER,
        3,
        5,
        Some((7.27, 34.57, 1052, 570)),
    ),
    row(
        "eliminationstack",
        ELIMINATION,
        1,
        4,
        Some((5.77, 24.28, 407, 360)),
    ),
    row(
        "eliminationstack",
        ELIMINATION,
        1,
        5,
        Some((7.70, 32.53, 7440, 5041)),
    ),
    row(
        "eliminationstack",
        ELIMINATION,
        1,
        6,
        Some((9.63, 40.79, 95518, 69826)),
    ),
    row("safestack", SAFESTACK, 3, 4, Some((3.97, 16.80, 685, 547))),
    row(
        "safestack",
        SAFESTACK,
        3,
        5,
        Some((5.31, 22.60, 2607, 1060)),
    ),
    row(
        "safestack",
        SAFESTACK,
        3,
        6,
        Some((6.65, 28.41, 14988, 10088)),
    ),
    row(
        "workstealingqueue",
        QUEUE,
        4,
        4,
        Some((13.83, 62.16, 1239, 930)),
    ),
    row(
        "workstealingqueue",
        QUEUE,
        4,
        5,
        Some((17.44, 78.41, 4545, 4361)),
    ),
    row(
        "workstealingqueue",
        QUEUE,
        4,
        6,
        Some((21.06, 94.69, 1598, 1104)),
    ),
    // Hard and without a bug; of these the paper has a figure, but no row.
    row("safestack", SAFESTACK, 3, 7, None),
    row("safestack", SAFESTACK, 3, 8, None),
];

fn cba(settings: &Settings) -> Result<(), String> {
    let mut page = format!(
        "# Table 2 of CBA\n\nMade by `cargo xtask bench cba`: seconds to unfold, encode and solve, \
         median of {}, at most {} each. `partition` has as many parts as cores. In brackets: the \
         paper's figures, with MiniSat, on one core and on two.\n\n\
         | program | unwind | contexts | result | variables | clauses | whole, 1 core | partition, \
         2 cores | cubes, 2 cores | speed-up of cubes |\n|---|---|---|---|---|---|---|---|---|---|\n",
        settings.runs, settings.time
    );
    let mut plot = Plot::new("seconds, by row of table 2", "row", "seconds");
    let names = [
        "whole, 1 core",
        "partition, 2 cores",
        "cubes, 2 cores",
        "paper, 1 core",
    ];
    let mut series = names.map(Series::new);
    for (index, row) in TABLE_2.iter().enumerate() {
        if !settings.is_wanted(row.name) {
            continue;
        }
        let program = settings.corpus.join(row.file);
        let bounds = format!("--unwind {} --contexts {}", row.unwind, row.contexts);
        let ways = [
            "--strategy whole --cores 1",
            "--strategy partition --partitions 2 --cores 2",
            "--strategy cubes --cores 2",
        ];
        let ways = ways.map(|options| format!("{bounds} {options}"));
        let [whole, partition, cubes] = settings.medians(&program, ways)?;
        let paper = row.paper.map(|(variables, clauses, one, two)| {
            let millions = [variables, clauses].map(|count| format!(" ({count} M)"));
            (millions, [one, two].map(|seconds| format!(" ({seconds})")))
        });
        let ([variables, clauses], [one, two]) = paper.unwrap_or_default();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {}{variables} | {}{clauses} | {}{one} | {}{two} | {} | {:.2} |",
            row.name,
            row.unwind,
            row.contexts,
            cubes.verdict,
            whole.variables,
            whole.clauses,
            whole.time(),
            partition.time(),
            cubes.time(),
            whole.seconds / cubes.seconds,
        );
        let ours = [whole.seconds, partition.seconds, cubes.seconds].map(Some);
        let times = ours
            .into_iter()
            .chain([row.paper.map(|paper| f64::from(paper.2))]);
        for (series, seconds) in series.iter_mut().zip(times) {
            let points = seconds.map(|seconds| (index as f64 + 1.0, seconds));
            series.points.extend(points);
        }
    }
    plot.series.extend(series);
    page.push_str("\n![seconds by row](bench-cba.svg)\n");
    settings.write("bench-cba.svg", &plot.to_svg())?;
    settings.write("bench-cba.md", &page)
}

fn slices(settings: &Settings) -> Result<(), String> {
    const PARTITIONS: usize = 128;
    let program = settings.corpus.join(SAFESTACK);
    let mut page = format!(
        "# Figure 7 of CBA\n\nMade by `cargo xtask bench slices`: safestack, unwinding 3, in \
         {PARTITIONS} partitions, each measured as a slice of its own on one core. From these times: \
         how long so many machines with one core each would take, if each gets an equal run of \
         partitions (static), and if each takes the next one when it is free (dynamic). Cubes are not \
         known beforehand; for these, so many cores of one machine tell each other what they \
         learn. Here they share two, and the time measured is divided by how many share one. More \
         than two would take longer than that: it is a lower bound, since what one core does \
         alone (to unfold, encode and simplify, about a second) does not get faster with more.\n\n\
         | contexts | machines | static, seconds | dynamic, seconds | cubes, at least |\n\
         |---|---|---|---|---|\n"
    );
    let mut plot = Plot::new("safestack on many machines", "machines", "seconds");
    for contexts in [7, 8] {
        if !settings.is_wanted(&contexts.to_string()) {
            continue;
        }
        let slices: Vec<String> = (0..PARTITIONS)
            .map(|part| {
                format!(
                    "--unwind 3 --contexts {contexts} --strategy partition --partitions \
                     {PARTITIONS} --from {part} --to {part}"
                )
            })
            .collect();
        let measured = settings.check_all(&program, &slices)?;
        let times: Vec<f64> = measured.iter().map(|slice| slice.seconds).collect();
        let mut fixed = Series::new(&format!("{contexts} contexts, static"));
        let mut dynamic = Series::new(&format!("{contexts} contexts, dynamic"));
        let mut cubes = Series::new(&format!("{contexts} contexts, cubes"));
        for machines in (0..=7).map(|power| 1 << power) {
            let options =
                format!("--unwind 3 --contexts {contexts} --strategy cubes --cores {machines}");
            let shared = settings.check(&program, &options)?.seconds;
            let (a, b, c) = (
                static_time(&times, machines),
                dynamic_time(&times, machines),
                shared * 2.0 / machines.max(2) as f64,
            );
            let _ = writeln!(
                page,
                "| {contexts} | {machines} | {a:.1} | {b:.1} | {c:.1} |"
            );
            fixed.points.push((machines as f64, a));
            dynamic.points.push((machines as f64, b));
            cubes.points.push((machines as f64, c));
        }
        plot.series.extend([fixed, dynamic, cubes]);
    }
    page.push_str("\n![seconds by machines](bench-slices.svg)\n");
    settings.write("bench-slices.svg", &plot.to_svg())?;
    settings.write("bench-slices.md", &page)
}

/// Each machine gets an equal run of parts; the slowest decides.
fn static_time(times: &[f64], machines: usize) -> f64 {
    let chunks = times.chunks(times.len().div_ceil(machines).max(1));
    chunks.map(|chunk| chunk.iter().sum()).fold(0.0, f64::max)
}

/// Each machine takes the next part when it is free.
fn dynamic_time(times: &[f64], machines: usize) -> f64 {
    let mut busy_until: Vec<f64> = vec![0.0; machines];
    for time in times {
        let first = busy_until.iter_mut().min_by(|a, b| a.total_cmp(b));
        if let Some(first) = first {
            *first += time;
        }
    }
    busy_until.into_iter().fold(0.0, f64::max)
}

/// Sizes of tiles, each with the paper's percentage of instances with the bug.
type Sizes = [(u32, f64); 3];

/// Name, program, bounds, tiles, and their sizes.
const SWARMS: [(&str, &str, &str, u32, Sizes); 2] = [
    (
        "safestack",
        SAFESTACK,
        "--unwind 3 --rounds 4",
        4,
        [(11, 1.26), (14, 2.14), (20, 10.20)],
    ),
    (
        "eliminationstack",
        ELIMINATION,
        "--unwind 1 --rounds 2",
        2,
        [(12, 38.33), (14, 61.38), (18, 69.01)],
    ),
];

fn swarm(settings: &Settings) -> Result<(), String> {
    let mut page = format!(
        "# Figures 5 and 6 of SWARM\n\nMade by `cargo xtask bench swarm`: {} instances of each tile \
         size, each on one core, at most {} seconds each. Share with the bug (the \
         paper's in brackets), those without an answer in time, seconds of those with the bug, mean \
         seconds of the others, and the expected time until so many cores find it, each with \
         instances of its own; and the time of `whole` on one core.\n\n\
         | program | tile size | with bug | no answer | least | mean | most | others | 1 core | 10 \
         cores | 100 cores | whole |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
        settings.instances, settings.time
    );
    let mut plot = Plot::new("expected time until a bug is found", "cores", "seconds");
    for (name, file, bounds, tiles, sizes) in SWARMS {
        if !settings.is_wanted(name) {
            continue;
        }
        let program = settings.corpus.join(file);
        let ways = [format!("{bounds} --strategy whole --cores 1")];
        let [whole] = settings.medians(&program, ways)?;
        for (size, paper) in sizes {
            let mut found = Vec::new();
            let mut others = Vec::new();
            let mut unanswered = 0;
            let instances: Vec<String> = (0..settings.instances)
                .map(|seed| {
                    format!(
                        "{bounds} --strategy swarm --tile-size {size} --tiles {tiles} \
                         --instances 1 --seed {seed}"
                    )
                })
                .collect();
            for measured in settings.check_all(&program, &instances)? {
                match measured.verdict.as_str() {
                    "violated" => found.push(measured.seconds),
                    _ => {
                        unanswered += u32::from(measured.seconds >= 0.95 * settings.time as f64);
                        others.push(measured.seconds);
                    }
                }
            }
            let share = 100.0 * found.len() as f64 / settings.instances.max(1) as f64;
            let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
            let least = found.iter().copied().fold(f64::INFINITY, f64::min);
            let most = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Of nothing there is neither a mean nor a least one.
            let text = |seconds: f64| match seconds.is_finite() {
                true => format!("{seconds:.1}"),
                false => "–".to_owned(),
            };
            let expected = |cores| expected_time(&found, &others, cores);
            let _ = writeln!(
                page,
                "| {name} | {size} | {share:.1}% ({paper}%) | {unanswered} | {} | {} | {} | {} | {} | \
                 {} | {} | {:.1} |",
                text(least),
                text(mean(&found)),
                text(most),
                text(mean(&others)),
                text(expected(1)),
                text(expected(10)),
                text(expected(100)),
                whole.seconds
            );
            let mut series = Series::new(&format!("{name}, tile size {size}"));
            let cores = (0..=11).map(|power| 1usize << power);
            series.points.extend(cores.map(|n| (n as f64, expected(n))));
            plot.series.push(series);
        }
    }
    page.push_str("\n![expected time by cores](bench-swarm.svg)\n");
    settings.write("bench-swarm.svg", &plot.to_svg())?;
    settings.write("bench-swarm.md", &page)
}

/// What finds a bug, on so many cores; the first is what the others are compared
/// with.
const FINDERS: [(&str, u32); 6] = [
    ("whole", 1),
    ("whole", 2),
    ("partition --partitions 2", 2),
    ("cubes", 2),
    ("swarm", 2),
    ("auto", 2),
];

fn bug(settings: &Settings) -> Result<(), String> {
    let program = settings.corpus.join(SAFESTACK);
    let mut page = format!(
        "# How soon the bug of safestack is found\n\nMade by `cargo xtask bench bug`: unwinding 3, 4 \
         rounds, {} seeds, at most {} seconds each. The solver meets a bug sooner or later by \
         chance, so all times are listed.\n\n\
         | strategy | cores | median | of `whole` on 1 | mean | all |\n|---|---|---|---|---|---|\n",
        settings.runs, settings.time
    );
    // All take turns, since machines are faster at some times than at others.
    let mut all = FINDERS.map(|_| Vec::new());
    for seed in 0..settings.runs {
        for ((strategy, cores), times) in FINDERS.iter().zip(&mut all) {
            let options = format!(
                "--unwind 3 --rounds 4 --strategy {strategy} --cores {cores} --seed {seed}"
            );
            let measured = settings.check(&program, &options)?;
            // One without an answer counts as if it had come at the limit.
            times.push(match measured.verdict.as_str() {
                "violated" => measured.seconds,
                _ => settings.time as f64,
            });
        }
    }
    let mut whole = None;
    for ((strategy, cores), mut times) in FINDERS.into_iter().zip(all) {
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let all: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
        let _ = writeln!(
            page,
            "| `{strategy}` | {cores} | {median:.1} | {:.2} | {mean:.1} | {} |",
            median / *whole.get_or_insert(median),
            all.join(", ")
        );
    }
    settings.write("bench-bug.md", &page)
}

/// The mean time until one of so many cores finds the bug, if each takes one
/// instance after the other: the average over many draws of the measured ones.
fn expected_time(found: &[f64], others: &[f64], cores: usize) -> f64 {
    const DRAWS: usize = 2000;
    if found.is_empty() {
        return f64::INFINITY;
    }
    let all = found.len() + others.len();
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut draw = || {
        // A linear congruential generator is good enough to choose examples.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % all
    };
    let mut sum = 0.0;
    for _ in 0..DRAWS {
        let mut best = f64::INFINITY;
        for _ in 0..cores.min(64 * all) {
            let mut time = 0.0;
            while time < best {
                match draw() {
                    index if index < found.len() => {
                        best = best.min(time + found[index]);
                        break;
                    }
                    index => time += others[index - found.len()],
                }
            }
        }
        sum += best;
    }
    sum / DRAWS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_share_the_parts() {
        let times = [4.0, 1.0, 1.0, 1.0];
        assert_eq!(static_time(&times, 1), 7.0);
        assert_eq!(static_time(&times, 2), 5.0);
        assert_eq!(dynamic_time(&times, 2), 4.0);
        assert_eq!(dynamic_time(&times, 8), 4.0);
    }

    #[test]
    fn more_cores_find_sooner() {
        let (found, others) = ([2.0, 10.0], [5.0, 5.0]);
        let times: Vec<f64> = [1, 4, 64].map(|n| expected_time(&found, &others, n)).into();
        assert!(times[0] > times[1] && times[1] > times[2], "{times:?}");
        assert!((times[2] - 2.0).abs() < 0.1, "{times:?}");
        assert_eq!(expected_time(&[], &others, 4), f64::INFINITY);
    }
}
