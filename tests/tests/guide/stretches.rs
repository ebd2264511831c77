//! Stretches, how they end, and what is told when they cannot be followed.

use crate::subject::{Subject, check_repeats, contexts, end, exit, kinds, problem, start};
use ir::InstId;
use replay::{Guide, Mark, Outcome, Stretch, ViolationKind};
use tests::run;

const COUNTER: &str = r#"
#include <assert.h>
#include <pthread.h>
int x;
static void *worker(void *arg) {
    int old = x; /* read */
    x = old + 1; /* write */
    return 0;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0); /* first */
    pthread_create(&t, 0, worker, 0); /* second */
    pthread_join(s, 0);
    pthread_join(t, 0); /* joined */
    assert(x == 2); /* look */
    return 0;
}
"#;

#[test]
fn stretches_lead_to_the_violation() {
    let it = Subject::without_races(COUNTER);
    let stretches = [
        it.until(0, "second", "pthread_create", 1),
        it.until(1, "read", "load", 1),
        it.until(2, "write", "store", 1),
        it.until(1, "write", "store", 1),
        end(1),
        end(2),
    ];
    let run = it.follow(&stretches, 0).expect("should fit");
    assert_eq!(run.outcome, Outcome::Violated);
    assert_eq!(kinds(&run), [ViolationKind::Assertion]);
    // Both joins and the last look are main's.
    let expected = [(0, 2), (1, 1), (2, 2), (1, 2), (2, 1), (0, 3)];
    assert_eq!(contexts(&run), expected);
}

#[test]
fn a_mark_that_is_reached_takes_no_step() {
    let it = Subject::without_races(COUNTER);
    let stretches = [
        it.until(0, "second", "pthread_create", 1),
        it.until(0, "first", "pthread_create", 1),
        start(0),
        it.until(1, "write", "store", 1),
        it.until(1, "read", "load", 1),
        start(2),
        start(2),
        end(1),
        end(2),
        end(1),
        end(0),
    ];
    let run = it.follow(&stretches, 0).expect("should fit");
    assert_eq!(run.outcome, Outcome::Exited(0));
    // Main joins twice, looks and returns.
    assert_eq!(
        contexts(&run),
        [(0, 2), (1, 2), (2, 1), (1, 1), (2, 2), (0, 4)]
    );
}

#[test]
fn a_violation_ends_the_run_wherever_it_is() {
    // The race is there as soon as one has written what the other is about to read.
    let it = Subject::new(COUNTER);
    let stretches = [
        it.until(0, "second", "pthread_create", 1),
        it.until(1, "write", "store", 1),
        end(1),
        end(2),
    ];
    let run = it.follow(&stretches, 0).expect("should fit");
    assert_eq!(run.outcome, Outcome::ScheduleEnded);
    assert_eq!(kinds(&run), [ViolationKind::DataRace]);
    assert_eq!(contexts(&run), [(0, 2), (1, 2)]);

    let it = Subject::new("int main(void) { int zero = 0; return 1 / zero; }");
    let run = it.follow(&[start(1)], 5).expect("should fit");
    assert_eq!(run.outcome, Outcome::Violated);
    assert_eq!(kinds(&run), [ViolationKind::DivisionByZero]);
    assert_eq!(contexts(&run), []);
}

#[test]
fn what_cannot_be_followed_is_told() {
    let it = Subject::without_races(COUNTER);
    let line = it.line("write");
    let check = |stretches: &[Stretch], expected: &[&str]| {
        let problem = problem(it.follow(stretches, 0));
        for part in expected {
            assert!(problem.contains(part), "'{problem}' lacks '{part}'");
        }
    };
    let created = it.until(0, "first", "pthread_create", 1);
    let wrote = |thread, count| it.until(thread, "write", "store", count);
    let place = format!("prog.c:{line} in worker, but");
    let look = format!("prog.c:{} in main", it.line("look"));
    check(
        &[created, wrote(2, 1)],
        &["stretch 2", "thread 2", "execution 1", &place, "not exist"],
    );
    check(
        &[created, wrote(1, 2)],
        &["stretch 2", "thread 1", "execution 2", &place, "has ended"],
    );
    check(
        &[it.until(0, "look", "load", 1)],
        &["stretch 1", &look, "waits for thread 1 to end"],
    );
    check(&[end(0)], &["until its end", "waits for thread 1 to end"]);
    check(&[created, start(7)], &["its first step", "not exist"]);
    let all = [it.until(0, "second", "pthread_create", 1), end(1), end(2)];
    let over = [&all[..], &[end(0), wrote(0, 1)]].concat();
    check(&over, &["stretch 5", "the run is over", "with status 0"]);
    let finally = it.follow(&all, 3);
    assert!(problem(finally).contains("thread 3 should go on, but does not exist"));

    // A guide may name something that does not even exist.
    let function = it.inst("read", "load").0;
    let until = Mark::Inst {
        function,
        inst: InstId::from_u32(1000),
        count: 1,
        part: 0,
    };
    let stretch = Stretch { thread: 0, until };
    check(&[stretch], &["i1000 at an unknown place in worker"]);
}

#[test]
fn the_last_thread_goes_on_while_it_can() {
    let it = Subject::without_races(COUNTER);
    let second = it.until(0, "second", "pthread_create", 1);
    // Main waits for the first worker, and nobody is asked to let it end.
    let run = it.follow(&[second], 0).expect("should fit");
    assert_eq!(run.outcome, Outcome::ScheduleEnded);
    assert_eq!(run.violations, []);
    assert_eq!(contexts(&run), [(0, 2)]);
    let run = it.follow(&[second], 2).expect("should fit");
    assert_eq!(run.outcome, Outcome::ScheduleEnded);
    assert_eq!(contexts(&run), [(0, 2), (2, 3)]);
}

