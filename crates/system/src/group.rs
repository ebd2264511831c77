//! Child processes that end when they should: at a limit, at every exit, and with
//! all that they have started.
//!
//! A [`Group`] is a program with its descendants, as a process group of its own, so
//! that Ctrl-C in a terminal does not reach it by itself and one signal reaches all of
//! it. It is ended when it is dropped, and [`end_all`] ends those that are left when
//! the process is about to exit without dropping anything. What the programs are for
//! is no concern of this module.

use crate::memory;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Groups that may have processes. Nobody holds the lock for long.
static AT_WORK: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn at_work() -> MutexGuard<'static, BTreeSet<i32>> {
    AT_WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all groups, for those who are about to exit.
pub fn end_all() {
    for group in at_work().iter() {
        if let Some(group) = Pid::from_raw(*group) {
            // One that has ended is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// A program that runs, and all that it has started.
#[derive(Debug)]
pub struct Group {
    child: Child,
    id: Pid,
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts a program, which may have so many bytes of data, if that is limited; so
    /// may each of its descendants.
    pub fn start(command: &mut Command, memory: Option<u64>) -> io::Result<Group> {
        command.process_group(0);
        // Held until the group is noted: whoever is about to exit must know of it.
        let mut groups = at_work();
        let child = command.spawn()?;
        let id = Pid::from_child(&child);
        groups.insert(id.as_raw_nonzero().get());
        drop(groups);
        if let Some(bytes) = memory {
            limit_data(id, bytes);
        }
        Ok(Group {
            child,
            id,
            status: None,
        })
    }

    /// The program itself; its streams may be taken from it.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Bytes of memory that the program and its descendants use.
    pub fn resident(&self) -> u64 {
        memory::of_group(self.id.as_raw_nonzero().get())
    }

    /// How the program ended, if it has; its descendants end with it.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_some() {
            return Ok(self.status);
        }
        // It is left to be waited for, so that its number, which is that of the group,
        // cannot belong to another process before the group is ended.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let has_ended = waitid(WaitId::Pid(self.id), options)?.is_some();
        match has_ended {
            true => self.end().map(Some),
            false => Ok(None),
        }
    }

    /// Ends the program and its descendants.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        // There may be nobody left, which is what is wanted.
        let _ = kill_process_group(self.id, Signal::KILL);
        let status = self.child.wait()?;
        at_work().remove(&self.id.as_raw_nonzero().get());
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // It is about to be forgotten: nobody can be told.
        let _ = self.end();
    }
}

/// A process that is gone already needs no limit.
#[cfg(target_os = "linux")]
fn limit_data(process: Pid, bytes: u64) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    let _ = prlimit(Some(process), Resource::Data, limit);
}

/// Elsewhere, only what is in use is looked at.
#[cfg(not(target_os = "linux"))]
fn limit_data(_: Pid, _: u64) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn is_running(process: i32) -> bool {
        Pid::from_raw(process)
            .is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
    }

    #[test]
    fn descendants_end_with_the_program() {
        let folder = tempfile::tempdir().expect("there should be room");
        let note = folder.path().join("id");
        let script = format!("sleep 60 & echo $! > {}", note.display());
        let mut group = Group::start(Command::new("sh").args(["-c", &script]), None)
            .expect("there should be a shell");
        let start = Instant::now();
        while group.try_wait().expect("it is ours").is_none() {
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = std::fs::read_to_string(note).expect("the shell has written it");
        let id: i32 = id.trim().parse().expect("it is a number");
        // Whoever adopts it may take a moment to notice that it has ended.
        while is_running(id) && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z"), "{state}");
    }

    #[test]
    fn a_group_that_is_dropped_is_ended() {
        let mut group =
            Group::start(Command::new("sleep").arg("60"), None).expect("there should be a sleep");
        let id = group.child().id() as i32;
        assert!(is_running(id) && at_work().contains(&id));
        drop(group);
        assert!(!is_running(id) && !at_work().contains(&id));
    }
}
