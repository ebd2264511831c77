//! The list of programs: one line per program and property, with what is known
//! about it. Reads text, never files.

/// Whether the property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Safe,
    Unsafe,
    /// Nobody knows.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its path within the corpus; the first folder is the set it belongs to.
    pub program: String,
    pub property: String,
    pub expected: Expected,
    /// 32 or 64.
    pub bits: u32,
    /// If the list says something else than is expected.
    pub correction: Option<&'static Correction>,
}

/// A row whose expectation is known to be wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Correction {
    program: &'static str,
    property: &'static str,
    /// What the list says. If it says something else some day, it has been mended.
    claimed: Expected,
    expected: Expected,
    /// How anybody can see that.
    pub why: &'static str,
}

impl Expected {
    const ALL: [Expected; 3] = [Expected::Safe, Expected::Unsafe, Expected::Unknown];

    pub(super) fn name(self) -> &'static str {
        match self {
            Expected::Safe => "safe",
            Expected::Unsafe => "unsafe",
            Expected::Unknown => "unknown",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Expected> {
        Expected::ALL
            .into_iter()
            .find(|expected| expected.name() == name)
    }
}

impl Row {
    pub(super) fn set(&self) -> &str {
        self.program.split('/').next().unwrap_or(&self.program)
    }
}

/// All of them are counted apart, and told with the reason.
const CORRECTIONS: [Correction; 3] = [
    Correction {
        program: "svcomp-new/goblint-regression/04-mutex_41-pt_rwlock.c",
        property: "no-data-race",
        claimed: Expected::Unsafe,
        expected: Expected::Safe,
        why: "one thread holds the lock to write and the other to read, which exclude each \
              other; explore tries all of its 7 schedules and finds no race",
    },
    Correction {
        program: "misc/miscellaneous/pthread.c",
        property: "unreach-call",
        claimed: Expected::Safe,
        expected: Expected::Unsafe,
        why: "glibc refuses the priority ceiling 0 with EINVAL, so the assertion in line 60 fails \
              whenever the program is run with the input 2",
    },
    Correction {
        program: "lfds/hash_table-fail.c",
        property: "unreach-call",
        claimed: Expected::Safe,
        expected: Expected::Unsafe,
        why: "the claim is about total store order; its relaxed accesses ask for less, and under \
              rc11, which is the default then, a key is seen before its data",
    },
];

/// All rows, or which line is wrong.
pub(super) fn parse(text: &str) -> Result<Vec<Row>, String> {
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
    let correction = CORRECTIONS.iter().find(|correction| {
        let row = (correction.program, correction.property, correction.claimed);
        row == (program, property, expected)
    });
    Some(Row {
        program: program.to_owned(),
        property: property.to_owned(),
        expected: correction.map_or(expected, |correction| correction.expected),
        correction,
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
                correction: None,
            }
        );
        assert_eq!((rows[1].set(), rows[1].bits), ("locks", 64));
        assert_eq!(rows[1].expected, Expected::Unknown);
    }

    #[test]
    fn a_row_can_be_corrected() {
        for correction in &CORRECTIONS {
            let (program, property) = (correction.program, correction.property);
            let row = |expected: Expected| {
                let line = format!("{program}\t{property}\t{}\t32\n", expected.name());
                parse(&line).expect("should be fine").remove(0)
            };
            let corrected = row(correction.claimed);
            assert_eq!(corrected.expected, correction.expected);
            assert_eq!(corrected.correction, Some(correction));
            assert!(!correction.why.is_empty());
            // A list that has been mended needs no correction.
            let mended = row(correction.expected);
            assert_eq!(mended.expected, correction.expected);
            assert_eq!(mended.correction, None);
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
