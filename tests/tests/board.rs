//! Engines side by side: the verdict does not depend on which of them is first, and
//! one that fails takes nothing with it that others have established.

use check::{Engine, Options, Progress, Report, Search};
use replay::Conclusion;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tests::clang;

/// A bug that every engine finds.
const LOST_UPDATE: &str = "#include <assert.h>
#include <pthread.h>
int x;
void *more(void *a) { int y = x; x = y + 1; return a; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, more, 0);
    pthread_create(&b, 0, more, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
";

/// Every engine that can prove something can prove this.
const LOCKED: &str = "#include <assert.h>
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *more(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, more, 0);
    pthread_mutex_lock(&m);
    assert(x < 2);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
";

/// No bound of loops is enough, but there are few states.
const SPINNING: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag;
void *set(void *a) { flag = 1; return a; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, set, 0);
    while (!flag) {}
    assert(flag == 1);
    pthread_join(a, 0);
    return 0;
}
";

/// There is a function that nobody knows.
const UNKNOWN: &str = "#include <assert.h>
void nobody_knows(void);
int main(void) { nobody_knows(); assert(1); return 0; }
";

fn check_with(text: &str, cores: usize, watch: &(dyn Fn(&Progress) -> bool + Sync)) -> Report {
    let folder = tempfile::tempdir().expect("should make a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, text).expect("should write");
    let program = clang::default().load(&file, &[]).expect("should load");
    let options = Options {
        time: Some(Duration::from_secs(60)),
        search: Search {
            cores,
            ..Search::default()
        },
        ..Options::default()
    };
    check::check(&program, &options, watch)
}

/// Whether this is the thread of an engine.
fn is_at_work(engine: Engine) -> bool {
    std::thread::current().name() == Some(engine.as_str())
}

#[test]
fn it_does_not_matter_who_is_first() {
    let programs = [
        (LOST_UPDATE, Conclusion::Violated),
        (LOCKED, Conclusion::Safe),
        (SPINNING, Conclusion::Safe),
        (UNKNOWN, Conclusion::Unknown),
    ];
    for (text, expected) in programs {
        for slow in Engine::ALL {
            for cores in [1, 2] {
                let watch = |_: &Progress| {
                    if is_at_work(slow) {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    true
                };
                let report = check_with(text, cores, &watch);
                let conclusion = report.verdict.conclusion();
                assert_eq!(conclusion, expected, "{slow:?} is slow\n{text}");
                assert!(report.failures.is_empty());
            }
        }
    }
}

#[test]
fn an_engine_that_fails_takes_nothing_with_it() {
    let programs = [
        (LOST_UPDATE, Engine::Bounded, Conclusion::Violated),
        (LOST_UPDATE, Engine::Explore, Conclusion::Violated),
        (LOCKED, Engine::Bounded, Conclusion::Safe),
        (LOCKED, Engine::Explore, Conclusion::Safe),
        (SPINNING, Engine::Bounded, Conclusion::Safe),
    ];
    for (text, fails, expected) in programs {
        let has_failed = AtomicBool::new(false);
        let watch = |_: &Progress| {
            if is_at_work(fails) {
                has_failed.store(true, Ordering::Relaxed);
                panic!("meant to fail");
            }
            // Others go on when it is gone.
            while !has_failed.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            true
        };
        // Each has a core, else who waits here may keep it from beginning.
        let report = check_with(text, 4, &watch);
        assert_eq!(
            report.verdict.conclusion(),
            expected,
            "without {fails:?}\n{text}"
        );
        let failures: Vec<Engine> = report.failures.iter().map(|(name, _)| *name).collect();
        assert_eq!(failures, [fails], "{text}");
    }
}

#[test]
fn if_all_fail_it_is_a_mistake_of_ours() {
    let report = check_with(LOCKED, 2, &|_: &Progress| panic!("meant to fail"));
    let internal = report.verdict.reason().and_then(check::Reason::internal);
    assert_eq!(internal, Some(&check::Internal::Panicked));
}
