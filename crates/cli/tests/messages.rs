//! Bad input and ordinary use from the outside: what is printed, and which exit
//! code goes with it.

mod workplace;

use workplace::{LOST_UPDATE, Workplace, text_of};

#[test]
fn a_missing_file_is_named() {
    let place = Workplace::new();
    place.check(&["run", "nowhere.c"], 65, &["cannot read nowhere.c"]);
}

#[test]
fn an_unknown_kind_of_file_is_refused() {
    let place = Workplace::new();
    place.write("prog.rs", "fn main() {}");
    place.check(&["show", "prog.rs"], 65, &["prog.rs", ".c"]);
}

#[test]
fn syntax_errors_are_those_of_clang() {
    let place = Workplace::new();
    place.write("bad.c", "int main(void) { return 0 }\n");
    place.check(&["run", "bad.c"], 65, &["bad.c:1:", "error: expected ';'"]);
}

#[test]
fn a_program_needs_main() {
    let place = Workplace::new();
    place.write("lib.c", "int f(void) { return 0; }\n");
    place.check(&["run", "lib.c"], 65, &["no function `main`"]);
}

#[test]
fn unsupported_constructs_are_errors_only_when_reached() {
    let place = Workplace::new();
    place.write(
        "asm.c",
        "int main(int argc, char **argv) {\n  if (argc > 1)\n    asm volatile(\"cpuid\" ::: \"eax\");\n  return 0;\n}\n",
    );
    place.check(&["run", "asm.c"], 0, &["exit status 0"]);
    place.check(
        &["run", "asm.c", "--arg", "x"],
        65,
        &["asm.c:3", "cpuid", "not supported"],
    );
    place.check(
        &["explore", "asm.c", "--arg", "x"],
        65,
        &["UNKNOWN", "asm.c:3", "cpuid"],
    );
}

/// Clang takes the label for a label, and the thread for a call.
#[test]
fn labels_that_start_threads_are_not_ignored() {
    let place = Workplace::new();
    place.write(
        "label.c",
        "#include <assert.h>\nint done;\nvoid work(void) { done = 1; }\nint main(void) {\n  \
         __CPROVER_ASYNC_1: work();\n  assert(done);\n  return 0;\n}\n",
    );
    for (command, code) in [("run", 65), ("explore", 65), ("check", 20)] {
        let said = ["label.c:5", "thread started by label __CPROVER_ASYNC_1"];
        place.check(&[command, "label.c"], code, &said);
    }
}

#[test]
fn wrong_usage_has_its_own_code() {
    let place = Workplace::new();
    place.check(&[], 64, &["Usage"]);
    place.check(
        &["explore", "a.c", "--contexts", "many"],
        64,
        &["--contexts"],
    );
    place.check(&["explore", "a.c", "--property", "luck"], 64, &["race"]);
    place.check(
        &["run", "--seed", "1", "--schedule", "x", "a.c"],
        64,
        &["cannot be used"],
    );
    place.check(&["--help"], 0, &["Exit codes"]);
}

#[test]
fn without_clang_the_way_out_is_told() {
    let place = Workplace::new();
    place.write("prog.c", "int main(void) { return 0; }\n");
    let output = place
        .command(&["run", "prog.c"])
        .env("PATH", place.folder.path())
        .output()
        .expect("should start");
    let text = text_of(&output);
    assert_eq!(output.status.code(), Some(65), "{text}");
    assert!(text.contains("scripts/install-clang"), "{text}");
    place.check(
        &["run", "prog.c", "--clang", "no/such/clang"],
        65,
        &["no/such/clang"],
    );
}

#[test]
fn symbols_are_resolved_as_a_linker_would() {
    let place = Workplace::new();
    place.write(
        "a.c",
        "int f(void) { return 1; }\nint main(void) { return f(); }\n",
    );
    place.write("b.c", "int f(void) { return 2; }\n");
    place.write(
        "c.c",
        "extern int missing;\nint main(void) { return missing; }\n",
    );
    place.check(
        &["run", "a.c", "b.c"],
        65,
        &["duplicate", "f", "a.c", "b.c"],
    );
    place.check(&["run", "c.c"], 65, &["missing", "c.c:2"]);
}

