//! The `compile_commands.json` of a build: which flags a file is compiled with.

use crate::error::Error;
use crate::flags;
use std::path::{Path, PathBuf};
use system::files;

pub(crate) struct CompileCommands {
    path: PathBuf,
    pub entries: Vec<Entry>,
}

/// How to compile one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Absolute, or relative to the user's working directory.
    pub file: PathBuf,
    /// The same file as the build writes it, relative to `directory`.
    pub written: PathBuf,
    /// Where to run the compiler.
    pub directory: PathBuf,
    /// Flags that matter: no compiler, output, optimisation or dependency files.
    pub args: Vec<String>,
    /// Flags that were not taken, because they may do more than that.
    pub dropped: Vec<String>,
}

#[derive(serde::Deserialize)]
struct RawEntry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

pub(crate) fn read(build_dir: &Path, is_trusted: bool) -> Result<CompileCommands, Error> {
    let path = build_dir.join("compile_commands.json");
    let problem = |reason: String| Error::CompileCommands {
        path: path.clone(),
        reason,
    };
    let text =
        files::read_text(&path, files::MOST_BYTES).map_err(|reason| match reason.kind() {
            std::io::ErrorKind::NotFound => problem("no such file".into()),
            _ => problem(reason.to_string()),
        })?;
    let raw: Vec<RawEntry> =
        serde_json::from_str(&text).map_err(|reason| problem(reason.to_string()))?;
    let mut entries = Vec::with_capacity(raw.len());
    for raw in raw {
        // Some tools write the directory relative to where the file lies.
        let directory = std::path::absolute(build_dir.join(&raw.directory))
            .map_err(|reason| problem(reason.to_string()))?;
        let words = match (raw.arguments, raw.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => split_command(&command)
                .ok_or_else(|| problem(format!("unbalanced quotes in: {command}")))?,
            (None, None) => {
                let file = raw.file.display();
                return Err(problem(format!("no `command` or `arguments` for {file}")));
            }
        };
        let args = relevant_args(&words, &raw.file, &directory);
        let (args, dropped) = match is_trusted {
            true => (args, Vec::new()),
            false => flags::sort(args),
        };
        entries.push(Entry {
            file: directory.join(&raw.file),
            args,
            dropped,
            written: raw.file,
            directory,
        });
    }
    Ok(CompileCommands { path, entries })
}

impl CompileCommands {
    pub(crate) fn find(&self, file: &Path) -> Result<&Entry, Error> {
        let canonical = |path: &Path| path.canonicalize().ok();
        let wanted = file.canonicalize().map_err(|reason| Error::Unreadable {
            path: file.to_owned(),
            reason: match reason.kind() {
                std::io::ErrorKind::NotFound => "no such file".into(),
                _ => reason.to_string(),
            },
        })?;
        let found = self
            .entries
            .iter()
            .find(|entry| canonical(&entry.file).as_ref() == Some(&wanted));
        found.ok_or_else(|| Error::NotInCompileCommands {
            file: file.to_owned(),
            path: self.path.clone(),
        })
    }
}

/// The flags of a command line that decide what the code means.
fn relevant_args(words: &[String], file: &Path, directory: &Path) -> Vec<String> {
    let mut args = Vec::new();
    let mut words = words.iter().skip(1).peekable();
    // A compiler cache may stand before the compiler.
    while let Some(word) = words.next_if(|word| !word.starts_with('-')) {
        if is_file(word, file, directory) {
            break;
        }
    }
    while let Some(word) = words.next() {
        match word.as_str() {
            "-c" | "-S" | "-E" | "-g" | "-emit-llvm" | "--" => {}
            "-o" | "-MF" | "-MT" | "-MQ" | "-MJ" => {
                words.next();
            }
            // Another compiler's warnings must not stop this one.
            word if word.starts_with("-Werror") => {}
            word if word.starts_with("-O") || word.starts_with("-M") || word.starts_with("-o") => {}
            word if is_file(word, file, directory) => {}
            word => args.push(word.to_owned()),
        }
    }
    args
}

fn is_file(word: &str, file: &Path, directory: &Path) -> bool {
    let word = Path::new(word);
    word == file || directory.join(word) == directory.join(file)
}

/// Splits a command as a shell would, without expanding anything. `None` if a
/// quote is never closed.
fn split_command(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn splits_like_a_shell() {
        let split = split_command(r#"cc  -DA="x y" '-DB="q"' -DC=\"z\" a\ b.c "" "#);
        let expected = ["cc", "-DA=x y", "-DB=\"q\"", "-DC=\"z\"", "a b.c", ""];
        assert_eq!(split.unwrap(), expected);
        assert_eq!(split_command("cc 'a"), None);
        assert_eq!(split_command("cc \"a\\"), None);
    }

    #[test]
    fn keeps_what_matters() {
        let command =
            "ccache cc -Iinc -O2 -DX=1 -MD -MF a.d -MT a.o -c -o a.o src/a.c -Werror -std=c11";
        let args = relevant_args(&words(command), Path::new("src/a.c"), Path::new("/p"));
        assert_eq!(args, words("-Iinc -DX=1 -std=c11"));
        let absolute = relevant_args(&words("cc /p/a.c -I ."), Path::new("a.c"), Path::new("/p"));
        assert_eq!(absolute, words("-I ."));
    }
}
