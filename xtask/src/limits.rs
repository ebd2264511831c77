//! `cargo xtask limits`: how well limits hold.
//!
//! Makes heavy inputs of many kinds, runs the release build on each with a few seconds
//! and some hundred megabytes, and writes the page `docs/limits.md`: how long each took
//! and how much memory, that of clang and other children included. Fails if one went
//! beyond what the page promises.

mod inputs;

use inputs::{INPUTS, Input};
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PAGE: &str = "docs/limits.md";
const SECONDS: u64 = 5;
const MEGABYTES: u64 = 500;
/// What is promised: this part of the limit, or these seconds.
const PART_OF_TIME: f64 = 0.05;
const MORE_SECONDS: f64 = 1.0;
const PART_OF_MEMORY: f64 = 0.1;
/// Whoever takes so much longer is ended from outside.
const GIVE_UP: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(4);

const ABOUT: &str = "\
# How limits hold

`--time SECONDS` and `--memory SIZE` hold for `check`, `run`, `show` and `explore`, whatever
is under way: clang, reading, unfolding, formulas, solvers, runs, replay. Time counts from
the start of the process and may be exceeded by 5 % or one second; memory is what this
process and its children have in use together, and may be exceeded by 10 %.

Work keeps to limits by itself, and then tells how far it has come. Where nobody asks, a
guard ends the process, with what is known by then. Clang and solvers are process groups of
their own, which end with whatever they have started, also at errors and at Ctrl-C.

Inputs must be regular files of at most 256 MiB: pipes and devices are refused, and what is
too large is refused before it is read.

The table is made by `cargo xtask limits`, with `--time 5 --memory 500M`. Figures depend on
the machine: these are of the release build, on two cores that had several times as much
to do.
";

struct Figures {
    seconds: f64,
    /// Of the process and its descendants together, in megabytes.
    megabytes: f64,
    code: String,
    answer: String,
}

impl Figures {
    fn late(&self) -> f64 {
        (self.seconds - SECONDS as f64).max(0.0)
    }

    /// Of the limit, in per cent.
    fn excess(&self) -> f64 {
        let limit = MEGABYTES as f64;
        (100.0 * (self.megabytes - limit) / limit).max(0.0)
    }

    fn is_fine(&self) -> bool {
        self.late() <= MORE_SECONDS.max(PART_OF_TIME * SECONDS as f64)
            && self.excess() <= 100.0 * PART_OF_MEMORY
    }
}

/// Whether all limits hold. Only inputs whose names contain a word, if one is given;
/// then no page is written.
pub fn limits(root: &Path, binary: Option<PathBuf>, only: Option<&str>) -> Result<bool, String> {
    let binary = match binary {
        Some(path) => path.canonicalize().map_err(|error| error.to_string())?,
        None => crate::growth::build(root)?,
    };
    let folder = std::env::temp_dir().join(format!("limits-{}", std::process::id()));
    let result = table(&binary, &folder, only);
    let _ = fs::remove_dir_all(&folder);
    let (rows, is_fine) = result?;
    if only.is_none() {
        let path = root.join(PAGE);
        let page = format!("{ABOUT}\n{rows}");
        fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(is_fine)
}

fn table(binary: &Path, folder: &Path, only: Option<&str>) -> Result<(String, bool), String> {
    let mut rows = "\
| input | command | seconds | late by | MB | more by | exit | answer |
|---|---|---:|---:|---:|---:|---:|---|
"
    .to_owned();
    let mut is_fine = true;
    let chosen = (INPUTS.iter()).filter(|input| only.is_none_or(|word| input.name.contains(word)));
    for input in chosen {
        let place = folder.join(input.name);
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        (input.make)(&place).map_err(|error| format!("{}: {error}", input.name))?;
        let figures = run(binary, &place, input)?;
        let _ = fs::remove_dir_all(&place);
        is_fine &= figures.is_fine();
        let row = format!(
            "| {} | `{}` | {:.2} | {:.2} s | {:.0} | {:.0} % | {} | {} |",
            input.about,
            input.command.join(" "),
            figures.seconds,
            figures.late(),
            figures.megabytes,
            figures.excess(),
            figures.code,
            figures.answer
        );
        let remark = if figures.is_fine() { "" } else { "  <- beyond" };
        println!("{row}{remark}");
        let _ = writeln!(rows, "{row}");
    }
    Ok((rows, is_fine))
}

fn run(binary: &Path, place: &Path, input: &Input) -> Result<Figures, String> {
    let output = place.join("output");
    let file = fs::File::create(&output).map_err(|error| error.to_string())?;
    let limits = [
        format!("--time={SECONDS}"),
        format!("--memory={MEGABYTES}M"),
    ];
    let start = Instant::now();
    let mut child = Command::new(binary)
        .args(input.command)
        .args(limits)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let (code, peak) = accompany(&mut child, start)?;
    let seconds = start.elapsed().as_secs_f64();
    let text = fs::read(&output).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let answer = text.lines().next().unwrap_or("").replace('|', "\\|");
    Ok(Figures {
        seconds,
        megabytes: peak as f64 / f64::from(1 << 20),
        code,
        answer: answer.chars().take(70).collect(),
    })
}

/// Waits for the end, and measures.
fn accompany(child: &mut Child, start: Instant) -> Result<(String, u64), String> {
    let mut peak = 0;
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            let code = status
                .code()
                .map_or("signal".to_owned(), |code| code.to_string());
            return Ok((code, peak));
        }
        peak = peak.max(in_use(child.id()));
        if start.elapsed() > GIVE_UP {
            let _ = child.kill();
        }
        std::thread::sleep(LOOK);
    }
}

/// Bytes of a process and its descendants.
fn in_use(process: u32) -> u64 {
    let mut parents: HashMap<u32, u32> = HashMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for number in numbers {
        parents.extend(parent_of(number).map(|parent| (number, parent)));
    }
    let is_ours = |mut number: u32| loop {
        match parents.get(&number) {
            _ if number == process => return true,
            Some(parent) if *parent > 1 => number = *parent,
            _ => return false,
        }
    };
    let ours = parents.keys().filter(|number| is_ours(**number));
    ours.filter_map(|number| resident(*number)).sum()
}

fn parent_of(process: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn resident(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Writes a file that an input needs.
fn write(folder: &Path, name: &str, text: &str) -> std::io::Result<PathBuf> {
    let path = folder.join(name);
    fs::write(&path, text)?;
    Ok(path)
}
