//! Which lines runs come by, in the format of lcov: `DA:LINE,1` for a line that some
//! run within the bounds executes, and `DA:LINE,0` for one that none does, or of
//! which that is not known.

use check::Reach;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of a tracefile.
pub fn render_lcov(lines: &BTreeMap<(String, u32), Reach>) -> String {
    let mut text = String::new();
    let mut files: BTreeMap<&str, Vec<(u32, bool)>> = BTreeMap::new();
    for ((file, line), state) in lines {
        let of_file = files.entry(file).or_default();
        of_file.push((*line, *state == Reach::Reached));
    }
    for (file, lines) in files {
        let _ = writeln!(text, "TN:\nSF:{file}");
        for (line, is_reached) in &lines {
            let _ = writeln!(text, "DA:{line},{}", u32::from(*is_reached));
        }
        let hit = lines.iter().filter(|(_, is_reached)| *is_reached).count();
        let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_file_by_file() {
        let line = |file: &str, line: u32, state| ((file.to_owned(), line), state);
        let lines = BTreeMap::from([
            line("a.c", 3, Reach::Reached),
            line("a.c", 4, Reach::Unreached),
            line("b.c", 1, Reach::Unknown),
        ]);
        let expected = "TN:\nSF:a.c\nDA:3,1\nDA:4,0\nLF:2\nLH:1\nend_of_record\n\
                        TN:\nSF:b.c\nDA:1,0\nLF:1\nLH:0\nend_of_record\n";
        assert_eq!(render_lcov(&lines), expected);
    }
}
