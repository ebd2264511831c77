//! `threadbare check` on data races and deadlocks, one violation and all of them.

mod workplace;

use serde_json::Value;
use std::collections::BTreeSet;
use workplace::{LOST_UPDATE, Workplace, text_of};

/// Two counters without a lock, and two locks in both orders.
const CARELESS: &str = r#"
#include <pthread.h>

int x, y;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void use(int *counter) {
    *counter = 1;
}

void *worker(void *arg) {
    use(&x);
    y = 1;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&b);
    x = 2;
    y = 2;
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(thread, 0);
    return 0;
}
"#;

fn json_of(place: &Workplace, arguments: &[&str], code: i32) -> Value {
    let output = place.threadbare(arguments);
    assert_eq!(output.status.code(), Some(code), "{}", text_of(&output));
    serde_json::from_slice(&output.stdout).expect("should be JSON")
}

/// The two accesses of each race, without the threads that make them.
fn pairs(report: &Value) -> Vec<BTreeSet<String>> {
    let violations = report["violations"].as_array().expect("should be a list");
    let access = |detail: &Value| {
        let text = detail.as_str().unwrap_or("");
        let text = text.split(", ").next().unwrap_or("");
        text.split_once(' ')
            .and_then(|(_, rest)| rest.split_once(' '))
            .map_or(String::new(), |(_, rest)| rest.to_owned())
    };
    let details = violations.iter().filter_map(|v| v["details"].as_array());
    details
        .map(|details| details.iter().map(access).collect())
        .collect()
}

#[test]
fn a_race_is_told_with_stacks_and_locks() {
    let place = Workplace::new();
    place.write("p.c", CARELESS);
    let arguments = ["check", "p.c", "--property", "race", "--contexts", "2"];
    place.check(
        &arguments,
        10,
        &[
            "data race on x",
            "writes it at p.c:8 in use, called at p.c:12 in worker, without any lock",
            "writes it at p.c:25 in main, holding mutex b",
        ],
    );
}

#[test]
fn bounds_are_not_needed() {
    let place = Workplace::new();
    place.write("p.c", LOST_UPDATE);
    let arguments = ["check", "p.c", "--property", "race", "--time", "100"];
    place.check(&arguments, 10, &["data race on"]);
    let arguments = ["check", "p.c", "--property", "deadlock", "--time", "100"];
    place.check(&arguments, 0, &["safe"]);
}

#[test]
fn all_violations_are_listed_once() {
    let place = Workplace::new();
    place.write("p.c", CARELESS);
    let arguments = [
        "check",
        "p.c",
        "--property=race,deadlock",
        "--all-violations",
        "--contexts=4",
        "--unwind=2",
        "--json",
        "--save=s",
    ];
    let report = json_of(&place, &arguments, 10);
    let kinds = report["violations"].as_array().expect("should be a list");
    let kinds: Vec<&str> = kinds.iter().filter_map(|v| v["kind"].as_str()).collect();
    let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
    assert_eq!((count("data-race"), count("deadlock")), (2, 1), "{kinds:?}");
    for (file, what) in [("s", ""), ("s.2", ""), ("s.3", "")] {
        let schedule = format!("--schedule={file}");
        place.check(&["run", "p.c", &schedule], 10, &[what]);
    }
    let text = [&arguments[..6], &["--time=100"]].concat();
    place.check(
        &text,
        10,
        &["3 violations; apart from that: safe up to 4 contexts"],
    );
}

#[test]
fn a_small_disk_has_many_races() {
    let place = Workplace::new();
    let source = include_str!("../../../examples/small-disk.c");
    place.write("disk.c", source);
    let bounds = ["--property=race", "--rounds=2", "--unwind=3", "--json"];
    let check = [&["check", "disk.c", "--all-violations"], &bounds[..]].concat();
    let checked = pairs(&json_of(&place, &check, 10));
    let explore = [&["explore", "disk.c", "--all"], &bounds[..]].concat();
    let explored = pairs(&json_of(&place, &explore, 10));
    assert!(checked.len() >= 20, "{checked:?}");
    let set = |pairs: &[BTreeSet<String>]| pairs.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(set(&checked).len(), checked.len(), "each once");
    assert_eq!(set(&checked), set(&explored));
}

#[test]
fn a_deadlock_of_some_threads_can_be_passed_over() {
    let place = Workplace::new();
    let source = include_str!("../../../tests/regress/check/deadlock-partial/prog.c");
    place.write("p.c", source);
    let check = |deadlock: &str, code: i32, expected: &str| {
        let deadlock = format!("--deadlock={deadlock}");
        let arguments = ["--property=deadlock", "--contexts=3", &deadlock];
        let check = [&["check", "p.c", "--unwind=2"], &arguments[..]].concat();
        place.check(&check, code, &[expected]);
        let explore = [&["explore", "p.c"], &arguments[..]].concat();
        place.check(&explore, code, &[]);
    };
    check(
        "partial",
        10,
        "deadlock: threads 1 and 2 wait for each other",
    );
    check("global", 0, "safe up to 3 contexts");
}

/// The classics, as they should be and with their usual mistake.
#[test]
fn classic_deadlocks_are_found() {
    let place = Workplace::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/deadlocks");
    let names = [
        "philosophers",
        "transfers",
        "readers-writers",
        "bounded-buffer",
        "barrier",
        "lock-cycle",
    ];
    for name in names {
        let file = format!("{folder}/{name}.c");
        let check = ["check", &file, "--property=deadlock", "--time=100"];
        let wrong = [&check[..], &["-DBAD", "-DN=5"]].concat();
        place.check(&wrong, 10, &["deadlock: "]);
        let right = [&check[..], &["--rounds=2", "--unwind=3", "-DN=5"]].concat();
        place.check(&right, 0, &["safe"]);
    }
}
