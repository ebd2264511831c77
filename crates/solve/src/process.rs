//! Any SAT solver that is a program of its own.
//!
//! The formula goes to the program as a DIMACS file, its answer is read in the
//! format of the SAT competitions. Every call starts the program afresh and
//! writes the whole formula, so this back end suits few and long calls.
//!
//! The program is not trusted. Its answer counts only if the output has the
//! right form, the exit code agrees, and a model satisfies all clauses. That a
//! formula is unsatisfiable is believed without proof.
//!
//! The child's files are temporary, with names of their own, so that any
//! number of runs can work side by side. Files also serve as its output,
//! rather than pipes: no thread is needed to empty them, and a descendant that
//! survives the child cannot keep anybody waiting.
//!
//! It is stopped with all its descendants. Only its own memory counts for limits,
//! so it should be the solver itself, or a script that `exec`s it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clauses::{ClauseList, ClauseSink, Literal, Variable, dimacs};
use system::Group;
use tempfile::NamedTempFile;

use crate::answer::{Answer, excerpt, read_answer};
use crate::budget::{Budget, Interrupter, Reason, Watch};
use crate::error::Error;
use crate::solver::{Last, Outcome, SatSolver, Statistics, flaw_of_model};

/// How the program gets the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// On its standard input.
    Standard,
    /// As a file, named by one more argument after all others.
    File,
}

/// A SAT solver in a process of its own.
///
/// Cannot limit conflicts and decisions: a [`Budget`] for these is ignored.
/// Blames all assumptions when there is no model.
#[derive(Debug)]
pub struct Process {
    program: OsString,
    arguments: Vec<OsString>,
    input: Input,
    clauses: ClauseList,
    solves: u64,
    time: Duration,
    last: Last,
    interrupter: Interrupter,
}

impl Process {
    /// A solver that will run this program with these arguments. The program
    /// is started by `solve`; [`probe`](Self::probe) tells earlier whether it
    /// is any good.
    pub fn new(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        input: Input,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            input,
            clauses: ClauseList::new(),
            solves: 0,
            time: Duration::ZERO,
            last: Last::Nothing,
            interrupter: Interrupter::new(),
        }
    }

    /// Runs the program on two tiny formulas and says if it does not answer
    /// both correctly. The solver's own formula and result are not touched.
    pub fn probe(&self, budget: &Budget) -> Result<(), Error> {
        for satisfiable in [true, false] {
            let mut trial = Self::new(&self.program, &self.arguments, self.input);
            trial.interrupter = self.interrupter();
            let [a, b] = [(); 2].map(|()| trial.new_variable().positive());
            let contradiction = [[a, b], [!a, b], [a, !b], [!a, !b]];
            for clause in &contradiction[usize::from(satisfiable)..] {
                trial.add_clause(clause);
            }
            let problem = match (trial.solve(&[], budget), satisfiable) {
                (Outcome::Satisfiable, true) | (Outcome::Unsatisfiable, false) => continue,
                (Outcome::Satisfiable, false) | (Outcome::Unsatisfiable, true) => {
                    "it answers a trivial formula wrongly".to_owned()
                }
                (Outcome::Unknown(Reason::SolverDied(problem)), _) => problem,
                (Outcome::Unknown(reason), _) => reason.to_string(),
            };
            return Err(Error::NotASolver {
                program: display(&self.program),
                problem,
            });
        }
        Ok(())
    }

    /// Runs the program once and checks what it says.
    fn ask(&self, assumptions: &[Literal], budget: &Budget) -> Result<(Outcome, Last), Reason> {
        let mut watch = Watch::new(budget, &self.interrupter);
        stop_if_told(&mut watch)?;
        let formula = self.spool(assumptions, &mut watch)?;
        let finished = self.run(&formula, &mut watch)?;
        self.judge(finished, assumptions)
            .map_err(Reason::SolverDied)
    }

    fn spool(&self, assumptions: &[Literal], watch: &mut Watch) -> Result<NamedTempFile, Reason> {
        let mut write = || {
            let file = NamedTempFile::with_suffix(".cnf")?;
            let to = Watched {
                file: file.as_file(),
                watch,
            };
            dimacs::write(
                &self.clauses,
                assumptions,
                BufWriter::with_capacity(1 << 16, to),
            )?;
            Ok(file)
        };
        write().map_err(|error: io::Error| match error.downcast::<Told>() {
            Ok(Told(reason)) => reason,
            Err(error) => {
                Reason::SolverDied(format!("the formula cannot be written for it: {error}"))
            }
        })
    }

    fn run(&self, formula: &NamedTempFile, watch: &mut Watch) -> Result<Finished, Reason> {
        let failure = |error: io::Error| {
            Reason::SolverDied(format!(
                "`{}` cannot be run: {error}",
                display(&self.program)
            ))
        };
        let mut running = Running::start(self, formula).map_err(failure)?;
        watch.include(running.group.child().id());
        let mut pause = Duration::from_micros(100);
        loop {
            if let Some(status) = running.group.try_wait().map_err(failure)? {
                let (output, messages) = running.into_output().map_err(failure)?;
                return Ok(Finished {
                    status,
                    output,
                    messages,
                });
            }
            stop_if_told(watch)?;
            let limit = output_limit(self.clauses.variable_count());
            if running.output_length().map_err(failure)? > limit {
                return Err(Reason::SolverDied(format!(
                    "it printed more than {limit} bytes"
                )));
            }
            // Waits at most a tenth longer than needed, and at most 10 ms.
            thread::sleep(pause);
            pause = (pause * 11 / 10).min(Duration::from_millis(10));
        }
    }

    fn judge(
        &self,
        finished: Finished,
        assumptions: &[Literal],
    ) -> Result<(Outcome, Last), String> {
        let Finished {
            status,
            output,
            messages,
        } = finished;
        let answer = read_answer(BufReader::new(output), self.clauses.variable_count())
            .map_err(|problem| format!("{problem}; {status}{}", quote(&messages)))?;
        // An unsatisfiable formula is the one answer that is not checked, so a
        // solver that is not quite well must not give it.
        if status.code() != Some(answer.exit_code()) {
            return Err(format!(
                "it ended with {status} instead of {}{}",
                answer.exit_code(),
                quote(&messages)
            ));
        }
        match answer {
            Answer::Satisfiable(values) => match flaw_of_model(&values, &self.clauses, assumptions)
            {
                Some(flaw) => Err(flaw),
                None => Ok((Outcome::Satisfiable, Last::Model(values))),
            },
            Answer::Unsatisfiable => {
                Ok((Outcome::Unsatisfiable, Last::Failed(assumptions.to_vec())))
            }
            Answer::Unknown => Err("it gave up".to_owned()),
        }
    }
}

