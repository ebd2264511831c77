//! How fast we read and run programs. Prints figures; asserts nothing, because
//! machines differ.
//!
//! - reading: our own time (not clang's) for a preprocessed file of more than
//!   10,000 lines;
//! - interpreting: simple instructions per second on one core;
//! - exploring: states per second, three philosophers without bounds.

use replay::{Bounds, Config, Image, Mode};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

fn main() {
    // `cargo test` runs benchmarks too, to see that they work; once is enough then.
    let rounds = if std::env::args().any(|argument| argument == "--bench") {
        ROUNDS
    } else {
        1
    };
    let folder = tempfile::tempdir().expect("should make a temporary folder");
    reading(folder.path(), rounds);
    interpreting(folder.path(), rounds);
    exploring(rounds);
}

fn load(path: &Path) -> llvm::Loaded {
    match llvm::load(&[path.to_path_buf()], &llvm::Options::default()) {
        Ok(loaded) => loaded,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// A program with many functions of an ordinary kind.
fn large_source() -> String {
    let mut text = String::from("#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n");
    text.push_str("struct node { int value; struct node *next; double weight; };\n");
    for index in 0..700 {
        let _ = writeln!(
            text,
            "static int table{index}[16];\n\
             static int step{index}(struct node *node, int bound) {{\n\
             \x20 int sum = 0;\n\
             \x20 for (int i = 0; i < bound; i++) {{\n\
             \x20   table{index}[i & 15] += node->value * i;\n\
             \x20   if (table{index}[i & 15] % 3 == 0)\n\
             \x20     sum += table{index}[i & 15] >> 1;\n\
             \x20   else\n\
             \x20     sum ^= i + (int)node->weight;\n\
             \x20 }}\n\
             \x20 return node->next ? sum + node->next->value : sum;\n\
             }}"
        );
    }
    text.push_str("int main(void) {\n  struct node node = {1, NULL, 2.5};\n  int sum = 0;\n");
    for index in 0..700 {
        let _ = writeln!(text, "  sum += step{index}(&node, {});", index % 7);
    }
    text.push_str("  printf(\"%d\\n\", sum);\n  return 0;\n}\n");
    text
}

fn reading(folder: &Path, rounds: usize) {
    let source = folder.join("large.c");
    std::fs::write(&source, large_source()).expect("should write");
    let preprocessed = folder.join("large.i");
    let status = Command::new("clang")
        .args(["-E", "-P", "-o"])
        .args([&preprocessed, &source])
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "clang -E should succeed"
    );
    let text = std::fs::read_to_string(&preprocessed).expect("should be there");
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        best = best.min(load(&preprocessed).timings.reading);
    }
    println!(
        "reading: {} lines in {:.0} ms (clang not counted)",
        text.lines().count(),
        best.as_secs_f64() * 1e3
    );
}

const SIEVE: &str = r#"
#include <stdio.h>
static unsigned mix(unsigned hash, unsigned value) {
  hash ^= value;
  hash *= 16777619u;
  return hash ^ (hash >> 13);
}
int main(void) {
  unsigned hash = 2166136261u;
  for (int round = 0; round < 60; round++) {
    int flags[2000];
    for (int i = 0; i < 2000; i++) flags[i] = 1;
    for (int i = 2; i < 2000; i++)
      if (flags[i])
        for (int j = 2 * i; j < 2000; j += i) flags[j] = 0;
    for (int i = 2; i < 2000; i++) hash = mix(hash, (unsigned)(flags[i] * i));
  }
  return (int)(hash & 63);
}
"#;

fn interpreting(folder: &Path, rounds: usize) {
    let source = folder.join("sieve.c");
    std::fs::write(&source, SIEVE).expect("should write");
    let loaded = load(&source);
    let config = Config::default();
    let image = Image::new(
        &loaded.program,
        &config.surroundings.arguments,
        config.memory_limit,
    )
    .expect("should fit into memory");
    let mut best = 0.0f64;
    let mut instructions = 0;
    for _ in 0..rounds {
        let start = Instant::now();
        let run = replay::run_random(&image, &config, 0, 0, u64::MAX, false, &mut |_| true);
        instructions = run.instructions;
        best = best.max(instructions as f64 / start.elapsed().as_secs_f64());
    }
    println!(
        "interpreting: {instructions} instructions at {:.1} million per second",
        best / 1e6
    );
}

fn exploring(rounds: usize) {
    let example: PathBuf = [
        env!("CARGO_MANIFEST_DIR"),
        "..",
        "examples",
        "philosophers.c",
    ]
    .iter()
    .collect();
    let loaded = load(&example);
    let config = Config::default();
    let image = Image::new(
        &loaded.program,
        &config.surroundings.arguments,
        config.memory_limit,
    )
    .expect("should fit into memory");
    let mode = Mode {
        find_all: true,
        merge: true,
    };
    let mut best = 0.0f64;
    let mut states = 0;
    for _ in 0..rounds {
        let start = Instant::now();
        let bounds = Bounds::default();
        let result = replay::explore(&image, &config, 0, &bounds, mode, &mut |_| true);
        states = result.states;
        best = best.max(states as f64 / start.elapsed().as_secs_f64());
    }
    println!("exploring: {states} states at {best:.0} per second");
}
