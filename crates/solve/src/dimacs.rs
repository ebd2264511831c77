//! Formulas in the DIMACS format, which every SAT solver reads.
//!
//! Writing comes in two forms: [`write()`] for a formula in memory, and
//! [`Writer`], a sink that streams clauses to a file without keeping them.
//! Reading is strict: what [`read`] accepts, every solver understands in the
//! same way. Neither simplifies or reorders anything.

use std::io::{self, BufRead, Seek, SeekFrom, Write};

use crate::cnf::{ClauseSink, Cnf, VariableCount};
use crate::error::Error;
use crate::literal::{Literal, Variable};

/// Writes a formula, with the assumptions as additional unit clauses.
pub fn write(cnf: &Cnf, assumptions: &[Literal], mut to: impl Write) -> io::Result<()> {
    let clauses = cnf.clause_count() + assumptions.len();
    writeln!(to, "p cnf {} {clauses}", cnf.variable_count())?;
    for clause in cnf.clauses() {
        write_clause(clause, &mut to)?;
    }
    for assumption in assumptions {
        write_clause(&[*assumption], &mut to)?;
    }
    to.flush()
}

fn write_clause(clause: &[Literal], to: &mut impl Write) -> io::Result<()> {
    for literal in clause {
        write!(to, "{literal} ")?;
    }
    to.write_all(b"0\n")
}

/// A sink that writes each clause as it comes.
///
/// The header, which must come first, holds counts that are known last; so
/// room is left for it and filled by [`finish`](Self::finish). Without that
/// call the file has no header and is not a formula.
#[derive(Debug)]
pub struct Writer<W: Write + Seek> {
    to: W,
    start: u64,
    variables: VariableCount,
    clauses: u64,
    /// The first failure; a sink's methods cannot return it.
    failure: Option<io::Error>,
}

/// Room for the longest header. A shorter one is preceded by a comment line
/// that takes up the rest: unlike additional blanks within the header, every
/// solver skips that.
const HEADER_ROOM: usize = "c\np cnf 2147483647 18446744073709551615\n".len();

fn header(variables: u32, clauses: u64) -> String {
    let header = format!("p cnf {variables} {clauses}\n");
    let padding = HEADER_ROOM - header.len() - "\n".len();
    format!("{:<padding$}\n{header}", "c")
}

impl<W: Write + Seek> Writer<W> {
    /// Starts a formula at the current position. Writes are small: wrap a
    /// file in a [`BufWriter`](io::BufWriter).
    pub fn new(mut to: W) -> io::Result<Self> {
        let start = to.stream_position()?;
        to.write_all(header(0, 0).as_bytes())?;
        Ok(Self {
            to,
            start,
            variables: VariableCount::default(),
            clauses: 0,
            failure: None,
        })
    }

    /// Completes the header and gives back the file, positioned at its end;
    /// or the first error that any of the clauses met.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let end = self.to.stream_position()?;
        self.to.seek(SeekFrom::Start(self.start))?;
        self.to
            .write_all(header(self.variables.get(), self.clauses).as_bytes())?;
        self.to.seek(SeekFrom::Start(end))?;
        self.to.flush()?;
        Ok(self.to)
    }
}

impl<W: Write + Seek> ClauseSink for Writer<W> {
    fn new_variable(&mut self) -> Variable {
        self.variables.create()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.variables.require(clause);
        if self.failure.is_none() {
            self.failure = write_clause(clause, &mut self.to).err();
            self.clauses += 1;
        }
    }
}

/// Reads a formula: comment lines, one header, then exactly the clauses that
/// it announces, each ended by 0, over no more variables than it announces.
pub fn read(mut from: impl BufRead) -> Result<Cnf, Error> {
    let mut reader = Reader::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line).map_err(Error::Read)? == 0 {
            return reader.end();
        }
        reader.line += 1;
        reader.read_line(&line)?;
    }
}

#[derive(Default)]
struct Reader {
    line: usize,
    /// The announced number of clauses, once the header was read.
    announced: Option<usize>,
    cnf: Cnf,
    clause: Vec<Literal>,
}

