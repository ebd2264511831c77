//! What is counted as an execution, and when its parts are done.

use crate::subject::{Subject, contexts, end, problem, start};
use ir::{Callee, Op};
use replay::{Guide, Stretch};

#[test]
fn executions_are_counted_in_loops() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        int x, y;
        static void *worker(void *arg) {
            for (int i = 0; i < 3; i++)
                x = i; /* write */
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0); /* create */
            y = x; /* copy */
            return 0;
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    for count in 1..=3 {
        let stretches = [
            created,
            it.until(1, "write", "store", count),
            it.until(0, "copy", "load", 1),
        ];
        let run = it.follow(&stretches, 0).expect("should fit");
        assert_eq!(contexts(&run), [(0, 1), (1, count), (0, 3)]);
    }
    let stretches = [created, it.until(1, "write", "store", 4)];
    assert!(problem(it.follow(&stretches, 0)).contains("it has ended"));
}

/// Main starts `worker` and waits for it; so if main is to go on at the end, the
/// run ends where the stretches of the worker end.
fn worker_contexts(it: &Subject, stretches: &[Stretch]) -> Vec<(usize, u64)> {
    let created = it.until(0, "create", "pthread_create", 1);
    let stretches = [&[created], stretches].concat();
    let run = it.follow(&stretches, 0).expect("should fit");
    assert_eq!(run.violations, []);
    contexts(&run)
}

#[test]
fn calls_of_one_function_are_counted_together() {
    // Both stores and the call are executed for 3, 2, 1 and 0 in turn, but the
    // last time nothing is called.
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        int x;
        static void down(int n) {
            x = n; /* there */
            if (n > 0)
                down(n - 1); /* again */
            x = -n; /* back */
        }
        static void *worker(void *arg) {
            down(3); /* call */
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_join(t, 0);
            return 0;
        }
        "#,
    );
    let steps = |label: &str, what: &str, count| {
        let contexts = worker_contexts(&it, &[it.until(1, label, what, count)]);
        match contexts[..] {
            [(0, 1)] => 0,
            [(0, 1), (1, steps)] => steps,
            _ => panic!("{contexts:?}"),
        }
    };
    for count in 1..=4 {
        assert_eq!(steps("there", "store", count), count);
        assert_eq!(steps("back", "store", count), 4 + count);
    }
    // A call is done when the function is entered, right after the store before.
    assert_eq!(steps("call", "down", 1), 0);
    for count in 1..=3 {
        assert_eq!(steps("again", "down", count), count);
    }
    let created = it.until(0, "create", "pthread_create", 1);
    for (label, what, count) in [("there", "store", 5), ("again", "down", 4)] {
        let beyond = it.until(1, label, what, count);
        let problem = problem(it.follow(&[created, beyond], 0));
        assert!(problem.contains("it has ended"), "{problem}");
    }
}

#[test]
fn local_work_takes_no_step_of_its_own() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        int x, y;
        static void *worker(void *arg) {
            int own[2];
            int *p = own;
            p[0] = 1; /* before */
            x = 1; /* shared */
            p[1] = 2; /* between */
            y = 1; /* other */
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_join(t, 0);
            return 0;
        }
        "#,
    );
    let store = |label| it.until(1, label, "store", 1);
    // What comes before the first visible step is done by the creation.
    assert_eq!(worker_contexts(&it, &[store("before")]), [(0, 1)]);
    assert_eq!(worker_contexts(&it, &[store("shared")]), [(0, 1), (1, 1)]);
    assert_eq!(worker_contexts(&it, &[store("between")]), [(0, 1), (1, 1)]);
    // The store to `x` is not named, but taken on the way.
    assert_eq!(worker_contexts(&it, &[store("other")]), [(0, 1), (1, 2)]);
    let private = it.until_part(1, "between", "store", 1, 1);
    assert_eq!(worker_contexts(&it, &[private]), [(0, 1), (1, 1)]);
}

