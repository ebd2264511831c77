//! Weak memory: programs whose answers under each memory model are known.
//!
//! * `litmus` has classic programs, each with a result that it asserts not to come
//!   out. The table beside them says whether it may, under each model, and why.
//! * Beside the repository there may be the programs of published tests for RC11, with
//!   the published answers; without them that test is skipped, which it says.
//! * Random programs come out as the axioms of the models say.
//!
//! Every violation is repeated from its schedule, and along the guide that is made of
//! that; and the explorer counts the same with and without recognising states.

use ir::Program;
use library::MemoryModel;
use replay::{Bounds, Checks, Conclusion, Config, Exploration, Image, Mode, Property};
use std::path::{Path, PathBuf};
use tests::oracle::weak;
use tests::{clang, folder, notice, repository, run};

/// States up to which the explorer is asked to do without recognising them.
const FEW_STATES: usize = 60;

fn config(model: MemoryModel) -> Config {
    let mut config = Config {
        checks: Checks::NONE.with(Property::Assert),
        ..Config::default()
    };
    config.surroundings.memory_model = model;
    config
}

fn load(path: &Path) -> Program {
    let loaded = clang::default().load(path, &[]);
    loaded.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn explore(image: &Image, config: &Config, merge: bool) -> Exploration {
    let mode = Mode {
        find_all: true,
        merge,
    };
    replay::explore(image, config, 0, &Bounds::default(), mode, &mut |_| true)
}

/// The answer, after everything has been repeated that can be.
fn answer(program: &Program, model: MemoryModel) -> Conclusion {
    let config = config(model);
    let image = run::image(program, &config).expect("should fit");
    let merged = explore(&image, &config, true);
    if merged.states < FEW_STATES {
        let unmerged = explore(&image, &config, false);
        assert_eq!(merged.count, unmerged.count);
        assert_eq!(merged.executions, unmerged.executions);
    }
    for found in &merged.violations {
        let again = replay::run_schedule(&image, &config, &found.schedule, false);
        let again = again.expect("the schedule should fit");
        assert_eq!(again.violations.len(), 1);
        let guide = replay::guide_along(&image, &config, &found.schedule);
        let guide = guide.expect("the schedule should have a guide");
        let guided = replay::run_guided(&image, &config, 0, &guide, false, 1_000, &mut |_| true);
        let guided = guided.expect("the guide should fit");
        assert_eq!(guided.violations, again.violations);
        assert_eq!(guided.schedule.inputs, found.schedule.inputs);
    }
    merged.conclusion()
}

#[test]
fn classic_programs_have_the_known_answers() {
    let folder = folder().join("litmus");
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("should read");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, answers @ .., _why] = columns.as_slice() else {
            panic!("{line}");
        };
        let program = load(&folder.join(format!("{name}.c")));
        for (model, expected) in MemoryModel::ALL.into_iter().zip(answers) {
            let answer = answer(&program, model).name();
            if answer != *expected {
                wrong.push(format!("{name} under {}: {answer}", model.name()));
            }
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let files = std::fs::read_dir(&folder).expect("should list");
    assert_eq!(files.count(), count + 1, "a program is not in the table");
}

#[test]
fn published_programs_have_the_published_answers() {
    let folder: PathBuf = repository().join("../shared/corpus/litmus/rc11");
    let Ok(table) = std::fs::read_to_string(folder.join("EXPECT.tsv")) else {
        notice(&format!("skipped: there is no {}", folder.display()));
        return;
    };
    let mut wrong = Vec::new();
    for line in table.lines() {
        let mut columns = line.split('\t');
        let (Some(name), Some(expected)) = (columns.next(), columns.next()) else {
            panic!("{line}");
        };
        let is_violated = answer(&load(&folder.join(name)), MemoryModel::Rc11);
        if (is_violated == Conclusion::Violated) != (expected == "violated") {
            wrong.push(name.to_owned());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn random_programs_come_out_as_the_axioms_say() {
    let seeds = 0..60;
    let wrong = seeds.filter_map(|seed| Some((seed, weak::compare(seed).err()?)));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Two threads, of which the second may read `x` only after the first has written it.
fn handed_over(globals: &str, first: &str, second: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n\
         #include <stdatomic.h>\n#include <string.h>\n\
         int x, y;\n{globals}\n\
         static void *worker(void *unused) {{ {first} return unused; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, worker, 0); {second} return 0; }}\n"
    )
}

fn load_text(text: &str) -> Program {
    let folder = tempfile::tempdir().expect("should make a temporary folder");
    let file = folder.path().join("prog.c");
    std::fs::write(&file, text).expect("should write");
    load(&file)
}

fn explore_all(program: &Program, model: MemoryModel) -> Exploration {
    let mut config = config(model);
    config.checks = Checks::default().with(Property::Race);
    let image = run::image(program, &config).expect("should fit");
    explore(&image, &config, true)
}

#[test]
fn synchronisation_objects_synchronise() {
    let mutex = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let condition = &format!("{mutex} pthread_cond_t c = PTHREAD_COND_INITIALIZER;");
    let rwlock = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;";
    let once = "pthread_once_t o = PTHREAD_ONCE_INIT; static void init(void) { x = 1; }";
    let read = "assert(x == 1);";
    let cases = [
        (
            "mutex",
            mutex,
            "x = 1; pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); int r = y; pthread_mutex_unlock(&m); if (r) assert(x == 1);",
        ),
        (
            "trylock",
            mutex,
            "x = 1; pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m);",
            "if (!pthread_mutex_trylock(&m)) { if (y) assert(x == 1); pthread_mutex_unlock(&m); }",
        ),
        (
            "condition",
            condition,
            "x = 1; pthread_mutex_lock(&m); y = 1; pthread_cond_signal(&c); \
             pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); while (!y) pthread_cond_wait(&c, &m); \
             pthread_mutex_unlock(&m); assert(x == 1);",
        ),
        (
            "rwlock",
            rwlock,
            "x = 1; pthread_rwlock_wrlock(&l); y = 1; pthread_rwlock_unlock(&l);",
            "pthread_rwlock_rdlock(&l); int r = y; pthread_rwlock_unlock(&l); if (r) assert(x == 1);",
        ),
        (
            "semaphore",
            "sem_t s; __attribute__((constructor)) static void make(void) { sem_init(&s, 0, 0); }",
            "x = 1; sem_post(&s);",
            &format!("sem_wait(&s); {read}"),
        ),
        (
            "barrier",
            "pthread_barrier_t b; __attribute__((constructor)) static void make(void) \
             { pthread_barrier_init(&b, 0, 2); }",
            "x = 1; pthread_barrier_wait(&b);",
            &format!("pthread_barrier_wait(&b); {read}"),
        ),
        (
            "once",
            once,
            "pthread_once(&o, init); assert(x == 1);",
            &format!("pthread_once(&o, init); {read}"),
        ),
        ("join", "", "x = 1;", &format!("pthread_join(t, 0); {read}")),
        (
            "spin",
            "pthread_spinlock_t s; __attribute__((constructor)) static void make(void) \
             { pthread_spin_init(&s, 0); }",
            "x = 1; pthread_spin_lock(&s); y = 1; pthread_spin_unlock(&s);",
            "pthread_spin_lock(&s); int r = y; pthread_spin_unlock(&s); if (r) assert(x == 1);",
        ),
    ];
    for (name, globals, first, second) in cases {
        let program = load_text(&handed_over(globals, first, second));
        for model in MemoryModel::ALL {
            let result = explore_all(&program, model);
            let model = model.name();
            assert_eq!(result.unsupported, [], "{name} under {model}");
            assert!(result.violations.is_empty(), "{name} under {model}");
        }
    }
}

#[test]
fn a_thread_that_waits_reads_the_same_again() {
    let wait = |condition: &str| {
        handed_over(
            "atomic_int f, g;",
            "x = 1; atomic_store_explicit(&f, 1, memory_order_release); \
             atomic_store_explicit(&g, 1, memory_order_release);",
            &format!("while ({condition}); assert(x == 1);"),
        )
    };
    let read = |name: &str| format!("!atomic_load_explicit(&{name}, memory_order_acquire)");
    let strong = |name: &str| format!("!atomic_load(&{name})");
    for condition in [
        read("f"),
        format!("{} || {}", read("f"), read("g")),
        format!("{} || {}", strong("g"), strong("f")),
    ] {
        let program = load_text(&wait(&condition));
        let result = explore_all(&program, MemoryModel::Rc11);
        assert!(result.is_endless, "{condition}");
        assert!(result.violations.is_empty(), "{condition}");
        assert_eq!(result.conclusion(), Conclusion::Safe, "{condition}");
    }
}

#[test]
fn what_no_model_says_is_not_supported() {
    let store = "atomic_store_explicit(&f, 1, memory_order_relaxed);";
    let cases = [
        // Half of what another thread writes as a whole.
        (
            "union { atomic_int whole; struct { _Atomic short low, high; } half; } u;",
            "atomic_store_explicit(&u.whole, 0x10001, memory_order_relaxed);".to_owned(),
            "int r = atomic_load_explicit(&u.half.low, memory_order_relaxed); (void)r;",
        ),
        // A library function that may read more than one value.
        (
            "atomic_int f; int a[2], b[2];",
            format!("a[0] = 1; a[1] = 2; {store}"),
            "if (atomic_load_explicit(&f, memory_order_relaxed)) memcpy(b, a, sizeof a);",
        ),
        (
            "atomic_int f; void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);",
            store.to_owned(),
            "__VERIFIER_atomic_begin(); int r = f; __VERIFIER_atomic_end(); (void)r;",
        ),
    ];
    for (globals, first, second) in cases {
        let program = load_text(&handed_over(globals, &first, second));
        let mut config = config(MemoryModel::Rc11);
        config.checks = Checks::NONE.with(Property::Assert);
        let image = run::image(&program, &config).expect("should fit");
        let result = explore(&image, &config, true);
        assert_eq!(result.conclusion(), Conclusion::Unknown, "{second}");
        let place = result.unsupported.first().and_then(|what| what.location);
        assert!(place.is_some(), "{second}");
    }
}

/// What is found under a model is found under those that allow more.
#[test]
fn a_schedule_of_interleavings_is_one_under_every_model() {
    let program = load(&folder().join("litmus/add-add.c"));
    let usual = config(MemoryModel::Sc);
    let image = run::image(&program, &usual).expect("should fit");
    let run = replay::run_random(&image, &usual, 0, 7, 1_000, false, &mut |_| true);
    for model in MemoryModel::ALL {
        let config = config(model);
        let again = replay::run_schedule(&image, &config, &run.schedule, false);
        let again = again.expect("should fit");
        assert_eq!(again.outcome, run.outcome, "{}", model.name());
        assert_eq!(again.schedule.contexts, run.schedule.contexts);
    }
}

#[test]
fn an_execution_can_be_drawn() {
    let program = load(&folder().join("litmus/SB-rlx.c"));
    let config = config(MemoryModel::Rc11);
    let image = run::image(&program, &config).expect("should fit");
    let result = explore(&image, &config, true);
    let found = result.violations.first().expect("should be violated");
    let run = replay::run_schedule(&image, &config, &found.schedule, true);
    let run = run.expect("should fit");
    let remarks = run.trace.iter().filter(|event| event.remark.is_some());
    assert!(remarks.count() > 0, "some read sees an older value");
    let picture = run.picture.expect("there is a graph");
    let text = report::render_picture(&program, &picture);
    assert!(text.starts_with("digraph"), "{text}");
    for part in [
        "write x = 1 (relaxed)",
        "read y (relaxed)",
        "label=\"rf\"",
        "join thread 2",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
