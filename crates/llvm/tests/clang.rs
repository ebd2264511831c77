//! C and C++ through every clang that is installed.

mod common;

use common::{clangs, compile, function, global, ops, options};
use ir::{Constant, Op, Operand, SourceType, Terminator, describe_offset};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn load(clang: &Path, args: &[&str], file: PathBuf) -> llvm::Loaded {
    let loaded = llvm::load(&[file], &options(clang, args));
    loaded.unwrap_or_else(|error| match error {
        llvm::Error::ClangFailed { stderr, .. } => panic!("{}: {stderr}", clang.display()),
        error => panic!("{}: {error}", clang.display()),
    })
}

#[test]
fn many_features_of_c() {
    for clang in clangs() {
        for bits in ["-m64", "-m32"] {
            let loaded = load(&clang, &[bits], data("features.c"));
            let program = &loaded.program;
            let unsupported: Vec<_> = loaded.unsupported.iter().map(|u| u.what.as_str()).collect();
            assert!(unsupported.is_empty(), "{bits}: {unsupported:?}");
            let symbols: Vec<_> = loaded.undefined.iter().map(|u| u.symbol.as_str()).collect();
            for symbol in ["pthread_create", "malloc", "memset", "printf", "fprintf"] {
                assert!(symbols.contains(&symbol), "{symbols:?}");
            }
            let created = loaded
                .undefined
                .iter()
                .find(|u| u.symbol == "pthread_create")
                .unwrap();
            let location = program.describe_location(created.location.unwrap());
            assert!(
                location.ends_with("tests/data/features.c:171"),
                "{location}"
            );
            assert_eq!(program.startup.len(), 1);
            assert_eq!(program.cleanup.len(), 1);
            assert!(global(program, "per_thread").is_thread_local);
            let runs = global(program, "worker.runs");
            assert_eq!(runs.name.as_deref(), Some("runs"));
            assert_eq!(runs.function.as_deref(), Some("worker"));
        }
    }
}

#[test]
fn preprocessed_files_give_no_warnings() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("prog.i");
    std::fs::write(&file, "int main(void) { return 0; }\n").expect("a program should be writable");
    for clang in clangs() {
        let loaded = load(&clang, &[], file.clone());
        assert_eq!(loaded.clang_messages, "", "{}", clang.display());
    }
}

#[test]
fn places_inside_variables_have_names() {
    for clang in clangs() {
        let loaded = load(&clang, &["-m32"], data("features.c"));
        let program = &loaded.program;
        let nodes = global(program, "nodes");
        assert_eq!(nodes.bytes, 48);
        let place = describe_offset(program, nodes.ty.unwrap(), 20, 4);
        assert_eq!(place.path, "[1].next");
        let main = function(program, "main").body.as_ref().unwrap();
        let local = |name: &str| {
            main.locals
                .values()
                .find(|local| local.name == name)
                .unwrap()
        };
        let record = local("record").ty.unwrap();
        assert_eq!(program.source_size(record), Some(16));
        assert_eq!(describe_offset(program, record, 4, 8).path, ".wide");
        assert_eq!(describe_offset(program, record, 12, 4).path, ".real");
        let Some(SourceType::Array { count: Some(2), .. }) =
            local("threads").ty.map(|ty| &program.source_types[ty])
        else {
            panic!();
        };
        let colour = program.source_types.values().find_map(|ty| match ty {
            SourceType::Enum {
                name: Some(name),
                values,
                ..
            } if name == "colour" => Some(values),
            _ => None,
        });
        let expected = [("RED", 0), ("GREEN", 5), ("BLUE", -2)];
        let expected = expected.map(|(name, value)| (name.to_owned(), value));
        assert_eq!(colour.unwrap(), &expected);
    }
}

#[test]
fn element_pointers_know_their_records() {
    for clang in clangs() {
        let loaded = load(&clang, &[], data("features.c"));
        let mut names = Vec::new();
        for op in ops(&loaded.program, "test") {
            if let Op::Offset {
                record: Some(record),
                ..
            } = op
                && let SourceType::Record {
                    name: Some(name), ..
                } = &loaded.program.source_types[*record]
            {
                names.push(name.clone());
            }
        }
        assert!(
            !names.is_empty() && names.iter().all(|name| name == "node"),
            "{names:?}"
        );
    }
}

#[test]
fn switch_cases_have_the_width_of_the_value() {
    for clang in clangs() {
        let loaded = load(&clang, &[], data("features.c"));
        let body = function(&loaded.program, "choose").body.as_ref().unwrap();
        let cases = body
            .blocks
            .values()
            .find_map(|block| match &block.terminator {
                Terminator::Switch { cases, .. } => Some(cases),
                _ => None,
            });
        let values: Vec<_> = cases.unwrap().iter().map(|(value, _)| *value).collect();
        assert_eq!(values, [0, 1, 2, 3, 0xffff_ffff]);
    }
}

