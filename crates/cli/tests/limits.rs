//! Limits and interruptions hold wherever the process is, and what a time-out tells.
//!
//! Times are generous: the machine may be busy. What hangs, hangs for much longer.

mod workplace;

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};
use workplace::{LOST_UPDATE, Workplace, text_of};

/// Nothing that is ended takes so long.
const SOON: Duration = Duration::from_secs(40);

/// A folder with a program and a compiler that does something else.
fn with_compiler(script: &str) -> Workplace {
    let place = Workplace::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    let version = "if [ \"$1\" = --version ]; then echo clang version 14.0.6; exit 0; fi";
    let path = place.write("clang", &format!("#!/bin/sh\n{version}\n{script}\n"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, mode).expect("should be ours");
    place
}

/// Whether a process that has noted its number in a file is gone soon.
fn ends(place: &Workplace, note: &str) -> bool {
    let start = Instant::now();
    let number = loop {
        let text = std::fs::read_to_string(place.path(note)).unwrap_or_default();
        if let Ok(number) = text.trim().parse::<u32>() {
            break number;
        }
        assert!(start.elapsed() < SOON, "it never began");
    };
    while start.elapsed() < SOON {
        let state = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z") {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_compiler_that_hangs_is_ended_with_its_children() {
    let place = with_compiler("sleep 120 & echo $! > note; sleep 120");
    for command in ["check", "show", "run", "explore"] {
        let start = Instant::now();
        place.check(
            &[command, "a.c", "--clang", "./clang", "--time", "1"],
            20,
            &["unknown: the time is over (while clang compiles a.c)"],
        );
        assert!(start.elapsed() < SOON, "{command}");
        assert!(ends(&place, "note"), "{command}");
    }
    let text = place.check(
        &[
            "check", "a.c", "--clang", "./clang", "--time", "1", "--json",
        ],
        20,
        &[],
    );
    let json: Value = serde_json::from_str(&text).expect("should be JSON");
    assert_eq!(json["verdict"], "unknown");
}

#[test]
fn nobody_waits_for_what_a_compiler_leaves_behind() {
    let place = with_compiler("sleep 120 & echo $! > note; exec clang \"$@\"");
    let start = Instant::now();
    place.check(&["check", "a.c", "--clang", "./clang"], 0, &["safe"]);
    assert!(start.elapsed() < SOON);
    assert!(ends(&place, "note"));
}

#[test]
fn a_compiler_that_eats_memory_is_ended() {
    let endless = "BEGIN { while (1) a[n++] = \"some text that takes memory\" n }";
    let place = with_compiler(&format!("exec awk '{endless}'"));
    place.check(
        &["check", "a.c", "--clang", "./clang", "--memory", "150M"],
        20,
        &["unknown: the limit on memory was reached (while clang compiles a.c)"],
    );
}

#[test]
fn an_interruption_ends_the_compiler() {
    let place = with_compiler("echo $$ > note; exec sleep 120");
    let mut command = place.command(&["check", "a.c", "--clang", "./clang"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("should start");
    let start = Instant::now();
    while !place.path("note").exists() && start.elapsed() < SOON {
        std::thread::sleep(Duration::from_millis(20));
    }
    let signal = std::process::Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(signal.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it is ours");
    assert_eq!(output.status.code(), Some(20), "{}", text_of(&output));
    assert!(text_of(&output).contains("unknown: interrupted (while clang compiles a.c)"));
    assert!(ends(&place, "note"));
}

#[test]
fn inputs_are_regular_files() {
    let place = Workplace::new();
    let pipe = std::process::Command::new("mkfifo")
        .args([place.path("pipe.c"), place.path("pipe.ll")])
        .status();
    assert!(pipe.is_ok_and(|status| status.success()));
    std::os::unix::fs::symlink("/dev/zero", place.path("zero.ll")).expect("should link");
    let large = std::fs::File::create(place.path("large.ll")).expect("should make a file");
    large.set_len(1 << 40).expect("should be sparse");
    for (file, problem) in [
        ("pipe.c", "is not a regular file"),
        ("pipe.ll", "is not a regular file"),
        ("zero.ll", "is not a regular file"),
        ("large.ll", "has more than 256 MiB"),
    ] {
        place.check(&["check", file], 65, &[problem]);
    }
    place.write("prog.c", LOST_UPDATE);
    place.check(
        &["run", "prog.c", "--schedule", "pipe.c"],
        65,
        &["is not a regular file"],
    );
}

#[test]
fn a_build_cannot_make_the_compiler_do_more_than_compile() {
    let place = Workplace::new();
    place.write("-x.c", "int main(void) { return X; }\n");
    place.write("flags", "-DX=1 -fplugin=./evil.so\n");
    let arguments = [
        "cc",
        "-DX=0",
        "-fplugin=./evil.so",
        "-Xclang",
        "-load",
        "-Xclang",
        "./evil.so",
        "-save-temps",
        "-Wp,-MD,written",
        "--serialize-diagnostics",
        "written",
        "@flags",
        "-c",
        "-x.c",
    ];
    let entry = serde_json::json!([{
        "directory": place.folder.path(), "file": "-x.c", "arguments": arguments,
    }]);
    place.write("compile_commands.json", &entry.to_string());
    place.check(
        &["check", "--build", "."],
        0,
        &[
            "safe",
            "note: flags of compile_commands.json that were not taken",
            "-fplugin=./evil.so",
        ],
    );
    let left: Vec<_> = std::fs::read_dir(place.folder.path())
        .expect("it is ours")
        .flatten()
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
    // Whoever trusts it gets what it says.
    place.check(
        &["check", "--build", ".", "--trust-build"],
        65,
        &["evil.so"],
    );
}

/// More states and iterations than anybody can get through; outside of the lock, `x`
/// and `y` are the same.
const ENDLESS: &str = "#include <assert.h>\n#include <pthread.h>\nunsigned x, y;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    static void *worker(void *arg) { for (;;) { pthread_mutex_lock(&m); x = 3 * x + 1;\n\
    y = 3 * y + 1; pthread_mutex_unlock(&m); } }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, worker, 0);\n\
    pthread_create(&b, 0, worker, 0); pthread_mutex_lock(&m); assert(x == y);\n\
    pthread_mutex_unlock(&m); return 0; }\n";

#[test]
fn a_time_out_tells_how_far_things_are() {
    let place = Workplace::new();
    place.write("prog.c", ENDLESS);
    place.check(
        &["check", "prog.c", "--property", "assert", "--time", "5"],
        20,
        &[
            "unknown: the time is over\n",
            "nothing goes wrong within: ",
            "iteration",
            "most of the formulas comes from: ",
            "loop worker.0 (prog.c:5), ",
            "to try: --",
        ],
    );
    let text = place.check(
        &[
            "check",
            "prog.c",
            "--property",
            "assert",
            "--time",
            "5",
            "--json",
        ],
        20,
        &[],
    );
    let json: Value = serde_json::from_str(&text).expect("should be JSON");
    let progress = &json["progress"];
    assert!(
        progress["closed"][0]["iterations"].is_number(),
        "{progress}"
    );
    let costs = progress["costs"].as_array().expect("should be a list");
    assert!(
        costs.iter().any(|cost| cost["name"] == "worker.0"),
        "{progress}"
    );
    assert!(progress["advice"][0].is_string());
}

#[test]
fn memory_is_kept_to_where_nobody_asks() {
    let place = Workplace::new();
    let threads = "#include <pthread.h>\nint x;\nstatic void *f(void *p) { x++; return 0; }\n\
                   int main(void) { for (;;) { pthread_t t; pthread_create(&t, 0, f, 0); } }\n";
    place.write("prog.c", threads);
    place.check(
        &[
            "run",
            "prog.c",
            "--property",
            "assert",
            "--steps",
            "1000000000",
            "--memory",
            "120M",
            "--time",
            "60",
        ],
        20,
        &[],
    );
}
