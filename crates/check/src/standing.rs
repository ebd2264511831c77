//! How far a search had come when it ended without an answer: what is closed, where
//! the effort went, and what could be tried. Facts only; `report` words them.

use crate::facts::{Reason, SourcePlace};
use crate::verdict::{Options, Order};
use analysis::Loops;
use ir::{BlockId, FunctionId, InstId, Program};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use unfold::Standing;

/// Bounds within which nothing goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// `None`: in any order of steps.
    pub order: Option<Order>,
    /// `None`: with any number of iterations.
    pub iterations: Option<u32>,
}

/// Of several bounds within which nothing goes wrong, the largest is told first; any
/// order counts as much as this, since few iterations in any order may say little.
const ANY_ORDER: Order = Order::Rounds(32);

impl Closed {
    /// How much it says, roughly, if so many iterations were looked at.
    pub(crate) fn size(&self, iterations: u32) -> u64 {
        self.order.unwrap_or(ANY_ORDER).size() * u64::from(iterations)
    }

    /// Whether it says all that the other says.
    fn contains(&self, other: &Closed) -> bool {
        let has_order = match (self.order, other.order) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(order), Some(other)) => order.contains(other),
        };
        let has_iterations = match (self.iterations, other.iterations) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(bound), Some(other)) => bound >= other,
        };
        has_order && has_iterations
    }

    /// Adds one to those that none of the others contains.
    pub(crate) fn add_to(self, all: &mut Vec<Closed>) {
        if !all.iter().any(|one| one.contains(&self)) {
            all.retain(|one| !self.contains(one));
            all.push(self);
        }
    }
}

/// A loop, or a function apart from its loops, that much of the formulas comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costly {
    /// `main.0`, or the function's name.
    pub name: String,
    pub is_loop: bool,
    pub place: Option<SourcePlace>,
    /// Of all that was unfolded, in per cent.
    pub share: u32,
}

/// What could be tried next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Ask for what is closed: that has a verdict.
    AskForLess(Closed),
    /// This loop alone takes most of the effort.
    BoundLoop(String),
    /// This function does; another may stand in for it.
    ReplaceFunction(String),
    /// So many cores are there.
    MoreCores(usize),
    MoreTime,
    MoreMemory,
}

/// How far a search has come.
#[derive(Clone, Debug, Default)]
pub struct Progressed {
    /// None of them contains another.
    pub closed: Vec<Closed>,
    /// Those that cost most, the most first.
    pub costs: Vec<Costly>,
    pub advice: Vec<Advice>,
}

/// How many loops and functions are told of, and what they cost at least, in per cent.
const MOST_TOLD: usize = 3;
const LEAST_TOLD: u32 = 10;
/// Whoever takes so much could be done something about.
const MUCH: u32 = 40;

/// Where effort goes, on all cores.
#[derive(Default)]
pub(crate) struct Effort(Mutex<Spent>);

#[derive(Default)]
struct Spent {
    /// Terms and blocks, by function and by innermost loop.
    by_place: BTreeMap<(FunctionId, Option<analysis::LoopId>), u64>,
    /// Of functions that were looked at.
    maps: HashMap<FunctionId, Map>,
}

/// Which loop each instruction is in.
struct Map {
    loops: Loops,
    blocks: HashMap<InstId, BlockId>,
}

impl Effort {
    fn spent(&self) -> MutexGuard<'_, Spent> {
        // Numbers that somebody could not finish counting are as good as before.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something was unfolded since the last time, when there were so many terms.
    pub(crate) fn note(&self, program: &Program, standing: &Standing, terms_before: usize) {
        let (function, inst) = standing.site;
        let Some(body) = &program.functions[function].body else {
            return;
        };
        let mut spent = self.spent();
        let map = spent.maps.entry(function).or_insert_with(|| Map {
            loops: Loops::of(body),
            blocks: (body.blocks.iter())
                .flat_map(|(block, data)| data.insts.iter().map(move |inst| (*inst, block)))
                .collect(),
        });
        let block = map.blocks.get(&inst);
        let innermost = block.and_then(|block| map.loops.innermost(*block));
        // A pass begins without any.
        let made = standing.terms.saturating_sub(terms_before) as u64;
        *spent.by_place.entry((function, innermost)).or_default() += 1 + made;
    }

    /// What cost most.
    pub(crate) fn costs(&self, program: &Program) -> Vec<Costly> {
        let spent = self.spent();
        let all: u64 = spent.by_place.values().sum();
        let mut costs: Vec<Costly> = (spent.by_place.iter())
            .map(|((function, id), effort)| {
                let data = &program.functions[*function];
                let loops = spent.maps.get(function).map(|map| &map.loops);
                let (name, location) = match (*id, loops) {
                    (Some(id), Some(loops)) => (loops.name(&data.name, id), loops.location(id)),
                    _ => (data.name.clone(), data.location),
                };
                Costly {
                    name,
                    is_loop: id.is_some(),
                    place: location.map(|at| SourcePlace::of_location(program, at)),
                    share: (100 * effort / all.max(1)) as u32,
                }
            })
            .filter(|costly| costly.share >= LEAST_TOLD)
            .collect();
        costs.sort_by(|a, b| b.share.cmp(&a.share).then_with(|| a.name.cmp(&b.name)));
        costs.truncate(MOST_TOLD);
        costs
    }
}

impl Progressed {
    pub(crate) fn new(closed: Vec<Closed>, costs: Vec<Costly>) -> Progressed {
        Progressed {
            closed,
            costs,
            advice: Vec::new(),
        }
    }

    /// Finds what could be tried, given why the search ended.
    pub(crate) fn advise(&mut self, reason: &Reason, options: &Options) {
        let is_limit = matches!(reason, Reason::Time | Reason::Memory | Reason::Interrupted);
        if !is_limit {
            return;
        }
        let bounds = &options.bounds;
        let best = (self.closed.iter())
            .max_by_key(|closed| (closed.order.is_none(), closed.order.map(Order::size)));
        if let Some(best) = best.filter(|_| !bounds.are_given()) {
            self.advice.push(Advice::AskForLess(*best));
        }
        if let Some(costly) = self.costs.first().filter(|costly| costly.share >= MUCH) {
            let name = costly.name.clone();
            let is_bounded = bounds.unwind_set.contains_key(&name);
            match costly.is_loop {
                true if is_bounded => {}
                true => self.advice.push(Advice::BoundLoop(name)),
                false => self.advice.push(Advice::ReplaceFunction(name)),
            }
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if options.search.cores < cores {
            self.advice.push(Advice::MoreCores(cores));
        }
        match reason {
            Reason::Memory => self.advice.push(Advice::MoreMemory),
            _ => self.advice.push(Advice::MoreTime),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(rounds: u32, iterations: Option<u32>) -> Closed {
        Closed {
            order: Some(Order::Rounds(rounds)),
            iterations,
        }
    }

    #[test]
    fn only_what_no_other_contains_is_kept() {
        let mut all = Vec::new();
        for (rounds, iterations) in [(1, 1), (2, 8), (3, 2), (2, 3), (3, 2), (1, 9)] {
            closed(rounds, Some(iterations)).add_to(&mut all);
        }
        let expected = [closed(2, Some(8)), closed(3, Some(2)), closed(1, Some(9))];
        assert_eq!(all, expected);
        closed(2, None).add_to(&mut all);
        assert_eq!(all, [closed(3, Some(2)), closed(2, None)]);
        let any = Closed {
            order: None,
            iterations: Some(2),
        };
        any.add_to(&mut all);
        assert_eq!(all, [closed(2, None), any]);
    }
}
