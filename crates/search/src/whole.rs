//! `whole`: one question about all schedules (ESBMC's schedule recording).
//!
//! Explores everything at once, in whatever order the solver likes. Complete,
//! since no schedule is left out. With several cores, each asks the same question, and
//! the first answer counts. They differ by their seed, and every other core has the
//! query as a clause rather than an assumption, and begins with all variables false
//! rather than true: nobody has got anywhere yet.
//!
//! If the query comes in parts, each core begins with another part and goes on with
//! one that is still open; a single core takes turns, each twice as long as the one
//! before. When all parts are closed, so is the whole.
//!
//! Cores do not tell each other what they learn: for that, they would have to pause,
//! which made finding one bug take twice as long, or do without eliminating
//! variables of their own, as `cubes` does.

use crate::crew::{self, Answer, Piece, Setting, Work};
use crate::turns::Turns;
use crate::{Progress, Report};
use solve::Literal;

struct Whole {
    query: Literal,
    parts: Vec<Literal>,
    turns: Turns,
    /// By core: the part that it is at, if it is at one.
    at_work: Vec<Option<usize>>,
}

pub(crate) fn search(setting: &Setting, watch: &mut dyn FnMut(&Progress) -> bool) -> Report {
    let cores = setting.options.cores.max(1);
    let problem = setting.problem;
    let parts = match problem.parts.is_empty() {
        true => vec![problem.query],
        false => problem.parts.clone(),
    };
    let work = Whole {
        query: problem.query,
        turns: Turns::new(parts.len()),
        parts,
        at_work: vec![None; cores],
    };
    let (ending, _, statistics) = crew::run(setting, cores, work, watch);
    Report {
        outcome: crew::outcome(ending),
        statistics,
    }
}

impl Work for Whole {
    type Key = usize;
    const SHARES: bool = false;

    /// The first core does exactly what a single one would do.
    fn asserts_query(core: usize) -> bool {
        core % 2 == 1
    }

    fn take(&mut self, core: usize) -> Option<Piece<usize>> {
        let others = |part: usize| {
            self.at_work
                .iter()
                .flatten()
                .filter(|at| **at == part)
                .count()
        };
        let (part, mut conflicts) = self.turns.next(others)?;
        if self.at_work.len() > 1 {
            // Nobody else is kept waiting.
            conflicts = None;
        }
        self.at_work[core] = Some(part);
        let query = (!Whole::asserts_query(core)).then_some(self.query);
        let part_of_it = Some(self.parts[part]).filter(|part| *part != self.query);
        Some(Piece {
            is_asserted: false,
            assumptions: query.into_iter().chain(part_of_it).collect(),
            conflicts,
            time: None,
            key: part,
        })
    }

    fn put(&mut self, core: usize, piece: Piece<usize>, answer: Answer) {
        self.at_work[core] = None;
        if let Answer::Closed(_) = answer {
            self.turns.close(piece.key);
        }
    }

    fn give_back(&mut self, core: usize, _piece: Piece<usize>) {
        self.at_work[core] = None;
    }

    fn left_behind(&self) -> Vec<usize> {
        let is_closed = |part: &Option<usize>| part.is_some_and(|part| self.turns.is_closed(part));
        let cores = self.at_work.iter().enumerate();
        cores
            .filter(|(_, part)| is_closed(part))
            .map(|(core, _)| core)
            .collect()
    }

    fn is_settled(&self) -> bool {
        self.turns.are_over()
    }

    fn progress(&self) -> Progress {
        let closed = self.turns.n_closed();
        Progress {
            open: self.parts.len() - closed,
            closed: closed as u64,
            share: closed as f64 / self.parts.len() as f64,
            ..Progress::default()
        }
    }
}
