//! What somebody who embeds Threadbare meets: programs from texts, answers, and
//! why there is none. Needs clang, as all tests that compile something do: it
//! fails without, and says what to run.

use std::path::PathBuf;
use tempfile::TempDir;
use threadbare::{
    Error, Options, Program, Property, Question, Reason, Schedule, Sources, Surroundings, Verdict,
};

const SPIN: &str = "
int stop;
void mystery(void);
int main(int count, char **arguments) {
    while (count != 7) count++;
    mystery();
    return stop;
}";

/// A folder with one file in it.
struct Place {
    _folder: TempDir,
    file: PathBuf,
}

fn place(name: &str, text: &str) -> Place {
    let folder = TempDir::new().expect("should make a temporary folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("should write a file");
    Place {
        _folder: folder,
        file,
    }
}

fn read(text: &str) -> Program {
    let place = place("prog.c", text);
    Program::from_file(&place.file).expect("should be a program")
}

fn example(name: &str) -> Program {
    Program::from_file(format!("../../examples/{name}")).expect("should be a program")
}

#[test]
fn ir_needs_no_compiler() {
    let text = "target triple = \"x86_64-pc-linux-gnu\"\n\
                define i32 @main() {\n  ret i32 0\n}\n";
    let program = Program::from_ir("prog.ll", text).expect("should be a program");
    let answer = Question::new(&program)
        .answer()
        .expect("should be answered");
    assert!(matches!(answer.verdict(), Verdict::Safe), "{answer}");
    assert_eq!(answer.to_string(), "safe\n");
    assert_eq!(answer.to_json()["verdict"], "safe");

    let error = Program::from_ir("prog.ll", "define").expect_err("should be refused");
    assert!(error.to_string().starts_with("prog.ll:1: "), "{error}");
}

#[test]
fn clang_says_why_it_refuses_a_program() {
    let wrong = place("prog.c", "int main(void) { return nothing; }");
    let error = Program::from_file(&wrong.file).expect_err("should be refused");
    let messages = error.clang_messages().expect("clang should say why");
    assert!(messages.contains("nothing"), "{messages}");
    assert!(!error.is_internal() && !error.is_misuse());
}

#[test]
fn options_reach_clang() {
    let source = place("prog.c", "int main(void) { return VALUE; }");
    let program = Sources::new([&source.file])
        .clang_options(["-DVALUE=0"])
        .read();
    assert!(program.is_ok(), "{program:?}");
}

#[test]
fn unknown_functions_are_told_with_their_place() {
    let unknown = read(SPIN).unknown_functions();
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].symbol, "mystery");
    let text = unknown[0].to_string();
    assert!(text.ends_with("prog.c:6)"), "{text}");
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let program = read(SPIN);
    let refused = |question: Question| {
        let error = question.answer().expect_err("should be refused");
        assert!(error.is_misuse(), "{error}");
        error
    };
    let question = || Question::new(&program);
    match refused(question().unwind_loop("main.1", 3)) {
        Error::NoSuchLoop { name, hint } => {
            assert_eq!(
                (name.as_str(), hint.as_str()),
                ("main.1", "similar: main.0")
            );
        }
        error => panic!("{error}"),
    }
    let error = refused(question().property(Property::Unwind));
    assert!(matches!(error, Error::Conflict(_)), "{error}");
    let error = refused(question().property(Property::Conversion));
    assert!(matches!(error, Error::NoConversions), "{error}");
}

#[test]
fn conversions_need_the_sources() {
    let source = place("prog.c", "int main(int n) { char c = n + 999; return c; }");
    let program = Sources::new([&source.file]).conversions().read();
    let program = program.expect("should be a program");
    let question = Question::new(&program).only([Property::Conversion]);
    let answer = question.answer().expect("should be answered");
    assert!(answer.violation().is_some(), "{answer}");

    let compiled = Sources::new(["prog.ll"]).conversions().read();
    let error = compiled.expect_err("should be refused");
    assert!(matches!(error, Error::CompiledBefore { .. }), "{error}");
}

#[test]
fn the_surroundings_are_part_of_the_question() {
    let program = read(
        "#include <assert.h>\n\
         int main(int count, char **arguments) { assert(count != 2); return 0; }",
    );
    let answer = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
        let surroundings = Surroundings {
            arguments,
            ..Surroundings::default()
        };
        let question = Question::new(&program).surroundings(surroundings);
        question.answer().expect("should be answered")
    };
    // The first is the name, which is put in.
    assert!(answer(&[]).violation().is_none());
    assert!(answer(&["any"]).violation().is_none());
    assert!(answer(&["any", "one"]).violation().is_some());
}

#[test]
fn whoever_watches_may_stop_it() {
    let program = example("philosophers.c");
    let answer = Question::new(&program).answer_watched(&|_| false);
    let answer = answer.expect("should be answered");
    let reason = answer.verdict().reason();
    assert!(matches!(reason, Some(Reason::Interrupted)), "{answer}");
}

#[test]
fn a_schedule_belongs_to_its_program() {
    let lost = example("lost-update.c");
    let answer = Question::new(&lost).answer().expect("should be answered");
    let run = answer.violation().expect("should be violated");
    let schedule = Schedule::parse(&run.schedule.to_string()).expect("should be a schedule");

    let again = Question::new(&lost).follow(&schedule, true);
    let again = again.expect("should run");
    assert_eq!(again.violations, run.violations);
    assert_eq!(again.trace.len(), run.trace.len());
    let quiet = Question::new(&lost).follow(&schedule, false);
    assert!(quiet.expect("should run").trace.is_empty());

    let other = Question::new(&example("double-free.c")).follow(&schedule, true);
    assert!(matches!(other, Err(Error::OtherProgram)), "{other:?}");
}

/// The three ways to look agree, and each violation has a run.
#[test]
fn explorations_confirm_what_they_find() {
    let question = Question::new(&example("double-free.c"));
    let schedules = question.explore_schedules(
        &Default::default(),
        threadbare::replay::Mode {
            find_all: false,
            merge: true,
        },
        &mut |_| true,
    );
    let states = question.explore_states(&Default::default(), &mut |_| true);
    for explored in [schedules, states] {
        let explored = explored.expect("should be explored");
        let found = &explored.result.violations;
        assert_eq!(found.len(), 1);
        assert_eq!(explored.replays.len(), 1);
        assert!(explored.replays[0].violations.contains(&found[0].violation));
    }
    let answer = question.answer().expect("should be answered");
    assert!(answer.violation().is_some(), "{answer}");
}

#[test]
fn slices_need_given_bounds() {
    let program = example("lost-update.c");
    let open = Question::new(&program)
        .answer()
        .expect("should be answered");
    assert!(open.to_slice_result().is_none());
    let given = Question::new(&program).rounds(1).unwind(1).answer();
    let given = given.expect("should be answered");
    assert!(given.to_slice_result().is_some());
}

/// All options at once do what the methods do.
#[test]
fn options_can_be_given_at_once() {
    let program = example("lost-update.c");
    let options = Question::new(&program)
        .contexts(4)
        .unwind(1)
        .options()
        .clone();
    let answer = Question::with(&program, options).answer();
    let answer = answer.expect("should be answered");
    assert!(matches!(answer.verdict(), Verdict::SafeUpTo(_)), "{answer}");
    let answer = Question::with(&program, Options::default()).answer();
    assert!(answer.expect("should be answered").violation().is_some());
}
