//! Engines: each knows one way to establish something about a question, and writes
//! it on the board. None knows the others, nor how a verdict is worded.
//!
//! | engine | establishes |
//! |---|---|
//! | `sample` | violations, places that runs come by |
//! | `explore` | violations; proofs, where there are finitely many states |
//! | `order` | violations; proofs, where no loop was cut; else bounds on loops within which there is none |
//! | `bounded` | violations; bounds within which there is none; proofs, where no run goes beyond them |
//!
//! How they share the cores is in `crate::cores`.

pub(crate) mod bounded;
mod explore;
mod order;
pub(crate) mod sample;

use crate::attempt::Task;
use crate::board::{Bars, Board};
use crate::cores::Cores;
use crate::facts::{Internal, Reason};
use crate::verdict::{Encoding, Options};
use library::MemoryModel;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// By what name users choose them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    #[default]
    Bounded,
    /// `bounded` with the encoding by order; users choose it by that.
    Order,
    Explore,
    Sample,
}

impl Name {
    pub const ALL: [Name; 4] = [Name::Sample, Name::Explore, Name::Order, Name::Bounded];

    pub fn as_str(self) -> &'static str {
        match self {
            Name::Sample => "sample",
            Name::Explore => "explore",
            Name::Bounded => "bounded",
            Name::Order => "order",
        }
    }

    /// Whether the engine has something to say to the question.
    pub fn fits(self, options: &Options) -> bool {
        let is_chosen = |name: Name| options.engines.contains(&name);
        let has = |encoding: Encoding| options.encodings.contains(&encoding);
        match self {
            Name::Sample => is_chosen(self) && sample::fits(options),
            Name::Explore => is_chosen(self) && explore::fits(options),
            Name::Bounded => is_chosen(self) && has(Encoding::Contexts),
            Name::Order => {
                // Nobody else knows more than interleavings.
                let is_weak = options.config.surroundings.memory_model != MemoryModel::Sc;
                let is_wanted = is_weak || has(Encoding::Order);
                is_chosen(Name::Bounded) && is_wanted && order::fits(options)
            }
        }
    }

    fn work(self, office: &Office) -> Result<(), Reason> {
        match self {
            Name::Sample => sample::work(office),
            Name::Explore => explore::work(office),
            Name::Bounded => bounded::work(office),
            Name::Order => order::work(office),
        }
    }
}

/// What engines work with.
pub(crate) struct Office<'t> {
    pub task: &'t Task<'t>,
    pub board: &'t Board<'t>,
    pub cores: &'t Cores<'t>,
}

/// Lets engines work until the board has all that there is to wait for, or a limit is
/// reached. `overdue` is told if one of them does not notice.
pub(crate) fn run(names: &[Name], office: &Office, bars: &Bars, overdue: &dyn Fn()) {
    std::thread::scope(|scope| {
        for name in names {
            let work = move || {
                // One that panics leaves behind what it has written.
                let result = catch_unwind(AssertUnwindSafe(|| name.work(office)));
                let result = result.unwrap_or(Err(Reason::Internal(Internal::Panicked)));
                office.board.ended(*name, result.err());
            };
            let thread = std::thread::Builder::new().name(name.as_str().to_owned());
            let started = thread.stack_size(crate::STACK).spawn_scoped(scope, work);
            if let Err(error) = started {
                let problem = error.to_string();
                let reason = Reason::CannotStart { problem };
                office.board.ended(*name, Some(reason));
            }
        }
        office.board.accompany(bars, overdue);
    });
}
