//! `threadbare check` from the outside: verdicts, exit codes, and what is
//! printed in each mode.

mod workplace;

use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;
use workplace::{LOST_UPDATE, Workplace, text_of};

const WITH_LOCK: &str = r#"
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    x = x + 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
"#;

/// Fails in the seventh iteration at the earliest; nothing in it is constant.
const LONG_LOOP: &str = r#"
#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int count = 0;
    while (__VERIFIER_nondet_int() != 0) {
        count = count + (__VERIFIER_nondet_int() != 0);
        assert(count < 7);
    }
    return 0;
}
"#;

/// Never fails, but no bound on the loop is enough to see that.
const ENDLESS_LOOP: &str = r#"
#include <assert.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
int x;
static void *worker(void *arg) {
    while (__VERIFIER_nondet_int() != 0)
        x = 1 - x;
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    int seen = x;
    assert(seen == 0 || seen == 1);
    return 0;
}
"#;

/// Never fails, but to see that takes a solver longer than anybody waits.
const HARD: &str = r#"
#include <assert.h>
#include <pthread.h>
unsigned __VERIFIER_nondet_uint(void);
unsigned x, y;
static void *worker(void *arg) {
    x = __VERIFIER_nondet_uint();
    y = __VERIFIER_nondet_uint();
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    unsigned p = x, q = y;
    assert((p + q) * (p - q) == p * p - q * q);
    return 0;
}
"#;

const REACHABILITY: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

const ERROR_CALL: &str = r#"
void reach_error(void) {}
int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == LIMIT && x > 3)
        reach_error();
    return 0;
}
"#;

/// The JSON that is printed.
#[track_caller]
fn json_of(place: &Workplace, arguments: &[&str], code: i32) -> Value {
    let output = place.threadbare(arguments);
    assert_eq!(output.status.code(), Some(code), "{}", text_of(&output));
    serde_json::from_slice(&output.stdout).expect("should be JSON")
}

/// The last line of standard output.
#[track_caller]
fn last_line(place: &Workplace, arguments: &[&str], code: i32) -> String {
    let output = place.threadbare(arguments);
    assert_eq!(output.status.code(), Some(code), "{}", text_of(&output));
    let stdout = String::from_utf8_lossy(&output.stdout);
    stdout.lines().last().unwrap_or("").to_owned()
}

#[test]
fn wrong_usage_is_told_apart() {
    let place = Workplace::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    let check = |options: &str, expected: &str| {
        let mut arguments = vec!["check", "a.c"];
        arguments.extend(options.split(' '));
        place.check(&arguments, 64, &[expected]);
    };
    check("--contexts 2 --rounds 2", "cannot be used with");
    check("--contexts 0", "--contexts");
    check("--unwind 2 --unwind-all 2", "cannot be used with");
    check("--unwindset main.0", "main.0:3");
    check("--unwindset main.0:none", "main.0:3");
    check("--memory lots", "500M");
    check("--time soon", "--time");
    check("--property unwind", "needs --unwind or --unwind-all");
    check("--property luck", "assert");
    check("--normal-forms maybe", "resume");
    check("--svcomp", "--prop");
    check("--prop x.prp", "--svcomp");
    check("--svcomp --prop x.prp --data-model LP32", "ILP32");
    check(
        "--svcomp --prop x.prp --data-model LP64 -m32",
        "cannot be used with",
    );
    check("--svcomp --prop x.prp --json", "cannot be used with");
}

#[test]
fn bad_input_has_its_own_code() {
    let place = Workplace::new();
    place.check(&["check", "nowhere.c"], 65, &["cannot read nowhere.c"]);
    place.write("bad.c", "int main(void) { return 0 }\n");
    place.check(&["check", "bad.c"], 65, &["error: expected ';'"]);
}

#[test]
fn bounds_for_loops_that_are_not_there_are_refused() {
    let place = Workplace::new();
    place.write("loop.c", LONG_LOOP);
    place.check(
        &["check", "loop.c", "--unwindset", "mian.0:3"],
        64,
        &["no loop `mian.0`", "similar: main.0"],
    );
    place.check(
        &["check", "loop.c", "--unwindset", "main.0:3,main.1:3"],
        64,
        &["no loop `main.1`", "similar: main.0"],
    );
    place.check(
        &["check", "loop.c", "--unwindset", "something_else.4:3"],
        64,
        &["threadbare show"],
    );
}