impl Reader {
    fn error<T>(&self, problem: impl Into<String>) -> Result<T, Error> {
        Err(Error::Dimacs {
            line: self.line,
            problem: problem.into(),
        })
    }

    fn read_line(&mut self, line: &[u8]) -> Result<(), Error> {
        // A comment may be in any encoding; everything else is ASCII.
        if line.starts_with(b"c") {
            return Ok(());
        }
        let Ok(line) = str::from_utf8(line) else {
            return self.error("neither a comment nor plain text");
        };
        if line.starts_with('p') {
            return self.read_header(line);
        }
        line.split_ascii_whitespace()
            .try_for_each(|word| self.read_number(word))
    }

    fn read_header(&mut self, line: &str) -> Result<(), Error> {
        if self.announced.is_some() {
            return self.error("a second header");
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let ["p", "cnf", variables, clauses] = words[..] else {
            return self.error("the header should be `p cnf VARIABLES CLAUSES`");
        };
        let variables = parse_count(variables).and_then(|count| u32::try_from(count).ok());
        let Some(variables) = variables.filter(|&count| count <= Variable::MAX_COUNT) else {
            return self.error(format!(
                "not a possible number of variables in `{}`",
                line.trim()
            ));
        };
        let Some(clauses) = parse_count(clauses) else {
            return self.error(format!(
                "not a possible number of clauses in `{}`",
                line.trim()
            ));
        };
        self.cnf.reserve_variables(variables);
        self.announced = Some(clauses);
        Ok(())
    }

    fn read_number(&mut self, word: &str) -> Result<(), Error> {
        let Some(announced) = self.announced else {
            return self.error(format!(
                "`{word}` before the header `p cnf VARIABLES CLAUSES`"
            ));
        };
        if self.cnf.clause_count() == announced {
            return self.error(format!("`{word}` after the {announced} announced clauses"));
        }
        if word == "0" {
            self.cnf.add_clause(&self.clause);
            self.clause.clear();
            return Ok(());
        }
        let digits = word.strip_prefix('-').unwrap_or(word);
        let number = parse_count(digits).and_then(|_| word.parse().ok());
        let Some(literal) = number.and_then(Literal::from_dimacs) else {
            return self.error(format!("`{word}` is not a literal"));
        };
        let variables = self.cnf.variable_count();
        if literal.variable().number() > variables {
            return self.error(format!("literal {literal} with only {variables} variables"));
        }
        self.clause.push(literal);
        Ok(())
    }

    fn end(self) -> Result<Cnf, Error> {
        let Some(announced) = self.announced else {
            return self.error("the file ends without a header");
        };
        if !self.clause.is_empty() {
            return self.error("the file ends within a clause");
        }
        let clauses = self.cnf.clause_count();
        if clauses != announced {
            return self.error(format!(
                "the file ends after {clauses} of {announced} clauses"
            ));
        }
        Ok(self.cnf)
    }
}

/// A number without any sign: the standard parser would take a `+`.
fn parse_count(word: &str) -> Option<usize> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        word.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn example() -> Cnf {
        let mut cnf = Cnf::new();
        let [a, b, c] = [(); 3].map(|()| cnf.new_variable().positive());
        cnf.add_clause(&[a, !b]);
        cnf.add_clause(&[]);
        cnf.add_clause(&[!c]);
        cnf
    }

