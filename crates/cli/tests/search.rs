//! `threadbare check --strategy` and `threadbare combine` from the outside:
//! verdicts, slices, and what is left of a run that was killed.

mod workplace;

use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use workplace::{LOST_UPDATE, Workplace, text_of};

const STRATEGIES: [&str; 7] = [
    "auto",
    "whole",
    "partition",
    "cubes",
    "swarm",
    "lazy",
    "widen",
];

/// Three threads take turns at adding; the sum is never too small by more than
/// two, since the last one to write has read something.
const SUMS: &str = r#"
#include <assert.h>
#include <pthread.h>
int x;
static void *worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        int t = x;
        x = t + 1;
    }
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(x >= LEAST);
    return 0;
}
"#;

#[test]
fn all_strategies_say_the_same() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let check = |strategy: &str, bounds: &str, code: i32, expected: &str| {
        let options = format!("check prog.c --unwind 1 {bounds} --cores 2 --strategy {strategy}");
        let arguments: Vec<&str> = options.split(' ').collect();
        place.check(&arguments, code, &[expected]);
    };
    for strategy in STRATEGIES {
        check(strategy, "--contexts 5", 10, "violated in 5 contexts");
        check(strategy, "--contexts 4", 0, "safe up to 4 contexts\n");
        check(strategy, "--rounds 3", 10, "VIOLATED");
        check(strategy, "--rounds 1", 0, "safe up to 1 round\n");
    }
}

/// A proof that takes more than the first phase, after which each core has levels
/// of its own. What counts is that they come to an end together, long before the
/// time is over.
#[test]
fn growing_bounds_on_several_cores_come_to_an_end() {
    let place = Workplace::new();
    let two_workers = SUMS
        .replace("a, b, c;", "a, b;")
        .replace("pthread_create(&c, 0, worker, 0);", "")
        .replace("pthread_join(c, 0);", "")
        .replace("LEAST", "2");
    place.write("prog.c", &two_workers);
    for cores in ["1", "2", "3"] {
        let arguments = ["check", "prog.c", "--cores", cores, "--time", "300"];
        place.check(&arguments, 0, &["safe\n"]);
    }
}

/// The example of `solve`, which is built along with these tests.
fn given_solver() -> String {
    let tests = std::env::current_exe().expect("the test should know where it is");
    let name = format!("given_solver{}", std::env::consts::EXE_SUFFIX);
    let folder = tests.ancestors().nth(2).expect("it should be in a folder");
    let path = folder.join("examples").join(name);
    assert!(path.exists(), "`cargo test` without `--test` builds it");
    path.to_str().expect("paths should be text here").to_owned()
}

#[test]
fn another_solver_says_the_same() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let solver = given_solver();
    let check = |options: &str, code: i32, expected: &str| {
        let options = format!("check prog.c --unwind 1 --cores 2 {options} --solver");
        let mut arguments: Vec<&str> = options.split(' ').collect();
        arguments.push(&solver);
        place.check(&arguments, code, &[expected]);
    };
    check("--contexts 5", 10, "violated in 5 contexts");
    check("--contexts 4", 0, "safe up to 4 contexts\n");
    check("--rounds 3", 10, "VIOLATED");
    for strategy in ["whole", "partition"] {
        check(
            &format!("--contexts 5 --strategy {strategy}"),
            10,
            "violated in 5 contexts",
        );
        check(
            &format!("--contexts 4 --strategy {strategy}"),
            0,
            "safe up to 4 contexts\n",
        );
    }
    // Each time, what was found is left out of the next question.
    check(
        "--contexts 5 --all-violations",
        10,
        "violated in 5 contexts",
    );
}

/// A program that answers nothing, or anything, decides nothing.
#[test]
fn a_program_that_is_no_solver_is_told() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    for program in ["no-such-program", "true", "false"] {
        let arguments = ["check", "prog.c", "--solver", program];
        place.check(&arguments, 20, &["cannot serve as a SAT solver"]);
    }
}

#[test]
fn options_that_do_not_go_together() {
    let place = Workplace::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    let check = |options: &str, expected: &str| {
        let mut arguments = vec!["check", "a.c"];
        arguments.extend(options.split(' '));
        place.check(&arguments, 64, &[expected]);
    };
    check("--strategy luck", "widen");
    check("--cores 0", "--cores");
    check("--strategy partition --partitions 6", "power of two");
    check("--partitions 8", "--strategy partition");
    check("--strategy partition --from 2", "--partitions");
    check("--strategy partition --partitions 8", "given bounds");
    let given = "--contexts 2 --unwind 1";
    check(
        &format!("{given} --strategy partition --partitions 8 --from 5 --to 4"),
        "no partitions 5 to 4",
    );
    check(
        &format!("{given} --strategy partition --partitions 8 --to 8"),
        "no partitions 0 to 8",
    );
    check("--tile-size 3", "--strategy swarm");
    check("--strategy swarm --tile-size 0", "--tile-size");
    check("--strategy cubes --checkpoint x", "given bounds");
    check(
        &format!("{given} --strategy whole --checkpoint x"),
        "--checkpoint needs",
    );
    check("--strategy lazy --normal-forms both", "--normal-forms");
    for strategy in ["cubes", "swarm", "lazy", "widen"] {
        check(
            &format!("--solver x --strategy {strategy}"),
            "whole or partition",
        );
    }
    place.check(&["combine"], 64, &["FILE"]);
}

#[test]
fn instances_that_are_left_out_are_told() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let options = "check prog.c --contexts 5 --unwind 1 --strategy swarm --tile-size 1 --tiles 0";
    let arguments: Vec<&str> = options.split(' ').collect();
    place.check(
        &arguments,
        20,
        &["not all was looked at", "more than 0 tiles"],
    );
}

