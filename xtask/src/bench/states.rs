//! `cargo xtask bench states`: how the prover does on families of programs, how fast
//! it is, and how many states it keeps beside SPIN.
//!
//! The programs are in `tests/families`, those for SPIN in `tests/families/promela`;
//! where `spin` is not installed, its columns are empty. Writes `docs/states.md`.
//! Times are those of the processor, since machines have other things to do; only
//! what is said about two cores is about the clock.

use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A family: sizes to try, and what two stateless checkers manage, measured once on
/// another machine.
const FAMILIES: [(&str, &str, &[u32], &str, &str); 5] = [
    (
        "fetch_add",
        "threads that fetch and add",
        &[9, 30],
        "7 in 2.5 s, not 9",
        "8 in 4.8 s, not 9",
    ),
    (
        "philosophers",
        "philosophers who eat once",
        &[7, 12],
        "7 in 0.2 s",
        "7 in 0.2 s",
    ),
    ("ticket", "threads at a ticket lock", &[6, 8], "5", ""),
    ("fib", "rounds of fib", &[6, 7], "5 in 4 s", "6 in 11 s"),
    (
        "readers",
        "readers and one writer",
        &[15, 30],
        "12",
        "14 in 0.9 s",
    ),
];

/// What is compared with SPIN: program and sizes.
const COMPARED: [(&str, &[u32]); 5] = [
    ("peterson", &[2]),
    ("philosophers", &[6, 7, 8, 9]),
    ("ring", &[8, 32]),
    ("queue", &[2, 4]),
    ("readers_writers", &[3, 5]),
];

/// Philosophers with reductions, and without.
const SPEED: [(u32, &[&str]); 2] = [(11, &[]), (8, &["--no-reductions"])];

pub(super) fn states(root: &Path, binary: &Path, runs: usize) -> Result<(), String> {
    let bench = Bench { root, binary, runs };
    let mut page = String::from(
        "# States\n\n\
         Made by `cargo xtask bench states` from the programs in `tests/families`. Times are \
         those of the processor, the least of some runs, with the compiler's. What is \
         `unknown` had 60 s by the clock, of which it gets less on a machine that is busy.\n\n",
    );
    page += &bench.families()?;
    page += &bench.speed()?;
    page += &bench.beside_spin()?;
    print!("{page}");
    fs::write(root.join("docs/states.md"), page).map_err(|error| error.to_string())
}

struct Bench<'b> {
    root: &'b Path,
    binary: &'b Path,
    runs: usize,
}

/// What came of a command.
struct Timed {
    output: String,
    /// By the clock, and of the processor.
    elapsed: f64,
    used: f64,
}

/// Runs a command, and has the shell measure it.
fn timed(command: &str, folder: &Path) -> Result<Timed, String> {
    let script = format!("TIMEFORMAT='%R %U'; time {command} 2>/dev/null");
    let result = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("bash does not run: {error}"))?;
    let times = String::from_utf8_lossy(&result.stderr).into_owned();
    let mut times = times.split_whitespace().rev();
    let mut next = || {
        let time = times.next().and_then(|time| time.parse::<f64>().ok());
        time.ok_or_else(|| format!("{command} could not be measured"))
    };
    let used = next()?;
    Ok(Timed {
        output: String::from_utf8_lossy(&result.stdout).into_owned(),
        elapsed: next()?,
        used,
    })
}

