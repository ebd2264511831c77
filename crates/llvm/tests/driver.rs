//! Files, clang and compilation databases.

mod common;

use common::{clangs, global, options, write};
use llvm::{Error, Options, load};
use std::path::{Path, PathBuf};

const MAIN: &str = "int main(void) { return 0; }\n";

fn error(files: &[PathBuf], options: &Options) -> Error {
    match load(files, options) {
        Ok(_) => panic!("loaded"),
        Err(error) => error,
    }
}

#[test]
fn files_that_cannot_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let default = Options::default();
    let missing = directory.path().join("missing.c");
    assert!(matches!(
        error(&[missing], &default),
        Error::Unreadable { .. }
    ));
    let missing = directory.path().join("missing.ll");
    assert!(matches!(
        error(&[missing], &default),
        Error::Unreadable { .. }
    ));
    let strange = write(directory.path(), "a.o", "");
    assert!(matches!(
        error(&[strange], &default),
        Error::UnknownExtension { .. }
    ));
    let folder = directory.path().join("folder.c");
    std::fs::create_dir(&folder).unwrap();
    assert!(matches!(
        error(&[folder], &default),
        Error::Unreadable { .. }
    ));
    assert!(matches!(error(&[], &default), Error::NoFiles));
}

#[test]
fn a_missing_clang_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(directory.path(), "a.c", MAIN);
    let options = options(Path::new("/nonexistent/clang"), &[]);
    let message = error(&[file], &options).to_string();
    assert!(message.contains("/nonexistent/clang"), "{message}");
    assert!(message.contains("scripts/install-clang"), "{message}");
}

#[test]
fn ir_files_need_no_clang() {
    let directory = tempfile::tempdir().unwrap();
    let text = "define i32 @main() {\n  ret i32 0\n}\n";
    let file = write(directory.path(), "a.ll", text);
    let loaded = load(&[file], &options(Path::new("/nonexistent/clang"), &[])).unwrap();
    assert_eq!(loaded.program.functions.len(), 1);
}

#[test]
fn compiler_errors_are_passed_on() {
    for clang in clangs() {
        let directory = tempfile::tempdir().unwrap();
        let file = write(directory.path(), "a.c", "int main(void) { return x; }\n");
        let Error::ClangFailed { stderr, .. } = error(&[file], &options(&clang, &[])) else {
            panic!();
        };
        assert!(
            stderr.contains("a.c:1:25: error: use of undeclared identifier 'x'"),
            "{stderr}"
        );
    }
}

#[test]
fn flags_reach_clang_in_order() {
    for clang in clangs() {
        let directory = tempfile::tempdir().unwrap();
        let file = write(
            directory.path(),
            "a.c",
            "long x = N;\nint main(void) { return 0; }\n",
        );
        let loaded = load(
            &[file],
            &options(&clang, &["-m32", "-DN=1", "-UN", "-DN=2"]),
        )
        .unwrap();
        assert_eq!(loaded.program.target.pointer_bytes, 4);
        let x = global(&loaded.program, "x");
        assert_eq!(x.bytes, 4);
        assert!(matches!(&x.initial, ir::Initial::Bytes { bytes, .. } if bytes == &[2, 0, 0, 0]));
    }
}

#[test]
fn paths_are_shown_as_typed() {
    for clang in clangs() {
        let directory = tempfile::tempdir().unwrap();
        let header = "static inline int twice(int x) { return 2 * x; }\n";
        write(directory.path(), "include/twice.h", header);
        let text = "#include \"twice.h\"\nint main(void) { return twice(2); }\n";
        let file = write(directory.path(), "src/a.c", text);
        let include = format!("-I{}", directory.path().join("include").display());
        let loaded = load(std::slice::from_ref(&file), &options(&clang, &[&include])).unwrap();
        let files: Vec<_> = loaded.program.files.values().cloned().collect();
        let header = directory.path().join("include/twice.h");
        assert_eq!(
            files,
            [file.display().to_string(), header.display().to_string()]
        );
    }
}

#[test]
fn duplicates_are_reported_with_their_lines() {
    for clang in clangs() {
        let directory = tempfile::tempdir().unwrap();
        let first = write(
            directory.path(),
            "a.c",
            "\nint f(void) { return 1; }\nint main(void) { return f(); }\n",
        );
        let second = write(directory.path(), "b.c", "int f(void) { return 2; }\n");
        let message = error(&[first.clone(), second.clone()], &options(&clang, &[])).to_string();
        let expected = format!(
            "duplicate definition of `f`: in {}:2 and in {}:1",
            first.display(),
            second.display()
        );
        assert_eq!(message, expected);
    }
}

