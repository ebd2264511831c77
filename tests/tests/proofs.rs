//! The prover finds what the plain enumeration finds, on random programs, with its
//! reductions and without.
//!
//! `cargo xtask oracle -- --proofs --count 5000 --keep findings` tries more.

use replay::{Checks, Config, Interruption, Mistake, Proof, ProofOptions, Property, Reductions};
use std::path::Path;
use tests::clang;
use tests::oracle::compare::load_text;
use tests::oracle::proofs::{Answer, compare, prove, prove_by_two, variants};
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
typedef struct { long parts[6]; } pthread_cond_t;
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *);
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

/// Who writes to a variable that only `main` reads, in the end.
const READ_LATE: &str = "
volatile int x;
void *set(void *arg) { x = 1; return 0; }
int main() {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    pthread_join(t, 0);
    if (x == 1) __assert_fail(\"x\", \"f\", 1, \"main\");
}";

/// Threads that note what they do in variables that nobody reads.
const NOTED: &str = "
volatile int x, last, before;
void *f(void *arg) {
    before = last;
    last = (int)(long)arg;
    __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
    return 0;
}
int main() {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    if (x != 3) __assert_fail(\"x\", \"f\", 1, \"main\");
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

#[test]
fn what_somebody_reads_is_not_forgotten() {
    is_needed(READ_LATE, Mistake::ForgetsWhatIsRead);
}

#[test]
fn what_nobody_reads_is_forgotten() {
    let without = Reductions {
        dead_memory: false,
        ..Reductions::ALL
    };
    let (without, with) = (
        prove_text(NOTED, without),
        prove_text(NOTED, Reductions::ALL),
    );
    assert!(without.violations.is_empty() && without.is_complete());
    assert!(with.violations.is_empty() && with.is_complete());
    assert!(with.states < without.states, "{} states", with.states);
}

/// What is asked for is compared in many ways.
const ASKED: &str = "
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
volatile int x, y;
void *f(void *arg) { x = 1; return 0; }
int main() {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    int a = __VERIFIER_nondet_int();
    unsigned b = __VERIFIER_nondet_uint();
    if (WRONG) __assert_fail(\"x\", \"f\", 1, \"main\");
    pthread_join(t, 0);
}";

/// Few values stand for all, if a value is looked at coarsely; and only then.
#[test]
fn inputs_are_split_as_finely_as_they_are_looked_at() {
    let conditions = [
        ("a", Some(true)),
        ("!a && x", Some(true)),
        ("a == 5 && b != 0", Some(true)),
        ("a > 100 && a < 102", Some(true)),
        ("a < -2147483647 && b > 4294967294u", Some(true)),
        ("b > 127 && b < 128", Some(false)),
        ("a > 100 && a < 101 && x", Some(false)),
        ("a == 3 && a == 4", Some(false)),
        ("a == 77 ? b == 200 : a == 77", Some(true)),
        // What comes of these is looked at by nobody.
        ("(y = b % 5, x == 2)", Some(false)),
        ("(y = a / 3, x == 2)", Some(false)),
        ("(y = b >> 3, x == 1)", Some(true)),
        ("b % 5 == 4 && a % 3 == -2", Some(true)),
        ("b % 5 == 5 || a % 3 == -3", Some(false)),
        // Nobody tries all values of these: they are found with luck, or not proved.
        ("b % 5 == 4 && b == 999", None),
        ("a + 1 == 300", None),
        ("(a ^ 17) == 3", None),
        ("a == (int)b && a == 7", None),
        ("(char)a == 100", None),
    ];
    for (condition, is_wrong) in conditions {
        let text = format!("{HEADER}{}", ASKED.replace("WRONG", condition));
        let program = load_text(&text, std::iter::empty()).expect("it compiles");
        let config = Config {
            checks: Checks::NONE.with(Property::Assert),
            ..Config::default()
        };
        let image = run::image(&program, &config).expect("it fits");
        let options = ProofOptions::default();
        let proof = replay::prove(&image, &config, 0, &options, &mut |_| true);
        assert!(proof.mistakes.is_empty(), "{:?}", proof.mistakes);
        let has_found = !proof.violations.is_empty();
        match is_wrong {
            Some(is_wrong) => assert_eq!(has_found, is_wrong, "{condition}"),
            None => assert!(has_found || !proof.is_complete(), "{condition}"),
        }
        assert!(
            is_wrong != Some(false) || proof.is_complete(),
            "{condition}"
        );
    }
}

/// Whoever comes first lets others know a local of its own.
const KNOWN: &str = "
int *volatile known;
void *f(void *arg) {
    volatile int own = 0;
    __atomic_store_n(&known, (int *)&own, __ATOMIC_SEQ_CST);
    if (own == 1) __assert_fail(\"own\", \"f\", 1, \"f\");
    return 0;
}
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    if (known) *known = 1;
    pthread_join(t, 0);
    pthread_join(u, 0);
}";

/// Threads that are all alike, of which the last but one goes wrong.
const ALIKE: &str = "
pthread_mutex_t m;
volatile int x;
void *f(void *arg) {
    pthread_mutex_lock(&m);
    int now = ++x;
    pthread_mutex_unlock(&m);
    if (now == LIMIT) __assert_fail(\"x\", \"f\", 1, \"f\");
    return 0;
}
int main() {
    pthread_t t[12];
    for (int i = 0; i < 12; i++) pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 12; i++) pthread_join(t[i], 0);
    if (x != 12) __assert_fail(\"x\", \"f\", 2, \"main\");
}";

/// A signal wakes any of those who wait.
const WOKEN: &str = "
pthread_mutex_t m;
pthread_cond_t c;
volatile int waiting, woken, turn;
void *f(void *arg) {
    pthread_mutex_lock(&m);
    int mine = ++waiting;
    pthread_cond_wait(&c, &m);
    if (++woken == 1 && mine == 2) __assert_fail(\"woken\", \"f\", 1, \"f\");
    pthread_mutex_unlock(&m);
    return 0;
}
int main() {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
    for (int n = 0; n < 3;) {
        pthread_mutex_lock(&m);
        if (waiting == 3) { pthread_cond_signal(&c); n++; }
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}";

#[test]
fn threads_that_somebody_knows_are_not_exchanged() {
    let right = prove_text(KNOWN, Reductions::ALL);
    let plain = prove_text(KNOWN, Reductions::NONE);
    let found = |proof: &Proof| -> Vec<_> {
        let found = proof.violations.iter();
        found.map(|found| found.violation.signature()).collect()
    };
    assert_eq!(found(&right), found(&plain));
    assert_eq!(right.violations.len(), 1, "{:?}", right.mistakes);
    let wrong = Reductions {
        mistake: Some(Mistake::IgnoresNames),
        ..Reductions::ALL
    };
    let wrong = std::panic::catch_unwind(|| prove_text(KNOWN, wrong));
    let is_noticed = wrong.is_err()
        || wrong.is_ok_and(|wrong| found(&wrong) != found(&plain) || !wrong.mistakes.is_empty());
    assert!(is_noticed, "the mistake makes no difference");
}

#[test]
fn threads_that_are_alike_are_few_states() {
    let fine = prove_text(&ALIKE.replace("LIMIT", "13"), Reductions::ALL);
    assert!(fine.violations.is_empty() && fine.is_complete(), "{fine:?}");
    assert!(fine.states < 2_000, "{} states", fine.states);
    let wrong = prove_text(&ALIKE.replace("LIMIT", "11"), Reductions::ALL);
    assert_eq!(wrong.violations.len(), 1, "{:?}", wrong.mistakes);
    assert!(wrong.mistakes.is_empty(), "{:?}", wrong.mistakes);
}

/// Two may find it, in runs of which each is one of the program.
#[test]
fn what_two_find_is_what_one_finds() {
    for text in [ENDLESS, TRIED, WRITTEN, KNOWN, WOKEN] {
        let text = format!("{HEADER}{text}");
        let program = load_text(&text, std::iter::empty()).expect("it compiles");
        let config = Config {
            checks: Checks::NONE.with(Property::Assert).with(Property::Deadlock),
            ..Config::default()
        };
        let image = run::image(&program, &config).expect("it fits");
        for find_all in [false, true] {
            let options = ProofOptions {
                find_all,
                cores: 2,
                worth_sharing: 1,
                ..ProofOptions::default()
            };
            let proof = replay::prove(&image, &config, 0, &options, &mut |_| true);
            assert!(proof.mistakes.is_empty(), "{:?}", proof.mistakes);
            assert_eq!(proof.violations.len(), 1);
            assert_eq!(proof.stopped_early, !find_all);
        }
    }
}

/// Many states that are large, which must not take more than was said.
#[test]
fn memory_is_held() {
    let text = "
volatile int x[2000], y[2000];
void *f(void *arg) { for (int i = 0; i < 2000; i++) x[i] = i + 1; return 0; }
void *g(void *arg) { for (int i = 0; i < 2000; i++) y[i] = x[i]; return 0; }
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, g, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    if (y[0] == 7) __assert_fail(\"y\", \"f\", 1, \"main\");
}";
    let text = format!("{HEADER}{text}");
    let program = load_text(&text, std::iter::empty()).expect("it compiles");
    let config = Config {
        checks: Checks::NONE.with(Property::Assert),
        ..Config::default()
    };
    let image = run::image(&program, &config).expect("it fits");
    for cores in 1..3 {
        let options = ProofOptions {
            memory: 64 << 20,
            cores,
            worth_sharing: 1,
            ..ProofOptions::default()
        };
        let proof = replay::prove(&image, &config, 0, &options, &mut |_| true);
        assert_eq!(proof.interrupted, Some(Interruption::States));
        assert!(proof.states > 100, "{} states", proof.states);
        assert!(proof.bytes < 80 << 20, "{} bytes", proof.bytes);
    }
}

#[test]
fn who_is_woken_is_told_by_its_own_name() {
    let proof = prove_text(WOKEN, Reductions::ALL);
    assert_eq!(proof.violations.len(), 1, "{:?}", proof.mistakes);
    assert!(proof.mistakes.is_empty(), "{:?}", proof.mistakes);
}

/// Asks for numbers, and only branches on them.
const DECIDES: &str = "
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int busy;
void *f(void *p) {
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&m);
        busy = 1;
        switch (__VERIFIER_nondet_int()) {
        case 3: busy = 2;
        case 4: busy = 0; break;
        default: busy = LEFT;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main() {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    pthread_mutex_lock(&m);
    if (busy) __assert_fail(\"busy\", \"f\", 1, \"f\");
    pthread_mutex_unlock(&m);
    if (LAST) __assert_fail(\"n\", \"f\", 2, \"f\");
}";

fn decide(left: &str, last: &str) -> Proof {
    prove_open(&DECIDES.replace("LEFT", left).replace("LAST", last))
}

/// With inputs left open, and values to try where they cannot be.
fn prove_open(text: &str) -> Proof {
    let program = load_text(text, std::iter::empty()).expect("it compiles");
    let config = Config {
        checks: Checks::NONE.with(Property::Assert),
        ..Config::default()
    };
    let image = run::image(&program, &config).expect("it fits");
    replay::prove(&image, &config, 0, &ProofOptions::default(), &mut |_| true)
}

#[test]
fn inputs_that_only_decide_need_no_values() {
    let fine = decide("0", "0");
    assert!(fine.violations.is_empty(), "{:?}", fine.violations);
    assert!(fine.is_complete() && fine.sampled.is_empty(), "{fine:?}");
    // What is decided about a value is kept, so that no run is made up.
    assert!(!fine.is_coarse, "{fine:?}");
}

/// Both ways are taken: what goes wrong then may be so or not, and values tell.
#[test]
fn what_goes_wrong_after_a_decision_is_not_proved() {
    let wrong = decide("1", "0");
    assert_eq!(wrong.violations.len(), 1, "{:?}", wrong.mistakes);
    let possible = decide("0", "n == 8");
    assert_eq!(possible.violations.len(), 1, "{:?}", possible.mistakes);
    let impossible = decide("0", "n == -5");
    assert!(impossible.violations.is_empty(), "{impossible:?}");
    assert!(impossible.is_complete(), "{impossible:?}");
    let unclear = decide("0", "n * 3 == 24");
    assert!(!unclear.is_complete(), "{unclear:?}");
    assert!(unclear.violations.is_empty() && unclear.mistakes.is_empty());
}

/// Several threads look at copies of one input, through memory, wider, or what is left
/// of it.
const COPIED: &str = "
extern int __VERIFIER_nondet_int(void);
int shared, first, second;
void *one(void *arg) { if (shared > 5) first = 1; return 0; }
void *two(void *arg) { long wide = shared; second = wide > LIMIT; return 0; }
int main() {
    pthread_t t, u;
    shared = __VERIFIER_nondet_int();
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    if (first != second) __assert_fail(\"same\", \"f\", 1, \"main\");
    switch ((unsigned)__VERIFIER_nondet_int() % 4) {
    case 0: case 1: case 2: case REST: break;
    default: __assert_fail(\"rest\", \"f\", 2, \"main\");
    }
}";

#[test]
fn copies_of_an_input_are_one_value() {
    let ask = |limit: &str, rest: &str| {
        let text = COPIED.replace("LIMIT", limit).replace("REST", rest);
        prove_open(&format!("{HEADER}{text}"))
    };
    let fine = ask("5", "3");
    assert!(fine.violations.is_empty() && fine.is_complete(), "{fine:?}");
    for wrong in [ask("4", "3"), ask("6", "3"), ask("5", "5")] {
        assert_eq!(wrong.violations.len(), 1, "{:?}", wrong.mistakes);
    }
}

/// What `main` makes of its lock concerns nobody, until it is known to be one.
const LATE: &str = "
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t *known, common;
int x;
static void publish(void) {
    pthread_mutex_t v = { { 0 } };
    pthread_mutex_lock(&v);
    known = &v;
    pthread_mutex_unlock(&v);
}
void *locks(void *arg) {
    pthread_mutex_t *k = known;
    if (k) { pthread_mutex_lock(k); pthread_mutex_unlock(k); }
    return 0;
}
void *counts(void *arg) {
    pthread_mutex_lock(&common);
    x++;
    pthread_mutex_unlock(&common);
    return 0;
}
int main() {
    pthread_t t, u;
    int both = __atomic_load_n(&x, 0) > 0;
    if (both) pthread_create(&t, 0, locks, 0);
    pthread_create(&u, 0, counts, 0);
    publish();
    if (__VERIFIER_nondet_int() == 1) __assert_fail(\"one\", \"f\", 1, \"main\");
    if (both) pthread_join(t, 0);
    pthread_join(u, 0);
}";

/// The way to a violation is the one that was gone, whatever became known since.
#[test]
fn ways_are_found_again() {
    let reductions = Reductions {
        partial_order: true,
        going_on: true,
        ..Reductions::NONE
    };
    let proof = prove_text(LATE, reductions);
    assert!(proof.mistakes.is_empty(), "{:?}", proof.mistakes);
    assert_eq!(proof.violations.len(), 1);
}

fn close_family(family: &str, options: &[String], most_states: usize) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("families/{family}.c"));
    let program = clang::default().load(&file, options);
    let program = program.expect("it compiles");
    let config = Config {
        checks: Checks::NONE.with(Property::Assert).with(Property::Deadlock),
        ..Config::default()
    };
    let image = run::image(&program, &config).expect("it fits");
    let proof = prove(&image, &config, &[0, 1], Reductions::ALL);
    let by_two = prove_by_two(&image, &config, &[0, 1], Reductions::ALL);
    assert_eq!(proof.states, by_two.states, "{family}");
    assert!(by_two.is_complete(), "{family}");
    assert!(proof.violations.is_empty(), "{family}");
    assert!(proof.is_complete(), "{family}: {:?}", proof.limits);
    assert!(proof.states <= most_states, "{family}: {}", proof.states);
}

/// Small programs are small work.
#[test]
fn families_are_closed() {
    let sizes = [
        ("fetch_add", 30, 300),
        ("philosophers", 6, 4_000),
        ("ticket", 8, 2_000),
        ("readers", 30, 1_000),
        ("fib", 3, 4_000),
        ("ring", 8, 300),
        ("queue", 2, 1_500),
        ("readers_writers", 3, 800),
    ];
    for (family, size, most_states) in sizes {
        close_family(family, &[format!("-DN={size}")], most_states);
    }
    close_family("peterson", &[], 60);
}

/// Loops that have no bound of their own.
#[test]
fn loops_are_closed() {
    for family in [
        "spin_lock",
        "clh",
        "seqlock",
        "futex_mutex",
        "michael_scott",
        "chase_lev",
    ] {
        close_family(&format!("loops/{family}"), &[], 5_000);
    }
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
