//! Runs a program for what it prints, within limits.
//!
//! The output comes through pipes that threads empty. A descendant that has left the
//! group could keep a pipe open for ever; nobody waits for it: what was printed then
//! counts as incomplete.

use crate::{Group, memory};
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What a program may take. The default is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub deadline: Option<Instant>,
    /// Bytes of memory, those of this process included.
    pub memory: Option<u64>,
    /// Bytes that it may print.
    pub output: Option<u64>,
}

/// A program that has ended, and what it printed.
#[derive(Debug)]
pub struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Why there is no output, or not all of it.
#[derive(Debug)]
pub enum Failed {
    Start(io::Error),
    Time,
    Memory,
    /// It printed more than it may.
    TooMuch,
    /// It has ended, but something else keeps its output open.
    KeptOpen,
}

/// Between two looks at a program; while it prints, and after.
const PAUSE: Duration = Duration::from_millis(10);
const SHORT_PAUSE: Duration = Duration::from_micros(200);
/// Between two looks at its memory, for which all processes are looked at.
const MEMORY_PAUSE: Duration = Duration::from_millis(20);
/// For what is still in a pipe when its program has ended.
const LAST_BYTES: Duration = Duration::from_secs(2);

/// Runs a program to its end.
pub fn output(command: &mut Command, limits: &Limits) -> Result<Output, Failed> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let rest = limits
        .memory
        .map(|limit| limit.saturating_sub(memory::resident().unwrap_or(0)).max(1));
    let mut group = Group::start(command, rest).map_err(Failed::Start)?;
    let child = group.child();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let most = limits.output.unwrap_or(u64::MAX);
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
        return Err(Failed::Start(io::Error::other("no pipes")));
    };
    let mut stdout = Reading::start(stdout, most).map_err(Failed::Start)?;
    let mut stderr = Reading::start(stderr, most).map_err(Failed::Start)?;
    let mut next_look_at_memory = Instant::now() + MEMORY_PAUSE;
    let status = loop {
        if let Some(status) = group.try_wait().map_err(Failed::Start)? {
            break status;
        }
        if is_over(limits.deadline) {
            return Err(Failed::Time);
        }
        if let Some(limit) = limits.memory
            && Instant::now() >= next_look_at_memory
        {
            if group.resident() + memory::resident().unwrap_or(0) > limit {
                return Err(Failed::Memory);
            }
            next_look_at_memory = Instant::now() + MEMORY_PAUSE;
        }
        // A program that has closed its output is about to end.
        stdout.wait();
        if stdout.is_too_much() || stderr.is_too_much() {
            return Err(Failed::TooMuch);
        }
    };
    let last = Instant::now() + LAST_BYTES;
    let last = limits.deadline.map_or(last, |deadline| deadline.min(last));
    Ok(Output {
        status,
        stdout: stdout.finish(last)?,
        stderr: stderr.finish(last)?,
    })
}

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// One stream on its way.
struct Reading {
    result: Receiver<Option<Vec<u8>>>,
    /// Once it is there; `None` within: too much.
    read: Option<Option<Vec<u8>>>,
}

impl Reading {
    fn start(stream: impl Read + Send + 'static, most: u64) -> io::Result<Reading> {
        let (sender, result) = channel();
        // It ends with the stream, and nobody waits for it longer than need be.
        let work = move || {
            let mut bytes = Vec::new();
            let _ = stream.take(most.saturating_add(1)).read_to_end(&mut bytes);
            let is_fine = bytes.len() as u64 <= most;
            let _ = sender.send(is_fine.then_some(bytes));
        };
        std::thread::Builder::new().spawn(work)?;
        Ok(Reading { result, read: None })
    }

    /// Waits a moment, or until all is read.
    fn wait(&mut self) {
        match self.read {
            Some(_) => std::thread::sleep(SHORT_PAUSE),
            None => self.read = self.result.recv_timeout(PAUSE).ok(),
        }
    }

    fn is_too_much(&mut self) -> bool {
        if self.read.is_none() {
            self.read = self.result.try_recv().ok();
        }
        matches!(self.read, Some(None))
    }

    fn finish(self, last: Instant) -> Result<Vec<u8>, Failed> {
        let rest = last.saturating_duration_since(Instant::now());
        let read = match self.read {
            Some(read) => Ok(read),
            None => self.result.recv_timeout(rest),
        };
        match read {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(Failed::TooMuch),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(Failed::KeptOpen)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limits: &Limits) -> (Result<Output, Failed>, Duration) {
        let start = Instant::now();
        let output = output(Command::new("sh").args(["-c", script]), limits);
        (output, start.elapsed())
    }

    fn seconds(number: u64) -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(number))
    }

    #[test]
    fn both_streams_are_read() {
        let (output, _) = shell("echo one; echo two >&2; exit 3", &Limits::default());
        let output = output.expect("it ends by itself");
        assert_eq!(
            (&*output.stdout, &*output.stderr),
            (&b"one\n"[..], &b"two\n"[..])
        );
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn nobody_waits_for_what_a_program_leaves_behind() {
        let (output, time) = shell("sleep 60 & echo here", &Limits::default());
        assert_eq!(output.expect("it ends by itself").stdout, b"here\n");
        assert!(time < Duration::from_secs(30), "{time:?}");
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let limits = Limits {
            deadline: seconds(1),
            ..Limits::default()
        };
        let (output, time) = shell("sleep 60", &limits);
        assert!(matches!(output, Err(Failed::Time)), "{output:?}");
        assert!(time < Duration::from_secs(30), "{time:?}");
    }

    #[test]
    fn a_program_may_not_print_without_end() {
        let limits = Limits {
            output: Some(1 << 20),
            ..Limits::default()
        };
        let (output, _) = shell("yes", &limits);
        assert!(matches!(output, Err(Failed::TooMuch)), "{output:?}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_may_not_take_all_memory() {
        let own = memory::resident().unwrap_or(0);
        let limits = Limits {
            deadline: seconds(30),
            memory: Some(own + (100 << 20)),
            ..Limits::default()
        };
        // Where awk has no more to say than that there is no memory, it ends.
        let (output, time) = shell(
            "awk 'BEGIN { while (1) a[n++] = \"xxxxxxxxxxxx\" n }'",
            &limits,
        );
        let has_ended = match output {
            Err(Failed::Memory) => true,
            Ok(output) => !output.status.success(),
            Err(_) => false,
        };
        assert!(has_ended && time < Duration::from_secs(30), "{time:?}");
    }
}