#[test]
fn unknown_functions_are_told_or_refused() {
    let place = Workplace::new();
    place.write(
        "prog.c",
        "int mystery(int);\nint main(void) { return mystery(2) * 0; }\n",
    );
    // Once on the way, and once in the verdict.
    let expected = [
        "warning",
        "provided that mystery (prog.c:2) changes nothing",
    ];
    let text = place.check(&["check", "prog.c"], 20, &expected);
    assert_eq!(text.matches("mystery").count(), 2, "{text}");
    place.check(&["check", "prog.c", "--strict"], 65, &["mystery"]);
}

#[test]
fn a_lost_update_is_found_without_any_bound() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let text = place.check(
        &["check", "prog.c"],
        10,
        &[
            "VIOLATED prog.c:12: assertion x == 2 fails",
            "create thread 1 (worker)",
            "x = 1 (was 0)",
            "x = 1 (was 1)",
            "visible steps",
            "--save FILE",
            "threadbare run prog.c --property=assert,deadlock,memory,misuse,arithmetic \
             --schedule=FILE --trace",
        ],
    );
    assert!(!text.contains("safe"), "{text}");
}

/// Main creates both, one reads, the other reads and writes, the first writes,
/// main looks: 5 contexts. With fewer, nobody comes between a read and a write.
#[test]
fn bounds_on_contexts_are_kept() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    place.check(
        &["check", "prog.c", "--contexts", "5", "--unwind", "1"],
        10,
        &["violated in 5 contexts"],
    );
    place.check(
        &["check", "prog.c", "--contexts", "4", "--unwind", "1"],
        0,
        &["safe up to 4 contexts\n"],
    );
    // Thread 1 reads in the first round, thread 2 does all in it, and thread 1
    // writes in the second; main looks in the third.
    place.check(
        &["check", "prog.c", "--rounds", "3", "--unwind", "1"],
        10,
        &["VIOLATED"],
    );
    place.check(
        &["check", "prog.c", "--rounds", "1", "--unwind", "1"],
        0,
        &["safe up to 1 round\n"],
    );
}

#[test]
fn a_saved_schedule_gives_the_violation_again() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let text = place.check(&["check", "prog.c", "--save", "bug.schedule"], 10, &[]);
    let command = text
        .lines()
        .find_map(|line| line.strip_prefix("to see it again: threadbare "))
        .expect("should say how to see it again");
    let words: Vec<&str> = command.split(' ').collect();
    place.check(&words, 10, &["VIOLATED prog.c:12", "x = 1 (was 1)"]);
}

#[test]
fn a_lock_makes_it_safe() {
    let place = Workplace::new();
    place.write("prog.c", WITH_LOCK);
    let bounded = ["check", "prog.c", "--contexts", "6", "--unwind", "1"];
    let text = place.check(&bounded, 0, &["safe"]);
    assert!(!text.contains("VIOLATED"), "{text}");
}

#[test]
fn without_threads_and_loops_nothing_is_left_out() {
    let place = Workplace::new();
    place.write("error.c", ERROR_CALL);
    let text = place.check(&["check", "error.c", "-DLIMIT=2"], 0, &[]);
    assert_eq!(text, "safe\n");
    place.check(
        &["check", "error.c", "-DLIMIT=12"],
        10,
        &[
            "VIOLATED error.c:7: reach_error is called",
            "inputs: 12 (nondet, thread 0)",
            "violated before the first visible step",
        ],
    );
}

#[test]
fn loops_that_are_cut_are_named() {
    let place = Workplace::new();
    place.write("loop.c", LONG_LOOP);
    let cut = [
        "check",
        "loop.c",
        "--contexts",
        "2",
        "--unwindset",
        "main.0:3",
    ];
    place.check(
        &cut,
        0,
        &["safe up to", "loop main.0 (loop.c:6) at most 3 iterations"],
    );
    place.check(
        &["check", "loop.c", "--contexts", "2", "--unwind", "3"],
        0,
        &["safe up to", "loop main.0 (loop.c:6) at most 3 iterations"],
    );
    place.check(
        &["check", "loop.c", "--contexts", "2", "--unwind", "6"],
        0,
        &["at most 6 iterations"],
    );
    place.check(
        &["check", "loop.c", "--contexts", "2", "--unwind", "7"],
        10,
        &["VIOLATED loop.c:8"],
    );
    // Deep enough by itself.
    place.check(&["check", "loop.c"], 10, &["VIOLATED loop.c:8"]);
}

