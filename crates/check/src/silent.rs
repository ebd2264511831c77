//! Silent ends: undefined behaviour of a kind that was not looked for stops its
//! thread, and what would have come after it was not looked at. A verdict names
//! the places where that happens in some run, and no others.
//!
//! That is one more question: the same bounds, with the kinds that were left out.
//! What is found is replayed like any violation, blocked, and the same solver is
//! asked again. Where there is no time for it, the verdict says that nobody knows.

use crate::attempt::{Answer, Query, Task};
use crate::bounded::Bounded;
use crate::collect::Collection;
use crate::facts::{Assumption, Limits, Silent, SourcePlace};
use crate::reach::Watchlist;
use crate::standing::Effort;
use crate::verdict::{Kind, Options, Order, Search};
use replay::{Checks, Run, Violation};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Rounds are doubled so often at most.
const MOST_DOUBLINGS: u32 = 6;

/// The kinds that were not looked for.
pub(crate) fn missing(task: &Task) -> BTreeSet<Silent> {
    let checks = task.options.config.checks;
    let all = Silent::ALL.into_iter();
    all.filter(|kind| !checks.has(kind.property())).collect()
}

/// What a verdict says if nobody has asked.
pub(crate) fn not_known(task: &Task) -> Option<Assumption> {
    let missing = missing(task);
    (!missing.is_empty()).then_some(Assumption::SilentEnds(missing))
}

/// The ends that some run within the limits of an answer comes to.
pub(crate) fn find(task: &Task, query: &Query, limits: &Limits) -> BTreeSet<Assumption> {
    let missing = missing(task);
    if missing.is_empty() {
        return BTreeSet::new();
    }
    let wanted = missing.iter().map(|kind| kind.property());
    let checks = wanted.fold(task.options.config.checks, Checks::with);
    let options = Options {
        config: replay::Config {
            checks,
            ..task.options.config.clone()
        },
        all_violations: true,
        dump: None,
        // On the core at hand, one question after the other.
        search: Search {
            seed: task.options.search.seed,
            solver: task.options.search.solver.clone(),
            ..Search::default()
        },
        ..task.options.clone()
    };
    let task = Task {
        program: task.program,
        options: &options,
        digest: task.digest,
        start: task.start,
        deadline: task.deadline,
        watchlist: Watchlist::none(),
        watch: task.watch,
        loops: task.loops.clone(),
        can_free: task.can_free,
        collection: Collection::default(),
        effort: Effort::default(),
        was_short: AtomicBool::new(false),
        always_assumed: task.always_assumed.clone(),
        stop: task.stop,
    };
    let query = Query {
        deadline: task.end_of_extras(query),
        ..*query
    };
    let is_known = ask_all(&task, &query, limits);
    let runs = task.collection.runs();
    let mut found: BTreeSet<Assumption> = (runs.iter())
        .flat_map(|run| ends(&task, run, &missing))
        .collect();
    if !is_known {
        found.insert(Assumption::SilentEnds(missing));
    }
    found
}

/// Looks for ends, and tells whether there are no others within the limits.
fn ask_all(task: &Task, query: &Query, limits: &Limits) -> bool {
    let orders = match limits.order {
        Some(order) => vec![Some(order)],
        None if query.order.is_none() => vec![None],
        // All orders of steps are meant: more and more of them are looked at.
        None => (0..=MOST_DOUBLINGS)
            .map(|doublings| Some(Order::Rounds(1 << doublings)))
            .collect(),
    };
    for order in orders {
        let query = Query { order, ..*query };
        let answer = match Bounded::new(task, &query) {
            Ok(mut bounded) => bounded.ask(task, order, Kind::All, query.deadline).0,
            Err(failure) => failure.0,
        };
        let Answer::None(found) = answer else {
            return false;
        };
        if limits.order.is_some() || found.order.is_none() {
            return found.loops.is_subset(&limits.loops);
        }
    }
    false
}

fn ends(task: &Task, run: &Run, missing: &BTreeSet<Silent>) -> Vec<Assumption> {
    let violations = run.violations.iter();
    violations
        .flat_map(|violation| end(task, violation, missing))
        .collect()
}

/// That no thread stops where this happens, if it is of one of these kinds.
pub(crate) fn end(
    task: &Task,
    violation: &Violation,
    missing: &BTreeSet<Silent>,
) -> Option<Assumption> {
    let property = violation.kind.property();
    let kind = missing.iter().find(|kind| kind.property() == property)?;
    let place = violation.location();
    let place = place.map(|location| SourcePlace::of_location(task.program, location));
    let in_function = || {
        let entry = violation.stack.first();
        SourcePlace::Function(entry.map_or(String::new(), |entry| entry.function.clone()))
    };
    Some(Assumption::SilentEnd {
        place: place.unwrap_or_else(in_function),
        property: *kind,
        message: violation.message.clone(),
    })
}
