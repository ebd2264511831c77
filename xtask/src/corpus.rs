//! `cargo xtask corpus`: runs the release build of `threadbare check` over the
//! collection of programs with known verdicts that is kept beside the
//! repository, and compares.
//!
//! The tool is run as a process, as users run it, so that a crash or a process
//! that hangs is one bad row and not the end. This crate knows of the tool only
//! its command line, its exit codes and its JSON.

mod child;
mod manifest;
mod options;
mod outcome;
mod table;

use child::Limits;
use manifest::Row;
use options::Options;
use outcome::{Judgement, Outcome, Word};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use options::HELP;

/// Where the programs are, from the root of the repository.
const CORPUS: &str = "../shared/corpus";

/// Runs the command. `Ok(false)`: some verdict is wrong.
pub fn corpus(root: &Path, arguments: &[&str]) -> Result<bool, String> {
    let options = Options::parse(arguments)?;
    let corpus = root.join(CORPUS);
    let manifest = corpus.join("MANIFEST.tsv");
    let text = fs::read_to_string(&manifest).map_err(|error| {
        format!(
            "the corpus is not there: {}: {error}; it is a collection of programs of its own, \
             expected beside the repository as {CORPUS}",
            manifest.display()
        )
    })?;
    // For messages; the tool does not mind.
    let corpus = fs::canonicalize(&corpus).unwrap_or(corpus);
    let mut rows = manifest::parse(&text)?;
    rows.retain(|row| options.selects(row));
    if rows.is_empty() {
        return Err("no program is selected".to_owned());
    }
    let known = match &options.out {
        Some(path) if options.resume => read_results(path)?,
        _ => HashMap::new(),
    };
    let mut results = Results::open(&options, rows.len(), &rows, &known)?;
    let missing: Vec<&Row> = rows
        .iter()
        .filter(|row| !known.contains_key(&row.program))
        .collect();
    if !missing.is_empty() {
        let tool = Tool::build(root)?;
        run_all(&tool, &corpus, &options, &missing, &mut results)?;
    }
    let results: Vec<(&Row, &Outcome)> = rows
        .iter()
        .filter_map(|row| Some((row, results.outcomes.get(&row.program)?)))
        .collect();
    print!("{}", table::render(&results));
    let wrong = |(row, outcome): &(&Row, &Outcome)| {
        outcome::judge(row.expected, outcome.word) == Judgement::Wrong
    };
    Ok(!results.iter().any(wrong))
}

/// What has been found out so far, in memory and in the file.
struct Results {
    outcomes: HashMap<String, Outcome>,
    file: Option<File>,
    n_rows: usize,
}

impl Results {
    /// Begins the file anew, with what is known already.
    fn open(
        options: &Options,
        n_rows: usize,
        rows: &[Row],
        known: &HashMap<String, (Row, Outcome)>,
    ) -> Result<Results, String> {
        let mut results = Results {
            outcomes: HashMap::new(),
            file: None,
            n_rows,
        };
        if let Some(path) = &options.out {
            let mut kept: Vec<&(Row, Outcome)> = known.values().collect();
            kept.sort_by(|(a, _), (b, _)| a.program.cmp(&b.program));
            let text: String = kept
                .iter()
                .map(|(row, outcome)| outcome.to_line(row))
                .collect();
            let error = |error| format!("{}: {error}", path.display());
            fs::write(path, text).map_err(error)?;
            let file = OpenOptions::new().append(true).open(path).map_err(error)?;
            results.file = Some(file);
        }
        for row in rows {
            if let Some((_, outcome)) = known.get(&row.program) {
                let outcome = outcome.clone();
                results.outcomes.insert(row.program.clone(), outcome);
            }
        }
        Ok(results)
    }

