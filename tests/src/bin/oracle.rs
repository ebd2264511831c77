//! Compares the bounded checker with the exhaustive explorer on random programs; or
//! the explorer with the machine, if told so.
//!
//! Prints what came out of it; disagreements are kept as folders with a program
//! and a note. Ends with 1 if there are any.

use replay::Property;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use tests::judge::build::Workshop;
use tests::judge::verdict::{Case, Effort};
use tests::judge::{self, verdict};
use tests::oracle::campaign::{self, Plan, Strategies, Tally};
use tests::oracle::{proofs, weak, weak_threads};

const HELP: &str = "\
usage: oracle [options]

  --count N     how many programs (default 1000)
  --seed S      seed of the first one (default 0)
  --jobs J      how many at the same time (default 2)
  --property P  what the programs are about (default assert); with `default`, all
                that ends a thread counts
  --keep DIR    where to put programs on which the two sides disagree
  --time SECS   begin no program after this time
  --strategies  ask about every program with every strategy
  --usual       ask with the usual search only, which is several times as fast
  --malloc-may-fail  let allocations fail in every program, not only in a third
  --lifecycles  threads begin and end in unusual ways; natively, half of them do
  --idioms      futexes, clean-up handlers, cancelled threads and jumps
  --proofs      compare the prover with the plain enumeration instead
  --weak        compare explorer and checker with the axioms of the memory models
                instead, on programs with memory orders and fences; and with each other,
                on programs that also have branches and locks
  --show        print the program of the seed instead

  --native      compare the explorer with native runs instead; then also:
  --runs M      how often to run each program (default 50)
  --races M     how often with ThreadSanitizer (default 10)
  --file FILE   judge this program instead of random ones; may be repeated";

/// For making a program smaller that shows something on the machine.
const SHRINK_TIME: Duration = Duration::from_secs(60);

struct Arguments {
    plan: Plan,
    shows: bool,
    native: bool,
    proofs: bool,
    weak: bool,
    runs: u32,
    race_runs: u32,
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help" || argument == "-h") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let arguments = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("oracle: {message}\n\n{HELP}");
            return ExitCode::from(64);
        }
    };
    if arguments.native {
        return native(&arguments);
    }
    if arguments.proofs {
        return prove(&arguments.plan);
    }
    if arguments.weak {
        return compare_weak(&arguments);
    }
    let plan = arguments.plan;
    if arguments.shows {
        print!("{}", plan.program(plan.first_seed).print());
        return ExitCode::SUCCESS;
    }
    // Panics are findings, which are told in the end.
    std::panic::set_hook(Box::new(|_| {}));
    let tally = campaign::run(&plan, &|tally| tell(tally, plan.count));
    eprintln!();
    print!("{tally}");
    match tally.disagreements.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// The explorer and the checker against the axioms of memory models.
