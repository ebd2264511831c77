//! The prover finds what the plain enumeration finds, on random programs, with its
//! reductions and without.
//!
//! `cargo xtask oracle -- --proofs --count 5000 --keep findings` tries more.

use replay::{Checks, Config, Mistake, Proof, Property, Reductions};
use tests::oracle::compare::load_text;
use tests::oracle::proofs::{Answer, compare, prove, variants};
use tests::run;

/// Programs for each property.
const COUNT: u64 = 40;

fn agrees(property: Property) {
    let mut proved = 0;
    let mut violated = 0;
    for seed in 0..COUNT {
        match compare(property, seed, &variants()) {
            Ok(Answer::Proved) => proved += 1,
            Ok(Answer::Violated) => violated += 1,
            Ok(Answer::Limited | Answer::Skipped) => {}
            Err(what) => panic!("seed {seed}: {what}"),
        }
    }
    assert!(violated > 0, "no program is violated");
    assert!(
        proved + violated > COUNT / 10,
        "hardly any program says anything"
    );
}

#[test]
fn on_assertions() {
    agrees(Property::Assert);
}

#[test]
fn on_deadlocks() {
    agrees(Property::Deadlock);
}

#[test]
fn on_races() {
    agrees(Property::Race);
}

#[test]
fn on_memory() {
    agrees(Property::Memory);
}

#[test]
fn on_lost_memory() {
    agrees(Property::Leak);
}

#[test]
fn on_memory_not_freed() {
    agrees(Property::Cleanup);
}

#[test]
fn on_uninitialised_memory() {
    agrees(Property::Uninitialised);
}

#[test]
fn on_misuse() {
    agrees(Property::Misuse);
}

#[test]
fn on_arithmetic() {
    agrees(Property::Arithmetic);
}

#[test]
fn on_overflow() {
    agrees(Property::Overflow);
}

/// What every program of this file begins with.
const HEADER: &str = "
typedef unsigned long pthread_t;
typedef struct { long parts[5]; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
";

fn prove_text(text: &str, reductions: Reductions) -> Proof {
    let text = format!("{HEADER}{text}");
    let program = load_text(&text, std::iter::empty()).expect("it compiles");
    let config = Config {
        checks: Checks::NONE.with(Property::Assert).with(Property::Deadlock),
        ..Config::default()
    };
    let image = run::image(&program, &config).expect("it fits");
    prove(&image, &config, &[0, 1], reductions)
}

/// A thread that goes round alone for ever, while others have something to say.
const ENDLESS: &str = "
volatile int a, x;
void *round(void *arg) { for (;;) a = 1; }
void *set(void *arg) { x = 1; return 0; }
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, round, 0);
    pthread_create(&u, 0, set, 0);
    if (x == 1) __assert_fail(\"x\", \"f\", 1, \"main\");
    pthread_join(t, 0);
}";

/// Who tries a lock finds it taken, or not.
const TRIED: &str = "
pthread_mutex_t m;
volatile int y;
void *hold(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
int main() {
    pthread_t t;
    pthread_create(&t, 0, hold, 0);
    if (pthread_mutex_trylock(&m)) {
        y = 1;
        __assert_fail(\"m\", \"f\", 1, \"main\");
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}";

/// Who reads a variable finds it written, or not.
const WRITTEN: &str = "
volatile int x;
void *set(void *arg) { x = 1; x = 2; return 0; }
int main() {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    if (x == 1) __assert_fail(\"x\", \"f\", 1, \"main\");
    pthread_join(t, 0);
}";

fn is_needed(text: &str, mistake: Mistake) {
    let right = prove_text(text, Reductions::ALL);
    assert_eq!(right.violations.len(), 1, "{:?}", right.mistakes);
    let plain = prove_text(text, Reductions::NONE);
    assert_eq!(plain.violations.len(), 1, "{:?}", plain.mistakes);
    let wrong = Reductions {
        mistake: Some(mistake),
        ..Reductions::ALL
    };
    let wrong = prove_text(text, wrong);
    assert!(
        wrong.violations.is_empty(),
        "the mistake makes no difference"
    );
}

#[test]
fn nobody_goes_round_alone() {
    is_needed(ENDLESS, Mistake::NoProviso);
}

#[test]
fn a_lock_that_is_tried_is_not_given_back_alone() {
    is_needed(TRIED, Mistake::IgnoresTries);
}

#[test]
fn what_others_write_matters() {
    is_needed(WRITTEN, Mistake::IgnoresWrites);
}

/// Random programs notice it too.
#[test]
fn a_wrong_independence_is_caught() {
    let wrong = Reductions {
        mistake: Some(Mistake::IgnoresWrites),
        ..Reductions::ALL
    };
    let mut seeds = 0..COUNT;
    let is_caught = seeds.any(|seed| compare(Property::Assert, seed, &[wrong]).is_err());
    assert!(is_caught, "nobody noticed");
}
