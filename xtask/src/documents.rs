//! Documents stay true: what they name exists, and nothing names a machine.

use crate::{Finding, TextFile, Tree};

/// The documents that newcomers rely on. Others may speak of the past.
const CHECKED: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];

/// Every path of the repository that a document names, in backticks or as the
/// target of a link, is there.
pub fn named_paths_exist(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in CHECKED.iter().filter_map(|path| tree.text(path)) {
        for (line, prose) in prose_lines(file) {
            if prose.matches('`').count() % 2 == 1 {
                // Paths could not be told from the text between them.
                let message = "a backtick has no partner on its line";
                findings.push(file.finding(line, message));
                continue;
            }
            let in_backticks = spans(prose).filter(|span| looks_like_path(span));
            for path in in_backticks.chain(link_targets(prose)) {
                if !tree.has(before_placeholder(path)) {
                    findings.push(file.finding(line, format!("`{path}` does not exist")));
                }
            }
        }
    }
    findings
}

/// ARCHITECTURE.md has a word on each crate, under its path.
pub fn crates_are_described(tree: &Tree) -> Vec<Finding> {
    let described: Vec<&str> = tree
        .text("ARCHITECTURE.md")
        .into_iter()
        .flat_map(|file| prose_lines(file).flat_map(|(_, prose)| spans(prose)))
        .collect();
    tree.folders_in("crates")
        .map(|name| format!("crates/{name}"))
        .filter(|folder| tree.has(&format!("{folder}/Cargo.toml")))
        .filter(|folder| {
            !described
                .iter()
                .any(|span| span.trim_end_matches('/') == folder)
        })
        .map(|folder| Finding {
            path: "ARCHITECTURE.md".into(),
            line: None,
            message: format!("`{folder}` is not described"),
        })
        .collect()
}

/// Nothing names a place that exists only on somebody's machine.
pub fn no_machine_paths(tree: &Tree) -> Vec<Finding> {
    // Put together here, so that this file does not contain what it forbids.
    let places = ["home", "root", "work", "Users"].map(|name| format!("/{name}/"));
    let mut findings = Vec::new();
    for file in tree.texts() {
        for (line, text) in file.lines() {
            for place in &places {
                // In `https://example.org/home/` or `src/home/` it is part of more.
                let is_absolute = |(index, _): (usize, &str)| {
                    !text[..index].ends_with(|c: char| c.is_alphanumeric() || "_-.~}>)".contains(c))
                };
                if text.match_indices(place.as_str()).any(is_absolute) {
                    let message = format!("`{place}` is a path on one machine only");
                    findings.push(file.finding(line, message));
                }
            }
        }
    }
    findings
}

/// The lines outside of fenced code.
fn prose_lines(file: &TextFile) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    file.lines().filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// What stands in backticks on a line.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The targets of Markdown links to files of the repository.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', '#']).next()?;
        (!target.is_empty() && !target.contains("://")).then_some(target)
    })
}

fn looks_like_path(span: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/<>*".contains(c);
    let has_shape = span.contains('/') || span.ends_with(".md");
    has_shape && span.chars().all(is_plain) && !span.starts_with(['/', '-'])
}

/// `tests/regress/` of `tests/regress/<area>/<case>/`.
fn before_placeholder(path: &str) -> &str {
    match path.find(['<', '*']) {
        Some(index) => &path[..path[..index].rfind('/').map_or(0, |slash| slash + 1)],
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_readme(text: &str) -> Vec<String> {
        let tree = Tree::of(&[("README.md", text), ("docs/guide.md", ""), ("src/a.rs", "")]);
        let findings = named_paths_exist(&tree);
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn paths_that_exist_may_be_named() {
        let text = "See `src/a.rs`, `src`, `src/`, `docs/<page>`, `docs/*.md`, `README.md` and\n\
                    [the guide](docs/guide.md#top), [a site](https://example.org/x), [below](#b).\n\
                    Options such as `-I/usr/include`, `a / b`, `/dev/null`, `prog.c` are no paths.\n\
                    ```\n`gone/file.rs`\n```\n";
        assert_eq!(check_readme(text), [""; 0]);
    }

    #[test]
    fn paths_that_are_gone_are_found() {
        assert_eq!(
            check_readme("Fine.\nSee `src/b.rs`.\n"),
            ["README.md:2: `src/b.rs` does not exist"]
        );
        for text in [
            "`GONE.md`",
            "[x](gone.md)",
            "`gone/<x>/y`",
            "a `b",
            "`src/a.rs/`",
        ] {
            assert_eq!(check_readme(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn each_crate_is_described() {
        let check = |text: &str| {
            crates_are_described(&Tree::of(&[
                ("ARCHITECTURE.md", text),
                ("crates/ir/Cargo.toml", ""),
            ]))
            .len()
        };
        assert_eq!(check("### `crates/ir`\n"), 0);
        assert_eq!(check("### `crates/ir/`\n"), 0);
        assert_eq!(check("### `crates/irrelevant`\n"), 1);
        assert_eq!(check("The crate ir.\n"), 1);
        assert_eq!(
            crates_are_described(&Tree::of(&[("crates/ir/Cargo.toml", "")])).len(),
            1
        );
    }

    #[test]
    fn machine_paths_are_found() {
        let check = |text: &str| no_machine_paths(&Tree::of(&[("a.toml", text)])).len();
        let home = ["", "home", "me"].join("/");
        assert_eq!(check(&format!("path = \"{home}\"")), 1);
        assert_eq!(check(&home), 1);
        assert_eq!(check(&format!("file://{home}")), 1);
        assert_eq!(check(&format!("https://example.org{home}")), 0);
        assert_eq!(check("/homes/me and home/me"), 0);
    }
}
