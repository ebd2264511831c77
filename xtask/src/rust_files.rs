//! House rules for source files: what must be there and what must not.

use crate::{Finding, TextFile, Tree};

/// No file is longer than this, tests included: a longer one has two subjects.
const MAX_LINES: usize = 800;

/// Files that may be longer, each with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Names that would fit any file.
const EMPTY_NAMES: [&str; 7] = [
    "util", "utils", "misc", "helper", "helpers", "other", "others",
];

const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];

const PRINTS: [&str; 4] = ["print!", "println!", "eprint!", "eprintln!"];

/// Each file begins with module docs of at least one sentence.
pub fn docs_come_first(tree: &Tree) -> Vec<Finding> {
    let of_ours = |file: &&TextFile| {
        ["crates/", "xtask/", "tests/", "fuzz/"]
            .iter()
            .any(|folder| file.path.starts_with(folder))
    };
    tree.texts_with(".rs")
        .filter(of_ours)
        .filter(|file| !begins_with_sentence(&file.text))
        .map(|file| file.finding(1, "does not begin with a sentence of `//!` docs"))
        .collect()
}

fn begins_with_sentence(text: &str) -> bool {
    let first_paragraph: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = first_paragraph.join(" ");
    let has_end = paragraph.ends_with(['.', '!', '?', ':']) || paragraph.contains(". ");
    has_end && paragraph.split(' ').count() >= 3
}

pub fn names_say_something(tree: &Tree) -> Vec<Finding> {
    tree.paths()
        .filter(|path| {
            let name = path
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or(path);
            let stem = name.split('.').next().unwrap_or(name);
            EMPTY_NAMES.contains(&stem.to_lowercase().as_str())
        })
        .map(|path| Finding {
            path: path.to_owned(),
            line: None,
            message: "this name says nothing about the content".into(),
        })
        .collect()
}

pub fn files_are_short(tree: &Tree) -> Vec<Finding> {
    check_lengths(tree, LONG_FILES)
}

fn check_lengths(tree: &Tree, exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let is_long = |file: &TextFile| file.lines().count() > MAX_LINES;
    let is_exception = |file: &TextFile| exceptions.iter().any(|(path, _)| *path == file.path);
    let too_long = tree
        .texts_with(".rs")
        .filter(|file| is_long(file) && !is_exception(file))
        .map(|file| {
            let lines = file.lines().count();
            file.finding(
                None,
                format!("has {lines} lines; split what is over {MAX_LINES}"),
            )
        });
    let needless = exceptions
        .iter()
        .filter(|(path, _)| !tree.text(path).is_some_and(is_long))
        .map(|(path, _)| Finding {
            path: (*path).to_owned(),
            line: None,
            message: "needs no exception in xtask/src/rust_files.rs (any more)".into(),
        });
    too_long.chain(needless).collect()
}

/// No placeholders for code, no debugging aids, no tests that do not run.
pub fn nothing_unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.texts_with(".rs") {
        let code = code_only(&file.text);
        for word in UNFINISHED {
            for line in lines_with_word(&code, word) {
                findings.push(file.finding(line, format!("`{word}` is left")));
            }
        }
        for (line, attribute) in attributes(&code) {
            if words(attribute).next() == Some("ignore") {
                let message = "a test is ignored; let it assert what happens now";
                findings.push(file.finding(line, message));
            }
        }
    }
    findings
}

/// Libraries return what they have to say: only the command line interface,
/// this crate, tests, benchmarks and build scripts print.
pub fn only_edges_print(tree: &Tree) -> Vec<Finding> {
    let may_print = |file: &TextFile| {
        file.path.starts_with("crates/cli/")
            || file.path.starts_with("xtask/")
            || file.file_name() == "build.rs"
            || file
                .path
                .split('/')
                .any(|folder| ["tests", "benches", "examples"].contains(&folder))
    };
    let mut findings = Vec::new();
    for file in tree.texts_with(".rs").filter(|file| !may_print(file)) {
        let code = code_only(&file.text);
        for word in PRINTS {
            for line in lines_with_word(&code, word) {
                findings.push(file.finding(line, format!("`{word}` outside of crates/cli")));
            }
        }
    }
    findings
}

/// Switching a lint off needs a `reason`.
pub fn exceptions_have_reasons(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.texts_with(".rs") {
        let code = code_only(&file.text);
        for (line, attribute) in attributes(&code) {
            let switches_off = words(attribute).any(|word| word == "allow" || word == "expect");
            if switches_off && !words(attribute).any(|word| word == "reason") {
                let message = "a lint is switched off without a `reason = \"...\"`";
                findings.push(file.finding(line, message));
            }
        }
    }
    findings
}