#[test]
fn unknown_functions_are_told_once_or_refused() {
    let place = Workplace::new();
    let source = "int mystery(int);\nint main(void) { mystery(1); return mystery(2) * 0; }\n";
    place.write("prog.c", source);
    let text = place.check(&["run", "prog.c"], 0, &["warning", "mystery", "prog.c:2"]);
    assert_eq!(text.matches("mystery").count(), 1, "{text}");
    place.check(&["run", "prog.c", "--strict"], 65, &["mystery", "--strict"]);
}

#[test]
fn a_schedule_is_saved_and_gives_the_same_run() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let arguments = [
        "explore",
        "prog.c",
        "--property",
        "assert",
        "--save",
        "bug.schedule",
    ];
    place.check(
        &arguments,
        10,
        &["VIOLATED prog.c:12", "schedule saved in bug.schedule"],
    );
    let replay = ["run", "prog.c", "--schedule", "bug.schedule", "--trace"];
    let first = place.threadbare(&replay);
    let second = place.threadbare(&replay);
    assert_eq!(first.status.code(), Some(10), "{}", text_of(&first));
    assert_eq!(first.stdout, second.stdout);
    assert!(
        text_of(&first).contains("x = 1 (was 0)"),
        "{}",
        text_of(&first)
    );
}

#[test]
fn corrupt_schedules_are_refused_with_line() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    place.check(
        &["run", "prog.c", "--schedule", "none.schedule"],
        65,
        &["cannot read none.schedule"],
    );
    let check = |text: &str, expected: &[&str]| {
        place.write("bad.schedule", text);
        place.check(
            &["run", "prog.c", "--schedule", "bad.schedule"],
            65,
            expected,
        );
    };
    check("\u{0}\u{1}garbage", &["bad.schedule", "line 1"]);
    check(
        "threadbare schedule 1\nprogram 12\ncontexts\nx y\n",
        &["line 4"],
    );
    check(
        "threadbare schedule 1\nprogram 12\ncontexts\ninputs\nend\n",
        &["another program"],
    );
}

#[test]
fn schedules_that_do_not_fit_are_refused() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let arguments = ["run", "prog.c", "--save", "ok.schedule"];
    place.threadbare(&arguments);
    let good = std::fs::read_to_string(place.path("ok.schedule")).expect("should be there");
    let head: Vec<&str> = good.lines().take(2).collect();
    let check = |rest: &str, expected: &[&str]| {
        place.write("bad.schedule", &format!("{}\n{rest}", head.join("\n")));
        place.check(
            &["run", "prog.c", "--schedule", "bad.schedule"],
            65,
            expected,
        );
    };
    check(
        "contexts\n7 1\ninputs\nend\n",
        &["does not fit", "thread 7", "does not exist"],
    );
    check(
        "contexts\n0 3\ninputs\nend\n",
        &["does not fit", "has to wait"],
    );
    check(
        "contexts\n0 2\ninputs\n0 nondet 1\nend\n",
        &["not asked for"],
    );
}

#[test]
fn results_can_be_read_by_machines() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let output = place.threadbare(&["explore", "prog.c", "--all", "--json"]);
    assert_eq!(output.status.code(), Some(10));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("should be JSON");
    assert_eq!(json["verdict"], "violated");
    assert_eq!(json["endless"], false);
    let kinds: Vec<&str> = json["violations"]
        .as_array()
        .expect("should be a list")
        .iter()
        .filter_map(|violation| violation["kind"].as_str())
        .collect();
    assert!(
        kinds.contains(&"assertion") && kinds.contains(&"data-race"),
        "{kinds:?}"
    );
}