fn compare_weak(arguments: &Arguments) -> ExitCode {
    let plan = &arguments.plan;
    if arguments.shows {
        let seed = plan.first_seed;
        print!("{}", weak::Program::of_seed(seed).text());
        print!("{}", weak_threads::Program::of_seed(seed).text);
        return ExitCode::SUCCESS;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let compared = weak::campaign(plan, &|done, found| {
        if done.is_multiple_of(10) || done == plan.count {
            eprint!(
                "\r{done} of {} programs, {found} with findings ",
                plan.count
            );
        }
    });
    eprintln!();
    for (seed, what) in &compared.findings {
        println!("seed {seed}: {what}");
    }
    println!(
        "with branches and locks: {} need a weak model, {} do not, {} passed over",
        compared.weak, compared.strong, compared.passed_over
    );
    println!("disagreements {}", compared.findings.len());
    match compared.findings.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// The prover against the plain enumeration.
fn prove(plan: &Plan) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    let tally = proofs::campaign(plan, &|done, found| {
        if done.is_multiple_of(10) || done == plan.count {
            eprint!(
                "\r{done} of {} programs, {found} with findings ",
                plan.count
            );
        }
    });
    eprintln!();
    print!("{tally}");
    match tally.findings.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// The machine as judge.
fn native(arguments: &Arguments) -> ExitCode {
    let plan = &arguments.plan;
    if arguments.shows {
        print!("{}", judge::campaign::program(plan.first_seed).print());
        return ExitCode::SUCCESS;
    }
    let workshop = match Workshop::open() {
        Ok(workshop) => workshop,
        Err(message) => {
            eprintln!("oracle: {message}");
            return ExitCode::from(70);
        }
    };
    for skipped in workshop.skipped() {
        eprintln!("skipped: {skipped}");
    }
    if !arguments.files.is_empty() {
        return native_files(arguments, &workshop);
    }
    let plan = judge::campaign::Plan {
        first_seed: plan.first_seed,
        count: plan.count,
        runs: arguments.runs,
        race_runs: arguments.race_runs,
        races_every: 1,
        jobs: plan.jobs,
        keep: plan.keep.clone(),
        time: plan.time,
        shrink_time: SHRINK_TIME,
    };
    let tally = judge::campaign::run(&plan, &workshop, &|tally| {
        if tally.programs.is_multiple_of(10) || tally.programs == plan.count {
            eprint!(
                "\r{} of {} programs, {} with findings ",
                tally.programs,
                plan.count,
                tally.suspects.len()
            );
        }
    });
    eprintln!();
    print!("{tally}");
    match tally.suspects.is_empty() && tally.failures.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn native_files(arguments: &Arguments, workshop: &Workshop) -> ExitCode {
    let mut is_clean = true;
    for source in &arguments.files {
        let case = Case {
            source: source.clone(),
            is_32_bits: false,
            inputs: vec![0, 1],
        };
        let effort = Effort {
            runs: arguments.runs,
            race_runs: arguments.race_runs,
            seed: arguments.plan.first_seed,
            looks_for_wrong_accesses: false,
        };
        let name = source.display();
        match verdict::examine(workshop, &case, &effort) {
            Err(error) => println!("{name}: {error}"),
            Ok(examined) => {
                let kept = |why: &Option<String>| {
                    why.as_ref()
                        .map_or(String::new(), |why| format!(" (not judged: {why})"))
                };
                println!(
                    "{name}: outcomes {} of {}{}, races {} of {}{}",
                    examined.seen,
                    examined.enumerated,
                    kept(&examined.not_judged),
                    examined.races_seen,
                    examined.races_enumerated,
                    kept(&examined.races_not_judged),
                );
                for finding in &examined.findings {
                    println!("  {finding}");
                }
                is_clean &= examined.findings.is_empty();
            }
        }
    }
    match is_clean {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn tell(tally: &Tally, count: u64) {
    if tally.programs.is_multiple_of(20) || tally.programs == count {
        eprint!(
            "\r{} of {count} programs, {} disagreements ",
            tally.programs,
            tally.disagreements.len()
        );
    }
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut parsed = Arguments {
        plan: Plan {
            property: Property::Assert,
            first_seed: 0,
            count: 1000,
            jobs: 2,
            keep: None,
            time: None,
            strategies: Strategies::default(),
            malloc_may_fail: false,
            default_checks: false,
            lifecycles: false,
            idioms: false,
        },
        shows: false,
        native: false,
        proofs: false,
        weak: false,
        runs: 50,
        race_runs: 10,
        files: Vec::new(),
    };
    let plan = &mut parsed.plan;
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--show" => {
                parsed.shows = true;
                continue;
            }
            "--lifecycles" => {
                plan.lifecycles = true;
                continue;
            }
            "--idioms" => {
                plan.idioms = true;
                continue;
            }
            "--native" => {
                parsed.native = true;
                continue;
            }
            "--weak" => {
                parsed.weak = true;
                continue;
            }
            "--proofs" => {
                parsed.proofs = true;
                continue;
            }
            "--strategies" => {
                plan.strategies = Strategies::Every;
                continue;
            }
            "--usual" => {
                plan.strategies = Strategies::None;
                continue;
            }
            "--malloc-may-fail" => {
                plan.malloc_may_fail = true;
                continue;
            }
            _ => {}
        }
        let value = arguments.next().ok_or(format!("{option} needs a value"))?;
        match option.as_str() {
            "--count" => plan.count = number(&option, &value)?,
            "--seed" => plan.first_seed = number(&option, &value)?,
            "--jobs" => plan.jobs = number(&option, &value)?,
            "--time" => plan.time = Some(Duration::from_secs(number(&option, &value)?)),
            "--property" if value == "default" => plan.default_checks = true,
            "--property" => {
                plan.property =
                    Property::from_name(&value).ok_or(format!("there is no property '{value}'"))?;
            }
            "--runs" => parsed.runs = number(&option, &value)?,
            "--races" => parsed.race_runs = number(&option, &value)?,
            "--file" => parsed.files.push(PathBuf::from(value)),
            "--keep" => plan.keep = Some(PathBuf::from(value)),
            _ => return Err(format!("there is no option {option}")),
        }
    }
    Ok(parsed)
}

fn number<T: FromStr>(option: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{option} needs a number, not '{value}'"))
}
