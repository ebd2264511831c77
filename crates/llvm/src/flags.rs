//! Which flags of a build are taken: those that change what a program means.
//!
//! A `compile_commands.json` is data, and may come from anywhere. Flags can make clang
//! load code, run programs and write files, and there are more of them every year. So
//! this is a list of what is allowed: paths of headers, macros, the language and its
//! dialect, the target. What only concerns warnings, optimisation and the like is left
//! out without a word; all else is left out and told.

/// Flags whose value is the next word, or follows at once.
const WITH_VALUE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-F",
    "-iquote",
    "-isystem",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-iframework",
];

/// Flags whose value is the next word.
const WITH_NEXT: &[&str] = &["-include", "-imacros", "-target", "--sysroot"];

/// Flags that begin with these.
const WITH_BEGINNING: &[&str] = &[
    "-std=",
    "--std=",
    "-stdlib=",
    "--target=",
    "--sysroot=",
    "--gcc-toolchain=",
    "-march=",
    "-mcpu=",
    "-mabi=",
    "-mfpu=",
    "-mfloat-abi=",
    "-mlong-double-",
    "-msse",
    "-mno-sse",
    "-mavx",
    "-mno-avx",
    "-fpack-struct",
    "-fno-builtin",
    "-fvisibility",
    "-fms-compatibility",
    "-ffp-contract=",
    "-finput-charset=",
    "-fexec-charset=",
    "-fconstexpr-",
    "-ftemplate-depth",
    "-fbracket-depth=",
];

/// These, as they are.
const PLAIN: &[&str] = &[
    "-ansi",
    "-pthread",
    "-trigraphs",
    "-undef",
    "-nostdinc",
    "-nostdinc++",
    "-nostdlibinc",
    "-m16",
    "-m32",
    "-m64",
    "-mx32",
    "-maes",
    "-mbmi",
    "-mbmi2",
    "-mcx16",
    "-mfma",
    "-mlse",
    "-mms-bitfields",
    "-mno-ms-bitfields",
    "-mno-outline-atomics",
    "-moutline-atomics",
    "-mpopcnt",
    "-mrtm",
    "-mstackrealign",
    "-faligned-allocation",
    "-fasm",
    "-fblocks",
    "-fchar8_t",
    "-fcommon",
    "-fcoroutines-ts",
    "-fdeclspec",
    "-fdollars-in-identifiers",
    "-fexceptions",
    "-ffast-math",
    "-ffreestanding",
    "-fgnu-keywords",
    "-fgnu89-inline",
    "-fhosted",
    "-fmath-errno",
    "-fms-extensions",
    "-fno-aligned-allocation",
    "-fno-asm",
    "-fno-char8_t",
    "-fno-common",
    "-fno-delete-null-pointer-checks",
    "-fno-dollars-in-identifiers",
    "-fno-exceptions",
    "-fno-math-errno",
    "-fno-operator-names",
    "-fno-pic",
    "-fno-pie",
    "-fno-PIC",
    "-fno-PIE",
    "-fno-rtti",
    "-fno-short-enums",
    "-fno-signed-char",
    "-fno-signed-zeros",
    "-fno-sized-deallocation",
    "-fno-strict-aliasing",
    "-fno-strict-overflow",
    "-fno-threadsafe-statics",
    "-fno-trapping-math",
    "-fno-unsigned-char",
    "-fno-wrapv",
    "-fopenmp",
    "-fpermissive",
    "-fpic",
    "-fpie",
    "-fPIC",
    "-fPIE",
    "-frounding-math",
    "-frtti",
    "-fshort-enums",
    "-fshort-wchar",
    "-fsigned-bitfields",
    "-fsigned-char",
    "-fsized-deallocation",
    "-fstrict-aliasing",
    "-fstrict-overflow",
    "-fthreadsafe-statics",
    "-ftrapping-math",
    "-ftrapv",
    "-funsigned-bitfields",
    "-funsigned-char",
    "-fwrapv",
];

/// Languages for `-x`. What is compiled already is none.
const LANGUAGES: &[&str] = &["c", "c++", "cpp-output", "c++-cpp-output"];

