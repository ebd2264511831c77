//! Signs of life while something takes long: a line on standard error, if that
//! is a terminal; and the reasons to stop early: time, Ctrl-C, and the signals that
//! end processes. Decides nothing else about the work.

use crate::args::Limits;
use crate::{guard, say, terminal_width};
use solve::memory;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Between two lines: often enough to look alive, and not worth the time.
const INTERVAL: Duration = Duration::from_millis(100);

/// What shells say of a process that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// Whether there is a line on standard error that has to be cleared.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed, or the process told to end.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, and the signals that end processes, are for whoever asks.
/// Without a handler they still end the process, only with less to say.
pub(crate) fn take_interruptions() {
    let _ = ctrlc::set_handler(|| {
        // Whoever presses it twice does not want to wait for an answer.
        if IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
            clear();
            guard::exit(INTERRUPTED);
        }
    });
}

/// Whether the user does not want an answer any more.
pub(crate) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// May be asked by several threads at once.
pub(crate) struct Watch {
    deadline: Option<Instant>,
    memory: Option<u64>,
    last_shown: Mutex<Instant>,
    /// What the user has been told.
    warned: Mutex<BTreeSet<String>>,
    is_terminal: bool,
}

impl Watch {
    pub(crate) fn start(limits: &Limits) -> Watch {
        Watch {
            deadline: guard::deadline(limits),
            memory: limits.memory,
            last_shown: Mutex::new(Instant::now()),
            warned: Mutex::default(),
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Shows how far things are, now and then, and tells whether to go on.
    pub(crate) fn keep_going(&self, describe: impl FnOnce() -> String) -> bool {
        self.show_now_and_then(describe);
        let now = Instant::now();
        let in_time = self.deadline.is_none_or(|deadline| now < deadline);
        let has_room = || {
            self.memory
                .is_none_or(|limit| memory::resident_lately().is_none_or(|bytes| bytes <= limit))
        };
        let limit = match () {
            () if !in_time => "the time is over",
            () if !has_room() => "the limit on memory was reached",
            () => return !is_interrupted(),
        };
        self.warn(limit);
        false
    }

    /// Shows how far things are, unless that was shown just before.
    pub(crate) fn show_now_and_then(&self, describe: impl FnOnce() -> String) {
        if self.is_terminal {
            self.show(Instant::now(), describe);
        }
    }

    /// Keeps the line alive while work goes on that seldom says where it is.
    pub(crate) fn accompany<R>(
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
        let ending = match IS_INTERRUPTED.load(Ordering::Relaxed) {
            true => "stopping, ",
            false => "",
        };
        show_line(&format!("{ending}{}", describe()));
    }

    /// Tells the user of something that went wrong, once, and at once.
    pub(crate) fn warn(&self, what: &str) {
        let Ok(mut warned) = self.warned.lock() else {
            return;
        };
        if warned.insert(what.to_owned()) {
            clear();
            say(format!("threadbare: warning: {what}\n"));
        }
    }

    pub(crate) fn finish(&self) {
        clear();
    }
}

/// Shows what is under way until there is something else to show.
pub(crate) fn show_once(what: &str) {
    if std::io::stderr().is_terminal() {
        show_line(what);
    }
}

fn show_line(what: &str) {
    let line = format!("{} s: {what}", guard::elapsed().as_secs());
    // A line that wraps could not be cleared.
    let line: String = line
        .chars()
        .take(terminal_width().saturating_sub(1))
        .collect();
    IS_SHOWN.store(true, Ordering::Relaxed);
    say(format!("\r\x1b[K{line}"));
}

/// Clears the line.
pub(crate) fn clear() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        say("\r\x1b[K");
    }
}
