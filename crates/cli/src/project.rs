//! `threadbare.toml`: options that are kept beside the sources. They become words
//! of a command line, so that they mean what they mean there; what the user has
//! written wins.

use crate::Failure;
use crate::args::Arguments;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const FILE: &str = "threadbare.toml";

/// The table whose tables are single checks, by name.
const CHECKS: &str = "check";

/// Options that run programs, or have them loaded: whoever only looks at sources
/// does not want them from a file that came with these.
const TRUSTED: [&str; 3] = ["clang", "solver", "clang-options"];

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("{}: {problem}", path.display())]
    Syntax { path: PathBuf, problem: String },
    #[error("{}:{line}: there is no option `{key}`", path.display())]
    UnknownKey {
        path: PathBuf,
        line: usize,
        key: String,
    },
    #[error("{}:{line}: `{key}` takes {expected}", path.display())]
    WrongValue {
        path: PathBuf,
        line: usize,
        key: String,
        expected: &'static str,
    },
    #[error("{}:{line}: `{key}` runs programs, so it counts only with --config NAME", path.display())]
    Untrusted {
        path: PathBuf,
        line: usize,
        key: String,
    },
    #[error("{}: there is no [{CHECKS}.{name}]", path.display())]
    NoSuchCheck { path: PathBuf, name: String },
    #[error("there is no {}", path.display())]
    NoFile { path: PathBuf },
}

/// The command line together with what the project's file says; the file, if there
/// is one.
pub(crate) fn complete(words: Vec<OsString>) -> Result<(Vec<OsString>, Option<PathBuf>), Failure> {
    let mut command = Arguments::command();
    command.build();
    // What is wrong with the command line is told when it is read in the end.
    let Ok(matches) = command.clone().try_get_matches_from(&words) else {
        return Ok((words, None));
    };
    let Some((name, matches)) = matches.subcommand() else {
        return Ok((words, None));
    };
    let Some(subcommand) = command.find_subcommand(name) else {
        return Ok((words, None));
    };
    // Only commands about programs have files of sources.
    if !subcommand
        .get_arguments()
        .any(|arg| arg.get_id() == "config")
    {
        return Ok((words, None));
    }
    let folder = folder_of(matches);
    let path = folder.join(FILE);
    let chosen: Option<&String> = matches.get_one("config");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && chosen.is_none() => {
            return Ok((words, None));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Problem::NoFile { path }.into());
        }
        Err(error) => return Err(Failure::Read { path, error }),
    };
    let project = Project {
        command: &command,
        subcommand,
        matches,
        path: &path,
        folder: &folder,
        text: &text,
        is_asked_for: chosen.is_some(),
    };
    let (options, last) = project.words(chosen.map(String::as_str))?;
    // Before what the user has written, but after the name of the command.
    let position = words.iter().position(|word| word == name);
    let position = position.map_or(words.len(), |position| position + 1);
    let mut all = words;
    let has_last = all.iter().any(|word| word == "--");
    all.splice(position..position, options);
    if !last.is_empty() && !has_last {
        all.push("--".into());
        all.extend(last);
    }
    Ok((all, Some(path)))
}

fn folder_of(matches: &ArgMatches) -> PathBuf {
    let first = matches.get_many::<PathBuf>("files");
    let first = first.and_then(|mut files| files.next());
    let parent = first.and_then(|file| file.parent());
    parent.map(Path::to_owned).unwrap_or_default()
}

struct Project<'p> {
    command: &'p Command,
    subcommand: &'p Command,
    /// What the user has written.
    matches: &'p ArgMatches,
    path: &'p Path,
    folder: &'p Path,
    text: &'p str,
    /// The user has named it.
    is_asked_for: bool,
}

type Entry<'p> = (&'p str, usize, &'p DeValue<'p>);

