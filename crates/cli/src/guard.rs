//! The limits that the user gave, and interruptions, kept wherever the process is.
//!
//! Work keeps to limits by itself, and has more to tell when it does. But a compiler may
//! hang, and there is work that nobody can interrupt; so a thread looks at the clock and
//! at the memory, and ends the process with a few words if need be. Child processes end
//! with it. Decides nothing about programs: all it can say is that nothing is known.

use crate::args::Limits;
use crate::{Status, print, progress};
use solve::memory;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// How often limits are looked at.
const LOOK: Duration = Duration::from_millis(5);
/// How often what is under way is shown.
const SHOW: Duration = Duration::from_millis(200);
/// How long work may take to notice that the time is over, or that nobody wants it.
const LATE: Duration = Duration::from_millis(600);
/// One of so many parts of the limit on memory may come on top of it in the meantime.
const MORE_MEMORY: u64 = 32;

/// How results are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
    Svcomp,
}

/// When the process began, as far as it knows.
static BEGIN: OnceLock<Instant> = OnceLock::new();
static FORMAT: OnceLock<Format> = OnceLock::new();
/// Who tells the result. Nobody else ever does.
static TELLER: OnceLock<ThreadId> = OnceLock::new();
/// Whether there is nobody but us who could tell anything.
static IS_ALONE: AtomicBool = AtomicBool::new(true);
/// What is under way.
static UNDER_WAY: Mutex<String> = Mutex::new(String::new());

/// Takes the time.
pub(crate) fn begin() {
    BEGIN.get_or_init(Instant::now);
}

/// For how long the process runs.
pub(crate) fn elapsed() -> Duration {
    BEGIN.get_or_init(Instant::now).elapsed()
}

/// When the time is over.
pub(crate) fn deadline(limits: &Limits) -> Option<Instant> {
    let begin = BEGIN.get_or_init(Instant::now);
    let limit = Duration::from_secs(limits.time?);
    // A time that no clock can show is no limit.
    begin.checked_add(limit)
}

/// Looks after limits from now on.
pub(crate) fn keep(limits: &Limits, format: Format) {
    FORMAT.get_or_init(|| format);
    progress::take_interruptions();
    let (deadline, most_memory) = (deadline(limits), limits.memory);
    // Without it, work still keeps to limits by itself.
    let _ = std::thread::Builder::new().spawn(move || watch(deadline, most_memory));
}

fn watch(deadline: Option<Instant>, most_memory: Option<u64>) {
    let last = deadline.and_then(|deadline| deadline.checked_add(LATE));
    let most = most_memory.map(|limit| limit.saturating_add(limit / MORE_MEMORY));
    let mut interrupted: Option<Instant> = None;
    let mut shown = Instant::now();
    loop {
        std::thread::sleep(LOOK);
        let now = Instant::now();
        if now - shown >= SHOW {
            shown = now;
            show();
        }
        if last.is_some_and(|last| now >= last) {
            end("the time is over");
        }
        if most.is_some_and(|most| memory::resident().is_some_and(|bytes| bytes > most)) {
            end("the limit on memory was reached");
        }
        if progress::is_interrupted() {
            let since = *interrupted.get_or_insert(now);
            let is_alone = IS_ALONE.load(Ordering::Relaxed);
            if is_alone || now - since >= LATE {
                end("interrupted");
            }
        }
    }
}

/// Shows what is under way, where nobody else does.
fn show() {
    if IS_ALONE.load(Ordering::Relaxed) && TELLER.get().is_none() {
        let what = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        if !what.is_empty() {
            progress::show_once(&what);
        }
    }
}

/// What is under way, as it follows on `while`. There is nobody but us who could end
/// it.
pub(crate) fn alone_with(what: impl Into<String>) {
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = what.into();
    IS_ALONE.store(true, Ordering::Relaxed);
}

/// What is under way looks after limits and interruptions by itself, most of the time.
pub(crate) fn beside(what: impl Into<String>) {
    alone_with(what);
    IS_ALONE.store(false, Ordering::Relaxed);
}

/// This thread tells the result from now on, and no other may. Does not return if
/// another has begun to: that one ends the process.
pub(crate) fn begin_to_tell() {
    let own = std::thread::current().id();
    if *TELLER.get_or_init(|| own) != own {
        loop {
            std::thread::park();
        }
    }
    progress::clear();
}

/// Ends the process, because of a limit or an interruption, with what can be said.
fn end(reason: &str) -> ! {
    begin_to_tell();
    let what = UNDER_WAY
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let reason = match what.is_empty() {
        true => reason.to_owned(),
        false => format!("{reason} (while {what})"),
    };
    // There is nobody left to tell if this cannot be printed.
    let _ = print(unknown(&reason));
    exit(Status::Unknown as u8)
}

/// That nothing is known, and why, in the format that the user wants.
pub(crate) fn unknown(reason: &str) -> String {
    match FORMAT.get().copied().unwrap_or_default() {
        Format::Text => format!("unknown: {reason}\n"),
        Format::Svcomp => format!("unknown: {reason}\nunknown\n"),
        Format::Json => {
            let json = serde_json::json!({"verdict": "unknown", "reason": reason});
            format!("{json:#}\n")
        }
    }
}

/// Ends the process, and all that it has started.
pub(crate) fn exit(code: u8) -> ! {
    system::end_all();
    std::process::exit(i32::from(code))
}
