//! What ThreadSanitizer says about a run: the first data race, as a pair of lines.
//!
//! Only the first race of a run counts. It can be made to happen at any time: what
//! comes before it is ordered, so it can be arranged such that the two accesses are
//! next to each other, which is what a race is for the explorer. Of later ones that
//! is not true: they may depend on the outcome of the first.

use std::path::Path;

/// Functions that access objects of their own, all that begin so.
const SYNCHRONISATION: [&str; 2] = ["pthread_", "sem_"];

/// Lines of two accesses, the smaller one first.
pub type Pair = (u32, u32);

pub fn pair(one: u32, other: u32) -> Pair {
    (one.min(other), one.max(other))
}

/// The first race of a report, if it is one; `None` also if it does not name two
/// lines of the program.
pub fn first_race(report: &str, source: &Path) -> Option<Pair> {
    let (_, report) = report.split_once("WARNING: ThreadSanitizer: data race")?;
    let file = source.file_name()?.to_str()?;
    // Two stacks come first; where the threads were made follows after them.
    let mut stacks: Vec<Option<u32>> = Vec::new();
    for line in report.lines().skip(1) {
        let code = line.trim_start();
        if code.starts_with('#') {
            // Whether a lock or a barrier may be used is no matter of races here.
            let function = code.split(' ').nth(1)?;
            if SYNCHRONISATION
                .iter()
                .any(|name| function.starts_with(name))
            {
                return None;
            }
            let stack = stacks.last_mut()?;
            // What is not in the program was called by it.
            if stack.is_none() {
                *stack = line_in(code, file);
            }
        } else if code.contains(" of size ")
            && (code.contains(" by thread") || code.contains(" by main"))
        {
            stacks.push(None);
        } else if !code.is_empty() {
            break;
        }
    }
    match stacks.as_slice() {
        [Some(one), Some(other)] => Some(pair(*one, *other)),
        _ => None,
    }
}

/// The line of a frame such as `#0 worker /tmp/a.c:7:4 (a+0xd0)`.
fn line_in(frame: &str, file: &str) -> Option<u32> {
    let mut places = frame.split_whitespace();
    places.find_map(|word| {
        let (path, rest) = word.split_once(':')?;
        let is_it = Path::new(path).file_name()?.to_str()? == file;
        let line = rest.split(':').next()?;
        is_it.then(|| line.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_race_is_read() {
        let report = "\
WARNING: ThreadSanitizer: data race (pid=14089)
  Write of size 4 at 0x56371469e258 by thread T1:
    #0 memcpy <null> (r+0x5)
    #1 w /tmp/r.c:9:22 (r+0xd0108)

  Previous write of size 4 at 0x56371469e258 by main thread (mutexes: write M0):
    #0 main /tmp/r.c:7:4 (r+0xd015e)

  Location is global 'x' of size 4 at 0x56371469e258 (r+0x1476258)

  Thread T1 (tid=14091, running) created by main thread at:
    #0 pthread_create <null> (r+0x513ad)
    #1 main /tmp/r.c:6:3 (r+0xd0152)
";
        assert_eq!(first_race(report, Path::new("r.c")), Some((7, 9)));
        assert_eq!(first_race(report, Path::new("q.c")), None);
        assert_eq!(first_race("nothing", Path::new("r.c")), None);
    }
}
