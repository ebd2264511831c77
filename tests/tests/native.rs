//! Every program of `tests/native` does in the interpreter what it does on the
//! machine: the same bytes on its standard output and the same exit status, and
//! nothing that Threadbare would complain about.
//!
//! Most programs are single-threaded; what the others print does not depend on the
//! schedule. Each says in its first line what it is about; the ones whose second
//! line is `// also: -m32` run for 32 bits too.

use std::path::{Path, PathBuf};
use tests::clang::{self, Clang};
use tests::{cases, folder, run};

struct Case {
    source: PathBuf,
    clang: &'static Clang,
    args: Vec<String>,
}

#[test]
fn programs_do_the_same_as_natively() {
    let mut all = Vec::new();
    for source in sources() {
        let also_32_bits = wants_32_bits(&source);
        for clang in clang::all() {
            let mut add = |args: &[String]| {
                all.push(Case {
                    source: source.clone(),
                    clang,
                    args: args.to_vec(),
                });
            };
            add(&[]);
            if also_32_bits && clang.has_32_bits {
                add(&["-m32".to_owned()]);
            }
        }
    }
    cases::check_all(&all, name, |case| {
        run::compare(case.clang, &case.source, &case.args)
    });
}

fn sources() -> Vec<PathBuf> {
    let folder = folder().join("native");
    let entries = std::fs::read_dir(&folder).expect("tests/native should be there");
    let mut sources: Vec<PathBuf> = entries
        .map(|entry| entry.expect("tests/native should be readable").path())
        .collect();
    sources.sort();
    for source in &sources {
        assert!(
            source.extension().is_some_and(|extension| extension == "c"),
            "{} is not a C program",
            source.display()
        );
    }
    sources
}

fn wants_32_bits(source: &Path) -> bool {
    let text = std::fs::read_to_string(source).expect("a program should be readable");
    let mut lines = text.lines();
    let name = source.display();
    assert!(
        lines.next().is_some_and(|line| line.starts_with("// ")),
        "{name}: the first line should say what the program is about"
    );
    let is_marked = lines.next() == Some("// also: -m32");
    let n_marks = text.matches("// also:").count();
    assert_eq!(
        n_marks,
        usize::from(is_marked),
        "{name}: only `// also: -m32`, as second line"
    );
    is_marked
}

fn name(case: &Case) -> String {
    let file = case.source.file_name().unwrap_or_default();
    let args: String = case.args.iter().map(|arg| format!(" {arg}")).collect();
    format!("{} ({}{args})", file.display(), case.clang.name())
}

/// A program that does something else each time it is run elsewhere must fail.
#[test]
fn differences_are_noticed() {
    let check = |statement: &str, expected: &str| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join("different.c");
        let text =
            format!("#include <stdio.h>\nint main(int argc, char **argv) {{ {statement} }}\n");
        std::fs::write(&source, text).expect("should be writable");
        let error = run::compare(clang::default(), &source, &[]).expect_err(statement);
        assert!(error.contains(expected), "{error}");
    };
    // The interpreter gives programs a name of its own.
    check("puts(argv[0]); return 0;", "different output, line 1");
    check("return argv[0][0];", "ends with exit status");
    check("int x = argc - 1; return 1 / x;", "division-by-zero");
}
