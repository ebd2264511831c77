//! How much memory processes use, where the system has a `/proc` that tells.

use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// For so long, what was last read is good enough.
const LATELY: Duration = Duration::from_millis(5);

/// Bytes of this process that are in use and not swapped out.
pub fn resident() -> Option<u64> {
    bytes_of("self", "VmRSS:")
}

/// The same, a few milliseconds old at most. Reading takes longer than many of
/// the steps between which somebody would like to know.
pub fn resident_lately() -> Option<u64> {
    static LAST: Mutex<Option<(Instant, Option<u64>)>> = Mutex::new(None);
    // Whoever would have to wait for another's reading reads on their own.
    let Ok(mut last) = LAST.try_lock() else {
        return resident();
    };
    match *last {
        Some((when, bytes)) if when.elapsed() < LATELY => bytes,
        _ => {
            let bytes = resident();
            *last = Some((Instant::now(), bytes));
            bytes
        }
    }
}

/// The most bytes that this process has ever had in use.
pub fn peak() -> Option<u64> {
    bytes_of("self", "VmHWM:")
}

/// Bytes of another process that are in use and not swapped out.
pub(crate) fn resident_of(process: u32) -> Option<u64> {
    bytes_of(&process.to_string(), "VmRSS:")
}

fn bytes_of(process: &str, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_peak_is_never_below_what_is_in_use() {
        let used = resident().expect("Linux should tell");
        assert!(used > 0 && peak() >= Some(used));
        assert!(resident_of(std::process::id()).is_some());
    }
}
