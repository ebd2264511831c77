//! Many programs before the judge, several at a time, and what came out of it.
//!
//! Generated programs are made from seeds, as for the comparison of the checker with
//! the explorer. Those that show something are made smaller and, if the caller names
//! a folder, kept there with a note. This module does not print.

use super::build::Workshop;
use super::verdict::{Case, Effort, Examined, Finding, examine};
use crate::oracle::generate;
use crate::oracle::shrink::shrink;
use crate::oracle::syntax::Program;
use replay::Property;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What programs are about, in turn.
const ABOUT: [Property; 8] = [
    Property::Assert,
    Property::Race,
    Property::Assert,
    Property::Deadlock,
    Property::Assert,
    Property::Memory,
    Property::Assert,
    Property::Race,
];

/// How far apart the seeds are that stand for one another.
const FAR: u64 = 1 << 32;

/// One program in so many is looked at for wrong accesses in any case.
const OFTEN: u64 = 5;

pub struct Plan {
    pub first_seed: u64,
    pub count: u64,
    /// Of each program.
    pub runs: u32,
    /// With ThreadSanitizer, which takes long to build.
    pub race_runs: u32,
    /// Races are looked for in one program of so many.
    pub races_every: u64,
    pub jobs: usize,
    /// Where to put programs that show something.
    pub keep: Option<PathBuf>,
    /// No program is begun after this time.
    pub time: Option<Duration>,
    /// For making one program smaller.
    pub shrink_time: Duration,
}

/// A program that shows something.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub name: String,
    /// As small as it could be made.
    pub program: String,
    pub findings: Vec<Finding>,
}

/// What came out of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub programs: u64,
    pub judged: u64,
    pub races_judged: u64,
    pub runs: u64,
    pub time_outs: u64,
    pub seen: u64,
    pub enumerated: u64,
    pub races_seen: u64,
    pub races_enumerated: u64,
    pub not_judged: BTreeMap<String, u64>,
    pub races_not_judged: BTreeMap<String, u64>,
    /// Programs that could not be judged because of a mistake.
    pub failures: Vec<String>,
    pub suspects: Vec<Suspect>,
}

impl Tally {
    pub fn add(&mut self, examined: &Examined) {
        self.programs += 1;
        self.runs += examined.runs;
        self.time_outs += examined.time_outs;
        match &examined.not_judged {
            Some(why) => *self.not_judged.entry(why.clone()).or_default() += 1,
            None => {
                self.judged += 1;
                self.seen += examined.seen;
                self.enumerated += examined.enumerated;
            }
        }
        match &examined.races_not_judged {
            Some(why) => *self.races_not_judged.entry(why.clone()).or_default() += 1,
            None => {
                self.races_judged += 1;
                self.races_seen += examined.races_seen;
                self.races_enumerated += examined.races_enumerated;
            }
        }
    }
}

/// The program of a seed: of several, the first without atomic sections, since the
/// machine has none.
pub fn program(seed: u64) -> Program {
    let about = ABOUT[(seed % ABOUT.len() as u64) as usize];
    let make = |seed: u64| match seed / ABOUT.len() as u64 % 2 {
        0 => generate::program_with_lifecycles(about, seed),
        _ => generate::program_about(about, seed),
    };
    let others = (1..4).map(|n| make(seed + n * FAR));
    let mut all = std::iter::once(make(seed)).chain(others);
    let fits = |program: &Program| !program.print().contains("__VERIFIER_atomic");
    all.find(fits).unwrap_or_else(|| make(seed))
}

