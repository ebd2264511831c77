//! `whole`: one question about all schedules (ESBMC's schedule recording).
//!
//! Explores everything at once, in whatever order the solver likes. Complete,
//! since no schedule is left out. With several cores, each asks the same question, and
//! the first answer counts. They differ by their seed, and every other core has the
//! query as a clause rather than an assumption, and begins with all variables false
//! rather than true: nobody has got anywhere yet.
//!
//! Cores do not tell each other what they learn: for that, they would have to pause,
//! which made finding one bug take twice as long, or do without eliminating
//! variables of their own, as `cubes` does.

use crate::crew::{self, Answer, Piece, Setting, Work};
use crate::{Progress, Report};
use solve::Literal;

struct Whole {
    query: Literal,
    /// Cores that may still begin.
    left: usize,
    is_closed: bool,
}

pub fn search(setting: &Setting, watch: &mut dyn FnMut(&Progress) -> bool) -> Report {
    let cores = setting.options.cores.max(1);
    let work = Whole {
        query: setting.problem.query,
        left: cores,
        is_closed: false,
    };
    let (ending, _, statistics) = crew::run(setting, cores, work, watch);
    Report {
        outcome: crew::outcome(ending),
        statistics,
    }
}

impl Work for Whole {
    type Key = ();
    const SHARES: bool = false;

    /// The first core does exactly what a single one would do.
    fn asserts_query(core: usize) -> bool {
        core % 2 == 1
    }

    fn take(&mut self, core: usize) -> Option<Piece<()>> {
        self.left = self.left.checked_sub(1)?;
        Some(Piece {
            is_asserted: false,
            assumptions: match Whole::asserts_query(core) {
                true => Vec::new(),
                false => vec![self.query],
            },
            conflicts: None,
            time: None,
            key: (),
        })
    }

    fn put(&mut self, _core: usize, _piece: Piece<()>, answer: Answer) {
        match answer {
            Answer::Closed(_) => self.is_closed = true,
            Answer::Possible | Answer::Open(_) => self.left += 1,
        }
    }

    fn give_back(&mut self, _core: usize, _piece: Piece<()>) {
        self.left += 1;
    }

    fn is_settled(&self) -> bool {
        self.is_closed
    }

    fn progress(&self) -> Progress {
        Progress {
            open: usize::from(!self.is_closed),
            closed: u64::from(self.is_closed),
            share: f64::from(u8::from(self.is_closed)),
            ..Progress::default()
        }
    }
}
