//! Compares the bounded checker with the exhaustive explorer on random programs.
//!
//! Prints what came out of it; disagreements are kept as folders with a program
//! and a note. Ends with 1 if there are any.

use replay::Property;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use tests::oracle::campaign::{self, Plan, Tally};
use tests::oracle::generate;

const HELP: &str = "\
usage: oracle [options]

  --count N     how many programs (default 1000)
  --seed S      seed of the first one (default 0)
  --jobs J      how many at the same time (default 2)
  --property P  what the programs are about (default assert)
  --keep DIR    where to put programs on which the two sides disagree
  --time SECS   begin no program after this time
  --strategies  ask about every program with every strategy
  --malloc-may-fail  let allocations fail in every program, not only in a third
  --show        print the program of the seed instead";

struct Arguments {
    plan: Plan,
    shows: bool,
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
    let plan = arguments.plan;
    if arguments.shows {
        print!(
            "{}",
            generate::program_about(plan.property, plan.first_seed).print()
        );
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
            every_strategy: false,
            malloc_may_fail: false,
        },
        shows: false,
    };
    let plan = &mut parsed.plan;
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--show" => {
                parsed.shows = true;
                continue;
            }
            "--strategies" => {
                plan.every_strategy = true;
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
            "--property" => {
                plan.property =
                    Property::from_name(&value).ok_or(format!("there is no property '{value}'"))?;
            }
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