#[test]
fn a_lock_that_is_waited_for_counts_once() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static void *worker(void *arg) {
            for (int i = 0; i < 2; i++) {
                pthread_mutex_lock(&m); /* lock */
                pthread_mutex_unlock(&m); /* unlock */
            }
            return 0;
        }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, worker, 0);
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_join(s, 0);
            pthread_join(t, 0);
            return 0;
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    let locked = |thread, count| it.until(thread, "lock", "pthread_mutex_lock", count);
    let unlocked = |thread, count| it.until(thread, "unlock", "pthread_mutex_unlock", count);
    // Thread 2 gets to its first lock with its creation, and to its second when
    // it unlocks; each time thread 1 has the mutex for a while.
    let stretches = [
        created,
        locked(1, 1),
        unlocked(1, 1),
        locked(2, 1),
        unlocked(2, 1),
        locked(1, 2),
        unlocked(1, 2),
        locked(2, 2),
    ];
    let run = it.follow(&stretches, 0).expect("should fit");
    assert_eq!(contexts(&run), [(0, 2), (1, 2), (2, 2), (1, 2), (2, 1)]);
    let problem = problem(it.follow(&[created, locked(1, 2), locked(2, 1)], 0));
    let expected = format!("prog.c:{} in worker", it.line("lock"));
    assert!(problem.contains(&expected), "{problem}");
    assert!(
        problem.contains("waits for mutex m, held by thread 1"),
        "{problem}"
    );
}

#[test]
fn waiting_for_a_condition_has_two_parts() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        int x;
        static void *worker(void *arg) {
            pthread_mutex_lock(&m);
            pthread_cond_wait(&c, &m); /* wait */
            x = 1;
            pthread_mutex_unlock(&m);
            return 0;
        }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, worker, 0);
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_cond_signal(&c); /* signal */
            pthread_join(s, 0);
            return 0;
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    let wait = |thread, part| it.until_part(thread, "wait", "pthread_cond_wait", 1, part);
    let signal = it.until(0, "signal", "pthread_cond_signal", 1);
    let guide = |woken: u128, thread| Guide {
        stretches: vec![created, wait(1, 0), wait(2, 0), signal, wait(thread, 1)],
        inputs: vec![it.input(0, "signal", "pthread_cond_signal", (1, 0), woken)],
        finally: 0,
        ..Guide::default()
    };
    let expected = |thread| [(0, 2), (1, 2), (2, 2), (0, 1), (thread, 1)];
    for (woken, thread) in [(0, 1), (1, 2)] {
        let run = it.run(&guide(woken, thread)).expect("should fit");
        assert_eq!(contexts(&run), expected(thread));
        let problem = problem(it.run(&guide(1 - woken, thread)));
        assert!(problem.contains("until part 1 of execution 1"), "{problem}");
        assert!(problem.contains("waits for condition c"), "{problem}");
    }
    // There is no third waiter, so this is as good as none.
    let run = it.run(&guide(2, 1)).expect("should fit");
    assert_eq!(contexts(&run), expected(1));
}

#[test]
fn the_last_one_at_a_barrier_has_one_part() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        pthread_barrier_t b;
        static void *worker(void *arg) {
            pthread_barrier_wait(&b); /* meet */
            return 0;
        }
        int main(void) {
            pthread_t s, t;
            pthread_barrier_init(&b, 0, 2);
            pthread_create(&s, 0, worker, 0);
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_join(s, 0);
            return 0;
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    let meet = |thread, part| it.until_part(thread, "meet", "pthread_barrier_wait", 1, part);
    let stretches = [created, meet(1, 0), meet(2, 0), meet(2, 1), meet(1, 1)];
    let run = it.follow(&stretches, 2).expect("should fit");
    assert_eq!(contexts(&run), [(0, 3), (1, 1), (2, 1), (1, 1), (2, 1)]);
    let stretches = [created, meet(1, 0), meet(1, 1)];
    assert!(problem(it.follow(&stretches, 0)).contains("waits for barrier b"));
}