/// Nothing that a program could notice: left out without a word.
const NO_MATTER: &[&str] = &[
    "-g",
    "-O",
    "-pedantic",
    "-pipe",
    "-L",
    "-mtune=",
    "-fcolor-diagnostics",
    "-fdiagnostics-color",
    "-fno-diagnostics",
    "-fstack-protector",
    "-fno-stack-protector",
    "-fstack-clash-protection",
    "-fcf-protection",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
    "-fasynchronous-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-funwind-tables",
    "-fno-unwind-tables",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-plt",
    "-flto",
    "-fno-lto",
    "-fmacro-prefix-map=",
    "-ffile-prefix-map=",
    "-fdebug-prefix-map=",
    "-fno-semantic-interposition",
    "-fuse-ld=",
    "-rdynamic",
    "-fmessage-length=",
];

/// What is taken, and what is not and should be told.
pub(crate) fn sort(words: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut taken, mut dropped) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let is_one_of = |list: &[&str]| list.contains(&word.as_str());
        let begins = |list: &[&str]| list.iter().any(|start| word.starts_with(start));
        if is_one_of(WITH_VALUE) || is_one_of(WITH_NEXT) || word == "-x" {
            match words.next() {
                Some(value) if is_value(&word, &value) => taken.extend([word, value]),
                Some(value) => dropped.push(format!("{word} {value}")),
                None => dropped.push(word),
            }
        } else if is_one_of(PLAIN) || begins(WITH_VALUE) || begins(WITH_BEGINNING) {
            taken.push(word);
        } else if let Some(language) = word.strip_prefix("-x") {
            match LANGUAGES.contains(&language) {
                true => taken.push(word),
                false => dropped.push(word),
            }
        } else if !is_no_matter(&word) {
            dropped.push(word);
        }
    }
    (taken, dropped)
}

/// Whether a word can be what a flag waits for. Clang takes any word with `@` for the
/// name of a file with more flags, wherever it stands.
fn is_value(flag: &str, value: &str) -> bool {
    match flag {
        "-x" => LANGUAGES.contains(&value),
        _ => !value.starts_with('@'),
    }
}

fn is_no_matter(word: &str) -> bool {
    // Warnings, but not what is passed on to the preprocessor and others.
    let is_warning = word.starts_with("-W") && !word.contains(',');
    is_warning || word == "-w" || NO_MATTER.iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, taken: &str, dropped: &[&str]) {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let expected: Vec<String> = words(taken);
        let (taken, told) = sort(words(line));
        assert_eq!(taken, expected, "{line}");
        assert_eq!(told, dropped, "{line}");
    }

    #[test]
    fn what_changes_the_program_is_taken() {
        check(
            "-I inc -Iinc2 -DX=1 -D Y -isystem /s -include config.h -std=gnu11 -m32 -x c",
            "-I inc -Iinc2 -DX=1 -D Y -isystem /s -include config.h -std=gnu11 -m32 -x c",
            &[],
        );
        let flags = "-fwrapv -funsigned-char -fshort-enums -pthread --target=x86_64-linux-gnu";
        check(flags, flags, &[]);
    }

    #[test]
    fn what_nobody_could_notice_is_left_out_without_a_word() {
        check("-Wall -Wextra -g3 -pipe -fcolor-diagnostics", "", &[]);
    }

    #[test]
    fn what_could_run_or_write_something_is_not_taken() {
        for word in [
            "-fplugin=evil.so",
            "-fpass-plugin=evil.so",
            "-Wp,-MD,file",
            "-Wa,-o,file",
            "-save-temps",
            "-save-temps=obj",
            "--save-temps",
            "-ftime-trace=file",
            "-fmodules",
            "-fmodules-cache-path=dir",
            "-fprofile-use=file",
            "-fsave-optimization-record",
            "-include-pch",
            "-imultilib",
            "-mllvm",
            "-Xclang",
            "-Xpreprocessor",
            "-B.",
            "-resource-dir",
            "--config",
            "--config=file",
            "--serialize-diagnostics",
            "-serialize-diagnostics",
            "-xir",
            "-dependency-file",
            "-working-directory=x",
            "@options",
            "other.c",
        ] {
            check(word, "", &[word]);
        }
        check("-I @options -DX", "-DX", &["-I @options"]);
        check("-x ir", "", &["-x ir"]);
        check(
            "-Xclang -load -Xclang evil.so",
            "",
            &["-Xclang", "-load", "-Xclang", "evil.so"],
        );
    }
}