#[test]
fn undefined_data_is_reported_with_its_line() {
    for clang in clangs() {
        let directory = tempfile::tempdir().unwrap();
        let file = write(
            directory.path(),
            "a.c",
            "extern int x, y;\nint *p = &y;\nint main(void) {\n  return x;\n}\n",
        );
        let message = error(std::slice::from_ref(&file), &options(&clang, &[])).to_string();
        let file = file.display();
        let expected = format!(
            "{file}:2: in `p`: undefined reference to `y`\n{file}:4: in `main`: undefined reference to `x`"
        );
        assert_eq!(message, expected);
    }
}

fn with_database(clang: &Path, directory: &Path, json: &str) -> Options {
    write(directory, "build/compile_commands.json", json);
    Options {
        build_dir: Some(directory.join("build")),
        ..options(clang, &[])
    }
}

#[test]
fn compile_commands() {
    for clang in clangs() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let main = write(
            &root,
            "src/main.c",
            "#include \"n.h\"\nint x = N;\nextern char text[];\nint main(void) { return text[0]; }\n",
        );
        write(&root, "src/text.c", "char text[] = TEXT;\n");
        write(&root, "include/n.h", "#define N 5\n");
        let json = format!(
            r#"[{{"directory": "{root}/build", "file": "../src/main.c",
                 "command": "/usr/bin/cc -I../include -O2 -MD -MF x.d -o main.o -c ../src/main.c"}},
                {{"directory": "{root}", "file": "src/text.c",
                 "arguments": ["gcc", "-DTEXT=\"a b\"", "-c", "src/text.c"]}}]"#,
            root = root.display()
        );
        let options = with_database(&clang, &root, &json);
        let all = load(&[], &options).unwrap();
        assert_eq!(global(&all.program, "x").bytes, 4);
        assert_eq!(global(&all.program, "text").bytes, 4);
        // In the user's words: the path given, not the one in the database.
        let files = [main.clone(), root.join("src/text.c")];
        let given = load(&files, &options).unwrap();
        let shown: Vec<_> = given.program.files.values().cloned().collect();
        assert_eq!(shown[0], main.display().to_string());
        assert_eq!(shown[1], files[1].display().to_string());
        let other = write(&root, "src/other.c", MAIN);
        assert!(matches!(
            error(&[other], &options),
            Error::NotInCompileCommands { .. }
        ));
    }
}

#[test]
fn broken_compile_commands() {
    let directory = tempfile::tempdir().unwrap();
    let missing = Options {
        build_dir: Some(directory.path().join("nothing")),
        ..Options::default()
    };
    assert!(matches!(
        error(&[], &missing),
        Error::CompileCommands { .. }
    ));
    let clang = Path::new("clang");
    for json in [
        "{",
        "[{}]",
        r#"[{"directory": "/", "file": "a.c"}]"#,
        r#"[{"directory": "/", "file": "a.c", "command": "cc 'a.c"}]"#,
    ] {
        let options = with_database(clang, directory.path(), json);
        assert!(
            matches!(error(&[], &options), Error::CompileCommands { .. }),
            "{json}"
        );
    }
}

/// C's `inline` functions have no body in unoptimised code, but calling them
/// means their definition, with the file's own static variables.
#[test]
fn inline_functions_keep_their_bodies() {
    let source = "static int calls;\n\
                  inline int twice(int x) { calls++; return 2 * x; }\n\
                  int unknown(void);\n\
                  int main(void) { unknown(); return twice(calls); }\n";
    for clang in clangs() {
        let directory = tempfile::tempdir().unwrap();
        let file = write(directory.path(), "a.c", source);
        let mut options = options(&clang, &[]);
        let symbols = |options: &Options| -> Vec<String> {
            let loaded = load(std::slice::from_ref(&file), options).unwrap();
            let undefined = loaded.undefined.iter();
            undefined.map(|function| function.symbol.clone()).collect()
        };
        assert_eq!(symbols(&options), ["unknown", "twice"]);
        options.is_known_function = |symbol| symbol == "printf";
        assert_eq!(symbols(&options), ["unknown"]);
        options.is_known_function = |_| true;
        assert_eq!(symbols(&options), ["unknown", "twice"]);
    }
}