/// Runs slices of four partitions, each with a result file.
fn slices(place: &Workplace, program: &str, slices: &[(u32, u32)]) -> Vec<String> {
    let names = slices.iter().map(|(from, to)| {
        let name = format!("{from}-{to}.json");
        let options = format!(
            "check {program} --contexts 5 --unwind 1 --strategy partition --partitions 4 \
             --from {from} --to {to} --result {name}"
        );
        let arguments: Vec<&str> = options.split(' ').collect();
        let output = place.threadbare(&arguments);
        let code = output.status.code();
        assert!(code == Some(10) || code == Some(20), "{}", text_of(&output));
        name
    });
    names.collect()
}

fn combine<'a>(names: &[&'a str]) -> Vec<&'a str> {
    [&["combine"], names].concat()
}

#[test]
fn slices_are_combined() {
    let place = Workplace::new();
    place.write("bad.c", LOST_UPDATE);
    place.write("good.c", &LOST_UPDATE.replace("x == 2", "x <= 2"));
    let good = slices(&place, "good.c", &[(0, 1), (2, 2), (3, 3)]);
    let names: Vec<&str> = good.iter().map(String::as_str).collect();
    place.check(&combine(&names), 0, &["safe up to 5 contexts\n"]);
    place.check(
        &combine(&names[..2]),
        65,
        &["partitions 3 to 3 of 4 are missing"],
    );
    place.check(&combine(&[names[0], names[2]]), 65, &["2 to 2 of 4"]);
    let text = std::fs::read_to_string(place.path(names[0])).expect("should be written");
    let value: Value = serde_json::from_str(&text).expect("should be JSON");
    assert_eq!(value["verdict"], "none");
    assert_eq!(value["schedule"], Value::Null);

    let other = text.replace("\"contexts\": \"5\"", "\"contexts\": \"6\"");
    assert_ne!(other, text);
    place.write("other.json", &other);
    place.check(
        &combine(&[names[1], names[2], "other.json"]),
        65,
        &["other.json", "another question"],
    );
    place.write("broken.json", "{}");
    place.check(
        &combine(&["broken.json"]),
        65,
        &["broken.json", "not a result"],
    );

    // The violation is in some slice, and needs no other.
    let bad = slices(&place, "bad.c", &[(0, 1), (2, 3)]);
    let names: Vec<&str> = bad.iter().map(String::as_str).collect();
    let mut arguments = combine(&names);
    arguments.extend(["--save", "bug.schedule"]);
    place.check(&arguments, 10, &["VIOLATED", "bug.schedule"]);
    let replay = "run bad.c --property=assert --schedule=bug.schedule";
    let arguments: Vec<&str> = replay.split(' ').collect();
    place.check(&arguments, 10, &["VIOLATED"]);
}

#[test]
fn a_checkpoint_of_another_program_is_refused() {
    let place = Workplace::new();
    place.write("a.c", LOST_UPDATE);
    place.write("b.c", &LOST_UPDATE.replace("x == 2", "x <= 2"));
    let options = "--contexts 4 --unwind 1 --strategy cubes --checkpoint file";
    let check = |program: &str, code: i32, expected: &str| {
        let mut arguments = vec!["check", program];
        arguments.extend(options.split(' '));
        place.check(&arguments, code, &[expected]);
    };
    check("a.c", 0, "safe up to 4 contexts");
    check("a.c", 0, "safe up to 4 contexts");
    check("b.c", 65, "made for another program");
}

/// Killed at 20 moments, each time later than before, and started again: in the
/// end the verdict is that of a run that nobody disturbed.
#[test]
fn what_was_closed_survives_kills() {
    let place = Workplace::new();
    place.write("prog.c", SUMS);
    for (options, finds) in [
        ("--cores 2 --contexts 5 --strategy lazy", false),
        (
            "--cores 2 --contexts 8 --strategy partition --partitions 64",
            false,
        ),
        // Mostly closed at once; that halves are kept is tested in `search`.
        ("--cores 4 --contexts 9 --strategy cubes", false),
        (
            "--cores 2 --contexts 9 --strategy partition --partitions 64",
            true,
        ),
    ] {
        let least = if finds { 3 } else { 1 };
        let file = format!("closed-{}-{least}", options.replace(' ', "-"));
        let line = format!("check prog.c -DLEAST={least} --unwind 3 {options}");
        let undisturbed: Vec<&str> = line.split(' ').collect();
        let arguments = [undisturbed.as_slice(), &["--checkpoint", &file]].concat();
        let mut closed = 0;
        for kill in 0..20 {
            let mut child = place
                .command(&arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("should start");
            std::thread::sleep(Duration::from_millis(100 + 20 * kill));
            let _ = child.kill();
            let _ = child.wait();
            // Whatever moment it was, the file is whole.
            if let Ok(text) = std::fs::read_to_string(place.path(&file)) {
                let value: Value = serde_json::from_str(&text).expect("should be whole");
                let keys = value["closed"].as_array().expect("should be a list");
                closed = closed.max(keys.len());
            }
        }
        let code = if finds { 10 } else { 0 };
        place.check(&undisturbed, code, &[]);
        place.check(&arguments, code, &[]);
        if !finds {
            // By now all is closed, so that there is nothing left to ask.
            let again = [arguments.as_slice(), &["--stats"]].concat();
            place.check(&again, 0, &["0 calls", "100.0% of the schedules"]);
        }
        println!("{options}: {closed} keys at most");
    }
}
