//! What users know about their programs and say so: suppressions, `--volatile`,
//! and options in `threadbare.toml`.

mod workplace;

use serde_json::Value;
use workplace::{LOST_UPDATE, Workplace};

/// Two races: in `count` and in `add`.
const TWO_RACES: &str = r#"
#include <pthread.h>
int hits, total;
static void count(void) { hits++; }
static void add(void) { total++; }
static void *worker(void *arg) {
    count();
    add();
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    count();
    add();
    pthread_join(thread, 0);
    return 0;
}
"#;

/// Two locks in two orders, and a race beside them.
const DEADLOCK: &str = r#"
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *worker(void *arg) {
    lock_both(&a, &b);
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    lock_both(&b, &a);
    pthread_join(thread, 0);
    return 0;
}
"#;

const VOLATILE_FLAG: &str = r#"
#include <assert.h>
#include <pthread.h>
volatile int flag;
int data;
static void *worker(void *arg) {
    data = 1;
    flag = 1;
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (flag)
        assert(data == 1);
    pthread_join(thread, 0);
    return 0;
}
"#;

fn workplace(files: &[(&str, &str)]) -> Workplace {
    let place = Workplace::new();
    for (name, text) in files {
        place.write(name, text);
    }
    place
}

const CHECK: [&str; 6] = [
    "check",
    "a.c",
    "--property",
    "race",
    "--suppressions",
    "known",
];

#[test]
fn what_is_suppressed_hides_nothing_else() {
    let place = workplace(&[("a.c", TWO_RACES), ("known", "race:^count$\n")]);
    let text = place.check(&CHECK, 10, &["data race on total"]);
    assert!(!text.contains("data race on hits"), "{text}");
}

/// Only races and deadlocks can be suppressed.
#[test]
fn assertions_are_told_in_any_case() {
    let place = workplace(&[("a.c", LOST_UPDATE), ("known", "race:*\ndeadlock:*\n")]);
    let arguments = ["check", "a.c", "--property", "assert,race"];
    let arguments = [&arguments[..], &["--suppressions", "known"]].concat();
    place.check(&arguments, 10, &["assertion", "suppressed by race:*"]);
}

#[test]
fn a_verdict_names_what_was_suppressed() {
    let safe = "safe provided that the race at a.c:4 does no harm (suppressed)";
    for rules in [
        "race:worker\nrace:none\n",
        "race:a.c\n",
        "race:hits\nrace:^tot*l$\n",
    ] {
        let place = workplace(&[("a.c", TWO_RACES), ("known", rules)]);
        let text = place.check(&CHECK, 0, &[safe, "\nsuppressed by race:"]);
        assert!(!text.contains("race:none"), "{text}");
    }
}

#[test]
fn all_others_are_told_if_wanted() {
    let place = workplace(&[("a.c", TWO_RACES), ("known", "race:hits\n")]);
    let mut arguments = CHECK.to_vec();
    arguments.extend(["--all-violations", "--json"]);
    let text = place.check(&arguments, 10, &[]);
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let violations = answer["violations"].as_array().expect("a list");
    assert!(!violations.is_empty());
    let is_told = |violation: &Value| violation["message"] == "data race on total";
    assert!(violations.iter().all(is_told), "{text}");
    assert_eq!(answer["suppressed"][0]["rule"], "race:hits");
}

#[test]
fn deadlocks_are_suppressed_by_their_functions() {
    let check = ["check", "a.c", "--suppressions", "known"];
    for rule in ["deadlock:lock_both", "deadlock:^worker"] {
        let place = workplace(&[("a.c", DEADLOCK), ("known", rule)]);
        place.check(&check, 0, &["safe provided that the deadlock at a.c:"]);
    }
    let place = workplace(&[("a.c", DEADLOCK), ("known", "race:lock_both")]);
    place.check(&check, 10, &["deadlock"]);
}

#[test]
fn wrong_suppressions_are_told_with_their_line() {
    let place = workplace(&[("a.c", TWO_RACES), ("known", "# mine\nrace count\n")]);
    place.check(&CHECK, 65, &["known:2: not a suppression"]);
    let place = workplace(&[("a.c", TWO_RACES), ("known", "thread:x\nrace:*\n")]);
    place.check(&CHECK, 0, &["known:1: thread: has no effect"]);
}

#[test]
fn volatile_accesses_may_be_meant_as_atomic() {
    let place = workplace(&[("a.c", VOLATILE_FLAG)]);
    let mut arguments = vec!["check", "a.c", "--property", "race,assert"];
    place.check(&arguments, 10, &["with --volatile atomic"]);
    arguments.extend(["--volatile", "atomic"]);
    // Relaxed accesses do not order what is written before them.
    place.check(
        &arguments,
        10,
        &["data race on data", "what was there at first"],
    );
    arguments.extend(["--memory-model", "sc"]);
    let expected = "unknown: no violation provided that memory is sequentially consistent";
    place.check(&arguments, 20, &[expected]);
}

#[test]
fn options_are_kept_beside_the_sources() {
    let toml = "property = [\"race\"]\n\
                [check.quiet]\nfiles = [\"a.c\"]\nsuppressions = \"known\"\n";
    let place = workplace(&[
        ("a.c", TWO_RACES),
        ("known", "race:*\n"),
        ("threadbare.toml", toml),
    ]);
    place.check(&["check", "a.c"], 10, &["data race"]);
    let told = "options from threadbare.toml";
    place.check(&["check", "--config", "quiet"], 0, &["suppressed", told]);
    // Options of the command line win.
    place.check(&["check", "a.c", "--property", "assert"], 0, &["safe"]);
    place.check(&["check", "--config", "loud"], 64, &["no [check.loud]"]);
}
