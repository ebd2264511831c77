//! `order`: asks a solver about all orders of steps at once, loops cut.
//!
//! The same questions as `bounded`, with the encoding by order in place of contexts: there
//! is no bound on switches between threads, so an answer without violation is a proof
//! where no loop was cut, and has bounds on loops alone where some were. It proves in
//! little time what needs many contexts; deep violations in long threads are for contexts.
//!
//! Bounds on loops grow, one question after the other: each contains the ones before. A
//! question has turns, so that others can have the core in between; what its solver has
//! learnt is kept. A formula that is not finished when a turn is over has to be begun
//! anew, and has twice the time.

use super::{Name, Office};
use crate::attempt::{Answer, Query};
use crate::bounded::Bounded;
use crate::facts::Reason;
use crate::standing::Closed;
use crate::verdict::{Kind, Options};
use library::MemoryModel;
use solve::Ability;
use std::time::{Duration, Instant};

/// How long the first turn is. Most of what is proved here takes less, and others wait.
const FIRST_SHARE: Duration = Duration::from_millis(100);
/// The same if nobody else can prove anything, and how long a turn of a solver is.
const SHARE: Duration = Duration::from_millis(500);
/// Bounds on loops, if the user gives none.
const UNWINDINGS: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128, 256, 512];

/// There is no bound on contexts here, formulas are more than clauses, and nothing is
/// searched part by part.
pub(super) fn fits(options: &Options) -> bool {
    options.bounds.order.is_none()
        && options.search.strategy.is_none()
        && options.search.solver.can(Ability::KeepOrder)
        && options.dump.is_none()
        && !options.goes_on()
}

pub(super) fn work(office: &Office) -> Result<(), Reason> {
    let given = office.task.options.bounds.unwind;
    let plan = given.map_or_else(|| UNWINDINGS.to_vec(), |unwind| vec![unwind]);
    for unwind in plan {
        if ask(office, unwind)? {
            break;
        }
    }
    Ok(())
}

/// Asks about one bound on loops until there is an answer. Whether that is the end.
fn ask(office: &Office, unwind: u32) -> Result<bool, Reason> {
    let (task, board) = (office.task, office.board);
    let mut share = match task.memory_model() {
        MemoryModel::Sc => FIRST_SHARE,
        _ => SHARE,
    };
    let mut kept: Option<Bounded> = None;
    loop {
        let place = office.cores.place_for(Name::Order, share);
        if task.is_stopped() {
            return Ok(true);
        }
        let end = Instant::now() + share;
        let deadline = Some(task.deadline.map_or(end, |last| last.min(end)));
        let query = Query {
            order: None,
            unwind,
            deadline,
        };
        let made = match kept.take() {
            Some(bounded) => Ok(bounded),
            None => Bounded::new(task, &query),
        };
        let (answer, record) = match made {
            Ok(mut bounded) => {
                let answered = bounded.ask(task, None, Kind::All, deadline);
                kept = Some(bounded);
                share = SHARE;
                answered
            }
            Err(failure) => {
                share = share.saturating_mul(2);
                *failure
            }
        };
        drop(place);
        board.attempted(record);
        match answer {
            Answer::Violated(run) => board.violated(Name::Order, run),
            Answer::Depends(dependent) => board.depends(dependent),
            Answer::None(limits) if task.options.bounds.are_answered_by(&limits) => {
                if let Some(ledger) = board.ledger(Name::Order) {
                    ledger.answered(limits);
                }
            }
            // Whatever has a bound on contexts is less.
            Answer::None(limits) => {
                let closed = Closed {
                    order: None,
                    iterations: Some(unwind),
                };
                if let Some(ledger) = board.ledger(Name::Order) {
                    ledger.closed(unwind, closed, limits);
                }
                return Ok(false);
            }
            Answer::TooLong => {
                let is_over = |deadline| Instant::now() >= deadline;
                if task.deadline.is_some_and(is_over) {
                    return Err(Reason::Time);
                }
                continue;
            }
            Answer::Unknown(reason) | Answer::TooMuch(reason) => return Err(reason),
            // Only strategies leave parts out, and there is none.
            Answer::Partly(_) => {}
        }
        return Ok(true);
    }
}
