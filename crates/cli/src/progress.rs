//! Signs of life while something takes long: a line on standard error, if that
//! is a terminal; and the reasons to stop early: time, Ctrl-C, and the signals that
//! end processes. Decides nothing else about the work.

use crate::{Status, print, say, terminal_width};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Between two lines: often enough to look alive, and not worth the time.
const INTERVAL: Duration = Duration::from_millis(100);

/// What shells say of a process that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// Whether there is a line on standard error that has to be cleared.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed, or the process told to end.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What to say if the user does not want to wait and nobody else can answer.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// May be asked by several threads at once.
pub struct Watch {
    start: Instant,
    limit: Option<Duration>,
    last_shown: Mutex<Instant>,
    /// What the user has been told.
    warned: Mutex<BTreeSet<String>>,
    is_terminal: bool,
}

impl Watch {
    pub fn start(seconds: Option<u64>) -> Watch {
        // Without a handler Ctrl-C still ends the process, only with less to say.
        let _ = ctrlc::set_handler(|| {
            // Whoever presses it twice does not want to wait for an answer.
            if IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
                clear();
                std::process::exit(INTERRUPTED);
            }
            if let Some(words) = LAST_WORDS.lock().ok().and_then(|mut words| words.take()) {
                clear();
                let _ = print(words);
                std::process::exit(Status::Unknown as i32);
            }
        });
        let start = Instant::now();
        Watch {
            start,
            limit: seconds.map(Duration::from_secs),
            last_shown: Mutex::new(start),
            warned: Mutex::default(),
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Shows how far things are, now and then, and tells whether to go on.
    pub fn keep_going(&self, describe: impl FnOnce() -> String) -> bool {
        let now = Instant::now();
        if self.is_terminal {
            self.show(now, describe);
        }
        let in_time = self.limit.is_none_or(|limit| now - self.start < limit);
        in_time && !IS_INTERRUPTED.load(Ordering::Relaxed)
    }

    /// Keeps the line alive while work goes on that seldom says where it is.
    pub fn accompany<R>(
        &self,
        describe: impl Fn() -> Option<String> + Send,
        work: impl FnOnce() -> R,
    ) -> R {
        std::thread::scope(|scope| {
            // Dropped at the end of the work, however it ends.
            let (_end, ended) = channel::<()>();
            if self.is_terminal {
                scope.spawn(move || {
                    while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                        if let Some(text) = describe() {
                            self.show(Instant::now(), || text);
                        }
                    }
                });
            }
            work()
        })
    }

    fn show(&self, now: Instant, describe: impl FnOnce() -> String) {
        // Somebody else is at it, or has failed at it: either way there is no need.
        let Ok(mut last_shown) = self.last_shown.try_lock() else {
            return;
        };
        if now.saturating_duration_since(*last_shown) < INTERVAL {
            return;
        }
        *last_shown = now;
        let seconds = (now - self.start).as_secs();
        let ending = match IS_INTERRUPTED.load(Ordering::Relaxed) {
            true => "stopping, ",
            false => "",
        };
        let line = format!("{seconds} s: {ending}{}", describe());
        // A line that wraps could not be cleared.
        let line: String = line
            .chars()
            .take(terminal_width().saturating_sub(1))
            .collect();
        IS_SHOWN.store(true, Ordering::Relaxed);
        say(format!("\r\x1b[K{line}"));
    }

    /// While these are there, an interruption ends the process at once with them.
    pub fn leave_last_words(&self, words: Option<String>) {
        if let Ok(mut last_words) = LAST_WORDS.lock() {
            *last_words = words;
        }
    }

    /// Tells the user of something that went wrong, once, and at once.
    pub fn warn(&self, what: &str) {
        let Ok(mut warned) = self.warned.lock() else {
            return;
        };
        if warned.insert(what.to_owned()) {
            clear();
            say(format!("threadbare: warning: {what}\n"));
        }
    }

    pub fn finish(&self) {
        clear();
    }
}

/// Clears the line.
fn clear() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        say("\r\x1b[K");
    }
}