/// Judges all programs of a plan. `watch` is told after each of them.
pub fn run(plan: &Plan, workshop: &Workshop, watch: &(dyn Fn(&Tally) + Sync)) -> Tally {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let is_late = plan.time.is_some_and(|time| start.elapsed() > time);
            if index >= plan.count || is_late {
                return;
            }
            let seed = plan.first_seed + index;
            let effort = Effort {
                runs: plan.runs,
                race_runs: match seed.is_multiple_of(plan.races_every) {
                    true => plan.race_runs,
                    false => 0,
                },
                seed: seed.wrapping_mul(1_000_003),
                looks_for_wrong_accesses: seed.is_multiple_of(OFTEN),
            };
            let program = program(seed);
            let result = examine_program(workshop, &program, &effort);
            let suspect = match &result {
                Ok(examined) if !examined.findings.is_empty() => {
                    Some(suspect(plan, workshop, seed, &program, &effort, examined))
                }
                _ => None,
            };
            if let (Some(suspect), Some(folder)) = (&suspect, &plan.keep) {
                // A full disk is no reason to lose the rest.
                let _ = keep(folder, suspect, &program);
            }
            let Ok(mut tally) = tally.lock() else {
                return;
            };
            match result {
                Ok(examined) => tally.add(&examined),
                Err(error) => {
                    tally.programs += 1;
                    tally.failures.push(format!("seed {seed}: {error}"));
                }
            }
            tally.suspects.extend(suspect);
            watch(&tally);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(worker);
        }
    });
    let mut tally = tally.into_inner().unwrap_or_default();
    tally.suspects.sort_by(|a, b| a.name.cmp(&b.name));
    tally.failures.sort();
    tally
}

/// Judges a generated program.
pub fn examine_program(
    workshop: &Workshop,
    program: &Program,
    effort: &Effort,
) -> Result<Examined, String> {
    let folder = workshop.bench()?;
    let source = folder.path().join("program.c");
    std::fs::write(&source, program.print()).map_err(|error| error.to_string())?;
    let case = Case {
        source,
        is_32_bits: program.is_32_bits && workshop.has_32_bits,
        inputs: program.inputs.clone(),
    };
    examine(workshop, &case, effort)
}

fn suspect(
    plan: &Plan,
    workshop: &Workshop,
    seed: u64,
    program: &Program,
    effort: &Effort,
    examined: &Examined,
) -> Suspect {
    let kinds = |examined: &Examined| -> Vec<_> {
        examined
            .findings
            .iter()
            .map(|finding| finding.kind)
            .collect()
    };
    let wanted = kinds(examined);
    let is_same = |program: &Program| {
        let examined = examine_program(workshop, program, effort);
        examined.is_ok_and(|examined| kinds(&examined).iter().any(|kind| wanted.contains(kind)))
    };
    let smallest = shrink(program, plan.shrink_time, is_same);
    let findings = match examine_program(workshop, &smallest, effort) {
        Ok(again) if !again.findings.is_empty() => again.findings,
        // What is seen is a matter of chance.
        _ => examined.findings.clone(),
    };
    Suspect {
        name: format!("seed-{seed}"),
        program: smallest.print(),
        findings,
    }
}

fn keep(folder: &Path, suspect: &Suspect, whole: &Program) -> std::io::Result<()> {
    let folder = folder.join(&suspect.name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("program.c"), &suspect.program)?;
    std::fs::write(folder.join("whole.c"), whole.print())?;
    std::fs::write(folder.join("note.txt"), suspect.to_string())
}

impl fmt::Display for Suspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{}: {finding}", self.name)?;
        }
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let mut row = |name: &str, count: u64| {
            let _ = writeln!(text, "{name:<28}{count:>8}");
        };
        row("programs", self.programs);
        row("  outcomes judged", self.judged);
        row("  races judged", self.races_judged);
        row("runs", self.runs);
        row("  without an end", self.time_outs);
        row("outcomes seen", self.seen);
        row("  enumerated", self.enumerated);
        row("races confirmed", self.races_seen);
        row("  enumerated", self.races_enumerated);
        row("failures", self.failures.len() as u64);
        row("programs with findings", self.suspects.len() as u64);
        let _ = writeln!(text, "outcomes not judged");
        list(&mut text, &self.not_judged);
        let _ = writeln!(text, "races not judged");
        list(&mut text, &self.races_not_judged);
        for failure in &self.failures {
            let _ = writeln!(text, "failure: {failure}");
        }
        for suspect in &self.suspects {
            let _ = write!(text, "{suspect}");
        }
        f.write_str(&text)
    }
}

/// The most frequent first.
fn list(text: &mut String, counts: &BTreeMap<String, u64>) {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (name, count) in counts {
        let _ = writeln!(text, "    {count:>6}  {name}");
    }
}
