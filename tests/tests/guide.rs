//! Guided runs go where the guide says, and are ordinary runs.
//!
//! Small programs are guided to places that can be worked out by hand. Lines are
//! named by a comment, `/* a */`; an instruction is then the only one of its kind
//! on its line. Whatever comes out of a guided run is repeated from its schedule.
//! Beyond that, runs of the explorer's test programs are turned into guides and
//! must come out as they went in.

use ir::{Body, Callee, FunctionId, Inst, InstId, Op, Program, Type};
use replay::{
    Bounds, Checks, Config, DoesNotFit, Guide, GuidedInput, Image, InputKind, Mark, Mode, Outcome,
    Property, Run, Schedule, Stretch, ViolationKind,
};
use tests::{cases, clang, folder, run};

const MAX_STEPS: u64 = 10_000;

/// A program and what is looked up in it.
struct Subject {
    text: &'static str,
    program: Program,
    config: Config,
}

impl Subject {
    fn new(text: &'static str) -> Subject {
        let folder = tempfile::tempdir().expect("should make a temporary folder");
        let file = folder.path().join("prog.c");
        std::fs::write(&file, text).expect("should write");
        let program = clang::default().load(&file, &[]).expect("should load");
        let config = Config {
            keep_output: true,
            ..Config::default()
        };
        Subject {
            text,
            program,
            config,
        }
    }

    /// Without a look at data races, which would end most runs early.
    fn without_races(text: &'static str) -> Subject {
        let mut subject = Subject::new(text);
        subject.config.checks = subject.config.checks.without(Property::Race);
        subject
    }

    fn line(&self, label: &str) -> u32 {
        let comment = format!("/* {label} */");
        let mut lines = self.text.lines().enumerate();
        let found = lines.find(|(_, line)| line.contains(&comment));
        let (index, _) = found.unwrap_or_else(|| panic!("no line has {comment}"));
        index as u32 + 1
    }

    /// The only instruction on a line that does this: `load` (of something else
    /// than a pointer), `store`, or the name of a function that is called.
    fn inst(&self, label: &str, what: &str) -> (FunctionId, InstId) {
        let line = self.line(label);
        let mut found = Vec::new();
        for (function, data) in self.program.functions.iter() {
            let Some(body) = &data.body else {
                continue;
            };
            for (inst, data) in body.insts.iter() {
                let is_here = data.location.is_some_and(|location| location.line == line);
                if is_here && self.does(body, data, what) {
                    found.push((function, inst));
                }
            }
        }
        match found[..] {
            [only] => only,
            _ => panic!("line {line} has {} of {what}", found.len()),
        }
    }

    fn does(&self, body: &Body, inst: &Inst, what: &str) -> bool {
        match &inst.op {
            Op::Load { .. } => {
                let ty = inst.result.map(|result| &body.values[result]);
                what == "load" && ty != Some(&Type::Pointer)
            }
            Op::Store { .. } => what == "store",
            Op::Call {
                callee: Callee::Direct(function),
                ..
            } => self.program.functions[*function].name == what,
            _ => false,
        }
    }

    /// A stretch until the first part of an execution.
    fn until(&self, thread: usize, label: &str, what: &str, count: u64) -> Stretch {
        self.until_part(thread, label, what, count, 0)
    }

    fn until_part(&self, thread: usize, label: &str, what: &str, count: u64, part: u32) -> Stretch {
        let (function, inst) = self.inst(label, what);
        let until = Mark::Inst {
            function,
            inst,
            count,
            part,
        };
        Stretch { thread, until }
    }

    fn input(
        &self,
        thread: usize,
        label: &str,
        what: &str,
        (count, index): (u64, u32),
        value: u128,
    ) -> GuidedInput {
        let (function, inst) = self.inst(label, what);
        GuidedInput {
            thread,
            function,
            inst,
            count,
            index,
            value,
        }
    }

    fn run(&self, guide: &Guide) -> Result<Run, DoesNotFit> {
        let image = run::image(&self.program, &self.config).expect("should fit");
        guided(&image, &self.config, guide)
    }