    fn add(&mut self, row: &Row, outcome: Outcome) -> Result<(), String> {
        if let Some(file) = &mut self.file {
            file.write_all(outcome.to_line(row).as_bytes())
                .map_err(|error| format!("cannot write the results: {error}"))?;
        }
        let mark = match outcome::judge(row.expected, outcome.word) {
            Judgement::Wrong => " WRONG",
            _ => "",
        };
        eprintln!(
            "{}/{} {} {}: {}{mark}, {:.1} s, {} MB, {}",
            self.outcomes.len() + 1,
            self.n_rows,
            row.program,
            row.expected.name(),
            outcome.word.name(),
            outcome.seconds,
            outcome.megabytes,
            outcome.reason
        );
        self.outcomes.insert(row.program.clone(), outcome);
        Ok(())
    }
}

/// The rows of an earlier run, by program.
fn read_results(path: &Path) -> Result<HashMap<String, (Row, Outcome)>, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    // A line that is not whole is what an interrupted run leaves behind.
    let rows = text.lines().filter_map(Outcome::from_line);
    Ok(rows
        .map(|(row, outcome)| (row.program.clone(), (row, outcome)))
        .collect())
}

fn run_all(
    tool: &Tool,
    corpus: &Path,
    options: &Options,
    rows: &[&Row],
    results: &mut Results,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new((results, Ok(())));
    let worker = || {
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = run_one(tool, corpus, options, row);
            let Ok(mut results) = results.lock() else {
                return;
            };
            let added = results.0.add(row, outcome);
            if added.is_err() {
                results.1 = added;
            }
            if results.1.is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(worker);
        }
    });
    match results.into_inner() {
        Ok((_, result)) => result,
        Err(_) => Err("a worker failed".to_owned()),
    }
}

fn run_one(tool: &Tool, corpus: &Path, options: &Options, row: &Row) -> Outcome {
    let file = corpus.join(&row.program);
    let own = file.parent().unwrap_or(corpus);
    let mut command = Command::new(&tool.path);
    command
        // The rules that the expected verdicts follow.
        .args(["check", "--json", "--undefined=any"])
        .arg(format!("--property={}", options.property.checked_as))
        .arg(format!("--time={}", options.time.as_secs()))
        .arg(format!("--memory={}", options.memory))
        .arg(format!("-m{}", row.bits))
        .arg(format!("-I{}", own.display()))
        .arg(format!("-I{}", corpus.join("include").display()))
        .arg(&file);
    let limits = Limits {
        time: options.time + options::GRACE,
        memory: options.memory.saturating_mul(2),
    };
    match child::run(&mut command, &limits) {
        Ok(end) => Outcome::of(&end),
        Err(error) => Outcome {
            word: Word::Error,
            seconds: 0.0,
            megabytes: 0,
            reason: format!("cannot be started: {error}"),
        },
    }
}

/// A copy of the release build, so that a later build does not change what a
/// long run measures. Removed at the end.
struct Tool {
    path: PathBuf,
}

impl Tool {
    fn build(root: &Path) -> Result<Tool, String> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let output = Command::new(cargo)
            .args(["build", "--release", "--package", "threadbare-cli"])
            .arg("--message-format=json-render-diagnostics")
            .current_dir(root)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        if !output.status.success() {
            return Err("the tool cannot be built".to_owned());
        }
        let messages = String::from_utf8_lossy(&output.stdout);
        let built = messages
            .lines()
            .find_map(executable)
            .ok_or("cargo does not say where the tool is")?;
        let path = built.with_file_name(format!("threadbare-corpus-{}", std::process::id()));
        fs::copy(&built, &path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Tool { path })
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        // A file too many in the build folder does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

/// The program that a message of cargo tells of.
fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let path = message.get("executable")?.as_str()?;
    Some(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_tells_where_the_tool_is() {
        let artifact = r#"{"reason":"compiler-artifact","executable":"target/release/x"}"#;
        assert_eq!(
            executable(artifact),
            Some(PathBuf::from("target/release/x"))
        );
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        assert_eq!(executable(library), None);
        assert_eq!(executable("no JSON"), None);
    }

    #[test]
    fn without_the_corpus_it_says_where_it_should_be() {
        let error = corpus(Path::new("nowhere"), &[]).expect_err("should fail");
        assert!(error.contains(CORPUS), "{error}");
    }
}
