//! The repository as plain text in memory: what the checks look at.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// From the root of the repository, with forward slashes.
    pub path: String,
    /// Counted from 1; `None` when the file as a whole is meant.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

#[derive(Clone, Debug)]
pub struct TextFile {
    /// From the root of the repository, with forward slashes.
    pub path: String,
    pub text: String,
}

impl TextFile {
    /// Lines with their numbers, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        // Not `str::lines`, which would hide a carriage return.
        self.text
            .trim_end_matches('\n')
            .split('\n')
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }

    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub fn finding(&self, line: impl Into<Option<usize>>, message: impl Into<String>) -> Finding {
        Finding {
            path: self.path.clone(),
            line: line.into(),
            message: message.into(),
        }
    }
}

/// All files of the repository that belong to it.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Those that are text, sorted by path.
    texts: Vec<TextFile>,
    /// Files and folders, sorted; folders end with a slash.
    paths: Vec<String>,
}

/// Folders that tools fill, by path from the root.
const GENERATED: [&str; 4] = ["target", "fuzz/target", "fuzz/corpus", "fuzz/artifacts"];

/// The only hidden files and folders that belong to the repository.
const HIDDEN: [&str; 4] = [".cargo", ".ci", ".github", ".gitignore"];

impl Tree {
    /// Reads the repository at `root`. What is generated or hidden is skipped by
    /// name rather than by asking git, so that an unpacked archive works too.
    pub fn read(root: &Path) -> io::Result<Tree> {
        let mut tree = Tree::default();
        tree.read_folder(root, "")?;
        tree.sort();
        Ok(tree)
    }

    /// A made-up repository, for tests: paths and texts.
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, text) in files {
            for (index, _) in path.match_indices('/') {
                tree.paths.push(path[..=index].to_owned());
            }
            tree.paths.push((*path).to_owned());
            tree.texts.push(TextFile {
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            });
        }
        tree.sort();
        tree
    }

    pub fn texts(&self) -> impl Iterator<Item = &TextFile> {
        self.texts.iter()
    }

    /// Text files whose name ends like this, for instance `.rs`.
    pub fn texts_with(&self, ending: &str) -> impl Iterator<Item = &TextFile> {
        self.texts().filter(move |file| file.path.ends_with(ending))
    }

    /// Files and folders; folders end with a slash.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    pub fn text(&self, path: &str) -> Option<&TextFile> {
        self.texts().find(|file| file.path == path)
    }

    /// Whether there is such a file, or such a folder, with or without the slash.
    pub fn has(&self, path: &str) -> bool {
        let bare = path.strip_suffix('/').unwrap_or(path);
        let folder = format!("{bare}/");
        self.paths
            .iter()
            .any(|known| known == path || *known == folder)
    }

    /// Names of the folders directly in the folder `parent`.
    pub fn folders_in(&self, parent: &str) -> impl Iterator<Item = &str> {
        let prefix = format!("{}/", parent.strip_suffix('/').unwrap_or(parent));
        self.paths.iter().filter_map(move |path| {
            let name = path.strip_prefix(&prefix)?.strip_suffix('/')?;
            (!name.is_empty() && !name.contains('/')).then_some(name)
        })
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let path = format!("{prefix}{name}");
            let is_hidden = name.starts_with('.') && !HIDDEN.contains(&name.as_str());
            if is_hidden || GENERATED.contains(&path.as_str()) || name.ends_with(".snap.new") {
                continue;
            }
            if entry.file_type()?.is_dir() {
                let prefix = format!("{path}/");
                self.paths.push(prefix.clone());
                self.read_folder(&entry.path(), &prefix)?;
            } else {
                self.paths.push(path.clone());
                // What is not UTF-8 is not text; the checks do not look at it.
                if let Ok(text) = String::from_utf8(fs::read(entry.path())?) {
                    self.texts.push(TextFile { path, text });
                }
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        // The order in which folders are read is the system's, ours must be one.
        self.paths.sort();
        self.paths.dedup();
        self.texts.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_knows_files_and_folders() {
        let tree = Tree::of(&[("a/b/c.rs", ""), ("a/d.md", "")]);
        for path in ["a", "a/", "a/b", "a/b/", "a/b/c.rs", "a/d.md"] {
            assert!(tree.has(path), "{path}");
        }
        for path in ["b", "a/b/c", "a/d.md/"] {
            assert!(!tree.has(path), "{path}");
        }
        assert_eq!(tree.folders_in("a").collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn findings_print_as_editors_expect() {
        let file = TextFile {
            path: "src/lib.rs".into(),
            text: String::new(),
        };
        assert_eq!(file.finding(3, "bad").to_string(), "src/lib.rs:3: bad");
        assert_eq!(file.finding(None, "bad").to_string(), "src/lib.rs: bad");
    }
}
