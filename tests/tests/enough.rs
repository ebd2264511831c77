//! The checker may say that a bound on loops is enough within a bound on rounds: then it
//! stops to raise it, and what it has shown holds for any number of iterations. Here the
//! explorer, which needs no bound on loops where there are finitely many states, is asked
//! about the same rounds.
//!
//! Programs are made at random of the loops that real ones have: retries of
//! compare-and-swap, waits for a condition, spinning a few times, counting up to what
//! another thread has written.

use check::{Engine, Options, Order, Verdict};
use fastrand::Rng;
use ir::Program;
use replay::{Checks, Config, Mode, Property};
use std::time::Duration;
use tests::oracle::compare::bounds;
use tests::{clang, run};

/// How long the checker may take for one question.
const TIME: Duration = Duration::from_secs(6);
const PROGRAMS: u64 = 40;
/// How many are checked without any bounds.
const OPEN_PROGRAMS: u64 = 16;

const LOOPS: [&str; 7] = [
    "while (!go) { if (x > 3) break; x = x + 1; }",
    "while (x < limit) x = x + 1;",
    "int old; do { old = x; } while (!__sync_bool_compare_and_swap(&x, old, old + 1));",
    "pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); x++; pthread_mutex_unlock(&m);",
    "for (int i = 0; i < 2 && !go; i++) x++;",
    "while (y > 0) y = y - 1;",
    "int n = 0; while (x != y && n < 4) n++; x = n;",
];

const STEPS: [&str; 7] = [
    "go = 1;",
    "limit = 2;",
    "limit = limit + 1;",
    "x = x + 1;",
    "y = y + 1;",
    "pthread_mutex_lock(&m); go = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);",
    "__sync_fetch_and_add(&x, 1);",
];

fn program(random: &mut Rng) -> String {
    let mut thread = |has_loop: bool| {
        let step = |random: &mut Rng| STEPS[random.usize(..STEPS.len())].to_owned();
        let mut body = vec![step(random)];
        if has_loop {
            body.push(format!("{{ {} }}", LOOPS[random.usize(..LOOPS.len())]));
        }
        if random.bool() {
            body.push(step(random));
        }
        if random.bool() {
            body.reverse();
        }
        body.join(" ")
    };
    let (first, second) = (thread(true), thread(false));
    let third = thread(false);
    let value = random.u32(1..6);
    let assertion = match random.u32(..3) {
        0 => format!("assert(x != {value});"),
        1 => format!("assert(x + y < {value});"),
        _ => format!("assert(y != {value} || !go);"),
    };
    format!(
        "#include <assert.h>\n#include <pthread.h>\n\
         int x, y, go, limit; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         void *f(void *p) {{ {first} return 0; }}\n\
         void *g(void *p) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, f, 0);\n\
         pthread_create(&b, 0, g, 0); {third} {assertion} return 0; }}\n"
    )
}