#[test]
fn bounds_that_nobody_gave_are_no_answer() {
    let place = Workplace::new();
    place.write("endless.c", ENDLESS_LOOP);
    let mut arguments = vec!["check", "endless.c", "--time", "3", "--engine", "bounded"];
    let expected = ["unknown: ", "no violation up to", "worker.0 (endless.c:7)"];
    place.check(&arguments, 20, &expected);
    // Others need no bounds.
    place.check(&["check", "endless.c"], 0, &["safe"]);
    arguments.push("--json");
    let json = json_of(&place, &arguments, 20);
    assert_eq!(json["verdict"], "unknown");
    let limits = json["limits"].as_array().expect("should have limits");
    assert!(
        limits
            .iter()
            .any(|limit| limit["kind"] == "loop" && limit["name"] == "worker.0"),
        "{limits:?}"
    );
}

#[test]
fn an_interruption_ends_the_search() {
    let place = Workplace::new();
    place.write("hard.c", HARD);
    let child = place
        .command(&["check", "hard.c"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("should start");
    std::thread::sleep(Duration::from_secs(5));
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("should end");
    let text = text_of(&output);
    assert_eq!(output.status.code(), Some(20), "{text}");
    assert!(text.contains("unknown: interrupted\n"), "{text}");
}

#[test]
fn results_can_be_read_by_machines() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let json = json_of(
        &place,
        &["check", "prog.c", "--json", "--engine", "bounded"],
        10,
    );
    assert_eq!(json["verdict"], "violated");
    assert_eq!(json["reason"], Value::Null);
    assert_eq!(json["limits"], Value::Null);
    let violation = &json["violations"][0];
    assert_eq!(violation["kind"], "assertion");
    assert_eq!(violation["stack"][0]["location"]["line"], 12);
    assert!(violation["contexts"].as_u64().is_some_and(|n| n >= 5));
    let schedule = violation["schedule"].as_str().unwrap_or("");
    assert!(schedule.starts_with("threadbare schedule 1\n"));
    assert!(violation["trace"].as_array().is_some_and(|t| t.len() > 5));
    for key in ["seconds", "loading_seconds", "peak_memory"] {
        assert!(json[key].as_f64().is_some_and(|n| n > 0.0), "{key}");
    }
    let attempts = json["attempts"].as_array().expect("should be a list");
    // Others may have been under way.
    let found = |attempt: &&Value| attempt["result"] == "violated";
    let last = attempts.iter().find(found).expect("should be among them");
    for key in ["variables", "clauses", "cells", "peak_memory"] {
        assert!(last[key].as_u64().is_some_and(|n| n > 0), "{key}");
    }
    for stage in ["unfolding", "encoding", "solving", "replaying"] {
        assert!(last[format!("{stage}_seconds")].is_f64(), "{stage}");
    }
    assert_eq!(last["threads"].as_array().map(Vec::len), Some(3));
}

#[test]
fn statistics_are_told_if_asked_for() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let text = place.check(
        &[
            "check",
            "prog.c",
            "--contexts",
            "5",
            "--unwind",
            "1",
            "--stats",
        ],
        10,
        &["variables", "clauses", "conflicts", "5 contexts", "total "],
    );
    assert!(text.contains("worker"), "{text}");
    let text = place.check(&["check", "prog.c"], 10, &[]);
    assert!(!text.contains("clauses"), "{text}");
}

#[test]
fn queries_can_be_kept() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let dump = |file: &str| {
        let options = [
            "check",
            "prog.c",
            "--contexts",
            "5",
            "--unwind",
            "1",
            "--dump",
            file,
        ];
        place.check(&options, 10, &[]);
        std::fs::read_to_string(place.path(file)).expect("should be written")
    };
    assert!(dump("query.cnf").contains("p cnf "));
    assert!(dump("query.smt2").contains("(check-sat)"));
    assert!(dump("unfolded.threads").contains("thread0 main"));
}

/// Leaving out equivalent schedules changes no verdict.
#[test]
fn normal_forms_change_no_verdict() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    for forms in ["none", "resume", "order", "both"] {
        let mut arguments = vec!["check", "prog.c", "--normal-forms", forms];
        arguments.extend(["--unwind", "1", "--contexts"]);
        place.check(&[&arguments[..], &["5"]].concat(), 10, &["VIOLATED"]);
        place.check(&[&arguments[..], &["4"]].concat(), 0, &["safe up to"]);
    }
}

#[test]
fn a_limit_on_memory_is_a_reason() {
    let place = Workplace::new();
    place.write("endless.c", ENDLESS_LOOP);
    place.check(
        &["check", "endless.c", "--memory", "1M", "--time", "60"],
        20,
        &["unknown: ", "memory"],
    );
}

