//! Signs of life while something takes long: a line on standard error, if that
//! is a terminal; and the reasons to stop early, time and Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub struct Watch {
    start: Instant,
    limit: Option<Duration>,
    interrupted: Arc<AtomicBool>,
    last_shown: Option<Instant>,
    is_terminal: bool,
}

impl Watch {
    pub fn start(seconds: Option<u64>) -> Watch {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        // Without a handler Ctrl-C still ends the process, only with less to say.
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
        Watch {
            start: Instant::now(),
            limit: seconds.map(Duration::from_secs),
            interrupted,
            last_shown: None,
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Shows how far things are, now and then, and tells whether to go on.
    pub fn keep_going(&mut self, describe: impl FnOnce() -> String) -> bool {
        let now = Instant::now();
        let since = self.last_shown.unwrap_or(self.start);
        if self.is_terminal && now - since > Duration::from_secs(1) {
            self.last_shown = Some(now);
            let seconds = (now - self.start).as_secs();
            eprint!("\r\x1b[K{seconds} s: {}", describe());
            let _ = std::io::stderr().flush();
        }
        let in_time = self.limit.is_none_or(|limit| now - self.start < limit);
        in_time && !self.interrupted.load(Ordering::Relaxed)
    }

    /// Clears the line.
    pub fn finish(&self) {
        if self.last_shown.is_some() {
            eprint!("\r\x1b[K");
            let _ = std::io::stderr().flush();
        }
    }
}