fn stop_if_told(watch: &mut Watch) -> Result<(), Reason> {
    watch.reason_to_stop().map_or(Ok(()), Err)
}

fn display(program: &OsStr) -> String {
    program.display().to_string()
}

/// More than any solver has reason to print: a model takes up to twelve bytes
/// per variable, the rest is for comments.
fn output_limit(variables: u32) -> u64 {
    const COMMENTS: u64 = 64 << 20;
    COMMENTS + 12 * u64::from(variables)
}

/// The end of what a program said on its standard error, for a message.
fn quote(mut messages: &File) -> String {
    const LENGTH: u64 = 80;
    let mut text = Vec::new();
    let length = messages.seek(SeekFrom::End(0)).unwrap_or(0);
    let read = messages
        .seek(SeekFrom::Start(length.saturating_sub(LENGTH)))
        .and_then(|_| messages.take(LENGTH).read_to_end(&mut text));
    match (read, text.trim_ascii()) {
        (Err(_), _) | (_, []) => String::new(),
        (_, text) => format!("; it said `{}`", excerpt(text)),
    }
}

/// A file whose writing can be stopped, for formulas that take long to write.
struct Watched<'a> {
    file: &'a File,
    watch: &'a mut Watch,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        stop_if_told(self.watch).map_err(|reason| io::Error::other(Told(reason)))?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A reason to stop on its way through code that only knows I/O errors.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Told(Reason);

/// A program that has ended, and what it left.
struct Finished {
    status: ExitStatus,
    output: File,
    messages: File,
}

/// A running program, which is stopped when this is dropped, on every way out.
struct Running {
    group: Group,
    output: File,
    messages: File,
}

impl Running {
    fn start(solver: &Process, formula: &NamedTempFile) -> io::Result<Self> {
        let output = tempfile::tempfile()?;
        let messages = tempfile::tempfile()?;
        let mut command = Command::new(&solver.program);
        command.args(&solver.arguments);
        match solver.input {
            Input::Standard => command.stdin(formula.reopen()?),
            Input::File => command.arg(formula.path()).stdin(Stdio::null()),
        };
        command
            .stdout(output.try_clone()?)
            .stderr(messages.try_clone()?);
        Ok(Self {
            group: Group::start(&mut command, None)?,
            output,
            messages,
        })
    }

    fn output_length(&self) -> io::Result<u64> {
        Ok(self.output.metadata()?.len() + self.messages.metadata()?.len())
    }

    /// *Requires* that the program has ended.
    fn into_output(self) -> io::Result<(File, File)> {
        let (mut output, messages) = (self.output.try_clone()?, self.messages.try_clone()?);
        output.seek(SeekFrom::Start(0))?;
        Ok((output, messages))
    }
}

impl ClauseSink for Process {
    fn new_variable(&mut self) -> Variable {
        self.clauses.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.clauses.add_clause(clause);
    }
}

impl SatSolver for Process {
    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> Outcome {
        self.clauses.require(assumptions);
        let start = Instant::now();
        let (outcome, last) = self
            .ask(assumptions, budget)
            .unwrap_or_else(|reason| (Outcome::Unknown(reason), Last::Nothing));
        self.last = last;
        self.solves += 1;
        self.time += start.elapsed();
        outcome
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.last.value(literal)
    }

    fn failed(&self) -> &[Literal] {
        self.last.failed()
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.clauses.variable_count().into(),
            clauses: self.clauses.clause_count() as u64,
            solves: self.solves,
            time: self.time,
            ..Statistics::default()
        }
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_a_formula_can_be_stopped() {
        let solver = Process::new("no-such-solver", [""; 0], Input::File);
        let mut watch = Watch::new(&Budget::default(), &solver.interrupter);
        assert!(solver.spool(&[], &mut watch).is_ok());
        solver.interrupter().interrupt();
        let stopped = solver.spool(&[], &mut watch).unwrap_err();
        assert_eq!(stopped, Reason::Interrupted);
    }

    #[test]
    fn the_end_of_long_messages_is_quoted() {
        let mut messages = tempfile::tempfile().unwrap();
        assert_eq!(quote(&messages), "");
        messages.write_all(&[b'x'; 1000]).unwrap();
        messages.write_all(b" the end\n").unwrap();
        let quoted = quote(&messages);
        assert!(quoted.starts_with("; it said `xxx") && quoted.ends_with("xx the end`"));
    }
}
