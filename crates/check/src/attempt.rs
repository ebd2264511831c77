//! What there is to be done, what may be asked and answered, and unfolding.

use crate::verdict::{CutLoop, Limits, Options, Order, Progress, Stage};
use analysis::Loops;
use encode::Encoding;
use formula::ClauseSink;
use ir::Program;
use replay::{Property, Run};
use solve::memory;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use unfold::{Check, Error, Unfolding};

/// Terms beyond this are too many for any solver.
const MAX_TERMS: usize = 40_000_000;

/// Everything that stays the same from query to query.
pub struct Task<'a> {
    pub program: &'a Program,
    pub options: &'a Options,
    pub digest: u64,
    pub deadline: Option<Instant>,
    pub watch: &'a (dyn Fn(&Progress) -> bool + Sync),
    /// Bounds of single loops, by header.
    pub loops: HashMap<(ir::FunctionId, analysis::LoopId), u32>,
    pub can_free: bool,
    /// Set when there is a verdict, for those who still look for one; `watch` says
    /// no from then on.
    pub stop: &'a AtomicBool,
}

/// The bounds of one query, and when to give up.
#[derive(Clone, Copy)]
pub struct Query {
    pub order: Order,
    pub unwind: u32,
    pub deadline: Option<Instant>,
}

impl Query {
    pub fn keep_going(&self, watch: &(dyn Fn(&Progress) -> bool + Sync), stage: Stage) -> bool {
        let has_time = self
            .deadline
            .is_none_or(|deadline| Instant::now() < deadline);
        has_time
            && watch(&Progress {
                stage,
                order: Some(self.order),
                unwind: Some(self.unwind),
                search: None,
            })
    }
}

pub enum Answer {
    Violated(Box<Run>),
    /// There is none, up to these limits.
    None(Limits),
    Unknown(String),
    /// The program does something that is not supported, within these bounds.
    Unsupported(String),
    /// The time for this query was over, though perhaps not the user's.
    TooLong,
    /// There is none, up to these limits, in the part that was looked at.
    Partly {
        left_out: String,
        limits: Limits,
    },
}

impl Answer {
    pub fn name(&self) -> String {
        match self {
            Answer::Violated(_) => "violated".to_owned(),
            Answer::None(_) => "none".to_owned(),
            Answer::Unknown(reason) | Answer::Unsupported(reason) => reason.clone(),
            Answer::TooLong => "took too long".to_owned(),
            Answer::Partly { .. } => "none in the part looked at".to_owned(),
        }
    }
}

impl Task<'_> {
    /// Whether a run shows what is looked for.
    pub fn is_violated(&self, run: &Run) -> bool {
        let checks = self.options.config.checks;
        let mut violations = run.violations.iter();
        violations.any(|violation| checks.has(violation.kind.property()))
    }

    /// Writes the formula of a query; the answer if that takes too long or too much.
    pub fn encode(
        &self,
        unfolding: &Unfolding,
        query: &Query,
        contexts: usize,
        sink: &mut impl ClauseSink,
    ) -> Result<Encoding, Answer> {
        let reductions = &self.options.reductions;
        let mut options = encode::Options::new(contexts);
        options.round_robin = matches!(query.order, Order::Rounds(_));
        options.normal_forms = reductions.normal_forms;
        options.formula.narrowing = reductions.narrowing;
        let mut keep_going =
            || !self.is_short_of_memory() && self.keep_going(query, Stage::Encoding);
        encode::encode(&unfolding.threads, &options, sink, &mut keep_going)
            .ok_or_else(|| self.interruption(query.deadline))
    }

    /// The program, ready to run. Each core needs its own.
    pub fn image(&self, config: &replay::Config) -> Result<replay::Image<'_>, String> {
        replay::Image::new(self.program, &config.arguments, config.memory_limit)
            .map_err(|_| "the program's memory exceeds the limit".to_owned())
    }

    /// The answer when something was told not to go on.
    pub fn interruption(&self, deadline: Option<Instant>) -> Answer {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Answer::TooLong
        } else if self.is_short_of_memory() {
            Answer::Unknown("the limit on memory was reached".to_owned())
        } else {
            Answer::Unknown("interrupted".to_owned())
        }
    }

    pub fn is_short_of_memory(&self) -> bool {
        // Asking the system takes longer than most of what is watched here.
        (self.options.memory).is_some_and(|limit| memory::resident().unwrap_or(0) > limit)
    }

    /// Unfolds the program.
    pub fn unfold(&self, query: &Query) -> Result<Unfolding, Answer> {
        let bounds = &self.options.bounds;
        let config = &self.options.config;
        let options = unfold::Options {
            checks: wanted(config.checks),
            unwind: query.unwind,
            unwind_every_loop: bounds.unwind_every_loop,
            unwind_loops: self.loops.clone(),
            turns: match query.order {
                Order::Contexts(turns) | Order::Rounds(turns) => Some(turns),
            },
            spurious_wakeups: config.spurious_wakeups,
            malloc_may_fail: config.malloc_may_fail,
            address_reuse: config.address_reuse,
            can_free: self.can_free,
            arguments: config.arguments.clone(),
            reductions: self.options.reductions.unfolding,
        };
        let mut keep_going = |terms: usize| {
            terms < MAX_TERMS
                && !self.is_short_of_memory()
                && self.keep_going(query, Stage::Unfolding)
        };
        unfold::unfold(self.program, &options, &mut keep_going).map_err(|error| match error {
            Error::Interrupted => self.interruption(query.deadline),
            Error::Unsupported { what, location } => Answer::Unsupported(match location {
                Some(location) => format!(
                    "{}: {what} is not supported",
                    self.program.describe_location(location)
                ),
                None => format!("{what} is not supported"),
            }),
            Error::Again => {
                Answer::Unknown("internal error: unfolding did not come to an end".to_owned())
            }
        })
    }

    pub fn keep_going(&self, query: &Query, stage: Stage) -> bool {
        query.keep_going(self.watch, stage)
    }

    pub fn cut_loops(&self, unfolding: &Unfolding, unwind: u32) -> Vec<CutLoop> {
        let mut names: BTreeMap<ir::FunctionId, Loops> = BTreeMap::new();
        let mut cuts = Vec::new();
        for (function, id) in &unfolding.cuts {
            let data = &self.program.functions[*function];
            let Some(body) = &data.body else {
                continue;
            };
            cuts.push(match id {
                None => CutLoop {
                    name: data.name.clone(),
                    location: data.location,
                    bound: unwind,
                    is_recursion: true,
                },
                Some(id) => {
                    let loops = names.entry(*function).or_insert_with(|| Loops::of(body));
                    let own = self.loops.get(&(*function, *id)).copied();
                    CutLoop {
                        name: format!("{}.{}", data.name, id.as_u32()),
                        location: loops.location(*id),
                        bound: own.unwrap_or(unwind),
                        is_recursion: false,
                    }
                }
            });
        }
        cuts.sort();
        cuts
    }
}

/// What unfolding has to look for.
fn wanted(checks: replay::Checks) -> unfold::Checks {
    let same = |property| match property {
        Property::Assert => Check::Assert,
        Property::Deadlock => Check::Deadlock,
        Property::Memory => Check::Memory,
        Property::Leak => Check::Leak,
        Property::Misuse => Check::Misuse,
        Property::Arithmetic => Check::Arithmetic,
        Property::Overflow => Check::Overflow,
        Property::Race => Check::Race,
        Property::Unwind => Check::Unwind,
    };
    checks.iter().map(same).collect()
}
