//! What a SAT solver prints, in the format of the SAT competitions.
//!
//! Lines start with `c` (comment), `s` (the answer) or `v` (the values, ended
//! by 0). Anything else is an error rather than something to skip: a solver
//! whose output is not understood must not decide a verdict. Whether a model
//! is one, and whether the exit code agrees, is for the caller to check.

use clauses::Literal;
use std::io::BufRead;

/// The answer of a solver, not yet believed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// With a value for each variable; those not mentioned are false.
    Satisfiable(Vec<bool>),
    Unsatisfiable,
    Unknown,
}

impl Answer {
    /// The exit code that goes with the answer.
    pub(crate) fn exit_code(&self) -> i32 {
        match self {
            Answer::Satisfiable(_) => 10,
            Answer::Unsatisfiable => 20,
            Answer::Unknown => 0,
        }
    }
}

/// Reads the whole output of a solver for a formula with so many variables.
pub(crate) fn read_answer(mut from: impl BufRead, variables: u32) -> Result<Answer, String> {
    let mut status = None;
    let mut values = Values {
        values: vec![None; variables as usize],
        started: false,
        ended: false,
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = from
            .read_until(b'\n', &mut line)
            .map_err(|error| format!("its output cannot be read: {error}"))?;
        if length == 0 {
            break;
        }
        let text = line.trim_ascii();
        match text.first() {
            None | Some(b'c') => {}
            Some(b's') => {
                if status.is_some() {
                    return Err("it gave two answers".to_owned());
                }
                status = Some(read_status(text)?);
            }
            Some(b'v') => values.read_line(text)?,
            Some(_) => return Err(format!("it printed `{}`", excerpt(text))),
        }
    }
    match status {
        None => Err("it gave no answer".to_owned()),
        Some(Status::Satisfiable) => values.into_model().map(Answer::Satisfiable),
        Some(Status::Unsatisfiable | Status::Unknown) if values.started => {
            Err("it gave values without a model".to_owned())
        }
        Some(Status::Unsatisfiable) => Ok(Answer::Unsatisfiable),
        Some(Status::Unknown) => Ok(Answer::Unknown),
    }
}

enum Status {
    Satisfiable,
    Unsatisfiable,
    Unknown,
}

fn read_status(line: &[u8]) -> Result<Status, String> {
    match line {
        b"s SATISFIABLE" => Ok(Status::Satisfiable),
        b"s UNSATISFIABLE" => Ok(Status::Unsatisfiable),
        b"s UNKNOWN" => Ok(Status::Unknown),
        _ => Err(format!("it printed `{}`", excerpt(line))),
    }
}

struct Values {
    values: Vec<Option<bool>>,
    started: bool,
    ended: bool,
}

impl Values {
    fn read_line(&mut self, line: &[u8]) -> Result<(), String> {
        let nonsense = || format!("it printed `{}`", excerpt(line));
        self.started = true;
        let line = str::from_utf8(line).map_err(|_| nonsense())?;
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("v") {
            return Err(nonsense());
        }
        for word in words {
            if self.ended {
                return Err("it gave values after the end of its model".to_owned());
            }
            let number: i32 = word.parse().map_err(|_| nonsense())?;
            if number == 0 {
                self.ended = true;
                continue;
            }
            let literal = Literal::from_dimacs(number).ok_or_else(nonsense)?;
            let value = self
                .values
                .get_mut(literal.variable().index())
                .ok_or_else(|| format!("it gave a value to {literal}, which does not exist"))?;
            if value.replace(literal.is_positive()) == Some(!literal.is_positive()) {
                return Err(format!("it gave two values to {}", literal.variable()));
            }
        }
        Ok(())
    }

    fn into_model(self) -> Result<Vec<bool>, String> {
        if !self.ended {
            return Err("its model is incomplete".to_owned());
        }
        Ok(self
            .values
            .into_iter()
            .map(|value| value.unwrap_or(false))
            .collect())
    }
}

/// The beginning of a text of unknown length and encoding, for a message.
pub(crate) fn excerpt(text: &[u8]) -> String {
    const LENGTH: usize = 80;
    let shown = String::from_utf8_lossy(&text[..text.len().min(LENGTH)]);
    let dots = if text.len() > LENGTH { "..." } else { "" };
    format!("{}{dots}", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: Result<Answer, &str>) {
        let answer = read_answer(output.as_bytes(), 3);
        assert_eq!(answer, expected.map_err(str::to_owned), "{output:?}");
    }

    #[test]
    fn answers() {
        check("s UNSATISFIABLE\n", Ok(Answer::Unsatisfiable));
        check("c hello\n\ns UNKNOWN", Ok(Answer::Unknown));
        let model = || Ok(Answer::Satisfiable(vec![true, false, true]));
        check("s SATISFIABLE\r\nv 1 -2\r\nv 3 0\r\nc bye\n", model());
        check("v 3 1 0\ns SATISFIABLE\n", model());
        check("s SATISFIABLE\nv 1 -2 3 1\nv\nv 0\n", model());
    }

    #[test]
    fn what_is_not_an_answer() {
        let cases = [
            ("", "it gave no answer"),
            ("c s SATISFIABLE\n", "it gave no answer"),
            ("s SATISFIABLE\n", "its model is incomplete"),
            ("s SATISFIABLE\nv 1 -2 3\n", "its model is incomplete"),
            (
                "s SATISFIABLE\nv 4 0\n",
                "it gave a value to 4, which does not exist",
            ),
            ("s SATISFIABLE\nv 1 -1 0\n", "it gave two values to 1"),
            (
                "s SATISFIABLE\nv 1 0 2\n",
                "it gave values after the end of its model",
            ),
            ("s SATISFIABLE\nv 1 x 0\n", "it printed `v 1 x 0`"),
            ("s SATISFIABLE\nv1 0\n", "it printed `v1 0`"),
            (
                "s SATISFIABLE\nv -2147483648 0\n",
                "it printed `v -2147483648 0`",
            ),
            ("s UNSATISFIABLE\nv 1 0\n", "it gave values without a model"),
            ("s UNSATISFIABLE\ns SATISFIABLE\n", "it gave two answers"),
            ("s MAYBE\n", "it printed `s MAYBE`"),
            ("SATISFIABLE\n", "it printed `SATISFIABLE`"),
            ("Segmentation fault\n", "it printed `Segmentation fault`"),
        ];
        for (output, problem) in cases {
            check(output, Err(problem));
        }
    }

    #[test]
    fn an_excerpt_is_short_and_printable() {
        assert_eq!(excerpt(b"a\x1b[1m\xff"), "a\\u{1b}[1m\u{fffd}");
        assert_eq!(excerpt(&[b'x'; 100]).len(), 83);
    }
}