#[test]
fn many_features_of_cpp() {
    for clang in clangs() {
        let loaded = load(&clang, &["-std=c++17"], data("features.cpp"));
        let program = &loaded.program;
        assert_eq!(program.startup.len(), 1);
        let names: Vec<_> = program
            .functions
            .values()
            .map(|f| f.name.as_str())
            .collect();
        for name in [
            "shapes::Square::area",
            "Stack<int>::push",
            "larger<int>",
            "guarded",
        ] {
            assert!(names.contains(&name), "{names:?}");
        }
        let symbols: Vec<_> = loaded.undefined.iter().map(|u| u.symbol.as_str()).collect();
        assert!(symbols.contains(&"_Znwm"), "{symbols:?}");
        let only_exceptions = loaded.unsupported.iter().all(|unsupported| {
            unsupported.what.contains("exception") || unsupported.what.contains("llvm.eh.")
        });
        assert!(only_exceptions, "{:?}", loaded.unsupported);
    }
}

#[test]
fn old_c_is_accepted_and_messages_are_kept() {
    for clang in clangs() {
        let text = "int *p;\nint main() { undeclared(1); p = 5; return 0; }\n";
        let loaded = compile(&clang, &["-std=gnu11"], text);
        assert!(
            loaded.clang_messages.contains("undeclared"),
            "{}",
            loaded.clang_messages
        );
        assert!(!loaded.clang_messages.contains("unknown warning"));
        assert_eq!(loaded.undefined[0].symbol, "undeclared");
        let quiet = compile(&clang, &[], "int main(void) { return 0; }\n");
        assert_eq!(quiet.clang_messages, "");
    }
}

#[test]
fn undefined_scalars_are_any_value() {
    for clang in clangs() {
        let text = "int f(int x) { __asm__(\"\" : \"+r\"(x)); return x; }\nint main(void) { int y; __asm__(\"\" : \"=r\"(y)); return f(y); }\n";
        let loaded = compile(&clang, &[], text);
        assert!(loaded.unsupported.is_empty(), "{:?}", loaded.unsupported);
        assert!(
            ops(&loaded.program, "main")
                .iter()
                .any(|op| matches!(op, Op::Any))
        );
        assert!(
            !ops(&loaded.program, "f")
                .iter()
                .any(|op| matches!(op, Op::Any))
        );
    }
}

#[test]
fn small_structs_travel_in_registers() {
    for clang in clangs() {
        let text = "struct point { float x, y; };\nstruct point swap(struct point p) { struct point q = {p.y, p.x}; return q; }\nint main(void) { struct point p = {1, 2}; return swap(p).x; }\n";
        let loaded = compile(&clang, &[], text);
        assert!(loaded.unsupported.is_empty(), "{:?}", loaded.unsupported);
        assert!(matches!(
            function(&loaded.program, "swap").result,
            Some(ir::Type::Tuple(_))
        ));
    }
}

#[test]
fn null_constants_are_interned_once() {
    for clang in clangs() {
        let loaded = compile(
            &clang,
            &[],
            "int *p, *q;\nint main(void) { p = 0; q = 0; return 0; }\n",
        );
        let stored: Vec<Operand> = ops(&loaded.program, "main")
            .iter()
            .filter_map(|op| match op {
                Op::Store { value, .. } => Some(*value),
                _ => None,
            })
            .collect();
        assert_eq!(stored[1], stored[2]);
        let Operand::Const(id) = stored[1] else {
            panic!();
        };
        assert_eq!(*loaded.program.constant(id), Constant::Null);
    }
}

#[test]
fn the_same_file_gives_the_same_program() {
    for clang in clangs() {
        let texts: Vec<_> = (0..2)
            .map(|_| load(&clang, &[], data("features.c")).program.to_string())
            .collect();
        assert_eq!(texts[0], texts[1]);
    }
}

#[test]
fn all_native_test_programs_load() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/native");
    let Ok(entries) = std::fs::read_dir(directory) else {
        eprintln!("skipped: no native test programs");
        return;
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    // Compiling takes its time, so the clangs share the files.
    let clangs = clangs();
    for (file, clang) in files.into_iter().zip(clangs.iter().cycle()) {
        load(clang, &[], file);
    }
}

#[test]
fn a_large_file_is_read_in_well_under_a_second() {
    let Some(clang) = clangs().into_iter().next() else {
        return;
    };
    let mut text = String::from("struct s { int a, b[8]; struct s *next; } pool[64];\n");
    for number in 0..700 {
        text.push_str(&format!(
            "int f{number}(struct s *p, int n) {{\n  int total = {number};\n  for (int i = 0; i < n; i++) {{\n    if (p->b[i & 7] > total)\n      total += p->b[(i + 1) & 7] * 3;\n    else\n      total -= p->a;\n    p = p->next ? p->next : &pool[i & 63];\n    switch (total & 3) {{\n    case 0: total++; break;\n    case 1: total ^= 5; break;\n    default: total *= 2;\n    }}\n  }}\n  return total;\n}}\n"
        ));
    }
    text.push_str("int main(void) { return f0(pool, 3); }\n");
    assert!(text.lines().count() > 10_000);
    let loaded = compile(&clang, &[], &text);
    // The margin is for slow machines and unoptimised builds.
    assert!(
        loaded.timings.reading.as_millis() < 5000,
        "{:?}",
        loaded.timings
    );
    eprintln!("{:?}", loaded.timings);
}