/// Neither tabs nor spaces at the end of a line, in code and documents.
pub fn whitespace_is_plain(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.texts_with(".rs").chain(tree.texts_with(".md")) {
        for (line, text) in file.lines() {
            if text.contains('\t') {
                findings.push(file.finding(line, "a tab"));
            }
            if text.ends_with(char::is_whitespace) {
                findings.push(file.finding(line, "whitespace at the end of the line"));
            }
        }
    }
    findings
}

/// Lines, counted from 1, on which `word` begins a word.
fn lines_with_word<'t>(code: &'t str, word: &'t str) -> impl Iterator<Item = usize> {
    code.match_indices(word)
        .filter(|(index, _)| !code[..*index].ends_with(is_word_character))
        .map(|(index, _)| line_at(code, index))
}

fn line_at(code: &str, index: usize) -> usize {
    1 + code[..index].matches('\n').count()
}

/// The content of each `#[...]` and `#![...]`, with its line.
fn attributes(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices('#').filter_map(|(index, _)| {
        let rest = code[index + 1..]
            .trim_start_matches('!')
            .strip_prefix('[')?;
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            depth == 0
        })?;
        Some((line_at(code, index), &rest[..end]))
    })
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c| !is_word_character(c))
        .filter(|word| !word.is_empty())
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Rust source with comments and the content of literals blanked out; line
/// breaks stay, so that line numbers do.
fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_word = code.ends_with(is_word_character);
        let length = literal_or_comment(rest, after_word);
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
            code.extend(rest[..length].chars().map(blank));
            rest = &rest[length..];
        }
    }
    code
}

/// Length in bytes of the literal or comment that `text` begins with, or 0.
/// `after_word` tells whether the character before belongs to a word.
fn literal_or_comment(text: &str, after_word: bool) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment(text);
    }
    if text.starts_with('"') {
        return quoted(text, '"');
    }
    if let Some(after) = text.strip_prefix('\'') {
        // A quote that is not closed after one character begins a lifetime.
        let is_literal = after.starts_with('\\') || after.chars().nth(1) == Some('\'');
        return if is_literal { quoted(text, '\'') } else { 0 };
    }
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
        let after = text.strip_prefix(prefix).unwrap_or("");
        after.trim_start_matches('#').starts_with('"')
    });
    match prefix {
        Some(prefix) if !after_word => prefix.len() + raw_string(&text[prefix.len()..]),
        _ => 0,
    }
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut index = 0;
    while index < text.len() {
        if text[index..].starts_with("/*") {
            depth += 1;
            index += 2;
        } else if text[index..].starts_with("*/") {
            depth -= 1;
            index += 2;
            if depth == 0 {
                break;
            }
        } else {
            index += text[index..].chars().next().map_or(1, char::len_utf8);
        }
    }
    index
}

/// Length of a literal between two quotes, in which a backslash escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == quote {
            return index + 1;
        }
    }
    text.len()
}

