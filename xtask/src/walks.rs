//! The walks of CONTRIBUTING.md are complete: each follows an example through all
//! files that speak of it.
//!
//! Whether a walk says the right thing about a file is for people to see.

use crate::{Finding, TextFile, Tree};

const PAGE: &str = "CONTRIBUTING.md";

/// A section, and the words by which code speaks of its example.
struct Walk {
    heading: &'static str,
    words: &'static [&'static str],
}

const WALKS: [Walk; 4] = [
    Walk {
        heading: "## A library function",
        words: &["Once::"],
    },
    Walk {
        heading: "## A property",
        words: &["Property::Overflow", "Check::Overflow"],
    },
    Walk {
        heading: "## An engine",
        words: &["Name::Sample", "Engine::Sample"],
    },
    Walk {
        heading: "## An encoding",
        words: &["ByOrder", "Name::Order", "Encoding::Order"],
    },
];

/// Every file of the crates that speaks of the example of a walk is named there.
pub fn walks_are_complete(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.text(PAGE) else {
        let message = "there is no such page";
        return vec![Finding {
            path: PAGE.into(),
            line: None,
            message: message.to_owned(),
        }];
    };
    WALKS
        .iter()
        .flat_map(|walk| walk.check(tree, page))
        .collect()
}

impl Walk {
    fn check(&self, tree: &Tree, page: &TextFile) -> Vec<Finding> {
        let Some(section) = self.section(page) else {
            let message = format!("there is no section `{}`", self.heading);
            return vec![page.finding(1, message)];
        };
        let is_missing = |file: &&TextFile| {
            let path = file.path.as_str();
            let is_source = path.starts_with("crates/") && path.contains("/src/");
            let mut lines = file.lines();
            is_source
                && lines.any(|(_, line)| self.words.iter().any(|word| line.contains(word)))
                && !section.contains(&format!("`{path}`"))
        };
        let missing = tree.texts().filter(is_missing);
        let message = |file: &TextFile| {
            let path = &file.path;
            format!("`{}` does not name {path}", self.heading)
        };
        missing.map(|file| page.finding(1, message(file))).collect()
    }

    /// The text from the heading to the next one.
    fn section(&self, page: &TextFile) -> Option<String> {
        let mut lines = page.lines().map(|(_, line)| line);
        lines.find(|line| *line == self.heading)?;
        let section: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
        Some(section.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_forgotten_are_found() {
        let headings: Vec<&str> = WALKS.iter().map(|walk| walk.heading).collect();
        let check = |page: &str, code: &str| {
            let tree = Tree::of(&[(PAGE, page), ("crates/a/src/b.rs", code)]);
            walks_are_complete(&tree).len()
        };
        let page = headings.join("\n");
        assert_eq!(check(&page, "fn f() {}"), 0);
        assert_eq!(check(&page, "Name::Sample => 1"), 1);
        let named = page.replace("## An engine", "## An engine\n`crates/a/src/b.rs`");
        assert_eq!(check(&named, "Name::Sample => 1"), 0);
        let elsewhere = page.replace("## A property", "## A property\n`crates/a/src/b.rs`");
        assert_eq!(check(&elsewhere, "Name::Sample => 1"), 1);
        assert_eq!(check("", ""), WALKS.len());
        assert_eq!(walks_are_complete(&Tree::of(&[])).len(), 1);
    }
}