impl Project<'_> {
    /// Words for the command line, and those that go to clang.
    fn words(&self, chosen: Option<&str>) -> Result<(Vec<OsString>, Vec<OsString>), Problem> {
        let syntax = |error: toml::de::Error| Problem::Syntax {
            path: self.path.to_owned(),
            problem: error.to_string().trim_end().to_owned(),
        };
        let table = DeTable::parse(self.text).map_err(syntax)?;
        let general = self.entries(table.get_ref());
        let mut checks = Vec::new();
        let mut options = Vec::new();
        for entry in general {
            match entry {
                (CHECKS, line, DeValue::Table(table)) => {
                    for (name, line, value) in self.entries(table) {
                        let DeValue::Table(table) = value else {
                            return Err(self.wrong(name, line, "a table of options"));
                        };
                        checks.push((name, self.entries(table)));
                    }
                    let _ = line;
                }
                entry => options.push(entry),
            }
        }
        // All of them are looked at, so that mistakes show at once.
        let every = checks.iter().flat_map(|(_, entries)| entries);
        for (key, line, _) in options.iter().chain(every) {
            self.check_key(key, *line)?;
        }
        if let Some(name) = chosen {
            let Some((_, entries)) = checks.into_iter().find(|(known, _)| *known == name) else {
                return Err(Problem::NoSuchCheck {
                    path: self.path.to_owned(),
                    name: name.to_owned(),
                });
            };
            options.retain(|(key, _, _)| !self.is_overridden(key, &entries));
            options.extend(entries);
        }
        let (mut words, mut last) = (Vec::new(), Vec::new());
        for (key, line, value) in options {
            let Some(arg) = argument(self.subcommand, key) else {
                // Another command has it.
                continue;
            };
            if TRUSTED.contains(&key) && !self.is_asked_for {
                return Err(Problem::Untrusted {
                    path: self.path.to_owned(),
                    line,
                    key: key.to_owned(),
                });
            }
            if self.is_written(arg) {
                continue;
            }
            let list = if arg.is_last_set() {
                &mut last
            } else {
                &mut words
            };
            self.add(arg, key, line, value, list)?;
        }
        Ok((words, last))
    }

    fn entries<'t>(&self, table: &'t DeTable<'t>) -> Vec<Entry<'t>> {
        let entry = |(key, value): (&'t Spanned<_>, &'t Spanned<DeValue<'t>>)| {
            let key: &'t Spanned<std::borrow::Cow<'t, str>> = key;
            (
                &**key.get_ref(),
                self.line(key.span().start),
                value.get_ref(),
            )
        };
        let mut entries: Vec<Entry<'t>> = table.iter().map(entry).collect();
        entries.sort_by_key(|(_, line, _)| *line);
        entries
    }

    fn line(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }

    fn wrong(&self, key: &str, line: usize, expected: &'static str) -> Problem {
        Problem::WrongValue {
            path: self.path.to_owned(),
            line,
            key: key.to_owned(),
            expected,
        }
    }

    fn check_key(&self, key: &str, line: usize) -> Result<(), Problem> {
        let mut commands = self.command.get_subcommands();
        match commands.any(|command| argument(command, key).is_some()) {
            true => Ok(()),
            false => Err(Problem::UnknownKey {
                path: self.path.to_owned(),
                line,
                key: key.to_owned(),
            }),
        }
    }

    /// Whether a check says the same or the opposite of what holds for all.
    fn is_overridden(&self, key: &str, entries: &[Entry]) -> bool {
        let Some(arg) = argument(self.subcommand, key) else {
            return false;
        };
        let conflicts = self.subcommand.get_arg_conflicts_with(arg);
        entries.iter().any(|(other, _, _)| {
            let other = argument(self.subcommand, other);
            other.is_some_and(|other| {
                let is_it = |one: &Arg| one.get_id() == other.get_id();
                let theirs = self.subcommand.get_arg_conflicts_with(other);
                is_it(arg)
                    || conflicts.iter().any(|one| is_it(one))
                    || theirs.iter().any(|one| one.get_id() == arg.get_id())
            })
        })
    }

    /// Whether the user has written the option, or one that does not go with it.
    fn is_written(&self, arg: &Arg) -> bool {
        let is_given = |one: &Arg| {
            let source = self.matches.value_source(one.get_id().as_str());
            source == Some(ValueSource::CommandLine)
        };
        let conflicts = self.subcommand.get_arg_conflicts_with(arg);
        let others = self.subcommand.get_arguments().filter(|one| is_given(one));
        let mut others = others.filter(|one| {
            let theirs = self.subcommand.get_arg_conflicts_with(one);
            theirs.iter().any(|other| other.get_id() == arg.get_id())
        });
        is_given(arg) || conflicts.into_iter().any(is_given) || others.next().is_some()
    }

    fn add(
        &self,
        arg: &Arg,
        key: &str,
        line: usize,
        value: &DeValue,
        words: &mut Vec<OsString>,
    ) -> Result<(), Problem> {
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            return match value {
                DeValue::Boolean(false) => Ok(()),
                DeValue::Boolean(true) => {
                    words.push(format!("--{key}").into());
                    Ok(())
                }
                _ => Err(self.wrong(key, line, "true or false")),
            };
        }
        let is_list = matches!(arg.get_action(), ArgAction::Append);
        let values: Vec<&DeValue> = match value {
            DeValue::Array(values) if is_list => values.iter().map(Spanned::get_ref).collect(),
            DeValue::Array(_) => return Err(self.wrong(key, line, "one value")),
            value => vec![value],
        };
        for value in values {
            let text = match value {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) => number.to_string(),
                DeValue::Float(number) => number.to_string(),
                _ => return Err(self.wrong(key, line, "texts or numbers")),
            };
            let text = match is_path(arg, &text) {
                true => self.folder.join(text).display().to_string(),
                false => text,
            };
            words.push(match (arg.get_long(), arg.get_short()) {
                (Some(long), _) => format!("--{long}={text}").into(),
                (None, Some(short)) => format!("-{short}{text}").into(),
                // A name that begins with a dash is a name.
                (None, None) if text.starts_with('-') && !arg.is_last_set() => {
                    format!("./{text}").into()
                }
                (None, None) => text.into(),
            });
        }
        Ok(())
    }
}

