//! What a verdict rests on, and what the exit code says, as users see it.

mod workplace;

use serde_json::Value;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;
use workplace::{LOST_UPDATE, Workplace, text_of};

/// Runs `check` on a program and looks for parts of what it says.
#[track_caller]
fn says(source: &str, options: &str, code: i32, expected: &[&str]) -> String {
    let place = Workplace::new();
    place.write("prog.c", source);
    let mut arguments = vec!["check", "prog.c"];
    arguments.extend(options.split(' ').filter(|word| !word.is_empty()));
    place.check(&arguments, code, expected)
}

// Functions without a body.

#[test]
fn a_reached_call_of_an_unknown_function_is_an_assumption() {
    let fills = "#include <assert.h>\nextern void fill(int *);\n\
                 int main(void) { int a = 0; fill(&a); assert(a == 0); }";
    let text = says(
        fills,
        "",
        20,
        &["provided that fill (prog.c:3) changes nothing"],
    );
    assert!(!text.contains("safe"), "{text}");
    says(
        fills,
        "--contexts 2 --unwind 1",
        0,
        &["safe provided that fill"],
    );
    says(fills, "--undefined any", 0, &["safe\n"]);
    says(fills, "--undefined error", 65, &["fill (prog.c:3)"]);
    says(fills, "--strict", 65, &["fill (prog.c:3)"]);
}

#[test]
fn a_call_that_is_never_reached_is_none() {
    let never = "extern void fill(int *);\nint x;\n\
                 int main(void) { int a = 0; if (x) fill(&a); return a; }";
    says(never, "", 0, &["safe\n"]);
    let unused = "extern int get(void);\nint other(void) { return get(); }\n\
                  int main(void) { return 0; }";
    says(unused, "", 0, &["safe\n"]);
}

#[test]
fn what_an_unknown_function_returns_is_no_violation() {
    let gets = "#include <assert.h>\nextern int get(void);\n\
                int main(void) { assert(get() != 3); }";
    let text = says(
        gets,
        "",
        20,
        &["unknown: violated if get (prog.c:3) may return 3"],
    );
    assert!(text.contains("assertion get() != 3 fails"), "{text}");
    says(gets, "--undefined any", 10, &["VIOLATED"]);
    let negative = gets.replace("!= 3", "!= -7");
    says(&negative, "", 20, &["may return -7"]);
    // An address is a value too.
    let writes = "#include <assert.h>\nint g;\nint *f(void);\n\
                  int main(void) { *f() = 1; assert(g == 0); }";
    says(writes, "", 20, &["violated if f (prog.c:4) may return"]);
}

#[test]
fn a_violation_without_the_call_is_one() {
    let both = "#include <assert.h>\nextern int get(void);\nint x;\n\
                int __VERIFIER_nondet_int(void);\n\
                int main(void) { if (__VERIFIER_nondet_int()) { assert(get() == 0); }\n\
                assert(x == 1); }";
    says(both, "", 10, &["VIOLATED prog.c:6"]);
    let effect = "#include <assert.h>\nextern void fill(int *);\n\
                  int main(void) { int a = 0; fill(&a); assert(a == 1); }";
    says(
        effect,
        "",
        20,
        &["violated if fill (prog.c:3) changes nothing"],
    );
}

