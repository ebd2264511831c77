//! Each program of `examples` has one classic mistake. The explorer finds it in
//! the fewest contexts that show it and not in fewer; the schedule survives a
//! trip through a file; and the repair that the example suggests helps.

use replay::{Bounds, Checks, Config, Exploration, Image, Limit, Mode, Property, ViolationKind};
use std::path::Path;
use tests::{clang, repository, run, witness};

/// Positive, zero and, cut to the width that is asked for, minus one.
const INPUTS: [u128; 3] = [1, 0, u128::MAX];

struct Bug {
    example: &'static str,
    kind: ViolationKind,
    /// The fewest contexts that show it.
    contexts: u32,
    /// Texts to replace in the program, and by what, to repair it.
    repair: &'static [(&'static str, &'static str)],
}

#[test]
fn lost_update() {
    // Main creates both; one gate reads, the other counts, the first goes on;
    // main looks.
    check(&Bug {
        example: "lost-update",
        kind: ViolationKind::Assertion,
        contexts: 5,
        repair: &[("static int visitors", "static _Atomic int visitors")],
    });
}

#[test]
fn philosophers() {
    // Main creates all; each of the three takes a fork.
    check(&Bug {
        example: "philosophers",
        kind: ViolationKind::Deadlock,
        contexts: 4,
        repair: &[
            (".left = &forks[i]", ".left = &forks[i < 2 ? i : 0]"),
            (
                ".right = &forks[(i + 1) % SEATS]",
                ".right = &forks[i < 2 ? i + 1 : 2]",
            ),
        ],
    });
}

#[test]
fn lost_wakeup() {
    // Main creates both; the waiter looks, the cook rings, the waiter waits.
    check(&Bug {
        example: "lost-wakeup",
        kind: ViolationKind::Deadlock,
        contexts: 4,
        repair: &[
            ("if (!ready) {", "{"),
            ("pthread_cond_wait(", "while (!ready) pthread_cond_wait("),
        ],
    });
}

#[test]
fn double_checked_locking() {
    // Main creates both; the first writes the pointer that the second, from its
    // start, is about to read.
    check(&Bug {
        example: "double-checked-locking",
        kind: ViolationKind::DataRace,
        contexts: 2,
        repair: &[(
            "static struct settings *settings",
            "static struct settings *_Atomic settings",
        )],
    });
}

#[test]
fn double_free() {
    // Main creates both; one lets go, the other does everything, the first asks.
    check(&Bug {
        example: "double-free",
        kind: ViolationKind::DoubleFree,
        contexts: 4,
        repair: &[
            ("    atomic_fetch_sub(&owners, 1);\n", ""),
            (
                "atomic_load(&owners) == 0",
                "atomic_fetch_sub(&owners, 1) == 1",
            ),
        ],
    });
}

#[test]
fn missed_unlock() {
    // Main creates both and waits for the first; the second is refused; the first
    // wants the mutex.
    check(&Bug {
        example: "missed-unlock",
        kind: ViolationKind::Deadlock,
        contexts: 3,
        repair: &[("return -1;", "{ pthread_mutex_unlock(&book); return -1; }")],
    });
}

fn check(bug: &Bug) {
    let file = repository().join(format!("examples/{}.c", bug.example));
    for clang in clang::all() {
        let name = format!("{} ({})", bug.example, clang.name());
        let program = clang.load(&file, &[]).expect(&name);
        let config = config(bug);
        let image = run::image(&program, &config).expect(&name);
        let digest = replay::digest(&program);

        let before = explore(&image, &config, digest, Some(bug.contexts - 1));
        assert!(
            before.violations.is_empty(),
            "{name}: found in fewer contexts"
        );
        assert!(
            before.limits.contains(&Limit::Contexts(bug.contexts - 1)),
            "{name}: the bound should have been noticed"
        );

        let exploration = explore(&image, &config, digest, Some(bug.contexts));
        let [found] = &exploration.violations[..] else {
            panic!("{name}: found {:?}", exploration.violations);
        };
        assert_eq!(found.violation.kind, bug.kind, "{name}");
        let contexts = found.schedule.contexts.len();
        assert!(
            contexts <= bug.contexts as usize,
            "{name}: {contexts} contexts"
        );

        let folder = tempfile::tempdir().expect("a temporary folder");
        let schedule_file = folder.path().join("schedule");
        std::fs::write(&schedule_file, found.schedule.to_string()).expect(&name);
        let text = std::fs::read_to_string(&schedule_file).expect(&name);
        let run = witness::confirm_text(&image, &config, found, &text).expect(&name);
        assert!(!run.trace.is_empty(), "{name}: the trace is empty");
    }
    check_repaired(bug, &file);
}

/// The repaired program is safe, however many contexts there are, and even when
/// waits end for no reason.
fn check_repaired(bug: &Bug, file: &Path) {
    let name = format!("{}, repaired", bug.example);
    let mut text = std::fs::read_to_string(file).expect(&name);
    for (old, new) in bug.repair {
        // Comments come first and may mention what is to be replaced.
        let (comments, code) = text.split_at(text.find("#include").unwrap_or(0));
        assert_eq!(
            code.matches(old).count(),
            1,
            "{name}: '{old}' should be there once"
        );
        text = format!("{comments}{}", code.replace(old, new));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repaired = folder.path().join("repaired.c");
    std::fs::write(&repaired, text).expect(&name);
    let program = clang::default().load(&repaired, &[]).expect(&name);
    let config = Config {
        surroundings: library::Surroundings {
            spurious_wakeups: true,
            ..Default::default()
        },
        ..config(bug)
    };
    let image = run::image(&program, &config).expect(&name);
    let exploration = explore(&image, &config, replay::digest(&program), None);
    assert!(
        exploration.violations.is_empty(),
        "{name}: {:?}",
        exploration.violations
    );
    assert_eq!(exploration.interrupted, None, "{name}");
    assert!(exploration.unsupported.is_empty(), "{name}");
    assert!(
        exploration
            .limits
            .iter()
            .all(|limit| *limit == Limit::Inputs),
        "{name}: {:?}",
        exploration.limits
    );
}

fn config(bug: &Bug) -> Config {
    Config {
        checks: Checks::NONE.with(bug.kind.property()),
        ..Config::default()
    }
}

fn explore(image: &Image, config: &Config, digest: u64, contexts: Option<u32>) -> Exploration {
    let bounds = Bounds {
        contexts,
        inputs: INPUTS.to_vec(),
        ..Bounds::default()
    };
    let mode = Mode {
        find_all: false,
        merge: true,
    };
    replay::explore(image, config, digest, &bounds, mode, &mut |_| true)
}

/// Without being told what to look for, every mistake is found.
#[test]
fn default_checks_find_all_of_them() {
    let folder = repository().join("examples");
    let entries = std::fs::read_dir(folder).expect("examples should be there");
    for entry in entries {
        let file = entry.expect("examples should be readable").path();
        let name = file.display().to_string();
        let program = clang::default().load(&file, &[]).expect(&name);
        let config = Config::default();
        assert!(!config.checks.has(Property::Leak));
        let image = run::image(&program, &config).expect(&name);
        let exploration = explore(&image, &config, replay::digest(&program), Some(5));
        assert_eq!(exploration.violations.len(), 1, "{name}");
    }
}
