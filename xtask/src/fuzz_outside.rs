//! `cargo xtask fuzz-outside`: broken modules and odd option values, from outside.
//!
//! Takes the IR of small programs, breaks it at random, and runs the tool on it as a
//! user would; then gives it options with values that nobody would think of. Whatever
//! it says, it must not panic, hang, or call it an internal error. What does is kept in
//! a folder. The same seed makes the same inputs.

mod mutate;

use mutate::Random;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How much is tried, and with what.
pub struct Campaign {
    pub binary: PathBuf,
    pub modules: u64,
    pub options: u64,
    pub seed: u64,
}

/// Longer than any limit that is given.
const LONGEST: Duration = Duration::from_secs(60);
/// Ends that are answers.
const FINE: [i32; 6] = [0, 10, 20, 64, 65, 130];
/// For the compiler.
const SOURCES: &str = "examples";
const LIMITS: [&str; 2] = ["--time=2", "--memory=400M"];

/// Numbers that are too small, too large, or none; and what is no number at all.
const VALUES: [&str; 34] = [
    "0",
    "1",
    "2",
    "3",
    "64",
    "-1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "1.5",
    "0x10",
    "1e9",
    "NaN",
    "",
    " ",
    "x",
    "é",
    "\u{202e}",
    "1G",
    "0M",
    "9999999999T",
    "all",
    "assert,race",
    "main.0:1",
    "main.0:0",
    ":",
    ",",
    "/",
    "/dev/null",
    "/dev/zero",
    "no/such/file",
    "--",
];

/// Options by command; with a sign if they take no value.
const OPTIONS: [(&str, &[&str]); 4] = [
    (
        "show",
        &["!--ir", "--std", "-m", "-D", "-I", "--clang", "--build"],
    ),
    (
        "run",
        &[
            "--seed",
            "--schedule",
            "--unwind",
            "!--trace",
            "--steps",
            "!--json",
            "--property",
            "--arg",
            "--args",
            "!--spurious",
            "--undefined",
            "--deadlock",
            "--save",
            "--std",
        ],
    ),
    (
        "explore",
        &[
            "--contexts",
            "--rounds",
            "--unwind",
            "--steps",
            "--inputs",
            "!--all",
            "!--no-merge",
            "!--prove",
            "--max-states",
            "!--json",
            "--property",
            "--args",
        ],
    ),
    (
        "check",
        &[
            "--contexts",
            "--rounds",
            "--unwind",
            "--unwind-all",
            "--unwindset",
            "--cores",
            "--strategy",
            "--engine",
            "--encoding",
            "--partitions",
            "--from",
            "--to",
            "--tile-size",
            "--tiles",
            "--instances",
            "--seed",
            "--solver",
            "--checkpoint",
            "--key",
            "--property",
            "!--all-violations",
            "!--stats",
            "!--json",
            "--coverage",
            "--normal-forms",
            "--without",
            "!--svcomp",
            "--prop",
            "--data-model",
            "--args",
            "!--malloc-may-fail",
            "--undefined",
            "--dump",
            "--result",
            "--build",
        ],
    ),
];

/// Whether all went well.
pub fn fuzz(root: &Path, campaign: &Campaign) -> Result<bool, String> {
    let folder = std::env::temp_dir().join(format!("fuzz-outside-{}", campaign.seed));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let seeds = seeds(&root.join(SOURCES))?;
    let mut failures = 0;
    let mut random = Random::new(campaign.seed);
    for number in 0..campaign.modules {
        let text = mutate::mutate(&seeds, &mut random);
        let file = folder.join("m.ll");
        fs::write(&file, &text).map_err(|error| error.to_string())?;
        let command = module_command(&mut random);
        if let Err(problem) = run(campaign, &folder, &command) {
            failures += 1;
            let kept = folder.join(format!("kept-{number}.ll"));
            let _ = fs::copy(&file, &kept);
            println!("{}: {}: {problem}", kept.display(), command.join(" "));
        }
        tell(number + 1, campaign.modules, "modules");
    }
    let program = seeds.first().ok_or("no program to begin with")?;
    fs::write(folder.join("m.ll"), program).map_err(|error| error.to_string())?;
    for number in 0..campaign.options {
        let command = option_command(&mut random);
        if let Err(problem) = run(campaign, &folder, &command) {
            failures += 1;
            println!("{command:?}: {problem}");
        }
        tell(number + 1, campaign.options, "options");
    }
    println!(
        "{} modules, {} options, {failures} failures",
        campaign.modules, campaign.options
    );
    Ok(failures == 0)
}

fn tell(number: u64, all: u64, what: &str) {
    if number.is_multiple_of(1000) {
        println!("{number} of {all} {what}");
    }
}

/// The IR of small programs.
fn seeds(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut seeds = Vec::new();
    for file in files {
        if file.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let output = Command::new("clang")
            .args(["-O0", "-g", "-S", "-emit-llvm", "-o", "-"])
            .arg(&file)
            .stderr(Stdio::null())
            .output()
            .map_err(|error| format!("clang: {error}"))?;
        seeds.extend(
            output
                .status
                .success()
                .then(|| String::from_utf8_lossy(&output.stdout).into_owned()),
        );
    }
    match seeds.is_empty() {
        true => Err(format!("{}: no program compiles", folder.display())),
        false => Ok(seeds),
    }
}

fn module_command(random: &mut Random) -> Vec<String> {
    let words: &[&str] = match random.below(10) {
        0..4 => &["show", "m.ll"],
        4..7 => &["run", "m.ll", "--steps=2000"],
        7..8 => &[
            "explore",
            "m.ll",
            "--contexts=3",
            "--unwind=2",
            "--max-states=3000",
        ],
        _ => &[
            "check",
            "m.ll",
            "--contexts=3",
            "--unwind=2",
            "--property=all",
        ],
    };
    let limits = LIMITS.iter();
    (words.iter().chain(limits).map(|word| (*word).to_owned())).collect()
}

fn option_command(random: &mut Random) -> Vec<String> {
    let (command, options) = OPTIONS[random.below(OPTIONS.len())];
    let mut words = vec![command.to_owned(), "m.ll".to_owned()];
    words.extend(LIMITS.map(str::to_owned));
    for _ in 0..1 + random.below(3) {
        let option = options[random.below(options.len())];
        match option.strip_prefix('!') {
            Some(option) => words.push(option.to_owned()),
            None => {
                let value = VALUES[random.below(VALUES.len())];
                words.push(format!("{option}={value}"));
            }
        }
    }
    // Limits are options, too.
    if random.below(10) == 0 {
        let value = VALUES[random.below(VALUES.len())];
        let option = ["--time", "--memory"][random.below(2)];
        words.retain(|word| !word.starts_with(option));
        words.push(format!("{option}={value}"));
        words.push(["--unwind=1", "--steps=10", "--contexts=1"][random.below(3)].to_owned());
    }
    words
}

/// Runs the tool once. What is wrong, if something is.
fn run(campaign: &Campaign, folder: &Path, command: &[String]) -> Result<(), String> {
    let messages = folder.join("messages");
    let file = fs::File::create(&messages).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let mut child = Command::new(&campaign.binary)
        .args(command)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn()
        .map_err(|error| error.to_string())?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if start.elapsed() > LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            return Err("it takes too long".to_owned());
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let said = fs::read(&messages).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let is_fine = status.code().is_some_and(|code| FINE.contains(&code));
    match is_fine && !said.contains("panicked") {
        true => Ok(()),
        false => {
            let last: Vec<&str> = said.lines().rev().take(3).collect();
            Err(format!("{status}: {}", last.join(" / ")))
        }
    }
}
