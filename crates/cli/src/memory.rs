//! How much memory this process uses, where the system tells (Linux). For
//! people; limits are kept elsewhere.

use std::fs;

/// Bytes in use now.
pub fn resident() -> Option<u64> {
    bytes_of("VmRSS:")
}

/// The most bytes that were ever in use.
pub fn peak() -> Option<u64> {
    bytes_of("VmHWM:")
}

fn bytes_of(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
