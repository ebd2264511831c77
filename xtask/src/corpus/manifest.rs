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
    Some(Row {
        program: next()?.to_owned(),
        property: next()?.to_owned(),
        expected: Expected::from_name(next()?)?,
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