    fn written(cnf: &Cnf, assumptions: &[Literal]) -> String {
        let mut text = Vec::new();
        write(cnf, assumptions, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn writes_and_reads_back() {
        let text = written(&example(), &[]);
        assert_eq!(text, "p cnf 3 3\n1 -2 0\n0\n-3 0\n");
        assert_eq!(read(text.as_bytes()).unwrap(), example());
    }

    #[test]
    fn assumptions_are_unit_clauses() {
        let assumption = Literal::from_dimacs(-2).unwrap();
        let text = written(&example(), &[assumption]);
        assert_eq!(text, "p cnf 3 4\n1 -2 0\n0\n-3 0\n-2 0\n");
    }

    #[test]
    fn streams_with_final_counts() {
        let mut file = Cursor::new(b"before ".to_vec());
        file.seek(SeekFrom::End(0)).unwrap();
        let mut writer = Writer::new(file).unwrap();
        example().copy_to(&mut writer);
        let file = writer.finish().unwrap();
        assert_eq!(file.position(), file.get_ref().len() as u64);
        let text = str::from_utf8(file.get_ref())
            .unwrap()
            .strip_prefix("before ")
            .unwrap();
        assert!(text.ends_with(" \np cnf 3 3\n1 -2 0\n0\n-3 0\n"), "{text}");
        assert_eq!(read(text.as_bytes()).unwrap(), example());
    }

    #[test]
    fn every_header_takes_the_same_room() {
        for (variables, clauses) in [(0, 0), (7, 31), (Variable::MAX_COUNT, u64::MAX)] {
            let header = header(variables, clauses);
            assert_eq!(header.len(), HEADER_ROOM, "{header}");
            assert!(
                header.starts_with('c') && header.contains("\np cnf "),
                "{header}"
            );
        }
    }

    #[test]
    fn a_failed_write_is_told_at_the_end() {
        // A buffer of fixed size that is full after the header and one clause.
        let mut room = [0; HEADER_ROOM + 6];
        let mut writer = Writer::new(Cursor::new(&mut room[..])).unwrap();
        let a = writer.new_variable().positive();
        for _ in 0..3 {
            writer.add_clause(&[a, !a]);
        }
        assert_eq!(
            writer.finish().unwrap_err().kind(),
            io::ErrorKind::WriteZero
        );
    }

    #[test]
    fn reads_the_liberties_of_the_format() {
        let text = "c a comment\nc\np  cnf\t3 3\r\n1\n\nc within a clause\n-2 0 0 -3 0\n";
        assert_eq!(read(text.as_bytes()).unwrap(), example());
        // A comment in another encoding, and no line end at the end.
        assert_eq!(read(&b"c \xff\np cnf 0 0"[..]).unwrap(), Cnf::new());
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let cases = [
            ("", "line 0: the file ends without a header"),
            (
                "c\n1 0\n",
                "line 2: `1` before the header `p cnf VARIABLES CLAUSES`",
            ),
            (
                "p cnf 1\n",
                "line 1: the header should be `p cnf VARIABLES CLAUSES`",
            ),
            (
                "p dnf 1 1\n",
                "line 1: the header should be `p cnf VARIABLES CLAUSES`",
            ),
            (
                "p cnf -1 1\n",
                "line 1: not a possible number of variables in `p cnf -1 1`",
            ),
            (
                "p cnf 2147483648 1\n",
                "line 1: not a possible number of variables in `p cnf 2147483648 1`",
            ),
            (
                "p cnf 1 x\n",
                "line 1: not a possible number of clauses in `p cnf 1 x`",
            ),
            ("p cnf 1 1\np cnf 1 1\n", "line 2: a second header"),
            ("p cnf 1 1\n1 x 0\n", "line 2: `x` is not a literal"),
            ("p cnf 1 1\n+1 0\n", "line 2: `+1` is not a literal"),
            ("p cnf 1 1\n-0\n", "line 2: `-0` is not a literal"),
            (
                "p cnf 1 1\n-2147483648 0\n",
                "line 2: `-2147483648` is not a literal",
            ),
            (
                "p cnf 1 1\n99999999999 0\n",
                "line 2: `99999999999` is not a literal",
            ),
            (
                "p cnf 1 1\n\n-2 0\n",
                "line 3: literal -2 with only 1 variables",
            ),
            ("p cnf 1 1\n1\n", "line 2: the file ends within a clause"),
            (
                "p cnf 1 2\n1 0\n",
                "line 2: the file ends after 1 of 2 clauses",
            ),
            (
                "p cnf 1 1\n1 0\n-1 0\n",
                "line 3: `-1` after the 1 announced clauses",
            ),
            (
                "p cnf 1 1\n1 0\n%\n0\n",
                "line 3: `%` after the 1 announced clauses",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(
                read(text.as_bytes()).unwrap_err().to_string(),
                expected,
                "{text:?}"
            );
        }
        let error = read(&b"p cnf 1 1\n\xff 0\n"[..]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2: neither a comment nor plain text"
        );
    }
}