#[test]
fn once_is_over_when_its_routine_is() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        pthread_once_t once = PTHREAD_ONCE_INIT;
        int x;
        static void routine(void) {
            x = 1; /* inside */
        }
        static void *worker(void *arg) {
            pthread_once(&once, routine); /* once */
            x = 2;
            return 0;
        }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, worker, 0);
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_join(s, 0);
            return 0;
        }
        "#,
    );
    let created = it.until(0, "create", "pthread_create", 1);
    let once = |thread, part| it.until_part(thread, "once", "pthread_once", 1, part);
    let inside = it.until(1, "inside", "store", 1);
    let run = it.follow(&[created, once(1, 0)], 0).expect("should fit");
    assert_eq!(contexts(&run), [(0, 2), (1, 1)]);
    let run = it.follow(&[created, inside, once(1, 0)], 0);
    assert_eq!(contexts(&run.expect("should fit")), [(0, 2), (1, 2)]);
    let all = [created, once(1, 1), once(2, 0), once(2, 1)];
    let run = it.follow(&all, 0).expect("should fit");
    assert_eq!(contexts(&run), [(0, 2), (1, 3), (2, 1)]);
    let between = [created, once(1, 0), once(2, 0)];
    assert!(problem(it.follow(&between, 0)).contains("waits for once control once"));
}

#[test]
fn sections_are_one_step() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        void __VERIFIER_atomic_begin(void);
        void __VERIFIER_atomic_end(void);
        int x, y;
        static void __VERIFIER_atomic_both(int n) {
            x = n; /* in function */
            y = n;
        }
        static void *worker(void *arg) {
            __VERIFIER_atomic_begin(); /* begin */
            x = 1; /* in section */
            y = 1;
            __VERIFIER_atomic_end(); /* end */
            x = 2; /* after section */
            __VERIFIER_atomic_both(3); /* call */
            y = 2; /* after call */
            return 0;
        }
        static void *__VERIFIER_atomic_thread(void *arg) {
            x = 4; /* in thread */
            y = 4;
            return 0;
        }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, worker, 0);
            pthread_create(&t, 0, __VERIFIER_atomic_thread, 0); /* create */
            pthread_join(s, 0);
            return 0;
        }
        "#,
    );
    let check = |stretch, expected: &[(usize, u64)]| {
        let created = it.until(0, "create", "pthread_create", 1);
        let run = it.follow(&[created, stretch], 0).expect("should fit");
        assert_eq!(contexts(&run), [&[(0, 2)], expected].concat());
    };
    check(
        it.until(1, "begin", "__VERIFIER_atomic_begin", 1),
        &[(1, 1)],
    );
    check(it.until(1, "in section", "store", 1), &[(1, 1)]);
    check(it.until(1, "end", "__VERIFIER_atomic_end", 1), &[(1, 1)]);
    check(it.until(1, "after section", "store", 1), &[(1, 2)]);
    check(it.until(1, "call", "__VERIFIER_atomic_both", 1), &[(1, 3)]);
    check(it.until(1, "in function", "store", 1), &[(1, 3)]);
    check(it.until(1, "after call", "store", 1), &[(1, 4)]);
    check(start(2), &[(2, 1)]);
    check(it.until(2, "in thread", "store", 1), &[(2, 1)]);
    check(end(2), &[(2, 2)]);
}

#[test]
fn copies_have_a_part_for_each_shared_block() {
    let it = Subject::without_races(
        r#"
        #include <pthread.h>
        #include <string.h>
        char a[40], b[40];
        static void *worker(void *arg) {
            char own[40];
            memcpy(a, b, 40); /* both */
            memcpy(own, b, 40); /* from */
            memcpy(a, own, 40); /* to */
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0); /* create */
            pthread_join(t, 0);
            return 0;
        }
        "#,
    );
    let name = |label: &str| {
        let line = it.line(label);
        let functions = it.program.functions.values();
        let mut calls = functions.flat_map(|function| {
            let insts = function.body.iter().flat_map(|body| body.insts.values());
            insts.filter_map(|inst| match &inst.op {
                Op::Call {
                    callee: Callee::Direct(function),
                    ..
                } if inst.location.is_some_and(|l| l.line == line) => Some(*function),
                _ => None,
            })
        });
        let function = calls.next().expect("a call");
        it.program.functions[function].name.clone()
    };
    let steps = |label: &str, part| {
        let stretch = it.until_part(1, label, &name(label), 1, part);
        match worker_contexts(&it, &[stretch])[..] {
            [(0, 1), (1, steps)] => steps,
            _ => 0,
        }
    };
    assert_eq!([steps("both", 0), steps("both", 1)], [1, 2]);
    assert_eq!([steps("from", 0), steps("from", 1)], [3, 3]);
    assert_eq!([steps("to", 0), steps("to", 1)], [4, 4]);
}
