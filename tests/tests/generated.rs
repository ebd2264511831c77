//! Random single-threaded programs do in the interpreter what they do on the
//! machine.
//!
//! `THREADBARE_SEEDS=1000..5000 cargo test -p threadbare-tests --test generated` tries
//! other programs than the usual ones. A program that fails is kept, and the
//! failure says where.

use std::ops::Range;
use std::path::Path;
use tests::{cases, clang, generate_c, run};

const USUAL_SEEDS: Range<u64> = 0..300;

#[test]
fn generated_programs_do_the_same_as_natively() {
    let seeds = match std::env::var("THREADBARE_SEEDS") {
        Ok(text) => parse_range(&text).expect("THREADBARE_SEEDS should look like 0..300"),
        Err(_) => USUAL_SEEDS,
    };
    let seeds: Vec<u64> = seeds.collect();
    let name = |seed: &u64| format!("seed {seed}");
    cases::check_all(&seeds, name, |seed| check(*seed));
}

fn check(seed: u64) -> Result<(), String> {
    let file = format!("generated-{seed}.c");
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&source, generate_c::program(seed)).map_err(|error| error.to_string())?;
    match run::compare(clang::default(), &source, &[]) {
        Ok(()) => std::fs::remove_file(&source).map_err(|error| error.to_string()),
        Err(error) => Err(format!("{error}\n    the program is {}", source.display())),
    }
}

fn parse_range(text: &str) -> Option<Range<u64>> {
    let (start, end) = text.split_once("..")?;
    Some(start.trim().parse().ok()?..end.trim().parse().ok()?)
}

#[test]
fn ranges_of_seeds() {
    assert_eq!(parse_range("3..10"), Some(3..10));
    assert_eq!(parse_range("3"), None);
    assert_eq!(parse_range("..7"), None);
}

#[test]
fn the_same_seed_gives_the_same_program() {
    for seed in 0..20 {
        assert_eq!(generate_c::program(seed), generate_c::program(seed));
    }
}