fn load(text: &str) -> Program {
    let folder = tempfile::tempdir().expect("should make a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, text).expect("should write");
    clang::default().load(&file, &[]).expect("should load")
}

/// Whether some run within so many rounds goes wrong, whatever the loops do. `None` if
/// there are too many states to tell.
fn explore(program: &Program, config: &Config, rounds: u32) -> Option<bool> {
    let image = run::image(program, config).expect("should fit");
    let mode = Mode {
        find_all: false,
        merge: true,
    };
    let mut asked = 0;
    let mut patience = |_: &replay::Progress| {
        asked += 1;
        asked < 20_000
    };
    let bounds = bounds(None, Some(rounds));
    let exploration = replay::explore(&image, config, 0, &bounds, mode, &mut patience);
    match (exploration.violations.is_empty(), exploration.interrupted) {
        (false, _) => Some(true),
        (true, None) => Some(false),
        (true, Some(_)) => None,
    }
}

#[test]
fn what_is_enough_within_rounds_is_enough() {
    let config = Config {
        checks: Checks::NONE.with(Property::Assert),
        ..Config::default()
    };
    let (mut stopped, mut compared) = (0, 0);
    for seed in 0..PROGRAMS {
        let text = program(&mut Rng::with_seed(seed));
        let program = load(&text);
        let rounds = 1 + (seed % 3) as u32;
        let mut options = Options {
            config: config.clone(),
            time: Some(TIME),
            engines: [Engine::Bounded].into(),
            looks_beside: false,
            ..Options::default()
        };
        options.bounds.order = Some(Order::Rounds(rounds));
        let report = check::check(&program, &options, &|_| true);
        let claims_violation = match &report.verdict {
            Verdict::Violated(_) => true,
            Verdict::Safe => false,
            // Something may be taken for granted, but no loop was cut: more iterations
            // than were unfolded were found to be impossible.
            verdict
                if verdict
                    .limits()
                    .is_some_and(|limits| limits.loops.is_empty()) =>
            {
                stopped += 1;
                false
            }
            Verdict::SafeUpTo(limits) => panic!("nobody gave bounds: {limits:?}"),
            Verdict::Unknown { .. } => continue,
        };
        if let Some(is_violated) = explore(&program, &config, rounds) {
            compared += 1;
            assert_eq!(claims_violation, is_violated, "{rounds} rounds\n{text}");
        }
    }
    // Otherwise nothing was compared.
    assert!(stopped >= 10 && compared >= 20, "{stopped} {compared}");
}

#[test]
fn what_is_closed_without_bounds_on_loops_is_closed() {
    let config = Config {
        checks: Checks::NONE.with(Property::Assert),
        ..Config::default()
    };
    let mut compared = 0;
    for seed in 1000..1000 + OPEN_PROGRAMS {
        let text = program(&mut Rng::with_seed(seed));
        let program = load(&text);
        let options = Options {
            config: config.clone(),
            time: Some(Duration::from_secs(2)),
            engines: [Engine::Bounded].into(),
            looks_beside: false,
            ..Options::default()
        };
        let report = check::check(&program, &options, &|_| true);
        for closed in &report.progressed.closed {
            let (Some(Order::Rounds(rounds)), None) = (closed.order, closed.iterations) else {
                continue;
            };
            if let Some(is_violated) = explore(&program, &config, rounds) {
                compared += 1;
                assert!(!is_violated, "{rounds} rounds\n{text}");
            }
        }
    }
    assert!(compared >= OPEN_PROGRAMS / 8, "{compared}");
}

#[test]
fn more_rounds_may_make_a_loop_go_on() {
    // Within one round nobody writes while the loop goes round; within two somebody may,
    // and the assertion fails only then.
    let text = "#include <assert.h>\n#include <pthread.h>\n\
                int x, limit = 1, n;\n\
                void *f(void *p) { while (n < limit) n = n + 1; assert(n < 3); return 0; }\n\
                void *g(void *p) { limit = 3; return 0; }\n\
                int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0);\n\
                pthread_create(&b, 0, g, 0); return 0; }\n";
    let program = load(text);
    let verdict = |rounds: u32| {
        let mut options = Options {
            time: Some(TIME),
            engines: [Engine::Bounded].into(),
            ..Options::default()
        };
        options.bounds.order = Some(Order::Rounds(rounds));
        check::check(&program, &options, &|_| true).verdict
    };
    assert!(matches!(verdict(1), Verdict::SafeUpTo(limits) if limits.loops.is_empty()));
    assert!(matches!(verdict(2), Verdict::Violated(_)));
}

#[test]
fn waiting_for_a_condition_needs_few_iterations() {
    // Nobody waits twice: who is woken finds `ready` set. Contexts alone come to an end.
    let text = "#include <assert.h>\n#include <pthread.h>\n\
                pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, data;\n\
                void *f(void *p) { pthread_mutex_lock(&m); data = 42; ready = 1;\n\
                pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }\n\
                void *g(void *p) { pthread_mutex_lock(&m);\n\
                while (!ready) pthread_cond_wait(&c, &m);\n\
                assert(data == 42); pthread_mutex_unlock(&m); return 0; }\n\
                int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0);\n\
                pthread_create(&b, 0, g, 0); return 0; }\n";
    let options = Options {
        time: Some(10 * TIME),
        engines: [Engine::Bounded].into(),
        ..Options::default()
    };
    let report = check::check(&load(text), &options, &|_| true);
    let limits = report.verdict.limits().expect("nothing goes wrong");
    assert!(
        limits.order.is_none() && limits.loops.is_empty(),
        "{limits:?}"
    );
    let most = report
        .attempts
        .iter()
        .filter_map(|attempt| attempt.unwind)
        .max();
    assert!(most <= Some(8), "so many iterations were tried: {most:?}");
}
