//! The list of programs: one line per program and property, with what is known
//! about it. Reads text, never files.

/// Whether the property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Safe,
    Unsafe,
    /// Nobody knows.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its path within the corpus; the first folder is the set it belongs to.
    pub program: String,
    pub property: String,
    pub expected: Expected,
    /// 32 or 64.
    pub bits: u32,
}

impl Expected {
    const ALL: [Expected; 3] = [Expected::Safe, Expected::Unsafe, Expected::Unknown];

    pub fn name(self) -> &'static str {
        match self {
            Expected::Safe => "safe",
            Expected::Unsafe => "unsafe",
            Expected::Unknown => "unknown",
        }
    }

    pub fn from_name(name: &str) -> Option<Expected> {
        Expected::ALL
            .into_iter()
            .find(|expected| expected.name() == name)
    }
}

impl Row {
    pub fn set(&self) -> &str {
        self.program.split('/').next().unwrap_or(&self.program)
    }
}

/// Rows whose expectation is known to be wrong, and what is true.
const CORRECTED: [(&str, &str, Expected); 1] = [
    // One thread holds the lock to write and the other to read, which exclude each
    // other; the source marks accesses as racing that are always under the lock.
    // `explore` tries all of its 7 schedules and finds no race.
    (
        "svcomp-new/goblint-regression/04-mutex_41-pt_rwlock.c",
        "no-data-race",
        Expected::Safe,
    ),
];

/// All rows, or which line is wrong.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| {
            parse_row(line).ok_or_else(|| format!("line {} of the manifest: {line}", index + 1))
        })
        .collect()
}

/// Path, property, expected, bits, and hints that are not used here.
fn parse_row(line: &str) -> Option<Row> {
    let mut fields = line.split('\t');
    let mut next = || fields.next().filter(|field| !field.is_empty());
    let (program, property) = (next()?, next()?);
    let expected = Expected::from_name(next()?)?;
    let mut corrected = CORRECTED.iter();
    let corrected = corrected.find(|row| (row.0, row.1) == (program, property));
    Some(Row {
        program: program.to_owned(),
        property: property.to_owned(),
        expected: corrected.map_or(expected, |row| row.2),
        bits: next()?
            .parse()
            .ok()
            .filter(|bits| [32, 64].contains(bits))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_is_known() {
        let text = "complex/a.c\tunreach-call\tunsafe\t32\t3\trounds=4\tsomewhere\n\
                    locks/b.c\ttermination\tunknown\t64\t-\t-\telsewhere\n";
        let rows = parse(text).expect("should be fine");
        assert_eq!(rows.len(), 2);
        assert_eq!(
            rows[0],
            Row {
                program: "complex/a.c".to_owned(),
                property: "unreach-call".to_owned(),
                expected: Expected::Unsafe,
                bits: 32,
            }
        );
        assert_eq!((rows[1].set(), rows[1].bits), ("locks", 64));
        assert_eq!(rows[1].expected, Expected::Unknown);
    }

    #[test]
    fn a_row_can_be_corrected() {
        for (program, property, expected) in CORRECTED {
            let rows = parse(&format!("{program}\t{property}\tunsafe\t32\n"));
            assert_eq!(rows.expect("should be fine")[0].expected, expected);
        }
    }

    #[test]
    fn a_row_that_is_wrong_is_named() {
        for line in [
            "a.c",
            "a.c\tunreach-call\tmaybe\t32",
            "a.c\tunreach-call\tsafe\t16",
            "a.c\tunreach-call\tsafe",
            "\tunreach-call\tsafe\t32",
        ] {
            let text = format!("b.c\tunreach-call\tsafe\t64\n{line}\n");
            let error = parse(&text).expect_err(line);
            assert!(error.contains("line 2"), "{error}");
        }
    }
}