#[test]
fn several_files_make_one_program() {
    let place = Workplace::new();
    place.write(
        "main.c",
        "int twice(int);\nint main(void) { return twice(FOUR); }\n",
    );
    place.write("twice.c", "int twice(int x) { return 2 * x; }\n");
    place.check(
        &["run", "main.c", "twice.c", "-DFOUR=4"],
        0,
        &["exit status 8"],
    );
}

#[test]
fn compile_commands_say_how_to_compile() {
    let place = Workplace::new();
    place.write("prog.c", "int main(void) { return VALUE; }\n");
    let folder = place.folder.path().display();
    place.write(
        "compile_commands.json",
        &format!(
            r#"[{{"directory": "{folder}", "command": "cc -DVALUE=7 -O2 -c prog.c -o prog.o", "file": "prog.c"}}]"#
        ),
    );
    place.check(&["run", "prog.c", "--build", "."], 0, &["exit status 7"]);
    place.check(&["run", "--build", "."], 0, &["exit status 7"]);
    place.write("other.c", "int main(void) { return 0; }\n");
    place.check(
        &["run", "other.c", "--build", "."],
        65,
        &["other.c", "not listed"],
    );
    place.check(&["run", "prog.c", "--build", "nowhere"], 65, &["nowhere"]);
}

#[test]
fn traces_show_steps_in_the_users_terms() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let text = place.check(
        &["run", "prog.c", "--trace", "--property", "deadlock"],
        0,
        &[
            "create thread 1 (worker)",
            "join thread 2",
            "prog.c:5",
            "x = 1 (was 0)",
        ],
    );
    assert!(!text.contains("heap"), "{text}");
}

#[test]
fn a_time_limit_ends_in_unknown() {
    let place = Workplace::new();
    place.write(
        "prog.c",
        "#include <pthread.h>\nint x;\nstatic void *w(void *a) { for (;;) x++; }\n\
         int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, w, 0);\n\
         for (;;) x += 3; }\n",
    );
    // On a busy machine, it may be the guard who tells.
    let text = place.check(
        &["explore", "prog.c", "--property", "assert", "--time", "1"],
        20,
        &[],
    );
    assert!(text.to_lowercase().contains("unknown"), "{text}");
    place.check(
        &[
            "explore",
            "prog.c",
            "--property",
            "assert",
            "--max-states",
            "1000",
        ],
        20,
        &["UNKNOWN", "too many states"],
    );
}

/// main has its two creates. The second comes after 0, 1 or 2 steps of thread 1,
/// whose other steps mix with the two of thread 2: 6 + 3 + 1.
#[test]
fn steps_of_each_thread_can_be_bounded() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let mut arguments = vec!["explore", "prog.c", "--property", "assert", "--steps", "2"];
    let expected = [
        "SAFE UP TO BOUNDS",
        "2 steps of each thread",
        "10 schedules (10 cut)",
    ];
    place.check(&arguments, 0, &expected);
    arguments.push("--no-merge");
    place.check(&arguments, 0, &expected);
}

#[test]
fn allocations_fail_only_if_they_may() {
    let place = Workplace::new();
    let source = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; free(p); }\n";
    place.write("prog.c", source);
    place.check(&["explore", "prog.c"], 0, &["SAFE no schedule"]);
    place.check(
        &["explore", "prog.c", "--malloc-may-fail"],
        10,
        &["VIOLATED prog.c:2", "null pointer"],
    );
}

#[test]
fn bounds_on_inputs_are_told_as_they_were_given() {
    let place = Workplace::new();
    let source = "int __VERIFIER_nondet_int(void);\n\
                  int main(void) { return __VERIFIER_nondet_int() == 7; }\n";
    place.write("prog.c", source);
    place.check(
        &["explore", "prog.c", "--inputs=-1,7"],
        0,
        &["inputs from {-1, 7}", "2 schedules"],
    );
    place.check(&["run", "prog.c", "--seed", "5"], 0, &["seed 5"]);
}
