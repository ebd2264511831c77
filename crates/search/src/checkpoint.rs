//! What is closed, in a file, so that a later run can go on from there.
//!
//! A strategy names each part of the space by a key that means the same in every
//! run on the same problem. The file holds the keys of the parts that are closed;
//! it is written beside the old one and then put in its place, so that whatever
//! happens, one of the two is there and whole. It is used only for the problem it
//! was made for: same program, same bounds, same strategy.

use crate::seal::{Key, SealError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Changes when the meaning of keys does.
const FORMAT: u32 = 2;

/// Of all time, at most one part in this many is spent on writing.
const PART: u32 = 20;

/// What a checkpoint belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Digest of the program.
    pub program: String,
    /// Everything else that the formula depends on, as text.
    pub bounds: String,
    /// The strategy, with what its parts depend on.
    pub strategy: String,
}

#[derive(Clone, Debug)]
pub struct Checkpoint {
    path: PathBuf,
    /// What the file is sealed with, if anything.
    key: Option<Key>,
    identity: Identity,
    closed: BTreeSet<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("cannot read {}: {error}", path.display())]
    Read {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{}: {problem}", path.display())]
    Seal { path: PathBuf, problem: SealError },
    #[error("{}: not a checkpoint: {problem}", path.display())]
    Malformed { path: PathBuf, problem: String },
    /// It was made for something else.
    #[error("{}: made for another {what}: {theirs}, not {ours}", path.display())]
    Misfit {
        path: PathBuf,
        what: &'static str,
        theirs: String,
        ours: String,
    },
}

#[derive(Serialize, Deserialize)]
struct File {
    #[serde(flatten)]
    content: Content,
    seal: Option<String>,
}

/// What the seal is about.
#[derive(Serialize, Deserialize)]
struct Content {
    format: u32,
    #[serde(flatten)]
    identity: Identity,
    closed: BTreeSet<String>,
}

impl Checkpoint {
    /// Reads a checkpoint; a file that does not exist is an empty one.
    pub fn open(
        path: &Path,
        identity: Identity,
        key: Option<Key>,
    ) -> Result<Checkpoint, CheckpointError> {
        let text = match system::files::read_text(path, system::files::MOST_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Checkpoint {
                    path: path.to_owned(),
                    key,
                    identity,
                    closed: BTreeSet::new(),
                });
            }
            Err(error) => {
                return Err(CheckpointError::Read {
                    path: path.to_owned(),
                    error,
                });
            }
        };
        let malformed = |problem: String| CheckpointError::Malformed {
            path: path.to_owned(),
            problem,
        };
        let file: File =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        let content = file.content;
        if content.format != FORMAT {
            return Err(malformed(format!("its format is {}", content.format)));
        }
        if let Some(key) = &key {
            let checked = key.check(&content, file.seal.as_deref());
            checked.map_err(|problem| CheckpointError::Seal {
                path: path.to_owned(),
                problem,
            })?;
        }
        let theirs = content.identity;
        let pairs = [
            ("program", &theirs.program, &identity.program),
            ("question", &theirs.bounds, &identity.bounds),
            ("strategy", &theirs.strategy, &identity.strategy),
        ];
        for (what, theirs, ours) in pairs {
            if theirs != ours {
                return Err(CheckpointError::Misfit {
                    path: path.to_owned(),
                    what,
                    theirs: theirs.clone(),
                    ours: ours.clone(),
                });
            }
        }
        Ok(Checkpoint {
            path: path.to_owned(),
            key,
            identity,
            closed: content.closed,
        })
    }

    /// How many parts are closed.
    pub fn n_closed(&self) -> usize {
        self.closed.len()
    }

    fn write(&self) -> std::io::Result<()> {
        let content = Content {
            format: FORMAT,
            identity: self.identity.clone(),
            closed: self.closed.clone(),
        };
        let seal = self
            .key
            .as_ref()
            .map(|key| key.seal(&content))
            .transpose()?;
        let file = File { content, seal };
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut new, &file)?;
        new.write_all(b"\n")?;
        new.as_file().sync_all()?;
        new.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// A checkpoint in use, if one is wanted.
pub(crate) struct Journal {
    checkpoint: Option<Checkpoint>,
    has_changed: bool,
    next: Instant,
}

impl Journal {
    pub(crate) fn new(checkpoint: Option<Checkpoint>) -> Journal {
        Journal {
            checkpoint,
            has_changed: false,
            next: Instant::now(),
        }
    }

    pub(crate) fn is_closed(&self, key: &str) -> bool {
        let checkpoint = self.checkpoint.as_ref();
        checkpoint.is_some_and(|checkpoint| checkpoint.closed.contains(key))
    }

    /// Whether some key that begins so is closed.
    pub(crate) fn is_closed_within(&self, prefix: &str) -> bool {
        self.checkpoint.as_ref().is_some_and(|checkpoint| {
            let next = checkpoint.closed.range(prefix.to_owned()..).next();
            next.is_some_and(|key| key.starts_with(prefix))
        })
    }

    pub(crate) fn close(&mut self, key: String) {
        if let Some(checkpoint) = &mut self.checkpoint {
            self.has_changed |= checkpoint.closed.insert(key);
        }
    }

    /// Notes that one of two halves is closed: if both are, their whole is. The
    /// last character tells the halves apart.
    pub(crate) fn close_half(&mut self, mut key: String) {
        let Some(checkpoint) = &mut self.checkpoint else {
            return;
        };
        self.has_changed = true;
        while let Some(side) = key.pop() {
            let sibling = format!("{key}{}", if side == '0' { '1' } else { '0' });
            if !checkpoint.closed.remove(&sibling) {
                key.push(side);
                break;
            }
        }
        checkpoint.closed.insert(key);
    }

    /// Replaces all keys that begin so by this one.
    pub(crate) fn close_around(&mut self, key: String) {
        let Some(checkpoint) = &mut self.checkpoint else {
            return;
        };
        let within: Vec<String> = checkpoint
            .closed
            .range(key.clone()..)
            .take_while(|other| other.starts_with(&key))
            .cloned()
            .collect();
        for other in within {
            checkpoint.closed.remove(&other);
        }
        self.close(key);
    }

    /// Writes the file if something has changed, and if it is time to or the end
    /// has come.
    pub(crate) fn save(&mut self, is_end: bool) -> Result<(), String> {
        let Some(checkpoint) = &self.checkpoint else {
            return Ok(());
        };
        let start = Instant::now();
        if !self.has_changed || (start < self.next && !is_end) {
            return Ok(());
        }
        self.has_changed = false;
        let result = checkpoint
            .write()
            .map_err(|error| format!("cannot write {}: {error}", checkpoint.path.display()));
        self.next = Instant::now() + (start.elapsed() * PART).min(Duration::from_secs(10));
        result
    }
}