impl Bench<'_> {
    /// The run that took the least.
    fn best(&self, command: &str, folder: &Path) -> Result<Timed, String> {
        let mut best = timed(command, folder)?;
        for _ in 1..self.runs {
            let other = timed(command, folder)?;
            if other.used < best.used {
                best = other;
            }
        }
        Ok(best)
    }

    fn explore(&self, family: &str, size: u32, options: &[&str]) -> Result<(Value, Timed), String> {
        let options = options.join(" ");
        let command = format!(
            "{} explore --prove --property assert,deadlock --json {options} \
             tests/families/{family}.c -DN={size}",
            self.binary.display()
        );
        let best = self.best(&command, self.root)?;
        let json = serde_json::from_str(&best.output)
            .map_err(|error| format!("{family}: no JSON: {error}"))?;
        Ok((json, best))
    }

    fn families(&self) -> Result<String, String> {
        let mut text = String::from(
            "## Families\n\n\
             `threadbare check --cores 1`, no bounds given, beside what Nidhugg 0.4 and GenMC \
             0.10 managed in 15 s on the same programs (measured once, on another machine).\n\n\
             | family | N | verdict | s | Nidhugg | GenMC |\n|---|---|---|---|---|---|\n",
        );
        for (family, what, sizes, nidhugg, genmc) in FAMILIES {
            for size in sizes {
                let command = format!(
                    "{} check --cores 1 --time 60 --json tests/families/{family}.c -DN={size}",
                    self.binary.display()
                );
                let best = self.best(&command, self.root)?;
                let json: Value = serde_json::from_str(&best.output)
                    .map_err(|error| format!("{family}: no JSON: {error}"))?;
                let verdict = json["verdict"].as_str().unwrap_or("?");
                let used = best.used;
                let _ = writeln!(
                    text,
                    "| {what} | {size} | {verdict} | {used:.2} | {nidhugg} | {genmc} |"
                );
            }
        }
        Ok(text + "\n")
    }

    fn speed(&self) -> Result<String, String> {
        let mut text = String::from(
            "## Speed\n\n\
             Philosophers. On two cores, *gain* is what is left of twice the speed when the time \
             of the processor grows; by the clock it is that on a machine that has nothing else \
             to do. On two idle cores it was 1.2 times by the clock with reductions, and 0.85 \
             times without: who adds a state has to fetch what the other has just written. 1.7 \
             times is the aim.\n\n\
             | N | reductions | states | bytes each | states/s on one core | gain on two | by the clock |\n\
             |---|---|---|---|---|---|---|\n",
        );
        for (size, options) in SPEED {
            let (json, one) = self.explore("philosophers", size, options)?;
            let two: Vec<&str> = options.iter().copied().chain(["--cores", "2"]).collect();
            let (_, two) = self.explore("philosophers", size, &two)?;
            // What the compiler takes.
            let (_, none) = self.explore("philosophers", 2, options)?;
            let count = json["states"].as_u64().unwrap_or(0);
            let bytes = json["state_bytes"].as_u64().unwrap_or(0) / count.max(1);
            let speed = count as f64 / (one.used - none.used);
            let gain = 2.0 * (one.used - none.used) / (two.used - none.used);
            let clock = (one.elapsed - none.elapsed) / (two.elapsed - none.elapsed);
            let reductions = if options.is_empty() { "yes" } else { "no" };
            let _ = writeln!(
                text,
                "| {size} | {reductions} | {count} | {bytes} | {speed:.0} | {gain:.2} | {clock:.2} |"
            );
        }
        Ok(text + "\n")
    }

    fn beside_spin(&self) -> Result<String, String> {
        let mut text = String::from(
            "## Beside SPIN\n\n\
             States that are kept and seconds, with reductions and without; SPIN with `-O2`, and \
             `-DNOREDUCE` for the latter. Ours have the `main` that creates and joins threads \
             too. Time is without that for compilers on SPIN's side, with it on ours.\n\n\
             | program | N | reduced: states | s | SPIN: states | s | all: states | s | SPIN: states | s |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
        );
        let folder = std::env::temp_dir().join(format!("threadbare-spin-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        for (program, sizes) in COMPARED {
            for size in sizes {
                let mut row = format!("| {program} | {size} |");
                for is_reduced in [true, false] {
                    let options: &[&str] = match is_reduced {
                        true => &[],
                        false => &["--no-reductions"],
                    };
                    let (json, ours) = self.explore(program, *size, options)?;
                    let count = json["states"].as_u64().unwrap_or(0);
                    let _ = write!(row, " {count} | {:.2} |", ours.used);
                    match self.spin(program, *size, is_reduced, &folder) {
                        Some((count, seconds)) => {
                            let _ = write!(row, " {count} | {seconds:.2} |");
                        }
                        None => row += " | |",
                    }
                }
                let _ = writeln!(text, "{row}");
            }
        }
        let _ = fs::remove_dir_all(&folder);
        Ok(text)
    }

    /// States that SPIN keeps, and its time, if it is there.
    fn spin(
        &self,
        program: &str,
        size: u32,
        is_reduced: bool,
        folder: &Path,
    ) -> Option<(u64, f64)> {
        let file = self
            .root
            .join(format!("tests/families/promela/{program}.pml"));
        let all = if is_reduced { "" } else { "-DNOREDUCE" };
        let make = format!(
            "spin -DN={size} -a {} && cc -O2 {all} -DVECTORSZ=4096 -o pan pan.c",
            file.display()
        );
        let made = Command::new("bash")
            .args(["-c", &make])
            .current_dir(folder)
            .output()
            .ok()?;
        if !made.status.success() {
            return None;
        }
        let best = self.best("./pan -m1000000", folder).ok()?;
        if !best.output.contains("errors: 0") {
            return None;
        }
        let line = best
            .output
            .lines()
            .find(|line| line.contains("states, stored"))?;
        let count = line.split_whitespace().next()?.parse().ok()?;
        Some((count, best.used))
    }
}
