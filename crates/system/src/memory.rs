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
pub fn resident_of(process: u32) -> Option<u64> {
    bytes_of(&process.to_string(), "VmRSS:")
}

/// Bytes of all processes of a group. Those of other users are not told of.
pub(crate) fn of_group(group: i32) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0;
    };
    let names = processes.flatten().map(|entry| entry.file_name());
    let numbers = names.filter_map(|name| name.to_str()?.parse::<u32>().ok());
    numbers
        .filter(|process| group_of(*process) == Some(group))
        .filter_map(resident_of)
        .sum()
}

/// The group that a process belongs to: the third field after its name, which may
/// have spaces and brackets in it.
fn group_of(process: u32) -> Option<i32> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(2)?.parse().ok()
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
        let group = group_of(std::process::id()).expect("Linux should tell");
        assert!(of_group(group) > 0);
    }
}