#[test]
fn limits_end_the_run() {
    let it = Subject::without_races(
        r#"
        volatile int x;
        int main(void) {
            while (1) x++; /* store */
        }
        "#,
    );
    let image = run::image(&it.program, &it.config).expect("should fit");
    let guide = Guide {
        stretches: vec![it.until(0, "store", "store", 1000)],
        ..Guide::default()
    };
    let run = |max_steps, mut patience: u64| {
        let keep_going = &mut |_| {
            patience = patience.saturating_sub(1);
            patience > 0
        };
        replay::run_guided(&image, &it.config, 7, &guide, true, max_steps, keep_going)
            .expect("should fit")
    };
    for (max_steps, patience, outcome, steps) in [
        (50, 9, Outcome::StepLimit, 50),
        (1000, 9, Outcome::StepLimit, 1000),
        (10_000, 3, Outcome::Interrupted, 512),
        (10_000, 1, Outcome::Interrupted, 0),
    ] {
        let run = run(max_steps, patience);
        assert_eq!(run.outcome, outcome);
        assert_eq!(run.steps, steps);
        check_repeats(&image, &it.config, &run);
    }
}

#[test]
fn the_last_thread_ends_before_the_process_does() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        #include <stdlib.h>
        int x;
        static void late(void) {
            x = 1; /* late */
        }
        static void *worker(void *arg) {
            return 0;
        }
        int main(void) {
            pthread_t t;
            atexit(late);
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_exit(0);
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    let late = |thread| it.until(thread, "late", "store", 1);
    let run = it.follow(&[created, end(0), end(1), late(1)], 1);
    let run = run.expect("should fit");
    assert_eq!(run.outcome, Outcome::Exited(0));
    assert_eq!(contexts(&run), [(0, 2), (1, 3)]);
    let run = it.follow(&[end(0), end(1)], 0).expect("should fit");
    assert_eq!(run.outcome, Outcome::ScheduleEnded);
    assert_eq!(contexts(&run), [(0, 2), (1, 1)]);
}

#[test]
fn whoever_begins_first_ends_the_process() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        #include <stdlib.h>
        int x;
        static void late(void) {
            x = 1; /* late */
        }
        static void *worker(void *arg) {
            exit(1);
        }
        int main(void) {
            pthread_t t;
            atexit(late);
            pthread_create(&t, 0, worker, 0); /* create */
            return 2;
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    let late = |thread| it.until(thread, "late", "store", 1);
    let check = |thread: usize, code: i32, expected: &[(usize, u64)]| {
        let run = it.follow(&[created, exit(thread), late(thread)], thread);
        let run = run.expect("should fit");
        assert_eq!(run.outcome, Outcome::Exited(code));
        assert_eq!(contexts(&run), expected);
    };
    check(0, 2, &[(0, 4)]);
    check(1, 1, &[(0, 1), (1, 3)]);
    // The other finds nothing that is left to run.
    let run = it.follow(&[created, exit(1), end(0)], 0);
    let run = run.expect("should fit");
    assert_eq!(run.outcome, Outcome::Exited(2));
    assert_eq!(contexts(&run), [(0, 1), (1, 1), (0, 1)]);
}

#[test]
fn threads_that_are_stuck_are_told() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        void __VERIFIER_assume(int condition);
        int __VERIFIER_nondet_int(void);
        int x;
        static void *worker(void *arg) {
            int a = __VERIFIER_nondet_int(); /* input */
            x = a; /* write */
            __VERIFIER_assume(a); /* assume */
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0); /* create */
            x = 7; /* main */
            pthread_join(t, 0); /* join */
            return 0;
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    let assumed = it.until(1, "assume", "__VERIFIER_assume", 1);
    let misfit = problem(it.follow(&[created, assumed], 0));
    assert!(misfit.contains("its assumption does not hold"), "{misfit}");
    assert!(
        misfit.contains(&format!("prog.c:{}", it.line("assume"))),
        "{misfit}"
    );
    let wrote = it.until(1, "write", "store", 1);
    let joined = it.until(0, "join", "pthread_join", 1);
    let misfit = problem(it.follow(&[created, wrote, joined], 0));
    assert!(
        misfit.contains("the run is over: an assumption"),
        "{misfit}"
    );
    let guide = Guide {
        stretches: vec![created, assumed],
        inputs: vec![it.input(1, "input", "__VERIFIER_nondet_int", (1, 0), 1)],
        finally: 1,
        ..Guide::default()
    };
    let run = it.run(&guide).expect("should fit");
    assert_eq!(contexts(&run), [(0, 1), (1, 2)]);
}

#[test]
fn a_deadlock_is_a_violation_too() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
        static void *worker(void *arg) {
            pthread_mutex_lock(&b); /* b first */
            pthread_mutex_lock(&a);
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0);
            pthread_mutex_lock(&a); /* a first */
            pthread_mutex_lock(&b); /* b second */
            return 0;
        }
        "#,
    );
    let lock = "pthread_mutex_lock";
    let stretches = [
        it.until(0, "a first", lock, 1),
        it.until(1, "b first", lock, 1),
        it.until(0, "b second", lock, 1),
    ];
    let run = it.follow(&stretches, 0).expect("should fit");
    assert_eq!(run.outcome, Outcome::Violated);
    assert_eq!(kinds(&run), [ViolationKind::Deadlock]);
    assert_eq!(contexts(&run), [(0, 2), (1, 1)]);
}
