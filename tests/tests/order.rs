//! The encoding by order, from C to the verdict: no bound on contexts.

use check::{Bounds, Encoding, Engine, Options, Reductions, Report, Verdict};
use replay::{Checks, Property};
use tests::clang;

/// Each of three threads takes the lock three times: eighteen contexts and more.
const LOCKED: &str = "
#include <assert.h>
#include <pthread.h>
int n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(n == EXPECTED);
}
";

/// Two locks in two orders, and a flag without a lock.
const CROSSED: &str = "
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int flag;
static void *work(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    flag = 1;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    flag = 2;
    pthread_join(t, 0);
}
";

/// A loop that only waits.
const WAITING: &str = "
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int ready, more;
int data, other;
static void *work(void *arg) {
    data = 7;
    ready = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    int tries = 0;
    pthread_create(&t, 0, work, 0);
    while (!ready) {}
    assert(data == 7 && tries >= 0);
    pthread_join(t, 0);
}
";

fn load(source: &str) -> ir::Program {
    let folder = tempfile::tempdir().expect("should make a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, source).expect("should write");
    clang::default().load(&file, &[]).expect("should load")
}

fn by_order() -> Options {
    Options {
        engines: [Engine::Bounded].into(),
        encodings: [Encoding::Order].into(),
        ..Options::default()
    }
}

fn check(source: &str, checks: Checks, bounds: Bounds) -> Report {
    let options = Options {
        config: replay::Config {
            checks,
            ..Options::default().config
        },
        bounds,
        ..by_order()
    };
    check::check(&load(source), &options, &|_| true)
}

/// Sorting moves elements together with the comparison before.
const SORTING: &str = "
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_assert(int);
int a[3] = { 3, 1, 2 };
static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
static void *look(void *arg) {
    int seen = a[0] * 10 + a[1];
    __VERIFIER_assert(seen != 13);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, look, 0);
    qsort(a, 3, 4, compare);
}
";

#[test]
fn what_is_part_of_a_step_is_not_apart_from_it() {
    let verdict = check(SORTING, only(Property::Assert), Bounds::default()).verdict;
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
}

fn only(property: Property) -> Checks {
    Checks::NONE.with(property)
}

#[test]
fn many_contexts_are_no_more_work_than_few() {
    let usual = Options::default().config.checks;
    let right = LOCKED.replace("EXPECTED", "9");
    let verdict = check(&right, usual, Bounds::default()).verdict;
    assert!(matches!(verdict, Verdict::Safe), "{verdict:?}");
    let wrong = LOCKED.replace("EXPECTED", "8");
    let verdict = check(&wrong, usual, Bounds::default()).verdict;
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
}

#[test]
fn races_and_deadlocks_are_found_in_the_end_of_runs() {
    for property in [Property::Race, Property::Deadlock] {
        let verdict = check(CROSSED, only(property), Bounds::default()).verdict;
        let Verdict::Violated(run) = verdict else {
            panic!("{property:?}: {verdict:?}");
        };
        let mut violations = run.violations.iter();
        assert!(violations.any(|violation| violation.kind.property() == property));
        let right = LOCKED.replace("EXPECTED", "9");
        let verdict = check(&right, only(property), Bounds::default()).verdict;
        let limits = verdict.limits().cloned().unwrap_or_default();
        assert!(!matches!(verdict, Verdict::Violated(_)), "{property:?}");
        assert!(
            limits.order.is_none() && limits.loops.is_empty(),
            "{limits:?}"
        );
    }
}

fn loops_that_matter(source: &str, reductions: Reductions) -> usize {
    let options = Options {
        bounds: Bounds {
            unwind: Some(3),
            ..Bounds::default()
        },
        reductions,
        ..by_order()
    };
    let verdict = check::check(&load(source), &options, &|_| true).verdict;
    match verdict {
        Verdict::Safe => 0,
        Verdict::SafeUpTo(limits) if limits.order.is_none() => limits.loops.len(),
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn only_loops_are_bounds() {
    // Who counts how often it went round is somewhere else each time.
    let counts = WAITING.replace("{}", "tries++;");
    assert_eq!(loops_that_matter(&counts, Reductions::default()), 1);
}

#[test]
fn loops_that_only_wait_need_no_bound() {
    let mut all_the_way = Reductions::default();
    all_the_way.unfolding.spinning = false;
    let wait = |body: &str| WAITING.replace("{}", body);
    for waits in [
        wait("{}"),
        wait("sched_yield();"),
        wait("{ int seen = ready; seen++; }"),
        WAITING.replace("while (!ready) {}", "do tries = ready; while (!tries);"),
    ] {
        assert_eq!(loops_that_matter(&waits, Reductions::default()), 0);
        assert_eq!(loops_that_matter(&waits, all_the_way), 1);
    }
    // Something is left of these when they have gone round.
    for works in [
        wait("{ other = 1; }"),
        wait("{ int seen = ready; tries = seen; }"),
        wait("atomic_fetch_add(&more, 1);"),
        wait("free(malloc(1));"),
    ] {
        assert_eq!(loops_that_matter(&works, Reductions::default()), 1);
    }
}

#[test]
fn what_goes_wrong_while_waiting_is_found() {
    let wrong = WAITING.replace("{}", "assert(data == 0);");
    let verdict = check(&wrong, only(Property::Assert), Bounds::default()).verdict;
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
    let races = WAITING.replace("atomic_int ready", "int ready");
    let verdict = check(&races, only(Property::Race), Bounds::default()).verdict;
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
}