/// Length of `##"..."##`, with any number of `#`.
fn raw_string(text: &str) -> usize {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    match text[hashes + 1..].find(&end) {
        Some(index) => hashes + 1 + index + end.len(),
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Check = fn(&Tree) -> Vec<Finding>;

    /// The lines on which a check complains about a library file with this text.
    fn lines(check: Check, text: &str) -> Vec<Option<usize>> {
        lines_in("crates/ir/src/lib.rs", check, text)
    }

    fn lines_in(path: &str, check: Check, text: &str) -> Vec<Option<usize>> {
        let findings = check(&Tree::of(&[(path, text)]));
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn docs_are_sentences() {
        for good in [
            "//! What this is for.\n",
            "//! What this is for,\n//! and more.\n//!\n//! Details\n",
            "//! It holds three things:\n//!\n//! - one\n",
        ] {
            assert_eq!(lines(docs_come_first, good), [], "{good}");
        }
        for bad in [
            "",
            "use std::fmt;\n",
            "\n//! Too late for this file.\n",
            "// Not a doc comment.\n",
            "//! A title\n",
            "//! Title.\n",
            "//!\n//! It starts with nothing.\n",
        ] {
            assert_eq!(lines(docs_come_first, bad), [Some(1)], "{bad}");
        }
        assert_eq!(lines_in("docs/sample.rs", docs_come_first, ""), []);
    }

    #[test]
    fn names_must_say_something() {
        for bad in [
            "crates/ir/src/utils.rs",
            "tests/misc/a.c",
            "docs/helpers.md",
            "Others",
        ] {
            assert_eq!(lines_in(bad, names_say_something, ""), [None], "{bad}");
        }
        for good in ["crates/ir/src/utilisation.rs", "docs/each-other.md"] {
            assert_eq!(lines_in(good, names_say_something, ""), [], "{good}");
        }
    }

    #[test]
    fn long_files_need_an_exception() {
        let long = "//\n".repeat(MAX_LINES + 1);
        assert_eq!(lines(files_are_short, &long), [None]);
        assert_eq!(lines(files_are_short, &long[3..]), []);
        let tree = Tree::of(&[("a.rs", &long), ("b.rs", "")]);
        assert_eq!(check_lengths(&tree, &[("a.rs", "a table")]), []);
        // An exception for a file that is short, or gone, must go too.
        let exceptions = [
            ("a.rs", "a table"),
            ("b.rs", "was long"),
            ("c.rs", "was there"),
        ];
        assert_eq!(check_lengths(&tree, &exceptions).len(), 2);
    }

    #[test]
    fn unfinished_code_is_found() {
        assert_eq!(
            lines(nothing_unfinished, "fn f() {\n    todo!()\n}\n"),
            [Some(2)]
        );
        assert_eq!(
            lines(nothing_unfinished, "unimplemented!(\"x\")"),
            [Some(1)]
        );
        assert_eq!(lines(nothing_unfinished, "f(dbg!(x));"), [Some(1)]);
        assert_eq!(
            lines(nothing_unfinished, "#[test]\n#[ignore]\nfn f() {}"),
            [Some(2)]
        );
        assert_eq!(
            lines(nothing_unfinished, "#[ignore = \"slow\"]\nfn f() {}"),
            [Some(1)]
        );
        let fine = "// todo!()\nlet a = \"dbg!\"; my_todo!(); #[doc = \"x\"] fn ignore() {}";
        assert_eq!(lines(nothing_unfinished, fine), []);
    }

    #[test]
    fn libraries_do_not_print() {
        let prints = "fn f() {\n    println!(\"x\");\n    eprint!(\"y\");\n}\n";
        assert_eq!(lines(only_edges_print, prints), [Some(2), Some(3)]);
        for path in [
            "crates/cli/src/main.rs",
            "crates/llvm/build.rs",
            "crates/replay/benches/explore.rs",
            "crates/ir/tests/all.rs",
            "tests/src/native.rs",
            "xtask/src/main.rs",
        ] {
            assert_eq!(lines_in(path, only_edges_print, prints), [], "{path}");
        }
    }

    #[test]
    fn switching_lints_off_needs_a_reason() {
        let check = |text| lines(exceptions_have_reasons, text);
        assert_eq!(check("\n#[allow(dead_code)]\nfn f() {}"), [Some(2)]);
        assert_eq!(check("#![allow(clippy::all)]"), [Some(1)]);
        assert_eq!(check("#[expect(\n    unused,\n)]"), [Some(1)]);
        assert_eq!(check("#[cfg_attr(test, allow(unused))]"), [Some(1)]);
        assert_eq!(check("#[allow(unused, reason = \"generated\")]"), []);
        assert_eq!(check("fn f() { allow(); x.expect(\"y\"); }"), []);
    }

    #[test]
    fn whitespace_is_checked() {
        assert_eq!(lines(whitespace_is_plain, "a\nb \n"), [Some(2)]);
        assert_eq!(lines(whitespace_is_plain, "\tb\n"), [Some(1)]);
        assert_eq!(lines(whitespace_is_plain, "a\r\n"), [Some(1)]);
        assert_eq!(lines_in("a.md", whitespace_is_plain, "a  \n"), [Some(1)]);
        assert_eq!(lines_in("Makefile", whitespace_is_plain, "\ta\n"), []);
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        for (text, expected) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"a("b\"c", d)"#, "a(      , d)"),
            (r##"a(r#"b"c"#, d)"##, "a(        , d)"),
            ("a(br\"b\\\", c)", "a(      , c)"),
            ("r#type", "r#type"),
            ("for\"x\"", "for   "),
            ("'\"' + '\\'' + 'é'", "    +      +    "),
            ("&'a str + 'b'", "&'a str +    "),
            ("\"open", "     "),
        ] {
            assert_eq!(code_only(text), expected, "{text}");
        }
    }
}