#[test]
fn competition_words_come_last() {
    let place = Workplace::new();
    place.write("error.c", ERROR_CALL);
    place.write("prog.c", LOST_UPDATE);
    place.write("endless.c", ENDLESS_LOOP);
    place.write("p.prp", REACHABILITY);
    let svcomp = ["check", "--svcomp", "--prop", "p.prp"];
    let check = |options: &[&str], code: i32, word: &str| {
        let arguments = [&svcomp[..], options].concat();
        assert_eq!(last_line(&place, &arguments, code), word, "{options:?}");
    };
    check(&["--data-model", "LP64", "error.c", "-DLIMIT=2"], 0, "true");
    check(
        &["--data-model", "LP64", "error.c", "-DLIMIT=sizeof(long)"],
        10,
        "false(unreach-call)",
    );
    // Within given bounds, which are nothing that the competition knows of.
    let bounds = ["--contexts", "2", "--unwind", "2"];
    check(&[&bounds[..], &["endless.c"]].concat(), 0, "unknown");
    // It fails, but not by calling the error function.
    check(&["prog.c"], 20, "unknown");
}

#[test]
fn data_models_are_those_of_the_compiler() {
    let place = Workplace::new();
    place.write("error.c", ERROR_CALL);
    place.write("p.prp", REACHABILITY);
    let svcomp = ["check", "--svcomp", "--prop", "p.prp", "error.c"];
    let long = ["-DLIMIT=(sizeof(long)==8?7:0)", "--data-model"];
    let check = |model: &str, code: i32, word: &str| {
        let arguments = [&svcomp[..], &long[..], &[model]].concat();
        assert_eq!(last_line(&place, &arguments, code), word, "{model}");
    };
    check("LP64", 10, "false(unreach-call)");
    check("ILP32", 0, "true");
}

#[test]
fn competition_failures_are_words_too() {
    let place = Workplace::new();
    place.write("error.c", ERROR_CALL);
    place.write("end.prp", "CHECK( init(main()), LTL(F end) )\n");
    place.write("odd.prp", "be good\n");
    place.write("p.prp", REACHABILITY);
    let check = |options: &[&str], code: i32, word: &str, message: &str| {
        let arguments = [&["check", "--svcomp", "--prop"], options].concat();
        let output = place.threadbare(&arguments);
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
        let last = stdout.lines().last().unwrap_or("");
        assert!(last.starts_with(word), "{stdout}");
        assert!(stderr.contains(message), "{stderr}");
    };
    check(&["end.prp", "error.c"], 20, "unknown", "Fend");
    check(&["odd.prp", "error.c"], 65, "ERROR (odd.prp", "be good");
    check(&["none.prp", "error.c"], 65, "ERROR (", "none.prp");
    check(&["p.prp", "nowhere.c"], 65, "ERROR (", "nowhere.c");
    check(&["p.prp", "error.c"], 65, "ERROR (", "LIMIT");
}

/// The program takes the address of every local, and a word of 32 bits cannot tell
/// so many apart.
#[test]
fn more_objects_than_addresses_is_unknown() {
    let place = Workplace::new();
    place.write(
        "prog.c",
        r#"
        extern void reach_error(void);
        static int copy(int a) { int b = a; int *p = &b; return *p; }
        int main(void) {
            int sum = 0;
            for (int i = 0; i < 5000; i++) sum += copy(i);
            if (sum == 0) reach_error();
            return 0;
        }
        "#,
    );
    let arguments = [
        "check",
        "prog.c",
        "-m32",
        "--contexts",
        "1",
        "--unwind",
        "1",
    ];
    place.check(&arguments, 20, &["more objects than its addresses"]);
    let arguments = [
        "check",
        "prog.c",
        "-m64",
        "--contexts",
        "1",
        "--unwind",
        "1",
    ];
    place.check(&arguments, 0, &["safe\n"]);
}

/// The checks are clang's, so replaying takes the same property, and LLVM IR that
/// was made without them is refused.
#[test]
fn conversions_are_found_and_replayed() {
    let place = Workplace::new();
    let program = "int total = 300;\nunsigned char shown;\nint main(void) { shown = total; }\n";
    place.write("prog.c", program);
    let found = ["VIOLATED", "an implicit conversion changes the value"];
    let check = "check prog.c --property conversion --save bug.schedule";
    let arguments: Vec<&str> = check.split(' ').collect();
    place.check(&arguments, 10, &found);
    let replay = "run prog.c --property=conversion --schedule=bug.schedule";
    let arguments: Vec<&str> = replay.split(' ').collect();
    place.check(&arguments, 10, &found);
    place.check(&["check", "prog.c"], 0, &["safe"]);
    place.write("prog.ll", "");
    let refused = ["check", "prog.ll", "--property", "conversion"];
    place.check(&refused, 64, &["only in source files"]);
}
