//! Formulas in the DIMACS format, which every SAT solver reads.
//!
//! Reading is strict: what [`read`] accepts, every solver understands in the
//! same way. Neither reading nor writing simplifies or reorders anything.

use std::io::{self, BufRead, Write};

use crate::{ClauseList, ClauseSink, Literal, Variable};

/// Why a file is no formula.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not have the form.
    #[error("line {line}: {problem}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// It could not be read.
    #[error("cannot read the formula: {0}")]
    Read(#[source] io::Error),
}

/// Writes a formula, with the assumptions as additional unit clauses.
pub fn write(list: &ClauseList, assumptions: &[Literal], mut to: impl Write) -> io::Result<()> {
    let clauses = list.clause_count() + assumptions.len();
    writeln!(to, "p cnf {} {clauses}", list.variable_count())?;
    for clause in list.clauses() {
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

/// Reads a formula: comment lines, one header, then exactly the clauses that
/// it announces, each ended by 0, over no more variables than it announces.
pub fn read(mut from: impl BufRead) -> Result<ClauseList, Error> {
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
    list: ClauseList,
    clause: Vec<Literal>,
}

impl Reader {
    fn error<T>(&self, problem: impl Into<String>) -> Result<T, Error> {
        Err(Error::Malformed {
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
        self.list.reserve_variables(variables);
        self.announced = Some(clauses);
        Ok(())
    }

    fn read_number(&mut self, word: &str) -> Result<(), Error> {
        let Some(announced) = self.announced else {
            return self.error(format!(
                "`{word}` before the header `p cnf VARIABLES CLAUSES`"
            ));
        };
        if self.list.clause_count() == announced {
            return self.error(format!("`{word}` after the {announced} announced clauses"));
        }
        if word == "0" {
            self.list.add_clause(&self.clause);
            self.clause.clear();
            return Ok(());
        }
        let digits = word.strip_prefix('-').unwrap_or(word);
        let number = parse_count(digits).and_then(|_| word.parse().ok());
        let Some(literal) = number.and_then(Literal::from_dimacs) else {
            return self.error(format!("`{word}` is not a literal"));
        };
        let variables = self.list.variable_count();
        if literal.variable().number() > variables {
            return self.error(format!("literal {literal} with only {variables} variables"));
        }
        self.clause.push(literal);
        Ok(())
    }

    fn end(self) -> Result<ClauseList, Error> {
        let Some(announced) = self.announced else {
            return self.error("the file ends without a header");
        };
        if !self.clause.is_empty() {
            return self.error("the file ends within a clause");
        }
        let clauses = self.list.clause_count();
        if clauses != announced {
            return self.error(format!(
                "the file ends after {clauses} of {announced} clauses"
            ));
        }
        Ok(self.list)
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
    use super::*;

    fn example() -> ClauseList {
        let mut list = ClauseList::new();
        let [a, b, c] = [(); 3].map(|()| list.new_variable().positive());
        list.add_clause(&[a, !b]);
        list.add_clause(&[]);
        list.add_clause(&[!c]);
        list
    }

    fn written(list: &ClauseList, assumptions: &[Literal]) -> String {
        let mut text = Vec::new();
        write(list, assumptions, &mut text).unwrap();
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
    fn reads_the_liberties_of_the_format() {
        let text = "c a comment\nc\np  cnf\t3 3\r\n1\n\nc within a clause\n-2 0 0 -3 0\n";
        assert_eq!(read(text.as_bytes()).unwrap(), example());
        // A comment in another encoding, and no line end at the end.
        assert_eq!(read(&b"c \xff\np cnf 0 0"[..]).unwrap(), ClauseList::new());
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