/// The option of a command that is written so: by its long name, or by what it is
/// about if it has a letter only.
fn argument<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    let mut args = command.get_arguments();
    args.find(|arg| {
        let id = arg.get_id().as_str();
        let is_chosen_by_name = matches!(id, "help" | "version" | "config");
        !is_chosen_by_name
            && match arg.get_long() {
                Some(long) => long == key,
                None => id.replace('_', "-") == key,
            }
    })
}

/// Whether a value is a path, and so relative to the file that it stands in.
fn is_path(arg: &Arg, text: &str) -> bool {
    let paths = clap::builder::ValueParser::path_buf();
    match arg.get_id().as_str() {
        "include" => true,
        // Names are looked up where programs are.
        "clang" | "solver" => text.contains('/'),
        _ => arg.get_value_parser().type_id() == paths.type_id(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(toml: &str, line: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(FILE), toml).expect("a file");
        let place = folder.path().display().to_string();
        let line = line.replace("DIR", &place);
        let words = line.split(' ').map(OsString::from).collect();
        let shown = |text: String| text.replace(&format!("{place}/"), "DIR/");
        match complete(words) {
            Err(failure) => Err(shown(failure.to_string())),
            Ok((words, _)) => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                Ok(shown(words.join(" ")))
            }
        }
    }

    #[test]
    fn options_of_the_project_and_of_a_check() {
        let toml = "time = 60\nproperty = [\"race\", \"assert\"]\n[check.queue]\n\
                    files = [\"queue.c\"]\ntime = 5\nall-violations = true\ndefine = \"N=2\"\n";
        let known = words(toml, "threadbare check DIR/a.c").unwrap();
        let expected = "threadbare check --time=60 --property=race --property=assert DIR/a.c";
        assert_eq!(known, expected);
        let known = words(toml, "threadbare check DIR/a.c --config queue").unwrap();
        let expected = "threadbare check --property=race --property=assert --time=5 \
                        --all-violations -DN=2 DIR/a.c --config queue";
        assert_eq!(known, expected);
    }

    #[test]
    fn what_the_user_writes_wins() {
        let toml = "contexts = 4\nunwind = 3\nproperty = \"race\"\nclang-options = [\"-O1\"]\n\
                    [check.x]\nrounds = 2\n";
        let line = "threadbare check DIR/a.c --config x --unwind 5 -- -O0";
        let expected = "threadbare check --property=race --rounds=2 DIR/a.c --config x --unwind 5 \
                        -- -O0";
        assert_eq!(words(toml, line).as_deref(), Ok(expected));
        let line = "threadbare check DIR/a.c --config x --contexts 7 --property assert";
        let expected = "threadbare check --unwind=3 DIR/a.c --config x --contexts 7 --property \
                        assert -- -O1";
        assert_eq!(words(toml, line).as_deref(), Ok(expected));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let line = "threadbare check DIR/a.c";
        for (toml, expected) in [
            (
                "time = 1\nspeed = 2\n",
                "DIR/threadbare.toml:2: there is no option `speed`",
            ),
            (
                "[check.a]\nspeed = 2\n",
                "DIR/threadbare.toml:2: there is no option `speed`",
            ),
            (
                "stats = 1\n",
                "DIR/threadbare.toml:1: `stats` takes true or false",
            ),
            (
                "time = [1, 2]\n",
                "DIR/threadbare.toml:1: `time` takes one value",
            ),
            (
                "[check]\na = 1\n",
                "DIR/threadbare.toml:2: `a` takes a table of options",
            ),
            (
                "clang = \"./mine\"\n",
                "DIR/threadbare.toml:1: `clang` runs programs, so it counts only with --config NAME",
            ),
        ] {
            assert_eq!(words(toml, line), Err(expected.to_owned()));
        }
        let line = "threadbare check DIR/a.c --config b";
        let expected = "DIR/threadbare.toml: there is no [check.b]";
        assert_eq!(words("[check.a]\n", line), Err(expected.to_owned()));
        assert!(words("time = = 3", line).is_err_and(|error| error.contains("line 1")));
    }

    #[test]
    fn other_commands_take_what_they_have() {
        let known = words("unwind = 2\nstats = true\n", "threadbare run DIR/a.c");
        assert_eq!(known.as_deref(), Ok("threadbare run --unwind=2 DIR/a.c"));
    }
}