#[test]
fn explore_follows_the_same_rule() {
    let place = Workplace::new();
    let gets = "#include <assert.h>\nextern int get(void);\n\
                int main(void) { assert(get() != 1); }";
    place.write("prog.c", gets);
    place.check(
        &["explore", "prog.c"],
        20,
        &["violated if get (prog.c:3) may return 1"],
    );
    // For machines as well, by both.
    for command in ["explore", "check"] {
        let output = place.threadbare(&[command, "prog.c", "--json"]);
        let json: Value = serde_json::from_slice(&output.stdout).expect("should be JSON");
        assert_eq!(json["verdict"], "unknown");
        assert_eq!(json["violations"], Value::Array(Vec::new()));
        let reason = json["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("violated if get (prog.c:3) may return 1"));
        let dependent = json["dependent_violations"].as_array().expect("a list");
        let [one] = &dependent[..] else {
            panic!("{command} has {} dependent violations", dependent.len());
        };
        assert_eq!(one["kind"], "assertion");
        assert_eq!(one["stack"][0]["location"]["line"], 3);
        let schedule = one["schedule"].as_str().expect("a schedule");
        assert!(schedule.contains("unknown-call 1"), "{schedule}");
        let call = &one["calls"][0];
        assert_eq!(
            (&call["function"], &call["returned"]),
            (&"get".into(), &"1".into())
        );
        assert_eq!(call["location"]["line"], 3);
    }
    let any = ["explore", "prog.c", "--undefined", "any"];
    place.check(&any, 10, &["VIOLATED"]);
    let output = place.threadbare(&["explore", "prog.c", "--undefined", "any", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("should be JSON");
    assert_eq!(json["dependent_violations"], Value::Array(Vec::new()));
    assert_eq!(json["reason"], Value::Null);
    place.write(
        "prog.c",
        "extern void f(void);\nint main(void) { f(); return 0; }",
    );
    place.check(&["explore", "prog.c"], 0, &["no effect of f (prog.c:2)"]);
}

#[test]
fn a_name_without_declaration_is_told_first() {
    let place = Workplace::new();
    place.write("prog.c", "int main(void) { assert(0); return 0; }\n");
    let output = place.threadbare(&["check", "prog.c"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("assert"), "{errors}");
    let first = errors.lines().next().unwrap_or("");
    assert!(first.contains("implicit"), "{errors}");
    assert_ne!(output.status.code(), Some(0), "{}", text_of(&output));
}

// Silent ends.

const DESTROYS: &str = "#include <assert.h>\n#include <pthread.h>\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    int main(void) { pthread_mutex_lock(&m);\n\
    pthread_mutex_destroy(&m);\n\
    assert(0); }";

#[test]
fn the_default_is_all_that_ends_a_thread() {
    says(DESTROYS, "", 10, &["VIOLATED prog.c:5"]);
    let array = "#include <stdlib.h>\nint main(void) { int *p = malloc(16); p[4] = 1; }";
    says(array, "", 10, &["VIOLATED prog.c:2"]);
    let division = "int zero; int main(void) { return 1 / zero; }";
    says(division, "", 10, &["VIOLATED prog.c:1", "division"]);
}

#[test]
fn silent_ends_are_named() {
    let named = "no thread stops at prog.c:5 (mutex m is destroyed";
    let text = says(
        DESTROYS,
        "--property assert",
        20,
        &[named, "--property misuse looks"],
    );
    assert!(
        text.contains("no run looks at any assertion: prog.c:6"),
        "{text}"
    );
    let array = "#include <assert.h>\nint a[4], i;\nint __VERIFIER_nondet_int(void);\n\
                 int main(void) { i = __VERIFIER_nondet_int() & 7;\n a[i] = 1;\n assert(1); }";
    let options = "--property assert --contexts 2 --unwind 1";
    says(
        array,
        options,
        0,
        &["safe provided that no thread stops at prog.c:5"],
    );
    let other = array.replace("& 7", "& 3");
    says(&other, "--property assert", 0, &["safe\n"]);
    let division = "int main(void) { int zero = 0; return 1 / zero; }";
    says(
        division,
        "--property race",
        20,
        &["--property arithmetic looks"],
    );
    // Not in the first round, and by another thread.
    let late = "#include <pthread.h>\nint x, *p;\n\
                void *w(void *a) {\n if (x == 2) *p = 1;\n return 0; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x = 1; x = 2;\n\
                pthread_join(t, 0); return 0; }";
    says(
        late,
        "--property misuse",
        20,
        &["no thread stops at prog.c:4"],
    );
}

// Assertions that nobody looks at.

#[test]
fn assertions_that_no_run_looks_at_are_listed() {
    let waits = "#include <assert.h>\n#include <pthread.h>\nint n;\n\
                 void *w(void *a) { while (n < 3) n = n + 1;\n assert(n == 3);\n return 0; }\n\
                 int main(void) { pthread_t t; pthread_create(&t, 0, w, 0);\n\
                 pthread_join(t, 0);\n assert(n >= 3);\n return 0; }";
    let small = "--rounds 2 --unwind 1";
    says(
        waits,
        small,
        0,
        &["no run within these bounds looks at any assertion: prog.c:5, prog.c:9"],
    );
    let text = says(waits, "--rounds 2 --unwind 4", 0, &["safe up to"]);
    assert!(!text.contains("looks at"), "{text}");
    let never = "#include <assert.h>\nint x;\nint main(void) {\n if (x)\n assert(x == 1);\n\
                 assert(x == 0);\n return 0; }";
    says(
        never,
        "",
        0,
        &["safe\nno run looks at the assertions: prog.c:5\n"],
    );
    let text = says(
        "#include <assert.h>\nint main(void) { assert(1); }",
        "",
        0,
        &["safe\n"],
    );
    assert!(!text.contains("assertion"), "{text}");
}

#[test]
fn machines_can_read_what_was_reached() {
    let place = Workplace::new();
    let never = "#include <assert.h>\nint x;\nint main(void) {\n if (x) {\n assert(x == 1);\n }\n\
                 assert(x == 0);\n return 0;\n}\n";
    place.write("prog.c", never);
    let output = place.threadbare(&["check", "prog.c", "--json", "--coverage", "lines.info"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("should be JSON");
    let reached: Vec<&Value> = (json["assertions"].as_array().expect("a list").iter())
        .map(|assertion| &assertion["reached"])
        .collect();
    assert_eq!(reached, [&Value::Bool(false), &Value::Bool(true)]);
    let lines = std::fs::read_to_string(place.path("lines.info")).expect("should be written");
    for part in [
        "SF:prog.c\n",
        "DA:4,1\n",
        "DA:5,0\n",
        "DA:7,1\n",
        "end_of_record\n",
    ] {
        assert!(lines.contains(part), "no {part} in\n{lines}");
    }
}

// Arguments of main.

#[test]
fn arguments_that_are_looked_at_are_named() {
    let counts = "#include <assert.h>\nint main(int argc, char **argv) { assert(argc < 2); }";
    says(
        counts,
        "",
        20,
        &["started without arguments, which prog.c:2 looks at"],
    );
    says(counts, "--arg x", 10, &["VIOLATED"]);
    let reads = "int main(int argc, char **argv) { return argv[0][0] == 'x'; }";
    says(reads, "", 20, &["looks at"]);
    let ignores = "int main(int argc, char **argv) { return 0; }";
    says(ignores, "", 0, &["safe\n"]);
    let hands_on =
        "int f(int n) { return n; }\nint main(int argc, char **argv) { return f(argc); }";
    says(hands_on, "", 20, &["prog.c:2 looks at"]);
}

#[test]
fn arguments_may_be_inputs() {
    let compares = "#include <assert.h>\n#include <string.h>\n\
                    int main(int argc, char **argv) {\n\
                    if (argc == 3) assert(strcmp(argv[2], \"no\")); return 0; }";
    let bound = "safe provided that the program has at most 1 argument of at most 8 characters, \
                 which prog.c:4 looks at";
    says(compares, "--args 1", 0, &[bound]);
    let place = Workplace::new();
    place.write("prog.c", compares);
    let check = ["check", "prog.c", "--args", "2", "--save", "s.txt"];
    place.check(&check, 10, &["VIOLATED prog.c:4", "arguments: ", "\"no\""]);
    // The schedule knows them.
    let run = ["run", "prog.c", "--property=assert", "--schedule", "s.txt"];
    place.check(&run, 10, &["VIOLATED prog.c:4"]);
    let explore = ["explore", "prog.c", "--args", "2", "--inputs", "0"];
    place.check(&explore, 0, &["inputs from {0}"]);
    let explore = ["explore", "prog.c", "--args", "2", "--inputs", "0,110,111"];
    place.check(&explore, 10, &["VIOLATED prog.c:4"]);
    place.check(&["run", "prog.c", "--args", "2"], 0, &["exit status 0"]);

    let output = place.threadbare(&["check", "prog.c", "--args", "1", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("should be JSON");
    assert_eq!(report["verdict"], "safe up to bounds");
    let names = report.to_string();
    assert!(names.contains("\"few-arguments\""), "{names}");

    let excluded = ["check", "prog.c", "--args", "1", "--arg", "x"];
    place.check(&excluded, 64, &["cannot be used with"]);
    place.check(&["check", "prog.c", "--args", "0"], 64, &["1..=64"]);
}

// Inputs that are addresses.

#[test]
fn an_input_may_be_an_address() {
    let number = "#include <assert.h>\nint g;\nunsigned long __VERIFIER_nondet_ulong(void);\n\
                  int main(void) { if (__VERIFIER_nondet_ulong() == (unsigned long)&g) assert(0); }";
    says(number, "", 10, &["VIOLATED prog.c:4"]);
    let unwritten = "#include <assert.h>\nint g;\n\
                     int main(void) { int *p; int **q = &p; if (*q == &g) assert(0); }";
    says(unwritten, "", 10, &["VIOLATED prog.c:3"]);
    let local = "#include <assert.h>\nunsigned long __VERIFIER_nondet_ulong(void);\n\
                 int main(void) { int x = 0; unsigned long n = __VERIFIER_nondet_ulong();\n\
                 if (n == (unsigned long)&x) assert(0); }";
    says(local, "", 10, &["VIOLATED prog.c:4"]);
    let block = "#include <assert.h>\n#include <stdlib.h>\n\
                 unsigned long __VERIFIER_nondet_ulong(void);\n\
                 int main(void) { char *p = malloc(8); unsigned long n = __VERIFIER_nondet_ulong();\n\
                 assert(n != (unsigned long)(p + 3)); }";
    says(block, "", 10, &["VIOLATED prog.c:5"]);
    let function = "#include <assert.h>\nvoid f(void) {}\nvoid *__VERIFIER_nondet_pointer(void);\n\
                    int main(void) { assert(__VERIFIER_nondet_pointer() != (void *)f); }";
    says(function, "", 10, &["VIOLATED prog.c:4"]);
}

// The exit code and the last line.

#[test]
fn the_verdict_survives_what_becomes_of_the_output() {
    let place = Workplace::new();
    place.write("prog.c", LOST_UPDATE);
    let shell = |line: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", line]).current_dir(place.folder.path());
        command.env("TOOL", env!("CARGO_BIN_EXE_threadbare"));
        command.output().expect("sh should start")
    };
    // Nobody reads.
    let line = "exec 3>&1; { \"$TOOL\" check prog.c; echo $? >&3; } | true";
    let output = shell(line);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "10");
    for line in [
        "\"$TOOL\" check prog.c > /dev/full",
        "\"$TOOL\" check prog.c 2> /dev/full",
        "\"$TOOL\" check prog.c --save /nowhere/file",
        "\"$TOOL\" check prog.c --rounds 3 --unwind 1 --result /nowhere/file",
        "\"$TOOL\" check prog.c --coverage /nowhere/file",
        "\"$TOOL\" check prog.c --time 18446744073709551615",
    ] {
        assert_eq!(shell(line).status.code(), Some(10), "{line}");
    }
    let output = shell("\"$TOOL\" check prog.c --save /nowhere/file");
    assert!(String::from_utf8_lossy(&output.stdout).contains("VIOLATED"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("cannot write /nowhere/file"), "{errors}");
    let swarm = "\"$TOOL\" check prog.c --rounds 3 --unwind 1 --strategy swarm \
                 --instance-time 18446744073709551615";
    assert_eq!(shell(swarm).status.code(), Some(10));
    let unknown = "\"$TOOL\" show prog.c > /dev/full";
    assert_eq!(shell(unknown).status.code(), Some(65));
}

/// No violation, and no end to it.
const ENDLESS: &str = "
#include <assert.h>
#include <pthread.h>
_Atomic unsigned even;
static void *count(void *arg) { while (1) even += 2; }
int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, count, 0);
    pthread_create(&second, 0, count, 0);
    while (1) assert(even % 2 == 0);
}
";

#[test]
fn signals_end_a_search_as_the_user_does() {
    let place = Workplace::new();
    place.write("prog.c", ENDLESS);
    place.write(
        "p.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    );
    for (signal, options, last) in [
        ("TERM", vec!["check", "prog.c"], None),
        ("HUP", vec!["check", "prog.c"], None),
        (
            "TERM",
            vec!["check", "prog.c", "--svcomp", "--prop", "p.prp"],
            Some("unknown"),
        ),
    ] {
        let mut command = place.command(&options);
        let mut child = (command.stdout(Stdio::piped()).stderr(Stdio::null()))
            .spawn()
            .expect("should start");
        // Whether it is still compiling or at work by then makes no difference.
        std::thread::sleep(Duration::from_millis(1500));
        let id = child.id().to_string();
        let killed = std::process::Command::new("kill")
            .args([&format!("-{signal}"), &id])
            .status();
        assert!(killed.is_ok_and(|status| status.success()), "{signal}");
        let mut text = String::new();
        let mut output = child.stdout.take().expect("it is piped");
        output.read_to_string(&mut text).expect("should be text");
        let status = child.wait().expect("should end");
        assert_eq!(status.code(), Some(20), "{signal}: {text}");
        assert!(text.contains("unknown: interrupted"), "{signal}: {text}");
        if let Some(last) = last {
            assert_eq!(text.lines().last(), Some(last), "{text}");
        }
    }
}

#[test]
fn ir_that_is_not_valid_is_bad_input() {
    let place = Workplace::new();
    let text =
        "define i32 @main() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n";
    place.write("prog.ll", text);
    place.check(
        &["check", "prog.ll"],
        65,
        &["prog.ll:1: LLVM IR that is not valid"],
    );
}

#[test]
fn sealed_files_cannot_be_changed() {
    let place = Workplace::new();
    place.write("prog.c", &LOST_UPDATE.replace("x == 2", "x <= 2"));
    place.write("secret", "a secret");
    place.write("other", "another");
    let check = "check prog.c --contexts 4 --unwind 1 --key secret --result r.json";
    let check: Vec<&str> = check.split(' ').collect();
    place.check(&check, 0, &["safe up to 4 contexts"]);
    place.check(
        &["combine", "r.json", "--key", "secret"],
        0,
        &["safe up to 4 contexts"],
    );
    place.check(&["combine", "r.json"], 0, &["are trusted as they are"]);
    place.check(
        &["combine", "r.json", "--key", "other"],
        65,
        &["its seal does not fit"],
    );
    let text = std::fs::read_to_string(place.path("r.json")).expect("should be written");
    place.write("r.json", &text.replace("\"seconds\": ", "\"seconds\": 1"));
    place.check(
        &["combine", "r.json", "--key", "secret"],
        65,
        &["its seal does not fit"],
    );
    let open = "check prog.c --contexts 4 --unwind 1 --result open.json";
    place.check(&open.split(' ').collect::<Vec<_>>(), 0, &["safe"]);
    place.check(
        &["combine", "open.json", "--key", "secret"],
        65,
        &["no seal"],
    );

    let search = "check prog.c --contexts 4 --unwind 1 --strategy cubes --checkpoint file --key";
    let search = |key: &'static str| -> Vec<&str> { search.split(' ').chain([key]).collect() };
    place.check(&search("secret"), 0, &["safe up to 4 contexts"]);
    place.check(&search("secret"), 0, &["safe up to 4 contexts"]);
    place.check(&search("other"), 65, &["its seal does not fit"]);
    place.write("empty", "");
    place.check(&search("empty"), 65, &["no secret"]);
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_told() {
    let place = Workplace::new();
    place.write("prog.c", &LOST_UPDATE.replace("x == 2", "x <= 2"));
    let check = "check prog.c --contexts 4 --unwind 1 --strategy cubes --checkpoint no/where";
    let check: Vec<&str> = check.split(' ').collect();
    place.check(
        &check,
        0,
        &["safe up to 4 contexts", "warning: cannot write no/where"],
    );
}