    /// Runs with stretches only.
    fn follow(&self, stretches: &[Stretch], finally: usize) -> Result<Run, DoesNotFit> {
        self.run(&Guide {
            stretches: stretches.to_vec(),
            inputs: Vec::new(),
            finally,
        })
    }
}

/// Follows a guide, and then the schedule that comes out.
fn guided(image: &Image, config: &Config, guide: &Guide) -> Result<Run, DoesNotFit> {
    let run = replay::run_guided(image, config, 7, guide, true, MAX_STEPS, &mut |_| true)?;
    check_repeats(image, config, &run);
    Ok(run)
}

fn check_repeats(image: &Image, config: &Config, run: &Run) {
    let schedule = Schedule::parse(&run.schedule.to_string()).expect("should parse");
    assert_eq!(schedule, run.schedule);
    assert_eq!(schedule.digest, 7);
    let again = replay::run_schedule(image, config, &schedule, true).expect("should fit");
    let outcome = match &run.outcome {
        Outcome::StepLimit | Outcome::Interrupted => &Outcome::ScheduleEnded,
        outcome => outcome,
    };
    assert_eq!(again.outcome, *outcome);
    assert_eq!(again.violations, run.violations);
    assert_eq!(again.schedule, run.schedule);
    assert_eq!(again.trace, run.trace);
    assert_eq!(again.thread_names, run.thread_names);
    assert_eq!(again.standard_output, run.standard_output);
    assert_eq!(again.unknown_calls, run.unknown_calls);
    assert_eq!(again.steps, run.steps);
    assert_eq!(again.instructions, run.instructions);
}

fn end(thread: usize) -> Stretch {
    let until = Mark::End;
    Stretch { thread, until }
}

fn start(thread: usize) -> Stretch {
    let until = Mark::Start;
    Stretch { thread, until }
}

/// Threads and steps.
fn contexts(run: &Run) -> Vec<(usize, u64)> {
    let contexts = run.schedule.contexts.iter();
    contexts.map(|c| (c.thread, c.steps)).collect()
}

fn kinds(run: &Run) -> Vec<ViolationKind> {
    run.violations.iter().map(|v| v.kind).collect()
}

fn problem(result: Result<Run, DoesNotFit>) -> String {
    match result {
        Ok(run) => panic!("fits, and ends with {:?}", run.outcome),
        Err(misfit) => misfit.to_string(),
    }
}

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

const INPUTS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_nondet_memory(void *block, size_t len);
__attribute__((constructor)) static void before(void) {
    printf("%d ", __VERIFIER_nondet_int()); /* before */
}
static int ask(void) {
    return __VERIFIER_nondet_int(); /* ask */
}
static void *worker(void *arg) {
    printf("%d ", __VERIFIER_nondet_int()); /* worker */
    return 0;
}
int main(void) {
    pthread_t t;
    char block[3];
    int *heap = malloc(sizeof *heap);
    for (int i = 0; i < 3; i++)
        printf("%d ", ask());
    __VERIFIER_nondet_memory(block, 3); /* block */
    printf("%d%d%d ", block[0], block[1], block[2]);
    printf("%d ", __VERIFIER_nondet_uchar()); /* byte */
    printf("%d ", __VERIFIER_nondet_bool()); /* bit */
    printf("%d ", *heap); /* heap */
    printf("%d ", *heap); /* same */
    pthread_create(&t, 0, worker, 0); /* create */
    pthread_join(t, 0);
    return ask() == 5;
}
"#;

