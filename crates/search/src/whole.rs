//! `whole`: one question about all schedules (ESBMC's schedule recording).
//!
//! Explores everything at once, in whatever order the solver likes. Complete,
//! since nothing is assumed. One core works; it has nothing to share.

use crate::crew::{self, Answer, Piece, Setting, Work};
use crate::{Progress, Report};

#[derive(Default)]
struct Whole {
    is_taken: bool,
    is_closed: bool,
}

pub fn search(setting: &Setting, watch: &mut dyn FnMut(&Progress) -> bool) -> Report {
    let (ending, _, statistics) = crew::run(setting, 1, Whole::default(), watch);
    Report {
        outcome: crew::outcome(ending),
        statistics,
    }
}

impl Work for Whole {
    type Key = ();

    fn take(&mut self, _core: usize) -> Option<Piece<()>> {
        if std::mem::replace(&mut self.is_taken, true) {
            return None;
        }
        Some(Piece {
            assumptions: Vec::new(),
            conflicts: None,
            time: None,
            key: (),
        })
    }

    fn put(&mut self, _core: usize, _piece: Piece<()>, answer: Answer) {
        self.is_closed = matches!(answer, Answer::Closed(_));
    }

    fn give_back(&mut self, _piece: Piece<()>) {
        self.is_taken = false;
    }

    fn is_settled(&self) -> bool {
        self.is_closed
    }

    fn progress(&self) -> Progress {
        Progress {
            open: usize::from(!self.is_taken),
            closed: u64::from(self.is_closed),
            share: f64::from(u8::from(self.is_closed)),
            ..Progress::default()
        }
    }
}
