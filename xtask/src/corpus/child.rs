//! Runs a process within limits that it cannot escape, and tells how it ended.
//! Knows nothing of what it says.

use std::fs;
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at the process.
const INTERVAL: Duration = Duration::from_millis(20);

pub(super) struct Limits {
    pub time: Duration,
    /// Resident bytes.
    pub memory: u64,
}

/// How a process ended.
pub(super) struct End {
    pub status: ExitStatus,
    /// Why it was killed, if so.
    pub killed: Option<&'static str>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub elapsed: Duration,
    /// The most resident bytes that were seen.
    pub peak_memory: u64,
}

pub(super) fn run(command: &mut Command, limits: &Limits) -> io::Result<End> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Somebody has to read, or a process with much to say would stop.
    let stdout = read_all(child.stdout.take());
    let stderr = read_all(child.stderr.take());
    let mut peak_memory = 0;
    let mut killed = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak_memory = peak_memory.max(memory_of(child.id(), "VmHWM:"));
        if start.elapsed() > limits.time {
            killed = Some("does not keep to its time");
        } else if memory_of(child.id(), "VmRSS:") > limits.memory {
            killed = Some("does not keep to its memory");
        }
        if killed.is_some() {
            child.kill()?;
            break child.wait()?;
        }
        thread::sleep(INTERVAL);
    };
    Ok(End {
        status,
        killed,
        elapsed: start.elapsed(),
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        peak_memory,
    })
}

fn read_all(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What can be read is all there is.
            let _ = stream.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// 0 if the system does not tell, or the process is gone.
fn memory_of(process: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let value = status.lines().find_map(|line| line.strip_prefix(field));
    let kibibytes = value.and_then(|value| value.trim().strip_suffix("kB")?.trim().parse().ok());
    kibibytes.map_or(0, |number: u64| number * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_shell(script: &str, seconds: u64) -> End {
        let limits = Limits {
            time: Duration::from_secs(seconds),
            memory: 1 << 30,
        };
        run(Command::new("sh").args(["-c", script]), &limits).expect("should start")
    }

    #[test]
    fn output_and_exit_code_are_kept() {
        let end = run_shell("echo out; echo err >&2; exit 20", 60);
        assert_eq!(end.status.code(), Some(20));
        assert_eq!(end.stdout, b"out\n");
        assert_eq!(end.stderr, b"err\n");
        assert_eq!(end.killed, None);
    }

    #[test]
    fn a_process_that_hangs_is_killed() {
        let end = run_shell("exec sleep 60", 1);
        assert_eq!(end.killed, Some("does not keep to its time"));
        assert_eq!(end.status.code(), None);
        assert!(end.elapsed < Duration::from_secs(30));
    }
}