#[test]
fn inputs_go_to_whoever_asks() {
    let it = Subject::new(INPUTS);
    let int = "__VERIFIER_nondet_int";
    let block = |index, value| it.input(0, "block", "__VERIFIER_nondet_memory", (1, index), value);
    let guide = Guide {
        stretches: vec![it.until(0, "create", "pthread_create", 1), end(1)],
        // The order does not matter.
        inputs: vec![
            it.input(1, "worker", int, (1, 0), 70),
            it.input(0, "ask", int, (4, 0), 5),
            it.input(0, "ask", int, (2, 0), 20),
            it.input(0, "ask", int, (1, 0), 10),
            it.input(0, "before", int, (1, 0), 1),
            block(2, 3),
            block(0, 1),
            it.input(0, "byte", "__VERIFIER_nondet_uchar", (1, 0), 0x1234),
            it.input(0, "bit", "__VERIFIER_nondet_bool", (1, 0), 2),
            it.input(0, "heap", "load", (1, 0), u128::from(u32::MAX)),
            // Nobody asks for these.
            it.input(0, "same", "load", (1, 0), 99),
            it.input(0, "worker", int, (1, 0), 99),
            it.input(1, "worker", int, (1, 1), 99),
            it.input(1, "worker", int, (2, 0), 99),
        ],
        finally: 0,
    };
    let run = it.run(&guide).expect("should fit");
    assert_eq!(run.outcome, Outcome::Exited(1));
    let output = String::from_utf8_lossy(&run.standard_output);
    // The third answer and the block's second are missing; what does not fit is
    // cut to the width, or 0.
    assert_eq!(output, "1 10 20 0 103 52 0 -1 -1 70 ");
    let of_worker = run.schedule.inputs.iter().filter(|input| input.thread == 1);
    let of_worker: Vec<_> = of_worker.map(|input| (input.kind, input.value)).collect();
    assert_eq!(of_worker, [(InputKind::Nondet, 70)]);
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

/// Runs of the explorer's test programs, at random and to each violation, come
/// out of their guides as they were.
#[test]
fn guides_along_runs_lead_the_same_way() {
    let entries = std::fs::read_dir(folder().join("regress/explore")).expect("should be there");
    let mut folders: Vec<_> = entries
        .map(|entry| entry.expect("should be readable").path())
        .collect();
    folders.sort();
    cases::check_all(
        &folders,
        |folder| folder.display().to_string(),
        |folder| {
            let program = clang::default().load(&folder.join("prog.c"), &[])?;
            // Violations that do not end a run would end the guided one early.
            let checks = [Property::Race, Property::Overflow, Property::Leak];
            let checks = checks.into_iter().fold(Checks::all(), Checks::without);
            let config = Config {
                checks,
                unwind: Some(4),
                ..Config::default()
            };
            let image = run::image(&program, &config)?;
            for seed in 0..10 {
                let run = replay::run_random(&image, &config, 7, seed, 200, true, &mut |_| true);
                compare(&image, &config, &run.schedule, seed % 2 == 0)?;
            }
            let mode = Mode {
                find_all: true,
                merge: true,
            };
            let bounds = Bounds::default();
            let mut asked = 0;
            let found = replay::explore(&image, &config, 7, &bounds, mode, &mut |_| {
                asked += 1;
                asked < 1000
            });
            for found in &found.violations {
                let run = compare(&image, &config, &found.schedule, true)?;
                if run.violations != [found.violation.clone()] {
                    return Err(format!("{:?} instead", run.violations));
                }
            }
            Ok(())
        },
    );
}

/// `is_whole` tells whether to name all inputs and the last step, or to leave
/// out what cannot make a difference.
fn compare(
    image: &Image,
    config: &Config,
    schedule: &Schedule,
    is_whole: bool,
) -> Result<Run, String> {
    let original = replay::run_schedule(image, config, schedule, true);
    let original = original.map_err(|error| error.to_string())?;
    let guide = replay::guide_along(image, config, schedule);
    let mut guide = guide.map_err(|error| error.to_string())?;
    if !is_whole {
        guide.inputs.retain(|input| input.value != 0);
    }
    if original.outcome == Outcome::ScheduleEnded {
        // The guided run goes on after the last stretch. A thread that cannot step
        // would not, but there is none for sure.
        return Ok(original);
    }
    let run = guided(image, config, &guide).map_err(|error| error.to_string())?;
    if run.schedule != *schedule || run.outcome != original.outcome || run.trace != original.trace {
        return Err(format!(
            "{schedule}with {:?} becomes\n{}with {:?}",
            original.outcome, run.schedule, run.outcome
        ));
    }
    Ok(run)
}
